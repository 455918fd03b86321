//! Layers the backbones share, and the element-wise functions PET equations use.
//!
//! Weights are usually constants: plain tensors on the plain (not autodiff) device, so no gradient is computed for
//! them. If a backbone itself is trained, they are tracked tensors, and the same layers compute their gradients. Inputs
//! may be plain or tracked.
//!
//! This module dispatches between the framework's operations and the program's kernels: f32 on the CPU device uses
//! [`cpu`], f32 on a GPU [`gpu`], everything else [`framework`]; matrices in half precision use [`half_linear`] on a
//! GPU and [`bf16_linear`] on the CPU.

mod bf16_linear;
mod cpu;
mod framework;
mod fused_attention;
mod gpu;
mod half_linear;
mod input;
mod rotation;
mod update;
mod weight_placement;

use std::sync::Arc;

use burn::tensor::{Tensor, TensorData};

use bf16_linear::Bf16Matrix;
pub use gpu::peak as gpu_peak;
pub use gpu::{Packed, Recording, launches, normalise_pixels, plans, trials};
pub use gpu::{is_enabled as uses_own_gpu_kernels, set_enabled as use_own_gpu_kernels};
use half_linear::HalfMatrix;
pub use lae_kernels::bf16::{is_native as multiplies_bf16, kernel as bf16_kernel};
pub use lae_kernels::buffer::release as release_buffers;
pub use lae_kernels::explain;
pub use lae_kernels::peak::{bf16_speedup, peak};
pub use lae_kernels::rotary::Angles;
pub use lae_kernels::rows;
pub use rotation::Rotation;
pub use update::{Adam, Momentum};
pub use weight_placement::{WeightPlacement, WeightType};

/// A linear layer, `x · weight + bias` over the last axis.
#[derive(Clone, Debug)]
pub struct Linear {
    matrix: Matrix,
    /// One value per output.
    pub bias: Option<Tensor<1>>,
}

/// The memory layouts of a weight matrix.
#[derive(Clone, Debug)]
// There is one value per layer, so boxing the tensor would save nothing.
#[allow(clippy::large_enum_variant)]
enum Matrix {
    /// in × out, f32.
    F32(Tensor<2>),
    /// in × out, f16.
    F16(HalfMatrix),
    /// in × out, bf16, on the CPU.
    Bf16(Bf16Matrix),
    /// out × in, f32, the layout of weight files. Trained weights keep it for the optimiser and for files, so that no
    /// step has to transpose them.
    Trained(Tensor<2>),
}

impl Linear {
    /// Wraps an f32 weight (in × out) and an optional bias (out).
    pub fn new(weight: Tensor<2>, bias: Option<Tensor<1>>) -> Self {
        Self { matrix: Matrix::F32(weight), bias }
    }

    /// Wraps an f32 weight (out × in) and an optional bias (out), at least one of which is trained.
    pub fn new_trained(weight: Tensor<2>, bias: Option<Tensor<1>>) -> Self {
        Self { matrix: Matrix::Trained(weight), bias }
    }

    /// Creates the layer from a weight (in × out, row-major) in the number format and on the device that `placement`
    /// specifies.
    pub fn with_placement(
        values: Vec<f32>,
        shape: [usize; 2],
        bias: Option<Tensor<1>>,
        placement: &WeightPlacement,
    ) -> Self {
        let device = &placement.device;
        let matrix = match placement.weights {
            WeightType::F32 => {
                Matrix::F32(Tensor::from_data(TensorData::new(values, shape), device))
            }
            WeightType::F16 => Matrix::F16(HalfMatrix::new(&values, shape, device)),
            WeightType::Bf16 => Matrix::Bf16(Bf16Matrix::new(&values, shape, device)),
        };
        Self { matrix, bias }
    }

    /// Returns the weight (in × out) in f32.
    pub fn weight_f32(&self) -> Tensor<2> {
        match &self.matrix {
            Matrix::F32(weight) => weight.clone(),
            Matrix::F16(half) => half.to_f32(),
            Matrix::Bf16(rounded) => rounded.to_f32(),
            Matrix::Trained(weight) => weight.clone().transpose(),
        }
    }

