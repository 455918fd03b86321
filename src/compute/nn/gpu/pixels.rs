//! The normalisation of images, whose pixels are sent as bytes. The framework would use a launch for each byte of a
//! word, copy and arithmetic operation.

use burn::backend::Cube;
use burn::tensor::{DType, Device, Tensor};

use super::autodiff::constant;
use super::kernel::{Bound, Cache, Kernel, byte_buffer, empty, launch_values, value_kernel};

/// The kernel of a normalisation. Means and standard deviations are stored as the bits of f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Normalisation {
    side: usize,
    means: [u32; 3],
    deviations: [u32; 3],
}

impl Normalisation {
    fn kernel(self) -> Kernel {
        let area = self.side * self.side;
        let [means, deviations] = [self.means, self.deviations].map(|channels| {
            let [red, green, blue] = channels.map(f32::from_bits);
            format!("vec3<f32>({red:?}, {green:?}, {blue:?})")
        });
        let body = format!(
            "let place = i % {area}u;
    let channel = i / {area}u % 3u;
    let at = (i / {size}u * {area}u + place) * 3u + channel;
    let byte = (pixels[at / 4u] >> (at % 4u * 8u)) & 255u;
    let means = {means};
    let deviations = {deviations};
    y[i] = (f32(byte) / 255.0 - means[channel]) / deviations[channel];",
            size = 3 * area,
        );
        value_kernel("normalisation of images", &["y"], &["pixels", "count"], &body)
    }
}

/// Converts pixels (batch × side × side × 3, 8 bits) to images (batch × 3 × side × side) with the values (pixel / 255 −
/// mean) / deviation, given the means and standard deviations of the channels. `None` on devices without a kernel, or if
/// the number of bytes is not a multiple of four.
pub fn normalise_pixels(
    pixels: &[u8],
    side: usize,
    [means, deviations]: [[f32; 3]; 2],
    device: &Device,
) -> Option<Tensor<4>> {
    static KERNELS: Cache<Normalisation> = Cache::new();
    let batch = pixels.len() / (3 * side * side).max(1);
    if batch == 0 || !pixels.len().is_multiple_of(size_of::<u32>()) {
        return None;
    }
    let like = constant(&Tensor::<1>::empty([1], (device, DType::F32)))?;
    let [means, deviations] = [means, deviations].map(|channels| channels.map(f32::to_bits));
    let normalisation = Normalisation { side, means, deviations };
    let kernel = KERNELS.get(&normalisation, || normalisation.kernel());
    let words = byte_buffer(&like, pixels);
    let images = empty(&like, &[batch, 3, side, side]);
    let buffers = [Bound::Write(&images), Bound::Read(&words)];
    launch_values(&kernel, [batch * 3 * side * side, 0], &buffers, &images);
    Some(Tensor::from_primitive::<Cube>(images))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalisation_kernels_are_valid_wgsl() {
        for numbers in [[0.0, 1.0, 0.5], [0.485, 1e-7, 255.0]] {
            let bits = numbers.map(f32::to_bits);
            Normalisation { side: 6, means: bits, deviations: bits }.kernel().validate();
        }
    }
}
