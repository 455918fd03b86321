//! Notices to the user that belong to no page.

use std::path::PathBuf;

use super::Session;
use super::findings;
use super::formatting::format_percent;
use super::run_view::RunView;
use crate::data::Correction;
use crate::logging::describe_problem;
use crate::metrics::{Expert, Tally};
use crate::problem::{Problem, join_some};
use crate::run::event::RunHeader;
use crate::tr;

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Local time, HH:MM:SS.
    pub time: String,
    /// What happened.
    pub problem: Problem,
    /// Whether something went wrong.
    pub is_error: bool,
    /// Whether it is good news; a notice that is neither is neutral.
    pub is_success: bool,
    /// The action that the notice can undo.
    pub undo: Option<NoticeUndo>,
}

/// An action that a notice reports and can undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeUndo {
    /// Runs were moved to the trash; their paths in the trash.
    Deleted(Vec<PathBuf>),
    /// A label in the dataset at this location was corrected. The entry restores the previous label.
    Label(String, Correction),
}

/// Maximum number of notices kept, because an error can repeat for days.
const MAX_NOTICES: usize = 200;

/// The notices.
#[derive(Default)]
pub struct Notices {
    /// The newest notices, oldest first.
    pub list: Vec<Notice>,
    /// Number of all notices so far, including dropped ones.
    pub total: usize,
}

impl Notices {
    fn push(&mut self, problem: Problem, is_error: bool, is_success: bool) {
        if is_error {
            tracing::warn!("notice: {}", describe_problem(&problem));
        }
        self.total += 1;
        if self.list.len() >= MAX_NOTICES {
            self.list.remove(0);
        }
        self.list.push(Notice { time: clock(), problem, is_error, is_success, undo: None });
    }
}

impl Session {
    /// Adds a notice of an error (`is_error`) or of good news.
    pub fn notify(&mut self, problem: Problem, is_error: bool) {
        self.notices.push(problem, is_error, !is_error);
    }

    /// Adds a neutral notice.
    pub fn notify_neutral(&mut self, problem: Problem) {
        self.notices.push(problem, false, false);
    }

    /// Adds an undo to the newest notice.
    pub(super) fn offer_undo(&mut self, undo: Option<NoticeUndo>) {
        if let Some(notice) = self.notices.list.last_mut() {
            notice.undo = undo;
        }
    }

    /// Removes the undo of all notices for which `is_removed` returns true.
    pub(super) fn remove_undo(&mut self, is_removed: impl Fn(&NoticeUndo) -> bool) {
        for notice in &mut self.notices.list {
            notice.undo.take_if(|undo| is_removed(undo));
        }
    }

    /// Reports that a run has finished.
    pub(super) fn notify_end(&mut self, run: &RunView) {
        let header = run.header.as_ref();
        let added_task = header.and_then(|header| header.added_tasks.last());
        if let Some(added_task) = added_task {
            let text = tr!("notices-classes-learned", classes = join_some(&added_task.classes, 8));
            let problem = Problem::new(text).advise(tr!("notices-classes-learned-advice"));
            self.notify(problem, false);
            return;
        }
        let quality = run.reports.last().map(|report| {
            let expert = header.map_or(Expert::ANSWER, RunHeader::answering_expert);
            Tally::new(&report.answers, expert)
        });
        let Some(quality) = quality else { return };
        let text = tr!(
            "notices-run-finished",
            run = run.title.as_str(),
            share = format_percent(quality.accuracy(), 1),
            n = quality.images,
            on = run.measured_on()
        );
        let problem = Problem::new(text);
        let classes = header.map_or(0, |header| header.class_order.len());
        let missed = findings::summarise(&run.missed_classes, classes);
        let missed = missed.map(|(head, _)| {
            let head = head.trim_end_matches('.');
            tr!("notices-open-train", head)
        });
        let advice = match quality.is_guessing() {
            true if quality.has_too_few_images() => Some(tr!("notices-few-images-advice").into()),
            true => Some(tr!("notices-guessing-advice").into()),
            false => missed,
        };
        match advice {
            Some(advice) => self.notices.push(problem.advise(advice), false, false),
            None => self.notify(problem, false),
        }
    }
}

/// Returns the local time as HH:MM:SS.
pub(super) fn clock() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}
