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
use crate::run::event::{Command, NamedImage, PredictRequest, Prediction, RunHeader};
use crate::tr;

/// Maximum number of images that are predicted again.
const MAX_IMAGES: usize = 200;
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
    predictions: HashMap<RunTask, HashMap<usize, Prediction>>,
    requests: Option<ErrorRequests>,
    problem: Option<(RunTask, Problem)>,
}

/// The requests in progress.
struct ErrorRequests {
    run_task: RunTask,
    header: Box<RunHeader>,
    remaining: VecDeque<ErrorImage>,
    total: usize,
    /// The image that is being predicted: its index and the ticket of the request.
    sent: Option<(usize, u64)>,
}

impl Certainties {
    /// Drops all results of a run.
    pub fn remove_run(&mut self, run: &Path) {
        self.predictions.retain(|(folder, _), _| folder != run);
        self.requests.take_if(|requests| requests.run_task.0 == run);
        self.problem.take_if(|((folder, _), _)| folder.as_path() == run);
    }

    /// Stores a prediction. Returns the prediction if it belongs to another page.
    pub fn accept(&mut self, mut prediction: Prediction) -> Option<Prediction> {
        let Some(requests) = self.requests.as_mut() else {
            return Some(prediction);
        };
        let Some((index, _)) = requests.sent.filter(|(_, ticket)| *ticket == prediction.ticket)
        else {
            return Some(prediction);
        };
        requests.sent = None;
        prediction.seen.clear();
        let predictions = self.predictions.entry(requests.run_task.clone()).or_default();
        predictions.insert(index, prediction);
        None
    }

    /// Stores the error of a request. Returns whether the request belongs to this module. The remaining images are not
    /// requested.
    pub fn fail(&mut self, ticket: u64, problem: &Problem) -> bool {
        let is_match = |requests: &ErrorRequests| {
            requests.sent.is_some_and(|(_, sent_ticket)| sent_ticket == ticket)
        };
        let Some(requests) = self.requests.take_if(|requests| is_match(requests)) else {
            return false;
        };
        self.problem = Some((requests.run_task, problem.clone()));
        true
    }
}

impl Session {
    /// Returns the errors of an expert after a task, the most confident first, including certainties that were computed
    /// later. `class` restricts them to one true class.
    pub fn most_confident_errors(
        &self,
        run: &RunView,
        task: usize,
        expert: Expert,
        class: Option<usize>,
    ) -> Vec<Misclassification> {
        let Some(report) = run.reports.get(task) else {
            return Vec::new();
        };
        let mut list = report.answers.misclassified(expert, class);
        let key = run.folder().map(|folder| (folder.to_path_buf(), task));
        let predictions = key.and_then(|key| self.train.certainties.predictions.get(&key));
        for error in list.iter_mut().filter(|error| error.certainty.is_none()) {
            let prediction = predictions
                .and_then(|predictions| predictions.get(&error.index)?.expert_prediction(expert));
            error.certainty = prediction
                .and_then(|prediction| prediction.probabilities.get(error.predicted).copied());
        }
        Misclassification::sort_by_certainty(&mut list);
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
        let run_task = (header.folder.clone(), task);
        let answers = &report.answers;
        let errors = answers.misclassified(header.answering_expert(), None);
        let predicted = self.train.certainties.predictions.get(&run_task);
        let is_missing = |error: &&Misclassification| {
            predicted.is_none_or(|predicted| !predicted.contains_key(&error.index))
        };
        let to_image = |error: &Misclassification| {
            let index = answers.samples.get(error.index).copied().unwrap_or_default();
            (error.index, (answers.source(error.index), index))
        };
        let remaining: VecDeque<ErrorImage> =
            errors.iter().filter(is_missing).take(MAX_IMAGES).map(to_image).collect();
        if let Some(problem) = self.remote_weights_problem(&run_task.0) {
            self.train.certainties.problem = Some((run_task, problem));
            return;
        }
        self.train.certainties.problem = None;
        self.train.certainties.requests = Some(ErrorRequests {
            run_task,
            header: Box::new(header.clone()),
            total: remaining.len(),
            remaining,
            sent: None,
        });
        self.predict_next_error();
    }

    /// Returns how many images of this task were predicted again.
    pub fn errors_predicted(&self, run: &Path, task: usize) -> usize {
        let found = self.train.certainties.predictions.get(&(run.to_path_buf(), task));
        found.map_or(0, HashMap::len)
    }

    /// Returns how many images of this task are done and how many there are in all; `None` if none are in progress.
    pub fn error_prediction_progress(&self, run: &Path, task: usize) -> Option<(usize, usize)> {
        let requests = self.train.certainties.requests.as_ref()?;
        let is_same = (requests.run_task.0.as_path(), requests.run_task.1) == (run, task);
        let sent = usize::from(requests.sent.is_some());
        is_same.then(|| (requests.total - requests.remaining.len() - sent, requests.total))
    }

    /// Returns why the images could not be predicted.
    pub fn error_prediction_problem(&self, run: &Path, task: usize) -> Option<&Problem> {
        let (run_task, problem) = self.train.certainties.problem.as_ref()?;
        ((run_task.0.as_path(), run_task.1) == (run, task)).then_some(problem)
    }

    /// Requests the prediction of the next image once it is read.
    pub(super) fn predict_next_error(&mut self) {
        let Some(mut requests) = self.train.certainties.requests.take() else {
            return;
        };
        while requests.sent.is_none() {
            let Some(&(index, position)) = requests.remaining.front() else {
                // All images were requested.
                return;
            };
            let lookup = self.error_image(&requests.header, position);
            match self.look_up(lookup) {
                None => break,
                // Unreadable images are skipped.
                Some(Err(_)) => drop(requests.remaining.pop_front()),
                Some(Ok(image)) => {
                    requests.remaining.pop_front();
                    self.tickets += 1;
                    requests.sent = Some((index, self.tickets));
                    self.backend.send(Command::Predict(PredictRequest {
                        ticket: self.tickets,
                        about: ABOUT,
                        run: requests.run_task.0.clone(),
                        picture: NamedImage::clone(&image),
                        tasks: vec![requests.run_task.1],
                    }));
                }
            }
        }
        self.train.certainties.requests = Some(requests);
    }

    /// Returns a test image of a run.
    fn error_image(
        &self,
        header: &RunHeader,
        (source, index): (usize, usize),
    ) -> Lookup<Result<Arc<NamedImage>>> {
        if source > 0 {
            return self.added_task_image(header, source, index);
        }
        if self.data_is_missing(&header.config) {
            let problem = Problem::new(tr!("session-data-missing"));
            return Lookup::Found(Err(problem));
        }
        let data = self.data_of(&header.config);
        data.and_then(|data| self.sample_image(&data, Split::Test, index))
    }
}
