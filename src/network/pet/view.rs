//! Plugins as plain data for the window and the command line, without tensors and compiled equations.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::library::{PluginEntry, PluginLibrary};
use super::numbers::{ConstantSpec, SizeSpec};
use super::site::BlockShape;
use super::spec::{Extent, PetSettings, PetSpec};
use crate::problem::{Problem, join_some};
use crate::tr;

/// The data to display for a plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PluginFacts {
    /// Name.
    pub name: String,
    /// File path, or "built in".
    pub origin: String,
    /// The file, unless embedded.
    pub path: Option<PathBuf>,
    /// Whether it may replace a built-in plugin; `None` if it does not replace one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hides: Option<bool>,
    /// Its error; the fields below `text` are empty then.
    pub problem: Option<Problem>,
    /// Exact text of the file.
    pub text: String,
    /// A description of one paragraph.
    pub description: String,
    /// A reference to the paper.
    pub reference: String,
    /// Sets of sites in order of preference, for example "attention" or "key + value".
    pub sites: Vec<String>,
    /// Integers that the user can choose.
    pub sizes: Vec<SizeSpec>,
    /// Constants of its equations; the user can choose those with a range.
    pub constants: Vec<ConstantSpec>,
    /// Parameters.
    pub parameters: Vec<ParameterView>,
    /// The variants; a plugin without variants has one without a name.
    pub variants: Vec<VariantView>,
    /// The variant used when LAE's Learning is off, if it differs from the default.
    pub without_learning: Option<String>,
    /// Whether a new PET leaves the backbone's output unchanged.
    pub starts_as_identity: bool,
    /// How it fits the chosen blocks, if blocks were given.
    pub fit: Option<FitView>,
}

/// A parameter of a plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterView {
    /// The name in the equations.
    pub name: String,
    /// The shape, for example "d × r".
    pub shape: String,
    /// The initialisation, for example "kaiming_uniform".
    pub init: String,
    /// Whether it is never trained.
    pub fixed: bool,
    /// Whether there is one copy per site.
    pub per_site: bool,
    /// Whether all blocks share it.
    pub shared: bool,
    /// A one-line description.
    pub meaning: String,
}

/// A variant of a plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantView {
    /// The name; empty for a plugin without variants.
    pub name: String,
    /// A one-line description.
    pub meaning: String,
    /// Parameters that this variant does not train.
    pub fixed: Vec<String>,
    /// The equations; sites with the same equation share an entry.
    pub equations: Vec<EquationView>,
    /// Linear layers into which the equations can be folded.
    #[serde(default)]
    pub folds: Vec<String>,
}

/// An equation and its sites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquationView {
    /// The sites with this equation.
    pub sites: Vec<String>,
    /// The steps: name (empty for a single expression) and expression; the last is the result.
    pub steps: Vec<(String, String)>,
}

/// How a plugin fits the chosen blocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitView {
    /// The sites in use.
    pub sites: Vec<String>,
    /// Number of trained values in all blocks together.
    pub trained: usize,
    /// Why it does not fit; `None` if it fits.
    pub problem: Option<Problem>,
}

/// Blocks on which plugins are laid out.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// The shapes of all blocks of the backbone.
    pub shapes: &'a [BlockShape],
    /// The indices of the chosen blocks.
    pub chosen: &'a [usize],
    /// The chosen sizes, constants and variant.
    pub settings: &'a PetSettings,
}

impl PluginLibrary {
    /// Returns all plugins as plain data; if `blocks` are given, with how each fits them.
    pub fn view(&self, blocks: Option<Blocks<'_>>) -> Vec<PluginFacts> {
        self.entries().iter().map(|entry| PluginFacts::new(entry, blocks)).collect()
    }
}

impl PluginFacts {
    /// Returns the data of a plugin.
    pub fn new(entry: &PluginEntry, blocks: Option<Blocks<'_>>) -> Self {
        let base = Self {
            name: entry.name.clone(),
            origin: entry.origin.clone(),
            path: entry.path.clone(),
            text: entry.text.to_string(),
            hides: entry.hides,
            ..Self::default()
        };
        match &entry.spec {
            Err(problem) => Self { problem: Some(problem.clone()), ..base },
            Ok(spec) => Self {
                description: spec.description.clone(),
                reference: spec.reference.clone(),
                sites: spec.sites.iter().map(|set| names(set).join(" + ")).collect(),
                sizes: spec.sizes.clone(),
                constants: spec.constants.clone(),
                parameters: parameters(spec),
                variants: variants(spec),
                without_learning: spec.without_learning.clone(),
                starts_as_identity: spec.starts_as_identity,
                fit: blocks.map(|blocks| fit(spec, blocks)),
                ..base
            },
        }
    }
}

fn names(sites: &[super::Site]) -> Vec<String> {
    sites.iter().map(|site| site.name().to_owned()).collect()
}

impl VariantView {
    /// Returns a sentence about the layers that the equations are folded into in prediction; `None` if there are
    /// none.
    pub fn folded(&self) -> Option<String> {
        let sites = join_some(&self.folds, 8);
        (!self.folds.is_empty()).then(|| tr!("editor-on-merges-weights", sites))
    }
}

fn parameters(spec: &PetSpec) -> Vec<ParameterView> {
    let extent = |extent: &Extent| match extent {
        Extent::Count(count) => count.to_string(),
        Extent::Symbol(text) | Extent::Formula(text, _) => text.clone(),
    };
    let view = |parameter: &super::spec::ParameterSpec| ParameterView {
        name: parameter.name.clone(),
        shape: parameter.shape.each_ref().map(extent).join(" × "),
        init: parameter.init.display_text(),
        fixed: parameter.fixed,
        per_site: parameter.per_site,
        shared: parameter.shared,
        meaning: parameter.meaning.clone(),
    };
    spec.parameters.iter().map(view).collect()
}

/// Returns the variants of a plugin, the default one first.
pub fn variants(spec: &PetSpec) -> Vec<VariantView> {
    let view = |variant: &super::spec::PetVariant| {
        let mut equations: Vec<EquationView> = Vec::new();
        for (site, program) in &variant.equations {
            let steps = program.steps().iter().map(|step| &step.text);
            let steps: Vec<(String, String)> =
                steps.map(|step| (step.name.clone(), step.text.clone())).collect();
            let name = site.name().to_owned();
            match equations.iter_mut().find(|known| known.steps == steps) {
                Some(known) => known.sites.push(name),
                None => equations.push(EquationView { sites: vec![name], steps }),
            }
        }
        VariantView {
            name: variant.name.clone(),
            meaning: variant.meaning.clone(),
            fixed: variant.fixed.clone(),
            equations,
            folds: names(&spec.foldable_sites(variant)),
        }
    };
    spec.variants.iter().map(view).collect()
}

fn fit(spec: &PetSpec, blocks: Blocks<'_>) -> FitView {
    let found = spec.matching_sites(blocks.shapes, blocks.chosen).and_then(|sites| {
        let settings = spec.supported_settings(blocks.settings);
        let trained = spec.parameter_count(blocks.shapes, blocks.chosen, &settings)?;
        Ok((names(sites), trained))
    });
    match found {
        Ok((sites, trained)) => FitView { sites, trained, problem: None },
        Err(problem) => FitView { problem: Some(problem), ..FitView::default() },
    }
}
