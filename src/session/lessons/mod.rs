//! Lessons: texts with live blocks. A lesson is a Markdown file; its live parts (runs, figures,
//! questions, checks) are in named fenced blocks. `docs/lessons/README.md` describes the format.
//!
//! Everything here is plain data: parsed lessons, formulas over the results of their runs, and the user's guesses. The
//! window draws lessons; the command line plays them.

mod ask;
mod blocks;
mod chart;
mod figures;
mod formula;
mod library;
mod parse;
pub mod plain_text;
mod player;
mod summary;
mod text;

pub use ask::{AnswerKind, Feedback, GivenAnswer, LessonQuestion};
pub use blocks::{AddedTaskBlock, Expectation, RunPlan, Runs};
pub use chart::{Chart, Figure};
pub use figures::{Figures, NoValue, RunFigures};
pub use formula::Formula;
pub use library::{LessonEntry, entries_in_language, open, read_entries};
pub use player::{
    Answers, LessonProgress, LessonRun, LessonRunState, Lessons, Retrained, same_settings,
};
pub use summary::summary;
pub use text::{Paragraph, ParagraphKind, Span, format_value, markdown};

use serde::{Deserialize, Serialize};

use crate::texts::Language;

/// A lesson. Files state its title, description, duration and position; lists in JSON omit the position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The name of its file without language and extension.
    #[serde(skip_deserializing)]
    pub name: String,
    /// The key of its answers. It differs from the name if a user's own lesson has the name of a built-in lesson.
    #[serde(skip)]
    pub key: String,
    /// Its title.
    pub title: String,
    /// A sentence that describes it.
    #[serde(default)]
    pub about: String,
    /// Its duration in minutes.
    pub minutes: u32,
    /// Its position in the list of lessons.
    #[serde(skip_serializing)]
    pub order: i64,
    /// The language it is written in.
    #[serde(skip)]
    pub language: Language,
    /// Its parts, from top to bottom.
    #[serde(skip)]
    pub parts: Vec<LessonPart>,
}

/// A part of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonPart {
    /// Text.
    Text(Paragraph),
    /// Runs to train.
    Runs(Runs),
    /// A figure of runs.
    Figure(Figure),
    /// A guess or question.
    Question(LessonQuestion),
    /// Conditions on the finished runs. They are checked only when the lesson is played without a window.
    Expectation(Expectation),
    /// A block that adds a task to a run of the lesson.
    AddedTask(AddedTaskBlock),
}

impl Lesson {
    /// Returns its duration in words.
    pub fn time(&self) -> String {
        let n = self.minutes.to_string();
        match self.minutes {
            1 => self.language.text("learn-about-one-minute").into(),
            _ => self.language.fill("learn-about-minutes", &[("n", &n)]),
        }
    }

    /// Returns its questions and guesses, in order.
    pub fn questions(&self) -> impl Iterator<Item = &LessonQuestion> {
        self.parts.iter().filter_map(|part| match part {
            LessonPart::Question(question) => Some(question),
            _ => None,
        })
    }

    /// Returns the runs of the lesson, in order.
    pub fn plans(&self) -> impl Iterator<Item = &RunPlan> {
        let blocks = self.parts.iter().filter_map(|part| match part {
            LessonPart::Runs(runs) => Some(&runs.runs),
            _ => None,
        });
        blocks.flatten()
    }

    /// Returns the run with this name.
    pub fn plan(&self, name: &str) -> Option<&RunPlan> {
        self.plans().find(|plan| plan.name == name)
    }

    /// Returns the blocks that add a task to a run.
    pub fn added_tasks(&self) -> impl Iterator<Item = &AddedTaskBlock> {
        self.parts.iter().filter_map(|part| match part {
            LessonPart::AddedTask(block) => Some(block),
            _ => None,
        })
    }

    /// Returns the method of a run of the lesson, with or without an added task.
    pub fn method_of(&self, name: &str) -> &str {
        let added_task = self.added_tasks().find(|block| block.name == name);
        let plan = self.plan(added_task.map_or(name, |block| &block.run));
        let config = plan.and_then(|plan| plan.configs.first());
        config.map_or("", |config| &config.method)
    }

    /// Returns the display name of a run of the lesson, with or without an added task.
    pub fn title_of<'a>(&'a self, name: &'a str) -> &'a str {
        let plan = self.plan(name).map(|plan| plan.title.as_str());
        let mut added_tasks = self.added_tasks().filter(|block| block.name == name);
        plan.or_else(|| Some(added_tasks.next()?.title.as_str())).unwrap_or(name)
    }
}
