//! Devices, backbones and PET plugins in the form that pages show, and the plan of settings that use them. Runs on helper
//! threads.

use std::path::Path;

use super::Disk;
use super::files::unwritable;
use crate::backbone::library::{BackboneLibrary as Backbones, Description};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::experiment::footprint;
use crate::message;
use crate::method::{self, Chosen, Context, PetPlan, all_frozen, check_start, single_class_tasks};
use crate::pet::library::PluginLibrary;
use crate::pet::notes::PluginNotes;
use crate::pet::view::PluginFacts;
use crate::pet::{BlockShape, PetSpec};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::views::{DataView, DeviceView, PlanView, PluginView};
use crate::session::words::device_text;
use crate::store::PetStart;
use crate::{device, nn, tr};

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
    if let Err(problem) = fill(&mut plan, config, plugins)
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
    let chosen = Chosen::of(config);
    if let Ok(chosen) = &chosen {
        plan.single_class = single_class_tasks(chosen, &scenario.tasks);
    }
    plan.set_tasks(scenario, data, config);
    if let Ok(chosen) = &chosen {
        plan.problems.extend(all_frozen(chosen, &plan.train_images));
    }
    plan.cache_need = cache_need(plan, config, data);
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
fn cache_need(plan: &PlanView, config: &RunConfig, data: &DataView) -> Option<u64> {
    let picture = data.picture_bytes?;
    let largest = plan.train_images.iter().max().copied().unwrap_or(0) as u64;
    let tested: usize = plan.test_images.iter().sum();
    let backbone = Backbones::usual().describe(config.chosen_backbone());
    let input = backbone.map_or(0, |about| about.entry.input().bytes());
    Some(largest * picture + (tested * input) as u64)
}

/// Adds backbone and PET to a plan. A Problem names the invalid option.
fn fill(plan: &mut PlanView, config: &RunConfig, library: &PluginLibrary) -> Result<()> {
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
    let about = Backbones::usual()
        .describe(config.chosen_backbone())
        .map_err(at("--backbone"))?;
    let mut view = about.clone();
    // The name is replaced because a file is identified by its path, and an entry of the table also by its name without
    // the tag.
    view.entry.name.clone_from(&config.backbone);
    plan.backbone = Some(view);
    let shapes = &about.blocks;
    let blocks = config.block_list(shapes.len());
    let chosen = blocks
        .clone()
        .unwrap_or_else(|_| (0..shapes.len()).collect());
    plan.misfits = misfits(library, shapes, &chosen);
    let method = Chosen::of(config)?;
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
        room(plan, config, &about, None);
        return Ok(());
    }
    let spec = library.get(&config.pet).map_err(at("--pet"))?;
    let blocks = blocks?;
    spec.fits(shapes, &blocks).map_err(at("--pet"))?;
    let settings = PetPlan::settings(&method, &spec)?;
    let trained = spec
        .parameter_count(shapes, &blocks, &settings)
        .map_err(at("--pet-size"))?;
    plan.trained = Some(trained);
    room(plan, config, &about, Some((&spec, &blocks)));
    Ok(())
}

/// Computes the memory of a training step and compares it with the free memory of the GPU.
fn room(
    plan: &mut PlanView,
    config: &RunConfig,
    about: &Description,
    pet: Option<(&PetSpec, &[usize])>,
) {
    let expected = footprint::expected(config, about, pet);
    plan.memory = Some(expected);
    let card = device::choose(&config.device).ok();
    let card = card.filter(|info| !info.is_cpu());
    let free = card.and_then(|info| device::gpu_memory(&info));
    plan.short = free
        .map(|memory| memory.free)
        .filter(|free| expected > *free)
        .map(|free| (free, footprint::fitting(config, about, pet, free)));
}

