//! The parts of each method in the run of a golden file: its initial state, its trained parameters, and what is
//! compared in addition to losses and predictions.

use burn::tensor::{Device, Tensor};

use super::case::Case;
use super::comparer::Comparer;
use super::file::{GoldenFile, ours_of};
use super::tasks::TaskFile;
use super::{GoldenReport, Tolerance};
use crate::method::aper::Aper;
use crate::method::ease::Ease;
use crate::method::esn::Esn;
use crate::method::finetune::FineTune;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::ranpac::{Projection, RanPac};
use crate::method::tuning::Tuning;
use crate::method::{self, Method};
use crate::metrics::Expert;
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result};

/// Checks a file of one of these methods.
pub(super) fn check(
    file: &GoldenFile,
    place: &WeightPlacement,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let run = TaskFile::new(file, place)?;
    let setup = run.setup();
    let mut case: Box<dyn Case> = match file.text("method")? {
        "aper" => Box::new(Aper::new(&setup)?),
        "ranpac" => Box::new(RanPac::new(&setup)?),
        "ease" => Box::new(Ease::new(&setup)?),
        "esn" => Box::new(Esn::new(&setup)?),
        "seqft" | "jointft" => Box::new(FineTune::new(&setup)?),
        _ => Box::new(method::build(setup)?),
    };
    run.run(&mut *case, tolerance)
}

/// Compares the features of the test images, as the heads receive them, with the file's tensor of this name.
fn compare_features(
    to: &mut Comparer<'_>,
    name: &str,
    method: &dyn Method,
    test: &Tensor<4>,
) -> Result<()> {
    let features = method.features(test.clone())?.of(Expert::ANSWER)?;
    to.compare_tensor(name, &features, to.tolerance.trajectory)
}

/// Compares the prototypes (classes × width) of a method.
fn compare_prototypes(to: &mut Comparer<'_>, task: usize, method: &mut dyn Method) -> Result<()> {
    let kept = method.snapshot()?;
    let rows = kept.get("prototypes").map_or(&[][..], |rows| &rows.values);
    let limit = to.tolerance.trajectory;
    to.compare(&format!("task.{task}.prototypes"), rows, limit)
}

/// Methods whose state is compared as stored in their checkpoint, with the same names: SimpleCIL, EWC, iCaRL and all
/// newer ones.
impl Case for Box<dyn Method> {
    fn method(&mut self) -> &mut dyn Method {
        &mut **self
    }

    fn trained_name(&self, kept: &str, _: usize) -> Option<String> {
        Some(kept.to_string())
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        if to.file.text("method")? == "simplecil" {
            compare_features(to, "test.feature", &**self, test)?;
            return compare_prototypes(to, task, &mut **self);
        }
        to.compare_kept(&format!("task.{task}.kept."), &self.checkpoint()?, "")
    }

    fn their_name(&self, ours: &str, _: usize) -> (String, bool) {
        (ours.to_string(), false)
    }

    fn loss_limit(&self, tolerance: Tolerance) -> f64 {
        tolerance.trajectory
    }
}

impl Case for Aper {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn session(&mut self) -> Option<&mut Tuning> {
        Aper::session(self).tuning()
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_features(to, "test.feature", self, test)?;
        compare_prototypes(to, task, self)
    }
}

impl Case for Ease {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn session(&mut self) -> Option<&mut Tuning> {
        self.tuning()
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_features(to, &format!("task.{task}.feature"), self, test)?;
        let completed = Tensor::cat(self.subspaces().completed(&test.device())?, 1);
        let limit = to.tolerance.trajectory;
        to.compare_tensor(&format!("task.{task}.prototypes"), &completed, limit)
    }
}

impl Case for RanPac {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn session(&mut self) -> Option<&mut Tuning> {
        RanPac::session(self)?.tuning()
    }

