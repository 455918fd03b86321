//! Epochs that are all frozen: then a PET learns nothing after the first task.

use super::spec::Chosen;
use super::task::PassWork;
use crate::counts::counted;
use crate::problem::Problem;
use crate::run::config::{Setting, SettingSpec};

/// What to know of epochs that are all frozen, and how many are usual.
#[derive(Clone, Debug)]
pub struct AllFrozen {
    /// What it means.
    pub problem: Problem,
    /// The method's own setting that freezes them.
    pub setting: &'static SettingSpec,
    /// How many of the epochs are usually frozen.
    pub usual: Setting,
}

/// Finds whether the PET stands still in every epoch after the first task; none where it learns, or where there is no
/// second task. It may be meant, and older runs have it, so it is told and not refused.
pub fn all_frozen(chosen: &Chosen<'_>, tasks: usize) -> Option<AllFrozen> {
    if tasks < 2 || !chosen.trains_pet().ok()? {
        return None;
    }
    let passes = chosen.passes(1).ok()?;
    let learning = passes
        .iter()
        .filter(|pass| matches!(pass.work, PassWork::Learn { .. }));
    let frozen = learning.clone().filter(|pass| pass.frozen()).count();
    if frozen == 0 || frozen < learning.count() {
        return None;
    }
    let mut own = chosen.spec.settings.iter();
    let (setting, usual) = own.find_map(|setting| Some((setting, setting.usual_of(frozen)?)))?;
    let problem = Problem::new(format!(
        "from the second task on {} frozen, so the PET learns nothing there",
        match frozen {
            1 => "the only epoch is".to_string(),
            n => format!("all {} are", counted(n, "epoch")),
        }
    ));
    let remedy = format!("freeze fewer: {} {usual}", setting.place());
    Some(AllFrozen {
        problem: problem.at(setting.place()).advise(remedy),
        setting,
        usual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;

    #[test]
    fn epochs_that_are_all_frozen_are_told_with_the_usual_share() {
        let told = |method: &str, epochs: usize, tasks: usize| {
            let own = [("freeze_epochs".to_string(), Setting::Whole(3))];
            let config = RunConfig {
                method: method.into(),
                epochs,
                settings: if method == "lae" {
                    own.into()
                } else {
                    [].into()
                },
                ..RunConfig::default()
            };
            let chosen = Chosen::of(&config).ok()?;
            all_frozen(&chosen, tasks).map(|told| told.usual)
        };
        assert_eq!(told("lae", 3, 5), Some(Setting::Whole(1)));
        assert_eq!(told("lae", 4, 5), None);
        assert_eq!(told("lae", 3, 1), None);
        // APER tunes nothing after its first session, which is what it is.
        for method in ["baseline", "aper", "simplecil"] {
            assert_eq!(told(method, 3, 5), None, "{method}");
        }
        let frozen = crate::method::lae::LAE.settings.iter();
        let frozen = frozen.filter(|setting| setting.of_epochs.is_some());
        for setting in frozen {
            let usual = [1, 2, 3, 5, 50].map(|epochs| setting.usual_of(epochs));
            assert_eq!(usual, [0, 1, 1, 3, 30].map(|n| Some(Setting::Whole(n))));
        }
    }
}
