//! Diagnosis of a plugin's text while the user edits it: all its errors, and for the blocks of a backbone the sites
//! in use, the shape of every part of its equations, and the sizes of its parameters.

use std::sync::Arc;

use super::layout::{ParameterSlot, SiteShapes};
use super::library::PluginEntry;
use super::shape::format_shape;
use super::site::Site;
use super::source::PluginText;
use super::spec::PetSpec;
use super::view::{Blocks, PluginFacts};
use crate::expression::Diagnostic;
use crate::problem::Result;

/// The result of reading a plugin's text.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// All errors, in the order of the text; empty for a valid plugin.
    pub errors: Vec<Diagnostic>,
    /// The plugin, if it is valid.
    pub spec: Option<Arc<PetSpec>>,
}

/// A valid plugin on the chosen blocks of a backbone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockDiagnosis {
    /// The sites in use, in the order in which the plugin lists them.
    pub sites: Vec<Site>,
    /// The sites that the first chosen block offers.
    pub offered: Vec<Site>,
    /// Number of trained values in all blocks together.
    pub trained_count: usize,
    /// Number of all values in all blocks together, including the fixed ones.
    pub value_count: usize,
    /// The parameters of the first chosen block: name, rows and columns, and whether they are trained.
    pub parameters: Vec<(String, [usize; 2], bool)>,
    /// The parts of the equations in the first chosen block, with their shapes for one image.
    pub parts: Vec<PartShape>,
}

/// A part of an equation and the shape of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartShape {
    /// The site of the equation.
    pub site: Site,
    /// The name of the step; empty if the equation is a single expression.
    pub step: String,
    /// The text of the part.
    pub text: String,
    /// The shape, without the batch axis: "17×192".
    pub shape: String,
}

/// Reads and checks a plugin's text; `origin` is the file name shown in errors.
pub fn diagnose(text: &str, origin: &str) -> Diagnosis {
    match PetSpec::parse_checked(&PluginText::new(text, origin)) {
        Ok(spec) => Diagnosis { errors: Vec::new(), spec: Some(spec) },
        Err(wrong) => Diagnosis { errors: wrong, spec: None },
    }
}

/// Returns the data to display for a valid plugin that has not been saved yet.
pub fn facts(spec: &Arc<PetSpec>) -> PluginFacts {
    let entry = PluginEntry {
        name: spec.name.clone(),
        origin: spec.source.origin.to_string(),
        path: None,
        text: Arc::clone(&spec.source.text),
        spec: Ok(Arc::clone(spec)),
        hides: None,
    };
    PluginFacts::new(&entry, None)
}

/// Lays out a plugin on the chosen blocks, with `tokens` tokens for each image.
///
/// # Errors
/// As [`PetSpec::matching_sites`], and for sizes outside their range.
pub fn diagnose_blocks(
    spec: &PetSpec,
    blocks: Blocks<'_>,
    tokens: usize,
) -> Result<BlockDiagnosis> {
    let sites = spec.matching_sites(blocks.shapes, blocks.chosen)?.to_vec();
    let settings = spec.supported_settings(blocks.settings);
    let layout = spec.layout(&settings, blocks.shapes, blocks.chosen)?;
    let mut diagnosis = BlockDiagnosis {
        trained_count: layout.trained_elements(),
        value_count: layout.elements(),
        sites,
        ..BlockDiagnosis::default()
    };
    if let Some((&block, block_layout)) = layout.blocks.iter().next() {
        let shape = &blocks.shapes[block];
        diagnosis.offered = shape.sites.to_vec();
        let parameter = |slot: &ParameterSlot| {
            let name = &spec.parameters[slot.parameter].name;
            let name = match slot.site {
                Some(site) => format!("{name} at {}", site.name()),
                None => name.clone(),
            };
            (name, slot.shape, slot.trained)
        };
        diagnosis.parameters = block_layout.slots.iter().map(parameter).collect();
        diagnosis.parts = part_shapes(spec.site_shapes(&layout, (block, shape), [1, tokens]));
    }
    Ok(diagnosis)
}

fn part_shapes(sites: Vec<SiteShapes<'_>>) -> Vec<PartShape> {
    let mut found: Vec<PartShape> = Vec::new();
    for site_shapes in sites {
        for (index, span, shape) in site_shapes.shapes.parts {
            let step = &site_shapes.program.steps()[index].text;
            let dims = match shape.len() {
                0..=2 => shape.as_slice(),
                _ => &shape[1..],
            };
            let part = PartShape {
                site: site_shapes.site,
                step: step.name.clone(),
                text: step.text.get(span).unwrap_or_default().to_owned(),
                shape: format_shape(dims),
            };
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}