    /// Returns the weight (out × in) and bias of a trained layer that has both.
    fn trained_parameters(&self) -> Option<(&Tensor<2>, &Tensor<1>)> {
        match (&self.matrix, &self.bias) {
            (Matrix::Trained(weight), Some(bias)) => Some((weight, bias)),
            _ => None,
        }
    }

    /// Computes `… × in` → `… × out`.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let bias = self.bias.as_ref();
        let kernel = match &self.matrix {
            Matrix::F16(half) => {
                return gpu::linear(&x, self).unwrap_or_else(|| {
                    framework::linear(x, half.values.dims(), |x| half.product(x), bias)
                });
            }
            Matrix::F32(_) | Matrix::Bf16(_) => {
                cpu::linear(&x, self).or_else(|| gpu::linear(&x, self))
            }
            Matrix::Trained(weight) => cpu::trained_linear(&x, weight, bias),
        };
        kernel.unwrap_or_else(|| {
            let weight = self.weight_f32();
            framework::linear(x, weight.dims(), |x| matmul(x, weight), bias)
        })
    }
}

/// A layer norm over the last axis, with the ordinary (biased) variance.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    /// Scale, one value per channel.
    pub gamma: Tensor<1>,
    /// Shift, one value per channel.
    pub beta: Tensor<1>,
    /// Value added to the variance.
    pub epsilon: f64,
}

impl LayerNorm {
    /// Wraps scale and shift (width each).
    pub fn new(gamma: Tensor<1>, beta: Tensor<1>, epsilon: f64) -> Self {
        Self { gamma, beta, epsilon }
    }

    /// Normalises the last axis; the shape stays the same.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let Self { gamma, beta, epsilon } = self;
        cpu::layer_norm(&x, gamma, beta, *epsilon)
            .or_else(|| gpu::layer_norm(&x, self))
            .unwrap_or_else(|| framework::layer_norm(x, gamma, beta, *epsilon))
    }
}

/// A depthwise 7 × 7 convolution over the grid of tokens (stride 1, padded with zeros).
#[derive(Clone, Debug)]
pub struct Depthwise7 {
    /// channels × 1 × 7 × 7.
    weight: Tensor<4>,
    /// The weight as 49 × channels.
    taps: Tensor<2>,
    bias: Tensor<1>,
}

impl Depthwise7 {
    /// Wraps a weight (channels × 1 × 7 × 7) and a bias (channels).
    pub fn new(weight: Tensor<4>, bias: Tensor<1>) -> Self {
        let channels = weight.dims()[0];
        // The multiplication by 1 makes this a contiguous copy instead of a view.
        let taps = weight.clone().reshape([channels, 49]).swap_dims(0, 1) * 1.0;
        Self { weight, taps, bias }
    }

    /// Computes the convolution; input and output are batch × (rows · columns) × channels.
    pub fn forward(&self, x: Tensor<3>, rows: usize, columns: usize) -> Tensor<3> {
        let grid = [rows, columns];
        cpu::depthwise7(&x, grid, &self.taps, &self.bias)
            .or_else(|| gpu::depthwise7(&x, grid, &self.taps, &self.bias))
            .unwrap_or_else(|| framework::depthwise7(x, grid, &self.weight, &self.bias))
    }
}

/// Runs work on images that consists of many operations, each of which uses all cores. On the CPU device, all of it
/// runs inside the thread pool, so that the operations are not passed to the pool one at a time. The result does not
/// depend on the thread.
pub fn run_in_thread_pool<T: Send>(images: &Tensor<4>, work: impl FnOnce() -> T + Send) -> T {
    match cpu::is_supported(images) {
        true => lae_kernels::threads::run_in_pool(work),
        false => work(),
    }
}

/// Returns `a + b`, element by element, with broadcasting of sizes of 1. Both may be tracked.
pub fn add<const D: usize>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D> {
    cpu::add(&a, &b).unwrap_or_else(|| a + b)
}

/// Returns `a · b`, element by element, with broadcasting of sizes of 1. Both may be tracked.
pub fn multiply<const D: usize>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D> {
    cpu::multiply(&a, &b).unwrap_or_else(|| a * b)
}

/// Returns the rows of every image (batch × rows × width) in another order, with a single copy; `None` on devices
/// without a kernel.
pub fn reorder(x: &Tensor<3>, order: &Arc<rows::Order>) -> Option<Tensor<3>> {
    cpu::reorder(x, order).or_else(|| gpu::reorder(x, order))
}

