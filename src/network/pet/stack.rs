//! The PETs of one expert: the tensors of all chosen blocks, and the equations that use them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use burn::tensor::{Device, Tensor};

use super::dropout::{self, DropoutSeed};
use super::equation::{Binding, Program};
use super::hooks::Hooks;
use super::layout::{Layout, ParameterSlot};
use super::shape::{Shape, format_shape};
use super::site::{BlockShape, Site};
use super::spec::{PetSettings, PetSpec, PetVariant};
use super::value::Value;
use crate::expression::Diagnostic;
use crate::message;
use crate::names::{truncated_name, with_suggestion};
use crate::nn::Linear;
use crate::problem::{Problem, Result};

/// The PETs of one expert over all blocks of a backbone. Cloning shares the tensors.
#[derive(Clone, Debug, Default)]
pub struct PetStack {
    pub(super) plan: Option<Arc<StackPlan>>,
    /// Tensors per block in the order of the block's slots.
    pub(super) tensors: BTreeMap<usize, Vec<Tensor<2>>>,
    /// Seed of `dropout`; `None` outside training.
    dropout_seed: Option<DropoutSeed>,
    /// The layers that replace frozen ones, if folding is enabled.
    pub(super) folds: Arc<OnceLock<Folds>>,
}

/// The parts that do not change during training.
#[derive(Debug)]
pub(super) struct StackPlan {
    pub spec: Arc<PetSpec>,
    pub layout: Layout,
}

impl StackPlan {
    /// Returns the variant in use.
    pub fn variant(&self) -> &PetVariant {
        &self.spec.variants[self.layout.variant]
    }
}

/// The folded layers of a stack, by block and first site.
#[derive(Debug)]
pub(super) struct Folds {
    pub sites: Vec<Site>,
    pub layers: BTreeMap<(usize, Site), OnceLock<Result<Linear>>>,
}

/// Returns whether variables at this site are bound to the frozen weight of a linear layer.
pub(super) fn reads_weight(site: Site, bindings: &[Binding]) -> bool {
    site.is_linear() && bindings.contains(&Binding::Input(2))
}

impl PetStack {
    /// Returns a stack without PETs: the plain backbone.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Returns new PETs in the given blocks, on a plain device. The values depend only on seed, block, site and
    /// parameter (see [`StreamScheme`](super::StreamScheme)), so they are the same on all devices.
    ///
    /// # Errors
    /// Returns a Problem if the plugin does not fit the blocks, or a size is out of range.
    pub fn init(
        spec: &Arc<PetSpec>,
        settings: &PetSettings,
        shapes: &[BlockShape],
        blocks: &[usize],
        seed: u64,
        device: &Device,
    ) -> Result<Self> {
        let layout = spec.layout(settings, shapes, blocks)?;
        let mut shared = BTreeMap::new();
        let mut tensors = BTreeMap::new();
        for (&block, block_layout) in &layout.blocks {
            let drawn = block_layout.slots.iter().map(|slot| {
                let draw = || slot.init.draw_tensor(slot.shape, seed, slot.stream, device);
                share_tensor(&mut shared, slot, draw)
            });
            tensors.insert(block, drawn.collect());
        }
        let spec = Arc::clone(spec);
        Ok(Self {
            plan: Some(Arc::new(StackPlan { spec, layout })),
            tensors,
            dropout_seed: None,
            folds: Arc::default(),
        })
    }

    /// Returns the plugin, if there is one.
    pub fn spec(&self) -> Option<&Arc<PetSpec>> {
        self.plan.as_ref().map(|plan| &plan.spec)
    }

