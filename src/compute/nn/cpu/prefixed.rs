//! Softmax attention with prefixes of keys and values, as a tensor operation.

use burn::tensor::Tensor;
use lae_kernels::attention::Shape;
use lae_kernels::buffer::Buffer;
use lae_kernels::prefixed::PrefixedShape;
use lae_kernels::sums::sum_rows;

use super::autodiff::{Dense, Gradient, apply, backward_if, to_input};

/// Computes attention with the keys and values of `prefix` before the others; all may be tracked. See
/// [`crate::nn::prefixed_attention`].
pub fn prefixed_attention(
    qkv: &Tensor<3>,
    prefix: &[Tensor<3>; 2],
    heads: usize,
) -> Option<Tensor<3>> {
    let [keys, values] = prefix;
    let inputs = [to_input(qkv)?, to_input(keys)?, to_input(values)?];
    let [batch, tokens, packed] = qkv.dims();
    let width = packed / 3;
    let [prefix_batch, length, _] = keys.dims();
    if keys.dims() != values.dims() || length == 0 || (prefix_batch != 1 && prefix_batch != batch) {
        return None;
    }
    let shape = Shape { tokens, heads, width };
    let layer = PrefixedShape { shape, length };
    let result_shape = [batch, tokens, width];
    Some(apply(inputs, result_shape, |inputs, tracked| {
        let (y, stats) = layer.forward(inputs.each_ref().map(Dense::values).into());
        let backward = backward_if(tracked, move |g, [wants_qkv, wants_keys, wants_values]| {
            let values_of_inputs = inputs.each_ref().map(Dense::values);
            let gradients = layer.backward(values_of_inputs.into(), &stats, g, wants_qkv);
            let [qkv_gradient, key_gradient, value_gradient] = gradients;
            let sum_if_shared = |gradient: Buffer| match prefix_batch == batch {
                true => gradient,
                false => sum_rows(&gradient, None, length * width),
            };
            [
                wants_qkv.then_some(Gradient::Values(qkv_gradient)),
                wants_keys.then(|| Gradient::Values(sum_if_shared(key_gradient))),
                wants_values.then(|| Gradient::Values(sum_if_shared(value_gradient))),
            ]
        });
        (y, backward)
    }))
}