/// Returns the matrix product of rows × inputs and inputs × outputs. Both may be tracked.
pub fn project(x: Tensor<2>, weight: Tensor<2>) -> Tensor<2> {
    cpu::project(&x, &weight).unwrap_or_else(|| matmul(x, weight))
}

/// Returns each row divided by its norm: `x / max(‖x‖, min_norm)`.
pub fn unit_rows(x: Tensor<2>, min_norm: f64) -> Tensor<2> {
    let squares = x.clone().powi_scalar(2).sum_dim(1);
    // Clamped before the root, whose gradient is not finite at zero.
    x / squares.clamp_min(min_norm * min_norm).sqrt()
}

/// Returns the cosines of all pairs of rows: m × width and n × width → m × n. Norms below `min_norm` count as
/// `min_norm`.
pub fn cosines(a: Tensor<2>, b: Tensor<2>, min_norm: f64) -> Tensor<2> {
    unit_rows(a, min_norm).matmul(unit_rows(b, min_norm).transpose())
}

/// Returns Σ x² as a tensor of one value. On the CPU, it does not depend on the number of cores.
pub fn sum_of_squares(x: &Tensor<1>) -> Tensor<1> {
    cpu::sum_of_squares(x).unwrap_or_else(|| (x.clone() * x.clone()).sum())
}

impl Momentum {
    /// Performs a step of SGD: with g = factor·gradient + decay·value (`factor` is one value; 1 if `None`) and the
    /// previous momentum buffer b: b ← g in the first step, else momentum·b + g; value ← value − rate·b. Returns the
    /// new value and b. No tensor may be tracked.
    pub fn step(
        self,
        value: Tensor<1>,
        gradient: Tensor<1>,
        factor: Option<&Tensor<1>>,
        previous: Option<Tensor<1>>,
    ) -> [Tensor<1>; 2] {
        cpu::momentum_step(self, &value, &gradient, factor, previous.as_ref())
            .or_else(|| gpu::momentum_step(self, &value, &gradient, factor, previous.as_ref()))
            .unwrap_or_else(|| framework::momentum_step(self, value, gradient, factor, previous))
    }
}

impl Adam {
    /// Performs a step of Adam. The gradient is first multiplied by `factor` (one value; 1 if `None`). Returns the
    /// new value and both moments. No tensor may be tracked.
    pub fn step(
        self,
        value: Tensor<1>,
        gradient: Tensor<1>,
        factor: Option<&Tensor<1>>,
        previous: Option<[Tensor<1>; 2]>,
    ) -> [Tensor<1>; 3] {
        gpu::adam_step(self, &value, &gradient, factor, previous.as_ref()).unwrap_or_else(|| {
            let gradient = match factor {
                Some(factor) => multiply(gradient, factor.clone()),
                None => gradient,
            };
            framework::adam_step(self, value, gradient, previous)
        })
    }
}

/// Returns the moving averages `old · share + new · (1 − share)` of pairs of tensors with the same sizes. No tensor
/// may be tracked.
pub fn blend_all(old: Vec<Tensor<1>>, new: Vec<Tensor<1>>, share: f64) -> Vec<Tensor<1>> {
    if let Some((old, new)) = Packed::new(&old).zip(Packed::new(&new)) {
        return old.blend(&new, share).parts().collect();
    }
    let pairs = old.into_iter().zip(new);
    pairs.map(|(old, new)| old * share + new * (1.0 - share)).collect()
}

/// Returns the matrix product over the last two axes; the other axes must be equal. Both may be tracked.
pub fn matmul<const D: usize>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D> {
    gpu::matmul(&a, &b).unwrap_or_else(|| a.matmul(b))
}

/// Returns GELU with the exact error function: `x · Φ(x)`.
pub fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    cpu::gelu(&x).or_else(|| gpu::gelu(&x)).unwrap_or_else(|| framework::gelu(x))
}

/// Returns SwiGLU, a·σ(a)·b, of gates a and values b side by side: batch × tokens × 2·hidden → batch × tokens ×
/// hidden.
pub fn swiglu(x: Tensor<3>) -> Tensor<3> {
    cpu::swiglu(&x).or_else(|| gpu::swiglu(&x)).unwrap_or_else(|| framework::swiglu(x))
}

