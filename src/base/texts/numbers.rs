//! Formats numbers in each language: "12,345.6" and "12.345,6".

use fluent_bundle::FluentValue;

use super::Language;

/// A number formatter of a bundle; `M` is its memoizer, which is not used.
type Formatter<M> = fn(&FluentValue<'_>, &M) -> Option<String>;

/// Returns the formatter for the numbers in messages. The number of decimals is the one that the message requests
/// with `NUMBER`, otherwise that of the number itself.
pub(super) fn formatter<M>(language: Language) -> Formatter<M> {
    match language {
        Language::English => |value, _| format_value(Language::English, value),
        Language::German => |value, _| format_value(Language::German, value),
    }
}

fn format_value(language: Language, value: &FluentValue<'_>) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    let options = &number.options;
    Some(match options.maximum_fraction_digits {
        Some(max_decimals) => language.format_number(number.value, max_decimals),
        None => language.format_digits(&number.as_string()),
    })
}

impl Language {
    /// Returns the decimal separator and the thousands separator.
    fn separators(self) -> (char, char) {
        match self {
            Self::English => ('.', ','),
            Self::German => (',', '.'),
        }
    }

    /// Formats a number with this number of decimals. A number that is rounded to zero has no sign.
    pub fn format_number(self, value: f64, decimals: usize) -> String {
        let digits = format!("{value:.decimals$}");
        let without_sign = digits.trim_start_matches('-');
        match without_sign.chars().all(|c| matches!(c, '0' | '.')) {
            true => self.format_digits(without_sign),
            false => self.format_digits(&digits),
        }
    }

    /// Returns a number as the user types it: with the decimal separator of this language and without thousands
    /// separators.
    pub fn format_input(self, number: &str) -> String {
        number.replace('.', self.separators().0.encode_utf8(&mut [0; 4]))
    }

    /// Parses a number that the user typed. Accepts a comma or a point if its meaning is unambiguous.
    pub fn parse_number(self, input: &str) -> Option<f64> {
        let (point, separator) = self.separators();
        let plain = input.replace('−', "-");
        let plain: String = plain.chars().filter(|c| !c.is_whitespace()).collect();
        let plain = match plain.rsplit_once(point) {
            // "1.000,5" in German.
            Some((integer, fraction)) if !fraction.contains(separator) => {
                format!("{}.{fraction}", integer.replace(separator, ""))
            }
            // "0.5" in German; in English a comma can only separate thousands.
            _ if self == Self::English => plain.replace(separator, ""),
            _ => plain,
        };
        plain.parse().ok()
    }

    /// Formats the text of a number (with a decimal point, without thousands separators) in this language.
    pub fn format_digits(self, number: &str) -> String {
        let (point, separator) = self.separators();
        let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = integer.trim_start_matches('-');
        let mut text = String::with_capacity(number.len() + digits.len() / 3);
        text.push_str(&integer[..integer.len() - digits.len()]);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                text.push(separator);
            }
            text.push(digit);
        }
        if !fraction.is_empty() {
            text.push(point);
            text.push_str(fraction);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_numbers_by_language() {
        assert_eq!(Language::English.format_number(-12_345.678, 1), "-12,345.7");
        assert_eq!(Language::German.format_number(-12_345.678, 1), "-12.345,7");
        assert_eq!(Language::German.format_number(999.0, 0), "999");
        assert_eq!(Language::English.format_number(-0.04, 1), "0.0");
        assert_eq!(Language::English.format_number(-0.06, 1), "-0.1");
        assert_eq!(Language::English.format_digits("1000000"), "1,000,000");
    }

    #[test]
    fn parses_typed_numbers_in_each_language() {
        let (english, german) = (Language::English, Language::German);
        for number in ["0.01", "-2.5", "1000", "1e-7", "2.5e-3"] {
            let value: f64 = number.parse().unwrap();
            for language in [english, german] {
                let input = language.format_input(number);
                assert_eq!(language.parse_number(&input), Some(value), "{input}");
            }
        }
        assert_eq!(german.format_input("0.01"), "0,01");
        assert_eq!(german.parse_number("0.01"), Some(0.01));
        assert_eq!(german.parse_number("1.000,5"), Some(1000.5));
        assert_eq!(english.parse_number("1,000.5"), Some(1000.5));
        assert_eq!(english.parse_number(" − 3 "), Some(-3.0));
        assert_eq!(german.parse_number("0,1,2"), None);
        assert_eq!(german.parse_number("ein"), None);
    }
}
