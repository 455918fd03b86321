//! Arguments of the commands that read a run: which run, after which of its tasks, on which device, and the present
//! location of its data and weights.

use std::path::{Path, PathBuf};

use crate::counts::count_with_noun;
use crate::experiment::ResourceCache;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::job::JobAttachments;
use crate::store;

/// The present location of a run's data and weights.
#[derive(clap::Args)]
pub(super) struct MovedFiles {
    /// Path of its dataset on this computer, if it differs from the run's settings
    #[arg(long, value_name = "PATH")]
    pub data: Option<String>,
    /// Weight file of its backbone, if it differs from the run's settings
    #[arg(long, value_name = "FILE")]
    pub weights: Option<String>,
}

impl MovedFiles {
    /// Returns the sources to open a run with these settings, at the given locations.
    pub fn cache(&self, config: &RunConfig) -> ResourceCache {
        let mut attachments = JobAttachments::default();
        let data = self.data.iter();
        attachments.data.extend(data.map(|location| (config.data.clone(), location.clone())));
        let weights = self.weights.iter();
        attachments.weights.extend(weights.map(|file| (config.backbone.clone(), file.into())));
        ResourceCache::default().with_attachments(&attachments)
    }
}

/// Parses a whole number from 1.
pub(super) fn from_one(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok().filter(|number: &u64| *number > 0);
    number.ok_or("give a whole number from 1")
}

/// The options that these commands share.
#[derive(clap::Args)]
pub(super) struct RunArgs {
    /// The run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Use the state after this task (from 1) [default: the last one]
    #[arg(long, value_name = "N", value_parser = from_one)]
    pub task: Option<u64>,
    /// auto, cpu, gpu, or a number or name from `lae-studio devices` [default: the run's]
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    #[command(flatten)]
    pub moved: MovedFiles,
    /// Look for the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

impl RunArgs {
    /// Returns the folder of the run.
    pub fn folder(&self) -> Result<PathBuf> {
        store::find_run(&store::runs_root(self.out.as_deref()), &self.run)
    }
}

/// Returns the index (from 0) of the snapshot after the task with this number (from 1), or of the last one.
pub(super) fn snapshot(folder: &Path, task: Option<u64>) -> Result<usize> {
    let saved = count_finished_tasks(folder)?;
    let task = task.map_or(saved, |task| task as usize);
    if task > saved {
        let finished = count_with_noun(saved, "task");
        return Err(Problem::new(format!("this run has finished only {finished}, not {task}"))
            .at("--task")
            .advise(format!("give a number from 1 to {saved}")));
    }
    Ok(task - 1)
}

/// Returns the number of finished tasks of a run, at least one.
pub(super) fn count_finished_tasks(folder: &Path) -> Result<usize> {
    match store::summarise(folder)?.saved_tasks() {
        0 => Err(Problem::new("this run has not finished any task yet").at_path(folder).advise(
            "resume it with `lae-studio resume`, or wait until its first task is finished",
        )),
        saved => Ok(saved),
    }
}
