//! Converts decoded pixels to the normalised images that a backbone takes.

use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use rayon::prelude::*;

use crate::backbone::library::{Normalisation, OpenedBackbone};

/// Converts pixels (batch × side × side × 3, 8 bits) to normalised images (batch × 3 × side × side). A GPU receives the
/// bytes, a quarter of the size in f32, and normalises them itself.
pub fn normalise(pixels: &[u8], side: usize, scale: &Normalisation, device: &Device) -> Tensor<4> {
    let whole_words = (side * side * 3).is_multiple_of(WORD);
    match whole_words && *device != Device::flex() {
        true => normalise_on_device(pixels, side, scale, device),
        false => normalise_on_cpu(pixels, side, scale, device),
    }
}

/// Converts pixels to normalised images for a network, with its input size and normalisation; see [`normalise`].
pub fn normalise_for_backbone(pixels: &[u8], opened: &OpenedBackbone) -> Tensor<4> {
    let (side, scale) = (opened.input.size, &opened.normalisation);
    normalise(pixels, side, scale, &opened.backbone.device())
}

/// Bytes per 32-bit word, the smallest integer that every GPU can unpack.
const WORD: usize = 4;

/// Sends four bytes per word and unpacks them on the device.
fn normalise_on_device(
    pixels: &[u8],
    side: usize,
    scale: &Normalisation,
    device: &Device,
) -> Tensor<4> {
    let area = side * side;
    let batch = pixels.len() / (area * 3).max(1);
    let (bytes, _) = pixels.as_chunks::<WORD>();
    let words: Vec<u32> = bytes.iter().copied().map(u32::from_le_bytes).collect();
    let words = TensorData::new(words, [batch, area * 3 / WORD, 1]);
    let words = Tensor::<3, Int>::from_data(words, (device, DType::U32));
    let byte = |index: u32| {
        let shifted = words.clone().bitwise_right_shift_scalar(8 * index);
        shifted.bitwise_and_scalar(255_u32).float()
    };
    let values = Tensor::cat((0..WORD as u32).map(byte).collect(), 2);
    let values = values.reshape([batch, area, 3]).swap_dims(1, 2);
    let per_channel = |values: [f32; 3]| {
        Tensor::<4>::from_data(TensorData::new(values.to_vec(), [1, 3, 1, 1]), device)
    };
    (values.reshape([batch, 3, side, side]) / 255.0 - per_channel(scale.mean))
        / per_channel(scale.std)
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

    #[test]
    fn normalisation_on_device_matches_cpu() {
        let scale = Normalisation { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };
        let pixels: Vec<u8> = (0..3 * 6 * 6 * 3).map(|i| (i * 7919 % 256) as u8).collect();
        let read = |tensor: Tensor<4>| HostTensor::read(&tensor).unwrap();
        let device = Device::flex();
        let words = read(normalise_on_device(&pixels, 6, &scale, &device));
        let numbers = read(normalise_on_cpu(&pixels, 6, &scale, &device));
        assert_eq!(words.shape, numbers.shape);
        let pairs = words.values.iter().zip(&numbers.values);
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
