//! The frozen layers against plain f64 implementations: values, gradients (finite differences of
//! the f64 function), odd shapes, views, threads, and both paths of the dispatch point.

use burn::tensor::{Device, Distribution, Tensor, TensorData};
use lae_studio::nn::{self, Depthwise7, Frame, LayerNorm, Linear};
use proptest::prelude::*;

use crate::nn_exact as exact;

/// Returns the CPU device with gradients, which uses the kernels.
pub fn kernel_device() -> Device {
    Device::flex().autodiff()
}

/// Returns the CPU device that recomputes activations, which uses the framework's operations.
pub fn framework_device() -> Device {
    Device::flex().autodiff().gradient_checkpointing()
}

/// Returns reproducible, roughly normal numbers with this deviation.
pub fn numbers(count: usize, seed: u64, deviation: f64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count)
        .map(|_| {
            let value = (0..6).map(|_| uniform()).sum::<f64>() - 3.0;
            // Rounded to f32, so both sides start from the same numbers.
            f64::from((value * 1.414 * deviation) as f32)
        })
        .collect()
}

pub fn tensor<const D: usize>(values: &[f64], shape: [usize; D], device: &Device) -> Tensor<D> {
    let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

pub fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    let values = tensor.into_data().try_to_vec::<f32>().unwrap();
    values.into_iter().map(f64::from).collect()
}

/// max|a|.
fn max_abs(a: &[f64]) -> f64 {
    a.iter().fold(1e-30, |m: f64, v| m.max(v.abs()))
}

/// max|a − b|; NaN if any difference is NaN.
fn max_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let absolute = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    absolute.fold(0.0, |m: f64, v| if v > m || v.is_nan() { v } else { m })
}

/// max|a − b| / max|b|.
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    max_difference(a, b) / max_abs(b)
}

/// max|a − b| over the larger of max|b| and max|incoming|: if incoming gradients cancel (saturated softmax), the
/// rounding error in f32 is relative to them, not to the result.
pub fn gradient_error(a: &[f64], b: &[f64], incoming: &[f64]) -> f64 {
    max_difference(a, b) / max_abs(b).max(max_abs(incoming))
}

/// The gradient of Σ weights·f(x) by central differences.
pub fn differences(f: &dyn Fn(&[f64]) -> Vec<f64>, x: &[f64], weights: &[f64]) -> Vec<f64> {
    const STEP: f64 = 1e-4;
    let total = |x: &[f64]| -> f64 { f(x).iter().zip(weights).map(|(y, w)| y * w).sum() };
    (0..x.len())
        .map(|i| {
            let mut shifted = x.to_vec();
            shifted[i] = x[i] + STEP;
            let upper = total(&shifted);
            shifted[i] = x[i] - STEP;
            (upper - total(&shifted)) / (2.0 * STEP)
        })
        .collect()
}

/// Compares values and gradient of `layer` on both paths of the dispatch point with `exact`, and the values with and
/// without gradient tracking.
fn check<const D: usize>(
    x: &[f64],
    shape: [usize; D],
    layer: &dyn Fn(Tensor<D>) -> Tensor<D>,
    exact: &dyn Fn(&[f64]) -> Vec<f64>,
) {
    let expected = exact(x);
    let weights = numbers(expected.len(), 77, 1.0);
    let gradient = differences(exact, x, &weights);
    for (device, tolerance) in [(kernel_device(), 3e-6), (framework_device(), 5e-6)] {
        let input = tensor(x, shape, &device).require_grad();
        let output = layer(input.clone());
        let incoming = tensor(&weights, output.dims(), &device);
        let graph = (output.clone() * incoming).sum().backward();
        let output = values(output);
        let difference = relative_error(&output, &expected);
        assert!(difference < tolerance, "{shape:?} {device:?}: values off by {difference:e}");
        let difference = gradient_error(&values(input.grad(&graph).unwrap()), &gradient, &weights);
        assert!(difference < tolerance, "{shape:?} {device:?}: gradient off by {difference:e}");
        let untracked = layer(tensor(x, shape, &device.inner()));
        assert!(relative_error(&values(untracked), &output) < tolerance);
    }
}

fn linear(inputs: usize, outputs: usize, bias: bool) -> (Linear, Vec<f64>, Vec<f64>) {
    let weight = numbers(inputs * outputs, 5, (inputs as f64).powf(-0.5));
    let bias = if bias { numbers(outputs, 6, 0.3) } else { vec![] };
    let device = Device::flex();
    let bias_tensor = (!bias.is_empty()).then(|| tensor(&bias, [outputs], &device));
    let layer = Linear::new(tensor(&weight, [inputs, outputs], &device), bias_tensor);
    (layer, weight, bias)
}