    fn take(&mut self, file: &GoldenFile, _: &Device) -> Result<()> {
        let stored = file.tensor("projection")?;
        let width = stored.shape.first().copied().unwrap_or(0);
        self.set_projection(Projection::of(stored.values.clone(), width))
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_features(to, "test.feature", self, test)?;
        let name = |what: &str| format!("task.{task}.{what}");
        let (Some(regression), Some(choice)) = (self.regression(), self.choice()) else {
            return Err(Problem::new("the regression was not solved"));
        };
        let (matrix, single) = (regression.gram(), to.tolerance.single);
        let side = matrix.side();
        let entry = |at: usize| {
            let (row, column) = ((at / side).min(at % side), (at / side).max(at % side));
            matrix.upper_row(row)[column - row] as f32
        };
        let gram: Vec<f32> = (0..side * side).map(entry).collect();
        to.compare(&name("G"), &gram, single)?;
        // The file has zeros for classes of later tasks.
        let columns = to.file.tensor(&name("Q"))?.shape.last().copied();
        let columns = columns.unwrap_or(0);
        let sums = regression.sums();
        let sum_at = |at: usize| {
            sums.get(at % columns)
                .map_or(0.0, |sums| sums[at / columns] as f32)
        };
        let sums: Vec<f32> = (0..side * columns).map(sum_at).collect();
        to.compare(&name("Q"), &sums, single)?;
        let wanted = to.file.doubles(&name("ridge"))?.first().copied();
        let error = wanted.map_or(f64::INFINITY, |ridge| (choice.ridge / ridge - 1.0).abs());
        to.push(name("ridge"), error, error <= 1e-12);
        // The losses of the smallest λ depend on rounding errors of the f32 features.
        let losses = choice
            .losses
            .iter()
            .zip(to.file.doubles(&name("ridge_losses"))?);
        let errors = losses.skip(6).map(|(a, b)| (a / b - 1.0).abs());
        let error = errors.fold(0.0, f64::max);
        to.push(name("ridge_losses"), error, error <= 10.0 * single);
        let limit = 10.0 * to.tolerance.trajectory;
        to.compare(&name("weight"), &self.weight().values, limit)
    }
}

/// Implements [`Case`] for a method with its own gradients and learning rate.
macro_rules! own_steps {
    () => {
        fn method(&mut self) -> &mut dyn Method {
            self
        }

        fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Option<Gradients>> {
            Ok(Some(Self::gradients(self, images, labels)?.1))
        }

        fn rate(&mut self, now: StepPosition) -> Option<f64> {
            Some(Self::rate(self, now))
        }
    };
}

/// Removes the number of the current task after `part` from a name.
fn without_task(kept: &str, part: &str, task: usize) -> String {
    match kept.strip_prefix(&format!("{part}.{task}.")) {
        Some(rest) => format!("{part}.{rest}"),
        None => kept.to_string(),
    }
}

impl Case for Esn {
    own_steps!();

    fn take(&mut self, file: &GoldenFile, device: &Device) -> Result<()> {
        let prompt = ours_of(file.tensor("prompt")?, false);
        self.set_prompt(prompt.to_device(device)?);
        Ok(())
    }

    fn trained_name(&self, kept: &str, task: usize) -> Option<String> {
        Some(without_task(kept, "stage", task))
    }

    fn their_name(&self, ours: &str, task: usize) -> (String, bool) {
        let Some(rest) = ours.strip_prefix("stage.") else {
            return (ours.to_string(), false);
        };
        let (layer, part) = rest.split_once('.').unwrap_or((rest, ""));
        let own = match layer {
            "token" => "task_tokens".to_string(),
            "classifier" => format!("classifiers.{part}"),
            "norm1" | "norm2" => format!("tabs.{layer}.{part}"),
            "fc1" | "fc2" => format!("tabs.mlp.{layer}.{part}"),
            _ => format!("tabs.attn.{layer}.{part}"),
        };
        let transposed = part == "weight" && !layer.starts_with("norm");
        (format!("stage.{task}.{own}"), transposed)
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, _: &Tensor<4>) -> Result<()> {
        let name = |what: &str| format!("task.{task}.{what}");
        to.compare_doubles(&name("temperatures"), &self.temperatures(), 0.0)?;
        match task {
            0 => Ok(()),
            _ => to.compare_doubles(&name("separation"), &self.separation().shares(), 1e-6),
        }
    }

    fn answers_by_score(&self) -> bool {
        false
    }
}

impl Case for FineTune {
    own_steps!();

    fn trained_name(&self, kept: &str, task: usize) -> Option<String> {
        Some(without_task(kept, "head", task))
    }

    fn their_name(&self, ours: &str, task: usize) -> (String, bool) {
        let transposed = ours.starts_with("head.") && ours.ends_with(".weight");
        match ours.strip_prefix("head.") {
            Some(part @ ("weight" | "bias")) => (format!("head.{task}.{part}"), transposed),
            _ => (ours.to_string(), transposed),
        }
    }
}
