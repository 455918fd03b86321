//! Trains a run again in a separate folder and compares the result with the run.

use std::path::Path;

use crate::counts::count_with_noun;
use crate::experiment::start_run;
use crate::message;
use crate::method::with_explicit_settings;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, differences};
use crate::run::event::{Control, ControlRequest, Event, RunHeader, Sink, TaskReport};
use crate::store::{self, Provenance, StoredRun};
use crate::tensors::{HostTensor, NamedTensors};

use super::answers::compare_predictions;
use super::inputs::{VerificationInputs, first_different_print};
use super::{Checker, Difference, Part, TENSOR_TOLERANCE};

/// Forwards events, and stops the run once it has saved as many tasks as there are to compare.
struct StopAfterTasks<'a> {
    sink: &'a mut dyn Sink,
    tasks: usize,
    /// The control of the run; a stop by the user is passed on to it.
    run_control: Control,
    user_control: &'a Control,
}

impl Sink for StopAfterTasks<'_> {
    fn event(&mut self, event: Event) {
        if let Event::TaskEvaluated { report, .. } = &event
            && report.task + 1 >= self.tasks
        {
            self.run_control.set(ControlRequest::Stop);
        }
        self.sink.event(event);
    }

    fn between_batches(&mut self) {
        if !self.user_control.should_continue() {
            self.run_control.set(ControlRequest::Stop);
        }
        self.sink.between_batches();
    }
}

/// Trains a run again and reports where the result first differs.
pub(super) fn retrain(
    checker: &mut Checker<'_>,
    stored_run: &StoredRun,
    provenance: &Provenance,
    inputs: &VerificationInputs,
    allow_rounding: bool,
) -> Result<()> {
    let mut header = stored_run.header.clone();
    while !header.added_tasks.is_empty() {
        header.remove_last_added_task();
    }
    if !stored_run.header.added_tasks.is_empty() {
        let what = "added tasks: they are not retrained";
        checker.report.unchecked.push(what.into());
    }
    let saved = stored_run.reports.len().min(header.tasks.len());
    let work = tempfile::tempdir().map_err(|error| {
        Problem::io("create a folder to train in", std::env::temp_dir(), &error)
    })?;
    let run = Control::default();
    let outcome = {
        let stop_sink = &mut StopAfterTasks {
            sink: &mut *checker.sink,
            tasks: saved,
            run_control: run.clone(),
            user_control: checker.control,
        };
        let original_run = (&header, stored_run.plugin.as_str());
        start_run(&inputs.config, Some(original_run), work.path(), checker.cache, stop_sink, &run)?
    };
    let stopped = || Problem::new(message!("problem-check-stopped"));
    let retrained_folder = outcome.header().ok_or_else(stopped)?.folder.clone();
    let retrained = store::load_run(&retrained_folder)?;
    if retrained.reports.len() < saved {
        return Err(stopped());
    }
    let pair = RetrainedPair {
        original: stored_run,
        header: &header,
        retrained: &retrained,
        allow_rounding,
    };
    let before = checker.report.differences.len();
    pair.compare_start(checker, provenance)?;
    for task in 0..saved {
        pair.compare_task(checker, task)?;
    }
    if checker.report.differences.len() == before {
        let tasks = count_with_noun(saved, "task");
        let what = format!("snapshots, answers and metrics of {tasks}, retrained");
        checker.report.equal.push(what);
    }
    Ok(())
}

/// A run and its retrained copy.
struct RetrainedPair<'a> {
    original: &'a StoredRun,
    /// The header of the original run, without its added tasks.
    header: &'a RunHeader,
    retrained: &'a StoredRun,
    /// Whether rounding may differ between the two.
    allow_rounding: bool,
}

