//! The settings of one run, as `run.toml` holds them and as the command line names them.
//!
//! One struct serves the file, the command line and the window: every key here is a long option of
//! `lae-studio train` (with `-` for `_`). `validate` finds everything that can be said without
//! opening data or weights, all at once.

pub mod bounds;
mod check;
mod command;
mod differences;
mod legacy;
mod setting;

use serde::{Deserialize, Serialize};

use crate::counts::counted;
use crate::data::Mend;
use crate::files::names::{is_elsewhere, is_path};
use crate::nn::Variant;
use crate::problem::{Problem, Result};

pub use differences::{differences, differs};
pub use setting::{Setting, Settings};

/// The type of number the frozen weights are kept as. PETs, heads, loss and all arithmetic are f32
/// in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// The program's choice: what preparing the card found best, f32 on the processor, on a card that is not prepared,
    /// and where the method trains the weights.
    #[default]
    Auto,
    /// Single precision.
    F32,
    /// Half precision where the device has it, else single precision with a remark.
    F16,
}

impl Precision {
    /// All choices, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Auto, Self::F32, Self::F16];

    /// The name on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::F16 => "f16",
        }
    }
}

/// Everything that defines a run. Two runs with equal configs on the CPU device give equal numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "legacy::Written")]
pub struct RunConfig {
    /// `digits`, `letters`, or a path.
    pub data: String,
    /// A name of the backbone table or a weight file.
    pub backbone: String,
    /// The type of number the backbone's weights are kept as.
    pub precision: Precision,
    /// Name of a PET plugin.
    pub pet: String,
    /// The PET's main size r (adapter width, rank, prefix length).
    pub pet_size: usize,
    /// Form of the PET where it has several (Prefix: `calibrated`, `plain`); none = its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pet_variant: Option<String>,
    /// Blocks that get a PET: a count from the first ("5") or a list ("0,2,4").
    pub blocks: String,
    /// Key of a method.
    pub method: String,
    /// Classes of every task ("10") or of each ("6,5,5,5,5").
    pub classes_per_task: String,
    /// `natural`, `seed:N`, one of the paper's orders, a list of indices into the sorted classes
    /// (`0-4,6,5`), or a JSON file with class names or indices.
    pub order: String,
    /// Epochs per task.
    pub epochs: usize,
    /// Learning rate at batch 256; the one used is base_lr · batch / 256, for methods whose authors
    /// scale it with the batch.
    pub base_lr: f64,
    /// Images per optimiser step; an incomplete last batch is dropped where there are others.
    pub batch: usize,
    /// Images of a batch that go through the network at once; none for all of them. The result is that
    /// of the whole batch but for rounding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<usize>,
    /// Smallest and largest share of an image's area that a training crop covers.
    pub crop_scale: [f32; 2],
    /// Mirror training images with probability one half.
    pub flip: bool,
    /// At most so many training images per class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_limit: Option<usize>,
    /// At most so many test images per class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_limit: Option<usize>,
    /// Share of the images held back for testing where the data has no test split.
    pub test_share: f64,
    /// Share of every class's training images that is measured on instead of the test images, for
    /// tuning; 0 measures on the test images.
    pub validation_share: f64,
    /// Seed of the splits that are drawn.
    pub split_seed: u64,
    /// Whether all copies of a picture stay on the same side of a split that is drawn. A file that says nothing of
    /// it was written when every image was drawn by itself.
    pub copies_together: bool,
    /// Whether near copies count as copies there. A file that says nothing of it was written when only equal pixels did.
    pub near_copies_together: bool,
    /// Seed of initial values, shuffling and augmentation.
    pub seed: u64,
    /// `auto`, `cpu`, `gpu`, an index or a name from `lae-studio devices`.
    pub device: String,
    /// The way a card computes the backbone; none for the one that preparing it found fastest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_variant: Option<Variant>,
    /// Memory for decoded pictures in MB; what does not fit is decoded anew. No number depends on it.
    pub cache_mb: usize,
    /// The method's own settings; those not named here have the method's defaults. Behind all plain
    /// values, because a TOML table ends what stands before it.
    #[serde(skip_serializing_if = "Settings::is_empty")]
    pub settings: Settings,
    /// Labels of the data set that are mended, as they were when the run began: whatever becomes of
    /// the list beside the data, the run can be continued and repeated with its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<Mend>,
}

