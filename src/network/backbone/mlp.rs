//! The layers of an MLP, and what can be between them.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use serde::Deserialize;

use crate::nn::{self, LayerNorm, Linear};

/// The activation of an MLP, by timm's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// x·Φ(x).
    #[default]
    Gelu,
    /// Its approximation x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), of SigLIP 2.
    GeluTanh,
    /// x·σ(1.702·x), of OpenAI's CLIP.
    QuickGelu,
}

impl Activation {
    /// Computes the activation of each value.
    pub fn forward(self, x: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Gelu => nn::gelu(x),
            Self::GeluTanh => {
                let cubed = x.clone().powi_scalar(3) * 0.044_715;
                let inner = (x.clone() + cubed) * (2.0 / std::f64::consts::PI).sqrt();
                x * 0.5 * (inner.tanh() + 1.0)
            }
            Self::QuickGelu => x.clone() * sigmoid(x * 1.702),
        }
    }
}

/// The layers of an MLP.
pub struct Mlp {
    /// The norm before or after it.
    pub norm: LayerNorm,
    /// width → hidden; with SwiGLU, width → gates and values, 2·hidden.
    pub fc1: Linear,
    /// hidden → width.
    pub fc2: Linear,
    /// The norm after the activation.
    pub inner_norm: Option<InnerNorm>,
}

/// A norm inside an MLP.
pub enum InnerNorm {
    /// ConvNeXt V2's.
    Response(ResponseNorm),
    /// EVA-02's.
    Layer(LayerNorm),
}

impl InnerNorm {
    /// Computes the norm of batch × tokens × channels.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Response(norm) => norm.forward(x),
            Self::Layer(norm) => norm.forward(x),
        }
    }
}

/// Global response normalisation (Woo et al., 2023): x + γ·x·g/mean(g) + β, where g is a channel's norm over all
/// positions.
pub struct ResponseNorm {
    /// γ, 1 × 1 × channels.
    pub gamma: Tensor<3>,
    /// β, 1 × 1 × channels.
    pub beta: Tensor<3>,
}

impl ResponseNorm {
    /// Added to the mean of the norms.
    pub const EPSILON: f64 = 1e-6;

    /// Computes the norm of batch × positions × channels.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        // A channel of zeros has the gradient 0.
        let norms = (x.clone().powi_scalar(2).sum_dim(1) + 1e-24).sqrt();
        let mean = norms.clone().mean_dim(2) + Self::EPSILON;
        let ratio = norms / mean;
        x.clone() + x * (ratio * self.gamma.clone()) + self.beta.clone()
    }
}
