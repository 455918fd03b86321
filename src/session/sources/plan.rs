//! Devices, backbones and PET plugins in the form that pages show, and the plan of settings that use them. Runs on helper
//! threads.

use std::path::Path;

use super::Disk;
use super::files::unwritable_problem;
use crate::backbone::library::{BackboneLibrary as Backbones, Description};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::experiment::footprint;
use crate::message;
use crate::method::{
    self, ConfiguredMethod, Context, PetPlan, check_start, frozen_pet_problem, single_class_tasks,
};
use crate::pet::library::PluginLibrary;
use crate::pet::notes::PluginNotes;
use crate::pet::view::PluginFacts;
use crate::pet::{BlockShape, PetSpec};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::formatting::format_device;
use crate::session::views::{DataView, DeviceView, PlanView, PluginView};
use crate::store::PetStart;
use crate::{device, nn, tr};

impl Disk {
    /// Plans the settings.
    pub fn plan(&self, config: &RunConfig, data: Option<&DataView>) -> PlanView {
        let mut plan = plan(config, data, &self.plugin_library());
        plan.problems.extend(unwritable_problem(&self.runs_root));
        plan
    }
}

/// Plans the settings and returns the plan with all problems.
fn plan(config: &RunConfig, data: Option<&DataView>, plugins: &PluginLibrary) -> PlanView {
    let mut plan = PlanView { problems: method::problems(config), ..PlanView::default() };
    if let Some(data) = data {
        match scenario(config, data) {
            Ok(scenario) => fill_tasks(&mut plan, config, data, scenario),
            Err(problem) => plan.problems.push(problem),
        }
    }
    // A method's check runs with and without the network; a problem that both report is added once.
    if let Err(problem) = add_backbone_and_pet(&mut plan, config, plugins)
        && !plan.problems.contains(&problem)
    {
        plan.problems.push(problem);
    }
    if let Some(start) = config.pet_start.as_deref().map(Path::new) {
        let result = match PetStart::exists(start) {
            true => check_start(start),
            false => Err(Problem::new(message!("problem-no-adapter-in-folder"))
                .at("--pet-start")
                .advise(message!("advice-choose-peft-folder"))),
        };
        plan.problems.extend(result.err());
    }
    if let Err(problem) = device::choose(&config.device) {
        plan.problems.push(problem);
    }
    plan
}

fn scenario(config: &RunConfig, data: &DataView) -> Result<Scenario> {
    let order = ClassOrder::parse(&config.order)?;
    let all_at_once =
        ConfiguredMethod::from_config(config).is_ok_and(|chosen| chosen.spec.all_at_once);
    let sizes = match all_at_once {
        true => TaskSizes::parse(&data.classes.len().to_string())?,
        false => TaskSizes::parse(&config.classes_per_task)?,
    };
    Scenario::new(&data.classes, &order, &sizes)
}

fn fill_tasks(plan: &mut PlanView, config: &RunConfig, data: &DataView, scenario: Scenario) {
    let chosen = ConfiguredMethod::from_config(config);
    if let Ok(chosen) = &chosen {
        plan.single_class = single_class_tasks(chosen, &scenario.tasks);
    }
    plan.set_tasks(scenario, data, config);
    if let Ok(chosen) = &chosen {
        plan.problems.extend(frozen_pet_problem(chosen, &plan.train_images));
    }
    plan.cache_bytes = needed_cache_bytes(plan, config, data);
    let missing = |what: &str, advice: &str| Problem::new(what).at("--data").advise(advice);
    if plan.train_images.contains(&0) {
        let advice = tr!("notices-no-training-images-advice");
        let problem = missing(tr!("notices-no-training-images"), advice);
        plan.problems.push(problem);
    }
    if plan.test_images.contains(&0) {
        let advice = tr!("notices-no-test-images-advice");
        let problem = missing(tr!("notices-no-test-images"), advice);
        plan.problems.push(problem);
    }
}

