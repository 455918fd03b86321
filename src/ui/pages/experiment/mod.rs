//! The page that sets up a run: data, backbone, PET and method, with problems and cost.

mod backbone;
mod chips;
mod data;
mod details;
mod fixes;
mod grid;
mod method;
mod model;
mod presets;
mod ready;
mod setting;
mod several;
mod tasks;
mod trial;

use std::collections::HashMap;
use std::sync::Arc;

use egui::{DragValue, Response, Ui, Vec2};

pub use data::thumbs;
pub use details::Part;
pub use grid::lines as grid_lines;
pub use model::equations;
pub use several::keys as grid_keys;
pub use trial::{progress as trial_progress, table as trial_table};

use crate::data::builtin;
use crate::method::named_method;
use crate::run::config::{RunConfig, SETTINGS, SettingGroup};
use crate::tr;
use crate::ui::cached::Cached;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{CONTROL, NARROW};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{
    self, Column, Fixed, StepState, button, card, columns, foot, icon_button, primary_button,
    terms, two_columns,
};

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    /// The path of a dataset that is being typed.
    pub path: String,
    /// Whether the user is choosing a folder as the dataset.
    pub folder: bool,
    /// The path of a weight file that is being typed.
    pub weights_path: String,
    /// The typed text of the field with the values of a weight file.
    pub backbone_values: String,
    /// Whether the user is choosing a weight file.
    pub weights: bool,
    /// Whether the list of skipped files is open.
    pub skipped: bool,
    /// Whether the list of images in both splits is open.
    pub duplicates: bool,
    /// Whether the list of images with two labels is open.
    pub two_labels: bool,
    /// The part of the data card that is open.
    pub part: Option<Part>,
    /// The epoch whose training images are shown, from 0.
    pub sight_epoch: usize,
    /// Shifts which images of the classes are shown.
    pub sight_shift: usize,
    /// Whether the list of corrected labels is open.
    pub corrected: bool,
    /// The steps that are expanded. Each of the others is one line.
    pub open: Vec<SettingGroup>,
    /// Whether the advanced settings are visible.
    pub more: bool,
    /// For each setting with several values, the new value that is being typed.
    values: HashMap<&'static str, NewValue>,
    /// Whether a change of the settings can be undone in this frame.
    pub can_undo: bool,
    /// A cache of the missing fonts for a dataset's class names, with the dataset's key.
    pub fonts: Cached<Arc<str>, Vec<String>>,
    /// A cache of a dataset's classes in natural order, with the dataset's key.
    pub sorted: Cached<Arc<str>, Arc<Vec<usize>>>,
}

/// A new value for a setting with several values, while it is being typed.
#[derive(Default)]
struct NewValue {
    text: String,
    /// Why the value is invalid.
    wrong: Option<String>,
}

impl State {
    /// Cancels the choice of a file or folder.
    pub fn leave(&mut self) {
        (self.folder, self.weights) = (false, false);
    }
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    // The start button is at the bottom, so that it is visible at every window size.
    let fixed = Fixed::Right(320.0);
    if ui.available_width() < NARROW {
        foot(ui, "start", |ui| ready::bar(ui, cx));
        two_columns(ui, cx, fixed, left, |ui, cx, column| {
            right(ui, cx, column);
            ready::more(ui, cx);
        });
    } else {
        columns(ui, cx, fixed, left, right, |ui, cx| {
            foot(ui, "start", |ui| ready::ready(ui, cx));
        });
    }
}

fn left(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    left_behind(ui, cx);
    if cx.session.experiment.grid.opened.is_some() {
        // The settings are not shown, because an opened grid does not use them.
        let height = column.rest(ui, 360.0) - 90.0;
        return grid::opened(ui, cx, height);
    }
    data::card_of_data(ui, cx);
    backbone::backbone(ui, cx);
    model::pet(ui, cx);
    method::method(ui, cx);
}

