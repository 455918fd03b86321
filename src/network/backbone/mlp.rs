//! The MLP that the blocks of all families have, with its norm and the sites it offers.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::IN_MLP;
use crate::nn::{self, Frame, LayerNorm, Linear};
use crate::pet::{Hooks, Site};
use crate::problem::Result;

/// What an MLP has between its layers, by timm's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gelu, Self::GeluTanh, Self::QuickGelu];

    /// timm's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gelu => "gelu",
            Self::GeluTanh => "gelu_tanh",
            Self::QuickGelu => "quick_gelu",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Its values.
    pub fn of(self, x: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Gelu => nn::gelu(x),
            Self::GeluTanh => {
                let cubed = x.clone().powi_scalar(3) * 0.044_715;
                let inside = (x.clone() + cubed) * (2.0 / std::f64::consts::PI).sqrt();
                x * 0.5 * (inside.tanh() + 1.0)
            }
            Self::QuickGelu => x.clone() * sigmoid(x * 1.702),
        }
    }
}

/// fc2(activation(fc1(LN(x)))), or LN(fc2(activation(fc1(x)))).
pub struct Mlp {
    /// The norm before or after it.
    pub norm: LayerNorm,
    /// Whether the norm follows it (Swin V2).
    pub norm_after: bool,
    /// width → hidden; with SwiGLU, width → gates and values, 2·hidden.
    pub fc1: Linear,
    /// hidden → width.
    pub fc2: Linear,
    /// The activation between them, unless it is SwiGLU.
    pub activation: Activation,
    /// Whether SwiGLU is between the layers.
    pub swiglu: bool,
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
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
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

    /// batch × positions × channels.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        // A channel of zeros has the gradient 0.
        let norms = (x.clone().powi_scalar(2).sum_dim(1) + 1e-24).sqrt();
        let mean = norms.clone().mean_dim(2) + Self::EPSILON;
        let share = norms / mean;
        x.clone() + x * (share * self.gamma.clone()) + self.beta.clone()
    }
}

impl Mlp {
    /// An MLP with GELU and without a norm inside.
    pub fn new(norm: LayerNorm, fc1: Linear, fc2: Linear) -> Self {
        Self {
            norm,
            norm_after: false,
            fc1,
            fc2,
            activation: Activation::Gelu,
            swiglu: false,
            inner_norm: None,
        }
    }

    /// x + mlp(LN(x)) of block `index` with its hooks; one operation where nothing acts.
    pub fn residual(&self, index: usize, x: Tensor<3>, hooks: &dyn Hooks) -> Result<Tensor<3>> {
        if self.is_plain(index, hooks) && !hooks.uses(index, Site::Stream) {
            let [fc1, fc2] = self.layers(index, hooks)?;
            return Ok(nn::mlp(x, Frame::whole(&self.norm), fc1, fc2));
        }
        let h = self.branch(index, x.clone(), hooks)?;
        let h = hooks.around(index, Site::Stream, &x, h)?;
        Ok(nn::plus(x, h))
    }

    /// mlp(LN(x)) of block `index` with its hooks; one operation where nothing acts inside.
    pub fn branch(&self, index: usize, x: Tensor<3>, hooks: &dyn Hooks) -> Result<Tensor<3>> {
        if self.is_plain(index, hooks) {
            let frame = Frame {
                norm: Some(&self.norm),
                residual: false,
            };
            let [fc1, fc2] = self.layers(index, hooks)?;
            return Ok(nn::mlp(x, frame, fc1, fc2));
        }
        self.apart(index, x, hooks)
    }

    /// Its layers, or those that the hooks have in their place.
    fn layers<'a>(&'a self, index: usize, hooks: &'a dyn Hooks) -> Result<[&'a Linear; 2]> {
        Ok([
            hooks.layer(index, &[Site::Fc1], &self.fc1)?,
            hooks.layer(index, &[Site::Fc2], &self.fc2)?,
        ])
    }

    fn is_plain(&self, index: usize, hooks: &dyn Hooks) -> bool {
        let acted_on = hooks.uses_any(index, IN_MLP) || hooks.uses(index, Site::Mlp);
        let is_usual = self.activation == Activation::Gelu && !self.swiglu && !self.norm_after;
        !acted_on && is_usual && self.inner_norm.is_none()
    }

    /// Layer by layer, each with its hook.
    fn apart(&self, index: usize, x: Tensor<3>, hooks: &dyn Hooks) -> Result<Tensor<3>> {
        let [fc1, fc2] = self.layers(index, hooks)?;
        let e = match self.norm_after {
            true => x,
            false => {
                let e = self.norm.forward(x.clone());
                hooks.around(index, Site::Norm2, &x, e)?
            }
        };
        let weight = || fc1.wide_weight();
        let h = fc1.forward(e.clone());
        let h = hooks.around_linear((index, Site::Fc1), &e, h, &weight)?;
        let before = hooks.uses(index, Site::Activation).then(|| h.clone());
        let active = match self.swiglu {
            true => nn::swiglu(h),
            false => self.activation.of(h),
        };
        let active = match before {
            Some(before) => hooks.around(index, Site::Activation, &before, active)?,
            None => active,
        };
        let active = match &self.inner_norm {
            Some(norm) => norm.forward(active),
            None => active,
        };
        let weight = || fc2.wide_weight();
        let h = fc2.forward(active.clone());
        let mut h = hooks.around_linear((index, Site::Fc2), &active, h, &weight)?;
        if self.norm_after {
            let normed = self.norm.forward(h.clone());
            h = hooks.around(index, Site::Norm2, &h, normed)?;
        }
        hooks.around(index, Site::Mlp, &e, h)
    }
}
