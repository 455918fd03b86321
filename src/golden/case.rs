//! The parts of a golden file's run that depend on the method: its initial state, its trained parameters with their
//! names in the file, and what is compared in addition to losses and predictions.

use burn::tensor::{Device, Tensor};

use super::Tolerance;
use super::comparer::{Comparer, max_or_nan};
use super::file::{GoldenFile, ParameterNames, mapped_name, to_parameter};
use crate::method::aper::Aper;
use crate::method::ease::Ease;
use crate::method::esn::Esn;
use crate::method::finetune::FineTune;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::pet_tuning::Tuning;
use crate::method::ranpac::{Projection, RanPac};
use crate::method::{self, Method, Setup};
use crate::metrics::Expert;
use crate::problem::{Problem, Result};

const ADAPTER: ParameterNames = &[
    ("down", "down_proj.weight", true),
    ("b_down", "down_proj.bias", false),
    ("up", "up_proj.weight", true),
    ("b_up", "up_proj.bias", false),
];

/// The method of a file.
pub(super) enum Case {
    Aper(Aper),
    RanPac(RanPac),
    Ease(Ease),
    Esn(Esn),
    FineTune(FineTune),
    /// A method whose state is compared as stored in its checkpoint, with the same names: SimpleCIL, EWC, iCaRL and all
    /// newer ones.
    Stored(Box<dyn Method>),
}

impl Case {
    pub fn new(file: &GoldenFile, setup: Setup<'_>) -> Result<Self> {
        Ok(match file.text("method")? {
            "aper" => Self::Aper(Aper::new(&setup)?),
            "ranpac" => Self::RanPac(RanPac::new(&setup)?),
            "ease" => Self::Ease(Ease::new(&setup)?),
            "esn" => Self::Esn(Esn::new(&setup)?),
            "seqft" | "jointft" => Self::FineTune(FineTune::new(&setup)?),
            _ => Self::Stored(method::build(setup)?),
        })
    }

    pub fn method(&mut self) -> &mut dyn Method {
        match self {
            Self::Aper(method) => method,
            Self::RanPac(method) => method,
            Self::Ease(method) => method,
            Self::Esn(method) => method,
            Self::FineTune(method) => method,
            Self::Stored(method) => &mut **method,
        }
    }

    /// Returns what the current task trains, for a method that tunes a PET and has a cosine head.
    fn tuning(&mut self) -> Option<&mut Tuning> {
        match self {
            Self::Aper(method) => method.session.tuning.as_mut(),
            Self::RanPac(method) => method.session.as_mut()?.tuning.as_mut(),
            Self::Ease(method) => method.tuning.as_mut(),
            _ => None,
        }
    }

