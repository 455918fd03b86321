//! A parsed and checked PET plugin: sizes, parameters, sites, variants and their compiled equations. It also
//! computes, for given blocks, the sites, the layout and the parameter count.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::equation::Program;
use super::init::Init;
use super::numbers::{ConstantSpec, number_symbols};
pub use super::numbers::{Extent, MAIN_SIZE, SizeSpec};
use super::rng_streams::StreamScheme;
use super::site::{BLOCK_SYMBOLS, BlockShape, Site};
use super::source::{Checked, PluginText};
use crate::expression::Diagnostic;
use crate::message;
use crate::names::truncated_name;
use crate::problem::{Problem, Result, list_value};

/// A parameter as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Its name in the equations.
    pub name: String,
    /// Rows and columns.
    pub shape: [Extent; 2],
    /// Its initial values.
    pub init: Init,
    /// Never trained, in any variant.
    pub fixed: bool,
    /// One copy per site instead of one per block.
    pub per_site: bool,
    /// One copy for all blocks; with `per_site`, one per site.
    pub shared: bool,
    /// A one-line description; may be empty.
    pub meaning: String,
    /// The position of its declaration in the file.
    pub(super) span: Range<usize>,
}

/// A variant of the PET: its equations, and the parameters it does not train.
#[derive(Clone, Debug)]
pub struct PetVariant {
    /// Name; empty for a plugin without variants.
    pub name: String,
    /// A one-line description; may be empty.
    pub meaning: String,
    /// Parameters that keep their initial values in this variant.
    pub fixed: Vec<String>,
    /// The equation of each site.
    pub equations: BTreeMap<Site, Arc<Program>>,
}

/// A checked plugin.
#[derive(Clone, Debug)]
pub struct PetSpec {
    /// The display name; compared case-insensitively.
    pub name: String,
    /// A description of one paragraph.
    pub description: String,
    /// A reference to the paper.
    pub reference: String,
    /// Exact text and origin of the file.
    pub source: PluginText,
    /// Integers that users can choose; the main one, `size`, is first.
    pub sizes: Vec<SizeSpec>,
    /// Numbers that need not be integers.
    pub constants: Vec<ConstantSpec>,
    /// Parameters in the order of the file.
    pub parameters: Vec<ParameterSpec>,
    /// Sets of sites in order of preference; the sites of a set are used together.
    pub sites: Vec<Vec<Site>>,
    /// The variants; the first is the default.
    pub variants: Vec<PetVariant>,
    /// The variant used when LAE's Learning is off, if it differs from the default.
    pub without_learning: Option<String>,
    /// Whether a new PET leaves the backbone's output unchanged (determined by evaluating it).
    pub starts_as_identity: bool,
}

/// The user's choices for a plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PetSettings {
    /// Sizes by name; missing ones have their default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, usize>,
    /// Constants by name; missing ones have their default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, f64>,
    /// The variant; `None` for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// How random streams are derived.
    #[serde(skip)]
    pub drawing: StreamScheme,
}

impl PetSettings {
    /// Returns settings with this main size and defaults otherwise.
    pub fn with_size(size: usize) -> Self {
        Self { sizes: BTreeMap::from([(MAIN_SIZE.to_owned(), size)]), ..Self::default() }
    }
}

impl PetSpec {
    /// Checks that each parameter is used in some variant.
    pub(super) fn check_all_used(&self) -> Checked<()> {
        let variants = self.variants.iter();
        let programs: Vec<&Arc<Program>> =
            variants.flat_map(|variant| variant.equations.values()).collect();
        if programs.is_empty() {
            return Err(Diagnostic::new(0..0, message!("problem-plugin-without-equation")));
        }
        let unused =
            |(at, _): &(usize, _)| !programs.iter().any(|program| program.uses_parameter(*at));
        match self.parameters.iter().enumerate().find(unused) {
            None => Ok(()),
            Some((_, parameter)) => {
                let message = message!("problem-parameter-unused", name = &parameter.name);
                Err(Diagnostic::new(parameter.span.clone(), message))
            }
        }
    }

