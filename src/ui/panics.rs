//! The error boundaries of the window. A panic while a part is drawn affects only that part.
//!
//! A page shows an error in its place and is not drawn until the user presses *Try again* or returns to it; otherwise
//! the panic would repeat sixty times per second. A bar shows the error in one line. A dialog is closed and a notice
//! reports the error. Work outside of drawing is paused after a panic, longer each time. The engine has its own thread
//! and is not affected: training continues.
//!
//! Unwinding leaves egui in a consistent state. egui's locks are not those of std: they are released by a panic and
//! cannot be poisoned, even if the panic occurs inside `memory_mut`, `data_mut` or `input`. What a part drew before the
//! panic is in the lists of that pass, which is repeated without the part; unfinished `Ui`s only use memory. A part
//! must be given its own `Ui`, or one that is not used again before the end of the pass, because the parent's layout
//! advances only if the part ends normally.

use std::time::{Duration, Instant};

use egui::{Frame, Margin, Panel, Ui};

use super::theme::{regular, tokens};
use super::widgets::{button, card, problem, truncated};
use crate::panics::catch_panic;
use crate::problem::Problem;
use crate::texts::Language;
use crate::tr;

/// The environment variable with the name of a part that panics whenever it is drawn, for tests.
pub const FAULT_VARIABLE: &str = "LAE_STUDIO_DRAW_FAULT";

/// Duration of the first pause after a panic in seconds. Each further panic doubles it.
const FIRST_PAUSE: u64 = 1;
/// Maximum number of times that the pause is doubled.
const MAX_DOUBLINGS: u32 = 6;

/// The message with the remedy for a panic outside of drawing.
const OUT_OF_DATE_ADVICE: &str = "shell-window-out-of-date-advice";

/// A part whose last drawing or work panicked.
struct FailedPart {
    part: &'static str,
    problem: Problem,
    /// Number of consecutive panics.
    panic_count: u32,
    failed_at: Instant,
    /// Whether to draw the part again in the next frame.
    retry: bool,
    /// Whether the part is above the pages. Such a part is closed after a panic.
    is_overlay: bool,
}

/// The button that the user pressed in place of a failed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressedButton {
    /// No button.
    Nothing,
    /// Reset the state of the part.
    Reset,
    /// Create a bug report.
    Report,
}

/// The error boundaries of all parts.
#[derive(Default)]
pub struct ErrorBoundaries {
    failed_parts: Vec<FailedPart>,
    problems: Vec<Problem>,
    /// The part that panics intentionally, for tests.
    fault: Option<String>,
}

impl ErrorBoundaries {
    /// Makes the part with this English name panic whenever it is drawn; `None` stops this.
    pub fn set_fault(&mut self, part: Option<String>) {
        self.fault = part;
    }

    /// Returns whether this part panicked and was not drawn since then.
    pub fn has_failed(&self, part: &str) -> bool {
        self.failed_parts.iter().any(|failed| failed.part == part)
    }

    /// Returns the Problems of parts that cannot show them, once.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// Allows parts above the pages to be drawn again, after a user action.
    pub fn after_action(&mut self) {
        let above = self.failed_parts.iter_mut().filter(|failed| failed.is_overlay);
        above.for_each(|failed| failed.retry = true);
    }

    /// Allows all parts to be drawn again, after a change of the page.
    pub fn after_page_change(&mut self) {
        self.failed_parts.iter_mut().for_each(|failed| failed.retry = true);
    }

    /// Draws a page, or an error in its place. Returns the button that the user pressed.
    pub fn draw_page(
        &mut self,
        part: &'static str,
        ui: &mut Ui,
        draw: impl FnOnce(&mut Ui),
    ) -> PressedButton {
        let Some(failed) = self.draw_guarded(part, ui.ctx().clone(), || draw(ui)) else {
            return PressedButton::Nothing;
        };
        // If the pass cannot be repeated, this covers what the page has drawn.
        let background = tokens(ui).background;
        let area = ui.max_rect();
        ui.painter().rect_filled(area, 0, background);
        let mut pressed = PressedButton::Nothing;
        ui.push_id((part, "error"), |ui| {
            card(ui, |ui| {
                ui.set_width(ui.available_width());
                problem(ui, &failed.problem);
                ui.add_space(8.0);
                ui.horizontal_wrapped(|ui| {
                    if button(ui, tr!("shell-part-try-again")).clicked() {
                        failed.retry = true;
                    }
                    // After the first panic, the page's state is not reset, because the displayed data may be the
                    // cause.
                    if failed.panic_count > 1 {
                        let reset = button(ui, tr!("shell-part-reset-page"));
                        let tip = tr!("shell-part-reset-page-hint");
                        if reset.on_hover_text(tip).clicked() {
                            failed.retry = true;
                            pressed = PressedButton::Reset;
                        }
                    }
                    if ui.link(tr!("shell-report-problem")).clicked() {
                        pressed = PressedButton::Report;
                    }
                });
            });
        });
        pressed
    }

