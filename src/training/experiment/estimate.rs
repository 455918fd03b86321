//! Estimates the time and disk space of a run from its settings and its numbers of images. [`super::footprint`]
//! estimates its memory.
//!
//! Time is counted in *steps*: a step is the training of one image with a usual PET, forward and backward, through
//! the network of the run. [`Workload`] describes what a method computes beyond that. The speed of a device, in
//! multiplications per second, comes from earlier runs, from the most similar ones first ([`Basis`]), or from a
//! measurement ([`super::speed`]).

use std::collections::HashMap;
use std::sync::OnceLock;

use super::speed::processor_speed;
use crate::backbone::architecture::Architecture;
use crate::backbone::library::Description;
use crate::device;
use crate::method::{Chosen, Pass, PassWork, RunSizes, Workload};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;

/// Multiplications per second assumed before any measurement: about half the speed of two cores at 2.5 GHz.
pub const UNMEASURED: f64 = 7.5e10;
/// Approximate cost of a training step, in forward passes.
const TRAINING: f64 = 2.5;
/// Approximate ratio of the time of a step that trains the network's own weights to that of a step that trains a PET
/// (docs/performance.md).
const OWN_WEIGHTS: f64 = 1.75;
/// Bytes per number (f32).
const NUMBER: f64 = 4.0;
/// Bytes per test image in the table of predictions for its name and class; each expert's prediction adds
/// [`OF_ANSWER`].
const OF_IMAGE: f64 = 12.0;
const OF_ANSWER: f64 = 8.0;

/// Numbers of images of each task.
#[derive(Clone, Copy, Debug)]
pub struct TaskImages<'a> {
    /// Training images per epoch.
    pub train: &'a [usize],
    /// Test images.
    pub test: &'a [usize],
}

/// Size of a network, as far as estimates need it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Multiplications per image in a forward pass.
    multiplications: f64,
    /// Tokens per image in the first block.
    tokens: f64,
}

impl Network {
    /// Returns the size of a network of this architecture.
    pub fn of(architecture: &Architecture) -> Self {
        let lengths = architecture.lengths();
        Self {
            multiplications: architecture.multiplications(),
            tokens: lengths.first().map_or(1.0, |length| length.tokens as f64),
        }
    }

    /// Returns the multiplications per step.
    fn step(self) -> f64 {
        self.multiplications * TRAINING
    }

    /// Returns the steps per second on a device with this speed in multiplications per second.
    pub fn steps_at(self, speed: f64) -> f64 {
        speed / self.step()
    }
}

/// Returns the number of images that pass through the network in training, where `of` weights each pass. `of` gets
/// the task (from 0), the pass and the number of images it shows. Returns 0 for invalid settings.
pub fn over_passes(
    config: &RunConfig,
    train: &[usize],
    of: impl Fn(usize, &Pass, usize) -> f64,
) -> f64 {
    let Ok(chosen) = Chosen::of(config) else {
        return 0.0;
    };
    let mut sum = 0.0;
    for task in 0..train.len() {
        for pass in chosen.passes(task, train).unwrap_or_default() {
            let images = pass.source.count(task, train).unwrap_or_default();
            sum += of(task, &pass, pass.shown(images, config.batch));
        }
    }
    sum
}

/// Returns the number of steps of a run; `None` if nothing is trained.
fn steps(config: &RunConfig, images: TaskImages<'_>, network: Network) -> Option<f64> {
    let chosen = Chosen::of(config).ok()?;
    let own_weights = (chosen.spec.memory)(&chosen, 1).is_ok_and(|memory| memory.weights);
    let workload = |task| (chosen.spec.workload)(&chosen, task).unwrap_or(Workload::USUAL);
    let longer = |load: &Workload| (network.tokens + load.tokens as f64) / network.tokens;
    let answer = |load: &Workload| {
        let passes = longer(load) * load.networks + load.queries;
        passes / TRAINING
    };
    let trained = over_passes(config, images.train, |task, pass, shown| {
        let load = workload(task);
        let each = match pass.work {
            PassWork::Measure => answer(&load) + load.closed_form.each / network.step(),
            PassWork::Learn { .. } => {
                let own = if own_weights { OWN_WEIGHTS } else { 1.0 };
                own * pass.cost() * longer(&load) + (load.queries + load.teachers) / TRAINING
            }
        };
        shown as f64 * each
    });
    if trained == 0.0 {
        return None;
    }
    let (mut tested, mut solved, mut seen) = (0.0, 0.0, 0);
    // After task i all images of tasks 1..=i are tested.
    for (task, test) in images.test.iter().enumerate() {
        let load = workload(task);
        seen += test;
        tested += seen as f64 * (answer(&load) + longer(&load) * load.study / TRAINING);
        solved += load.closed_form.whole / network.step();
    }
    Some(trained + tested + solved)
}

