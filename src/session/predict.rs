//! The image on the page Predict, and the predictions of all snapshots of a run for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::inside::Insides;
use super::pins::Pins;
use super::run_view::RunView;
use super::sheet::SheetView;
use super::sorted::SortedPictures;
use super::views::{Fetch, RunRow};
use super::words::percent;
use crate::data::FULL_DEPTH;
use crate::message;
use crate::metrics::Expert;
use crate::problem::{Problem, Result, listed};
use crate::run::event::{ClassPrediction, Command, Picture, PredictRequest, Prediction, RunHeader};
use crate::run::refusal::Refusal;
use crate::texts::{Language, Values};
use crate::tr;

/// The state of the page Predict: an image with one prediction per snapshot, pinned images, a table, and Look inside.
#[derive(Debug, Default)]
pub struct PredictView {
    /// The selected run.
    pub run: Option<PathBuf>,
    /// Whether the user selected the run; otherwise the newest run is used.
    pub by_person: bool,
    /// A run whose last added task was undone while it was selected, until the run is read again.
    pub(super) undone: Option<PathBuf>,
    /// The image file that is being read.
    reading: Option<PathBuf>,
    /// The last image read from a file, with its path and the bit depth it was read with.
    file: Option<(Arc<Picture>, PathBuf, usize)>,
    /// The displayed image.
    pub picture: Option<Arc<Picture>>,
    /// The true class of a test image.
    pub truth: Option<String>,
    /// Ticket of the latest request.
    pub ticket: u64,
    /// The image that was opened last, with its true class if known. A drawing does not replace it.
    pub given: Option<(Arc<Picture>, Option<String>)>,
    /// The prediction of each snapshot.
    pub answers: Vec<Option<Arc<Prediction>>>,
    /// The image that the predictions are about, with its true class if known.
    pub answered: Option<(Arc<Picture>, Option<String>)>,
    /// Whether the predictions are about an earlier image.
    pub stale: bool,
    /// The selected snapshot, from 0.
    pub task: usize,
    /// Why the image cannot be predicted.
    pub problem: Option<Problem>,
    /// Pinned images and their predictions.
    pub pins: Pins,
    /// The latest table of predictions for a folder.
    pub sheet: Option<SheetView>,
    /// The images of the table by class, once the table is written.
    pub sorted: Fetch<Arc<SortedPictures>>,
    /// Results of Look inside.
    pub insides: Insides,
}

impl Session {
    /// Predicts an image with all snapshots of the selected run, the selected snapshot first.
    pub fn predict_picture(&mut self, picture: Arc<Picture>, truth: Option<String>) {
        self.predict.given = Some((picture.clone(), truth.clone()));
        self.ask_about(picture, truth);
    }

    /// Shows an image file, decoded with the selected run's bit depth. If several files are requested, the last one is
    /// shown.
    pub fn predict_file(&mut self, path: PathBuf) {
        self.predict.reading = Some(path.clone());
        let asked = path.clone();
        let run = self.predict.run.as_ref();
        let depth = run.map_or(FULL_DEPTH, |run| self.bit_depth_of(run));
        self.queued_task(
            Some("predict-picture"),
            move |sources| sources.disk().picture(&path, depth),
            move |session, picture| session.accept_image_file(&asked, depth, picture),
        );
    }

    fn accept_image_file(&mut self, path: &Path, depth: usize, picture: Result<Picture>) {
        if self.predict.reading.as_deref() != Some(path) {
            return;
        }
        match picture {
            Ok(picture) => {
                let picture = Arc::new(picture);
                self.predict.file = Some((picture.clone(), path.to_path_buf(), depth));
                self.predict_picture(picture, None);
            }
            Err(problem) => self.predict.refuse(problem),
        }
    }

    /// Predicts a drawing with all snapshots of the selected run.
    pub fn predict_drawing(&mut self, picture: Arc<Picture>) {
        self.ask_about(picture, None);
    }

    /// Predicts the image that was opened last, if any.
    pub fn predict_given(&mut self) {
        match self.predict.given.clone() {
            Some((picture, truth)) => self.ask_about(picture, truth),
            None => self.predict.forget_picture(),
        }
    }

    fn ask_about(&mut self, picture: Arc<Picture>, truth: Option<String>) {
        self.predict.reading = None;
        self.predict.picture = Some(picture);
        self.predict.truth = truth;
        self.predict.problem = None;
        self.predict_again();
    }

