//! How kernels become tensor operations with a gradient: the counterpart of the CPU's glue on the framework's GPU
//! backend, plain or wrapped for gradients.

use std::fmt;
use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Cube};
use burn::tensor::{DType, Tensor};
use burn_cubecl::tensor::CubeTensor;

/// A tensor on a GPU.
pub type Input = super::super::input::Input<Cube>;

/// A tensor on a GPU with gradients.
type AutodiffTensor = FloatTensor<Autodiff<Cube>>;

/// Returns an f32 tensor of a GPU; `None` for other tensors, or if the program's own kernels are disabled.
pub fn to_input<const D: usize>(tensor: &Tensor<D>) -> Option<Input> {
    super::is_enabled()
        .then(|| Input::with_type(tensor, DType::F32))
        .flatten()
}

/// Returns the values of an f32 tensor that requires no gradient; `None` for other tensors, or if the program's own
/// kernels are disabled.
pub fn constant<const D: usize>(tensor: &Tensor<D>) -> Option<CubeTensor> {
    super::is_enabled()
        .then(|| Input::constant(tensor, DType::F32))
        .flatten()
}

/// Returns the values of a matrix of f32 or f16 that requires no gradient.
pub fn constant_weight(tensor: &Tensor<2>) -> Option<CubeTensor> {
    constant(tensor).or_else(|| Input::constant(tensor, DType::F16))
}

/// Maps the gradient of the result, and which inputs require one, to the gradients of the inputs.
pub type Run<const N: usize> =
    Arc<dyn Fn(CubeTensor, [bool; N]) -> [Option<CubeTensor>; N] + Send + Sync>;

/// The state of a tracked operation.
#[derive(Clone)]
struct Saved<const N: usize>(Run<N>);

impl<const N: usize> fmt::Debug for Saved<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Saved").finish_non_exhaustive()
    }
}

/// The step of the gradient graph.
#[derive(Debug)]
struct Custom;

impl<const N: usize> Backward<Cube, N> for Custom {
    type State = Saved<N>;

    fn backward(
        self,
        ops: Ops<Self::State, N>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let g = gradients.consume::<Cube>(&ops.node);
        let wanted = ops.parents.each_ref().map(Option::is_some);
        let Saved(run) = ops.state;
        for (parent, gradient) in ops.parents.into_iter().zip(run(g, wanted)) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                gradients.register::<Cube>(parent.id, gradient);
            }
        }
    }
}

/// Runs an operation on N inputs. `forward` gets their values and returns the result and how to go back. The result is on
/// the device with gradients if an input is.
pub fn apply<const N: usize, const E: usize>(
    inputs: [Input; N],
    forward: impl FnOnce([CubeTensor; N]) -> (CubeTensor, Run<N>),
) -> Tensor<E> {
    if inputs.iter().all(|input| matches!(input, Input::Plain(_))) {
        let inputs = inputs.map(Input::into_plain);
        return Tensor::from_primitive::<Cube>(forward(inputs).0);
    }
    let inputs = inputs.map(Input::into_tracked);
    // The guards keep the inputs' nodes alive until this step is in the graph.
    let guards = inputs.each_ref().map(AutodiffTensor::node);
    let (output, run) = forward(inputs.map(AutodiffTensor::into_primitive));
    let step = Custom.prepare::<NoCheckpointing>(guards).compute_bound();
    let output = match step.stateful() {
        OpsKind::Tracked(step) => step.finish(Saved(run), output),
        OpsKind::UnTracked(_) => AutodiffTensor::new(output),
    };
    Tensor::from_primitive::<Autodiff<Cube>>(output)
}
