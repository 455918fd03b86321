//! Accuracy over tasks as a drawing, with its numbers as a table.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::metrics::{Expert, mean, std_dev};
use crate::store::groups::Group;
use crate::store::spread_text;
use crate::store::table::PLUS_MINUS;

/// Width and height of the drawing.
const SIZE: (f64, f64) = (760.0, 340.0);
/// Room for the labels on the left and below, and for half a number on the right and above.
const ROOM: (f64, f64, f64, f64) = (44.0, 40.0, 16.0, 12.0);
/// Colours that the style names.
const COLOURS: usize = 7;
/// Dashes that tell curves apart without colour.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];
/// Most numbers along the lower edge.
const MOST_LABELS: usize = 20;

/// Mean and deviation of A_i after each task.
type Curve = Vec<Option<(f64, Option<f64>)>>;

/// What one group achieved after each task.
pub(super) fn curve(group: &Group) -> Curve {
    let runs = &group.orders.runs;
    let tasks = runs.iter().map(|run| run.tasks.len()).max().unwrap_or(0);
    let after = |task: usize| {
        let of = runs.iter().filter_map(|run| run.tasks.get(task));
        let values: Vec<f64> = of.filter_map(|task| task.of(Expert::ANSWER)).collect();
        Some((mean(&values)?, std_dev(&values)))
    };
    (0..tasks).map(after).collect()
}

/// Where numbers lie in the drawing.
struct Axes {
    tasks: usize,
    floor: f64,
}

impl Axes {
    fn x(&self, task: usize) -> f64 {
        let width = SIZE.0 - ROOM.0 - ROOM.2;
        let part = match self.tasks {
            0 | 1 => 0.5,
            n => task as f64 / (n - 1) as f64,
        };
        ROOM.0 + 8.0 + part * (width - 16.0)
    }

    fn y(&self, accuracy: f64) -> f64 {
        let height = SIZE.1 - ROOM.1 - ROOM.3;
        let part = (100.0 - accuracy.clamp(self.floor, 100.0)) / (100.0 - self.floor);
        ROOM.3 + part * height
    }
}

/// The curves of all groups with bands of one standard deviation.
pub(super) fn accuracy(groups: &[Group]) -> Markup {
    let curves: Vec<Curve> = groups.iter().map(curve).collect();
    let points = curves.iter().flatten().flatten();
    let lowest = points.map(|(mean, std)| mean - std.unwrap_or(0.0));
    let lowest = lowest.fold(100.0, f64::min);
    let axes = Axes {
        tasks: curves.iter().map(Vec::len).max().unwrap_or(0),
        floor: ((lowest / 10.0).floor() * 10.0).clamp(0.0, 90.0),
    };
    let every = axes.tasks.div_ceil(MOST_LABELS).max(1);
    let step = if axes.floor >= 80.0 { 5.0 } else { 10.0 };
    let lines = (0..).map(|i| axes.floor + step * f64::from(i));
    let lines: Vec<f64> = lines.take_while(|accuracy| *accuracy <= 100.0).collect();
    html! {
        svg viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } width=(SIZE.0) role="img" aria-label="Accuracy over tasks" {
            @for accuracy in lines {
                @let y = axes.y(accuracy);
                line.grid x1=(ROOM.0) x2=(SIZE.0 - ROOM.2) y1=(y) y2=(y) {}
                text x=(ROOM.0 - 6.0) y=(y + 4.0) text-anchor="end" { (accuracy) }
            }
            @for task in (0..axes.tasks).step_by(every) {
                text x=(axes.x(task)) y=(SIZE.1 - ROOM.1 + 18.0) text-anchor="middle" { (task + 1) }
            }
            text x=((SIZE.0 + ROOM.0) / 2.0) y=(SIZE.1 - 6.0) text-anchor="middle" { "task" }
            @for (at, curve) in curves.iter().enumerate() {
                @let colour = format!("var(--c{})", at % COLOURS);
                @if let Some(band) = band(curve, &axes) { path.band d=(band) fill=(colour) {} }
                path.curve d=(line(curve, &axes)) stroke=(colour) stroke-dasharray=(DASHES[at / COLOURS % DASHES.len()]) {}
                @for (task, point) in curve.iter().enumerate() {
                    @if let Some((mean, _)) = point {
                        circle cx=(axes.x(task)) cy=(axes.y(*mean)) r="3" fill=(colour) {
                            title { (groups[at].label) ", task " (task + 1) ": " (format!("{mean:.1}")) }
                        }
                    }
                }
            }
        }
        div.legend { @for (at, group) in groups.iter().enumerate() {
            span { span.key style={ "border-color: var(--c" (at % COLOURS) ")" } {} (group.label) }
        } }
        details {
            summary { "The numbers" }
            div.scroll { table {
                tr { th { "after task" } @for task in 1..=axes.tasks { th.n { (task) } } }
                @for (curve, group) in curves.iter().zip(groups) { tr {
                    td { (group.label) }
                    @for point in curve {
                        td.n { (spread_text(point.map(|p| p.0), point.and_then(|p| p.1), PLUS_MINUS)) }
                    }
                } }
            } }
        }
    }
}

/// The path through all points; a task that was not measured breaks it.
fn line(curve: &Curve, axes: &Axes) -> String {
    let (mut path, mut pen) = (String::new(), 'M');
    for (task, point) in curve.iter().enumerate() {
        match point {
            Some((mean, _)) => {
                let _ = write!(path, "{pen}{:.1} {:.1}", axes.x(task), axes.y(*mean));
                pen = 'L';
            }
            None => pen = 'M',
        }
    }
    path
}

/// The outline of one standard deviation on both sides; none where no point has one.
fn band(curve: &Curve, axes: &Axes) -> Option<String> {
    let points = curve.iter().enumerate();
    let points = points.filter_map(|(task, point)| point.and_then(|(m, s)| Some((task, m, s?))));
    let points: Vec<(usize, f64, f64)> = points.collect();
    let above = points.iter().map(|(task, mean, std)| (*task, mean + std));
    let below = points
        .iter()
        .rev()
        .map(|(task, mean, std)| (*task, mean - std));
    let mut path = String::new();
    for (task, accuracy) in above.chain(below) {
        let pen = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{:.1} {:.1}", axes.x(task), axes.y(accuracy));
    }
    (!path.is_empty()).then(|| path + "Z")
}
