//! Measures the speed of networks with forward passes.

use std::time::Instant;

use burn::tensor::{Device, Tensor};

use crate::backbone::library::{BackboneLibrary, NANO, OpenedBackbone};
use crate::method::plain_features;
use crate::nn;
use crate::problem::Result;
use crate::tensors::HostTensor;

/// Images in the timed batch, and number of repetitions; the fastest one counts.
const IMAGES: usize = 16;
const REPETITIONS: usize = 3;

/// Returns the multiplications per second of a network on its device.
pub(super) fn measure_speed(network: &OpenedBackbone) -> Result<f64> {
    let (side, backbone) = (network.input.size, &network.backbone);
    let images = Tensor::zeros([IMAGES, 3, side, side], &backbone.device());
    let pass = || -> Result<f64> {
        let start = Instant::now();
        let features =
            nn::run_in_thread_pool(&images, || plain_features(&**backbone, images.clone()))?;
        // Reading waits until the device has finished.
        HostTensor::read(&features)?;
        Ok(start.elapsed().as_secs_f64())
    };
    // The first pass allocates buffers and compiles kernels.
    pass()?;
    let mut seconds = f64::INFINITY;
    for _ in 0..REPETITIONS {
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
pub fn measure_processor_speed() -> Result<f64> {
    measure_speed(&BackboneLibrary::with_default_locations().open_random(
        NANO,
        0,
        &Device::flex(),
    )?)
}
