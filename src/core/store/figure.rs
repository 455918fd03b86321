//! Accuracy over tasks as a drawing in SVG: a file of its own, or a part of a report.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::groups::Group;
use crate::metrics::{Expert, mean, std_dev};

/// Width and height of the drawing without its legend.
const SIZE: (f64, f64) = (760.0, 340.0);
/// Room for the labels on the left and below, and for half a number on the right and above.
const ROOM: (f64, f64, f64, f64) = (44.0, 40.0, 16.0, 12.0);
/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Colours that people with colour-blindness tell apart (Okabe and Ito); a report has its own ones for light and dark.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b98500", "#3a96c8", "#5a5a5a",
];
/// Dashes that tell curves apart without colour.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];
/// Most numbers along the lower edge.
const MOST_LABELS: usize = 20;

/// Mean and deviation of A_i after each task; none where it was not measured.
pub(super) type Curve = Vec<Option<(f64, Option<f64>)>>;

/// Where a drawing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a file of its own, on white.
    File,
    /// In a report, whose style names the colours.
    Report,
}

impl Place {
    fn colour(self, curve: usize) -> String {
        let at = curve % COLOURS.len();
        match self {
            Self::File => COLOURS[at].into(),
            Self::Report => format!("var(--c{at})"),
        }
    }

    /// What a file is known as SVG by.
    fn namespace(self) -> Option<&'static str> {
        (self == Self::File).then_some("http://www.w3.org/2000/svg")
    }

    /// The colours of words and of lines across.
    fn plain(self) -> [&'static str; 2] {
        match self {
            Self::File => ["#333333", "#dddddd"],
            Self::Report => ["var(--soft)", "var(--line)"],
        }
    }
}

/// What the runs of a group answered rightly after each task.
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

/// The curves of the runs' answers, one per group, with bands of one standard deviation.
pub(super) fn accuracy(groups: &[Group], place: Place) -> Markup {
    let curves: Vec<Curve> = groups.iter().map(curve).collect();
    let points = curves.iter().flatten().flatten();
    let lowest = points.map(|(mean, std)| mean - std.unwrap_or(0.0));
    let lowest = lowest.fold(100.0, f64::min);
    let axes = Axes {
        tasks: curves.iter().map(Vec::len).max().unwrap_or(0),
        floor: ((lowest / 10.0).floor() * 10.0).clamp(0.0, 90.0),
    };
    let height = SIZE.1 + LINE * groups.len() as f64 + 8.0;
    let [words, _] = place.plain();
    html! {
        svg xmlns=[place.namespace()] viewBox={ "0 0 " (SIZE.0) " " (height) } width=(SIZE.0) height=(height)
            role="img" aria-label="Accuracy over tasks" font-family="system-ui, DejaVu Sans, sans-serif" font-size="12" fill=(words) {
            @if place == Place::File { rect width="100%" height="100%" fill="#ffffff" {} }
            (frame(&axes, place))
            @for (at, curve) in curves.iter().enumerate() {
                @let colour = place.colour(at);
                @if let Some(band) = band(curve, &axes) { path d=(band) fill=(colour) fill-opacity="0.16" {} }
                path d=(line(curve, &axes)) fill="none" stroke=(colour) stroke-width="2" stroke-dasharray=(DASHES[at % DASHES.len()]) {}
                @for (task, point) in curve.iter().enumerate() {
                    @if let Some((mean, _)) = point {
                        circle cx=(axes.x(task)) cy=(axes.y(*mean)) r="3" fill=(colour) {
                            title { (groups[at].label) ", task " (task + 1) ": " (format!("{mean:.1}")) }
                        }
                    }
                }
            }
            @for (at, group) in groups.iter().enumerate() {
                @let y = SIZE.1 + LINE * (at as f64 + 0.5);
                path d={ "M" (ROOM.0) " " (y) "h36" } stroke=(place.colour(at)) stroke-width="2" stroke-dasharray=(DASHES[at % DASHES.len()]) {}
                text x=(ROOM.0 + 46.0) y=(y + 4.0) { (group.label) }
            }
        }
    }
}

/// Lines across with their accuracy, the tasks, and what both are.
fn frame(axes: &Axes, place: Place) -> Markup {
    let every = axes.tasks.div_ceil(MOST_LABELS).max(1);
    let step = if axes.floor >= 80.0 { 5.0 } else { 10.0 };
    let lines = (0..).map(|i| axes.floor + step * f64::from(i));
    let lines: Vec<f64> = lines.take_while(|accuracy| *accuracy <= 100.0).collect();
    let [_, across] = place.plain();
    html! {
        @for accuracy in lines {
            @let y = axes.y(accuracy);
            line x1=(ROOM.0) x2=(SIZE.0 - ROOM.2) y1=(y) y2=(y) stroke=(across) {}
            text x=(ROOM.0 - 6.0) y=(y + 4.0) text-anchor="end" { (accuracy) }
        }
        @for task in (0..axes.tasks).step_by(every) {
            text x=(axes.x(task)) y=(SIZE.1 - ROOM.1 + 18.0) text-anchor="middle" { (task + 1) }
        }
        text x=((SIZE.0 + ROOM.0) / 2.0) y=(SIZE.1 - 6.0) text-anchor="middle" {
            "accuracy on all classes so far, %, after each task"
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
