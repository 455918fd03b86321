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
    let mut all = Database::new();
    for font in [fonts::INTER, fonts::INTER_SEMIBOLD, fonts::SYMBOLS] {
        all.load_font_data(font.to_vec());
    }
    all.load_system_fonts();
    Arc::new(all)
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
    pub fn png(&self) -> Result<Vec<u8>> {
        let pixmap = self.pixmap()?;
        pixmap.encode_png().map_err(|error| not_drawn(&error))
    }

    /// Returns the pixels, on white.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be drawn.
    pub fn pixels(&self) -> Result<Pixels> {
        let pixmap = self.pixmap()?;
        Ok(Pixels {
            size: [pixmap.width() as usize, pixmap.height() as usize],
            rgba: pixmap.take(),
        })
    }

    fn pixmap(&self) -> Result<Pixmap> {
        let tree = tree(self)?;
        let size = tree.size();
        let [wide, high] = [size.width(), size.height()].map(|side| (side * SCALE).ceil() as u32);
        let mut pixmap =
            Pixmap::new(wide, high).ok_or_else(|| not_drawn(&"it is too large for an image"))?;
        // The edge pixels may be covered only in part.
        pixmap.fill(Color::WHITE);
        resvg::render(
            &tree,
            Transform::from_scale(SCALE, SCALE),
            &mut pixmap.as_mut(),
        );
        Ok(pixmap)
    }
}

/// Returns the shapes of a figure's drawing.
///
/// # Errors
/// Returns a Problem if it cannot be drawn.
pub(super) fn tree(figure: &Figure) -> Result<Tree> {
    let options = Options {
        fontdb: FONTS.clone(),
        font_family: "Inter".into(),
        ..Options::default()
    };
    Tree::from_str(&figure.svg(), &options).map_err(|error| not_drawn(&error))
}

pub(super) fn not_drawn(error: &dyn std::fmt::Display) -> Problem {
    Problem::with_error("problem-figure-not-drawn", error).advise(message!("advice-save-as-svg"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Shade;
    use crate::store::figure::{
        Bar, Bars, Cells, FigureContent, FigureLine, Lines, Page, PagePart,
    };

    #[test]
    fn figures_become_pictures_with_ink_whatever_their_names_and_numbers_are() {
        let awkward = "猫 <&> \u{202e}\"";
        let points = [[0.0, f64::NAN], [1.0, 50.0], [2.0, 1e9], [3.0, -3.0]];
        let line = FigureLine::new(awkward, None, points);
        let cells = Cells::accuracy(&[vec![0.5], vec![f64::NAN, 1.0]]);
        let bar = |value: f64| Bar {
            name: awkward.into(),
            shade: Shade::all().next().unwrap_or_else(|| panic!("no shades")),
            value,
            text: "F_N".into(),
        };
        let bars = Figure {
            title: awkward.into(),
            content: FigureContent::Bars(Bars {
                rows: [3.0, -2.0, f64::NAN].map(bar).into(),
            }),
        };
        let parts = [
            PagePart::Heading(awkward.into()),
            PagePart::Text("long ".repeat(400)),
            PagePart::Figure(bars.clone()),
            PagePart::Figure(Figure::cells("F_N", cells.clone())),
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
            Figure::lines(awkward, Lines::accuracy(vec![line])),
            Figure::lines("nothing", Lines::accuracy(Vec::new())),
            Figure::lines("empty", Lines::default()),
            Figure::cells(awkward, cells),
            Figure::cells("none", Cells::accuracy(&[])),
        ] {
            let pixels = figure.pixels();
            let pixels = pixels.unwrap_or_else(|problem| panic!("{}: {problem}", figure.title));
            assert_eq!(pixels.rgba.len(), 4 * pixels.size[0] * pixels.size[1]);
            let dark = pixels.rgba.chunks(4).filter(|p| p[0] < 128).count();
            assert!(dark > 0, "{} has no ink", figure.title);
            assert!(pixels.rgba.chunks(4).all(|p| p[3] == 255));
        }
    }
}