/// Returns the bytes that the cache of decoded images would need without a limit: the images of the largest task, and
/// all test inputs.
fn needed_cache_bytes(plan: &PlanView, config: &RunConfig, data: &DataView) -> Option<u64> {
    let image_bytes = data.image_bytes?;
    let largest = plan.train_images.iter().max().copied().unwrap_or(0) as u64;
    let test_inputs: usize = plan.test_images.iter().sum();
    let backbone = Backbones::with_default_locations().describe(config.backbone_choice());
    let input = backbone.map_or(0, |about| about.entry.input_spec().bytes());
    Some(largest * image_bytes + (test_inputs * input) as u64)
}

/// Adds backbone and PET to a plan. A Problem names the invalid option.
fn add_backbone_and_pet(
    plan: &mut PlanView,
    config: &RunConfig,
    library: &PluginLibrary,
) -> Result<()> {
    let at_option = |option: &'static str| {
        move |mut problem: Problem| {
            if !problem.place.starts_with("--") {
                let location = match problem.place.as_str() {
                    "" => option.to_string(),
                    location => format!("{option}: {location}"),
                };
                problem = problem.at(location);
            }
            problem
        }
    };
    let about = Backbones::with_default_locations()
        .describe(config.backbone_choice())
        .map_err(at_option("--backbone"))?;
    let mut view = about.clone();
    // The name is replaced because a file is identified by its path, and an entry of the table also by its name without
    // the tag.
    view.entry.name.clone_from(&config.backbone);
    plan.backbone = Some(view);
    let shapes = &about.blocks;
    let blocks = config.parse_blocks(shapes.len());
    let chosen = blocks.clone().unwrap_or_else(|_| (0..shapes.len()).collect());
    plan.incompatible_plugins = incompatible_plugins(library, shapes, &chosen);
    let method = ConfiguredMethod::from_config(config)?;
    (method.spec.check)(
        &method,
        Some(&Context {
            architecture: &about.entry.architecture,
            blocks: shapes,
            tasks: plan.tasks.len(),
            classes: plan.tasks.iter().map(Vec::len).sum(),
        }),
    )?;
    if !method.trains_pet()? {
        estimate_memory(plan, config, &about, None);
        return Ok(());
    }
    let spec = library.get(&config.pet).map_err(at_option("--pet"))?;
    let blocks = blocks?;
    spec.matching_sites(shapes, &blocks).map_err(at_option("--pet"))?;
    let settings = PetPlan::settings(&method, &spec)?;
    let trained =
        spec.parameter_count(shapes, &blocks, &settings).map_err(at_option("--pet-size"))?;
    plan.trained_parameters = Some(trained);
    estimate_memory(plan, config, &about, Some((&spec, &blocks)));
    Ok(())
}

/// Computes the memory of a training step and compares it with the free memory of the GPU.
fn estimate_memory(
    plan: &mut PlanView,
    config: &RunConfig,
    about: &Description,
    pet: Option<(&PetSpec, &[usize])>,
) {
    let expected = footprint::estimate_peak_memory(config, about, pet);
    plan.memory = Some(expected);
    let gpu = device::choose(&config.device).ok();
    let gpu = gpu.filter(|info| !info.is_cpu());
    let free = gpu.and_then(|info| device::gpu_memory(&info));
    plan.memory_shortage = free
        .map(|memory| memory.free)
        .filter(|free| expected > *free)
        .map(|free| (free, footprint::largest_fitting_micro_batch(config, about, pet, free)));
}

/// Returns the plugins that these blocks do not support, each with the reason.
fn incompatible_plugins(
    library: &PluginLibrary,
    shapes: &[BlockShape],
    blocks: &[usize],
) -> Vec<(String, String)> {
    let to_reason = |entry: &crate::pet::library::PluginEntry| {
        let problem = library.get(&entry.name).ok()?.matching_sites(shapes, blocks).err()?;
        Some((entry.name.to_lowercase(), problem.translated_what()))
    };
    library.entries().iter().filter_map(to_reason).collect()
}

impl Disk {
    /// Returns all plugin files, including those with errors.
    pub fn plugins(&self) -> Vec<PluginView> {
        let user_folder = self.plugins.as_deref();
        let notes = user_folder.map(PluginNotes::read).unwrap_or_default();
        let to_view = |facts: PluginFacts| {
            let file = facts.path.as_deref();
            let since = file.and_then(|file| installation_text(file, user_folder, &notes));
            PluginView { since, ..facts.into() }
        };
        let all = self.plugin_library().view(None).into_iter();
        all.map(to_view).collect()
    }

