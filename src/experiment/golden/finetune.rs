//! Golden files of Seq-FT and Joint-FT: all weights of a toy backbone and the heads of its tasks,
//! trained for some steps by the code that trains runs.
//!
//! Error of a tensor: max|a − b| / max|b|. For gradients the denominator is at least a thousandth
//! of the step's largest entry; which tensors have one at all says what is trained. The change of
//! a tensor over a task is compared too: a small one hides behind a large value.

use std::collections::{BTreeMap, BTreeSet};

use burn::tensor::{Tensor, TensorData};

use super::file::{GoldenFile, architecture_of, backbone_of, in_memory, ours_of, theirs_of};
use super::{Comparison, GoldenReport, Tolerance};
use crate::backbone::architecture::Architecture;
use crate::backbone::weights::Tensors;
use crate::method::finetune::{FineTune, FineTuneSettings};
use crate::method::heads::Head;
use crate::method::optimiser::{Gradients, OptimiserSettings, Progress, Rule, Schedule};
use crate::nn::Place;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named};

/// A change of less than this share of the tensor's size is not compared.
const STILL: f64 = 1e-5;
/// Answers must agree where the two best scores differ by more than this share of the largest.
const CLEAR: f64 = 2e-3;

/// Runs one file.
///
/// # Errors
/// A Problem when the file is not of this form.
pub(super) fn check(
    file: &GoldenFile,
    place: &Place,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let mut run = Run::new(file, place, tolerance)?;
    let classes: Vec<usize> = serde_json::from_value(file.json("classes")?)
        .map_err(|e| Problem::new(format!("the metadata's \"classes\" are no list: {e}")))?;
    let mut first = 0;
    for (task, classes) in classes.into_iter().enumerate() {
        run.task(task, first)?;
        first += classes;
    }
    Ok(GoldenReport {
        comparisons: run.comparisons,
    })
}

struct Run<'a> {
    file: &'a GoldenFile,
    architecture: Architecture,
    place: &'a Place,
    tolerance: Tolerance,
    method: FineTune,
    comparisons: Vec<Comparison>,
}

impl<'a> Run<'a> {
    fn new(file: &'a GoldenFile, place: &'a Place, tolerance: Tolerance) -> Result<Self> {
        let schedule = match file.text("schedule")? {
            "constant" => Schedule::Constant,
            "cosine" => Schedule::Cosine,
            "cosine_epoch" => Schedule::CosineEpoch,
            other => return Err(Problem::new(format!("no schedule {other} is known"))),
        };
        let clip: f64 = match file.text("clip_grad_norm") {
            Ok(_) => file.number("clip_grad_norm")?,
            Err(_) => 0.0,
        };
        let optimiser = OptimiserSettings {
            rule: Rule::Sgd {
                momentum: file.number("momentum")?,
                weight_decay: file.number("weight_decay")?,
            },
            learning_rate: file.number("lr")?,
            schedule,
            clip: (clip > 0.0).then_some(clip),
        };
        let settings = FineTuneSettings {
            optimiser,
            epochs: 1,
            seed: 0,
            without_weights: 0,
        };
        Ok(Self {
            file,
            architecture: architecture_of(file)?,
            place,
            tolerance,
            method: FineTune::new(backbone_of(file, place)?, settings)?,
            comparisons: Vec::new(),
        })
    }

    /// Trains a task whose classes begin with `first`, and compares.
    fn task(&mut self, task: usize, first: usize) -> Result<()> {
        self.method.begin(self.head(task)?);
        let (before, wanted_before) = (self.state()?, self.stored_before(task)?);
        let steps: usize = self.file.number("steps")?;
        let mut losses = Vec::new();
        let mut norms = Vec::new();
        let mut rates = Vec::new();
        for step in 0..steps {
            let now = self.progress(step, steps)?;
            let images = self.batch(&format!("task.{task}.input"), step)?;
            let labels = self.labels(&format!("task.{task}.target"), step, first)?;
            let (loss, gradients) = self.method.gradients(images, &labels)?;
            losses.extend(HostTensor::read(&loss)?.values);
            if let Some(norm) = gradients.norm() {
                norms.extend(HostTensor::read(&norm)?.values);
            }
            rates.push(self.method.rate(now));
            if step == 0 {
                self.compare_gradients(task, &gradients)?;
            }
            self.method.update(gradients, now);
        }
        let single = self.tolerance.single;
        self.compare(&format!("task.{task}.loss"), &losses, single)?;
        self.compare(&format!("task.{task}.grad_norm"), &norms, single)?;
        self.compare_rates(&format!("task.{task}.lr"), &rates)?;
        self.compare_state(task, &before, &wanted_before)?;
        self.compare_answers(task)
    }

