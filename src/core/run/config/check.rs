//! What is wrong with settings, as far as they alone can tell.

use crate::data::check_mended;

use super::{MOST_EPOCHS, MOST_IN_BATCH, Precision, RunConfig};
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
            self.epochs > 0,
            "zero epochs train nothing",
            "--epochs",
            "give at least 1",
        );
        check(
            self.epochs <= MOST_EPOCHS,
            "no run needs that many epochs per task",
            "--epochs",
            "give at most 10000",
        );
        check(
            self.base_lr.is_finite() && self.base_lr > 0.0,
            "the learning rate must be above 0",
            "--base-lr",
            "0.03 is the paper's value for CIFAR-100",
        );
        check(
            self.batch > 0,
            "a batch needs at least one image",
            "--batch",
            "24 is the paper's value",
        );
        check(
            self.batch <= MOST_IN_BATCH,
            "no device takes that many images at once",
            "--batch",
            "give at most 65536; 24 is the paper's value",
        );
        check(
            self.micro_batch != Some(0),
            "at least one image must go through the network at once",
            "--micro-batch",
            "leave the option out to take the whole batch at once",
        );
        check(
            self.pet_size > 0,
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
            low > 0.0 && low <= high && high <= 1.0,
            "the crop scale must be two numbers with 0 < smallest ≤ largest ≤ 1",
            "--crop-scale",
            "0.08,1 is the usual choice, 0.5,1 suits drawings",
        );
        check(
            self.test_share > 0.0 && self.test_share < 1.0,
            "the test share must lie between 0 and 1",
            "--test-share",
            "0.2 holds every fifth image back for testing",
        );
        check(
            (0.0..1.0).contains(&self.validation_share),
            "the validation share must be 0 or lie between 0 and 1",
            "--validation-share",
            "0 measures on the test images, 0.1 on every tenth training image instead",
        );
        check(
            self.train_limit != Some(0) && self.test_limit != Some(0),
            "a limit of zero images per class leaves nothing",
            "--train-limit, --test-limit",
            "leave the option out to use all images",
        );
        problems.extend(check_mended(&self.mended).err().map(|p| p.at("--mended")));
        problems
    }
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
}
