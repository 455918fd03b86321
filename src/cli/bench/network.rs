//! A method as `bench` measures it: in its second task, where all its parts act. What comes before
//! is done with one batch for each different pass.

use std::ops::Range;

use burn::tensor::{Device, Tensor};

use super::Mode;
use crate::backbone::library::Library as Backbones;
use crate::method::{self, Batch, Chosen, Method, Pass, PetPlan, Setup, Task};
use crate::nn::Place;
use crate::pet::library::Library as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::tensors::HostTensor;

/// Classes of each of the two tasks.
const CLASSES: usize = 10;

/// A method on a backbone with random weights, and pictures for it.
pub(super) struct Network {
    method: Box<dyn Method>,
    /// Those of each task.
    passes: [Vec<Pass>; 2],
    pictures: Tensor<4>,
    samples: Vec<usize>,
}

impl Network {
    pub(super) fn new(config: &RunConfig, place: Place) -> Result<Self> {
        let device = place.device.clone();
        let opened = Backbones::usual().random(&config.backbone, 0, place)?;
        let chosen = Chosen::of(config)?;
        let plan = chosen.trains_pet()?.then(|| {
            let spec = Plugins::standard().get(&config.pet)?;
            PetPlan::new(&chosen, spec, opened.backbone.blocks())
        });
        let method = method::build(Setup {
            config,
            backbone: opened.backbone.clone(),
            pet: plan.transpose()?.as_ref(),
            tasks: &[classes_of(0), classes_of(1)],
            planned: 2,
        })?;
        let side = opened.entry.architecture.input_size();
        Ok(Self {
            method,
            passes: [chosen.passes(0)?, chosen.passes(1)?],
            pictures: pictures(config.batch, side, &device)?,
            samples: (0..config.batch).collect(),
        })
    }

    /// Does what comes before the steps of a mode: the first task, and for answering the second.
    pub(super) fn get_ready(&mut self, mode: Mode) -> Result<()> {
        self.whole_task(0)?;
        match mode {
            Mode::Predict => self.whole_task(1),
            _ => self.begin(1),
        }
    }

    fn begin(&mut self, index: usize) -> Result<()> {
        let classes = classes_of(index);
        self.method.begin_task(&Task { index, classes })
    }

    fn whole_task(&mut self, task: usize) -> Result<()> {
        self.begin(task)?;
        for index in 0..self.passes[task].len() {
            let passes = &self.passes[task];
            if index == 0 || passes[index] != passes[index - 1] {
                self.learn(task, index)?;
            }
            self.method.end_pass(index)?;
        }
        self.method.end_task()
    }

    /// One batch of a pass.
    fn learn(&mut self, task: usize, index: usize) -> Result<Option<Tensor<1>>> {
        let first = classes_of(task).start;
        let labels = self.samples.iter().map(|i| first + i % CLASSES);
        let batch = Batch {
            images: self.pictures.clone(),
            labels: &labels.collect::<Vec<_>>(),
            samples: &self.samples,
            pass: index,
            step: 0,
            steps: 1,
        };
        self.method.learn(&batch, &self.passes[task][index])
    }

    /// One step of a mode; reading a result waits until the device has done it.
    pub(super) fn step(&mut self, mode: Mode) -> Result<()> {
        let pass = self.passes[1]
            .iter()
            .position(|pass| Some(pass.work) == mode.work());
        let values = match pass {
            Some(pass) => match self.learn(1, pass)? {
                Some(loss) => HostTensor::read(&loss)?.values,
                None => Vec::new(),
            },
            None => {
                let verdicts = self.method.predict(self.pictures.clone())?;
                verdicts
                    .into_iter()
                    .flat_map(|verdict| verdict.scores)
                    .collect()
            }
        };
        if values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(Problem::new("the network gives values that are not finite"))
    }
}

/// The classes of a task.
fn classes_of(task: usize) -> Range<usize> {
    task * CLASSES..(task + 1) * CLASSES
}

/// Pictures of noise as the network takes them.
fn pictures(images: usize, side: usize, device: &Device) -> Result<Tensor<4>> {
    let shape = vec![images, 3, side, side];
    let count: usize = shape.iter().product();
    let values = (0..count).map(|i| (i % 251) as f32 / 125.0 - 1.0).collect();
    HostTensor { shape, values }.to_device(device)
}