/// Returns the seconds that a run takes at this many steps per second ([`Network::steps_at`]); `None` if nothing is
/// trained.
pub fn seconds_at(
    config: &RunConfig,
    images: TaskImages<'_>,
    network: Network,
    speed: f64,
) -> Option<f64> {
    Some(steps(config, images, network)? / speed)
}

/// What an estimated speed is based on, from the most similar earlier run to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// Repetitions of the same experiment with other seeds or class orders.
    Experiment,
    /// A run of the same method with the same backbone on the same device.
    Method,
    /// A run of another method with the same backbone on the same device.
    Backbone,
    /// A run with another backbone on the same device.
    Device,
    /// No earlier run: the speed of the processor was measured.
    Processor,
}

impl Basis {
    /// Returns how similar an earlier run is to `config`, to be trained on the device of this name (the device that
    /// the settings name if `None`). Returns `None` for a run on another device.
    pub fn of(config: &RunConfig, device: Option<&str>, run: &RunHeader) -> Option<Self> {
        let same_device = match device {
            Some(device) => run.device == device,
            None => run.config.device == config.device,
        };
        let same_backbone = run.config.backbone == config.backbone;
        match (same_device, same_backbone) {
            (false, _) => None,
            (true, false) => Some(Self::Device),
            (true, true) if run.config.method == config.method => Some(Self::Method),
            (true, true) => Some(Self::Backbone),
        }
    }
}

/// An earlier run whose speed is known.
#[derive(Clone, Copy, Debug)]
pub struct EarlierRun<'a> {
    /// Its header.
    pub header: &'a RunHeader,
    /// The size of its network, if its backbone is known here.
    pub network: Option<Network>,
    /// Number of its saved tasks.
    pub saved: usize,
    /// Seconds that these tasks took.
    pub seconds: f64,
}

impl EarlierRun<'_> {
    /// Returns the speed in multiplications per second; `None` if nothing was measured.
    pub fn speed(&self) -> Option<f64> {
        let header = self.header;
        let saved = self.saved.min(header.own_tasks());
        let images = TaskImages {
            train: header.train_images.get(..saved)?,
            test: header.test_images.get(..saved)?,
        };
        let network = self.network?;
        let steps = steps(&header.config, images, network)?;
        // Added tasks have other epochs and batches.
        let measured = self.seconds > 0.0 && header.added_tasks.is_empty();
        measured.then_some(steps * network.step() / self.seconds)
    }
}

/// The speeds of earlier runs, from which the time of new runs is estimated.
#[derive(Debug, Default)]
pub struct Experience {
    /// Full device names by the name in the settings: `found` for devices of this machine, `earlier` for devices of
    /// earlier runs.
    found: HashMap<String, String>,
    earlier: HashMap<String, String>,
    /// Sum of seconds and number of finished runs, by experiment and device.
    experiments: HashMap<[String; 2], (f64, usize)>,
    /// Multiplications per second by device, by device and backbone, and by device, backbone and method.
    speeds: HashMap<Vec<String>, f64>,
    /// Whether the speed of the processor may be measured.
    pub measures: bool,
}

impl Experience {
    /// Returns experience without any run.
    pub fn new() -> Self {
        let mut all = Self::default();
        all.find_device("cpu").ok();
        all
    }

    /// Looks up the device that settings call `called`.
    ///
    /// # Errors
    /// Returns a Problem if this machine has no such device.
    pub fn find_device(&mut self, called: &str) -> Result<()> {
        let found = device::choose(called)?;
        self.found.insert(called.to_string(), found.name);
        Ok(())
    }

