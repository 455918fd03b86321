//! Tensors as a backend of the framework sees them, for operations with their own gradients.

use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, Backend, DispatchAutodiffContext, DispatchKindConversion, DispatchTensor,
};
use burn::tensor::{DType, GradientCheckpointingStrategy, Tensor};

/// A tensor on a device of backend `B`.
pub enum Input<B: Backend> {
    /// On the plain device.
    Plain(FloatTensor<B>),
    /// On the device with gradients.
    Tracked(FloatTensor<Autodiff<B>>),
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
            DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled) => tensor
                .try_into_primitive::<Autodiff<B>>()
                .ok()
                .map(Self::Tracked),
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

    /// The values.
    pub fn into_plain(self) -> FloatTensor<B> {
        match self {
            Self::Plain(tensor) => tensor,
            Self::Tracked(tensor) => tensor.into_primitive(),
        }
    }

    /// The tensor on the device with gradients.
    pub fn into_tracked(self) -> FloatTensor<Autodiff<B>> {
        match self {
            Self::Plain(tensor) => FloatTensor::<Autodiff<B>>::new(tensor),
            Self::Tracked(tensor) => tensor,
        }
    }
}
