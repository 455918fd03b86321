//! Ready-made set-ups: the demos, and the paper's experiments (its two benchmarks, the 20-task benchmarks and the
//! comparison with CODA-Prompt of its supplement). A paper set-up fixes everything but the PET, of which the
//! tables hold six, and the class order, of which there are three.

use super::differences::differences;
use crate::method::{adopt_published, filled, lae};
use crate::problem::{Problem, Result, listed};
use crate::run::config::{RunConfig, Settings};

/// A ready-made set-up.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// A word about it.
    pub hint: &'static str,
    /// The settings.
    pub run: RunConfig,
    /// A second run that belongs beside the first; both begin at once.
    pub then: Option<RunConfig>,
    /// For an experiment of the paper: its data.
    pub paper: Option<Paper>,
}

/// What the paper's tables say of an experiment's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// Classes of the data set.
    pub classes: usize,
    /// Its class orders as far as they are known; the first one is the natural order.
    pub orders: &'static [&'static str],
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

const CIFAR: Paper = Paper {
    classes: 100,
    orders: &["natural", "cifar100_order2", "cifar100_order3"],
};
const RENDITIONS: Paper = Paper {
    classes: 200,
    orders: &["natural", "imagenet-r_order2", "imagenet-r_order3"],
};
const DOMAINS: Paper = Paper {
    classes: 345,
    orders: &["natural"],
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
pub fn presets() -> Vec<Preset> {
    let digits = RunConfig::default();
    let letters = RunConfig {
        data: "letters".into(),
        classes_per_task: "6,5,5,5,5".into(),
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
            "Quick demo: Digits",
            "seconds, offline",
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
            "LAE, then Baseline beside it",
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
        paper(
            "imagenet-r-5",
            "ImageNet-R, 5 tasks",
            "beside CODA-Prompt",
            RENDITIONS,
            40,
        ),
        paper(
            "domainnet-5",
            "DomainNet, 5 tasks",
            "beside CODA-Prompt",
            DOMAINS,
            69,
        ),
    ]
}

/// The preset of this name.
///
/// # Errors
/// There is none, or it is a pair of runs.
pub fn named(name: &str) -> Result<Preset> {
    let single = presets().into_iter().filter(|preset| preset.then.is_none());
    let all: Vec<Preset> = single.collect();
    let names: Vec<&str> = all.iter().map(|preset| preset.name).collect();
    let remedy = format!("one of {}", listed(&names, 20));
    all.into_iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| {
            Problem::new(format!("there is no preset named '{name}'"))
                .at("--preset")
                .advise(remedy)
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
    let known = paper.map_or(&["natural"][..], |paper| paper.orders);
    let order = |number: u64| match known.get(number as usize) {
        Some(order) => (*order).to_string(),
        None => format!("seed:{number}"),
    };
    let with = |number| RunConfig {
        order: order(number),
        ..config.clone()
    };
    (0..count).map(with).collect()
}

/// The paper's data of which these settings are an experiment, if they are one: its classes and its cut into tasks.
pub fn paper_of(config: &RunConfig, classes: usize) -> Option<Paper> {
    presets()
        .into_iter()
        .filter_map(|preset| Some((preset.run, preset.paper?)))
        .find(|(run, paper)| {
            paper.classes == classes && run.classes_per_task == config.classes_per_task
        })
        .map(|(_, paper)| paper)
}

/// Number of classes that the data of these settings has, where it is the data of one of the paper's experiments.
pub fn classes_of(config: &RunConfig) -> Option<usize> {
    presets()
        .into_iter()
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
    let data = match paper.classes {
        100 => "cifar-100",
        200 => "imagenet-r",
        _ => "domainnet",
    };
    let mut run = RunConfig {
        data: data.into(),
        backbone: "vit_base_patch16_224.augreg_in21k".into(),
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

/// Whether settings are those of a preset: for the paper's wherever the data lies and with any of its PETs and class
/// orders; for all of them whatever device works with whatever memory.
pub fn matches(preset: &Preset, config: &RunConfig) -> bool {
    but_for_variants(preset, config) == filled(&preset.run)
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
    same.device.clone_from(&preset.run.device);
    same.cache_mb = preset.run.cache_mb;
    same.card_variant = preset.run.card_variant;
    same.micro_batch = preset.run.micro_batch;
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::scenario::{ClassOrder, TaskSizes};

    #[test]
    fn presets_are_sound_and_recognised() {
        let all = presets();
        for preset in &all {
            let problems = crate::method::problems(&preset.run);
            assert!(problems.is_empty(), "{}: {problems:?}", preset.title);
            assert!(matches(preset, &preset.run), "{}", preset.name);
            let same = all.iter().filter(|other| matches(other, &preset.run));
            let same = same.filter(|other| other.then.is_some() == preset.then.is_some());
            assert_eq!(same.count(), 1, "{}", preset.name);
        }
        let cifar = named("cifar100-10").unwrap();
        let mine = RunConfig {
            data: "my/cifar".into(),
            order: "cifar100_order3".into(),
            device: "cpu".into(),
            ..cifar.with_pet("lora", 10)
        };
        assert!(matches(&cifar, &mine));
        assert!(!matches(&cifar, &cifar.with_pet("lora", 7)));
        assert!(!matches(&all[0], &mine));
        assert!(named("forgetting").is_err() && named("").is_err());
    }

    #[test]
    fn the_papers_experiments_cut_their_classes_evenly_and_know_their_orders() {
        for preset in presets() {
            let Some(paper) = preset.paper else { continue };
            let names: Vec<String> = (0..paper.classes).map(|i| format!("{i:03}")).collect();
            let tasks = TaskSizes::parse(&preset.run.classes_per_task)
                .unwrap()
                .ranges(paper.classes)
                .unwrap();
            assert!(
                preset.title.contains(&format!("{} tasks", tasks.len())),
                "{}",
                preset.title
            );
            for run in over_orders(&preset.run, Some(paper), 4) {
                let order = ClassOrder::parse(&run.order).unwrap();
                assert_eq!(order.resolve(&names).unwrap().len(), paper.classes);
            }
            assert_eq!(paper_of(&preset.run, paper.classes), Some(paper));
            assert_eq!(paper_of(&preset.run, 7), None);
        }
    }

    #[test]
    fn orders_are_the_papers_or_natural_and_seeded_with_one_seed() {
        let names = |paper, count| -> Vec<String> {
            let runs = over_orders(&RunConfig::default(), paper, count);
            assert!(runs.iter().all(|run| run.seed == 0));
            runs.into_iter().map(|run| run.order).collect()
        };
        assert_eq!(names(None, 3), ["natural", "seed:1", "seed:2"]);
        assert_eq!(
            names(Some(CIFAR), 4),
            ["natural", "cifar100_order2", "cifar100_order3", "seed:3"]
        );
    }
}
