//! The calibration of scores: how well they match the share of correct predictions.

use super::{Expert, Predictions};

/// Number of bins of equal width, as in Guo et al.
const BINS: usize = 15;

/// A bin: number of images, number of correct predictions, and sum of scores.
type Bin = (usize, usize, f64);

/// Returns the expected calibration error of an expert as a fraction: the mean over 15 bins of |mean score −
/// accuracy|, weighted by images (Guo et al., On Calibration of Modern Neural Networks, ICML 2017). `None` if the
/// scores are not known.
pub fn calibration_error(predictions: &Predictions, expert: Expert) -> Option<f64> {
    if predictions.labels.is_empty() || !predictions.has_certainty(expert) {
        return None;
    }
    let mut bins: [Bin; BINS] = [(0, 0, 0.0); BINS];
    let scores = predictions.certainty.get(&expert)?;
    let pairs = predictions.labels.iter().zip(predictions.for_expert(expert));
    for ((label, predicted), &score) in pairs.zip(scores) {
        let score = f64::from(score);
        // Each bin includes its upper edge but not its lower one; the first bin includes both.
        let index = ((score * BINS as f64).ceil() as usize).clamp(1, BINS) - 1;
        let bin = &mut bins[index];
        *bin = (bin.0 + 1, bin.1 + usize::from(label == predicted), bin.2 + score);
    }
    let gaps = bins.iter().map(|bin| (bin.1 as f64 - bin.2).abs());
    Some(gaps.sum::<f64>() / predictions.labels.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_error_averages_gaps_over_bins() {
        let mut answers = Predictions {
            labels: vec![0, 1, 1, 0],
            given: [(Expert::ANSWER, vec![0, 0, 1, 0])].into(),
            certainty: [(Expert::ANSWER, vec![0.95, 0.94, 0.5, 1.0])].into(),
            ..Predictions::default()
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
