//! Line charts over tasks or steps, with bands of one standard deviation.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{FONT, RenderTarget};
use crate::metrics::{Expert, mean, std_dev};
use crate::palette::{Dash, Marker, RunStyle};
use crate::store::groups::Group;
use crate::store::spread_text;
use crate::store::table::{Align, PLUS_MINUS, TextTable};
use crate::tr;

/// Width and height of the drawing without its legend.
const SIZE: (f64, f64) = (760.0, 340.0);
/// Margins: left and bottom for labels, right and top for half a number.
const MARGINS: (f64, f64, f64, f64) = (44.0, 40.0, 16.0, 12.0);
/// Height of a line of the legend.
const LEGEND_ROW_HEIGHT: f64 = 20.0;
/// Maximum number of labels along the x axis, and of their characters together.
const MAX_LABELS: usize = 20;
const MAX_LABEL_CHARS: usize = 90;
/// Maximum number of points of a line that has a marker at each point.
const MAX_MARKED_POINTS: usize = 64;

/// A line chart over tasks or steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// The label below the chart that names both axes.
    pub axis_label: String,
    /// The labels of the positions 0, 1, 2, … on the x axis; if empty, numbers are shown.
    pub x_labels: Vec<String>,
    /// The lowest and highest value of the y axis.
    pub y_range: [f64; 2],
    /// The lines.
    pub lines: Vec<ChartLine>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartLine {
    /// The name in the legend.
    pub name: String,
    /// The colour of the run; `None` if the line does not show a run.
    pub shade: Option<RunStyle>,
    /// The points, from left to right.
    pub points: Vec<Point>,
}

impl ChartLine {
    /// Returns a line through these points.
    pub fn new(
        name: impl Into<String>,
        shade: Option<RunStyle>,
        points: impl IntoIterator<Item: Into<Point>>,
    ) -> Self {
        Self { name: name.into(), shade, points: points.into_iter().map(Into::into).collect() }
    }
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The position on the x axis.
    pub x: f64,
    /// The value; if it is not finite, the line is interrupted.
    pub y: f64,
    /// The standard deviation, if the value is a mean.
    pub std: Option<f64>,
}

impl From<[f64; 2]> for Point {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y, std: None }
    }
}

/// Returns the mean accuracy of a group's runs after each task, with its standard deviation.
fn accuracy_curve(group: &Group) -> Vec<Point> {
    let runs = &group.orders.runs;
    let tasks = runs.iter().map(|run| run.tasks.len()).max().unwrap_or(0);
    let point_after = |task: usize| {
        let summaries = runs.iter().filter_map(|run| run.tasks.get(task));
        let values: Vec<f64> =
            summaries.filter_map(|task| task.expert_accuracy(Expert::ANSWER)).collect();
        Point { x: task as f64, y: mean(&values).unwrap_or(f64::NAN), std: std_dev(&values) }
    };
    (0..tasks).map(point_after).collect()
}

impl LineChart {
    /// Returns a chart of accuracy after each task, in percent. The y axis fits the values and their bands.
    pub fn accuracy(lines: Vec<ChartLine>) -> Self {
        let points = || lines.iter().flat_map(|line| &line.points);
        let ends = points().flat_map(|point| {
            let std = point.std.unwrap_or(0.0);
            [point.y - std, point.y + std]
        });
        let last = points().map(|point| point.x).fold(-1.0, f64::max);
        Self {
            axis_label: tr!("figure-accuracy-about").into(),
            x_labels: (0..=last as i64).map(|task| (task + 1).to_string()).collect(),
            y_range: percent_range(ends),
            lines,
        }
    }

    /// Returns the accuracy curves of the runs' predictions, one per group.
    pub(in crate::store) fn from_groups(groups: &[Group]) -> Self {
        let shades = RunStyle::for_runs(groups.iter().map(|group| &*group.header.config.method));
        let line = |(group, shade): (&Group, RunStyle)| {
            ChartLine::new(group.label.as_str(), Some(shade), accuracy_curve(group))
        };
        Self::accuracy(groups.iter().zip(shades).map(line).collect())
    }

