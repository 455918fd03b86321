//! Entries of the command palette for grids, and for checking and exporting runs.

use super::{PaletteEntry, change, entry, pick};
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::grids::{grid_title, shipped_grids};
use crate::session::plain::title_of;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::experiment::grid_keys;

pub(super) fn of_grids(session: &Session) -> Vec<PaletteEntry> {
    let grid = &session.experiment.grid;
    let mut all = vec![
        pick(tr!("entries-open-grid"), DialogPurpose::Grid).also("entries-open-grid-keywords"),
        pick(tr!("entries-save-grid"), DialogPurpose::SaveGrid).when(grid.view.ready().is_some()),
        pick(tr!("entries-check-packed"), DialogPurpose::Packed)
            .also("entries-check-packed-keywords"),
        change(tr!("experiment-use-single-values"), Session::close_grid).when(session.has_grid()),
    ];
    for key in grid_keys(&session.experiment.draft) {
        let title = tr!("entries-several-values", setting = title_of(key));
        let vary = UiCommand::change_on(Page::Experiment, move |session| session.vary(key));
        let vary = entry(title, vary).also("entries-several-values-keywords");
        all.push(vary.when(!grid.several.has(key)));
    }
    for (name, title) in shipped_grids() {
        let title = tr!("entries-open-named-grid", title = grid_title(title));
        let open = move |session: &mut Session| session.open_grid((*name).into());
        all.push(entry(title, UiCommand::change_on(Page::Experiment, open)));
    }
    all
}
