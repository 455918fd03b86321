//! Estimates the time and disk space of a run from its settings and its numbers of images. [`super::footprint`]
//! estimates its memory.
//!
//! Time is counted in *steps*: a step is the training of one image with a usual PET, forward and backward, through
//! the network of the run. [`Workload`] describes what a method computes beyond that. The speed of a device, in
//! multiplications per second, comes from earlier runs, from the most similar ones first ([`Basis`]), or from a
//! measurement ([`super::speed`]).

use std::collections::HashMap;
use std::sync::OnceLock;

use super::speed::measure_processor_speed;
use crate::backbone::architecture::Architecture;
use crate::backbone::library::Description;
use crate::device;
use crate::method::{ConfiguredMethod, Pass, PassWork, RunSizes, Workload};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;

/// Multiplications per second assumed before any measurement: about half the speed of two cores at 2.5 GHz.
pub const DEFAULT_SPEED: f64 = 7.5e10;
/// Approximate cost of a training step, in forward passes.
const TRAINING_COST: f64 = 2.5;
/// Approximate ratio of the time of a step that trains the network's own weights to that of a step that trains a PET
/// (docs/performance.md).
const FULL_TRAINING_FACTOR: f64 = 1.75;
/// Bytes per number (f32).
const BYTES_PER_VALUE: f64 = 4.0;
/// Bytes per test image in the table of predictions for its name and class; each expert's prediction adds
/// [`BYTES_PER_PREDICTION`].
const BYTES_PER_IMAGE: f64 = 12.0;
const BYTES_PER_PREDICTION: f64 = 8.0;

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
    pub fn new(architecture: &Architecture) -> Self {
        let lengths = architecture.token_counts();
        Self {
            multiplications: architecture.multiplications(),
            tokens: lengths.first().map_or(1.0, |length| length.tokens as f64),
        }
    }

    /// Returns the multiplications per step.
    fn multiplications_per_step(self) -> f64 {
        self.multiplications * TRAINING_COST
    }

    /// Returns the steps per second on a device with this speed in multiplications per second.
    pub fn steps_per_second(self, speed: f64) -> f64 {
        speed / self.multiplications_per_step()
    }
}

/// Returns the number of images that pass through the network in training, where `weight` weights each pass. It gets
/// the task (from 0), the pass and the number of images it shows. Returns 0 for invalid settings.
pub fn sum_over_passes(
    config: &RunConfig,
    train: &[usize],
    weight: impl Fn(usize, &Pass, usize) -> f64,
) -> f64 {
    let Ok(chosen) = ConfiguredMethod::from_config(config) else {
        return 0.0;
    };
    let mut sum = 0.0;
    for task in 0..train.len() {
        for pass in chosen.passes(task, train).unwrap_or_default() {
            let images = pass.source.count(task, train).unwrap_or_default();
            sum += weight(task, &pass, pass.processed_images(images, config.batch));
        }
    }
    sum
}

/// Returns the number of steps of a run; `None` if nothing is trained.
fn count_steps(config: &RunConfig, images: TaskImages<'_>, network: Network) -> Option<f64> {
    let chosen = ConfiguredMethod::from_config(config).ok()?;
    let own_weights = (chosen.spec.memory)(&chosen, 1).is_ok_and(|memory| memory.weights);
    let workload = |task| (chosen.spec.workload)(&chosen, task).unwrap_or(Workload::DEFAULT);
    let length_ratio = |load: &Workload| (network.tokens + load.tokens as f64) / network.tokens;
    let prediction_cost = |load: &Workload| {
        let passes = length_ratio(load) * load.networks + load.queries;
        passes / TRAINING_COST
    };
    let training_steps = sum_over_passes(config, images.train, |task, pass, shown| {
        let load = workload(task);
        let cost_per_image = match pass.work {
            PassWork::Measure => {
                prediction_cost(&load)
                    + load.closed_form.per_image / network.multiplications_per_step()
            }
            PassWork::Learn { .. } => {
                let factor = if own_weights { FULL_TRAINING_FACTOR } else { 1.0 };
                factor * pass.cost() * length_ratio(&load)
                    + (load.queries + load.teachers) / TRAINING_COST
            }
        };
        shown as f64 * cost_per_image
    });
    if training_steps == 0.0 {
        return None;
    }
    let (mut test_steps, mut solve_steps, mut images_so_far) = (0.0, 0.0, 0);
    // After task i all images of tasks 1..=i are tested.
    for (task, test) in images.test.iter().enumerate() {
        let load = workload(task);
        images_so_far += test;
        test_steps += images_so_far as f64
            * (prediction_cost(&load) + length_ratio(&load) * load.study / TRAINING_COST);
        solve_steps += load.closed_form.per_task / network.multiplications_per_step();
    }
    Some(training_steps + test_steps + solve_steps)
}

