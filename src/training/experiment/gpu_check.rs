//! Compares a small network of each backbone family on a GPU with the CPU. A self-test runs this in a child process
//! (see [`crate::device::ensure_tested`]).

use burn::tensor::{Device, Tensor};

use super::upload;
use crate::backbone::architecture::{Architecture, Family};
use crate::backbone::library::Normalisation;
use crate::method::lae::Switches;
use crate::method::{Lae, LaeSettings};
use crate::nn::WeightType;
use crate::pet::library::PluginLibrary;
use crate::pet::{PetSettings, PetStack};
use crate::problem::Result;
use crate::selftest::{TOLERANCE, check};
use crate::tensors::HostTensor;

/// Number of images in the batch.
const BATCH: usize = 4;
/// Number of classes of the head.
const CLASSES: usize = 5;
/// Width of the PETs.
const PET_SIZE: usize = 4;

/// Compares logits, loss and all gradients of a small network of `family`, with PETs in all blocks but the first, with
/// those of the CPU. Returns the largest error relative to the largest value.
///
/// # Errors
/// Returns a Problem if the device fails, or if the error is larger than rounding explains.
pub fn check_family(family: &Family, device: &Device, weights: WeightType) -> Result<f64> {
    let network = (family.trial)();
    let expected = compute_outputs(&network, &Device::flex(), weights)?;
    let found = compute_outputs(&network, device, weights)?;
    let name = format!("a small {}", family.title);
    let mut pairs = found.iter().zip(&expected);
    pairs.try_fold(0f64, |worst, (found, expected)| {
        Ok(worst.max(check(&name, found, expected, TOLERANCE)?))
    })
}

/// Returns the logits, the loss and all gradients of a batch.
fn compute_outputs(
    network: &Architecture,
    device: &Device,
    weights: WeightType,
) -> Result<Vec<HostTensor>> {
    let backbone = network.build_random(7, (device, weights))?;
    let spec = PluginLibrary::with_folders(Vec::new()).get("adapter")?;
    let settings = PetSettings::with_size(PET_SIZE);
    let blocks: Vec<usize> = (1..backbone.blocks().len()).collect();
    let fresh = PetStack::init(&spec, &settings, backbone.blocks(), &blocks, 3, device)?;
    // A new PET does not change the output, and half of its gradients are 0.
    let mut shift = 0;
    let pets = fresh.map_tensors(|_, value, _| {
        shift += 1;
        value.clone() + deterministic_values(value.dims(), shift, device) * 0.2
    });
    let settings = LaeSettings { switches: Switches::NONE, ema: 0.0, learning_rate: 1e-3, seed: 1 };
    let mut method = Lae::new(backbone, pets, settings);
    method.start_task(CLASSES);
    let side = network.input_size();
    let bytes = 0..BATCH * side * side * 3;
    let pixels: Vec<u8> = bytes.map(|i| (i * 7919 % 251) as u8).collect();
    let images = || upload::normalise(&pixels, side, &Normalisation::IMAGENET, device);
    let labels: Vec<usize> = (0..BATCH).map(|i| i % CLASSES).collect();
    let logits = method.image_logits(images())?.online;
    let (loss, gradients) = method.gradients(images(), &labels, false, None)?;
    let mut outputs = vec![HostTensor::read(&logits)?, HostTensor::read(&loss)?];
    for (_, gradient) in gradients.iter() {
        outputs.push(HostTensor::read(gradient)?);
    }
    Ok(outputs)
}

/// Returns a deterministic tensor with values between −1 and 1.
fn deterministic_values(shape: [usize; 2], shift: usize, device: &Device) -> Tensor<2> {
    let value = |i: usize| ((i * 7919 + shift * 104_729) % 997) as f32 / 498.5 - 1.0;
    let values: Vec<f32> = (0..shape[0] * shape[1]).map(value).collect();
    Tensor::from_data(burn::tensor::TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::families::FAMILIES;

    #[test]
    fn outputs_are_nonzero_and_cpu_matches_itself() {
        let flex = Device::flex();
        for family in FAMILIES {
            for weights in [WeightType::F32, WeightType::F16] {
                assert_eq!(check_family(family, &flex, weights).unwrap(), 0.0);
            }
            for tensor in compute_outputs(&(family.trial)(), &flex, WeightType::F32).unwrap() {
                let largest = tensor.values.iter().fold(0f32, |max, v| max.max(v.abs()));
                assert!(largest > 1e-6, "{}: {largest}", family.name);
            }
        }
    }
}
