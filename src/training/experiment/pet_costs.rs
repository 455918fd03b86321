//! What a plugin costs on the embedded network, measured on the processor: a prediction and a training step, each beside
//! the same without a PET.

use std::sync::Arc;
use std::time::Instant;

use burn::tensor::{Device, Tensor};

use crate::backbone::library::{self, NANO};
use crate::message;
use crate::pet::{PetSettings, PetSpec, PetStack, within_bounds};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Images of a batch.
pub const PICTURES: usize = 8;
/// How often each is timed; the quickest counts, as the others were held up.
const TIMES: usize = 5;
/// Trained values at most: the embedded network has 3.6 million weights itself.
const MOST_VALUES: usize = 1 << 22;
/// Blocks that carry it.
const BLOCKS: usize = 5;

/// Milliseconds for a batch of [`PICTURES`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PetCosts {
    /// A prediction without and with the PET.
    pub prediction: [f64; 2],
    /// A training step, without the optimiser, and with the PET. Without it there is nothing to train: the images
    /// pass once, as in a prediction.
    pub step: [f64; 2],
}

/// Measures a plugin at its default sizes.
///
/// # Errors
/// Returns a Problem if it does not fit, or something cannot be computed.
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
