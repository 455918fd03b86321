//! Measures the speed of networks with forward passes.

use std::time::Instant;

use burn::tensor::{Device, Tensor};

use crate::backbone::library::{BackboneLibrary, NANO, Opened};
use crate::method::plain;
use crate::nn;
use crate::problem::Result;
use crate::tensors::HostTensor;

/// Images in the timed batch, and number of repetitions; the fastest one counts.
const IMAGES: usize = 16;
const TIMES: usize = 3;

/// Returns the multiplications per second of a network on its device.
pub(super) fn speed_of(network: &Opened) -> Result<f64> {
    let (side, backbone) = (network.input.size, &network.backbone);
    let images = Tensor::zeros([IMAGES, 3, side, side], &backbone.device());
    let pass = || -> Result<f64> {
        let began = Instant::now();
        let features = nn::together(&images, || plain(&**backbone, images.clone()))?;
        // Reading waits until the device has finished.
        HostTensor::read(&features)?;
        Ok(began.elapsed().as_secs_f64())
    };
    // The first pass allocates buffers and compiles kernels.
    pass()?;
    let mut seconds = f64::INFINITY;
    for _ in 0..TIMES {
        seconds = pass()?.min(seconds);
    }
    let multiplications = network.entry.architecture.multiplications();
    Ok(IMAGES as f64 * multiplications / seconds.max(1e-9))
}

/// Returns the multiplications per second of the processor, measured in some ten milliseconds with the smallest
/// embedded network.
///
/// # Errors
/// Returns a Problem if there is no memory for it.
pub fn processor_speed() -> Result<f64> {
    speed_of(&BackboneLibrary::usual().random(NANO, 0, &Device::flex())?)
}
