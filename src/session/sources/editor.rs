//! The plugin being edited: checking, measuring and saving it.

use std::path::Path;
use std::time::Instant;

use super::Disk;
use crate::backbone::library::BackboneLibrary;
use crate::experiment::footprint;
use crate::experiment::pet_costs::pet_costs;
use crate::expression::Diagnostic;
use crate::pet::diagnosis::{facts, on_blocks, read};
use crate::pet::gradients::gradients;
use crate::pet::highlight::marks;
use crate::pet::library::{files_of, read_text};
use crate::pet::view::Blocks;
use crate::pet::{PetSettings, PetSpec};
use crate::problem::{Result, line_and_column};
use crate::run::config::RunConfig;
use crate::session::editor::meaning::{
    Checked, FilesSeen, Meaning, OnBackbone, PluginMeasurements,
};
use crate::tr;

impl Disk {
    /// Checks a plugin's text against the backbone and blocks of these settings.
    pub fn check_plugin(&self, text: &str, origin: &str, config: &RunConfig) -> Checked {
        let began = Instant::now();
        let reading = read(text, origin);
        let placed = |wrong: Diagnostic| (line_and_column(text, wrong.span.start), wrong.said());
        let meaning = reading.spec.as_ref().map(|spec| Meaning {
            plugin: facts(spec).into(),
            names: names(spec),
            on: on_backbone(spec, config),
        });
        Checked {
            mistakes: reading.wrong.into_iter().map(placed).collect(),
            meaning,
            took: began.elapsed(),
        }
    }

    /// Measures the plugin of a valid text.
    pub fn measure_plugin(&self, text: &str) -> Result<PluginMeasurements> {
        let spec = PetSpec::parse(text, tr!("notices-this-text"))?;
        let gradients = gradients(&spec).map_err(|wrong| spec.source.problem(&wrong))?;
        Ok(PluginMeasurements {
            gradients,
            costs: pet_costs(&spec)?,
        })
    }

    /// Returns whether this is a PET plugin file, that is, a TOML file with equations; it may contain errors.
    pub fn is_plugin(&self, path: &Path) -> bool {
        let named = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        let found = named.then(|| read_text(path)).and_then(Result::ok);
        let parts = found.as_deref().map(marks).unwrap_or_default();
        let mut parts = parts.iter();
        parts.any(|part| part.path == "equations" || part.path.starts_with("equations."))
    }

    /// Returns the state of all plugin files.
    pub fn plugin_files(&self) -> FilesSeen {
        let folders = [Some(Path::new("plugins")), self.plugins.as_deref()];
        let files = folders.into_iter().flatten().flat_map(files_of);
        let each = files.filter_map(|file| {
            let about = std::fs::metadata(&file).ok()?;
            Some((file, about.len(), about.modified().ok()))
        });
        each.collect()
    }
}

/// Returns the sizes and constants that a plugin's equations can use, each with a description.
fn names(spec: &PetSpec) -> Vec<(String, String)> {
    let sizes = spec.sizes.iter().map(|size| {
        let about = tr!(
            "notices-size-range",
            least = size.min,
            most = size.max,
            usual = size.default
        );
        (size.symbol.clone(), about)
    });
    let constants = spec.constants.iter().map(|constant| {
        (
            constant.name.clone(),
            tr!(
                "notices-number-default",
                usual = constant.default.to_string()
            ),
        )
    });
    sizes.chain(constants).collect()
}

fn on_backbone(spec: &PetSpec, config: &RunConfig) -> Result<OnBackbone> {
    let about = BackboneLibrary::usual().describe(config.chosen_backbone())?;
    let shapes = &about.blocks;
    let chosen = config.block_list(shapes.len())?;
    let settings = PetSettings::default();
    let lengths = about.entry.architecture.lengths();
    let first = chosen.first().copied().unwrap_or_default();
    let tokens = lengths.get(first).map_or(0, |length| length.tokens);
    let blocks = Blocks {
        shapes,
        chosen: &chosen,
        settings: &settings,
    };
    let on = on_blocks(spec, blocks, tokens)?;
    let with = footprint::expected(config, &about, Some((spec, &chosen)));
    let without = footprint::expected(config, &about, None);
    Ok(OnBackbone {
        title: about.entry.title.clone(),
        blocks: (chosen.len(), shapes.len()),
        tokens,
        on,
        step_bytes: with.saturating_sub(without),
    })
}
