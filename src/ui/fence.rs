//! The fences of the window. A panic while a part is drawn affects only that part.
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
use crate::fence::catch_panic;
use crate::problem::Problem;
use crate::texts::Language;
use crate::tr;

/// The environment variable with the name of a part that panics whenever it is drawn, for tests.
pub const FAULT: &str = "LAE_STUDIO_DRAW_FAULT";

/// Duration of the first pause after a panic in seconds. Each further panic doubles it.
const PAUSE: u64 = 1;
/// Maximum number of times that the pause is doubled.
const DOUBLED: u32 = 6;

/// The message with the remedy for a panic outside of drawing.
const BEHIND: &str = "shell-window-out-of-date-advice";

/// A part whose last drawing or work panicked.
struct FailedPart {
    part: &'static str,
    problem: Problem,
    /// Number of consecutive panics.
    times: u32,
    at: Instant,
    /// Whether to draw the part again in the next frame.
    open: bool,
    /// Whether the part is above the pages. Such a part is closed after a panic.
    above: bool,
}

/// The button that the user pressed in place of a failed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// No button.
    Nothing,
    /// Reset the state of the part.
    Reset,
    /// Create a bug report.
    Report,
}

/// The state of the fences of all parts.
#[derive(Default)]
pub struct Fences {
    failed_parts: Vec<FailedPart>,
    problems: Vec<Problem>,
    /// The part that panics intentionally, for tests.
    fault: Option<String>,
}

impl Fences {
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
        let above = self.failed_parts.iter_mut().filter(|failed| failed.above);
        above.for_each(|failed| failed.open = true);
    }

    /// Allows all parts to be drawn again, after a change of the page.
    pub fn after_page_change(&mut self) {
        self.failed_parts
            .iter_mut()
            .for_each(|failed| failed.open = true);
    }

    /// Draws a page, or an error in its place. Returns the button that the user pressed.
    pub fn page(&mut self, part: &'static str, ui: &mut Ui, draw: impl FnOnce(&mut Ui)) -> Pressed {
        let Some(failed) = self.draw_guarded(part, ui.ctx().clone(), || draw(ui)) else {
            return Pressed::Nothing;
        };
        // If the pass cannot be repeated, this covers what the page has drawn.
        let ground = tokens(ui).background;
        let whole = ui.max_rect();
        ui.painter().rect_filled(whole, 0, ground);
        let mut pressed = Pressed::Nothing;
        ui.push_id((part, "fence"), |ui| {
            card(ui, |ui| {
                ui.set_width(ui.available_width());
                problem(ui, &failed.problem);
                ui.add_space(8.0);
                ui.horizontal_wrapped(|ui| {
                    if button(ui, tr!("shell-part-try-again")).clicked() {
                        failed.open = true;
                    }
                    // After the first panic, the page's state is not reset, because the displayed data may be the
                    // cause.
                    if failed.times > 1 {
                        let afresh = button(ui, tr!("shell-part-reset-page"));
                        let tip = tr!("shell-part-reset-page-hint");
                        if afresh.on_hover_text(tip).clicked() {
                            failed.open = true;
                            pressed = Pressed::Reset;
                        }
                    }
                    if ui.link(tr!("shell-report-problem")).clicked() {
                        pressed = Pressed::Report;
                    }
                });
            });
        });
        pressed
    }

    /// Draws a bar along an edge, or an error as one line in its `place`.
    pub fn bar(
        &mut self,
        part: &'static str,
        ui: &mut Ui,
        place: Panel,
        draw: impl FnOnce(&mut Ui),
    ) -> Pressed {
        let Some(failed) = self.draw_guarded(part, ui.ctx().clone(), || draw(ui)) else {
            return Pressed::Nothing;
        };
        let t = tokens(ui);
        let frame = Frame::new()
            .fill(t.panel)
            .inner_margin(Margin::symmetric(14, 4));
        let mut pressed = Pressed::Nothing;
        place.frame(frame).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                failed.open |= button(ui, tr!("shell-part-try-again")).clicked();
                if ui.link(tr!("shell-report-problem")).clicked() {
                    pressed = Pressed::Report;
                }
                let text = format!("{}: {}", failed.problem.place, failed.problem.what);
                truncated(ui, text, regular(13.0), t.bad);
            });
        });
        pressed
    }

    /// Draws a part above the pages. Returns `false` if it panicked: then the caller must reset its state, which closes
    /// it.
    pub fn above(&mut self, part: &'static str, ctx: &egui::Context, draw: impl FnOnce()) -> bool {
        let known = self.entry_mut(part).is_some_and(|failed| !failed.open);
        if known {
            return true;
        }
        let Some(failed) = self.draw_guarded(part, ctx.clone(), draw) else {
            return true;
        };
        failed.above = true;
        let told = failed.problem.clone();
        self.problems.push(told);
        false
    }

    /// Returns whether a repeated piece of work outside of drawing may run; after a panic it is paused.
    pub fn due(&mut self, piece: &'static str, ctx: &egui::Context) -> bool {
        let Some(failed) = self.entry_mut(piece) else {
            return true;
        };
        let left = failed.pause().saturating_sub(failed.at.elapsed());
        if !left.is_zero() {
            ctx.request_repaint_after(left);
        }
        left.is_zero()
    }

    /// Panics if the environment or a test requested a fault for this part.
    pub fn panic_if_requested(&self, part: &str) {
        let part = Language::English.known(part).unwrap_or(part);
        let told = self.fault.as_deref() == Some(part);
        assert!(!told, "{}", tr!("shell-part-test-fault", part));
    }

    /// Records how a piece of work outside of drawing ended. Only the first of consecutive panics is reported.
    pub fn record_work(
        &mut self,
        piece: &'static str,
        ctx: &egui::Context,
        ended: Result<(), String>,
    ) {
        let Some(failed) = self.record_end(piece, ended) else {
            return;
        };
        ctx.request_repaint_after(failed.pause());
        if failed.times == 1 {
            let told = failed.problem.clone().advise(tr!(BEHIND));
            self.problems.push(told);
        }
    }

    /// Records how an action that the user requested ended, and reports a panic.
    pub fn record_action(&mut self, ended: Result<(), String>) {
        let told = ended
            .err()
            .map(|words| failure_problem("part-last-command", &words));
        self.problems
            .extend(told.map(|told| told.advise(tr!(BEHIND))));
    }

    fn entry_mut(&mut self, part: &str) -> Option<&mut FailedPart> {
        self.failed_parts
            .iter_mut()
            .find(|failed| failed.part == part)
    }

    /// Draws the part unless it failed and is closed. Returns its entry unless it was drawn without a panic.
    fn draw_guarded(
        &mut self,
        part: &'static str,
        ctx: egui::Context,
        draw: impl FnOnce(),
    ) -> Option<&mut FailedPart> {
        if self.entry_mut(part).is_some_and(|failed| !failed.open) {
            return self.entry_mut(part);
        }
        let ended = catch_panic(|| {
            self.panic_if_requested(part);
            draw();
        });
        let failed = self.record_end(part, ended)?;
        ctx.request_discard("a part of the window panicked while it was drawn");
        ctx.request_repaint();
        Some(failed)
    }

    /// Records how a part ended. Returns its entry if it panicked.
    fn record_end(
        &mut self,
        part: &'static str,
        ended: Result<(), String>,
    ) -> Option<&mut FailedPart> {
        let before = self.entry_mut(part).map_or(0, |failed| failed.times);
        self.failed_parts.retain(|failed| failed.part != part);
        let words = ended.err()?;
        self.failed_parts.push(FailedPart {
            part,
            problem: failure_problem(part, &words),
            times: before + 1,
            at: Instant::now(),
            open: false,
            above: false,
        });
        self.failed_parts.last_mut()
    }
}

