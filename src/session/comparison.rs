//! Runs that belong side by side: asked for together, and laid beside each other when all are done.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::presets;
use super::run_view::RunView;
use crate::method::lae;
use crate::run::event::Event;
use crate::run::job::JobId;

/// The comparison under way.
#[derive(Default)]
pub(super) struct Comparison {
    /// Its runs that have not ended yet.
    jobs: Vec<JobId>,
    /// The folders of those at work and of those that are finished.
    folders: Vec<(JobId, PathBuf)>,
    /// The runs of a comparison that has just ended.
    done: Option<Vec<PathBuf>>,
    /// All runs of the latest comparison that have a folder.
    latest: Vec<PathBuf>,
    /// Those of them that have ended, as they were then.
    ended: Vec<Arc<RunView>>,
}

impl Session {
    /// Whether Baseline is to be trained beside the settings.
    pub fn with_baseline(&self) -> bool {
        self.experiment.beside && self.experiment.draft.method != lae::BASELINE.key
    }

    /// Trains the settings, and Baseline beside them where that is wanted. Says whether they were
    /// asked for.
    pub fn start(&mut self) -> bool {
        if self.has_grid() {
            return self.start_grid();
        }
        let draft = self.experiment.draft.clone();
        if self.with_baseline() {
            let then = presets::baseline(&draft);
            return self.train_all(vec![draft, then]);
        }
        self.train(draft);
        true
    }

    /// The folders of runs that were asked for together and are all done, once.
    pub fn take_comparison(&mut self) -> Option<Vec<PathBuf>> {
        self.compare.comparison.done.take()
    }

    /// Lays these runs side by side when the last of them has ended.
    pub(super) fn compare_when_done(&mut self, jobs: Vec<JobId>) {
        self.compare.comparison.jobs = jobs;
        self.compare.comparison.folders.clear();
        self.compare.comparison.latest.clear();
        self.compare.comparison.ended.clear();
    }

    /// Lays these runs side by side now; one alone is beside nothing.
    pub(super) fn lay_side_by_side(&mut self, folders: Vec<PathBuf>) {
        self.compare.comparison.done = Some(folders).filter(|folders| folders.len() > 1);
    }

    /// Keeps the run that was at work before another one takes its place, if they belong together.
    pub(super) fn keep_compared(&mut self) {
        let Some(run) = &self.train.live else { return };
        let folder = run.header.as_ref().map(|header| &header.folder);
        if folder.is_some_and(|folder| self.compare.comparison.latest.contains(folder)) {
            self.compare.comparison.ended.push(run.clone());
        }
    }

    /// The runs of the latest comparison that have ended.
    pub(super) fn ended(&self) -> &[Arc<RunView>] {
        &self.compare.comparison.ended
    }

    /// The folders of the runs of the latest comparison.
    pub(super) fn compared(&self) -> &[PathBuf] {
        &self.compare.comparison.latest
    }

    /// Whether this job belongs to the comparison under way.
    pub(super) fn is_compared(&self, job: JobId) -> bool {
        self.compare.comparison.jobs.contains(&job)
    }

    /// Follows the runs of the comparison.
    pub(super) fn follow_comparison(&mut self, job: JobId, event: &Event) {
        let Comparison {
            jobs,
            folders,
            latest,
            ..
        } = &mut self.compare.comparison;
        if !jobs.contains(&job) {
            return;
        }
        match event {
            // Taken up again on the way, for want of memory.
            Event::Started(_) if folders.iter().any(|(known, _)| *known == job) => {}
            Event::Started(header) => {
                folders.push((job, header.folder.clone()));
                latest.push(header.folder.clone());
            }
            Event::Finished { .. } => jobs.retain(|known| *known != job),
            Event::Stopped { .. } | Event::Failed { .. } | Event::Removed(_) => {
                jobs.retain(|known| *known != job);
                folders.retain(|(known, _)| *known != job);
            }
            _ => return,
        }
        if jobs.is_empty() && folders.len() > 1 {
            let done = std::mem::take(folders);
            self.compare.comparison.done =
                Some(done.into_iter().map(|(_, folder)| folder).collect());
        }
    }
}
