//! A page of texts and figures: A4, or scaled down to it if it is too long.

use maud::{Markup, html};

use super::{FONT, Figure, RenderTarget, text_markup};

/// Width and height of A4 in units of 1/96 inch.
const A4: [f64; 2] = [794.0, 1123.0];
/// Margin on all sides.
const MARGIN: f64 = 48.0;
/// Font sizes of the title, of a heading and of text.
const FONT_SIZES: [f64; 3] = [22.0, 13.0, 12.0];
/// Height of a line of text in the smallest font.
const LINE_HEIGHT: f64 = 17.0;
/// Mean width of a character, as a share of the font size.
const CHAR_WIDTH: f64 = 0.56;
/// Scale of figures, so that a matrix fits beside a line chart, and the gap between figures.
const SCALE: f64 = 0.6;
const GAP: f64 = 24.0;
/// Fonts of titles.
const BOLD: &str = "Inter Semi Bold, Inter, DejaVu Sans, sans-serif";
/// Colour of text.
const INK: &str = "#222222";

/// A page of texts and figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its parts, from top to bottom.
    pub parts: Vec<PagePart>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum PagePart {
    /// A heading with space above it.
    Heading(String),
    /// Text.
    Text(String),
    /// A figure; figures are placed beside each other if they fit.
    Figure(Figure),
}

impl Page {
    pub(super) fn size(&self) -> [f64; 2] {
        A4
    }

    pub(super) fn draw(&self, title: &str, target: RenderTarget) -> Markup {
        let mut pen = Pen::default();
        pen.add_text(title, FONT_SIZES[0], true);
        pen.y += 4.0;
        for part in &self.parts {
            match part {
                PagePart::Heading(text) => {
                    pen.end_row();
                    pen.y += 8.0;
                    pen.add_text(text, FONT_SIZES[1], true);
                }
                PagePart::Text(text) => {
                    pen.end_row();
                    pen.add_text(text, FONT_SIZES[2], false);
                }
                PagePart::Figure(figure) => pen.add_figure(figure),
            }
        }
        pen.end_row();
        // A page that is too long also becomes wider, and is scaled as a whole.
        let scale = ((pen.y + MARGIN) / A4[1]).max(1.0);
        let [width, height] = A4.map(|side| side * scale);
        let left = (A4[0] - width) / 2.0;
        html! {
            svg xmlns=[target.namespace()] viewBox={ (left) " 0 " (width) " " (height) } width=(A4[0]) height=(A4[1])
                role="img" aria-label=(title) font-family=(FONT) {
                rect x=(left) width=(width) height=(height) fill="#ffffff" {}
                @for part in &pen.elements { (part) }
            }
        }
    }
}

/// Places the parts of a page.
struct Pen {
    elements: Vec<Markup>,
    /// The lower end of the parts drawn so far.
    y: f64,
    /// The right end of the current row of figures, and its height.
    row: [f64; 2],
}

impl Default for Pen {
    fn default() -> Self {
        Self { elements: Vec::new(), y: MARGIN, row: [MARGIN, 0.0] }
    }
}

impl Pen {
    /// Adds wrapped text.
    fn add_text(&mut self, text: &str, size: f64, bold: bool) {
        let max_chars = ((A4[0] - 2.0 * MARGIN) / (size * CHAR_WIDTH)) as usize;
        for line in text.lines().flat_map(|line| wrap_text(line, max_chars)) {
            self.y += size + LINE_HEIGHT - FONT_SIZES[2];
            self.elements.push(html! {
                text x=(MARGIN) y=(self.y - 4.0) font-size=(size) font-family=[bold.then_some(BOLD)] fill=(INK) { (text_markup(&line, size)) }
            });
        }
    }

    /// Adds a figure with its title, beside the previous one if there is room.
    fn add_figure(&mut self, figure: &Figure) {
        let [width, height] = figure.size().map(|side| side * SCALE);
        if self.row[0] + width > A4[0] - MARGIN {
            self.end_row();
        }
        let [x, y] = [self.row[0], self.y + GAP];
        self.elements.push(html! {
            text x=(x) y=(y) font-size=(FONT_SIZES[2]) font-family=(BOLD) fill=(INK) { (text_markup(&figure.title, FONT_SIZES[2])) }
            g transform={ "translate(" (x) " " (y + 8.0) ") scale(" (SCALE) ")" } {
                (Figure { title: String::new(), ..figure.clone() }.draw(RenderTarget::File))
            }
        });
        // A title may be wider than its figure.
        let title = figure.title.chars().count() as f64 * FONT_SIZES[2] * CHAR_WIDTH;
        self.row[0] += width.max(title) + GAP;
        self.row[1] = self.row[1].max(GAP + 8.0 + height);
    }

    /// Continues below the current row of figures.
    fn end_row(&mut self) {
        self.y += self.row[1];
        self.row = [MARGIN, 0.0];
    }
}

/// Splits a line at spaces into lines of at most `max_chars` characters, unless a single word is longer.
fn wrap_text(line: &str, max_chars: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 || last + word.chars().count() < max_chars => {
                line.push_str(if last == 0 { "" } else { " " });
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
