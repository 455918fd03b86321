//! A PET tried in some twenty seconds: trained on the embedded digits beside Adapter, each with its usual size and otherwise
//! the same settings, and judged on a share of the training pictures that is held back.

use std::time::Instant;

use super::plan::TrainingPlan;
use super::quiet::Quiet;
use super::trial::{Bounds, Material, PATIENCE, row};
use super::{Stock, train, unless_stopped};
use crate::pet::PetSpec;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Sink, Wish};
use crate::run::job::Own;
use crate::run::tried::Trial;

/// Seconds that both together are planned to take at most.
const PLANNED: f64 = 16.0;
/// The data set.
const DATA: &str = "digits";
/// What it is tried beside.
const BESIDE: &str = "adapter";

/// Tries the PET that the stock's job brings along. None when the person stopped it.
///
/// # Errors
/// A Problem for a PET that cannot be trained, and for a device that fails. That one of them did not come to its end is
/// said in its row.
pub fn try_pet(
    chosen: &RunConfig,
    stock: &Stock,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    let began = Instant::now();
    let plain = stock.with_own(&Own::default());
    let spec = stock.plugin(&chosen.pet)?;
    let other = plain.plugin(BESIDE)?;
    let all = [
        (spec.name.clone(), of(chosen, &spec), stock),
        (other.name.clone(), of(chosen, &other), &plain),
    ];
    let configs = all.each_ref().map(|(_, config, _)| config.clone());
    let plan = TrainingPlan::prepare(
        &Bounds::default().judged(&configs[1]),
        None,
        &plain,
        &mut Quiet::new(sink, "", PLANNED * PATIENCE),
        control,
    );
    let Some(plan) = unless_stopped(plan, control)? else {
        return Ok(None);
    };
    let material = Material::of(&plan)?;
    let bounds = material.bounds(&configs, PLANNED);
    drop(plan);
    let work = tempfile::tempdir()
        .map_err(|error| Problem::io("make a folder to train in", std::env::temp_dir(), &error))?;
    let mut methods = Vec::new();
    for (name, config, stock) in &all {
        let mut quiet = Quiet::new(sink, &format!("trying {name}"), PLANNED * PATIENCE);
        quiet.person = Some(control);
        quiet.tell("");
        let began = Instant::now();
        let run = quiet.run.clone();
        let outcome = train(&bounds.judged(config), work.path(), stock, &mut quiet, &run);
        let (late, losses) = (quiet.late, std::mem::take(&mut quiet.losses));
        if control.wish() == Wish::Stop {
            return Ok(None);
        }
        let mut one = row(config, name, outcome, late, began.elapsed());
        one.losses = losses;
        methods.push(one);
    }
    let (train_images, judged_images) = material.images(&bounds);
    Ok(Some(Trial {
        data: DATA.into(),
        train_images: train_images.iter().sum(),
        judged_images: judged_images.iter().sum(),
        bounds: bounds.told(&material, &configs[0]),
        methods,
        seconds: began.elapsed().as_secs_f64(),
    }))
}

/// The usual settings for this PET on the device that is chosen.
fn of(chosen: &RunConfig, spec: &PetSpec) -> RunConfig {
    let usual = RunConfig::default();
    RunConfig {
        data: DATA.into(),
        device: chosen.device.clone(),
        pet: spec.name.to_lowercase(),
        pet_size: spec.default_size().unwrap_or(usual.pet_size),
        ..usual
    }
}