impl RetrainedPair<'_> {
    /// Compares what is known before the first task: settings, images and number of trained parameters.
    fn compare_start(&self, checker: &mut Checker<'_>, provenance: &Provenance) -> Result<()> {
        let (original, retrained) = (self.header, &self.retrained.header);
        if let Some(description) = first_different_setting(&original.config, &retrained.config) {
            checker.add_difference(Difference::new(Part::Setting, None, description));
        }
        let counts = [
            ("training images of the tasks", &original.train_images, &retrained.train_images),
            ("test images of the tasks", &original.test_images, &retrained.test_images),
        ];
        for (what, expected, actual) in counts {
            let same = actual.get(..expected.len()) == Some(expected.as_slice());
            if !same {
                let description = format!("the {what} are {actual:?}, not {expected:?}");
                checker.add_difference(Difference::new(Part::Picture, None, description));
            }
        }
        let read = |folder: &Path| store::load_image_prints(folder).ok().flatten();
        let prints = read(checker.folder).zip(read(&retrained.folder));
        let reported = checker.report.differences.iter();
        let has_image_difference =
            reported.clone().any(|difference| difference.part == Part::Picture);
        if let Some((old_prints, new_prints)) = prints
            && !has_image_difference
            && let Some(difference) = first_different_print(&old_prints, &new_prints, &|_, _| None)
        {
            checker.add_difference(difference);
        }
        let trained = (original.trained_parameters, retrained.trained_parameters);
        if trained.0 != trained.1 {
            let description =
                format!("there are {} trainable parameters, not {}", trained.1, trained.0);
            let part = match provenance.plugin_sha256.is_some() {
                true => Part::Setting,
                false => Part::Plugin,
            };
            checker.add_difference(Difference::new(part, None, description));
        }
        Ok(())
    }

    /// Compares what both runs saved after a task: snapshot, predictions and metrics.
    fn compare_task(&self, checker: &mut Checker<'_>, task: usize) -> Result<()> {
        let number = task + 1;
        match store::load_snapshot(checker.folder, task) {
            Err(problem) => {
                checker.add_difference(Difference::new(Part::Snapshot, Some(task), problem.what));
            }
            Ok(original) => {
                let retrained = store::load_snapshot(&self.retrained.header.folder, task)?;
                if let Some((description, count, worst)) = compare_tensors(&original, &retrained) {
                    let description = format!("retrained, after task {number}: {description}");
                    let difference =
                        Difference::new(Part::Snapshot, Some(task), description).with_count(count);
                    let is_rounding = self.allow_rounding && worst <= TENSOR_TOLERANCE;
                    let size = format!(
                        "retrained, after task {number}: tensors differ by at most {worst:.1e} of their norm"
                    );
                    checker.add_difference_or_rounding(difference, is_rounding, size);
                }
            }
        }
        let reports = [self.original, self.retrained].map(|run| &run.reports[task]);
        self.compare_answers(checker, task, reports);
        if let Some((description, distance)) = max_metric_difference(reports) {
            let description = format!("retrained, after task {number}: {description}");
            let difference = Difference::new(Part::Figure, Some(task), description.clone());
            let is_rounding = self.allow_rounding && distance <= TENSOR_TOLERANCE;
            checker.add_difference_or_rounding(difference, is_rounding, description);
        }
        Ok(())
    }

    fn compare_answers(
        &self,
        checker: &mut Checker<'_>,
        task: usize,
        [original, retrained]: [&TaskReport; 2],
    ) {
        let number = task + 1;
        if original.answers.samples != retrained.answers.samples
            || original.answers.labels != retrained.answers.labels
        {
            let description =
                format!("retrained, different images or labels are tested after task {number}");
            checker.add_difference(Difference::new(Part::Answer, Some(task), description));
            return;
        }
        let rows: Vec<usize> = (0..original.answers.labels.len()).collect();
        let answer_differences = compare_predictions(
            &original.answers,
            &rows,
            &retrained.answers,
            &self.header.class_order,
        );
        let Some((at, description)) = &answer_differences.first else {
            return;
        };
        let image = original.answers.samples[*at];
        let description =
            format!("retrained, after task {number}, test image {image}, {description}");
        let difference = Difference::new(Part::Answer, Some(task), description)
            .with_count(answer_differences.count);
        let is_rounding = self.allow_rounding && answer_differences.is_rounding();
        let size =
            format!("retrained, after task {number}: {}", answer_differences.describe_rounding());
        checker.add_difference_or_rounding(difference, is_rounding, size);
    }
}

/// Returns the first setting that differs, apart from paths and devices.
fn first_different_setting(original: &RunConfig, retrained: &RunConfig) -> Option<String> {
    let mut retrained = retrained.clone().without_execution_settings();
    let original = original.clone().without_execution_settings();
    retrained.data.clone_from(&original.data);
    retrained.backbone.clone_from(&original.backbone);
    // A run that is trained again stores the method's defaults explicitly.
    let original = with_explicit_settings(&original);
    let (key, values) = differences(&[&original, &retrained]).into_iter().next()?;
    let [expected, actual] = values.as_slice() else {
        return None;
    };
    Some(format!("{key} is {actual}, not {expected}"))
}

