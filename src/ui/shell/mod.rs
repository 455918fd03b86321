//! Everything around and above the pages: the top bar, the command palette, notices, dialogs and the drop overlay.

mod about;
mod bar;
mod collect;
mod deleted;
pub mod export;
pub mod export_menu;
mod folders;
mod help;
mod notices;
mod palette;
mod path;
mod question;
mod report;
mod settings;
mod tags;
mod teach;

use std::path::PathBuf;

use egui::{Align2, Context, CornerRadius, Id, LayerId, Order, Panel, RichText, Ui};

use super::command::{Page, UiCommand};
use super::fence::Fences;
use super::frame_times::FrameTimes;
use super::theme::{self, regular, semibold};
use super::widgets::textures::Textures;
use crate::logging::Level;
use crate::session::Session;
use crate::session::collection::Purpose;
use crate::tr;

pub use bar::top_bar;
pub use palette::Palette;
pub use path::no_dialog;
pub use question::{Question, warning};
pub use report::ReportDialog;

/// The state of the shell that is kept between frames.
#[derive(Default)]
pub struct Shell {
    /// The command palette.
    pub palette: Palette,
    /// The dialog for typing a path.
    pub path: path::PathDialog,
    /// The question that the user must confirm, if any.
    pub question: Option<Question>,
    /// The run whose dialog for an added task is open.
    pub adding_to: Option<PathBuf>,
    /// The dialog for the name, tags and note of a run.
    pub about: about::AboutDialog,
    /// The dialog for the tags of several runs.
    pub tags: tags::TagsDialog,
    /// The dialog with the deleted runs.
    pub deleted: deleted::DeletedDialog,
    /// The dialog with the folders of runs.
    pub folders: folders::FoldersDialog,
    /// The help dialog.
    pub help: help::HelpDialog,
    /// The current page.
    pub page: Page,
    /// The dialog that collects images.
    pub collect: collect::Collect,
    /// Whether the line of frame times is shown.
    pub frame_times: bool,
    /// The dialog for a bug report.
    pub report: ReportDialog,
    news: notices::News,
}

impl Shell {
    /// Opens or closes the list of notices. Opening it marks all notices as read.
    pub fn toggle_notices(&mut self, session: &Session) {
        self.news.toggle(session.notices.total);
    }

    /// Draws the strip with the newest notice.
    pub fn foot(&mut self, ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>) {
        self.news.strip(ui, session, commands);
    }

    /// Returns a text that says what dropped files would be used for.
    fn meant_for(&self) -> &'static str {
        if self.collect.is_open() {
            tr!("shell-drop-box")
        } else if self.adding_to.is_some() {
            tr!("shell-drop-teach")
        } else if self.page == Page::Compare {
            tr!("shell-drop-compare")
        } else if self.page == Page::Predict {
            tr!("shell-drop-predict")
        } else {
            tr!("shell-drop-data")
        }
    }

    /// Draws everything above the pages. A part that panics is closed. Returns a question that the user confirmed.
    pub fn overlays(
        &mut self,
        above: &OverlayContext<'_>,
        textures: &mut Textures,
        fences: &mut Fences,
        commands: &mut Vec<UiCommand>,
    ) -> Option<Question> {
        let (ctx, session, level) = (above.ctx, above.session, above.level);
        draw_part(fences, ctx, "part-commands", &mut self.palette, |part| {
            part.show(ctx, session, commands);
        });
        let news = &mut self.news;
        if !fences.above("part-notices", ctx, || {
            news.show(ctx, session, commands);
        }) {
            news.close();
        }
        draw_part(
            fences,
            ctx,
            "part-report-problem",
            &mut self.report,
            |part| {
                part.show(ctx, session, level, commands);
            },
        );
        draw_part(fences, ctx, "part-about-run", &mut self.about, |part| {
            part.show(ctx, session, commands);
        });
        draw_part(fences, ctx, "part-tags", &mut self.tags, |part| {
            part.show(ctx, session, commands);
        });
        draw_part(
            fences,
            ctx,
            "part-deleted-runs",
            &mut self.deleted,
            |part| {
                part.show(ctx, session, commands);
            },
        );
        draw_part(fences, ctx, "part-help", &mut self.help, |part| {
            part.show(ctx, commands);
        });
        draw_part(fences, ctx, "part-run-folders", &mut self.folders, |part| {
            part.show(ctx, session, commands);
        });
        // The dialog for a path is drawn after the dialogs that can open it, so that it is above them.
        draw_part(fences, ctx, "part-choosing-files", &mut self.path, |part| {
            part.show(ctx, session, commands);
        });
        let words = self.meant_for();
        fences.above("part-dropping-files", ctx, || drop_overlay(ctx, words));
        draw_part(fences, ctx, "part-teaching", &mut self.adding_to, |run| {
            added_task(ctx, session, textures, run, commands);
        });
        let mut answered = None;
        draw_part(fences, ctx, "part-question", &mut self.question, |asked| {
            answered = question::ask(asked, ctx, session);
        });
        answered
    }
}

