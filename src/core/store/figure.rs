//! Accuracy over tasks as an SVG picture.

use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

use super::groups::Group;
use crate::metrics::{Expert, mean, std_dev};
use crate::problem::{Problem, Result};

/// Width and height in pixels.
const SIZE: (u32, u32) = (720, 440);
/// Colours that people with colour-blindness tell apart (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

/// A_i of the runs' answers over tasks, one line per group; bars show the standard deviation.
pub(super) fn accuracy(groups: &[Group]) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(groups, &area)
            .and_then(|()| area.present())
            .map_err(|error| Problem::new(format!("the figure could not be drawn: {error}")))?;
    }
    Ok(svg)
}

/// Mean and spread of A_i after each task (from 1).
fn points(group: &Group) -> Vec<(f64, f64, f64)> {
    let runs = &group.orders.runs;
    let tasks = runs.iter().map(|run| run.tasks.len()).max().unwrap_or(0);
    (0..tasks)
        .filter_map(|task| {
            let values: Vec<f64> = runs
                .iter()
                .filter_map(|run| run.tasks.get(task))
                .filter_map(|figures| figures.of(Expert::ANSWER))
                .collect();
            let spread = std_dev(&values).unwrap_or(0.0);
            Some(((task + 1) as f64, mean(&values)?, spread))
        })
        .collect()
}

fn draw<DB: DrawingBackend>(
    groups: &[Group],
    area: &DrawingArea<DB, Shift>,
) -> std::result::Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let curves: Vec<_> = groups.iter().map(points).collect();
    let all = || curves.iter().flatten();
    let tasks = all().map(|p| p.0).fold(1.0, f64::max);
    let lowest = all().map(|p| p.1 - p.2).fold(100.0, f64::min);
    let floor = ((lowest / 10.0).floor() * 10.0 - 5.0).clamp(0.0, 90.0);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(52)
        .build_cartesian_2d(0.8..tasks + 0.2, floor..101.0)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .x_labels(tasks as usize + 1)
        .x_label_formatter(&|x| {
            if (x - x.round()).abs() < 1e-6 {
                format!("{x:.0}")
            } else {
                String::new()
            }
        })
        .x_desc("task")
        .y_desc("accuracy on all classes so far, %")
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .draw()?;
    for (i, (group, curve)) in groups.iter().zip(&curves).enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        // Marks of several forms tell the lines apart without colour. Chart and legend have
        // different coordinates, hence a macro where a closure would do otherwise.
        macro_rules! marked {
            ($form:ident, $size:expr) => {
                chart
                    .draw_series(
                        curve
                            .iter()
                            .map(|&(x, y, _)| $form::new((x, y), $size, colour.stroke_width(2))),
                    )?
                    .label(&group.label)
                    .legend(move |(x, y)| $form::new((x + 10, y), $size, colour.stroke_width(2)))
            };
        }
        match i % 3 {
            0 => marked!(Circle, 4),
            1 => marked!(TriangleMarker, 6),
            _ => marked!(Cross, 5),
        };
        let line = curve.iter().map(|&(x, y, _)| (x, y));
        chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
        chart.draw_series(curve.iter().filter(|p| p.2 > 0.0).map(|&(x, y, spread)| {
            PathElement::new(vec![(x, y - spread), (x, y + spread)], colour)
        }))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.85))
        .label_font(("sans-serif", 13))
        .draw()
}
