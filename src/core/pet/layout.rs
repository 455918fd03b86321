//! A plugin laid out over chosen blocks: the tensors each block gets (name, shape, start, trained)
//! and what every variable of its equations is bound to.

use std::collections::BTreeMap;

use super::drawing::Drawing;
use super::equation::{Binding, Meaning, Variable};
use super::init::Init;
use super::site::{BlockShape, Site};
use super::spec::{Extent, ParameterSpec, PetSettings, PetSpec};
use crate::expression::Diagnostic;
use crate::problem::{Result, listed};

/// More elements than this in one parameter, or in all parameters of one block, are taken for a
/// mistake: a plugin's text alone must not be able to fill the memory.
const MOST_ELEMENTS: usize = 1 << 26;

/// One tensor of a block's PET.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// "BLOCK.parameter" or "BLOCK.site.parameter".
    pub name: String,
    pub shape: [usize; 2],
    pub init: Init,
    pub trained: bool,
    /// Keeps its random draw apart from all others of the seed.
    pub stream: u64,
    parameter: usize,
    site: Option<Site>,
}

/// The PET of one block: its tensors, and for every site in use what each variable is.
#[derive(Clone, Debug)]
pub(super) struct BlockLayout {
    pub slots: Vec<Slot>,
    pub bindings: BTreeMap<Site, Vec<Binding>>,
}

/// The PETs of all chosen blocks.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub variant: usize,
    /// What random draws are kept apart by.
    pub drawing: Drawing,
    pub blocks: BTreeMap<usize, BlockLayout>,
}

impl Layout {
    /// Number of elements of all parameters.
    pub(super) fn elements(&self) -> usize {
        let slots = self.blocks.values().flat_map(|block| &block.slots);
        slots.map(|slot| slot.shape[0] * slot.shape[1]).sum()
    }
}

impl PetSpec {
    /// Shapes, names and bindings for the chosen blocks.
    pub(super) fn layout(
        &self,
        settings: &PetSettings,
        shapes: &[BlockShape],
        blocks: &[usize],
    ) -> Result<Layout> {
        let variant = self.variant_index(settings.variant.as_deref())?;
        let sizes = self.sizes(&settings.sizes)?;
        let sites = self.fits(shapes, blocks)?;
        let at = (variant, settings.drawing);
        self.layout_at(at, &sizes, sites, shapes, blocks)
            .map_err(|wrong| self.source.problem(&wrong))
    }

    /// The same for a form, sizes and sites that are known to fit; what is wrong with a parameter then.
    pub(super) fn layout_at(
        &self,
        (variant, drawing): (usize, Drawing),
        sizes: &BTreeMap<&str, usize>,
        sites: &[Site],
        shapes: &[BlockShape],
        blocks: &[usize],
    ) -> Result<Layout, Diagnostic> {
        let of_block = |&block: &usize| {
            let at = (variant, drawing);
            let layout = self.block_layout(at, sizes, sites, block, &shapes[block])?;
            Ok((block, layout))
        };
        Ok(Layout {
            variant,
            drawing,
            blocks: blocks.iter().map(of_block).collect::<Result<_, _>>()?,
        })
    }