/// The common inputs of everything above the pages.
pub struct OverlayContext<'a> {
    /// The egui context.
    pub ctx: &'a Context,
    /// The open workspace.
    pub session: &'a Session,
    /// The level of the log.
    pub level: Level,
}

/// Draws a part above the pages in its fence. If it panics, it is reset, which closes it.
fn draw_part<S: Default>(
    fences: &mut Fences,
    ctx: &Context,
    name: &'static str,
    part: &mut S,
    draw: impl FnOnce(&mut S),
) {
    if !fences.above(name, ctx, || draw(part)) {
        *part = S::default();
    }
}

/// Draws the dialog for an added task if it is open.
fn added_task(
    ctx: &Context,
    session: &Session,
    textures: &mut Textures,
    adding_to: &mut Option<PathBuf>,
    commands: &mut Vec<UiCommand>,
) {
    let Some(run) = adding_to else { return };
    let command = match teach::ask(ctx, session, textures, run, commands) {
        teach::Answer::Open => return,
        teach::Answer::Teach => {
            // `adding_to` is kept until the command is executed.
            commands.push(UiCommand::AddExaminedTask);
            return;
        }
        teach::Answer::Undo => {
            let run = run.clone();
            let undo = move |session: &mut Session| session.undo_added_task(&run);
            Some(UiCommand::change(undo))
        }
        teach::Answer::Gather => Some(UiCommand::Collect(Purpose::AddedTask(run.clone()))),
        teach::Answer::Cancel => None,
    };
    commands.extend(command);
    *adding_to = None;
}

/// Draws what dropping files would do, while files are dragged over the window.
fn drop_overlay(ctx: &Context, words: &str) {
    let count = ctx.input(|i| i.raw.hovered_files.len());
    if count == 0 {
        return;
    }
    let t = theme::tokens_of(ctx);
    let layer = LayerId::new(Order::Foreground, Id::unique("drop"));
    let painter = ctx.layer_painter(layer);
    let rect = ctx.content_rect();
    painter.rect_filled(rect, CornerRadius::ZERO, t.veil);
    painter.text(
        rect.center(),
        Align2::CENTER_CENTER,
        words,
        semibold(18.0),
        t.strong,
    );
}

/// Draws the line of frame times at the bottom of the window.
pub fn frame_line(ui: &mut Ui, times: &FrameTimes) {
    let t = theme::tokens(ui);
    let frame = egui::Frame::new()
        .fill(t.panel)
        .inner_margin(egui::Margin::symmetric(12, 3));
    Panel::bottom("frame times")
        .frame(frame)
        .show_separator_line(false)
        .show(ui, |ui| {
            let text = RichText::new(times.line());
            ui.label(text.font(regular(11.0)).color(t.subdued));
        });
}
