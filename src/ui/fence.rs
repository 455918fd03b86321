//! The fences of the window: what panics while one part of it is drawn costs that part alone.
//!
//! A page says in its place what happened and stays closed until the person presses *Try again* or
//! comes back to it, so that a panic is not met sixty times a second; a bar does the same in one line;
//! a dialog is put away, and a notice tells of it. Outside of drawing a piece of work that panics is
//! left for a while, longer each time. The engine has a thread of its own and hears nothing of all
//! this: training goes on.
//!
//! Unwinding leaves the toolkit whole. Its locks are no std ones: they are given back on the way and
//! know no poison, also where `memory_mut`, `data_mut` or `input` panic inside. What a part had drawn
//! until then lies in the lists of that pass, which is drawn again at once without the part; its
//! unfinished `Ui`s are memory and go. So a part must be handed a `Ui` of its own or one that nobody
//! draws in before the pass is over: where its parent goes on is settled only when it ends well.

use std::time::{Duration, Instant};

use egui::{CornerRadius, Frame, Label, Margin, Panel, RichText, Ui};

use super::theme::tokens;
use super::widgets::{button, card, link, problem};
use crate::fence::caught;
use crate::problem::Problem;
use crate::texts::Language;
use crate::tr;

/// The variable of the environment that lets the part of this name panic whenever it is drawn.
pub const FAULT: &str = "LAE_STUDIO_DRAW_FAULT";

/// Seconds that a piece of work is left for after it panicked; doubled with each further time.
const PAUSE: u64 = 1;
/// How often they are doubled at most.
const DOUBLED: u32 = 6;

/// What can be done about work that panicked outside of drawing.
const BEHIND: &str = "shell-fence-behind";

/// A part that panicked when it was drawn last.
struct Fallen {
    part: &'static str,
    problem: Problem,
    /// How often in a row.
    times: u32,
    at: Instant,
    /// Whether it is drawn the next time.
    open: bool,
    /// Whether it lies above the pages and is put away when it falls.
    above: bool,
}

/// What was pressed in the place of a part that cannot be drawn, and is for the caller to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// Nothing.
    Nothing,
    /// What the part remembers between frames shall be let go.
    Afresh,
    /// A report shall be made.
    Report,
}

/// The fences around the parts of the window.
#[derive(Default)]
pub struct Fences {
    fallen: Vec<Fallen>,
    told: Vec<Problem>,
    /// The part that panics on purpose.
    fault: Option<String>,
}

impl Fences {
    /// Lets the part of this English name panic whenever it is its turn; no part any more without a name.
    pub fn put_fault(&mut self, part: Option<String>) {
        self.fault = part;
    }

    /// Whether this part fell and was not drawn since.
    pub fn has_fallen(&self, part: &str) -> bool {
        self.fallen.iter().any(|fallen| fallen.part == part)
    }

