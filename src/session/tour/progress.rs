//! Automatic progress of the tour, depending on its runs and its pinned drawings.

use super::{Tour, TourRun, TourRunState, TourStep};
use crate::run::config::RunConfig;
use crate::run::event::ControlRequest;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::estimate::{estimate, seconds_at};
use crate::session::views::PlanView;
use crate::tr;

impl Session {
    /// Updates the runs of the tour, and goes to the next step if its condition is met.
    pub(in crate::session) fn update_tour(&mut self) {
        let Some(mut tour) = self.learn.tour.take() else {
            return;
        };
        self.request_tour_plan(&mut tour);
        for run in &mut tour.runs {
            self.update_tour_run(run);
            self.start_tour_run(run);
        }
        while let Some(next) = self.next_step(&mut tour) {
            tour.step = next;
        }
        self.learn.tour = Some(tour);
    }

    fn update_tour_run(&mut self, run: &mut TourRun) {
        let Some(job) = run.job else { return };
        match &self.train.live {
            Some(live) if live.job == Some(job) => run.update_from(live),
            _ => run.update_waiting(self.train.queue.position(job).is_some()),
        }
        let is_missing = |folder: &&std::path::PathBuf| !self.predict.pins.runs().contains(*folder);
        if let Some(folder) = run.folder.as_ref().filter(is_missing) {
            self.add_run_to_board(folder.clone());
        }
    }

    /// Starts a requested run when no other run is in progress or about to start.
    fn start_tour_run(&mut self, run: &mut TourRun) {
        let is_free = !self.is_training() && self.waiting().all(|job| job.held);
        if run.state == TourRunState::Requested && is_free {
            run.set_queued(self.train_named_tour_run(run));
            self.update_tour_run(run);
        }
    }

    /// Queues a run of the tour with its name.
    pub(super) fn train_named_tour_run(&mut self, run: &TourRun) -> JobId {
        let name = format!("{}: {}", tr!("tour-title"), run.name());
        self.train_named(run.config.clone(), name)
    }

    /// Returns the step after this one, if its condition is met.
    fn next_step(&mut self, tour: &mut Tour) -> Option<TourStep> {
        let run = tour.run();
        match tour.step {
            TourStep::Draw => tour.is_drawn().then_some(TourStep::First),
            TourStep::First if run.measured_tasks() == 0 => None,
            TourStep::First => {
                let has_predictions = tour.is_drawn() && self.is_answered(tour, run, 1);
                self.pause_for_guess(tour);
                has_predictions.then_some(TourStep::Guess)
            }
            TourStep::Guess => {
                tour.guess?;
                if run.job == self.running_job() {
                    self.backend.control_running(ControlRequest::Run);
                }
                Some(TourStep::FineTuning)
            }
            TourStep::FineTuning => {
                let is_done = self.is_done(tour, run);
                tour.was_resumed |= run.state == TourRunState::Running;
                is_done.then_some(TourStep::Pet)
            }
            TourStep::Pet => self.is_done(tour, run).then_some(TourStep::Lae),
            TourStep::Lae => {
                let is_done = self.is_done(tour, run);
                tour.task = run.measured_tasks().saturating_sub(1);
                is_done.then_some(TourStep::Compare)
            }
            TourStep::Compare | TourStep::End => None,
        }
    }

    /// Pauses the first run once after its first task until the user has guessed.
    fn pause_for_guess(&mut self, tour: &mut Tour) {
        if !tour.was_paused && tour.guess.is_none() && tour.run().job == self.running_job() {
            tour.was_paused = true;
            self.backend.control_running(ControlRequest::Pause);
        }
    }

    fn is_done(&self, tour: &Tour, run: &TourRun) -> bool {
        run.state == TourRunState::Finished && self.is_answered(tour, run, run.measured_tasks())
    }

    /// Returns whether both drawings have predictions after this number of tasks, or cannot have them because of an
    /// error.
    fn is_answered(&self, tour: &Tour, run: &TourRun, tasks: usize) -> bool {
        let Some(folder) = &run.folder else {
            return false;
        };
        tour.pins.into_iter().flatten().all(|pin| {
            let has_prediction = |task| self.predict.pins.prediction(pin, folder, task).is_some();
            (0..tasks).all(has_prediction) || self.predict.pins.problem(pin, folder).is_some()
        })
    }

    /// Requests the plan of the tour's runs, once.
    fn request_tour_plan(&mut self, tour: &mut Tour) {
        if tour.plan_requested {
            return;
        }
        let config = tour.runs[2].config.clone();
        if let Some(data) = self.look_up(self.data_of(&config)) {
            tour.plan_requested = true;
            self.request_plan(config, Some(data), Self::accept_tour_plan);
        }
    }

    fn accept_tour_plan(&mut self, config: &RunConfig, plan: PlanView) {
        let awaits_plan = |tour: &&mut Tour| tour.plan.is_none() && tour.runs[2].config == *config;
        if let Some(tour) = self.learn.tour.as_mut().filter(awaits_plan) {
            tour.plan = Some(plan);
        }
    }

    /// Returns the estimated seconds of a run of the tour on this machine, and whether they are based on a measurement:
    /// the speed of the tour's run that trains the same weights, otherwise of earlier runs. Without a measurement, the
    /// estimate for an idle machine is doubled, because a longer wait than announced is worse than a shorter one.
    /// `None` while nothing is known.
    pub fn tour_seconds(&self, run: &TourRun) -> Option<(f64, bool)> {
        let tour = self.learn.tour.as_ref()?;
        let plan = tour.plan.as_ref()?;
        let [fine_tuning, pet, _] = &tour.runs;
        let reference_run = match run.config.method == fine_tuning.config.method {
            true => fine_tuning,
            false => pet,
        };
        match reference_run.speed() {
            Some(speed) => Some((seconds_at(&run.config, plan, speed)?, true)),
            None => {
                let cost = estimate(&run.config, plan, self.rows(), &self.inventory)?;
                let is_measured = cost.basis.is_some();
                let factor = if is_measured { 1.0 } else { 2.0 };
                Some((factor * cost.seconds, is_measured))
            }
        }
    }
}
