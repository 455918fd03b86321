//! What surrounds every page: top bar, command palette, notices, questions, the drop overlay.

mod bar;
mod notices;
mod palette;
mod report;

use std::path::PathBuf;

use egui::{Align2, Context, CornerRadius, Id, LayerId, Modal, Order, Panel, RichText, Ui};

use super::command::UiCommand;
use super::frame_times::FrameTimes;
use super::theme::{self, regular, semibold};
use super::widgets;
use crate::logging::Level;
use crate::session::Session;
use crate::session::story::counted;

pub use bar::top_bar;
pub use palette::Palette;
pub use report::ReportDialog;

/// Something a person must agree to first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Stop the run? Those that wait in line are held there.
    Stop,
    /// Stop the run and let the next one in line begin? Offered beside `Stop`.
    StopThis,
    /// Move this run to the trash?
    Trash(PathBuf),
}

/// What the shell remembers between frames.
#[derive(Default)]
pub struct Shell {
    /// The command palette.
    pub palette: Palette,
    /// What is being asked.
    pub question: Option<Question>,
    /// Whether the line with frame times is on show.
    pub frame_times: bool,
    /// What a report of a problem would hold.
    pub report: ReportDialog,
    news: notices::News,
}

impl Shell {
    /// Opens or closes the list of notices; opening it reads them all.
    pub fn toggle_notices(&mut self, session: &Session) {
        self.news.toggle(session.notices.len());
    }

    /// Draws what lies above the pages. Returns a question that was answered with yes.
    pub fn overlays(
        &mut self,
        ctx: &Context,
        session: &Session,
        level: Level,
        commands: &mut Vec<UiCommand>,
    ) -> Option<Question> {
        self.palette.show(ctx, session, commands);
        self.news.show(ctx, &session.notices, commands);
        self.report.show(ctx, session, level, commands);
        drop_overlay(ctx);
        self.ask(ctx, session)
    }

    fn ask(&mut self, ctx: &Context, session: &Session) -> Option<Question> {
        let mut question = self.question.clone()?;
        let waiting = session.waiting().filter(|job| !job.held).count();
        let (headline, text, yes) = match &question {
            Question::Stop | Question::StopThis => {
                let kept =
                    "The finished tasks and epochs are kept; the run can be continued later.";
                let text = match waiting {
                    0 => kept.to_string(),
                    n => format!(
                        "{kept} {} in line will wait until you let them go on.",
                        counted(n, "run")
                    ),
                };
                ("Stop training?".to_string(), text, "Stop and save")
            }
            Question::Trash(folder) => (
                "Move this run to the trash?".to_string(),
                folder.display().to_string(),
                "Move to trash",
            ),
        };
        let mut agreed = false;
        let modal = Modal::new(Id::unique("question")).show(ctx, |ui| {
            let t = theme::tokens(ui);
            ui.set_width(360.0);
            ui.label(RichText::new(headline).font(semibold(16.0)).color(t.strong));
            widgets::sentence(ui, text);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                agreed = widgets::button(ui, yes).clicked();
                if question == Question::Stop && waiting > 0 {
                    let this = widgets::button(ui, "Stop this one only").clicked();
                    if this {
                        (agreed, question) = (true, Question::StopThis);
                    }
                }
                widgets::button(ui, "Cancel").clicked()
            })
            .inner
        });
        if agreed || modal.inner || modal.should_close() {
            self.question = None;
        }
        agreed.then_some(question)
    }
}

/// While files are held above the window: says what dropping them does.
fn drop_overlay(ctx: &Context) {
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
        "Drop a folder to choose the data, an image on Predict to ask about it",
        semibold(18.0),
        t.strong,
    );
}

/// A thin line at the foot with how long drawing takes.
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
