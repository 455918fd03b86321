//! Recomputes a run's predictions from its snapshots.

use crate::data::Sample;
use crate::data::loader::inference_inputs;
use crate::experiment::footprint::test_batch_size;
use crate::experiment::predict::{Predictor, PredictorParts};
use crate::experiment::trainer::add_prediction;
use crate::message;
use crate::metrics::{Expert, Predictions, tasks_by_class};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::{self, StoredRun};
use crate::tensors::NamedTensors;

use super::inputs::VerificationInputs;
use super::{Checker, Difference, MAX_CHANGED_SHARE, Part, SCORE_TOLERANCE};

/// The differences between two lists of predictions.
#[derive(Default)]
pub(super) struct PredictionDifferences {
    /// The first different prediction: its index among the compared ones, and a description.
    pub first: Option<(usize, String)>,
    /// Number of predictions that differ in class or score.
    pub count: usize,
    /// Number of predictions that differ in class.
    pub different_classes: usize,
    /// Number of compared predictions.
    pub compared: usize,
    /// The largest difference of a score.
    pub max_difference: f32,
}

impl PredictionDifferences {
    /// Returns whether rounding explains the differences.
    pub fn is_rounding(&self) -> bool {
        self.max_difference <= SCORE_TOLERANCE
            && self.different_classes as f64 <= MAX_CHANGED_SHARE * self.compared as f64
    }

    /// Returns a description of the differences by rounding.
    pub fn describe_rounding(&self) -> String {
        format!(
            "{} of {} answers have a different class, scores differ by at most {:.1e}",
            self.different_classes, self.compared, self.max_difference
        )
    }
}

/// Compares stored predictions with recomputed ones; `rows` are the stored rows that were recomputed.
pub(super) fn compare_predictions(
    stored: &Predictions,
    rows: &[usize],
    recomputed: &Predictions,
    class_order: &[String],
) -> PredictionDifferences {
    let mut differences = PredictionDifferences::default();
    let class_name = |position: usize| class_order.get(position).map_or("?", String::as_str);
    for (at, &row) in rows.iter().enumerate() {
        for expert in stored.given.keys() {
            differences.compared += 1;
            let stored_prediction =
                (stored.for_expert(*expert).get(row), stored.certainty_at(*expert, row));
            let new_prediction =
                (recomputed.for_expert(*expert).get(at), recomputed.certainty_at(*expert, at));
            let score_difference = stored_prediction
                .1
                .zip(new_prediction.1)
                .map_or(0.0, |(before, after)| (before - after).abs());
            let same_class = stored_prediction.0 == new_prediction.0;
            if same_class && score_difference == 0.0 {
                continue;
            }
            differences.count += 1;
            differences.different_classes += usize::from(!same_class);
            if same_class {
                differences.max_difference = differences.max_difference.max(score_difference);
            }
            let format_prediction = |(class_index, score): (Option<&usize>, Option<f32>)| {
                let score = score.map_or_else(String::new, |score| format!(" at {score}"));
                format!("`{}`{score}", class_index.map_or("?", |index| class_name(*index)))
            };
            differences.first.get_or_insert_with(|| {
                let (expected, actual) =
                    (format_prediction(stored_prediction), format_prediction(new_prediction));
                (at, format!("{}: stored {expected}, found {actual}", expert_title(*expert)))
            });
        }
        let task_predictions = (stored.task_given.get(row), recomputed.task_given.get(at));
        if let (Some(expected), Some(actual)) = task_predictions
            && expected != actual
        {
            differences.count += 1;
            differences.different_classes += 1;
            let description = format!(
                "with its task known: stored `{}`, found `{}`",
                class_name(*expected),
                class_name(*actual)
            );
            differences.first.get_or_insert((at, description));
        }
    }
    differences
}

fn expert_title(expert: Expert) -> &'static str {
    match expert {
        Expert::ANSWER => "the answer",
        other => other.key(),
    }
}

