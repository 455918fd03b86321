//! Element-wise operations: GELU, optimiser steps and the moving average. Each is a single launch; the framework
//! would use one per arithmetic operation.

use std::sync::Arc;

use burn::backend::Cube;
use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::zeros_client;
use burn_cubecl::tensor::CubeTensor;

use super::autodiff::{BackwardFn, apply, constant, to_input};
use super::kernel::{
    Bound, Cache, Kernel, VALUE_THREADS, cached_numbers, declare, empty, for_each_value, value_grid,
};
use super::product::GELU;
use crate::nn::{Adam, Momentum};

/// The operation of an element-wise kernel, with all parameters of its source. f32 parameters are stored as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Elementwise {
    Gelu,
    GeluGradient,
    /// `old · share + fresh · (1 − share)`.
    Blend,
    Adam {
        betas: [u32; 2],
        /// 1 − β, rounded separately: the difference 1 − β computed from the rounded β would have an error of 1e-5.
        one_minus_betas: [u32; 2],
        epsilon: u32,
        /// Whether gradients are multiplied by a number on the device.
        factor: bool,
    },
    Momentum {
        momentum: u32,
        decay: u32,
        /// Whether gradients are multiplied by a number on the device.
        factor: bool,
    },
}

/// Returns the bits of a number as f32.
fn to_f32_bits(number: f64) -> u32 {
    (number as f32).to_bits()
}

/// Returns the WGSL expression of a gradient, and adds the name of its factor's buffer if there is a factor.
fn scaled_gradient(factor: bool, names: &mut Vec<&str>) -> &'static str {
    if !factor {
        return "gradient[i]";
    }
    names.push("factor");
    "gradient[i] * factor[0]"
}

/// Returns a number as a WGSL literal, from its bits.
fn literal(bits: u32) -> String {
    format!("{:?}", f32::from_bits(bits))
}

