//! What each method adds to the run of tasks in its files: its initial state, the trained
//! parameters, and what is compared besides losses and answers.

use burn::tensor::Tensor;

use super::comparer::Comparer;
use super::file::{GoldenFile, ours_of};
use super::names::stored;
use super::tasks::{Case, TaskFile};
use super::{GoldenReport, Tolerance};
use crate::method::aper::Aper;
use crate::method::ease::Ease;
use crate::method::esn::Esn;
use crate::method::esn::stage::EsnStage;
use crate::method::finetune::FineTune;
use crate::method::heads::Head;
use crate::method::optimiser::{Gradients, StepPosition};
use crate::method::ranpac::{Projection, RanPac};
use crate::method::tuning::Tuning;
use crate::method::{self, Method};
use crate::metrics::Expert;
use crate::nn::Place;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named};

/// Runs a file of one of these methods.
pub(super) fn check(
    file: &GoldenFile,
    place: &Place,
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
        _ => Box::new(Any {
            method: method::build(setup)?,
            trained: Named::new(),
        }),
    };
    run.run(&mut *case, tolerance)
}

/// Compares features of the test images, in the form that the heads receive, with the file's tensor
/// of this name.
fn compare_features(
    to: &mut Comparer<'_>,
    name: &str,
    method: &dyn Method,
    test: &Tensor<4>,
) -> Result<()> {
    let features = method.features(test.clone())?.of(Expert::ANSWER)?;
    to.compare_tensor(name, &features, to.tolerance.trajectory)
}

/// Compares the prototypes (classes × width) that a method keeps.
fn compare_prototypes(to: &mut Comparer<'_>, task: usize, method: &dyn Method) -> Result<()> {
    let kept = method.snapshot()?;
    let rows = kept.get("prototypes").map_or(&[][..], |rows| &rows.values);
    let limit = to.tolerance.trajectory;
    to.compare(&format!("task.{task}.prototypes"), rows, limit)
}

/// A method whose state is compared as stored in its checkpoint, under the same names: SimpleCIL,
/// EWC, iCaRL and every new one. Adam's moments are compared, too.
struct Any {
    method: Box<dyn Method>,
    /// The last checkpoint that was requested.
    trained: Named,
}

impl Any {
    /// Compares all of the file's tensors under `prefix` with those of a checkpoint under `ours`.
    /// Indices of images are compared exactly.
    fn compare_kept(
        to: &mut Comparer<'_>,
        prefix: &str,
        checkpoint: &Named,
        ours: &str,
    ) -> Result<()> {
        for name in to.file.under(prefix).into_keys() {
            let limit = match name.as_str() {
                "exemplars" => 0.0,
                _ => to.tolerance.trajectory,
            };
            let got = checkpoint.get(&format!("{ours}{name}"));
            let got =
                got.ok_or_else(|| Problem::new(format!("there is no tensor named {name}")))?;
            to.compare(&format!("{prefix}{name}"), &got.values, limit)?;
        }
        Ok(())
    }
}

impl Case for Any {
    fn method(&mut self) -> &mut dyn Method {
        &mut *self.method
    }

    fn start(&mut self, run: &TaskFile<'_>, task: usize) -> Result<()> {
        let mut state = self.method.checkpoint()?;
        let start = run.file.under(&format!("task.{task}.start."));
        if start.is_empty() {
            return Ok(());
        }
        for (name, given) in start {
            let drawn = state.get_mut(&name);
            let drawn = drawn.filter(|drawn| drawn.shape == given.shape);
            let drawn = drawn.ok_or_else(|| Problem::new(format!("no task begins with {name}")))?;
            *drawn = given;
        }
        self.method.restore(&state, &run.tasks[..=task])
    }

    fn trained(&mut self) -> Result<Named> {
        self.trained = self.method.checkpoint()?;
        Ok(self.trained.clone())
    }

    fn gradients(&mut self, _: Tensor<4>, _: &[usize]) -> Result<Option<Gradients>> {
        Ok(None)
    }

    fn rate(&mut self, _: StepPosition) -> Option<f64> {
        None
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        if to.file.text("method")? == "simplecil" {
            compare_features(to, "test.feature", &*self.method, test)?;
            return compare_prototypes(to, task, &*self.method);
        }
        let (adam, kept) = (format!("task.{task}.adam."), format!("task.{task}.kept."));
        Self::compare_kept(to, &adam, &self.trained, "adam.")?;
        Self::compare_kept(to, &kept, &self.method.checkpoint()?, "")
    }

    fn their_name(&self, ours: &str, _: usize) -> (String, bool) {
        (ours.to_string(), false)
    }

    fn loss_limit(&self, tolerance: Tolerance) -> f64 {
        tolerance.trajectory
    }
}

/// A method that tunes a PET and has a cosine head.
trait TunesPet: Method + Sized {
    /// Returns what the current task trains, if anything.
    fn session(&mut self) -> Option<&mut Tuning>;

    /// Replaces the random values that are drawn once per run by those of the file.
    fn take(&mut self, _: &GoldenFile) -> Result<()> {
        Ok(())
    }

    /// See [`Case::compare`].
    fn compare_own(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()>;
}

impl<T: TunesPet> Case for T {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, run: &TaskFile<'_>, task: usize) -> Result<()> {
        if task == 0 {
            self.take(run.file)?;
        }
        let Some(tuning) = self.session() else {
            return Ok(());
        };
        let names = tuning.pets.parameters().map(|(name, ..)| name.to_string());
        for name in names.collect::<Vec<_>>() {
            let value = stored(run.file, &format!("pet.{name}"), task)?;
            tuning.pets.set(&name, value.to_device(&run.device)?)?;
        }
        tuning.head.weight = stored(run.file, "head.weight", task)?.to_device(&run.device)?;
        tuning.head.sigma = stored(run.file, "head.sigma", task)?.to_device(&run.device)?;
        Ok(())
    }

