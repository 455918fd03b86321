//! The figures of a lesson. The numbers of each figure are below it as text.

use egui::text::TextFormat;
use egui::{
    Align2, CornerRadius, Label, Rect, RichText, Role, ScrollArea, Sense, Stroke, Ui, Vec2,
    WidgetInfo, pos2, remap_clamp,
};
use egui_plot::{HoverPosition, PlotPoints, Points};

use crate::metrics::{mean, std_dev};
use crate::session::units::{Chart, number};
use crate::store::figure::{Bar, Figure, FigureLine, Lines};
use crate::texts::Language;
use crate::tr;
use crate::ui::theme::{mono, regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, dash_of, marker_of};
use crate::ui::widgets::plots::{self, marks};
use crate::ui::widgets::{card, faint, matrix, painted_text, terms};

/// Height of curves, in points.
const HEIGHT: f32 = 220.0;
/// Height of a chart of distances, in points.
const DISTANCE_HEIGHT: f32 = 230.0;
/// Height of a row of bars, in points.
const ROW: f32 = 28.0;

/// Draws a figure.
pub(super) fn show(ui: &mut Ui, title: &str, chart: &Chart, language: Language) {
    card(ui, |ui| {
        terms::title(ui, title);
        if chart.is_empty() {
            faint(ui, tr!("learn-available-after-runs"));
            return;
        }
        let numbers = chart.text(language);
        let name = format!("{title}\n{numbers}");
        match chart {
            Chart::Curves { tasks, lines } => curves(ui, (title, &name), tasks, lines),
            Chart::Matrix { rows, tasks } => {
                let side =
                    ((ui.available_width() - 88.0) / (*tasks).max(1) as f32).clamp(8.0, 46.0);
                ui.push_id(title, |ui| {
                    // Cells of this size are painted individually, so no texture is kept.
                    let mut picture = matrix::Picture::default();
                    matrix::accuracy(ui, (title, rows), *tasks, side, &mut picture);
                });
            }
            Chart::Bars { rows, spread, .. } => bars(ui, rows, *spread, language),
            Chart::Table { columns, rows } => {
                table(ui, columns, rows);
                return;
            }
            Chart::Distance {
                passes,
                tasks,
                lines,
            } => {
                legend(ui, lines);
                distance(ui, (title, &name), (*passes, *tasks), lines, language);
            }
        }
        ui.collapsing(tr!("learn-show-numbers"), |ui| {
            let colour = tokens(ui).text;
            let text = RichText::new(numbers).font(mono(12.0)).color(colour);
            ui.add(Label::new(text).wrap().selectable(true));
        });
    });
}

fn curves(ui: &mut Ui, (title, name): (&str, &str), tasks: &[String], lines: &[FigureLine]) {
    let t = tokens(ui);
    legend(ui, lines);
    let series = lines.iter().filter_map(|line| {
        let points = line.points.iter().copied();
        Some(Series::of_run(t, line.shade?, line.name.clone(), points))
    });
    Curves {
        id: title,
        name,
        height: HEIGHT,
        tasks,
        series: series.collect(),
        now: None,
    }
    .show(ui);
}

/// Draws a legend of the runs with their colours.
fn legend(ui: &mut Ui, lines: &[FigureLine]) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 14.0;
        for (line, shade) in lines.iter().filter_map(|line| Some((line, line.shade?))) {
            let words = format!("{} {}", shade.marker().letter(), line.name);
            let colour = tokens(ui).run(shade);
            ui.label(RichText::new(words).font(regular(12.5)).color(colour));
        }
    });
}

fn table(ui: &mut Ui, columns: &[String], rows: &[Vec<String>]) {
    let t = tokens(ui);
    ScrollArea::horizontal().id_salt(columns).show(ui, |ui| {
        egui::Grid::new("table")
            .spacing([26.0, 7.0])
            .min_col_width(40.0)
            .show(ui, |ui| {
                ui.label("");
                for column in columns {
                    let look = TextFormat::simple(semibold(13.0), t.subdued);
                    terms::head(ui, column, &look);
                }
                ui.end_row();
                for cells in rows {
                    for (i, cell) in cells.iter().enumerate() {
                        let font = if i == 0 { regular(14.0) } else { mono(13.0) };
                        ui.label(RichText::new(cell).font(font).color(t.strong));
                    }
                    ui.end_row();
                }
            });
    });
}

