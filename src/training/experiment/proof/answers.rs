//! Recomputes a run's predictions from its snapshots.

use crate::data::Sample;
use crate::data::loader::inputs_of;
use crate::experiment::predict::{Parts, Predictor};
use crate::experiment::trainer::{JUDGE_BATCH, add_prediction};
use crate::message;
use crate::metrics::{Answers, Expert, tasks_of_classes};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::{self, StoredRun};
use crate::tensors::Named;

use super::material::ProofInputs;
use super::{CERTAINTY, Checker, Difference, OTHERS, Part};

/// The differences between two lists of predictions.
#[derive(Default)]
pub(super) struct Others {
    /// The first different prediction: its index among the compared ones, and a description.
    pub first: Option<(usize, String)>,
    /// Number of predictions that differ in class or score.
    pub count: usize,
    /// Number of predictions that differ in class.
    pub classes: usize,
    /// Number of compared predictions.
    pub of: usize,
    /// The largest difference of a score.
    pub worst: f32,
}

impl Others {
    /// Returns whether rounding explains the differences.
    pub fn is_rounding(&self) -> bool {
        self.worst <= CERTAINTY && self.classes as f64 <= OTHERS * self.of as f64
    }

    /// Returns a description of the differences by rounding.
    pub fn measure(&self) -> String {
        format!(
            "{} of {} answers have a different class, scores differ by at most {:.1e}",
            self.classes, self.of, self.worst
        )
    }
}

/// Compares stored predictions with recomputed ones; `rows` are the stored rows that were recomputed.
pub(super) fn compared(
    stored: &Answers,
    rows: &[usize],
    found: &Answers,
    class_order: &[String],
) -> Others {
    let mut others = Others::default();
    let class = |position: usize| class_order.get(position).map_or("?", String::as_str);
    for (at, &row) in rows.iter().enumerate() {
        for expert in stored.given.keys() {
            others.of += 1;
            let then = (
                stored.of(*expert).get(row),
                stored.certainty_at(*expert, row),
            );
            let now = (found.of(*expert).get(at), found.certainty_at(*expert, at));
            let moved = then
                .1
                .zip(now.1)
                .map_or(0.0, |(then, now)| (then - now).abs());
            let same_class = then.0 == now.0;
            if same_class && moved == 0.0 {
                continue;
            }
            others.count += 1;
            others.classes += usize::from(!same_class);
            if same_class {
                others.worst = others.worst.max(moved);
            }
            let shown = |(given, score): (Option<&usize>, Option<f32>)| {
                let score = score.map_or_else(String::new, |score| format!(" at {score}"));
                format!("\"{}\"{score}", given.map_or("?", |given| class(*given)))
            };
            others.first.get_or_insert_with(|| {
                let (then, now) = (shown(then), shown(now));
                (
                    at,
                    format!("{}: stored {then}, found {now}", named(*expert)),
                )
            });
        }
        let given = (stored.task_given.get(row), found.task_given.get(at));
        if let (Some(then), Some(now)) = given
            && then != now
        {
            others.count += 1;
            others.classes += 1;
            let told = format!(
                "with its task known: stored \"{}\", found \"{}\"",
                class(*then),
                class(*now)
            );
            others.first.get_or_insert((at, told));
        }
    }
    others
}

fn named(expert: Expert) -> &'static str {
    match expert {
        Expert::ANSWER => "the answer",
        other => other.name(),
    }
}

