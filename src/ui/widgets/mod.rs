//! The widgets of pages: cards, segmented choices, chips, fields, bars. They use the theme's colours, have an
//! accessible name, and can be focused with the keyboard.

pub mod bars;
pub mod canvas;
pub mod confusion;
mod controls;
pub mod curves;
pub mod elided_text;
pub mod figure_menu;
pub mod icons;
pub mod input;
mod layout;
pub mod long_list;
pub mod losses;
pub mod matrix;
pub mod numbers;
pub mod plots;
pub mod snapshot_slider;
pub mod subscripts;
pub mod terms;
pub mod textures;

use std::sync::Arc;

use egui::{
    Align2, Color32, FontId, Frame, Galley, Label, Margin, Rect, Response, RichText, Role, Sense,
    Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
};

use super::theme::{self, CARD_RADIUS, Tokens, regular, semibold, tokens};
use crate::problem::Problem;
use crate::session::window_terms::in_window_terms;
use crate::tr;
pub use controls::{
    button, button_if, checkbox, chip, committed, enabled_unless, enter_without_focus, field,
    focus_ring, icon_button, icon_text_button, is_submitted, line_edit, outlined, paint_frame,
    primary, primary_button, segmented, segmented_with_disabled, toggle_link,
};
use icons::Icon;
pub use layout::{
    Column, Fixed, at_end, columns, dialog, dismissible_modal, ends, ends_in_order, footer, grid,
    in_columns, keep_together, part, scroll, title_row, titled_dialog, two_columns,
};

/// Draws a card with the available width and this minimum height.
pub fn card_with_height<R>(ui: &mut Ui, height: f32, add: impl FnOnce(&mut Ui) -> R) -> R {
    let t = tokens(ui);
    Frame::new()
        .fill(t.card)
        .stroke(Stroke::new(1.0, t.line))
        .corner_radius(CARD_RADIUS)
        .inner_margin(Margin::symmetric(14, 12))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.set_min_height((height - 26.0).max(0.0));
            ui.spacing_mut().item_spacing = Vec2::splat(8.0);
            add(ui)
        })
        .inner
}

/// Draws a card with the available width.
pub fn card<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    card_with_height(ui, 0.0, add)
}

/// Draws the title of a dialog.
pub fn headline(ui: &mut Ui, text: impl Into<String>) -> Response {
    let strong = tokens(ui).strong;
    ui.label(RichText::new(text).font(semibold(16.0)).color(strong))
}

/// Draws a card's title.
pub fn title(ui: &mut Ui, text: impl Into<String>) -> Response {
    let strong = tokens(ui).strong;
    ui.label(RichText::new(text).font(semibold(13.0)).color(strong))
}

/// Draws a small label in a subdued colour.
pub fn faint(ui: &mut Ui, text: impl Into<String>) -> Response {
    let colour = tokens(ui).subdued;
    ui.label(RichText::new(text).font(regular(12.0)).color(colour))
}

/// Draws a sentence, which is wrapped.
pub fn sentence(ui: &mut Ui, text: impl Into<String>) -> Response {
    coloured(ui, text, |t| t.text)
}

/// Draws a sentence in this colour of the theme, which is wrapped.
pub fn coloured(
    ui: &mut Ui,
    text: impl Into<String>,
    colour: impl FnOnce(&Tokens) -> Color32,
) -> Response {
    let colour = colour(tokens(ui));
    ui.add(Label::new(RichText::new(text).color(colour)).wrap())
}

/// Draws a wrapped text that can be selected and copied.
pub fn selectable(ui: &mut Ui, text: impl Into<String>, font: FontId, colour: Color32) {
    let text = RichText::new(text).font(font).color(colour);
    ui.add(Label::new(text).wrap().selectable(true));
}

/// Draws a spinner and what is being loaded.
pub fn loading(ui: &mut Ui, text: impl Into<String>) {
    ui.horizontal(|ui| {
        ui.spinner();
        faint(ui, text);
    });
}

/// Draws a small square and its meaning, for the legend of a chart.
pub fn legend_entry(ui: &mut Ui, colour: Color32, text: &str) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(9.0, 12.0), Sense::hover());
    let swatch = Rect::from_center_size(rect.center(), Vec2::splat(8.0));
    ui.painter().rect_filled(swatch, 0, colour);
    let text_colour = tokens(ui).text;
    ui.label(RichText::new(text).font(regular(11.5)).color(text_colour));
}

/// Draws a progress bar. `share` is from 0 to 1.
pub fn progress(ui: &mut Ui, share: f64, name: &str) {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 6.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(share * 100.0);
        info
    });
    ui.painter().rect_filled(rect, 3, t.line);
    let mut filled = rect;
    filled.set_width(rect.width() * share.clamp(0.0, 1.0) as f32);
    ui.painter().rect_filled(filled, 3, t.accent);
}

