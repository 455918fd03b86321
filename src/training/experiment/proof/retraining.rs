//! Trains a run again in a separate folder and compares the result with the run.

use std::path::Path;

use crate::counts::counted;
use crate::experiment::begin;
use crate::message;
use crate::method::filled;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, differences};
use crate::run::event::{Control, ControlRequest, Event, RunHeader, Sink, TaskReport};
use crate::store::{self, Provenance, StoredRun};
use crate::tensors::{HostTensor, Named};

use super::answers::compared;
use super::material::{ProofInputs, first};
use super::{Checker, Difference, Part, TENSOR};

/// Forwards events, and stops the run once it has saved as many tasks as there are to compare.
struct StopAfterTasks<'a> {
    sink: &'a mut dyn Sink,
    tasks: usize,
    /// The control of the run; a stop by the user is passed on to it.
    run: Control,
    user_control: &'a Control,
}

impl Sink for StopAfterTasks<'_> {
    fn event(&mut self, event: Event) {
        if let Event::TaskEvaluated { report, .. } = &event
            && report.task + 1 >= self.tasks
        {
            self.run.set(ControlRequest::Stop);
        }
        self.sink.event(event);
    }

    fn between_batches(&mut self) {
        if self.user_control.request() == ControlRequest::Stop {
            self.run.set(ControlRequest::Stop);
        }
        self.sink.between_batches();
    }
}

/// Trains a run again and reports where the result first differs.
pub(super) fn train(
    checker: &mut Checker<'_>,
    stored: &StoredRun,
    made_of: &Provenance,
    material: &ProofInputs,
    rounds: bool,
) -> Result<()> {
    let mut header = stored.header.clone();
    while !header.added_tasks.is_empty() {
        header.unlearn();
    }
    if !stored.header.added_tasks.is_empty() {
        let what = "added tasks: they are not retrained";
        checker.report.unchecked.push(what.into());
    }
    let saved = stored.reports.len().min(header.tasks.len());
    let work = tempfile::tempdir().map_err(|error| {
        Problem::io("create a folder to train in", std::env::temp_dir(), &error)
    })?;
    let run = Control::default();
    let outcome = {
        let until = &mut StopAfterTasks {
            sink: &mut *checker.sink,
            tasks: saved,
            run: run.clone(),
            user_control: checker.control,
        };
        let once = (&header, stored.plugin.as_str());
        begin(
            &material.config,
            Some(once),
            work.path(),
            checker.cache,
            until,
            &run,
        )?
    };
    let stopped = || Problem::new(message!("problem-check-stopped"));
    let again = outcome.header().ok_or_else(stopped)?.folder.clone();
    let again = store::load(&again)?;
    if again.reports.len() < saved {
        return Err(stopped());
    }
    let both = RetrainedPair {
        then: stored,
        header: &header,
        now: &again,
        rounds,
    };
    let before = checker.report.differences.len();
    both.beginnings(checker, made_of)?;
    for task in 0..saved {
        both.task(checker, task)?;
    }
    if checker.report.differences.len() == before {
        let tasks = counted(saved, "task");
        let what = format!("snapshots, answers and metrics of {tasks}, retrained");
        checker.report.equal.push(what);
    }
    Ok(())
}

/// A run and its retrained copy.
struct RetrainedPair<'a> {
    then: &'a StoredRun,
    /// The header of the original run, without its added tasks.
    header: &'a RunHeader,
    now: &'a StoredRun,
    /// Whether rounding may differ between the two.
    rounds: bool,
}

