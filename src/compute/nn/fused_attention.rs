//! Softmax attention as one operation with a gradient, for cases that the program's own kernels do not cover.
//!
//! Recorded as separate operations, attention would store several copies of its scores until the backward pass. Here
//! only queries, keys and values are stored, and the backward pass computes the attention weights again: P =
//! softmax(scale·q·kᵀ + bias), y = P·v. With dP = g·vᵀ and dS = P ∘ (dP − Σ dP∘P): dq = scale·dS·k, dk = scale·dSᵀ·q,
//! dv = Pᵀ·g. Without a bias, the forward pass is the framework's own attention, which is a single kernel on some
//! devices.

use std::sync::Arc;

use burn::backend::{Autodiff, Backend, Cube, DispatchKindConversion, DispatchTensor, Flex};
use burn::tensor::Tensor;
use burn::tensor::module::attention as of_the_framework;

use super::framework;
use super::input::{BackwardFn, Input, apply};

/// Computes [`framework::attention`] as one operation. A trained bias uses the separate operations.
pub(super) fn attention(parts: [Tensor<4>; 3], bias: Option<&Tensor<4>>) -> Tensor<3> {
    if bias.is_some_and(Tensor::is_autodiff) {
        return framework::attention(parts, bias);
    }
    match try_attention::<Cube>(&parts, bias).or_else(|| try_attention::<Flex>(&parts, bias)) {
        Some(mixed) => framework::merge_heads(mixed),
        // Another backend: the result is the same, but more memory is used.
        None => framework::attention(parts, bias),
    }
}

/// The values stored for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    /// Queries, keys and values, batch × heads × tokens × head width, without gradients.
    parts: [Tensor<4>; 3],
    /// groups × heads × tokens × tokens, without gradients.
    bias: Option<Tensor<4>>,
}

impl Saved {
    fn forward(&self) -> Tensor<4> {
        let [q, k, v] = self.parts.clone();
        match &self.bias {
            None => of_the_framework(q, k, v, None, None, Default::default()),
            Some(_) => self.attention_weights().matmul(v),
        }
    }

    /// Returns the attention weights: batch × heads × queries × keys.
    fn attention_weights(&self) -> Tensor<4> {
        let [q, k, _] = self.parts.clone();
        framework::attention_weights(q, k, self.bias.as_ref())
    }

    /// Returns the gradients of queries, keys and values, given the gradient of the result.
    fn gradients(&self, g: Tensor<4>) -> [Tensor<4>; 3] {
        let weights = self.attention_weights();
        let [q, k, v] = self.parts.clone();
        let scale = framework::scale(&q);
        let weight_gradient = g.clone().matmul(v.swap_dims(2, 3));
        let mean = (weight_gradient.clone() * weights.clone()).sum_dim(3);
        let score_gradient = (weight_gradient - mean) * weights.clone() * scale;
        [
            score_gradient.clone().matmul(k),
            score_gradient.swap_dims(2, 3).matmul(q),
            weights.swap_dims(2, 3).matmul(g),
        ]
    }
}

/// Computes the attention on a device of backend `B`; `None` if the inputs are on another backend.
fn try_attention<B>(parts: &[Tensor<4>; 3], bias: Option<&Tensor<4>>) -> Option<Tensor<4>>
where
    B: Backend,
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B>>,
{
    let [q, k, v] = (parts.each_ref()).map(|part| Input::<B>::with_type(part, part.dtype()));
    let inputs = [q?, k?, v?];
    let saved = Saved { parts: parts.clone().map(Tensor::inner), bias: bias.cloned() };
    let output = saved.forward().try_into_primitive::<B>().ok()?;
    let run: BackwardFn<B, 3> = Arc::new(move |g, _| {
        let gradients = saved.gradients(Tensor::from_primitive::<B>(g));
        // The conversion succeeds, because the inputs were converted in the forward pass.
        gradients.map(|gradient| gradient.try_into_primitive::<B>().ok())
    });
    Some(apply(inputs, |_, _| (output, Some(run))))
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;
    use crate::tensors::HostTensor;

    fn test_tensor<const D: usize>(shape: [usize; D], shift: usize) -> Tensor<D> {
        let count: usize = shape.iter().product();
        let value = |i: usize| ((i * 7919 + shift * 104_729) % 997) as f32 / 498.5 - 1.0;
        let data = TensorData::new((0..count).map(value).collect(), shape);
        Tensor::from_data(data, &Device::flex())
    }

    fn read<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
        HostTensor::read(tensor).unwrap().values
    }

    type AttentionFn = fn([Tensor<4>; 3], Option<&Tensor<4>>) -> Tensor<3>;

    /// Returns the result of the attention, and the gradients of the inputs that require one.
    fn result_and_gradients(
        attend: AttentionFn,
        bias: Option<&Tensor<4>>,
        wanted: [bool; 3],
    ) -> Vec<Vec<f32>> {
        let shapes = [[4, 3, 5, 8], [4, 3, 7, 8], [4, 3, 7, 8]];
        let shapes = match bias {
            Some(_) => [shapes[1]; 3],
            None => shapes,
        };
        let mut part = 0;
        let parts = shapes.map(|shape| {
            part += 1;
            let plain = test_tensor(shape, part);
            match wanted[part - 1] {
                true => plain.autodiff().require_grad(),
                false => plain,
            }
        });
        let y = attend(parts.clone(), bias);
        let mut results = vec![read(&y.clone().inner())];
        if wanted.contains(&true) {
            let weight = test_tensor(y.dims(), 9).autodiff();
            let gradients = (y * weight).sum().backward();
            let input_gradients = parts.iter().filter_map(|part| part.grad(&gradients));
            results.extend(input_gradients.map(|gradient| read(&gradient)));
        }
        results
    }

    #[test]
    fn fused_attention_matches_unfused_operations() {
        let bias = test_tensor([2, 3, 7, 7], 5);
        let all =
            [[false, false, false], [true, true, true], [false, true, true], [true, false, false]];
        for bias in [None, Some(&bias)] {
            for wanted in all {
                let fused = result_and_gradients(attention, bias, wanted);
                let single = result_and_gradients(framework::attention, bias, wanted);
                let wanted_count = wanted.iter().filter(|wants| **wants).count();
                assert_eq!((fused.len(), single.len()), (1 + wanted_count, 1 + wanted_count));
                for (a, b) in fused.iter().zip(&single) {
                    let largest = b.iter().fold(0f32, |max, v| max.max(v.abs()));
                    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                    let error = differences.fold(0f32, f32::max) / largest;
                    assert!(error < 1e-5 && largest > 1e-3, "{error} {largest}");
                }
            }
        }
    }
}
