//! A method in its second task, where all of its parts are used. Each different pass of the first task is trained
//! with one batch.

use std::ops::Range;

use burn::tensor::{Device, Tensor};

use super::Mode;
use crate::backbone::library::{BackboneChoice, BackboneLibrary as Backbones, Normalisation};
use crate::experiment::upload;
use crate::method::{
    self, Batch, CancelToken, ConfiguredMethod, Method, Pass, PetPlan, Setup, Task,
};
use crate::nn::WeightPlacement;
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::tensors::HostTensor;

/// Number of classes in each of the two tasks.
const CLASSES_PER_TASK: usize = 10;
/// Number of batches per pass of a whole task, and of batches to predict.
const BATCHES: usize = 2;

/// Returns the choice of a backbone of which only the shapes are needed, without the transform of its pre-training.
pub(super) fn random_backbone_choice(name: &str) -> BackboneChoice<'_> {
    BackboneChoice { pretrained_transform: false, ..BackboneChoice::from(name) }
}

/// A method on a backbone with random weights, and images for it.
pub(super) struct Network {
    method: Box<dyn Method>,
    /// The passes of each task.
    passes: [Vec<Pass>; 2],
    images: NoiseImages,
    /// Batch size in images.
    samples: usize,
}

impl Network {
    pub(super) fn new(config: &RunConfig, placement: WeightPlacement) -> Result<Self> {
        let opened = Backbones::with_default_locations().open_random(
            random_backbone_choice(&config.backbone),
            0,
            placement.clone(),
        )?;
        let chosen = ConfiguredMethod::from_config(config)?;
        let plan = chosen.trains_pet()?.then(|| {
            let spec = Plugins::standard().get(&config.pet)?;
            PetPlan::new(&chosen, spec, opened.backbone.blocks())
        });
        let method = method::build(Setup {
            config,
            backbone: opened.backbone.clone(),
            pet: plan.transpose()?.as_ref(),
            tasks: &[task_classes(0), task_classes(1)],
            planned_tasks: 2,
            own_tasks: 2,
            repeated_classes: &[],
        })?;
        let side = opened.entry.architecture.input_size();
        Ok(Self {
            method,
            passes: [chosen.default_passes(0)?, chosen.default_passes(1)?],
            images: NoiseImages::new(config.batch, side, placement)?,
            samples: config.batch,
        })
    }

    /// Trains everything that precedes the steps of a mode: the first task, and for predictions also the second.
    pub(super) fn prepare(&mut self, mode: Mode) -> Result<()> {
        self.train_task(0)?;
        match mode {
            Mode::Predict => self.train_task(1),
            Mode::Task => Ok(()),
            _ => self.begin_task(1),
        }
    }

    /// Trains the second task and predicts; returns the number of processed images.
    pub(super) fn run_task(&mut self) -> Result<usize> {
        self.begin_task(1)?;
        let passes = self.passes[1].len();
        for pass in 0..passes {
            for step in 0..BATCHES {
                if let Some(loss) = self.train_step(1, pass, step..BATCHES)? {
                    check_finite(&HostTensor::read(&loss)?.values)?;
                }
            }
            self.method.end_pass(pass, &mut CancelToken::never())?;
        }
        self.method.end_task(&mut CancelToken::never())?;
        for _ in 0..BATCHES {
            self.step(Mode::Predict)?;
        }
        Ok((passes + 1) * BATCHES * self.samples)
    }

    fn begin_task(&mut self, index: usize) -> Result<()> {
        let classes = task_classes(index);
        self.method.begin_task(&Task { index, classes })
    }

    fn train_task(&mut self, task: usize) -> Result<()> {
        self.begin_task(task)?;
        for index in 0..self.passes[task].len() {
            let passes = &self.passes[task];
            if index == 0 || passes[index] != passes[index - 1] {
                self.train_step(task, index, 0..1)?;
            }
            self.method.end_pass(index, &mut CancelToken::never())?;
        }
        self.method.end_task(&mut CancelToken::never())
    }

    /// Trains on the first of these batches of a pass; returns the loss, if there is one.
    fn train_step(
        &mut self,
        task: usize,
        index: usize,
        steps: Range<usize>,
    ) -> Result<Option<Tensor<1>>> {
        let first = task_classes(task).start;
        let samples = steps.start * self.samples..(steps.start + 1) * self.samples;
        let samples: Vec<usize> = samples.collect();
        let labels = samples.iter().map(|i| first + i % CLASSES_PER_TASK);
        let batch = Batch {
            images: self.images.to_tensor(),
            labels: &labels.collect::<Vec<_>>(),
            samples: &samples,
            pass: index,
            epochs: self.passes[task].len(),
            step: steps.start,
            steps: steps.end,
        };
        self.method.learn_in_pool(&batch, &self.passes[task][index])
    }

    /// Runs one step of a mode. Reading the result waits until the device has finished.
    pub(super) fn step(&mut self, mode: Mode) -> Result<()> {
        let pass = self.passes[1].iter().position(|pass| Some(pass.work) == mode.pass_work());
        let values = match pass {
            Some(pass) => match self.train_step(1, pass, 0..1)? {
                Some(loss) => HostTensor::read(&loss)?.values,
                None => Vec::new(),
            },
            None => {
                let verdicts = self.method.predict_in_pool(self.images.to_tensor())?;
                verdicts.into_iter().flat_map(|verdict| verdict.scores).collect()
            }
        };
        check_finite(&values)
    }
}

fn check_finite(values: &[f32]) -> Result<()> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Problem::new("the network gives values that are not finite"))
}

/// Returns the classes of a task.
fn task_classes(task: usize) -> Range<usize> {
    task * CLASSES_PER_TASK..(task + 1) * CLASSES_PER_TASK
}

/// Noise images for the network.
// There is only one instance, so boxing the tensor would not help.
#[allow(clippy::large_enum_variant)]
enum NoiseImages {
    /// A tensor on the CPU.
    Cpu(Tensor<4>),
    /// Pixels for a GPU; the transfer is part of a measured step.
    Gpu(Vec<u8>, usize, WeightPlacement),
}

impl NoiseImages {
    fn new(images: usize, side: usize, placement: WeightPlacement) -> Result<Self> {
        let shape = vec![images, 3, side, side];
        let count: usize = shape.iter().product();
        if placement.device != Device::flex() {
            let bytes = (0..count).map(|i| (i % 251) as u8).collect();
            return Ok(Self::Gpu(bytes, side, placement));
        }
        let values = (0..count).map(|i| (i % 251) as f32 / 125.0 - 1.0).collect();
        let tensor = HostTensor { shape, values }.to_device(&placement.device)?;
        Ok(Self::Cpu(tensor))
    }

    fn to_tensor(&self) -> Tensor<4> {
        match self {
            Self::Cpu(tensor) => tensor.clone(),
            Self::Gpu(bytes, side, placement) => {
                upload::normalise(bytes, *side, &Normalisation::UNIT, &placement.device)
            }
        }
    }
}
