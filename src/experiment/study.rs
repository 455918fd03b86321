//! How well DualPrompt's E prompts are told apart, and how much they differ (supplement C of the
//! LAE paper): the accuracy of the choice of a slot after each task, and every task evaluated with
//! every task's E prompts. Computed from the snapshots of a run, after it or at any time.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::loader::{Loader, LoaderOptions};
use crate::method::answers::{argmax, rows};
use crate::method::prompt::{Occasion, Prompted, dualprompt};
use crate::method::{Chosen, Method, Setup};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Sink, Wish};
use crate::store;

use super::reading::Reading;
use super::{Plan, Stock, upload};

/// Images asked at once.
const BATCH: usize = 48;

/// The study of one run; all accuracies are shares between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// After each task: of the test images so far, the share whose slot was that of their task.
    pub selection: Vec<f64>,
    /// All tasks so far evaluated with each slot alone, in the order of the slots.
    pub slots: Vec<SlotAccuracy>,
    /// The test images of each task with each slot alone, after the last task: slot → task.
    pub tasks: Vec<Vec<f64>>,
}

/// All test images evaluated with the E prompts of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlotAccuracy {
    /// After the last task.
    pub last: f64,
    /// Mean over the tasks from the slot's own on.
    pub average: f64,
}

/// What the test images of one task came to after some task.
#[derive(Clone, Debug, Default)]
struct Counts {
    images: usize,
    /// Images whose slot was that of their task.
    selected: usize,
    /// Images answered rightly with each slot.
    right: Vec<usize>,
}

/// Studies the finished run of DualPrompt in `folder`; none where the person stopped it.
///
/// # Errors
/// A Problem for a run of another method, one without a slot for each task, or data and weights
/// that are no longer what they were.
pub fn study(
    folder: &Path,
    stock: &Stock,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Study>> {
    let header = store::load(folder)?.header;
    let chosen = Chosen::of(&header.config)?;
    let tasks = header.tasks.len();
    let fits =
        chosen.spec.key == dualprompt::SPEC.key && dualprompt::slots(&chosen, tasks)? >= tasks;
    if !fits {
        let what = "only runs of DualPrompt with a slot for each task have E prompts to compare";
        return Err(Problem::new(what).at_path(folder));
    }
    let plan = Plan::prepare(&header.config, None, stock, sink, control)?;
    plan.agrees_with(&header)?;
    let mut counts = Vec::with_capacity(tasks);
    for task in 0..tasks {
        let mut method = dualprompt::build(&Setup {
            config: &header.config,
            backbone: plan.backbone.backbone.clone(),
            pet: None,
            tasks: &header.tasks,
        })?;
        let snapshot = store::load_snapshot(folder, task)?;
        method.restore(&snapshot, &header.tasks[..=task])?;
        let of_each = (0..=task).map(|of| counted(&plan, &method, (task, of), control));
        let of_each: Result<Option<Vec<Counts>>> = of_each.collect();
        match of_each? {
            Some(of_each) => counts.push(of_each),
            None => return Ok(None),
        }
    }
    Ok(Some(summed(&counts)))
}

/// The test images of task `of` after task `task`; none where the person stopped.
fn counted(
    plan: &Plan,
    method: &Prompted,
    (task, of): (usize, usize),
    control: &Control,
) -> Result<Option<Counts>> {
    let mut counts = Counts {
        right: vec![0; task + 1],
        ..Counts::default()
    };
    let options = LoaderOptions {
        cache: Some(plan.pixels.clone()),
        ..LoaderOptions::inference(plan.input(), BATCH)
    };
    let samples = plan.scenario.test_of(&plan.data, of);
    let mut reading = Reading::of(samples.len());
    let mut loader = Loader::new(Arc::new(samples), options)?;
    for batch in loader.by_ref() {
        if control.wish() == Wish::Stop {
            return Ok(None);
        }
        reading.lost(&batch.unreadable)?;
        let scale = &plan.backbone.normalisation;
        let images = upload::images(&batch.pixels, batch.size, scale, &plan.ready.device);
        let first = method.first_pass(images, None)?;
        let (asked, _) = method.logits_on(first.clone(), Occasion::Answering)?;
        counts.images += batch.labels.len();
        counts.selected += asked.choice.iter().filter(|slots| **slots == [of]).count();
        for slot in 0..=task {
            let (_, logits) = method.logits_on(first.clone(), Occasion::Given(slot))?;
            let answers = rows(&logits)?.into_iter().zip(&batch.labels);
            let right = answers.filter(|(row, label)| argmax(row) as i64 == **label);
            counts.right[slot] += right.count();
        }
    }
    Ok(Some(counts))
}

/// From counts after each task, of each task so far.
fn summed(counts: &[Vec<Counts>]) -> Study {
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    let images = |after: &[Counts]| after.iter().map(|of| of.images).sum::<usize>();
    let all = |after: &[Counts], slot: usize| {
        let right = after.iter().map(|of| of.right[slot]).sum();
        share(right, images(after))
    };
    let selected = |after: &Vec<Counts>| {
        let selected = after.iter().map(|of| of.selected).sum();
        share(selected, images(after))
    };
    let last = counts.last().map_or(&[][..], Vec::as_slice);
    let slots = (0..counts.len()).map(|slot| {
        let since = &counts[slot..];
        let sum: f64 = since.iter().map(|after| all(after, slot)).sum();
        SlotAccuracy {
            last: all(last, slot),
            average: sum / since.len() as f64,
        }
    });
    let of_task = |slot: usize| last.iter().map(move |of| share(of.right[slot], of.images));
    Study {
        selection: counts.iter().map(selected).collect(),
        slots: slots.collect(),
        tasks: (0..counts.len())
            .map(|slot| of_task(slot).collect())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_images_so_far() {
        let of = |images, selected, right: &[usize]| Counts {
            images,
            selected,
            right: right.to_vec(),
        };
        let after_first = vec![of(10, 10, &[8])];
        let after_second = vec![of(10, 6, &[5, 4]), of(30, 24, &[3, 27])];
        let study = summed(&[after_first, after_second]);
        assert_eq!(study.selection, [1.0, 0.75]);
        assert_eq!(study.tasks, [[0.5, 0.1], [0.4, 0.9]]);
        assert_eq!((study.slots[0].last, study.slots[0].average), (0.2, 0.5));
        assert_eq!(
            (study.slots[1].last, study.slots[1].average),
            (0.775, 0.775)
        );
    }
}
