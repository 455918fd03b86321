//! Added tasks in the window: previewing, training in the engine's queue, undoing, and their images.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::loads::Lookup;
use super::run_view::RunView;
use super::views::{Fetch, PictureSource, RunRow, RunState, Split};
use crate::experiment::{self, SourcePreview};
use crate::message;
use crate::problem::{Problem, Result, some_of};
use crate::run::event::{AddedTask, Picture, RunHeader};
use crate::run::job::{Job, JobWork};
use crate::tr;

/// The images last examined for an added task of a run, and the result.
#[derive(Default)]
pub(super) struct TaskPreview {
    of: Option<(PathBuf, String)>,
    found: Fetch<Arc<SourcePreview>>,
}

impl Session {
    /// Returns whether a run can learn another task, according to its row in the list of runs.
    pub fn can_add_task(&self, row: &RunRow) -> bool {
        let ended = matches!(row.state, RunState::Finished | RunState::Unfinished(_));
        ended && row.is_measured()
    }

    /// Examines the images at `source` to show what the run in this folder would learn from them.
    pub fn preview_task(&mut self, run: &Path, source: String) {
        let of = (run.to_path_buf(), source.clone());
        self.train.preview.of = Some(of.clone());
        let Some(header) = self.header_of(run).cloned() else {
            let gone = Problem::new(message!("predict-problem-run-not-listed")).at_path(run);
            self.train.preview.found = Fetch::Failed(gone);
            return;
        };
        self.train.preview.found = Fetch::Busy;
        let after = self.finished_tasks(run);
        self.task(
            move |_| experiment::found(&header, after, &source, &|| true).map(Arc::new),
            move |session, found| {
                // Another folder may have been selected meanwhile.
                if session.train.preview.of == Some(of) {
                    session.train.preview.found.fill(found);
                }
            },
        );
    }

    /// Returns the place that was examined for the run in this folder, and the result; `None` if no place was selected.
    pub fn task_preview(&self, run: &Path) -> Option<(&str, &Fetch<Arc<SourcePreview>>)> {
        let (of, source) = self.train.preview.of.as_ref()?;
        (of == run).then_some((source, &self.train.preview.found))
    }

    /// Drops the preview.
    pub fn drop_task_preview(&mut self) {
        self.train.preview = TaskPreview::default();
    }

    /// Trains a run on the classes of the images at `source`. The added task waits in the queue while another job runs.
    pub fn add_task(&mut self, folder: &Path, source: String) {
        let same = |job: &Job| matches!(&job.work, JobWork::Teach { run, .. } if run == folder);
        if self.waiting().any(same) {
            let told = Problem::new(message!("predict-added-task-queued"));
            self.notify(told, false);
            return;
        }
        let name = Path::new(&source).file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let title = self.header_of(folder).map(RunHeader::title);
        let title = title.unwrap_or_else(|| folder.display().to_string());
        let title = tr!("predict-added-task-job", run = title, name);
        let run = folder.to_path_buf();
        self.queue(Job::new(JobWork::Teach { run, source }, title));
    }

    /// Undoes the last added task of a run.
    pub fn undo_added_task(&mut self, folder: &Path) {
        let folder = folder.to_path_buf();
        self.task_or_notify(
            move |sources| Ok((sources.undo_added_task(&folder)?, folder)),
            |session, (added_task, folder)| session.accept_undone_task(&folder, &added_task),
        );
    }

    fn accept_undone_task(&mut self, folder: &Path, added_task: &AddedTask) {
        let classes = some_of(&added_task.classes, 8);
        let what = message!("predict-added-task-undone", classes);
        let told = Problem::new(what).advise(message!("predict-added-task-undone-advice"));
        self.notify(told, false);
        let is_in_folder = |run: &Arc<RunView>| run.folder() == Some(folder);
        let shown = self.train.shown().is_some_and(is_in_folder);
        let asked = self.predict.run.as_deref() == Some(folder);
        self.forget_findings(folder);
        if asked {
            self.predict.undo(folder);
        }
        if !self.is_training() {
            self.train.live.take_if(|run| is_in_folder(run));
        }
        if shown {
            self.open_run(folder.to_path_buf());
        }
        self.list_runs();
    }

    /// Returns a decoded test image of a run's added task (from 1). Decoding fails if the file has changed.
    pub fn added_task_picture(
        &self,
        header: &RunHeader,
        added_task: usize,
        index: usize,
    ) -> Lookup<Result<Arc<Picture>>> {
        let of = added_task.checked_sub(1);
        let Some((of, added_task)) = of.and_then(|of| Some((of, header.added_tasks.get(of)?)))
        else {
            return Lookup::Absent;
        };
        let task = header.own_tasks() + of;
        let key = format!("{} {}", header.folder.display(), added_task.fingerprint);
        let tests = || PictureSource::AddedTask {
            run: header.folder.clone(),
            task,
            added_task: Box::new(added_task.clone()),
            bit_depth: header.config.bit_depth,
        };
        self.picture_with((key.into(), Split::Test, index), tests)
    }
}