impl Elementwise {
    /// Launches a thread for each value of `like`. The kernel reads `scalars` as `number(1)` and `number(2)`.
    fn launch(self, like: &CubeTensor, scalars: [f64; 2], buffers: &[Bound<'_>]) {
        static KERNELS: Cache<(Elementwise, Option<u32>)> = Cache::new();
        let count = like.meta.shape().iter().product::<usize>();
        // Parameters keep their sizes, so the size is part of the kernel. The buffer of scalars, which changes with
        // every step, is then the same for all of them.
        let (fixed_count, runtime_count) = match self {
            Self::Gelu | Self::GeluGradient => (None, count as u32),
            _ => (Some(count as u32), 0),
        };
        let kernel = KERNELS.get(&(self, fixed_count), || self.kernel(fixed_count));
        let [a, b] = scalars.map(to_f32_bits);
        let numbers = cached_numbers(like, [runtime_count, a, b]);
        let buffers = [buffers, &[Bound::Read(&numbers)]].concat();
        kernel.launch(value_grid(count), &buffers);
    }

    fn kernel(self, count: Option<u32>) -> Kernel {
        let name = match self {
            Self::Gelu => "gelu of values",
            Self::GeluGradient => "gelu gradient",
            Self::Blend => "moving average",
            Self::Adam { .. } => "Adam step",
            Self::Momentum { .. } => "SGD step",
        };
        Kernel::new(name.into(), &self.text(count), VALUE_THREADS as u32)
    }

    fn text(self, count: Option<u32>) -> String {
        let (names, body): (Vec<&str>, String) = match self {
            Self::Gelu => (vec!["x", "y"], "y[i] = gelu(x[i]);".into()),
            Self::GeluGradient => {
                (vec!["x", "g", "dx"], "dx[i] = g[i] * gelu_gradient(x[i]);".into())
            }
            Self::Blend => (
                vec!["old", "fresh", "y"],
                "y[i] = old[i] * number(1) + fresh[i] * number(2);".into(),
            ),
            Self::Adam {
                betas: [beta1, beta2],
                one_minus_betas: [rest1, rest2],
                epsilon,
                factor,
            } => {
                let mut names = vec![
                    "value",
                    "gradient",
                    "first",
                    "second",
                    "moved",
                    "new_first",
                    "new_second",
                ];
                let gradient = scaled_gradient(factor, &mut names);
                (
                    names,
                    format!(
                        "let g = {gradient};
    let m = first[i] * {} + g * {};
    let v = second[i] * {} + g * g * {};
    new_first[i] = m;
    new_second[i] = v;
    moved[i] = value[i] - m / (sqrt(v) / number(2) + {}) * number(1);",
                        literal(beta1),
                        literal(rest1),
                        literal(beta2),
                        literal(rest2),
                        literal(epsilon),
                    ),
                )
            }
            Self::Momentum { momentum, decay, factor } => {
                let mut names = vec!["value", "gradient", "former", "moved", "change"];
                let gradient = scaled_gradient(factor, &mut names);
                (
                    names,
                    format!(
                        "let b = former[i] * {} + ({gradient} + value[i] * {});
    change[i] = b;
    moved[i] = value[i] - b * number(1);",
                        literal(momentum),
                        literal(decay),
                    ),
                )
            }
        };
        let mut text = declare(&names, &["numbers"]);
        if matches!(self, Self::Gelu | Self::GeluGradient) {
            text.push_str(GELU);
        }
        let count = count.map_or("numbers[0]".into(), |count| format!("{count}u"));
        text.push_str("fn number(at: u32) -> f32 { return bitcast<f32>(numbers[at]); }\n");
        text + &for_each_value(&count, &body)
    }
}

/// Computes x · Φ(x).
pub fn gelu<const D: usize>(x: &Tensor<D>) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    Some(apply([input], |[x]| {
        let x = into_contiguous(x);
        let y = empty(&x, x.meta.shape());
        Elementwise::Gelu.launch(&x, [0.0; 2], &[Bound::Read(&x), Bound::Write(&y)]);
        let backward: BackwardFn<1> = Arc::new(move |g, _| {
            let g = into_contiguous(g);
            let dx = empty(&x, x.meta.shape());
            let buffers = [Bound::Read(&x), Bound::Read(&g), Bound::Write(&dx)];
            Elementwise::GeluGradient.launch(&x, [0.0; 2], &buffers);
            [Some(dx)]
        });
        (y, backward)
    }))
}

/// Runs a kernel on contiguous tensors of equal size.
fn launch_step(
    kernel: Elementwise,
    scalars: [f64; 2],
    inputs: &[&CubeTensor],
    outputs: &[&CubeTensor],
    factor: Option<&CubeTensor>,
) {
    let Some(like) = inputs.first() else {
        return;
    };
    let buffers = inputs.iter().map(|input| Bound::Read(input));
    let buffers = buffers.chain(outputs.iter().map(|output| Bound::Write(output)));
    let buffers: Vec<_> = buffers.chain(factor.map(Bound::Read)).collect();
    kernel.launch(like, scalars, &buffers);
}

/// Computes `old · share + new · (1 − share)` of contiguous tensors.
pub fn blend(old: &CubeTensor, new: &CubeTensor, share: f64) -> CubeTensor {
    let blended = empty(old, old.meta.shape());
    let scalars = [share, 1.0 - share];
    launch_step(Elementwise::Blend, scalars, &[old, new], &[&blended], None);
    blended
}

/// Performs a step of Adam; see [`Adam::step`].
pub fn adam_step(
    rule: Adam,
    value: &Tensor<1>,
    gradient: &Tensor<1>,
    factor: Option<&Tensor<1>>,
    previous: Option<&[Tensor<1>; 2]>,
) -> Option<[Tensor<1>; 3]> {
    let [value, gradient] = contiguous([value, gradient])?;
    let previous = match previous {
        Some([first, second]) => Some(contiguous([first, second])?),
        None => None,
    };
    let moved = empty(&value, value.meta.shape());
    let moments = adam_values(rule, [&value, &gradient], factor, previous.as_ref(), &moved);
    let [first, second] = moments;
    Some([moved, first, second].map(Tensor::from_primitive::<Cube>))
}

