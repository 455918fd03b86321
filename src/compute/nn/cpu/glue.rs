//! How an operation on slices becomes a tensor operation with a gradient.
//!
//! The CPU device is the framework's `flex` backend, plain or wrapped for gradients. An operation
//! takes the memory of its inputs, computes a [`Buffer`], and, if an input is tracked, leaves a
//! closure that turns the gradient for its result into those for its inputs.

use std::fmt;
use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::{FlexTensor, Layout};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex, TensorMetadata};
use burn::tensor::{DType, Shape, Tensor};
use lae_kernels::buffer::Buffer;

use super::bytes::bytes_of;

/// A tensor on the CPU device with gradients.
type AutodiffTensor = FloatTensor<Autodiff<Flex>>;

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
pub type Input = super::super::input::Input<Flex>;

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

/// The state of a tracked operation.
#[derive(Clone)]
struct Saved<const N: usize> {
    shapes: [Shape; N],
    run: Option<Run<N>>,
}

impl<const N: usize> fmt::Debug for Saved<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saved")
            .field("shapes", &self.shapes)
            .finish_non_exhaustive()
    }
}

/// The step of the gradient graph.
#[derive(Debug)]
struct Custom;

impl<const N: usize> Backward<Flex, N> for Custom {
    type State = Saved<N>;

    fn backward(
        self,
        ops: Ops<Self::State, N>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let g = Dense::new(gradients.consume::<Flex>(&ops.node));
        let Some(run) = ops.state.run else { return };
        let wanted = ops.parents.each_ref().map(Option::is_some);
        let results = run(g.numbers(), wanted);
        // Saved activations are free for use again before the gradient moves on.
        drop(run);
        let parents = ops.parents.into_iter().zip(ops.state.shapes);
        for ((parent, shape), result) in parents.zip(results) {
            if let (Some(parent), Some(result)) = (parent, result) {
                let gradient = match result {
                    Gradient::Same => g.0.clone(),
                    Gradient::Own(values) => tensor(values, shape),
                };
                gradients.register::<Flex>(parent.id, gradient);
            }
        }
    }
}

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
    let shape = Shape::from(shape.to_vec());
    if inputs.iter().all(|input| matches!(input, Input::Plain(_))) {
        let (values, _) = forward(inputs.map(|input| Dense::new(input.into_plain())), false);
        return Tensor::from_primitive::<Flex>(tensor(values, shape));
    }
    let inputs = inputs.map(Input::into_tracked);
    // The guards keep the inputs' nodes alive until this step is in the graph.
    let guards = inputs.each_ref().map(AutodiffTensor::node);
    let shapes = inputs.each_ref().map(TensorMetadata::shape);
    let inputs = inputs.map(|input| Dense::new(input.into_primitive()));
    let step = Custom.prepare::<NoCheckpointing>(guards).compute_bound();
    let output = match step.stateful() {
        OpsKind::Tracked(step) => {
            let (values, run) = forward(inputs, true);
            step.finish(Saved { shapes, run }, tensor(values, shape))
        }
        OpsKind::UnTracked(_) => {
            let (values, _) = forward(inputs, false);
            AutodiffTensor::new(tensor(values, shape))
        }
    };
    Tensor::from_primitive::<Autodiff<Flex>>(output)
}
