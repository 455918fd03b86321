//! LAE's drift of the PETs, and the exported computation of its answers.

use super::super::{AnswerRule, ExportedClassifier, LogitSource};
use super::{Lae, Switches};
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::Result;

impl Lae {
    /// Returns ‖θ − θ₀‖ / ‖θ₀‖ of the online and the offline PET since the end of the first task.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn drift(&self) -> Result<[f64; 2]> {
        let Some(origin) = &self.origin else {
            return Ok([0.0; 2]);
        };
        let distance = |pets: Option<&PetStack>| pets.map_or(Ok(0.0), |p| p.distance_from(origin));
        Ok([distance(Some(self.online()))?, distance(self.offline())?])
    }

    /// Returns the computation of the answers: both PETs with the shared heads.
    pub(super) fn told(&self) -> Result<ExportedClassifier> {
        let mut networks = vec![(Expert::ONLINE.name().to_owned(), self.online().clone())];
        if let Some(offline) = self.offline() {
            networks.push((Expert::OFFLINE.name().to_owned(), offline.clone()));
        }
        let two = networks.len() > 1;
        let voices = self.experts.iter();
        let voices = voices.map(|expert| (*expert, voice(*expert, self.settings.switches, two)));
        Ok(ExportedClassifier {
            networks,
            weights: None,
            reading: AnswerRule::of_heads(self.heads(), voices.collect())?,
        })
    }
}

/// Returns the features that an expert uses. `two` says whether there are two PETs or only the online one.
fn voice(expert: Expert, switches: Switches, two: bool) -> LogitSource {
    let offline = LogitSource::Of(usize::from(two));
    match (expert, switches.ensemble, switches.accumulation) {
        (Expert::ONLINE, ..) => LogitSource::Of(0),
        (Expert::OFFLINE, ..) => offline,
        (_, true, _) => LogitSource::Larger([0, usize::from(two)]),
        (_, false, true) => offline,
        _ => LogitSource::Of(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ensemble_reads_both_pets_and_its_switches_choose_one() {
        let ensemble = |switches, two| voice(Expert::ENSEMBLE, switches, two);
        let alone = Switches {
            ensemble: false,
            ..Switches::ALL
        };
        assert_eq!(ensemble(Switches::ALL, true), LogitSource::Larger([0, 1]));
        assert_eq!(ensemble(Switches::ALL, false), LogitSource::Larger([0, 0]));
        assert_eq!(ensemble(alone, true), LogitSource::Of(1));
        assert_eq!(ensemble(Switches::NONE, true), LogitSource::Of(0));
        assert_eq!(
            voice(Expert::OFFLINE, Switches::ALL, false),
            LogitSource::Of(0)
        );
    }
}
