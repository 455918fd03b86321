//! The tour in three acts. The user draws two digits; then three runs learn the same tasks: fine-tuning of the whole
//! network, training of a PET, and LAE. The tour shows what each run remembers. The current step and the runs are
//! updated from the session's events.
//!
//! The tour's runs are ordinary runs. The tour stores their ids, so that it never changes other runs.

mod actions;
mod outcome;
mod progress;
mod run;

use std::path::PathBuf;

use super::pins::PinId;
use super::presets;
use super::views::PlanView;
use crate::data::rng::{Purpose, Rng};
use crate::run::config::{RunConfig, Setting};

pub use outcome::{DrawingOutcome, DrawingPrediction};
pub use run::{TourRun, TourRunState};

/// The classes that the user draws, in the order of the canvases.
pub const DRAWN_CLASSES: [&str; 2] = ["1", "2"];
/// Class order of the first draw. The first task has the drawn digits. The order of the other classes was chosen
/// because it shows forgetting (measured with `tests/tour_hands.py`).
const FIRST_CLASS_ORDER: &str = "1,2,8,5,3,0,9,4,7,6";
/// Learning rate of fine-tuning at a batch of 256. It is 50 times the method's default, which shows little forgetting.
const FINE_TUNING_RATE: f64 = 1.0;

/// The steps of the tour, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TourStep {
    /// The user draws a 1 and a 2.
    #[default]
    Draw,
    /// Fine-tuning learns the first task: 1 and 2.
    First,
    /// The user guesses what will happen to the prediction of the 1.
    Guess,
    /// Act one: fine-tuning learns the remaining tasks.
    FineTuning,
    /// Act two: a PET learns the same tasks.
    Pet,
    /// Act three: LAE learns the same tasks.
    Lae,
    /// The user views the runs, task by task.
    Compare,
    /// The summary.
    End,
}

impl TourStep {
    /// The number of steps.
    pub const COUNT: usize = Self::End as usize + 1;

    /// Returns the number of the step, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// Returns the index of the run that the step trains, or of the last run if it trains no run.
    fn run_index(self) -> usize {
        match self {
            Self::Draw | Self::First | Self::Guess | Self::FineTuning => 0,
            Self::Pet => 1,
            Self::Lae | Self::Compare | Self::End => 2,
        }
    }
}

/// State of the tour.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    /// The current step.
    pub step: TourStep,
    /// The pinned drawings, in the order of [`DRAWN_CLASSES`].
    pub pins: [Option<PinId>; 2],
    /// The user's guess about the 1.
    pub guess: Option<DrawingOutcome>,
    /// The runs of the three acts: Seq-FT, Baseline, LAE.
    pub runs: [TourRun; 3],
    /// The folders of the runs of earlier draws.
    earlier_folders: Vec<PathBuf>,
    /// The displayed task of all runs, from 0.
    pub task: usize,
    /// How often the runs were trained again with another class order and seed.
    pub draw: u64,
    /// The plan of the runs.
    plan: Option<PlanView>,
    /// Whether the plan was requested.
    plan_requested: bool,
    /// Whether the first run was paused for the user's guess.
    was_paused: bool,
    /// Whether the first run continued after the user's guess.
    pub was_resumed: bool,
}

impl Tour {
    /// Returns a tour at its first step. Its runs use this device.
    fn new(device: &str, draw: u64) -> Self {
        let lae = RunConfig {
            order: class_order(draw),
            seed: draw,
            device: device.into(),
            ..RunConfig::default()
        };
        Self {
            runs: [fine_tuning(&lae), presets::baseline(&lae), lae].map(TourRun::new),
            draw,
            ..Self::default()
        }
    }

    /// Returns whether both digits were drawn.
    pub fn is_drawn(&self) -> bool {
        self.pins.iter().all(Option::is_some)
    }

    /// Returns whether leaving the tour now would lose work: something was drawn and the last step was not reached.
    pub fn has_progress(&self) -> bool {
        self.step != TourStep::End
            && (self.step != TourStep::Draw || self.pins.iter().any(Option::is_some))
    }

    /// Returns whether drawings can still be changed. Later steps describe their predictions.
    pub fn can_change_drawings(&self) -> bool {
        self.step <= TourStep::Guess
    }

    /// Returns the runs that have results.
    pub fn measured_runs(&self) -> impl Iterator<Item = &TourRun> {
        self.runs.iter().filter(|run| run.measured_tasks() > 0)
    }

    /// Returns the folders of its runs, including those of earlier draws.
    fn into_folders(self) -> Vec<PathBuf> {
        let runs = self.runs.into_iter().filter_map(|run| run.folder);
        self.earlier_folders.into_iter().chain(runs).collect()
    }

    /// Returns the run of this step.
    pub fn run(&self) -> &TourRun {
        &self.runs[self.step.run_index()]
    }

    fn run_mut(&mut self) -> &mut TourRun {
        &mut self.runs[self.step.run_index()]
    }
}

/// Returns the class order of a draw: the drawn digits, then the others in pseudo-random order.
fn class_order(draw: u64) -> String {
    if draw == 0 {
        return FIRST_CLASS_ORDER.into();
    }
    let mut others: Vec<&str> = FIRST_CLASS_ORDER.split(',').skip(DRAWN_CLASSES.len()).collect();
    Rng::new(Purpose::ClassOrder, draw, 0, 0).shuffle(&mut others);
    [&DRAWN_CLASSES[..], &others].concat().join(",")
}

/// Returns these settings for fine-tuning of the whole network, which is stored after every task.
fn fine_tuning(config: &RunConfig) -> RunConfig {
    RunConfig {
        method: "seq-ft".into(),
        base_lr: FINE_TUNING_RATE,
        settings: [("keep_weights".into(), Setting::Text("every".into()))].into(),
        ..config.clone()
    }
}

#[cfg(test)]
mod tests;
