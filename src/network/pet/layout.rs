//! The layout of a plugin over the chosen blocks: the tensors of each block (name, shape, initial values, trained or
//! fixed) and the bindings of the variables of its equations.

use std::collections::BTreeMap;

use super::equation::{Binding, InferredShapes, Meaning, Program, Variable};
use super::init::Init;
use super::numbers::Extent;
use super::numbers::{Numbers, evaluate_formula};
use super::rng_streams::StreamScheme;
use super::shape::{Shape, to_count};
use super::site::{BlockShape, Site};
use super::spec::{ParameterSpec, PetSettings, PetSpec};
use crate::expression::Diagnostic;
use crate::message;
use crate::problem::{Result, list_value};
use crate::texts::Message;

/// Largest number of elements of all parameters of a block. Without a limit, the text of a plugin could exhaust the
/// memory.
const MAX_ELEMENTS: usize = 1 << 26;
/// Replaces the block number in the name of a tensor that all blocks share.
const ALL_BLOCKS: &str = "all";

/// A tensor of a block's PET.
#[derive(Clone, Debug)]
pub(super) struct ParameterSlot {
    /// "BLOCK.parameter" or "BLOCK.site.parameter"; "all" replaces the block number if all blocks share the tensor.
    pub name: String,
    pub shape: [usize; 2],
    pub init: Init,
    pub trained: bool,
    /// Whether all blocks share the tensor.
    pub shared: bool,
    /// Whether the tensor is that of the same name in an earlier block.
    pub repeated: bool,
    /// The random stream of the initial values; distinguishes draws with the same seed.
    pub stream: u64,
    pub parameter: usize,
    pub site: Option<Site>,
}

/// The PET of one block: its tensors, and the bindings of the equation at each site in use.
#[derive(Clone, Debug)]
pub(super) struct BlockLayout {
    pub slots: Vec<ParameterSlot>,
    pub bindings: BTreeMap<Site, Vec<Binding>>,
}

/// The PETs of all chosen blocks.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub variant: usize,
    /// How random streams are derived.
    pub stream_scheme: StreamScheme,
    pub blocks: BTreeMap<usize, BlockLayout>,
}

impl Layout {
    /// Returns the number of elements of all parameters; a shared tensor is counted once.
    pub(super) fn elements(&self) -> usize {
        let unique = self.unique_slots();
        unique.map(|slot| slot.shape[0] * slot.shape[1]).sum()
    }

    /// Returns the number of elements of all trained parameters.
    pub(super) fn trained_elements(&self) -> usize {
        let trained = self.unique_slots().filter(|slot| slot.trained);
        trained.map(|slot| slot.shape[0] * slot.shape[1]).sum()
    }

    /// Returns all slots; a tensor that blocks share appears once.
    pub(super) fn unique_slots(&self) -> impl Iterator<Item = &ParameterSlot> {
        let slots = self.blocks.values().flat_map(|block| &block.slots);
        slots.filter(|slot| !slot.repeated)
    }
}

impl PetSpec {
    /// Returns the layout for the chosen blocks: the shapes, names and bindings of the tensors.
    pub(super) fn layout(
        &self,
        settings: &PetSettings,
        shapes: &[BlockShape],
        blocks: &[usize],
    ) -> Result<Layout> {
        let variant = self.variant_index(settings.variant.as_deref())?;
        let sizes = self.resolve_numbers(settings)?;
        let sites = self.matching_sites(shapes, blocks)?;
        self.layout_at((variant, settings.drawing), &sizes, sites, shapes, blocks)
            .map_err(|diagnostic| self.source.to_problem(&diagnostic))
    }

    /// Like [`PetSpec::layout`], for a variant, sizes and sites that are known to be valid. The error says which
    /// parameter has an invalid shape.
    pub(super) fn layout_at(
        &self,
        (variant, stream_scheme): (usize, StreamScheme),
        sizes: &Numbers<'_>,
        sites: &[Site],
        shapes: &[BlockShape],
        blocks: &[usize],
    ) -> Result<Layout, Diagnostic> {
        let layout_block = |&block: &usize| {
            let shape = &shapes[block];
            let layout = self.block_layout((variant, stream_scheme), sizes, sites, block, shape)?;
            Ok((block, layout))
        };
        let mut blocks = blocks.iter().map(layout_block).collect::<Result<_, _>>()?;
        self.mark_shared(&mut blocks)?;
        Ok(Layout { variant, stream_scheme, blocks })
    }

