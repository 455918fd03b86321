//! The tour: the user draws two digits, a run learns and forgets them, and another run with LAE remembers them. The
//! current step and the tour's runs follow from the session's events.
//!
//! Its runs are ordinary runs; it stores their ids, so that it never changes other runs.

mod acts;
mod examples;
mod following;
mod outcome;
mod own_run;

use super::pins::PinId;
use super::presets;
use super::views::PlanView;
use crate::run::config::RunConfig;
use crate::run::job::JobId;

pub use examples::example;
pub use outcome::{Became, Fate, TourVerdict, Vote};
pub use own_run::{OwnRun, TourRunState};

/// The drawn classes, in the order of the canvases.
pub const DRAWN: [&str; 2] = ["1", "2"];
/// The first task has the drawn digits. The order of the others shows forgetting: after the last task Baseline
/// misclassifies a drawn 1, LAE does not (measured with `tests/tour_hands.py`).
const ORDER: &str = "1,2,4,6,9,8,7,0,3,5";

/// The steps, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TourStep {
    /// The user draws a 1 and a 2.
    #[default]
    Draw,
    /// Baseline learns its first task: 1 and 2.
    First,
    /// The user guesses what will happen to the 1.
    Guess,
    /// Baseline learns the remaining tasks.
    Forget,
    /// The same is trained with LAE.
    Switch,
    /// The user views both runs, task by task.
    Compare,
    /// Summary.
    End,
}

impl TourStep {
    /// Number of steps.
    pub const COUNT: usize = 7;

    /// Returns its number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

/// State of the tour.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    /// The step.
    pub step: TourStep,
    /// The pinned drawings, in the order of [`DRAWN`].
    pub pins: [Option<PinId>; 2],
    /// The user's guess about the 1.
    pub guess: Option<Fate>,
    /// The run without LAE.
    pub baseline: OwnRun,
    /// The run with LAE.
    pub lae: OwnRun,
    /// The displayed task of both runs, from 0.
    pub task: usize,
    /// The plan of its runs.
    plan: Option<PlanView>,
    /// Whether the plan was requested.
    asked: bool,
    /// Whether Baseline was paused for the guess.
    held: bool,
}

impl Tour {
    /// Returns a tour at its first step; its runs use this device.
    fn on(device: &str) -> Self {
        let lae = RunConfig {
            order: ORDER.into(),
            device: device.into(),
            ..RunConfig::default()
        };
        Self {
            baseline: OwnRun::of(presets::baseline(&lae)),
            lae: OwnRun::of(lae),
            ..Self::default()
        }
    }

    /// Returns whether both digits are drawn.
    pub fn is_drawn(&self) -> bool {
        self.pins.iter().all(Option::is_some)
    }

    /// Returns whether leaving it now loses work: something was drawn, and the last step is not reached.
    pub fn is_begun(&self) -> bool {
        self.step != TourStep::End
            && (self.step != TourStep::Draw || self.pins.iter().any(Option::is_some))
    }

    /// Returns whether drawings can still be changed; later steps describe their predictions.
    pub fn takes_drawings(&self) -> bool {
        self.step <= TourStep::Guess
    }

    /// Returns whether this job belongs to the tour.
    pub fn owns(&self, job: JobId) -> bool {
        [&self.baseline, &self.lae]
            .iter()
            .any(|run| run.job == Some(job))
    }

    /// Returns the run of this step.
    pub fn run(&self) -> &OwnRun {
        match self.step {
            TourStep::Draw | TourStep::First | TourStep::Guess | TourStep::Forget => &self.baseline,
            TourStep::Switch | TourStep::Compare | TourStep::End => &self.lae,
        }
    }

    fn run_mut(&mut self) -> &mut OwnRun {
        match self.step {
            TourStep::Draw | TourStep::First | TourStep::Guess | TourStep::Forget => {
                &mut self.baseline
            }
            TourStep::Switch | TourStep::Compare | TourStep::End => &mut self.lae,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
