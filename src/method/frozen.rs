//! Checks for settings that freeze all epochs: then a PET learns nothing after the first task.

use super::spec::Chosen;
use crate::message;
use crate::problem::Problem;

/// Returns a Problem if the PET is frozen in every epoch after the first task, given the number of training images of
/// each task. Returns `None` if the PET learns or there is no second task. New runs with such settings are rejected;
/// older ones can be resumed.
pub fn all_frozen(chosen: &Chosen<'_>, train: &[usize]) -> Option<Problem> {
    if train.len() < 2 || !chosen.trains_pet().ok()? {
        return None;
    }
    let later = 1..train.len();
    let passes = later.map(|task| chosen.passes(task, train).ok());
    let passes: Vec<_> = passes.collect::<Option<Vec<_>>>()?.concat();
    let learning = passes.iter().filter(|pass| pass.learns());
    let frozen = learning.clone().filter(|pass| pass.frozen()).count();
    if frozen == 0 || frozen < learning.count() {
        return None;
    }
    let mut own = chosen.spec.settings.iter();
    let epochs = chosen.config.epochs;
    let (setting, usual) = own.find_map(|setting| Some((setting, setting.usual_of(epochs)?)))?;
    let problem = Problem::new(match epochs {
        1 => message!("problem-only-epoch-frozen"),
        n => message!("problem-all-epochs-frozen", n = n),
    });
    let remedy = message!(
        "advice-freeze-fewer-epochs",
        place = setting.place().to_string(),
        usual = usual.to_string()
    );
    Some(problem.at(setting.place()).advise(remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::{RunConfig, Setting};

    #[test]
    fn epochs_that_are_all_frozen_are_told_with_the_usual_share() {
        let told = |method: &str, epochs: usize, tasks: usize, min_steps: usize| {
            let own = [("freeze_epochs".to_string(), Setting::Whole(3))];
            let config = RunConfig {
                method: method.into(),
                epochs,
                min_steps,
                settings: if method == "lae" {
                    own.into()
                } else {
                    [].into()
                },
                ..RunConfig::default()
            };
            let chosen = Chosen::of(&config).ok()?;
            all_frozen(&chosen, &vec![48; tasks]).map(|told| told.remedy)
        };
        let fewer = |n: usize| Some(format!("freeze fewer epochs: --freeze-epochs {n}"));
        assert_eq!(told("lae", 3, 5, 0), fewer(1));
        assert_eq!(told("lae", 4, 5, 0), None);
        assert_eq!(told("lae", 3, 1, 0), None);
        // Longer tasks have an epoch in which the PET learns.
        assert_eq!(told("lae", 3, 5, 6), fewer(1));
        assert_eq!(told("lae", 3, 5, 100), None);
        // APER tunes nothing after its first session by design.
        for method in ["baseline", "aper", "simplecil"] {
            assert_eq!(told(method, 3, 5, 0), None, "{method}");
        }
        let frozen = crate::lae::LAE.settings.iter();
        let frozen = frozen.filter(|setting| setting.of_epochs.is_some());
        for setting in frozen {
            let usual = [1, 2, 3, 5, 50].map(|epochs| setting.usual_of(epochs));
            assert_eq!(usual, [0, 1, 1, 3, 30].map(|n| Some(Setting::Whole(n))));
        }
    }
}