    /// Marks the slots that repeat a tensor of an earlier block; returns an error if their shapes differ.
    fn mark_shared(&self, blocks: &mut BTreeMap<usize, BlockLayout>) -> Result<(), Diagnostic> {
        let mut first: BTreeMap<String, (usize, [usize; 2])> = BTreeMap::new();
        for (&block, layout) in blocks {
            for slot in &mut layout.slots {
                let spec = &self.parameters[slot.parameter];
                if !spec.shared {
                    continue;
                }
                let current = (block, slot.shape);
                let (earlier, shape) = *first.entry(slot.name.clone()).or_insert(current);
                slot.repeated = earlier != block;
                if shape != slot.shape {
                    let ([a, b], [c, d]) = (shape, slot.shape);
                    let reason = message!(
                        "problem-shared-shapes-differ",
                        own = format!("{c}×{d}"),
                        other = format!("{a}×{b}"),
                        block = earlier.to_string()
                    );
                    return Err(self.shape_error(spec, block, reason));
                }
            }
        }
        Ok(())
    }

    fn block_layout(
        &self,
        (variant, stream_scheme): (usize, StreamScheme),
        sizes: &Numbers<'_>,
        sites: &[Site],
        block: usize,
        shape: &BlockShape,
    ) -> Result<BlockLayout, Diagnostic> {
        let form = &self.variants[variant];
        let mut slots = Vec::new();
        let mut elements = 0usize;
        for (parameter, spec) in self.parameters.iter().enumerate() {
            let used = |site: &&Site| {
                form.equations.get(site).is_some_and(|program| program.uses_parameter(parameter))
            };
            let users: Vec<Site> = sites.iter().filter(used).copied().collect();
            let copies: Vec<Option<Site>> = match (users.is_empty(), spec.per_site) {
                (true, _) => Vec::new(),
                (false, true) => users.iter().copied().map(Some).collect(),
                (false, false) => vec![None],
            };
            for site in copies {
                let used_sites = site.as_ref().map_or(users.as_slice(), std::slice::from_ref);
                let extent = |axis: usize| {
                    self.extent(&spec.shape[axis], sizes, shape, used_sites)
                        .map_err(|reason| self.shape_error(spec, block, reason))
                };
                let dims = [extent(0)?, extent(1)?];
                elements = elements.saturating_add(dims[0].saturating_mul(dims[1]));
                if elements > MAX_ELEMENTS {
                    let shape = format!("{}×{}", dims[0], dims[1]);
                    let reason = message!("problem-pet-of-block-too-large", shape);
                    return Err(self.shape_error(spec, block, reason));
                }
                let (owner, stream_block) = match spec.shared {
                    true => (ALL_BLOCKS.to_owned(), 0),
                    false => (block.to_string(), block),
                };
                let name = match site {
                    Some(site) => format!("{owner}.{}.{}", site.name(), spec.name),
                    None => format!("{owner}.{}", spec.name),
                };
                slots.push(ParameterSlot {
                    shared: spec.shared,
                    repeated: false,
                    stream: stream_scheme.parameter_stream(&name, (stream_block, parameter, site)),
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
        sizes: &Numbers<'_>,
        shape: &BlockShape,
        sites: &[Site],
    ) -> Result<usize, Message> {
        match extent {
            Extent::Count(count) => Ok(*count),
            Extent::Symbol(symbol) => {
                positive_count(symbol, symbol_value(symbol, sizes, shape, sites)?)
            }
            Extent::Formula(text, tree) => {
                let value =
                    evaluate_formula(tree, &|symbol| symbol_value(symbol, sizes, shape, sites));
                positive_count(text, value?)
            }
        }
    }

    fn shape_error(&self, spec: &ParameterSpec, block: usize, reason: Message) -> Diagnostic {
        let message = message!(
            "problem-parameter-shape-invalid",
            name = &spec.name,
            block = block.to_string(),
            reason
        );
        Diagnostic::new(spec.span.clone(), message)
    }
}

/// The equation at a site, evaluated on shapes only.
pub(super) struct SiteShapes<'a> {
    pub site: Site,
    pub program: &'a Program,
    pub inputs: Vec<Shape>,
    pub shapes: InferredShapes,
}

impl PetSpec {
    /// Evaluates the equations of a block on shapes only, for this number of images and of tokens per image.
    pub(super) fn site_shapes(
        &self,
        layout: &Layout,
        (block, shape): (usize, &BlockShape),
        [images, tokens]: [usize; 2],
    ) -> Vec<SiteShapes<'_>> {
        let Some(block_layout) = layout.blocks.get(&block) else {
            return Vec::new();
        };
        let slots: Vec<Shape> = block_layout.slots.iter().map(|slot| slot.shape.to_vec()).collect();
        let (mut found, mut inner_tokens) = (Vec::new(), tokens);
        for site in Site::sorted(block_layout.bindings.keys().copied()) {
            let Some(program) = self.variants[layout.variant].equations.get(&site) else {
                continue;
            };
            let inputs = site.input_shapes(shape, images, [tokens, inner_tokens]);
            let computed = program.shapes(&inputs, &block_layout.bindings[&site], &slots);
            // The result of `input` determines the number of tokens at the other sites.
            let result = computed.result.as_ref().filter(|_| site == Site::Input);
            if let Some(result) = result.filter(|result| site.accepts_result(result, &inputs)) {
                inner_tokens = result[1];
            }
            found.push(SiteShapes { site, program, inputs, shapes: computed });
        }
        found
    }
}

/// Returns the binding of a variable at a site of a block.
fn binding(
    (name, meaning): &Variable,
    site: Site,
    slots: &[ParameterSlot],
    sizes: &Numbers<'_>,
    shape: &BlockShape,
) -> Binding {
    match *meaning {
        Meaning::Input(at) => Binding::Input(at),
        Meaning::Step(at) => Binding::Step(at),
        // The equation was compiled with these symbols, so each has a value.
        Meaning::Number => {
            Binding::Number(symbol_value(name, sizes, shape, &[site]).unwrap_or(0.0))
        }
        Meaning::Parameter(parameter) => {
            let is_bound = |slot: &ParameterSlot| {
                slot.parameter == parameter && slot.site.is_none_or(|own| own == site)
            };
            Binding::Parameter(slots.iter().position(is_bound).unwrap_or(usize::MAX))
        }
    }
}

/// Converts a value to a number of rows or columns; returns an error unless it is a positive integer.
fn positive_count(text: &str, value: f64) -> Result<usize, Message> {
    match to_count(value) {
        Ok(0) => Err(message!("problem-shape-size-zero", text)),
        Ok(count) => Ok(count),
        Err(_) => {
            let value = value.to_string();
            Err(message!("problem-shape-size-invalid", text, value))
        }
    }
}

/// Returns the value of a symbol for a parameter used at these sites of a block.
fn symbol_value(
    symbol: &str,
    sizes: &Numbers<'_>,
    shape: &BlockShape,
    sites: &[Site],
) -> Result<f64, Message> {
    let common_size = |pick: fn((usize, usize)) -> usize| {
        let mut found: Vec<usize> = sites.iter().map(|site| pick(site.channels(shape))).collect();
        found.sort_unstable();
        found.dedup();
        match found.as_slice() {
            [size] => Ok(*size as f64),
            _ => {
                let found: Vec<String> = found.iter().map(usize::to_string).collect();
                Err(message!(
                    "problem-size-differs-between-sites",
                    symbol,
                    found = list_value(&found, 6)
                ))
            }
        }
    };
    match symbol {
        "d" => Ok(shape.width as f64),
        "d_in" => common_size(|(input, _)| input),
        "d_out" => common_size(|(_, output)| output),
        "hidden" => Ok(shape.hidden as f64),
        "heads" => Ok(shape.heads as f64),
        "head_width" => Ok(shape.width.checked_div(shape.heads).unwrap_or(0) as f64),
        other => {
            sizes.get(other).copied().ok_or_else(|| message!("problem-size-unknown", name = other))
        }
    }
}
