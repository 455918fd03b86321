//! SimpleCIL, APER, RanPAC, EASE and ESN as golden files need them.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::file::GoldenFile;
use super::ledger::Ledger;
use super::tasks::{Case, Loss, TaskFile, stored, trains_nothing};
use super::{GoldenReport, Tolerance};
use crate::backbone::Backbone;
use crate::method::aper::Aper;
use crate::method::ease::Ease;
use crate::method::esn::Esn;
use crate::method::optimiser::StepPosition;
use crate::method::ranpac::{Projection, RanPac};
use crate::method::tuning::Tuning;
use crate::method::{self, Method};
use crate::metrics::Expert;
use crate::nn::Place;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named};

/// Runs one file of one of these methods.
pub(super) fn check(
    file: &GoldenFile,
    place: &Place,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let settings: &[&str] = match file.text("method")? {
        "simplecil" => &[],
        "aper" => &["weight_decay"],
        "ranpac" => &["weight_decay", "projection", "first_session"],
        "ease" => &["weight_decay", "alpha"],
        "esn" => &["weight_decay", "lambda", "anchor", "prompt_length"],
        other => return Err(Problem::new(format!("no golden check of {other} is known"))),
    };
    let run = TaskFile::new(file, place, settings)?;
    let setup = run.setup();
    let mut case: Box<dyn Case> = match file.text("method")? {
        "aper" => Box::new(Aper::new(&setup)?),
        "ranpac" => Box::new(RanPac::new(&setup)?),
        "ease" => Box::new(Ease::new(&setup)?),
        "esn" => Box::new(Esn::new(&setup)?),
        _ => Box::new(Plain {
            backbone: run.backbone.clone(),
            method: method::build(setup)?,
        }),
    };
    run.run(&mut *case, tolerance)
}

/// Puts the file's adapter and head in place.
fn start(tuning: &mut Tuning, file: &GoldenFile, task: usize, device: &Device) -> Result<()> {
    let names: Vec<String> = tuning
        .pets
        .parameters()
        .map(|(name, ..)| name.into())
        .collect();
    for name in names {
        let value = stored(file, &format!("pet.{name}"), task)?;
        tuning.pets.set(&name, value.to_device(device)?)?;
    }
    tuning.head.weight = stored(file, "head.weight", task)?.to_device(device)?;
    tuning.head.sigma = stored(file, "head.sigma", task)?.to_device(device)?;
    Ok(())
}

fn trained(tuning: Option<&mut Tuning>) -> Result<Named> {
    let mut named = Named::new();
    if let Some(tuning) = tuning {
        tuning.pets.write("pet", &mut named)?;
        named.insert("head.weight".into(), HostTensor::read(&tuning.head.weight)?);
        named.insert("head.sigma".into(), HostTensor::read(&tuning.head.sigma)?);
    }
    Ok(named)
}

fn gradients(tuning: Option<&mut Tuning>, images: Tensor<4>, labels: &[usize]) -> Result<Loss> {
    match tuning {
        Some(tuning) => tuning.gradients(images, labels, None),
        None => trains_nothing(),
    }
}

fn rate(tuning: Option<&mut Tuning>, now: StepPosition) -> f64 {
    tuning.map_or(0.0, |tuning| tuning.rate(now))
}

/// Compares features of the test images with the file's tensor of this name.
fn compare_feature(ledger: &mut Ledger<'_>, name: &str, features: &Tensor<2>) -> Result<()> {
    let limit = ledger.tolerance.trajectory;
    ledger.compare(name, &HostTensor::read(features)?.values, limit)
}

/// Compares the prototypes (classes × width) that a method keeps.
fn compare_prototypes(ledger: &mut Ledger<'_>, task: usize, method: &dyn Method) -> Result<()> {
    let kept = method.snapshot()?;
    let rows = kept.get("prototypes").map_or(&[][..], |rows| &rows.values);
    let limit = ledger.tolerance.trajectory;
    ledger.compare(&format!("task.{task}.prototypes"), rows, limit)
}

/// SimpleCIL, which trains nothing and starts from nothing.
struct Plain {
    backbone: Arc<dyn Backbone>,
    method: Box<dyn Method>,
}

impl Case for Plain {
    fn method(&mut self) -> &mut dyn Method {
        &mut *self.method
    }

    fn start(&mut self, _: &GoldenFile, _: usize, _: &Device) -> Result<()> {
        Ok(())
    }

    fn trained(&mut self) -> Result<Named> {
        Ok(Named::new())
    }

    fn gradients(&mut self, _: Tensor<4>, _: &[usize]) -> Result<Loss> {
        trains_nothing()
    }

    fn rate(&mut self, _: StepPosition) -> f64 {
        0.0
    }

    fn compare(&mut self, ledger: &mut Ledger<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        let features = self.backbone.features(test.clone(), &PetStack::empty())?;
        compare_feature(ledger, "test.feature", &features)?;
        compare_prototypes(ledger, task, &*self.method)
    }
}

impl Case for Aper {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, file: &GoldenFile, task: usize, device: &Device) -> Result<()> {
        match self.session().tuning() {
            Some(tuning) => start(tuning, file, task, device),
            None => Ok(()),
        }
    }

    fn trained(&mut self) -> Result<Named> {
        trained(self.session().tuning())
    }

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Loss> {
        gradients(self.session().tuning(), images, labels)
    }

    fn rate(&mut self, now: StepPosition) -> f64 {
        rate(self.session().tuning(), now)
    }

    fn compare(&mut self, ledger: &mut Ledger<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_feature(ledger, "test.feature", &feature(self, test)?)?;
        compare_prototypes(ledger, task, self)
    }
}