impl RetrainedPair<'_> {
    /// Compares what is known before the first task: settings, images and number of trained parameters.
    fn beginnings(&self, checker: &mut Checker<'_>, made_of: &Provenance) -> Result<()> {
        let (then, now) = (self.header, &self.now.header);
        if let Some(told) = other_setting(&then.config, &now.config) {
            checker.differs(Difference::new(Part::Setting, None, told));
        }
        let counts = [
            (
                "training images of the tasks",
                &then.train_images,
                &now.train_images,
            ),
            (
                "test images of the tasks",
                &then.test_images,
                &now.test_images,
            ),
        ];
        for (what, then, now) in counts {
            let same = now.get(..then.len()) == Some(then.as_slice());
            if !same {
                let told = format!("the {what} are {now:?}, not {then:?}");
                checker.differs(Difference::new(Part::Picture, None, told));
            }
        }
        let read = |folder: &Path| store::image_prints(folder).ok().flatten();
        let prints = read(checker.folder).zip(read(&now.folder));
        let known = checker.report.differences.iter();
        let told_before = known.clone().any(|one| one.part == Part::Picture);
        if let Some((then, now)) = prints
            && !told_before
            && let Some(difference) = first(&then, &now, &|_, _| None)
        {
            checker.differs(difference);
        }
        let trained = (then.trained_parameters, now.trained_parameters);
        if trained.0 != trained.1 {
            let told = format!(
                "there are {} trainable parameters, not {}",
                trained.1, trained.0
            );
            let part = match made_of.plugin_sha256.is_some() {
                true => Part::Setting,
                false => Part::Plugin,
            };
            checker.differs(Difference::new(part, None, told));
        }
        Ok(())
    }

    /// Compares what both runs saved after a task: snapshot, predictions and metrics.
    fn task(&self, checker: &mut Checker<'_>, task: usize) -> Result<()> {
        let number = task + 1;
        match store::load_snapshot(checker.folder, task) {
            Err(problem) => {
                checker.differs(Difference::new(Part::Snapshot, Some(task), problem.what));
            }
            Ok(then) => {
                let now = store::load_snapshot(&self.now.header.folder, task)?;
                if let Some((told, count, worst)) = other_tensor(&then, &now) {
                    let told = format!("retrained, after task {number}: {told}");
                    let mut one = Difference::new(Part::Snapshot, Some(task), told).first_of(count);
                    one.rounding = self.rounds && worst <= TENSOR;
                    if one.rounding {
                        let measure = format!(
                            "retrained, after task {number}: tensors differ by at most {worst:.1e} of their norm"
                        );
                        checker.report.rounding.push(measure);
                    }
                    checker.differs(one);
                }
            }
        }
        let reports = [self.then, self.now].map(|run| &run.reports[task]);
        self.answers(checker, task, reports);
        if let Some((told, distance)) = other_figure(reports) {
            let told = format!("retrained, after task {number}: {told}");
            let mut one = Difference::new(Part::Figure, Some(task), told.clone());
            one.rounding = self.rounds && distance <= TENSOR;
            if one.rounding {
                checker.report.rounding.push(told);
            }
            checker.differs(one);
        }
        Ok(())
    }

    fn answers(&self, checker: &mut Checker<'_>, task: usize, [then, now]: [&TaskReport; 2]) {
        let number = task + 1;
        if then.answers.samples != now.answers.samples || then.answers.labels != now.answers.labels
        {
            let told =
                format!("retrained, different images or labels are tested after task {number}");
            checker.differs(Difference::new(Part::Answer, Some(task), told));
            return;
        }
        let rows: Vec<usize> = (0..then.answers.labels.len()).collect();
        let others = compared(&then.answers, &rows, &now.answers, &self.header.class_order);
        let Some((at, told)) = &others.first else {
            return;
        };
        let picture = then.answers.samples[*at];
        let told = format!("retrained, after task {number}, test image {picture}, {told}");
        let mut one = Difference::new(Part::Answer, Some(task), told).first_of(others.count);
        one.rounding = self.rounds && others.is_rounding();
        if one.rounding {
            let measure = format!("retrained, after task {number}: {}", others.measure());
            checker.report.rounding.push(measure);
        }
        checker.differs(one);
    }
}

/// Returns the first setting that differs, apart from paths and devices.
fn other_setting(then: &RunConfig, now: &RunConfig) -> Option<String> {
    let mut now = now.clone().anywhere();
    let then = then.clone().anywhere();
    now.data.clone_from(&then.data);
    now.backbone.clone_from(&then.backbone);
    // A run that is trained again stores the method's defaults explicitly.
    let then = filled(&then);
    let (key, values) = differences(&[&then, &now]).into_iter().next()?;
    let [then, now] = values.as_slice() else {
        return None;
    };
    Some(format!("{key} is {now}, not {then}"))
}

