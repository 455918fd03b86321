//! Automatic progress of the tour, derived from its runs and its pinned drawings.

use super::{OwnRun, Tour, TourRunState, TourStep, presets};
use crate::run::config::RunConfig;
use crate::run::event::Wish;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::estimate::{estimate, seconds_at};
use crate::session::views::PlanView;
use crate::tr;

impl Session {
    /// Updates the runs of the tour, and goes to the next step if it is due.
    pub(in crate::session) fn follow_tour(&mut self) {
        let Some(mut tour) = self.learn.tour.take() else {
            return;
        };
        self.ask_tour_plan(&mut tour);
        for run in [&mut tour.baseline, &mut tour.lae] {
            self.follow_tour_run(run);
            self.start_tour_run(run);
        }
        while let Some(next) = self.next_step(&mut tour) {
            tour.step = next;
        }
        self.learn.tour = Some(tour);
    }

    fn follow_tour_run(&mut self, run: &mut OwnRun) {
        let Some(job) = run.job else { return };
        match &self.train.live {
            Some(live) if live.job == Some(job) => run.follow(live),
            _ => run.wait(self.train.queue.place(job).is_some()),
        }
        let unshown = |folder: &&std::path::PathBuf| !self.predict.pins.runs().contains(*folder);
        if let Some(folder) = run.folder.as_ref().filter(unshown) {
            self.show_pins_to(folder.clone());
        }
    }

    /// Starts a wanted run, once nothing else trains or is about to.
    fn start_tour_run(&mut self, run: &mut OwnRun) {
        let free = !self.is_training() && self.waiting().all(|job| job.held);
        if run.standing == TourRunState::Wanted && free {
            run.asked_as(self.train_named_of_tour(&run.config));
            self.follow_tour_run(run);
        }
    }

    /// Trains a run of the tour under its name.
    pub(super) fn train_named_of_tour(&mut self, config: &RunConfig) -> JobId {
        let run = match config.method == presets::baseline(config).method {
            true => tr!("tour-baseline-name"),
            false => tr!("tour-lae-name"),
        };
        let name = format!("{}: {run}", tr!("tour-title"));
        self.train_named(config.clone(), name)
    }

    /// Returns the step after this one, if its condition is met.
    fn next_step(&mut self, tour: &mut Tour) -> Option<TourStep> {
        match tour.step {
            TourStep::Draw => tour.is_drawn().then_some(TourStep::First),
            TourStep::First if tour.baseline.measured() == 0 => None,
            TourStep::First => {
                self.hold_for_guess(tour);
                let answered = tour.is_drawn() && self.is_answered(tour, &tour.baseline, 1);
                answered.then_some(TourStep::Guess)
            }
            TourStep::Guess => {
                tour.guess?;
                if tour.baseline.job == self.running_job() {
                    self.backend.wish(Wish::Run);
                }
                Some(TourStep::Forget)
            }
            TourStep::Forget => self
                .is_done(tour, &tour.baseline)
                .then_some(TourStep::Switch),
            TourStep::Switch => {
                tour.task = tour.lae.measured().saturating_sub(1);
                self.is_done(tour, &tour.lae).then_some(TourStep::Compare)
            }
            TourStep::Compare | TourStep::End => None,
        }
    }

    /// Pauses Baseline once after its first task, until the user has guessed.
    fn hold_for_guess(&mut self, tour: &mut Tour) {
        if !tour.held && tour.guess.is_none() && tour.baseline.job == self.running_job() {
            tour.held = true;
            self.backend.wish(Wish::Pause);
        }
    }

    fn is_done(&self, tour: &Tour, run: &OwnRun) -> bool {
        run.standing == TourRunState::Finished && self.is_answered(tour, run, run.measured())
    }

    /// Returns whether both drawings have predictions after this number of tasks, or cannot have any.
    fn is_answered(&self, tour: &Tour, run: &OwnRun, tasks: usize) -> bool {
        let Some(folder) = &run.folder else {
            return false;
        };
        tour.pins.into_iter().flatten().all(|pin| {
            let answer = |task| self.predict.pins.answer(pin, folder, task).is_some();
            (0..tasks).all(answer) || self.predict.pins.problem(pin, folder).is_some()
        })
    }

    /// Requests the plan of the tour's runs, once.
    fn ask_tour_plan(&mut self, tour: &mut Tour) {
        if tour.asked {
            return;
        }
        let config = tour.lae.config.clone();
        if let Some(data) = self.look_up(self.data_of(&config)) {
            tour.asked = true;
            self.ask_plan(config, Some(data), Self::take_tour_plan);
        }
    }

    fn take_tour_plan(&mut self, asked: &RunConfig, plan: PlanView) {
        let waits = |tour: &&mut Tour| tour.plan.is_none() && tour.lae.config == *asked;
        if let Some(tour) = self.learn.tour.as_mut().filter(waits) {
            tour.plan = Some(plan);
        }
    }

    /// Returns the estimated seconds of a run of the tour on this machine, and whether they are based on a measurement:
    /// the speed of the tour's first run, else of earlier runs. Without one, it is twice the time of an idle machine,
    /// because waiting longer than announced is worse than shorter. `None` while nothing is known.
    pub fn tour_seconds(&self, run: &OwnRun) -> Option<(f64, bool)> {
        let tour = self.learn.tour.as_ref()?;
        let plan = tour.plan.as_ref()?;
        let measured = run.speed.or(tour.baseline.speed);
        match measured {
            Some(speed) => Some((seconds_at(&run.config, plan, speed)?, true)),
            None => {
                let cost = estimate(&run.config, plan, self.rows(), &self.inventory)?;
                let measured = cost.basis.is_some();
                let factor = if measured { 1.0 } else { 2.0 };
                Some((factor * cost.seconds, measured))
            }
        }
    }
}
