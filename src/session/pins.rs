//! Pinned pictures: they stay, and every run they are shown to answers them after each of its tasks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use crate::problem::Problem;
use crate::run::event::{Command, Picture, PredictRequest, Prediction};

/// Tells pinned pictures apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PinId(u64);

/// A pinned picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its id.
    pub id: PinId,
    /// The picture, with its name.
    pub picture: Arc<Picture>,
    /// Its class, where the person said it.
    pub truth: Option<String>,
}

/// What one run says to one picture.
#[derive(Debug, Default)]
struct Answers {
    /// By task; without what the network sees.
    given: Vec<Option<Prediction>>,
    /// Tasks asked about so far.
    asked: usize,
    /// The latest request.
    ticket: u64,
    problem: Option<Problem>,
}

/// Pinned pictures and the runs that answer them.
#[derive(Debug, Default)]
pub struct Pins {
    pinned: Vec<Pin>,
    runs: Vec<PathBuf>,
    answers: HashMap<(PinId, PathBuf), Answers>,
    last: u64,
}

impl Pins {
    /// The pictures, in the order in which they were pinned.
    pub fn pictures(&self) -> &[Pin] {
        &self.pinned
    }

    /// The runs that answer, in the order in which they were added.
    pub fn runs(&self) -> &[PathBuf] {
        &self.runs
    }

    /// What this run says to this picture after `task`, from 0; none while it has not answered.
    pub fn answer(&self, pin: PinId, run: &Path, task: usize) -> Option<&Prediction> {
        self.of(pin, run)?.given.get(task)?.as_ref()
    }

    /// How many tasks of this run have an answer to this picture.
    pub fn answered(&self, pin: PinId, run: &Path) -> usize {
        let given = self.of(pin, run).map(|answers| answers.given.iter());
        given.map_or(0, |given| given.flatten().count())
    }

    /// Why this run does not answer this picture.
    pub fn problem(&self, pin: PinId, run: &Path) -> Option<&Problem> {
        self.of(pin, run)?.problem.as_ref()
    }

    fn of(&self, pin: PinId, run: &Path) -> Option<&Answers> {
        self.answers.get(&(pin, run.to_path_buf()))
    }

    /// Takes an answer to a pinned picture; gives back what belongs to nobody here.
    pub(super) fn take(&mut self, mut answer: Prediction) -> Option<Prediction> {
        let mut asked = self.answers.values_mut();
        let Some(answers) = asked.find(|known| known.ticket == answer.ticket) else {
            return Some(answer);
        };
        answer.seen.clear();
        let task = answer.task;
        if task >= answers.asked {
            // That task was taken back meanwhile.
            return None;
        }
        if task >= answers.given.len() {
            answers.given.resize(task + 1, None);
        }
        answers.given[task] = Some(answer);
        None
    }

    /// Takes a refusal; gives back what belongs to nobody here.
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
    /// Pins a picture: every run of the board answers it from now on.
    pub fn pin(&mut self, picture: Arc<Picture>, truth: Option<String>) -> PinId {
        self.predict.pins.last += 1;
        let id = PinId(self.predict.pins.last);
        self.predict.pins.pinned.push(Pin { id, picture, truth });
        self.ask_pins();
        id
    }

    /// Puts another picture in the place of a pinned one, such as a drawing with one more stroke.
    pub fn repin(&mut self, id: PinId, picture: Arc<Picture>) {
        let Some(pin) = self.predict.pins.pinned.iter_mut().find(|pin| pin.id == id) else {
            return;
        };
        if pin.picture == picture {
            return;
        }
        pin.picture = picture;
        self.predict.pins.answers.retain(|(of, _), _| *of != id);
        self.ask_pins();
    }

    /// Takes a pinned picture off.
    pub fn unpin(&mut self, id: PinId) {
        self.predict.pins.pinned.retain(|pin| pin.id != id);
        self.predict.pins.answers.retain(|(of, _), _| *of != id);
    }

    /// Shows the pinned pictures to this run, too.
    pub fn show_pins_to(&mut self, run: PathBuf) {
        if !self.predict.pins.runs.contains(&run) {
            self.predict.pins.runs.push(run);
            self.ask_pins();
        }
    }

    /// Shows them to this run no longer.
    pub fn hide_pins_from(&mut self, run: &Path) {
        self.predict.pins.runs.retain(|known| known != run);
        self.predict.pins.answers.retain(|(_, of), _| of != run);
    }

    /// Asks the runs of the board about every task they finished since.
    pub(super) fn ask_pins(&mut self) {
        let runs = self.predict.pins.runs.clone();
        for run in runs {
            let done = self.finished_tasks(&run);
            // A run that is not listed yet is asked once it is; what it answered before stays.
            if done == 0 || self.weights_elsewhere(&run).is_some() {
                continue;
            }
            for pin in self.predict.pins.pinned.clone() {
                let key = (pin.id, run.clone());
                let answers = self.predict.pins.answers.entry(key).or_default();
                if answers.asked > done {
                    // A lesson was taken back: what came after is answered anew.
                    answers.given.truncate(done);
                    answers.asked = done;
                }
                if answers.asked == done {
                    continue;
                }
                let missing = |task: &usize| !matches!(answers.given.get(*task), Some(Some(_)));
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
