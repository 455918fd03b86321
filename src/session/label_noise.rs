//! The check for training images that look like another class than their label: requests and results.

use std::collections::HashMap;
use std::path::Path;

use super::Session;
use super::worst::RunTask;
use crate::metrics::{Answers, Expert, Misclassification};
use crate::run::doubt::{DoubtRequest, DoubtState};
use crate::run::event::Command;

/// The checks of runs' training images, each with the ticket of its request.
#[derive(Default)]
pub(super) struct Doubts(HashMap<RunTask, (u64, DoubtState)>);

impl Doubts {
    /// Drops the results for these runs and returns the tickets of checks in progress.
    fn forget(&mut self, gone: impl Fn(&Path) -> bool) -> Vec<u64> {
        let gone = self.0.extract_if(|(run, _), _| gone(run));
        let working = gone.filter(|(_, (_, view))| matches!(view, DoubtState::Working(..)));
        working.map(|(_, (ticket, _))| ticket).collect()
    }

    /// Stores the new state of a check; ignored if the check was dropped.
    pub fn take(&mut self, ticket: u64, state: DoubtState) {
        if state == DoubtState::Stopped {
            self.0.retain(|_, (asked, _)| *asked != ticket);
            return;
        }
        let mut known = self.0.values_mut();
        if let Some((_, known)) = known.find(|(asked, _)| *asked == ticket) {
            *known = state;
        }
    }
}

impl Session {
    /// Starts a check of the training images of a run up to a task: each image is predicted from the other images.
    pub fn request_label_check(&mut self, run: &Path, task: usize) {
        let of = (run.to_path_buf(), task);
        let ticket = self.next_ticket();
        let state = match self.weights_elsewhere(&of.0) {
            Some(problem) => DoubtState::Failed(problem),
            None => {
                let run = of.0.clone();
                let request = DoubtRequest { ticket, run, task };
                self.backend.send(Command::Doubts(request));
                DoubtState::Working((0, 0))
            }
        };
        self.train.doubts.0.insert(of, (ticket, state));
    }

    /// Stops the check of a run up to a task.
    pub fn stop_doubts(&mut self, run: &Path, task: usize) {
        if let Some(&(ticket, DoubtState::Working(..))) = self.doubts(run, task) {
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Drops the results for these runs and stops their checks, because their images may have changed.
    pub(super) fn forget_doubts(&mut self, gone: impl Fn(&Path) -> bool) {
        for ticket in self.train.doubts.forget(gone) {
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Returns the state of the check of a run's training images, with its ticket; `None` if it was not requested or
    /// was stopped.
    pub fn doubts(&self, run: &Path, task: usize) -> Option<&(u64, DoubtState)> {
        self.train.doubts.0.get(&(run.to_path_buf(), task))
    }
}

/// Returns the images that look like another class than their label, the most confident first. `class` restricts them to
/// one label.
pub fn doubtful(answers: &Answers, class: Option<usize>) -> Vec<Misclassification> {
    let mut list = answers.wrong(Expert::ANSWER, class);
    Misclassification::sort(&mut list);
    list
}
