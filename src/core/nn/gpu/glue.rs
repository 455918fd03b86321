//! How kernels become tensor operations with a gradient: the counterpart of the CPU's glue on the framework's GPU
//! backend, plain or wrapped for gradients.

use std::fmt;
use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Cube, DispatchAutodiffContext};
use burn::tensor::{DType, GradientCheckpointingStrategy, Tensor};
use burn_cubecl::tensor::CubeTensor;

/// A tensor on the GPU with gradients.
type AutodiffTensor = FloatTensor<Autodiff<Cube>>;

/// A tensor on a GPU.
pub enum Input {
    /// On the plain device.
    Plain(CubeTensor),
    /// On the device with gradients.
    Tracked(AutodiffTensor),
}

impl Input {
    /// `None` if the tensor is not f32 on a GPU, or if its device recomputes activations of its own accord.
    pub fn new<const D: usize>(tensor: &Tensor<D>) -> Option<Self> {
        Self::with_type(tensor, DType::F32)
    }

    fn with_type<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> Option<Self> {
        if tensor.dtype() != dtype || !super::is_enabled() {
            return None;
        }
        let dispatch = tensor.clone().into_dispatch();
        let context = dispatch.autodiff;
        let tensor = Tensor::<D>::from_dispatch(dispatch);
        match context {
            DispatchAutodiffContext::Disabled => {
                tensor.try_into_primitive::<Cube>().ok().map(Self::Plain)
            }
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled) => tensor
                .try_into_primitive::<Autodiff<Cube>>()
                .ok()
                .map(Self::Tracked),
            DispatchAutodiffContext::Enabled(_) => None,
        }
    }

    /// Returns the values of a tensor that wants no gradient; `None` for others, and where [`Input::new`] gives none.
    pub fn constant<const D: usize>(tensor: &Tensor<D>) -> Option<CubeTensor> {
        Self::constant_with_type(tensor, DType::F32)
    }

    /// Returns the values of a matrix of f32 or f16 that wants no gradient.
    pub fn weight(tensor: &Tensor<2>) -> Option<CubeTensor> {
        Self::constant_with_type(tensor, DType::F32)
            .or_else(|| Self::constant_with_type(tensor, DType::F16))
    }

    fn constant_with_type<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> Option<CubeTensor> {
        match Self::with_type(tensor, dtype)? {
            Self::Plain(tensor) => Some(tensor),
            Self::Tracked(_) if tensor.is_tracked() => None,
            Self::Tracked(tensor) => Some(tensor.into_primitive()),
        }
    }

    fn into_tracked(self) -> AutodiffTensor {
        match self {
            Self::Plain(tensor) => AutodiffTensor::new(tensor),
            Self::Tracked(tensor) => tensor,
        }
    }
}

/// Gradient for the result, and which inputs want one → gradients for these inputs.
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
        let inputs = inputs.map(|input| input.into_tracked().into_primitive());
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
