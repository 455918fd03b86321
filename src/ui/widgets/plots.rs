//! Properties that all charts share: no panning and zooming, grid lines of one strength, and a description for screen
//! readers.

use std::ops::RangeInclusive;

use egui::{Color32, Role, Ui, WidgetInfo, vec2};
use egui_plot::{GridMark, Line, Plot, PlotPoints, PlotUi, Span};

use super::figure_menu::menu;
use crate::store::figure::{ChartLine, Figure};
use crate::ui::theme::{Tokens, regular, tokens};

/// Returns a plot that only reacts to hovering. `id` distinguishes it from others in the same `Ui`.
pub fn static_plot<'a>(ui: &Ui, id: &str, height: f32) -> Plot<'a> {
    Plot::new(ui.scope_id().with(id))
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .allow_axis_zoom_drag(false)
        .show_background(false)
        .show_grid([false, true])
        .grid_color(tokens(ui).line)
        .grid_fade(0.0)
        .set_margin_fraction(vec2(0.0, 0.0))
        .cursor_color(Color32::TRANSPARENT)
        .y_axis_min_width(34.0)
}

/// Draws a plot. `name` is its description; `figure` returns its data for copying and saving.
pub fn show(
    ui: &mut Ui,
    plot: Plot<'_>,
    name: &str,
    figure: impl FnOnce() -> Figure,
    draw: impl FnOnce(&mut PlotUi<'_>),
) {
    let output = ui
        .scope(|ui| {
            // Tick labels use the text colour of the style.
            ui.visuals_mut().override_text_color = Some(tokens(ui).subdued);
            ui.style_mut().text_styles.insert(egui::TextStyle::Body, regular(11.0));
            plot.show(ui, draw)
        })
        .inner;
    let response = output.response;
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let corner = response.rect.right_top() + vec2(-14.0, 12.0);
    // The first line of the description is the title; the others contain numbers for screen readers.
    let title = name.lines().next().unwrap_or(name);
    menu(ui, corner, title, figure);
}

/// Returns the points of a line for a plot.
pub fn points(line: &ChartLine) -> PlotPoints<'static> {
    line.points.iter().map(|point| [point.x, point.y]).collect()
}

/// Returns a line for a plot, to be styled by the caller.
pub fn line(line: &ChartLine) -> Line<'static> {
    Line::new(line.name.clone(), points(line))
}

/// Returns grid marks from `from` to `to` with this step.
pub fn grid_marks(from: f64, to: f64, step: f64) -> Vec<GridMark> {
    let count = ((to - from) / step + 1e-9).floor().max(0.0) as usize;
    let mark = |i: usize| GridMark {
        value: from + i as f64 * step,
        // All marks have the same size, so that none is faded out.
        step_size: 1e6,
    };
    (0..=count).map(mark).collect()
}

/// Draws a band behind every other task. `tasks` are the ranges of the tasks on the axis.
pub fn bands(plot: &mut PlotUi<'_>, t: &Tokens, tasks: impl Iterator<Item = RangeInclusive<f64>>) {
    for task in tasks.step_by(2) {
        plot.span(Span::new("", task).fill(t.subdued.gamma_multiply(0.07)).border_width(0.0));
    }
}
