//! The options of `train` that are keys of `run.toml`, one for one.

mod idle;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::backbone::library;
use crate::data::{Dataset, Mend};
use crate::experiment::Stock;
use crate::experiment::suited::suit_to;
use crate::files;
use crate::method::{Chosen, METHODS, adopt, adopt_published, lae, named_method, set, usual_pet};
use crate::nn::Variant;
use crate::pet::library::Library as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{Precision, RunConfig, Setting};
use crate::run::event::{Control, Wish};
use crate::session::presets;
use crate::store;

pub(super) use idle::{option_of, without_effect};

/// LAE's setting that has an option of its own and follows the epochs.
const FREEZE_EPOCHS: &str = "freeze_epochs";
/// What every method does that has no such setting.
const NOTHING_FROZEN: Setting = Setting::Whole(0);

/// What the options come to.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The settings of the run.
    pub config: RunConfig,
    /// What was chosen for the data, in a sentence.
    pub suited: Option<String>,
    /// Which options have no effect although the same words serve other methods, each in a sentence.
    pub notes: Vec<String>,
}

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
    /// Classes of every task (10), of each (6,5,5,5,5), or of the first and all others (50+10) [default: five
    /// tasks of a folder's classes; digits: 2]
    #[arg(long, value_name = "N|N,N,…", help_heading = "Data")]
    classes_per_task: Option<String>,
    /// Class order: natural, seed:N, indices (0-4,6,5), one of the paper's (cifar100_order2, …), or a JSON
    /// file with class names or indices [default: natural; of a folder, by the numbers in the names]
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
    /// Keep all copies of a picture on the same side of a split that is drawn [default: on; with --config the file's]
    #[arg(long, value_name = "on|off", value_parser = on_off(), help_heading = "Data")]
    copies_together: Option<bool>,
    /// Let near copies, such as a burst's frames, count as copies there [default: on; with --config the file's]
    #[arg(long, value_name = "on|off", value_parser = on_off(), help_heading = "Data")]
    near_copies_together: Option<bool>,
    /// Labels mended by hand: a list, or none to take the labels as they are in the data [default: the
    /// data set's own list, kept beside the runs; with --config the file's]
    #[arg(long, value_name = "FILE|none", help_heading = "Data")]
    mended: Option<String>,
    /// Memory for decoded pictures; what does not fit is decoded anew, with the same result
    #[arg(long, value_name = "MB", help_heading = "Data")]
    cache_mb: Option<usize>,
    /// Smallest and largest share of an image that a training crop covers [default: 0.5,1]
    #[arg(long, value_name = "LOW,HIGH", value_parser = crop_scale, help_heading = "Data")]
    crop_scale: Option<[f32; 2]>,
    /// Mirror training images at random [default: off; on for a folder of photographs]
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

    /// How to learn (`lae-studio methods` says what each does) [default: lae]
    #[arg(long, value_name = "NAME", value_parser = methods(), help_heading = "Learning")]
    method: Option<String>,
    /// A setting of the method's own (`lae-studio methods NAME` lists them); may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Learning")]
    set: Vec<String>,
    /// Switch LAE's Learning off: no freeze epochs, no calibration
    #[arg(long, help_heading = "Learning")]
    no_learning: bool,
    /// Switch LAE's Accumulation off: the offline PET stays as after the first task
    #[arg(long, help_heading = "Learning")]
    no_accumulation: bool,
    /// Switch LAE's Ensemble off: one expert answers alone
    #[arg(long, help_heading = "Learning")]
    no_ensemble: bool,
    /// Epochs per task [default: 5; more for a small folder]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    epochs: Option<usize>,
    /// Of these, epochs with the PET frozen, from the second task on [default: 3, or three fifths of fewer --epochs]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    freeze_epochs: Option<i64>,
    /// α of the offline PET's moving average [default: 0.999]
    #[arg(long, value_name = "ALPHA", help_heading = "Learning")]
    ema: Option<f64>,
    /// Learning rate at batch 256; the one used is RATE · batch / 256 [default: the method's; LAE: 0.01]
    #[arg(
        long,
        value_name = "RATE",
        help_heading = "Learning",
        allow_negative_numbers = true
    )]
    base_lr: Option<f64>,
    /// Images per step [default: 24; fewer for a small folder]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    batch: Option<usize>,
    /// Images of a batch that go through the network at once, for a card with little memory; the result is
    /// that of the whole batch but for rounding [default: the whole batch]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    micro_batch: Option<usize>,
    /// Seed of initial values, shuffling and augmentation
    #[arg(long, value_name = "N", help_heading = "Learning")]
    seed: Option<u64>,
    /// auto, cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", help_heading = "Learning")]
    device: Option<String>,
    /// How a card computes the backbone: auto (the way that preparing it found fastest), plain, or one of
    /// `lae-studio devices` like f16-fused-bytes
    #[arg(long, value_name = "VARIANT", value_parser = card_variant, help_heading = "Learning")]
    card_variant: Option<CardVariant>,
}

