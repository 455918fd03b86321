//! In stages or all at once? Asked of a person's own folder in one sentence, and changed by a click afterwards.

use egui::Ui;

use crate::ui::command::UiCommand;
use crate::ui::page_commands::ExperimentCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{button, faint, segmented, sentence};

/// What each is for.
const FOR: &str = "In stages, classes come one group after the other, as they do where a model is taught later: the run shows what is forgotten. All at once is one task with every class: usually the best answer when all pictures are there already.";

/// Draws the question, or the answer that was given.
pub(super) fn line(ui: &mut Ui, cx: &mut Cx<'_>) {
    if !cx.session.can_arrive() {
        return;
    }
    let Some(mut at_once) = cx.session.arrival() else {
        ask(ui, cx);
        return;
    };
    let before = at_once;
    ui.horizontal_wrapped(|ui| {
        faint(ui, "Classes are learned").on_hover_text(FOR);
        let options = [(false, "In stages"), (true, "All at once")];
        segmented(ui, "in stages or all at once", &options, &mut at_once);
    });
    if at_once != before {
        cx.act(UiCommand::OnExperiment(ExperimentCommand::Arrive(at_once)));
    }
}

fn ask(ui: &mut Ui, cx: &mut Cx<'_>) {
    let title = egui::RichText::new("In stages or all at once?");
    ui.label(title.font(semibold(13.0)).color(tokens(ui).strong));
    sentence(ui, FOR);
    ui.horizontal_wrapped(|ui| {
        for (at_once, words) in [(false, "In stages"), (true, "All at once")] {
            if button(ui, words).clicked() {
                cx.act(UiCommand::OnExperiment(ExperimentCommand::Arrive(at_once)));
            }
        }
        faint(ui, "Until you answer, it is in stages.");
    });
}
