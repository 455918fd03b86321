//! The open lesson: which of its runs are finished, in progress or missing, their results, the user's answers and the
//! progress.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::library::{LessonEntry, entries_in_language, lessons_folder, read_entries};
use super::{
    AddedTaskBlock, Figures, GivenAnswer, Lesson, LessonPart, LessonQuestion, RunFigures, RunPlan,
};
use crate::method::with_explicit_settings;
use crate::problem::Problem;
use crate::run::annotations;
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::run::job::{JobId, JobWork};
use crate::session::Session;
use crate::session::run_row::device_independent_key;
use crate::session::run_view::{RunView, Stage};
use crate::session::views::{Fetch, RunRow, RunState};
use crate::texts::Language;

/// The state of a run of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonRunState {
    /// Not requested.
    Missing,
    /// Waiting in the queue.
    Waiting,
    /// Waiting in the queue, which is held.
    Held,
    /// In progress.
    Working {
        /// The finished share, from 0 to 1.
        finished_share: f64,
        /// Estimated remaining seconds.
        seconds_left: Option<f64>,
    },
    /// Finished; the name of its folder if it was trained before this window opened.
    Done(Option<String>),
    /// Ended early, with the reason if there was an error.
    Ended(Option<Problem>),
}

/// A run of the open lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonRun {
    /// Its state.
    pub state: LessonRunState,
    /// Its folder, once it has one.
    pub folder: Option<PathBuf>,
}

impl LessonRun {
    /// Returns whether it must be requested (again).
    pub fn is_missing(&self) -> bool {
        matches!(self.state, LessonRunState::Missing | LessonRunState::Ended(_))
    }
}

/// The user's progress in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonProgress {
    /// Number of answered questions and guesses.
    pub answered: usize,
    /// Number of all questions and guesses.
    pub questions: usize,
}

impl LessonProgress {
    /// Returns whether there are questions and all are answered.
    pub fn is_complete(self) -> bool {
        self.questions > 0 && self.answered == self.questions
    }
}

/// The user's answers by the lesson's key and the question's name. Both are the same in every language.
pub type Answers = BTreeMap<String, BTreeMap<String, GivenAnswer>>;

/// The lessons whose runs are trained again. Only runs that started after the stored time are used.
pub type Retrained = BTreeMap<String, String>;

/// The state of the lessons on the page Learn.
#[derive(Default)]
pub struct Lessons {
    /// All lessons, once they are requested.
    pub list: Fetch<Arc<Vec<LessonEntry>>>,
    /// The folder of a teacher's lessons; `None` if the system has no folder for data.
    pub folder: Option<PathBuf>,
    /// The open lesson.
    pub open: Option<Arc<Lesson>>,
    /// The runs of the open lesson by name, including repetitions and runs with added tasks.
    pub runs: BTreeMap<String, Vec<LessonRun>>,
    /// The results of these runs so far.
    pub figures: Figures,
    /// The answers in all lessons. The window stores them in its settings.
    pub answers: Answers,
    /// The lessons whose earlier runs are not reused. They are stored like the answers.
    pub retrained: Retrained,
    /// The runs that this window requested, with their settings.
    requested: Vec<(JobId, RunConfig)>,
}

impl Lessons {
    /// Returns the user's answer to this question of the open lesson.
    pub fn user_answer(&self, question: &str) -> GivenAnswer {
        let answer = self.open_lesson_answers().and_then(|answers| answers.get(question));
        answer.cloned().unwrap_or_default()
    }

    /// Stores an answer to this question of the open lesson.
    pub fn set_answer(&mut self, question: &str, user_answer: GivenAnswer) {
        if let Some(lesson) = &self.open {
            let answers = self.answers.entry(lesson.key.clone()).or_default();
            answers.insert(question.to_string(), user_answer);
        }
    }

    /// Returns whether the open lesson has answers or runs.
    pub fn has_progress(&self) -> bool {
        let answers = self.open_lesson_answers();
        let is_answered = |answers: &BTreeMap<_, _>| {
            answers.values().any(|answer| *answer != GivenAnswer::default())
        };
        answers.is_some_and(is_answered) || self.has_runs()
    }

    /// Returns whether a run of the open lesson exists or was requested.
    pub fn has_runs(&self) -> bool {
        self.runs.values().flatten().any(|run| !run.is_missing())
    }

    fn open_lesson_answers(&self) -> Option<&BTreeMap<String, GivenAnswer>> {
        self.answers.get(&self.open.as_ref()?.key)
    }