    pub(in crate::store) fn to_table(&self) -> TextTable {
        let mut table = TextTable::default();
        table.add_column("line", Align::Left);
        let mut xs: Vec<f64> = self.points().map(|point| point.x).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        for x in &xs {
            table.add_column(&self.x_label(*x), Align::Right);
        }
        for line in &self.lines {
            let point_at = |x: &f64| line.points.iter().find(|point| point.x == *x);
            let cell = |x: &f64| {
                let point = point_at(x).filter(|point| point.y.is_finite());
                point.map_or_else(String::new, |p| spread_text(Some(p.y), p.std, PLUS_MINUS))
            };
            table.add_row(std::iter::once(line.name.clone()).chain(xs.iter().map(cell)));
        }
        table
    }

    fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.lines.iter().flat_map(|line| &line.points)
    }

    /// Returns the label of a position on the x axis.
    fn x_label(&self, x: f64) -> String {
        let label = self.x_labels.get(x as usize).filter(|_| x.fract() == 0.0);
        label.cloned().unwrap_or_else(|| x.to_string())
    }

    /// Returns the labelled positions on the x axis.
    fn labels(&self, axes: &Axes) -> Vec<(f64, String)> {
        if self.x_labels.is_empty() {
            let positions = ticks(axes.x_min, axes.x_max, 8.0).into_iter();
            return positions.map(|x| (x, x.to_string())).collect();
        }
        let longest = self.x_labels.iter().map(|name| name.chars().count()).max();
        let max_labels = (MAX_LABEL_CHARS / longest.unwrap_or(1).max(1)).clamp(1, MAX_LABELS);
        let step = self.x_labels.len().div_ceil(max_labels).max(1);
        let labels = self.x_labels.iter().enumerate().step_by(step);
        labels.map(|(at, name)| (at as f64, name.clone())).collect()
    }

    pub(super) fn size(&self) -> [f64; 2] {
        [SIZE.0, SIZE.1 + LEGEND_ROW_HEIGHT * self.lines.len() as f64 + 8.0]
    }

    pub(super) fn draw(&self, title: &str, target: RenderTarget) -> Markup {
        let xs = self.points().map(|point| point.x);
        let last = (self.x_labels.len() as f64 - 1.0).max(0.0);
        let first = if self.x_labels.is_empty() { f64::MAX } else { 0.0 };
        let axes = Axes {
            x_min: xs.clone().fold(first, f64::min),
            x_max: xs.fold(last, f64::max),
            y_range: self.y_range,
        };
        let [width, height] = self.size();
        let [text_colour, _] = target.plain();
        let styles = LineStyle::for_lines(self.lines.iter().map(|line| line.shade), target);
        html! {
            svg xmlns=[target.namespace()] viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
                role="img" aria-label=(title) font-family=(FONT) font-size="12" fill=(text_colour) {
                @if target == RenderTarget::File { rect width="100%" height="100%" fill="#ffffff" {} }
                (self.frame(&axes, target))
                @for (line, look) in self.lines.iter().zip(&styles) {
                    @if let Some(band) = band(&line.points, &axes) { path d=(band) fill=(look.colour) fill-opacity="0.16" {} }
                    path d=(path(&line.points, &axes)) fill="none" stroke=(look.colour) stroke-width="2" stroke-dasharray=(look.dash) {}
                    @if line.points.len() <= MAX_MARKED_POINTS { @for point in line.points.iter().filter(|point| point.y.is_finite()) {
                        path d=(look.marker_path(axes.x(point.x), axes.y(point.y))) fill=(look.colour) {
                            title { (line.name) ", " (self.x_label(point.x)) ": " (format!("{:.1}", point.y)) }
                        }
                    } }
                }
                @for (at, (line, look)) in self.lines.iter().zip(&styles).enumerate() {
                    @let y = SIZE.1 + LEGEND_ROW_HEIGHT * (at as f64 + 0.5);
                    path d={ "M" (MARGINS.0) " " (y) "h36" } stroke=(look.colour) stroke-width="2" stroke-dasharray=(look.dash) {}
                    path d=(look.marker_path(MARGINS.0 + 18.0, y)) fill=(look.colour) {}
                    text x=(MARGINS.0 + 46.0) y=(y + 4.0) { (line.name) }
                }
            }
        }
    }

    /// Draws the grid lines with their values, the labels of the x axis, and the axis label.
    fn frame(&self, axes: &Axes, target: RenderTarget) -> Markup {
        let [_, grid_colour] = target.plain();
        html! {
            @for value in ticks(self.y_range[0], self.y_range[1], 6.0) {
                @let y = axes.y(value);
                line x1=(MARGINS.0) x2=(SIZE.0 - MARGINS.2) y1=(y) y2=(y) stroke=(grid_colour) {}
                text x=(MARGINS.0 - 6.0) y=(y + 4.0) text-anchor="end" { (value) }
            }
            @for (at, label) in self.labels(axes) {
                text x=(axes.x(at)) y=(SIZE.1 - MARGINS.1 + 18.0) text-anchor="middle" { (label) }
            }
            text x=((SIZE.0 + MARGINS.0) / 2.0) y=(SIZE.1 - 6.0) text-anchor="middle" { (self.axis_label) }
        }
    }
}

