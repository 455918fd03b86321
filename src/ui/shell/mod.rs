//! Everything around and above the pages: the top bar, the command palette, notices, dialogs and the drop overlay.

mod annotations;
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
use super::frame_times::FrameTimes;
use super::panics::ErrorBoundaries;
use super::theme::{self, regular, semibold};
use super::widgets::textures::Textures;
use crate::logging::Level;
use crate::session::Session;
use crate::tr;

pub use annotations::Draft as AboutDraft;
pub use bar::top_bar;
pub use collect::Collect;
use folders::FoldersDialog;
pub use palette::Palette;
use path::PathDialog;
pub use path::no_dialog_reason;
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
    pub about: Option<annotations::Draft>,
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
    /// Whether dropped folders are classified on the page Start.
    pub classifies_folders: bool,
    /// The dialog that collects images.
    pub collect: Collect,
    /// Whether the line of frame times is shown.
    pub frame_times: bool,
    /// The dialog for a bug report.
    pub report: ReportDialog,
    /// The notices.
    pub notices: notices::NoticesPanel,
}

impl Shell {
    /// Returns a text that says what dropped files would be used for.
    fn drop_hint(&self) -> &'static str {
        if self.collect.is_open() {
            tr!("shell-drop-box")
        } else if self.adding_to.is_some() {
            tr!("shell-drop-teach")
        } else if self.page == Page::Compare {
            tr!("shell-drop-compare")
        } else if self.page == Page::Predict || self.classifies_folders {
            tr!("shell-drop-predict")
        } else {
            tr!("shell-drop-data")
        }
    }

    /// Draws everything above the pages. A part that panics is closed. Returns a question that the user confirmed.
    pub fn draw_overlays(&mut self, overlays: &mut Overlays<'_>) -> Option<Question> {
        overlays.draw("part-commands", &mut self.palette, Palette::show);
        let notices = &mut self.notices;
        let (error_boundaries, cx) = (&mut overlays.error_boundaries, &mut overlays.cx);
        if !error_boundaries.draw_overlay("part-notices", cx.ctx, || notices.show(cx)) {
            notices.close();
        }
        overlays.draw("part-report-problem", &mut self.report, ReportDialog::show);
        overlays.draw("part-about-run", &mut self.about, annotations::show);
        overlays.draw("part-tags", &mut self.tags, tags::show);
        overlays.draw("part-deleted-runs", &mut self.deleted, deleted::show);
        overlays.draw("part-help", &mut self.help, help::show);
        overlays.draw("part-run-folders", &mut self.folders, FoldersDialog::show);
        // The dialog for a path is drawn after the dialogs that can open it, so that it is above them.
        overlays.draw("part-choosing-files", &mut self.path, PathDialog::show);
        let (ctx, hint) = (overlays.cx.ctx, self.drop_hint());
        let error_boundaries = &mut overlays.error_boundaries;
        error_boundaries.draw_overlay("part-dropping-files", ctx, || drop_overlay(ctx, hint));
        overlays.draw("part-teaching", &mut self.adding_to, teach::show);
        let mut answer = None;
        overlays.draw("part-question", &mut self.question, |open_question, cx| {
            answer = question::draw_question(open_question, cx.ctx, cx.session);
        });
        answer
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

/// The parts above the pages, each of which is drawn in its error boundary.
pub struct Overlays<'a> {
    /// The error boundaries of the window.
    pub error_boundaries: &'a mut ErrorBoundaries,
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
        if !self.error_boundaries.draw_overlay(name, cx.ctx, || draw(part, cx)) {
            *part = S::default();
        }
    }
}

/// Draws what dropping files would do, while files are dragged over the window.
fn drop_overlay(ctx: &Context, hint: &str) {
    let count = ctx.input(|i| i.raw.hovered_files.len());
    if count == 0 {
        return;
    }
    let t = theme::context_tokens(ctx);
    let layer = LayerId::new(Order::Foreground, Id::unique("drop"));
    let painter = ctx.layer_painter(layer);
    let rect = ctx.content_rect();
    painter.rect_filled(rect, 0, t.drop_overlay);
    let align = Align2::CENTER_CENTER;
    painter.text(rect.center(), align, hint, semibold(18.0), t.strong);
}

/// Draws the line of frame times at the bottom of the window.
pub fn frame_times_bar(ui: &mut Ui, times: &FrameTimes) {
    let t = theme::tokens(ui);
    let frame = egui::Frame::new().fill(t.panel).inner_margin(egui::Margin::symmetric(12, 3));
    Panel::bottom("frame times").frame(frame).show_separator_line(false).show(ui, |ui| {
        let text = RichText::new(times.summary());
        ui.label(text.font(regular(11.0)).color(t.subdued));
    });
}
