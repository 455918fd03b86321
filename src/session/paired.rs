//! Describes in words how two runs differ on individual images.

use super::formatting::format_number;
use super::run_row::{RunRow, distinguishing_names};
use crate::metrics::{Expert, Paired, SIGNIFICANCE};
use crate::tr;

/// Describes the images that only one of two runs classifies correctly, for one expert of each.
pub fn describe_pair(first: (&RunRow, Expert), second: (&RunRow, Expert)) -> String {
    let (one, other) = names(first.0, second.0);
    let (Some(first_answers), Some(second_answers)) =
        (&first.0.correct_predictions, &second.0.correct_predictions)
    else {
        let older = match first.0.correct_predictions {
            None => &one,
            Some(_) => &other,
        };
        let older = older.as_str();
        return tr!(
            "compare-paired-images-unknown",
            one = one.as_str(),
            other = other.as_str(),
            older
        );
    };
    match first_answers.compare(first.1, (second_answers, second.1)) {
        Some(paired) => describe(&one, &other, paired),
        None => tr!("compare-paired-other-images", one, other),
    }
}

fn describe(one: &str, other: &str, paired: Paired) -> String {
    let images = paired.images;
    if paired.differing() == 0 {
        return tr!("compare-paired-same-images", one, other, n = images);
    }
    let p = paired.p_value();
    let p_text = match p < 0.001 {
        true => format!("p < {}", format_number(0.001, 3)),
        false => format!("p = {}", format_number(p, 3)),
    };
    let id = match p <= SIGNIFICANCE {
        true => "compare-paired-unlikely-chance",
        false => "compare-paired-maybe-chance",
    };
    tr!(
        id,
        differing = paired.differing(),
        n = images,
        one,
        first = paired.first,
        other,
        second = paired.second,
        p = p_text
    )
}

fn names(first: &RunRow, second: &RunRow) -> (String, String) {
    match (&first.header, &second.header) {
        (Some(one), Some(other)) => distinguishing_names(one, other),
        _ => (first.title(), second.title()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_both_counts_and_p_value() {
        let words = |first, second| {
            let images = 450;
            describe("LAE", "Baseline", Paired { images, first, second })
        };
        let (one, other, n) = ("LAE", "Baseline", 450);
        let sentence = |id, first, second, p| {
            let differing = first + second;
            tr!(id, differing, n, one, first, other, second, p)
        };
        let differ = sentence("compare-paired-unlikely-chance", 31, 12, "p = 0.005");
        assert_eq!(words(31, 12), differ);
        let chance = sentence("compare-paired-maybe-chance", 5, 1, "p = 0.219");
        assert_eq!(words(5, 1), chance);
        assert!(words(60, 5).contains("p < 0.001"));
        let same = tr!("compare-paired-same-images", one, other, n);
        assert_eq!(words(0, 0), same);
    }
}
