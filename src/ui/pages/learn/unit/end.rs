//! The end of a lesson: what is done, and the way to the next one.

use egui::Ui;

use crate::session::units::Unit;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::LearnCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, card, ends, faint, primary_button};

/// Draws it.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let language = unit.language;
    let units = &cx.session.learn.units;
    let counted = |key, (done, all): (usize, usize)| {
        let (done, all) = (done.to_string(), all.to_string());
        language.fill(key, &[("done", &done), ("all", &all)])
    };
    let done = units.done(unit);
    let told = [
        ("unit.questions_done", (done.answered, done.questions)),
        ("unit.runs_done", units.runs_done()),
    ];
    let told = told.into_iter().filter(|(_, (_, all))| *all > 0);
    let told: Vec<String> = told.map(|(key, of)| counted(key, of)).collect();
    let next = units.next(unit, cx.session.learn.language);
    card(ui, |ui| {
        ends(
            ui,
            |ui| {
                widgets::title(ui, language.say("unit.end"));
                faint(ui, told.join(" · "));
            },
            |ui| {
                let words = match &next {
                    Some(next) => language.fill("unit.next", &[("title", &next.title)]),
                    None => language.say("unit.last").into(),
                };
                if primary_button(ui, &words, true).clicked() {
                    cx.act(UiCommand::OnLearn(LearnCommand::Open(next)));
                }
            },
        );
    });
}