impl Settings {
    /// The settings of the run: the file's, the preset's, or those that suit the data set, with the
    /// options over them; lists of mended labels lie in `root`, beside the runs. The data set is opened through `stock`
    /// where the choice depends on what is in it.
    ///
    /// # Errors
    /// A Problem when a file cannot be read or there is no such preset.
    pub fn resolve(&self, root: &Path, stock: &Stock, control: &Control) -> Result<Resolved> {
        let mut config = match (&self.config, &self.preset) {
            (Some(path), _) => read_config(path)?,
            (None, Some(name)) => presets::named(name)?.run,
            (None, None) => RunConfig::default(),
        };
        let base = config.clone();
        if let Some(key) = &self.method
            && *key != config.method
        {
            let spec = named_method(key)?;
            adopt(&mut config, spec);
            if self.preset.is_some() {
                adopt_published(&mut config, spec);
            }
        }
        let mended = self.mended_of(root, &config)?;
        let mut words = None;
        if self.config.is_none() && self.preset.is_none() {
            let go_on = || control.wish() != Wish::Stop;
            words = self.suit(&mut config, &mended, |asked| stock.data(asked, &go_on).ok());
        }
        let before = config.clone();
        self.apply(&mut config);
        self.apply_own(&mut config)?;
        self.shorten(&before, &mut config);
        if self.config.is_none() {
            self.usual_network(&base, &mut config);
        }
        config.mended = mended;
        let notes = self.notes_on_idle(&config)?;
        Ok(Resolved {
            config,
            suited: words,
            notes,
        })
    }

    /// The mended labels: those of the option, of the data set, or of the file whose run had them.
    fn mended_of(&self, root: &Path, config: &RunConfig) -> Result<Vec<Mend>> {
        // A file says which labels its run had; of other data they mean nothing.
        let of_file = self.config.is_some() && self.data.is_none();
        if of_file && self.mended.is_none() {
            return Ok(config.mended.clone());
        }
        let data = self.data.as_ref().unwrap_or(&config.data);
        mended(self.mended.as_deref(), root, data)
    }

    /// Puts what suits the data set, as the window does; a sentence where that was not said by options anyway. Data
    /// that cannot be opened is told of by training itself.
    fn suit(
        &self,
        config: &mut RunConfig,
        mended: &[Mend],
        open: impl FnOnce(&RunConfig) -> Option<Arc<Dataset>>,
    ) -> Option<String> {
        let mut asked = config.clone();
        self.apply(&mut asked);
        asked.mended = mended.to_vec();
        let data = open(&asked)?;
        let before = config.clone();
        config.data = asked.data;
        let words = suit_to(config, &data);
        if self.epochs.is_some() {
            // A number of epochs comes with its own frozen ones, not with those of other epochs.
            (config.epochs, config.settings) = (before.epochs, before.settings);
        }
        words.filter(|_| self.epochs.is_none() && self.batch.is_none())
    }

    /// In a task too short for them LAE's frozen epochs keep their share.
    fn shorten(&self, before: &RunConfig, config: &mut RunConfig) {
        let frozen = Chosen::of(before).and_then(|chosen| chosen.count(FREEZE_EPOCHS));
        let Some(frozen) = frozen.ok().filter(|_| config.method == lae::LAE.key) else {
            return;
        };
        let given =
            self.freeze_epochs.is_some() || self.set.iter().any(|s| s.starts_with(FREEZE_EPOCHS));
        // What a file freezes of its own epochs is meant.
        let fewer_now = config.epochs < before.epochs;
        if !given && fewer_now && frozen >= config.epochs && frozen < before.epochs {
            let fewer = frozen * config.epochs / before.epochs.max(1);
            let value = Setting::Whole(fewer as i64);
            config.settings.insert(FREEZE_EPOCHS.into(), value);
        }
    }

    /// The usual size and blocks of the PET, where they are not given.
    fn usual_network(&self, base: &RunConfig, config: &mut RunConfig) {
        let given = config.clone();
        // A backbone or plugin that cannot be described says why when it is opened.
        let about = library::describe(&config.backbone).ok();
        let plugin = Plugins::standard().get(&config.pet).ok();
        let own = plugin.and_then(|spec| spec.default_size());
        usual_pet(config, about.as_ref(), own);
        let same_pet = self.pet.is_none() && config.pet == base.pet;
        if self.pet_size.is_some() || same_pet {
            config.pet_size = given.pet_size;
        }
        if self.blocks.is_some() {
            config.blocks = given.blocks;
        }
    }

