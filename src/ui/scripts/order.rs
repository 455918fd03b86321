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

use crate::panics::catch_panic;

/// Brackets, which are mirrored in right-to-left text.
const BRACKETS: &str = "()[]{}<>«»‹›";

/// Moves the words of all texts into reading order before they are drawn.
#[derive(Default)]
pub struct ReadingOrder {
    /// Whether this has panicked. It is unguarded, so it is then disabled: unordered words are better than
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
        let result = catch_panic(|| {
            for clipped in &mut output.shapes {
                reorder_shape(&mut clipped.shape);
            }
        });
        self.failed = result.is_err();
    }
}

fn reorder_shape(shape: &mut Shape) {
    match shape {
        Shape::Text(text) if text.galley.job.text.chars().any(is_rtl) => {
            reorder_galley(Arc::make_mut(&mut text.galley));
        }
        Shape::Vec(shapes) => shapes.iter_mut().for_each(reorder_shape),
        _ => {}
    }
}

fn reorder_galley(galley: &mut Galley) {
    let rtl = is_mostly_rtl(&galley.job.text);
    let pixels = galley.pixels_per_point;
    for placed in &mut galley.rows {
        reorder_row(Arc::make_mut(&mut placed.row), rtl, pixels);
    }
}

/// Moves the words of one line into reading order. `pixels` is the number of pixels per point.
fn reorder_row(row: &mut Row, rtl: bool, pixels: f32) {
    let glyphs = row.glyphs.iter();
    let letters: Vec<(char, f32)> = glyphs.map(|g| (g.chr, g.advance_width)).collect();
    for (glyph, offset, mirrored) in glyph_moves(&letters, rtl) {
        // Letters are moved by whole pixels, so that they remain sharp.
        move_glyph(row, glyph, (offset * pixels).round() / pixels, mirrored);
    }
    row.visuals.mesh_bounds = row.visuals.mesh.calc_bounds();
}

/// Returns the letters of a line that move: the index, the distance, and whether the letter is mirrored. `letters` are
/// the letters with their widths. Empty if no letter moves.
fn glyph_moves(letters: &[(char, f32)], rtl: bool) -> Vec<(usize, f32, bool)> {
    let characters: Vec<char> = letters.iter().map(|(letter, _)| *letter).collect();
    let clusters = split_clusters(&characters, rtl);
    let order = reading_order(&clusters);
    if order.iter().copied().eq(0..clusters.len()) {
        return Vec::new();
    }
    let width = |range: Range<usize>| letters[range].iter().map(|(_, width)| width).sum::<f32>();
    let mut moves = Vec::new();
    let mut x = 0.0;
    for index in order {
        let mirrored = clusters[index].level.is_rtl();
        let range = clusters[index].range.clone();
        let offset = x - width(0..range.start);
        x += width(range.clone());
        moves.extend(range.map(|letter| (letter, offset, mirrored)));
    }
    moves
}

/// Returns the indices of the pieces in visual order from left to right.
fn reading_order(clusters: &[Cluster]) -> Vec<usize> {
    let levels: Vec<Level> = clusters.iter().map(|cluster| cluster.level).collect();
    BidiInfo::reorder_visual(&levels)
}

fn move_glyph(row: &mut Row, index: usize, offset: f32, mirrored: bool) {
    let first = row.glyphs[index].first_vertex as usize;
    let next = row.glyphs.get(index + 1);
    let end = next.map_or(row.visuals.glyph_vertex_range.end, |glyph| glyph.first_vertex as usize);
    let glyph = &mut row.glyphs[index];
    glyph.pos.x += offset;
    let mirrored = mirrored && BRACKETS.contains(glyph.chr);
    let Some(corners) = row.visuals.mesh.vertices.get_mut(first..end.max(first)) else {
        return;
    };
    corners.iter_mut().for_each(|corner| corner.pos.x += offset);
    // To mirror a bracket, the left and right corners of its texture are swapped.
    if let ([a, b, c, d], true) = (corners, mirrored) {
        std::mem::swap(&mut a.uv.x, &mut b.uv.x);
        std::mem::swap(&mut c.uv.x, &mut d.uv.x);
    }
}

/// Adjacent letters of a line that are moved together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cluster {
    range: Range<usize>,
    /// The embedding level, which is odd for right-to-left text.
    level: Level,
    /// Whether further right-to-left letters can be added.
    open: bool,
}

