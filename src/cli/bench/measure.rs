//! The clock of `bench`: steps one after the other, or whole tasks.

use std::time::{Duration, Instant};

use super::mode::Mode;
use super::network::Network;
use super::{Asked, Row};
use crate::backbone::library::Library as Backbones;
use crate::cli::output::complain;
use crate::experiment::{footprint, weight_type};
use crate::method::Chosen;
use crate::nn::Place;
use crate::pet::library::Library as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::{device, memory};

/// Steps before the clock starts: they compile kernels and fill memory pools.
const WARM_UP: usize = 2;
/// Fewest steps that are measured.
const FEWEST: usize = 3;

/// Longest time that a row may be asked for, in seconds.
const LONGEST: f64 = 3600.0;

/// Reads how long each row is measured.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    match (0.0..=LONGEST).contains(&value) {
        true => Ok(value),
        false => Err(format!("not between 0 and {LONGEST}")),
    }
}

/// What the clock showed.
struct Timed {
    images: usize,
    seconds: f64,
    /// Whole tasks among it.
    tasks: usize,
}

impl Asked<'_> {
    /// Measures one row here.
    pub(super) fn measure(&self, mode: Mode) -> Result<Row> {
        let ready = device::ready(&self.args.device)?;
        if let Some(problem) = &ready.remark {
            complain(problem);
        }
        let (weights, remark) = weight_type(self.args.precision, &ready);
        remark.iter().for_each(complain);
        let config = self.config()?;
        if ready.info.is_cpu() {
            fits(&config)?;
        }
        let variant = self.variant.unwrap_or(weights.into());
        let place: Place = (&ready.device, variant).into();
        let least = Duration::from_secs_f64(self.args.seconds);
        let timed = match mode {
            Mode::Task => tasks(&config, &place, least)?,
            _ => steps(&config, place, mode, least)?,
        };
        let carries = Chosen::of(&config)?.trains_pet()?;
        let sized = Plugins::standard().get(&config.pet)?.is_sized();
        Ok(Row {
            backbone: self.backbone.to_string(),
            method: self.method.to_string(),
            pet: if carries { config.pet } else { String::new() },
            pet_size: if carries && sized { config.pet_size } else { 0 },
            mode,
            weights: variant.weights.title().to_string(),
            variant: (!ready.info.is_cpu()).then_some(variant),
            batch: self.batch,
            images_per_second: timed.images as f64 / timed.seconds,
            seconds_per_task: (timed.tasks > 0).then(|| timed.seconds / timed.tasks as f64),
            peak_memory_bytes: memory::peak_bytes(),
            device: ready.info.name,
            pytorch: Vec::new(),
        })
    }
}

/// Refuses what needs more memory than is free: a table of backbones may claim any dimensions.
fn fits(config: &RunConfig) -> Result<()> {
    let about = Backbones::usual().describe(&config.backbone)?;
    let config = RunConfig {
        device: "cpu".into(),
        ..config.clone()
    };
    let expected = footprint::expected(&config, &about, None);
    match memory::available_bytes().filter(|free| expected > *free) {
        Some(free) => Err(Problem::new(format!(
            "{} takes about {} MB of memory, and {} MB are free",
            config.backbone,
            expected >> 20,
            free >> 20
        ))
        .advise("try a smaller --batch, or a smaller network")),
        None => Ok(()),
    }
}

/// Steps of one mode, for so long at least.
fn steps(config: &RunConfig, place: Place, mode: Mode, least: Duration) -> Result<Timed> {
    let mut network = Network::new(config, place)?;
    network.get_ready(mode)?;
    for _ in 0..WARM_UP {
        network.step(mode)?;
    }
    let began = Instant::now();
    let mut steps = 0;
    while steps < FEWEST || began.elapsed() < least {
        network.step(mode)?;
        steps += 1;
    }
    Ok(Timed {
        images: steps * config.batch,
        seconds: began.elapsed().as_secs_f64(),
        tasks: 0,
    })
}

/// Whole tasks, each the second of a network of its own, for so long at least.
fn tasks(config: &RunConfig, place: &Place, least: Duration) -> Result<Timed> {
    let mut timed = Timed {
        images: 0,
        seconds: 0.0,
        tasks: 0,
    };
    while timed.tasks == 0 || timed.seconds < least.as_secs_f64() {
        let mut network = Network::new(config, place.clone())?;
        network.get_ready(Mode::Task)?;
        let began = Instant::now();
        timed.images += network.task()?;
        timed.seconds += began.elapsed().as_secs_f64();
        timed.tasks += 1;
    }
    Ok(timed)
}
