//! Operations of layers on a GPU, each with the gradient for its input: WGSL kernels on the framework's device. Matrix
//! products include their epilogue (bias, GELU, residual) in the same launch; a layer norm is one launch in each
//! direction.
//!
//! With the framework's matrix kernel, training reached a thirtieth of the operations per second that PyTorch reaches on
//! the same GPU. A function returns `None` if it does not apply (another device, another number format, trained
//! weights); the caller then uses the framework's operations.

mod attention;
mod autodiff;
mod convolution;
mod elementwise;
mod flash;
mod kernel;
pub mod launches;
mod matmul;
mod packed;
pub mod peak;
mod pixels;
pub mod plans;
mod prefix;
mod product;
mod replay;
mod rows;
mod tokens;
pub mod trials;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::{DType, Tensor};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;
use cubecl::prelude::KernelMetadata;

use super::half_linear::HalfMatrix;
use super::{Frame, LayerNorm, Linear, Matrix};
use autodiff::{BackwardFn, apply, constant, constant_weight, to_input};
use kernel::{Bound, MAX_GROUPS, cached_numbers, empty};
use product::{Activation, Epilogue, MatrixLayout, Product, SUM_THREADS, Size, Tiles};

pub use attention::{attention, prefixed_attention, self_attention};
pub use convolution::depthwise7;
pub use elementwise::{adam_step, gelu, momentum_step};
pub use matmul::matmul;
pub use packed::Packed;
pub use pixels::normalise_pixels;
pub use replay::Recording;
pub use tokens::{reorder, rotate, swiglu};

static ENABLED: AtomicBool = AtomicBool::new(true);

/// Sets whether this process uses the program's GPU kernels or those of the framework.
pub fn set_enabled(enabled: bool) {
    ENABLED.store(enabled, Ordering::Relaxed);
}

/// Returns whether this process uses the program's GPU kernels.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Neither operand of a product is a gradient.
const NO_GRADIENT: [bool; 2] = [false, false];
/// The left operand of a product is a gradient.
const LEFT_GRADIENT: [bool; 2] = [true, false];
/// The right operand of a product is a gradient.
const RIGHT_GRADIENT: [bool; 2] = [false, true];

/// The tensors of an epilogue.
#[derive(Clone, Copy, Default)]
struct EpilogueTensors<'a> {
    bias: Option<&'a CubeTensor>,
    /// Written by [`Activation::Gelu`], read by [`Activation::GeluGradient`].
    other: Option<(Activation, &'a CubeTensor)>,
    residual: Option<&'a CubeTensor>,
}

/// Computes a product into `out`; m and k are used for sizes that are not fixed in the kernel.
fn launch(
    product: Product,
    [m, k]: [usize; 2],
    batch: usize,
    buffers: [&CubeTensor; 3],
    extra: EpilogueTensors<'_>,
) {
    let sizes = [m, product.n as usize, k];
    let tiles = plans::choose_tiles(&product, sizes, batch);
    launch_with(product, tiles, [m, k], batch, buffers, extra);
}

/// Computes a product with these tiles.
fn launch_with(
    mut product: Product,
    mut tiles: Tiles,
    [m, k]: [usize; 2],
    batch: usize,
    [a, b, out]: [&CubeTensor; 3],
    extra: EpilogueTensors<'_>,
) {
    let activation = extra.other.map(|(activation, _)| activation);
    product.epilogue = Epilogue {
        bias: extra.bias.is_some(),
        activation: activation.unwrap_or_default(),
        residual: extra.residual.is_some(),
    };
    let n = product.n as usize;
    if product.epilogue != Epilogue::default() || product.out != MatrixLayout::row_major(n) {
        tiles.splits = 1;
    }
    let parts = (tiles.splits > 1).then(|| empty(out, &[tiles.splits as usize, m, n]));
    let target = parts.as_ref().unwrap_or(out);
    let mut buffers = vec![Bound::Read(a), Bound::Read(b), Bound::Write(target)];
    buffers.extend(extra.bias.map(Bound::Read));
    buffers.extend(extra.other.map(|(activation, other)| match activation {
        Activation::Gelu => Bound::Write(other),
        _ => Bound::Read(other),
    }));
    buffers.extend(extra.residual.map(Bound::Read));
    let rows = match product.m {
        Size::Rows => m,
        Size::Fixed(_) => k,
    };
    let sizes = product.has_rows().then(|| cached_numbers(out, [rows as u32, 0, 0]));
    buffers.extend(sizes.as_ref().map(Bound::Read));
    let kernel = product::kernel(&product, &tiles);
    let operations = [m, k, n, batch].map(|size| size as f64);
    launches::count_operations(kernel.name(), 2.0 * operations.iter().product::<f64>());
    kernel.launch(tiles.groups(m, n, batch), &buffers);
    if let Some(parts) = &parts {
        let groups = (m * n).div_ceil(SUM_THREADS) as u32;
        let sum = product::sum_kernel(m * n, tiles.splits);
        sum.launch([groups, 1, 1], &[Bound::Read(parts), Bound::Write(out)]);
    }
}

