//! What a run will cost in time and on the disk, from its settings and its numbers of images. What it takes of the
//! memory says [`super::footprint`].
//!
//! Time is counted in *steps*: one is an image that a usual PET is trained with, forward and backward, through the
//! network of the run. What a method needs beside that is its [`Workload`]. How many steps a device makes in a second is
//! taken from earlier runs, from the most similar ones first ([`Basis`]), or guessed from the size of the network.

use std::collections::HashMap;

use crate::backbone::library::Description;
use crate::device;
use crate::method::{Chosen, Pass, PassWork, RunSizes, Workload};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;

/// Multiplications and additions per second assumed of a processor nobody measured: about half of
/// what two cores of 2.5 GHz were seen to do.
const UNMEASURED: f64 = 1.5e11;
/// Approximate number of network passes that a step takes.
const TRAINING: f64 = 2.5;
/// Approximate time of a step that trains the network's own weights over one that trains a PET (docs/performance.md).
const OWN_WEIGHTS: f64 = 1.75;
/// Bytes of a number.
const NUMBER: f64 = 4.0;
/// Bytes of a test image's line in the table of answers: its name and class, and each expert's answer.
const OF_IMAGE: f64 = 12.0;
const OF_ANSWER: f64 = 8.0;

/// Numbers of images of each task.
#[derive(Clone, Copy, Debug)]
pub struct TaskImages<'a> {
    /// For training, per epoch.
    pub train: &'a [usize],
    /// For testing.
    pub test: &'a [usize],
}

/// What an estimate knows of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Its weights.
    pub parameters: usize,
    /// Side of the square it sees, in pixels.
    pub input_size: usize,
}

impl Network {
    /// Tokens of an image: those of a ViT with patches of 16 pixels, of 8 at least.
    fn tokens(self) -> f64 {
        let patch = 8.0f64.max(self.input_size as f64 / 14.0);
        (self.input_size as f64 / patch).powi(2) + 1.0
    }

    /// Multiplications and additions of a step.
    fn step(self) -> f64 {
        2.0 * self.parameters as f64 * self.tokens() * TRAINING
    }

    /// Steps per second of a processor that nobody measured.
    pub fn unmeasured_speed(self) -> f64 {
        UNMEASURED / self.step()
    }
}

/// The images that pass through the network in training, those of each pass weighed by `of`, which gets the task (from
/// 0) and how many it shows; 0 where the settings are wrong.
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

/// Steps that a run takes; `None` where nothing is trained.
fn steps(config: &RunConfig, images: TaskImages<'_>, network: Network) -> Option<f64> {
    let chosen = Chosen::of(config).ok()?;
    let own_weights = (chosen.spec.memory)(&chosen, 1).is_ok_and(|memory| memory.weights);
    let workload = |task| (chosen.spec.workload)(&chosen, task).unwrap_or(Workload::USUAL);
    let longer = |load: &Workload| (network.tokens() + load.tokens as f64) / network.tokens();
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

/// Seconds that `config` takes at this many steps per second; `None` if nothing is trained.
pub fn seconds_at(
    config: &RunConfig,
    images: TaskImages<'_>,
    network: Network,
    speed: f64,
) -> Option<f64> {
    Some(steps(config, images, network)? / speed)
}

/// Which earlier run a speed comes from, the most similar one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// Repetitions: other seeds or class orders of the same experiment.
    Experiment,
    /// One of the same method with the same backbone on the same device.
    Method,
    /// One of another method with the same backbone on the same device.
    Backbone,
    /// One with another backbone on the same device.
    Device,
}

impl Basis {
    /// What a run with these facts is for an estimate of `config`, which is to be trained on the device of this name
    /// where that is known; `None` for one on another device.
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

/// An earlier run, as far as its speed goes.
#[derive(Clone, Copy, Debug)]
pub struct EarlierRun<'a> {
    /// Its settings and facts.
    pub header: &'a RunHeader,
    /// Its saved tasks.
    pub saved: usize,
    /// Seconds that they took.
    pub seconds: f64,
}

impl EarlierRun<'_> {
    /// Steps per second, and the network that it was trained with; `None` where nothing was measured.
    fn speed(&self) -> Option<(f64, Network)> {
        let header = self.header;
        let saved = self.saved.min(header.own_tasks());
        let images = TaskImages {
            train: header.train_images.get(..saved)?,
            test: header.test_images.get(..saved)?,
        };
        let network = Network {
            parameters: header.frozen_parameters,
            input_size: header.input_size,
        };
        let steps = steps(&header.config, images, network)?;
        // Added tasks have other epochs and batches.
        let measured = self.seconds > 0.0 && header.added_tasks.is_empty();
        measured.then_some((steps / self.seconds, network))
    }

    /// Steps per second that this run promises with another network.
    pub fn speed_with(&self, network: Network) -> Option<f64> {
        let (speed, own) = self.speed()?;
        Some(speed * own.step() / network.step())
    }
}

