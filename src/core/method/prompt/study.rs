//! DualPrompt's study of its choice: which slot of prompts each test image takes, and its class with each task's
//! prompts alone (see [`crate::metrics::PromptStudy`]).

use burn::tensor::Tensor;

use super::super::answers::{self, argmax};
use super::super::heads::Heads;
use super::super::{Measured, Measurement, Moment};
use super::prompted::FirstPass;
use super::{Asked, Occasion, Prompted, Scheme};
use crate::metrics::{SlotCounts, SlotView};
use crate::problem::Result;

/// What it takes for an image after this task (from 0), against answering it.
pub(super) fn cost(scheme: &dyn Scheme, task: usize) -> f64 {
    match scheme.studied() {
        // A pass for the query, one for each slot; an answer takes two.
        true => (task + 2) as f64 / 2.0,
        false => 0.0,
    }
}

/// What the test images so far came to, by task; empty where they are not studied.
#[derive(Default)]
pub(super) struct Study(Vec<SlotCounts>);

impl Study {
    /// Before the first image, after so many tasks.
    pub fn begin(scheme: &dyn Scheme, tasks: usize) -> Self {
        match scheme.studied() {
            true => Self(vec![SlotCounts::none(tasks); tasks]),
            false => Self::default(),
        }
    }

    /// Adds images of these classes; a task's classes are those of its head.
    pub fn add(&mut self, views: &[SlotView], classes: &[i64], heads: &Heads) {
        for (view, class) in views.iter().zip(classes) {
            let class = *class as usize;
            let mut end = 0;
            let own = heads.0.iter().position(|head| {
                end += head.classes();
                class < end
            });
            if let Some(counts) = own.and_then(|task| self.0.get_mut(task)) {
                counts.add(class, view);
            }
        }
    }

    /// It as a measurement.
    pub fn told(&self, moment: Moment) -> Option<Measurement> {
        (moment == Moment::Task && !self.0.is_empty()).then(|| Measurement {
            name: "prompts",
            value: Measured::Study(self.0.clone()),
        })
    }
}

impl Prompted {
    /// Logits (batch × all classes so far) and what was asked for, on some other occasion.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn logits_on(&self, first: FirstPass, occasion: Occasion) -> Result<(Asked, Tensor<2>)> {
        let (asked, features) = self.second_pass(first, self.leaves(), occasion)?;
        Ok((asked, self.heads().forward(&features)))
    }

    /// The slot that each of a batch of normalised images chooses, and its class with the prompts of
    /// every task so far.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn slots(&self, images: Tensor<4>) -> Result<Vec<SlotView>> {
        let first = self.first_pass(images, None)?;
        let asked = self.asked(&first.query, self.leaves(), Occasion::Answering)?;
        let chosen = asked.choice.iter().map(|slots| slots.first().copied());
        let mut views: Vec<SlotView> = chosen
            .map(|slot| SlotView {
                chosen: slot.unwrap_or_default(),
                classes: Vec::new(),
            })
            .collect();
        for slot in 0..self.heads().0.len() {
            let (_, logits) = self.logits_on(first.clone(), Occasion::Given(slot))?;
            for (view, row) in views.iter_mut().zip(answers::rows(&logits)?) {
                view.classes.push(argmax(&row));
            }
        }
        Ok(views)
    }
}
