//! Pinned images. Every run on the board predicts them after each of its tasks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::inside::Views;
use crate::problem::Problem;
use crate::run::event::{Command, Picture, PredictRequest, Prediction};

/// Identifies a pinned image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PinId(u64);

/// A pinned image.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its id.
    pub id: PinId,
    /// The image, with its name.
    pub picture: Arc<Picture>,
    /// Its true class, if the user set it.
    pub truth: Option<String>,
}

/// Pinned images and the runs that predict them.
#[derive(Debug, Default)]
pub struct Pins {
    pinned: Vec<Pin>,
    runs: Vec<PathBuf>,
    /// The predictions of each run, without the image that the network receives.
    answers: HashMap<(PinId, PathBuf), Views<Prediction>>,
    last: u64,
}

impl Pins {
    /// Returns the images, in the order in which they were pinned.
    pub fn pictures(&self) -> &[Pin] {
        &self.pinned
    }

    /// Returns the runs, in the order in which they were added.
    pub fn runs(&self) -> &[PathBuf] {
        &self.runs
    }

    /// Returns the prediction of this run for this image after `task` (from 0); `None` if it is not known yet.
    pub fn answer(&self, pin: PinId, run: &Path, task: usize) -> Option<&Prediction> {
        self.of(pin, run)?.at(task).map(|answer| &**answer)
    }

    /// Returns the number of tasks of this run with a prediction for this image.
    pub fn answered(&self, pin: PinId, run: &Path) -> usize {
        let given = self.of(pin, run).map(|answers| answers.given.iter());
        given.map_or(0, |given| given.flatten().count())
    }

    /// Returns why this run could not predict this image.
    pub fn problem(&self, pin: PinId, run: &Path) -> Option<&Problem> {
        self.of(pin, run)?.problem.as_ref()
    }

    fn of(&self, pin: PinId, run: &Path) -> Option<&Views<Prediction>> {
        self.answers.get(&(pin, run.to_path_buf()))
    }

    /// Stores a prediction of a pinned image. Returns the prediction if its ticket belongs to no pinned image.
    pub(super) fn take(&mut self, mut answer: Prediction) -> Option<Prediction> {
        let mut asked = self.answers.values_mut();
        let Some(answers) = asked.find(|known| known.ticket == answer.ticket) else {
            return Some(answer);
        };
        // The task may have been undone in the meantime.
        if answer.task < answers.asked {
            answer.seen.clear();
            answers.take(answer.task, answer);
        }
        None
    }

    /// Stores the error of a request. Returns the error if its ticket belongs to no pinned image.
    pub(super) fn refuse(&mut self, ticket: u64, problem: Problem) -> Option<Problem> {
        let mut asked = self.answers.values_mut();
        match asked.find(|known| known.ticket == ticket) {
            Some(answers) => answers.problem = Some(problem),
            None => return Some(problem),
        }
        None
    }
}

impl Session {
    /// Pins an image. Every run on the board predicts it from now on.
    pub fn pin(&mut self, picture: Arc<Picture>, truth: Option<String>) -> PinId {
        self.predict.pins.last += 1;
        let id = PinId(self.predict.pins.last);
        self.predict.pins.pinned.push(Pin { id, picture, truth });
        self.request_pin_predictions();
        id
    }

    /// Replaces a pinned image, for example when a stroke was added to a drawing.
    pub fn repin(&mut self, id: PinId, picture: Arc<Picture>) {
        let Some(pin) = self.predict.pins.pinned.iter_mut().find(|pin| pin.id == id) else {
            return;
        };
        if pin.picture == picture {
            return;
        }
        pin.picture = picture;
        self.predict.pins.answers.retain(|(of, _), _| *of != id);
        self.request_pin_predictions();
    }

    /// Unpins an image.
    pub fn unpin(&mut self, id: PinId) {
        self.predict.pins.pinned.retain(|pin| pin.id != id);
        self.predict.pins.answers.retain(|(of, _), _| *of != id);
    }

    /// Adds a run to the board.
    pub fn show_pins_to(&mut self, run: PathBuf) {
        if !self.predict.pins.runs.contains(&run) {
            self.predict.pins.runs.push(run);
            self.request_pin_predictions();
        }
    }

    /// Removes a run from the board.
    pub fn hide_pins_from(&mut self, run: &Path) {
        self.predict.pins.runs.retain(|known| known != run);
        self.predict.pins.answers.retain(|(_, of), _| of != run);
    }

    /// Requests the missing predictions for every finished task of the runs on the board.
    pub(super) fn request_pin_predictions(&mut self) {
        let runs = self.predict.pins.runs.clone();
        for run in runs {
            let done = self.finished_tasks(&run);
            // A run that is not listed yet is skipped; its earlier predictions are kept.
            if done == 0 || self.weights_elsewhere(&run).is_some() {
                continue;
            }
            for pin in self.predict.pins.pinned.clone() {
                let key = (pin.id, run.clone());
                let answers = self.predict.pins.answers.entry(key).or_default();
                if answers.asked > done {
                    // An added task was undone, so later predictions must be requested again.
                    answers.given.truncate(done);
                    answers.asked = done;
                }
                if answers.asked == done {
                    continue;
                }
                let missing = |task: &usize| answers.at(*task).is_none();
                let tasks: Vec<usize> = (0..done).rev().filter(missing).collect();
                self.tickets += 1;
                answers.ticket = self.tickets;
                answers.asked = done;
                answers.problem = None;
                self.backend.send(Command::Predict(PredictRequest {
                    ticket: self.tickets,
                    about: pin.id.0,
                    run: run.clone(),
                    picture: Picture::clone(&pin.picture),
                    tasks,
                }));
            }
        }
    }
}