    /// Returns all parameters in a stable order: name ("BLOCK.parameter"), tensor, whether it is trained.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Tensor<2>, bool)> {
        self.plan.iter().flat_map(move |plan| {
            plan.layout.blocks.iter().flat_map(move |(block, layout)| {
                let tensors = self.tensors.get(block).map_or(&[][..], Vec::as_slice);
                layout
                    .slots
                    .iter()
                    .zip(tensors)
                    .filter(|(slot, _)| !slot.repeated)
                    .map(|(slot, tensor)| (slot.name.as_str(), tensor, slot.trained))
            })
        })
    }

    /// Returns the trained parameters in the order of [`PetStack::parameters`], each flattened.
    pub fn trained_values(&self) -> Vec<Tensor<1>> {
        let trained = self.parameters().filter(|(.., trained)| *trained);
        trained.map(|(_, value, _)| value.clone().flatten(0, 1)).collect()
    }

    /// Returns the same structure with these trained parameters, in the order of [`PetStack::trained_values`].
    #[must_use]
    pub fn with_trained_values(&self, values: impl IntoIterator<Item = Tensor<1>>) -> Self {
        let mut values = values.into_iter();
        self.map_tensors(|_, old, trained| match trained.then(|| values.next()).flatten() {
            Some(new) => new.reshape(old.shape()),
            None => old.clone(),
        })
    }

    /// Returns the number of trainable values.
    pub fn trained_count(&self) -> usize {
        self.parameters()
            .filter(|(.., trained)| *trained)
            .map(|(_, tensor, _)| tensor.dims().iter().product::<usize>())
            .sum()
    }

    /// Returns the same structure with every tensor replaced by `map` of (name, tensor, trained). `map` must keep
    /// shapes; otherwise the equations report it.
    #[must_use]
    pub fn map_tensors(&self, mut map: impl FnMut(&str, &Tensor<2>, bool) -> Tensor<2>) -> Self {
        let mut result = self.clone();
        // Other values are folded again only on request.
        result.folds = Arc::default();
        let Some(plan) = &self.plan else {
            return result;
        };
        let mut shared = BTreeMap::new();
        for (block, tensors) in &mut result.tensors {
            let Some(layout) = plan.layout.blocks.get(block) else {
                continue;
            };
            for (slot, tensor) in layout.slots.iter().zip(tensors) {
                let mapped = || map(&slot.name, tensor, slot.trained);
                *tensor = share_tensor(&mut shared, slot, mapped);
            }
        }
        result
    }

    /// Returns the stack with trained parameters as leaves of a new autodiff graph and fixed ones as constants.
    #[must_use]
    pub fn tracked(&self) -> Self {
        self.map_tensors(|_, tensor, trained| {
            let tensor = tensor.clone().inner();
            match trained {
                true => tensor.autodiff().require_grad(),
                false => tensor,
            }
        })
    }

    /// Returns the stack for a training step: `dropout` uses this seed; without one, nothing changes.
    #[must_use]
    pub fn in_training(self, dropout_seed: Option<DropoutSeed>) -> Self {
        match dropout_seed {
            Some(_) => Self { dropout_seed, folds: Arc::default(), ..self },
            None => self,
        }
    }

    /// Replaces a parameter; the tensor is moved to the device of the old one.
    ///
    /// # Errors
    /// Returns a Problem for an unknown name or another shape.
    pub fn set(&mut self, name: &str, tensor: Tensor<2>) -> Result<()> {
        let old = self.parameters().find(|(current, ..)| *current == name);
        let Some(old) = old.map(|(_, old, _)| old.clone()) else {
            let names: Vec<&str> = self.parameters().map(|(name, ..)| name).collect();
            let shown = truncated_name(name);
            let problem = Problem::new(message!("problem-pet-parameter-not-found", shown));
            return Err(with_suggestion(problem, name, names));
        };
        if old.dims() != tensor.dims() {
            return Err(Problem::new(message!(
                "problem-pet-parameter-shape",
                name,
                dims = format_shape(&old.dims()),
                dims2 = format_shape(&tensor.dims())
            )));
        }
        let tensor = tensor.to_device(&old.device());
        *self = self.map_tensors(|current, old, _| match current == name {
            true => tensor.clone(),
            false => old.clone(),
        });
        Ok(())
    }

    /// Returns the result of a site's equation for its inputs, in the shape needed there.
    pub(super) fn evaluate(&self, block: usize, site: Site, inputs: &[Value]) -> Result<Value> {
        match self.plan.as_ref().zip(self.try_evaluate(block, site, inputs)) {
            Some((plan, result)) => {
                result.map_err(|diagnostic| plan.spec.source.to_problem(&diagnostic))
            }
            None => Err(Problem::new(message!(
                "problem-no-pet-at-site",
                name = site.name(),
                block = block.to_string()
            ))),
        }
    }

    /// Returns the result of a site's equation like [`PetStack::evaluate`], as tokens.
    pub(super) fn evaluate_tokens(
        &self,
        block: usize,
        site: Site,
        inputs: &[Value],
    ) -> Result<Tensor<3>> {
        match self.evaluate(block, site, inputs)? {
            Value::Three(result) => Ok(result),
            other => Err(rank_problem(&other)),
        }
    }

    /// Returns the bindings of the equation at a site; `None` if no PET uses the site.
    fn bindings(&self, block: usize, site: Site) -> Option<&Vec<Binding>> {
        let layout = self.plan.as_ref()?.layout.blocks.get(&block)?;
        layout.bindings.get(&site)
    }

    /// Evaluates the equation of a site. Unlike [`PetStack::evaluate`], the error contains the faulty part of the
    /// equation. `None` if no PET uses the site.
    pub(super) fn try_evaluate(
        &self,
        block: usize,
        site: Site,
        inputs: &[Value],
    ) -> Option<Result<Value, Diagnostic>> {
        let plan = self.plan.as_ref()?;
        let bindings = self.bindings(block, site)?;
        let program = plan.variant().equations.get(&site)?;
        let tensors = self.tensors.get(&block)?;
        dropout::start_stream(
            self.dropout_seed,
            plan.layout.stream_scheme.site_stream(block, site),
        );
        let result = program.evaluate(inputs, bindings, tensors);
        let input_shapes: Vec<Shape> = inputs.iter().map(Value::dims).collect();
        Some(result.and_then(|value| {
            match result_shape_error(program, site, &value.dims(), &input_shapes) {
                Some(diagnostic) => Err(diagnostic),
                None => Ok(value),
            }
        }))
    }
}