    /// Predicts the displayed image with the selected run, again if it was predicted before.
    pub fn predict_again(&mut self) {
        let (Some(run), Some(picture)) = (&self.predict.run, &self.predict.picture) else {
            return;
        };
        let depth = self.bit_depth_of(run);
        let other = |read: &&(Arc<Picture>, PathBuf, usize)| {
            Arc::ptr_eq(&read.0, picture) && read.2 != depth
        };
        if let Some((_, path, _)) = self.predict.file.as_ref().filter(other) {
            // Another run was selected that decodes 16-bit images differently, so the file is read again.
            self.predict_file(path.clone());
            return;
        }
        let count = self.finished_tasks(run);
        if count == 0 {
            self.predict.forget_answers();
            return;
        }
        if let Some(problem) = self.weights_elsewhere(run) {
            self.predict.refuse(problem);
            return;
        }
        self.tickets += 1;
        self.predict.ticket = self.tickets;
        self.predict.stale = true;
        let first = self.predict.task.min(count - 1);
        self.predict.task = first;
        let others = (0..count).rev().filter(|&task| task != first);
        let request = PredictRequest {
            ticket: self.tickets,
            about: 0,
            run: run.clone(),
            picture: Picture::clone(picture),
            tasks: std::iter::once(first).chain(others).collect(),
        };
        self.backend.send(Command::Predict(request));
    }

    /// Returns a Problem if a run's weights are on another computer and the user did not choose them. Then they are not
    /// opened, because the run may come from somebody else and the other computer would see the access.
    pub(super) fn weights_elsewhere(&self, run: &Path) -> Option<Problem> {
        let config = &self.header_of(run)?.config;
        let place = &config.backbone;
        self.unvisited(config).contains(place).then(|| {
            Problem::new(message!("predict-problem-weights-elsewhere"))
                .at(place)
                .advise(message!("predict-problem-weights-elsewhere-advice"))
        })
    }

    /// Returns when an expert of a run rejects an image after a task (from 0), and how often; `None` if this is not
    /// known.
    pub fn refusal(&self, run: &Path, task: usize, expert: Expert) -> Option<Refusal> {
        let measurements = match self.train.run_in(run) {
            Some(view) => view.reports.get(task).map(|report| &report.measurements),
            None => self.row(run).and_then(|row| row.measurements.get(task)),
        };
        let inside = self.predict.insides.run(run, task);
        let probe = inside.and_then(|inside| inside.probe.as_ref());
        Refusal::of(measurements, probe, expert)
    }

    /// Returns the expert that gives the answers of the run in this folder; `None` if the run is neither open nor
    /// listed.
    pub(super) fn answering(&self, run: &Path) -> Option<Expert> {
        self.header_of(run).map(RunHeader::answering)
    }

    /// Counts the rejections of the run on Predict by Look inside. Only on request, because hundreds of images must
    /// pass through the network.
    pub fn count_refusals(&mut self) {
        let Some(run) = self.predict.run.clone() else {
            return;
        };
        let done = self.finished_tasks(&run);
        if done > 0 && self.weights_elsewhere(&run).is_none() {
            self.request_run_inside(&run, done);
        }
    }

    /// Returns the run that Predict uses by default: the run in progress, otherwise the newest stored run.
    fn newest_run(&self) -> Option<PathBuf> {
        let live = self.train.live.as_ref();
        let live = live.filter(|run| !run.reports.is_empty());
        let measured = || self.rows().find(|row| row.is_measured());
        let folder = live.and_then(|run| run.folder());
        let folder = folder.or_else(|| Some(measured()?.folder.as_path()));
        folder.map(Path::to_path_buf)
    }

    /// Selects a run for the user. A newer run does not replace it.
    pub fn pin_predictor(&mut self, folder: PathBuf) {
        self.predict.by_person = true;
        self.choose_predictor(folder);
    }

    /// Selects the newest run again, now and in future.
    pub fn unpin_predictor(&mut self) {
        self.predict.by_person = false;
        if let Some(folder) = self.newest_run() {
            self.choose_predictor(folder);
        }
    }

