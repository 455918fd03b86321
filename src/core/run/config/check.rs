//! What is wrong with settings, as far as they alone can tell.

use std::ops::RangeInclusive;

use crate::data::check_mended;

use super::{Precision, RunConfig, bounds};
use crate::nn::WeightType;
use crate::problem::Problem;

impl RunConfig {
    /// Everything that is wrong with these settings as far as they alone can tell.
    pub fn validate(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut check = |fine: bool, what: &str, place: &str, remedy: &str| {
            if !fine {
                problems.push(Problem::new(what).at(place).advise(remedy));
            }
        };
        check(
            !self.data.trim().is_empty(),
            "no data set is chosen",
            "--data",
            "give digits, letters or a folder with one subfolder per class",
        );
        check(
            self.epochs >= *bounds::EPOCHS.start(),
            "zero epochs train nothing",
            "--epochs",
            "give at least 1",
        );
        check(
            self.epochs <= *bounds::EPOCHS.end(),
            "no run needs that many epochs per task",
            "--epochs",
            "give at most 10000",
        );
        check(
            bounds::BASE_LR.contains(&self.base_lr),
            "the learning rate must be above 0",
            "--base-lr",
            "0.03 is the paper's value for CIFAR-100",
        );
        check(
            self.batch >= *bounds::BATCH.start(),
            "a batch needs at least one image",
            "--batch",
            "24 is the paper's value",
        );
        check(
            self.batch <= *bounds::BATCH.end(),
            "no device takes that many images at once",
            "--batch",
            "give at most 65536; 24 is the paper's value",
        );
        check(
            within(self.micro_batch, &bounds::MICRO_BATCH),
            "at least one image must go through the network at once",
            "--micro-batch",
            "leave the option out to take the whole batch at once",
        );
        check(
            bounds::PET_SIZE.contains(&self.pet_size),
            "the PET's size must be above 0",
            "--pet-size",
            "5 or 10 for Adapter and LoRA, 10 or 20 for Prefix",
        );
        let named = match self.precision {
            Precision::Auto => None,
            Precision::F32 => Some(WeightType::F32),
            Precision::F16 => Some(WeightType::F16),
        };
        let of_variant = self.card_variant.map(|variant| variant.weights);
        check(
            named.is_none() || of_variant.is_none() || named == of_variant,
            "the precision and the card's variant name different weights",
            "--card-variant",
            "leave one of them out",
        );
        let [low, high] = self.crop_scale;
        check(
            bounds::CROP_SCALE.contains(&low) && bounds::CROP_SCALE.contains(&high) && low <= high,
            "the crop scale must be two numbers with 0 < smallest ≤ largest ≤ 1",
            "--crop-scale",
            "0.08,1 is the usual choice, 0.5,1 suits drawings",
        );
        check(
            inside(self.test_share, &bounds::TEST_SHARE),
            "the test share must lie between 0 and 1",
            "--test-share",
            "0.2 holds every fifth image back for testing",
        );
        check(
            self.validation_share == 0.0
                || inside(self.validation_share, &bounds::VALIDATION_SHARE),
            "the validation share must be 0 or lie between 0 and 1",
            "--validation-share",
            "0 measures on the test images, 0.1 on every tenth training image instead",
        );
        check(
            within(self.train_limit, &bounds::LIMIT) && within(self.test_limit, &bounds::LIMIT),
            "a limit of zero images per class leaves nothing",
            "--train-limit, --test-limit",
            "leave the option out to use all images",
        );
        for (seed, place) in [(self.seed, "--seed"), (self.split_seed, "--split-seed")] {
            check(
                bounds::SEED.contains(&seed),
                "the seed is larger than a run's file can hold",
                place,
                "give at most 9223372036854775807",
            );
        }
        check(
            bounds::CACHE_MB.contains(&self.cache_mb),
            "no machine has that much memory",
            "--cache-mb",
            "1024 is the usual value; 0 keeps no decoded pictures",
        );
        problems.extend(check_mended(&self.mended).err().map(|p| p.at("--mended")));
        problems
    }
}

/// Whether a number that need not be given is in its bounds.
fn within(given: Option<usize>, bounds: &RangeInclusive<usize>) -> bool {
    given.is_none_or(|given| bounds.contains(&given))
}

/// Whether a share lies between the ends of its bounds.
fn inside(share: f64, bounds: &RangeInclusive<f64>) -> bool {
    share > *bounds.start() && share < *bounds.end()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(endless.validate().len(), 2);
        assert!(RunConfig::default().validate().is_empty());
    }

    #[test]
    fn what_the_checks_let_through_survives_the_file() {
        let extremes = [extreme(true), extreme(false)];
        for config in extremes {
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

    /// Settings at the upper or lower end of their bounds.
    fn extreme(upper: bool) -> RunConfig {
        fn end<T: Copy>(bounds: &RangeInclusive<T>, upper: bool) -> T {
            if upper {
                *bounds.end()
            } else {
                *bounds.start()
            }
        }
        let scale = end(&bounds::CROP_SCALE, upper);
        RunConfig {
            epochs: end(&bounds::EPOCHS, upper),
            batch: end(&bounds::BATCH, upper),
            micro_batch: Some(end(&bounds::MICRO_BATCH, upper)),
            pet_size: end(&bounds::PET_SIZE, upper),
            seed: end(&bounds::SEED, upper),
            split_seed: end(&bounds::SEED, upper),
            base_lr: end(&bounds::BASE_LR, upper),
            crop_scale: [scale, scale],
            train_limit: Some(end(&bounds::LIMIT, upper)),
            test_limit: Some(end(&bounds::LIMIT, upper)),
            cache_mb: end(&bounds::CACHE_MB, upper),
            ..RunConfig::default()
        }
    }
}
