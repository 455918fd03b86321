//! Predictions for all images of a folder, which are written to a table: the choice of folder and path, the progress,
//! and the finished table.

use std::path::{Path, PathBuf};

use egui::Ui;

use crate::message;
use crate::problem::Problem;
use crate::run::sheet::{SheetCount, SheetState};
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::sheet::{SheetView, TableWanted, usual_table};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, button, card, cut, faint, field, primary_button, sentence};

/// The set-up of a table of predictions.
#[derive(Default)]
pub struct State {
    open: bool,
    folder: String,
    /// The images of the folder to include; empty for all images.
    only: Vec<PathBuf>,
    csv: String,
    all_columns: bool,
}

impl State {
    /// Selects a folder of images. The table is written next to it.
    pub fn choose(&mut self, folder: &Path) {
        self.open = true;
        self.only.clear();
        self.folder = folder.display().to_string();
        self.csv = usual_table(folder).display().to_string();
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
        self.choose(&folder);
        let inner = files
            .iter()
            .filter_map(|file| file.strip_prefix(&folder).ok());
        self.only = inner.map(Path::to_path_buf).collect();
        Ok(())
    }

    /// Returns the request for the table that is set up.
    pub fn wanted(&self) -> TableWanted {
        TableWanted {
            folder: self.folder.trim().into(),
            only: self.only.clone(),
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
pub(super) fn sheet(ui: &mut Ui, cx: &mut Cx<'_>) {
    let open = cx.pages.predict.sheet.open;
    let asked = cx.session.predict.sheet.as_ref();
    let shown = asked.filter(|sheet| !open || sheet.is_working());
    card(ui, |ui| {
        if shown.is_none() && !open {
            widgets::title_row(ui, tr!("predict-many-images"), |ui| {
                if ui.link(tr!("predict-many-choose-folder")).clicked() {
                    cx.pages.predict.sheet.open = true;
                }
            });
            return;
        }
        widgets::title(ui, tr!("predict-many-images"));
        if let Some(sheet) = shown {
            stands(ui, cx, sheet);
        }
        if open {
            set_up(ui, cx, shown.is_some());
        }
    });
}

/// Draws the fields for a new table. `waits` says whether another table is still being written.
fn set_up(ui: &mut Ui, cx: &mut Cx<'_>, waits: bool) {
    if waits {
        ui.separator();
    } else {
        faint(ui, tr!("predict-many-about"));
    }
    let state = &mut cx.pages.predict.sheet;
    if state.only.is_empty() {
        let before = state.folder.clone();
        let (label, hint) = (
            tr!("predict-many-image-folder"),
            tr!("predict-many-image-folder-hint"),
        );
        let response = path(ui, label, hint, &mut state.folder);
        if response.changed() && state.folder != before {
            state.csv = usual_table(Path::new(state.folder.trim()))
                .display()
                .to_string();
        }
    } else {
        let n = state.only.len();
        let words = tr!("predict-many-images-of-folder", n, folder = &state.folder);
        cut(ui, &words).on_hover_text(&words);
    }
    let (label, hint) = (tr!("predict-many-table"), tr!("predict-many-table-hint"));
    path(ui, label, hint, &mut state.csv);
    widgets::checkbox(ui, &mut state.all_columns, tr!("predict-many-all-columns"))
        .on_hover_text(tr!("predict-many-all-columns-hint"));
    if let Some((learned, all)) = cx.session.unfinished_predictor() {
        let words = tr!("predict-many-unfinished", learned, n = all);
        sentence(ui, words);
    }
    let is_whole = !state.folder.trim().is_empty() && !state.csv.trim().is_empty();
    ui.horizontal_wrapped(|ui| {
        let all = primary_button(ui, tr!("predict-many-all"), is_whole && !waits);
        let all = match waits {
            true => all.on_disabled_hover_text(tr!("predict-many-other-table")),
            false => all,
        };
        if all.clicked() {
            let wanted = cx.pages.predict.sheet.wanted();
            cx.act(UiCommand::PredictFolder(wanted));
        }
        if button(ui, tr!("predict-many-choose-image-folder")).clicked() {
            cx.change(|session| session.pick(DialogPurpose::Pictures));
        }
        if button(ui, tr!("predict-many-cancel")).clicked() {
            cx.pages.predict.sheet = State::default();
            let asked = cx.session.predict.sheet.as_ref();
            let ended = asked.is_some_and(SheetView::has_no_table);
            if ended {
                cx.act(UiCommand::LeaveSheet);
            }
        }
    });
}

fn path(ui: &mut Ui, label: &str, hint: &str, text: &mut String) -> egui::Response {
    field(ui, label, |ui| {
        ui.add(widgets::line_edit(text, f32::INFINITY).hint_text(hint))
    })
}

/// Draws the state of a requested table.
fn stands(ui: &mut Ui, cx: &mut Cx<'_>, sheet: &SheetView) {
    let folder = sheet.request.folder.display().to_string();
    cut(ui, &folder).on_hover_text(&folder);
    match &sheet.state {
        SheetState::Working(count) => {
            working(ui, *count);
            cx.change_button(ui, tr!("predict-many-stop"), Session::stop_sheet);
        }
        SheetState::Done(count) => done(ui, cx, sheet, *count),
        SheetState::Stopped => {
            faint(ui, tr!("predict-many-stopped"));
            again(ui, cx, sheet);
        }
        SheetState::Failed(problem) => {
            widgets::problem(ui, problem);
            again(ui, cx, sheet);
        }
    }
}

/// Draws the progress of a table.
pub fn working(ui: &mut Ui, count: SheetCount) {
    if count.of == 0 {
        faint(ui, tr!("predict-many-preparing"));
        return;
    }
    let share = count.done as f64 / count.of as f64;
    widgets::progress(ui, share, tr!("predict-many-progress"));
    faint(ui, words(count));
}

/// Returns the progress in words, such as "120 of 500 images, 2 cannot be read".
pub fn words(count: SheetCount) -> String {
    let done = match count.done == count.of {
        true => tr!("count-images", n = count.of),
        false => tr!("predict-many-done", done = count.done, n = count.of),
    };
    match count.unreadable {
        0 => done,
        n => tr!("predict-many-unreadable", count = done, n),
    }
}

fn done(ui: &mut Ui, cx: &mut Cx<'_>, sheet: &SheetView, count: SheetCount) {
    faint(ui, words(count));
    let csv = &sheet.request.csv;
    let place = csv.display().to_string();
    cut(ui, &place).on_hover_text(&place);
    if let Some(problem) = cx.session.predict.sorted.problem() {
        widgets::problem(ui, problem);
    }
    ui.horizontal_wrapped(|ui| {
        let ready = cx.session.predict.sorted.ready().is_some();
        let hidden = ready && !cx.pages.predict.sorted.is_open();
        if hidden && button(ui, tr!("predict-many-show-by-class")).clicked() {
            cx.pages.predict.sorted.open();
        }
        if button(ui, tr!("predict-many-open-folder")).clicked() {
            let csv = csv.clone();
            cx.change(move |session| session.reveal(&csv));
        }
        if button(ui, tr!("predict-many-copy-path")).clicked() {
            cx.act(UiCommand::CopyText(place));
        }
        again(ui, cx, sheet);
    });
}

/// Draws the button that sets up another table. After a failure, the fields keep their values.
fn again(ui: &mut Ui, cx: &mut Cx<'_>, sheet: &SheetView) {
    if !button(ui, tr!("predict-many-other-images")).clicked() {
        return;
    }
    let request = &sheet.request;
    let before = sheet.has_no_table().then(|| State {
        folder: request.folder.display().to_string(),
        only: request.only.clone(),
        csv: request.csv.display().to_string(),
        all_columns: request.all_columns,
        open: true,
    });
    cx.pages.predict.sheet = before.unwrap_or(State {
        open: true,
        ..State::default()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_pictures_are_named_from_the_folder_that_holds_them_all() {
        let mut state = State::default();
        let files = ["/p/a/1.png".into(), "/p/b/2.png".into()];
        assert!(state.choose_files(&files).is_ok());
        assert_eq!(state.folder, "/p");
        assert_eq!(state.only, [PathBuf::from("a/1.png"), "b/2.png".into()]);
        assert!(state.csv.starts_with("/p-predicted-"), "{}", state.csv);
        state.choose(Path::new("/p/a"));
        assert!(state.only.is_empty());
    }

    #[test]
    fn one_picture_is_no_pictures() {
        let words_of = |done, unreadable, of| {
            words(SheetCount {
                done,
                unreadable,
                of,
            })
        };
        assert_eq!(words_of(1, 0, 1), "1 image");
        assert_eq!(words_of(0, 0, 1), "0 of 1 image");
        assert_eq!(words_of(120, 2, 500), "120 of 500 images, 2 cannot be read");
    }
}
