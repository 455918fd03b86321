//! The outcome for a drawing and for the first task, computed from the results.

use std::cmp::Ordering;

use super::{DRAWN, Tour, TourRun};
use crate::metrics::Tally;
use crate::run::event::Prediction;
use crate::session::Session;

/// A prediction with at least this score counts as certain.
pub const SURE: f32 = 0.8;

/// A run's prediction for a drawing: the score of its class, and the class with the highest other score.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawingPrediction {
    /// Score of the drawn class.
    pub own: f32,
    /// The other class with the highest score.
    pub rival: String,
    /// The score of that class.
    pub against: f32,
}

impl DrawingPrediction {
    /// Returns the prediction for a drawing of `class`; `None` if that class is not learned.
    pub fn for_class(answer: &Prediction, class: &str) -> Option<Self> {
        let shares = &answer.opinions.last()?.probabilities;
        let place = answer.classes.iter().position(|known| known == class)?;
        let others = answer.classes.iter().zip(shares).enumerate();
        let others = others.filter(|(other, _)| *other != place);
        let (_, (rival, against)) = others.max_by(|a, b| a.1.1.total_cmp(b.1.1))?;
        Some(Self {
            own: *shares.get(place)?,
            rival: rival.clone(),
            against: *against,
        })
    }

    /// Returns whether the prediction is correct.
    pub fn is_right(&self) -> bool {
        self.own >= self.against
    }

    /// Returns its outcome.
    pub fn outcome(&self) -> DrawingOutcome {
        match self.is_right() {
            false => DrawingOutcome::Wrong,
            true if self.own < SURE => DrawingOutcome::Uncertain,
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
        let end = |run: &TourRun| {
            let share = run.first_task_accuracies().last()?;
            Some(Tally::of_share(share, run.first_task_images()))
        };
        let (baseline, lae) = (end(baseline)?, end(lae)?);
        Some(lae.is_above(&baseline).cmp(&baseline.is_above(&lae)))
    }
}

impl Session {
    /// Returns the prediction of a run of the tour for a drawing after a task (from 0).
    pub fn tour_drawing_prediction(
        &self,
        which: usize,
        run: &TourRun,
        task: usize,
    ) -> Option<DrawingPrediction> {
        let pin = self.learn.tour.as_ref()?.pins[which]?;
        let answer = self.predict.pins.answer(pin, run.folder.as_ref()?, task)?;
        DrawingPrediction::for_class(answer, DRAWN[which])
    }

    /// Returns the predictions for a drawing after the run's first and last task; `None` until both are known.
    pub fn tour_drawing_change(
        &self,
        which: usize,
        run: &TourRun,
    ) -> Option<[DrawingPrediction; 2]> {
        let last = run.view.tasks().checked_sub(1)?;
        let prediction = |task| self.tour_drawing_prediction(which, run, task);
        Some([prediction(0)?, prediction(last)?])
    }
}
