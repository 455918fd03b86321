//! What settings come to with the data, backbone and plugin at hand.

use super::lists::backbone;
use crate::backbone::library as backbones;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::device;
use crate::experiment::{PetPlan, footprint};
use crate::pet::BlockShape;
use crate::pet::library::Library;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::views::{DataView, Plan};

/// What the settings come to, with everything that stands in the way.
pub(super) fn plan(config: &RunConfig, data: Option<&DataView>) -> Plan {
    let mut plan = Plan {
        problems: config.validate(),
        ..Plan::default()
    };
    if let Some(data) = data {
        match scenario(config, data) {
            Ok(scenario) => fill_tasks(&mut plan, config, data, scenario),
            Err(problem) => plan.problems.push(problem),
        }
    }
    if let Err(problem) = fill_network(&mut plan, config) {
        plan.problems.push(problem);
    }
    if let Err(problem) = device::choose(&config.device) {
        plan.problems.push(problem);
    }
    plan
}

fn scenario(config: &RunConfig, data: &DataView) -> Result<Scenario> {
    let order = ClassOrder::parse(&config.order)?;
    let sizes = TaskSizes::parse(&config.classes_per_task)?;
    Scenario::new(&data.classes, &order, &sizes)
}

fn fill_tasks(plan: &mut Plan, config: &RunConfig, data: &DataView, scenario: Scenario) {
    plan.set_tasks(scenario, data, config);
    plan.cache_need = cache_need(plan, config, data);
    let least = plan.train_images.iter().copied().min().unwrap_or(0);
    if least < config.batch {
        plan.problems.push(
            Problem::new(format!(
                "a task has only {least} training images, less than one batch of {}",
                config.batch
            ))
            .at("--batch")
            .advise("make the batch smaller, or put more classes into a task"),
        );
    }
    if plan.test_images.contains(&0) {
        plan.problems.push(
            Problem::new("a task has no test images")
                .at("--data")
                .advise("add test images of its classes, or choose a folder without a test split"),
        );
    }
}

/// What the pixel cache would hold with room for all: the pictures of the largest task, and every test input.
fn cache_need(plan: &Plan, config: &RunConfig, data: &DataView) -> Option<u64> {
    let picture = data.picture_bytes?;
    let largest = plan.train_images.iter().max().copied().unwrap_or(0) as u64;
    let tested: usize = plan.test_images.iter().sum();
    let backbone = backbones::Library::usual().describe(&config.backbone);
    let input = backbone.map_or(0, |about| about.entry.input().bytes());
    Some(largest * picture + (tested * input) as u64)
}

/// Backbone and PET; the Problem names the option that stands in the way.
fn fill_network(plan: &mut Plan, config: &RunConfig) -> Result<()> {
    let at = |option: &'static str| {
        move |mut problem: Problem| {
            if !problem.place.starts_with("--") {
                let place = match problem.place.as_str() {
                    "" => option.to_string(),
                    place => format!("{option}: {place}"),
                };
                problem = problem.at(place);
            }
            problem
        }
    };
    let about = backbones::Library::usual()
        .describe(&config.backbone)
        .map_err(at("--backbone"))?;
    let mut view = backbone(&about);
    // A file is known by its path, an entry also without the tag of its name.
    view.name.clone_from(&config.backbone);
    plan.backbone = Some(view);
    let shapes = &about.blocks;
    let blocks = config.block_list(shapes.len());
    let library = Library::standard();
    let chosen = blocks
        .clone()
        .unwrap_or_else(|_| (0..shapes.len()).collect());
    plan.misfits = misfits(&library, shapes, &chosen);
    let spec = library.get(&config.pet).map_err(at("--pet"))?;
    let blocks = blocks?;
    spec.fits(shapes, &blocks).map_err(at("--pet"))?;
    let settings = PetPlan::settings(config, &spec);
    let trained = spec
        .parameter_count(shapes, &blocks, &settings)
        .map_err(at("--pet-size"))?;
    plan.trained = Some(trained);
    plan.memory = Some(footprint::expected(config, &about, &spec, &blocks));
    Ok(())
}

/// Plugins that cannot sit in these blocks, with the reason.
fn misfits(library: &Library, shapes: &[BlockShape], blocks: &[usize]) -> Vec<(String, String)> {
    let unfit = |entry: &crate::pet::library::Entry| {
        let problem = library.get(&entry.name).ok()?.fits(shapes, blocks).err()?;
        Some((entry.name.to_lowercase(), problem.what))
    };
    library.entries().iter().filter_map(unfit).collect()
}