/// Compares tensors bit by bit. Returns a description of the first difference, the number of different tensors, and
/// the largest distance relative to the norm of a tensor; `None` if all are equal.
fn other_tensor(then: &Named, now: &Named) -> Option<(String, usize, f64)> {
    let (mut told, mut count, mut worst) = (None, 0, 0f64);
    for (name, tensor) in then {
        let (what, distance) = match now.get(name) {
            None => (format!("the tensor {name} is missing"), f64::INFINITY),
            Some(found) => match other_number(tensor, found) {
                None => continue,
                Some((what, distance)) => (format!("the tensor {name} {what}"), distance),
            },
        };
        count += 1;
        worst = worst.max(distance);
        told.get_or_insert(what);
    }
    if let Some(name) = now.keys().find(|name| !then.contains_key(*name)) {
        count += 1;
        worst = f64::INFINITY;
        told.get_or_insert_with(|| format!("the tensor {name} does not exist in the run"));
    }
    told.map(|told| (told, count, worst))
}

/// Returns the first value in which two tensors differ, and the distance of the tensors relative to the norm of the
/// first.
fn other_number(then: &HostTensor, now: &HostTensor) -> Option<(String, f64)> {
    if then.shape != now.shape {
        let told = format!("has the shape {:?}, not {:?}", now.shape, then.shape);
        return Some((told, f64::INFINITY));
    }
    let pairs = then.values.iter().zip(&now.values);
    let at = pairs
        .clone()
        .position(|(a, b)| a.to_bits() != b.to_bits())?;
    let square = |value: f64| value * value;
    let apart: f64 = pairs
        .map(|(a, b)| square(f64::from(*a) - f64::from(*b)))
        .sum();
    let length: f64 = then.values.iter().map(|a| square(f64::from(*a))).sum();
    let distance = match length > 0.0 {
        true => (apart / length).sqrt(),
        false if apart == 0.0 => 0.0,
        false => f64::INFINITY,
    };
    let (then, now) = (then.values[at], now.values[at]);
    Some((format!("is {now} at index {at}, not {then}"), distance))
}

/// Returns the metric that differs most, and its relative difference. Counts never differ by rounding. Times and
/// memory are not compared.
fn other_figure([then, now]: [&TaskReport; 2]) -> Option<(String, f64)> {
    let mut others = Vec::new();
    let mut compare = |what: String, then: f64, now: f64, rounds: bool| {
        if then.to_bits() != now.to_bits() {
            let distance = match rounds && now.is_finite() {
                true => (now - then).abs() / then.abs().max(f64::MIN_POSITIVE),
                false => f64::INFINITY,
            };
            others.push((format!("{what} is {now}, not {then}"), distance));
        }
    };
    for (at, (then, now)) in then.losses.iter().zip(&now.losses).enumerate() {
        compare(format!("the loss of epoch {}", at + 1), *then, *now, true);
    }
    for (name, value) in &then.measurements {
        // A newer version may no longer measure it.
        if let Some(found) = now.measurements.get(name) {
            compare(name.clone(), *value, *found, true);
        }
    }
    let counts = |report: &TaskReport| [report.costs.images_seen, report.costs.stored_parameters];
    let names = [
        "the number of training images shown",
        "the number of stored parameters",
    ];
    for (what, (then, now)) in names.iter().zip(counts(then).into_iter().zip(counts(now))) {
        // Older versions did not count this.
        if then > 0 {
            compare((*what).into(), then as f64, now as f64, false);
        }
    }
    others
        .into_iter()
        .reduce(|worst, other| match other.1 > worst.1 {
            true => other,
            false => worst,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_is_compared_to_the_last_bit_and_its_distance_is_measured() {
        let of = |values: &[f32]| {
            let tensor = HostTensor::vector(values.to_vec());
            Named::from([("head.0.bias".to_string(), tensor)])
        };
        let then = of(&[3.0, 4.0]);
        assert_eq!(other_tensor(&then, &then), None);
        let (told, count, worst) = other_tensor(&then, &of(&[3.0, 4.5])).unwrap_or_default();
        assert_eq!(told, "the tensor head.0.bias is 4.5 at index 1, not 4");
        assert!(count == 1 && (worst - 0.1).abs() < 1e-9, "{worst}");
        let gone = other_tensor(&then, &Named::new()).unwrap_or_default();
        assert!(gone.0.contains("is missing") && gone.2.is_infinite());
        assert!(other_tensor(&then, &of(&[3.0])).is_some_and(|(told, ..)| told.contains("shape")));
    }
}