    /// Adds a run; later ones replace earlier speeds. `experiment` is the key of the experiment of a finished run.
    pub fn add(&mut self, run: &EarlierRun<'_>, experiment: Option<&str>) {
        let (header, config) = (run.header, &run.header.config);
        self.earlier
            .insert(config.device.clone(), header.device.clone());
        if let Some(experiment) = experiment {
            let key = [experiment, &header.device].map(String::from);
            let (sum, number) = self.experiments.entry(key).or_default();
            *sum += run.seconds;
            *number += 1;
        }
        let Some(speed) = run.speed() else { return };
        for key in keys(&header.device, config) {
            self.speeds.insert(key, speed);
        }
    }

    /// Returns the estimated seconds of a run and what the estimate is based on. The basis is `None` if the estimate
    /// follows from the size of the network and the speed of the processor. Returns `None` for a run that trains
    /// nothing, and for an unknown network.
    pub fn seconds(
        &self,
        config: &RunConfig,
        experiment: Option<&str>,
        images: TaskImages<'_>,
        network: Option<Network>,
    ) -> Option<(f64, Option<Basis>)> {
        let called = &config.device;
        let device = self.found.get(called).or_else(|| self.earlier.get(called));
        let known = experiment.zip(device).and_then(|(experiment, device)| {
            self.experiments
                .get(&[experiment, device].map(String::from))
        });
        if let Some((sum, number)) = known {
            return Some((sum / *number as f64, Some(Basis::Experiment)));
        }
        let keys = device.map(|device| keys(device, config));
        let keys = keys.into_iter().flatten();
        let bases = [Basis::Device, Basis::Backbone, Basis::Method];
        let known = keys
            .zip(bases)
            .filter_map(|(key, basis)| Some((*self.speeds.get(&key)?, basis)));
        let best = known.last();
        let speed = best.map_or_else(|| self.processor(), |(speed, _)| speed);
        let network = network?;
        let seconds = seconds_at(config, images, network, network.steps_at(speed))?;
        Some((seconds, best.map(|(_, basis)| basis)))
    }

    /// Returns the speed of the processor, which is measured once.
    fn processor(&self) -> f64 {
        static SPEED: OnceLock<f64> = OnceLock::new();
        match self.measures {
            true => *SPEED.get_or_init(|| processor_speed().unwrap_or(UNMEASURED)),
            false => UNMEASURED,
        }
    }
}

/// Returns the keys under which the speed of a run is stored, the most general first.
fn keys(device: &str, config: &RunConfig) -> [Vec<String>; 3] {
    let all = [device, &config.backbone, &config.method].map(String::from);
    [1, 2, 3].map(|length| all[..length].to_vec())
}

/// Returns the number of predictions in a run: after task i each of `experts` experts predicts all test images of
/// tasks 1..=i.
fn answers(test: &[usize], experts: usize) -> f64 {
    let (mut tested, mut seen) = (0.0, 0);
    for images in test {
        seen += images;
        tested += (experts * seen) as f64;
    }
    tested
}

