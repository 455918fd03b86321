//! Compares tensors with those of a file.
//!
//! Error: max|a − b| / max|b|; a reference of zeros must match exactly. For gradients in a run of tasks, the
//! denominator is at least a thousandth of the step's largest entry, and the names in the file must be those of the
//! trained parameters. Changes by training are also compared as differences, because a large value would hide a wrong
//! change.

use std::collections::BTreeSet;

use burn::tensor::Tensor;

use super::file::{GoldenFile, transpose_if};
use super::{Comparison, GoldenReport, Tolerance};
use crate::method::Answer;
use crate::method::heads::Heads;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, NamedTensors, get_tensor};

/// Changes below this share of the tensor's largest value are not compared.
const MIN_CHANGE: f64 = 1e-5;
/// Predictions must agree if the two best scores differ by more than this share of the largest score.
const CLEAR_MARGIN: f64 = 2e-3;

/// Collects comparisons with one file.
pub(super) struct Comparer<'a> {
    pub(super) file: &'a GoldenFile,
    pub(super) tolerance: Tolerance,
    comparisons: Vec<Comparison>,
}

impl<'a> Comparer<'a> {
    pub(super) fn new(file: &'a GoldenFile, tolerance: Tolerance) -> Self {
        Self { file, tolerance, comparisons: Vec::new() }
    }

    pub(super) fn report(self) -> GoldenReport {
        GoldenReport { comparisons: self.comparisons }
    }

    pub(super) fn push(&mut self, name: impl Into<String>, error: f64, ok: bool) {
        // NaN must not pass any limit.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        let name = name.into();
        self.comparisons.push(Comparison { name, error, ok });
    }

    /// Compares values with the file's tensor of this name.
    pub(super) fn compare(&mut self, name: &str, actual: &[f32], limit: f64) -> Result<()> {
        let expected = &self.file.tensor(name)?.values;
        check_length(name, actual.len(), expected.len())?;
        let (difference, size) = (max_difference(actual, expected), max_abs(expected));
        let (error, limit) = match size > 0.0 {
            true => (difference / size, limit),
            false => (difference, 0.0),
        };
        self.push(name, error, error <= limit);
        Ok(())
    }

    /// Compares a tensor on the device with the file's tensor of this name.
    pub(super) fn compare_tensor<const D: usize>(
        &mut self,
        name: &str,
        actual: &Tensor<D>,
        limit: f64,
    ) -> Result<()> {
        self.compare(name, &HostTensor::read(actual)?.values, limit)
    }

    /// Compares heads with the file's tensors that start with `prefix`.
    pub(super) fn compare_heads(&mut self, prefix: &str, heads: &Heads, limit: f64) -> Result<()> {
        for (task, head) in heads.0.iter().enumerate() {
            let weight = transpose_if(&HostTensor::read(&head.weight)?, true);
            let name = format!("{prefix}.head.{task}");
            self.compare(&format!("{name}.weight"), &weight.values, limit)?;
            self.compare_tensor(&format!("{name}.bias"), &head.bias, limit)?;
        }
        Ok(())
    }

    /// Compares f64 values with the file's tensor of this name by absolute error.
    pub(super) fn compare_doubles(&mut self, name: &str, actual: &[f64], limit: f64) -> Result<()> {
        let expected = self.file.doubles(name)?;
        check_length(name, actual.len(), expected.len())?;
        let pairs = actual.iter().zip(expected).map(|(a, b)| (a - b).abs());
        let error = pairs.fold(0.0, max_or_nan);
        self.push(name, error, error <= limit);
        Ok(())
    }

    /// Compares all gradients of a task's first step with those of the file, by the file's names.
    pub(super) fn compare_gradients(
        &mut self,
        task: usize,
        actual: &NamedTensors,
        expected: &NamedTensors,
    ) {
        let prefix = format!("task.{task}.grad.");
        let names = |named: &NamedTensors| named.keys().cloned().collect::<BTreeSet<String>>();
        let differing = names(actual).symmetric_difference(&names(expected)).count();
        self.push(format!("{prefix}*"), differing as f64, differing == 0);
        let sizes = expected.values().map(|tensor| max_abs(&tensor.values));
        let min_size = 1e-3 * sizes.fold(0.0, f64::max);
        for (name, expected) in expected {
            if let Some(actual) = actual.get(name) {
                // In a task with a single class, all gradients are 0.
                let error =
                    relative_error(actual, expected, max_abs(&expected.values).max(min_size));
                let ok = error <= self.tolerance.single;
                self.push(format!("{prefix}{name}"), error, ok);
            }
        }
    }

