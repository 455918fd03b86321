//! The page that sets up a run: data, backbone, PET and method, with problems and cost.

mod backbone;
mod chips;
mod data;
mod details;
mod grid;
mod method;
mod pet;
mod presets;
mod problems;
mod setting;
mod start;
mod tasks;
mod trial;
mod value_lists;

use std::collections::HashMap;
use std::sync::Arc;

use egui::{DragValue, Response, Ui, Vec2};

pub use data::thumbs;
pub use details::Part;
pub use grid::lines as grid_lines;
pub use pet::equations;
pub use trial::{progress as trial_progress, table as trial_table};
pub use value_lists::keys as grid_keys;

use crate::data::{Dataset, builtin};
use crate::method::find_method;
use crate::run::config::{RunConfig, SETTINGS, SettingGroup};
use crate::tr;
use crate::ui::cached::{Cached, Shared};
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{CONTROL_HEIGHT, NARROW_WIDTH};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{
    self, Column, Fixed, StepState, button, card, columns, footer, icon_button, primary_button,
    terms, two_columns,
};

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    /// The path of a dataset that is being typed.
    pub path: String,
    /// Whether the user is choosing a folder as the dataset.
    pub choosing_folder: bool,
    /// The path of a weight file that is being typed.
    pub weights_path: String,
    /// The typed text of the field with the values of a weight file.
    pub backbone_values: String,
    /// Whether the user is choosing a weight file.
    pub choosing_weights: bool,
    /// Whether the list of skipped files is open.
    pub show_skipped: bool,
    /// Whether the list of images in both splits is open.
    pub show_duplicates: bool,
    /// Whether the list of images with two labels is open.
    pub show_two_labels: bool,
    /// The part of the data card that is open.
    pub open_part: Option<Part>,
    /// The epoch whose training images are shown, from 0.
    pub input_epoch: usize,
    /// Shifts which images of the classes are shown.
    pub input_shift: usize,
    /// Whether the list of corrected labels is open.
    pub show_corrected: bool,
    /// The steps that are expanded. Each of the others is one line.
    pub expanded: Vec<SettingGroup>,
    /// Whether the advanced settings are visible.
    pub show_advanced: bool,
    /// For each setting with several values, the new value that is being typed.
    values: HashMap<&'static str, NewValue>,
    /// Whether a change of the settings can be undone in this frame.
    pub can_undo: bool,
    /// A cache of the missing fonts for a dataset's class names.
    pub fonts: Cached<Shared<Dataset>, Vec<String>>,
    /// A cache of a dataset's classes in natural order.
    pub sorted: Cached<Shared<Dataset>, Arc<Vec<usize>>>,
}

/// A new value for a setting with several values, while it is being typed.
#[derive(Default)]
struct NewValue {
    text: String,
    /// Whether the user tried to add it although it is invalid.
    is_rejected: bool,
}

impl State {
    /// Cancels the choice of a file or folder.
    pub fn cancel_choice(&mut self) {
        (self.choosing_folder, self.choosing_weights) = (false, false);
    }
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    // The start button is at the bottom, so that it is visible at every window size.
    let fixed = Fixed::Right(320.0);
    if ui.available_width() < NARROW_WIDTH {
        footer(ui, "start", |ui| start::start_bar(ui, cx));
        two_columns(ui, cx, fixed, left_column, |ui, cx, column| {
            right_column(ui, cx, column);
            start::more(ui, cx);
        });
    } else {
        columns(ui, cx, fixed, left_column, right_column, |ui, cx| {
            footer(ui, "start", |ui| start::start_card(ui, cx));
        });
    }
}

fn left_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    recovery_card(ui, cx);
    if cx.session.experiment.grid.opened.is_some() {
        // The settings are not shown, because an opened grid does not use them.
        let height = column.remaining_height(ui, 360.0) - 90.0;
        return grid::show_opened(ui, cx, height);
    }
    data::data_card(ui, cx);
    backbone::backbone(ui, cx);
    pet::pet_card(ui, cx);
    method::method(ui, cx);
}

/// Draws a card with the state that the last window left: the run in progress and, after a crash, the set-up and
/// folders. They are not restored automatically, because they may have caused the crash.
fn recovery_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    let run = cx.session.resumable_run().map(|row| {
        let (done, total) = (row.answer_history().accuracy.len(), row.tasks());
        let title = row.title();
        let text = tr!("experiment-last-run-progress", title, done, n = total);
        (row.folder.clone(), text)
    });
    let summary = cx.session.former.is_pending().then(|| former_summary(cx));
    let title = match (cx.session.former.crashed, &run, &summary) {
        (_, None, None) => return,
        (true, ..) => tr!("experiment-last-crashed"),
        (false, Some(_), _) => tr!("experiment-last-run-in-progress"),
        (false, None, _) => tr!("experiment-earlier-settings-saved"),
    };
    card(ui, |ui| {
        widgets::title(ui, title);
        if let Some((folder, text)) = &run {
            widgets::sentence(ui, text.clone());
            ui.horizontal(|ui| {
                if primary_button(ui, tr!("experiment-last-run-resume"), true).clicked() {
                    cx.dispatch(UiCommand::Resume(folder.clone(), None));
                }
                if button(ui, tr!("experiment-last-not-now")).clicked() {
                    cx.change(|session| session.former.interrupted = None);
                }
            });
        }
        if let Some(summary) = &summary {
            let kept = summary.as_str();
            let text = match cx.session.former.crashed {
                true => tr!("experiment-crashed-settings", kept),
                false => tr!("experiment-earlier-crash-settings", kept),
            };
            widgets::sentence(ui, text);
            ui.horizontal(|ui| {
                if primary_button(ui, tr!("experiment-earlier-restore"), true).clicked() {
                    cx.dispatch(UiCommand::RestoreSettings);
                }
                cx.change_button(ui, tr!("experiment-earlier-discard"), |s| {
                    s.former.discard();
                });
            });
        }
    });
}

