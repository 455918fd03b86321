//! The labels of the data set that were corrected, and the way to take any back.

use egui::{RichText, ScrollArea, Ui};

use crate::data::{Correction, CorrectionCount};
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ExperimentCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, link, segmented};

/// Draws the line; nothing where no label was corrected.
pub fn line(ui: &mut Ui, cx: &mut Cx<'_>) {
    let place = cx.session.experiment.draft.data.clone();
    let (list, used) = (
        cx.session.corrected_labels(&place),
        &cx.session.experiment.draft.corrected,
    );
    if list.is_empty() && used.is_empty() {
        return;
    }
    let (count, own) = (list.len(), CorrectionCount::of(used).words());
    let (words, used, same) = (
        CorrectionCount::of(list).words(),
        !used.is_empty(),
        list == used,
    );
    ui.horizontal_wrapped(|ui| {
        let t = tokens(ui);
        let words = match count {
            0 => "The list of corrected labels is empty".to_string(),
            _ => words,
        };
        let words = RichText::new(words).font(regular(13.0));
        ui.label(words.color(t.text));
        let mut on = used;
        let ways = [(true, "Use them"), (false, "Labels as in the data")];
        if segmented(ui, "corrected labels", &ways, &mut on) {
            use_corrected(cx, on);
        }
        if used && !same {
            faint(ui, format!("these settings have a run's own list: {own}"));
            if link(ui, "Use the list as it is now").clicked() {
                use_corrected(cx, true);
            }
        }
        let open = cx.pages.experiment.corrected;
        let title = if open {
            "Hide the list"
        } else {
            "Show the list"
        };
        if count > 0 && link(ui, title).clicked() {
            cx.pages.experiment.corrected = !open;
        }
    });
    if cx.pages.experiment.corrected {
        let rows = ScrollArea::vertical()
            .id_salt("corrected")
            .max_height(150.0);
        rows.show_rows(ui, 20.0, count, |ui, range| {
            let list = cx.session.corrected_labels(&place);
            for correction in list.get(range).unwrap_or_default() {
                row(ui, cx, &place, correction);
            }
        });
    }
}

fn use_corrected(cx: &mut Cx<'_>, on: bool) {
    let command = ExperimentCommand::UseCorrected(on);
    cx.act(UiCommand::OnExperiment(command));
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, place: &str, correction: &Correction) {
    ui.horizontal(|ui| {
        let now = match &correction.class {
            Some(class) => format!("{class} instead of {}", correction.was),
            None => format!("left out, stands in {}", correction.was),
        };
        faint(ui, format!("{}: {now}", correction.picture));
        let back = link(ui, "Take back");
        let back = back.accessible_name(format!("Take back {}", correction.picture));
        if back.clicked() {
            let back = correction.taken_back();
            cx.act(UiCommand::PutLabel(place.to_string(), back));
        }
    });
}
