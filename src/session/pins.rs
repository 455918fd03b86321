//! Pinned images. Every run on the board predicts them after each of its tasks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::inside::TaskResults;
use crate::problem::Problem;
use crate::run::event::{Command, NamedImage, PredictRequest, Prediction};

/// Identifies a pinned image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PinId(u64);

/// A pinned image.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its id.
    pub id: PinId,
    /// The image, with its name.
    pub image: Arc<NamedImage>,
    /// Its true class, if the user set it.
    pub truth: Option<String>,
}

/// Pinned images and the runs that predict them.
#[derive(Debug, Default)]
pub struct Pins {
    pinned: Vec<Pin>,
    runs: Vec<PathBuf>,
    /// The predictions of each run, without the image that the network receives.
    predictions: HashMap<(PinId, PathBuf), TaskResults<Prediction>>,
    last_id: u64,
}

impl Pins {
    /// Returns the images, in the order in which they were pinned.
    pub fn pins(&self) -> &[Pin] {
        &self.pinned
    }

    /// Returns the runs, in the order in which they were added.
    pub fn runs(&self) -> &[PathBuf] {
        &self.runs
    }

    /// Returns the prediction of this run for this image after `task` (from 0); `None` if it is not known yet.
    pub fn prediction(&self, pin: PinId, run: &Path, task: usize) -> Option<&Prediction> {
        self.results_of(pin, run)?.get(task).map(|prediction| &**prediction)
    }

    /// Returns the number of tasks of this run with a prediction for this image.
    pub fn prediction_count(&self, pin: PinId, run: &Path) -> usize {
        let results = self.results_of(pin, run).map(|results| results.results.iter());
        results.map_or(0, |results| results.flatten().count())
    }

    /// Returns why this run could not predict this image.
    pub fn problem(&self, pin: PinId, run: &Path) -> Option<&Problem> {
        self.results_of(pin, run)?.problem.as_ref()
    }

    fn results_of(&self, pin: PinId, run: &Path) -> Option<&TaskResults<Prediction>> {
        self.predictions.get(&(pin, run.to_path_buf()))
    }

    /// Stores a prediction of a pinned image. Returns the prediction if its ticket belongs to no pinned image.
    pub(super) fn accept(&mut self, mut prediction: Prediction) -> Option<Prediction> {
        let mut all_results = self.predictions.values_mut();
        let Some(results) = all_results.find(|results| results.ticket == prediction.ticket) else {
            return Some(prediction);
        };
        // The task may have been undone in the meantime.
        if prediction.task < results.requested {
            prediction.seen.clear();
            results.insert(prediction.task, prediction);
        }
        None
    }

    /// Stores the error of a request. Returns the error if its ticket belongs to no pinned image.
    pub(super) fn fail(&mut self, ticket: u64, problem: Problem) -> Option<Problem> {
        let mut all_results = self.predictions.values_mut();
        match all_results.find(|results| results.ticket == ticket) {
            Some(results) => results.problem = Some(problem),
            None => return Some(problem),
        }
        None
    }
}

impl Session {
    /// Pins an image. Every run on the board predicts it from now on.
    pub fn pin(&mut self, image: Arc<NamedImage>, truth: Option<String>) -> PinId {
        self.predict.pins.last_id += 1;
        let id = PinId(self.predict.pins.last_id);
        self.predict.pins.pinned.push(Pin { id, image, truth });
        self.request_pin_predictions();
        id
    }

    /// Replaces a pinned image, for example when a stroke was added to a drawing.
    pub fn repin(&mut self, id: PinId, image: Arc<NamedImage>) {
        let Some(pin) = self.predict.pins.pinned.iter_mut().find(|pin| pin.id == id) else {
            return;
        };
        if pin.image == image {
            return;
        }
        pin.image = image;
        self.predict.pins.predictions.retain(|(pin_id, _), _| *pin_id != id);
        self.request_pin_predictions();
    }

    /// Unpins an image.
    pub fn unpin(&mut self, id: PinId) {
        self.predict.pins.pinned.retain(|pin| pin.id != id);
        self.predict.pins.predictions.retain(|(pin_id, _), _| *pin_id != id);
    }

    /// Adds a run to the board.
    pub fn add_run_to_board(&mut self, run: PathBuf) {
        if !self.predict.pins.runs.contains(&run) {
            self.predict.pins.runs.push(run);
            self.request_pin_predictions();
        }
    }

    /// Removes a run from the board.
    pub fn remove_run_from_board(&mut self, run: &Path) {
        self.predict.pins.runs.retain(|other| other != run);
        self.predict.pins.predictions.retain(|(_, other), _| other != run);
    }

    /// Requests the missing predictions for every finished task of the runs on the board.
    pub(super) fn request_pin_predictions(&mut self) {
        let runs = self.predict.pins.runs.clone();
        for run in runs {
            let task_count = self.finished_tasks(&run);
            // A run that is not listed yet is skipped; its earlier predictions are kept.
            if task_count == 0 || self.remote_weights_problem(&run).is_some() {
                continue;
            }
            for pin in self.predict.pins.pinned.clone() {
                let key = (pin.id, run.clone());
                let results = self.predict.pins.predictions.entry(key).or_default();
                if results.requested > task_count {
                    // An added task was undone, so later predictions must be requested again.
                    results.results.truncate(task_count);
                    results.requested = task_count;
                }
                if results.requested == task_count {
                    continue;
                }
                let missing = |task: &usize| results.get(*task).is_none();
                let tasks: Vec<usize> = (0..task_count).rev().filter(missing).collect();
                self.tickets += 1;
                results.ticket = self.tickets;
                results.requested = task_count;
                results.problem = None;
                self.backend.send(Command::Predict(PredictRequest {
                    ticket: self.tickets,
                    about: pin.id.0,
                    run: run.clone(),
                    picture: NamedImage::clone(&pin.image),
                    tasks,
                }));
            }
        }
    }
}