fn layer_norm(width: usize) -> (LayerNorm, Vec<f64>, Vec<f64>) {
    let gamma: Vec<f64> = numbers(width, 8, 0.2).iter().map(|v| v + 1.0).collect();
    let beta = numbers(width, 9, 0.2);
    let device = Device::flex();
    let layer =
        LayerNorm::new(tensor(&gamma, [width], &device), tensor(&beta, [width], &device), 1e-6);
    (layer, gamma, beta)
}

fn depthwise(channels: usize) -> (Depthwise7, Vec<f64>, Vec<f64>) {
    let weight = numbers(channels * 49, 10, 0.15);
    let bias = numbers(channels, 11, 0.2);
    let device = Device::flex();
    let layer = Depthwise7::new(
        tensor(&weight, [channels, 1, 7, 7], &device),
        tensor(&bias, [channels], &device),
    );
    (layer, weight, bias)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn gelu_matches_f64(batch in 1..4usize, tokens in 1..8usize, width in 1..40usize, seed: u64) {
        let mut x = numbers(batch * tokens * width, seed, 2.0);
        // At least one value of usual size: results in the tail are too small for a relative error in f32.
        x[0] = 1.0;
        check(&x, [batch, tokens, width], &nn::gelu, &exact::gelu);
    }

    #[test]
    fn softmax_matches_f64(batch in 1..4usize, tokens in 1..8usize, width in 1..40usize, seed: u64) {
        let x = numbers(batch * tokens * width, seed, 3.0);
        let exact = |x: &[f64]| exact::softmax(x, width);
        check(&x, [batch, tokens, width], &nn::softmax, &exact);
    }

    #[test]
    fn layer_norm_matches_f64(batch in 1..4usize, tokens in 1..8usize, width in 5..70usize, seed: u64) {
        let x = numbers(batch * tokens * width, seed, 1.5);
        let (layer, gamma, beta) = layer_norm(width);
        let exact = |x: &[f64]| exact::layer_norm(x, &gamma, &beta, 1e-6);
        check(&x, [batch, tokens, width], &|x| layer.forward(x), &exact);
    }

    #[test]
    fn linear_matches_f64(
        batch in 1..4usize, tokens in 1..8usize, inputs in 1..40usize, outputs in 1..40usize,
        bias: bool, seed: u64,
    ) {
        let x = numbers(batch * tokens * inputs, seed, 1.0);
        let (layer, weight, bias) = linear(inputs, outputs, bias);
        let exact = |x: &[f64]| exact::linear(x, &weight, &bias, inputs, outputs);
        check(&x, [batch, tokens, inputs], &|x| layer.forward(x), &exact);
    }

    #[test]
    fn attention_matches_f64(
        images in 1..3usize, groups in 1..3usize, tokens in 1..20usize, heads in 1..4usize,
        head in 1..10usize, with_bias: bool, seed: u64,
    ) {
        let batch = images * groups;
        let x = numbers(batch * tokens * 3 * heads * head, seed, 1.0);
        let bias = numbers(groups * heads * tokens * tokens, 12, 1.0);
        let own = tensor(&bias, [groups, heads, tokens, tokens], &Device::flex());
        let (own, bias) = if with_bias { (Some(own), bias) } else { (None, vec![]) };
        let exact = |x: &[f64]| exact::attention(x, batch, tokens, heads, &bias);
        let layer = |x| nn::attention(x, heads, own.as_ref());
        check(&x, [batch, tokens, 3 * heads * head], &layer, &exact);
    }

    #[test]
    fn prefixed_attention_matches_f64(
        batch in 1..4usize, tokens in 1..20usize, length in 1..20usize, heads in 1..4usize,
        head in 1..10usize, shared: bool, seed: u64,
    ) {
        let width = heads * head;
        let groups = if shared { 1 } else { batch };
        let prefix = [groups, length, width];
        let x = numbers(batch * tokens * 3 * width, seed, 1.0);
        let [k, v] = [1, 2].map(|part| numbers(groups * length * width, seed ^ part, 1.0));
        let exact = |x: &[f64], k: &[f64], v: &[f64]| {
            exact::prefixed_attention(x, [k, v], [batch, tokens, length], heads)
        };
        let fixed = |values: &[f64]| tensor(values, prefix, &Device::flex());
        let of_x = |x| nn::prefixed_attention(x, [fixed(&k), fixed(&v)], heads);
        check(&x, [batch, tokens, 3 * width], &of_x, &|x| exact(x, &k, &v));
        let qkv = tensor(&x, [batch, tokens, 3 * width], &Device::flex());
        let of_k = |k| nn::prefixed_attention(qkv.clone(), [k, fixed(&v)], heads);
        check(&k, prefix, &of_k, &|k| exact(&x, k, &v));
        let of_v = |v| nn::prefixed_attention(qkv.clone(), [fixed(&k), v], heads);
        check(&v, prefix, &of_v, &|v| exact(&x, &k, v));
    }

    #[test]
    fn mlp_matches_f64(
        batch in 1..4usize, tokens in 1..6usize, width in 5..20usize, hidden in 1..40usize,
        with_norm: bool, residual: bool, seed: u64,
    ) {
        let x = numbers(batch * tokens * width, seed, 1.0);
        let (norm, gamma, beta) = layer_norm(width);
        let (fc1, weight1, bias1) = linear(width, hidden, true);
        let (fc2, weight2, bias2) = linear(hidden, width, with_norm);
        let frame = Frame { norm: with_norm.then_some(&norm), residual };
        let exact = |x: &[f64]| {
            let e = if with_norm { exact::layer_norm(x, &gamma, &beta, 1e-6) } else { x.to_vec() };
            let h = exact::gelu(&exact::linear(&e, &weight1, &bias1, width, hidden));
            let y = exact::linear(&h, &weight2, &bias2, hidden, width);
            y.iter().zip(x).map(|(y, x)| if residual { y + x } else { *y }).collect()
        };
        check(&x, [batch, tokens, width], &|x| nn::mlp(x, frame, &fc1, &fc2), &exact);
    }

    #[test]
    fn self_attention_matches_f64(
        batch in 1..5usize, tokens in 1..12usize, heads in 1..3usize, head in 5..9usize,
        with_norm: bool, residual: bool, seed: u64,
    ) {
        let width = heads * head;
        let x = numbers(batch * tokens * width, seed, 1.0);
        let (norm, gamma, beta) = layer_norm(width);
        let (qkv, weight1, bias1) = linear(width, 3 * width, residual);
        let (proj, weight2, bias2) = linear(width, width, true);
        let frame = Frame { norm: with_norm.then_some(&norm), residual };
        let exact = |x: &[f64]| {
            let e = if with_norm { exact::layer_norm(x, &gamma, &beta, 1e-6) } else { x.to_vec() };
            let h = exact::linear(&e, &weight1, &bias1, width, 3 * width);
            let h = exact::attention(&h, batch, tokens, heads, &[]);
            let y = exact::linear(&h, &weight2, &bias2, width, width);
            y.iter().zip(x).map(|(y, x)| if residual { y + x } else { *y }).collect()
        };
        let layer = |x| nn::self_attention(x, frame, [&qkv, &proj], heads, None);
        check(&x, [batch, tokens, width], &layer, &exact);
    }

    #[test]
    fn depthwise_convolution_matches_f64(
        batch in 1..3usize, rows in 1..9usize, columns in 1..11usize, channels in 1..20usize,
        seed: u64,
    ) {
        let x = numbers(batch * rows * columns * channels, seed, 1.0);
        let (layer, weight, bias) = depthwise(channels);
        let exact = |x: &[f64]| exact::depthwise7(x, [rows, columns], &weight, &bias);
        let layer = |x| layer.forward(x, rows, columns);
        check(&x, [batch, rows * columns, channels], &layer, &exact);
    }
}

