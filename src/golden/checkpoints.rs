//! EWC and iCaRL as golden files need them: whole runs of tasks, told by what their checkpoints hold, under the names and
//! in the orientation that these have. What Adam remembers of the gradients is compared, too.

use burn::tensor::Tensor;

use super::file::GoldenFile;
use super::ledger::Ledger;
use super::tasks::TaskFile;
use super::{GoldenReport, Tolerance};
use crate::method::{self, GoOn, Method, Task};
use crate::nn::Place;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named};

/// Their settings.
const SETTINGS: &[&str] = &["ewc_lambda", "ewc_gamma", "fisher_images", "exemplars"];

/// Runs one file of one of these methods.
///
/// # Errors
/// A Problem when the file is not of this form.
pub(super) fn check(
    file: &GoldenFile,
    place: &Place,
    tolerance: Tolerance,
) -> Result<GoldenReport> {
    let run = TaskFile::new(file, place, SETTINGS)?;
    let mut method = method::build(run.setup())?;
    let mut ledger = Ledger::new(file, tolerance);
    let test: Tensor<4> = file.tensor("test.input")?.to_device(&place.device)?;
    for (index, classes) in run.tasks.iter().enumerate() {
        let classes = classes.clone();
        method.begin_task(&Task { index, classes })?;
        let before = start(&run, &mut *method, index)?;
        train(&run, &mut *method, &mut ledger, index)?;
        let after = method.checkpoint()?;
        let wanted = [
            wanted_before(file, index),
            file.under(&format!("task.{index}.after.")),
        ];
        ledger.compare_state(index, [&before, &after], wanted.each_ref())?;
        compare(&mut ledger, &format!("task.{index}.adam."), &after, "adam.")?;
        run.measure(&mut *method, index)?;
        method.end_task(&mut GoOn::to_the_end())?;
        let kept = method.checkpoint()?;
        compare(&mut ledger, &format!("task.{index}.kept."), &kept, "")?;
        ledger.compare_answers(index, &method.predict(test.clone())?, true)?;
    }
    Ok(ledger.report())
}

/// Puts what the file starts a task with in place of what was drawn; the task has begun. Gives the checkpoint.
fn start(run: &TaskFile<'_>, method: &mut dyn Method, task: usize) -> Result<Named> {
    let mut state = method.checkpoint()?;
    for (name, given) in run.file.under(&format!("task.{task}.start.")) {
        let drawn = state
            .get_mut(&name)
            .filter(|drawn| drawn.shape == given.shape);
        let drawn = drawn.ok_or_else(|| Problem::new(format!("no task begins with {name}")))?;
        *drawn = given;
    }
    method.restore(&state, &run.tasks[..=task])?;
    Ok(state)
}

fn train(
    run: &TaskFile<'_>,
    method: &mut dyn Method,
    ledger: &mut Ledger<'_>,
    task: usize,
) -> Result<()> {
    let steps = 0..run.file.number::<usize>("steps")?;
    let losses: Result<Vec<_>> = steps.map(|step| run.learn(method, task, step)).collect();
    let losses = Tensor::cat(losses?.into_iter().flatten().collect(), 0);
    let (losses, limit) = (HostTensor::read(&losses)?, ledger.tolerance.trajectory);
    ledger.compare(&format!("task.{task}.loss"), &losses.values, limit)
}

/// What the file says the trained values are when a task begins: what earlier tasks left, and what it starts with.
fn wanted_before(file: &GoldenFile, task: usize) -> Named {
    let earlier = (0..task).flat_map(|task| file.under(&format!("task.{task}.after.")));
    let mut wanted: Named = earlier.collect();
    wanted.extend(file.under(&format!("task.{task}.start.")));
    wanted
}

/// Compares all of the file's tensors behind `prefix` with those of a checkpoint behind `ours`. Places of images are to be
/// the very same.
fn compare(ledger: &mut Ledger<'_>, prefix: &str, checkpoint: &Named, ours: &str) -> Result<()> {
    for name in ledger.file.under(prefix).into_keys() {
        let limit = match name.as_str() {
            "exemplars" => 0.0,
            _ => ledger.tolerance.trajectory,
        };
        let got = checkpoint.get(&format!("{ours}{name}"));
        let got = got.ok_or_else(|| Problem::new(format!("nothing called {name} is kept")))?;
        ledger.compare(&format!("{prefix}{name}"), &got.values, limit)?;
    }
    Ok(())
}
