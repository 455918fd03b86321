//! A PET plugin after reading and checking: sizes, parameters, sites, variants and their compiled
//! equations; and what follows from them for given blocks (fit, layout, parameter count).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::drawing::Drawing;
use super::equation::Program;
use super::init::Init;
use super::numbers::{ConstantSpec, symbols_of};
pub use super::numbers::{Extent, MAIN_SIZE, SizeSpec};
use super::site::{BLOCK_SYMBOLS, BlockShape, Site};
use super::source::{Checked, PluginText};
use crate::expression::Diagnostic;
use crate::message;
use crate::names::shortened;
use crate::problem::{Problem, Result, some_of};

/// A parameter as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Its name in the equations.
    pub name: String,
    /// Rows and columns.
    pub shape: [Extent; 2],
    /// How it starts.
    pub init: Init,
    /// Never trained, in any variant.
    pub fixed: bool,
    /// One copy for every site in use instead of one for the block.
    pub per_site: bool,
    /// One for all blocks; with `per_site`, one for each site.
    pub shared: bool,
    /// One line; may be empty.
    pub meaning: String,
    /// Its declaration in the file.
    pub(super) span: Range<usize>,
}

/// One form of the method: its equations and which parameters it leaves untrained.
#[derive(Clone, Debug)]
pub struct PetVariant {
    /// Name; empty for a plugin with one form.
    pub name: String,
    /// One line; may be empty.
    pub meaning: String,
    /// Parameters that this form leaves at their starting values.
    pub fixed: Vec<String>,
    /// The equation of each site.
    pub equations: BTreeMap<Site, Arc<Program>>,
}

/// A checked plugin.
#[derive(Clone, Debug)]
pub struct PetSpec {
    /// The method's name as shown; matched without regard to case.
    pub name: String,
    /// One paragraph.
    pub description: String,
    /// The paper.
    pub reference: String,
    /// Exact text and origin of the file.
    pub source: PluginText,
    /// Numbers the user may choose; the main one, `size`, first.
    pub sizes: Vec<SizeSpec>,
    /// Numbers that need not be whole.
    pub constants: Vec<ConstantSpec>,
    /// Parameters in the order of the file.
    pub parameters: Vec<ParameterSpec>,
    /// Sets of sites in order of preference; the sites of a set act together.
    pub sites: Vec<Vec<Site>>,
    /// The forms; the first is the default.
    pub variants: Vec<PetVariant>,
    /// The form used when LAE's Learning is switched off, if it differs from the default.
    pub without_learning: Option<String>,
    /// Whether a fresh PET leaves the backbone's output as it is (found by trying).
    pub starts_as_identity: bool,
}

/// What the user chose for a plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PetSettings {
    /// Size name → value; what is missing takes its default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, usize>,
    /// Constant → value; what is missing takes its default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, f64>,
    /// Variant name; the default one when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// What its random draws are kept apart by.
    #[serde(skip)]
    pub drawing: Drawing,
}

impl PetSettings {
    /// The main size and otherwise defaults.
    pub fn of_size(size: usize) -> Self {
        Self {
            sizes: BTreeMap::from([(MAIN_SIZE.to_owned(), size)]),
            ..Self::default()
        }
    }
}

impl PetSpec {
    /// Refuses a parameter that no form uses.
    pub(super) fn all_used(&self) -> Checked<()> {
        let forms = self.variants.iter();
        let programs: Vec<&Arc<Program>> = forms.flat_map(|form| form.equations.values()).collect();
        if programs.is_empty() {
            return Err(Diagnostic::new(
                0..0,
                message!("problem-plugin-without-equation"),
            ));
        }
        let unused =
            |(at, _): &(usize, _)| !programs.iter().any(|program| program.uses_parameter(*at));
        match self.parameters.iter().enumerate().find(unused) {
            None => Ok(()),
            Some((_, parameter)) => {
                let what = message!(
                    "problem-parameter-unused",
                    name = parameter.name.to_string()
                );
                Err(Diagnostic::new(parameter.span.clone(), what))
            }
        }
    }

    /// The exact text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The first set of sites that all these blocks offer.
    ///
    /// # Errors
    /// Says which site is missing where, or that a block does not exist.
    pub fn fits(&self, shapes: &[BlockShape], blocks: &[usize]) -> Result<&[Site]> {
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
            .advise(message!(
                "advice-choose-blocks-below",
                count = count.to_string()
            )));
        }
        let (block, site, offered) = lacking.unwrap_or((0, Site::Block, &[]));
        let offered: Vec<&str> = offered.iter().map(|site| site.name()).collect();
        Err(Problem::new(message!(
            "problem-block-without-site",
            name = self.name.to_string(),
            name2 = site.name().to_string(),
            block = block.to_string()
        ))
        .advise(message!(
            "advice-choose-pet-for-sites",
            offered = some_of(&offered, 12)
        )))
    }

    /// Number of trained values in these blocks.
    ///
    /// # Errors
    /// As [`PetSpec::fits`], and for sizes outside their range.
    pub fn parameter_count(
        &self,
        shapes: &[BlockShape],
        blocks: &[usize],
        settings: &PetSettings,
    ) -> Result<usize> {
        let layout = self.layout(settings, shapes, blocks)?;
        Ok(layout
            .own_slots()
            .filter(|slot| slot.trained)
            .map(|slot| slot.shape[0] * slot.shape[1])
            .sum())
    }

    /// The part of the settings that this plugin knows; sizes and variants of another plugin are
    /// left out.
    pub fn known_settings(&self, settings: &PetSettings) -> PetSettings {
        let sizes = settings.sizes.iter();
        let known = |name: &str| self.sizes.iter().any(|size| size.name == name);
        let own = sizes.filter(|(name, _)| known(name));
        let variant = settings.variant.as_deref();
        PetSettings {
            sizes: own.map(|(name, value)| (name.clone(), *value)).collect(),
            constants: settings.constants.clone(),
            variant: variant
                .filter(|name| self.variant_index(Some(name)).is_ok())
                .map(str::to_owned),
            drawing: settings.drawing,
        }
    }

    /// The main size when nothing is chosen; `None` for a plugin without sizes.
    pub fn default_size(&self) -> Option<usize> {
        let main = self.sizes.iter().find(|size| size.name == MAIN_SIZE);
        main.map(|size| size.default)
    }

    /// Whether there is a main size to be chosen.
    pub fn is_sized(&self) -> bool {
        self.default_size().is_some()
    }

    /// Position of a variant by name; the default one for `None`.
    pub(super) fn variant_index(&self, name: Option<&str>) -> Result<usize> {
        let Some(name) = name else { return Ok(0) };
        self.variants
            .iter()
            .position(|variant| variant.name == name)
            .ok_or_else(|| {
                let wrong = self.no_variant(name);
                Problem::new(wrong.words()).advise(wrong.remedy())
            })
    }

    /// What is said of a variant that is not there.
    pub(super) fn no_variant(&self, name: &str) -> Diagnostic {
        let what = message!(
            "problem-variant-not-found",
            name = self.name.to_string(),
            name2 = shortened(name).to_string()
        );
        let known = self.variants.iter().map(|variant| variant.name.as_str());
        Diagnostic::new(0..0, what).meant(name, known.filter(|name| !name.is_empty()))
    }

    /// Symbols of numbers in equations and shapes: the block's, then the plugin's sizes.
    pub(super) fn symbols(&self) -> Vec<String> {
        let block = BLOCK_SYMBOLS.iter().map(|(symbol, _)| (*symbol).to_owned());
        let own = symbols_of(&self.sizes, &self.constants);
        block.chain(own).collect()
    }
}
