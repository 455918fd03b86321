//! Names in limited space. They are shortened in the middle, because class names often differ only at their ends, such
//! as "Species number 017" and "Species number 018".

use egui::{Align2, Color32, FontId, Pos2, Ui};

use super::layout_line;

/// Returns the name, or as much of its start and end as `fits` accepts.
fn fitting(name: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(name) {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    if letters.is_empty() {
        return String::new();
    }
    let kept = |count: usize| -> String {
        let (head, tail) = (count - count / 2, count / 2);
        let head = &letters[..head];
        let tail = &letters[letters.len() - tail..];
        head.iter().chain(&['…']).chain(tail).collect()
    };
    // A binary search for the largest number of characters that fits; at least one is kept.
    let (mut low, mut high) = (1, letters.len().max(2) - 1);
    while low < high {
        let middle = (low + high).div_ceil(2);
        match fits(&kept(middle)) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    kept(low.min(letters.len()))
}

/// Returns the name, shortened in the middle if it has more than this number of characters.
pub fn shortened(name: &str, letters: usize) -> String {
    fitting(name, |text| text.chars().count() <= letters)
}

/// Paints the name of a class, shortened in the middle to this width.
pub fn painted_name(
    ui: &Ui,
    at: Pos2,
    align: Align2,
    name: &str,
    font: FontId,
    colour: Color32,
    width: f32,
) {
    let layout = |text: &str| layout_line(ui, text, font.clone(), colour);
    let shown = fitting(name, |text| layout(text).size().x <= width);
    let galley = layout(&shown);
    let rect = align.anchor_size(at, galley.size());
    ui.painter().galley(rect.min, galley, colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let within = |most: usize| move |text: &str| text.chars().count() <= most;
        assert_eq!(shortened("Species number 017", 9), "Spec… 017");
        assert_eq!(fitting("cat", within(3)), "cat");
        assert_eq!(fitting("Species number 017", within(9)), "Spec… 017");
        assert_eq!(fitting("Species number 018", within(8)), "Spec…018");
        assert_eq!(fitting("long", within(0)), "l…");
        assert_eq!(fitting("", within(0)), "");
        assert_eq!(fitting("x", within(0)), "x…");
    }
}
