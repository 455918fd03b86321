//! Figures as data, from which drawings (SVG, PDF, PNG) and tables of their numbers are made. Files, reports and the
//! clipboard use the same drawing.

mod bars;
mod heatmap;
mod lines;
mod page;
mod pdf;
mod png;
mod run_figures;

use maud::{Markup, html};

use super::table::TextTable;
use crate::names::find_subscripts;
use crate::palette::{RunStyle, hex};

pub use bars::{Bar, BarChart};
pub use heatmap::Heatmap;
pub use lines::{ChartLine, LineChart, Point};
pub use page::{Page, PagePart};
pub use png::Pixels;
pub use run_figures::RunFigure;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// The content.
    pub content: FigureContent,
}

/// The content of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureContent {
    /// Lines over tasks or steps.
    LineChart(LineChart),
    /// A matrix of shares.
    Heatmap(Heatmap),
    /// Values by run.
    BarChart(BarChart),
    /// A page of texts and figures.
    Page(Page),
}

/// Where a drawing is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenderTarget {
    /// In a separate file, on white.
    File,
    /// In a report, whose style sheet defines the colours.
    Report,
}

impl RenderTarget {
    /// Returns the colour of a run's line.
    fn shade(self, shade: RunStyle) -> String {
        match self {
            Self::File => hex(shade.on_light()),
            Self::Report => format!("var(--{})", shade.name()),
        }
    }

    /// Returns the colour of another line, by its index.
    fn colour(self, line: usize) -> String {
        let at = line % COLOURS.len();
        match self {
            Self::File => COLOURS[at].into(),
            Self::Report => format!("var(--c{at})"),
        }
    }

    /// Returns the XML namespace that an SVG file needs.
    fn namespace(self) -> Option<&'static str> {
        (self == Self::File).then_some("http://www.w3.org/2000/svg")
    }

    /// Returns the colours of text and of grid lines.
    fn plain(self) -> [&'static str; 2] {
        match self {
            Self::File => ["#333333", "#dddddd"],
            Self::Report => ["var(--soft)", "var(--line)"],
        }
    }
}

/// Colours that are distinguishable with colour blindness (Okabe and Ito), for lines that are not runs; a report has
/// its own for light and dark.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b98500", "#3a96c8", "#5a5a5a"];
/// The fonts of all drawings.
const FONT: &str = "Inter, system-ui, DejaVu Sans, sans-serif";

impl Figure {
    /// Returns a figure of lines.
    pub fn line_chart(title: impl Into<String>, lines: LineChart) -> Self {
        Self { title: title.into(), content: FigureContent::LineChart(lines) }
    }

    /// Returns a figure of a matrix.
    pub fn heatmap(title: impl Into<String>, cells: Heatmap) -> Self {
        Self { title: title.into(), content: FigureContent::Heatmap(cells) }
    }

    /// Returns the text of an SVG file.
    pub fn to_svg(&self) -> String {
        self.draw(RenderTarget::File).into_string()
    }

    pub(super) fn draw(&self, target: RenderTarget) -> Markup {
        match &self.content {
            FigureContent::LineChart(lines) => lines.draw(&self.title, target),
            FigureContent::Heatmap(cells) => cells.draw(&self.title, target),
            FigureContent::BarChart(bars) => bars.draw(&self.title, target),
            FigureContent::Page(page) => page.draw(&self.title, target),
        }
    }

    /// Returns width and height of the drawing.
    fn size(&self) -> [f64; 2] {
        match &self.content {
            FigureContent::LineChart(lines) => lines.size(),
            FigureContent::Heatmap(cells) => cells.layout().size,
            FigureContent::BarChart(bars) => bars.size(),
            FigureContent::Page(page) => page.size(),
        }
    }

    /// Returns the numbers of the figure as a table.
    pub fn to_table(&self) -> TextTable {
        match &self.content {
            FigureContent::LineChart(lines) => lines.to_table(),
            FigureContent::Heatmap(cells) => cells.to_table(),
            FigureContent::BarChart(bars) => bars.to_table(),
            FigureContent::Page(_) => TextTable::default(),
        }
    }
}

/// Returns the content of an SVG `text` element with this font size; symbols such as `F_N` get subscripts.
fn text_markup(text: &str, size: f64) -> Markup {
    let mut parts = Vec::new();
    let mut done = 0;
    for range in find_subscripts(text) {
        parts.push((&text[done..range.start], &text[range.start + 1..range.end]));
        done = range.end;
    }
    html! {
        @for (plain, low) in &parts {
            (plain) tspan baseline-shift="sub" font-size=(size * 0.75) { (low) }
        }
        (&text[done..])
    }
}
