//! A lesson as plain text: for a terminal, for screen readers, and with the results after it was played.

use unicode_width::UnicodeWidthStr;

use super::figures::Figures;
use super::text::{Paragraph, ParagraphKind, join_paragraphs};
use super::{AddedTaskBlock, AnswerKind, Figure, Lesson, LessonPart, LessonQuestion, Runs};
use crate::method::train_command;
use crate::pet::library::PluginLibrary;
use crate::texts::Language;

/// Maximum length of a line in columns.
const WIDTH: usize = 80;

/// Returns a part as text, with the results that are known.
fn part_text(lesson: &Lesson, part: &LessonPart, figures: &Figures) -> String {
    let language = lesson.language;
    match part {
        LessonPart::Text(text) => paragraph(text, figures, language),
        LessonPart::Runs(block) => runs(block, language),
        LessonPart::Figure(figure) => self::figure(lesson, figure, figures),
        LessonPart::Question(lesson_question) => question(lesson_question, figures, language),
        LessonPart::AddedTask(teach) => self::added_task_text(lesson, teach),
        LessonPart::Expectation(_) => String::new(),
    }
}

/// Returns the whole lesson as text.
pub fn lesson_text(lesson: &Lesson, figures: &Figures) -> String {
    let parts = lesson.parts.iter().map(|lesson_part| part_text(lesson, lesson_part, figures));
    let parts: Vec<String> = parts.filter(|text| !text.is_empty()).collect();
    let (about, time) = (wrapped(&lesson.about, ""), lesson.time());
    format!("{}\n{time}\n{about}\n\n{}", lesson.title, parts.join("\n"))
}

fn paragraph(text: &Paragraph, figures: &Figures, language: Language) -> String {
    let words = text.to_text(figures, language);
    match text.kind {
        ParagraphKind::Heading(_) => {
            let line = "-".repeat(words.width());
            format!("{words}\n{line}\n")
        }
        ParagraphKind::Text => wrapped(&words, ""),
        ParagraphKind::Quote => wrapped(&words, "| "),
        ParagraphKind::Code => words.lines().map(|line| format!("    {line}\n")).collect(),
        ParagraphKind::Item(depth, number) => {
            let mark = number.map_or_else(|| "*".to_string(), |number| format!("{number}."));
            let indent = "  ".repeat(depth + 1);
            let first = format!("{}{mark} ", &indent[2..]);
            wrapped(&words, &indent).replacen(&indent, &first, 1)
        }
    }
}

fn runs(block: &Runs, language: Language) -> String {
    let mut text = format!("[{}]\n", language.text("learn-runs-to-train"));
    let plugins = PluginLibrary::standard();
    for plan in &block.runs {
        for config in &plan.configs {
            let pet = plugins.get(&config.pet).ok();
            let command = train_command(config, pet.as_deref());
            text.push_str(&format!("  {}: {command}\n", plan.title));
        }
    }
    text
}

fn figure(lesson: &Lesson, figure: &Figure, figures: &Figures) -> String {
    let chart = figure.chart(lesson, figures, lesson.language);
    let text = match chart.is_empty() {
        true => lesson.language.text("learn-available-after-runs").into(),
        false => chart.text(lesson.language),
    };
    let inner: String = text.lines().map(|line| format!("  {line}\n")).collect();
    format!("[{}]\n{inner}", figure.title)
}

fn question(lesson_question: &LessonQuestion, figures: &Figures, language: Language) -> String {
    let question_text = wrapped(&join_paragraphs(&lesson_question.text, figures, language), "  ");
    // "? " replaces the indentation, which a question without text does not have.
    let mut text = format!("? {}", question_text.strip_prefix("  ").unwrap_or(&question_text));
    if let AnswerKind::Choice(choices) = &lesson_question.kind {
        for (i, (choice, _)) in choices.iter().enumerate() {
            text.push_str(&format!("  {}) {choice}\n", i + 1));
        }
    }
    if let Some(answer) = lesson_question.answer(figures, language) {
        let feedback = join_paragraphs(&lesson_question.if_right, figures, language);
        let end = if answer.ends_with(['.', '?', '!']) { "" } else { "." };
        let words = format!("→ {answer}{end} {feedback}");
        text.push_str(&wrapped(&words, "  "));
    }
    text
}

fn added_task_text(lesson: &Lesson, block: &AddedTaskBlock) -> String {
    let (run, source) = (lesson.title_of(&block.run), block.source.as_str());
    let words = lesson.language.fill("learn-added-task", &[("run", run), ("source", source)]);
    format!("[{words}]\n")
}

/// Wraps a text to lines of at most [`WIDTH`] columns, each of which begins with `prefix`.
fn wrapped(text: &str, prefix: &str) -> String {
    let mut lines = String::new();
    for row in text.split('\n') {
        let mut line = String::from(prefix);
        for word in row.split(' ').filter(|word| !word.is_empty()) {
            if line.len() > prefix.len() {
                if line.width() + 1 + word.width() > WIDTH {
                    lines.push_str(line.trim_end());
                    lines.push('\n');
                    line = String::from(prefix);
                } else {
                    line.push(' ');
                }
            }
            line.push_str(word);
        }
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}
