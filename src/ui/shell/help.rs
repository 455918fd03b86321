//! Help: the tour, the lessons, the glossary, the shortcuts, and the guide to read.

use egui::{CollapsingHeader, Context, Grid, Label, RichText, ScrollArea, Ui};

use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::theme::{mono, semibold, tokens};
use crate::ui::widgets::{button, dialog, faint, sentence};

/// The guide as it lies in the documentation.
const GUIDE: &str = include_str!("../../../docs/user-guide.md");
/// Height of the guide, in points.
const HEIGHT: f32 = 320.0;

/// Whether help is on show.
#[derive(Default)]
pub struct HelpDialog {
    open: bool,
}

impl HelpDialog {
    /// Opens it, or closes it again.
    pub fn toggle(&mut self) {
        self.open = !self.open;
    }

    /// Draws it while it is open.
    pub fn show(&mut self, ctx: &Context, commands: &mut Vec<UiCommand>) {
        if !self.open {
            return;
        }
        let modal = dialog(ctx, "help", 620.0, |ui| {
            let t = tokens(ui);
            ui.label(RichText::new("Help").font(semibold(16.0)).color(t.strong));
            let mut leave = entries(ui, commands);
            ui.separator();
            shortcuts(ui);
            ui.separator();
            CollapsingHeader::new("User guide").show(ui, guide);
            ui.add_space(4.0);
            leave |= button(ui, "Close").clicked();
            leave
        });
        if modal.inner || modal.should_close() {
            self.open = false;
        }
    }
}

/// Where more is told; says whether one was chosen.
fn entries(ui: &mut Ui, commands: &mut Vec<UiCommand>) -> bool {
    let mut chosen = false;
    for (title, told, command) in [
        (
            "Take the tour",
            "Three minutes: draw two digits, watch one being forgotten.",
            UiCommand::Tour,
        ),
        (
            "Read a lesson",
            "A quarter of an hour each: guess, train, measure, explain.",
            UiCommand::Show(Page::Learn),
        ),
        (
            "Look up a term",
            "The glossary: every word that is underlined with dots.",
            UiCommand::Glossary,
        ),
        (
            "Find a command",
            "Everything the window can do, by a few letters of it.",
            UiCommand::Palette,
        ),
    ] {
        ui.horizontal_wrapped(|ui| {
            if button(ui, title).clicked() {
                commands.push(command);
                chosen = true;
            }
            faint(ui, told);
        });
    }
    chosen
}

fn shortcuts(ui: &mut Ui) {
    sentence(ui, "Shortcuts");
    let t = tokens(ui);
    let pages = Page::ALL.iter();
    let pages = pages.map(|(page, title, _)| (page.shortcut(), *title));
    let all: Vec<_> = pages.chain(keys::TOLD).collect();
    Grid::new("shortcuts")
        .num_columns(4)
        .spacing([16.0, 5.0])
        .show(ui, |ui| {
            for pair in all.chunks(2) {
                for (shortcut, told) in pair {
                    let keys = ui.ctx().format_shortcut(shortcut);
                    ui.label(RichText::new(keys).font(mono(12.5)).color(t.strong));
                    ui.label(RichText::new(*told).color(t.text));
                }
                ui.end_row();
            }
        });
}

fn guide(ui: &mut Ui) {
    let colour = tokens(ui).text;
    ScrollArea::vertical().max_height(HEIGHT).show(ui, |ui| {
        let text = RichText::new(GUIDE).font(mono(12.0)).color(colour);
        ui.add(Label::new(text).wrap().selectable(true));
    });
}