/// Finite differences would take too long at the sizes of real networks, so both paths are compared.
#[test]
fn kernels_match_framework_at_real_sizes() {
    let (norm, ..) = layer_norm(192);
    let (qkv, ..) = linear(192, 576, true);
    let (proj, ..) = linear(192, 192, true);
    let network = |x: Tensor<3>| {
        let y = nn::attention(qkv.forward(norm.forward(x.clone())), 3, None);
        nn::gelu(x + proj.forward(y))
    };
    let x = numbers(3 * 197 * 192, 21, 1.0);
    let run = |device: Device| {
        let input = tensor(&x, [3, 197, 192], &device).require_grad();
        let output = network(input.clone());
        let graph = output.clone().powf_scalar(2.0).mean().backward();
        (values(output), values(input.grad(&graph).unwrap()))
    };
    let ((y, dx), (y_plain, dx_plain)) = (run(kernel_device()), run(framework_device()));
    assert!(relative_error(&y, &y_plain) < 2e-6, "{:e}", relative_error(&y, &y_plain));
    assert!(relative_error(&dx, &dx_plain) < 5e-6, "{:e}", relative_error(&dx, &dx_plain));
}

#[test]
fn views_give_same_results_as_copies() {
    let device = Device::flex();
    let base = tensor(&numbers(6 * 10 * 48, 3, 1.0), [6, 10, 48], &device);
    let (layer, ..) = layer_norm(16);
    let views = [
        base.clone().slice([2..5, 0..10, 0..48]).reshape([30, 3, 16]),
        base.clone().slice([0..6, 3..9, 16..32]),
        base.clone().swap_dims(0, 1).slice([0..10, 1..3, 32..48]),
        base.clone().flip([1]).slice([0..2, 0..10, 0..16]),
        base.slice([0..1, 0..1, 0..16]).expand([4, 5, 16]),
    ];
    for view in views {
        let shape = view.dims();
        let copy: Tensor<3> = Tensor::from_data(view.clone().into_data(), &device);
        assert_eq!(
            values(layer.forward(view.clone())),
            values(layer.forward(copy.clone())),
            "{shape:?}"
        );
        assert_eq!(values(nn::gelu(view)), values(nn::gelu(copy)), "{shape:?}");
    }
}

