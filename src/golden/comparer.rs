//! Compares tensors with those of a file.
//!
//! Error: max|a − b| / max|b|; a reference of zeros must match exactly. For gradients in a run of tasks, the
//! denominator is at least a thousandth of the step's largest entry, and the names in the file must be those of the
//! trained parameters. Changes by training are also compared as differences, because a large value would hide a wrong
//! change.

use std::collections::BTreeSet;

use burn::tensor::Tensor;

use super::file::{GoldenFile, theirs_of};
use super::{Comparison, GoldenReport, Tolerance};
use crate::method::Answer;
use crate::method::heads::Heads;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, named};

/// Changes below this share of the tensor's largest value are not compared.
const STILL: f64 = 1e-5;
/// Predictions must agree if the two best scores differ by more than this share of the largest score.
const CLEAR: f64 = 2e-3;

/// Collects comparisons with one file.
pub(super) struct Comparer<'a> {
    pub(super) file: &'a GoldenFile,
    pub(super) tolerance: Tolerance,
    comparisons: Vec<Comparison>,
}

impl<'a> Comparer<'a> {
    pub(super) fn new(file: &'a GoldenFile, tolerance: Tolerance) -> Self {
        Self {
            file,
            tolerance,
            comparisons: Vec::new(),
        }
    }

    pub(super) fn report(self) -> GoldenReport {
        GoldenReport {
            comparisons: self.comparisons,
        }
    }

    pub(super) fn push(&mut self, name: impl Into<String>, error: f64, ok: bool) {
        // NaN must not pass any limit.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        let name = name.into();
        self.comparisons.push(Comparison { name, error, ok });
    }

    /// Compares values with the file's tensor of this name.
    pub(super) fn compare(&mut self, name: &str, got: &[f32], limit: f64) -> Result<()> {
        let wanted = &self.file.tensor(name)?.values;
        same_length(name, got.len(), wanted.len())?;
        let (difference, size) = (apart(got, wanted), largest(wanted));
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
        got: &Tensor<D>,
        limit: f64,
    ) -> Result<()> {
        self.compare(name, &HostTensor::read(got)?.values, limit)
    }

    /// Compares heads with the file's tensors that start with `prefix`.
    pub(super) fn compare_heads(&mut self, prefix: &str, heads: &Heads, limit: f64) -> Result<()> {
        for (task, head) in heads.0.iter().enumerate() {
            let weight = theirs_of(&HostTensor::read(&head.weight)?, true);
            let name = format!("{prefix}.head.{task}");
            self.compare(&format!("{name}.weight"), &weight.values, limit)?;
            self.compare_tensor(&format!("{name}.bias"), &head.bias, limit)?;
        }
        Ok(())
    }

    /// Compares f64 values with the file's tensor of this name by absolute error.
    pub(super) fn compare_doubles(&mut self, name: &str, got: &[f64], limit: f64) -> Result<()> {
        let wanted = self.file.doubles(name)?;
        same_length(name, got.len(), wanted.len())?;
        let pairs = got.iter().zip(wanted).map(|(a, b)| (a - b).abs());
        let error = pairs.fold(0.0, worse);
        self.push(name, error, error <= limit);
        Ok(())
    }