/// Returns the softmax over the last axis.
pub fn softmax<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    cpu::softmax(&x).unwrap_or_else(|| framework::softmax(x))
}

/// Computes multi-head self-attention on packed projections. `qkv` is batch × tokens × 3·width: queries, keys and
/// values side by side, each split into heads. The result is batch × tokens × width. Scores are scaled by
/// head_width^−½. `bias` (groups × heads × tokens × tokens, may be tracked) is added to the scores before the
/// softmax; batch row `i` uses group `i % groups` (Swin's windows).
pub fn attention(qkv: Tensor<3>, heads: usize, bias: Option<&Tensor<4>>) -> Tensor<3> {
    let kernel = cpu::attention(&qkv, heads, bias);
    let kernel = kernel.or_else(|| gpu::attention(&qkv, heads, bias));
    kernel.unwrap_or_else(|| fused_attention::attention(split_heads(&qkv, None, heads), bias))
}

/// Like [`attention`], with additional keys and values before the packed ones: `prefix` contains both, each 1 or
/// batch × any number × width; they are split into heads in the same way.
pub fn prefixed_attention(qkv: Tensor<3>, prefix: [Tensor<3>; 2], heads: usize) -> Tensor<3> {
    cpu::prefixed_attention(&qkv, &prefix, heads)
        .or_else(|| gpu::prefixed_attention(&qkv, &prefix, heads))
        .unwrap_or_else(|| fused_attention::attention(split_heads(&qkv, Some(prefix), heads), None))
}

/// Splits packed projections into queries, keys and values per head (batch × heads × tokens × head width), with a
/// prefix before keys and values if there is one.
pub fn split_heads(
    qkv: &Tensor<3>,
    prefix: Option<[Tensor<3>; 2]>,
    heads: usize,
) -> [Tensor<4>; 3] {
    framework::split_heads(qkv, prefix, heads)
}

/// The norm and residual around a sub-layer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// The norm before it; `None` if the input is normalised already.
    pub norm: Option<&'a LayerNorm>,
    /// Whether its input (before the norm) is added to its output.
    pub residual: bool,
}

impl<'a> Frame<'a> {
    /// Returns the frame of a transformer block, x + f(LN(x)).
    pub fn pre_norm(norm: &'a LayerNorm) -> Self {
        Self { norm: Some(norm), residual: true }
    }

    fn apply_norm(self, x: Tensor<3>) -> Tensor<3> {
        match self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }

    fn add_residual(self, x: Tensor<3>, y: Tensor<3>) -> Tensor<3> {
        if self.residual { add(x, y) } else { y }
    }
}

/// Computes an MLP, `fc2(gelu(fc1(LN(x))))` (+ x), for blocks without a PET inside; a single operation on the CPU
/// device.
pub fn mlp(x: Tensor<3>, frame: Frame<'_>, fc1: &Linear, fc2: &Linear) -> Tensor<3> {
    let kernel = cpu::mlp(&x, frame, fc1, fc2);
    let kernel = kernel.or_else(|| cpu::trained_mlp(&x, frame, fc1, fc2));
    let kernel = kernel.or_else(|| gpu::mlp(&x, frame, fc1, fc2));
    kernel.unwrap_or_else(|| {
        let h = fc1.forward(frame.apply_norm(x.clone()));
        frame.add_residual(x, fc2.forward(gelu(h)))
    })
}

/// Computes a multi-head self-attention with its projections (packed as in [`attention`]),
/// `proj(attention(qkv(LN(x))))` (+ x), for blocks without a PET inside; a single operation on the CPU device.
pub fn self_attention(
    x: Tensor<3>,
    frame: Frame<'_>,
    projections: [&Linear; 2],
    heads: usize,
    bias: Option<&Tensor<4>>,
) -> Tensor<3> {
    let kernel = cpu::self_attention(&x, frame, projections, heads, bias);
    let kernel = kernel.or_else(|| match bias {
        None => cpu::trained_attention(&x, frame, projections, heads),
        Some(_) => None,
    });
    let kernel = kernel.or_else(|| gpu::self_attention(&x, frame, projections, heads, bias));
    kernel.unwrap_or_else(|| {
        let [qkv, proj] = projections;
        let h = qkv.forward(frame.apply_norm(x.clone()));
        frame.add_residual(x, proj.forward(attention(h, heads, bias)))
    })
}
