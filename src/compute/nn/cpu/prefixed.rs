//! Softmax attention with prefixes of keys and values, as a tensor operation.

use std::sync::Arc;

use burn::tensor::Tensor;
use lae_kernels::attention::Shape;
use lae_kernels::buffer::Buffer;
use lae_kernels::prefixed::Prefixed;
use lae_kernels::sums::sum_of_rows;

use super::glue::{Dense, Gradient, Run, apply, to_input};

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
    let [shared, length, _] = keys.dims();
    if keys.dims() != values.dims() || length == 0 || (shared != 1 && shared != batch) {
        return None;
    }
    let shape = Shape {
        tokens,
        heads,
        width,
    };
    let layer = Prefixed { shape, length };
    let result = [batch, tokens, width];
    Some(apply(inputs, result, |inputs, tracked| {
        let (y, stats) = layer.forward(inputs.each_ref().map(Dense::numbers).into());
        let back = tracked.then(|| {
            let back: Run<3> = Arc::new(move |g, [to_qkv, to_keys, to_values]| {
                let given = inputs.each_ref().map(Dense::numbers);
                let of = layer.backward(given.into(), &stats, g, to_qkv);
                let [to_all, keys, values] = of;
                let own = |of: Buffer| match shared == batch {
                    true => of,
                    false => sum_of_rows(&of, None, length * width),
                };
                [
                    to_qkv.then_some(Gradient::Own(to_all)),
                    to_keys.then(|| Gradient::Own(own(keys))),
                    to_values.then(|| Gradient::Own(own(values))),
                ]
            });
            back
        });
        (y, back)
    }))
}