/// Returns whether this letter is read from right to left.
fn is_rtl(c: char) -> bool {
    matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// Returns whether most letters of a text are read from right to left.
fn is_mostly_rtl(text: &str) -> bool {
    let rtl_count = text.chars().filter(|&c| is_rtl(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    2 * rtl_count > letters
}

/// Splits the letters of a line into pieces that move as a whole. Left-to-right text is one piece. Right-to-left text
/// is split into words, which egui has ordered, and punctuation.
fn split_clusters(letters: &[char], rtl: bool) -> Vec<Cluster> {
    let text: String = letters.iter().collect();
    let base_level = if rtl { Level::rtl() } else { Level::ltr() };
    let levels = BidiInfo::new(&text, Some(base_level)).levels;
    let mut clusters: Vec<Cluster> = Vec::new();
    for (index, (byte, letter)) in text.char_indices().enumerate() {
        let (level, class) = (levels[byte], bidi_class(letter));
        // Accents and joiners belong to the letter before them.
        let is_mark = matches!(class, BidiClass::NSM | BidiClass::BN);
        let in_word = level.is_ltr() || matches!(class, BidiClass::R | BidiClass::AL);
        match clusters.last_mut() {
            Some(last) if is_mark || (last.level == level && last.open && in_word) => {
                last.range.end = index + 1;
            }
            _ => clusters.push(Cluster { range: index..index + 1, level, open: in_word }),
        }
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a line in visual order from left to right. Letters within a word are not reordered.
    fn visual_order(text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        let clusters = split_clusters(&letters, is_mostly_rtl(text));
        let words = reading_order(&clusters).into_iter().map(|index| {
            let cluster = &letters[clusters[index].range.clone()];
            cluster.iter().collect::<String>()
        });
        words.collect()
    }

    #[test]
    fn words_are_in_reading_order() {
        assert_eq!(visual_order("two words"), "two words");
        assert_eq!(visual_order("שלום עולם"), "עולם שלום");
        assert_eq!(visual_order("كتاب أزرق كبير"), "كبير أزرق كتاب");
        // A name within a sentence, and a list of names.
        assert_eq!(
            visual_order("The new classes כלב, חתול שחור have settled"),
            "The new classes שחור חתול ,כלב have settled"
        );
        assert_eq!(visual_order("קפה taken for latte"), "קפה taken for latte");
        // Numbers keep their order.
        assert_eq!(visual_order("כיתה 12 ב"), "ב 12 כיתה");
        assert_eq!(visual_order("חתול 45.5%"), "45.5% חתול");
        // A foreign word within a right-to-left name.
        assert_eq!(visual_order("בית ספר ABC xyz גדול"), "גדול ABC xyz ספר בית");
        assert_eq!(visual_order(""), "");
    }

    #[test]
    fn marks_stay_with_their_letters() {
        assert_eq!(visual_order("e\u{301} שָׁלוֹם לך"), "לך שָׁלוֹם e\u{301}");
        let clusters = split_clusters(&['א', '👩', '\u{200d}', '👧'], true);
        assert_eq!(clusters[1].range, 1..3);
    }

    #[test]
    fn letters_move_with_their_words() {
        // egui has already ordered the letters within a word, so the last letter comes first.
        let letters =
            [('ב', 2.0), ('א', 3.0), (' ', 1.0), ('(', 1.0), ('ד', 4.0), ('ג', 2.0), (')', 1.0)];
        let position =
            |letter: usize| letters[..letter].iter().map(|(_, width)| width).sum::<f32>();
        let mut placed = vec![(0.0, ' ', false); letters.len()];
        for (letter, offset, mirrored) in glyph_moves(&letters, true) {
            placed[letter] = (position(letter) + offset, letters[letter].0, mirrored);
        }
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let line: String = placed.iter().map(|(_, letter, _)| letter).collect();
        // The letters in visual order; brackets are drawn mirrored.
        assert_eq!(line, ")דג( בא");
        assert!(
            placed.iter().all(|(_, letter, mirrored)| *mirrored || !BRACKETS.contains(*letter))
        );
        assert_eq!(placed[0].0, 0.0);
        assert_eq!(placed[6].0, 11.0, "the first word ends where the line ends");
        assert!(glyph_moves(&[('a', 1.0), (' ', 1.0), ('א', 1.0)], false).is_empty());
    }
}
