//! The settings of every run, one entry each. The run file, the command line, checks, the window and help are generated
//! from this list. To add a setting, add an entry here and use its field.

use super::setting::Field;
use super::spec::{Aspect, FixTo, Requirement, SettingGroup, SettingPlace, SettingSpec};
use super::{Precision, Setting, SettingKind, Settings};
use crate::backbone::library::NANO;
use crate::data::{Correction, FULL_DEPTH};

/// A setting of every run: its specification and accessors of its field.
#[derive(Debug)]
pub struct RunSetting {
    /// Key, title, kind and limits.
    pub spec: SettingSpec,
    /// Returns its value; `None` if it is not set.
    pub get: fn(&RunConfig) -> Option<Setting>,
    /// Sets its value without checking the range; returns false, and changes nothing, if the value has another kind.
    pub set: fn(&mut RunConfig, Setting) -> bool,
    /// Copies its value from the second config to the first.
    pub copy: fn(&mut RunConfig, &RunConfig),
}

/// Largest number of epochs per task: all epochs of all tasks are planned before the first one starts.
pub const MAX_EPOCHS: usize = 10_000;
/// Largest memory for decoded images in MB: its number of bytes fits into an `i64`.
const MAX_CACHE_MB: i64 = i64::MAX >> 20;
/// Error and advice for a seed that is out of range.
const SEED_TOO_LARGE: (&str, &str) = ("the seed is too large", "give at most 9223372036854775807");
/// Error and advice for a limit of images that is out of range.
const LIMIT_TOO_SMALL: (&str, &str) =
    ("the limit of images per class must be above 0", "omit the option to use all images");

/// Returns a setting of this group with this placeholder for its value on the command line.
const fn new_spec(
    group: SettingGroup,
    value: &'static str,
    title: &'static str,
    kind: SettingKind,
) -> SettingSpec {
    SettingSpec { group, option: Some(value), title, kind, ..SettingSpec::OWN }
}

const fn data(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    SettingSpec {
        placement: SettingPlace::ByHand,
        ..new_spec(SettingGroup::Data, value, title, kind)
    }
}

const fn backbone(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    SettingSpec {
        placement: SettingPlace::ByHand,
        ..new_spec(SettingGroup::Backbone, value, title, kind)
    }
}

const fn pet(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    SettingSpec {
        placement: SettingPlace::ByHand,
        needs: Requirement::Pet,
        ..new_spec(SettingGroup::Pet, value, title, kind)
    }
}

const fn method(value: &'static str, title: &'static str, kind: SettingKind) -> SettingSpec {
    new_spec(SettingGroup::Method, value, title, kind)
}