    /// Returns the user's progress in a lesson.
    pub fn progress(&self, lesson: &Lesson) -> LessonProgress {
        let answers = self.answers.get(&lesson.key);
        let is_answered_question = |question: &&LessonQuestion| {
            let answer = answers.and_then(|lesson_answers| lesson_answers.get(&question.name));
            answer.is_some_and(|answer| question.is_answered(answer))
        };
        LessonProgress {
            answered: lesson.questions().filter(is_answered_question).count(),
            questions: lesson.questions().count(),
        }
    }

    /// Returns the number of finished runs of the open lesson, and the number of all its runs.
    pub fn run_progress(&self) -> (usize, usize) {
        let runs = || self.runs.values().flatten();
        let is_finished = |run: &&LessonRun| matches!(run.state, LessonRunState::Done(_));
        (runs().filter(is_finished).count(), runs().count())
    }

    /// Returns the lesson after this one in the list of this language, if any. Unreadable lessons are skipped.
    pub fn next_lesson(&self, lesson: &Lesson, language: Language) -> Option<Arc<Lesson>> {
        let entries = entries_in_language(self.list.ready()?, language);
        let readable = entries.iter().filter_map(|entry| entry.lesson.as_ref().ok());
        readable.skip_while(|other| other.key != lesson.key).nth(1).cloned()
    }

    /// Returns how many parts of the open lesson are shown, and the message in place of the others; `None` if all are
    /// shown. Parts are hidden if they follow an unanswered guess or explain runs that are not finished.
    pub fn first_hidden_part(&self, lesson: &Lesson) -> Option<(usize, &'static str)> {
        let (mut unfinished, mut figures) = (false, false);
        for (index, part) in lesson.parts.iter().enumerate() {
            // Text between runs and their figures is shown, because it explains what to watch during training.
            let explains = match part {
                LessonPart::Text(text) => figures || text.is_heading(),
                LessonPart::Question(_) => figures,
                _ => false,
            };
            if unfinished && explains {
                return Some((index, "learn-runs-to-continue"));
            }
            match part {
                LessonPart::Question(question)
                    if question.guess
                        && !question.is_answered(&self.user_answer(&question.name)) =>
                {
                    return Some((index + 1, "learn-answer-to-continue"));
                }
                LessonPart::Runs(block) => {
                    unfinished |= block.runs.iter().any(|plan| !self.is_done(&plan.name));
                }
                LessonPart::Figure(_) => figures |= unfinished,
                _ => {}
            }
        }
        None
    }

    /// Returns whether all repetitions of a run of the open lesson are finished.
    fn is_done(&self, name: &str) -> bool {
        let done = |run: &LessonRun| matches!(run.state, LessonRunState::Done(_));
        self.run_repetitions(name).iter().all(done)
    }

    /// Returns the repetitions of the run with this name.
    pub fn run_repetitions(&self, name: &str) -> &[LessonRun] {
        self.runs.get(name).map_or(&[], Vec::as_slice)
    }
}

impl Session {
    /// Reads the lessons, including those of the teacher's folder.
    pub fn read_lessons(&mut self) {
        self.learn.lessons.list = Fetch::Busy;
        self.task(
            |_| Ok(read_entries()),
            |session, entries| {
                let lessons = &mut session.learn.lessons;
                lessons.list = Fetch::Ready(Arc::new(entries.unwrap_or_default()));
                lessons.folder = lessons_folder();
            },
        );
    }

    /// Opens a lesson; `None` returns to the list.
    pub fn open_lesson(&mut self, lesson: Option<Arc<Lesson>>) {
        self.learn.lessons.open = lesson;
        self.update_lesson();
    }

    /// Restarts the open lesson: removes the answers, so that guesses precede their results again. With `retrain`, the
    /// existing runs are not reused.
    pub fn restart_lesson(&mut self, retrain: bool) {
        let lessons = &mut self.learn.lessons;
        if let Some(lesson) = &lessons.open {
            lessons.answers.remove(&lesson.key);
            if retrain {
                let now = Timestamp::now().to_string();
                lessons.retrained.insert(lesson.key.clone(), now);
            }
        }
        self.update_lesson();
    }

    /// Returns whether a run can belong to the open lesson, that is, it started after the lesson was last restarted with
    /// `retrain`.
    fn is_recent_enough(&self, header: &RunHeader) -> bool {
        let lessons = &self.learn.lessons;
        let lesson = lessons.open.as_ref();
        let Some(since) = lesson.and_then(|lesson| lessons.retrained.get(&lesson.key)) else {
            return true;
        };
        let time = |text: &str| text.parse::<Timestamp>().ok();
        time(&header.started) >= time(since)
    }

