//! Predictions for all images of a folder, which are written to a table: the choice of folder and path, the progress,
//! and the finished table.

use std::path::{Path, PathBuf};

use egui::Ui;

use crate::message;
use crate::problem::Problem;
use crate::run::prediction_table::{PredictionTableCount, PredictionTableState};
use crate::session::Session;
use crate::session::file_dialog::DialogPurpose;
use crate::session::prediction_table::{
    PredictionTableRequest, PredictionTableView, default_table_path,
};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{
    self, button, card, faint, field, primary_button, sentence, truncated_faint,
};

/// The set-up of a table of predictions.
#[derive(Default)]
pub struct State {
    open: bool,
    folder: String,
    /// The images of the folder to include; empty for all images.
    included: Vec<PathBuf>,
    csv: String,
    all_columns: bool,
}

impl State {
    /// Selects a folder of images. The table is written next to it.
    pub fn choose_folder(&mut self, folder: &Path) {
        self.open = true;
        self.included.clear();
        self.folder = folder.display().to_string();
        self.csv = default_table_path(folder).display().to_string();
    }

    /// Selects some images. The table is written next to their common folder.
    ///
    /// # Errors
    /// Returns a Problem if there is no common folder, for example on two drives of Windows.
    pub fn choose_files(&mut self, files: &[PathBuf]) -> Result<(), Problem> {
        let folder = common_folder(files).ok_or_else(|| {
            Problem::new(message!("problem-no-common-folder"))
                .advise(message!("advice-one-drive-at-a-time"))
        })?;
        self.choose_folder(&folder);
        let inner = files.iter().filter_map(|file| file.strip_prefix(&folder).ok());
        self.included = inner.map(Path::to_path_buf).collect();
        Ok(())
    }

    /// Returns the request for the table that is set up.
    pub fn request(&self) -> PredictionTableRequest {
        PredictionTableRequest {
            folder: self.folder.trim().into(),
            only: self.included.clone(),
            csv: self.csv.trim().into(),
            all_columns: self.all_columns,
        }
    }

    /// Returns whether the user is setting up a table.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }
}

/// Returns the innermost folder that contains all of these files; `None` if there are no files or no common folder.
fn common_folder(files: &[PathBuf]) -> Option<PathBuf> {
    let mut folder = files.first()?.parent()?.to_path_buf();
    while !files.iter().all(|file| file.starts_with(&folder)) {
        folder = folder.parent()?.to_path_buf();
    }
    Some(folder)
}

/// Draws the card with the requested table, or the set-up of a new table. While a table is being written, it is shown
/// above the set-up.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let open = cx.pages.predict.prediction_table.open;
    let requested = cx.session.predict.prediction_table.as_ref();
    let shown = requested.filter(|table| !open || table.is_working());
    card(ui, |ui| {
        if shown.is_none() && !open {
            widgets::title_row(ui, tr!("predict-many-images"), |ui| {
                if ui.link(tr!("predict-many-choose-folder")).clicked() {
                    cx.pages.predict.prediction_table.open = true;
                }
            });
            return;
        }
        widgets::title(ui, tr!("predict-many-images"));
        if let Some(table) = shown {
            show_state(ui, cx, table);
        }
        if open {
            set_up(ui, cx, shown.is_some());
        }
    });
}

/// Draws the fields for a new table. `is_busy` says whether another table is still being written.
fn set_up(ui: &mut Ui, cx: &mut Cx<'_>, is_busy: bool) {
    if is_busy {
        ui.separator();
    } else {
        faint(ui, tr!("predict-many-about"));
    }
    let state = &mut cx.pages.predict.prediction_table;
    if state.included.is_empty() {
        let previous = state.folder.clone();
        let (label, hint) =
            (tr!("predict-many-image-folder"), tr!("predict-many-image-folder-hint"));
        let response = path_field(ui, label, hint, &mut state.folder);
        if response.changed() && state.folder != previous {
            state.csv = default_table_path(Path::new(state.folder.trim())).display().to_string();
        }
    } else {
        let n = state.included.len();
        let text = tr!("predict-many-images-of-folder", n, folder = &state.folder);
        truncated_faint(ui, &text).on_hover_text(&text);
    }
    let (label, hint) = (tr!("predict-many-table"), tr!("predict-many-table-hint"));
    path_field(ui, label, hint, &mut state.csv);
    widgets::checkbox(ui, &mut state.all_columns, tr!("predict-many-all-columns"))
        .on_hover_text(tr!("predict-many-all-columns-hint"));
    if let Some((learned, total)) = cx.session.unfinished_predictor() {
        let text = tr!("predict-many-unfinished", learned, n = total);
        sentence(ui, text);
    }
    let is_complete = !state.folder.trim().is_empty() && !state.csv.trim().is_empty();
    ui.horizontal_wrapped(|ui| {
        let response = primary_button(ui, tr!("predict-many-all"), is_complete && !is_busy);
        let response = match is_busy {
            true => response.on_disabled_hover_text(tr!("predict-many-other-table")),
            false => response,
        };
        if response.clicked() {
            let request = cx.pages.predict.prediction_table.request();
            cx.dispatch(UiCommand::PredictFolder(request));
        }
        if button(ui, tr!("predict-many-choose-image-folder")).clicked() {
            cx.change(|session| session.open_file_dialog(DialogPurpose::ImageFolder));
        }
        if button(ui, tr!("predict-many-cancel")).clicked() {
            cx.pages.predict.prediction_table = State::default();
            let requested = cx.session.predict.prediction_table.as_ref();
            let has_ended = requested.is_some_and(PredictionTableView::has_no_table);
            if has_ended {
                cx.dispatch(UiCommand::ClosePredictionTable);
            }
        }
    });
}

