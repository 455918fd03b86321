//! The help dialog: the tour, the lessons, the glossary, the shortcuts and the user guide.

use std::sync::OnceLock;

use egui::{CollapsingHeader, RichText, ScrollArea, Ui};

use super::OverlayContext;
use crate::session::lessons::{Figures, Paragraph, ParagraphKind, markdown};
use crate::texts::Language;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::pages::learn;
use crate::ui::theme::{mono, tokens};
use crate::ui::widgets::{button, faint, grid, sentence, titled_dialog};

const GUIDE: &str = include_str!("../../../docs/user-guide.md");
/// Height of the user guide in points.
const GUIDE_HEIGHT: f32 = 320.0;

/// Minimum width at which shortcuts are in two columns.
const TWO_COLUMN_WIDTH: f32 = 600.0;

/// Draws the dialog if it is open.
pub(super) fn show(open: &mut bool, cx: &mut OverlayContext<'_>) {
    let title = tr!("shell-help");
    titled_dialog(cx.ctx, "help", (title, 620.0), open, |ui| {
        let mut close = links(ui, cx.commands);
        ui.separator();
        shortcuts(ui);
        ui.separator();
        CollapsingHeader::new(tr!("help-guide")).id_salt("guide").show(ui, guide);
        ui.add_space(4.0);
        close |= button(ui, tr!("shell-close")).clicked();
        close
    });
}

/// Draws links to more information. Returns whether one was clicked.
fn links(ui: &mut Ui, commands: &mut Vec<UiCommand>) -> bool {
    let mut clicked = false;
    for (title, description, command) in [
        ("help-tour", "help-tour-about", UiCommand::Tour),
        ("help-lesson", "help-lesson-about", UiCommand::Show(Page::Learn)),
        ("help-term", "help-term-about", UiCommand::Glossary),
        ("help-command", "help-command-about", UiCommand::Palette),
    ] {
        ui.horizontal_wrapped(|ui| {
            if button(ui, tr!(title)).clicked() {
                commands.push(command);
                clicked = true;
            }
            faint(ui, tr!(description));
        });
    }
    clicked
}

fn shortcuts(ui: &mut Ui) {
    sentence(ui, tr!("help-shortcuts"));
    let t = tokens(ui);
    let pages = Page::ALL.iter();
    let pages = pages.map(|(page, id, _)| (page.shortcut(), *id));
    let all: Vec<_> = pages.chain(keys::HELP_ENTRIES).collect();
    // Uses two columns if they fit in every language.
    let columns = if ui.available_width() < TWO_COLUMN_WIDTH { 1 } else { 2 };
    grid(ui, "shortcuts", 2 * columns, [16.0, 5.0], |ui| {
        for row in all.chunks(columns) {
            for (shortcut, message_id) in row {
                let keys = keys::format_shortcut(ui.ctx(), shortcut);
                ui.label(RichText::new(keys).font(mono(12.5)).color(t.strong));
                ui.label(RichText::new(tr!(*message_id)).color(t.text));
            }
            ui.end_row();
        }
    });
}

/// Returns the chapters of the user guide with their titles. The part before the first chapter has the guide's title.
fn chapters() -> &'static [(String, Vec<Paragraph>)] {
    static CHAPTERS: OnceLock<Vec<(String, Vec<Paragraph>)>> = OnceLock::new();
    CHAPTERS.get_or_init(|| {
        let mut chapters: Vec<(String, Vec<Paragraph>)> = Vec::new();
        // Images are removed because they show pages of the window, which the user can see.
        let lines = GUIDE.lines().filter(|line| !line.starts_with("!["));
        let text = lines.collect::<Vec<_>>().join("\n");
        for paragraph in markdown(&text).unwrap_or_default() {
            let is_new_chapter = matches!(paragraph.kind, ParagraphKind::Heading(1 | 2));
            match chapters.last_mut() {
                Some((_, chapter)) if !is_new_chapter => chapter.push(paragraph),
                _ => {
                    let title = paragraph.to_text(&Figures::default(), Language::English);
                    chapters.push((title, Vec::new()));
                }
            }
        }
        chapters
    })
}

fn guide(ui: &mut Ui) {
    let area = ScrollArea::vertical().max_height(GUIDE_HEIGHT);
    area.auto_shrink([false, true]).show(ui, |ui| {
        for (title, chapter) in chapters() {
            CollapsingHeader::new(title).show(ui, |ui| {
                learn::show_paragraphs(ui, chapter, &Figures::default(), Language::English);
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guide_has_a_chapter_for_every_page() {
        let titles: Vec<&str> = chapters().iter().map(|(title, _)| title.as_str()).collect();
        for (page, ..) in Page::ALL {
            assert!(titles.contains(&page.title()), "{titles:?}");
        }
        assert!(chapters().iter().all(|(_, chapter)| !chapter.is_empty()));
    }
}