/// Returns the number of rows of a contiguous tensor: the product of all axes but the last.
fn row_count(x: &CubeTensor) -> usize {
    let shape = x.meta.shape();
    shape[..shape.len() - 1].iter().product()
}

/// A frozen linear layer on the GPU.
#[derive(Clone)]
struct FrozenLinear {
    /// in × out, row-major; f32 or f16.
    weight: CubeTensor,
    bias: Option<CubeTensor>,
    inputs: usize,
    outputs: usize,
}

impl FrozenLinear {
    /// Returns the layer; `None` if it is trained, on another device, or f16 with a number of outputs that is not a
    /// multiple of four.
    fn new(layer: &Linear) -> Option<Self> {
        let weight = match &layer.matrix {
            Matrix::F32(weight) => weight,
            Matrix::F16(HalfMatrix { values, factors: None })
                if values.dims()[1].is_multiple_of(4) =>
            {
                values
            }
            _ => return None,
        };
        let [inputs, outputs] = weight.dims();
        let bias = match &layer.bias {
            Some(bias) => Some(constant(bias)?),
            None => None,
        };
        Some(Self { weight: into_contiguous(constant_weight(weight)?), bias, inputs, outputs })
    }

    /// Returns whether the weight is f16. Products may then round the other operand as well.
    fn is_half(&self) -> bool {
        self.weight.dtype == DType::F16
    }

    /// Returns x · weight + bias, with the epilogue `extra`.
    fn forward(&self, x: &CubeTensor, extra: EpilogueTensors<'_>) -> CubeTensor {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let stored = [MatrixLayout::row_major(inputs), MatrixLayout::row_major(outputs)];
        let extra = EpilogueTensors { bias: self.bias.as_ref(), ..extra };
        self.multiply(x, stored, [inputs, outputs], NO_GRADIENT, extra)
    }

    /// Returns g · weightᵀ, the gradient for the input, with the epilogue `extra`.
    fn backward(&self, g: &CubeTensor, extra: EpilogueTensors<'_>) -> CubeTensor {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let stored = [MatrixLayout::row_major(outputs), MatrixLayout::column_major(outputs)];
        self.multiply(g, stored, [outputs, inputs], LEFT_GRADIENT, extra)
    }

    fn multiply(
        &self,
        x: &CubeTensor,
        stored: [MatrixLayout; 2],
        [k, n]: [usize; 2],
        gradients: [bool; 2],
        extra: EpilogueTensors<'_>,
    ) -> CubeTensor {
        let rows = row_count(x);
        let mut shape = x.meta.shape().to_vec();
        if let Some(last) = shape.last_mut() {
            *last = n;
        }
        let out = empty(x, &shape);
        let product = Product {
            b_half: self.is_half(),
            rounded: self.is_half(),
            gradients,
            ..Product::new([Size::Rows, Size::Fixed(k as u32)], n, stored)
        };
        launch(product, [rows, k], 1, [x, &self.weight, &out], extra);
        out
    }
}

/// Returns whether a launch for this many rows is within the limits of the dispatch grid.
fn fits(rows: usize) -> bool {
    rows > 0 && rows.div_ceil(32) <= MAX_GROUPS
}

/// Computes `x · weight + bias` with constant weight and bias.
pub fn linear<const D: usize>(x: &Tensor<D>, layer: &Linear) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    let layer = FrozenLinear::new(layer)?;
    fits(x.shape().num_elements() / layer.inputs).then(|| {
        apply([input], |[x]| {
            let y = layer.forward(&into_contiguous(x), EpilogueTensors::default());
            let backward: BackwardFn<1> = Arc::new(move |g, _| {
                [Some(layer.backward(&into_contiguous(g), EpilogueTensors::default()))]
            });
            (y, backward)
        })
    })
}

