//! Layers whose own weights are trained: values and the gradients of all their tensors against
//! plain f64 implementations, on both paths of the dispatch point.

use burn::tensor::{Device, Tensor};
use lae_studio::nn::{self, Depthwise7, Frame, LayerNorm, Linear};
use proptest::prelude::*;

use crate::nn::{
    differences, framework_device, gradient_error, kernel_device, numbers, relative_error, tensor,
    values,
};
use crate::nn_exact as exact;

/// Compares values and all gradients of `layer` with `exact`.
fn check_all<const N: usize>(
    inputs: [Vec<f64>; N],
    layer: &dyn Fn([Tensor<1>; N]) -> Tensor<1>,
    exact: &dyn Fn(&[Vec<f64>; N]) -> Vec<f64>,
) {
    let expected = exact(&inputs);
    let weights = numbers(expected.len(), 77, 1.0);
    let gradients: [Vec<f64>; N] = std::array::from_fn(|i| {
        let partial = |x: &[f64]| {
            let mut changed = inputs.clone();
            changed[i] = x.to_vec();
            exact(&changed)
        };
        differences(&partial, &inputs[i], &weights)
    });
    for (device, tolerance) in [(kernel_device(), 4e-6), (framework_device(), 6e-6)] {
        let tracked = inputs.each_ref().map(|x| tensor(x, [x.len()], &device).require_grad());
        let output = layer(tracked.clone());
        let incoming = tensor(&weights, output.dims(), &device);
        let graph = (output.clone() * incoming).sum().backward();
        let difference = relative_error(&values(output), &expected);
        assert!(difference < tolerance, "{device:?}: values off by {difference:e}");
        for (i, (tracked, expected_gradient)) in tracked.iter().zip(&gradients).enumerate() {
            let actual = values(tracked.grad(&graph).unwrap());
            let difference = gradient_error(&actual, expected_gradient, &weights);
            assert!(difference < tolerance, "{device:?}: gradient {i} off by {difference:e}");
        }
    }
}

fn flat<const D: usize>(x: Tensor<D>) -> Tensor<1> {
    let count = x.dims().iter().product::<usize>();
    x.reshape([count])
}

