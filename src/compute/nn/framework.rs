//! The layers as operations of the framework, for devices without kernels of this program and for trained weights.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

use super::{Adam, Momentum, matmul};

/// Computes `x · weight + bias` over the last axis. `product` multiplies rows (n × in) by the weight (in × out).
pub(super) fn linear<const D: usize>(
    x: Tensor<D>,
    [inputs, outputs]: [usize; 2],
    product: impl FnOnce(Tensor<2>) -> Tensor<2>,
    bias: Option<&Tensor<1>>,
) -> Tensor<D> {
    let mut shape = x.dims();
    let rows = shape[..D - 1].iter().product::<usize>();
    shape[D - 1] = outputs;
    let y = product(x.reshape([rows, inputs]));
    let y = match bias {
        Some(bias) => y + bias.clone().unsqueeze::<2>(),
        None => y,
    };
    y.reshape(shape)
}

/// Computes the layer norm over the last axis, with the biased variance.
pub(super) fn layer_norm<const D: usize>(
    x: Tensor<D>,
    gamma: &Tensor<1>,
    beta: &Tensor<1>,
    epsilon: f64,
) -> Tensor<D> {
    let (variance, mean) = x.clone().var_mean_bias(D - 1);
    let y = (x - mean) / (variance + epsilon).sqrt();
    y * gamma.clone().unsqueeze() + beta.clone().unsqueeze()
}

/// Computes `x · Φ(x)` with `erf`. The framework's own GELU uses the gradient of the tanh approximation on GPUs.
pub(super) fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let phi = (x.clone() / std::f64::consts::SQRT_2).erf() + 1.0;
    x * phi * 0.5
}

/// Computes SwiGLU; see [`super::swiglu`].
pub(super) fn swiglu(x: Tensor<3>) -> Tensor<3> {
    let [batch, tokens, width] = x.dims();
    let part = |i: usize| {
        let columns = i * width / 2..(i + 1) * width / 2;
        x.clone().slice([0..batch, 0..tokens, columns])
    };
    let gate = part(0);
    gate.clone() * sigmoid(gate) * part(1)
}

/// Applies a rotary embedding: qkv · cos + partners · sin; see [`super::Rotation`]. The tables are 1 × rotated tokens
/// × 3·width; `pairs` (per head) and `half` are those of the angles.
pub(super) fn rotate(
    qkv: Tensor<3>,
    [cos, sin]: [Tensor<3>; 2],
    (pairs, half): (usize, bool),
) -> Tensor<3> {
    let [batch, tokens, width] = qkv.dims();
    let [_, rotated, _] = cos.dims();
    let leading = tokens - rotated;
    let slice_tokens = |range| qkv.clone().slice([0..batch, range, 0..width]);
    let x = slice_tokens(leading..tokens);
    let [heads, inner] = match half {
        true => [width / (2 * pairs), pairs],
        false => [width / 2, 1],
    };
    let halves = x.clone().reshape([batch, rotated, heads, 2, inner]);
    let partners = halves.flip([3]).reshape([batch, rotated, width]);
    let x = x * cos + partners * sin;
    match leading {
        0 => x,
        _ => Tensor::cat(vec![slice_tokens(0..leading), x], 1),
    }
}

/// Computes the softmax over the last axis.
pub(super) fn softmax<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    burn::tensor::activation::softmax(x, D - 1)
}

/// Splits packed projections into heads; see [`super::split_heads`].
pub(super) fn split_heads(
    qkv: &Tensor<3>,
    prefix: Option<[Tensor<3>; 2]>,
    heads: usize,
) -> [Tensor<4>; 3] {
    let [batch, tokens, packed] = qkv.dims();
    let width = packed / 3;
    let part = |i: usize| qkv.clone().slice([0..batch, 0..tokens, i * width..(i + 1) * width]);
    let split = |x: Tensor<3>| {
        let [batch, tokens, _] = x.dims();
        x.reshape([batch, tokens, heads, width / heads]).swap_dims(1, 2)
    };
    let Some(prefix) = prefix else {
        return [part(0), part(1), part(2)].map(split);
    };
    let [k, v] = prefix.map(|part| part.expand([batch as i64, -1, -1]));
    let prepend = |prefix, suffix| Tensor::cat(vec![prefix, suffix], 1);
    [part(0), prepend(k, part(1)), prepend(v, part(2))].map(split)
}

