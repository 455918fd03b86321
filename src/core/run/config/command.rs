//! Settings as the command line that trains them.

use super::{RunConfig, Setting};

impl RunConfig {
    /// The command that does the same: `lae-studio train …`, naming what differs from the defaults.
    pub fn as_command(&self) -> String {
        let base = Self::default();
        let mut words = vec!["lae-studio train".to_string()];
        let mut say = |differs: bool, name: &str, value: String| {
            if differs {
                words.push(format!("--{name} {}", shell_word(&value)));
            }
        };
        say(true, "data", self.data.clone());
        say(true, "backbone", self.backbone.clone());
        say(
            self.precision != base.precision,
            "precision",
            self.precision.key().into(),
        );
        say(true, "pet", self.pet.clone());
        say(true, "pet-size", self.pet_size.to_string());
        say(
            self.pet_variant.is_some(),
            "pet-variant",
            self.pet_variant.clone().unwrap_or_default(),
        );
        say(true, "blocks", self.blocks.clone());
        say(true, "method", self.method.clone());
        say(true, "classes-per-task", self.classes_per_task.clone());
        say(true, "order", self.order.clone());
        say(true, "epochs", self.epochs.to_string());
        say(true, "base-lr", self.base_lr.to_string());
        say(true, "batch", self.batch.to_string());
        let at_once = self.micro_batch.map(|images| images.to_string());
        say(
            at_once.is_some(),
            "micro-batch",
            at_once.unwrap_or_default(),
        );
        let [low, high] = self.crop_scale;
        say(true, "crop-scale", format!("{low},{high}"));
        say(true, "flip", if self.flip { "on" } else { "off" }.into());
        let limit = |limit: Option<usize>| limit.map(|n| n.to_string()).unwrap_or_default();
        say(
            self.train_limit.is_some(),
            "train-limit",
            limit(self.train_limit),
        );
        say(
            self.test_limit.is_some(),
            "test-limit",
            limit(self.test_limit),
        );
        say(
            (self.test_share - base.test_share).abs() > f64::EPSILON,
            "test-share",
            self.test_share.to_string(),
        );
        say(
            self.validation_share > 0.0,
            "validation-share",
            self.validation_share.to_string(),
        );
        say(
            self.split_seed != base.split_seed,
            "split-seed",
            self.split_seed.to_string(),
        );
        say(true, "seed", self.seed.to_string());
        say(self.device != base.device, "device", self.device.clone());
        let variant = self.card_variant.map(|variant| variant.to_string());
        say(
            variant.is_some(),
            "card-variant",
            variant.unwrap_or_default(),
        );
        say(
            self.cache_mb != base.cache_mb,
            "cache-mb",
            self.cache_mb.to_string(),
        );
        for (key, value) in &self.settings {
            words.push(option_of(key, value));
        }
        words.join(" ")
    }
}

/// The option for one of the method's own settings: an option of that name where there is one.
fn option_of(key: &str, value: &Setting) -> String {
    match (key, value) {
        ("learning" | "accumulation" | "ensemble", Setting::Flag(false)) => format!("--no-{key}"),
        ("freeze_epochs", _) => format!("--freeze-epochs {value}"),
        ("ema", _) => format!("--ema {value}"),
        _ => format!("--set {}", shell_word(&format!("{key}={value}"))),
    }
}

/// Quotes a word for a POSIX shell where it needs it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:+=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_is_quoted_in_the_command() {
        let config = RunConfig {
            data: "my pictures/it's".into(),
            ..RunConfig::default()
        };
        assert!(
            config
                .as_command()
                .contains(r"--data 'my pictures/it'\''s'")
        );
    }
}
