//! The image on the page Predict, and the predictions of all snapshots of a run for it.

pub mod decision;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::by_class::ImagesByClass;
use super::inside::InsideResults;
use super::pins::Pins;
use super::prediction_table::PredictionTableView;
use super::run_view::RunView;
use super::views::{Fetch, RunRow};
use crate::data::FULL_DEPTH;
use crate::message;
use crate::metrics::Expert;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, NamedImage, PredictRequest, Prediction, RunHeader};
use crate::run::rejection::RejectionThreshold;

/// The state of the page Predict: an image with one prediction per snapshot, pinned images, a table, and Look inside.
#[derive(Debug, Default)]
pub struct PredictView {
    /// The selected run.
    pub run: Option<PathBuf>,
    /// Whether the user selected the run; otherwise the newest run is used.
    pub selected_by_user: bool,
    /// A run whose last added task was undone while it was selected, until the run is read again.
    pub(super) undone_run: Option<PathBuf>,
    /// The image file that is being read.
    reading: Option<PathBuf>,
    /// The last image read from a file, with its path and the bit depth it was read with.
    file: Option<(Arc<NamedImage>, PathBuf, usize)>,
    /// The displayed image.
    pub image: Option<Arc<NamedImage>>,
    /// The true class of a test image.
    pub truth: Option<String>,
    /// Ticket of the latest request.
    pub ticket: u64,
    /// The image that was opened last, with its true class if known. A drawing does not replace it.
    pub opened_image: Option<(Arc<NamedImage>, Option<String>)>,
    /// The prediction of each snapshot.
    pub predictions: Vec<Option<Arc<Prediction>>>,
    /// The image that the predictions are about, with its true class if known.
    pub predicted_image: Option<(Arc<NamedImage>, Option<String>)>,
    /// Whether the predictions are about an earlier image.
    pub is_stale: bool,
    /// The selected snapshot, from 0.
    pub task: usize,
    /// Why the image cannot be predicted.
    pub problem: Option<Problem>,
    /// Pinned images and their predictions.
    pub pins: Pins,
    /// The latest table of predictions for a folder.
    pub prediction_table: Option<PredictionTableView>,
    /// The images of the table by class, once the table is written.
    pub images_by_class: Fetch<Arc<ImagesByClass>>,
    /// Results of Look inside.
    pub inside: InsideResults,
}

impl Session {
    /// Predicts an image with all snapshots of the selected run, the selected snapshot first.
    pub fn predict_image(&mut self, image: Arc<NamedImage>, truth: Option<String>) {
        self.predict.opened_image = Some((image.clone(), truth.clone()));
        self.request_prediction(image, truth);
    }

    /// Shows an image file, decoded with the selected run's bit depth. If several files are requested, the last one is
    /// shown.
    pub fn predict_file(&mut self, path: PathBuf) {
        self.predict.reading = Some(path.clone());
        let requested = path.clone();
        let run = self.predict.run.as_ref();
        let depth = run.map_or(FULL_DEPTH, |run| self.bit_depth_of(run));
        self.queued_task(
            Some("predict-picture"),
            move |sources| sources.disk().read_image(&path, depth),
            move |session, image| session.accept_image_file(&requested, depth, image),
        );
    }

    fn accept_image_file(&mut self, path: &Path, depth: usize, result: Result<NamedImage>) {
        if self.predict.reading.as_deref() != Some(path) {
            return;
        }
        match result {
            Ok(image) => {
                let image = Arc::new(image);
                self.predict.file = Some((image.clone(), path.to_path_buf(), depth));
                self.predict_image(image, None);
            }
            Err(problem) => self.predict.fail(problem),
        }
    }

    /// Predicts a drawing with all snapshots of the selected run.
    pub fn predict_drawing(&mut self, image: Arc<NamedImage>) {
        self.request_prediction(image, None);
    }

    /// Predicts the image that was opened last, if any.
    pub fn predict_opened_image(&mut self) {
        match self.predict.opened_image.clone() {
            Some((image, truth)) => self.request_prediction(image, truth),
            None => self.predict.clear_image(),
        }
    }