#[test]
fn constant_and_tracked_inputs_combine() {
    let x = numbers(2 * 5 * 16, 4, 1.0);
    let (layer, ..) = layer_norm(16);
    let constant = layer.forward(tensor(&x, [2, 5, 16], &kernel_device()));
    assert!(constant.is_autodiff() && !constant.is_tracked());
    let tracked = tensor(&x, [2, 5, 16], &kernel_device()).require_grad();
    let graph = (layer.forward(tracked.clone()) * constant).sum().backward();
    assert!(tracked.grad(&graph).is_some());
}

/// A derived weight that needs a gradient uses the framework's path.
#[test]
fn trained_weights_get_gradients() {
    let device = kernel_device();
    let weight = tensor(&numbers(16 * 4, 5, 0.3), [16, 4], &device).require_grad();
    let layer = Linear::new(weight.clone(), None);
    let x = tensor(&numbers(2 * 5 * 16, 4, 1.0), [2, 5, 16], &device.inner());
    let graph = layer.forward(x).sum().backward();
    assert!(weight.grad(&graph).is_some());
}

/// The kernels do not support f64.
#[test]
fn f64_input_uses_framework() {
    let x = Tensor::<2>::from_data(
        TensorData::new(vec![0.5f64, -1.0, 2.0], [1, 3]),
        (&Device::flex(), burn::tensor::DType::F64),
    );
    let y = nn::gelu(x).into_data().try_to_vec::<f64>().unwrap();
    assert!(relative_error(&y, &exact::gelu(&[0.5, -1.0, 2.0])) < 1e-6);
}

/// Many threads repeat the same forward and backward pass with bit-exact results.
#[test]
fn concurrent_calls_give_identical_results() {
    let (norm, ..) = layer_norm(48);
    let (qkv, ..) = linear(48, 144, true);
    let (conv, ..) = depthwise(48);
    let x = numbers(5 * 49 * 48, 2, 1.0);
    let run = || {
        let input = tensor(&x, [5, 49, 48], &kernel_device()).require_grad();
        let y = conv.forward(norm.forward(input.clone()), 7, 7);
        let y = nn::softmax(nn::gelu(nn::attention(qkv.forward(y), 3, None)));
        let graph = y.clone().powf_scalar(2.0).sum().backward();
        (values(y), values(input.grad(&graph).unwrap()))
    };
    let first = run();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert!(run() == first);
                }
            });
        }
    });
    nn::release_buffers();
    assert!(run() == first);
}

/// Results are bit-exact for any number of threads.
#[test]
fn results_are_independent_of_thread_count() {
    let (norm, ..) = layer_norm(48);
    let ((fc1, ..), (fc2, ..)) = (linear(48, 192, true), linear(192, 48, true));
    let ((qkv, ..), (proj, ..)) = (linear(48, 144, true), linear(48, 48, true));
    let run = || {
        let x = tensor(&numbers(7 * 49 * 48, 2, 1.0), [7, 49, 48], &kernel_device()).require_grad();
        let w = tensor(&numbers(48 * 5, 3, 0.2), [48, 5], &kernel_device()).require_grad();
        let s = tensor(&numbers(48, 4, 0.2), [1, 1, 48], &kernel_device()).require_grad();
        let e = nn::mlp(x.clone(), Frame::pre_norm(&norm), &fc1, &fc2);
        let e = nn::self_attention(e, Frame::pre_norm(&norm), [&qkv, &proj], 3, None);
        let p = tensor(&numbers(3 * 48, 5, 1.0), [1, 3, 48], &kernel_device()).require_grad();
        let packed = Tensor::cat(vec![e.clone(), e.clone(), e], 2);
        let e = nn::prefixed_attention(packed, [p.clone(), p.clone()], 3);
        let small = nn::project(nn::multiply(e, s.clone()).reshape([7 * 49, 48]), w.clone());
        let graph = nn::gelu(small.clone()).sum().backward();
        let gradients = [
            values(x.grad(&graph).unwrap()),
            values(w.grad(&graph).unwrap()),
            values(s.grad(&graph).unwrap()),
            values(p.grad(&graph).unwrap()),
        ];
        (values(small), gradients)
    };
    let pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(run)
    };
    let first = pool(1);
    // With more threads than the seven images, heads and rows are distributed instead.
    for threads in [2, 3, 5, 7, 8, 16] {
        assert!(pool(threads) == first, "{threads} threads");
    }
}

