//! The board of pinned images: the prediction of each run for each image after a selected task.

use std::path::{Path, PathBuf};

use super::Session;
use super::comparable::sorted_classes;
use super::pins::Pin;
use super::views::RunRow;
use crate::run::event::{ClassPrediction, Prediction};
use crate::tr;

/// Maximum number of runs in the board.
pub const MAX_RUNS: usize = 10;

/// The predictions of one run for one image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The predicted class after the selected task, with its score.
    pub predicted: Option<(String, f32)>,
    /// Whether the prediction is correct, if the class is known.
    pub is_correct: Option<bool>,
    /// The class whose score is plotted: the true class if it is known, otherwise the class that the newest snapshot
    /// predicts.
    pub plotted_class: String,
    /// The score of that class after each task that knows it.
    pub curve: Vec<(usize, f32)>,
    /// Why there is no prediction.
    pub missing_reason: Option<String>,
}

impl Session {
    /// Returns the predictions of a run for a pinned image after `task`.
    pub fn board_cell(&self, pin: &Pin, run: &Path, task: usize) -> Cell {
        let finished_tasks = self.finished_tasks(run);
        let prediction = |task| self.predict.pins.prediction(pin.id, run, task);
        let newest = (0..finished_tasks).rev().find_map(prediction);
        let truth = pin.truth.clone();
        let plotted_class =
            truth.or_else(|| newest.and_then(predicted_class).map(|(name, _)| name));
        let plotted_class = plotted_class.unwrap_or_default();
        let point = |task| Some((task, class_score(prediction(task)?, &plotted_class)?));
        let predicted = prediction(task).and_then(predicted_class);
        let pair = pin.truth.as_ref().zip(predicted.as_ref());
        let missing_reason = match (&predicted, self.predict.pins.problem(pin.id, run)) {
            (Some(_), _) => None,
            (None, _) if task >= finished_tasks => {
                Some(tr!("predict-pins-fewer-tasks", n = finished_tasks))
            }
            (None, Some(problem)) => Some(problem.translated_what()),
            (None, None) => Some(tr!("predict-pins-predicting").into()),
        };
        Cell {
            is_correct: pair.map(|(truth, (name, _))| truth == name),
            curve: (0..finished_tasks).filter_map(point).collect(),
            predicted,
            plotted_class,
            missing_reason,
        }
    }

    /// Returns the runs with the same classes as this run, stored or in progress: this run first, then the newest ones.
    pub fn runs_with_classes_of(&self, run: &Path) -> Vec<PathBuf> {
        let Some(wanted) = self.header_of(run).map(sorted_classes) else {
            return Vec::new();
        };
        let has_same_classes = |row: &&RunRow| {
            let header = row.header.as_ref();
            header.is_some_and(|header| sorted_classes(header) == wanted) && row.is_measured()
        };
        let others = self.rows().filter(has_same_classes).map(|row| row.folder.clone());
        let this_run = std::iter::once(run.to_path_buf());
        let others = others.filter(|folder| folder != run);
        this_run.chain(others).take(MAX_RUNS).collect()
    }
}

/// Returns the predicted class of the answering expert with its score.
fn predicted_class(prediction: &Prediction) -> Option<(String, f32)> {
    let (class, score) = prediction.opinions.last().map(ClassPrediction::best)?;
    Some((prediction.classes.get(class)?.clone(), score))
}

/// Returns the answering expert's score of a class; `None` if the run does not know the class yet.
fn class_score(prediction: &Prediction, class: &str) -> Option<f32> {
    let position = prediction.classes.iter().position(|name| name == class)?;
    let prediction = prediction.opinions.last()?;
    prediction.probabilities.get(position).copied()
}