/// out × in → in × out.
fn transposed(weight: &[f64], inputs: usize) -> Vec<f64> {
    (0..inputs).flat_map(|i| weight.chunks_exact(inputs).map(move |row| row[i])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn linear_gradients_match_f64(
        batch in 1..3usize, tokens in 1..8usize, inputs in 1..20usize, outputs in 1..20usize,
        bias: bool, seed: u64,
    ) {
        let rows = batch * tokens;
        let x = numbers(rows * inputs, seed, 1.0);
        let weight = numbers(inputs * outputs, 5, (inputs as f64).powf(-0.5));
        let own = numbers(outputs, 6, 0.3);
        let shape = [batch, tokens, inputs];
        let layer = |x: Tensor<1>, weight: Tensor<1>, bias: Option<Tensor<1>>| {
            let layer = Linear::new_trained(weight.reshape([outputs, inputs]), bias);
            flat(layer.forward(x.reshape(shape)))
        };
        let exactly = |x: &[f64], weight: &[f64], bias: &[f64]| {
            exact::linear(x, &transposed(weight, inputs), bias, inputs, outputs)
        };
        if bias {
            check_all(
                [x, weight, own],
                &|[x, weight, bias]| layer(x, weight, Some(bias)),
                &|[x, weight, bias]| exactly(x, weight, bias),
            );
        } else {
            check_all(
                [x, weight],
                &|[x, weight]| layer(x, weight, None),
                &|[x, weight]| exactly(x, weight, &[]),
            );
        }
    }

    #[test]
    fn layer_norm_gradients_match_f64(rows in 1..20usize, width in 5..40usize, seed: u64) {
        let gamma = numbers(width, 8, 0.2).iter().map(|v| v + 1.0).collect();
        check_all(
            [numbers(rows * width, seed, 1.5), gamma, numbers(width, 9, 0.2)],
            &|[x, gamma, beta]| {
                let layer = LayerNorm::new(gamma, beta, 1e-6);
                flat(layer.forward(x.reshape([rows, width])))
            },
            &|[x, gamma, beta]| exact::layer_norm(x, gamma, beta, 1e-6),
        );
    }

    #[test]
    fn attention_bias_gradients_match_f64(
        images in 1..4usize, groups in 1..3usize, tokens in 1..7usize, heads in 1..3usize,
        head in 1..5usize, seed: u64,
    ) {
        let (batch, packed) = (images * groups, 3 * heads * head);
        let qkv = numbers(batch * tokens * packed, seed, 1.0);
        let bias = numbers(groups * heads * tokens * tokens, 12, 1.0);
        check_all(
            [qkv, bias],
            &|[qkv, bias]| {
                let bias = bias.reshape([groups, heads, tokens, tokens]);
                let qkv = qkv.reshape([batch, tokens, packed]);
                flat(nn::attention(qkv, heads, Some(&bias)))
            },
            &|[qkv, bias]| exact::attention(qkv, batch, tokens, heads, bias),
        );
    }

    #[test]
    fn depthwise_convolution_gradients_match_f64(
        batch in 1..6usize, rows in 1..6usize, columns in 1..10usize, channels in 1..4usize,
        seed: u64,
    ) {
        let x = numbers(batch * rows * columns * channels, seed, 1.0);
        let shape = [batch, rows * columns, channels];
        check_all(
            [x, numbers(channels * 49, 10, 0.15), numbers(channels, 11, 0.2)],
            &|[x, weight, bias]| {
                let layer = Depthwise7::new(weight.reshape([channels, 1, 7, 7]), bias);
                flat(layer.forward(x.reshape(shape), rows, columns))
            },
            &|[x, weight, bias]| exact::depthwise7(x, [rows, columns], weight, bias),
        );
    }
}

/// The tensors of a sub-layer: input, norm, two linear maps (out × in).
fn sub_layer([rows, width, first, second]: [usize; 4], seed: u64) -> [Vec<f64>; 7] {
    [
        numbers(rows * width, seed, 1.0),
        numbers(width, 8, 0.2).iter().map(|v| v + 1.0).collect(),
        numbers(width, 9, 0.2),
        numbers(first * width, 5, (width as f64).powf(-0.5)),
        numbers(first, 6, 0.3),
        numbers(width * second, 7, (second as f64).powf(-0.5)),
        numbers(width, 4, 0.3),
    ]
}

/// Minimum channels of a norm: with two or three nearly equal channels, any implementation amplifies rounding
/// errors without bound.
const MIN_WIDTH: usize = 6;

/// Adds `x` if the sub-layer is residual.
fn framed(x: &[f64], y: Vec<f64>, residual: bool) -> Vec<f64> {
    let sum = |(x, y): (&f64, f64)| if residual { x + y } else { y };
    x.iter().zip(y).map(sum).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn mlp_gradients_match_f64(
        batch in 1..3usize, tokens in 1..5usize, width in MIN_WIDTH..11usize, hidden in 1..9usize,
        residual: bool, seed: u64,
    ) {
        check_all(
            sub_layer([batch * tokens, width, hidden, hidden], seed),
            &|[x, gamma, beta, w1, b1, w2, b2]| {
                let norm = LayerNorm::new(gamma, beta, 1e-5);
                let frame = Frame { norm: Some(&norm), residual };
                let fc1 = Linear::new_trained(w1.reshape([hidden, width]), Some(b1));
                let fc2 = Linear::new_trained(w2.reshape([width, hidden]), Some(b2));
                flat(nn::mlp(x.reshape([batch, tokens, width]), frame, &fc1, &fc2))
            },
            &|[x, gamma, beta, w1, b1, w2, b2]| {
                let e = exact::layer_norm(x, gamma, beta, 1e-5);
                let h = exact::linear(&e, &transposed(w1, width), b1, width, hidden);
                let h = exact::linear(&exact::gelu(&h), &transposed(w2, hidden), b2, hidden, width);
                framed(x, h, residual)
            },
        );
    }

    /// With enough images for every core, and with too few.
    #[test]
    fn self_attention_gradients_match_f64(
        many: bool, tokens in 1..5usize, heads in 1..3usize, head in MIN_WIDTH..9usize, residual: bool,
        seed: u64,
    ) {
        let batch = if many { rayon::current_num_threads() } else { 1 };
        let width = heads * head;
        check_all(
            sub_layer([batch * tokens, width, 3 * width, width], seed),
            &|[x, gamma, beta, w1, b1, w2, b2]| {
                let norm = LayerNorm::new(gamma, beta, 1e-5);
                let frame = Frame { norm: Some(&norm), residual };
                let qkv = Linear::new_trained(w1.reshape([3 * width, width]), Some(b1));
                let proj = Linear::new_trained(w2.reshape([width, width]), Some(b2));
                let x = x.reshape([batch, tokens, width]);
                flat(nn::self_attention(x, frame, [&qkv, &proj], heads, None))
            },
            &|[x, gamma, beta, w1, b1, w2, b2]| {
                let e = exact::layer_norm(x, gamma, beta, 1e-5);
                let h = exact::linear(&e, &transposed(w1, width), b1, width, 3 * width);
                let h = exact::attention(&h, batch, tokens, heads, &[]);
                framed(x, exact::linear(&h, &transposed(w2, width), b2, width, width), residual)
            },
        );
    }
}

/// More channels than one block of the kernel. Finite differences would take too long, so both paths are compared.
#[test]
fn wide_depthwise_convolution_matches_framework() {
    let inputs = [numbers(9 * 35 * 37, 1, 1.0), numbers(37 * 49, 2, 0.15), numbers(37, 3, 0.2)];
    let [first, second] = [kernel_device(), framework_device()].map(|device| {
        let [x, weight, bias] =
            inputs.each_ref().map(|x| tensor(x, [x.len()], &device).require_grad());
        let layer = Depthwise7::new(weight.clone().reshape([37, 1, 7, 7]), bias.clone());
        let y = layer.forward(x.clone().reshape([9, 35, 37]), 5, 7);
        let graph = y.powf_scalar(2.0).sum().backward();
        [x, weight, bias].map(|t| values(t.grad(&graph).unwrap()))
    });
    for (a, b) in first.iter().zip(&second) {
        assert!(relative_error(a, b) < 5e-6, "{:e}", relative_error(a, b));
    }
}

/// Gradients of weights are bit-exact for any number of threads.
#[test]
fn gradients_are_independent_of_thread_count() {
    let run = || {
        let leaf = |count: usize, seed: u64| {
            tensor(&numbers(count, seed, 0.3), [count], &kernel_device()).require_grad()
        };
        let leaves = [
            leaf(144 * 48, 1),
            leaf(144, 2),
            leaf(48, 3),
            leaf(48, 4),
            leaf(3 * 49 * 49, 5),
            leaf(48 * 49, 6),
            leaf(48, 7),
            leaf(48 * 48, 9),
        ];
        let [weight, bias, gamma, beta, scores, taps, shift, proj] = leaves.clone();
        let x = tensor(&numbers(37 * 49 * 48, 8, 1.0), [37, 49, 48], &Device::flex());
        let norm = LayerNorm::new(gamma, beta.clone(), 1e-5);
        let e = norm.forward(x);
        let e = Depthwise7::new(taps.reshape([48, 1, 7, 7]), shift.clone()).forward(e, 7, 7);
        let qkv = Linear::new_trained(weight.reshape([144, 48]), Some(bias));
        let y = nn::attention(qkv.forward(e), 3, Some(&scores.reshape([1, 3, 49, 49])));
        let proj = Linear::new_trained(proj.reshape([48, 48]), Some(beta));
        let y = nn::self_attention(y, Frame::pre_norm(&norm), [&qkv, &proj], 3, None);
        let y = nn::mlp(y, Frame::pre_norm(&norm), &proj, &proj);
        let graph = y.powf_scalar(2.0).sum().backward();
        leaves.map(|leaf| values(leaf.grad(&graph).unwrap()))
    };
    let pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(run)
    };
    let first = pool(1);
    for threads in [2, 3, 5, 16] {
        assert!(pool(threads) == first, "{threads} threads");
    }
}
