//! Checks LAE: features, logits, gradients, the training steps, both experts and their ensemble.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::comparer::Comparer;
use super::file::{
    GoldenFile, ParameterNames, fixed_value, init_pets, mapped_name, read_backbone, read_heads,
    to_parameter, transpose_if,
};
use super::{GoldenReport, Tolerance};
use crate::backbone::Backbone;
use crate::method::heads::Head;
use crate::method::lae::Switches;
use crate::method::optimiser::Gradients;
use crate::method::{Lae, LaeSettings, Method};
use crate::nn::WeightPlacement;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Checks one file.
pub(super) fn check(
    file: &GoldenFile,
    placement: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let mut run = Run::new(file, placement, tolerance)?;
    run.compare()?;
    Ok(run.comparer.report())
}

/// The run of a file: the method, and the names of the PET's parameters.
struct Run<'a> {
    file: &'a GoldenFile,
    comparer: Comparer<'a>,
    backbone: Arc<dyn Backbone>,
    lae: Lae,
    names: ParameterNames,
    /// Parameters with a fixed value in the file, by our full name.
    fixed: BTreeMap<String, f32>,
    old_classes: usize,
}

impl<'a> Run<'a> {
    fn new(
        file: &'a GoldenFile,
        placement: &WeightPlacement,
        tolerance: Tolerance,
    ) -> Result<Self> {
        let device = &placement.device;
        let backbone = read_backbone(file, placement)?;
        let (stack, names) = init_pets(file, &*backbone, device)?;
        let args = file.json("pet_args")?;
        let mut fixed = BTreeMap::new();
        let mut pets = stack.clone();
        for (parameter, tensor, _) in stack.parameters() {
            let missing =
                || Problem::new(format!("the plugin's parameter {parameter} has no counterpart"));
            let (theirs, transposed) = mapped_name(names, parameter).ok_or_else(missing)?;
            let value = match file.tensors.get(&format!("pet.{theirs}")) {
                Some(stored) => to_parameter(stored, transposed),
                None => {
                    let value = fixed_value(&args, parameter);
                    fixed.insert(parameter.to_string(), value);
                    let (shape, values) = (tensor.dims().to_vec(), vec![value]);
                    HostTensor { shape, values }
                }
            };
            pets.set(parameter, value.to_device(device)?)?;
        }
        let settings = LaeSettings {
            switches: Switches::ALL,
            ema: file.number("ema_decay")?,
            learning_rate: file.number("lr")?,
            seed: 0,
        };
        let mut lae = Lae::new(backbone.clone(), pets.clone(), settings);
        (lae.offline, lae.heads) = (Some(pets), read_heads(file, device)?);
        Ok(Self {
            file,
            comparer: Comparer::new(file, tolerance),
            backbone,
            lae,
            names,
            fixed,
            old_classes: file.number("old_classes")?,
        })
    }

    fn images(&self, name: &str) -> Result<Tensor<4>> {
        self.file.tensor(name)?.to_device(&self.backbone.device())
    }

    fn compare(&mut self) -> Result<()> {
        let Tolerance { single, trajectory } = self.comparer.tolerance;
        let input = self.images("input")?;
        let features = self.backbone.features(input.clone(), &self.lae.online)?;
        self.comparer.compare_tensor("feature", &features, single)?;
        let logits = self.lae.heads.forward(&features);
        self.comparer.compare_tensor("logits", &logits, single)?;
        let labels = self.file.labels("target", self.old_classes)?;
        let (loss, gradients) = self.lae.gradients(input.clone(), &labels, false, None)?;
        self.comparer.compare_tensor("loss", &loss, single)?;
        self.compare_gradients(&gradients)?;
        let losses = self.train()?;
        self.comparer.compare_tensor("traj.loss", &losses, trajectory)?;
        self.compare_experts()?;
        self.compare_predictions(input)
    }