/// Returns the approximate bytes that a run takes on the disk: its predictions and what its method stores. `trained`
/// is the number of trained values in the PETs of one expert.
pub fn disk(
    config: &RunConfig,
    about: &Description,
    images: TaskImages<'_>,
    trained: usize,
    classes: usize,
) -> u64 {
    let chosen = Chosen::of(config).ok();
    let sizes = RunSizes {
        tasks: images.train.len(),
        classes,
        width: about.feature_width,
        depth: about.blocks.len(),
        trained,
        parameters: about.parameters,
    };
    let stored = chosen.and_then(|chosen| (chosen.spec.stored)(&chosen, &sizes).ok());
    let experts = chosen.map_or(1, |chosen| chosen.spec.experts.len());
    let told = answers(images.test, experts);
    let tested = answers(images.test, 1);
    (NUMBER * stored.unwrap_or(0.0) + OF_ANSWER * told + OF_IMAGE * tested) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::BackboneLibrary;
    use crate::method::{METHODS, filled};

    const IMAGES: TaskImages<'static> = TaskImages {
        train: &[270; 5],
        test: &[90; 5],
    };

    fn network(name: &str) -> Network {
        let about = BackboneLibrary::usual().describe(name).unwrap();
        Network::of(&about.entry.architecture)
    }

    #[test]
    fn multiplications_are_those_of_the_literature() {
        // In 10⁹: DeiT (2021) for ViT, the papers of Swin and ConvNeXt.
        for (name, expected) in [
            ("vit_tiny_patch16_224.augreg_in21k", 1.26),
            ("vit_base_patch16_224.orig_in21k", 17.6),
            ("swin_tiny_patch4_window7_224.ms_in22k", 4.5),
            ("swin_base_patch4_window7_224.ms_in22k", 15.4),
            ("convnext_tiny.fb_in22k", 4.5),
            ("convnext_base.fb_in22k", 15.4),
        ] {
            let ratio = network(name).multiplications / 1e9 / expected;
            assert!((0.98..1.02).contains(&ratio), "{name}: {ratio}");
        }
    }

    fn config(method: &str) -> RunConfig {
        filled(&RunConfig {
            method: method.into(),
            device: "cpu".into(),
            ..RunConfig::default()
        })
    }

    #[test]
    fn methods_take_about_what_was_measured_against_lae() {
        // Images per second in training and in prediction, relative to LAE's (docs/performance.md).
        let [nano, tiny] = ["lae-nano", "vit_tiny_patch16_224"].map(network);
        let measured = [
            ("l2p", nano, 0.46, 0.84),
            ("dualprompt", nano, 0.83, 1.70),
            ("coda-prompt", nano, 0.68, 1.33),
            ("seq-ft", nano, 0.56, 3.10),
            ("esn", nano, 0.17, 0.39),
            ("l2p", tiny, 0.54, 0.81),
            ("dualprompt", tiny, 0.68, 0.73),
            ("coda-prompt", tiny, 0.59, 0.95),
            ("seq-ft", tiny, 0.59, 1.86),
            ("esn", tiny, 0.46, 1.10),
        ];
        // The other task is tiny, so that what grows with the tasks does not count.
        let of = |method: &str, network, train: usize, test: usize| {
            let images = TaskImages {
                train: &[24, train],
                test: &[0, test],
            };
            let mut config = config(method);
            config.min_steps = 0;
            if method == "dualprompt" {
                config
                    .settings
                    .insert("study".into(), crate::run::config::Setting::Flag(false));
            }
            config.settings.remove("freeze_epochs");
            steps(&config, images, network).unwrap()
        };
        for (method, network, trained, answered) in measured {
            let own = |method: &str| {
                let base = of(method, network, 24, 0);
                let train = of(method, network, 24 + 240, 0) - base;
                let test = of(method, network, 24, 240) - base;
                (train, test)
            };
            let (lae, other) = (own("baseline"), own(method));
            let lae_answers = own("lae").1;
            let ratios = [lae.0 / other.0 / trained, lae_answers / other.1 / answered];
            for ratio in ratios {
                assert!(
                    (0.5..2.0).contains(&ratio),
                    "{method} {network:?}: {ratios:?}"
                );
            }
        }
    }

    #[test]
    fn a_ranpac_run_of_ten_thousand_projections_stores_its_matrix_once() {
        let about = BackboneLibrary::usual().describe("lae-nano").unwrap();
        let bytes = |projections: i64| {
            let mut config = config("ranpac");
            let value = crate::run::config::Setting::Whole(projections);
            config.settings.insert("projection".into(), value);
            disk(&config, &about, IMAGES, 0, 10)
        };
        // M² numbers of 4 bytes each, and W after each task.
        assert!(
            (400_000_000..420_000_000).contains(&bytes(10_000)),
            "{}",
            bytes(10_000)
        );
        assert!(
            (16_000_000..18_000_000).contains(&bytes(2000)),
            "{}",
            bytes(2000)
        );
    }

    #[test]
    fn every_method_is_estimated() {
        let about = BackboneLibrary::usual().describe("lae-nano").unwrap();
        for spec in METHODS {
            let config = config(spec.key);
            assert!(
                seconds_at(&config, IMAGES, network("lae-nano"), 100.0).unwrap() > 1.0,
                "{}",
                spec.key
            );
            assert!(
                disk(&config, &about, IMAGES, 1000, 10) > 10_000,
                "{}",
                spec.key
            );
        }
    }
}
