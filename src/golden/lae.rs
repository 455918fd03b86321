//! LAE against such files: features, logits, gradients, the training steps, both experts and their
//! ensemble.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::comparer::Comparer;
use super::file::{
    GoldenFile, Names, backbone_of, fixed_value, fresh_pets, heads_of, ours_of, renamed, theirs_of,
};
use super::{GoldenReport, Tolerance};
use crate::backbone::Backbone;
use crate::method::lae::Switches;
use crate::method::optimiser::Gradients;
use crate::method::{Lae, LaeSettings, Method};
use crate::nn::Place;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Runs one file.
pub(super) fn check(
    file: &GoldenFile,
    place: &Place,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    Run::new(file, place)?.compare(tolerance)
}

/// A file set up to run: the method, and what belongs to the PET's naming.
struct Run<'a> {
    file: &'a GoldenFile,
    device: Device,
    backbone: Arc<dyn Backbone>,
    lae: Lae,
    names: Names,
    /// Parameters that the file holds fixed, by our full name, with their value.
    fixed: Vec<(String, f32)>,
    old_classes: usize,
}

impl<'a> Run<'a> {
    fn new(file: &'a GoldenFile, place: &Place) -> Result<Self> {
        let device = &place.device;
        let backbone = backbone_of(file, place)?;
        let (stack, names) = fresh_pets(file, &*backbone, device)?;
        let args = file.json("pet_args")?;
        let mut fixed = Vec::new();
        let mut pets = stack.clone();
        for (full, tensor, _) in stack.parameters() {
            let missing =
                || Problem::new(format!("the plugin's parameter {full} has no counterpart"));
            let (theirs, transposed) = renamed(names, full).ok_or_else(missing)?;
            let value = match file.tensors.get(&format!("pet.{theirs}")) {
                Some(stored) => ours_of(stored, transposed),
                None => {
                    let value = fixed_value(&args, full);
                    fixed.push((full.to_string(), value));
                    HostTensor {
                        shape: tensor.dims().to_vec(),
                        values: vec![value],
                    }
                }
            };
            pets.set(full, value.to_device(device)?)?;
        }
        let settings = LaeSettings {
            switches: Switches::ALL,
            ema: file.number("ema_decay")?,
            learning_rate: file.number("lr")?,
            seed: 0,
        };
        let mut lae = Lae::new(backbone.clone(), pets.clone(), settings);
        lae.set_experts(pets.clone(), Some(pets), heads_of(file, device)?);
        let old_classes = file.number("old_classes")?;
        Ok(Self {
            file,
            device: device.clone(),
            backbone,
            lae,
            names,
            fixed,
            old_classes,
        })
    }

    fn compare(mut self, tolerance: Tolerance) -> Result<GoldenReport> {
        let mut comparer = Comparer::new(self.file, tolerance);
        let Tolerance { single, trajectory } = tolerance;
        let input: Tensor<4> = self.file.tensor("input")?.to_device(&self.device)?;
        let features = self.backbone.features(input.clone(), self.lae.online())?;
        comparer.compare_tensor("feature", &features, single)?;
        let logits = self.lae.heads().forward(&features);
        comparer.compare_tensor("logits", &logits, single)?;
        let labels = self.file.labels("target", self.old_classes)?;
        let (loss, gradients) = self.lae.gradients(input.clone(), &labels, false, None)?;
        comparer.compare_tensor("loss", &loss, single)?;
        self.compare_gradients(&gradients, &mut comparer)?;
        comparer.compare_tensor("traj.loss", &self.train()?, trajectory)?;
        self.compare_experts(&mut comparer)?;
        self.compare_answers(input, &mut comparer)?;
        Ok(comparer.report())
    }