    /// Returns the exact text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// Returns the first set of sites that all these blocks offer.
    ///
    /// # Errors
    /// Returns a Problem with the missing site and its block, or for a block that does not exist.
    pub fn matching_sites(&self, shapes: &[BlockShape], blocks: &[usize]) -> Result<&[Site]> {
        let mut lacking = None;
        for sites in &self.sites {
            let missing = blocks.iter().find_map(|&block| {
                let offered = shapes.get(block).map_or(&[][..], |shape| shape.sites);
                let site = sites.iter().find(|site| !offered.contains(site))?;
                Some((block, *site, offered))
            });
            match missing {
                None => return Ok(sites),
                Some(missing) => lacking = lacking.or(Some(missing)),
            }
        }
        let count = shapes.len();
        if let Some(block) = blocks.iter().find(|&&block| block >= count) {
            return Err(Problem::new(message!(
                "problem-block-not-found",
                block = block.to_string(),
                count = count.to_string()
            ))
            .advise(message!("advice-choose-blocks-below", count = count.to_string())));
        }
        let (block, site, offered) = lacking.unwrap_or((0, Site::Block, &[]));
        let offered: Vec<&str> = offered.iter().map(|site| site.name()).collect();
        Err(Problem::new(message!(
            "problem-block-without-site",
            name = &self.name,
            name2 = site.name(),
            block = block.to_string()
        ))
        .advise(message!("advice-choose-pet-for-sites", offered = list_value(&offered, 12))))
    }

    /// Returns the number of trainable parameters in these blocks.
    ///
    /// # Errors
    /// As [`PetSpec::matching_sites`], and for sizes out of range.
    pub fn parameter_count(
        &self,
        shapes: &[BlockShape],
        blocks: &[usize],
        settings: &PetSettings,
    ) -> Result<usize> {
        let layout = self.layout(settings, shapes, blocks)?;
        Ok(layout.trained_elements())
    }

    /// Returns the settings without the sizes and the variant that this plugin does not have.
    pub fn supported_settings(&self, settings: &PetSettings) -> PetSettings {
        let sizes = settings.sizes.iter();
        let is_known = |name: &str| self.sizes.iter().any(|size| size.name == name);
        let known_sizes = sizes.filter(|(name, _)| is_known(name));
        let variant = settings.variant.as_deref();
        PetSettings {
            sizes: known_sizes.map(|(name, value)| (name.clone(), *value)).collect(),
            constants: settings.constants.clone(),
            variant: variant
                .filter(|name| self.variant_index(Some(name)).is_ok())
                .map(str::to_owned),
            drawing: settings.drawing,
        }
    }

    /// Returns the default of the main size; `None` for a plugin without sizes.
    pub fn default_size(&self) -> Option<usize> {
        let main = self.sizes.iter().find(|size| size.name == MAIN_SIZE);
        main.map(|size| size.default)
    }

    /// Returns whether there is a main size.
    pub fn is_sized(&self) -> bool {
        self.default_size().is_some()
    }

    /// Returns the index of a variant; the default one for `None`.
    pub(super) fn variant_index(&self, name: Option<&str>) -> Result<usize> {
        let Some(name) = name else { return Ok(0) };
        self.variants.iter().position(|variant| variant.name == name).ok_or_else(|| {
            let diagnostic = self.unknown_variant(name);
            Problem::new(diagnostic.what_text()).advise(diagnostic.remedy())
        })
    }

    /// Returns the error for an unknown variant.
    pub(super) fn unknown_variant(&self, name: &str) -> Diagnostic {
        let message =
            message!("problem-variant-not-found", name = &self.name, name2 = truncated_name(name));
        let known = self.variants.iter().map(|variant| variant.name.as_str());
        Diagnostic::new(0..0, message).suggest_name(name, known.filter(|name| !name.is_empty()))
    }

    /// Returns the symbols of numbers in equations and shapes: those of the block, then those of the plugin.
    pub(super) fn symbols(&self) -> Vec<String> {
        let block = BLOCK_SYMBOLS.iter().map(|(symbol, _)| (*symbol).to_owned());
        let plugin_symbols = number_symbols(&self.sizes, &self.constants);
        block.chain(plugin_symbols).collect()
    }
}