    fn request_prediction(&mut self, image: Arc<NamedImage>, truth: Option<String>) {
        self.predict.reading = None;
        self.predict.image = Some(image);
        self.predict.truth = truth;
        self.predict.problem = None;
        self.predict_again();
    }

    /// Predicts the displayed image with the selected run, again if it was predicted before.
    pub fn predict_again(&mut self) {
        let (Some(run), Some(image)) = (&self.predict.run, &self.predict.image) else {
            return;
        };
        let depth = self.bit_depth_of(run);
        let is_outdated = |file: &&(Arc<NamedImage>, PathBuf, usize)| {
            Arc::ptr_eq(&file.0, image) && file.2 != depth
        };
        if let Some((_, path, _)) = self.predict.file.as_ref().filter(is_outdated) {
            // Another run was selected that decodes 16-bit images differently, so the file is read again.
            self.predict_file(path.clone());
            return;
        }
        let task_count = self.finished_tasks(run);
        if task_count == 0 {
            self.predict.clear_predictions();
            return;
        }
        if let Some(problem) = self.remote_weights_problem(run) {
            self.predict.fail(problem);
            return;
        }
        self.tickets += 1;
        self.predict.ticket = self.tickets;
        self.predict.is_stale = true;
        let first = self.predict.task.min(task_count - 1);
        self.predict.task = first;
        let others = (0..task_count).rev().filter(|&task| task != first);
        let request = PredictRequest {
            ticket: self.tickets,
            about: 0,
            run: run.clone(),
            picture: NamedImage::clone(image),
            tasks: std::iter::once(first).chain(others).collect(),
        };
        self.backend.send(Command::Predict(request));
    }

    /// Returns a Problem if a run's weights are on another computer and the user did not choose them. Then they are not
    /// opened, because the run may come from somebody else and the other computer would see the access.
    pub fn remote_weights_problem(&self, run: &Path) -> Option<Problem> {
        let config = &self.header_of(run)?.config;
        let location = &config.backbone;
        self.unapproved_locations(config).contains(location).then(|| {
            Problem::new(message!("predict-problem-weights-elsewhere"))
                .at(location)
                .advise(message!("predict-problem-weights-elsewhere-advice"))
        })
    }

    /// Returns when an expert of a run rejects an image after a task (from 0), and how often; `None` if this is not
    /// known.
    pub fn rejection_threshold(
        &self,
        run: &Path,
        task: usize,
        expert: Expert,
    ) -> Option<RejectionThreshold> {
        let measurements = match self.train.run_in(run) {
            Some(view) => view.reports.get(task).map(|report| &report.measurements),
            None => self.row(run).and_then(|row| row.measurements.get(task)),
        };
        let inside = self.predict.inside.run(run, task);
        let probe = inside.and_then(|inside| inside.probe.as_ref());
        RejectionThreshold::from_measurements(measurements, probe, expert)
    }

    /// Returns the expert that gives the answers of the run in this folder; `None` if the run is neither open nor
    /// listed.
    pub(super) fn answering_expert(&self, run: &Path) -> Option<Expert> {
        self.header_of(run).map(RunHeader::answering_expert)
    }

    /// Counts the rejections of the run on Predict by Look inside. Only on request, because hundreds of images must
    /// pass through the network.
    pub fn count_rejections(&mut self) {
        let Some(run) = self.predict.run.clone() else {
            return;
        };
        let task_count = self.finished_tasks(&run);
        if task_count > 0 && self.remote_weights_problem(&run).is_none() {
            self.request_run_inside(&run, task_count);
        }
    }

    /// Returns the run that Predict uses by default: the run in progress, otherwise the newest stored run.
    fn newest_run(&self) -> Option<PathBuf> {
        let live = self.train.live.as_ref();
        let live = live.filter(|run| !run.reports.is_empty());
        let newest_measured = || self.rows().find(|row| row.is_measured());
        let folder = live.and_then(|run| run.folder());
        let folder = folder.or_else(|| Some(newest_measured()?.folder.as_path()));
        folder.map(Path::to_path_buf)
    }

