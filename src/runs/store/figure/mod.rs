//! Figures as data: what they show is given, and a drawing (SVG, PDF, PNG) or the numbers as a table are made of it. The same
//! drawing is used in a file, in a report and in the clipboard.

mod cells;
mod lines;
mod look;
mod of_runs;
mod pdf;
mod png;

use maud::Markup;

use super::table::TextTable;
use crate::palette::{Shade, hex};

pub use cells::Cells;
pub use lines::{FigureLine, Lines, Point};
pub use of_runs::FigureOfRuns;
pub use png::Pixels;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// Lines, or a matrix.
    pub content: FigureContent,
}

/// What a figure holds.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureContent {
    /// Lines over tasks or steps.
    Lines(Lines),
    /// A matrix of shares.
    Cells(Cells),
}

/// Where a drawing is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a file of its own, on white.
    File,
    /// In a report, whose style names the colours.
    Report,
}

impl Place {
    /// The colour of a run's line.
    fn shade(self, shade: Shade) -> String {
        match self {
            Self::File => hex(shade.on_light()),
            Self::Report => format!("var(--{})", shade.name()),
        }
    }

    /// The colour of a line that is no run's, by its place among such lines.
    fn colour(self, line: usize) -> String {
        let at = line % COLOURS.len();
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

/// Colours that people with colour-blindness can distinguish (Okabe and Ito), for what is no run; a report has its own
/// ones for light and dark.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b98500", "#3a96c8", "#5a5a5a",
];
/// What every drawing's words are set in.
const FONT: &str = "Inter, system-ui, DejaVu Sans, sans-serif";

impl Figure {
    /// Lines under a title.
    pub fn lines(title: impl Into<String>, lines: Lines) -> Self {
        Self {
            title: title.into(),
            content: FigureContent::Lines(lines),
        }
    }

    /// A matrix under a title.
    pub fn cells(title: impl Into<String>, cells: Cells) -> Self {
        Self {
            title: title.into(),
            content: FigureContent::Cells(cells),
        }
    }

    /// The text of an SVG file.
    pub fn svg(&self) -> String {
        self.draw(Place::File).into_string()
    }

    pub(super) fn draw(&self, place: Place) -> Markup {
        match &self.content {
            FigureContent::Lines(lines) => lines.draw(&self.title, place),
            FigureContent::Cells(cells) => cells.draw(&self.title, place),
        }
    }

    /// Its numbers.
    pub fn table(&self) -> TextTable {
        match &self.content {
            FigureContent::Lines(lines) => lines.table(),
            FigureContent::Cells(cells) => cells.table(),
        }
    }
}