impl Default for RunConfig {
    /// The quick demo: LAE with Adapter5 on the embedded digits.
    fn default() -> Self {
        Self {
            data: "digits".into(),
            backbone: "lae-nano".into(),
            precision: Precision::Auto,
            pet: "adapter".into(),
            pet_size: 5,
            pet_variant: None,
            blocks: "5".into(),
            method: "lae".into(),
            classes_per_task: "2".into(),
            order: "natural".into(),
            epochs: 5,
            base_lr: 0.01,
            batch: 24,
            micro_batch: None,
            crop_scale: [0.5, 1.0],
            flip: false,
            train_limit: None,
            test_limit: None,
            test_share: 0.2,
            validation_share: 0.0,
            split_seed: 0,
            copies_together: true,
            near_copies_together: true,
            seed: 0,
            device: "auto".into(),
            card_variant: None,
            cache_mb: 1024,
            settings: Settings::new(),
            mended: Vec::new(),
        }
    }
}

impl RunConfig {
    /// Reads a `run.toml` text.
    ///
    /// # Errors
    /// A Problem with line and column for text that is not TOML, an unknown key or a wrong type.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| {
            let place = error.span().map_or_else(
                || origin.to_string(),
                |span| {
                    let (line, column) = line_and_column(text, span.start);
                    format!("{origin}, line {line}, column {column}")
                },
            );
            Problem::new(format!(
                "these settings cannot be read: {}",
                error.message()
            ))
            .at(place)
            .advise("correct the key or value; `lae-studio train --help` lists all of them")
        })
    }

    /// The text of `run.toml`.
    ///
    /// # Errors
    /// None in practice; a value TOML cannot hold is reported as a Problem.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self)
            .map_err(|error| Problem::new(format!("these settings cannot be written: {error}")))
    }

    /// The places on other computers that these settings name, each once: of the data set, the weights, the class order.
    pub fn elsewhere(&self) -> Vec<&str> {
        let mut places: Vec<&str> = Vec::new();
        for place in self.paths().filter(|place| is_elsewhere(place)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// The files and folders that these settings name: of the data set, the weights, the class order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let all = [&self.data, &self.backbone, &self.order].into_iter();
        all.map(String::as_str).filter(|place| is_path(place))
    }

    /// What accuracies are measured on: `test` images, or `validation` images held out of training.
    pub fn measured_on(&self) -> &'static str {
        if self.validation_share > 0.0 {
            "validation"
        } else {
            "test"
        }
    }

    /// The same without what says where a run is computed and in which portions: but for rounding no
    /// figure depends on that.
    #[must_use]
    pub fn anywhere(self) -> Self {
        Self {
            device: String::new(),
            card_variant: None,
            micro_batch: None,
            cache_mb: 0,
            ..self
        }
    }

    /// The same for all repetitions of one experiment: without class order, seed and what
    /// [`RunConfig::anywhere`] leaves out.
    #[must_use]
    pub fn repeatable(self) -> Self {
        Self {
            order: String::new(),
            seed: 0,
            ..self.anywhere()
        }
    }

    /// The block numbers that get a PET.
    ///
    /// # Errors
    /// A Problem for text that is neither a count nor a list, or a block beyond `depth`.
    pub fn block_list(&self, depth: usize) -> Result<Vec<usize>> {
        block_list(&self.blocks, depth, "--blocks")
    }

    /// The data set's name for lists: a path without its folders and ending.
    pub fn data_name(&self) -> String {
        let data = std::path::Path::new(&self.data)
            .file_stem()
            .map_or_else(|| self.data.clone(), |name| name.to_string_lossy().into());
        data.strip_suffix(".tar").unwrap_or(&data).to_string()
    }
}

