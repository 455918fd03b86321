//! In tasks or all at once? The question about a user's own folder; a click changes the answer later.

use egui::Ui;

use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{button, faint, segmented, sentence};

/// Draws the question, or the answer.
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
        faint(ui, tr!("data-class-arrival")).on_hover_text(tr!("data-class-arrival-explained"));
        let options = ways();
        segmented(ui, "arrival", &options, &mut at_once);
    });
    if at_once != before {
        cx.change(move |session| session.arrive(at_once));
    }
}

fn ways() -> [(bool, &'static str); 2] {
    [
        (false, tr!("data-class-arrival-stages")),
        (true, tr!("data-class-arrival-at-once")),
    ]
}

fn ask(ui: &mut Ui, cx: &mut Cx<'_>) {
    let title = egui::RichText::new(tr!("data-class-arrival-question"));
    ui.label(title.font(semibold(13.0)).color(tokens(ui).strong));
    sentence(ui, tr!("data-class-arrival-explained"));
    ui.horizontal_wrapped(|ui| {
        for (at_once, words) in ways() {
            if button(ui, words).clicked() {
                cx.change(move |session| session.arrive(at_once));
            }
        }
        faint(ui, tr!("data-class-arrival-default"));
    });
}