/// Returns the seconds that a run takes at this many steps per second ([`Network::steps_per_second`]); `None` if
/// nothing is trained.
pub fn seconds_at_speed(
    config: &RunConfig,
    images: TaskImages<'_>,
    network: Network,
    speed: f64,
) -> Option<f64> {
    Some(count_steps(config, images, network)? / speed)
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
    pub fn from_run(config: &RunConfig, device: Option<&str>, run: &RunHeader) -> Option<Self> {
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
        let saved = self.saved.min(header.original_task_count());
        let images = TaskImages {
            train: header.train_images.get(..saved)?,
            test: header.test_images.get(..saved)?,
        };
        let network = self.network?;
        let steps = count_steps(&header.config, images, network)?;
        // Added tasks have other epochs and batches.
        let measured = self.seconds > 0.0 && header.added_tasks.is_empty();
        measured.then_some(steps * network.multiplications_per_step() / self.seconds)
    }
}

/// The speeds of earlier runs, from which the time of new runs is estimated.
#[derive(Debug, Default)]
pub struct Experience {
    /// Full device names by the name in the settings: `local_devices` for this machine,
    /// `earlier_devices` for earlier runs.
    local_devices: HashMap<String, String>,
    earlier_devices: HashMap<String, String>,
    /// Sum of seconds and number of finished runs, by experiment and device.
    experiments: HashMap<[String; 2], (f64, usize)>,
    /// Multiplications per second by device, by device and backbone, and by device, backbone and method.
    speeds: HashMap<Vec<String>, f64>,
    /// Whether the speed of the processor may be measured.
    pub can_measure_processor: bool,
}

impl Experience {
    /// Returns experience without any run.
    pub fn new() -> Self {
        let mut experience = Self::default();
        experience.find_device("cpu").ok();
        experience
    }

    /// Looks up the device that settings call `name`.
    ///
    /// # Errors
    /// Returns a Problem if this machine has no such device.
    pub fn find_device(&mut self, name: &str) -> Result<()> {
        let device = device::choose(name)?;
        self.local_devices.insert(name.to_string(), device.name);
        Ok(())
    }

    /// Adds a run; later ones replace earlier speeds. `experiment` is the key of the experiment of a finished run.
    pub fn add(&mut self, run: &EarlierRun<'_>, experiment: Option<&str>) {
        let (header, config) = (run.header, &run.header.config);
        self.earlier_devices.insert(config.device.clone(), header.device.clone());
        if let Some(experiment) = experiment {
            let key = [experiment, &header.device].map(String::from);
            let (sum, count) = self.experiments.entry(key).or_default();
            *sum += run.seconds;
            *count += 1;
        }
        let Some(speed) = run.speed() else { return };
        for key in speed_keys(&header.device, config) {
            self.speeds.insert(key, speed);
        }
    }

    /// Returns the estimated seconds of a run and what the estimate is based on. The basis is `None` if the estimate
    /// follows from the size of the network and the speed of the processor. Returns `None` for a run that trains
    /// nothing, and for an unknown network.
    pub fn estimate_seconds(
        &self,
        config: &RunConfig,
        experiment: Option<&str>,
        images: TaskImages<'_>,
        network: Option<Network>,
    ) -> Option<(f64, Option<Basis>)> {
        let device_name = &config.device;
        let device =
            self.local_devices.get(device_name).or_else(|| self.earlier_devices.get(device_name));
        let finished_runs = experiment.zip(device).and_then(|(experiment, device)| {
            self.experiments.get(&[experiment, device].map(String::from))
        });
        if let Some((sum, count)) = finished_runs {
            return Some((sum / *count as f64, Some(Basis::Experiment)));
        }
        let keys = device.map(|device| speed_keys(device, config));
        let keys = keys.into_iter().flatten();
        let bases = [Basis::Device, Basis::Backbone, Basis::Method];
        let speeds =
            keys.zip(bases).filter_map(|(key, basis)| Some((*self.speeds.get(&key)?, basis)));
        let best = speeds.last();
        let speed = best.map_or_else(|| self.measured_processor_speed(), |(speed, _)| speed);
        let network = network?;
        let seconds = seconds_at_speed(config, images, network, network.steps_per_second(speed))?;
        Some((seconds, best.map(|(_, basis)| basis)))
    }

    /// Returns the speed of the processor, which is measured once.
    fn measured_processor_speed(&self) -> f64 {
        static SPEED: OnceLock<f64> = OnceLock::new();
        match self.can_measure_processor {
            true => *SPEED.get_or_init(|| measure_processor_speed().unwrap_or(DEFAULT_SPEED)),
            false => DEFAULT_SPEED,
        }
    }
}

