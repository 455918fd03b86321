//! The options of `train` that are keys of `run.toml`, one for one.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::backbone::library;
use crate::pet::library::Library as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{MethodName, Precision, RunConfig};
use crate::session::presets;
use crate::store;

/// Settings given on the command line; what is not given keeps its value.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Settings {
    /// Read settings from a file first (the run.toml of a run will do); options override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A ready-made set-up (`lae-studio presets` lists them); options override it
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub preset: Option<String>,

    /// digits, letters, a published set, or a path: a folder with one subfolder per class, CIFAR's files, an archive
    #[arg(long, value_name = "NAME|PATH", help_heading = "Data")]
    data: Option<String>,
    /// Classes of every task (10), of each (6,5,5,5,5), or of the first and all others (50+10) [default: 2]
    #[arg(long, value_name = "N|N,N,…", help_heading = "Data")]
    classes_per_task: Option<String>,
    /// Class order: natural, seed:N, indices (0-4,6,5), one of the paper's (cifar100_order2, …), or a JSON
    /// file with class names or indices
    #[arg(long, value_name = "ORDER", help_heading = "Data")]
    pub order: Option<String>,
    /// At most so many training images per class
    #[arg(long, value_name = "N", help_heading = "Data")]
    train_limit: Option<usize>,
    /// At most so many test images per class
    #[arg(long, value_name = "N", help_heading = "Data")]
    test_limit: Option<usize>,
    /// Share of the images held back for testing where the data has no test split
    #[arg(long, value_name = "SHARE", help_heading = "Data")]
    test_share: Option<f64>,
    /// Measure on this share of the training images instead of the test images, for tuning (0: on the test images)
    #[arg(long, value_name = "SHARE", help_heading = "Data")]
    validation_share: Option<f64>,
    /// Seed of the splits that are drawn
    #[arg(long, value_name = "N", help_heading = "Data")]
    split_seed: Option<u64>,
    /// Memory for decoded pictures; what does not fit is decoded anew, with the same result
    #[arg(long, value_name = "MB", help_heading = "Data")]
    cache_mb: Option<usize>,
    /// Smallest and largest share of an image that a training crop covers [default: 0.5,1]
    #[arg(long, value_name = "LOW,HIGH", value_parser = crop_scale, help_heading = "Data")]
    crop_scale: Option<[f32; 2]>,
    /// Mirror training images at random [default: off]
    #[arg(long, value_name = "on|off", value_parser = on_off(), help_heading = "Data")]
    flip: Option<bool>,

    /// Name of a backbone, or a weight file [default: lae-nano]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Network")]
    backbone: Option<String>,
    /// The backbone's weights: f16 takes half the memory, on graphics cards
    #[arg(long, value_parser = precisions(), help_heading = "Network")]
    precision: Option<Precision>,
    /// Name of a PET plugin (`lae-studio plugins` lists them) [default: adapter]
    #[arg(long, value_name = "NAME", help_heading = "Network")]
    pet: Option<String>,
    /// The PET's size: width of Adapter, rank of LoRA, length of Prefix [default: the plugin's]
    #[arg(long, value_name = "N", help_heading = "Network")]
    pet_size: Option<usize>,
    /// Form of a PET that has several (Prefix: calibrated, plain)
    #[arg(long, value_name = "NAME", help_heading = "Network")]
    pet_variant: Option<String>,
    /// Blocks with a PET: how many from the first (5), or which (0,2,4); without it as many as the
    /// table says for the backbone
    #[arg(long, value_name = "N|N,N,…", help_heading = "Network")]
    blocks: Option<String>,

    /// How to learn
    #[arg(long, value_parser = methods(), help_heading = "Learning")]
    method: Option<MethodName>,
    /// Switch LAE's Learning off: no freeze epochs, no calibration
    #[arg(long, help_heading = "Learning")]
    no_learning: bool,
    /// Switch LAE's Accumulation off: the offline PET stays as after the first task
    #[arg(long, help_heading = "Learning")]
    no_accumulation: bool,
    /// Switch LAE's Ensemble off: one expert answers alone
    #[arg(long, help_heading = "Learning")]
    no_ensemble: bool,
    /// Epochs per task [default: 5]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    epochs: Option<usize>,
    /// Of these, epochs with the PET frozen, from the second task on [default: 3, or three fifths of fewer --epochs]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    freeze_epochs: Option<usize>,
    /// α of the offline PET's moving average [default: 0.999]
    #[arg(long, value_name = "ALPHA", help_heading = "Learning")]
    ema: Option<f64>,
    /// Learning rate at batch 256; the one used is RATE · batch / 256 [default: 0.01]
    #[arg(
        long,
        value_name = "RATE",
        help_heading = "Learning",
        allow_negative_numbers = true
    )]
    base_lr: Option<f64>,
    /// Images per step [default: 24]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    batch: Option<usize>,
    /// Seed of initial values, shuffling and augmentation
    #[arg(long, value_name = "N", help_heading = "Learning")]
    seed: Option<u64>,
    /// auto, cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", help_heading = "Learning")]
    device: Option<String>,
}

