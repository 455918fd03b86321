//! Parses the text of a file to a lesson: front matter, Markdown, blocks.

use std::collections::HashSet;

use super::ask::LessonQuestion;
use super::blocks::{AddedTaskBlock, Expectation, Runs, block};
use super::chart::Figure;
use super::text::{MarkdownPiece, Paragraph, split_markdown};
use super::{Lesson, LessonPart};
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Language;

/// The delimiter of the front matter.
const FENCE: &str = "+++";
/// Maximum number of parts of a lesson.
const MAX_PARTS: usize = 400;
/// Maximum number of runs of a lesson, including repetitions.
const MAX_RUNS: usize = 40;
/// Maximum number of run names. A lesson with more names also exceeds one of the other limits.
const MAX_NAMES: usize = MAX_PARTS + MAX_RUNS;
/// Names of the blocks.
const BLOCKS: [&str; 5] = ["run", "figure", "ask", "expect", "teach"];
/// Names of fences that contain ordinary code.
const CODE: [&str; 6] = ["", "text", "sh", "toml", "console", "markdown"];

impl Lesson {
    /// Parses a lesson. `origin` is the file's name in Problems.
    ///
    /// # Errors
    /// Returns a Problem with the file, the line and a remedy.
    pub fn parse(name: &str, language: Language, text: &str, origin: &str) -> Result<Self> {
        let location = |line: usize| format!("{origin}, line {line}");
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (front, body, body_line) = split(&text).map_err(|problem| problem.at(location(1)))?;
        let mut lesson: Self = block(front).map_err(|problem| at_file_line(problem, origin, 2))?;
        let breaks: Vec<usize> = body.match_indices('\n').map(|(at, _)| at).collect();
        let line_of = |offset: usize| body_line + breaks.partition_point(|at| *at < offset);
        let runs = run_names(body);
        let pieces = split_markdown(body, &runs, &line_of).map_err(|problem| {
            let location = format!("{origin}, {}", problem.place);
            problem.at(location)
        })?;
        if pieces.len() > MAX_PARTS {
            return Err(Problem::new(message!("lesson-too-many-parts", n = MAX_PARTS))
                .at(origin)
                .advise(message!("lesson-too-many-parts-advice")));
        }
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                MarkdownPiece::Paragraph(paragraph) => parts.push(LessonPart::Text(paragraph)),
                MarkdownPiece::Fence(name, text, first_line) => {
                    let fenced = parse_fence(&name, &text, first_line, &runs);
                    parts.extend(
                        fenced.map_err(|problem| at_file_line(problem, origin, first_line))?,
                    );
                }
            }
        }
        (lesson.name, lesson.key) = (name.to_string(), name.to_string());
        (lesson.language, lesson.parts) = (language, parts);
        lesson.check().map_err(|problem| problem.at(origin))?;
        Ok(lesson)
    }

    /// Checks the lesson as a whole: names must be unique, and there must not be too many runs.
    fn check(&self) -> Result<()> {
        let runs = self.plans().map(|plan| &plan.name);
        let questions = self.questions().map(|question| &question.name);
        let names = runs.chain(questions).chain(self.added_tasks().map(|block| &block.name));
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                return Err(Problem::new(message!("lesson-duplicate-block-name", name))
                    .advise(message!("lesson-duplicate-block-name-advice")));
            }
        }
        let count: usize = self.plans().map(|plan| plan.configs.len()).sum();
        match count > MAX_RUNS {
            true => Err(Problem::new(message!("lesson-too-many-runs", n = count))
                .advise(message!("lesson-too-many-runs-advice", n = MAX_RUNS))),
            false => Ok(()),
        }
    }
}

/// Returns front matter, body, and the line at which the body starts.
fn split(text: &str) -> Result<(&str, &str, usize)> {
    let missing =
        || Problem::new(message!("lesson-no-title")).advise(message!("lesson-no-title-advice"));
    let rest = text.strip_prefix(FENCE).and_then(|rest| rest.strip_prefix('\n'));
    let (front, body) = rest.and_then(|rest| rest.split_once("\n+++\n")).ok_or_else(missing)?;
    Ok((front, body, front.matches('\n').count() + 4))
}

/// Changes the place of a Problem from a line within a block to the file and its line.
fn at_file_line(problem: Problem, origin: &str, first_line: usize) -> Problem {
    let location = problem.place.clone();
    let number = location.strip_prefix("line ").and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let number: usize = digits.parse().ok()?;
        let is_in_block = rest.ends_with("of the block");
        Some(if is_in_block { first_line + number - 1 } else { number })
    });
    problem.at(format!("{origin}, line {}", number.unwrap_or(first_line)))
}

/// Returns the names of all runs. They are collected first, because formulas can precede the block of a run.
fn run_names(body: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut in_run_block = false;
    for row in body.lines() {
        if let Some(name) = row.trim_start().strip_prefix("```") {
            in_run_block = ["run", "teach"].contains(&name.trim());
            continue;
        }
        let pair = row.split_once('=').filter(|_| in_run_block);
        let name = pair.filter(|(key, _)| key.trim() == "name");
        let name = name.map(|(_, value)| unquoted(value).to_string());
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            names.push(name);
        }
        if names.len() == MAX_NAMES {
            break;
        }
    }
    names
}

