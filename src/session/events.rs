//! Applies the engine's events to the state that the pages show.

use std::sync::Arc;

use super::Session;
use super::notices::clock;
use crate::run::event::Event;
use crate::run::queue::JobEvent;

impl Session {
    pub(super) fn handle_event(&mut self, job_event: JobEvent) {
        match (job_event.job, job_event.event) {
            (_, Event::Predicted(prediction)) => {
                let prediction = self.train.certainties.accept(*prediction);
                if let Some(prediction) =
                    prediction.and_then(|prediction| self.predict.pins.accept(prediction))
                {
                    self.predict.accept(prediction);
                }
            }
            (_, Event::NotPredicted { ticket, problem }) => {
                if self.train.certainties.fail(ticket, &problem) {
                    return;
                }
                if let Some(problem) = self.predict.pins.fail(ticket, problem)
                    && ticket == self.predict.ticket
                {
                    self.predict.fail(problem);
                }
            }
            (_, Event::Inside(insight)) => self.predict.inside.accept(*insight),
            (_, Event::NotInside { ticket, problem }) => {
                self.predict.inside.fail(ticket, &problem);
            }
            (_, Event::Sheet { ticket, state }) => {
                self.accept_prediction_table_state(ticket, state);
            }
            (_, Event::Doubts { ticket, state }) => {
                self.train.label_checks.accept_state(ticket, state);
            }
            (_, Event::Speed(speed)) => self.inventory.speed = Some(speed),
            (_, Event::Remark { run, problem }) if run.is_empty() => self.notify(problem, true),
            (Some(job), event) => {
                self.update_trials(job, &event);
                self.follow_model(job, &event);
                if let Event::Searched(searched) = &event {
                    self.notify_search_result(searched);
                }
                if let Event::Checked(report) = &event {
                    self.notify_check_result(report);
                }
                let event = self.handle_job_event(job, event);
                if let Some(event) =
                    event.and_then(|event| self.handle_grid_event(None, job, event))
                {
                    self.handle_run_event(None, event);
                }
            }
            // All other events belong to a job.
            (None, _) => {}
        }
    }

    /// Processes an event of the current run on a remote machine, or on this computer for `None`.
    pub(super) fn handle_run_event(&mut self, machine: Option<&str>, event: Event) {
        let now = clock();
        let (ends, is_finished) = (event.ends_job(), matches!(event, Event::Finished { .. }));
        if let Event::Failed { problem, .. } = &event {
            self.notify(problem.clone(), true);
        }
        let is_measured = matches!(event, Event::TaskEvaluated { .. });
        let Some((live, _)) = self.train.active_run_and_grid(machine) else {
            return;
        };
        let live = live.get_or_insert_with(Arc::default);
        Arc::make_mut(live).apply_event(event, &now);
        let live = live.clone();
        if let Some(folder) = live.folder().filter(|_| is_measured || ends) {
            self.list_run(folder.to_path_buf());
        }
        if is_finished {
            self.notify_end(&live);
        }
        let is_displayed =
            machine.is_none_or(|name| self.train.watched_machine.as_deref() == Some(name));
        if is_measured && is_displayed {
            self.follow_live(&live);
        }
    }
}