    /// Draws a bar along an edge, or an error as one line in its `panel`.
    pub fn draw_bar(
        &mut self,
        part: &'static str,
        ui: &mut Ui,
        panel: Panel,
        draw: impl FnOnce(&mut Ui),
    ) -> PressedButton {
        let Some(failed) = self.draw_guarded(part, ui.ctx().clone(), || draw(ui)) else {
            return PressedButton::Nothing;
        };
        let t = tokens(ui);
        let frame = Frame::new().fill(t.panel).inner_margin(Margin::symmetric(14, 4));
        let mut pressed = PressedButton::Nothing;
        panel.frame(frame).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                failed.retry |= button(ui, tr!("shell-part-try-again")).clicked();
                if ui.link(tr!("shell-report-problem")).clicked() {
                    pressed = PressedButton::Report;
                }
                let text = format!("{}: {}", failed.problem.place, failed.problem.what);
                truncated(ui, text, regular(13.0), t.bad);
            });
        });
        pressed
    }

    /// Draws a part above the pages. Returns `false` if it panicked: then the caller must reset its state, which closes
    /// it.
    pub fn draw_overlay(
        &mut self,
        part: &'static str,
        ctx: &egui::Context,
        draw: impl FnOnce(),
    ) -> bool {
        let is_closed = self.entry_mut(part).is_some_and(|failed| !failed.retry);
        if is_closed {
            return true;
        }
        let Some(failed) = self.draw_guarded(part, ctx.clone(), draw) else {
            return true;
        };
        failed.is_overlay = true;
        let failure = failed.problem.clone();
        self.problems.push(failure);
        false
    }

    /// Returns whether a repeated piece of work outside of drawing may run; after a panic it is paused.
    pub fn is_due(&mut self, part: &'static str, ctx: &egui::Context) -> bool {
        let Some(failed) = self.entry_mut(part) else {
            return true;
        };
        let remaining = failed.pause().saturating_sub(failed.failed_at.elapsed());
        if !remaining.is_zero() {
            ctx.request_repaint_after(remaining);
        }
        remaining.is_zero()
    }

    /// Panics if the environment or a test requested a fault for this part.
    pub fn panic_if_requested(&self, part: &str) {
        let part = Language::English.known(part).unwrap_or(part);
        let is_requested = self.fault.as_deref() == Some(part);
        assert!(!is_requested, "{}", tr!("shell-part-test-fault", part));
    }

    /// Records how a piece of work outside of drawing ended. Only the first of consecutive panics is reported.
    pub fn record_work(
        &mut self,
        part: &'static str,
        ctx: &egui::Context,
        result: Result<(), String>,
    ) {
        let Some(failed) = self.record_result(part, result) else {
            return;
        };
        ctx.request_repaint_after(failed.pause());
        if failed.panic_count == 1 {
            let failure = failed.problem.clone().advise(tr!(OUT_OF_DATE_ADVICE));
            self.problems.push(failure);
        }
    }

    /// Records how an action that the user requested ended, and reports a panic.
    pub fn record_action(&mut self, result: Result<(), String>) {
        let failure = result.err().map(|message| failure_problem("part-last-command", &message));
        self.problems.extend(failure.map(|failure| failure.advise(tr!(OUT_OF_DATE_ADVICE))));
    }

    fn entry_mut(&mut self, part: &str) -> Option<&mut FailedPart> {
        self.failed_parts.iter_mut().find(|failed| failed.part == part)
    }

    /// Draws the part unless it failed and is closed. Returns its entry unless it was drawn without a panic.
    fn draw_guarded(
        &mut self,
        part: &'static str,
        ctx: egui::Context,
        draw: impl FnOnce(),
    ) -> Option<&mut FailedPart> {
        if self.entry_mut(part).is_some_and(|failed| !failed.retry) {
            return self.entry_mut(part);
        }
        let result = catch_panic(|| {
            self.panic_if_requested(part);
            draw();
        });
        let failed = self.record_result(part, result)?;
        ctx.request_discard("a part of the window panicked while it was drawn");
        ctx.request_repaint();
        Some(failed)
    }

    /// Records how a part ended. Returns its entry if it panicked.
    fn record_result(
        &mut self,
        part: &'static str,
        result: Result<(), String>,
    ) -> Option<&mut FailedPart> {
        let previous_panics = self.entry_mut(part).map_or(0, |failed| failed.panic_count);
        self.failed_parts.retain(|failed| failed.part != part);
        let message = result.err()?;
        self.failed_parts.push(FailedPart {
            part,
            problem: failure_problem(part, &message),
            panic_count: previous_panics + 1,
            failed_at: Instant::now(),
            retry: false,
            is_overlay: false,
        });
        self.failed_parts.last_mut()
    }
}

