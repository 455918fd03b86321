//! Softmax attention as one operation with a gradient, for cases that the program's own kernels do not cover.
//!
//! Recorded operation by operation, attention keeps its scores several times over until the
//! backward. Here queries, keys and values are kept alone, and their shares are computed again on
//! the way back: P = softmax(scale·q·kᵀ + bias), y = P·v. With dP = g·vᵀ and
//! dS = P ∘ (dP − Σ dP∘P): dq = scale·dS·k, dk = scale·dSᵀ·q, dv = Pᵀ·g. The forward without a bias
//! is the framework's own attention, which is one kernel where the framework has one.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::{Autodiff, Backend, Cube, DispatchKindConversion, DispatchTensor, Flex};
use burn::tensor::Tensor;
use burn::tensor::module::attention as of_the_framework;

use super::framework;

/// As [`framework::attention`], in one step. A bias that is itself trained has no such step.
pub(super) fn attention(parts: [Tensor<4>; 3], bias: Option<&Tensor<4>>) -> Tensor<3> {
    if bias.is_some_and(Tensor::is_autodiff) {
        return framework::attention(parts, bias);
    }
    let saved = |parts: [Tensor<4>; 3]| Saved {
        parts,
        bias: bias.cloned(),
    };
    if !parts.iter().any(Tensor::is_autodiff) {
        return framework::merged(saved(parts).forward());
    }
    // One that wants no gradient joins the others as a constant.
    let joined = parts.clone().map(|part| match part.is_autodiff() {
        true => part,
        false => part.autodiff(),
    });
    let recorded = recorded::<Cube>(&joined, bias).or_else(|| recorded::<Flex>(&joined, bias));
    match recorded {
        Some(mixed) => framework::merged(mixed),
        // Neither of the two backends: right as well, but more is kept.
        None => framework::attention(parts, bias),
    }
}

/// What the way back starts from.
#[derive(Clone, Debug)]
struct Saved {
    /// Queries, keys, values: batch × heads × tokens × head width, plain.
    parts: [Tensor<4>; 3],
    /// groups × heads × tokens × tokens, plain.
    bias: Option<Tensor<4>>,
}

impl Saved {
    fn forward(&self) -> Tensor<4> {
        let [q, k, v] = self.parts.clone();
        match &self.bias {
            None => of_the_framework(q, k, v, None, None, Default::default()),
            Some(_) => self.shares().matmul(v),
        }
    }

    /// batch × heads × queries × keys.
    fn shares(&self) -> Tensor<4> {
        let [q, k, _] = self.parts.clone();
        framework::shares(q, k, self.bias.as_ref())
    }

    /// Gradients for queries, keys and values from that for the result.
    fn gradients(self, g: Tensor<4>) -> [Tensor<4>; 3] {
        let shares = self.shares();
        let [q, k, v] = self.parts;
        let scale = framework::scale(&q);
        let of_shares = g.clone().matmul(v.swap_dims(2, 3));
        let mean = (of_shares.clone() * shares.clone()).sum_dim(3);
        let of_scores = (of_shares - mean) * shares.clone() * scale;
        [
            of_scores.clone().matmul(k),
            of_scores.swap_dims(2, 3).matmul(q),
            shares.swap_dims(2, 3).matmul(g),
        ]
    }
}

