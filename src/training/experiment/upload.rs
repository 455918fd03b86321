//! Converts decoded pixels to the normalised images that a backbone takes.

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use crate::backbone::library::{Normalisation, OpenedBackbone};
use crate::nn;

/// Converts pixels (batch × side × side × 3, 8 bits) to normalised images (batch × 3 × side × side). A GPU receives the
/// bytes, a quarter of the size in f32, and normalises them itself.
pub fn normalise(pixels: &[u8], side: usize, scale: &Normalisation, device: &Device) -> Tensor<4> {
    nn::normalise_pixels(pixels, side, [scale.mean, scale.std], device)
        .unwrap_or_else(|| normalise_on_cpu(pixels, side, scale, device))
}

/// Converts pixels to normalised images for a network, with its input size and normalisation; see [`normalise`].
pub fn normalise_for_backbone(pixels: &[u8], opened: &OpenedBackbone) -> Tensor<4> {
    let (side, scale) = (opened.input.size, &opened.normalisation);
    normalise(pixels, side, scale, &opened.backbone.device())
}

/// Normalises on all CPU cores and sends f32 numbers.
fn normalise_on_cpu(
    pixels: &[u8],
    side: usize,
    scale: &Normalisation,
    device: &Device,
) -> Tensor<4> {
    let area = side * side;
    let batch = pixels.len() / (area * 3).max(1);
    // A byte has only 256 values, so one table per channel replaces the division.
    let table: [[f32; 256]; 3] = std::array::from_fn(|channel| {
        std::array::from_fn(|byte| (byte as f32 / 255.0 - scale.mean[channel]) / scale.std[channel])
    });
    let mut values = vec![0f32; batch * 3 * area];
    let planes = values.par_chunks_mut(3 * area);
    planes.zip(pixels.par_chunks(3 * area)).for_each(|(planes, image)| {
        for (channel, plane) in planes.chunks_exact_mut(area).enumerate() {
            let bytes = image.iter().skip(channel).step_by(3);
            for (value, &byte) in plane.iter_mut().zip(bytes) {
                *value = table[channel][usize::from(byte)];
            }
        }
    });
    Tensor::from_data(TensorData::new(values, [batch, 3, side, side]), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::HostTensor;

    #[test]
    fn separates_and_normalises_channels() {
        let scale = Normalisation { mean: [0.5, 0.0, 0.0], std: [0.5, 1.0, 0.5] };
        let pixels = [255, 0, 51, 0, 255, 0, 255, 0, 51, 0, 255, 0];
        let tensor = normalise(&pixels, 2, &scale, &Device::flex());
        assert_eq!(tensor.dims(), [1, 3, 2, 2]);
        let got = HostTensor::read(&tensor).unwrap().values;
        let want = [1.0, -1.0, 1.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.4, 0.0, 0.4, 0.0];
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6), "{got:?}");
    }
}
