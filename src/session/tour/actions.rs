//! The user's actions in the tour.

use std::sync::Arc;

use super::{DRAWN_CLASSES, DrawingOutcome, Tour, TourRun, TourRunState, TourStep};
use crate::run::event::{Command, ControlRequest, NamedImage};
use crate::run::job::JobId;
use crate::session::Session;

impl Session {
    /// Starts the tour, unless it is open.
    pub fn begin_tour(&mut self) {
        if self.learn.tour.is_none() {
            self.learn.tour = Some(Tour::new(&self.experiment.draft.device, 0));
            self.update_tour();
        }
    }

    /// Leaves the tour at any step. Its run in progress is stopped; finished runs remain in the list of runs.
    pub fn leave_tour(&mut self) {
        let Some(tour) = self.learn.tour.take() else {
            return;
        };
        let active = tour.runs.iter().filter(|run| run.is_active());
        for job in active.filter_map(|run| run.job) {
            self.backend.send(Command::Stop(job));
            if self.running_job() == Some(job) {
                self.backend.control_job(job, ControlRequest::Stop);
            }
        }
        self.unpin_tour_drawings(&tour);
    }

    /// Ends the tour. Its runs remain in the list of runs, and the drawings remain pinned.
    pub fn keep_tour_runs(&mut self) {
        self.learn.tour = None;
    }

    /// Ends the tour and moves its runs to the trash.
    pub fn delete_tour_runs(&mut self) {
        let Some(tour) = self.learn.tour.take() else {
            return;
        };
        self.unpin_tour_drawings(&tour);
        self.delete(tour.into_folders());
    }

    /// Keeps the drawings and trains all runs again with another class order and seed.
    pub fn redraw_tour(&mut self) {
        let Some(tour) = self.learn.tour.take() else {
            return;
        };
        self.hide_tour_runs(&tour);
        let new_tour = Tour::new(&self.experiment.draft.device, tour.draw + 1);
        self.learn.tour =
            Some(Tour { pins: tour.pins, earlier_folders: tour.into_folders(), ..new_tour });
        self.update_tour();
        self.train_tour_run();
    }

    /// Pins the drawing of a class of [`DRAWN_CLASSES`] and replaces its previous drawing.
    pub fn pin_drawn(&mut self, index: usize, image: Arc<NamedImage>) {
        let Some(tour) = &self.learn.tour else { return };
        match tour.pins[index] {
            Some(pin) => self.repin(pin, image),
            None => {
                let pin = self.pin(image, Some(DRAWN_CLASSES[index].into()));
                if let Some(tour) = &mut self.learn.tour {
                    tour.pins[index] = Some(pin);
                }
            }
        }
        self.update_tour();
    }

    /// Unpins the drawing of a class of [`DRAWN_CLASSES`].
    pub fn unpin_drawn(&mut self, index: usize) {
        let tour = self.learn.tour.as_mut();
        if let Some(pin) = tour.and_then(|tour| tour.pins[index].take()) {
            self.unpin(pin);
        }
        self.update_tour();
    }

    /// Requests the run of the current step. It starts when no other run is in progress.
    pub fn train_tour_run(&mut self) {
        if let Some(tour) = &mut self.learn.tour
            && tour.run().is_not_requested()
        {
            tour.run_mut().state = TourRunState::Requested;
        }
        self.update_tour();
    }

    /// Queues the requested run of the current step behind the run in progress.
    pub fn queue_tour_run(&mut self) {
        let is_requested = |tour: &&Tour| tour.run().state == TourRunState::Requested;
        let Some(tour) = self.learn.tour.as_ref().filter(is_requested) else {
            return;
        };
        let run = tour.run().clone();
        let job = self.train_named_tour_run(&run);
        if let Some(tour) = &mut self.learn.tour {
            tour.run_mut().set_queued(job);
        }
        self.update_tour();
    }

    /// Requests a run of the tour again after it ended early.
    pub fn retrain_tour_run(&mut self) {
        let Some(tour) = &mut self.learn.tour else {
            return;
        };
        let run = tour.run_mut();
        let old_folder = run.folder.take();
        *run = TourRun::new(run.config.clone());
        if tour.step < TourStep::Pet {
            (tour.step, tour.was_paused) = (TourStep::First, false);
        }
        if let Some(old_folder) = old_folder {
            self.remove_run_from_board(&old_folder);
        }
        self.train_tour_run();
    }

    /// Stores the user's guess and resumes the first run.
    pub fn guess_drawing_outcome(&mut self, guess: DrawingOutcome) {
        if let Some(tour) = &mut self.learn.tour {
            tour.guess = Some(guess);
        }
        self.update_tour();
    }

    /// Resumes a paused run of the tour.
    pub fn resume_tour_run(&mut self) {
        if let Some(tour) = &self.learn.tour
            && tour.run().job.is_some()
            && tour.run().job == self.running_job()
        {
            self.backend.control_running(ControlRequest::Run);
        }
    }

    /// Shows a task for all runs, if all have finished it.
    pub fn show_tour_task(&mut self, task: usize) {
        if let Some(tour) = &mut self.learn.tour {
            let finished_tasks = tour.runs.iter().map(TourRun::measured_tasks).min().unwrap_or(0);
            tour.task = task.min(finished_tasks.saturating_sub(1));
        }
    }

    /// Goes to the last step after the user has viewed the runs.
    pub fn conclude_tour(&mut self) {
        if let Some(tour) = &mut self.learn.tour
            && tour.step == TourStep::Compare
        {
            tour.step = TourStep::End;
        }
    }

    /// Returns whether this job belongs to the tour.
    pub fn is_tour_job(&self, job: JobId) -> bool {
        let mut runs = self.learn.tour.iter().flat_map(|tour| &tour.runs);
        runs.any(|run| run.job == Some(job))
    }

    fn unpin_tour_drawings(&mut self, tour: &Tour) {
        for pin in tour.pins.into_iter().flatten() {
            self.unpin(pin);
        }
        self.hide_tour_runs(tour);
    }

    fn hide_tour_runs(&mut self, tour: &Tour) {
        for folder in tour.runs.iter().filter_map(|run| run.folder.as_ref()) {
            self.remove_run_from_board(folder);
        }
    }
}