/// What the heads read of the test images.
fn feature(method: &dyn Method, test: &Tensor<4>) -> Result<Tensor<2>> {
    method.features(test.clone())?.of(Expert::ANSWER)
}

impl Case for RanPac {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, file: &GoldenFile, task: usize, device: &Device) -> Result<()> {
        if task == 0 {
            let stored = file.tensor("projection")?;
            let width = stored.shape.first().copied().unwrap_or(0);
            self.set_projection(Projection::of(stored.values.clone(), width))?;
        }
        match self.session().and_then(|session| session.tuning()) {
            Some(tuning) => start(tuning, file, task, device),
            None => Ok(()),
        }
    }

    fn trained(&mut self) -> Result<Named> {
        trained(self.session().and_then(|session| session.tuning()))
    }

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Loss> {
        let tuning = self.session().and_then(|session| session.tuning());
        gradients(tuning, images, labels)
    }

    fn rate(&mut self, now: StepPosition) -> f64 {
        rate(self.session().and_then(|session| session.tuning()), now)
    }

    fn compare(&mut self, ledger: &mut Ledger<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        compare_feature(ledger, "test.feature", &feature(self, test)?)?;
        let name = |what: &str| format!("task.{task}.{what}");
        let (Some(regression), Some(choice)) = (self.regression(), self.choice()) else {
            return Err(Problem::new("the regression was not solved"));
        };
        let (square, single) = (regression.square(), ledger.tolerance.single);
        let side = square.side();
        let entry = |at: usize| {
            let (row, column) = ((at / side).min(at % side), (at / side).max(at % side));
            square.upper_row(row)[column - row] as f32
        };
        let gram: Vec<f32> = (0..side * side).map(entry).collect();
        ledger.compare(&name("G"), &gram, single)?;
        // Classes to come have zeros in the file.
        let columns = ledger.file.tensor(&name("Q"))?.shape.last().copied();
        let columns = columns.unwrap_or(0);
        let sums = regression.sums();
        let sum_at = |at: usize| {
            sums.get(at % columns)
                .map_or(0.0, |sums| sums[at / columns] as f32)
        };
        let sums: Vec<f32> = (0..side * columns).map(sum_at).collect();
        ledger.compare(&name("Q"), &sums, single)?;
        let wanted = ledger.file.doubles(&name("ridge"))?.first().copied();
        let error = wanted.map_or(f64::INFINITY, |ridge| (choice.ridge / ridge - 1.0).abs());
        ledger.push(name("ridge"), error, error <= 1e-12);
        // The losses of the smallest λ depend on the last digits of f32 features.
        let losses = choice
            .losses
            .iter()
            .zip(ledger.file.doubles(&name("ridge_losses"))?);
        let errors = losses.skip(6).map(|(a, b)| (a / b - 1.0).abs());
        let error = errors.fold(0.0, f64::max);
        ledger.push(name("ridge_losses"), error, error <= 10.0 * single);
        let limit = 10.0 * ledger.tolerance.trajectory;
        ledger.compare(&name("weight"), &self.weight().values, limit)
    }
}

impl Case for Ease {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, file: &GoldenFile, task: usize, device: &Device) -> Result<()> {
        match self.tuning() {
            Some(tuning) => start(tuning, file, task, device),
            None => Ok(()),
        }
    }

    fn trained(&mut self) -> Result<Named> {
        trained(self.tuning())
    }

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Loss> {
        gradients(self.tuning(), images, labels)
    }

    fn rate(&mut self, now: StepPosition) -> f64 {
        rate(self.tuning(), now)
    }

    fn compare(&mut self, ledger: &mut Ledger<'_>, task: usize, test: &Tensor<4>) -> Result<()> {
        let name = format!("task.{task}.feature");
        compare_feature(ledger, &name, &feature(self, test)?)?;
        let completed = self.subspaces().completed(&test.device())?;
        let prototypes = HostTensor::read(&Tensor::cat(completed, 1))?;
        let limit = ledger.tolerance.trajectory;
        let name = format!("task.{task}.prototypes");
        ledger.compare(&name, &prototypes.values, limit)
    }
}

impl Case for Esn {
    fn method(&mut self) -> &mut dyn Method {
        self
    }

    fn start(&mut self, file: &GoldenFile, task: usize, device: &Device) -> Result<()> {
        if task == 0 {
            self.set_prompt(stored(file, "prompt", task)?.to_device(device)?);
        }
        let Some(newest) = self.stages().last() else {
            return trains_nothing();
        };
        let mut values = Named::new();
        let (mut width, mut classes) = (0, 0);
        for (name, own) in newest.parameters() {
            let value = stored(file, &format!("stage.{name}"), task)?;
            values.insert(format!("start.{name}"), value);
            match name {
                "token" => width = own.dims()[1],
                "classifier.bias" => classes = own.dims()[1],
                _ => {}
            }
        }
        let sizes = (file.number("stage_heads")?, width, classes);
        let stage = method::esn::stage::EsnStage::read("start", sizes, &values, device)?;
        self.set_stage(stage);
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

    fn gradients(&mut self, images: Tensor<4>, labels: &[usize]) -> Result<Loss> {
        Self::gradients(self, images, labels)
    }

    fn rate(&mut self, now: StepPosition) -> f64 {
        Self::rate(self, now)
    }

    fn compare(&mut self, ledger: &mut Ledger<'_>, task: usize, _: &Tensor<4>) -> Result<()> {
        let name = |what: &str| format!("task.{task}.{what}");
        ledger.compare_doubles(&name("temperatures"), &self.temperatures(), 0.0)?;
        match task {
            0 => Ok(()),
            _ => ledger.compare_doubles(&name("separation"), &self.separation().shares(), 1e-6),
        }
    }

    fn answers_by_score(&self) -> bool {
        false
    }
}
