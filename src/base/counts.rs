//! Counts in words: "1 image", "3 classes", "12,000 files".

use crate::texts::Language;

/// Returns a number with the thousands separator of the language.
pub fn count_text(n: usize) -> String {
    Language::spoken().written(&n.to_string())
}

/// Returns a count with its noun, which is given in the singular: "1 epoch", "3 epochs".
pub fn counted(n: usize, thing: &str) -> String {
    format!("{} {}", count_text(n), things(n, thing))
}

/// Returns the noun for a count: "class" for one, "classes" for any other number.
pub fn things(n: usize, thing: &str) -> String {
    let before = thing.strip_suffix('y');
    match n {
        1 => thing.to_owned(),
        _ if ["ss", "x", "tch"].iter().any(|end| thing.ends_with(end)) => format!("{thing}es"),
        _ => match before.filter(|word| !word.ends_with(['a', 'e', 'o', 'u'])) {
            Some(word) => format!("{word}ies"),
            None => format!("{thing}s"),
        },
    }
}

/// Returns the first and last number of each run of consecutive numbers.
pub fn runs_of(numbers: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let runs = numbers.chunk_by(|number, next| number + 1 == *next);
    runs.map(|run| (run[0], run[run.len() - 1]))
}

/// Returns ascending numbers as text, with consecutive ones as ranges: `1-3,7`.
pub fn ranges_text(numbers: &[usize]) -> String {
    let texts = runs_of(numbers).map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_use_singular_and_plural() {
        assert_eq!(counted(1, "picture"), "1 picture");
        assert_eq!(counted(0, "test image"), "0 test images");
        assert_eq!(counted(2, "class"), "2 classes");
        assert_eq!(counted(12_345, "epoch"), "12,345 epochs");
        assert_eq!(counted(3, "batch"), "3 batches");
        assert_eq!(counted(2, "entry"), "2 entries");
        assert_eq!(counted(2, "day"), "2 days");
        assert_eq!(count_text(1_234_567), "1,234,567");
        assert_eq!(count_text(999), "999");
        assert_eq!(ranges_text(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(ranges_text(&[4]), "4");
    }
}
