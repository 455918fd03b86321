//! Ready-made set-ups: the demos, and the paper's experiments (its two benchmarks, the 20-task benchmarks and the
//! comparison with CODA-Prompt of its supplement). A paper set-up fixes everything but the PET, of which the
//! tables hold six, and the class order, of which there are three.
//!
//! The authors' program loads the original release of ViT-B/16 (`imagenet21k/ViT-B_16.npz`). Beside CODA-Prompt
//! the paper takes what that program takes: weights tuned on ImageNet-1k afterwards, and its split of ImageNet-R.

use std::sync::LazyLock;

use super::suited::LETTERS;
use crate::message;
use crate::method::{adopt_published, filled, lae, named_method};
use crate::problem::{Problem, Result, some_of};
use crate::run::config::{RunConfig, Says, Settings, differences};
use crate::texts::of_list;

/// A ready-made set-up.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// A short hint.
    pub hint: &'static str,
    /// The settings.
    pub run: RunConfig,
    /// A second run that belongs beside the first; both begin at once.
    pub then: Option<RunConfig>,
    /// For an experiment of the paper: its data.
    pub paper: Option<Paper>,
}

impl Preset {
    /// Its title in the language of this thread.
    pub fn title(&self) -> &'static str {
        of_list("preset", self.name, "title", self.title)
    }

    /// The word about it, in the language of this thread.
    pub fn hint(&self) -> &'static str {
        of_list("preset", self.name, "hint", self.hint)
    }
}

/// What the paper's tables say of an experiment's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// What the settings call the data set.
    pub data: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its classes.
    pub classes: usize,
    /// Its class orders as far as they are known; the first one is the natural order.
    pub orders: &'static [&'static str],
    /// How it is split into training and test.
    pub split: PresetSplit,
}

/// What an experiment of the paper splits its data by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetSplit {
    /// The split that the data set comes with.
    Own,
    /// `train_list.txt` and `val_list.txt` of LAE's authors, which are those of L2P.
    Lists,
    /// The lists of CODA-Prompt.
    Coda,
    /// A fifth of each domain, drawn by the authors' program.
    Fifth,
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
const ORIGINAL: &str = "vit_base_patch16_224.orig_in21k";
/// The weights that CODA-Prompt's program loads: timm's `vit_base_patch16_224` of its time.
const TUNED: &str = "vit_base_patch16_224.augreg_in21k_ft_in1k";

const CIFAR: Paper = Paper {
    data: "cifar-100",
    title: "CIFAR-100",
    classes: 100,
    orders: &["natural", "cifar100_order2", "cifar100_order3"],
    split: PresetSplit::Own,
};
const RENDITIONS: Paper = Paper {
    data: "imagenet-r",
    title: "ImageNet-R",
    classes: 200,
    orders: &["natural", "imagenet-r_order2", "imagenet-r_order3"],
    split: PresetSplit::Lists,
};
const RENDITIONS_OF_CODA: Paper = Paper {
    split: PresetSplit::Coda,
    ..RENDITIONS
};
const DOMAINS: Paper = Paper {
    data: "domainnet",
    title: "DomainNet",
    classes: 345,
    orders: &["natural", "domainnet_order2", "domainnet_order3"],
    split: PresetSplit::Fifth,
};

impl Preset {
    /// The same experiment with another of [`PETS`].
    pub fn with_pet(&self, pet: &str, size: usize) -> RunConfig {
        RunConfig {
            pet: pet.into(),
            pet_size: size,
            ..self.run.clone()
        }
    }
}

/// All presets, in the order they are offered.
pub fn presets() -> &'static [Preset] {
    static ALL: LazyLock<Vec<Preset>> = LazyLock::new(made);
    &ALL
}

fn made() -> Vec<Preset> {
    let digits = RunConfig::default();
    let letters = RunConfig {
        data: "letters".into(),
        classes_per_task: LETTERS.into(),
        ..RunConfig::default()
    };
    let demo = |name, title, hint, run: &RunConfig, then| Preset {
        name,
        title,
        hint,
        run: run.clone(),
        then,
        paper: None,
    };
    vec![
        demo(
            "digits",
            "Quick demo: digits",
            "a few seconds",
            &digits,
            None,
        ),
        demo(
            "letters",
            "Letters",
            "26 classes in 5 tasks",
            &letters,
            None,
        ),
        demo(
            "forgetting",
            "See forgetting",
            "LAE, then Baseline",
            &digits,
            Some(baseline(&digits)),
        ),
        paper("cifar100-10", "CIFAR-100, 10 tasks", "benchmark", CIFAR, 10),
        paper("cifar100-20", "CIFAR-100, 20 tasks", "supplement", CIFAR, 5),
        paper(
            "imagenet-r-10",
            "ImageNet-R, 10 tasks",
            "benchmark",
            RENDITIONS,
            20,
        ),
        paper(
            "imagenet-r-20",
            "ImageNet-R, 20 tasks",
            "supplement",
            RENDITIONS,
            10,
        ),
        beside_coda(
            "imagenet-r-10-coda",
            "ImageNet-R, 10 tasks, CODA split",
            RENDITIONS_OF_CODA,
            20,
        ),
        beside_coda(
            "imagenet-r-5",
            "ImageNet-R, 5 tasks",
            RENDITIONS_OF_CODA,
            40,
        ),
        beside_coda("domainnet-5", "DomainNet, 5 tasks", DOMAINS, 69),
    ]
}

