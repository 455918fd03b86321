//! The choice of the stage of ESN that answers (Wang et al., AAAI 2023, section 3.3): the stage with the largest energy
//! logsumexp(z/τ), by a vote over several temperatures τ.
//!
//! After each task but the first, the τ that best separates the new stage from the earlier ones on the task's own
//! images is selected. Each distinct τ so far has one vote.

/// The candidate temperatures, smallest first.
pub const TEMPERATURES: [f64; 12] = [0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Computes ln Σ e^(z/τ).
fn energy(logits: &[f32], temperature: f64) -> f64 {
    let scaled = |z: &f32| f64::from(*z) / temperature;
    let largest = logits.iter().map(scaled).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|z| (scaled(z) - largest).exp()).sum();
    largest + sum.ln()
}

/// Returns the index of the first maximum.
fn index_of_max<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> usize {
    let mut best: Option<(usize, T)> = None;
    for (index, value) in values.enumerate() {
        if best.is_none_or(|(_, max)| value > max) {
            best = Some((index, value));
        }
    }
    best.map_or(0, |(index, _)| index)
}

/// Returns the stage with the largest energy at one temperature; `stages` are the logits of an image, stage by stage.
fn leading_stage(stages: &[&[f32]], temperature: f64) -> usize {
    index_of_max(stages.iter().map(|logits| energy(logits, temperature)))
}

/// Returns how many of the selected temperatures (indices into [`TEMPERATURES`]) vote for each stage; each votes once,
/// however often it was selected.
pub fn count_votes(stages: &[&[f32]], chosen: &[usize]) -> Vec<usize> {
    let mut votes = vec![0; stages.len()];
    for (index, temperature) in TEMPERATURES.iter().enumerate() {
        if chosen.contains(&index) {
            votes[leading_stage(stages, *temperature)] += 1;
        }
    }
    votes
}

/// Returns the stage with the most votes, the lowest among equals.
pub fn winning_stage(votes: &[usize]) -> usize {
    index_of_max(votes.iter().copied())
}

/// Counts of images for which the newest stage has the largest energy, at each of [`TEMPERATURES`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Separation {
    wins: [usize; TEMPERATURES.len()],
    images: usize,
}

impl Separation {
    /// Counts one image of the newest task.
    pub fn add(&mut self, stages: &[&[f32]]) {
        self.images += 1;
        for (wins, temperature) in self.wins.iter_mut().zip(TEMPERATURES) {
            *wins += usize::from(leading_stage(stages, temperature) + 1 == stages.len());
        }
    }

    /// Returns the number of images counted so far.
    pub fn images(&self) -> usize {
        self.images
    }

    /// Returns the share of images that the newest stage wins, at each temperature.
    pub fn shares(&self) -> Vec<f64> {
        let images = self.images.max(1) as f64;
        self.wins.iter().map(|wins| *wins as f64 / images).collect()
    }

    /// Returns the index in [`TEMPERATURES`] of the largest share, the smallest among equals.
    pub fn best(&self) -> usize {
        index_of_max(self.wins.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At a low temperature the largest logit decides, at a high one many medium logits do.
    const PEAK: &[f32] = &[2.0, -9.0, -9.0];
    const BROAD: &[f32] = &[1.9, 1.9, 1.9];

    #[test]
    fn temperature_determines_leading_stage() {
        assert_eq!(leading_stage(&[PEAK, BROAD], 0.01), 0);
        assert_eq!(leading_stage(&[PEAK, BROAD], 1.0), 1);
        assert!((energy(&[0.0, 0.0], 0.5) - 2f64.ln()).abs() < 1e-12);
        assert!(energy(&[1e6, 0.0], 0.001).is_finite());
    }

    #[test]
    fn votes_deduplicate_temperatures_and_favour_lowest_stage() {
        let stages = [PEAK, BROAD];
        let winner = |chosen: &[usize]| winning_stage(&count_votes(&stages, chosen));
        // Indices 0, 10 and 11 are 0.001, 0.9 and 1.
        assert_eq!(winner(&[11]), 1);
        assert_eq!(winner(&[0, 11]), 0, "one vote each");
        assert_eq!(winner(&[0, 11, 11, 11]), 0);
        assert_eq!(winner(&[0, 11, 10]), 1);
        assert_eq!(winning_stage(&count_votes(&[PEAK, PEAK], &[6])), 0);
    }

    #[test]
    fn best_returns_smallest_of_tied_temperatures() {
        let mut separation = Separation::default();
        separation.add(&[PEAK, BROAD]);
        // From 0.1 on, the three medium logits outweigh the peak: 0.1 · ln 3 > 0.1.
        assert_eq!(TEMPERATURES[separation.best()], 0.1);
        separation.add(&[&[0.0], &[5.0]]);
        assert_eq!(separation.shares()[..3], [0.5, 0.5, 1.0]);
        assert_eq!(TEMPERATURES[separation.best()], 0.1);
    }
}