    fn head(&self, task: usize) -> Result<Head> {
        let part = |name: &str, transposed: bool| {
            let stored = self.file.tensor(&format!("head.{task}.{name}"))?;
            ours_of(stored, transposed).to_device(&self.place.device)
        };
        Ok(Head {
            weight: part("weight", true)?,
            bias: part("bias", false)?,
        })
    }

    fn progress(&self, step: usize, steps: usize) -> Result<Progress> {
        let each = match self.file.text("steps_per_epoch") {
            Ok(_) => self.file.number::<usize>("steps_per_epoch")?.max(1),
            Err(_) => steps,
        };
        Ok(Progress {
            step,
            steps,
            epoch: step / each,
            epochs: steps / each,
        })
    }

    /// Part `index` of a tensor along its first axis.
    fn batch(&self, name: &str, index: usize) -> Result<Tensor<4>> {
        let all = self.file.tensor(name)?;
        let &[parts, batch, channels, rows, columns] = all.shape.as_slice() else {
            return Err(Problem::new(format!("{name} has shape {:?}", all.shape)));
        };
        let one = all.values.len() / parts.max(1);
        let values = all.values[index * one..(index + 1) * one].to_vec();
        let data = TensorData::new(values, [batch, channels, rows, columns]);
        Ok(Tensor::from_data(data, &self.place.device))
    }

    fn labels(&self, name: &str, index: usize, first: usize) -> Result<Vec<usize>> {
        let all = self.file.labels(name, first)?;
        let batch = self.file.tensor(name)?.shape.last().copied();
        let mut batches = all.chunks(batch.unwrap_or(1).max(1));
        let labels = batches.nth(index).map(<[usize]>::to_vec);
        labels.ok_or_else(|| Problem::new(format!("{name} holds too few batches")))
    }

    /// All that is trained or was, by the names of the files.
    fn state(&self) -> Result<Named> {
        let mut named = Named::new();
        self.method.weights().write("backbone", &mut named)?;
        for (task, head) in self.method.heads().0.iter().enumerate() {
            let weight = theirs_of(&HostTensor::read(&head.weight)?, true);
            named.insert(format!("head.{task}.weight"), weight);
            named.insert(format!("head.{task}.bias"), HostTensor::read(&head.bias)?);
        }
        Ok(named)
    }

    /// The file's tensors under a prefix, those of the backbone under today's names.
    fn stored(&self, prefix: &str) -> Result<Named> {
        let (mut heads, mut backbone) = (Named::new(), Tensors::new());
        for (name, tensor) in &self.file.tensors {
            let Some(name) = name.strip_prefix(prefix) else {
                continue;
            };
            if let Some(name) = name.strip_prefix("backbone.") {
                backbone.insert(name, in_memory(tensor));
            } else if name.starts_with("head.") {
                heads.insert(name.to_string(), tensor.clone());
            }
        }
        let backbone = self.architecture.renamed(backbone)?;
        for name in backbone.names() {
            let shape = backbone.shape(name).unwrap_or_default().to_vec();
            let values = backbone.read(name)?;
            heads.insert(format!("backbone.{name}"), HostTensor { shape, values });
        }
        Ok(heads)
    }

    /// What the file says the state is when a task begins.
    fn stored_before(&self, task: usize) -> Result<Named> {
        let start = self.stored("")?;
        let Some(earlier) = task.checked_sub(1) else {
            return Ok(start);
        };
        let mut state = self.stored(&format!("task.{earlier}.after."))?;
        let new = format!("head.{task}.");
        state.extend(start.into_iter().filter(|(name, _)| name.starts_with(&new)));
        Ok(state)
    }