/// Performs [`Adam::step`] on contiguous tensors; writes the new value to `moved` and returns the moments.
pub fn adam_values(
    rule: Adam,
    [value, gradient]: [&CubeTensor; 2],
    factor: Option<&Tensor<1>>,
    previous: Option<&[CubeTensor; 2]>,
    moved: &CubeTensor,
) -> [CubeTensor; 2] {
    let factor = factor.and_then(constant);
    let kernel = Elementwise::Adam {
        betas: rule.betas.map(to_f32_bits),
        one_minus_betas: rule.betas.map(|beta| to_f32_bits(1.0 - beta)),
        epsilon: to_f32_bits(rule.epsilon),
        factor: factor.is_some(),
    };
    let [first, second] = previous.cloned().unwrap_or_else(|| [zeros(value), zeros(value)]);
    let new = [first.meta.shape(), second.meta.shape()].map(|shape| empty(value, shape));
    let inputs = [value, gradient, &first, &second];
    let outputs = [moved, &new[0], &new[1]];
    launch_step(kernel, rule.corrections(), &inputs, &outputs, factor.as_ref());
    new
}

/// Performs a step of SGD with momentum; see [`Momentum::step`].
pub fn momentum_step(
    rule: Momentum,
    value: &Tensor<1>,
    gradient: &Tensor<1>,
    factor: Option<&Tensor<1>>,
    previous: Option<&Tensor<1>>,
) -> Option<[Tensor<1>; 2]> {
    let [value, gradient] = contiguous([value, gradient])?;
    let previous = match previous {
        Some(previous) => Some(into_contiguous(constant(previous)?)),
        None => None,
    };
    let moved = empty(&value, value.meta.shape());
    let change = momentum_values(rule, [&value, &gradient], factor, previous.as_ref(), &moved);
    Some([moved, change].map(Tensor::from_primitive::<Cube>))
}

/// Performs [`Momentum::step`] on contiguous tensors; writes the new value to `moved` and returns the change.
pub fn momentum_values(
    rule: Momentum,
    [value, gradient]: [&CubeTensor; 2],
    factor: Option<&Tensor<1>>,
    previous: Option<&CubeTensor>,
    moved: &CubeTensor,
) -> CubeTensor {
    let factor = factor.and_then(constant);
    let kernel = Elementwise::Momentum {
        momentum: to_f32_bits(rule.momentum),
        decay: to_f32_bits(rule.decay),
        factor: factor.is_some(),
    };
    let previous = previous.cloned().unwrap_or_else(|| zeros(value));
    let change = empty(value, value.meta.shape());
    let inputs = [value, gradient, &previous];
    launch_step(kernel, [rule.rate, 0.0], &inputs, &[moved, &change], factor.as_ref());
    change
}

/// Returns contiguous tensors; `None` if one of them is not f32 on a GPU, or requires a gradient.
fn contiguous<const D: usize, const N: usize>(tensors: [&Tensor<D>; N]) -> Option<[CubeTensor; N]> {
    let tensors = tensors.into_iter().map(|x| constant(x).map(into_contiguous));
    tensors.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Returns zeros in the shape of a tensor.
fn zeros(like: &CubeTensor) -> CubeTensor {
    zeros_client(like.client.clone(), like.device.clone(), like.meta.shape().clone(), like.dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elementwise_kernels_are_valid_wgsl() {
        let betas = [0.9, 0.999].map(to_f32_bits);
        let epsilon = to_f32_bits(1e-8);
        let adam = |factor| Elementwise::Adam { betas, one_minus_betas: betas, epsilon, factor };
        let momentum = |factor| Elementwise::Momentum {
            momentum: to_f32_bits(0.9),
            decay: to_f32_bits(0.0),
            factor,
        };
        let kernels = [
            Elementwise::Gelu,
            Elementwise::GeluGradient,
            Elementwise::Blend,
            adam(false),
            adam(true),
            momentum(false),
            momentum(true),
        ];
        for kernel in kernels {
            kernel.kernel(None).validate();
            kernel.kernel(Some(100)).validate();
        }
    }
}
