//! Plans settings with the available data, backbone and plugin.

use std::path::Path;

use super::Disk;
use super::files::unwritable;
use super::network;
use crate::backbone::library as backbones;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::device;
use crate::message;
use crate::method::{self, Chosen, all_frozen, check_start, single_class_tasks};
use crate::pet::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::views::{DataView, PlanView};
use crate::store::PetStart;
use crate::tr;

impl Disk {
    /// Plans the settings.
    pub fn plan(&self, config: &RunConfig, data: Option<&DataView>) -> PlanView {
        let mut plan = plan(config, data, &self.library());
        plan.problems.extend(unwritable(&self.runs_root));
        plan
    }
}

/// Plans the settings and returns the plan with all problems.
fn plan(config: &RunConfig, data: Option<&DataView>, plugins: &PluginLibrary) -> PlanView {
    let mut plan = PlanView {
        problems: method::problems(config),
        ..PlanView::default()
    };
    if let Some(data) = data {
        match scenario(config, data) {
            Ok(scenario) => fill_tasks(&mut plan, config, data, scenario),
            Err(problem) => plan.problems.push(problem),
        }
    }
    // A method's check runs with and without the network; a problem that both report is added once.
    if let Err(problem) = network::fill(&mut plan, config, plugins)
        && !plan.problems.contains(&problem)
    {
        plan.problems.push(problem);
    }
    if let Some(start) = config.pet_start.as_deref().map(Path::new) {
        let fits = match PetStart::is_at(start) {
            true => check_start(start),
            false => Err(Problem::new(message!("problem-no-adapter-in-folder"))
                .at("--pet-start")
                .advise(message!("advice-choose-peft-folder"))),
        };
        plan.problems.extend(fits.err());
    }
    if let Err(problem) = device::choose(&config.device) {
        plan.problems.push(problem);
    }
    plan
}

fn scenario(config: &RunConfig, data: &DataView) -> Result<Scenario> {
    let order = ClassOrder::parse(&config.order)?;
    let all_at_once = Chosen::of(config).is_ok_and(|chosen| chosen.spec.all_at_once);
    let sizes = match all_at_once {
        true => TaskSizes::parse(&data.classes.len().to_string())?,
        false => TaskSizes::parse(&config.classes_per_task)?,
    };
    Scenario::new(&data.classes, &order, &sizes)
}

fn fill_tasks(plan: &mut PlanView, config: &RunConfig, data: &DataView, scenario: Scenario) {
    if let Ok(chosen) = Chosen::of(config) {
        plan.single_class = single_class_tasks(&chosen, &scenario.tasks);
    }
    plan.set_tasks(scenario, data, config);
    if let Ok(chosen) = Chosen::of(config) {
        plan.problems
            .extend(all_frozen(&chosen, &plan.train_images));
    }
    plan.cache_need = cache_need(plan, config, data);
    if plan.train_images.contains(&0) {
        plan.problems.push(
            Problem::new(tr!("notices-no-training-images"))
                .at("--data")
                .advise(tr!("notices-no-training-images-advice")),
        );
    }
    if plan.test_images.contains(&0) {
        plan.problems.push(
            Problem::new(tr!("notices-no-test-images"))
                .at("--data")
                .advise(tr!("notices-no-test-images-advice")),
        );
    }
}

/// Returns the bytes that the cache of decoded images would need without a limit: the images of the largest task, and
/// all test inputs.
fn cache_need(plan: &PlanView, config: &RunConfig, data: &DataView) -> Option<u64> {
    let picture = data.picture_bytes?;
    let largest = plan.train_images.iter().max().copied().unwrap_or(0) as u64;
    let tested: usize = plan.test_images.iter().sum();
    let backbone = backbones::BackboneLibrary::usual().describe(config.chosen_backbone());
    let input = backbone.map_or(0, |about| about.entry.input().bytes());
    Some(largest * picture + (tested * input) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::Setting;

    #[test]
    fn what_two_checks_find_is_told_once() {
        let config = RunConfig {
            epochs: 1,
            device: "cpu".into(),
            settings: [("freeze_epochs".to_string(), Setting::Whole(3))].into(),
            ..RunConfig::default()
        };
        let places: Vec<String> = plan(&config, None, &PluginLibrary::standard())
            .problems
            .into_iter()
            .map(|problem| problem.place)
            .collect();
        assert_eq!(places, ["--freeze-epochs"]);
    }
}
