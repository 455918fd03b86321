//! Reorders the words of right-to-left scripts.
//!
//! egui joins letters and orders them within a word, but lays out all words of a line from left to right. Just before a
//! frame is drawn, this module moves the words within their lines. So every class name is displayed correctly, while
//! screen readers and the clipboard get the original text. The order is that of Unicode's bidirectional algorithm (UAX
//! 9).

use std::ops::Range;
use std::sync::Arc;

use egui::epaint::text::{Galley, Row};
use egui::{Context, FullOutput, Plugin, Shape};
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

use crate::fence::catch_panic;

/// Brackets, which are mirrored in right-to-left text.
const BRACKETS: &str = "()[]{}<>«»‹›";

/// Moves the words of all texts into reading order before they are drawn.
#[derive(Default)]
pub struct ReadingOrder {
    /// Whether this has panicked. It is outside of the fences, so it is then disabled: unordered words are better than
    /// no window.
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
        let ended = catch_panic(|| {
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

/// Moves the words of one line into reading order. `pixels` is the number of pixels per point.
fn row(row: &mut Row, leftward: bool, pixels: f32) {
    let glyphs = row.glyphs.iter();
    let letters: Vec<(char, f32)> = glyphs.map(|g| (g.chr, g.advance_width)).collect();
    for (glyph, by, turned) in moves(&letters, leftward) {
        // Letters are moved by whole pixels, so that they remain sharp.
        move_glyph(row, glyph, (by * pixels).round() / pixels, turned);
    }
    row.visuals.mesh_bounds = row.visuals.mesh.calc_bounds();
}

/// Returns the letters of a line that move: the index, the distance, and whether the letter is mirrored. `letters` are
/// the letters with their widths. Empty if no letter moves.
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

/// Returns the indices of the pieces in visual order from left to right.
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
    // To mirror a bracket, the left and right corners of its texture are swapped.
    if let ([a, b, c, d], true) = (corners, turned) {
        std::mem::swap(&mut a.uv.x, &mut b.uv.x);
        std::mem::swap(&mut c.uv.x, &mut d.uv.x);
    }
}

/// Adjacent letters of a line that are moved together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cluster {
    at: Range<usize>,
    /// The embedding level, which is odd for right-to-left text.
    level: Level,
    /// Whether further right-to-left letters can be added.
    open: bool,
}

/// Returns whether this letter is read from right to left.
fn is_leftward(c: char) -> bool {
    matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// Returns whether most letters of a text are read from right to left.
fn runs_leftward(text: &str) -> bool {
    let leftward = text.chars().filter(|&c| is_leftward(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    2 * leftward > letters
}

/// Splits the letters of a line into pieces that move as a whole. Left-to-right text is one piece. Right-to-left text
/// is split into words, which egui has ordered, and punctuation.
fn pieces(letters: &[char], leftward: bool) -> Vec<Cluster> {
    let text: String = letters.iter().collect();
    let whole = if leftward { Level::rtl() } else { Level::ltr() };
    let levels = BidiInfo::new(&text, Some(whole)).levels;
    let mut pieces: Vec<Cluster> = Vec::new();
    for (at, (byte, letter)) in text.char_indices().enumerate() {
        let (level, class) = (levels[byte], bidi_class(letter));
        // Accents and joiners belong to the letter before them.
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

    /// Returns the words of a line in visual order from left to right. Letters within a word are not reordered.
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
        // A name within a sentence, and a list of names.
        assert_eq!(
            seen("The new classes כלב, חתול שחור have settled"),
            "The new classes שחור חתול ,כלב have settled"
        );
        assert_eq!(seen("קפה taken for latte"), "קפה taken for latte");
        // Numbers keep their order.
        assert_eq!(seen("כיתה 12 ב"), "ב 12 כיתה");
        assert_eq!(seen("חתול 45.5%"), "45.5% חתול");
        // A foreign word within a right-to-left name.
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
        // egui has already ordered the letters within a word, so the last letter comes first.
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
        // The letters in visual order; brackets are drawn mirrored.
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
