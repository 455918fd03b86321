//! Golden files of Seq-FT and Joint-FT: all weights of a toy backbone and the heads of its tasks,
//! trained for some steps by the code that trains runs.

use super::file::{GoldenFile, architecture_of, backbone_of, in_memory, ours_of, theirs_of};
use super::ledger::Ledger;
use super::{GoldenReport, Tolerance};
use crate::backbone::architecture::Architecture;
use crate::backbone::weights::Tensors;
use crate::method::finetune::{FineTune, FineTuneSettings};
use crate::method::heads::Head;
use crate::method::optimiser::{Gradients, OptimiserSettings, Rule, Schedule, StepPosition};
use crate::method::{Method, StepSettings};
use crate::nn::Place;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named};

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
    let classes = file.classes("classes", 1)?;
    let mut first = 0;
    for (task, classes) in classes.into_iter().enumerate() {
        run.task(task, first)?;
        first += classes;
    }
    Ok(run.ledger.report())
}

struct Run<'a> {
    file: &'a GoldenFile,
    architecture: Architecture,
    place: &'a Place,
    method: FineTune,
    ledger: Ledger<'a>,
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
            step: StepSettings::default(),
            optimiser,
            seed: 0,
            without_weights: 0,
            all_at_once: false,
        };
        Ok(Self {
            file,
            architecture: architecture_of(file)?,
            place,
            method: FineTune::new(backbone_of(file, place)?, settings)?,
            ledger: Ledger::new(file, tolerance),
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
            let images =
                self.file
                    .images(&format!("task.{task}.input"), step, &self.place.device)?;
            let labels = self
                .file
                .batch_labels(&format!("task.{task}.target"), step, first)?;
            let (loss, gradients) = self.method.gradients(images, &labels)?;
            losses.extend(HostTensor::read(&loss)?.values);
            if let Some(norm) = gradients.norm() {
                norms.extend(HostTensor::read(&norm)?.values);
            }
            rates.push(self.method.rate(now));
            if step == 0 {
                let wanted = self.stored(&format!("task.{task}.grad."))?;
                let got = by_their_names(&gradients, &wanted, task)?;
                self.ledger.compare_gradients(task, &got, &wanted);
            }
            self.method.update(gradients, now);
        }
        let single = self.ledger.tolerance.single;
        let name = |what: &str| format!("task.{task}.{what}");
        self.ledger.compare(&name("loss"), &losses, single)?;
        self.ledger.compare(&name("grad_norm"), &norms, single)?;
        self.ledger.compare_doubles(&name("lr"), &rates, 1e-12)?;
        let (after, wanted_after) = (self.state()?, self.stored(&name("after."))?);
        let wanted = [&wanted_before, &wanted_after];
        self.ledger.compare_state(task, [&before, &after], wanted)?;
        let test = self.file.tensor("test.input")?;
        let answers = self.method.predict(test.to_device(&self.place.device)?)?;
        self.ledger.compare_answers(task, &answers, true)
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

    fn progress(&self, step: usize, steps: usize) -> Result<StepPosition> {
        let each = match self.file.text("steps_per_epoch") {
            Ok(_) => self.file.number::<usize>("steps_per_epoch")?.max(1),
            Err(_) => steps,
        };
        Ok(StepPosition {
            step,
            steps,
            epoch: step / each,
            epochs: steps / each,
        })
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
        let backbone = (self.architecture.family().renamed)(backbone)?;
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
}

/// Gradients by the file's names and in its orientation: heads are out × in there.
fn by_their_names(gradients: &Gradients, wanted: &Named, task: usize) -> Result<Named> {
    let classes = wanted.get(&format!("head.{task}.bias"));
    let classes = classes.map_or(1, |bias| bias.values.len().max(1));
    let each = gradients.iter().map(|(name, gradient)| {
        let values = HostTensor::read(gradient)?.values;
        let Some(part) = name.strip_prefix("head.") else {
            let shape = vec![values.len()];
            return Ok((name.to_string(), HostTensor { shape, values }));
        };
        let ours = HostTensor {
            shape: vec![values.len() / classes, classes],
            values,
        };
        Ok((format!("head.{task}.{part}"), theirs_of(&ours, true)))
    });
    each.collect()
}