/// Returns the keys under which the speed of a run is stored, the most general first.
fn speed_keys(device: &str, config: &RunConfig) -> [Vec<String>; 3] {
    let parts = [device, &config.backbone, &config.method].map(String::from);
    [1, 2, 3].map(|length| parts[..length].to_vec())
}

/// Returns the number of tested images of a run: after task i, all test images of tasks 1..=i.
fn count_tested_images(test: &[usize]) -> f64 {
    let (mut count, mut images_so_far) = (0.0, 0);
    for images in test {
        images_so_far += images;
        count += images_so_far as f64;
    }
    count
}

/// Returns the approximate bytes that a run takes on the disk: its predictions and what its method stores. `trained`
/// is the number of trained values in the PETs of one expert.
pub fn estimate_disk_bytes(
    config: &RunConfig,
    description: &Description,
    images: TaskImages<'_>,
    trained: usize,
    classes: usize,
) -> u64 {
    let chosen = ConfiguredMethod::from_config(config).ok();
    let sizes = RunSizes {
        tasks: images.train.len(),
        classes,
        width: description.feature_width,
        depth: description.blocks.len(),
        trained,
        parameters: description.parameters,
    };
    let stored_values = chosen.and_then(|chosen| (chosen.spec.stored_values)(&chosen, &sizes).ok());
    let experts = chosen.map_or(1, |chosen| chosen.spec.experts.len());
    let bytes_per_image = BYTES_PER_IMAGE + BYTES_PER_PREDICTION * experts as f64;
    (BYTES_PER_VALUE * stored_values.unwrap_or(0.0)
        + bytes_per_image * count_tested_images(images.test)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::BackboneLibrary;
    use crate::method::{METHODS, with_explicit_settings};

    const IMAGES: TaskImages<'static> = TaskImages { train: &[270; 5], test: &[90; 5] };

    fn network(name: &str) -> Network {
        let description = BackboneLibrary::with_default_locations().describe(name).unwrap();
        Network::new(&description.entry.architecture)
    }

    #[test]
    fn multiplication_counts_match_published_values() {
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
        with_explicit_settings(&RunConfig {
            method: method.into(),
            device: "cpu".into(),
            ..RunConfig::default()
        })
    }

    #[test]
    fn estimated_method_costs_match_measurements() {
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
        let run_steps = |method: &str, network, train: usize, test: usize| {
            let images = TaskImages { train: &[24, train], test: &[0, test] };
            let mut config = config(method);
            config.min_steps = 0;
            if method == "dualprompt" {
                config.settings.insert("study".into(), crate::run::config::Setting::Flag(false));
            }
            config.settings.remove("freeze_epochs");
            count_steps(&config, images, network).unwrap()
        };
        for (method, network, train_ratio, test_ratio) in measured {
            let train_and_test = |method: &str| {
                let base = run_steps(method, network, 24, 0);
                let train = run_steps(method, network, 24 + 240, 0) - base;
                let test = run_steps(method, network, 24, 240) - base;
                (train, test)
            };
            let (lae, other) = (train_and_test("baseline"), train_and_test(method));
            let lae_answers = train_and_test("lae").1;
            let ratios = [lae.0 / other.0 / train_ratio, lae_answers / other.1 / test_ratio];
            for ratio in ratios {
                assert!((0.5..2.0).contains(&ratio), "{method} {network:?}: {ratios:?}");
            }
        }
    }

    #[test]
    fn ranpac_disk_estimate_counts_matrix_once() {
        let description = BackboneLibrary::with_default_locations().describe("lae-nano").unwrap();
        let bytes = |projections: i64| {
            let mut config = config("ranpac");
            let value = crate::run::config::Setting::Whole(projections);
            config.settings.insert("projection".into(), value);
            estimate_disk_bytes(&config, &description, IMAGES, 0, 10)
        };
        // M² numbers of 4 bytes each, and W after each task.
        assert!((400_000_000..420_000_000).contains(&bytes(10_000)), "{}", bytes(10_000));
        assert!((16_000_000..18_000_000).contains(&bytes(2000)), "{}", bytes(2000));
    }

    #[test]
    fn every_method_is_estimated() {
        let description = BackboneLibrary::with_default_locations().describe("lae-nano").unwrap();
        for spec in METHODS {
            let config = config(spec.key);
            assert!(
                seconds_at_speed(&config, IMAGES, network("lae-nano"), 100.0).unwrap() > 1.0,
                "{}",
                spec.key
            );
            assert!(
                estimate_disk_bytes(&config, &description, IMAGES, 1000, 10) > 10_000,
                "{}",
                spec.key
            );
        }
    }
}