    fn compare_gradients(&mut self, task: usize, gradients: &Gradients) -> Result<()> {
        let prefix = format!("task.{task}.grad.");
        let wanted = self.stored(&prefix)?;
        let mut found = BTreeMap::new();
        for (name, gradient) in gradients.iter() {
            let values = HostTensor::read(gradient)?.values;
            let name = match name.strip_prefix("head.") {
                Some(part) => format!("head.{task}.{part}"),
                None => name.to_string(),
            };
            found.insert(name, values);
        }
        let names = |ours: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
            ours.cloned().collect()
        };
        let (ours, theirs) = (names(&mut found.keys()), names(&mut wanted.keys()));
        let apart: Vec<&String> = ours.symmetric_difference(&theirs).collect();
        self.push(
            format!("{prefix}(names)"),
            apart.len() as f64,
            apart.is_empty(),
        );
        let all = wanted.values().map(|tensor| largest(&tensor.values));
        let least = 1e-3 * all.fold(0.0, f64::max);
        let classes = wanted
            .get(&format!("head.{task}.bias"))
            .map_or(1, |bias| bias.values.len());
        for (name, wanted) in &wanted {
            let Some(got) = found.get(name) else { continue };
            // Our heads are in × out.
            let shape = vec![got.len() / classes.max(1), classes];
            let got = if name.ends_with(".weight") && name.starts_with("head.") {
                let values = got.clone();
                theirs_of(&HostTensor { shape, values }, true).values
            } else {
                got.clone()
            };
            let size = largest(&wanted.values).max(least);
            let error = apart_by(&got, &wanted.values) / size;
            let ok = error <= self.tolerance.single;
            self.push(format!("{prefix}{name}"), error, ok);
        }
        Ok(())
    }

    /// Everything after the task, and how far it moved in it.
    fn compare_state(&mut self, task: usize, before: &Named, wanted_before: &Named) -> Result<()> {
        let prefix = format!("task.{task}.after.");
        let (after, wanted) = (self.state()?, self.stored(&prefix)?);
        for (name, wanted) in &wanted {
            let missing = || Problem::new(format!("the program has no tensor {name}"));
            let got = &after.get(name).ok_or_else(missing)?.values;
            let then = &before.get(name).ok_or_else(missing)?.values;
            let error =
                apart_by(got, &wanted.values) / largest(&wanted.values).max(f64::MIN_POSITIVE);
            let ok = error <= self.tolerance.trajectory;
            self.push(format!("{prefix}{name}"), error, ok);
            let wanted_then = &wanted_before.get(name).ok_or_else(missing)?.values;
            let moved = difference(got, then);
            let wanted_moved = difference(&wanted.values, wanted_then);
            let size = largest(&wanted_moved);
            let full = format!("{prefix}{name} (change)");
            if size == 0.0 {
                let error = largest(&moved);
                self.push(full, error, error == 0.0);
            } else if size >= STILL * largest(&wanted.values) {
                let error = apart_by(&moved, &wanted_moved) / size;
                self.push(full, error, error <= 20.0 * self.tolerance.trajectory);
            }
        }
        Ok(())
    }

    fn compare_answers(&mut self, task: usize) -> Result<()> {
        let images: Tensor<4> = self
            .file
            .tensor("test.input")?
            .to_device(&self.place.device)?;
        let logits = HostTensor::read(&self.method.logits(images)?)?;
        let limit = 2.0 * self.tolerance.trajectory;
        self.compare(&format!("task.{task}.logits"), &logits.values, limit)?;
        let name = format!("task.{task}.pred");
        let answers = &self.file.tensor(&name)?.values;
        let classes = logits.shape[1];
        let unclear = CLEAR * largest(&logits.values);
        let rows = logits.values.chunks_exact(classes).zip(answers);
        let wrong = rows.filter(|(row, answer)| {
            let mut order: Vec<usize> = (0..classes).collect();
            order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
            let gap =
                f64::from(row[order[0]]) - order.get(1).map_or(f64::MIN, |i| f64::from(row[*i]));
            gap > unclear && order[0] as f32 != **answer
        });
        let wrong = wrong.count();
        self.push(name, wrong as f64, wrong == 0);
        Ok(())
    }

    fn compare(&mut self, name: &str, got: &[f32], limit: f64) -> Result<()> {
        let wanted = &self.file.tensor(name)?.values;
        if wanted.len() != got.len() {
            let (wanted, got) = (wanted.len(), got.len());
            return Err(Problem::new(format!(
                "{name} holds {wanted} values, the program gives {got}"
            )));
        }
        let error = apart_by(got, wanted) / largest(wanted).max(f64::MIN_POSITIVE);
        self.push(name.to_string(), error, error <= limit);
        Ok(())
    }

    fn compare_rates(&mut self, name: &str, rates: &[f64]) -> Result<()> {
        let wanted = self.file.doubles(name)?;
        let apart = rates.iter().zip(wanted).map(|(a, b)| (a - b).abs());
        let error = apart.fold(0.0, f64::max);
        self.push(
            name.to_string(),
            error,
            error <= 1e-12 && rates.len() == wanted.len(),
        );
        Ok(())
    }

    fn push(&mut self, name: String, error: f64, ok: bool) {
        // What is no number passes no limit.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        self.comparisons.push(Comparison { name, error, ok });
    }
}

fn largest(values: &[f32]) -> f64 {
    values
        .iter()
        .fold(0.0, |most, v| f64::from(v.abs()).max(most))
}

/// max|a − b|; not a number as soon as one of them is.
fn apart_by(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs()));
    pairs.fold(0.0, |most, v| if v > most || v.is_nan() { v } else { most })
}

fn difference(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
