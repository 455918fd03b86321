//! Measures what a plugin costs on the embedded network on the CPU: the times of a prediction and of a training step,
//! each with and without the PET.

use std::sync::Arc;
use std::time::Instant;

use burn::tensor::{Device, Tensor};

use crate::backbone::library::{self, NANO};
use crate::message;
use crate::pet::{PetSettings, PetSpec, PetStack, within_bounds};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Images per batch.
pub const PICTURES: usize = 8;
/// Number of repetitions; the fastest one counts.
const TIMES: usize = 5;
/// Maximum number of trained values; the embedded network itself has 3.6 million weights.
const MOST_VALUES: usize = 1 << 22;
/// Number of blocks with the PET.
const BLOCKS: usize = 5;

/// Milliseconds per batch of [`PICTURES`] images.
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
pub fn pet_costs(spec: &Arc<PetSpec>) -> Result<PetCosts> {
    within_bounds(|| measured(spec))
}

fn measured(spec: &Arc<PetSpec>) -> Result<PetCosts> {
    let device = Device::flex();
    let network = library::open(NANO, &device, &mut |_| true)?;
    let backbone = network.backbone;
    let blocks: Vec<usize> = (0..backbone.blocks().len().min(BLOCKS)).collect();
    let settings = PetSettings::default();
    let values = spec.parameter_count(backbone.blocks(), &blocks, &settings)?;
    if values > MOST_VALUES {
        let what = message!(
            "problem-pet-too-large-to-measure",
            values = message!("count-values", n = values)
        );
        return Err(Problem::new(what).advise(message!("advice-choose-smaller-defaults")));
    }
    let pet = PetStack::init(spec, &settings, backbone.blocks(), &blocks, 0, &device)?;
    let side = network.input.size;
    let images = || Tensor::<4>::ones([PICTURES, 3, side, side], &device);
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
    for _ in 0..TIMES {
        let now = [
            timed(|| predict(&empty))?,
            timed(|| predict(&pet))?,
            timed(step)?,
        ];
        best = [0, 1, 2].map(|at| best[at].min(now[at]));
    }
    Ok(PetCosts {
        prediction: [best[0], best[1]],
        step: [best[0], best[2]],
    })
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64() * 1e3)
}
