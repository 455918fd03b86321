//! Compares the results of a small network on a device with those on the CPU, to check that a GPU computes correctly.
//!
//! The network has two ViT blocks with an Adapter parallel to each attention. The backward pass computes gradients
//! only for the PETs and the head, because such work has failed with real drivers. The weights come from a fixed
//! sequence, so both devices get the same values. The test is repeated with frozen matrices in half precision if the
//! device supports it. [`check_layers`] compares single layers whose sizes are not multiples of the tile sizes of GPU
//! kernels, and [`check_updates`] the optimisers.

use std::sync::Arc;

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};

use crate::nn::rows::{Order, ZERO_ROW};
use crate::nn::{
    Adam, Angles, Depthwise7, Frame, LayerNorm, Linear, Momentum, Rotation, WeightPlacement,
    WeightType, attention, blend_all, gelu, mlp, prefixed_attention, project, reorder,
    self_attention, swiglu,
};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

const BATCH: usize = 4;
const TOKENS: usize = 17;
const WIDTH: usize = 64;
const HEADS: usize = 4;
const BOTTLENECK: usize = 8;
const CLASSES: usize = 5;
/// Largest relative error that single precision can explain.
pub const TOLERANCE: f64 = 1e-3;

/// Runs the network on `device` and on the CPU, both with frozen matrices of type `weights`; returns the largest
/// relative error.
///
/// # Errors
/// Returns a Problem if the device fails, returns non-finite values, or has an error larger than [`TOLERANCE`].
pub fn run(device: &Device, weights: WeightType) -> Result<f64> {
    let expected = compute_outputs(&(&Device::flex(), weights).into())?;
    let found = compute_outputs(&(device, weights).into())?;
    let mut worst = 0f64;
    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
        worst = worst.max(check(name, found, expected, TOLERANCE)?);
    }
    Ok(worst)
}

/// Runs single layers on `device` and on the CPU, forward and backward; returns the largest relative error.
///
/// # Errors
/// As [`run`].
pub fn check_layers(device: &Device) -> Result<f64> {
    let mut worst = 0f64;
    for (name, layer) in LAYERS {
        let compute = |device: &Device| -> Result<Vec<HostTensor>> {
            let (inputs, y) = layer(&mut Sequence(7), device)?;
            let plain = device.clone();
            let weight: Tensor<3> = Sequence(11).next(y.dims(), 1.0, &plain)?;
            let gradients = (y.clone() * Tensor::from_inner(weight)).sum().backward();
            let mut found = vec![HostTensor::read(&y.inner())?];
            for input in inputs {
                let gradient = input.grad(&gradients).ok_or_else(|| {
                    Problem::new(format!("{name}: the gradient of an input is missing"))
                })?;
                found.push(HostTensor::read(&gradient)?);
            }
            Ok(found)
        };
        for (found, expected) in compute(device)?.iter().zip(&compute(&Device::flex())?) {
            worst = worst.max(check(name, found, expected, LAYER_TOLERANCE)?);
        }
    }
    Ok(worst)
}

/// Performs steps of the optimisers and a moving average on `device` and on the CPU; returns the largest relative
/// error.
///
/// # Errors
/// As [`run`].
pub fn check_updates(device: &Device) -> Result<f64> {
    let mut worst = 0f64;
    let expected = compute_updates(&Device::flex())?;
    for ((name, found), (_, expected)) in compute_updates(device)?.iter().zip(&expected) {
        worst = worst.max(check(name, found, expected, LAYER_TOLERANCE)?);
    }
    Ok(worst)
}

