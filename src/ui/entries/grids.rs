//! Lines of the command palette about grids, and about what runs say of themselves.

use super::PaletteEntry;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::grids::shipped_grids;
use crate::session::plain::title_of;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::GridCommand;
use crate::ui::pages::experiment::grid_keys;

pub(super) fn of_grids(session: &Session) -> Vec<PaletteEntry> {
    let grid = &session.experiment.grid;
    let pick = |title, wanted| PaletteEntry::new(title, UiCommand::Pick(wanted));
    let mut all = vec![
        pick("Open grid…", DialogPurpose::Grid).also("file series runs"),
        pick("Save as grid…", DialogPurpose::SaveGrid).when(grid.view.ready().is_some()),
        pick("Check a packed run…", DialogPurpose::Packed).also("proof verify"),
        PaletteEntry::new("Single values again", UiCommand::OnGrid(GridCommand::Close))
            .when(session.has_grid()),
    ];
    for key in grid_keys(&session.experiment.draft) {
        let title = format!("Several values of {}…", title_of(key));
        let vary = UiCommand::OnGrid(GridCommand::Vary(key.into()));
        let able = !grid.several.has(key);
        all.push(PaletteEntry::new(title, vary).also("grid axis").when(able));
    }
    for (name, title) in shipped_grids() {
        let open = UiCommand::OnGrid(GridCommand::Open((*name).into()));
        all.push(PaletteEntry::new(format!("Open grid: {title}"), open));
    }
    all
}