    /// Returns the number of classes that the run on Predict has learned and will learn; `None` if it is finished.
    pub fn unfinished_predictor(&self) -> Option<(usize, usize)> {
        let run = self.predict.run.as_ref()?;
        let header = self.header_of(run)?;
        let done = self.finished_tasks(run);
        let learned = header.tasks.get(done.checked_sub(1)?)?.end;
        let all = header.class_order.len();
        (learned < all).then_some((learned, all))
    }

    /// Selects the run for Predict.
    pub fn choose_predictor(&mut self, folder: PathBuf) {
        let count = self.finished_tasks(&folder);
        if self.predict.run.as_ref() != Some(&folder) {
            self.predict.run = Some(folder);
            self.predict.forget_answers();
        }
        self.predict.task = count.saturating_sub(1);
        self.predict_again();
    }

    /// Predicts again with a run whose added task was undone, once the run is read without that task.
    pub(super) fn ask_undone(&mut self) {
        let Some(folder) = self.predict.undone.clone() else {
            return;
        };
        let opened = self.train.opened.as_ref();
        let opened = opened.filter(|run| run.folder() == Some(folder.as_path()));
        let listed = self.row(&folder).map(RunRow::tasks);
        let agree = |run: &Arc<RunView>| Some(run.tasks()) == listed;
        if self.compare.folders.listing || !opened.is_none_or(agree) {
            return;
        }
        self.predict.undone = None;
        // The user may have selected another run in the meantime.
        if self.predict.run.as_ref() == Some(&folder) {
            self.choose_predictor(folder);
        }
    }

    /// Handles a run that cannot be opened. If Predict waits for it after its added task was undone, Predict shows the
    /// error.
    pub(super) fn accept_unopened_run(&mut self, folder: &Path, problem: Problem) {
        if self.predict.undone.take_if(|run| run == folder).is_some()
            && self.predict.run.as_deref() == Some(folder)
        {
            self.predict.refuse(problem.clone());
        }
        self.notify(problem, true);
    }

    /// Predicts with the newest snapshot after a task of the current run. Does nothing if the user selected an older
    /// snapshot or another run, or if the page has an image or a table.
    pub(super) fn follow_live(&mut self, run: &RunView) {
        let Some(header) = &run.header else { return };
        let (folder, done) = (header.folder.clone(), run.reports.len());
        if self.predict.run.as_ref() == Some(&folder) {
            if self.predict.task + 2 >= done {
                self.predict.task = done.saturating_sub(1);
            }
            if self.predict.picture.is_some() {
                self.predict_again();
            }
        } else if !self.predict.by_person
            && self.predict.picture.is_none()
            && self.predict.sheet.is_none()
        {
            self.choose_predictor(folder);
        }
    }
}

impl PredictView {
    /// Records that the last added task of this run was undone. The run is used again once it is read.
    pub(super) fn undo(&mut self, folder: &Path) {
        self.forget_answers();
        self.run = Some(folder.to_path_buf());
        self.undone = self.run.clone();
    }

    /// Removes the image. Predictions that arrive later are ignored.
    pub fn forget_picture(&mut self) {
        self.picture = None;
        self.truth = None;
        self.problem = None;
        self.forget_answers();
    }

    /// Removes all predictions. Predictions that arrive later are ignored.
    fn forget_answers(&mut self) {
        self.stale = false;
        self.answers.clear();
        self.answered = None;
        self.ticket = u64::MAX;
    }

    /// Shows an error in place of the predictions.
    pub(super) fn refuse(&mut self, problem: Problem) {
        self.forget_answers();
        self.problem = Some(problem);
    }

    /// Returns the prediction of the selected snapshot.
    pub fn shown(&self) -> Option<&Arc<Prediction>> {
        self.answers.get(self.task)?.as_ref()
    }

    /// Returns the snapshots that know the class at `position`, each with an expert's score for the class.
    pub fn over_tasks(&self, position: usize, expert: Expert) -> Vec<(usize, f64)> {
        let point = |(task, answer): (usize, &Option<Arc<Prediction>>)| {
            let opinion = answer.as_ref()?.of(expert)?;
            let p = opinion.probabilities.get(position)?;
            Some((task, f64::from(*p)))
        };
        self.answers.iter().enumerate().filter_map(point).collect()
    }