    /// The options that are settings of LAE's, with the value that each gives.
    fn own_options(&self) -> Vec<(&'static str, &'static str, Setting)> {
        let flags = [
            ("learning", "--no-learning", self.no_learning),
            ("accumulation", "--no-accumulation", self.no_accumulation),
            ("ensemble", "--no-ensemble", self.no_ensemble),
        ];
        let off = flags.into_iter().filter(|(.., off)| *off);
        let off = off.map(|(key, option, _)| (key, option, Setting::Flag(false)));
        let frozen = self.freeze_epochs.map(Setting::Whole);
        let frozen = frozen.map(|n| (FREEZE_EPOCHS, "--freeze-epochs", n));
        let ema = self.ema.map(|x| ("ema", "--ema", Setting::Real(x)));
        off.chain(frozen).chain(ema).collect()
    }

    /// Puts the method's own settings.
    fn apply_own(&self, config: &mut RunConfig) -> Result<()> {
        let known = named_method(&config.method)?.settings;
        for (key, _, value) in self.own_options() {
            if known.iter().any(|setting| setting.key == key) {
                config.settings.insert(key.into(), value);
            }
        }
        self.set.iter().try_for_each(|text| set(config, text))
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
        fn put<T: Clone>(target: &mut T, given: Option<&T>) {
            if let Some(value) = given {
                target.clone_from(value);
            }
        }
        put(&mut config.data, self.data.as_ref());
        put(&mut config.classes_per_task, self.classes_per_task.as_ref());
        put(&mut config.order, self.order.as_ref());
        put(&mut config.test_share, self.test_share.as_ref());
        put(&mut config.validation_share, self.validation_share.as_ref());
        put(&mut config.split_seed, self.split_seed.as_ref());
        put(&mut config.copies_together, self.copies_together.as_ref());
        let near = self.near_copies_together.as_ref();
        put(&mut config.near_copies_together, near);
        put(&mut config.cache_mb, self.cache_mb.as_ref());
        put(&mut config.crop_scale, self.crop_scale.as_ref());
        put(&mut config.flip, self.flip.as_ref());
        put(&mut config.backbone, self.backbone.as_ref());
        put(&mut config.precision, self.precision.as_ref());
        put(&mut config.pet, self.pet.as_ref());
        put(&mut config.pet_size, self.pet_size.as_ref());
        put(&mut config.blocks, self.blocks.as_ref());
        put(&mut config.epochs, self.epochs.as_ref());
        put(&mut config.base_lr, self.base_lr.as_ref());
        put(&mut config.batch, self.batch.as_ref());
        put(&mut config.seed, self.seed.as_ref());
        put(&mut config.device, self.device.as_ref());
        put(
            &mut config.card_variant,
            self.card_variant.as_ref().map(|given| &given.0),
        );
        config.pet_variant = self.pet_variant.clone().or(config.pet_variant.take());
        config.micro_batch = self.micro_batch.or(config.micro_batch);
        config.train_limit = self.train_limit.or(config.train_limit);
        config.test_limit = self.test_limit.or(config.test_limit);
    }
}

/// Settings of a file: those of `run.toml`, whose facts about a run are left out.
fn read_config(path: &Path) -> Result<RunConfig> {
    let text = files::read_text(path, files::TEXT)
        .map_err(|error| Problem::io("read the settings", path, &error))?;
    RunConfig::from_toml(store::settings_part(&text), &path.display().to_string())
}

/// The mended labels that an option means: a list, none, or without it the list of the data set.
///
/// # Errors
/// A Problem when a list cannot be read.
pub(super) fn mended(option: Option<&str>, root: &Path, data: &str) -> Result<Vec<Mend>> {
    match option {
        Some("none") => Ok(Vec::new()),
        Some(path) => store::read_mended(Path::new(path)),
        None => store::mended(root, data),
    }
}

fn methods() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(METHODS.map(|method| method.key))
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

/// A value of `--card-variant`: none for `auto`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CardVariant(pub Option<Variant>);

/// Reads a value of `--card-variant`.
pub(super) fn card_variant(text: &str) -> std::result::Result<CardVariant, String> {
    match text {
        "auto" => Ok(CardVariant(None)),
        _ => text.parse().map(|variant| CardVariant(Some(variant))),
    }
}

pub(super) fn on_off() -> impl TypedValueParser<Value = bool> {
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
mod tests;
