//! The state of one run for the pages, updated from the engine's events.

use std::collections::VecDeque;
use std::path::Path;

use super::findings::{MissedClass, missed};
use super::row::title_of;
use super::words::{bytes_text, percent};
use crate::method::lae::DISTANCE;
use crate::metrics::{Expert, Histories, History, PromptStudy};
use crate::palette::Shade;
use crate::problem::{Problem, listed};
use crate::run::check_result::{DIFFERS, Report};
use crate::run::event::{Event, Phase, RunHeader, RunProgress, TaskReport};
use crate::run::job::JobId;
use crate::texts::said;
use crate::tr;

/// Maximum number of loss values kept for the curve.
const LOSSES: usize = 4096;
/// Maximum number of log lines.
const LINES: usize = 500;

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Running, or about to start.
    #[default]
    Running,
    /// Paused by the user.
    Paused,
    /// All tasks are learned.
    Finished,
    /// Stopped by the user; can be resumed.
    Stopped,
    /// Ended by a problem; can be resumed.
    Failed,
}

impl Stage {
    /// Returns whether the run is in progress or paused.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }

    /// Returns the word that is displayed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => tr!("stage-running"),
            Self::Paused => tr!("stage-paused"),
            Self::Finished => tr!("stage-finished"),
            Self::Stopped => tr!("stage-stopped"),
            Self::Failed => tr!("stage-failed"),
        }
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Local time, HH:MM:SS.
    pub time: String,
    /// What happened.
    pub text: String,
    /// Whether the line is a warning.
    pub warning: bool,
}

/// The state of one run.
#[derive(Clone, Debug, Default)]
pub struct RunView {
    /// The job that trains it; `None` for a stored run.
    pub job: Option<JobId>,
    /// Its constant facts; `None` until data and backbone are open.
    pub header: Option<RunHeader>,
    /// Its title before it has a header.
    pub title: String,
    /// Its state.
    pub stage: Stage,
    /// The current phase.
    pub phase: Option<Phase>,
    /// Its progress.
    pub progress: Option<RunProgress>,
    /// The measurements after each task.
    pub reports: Vec<TaskReport>,
    /// The accuracies of each expert after each task.
    pub history: Histories,
    /// The final forgetting F_N of the run's predictions as a fraction; `None` if it was not measured.
    pub forgotten: Option<f64>,
    /// F_N of each expert, if there are several experts.
    pub forgotten_by: Vec<(Expert, f64)>,
    /// The classes that it never or rarely recognises, computed with each report.
    pub missed: Vec<MissedClass>,
    /// The study of DualPrompt's prompts, if every task was studied.
    pub study: Option<PromptStudy>,
    /// The latest loss values, each with its task, oldest first.
    pub losses: VecDeque<(usize, f32)>,
    /// Number of loss values received, including dropped ones.
    pub steps: usize,
    /// Distance between its two experts during the current task: pairs of finished epochs and distance.
    pub distance: Vec<[f64; 2]>,
    /// The log, oldest line first.
    pub log: VecDeque<LogLine>,
    /// Why it failed.
    pub problem: Option<Problem>,
}

impl RunView {
    /// Returns the run of a job that was just requested.
    pub fn of_job(job: JobId, title: String) -> Self {
        Self {
            job: Some(job),
            title,
            ..Self::default()
        }
    }