    fn compare_gradients(&mut self, gradients: &Gradients) -> Result<()> {
        let single = self.comparer.tolerance.single;
        let gradient = |name: &str, leaf: &Tensor<2>| {
            let gradient = gradients.get(name)?;
            Some(gradient.clone().reshape(leaf.dims()))
        };
        let mut heads = self.lae.heads.clone();
        let last = heads.0.len() - 1;
        for (index, Head { weight, bias }) in heads.0.iter_mut().enumerate() {
            for (name, leaf) in [("head.weight", weight), ("head.bias", bias)] {
                // Earlier heads are not trained, so their gradients are zero.
                let head_gradient = (index == last).then(|| gradient(name, leaf)).flatten();
                *leaf = head_gradient.unwrap_or_else(|| leaf.zeros_like());
            }
        }
        self.comparer.compare_heads("grad", &heads, single)?;
        let pets = self.lae.online.parameters();
        let pets = pets.filter_map(|(parameter, leaf, _)| {
            let name = format!("pet.{parameter}");
            Some((parameter.to_string(), gradient(&name, leaf)?))
        });
        let pets = pets.collect();
        self.compare_pets("grad.pet", pets, single)
    }

    /// Compares tensors of the PET's parameters, except fixed ones, with `<prefix>.<block>.<name in the file>`.
    fn compare_pets(
        &mut self,
        prefix: &str,
        tensors: Vec<(String, Tensor<2>)>,
        limit: f64,
    ) -> Result<()> {
        for (parameter, tensor) in tensors {
            let name = mapped_name(self.names, &parameter)
                .filter(|_| !self.fixed.contains_key(&parameter));
            if let Some((theirs, transposed)) = name {
                let value = transpose_if(&HostTensor::read(&tensor)?, transposed);
                let name = format!("{prefix}.{theirs}");
                self.comparer.compare(&name, &value.values, limit)?;
            }
        }
        Ok(())
    }

    /// Trains the steps of the file (usually eight); returns their losses before each update.
    fn train(&mut self) -> Result<Tensor<1>> {
        let frozen_steps: usize = self.file.number("freeze_steps")?;
        let mut losses = Vec::new();
        for step in 0.. {
            let name = format!("traj.input.{step}");
            if !self.file.tensors.contains_key(&name) {
                break;
            }
            let labels = format!("traj.target.{step}");
            let labels = self.file.labels(&labels, self.old_classes)?;
            let images = self.images(&name)?;
            losses.push(self.lae.step(images, &labels, step < frozen_steps)?);
            // Multipliers with a fixed value in the file are reset to it.
            let fixed = &self.fixed;
            let reset_fixed = |pets: &PetStack| {
                pets.map_tensors(|name, tensor, _| match fixed.get(name) {
                    Some(value) => tensor.full_like(*value),
                    None => tensor.clone(),
                })
            };
            let (online, offline) =
                (reset_fixed(&self.lae.online), self.lae.offline.as_ref().map(reset_fixed));
            (self.lae.online, self.lae.offline) = (online, offline);
        }
        match losses.is_empty() {
            false => Ok(Tensor::cat(losses, 0)),
            true => Err(Problem::new("the file has no training steps (traj.input.0)")),
        }
    }

    fn compare_experts(&mut self) -> Result<()> {
        let limit = self.comparer.tolerance.trajectory;
        let experts = [
            ("traj.online", Some(self.lae.online.clone())),
            ("traj.offline", self.lae.offline.clone()),
        ];
        for (prefix, stack) in experts {
            let parameters = stack.iter().flat_map(PetStack::parameters);
            let parameters = parameters.map(|(full, tensor, _)| (full.to_string(), tensor.clone()));
            let parameters = parameters.collect();
            self.compare_pets(prefix, parameters, limit)?;
        }
        self.comparer.compare_heads("traj", &self.lae.heads, limit)
    }

    fn compare_predictions(&mut self, input: Tensor<4>) -> Result<()> {
        let limit = self.comparer.tolerance.trajectory;
        let logits = self.lae.image_logits(input.clone())?;
        let comparer = &mut self.comparer;
        comparer.compare_tensor("traj.logits_online", &logits.online, limit)?;
        if let Some(offline) = &logits.offline {
            comparer.compare_tensor("traj.logits_offline", offline, limit)?;
        }
        let rows = self.lae.predict(input)?;
        let predictions = rows.iter().filter_map(|row| row.predictions.last());
        let values = predictions.flat_map(|prediction| prediction.probabilities.clone());
        comparer.compare("traj.ensemble", &Vec::from_iter(values), limit)
    }
}
