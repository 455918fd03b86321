//! What settings come to with the data, backbone and plugin at hand.

use crate::backbone::library as backbones;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::device;
use crate::pet::PetSettings;
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
            Ok(scenario) => fill_tasks(&mut plan, config, data, &scenario),
            Err(problem) => plan.problems.push(problem),
        }
    }
    match trained(config) {
        Ok(count) => plan.trained = Some(count),
        Err(problem) => plan.problems.push(problem),
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

fn fill_tasks(plan: &mut Plan, config: &RunConfig, data: &DataView, scenario: &Scenario) {
    let limited = |count: usize, limit: Option<usize>| limit.map_or(count, |most| count.min(most));
    for range in &scenario.tasks {
        let classes = &scenario.class_order[range.clone()];
        let name = |&class: &usize| data.classes[class].clone();
        plan.tasks.push(classes.iter().map(name).collect());
        let sum =
            |of: &[usize], limit| classes.iter().map(|&class| limited(of[class], limit)).sum();
        plan.train_images.push(sum(&data.train, config.train_limit));
        plan.test_images.push(sum(&data.test, config.test_limit));
    }
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

/// Numbers trained in one expert's PETs; the Problem names the option that stands in the way.
fn trained(config: &RunConfig) -> Result<usize> {
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
    let backbone = backbones::Library::usual()
        .describe(&config.backbone)
        .map_err(at("--backbone"))?;
    let spec = Library::standard().get(&config.pet).map_err(at("--pet"))?;
    let blocks = config.block_list(backbone.blocks.len())?;
    spec.fits(&backbone.blocks, &blocks).map_err(at("--pet"))?;
    let settings = PetSettings {
        variant: config.pet_variant.clone(),
        ..PetSettings::of_size(config.pet_size)
    };
    spec.parameter_count(&backbone.blocks, &blocks, &settings)
        .map_err(at("--pet-size"))
}
