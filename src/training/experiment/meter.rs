//! Measures progress, speed and remaining time of a run, and limits progress to 20 reports per second.

use std::time::{Duration, Instant};

use crate::method::Pass;
use crate::run::event::RunProgress;

/// Shortest time between two reports.
const INTERVAL: Duration = Duration::from_millis(50);
/// Cost of predicting one image with both experts, relative to training on one image.
const TEST_COST: f64 = 0.8;

/// Counts the work that is done against the work of the whole run.
#[derive(Debug)]
pub struct Meter {
    total: f64,
    done: f64,
    /// Work that an earlier process did (of a resumed run).
    skipped: f64,
    working_time: Duration,
    started: Instant,
    last_report: Instant,
    losses: Vec<f32>,
    recent: (usize, Duration),
    task: (usize, Duration),
    tested: (usize, Duration),
}

impl Meter {
    /// Creates a meter for a run with this total work (see [`Meter::pass_work`], [`Meter::test_work`]).
    pub fn new(total: f64) -> Self {
        let now = Instant::now();
        Self {
            total: total.max(1.0),
            done: 0.0,
            skipped: 0.0,
            working_time: Duration::ZERO,
            started: now,
            last_report: now,
            losses: Vec::new(),
            recent: (0, Duration::ZERO),
            task: (0, Duration::ZERO),
            tested: (0, Duration::ZERO),
        }
    }

    /// Returns the work of a pass that shows this many images.
    pub fn pass_work(pass: &Pass, images: usize) -> f64 {
        images as f64 * pass.cost()
    }

    /// Returns the work of testing this many images.
    pub fn test_work(images: usize) -> f64 {
        images as f64 * TEST_COST
    }

    /// Adds work that an earlier process did.
    pub fn skip(&mut self, work: f64) {
        self.done += work;
        self.skipped += work;
    }

    /// Starts timing a piece of work. Call it after waiting for the control, so that pauses do not count.
    pub fn start(&mut self) {
        self.started = Instant::now();
    }

    /// Ends a piece of training work of a pass.
    pub fn add_trained(&mut self, pass: &Pass, images: usize) {
        let time = self.started.elapsed();
        self.working_time += time;
        self.done += Self::pass_work(pass, images);
        for sum in [&mut self.recent, &mut self.task] {
            sum.0 += images;
            sum.1 += time;
        }
    }

    /// Ends a piece of testing work.
    pub fn add_tested(&mut self, images: usize) {
        let time = self.started.elapsed();
        self.working_time += time;
        self.tested.0 += images;
        self.tested.1 += time;
        self.done += Self::test_work(images);
    }

    /// Ends a piece of work of a study.
    pub fn add_study(&mut self, work: f64) {
        self.working_time += self.started.elapsed();
        self.done += work;
    }

    /// Returns whether a report is due.
    pub fn is_report_due(&self) -> bool {
        self.last_report.elapsed() >= INTERVAL
    }

    /// Adds loss values for the next report.
    pub fn add_losses(&mut self, values: impl IntoIterator<Item = f32>) {
        self.losses.extend(values);
    }

    /// Returns the next report for this position: losses, the share of work that is done, recent images per second and
    /// seconds left. Clears the collected losses.
    pub fn progress(&mut self, position: RunProgress) -> RunProgress {
        self.last_report = Instant::now();
        let speed = per_second(self.recent);
        // A window of about two seconds keeps the speed steady but current.
        if self.recent.1 > Duration::from_secs(2) {
            self.recent = (self.recent.0 / 2, self.recent.1 / 2);
        }
        let fresh = self.done - self.skipped;
        let seconds_left = (fresh > 0.0 && self.working_time.as_millis() > 200)
            .then(|| self.working_time.as_secs_f64() / fresh * (self.total - self.done).max(0.0));
        let share = (self.done / self.total).clamp(0.0, 1.0);
        RunProgress {
            losses: std::mem::take(&mut self.losses),
            done: share,
            images_per_second: speed,
            seconds_left,
            ..position
        }
    }

    /// Ends a task. Returns its training speed in images per second and the seconds per tested image.
    pub fn end_task(&mut self) -> (f64, f64) {
        let (images, time) = std::mem::take(&mut self.tested);
        (per_second(std::mem::take(&mut self.task)), time.as_secs_f64() / images.max(1) as f64)
    }
}

fn per_second((images, time): (usize, Duration)) -> f64 {
    if time.is_zero() { 0.0 } else { images as f64 / time.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_skipped_work_and_never_exceeds_one() {
        let work = Meter::pass_work(&Pass::learning(false), 100);
        let mut meter = Meter::new(work + Meter::test_work(100));
        meter.skip(work);
        let RunProgress { done: share, seconds_left: left, .. } =
            meter.progress(RunProgress::default());
        assert!(share > 0.5 && share < 0.6 && left.is_none());
        meter.start();
        meter.add_tested(1000);
        assert_eq!(meter.progress(RunProgress::default()).done, 1.0);
    }

    #[test]
    fn losses_are_reported_once() {
        let mut meter = Meter::new(1.0);
        meter.add_losses([1.0, 0.5]);
        assert_eq!(meter.progress(RunProgress::default()).losses, vec![1.0, 0.5]);
        assert!(meter.progress(RunProgress::default()).losses.is_empty());
    }
}