/// Predicts test images with the stored snapshots and compares the predictions with the stored ones.
pub(super) fn recompute_predictions(
    checker: &mut Checker<'_>,
    stored_run: &StoredRun,
    inputs: &VerificationInputs,
    allow_rounding: bool,
) -> Result<()> {
    if inputs.scenario.is_none() {
        let what = "the answers: they cannot be recomputed with different classes";
        checker.report.unchecked.push(what.into());
        return Ok(());
    }
    let added_images = load_added_images(&stored_run.header);
    let (mut same, mut missing) = (0, 0);
    for task in 0..stored_run.reports.len() {
        checker.report_progress(message!("doing-predicting", task = task + 1));
        let rows =
            sample_rows(stored_run.reports[task].answers.labels.len(), checker.request.limit);
        let images = available_images(stored_run, task, &rows, (inputs, &added_images));
        missing += rows.len() - images.len();
        if images.is_empty() {
            continue;
        }
        let snapshot = match store::load_snapshot(checker.folder, task) {
            Ok(snapshot) => snapshot,
            Err(problem) => {
                checker.add_difference(Difference::new(Part::Snapshot, Some(task), problem.what));
                continue;
            }
        };
        let predictor = match build_predictor(checker, stored_run, (task, snapshot), inputs) {
            Ok(predictor) => predictor,
            // A method may not store enough to predict.
            Err(problem) => {
                let what = format!("the answers after task {}: {}", task + 1, problem.what);
                checker.report.unchecked.push(what);
                continue;
            }
        };
        let (readable, recomputed) =
            predict_images(checker, &predictor, stored_run, task, &images)?;
        missing += images.len() - readable.len();
        let differences = report_difference(
            checker,
            stored_run,
            task,
            (readable.as_slice(), &recomputed),
            allow_rounding,
        );
        same += differences.compared - differences.count.min(differences.compared);
    }
    if same > 0 {
        let what = format!("{same} answers, recomputed from the snapshots");
        checker.report.equal.push(what);
    }
    if missing > 0 {
        let what =
            format!("{missing} answers to missing images (those of added tasks are not packed)");
        checker.report.unchecked.push(what);
    }
    Ok(())
}

/// Compares the recomputed predictions after a task with the stored ones, and reports the first difference.
fn report_difference(
    checker: &mut Checker<'_>,
    stored_run: &StoredRun,
    task: usize,
    (readable, recomputed): (&[(usize, Sample)], &Predictions),
    allow_rounding: bool,
) -> PredictionDifferences {
    let answers = &stored_run.reports[task].answers;
    let rows: Vec<usize> = readable.iter().map(|(row, _)| *row).collect();
    let differences =
        compare_predictions(answers, &rows, recomputed, &stored_run.header.class_order);
    let Some((at, description)) = &differences.first else {
        return differences;
    };
    let (row, sample) = &readable[*at];
    let (number, name) = (answers.samples[*row], sample.name());
    let after = format!("after task {}", task + 1);
    let description = format!("{after}, test image {number} ({name}), {description}");
    let difference =
        Difference::new(Part::Answer, Some(task), description).with_count(differences.count);
    let is_rounding = allow_rounding && differences.is_rounding();
    let size = format!("{after}: {}", differences.describe_rounding());
    checker.add_difference_or_rounding(difference, is_rounding, size);
    differences
}

/// Returns the rows to recompute: all of them, or `limit` evenly spaced ones.
fn sample_rows(total: usize, limit: Option<usize>) -> Vec<usize> {
    let count = limit.unwrap_or(total).min(total);
    (0..count).map(|at| at * total / count).collect()
}

/// Returns the test images of each added task; `None` for a task whose images are missing or have changed.
fn load_added_images(header: &RunHeader) -> Vec<Option<Vec<Sample>>> {
    let added_tasks = header.added_tasks.iter().zip(header.original_task_count()..);
    let images = added_tasks.map(|(added_task, task)| {
        let (run, depth) = (&header.folder, header.config.bit_depth);
        let images = store::added_task_images(run, task, added_task, depth).ok()?;
        images.check_test_images().ok().map(|()| images.test())
    });
    images.collect()
}

/// Returns the available images of these predictions, each with its row; `added_images` are those of the added tasks.
fn available_images(
    stored_run: &StoredRun,
    task: usize,
    rows: &[usize],
    (inputs, added_images): (&VerificationInputs, &[Option<Vec<Sample>>]),
) -> Vec<(usize, Sample)> {
    let answers = &stored_run.reports[task].answers;
    let sample = |row: &usize| {
        let index = answers.samples[*row];
        let sample = match answers.source(*row) {
            0 => {
                let sample = inputs.data.test.get(index)?;
                let label = inputs.scenario.as_ref()?.class_label(sample.class as usize);
                (label == answers.labels[*row]).then_some(sample)?
            }
            source => added_images.get(source - 1)?.as_ref()?.get(index)?,
        };
        Some((*row, sample.clone()))
    };
    rows.iter().filter_map(sample).collect()
}

