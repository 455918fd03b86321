//! Converts operations on slices into tensor operations with a gradient.
//!
//! The CPU device is the framework's `flex` backend, with or without autodiff. An operation gets the values of its
//! inputs and computes a [`Buffer`]. If an input is tracked, it also returns a closure that computes the gradients of
//! the inputs from the gradient of the result.

use std::sync::Arc;

use burn::backend::flex::{FlexTensor, Layout};
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::{DType, Shape, Tensor};
use lae_kernels::buffer::Buffer;

use super::bytes::into_bytes;
use crate::nn::input;

/// Returns an f32 tensor of the CPU device; `None` for other tensors.
pub fn to_input<const D: usize>(tensor: &Tensor<D>) -> Option<Input> {
    Input::with_type(tensor, DType::F32)
}

/// The values of a tensor on the CPU device, row-major and contiguous.
#[derive(Clone, Debug)]
pub struct Dense(FlexTensor);

impl Dense {
    fn new(tensor: FlexTensor) -> Self {
        if tensor.is_contiguous() { Self(tensor) } else { Self(tensor.to_contiguous()) }
    }

    /// Returns a constant; `None` if the tensor is not f32 on the CPU device, or requires a gradient.
    pub fn constant<const D: usize>(tensor: &Tensor<D>) -> Option<Self> {
        Input::constant(tensor, DType::F32).map(Self::new)
    }

    /// Returns the values.
    pub fn values(&self) -> &[f32] {
        // Does not fail: every `Dense` is contiguous, and [`to_input`] has checked that it is f32.
        self.0.as_slice().unwrap_or_default()
    }
}

/// A tensor on the CPU device.
pub type Input = input::Input<Flex>;

/// The gradient of an input.
pub enum Gradient {
    /// The same as the gradient of the result.
    Same,
    /// Other values.
    Values(Buffer),
}

/// Computes the gradients of the inputs that require one from the gradient of the result.
pub type BackwardFn<const N: usize> =
    Arc<dyn Fn(&[f32], [bool; N]) -> [Option<Gradient>; N] + Send + Sync>;

/// The result of an operation and, if requested, its backward function.
pub type ForwardResult<const N: usize> = (Buffer, Option<BackwardFn<N>>);

fn to_primitive(values: Buffer, shape: Shape) -> FlexTensor {
    FlexTensor::new(into_bytes(values), Layout::contiguous(shape), DType::F32)
}

/// Returns values as a constant tensor of rank 1.
pub fn constant(values: Buffer) -> Tensor<1> {
    let shape = Shape::from(vec![values.len()]);
    Tensor::from_primitive::<Flex>(to_primitive(values, shape))
}

/// Returns a backward function if the operation is tracked.
pub fn backward_if<const N: usize>(
    tracked: bool,
    gradients: impl Fn(&[f32], [bool; N]) -> [Option<Gradient>; N] + Send + Sync + 'static,
) -> Option<BackwardFn<N>> {
    tracked.then(|| -> BackwardFn<N> { Arc::new(gradients) })
}

/// Runs an operation on N inputs. `forward` gets their values, and whether to also return the backward function; its
/// result has this `shape`. The result is on the device with gradients if any input is.
pub fn apply<const N: usize, const E: usize>(
    inputs: [Input; N],
    shape: [usize; E],
    forward: impl FnOnce([Dense; N], bool) -> ForwardResult<N>,
) -> Tensor<E> {
    input::apply(inputs, |inputs, tracked| {
        let shapes = inputs.each_ref().map(TensorMetadata::shape);
        let (values, backward) = forward(inputs.map(Dense::new), tracked);
        let backward = backward.map(|backward| -> input::BackwardFn<Flex, N> {
            Arc::new(move |g, wanted| {
                let g = Dense::new(g);
                let mut shapes = shapes.iter().cloned();
                backward(g.values(), wanted).map(|gradient| {
                    let shape = shapes.next()?;
                    Some(match gradient? {
                        Gradient::Same => g.0.clone(),
                        Gradient::Values(values) => to_primitive(values, shape),
                    })
                })
            })
        });
        (to_primitive(values, Shape::from(shape.to_vec())), backward)
    })
}
