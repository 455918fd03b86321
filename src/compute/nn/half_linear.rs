//! A frozen linear layer whose matrix is stored in half precision, which halves its memory; the arithmetic is f32.
//!
//! The matrix is converted to f32 in each forward and backward pass. If the framework recorded this, it would store
//! the f32 copies of all layers until the backward pass, which needs more memory than f32 weights. Operations never
//! mix number types, because GPUs would return wrong results instead of an error.

use std::sync::Arc;

use burn::backend::{Autodiff, Backend, Cube, DispatchKindConversion, DispatchTensor, Flex};
use burn::tensor::{DType, Device, FloatDType, Tensor, TensorData};
use half::f16;

use super::input::{BackwardFn, Input, apply};

/// A matrix (in × out) in half precision, with a factor for each column.
#[derive(Clone, Debug)]
pub struct HalfMatrix {
    /// in × out, f16: each column is divided by its factor.
    pub values: Tensor<2>,
    /// 1 × out, f32; `None` if all factors are 1.
    pub factors: Option<Tensor<2>>,
}

/// Columns whose largest magnitude is in this range lose no precision except for the rounding to 11 bits.
const SAFE_RANGE: std::ops::Range<f32> = 1e-3..3e4;

impl HalfMatrix {
    /// Rounds `values` (inputs × outputs, row-major) to half precision. A column outside the range of the type, for
    /// example with a layer scale of 1e-6 folded in, is divided by a power of two.
    pub fn new(values: &[f32], shape: [usize; 2], device: &Device) -> Self {
        let [_, outputs] = shape;
        let mut largest = vec![0f32; outputs];
        for row in values.chunks(outputs) {
            for (max, value) in largest.iter_mut().zip(row) {
                *max = max.max(value.abs());
            }
        }
        let factor = |max: &f32| match *max {
            max if max == 0.0 || SAFE_RANGE.contains(&max) || !max.is_finite() => 1.0,
            max => max.log2().floor().exp2(),
        };
        let factors: Vec<f32> = largest.iter().map(factor).collect();
        let rounded: Vec<f16> = (values.chunks(outputs))
            .flat_map(|row| row.iter().zip(&factors))
            .map(|(value, factor)| f16::from_f32(value / factor))
            .collect();
        let needed = factors.iter().any(|factor| *factor != 1.0);
        Self {
            values: Tensor::from_data(TensorData::new(rounded, shape), (device, DType::F16)),
            factors: needed
                .then(|| Tensor::from_data(TensorData::new(factors, [1, outputs]), device)),
        }
    }

    /// Returns the matrix in f32.
    pub fn to_f32(&self) -> Tensor<2> {
        let values = self.values.clone().cast(FloatDType::F32);
        match &self.factors {
            Some(factors) => values * factors.clone(),
            None => values,
        }
    }

    /// Computes x · matrix, from rows × in to rows × out.
    pub fn product(&self, x: Tensor<2>) -> Tensor<2> {
        if !x.is_autodiff() {
            return x.matmul(self.to_f32());
        }
        try_product::<Cube>(&x, self)
            .or_else(|| try_product::<Flex>(&x, self))
            // Another backend: the result is the same, but the f32 copy stays in memory.
            .unwrap_or_else(|| x.matmul(self.to_f32()))
    }
}

/// Computes the product on a device of backend `B`, with a gradient; `None` if x is on another backend.
fn try_product<B>(x: &Tensor<2>, matrix: &HalfMatrix) -> Option<Tensor<2>>
where
    B: Backend,
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B>>,
{
    let input = Input::<B>::with_type(x, x.dtype())?;
    let weight = matrix.to_f32().try_into_primitive::<B>().ok()?;
    let matrix = matrix.clone();
    let run: BackwardFn<B, 1> = Arc::new(move |g, _| {
        // The conversion succeeds, because it did in the forward pass.
        let weight = matrix.to_f32().try_into_primitive::<B>().ok();
        [weight.map(|weight| B::float_matmul(g, B::float_transpose(weight)))]
    });
    Some(apply([input], |[x], _| (B::float_matmul(x, weight), Some(run))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::HostTensor;

    fn read_values<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
        HostTensor::read(tensor).unwrap().values
    }

    #[test]
    fn columns_preserve_eleven_bits_at_any_scale() {
        let columns = [1e-9f32, 3e-5, 0.7, 60_000.0, 3e7, 0.0];
        let rows: Vec<f32> =
            [1.0, -0.371, 0.2].iter().flat_map(|f| columns.map(|c| c * f)).collect();
        let matrix = HalfMatrix::new(&rows, [3, columns.len()], &Device::flex());
        for (i, (got, want)) in read_values(&matrix.to_f32()).iter().zip(&rows).enumerate() {
            let column = columns[i % columns.len()];
            assert!((got - want).abs() <= column / 2048.0, "{got} for {want}");
        }
        let plain = HalfMatrix::new(&[0.5, -0.25], [1, 2], &Device::flex());
        assert!(plain.factors.is_none());
        assert_eq!(plain.values.dtype(), DType::F16);
    }

    #[test]
    fn product_and_gradient_match_widened_matrix() {
        let device = Device::flex();
        let values: Vec<f32> = (0..12).map(|i| (i as f32 * 0.7).sin() * 1e-5).collect();
        let matrix = HalfMatrix::new(&values, [4, 3], &device);
        let data = TensorData::new((0..8).map(|i| i as f32 - 3.0).collect(), [2, 4]);
        let compute = |product: &dyn Fn(Tensor<2>) -> Tensor<2>| {
            let x = Tensor::<2>::from_data(data.clone(), &device).autodiff().require_grad();
            let y = product(x.clone());
            let gradients = (y.clone() * y.clone()).sum().backward();
            (read_values(&y.inner()), read_values(&x.grad(&gradients).unwrap()))
        };
        let ours = compute(&|x| matrix.product(x));
        let reference = compute(&|x| x.matmul(matrix.to_f32()));
        assert_eq!(ours, reference);
        assert!(ours.1.iter().all(|value| *value != 0.0));
    }
}