impl Settings {
    /// The settings of the run: the file's, the preset's, or those that suit the data set, with the
    /// options over them.
    ///
    /// # Errors
    /// A Problem when the file cannot be read or there is no such preset.
    pub fn resolve(&self) -> Result<RunConfig> {
        let mut config = match (&self.config, &self.preset) {
            (Some(path), _) => read_config(path)?,
            (None, Some(name)) => presets::named(name)?.run,
            (None, None) => usual(self.data.as_deref()),
        };
        let (epochs, frozen) = (config.epochs, config.freeze_epochs);
        self.apply(&mut config);
        let shorter = self.config.is_none() && self.freeze_epochs.is_none();
        if shorter && frozen >= config.epochs {
            // In a task too short for them the frozen epochs keep their share.
            config.freeze_epochs = frozen * config.epochs / epochs.max(1);
        }
        if self.config.is_none()
            && self.pet_size.is_none()
            && self.pet.is_some()
            && let Ok(spec) = Plugins::standard().get(&config.pet)
        {
            config.pet_size = spec.default_size().unwrap_or(config.pet_size);
        }
        if self.config.is_none() && self.blocks.is_none() {
            // A backbone that cannot be described says why when it is opened.
            if let Ok(about) = library::describe(&config.backbone) {
                config.blocks = about.entry.pet_blocks.to_string();
            }
        }
        Ok(config)
    }

    /// Whether a class order other than the natural one was asked for.
    pub fn order_is_given(&self) -> bool {
        let given = self.order.as_deref();
        given.is_some_and(|order| order != "natural")
    }

    /// What the paper says of the preset's data, if that is one of its experiments.
    pub fn paper(&self) -> Option<presets::Paper> {
        presets::named(self.preset.as_deref()?).ok()?.paper
    }

    fn apply(&self, config: &mut RunConfig) {
        fn set<T: Clone>(target: &mut T, given: Option<&T>) {
            if let Some(value) = given {
                target.clone_from(value);
            }
        }
        set(&mut config.data, self.data.as_ref());
        set(&mut config.classes_per_task, self.classes_per_task.as_ref());
        set(&mut config.order, self.order.as_ref());
        set(&mut config.test_share, self.test_share.as_ref());
        set(&mut config.validation_share, self.validation_share.as_ref());
        set(&mut config.split_seed, self.split_seed.as_ref());
        set(&mut config.cache_mb, self.cache_mb.as_ref());
        set(&mut config.crop_scale, self.crop_scale.as_ref());
        set(&mut config.flip, self.flip.as_ref());
        set(&mut config.backbone, self.backbone.as_ref());
        set(&mut config.precision, self.precision.as_ref());
        set(&mut config.pet, self.pet.as_ref());
        set(&mut config.pet_size, self.pet_size.as_ref());
        set(&mut config.blocks, self.blocks.as_ref());
        set(&mut config.method, self.method.as_ref());
        set(&mut config.epochs, self.epochs.as_ref());
        set(&mut config.freeze_epochs, self.freeze_epochs.as_ref());
        set(&mut config.ema, self.ema.as_ref());
        set(&mut config.base_lr, self.base_lr.as_ref());
        set(&mut config.batch, self.batch.as_ref());
        set(&mut config.seed, self.seed.as_ref());
        set(&mut config.device, self.device.as_ref());
        config.pet_variant = self.pet_variant.clone().or(config.pet_variant.take());
        config.train_limit = self.train_limit.or(config.train_limit);
        config.test_limit = self.test_limit.or(config.test_limit);
        config.learning &= !self.no_learning;
        config.accumulation &= !self.no_accumulation;
        config.ensemble &= !self.no_ensemble;
    }
}

/// What a run has without options: the quick demo, cut into tasks as the data set suggests.
fn usual(data: Option<&str>) -> RunConfig {
    let mut config = RunConfig::default();
    if data == Some("letters") {
        config.classes_per_task = "6,5,5,5,5".into();
    }
    config
}

/// Settings of a file: those of `run.toml`, whose facts about a run are left out.
fn read_config(path: &Path) -> Result<RunConfig> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Problem::io("read the settings", path, &error))?;
    RunConfig::from_toml(store::settings_part(&text), &path.display().to_string())
}

