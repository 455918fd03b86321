//! The MLP that the blocks of all families have, with its norm and the sites it offers.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::IN_MLP;
use crate::nn::{self, Frame, LayerNorm, Linear};
use crate::pet::{Hooks, Site};
use crate::problem::Result;

/// fc2(GELU(fc1(LN(x)))).
pub struct Mlp {
    /// The norm before it.
    pub norm: LayerNorm,
    /// width → hidden.
    pub fc1: Linear,
    /// hidden → width.
    pub fc2: Linear,
    /// CLIP's x·σ(1.702 x) instead of GELU.
    pub quick_gelu: bool,
}

impl Mlp {
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
        !acted_on && !self.quick_gelu
    }

    /// Layer by layer, each with its hook.
    fn apart(&self, index: usize, x: Tensor<3>, hooks: &dyn Hooks) -> Result<Tensor<3>> {
        let [fc1, fc2] = self.layers(index, hooks)?;
        let e = self.norm.forward(x.clone());
        let e = hooks.around(index, Site::Norm2, &x, e)?;
        let weight = || fc1.wide_weight();
        let h = fc1.forward(e.clone());
        let h = hooks.around_linear((index, Site::Fc1), &e, h, &weight)?;
        let before = hooks.uses(index, Site::Activation).then(|| h.clone());
        let active = if self.quick_gelu {
            h.clone() * sigmoid(h * 1.702)
        } else {
            nn::gelu(h)
        };
        let active = match before {
            Some(before) => hooks.around(index, Site::Activation, &before, active)?,
            None => active,
        };
        let weight = || fc2.wide_weight();
        let h = fc2.forward(active.clone());
        let h = hooks.around_linear((index, Site::Fc2), &active, h, &weight)?;
        hooks.around(index, Site::Mlp, &e, h)
    }
}
