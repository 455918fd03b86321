//! Tensors of a framework backend, and operations with their own gradients on them.

use std::fmt;
use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, Backend, DispatchAutodiffContext, DispatchKindConversion, DispatchTensor,
};
use burn::tensor::{DType, GradientCheckpointingStrategy, Tensor};

/// A tensor on a device with gradients of backend `B`.
type AutodiffTensor<B> = FloatTensor<Autodiff<B>>;

/// A tensor on a device of backend `B`.
pub enum Input<B: Backend> {
    /// On the plain device.
    Plain(FloatTensor<B>),
    /// On the device with gradients.
    Tracked(AutodiffTensor<B>),
}

impl<B> Input<B>
where
    B: Backend,
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B>>,
{
    /// Returns the tensor; `None` if it has another type or backend, or if its device recomputes activations.
    pub fn with_type<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> Option<Self> {
        if tensor.dtype() != dtype {
            return None;
        }
        let dispatch = tensor.clone().into_dispatch();
        let context = dispatch.autodiff;
        let tensor = Tensor::<D>::from_dispatch(dispatch);
        match context {
            DispatchAutodiffContext::Disabled => {
                tensor.try_into_primitive::<B>().ok().map(Self::Plain)
            }
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled) => {
                tensor.try_into_primitive::<Autodiff<B>>().ok().map(Self::Tracked)
            }
            DispatchAutodiffContext::Enabled(_) => None,
        }
    }

    /// Returns the values of a tensor that requires no gradient; `None` for other tensors, or if [`Input::with_type`]
    /// returns `None`.
    pub fn constant<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> Option<FloatTensor<B>> {
        match Self::with_type(tensor, dtype)? {
            Self::Tracked(_) if tensor.is_tracked() => None,
            input => Some(input.into_plain()),
        }
    }

    /// Returns the values, without a gradient.
    pub fn into_plain(self) -> FloatTensor<B> {
        match self {
            Self::Plain(tensor) => tensor,
            Self::Tracked(tensor) => tensor.into_primitive(),
        }
    }

    /// Returns the tensor on the device with gradients.
    pub fn into_tracked(self) -> AutodiffTensor<B> {
        match self {
            Self::Plain(tensor) => AutodiffTensor::<B>::new(tensor),
            Self::Tracked(tensor) => tensor,
        }
    }
}

/// Maps the gradient of the result, and which inputs require one, to the gradients of the inputs.
pub type BackwardFn<B, const N: usize> =
    Arc<dyn Fn(FloatTensor<B>, [bool; N]) -> [Option<FloatTensor<B>>; N] + Send + Sync>;

/// The state of a tracked operation.
#[derive(Clone)]
struct Saved<R>(R);

impl<R> fmt::Debug for Saved<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Saved").finish_non_exhaustive()
    }
}

/// The node of the gradient graph.
#[derive(Debug)]
struct CustomBackward;

impl<B: Backend, const N: usize> Backward<B, N> for CustomBackward {
    type State = Saved<Option<BackwardFn<B, N>>>;

    fn backward(
        self,
        ops: Ops<Self::State, N>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let g = gradients.consume::<B>(&ops.node);
        let Saved(Some(backward)) = ops.state else {
            return;
        };
        let wanted = ops.parents.each_ref().map(Option::is_some);
        let results = backward(g, wanted);
        // Frees the saved activations before the gradients are passed on.
        drop(backward);
        for (parent, gradient) in ops.parents.into_iter().zip(results) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                gradients.register::<B>(parent.id, gradient);
            }
        }
    }
}

/// Runs an operation on N inputs. `forward` gets their values, and whether to also return the backward function. The
/// result is on the device with gradients if any input is.
pub fn apply<B, const N: usize, const E: usize>(
    inputs: [Input<B>; N],
    forward: impl FnOnce([FloatTensor<B>; N], bool) -> (FloatTensor<B>, Option<BackwardFn<B, N>>),
) -> Tensor<E>
where
    B: Backend,
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B>>,
{
    if inputs.iter().all(|input| matches!(input, Input::Plain(_))) {
        let (output, _) = forward(inputs.map(Input::into_plain), false);
        return Tensor::from_primitive::<B>(output);
    }
    let inputs = inputs.map(Input::into_tracked);
    // The guards keep the inputs' nodes alive until this step is in the graph.
    let guards = inputs.each_ref().map(AutodiffTensor::<B>::node);
    let inputs = inputs.map(AutodiffTensor::<B>::into_primitive);
    let step =
        <CustomBackward as Backward<B, N>>::prepare::<NoCheckpointing>(CustomBackward, guards);
    let output = match step.compute_bound().stateful() {
        OpsKind::Tracked(step) => {
            let (output, backward) = forward(inputs, true);
            step.finish(Saved(backward), output)
        }
        OpsKind::UnTracked(_) => AutodiffTensor::<B>::new(forward(inputs, false).0),
    };
    Tensor::from_primitive::<Autodiff<B>>(output)
}
