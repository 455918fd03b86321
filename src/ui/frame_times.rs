//! Measures drawing times: the time to the first frame, and the median and 95th percentile for the pages and for whole
//! frames.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::session::formatting::format_number;
use crate::tr;

/// Duration in seconds from which a frame is noticeably slow. The log records the first, second, fourth, eighth slow
/// frame and so on.
const SLOW: f32 = 0.25;
const MAX_FRAMES: usize = 2000;

/// The durations of the last frames in milliseconds.
#[derive(Debug, Default)]
struct Series(VecDeque<f32>);

impl Series {
    fn push(&mut self, seconds: f32) {
        if self.0.len() == MAX_FRAMES {
            self.0.pop_front();
        }
        self.0.push_back(seconds * 1e3);
    }

    /// Returns a percentile in milliseconds; `share` is from 0 to 1.
    fn percentile(&self, share: f32) -> f32 {
        let mut sorted: Vec<f32> = self.0.iter().copied().collect();
        sorted.sort_by(f32::total_cmp);
        let index = (share * sorted.len() as f32) as usize;
        sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }

    fn summary(&self) -> String {
        tr!(
            "shell-frame-percentiles",
            half = format_number(self.percentile(0.5).into(), 2),
            most = format_number(self.percentile(0.95).into(), 2)
        )
    }
}

/// Measures the duration of each frame.
#[derive(Debug)]
pub struct FrameTimes {
    started: Instant,
    first_frame: Option<Duration>,
    pages: Series,
    frames: Series,
    pages_started: Option<Instant>,
    /// Number of slow frames so far.
    slow_frames: u64,
}

impl FrameTimes {
    /// Starts measuring. `started` is the time when the program started.
    pub fn new(started: Instant) -> Self {
        Self {
            started,
            first_frame: None,
            pages: Series::default(),
            frames: Series::default(),
            pages_started: None,
            slow_frames: 0,
        }
    }

    /// Marks the start of drawing the pages in a frame.
    pub fn begin(&mut self) {
        self.pages_started = Some(Instant::now());
    }

    /// Marks the end of drawing the pages in a frame.
    pub fn end(&mut self) {
        let Some(started) = self.pages_started.take() else {
            return;
        };
        if self.first_frame.is_none() {
            self.first_frame = Some(self.started.elapsed());
        }
        self.pages.push(started.elapsed().as_secs_f32());
    }

    /// Records the seconds of a whole frame: events, pages, tessellation and drawing, without waiting for the screen.
    pub fn record_frame(&mut self, seconds: f32) {
        self.frames.push(seconds);
        if seconds > SLOW {
            self.slow_frames += 1;
            if self.slow_frames.is_power_of_two() {
                let (frames, ms) = (self.slow_frames, seconds * 1e3);
                tracing::info!("slow frame: {ms:.0} ms ({frames} so far)");
            }
        }
    }

    /// Returns the measured times as one line.
    pub fn summary(&self) -> String {
        tr!(
            "shell-frame-times",
            first =
                format_number(self.first_frame.map_or(0.0, |first| first.as_secs_f64() * 1e3), 0),
            n = self.pages.0.len(),
            whole = self.frames.summary(),
            pages = self.pages.summary()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_use_the_last_frames() {
        let mut times = FrameTimes::new(Instant::now());
        assert_eq!(times.frames.percentile(0.5), 0.0);
        (0..100u8).for_each(|ms| times.record_frame(f32::from(ms) / 1e3));
        assert_eq!(times.frames.percentile(0.5).round(), 50.0);
        assert_eq!(times.frames.percentile(0.95).round(), 95.0);
        times.begin();
        times.end();
        assert!(times.summary().contains("1 frame · total: p50 50.00 ms"));
        (0..2 * MAX_FRAMES).for_each(|_| times.record_frame(0.001));
        assert_eq!(times.frames.0.len(), MAX_FRAMES);
        assert_eq!(times.frames.percentile(0.95), 1.0);
    }
}
