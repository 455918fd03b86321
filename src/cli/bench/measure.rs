//! Measures `bench` rows: single steps or whole tasks.

use std::time::{Duration, Instant};

use super::explain::{self, Kernels, Products};
use super::network::Network;
use super::{BenchCase, Mode, Row, unused_settings};
use crate::cli::output::print_problem;
use crate::device::{self, ReadyDevice};
use crate::experiment::{ResourceCache, footprint, weight_type};
use crate::memory;
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::formatting::format_bytes;

/// Number of steps before the measurement, which compile kernels and fill memory pools.
const WARM_UP: usize = 2;
/// Minimum number of measured steps.
const MIN_STEPS: usize = 3;

/// Maximum time per row that can be requested, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Parses the measuring time per row.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    match (0.0..=MAX_SECONDS).contains(&value) {
        true => Ok(value),
        false => Err(format!("not between 0 and {MAX_SECONDS}")),
    }
}

/// A measurement.
#[derive(Default)]
struct Measurement {
    images: usize,
    seconds: f64,
    /// Number of whole tasks.
    tasks: usize,
    /// Products of the measured steps.
    products: Option<Products>,
    /// Kernels of steps after the measurement.
    kernels: Option<Kernels>,
}

impl BenchCase<'_> {
    /// Measures one row in this process.
    pub(super) fn measure(&self, mode: Mode) -> Result<Row> {
        let ready = device::prepare(&self.args.device)?;
        if let Some(problem) = &ready.remark {
            print_problem(problem);
        }
        // The remark about the number format was printed before the first row.
        let (weights, _) = weight_type(self.precision.weight_type(), &ready.info, ready.half)?;
        let config = self.config()?;
        if ready.info.is_cpu() {
            let stored = RunConfig { precision: self.precision, ..config.clone() };
            check_memory(&stored, memory::available_bytes())?;
        }
        let placement: WeightPlacement = (&ready.device, weights).into();
        let min_duration = Duration::from_secs_f64(self.args.seconds);
        let explain = self.args.explain;
        let measurement = match mode {
            Mode::Task => measure_tasks(&config, &placement, min_duration, explain)?,
            _ => measure_steps(&config, placement, mode, min_duration, explain.then_some(&ready))?,
        };
        let unused = unused_settings(&config)?;
        let is_used = |key| unused.iter().all(|setting| setting.key != key);
        Ok(Row {
            backbone: self.backbone.to_string(),
            method: self.method.to_string(),
            pet: match is_used("pet") {
                true => config.pet,
                false => String::new(),
            },
            pet_size: if is_used("pet_size") { config.pet_size } else { 0 },
            mode,
            weights: weights.title().to_string(),
            batch: self.batch,
            images_per_second: measurement.images as f64 / measurement.seconds,
            seconds_per_task: (measurement.tasks > 0)
                .then(|| measurement.seconds / measurement.tasks as f64),
            peak_memory_bytes: memory::peak_bytes(),
            device: ready.info.name,
            pytorch: Vec::new(),
            products: measurement.products,
            kernels: measurement.kernels,
        })
    }
}

/// Checks that the memory suffices, since a table of backbones may claim any dimensions. Every mode needs as much as
/// training, because a task is learned before the first step is measured. Invalid settings are reported elsewhere.
fn check_memory(config: &RunConfig, free: Option<u64>) -> Result<()> {
    let cpu_config = RunConfig { device: "cpu".into(), ..config.clone() };
    match (footprint::estimate_for_settings(&cpu_config, &ResourceCache::default()), free) {
        (Some(expected), Some(free)) if expected > free => Err(Problem::new(format!(
            "{} with {} needs about {} of memory, but only {} is free",
            config.method,
            config.backbone,
            format_bytes(expected),
            format_bytes(free)
        ))
        .advise("try a smaller --batch, or a smaller network")),
        _ => Ok(()),
    }
}

/// Measures steps of one mode for at least this time. Products and kernels are recorded if the device is given.
fn measure_steps(
    config: &RunConfig,
    placement: WeightPlacement,
    mode: Mode,
    min_duration: Duration,
    explained: Option<&ReadyDevice>,
) -> Result<Measurement> {
    let mut network = Network::new(config, placement)?;
    network.prepare(mode)?;
    for _ in 0..WARM_UP {
        network.step(mode)?;
    }
    let start = Instant::now();
    let (steps, products) = explain::record_products(explained.is_some(), || {
        let mut steps = 0;
        while steps < MIN_STEPS || start.elapsed() < min_duration {
            network.step(mode)?;
            steps += 1;
        }
        Ok(steps)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let step_ms = 1e3 * seconds / steps as f64;
    let kernels = match explained {
        Some(ready) => explain::measure_kernels(step_ms, ready, || network.step(mode))?,
        None => None,
    };
    Ok(Measurement { images: steps * config.batch, seconds, tasks: 0, products, kernels })
}

/// Measures whole tasks for at least this time, each being the second task of a new network. With `explain`, the
/// products of the first one are recorded.
fn measure_tasks(
    config: &RunConfig,
    placement: &WeightPlacement,
    min_duration: Duration,
    explain: bool,
) -> Result<Measurement> {
    let mut measurement = Measurement::default();
    while measurement.tasks == 0 || measurement.seconds < min_duration.as_secs_f64() {
        let mut network = Network::new(config, placement.clone())?;
        network.prepare(Mode::Task)?;
        let start = Instant::now();
        let first = explain && measurement.tasks == 0;
        let (images, products) = explain::record_products(first, || network.run_task())?;
        measurement.seconds += start.elapsed().as_secs_f64();
        measurement.images += images;
        measurement.tasks += 1;
        measurement.products = measurement.products.or(products);
    }
    Ok(measurement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::describe;
    use crate::method::{find_method, switch_method};

    /// Returns the settings of a method on a network with 86 million weights.
    fn config_for(method: &str) -> RunConfig {
        let mut config = RunConfig {
            backbone: "vit_base_patch16_224".into(),
            batch: 24,
            device: "cpu".into(),
            ..RunConfig::default()
        };
        switch_method(&mut config, find_method(method).unwrap());
        config
    }

    #[test]
    fn rejects_runs_that_exceed_free_memory() {
        for method in ["lae", "l2p", "seq-ft", "simplecil"] {
            let config = config_for(method);
            let needed =
                footprint::estimate_for_settings(&config, &ResourceCache::default()).unwrap();
            assert!(check_memory(&config, Some(needed)).is_ok(), "{method}");
            assert!(check_memory(&config, None).is_ok(), "{method}");
            let problem = check_memory(&config, Some(needed - 1)).unwrap_err();
            let expected = format!("{method} with vit_base_patch16_224 needs about ");
            assert!(problem.what.starts_with(&expected), "{problem}");
            assert!(problem.what.contains(&format_bytes(needed)), "{problem}");
        }
    }

    #[test]
    fn memory_check_counts_activations_for_backward_pass() {
        let config = config_for("lae");
        let about = describe(&config.backbone).unwrap();
        let inference_bytes = footprint::estimate_peak_memory(&config, &about, None);
        assert!(check_memory(&config, Some(inference_bytes)).is_err());
        assert!(check_memory(&config_for("simplecil"), Some(inference_bytes)).is_ok());
    }
}