    fn compare_gradients(&self, gradients: &Gradients, comparer: &mut Comparer<'_>) -> Result<()> {
        let single = comparer.tolerance.single;
        // Earlier heads are not trained.
        let gradient_of = |name: &str, leaf: &Tensor<2>| match gradients.get(name) {
            Some(gradient) => gradient.clone().reshape(leaf.dims()),
            None => leaf.zeros_like(),
        };
        let last = self.lae.heads().0.len() - 1;
        for (at, head) in self.lae.heads().0.iter().enumerate() {
            let prefix = if at == last { "head" } else { "" };
            for ((name, leaf), part) in head.leaves(prefix).into_iter().zip(["weight", "bias"]) {
                let gradient = HostTensor::read(&gradient_of(&name, leaf))?;
                let gradient = theirs_of(&gradient, part == "weight");
                let name = format!("grad.head.{at}.{part}");
                comparer.compare(&name, &gradient.values, single)?;
            }
        }
        for (full, leaf, _) in self.lae.online().parameters() {
            let name = format!("pet.{full}");
            let fixed = self.fixed.iter().any(|(name, _)| name == full);
            if !fixed && gradients.get(&name).is_some() {
                self.compare_parameter(
                    "grad.pet",
                    full,
                    &gradient_of(&name, leaf),
                    comparer,
                    single,
                )?;
            }
        }
        Ok(())
    }

    /// Compares one PET tensor with `<prefix>.<block>.<their name>`.
    fn compare_parameter(
        &self,
        prefix: &str,
        full: &str,
        tensor: &Tensor<2>,
        comparer: &mut Comparer<'_>,
        limit: f64,
    ) -> Result<()> {
        let Some((theirs, transposed)) = renamed(self.names, full) else {
            return Ok(());
        };
        let value = theirs_of(&HostTensor::read(tensor)?, transposed);
        comparer.compare(&format!("{prefix}.{theirs}"), &value.values, limit)
    }

    /// The file's steps (usually eight); their losses before each update.
    fn train(&mut self) -> Result<Tensor<1>> {
        let frozen_steps: usize = self.file.number("freeze_steps")?;
        let given = |step: &usize| {
            let name = format!("traj.input.{step}");
            self.file.tensors.contains_key(&name)
        };
        let steps = (0..).take_while(given).count();
        let mut losses = Vec::with_capacity(steps);
        for step in 0..steps {
            let images = self.file.tensor(&format!("traj.input.{step}"))?;
            let images: Tensor<4> = images.to_device(&self.device)?;
            let labels = self
                .file
                .labels(&format!("traj.target.{step}"), self.old_classes)?;
            losses.push(self.lae.step(images, &labels, step < frozen_steps)?);
            self.hold_fixed()?;
        }
        if losses.is_empty() {
            return Err(Problem::new(
                "the file has no training steps (traj.input.0)",
            ));
        }
        Ok(Tensor::cat(losses, 0))
    }

    /// Puts the multipliers that the file holds fixed back to their value.
    fn hold_fixed(&mut self) -> Result<()> {
        if self.fixed.is_empty() {
            return Ok(());
        }
        let mut online = self.lae.online().clone();
        let mut offline = self.lae.offline().cloned();
        for (name, value) in &self.fixed {
            let tensor = Tensor::full([1, 1], *value, &self.device);
            online.set(name, tensor.clone())?;
            if let Some(offline) = &mut offline {
                offline.set(name, tensor)?;
            }
        }
        let heads = self.lae.heads().clone();
        self.lae.set_experts(online, offline, heads);
        Ok(())
    }

    fn compare_experts(&self, comparer: &mut Comparer<'_>) -> Result<()> {
        let limit = comparer.tolerance.trajectory;
        let free = |full: &str| self.fixed.iter().all(|(name, _)| name != full);
        let experts = [
            ("traj.online", Some(self.lae.online())),
            ("traj.offline", self.lae.offline()),
        ];
        for (prefix, stack) in experts {
            let parameters = stack.iter().flat_map(|stack| stack.parameters());
            for (full, tensor, _) in parameters.filter(|(full, ..)| free(full)) {
                self.compare_parameter(prefix, full, tensor, comparer, limit)?;
            }
        }
        comparer.compare_heads("traj", self.lae.heads(), limit)
    }

    fn compare_answers(&self, input: Tensor<4>, comparer: &mut Comparer<'_>) -> Result<()> {
        let limit = comparer.tolerance.trajectory;
        let logits = self.lae.judge(input.clone())?;
        comparer.compare_tensor("traj.logits_online", &logits.online, limit)?;
        if let Some(offline) = &logits.offline {
            comparer.compare_tensor("traj.logits_offline", offline, limit)?;
        }
        let rows = self.lae.predict(input)?;
        let answers = rows.iter().filter_map(|row| row.opinions.last());
        let values = answers.flat_map(|answer| answer.probabilities.clone());
        comparer.compare("traj.ensemble", &values.collect::<Vec<_>>(), limit)
    }
}