/// What earlier runs took, to estimate others by.
#[derive(Debug, Default)]
pub struct Experience {
    /// The names of devices by what settings call them: those of this machine, and those that runs were trained on.
    found: HashMap<String, String>,
    told: HashMap<String, String>,
    /// Sum of seconds and number of the finished runs of an experiment on a device.
    experiments: HashMap<[String; 2], (f64, usize)>,
    /// Multiplications and additions per second: on a device; with a backbone there; by a method with that.
    speeds: HashMap<Vec<String>, f64>,
}

impl Experience {
    /// That of no run.
    pub fn new() -> Self {
        let mut all = Self::default();
        all.find_device("cpu").ok();
        all
    }

    /// Looks for the device that settings call so.
    ///
    /// # Errors
    /// Returns a Problem if this machine has none.
    pub fn find_device(&mut self, called: &str) -> Result<()> {
        let found = device::choose(called)?;
        self.found.insert(called.to_string(), found.name);
        Ok(())
    }

    /// Adds a run, of which later ones count more; `experiment` is the key of a finished one's experiment.
    pub fn add(&mut self, run: &EarlierRun<'_>, experiment: Option<&str>) {
        let (header, config) = (run.header, &run.header.config);
        self.told
            .insert(config.device.clone(), header.device.clone());
        if let Some(experiment) = experiment {
            let key = [experiment, &header.device].map(String::from);
            let (sum, number) = self.experiments.entry(key).or_default();
            *sum += run.seconds;
            *number += 1;
        }
        let Some((speed, network)) = run.speed() else {
            return;
        };
        for key in keys(&header.device, config) {
            self.speeds.insert(key, speed * network.step());
        }
    }

    /// Seconds of a run, and by which earlier runs; `None` for the latter where they are guessed from the size of the
    /// network. `None` for a run that trains nothing.
    pub fn seconds(
        &self,
        config: &RunConfig,
        experiment: Option<&str>,
        images: TaskImages<'_>,
        network: Network,
    ) -> Option<(f64, Option<Basis>)> {
        let called = &config.device;
        let device = self.found.get(called).or_else(|| self.told.get(called));
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
        let speed = best.map_or(UNMEASURED, |(speed, _)| speed) / network.step();
        let seconds = seconds_at(config, images, network, speed)?;
        Some((seconds, best.map(|(_, basis)| basis)))
    }
}

/// What a speed is known by, the most general first.
fn keys(device: &str, config: &RunConfig) -> [Vec<String>; 3] {
    let all = [device, &config.backbone, &config.method].map(String::from);
    [1, 2, 3].map(|length| all[..length].to_vec())
}

/// Answers that are given in a run: after task i all images of tasks 1..=i are tested, by each of `experts` experts.
fn answers(test: &[usize], experts: usize) -> f64 {
    let (mut tested, mut seen) = (0.0, 0);
    for images in test {
        seen += images;
        tested += (experts * seen) as f64;
    }
    tested
}

/// About how many bytes a run takes on the disk: its answers, and what its method stores. `trained` are the numbers in
/// the PETs of one expert.
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::backbone::library::BackboneLibrary;
    use crate::method::{METHODS, filled};

    const NANO: Network = Network {
        parameters: 3_600_000,
        input_size: 32,
    };
    const VIT_TINY: Network = Network {
        parameters: 5_500_000,
        input_size: 224,
    };
    const IMAGES: TaskImages<'static> = TaskImages {
        train: &[270; 5],
        test: &[90; 5],
    };

    fn config(method: &str) -> RunConfig {
        filled(&RunConfig {
            method: method.into(),
            device: "cpu".into(),
            ..RunConfig::default()
        })
    }

    #[test]
    fn methods_take_about_what_was_measured_against_lae() {
        // Images per second of training and of answering, against LAE's (docs/performance.md).
        let measured = [
            ("l2p", NANO, 0.46, 0.84),
            ("dualprompt", NANO, 0.83, 1.70),
            ("coda-prompt", NANO, 0.68, 1.33),
            ("seq-ft", NANO, 0.56, 3.10),
            ("esn", NANO, 0.17, 0.39),
            ("l2p", VIT_TINY, 0.54, 0.81),
            ("dualprompt", VIT_TINY, 0.68, 0.73),
            ("coda-prompt", VIT_TINY, 0.59, 0.95),
            ("seq-ft", VIT_TINY, 0.59, 1.86),
            ("esn", VIT_TINY, 0.46, 1.10),
        ];
        // In a single task, so that what grows with the tasks does not count.
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
        // 4·M² bytes, and W after each of the tasks.
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
                seconds_at(&config, IMAGES, NANO, 100.0).unwrap() > 1.0,
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
