//! The plugin being edited: checking, measuring and saving it.

use std::path::Path;
use std::time::Instant;

use super::Disk;
use crate::backbone::library::BackboneLibrary;
use crate::experiment::footprint;
use crate::experiment::pet_costs::measure_pet_costs;
use crate::expression::Diagnostic;
use crate::pet::diagnosis::{diagnose, diagnose_blocks, facts};
use crate::pet::gradients::gradients;
use crate::pet::highlight::marks;
use crate::pet::library::{plugin_files, read_text};
use crate::pet::view::Blocks;
use crate::pet::{PetSettings, PetSpec};
use crate::problem::{Result, line_and_column};
use crate::run::config::RunConfig;
use crate::session::editor::meaning::{
    BackboneUsage, CompiledPlugin, PluginCheck, PluginFileStates, PluginMeasurements,
};
use crate::tr;

impl Disk {
    /// Checks a plugin's text against the backbone and blocks of these settings.
    pub fn check_plugin(&self, text: &str, origin: &str, config: &RunConfig) -> PluginCheck {
        let start = Instant::now();
        let reading = diagnose(text, origin);
        let with_position = |diagnostic: Diagnostic| {
            (line_and_column(text, diagnostic.span.start), diagnostic.translated())
        };
        let compiled = reading.spec.as_ref().map(|spec| CompiledPlugin {
            plugin: facts(spec).into(),
            names: names(spec),
            backbone_usage: backbone_usage(spec, config),
        });
        PluginCheck {
            errors: reading.errors.into_iter().map(with_position).collect(),
            compiled,
            duration: start.elapsed(),
        }
    }

    /// Measures the plugin of a valid text.
    pub fn measure_plugin(&self, text: &str) -> Result<PluginMeasurements> {
        let spec = PetSpec::parse(text, tr!("notices-this-text"))?;
        let gradients =
            gradients(&spec).map_err(|diagnostic| spec.source.to_problem(&diagnostic))?;
        Ok(PluginMeasurements { gradients, costs: measure_pet_costs(&spec)? })
    }

    /// Returns whether this is a PET plugin file, that is, a TOML file with equations; it may contain errors.
    pub fn is_plugin(&self, path: &Path) -> bool {
        let is_toml =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        let text = is_toml.then(|| read_text(path)).and_then(Result::ok);
        let marked = text.as_deref().map(marks).unwrap_or_default();
        let mut marked = marked.iter();
        marked.any(|mark| mark.path == "equations" || mark.path.starts_with("equations."))
    }

    /// Returns the state of all plugin files.
    pub fn plugin_files(&self) -> PluginFileStates {
        let folders = [Some(Path::new("plugins")), self.plugins.as_deref()];
        let files = folders.into_iter().flatten().flat_map(plugin_files);
        let states = files.filter_map(|file| {
            let metadata = std::fs::metadata(&file).ok()?;
            Some((file, metadata.len(), metadata.modified().ok()))
        });
        states.collect()
    }
}

/// Returns the sizes and constants that a plugin's equations can use, each with a description.
fn names(spec: &PetSpec) -> Vec<(String, String)> {
    let sizes = spec.sizes.iter().map(|size| {
        let about =
            tr!("notices-size-range", least = size.min, most = size.max, usual = size.default);
        (size.symbol.clone(), about)
    });
    let constants = spec.constants.iter().map(|constant| {
        (constant.name.clone(), tr!("notices-number-default", usual = constant.default.to_string()))
    });
    sizes.chain(constants).collect()
}

fn backbone_usage(spec: &PetSpec, config: &RunConfig) -> Result<BackboneUsage> {
    let about = BackboneLibrary::with_default_locations().describe(config.backbone_choice())?;
    let shapes = &about.blocks;
    let chosen = config.parse_blocks(shapes.len())?;
    let settings = PetSettings::default();
    let lengths = about.entry.architecture.token_counts();
    let first = chosen.first().copied().unwrap_or_default();
    let tokens = lengths.get(first).map_or(0, |length| length.tokens);
    let blocks = Blocks { shapes, chosen: &chosen, settings: &settings };
    let block_usage = diagnose_blocks(spec, blocks, tokens)?;
    let with_pet = footprint::estimate_peak_memory(config, &about, Some((spec, &chosen)));
    let without_pet = footprint::estimate_peak_memory(config, &about, None);
    Ok(BackboneUsage {
        title: about.entry.title.clone(),
        blocks: (chosen.len(), shapes.len()),
        tokens,
        block_usage,
        step_bytes: with_pet.saturating_sub(without_pet),
    })
}
