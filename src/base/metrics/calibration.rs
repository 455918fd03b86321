//! The calibration of scores: how well they match the share of correct predictions.

use super::{Answers, Expert};

/// Number of bins of equal width, as in Guo et al.
const BINS: usize = 15;

/// A bin: number of images, number of correct predictions, and sum of scores.
type Bin = (usize, usize, f64);

/// Returns the expected calibration error of an expert as a fraction: the mean over 15 bins of |mean score −
/// accuracy|, weighted by images (Guo et al., On Calibration of Modern Neural Networks, ICML 2017). `None` if the
/// scores are not known.
pub fn calibration_error(answers: &Answers, expert: Expert) -> Option<f64> {
    if answers.labels.is_empty() || !answers.has_certainty(expert) {
        return None;
    }
    let mut bins: [Bin; BINS] = [(0, 0, 0.0); BINS];
    let scores = answers.certainty.get(&expert)?;
    let pairs = answers.labels.iter().zip(answers.of(expert));
    for ((label, given), &score) in pairs.zip(scores) {
        let score = f64::from(score);
        // Each bin includes its upper edge but not its lower one; the first bin includes both.
        let at = ((score * BINS as f64).ceil() as usize).clamp(1, BINS) - 1;
        let bin = &mut bins[at];
        *bin = (
            bin.0 + 1,
            bin.1 + usize::from(label == given),
            bin.2 + score,
        );
    }
    let off = bins.iter().map(|bin| (bin.1 as f64 - bin.2).abs());
    Some(off.sum::<f64>() / answers.labels.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_error_averages_gaps_over_bins() {
        let mut answers = Answers {
            labels: vec![0, 1, 1, 0],
            given: [(Expert::ANSWER, vec![0, 0, 1, 0])].into(),
            certainty: [(Expert::ANSWER, vec![0.95, 0.94, 0.5, 1.0])].into(),
            ..Answers::default()
        };
        // Bin 15 (above 14/15): 0.95, 0.94 and 1.0, two of them correct; bin 8 (7/15 to 8/15): 0.5, correct.
        let by_hand = ((2.89 - 2.0) + (1.0 - 0.5)) / 4.0;
        let error = calibration_error(&answers, Expert::ANSWER).unwrap_or(0.0);
        assert!((error - by_hand).abs() < 1e-7, "{error}");
        answers.certainty = [(Expert::ANSWER, vec![1.0, 0.0, 1.0, 1.0])].into();
        assert_eq!(calibration_error(&answers, Expert::ANSWER), Some(0.0));
        answers.certainty = Default::default();
        assert_eq!(calibration_error(&answers, Expert::ANSWER), None);
    }
}
