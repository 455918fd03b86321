//! The outcome for a drawing and for the first task, computed from the results.

use std::cmp::Ordering;

use super::{DRAWN_CLASSES, Tour, TourRun};
use crate::metrics::Tally;
use crate::run::event::Prediction;
use crate::session::Session;

/// A prediction with at least this score counts as certain.
pub const CERTAIN_SCORE: f32 = 0.8;

/// A run's prediction for a drawing: the score of its class, and the class with the highest other score.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawingPrediction {
    /// Score of the drawn class.
    pub score: f32,
    /// The other class with the highest score.
    pub rival: String,
    /// The score of that class.
    pub rival_score: f32,
}

impl DrawingPrediction {
    /// Returns the prediction for a drawing of `class`; `None` if that class is not learned.
    pub fn for_class(prediction: &Prediction, class: &str) -> Option<Self> {
        let probabilities = &prediction.opinions.last()?.probabilities;
        let class_index = prediction.classes.iter().position(|name| name == class)?;
        let others = prediction.classes.iter().zip(probabilities).enumerate();
        let others = others.filter(|(other, _)| *other != class_index);
        let (_, (rival, rival_score)) = others.max_by(|a, b| a.1.1.total_cmp(b.1.1))?;
        Some(Self {
            score: *probabilities.get(class_index)?,
            rival: rival.clone(),
            rival_score: *rival_score,
        })
    }

    /// Returns whether the prediction is correct.
    pub fn is_correct(&self) -> bool {
        self.score >= self.rival_score
    }

    /// Returns its outcome.
    pub fn outcome(&self) -> DrawingOutcome {
        match self.is_correct() {
            false => DrawingOutcome::Wrong,
            true if self.score < CERTAIN_SCORE => DrawingOutcome::Uncertain,
            true => DrawingOutcome::Certain,
        }
    }
}

/// The outcome for the prediction of a drawing. Also the choices of the user's guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingOutcome {
    /// Still correct and certain.
    Certain,
    /// Still correct but uncertain.
    Uncertain,
    /// Wrong.
    Wrong,
}

impl DrawingOutcome {
    /// All outcomes, in display order.
    pub const ALL: [Self; 3] = [Self::Certain, Self::Uncertain, Self::Wrong];
}

impl Tour {
    /// Compares the accuracies of LAE and the Baseline on the first task. `Equal` if the difference may be due to
    /// chance; `None` before both are measured.
    pub fn verdict(&self) -> Option<Ordering> {
        let [_, baseline, lae] = &self.runs;
        let final_accuracy = |run: &TourRun| {
            let share = run.first_task_accuracies().last()?;
            Some(Tally::from_accuracy(share, run.first_task_images()))
        };
        let (baseline, lae) = (final_accuracy(baseline)?, final_accuracy(lae)?);
        Some(lae.is_significantly_above(&baseline).cmp(&baseline.is_significantly_above(&lae)))
    }
}

impl Session {
    /// Returns the prediction of a run of the tour for a drawing after a task (from 0).
    pub fn tour_drawing_prediction(
        &self,
        index: usize,
        run: &TourRun,
        task: usize,
    ) -> Option<DrawingPrediction> {
        let pin = self.learn.tour.as_ref()?.pins[index]?;
        let prediction = self.predict.pins.prediction(pin, run.folder.as_ref()?, task)?;
        DrawingPrediction::for_class(prediction, DRAWN_CLASSES[index])
    }

    /// Returns the predictions for a drawing after the run's first and last task; `None` until both are known.
    pub fn tour_drawing_change(
        &self,
        index: usize,
        run: &TourRun,
    ) -> Option<[DrawingPrediction; 2]> {
        let last = run.view.tasks().checked_sub(1)?;
        let prediction = |task| self.tour_drawing_prediction(index, run, task);
        Some([prediction(0)?, prediction(last)?])
    }
}