    /// Selects a run for the user. A newer run does not replace it.
    pub fn pin_predictor(&mut self, folder: PathBuf) {
        self.predict.selected_by_user = true;
        self.choose_predictor(folder);
    }

    /// Selects the newest run again, now and in future.
    pub fn unpin_predictor(&mut self) {
        self.predict.selected_by_user = false;
        if let Some(folder) = self.newest_run() {
            self.choose_predictor(folder);
        }
    }

    /// Returns the number of classes that the run on Predict has learned and will learn; `None` if it is finished.
    pub fn unfinished_predictor(&self) -> Option<(usize, usize)> {
        let run = self.predict.run.as_ref()?;
        let header = self.header_of(run)?;
        let task_count = self.finished_tasks(run);
        let learned = header.tasks.get(task_count.checked_sub(1)?)?.end;
        let all = header.class_order.len();
        (learned < all).then_some((learned, all))
    }

    /// Selects the run for Predict.
    pub fn choose_predictor(&mut self, folder: PathBuf) {
        let task_count = self.finished_tasks(&folder);
        if self.predict.run.as_ref() != Some(&folder) {
            self.predict.run = Some(folder);
            self.predict.clear_predictions();
        }
        self.predict.task = task_count.saturating_sub(1);
        self.predict_again();
    }

    /// Predicts again with a run whose added task was undone, once the run is read without that task.
    pub(super) fn repredict_after_undo(&mut self) {
        let Some(folder) = self.predict.undone_run.clone() else {
            return;
        };
        let opened = self.train.opened.as_ref();
        let opened = opened.filter(|run| run.folder() == Some(folder.as_path()));
        let listed_tasks = self.row(&folder).map(RunRow::tasks);
        let is_up_to_date = |run: &Arc<RunView>| Some(run.tasks()) == listed_tasks;
        if self.compare.folders.is_listing || !opened.is_none_or(is_up_to_date) {
            return;
        }
        self.predict.undone_run = None;
        // The user may have selected another run in the meantime.
        if self.predict.run.as_ref() == Some(&folder) {
            self.choose_predictor(folder);
        }
    }

    /// Handles a run that cannot be opened. If Predict waits for it after its added task was undone, Predict shows the
    /// error.
    pub(super) fn accept_unopened_run(&mut self, folder: &Path, problem: Problem) {
        if self.predict.undone_run.take_if(|run| run == folder).is_some()
            && self.predict.run.as_deref() == Some(folder)
        {
            self.predict.fail(problem.clone());
        }
        self.notify(problem, true);
    }

    /// Predicts with the newest snapshot after a task of the current run. Does nothing if the user selected an older
    /// snapshot or another run, or if the page has an image or a table.
    pub(super) fn follow_live(&mut self, run: &RunView) {
        let Some(header) = &run.header else { return };
        let (folder, task_count) = (header.folder.clone(), run.reports.len());
        if self.predict.run.as_ref() == Some(&folder) {
            if self.predict.task + 2 >= task_count {
                self.predict.task = task_count.saturating_sub(1);
            }
            if self.predict.image.is_some() {
                self.predict_again();
            }
        } else if !self.predict.selected_by_user
            && self.predict.image.is_none()
            && self.predict.prediction_table.is_none()
        {
            self.choose_predictor(folder);
        }
    }
}

impl PredictView {
    /// Records that the last added task of this run was undone. The run is used again once it is read.
    pub(super) fn record_undone_task(&mut self, folder: &Path) {
        self.clear_predictions();
        self.run = Some(folder.to_path_buf());
        self.undone_run = self.run.clone();
    }

    /// Deselects this run because it was deleted. The run that is selected next was not selected by the user.
    pub(super) fn deselect(&mut self, folder: &Path) {
        if self.run.as_deref() == Some(folder) {
            (self.run, self.selected_by_user) = (None, false);
            self.clear_predictions();
        }
    }

