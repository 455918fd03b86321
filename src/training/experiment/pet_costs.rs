//! Measures what a plugin costs on the embedded network on the CPU: the times of a prediction and of a training step,
//! each with and without the PET.

use std::sync::Arc;
use std::time::Instant;

use burn::tensor::{Device, Tensor};

use crate::backbone::library::{self, NANO};
use crate::message;
use crate::pet::{PetSettings, PetSpec, PetStack, with_plugin_limits};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Images per batch.
pub const BATCH_SIZE: usize = 8;
/// Number of repetitions; the fastest one counts.
const REPETITIONS: usize = 5;
/// Maximum number of trained values; the embedded network itself has 3.6 million weights.
const MAX_VALUES: usize = 1 << 22;
/// Number of blocks with the PET.
const BLOCKS: usize = 5;

/// Milliseconds per batch of [`BATCH_SIZE`] images.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PetCosts {
    /// A prediction, without and with the PET.
    pub prediction: [f64; 2],
    /// A training step with the PET, without the optimiser. Without a PET nothing can be trained, so the first value
    /// is a forward pass.
    pub step: [f64; 2],
}

/// Measures a plugin with its default sizes.
///
/// # Errors
/// Returns a Problem if the plugin does not fit the network or cannot be computed.
pub fn measure_pet_costs(spec: &Arc<PetSpec>) -> Result<PetCosts> {
    with_plugin_limits(|| measure_on_cpu(spec))
}

fn measure_on_cpu(spec: &Arc<PetSpec>) -> Result<PetCosts> {
    let device = Device::flex();
    let network = library::open(NANO, &device, &mut |_| true)?;
    let backbone = network.backbone;
    let blocks: Vec<usize> = (0..backbone.blocks().len().min(BLOCKS)).collect();
    let settings = PetSettings::default();
    let values = spec.parameter_count(backbone.blocks(), &blocks, &settings)?;
    if values > MAX_VALUES {
        let what = message!(
            "problem-pet-too-large-to-measure",
            values = message!("count-values", n = values)
        );
        return Err(Problem::new(what).advise(message!("advice-choose-smaller-defaults")));
    }
    let pet = PetStack::init(spec, &settings, backbone.blocks(), &blocks, 0, &device)?;
    let side = network.input.size;
    let images = || Tensor::<4>::ones([BATCH_SIZE, 3, side, side], &device);
    let empty = PetStack::empty();
    let predict = |pet: &PetStack| -> Result<()> {
        HostTensor::read(&backbone.features(images(), pet)?).map(drop)
    };
    let step = || -> Result<()> {
        let tracked = pet.tracked();
        let sum = backbone.features(images(), &tracked)?.sum();
        if !(sum.is_autodiff() && sum.is_tracked()) {
            return HostTensor::read(&sum).map(drop);
        }
        let graph = sum.backward();
        for (_, tensor, _) in tracked.parameters().filter(|(.., trained)| *trained) {
            if let Some(gradient) = tensor.grad(&graph) {
                HostTensor::read(&gradient)?;
            }
        }
        Ok(())
    };
    let mut best = [f64::INFINITY; 3];
    for _ in 0..REPETITIONS {
        let times = [
            time_milliseconds(|| predict(&empty))?,
            time_milliseconds(|| predict(&pet))?,
            time_milliseconds(step)?,
        ];
        best = [0, 1, 2].map(|at| best[at].min(times[at]));
    }
    Ok(PetCosts { prediction: [best[0], best[1]], step: [best[0], best[2]] })
}

fn time_milliseconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
