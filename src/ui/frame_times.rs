//! How long the window takes to draw: time to the first frame, median and 95th percentile.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Frames that count.
const KEPT: usize = 2000;

/// Collects how long each frame's own work took.
#[derive(Debug)]
pub struct FrameTimes {
    started: Instant,
    first: Option<Duration>,
    frames: VecDeque<f32>,
    begun: Option<Instant>,
}

impl FrameTimes {
    /// Begins to count; `started` is when the program began.
    pub fn since(started: Instant) -> Self {
        Self {
            started,
            first: None,
            frames: VecDeque::new(),
            begun: None,
        }
    }

    /// A frame's work begins.
    pub fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// A frame's work ends.
    pub fn end(&mut self) {
        let Some(begun) = self.begun.take() else {
            return;
        };
        if self.first.is_none() {
            self.first = Some(self.started.elapsed());
        }
        if self.frames.len() == KEPT {
            self.frames.pop_front();
        }
        self.frames.push_back(begun.elapsed().as_secs_f32() * 1e3);
    }

    /// Milliseconds below which this share of the frames stayed.
    pub fn percentile(&self, share: f32) -> f32 {
        let mut sorted: Vec<f32> = self.frames.iter().copied().collect();
        sorted.sort_by(f32::total_cmp);
        let at = (share * sorted.len() as f32) as usize;
        sorted
            .get(at.min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0.0)
    }

    /// One line for people.
    pub fn line(&self) -> String {
        format!(
            "first frame after {:.0} ms · {} frames · p50 {:.2} ms · p95 {:.2} ms",
            self.first.map_or(0.0, |first| first.as_secs_f64() * 1e3),
            self.frames.len(),
            self.percentile(0.5),
            self.percentile(0.95)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_come_from_the_kept_frames() {
        let mut times = FrameTimes::since(Instant::now());
        assert_eq!(times.percentile(0.5), 0.0);
        times.frames.extend((0..100u8).map(f32::from));
        assert_eq!(times.percentile(0.5), 50.0);
        assert_eq!(times.percentile(0.95), 95.0);
        times.begin();
        times.end();
        assert!(times.line().contains("101 frames"));
    }
}