/// Checks a tensor of shape `large` with a broadcast one of shape `small`, in both orders.
fn check_pair(
    large: [usize; 3],
    small: [usize; 3],
    layer: &dyn Fn(Tensor<3>, Tensor<3>) -> Tensor<3>,
    exact: &dyn Fn(f64, f64) -> f64,
) {
    let (x, y) =
        (numbers(large.iter().product(), 21, 1.0), numbers(small.iter().product(), 22, 1.0));
    // `y` repeats along rows, or is one value for all.
    let width = if small[2] == large[2] { y.len() } else { 1 };
    let combine = |x: &[f64], y: &[f64]| -> Vec<f64> {
        let pairs = x.iter().enumerate();
        pairs.map(|(i, x)| exact(*x, y[i % width])).collect()
    };
    let constant = |values: &[f64], shape| tensor::<3>(values, shape, &Device::flex());
    let fixed = constant(&y, small);
    check(&x, large, &|x| layer(x, fixed.clone()), &|x| combine(x, &y));
    check(&x, large, &|x| layer(fixed.clone(), x), &|x| combine(x, &y));
    let fixed = constant(&x, large);
    check(&y, small, &|y| layer(fixed.clone(), y), &|y| combine(&x, y));
}

#[test]
fn plus_and_times_match_f64() {
    for large in [[2, 3, 5], [1, 1, 1], [3, 1, 17], [2, 150, 3], [1, 7, 33]] {
        for small in [large, [1, 1, large[2]], [1, 1, 1]] {
            check_pair(large, small, &nn::add, &|x, y| x + y);
            check_pair(large, small, &nn::multiply, &|x, y| x * y);
        }
    }
}

/// Shapes that the kernels do not support.
#[test]
fn times_supports_other_broadcasts() {
    let x = tensor(&numbers(12, 1, 1.0), [2, 3, 2], &kernel_device()).require_grad();
    let column = tensor(&[1.0, 2.0, 3.0], [1, 3, 1], &kernel_device()).require_grad();
    let graph = nn::multiply(x.clone(), column.clone()).sum().backward();
    assert_eq!(x.grad(&graph).unwrap().dims(), [2, 3, 2]);
    assert_eq!(column.grad(&graph).unwrap().dims(), [1, 3, 1]);
}

#[test]
fn project_matches_f64() {
    for [rows, inputs, outputs] in [[1, 1, 1], [6, 5, 3], [17, 33, 5], [5, 3, 40], [600, 4, 3]] {
        let (x, w) = (numbers(rows * inputs, 3, 1.0), numbers(inputs * outputs, 4, 0.5));
        let exact = |x: &[f64], w: &[f64]| -> Vec<f64> {
            let element = |i: usize| {
                let (row, column) = (i / outputs, i % outputs);
                let terms = (0..inputs).map(|k| x[row * inputs + k] * w[k * outputs + column]);
                terms.sum()
            };
            (0..rows * outputs).map(element).collect()
        };
        let fixed = tensor(&w, [inputs, outputs], &Device::flex());
        let of_x = |x: Tensor<2>| nn::project(x, fixed.clone());
        check(&x, [rows, inputs], &of_x, &|x| exact(x, &w));
        let fixed = tensor(&x, [rows, inputs], &Device::flex());
        let of_w = |w: Tensor<2>| nn::project(fixed.clone(), w);
        check(&w, [inputs, outputs], &of_w, &|w| exact(&x, w));
    }
}

#[test]
fn large_random_batch_stays_finite() {
    let (norm, ..) = layer_norm(64);
    let x = Tensor::<3>::random([33, 17, 64], Distribution::Normal(0.0, 100.0), &Device::flex());
    assert!(values(nn::gelu(norm.forward(x))).iter().all(|v| v.is_finite()));
}
