//! Measures drawing times: the time to the first frame, and the median and 95th percentile for the pages and for whole
//! frames.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::session::words::number;
use crate::tr;

/// Duration in seconds from which a frame is noticeably slow. The log records the first, second, fourth, eighth slow
/// frame and so on.
const SLOW: f32 = 0.25;
const KEPT: usize = 2000;

/// The durations of the last frames in milliseconds.
#[derive(Debug, Default)]
struct Series(VecDeque<f32>);

impl Series {
    fn push(&mut self, seconds: f32) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(seconds * 1e3);
    }

    /// Returns a percentile in milliseconds; `share` is from 0 to 1.
    fn percentile(&self, share: f32) -> f32 {
        let mut sorted: Vec<f32> = self.0.iter().copied().collect();
        sorted.sort_by(f32::total_cmp);
        let at = (share * sorted.len() as f32) as usize;
        sorted
            .get(at.min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0.0)
    }

    fn words(&self) -> String {
        tr!(
            "shell-frame-percentiles",
            half = number(self.percentile(0.5).into(), 2),
            most = number(self.percentile(0.95).into(), 2)
        )
    }
}

/// Measures the duration of each frame.
#[derive(Debug)]
pub struct FrameTimes {
    started: Instant,
    first: Option<Duration>,
    pages: Series,
    whole: Series,
    begun: Option<Instant>,
    /// Number of slow frames so far.
    slow: u64,
}

impl FrameTimes {
    /// Starts measuring. `started` is the time when the program started.
    pub fn started_at(started: Instant) -> Self {
        Self {
            started,
            first: None,
            pages: Series::default(),
            whole: Series::default(),
            begun: None,
            slow: 0,
        }
    }

    /// Marks the start of drawing the pages in a frame.
    pub fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// Marks the end of drawing the pages in a frame.
    pub fn end(&mut self) {
        let Some(begun) = self.begun.take() else {
            return;
        };
        if self.first.is_none() {
            self.first = Some(self.started.elapsed());
        }
        self.pages.push(begun.elapsed().as_secs_f32());
    }

    /// Records the seconds of a whole frame: events, pages, tessellation and drawing, without waiting for the screen.
    pub fn whole(&mut self, seconds: f32) {
        self.whole.push(seconds);
        if seconds > SLOW {
            self.slow += 1;
            if self.slow.is_power_of_two() {
                let (frames, ms) = (self.slow, seconds * 1e3);
                tracing::info!("slow frame: {ms:.0} ms ({frames} so far)");
            }
        }
    }

    /// Returns the measured times as one line.
    pub fn line(&self) -> String {
        tr!(
            "shell-frame-times",
            first = number(self.first.map_or(0.0, |first| first.as_secs_f64() * 1e3), 0),
            n = self.pages.0.len(),
            whole = self.whole.words(),
            pages = self.pages.words()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_come_from_the_kept_frames() {
        let mut times = FrameTimes::started_at(Instant::now());
        assert_eq!(times.whole.percentile(0.5), 0.0);
        (0..100u8).for_each(|ms| times.whole(f32::from(ms) / 1e3));
        assert_eq!(times.whole.percentile(0.5).round(), 50.0);
        assert_eq!(times.whole.percentile(0.95).round(), 95.0);
        times.begin();
        times.end();
        assert!(times.line().contains("1 frame · total: p50 50.00 ms"));
        (0..2 * KEPT).for_each(|_| times.whole(0.001));
        assert_eq!(times.whole.0.len(), KEPT);
        assert_eq!(times.whole.percentile(0.95), 1.0);
    }
}