    /// Compares all gradients of a task's first step with those of the file, by the file's names.
    pub(super) fn compare_gradients(&mut self, task: usize, got: &Named, wanted: &Named) {
        let prefix = format!("task.{task}.grad.");
        let names = |named: &Named| named.keys().cloned().collect::<BTreeSet<String>>();
        let unlike = names(got).symmetric_difference(&names(wanted)).count();
        self.push(format!("{prefix}*"), unlike as f64, unlike == 0);
        let sizes = wanted.values().map(|tensor| largest(&tensor.values));
        let least = 1e-3 * sizes.fold(0.0, f64::max);
        for (name, wanted) in wanted {
            if let Some(got) = got.get(name) {
                // In a task with a single class, all gradients are 0.
                let error = error(got, wanted, largest(&wanted.values).max(least));
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
        ours: [&Named; 2],
        theirs: [&Named; 2],
    ) -> Result<()> {
        let prefix = format!("task.{task}.after.");
        for (name, wanted) in theirs[1] {
            let (then, got) = (named(ours[0], name)?, named(ours[1], name)?);
            let wanted_then = named(theirs[0], name)?;
            let size = largest(&wanted.values);
            let error = error(got, wanted, size);
            let ok = error <= self.tolerance.trajectory;
            self.push(format!("{prefix}{name}"), error, ok);
            let moved = difference(&got.values, &then.values);
            let wanted_moved = difference(&wanted.values, &wanted_then.values);
            let far = largest(&wanted_moved);
            let full = format!("{prefix}{name} (change)");
            if far == 0.0 {
                let error = largest(&moved);
                self.push(full, error, error == 0.0);
            } else if far >= STILL * size {
                let error = apart(&moved, &wanted_moved) / far;
                self.push(full, error, error <= 20.0 * self.tolerance.trajectory);
            }
        }
        Ok(())
    }

    /// Compares all tensors of the file that start with `prefix` with those of a checkpoint that start with `ours`.
    /// Indices of images are compared exactly.
    pub(super) fn compare_checkpoint(
        &mut self,
        prefix: &str,
        checkpoint: &Named,
        ours: &str,
    ) -> Result<()> {
        for name in self.file.under(prefix).into_keys() {
            let limit = match name.as_str() {
                "exemplars" => 0.0,
                _ => self.tolerance.trajectory,
            };
            let got = named(checkpoint, &format!("{ours}{name}"))?;
            self.compare(&format!("{prefix}{name}"), &got.values, limit)?;
        }
        Ok(())
    }

    /// Compares the scores of the test images (images × classes so far) and the predicted classes. With `by_score`,
    /// classes with almost equal scores may be exchanged.
    pub(super) fn compare_answers(
        &mut self,
        task: usize,
        answers: &[Answer],
        by_score: bool,
    ) -> Result<()> {
        let scores: Vec<f32> = answers.iter().flat_map(|v| v.scores.clone()).collect();
        let limit = 2.0 * self.tolerance.trajectory;
        self.compare(&format!("task.{task}.logits"), &scores, limit)?;
        let name = format!("task.{task}.pred");
        let wanted = &self.file.tensor(&name)?.values;
        same_length(&name, answers.len(), wanted.len())?;
        let unclear = CLEAR * largest(&scores);
        let wrong = answers.iter().zip(wanted).filter(|(answer, wanted)| {
            let class = answer.opinions.last().map(|opinion| opinion.class);
            let mut order = answer.scores.clone();
            order.sort_by(|a, b| b.total_cmp(a));
            let gap = order.first().zip(order.get(1)).map(|(a, b)| a - b);
            let clear = gap.is_none_or(|gap| f64::from(gap) > unclear);
            (clear || !by_score) && class != Some(**wanted as usize)
        });
        let wrong = wrong.count();
        self.push(name, wrong as f64, wrong == 0);
        Ok(())
    }
}

fn same_length(name: &str, got: usize, wanted: usize) -> Result<()> {
    if got == wanted {
        return Ok(());
    }
    Err(Problem::new(format!(
        "{name} has {wanted} values in the file, but {got} in the program"
    )))
}

/// Returns max|a − b| / size; infinity for tensors of different length.
fn error(a: &HostTensor, b: &HostTensor, size: f64) -> f64 {
    match a.values.len() == b.values.len() {
        true => apart(&a.values, &b.values) / size.max(f64::MIN_POSITIVE),
        false => f64::INFINITY,
    }
}

/// Returns the larger value; NaN if one of them is NaN.
fn worse(most: f64, value: f64) -> f64 {
    if value > most || value.is_nan() {
        value
    } else {
        most
    }
}

fn largest(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(v.abs())).fold(0.0, worse)
}

/// Returns max|a − b|.
fn apart(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs()));
    pairs.fold(0.0, worse)
}

fn difference(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
