//! Names in limited space. They are shortened in the middle, because class names often differ only at their ends, such
//! as "Species number 017" and "Species number 018".

use egui::{Align2, Color32, FontId, Pos2, Ui};

use super::layout_line;

/// Returns the name, or as much of its start and end as `fits` accepts.
fn shorten_to_fit(name: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(name) {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    if letters.is_empty() {
        return String::new();
    }
    let shorten = |count: usize| -> String {
        let (head, tail) = (count - count / 2, count / 2);
        let head = &letters[..head];
        let tail = &letters[letters.len() - tail..];
        head.iter().chain(&['…']).chain(tail).collect()
    };
    // A binary search for the largest number of characters that fits; at least one is kept.
    let (mut low, mut high) = (1, letters.len().max(2) - 1);
    while low < high {
        let middle = (low + high).div_ceil(2);
        match fits(&shorten(middle)) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    shorten(low.min(letters.len()))
}

/// Returns the name, shortened in the middle if it has more than this number of characters.
pub fn shorten_name(name: &str, letters: usize) -> String {
    shorten_to_fit(name, |text| text.chars().count() <= letters)
}

/// Paints the name of a class, shortened in the middle to this width.
pub fn paint_name(
    ui: &Ui,
    at: Pos2,
    align: Align2,
    name: &str,
    font: FontId,
    colour: Color32,
    width: f32,
) {
    let layout = |text: &str| layout_line(ui, text, font.clone(), colour);
    let shortened = shorten_to_fit(name, |text| layout(text).size().x <= width);
    let galley = layout(&shortened);
    let rect = align.anchor_size(at, galley.size());
    ui.painter().galley(rect.min, galley, colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_keeps_its_start_and_end() {
        let at_most = |max: usize| move |text: &str| text.chars().count() <= max;
        assert_eq!(shorten_name("Species number 017", 9), "Spec… 017");
        assert_eq!(shorten_to_fit("cat", at_most(3)), "cat");
        assert_eq!(shorten_to_fit("Species number 017", at_most(9)), "Spec… 017");
        assert_eq!(shorten_to_fit("Species number 018", at_most(8)), "Spec…018");
        assert_eq!(shorten_to_fit("long", at_most(0)), "l…");
        assert_eq!(shorten_to_fit("", at_most(0)), "");
        assert_eq!(shorten_to_fit("x", at_most(0)), "x…");
    }
}
