//! The PETs of one expert: the tensors of every chosen block and the equations that use them.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};

use super::dropout::{self, DropoutSeed};
use super::equation::Program;
use super::hooks::Hooks;
use super::layout::{Layout, Slot};
use super::shape::shown;
use super::site::{BlockShape, Site};
use super::spec::{PetSettings, PetSpec};
use super::value::Value;
use crate::expression::Diagnostic;
use crate::names::{meant, shortened};
use crate::problem::{Problem, Result};

/// The PETs of one expert over all blocks of a backbone. Cloning shares the tensors.
#[derive(Clone, Debug, Default)]
pub struct PetStack {
    plan: Option<Arc<StackPlan>>,
    /// Tensors per block in the order of the block's slots.
    tensors: BTreeMap<usize, Vec<Tensor<2>>>,
    /// What `dropout` draws from; none outside training.
    draws: Option<DropoutSeed>,
}

/// What does not change during training.
#[derive(Debug)]
struct StackPlan {
    spec: Arc<PetSpec>,
    layout: Layout,
}

impl PetStack {
    /// No PET anywhere: the plain backbone.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Fresh PETs in the given blocks, on a plain device. The values depend on seed, block, site and
    /// parameter only (see [`Drawing`](super::Drawing)): they are the same on all devices.
    ///
    /// # Errors
    /// Where the plugin does not fit the blocks, or a size is out of its range.
    pub fn init(
        spec: &Arc<PetSpec>,
        settings: &PetSettings,
        shapes: &[BlockShape],
        blocks: &[usize],
        seed: u64,
        device: &Device,
    ) -> Result<Self> {
        let layout = spec.layout(settings, shapes, blocks)?;
        let tensors = layout
            .blocks
            .iter()
            .map(|(&block, layout)| {
                let draw = |slot: &Slot| {
                    let values = slot.init.draw(slot.shape, seed, slot.stream);
                    Tensor::from_data(TensorData::new(values, slot.shape), device)
                };
                (block, layout.slots.iter().map(draw).collect())
            })
            .collect();
        let spec = Arc::clone(spec);
        Ok(Self {
            plan: Some(Arc::new(StackPlan { spec, layout })),
            tensors,
            draws: None,
        })
    }

    /// The plugin, if there is one.
    pub fn spec(&self) -> Option<&Arc<PetSpec>> {
        self.plan.as_ref().map(|plan| &plan.spec)
    }