/// The mapping from values to positions in the drawing.
struct Axes {
    x_min: f64,
    x_max: f64,
    y_range: [f64; 2],
}

impl Axes {
    fn x(&self, x: f64) -> f64 {
        let width = SIZE.0 - MARGINS.0 - MARGINS.2 - 16.0;
        let share = match self.x_max - self.x_min {
            span if span > 0.0 => (x - self.x_min) / span,
            _ => 0.5,
        };
        round(MARGINS.0 + 8.0 + share * width)
    }

    fn y(&self, value: f64) -> f64 {
        let [low, high] = self.y_range;
        let height = SIZE.1 - MARGINS.1 - MARGINS.3;
        let share = (high - value.clamp(low, high)) / (high - low).max(f64::MIN_POSITIVE);
        round(MARGINS.3 + share * height)
    }
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Returns rounded limits, in percent, of an axis that shows these values. Values that are not finite are ignored;
/// without finite values, the limits are 0 and 100.
fn percent_range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let values = values.filter(|value| value.is_finite());
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    if low > high {
        return [0.0, 100.0];
    }
    let step = match high - low {
        span if span > 20.0 => 10.0,
        span if span > 8.0 => 5.0,
        span if span > 3.0 => 2.0,
        _ => 1.0,
    };
    let low = ((low / step).floor() * step).clamp(0.0, 100.0 - step);
    let high = ((high / step).ceil() * step).clamp(low + step, 100.0);
    [low, high]
}

/// Returns about `count` round numbers between the lowest and the highest value.
fn ticks(low: f64, high: f64, count: f64) -> Vec<f64> {
    if !(low < high && high - low < f64::MAX) {
        return vec![low];
    }
    let rough = (high - low) / count;
    let scale = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].into_iter();
    let step = steps.map(|step| step * scale).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let digits = (1.0 / scale).max(1.0);
    let (first, last) = ((low / step).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|at| (at as f64 * step * digits).round() / digits).collect()
}

/// Returns the SVG path through all points; it is interrupted at values that are not finite.
fn path(points: &[Point], axes: &Axes) -> String {
    let (mut path, mut pen) = (String::new(), 'M');
    for point in points {
        match point.y.is_finite() {
            true => {
                let _ = write!(path, "{pen}{} {}", axes.x(point.x), axes.y(point.y));
                pen = 'L';
            }
            false => pen = 'M',
        }
    }
    path
}

