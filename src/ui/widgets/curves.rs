//! A chart of accuracy (or scores) over tasks. Tasks have bands; each expert or run has a curve with its own marker and
//! dash pattern; the current task has a mark.

use egui::{Align2, Color32, RichText, Ui, vec2};
use egui_plot::{
    FilledArea, HoverPosition, LineStyle, MarkerShape, PlotPoint, Points, Text, VLine,
};

use super::layout_line;
use crate::metrics::Expert;
use crate::palette::{Dash, Marker, RunStyle};
use crate::session::formatting::format_number;
use crate::store::figure::{ChartLine, Figure, LineChart, Point};
use crate::tr;
use crate::ui::theme::{Tokens, regular, tokens};
use crate::ui::widgets::plots::{self, grid_marks};
use crate::ui::widgets::{icons, truncated};

/// Minimum width of a task in points for bands and markers, which would otherwise overlap.
const MIN_TASK_WIDTH: f32 = 4.0;

/// A curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name and its points (task from 0, percent).
    pub line: ChartLine,
    /// Its colour.
    pub colour: Color32,
    /// Its marker.
    pub marker: MarkerShape,
    /// Its dash pattern.
    pub style: LineStyle,
    /// The width of the line in points.
    pub width: f32,
}

impl Series {
    /// Returns the curve of a run with its method's colour and marker. `points` are pairs of task (from 0) and percent.
    pub fn from_run(
        t: &Tokens,
        shade: RunStyle,
        name: String,
        points: impl Iterator<Item: Into<Point>>,
    ) -> Self {
        let points = points.map(Into::into).filter(|point| point.y.is_finite());
        Self {
            line: ChartLine::new(name, Some(shade), points),
            colour: t.run_colour(shade),
            marker: run_marker(shade),
            style: run_dash(shade),
            width: 2.0,
        }
    }

    /// Returns the curve of an expert with the expert's colour, marker and dash pattern. `values` are pairs of task and
    /// share.
    pub fn from_expert(
        t: &Tokens,
        expert: Expert,
        values: impl Iterator<Item = (usize, f64)>,
    ) -> Self {
        let (marker, style, width) = match expert {
            Expert::ONLINE => (MarkerShape::Circle, LineStyle::Dashed { length: 6.0 }, 1.6),
            Expert::OFFLINE => (MarkerShape::Up, LineStyle::Dotted { spacing: 6.0 }, 1.6),
            _ => (MarkerShape::Square, LineStyle::Solid, 2.4),
        };
        let values = values.filter(|(_, v)| v.is_finite());
        let points = values.map(|(task, v)| [task as f64, v * 100.0]);
        Self {
            line: ChartLine::new(expert.key(), None, points),
            colour: t.expert_colour(expert),
            marker,
            style,
            width,
        }
    }
}

/// Returns the marker of a run's points.
pub fn run_marker(shade: RunStyle) -> MarkerShape {
    match shade.marker() {
        Marker::Square => MarkerShape::Square,
        Marker::Circle => MarkerShape::Circle,
        Marker::Up => MarkerShape::Up,
        Marker::Down => MarkerShape::Down,
        Marker::Left => MarkerShape::Left,
        Marker::Right => MarkerShape::Right,
        Marker::Diamond => MarkerShape::Diamond,
        Marker::Asterisk => MarkerShape::Asterisk,
    }
}

/// Returns the dash pattern of a run's line.
pub fn run_dash(shade: RunStyle) -> LineStyle {
    match shade.dash() {
        Dash::Solid => LineStyle::Solid,
        Dash::Dashed => LineStyle::Dashed { length: 7.0 },
        Dash::Dotted => LineStyle::Dotted { spacing: 6.0 },
        Dash::ShortDashed => LineStyle::Dashed { length: 3.0 },
    }
}

/// Draws a dot in the colour of a run, to be followed by the run's name.
pub fn dot(ui: &mut Ui, shade: RunStyle) {
    let colour = tokens(ui).run_colour(shade);
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 14.0), egui::Sense::hover());
    ui.painter().circle_filled(rect.center(), 5.0, colour);
}

/// Draws the dot of a run and a truncated name, with this tooltip.
pub fn run_name(ui: &mut Ui, shade: RunStyle, name: &str, tip: &str) {
    ui.horizontal(|ui| {
        dot(ui, shade);
        let colour = tokens(ui).text;
        truncated(ui, name, regular(13.0), colour).on_hover_text(tip);
    });
}

/// Returns the labels of this number of tasks.
pub fn task_labels(count: usize) -> Vec<String> {
    (1..=count).map(|n| tr!("figure-task-column", n)).collect()
}

/// A chart over tasks.
pub struct Curves<'a> {
    /// A unique id.
    pub id: &'a str,
    /// Its accessible name.
    pub name: &'a str,
    /// Height in points.
    pub height: f32,
    /// The label of each task.
    pub tasks: &'a [String],
    /// The curves. Later curves are drawn on top.
    pub series: Vec<Series>,
    /// The current task with its label.
    pub current_task: Option<(usize, String)>,
}

