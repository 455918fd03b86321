//! LAE's answer: both experts together (paper Eq. 9), or one of them if Ensemble is off.

use super::super::answers::{Answer, argmax, log_probabilities, predict_class};
use super::Switches;
use crate::metrics::Expert;
use crate::run::event::ClassPrediction;

/// Returns the run's answer: the maximum of both experts (paper Eq. 9), or one of them if LAE's Ensemble is off (paper
/// Table 5: the offline one with Accumulation, else the online one).
pub(super) fn ensemble_answer(
    online: &[f32],
    offline: Option<&[f32]>,
    switches: Switches,
) -> Answer {
    let has_offline = offline.is_some();
    // Before the second task, the online expert is used in place of the offline one.
    let offline = offline.unwrap_or(online);
    let (on, off) =
        (predict_class(Expert::ONLINE, online), predict_class(Expert::OFFLINE, offline));
    let as_ensemble = |prediction: &ClassPrediction| ClassPrediction {
        expert: Expert::ENSEMBLE,
        ..prediction.clone()
    };
    let (answer, decided_by, scores) = match (switches.ensemble, switches.accumulation) {
        (true, _) => combine(&on, &off, online, offline),
        (false, true) if has_offline => (as_ensemble(&off), Expert::OFFLINE, offline.to_vec()),
        (false, _) => (as_ensemble(&on), Expert::ONLINE, online.to_vec()),
    };
    Answer {
        predictions: vec![on, off, answer],
        // If there is only one expert, the online one decided.
        decided_by: if has_offline { decided_by } else { Expert::ONLINE },
        scores,
    }
}

/// Returns the element-wise maximum of two softmaxes with the lower of the two energies, the expert with the largest
/// probability, and the element-wise maximum of the log-softmaxes.
fn combine(
    on: &ClassPrediction,
    off: &ClassPrediction,
    online: &[f32],
    offline: &[f32],
) -> (ClassPrediction, Expert, Vec<f32>) {
    let pairs = on.probabilities.iter().zip(&off.probabilities);
    let probabilities: Vec<f32> = pairs.map(|(a, b)| a.max(*b)).collect();
    let class = argmax(&probabilities);
    let energy = on.energy.zip(off.energy).map(|(a, b)| a.min(b));
    let offline_is_larger = on.probabilities[class] < probabilities[class];
    let log_pairs = log_probabilities(online).into_iter().zip(log_probabilities(offline));
    let answer = ClassPrediction { expert: Expert::ENSEMBLE, class, probabilities, energy };
    let decided_by = match offline_is_larger {
        true => Expert::OFFLINE,
        false => Expert::ONLINE,
    };
    (answer, decided_by, log_pairs.map(|(a, b)| a.max(b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(answer_of_image: &Answer) -> &ClassPrediction {
        &answer_of_image.predictions[2]
    }

    #[test]
    fn ensemble_is_maximum_of_both_softmaxes() {
        let v = ensemble_answer(&[2.0, 0.0, 0.0], Some(&[0.0, 5.0, 0.0]), Switches::ALL);
        let [on, off, _] = &v.predictions[..] else {
            return assert_eq!(v.predictions.len(), 3);
        };
        assert_eq!((answer(&v).class, v.decided_by), (1, Expert::OFFLINE));
        assert_eq!(answer(&v).probabilities[0], on.probabilities[0]);
        assert_eq!(answer(&v).probabilities[1], off.probabilities[1]);
        assert!(answer(&v).probabilities.iter().sum::<f32>() > 1.0);
        assert_eq!((v.predict_within(&(0..1)), v.predict_within(&(1..3))), (0, 1));
    }

    #[test]
    fn single_expert_answers_without_ensemble() {
        let (on, off) = ([9.0, 0.0], [0.0, 1.0]);
        let without_ensemble = Switches { ensemble: false, ..Switches::ALL };
        let v = ensemble_answer(&on, Some(&off), without_ensemble);
        assert_eq!((answer(&v).class, v.decided_by), (1, Expert::OFFLINE));
        assert_eq!(answer(&v).probabilities, v.predictions[1].probabilities);
        let without_both = Switches { accumulation: false, ..without_ensemble };
        let v = ensemble_answer(&on, Some(&off), without_both);
        assert_eq!((answer(&v).class, v.decided_by), (0, Expert::ONLINE));
        assert_eq!(answer(&v).probabilities, v.predictions[0].probabilities);
    }
}