    /// Queues those runs of a block that are neither finished nor in progress. `part` is the index of the block in the
    /// lesson.
    pub fn train_lesson_runs(&mut self, part: usize) {
        let Some(lesson) = self.learn.lessons.open.clone() else {
            return;
        };
        let Some(LessonPart::Runs(block)) = lesson.parts.get(part) else {
            return;
        };
        let (mut configs, mut names) = (Vec::new(), Vec::new());
        for plan in &block.runs {
            let runs = self.learn.lessons.run_repetitions(&plan.name).iter();
            let missing = runs.zip(&plan.configs).zip(1..);
            for ((_, config), nth) in missing.filter(|((run, _), _)| run.is_missing()) {
                configs.push(RunConfig {
                    device: self.experiment.draft.device.clone(),
                    cache_mb: self.experiment.draft.cache_mb,
                    ..config.clone()
                });
                names.push(Some(run_name(&lesson, plan, nth)));
            }
        }
        if let Some(jobs) = self.train_together(configs.clone(), names) {
            self.learn.lessons.requested.extend(jobs.into_iter().zip(configs));
        }
        self.update_lesson();
    }

    /// Queues the added task of a block.
    pub fn add_lesson_task(&mut self, block: &AddedTaskBlock) {
        if let Some(folder) = self.run_for_added_task(block) {
            self.add_task(&folder, block.source.clone());
        }
        self.update_lesson();
    }

    /// Returns the folder of the run that gets this added task, if the run is finished.
    pub fn run_for_added_task(&self, block: &AddedTaskBlock) -> Option<PathBuf> {
        let run = self.learn.lessons.run_repetitions(&block.run).first()?;
        matches!(run.state, LessonRunState::Done(_)).then(|| run.folder.clone())?
    }

    /// Updates the runs and results of the open lesson.
    pub(in crate::session) fn update_lesson(&mut self) {
        let (mut runs, mut figures) = (BTreeMap::new(), Figures::new());
        let lesson = self.learn.lessons.open.clone();
        for plan in lesson.iter().flat_map(|lesson| lesson.plans()) {
            let results = plan.configs.iter().map(|config| self.find_run(config));
            let (lesson_runs, run_figures): (Vec<_>, Vec<_>) = results.unzip();
            figures.insert(plan.name.clone(), run_figures);
            runs.insert(plan.name.clone(), lesson_runs);
        }
        self.learn.lessons.runs = runs;
        for block in lesson.iter().flat_map(|lesson| lesson.added_tasks()) {
            let (run, run_figures) = self.find_added_task_run(block);
            self.learn.lessons.runs.insert(block.name.clone(), vec![run]);
            figures.insert(block.name.clone(), vec![run_figures]);
        }
        self.learn.lessons.figures = figures;
    }

    /// Returns the state and the results of the run with these settings.
    fn find_run(&self, config: &RunConfig) -> (LessonRun, RunFigures) {
        let live = self
            .train
            .live
            .as_deref()
            .filter(|run| run.header.as_ref().is_none_or(|header| self.is_recent_enough(header)))
            .filter(|run| self.is_run_of(run, config));
        if let Some(run) = live.filter(|run| run.stage.is_live() || run.stage == Stage::Finished) {
            return from_view(run, false);
        }
        let is_waiting =
            |work: &JobWork| matches!(work, JobWork::Train(other) if same_settings(other, config));
        if let Some(state) = self.queued_state(is_waiting) {
            return without_results(state);
        }
        let settings_key = LazyCell::new(|| device_independent_key(config));
        let mut rows = self.rows().filter(|row| {
            let header = row.header.as_ref();
            let is_alike = header.is_some_and(|header| {
                may_be_same(&header.config, config) && self.is_recent_enough(header)
            });
            is_alike && row.state == RunState::Finished
        });
        if let Some(row) = rows.find(|row| *row.settings() == **settings_key) {
            let mut requested = self.learn.lessons.requested.iter();
            let is_own = requested.any(|(_, other)| same_settings(other, config));
            return from_row(row, is_own, false);
        }
        without_results(match live {
            Some(run) => LessonRunState::Ended(run.problem.clone()),
            None => LessonRunState::Missing,
        })
    }

    /// Returns the state of the first waiting job with this work.
    fn queued_state(&self, matches: impl Fn(&JobWork) -> bool) -> Option<LessonRunState> {
        let job = self.waiting().find(|job| matches(&job.work))?;
        Some(match job.held {
            true => LessonRunState::Held,
            false => LessonRunState::Waiting,
        })
    }