fn methods() -> impl TypedValueParser<Value = MethodName> {
    let keys = MethodName::ALL.map(MethodName::key);
    PossibleValuesParser::new(keys).map(|key| {
        let named = MethodName::ALL
            .into_iter()
            .find(|method| method.key() == key);
        // The parser lets only these keys through.
        named.unwrap_or(MethodName::Lae)
    })
}

/// A value of `--precision`.
pub(super) fn precisions() -> impl TypedValueParser<Value = Precision> {
    let keys = Precision::ALL.map(Precision::key);
    PossibleValuesParser::new(keys).map(|key| {
        let named = Precision::ALL.into_iter().find(|type_| type_.key() == key);
        // The parser lets only these keys through.
        named.unwrap_or_default()
    })
}

fn on_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

fn crop_scale(text: &str) -> std::result::Result<[f32; 2], String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[low, high]) => Ok([low, high]),
        _ => Err("give two numbers like 0.08,1".into()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: Settings,
    }

    fn resolve(words: &str) -> RunConfig {
        let words = ["train"].into_iter().chain(words.split_whitespace());
        Line::try_parse_from(words)
            .unwrap()
            .settings
            .resolve()
            .unwrap()
    }

    #[test]
    fn the_copied_command_gives_the_same_settings() {
        let config = RunConfig {
            data: "some/folder".into(),
            precision: Precision::F16,
            method: MethodName::Lae,
            ensemble: false,
            learning: false,
            flip: true,
            crop_scale: [0.08, 1.0],
            classes_per_task: "6,5,5,5,5".into(),
            pet_variant: Some("plain".into()),
            train_limit: Some(50),
            test_share: 0.3,
            validation_share: 0.1,
            split_seed: 4,
            order: "0-4,6,5,7-9".into(),
            cache_mb: 64,
            ema: 0.9999,
            seed: 7,
            ..RunConfig::default()
        };
        let command = config.as_command();
        let options = command.strip_prefix("lae-studio train").unwrap();
        assert_eq!(resolve(options), config);
    }

    #[test]
    fn a_file_comes_first_and_options_override_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        let text = "epochs = 9\nbatch = 12\nlearning = false\n\n[facts]\nformat = 1\n";
        std::fs::write(&path, text).unwrap();
        let config = resolve(&format!(
            "--config {} --batch 6 --no-ensemble",
            path.display()
        ));
        assert_eq!((config.epochs, config.batch), (9, 6));
        assert!(!config.learning && !config.ensemble && config.accumulation);
    }

    #[test]
    fn a_preset_comes_first_and_options_override_it() {
        let paper = resolve("--preset imagenet-r-20");
        assert_eq!((paper.epochs, paper.freeze_epochs), (50, 30));
        assert_eq!(paper.data, "imagenet-r");
        let mine =
            resolve("--preset imagenet-r-20 --data my/copy --pet lora --pet-size 10 --epochs 2");
        assert_eq!((mine.data.as_str(), mine.epochs), ("my/copy", 2));
        assert_eq!(mine.freeze_epochs, 1);
        assert_eq!(
            resolve("--preset imagenet-r-20 --epochs 20").freeze_epochs,
            12
        );
        let demo = |words: &str| resolve(words).freeze_epochs;
        assert_eq!(
            [demo("--epochs 1"), demo("--epochs 3"), demo("--epochs 4")],
            [0, 1, 3]
        );
        assert_eq!((mine.pet.as_str(), mine.pet_size), ("lora", 10));
        assert_eq!(mine.classes_per_task, "10");
        let line = Line::try_parse_from(["train", "--preset", "imagenet"]).unwrap();
        let problem = line.settings.resolve().unwrap_err();
        assert!(problem.remedy.contains("imagenet-r-10"), "{problem}");
    }

    #[test]
    fn letters_come_with_their_tasks() {
        assert_eq!(resolve("--data letters").classes_per_task, "6,5,5,5,5");
        assert_eq!(
            resolve("--data letters --classes-per-task 13").classes_per_task,
            "13"
        );
        assert_eq!(resolve(""), RunConfig::default());
    }

    #[test]
    fn a_backbone_comes_with_its_blocks() {
        assert_eq!(
            resolve("--backbone swin_base_patch4_window7_224").blocks,
            "10"
        );
        assert_eq!(resolve("--backbone convnext_base").blocks, "15");
        assert_eq!(resolve("--backbone convnext_base --blocks 3").blocks, "3");
    }

    #[test]
    fn wrong_values_are_wrong_usage() {
        for words in [
            "--flip maybe",
            "--crop-scale 1",
            "--method sgd",
            "--epochs -3",
            "--epoch 3",
        ] {
            let all = ["train"].into_iter().chain(words.split_whitespace());
            let error = Line::try_parse_from(all).err().unwrap();
            assert_eq!(error.exit_code(), 2, "{words}");
        }
    }
}
