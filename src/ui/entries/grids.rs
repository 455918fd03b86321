//! Entries of the command palette about grids, and about checking and exporting runs.

use super::PaletteEntry;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::grids::{grid_title, shipped_grids};
use crate::session::plain::title_of;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::GridCommand;
use crate::ui::pages::experiment::grid_keys;

pub(super) fn of_grids(session: &Session) -> Vec<PaletteEntry> {
    let grid = &session.experiment.grid;
    let pick = |title, wanted| PaletteEntry::new(title, UiCommand::Pick(wanted));
    let mut all = vec![
        pick(tr!("entries-open-grid"), DialogPurpose::Grid).also("entries-open-grid-keywords"),
        pick(tr!("entries-save-grid"), DialogPurpose::SaveGrid).when(grid.view.ready().is_some()),
        pick(tr!("entries-check-packed"), DialogPurpose::Packed)
            .also("entries-check-packed-keywords"),
        PaletteEntry::new(
            tr!("experiment-use-single-values"),
            UiCommand::OnGrid(GridCommand::Close),
        )
        .when(session.has_grid()),
    ];
    for key in grid_keys(&session.experiment.draft) {
        let title = tr!("entries-several-values", setting = title_of(key));
        let vary = UiCommand::OnGrid(GridCommand::Vary(key.into()));
        let able = !grid.several.has(key);
        all.push(
            PaletteEntry::new(title, vary)
                .also("entries-several-values-keywords")
                .when(able),
        );
    }
    for (name, title) in shipped_grids() {
        let open = UiCommand::OnGrid(GridCommand::Open((*name).into()));
        let title = tr!("entries-open-named-grid", title = grid_title(title));
        all.push(PaletteEntry::new(title, open));
    }
    all
}
