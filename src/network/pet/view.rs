//! Plugins as plain data for the window and the command line: no tensors, no compiled equations.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::library::{PluginEntry, PluginLibrary};
use super::numbers::{ConstantSpec, SizeSpec};
use super::site::BlockShape;
use super::spec::{Extent, PetSettings, PetSpec};
use crate::problem::{Problem, listed};
use crate::tr;

/// What is shown of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PluginFacts {
    /// Name.
    pub name: String,
    /// File path, or "built in".
    pub origin: String,
    /// The file, unless embedded.
    pub path: Option<PathBuf>,
    /// Whether it may, where it takes the place of a built-in plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hides: Option<bool>,
    /// What is wrong with it; the fields below `text` are empty then.
    pub problem: Option<Problem>,
    /// Exact text of the file.
    pub text: String,
    /// One paragraph.
    pub description: String,
    /// The paper.
    pub reference: String,
    /// Sets of sites in order of preference, for example "attention" or "key + value".
    pub sites: Vec<String>,
    /// Numbers the user may choose.
    pub sizes: Vec<SizeSpec>,
    /// Numbers of its equations; those with a range may be chosen.
    pub constants: Vec<ConstantSpec>,
    /// Parameters.
    pub parameters: Vec<ParameterView>,
    /// Forms; one without a name if there is only one.
    pub variants: Vec<VariantView>,
    /// The form used when LAE's Learning is switched off; the default one if missing.
    pub without_learning: Option<String>,
    /// Whether a fresh PET leaves the backbone's output as it is.
    pub starts_as_identity: bool,
    /// How it fits the chosen blocks, when a backbone was given.
    pub fit: Option<FitView>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterView {
    /// Name in the equations.
    pub name: String,
    /// For example "d × r".
    pub shape: String,
    /// For example "kaiming_uniform".
    pub init: String,
    /// Never trained.
    pub fixed: bool,
    /// One copy per site.
    pub per_site: bool,
    /// One for all blocks.
    pub shared: bool,
    /// One line.
    pub meaning: String,
}

/// One form of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantView {
    /// Name.
    pub name: String,
    /// One line.
    pub meaning: String,
    /// Parameters it leaves untrained.
    pub fixed: Vec<String>,
    /// Equations; sites with the same one share an entry.
    pub equations: Vec<EquationView>,
    /// Linear layers into which they can be folded.
    #[serde(default)]
    pub folds: Vec<String>,
}

/// An equation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquationView {
    /// Sites it serves.
    pub sites: Vec<String>,
    /// Steps: name (empty for a single expression) and expression; the last is the result.
    pub steps: Vec<(String, String)>,
}

/// A plugin on the chosen blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitView {
    /// Sites in use.
    pub sites: Vec<String>,
    /// Trained values in all blocks together.
    pub trained: usize,
    /// Why it does not fit.
    pub problem: Option<Problem>,
}

/// Blocks to try the plugins on.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// The backbone's blocks.
    pub shapes: &'a [BlockShape],
    /// The chosen ones.
    pub chosen: &'a [usize],
    /// Sizes and variant.
    pub settings: &'a PetSettings,
}

impl PluginLibrary {
    /// All plugins as plain data; with `blocks`, how each fits them.
    pub fn view(&self, blocks: Option<Blocks<'_>>) -> Vec<PluginFacts> {
        self.entries()
            .iter()
            .map(|entry| PluginFacts::of(entry, blocks))
            .collect()
    }
}

impl PluginFacts {
    /// One plugin as plain data.
    pub fn of(entry: &PluginEntry, blocks: Option<Blocks<'_>>) -> Self {
        let base = Self {
            name: entry.name.clone(),
            origin: entry.origin.clone(),
            path: entry.path.clone(),
            text: entry.text.to_string(),
            hides: entry.hides,
            ..Self::default()
        };
        match &entry.spec {
            Err(problem) => Self {
                problem: Some(problem.clone()),
                ..base
            },
            Ok(spec) => Self {
                description: spec.description.clone(),
                reference: spec.reference.clone(),
                sites: spec
                    .sites
                    .iter()
                    .map(|set| names(set).join(" + "))
                    .collect(),
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
    /// What predictions make of it, as a sentence; `None` if its equations are linear at no layer.
    pub fn folded(&self) -> Option<String> {
        let sites = listed(&self.folds, 8);
        (!self.folds.is_empty()).then(|| tr!("editor-on-merges-weights", sites = sites))
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
        init: parameter.init.shown(),
        fixed: parameter.fixed,
        per_site: parameter.per_site,
        shared: parameter.shared,
        meaning: parameter.meaning.clone(),
    };
    spec.parameters.iter().map(view).collect()
}

/// The forms of a plugin, the usual one first.
pub fn variants(spec: &PetSpec) -> Vec<VariantView> {
    let view = |variant: &super::spec::PetVariant| {
        let mut equations: Vec<EquationView> = Vec::new();
        for (site, program) in &variant.equations {
            let steps = program.steps().iter().map(|step| &step.text);
            let steps: Vec<(String, String)> = steps
                .map(|step| (step.name.clone(), step.text.clone()))
                .collect();
            let name = site.name().to_owned();
            match equations.iter_mut().find(|known| known.steps == steps) {
                Some(known) => known.sites.push(name),
                None => equations.push(EquationView {
                    sites: vec![name],
                    steps,
                }),
            }
        }
        VariantView {
            name: variant.name.clone(),
            meaning: variant.meaning.clone(),
            fixed: variant.fixed.clone(),
            equations,
            folds: names(&spec.foldable(variant)),
        }
    };
    spec.variants.iter().map(view).collect()
}

fn fit(spec: &PetSpec, blocks: Blocks<'_>) -> FitView {
    let found = spec.fits(blocks.shapes, blocks.chosen).and_then(|sites| {
        let own = spec.known_settings(blocks.settings);
        let trained = spec.parameter_count(blocks.shapes, blocks.chosen, &own)?;
        Ok((names(sites), trained))
    });
    match found {
        Ok((sites, trained)) => FitView {
            sites,
            trained,
            problem: None,
        },
        Err(problem) => FitView {
            sites: Vec::new(),
            trained: 0,
            problem: Some(problem),
        },
    }
}
