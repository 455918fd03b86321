//! Reads the measurements of one task: its row of `metrics.csv`, its predictions and its study of prompts.

use std::io::ErrorKind;
use std::path::Path;

use super::measured::{MetricsRow, read_metrics_csv};
use super::tables::{read_answers, read_slots};
use super::{answers_file, slots_file};
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::event::{RunHeader, TaskReport};

/// Returns the measurements of a row, with the predictions in this folder.
pub(super) fn report_of(folder: &Path, header: &RunHeader, row: &MetricsRow) -> Result<TaskReport> {
    let task = row.task - 1;
    let path = answers_file(folder, task);
    let bytes = files::read(&path, files::TABLE)
        .map_err(|error| Problem::io("read the answers of a task", &path, &error))?;
    let most = (row.images, header.tasks[task].end, header.added_tasks.len());
    let answers = read_answers(&bytes, &path, &header.method.experts, most)?;
    let path = slots_file(folder, task);
    let slots = match files::read(&path, files::TABLE) {
        Ok(bytes) => read_slots(&bytes, &path, row.task)?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Problem::io("read the study of prompts", &path, &error)),
    };
    Ok(row.report(answers, slots))
}

/// Returns the rows of a `metrics.csv`; empty if the file does not exist.
pub(super) fn read_metrics(path: &Path) -> Result<Vec<MetricsRow>> {
    match files::read(path, files::TABLE) {
        Ok(bytes) => read_metrics_csv(&bytes, path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Problem::io("read the run's metrics", path, &error)),
    }
}
