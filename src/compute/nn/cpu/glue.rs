//! How an operation on slices becomes a tensor operation with a gradient.
//!
//! The CPU device is the framework's `flex` backend, plain or wrapped for gradients. An operation
//! takes the memory of its inputs, computes a [`Buffer`], and, if an input is tracked, leaves a
//! closure that turns the gradient for its result into those for its inputs.

use std::sync::Arc;

use burn::backend::flex::{FlexTensor, Layout};
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::{DType, Shape, Tensor};
use lae_kernels::buffer::Buffer;

use super::bytes::bytes_of;
use crate::nn::input;

/// Returns an f32 tensor of the CPU device; `None` for other tensors.
pub fn to_input<const D: usize>(tensor: &Tensor<D>) -> Option<Input> {
    Input::with_type(tensor, DType::F32)
}

/// Numbers of a tensor on the CPU device, row by row without gaps.
#[derive(Clone, Debug)]
pub struct Dense(FlexTensor);

impl Dense {
    fn new(tensor: FlexTensor) -> Self {
        if tensor.is_contiguous() {
            Self(tensor)
        } else {
            Self(tensor.to_contiguous())
        }
    }

    /// Returns a constant; `None` if the tensor is not f32 on the CPU device, or requires a gradient.
    pub fn constant<const D: usize>(tensor: &Tensor<D>) -> Option<Self> {
        Input::constant(tensor, DType::F32).map(Self::new)
    }

    /// The numbers.
    pub fn numbers(&self) -> &[f32] {
        // Every `Dense` is contiguous, and [`to_input`] has checked that it is f32.
        self.0.as_slice().unwrap_or_default()
    }
}

/// A tensor on the CPU device.
pub type Input = input::Input<Flex>;

/// A gradient for an input.
pub enum Gradient {
    /// The one for the result, as it is.
    Same,
    /// Its own.
    Own(Buffer),
}

/// Gradient for the result → gradients for those inputs that want one.
pub type Run<const N: usize> =
    Arc<dyn Fn(&[f32], [bool; N]) -> [Option<Gradient>; N] + Send + Sync>;

/// What an operation computes: its result and, if asked to, how to go back.
pub type Outcome<const N: usize> = (Buffer, Option<Run<N>>);

fn tensor(values: Buffer, shape: Shape) -> FlexTensor {
    FlexTensor::new(bytes_of(values), Layout::contiguous(shape), DType::F32)
}

/// Numbers as a constant of one axis.
pub fn constant(values: Buffer) -> Tensor<1> {
    let shape = Shape::from(vec![values.len()]);
    Tensor::from_primitive::<Flex>(tensor(values, shape))
}

/// Runs an operation on N inputs. `forward` gets their memory and whether to provide the way
/// back; its result has `shape`. The result is on the device with gradients if an input is.
pub fn apply<const N: usize, const E: usize>(
    inputs: [Input; N],
    shape: [usize; E],
    forward: impl FnOnce([Dense; N], bool) -> Outcome<N>,
) -> Tensor<E> {
    input::apply(inputs, |inputs, tracked| {
        let shapes = inputs.each_ref().map(TensorMetadata::shape);
        let (values, run) = forward(inputs.map(Dense::new), tracked);
        let run = run.map(|run| -> input::Run<Flex, N> {
            Arc::new(move |g, wanted| {
                let g = Dense::new(g);
                let mut shapes = shapes.iter().cloned();
                run(g.numbers(), wanted).map(|gradient| {
                    let shape = shapes.next()?;
                    Some(match gradient? {
                        Gradient::Same => g.0.clone(),
                        Gradient::Own(values) => tensor(values, shape),
                    })
                })
            })
        });
        (tensor(values, Shape::from(shape.to_vec())), run)
    })
}
