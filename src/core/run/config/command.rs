//! Settings as the command line that trains them.

use super::{RunConfig, Setting};

impl RunConfig {
    /// The command that does the same: `lae-studio train …`, naming what differs from the defaults. What stands under
    /// the keys `without` has no effect there and is left out.
    pub fn as_command(&self, without: &[&str]) -> String {
        let mut command = "lae-studio train".to_string();
        for (name, value) in self.as_options(without) {
            command.push(' ');
            command += &option(&name, value.as_deref());
        }
        command
    }

    /// The options of that command, each with its value; none for one that stands alone.
    pub fn as_options(&self, without: &[&str]) -> Vec<(String, Option<String>)> {
        let base = Self::default();
        let mut options = Vec::new();
        let mut say = |differs: bool, name: &str, value: String| {
            if differs && !without.contains(&name.replace('-', "_").as_str()) {
                options.push((name.to_string(), Some(value)));
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
        say(true, "flip", on_off(self.flip).into());
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
        say(
            self.copies_together != base.copies_together,
            "copies-together",
            on_off(self.copies_together).into(),
        );
        say(
            self.near_copies_together != base.near_copies_together,
            "near-copies-together",
            on_off(self.near_copies_together).into(),
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
        let own = self.settings.iter();
        let own = own.filter(|(key, _)| !without.contains(&key.as_str()));
        options.extend(own.map(|(key, value)| option_of(key, value)));
        options
    }
}

/// The option for one of the method's own settings: an option of that name where there is one.
fn option_of(key: &str, value: &Setting) -> (String, Option<String>) {
    match (key, value) {
        ("learning" | "accumulation" | "ensemble", Setting::Flag(false)) => {
            (format!("no-{key}"), None)
        }
        ("freeze_epochs" | "ema", _) => (key.replace('_', "-"), Some(value.to_string())),
        _ => ("set".into(), Some(format!("{key}={value}"))),
    }
}

fn on_off(flag: bool) -> &'static str {
    if flag { "on" } else { "off" }
}

/// An option with its value, which may look like an option or be empty.
fn option(name: &str, value: Option<&str>) -> String {
    let Some(value) = value else {
        return format!("--{name}");
    };
    let joint = match value.is_empty() || value.starts_with('-') {
        true => '=',
        false => ' ',
    };
    format!("--{name}{joint}{}", quoted(value, cfg!(windows)))
}

/// A word as a shell takes it: one of POSIX, or PowerShell and the prompt of Windows. The settings may be somebody
/// else's, so nothing in it may act on the shell.
fn quoted(word: &str, windows: bool) -> String {
    // They end a line or a quote in some terminals, and belong into no name.
    let word = word.replace(char::is_control, "?");
    // PowerShell makes several arguments of a list with commas.
    let marks = if windows { r"-_./:+=\" } else { "-_./,:+=" };
    let plain = |c: char| c.is_alphanumeric() || marks.contains(c);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        word
    } else if windows {
        format!("\"{}\"", in_double_quotes(&word))
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// What stands between double quotes on Windows, the one kind that its prompt knows. A quote is written twice, and so
/// is each backslash before one. PowerShell takes the quotes of print for plain ones, and would work out what a dollar
/// sign or a backtick begins.
fn in_double_quotes(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut backslashes = 0;
    for c in word.chars() {
        match c {
            '"' => {
                text.push_str(&"\\".repeat(backslashes));
                text.push('"');
            }
            '“' | '”' | '„' => text.push(c),
            '$' | '`' => text.push('`'),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        text.push(c);
    }
    text.push_str(&"\\".repeat(backslashes));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_for_the_shell_of_the_system() {
        for (word, posix, windows) in [
            (
                "my pictures/it's",
                r"'my pictures/it'\''s'",
                "\"my pictures/it's\"",
            ),
            (r"C:\birds", r"'C:\birds'", r"C:\birds"),
            (r"C:\my birds\", r"'C:\my birds\'", r#""C:\my birds\\""#),
            ("0-4,6", "0-4,6", "\"0-4,6\""),
            ("a & b", "'a & b'", "\"a & b\""),
            ("a\" & b", "'a\" & b'", "\"a\"\" & b\""),
            ("$(rm x)", "'$(rm x)'", "\"`$(rm x)\""),
            ("a` $b's", r"'a` $b'\''s'", "\"a`` `$b's\""),
            ("a” & b“„", "'a” & b“„'", "\"a”” & b““„„\""),
            ("a\nb", "'a?b'", "\"a?b\""),
            ("=ls", "'=ls'", "\"=ls\""),
            ("", "''", "\"\""),
        ] {
            assert_eq!(quoted(word, false), posix);
            assert_eq!(quoted(word, true), windows);
        }
    }

    #[test]
    fn every_value_of_a_foreign_file_stays_one_word() {
        let hostile = || Setting::Text("1; rm x".into());
        let config = RunConfig {
            data: "-rf".into(),
            settings: ["freeze_epochs", "ema", "other"]
                .map(|key| (key.to_string(), hostile()))
                .into(),
            ..RunConfig::default()
        };
        let command = config.as_command(&[]);
        let quote = if cfg!(windows) { '"' } else { '\'' };
        assert!(command.contains(" --data=-rf "), "{command}");
        for option in ["--freeze-epochs ", "--ema ", "--set "] {
            let word = format!("{option}{quote}");
            assert!(command.contains(&word), "{command}");
        }
        assert_eq!(command.matches("rm x").count(), 3);
        assert_eq!(command.matches(&format!("1; rm x{quote}")).count(), 3);
    }
}
