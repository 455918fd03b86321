//! Diagnosis of a plugin's text while the user edits it: all its errors, and for the blocks of a backbone the sites
//! in use, the shape of every part of its equations, and the sizes of its parameters.

use std::sync::Arc;

use super::layout::{SiteShapes, Slot};
use super::library::PluginEntry;
use super::shape::shown;
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
    pub wrong: Vec<Diagnostic>,
    /// The plugin, if it is valid.
    pub spec: Option<Arc<PetSpec>>,
}

/// A valid plugin on the chosen blocks of a backbone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnBlocks {
    /// The sites in use, in the order in which the plugin lists them.
    pub sites: Vec<Site>,
    /// The sites that the first chosen block offers.
    pub offered: Vec<Site>,
    /// Number of trained values in all blocks together.
    pub trained: usize,
    /// Number of all values in all blocks together, including the fixed ones.
    pub values: usize,
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
pub fn read(text: &str, origin: &str) -> Diagnosis {
    match PetSpec::checked(&PluginText::new(text, origin)) {
        Ok(spec) => Diagnosis {
            wrong: Vec::new(),
            spec: Some(spec),
        },
        Err(wrong) => Diagnosis { wrong, spec: None },
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
    PluginFacts::of(&entry, None)
}

/// Lays out a plugin on the chosen blocks, with `tokens` tokens for each image.
///
/// # Errors
/// As [`PetSpec::fits`], and for sizes outside their range.
pub fn on_blocks(spec: &PetSpec, blocks: Blocks<'_>, tokens: usize) -> Result<OnBlocks> {
    let sites = spec.fits(blocks.shapes, blocks.chosen)?.to_vec();
    let own = spec.known_settings(blocks.settings);
    let layout = spec.layout(&own, blocks.shapes, blocks.chosen)?;
    let mut on = OnBlocks {
        trained: layout.trained_elements(),
        values: layout.elements(),
        sites,
        ..OnBlocks::default()
    };
    if let Some((&block, own)) = layout.blocks.iter().next() {
        let shape = &blocks.shapes[block];
        on.offered = shape.sites.to_vec();
        let parameter = |slot: &Slot| {
            let name = &spec.parameters[slot.parameter].name;
            let name = match slot.site {
                Some(site) => format!("{name} at {}", site.name()),
                None => name.clone(),
            };
            (name, slot.shape, slot.trained)
        };
        on.parameters = own.slots.iter().map(parameter).collect();
        on.parts = parts(spec.site_shapes(&layout, (block, shape), [1, tokens]));
    }
    Ok(on)
}

fn parts(sites: Vec<SiteShapes<'_>>) -> Vec<PartShape> {
    let mut found: Vec<PartShape> = Vec::new();
    for one in sites {
        for (at, span, shape) in one.computed.parts {
            let step = &one.program.steps()[at].text;
            let dims = match shape.len() {
                0..=2 => shape.as_slice(),
                _ => &shape[1..],
            };
            let part = PartShape {
                site: one.site,
                step: step.name.clone(),
                text: step.text.get(span).unwrap_or_default().to_owned(),
                shape: shown(dims),
            };
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}
