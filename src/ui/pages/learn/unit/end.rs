//! The end of a lesson: the progress and a link to the next lesson.

use egui::{Popup, Ui};

use crate::session::units::{Unit, summary};
use crate::store::export::Format;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::figure::FigureWish;
use crate::ui::widgets::{self, button, card, ends, faint, primary_button};

/// Draws the end of a lesson.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let units = &cx.session.learn.units;
    let counted = |id, (done, all): (usize, usize)| tr!(id, done = done, all = all);
    let done = units.done(unit);
    let told = [
        ("learn-questions-answered", (done.answered, done.questions)),
        ("learn-runs-finished", units.runs_done()),
    ];
    let told = told.into_iter().filter(|(_, (_, all))| *all > 0);
    let told: Vec<String> = told.map(|(key, of)| counted(key, of)).collect();
    let next = units.next(unit, Language::spoken());
    card(ui, |ui| {
        ends(
            ui,
            |ui| {
                widgets::title(ui, tr!("learn-lesson-end"));
                faint(ui, told.join(" · "));
            },
            |ui| {
                let words = match &next {
                    Some(next) => tr!("learn-next-lesson", title = next.title.as_str()),
                    None => tr!("learn-end-all-lessons").into(),
                };
                if primary_button(ui, &words, true).clicked() {
                    cx.change(move |session| session.open_unit(next));
                }
            },
        );
        if done.is_all() {
            save(ui, cx, unit);
        }
    });
}

/// Draws the button that saves the summary.
fn save(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit) {
    let menu = button(ui, tr!("learn-save-summary"));
    Popup::menu(&menu).show(|ui| {
        for (format, words) in [
            (Format::Pdf, tr!("figure-save-pdf")),
            (Format::Png, tr!("figure-save-png")),
        ] {
            if ui.button(words).clicked() {
                let page = summary(unit, &cx.session.learn.units);
                let wish = FigureWish::Save(format);
                cx.act(UiCommand::ExportFigure(wish, Box::new(page)));
            }
        }
    });
}
