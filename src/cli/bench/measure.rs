//! Measures `bench` rows: single steps or whole tasks.

use std::time::{Duration, Instant};

use super::explain::{self, Kernels, Products};
use super::network::Network;
use super::{BenchCase, Mode, Row, idle};
use crate::cli::output::{complain, size};
use crate::experiment::{ResourceCache, footprint, weight_type};
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::{device, memory};

/// Number of steps before the measurement, which compile kernels and fill memory pools.
const WARM_UP: usize = 2;
/// Minimum number of measured steps.
const FEWEST: usize = 3;

/// Maximum time per row that can be requested, in seconds.
const LONGEST: f64 = 3600.0;

/// Parses the measuring time per row.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    match (0.0..=LONGEST).contains(&value) {
        true => Ok(value),
        false => Err(format!("not between 0 and {LONGEST}")),
    }
}

/// A measurement.
#[derive(Default)]
struct Timed {
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
        let ready = device::ready(&self.args.device)?;
        if let Some(problem) = &ready.remark {
            complain(problem);
        }
        // The remark about the number format was printed before the first row.
        let (weights, _) = weight_type(self.precision.weights(), &ready.info, ready.half)?;
        let config = self.config()?;
        if ready.info.is_cpu() {
            fits(&config, memory::available_bytes())?;
        }
        let place: WeightPlacement = (&ready.device, weights).into();
        let least = Duration::from_secs_f64(self.args.seconds);
        let explain = self.args.explain;
        let timed = match mode {
            Mode::Task => tasks(&config, &place, least, explain)?,
            _ => steps(&config, place, mode, least, explain)?,
        };
        let idle = idle(&config)?;
        let has = |key| idle.iter().all(|idle| idle.key != key);
        Ok(Row {
            backbone: self.backbone.to_string(),
            method: self.method.to_string(),
            pet: match has("pet") {
                true => config.pet,
                false => String::new(),
            },
            pet_size: if has("pet_size") { config.pet_size } else { 0 },
            mode,
            weights: weights.title().to_string(),
            batch: self.batch,
            images_per_second: timed.images as f64 / timed.seconds,
            seconds_per_task: (timed.tasks > 0).then(|| timed.seconds / timed.tasks as f64),
            peak_memory_bytes: memory::peak_bytes(),
            device: ready.info.name,
            pytorch: Vec::new(),
            products: timed.products,
            kernels: timed.kernels,
        })
    }
}

/// Checks that the memory suffices, since a table of backbones may claim any dimensions. Every mode needs as much as
/// training, because a task is learned before the first step is measured. Invalid settings are reported elsewhere.
fn fits(config: &RunConfig, free: Option<u64>) -> Result<()> {
    let here = RunConfig {
        device: "cpu".into(),
        ..config.clone()
    };
    match (
        footprint::of_settings(&here, &ResourceCache::default()),
        free,
    ) {
        (Some(expected), Some(free)) if expected > free => Err(Problem::new(format!(
            "{} with {} needs about {} of memory, but only {} is free",
            config.method,
            config.backbone,
            size(Some(expected)),
            size(Some(free))
        ))
        .advise("try a smaller --batch, or a smaller network")),
        _ => Ok(()),
    }
}

/// Measures steps of one mode for at least this time.
fn steps(
    config: &RunConfig,
    place: WeightPlacement,
    mode: Mode,
    least: Duration,
    explain: bool,
) -> Result<Timed> {
    let mut network = Network::new(config, place)?;
    network.get_ready(mode)?;
    for _ in 0..WARM_UP {
        network.step(mode)?;
    }
    let began = Instant::now();
    let (steps, products) = explain::during(explain, || {
        let mut steps = 0;
        while steps < FEWEST || began.elapsed() < least {
            network.step(mode)?;
            steps += 1;
        }
        Ok(steps)
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let kernels = match explain {
        true => explain::kernels(1e3 * seconds / steps as f64, || network.step(mode))?,
        false => None,
    };
    Ok(Timed {
        images: steps * config.batch,
        seconds,
        tasks: 0,
        products,
        kernels,
    })
}

/// Measures whole tasks for at least this time, each being the second task of a new network. With `explain`, the
/// products of the first one are recorded.
fn tasks(
    config: &RunConfig,
    place: &WeightPlacement,
    least: Duration,
    explain: bool,
) -> Result<Timed> {
    let mut timed = Timed::default();
    while timed.tasks == 0 || timed.seconds < least.as_secs_f64() {
        let mut network = Network::new(config, place.clone())?;
        network.get_ready(Mode::Task)?;
        let began = Instant::now();
        let first = explain && timed.tasks == 0;
        let (images, products) = explain::during(first, || network.task())?;
        timed.seconds += began.elapsed().as_secs_f64();
        timed.images += images;
        timed.tasks += 1;
        timed.products = timed.products.or(products);
    }
    Ok(timed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::describe;
    use crate::method::{adopt, named_method};

    /// Returns the settings of a method on a network with 86 million weights.
    fn of(method: &str) -> RunConfig {
        let mut config = RunConfig {
            backbone: "vit_base_patch16_224".into(),
            batch: 24,
            device: "cpu".into(),
            ..RunConfig::default()
        };
        adopt(&mut config, named_method(method).unwrap());
        config
    }

    #[test]
    fn what_needs_more_memory_than_is_free_is_refused() {
        for method in ["lae", "l2p", "seq-ft", "simplecil"] {
            let config = of(method);
            let needed = footprint::of_settings(&config, &ResourceCache::default()).unwrap();
            assert!(fits(&config, Some(needed)).is_ok(), "{method}");
            assert!(fits(&config, None).is_ok(), "{method}");
            let told = fits(&config, Some(needed - 1)).unwrap_err();
            let words = format!("{method} with vit_base_patch16_224 needs about ");
            assert!(told.what.starts_with(&words), "{told}");
            assert!(told.what.contains(&size(Some(needed))), "{told}");
        }
    }

    #[test]
    fn what_a_step_keeps_for_its_backward_counts() {
        let config = of("lae");
        let about = describe(&config.backbone).unwrap();
        let answering = footprint::expected(&config, &about, None);
        assert!(fits(&config, Some(answering)).is_err());
        assert!(fits(&of("simplecil"), Some(answering)).is_ok());
    }
}
