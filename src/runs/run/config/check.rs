//! Checks settings without opening any data.

use crate::data::check_corrected;

use super::{RunConfig, SETTINGS};
use crate::problem::Problem;

impl RunConfig {
    /// Returns all Problems of these settings that can be found without opening any data.
    pub fn validate(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = SETTINGS
            .iter()
            .filter_map(|setting| {
                let (spec, value) = (&setting.spec, (setting.get)(self)?);
                if spec.kind.admit(&value).is_some() {
                    return None;
                }
                let above = spec.too_large.filter(|_| spec.kind.is_above(&value));
                match above {
                    Some(words) => Some(spec.refusal("large", words)),
                    None => {
                        (!spec.refused.0.is_empty()).then(|| spec.refusal("refused", spec.refused))
                    }
                }
            })
            .collect();
        problems.extend(
            check_corrected(&self.corrected)
                .err()
                .map(|p| p.at("--corrected")),
        );
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::{Setting, SettingKind};

    #[test]
    fn all_problems_are_found_at_once() {
        let config = RunConfig {
            epochs: 0,
            batch: 0,
            crop_scale: [0.9, 0.1],
            ..RunConfig::default()
        };
        assert_eq!(config.validate().len(), 3);
        let endless = RunConfig {
            epochs: usize::MAX,
            batch: usize::MAX,
            ..RunConfig::default()
        };
        let told: Vec<String> = endless.validate().into_iter().map(|p| p.what).collect();
        let wanted = [
            "the number of epochs per task is too large",
            "the batch is too large",
        ];
        assert_eq!(told, wanted);
        assert!(RunConfig::default().validate().is_empty());
    }

    #[test]
    fn what_the_checks_let_through_survives_the_file() {
        for upper in [true, false] {
            let config = extreme(upper);
            assert!(config.validate().is_empty(), "{:?}", config.validate());
            let text = config.to_toml().unwrap_or_default();
            assert_eq!(RunConfig::from_toml(&text, "run.toml").ok(), Some(config));
        }
        let beyond = RunConfig {
            seed: u64::MAX,
            split_seed: u64::MAX,
            cache_mb: usize::MAX,
            ..RunConfig::default()
        };
        assert_eq!(beyond.validate().len(), 3);
    }

    /// Returns settings at the upper or lower ends of their ranges.
    fn extreme(upper: bool) -> RunConfig {
        let mut config = RunConfig::default();
        for setting in SETTINGS {
            let ends = match setting.spec.kind {
                SettingKind::Whole { least, most, .. } => {
                    [Setting::Whole(least), Setting::Whole(most)]
                }
                SettingKind::Seed => [Setting::Whole(0), Setting::Whole(i64::MAX)],
                SettingKind::Limit => [Setting::Whole(1), Setting::Whole(i64::MAX)],
                SettingKind::Real { least, most, .. } => {
                    [Setting::Real(least), Setting::Real(most)]
                }
                SettingKind::Share(_) | SettingKind::ShareOrNone => [
                    Setting::Real(f64::MIN_POSITIVE),
                    Setting::Real(1.0 - f64::EPSILON),
                ],
                SettingKind::Shares(_) => [
                    Setting::Pair([f32::MIN_POSITIVE; 2]),
                    Setting::Pair([1.0; 2]),
                ],
                _ => continue,
            };
            let [lower, upper_end] = ends;
            let end = if upper { upper_end } else { lower };
            assert!((setting.set)(&mut config, end), "{}", setting.spec.key);
        }
        config
    }
}
