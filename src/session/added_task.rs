//! Added tasks in the window: previewing, training in the engine's queue, undoing, and their images.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::loads::Lookup;
use super::run_view::RunView;
use super::views::{DisplayedImageSource, Fetch, RunRow, RunState, Split};
use crate::experiment::{self, SourcePreview};
use crate::message;
use crate::problem::{Problem, Result, list_value};
use crate::run::event::{AddedTask, NamedImage, RunHeader};
use crate::run::job::{Job, JobWork};
use crate::tr;

/// The images last examined for an added task of a run, and the result.
#[derive(Default)]
pub(super) struct TaskPreview {
    request: Option<(PathBuf, String)>,
    result: Fetch<Arc<SourcePreview>>,
}

impl Session {
    /// Returns whether a run can learn another task, according to its row in the list of runs.
    pub fn can_add_task(&self, row: &RunRow) -> bool {
        let ended = matches!(row.state, RunState::Finished | RunState::Unfinished(_));
        ended && row.is_measured()
    }

    /// Examines the images at `source` to show what the run in this folder would learn from them.
    pub fn preview_task(&mut self, run: &Path, source: String) {
        let request = (run.to_path_buf(), source.clone());
        self.train.preview.request = Some(request.clone());
        let Some(header) = self.header_of(run).cloned() else {
            let problem = Problem::new(message!("predict-problem-run-not-listed")).at_path(run);
            self.train.preview.result = Fetch::Failed(problem);
            return;
        };
        self.train.preview.result = Fetch::Busy;
        let task_count = self.finished_tasks(run);
        self.task(
            move |_| {
                experiment::preview_source(&header, task_count, &source, &|| true).map(Arc::new)
            },
            move |session, result| {
                // Another folder may have been selected meanwhile.
                if session.train.preview.request == Some(request) {
                    session.train.preview.result.fill(result);
                }
            },
        );
    }

    /// Returns the source that was examined for this run, and the result; `None` if no source was selected.
    pub fn task_preview(&self, run: &Path) -> Option<(&str, &Fetch<Arc<SourcePreview>>)> {
        let (previewed_run, source) = self.train.preview.request.as_ref()?;
        (previewed_run == run).then_some((source, &self.train.preview.result))
    }

    /// Drops the preview.
    pub fn drop_task_preview(&mut self) {
        self.train.preview = TaskPreview::default();
    }

    /// Trains a run on the classes of the images at `source`. The added task waits in the queue while another job runs.
    pub fn add_task(&mut self, folder: &Path, source: String) {
        let teaches_run =
            |job: &Job| matches!(&job.work, JobWork::Teach { run, .. } if run == folder);
        if self.waiting().any(teaches_run) {
            let problem = Problem::new(message!("predict-added-task-queued"));
            self.notify(problem, false);
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
        let classes = list_value(&added_task.classes, 8);
        let message = message!("predict-added-task-undone", classes);
        let problem = Problem::new(message).advise(message!("predict-added-task-undone-advice"));
        self.notify(problem, false);
        let is_in_folder = |run: &Arc<RunView>| run.folder() == Some(folder);
        let is_shown = self.train.displayed_run().is_some_and(is_in_folder);
        let is_selected = self.predict.run.as_deref() == Some(folder);
        self.discard_findings(folder);
        if is_selected {
            self.predict.record_undone_task(folder);
        }
        if !self.is_training() {
            self.train.live.take_if(|run| is_in_folder(run));
        }
        if is_shown {
            self.open_run(folder.to_path_buf());
        }
        self.list_runs();
    }

    /// Returns a decoded test image of a run's added task (from 1). Decoding fails if the file has changed.
    pub fn added_task_image(
        &self,
        header: &RunHeader,
        added_task: usize,
        index: usize,
    ) -> Lookup<Result<Arc<NamedImage>>> {
        let position = added_task.checked_sub(1);
        let Some((position, added_task)) =
            position.and_then(|position| Some((position, header.added_tasks.get(position)?)))
        else {
            return Lookup::Absent;
        };
        let task = header.original_task_count() + position;
        let key = format!("{} {}", header.folder.display(), added_task.fingerprint);
        let source = || DisplayedImageSource::AddedTask {
            run: header.folder.clone(),
            task,
            added_task: Box::new(added_task.clone()),
            bit_depth: header.config.bit_depth,
        };
        self.cached_image((key.into(), Split::Test, index), source)
    }
}