/// The attention on a device with gradients of backend `B`; `None` if the parts are elsewhere.
fn recorded<B>(parts: &[Tensor<4>; 3], bias: Option<&Tensor<4>>) -> Option<Tensor<4>>
where
    B: Backend,
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B>>,
{
    let [q, k, v] = parts.clone();
    let (q, of_q) = q.try_into_primitive::<Autodiff<B>>().ok()?.into_parts();
    let (k, of_k) = k.try_into_primitive::<Autodiff<B>>().ok()?.into_parts();
    let (v, of_v) = v.try_into_primitive::<Autodiff<B>>().ok()?.into_parts();
    let saved = Saved {
        parts: [q, k, v].map(Tensor::from_primitive::<B>),
        bias: bias.cloned(),
    };
    let output = saved.forward().try_into_primitive::<B>().ok()?;
    // The guards keep the parts' nodes alive until this step is in the graph.
    let step = Attention
        .prepare::<NoCheckpointing>([of_q, of_k, of_v])
        .compute_bound();
    let output = match step.stateful() {
        OpsKind::Tracked(step) => step.finish(saved, output),
        OpsKind::UnTracked(step) => step.finish(output),
    };
    Some(Tensor::from_primitive::<Autodiff<B>>(output))
}

/// The step of the gradient graph.
#[derive(Debug)]
struct Attention;

impl<B> Backward<B, 3> for Attention
where
    B: Backend,
    DispatchTensor: DispatchKindConversion<B>,
{
    type State = Saved;

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let g = Tensor::from_primitive::<B>(gradients.consume::<B>(&ops.node));
        let found = ops.state.gradients(g);
        for (parent, gradient) in ops.parents.into_iter().zip(found) {
            // They were taken to this backend on the way there.
            if let (Some(parent), Ok(gradient)) = (parent, gradient.try_into_primitive::<B>()) {
                gradients.register::<B>(parent.id, gradient);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;
    use crate::tensors::HostTensor;

    fn numbers<const D: usize>(shape: [usize; D], shift: usize) -> Tensor<D> {
        let count: usize = shape.iter().product();
        let value = |i: usize| ((i * 7919 + shift * 104_729) % 997) as f32 / 498.5 - 1.0;
        let data = TensorData::new((0..count).map(value).collect(), shape);
        Tensor::from_data(data, &Device::flex())
    }

    fn read<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
        HostTensor::read(tensor).unwrap().values
    }

    type Attend = fn([Tensor<4>; 3], Option<&Tensor<4>>) -> Tensor<3>;

    /// The result, and the gradients of those parts that want one.
    fn outcome(attend: Attend, bias: Option<&Tensor<4>>, wanted: [bool; 3]) -> Vec<Vec<f32>> {
        let shapes = [[4, 3, 5, 8], [4, 3, 7, 8], [4, 3, 7, 8]];
        let shapes = match bias {
            Some(_) => [shapes[1]; 3],
            None => shapes,
        };
        let mut part = 0;
        let parts = shapes.map(|shape| {
            part += 1;
            let plain = numbers(shape, part);
            match wanted[part - 1] {
                true => plain.autodiff().require_grad(),
                false => plain,
            }
        });
        let y = attend(parts.clone(), bias);
        let mut found = vec![read(&y.clone().inner())];
        if wanted.contains(&true) {
            let weight = numbers(y.dims(), 9).autodiff();
            let gradients = (y * weight).sum().backward();
            let of = parts.iter().filter_map(|part| part.grad(&gradients));
            found.extend(of.map(|gradient| read(&gradient)));
        }
        found
    }

    #[test]
    fn result_and_gradients_are_those_of_the_single_operations() {
        let bias = numbers([2, 3, 7, 7], 5);
        let all = [
            [false, false, false],
            [true, true, true],
            [false, true, true],
            [true, false, false],
        ];
        for bias in [None, Some(&bias)] {
            for wanted in all {
                let fused = outcome(attention, bias, wanted);
                let single = outcome(framework::attention, bias, wanted);
                let wants = wanted.iter().filter(|wants| **wants).count();
                assert_eq!((fused.len(), single.len()), (1 + wants, 1 + wants));
                for (a, b) in fused.iter().zip(&single) {
                    let largest = b.iter().fold(0f32, |most, v| most.max(v.abs()));
                    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                    let error = apart.fold(0f32, f32::max) / largest;
                    assert!(error < 1e-5 && largest > 1e-3, "{error} {largest}");
                }
            }
        }
    }
}
