//! The chart of the loss over steps, with axes, a tooltip with the value, and optional smoothing.

use egui::Ui;
use egui_plot::HoverPosition;

use crate::session::formatting::{format_count, format_number};
use crate::store::figure::{ChartLine, Figure, LineChart};
use crate::tr;
use crate::ui::theme::tokens;
use crate::ui::widgets::plots::{self, grid_marks};

/// Height of the chart.
const HEIGHT: f32 = 118.0;
/// Maximum number of points of a line; more points would be closer than pixels.
const MAX_POINTS: usize = 320;
/// Maximum number of steps that are averaged for a smoothed line.
pub const SMOOTHING_WINDOW: usize = 25;

/// A point of a line: its task (from 0), and its step and loss.
pub type Point = (usize, [f64; 2]);

/// What each loss value was measured for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LossUnit {
    /// A training step.
    Step,
    /// An epoch.
    Epoch,
}

/// Draws the losses of the steps or epochs from `first` on. Each loss has its task (from 0).
pub fn losses(
    ui: &mut Ui,
    (unit, first): (LossUnit, usize),
    values: &[(usize, f32)],
    smooth: bool,
) {
    let t = tokens(ui);
    let epochs = match unit {
        LossUnit::Step => Vec::new(),
        LossUnit::Epoch => epochs_in_tasks(values),
    };
    let raw = downsample(first, values, MAX_POINTS);
    let smoothed = smooth.then(|| downsample(first, &moving_average(values), MAX_POINTS));
    let top = raw.iter().map(|(_, [_, loss])| *loss).fold(1e-6, f64::max) * 1.05;
    let (low, high) = (first as f64, (first + values.len()).max(first + 2) as f64 - 1.0);
    let (x_step, y_step) = (nice((high - low) / 4.0).max(1.0), nice(top / 3.0));
    let start = (low / x_step).ceil() * x_step;
    let digits = if y_step >= 1.0 {
        0
    } else if y_step >= 0.1 {
        1
    } else {
        2
    };
    let plot = plots::static_plot(ui, "losses", HEIGHT)
        .x_grid_spacer(move |_| grid_marks(start, high, x_step))
        .y_grid_spacer(move |_| grid_marks(0.0, top, y_step))
        .x_axis_formatter(|mark, _| format_count(mark.value.round().max(0.0) as usize))
        .y_axis_formatter(move |mark, _| format_number(mark.value, digits))
        .label_formatter(move |at| match at {
            HoverPosition::NearDataPoint { plot_name, position, .. } if !plot_name.is_empty() => {
                let step = position.x.round().max(0.0) as usize;
                let loss = format_number(position.y, 4);
                Some(match epochs.get(step.saturating_sub(first)) {
                    Some(&epoch) => tr!("figure-epoch-loss-value", task = *plot_name, epoch, loss),
                    None => tr!("figure-loss-value", task = *plot_name, step, loss),
                })
            }
            _ => None,
        });
    let (title, axis_label) = match unit {
        LossUnit::Step => (tr!("figure-losses"), tr!("figure-losses-about")),
        LossUnit::Epoch => (tr!("figure-epoch-losses"), tr!("figure-epoch-losses-about")),
    };
    let lines = LineChart {
        axis_label: axis_label.into(),
        x_labels: Vec::new(),
        y_range: [0.0, top],
        lines: lines_by_task(smoothed.as_ref().unwrap_or(&raw)),
    };
    let figure = || Figure::line_chart(title, lines.clone());
    plots::show(ui, plot, title, figure, |plot| {
        plot.set_plot_bounds_x(low..=high);
        plot.set_plot_bounds_y(0.0..=top);
        plots::bands(plot, t, task_ranges(first, values));
        if smooth {
            let faint = t.accent.gamma_multiply(0.3);
            for line in lines_by_task(&raw) {
                let line = plots::line(&line).color(faint).width(1.2);
                plot.line(line.allow_hover(false));
            }
        }
        let width = if smooth { 2.0 } else { 1.2 };
        for line in &lines.lines {
            plot.line(plots::line(line).color(t.accent).width(width));
        }
    });
}

fn lines_by_task(points: &[Point]) -> Vec<ChartLine> {
    let parts = points.chunk_by(|a, b| a.0 == b.0);
    let line = |part: &[Point]| {
        let name = tr!("figure-task-column", n = part[0].0 + 1);
        ChartLine::new(name, None, part.iter().map(|(_, point)| *point))
    };
    parts.map(line).collect()
}