impl FailedPart {
    fn pause(&self) -> Duration {
        Duration::from_secs(FIRST_PAUSE << (self.panic_count - 1).min(MAX_DOUBLINGS))
    }
}

/// Returns the Problem that reports a panic of a part.
fn failure_problem(part: &'static str, words: &str) -> Problem {
    Problem::new(tr!("shell-part-failed", words))
        .at(tr!(part))
        .advise(tr!("shell-part-failed-advice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_work_pauses_longer_each_time_and_is_reported_once() {
        let ctx = egui::Context::default();
        let mut boundaries = ErrorBoundaries::default();
        let mut pauses = Vec::new();
        for _ in 0..4 {
            assert!(boundaries.is_due("counting", &ctx));
            boundaries.record_work("counting", &ctx, Err("one too many".into()));
            assert!(!boundaries.is_due("counting", &ctx));
            let failed = boundaries.entry_mut("counting");
            pauses.extend(failed.map(|failed| {
                let pause = failed.pause();
                failed.failed_at -= pause;
                pause.as_secs()
            }));
        }
        assert_eq!(pauses, [1, 2, 4, 8]);
        assert_eq!(boundaries.take_problems().len(), 1);
        boundaries.record_work("counting", &ctx, Ok(()));
        assert!(boundaries.failed_parts.is_empty());
    }

    #[test]
    fn overlay_is_drawn_again_after_a_user_action() {
        let ctx = egui::Context::default();
        let mut boundaries = ErrorBoundaries::default();
        let mut drawn = 0;
        boundaries.set_fault(Some("dialog".into()));
        assert!(!boundaries.draw_overlay("dialog", &ctx, || drawn += 1));
        assert!(boundaries.draw_overlay("dialog", &ctx, || drawn += 1));
        boundaries.set_fault(None);
        assert!(boundaries.draw_overlay("dialog", &ctx, || drawn += 1));
        assert_eq!(drawn, 0, "it stays closed");
        boundaries.after_action();
        assert!(boundaries.draw_overlay("dialog", &ctx, || drawn += 1));
        assert_eq!(drawn, 1);
    }

    #[test]
    fn panic_under_an_egui_lock_releases_the_lock() {
        let ctx = egui::Context::default();
        let mut boundaries = ErrorBoundaries::default();
        let memory = || ctx.memory_mut(|_| panic!("within memory"));
        assert!(!boundaries.draw_overlay("memory", &ctx, memory));
        let data = || ctx.data_mut(|_| panic!("within data"));
        assert!(!boundaries.draw_overlay("data", &ctx, data));
        let input = || ctx.input(|_| panic!("within input"));
        assert!(!boundaries.draw_overlay("input", &ctx, input));
        // If a lock were still held, this would block forever or panic after ten seconds.
        let output = ctx.run_ui(egui::RawInput::default(), |ui| {
            ui.label("still drawn");
        });
        assert!(!output.shapes.is_empty());
    }

    #[test]
    fn failed_page_is_not_drawn_in_every_frame() {
        let ctx = egui::Context::default();
        super::super::theme::install(&ctx);
        let mut boundaries = ErrorBoundaries::default();
        let mut tries = 0;
        for _ in 0..5 {
            let _ = ctx.run_ui(egui::RawInput::default(), |ui| {
                let pressed = boundaries.draw_page("page", ui, |ui| {
                    tries += 1;
                    ui.horizontal(|ui| {
                        ui.label("before");
                        egui::ScrollArea::vertical().show(ui, |_| panic!("in the midst"));
                    });
                });
                assert_eq!(pressed, PressedButton::Nothing);
            });
        }
        assert_eq!(tries, 1, "not with every frame");
        assert_eq!(boundaries.entry_mut("page").map(|failed| failed.panic_count), Some(1));
    }
}