fn path_field(ui: &mut Ui, label: &str, hint: &str, text: &mut String) -> egui::Response {
    field(ui, label, |ui| ui.add(widgets::line_edit(text, f32::INFINITY).hint_text(hint)))
}

/// Draws the state of a requested table.
fn show_state(ui: &mut Ui, cx: &mut Cx<'_>, table: &PredictionTableView) {
    let folder = table.request.folder.display().to_string();
    truncated_faint(ui, &folder).on_hover_text(&folder);
    match &table.state {
        PredictionTableState::Working(count) => {
            show_progress(ui, *count);
            cx.change_button(ui, tr!("predict-many-stop"), Session::stop_prediction_table);
        }
        PredictionTableState::Done(count) => show_done(ui, cx, table, *count),
        PredictionTableState::Stopped => {
            faint(ui, tr!("predict-many-stopped"));
            new_table_button(ui, cx, table);
        }
        PredictionTableState::Failed(problem) => {
            widgets::problem(ui, problem);
            new_table_button(ui, cx, table);
        }
    }
}

/// Draws the progress of a table.
pub fn show_progress(ui: &mut Ui, count: PredictionTableCount) {
    if count.of == 0 {
        faint(ui, tr!("predict-many-preparing"));
        return;
    }
    let share = count.done as f64 / count.of as f64;
    widgets::progress(ui, share, tr!("predict-many-progress"));
    faint(ui, progress_text(count));
}

/// Returns the progress in words, such as "120 of 500 images, 2 cannot be read".
pub fn progress_text(count: PredictionTableCount) -> String {
    let done = match count.done == count.of {
        true => tr!("count-images", n = count.of),
        false => tr!("predict-many-done", done = count.done, n = count.of),
    };
    match count.unreadable {
        0 => done,
        n => tr!("predict-many-unreadable", count = done, n),
    }
}

fn show_done(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    table: &PredictionTableView,
    count: PredictionTableCount,
) {
    faint(ui, progress_text(count));
    let csv = &table.request.csv;
    let path = csv.display().to_string();
    truncated_faint(ui, &path).on_hover_text(&path);
    if let Some(problem) = cx.session.predict.images_by_class.problem() {
        widgets::problem(ui, problem);
    }
    ui.horizontal_wrapped(|ui| {
        let ready = cx.session.predict.images_by_class.ready().is_some();
        let hidden = ready && !cx.pages.predict.by_class.is_open();
        if hidden && button(ui, tr!("predict-many-show-by-class")).clicked() {
            cx.pages.predict.by_class.open();
        }
        if button(ui, tr!("predict-many-open-folder")).clicked() {
            let csv = csv.clone();
            cx.change(move |session| session.reveal(&csv));
        }
        if button(ui, tr!("predict-many-copy-path")).clicked() {
            cx.dispatch(UiCommand::CopyText(path));
        }
        new_table_button(ui, cx, table);
    });
}

/// Draws the button that sets up another table. After a failure, the fields keep their values.
fn new_table_button(ui: &mut Ui, cx: &mut Cx<'_>, table: &PredictionTableView) {
    if !button(ui, tr!("predict-many-other-images")).clicked() {
        return;
    }
    let request = &table.request;
    let previous = table.has_no_table().then(|| State {
        folder: request.folder.display().to_string(),
        included: request.only.clone(),
        csv: request.csv.display().to_string(),
        all_columns: request.all_columns,
        open: true,
    });
    cx.pages.predict.prediction_table =
        previous.unwrap_or(State { open: true, ..State::default() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_files_are_relative_to_common_folder() {
        let mut state = State::default();
        let files = ["/p/a/1.png".into(), "/p/b/2.png".into()];
        assert!(state.choose_files(&files).is_ok());
        assert_eq!(state.folder, "/p");
        assert_eq!(state.included, [PathBuf::from("a/1.png"), "b/2.png".into()]);
        assert!(state.csv.starts_with("/p-predicted-"), "{}", state.csv);
        state.choose_folder(Path::new("/p/a"));
        assert!(state.included.is_empty());
    }

    #[test]
    fn progress_text_counts_images() {
        let text_of =
            |done, unreadable, of| progress_text(PredictionTableCount { done, unreadable, of });
        assert_eq!(text_of(1, 0, 1), "1 image");
        assert_eq!(text_of(0, 0, 1), "0 of 1 image");
        assert_eq!(text_of(120, 2, 500), "120 of 500 images, 2 cannot be read");
    }
}