/// Draws a card with the state that the last window left: the run in progress and, after a crash, the set-up and
/// folders. They are not restored automatically, because they may have caused the crash.
fn left_behind(ui: &mut Ui, cx: &mut Cx<'_>) {
    let run = cx.session.to_go_on_with().map(|row| {
        let (done, all) = (row.answers().accuracy.len(), row.tasks());
        let title = row.title();
        let words = tr!("experiment-last-run-progress", title, done, n = all);
        (row.folder.clone(), words)
    });
    let kept = cx.session.former.waits().then(|| kept(cx));
    let title = match (cx.session.former.crashed, &run, &kept) {
        (_, None, None) => return,
        (true, ..) => tr!("experiment-last-crashed"),
        (false, Some(_), _) => tr!("experiment-last-run-in-progress"),
        (false, None, _) => tr!("experiment-earlier-settings-saved"),
    };
    card(ui, |ui| {
        widgets::title(ui, title);
        if let Some((folder, words)) = &run {
            widgets::sentence(ui, words.clone());
            ui.horizontal(|ui| {
                if primary_button(ui, tr!("experiment-last-run-resume"), true).clicked() {
                    cx.act(UiCommand::Resume(folder.clone(), None));
                }
                if button(ui, tr!("experiment-last-not-now")).clicked() {
                    cx.change(|session| session.former.interrupted = None);
                }
            });
        }
        if let Some(kept) = &kept {
            let kept = kept.as_str();
            let words = match cx.session.former.crashed {
                true => tr!("experiment-crashed-settings", kept),
                false => tr!("experiment-earlier-crash-settings", kept),
            };
            widgets::sentence(ui, words);
            ui.horizontal(|ui| {
                if primary_button(ui, tr!("experiment-earlier-restore"), true).clicked() {
                    cx.act(UiCommand::RestoreSettings);
                }
                cx.change_button(ui, tr!("experiment-earlier-discard"), |s| s.former.forget());
            });
        }
    });
}

/// Returns a description of the set-up and folders of a crashed window.
fn kept(cx: &Cx<'_>) -> String {
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

fn right(ui: &mut Ui, cx: &mut Cx<'_>, _column: Column) {
    // Users with their own images are offered a trial instead of presets.
    let own = cx.session.experiment.data.ready();
    let own = own.is_some_and(|view| !builtin::names().any(|name| name == &*view.place));
    if !own {
        presets::presets_card(ui, cx);
    }
    // For a grid, the list of runs shows the problems of each run.
    if !cx.session.has_grid() {
        fixes::problems(ui, cx);
        trial::trial(ui, cx);
        fixes::remarks(ui, cx);
        trial::backbones(ui, cx);
    }
    if own {
        presets::presets_card(ui, cx);
    }
    several::card_of_several(ui, cx);
}

/// Draws a step of the set-up: a line with its title (a glossary term) and a summary. If the step is expanded, `rest`
/// is drawn below.
fn step(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    group: SettingGroup,
    stand: StepState,
    (title, term): (&str, &str),
    end: impl FnOnce(&mut Ui, &mut Cx<'_>, bool),
    rest: impl FnOnce(&mut Ui, &mut Cx<'_>),
) {
    let open = cx.pages.experiment.open.contains(&group);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| {
                widgets::standing(ui, stand);
                terms::title_of(ui, title, term);
            },
            |ui| {
                let (icon, name) = match open {
                    true => (Icon::Up, tr!("experiment-step-close", step = title)),
                    false => (Icon::Down, tr!("experiment-step-open", step = title)),
                };
                if icon_button(ui, icon, &name, 20.0).clicked() {
                    let all = &mut cx.pages.experiment.open;
                    match open {
                        true => all.retain(|other| *other != group),
                        false => all.push(group),
                    }
                }
                end(ui, cx, open);
            },
        );
        if open {
            rest(ui, cx);
        }
    });
}

/// Returns the state of a group of settings, from the options that the problems name.
fn standing(cx: &Cx<'_>, group: SettingGroup) -> StepState {
    let of_group = |word: &str| {
        let mut all = SETTINGS.iter().map(|setting| &setting.spec);
        match all.find(|spec| spec.place() == word) {
            Some(spec) => spec.group == group,
            // Any other option is a setting of the method.
            None => group == SettingGroup::Method && is_own(&cx.session.experiment.draft, word),
        }
    };
    let mine = |place: &str| place.split([',', ':', ' ']).any(of_group);
    let problems = &cx.session.experiment.plan.problems;
    match problems.iter().any(|problem| mine(&problem.place)) {
        true => StepState::Wrong,
        false => StepState::Good,
    }
}

/// Returns whether this option is one of the method's own settings.
fn is_own(draft: &RunConfig, option: &str) -> bool {
    let own = named_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    option == "--set" || own.iter().any(|spec| spec.place() == option)
}

/// Draws a number that can be dragged or typed, in a field of normal width.
fn number(ui: &mut Ui, value: DragValue<'_>) -> Response {
    wide_number(ui, value, 56.0)
}

/// Draws a number as [`number`], in a field of this width.
fn wide_number(ui: &mut Ui, value: DragValue<'_>, width: f32) -> Response {
    ui.add(value.min_size(Vec2::new(width, CONTROL)))
}

/// Draws a row of labels and inputs that are vertically centred.
fn row(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = CONTROL;
        ui.horizontal_wrapped(add);
    });
}