/// The preset of this name.
///
/// # Errors
/// There is none, or it is a pair of runs.
pub fn named(name: &str) -> Result<&'static Preset> {
    let mut single = presets().iter().filter(|preset| preset.then.is_none());
    let names = single.clone().map(|preset| preset.name);
    single.find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = names.collect();
        Problem::new(message!(
            "problem-preset-not-found",
            name = name.to_string()
        ))
        .at("--preset")
        .advise(message!("advice-one-of-names", names = some_of(&names, 20)))
    })
}

/// The same settings with nothing of LAE at work.
pub fn baseline(config: &RunConfig) -> RunConfig {
    RunConfig {
        method: lae::BASELINE.key.into(),
        settings: Settings::new(),
        ..config.clone()
    }
}

/// The same settings once for each of `count` class orders: the paper's as far as they are known, else the natural one,
/// then seeded ones. All else stays, the seed included, so that the spread is that of the order alone.
pub fn over_orders(config: &RunConfig, paper: Option<Paper>, count: u64) -> Vec<RunConfig> {
    repetitions(config, paper, Some(count), None)
}

/// The same settings once for each class order, as [`over_orders`] names them, with each seed: this many that follow
/// each other, the one of the settings first. Of what is none the one of the settings stays, and so does the seed of a
/// method that draws nothing: all seeds would repeat one run.
pub fn repetitions(
    config: &RunConfig,
    paper: Option<Paper>,
    orders: Option<u64>,
    seeds: Option<u64>,
) -> Vec<RunConfig> {
    let known = paper.map_or(&["natural"][..], |paper| paper.orders);
    let order = |number: u64| match known.get(number as usize) {
        _ if orders.is_none() => config.order.clone(),
        Some(order) => (*order).to_string(),
        None => format!("seed:{number}"),
    };
    let seeds = seeds.filter(|_| named_method(&config.method).is_ok_and(|spec| spec.seeded));
    let crossed = (0..orders.unwrap_or(1))
        .flat_map(|order| (0..seeds.unwrap_or(1)).map(move |seed| (order, seed)));
    let with = |(number, seed)| RunConfig {
        order: order(number),
        seed: config.seed.saturating_add(seed),
        ..config.clone()
    };
    crossed.map(with).collect()
}

/// The paper's data of which these settings are an experiment, if they are one: its classes and its cut into tasks.
pub fn paper_of(config: &RunConfig, classes: usize) -> Option<Paper> {
    presets()
        .iter()
        .filter_map(|preset| Some((&preset.run, preset.paper?)))
        .find(|(run, paper)| {
            paper.classes == classes && run.classes_per_task == config.classes_per_task
        })
        .map(|(_, paper)| paper)
}

/// Number of classes that the data of these settings has, where it is the data of one of the paper's experiments.
pub fn classes_of(config: &RunConfig) -> Option<usize> {
    presets()
        .iter()
        .filter(|preset| preset.run.data == config.data)
        .find_map(|preset| Some(preset.paper?.classes))
}

/// An experiment of the paper on ViT-B/16 with Adapter5 in the first five blocks.
fn paper(
    name: &'static str,
    title: &'static str,
    hint: &'static str,
    paper: Paper,
    classes_per_task: usize,
) -> Preset {
    let mut run = RunConfig {
        data: paper.data.into(),
        backbone: ORIGINAL.into(),
        pretrained_transform: false,
        classes_per_task: classes_per_task.to_string(),
        crop_scale: [0.08, 1.0],
        flip: true,
        ..RunConfig::default()
    };
    adopt_published(&mut run, &lae::LAE);
    Preset {
        name,
        title,
        hint,
        run,
        then: None,
        paper: Some(paper),
    }
}

/// An experiment of the supplement's table beside CODA-Prompt, whose rows of LAE are Prefix10's.
fn beside_coda(
    name: &'static str,
    title: &'static str,
    data: Paper,
    classes_per_task: usize,
) -> Preset {
    let preset = paper(
        name,
        title,
        "CODA-Prompt comparison",
        data,
        classes_per_task,
    );
    let run = RunConfig {
        backbone: TUNED.into(),
        ..preset.with_pet("prefix", 10)
    };
    Preset { run, ..preset }
}

/// Whether settings are those of a preset: for the paper's wherever the data is and with any of its PETs and class
/// orders; for all of them whatever device works with whatever memory.
pub fn matches(preset: &Preset, config: &RunConfig) -> bool {
    let run = &preset.run;
    // The plain comparisons come first: most settings differ in one of these.
    (&config.backbone, &config.classes_per_task) == (&run.backbone, &run.classes_per_task)
        && but_for_variants(preset, config) == filled(run)
}

/// The settings that are no longer as the preset has them, by key.
pub fn changed(preset: &Preset, config: &RunConfig) -> Vec<String> {
    let (now, then) = (but_for_variants(preset, config), filled(&preset.run));
    let rows = differences(&[&now, &then]);
    rows.into_iter().map(|(key, _)| key).collect()
}

/// The settings with everything that a preset leaves open put back to what it has.
fn but_for_variants(preset: &Preset, config: &RunConfig) -> RunConfig {
    let mut same = filled(config);
    same.copy(&preset.run, |setting| setting.says == Says::Where);
    if let Some(paper) = preset.paper {
        same.data.clone_from(&preset.run.data);
        if paper.orders.contains(&same.order.as_str()) {
            same.order.clone_from(&preset.run.order);
        }
        let known =
            |&(_, pet, size): &(&str, &str, usize)| same.pet == pet && same.pet_size == size;
        if PETS.iter().any(known) {
            same.pet.clone_from(&preset.run.pet);
            same.pet_size = preset.run.pet_size;
        }
    }
    same
}

#[cfg(test)]
mod tests;