/// Returns the SVG path around one standard deviation above and below the line; `None` if no point has one.
fn band(points: &[Point], axes: &Axes) -> Option<String> {
    let means = points.iter().filter(|point| point.y.is_finite());
    let means: Vec<(&Point, f64)> = means.filter_map(|p| Some((p, p.std?))).collect();
    let above = means.iter().map(|(p, std)| (p.x, p.y + std));
    let below = means.iter().rev().map(|(p, std)| (p.x, p.y - std));
    let mut path = String::new();
    for (x, y) in above.chain(below) {
        let pen = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{} {}", axes.x(x), axes.y(y));
    }
    (!path.is_empty()).then(|| path + "Z")
}

/// Dash patterns that distinguish lines without colour, for lines that do not show a run.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];

/// The appearance of a line.
struct LineStyle {
    /// The colour, as an SVG attribute.
    colour: String,
    /// The dash pattern, as an SVG attribute.
    dash: &'static str,
    marker: Marker,
}

impl LineStyle {
    /// Returns the appearance of each line. A run's line looks like its method; other lines are numbered among
    /// themselves.
    fn for_lines(lines: impl Iterator<Item = Option<RunStyle>>, target: RenderTarget) -> Vec<Self> {
        let mut other_count = 0;
        let style = |shade: Option<RunStyle>| match shade {
            Some(shade) => Self {
                colour: target.shade(shade),
                dash: match shade.dash() {
                    Dash::Solid => "",
                    Dash::Dashed => "7 4",
                    Dash::Dotted => "2 3",
                    Dash::ShortDashed => "4 3",
                },
                marker: shade.marker(),
            },
            None => {
                let index = other_count;
                other_count += 1;
                Self {
                    colour: target.colour(index),
                    dash: DASHES[index % DASHES.len()],
                    marker: Marker::Circle,
                }
            }
        };
        lines.map(style).collect()
    }

    /// Returns the SVG path of the marker at a position.
    fn marker_path(&self, x: f64, y: f64) -> String {
        let shape = match self.marker {
            Marker::Circle => "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
            Marker::Square => "m-3 -3h6v6h-6z",
            Marker::Up => "m0 -4l3.8 6.6h-7.6z",
            Marker::Down => "m0 4l3.8 -6.6h-7.6z",
            Marker::Left => "m-4 0l6.6 -3.8v7.6z",
            Marker::Right => "m4 0l-6.6 -3.8v7.6z",
            Marker::Diamond => "m0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
            Marker::Asterisk => "m-1 -4h2v3h3v2h-3v3h-2v-3h-3v-2h3z",
        };
        format!("M{x} {y}{shape}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_range_fits_values() {
        let range = |values: &[f64]| percent_range(values.iter().copied());
        assert_eq!(range(&[41.2, 97.0]), [40.0, 100.0]);
        assert_eq!(range(&[93.1, 96.4, f64::NAN]), [92.0, 98.0]);
        assert_eq!(range(&[12.0, 30.0]), [10.0, 30.0]);
        assert_eq!(range(&[55.3]), [55.0, 56.0]);
        assert_eq!(range(&[100.0, 101.5]), [99.0, 100.0]);
        assert_eq!(range(&[-2.0, 0.0]), [0.0, 1.0]);
        assert_eq!(range(&[]), [0.0, 100.0]);
    }

    #[test]
    fn ticks_are_round_and_within_range() {
        assert_eq!(ticks(40.0, 100.0, 6.0), [40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]);
        assert_eq!(ticks(90.0, 100.0, 6.0), [90.0, 92.0, 94.0, 96.0, 98.0, 100.0]);
        assert_eq!(ticks(0.0, 0.43, 6.0), [0.0, 0.1, 0.2, 0.3, 0.4]);
        assert_eq!(ticks(3.0, 3.0, 6.0), [3.0]);
        assert!(ticks(f64::NEG_INFINITY, 3.0, 6.0).len() == 1);
    }
}
