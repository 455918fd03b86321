//! The board of pinned images: the prediction of each run for each image after a selected task.

use std::path::{Path, PathBuf};

use super::Session;
use super::comparable::sorted_classes;
use super::pins::Pin;
use super::views::RunRow;
use crate::run::event::{ClassPrediction, Prediction};
use crate::tr;

/// Maximum number of runs in the board.
pub const MOST_RUNS: usize = 10;

/// The predictions of one run for one image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The predicted class after the selected task, with its score.
    pub answer: Option<(String, f32)>,
    /// Whether the prediction is correct, if the class is known.
    pub right: Option<bool>,
    /// The class whose score is plotted: the true class if it is known, otherwise the class that the newest snapshot
    /// predicts.
    pub followed: String,
    /// The score of that class after each task that knows it.
    pub curve: Vec<(usize, f32)>,
    /// Why there is no prediction.
    pub missing: Option<String>,
}

impl Session {
    /// Returns the predictions of a run for a pinned image after `task`.
    pub fn board_cell(&self, pin: &Pin, run: &Path, task: usize) -> Cell {
        let done = self.finished_tasks(run);
        let answer = |task| self.predict.pins.answer(pin.id, run, task);
        let newest = (0..done).rev().find_map(answer);
        let truth = pin.truth.clone();
        let followed = truth.or_else(|| newest.and_then(named).map(|(name, _)| name));
        let followed = followed.unwrap_or_default();
        let point = |task| Some((task, score(answer(task)?, &followed)?));
        let here = answer(task).and_then(named);
        let right = pin.truth.as_ref().zip(here.as_ref());
        let missing = match (&here, self.predict.pins.problem(pin.id, run)) {
            (Some(_), _) => None,
            (None, _) if task >= done => Some(tr!("predict-pins-fewer-tasks", n = done)),
            (None, Some(problem)) => Some(problem.what_said()),
            (None, None) => Some(tr!("predict-pins-predicting").into()),
        };
        Cell {
            right: right.map(|(truth, (name, _))| truth == name),
            curve: (0..done).filter_map(point).collect(),
            answer: here,
            followed,
            missing,
        }
    }

    /// Returns the runs with the same classes as this run, stored or in progress: this run first, then the newest ones.
    pub fn runs_with_classes_of(&self, run: &Path) -> Vec<PathBuf> {
        let Some(wanted) = self.header_of(run).map(sorted_classes) else {
            return Vec::new();
        };
        let same = |row: &&RunRow| {
            let header = row.header.as_ref();
            header.is_some_and(|header| sorted_classes(header) == wanted) && row.is_measured()
        };
        let others = self.rows().filter(same).map(|row| row.folder.clone());
        let own = std::iter::once(run.to_path_buf());
        let others = others.filter(|folder| folder != run);
        own.chain(others).take(MOST_RUNS).collect()
    }
}

/// Returns the predicted class of the answering expert with its score.
fn named(answer: &Prediction) -> Option<(String, f32)> {
    let (class, score) = answer.opinions.last().map(ClassPrediction::best)?;
    Some((answer.classes.get(class)?.clone(), score))
}

/// Returns the answering expert's score of a class; `None` if the run does not know the class yet.
fn score(answer: &Prediction, class: &str) -> Option<f32> {
    let position = answer.classes.iter().position(|name| name == class)?;
    let opinion = answer.opinions.last()?;
    opinion.probabilities.get(position).copied()
}