    fn block_layout(
        &self,
        (variant, drawing): (usize, Drawing),
        sizes: &BTreeMap<&str, usize>,
        sites: &[Site],
        block: usize,
        shape: &BlockShape,
    ) -> Result<BlockLayout, Diagnostic> {
        let form = &self.variants[variant];
        let mut slots = Vec::new();
        let mut elements = 0usize;
        for (parameter, spec) in self.parameters.iter().enumerate() {
            let used = |site: &&Site| {
                form.equations
                    .get(site)
                    .is_some_and(|program| program.uses_parameter(parameter))
            };
            let users: Vec<Site> = sites.iter().filter(used).copied().collect();
            let copies: Vec<Option<Site>> = match (users.is_empty(), spec.per_site) {
                (true, _) => Vec::new(),
                (false, true) => users.iter().copied().map(Some).collect(),
                (false, false) => vec![None],
            };
            for site in copies {
                let at = site.as_ref().map_or(users.as_slice(), std::slice::from_ref);
                let extent = |which: usize| {
                    self.extent(&spec.shape[which], sizes, shape, at)
                        .map_err(|reason| self.misshapen(spec, block, &reason))
                };
                let dims = [extent(0)?, extent(1)?];
                elements = elements.saturating_add(dims[0].saturating_mul(dims[1]));
                if elements > MOST_ELEMENTS {
                    let reason = format!(
                        "it would be {}×{}, with which the block's PET is too large",
                        dims[0], dims[1]
                    );
                    return Err(self.misshapen(spec, block, &reason));
                }
                let name = match site {
                    Some(site) => format!("{block}.{}.{}", site.name(), spec.name),
                    None => format!("{block}.{}", spec.name),
                };
                slots.push(Slot {
                    stream: drawing.of_parameter(&name, (block, parameter, site)),
                    name,
                    shape: dims,
                    init: spec.init,
                    trained: !spec.fixed && !form.fixed.contains(&spec.name),
                    parameter,
                    site,
                });
            }
        }
        let bind = |&site: &Site| {
            let program = form.equations.get(&site)?;
            let bindings = program
                .variables()
                .iter()
                .map(|variable| binding(variable, site, &slots, sizes, shape));
            Some((site, bindings.collect()))
        };
        let bindings = sites.iter().filter_map(bind).collect();
        Ok(BlockLayout { slots, bindings })
    }

    fn extent(
        &self,
        extent: &Extent,
        sizes: &BTreeMap<&str, usize>,
        shape: &BlockShape,
        sites: &[Site],
    ) -> Result<usize, String> {
        match extent {
            Extent::Count(count) => Ok(*count),
            Extent::Symbol(symbol) => match number(symbol, sizes, shape, sites)? {
                0 => Err(format!("`{symbol}` is 0 there")),
                count => Ok(count),
            },
        }
    }

    fn misshapen(&self, spec: &ParameterSpec, block: usize, reason: &str) -> Diagnostic {
        let what = format!("the shape of `{}` in block {block}: {reason}", spec.name);
        Diagnostic::new(spec.span.clone(), what)
    }
}

/// What a variable is at a site of the block.
fn binding(
    (name, meaning): &Variable,
    site: Site,
    slots: &[Slot],
    sizes: &BTreeMap<&str, usize>,
    shape: &BlockShape,
) -> Binding {
    match *meaning {
        Meaning::Input(at) => Binding::Input(at),
        Meaning::Step(at) => Binding::Step(at),
        // The equation was compiled over these symbols, so each has a value.
        Meaning::Number => {
            let value = number(name, sizes, shape, &[site]).unwrap_or(0);
            Binding::Number(value as f64)
        }
        Meaning::Parameter(parameter) => {
            let belongs = |slot: &Slot| {
                slot.parameter == parameter && slot.site.is_none_or(|own| own == site)
            };
            Binding::Parameter(slots.iter().position(belongs).unwrap_or(usize::MAX))
        }
    }
}

/// The value of a symbol at these sites of a block.
fn number(
    symbol: &str,
    sizes: &BTreeMap<&str, usize>,
    shape: &BlockShape,
    sites: &[Site],
) -> Result<usize, String> {
    let agreed = |pick: fn((usize, usize)) -> usize| {
        let mut found: Vec<usize> = sites
            .iter()
            .map(|site| pick(site.channels(shape)))
            .collect();
        found.sort_unstable();
        found.dedup();
        match found.as_slice() {
            [one] => Ok(*one),
            _ => Err(format!(
                "`{symbol}` differs between its sites ({}); declare the parameter with per_site = true",
                listed(&found.iter().map(usize::to_string).collect::<Vec<_>>(), 6)
            )),
        }
    };
    match symbol {
        "d" => Ok(shape.width),
        "d_in" => agreed(|(input, _)| input),
        "d_out" => agreed(|(_, output)| output),
        "hidden" => Ok(shape.hidden),
        "heads" => Ok(shape.heads),
        "head_width" => Ok(shape.width.checked_div(shape.heads).unwrap_or(0)),
        other => sizes
            .get(other)
            .copied()
            .ok_or_else(|| format!("`{other}` is unknown")),
    }
}