/// Compares tensors bit by bit. Returns a description of the first difference, the number of different tensors, and
/// the largest distance relative to the norm of a tensor; `None` if all are equal.
fn compare_tensors(
    original: &NamedTensors,
    retrained: &NamedTensors,
) -> Option<(String, usize, f64)> {
    let (mut description, mut count, mut worst) = (None, 0, 0f64);
    for (name, tensor) in original {
        let (what, distance) = match retrained.get(name) {
            None => (format!("the tensor {name} is missing"), f64::INFINITY),
            Some(found) => match compare_values(tensor, found) {
                None => continue,
                Some((what, distance)) => (format!("the tensor {name} {what}"), distance),
            },
        };
        count += 1;
        worst = worst.max(distance);
        description.get_or_insert(what);
    }
    if let Some(name) = retrained.keys().find(|name| !original.contains_key(*name)) {
        count += 1;
        worst = f64::INFINITY;
        description.get_or_insert_with(|| format!("the tensor {name} does not exist in the run"));
    }
    description.map(|description| (description, count, worst))
}

/// Returns the first value in which two tensors differ, and the distance of the tensors relative to the norm of the
/// first.
fn compare_values(original: &HostTensor, retrained: &HostTensor) -> Option<(String, f64)> {
    if original.shape != retrained.shape {
        let description = format!("has the shape {:?}, not {:?}", retrained.shape, original.shape);
        return Some((description, f64::INFINITY));
    }
    let pairs = original.values.iter().zip(&retrained.values);
    let at = pairs.clone().position(|(a, b)| a.to_bits() != b.to_bits())?;
    let square = |value: f64| value * value;
    let squared_distance: f64 = pairs.map(|(a, b)| square(f64::from(*a) - f64::from(*b))).sum();
    let squared_norm: f64 = original.values.iter().map(|a| square(f64::from(*a))).sum();
    let distance = match squared_norm > 0.0 {
        true => (squared_distance / squared_norm).sqrt(),
        false if squared_distance == 0.0 => 0.0,
        false => f64::INFINITY,
    };
    let (expected, actual) = (original.values[at], retrained.values[at]);
    Some((format!("is {actual} at index {at}, not {expected}"), distance))
}

/// Returns the metric that differs most, and its relative difference. Counts never differ by rounding. Times and
/// memory are not compared.
fn max_metric_difference([original, retrained]: [&TaskReport; 2]) -> Option<(String, f64)> {
    let mut metric_differences = Vec::new();
    let mut compare = |what: String, expected: f64, actual: f64, allow_rounding: bool| {
        if expected.to_bits() != actual.to_bits() {
            let distance = match allow_rounding && actual.is_finite() {
                true => (actual - expected).abs() / expected.abs().max(f64::MIN_POSITIVE),
                false => f64::INFINITY,
            };
            metric_differences.push((format!("{what} is {actual}, not {expected}"), distance));
        }
    };
    for (at, (expected, actual)) in original.losses.iter().zip(&retrained.losses).enumerate() {
        compare(format!("the loss of epoch {}", at + 1), *expected, *actual, true);
    }
    for (name, value) in &original.measurements {
        // A newer version may no longer measure it.
        if let Some(found) = retrained.measurements.get(name) {
            compare(name.clone(), *value, *found, true);
        }
    }
    let counts = |report: &TaskReport| [report.costs.images_seen, report.costs.stored_parameters];
    let names = ["the number of training images shown", "the number of stored parameters"];
    for (what, (expected, actual)) in
        names.iter().zip(counts(original).into_iter().zip(counts(retrained)))
    {
        // Older versions did not count this.
        if expected > 0 {
            compare((*what).into(), expected as f64, actual as f64, false);
        }
    }
    metric_differences.into_iter().reduce(|worst, other| match other.1 > worst.1 {
        true => other,
        false => worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_tensors_bit_exactly_and_measures_distance() {
        let tensors = |values: &[f32]| {
            let tensor = HostTensor::vector(values.to_vec());
            NamedTensors::from([("head.0.bias".to_string(), tensor)])
        };
        let original = tensors(&[3.0, 4.0]);
        assert_eq!(compare_tensors(&original, &original), None);
        let (description, count, worst) =
            compare_tensors(&original, &tensors(&[3.0, 4.5])).unwrap_or_default();
        assert_eq!(description, "the tensor head.0.bias is 4.5 at index 1, not 4");
        assert!(count == 1 && (worst - 0.1).abs() < 1e-9, "{worst}");
        let missing = compare_tensors(&original, &NamedTensors::new()).unwrap_or_default();
        assert!(missing.0.contains("is missing") && missing.2.is_infinite());
        assert!(
            compare_tensors(&original, &tensors(&[3.0]))
                .is_some_and(|(description, ..)| description.contains("shape"))
        );
    }
}