/// Returns the plugins that these blocks do not support, each with the reason.
fn misfits(
    library: &PluginLibrary,
    shapes: &[BlockShape],
    blocks: &[usize],
) -> Vec<(String, String)> {
    let unfit = |entry: &crate::pet::library::PluginEntry| {
        let problem = library.get(&entry.name).ok()?.fits(shapes, blocks).err()?;
        Some((entry.name.to_lowercase(), problem.what_said()))
    };
    library.entries().iter().filter_map(unfit).collect()
}

impl Disk {
    /// Returns all plugin files, including those with errors.
    pub fn plugins(&self) -> Vec<PluginView> {
        let own = self.plugins.as_deref();
        let notes = own.map(PluginNotes::read).unwrap_or_default();
        let with_since = |facts: PluginFacts| {
            let file = facts.path.as_deref();
            let since = file.and_then(|file| since(file, own, &notes));
            PluginView {
                since,
                ..facts.into()
            }
        };
        let all = self.library().view(None).into_iter();
        all.map(with_since).collect()
    }

    /// Returns the table of backbones and the errors in it.
    pub fn backbones(&self) -> (Vec<Description>, Vec<Problem>) {
        let library = Backbones::usual();
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
                    true => format!("CPU · {}", device_text(&info.name)),
                    false => format!("GPU · {}", info.name),
                },
                kind: format!("{}, {}", info.kind.said(), info.api.title()),
                chosen_by_auto: Some(info.index) == auto,
                bf16_gain: nn::bf16_gain().filter(|_| info.is_cpu()),
            })
            .collect()
    }
}

/// Returns when and from where a plugin file was installed, in words.
fn since(file: &Path, own: Option<&Path>, notes: &PluginNotes) -> Option<String> {
    let name = file.file_name()?.to_string_lossy().into_owned();
    let is_own = file.parent() == own;
    if let Some(known) = notes.installed.get(&name).filter(|_| is_own) {
        let from = known.from.display();
        return Some(tr!(
            "notices-plugin-installed",
            since = known.since.to_string(),
            from = from.to_string()
        ));
    }
    let changed = std::fs::metadata(file).ok()?.modified().ok()?;
    let time = jiff::Timestamp::try_from(changed).ok()?;
    let time = time.to_zoned(jiff::tz::TimeZone::system());
    let since = time.strftime("%Y-%m-%d %H:%M").to_string();
    Some(tr!("notices-plugin-changed", since))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::config::Setting;

    fn filled(config: &RunConfig) -> PlanView {
        let mut plan = PlanView::default();
        fill(&mut plan, config, &PluginLibrary::standard()).unwrap();
        plan
    }

    #[test]
    fn the_plan_counts_what_the_run_will_train() {
        let prefix = RunConfig {
            pet: "prefix".into(),
            pet_size: 10,
            ..RunConfig::default()
        };
        let plain = RunConfig {
            settings: [("learning".to_string(), Setting::Flag(false))].into(),
            ..prefix.clone()
        };
        // Five blocks of width 192: keys and values of 10 tokens, and two scales during training.
        assert_eq!(filled(&prefix).trained, Some(5 * (2 * 10 * 192 + 2)));
        assert_eq!(filled(&plain).trained, Some(5 * 2 * 10 * 192));
        let plan = filled(&prefix);
        assert!(plan.memory.is_some() && plan.misfits.is_empty());
    }

    #[test]
    fn plugins_that_do_not_fit_are_named_with_the_reason() {
        let config = RunConfig {
            backbone: "convnext_tiny".into(),
            ..RunConfig::default()
        };
        let plan = filled(&config);
        let names: Vec<&str> = plan.misfits.iter().map(|(name, _)| name.as_str()).collect();
        assert!(
            names.contains(&"prefix") && names.contains(&"lora"),
            "{names:?}"
        );
        assert!(!names.contains(&"adapter"));
        let view = plan.backbone.unwrap();
        assert_eq!(
            (view.entry.architecture.family().name, view.entry.pet_blocks),
            ("convnext", 15)
        );
    }

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