/// Draws a bar for each run. With `spread`, it draws a dot for each repetition and a line for mean and standard deviation.
fn bars(ui: &mut Ui, rows: &[(Bar, Vec<f64>)], spread: bool, language: Language) {
    let t = tokens(ui);
    let (low, high) = range(rows, spread);
    let name_width = (ui.available_width() * 0.34).min(210.0);
    let value_width = if spread { 110.0 } else { 92.0 };
    for (bar, values) in rows {
        let size = Vec2::new(ui.available_width(), ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let text = bar.text.trim();
        let label = format!("{}: {text}", bar.name);
        response.widget_info(|| WidgetInfo::labeled(Role::Meter, true, &label));
        let (at, align, font) = (rect.left_center(), Align2::LEFT_CENTER, regular(13.5));
        let width = name_width - 8.0;
        painted_text(ui, at, align, &bar.name, font, t.strong, width);
        let (at, align) = (rect.right_center(), Align2::RIGHT_CENTER);
        painted_text(ui, at, align, text, regular(13.0), t.text, value_width);
        let track = Rect::from_min_max(
            pos2(rect.left() + name_width, rect.top() + 6.0),
            pos2(rect.right() - value_width - 12.0, rect.bottom() - 6.0),
        );
        let at = |value: f64| {
            remap_clamp(
                value as f32,
                low as f32..=high as f32,
                track.left()..=track.right(),
            )
        };
        let painter = ui.painter();
        painter.rect_filled(track, CornerRadius::same(3), t.background);
        let colour = t.run(bar.shade);
        let Some(centre) = mean(values) else { continue };
        if !spread {
            let (zero, end) = (at(0.0), at(centre));
            let filled = Rect::from_x_y_ranges(
                zero.min(end)..=zero.max(end).max(zero + 2.0),
                track.y_range(),
            );
            painter.rect_filled(filled, CornerRadius::same(3), colour);
            continue;
        }
        if let Some(half) = std_dev(values) {
            let ends = [at(centre - half), at(centre + half)];
            let line = Stroke::new(3.0, colour.gamma_multiply(0.5));
            painter.hline(ends[0]..=ends[1], track.center().y, line);
        }
        for value in values {
            painter.circle_filled(pos2(at(*value), track.center().y), 4.0, colour);
        }
        painter.vline(at(centre), track.y_range(), Stroke::new(2.0, t.strong));
    }
    let size = Vec2::new(ui.available_width(), 14.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let (left, right) = (rect.left() + name_width, rect.right() - value_width - 12.0);
    for (x, align, value) in [
        (left, Align2::LEFT_CENTER, low),
        (right, Align2::RIGHT_CENTER, high),
    ] {
        let text = number(value, language);
        let at = pos2(x, rect.center().y);
        ui.painter().text(at, align, text, regular(11.0), t.subdued);
    }
}

/// Returns the range of the axis. Bars start at 0; dots start near the lowest value.
fn range(rows: &[(Bar, Vec<f64>)], spread: bool) -> (f64, f64) {
    let all: Vec<f64> = rows
        .iter()
        .flat_map(|(_, values)| values)
        .copied()
        .collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = 5.0;
    if spread {
        let low = ((least - 1.0) / step).floor() * step;
        return (low, (((most + 1.0) / step).ceil() * step).max(low + step));
    }
    let low = (least / step).floor() * step;
    (low.min(0.0), ((most / step).ceil() * step).max(step))
}

/// Draws the distance between the experts of runs over epochs, with a title and an accessible name. Points are epochs
/// since the start and distance in percent. Every other task has a band in the background.
fn distance(
    ui: &mut Ui,
    (title, name): (&str, &str),
    (passes, tasks): (usize, usize),
    lines: &[FigureLine],
    language: Language,
) {
    let t = tokens(ui);
    let (passes, tasks) = (passes.max(1) as f64, tasks.max(1));
    let points = lines.iter().flat_map(|line| &line.points);
    let most = points.map(|point| point.y).fold(0.0, f64::max);
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        .into_iter()
        .find(|step| most / step <= 5.0)
        .unwrap_or(most / 4.0);
    let top = ((most / step).ceil() * step).max(step);
    let end = passes * tasks as f64;
    let plot = plots::still(ui, title, DISTANCE_HEIGHT)
        .x_grid_spacer(move |_| marks(passes / 2.0, end - passes / 2.0, passes))
        .y_grid_spacer(move |_| marks(0.0, top, step))
        .x_axis_formatter(move |mark, _| {
            let task = (mark.value / passes).floor() as usize + 1;
            tr!("learn-task-number", n = task)
        })
        .y_axis_formatter(|mark, _| format!("{:.0}", mark.value))
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
    let figure = || {
        let lines = Lines {
            about: tr!("learn-distance-axis").to_string(),
            places: Vec::new(),
            range: [0.0, top],
            lines: lines.to_vec(),
        };
        Figure::lines(title, lines)
    };
    plots::show(ui, plot, name, figure, |plot| {
        plot.set_plot_bounds_x(0.0..=end + passes * 0.06);
        plot.set_plot_bounds_y(0.0..=top * 1.03);
        let band = |task: usize| task as f64 * passes..=(task + 1) as f64 * passes;
        plots::bands(plot, t, (0..tasks).map(band));
        for (line, shade) in lines.iter().filter_map(|line| Some((line, line.shade?))) {
            let colour = t.run(shade);
            let drawn = plots::line(line).color(colour);
            plot.line(drawn.width(2.0).style(dash_of(shade)));
            // During a task the distance is measured within epochs; only values at the end of an epoch have markers.
            let whole = line.points.iter().filter(|point| point.x.fract() == 0.0);
            let whole: PlotPoints<'_> = whole.map(|point| [point.x, point.y]).collect();
            let points = Points::new(line.name.clone(), whole).shape(marker_of(shade));
            plot.points(points.filled(true).radius(3.2).color(colour));
        }
    });
    faint(ui, tr!("learn-distance-axis"));
}
