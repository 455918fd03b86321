//! Counts in words: "1 image", "3 classes", "12,000 files".

use crate::texts::Language;

/// Returns a number with the thousands separator of the language.
pub fn format_count(n: usize) -> String {
    Language::spoken().format_digits(&n.to_string())
}

/// Returns a count with its noun, which is given in the singular: "1 epoch", "3 epochs".
pub fn count_with_noun(n: usize, noun: &str) -> String {
    format!("{} {}", format_count(n), pluralize(n, noun))
}

/// Returns the noun for a count: "class" for one, "classes" for any other number.
pub fn pluralize(n: usize, noun: &str) -> String {
    let stem = noun.strip_suffix('y');
    match n {
        1 => noun.to_owned(),
        _ if ["ss", "x", "tch"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => match stem.filter(|word| !word.ends_with(['a', 'e', 'o', 'u'])) {
            Some(word) => format!("{word}ies"),
            None => format!("{noun}s"),
        },
    }
}

/// Returns the first and last number of each run of consecutive numbers.
pub fn consecutive_runs(numbers: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let runs = numbers.chunk_by(|number, next| number + 1 == *next);
    runs.map(|run| (run[0], run[run.len() - 1]))
}

/// Returns ascending numbers as text, with consecutive ones as ranges: `1-3,7`.
pub fn format_ranges(numbers: &[usize]) -> String {
    let texts = consecutive_runs(numbers).map(|(first, last)| match first == last {
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
        assert_eq!(count_with_noun(1, "picture"), "1 picture");
        assert_eq!(count_with_noun(0, "test image"), "0 test images");
        assert_eq!(count_with_noun(2, "class"), "2 classes");
        assert_eq!(count_with_noun(12_345, "epoch"), "12,345 epochs");
        assert_eq!(count_with_noun(3, "batch"), "3 batches");
        assert_eq!(count_with_noun(2, "entry"), "2 entries");
        assert_eq!(count_with_noun(2, "day"), "2 days");
        assert_eq!(format_count(1_234_567), "1,234,567");
        assert_eq!(format_count(999), "999");
        assert_eq!(format_ranges(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(format_ranges(&[4]), "4");
    }
}
