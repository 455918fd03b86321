//! Everything around and above the pages: the top bar, the command palette, notices, dialogs and the drop overlay.

mod about;
mod bar;
mod collect;
mod deleted;
pub mod export;
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

use egui::{Align2, Context, Id, LayerId, Order, Panel, RichText, Ui};

use super::command::{Page, UiCommand};
use super::fence::Fences;
use super::frame_times::FrameTimes;
use super::theme::{self, regular, semibold};
use super::widgets::textures::Textures;
use crate::logging::Level;
use crate::session::Session;
use crate::tr;

pub use about::Draft as AboutDraft;
pub use bar::top_bar;
pub use collect::Collect;
use folders::FoldersDialog;
pub use palette::Palette;
use path::PathDialog;
pub use path::no_dialog;
pub use question::{Question, warning};
pub use report::ReportDialog;
pub use tags::Draft as TagsDraft;

/// The state of the shell that is kept between frames.
#[derive(Default)]
pub struct Shell {
    /// The command palette.
    pub palette: Palette,
    /// The dialog for typing a path.
    pub path: PathDialog,
    /// The question that the user must confirm, if any.
    pub question: Option<Question>,
    /// The run whose dialog for an added task is open.
    pub adding_to: Option<PathBuf>,
    /// The dialog for the name, tags and note of a run, if it is open.
    pub about: Option<about::Draft>,
    /// The dialog for the tags of several runs, if it is open.
    pub tags: Option<tags::Draft>,
    /// Whether the dialog with the deleted runs is open.
    pub deleted: bool,
    /// The dialog with the folders of runs.
    pub folders: FoldersDialog,
    /// Whether the help dialog is open.
    pub help: bool,
    /// The current page.
    pub page: Page,
    /// The dialog that collects images.
    pub collect: Collect,
    /// Whether the line of frame times is shown.
    pub frame_times: bool,
    /// The dialog for a bug report.
    pub report: ReportDialog,
    /// The notices.
    pub news: notices::News,
}

impl Shell {
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
    pub fn overlays(&mut self, overlays: &mut Overlays<'_>) -> Option<Question> {
        overlays.draw("part-commands", &mut self.palette, Palette::show);
        let news = &mut self.news;
        let (fences, cx) = (&mut overlays.fences, &mut overlays.cx);
        if !fences.above("part-notices", cx.ctx, || news.show(cx)) {
            news.close();
        }
        overlays.draw("part-report-problem", &mut self.report, ReportDialog::show);
        overlays.draw("part-about-run", &mut self.about, about::show);
        overlays.draw("part-tags", &mut self.tags, tags::show);
        overlays.draw("part-deleted-runs", &mut self.deleted, deleted::show);
        overlays.draw("part-help", &mut self.help, help::show);
        overlays.draw("part-run-folders", &mut self.folders, FoldersDialog::show);
        // The dialog for a path is drawn after the dialogs that can open it, so that it is above them.
        overlays.draw("part-choosing-files", &mut self.path, PathDialog::show);
        let (ctx, words) = (overlays.cx.ctx, self.meant_for());
        let fences = &mut overlays.fences;
        fences.above("part-dropping-files", ctx, || drop_overlay(ctx, words));
        overlays.draw("part-teaching", &mut self.adding_to, teach::show);
        let mut answered = None;
        overlays.draw("part-question", &mut self.question, |asked, cx| {
            answered = question::ask(asked, cx.ctx, cx.session);
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
    /// The cache of textures.
    pub textures: &'a mut Textures,
    /// The commands that are executed after this frame.
    pub commands: &'a mut Vec<UiCommand>,
}

/// The parts above the pages, each of which is drawn in its fence.
pub struct Overlays<'a> {
    /// The fences of the window.
    pub fences: &'a mut Fences,
    /// The inputs of the parts.
    pub cx: OverlayContext<'a>,
}

impl<'a> Overlays<'a> {
    /// Draws a part. If it panics, it is reset, which closes it.
    pub fn draw<S: Default>(
        &mut self,
        name: &'static str,
        part: &mut S,
        draw: impl FnOnce(&mut S, &mut OverlayContext<'a>),
    ) {
        let cx = &mut self.cx;
        if !self.fences.above(name, cx.ctx, || draw(part, cx)) {
            *part = S::default();
        }
    }
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
    painter.rect_filled(rect, 0, t.veil);
    let align = Align2::CENTER_CENTER;
    painter.text(rect.center(), align, words, semibold(18.0), t.strong);
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
