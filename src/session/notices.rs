//! What the person is told beside the pages.

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

/// Something the person should know that belongs to no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Local time, HH:MM:SS.
    pub time: String,
    /// What happened.
    pub problem: Problem,
    /// Whether something went wrong.
    pub bad: bool,
    /// Whether it is good news; what is neither is only told.
    pub good: bool,
    /// What can be taken back from here.
    pub undo: Option<NoticeUndo>,
}

/// What a notice tells of and can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeUndo {
    /// Runs were deleted; they lie in the trash at these places.
    Deleted(Vec<PathBuf>),
    /// A label in the data set at this place was corrected; the entry is how it counted before.
    Label(String, Correction),
}

/// Most notices that are kept: a fault may be told again and again for days.
const MOST: usize = 200;

/// What the person was told.
#[derive(Default)]
pub struct Notices {
    /// Oldest first; the oldest of very many are let go.
    pub list: Vec<Notice>,
    /// How many there were in all.
    pub told: usize,
}

impl Notices {
    fn tell(&mut self, problem: Problem, bad: bool, good: bool) {
        if bad {
            tracing::warn!("the window says: {}", told(&problem));
        }
        self.told += 1;
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
    /// Tells the person something.
    pub fn notify(&mut self, problem: Problem, bad: bool) {
        self.notices.tell(problem, bad, !bad);
    }

    /// Tells something that is neither good news nor a failure.
    pub fn remark(&mut self, remark: Problem) {
        self.notices.tell(remark, false, false);
    }

    /// Offers with the newest notice to take back what it tells of.
    pub(super) fn offer_undo(&mut self, undo: Option<NoticeUndo>) {
        if let Some(notice) = self.notices.list.last_mut() {
            notice.undo = undo;
        }
    }

    /// Offers no longer what was taken back or is another thing by now: an undo is done once.
    pub(super) fn forget_undo(&mut self, gone: impl Fn(&NoticeUndo) -> bool) {
        for notice in &mut self.notices.list {
            notice.undo.take_if(|undo| gone(undo));
        }
    }

    /// Tells that a run has ended well.
    pub(super) fn tell_the_end(&mut self, run: &RunView) {
        let header = run.header.as_ref();
        let added_task = header.and_then(|header| header.added_tasks.last());
        if let Some(added_task) = added_task {
            let told = tr!("notices-taught", classes = listed(&added_task.classes, 8));
            let told = Problem::new(told).advise(tr!("notices-taught-advice"));
            self.notify(told, false);
            return;
        }
        let quality = run.reports.last().map(|report| {
            let expert = header.map_or(Expert::ANSWER, RunHeader::answering);
            Tally::of(&report.answers, expert)
        });
        let Some(quality) = quality else { return };
        let text = tr!(
            "notices-finished",
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
            tr!("notices-missed", head = head)
        });
        let advice = match quality.is_guessing() {
            true => Some(Tally::GUESSING.to_string()),
            false => missed,
        };
        match advice {
            Some(advice) => self.notices.tell(told.advise(advice), false, false),
            None => self.notify(told, false),
        }
    }
}

/// Local time, HH:MM:SS.
pub(super) fn clock() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}