    /// Stores a prediction. Predictions of earlier requests are ignored.
    pub fn take(&mut self, answer: Prediction) {
        if answer.ticket != self.ticket {
            return;
        }
        if self.stale {
            self.answers.fill(None);
            self.stale = false;
            let picture = self.picture.clone();
            self.answered = picture.map(|picture| (picture, self.truth.clone()));
        }
        if answer.task >= self.answers.len() {
            self.answers.resize(answer.task + 1, None);
        }
        let task = answer.task;
        self.answers[task] = Some(Arc::new(answer));
        self.problem = None;
    }
}

/// Returns the classes of an opinion, the most probable first.
pub fn ranking(opinion: &ClassPrediction) -> Vec<(usize, f32)> {
    let mut ranked: Vec<(usize, f32)> = opinion.probabilities.iter().copied().enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}

/// Explains in one or two sentences which expert decided and why. `busy_with` are the classes of the task that was
/// learned last.
pub fn reason(answer: &Prediction, busy_with: &[String]) -> String {
    let name = |class: usize| answer.classes.get(class).map_or("?", String::as_str);
    let (Some(online), Some(offline)) = (answer.of(Expert::ONLINE), answer.of(Expert::OFFLINE))
    else {
        return tr!("predict-reason-alone").into();
    };
    let [(online, sure), (offline, also_sure)] = [online, offline].map(|opinion| {
        let (class, p) = opinion.best();
        (class, percent(f64::from(p), 0))
    });
    if answer.task == 0 {
        return tr!("predict-reason-first", online = sure);
    }
    let mut values = Values::new();
    values.set("online", sure);
    values.set("offline", also_sure);
    let id = match answer.decided_by {
        Expert::OFFLINE if online == offline => "predict-reason-both-offline",
        Expert::ONLINE if online == offline => "predict-reason-both-online",
        Expert::OFFLINE if busy_with.is_empty() => "predict-reason-offline",
        Expert::OFFLINE => "predict-reason-offline-fresh",
        Expert::ONLINE if busy_with.is_empty() => "predict-reason-online",
        Expert::ONLINE => "predict-reason-online-fresh",
        _ => "predict-reason-equal",
    };
    let (first, other) = match answer.decided_by {
        Expert::OFFLINE => (offline, online),
        _ => (online, offline),
    };
    values.set("class", name(first));
    values.set("other", name(other));
    values.set("learned", listed(busy_with, 3));
    Language::spoken().format(id, &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion_of(expert: Expert, probabilities: &[f32]) -> ClassPrediction {
        ClassPrediction {
            expert,
            class: crate::method::answers::argmax(probabilities),
            probabilities: probabilities.to_vec(),
            energy: Some(-1.0),
        }
    }

    fn answer(ticket: u64, task: usize, decided_by: Expert) -> Prediction {
        Prediction {
            ticket,
            run: PathBuf::new(),
            task,
            classes: vec!["one".into(), "seven".into()],
            opinions: vec![
                opinion_of(Expert::ONLINE, &[0.6, 0.4]),
                opinion_of(Expert::OFFLINE, &[0.1, 0.9]),
                opinion_of(Expert::ENSEMBLE, &[0.6, 0.9]),
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
            answers: vec![Some(Arc::new(answer(1, 0, Expert::ONLINE))), None],
            stale: true,
            ..PredictView::default()
        };
        view.take(answer(1, 1, Expert::ONLINE));
        assert!(view.stale && view.answers[1].is_none());
        view.take(answer(2, 1, Expert::OFFLINE));
        assert!(!view.stale && view.answers[0].is_none());
        assert_eq!(
            view.over_tasks(1, Expert::OFFLINE),
            vec![(1, 0.9f32.into())]
        );
    }

    #[test]
    fn the_reason_names_the_expert_and_both_classes() {
        let text = reason(&answer(1, 3, Expert::OFFLINE), &["nine".into()]);
        let [online, offline] = ["60\u{a0}%", "90\u{a0}%"];
        let fresh = tr!(
            "predict-reason-offline-fresh",
            online,
            offline,
            class = "seven",
            other = "one",
            learned = "nine"
        );
        assert_eq!(text, fresh);
        let first = reason(&answer(1, 0, Expert::ONLINE), &[]);
        assert_eq!(first, tr!("predict-reason-first", online));
        assert_eq!(ranking(&opinion_of(Expert::ONLINE, &[0.1, 0.9]))[0].0, 1);
    }
}
