//! Backbones and PET plugins in the form that pages show, and their use by the settings. Runs on helper threads.

use std::path::Path;

use super::Disk;
use crate::backbone::library::{BackboneLibrary as Backbones, Description};
use crate::device;
use crate::experiment::footprint;
use crate::method::{Chosen, Context, PetPlan};
use crate::pet::library::PluginLibrary;
use crate::pet::notes::PluginNotes;
use crate::pet::spec::MAIN_SIZE;
use crate::pet::{BlockShape, PetSpec};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::views::{NumberView, PlanView, PluginView};
use crate::tr;

/// Adds backbone and PET to a plan. A Problem names the invalid option.
pub(super) fn fill(plan: &mut PlanView, config: &RunConfig, library: &PluginLibrary) -> Result<()> {
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
        let with_since = |facts| {
            let view: PluginView = plugin(facts);
            let since = view
                .path
                .as_deref()
                .and_then(|file| since(file, own, &notes));
            PluginView { since, ..view }
        };
        self.library()
            .view(None)
            .into_iter()
            .map(with_since)
            .collect()
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
    Some(tr!("notices-plugin-changed", since = since))
}

pub(super) fn plugin(view: crate::pet::view::PluginFacts) -> PluginView {
    let size = view.sizes.iter().find(|size| size.name == MAIN_SIZE);
    let size = size.map(|size| (size.min, size.default, size.max));
    let others = view.sizes.iter().filter(|size| size.name != MAIN_SIZE);
    let others = others.map(|size| NumberView {
        name: size.name.clone(),
        least: size.min as f64,
        usual: size.default as f64,
        most: size.max as f64,
        whole: true,
    });
    let constants = view.constants.iter().filter_map(|constant| {
        let [least, most] = constant.range?;
        Some(NumberView {
            name: constant.name.clone(),
            least,
            usual: constant.default,
            most,
            whole: false,
        })
    });
    let numbers = others.chain(constants).collect();
    let first = view.variants.first();
    let parameter = |p: crate::pet::view::ParameterView| (p.name, p.shape, p.init);
    PluginView {
        name: view.name.to_lowercase(),
        equations: first.map(equations).unwrap_or_default(),
        folded: first.and_then(crate::pet::view::VariantView::folded),
        title: view.name,
        about: view
            .description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        origin: view.origin,
        parameters: view.parameters.into_iter().map(parameter).collect(),
        size,
        numbers,
        variants: view
            .variants
            .into_iter()
            .map(|variant| variant.name)
            .collect(),
        source: view.text,
        path: view.path,
        hides: view.hides,
        since: None,
        problem: view.problem,
    }
}

/// Returns the steps of the default form, each labelled with its sites or the name of the step.
fn equations(form: &crate::pet::view::VariantView) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for equation in &form.equations {
        let sites = equation.sites.join(", ");
        for (step, text) in &equation.steps {
            let label = if step.is_empty() { &sites } else { step };
            shown.push((label.clone(), text.clone()));
        }
    }
    shown
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
}