    /// Compares all tensors of the file after a task, and their changes, by the file's names. `ours` and `theirs` are
    /// the tensors at the start and at the end of the task.
    pub(super) fn compare_state(
        &mut self,
        task: usize,
        ours: [&NamedTensors; 2],
        theirs: [&NamedTensors; 2],
    ) -> Result<()> {
        let prefix = format!("task.{task}.after.");
        for (name, expected) in theirs[1] {
            let (start, actual) = (get_tensor(ours[0], name)?, get_tensor(ours[1], name)?);
            let expected_start = get_tensor(theirs[0], name)?;
            let size = max_abs(&expected.values);
            let error = relative_error(actual, expected, size);
            let ok = error <= self.tolerance.trajectory;
            self.push(format!("{prefix}{name}"), error, ok);
            let change = difference(&actual.values, &start.values);
            let expected_change = difference(&expected.values, &expected_start.values);
            let largest_change = max_abs(&expected_change);
            let change_name = format!("{prefix}{name} (change)");
            if largest_change == 0.0 {
                let error = max_abs(&change);
                self.push(change_name, error, error == 0.0);
            } else if largest_change >= MIN_CHANGE * size {
                let error = max_difference(&change, &expected_change) / largest_change;
                self.push(change_name, error, error <= 20.0 * self.tolerance.trajectory);
            }
        }
        Ok(())
    }

    /// Compares all tensors of the file that start with `prefix` with those of a checkpoint that start with `ours`.
    /// Indices of images are compared exactly.
    pub(super) fn compare_checkpoint(
        &mut self,
        prefix: &str,
        checkpoint: &NamedTensors,
        ours: &str,
    ) -> Result<()> {
        for name in self.file.with_prefix(prefix).into_keys() {
            let limit = match name.as_str() {
                "exemplars" => 0.0,
                _ => self.tolerance.trajectory,
            };
            let actual = get_tensor(checkpoint, &format!("{ours}{name}"))?;
            self.compare(&format!("{prefix}{name}"), &actual.values, limit)?;
        }
        Ok(())
    }

    /// Compares the scores of the test images (images × classes so far) and the predicted classes. With `by_score`,
    /// classes with almost equal scores may be exchanged.
    pub(super) fn compare_predictions(
        &mut self,
        task: usize,
        predictions: &[Answer],
        by_score: bool,
    ) -> Result<()> {
        let scores: Vec<f32> = predictions.iter().flat_map(|v| v.scores.clone()).collect();
        let limit = 2.0 * self.tolerance.trajectory;
        self.compare(&format!("task.{task}.logits"), &scores, limit)?;
        let name = format!("task.{task}.pred");
        let expected = &self.file.tensor(&name)?.values;
        check_length(&name, predictions.len(), expected.len())?;
        let margin = CLEAR_MARGIN * max_abs(&scores);
        let wrong = predictions.iter().zip(expected).filter(|(prediction, expected)| {
            let class = prediction.predictions.last().map(|opinion| opinion.class);
            let mut order = prediction.scores.clone();
            order.sort_by(|a, b| b.total_cmp(a));
            let gap = order.first().zip(order.get(1)).map(|(a, b)| a - b);
            let is_clear = gap.is_none_or(|gap| f64::from(gap) > margin);
            (is_clear || !by_score) && class != Some(**expected as usize)
        });
        let wrong = wrong.count();
        self.push(name, wrong as f64, wrong == 0);
        Ok(())
    }
}

fn check_length(name: &str, actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    Err(Problem::new(format!(
        "{name} has {expected} values in the file, but {actual} in the program"
    )))
}

/// Returns max|a − b| / size; infinity for tensors of different length.
fn relative_error(a: &HostTensor, b: &HostTensor, size: f64) -> f64 {
    match a.values.len() == b.values.len() {
        true => max_difference(&a.values, &b.values) / size.max(f64::MIN_POSITIVE),
        false => f64::INFINITY,
    }
}

/// Returns the larger value; NaN if one of them is NaN.
pub(super) fn max_or_nan(max: f64, value: f64) -> f64 {
    if value > max || value.is_nan() { value } else { max }
}

fn max_abs(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(v.abs())).fold(0.0, max_or_nan)
}

/// Returns max|a − b|.
fn max_difference(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs()));
    pairs.fold(0.0, max_or_nan)
}

fn difference(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
