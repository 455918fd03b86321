//! A drawing as a PNG file.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::Figure;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::fonts;

/// Pixels per unit of the drawing, so that it is sharp on paper and on high-resolution screens.
const SCALE: f32 = 2.0;

/// The program's own fonts, and the system's fonts for names in other scripts.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut database = Database::new();
    for font in [fonts::INTER, fonts::INTER_SEMIBOLD, fonts::SYMBOLS] {
        database.load_font_data(font.to_vec());
    }
    database.load_system_fonts();
    Arc::new(database)
});

/// Pixels of an image without transparency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width and height.
    pub size: [usize; 2],
    /// Four bytes per pixel: red, green, blue, and 255.
    pub rgba: Vec<u8>,
}

impl Figure {
    /// Returns the bytes of a PNG file.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be drawn.
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let pixmap = self.pixmap()?;
        pixmap.encode_png().map_err(|error| drawing_problem(&error))
    }

    /// Returns the pixels, on white.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be drawn.
    pub fn to_pixels(&self) -> Result<Pixels> {
        let pixmap = self.pixmap()?;
        Ok(Pixels {
            size: [pixmap.width() as usize, pixmap.height() as usize],
            rgba: pixmap.take(),
        })
    }

    fn pixmap(&self) -> Result<Pixmap> {
        let tree = svg_tree(self)?;
        let size = tree.size();
        let [wide, high] = [size.width(), size.height()].map(|side| (side * SCALE).ceil() as u32);
        let mut pixmap = Pixmap::new(wide, high)
            .ok_or_else(|| drawing_problem(&"it is too large for an image"))?;
        // The edge pixels may be covered only in part.
        pixmap.fill(Color::WHITE);
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
        Ok(pixmap)
    }
}

/// Returns the shapes of a figure's drawing.
///
/// # Errors
/// Returns a Problem if it cannot be drawn.
pub(super) fn svg_tree(figure: &Figure) -> Result<Tree> {
    let options =
        Options { fontdb: FONTS.clone(), font_family: "Inter".into(), ..Options::default() };
    Tree::from_str(&figure.to_svg(), &options).map_err(|error| drawing_problem(&error))
}

pub(super) fn drawing_problem(error: &dyn std::fmt::Display) -> Problem {
    Problem::with_error("problem-figure-not-drawn", error).advise(message!("advice-save-as-svg"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::RunStyle;
    use crate::store::figure::{
        Bar, BarChart, ChartLine, FigureContent, Heatmap, LineChart, Page, PagePart,
    };

    #[test]
    fn figures_render_with_unusual_names_and_values() {
        let awkward = "猫 <&> \u{202e}\"";
        let points = [[0.0, f64::NAN], [1.0, 50.0], [2.0, 1e9], [3.0, -3.0]];
        let line = ChartLine::new(awkward, None, points);
        let cells = Heatmap::accuracy(&[vec![0.5], vec![f64::NAN, 1.0]]);
        let bar = |value: f64| Bar {
            name: awkward.into(),
            shade: RunStyle::all().next().unwrap_or_else(|| panic!("no shades")),
            value,
            text: "F_N".into(),
        };
        let bars = Figure {
            title: awkward.into(),
            content: FigureContent::BarChart(BarChart {
                rows: [3.0, -2.0, f64::NAN].map(bar).into(),
            }),
        };
        let parts = [
            PagePart::Heading(awkward.into()),
            PagePart::Text("long ".repeat(400)),
            PagePart::Figure(bars.clone()),
            PagePart::Figure(Figure::heatmap("F_N", cells.clone())),
        ];
        let page = Figure {
            title: awkward.into(),
            content: FigureContent::Page(Page {
                parts: parts.iter().cycle().take(40).cloned().collect(),
            }),
        };
        for figure in [
            bars,
            page,
            Figure::line_chart(awkward, LineChart::accuracy(vec![line])),
            Figure::line_chart("nothing", LineChart::accuracy(Vec::new())),
            Figure::line_chart("empty", LineChart::default()),
            Figure::heatmap(awkward, cells),
            Figure::heatmap("none", Heatmap::accuracy(&[])),
        ] {
            let pixels = figure.to_pixels();
            let pixels = pixels.unwrap_or_else(|problem| panic!("{}: {problem}", figure.title));
            assert_eq!(pixels.rgba.len(), 4 * pixels.size[0] * pixels.size[1]);
            let dark = pixels.rgba.chunks(4).filter(|p| p[0] < 128).count();
            assert!(dark > 0, "{} has no ink", figure.title);
            assert!(pixels.rgba.chunks(4).all(|p| p[3] == 255));
        }
    }
}
