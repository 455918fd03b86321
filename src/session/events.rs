//! Events of the engine, folded into what the pages show.

use std::sync::Arc;

use super::quality::Quality;
use super::run_view::Stage;
use super::words::percent;
use super::{Session, clock};
use crate::metrics::Expert;
use crate::problem::Problem;
use crate::run::event::{Event, RunHeader};
use crate::run::job::Told;

impl Session {
    pub(super) fn take_event(&mut self, told: Told) {
        match (told.job, told.event) {
            (_, Event::Predicted(answer)) => {
                if let Some(answer) = self.pins.take(*answer) {
                    self.predict.take(answer);
                }
            }
            (_, Event::NotPredicted { ticket, problem }) => {
                if let Some(problem) = self.pins.refuse(ticket, problem)
                    && ticket == self.predict.ticket
                {
                    self.predict.refuse(problem);
                }
            }
            (_, Event::Inside(insight)) => self.insides.take(*insight),
            (_, Event::NotInside { ticket, problem }) => self.insides.refuse(ticket, &problem),
            (_, Event::Sheet { ticket, state }) => self.take_sheet(ticket, state),
            (_, Event::Remark { run, problem }) if run.is_empty() => self.notify(problem, true),
            (Some(job), event) => {
                if let Some(event) = self.take_job_event(job, event) {
                    self.take_run_event(event);
                }
            }
            // Everything else belongs to a job.
            (None, _) => {}
        }
    }

    /// Takes an event of the run at work.
    fn take_run_event(&mut self, event: Event) {
        let now = clock();
        let ends = match &event {
            Event::Finished { .. } => Some(Stage::Finished),
            Event::Stopped { .. } => Some(Stage::Stopped),
            Event::Failed { problem, .. } => {
                self.notify(problem.clone(), true);
                Some(Stage::Failed)
            }
            _ => None,
        };
        let measured = matches!(&event, Event::TaskEvaluated { .. });
        let live = self.live.get_or_insert_with(Arc::default);
        Arc::make_mut(live).fold(event, &now);
        if measured || ends.is_some() {
            self.list_runs();
        }
        if ends == Some(Stage::Finished) {
            self.tell_the_end();
        }
        if measured {
            self.follow_live();
        }
    }

    fn tell_the_end(&mut self) {
        let Some(run) = &self.live else { return };
        let header = run.header.as_ref();
        let lesson = header.and_then(|header| header.lessons.last());
        if let Some(lesson) = lesson {
            let told = format!("{} taught", crate::problem::listed(&lesson.classes, 8));
            let told = Problem::new(told).advise("Train shows what it cost the old classes");
            self.notify(told, false);
            return;
        }
        let quality = run.reports.last().map(|report| {
            let expert = run
                .header
                .as_ref()
                .map_or(Expert::Answer, RunHeader::answering);
            Quality::of(&report.answers, expert)
        });
        let Some(quality) = quality else { return };
        let text = format!(
            "{} is finished: {} of the {} {} images of all classes are right",
            run.title,
            percent(quality.accuracy(), 1),
            quality.images,
            run.measured_on(),
        );
        let told = Problem::new(text);
        if quality.is_guessing() {
            self.tell(told.advise(Quality::GUESSING), false, false);
        } else {
            self.notify(told, false);
        }
    }
}