/// Returns the content of a quoted TOML string, which a comment may follow.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    match value.strip_prefix(['"', '\'']) {
        Some(rest) => rest.split(['"', '\'']).next().unwrap_or_default(),
        None => value,
    }
}

/// Parses a fenced block, whose content begins at this line.
fn parse_fence(
    name: &str,
    text: &str,
    first_line: usize,
    runs: &[String],
) -> Result<Vec<LessonPart>> {
    let part = match name {
        "run" => LessonPart::Runs(Runs::parse(text)?),
        "figure" => LessonPart::Figure(Figure::parse(text, runs)?),
        "ask" => LessonPart::Question(LessonQuestion::parse(text, runs)?),
        "teach" => LessonPart::AddedTask(AddedTaskBlock::parse(text, runs)?),
        "expect" => {
            let all = Expectation::parse(text, first_line, runs)?;
            return Ok(all.into_iter().map(LessonPart::Expectation).collect());
        }
        code if CODE.contains(&code) => LessonPart::Text(Paragraph::code(text.trim_end())),
        other => {
            let message = message!("lesson-no-such-block", name = other);
            let names = BLOCKS.join(", ");
            return Err(
                Problem::new(message).advise(message!("lesson-no-such-block-advice", names))
            );
        }
    };
    Ok(vec![part])
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "+++\ntitle = \"T\"\nminutes = 5\norder = 1\n+++\n\nSee {F: forgetting(a)}.\n\n```run\nname = \"a\"\nmethod = \"baseline\"\n```\n\n```figure\nkind = \"curves\"\nruns = [\"a\"]\n```\n\n```expect\nforgetting(a) > 1\n```\n";

    fn parse_error(text: &str) -> Problem {
        Lesson::parse("t", Language::English, text, "t.en.md").unwrap_err()
    }

    #[test]
    fn parses_lesson_with_either_line_ending() {
        let lesson = Lesson::parse("t", Language::English, EXAMPLE, "t.en.md").unwrap();
        assert_eq!((lesson.title.as_str(), lesson.minutes), ("T", 5));
        assert_eq!(lesson.parts.len(), 4);
        assert_eq!(lesson.plan("a").unwrap().title, "Baseline");
        let Some(LessonPart::Expectation(expect)) = lesson.parts.last() else {
            panic!("no check");
        };
        assert_eq!(expect.line, 20);
        let windows = EXAMPLE.replace('\n', "\r\n");
        let reparsed = Lesson::parse("t", Language::English, &windows, "t.en.md").unwrap();
        assert_eq!(reparsed, lesson);
    }

    #[test]
    fn byte_order_mark_and_comment_after_name_are_accepted() {
        let lesson = Lesson::parse("t", Language::English, EXAMPLE, "t.en.md").unwrap();
        let text = EXAMPLE.replace("name = \"a\"", "name = \"a\" # the first \"run\"");
        let text = format!("\u{feff}{text}");
        assert_eq!(Lesson::parse("t", Language::English, &text, "t.en.md").unwrap(), lesson);
    }

    #[test]
    fn errors_are_reported_with_their_line() {
        // Each row ends with a message id or with a word of its text.
        for (from, to, line, words) in [
            ("+++\ntitle", "title", 1, "lesson-no-title"),
            ("minutes = 5", "minutes = x", 3, "lesson-block-unreadable"),
            ("minutes = 5\n", "", 2, "minutes"),
            ("forgetting(a)}", "forgetting(b)}", 7, "`b`"),
            ("method = \"baseline\"", "method = \"basline\"", 10, "basline"),
            ("kind = \"curves\"", "kind = \"curve\"", 15, "curve"),
            ("```figure", "```figur", 15, "lesson-no-such-block"),
            ("forgetting(a) > 1", "forgetting(a)", 20, "formula-condition-expected"),
            ("runs = [\"a\"]", "runs = [\"b\"]", 15, "lesson-no-such-run"),
        ] {
            let text = EXAMPLE.replacen(from, to, 1);
            assert_ne!(text, EXAMPLE, "{from}");
            let problem = parse_error(&text);
            let is_mentioned = problem.mentions(words) || problem.what.contains(words);
            assert!(is_mentioned, "{words}: {problem}");
            assert_eq!(problem.place, format!("t.en.md, line {line}"), "{words}");
            assert!(!problem.remedy.is_empty(), "{words}");
            Language::German.speak();
            let german = problem.translated();
            Language::English.speak();
            assert_ne!(german.what, problem.what, "{words}");
            assert_ne!(german.remedy, problem.remedy, "{words}");
        }
        let runs = |orders: &str| format!("name = \"a\"\n{orders}");
        let naturals = ["\"natural\""; 3000].join(",");
        for (from, to, words) in [
            ("name = \"a\"", runs(&format!("orders = [{naturals}]")), "3,000 runs"),
            ("name = \"a\"", runs(&"[[runs]]\n".repeat(2000)), "2,000 runs"),
        ] {
            let problem = parse_error(&EXAMPLE.replacen(from, &to, 1));
            let is_mentioned = problem.mentions(words) || problem.what.contains(words);
            assert!(is_mentioned, "{words}: {problem}");
        }
        let twice = EXAMPLE.replace("```expect", "```run\nname = \"a\"\n```\n\n```expect");
        assert!(parse_error(&twice).is("lesson-duplicate-block-name"));
    }
}
