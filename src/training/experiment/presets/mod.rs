//! Presets: the demos, and the paper's experiments (its two benchmarks, and from its supplement the 20-task benchmarks
//! and the comparison with CODA-Prompt). A preset of the paper fixes everything except the PET, of which the tables
//! have six, and the class order, of which there are three.
//!
//! The authors' program loads the original release of ViT-B/16 (`imagenet21k/ViT-B_16.npz`). For the comparison with
//! CODA-Prompt, the paper uses what that program uses: weights fine-tuned on ImageNet-1k, and its split of ImageNet-R.

use std::sync::LazyLock;

use super::suggested_settings::LETTERS_CLASSES_PER_TASK;
use crate::message;
use crate::method::{apply_published_values, find_method, lae, with_explicit_settings};
use crate::problem::{Problem, Result, list_value};
use crate::run::config::{Aspect, RunConfig, Settings, differences};
use crate::texts::translate_entry;

/// A preset.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// A short hint.
    pub hint: &'static str,
    /// The settings.
    pub run: RunConfig,
    /// A second run that is started together with the first and compared with it.
    pub comparison: Option<RunConfig>,
    /// The dataset, for an experiment of the paper.
    pub paper: Option<PaperDataset>,
}

impl Preset {
    /// Returns its title in the language of this thread.
    pub fn title(&self) -> &'static str {
        translate_entry("preset", self.name, "title", self.title)
    }

    /// Returns its hint in the language of this thread.
    pub fn hint(&self) -> &'static str {
        translate_entry("preset", self.name, "hint", self.hint)
    }

    /// Returns the same experiment with another of [`PETS`].
    pub fn with_pet(&self, pet: &str, size: usize) -> RunConfig {
        RunConfig { pet: pet.into(), pet_size: size, ..self.run.clone() }
    }
}

/// The dataset of an experiment in the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperDataset {
    /// Its name in the settings.
    pub data: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// Number of its classes.
    pub classes: usize,
    /// Its class orders, as far as known; the first one is the natural order.
    pub orders: &'static [&'static str],
    /// How it is split into training and test images.
    pub split: PresetSplit,
}

/// How the dataset of an experiment is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetSplit {
    /// The split that comes with the dataset.
    Official,
    /// `train_list.txt` and `val_list.txt` of LAE's authors, the same as L2P's.
    AuthorLists,
    /// The lists of CODA-Prompt.
    Coda,
    /// A random fifth of each domain, drawn by the authors' program.
    RandomFifth,
}

/// The six PETs of the paper's tables: title, plugin, size.
pub const PETS: [(&str, &str, usize); 6] = [
    ("Adapter5", "adapter", 5),
    ("Adapter10", "adapter", 10),
    ("LoRA5", "lora", 5),
    ("LoRA10", "lora", 10),
    ("Prefix10", "prefix", 10),
    ("Prefix20", "prefix", 20),
];

/// The weights of the paper's benchmark: the original release.
const ORIGINAL_WEIGHTS: &str = "vit_base_patch16_224.orig_in21k";
/// The weights that CODA-Prompt's program loads: timm's `vit_base_patch16_224` of its time.
const FINE_TUNED_WEIGHTS: &str = "vit_base_patch16_224.augreg_in21k_ft_in1k";

const CIFAR: PaperDataset = PaperDataset {
    data: "cifar-100",
    title: "CIFAR-100",
    classes: 100,
    orders: &["natural", "cifar100_order2", "cifar100_order3"],
    split: PresetSplit::Official,
};
const IMAGENET_R: PaperDataset = PaperDataset {
    data: "imagenet-r",
    title: "ImageNet-R",
    classes: 200,
    orders: &["natural", "imagenet-r_order2", "imagenet-r_order3"],
    split: PresetSplit::AuthorLists,
};
const IMAGENET_R_CODA: PaperDataset = PaperDataset { split: PresetSplit::Coda, ..IMAGENET_R };
const DOMAINNET: PaperDataset = PaperDataset {
    data: "domainnet",
    title: "DomainNet",
    classes: 345,
    orders: &["natural", "domainnet_order2", "domainnet_order3"],
    split: PresetSplit::RandomFifth,
};

