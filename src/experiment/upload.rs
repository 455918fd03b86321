//! From decoded pixels to the normalised images a backbone takes.

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use crate::backbone::library::Normalisation;

/// Pixels (batch × side × side × 3, 8 bit) → normalised images (batch × 3 × side × side).
pub fn images(pixels: &[u8], side: usize, scale: &Normalisation, device: &Device) -> Tensor<4> {
    let area = side * side;
    let batch = pixels.len() / (area * 3).max(1);
    // Affine in the byte, so one table per channel does the division.
    let table: [[f32; 256]; 3] = std::array::from_fn(|channel| {
        std::array::from_fn(|byte| (byte as f32 / 255.0 - scale.mean[channel]) / scale.std[channel])
    });
    let mut values = vec![0f32; batch * 3 * area];
    let planes = values.par_chunks_mut(3 * area);
    planes
        .zip(pixels.par_chunks(3 * area))
        .for_each(|(planes, picture)| {
            for (channel, plane) in planes.chunks_exact_mut(area).enumerate() {
                let bytes = picture.iter().skip(channel).step_by(3);
                for (value, &byte) in plane.iter_mut().zip(bytes) {
                    *value = table[channel][usize::from(byte)];
                }
            }
        });
    Tensor::from_data(TensorData::new(values, [batch, 3, side, side]), device)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tensors::HostTensor;

    #[test]
    fn channels_come_apart_and_are_normalised() {
        let scale = Normalisation {
            mean: [0.5, 0.0, 0.0],
            std: [0.5, 1.0, 0.5],
        };
        let pixels = [255, 0, 51, 0, 255, 0, 255, 0, 51, 0, 255, 0];
        let tensor = images(&pixels, 2, &scale, &Device::flex());
        assert_eq!(tensor.dims(), [1, 3, 2, 2]);
        let got = HostTensor::read(&tensor).unwrap().values;
        let want = [1.0, -1.0, 1.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.4, 0.0, 0.4, 0.0];
        assert!(
            got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6),
            "{got:?}"
        );
    }
}