/// Returns the number of each epoch (from 1) within its task.
fn epochs_in_tasks(values: &[(usize, f32)]) -> Vec<usize> {
    values.chunk_by(|a, b| a.0 == b.0).flat_map(|part| 1..=part.len()).collect()
}

/// Returns the range of steps of each task. It includes the step before the task, so that the bands touch.
fn task_ranges(
    first: usize,
    values: &[(usize, f32)],
) -> impl Iterator<Item = std::ops::RangeInclusive<f64>> {
    let mut step = first as f64;
    values.chunk_by(|a, b| a.0 == b.0).map(move |part| {
        let start = step;
        step += part.len() as f64;
        start..=step
    })
}

/// Returns the moving average of the values within each task. For a short task, fewer values are averaged, because its
/// line would otherwise be flat.
fn moving_average(values: &[(usize, f32)]) -> Vec<(usize, f32)> {
    let average = |part: &[(usize, f32)]| -> Vec<(usize, f32)> {
        let mut sums = vec![0f64];
        for (_, loss) in part {
            sums.push(sums[sums.len() - 1] + f64::from(*loss));
        }
        let radius = (SMOOTHING_WINDOW / 2).min(part.len() / 8);
        let mean = |at: usize| {
            let from = at.saturating_sub(radius);
            let to = (at + radius + 1).min(part.len());
            ((sums[to] - sums[from]) / (to - from) as f64) as f32
        };
        (0..part.len()).map(|at| (part[at].0, mean(at))).collect()
    };
    let parts = values.chunk_by(|a, b| a.0 == b.0);
    parts.flat_map(average).collect()
}

/// Returns about `max_points` points. Each is the mean of consecutive values of one task.
pub fn downsample(first: usize, values: &[(usize, f32)], max_points: usize) -> Vec<Point> {
    let chunk_size = values.len().div_ceil(max_points).max(1);
    let mut step = first;
    let mut points = Vec::new();
    for part in values.chunk_by(|a, b| a.0 == b.0) {
        for chunk in part.chunks(chunk_size) {
            let sum: f64 = chunk.iter().map(|(_, loss)| f64::from(*loss)).sum();
            let middle = step as f64 + (chunk.len() - 1) as f64 / 2.0;
            points.push((chunk[0].0, [middle, sum / chunk.len() as f64]));
            step += chunk.len();
        }
    }
    points
}

/// Returns the smallest "nice" number (1, 2 or 5 times a power of ten) that is at least `step`.
fn nice(step: f64) -> f64 {
    let scale = 10f64.powf(step.max(1e-9).log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * scale >= step);
    factor.unwrap_or(10.0) * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_steps_are_round() {
        assert_eq!((nice(37.0), nice(4.0), nice(100.0)), (50.0, 5.0, 100.0));
        assert!((nice(0.07) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn epochs_are_counted_in_each_task() {
        assert_eq!(epochs_in_tasks(&[(0, 1.0), (0, 0.5), (1, 1.0)]), [1, 2, 1]);
    }

    #[test]
    fn moving_average_stays_within_a_task() {
        let values: Vec<(usize, f32)> = (0..40).map(|at| (at / 20, (at / 20) as f32)).collect();
        assert_eq!(moving_average(&values), values);
        let single_task: Vec<(usize, f32)> = (0..24).map(|at| (0, (at % 2 * 2) as f32)).collect();
        assert!(moving_average(&single_task).iter().all(|(_, loss)| (0.7..1.3).contains(loss)));
        // The line of a short task keeps its slope.
        let falling: Vec<(usize, f32)> = (0..8).map(|at| (0, -(at as f32))).collect();
        assert!(moving_average(&falling).windows(2).all(|pair| pair[0].1 > pair[1].1));
    }

    #[test]
    fn many_steps_become_few_points() {
        let values: Vec<(usize, f32)> = (0..4096).map(|at| (at / 2048, 1.0)).collect();
        let points = downsample(100, &values, MAX_POINTS);
        assert!(points.len() <= MAX_POINTS && points.len() > MAX_POINTS / 2);
        assert!(points[0].1[0] >= 100.0 && points[points.len() - 1].1[0] < 4196.0);
        assert_eq!(lines_by_task(&points).len(), 2);
        assert_eq!(task_ranges(100, &values).count(), 2);
    }
}
