//! Per-image inference: what each expert takes a picture for, from the logits of both.
//!
//! Online, offline and ensemble are judged in one pass. The ensemble is the element-wise maximum of
//! the two softmaxes over all seen classes (paper Eq. 9), then argmax.

use burn::tensor::Tensor;

use crate::method::Logits;
use crate::metrics::Expert;
use crate::problem::Result;
use crate::run::config::Switches;
use crate::run::event::Opinion;
use crate::tensors::HostTensor;

/// The three opinions on one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The online expert.
    pub online: Opinion,
    /// The offline expert; the online one again where there is none (before the second task).
    pub offline: Opinion,
    /// What the run answers.
    pub ensemble: Opinion,
    /// Whose softmax holds the winning probability.
    pub decided_by: Expert,
}

/// Reads the logits of a batch back and forms the opinions, one verdict per picture.
///
/// # Errors
/// A Problem when the device failed.
pub fn verdicts(logits: &Logits, switches: Switches) -> Result<Vec<Verdict>> {
    let classes = logits.online.dims()[1];
    let read = |tensor: &Tensor<2>| -> Result<Vec<Opinion>> {
        let values = HostTensor::read(tensor)?.values;
        Ok(values.chunks_exact(classes).map(opinion).collect())
    };
    let online = read(&logits.online)?;
    let offline = match &logits.offline {
        Some(tensor) => read(tensor)?,
        None => online.clone(),
    };
    let two = logits.offline.is_some();
    let pairs = online.into_iter().zip(offline);
    Ok(pairs
        .map(|(online, offline)| verdict(online, offline, switches, two))
        .collect())
}

/// Softmax (in f64, from the largest logit down) and energy −logsumexp of one row of logits.
fn opinion(logits: &[f32]) -> Opinion {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shifted: Vec<f64> = logits.iter().map(|&l| f64::from(l - top).exp()).collect();
    let sum: f64 = shifted.iter().sum();
    Opinion {
        probabilities: shifted.iter().map(|e| (e / sum) as f32).collect(),
        energy: -(f64::from(top) + sum.ln()) as f32,
    }
}

/// What the run answers from its two experts: their maximum, or one of them where LAE's Ensemble
/// is off (paper Table 5: the offline one with Accumulation, else the online one).
fn verdict(online: Opinion, offline: Opinion, switches: Switches, two: bool) -> Verdict {
    let alone = |expert: &Opinion, who| (expert.clone(), who);
    let (ensemble, decided_by) = match (switches.ensemble, switches.accumulation) {
        (true, _) => both(&online, &offline),
        (false, true) if two => alone(&offline, Expert::Offline),
        (false, _) => alone(&online, Expert::Online),
    };
    // With one expert only, the answer is the online one's.
    let decided_by = if two { decided_by } else { Expert::Online };
    Verdict {
        online,
        offline,
        ensemble,
        decided_by,
    }
}

/// Element-wise maximum of two softmaxes, the lower energy, and who holds the winner.
fn both(online: &Opinion, offline: &Opinion) -> (Opinion, Expert) {
    let pairs = online.probabilities.iter().zip(&offline.probabilities);
    let ensemble = Opinion {
        probabilities: pairs.map(|(a, b)| a.max(*b)).collect(),
        energy: online.energy.min(offline.energy),
    };
    let (winner, p) = ensemble.best();
    let by_offline = online.probabilities.get(winner).is_some_and(|own| *own < p);
    (
        ensemble,
        if by_offline {
            Expert::Offline
        } else {
            Expert::Online
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Switches = Switches {
        learning: true,
        accumulation: true,
        ensemble: true,
    };

    #[test]
    fn the_ensemble_is_the_maximum_of_both_softmaxes() {
        let v = verdict(
            opinion(&[2.0, 0.0, 0.0]),
            opinion(&[0.0, 5.0, 0.0]),
            ALL,
            true,
        );
        assert_eq!(v.ensemble.best().0, 1);
        assert_eq!(v.decided_by, Expert::Offline);
        assert_eq!(v.ensemble.probabilities[0], v.online.probabilities[0]);
        assert_eq!(v.ensemble.probabilities[1], v.offline.probabilities[1]);
        assert!(v.ensemble.probabilities.iter().sum::<f32>() > 1.0);
    }

    #[test]
    fn without_ensemble_one_expert_answers_alone() {
        let (on, off) = (opinion(&[9.0, 0.0]), opinion(&[0.0, 1.0]));
        let only = Switches {
            ensemble: false,
            ..ALL
        };
        let v = verdict(on.clone(), off.clone(), only, true);
        assert_eq!((v.ensemble, v.decided_by), (off.clone(), Expert::Offline));
        let none = Switches {
            accumulation: false,
            ..only
        };
        let v = verdict(on.clone(), off, none, true);
        assert_eq!((v.ensemble, v.decided_by), (on, Expert::Online));
    }

    #[test]
    fn energy_is_minus_logsumexp_even_for_large_logits() {
        let o = opinion(&[1000.0, 1000.0]);
        assert!((o.energy + 1000.0 + std::f32::consts::LN_2).abs() < 1e-3);
        assert!((o.probabilities[0] - 0.5).abs() < 1e-6);
    }
}
