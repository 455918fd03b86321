//! One stage of ESN (Wang et al., AAAI 2023, section 3.2): a task token that attends to all tokens in one
//! class-attention block, and a linear classifier for the task's classes.
//!
//! X = [token; F] and n = LN(X): q is computed from the token's row only, k and v from all rows; y = token +
//! proj(attention), y = y + MLP(LN(y)) with a hidden width of d/2, z = y·W + b.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor};

use super::super::State;
use super::super::replay::StepInputs;
use crate::nn;
use crate::pet::Init;
use crate::problem::Result;

/// Epsilon of the stage's layer norms.
const EPSILON: f64 = 1e-5;
/// Standard deviation of the new weights of attention and MLP.
const STD: f64 = 0.02;

/// The parameters of a stage: weights are inputs × outputs, vectors 1 × channels.
#[derive(Clone, Debug)]
pub struct EsnStage {
    values: BTreeMap<String, Tensor<2>>,
    heads: usize,
}

/// Returns names, shapes and initial values of a stage over tokens with `d` channels. The initial value is `None` for
/// the token, which starts as the class token.
fn parameter_specs(d: usize, classes: usize) -> Vec<(&'static str, [usize; 2], Option<Init>)> {
    let (zeros, ones) = (Some(Init::Constant(0.0)), Some(Init::Constant(1.0)));
    let small = Some(Init::Normal(STD));
    let bound = 1.0 / (d as f64).sqrt();
    let linear = Some(Init::Uniform(-bound, bound));
    let hidden = (d / 2).max(1);
    vec![
        ("token", [1, d], None),
        ("norm1.weight", [1, d], ones),
        ("norm1.bias", [1, d], zeros),
        ("q.weight", [d, d], small),
        ("q.bias", [1, d], zeros),
        ("k.weight", [d, d], small),
        ("k.bias", [1, d], zeros),
        ("v.weight", [d, d], small),
        ("v.bias", [1, d], zeros),
        ("proj.weight", [d, d], small),
        ("proj.bias", [1, d], zeros),
        ("norm2.weight", [1, d], ones),
        ("norm2.bias", [1, d], zeros),
        ("fc1.weight", [d, hidden], small),
        ("fc1.bias", [1, hidden], zeros),
        ("fc2.weight", [hidden, d], small),
        ("fc2.bias", [1, d], zeros),
        ("classifier.weight", [d, classes], linear),
        ("classifier.bias", [1, classes], linear),
    ]
}

impl EsnStage {
    /// Returns a new stage; `token` (1 × d) is the pre-trained class token without its position embedding. The random
    /// values depend on the seed only.
    pub fn new(token: Tensor<2>, heads: usize, classes: usize, seed: u64, device: &Device) -> Self {
        let width = token.dims()[1];
        let specs = parameter_specs(width, classes).into_iter().enumerate();
        let values = specs.map(|(stream, (name, shape, init))| {
            let value = match init {
                Some(init) => init.draw_tensor(shape, seed, stream as u64, device),
                None => token.clone(),
            };
            (name.to_string(), value)
        });
        Self { values: values.collect(), heads }
    }

    /// Returns a stage of zeros, to be filled from a file.
    pub(super) fn zeros(width: usize, heads: usize, classes: usize, device: &Device) -> Self {
        let specs = parameter_specs(width, classes).into_iter();
        let values = specs.map(|(name, shape, _)| (name.into(), Tensor::zeros(shape, device)));
        Self { values: values.collect(), heads }
    }

    /// Writes or reads all tensors as `<prefix>.<name>`.
    pub(super) fn sync_state(&mut self, prefix: &str, state: &mut State<'_>) -> Result<()> {
        let mut values = self.values.iter_mut();
        values.try_for_each(|(name, value)| state.sync_tensor(&format!("{prefix}.{name}"), value))
    }

    /// Returns the number of parameters of a stage over tokens with `width` channels, without its classifier.
    pub fn size(width: usize) -> usize {
        let specs = parameter_specs(width, 0).into_iter();
        specs.map(|(_, [rows, columns], _)| rows * columns).sum()
    }

    /// Returns the number of classes.
    pub(super) fn classes(&self) -> usize {
        self.values["classifier.bias"].dims()[1]
    }

