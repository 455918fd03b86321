//! Predictions for a folder of images that are written to a table: the request and its state.

use std::path::{Path, PathBuf};

use super::Session;
use super::sorted::SortedImages;
use super::views::Fetch;
use super::words::with_timestamp;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Command;
use crate::run::sheet::{SheetRequest, SheetState};
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
pub struct SheetView {
    /// The request.
    pub request: SheetRequest,
    /// Its state.
    pub state: SheetState,
}

impl SheetView {
    /// Returns whether it is being written.
    pub fn is_working(&self) -> bool {
        matches!(self.state, SheetState::Working(_))
    }

    /// Returns whether it ended without writing a table.
    pub fn has_no_table(&self) -> bool {
        matches!(self.state, SheetState::Stopped | SheetState::Failed(_))
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
        match self.sheet_request(run, table) {
            Ok(request) => {
                self.backend.send(Command::Sheet(Box::new(request.clone())));
                let state = SheetState::Working(Default::default());
                self.predict.sheet = Some(SheetView { request, state });
                self.predict.sorted = Fetch::Nothing;
                true
            }
            Err(problem) => {
                self.notify(problem, true);
                false
            }
        }
    }

    fn sheet_request(
        &mut self,
        run: PathBuf,
        table: PredictionTableRequest,
    ) -> Result<SheetRequest> {
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
        let refusal = expert.and_then(|expert| self.refusal(&run, task, expert));
        Ok(SheetRequest {
            ticket: self.tickets,
            task,
            run,
            folder: table.folder,
            only: table.only,
            csv: table.csv,
            all_columns: table.all_columns,
            threshold: refusal.map(|refusal| refusal.threshold),
        })
    }

    /// Stops writing the table and removes its file.
    pub fn stop_sheet(&mut self) {
        let sheet = self.predict.sheet.as_ref();
        if let Some(sheet) = sheet.filter(|sheet| sheet.is_working()) {
            let ticket = sheet.request.ticket;
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Closes the finished table; its file is kept.
    pub fn close_sheet(&mut self) {
        let sheet = &mut self.predict.sheet;
        if sheet.take_if(|sheet| !sheet.is_working()).is_some() {
            self.predict.sorted = Fetch::Nothing;
        }
    }

    /// Returns the table's images if there are unsaved moves of images between classes.
    pub fn unsaved_moves(&self) -> Option<&SortedImages> {
        let sorted = self.predict.sorted.ready()?;
        (!sorted.is_saved).then_some(&**sorted)
    }

    /// Returns whether a file is being written that would be lost if the window closed: a table of predictions or an
    /// export.
    pub fn is_writing(&self) -> bool {
        let table = self.predict.sheet.as_ref();
        table.is_some_and(SheetView::is_working) || self.exports.is_exporting()
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

    pub(super) fn accept_sheet_state(&mut self, ticket: u64, state: SheetState) {
        let sheet = self.predict.sheet.as_mut();
        let Some(sheet) = sheet.filter(|sheet| sheet.request.ticket == ticket) else {
            return;
        };
        sheet.state = state;
        if let SheetState::Done(_) = sheet.state {
            let name = sheet.request.csv.file_name().unwrap_or_default();
            let message = message!("predict-table-written", table = name.to_string_lossy());
            let problem = Problem::new(message).advise(message!("predict-table-written-advice"));
            self.notify(problem, false);
            self.predict.sorted = Fetch::Busy;
            self.load_sorted_images();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_lies_beside_its_folder_under_a_name_of_its_own() {
        let table = default_table_path(Path::new("/pictures/birds"));
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        assert_eq!(table.parent(), Some(Path::new("/pictures")));
        assert!(name.starts_with("birds-predicted-2") && name.ends_with(".csv"), "{name}");
        assert!(default_table_path(Path::new("/")).is_absolute());
    }
}
