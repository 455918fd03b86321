//! Predictions for a folder of images that are written to a table: the request and its state.

use std::path::{Path, PathBuf};

use super::Session;
use super::by_class::ImagesByClass;
use super::formatting::with_timestamp;
use super::views::Fetch;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Command;
use crate::run::prediction_table::{PredictionTableJob, PredictionTableState};
use crate::tr;

/// The user's request for a table of predictions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PredictionTableRequest {
    /// The folder of the images.
    pub folder: PathBuf,
    /// The images to include, by path relative to the folder; empty for all images.
    pub only: Vec<PathBuf>,
    /// The table file to write.
    pub csv: PathBuf,
    /// Whether the table has all columns.
    pub all_columns: bool,
}

/// The table that was requested last.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionTableView {
    /// The request.
    pub request: PredictionTableJob,
    /// Its state.
    pub state: PredictionTableState,
}

impl PredictionTableView {
    /// Returns whether it is being written.
    pub fn is_working(&self) -> bool {
        matches!(self.state, PredictionTableState::Working(_))
    }

    /// Returns whether it ended without writing a table.
    pub fn has_no_table(&self) -> bool {
        matches!(self.state, PredictionTableState::Stopped | PredictionTableState::Failed(_))
    }
}

/// Returns the default path of a table of a folder's predictions. It is next to the folder and named after it and the
/// current time, so that no file is overwritten.
pub fn default_table_path(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = with_timestamp(&format!("{name}-predicted")) + ".csv";
    folder.parent().unwrap_or(folder).join(name.trim_start_matches('-'))
}

impl Session {
    /// Predicts the images of a folder with the run on Predict after the selected task, and writes a table. Returns
    /// whether this was started.
    pub fn predict_folder(&mut self, table: PredictionTableRequest) -> bool {
        let Some(run) = self.predict.run.clone() else {
            return false;
        };
        match self.prediction_table_request(run, table) {
            Ok(request) => {
                self.backend.send(Command::Sheet(Box::new(request.clone())));
                let state = PredictionTableState::Working(Default::default());
                self.predict.prediction_table = Some(PredictionTableView { request, state });
                self.predict.images_by_class = Fetch::Nothing;
                true
            }
            Err(problem) => {
                self.notify(problem, true);
                false
            }
        }
    }

    fn prediction_table_request(
        &mut self,
        run: PathBuf,
        table: PredictionTableRequest,
    ) -> Result<PredictionTableJob> {
        let task_count = self.finished_tasks(&run);
        if task_count == 0 {
            return Err(Problem::new(message!("predict-problem-no-finished-task")));
        }
        if let Some(problem) = self.remote_weights_problem(&run) {
            return Err(problem);
        }
        if !table.folder.is_absolute() || !table.csv.is_absolute() {
            return Err(Problem::new(message!("predict-problem-paths-not-absolute"))
                .advise(message!("predict-problem-paths-not-absolute-advice")));
        }
        self.tickets += 1;
        let task = self.predict.task.min(task_count - 1);
        let expert = self.answering_expert(&run);
        let threshold = expert.and_then(|expert| self.rejection_threshold(&run, task, expert));
        Ok(PredictionTableJob {
            ticket: self.tickets,
            task,
            run,
            folder: table.folder,
            only: table.only,
            csv: table.csv,
            all_columns: table.all_columns,
            threshold: threshold.map(|threshold| threshold.threshold),
        })
    }

    /// Stops writing the table and removes its file.
    pub fn stop_prediction_table(&mut self) {
        let table = self.predict.prediction_table.as_ref();
        if let Some(table) = table.filter(|table| table.is_working()) {
            let ticket = table.request.ticket;
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Closes the finished table; its file is kept.
    pub fn close_prediction_table(&mut self) {
        let table = &mut self.predict.prediction_table;
        if table.take_if(|table| !table.is_working()).is_some() {
            self.predict.images_by_class = Fetch::Nothing;
        }
    }

    /// Returns the table's images if there are unsaved moves of images between classes.
    pub fn unsaved_moves(&self) -> Option<&ImagesByClass> {
        let by_class = self.predict.images_by_class.ready()?;
        (!by_class.is_saved).then_some(&**by_class)
    }

    /// Returns whether a file is being written that would be lost if the window closed: a table of predictions or an
    /// export.
    pub fn is_writing(&self) -> bool {
        let table = self.predict.prediction_table.as_ref();
        table.is_some_and(PredictionTableView::is_working) || self.exports.is_exporting()
    }

    /// Shows a file's folder in the system's file manager.
    pub fn reveal(&mut self, path: &Path) {
        let path = path.to_path_buf();
        self.task_or_notify(
            move |sources| sources.disk().reveal(&path),
            |session, folder| session.notify_revealed(&folder),
        );
    }

    /// Notifies the user that a folder was opened in the file manager.
    pub(super) fn notify_revealed(&mut self, folder: &Path) {
        let problem = Problem::new(tr!("notices-folder-opened")).at_path(folder);
        self.notify(problem, false);
    }

    pub(super) fn accept_prediction_table_state(
        &mut self,
        ticket: u64,
        state: PredictionTableState,
    ) {
        let table = self.predict.prediction_table.as_mut();
        let Some(table) = table.filter(|table| table.request.ticket == ticket) else {
            return;
        };
        table.state = state;
        if let PredictionTableState::Done(_) = table.state {
            let name = table.request.csv.file_name().unwrap_or_default();
            let message = message!("predict-table-written", table = name.to_string_lossy());
            let problem = Problem::new(message).advise(message!("predict-table-written-advice"));
            self.notify(problem, false);
            self.predict.images_by_class = Fetch::Busy;
            self.load_images_by_class();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_table_path_is_next_to_its_folder() {
        let table = default_table_path(Path::new("/pictures/birds"));
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        assert_eq!(table.parent(), Some(Path::new("/pictures")));
        assert!(name.starts_with("birds-predicted-2") && name.ends_with(".csv"), "{name}");
        assert!(default_table_path(Path::new("/")).is_absolute());
    }
}