/// The constants of a layer norm.
#[derive(Clone)]
struct Norm {
    gamma: CubeTensor,
    beta: CubeTensor,
    epsilon: f64,
}

impl Norm {
    fn new(norm: &LayerNorm) -> Option<Self> {
        Some(Self {
            gamma: constant(&norm.gamma)?,
            beta: constant(&norm.beta)?,
            epsilon: norm.epsilon,
        })
    }

    fn forward(&self, x: &CubeTensor) -> CubeTensor {
        rows::norm(x, &self.gamma, &self.beta, self.epsilon)
    }

    fn backward(
        &self,
        x: &CubeTensor,
        g: &CubeTensor,
        residual: Option<&CubeTensor>,
    ) -> CubeTensor {
        rows::norm_gradient(x, &self.gamma, g, self.epsilon, residual)
    }
}

/// Computes the layer norm over the last axis with constant scale and shift.
pub fn layer_norm<const D: usize>(x: &Tensor<D>, norm: &LayerNorm) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    let norm = Norm::new(norm)?;
    (x.shape().num_elements() > 0).then(|| {
        apply([input], |[x]| {
            let x = into_contiguous(x);
            let y = norm.forward(&x);
            let backward: BackwardFn<1> =
                Arc::new(move |g, _| [Some(norm.backward(&x, &into_contiguous(g), None))]);
            (y, backward)
        })
    })
}

/// The norm before a sub-layer and the residual around it.
#[derive(Clone)]
struct NormResidual {
    norm: Option<Norm>,
    residual: bool,
}

impl NormResidual {
    fn new(frame: Frame<'_>) -> Option<Self> {
        let norm = match frame.norm {
            Some(norm) => Some(Norm::new(norm)?),
            None => None,
        };
        let residual = frame.residual;
        Some(Self { norm, residual })
    }

    fn normalise(&self, x: &CubeTensor) -> CubeTensor {
        match &self.norm {
            Some(norm) => norm.forward(x),
            None => x.clone(),
        }
    }

    /// Returns the residual for the last product of a sub-layer.
    fn epilogue<'a>(&self, x: &'a CubeTensor) -> EpilogueTensors<'a> {
        EpilogueTensors { residual: self.residual.then_some(x), ..EpilogueTensors::default() }
    }

    /// Returns the gradient of the input, given that of the normalised input (`inside`) and that of the result (`g`).
    fn input_gradient(&self, x: &CubeTensor, inside: CubeTensor, g: &CubeTensor) -> CubeTensor {
        match &self.norm {
            Some(norm) => norm.backward(x, &inside, self.residual.then_some(g)),
            None => inside,
        }
    }

    /// Returns the residual to add in the gradient of the first product; with a norm, the gradient of the norm adds
    /// it.
    fn backward_epilogue<'a>(&self, g: &'a CubeTensor) -> EpilogueTensors<'a> {
        match &self.norm {
            Some(_) => EpilogueTensors::default(),
            None => self.epilogue(g),
        }
    }
}

/// Computes `fc2(gelu(fc1(LN(x))))` (+ x) with constant weights.
pub fn mlp(x: &Tensor<3>, frame: Frame<'_>, fc1: &Linear, fc2: &Linear) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let norm_residual = NormResidual::new(frame)?;
    let [fc1, fc2] = [FrozenLinear::new(fc1)?, FrozenLinear::new(fc2)?];
    fits(x.shape().num_elements() / fc1.inputs).then(|| {
        apply([input], |[x]| {
            let x = into_contiguous(x);
            let shape = [row_count(&x), fc1.outputs];
            let pre_activation = empty(&x, &shape);
            let extra = EpilogueTensors {
                other: Some((Activation::Gelu, &pre_activation)),
                ..EpilogueTensors::default()
            };
            let hidden = fc1.forward(&norm_residual.normalise(&x), extra);
            let y = fc2.forward(&hidden, norm_residual.epilogue(&x));
            let backward: BackwardFn<1> = Arc::new(move |g, _| {
                let g = into_contiguous(g);
                let extra = EpilogueTensors {
                    other: Some((Activation::GeluGradient, &pre_activation)),
                    ..EpilogueTensors::default()
                };
                let hidden = fc2.backward(&g, extra);
                let inner_gradient = fc1.backward(&hidden, norm_residual.backward_epilogue(&g));
                [Some(norm_residual.input_gradient(&x, inner_gradient, &g))]
            });
            (y, backward)
        })
    })
}
