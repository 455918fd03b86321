//! Applies the engine's events to the state that the pages show.

use std::sync::Arc;

use super::Session;
use super::notices::clock;
use crate::run::event::Event;
use crate::run::queue::JobEvent;

impl Session {
    pub(super) fn handle_event(&mut self, told: JobEvent) {
        match (told.job, told.event) {
            (_, Event::Predicted(answer)) => {
                let answer = self.train.worst.take(*answer);
                if let Some(answer) = answer.and_then(|answer| self.predict.pins.take(answer)) {
                    self.predict.take(answer);
                }
            }
            (_, Event::NotPredicted { ticket, problem }) => {
                if self.train.worst.refuse(ticket, &problem) {
                    return;
                }
                if let Some(problem) = self.predict.pins.refuse(ticket, problem)
                    && ticket == self.predict.ticket
                {
                    self.predict.refuse(problem);
                }
            }
            (_, Event::Inside(insight)) => self.predict.insides.take(*insight),
            (_, Event::NotInside { ticket, problem }) => {
                self.predict.insides.refuse(ticket, &problem);
            }
            (_, Event::Sheet { ticket, state }) => self.accept_sheet_state(ticket, state),
            (_, Event::Doubts { ticket, state }) => self.train.doubts.take(ticket, state),
            (_, Event::Speed(speed)) => self.inventory.speed = Some(speed),
            (_, Event::Remark { run, problem }) if run.is_empty() => self.notify(problem, true),
            (Some(job), event) => {
                self.follow_trial(job, &event);
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

    /// Processes an event of the current run at a place, or on this computer for `None`.
    pub(super) fn handle_run_event(&mut self, place: Option<&str>, event: Event) {
        let now = clock();
        let (ends, is_finished) = (event.ends_job(), matches!(event, Event::Finished { .. }));
        if let Event::Failed { problem, .. } = &event {
            self.notify(problem.clone(), true);
        }
        let measured = matches!(event, Event::TaskEvaluated { .. });
        let Some((live, _)) = self.train.at_work(place) else {
            return;
        };
        let live = live.get_or_insert_with(Arc::default);
        Arc::make_mut(live).fold(event, &now);
        let live = live.clone();
        if let Some(folder) = live.folder().filter(|_| measured || ends) {
            self.list_run(folder.to_path_buf());
        }
        if is_finished {
            self.notify_end(&live);
        }
        let on_show = place.is_none_or(|name| self.train.watched.as_deref() == Some(name));
        if measured && on_show {
            self.follow_live(&live);
        }
    }
}