/// Returns a description of the set-up and folders of a crashed window.
fn former_summary(cx: &Cx<'_>) -> String {
    let folders = match cx.session.former.folders.len() {
        0 => None,
        n => Some(tr!("experiment-earlier-run-folders", n)),
    };
    let setup = cx.session.former.config.as_ref();
    match (setup.map(|config| cx.session.title_of(config)), folders) {
        (Some(setup), Some(folders)) => {
            tr!("experiment-settings-and-folders", setup, folders)
        }
        (setup, folders) => setup.or(folders).unwrap_or_default(),
    }
}

fn right_column(ui: &mut Ui, cx: &mut Cx<'_>, _column: Column) {
    // Users with their own images are offered a trial instead of presets.
    let data = cx.session.experiment.data.ready();
    let has_own_images =
        data.is_some_and(|view| !builtin::names().any(|name| name == &*view.location));
    if !has_own_images {
        presets::presets_card(ui, cx);
    }
    // For a grid, the list of runs shows the problems of each run.
    if !cx.session.has_grid() {
        problems::problem_card(ui, cx);
        trial::trial(ui, cx);
        problems::remarks(ui, cx);
        trial::backbones(ui, cx);
    }
    if has_own_images {
        presets::presets_card(ui, cx);
    }
    value_lists::several_values_card(ui, cx);
}

/// Draws a step of the set-up: a line with its title (a glossary term) and a summary. If the step is expanded, `body`
/// is drawn below.
fn step(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    group: SettingGroup,
    state: StepState,
    (title, term): (&str, &str),
    end: impl FnOnce(&mut Ui, &mut Cx<'_>, bool),
    body: impl FnOnce(&mut Ui, &mut Cx<'_>),
) {
    let open = cx.pages.experiment.expanded.contains(&group);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| {
                widgets::step_icon(ui, state);
                terms::term_title(ui, title, term);
            },
            |ui| {
                let (icon, name) = match open {
                    true => (Icon::Up, tr!("experiment-step-close", step = title)),
                    false => (Icon::Down, tr!("experiment-step-open", step = title)),
                };
                if icon_button(ui, icon, &name, 20.0).clicked() {
                    let expanded = &mut cx.pages.experiment.expanded;
                    match open {
                        true => expanded.retain(|other| *other != group),
                        false => expanded.push(group),
                    }
                }
                end(ui, cx, open);
            },
        );
        if open {
            body(ui, cx);
        }
    });
}

/// Returns the state of a group of settings, from the options that the problems name.
fn group_state(cx: &Cx<'_>, group: SettingGroup) -> StepState {
    let is_in_group = |option: &str| {
        let mut specs = SETTINGS.iter().map(|setting| &setting.spec);
        match specs.find(|spec| spec.cli_usage() == option) {
            Some(spec) => spec.group == group,
            // Any other option is a setting of the method.
            None => {
                group == SettingGroup::Method
                    && is_method_option(&cx.session.experiment.draft, option)
            }
        }
    };
    let concerns_group = |option: &str| option.split([',', ':', ' ']).any(is_in_group);
    let problems = &cx.session.experiment.plan.problems;
    match problems.iter().any(|problem| concerns_group(&problem.place)) {
        true => StepState::Wrong,
        false => StepState::Good,
    }
}

/// Returns whether this option is one of the method's own settings.
fn is_method_option(draft: &RunConfig, option: &str) -> bool {
    let settings = find_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    option == "--set" || settings.iter().any(|spec| spec.cli_usage() == option)
}

/// Draws a number that can be dragged or typed, in a field of normal width.
fn number(ui: &mut Ui, value: DragValue<'_>) -> Response {
    wide_number(ui, value, 56.0)
}

/// Draws a number as [`number`], in a field of this width.
fn wide_number(ui: &mut Ui, value: DragValue<'_>, width: f32) -> Response {
    ui.add(value.min_size(Vec2::new(width, CONTROL_HEIGHT)))
}

/// Draws a row of labels and inputs that are vertically centred.
fn row(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = CONTROL_HEIGHT;
        ui.horizontal_wrapped(add);
    });
}
