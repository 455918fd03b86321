//! Tests a run: after every task the method predicts each test image so far, and may also study it.

use std::ops::{ControlFlow, Range};

use super::super::meter::Meter;
use super::super::unreadable_images::UnreadableImages;
use super::Trainer;
use crate::data::loader::{ImageLoader, LoaderOptions};
use crate::method::Answer;
use crate::metrics::{Answers, ByExpert};
use crate::problem::Result;
use crate::run::event::{ACCURACY_ON_ORIGINAL_LABELS, Phase};
use crate::run::refusal;

/// Images per forward pass in tests; the result does not depend on it.
pub(in crate::experiment) const JUDGE_BATCH: usize = 48;

impl Trainer<'_> {
    /// Predicts every test image of the tasks seen so far; `None` if the user stopped it. Adds to the task's
    /// measurements the out-of-distribution thresholds of the experts, and the accuracy with the original labels if
    /// labels were corrected.
    pub(super) fn evaluate(&mut self) -> Result<Option<Answers>> {
        let phase = Phase::Evaluating { task: self.task };
        self.report_phase(phase.clone());
        let (places, samples) = self.kit.images.tests_up_to(self.task);
        let none = samples.is_empty();
        let mut answers = Answers::default();
        let study = self.method.study_cost(self.task);
        let mut strangeness: ByExpert<Vec<refusal::KnownImage>> = ByExpert::default();
        let mut reading = UnreadableImages::new(samples.len());
        // No more images at once than in training.
        let at_once = self.kit.config.micro_batch.unwrap_or(JUDGE_BATCH);
        let at_once = at_once.clamp(1, JUDGE_BATCH);
        let options = LoaderOptions {
            cache: Some(self.kit.pixels.clone()),
            ..LoaderOptions::inference(self.kit.backbone.input, at_once)
        };
        let mut loader = ImageLoader::new(samples, options)?;
        loop {
            let batch = match self.next_batch(&mut loader, &phase, &mut reading)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => break,
                ControlFlow::Break(()) => return Ok(None),
            };
            self.meter.begin();
            let images = self.images(&batch);
            let verdicts = self.method.predict_together(images.clone())?;
            for (row, verdict) in verdicts.into_iter().enumerate() {
                let (source, index) = places[batch.indices[row]];
                answers.samples.push(index);
                answers.sources.push(source);
                let verdict = verdict
                    .checked()?
                    .merge_repeated_classes(&self.repeated_classes);
                for opinion in &verdict.opinions {
                    let of = strangeness.or_default(opinion.expert);
                    of.push(((source, index), opinion.strangeness()));
                }
                let known = (&*self.header.tasks, &*self.task_of, &*self.repeated_classes);
                add_prediction(&mut answers, batch.labels[row] as usize, &verdict, known);
            }
            self.meter.judged(batch.labels.len());
            if study > 0.0 {
                self.meter.begin();
                self.method.study(images, &batch.labels)?;
                let work = Meter::judge_work(batch.labels.len());
                self.meter.studied(work * study);
            }
            if self.meter.due() {
                let last = self.passes[self.task].len().saturating_sub(1);
                self.progress(last, (0, 0), false)?;
            }
        }
        if !none {
            reading.ended(answers.labels.len())?;
        }
        for (expert, known) in strangeness {
            self.measurements
                .extend(refusal::measurements_of(expert, &known));
        }
        let came = self
            .kit
            .images
            .as_they_came(self.task, &answers, self.header.answering());
        self.measurements
            .extend(came.map(|share| (ACCURACY_ON_ORIGINAL_LABELS.to_string(), share)));
        if self.header.added_tasks.is_empty() {
            // All images are in the run's own dataset, so the sources are not needed.
            answers.sources.clear();
        }
        Ok(Some(answers))
    }
}

/// What a prediction is compared with: the tasks of a run so far, the task of each class, and pairs of a class taught
/// again and the position that it counts for.
pub(in crate::experiment) type ClassLayout<'a> = (
    &'a [Range<usize>],
    &'a [Option<usize>],
    &'a [(usize, usize)],
);

/// Adds the experts' predictions for a test image of class `label`.
pub(in crate::experiment) fn add_prediction(
    answers: &mut Answers,
    label: usize,
    verdict: &Answer,
    (tasks, task_of, repeated): ClassLayout<'_>,
) {
    answers.labels.push(label);
    let found = repeated.iter().find(|(own, _)| *own == label);
    let class = found.map_or(label, |(_, of)| *of);
    for opinion in &verdict.opinions {
        let certainty = answers.certainty.or_default(opinion.expert);
        certainty.push(opinion.best().1.clamp(0.0, 1.0));
        let given = answers.given.or_default(opinion.expert);
        // A prediction of the right class counts as the label, whichever of its positions that is.
        given.push(if opinion.class == class {
            label
        } else {
            opinion.class
        });
    }
    let own = task_of.get(label).copied().flatten();
    answers
        .task_given
        .push(own.map_or(label, |task| verdict.within(&tasks[task])));
}