    /// Returns all parameters by name.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Tensor<2>)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns a copy with `function` applied to every tensor.
    #[must_use]
    pub fn map(&self, mut function: impl FnMut(&str, &Tensor<2>) -> Tensor<2>) -> Self {
        let values = self.values.iter();
        Self {
            values: values.map(|(name, value)| (name.clone(), function(name, value))).collect(),
            heads: self.heads,
        }
    }

    /// Returns a copy with gradient tracking.
    #[must_use]
    pub fn tracked(&self) -> Self {
        self.map(|_, value| value.clone().autodiff().require_grad())
    }

    fn value(&self, name: &str) -> Tensor<2> {
        self.values[name].clone()
    }

    /// Computes x · weight + bias of the layer with this name.
    fn linear(&self, name: &str, x: Tensor<2>) -> Tensor<2> {
        let weight = self.value(&format!("{name}.weight"));
        nn::add(nn::project(x, weight), self.value(&format!("{name}.bias")))
    }

    /// Computes the layer norm over the last axis.
    fn norm(&self, name: &str, x: Tensor<2>) -> Tensor<2> {
        let centred = x.clone() - x.mean_dim(1);
        let variance = (centred.clone() * centred.clone()).mean_dim(1);
        let normal = centred / (variance + EPSILON).sqrt();
        let scaled = nn::multiply(normal, self.value(&format!("{name}.weight")));
        nn::add(scaled, self.value(&format!("{name}.bias")))
    }

    /// Computes the logits (batch × classes of the stage) from the tokens of the last block before the final norm
    /// (batch × tokens × d).
    pub fn forward(&self, tokens: Tensor<3>) -> Tensor<2> {
        self.classify(self.features(tokens))
    }

    /// Computes the logits (batch × classes of the stage) from the classifier's input (batch × d).
    pub fn classify(&self, features: Tensor<2>) -> Tensor<2> {
        self.linear("classifier", features)
    }

    /// Computes the classifier's input (batch × d) from the tokens of the last block before the final norm (batch ×
    /// tokens × d).
    pub fn features(&self, tokens: Tensor<3>) -> Tensor<2> {
        let [batch, count, width] = tokens.dims();
        let rows = count + 1;
        let token = self.value("token").expand([batch, width]);
        let sequence = Tensor::cat(vec![token.clone().reshape([batch, 1, width]), tokens], 1);
        let e = self.norm("norm1", sequence.reshape([batch * rows, width]));
        let head = width / self.heads;
        // batch × heads × rows × head width
        let split =
            |x: Tensor<2>, rows: usize| x.reshape([batch, rows, self.heads, head]).swap_dims(1, 2);
        let token_row = e.clone().reshape([batch, rows, width]);
        let token_row = token_row.slice([0..batch, 0..1, 0..width]).reshape([batch, width]);
        let q = split(self.linear("q", token_row) * (head as f64).powf(-0.5), 1);
        let k = split(self.linear("k", e.clone()), rows);
        let v = split(self.linear("v", e), rows);
        let attention_weights = nn::softmax(nn::matmul(q, k.transpose()));
        let attended = nn::matmul(attention_weights, v).swap_dims(1, 2).reshape([batch, width]);
        let y = token + self.linear("proj", attended);
        let hidden = nn::gelu(self.linear("fc1", self.norm("norm2", y.clone())));
        y + self.linear("fc2", hidden)
    }
}

impl StepInputs for EsnStage {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.values.values().for_each(|value| value.append_values(values));
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        self.map(|_, old| old.with_values(values))
    }
}

/// Computes ln Σ e^z over each row (batch × 1).
pub fn log_sum_exp(z: Tensor<2>) -> Tensor<2> {
    // The maximum is detached because it cancels in value and gradient.
    let largest = z.clone().detach().max_dim(1);
    (z - largest.clone()).exp().sum_dim(1).log() + largest
}

/// The energy term of the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyTerm {
    /// λ, its weight relative to the cross-entropy.
    pub weight: f64,
    /// The target of the energy.
    pub anchor: f64,
    /// Uses E = −logsumexp(z) as in the paper instead of the released −logsumexp(−z).
    pub as_printed: bool,
}

impl EnergyTerm {
    /// Returns λ · mean((E − anchor)²) of logits (batch × classes).
    pub fn loss(&self, logits: Tensor<2>) -> Tensor<1> {
        let signed = if self.as_printed { logits } else { logits.neg() };
        let deviation = log_sum_exp(signed).neg() - self.anchor;
        (deviation.clone() * deviation).mean() * self.weight
    }
}
