//! A folder of pictures predicted into a table: what was asked for, and how it stands.

use std::path::{Path, PathBuf};

use super::Session;
use super::sorted::SortedPictures;
use super::views::Fetch;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Command;
use crate::run::sheet::{SheetRequest, SheetState};

/// The table that was asked for last.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetView {
    /// What was asked.
    pub request: SheetRequest,
    /// How it stands.
    pub state: SheetState,
}

impl SheetView {
    /// Whether it is being made.
    pub fn is_working(&self) -> bool {
        matches!(self.state, SheetState::Working(_))
    }

    /// Whether it ended without a table.
    pub fn has_no_table(&self) -> bool {
        matches!(self.state, SheetState::Stopped | SheetState::Failed(_))
    }
}

/// The usual place of a folder's table: beside the folder, called like it and by the time, so that it
/// takes the place of none.
pub fn usual_table(folder: &Path) -> PathBuf {
    let time = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{name}-predicted-{time}.csv");
    folder
        .parent()
        .unwrap_or(folder)
        .join(name.trim_start_matches('-'))
}

impl Session {
    /// Has pictures of a folder, all of them where `only` names none, answered by the run that is asked on Predict, after
    /// the task looked at, in a table at `csv`. Returns whether they are.
    pub fn predict_folder(&mut self, folder: PathBuf, only: Vec<PathBuf>, csv: PathBuf) -> bool {
        let Some(run) = self.predict.run.clone() else {
            return false;
        };
        let asked = self.sheet_request(run, (folder, only), csv);
        match asked {
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
        (folder, only): (PathBuf, Vec<PathBuf>),
        csv: PathBuf,
    ) -> Result<SheetRequest> {
        let done = self.finished_tasks(&run);
        if done == 0 {
            return Err(Problem::new(message!("predict-problem-no-task")));
        }
        if let Some(problem) = self.weights_elsewhere(&run) {
            return Err(problem);
        }
        if !folder.is_absolute() || !csv.is_absolute() {
            return Err(Problem::new(message!("predict-problem-paths"))
                .advise(message!("predict-problem-paths-try")));
        }
        self.tickets += 1;
        let task = self.predict.task.min(done - 1);
        let refusal = self
            .answering(&run)
            .and_then(|expert| self.refusal(&run, task, expert));
        Ok(SheetRequest {
            ticket: self.tickets,
            task,
            run,
            folder,
            only,
            csv,
            threshold: refusal.map(|refusal| refusal.threshold),
        })
    }

    /// Makes the table no further; nothing of it is kept.
    pub fn stop_sheet(&mut self) {
        if let Some(sheet) = self
            .predict
            .sheet
            .as_ref()
            .filter(|sheet| sheet.is_working())
        {
            let ticket = sheet.request.ticket;
            self.backend.send(Command::StopSheet(ticket));
        }
    }

    /// Takes the table that has ended off the page; the file stays.
    pub fn leave_sheet(&mut self) {
        if self
            .predict
            .sheet
            .as_ref()
            .is_some_and(|sheet| !sheet.is_working())
        {
            self.predict.sheet = None;
            self.predict.sorted = Fetch::Nothing;
        }
    }

    /// The table in which the images that the user moved to other classes are not saved yet.
    pub fn unsaved_moves(&self) -> Option<&SortedPictures> {
        let sorted = self.predict.sorted.ready()?;
        (!sorted.is_kept).then_some(&**sorted)
    }

    /// Whether a file is being written that would be lost with the window: a table of predictions, an export.
    pub fn is_writing(&self) -> bool {
        let table = self.predict.sheet.as_ref();
        table.is_some_and(SheetView::is_working) || self.is_exporting()
    }

    /// Shows a file's folder in the desktop's own program for folders.
    pub fn reveal(&mut self, path: &Path) {
        let path = path.to_path_buf();
        self.task_or_tell(move |sources| sources.reveal(&path), |_, ()| {});
    }

    pub(super) fn take_sheet(&mut self, ticket: u64, state: SheetState) {
        if let Some(sheet) = &mut self.predict.sheet
            && sheet.request.ticket == ticket
        {
            if let SheetState::Done(_) = state {
                let name = sheet.request.csv.file_name().unwrap_or_default();
                let told = message!("predict-told-table", table = name.to_string_lossy());
                sheet.state = state;
                let told = Problem::new(told).advise(message!("predict-told-table-try"));
                self.notify(told, false);
                self.predict.sorted = Fetch::Busy;
                self.read_sorted();
            } else {
                sheet.state = state;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_lies_beside_its_folder_under_a_name_of_its_own() {
        let table = usual_table(Path::new("/pictures/birds"));
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        assert_eq!(table.parent(), Some(Path::new("/pictures")));
        assert!(
            name.starts_with("birds-predicted-2") && name.ends_with(".csv"),
            "{name}"
        );
        assert!(usual_table(Path::new("/")).is_absolute());
    }
}