/// Predicts test images with the stored snapshots and compares the predictions with the stored ones.
pub(super) fn recompute(
    checker: &mut Checker<'_>,
    stored: &StoredRun,
    material: &ProofInputs,
    rounds: bool,
) -> Result<()> {
    if material.scenario.is_none() {
        let what = "the answers: they cannot be recomputed with different classes";
        checker.report.unchecked.push(what.into());
        return Ok(());
    }
    let added = added_pictures(&stored.header);
    let (mut same, mut missing) = (0, 0);
    for task in 0..stored.reports.len() {
        checker.tell(message!("doing-predicting", task = task + 1));
        let rows = asked_rows(
            stored.reports[task].answers.labels.len(),
            checker.asked.limit,
        );
        let pictures = pictures(stored, task, &rows, (material, &added));
        missing += rows.len() - pictures.len();
        if pictures.is_empty() {
            continue;
        }
        let snapshot = match store::load_snapshot(checker.folder, task) {
            Ok(snapshot) => snapshot,
            Err(problem) => {
                checker.differs(Difference::new(Part::Snapshot, Some(task), problem.what));
                continue;
            }
        };
        let predictor = match predictor(checker, stored, (task, snapshot), material) {
            Ok(predictor) => predictor,
            // A method may not store enough to predict.
            Err(problem) => {
                let what = format!("the answers after task {}: {}", task + 1, problem.what);
                checker.report.unchecked.push(what);
                continue;
            }
        };
        let (kept, found) = predict_pictures(checker, &predictor, stored, task, &pictures)?;
        missing += pictures.len() - kept.len();
        let others = report_difference(checker, stored, task, (kept.as_slice(), &found), rounds);
        same += others.of - others.count.min(others.of);
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
    stored: &StoredRun,
    task: usize,
    (kept, found): (&[(usize, Sample)], &Answers),
    rounds: bool,
) -> Others {
    let answers = &stored.reports[task].answers;
    let rows: Vec<usize> = kept.iter().map(|(row, _)| *row).collect();
    let others = compared(answers, &rows, found, &stored.header.class_order);
    let Some((at, told)) = &others.first else {
        return others;
    };
    let (row, sample) = &kept[*at];
    let (number, name) = (answers.samples[*row], sample.name());
    let after = format!("after task {}", task + 1);
    let told = format!("{after}, test image {number} ({name}), {told}");
    let mut difference = Difference::new(Part::Answer, Some(task), told).first_of(others.count);
    difference.rounding = rounds && others.is_rounding();
    if difference.rounding {
        let measure = format!("{after}: {}", others.measure());
        checker.report.rounding.push(measure);
    }
    checker.differs(difference);
    others
}

/// Returns the rows to recompute: all of them, or `limit` evenly spaced ones.
fn asked_rows(all: usize, limit: Option<usize>) -> Vec<usize> {
    let count = limit.unwrap_or(all).min(all);
    (0..count).map(|at| at * all / count).collect()
}

/// Returns the test images of each added task; `None` for a task whose images are missing or have changed.
fn added_pictures(header: &RunHeader) -> Vec<Option<Vec<Sample>>> {
    let added = header.added_tasks.iter().zip(header.own_tasks()..);
    let pictures = added.map(|(added, task)| {
        let (run, depth) = (&header.folder, header.config.bit_depth);
        let pictures = store::added_task_pictures(run, task, added, depth).ok()?;
        pictures.check_tests().ok().map(|()| pictures.test())
    });
    pictures.collect()
}

/// Returns the available images of these predictions, each with its row; `added` are the images of the added tasks.
fn pictures(
    stored: &StoredRun,
    task: usize,
    rows: &[usize],
    (material, added): (&ProofInputs, &[Option<Vec<Sample>>]),
) -> Vec<(usize, Sample)> {
    let answers = &stored.reports[task].answers;
    let sample = |row: &usize| {
        let index = answers.samples[*row];
        let sample = match answers.source(*row) {
            0 => {
                let sample = material.data.test.get(index)?;
                let label = material.scenario.as_ref()?.label_of(sample.class as usize);
                (label == answers.labels[*row]).then_some(sample)?
            }
            source => added.get(source - 1)?.as_ref()?.get(index)?,
        };
        Some((*row, sample.clone()))
    };
    rows.iter().filter_map(sample).collect()
}

/// Returns the header of the run as it was after a task.
fn header_at(header: &RunHeader, task: usize) -> RunHeader {
    let mut then = header.clone();
    while then.tasks.len() > task + 1 && !then.added_tasks.is_empty() {
        then.unlearn();
    }
    then
}

/// Builds the predictor of the snapshot after a task.
fn predictor(
    checker: &Checker<'_>,
    stored: &StoredRun,
    snapshot: (usize, Named),
    material: &ProofInputs,
) -> Result<Predictor> {
    let mut header = header_at(&stored.header, snapshot.0);
    header.config.backbone.clone_from(&material.config.backbone);
    let device = Some(material.config.device.as_str());
    let facts = (header, stored.plugin.clone());
    Parts::new(facts, snapshot, device, checker.cache, false)?.assemble(checker.cache)
}

/// Predicts the images after a task. Returns those that could be read, with their rows, and their predictions.
fn predict_pictures(
    checker: &Checker<'_>,
    predictor: &Predictor,
    stored: &StoredRun,
    task: usize,
    pictures: &[(usize, Sample)],
) -> Result<(Vec<(usize, Sample)>, Answers)> {
    let header = predictor.header();
    let (again, task_of) = (header.repeated_classes(), tasks_of_classes(&header.tasks));
    let labels = &stored.reports[task].answers.labels;
    let (mut kept, mut answers) = (Vec::new(), Answers::default());
    for some in pictures.chunks(JUDGE_BATCH) {
        if !checker.is_running() {
            return Err(Problem::new(message!("problem-check-stopped")));
        }
        let samples: Vec<Sample> = some.iter().map(|(_, sample)| sample.clone()).collect();
        let inputs = inputs_of(&samples, predictor.input()).into_iter().zip(some);
        let read = inputs.filter_map(|(input, picture)| Some((input.ok()?, picture.clone())));
        let (inputs, read): (Vec<Vec<u8>>, Vec<(usize, Sample)>) = read.unzip();
        if read.is_empty() {
            continue;
        }
        let verdicts = predictor.predict_batch(&inputs.concat())?;
        for ((row, _), verdict) in read.iter().zip(&verdicts) {
            let known = (&*header.tasks, &*task_of, &*again);
            add_prediction(&mut answers, labels[*row], verdict, known);
        }
        kept.extend(read);
    }
    Ok((kept, answers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_asked_evenly_and_each_once() {
        assert_eq!(asked_rows(4, None), [0, 1, 2, 3]);
        assert_eq!(asked_rows(10, Some(4)), [0, 2, 5, 7]);
        assert_eq!(asked_rows(2, Some(9)), [0, 1]);
        assert!(asked_rows(0, Some(3)).is_empty() && asked_rows(3, Some(0)).is_empty());
    }

    #[test]
    fn the_first_other_answer_is_told_and_rounding_is_measured() {
        let of = |given: &[usize], scores: &[f32]| Answers {
            labels: vec![0; given.len()],
            given: [(Expert::ANSWER, given.to_vec())].into(),
            certainty: [(Expert::ANSWER, scores.to_vec())].into(),
            ..Answers::default()
        };
        let names = ["robin".to_string(), "tit".into()];
        let stored = of(&[0, 1, 1], &[0.5, 0.75, 0.5]);
        let same = compared(&stored, &[0, 2], &of(&[0, 1], &[0.5, 0.5]), &names);
        assert!(same.first.is_none() && same.of == 2);
        let near = compared(
            &stored,
            &[0, 1, 2],
            &of(&[0, 1, 1], &[0.5, 0.7501, 0.5]),
            &names,
        );
        assert!(near.is_rounding() && near.count == 1, "{}", near.measure());
        let (at, told) = near.first.unwrap_or_default();
        assert_eq!(at, 1);
        assert_eq!(
            told,
            "the answer: stored \"tit\" at 0.75, found \"tit\" at 0.7501"
        );
        let far = compared(
            &stored,
            &[0, 1, 2],
            &of(&[1, 1, 1], &[0.5, 0.75, 0.5]),
            &names,
        );
        assert!(!far.is_rounding() && far.classes == 1);
    }
}
