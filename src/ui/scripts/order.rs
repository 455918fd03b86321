//! Words of scripts that are written from right to left, put into the order in which they are read.
//!
//! The toolkit joins letters and orders them within a word, but lays all words of a line from left
//! to right. What was laid out is looked through once a frame, just before it is drawn, and the
//! words are moved within their line: so every place that shows a class's name shows it rightly,
//! while screen readers and the clipboard get the text as it was written. The order is that of
//! Unicode's bidirectional algorithm (UAX 9).

use std::ops::Range;
use std::sync::Arc;

use egui::epaint::text::{Galley, Row};
use egui::{Context, FullOutput, Plugin, Shape};
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

use crate::fence::caught;

/// Brackets are turned round with the direction.
const BRACKETS: &str = "()[]{}<>«»‹›";

/// Puts the words of every text into reading order.
#[derive(Default)]
pub struct ReadingOrder {
    /// Whether it panicked once: no fence of a page is around it, and words that stand where the
    /// toolkit laid them are better than no window.
    failed: bool,
}

impl Plugin for ReadingOrder {
    fn debug_name(&self) -> &'static str {
        "reading order"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        if self.failed {
            return;
        }
        let ended = caught(|| {
            for clipped in &mut output.shapes {
                arrange(&mut clipped.shape);
            }
        });
        self.failed = ended.is_err();
    }
}

fn arrange(shape: &mut Shape) {
    match shape {
        Shape::Text(text) if text.galley.job.text.chars().any(is_leftward) => {
            galley(Arc::make_mut(&mut text.galley));
        }
        Shape::Vec(shapes) => shapes.iter_mut().for_each(arrange),
        _ => {}
    }
}

fn galley(galley: &mut Galley) {
    let leftward = runs_leftward(&galley.job.text);
    let pixels = galley.pixels_per_point;
    for placed in &mut galley.rows {
        row(Arc::make_mut(&mut placed.row), leftward, pixels);
    }
}

/// Moves the words of one line.
fn row(row: &mut Row, leftward: bool, pixels: f32) {
    let glyphs = row.glyphs.iter();
    let letters: Vec<(char, f32)> = glyphs.map(|g| (g.chr, g.advance_width)).collect();
    for (glyph, by, turned) in moves(&letters, leftward) {
        // Whole pixels keep letters sharp.
        move_glyph(row, glyph, (by * pixels).round() / pixels, turned);
    }
    row.visuals.mesh_bounds = row.visuals.mesh.calc_bounds();
}

/// How far each letter of a line goes, and whether it is turned round; of a line's letters and their
/// widths. Empty where all of them stay.
fn moves(letters: &[(char, f32)], leftward: bool) -> Vec<(usize, f32, bool)> {
    let signs: Vec<char> = letters.iter().map(|(letter, _)| *letter).collect();
    let pieces = pieces(&signs, leftward);
    let order = reading_order(&pieces);
    if order.iter().copied().eq(0..pieces.len()) {
        return Vec::new();
    }
    let width = |range: Range<usize>| letters[range].iter().map(|(_, width)| width).sum::<f32>();
    let mut all = Vec::new();
    let mut at = 0.0;
    for piece in order {
        let turned = pieces[piece].level.is_rtl();
        let range = pieces[piece].at.clone();
        let by = at - width(0..range.start);
        at += width(range.clone());
        all.extend(range.map(|letter| (letter, by, turned)));
    }
    all
}

/// The pieces from left to right.
fn reading_order(pieces: &[Cluster]) -> Vec<usize> {
    let levels: Vec<Level> = pieces.iter().map(|piece| piece.level).collect();
    BidiInfo::reorder_visual(&levels)
}

fn move_glyph(row: &mut Row, index: usize, by: f32, turned: bool) {
    let first = row.glyphs[index].first_vertex as usize;
    let next = row.glyphs.get(index + 1);
    let end = next.map_or(row.visuals.glyph_vertex_range.end, |glyph| {
        glyph.first_vertex as usize
    });
    let glyph = &mut row.glyphs[index];
    glyph.pos.x += by;
    let turned = turned && BRACKETS.contains(glyph.chr);
    let Some(corners) = row.visuals.mesh.vertices.get_mut(first..end.max(first)) else {
        return;
    };
    corners.iter_mut().for_each(|corner| corner.pos.x += by);
    // The texture of a bracket is shown mirrored: left and right corners change theirs.
    if let ([a, b, c, d], true) = (corners, turned) {
        std::mem::swap(&mut a.uv.x, &mut b.uv.x);
        std::mem::swap(&mut c.uv.x, &mut d.uv.x);
    }
}

