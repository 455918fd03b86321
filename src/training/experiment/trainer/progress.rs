//! Reports of a run: phases, progress, unreadable images, and the work to expect.

use std::collections::BTreeMap;

use super::super::meter::Meter;
use super::Trainer;
use crate::method::{Measurement, Moment, Pass, PassWork};
use crate::problem::{Problem, Result};
use crate::run::event::{Event, Phase, RunProgress};

impl Trainer<'_> {
    pub(super) fn report_phase(&mut self, phase: Phase) {
        self.sink.event(Event::Phase {
            run: self.header.run.clone(),
            phase,
        });
    }

    /// Returns the phase of a pass of the task.
    pub(super) fn phase(&self, index: usize) -> Phase {
        let task = self.task;
        match self.passes[task].get(index).map(|pass| pass.work) {
            Some(PassWork::Learn { frozen }) => Phase::Training {
                task,
                epoch: index,
                frozen,
            },
            _ => Phase::Measuring { task },
        }
    }

    pub(super) fn remark(&mut self, problem: Problem) {
        let run = self.header.run.clone();
        self.sink.event(Event::Remark { run, problem });
    }

    pub(super) fn report_unreadable(&mut self, images: &[(usize, Problem)]) {
        for (_, problem) in images {
            self.unreadable.0.insert(problem.place.clone());
            // Reported once per run, because the same image fails in every epoch.
            if !self.told.insert(problem.place.clone()) {
                continue;
            }
            self.remark(problem.clone());
        }
    }

    /// Returns the number of unreadable images of the task so far.
    pub(super) fn unreadable_images(&self) -> usize {
        let (places, before) = &self.unreadable;
        places.len().max(*before)
    }

    /// Returns what the method measures at every pass, by name.
    pub(super) fn measured_now(&self) -> Result<BTreeMap<String, f64>> {
        let measured = self.method.measurements(Moment::Pass)?;
        Ok(measured.iter().filter_map(Measurement::as_figure).collect())
    }

    pub(super) fn progress(
        &mut self,
        epoch: usize,
        (batch, batches): (usize, usize),
        frozen: bool,
    ) -> Result<()> {
        let progress = self.meter.progress(RunProgress {
            task: self.task,
            epoch,
            batch,
            batches,
            frozen,
            measured: self.measured_now()?,
            ..RunProgress::default()
        });
        self.sink.event(Event::Progress {
            run: self.header.run.clone(),
            progress,
        });
        Ok(())
    }

    /// Returns the number of images that a pass of a task shows.
    fn shown(&self, task: usize, pass: &Pass) -> usize {
        let images = pass.source.count(task, &self.header.train_images);
        let images = images.unwrap_or_default() * self.repeats(pass);
        pass.shown(images, self.kit.config.batch)
    }

    /// Returns how often a pass shows each of its images.
    pub(super) fn repeats(&self, pass: &Pass) -> usize {
        match pass.work {
            PassWork::Learn { .. } => self.kit.repeats,
            PassWork::Measure => 1,
        }
    }

    pub(super) fn images_seen(&self, task: usize) -> usize {
        let passes = self.passes[task].iter();
        passes.map(|pass| self.shown(task, pass)).sum()
    }

    pub(super) fn pass_work(&self, task: usize, pass: &Pass) -> f64 {
        Meter::pass_work(pass, self.shown(task, pass))
    }

    pub(super) fn work_of(&self, task: usize) -> f64 {
        let passes = self.passes[task].iter();
        let train: f64 = passes.map(|pass| self.pass_work(task, pass)).sum();
        let tested = self.header.test_images[..=task].iter().sum();
        let cost = 1.0 + self.method.study_cost(task);
        train + Meter::judge_work(tested) * cost
    }
}