    /// Problems of parts that have no place to say them.
    pub fn take_told(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.told)
    }

    /// The person did something: what lies above the pages may be drawn again.
    pub fn acted(&mut self) {
        let above = self.fallen.iter_mut().filter(|fallen| fallen.above);
        above.for_each(|fallen| fallen.open = true);
    }

    /// The person came to a page: every part may be drawn again.
    pub fn turned(&mut self) {
        self.fallen.iter_mut().for_each(|fallen| fallen.open = true);
    }

    /// Draws a page, or says in its place why it is not there.
    pub fn page(&mut self, part: &'static str, ui: &mut Ui, draw: impl FnOnce(&mut Ui)) -> Pressed {
        if self.holds(part, ui.ctx().clone(), || draw(ui)) {
            return Pressed::Nothing;
        }
        // In a pass that cannot be drawn again, over what the page had drawn.
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
                    if button(ui, tr!("shell-fence-again")).clicked() {
                        fallen.open = true;
                    }
                    // The first time it may have been what was on show; nothing is given up for that.
                    if fallen.times > 1 {
                        let afresh = button(ui, tr!("shell-fence-afresh"));
                        let tip = tr!("shell-fence-afresh-hint");
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

    /// Draws a bar along an edge, or one line in `place` of it.
    pub fn bar(
        &mut self,
        part: &'static str,
        ui: &mut Ui,
        place: Panel,
        draw: impl FnOnce(&mut Ui),
    ) -> Pressed {
        if self.holds(part, ui.ctx().clone(), || draw(ui)) {
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
                fallen.open |= button(ui, tr!("shell-fence-again")).clicked();
                if link(ui, tr!("shell-report-problem")).clicked() {
                    pressed = Pressed::Report;
                }
                let text = format!("{}: {}", fallen.problem.place, fallen.problem.what);
                ui.add(Label::new(RichText::new(text).color(t.bad)).truncate());
            });
        });
        pressed
    }

    /// Draws what lies above the pages. False when it panicked: its state is to be put away, for what
    /// it shows is closed with it.
    pub fn above(&mut self, part: &'static str, ctx: &egui::Context, draw: impl FnOnce()) -> bool {
        let known = self.of(part).is_some_and(|fallen| !fallen.open);
        if known || self.holds(part, ctx.clone(), draw) {
            return true;
        }
        if let Some(fallen) = self.of(part) {
            fallen.above = true;
            let told = fallen.problem.clone();
            self.told.push(told);
        }
        false
    }

    /// Whether it is time for a piece of work outside of drawing, which is asked for again and again.
    /// One that panicked is left for a while.
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

    /// Panics if this part was told to.
    pub fn meet_fault(&self, part: &str) {
        let part = Language::English.known(part).unwrap_or(part);
        let told = self.fault.as_deref() == Some(part);
        assert!(!told, "{}", tr!("shell-fence-fault", part = part));
    }

    /// Keeps how such a piece of work ended; the first of its panics in a row is told.
    pub fn worked(&mut self, piece: &'static str, ctx: &egui::Context, ended: Result<(), String>) {
        let Some(fallen) = self.ended(piece, ended) else {
            return;
        };
        ctx.request_repaint_after(fallen.pause());
        if fallen.times == 1 {
            let told = fallen.problem.clone().advise(tr!(BEHIND));
            self.told.push(told);
        }
    }

    /// Keeps how something ended that the person asked for once.
    pub fn asked(&mut self, ended: Result<(), String>) {
        let told = ended.err().map(|words| fell("part-asked", &words));
        self.told.extend(told.map(|told| told.advise(tr!(BEHIND))));
    }

    fn of(&mut self, part: &str) -> Option<&mut Fallen> {
        self.fallen.iter_mut().find(|fallen| fallen.part == part)
    }

    /// Draws the part if it is open; whether it was drawn to its end.
    fn holds(&mut self, part: &'static str, ctx: egui::Context, draw: impl FnOnce()) -> bool {
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

    /// Does it behind the fence; whether it came to its end.
    fn tried(&mut self, part: &'static str, work: impl FnOnce()) -> bool {
        let ended = caught(|| {
            self.meet_fault(part);
            work();
        });
        self.ended(part, ended).is_none()
    }

    /// Keeps what came of a part: of one that fell, its place among the fallen.
    fn ended(&mut self, part: &'static str, ended: Result<(), String>) -> Option<&mut Fallen> {
        let before = self.of(part).map_or(0, |fallen| fallen.times);
        self.fallen.retain(|fallen| fallen.part != part);
        let words = ended.err()?;
        self.fallen.push(Fallen {
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

impl Fallen {
    fn pause(&self) -> Duration {
        Duration::from_secs(PAUSE << (self.times - 1).min(DOUBLED))
    }
}

/// What a person reads of a part that panicked.
fn fell(part: &'static str, words: &str) -> Problem {
    Problem::new(tr!("shell-fence-fell", words = words))
        .at(tr!(part))
        .advise(tr!("shell-fence-advice"))
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
            fences.worked("counting", &ctx, Err("one too many".into()));
            assert!(!fences.due("counting", &ctx));
            let fallen = fences.of("counting");
            times.extend(fallen.map(|fallen| {
                let pause = fallen.pause();
                fallen.at -= pause;
                pause.as_secs()
            }));
        }
        assert_eq!(times, [1, 2, 4, 8]);
        assert_eq!(fences.take_told().len(), 1);
        fences.worked("counting", &ctx, Ok(()));
        assert!(fences.fallen.is_empty());
    }

    #[test]
    fn what_lies_above_is_tried_again_once_the_person_acts() {
        let ctx = egui::Context::default();
        let mut fences = Fences::default();
        let mut drawn = 0;
        fences.put_fault(Some("dialog".into()));
        assert!(!fences.above("dialog", &ctx, || drawn += 1));
        assert!(fences.above("dialog", &ctx, || drawn += 1));
        fences.put_fault(None);
        assert!(fences.above("dialog", &ctx, || drawn += 1));
        assert_eq!(drawn, 0, "it stays closed");
        fences.acted();
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
        // Would wait for ever, or panic after ten seconds.
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