/// Letters of one line that stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cluster {
    at: Range<usize>,
    /// Odd where they are read leftward.
    level: Level,
    /// Whether letters that are read leftward may still join it.
    open: bool,
}

/// Whether this letter is read from right to left.
fn is_leftward(c: char) -> bool {
    matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// Whether a text as a whole is: most of its letters are.
fn runs_leftward(text: &str) -> bool {
    let leftward = text.chars().filter(|&c| is_leftward(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    2 * leftward > letters
}

/// The letters of a line as pieces: what is read rightward stays whole; of what is read leftward the
/// toolkit has ordered each word, and signs between words stand alone.
fn pieces(letters: &[char], leftward: bool) -> Vec<Cluster> {
    let text: String = letters.iter().collect();
    let whole = if leftward { Level::rtl() } else { Level::ltr() };
    let levels = BidiInfo::new(&text, Some(whole)).levels;
    let mut pieces: Vec<Cluster> = Vec::new();
    for (at, (byte, letter)) in text.char_indices().enumerate() {
        let (level, class) = (levels[byte], bidi_class(letter));
        // Accents and joiners are no letters of their own.
        let mark = matches!(class, BidiClass::NSM | BidiClass::BN);
        let word = level.is_ltr() || matches!(class, BidiClass::R | BidiClass::AL);
        match pieces.last_mut() {
            Some(last) if mark || (last.level == level && last.open && word) => {
                last.at.end = at + 1;
            }
            _ => pieces.push(Cluster {
                at: at..at + 1,
                level,
                open: word,
            }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a line, a digit or capital for each letter, as they are seen from left to
    /// right; letters within a word stay as they are.
    fn seen(text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        let pieces = pieces(&letters, runs_leftward(text));
        let all = reading_order(&pieces).into_iter().map(|piece| {
            let of_piece = &letters[pieces[piece].at.clone()];
            of_piece.iter().collect::<String>()
        });
        all.collect()
    }

    #[test]
    fn words_are_seen_in_the_order_in_which_they_are_read() {
        assert_eq!(seen("two words"), "two words");
        assert_eq!(seen("שלום עולם"), "עולם שלום");
        assert_eq!(seen("كتاب أزرق كبير"), "كبير أزرق كتاب");
        // A name within a sentence, and a list of them.
        assert_eq!(
            seen("The new classes כלב, חתול שחור have settled"),
            "The new classes שחור חתול ,כלב have settled"
        );
        assert_eq!(seen("קפה taken for latte"), "קפה taken for latte");
        // Numbers keep their order.
        assert_eq!(seen("כיתה 12 ב"), "ב 12 כיתה");
        assert_eq!(seen("חתול 45.5%"), "45.5% חתול");
        // A foreign word in a name that is read leftward.
        assert_eq!(seen("בית ספר ABC xyz גדול"), "גדול ABC xyz ספר בית");
        assert_eq!(seen(""), "");
    }

    #[test]
    fn marks_stay_with_their_letters() {
        assert_eq!(seen("e\u{301} שָׁלוֹם לך"), "לך שָׁלוֹם e\u{301}");
        let one = pieces(&['א', '👩', '\u{200d}', '👧'], true);
        assert_eq!(one[1].at, 1..3);
    }

    #[test]
    fn letters_go_as_far_as_their_words() {
        // Within a word the toolkit has ordered them already: the last letter stands first.
        let letters = [
            ('ב', 2.0),
            ('א', 3.0),
            (' ', 1.0),
            ('(', 1.0),
            ('ד', 4.0),
            ('ג', 2.0),
            (')', 1.0),
        ];
        let at = |letter: usize| {
            letters[..letter]
                .iter()
                .map(|(_, width)| width)
                .sum::<f32>()
        };
        let mut seen = vec![(0.0, ' ', false); letters.len()];
        for (letter, by, turned) in moves(&letters, true) {
            seen[letter] = (at(letter) + by, letters[letter].0, turned);
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let line: String = seen.iter().map(|(_, letter, _)| letter).collect();
        // Brackets are drawn mirrored here.
        assert_eq!(line, ")דג( בא");
        assert!(
            seen.iter()
                .all(|(_, letter, turned)| *turned || !BRACKETS.contains(*letter))
        );
        assert_eq!(seen[0].0, 0.0);
        assert_eq!(seen[6].0, 11.0, "the first word ends where the line ends");
        assert!(moves(&[('a', 1.0), (' ', 1.0), ('א', 1.0)], false).is_empty());
    }
}
