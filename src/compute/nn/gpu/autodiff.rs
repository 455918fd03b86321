//! Converts kernel launches into tensor operations with a gradient, on the framework's GPU backend with or without
//! autodiff.

use burn::backend::Cube;
use burn::tensor::{DType, Tensor};
use burn_cubecl::tensor::CubeTensor;

use crate::nn::input;

/// A tensor on a GPU.
pub type Input = input::Input<Cube>;

/// Returns an f32 tensor of a GPU; `None` for other tensors, or if the program's own kernels are disabled.
pub fn to_input<const D: usize>(tensor: &Tensor<D>) -> Option<Input> {
    super::is_enabled().then(|| Input::with_type(tensor, DType::F32)).flatten()
}

/// Returns the values of an f32 tensor that requires no gradient; `None` for other tensors, or if the program's own
/// kernels are disabled.
pub fn constant<const D: usize>(tensor: &Tensor<D>) -> Option<CubeTensor> {
    super::is_enabled().then(|| Input::constant(tensor, DType::F32)).flatten()
}

/// Returns the values of a matrix of f32 or f16 that requires no gradient.
pub fn constant_weight(tensor: &Tensor<2>) -> Option<CubeTensor> {
    constant(tensor).or_else(|| Input::constant(tensor, DType::F16))
}

/// Maps the gradient of the result, and which inputs require one, to the gradients of the inputs.
pub type BackwardFn<const N: usize> = input::BackwardFn<Cube, N>;

/// Runs an operation like [`input::apply`], where `forward` always returns the backward function.
pub fn apply<const N: usize, const E: usize>(
    inputs: [Input; N],
    forward: impl FnOnce([CubeTensor; N]) -> (CubeTensor, BackwardFn<N>),
) -> Tensor<E> {
    input::apply(inputs, |inputs, _| {
        let (output, backward) = forward(inputs);
        (output, Some(backward))
    })
}