/// Block numbers from a count of the first ("5") or a list ("0,2,4"); `place` names the option.
///
/// # Errors
/// A Problem for text that is neither, or a block beyond `depth`.
pub fn block_list(text: &str, depth: usize, place: &str) -> Result<Vec<usize>> {
    let wrong = |what: String| {
        Err(Problem::new(what).at(place).advise(format!(
            "give a count from 1 to {depth}, or block numbers from 0 to {} like 0,2,4",
            depth.saturating_sub(1)
        )))
    };
    let text = text.trim();
    let mut list = Vec::new();
    if let Ok(count) = text.parse::<usize>() {
        // One too many is enough for the sentence below.
        list.extend(0..count.min(depth + 1));
    } else {
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            match part.trim().parse::<usize>() {
                Ok(block) => list.push(block),
                Err(_) => return wrong(format!("\"{text}\" names no blocks")),
            }
        }
        list.sort_unstable();
        list.dedup();
    }
    match list.last() {
        None => wrong("no block gets a PET".into()),
        Some(&last) if last >= depth => wrong(format!(
            "block {last} does not exist: the backbone has {}",
            counted(depth, "block")
        )),
        Some(_) => Ok(list),
    }
}

/// Line and column (from 1) of a byte offset.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_the_file() {
        let config = RunConfig {
            train_limit: Some(7),
            method: "baseline".into(),
            settings: Settings::from([("a".into(), Setting::Real(0.5))]),
            mended: vec![Mend {
                picture: "a/1.png".into(),
                sha256: "0".repeat(64),
                was: "a".into(),
                class: None,
            }],
            ..RunConfig::default()
        };
        let text = config.to_toml().unwrap();
        assert_eq!(RunConfig::from_toml(&text, "run.toml").unwrap(), config);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let problem = RunConfig::from_toml("epochs = 2\nepoch = 3\n", "my.toml").unwrap_err();
        assert!(problem.place.contains("line 2"), "{problem}");
        assert!(problem.what.contains("epoch"), "{problem}");
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_with_their_line() {
        for line in [
            "base_lr = nan",
            "test_share = -inf",
            "validation_share = inf",
            "crop_scale = [nan, 1.0]",
            "ema = nan",
            "settings.ema = nan",
        ] {
            let problem = RunConfig::from_toml(&format!("epochs = 2\n{line}\n"), "my.toml");
            let problem = problem.unwrap_err();
            assert!(problem.what.contains("is no finite number"), "{problem}");
            assert!(problem.place.contains("line 2"), "{line}: {problem}");
        }
    }

    #[test]
    fn a_file_that_says_nothing_of_copies_draws_them_as_it_did() {
        let read = |text| RunConfig::from_toml(text, "run.toml").unwrap();
        let old = read("data = \"digits\"\n");
        assert!(!old.copies_together && !old.near_copies_together);
        assert!(!read("copies_together = true\n").near_copies_together);
        let new = RunConfig::default();
        assert!(new.copies_together && new.near_copies_together);
        assert_eq!(read(&new.to_toml().unwrap()), new);
    }

    #[test]
    fn blocks_are_a_count_or_a_list() {
        let with = |blocks: &str| RunConfig {
            blocks: blocks.into(),
            ..RunConfig::default()
        };
        assert_eq!(with("3").block_list(8).unwrap(), vec![0, 1, 2]);
        assert_eq!(with("4, 0,4").block_list(8).unwrap(), vec![0, 4]);
        assert!(with("9").block_list(8).is_err());
        assert!(with("99999999999").block_list(8).is_err());
        assert!(with("0,x").block_list(8).is_err());
        assert!(with("").block_list(8).is_err());
    }

    #[test]
    fn settings_of_lae_at_the_top_level_are_read_as_its_own() {
        let old = "method = \"lae\"\nlearning = false\nfreeze_epochs = 2\nema = 0.99\n";
        let config = RunConfig::from_toml(old, "run.toml").unwrap();
        let wanted = [
            ("learning", Setting::Flag(false)),
            ("freeze_epochs", Setting::Whole(2)),
            ("ema", Setting::Real(0.99)),
        ];
        let wanted = wanted.map(|(key, value)| (key.to_string(), value));
        assert_eq!(config.settings, Settings::from(wanted));
    }
}