    /// Returns the split that its accuracies are measured on: "test" or "validation".
    pub fn measured_on(&self) -> &'static str {
        let header = self.header.as_ref();
        header.map_or("test", |header| header.config.measured_on())
    }

    /// Returns a run read from its folder.
    pub fn stored(header: RunHeader, reports: Vec<TaskReport>) -> Self {
        let mut view = Self {
            title: title_of(&header),
            header: Some(header),
            ..Self::default()
        };
        view.all_measured(reports);
        view.stage = if view.reports.len() == view.tasks() {
            Stage::Finished
        } else {
            Stage::Stopped
        };
        view
    }

    /// Returns the mean loss of every epoch of the measured tasks, each with its task (from 0).
    pub fn losses_by_pass(&self) -> impl Iterator<Item = (usize, f32)> {
        let steps = |report: &TaskReport| {
            let task = report.task;
            let losses = report.losses.clone().into_iter();
            losses.map(move |loss| (task, loss as f32))
        };
        self.reports.iter().flat_map(steps)
    }

    /// Returns the number of tasks; 0 before the header is known.
    pub fn tasks(&self) -> usize {
        self.header.as_ref().map_or(0, |h| h.tasks.len())
    }

    /// Returns the name of the run's folder; empty before it has one.
    pub fn name(&self) -> &str {
        self.header.as_ref().map_or("", |h| &h.run)
    }

    /// Returns its folder, once it has one.
    pub fn folder(&self) -> Option<&Path> {
        self.header.as_ref().map(|header| header.folder.as_path())
    }

    /// Returns the colour of the run's method.
    pub fn shade(&self) -> Shade {
        let header = self.header.as_ref();
        Shade::of(header.map_or("", |header| &header.config.method))
    }

    /// Returns the colour of the run's method if the method has one expert; `None` if it has several.
    pub fn shade_alone(&self) -> Option<Shade> {
        let experts = &self.header.as_ref()?.method.experts;
        (experts.len() == 1).then(|| self.shade())
    }

    /// Returns the history of one expert.
    pub fn of(&self, expert: Expert) -> &History {
        self.history.of(expert)
    }

    /// Returns the history of the run's predictions.
    pub fn answers(&self) -> &History {
        self.history.answer()
    }

    /// Returns the current task, from 0.
    pub fn task_now(&self) -> Option<usize> {
        if !self.stage.is_live() {
            return None;
        }
        match &self.phase {
            Some(
                Phase::Training { task, .. }
                | Phase::Measuring { task }
                | Phase::Evaluating { task },
            ) => Some(*task),
            Some(Phase::Preparing(_)) => None,
            Some(Phase::Paused) | None => self.progress.as_ref().map(|p| p.task),
        }
    }

    /// Returns the finished share of the run, from 0 to 1.
    pub fn done(&self) -> f64 {
        if self.stage == Stage::Finished {
            return 1.0;
        }
        let by_tasks = self.reports.len() as f64 / self.tasks().max(1) as f64;
        self.progress.as_ref().map_or(by_tasks, |p| p.done)
    }

    /// Returns the class names of a task.
    pub fn class_names(&self, task: usize) -> &[String] {
        let header = self.header.as_ref();
        header.map_or(&[], |header| header.class_names(task))
    }

    /// Applies an event of this run. `now` is the local time for the log.
    pub fn fold(&mut self, event: Event, now: &str) {
        match event {
            Event::Started(header) => self.started(*header, now),
            Event::Phase { phase, .. } => self.enter(phase, now),
            Event::Progress { progress, .. } => self.advance(progress),
            Event::TaskEvaluated { report, .. } => {
                self.all_measured(vec![*report]);
                self.log_measurement(now);
            }
            Event::TakenUp { reports, .. } => {
                let text = tr!("story-log-resumed-after-task", n = reports.len());
                self.all_measured(reports);
                self.log(now, text);
            }
            Event::Saved { what, bytes, .. } => {
                let size = bytes_text(bytes);
                self.log(now, tr!("story-log-saved", what, size));
            }
            Event::Remark { problem, .. } => self.warn(now, problem.what_said()),
            Event::Finished { .. } => {
                self.stage = Stage::Finished;
                self.phase = None;
                self.log(now, self.stage.word().into());
            }
            Event::Stopped { .. } if self.in_added_task() => {
                self.drop_added_task();
                self.log(now, tr!("story-log-stopped-added").into());
            }
            Event::Stopped { .. } => {
                self.stage = Stage::Stopped;
                self.phase = None;
                let text = match self.header {
                    Some(_) => tr!("story-log-stopped"),
                    None => tr!("story-log-stopped-before-start"),
                };
                self.log(now, text.into());
            }
            Event::Failed { problem, .. } if self.in_added_task() => {
                self.drop_added_task();
                self.warn(now, problem.what_said());
                self.problem = Some(problem);
            }
            Event::Failed { problem, .. } => {
                self.stage = Stage::Failed;
                self.phase = None;
                self.warn(now, problem.what_said());
                self.problem = Some(problem);
            }
            Event::Checked(report) => self.checked(&report, now),
            Event::Tried(trial) => self.log(now, said(&trial.sentences(), " ")),
            Event::Searched(searched) => self.log(now, said(&searched.sentences(), " ")),
            Event::Assumed(sentences) if self.in_added_task() => {
                sentences
                    .iter()
                    .for_each(|words| self.log(now, words.said()));
            }
            // Pages show assumptions about data and backbone elsewhere; the other events do not belong to a run.
            Event::Queued { .. }
            | Event::Began(_)
            | Event::Removed(_)
            | Event::Predicted(_)
            | Event::Inside(_)
            | Event::NotInside { .. }
            | Event::Sheet { .. }
            | Event::Doubts { .. }
            | Event::NotPredicted { .. }
            | Event::Speed(_)
            | Event::Grid(_)
            | Event::Cell { .. }
            | Event::Assumed(_) => {}
        }
    }

    /// Returns whether an added task is in progress, which has no report yet.
    fn in_added_task(&self) -> bool {
        let header = self.header.as_ref();
        let taught = header.is_some_and(|header| !header.added_tasks.is_empty());
        taught && self.reports.len() + 1 == self.tasks()
    }

    /// Restores the state from before the added task.
    fn drop_added_task(&mut self) {
        let Some(header) = &mut self.header else {
            return;
        };
        let planned = header.planned_tasks();
        header.unlearn();
        self.title = title_of(header);
        self.stage = match planned > header.tasks.len() && header.added_tasks.is_empty() {
            true => Stage::Stopped,
            false => Stage::Finished,
        };
        (self.phase, self.progress) = (None, None);
    }

    fn started(&mut self, header: RunHeader, now: &str) {
        self.title = title_of(&header);
        let text = tr!(
            "story-log-started",
            classes = header.class_order.len(),
            n = header.tasks.len(),
            device = header.device.as_str()
        );
        self.header = Some(header);
        self.stage = Stage::Running;
        self.log(now, text);
    }

    fn enter(&mut self, phase: Phase, now: &str) {
        let was = self.phase.take();
        self.stage = if phase == Phase::Paused {
            Stage::Paused
        } else {
            Stage::Running
        };
        let text = match (&phase, &was) {
            (Phase::Preparing(what), _) => what.said(),
            (Phase::Paused, _) => self.stage.word().into(),
            (_, Some(Phase::Paused)) => tr!("story-log-resumed").into(),
            (Phase::Evaluating { task }, _) => tr!("story-log-testing", n = task + 1),
            (Phase::Measuring { task }, _) => tr!(
                "story-log-measuring",
                n = task + 1,
                names = listed(self.class_names(*task), 8)
            ),
            (Phase::Training { task, epoch: 0, .. }, _) => tr!(
                "story-log-task-starts",
                n = task + 1,
                names = listed(self.class_names(*task), 8)
            ),
            (Phase::Training { frozen: false, .. }, Some(Phase::Training { frozen: true, .. })) => {
                tr!("story-log-pet-training-starts").into()
            }
            (Phase::Training { .. }, _) => String::new(),
        };
        if !text.is_empty() {
            self.log(now, text);
        }
        self.phase = Some(phase);
    }

    fn advance(&mut self, mut progress: RunProgress) {
        for loss in progress.losses.drain(..) {
            if self.losses.len() == LOSSES {
                self.losses.pop_front();
            }
            self.losses.push_back((progress.task, loss));
            self.steps += 1;
        }
        if let Some(distance) = progress
            .measured
            .get(DISTANCE)
            .filter(|_| progress.batches > 0 && self.distance.len() < LOSSES)
        {
            let share = (progress.batch + 1) as f64 / progress.batches as f64;
            self.distance
                .push([progress.epoch as f64 + share, *distance]);
        }
        self.progress = Some(progress);
    }

    fn all_measured(&mut self, reports: Vec<TaskReport>) {
        reports.into_iter().for_each(|report| self.measured(report));
        self.forgotten = self.answers().forgetting();
        let experts: Vec<Expert> = self.history.experts().collect();
        let forgotten = |expert: &Expert| Some((*expert, self.of(*expert).forgetting()?));
        self.forgotten_by = match experts.len() {
            0 | 1 => Vec::new(),
            _ => experts.iter().filter_map(forgotten).collect(),
        };
        let header = self.header.as_ref();
        self.missed = header.map_or_else(Vec::new, |header| missed(header, &self.reports));
        self.study = PromptStudy::of(self.reports.iter().map(|report| &report.slots[..]));
    }

    fn measured(&mut self, report: TaskReport) {
        let tasks = self.header.as_ref().map_or(&[][..], |h| &h.tasks);
        let seen = tasks.get(..=report.task).unwrap_or(tasks);
        // A resumed run may measure a task again; the later measurement replaces the earlier one.
        if report.task < self.reports.len() {
            self.reports.truncate(report.task);
            self.history.truncate(report.task);
        }
        self.distance.clear();
        self.history.push(&report.answers, seen);
        self.reports.push(report);
    }

    fn log_measurement(&mut self, now: &str) {
        let experts: Vec<Expert> = self.history.experts().collect();
        let told = experts.iter().rev().map(|&expert| {
            let share = percent(self.of(expert).last().unwrap_or(0.0), 1);
            match expert {
                Expert::ANSWER => share,
                expert => format!("{share} {}", expert.name()),
            }
        });
        let told: Vec<String> = told.collect();
        let text = tr!(
            "story-log-task-measured",
            n = self.reports.len(),
            each = told.join(", ")
        );
        self.log(now, text);
    }

    fn log(&mut self, now: &str, text: String) {
        self.line(now, text, false);
    }

    fn warn(&mut self, now: &str, text: String) {
        self.line(now, text, true);
    }

    fn line(&mut self, now: &str, text: String, warning: bool) {
        if self.log.len() == LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine {
            time: now.to_string(),
            text,
            warning,
        });
    }

    fn checked(&mut self, report: &Report, now: &str) {
        self.log(now, report.sentence());
        for (what, line) in report.lines() {
            self.line(now, format!("{what}: {line}"), what == DIFFERS);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
