//! Texts of a run for use in files of other languages. Names and titles may come from anyone; these functions ensure
//! that none of them ends the comment or string that contains it.

use super::model::Model;

/// Returns a description of the model in one line.
pub fn title(model: &Model<'_>) -> String {
    let header = model.predictor.header();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{}, after task {}, by LAE Studio {version}",
        one_line(&header.title()),
        model.predictor.task() + 1
    )
}

/// Returns a text as one line for a comment, a docstring or a table, without characters that could end it.
pub fn one_line(text: &str) -> String {
    let replace = |c: char| match c {
        '"' => '\'',
        '\\' | '`' | '|' | '<' | '>' => '/',
        c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => ' ',
        c => c,
    };
    let line: String = text.chars().map(replace).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns positions as a Python list.
pub fn python_list(positions: &[usize]) -> String {
    let numbers: Vec<String> = positions.iter().map(usize::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_quotes_and_line_breaks_from_names() {
        let hostile = "a\"\"\"\nimport os\\ `x`";
        let line = one_line(hostile);
        assert!(!line.contains(['"', '\n', '\\', '`']), "{line}");
        assert_eq!(one_line("digits · LAE"), "digits · LAE");
    }
}