/// Returns the results of two steps of each optimiser, the second with a factor of the gradient, and moving averages.
fn compute_updates(device: &Device) -> Result<Vec<(&'static str, HostTensor)>> {
    let mut sequence = Sequence(13);
    let mut vectors = || -> Result<Vec<Tensor<1>>> {
        [1, 64, 300].into_iter().map(|size| sequence.next([size], 1.0, device)).collect()
    };
    let (old, new) = (vectors()?, vectors()?);
    let average = Tensor::cat(blend_all(old, new, 0.9), 0);
    let value: Tensor<1> = sequence.next([300], 1.0, device)?;
    let gradient: Tensor<1> = sequence.next([300], 1.0, device)?;
    let factor: Tensor<1> = sequence.next([1], 1.0, device)?;
    let adam = |steps| Adam { rate: 0.1, betas: [0.9, 0.999], epsilon: 1e-8, steps };
    let [moved, first, second] = adam(1).step(value.clone(), gradient.clone(), None, None);
    let previous = Some([first, second]);
    let [moved, first, second] = adam(2).step(moved, gradient.clone(), Some(&factor), previous);
    let sgd = Momentum { rate: 0.1, momentum: 0.9, decay: 0.01 };
    let [changed, change] = sgd.step(value, gradient.clone(), None, None);
    let [changed, change] = sgd.step(changed, gradient, Some(&factor), Some(change));
    let results = [
        ("a moving average", average),
        ("a step of Adam", moved),
        ("Adam's first moment", first),
        ("Adam's second moment", second),
        ("a step of SGD", changed),
        ("the change by SGD", change),
    ];
    results.into_iter().map(|(name, tensor)| Ok((name, HostTensor::read(&tensor)?))).collect()
}

/// Largest relative error of a single layer.
const LAYER_TOLERANCE: f64 = 2e-5;

/// Computes a layer; returns its inputs, whose gradients are compared, and its result.
type LayerFn = fn(&mut Sequence, &Device) -> Result<(Vec<Tensor<3>>, Tensor<3>)>;

const LAYERS: [(&str, LayerFn); 11] = [
    ("a linear layer", |sequence, device| {
        let layer = sequence.linear([65, 66], device)?;
        let x = sequence.input([3, 11, 65], device)?;
        Ok((vec![x.clone()], layer.forward(x)))
    }),
    ("a layer norm", |sequence, device| {
        let norm = sequence.norm(50, device)?;
        let x = sequence.input([2, 9, 50], device)?;
        Ok((vec![x.clone()], norm.forward(x)))
    }),
    ("a narrow product", |sequence, device| {
        let x = sequence.input([4, 300, 36], device)?;
        let weight = sequence.input([1, 36, 5], device)?;
        let y = project(x.clone().reshape([1200, 36]), weight.clone().reshape([36, 5]));
        Ok((vec![x, weight], y.reshape([4, 300, 5])))
    }),
    ("a wide product", |sequence, device| {
        let x = sequence.input([8, 600, 70], device)?;
        let weight = sequence.input([1, 70, 64], device)?;
        let y = project(x.clone().reshape([4800, 70]), weight.clone().reshape([70, 64]));
        Ok((vec![x, weight], y.reshape([8, 600, 64])))
    }),
    ("an MLP", |sequence, device| {
        let norm = sequence.norm(36, device)?;
        let fc1 = sequence.linear([36, 132], device)?;
        let fc2 = sequence.linear([132, 36], device)?;
        let x = sequence.input([2, 33, 36], device)?;
        Ok((vec![x.clone()], mlp(x, Frame::pre_norm(&norm), &fc1, &fc2)))
    }),
    ("an attention", |sequence, device| {
        let norm = sequence.norm(24, device)?;
        let qkv = sequence.linear([24, 72], device)?;
        let proj = sequence.linear([24, 24], device)?;
        let bias = sequence.next([2, 3, 50, 50], 1.0, device)?;
        let x = sequence.input([4, 50, 24], device)?;
        let frame = Frame::pre_norm(&norm);
        let y = self_attention(x.clone(), frame, [&qkv, &proj], 3, Some(&bias));
        Ok((vec![x], self_attention(y, frame, [&qkv, &proj], 2, None)))
    }),
    ("an attention of many tokens", |sequence, device| {
        let x = sequence.input([2, 100, 48], device)?;
        let wide_input = sequence.input([1, 20, 312], device)?;
        let long_input = sequence.input([1, 130, 24], device)?;
        let y = attention(x.clone(), 2, None).sum() + attention(wide_input.clone(), 2, None).sum();
        let z = attention(long_input.clone(), 2, None);
        Ok((vec![x, wide_input, long_input], z * y.reshape([1, 1, 1])))
    }),
    ("an attention with prefixes", |sequence, device| {
        let x = sequence.input([3, 14, 72], device)?;
        let (k, v) = (sequence.input([1, 5, 24], device)?, sequence.input([1, 5, 24], device)?);
        let y = prefixed_attention(x.clone(), [k.clone(), v.clone()], 3);
        let image_prefix = sequence.input([3, 2, 24], device)?;
        let z = prefixed_attention(x.clone(), [image_prefix.clone(), image_prefix.clone()], 2);
        Ok((vec![x, k, v, image_prefix], y + z))
    }),
    ("an order of tokens", |sequence, device| {
        let x = sequence.input([3, 5, 7], device)?;
        let order = Order::new(vec![4, 0, ZERO_ROW, 2, ZERO_ROW, 1], 5);
        let y = reorder(&x, &Arc::new(order)).ok_or_else(|| Problem::new("there is no kernel"))?;
        Ok((vec![x], y))
    }),
    ("a depthwise convolution", |sequence, device| {
        let plain = device.clone().inner();
        let weight = sequence.next([10, 1, 7, 7], 0.2, &plain)?;
        let bias = sequence.next([10], 1.0, &plain)?;
        let x = sequence.input([2, 55, 10], device)?;
        let y = Depthwise7::new(weight, bias).forward(x.clone(), 5, 11);
        Ok((vec![x], y))
    }),
    ("rotary positions and SwiGLU", |sequence, device| {
        let x = sequence.input([2, 9, 72], device)?;
        let mut y = x.clone();
        for half in [false, true] {
            let angles = sequence.values(7 * 6, 3.0);
            let map_angles =
                |function: fn(f32) -> f32| angles.iter().map(|angle| function(*angle)).collect();
            let angles = Angles {
                cos: map_angles(f32::cos),
                sin: map_angles(f32::sin),
                pairs: 6,
                rotate_half: half,
            };
            y = Rotation::new(angles, device).apply(y);
        }
        Ok((vec![x], swiglu(y)))
    }),
];

