//! The certainty of a run's errors, if the run did not record it. The misclassified images are predicted again one by
//! one.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::loads::Lookup;
use super::run_view::RunView;
use super::views::Split;
use crate::metrics::{Expert, Misclassification};
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Picture, PredictRequest, Prediction, RunHeader};
use crate::tr;

/// Maximum number of images that are predicted again.
const MOST: usize = 200;
/// Marks the requests of this module, so that they do not replace requests of other pages.
const ABOUT: u64 = u64::MAX;

/// A run's folder and one of its tasks (from 0).
pub(super) type RunTask = (PathBuf, usize);

/// An image to predict: its index among the predictions, and its source and index there.
type ErrorImage = (usize, (usize, usize));

/// The certainties of errors.
#[derive(Default)]
pub(super) struct Certainties {
    /// The new predictions by task of a run and index among its predictions.
    found: HashMap<RunTask, HashMap<usize, Prediction>>,
    requests: Option<ErrorRequests>,
    problem: Option<(RunTask, Problem)>,
}

/// The requests in progress.
struct ErrorRequests {
    of: RunTask,
    header: Box<RunHeader>,
    left: VecDeque<ErrorImage>,
    all: usize,
    /// The image that is being predicted: its index and the ticket of the request.
    sent: Option<(usize, u64)>,
}

impl Certainties {
    /// Drops all results of a run.
    pub fn forget(&mut self, run: &Path) {
        self.found.retain(|(known, _), _| known != run);
        self.requests.take_if(|requests| requests.of.0 == run);
    }

    /// Stores a prediction. Returns the prediction if it belongs to another page.
    pub fn take(&mut self, mut answer: Prediction) -> Option<Prediction> {
        let Some(requests) = self.requests.as_mut() else {
            return Some(answer);
        };
        let Some((at, _)) = requests.sent.filter(|(_, ticket)| *ticket == answer.ticket) else {
            return Some(answer);
        };
        requests.sent = None;
        answer.seen.clear();
        let found = self.found.entry(requests.of.clone()).or_default();
        found.insert(at, answer);
        None
    }

    /// Stores the error of a request. Returns whether the request belongs to this module. The remaining images are not
    /// requested.
    pub fn refuse(&mut self, ticket: u64, problem: &Problem) -> bool {
        let mine =
            |requests: &ErrorRequests| requests.sent.is_some_and(|(_, known)| known == ticket);
        let Some(requests) = self.requests.take_if(|requests| mine(requests)) else {
            return false;
        };
        self.problem = Some((requests.of, problem.clone()));
        true
    }
}

impl Session {
    /// Returns the errors of an expert after a task, the most confident first, including certainties that were computed
    /// later. `class` restricts them to one true class.
    pub fn worst(
        &self,
        run: &RunView,
        task: usize,
        expert: Expert,
        class: Option<usize>,
    ) -> Vec<Misclassification> {
        let Some(report) = run.reports.get(task) else {
            return Vec::new();
        };
        let mut list = report.answers.wrong(expert, class);
        let of = run.folder().map(|folder| (folder.to_path_buf(), task));
        let found = of.and_then(|of| self.train.worst.found.get(&of));
        for wrong in list.iter_mut().filter(|wrong| wrong.certainty.is_none()) {
            let answer = found.and_then(|found| found.get(&wrong.at)?.of(expert));
            wrong.certainty =
                answer.and_then(|opinion| opinion.probabilities.get(wrong.given).copied());
        }
        Misclassification::sort(&mut list);
        list
    }

    /// Starts to predict the images again that the run misclassified after a task.
    pub fn predict_errors_again(&mut self, run: &Path, task: usize) {
        let Some(run) = self.train.run_in(run).cloned() else {
            return;
        };
        let (Some(header), Some(report)) = (&run.header, run.reports.get(task)) else {
            return;
        };
        let of = (header.folder.clone(), task);
        let answers = &report.answers;
        let wrong = answers.wrong(header.answering(), None);
        let known = self.train.worst.found.get(&of);
        let wanted =
            |wrong: &&Misclassification| known.is_none_or(|known| !known.contains_key(&wrong.at));
        let place = |wrong: &Misclassification| {
            let index = answers.samples.get(wrong.at).copied().unwrap_or_default();
            (wrong.at, (answers.source(wrong.at), index))
        };
        let left: VecDeque<ErrorImage> =
            wrong.iter().filter(wanted).take(MOST).map(place).collect();
        if let Some(problem) = self.weights_elsewhere(&of.0) {
            self.train.worst.problem = Some((of, problem));
            return;
        }
        self.train.worst.problem = None;
        self.train.worst.requests = Some(ErrorRequests {
            of,
            header: Box::new(header.clone()),
            all: left.len(),
            left,
            sent: None,
        });
        self.predict_next_error();
    }

    /// Returns how many images of this task were predicted again.
    pub fn errors_predicted(&self, run: &Path, task: usize) -> usize {
        let found = self.train.worst.found.get(&(run.to_path_buf(), task));
        found.map_or(0, HashMap::len)
    }

    /// Returns how many images of this task are done and how many there are in all; `None` if none are in progress.
    pub fn error_prediction_progress(&self, run: &Path, task: usize) -> Option<(usize, usize)> {
        let requests = self.train.worst.requests.as_ref()?;
        let same = (requests.of.0.as_path(), requests.of.1) == (run, task);
        let under_way = usize::from(requests.sent.is_some());
        same.then(|| (requests.all - requests.left.len() - under_way, requests.all))
    }

    /// Returns why the images could not be predicted.
    pub fn error_prediction_problem(&self, run: &Path, task: usize) -> Option<&Problem> {
        let (of, problem) = self.train.worst.problem.as_ref()?;
        ((of.0.as_path(), of.1) == (run, task)).then_some(problem)
    }

    /// Requests the prediction of the next image once it is read.
    pub(super) fn predict_next_error(&mut self) {
        let Some(mut requests) = self.train.worst.requests.take() else {
            return;
        };
        while requests.sent.is_none() {
            let Some(&(at, place)) = requests.left.front() else {
                // All images were requested.
                return;
            };
            let picture = self.picture_at(&requests.header, place);
            match self.look_up(picture) {
                None => break,
                // Unreadable images are skipped.
                Some(Err(_)) => drop(requests.left.pop_front()),
                Some(Ok(picture)) => {
                    requests.left.pop_front();
                    self.tickets += 1;
                    requests.sent = Some((at, self.tickets));
                    self.backend.send(Command::Predict(PredictRequest {
                        ticket: self.tickets,
                        about: ABOUT,
                        run: requests.of.0.clone(),
                        picture: Picture::clone(&picture),
                        tasks: vec![requests.of.1],
                    }));
                }
            }
        }
        self.train.worst.requests = Some(requests);
    }

    /// Returns a test image of a run.
    fn picture_at(
        &self,
        header: &RunHeader,
        (source, index): (usize, usize),
    ) -> Lookup<Result<Arc<Picture>>> {
        if source > 0 {
            return self.added_task_picture(header, source, index);
        }
        if self.data_is_missing(&header.config) {
            let gone = Problem::new(tr!("story-data-missing"));
            return Lookup::Found(Err(gone));
        }
        let data = self.data_of(&header.config);
        data.and_then(|data| self.picture_of(&data, Split::Test, index))
    }
}