    /// All parameters in a stable order: name ("BLOCK.parameter"), tensor, whether it is trained.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Tensor<2>, bool)> {
        self.plan.iter().flat_map(move |plan| {
            plan.layout.blocks.iter().flat_map(move |(block, layout)| {
                let tensors = self.tensors.get(block).map_or(&[][..], Vec::as_slice);
                layout
                    .slots
                    .iter()
                    .zip(tensors)
                    .map(|(slot, tensor)| (slot.name.as_str(), tensor, slot.trained))
            })
        })
    }

    /// Number of trained values.
    pub fn trained_count(&self) -> usize {
        self.parameters()
            .filter(|(.., trained)| *trained)
            .map(|(_, tensor, _)| tensor.dims().iter().product::<usize>())
            .sum()
    }

    /// The same structure with every tensor replaced by what `map` makes of (name, tensor,
    /// trained). `map` must keep shapes; equations report it otherwise.
    #[must_use]
    pub fn with(&self, mut map: impl FnMut(&str, &Tensor<2>, bool) -> Tensor<2>) -> Self {
        let mut result = self.clone();
        let Some(plan) = &self.plan else {
            return result;
        };
        for (block, tensors) in &mut result.tensors {
            let Some(layout) = plan.layout.blocks.get(block) else {
                continue;
            };
            for (slot, tensor) in layout.slots.iter().zip(tensors) {
                *tensor = map(&slot.name, tensor, slot.trained);
            }
        }
        result
    }

    /// Trained parameters as leaves of a new autodiff graph, fixed ones as constants.
    #[must_use]
    pub fn tracked(&self) -> Self {
        self.with(|_, tensor, trained| {
            let tensor = tensor.clone().inner();
            match trained {
                true => tensor.autodiff().require_grad(),
                false => tensor,
            }
        })
    }

    /// All parameters as constants: nothing is recorded for backward.
    #[must_use]
    pub fn plain(&self) -> Self {
        self.with(|_, tensor, _| tensor.clone().inner())
    }

    /// The same in a training step: `dropout` drops what these draws say.
    #[must_use]
    pub fn in_training(mut self, draws: DropoutSeed) -> Self {
        self.draws = Some(draws);
        self
    }

    /// Replaces one parameter; the tensor is moved to the device of the old one.
    ///
    /// # Errors
    /// For an unknown name or another shape.
    pub fn set(&mut self, name: &str, tensor: Tensor<2>) -> Result<()> {
        let plan = self.plan.clone();
        let slots = plan.iter().flat_map(|plan| {
            plan.layout
                .blocks
                .iter()
                .flat_map(|(block, layout)| layout.slots.iter().map(move |slot| (*block, slot)))
        });
        let place = slots
            .clone()
            .find(|(_, slot)| slot.name == name)
            .and_then(|(block, slot)| {
                let own = slots.filter(|(other, _)| *other == block);
                let index = own
                    .into_iter()
                    .position(|(_, other)| other.name == slot.name)?;
                self.tensors.get_mut(&block)?.get_mut(index)
            });
        let Some(old) = place else {
            let names: Vec<&str> = self.parameters().map(|(name, ..)| name).collect();
            let shown = shortened(name);
            let problem = Problem::new(format!("the PET has no parameter `{shown}`"));
            return Err(meant(problem, name, names));
        };
        if old.dims() != tensor.dims() {
            return Err(Problem::new(format!(
                "the PET's parameter `{name}` is {}, not {}",
                shown(&old.dims()),
                shown(&tensor.dims())
            )));
        }
        *old = tensor.to_device(&old.device());
        Ok(())
    }

    /// What the PET makes of a site's inputs, in the shape that is needed there.
    fn evaluate(&self, block: usize, site: Site, inputs: &[Value]) -> Result<Value> {
        let found = self.plan.as_ref().zip(self.evaluated(block, site, inputs));
        match found {
            Some((plan, result)) => result.map_err(|wrong| plan.spec.source.problem(&wrong)),
            None => Err(Problem::new(format!(
                "no PET acts at `{}` of block {block}",
                site.name()
            ))),
        }
    }

    /// The same with the part of the equation that is wrong; none where no PET acts.
    pub(super) fn evaluated(
        &self,
        block: usize,
        site: Site,
        inputs: &[Value],
    ) -> Option<Result<Value, Diagnostic>> {
        let plan = self.plan.as_ref()?;
        let bindings = plan.layout.blocks.get(&block)?.bindings.get(&site)?;
        let program = plan
            .spec
            .variants
            .get(plan.layout.variant)?
            .equations
            .get(&site)?;
        let tensors = self.tensors.get(&block)?;
        dropout::begin(self.draws, plan.layout.drawing.of_site(block, site));
        let result = program.evaluate(inputs, bindings, tensors);
        let wanted = inputs.get(site.like())?.dims();
        Some(result.and_then(
            |value| match misshapen(program, site, &value.dims(), &wanted) {
                Some(wrong) => Err(wrong),
                None => Ok(value),
            },
        ))
    }
}

/// What is wrong with a result of this shape, where one of another is needed.
pub(super) fn misshapen(
    program: &Program,
    site: Site,
    found: &[usize],
    wanted: &[usize],
) -> Option<Diagnostic> {
    if found == wanted {
        return None;
    }
    let what = format!(
        "the equation for `{}` gives {}, but {} is needed there, as `{}` has",
        site.name(),
        shown(found),
        shown(wanted),
        site.inputs()[site.like()]
    );
    Some(Diagnostic::new(program.result_span(), what))
}

impl Hooks for PetStack {
    fn first_block(&self) -> Option<usize> {
        self.tensors.keys().next().copied()
    }

    fn acts_in(&self, block: usize) -> bool {
        self.tensors.contains_key(&block)
    }

    fn uses(&self, block: usize, site: Site) -> bool {
        self.plan
            .as_ref()
            .and_then(|plan| plan.layout.blocks.get(&block))
            .is_some_and(|layout| layout.bindings.contains_key(&site))
    }

    fn around(&self, block: usize, site: Site, e: &Tensor<3>, h: Tensor<3>) -> Result<Tensor<3>> {
        if !self.uses(block, site) {
            return Ok(h);
        }
        match self.evaluate(block, site, &[e.clone().into(), h.into()])? {
            Value::Three(result) => Ok(result),
            other => Err(of_rank(&other)),
        }
    }

    fn attend(&self, block: usize, q: Tensor<4>, k: Tensor<4>, v: Tensor<4>) -> Result<Tensor<4>> {
        match self.evaluate(block, Site::Attend, &[q.into(), k.into(), v.into()])? {
            Value::Four(result) => Ok(result),
            other => Err(of_rank(&other)),
        }
    }
}

/// A result of a rank that the site does not have; its shape was checked, so this is never seen.
fn of_rank(found: &Value) -> Problem {
    Problem::new(format!("a PET gives {} there", shown(&found.dims())))
}