/// Returns the header of the run as it was after a task.
fn header_after_task(header: &RunHeader, task: usize) -> RunHeader {
    let mut earlier = header.clone();
    while earlier.tasks.len() > task + 1 && !earlier.added_tasks.is_empty() {
        earlier.remove_last_added_task();
    }
    earlier
}

/// Builds the predictor of the snapshot after a task.
fn build_predictor(
    checker: &Checker<'_>,
    stored_run: &StoredRun,
    snapshot: (usize, NamedTensors),
    inputs: &VerificationInputs,
) -> Result<Predictor> {
    let mut header = header_after_task(&stored_run.header, snapshot.0);
    header.config.backbone.clone_from(&inputs.config.backbone);
    let device = Some(inputs.config.device.as_str());
    let facts = (header, stored_run.plugin.clone());
    PredictorParts::new(facts, snapshot, device, checker.cache, false)?.assemble(checker.cache)
}

/// Predicts the images after a task. Returns those that could be read, with their rows, and their predictions.
fn predict_images(
    checker: &Checker<'_>,
    predictor: &Predictor,
    stored_run: &StoredRun,
    task: usize,
    images: &[(usize, Sample)],
) -> Result<(Vec<(usize, Sample)>, Predictions)> {
    let header = predictor.header();
    let (repeated_classes, task_of) = (header.repeated_classes(), tasks_by_class(&header.tasks));
    let labels = &stored_run.reports[task].answers.labels;
    let (mut readable, mut answers) = (Vec::new(), Predictions::default());
    let backbone = predictor.backbone();
    // The same batches as in the run, because a GPU may round others differently.
    let batch_size = test_batch_size(&header.config, backbone.input.size, backbone.is_on_gpu());
    for chunk in images.chunks(batch_size) {
        if !checker.is_running() {
            return Err(Problem::new(message!("problem-check-stopped")));
        }
        let samples: Vec<Sample> = chunk.iter().map(|(_, sample)| sample.clone()).collect();
        let inputs = inference_inputs(&samples, predictor.input()).into_iter().zip(chunk);
        let readable_inputs =
            inputs.filter_map(|(input, image)| Some((input.ok()?, image.clone())));
        let (inputs, batch): (Vec<Vec<u8>>, Vec<(usize, Sample)>) = readable_inputs.unzip();
        if batch.is_empty() {
            continue;
        }
        let verdicts = predictor.predict_batch(&inputs.concat())?;
        for ((row, _), verdict) in batch.iter().zip(&verdicts) {
            let layout = (&*header.tasks, &*task_of, &*repeated_classes);
            add_prediction(&mut answers, labels[*row], verdict, layout);
        }
        readable.extend(batch);
    }
    Ok((readable, answers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_rows_evenly_without_repeats() {
        assert_eq!(sample_rows(4, None), [0, 1, 2, 3]);
        assert_eq!(sample_rows(10, Some(4)), [0, 2, 5, 7]);
        assert_eq!(sample_rows(2, Some(9)), [0, 1]);
        assert!(sample_rows(0, Some(3)).is_empty() && sample_rows(3, Some(0)).is_empty());
    }

    #[test]
    fn first_difference_is_described_and_rounding_is_measured() {
        let answers = |predictions: &[usize], scores: &[f32]| Predictions {
            labels: vec![0; predictions.len()],
            given: [(Expert::ANSWER, predictions.to_vec())].into(),
            certainty: [(Expert::ANSWER, scores.to_vec())].into(),
            ..Predictions::default()
        };
        let names = ["robin".to_string(), "tit".into()];
        let stored = answers(&[0, 1, 1], &[0.5, 0.75, 0.5]);
        let same = compare_predictions(&stored, &[0, 2], &answers(&[0, 1], &[0.5, 0.5]), &names);
        assert!(same.first.is_none() && same.compared == 2);
        let near = compare_predictions(
            &stored,
            &[0, 1, 2],
            &answers(&[0, 1, 1], &[0.5, 0.7501, 0.5]),
            &names,
        );
        assert!(near.is_rounding() && near.count == 1, "{}", near.describe_rounding());
        let (at, description) = near.first.unwrap_or_default();
        assert_eq!(at, 1);
        assert_eq!(description, "the answer: stored `tit` at 0.75, found `tit` at 0.7501");
        let far = compare_predictions(
            &stored,
            &[0, 1, 2],
            &answers(&[1, 1, 1], &[0.5, 0.75, 0.5]),
            &names,
        );
        assert!(!far.is_rounding() && far.different_classes == 1);
    }
}