impl Curves<'_> {
    /// Paints the chart with the available width.
    pub fn show(self, ui: &mut Ui) {
        let t = tokens(ui);
        let count = self.tasks.len().max(1);
        // All charts of the window start at 0, so that they can be compared.
        let (low, step) = (0.0, 25.0);
        let per_label = (ui.available_width() - 50.0) / count as f32;
        let stride = label_stride(ui, self.tasks, per_label);
        let labels = self.tasks.to_vec();
        let plot = plots::static_plot(ui, self.id, self.height)
            .x_grid_spacer(move |_| grid_marks(0.0, count as f64 - 1.0, stride as f64))
            .y_grid_spacer(move |_| grid_marks(low, 100.0, step))
            .x_axis_formatter(move |mark, _| {
                let task = mark.value.round().max(0.0) as usize;
                labels.get(task).cloned().unwrap_or_default()
            })
            .y_axis_formatter(|mark, _| format!("{:.0}", mark.value))
            .label_formatter(move |at| match at {
                HoverPosition::NearDataPoint { plot_name, position, .. }
                    if !plot_name.is_empty() =>
                {
                    let task = position.x.round() as usize + 1;
                    let after = tr!("figure-after-task", task);
                    let value = format_number(position.y, 1);
                    Some(format!("{plot_name}\n{after}: {value}\u{a0}%"))
                }
                _ => None,
            });
        let figure = || self.figure();
        plots::show(ui, plot, self.name, figure, |plot| {
            let top = 100.0 + (100.0 - low) * 0.03;
            plot.set_plot_bounds_x(-0.5..=count as f64 - 0.5);
            plot.set_plot_bounds_y(low..=top);
            if per_label >= MIN_TASK_WIDTH {
                let band = |task: usize| task as f64 - 0.5..=task as f64 + 0.5;
                plots::bands(plot, t, (0..count).map(band));
            }
            if let Some((task, label)) = &self.current_task {
                mark_current_task(plot, t, (*task).min(count - 1) as f64, label, top);
            }
            for series in &self.series {
                draw_curve(plot, series, per_label >= MIN_TASK_WIDTH);
            }
        });
    }

    /// Returns the chart as a figure for copying and saving.
    fn figure(&self) -> Figure {
        let title = self.name.lines().next().unwrap_or(self.name);
        let lines = self.series.iter().map(|series| series.line.clone());
        let lines = LineChart {
            axis_label: format!("{title}, %"),
            x_labels: self.tasks.to_vec(),
            y_range: [0.0, 100.0],
            lines: lines.collect(),
        };
        Figure::line_chart(title, lines)
    }
}

/// Returns the interval of tasks that have a label, so that labels do not overlap.
fn label_stride(ui: &Ui, labels: &[String], per_label: f32) -> usize {
    let longest = labels.iter().max_by_key(|label| label.len());
    let width = longest.map_or(0.0, |label| {
        let colour = tokens(ui).subdued;
        let galley = layout_line(ui, label, regular(11.0), colour);
        galley.size().x
    });
    ((width + 14.0) / per_label.max(1.0)).ceil().max(1.0) as usize
}

fn mark_current_task(
    plot: &mut egui_plot::PlotUi<'_>,
    t: &Tokens,
    task: f64,
    label: &str,
    top: f64,
) {
    plot.vline(
        VLine::new("", task)
            .color(t.accent)
            .width(1.0)
            .style(LineStyle::Dashed { length: 4.0 })
            .allow_hover(false),
    );
    let text = RichText::new(format!(" {label}")).color(t.accent);
    let bounds = plot.plot_bounds();
    let y = top - (top - bounds.min()[1]) * 0.02;
    let anchor = if task > bounds.max()[0] * 0.7 { Align2::RIGHT_TOP } else { Align2::LEFT_TOP };
    plot.text(Text::new("", PlotPoint::new(task, y), text).anchor(anchor));
}

fn draw_curve(plot: &mut egui_plot::PlotUi<'_>, series: &Series, with_markers: bool) {
    let points = &series.line.points;
    let spread: Option<Vec<f64>> = points.iter().map(|point| point.std).collect();
    if let Some(spread) = spread.filter(|spread| !spread.is_empty()) {
        let xs: Vec<f64> = points.iter().map(|point| point.x).collect();
        let offset_by = |sign: f64| -> Vec<f64> {
            let points = points.iter().zip(&spread);
            points.map(|(point, std)| (point.y + sign * std).clamp(0.0, 100.0)).collect()
        };
        let band = FilledArea::new("", &xs, &offset_by(-1.0), &offset_by(1.0));
        plot.add(band.fill_color(series.colour.gamma_multiply(0.16)).allow_hover(false));
    }
    plot.line(
        plots::line(&series.line).color(series.colour).width(series.width).style(series.style),
    );
    if with_markers {
        plot.points(
            Points::new(series.line.name.clone(), plots::points(&series.line))
                .shape(series.marker)
                .filled(true)
                .radius(4.2)
                .color(series.colour),
        );
    }
}

/// Draws a legend of a run's experts with their markers, if there are several experts.
pub fn legend(ui: &mut Ui, experts: &[Expert]) {
    for &expert in experts.iter().filter(|_| experts.len() > 1) {
        let colour = expert_marker(ui, expert);
        ui.label(RichText::new(expert.key()).color(colour));
    }
}

/// Draws the marker of an expert within a line of text. Returns the expert's colour.
pub fn expert_marker(ui: &mut Ui, expert: Expert) -> Color32 {
    let colour = tokens(ui).expert_colour(expert);
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 14.0), egui::Sense::hover());
    icons::marker(ui.painter(), expert, rect.center(), 9.0, colour);
    colour
}
