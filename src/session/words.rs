//! Sizes, times and counts as people read them.

/// A size in words: "318 kB".
pub fn bytes_text(bytes: u64) -> String {
    let b = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.0} kB", b / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", b / 1e6),
        _ => format!("{:.1} GB", b / 1e9),
    }
}

/// A duration in words: "9 s", "4 min", "2 h 10 min".
pub fn duration_text(seconds: f64) -> String {
    let s = seconds.max(0.0).round() as u64;
    match s {
        0..90 => format!("{s} s"),
        90..3600 => format!("{} min", (s + 30) / 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// A number with a comma between thousands.
pub fn count_text(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(count_text(1_234_567), "1,234,567");
        assert_eq!(count_text(999), "999");
        assert_eq!(bytes_text(318_400), "318 kB");
        assert_eq!(duration_text(9.2), "9 s");
        assert_eq!(duration_text(7800.0), "2 h 10 min");
    }
}
