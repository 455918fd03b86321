//! Applies an update rule: to one parameter, or on a GPU to all of them in as few launches as possible.

use burn::tensor::Tensor;

use super::{Gradients, Optimiser, ParameterState};
use crate::nn::{self, Adam, Momentum, Packed};

/// The update of a parameter in one step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Update {
    Adam(Adam),
    Momentum(Momentum),
}

impl Update {
    /// Returns the new value and the new moments. `moments` is empty before the first step.
    pub(super) fn apply(
        self,
        value: Tensor<1>,
        gradient: Tensor<1>,
        factor: Option<&Tensor<1>>,
        moments: Vec<Tensor<1>>,
    ) -> (Tensor<1>, Vec<Tensor<1>>) {
        match self {
            Self::Adam(rule) => {
                let previous = <[_; 2]>::try_from(moments).ok();
                let [updated, first, second] = rule.step(value, gradient, factor, previous);
                (updated, vec![first, second])
            }
            Self::Momentum(rule) => {
                let previous = moments.into_iter().next();
                let [updated, buffer] = rule.step(value, gradient, factor, previous);
                (updated, vec![buffer])
            }
        }
    }

    /// Applies the update to several parameters, as [`Update::apply`] does to one; writes the new values to `output`.
    fn apply_packed(
        self,
        inputs: [&Packed; 2],
        factor: Option<&Tensor<1>>,
        moments: Vec<Packed>,
        output: &Packed,
    ) -> Vec<Packed> {
        match self {
            Self::Adam(rule) => {
                let previous = <[_; 2]>::try_from(moments).ok();
                output.adam_step(rule, inputs, factor, previous.as_ref()).into()
            }
            Self::Momentum(rule) => {
                vec![output.momentum_step(rule, inputs, factor, moments.first())]
            }
        }
    }
}

/// Moments of parameters, stored contiguously in GPU memory.
#[derive(Clone, Debug)]
pub(super) struct PackedMoments {
    names: Vec<String>,
    moments: Vec<Packed>,
}

/// A parameter of a packed step.
struct PackedParameter {
    name: String,
    updated: Tensor<1>,
    /// Value and step count; `None` until the parameter is updated.
    update: Option<(Tensor<1>, i32)>,
}

impl PackedParameter {
    /// Returns the step count. Parameters with equal counts are updated by the same launch.
    fn steps(&self) -> Option<i32> {
        self.update.as_ref().map(|(_, steps)| *steps)
    }
}

/// A step whose parameters are updated together at its end.
pub(super) struct PackedStep {
    gradients: Packed,
    /// The buffer that receives the new values at the end of the step.
    updated: Packed,
    /// The parameters in the order of the gradients.
    parameters: Vec<PackedParameter>,
}

impl PackedStep {
    /// Prepares a step for these gradients; `None` if [`Packed::new`] returns `None` for them.
    pub(super) fn new(gradients: &Gradients) -> Option<Self> {
        let all: Vec<_> = gradients.iter().map(|(_, gradient)| gradient.clone()).collect();
        let packed = Packed::new(&all)?;
        let updated = packed.empty();
        let names = gradients.iter().map(|(name, _)| name.to_string());
        let parameters = names.zip(updated.parts()).map(|(name, tensor)| PackedParameter {
            name,
            updated: tensor,
            update: None,
        });
        Some(Self { parameters: parameters.collect(), gradients: packed, updated })
    }

    /// Returns the root of the sum of all squares (one value).
    pub(super) fn norm(&self) -> Tensor<1> {
        nn::sum_of_squares(&self.gradients.values()).sqrt()
    }

    /// Adds a parameter. Returns the tensor that receives its new value at the end of the step; `None` if its value
    /// cannot be packed.
    pub(super) fn add(
        &mut self,
        name: &str,
        value: &Tensor<1>,
        state: &ParameterState,
    ) -> Option<Tensor<1>> {
        let index = self.parameters.binary_search_by(|parameter| parameter.name.as_str().cmp(name));
        let parameter = self.parameters.get_mut(index.ok()?)?;
        if !Packed::accepts(value) || !state.moments.iter().all(Packed::accepts) {
            return None;
        }
        parameter.update = Some((value.clone(), state.steps));
        Some(parameter.updated.clone())
    }

    /// Updates the parameters that were added, and the optimiser's state.
    pub(super) fn finish(self, optimiser: &mut Optimiser, rate: f64, factor: Option<&Tensor<1>>) {
        let previous = std::mem::take(&mut optimiser.packed);
        let mut start = 0;
        for group in self.parameters.chunk_by(|a, b| a.steps() == b.steps()) {
            let range = start..start + group.len();
            start = range.end;
            let values = group.iter().filter_map(|parameter| parameter.update.as_ref());
            let values: Vec<_> = values.map(|(value, ..)| value.clone()).collect();
            let Some((steps, values)) = group[0].steps().zip(Packed::new(&values)) else {
                continue;
            };
            let names: Vec<String> = group.iter().map(|parameter| parameter.name.clone()).collect();
            // At the first step, stored moments may be of another parameter with the same name.
            let has_same_names = |packed: &&PackedMoments| steps > 1 && packed.names == names;
            let moments = match previous.iter().find(has_same_names) {
                Some(packed) => packed.moments.clone(),
                None => optimiser.pack_moments(&names),
            };
            let update = optimiser.settings.rule.update(rate, steps);
            let inputs = [&values, &self.gradients.range(range.clone())];
            let moments = update.apply_packed(inputs, factor, moments, &self.updated.range(range));
            optimiser.set_moments(&names, &moments);
            optimiser.packed.push(PackedMoments { names, moments });
        }
    }
}

impl Optimiser {
    /// Returns the moments of these parameters, concatenated; empty before their first step.
    fn pack_moments(&self, names: &[String]) -> Vec<Packed> {
        let moment = |index: usize| {
            let states = names.iter().map(|name| self.states.get(name));
            let moments = states.map(|state| state?.moments.get(index).cloned());
            Packed::new(&moments.collect::<Option<Vec<_>>>()?)
        };
        (0..self.settings.rule.moments().len()).map_while(moment).collect()
    }

    fn set_moments(&mut self, names: &[String], moments: &[Packed]) {
        let mut parts: Vec<_> = moments.iter().map(Packed::parts).collect();
        for name in names {
            if let Some(state) = self.states.get_mut(name) {
                state.moments = parts.iter_mut().filter_map(Iterator::next).collect();
            }
        }
    }
}
