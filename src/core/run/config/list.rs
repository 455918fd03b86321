//! The settings of every run, one entry each: file, command line, checks, window and help are made from this list.
//! To add a setting, add its entry here and use its field.

use super::field::Field;
use super::spec::{FixTo, Needs, Says, SettingGroup, SettingPlace, SettingSpec};
use super::{Precision, Setting, SettingKind, Settings};
use crate::data::{Correction, FULL_DEPTH};

/// A setting of every run: what it is, and the way to its field.
#[derive(Debug)]
pub struct RunSetting {
    /// What it is.
    pub spec: SettingSpec,
    /// Its value; none where it is left out.
    pub get: fn(&RunConfig) -> Option<Setting>,
    /// Takes a value over, in the range or not; false for one of another kind, which changes nothing.
    pub set: fn(&mut RunConfig, Setting) -> bool,
    /// Makes it the same in the first as in the second.
    pub copy: fn(&mut RunConfig, &RunConfig),
}

/// Most epochs of a task: every epoch of every task is planned before the first one.
pub const MOST_EPOCHS: usize = 10_000;
/// Most memory for decoded pictures in MB: as much as can be counted in bytes.
const MOST_MB: i64 = i64::MAX >> 20;
/// What is wrong with a seed, and what to try.
const SEED: (&str, &str) = (
    "the seed is larger than a run's file can hold",
    "give at most 9223372036854775807",
);
/// The same of a limit.
const LIMIT: (&str, &str) = (
    "a limit of zero images per class leaves nothing",
    "leave the option out to use all images",
);

/// A setting of this group with a value of this name and kind.
const fn of(
    group: SettingGroup,
    value: &'static str,
    title: &'static str,
    kind: SettingKind,
) -> SettingSpec {
    SettingSpec {
        group,
        option: Some(value),
        title,
        kind,
        ..SettingSpec::OWN
    }
}

const fn data(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    SettingSpec {
        shown: SettingPlace::ByHand,
        ..of(SettingGroup::Data, value, title, kind)
    }
}

const fn backbone(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    SettingSpec {
        shown: SettingPlace::ByHand,
        ..of(SettingGroup::Backbone, value, title, kind)
    }
}

const fn pet(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    SettingSpec {
        shown: SettingPlace::ByHand,
        needs: Needs::Pet,
        ..of(SettingGroup::Pet, value, title, kind)
    }
}

const fn method(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    of(SettingGroup::Method, value, title, kind)
}