/// Returns all presets in display order.
pub fn presets() -> &'static [Preset] {
    static ALL: LazyLock<Vec<Preset>> = LazyLock::new(build_presets);
    &ALL
}

fn build_presets() -> Vec<Preset> {
    let digits = RunConfig::default();
    let letters = RunConfig {
        data: "letters".into(),
        classes_per_task: LETTERS_CLASSES_PER_TASK.into(),
        ..RunConfig::default()
    };
    let demo = |name, title, hint, run: &RunConfig, comparison| Preset {
        name,
        title,
        hint,
        run: run.clone(),
        comparison,
        paper: None,
    };
    vec![
        demo("digits", "Quick demo: digits", "a few seconds", &digits, None),
        demo("letters", "Letters", "26 classes in 5 tasks", &letters, None),
        demo(
            "forgetting",
            "Forgetting demo",
            "LAE, then Baseline",
            &digits,
            Some(baseline(&digits)),
        ),
        paper_preset("cifar100-10", "CIFAR-100, 10 tasks", "benchmark", CIFAR, 10),
        paper_preset("cifar100-20", "CIFAR-100, 20 tasks", "supplement", CIFAR, 5),
        paper_preset("imagenet-r-10", "ImageNet-R, 10 tasks", "benchmark", IMAGENET_R, 20),
        paper_preset("imagenet-r-20", "ImageNet-R, 20 tasks", "supplement", IMAGENET_R, 10),
        coda_comparison_preset(
            "imagenet-r-10-coda",
            "ImageNet-R, 10 tasks, CODA split",
            IMAGENET_R_CODA,
            20,
        ),
        coda_comparison_preset("imagenet-r-5", "ImageNet-R, 5 tasks", IMAGENET_R_CODA, 40),
        coda_comparison_preset("domainnet-5", "DomainNet, 5 tasks", DOMAINNET, 69),
    ]
}

/// Returns the preset with this name.
///
/// # Errors
/// Returns a Problem if there is none, or if it is a pair of runs.
pub fn find_preset(name: &str) -> Result<&'static Preset> {
    let mut single = presets().iter().filter(|preset| preset.comparison.is_none());
    let names = single.clone().map(|preset| preset.name);
    single.find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = names.collect();
        Problem::new(message!("problem-preset-not-found", name))
            .at("--preset")
            .advise(message!("advice-one-of-names", names = list_value(&names, 20)))
    })
}

/// Returns the same settings with the Baseline.
pub fn baseline(config: &RunConfig) -> RunConfig {
    RunConfig { method: lae::BASELINE.key.into(), settings: Settings::new(), ..config.clone() }
}

/// Returns the same settings for each of `count` class orders: the paper's as far as known, else the natural one, then
/// seeded ones. Everything else, including the seed, is the same, so the standard deviation is that of the class order
/// only.
pub fn repeat_over_orders(
    config: &RunConfig,
    paper: Option<PaperDataset>,
    count: u64,
) -> Vec<RunConfig> {
    repetitions(config, paper, Some(count), None)
}

/// Returns the same settings for each order of [`repeat_over_orders`] and each seed: `seeds` consecutive ones, starting
/// with that of the settings. `None` keeps the order or seed of the settings; the seed of a method without random
/// numbers is also kept, because all seeds would repeat the same run.
pub fn repetitions(
    config: &RunConfig,
    paper: Option<PaperDataset>,
    orders: Option<u64>,
    seeds: Option<u64>,
) -> Vec<RunConfig> {
    let known_orders = paper.map_or(&["natural"][..], |paper| paper.orders);
    let order = |number: u64| match known_orders.get(number as usize) {
        _ if orders.is_none() => config.order.clone(),
        Some(order) => (*order).to_string(),
        None => format!("seed:{number}"),
    };
    let seeds = seeds.filter(|_| find_method(&config.method).is_ok_and(|spec| spec.seeded));
    let combinations = (0..orders.unwrap_or(1))
        .flat_map(|order| (0..seeds.unwrap_or(1)).map(move |seed| (order, seed)));
    let repetition = |(number, seed)| RunConfig {
        order: order(number),
        seed: config.seed.saturating_add(seed),
        ..config.clone()
    };
    combinations.map(repetition).collect()
}

