//! The parts of a golden file's run that depend on the method, and the file's names of its parameters.

use burn::tensor::{Device, Tensor};

use super::Tolerance;
use super::comparer::Comparer;
use super::file::{GoldenFile, Names, renamed};
use crate::method::Method;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::tuning::Tuning;
use crate::problem::Result;

const ADAPTER: Names = &[
    ("down", "down_proj.weight", true),
    ("b_down", "down_proj.bias", false),
    ("up", "up_proj.weight", true),
    ("b_up", "up_proj.bias", false),
];

/// The parts of a run that depend on the method.
pub(super) trait Case {
    /// Returns the method.
    fn method(&mut self) -> &mut dyn Method;

    /// Returns what the current task trains, for a method that tunes a PET and has a cosine head.
    fn session(&mut self) -> Option<&mut Tuning> {
        None
    }

    /// Replaces random values that are drawn once per run by those of the file.
    fn take(&mut self, _file: &GoldenFile, _device: &Device) -> Result<()> {
        Ok(())
    }

    /// Returns the name that a tensor of a task's checkpoint has among the gradients; `None` if the task does not train
    /// it. A tensor whose two names differ belongs to this task only, and the task starts with the file's values.
    fn trained_name(&self, kept: &str, _task: usize) -> Option<String> {
        kept.strip_prefix("tuning.").map(ToString::to_string)
    }

    /// Returns the gradients of a batch under our names, without an update; `None` if they are not compared. Labels
    /// count within the task.
    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Option<Gradients>> {
        let session = self.session();
        let learned = session.map(|tuning| tuning.gradients(images, labels, None));
        Ok(learned.transpose()?.map(|(_, gradients)| gradients))
    }

    /// Returns the learning rate of a step; `None` if it is not compared.
    fn rate(&mut self, now: StepPosition) -> Option<f64> {
        Some(self.session()?.rate(now))
    }

    /// Compares the method's own state after a task.
    fn compare(&mut self, _to: &mut Comparer<'_>, _task: usize, _test: &Tensor<4>) -> Result<()> {
        Ok(())
    }

    /// Returns the file's name of one of our parameters in a task, and whether it is transposed there (weights of a
    /// Linear are out × in).
    fn their_name(&self, ours: &str, task: usize) -> (String, bool) {
        match ours.split_once('.') {
            Some(("pet", rest)) => {
                let name = renamed(ADAPTER, rest);
                let (name, transposed) = name.unwrap_or_else(|| (rest.to_string(), false));
                (format!("adapter.{task}.{name}"), transposed)
            }
            Some(("head", part)) => (format!("head.{task}.{part}"), false),
            _ => (ours.to_string(), false),
        }
    }

    /// Returns the largest accepted error of a loss.
    fn loss_limit(&self, tolerance: Tolerance) -> f64 {
        tolerance.single
    }

    /// Returns whether the prediction is the class with the highest score.
    fn answers_by_score(&self) -> bool {
        true
    }
}
