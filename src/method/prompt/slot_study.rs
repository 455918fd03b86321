//! DualPrompt's study of its selection: which slot of prompts each test image uses, and its class with each task's
//! prompts alone (see [`crate::metrics::PromptStudy`]).

use super::super::heads::Heads;
use super::super::{MeasuredValue, Measurement, Moment};
use super::Scheme;
use crate::metrics::{SlotCounts, SlotResult};

/// Returns the time of the study per image after this task (from 0), relative to the time of an answer.
pub(super) fn cost(scheme: &dyn Scheme, task: usize) -> f64 {
    match scheme.has_study() {
        // The query takes one pass and each slot takes one; an answer takes two.
        true => (task + 2) as f64 / 2.0,
        false => 0.0,
    }
}

/// The results of the test images so far, by task; empty if the study is off.
#[derive(Default)]
pub(super) struct Study(Vec<SlotCounts>);

impl Study {
    /// Returns an empty study after this number of tasks.
    pub fn new(scheme: &dyn Scheme, tasks: usize) -> Self {
        match scheme.has_study() {
            true => Self(vec![SlotCounts::zeros(tasks); tasks]),
            false => Self::default(),
        }
    }

    /// Adds the results of images with these classes. An image belongs to the task whose head has its class.
    pub fn add(&mut self, views: &[SlotResult], classes: &[i64], heads: &Heads) {
        for (view, class) in views.iter().zip(classes) {
            let class = *class as usize;
            let mut end = 0;
            let task_index = heads.0.iter().position(|head| {
                end += head.classes();
                class < end
            });
            if let Some(counts) = task_index.and_then(|task| self.0.get_mut(task)) {
                counts.add(class, view);
            }
        }
    }

    /// Returns the study as a measurement; `None` if it is empty or the moment is not the end of a task.
    pub fn as_measurement(&self, moment: Moment) -> Option<Measurement> {
        (moment == Moment::Task && !self.0.is_empty())
            .then(|| Measurement { name: "prompts", value: MeasuredValue::Study(self.0.clone()) })
    }
}
