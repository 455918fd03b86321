//! Training pictures of runs that look like another class than their label: what was asked for, and what came of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use crate::metrics::{Answers, Expert, Wrong};
use crate::problem::Problem;
use crate::run::doubt::{DoubtRequest, DoubtState};
use crate::run::event::Command;

/// A run and a task of it, from 0.
type Of = (PathBuf, usize);

/// How the look at a run's training pictures stands.
#[derive(Clone, Debug)]
pub enum DoubtView {
    /// So many of so many pictures were looked at.
    Working(usize, usize),
    /// What the others make of each picture.
    Done(Arc<Answers>),
    /// It could not be done.
    Failed(Problem),
}

/// What is known of runs' training pictures, with the ticket that was asked with.
#[derive(Default)]
pub(super) struct Doubts(HashMap<Of, (u64, DoubtView)>);

impl Doubts {
    /// Nothing that was found about these runs holds any more; gives the tickets of looks that are under way.
    fn forget(&mut self, gone: impl Fn(&Path) -> bool) -> Vec<u64> {
        let gone = self.0.extract_if(|(run, _), _| gone(run));
        let working = gone.filter(|(_, (_, view))| matches!(view, DoubtView::Working(..)));
        working.map(|(_, (ticket, _))| ticket).collect()
    }

    /// Takes news; those of a look that was forgotten are nobody's.
    pub fn take(&mut self, ticket: u64, state: DoubtState) {
        let view = match state {
            DoubtState::Working(done, of) => DoubtView::Working(done, of),
            DoubtState::Done(answers) => DoubtView::Done(Arc::from(answers)),
            DoubtState::Failed(problem) => DoubtView::Failed(problem),
            DoubtState::Stopped => {
                self.0.retain(|_, (asked, _)| *asked != ticket);
                return;
            }
        };
        let mut known = self.0.values_mut();
        if let Some((_, known)) = known.find(|(asked, _)| *asked == ticket) {
            *known = view;
        }
    }
}

impl Session {
    /// Has the training pictures of the run in this folder up to a task held against one another.
    pub fn look_for_doubts(&mut self, run: &Path, task: usize) {
        let of = (run.to_path_buf(), task);
        self.tickets += 1;
        let ticket = self.tickets;
        let view = match self.weights_elsewhere(&of.0) {
            Some(problem) => DoubtView::Failed(problem),
            None => {
                let run = of.0.clone();
                let request = DoubtRequest { ticket, run, task };
                self.backend.send(Command::Doubts(request));
                DoubtView::Working(0, 0)
            }
        };
        self.train.doubts.0.insert(of, (ticket, view));
    }

    /// Looks no further.
    pub fn stop_doubts(&mut self, run: &Path, task: usize) {
        if let Some((ticket, DoubtView::Working(..))) = self.doubts(run, task) {
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Forgets what was found about these runs, and looks at them no further: their pictures may be others by now.
    pub(super) fn forget_doubts(&mut self, gone: impl Fn(&Path) -> bool) {
        for ticket in self.train.doubts.forget(gone) {
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// How the look at a run's training pictures stands, with its ticket; none where nobody asked for it or it was
    /// stopped.
    pub fn doubts(&self, run: &Path, task: usize) -> Option<(u64, DoubtView)> {
        self.train.doubts.0.get(&(run.to_path_buf(), task)).cloned()
    }
}

/// The pictures that look like another class, the surest first; `class` keeps what is labelled so.
pub fn doubtful(answers: &Answers, class: Option<usize>) -> Vec<Wrong> {
    let mut list = answers.wrong(Expert::ANSWER, class);
    Wrong::sort(&mut list);
    list
}