/// Returns the tensor of a slot; a shared one is created only for the first block.
fn share_tensor<'l>(
    shared: &mut BTreeMap<&'l str, Tensor<2>>,
    slot: &'l ParameterSlot,
    make: impl FnOnce() -> Tensor<2>,
) -> Tensor<2> {
    match slot.shared {
        true => shared.entry(&slot.name).or_insert_with(make).clone(),
        false => make(),
    }
}

/// Returns the error for a result of this shape; `None` if the shape is valid for these inputs.
pub(super) fn result_shape_error(
    program: &Program,
    site: Site,
    found: &[usize],
    inputs: &[Shape],
) -> Option<Diagnostic> {
    if site.accepts_result(found, inputs) {
        return None;
    }
    let needed = inputs.get(site.result_shape_input()).map_or(&[][..], Vec::as_slice);
    let id = match site {
        Site::Input => "problem-equation-result-tokens",
        _ => "problem-equation-result-shape",
    };
    let message = message!(
        id,
        name = site.name(),
        found = format_shape(found),
        needed = format_shape(needed),
        like = site.inputs()[site.result_shape_input()]
    );
    Some(Diagnostic::new(program.result_span(), message))
}

impl Hooks for PetStack {
    fn first_block(&self) -> Option<usize> {
        self.tensors.keys().next().copied()
    }

    fn acts_in(&self, block: usize) -> bool {
        self.tensors.contains_key(&block)
    }

    fn uses(&self, block: usize, site: Site) -> bool {
        let folded = self.folds.get().is_some_and(|folds| folds.contains(site));
        !folded && self.bindings(block, site).is_some()
    }

    fn layer<'a>(
        &'a self,
        block: usize,
        sites: &[Site],
        frozen_layer: &'a Linear,
    ) -> Result<&'a Linear> {
        self.folded_layer(block, sites, frozen_layer)
    }

    fn input(&self, block: usize, tokens: Tensor<3>) -> Result<Tensor<3>> {
        match self.uses(block, Site::Input) {
            true => self.evaluate_tokens(block, Site::Input, &[tokens.into()]),
            false => Ok(tokens),
        }
    }

    fn apply(&self, block: usize, site: Site, e: &Tensor<3>, h: Tensor<3>) -> Result<Tensor<3>> {
        match self.uses(block, site) {
            true => self.evaluate_tokens(block, site, &[e.clone().into(), h.into()]),
            false => Ok(h),
        }
    }

    fn apply_linear(
        &self,
        (block, site): (usize, Site),
        e: &Tensor<3>,
        h: Tensor<3>,
        weight: &dyn Fn() -> Tensor<2>,
    ) -> Result<Tensor<3>> {
        let bindings = self.bindings(block, site);
        let reads = bindings.is_some_and(|bindings| reads_weight(site, bindings));
        if !self.uses(block, site) || !reads {
            return self.apply(block, site, e, h);
        }
        let inputs = [e.clone().into(), h.into(), weight().into()];
        self.evaluate_tokens(block, site, &inputs)
    }

    fn attend(&self, block: usize, q: Tensor<4>, k: Tensor<4>, v: Tensor<4>) -> Result<Tensor<4>> {
        match self.evaluate(block, Site::Attend, &[q.into(), k.into(), v.into()])? {
            Value::Four(result) => Ok(result),
            other => Err(rank_problem(&other)),
        }
    }
}

/// Returns the Problem of a result with a rank that the site does not have. It cannot occur, because shapes were
/// checked.
fn rank_problem(found: &Value) -> Problem {
    Problem::new(message!("problem-pet-result-shape", dims = format_shape(&found.dims())))
}