/// Returns the error of a tensor relative to the largest expected value.
///
/// # Errors
/// Returns a Problem that names the tensor if it is not finite or its error exceeds the tolerance.
pub fn check(name: &str, found: &HostTensor, expected: &HostTensor, tolerance: f64) -> Result<f64> {
    let error = found.relative_error(expected);
    match error.is_finite() && error <= tolerance {
        true => Ok(error),
        false => Err(Problem::new(format!(
            "{name} differs from the CPU's by {error:.1e} of the largest value"
        ))),
    }
}

/// A fixed pseudo-random sequence of values between −1 and 1.
struct Sequence(u64);

impl Sequence {
    /// Returns the next values times `scale` as a tensor.
    fn next<const D: usize>(
        &mut self,
        shape: [usize; D],
        scale: f32,
        device: &Device,
    ) -> Result<Tensor<D>> {
        let host = HostTensor {
            shape: shape.to_vec(),
            values: self.values(shape.iter().product(), scale),
        };
        host.to_device(device)
    }

    /// Returns the next values as a tensor that requires a gradient.
    fn input(&mut self, shape: [usize; 3], device: &Device) -> Result<Tensor<3>> {
        let tracked = device.clone().autodiff();
        Ok(self.next(shape, 1.5, &tracked)?.require_grad())
    }

    /// Returns a frozen linear layer with these numbers of inputs and outputs.
    fn linear(
        &mut self,
        [inputs, outputs]: [usize; 2],
        placement: impl Into<WeightPlacement>,
    ) -> Result<Linear> {
        let placement = placement.into();
        let scale = (3.0 / inputs as f32).sqrt();
        let weight = self.values(inputs * outputs, scale);
        let bias = self.next([outputs], 0.1, &placement.device)?;
        Ok(Linear::with_placement(weight, [inputs, outputs], Some(bias), &placement))
    }

    /// Returns a frozen layer norm.
    fn norm(&mut self, width: usize, device: &Device) -> Result<LayerNorm> {
        let gamma = self.next([width], 0.2, device)? + 1.0;
        let beta = self.next([width], 0.2, device)?;
        Ok(LayerNorm::new(gamma, beta, 1e-6))
    }

    /// Returns the next values times `scale`.
    fn values(&mut self, count: usize, scale: f32) -> Vec<f32> {
        let values = (0..count).map(|_| {
            // Knuth's linear congruential generator, whose upper bits have the best quality.
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * scale
        });
        values.collect()
    }
}