    /// Returns whether the current run has these settings. Before it has a header, its job decides.
    fn is_run_of(&self, run: &RunView, config: &RunConfig) -> bool {
        if let Some(header) = &run.header {
            return same_settings(&header.config, config);
        }
        let mut requested = self.learn.lessons.requested.iter();
        requested.any(|(job, other)| Some(*job) == run.job && same_settings(other, config))
    }

    fn find_added_task_run(&self, block: &AddedTaskBlock) -> (LessonRun, RunFigures) {
        let Some(folder) = self.run_for_added_task(block) else {
            return without_results(LessonRunState::Missing);
        };
        let is_waiting =
            |work: &JobWork| matches!(work, JobWork::Teach { run, .. } if *run == folder);
        if let Some(state) = self.queued_state(is_waiting) {
            return without_results(state);
        }
        let has_added_tasks = |header: &&RunHeader| !header.added_tasks.is_empty();
        let is_live = |run: &&RunView| {
            let header = run.header.as_ref().filter(has_added_tasks);
            header.is_some_and(|header| header.folder == folder)
        };
        if let Some(run) = self.train.live.as_deref().filter(is_live) {
            return from_view(run, true);
        }
        let row = self.row(&folder);
        match row.filter(|row| row.header.as_ref().is_some_and(|header| has_added_tasks(&header))) {
            Some(row) => from_row(row, true, true),
            None => without_results(LessonRunState::Missing),
        }
    }
}

/// Returns the name of a lesson's run: the lesson, the run, and the number of the repetition if there are several.
fn run_name(lesson: &Lesson, plan: &RunPlan, nth: usize) -> String {
    let mut name = format!("{}: {}", lesson.title, plan.title);
    if plan.configs.len() > 1 {
        name += &format!(" {nth}");
    }
    name.chars().take(annotations::MAX_NAME_LENGTH).collect()
}

fn run_state(run: &RunView) -> LessonRunState {
    match run.stage {
        Stage::Running | Stage::Paused => LessonRunState::Working {
            finished_share: run.finished_share(),
            seconds_left: run.progress.as_ref().and_then(|progress| progress.seconds_left),
        },
        Stage::Finished => LessonRunState::Done(None),
        Stage::Stopped | Stage::Failed => LessonRunState::Ended(run.problem.clone()),
    }
}

fn without_results(state: LessonRunState) -> (LessonRun, RunFigures) {
    let folder = None;
    (LessonRun { state, folder }, RunFigures::default())
}

/// Returns the state and the results of a displayed run, or of the task that was added to it.
fn from_view(run: &RunView, with_added_tasks: bool) -> (LessonRun, RunFigures) {
    let Some(header) = &run.header else {
        return without_results(run_state(run));
    };
    let measurements = run.reports.iter().map(|report| &report.measurements);
    let mut figures = RunFigures::new(header, &run.history, measurements, with_added_tasks);
    let state = match with_added_tasks || header.added_tasks.is_empty() {
        true => run_state(run),
        // Only an added task is in progress; the training of the run itself is finished.
        false => LessonRunState::Done(None),
    };
    if !with_added_tasks && state != LessonRunState::Done(None) {
        figures.distance_now.clone_from(&run.distance);
    }
    let folder = Some(header.folder.clone());
    (LessonRun { state, folder }, figures)
}

fn from_row(row: &RunRow, is_own: bool, with_added_tasks: bool) -> (LessonRun, RunFigures) {
    let figures = row.header.as_ref().map(|header| {
        RunFigures::new(header, &row.history, row.measurements.iter(), with_added_tasks)
    });
    let run = LessonRun {
        state: LessonRunState::Done((!is_own).then(|| row.name.clone())),
        folder: Some(Path::to_path_buf(&row.folder)),
    };
    (run, figures.unwrap_or_default())
}

/// Returns whether two runs have the same settings, ignoring the device.
pub fn same_settings(a: &RunConfig, b: &RunConfig) -> bool {
    may_be_same(a, b)
        && with_explicit_settings(a).without_execution_settings()
            == with_explicit_settings(b).without_execution_settings()
}

/// Returns whether two runs agree in the settings in which most runs differ. This is a fast check before the full
/// comparison.
fn may_be_same(a: &RunConfig, b: &RunConfig) -> bool {
    (&a.method, &a.data, &a.order, a.seed) == (&b.method, &b.data, &b.order, b.seed)
}

#[cfg(test)]
#[path = "player_tests.rs"]
mod tests;