/// The state of a step of the set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// The step is valid.
    Good,
    /// The step is being checked.
    Busy,
    /// The step has a problem.
    Wrong,
}

/// Draws a round icon before the title of a step: a tick, dots or an exclamation mark.
pub fn step_icon(ui: &mut Ui, state: StepState) {
    let t = tokens(ui);
    let (colour, icon, label) = match state {
        StepState::Good => (t.good, Icon::Tick, tr!("shell-step-ready")),
        StepState::Busy => (t.subdued, Icon::Dots, tr!("shell-step-working")),
        StepState::Wrong => (t.warning, Icon::Alert, tr!("shell-step-needs-attention")),
    };
    let (rect, response) = allocate_named(ui, Vec2::splat(20.0), Role::Image, label);
    ui.painter().circle_filled(rect.center(), 10.0, colour);
    let icon_colour = t.text_colour_on(colour);
    icons::paint(ui.painter(), icon, rect.center(), 9.0, icon_colour);
    response.on_hover_text(label);
}

/// Draws a Problem: what happened, where, and what to do.
pub fn problem(ui: &mut Ui, problem: &Problem) {
    let t = tokens(ui);
    let problem = &in_window_terms(problem);
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::new(14.0, 17.0), Sense::hover());
        icons::paint(ui.painter(), Icon::Alert, rect.center(), 11.0, t.bad);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 3.0;
            let what = crate::session::explanation::sentence(&problem.what);
            selectable(ui, what, regular(13.0), t.strong);
            if !problem.place.is_empty() {
                selectable(ui, &problem.place, theme::mono(11.5), t.subdued);
            }
            if !problem.remedy.is_empty() {
                sentence(ui, crate::session::explanation::sentence(&problem.remedy));
            }
        });
    });
}

/// Draws an empty page: a headline, a sentence about what to do next, and further widgets.
pub fn empty_page(ui: &mut Ui, headline: &str, text: &str, add: impl FnOnce(&mut Ui)) {
    let t = tokens(ui);
    let height = ui.available_height().clamp(220.0, 2000.0);
    card_with_height(ui, height, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space((height * 0.28).min(180.0));
            ui.label(RichText::new(headline).font(semibold(18.0)).color(t.strong));
            ui.add_space(2.0);
            ui.label(RichText::new(text).color(t.subdued));
            ui.add_space(10.0);
            add(ui);
        });
    });
}

/// Allocates space for a painted part with this accessible name. Only a button senses clicks.
pub fn allocate_named(ui: &mut Ui, size: Vec2, role: Role, name: &str) -> (Rect, Response) {
    let sense = match role {
        Role::Button => Sense::click(),
        _ => Sense::hover(),
    };
    let (rect, response) = ui.allocate_exact_size(size, sense);
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
    (rect, response)
}

/// Paints a box with a border inside its edges.
pub fn paint_box(ui: &Ui, rect: Rect, radius: u8, fill: Color32, border: Color32) {
    let stroke = Stroke::new(1.0, border);
    ui.painter().rect(rect, radius, fill, stroke, StrokeKind::Inside);
}

/// Paints a border inside the edges of a rectangle.
pub fn paint_border(ui: &Ui, rect: Rect, radius: u8, colour: Color32) {
    let stroke = Stroke::new(1.0, colour);
    ui.painter().rect_stroke(rect, radius, stroke, StrokeKind::Inside);
}

/// Draws a label that is truncated at the end of the row. A tooltip shows the whole text.
pub fn truncated_faint(ui: &mut Ui, text: impl Into<String>) -> Response {
    let colour = tokens(ui).subdued;
    truncated(ui, text, regular(12.0), colour)
}

/// Draws a label as [`truncated_faint`] does, with this font and colour.
pub fn truncated(ui: &mut Ui, text: impl Into<String>, font: FontId, colour: Color32) -> Response {
    let text = RichText::new(text).font(font).color(colour);
    ui.add(Label::new(text).truncate())
}

/// Returns the layout of a text of one line.
pub fn layout_line(ui: &Ui, text: &str, font: FontId, colour: Color32) -> Arc<Galley> {
    ui.painter().layout_no_wrap(text.to_owned(), font, colour)
}

/// Paints a text that is truncated to this width with an ellipsis.
pub fn paint_truncated_text(
    ui: &Ui,
    at: egui::Pos2,
    align: Align2,
    text: &str,
    font: FontId,
    colour: Color32,
    width: f32,
) {
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_string(), font, colour);
    job.wrap.max_width = width;
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    let galley = ui.painter().layout_job(job);
    let rect = align.anchor_size(at, galley.size());
    ui.painter().galley(rect.min, galley, colour);
}