impl FailedPart {
    fn pause(&self) -> Duration {
        Duration::from_secs(PAUSE << (self.times - 1).min(DOUBLED))
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
    fn work_that_fails_is_left_for_longer_each_time_and_told_once() {
        let ctx = egui::Context::default();
        let mut fences = Fences::default();
        let mut times = Vec::new();
        for _ in 0..4 {
            assert!(fences.due("counting", &ctx));
            fences.record_work("counting", &ctx, Err("one too many".into()));
            assert!(!fences.due("counting", &ctx));
            let failed = fences.entry_mut("counting");
            times.extend(failed.map(|failed| {
                let pause = failed.pause();
                failed.at -= pause;
                pause.as_secs()
            }));
        }
        assert_eq!(times, [1, 2, 4, 8]);
        assert_eq!(fences.take_problems().len(), 1);
        fences.record_work("counting", &ctx, Ok(()));
        assert!(fences.failed_parts.is_empty());
    }

    #[test]
    fn what_lies_above_is_tried_again_once_the_person_acts() {
        let ctx = egui::Context::default();
        let mut fences = Fences::default();
        let mut drawn = 0;
        fences.set_fault(Some("dialog".into()));
        assert!(!fences.above("dialog", &ctx, || drawn += 1));
        assert!(fences.above("dialog", &ctx, || drawn += 1));
        fences.set_fault(None);
        assert!(fences.above("dialog", &ctx, || drawn += 1));
        assert_eq!(drawn, 0, "it stays closed");
        fences.after_action();
        assert!(fences.above("dialog", &ctx, || drawn += 1));
        assert_eq!(drawn, 1);
    }

    #[test]
    fn a_panic_within_what_the_toolkit_holds_locked_leaves_no_lock() {
        let ctx = egui::Context::default();
        let mut fences = Fences::default();
        let memory = || ctx.memory_mut(|_| panic!("within memory"));
        assert!(!fences.above("memory", &ctx, memory));
        let data = || ctx.data_mut(|_| panic!("within data"));
        assert!(!fences.above("data", &ctx, data));
        let input = || ctx.input(|_| panic!("within input"));
        assert!(!fences.above("input", &ctx, input));
        // If a lock were still held, this would block forever or panic after ten seconds.
        let output = ctx.run_ui(egui::RawInput::default(), |ui| {
            ui.label("still drawn");
        });
        assert!(!output.shapes.is_empty());
    }

    #[test]
    fn what_stands_in_place_of_a_part_covers_what_it_had_drawn() {
        let ctx = egui::Context::default();
        super::super::theme::install(&ctx);
        let mut fences = Fences::default();
        let mut tries = 0;
        for _ in 0..5 {
            let _ = ctx.run_ui(egui::RawInput::default(), |ui| {
                let pressed = fences.page("page", ui, |ui| {
                    tries += 1;
                    ui.horizontal(|ui| {
                        ui.label("before");
                        egui::ScrollArea::vertical().show(ui, |_| panic!("in the midst"));
                    });
                });
                assert_eq!(pressed, Pressed::Nothing);
            });
        }
        assert_eq!(tries, 1, "not with every frame");
        assert_eq!(fences.entry_mut("page").map(|failed| failed.times), Some(1));
    }
}