/// A frozen block with an Adapter parallel to its attention.
struct Block {
    norms: [LayerNorm; 2],
    qkv: Linear,
    proj: Linear,
    fc1: Linear,
    fc2: Linear,
    down: Tensor<2>,
    up: Tensor<2>,
}

impl Block {
    fn new(sequence: &mut Sequence, placement: &WeightPlacement, tracked: &Device) -> Result<Self> {
        let plain = &placement.device;
        let qkv = sequence.linear([WIDTH, 3 * WIDTH], placement.clone())?;
        let proj = sequence.linear([WIDTH, WIDTH], placement.clone())?;
        let fc1 = sequence.linear([WIDTH, 4 * WIDTH], placement.clone())?;
        let fc2 = sequence.linear([4 * WIDTH, WIDTH], placement.clone())?;
        Ok(Self {
            norms: [sequence.norm(WIDTH, plain)?, sequence.norm(WIDTH, plain)?],
            qkv,
            proj,
            fc1,
            fc2,
            down: sequence.next([WIDTH, BOTTLENECK], 0.2, tracked)?.require_grad(),
            up: sequence.next([BOTTLENECK, WIDTH], 0.5, tracked)?.require_grad(),
        })
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let e = self.norms[0].forward(x.clone());
        let h = self.proj.forward(attention(self.qkv.forward(e.clone()), HEADS, None));
        let branch = gelu(e.matmul(self.down.clone().unsqueeze()));
        let x = x + h + branch.matmul(self.up.clone().unsqueeze());
        let hidden = gelu(self.fc1.forward(self.norms[1].forward(x.clone())));
        x + self.fc2.forward(hidden)
    }
}

/// Returns logits, loss and all gradients, by name.
fn compute_outputs(placement: &WeightPlacement) -> Result<Vec<(String, HostTensor)>> {
    let plain = &placement.device;
    let tracked = plain.clone().autodiff();
    let mut sequence = Sequence(2023);
    let blocks = [
        Block::new(&mut sequence, placement, &tracked)?,
        Block::new(&mut sequence, placement, &tracked)?,
    ];
    let head: Tensor<2> = sequence.next([WIDTH, CLASSES], 0.3, &tracked)?.require_grad();
    let mut x: Tensor<3> = sequence.next([BATCH, TOKENS, WIDTH], 1.5, plain)?;
    for block in &blocks {
        x = block.forward(x);
    }
    let features = x.slice([0..BATCH, 0..1, 0..WIDTH]).reshape([BATCH, WIDTH]);
    let logits = features.matmul(head.clone());
    let target: Tensor<2> = sequence.next([BATCH, CLASSES], 1.0, plain)?;
    let loss = (log_softmax(logits.clone(), 1) * target).mean();
    let mut outputs = vec![
        ("the logits".to_string(), HostTensor::read(&logits.inner())?),
        ("the loss".to_string(), HostTensor::read(&loss.clone().inner())?),
    ];
    let gradients = loss.backward();
    let mut add_gradient = |name: String, tensor: &Tensor<2>| -> Result<()> {
        let gradient =
            tensor.grad(&gradients).ok_or_else(|| Problem::new(format!("{name} is missing")))?;
        outputs.push((name, HostTensor::read(&gradient)?));
        Ok(())
    };
    for (i, block) in blocks.iter().enumerate() {
        add_gradient(format!("the gradient of Adapter {i}'s down"), &block.down)?;
        add_gradient(format!("the gradient of Adapter {i}'s up"), &block.up)?;
    }
    add_gradient("the gradient of the head".to_string(), &head)?;
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_on_cpu_match_themselves() {
        assert_eq!(check_updates(&Device::flex()).unwrap(), 0.0);
    }

    #[test]
    fn self_test_passes_on_cpu_with_nonzero_gradients() {
        for weights in [WeightType::F32, WeightType::F16] {
            assert_eq!(run(&Device::flex(), weights).unwrap(), 0.0);
            for (name, tensor) in compute_outputs(&(&Device::flex(), weights).into()).unwrap() {
                let largest = tensor.values.iter().fold(0f32, |m, v| m.max(v.abs()));
                assert!(largest > 1e-6, "{name} is {largest}");
            }
        }
    }
}
