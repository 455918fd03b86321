//! The figures of a lesson. The numbers of each figure are below it as text.

use egui::text::TextFormat;
use egui::{
    Align2, CornerRadius, Label, Rect, RichText, Role, ScrollArea, Sense, Stroke, Ui, Vec2,
    WidgetInfo, pos2, remap_clamp,
};
use egui_plot::{HoverPosition, PlotPoints, Points};

use crate::metrics::{mean, std_dev};
use crate::session::lessons::{Chart, format_value};
use crate::store::figure::{Bar, ChartLine, Figure, LineChart};
use crate::texts::Language;
use crate::tr;
use crate::ui::theme::{mono, regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, run_dash, run_marker};
use crate::ui::widgets::plots::{self, grid_marks};
use crate::ui::widgets::{card, faint, matrix, paint_truncated_text, terms};

/// Height of curves, in points.
const CURVES_HEIGHT: f32 = 220.0;
/// Height of a chart of distances, in points.
const DISTANCE_HEIGHT: f32 = 230.0;
/// Height of a row of bars, in points.
const ROW_HEIGHT: f32 = 28.0;

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
                    let mut texture = matrix::MatrixTexture::default();
                    matrix::accuracy(ui, (title, rows), *tasks, side, &mut texture);
                });
            }
            Chart::Bars { rows, spread, .. } => bars(ui, rows, *spread, language),
            Chart::Table { columns, rows } => {
                table(ui, columns, rows);
                return;
            }
            Chart::Distance { epochs: passes, tasks, lines } => {
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

fn curves(ui: &mut Ui, (title, name): (&str, &str), tasks: &[String], lines: &[ChartLine]) {
    let t = tokens(ui);
    legend(ui, lines);
    let series = lines.iter().filter_map(|line| {
        let points = line.points.iter().copied();
        Some(Series::from_run(t, line.shade?, line.name.clone(), points))
    });
    Curves {
        id: title,
        name,
        height: CURVES_HEIGHT,
        tasks,
        series: series.collect(),
        current_task: None,
    }
    .show(ui);
}

/// Draws a legend of the runs with their colours.
fn legend(ui: &mut Ui, lines: &[ChartLine]) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 14.0;
        for (line, shade) in lines.iter().filter_map(|line| Some((line, line.shade?))) {
            let label = format!("{} {}", shade.marker().symbol(), line.name);
            let colour = tokens(ui).run_colour(shade);
            ui.label(RichText::new(label).font(regular(12.5)).color(colour));
        }
    });
}