/// Returns the paper's dataset if these settings are one of its experiments, with its number of classes and tasks.
pub fn find_paper_dataset(config: &RunConfig, classes: usize) -> Option<PaperDataset> {
    presets()
        .iter()
        .filter_map(|preset| Some((&preset.run, preset.paper?)))
        .find(|(run, paper)| {
            paper.classes == classes && run.classes_per_task == config.classes_per_task
        })
        .map(|(_, paper)| paper)
}

/// Returns the number of classes of the dataset in these settings, if it is one of the paper's.
pub fn paper_class_count(config: &RunConfig) -> Option<usize> {
    presets()
        .iter()
        .filter(|preset| preset.run.data == config.data)
        .find_map(|preset| Some(preset.paper?.classes))
}

/// Returns an experiment of the paper on ViT-B/16 with Adapter5 in the first five blocks.
fn paper_preset(
    name: &'static str,
    title: &'static str,
    hint: &'static str,
    paper: PaperDataset,
    classes_per_task: usize,
) -> Preset {
    let mut run = RunConfig {
        data: paper.data.into(),
        backbone: ORIGINAL_WEIGHTS.into(),
        pretrained_transform: false,
        classes_per_task: classes_per_task.to_string(),
        crop_scale: [0.08, 1.0],
        flip: true,
        ..RunConfig::default()
    };
    apply_published_values(&mut run, &lae::LAE);
    Preset { name, title, hint, run, comparison: None, paper: Some(paper) }
}

/// Returns an experiment of the supplement's comparison with CODA-Prompt, where LAE uses Prefix10.
fn coda_comparison_preset(
    name: &'static str,
    title: &'static str,
    paper: PaperDataset,
    classes_per_task: usize,
) -> Preset {
    let preset = paper_preset(name, title, "CODA-Prompt comparison", paper, classes_per_task);
    let run = RunConfig { backbone: FINE_TUNED_WEIGHTS.into(), ..preset.with_pet("prefix", 10) };
    Preset { run, ..preset }
}

/// Returns whether settings are those of a preset. The device and memory may differ; for the paper's presets also the
/// path of the data, the PET (one of its six) and the class order.
pub fn matches(preset: &Preset, config: &RunConfig) -> bool {
    let run = &preset.run;
    // The cheap comparisons come first: most settings differ in one of these.
    (&config.backbone, &config.classes_per_task) == (&run.backbone, &run.classes_per_task)
        && normalise_variants(preset, config) == with_explicit_settings(run)
}

/// Returns the keys of the settings that differ from the preset.
pub fn changed_settings(preset: &Preset, config: &RunConfig) -> Vec<String> {
    let (current, original) =
        (normalise_variants(preset, config), with_explicit_settings(&preset.run));
    let rows = differences(&[&current, &original]);
    rows.into_iter().map(|(key, _)| key).collect()
}

/// Returns the settings with everything that may vary reset to the preset's values.
fn normalise_variants(preset: &Preset, config: &RunConfig) -> RunConfig {
    let mut normalised = with_explicit_settings(config);
    normalised.copy_settings(&preset.run, |setting| setting.aspect == Aspect::Execution);
    if let Some(paper) = preset.paper {
        normalised.data.clone_from(&preset.run.data);
        if paper.orders.contains(&normalised.order.as_str()) {
            normalised.order.clone_from(&preset.run.order);
        }
        let is_paper_pet = |&(_, pet, size): &(&str, &str, usize)| {
            normalised.pet == pet && normalised.pet_size == size
        };
        if PETS.iter().any(is_paper_pet) {
            normalised.pet.clone_from(&preset.run.pet);
            normalised.pet_size = preset.run.pet_size;
        }
    }
    normalised
}

#[cfg(test)]
mod tests;