    fn trained(&mut self) -> Result<Named> {
        let mut named = Named::new();
        if let Some(tuning) = self.session() {
            tuning.pets.write("pet", &mut named)?;
            named.insert("head.weight".into(), HostTensor::read(&tuning.head.weight)?);
            named.insert("head.sigma".into(), HostTensor::read(&tuning.head.sigma)?);
        }
        Ok(named)
    }

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Option<Gradients>> {
        let tuning = self.session();
        let tuning = tuning.ok_or_else(|| Problem::new("nothing is trained in this task"))?;
        Ok(Some(tuning.gradients(images, labels, None)?.1))
    }

    fn rate(&mut self, now: StepPosition) -> Option<f64> {
        Some(self.session()?.rate(now))
    }

    fn compare(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        self.compare_own(to, task, test)
    }
}

impl TunesPet for Aper {
    fn session(&mut self) -> Option<&mut Tuning> {
        Aper::session(self).tuning()
    }

    fn compare_own(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_features(to, "test.feature", self, test)?;
        compare_prototypes(to, task, self)
    }
}

impl TunesPet for Ease {
    fn session(&mut self) -> Option<&mut Tuning> {
        self.tuning()
    }

    fn compare_own(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_features(to, &format!("task.{task}.feature"), self, test)?;
        let completed = Tensor::cat(self.subspaces().completed(&test.device())?, 1);
        let limit = to.tolerance.trajectory;
        to.compare_tensor(&format!("task.{task}.prototypes"), &completed, limit)
    }
}

impl TunesPet for RanPac {
    fn session(&mut self) -> Option<&mut Tuning> {
        RanPac::session(self)?.tuning()
    }

    fn take(&mut self, file: &GoldenFile) -> Result<()> {
        let stored = file.tensor("projection")?;
        let width = stored.shape.first().copied().unwrap_or(0);
        self.set_projection(Projection::of(stored.values.clone(), width))
    }

    fn compare_own(&mut self, to: &mut Comparer<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_features(to, "test.feature", self, test)?;
        let name = |what: &str| format!("task.{task}.{what}");
        let (Some(regression), Some(choice)) = (self.regression(), self.choice()) else {
            return Err(Problem::new("the regression was not solved"));
        };
        let (square, single) = (regression.square(), to.tolerance.single);
        let side = square.side();
        let entry = |at: usize| {
            let (row, column) = ((at / side).min(at % side), (at / side).max(at % side));
            square.upper_row(row)[column - row] as f32
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
        // The losses of the smallest λ depend on the last digits of f32 features.
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

impl Case for Esn {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, run: &TaskFile<'_>, task: usize) -> Result<()> {
        if task == 0 {
            self.set_prompt(stored(run.file, "prompt", task)?.to_device(&run.device)?);
        }
        let mut values = Named::new();
        for (name, _) in self
            .stages()
            .last()
            .into_iter()
            .flat_map(EsnStage::parameters)
        {
            let value = stored(run.file, &format!("stage.{name}"), task)?;
            values.insert(format!("start.{name}"), value);
        }
        let heads = run.file.number("stage_heads")?;
        let sizes = (heads, run.backbone.feature_width(), run.tasks[task].len());
        self.set_stage(EsnStage::read("start", sizes, &values, &run.device)?);
        Ok(())
    }

    fn trained(&mut self) -> Result<Named> {
        let mut named = Named::new();
        named.insert("prompt".into(), HostTensor::read(self.prompt())?);
        if let Some(stage) = self.stages().last() {
            stage.write("stage", &mut named)?;
        }
        Ok(named)
    }

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Option<Gradients>> {
        Ok(Some(Self::gradients(self, images, labels)?.1))
    }

    fn rate(&mut self, now: StepPosition) -> Option<f64> {
        Some(Self::rate(self, now))
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
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, run: &TaskFile<'_>, task: usize) -> Result<()> {
        let part = |name: &str, transposed: bool| {
            let stored = run.file.tensor(&format!("head.{task}.{name}"))?;
            ours_of(stored, transposed).to_device(&run.device)
        };
        let head = Head {
            weight: part("weight", true)?,
            bias: part("bias", false)?,
        };
        if let Some(newest) = self.heads_mut().and_then(|heads| heads.0.last_mut()) {
            *newest = head;
        }
        Ok(())
    }

    fn trained(&mut self) -> Result<Named> {
        let mut named = Named::new();
        self.weights().write("backbone", &mut named)?;
        let heads = self.heads().0.iter().enumerate();
        let newest = heads.len().saturating_sub(1);
        for (task, head) in heads {
            let prefix = match task == newest {
                true => "head".to_string(),
                false => format!("head.{task}"),
            };
            for (name, leaf) in head.leaves(&prefix) {
                named.insert(name, HostTensor::read(leaf)?);
            }
        }
        Ok(named)
    }

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Option<Gradients>> {
        Ok(Some(Self::gradients(self, images, labels)?.1))
    }

    fn rate(&mut self, now: StepPosition) -> Option<f64> {
        Some(Self::rate(self, now))
    }

    fn compare(&mut self, _: &mut Comparer<'_>, _: usize, _: &Tensor<4>) -> Result<()> {
        Ok(())
    }

    fn their_name(&self, ours: &str, task: usize) -> (String, bool) {
        match ours.strip_prefix("head.") {
            Some(part @ ("weight" | "bias")) => (format!("head.{task}.{part}"), true),
            Some(_) => (ours.to_string(), true),
            None => (ours.to_string(), false),
        }
    }
}
