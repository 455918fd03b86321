//! Notices to the user that belong to no page.

use std::path::PathBuf;

use super::Session;
use super::findings;
use super::run_view::RunView;
use super::words::percent;
use crate::data::Correction;
use crate::logging::told;
use crate::metrics::{Expert, Tally};
use crate::problem::{Problem, listed};
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
    pub bad: bool,
    /// Whether it is good news; a notice that is neither is neutral.
    pub good: bool,
    /// The action that the notice can undo.
    pub undo: Option<NoticeUndo>,
}

/// An action that a notice reports and can undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeUndo {
    /// Runs were moved to the trash; their paths in the trash.
    Deleted(Vec<PathBuf>),
    /// A label in the dataset at this place was corrected. The entry restores the previous label.
    Label(String, Correction),
}

/// Maximum number of notices kept, because an error can repeat for days.
const MOST: usize = 200;

/// The notices.
#[derive(Default)]
pub struct Notices {
    /// The newest notices, oldest first.
    pub list: Vec<Notice>,
    /// Number of all notices so far, including dropped ones.
    pub total: usize,
}

impl Notices {
    fn push(&mut self, problem: Problem, bad: bool, good: bool) {
        if bad {
            tracing::warn!("notice: {}", told(&problem));
        }
        self.total += 1;
        if self.list.len() >= MOST {
            self.list.remove(0);
        }
        self.list.push(Notice {
            time: clock(),
            problem,
            bad,
            good,
            undo: None,
        });
    }
}

impl Session {
    /// Adds a notice of an error (`bad`) or of good news.
    pub fn notify(&mut self, problem: Problem, bad: bool) {
        self.notices.push(problem, bad, !bad);
    }

    /// Adds a neutral notice.
    pub fn remark(&mut self, remark: Problem) {
        self.notices.push(remark, false, false);
    }

    /// Adds an undo to the newest notice.
    pub(super) fn offer_undo(&mut self, undo: Option<NoticeUndo>) {
        if let Some(notice) = self.notices.list.last_mut() {
            notice.undo = undo;
        }
    }

    /// Removes the undo of all notices for which `gone` returns true.
    pub(super) fn forget_undo(&mut self, gone: impl Fn(&NoticeUndo) -> bool) {
        for notice in &mut self.notices.list {
            notice.undo.take_if(|undo| gone(undo));
        }
    }

    /// Reports that a run has finished.
    pub(super) fn notify_end(&mut self, run: &RunView) {
        let header = run.header.as_ref();
        let added_task = header.and_then(|header| header.added_tasks.last());
        if let Some(added_task) = added_task {
            let told = tr!(
                "notices-classes-learned",
                classes = listed(&added_task.classes, 8)
            );
            let told = Problem::new(told).advise(tr!("notices-classes-learned-advice"));
            self.notify(told, false);
            return;
        }
        let quality = run.reports.last().map(|report| {
            let expert = header.map_or(Expert::ANSWER, RunHeader::answering);
            Tally::of(&report.answers, expert)
        });
        let Some(quality) = quality else { return };
        let text = tr!(
            "notices-run-finished",
            run = run.title.as_str(),
            share = percent(quality.accuracy(), 1),
            n = quality.images,
            on = run.measured_on()
        );
        let told = Problem::new(text);
        let classes = header.map_or(0, |header| header.class_order.len());
        let missed = findings::told(&run.missed, classes);
        let missed = missed.map(|(head, _)| {
            let head = head.trim_end_matches('.');
            tr!("notices-open-train", head)
        });
        let advice = match quality.is_guessing() {
            true => Some(Tally::GUESSING.to_string()),
            false => missed,
        };
        match advice {
            Some(advice) => self.notices.push(told.advise(advice), false, false),
            None => self.notify(told, false),
        }
    }
}

/// Returns the local time as HH:MM:SS.
pub(super) fn clock() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}