/// Generates the fields of [`RunConfig`] and the list [`SETTINGS`] from entries of documentation, key, type,
/// constructor and further fields.
macro_rules! settings_of_every_run {
    ($($(#[doc = $meaning:literal])+ $key:ident: $type:ty = $made:ident($($known:expr),+)
       $({ $($field:ident: $value:expr),+ $(,)? })?;)+) => {
        /// Everything that defines a run. Two runs with equal configs on the CPU device give equal numbers.
        #[derive(Clone, Debug, PartialEq)]
        pub struct RunConfig {
            $($(#[doc = $meaning])+ pub $key: $type,)+
            /// The method's own settings; missing ones have the method's defaults. Serialised after all plain values,
            /// because a TOML table ends the part before it.
            pub settings: Settings,
            /// Labels of the dataset that were corrected when the run began. The run stores its own list, so later
            /// changes of the dataset's list do not affect it.
            pub corrected: Vec<Correction>,
            /// Class names in decomposed Unicode, as older versions stored them, if there are any. They preserve the
            /// class order of such a run; only its `run.toml` has them.
            pub stored_names: Vec<String>,
        }

        /// The settings of every run, in the order of the run file.
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

        /// All keys of a run file.
        pub(super) const KEYS: &[&str] = &[$(stringify!($key),)+ "settings", "mended", "stored_names"];

        impl Default for RunConfig {
            /// Returns the settings of the quick demo: LAE with Adapter5 on the embedded digits.
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
    /// digits, letters, a published dataset, or a path: a folder with one subfolder per class, CIFAR's files, an
    /// archive
    data: String = data("NAME|PATH", "Data", SettingKind::Text("digits")) {
        refused: ("no dataset is selected", "give digits, letters or a folder with one subfolder per class"),
        fix: "Use the digits", fix_with: &["classes_per_task"], always_in_command: true,
    };
    /// Name of a backbone, or a weight file
    backbone: String = backbone("NAME|FILE", "Backbone", SettingKind::Text("lae-nano")) {
        default_text: "lae-nano; for photographs lae-photo", fix: "Use {}", always_in_command: true,
    };
    /// Number format of the frozen weights: f16 (GPUs) and bf16 (CPUs that support it) halve their memory
    precision: Precision = backbone("PRECISION", "Precision", SettingKind::Choice(&["auto", "f32", "f16", "bf16"]));
    /// Resize and normalise images as in the backbone's pre-training; off: bilinear, with the pixel range of LAE's code
    pretrained_transform: bool = backbone("on|off", "Pre-training transform", SettingKind::Flag(true)) {
        // Earlier versions had only the transform of LAE's code. The embedded backbone was trained with it.
        default_text: "on; with --config the file's; off in the paper's presets",
        value_if_absent: Some(|backbone| backbone == NANO), omit_default: true,
    };
    /// Values that neither the weight file nor a config.json next to it contains: heads, activation, epsilon, pool,
    /// normalisation (unit, symmetric, imagenet, clip) or mean and std (0.5:0.5:0.5), interpolation, crop_ratio,
    /// crop_mode, input_size, rope (eva02, dinov3, pe, axial), window, trained_window
    backbone_set: Option<String> = backbone("NAME=VALUE,…", "Backbone values",
                                            SettingKind::Name("values such as heads=16,normalisation=imagenet"));
    /// Name of a PET plugin (`lae-studio plugins` lists them)
    pet: String = pet("NAME", "PET", SettingKind::Text("adapter")) {
        fix: "Use {}", fix_with: &["pet_size", "pet_variant", "pet_set"], always_in_command: true,
    };
    /// The PET's size: width of Adapter, rank of LoRA, length of Prefix
    pet_size: usize = pet("N", "PET size", SettingKind::Whole { default: 5, min: 1, max: i64::MAX }) {
        default_text: "the plugin's", needs: Requirement::SizedPet,
        refused: ("the PET's size must be above 0", "give 5 or 10 for Adapter and LoRA, 10 or 20 for Prefix"),
        fix: "Use {}", always_in_command: true,
    };
    /// Variant of the PET, if the plugin has several (Prefix: calibrated, plain, compensated, scaled)
    pet_variant: Option<String> = pet("NAME", "PET variant", SettingKind::Name("a variant of the plugin"));
    /// Other options of the PET plugin (rank=8,alpha=0.5; `lae-studio plugins NAME` lists them)
    pet_set: Option<String> = pet("NAME=N,…", "PET options", SettingKind::Name("options of the plugin such as rank=8"));
    /// Start from this LoRA: a folder saved by the library peft (adapter_config.json and adapter_model.safetensors);
    /// the PET must use the same layers
    pet_start: Option<String> = pet("FOLDER", "Initial LoRA", SettingKind::Name("a folder saved by peft"));
    /// Blocks with a PET: the first N (5), or a list (0,2,4)
    blocks: String = pet("N|N,N,…", "Blocks", SettingKind::Blocks("5")) {
        default_text: "depends on the backbone", fix: "Use the first {}", always_in_command: true,
    };
    /// Learning method (`lae-studio methods` describes them)
    method: String = method("NAME", "Method", SettingKind::Text("lae")) { placement: SettingPlace::ByHand, always_in_command: true };
    /// Classes per task: one number for all (10), one per task (6,5,5,5,5), or the first and all others (50+10)
    classes_per_task: String = data("N|N,N,…", "Classes per task", SettingKind::Text("2")) {
        default_text: "digits: 2; a folder: all classes", needs: Requirement::Tasks, per_dataset: true, always_in_command: true,
    };
    /// Class order: natural, seed:N, indices (0-4,6,5), one of the paper's (cifar100_order2, …), or a JSON file with
    /// class names or indices
    order: String = data("ORDER", "Class order", SettingKind::Text("natural")) {
        default_text: "natural; for a folder, by the numbers in the names", fix: "Use the natural order",
        aspect: Aspect::Repetition, per_dataset: true, always_in_command: true,
    };
    /// Epochs per task
    epochs: usize = method("N", "Epochs", SettingKind::Whole { default: 5, min: 1, max: MAX_EPOCHS as i64 }) {
        default_text: "5; more for a small folder", placement: SettingPlace::First, needs: Requirement::Epochs,
        refused: ("the number of epochs must be above 0", "give at least 1"),
        too_large: Some(("the number of epochs per task is too large", "give at most 10000")),
        fix: "Use {} epochs", per_dataset: true, always_in_command: true,
    };
    /// Minimum number of optimiser steps per task: small tasks get more epochs, with the same share of frozen epochs; 0
    /// turns this off
    min_steps: usize = method("N", "Minimum steps per task", SettingKind::Whole { default: 0, min: 0, max: MAX_EPOCHS as i64 }) {
        default_text: "0; 100 for a small folder", needs: Requirement::Epochs,
        too_large: Some(("the number of steps per task is too large", "give at most 10000; 100 suits small folders")),
        fix: "Use {}", per_dataset: true,
    };
    /// Learning rate for a batch of 256; methods that scale it use base-lr · batch / 256
    base_lr: f64 = method("RATE", "Base learning rate",
                          SettingKind::Real { default: 0.01, min: f64::MIN_POSITIVE, max: f64::MAX }) {
        default_text: "the method's; LAE: 0.01", placement: SettingPlace::First, needs: Requirement::Steps,
        refused: ("the learning rate must be above 0", "0.03 is the paper's value for CIFAR-100"),
        fix: "Use {}", always_in_command: true,
    };
    /// Images per step; an incomplete last batch is dropped, unless it is the only one
    batch: usize = method("N", "Batch", SettingKind::Whole { default: 24, min: 1, max: 65_536 }) {
        default_text: "24; fewer for a small folder", placement: SettingPlace::First,
        refused: ("a batch needs at least one image", "24 is the paper's value"),
        too_large: Some(("the batch is too large", "give at most 65536; 24 is the paper's value")),
        fix: "Use {}", fix_to: FixTo::SmallestTask, per_dataset: true, always_in_command: true,
    };
    /// Images of a batch that pass through the network at once, for GPUs with little memory; the result is the same
    /// except for rounding
    micro_batch: Option<usize> = method("N", "Micro-batch", SettingKind::Limit) {
        default_text: "the whole batch", placement: SettingPlace::First, aspect: Aspect::Execution,
        refused: ("the micro-batch needs at least one image",
                  "omit the option to process the whole batch at once"),
        fix: "Process the whole batch at once", within: Some("batch"),
    };
    /// Smallest and largest share of an image's area in a training crop
    crop_scale: [f32; 2] = method("LOW,HIGH", "Smallest crop and Largest crop", SettingKind::Shares([0.5, 1.0])) {
        needs: Requirement::Augmentation,
        refused: ("the crop scale must be two numbers with 0 < smallest ≤ largest ≤ 1",
                  "0.08,1 is common; 0.5,1 suits drawings"),
        fix: "Use {}", per_dataset: true, always_in_command: true,
    };
    /// Mirror each training image with a probability of one half
    flip: bool = method("on|off", "Mirror images at random", SettingKind::Flag(false)) {
        default_text: "off; on for a folder of photographs", needs: Requirement::Augmentation, per_dataset: true, always_in_command: true,
    };
    /// Label smoothing ε of the cross-entropy: 1 − ε of each target stays with its class, and ε is spread over all
    /// classes of the task (Szegedy et al., CVPR 2016); 0 turns it off
    label_smoothing: f64 = method("SHARE", "Label smoothing", SettingKind::ShareOrNone) {
        needs: Requirement::Steps,
        refused: ("the label smoothing must be 0 or between 0 and 1", "0.1 is a common value; 0 turns it off"),
        fix: "Turn label smoothing off",
    };
    /// Maximum number of training images per class
    train_limit: Option<usize> = new_spec(SettingGroup::Data, "N", "Training images per class", SettingKind::Limit) {
        default_text: "all", refused: LIMIT_TOO_SMALL, fix: "Use all images", per_dataset: true,
    };
    /// Maximum number of test images per class
    test_limit: Option<usize> = new_spec(SettingGroup::Data, "N", "Test images per class", SettingKind::Limit) {
        default_text: "all", refused: LIMIT_TOO_SMALL, fix: "Use all images", per_dataset: true,
    };
    /// Share of each class's images held out for testing, if the data has no test split
    test_share: f64 = data("SHARE", "Test share", SettingKind::Share(0.2)) {
        refused: ("the test share must be between 0 and 1", "0.2 holds out every fifth image for testing"),
        fix: "Use {}", per_dataset: true,
    };
    /// For tuning: measure on this share of the training images, and leave the test images unused; 0 measures on the
    /// test images
    validation_share: f64 = data("SHARE", "Validation share", SettingKind::ShareOrNone) {
        refused: ("the validation share must be 0 or between 0 and 1",
                  "0 measures on the test images; 0.1 measures on every tenth training image"),
        fix: "Measure on the test images", per_dataset: true,
    };
    /// Seed for random test and validation splits
    split_seed: u64 = new_spec(SettingGroup::Data, "N", "Split seed", SettingKind::Seed) { refused: SEED_TOO_LARGE };
    /// Keep all copies of an image on the same side of a random split
    copies_together: bool = data("on|off", "Keep copies together", SettingKind::Flag(true)) {
        // Files without the key are of a version that drew every image by itself.
        default_text: "on; with --config the file's", value_if_absent: Some(|_| false),
    };
    /// Treat near copies, such as the frames of a burst, as copies
    near_copies_together: bool = data("on|off", "Keep near copies together", SettingKind::Flag(true)) {
        // Files without the key are of a version in which only equal pixels counted.
        default_text: "on; with --config the file's", value_if_absent: Some(|_| false),
    };
    /// Significant bits of the values in 16-bit images: 12 for most 12-bit cameras, whose files look almost black at
    /// 16; larger values become white
    bit_depth: usize = data("N", "Bit depth", SettingKind::Whole { default: FULL_DEPTH as i64, min: 8, max: 16 }) {
        refused: ("the bit depth must be a number from 8 to 16", "16 is the default; 12 suits most 12-bit cameras"),
        fix: "Use {}", per_dataset: true, omit_default: true,
    };
    /// Seed for initial values, shuffling and augmentation
    seed: u64 = method("N", "Seed", SettingKind::Seed) {
        placement: SettingPlace::First, needs: Requirement::Draws, refused: SEED_TOO_LARGE, aspect: Aspect::Repetition, always_in_command: true,
    };
    /// auto, cpu, gpu, or a number or name from `lae-studio devices`
    device: String = method("DEVICE", "Device", SettingKind::Text("auto")) { placement: SettingPlace::ByHand, aspect: Aspect::Execution };
    /// Memory for decoded images; the rest is decoded again when needed, with the same result
    cache_mb: usize = data("MB", "Memory for images", SettingKind::Whole { default: 1024, min: 0, max: MAX_CACHE_MB }) {
        refused: ("the amount of memory is too large", "1024 is the default; 0 keeps no decoded images"),
        aspect: Aspect::Execution,
    };
}
