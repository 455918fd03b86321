//! LAE's answer: both experts together (paper Eq. 9), or one of them if Ensemble is off.

use super::super::answers::{Answer, argmax, log_probabilities, opinion};
use super::Switches;
use crate::metrics::Expert;
use crate::run::event::ClassPrediction;

/// Returns the run's answer: the maximum of both experts (paper Eq. 9), or one of them if LAE's Ensemble is off (paper
/// Table 5: the offline one with Accumulation, else the online one).
pub(super) fn verdict(online: &[f32], offline: Option<&[f32]>, switches: Switches) -> Answer {
    let two = offline.is_some();
    // Before the second task, the online expert is used in place of the offline one.
    let offline = offline.unwrap_or(online);
    let (on, off) = (
        opinion(Expert::ONLINE, online),
        opinion(Expert::OFFLINE, offline),
    );
    let named = |opinion: &ClassPrediction| ClassPrediction {
        expert: Expert::ENSEMBLE,
        ..opinion.clone()
    };
    let (answer, decided_by, scores) = match (switches.ensemble, switches.accumulation) {
        (true, _) => both(&on, &off, online, offline),
        (false, true) if two => (named(&off), Expert::OFFLINE, offline.to_vec()),
        (false, _) => (named(&on), Expert::ONLINE, online.to_vec()),
    };
    Answer {
        opinions: vec![on, off, answer],
        // If there is only one expert, the online one decided.
        decided_by: if two { decided_by } else { Expert::ONLINE },
        scores,
    }
}

/// Returns the element-wise maximum of two softmaxes with the lower of the two energies, the expert with the largest
/// probability, and the element-wise maximum of the log-softmaxes.
fn both(
    on: &ClassPrediction,
    off: &ClassPrediction,
    online: &[f32],
    offline: &[f32],
) -> (ClassPrediction, Expert, Vec<f32>) {
    let pairs = on.probabilities.iter().zip(&off.probabilities);
    let probabilities: Vec<f32> = pairs.map(|(a, b)| a.max(*b)).collect();
    let class = argmax(&probabilities);
    let lower = on.energy.zip(off.energy).map(|(a, b)| a.min(b));
    let by_offline = on.probabilities[class] < probabilities[class];
    let logs = log_probabilities(online)
        .into_iter()
        .zip(log_probabilities(offline));
    let answer = ClassPrediction {
        expert: Expert::ENSEMBLE,
        class,
        probabilities,
        energy: lower,
    };
    let decided_by = match by_offline {
        true => Expert::OFFLINE,
        false => Expert::ONLINE,
    };
    (answer, decided_by, logs.map(|(a, b)| a.max(b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(verdict: &Answer) -> &ClassPrediction {
        &verdict.opinions[2]
    }

    #[test]
    fn ensemble_is_maximum_of_both_softmaxes() {
        let v = verdict(&[2.0, 0.0, 0.0], Some(&[0.0, 5.0, 0.0]), Switches::ALL);
        let [on, off, _] = &v.opinions[..] else {
            return assert_eq!(v.opinions.len(), 3);
        };
        assert_eq!((answer(&v).class, v.decided_by), (1, Expert::OFFLINE));
        assert_eq!(answer(&v).probabilities[0], on.probabilities[0]);
        assert_eq!(answer(&v).probabilities[1], off.probabilities[1]);
        assert!(answer(&v).probabilities.iter().sum::<f32>() > 1.0);
        assert_eq!((v.within(&(0..1)), v.within(&(1..3))), (0, 1));
    }

    #[test]
    fn single_expert_answers_without_ensemble() {
        let (on, off) = ([9.0, 0.0], [0.0, 1.0]);
        let only = Switches {
            ensemble: false,
            ..Switches::ALL
        };
        let v = verdict(&on, Some(&off), only);
        assert_eq!((answer(&v).class, v.decided_by), (1, Expert::OFFLINE));
        assert_eq!(answer(&v).probabilities, v.opinions[1].probabilities);
        let none = Switches {
            accumulation: false,
            ..only
        };
        let v = verdict(&on, Some(&off), none);
        assert_eq!((answer(&v).class, v.decided_by), (0, Expert::ONLINE));
        assert_eq!(answer(&v).probabilities, v.opinions[0].probabilities);
    }
}