/// Computes softmax attention from queries, keys and values (batch × heads × tokens × head width); there may be more
/// keys than queries. See [`super::attention`].
pub(super) fn attention([q, k, v]: [Tensor<4>; 3], bias: Option<&Tensor<4>>) -> Tensor<3> {
    merge_heads(matmul(attention_weights(q, k, bias), v))
}

/// Returns the factor of the scores, head_width^−½.
pub(super) fn scale(q: &Tensor<4>) -> f64 {
    (q.dims()[3] as f64).powf(-0.5)
}

/// Computes the attention weights after the softmax: batch × heads × queries × keys.
pub(super) fn attention_weights(q: Tensor<4>, k: Tensor<4>, bias: Option<&Tensor<4>>) -> Tensor<4> {
    let [batch, heads, tokens, _] = q.dims();
    let scale = scale(&q);
    let mut scores = matmul(q * scale, k.swap_dims(2, 3));
    if let Some(bias) = bias {
        let groups = bias.dims()[0];
        let shape = [batch / groups, groups, heads, tokens * tokens];
        scores = (scores.reshape(shape)
            + bias.clone().reshape([1, groups, heads, tokens * tokens]))
        .reshape([batch, heads, tokens, tokens]);
    }
    softmax(scores)
}

/// Merges heads: batch × heads × tokens × head width → batch × tokens × width.
pub(super) fn merge_heads(mixed: Tensor<4>) -> Tensor<3> {
    let [batch, heads, tokens, head] = mixed.dims();
    mixed.swap_dims(1, 2).reshape([batch, tokens, heads * head])
}

/// Computes a depthwise 7 × 7 convolution of tokens on a grid; `weight` is channels × 1 × 7 × 7.
pub(super) fn depthwise7(
    x: Tensor<3>,
    [rows, columns]: [usize; 2],
    weight: &Tensor<4>,
    bias: &Tensor<1>,
) -> Tensor<3> {
    let [batch, tokens, channels] = x.dims();
    let grid = x.swap_dims(1, 2).reshape([batch, channels, rows, columns]);
    let options = ConvOptions::new([1, 1], [3, 3], [1, 1], channels);
    let y = conv2d(grid, weight.clone(), Some(bias.clone()), options);
    y.reshape([batch, channels, tokens]).swap_dims(1, 2)
}

/// Performs a step of SGD with momentum; see [`Momentum::step`].
pub(super) fn momentum_step(
    rule: Momentum,
    value: Tensor<1>,
    gradient: Tensor<1>,
    factor: Option<&Tensor<1>>,
    previous: Option<Tensor<1>>,
) -> [Tensor<1>; 2] {
    let gradient = match factor {
        Some(factor) => gradient * factor.clone(),
        None => gradient,
    };
    let gradient = gradient + value.clone() * rule.decay;
    let change = match previous {
        Some(previous) => previous * rule.momentum + gradient,
        None => gradient,
    };
    [value - change.clone() * rule.rate, change]
}

/// Performs a step of Adam; see [`Adam::step`].
pub(super) fn adam_step(
    rule: Adam,
    value: Tensor<1>,
    gradient: Tensor<1>,
    previous: Option<[Tensor<1>; 2]>,
) -> [Tensor<1>; 3] {
    let [beta1, beta2] = rule.betas;
    let scaled_square = gradient.clone() * gradient.clone() * (1.0 - beta2);
    let scaled_gradient = gradient * (1.0 - beta1);
    let (first, second) = match previous {
        Some([first, second]) => (first * beta1 + scaled_gradient, second * beta2 + scaled_square),
        None => (scaled_gradient, scaled_square),
    };
    let [rate, root] = rule.corrections();
    let root = second.clone().sqrt() / root + rule.epsilon;
    let updated = value - (first.clone() / root) * rate;
    [updated, first, second]
}
