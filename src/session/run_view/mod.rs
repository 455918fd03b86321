//! The state of one run for the pages, updated from the engine's events.

use std::collections::VecDeque;
use std::path::Path;

use super::findings::{MissedClass, missed_classes};
use super::formatting::{format_bytes, format_percent};
use super::run_row::title_of;
use crate::method::lae::DISTANCE;
use crate::metrics::{Expert, Histories, History, PromptStudy};
use crate::palette::RunStyle;
use crate::problem::{Problem, join_some};
use crate::run::check_result::{CheckReport, DIFFERS};
use crate::run::event::{Event, Phase, RunHeader, RunProgress, TaskReport};
use crate::run::job::JobId;
use crate::texts::join_translated;
use crate::tr;

/// Maximum number of loss values kept for the curve.
const MAX_LOSSES: usize = 4096;
/// Maximum number of log lines.
const MAX_LOG_LINES: usize = 500;

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
    pub fn label(self) -> &'static str {
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
    pub forgetting: Option<f64>,
    /// F_N of each expert, if there are several experts.
    pub expert_forgetting: Vec<(Expert, f64)>,
    /// The classes that it never or rarely recognises, computed with each report.
    pub missed_classes: Vec<MissedClass>,
    /// The study of DualPrompt's prompts, if every task was studied.
    pub prompt_study: Option<PromptStudy>,
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
    pub fn for_job(job: JobId, title: String) -> Self {
        Self { job: Some(job), title, ..Self::default() }
    }

    /// Returns the split that its accuracies are measured on: "test" or "validation".
    pub fn measured_on(&self) -> &'static str {
        let header = self.header.as_ref();
        header.map_or("test", |header| header.config.evaluation_split())
    }

    /// Returns a run read from its folder.
    pub fn from_stored(header: RunHeader, reports: Vec<TaskReport>) -> Self {
        let mut view = Self { title: title_of(&header), header: Some(header), ..Self::default() };
        view.add_reports(reports);
        view.stage =
            if view.reports.len() == view.tasks() { Stage::Finished } else { Stage::Stopped };
        view
    }

    /// Returns the mean loss of every epoch of the measured tasks, each with its task (from 0).
    pub fn epoch_losses(&self) -> impl Iterator<Item = (usize, f32)> {
        let task_losses = |report: &TaskReport| {
            let task = report.task;
            let losses = report.losses.clone().into_iter();
            losses.map(move |loss| (task, loss as f32))
        };
        self.reports.iter().flat_map(task_losses)
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
    pub fn shade(&self) -> RunStyle {
        let header = self.header.as_ref();
        RunStyle::for_method(header.map_or("", |header| &header.config.method))
    }

    /// Returns the colour of the run's method if the method has one expert; `None` if it has several.
    pub fn shade_alone(&self) -> Option<RunStyle> {
        let experts = &self.header.as_ref()?.method.experts;
        (experts.len() == 1).then(|| self.shade())
    }

    /// Returns the history of one expert.
    pub fn expert_history(&self, expert: Expert) -> &History {
        self.history.for_expert(expert)
    }

    /// Returns the history of the run's predictions.
    pub fn answer_history(&self) -> &History {
        self.history.answer_history()
    }

    /// Returns the current task, from 0.
    pub fn current_task(&self) -> Option<usize> {
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
    pub fn finished_share(&self) -> f64 {
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

    /// Applies an event of this run. `time` is the local time for the log.
    pub fn apply_event(&mut self, event: Event, time: &str) {
        match event {
            Event::Started(header) => self.start(*header, time),
            Event::Phase { phase, .. } => self.enter_phase(phase, time),
            Event::Progress { progress, .. } => self.update_progress(progress),
            Event::TaskEvaluated { report, .. } => {
                self.add_reports(vec![*report]);
                self.log_measurement(time);
            }
            Event::TakenUp { reports, .. } => {
                let text = tr!("session-log-resumed-after-task", n = reports.len());
                self.add_reports(reports);
                self.log(time, text);
            }
            Event::Saved { what, bytes, .. } => {
                let size = format_bytes(bytes);
                self.log(time, tr!("session-log-saved", what, size));
            }
            Event::Remark { problem, .. } => self.warn(time, problem.translated_what()),
            Event::Finished { .. } => {
                self.stage = Stage::Finished;
                self.phase = None;
                self.log(time, self.stage.label().into());
            }
            Event::Stopped { .. } if self.is_in_added_task() => {
                self.drop_added_task();
                self.log(time, tr!("session-log-stopped-added").into());
            }
            Event::Stopped { .. } => {
                self.stage = Stage::Stopped;
                self.phase = None;
                let text = match self.header {
                    Some(_) => tr!("session-log-stopped"),
                    None => tr!("session-log-stopped-early"),
                };
                self.log(time, text.into());
            }
            Event::Failed { problem, .. } if self.is_in_added_task() => {
                self.drop_added_task();
                self.warn(time, problem.translated_what());
                self.problem = Some(problem);
            }
            Event::Failed { problem, .. } => {
                self.stage = Stage::Failed;
                self.phase = None;
                self.warn(time, problem.translated_what());
                self.problem = Some(problem);
            }
            Event::Checked(report) => self.log_check(&report, time),
            Event::Tried(trial) => self.log(time, join_translated(&trial.sentences(), " ")),
            Event::Searched(searched) => {
                self.log(time, join_translated(&searched.sentences(), " "));
            }
            Event::Assumed(sentences) if self.is_in_added_task() => {
                sentences.iter().for_each(|sentence| self.log(time, sentence.translated()));
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
    fn is_in_added_task(&self) -> bool {
        let header = self.header.as_ref();
        let has_added_task = header.is_some_and(|header| !header.added_tasks.is_empty());
        has_added_task && self.reports.len() + 1 == self.tasks()
    }

    /// Restores the state from before the added task.
    fn drop_added_task(&mut self) {
        let Some(header) = &mut self.header else {
            return;
        };
        let planned = header.planned_tasks();
        header.remove_last_added_task();
        self.title = title_of(header);
        self.stage = match planned > header.tasks.len() && header.added_tasks.is_empty() {
            true => Stage::Stopped,
            false => Stage::Finished,
        };
        (self.phase, self.progress) = (None, None);
    }

    fn start(&mut self, header: RunHeader, time: &str) {
        self.title = title_of(&header);
        let text = tr!(
            "session-log-started",
            classes = header.class_order.len(),
            n = header.tasks.len(),
            device = header.device.as_str()
        );
        self.header = Some(header);
        self.stage = Stage::Running;
        self.log(time, text);
    }

    fn enter_phase(&mut self, phase: Phase, time: &str) {
        let previous = self.phase.take();
        self.stage = if phase == Phase::Paused { Stage::Paused } else { Stage::Running };
        let text = match (&phase, &previous) {
            (Phase::Preparing(step), _) => step.translated(),
            (Phase::Paused, _) => self.stage.label().into(),
            (_, Some(Phase::Paused)) => tr!("session-log-resumed").into(),
            (Phase::Evaluating { task }, _) => tr!("session-log-testing", n = task + 1),
            (Phase::Measuring { task }, _) => tr!(
                "session-log-measuring",
                n = task + 1,
                names = join_some(self.class_names(*task), 8)
            ),
            (Phase::Training { task, epoch: 0, .. }, _) => tr!(
                "session-log-task-starts",
                n = task + 1,
                names = join_some(self.class_names(*task), 8)
            ),
            (Phase::Training { frozen: false, .. }, Some(Phase::Training { frozen: true, .. })) => {
                tr!("session-log-pet-training-starts").into()
            }
            (Phase::Training { .. }, _) => String::new(),
        };
        if !text.is_empty() {
            self.log(time, text);
        }
        self.phase = Some(phase);
    }

    fn update_progress(&mut self, mut progress: RunProgress) {
        for loss in progress.losses.drain(..) {
            if self.losses.len() == MAX_LOSSES {
                self.losses.pop_front();
            }
            self.losses.push_back((progress.task, loss));
            self.steps += 1;
        }
        if let Some(distance) = progress
            .measured
            .get(DISTANCE)
            .filter(|_| progress.batches > 0 && self.distance.len() < MAX_LOSSES)
        {
            let share = (progress.batch + 1) as f64 / progress.batches as f64;
            self.distance.push([progress.epoch as f64 + share, *distance]);
        }
        self.progress = Some(progress);
    }

    fn add_reports(&mut self, reports: Vec<TaskReport>) {
        reports.into_iter().for_each(|report| self.add_report(report));
        self.forgetting = self.answer_history().forgetting();
        let experts: Vec<Expert> = self.history.experts().collect();
        let expert_forgetting =
            |expert: &Expert| Some((*expert, self.expert_history(*expert).forgetting()?));
        self.expert_forgetting = match experts.len() {
            0 | 1 => Vec::new(),
            _ => experts.iter().filter_map(expert_forgetting).collect(),
        };
        let header = self.header.as_ref();
        self.missed_classes =
            header.map_or_else(Vec::new, |header| missed_classes(header, &self.reports));
        self.prompt_study =
            PromptStudy::from_counts(self.reports.iter().map(|report| &report.slots[..]));
    }

    fn add_report(&mut self, report: TaskReport) {
        let tasks = self.header.as_ref().map_or(&[][..], |h| &h.tasks);
        let learned = tasks.get(..=report.task).unwrap_or(tasks);
        // A resumed run may measure a task again; the later measurement replaces the earlier one.
        if report.task < self.reports.len() {
            self.reports.truncate(report.task);
            self.history.truncate(report.task);
        }
        self.distance.clear();
        self.history.push(&report.answers, learned);
        self.reports.push(report);
    }

    fn log_measurement(&mut self, time: &str) {
        let experts: Vec<Expert> = self.history.experts().collect();
        let parts = experts.iter().rev().map(|&expert| {
            let share = self.expert_history(expert).last_accuracy();
            let share = share.map_or_else(|| "–".to_string(), |share| format_percent(share, 1));
            match expert {
                Expert::ANSWER => share,
                expert => format!("{share} {}", expert.key()),
            }
        });
        let parts: Vec<String> = parts.collect();
        let text =
            tr!("session-log-task-measured", n = self.reports.len(), each = parts.join(", "));
        self.log(time, text);
    }

    fn log(&mut self, time: &str, text: String) {
        self.add_log_line(time, text, false);
    }

    fn warn(&mut self, time: &str, text: String) {
        self.add_log_line(time, text, true);
    }

    fn add_log_line(&mut self, time: &str, text: String, warning: bool) {
        if self.log.len() == MAX_LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine { time: time.to_string(), text, warning });
    }

    fn log_check(&mut self, report: &CheckReport, time: &str) {
        self.log(time, report.sentence());
        for (what, line) in report.lines() {
            self.add_log_line(time, format!("{what}: {line}"), what == DIFFERS);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