fn table(ui: &mut Ui, columns: &[String], rows: &[Vec<String>]) {
    let t = tokens(ui);
    ScrollArea::horizontal().id_salt(columns).show(ui, |ui| {
        egui::Grid::new("table").spacing([26.0, 7.0]).min_col_width(40.0).show(ui, |ui| {
            ui.label("");
            for column in columns {
                let format = TextFormat::simple(semibold(13.0), t.subdued);
                terms::column_title(ui, column, &format);
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
        let size = Vec2::new(ui.available_width(), ROW_HEIGHT);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let text = bar.text.trim();
        let label = format!("{}: {text}", bar.name);
        response.widget_info(|| WidgetInfo::labeled(Role::Meter, true, &label));
        let (pos, align, font) = (rect.left_center(), Align2::LEFT_CENTER, regular(13.5));
        let width = name_width - 8.0;
        paint_truncated_text(ui, pos, align, &bar.name, font, t.strong, width);
        let (pos, align) = (rect.right_center(), Align2::RIGHT_CENTER);
        paint_truncated_text(ui, pos, align, text, regular(13.0), t.text, value_width);
        let track = Rect::from_min_max(
            pos2(rect.left() + name_width, rect.top() + 6.0),
            pos2(rect.right() - value_width - 12.0, rect.bottom() - 6.0),
        );
        let x_of = |value: f64| {
            remap_clamp(value as f32, low as f32..=high as f32, track.left()..=track.right())
        };
        let painter = ui.painter();
        painter.rect_filled(track, CornerRadius::same(3), t.background);
        let colour = t.run_colour(bar.shade);
        let Some(centre) = mean(values) else { continue };
        if !spread {
            let (zero, end) = (x_of(0.0), x_of(centre));
            let filled = Rect::from_x_y_ranges(
                zero.min(end)..=zero.max(end).max(zero + 2.0),
                track.y_range(),
            );
            painter.rect_filled(filled, CornerRadius::same(3), colour);
            continue;
        }
        if let Some(half) = std_dev(values) {
            let ends = [x_of(centre - half), x_of(centre + half)];
            let line = Stroke::new(3.0, colour.gamma_multiply(0.5));
            painter.hline(ends[0]..=ends[1], track.center().y, line);
        }
        for value in values {
            painter.circle_filled(pos2(x_of(*value), track.center().y), 4.0, colour);
        }
        painter.vline(x_of(centre), track.y_range(), Stroke::new(2.0, t.strong));
    }
    let size = Vec2::new(ui.available_width(), 14.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let (left, right) = (rect.left() + name_width, rect.right() - value_width - 12.0);
    for (x, align, value) in [(left, Align2::LEFT_CENTER, low), (right, Align2::RIGHT_CENTER, high)]
    {
        let text = format_value(value, language);
        let pos = pos2(x, rect.center().y);
        ui.painter().text(pos, align, text, regular(11.0), t.subdued);
    }
}

/// Returns the range of the axis. Bars start at 0; dots start near the lowest value.
fn range(rows: &[(Bar, Vec<f64>)], spread: bool) -> (f64, f64) {
    let all_values: Vec<f64> = rows.iter().flat_map(|(_, values)| values).copied().collect();
    let min = all_values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = all_values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = 5.0;
    if spread {
        let low = ((min - 1.0) / step).floor() * step;
        return (low, (((max + 1.0) / step).ceil() * step).max(low + step));
    }
    let low = (min / step).floor() * step;
    (low.min(0.0), ((max / step).ceil() * step).max(step))
}

/// Draws the distance between the experts of runs over epochs, with a title and an accessible name. Points are epochs
/// since the start and distance in percent. Every other task has a band in the background.
fn distance(
    ui: &mut Ui,
    (title, name): (&str, &str),
    (epochs, tasks): (usize, usize),
    lines: &[ChartLine],
    language: Language,
) {
    let t = tokens(ui);
    let (epochs, tasks) = (epochs.max(1) as f64, tasks.max(1));
    let points = lines.iter().flat_map(|line| &line.points);
    let max = points.map(|point| point.y).fold(0.0, f64::max);
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        .into_iter()
        .find(|step| max / step <= 5.0)
        .unwrap_or(max / 4.0);
    let top = ((max / step).ceil() * step).max(step);
    let end = epochs * tasks as f64;
    let plot = plots::static_plot(ui, title, DISTANCE_HEIGHT)
        .x_grid_spacer(move |_| grid_marks(epochs / 2.0, end - epochs / 2.0, epochs))
        .y_grid_spacer(move |_| grid_marks(0.0, top, step))
        .x_axis_formatter(move |mark, _| {
            let task = (mark.value / epochs).floor() as usize + 1;
            tr!("learn-task-number", n = task)
        })
        .y_axis_formatter(|mark, _| format!("{:.0}", mark.value))
        .label_formatter(move |hover| match hover {
            HoverPosition::NearDataPoint { plot_name, position, .. } if !plot_name.is_empty() => {
                Some(format!("{plot_name}\n{}\u{a0}%", format_value(position.y, language)))
            }
            _ => None,
        });
    let figure = || {
        let lines = LineChart {
            axis_label: tr!("learn-distance-axis").to_string(),
            x_labels: Vec::new(),
            y_range: [0.0, top],
            lines: lines.to_vec(),
        };
        Figure::line_chart(title, lines)
    };
    plots::show(ui, plot, name, figure, |plot| {
        plot.set_plot_bounds_x(0.0..=end + epochs * 0.06);
        plot.set_plot_bounds_y(0.0..=top * 1.03);
        let band = |task: usize| task as f64 * epochs..=(task + 1) as f64 * epochs;
        plots::bands(plot, t, (0..tasks).map(band));
        for (line, shade) in lines.iter().filter_map(|line| Some((line, line.shade?))) {
            let colour = t.run_colour(shade);
            let plot_line = plots::line(line).color(colour);
            plot.line(plot_line.width(2.0).style(run_dash(shade)));
            // During a task the distance is measured within epochs; only values at the end of an epoch have markers.
            let epoch_ends = line.points.iter().filter(|point| point.x.fract() == 0.0);
            let epoch_ends: PlotPoints<'_> = epoch_ends.map(|point| [point.x, point.y]).collect();
            let points = Points::new(line.name.clone(), epoch_ends).shape(run_marker(shade));
            plot.points(points.filled(true).radius(3.2).color(colour));
        }
    });
    faint(ui, tr!("learn-distance-axis"));
}
