//! The check for training images that look like another class than their label: requests and results.

use std::collections::HashMap;
use std::path::Path;

use super::Session;
use super::mistakes::RunTask;
use crate::metrics::{Expert, Misclassification, Predictions};
use crate::run::event::Command;
use crate::run::label_noise::{LabelCheckRequest, LabelCheckState};

/// The checks of runs' training images, each with the ticket of its request.
#[derive(Default)]
pub(super) struct LabelChecks(HashMap<RunTask, (u64, LabelCheckState)>);

impl LabelChecks {
    /// Drops the results for these runs and returns the tickets of checks in progress.
    fn remove_runs(&mut self, is_removed: impl Fn(&Path) -> bool) -> Vec<u64> {
        let removed = self.0.extract_if(|(run, _), _| is_removed(run));
        let running = removed.filter(|(_, (_, view))| matches!(view, LabelCheckState::Working(..)));
        running.map(|(_, (ticket, _))| ticket).collect()
    }

    /// Stores the new state of a check; ignored if the check was dropped.
    pub fn accept_state(&mut self, ticket: u64, state: LabelCheckState) {
        if state == LabelCheckState::Stopped {
            self.0.retain(|_, (other_ticket, _)| *other_ticket != ticket);
            return;
        }
        let mut checks = self.0.values_mut();
        if let Some((_, current)) = checks.find(|(other_ticket, _)| *other_ticket == ticket) {
            *current = state;
        }
    }
}

impl Session {
    /// Starts a check of the training images of a run up to a task: each image is predicted from the other images.
    pub fn request_label_check(&mut self, run: &Path, task: usize) {
        let key = (run.to_path_buf(), task);
        let ticket = self.next_ticket();
        let state = match self.remote_weights_problem(&key.0) {
            Some(problem) => LabelCheckState::Failed(problem),
            None => {
                let run = key.0.clone();
                let request = LabelCheckRequest { ticket, run, task };
                self.backend.send(Command::Doubts(request));
                LabelCheckState::Working((0, 0))
            }
        };
        self.train.label_checks.0.insert(key, (ticket, state));
    }

    /// Stops the check of a run up to a task.
    pub fn stop_label_check(&mut self, run: &Path, task: usize) {
        if let Some(&(ticket, LabelCheckState::Working(..))) = self.label_check(run, task) {
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Drops the results for these runs and stops their checks, because their images may have changed.
    pub(super) fn discard_label_checks(&mut self, is_removed: impl Fn(&Path) -> bool) {
        for ticket in self.train.label_checks.remove_runs(is_removed) {
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Returns the state of the check of a run's training images, with its ticket; `None` if it was not requested or
    /// was stopped.
    pub fn label_check(&self, run: &Path, task: usize) -> Option<&(u64, LabelCheckState)> {
        self.train.label_checks.0.get(&(run.to_path_buf(), task))
    }
}

/// Returns the images that look like another class than their label, the most confident first. `class` restricts them to
/// one label.
pub fn suspicious_labels(answers: &Predictions, class: Option<usize>) -> Vec<Misclassification> {
    let mut list = answers.misclassified(Expert::ANSWER, class);
    Misclassification::sort_by_certainty(&mut list);
    list
}
