//! The packed input projections of an attention, taken apart where PETs act on them.

use burn::tensor::Tensor;

use crate::nn::Linear;
use crate::pet::{Hooks, Site};
use crate::problem::Result;

/// Whether a PET acts on one of the three input projections of a block.
pub(super) fn uses_projections(hooks: &dyn Hooks, index: usize) -> bool {
    hooks.uses_any(index, &Site::PACKED)
}

/// The packed projections of e by this layer taken apart, each after its PET.
pub(super) fn projections(
    index: usize,
    e: &Tensor<3>,
    (layer, qkv): (&Linear, Tensor<3>),
    hooks: &dyn Hooks,
) -> Result<[Tensor<3>; 3]> {
    let [batch, tokens, packed] = qkv.dims();
    let width = packed / 3;
    let part = |i: usize, site: Site| {
        let range = i * width..(i + 1) * width;
        let h = qkv.clone().slice([0..batch, 0..tokens, range.clone()]);
        let weight = || layer.wide_weight().slice([0..width, range.clone()]);
        hooks.around_linear((index, site), e, h, &weight)
    };
    Ok([
        part(0, Site::Query)?,
        part(1, Site::Key)?,
        part(2, Site::Value)?,
    ])
}
