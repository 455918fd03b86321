//! A unit that is open: how its runs stand, what the person answered, how far that is of the whole.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::library::{UnitEntry, named};
use super::value::Figures;
use super::{Ask, Given, Unit};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::job::JobId;
use crate::session::views::Fetch;
use crate::texts::Language;

/// How a run of a unit stands.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitRunState {
    /// It was not asked for.
    Missing,
    /// It waits in the queue.
    Waiting,
    /// It waits in the queue and begins when the person lets it go on.
    Held,
    /// It is at work.
    Working {
        /// Share that is done.
        done: f64,
        /// Estimate of the rest.
        seconds_left: Option<f64>,
    },
    /// It is there; the name of its folder where it was trained before this window was opened.
    Done(Option<String>),
    /// It ended early.
    Ended(Option<Problem>),
}

/// A run of the open unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitRun {
    /// How it stands.
    pub standing: UnitRunState,
    /// Its folder, once it has one.
    pub folder: Option<PathBuf>,
}

impl UnitRun {
    pub(super) fn of(standing: UnitRunState) -> Self {
        Self {
            standing,
            folder: None,
        }
    }

    /// Whether it has to be asked for.
    pub fn is_missing(&self) -> bool {
        matches!(
            self.standing,
            UnitRunState::Missing | UnitRunState::Ended(_)
        )
    }

    /// Whether it waits or is at work.
    pub fn is_under_way(&self) -> bool {
        matches!(
            self.standing,
            UnitRunState::Waiting | UnitRunState::Held | UnitRunState::Working { .. }
        )
    }
}

/// How far a person has come in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Questions and guesses that are answered.
    pub answered: usize,
    /// All of them.
    pub questions: usize,
}

impl Done {
    /// Whether there were questions and all are answered.
    pub fn is_all(self) -> bool {
        self.questions > 0 && self.answered == self.questions
    }
}

/// What was answered: by the lesson's name, then by the question's. Questions are the same in every language.
pub type Answers = BTreeMap<String, BTreeMap<String, Given>>;

/// Units as the page shows them.
#[derive(Default)]
pub struct Units {
    /// All there are; nothing before anybody asked.
    pub list: Fetch<Arc<Vec<UnitEntry>>>,
    /// Where a teacher's own lie; none where the system has no folder for data.
    pub folder: Option<PathBuf>,
    /// The one that is open.
    pub open: Option<Arc<Unit>>,
    /// The runs of the open one by name, each repetition, and what was taught.
    pub runs: BTreeMap<String, Vec<UnitRun>>,
    /// What they came to so far.
    pub figures: Arc<Figures>,
    /// What was answered in all lessons; the window keeps it in its settings.
    pub answers: Answers,
    /// The runs that this window asked for.
    pub(super) asked: Vec<(JobId, RunConfig)>,
}

impl Units {
    /// What the person answered to this question of the open unit.
    pub fn given(&self, ask: &str) -> Given {
        let given = self.answers_of_open().and_then(|given| given.get(ask));
        given.cloned().unwrap_or_default()
    }

    /// Keeps an answer to this question of the open unit.
    pub fn answer(&mut self, ask: &str, given: Given) {
        if let Some(unit) = &self.open {
            let answers = self.answers.entry(unit.name.clone()).or_default();
            answers.insert(ask.to_string(), given);
        }
    }

    /// Whether anything was answered in the open unit.
    pub fn is_begun(&self) -> bool {
        let given = self.answers_of_open();
        given.is_some_and(|given| given.values().any(|given| *given != Given::default()))
    }

    fn answers_of_open(&self) -> Option<&BTreeMap<String, Given>> {
        self.answers.get(&self.open.as_ref()?.name)
    }

    /// How far the person has come in a unit.
    pub fn done(&self, unit: &Unit) -> Done {
        let answers = self.answers.get(&unit.name);
        let given = |ask: &&Ask| {
            let given = answers.and_then(|given| given.get(&ask.name));
            given.is_some_and(|given| ask.is_answered(given))
        };
        Done {
            answered: unit.asks().filter(given).count(),
            questions: unit.asks().count(),
        }
    }

    /// The runs of the open unit that are there, and how many it has.
    pub fn runs_done(&self) -> (usize, usize) {
        let runs = || self.runs.values().flatten();
        let there = |run: &&UnitRun| matches!(run.standing, UnitRunState::Done(_));
        (runs().filter(there).count(), runs().count())
    }

    /// The unit that comes after this one in the list of this language, if any; one that cannot be read is passed over.
    pub fn next(&self, unit: &Unit, language: Language) -> Option<Arc<Unit>> {
        let entries = named(self.list.ready()?, language);
        let sound = entries.iter().filter_map(|entry| entry.unit.as_ref().ok());
        sound
            .skip_while(|other| other.name != unit.name)
            .nth(1)
            .cloned()
    }

    /// Begins the open unit anew: nothing is answered, and each guess comes before what the runs show.
    pub fn start_over(&mut self) {
        if let Some(unit) = &self.open {
            self.answers.remove(&unit.name);
        }
    }

    /// Whether anything is known of a run of the open unit, and so would be shown.
    pub fn shows(&self) -> bool {
        let mut runs = self.figures.values().flatten();
        runs.any(|run| run.measured() > 0 || !run.distance_now.is_empty())
    }

    /// The runs of one name.
    pub fn of(&self, name: &str) -> &[UnitRun] {
        self.runs.get(name).map_or(&[], Vec::as_slice)
    }
}
