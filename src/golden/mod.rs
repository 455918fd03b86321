//! Checks the program against golden files (reference tensors): features, logits, gradients, several training steps and
//! the ensemble, through the code that trains and predicts.
//!
//! A file contains a small backbone, the initial state of a method, inputs, and the expected results. Its metadata
//! contains the sizes and the method; without a method, the file is for LAE (`lae`). The files of L2P, DualPrompt and
//! CODA-Prompt have their own form (`prompts`); all others contain a whole run of several tasks (`tasks`, and `case`
//! for the parts of each method).

mod case;
mod comparer;
mod file;
mod lae;
mod prompts;
mod tasks;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result};

use file::GoldenFile;

/// The largest errors that pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Features, logits, loss and gradients.
    pub single: f64,
    /// Results of several training steps.
    pub trajectory: f64,
}

impl Tolerance {
    /// For the CPU device.
    pub const CPU: Self = Self { single: 1e-4, trajectory: 5e-4 };
    /// For frozen weights rounded to f16 (about 2e-4 of each value). Adam divides a gradient by its own magnitude, so a
    /// small gradient that changes its sign affects the trajectory.
    pub const HALF: Self = Self { single: 1e-2, trajectory: 5e-2 };
    /// For frozen weights and their inputs rounded to bf16 (about 2e-3 of each value).
    pub const BF16: Self = Self { single: 1.5e-1, trajectory: 3e-1 };
    /// For GPUs, which sum in another order.
    pub const GPU: Self = Self { single: 1e-3, trajectory: 5e-3 };
}

/// One compared tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The tensor's name in the file.
    pub name: String,
    /// max|a − b| / max|b|, or max|a| if the reference is zero.
    pub error: f64,
    /// Whether the error is small enough.
    pub ok: bool,
}

/// The result for one file.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenReport {
    /// All compared tensors.
    pub comparisons: Vec<Comparison>,
}

impl GoldenReport {
    /// Returns whether all tensors pass.
    pub fn passes(&self) -> bool {
        self.comparisons.iter().all(|comparison| comparison.ok)
    }

    /// Returns the comparison with the largest error.
    pub fn worst(&self) -> Option<&Comparison> {
        self.comparisons.iter().max_by(|a, b| a.error.total_cmp(&b.error))
    }
}

/// Checks one file on a device, with the frozen weights in the number format of `placement`.
///
/// # Errors
/// Returns a Problem if the file cannot be read or has another form.
pub fn check(
    path: &Path,
    placement: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    // Invalid tensors may reach checks of the framework, which panic.
    let result = catch_unwind(AssertUnwindSafe(|| check_file(path, placement, tolerance)));
    result.unwrap_or_else(|_| {
        Err(Problem::new("the tensors of this golden file do not fit together")
            .at_path(path)
            .advise("create the file again with its original program"))
    })
}

fn check_file(
    path: &Path,
    placement: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let file = GoldenFile::read(path)?;
    let report = match file.method() {
        None => lae::check(&file, placement, tolerance),
        Some("l2p" | "dualprompt" | "coda") => prompts::check(&file, placement, tolerance),
        Some(_) => tasks::check(&file, placement, tolerance),
    };
    report.map_err(|problem| {
        let place = match problem.place.as_str() {
            "" => path.display().to_string(),
            inner => format!("{}: {inner}", path.display()),
        };
        problem.at(place)
    })
}
