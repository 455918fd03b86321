//! The open unit: the state of its runs, the user's answers, and the progress.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::figures::Figures;
use super::library::{UnitEntry, named};
use super::{Ask, GivenAnswer, Unit, UnitPart};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::job::JobId;
use crate::session::views::Fetch;
use crate::texts::Language;

/// The state of a run of a unit.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitRunState {
    /// Not requested.
    Missing,
    /// Waiting in the queue.
    Waiting,
    /// Waiting in the queue, which is held.
    Held,
    /// In progress.
    Working {
        /// The finished share, from 0 to 1.
        done: f64,
        /// Estimated remaining seconds.
        seconds_left: Option<f64>,
    },
    /// Finished; the name of its folder if it was trained before this window opened.
    Done(Option<String>),
    /// Ended early, with the reason if there was an error.
    Ended(Option<Problem>),
}

/// A run of the open unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitRun {
    /// Its state.
    pub state: UnitRunState,
    /// Its folder, once it has one.
    pub folder: Option<PathBuf>,
}

impl UnitRun {
    pub(super) fn of(state: UnitRunState) -> Self {
        Self {
            state,
            folder: None,
        }
    }

    /// Returns whether it must be requested (again).
    pub fn is_missing(&self) -> bool {
        matches!(self.state, UnitRunState::Missing | UnitRunState::Ended(_))
    }

    /// Returns whether it is waiting or in progress.
    pub fn is_under_way(&self) -> bool {
        matches!(
            self.state,
            UnitRunState::Waiting | UnitRunState::Held | UnitRunState::Working { .. }
        )
    }
}

/// The user's progress in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonProgress {
    /// Number of answered questions and guesses.
    pub answered: usize,
    /// Number of all questions and guesses.
    pub questions: usize,
}

impl LessonProgress {
    /// Returns whether there are questions and all are answered.
    pub fn is_all(self) -> bool {
        self.questions > 0 && self.answered == self.questions
    }
}

/// The user's answers by the lesson's name and the question's name. The names are the same in every language.
pub type Answers = BTreeMap<String, BTreeMap<String, GivenAnswer>>;

/// The lessons whose runs are trained again. Only runs that started after the stored time are used.
pub type Retrained = BTreeMap<String, String>;

/// The state of the lessons on the page Learn.
#[derive(Default)]
pub struct Units {
    /// All units, once they are requested.
    pub list: Fetch<Arc<Vec<UnitEntry>>>,
    /// The folder of a teacher's units; `None` if the system has no folder for data.
    pub folder: Option<PathBuf>,
    /// The open unit.
    pub open: Option<Arc<Unit>>,
    /// The runs of the open unit by name, including repetitions and runs with added tasks.
    pub runs: BTreeMap<String, Vec<UnitRun>>,
    /// The results of these runs so far.
    pub figures: Arc<Figures>,
    /// The answers in all lessons. The window stores them in its settings.
    pub answers: Answers,
    /// The lessons whose earlier runs are not reused. They are stored like the answers.
    pub retrained: Retrained,
    /// The runs that this window requested, with their settings.
    pub(super) asked: Vec<(JobId, RunConfig)>,
}

impl Units {
    /// Returns the user's answer to this question of the open unit.
    pub fn given(&self, ask: &str) -> GivenAnswer {
        let given = self.answers_of_open().and_then(|given| given.get(ask));
        given.cloned().unwrap_or_default()
    }

    /// Stores an answer to this question of the open unit.
    pub fn answer(&mut self, ask: &str, given: GivenAnswer) {
        if let Some(unit) = &self.open {
            let answers = self.answers.entry(unit.name.clone()).or_default();
            answers.insert(ask.to_string(), given);
        }
    }

    /// Returns whether the open unit has answers or runs.
    pub fn is_begun(&self) -> bool {
        let given = self.answers_of_open();
        let answered =
            |given: &BTreeMap<_, _>| given.values().any(|one| *one != GivenAnswer::default());
        given.is_some_and(answered) || self.has_runs()
    }

    /// Returns whether a run of the open unit exists or was requested.
    pub fn has_runs(&self) -> bool {
        self.runs.values().flatten().any(|run| !run.is_missing())
    }

    fn answers_of_open(&self) -> Option<&BTreeMap<String, GivenAnswer>> {
        self.answers.get(&self.open.as_ref()?.name)
    }

    /// Returns the user's progress in a unit.
    pub fn done(&self, unit: &Unit) -> LessonProgress {
        let answers = self.answers.get(&unit.name);
        let given = |ask: &&Ask| {
            let given = answers.and_then(|given| given.get(&ask.name));
            given.is_some_and(|given| ask.is_answered(given))
        };
        LessonProgress {
            answered: unit.asks().filter(given).count(),
            questions: unit.asks().count(),
        }
    }

    /// Returns the number of finished runs of the open unit, and the number of all its runs.
    pub fn runs_done(&self) -> (usize, usize) {
        let runs = || self.runs.values().flatten();
        let there = |run: &&UnitRun| matches!(run.state, UnitRunState::Done(_));
        (runs().filter(there).count(), runs().count())
    }

    /// Returns the unit after this one in the list of this language, if any. Unreadable units are skipped.
    pub fn next(&self, unit: &Unit, language: Language) -> Option<Arc<Unit>> {
        let entries = named(self.list.ready()?, language);
        let sound = entries.iter().filter_map(|entry| entry.unit.as_ref().ok());
        sound
            .skip_while(|other| other.name != unit.name)
            .nth(1)
            .cloned()
    }

    /// Returns how many parts of the open unit are shown, and the message in place of the others; `None` if all are
    /// shown. Parts are hidden if they follow an unanswered guess or explain runs that are not finished.
    pub fn hidden(&self, unit: &Unit) -> Option<(usize, &'static str)> {
        let (mut unfinished, mut figures) = (false, false);
        for (place, part) in unit.parts.iter().enumerate() {
            // Text between runs and their figures is shown, because it explains what to watch during training.
            let explains = match part {
                UnitPart::Text(text) => figures || text.is_heading(),
                UnitPart::Ask(_) => figures,
                _ => false,
            };
            if unfinished && explains {
                return Some((place, "learn-runs-to-continue"));
            }
            match part {
                UnitPart::Ask(ask) if ask.guess && !ask.is_answered(&self.given(&ask.name)) => {
                    return Some((place + 1, "learn-answer-to-continue"));
                }
                UnitPart::Runs(block) => {
                    unfinished |= block.runs.iter().any(|plan| !self.is_done(&plan.name));
                }
                UnitPart::Figure(_) => figures |= unfinished,
                _ => {}
            }
        }
        None
    }

    /// Returns whether all repetitions of a run of the open unit are finished.
    fn is_done(&self, name: &str) -> bool {
        let done = |run: &UnitRun| matches!(run.state, UnitRunState::Done(_));
        self.of(name).iter().all(done)
    }

    /// Returns the repetitions of the run with this name.
    pub fn of(&self, name: &str) -> &[UnitRun] {
        self.runs.get(name).map_or(&[], Vec::as_slice)
    }
}
