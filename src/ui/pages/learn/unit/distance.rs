//! The chart of the distance between the experts of runs over epochs. Every other task has a band in the background.

use egui::Ui;
use egui_plot::{HoverPosition, PlotPoints, Points};

use crate::session::units::{RunValues, number};
use crate::store::figure::{Figure, FigureLine, Lines};
use crate::texts::Language;
use crate::tr;
use crate::ui::theme::tokens;
use crate::ui::widgets::curves::{dash_of, marker_of};
use crate::ui::widgets::faint;
use crate::ui::widgets::plots::{self, marks};

/// Height of the chart, in points.
const HEIGHT: f32 = 230.0;

/// Draws the chart with a title and an accessible name. Points are epochs since the start and distance in percent.
pub(super) fn show(
    ui: &mut Ui,
    (title, name): (&str, &str),
    (passes, tasks): (usize, usize),
    lines: &[RunValues<[f64; 2]>],
    language: Language,
) {
    let t = tokens(ui);
    let (passes, tasks) = (passes.max(1) as f64, tasks.max(1));
    let points = lines.iter().flat_map(|line| &line.values);
    let most = points.map(|point| point[1]).fold(0.0, f64::max);
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        .into_iter()
        .find(|step| most / step <= 5.0)
        .unwrap_or(most / 4.0);
    let top = ((most / step).ceil() * step).max(step);
    let end = passes * tasks as f64;
    let plot = plots::still(ui, title, HEIGHT)
        .x_grid_spacer(move |_| marks(passes / 2.0, end - passes / 2.0, passes))
        .y_grid_spacer(move |_| marks(0.0, top, step))
        .x_axis_formatter(move |mark, _| {
            let task = (mark.value / passes).floor() as usize + 1;
            tr!("learn-task-number", n = task)
        })
        .y_axis_formatter(move |mark, _| match step < 1.0 {
            true => format!("{:.1}", mark.value),
            false => format!("{:.0}", mark.value),
        })
        .label_formatter(move |at| match at {
            HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } if !plot_name.is_empty() => Some(format!(
                "{plot_name}\n{}\u{a0}%",
                number(position.y, language)
            )),
            _ => None,
        });
    let drawn = lines.iter().map(|line| {
        let points = line.values.iter().copied();
        FigureLine::new(line.title.as_str(), Some(line.shade), points)
    });
    let drawn = Lines {
        about: tr!("learn-distance-axis").to_string(),
        places: Vec::new(),
        range: [0.0, top],
        lines: drawn.collect(),
    };
    let figure = || Figure::lines(title, drawn.clone());
    plots::show(ui, plot, name, figure, |plot| {
        plot.set_plot_bounds_x(0.0..=end + passes * 0.06);
        plot.set_plot_bounds_y(0.0..=top * 1.03);
        let band = |task: usize| task as f64 * passes..=(task + 1) as f64 * passes;
        plots::bands(plot, t, (0..tasks).map(band));
        for (run, line) in lines.iter().zip(&drawn.lines) {
            let colour = t.run(run.shade);
            let drawn = plots::line(line).color(colour);
            plot.line(drawn.width(2.0).style(dash_of(run.shade)));
            // During a task the distance is measured within epochs; only values at the end of an epoch have markers.
            let whole = run.values.iter().copied();
            let whole = whole.filter(|point| point[0].fract() == 0.0);
            let points = Points::new(line.name.clone(), whole.collect::<PlotPoints<'_>>());
            let marker = marker_of(run.shade);
            plot.points(points.shape(marker).filled(true).radius(3.2).color(colour));
        }
    });
    faint(ui, tr!("learn-distance-axis"));
}