/// From one entry (its meaning, key, type and what else is known of it) the field of [`RunConfig`] and the setting of
/// [`SETTINGS`].
macro_rules! settings_of_every_run {
    ($($(#[doc = $meaning:literal])+ $key:ident: $type:ty = $made:ident($($known:expr),+)
       $({ $($field:ident: $value:expr),+ $(,)? })?;)+) => {
        /// Everything that defines a run. Two runs with equal configs on the CPU device give equal numbers.
        #[derive(Clone, Debug, PartialEq)]
        pub struct RunConfig {
            $($(#[doc = $meaning])+ pub $key: $type,)+
            /// The method's own settings; those not named here have the method's defaults. Behind all plain values,
            /// because a TOML table ends what stands before it.
            pub settings: Settings,
            /// Labels of the data set that are corrected, as they were when the run began: whatever becomes of the list
            /// beside the data, the run can be continued and repeated with its own.
            pub corrected: Vec<Correction>,
            /// Class names as an older version stored them, if some were in decomposed Unicode. Their order was another
            /// one, and a run keeps its own. Only `run.toml` of such a run says so.
            pub stored_names: Vec<String>,
        }

        /// The settings of every run, in the order of the file.
        pub static SETTINGS: &[RunSetting] = &[$(RunSetting {
            spec: SettingSpec {
                key: stringify!($key),
                meaning: concat!($($meaning),+).trim_ascii(),
                $($($field: $value,)+)?
                ..$made($($known),+)
            },
            get: |config| config.$key.value(),
            set: |config, value| config.$key.set_from(value),
            copy: |config, from| config.$key.clone_from(&from.$key),
        }),+];

        /// All keys of a file.
        pub(super) const KEYS: &[&str] = &[$(stringify!($key),)+ "settings", "mended", "stored_names"];

        impl Default for RunConfig {
            /// The quick demo: LAE with Adapter5 on the embedded digits.
            fn default() -> Self {
                let mut config = Self {
                    $($key: Default::default(),)+
                    settings: Settings::new(),
                    corrected: Vec::new(),
                    stored_names: Vec::new(),
                };
                for setting in SETTINGS {
                    if let Some(usual) = setting.spec.kind.default() {
                        (setting.set)(&mut config, usual);
                    }
                }
                config
            }
        }
    };
}

settings_of_every_run! {
    /// digits, letters, a published set, or a path: a folder with one subfolder per class, CIFAR's files, an archive
    data: String = data("NAME|PATH", "Data", SettingKind::Text("digits")) {
        refused: ("no data set is chosen", "give digits, letters or a folder with one subfolder per class"),
        fix: "Use the digits", fix_with: &["classes_per_task"], named: true,
    };
    /// Name of a backbone, or a weight file
    backbone: String = backbone("NAME|FILE", "Backbone", SettingKind::Text("lae-nano")) { fix: "Use {}", named: true };
    /// The backbone's weights: f16 takes half the memory, on graphics cards
    precision: Precision = backbone("PRECISION", "Precision", SettingKind::Choice(&["auto", "f32", "f16", "bf16"]));
    /// Name of a PET plugin (`lae-studio plugins` lists them)
    pet: String = pet("NAME", "PET", SettingKind::Text("adapter")) {
        fix: "Use {}", fix_with: &["pet_size", "pet_variant", "pet_set"], named: true,
    };
    /// The PET's size: width of Adapter, rank of LoRA, length of Prefix
    pet_size: usize = pet("N", "PET size", SettingKind::Whole { default: 5, least: 1, most: i64::MAX }) {
        usual: "the plugin's", needs: Needs::SizedPet,
        refused: ("the PET's size must be above 0", "5 or 10 for Adapter and LoRA, 10 or 20 for Prefix"),
        fix: "Use {}", named: true,
    };
    /// Form of a PET that has several (Prefix: calibrated, plain, compensated, scaled)
    pet_variant: Option<String> = pet("NAME", "PET form", SettingKind::Name("a form of the plugin"));
    /// Other numbers of the PET's plugin (rank=8,alpha=0.5; `lae-studio plugins NAME` lists them)
    pet_set: Option<String> = pet("NAME=N,…", "PET numbers", SettingKind::Name("numbers of the plugin like rank=8"));
    /// A LoRA to start from, as the folder in which the library peft saved it (adapter_config.json and
    /// adapter_model.safetensors); the PET must act where it does
    pet_start: Option<String> = pet("FOLDER", "PET start", SettingKind::Name("a folder of peft's"));
    /// Blocks with a PET: how many from the first (5), or which (0,2,4)
    blocks: String = pet("N|N,N,…", "Blocks", SettingKind::Blocks("5")) {
        usual: "as many as the table says for the backbone", fix: "Use the first {}", named: true,
    };
    /// How to learn (`lae-studio methods` says what each does)
    method: String = method("NAME", "Method", SettingKind::Text("lae")) { shown: SettingPlace::ByHand, named: true };
    /// Classes of every task (10), of each (6,5,5,5,5), or of the first and all others (50+10)
    classes_per_task: String = data("N|N,N,…", "Classes per task", SettingKind::Text("2")) {
        usual: "five tasks of a folder's classes; digits: 2", needs: Needs::Tasks, of_data: true, named: true,
    };
    /// Class order: natural, seed:N, indices (0-4,6,5), one of the paper's (cifar100_order2, …), or a JSON file with
    /// class names or indices
    order: String = data("ORDER", "Class order", SettingKind::Text("natural")) {
        usual: "natural; of a folder, by the numbers in the names", fix: "Use the natural order",
        says: Says::Repetition, of_data: true, named: true,
    };
    /// Epochs per task
    epochs: usize = method("N", "Epochs", SettingKind::Whole { default: 5, least: 1, most: MOST_EPOCHS as i64 }) {
        usual: "5; more for a small folder", shown: SettingPlace::First, needs: Needs::Epochs,
        refused: ("zero epochs train nothing", "give at least 1"),
        too_large: Some(("no run needs that many epochs per task", "give at most 10000")),
        fix: "Use {} epochs", of_data: true, named: true,
    };
    /// Optimiser steps that every task gets at least: a small task has as many more epochs, of which the frozen ones keep
    /// their share; 0 leaves all tasks their epochs
    min_steps: usize = method("N", "Least steps per task", SettingKind::Whole { default: 0, least: 0, most: MOST_EPOCHS as i64 }) {
        usual: "0; 100 for a small folder", needs: Needs::Epochs,
        too_large: Some(("no task needs that many steps", "give at most 10000; 100 serves small folders")),
        fix: "Use {}", of_data: true,
    };
    /// Learning rate at batch 256; the one used is this · batch / 256, where the method scales it
    base_lr: f64 = method("RATE", "Base learning rate",
                          SettingKind::Real { default: 0.01, least: f64::MIN_POSITIVE, most: f64::MAX }) {
        usual: "the method's; LAE: 0.01", shown: SettingPlace::First, needs: Needs::Steps,
        refused: ("the learning rate must be above 0", "0.03 is the paper's value for CIFAR-100"),
        fix: "Use {}", named: true,
    };
    /// Images per step; an incomplete last batch is dropped where there are others
    batch: usize = method("N", "Batch", SettingKind::Whole { default: 24, least: 1, most: 65_536 }) {
        usual: "24; fewer for a small folder", shown: SettingPlace::First,
        refused: ("a batch needs at least one image", "24 is the paper's value"),
        too_large: Some(("no device takes that many images at once", "give at most 65536; 24 is the paper's value")),
        fix: "Use {}", fix_to: FixTo::SmallestTask, of_data: true, named: true,
    };
    /// Images of a batch that go through the network at once, for a card with little memory; the result is that of the
    /// whole batch but for rounding
    micro_batch: Option<usize> = method("N", "Micro-batch", SettingKind::Limit) {
        usual: "the whole batch", shown: SettingPlace::First, says: Says::Where,
        refused: ("at least one image must go through the network at once",
                  "leave the option out to take the whole batch at once"),
        fix: "Take the whole batch at once", within: Some("batch"),
    };
    /// Smallest and largest share of an image's area that a training crop covers
    crop_scale: [f32; 2] = method("LOW,HIGH", "Smallest crop and Largest crop", SettingKind::Shares([0.5, 1.0])) {
        needs: Needs::Augmentation,
        refused: ("the crop scale must be two numbers with 0 < smallest ≤ largest ≤ 1",
                  "0.08,1 is the usual choice, 0.5,1 suits drawings"),
        fix: "Use {}", of_data: true, named: true,
    };
    /// Mirror training images at random, each with probability one half
    flip: bool = method("on|off", "Mirror images at random", SettingKind::Flag(false)) {
        usual: "off; on for a folder of photographs", needs: Needs::Augmentation, of_data: true, named: true,
    };
    /// Label smoothing ε of the cross-entropy: of each target 1 − ε stays with its class, and ε is shared by all classes of
    /// the task (Szegedy et al., CVPR 2016); 0 leaves the targets as they are
    label_smoothing: f64 = method("SHARE", "Label smoothing", SettingKind::ShareOrNone) {
        needs: Needs::Steps,
        refused: ("the label smoothing must be 0 or lie between 0 and 1", "0.1 is a usual value, 0 smooths nothing"),
        fix: "Smooth nothing",
    };
    /// At most so many training images per class
    train_limit: Option<usize> = of(SettingGroup::Data, "N", "Training images per class", SettingKind::Limit) {
        usual: "all", refused: LIMIT, fix: "Use all images", of_data: true,
    };
    /// At most so many test images per class
    test_limit: Option<usize> = of(SettingGroup::Data, "N", "Test images per class", SettingKind::Limit) {
        usual: "all", refused: LIMIT, fix: "Use all images", of_data: true,
    };
    /// Share of every class's images held back for testing where the data has no test split
    test_share: f64 = data("SHARE", "Test share", SettingKind::Share(0.2)) {
        refused: ("the test share must lie between 0 and 1", "0.2 holds every fifth image back for testing"),
        fix: "Use {}", of_data: true,
    };
    /// For tuning: measure on this share of the training images, so that the test images stay unseen; 0 measures on the
    /// test images
    validation_share: f64 = data("SHARE", "Validation share", SettingKind::ShareOrNone) {
        refused: ("the validation share must be 0 or lie between 0 and 1",
                  "0 measures on the test images, 0.1 on every tenth training image instead"),
        fix: "Measure on the test images", of_data: true,
    };
    /// Seed of the test and validation images, where they are drawn
    split_seed: u64 = of(SettingGroup::Data, "N", "Seed of splits", SettingKind::Seed) { refused: SEED };
    /// Keep all copies of a picture on the same side of a split that is drawn
    copies_together: bool = data("on|off", "Copies together", SettingKind::Flag(true)) {
        // Files without the key are of a version that drew every image by itself.
        usual: "on; with --config the file's", unnamed: Some(false),
    };
    /// Let near copies, such as a burst's frames, count as copies there
    near_copies_together: bool = data("on|off", "Near copies together", SettingKind::Flag(true)) {
        // Files without the key are of a version in which only equal pixels counted.
        usual: "on; with --config the file's", unnamed: Some(false),
    };
    /// Significant bits of the values in 16-bit images: 12 for the files of most 12-bit cameras, which are nearly black
    /// with all 16; larger values become white
    bit_depth: usize = data("N", "Bit depth", SettingKind::Whole { default: FULL_DEPTH as i64, least: 8, most: 16 }) {
        refused: ("the bit depth must be a number from 8 to 16", "16 is the usual value; 12 suits most 12-bit cameras"),
        fix: "Use {}", of_data: true, unwritten: true,
    };
    /// Seed of initial values, shuffling and augmentation
    seed: u64 = method("N", "Seed", SettingKind::Seed) {
        shown: SettingPlace::First, needs: Needs::Draws, refused: SEED, says: Says::Repetition, named: true,
    };
    /// auto, cpu, gpu, or a number or name from `lae-studio devices`
    device: String = method("DEVICE", "Device", SettingKind::Text("auto")) { shown: SettingPlace::ByHand, says: Says::Where };
    /// Memory for decoded pictures; what does not fit is decoded anew, with the same result
    cache_mb: usize = data("MB", "Memory for pictures", SettingKind::Whole { default: 1024, least: 0, most: MOST_MB }) {
        refused: ("no machine has that much memory", "1024 is the usual value; 0 keeps no decoded pictures"),
        says: Says::Where,
    };
}