    /// Replaces random values that are drawn once per run by those of the file.
    pub fn replace_random_values(&mut self, file: &GoldenFile, device: &Device) -> Result<()> {
        match self {
            Self::RanPac(method) => {
                let stored = file.tensor("projection")?;
                let width = stored.shape.first().copied().unwrap_or(0);
                method.set_projection(Projection::from_values(stored.values.clone(), width))?;
            }
            Self::Esn(method) => {
                let prompt = to_parameter(file.tensor("prompt")?, false);
                method.prompt = prompt.to_device(device)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the name that a tensor of a task's checkpoint has among the gradients; `None` if the task does not train
    /// it. A tensor whose two names differ belongs to this task only, and the task starts with the file's values.
    pub fn trained_name(&self, stored_name: &str, task: usize) -> Option<String> {
        match self {
            Self::Esn(_) => Some(without_task(stored_name, "stage", task)),
            Self::FineTune(_) => Some(without_task(stored_name, "head", task)),
            Self::Stored(_) => Some(stored_name.to_string()),
            _ => stored_name.strip_prefix("tuning.").map(ToString::to_string),
        }
    }

    /// Returns the gradients of a batch under our names, without an update; `None` if they are not compared. Labels
    /// count within the task.
    pub fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Option<Gradients>> {
        let result = match self {
            Self::Esn(method) => Some(method.gradients(images, labels)?),
            Self::FineTune(method) => Some(method.gradients(images, labels)?),
            _ => {
                let tuning = self.tuning();
                let result = tuning.map(|tuning| tuning.gradients(images, labels, None));
                result.transpose()?
            }
        };
        Ok(result.map(|(_, gradients)| gradients))
    }

    /// Returns the learning rate of a step; `None` if it is not compared.
    pub fn rate(&mut self, position: StepPosition) -> Option<f64> {
        match self {
            Self::Esn(method) => Some(method.optimiser.rate(position)),
            Self::FineTune(method) => Some(method.optimiser.rate(position)),
            _ => Some(self.tuning()?.optimiser.rate(position)),
        }
    }

    /// Returns the file's name of one of our parameters in a task, and whether it is transposed there (weights of a
    /// Linear are out × in).
    pub fn reference_name(&self, parameter: &str, task: usize) -> (String, bool) {
        match (self, parameter.split_once('.')) {
            (Self::Stored(_), _) => (parameter.to_string(), false),
            (Self::Esn(_), Some(("stage", rest))) => {
                let (layer, part) = rest.split_once('.').unwrap_or((rest, ""));
                let suffix = match layer {
                    "token" => "task_tokens".to_string(),
                    "classifier" => format!("classifiers.{part}"),
                    "norm1" | "norm2" => format!("tabs.{layer}.{part}"),
                    "fc1" | "fc2" => format!("tabs.mlp.{layer}.{part}"),
                    _ => format!("tabs.attn.{layer}.{part}"),
                };
                let transposed = part == "weight" && !layer.starts_with("norm");
                (format!("stage.{task}.{suffix}"), transposed)
            }
            (Self::FineTune(_), Some(("head", part))) => {
                let transposed = part.ends_with("weight");
                match part {
                    "weight" | "bias" => (format!("head.{task}.{part}"), transposed),
                    _ => (parameter.to_string(), transposed),
                }
            }
            (Self::Esn(_) | Self::FineTune(_), _) => (parameter.to_string(), false),
            (_, Some(("pet", rest))) => {
                let name = mapped_name(ADAPTER, rest);
                let (name, transposed) = name.unwrap_or_else(|| (rest.to_string(), false));
                (format!("adapter.{task}.{name}"), transposed)
            }
            (_, Some(("head", part))) => (format!("head.{task}.{part}"), false),
            _ => (parameter.to_string(), false),
        }
    }

    /// Returns the largest accepted error of a loss.
    pub fn loss_limit(&self, tolerance: Tolerance) -> f64 {
        match self {
            Self::Stored(_) => tolerance.trajectory,
            _ => tolerance.single,
        }
    }

    /// Returns whether the prediction is the class with the highest score.
    pub fn predicts_by_score(&self) -> bool {
        !matches!(self, Self::Esn(_))
    }

    /// Compares the method's own state after a task.
    pub fn compare(
        &mut self,
        comparer: &mut Comparer<'_>,
        task: usize,
        test: &Tensor<4>,
    ) -> Result<()> {
        let name = |what: &str| format!("task.{task}.{what}");
        let limit = comparer.tolerance.trajectory;
        match self {
            Self::Aper(method) => {
                compare_features(comparer, "test.feature", method, test)?;
                compare_prototypes(comparer, task, method)
            }
            Self::RanPac(method) => {
                compare_features(comparer, "test.feature", method, test)?;
                compare_regression(comparer, task, method)
            }
            Self::Ease(method) => {
                compare_features(comparer, &name("feature"), method, test)?;
                let completed = Tensor::cat(method.subspaces.complete(&test.device())?, 1);
                comparer.compare_tensor(&name("prototypes"), &completed, limit)
            }
            Self::Esn(method) => {
                comparer.compare_doubles(&name("temperatures"), &method.temperatures(), 0.0)?;
                match task {
                    0 => Ok(()),
                    _ => {
                        let shares = method.separation.shares();
                        comparer.compare_doubles(&name("separation"), &shares, 1e-6)
                    }
                }
            }
            Self::FineTune(_) => Ok(()),
            Self::Stored(method) if comparer.file.text("method")? == "simplecil" => {
                compare_features(comparer, "test.feature", &**method, test)?;
                compare_prototypes(comparer, task, &mut **method)
            }
            Self::Stored(method) => {
                comparer.compare_checkpoint(&name("kept."), &method.checkpoint()?, "")
            }
        }
    }
}

/// Compares the features of the test images, as the heads receive them, with the file's tensor of this name.
fn compare_features(
    comparer: &mut Comparer<'_>,
    name: &str,
    method: &dyn Method,
    test: &Tensor<4>,
) -> Result<()> {
    let features = method.features(test.clone())?.concatenated(Expert::ANSWER)?;
    comparer.compare_tensor(name, &features, comparer.tolerance.trajectory)
}

/// Compares the prototypes (classes × width) of a method.
fn compare_prototypes(
    comparer: &mut Comparer<'_>,
    task: usize,
    method: &mut dyn Method,
) -> Result<()> {
    let snapshot = method.snapshot()?;
    let rows = snapshot.get("prototypes").map_or(&[][..], |rows| &rows.values);
    let limit = comparer.tolerance.trajectory;
    comparer.compare(&format!("task.{task}.prototypes"), rows, limit)
}

/// Compares the sums, the ridge and the weights of RanPAC.
fn compare_regression(comparer: &mut Comparer<'_>, task: usize, method: &RanPac) -> Result<()> {
    let name = |what: &str| format!("task.{task}.{what}");
    let (Some(regression), Some(choice)) = (&method.regression, &method.choice) else {
        return Err(Problem::new("the regression was not solved"));
    };
    let (matrix, single) = (&regression.gram, comparer.tolerance.single);
    let side = matrix.side();
    let entry = |index: usize| {
        let (row, column) = ((index / side).min(index % side), (index / side).max(index % side));
        matrix.upper_row(row)[column - row] as f32
    };
    let gram: Vec<f32> = (0..side * side).map(entry).collect();
    comparer.compare(&name("G"), &gram, single)?;
    // The file has zeros for classes of later tasks.
    let columns = comparer.file.tensor(&name("Q"))?.shape.last().copied();
    let columns = columns.unwrap_or(0);
    let sums = &regression.sums;
    let sum_at =
        |index: usize| sums.get(index % columns).map_or(0.0, |sums| sums[index / columns] as f32);
    let sums: Vec<f32> = (0..side * columns).map(sum_at).collect();
    comparer.compare(&name("Q"), &sums, single)?;
    let expected = comparer.file.doubles(&name("ridge"))?.first().copied();
    let error = expected.map_or(f64::INFINITY, |ridge| (choice.ridge / ridge - 1.0).abs());
    comparer.push(name("ridge"), error, error <= 1e-12);
    // The losses of the smallest λ depend on rounding errors of the f32 features.
    let losses = choice.losses.iter().zip(comparer.file.doubles(&name("ridge_losses"))?);
    let errors = losses.skip(6).map(|(a, b)| (a / b - 1.0).abs());
    let error = errors.fold(0.0, max_or_nan);
    comparer.push(name("ridge_losses"), error, error <= 10.0 * single);
    let limit = 10.0 * comparer.tolerance.trajectory;
    comparer.compare(&name("weight"), &method.weight.values, limit)
}

/// Removes the number of the current task after `part` from a name.
fn without_task(name: &str, part: &str, task: usize) -> String {
    match name.strip_prefix(&format!("{part}.{task}.")) {
        Some(rest) => format!("{part}.{rest}"),
        None => name.to_string(),
    }
}
