//! The page that predicts an image with a run. The image can be dropped, pasted or drawn. The page shows the experts'
//! scores and energies, which expert decided and why, and the predictions of all task snapshots.

mod answer;
mod board;
pub mod by_class;
mod inside;
pub mod prediction_table;
mod rejection;
mod samples;
mod source;
mod task_slider;

use std::path::{Path, PathBuf};

use egui::Ui;

use crate::run::event::RunHeader;
use crate::session::Session;
use crate::session::drawing::Drawing;
use crate::session::views::RunRow;
use crate::tr;
use crate::ui::cached::Cached;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::NARROW_WIDTH;
use crate::ui::widgets::input::{self, Pasted};
use crate::ui::widgets::{self, Fixed, columns, primary_button};

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    /// Whether the canvas is shown instead of an image; `None` until the user decides.
    draw: Option<bool>,
    drawing: Drawing,
    /// Number of changes of the drawing so far.
    changes: u64,
    /// The last request to predict the drawing.
    requested: Option<DrawingRequest>,
    /// Whether strokes are dark, as in the dataset of the run that was used last.
    dark: bool,
    playing: bool,
    next_step: f64,
    samples_from: usize,
    input_texture: Cached<(u64, usize), egui::TextureHandle>,
    /// The path that is being typed.
    path: String,
    /// The set-up of a table of predictions for a folder.
    pub prediction_table: prediction_table::State,
    /// The state of the gallery of a folder's images by class.
    by_class: by_class::State,
    /// Whether every image is assigned to a class, even if it is unlike all of them.
    always_classifies: bool,
    inside: inside::State,
}

/// A request to predict the drawing: the run, the style, and the number of changes.
#[derive(Clone, Debug, PartialEq)]
struct DrawingRequest {
    run: Option<PathBuf>,
    light: bool,
    share: Option<f32>,
    changes: u64,
}

impl State {
    /// Shows an image instead of the canvas. Returns whether the canvas may have been visible.
    pub fn show_image(&mut self) -> bool {
        self.requested = None;
        self.by_class.close();
        self.draw.replace(false) != Some(false)
    }

    /// Resets the set-up of a table after it was requested, and shows the images of the table by class.
    pub fn begin_prediction_table(&mut self) {
        self.prediction_table = prediction_table::State::default();
        self.by_class.open();
    }
}

/// Returns folder and title of the runs that can predict: the current run first, then the stored runs, newest first.
pub fn prediction_runs(session: &Session) -> impl Iterator<Item = (PathBuf, String)> {
    let live = live_run(session);
    let folder = live.as_ref().map(|(folder, _)| *folder);
    let others = session.rows().filter(|row| row.is_measured());
    let others = others.filter(move |row| folder != Some(&*row.folder));
    let live = live.map(|(folder, title)| (folder.to_path_buf(), title));
    live.into_iter().chain(others.map(|row| (row.folder.clone(), row.list_label())))
}

/// Returns the title of a run in the list of [`prediction_runs`]; `None` if it is not in the list.
fn run_title(session: &Session, folder: &Path) -> Option<String> {
    let live = live_run(session).filter(|(live, _)| *live == folder);
    let row = || session.row(folder).filter(|row| row.is_measured());
    live.map(|(_, title)| title).or_else(|| row().map(RunRow::list_label))
}

/// Returns folder and title of the current or last run if it can predict.
fn live_run(session: &Session) -> Option<(&Path, String)> {
    let run = session.train.live.as_ref()?;
    let header = run.header.as_ref().filter(|_| !run.reports.is_empty())?;
    let title = match run.stage.is_live() {
        true => tr!("predict-still-learning", run = &run.title),
        false => run.title.clone(),
    };
    Some((&header.folder, title))
}

/// Returns the header of the selected run.
fn run_header<'a>(cx: &Cx<'a>) -> Option<&'a RunHeader> {
    cx.session.header_of(cx.session.predict.run.as_ref()?)
}

/// Returns whether the selected run's dataset is being opened, unless it is open. Until then, the style of its strokes
/// is not known.
fn is_data_loading(cx: &Cx<'_>) -> bool {
    run_header(cx).is_some_and(|header| {
        let config = &header.config;
        !cx.session.needs_permission(config) && !cx.session.data_is_missing(config)
    })
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some((first, _)) = prediction_runs(cx.session).next() else {
        widgets::empty_page(ui, tr!("predict-no-run"), tr!("predict-no-run-about"), |ui| {
            if primary_button(ui, tr!("predict-set-up-experiment"), true).clicked() {
                cx.dispatch(UiCommand::Show(Page::Experiment));
            }
        });
        return;
    };
    if cx.session.predict.run.is_none() {
        cx.change(move |session| session.choose_predictor(first));
    }
    handle_pasted(ui, cx);
    handle_arrow_keys(ui, cx);
    // The width is chosen so that the prediction is next to the image at every window size.
    let left_width = match ui.available_width() {
        width if width >= NARROW_WIDTH => 332.0,
        width if width >= 640.0 => 264.0,
        _ => 206.0,
    };
    let (fixed, foot) = (Fixed::Left(left_width), task_slider::show_at_bottom);
    columns(ui, cx, fixed, source::left_column, answer::right_column, foot);
}

/// Handles the arrow keys, which select the previous or next task, whichever widget has the focus, unless a text is
/// being edited or a dialog is open.
fn handle_arrow_keys(ui: &Ui, cx: &mut Cx<'_>) {
    let ctx = ui.ctx();
    if input::is_covered(ctx) || ctx.text_edit_focused() {
        return;
    }
    let (back, forward) = input::arrow_presses(ui);
    let last = task_slider::task_count(cx).saturating_sub(1);
    let current = cx.session.predict.task;
    let task = (current + forward).min(last).saturating_sub(back);
    if task != current && back + forward > 0 {
        task_slider::select_task(cx, task);
        cx.pages.predict.playing = false;
    }
}

/// Handles images and paths that are pasted.
fn handle_pasted(ui: &Ui, cx: &mut Cx<'_>) {
    // An open dialog receives pasted items instead.
    if input::is_dialog_open(ui.ctx()) {
        return;
    }
    let mut files = Vec::new();
    for item in input::pasted_items(ui.ctx()) {
        match item {
            Pasted::Image(image) => cx.dispatch(UiCommand::PredictImage(image, None)),
            Pasted::File(path) => files.push(path),
        }
    }
    if !files.is_empty() {
        cx.dispatch(UiCommand::PredictFiles(files));
    }
}
