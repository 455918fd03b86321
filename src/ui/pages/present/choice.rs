//! The choice of the displayed run and its companion.

use egui::{ComboBox, Ui};

use crate::session::companion::Beside;
use crate::session::run_view::RunView;
use crate::session::views::RunRow;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;

/// Width of a list, in points.
const WIDTH: f32 = 230.0;

/// Draws the tested stored runs; choosing one shows it from its start.
pub(super) fn run(ui: &mut Ui, cx: &mut Cx<'_>, now: Option<&RunView>) {
    let header = now.and_then(|run| run.header.as_ref());
    let title = now.map_or(tr!("present-choose-run"), |run| run.title.as_str());
    let mut chosen = None;
    let combo = ComboBox::from_id_salt("presented run")
        .width(WIDTH)
        .truncate()
        .selected_text(title);
    let shown = combo.show_ui(ui, |ui| {
        for row in cx.session.rows().filter(|row| row.is_measured()) {
            let here = header.is_some_and(|header| header.folder == row.folder);
            if ui.selectable_label(here, row.line()).clicked() {
                chosen = Some(row.folder.clone());
            }
        }
    });
    shown.response.accessible_name(tr!("present-choose-run"));
    if let Some(folder) = chosen {
        cx.act(UiCommand::Open(folder));
    }
}

/// Draws the runs with the same tasks to choose the companion from.
pub(super) fn beside(ui: &mut Ui, cx: &mut Cx<'_>) {
    let now = cx.session.opposite().map(|other| other.folder);
    if now.is_none() && cx.session.opposites().next().is_none() {
        return;
    }
    let alone = tr!("present-no-other-run");
    let title = match &now {
        None => alone.to_string(),
        Some(folder) => {
            let row = cx.session.opposites().find(|row| row.folder == *folder);
            row.map_or_else(|| tr!("present-paired-run").into(), RunRow::line)
        }
    };
    let mut chosen = None;
    let combo = ComboBox::from_id_salt("beside the presented run")
        .width(WIDTH)
        .truncate()
        .selected_text(title);
    let shown = combo.show_ui(ui, |ui| {
        if ui.selectable_label(now.is_none(), alone).clicked() {
            chosen = Some(Beside::Nothing);
        }
        for row in cx.session.opposites() {
            let here = now.as_ref() == Some(&row.folder);
            if ui.selectable_label(here, row.line()).clicked() {
                chosen = Some(Beside::Run(row.folder.clone()));
            }
        }
    });
    shown.response.accessible_name(tr!("present-compare-with"));
    if let Some(beside) = chosen {
        cx.change(move |session| session.train.beside = beside);
    }
}
