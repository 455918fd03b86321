//! Natural sort order of names.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::Chars;

/// Compares names in natural order: numbers within names are compared by value, so that `class_2` comes before
/// `class_10`.
pub fn compare_natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let (Some(l), Some(r)) = (left.peek().copied(), right.peek().copied()) else {
            let rest = left.count().cmp(&right.count());
            return rest.then_with(|| a.cmp(b));
        };
        let order = match l.is_ascii_digit() && r.is_ascii_digit() {
            true => number_key(&mut left).cmp(&number_key(&mut right)),
            false => {
                left.next();
                right.next();
                l.to_lowercase().cmp(r.to_lowercase())
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Reads a number and returns a sort key for it: the count of digits without leading zeros, then the digits.
fn number_key(chars: &mut Peekable<Chars<'_>>) -> (usize, String) {
    let mut digits = String::new();
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        if !(digits.is_empty() && digit == '0') {
            digits.push(digit);
        }
    }
    (digits.len(), digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_names_by_embedded_numbers() {
        let mut names = ["class_10", "class_9", "B", "class_100", "a", "class_09", "7", "class_"];
        names.sort_by(|a, b| compare_natural(a, b));
        let wanted = ["7", "a", "B", "class_", "class_09", "class_9", "class_10", "class_100"];
        assert_eq!(names, wanted);
    }
}