    /// Removes the image. An image file and predictions that arrive later are ignored.
    pub fn clear_image(&mut self) {
        self.reading = None;
        self.image = None;
        self.truth = None;
        self.problem = None;
        self.clear_predictions();
    }

    /// Removes all predictions. Predictions that arrive later are ignored.
    fn clear_predictions(&mut self) {
        self.is_stale = false;
        self.predictions.clear();
        self.predicted_image = None;
        self.ticket = u64::MAX;
    }

    /// Shows an error in place of the predictions.
    pub(super) fn fail(&mut self, problem: Problem) {
        self.clear_predictions();
        self.problem = Some(problem);
    }

    /// Returns the prediction of the selected snapshot.
    pub fn selected_prediction(&self) -> Option<&Arc<Prediction>> {
        self.predictions.get(self.task)?.as_ref()
    }

    /// Returns the snapshots that know the class at `position`, each with an expert's score for the class.
    pub fn class_scores(&self, position: usize, expert: Expert) -> Vec<(usize, f64)> {
        let point = |(task, prediction): (usize, &Option<Arc<Prediction>>)| {
            let prediction = prediction.as_ref()?.expert_prediction(expert)?;
            let p = prediction.probabilities.get(position)?;
            Some((task, f64::from(*p)))
        };
        self.predictions.iter().enumerate().filter_map(point).collect()
    }

    /// Stores a prediction. Predictions of earlier requests are ignored.
    pub fn accept(&mut self, prediction: Prediction) {
        if prediction.ticket != self.ticket {
            return;
        }
        if self.is_stale {
            self.predictions.fill(None);
            self.is_stale = false;
            let image = self.image.clone();
            self.predicted_image = image.map(|image| (image, self.truth.clone()));
        }
        if prediction.task >= self.predictions.len() {
            self.predictions.resize(prediction.task + 1, None);
        }
        let task = prediction.task;
        self.predictions[task] = Some(Arc::new(prediction));
        self.problem = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::event::ClassPrediction;

    pub(super) fn class_prediction(expert: Expert, probabilities: &[f32]) -> ClassPrediction {
        ClassPrediction {
            expert,
            class: crate::method::answers::argmax(probabilities),
            probabilities: probabilities.to_vec(),
            energy: Some(-1.0),
        }
    }

    pub(super) fn prediction(ticket: u64, task: usize, decided_by: Expert) -> Prediction {
        Prediction {
            ticket,
            run: PathBuf::new(),
            task,
            classes: vec!["one".into(), "seven".into()],
            opinions: vec![
                class_prediction(Expert::ONLINE, &[0.6, 0.4]),
                class_prediction(Expert::OFFLINE, &[0.1, 0.9]),
                class_prediction(Expert::ENSEMBLE, &[0.6, 0.9]),
            ],
            decided_by,
            seen: Vec::new(),
            seen_size: 0,
        }
    }

    #[test]
    fn late_answers_are_dropped_and_stale_ones_replaced() {
        let mut view = PredictView {
            ticket: 2,
            predictions: vec![Some(Arc::new(prediction(1, 0, Expert::ONLINE))), None],
            is_stale: true,
            ..PredictView::default()
        };
        view.accept(prediction(1, 1, Expert::ONLINE));
        assert!(view.is_stale && view.predictions[1].is_none());
        view.accept(prediction(2, 1, Expert::OFFLINE));
        assert!(!view.is_stale && view.predictions[0].is_none());
        assert_eq!(view.class_scores(1, Expert::OFFLINE), vec![(1, 0.9f32.into())]);
    }

    #[test]
    fn deleted_run_is_deselected() {
        let mut view = PredictView {
            run: Some("a".into()),
            selected_by_user: true,
            predictions: vec![Some(Arc::new(prediction(1, 0, Expert::ONLINE)))],
            ..PredictView::default()
        };
        view.deselect(Path::new("b"));
        assert!(view.run.is_some() && view.selected_by_user);
        view.deselect(Path::new("a"));
        assert!(view.run.is_none() && !view.selected_by_user && view.predictions.is_empty());
    }
}
