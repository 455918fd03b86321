//! Scripts of class names: fonts to install for names that no installed font can display, and the order of
//! right-to-left words.

mod order;

use egui::Context;

use super::theme::regular;
use crate::tr;
pub use order::ReadingOrder;

/// The first and the last character of a script's blocks, the message id of its name, and a font that covers it.
const SCRIPTS: [(u32, u32, &str, &str); 13] = [
    (0x0590, 0x05FF, "data-script-hebrew", "Noto Sans Hebrew"),
    (0x0600, 0x077F, "data-script-arabic", "Noto Sans Arabic"),
    (0x0900, 0x097F, "data-script-devanagari", "Noto Sans Devanagari"),
    (0x0980, 0x09FF, "data-script-bengali", "Noto Sans Bengali"),
    (0x0B80, 0x0BFF, "data-script-tamil", "Noto Sans Tamil"),
    (0x0E00, 0x0E7F, "data-script-thai", "Noto Sans Thai"),
    (0x10A0, 0x10FF, "data-script-georgian", "Noto Sans Georgian"),
    (0x1100, 0x11FF, "data-script-korean", "Noto Sans CJK"),
    (0x2E80, 0x9FFF, "data-script-chinese", "Noto Sans CJK"),
    (0xAC00, 0xD7AF, "data-script-korean", "Noto Sans CJK"),
    (0xF900, 0xFAFF, "data-script-chinese", "Noto Sans CJK"),
    (0x1_F300, 0x1_FAFF, "data-script-emoji", "Noto Emoji"),
    (0x2_0000, 0x3_FFFF, "data-script-chinese", "Noto Sans CJK"),
];

/// Maximum number of names that are examined. A script that occurs only in later names is displayed as boxes.
const MAX_NAMES: usize = 2000;

/// Returns which fonts to install so that all of these names are readable, as one sentence for each script.
pub fn missing_fonts(ctx: &Context, names: &[String]) -> Vec<String> {
    let mut missing_glyphs: Vec<char> = names
        .iter()
        .take(MAX_NAMES)
        .flat_map(|name| name.chars())
        .filter(|letter| !letter.is_ascii() && !letter.is_whitespace())
        .collect();
    missing_glyphs.sort_unstable();
    missing_glyphs.dedup();
    let font = regular(13.0);
    ctx.fonts_mut(|fonts| missing_glyphs.retain(|letter| !fonts.has_glyph(&font, *letter)));
    let mut sentences: Vec<String> = Vec::new();
    for letter in missing_glyphs {
        let code_point = letter as u32;
        let entry = SCRIPTS.iter().find(|(first, last, ..)| (*first..=*last).contains(&code_point));
        let sentence = match entry {
            Some((.., script, font)) => {
                let script = tr!(*script);
                tr!("data-script-font-missing", script, font = *font)
            }
            None => tr!("data-character-font-missing", code = format!("U+{code_point:04X}")),
        };
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}
