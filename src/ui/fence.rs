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

use egui::{CornerRadius, Frame, Label, Margin, Panel, RichText, Ui};

use super::theme::tokens;
use super::widgets::{button, card, link, problem};
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
    Afresh,
    /// Create a bug report.
    Report,
}

/// The state of the fences of all parts.
#[derive(Default)]
pub struct Fences {
    fallen: Vec<FailedPart>,
    told: Vec<Problem>,
    /// The part that panics intentionally, for tests.
    fault: Option<String>,
}

impl Fences {
    /// Makes the part with this English name panic whenever it is drawn; `None` stops this.
    pub fn set_fault(&mut self, part: Option<String>) {
        self.fault = part;
    }

    /// Returns whether this part panicked and was not drawn since then.
    pub fn has_fallen(&self, part: &str) -> bool {
        self.fallen.iter().any(|fallen| fallen.part == part)
    }

    /// Returns the Problems of parts that cannot show them, once.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.told)
    }

    /// Allows parts above the pages to be drawn again, after a user action.
    pub fn after_action(&mut self) {
        let above = self.fallen.iter_mut().filter(|fallen| fallen.above);
        above.for_each(|fallen| fallen.open = true);
    }

    /// Allows all parts to be drawn again, after a change of the page.
    pub fn after_page_change(&mut self) {
        self.fallen.iter_mut().for_each(|fallen| fallen.open = true);
    }

    /// Draws a page, or an error in its place. Returns the button that the user pressed.
    pub fn page(&mut self, part: &'static str, ui: &mut Ui, draw: impl FnOnce(&mut Ui)) -> Pressed {
        if self.draw_guarded(part, ui.ctx().clone(), || draw(ui)) {
            return Pressed::Nothing;
        }
        // If the pass cannot be repeated, this covers what the page has drawn.
        let ground = tokens(ui).background;
        let whole = ui.max_rect();
        ui.painter().rect_filled(whole, CornerRadius::ZERO, ground);
        let Some(fallen) = self.of(part) else {
            return Pressed::Nothing;
        };
        let mut pressed = Pressed::Nothing;
        ui.push_id((part, "fence"), |ui| {
            card(ui, |ui| {
                ui.set_width(ui.available_width());
                problem(ui, &fallen.problem);
                ui.add_space(8.0);
                ui.horizontal_wrapped(|ui| {
                    if button(ui, tr!("shell-part-try-again")).clicked() {
                        fallen.open = true;
                    }
                    // After the first panic, the page's state is not reset, because the displayed data may be the
                    // cause.
                    if fallen.times > 1 {
                        let afresh = button(ui, tr!("shell-part-reset-page"));
                        let tip = tr!("shell-part-reset-page-hint");
                        if afresh.on_hover_text(tip).clicked() {
                            fallen.open = true;
                            pressed = Pressed::Afresh;
                        }
                    }
                    if link(ui, tr!("shell-report-problem")).clicked() {
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
        if self.draw_guarded(part, ui.ctx().clone(), || draw(ui)) {
            return Pressed::Nothing;
        }
        let Some(fallen) = self.of(part) else {
            return Pressed::Nothing;
        };
        let t = tokens(ui);
        let frame = Frame::new()
            .fill(t.panel)
            .inner_margin(Margin::symmetric(14, 4));
        let mut pressed = Pressed::Nothing;
        place.frame(frame).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                fallen.open |= button(ui, tr!("shell-part-try-again")).clicked();
                if link(ui, tr!("shell-report-problem")).clicked() {
                    pressed = Pressed::Report;
                }
                let text = format!("{}: {}", fallen.problem.place, fallen.problem.what);
                ui.add(Label::new(RichText::new(text).color(t.bad)).truncate());
            });
        });
        pressed
    }

    /// Draws a part above the pages. Returns `false` if it panicked: then the caller must reset its state, which closes
    /// it.
    pub fn above(&mut self, part: &'static str, ctx: &egui::Context, draw: impl FnOnce()) -> bool {
        let known = self.of(part).is_some_and(|fallen| !fallen.open);
        if known || self.draw_guarded(part, ctx.clone(), draw) {
            return true;
        }
        if let Some(fallen) = self.of(part) {
            fallen.above = true;
            let told = fallen.problem.clone();
            self.told.push(told);
        }
        false
    }

    /// Returns whether a repeated piece of work outside of drawing may run; after a panic it is paused.
    pub fn due(&mut self, piece: &'static str, ctx: &egui::Context) -> bool {
        let Some(fallen) = self.of(piece) else {
            return true;
        };
        let left = fallen.pause().saturating_sub(fallen.at.elapsed());
        if !left.is_zero() {
            ctx.request_repaint_after(left);
        }
        left.is_zero()
    }

    /// Panics if the environment or a test requested a fault for this part.
    pub fn panic_if_requested(&self, part: &str) {
        let part = Language::English.known(part).unwrap_or(part);
        let told = self.fault.as_deref() == Some(part);
        assert!(!told, "{}", tr!("shell-part-test-fault", part = part));
    }

    /// Records how a piece of work outside of drawing ended. Only the first of consecutive panics is reported.
    pub fn record_work(
        &mut self,
        piece: &'static str,
        ctx: &egui::Context,
        ended: Result<(), String>,
    ) {
        let Some(fallen) = self.ended(piece, ended) else {
            return;
        };
        ctx.request_repaint_after(fallen.pause());
        if fallen.times == 1 {
            let told = fallen.problem.clone().advise(tr!(BEHIND));
            self.told.push(told);
        }
    }

    /// Records how an action that the user requested ended, and reports a panic.
    pub fn record_action(&mut self, ended: Result<(), String>) {
        let told = ended.err().map(|words| fell("part-last-command", &words));
        self.told.extend(told.map(|told| told.advise(tr!(BEHIND))));
    }

    fn of(&mut self, part: &str) -> Option<&mut FailedPart> {
        self.fallen.iter_mut().find(|fallen| fallen.part == part)
    }

    /// Draws the part unless it failed and is closed. Returns whether it was drawn without a panic.
    fn draw_guarded(
        &mut self,
        part: &'static str,
        ctx: egui::Context,
        draw: impl FnOnce(),
    ) -> bool {
        if self.of(part).is_some_and(|fallen| !fallen.open) {
            return false;
        }
        let held = self.tried(part, draw);
        if !held {
            ctx.request_discard("a part of the window panicked while it was drawn");
            ctx.request_repaint();
        }
        held
    }

    /// Runs `work` in the fence. Returns whether it ended without a panic.
    fn tried(&mut self, part: &'static str, work: impl FnOnce()) -> bool {
        let ended = catch_panic(|| {
            self.panic_if_requested(part);
            work();
        });
        self.ended(part, ended).is_none()
    }

    /// Records how a part ended. Returns its entry if it panicked.
    fn ended(&mut self, part: &'static str, ended: Result<(), String>) -> Option<&mut FailedPart> {
        let before = self.of(part).map_or(0, |fallen| fallen.times);
        self.fallen.retain(|fallen| fallen.part != part);
        let words = ended.err()?;
        self.fallen.push(FailedPart {
            part,
            problem: fell(part, &words),
            times: before + 1,
            at: Instant::now(),
            open: false,
            above: false,
        });
        self.fallen.last_mut()
    }
}

impl FailedPart {
    fn pause(&self) -> Duration {
        Duration::from_secs(PAUSE << (self.times - 1).min(DOUBLED))
    }
}

/// Returns the Problem that reports a panic of a part.
fn fell(part: &'static str, words: &str) -> Problem {
    Problem::new(tr!("shell-part-failed", words = words))
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
            let fallen = fences.of("counting");
            times.extend(fallen.map(|fallen| {
                let pause = fallen.pause();
                fallen.at -= pause;
                pause.as_secs()
            }));
        }
        assert_eq!(times, [1, 2, 4, 8]);
        assert_eq!(fences.take_problems().len(), 1);
        fences.record_work("counting", &ctx, Ok(()));
        assert!(fences.fallen.is_empty());
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
        assert_eq!(fences.of("page").map(|fallen| fallen.times), Some(1));
    }
}
