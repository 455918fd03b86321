//! The tour: a person draws two digits, a run learns and forgets them, another one with LAE
//! remembers. Which step it is at and which runs are its own, folded from what the session sees.
//!
//! Its runs are runs like any other; it keeps their ids, so that it never touches one that is not
//! its own.

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

/// The classes that are drawn, in the order of the canvases.
pub const DRAWN: [&str; 2] = ["1", "2"];
/// The first task brings what was drawn. The others follow in an order that shows forgetting: in the last one Baseline
/// takes a drawn 1 for something else, LAE does not (`tests/tour_hands.py` measures it).
const ORDER: &str = "1,2,4,6,9,8,7,0,3,5";

/// The steps, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TourStep {
    /// A 1 and a 2 are drawn.
    #[default]
    Draw,
    /// Baseline learns its first task: 1 and 2.
    First,
    /// What will become of the 1?
    Guess,
    /// Baseline goes on to its end.
    Forget,
    /// The same is trained with LAE.
    Switch,
    /// Both runs are gone through, task by task.
    Compare,
    /// What was seen.
    End,
}

impl TourStep {
    /// How many there are.
    pub const COUNT: usize = 7;

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

/// Where the tour is.
#[derive(Clone, Debug)]
pub struct Tour {
    /// The step.
    pub step: TourStep,
    /// The pinned drawings, as [`DRAWN`] has them.
    pub pins: [Option<PinId>; 2],
    /// What the person thinks will become of the 1.
    pub guess: Option<Fate>,
    /// The run without LAE.
    pub baseline: OwnRun,
    /// The run with LAE.
    pub lae: OwnRun,
    /// The task up to which both runs are looked at, from 0.
    pub task: usize,
    /// What its runs come to.
    plan: Option<PlanView>,
    /// Whether that was asked.
    asked: bool,
    /// Whether Baseline was told to wait for the guess.
    held: bool,
}

impl Tour {
    /// A tour at its beginning; its runs are made on this device.
    fn on(device: &str) -> Self {
        let lae = RunConfig {
            order: ORDER.into(),
            device: device.into(),
            ..RunConfig::default()
        };
        Self {
            step: TourStep::default(),
            pins: [None; 2],
            guess: None,
            baseline: OwnRun::of(presets::baseline(&lae)),
            lae: OwnRun::of(lae),
            task: 0,
            plan: None,
            asked: false,
            held: false,
        }
    }

    /// Whether both digits are drawn.
    pub fn is_drawn(&self) -> bool {
        self.pins.iter().all(Option::is_some)
    }

    /// Whether leaving it now loses what was done in it: something was drawn, and the last step is not reached.
    pub fn is_begun(&self) -> bool {
        self.step != TourStep::End
            && (self.step != TourStep::Draw || self.pins.iter().any(Option::is_some))
    }

    /// Whether drawings may still be changed: later what became of them is told.
    pub fn takes_drawings(&self) -> bool {
        self.step <= TourStep::Guess
    }

    /// Whether this job is one of the tour's.
    pub fn owns(&self, job: JobId) -> bool {
        [&self.baseline, &self.lae]
            .iter()
            .any(|run| run.job == Some(job))
    }

    /// The run that this step is about.
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
