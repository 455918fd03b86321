//! Set up a run: data, backbone, PET, method; what is wrong with it and what it will cost.

mod backbone;
mod chips;
mod data;
mod details;
mod method;
mod model;
mod ready;
mod tasks;

use egui::{DragValue, Id, Response, TextEdit, Ui, Vec2};

pub use data::covering;
pub use details::Part;
pub use model::equations;

use crate::method::run_title;
use crate::ui::app::Cx;
use crate::ui::command::UiCommand;
use crate::ui::theme::CONTROL;
use crate::ui::widgets::{self, Column, Fixed, Standing, button, card, two_columns};

/// What the page remembers between frames.
#[derive(Default)]
pub struct State {
    /// The path being typed.
    pub path: String,
    /// Whether a folder is wanted although none is chosen yet.
    pub folder: bool,
    /// The path of a weight file being typed.
    pub weights_path: String,
    /// Whether weights of one's own are wanted although none are chosen yet.
    pub weights: bool,
    /// Whether the skipped files are on show.
    pub skipped: bool,
    /// Whether the images of both splits are on show.
    pub duplicates: bool,
    /// The open part of the data card.
    pub part: Option<Part>,
    /// Epoch whose crops are shown, counted from 0.
    pub sight_epoch: usize,
    /// Which images of the classes are shown.
    pub sight_shift: usize,
    /// Whether the rarer settings are on show.
    pub more: bool,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    two_columns(ui, cx, Fixed::Right(320.0), left, right);
}

fn left(ui: &mut Ui, cx: &mut Cx<'_>, _column: Column) {
    former(ui, cx);
    data::card_of_data(ui, cx);
    backbone::backbone(ui, cx);
    model::pet(ui, cx);
    method::method(ui, cx);
}

/// Offers the set-up of a window that crashed. It may be what brought it down, so it does not come
/// back by itself.
fn former(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(title) = cx.session.former.as_ref().map(run_title) else {
        return;
    };
    card(ui, |ui| {
        widgets::title(ui, "The program ended without a word the last time");
        let text = format!("What was set up then is kept, but was not opened again: {title}.");
        widgets::sentence(ui, text);
        ui.horizontal(|ui| {
            if button(ui, "Set it up again").clicked() {
                cx.act(UiCommand::UseFormer);
            }
            if button(ui, "Forget it").clicked() {
                cx.act(UiCommand::DropFormer);
            }
        });
    });
}

fn right(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    ready::ready(ui, cx);
    ready::problems(ui, cx);
    ready::remarks(ui, cx);
    ready::presets(ui, cx, column);
}

/// How a step stands, judged by the options its problems name.
fn standing(cx: &Cx<'_>, options: &[&str]) -> Standing {
    let problems = &cx.session.plan.problems;
    let mine = |place: &str| options.iter().any(|option| place.contains(option));
    if problems.iter().any(|problem| mine(&problem.place)) {
        Standing::Wrong
    } else {
        Standing::Good
    }
}

/// A number that can be dragged or typed.
fn number(ui: &mut Ui, value: DragValue<'_>) -> Response {
    ui.add_sized(Vec2::new(56.0, CONTROL), value)
}

/// A row of labels and inputs, all centred on the height of an input.
fn row(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = CONTROL;
        ui.horizontal_wrapped(add);
    });
}

/// A short text. Its name keeps the cursor in it when what stands before it comes and goes.
fn text(ui: &mut Ui, name: &'static str, value: &mut String, width: f32) -> Response {
    let edit = TextEdit::singleline(value)
        .id(Id::unique(name))
        .desired_width(width)
        .min_size(Vec2::new(width, CONTROL))
        .margin(egui::Margin::symmetric(9, 6));
    ui.add(edit)
}