    /// Returns the table of backbones and the errors in it.
    pub fn backbones(&self) -> (Vec<Description>, Vec<Problem>) {
        let library = Backbones::with_default_locations();
        let list = library
            .entries()
            .iter()
            .filter_map(|entry| library.describe(&entry.name).ok())
            .collect();
        (list, library.problems().to_vec())
    }

    /// Returns the devices of this machine.
    pub fn devices(&self) -> Vec<DeviceView> {
        let auto = device::choose("auto").map(|info| info.index).ok();
        device::list()
            .iter()
            .map(|info| DeviceView {
                key: match info.is_cpu() {
                    true => "cpu".into(),
                    false => info.selector(),
                },
                title: match info.is_cpu() {
                    true => format!("CPU · {}", format_device(&info.name)),
                    false => format!("GPU · {}", info.name),
                },
                kind: format!("{}, {}", info.kind.localized_title(), info.api.title()),
                chosen_by_auto: Some(info.index) == auto,
                bf16_gain: nn::bf16_speedup().filter(|_| info.is_cpu()),
            })
            .collect()
    }
}

/// Returns when and from where a plugin file was installed, in words.
fn installation_text(
    file: &Path,
    user_folder: Option<&Path>,
    notes: &PluginNotes,
) -> Option<String> {
    let name = file.file_name()?.to_string_lossy().into_owned();
    let is_user_plugin = file.parent() == user_folder;
    if let Some(installed) = notes.installed.get(&name).filter(|_| is_user_plugin) {
        let from = installed.from.display();
        return Some(tr!(
            "notices-plugin-installed",
            since = installed.since.to_string(),
            from = from.to_string()
        ));
    }
    let modified = std::fs::metadata(file).ok()?.modified().ok()?;
    let time = jiff::Timestamp::try_from(modified).ok()?;
    let time = time.to_zoned(jiff::tz::TimeZone::system());
    let since = time.strftime("%Y-%m-%d %H:%M").to_string();
    Some(tr!("notices-plugin-changed", since))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::Setting;

    fn planned(config: &RunConfig) -> PlanView {
        let mut plan = PlanView::default();
        add_backbone_and_pet(&mut plan, config, &PluginLibrary::standard()).unwrap();
        plan
    }

    #[test]
    fn plan_counts_trained_parameters() {
        let prefix = RunConfig { pet: "prefix".into(), pet_size: 10, ..RunConfig::default() };
        let plain = RunConfig {
            settings: [("learning".to_string(), Setting::Flag(false))].into(),
            ..prefix.clone()
        };
        // Five blocks of width 192: keys and values of 10 tokens, and two scales during training.
        assert_eq!(planned(&prefix).trained_parameters, Some(5 * (2 * 10 * 192 + 2)));
        assert_eq!(planned(&plain).trained_parameters, Some(5 * 2 * 10 * 192));
        let plan = planned(&prefix);
        assert!(plan.memory.is_some() && plan.incompatible_plugins.is_empty());
    }

    #[test]
    fn plan_lists_plugins_that_do_not_fit() {
        let config = RunConfig { backbone: "convnext_tiny".into(), ..RunConfig::default() };
        let plan = planned(&config);
        let names: Vec<&str> =
            plan.incompatible_plugins.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"prefix") && names.contains(&"lora"), "{names:?}");
        assert!(!names.contains(&"adapter"));
        let view = plan.backbone.unwrap();
        assert_eq!(
            (view.entry.architecture.family().name, view.entry.pet_blocks),
            ("convnext", 15)
        );
    }

    #[test]
    fn plan_reports_each_problem_once() {
        let config = RunConfig {
            epochs: 1,
            device: "cpu".into(),
            settings: [("freeze_epochs".to_string(), Setting::Whole(3))].into(),
            ..RunConfig::default()
        };
        let options: Vec<String> = plan(&config, None, &PluginLibrary::standard())
            .problems
            .into_iter()
            .map(|problem| problem.place)
            .collect();
        assert_eq!(options, ["--freeze-epochs"]);
    }
}
