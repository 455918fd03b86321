//! Parses Markdown to plain paragraphs of spans, with live values.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset,
};

use super::figures::{Figures, NoValue};
use super::formula::Formula;
use crate::problem::{Problem, Result};
use crate::texts::Language;

/// Maximum depth of indentation of nested lists. Without a limit, a text of list markers only would be as wide as it is
/// long.
const MAX_DEPTH: usize = 8;

/// The kind of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParagraphKind {
    /// A heading of this level, from 1.
    Heading(u8),
    /// Sentences.
    Text,
    /// A list item with its depth (from 0), and its number in a numbered list.
    Item(usize, Option<u64>),
    /// Code or a command line, unchanged.
    Code,
    /// A note.
    Quote,
}

/// A part of a paragraph with a single style.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Span {
    /// The text. For a live value, the placeholder until the value is known.
    pub text: String,
    /// Bold.
    pub strong: bool,
    /// Italic.
    pub emphasis: bool,
    /// Code.
    pub code: bool,
    /// The formula of a live value; `None` for ordinary text.
    pub formula: Option<Formula>,
}

/// A paragraph.
#[derive(Clone, Debug, PartialEq)]
pub struct Paragraph {
    /// Its kind.
    pub kind: ParagraphKind,
    /// Its parts.
    pub spans: Vec<Span>,
}

/// A piece of a Markdown text.
pub(super) enum MarkdownPiece {
    Paragraph(Paragraph),
    /// A fenced block: its name, its content, and the line at which the content begins.
    Fence(String, String, usize),
}

impl Span {
    /// Returns the text. A live value is shown as a number if it is known.
    pub fn to_text(&self, figures: &Figures, language: Language) -> String {
        let Some(formula) = &self.formula else {
            return self.text.clone();
        };
        match formula.value(figures) {
            Ok(value) => format_value(value, language),
            Err(NoValue::NotYet) if self.text == "…" => self.text.clone(),
            Err(NoValue::NotYet) => format!("[{}]", self.text),
            Err(NoValue::Never(_)) => "–".into(),
        }
    }

    fn has_same_style(&self, other: &Self) -> bool {
        let style = |span: &Self| (span.strong, span.emphasis, span.code);
        style(self) == style(other)
    }
}

impl Paragraph {
    pub(super) fn code(text: &str) -> Self {
        let span = Span { text: text.into(), ..Span::default() };
        Self { kind: ParagraphKind::Code, spans: vec![span] }
    }

    /// Returns the text of the whole paragraph, with live values.
    pub fn to_text(&self, figures: &Figures, language: Language) -> String {
        let spans = self.spans.iter();
        spans.map(|span| span.to_text(figures, language)).collect()
    }

    /// Returns whether it is a heading.
    pub fn is_heading(&self) -> bool {
        matches!(self.kind, ParagraphKind::Heading(_))
    }

    /// Returns whether it contains a live value that is not known yet.
    pub fn is_pending(&self, figures: &Figures) -> bool {
        let mut formulas = self.spans.iter().filter_map(|span| span.formula.as_ref());
        formulas.any(|formula| formula.value(figures) == Err(NoValue::NotYet))
    }
}

/// Formats a value with one decimal, in the language's notation. Returns "–" for a value that is not finite, such as that
/// of a task that was not measured.
pub fn format_value(value: f64, language: Language) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    // Adding 0.0 avoids "-0.0".
    let text = format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0);
    language.format_input(&text).replace('-', "−")
}

/// Returns the text of several paragraphs in one line, with live values.
pub(super) fn join_paragraphs(text: &[Paragraph], figures: &Figures, language: Language) -> String {
    let paragraphs = text.iter().map(|text| text.to_text(figures, language));
    paragraphs.collect::<Vec<_>>().join(" ")
}

/// Parses a text without blocks, such as the text of a question.
pub(super) fn paragraphs(text: &str, runs: &[String]) -> Result<Vec<Paragraph>> {
    let pieces = split_markdown(text, runs, &|_| 0)
        .map_err(|problem| Problem { place: String::new(), ..problem })?;
    let converted = pieces.into_iter().map(|piece| match piece {
        MarkdownPiece::Paragraph(paragraph) => paragraph,
        MarkdownPiece::Fence(_, code, _) => Paragraph::code(&code),
    });
    Ok(converted.collect())
}

/// Parses a Markdown text that has no runs and questions, such as the user guide.
///
/// # Errors
/// Returns a Problem if a value in braces is not a formula.
pub fn markdown(text: &str) -> Result<Vec<Paragraph>> {
    paragraphs(text, &[])
}

/// Splits a Markdown text into pieces. `line_of` converts an offset to a line.
pub(super) fn split_markdown(
    text: &str,
    runs: &[String],
    line_of: &dyn Fn(usize) -> usize,
) -> Result<Vec<MarkdownPiece>> {
    let mut writer = Writer { runs, ..Writer::default() };
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    for (event, range) in TextMergeWithOffset::new(events) {
        let line_number = line_of(range.start);
        writer
            .handle_event(event, line_number)
            .map_err(|problem| Problem { place: format!("line {line_number}"), ..problem })?;
    }
    writer.close_paragraph();
    Ok(writer.pieces)
}

/// Returns the live values of a text, `{name: formula}` or `{formula}`: their places, names (an ellipsis if they have
/// none) and formulas. Braces around any other text have no meaning.
fn find_live_values(text: &str) -> impl Iterator<Item = (Range<usize>, &str, &str)> {
    text.match_indices('{').filter_map(|(open, _)| {
        // A live value contains no braces.
        let rest = &text[open + 1..];
        let end = rest.find(['{', '}'])?;
        let inner = rest[end..].starts_with('}').then(|| &rest[..end])?;
        let (name, formula) = match inner.split_once(':') {
            None if has_call(inner) => ("…", inner),
            pair => pair?,
        };
        Some((open..open + end + 2, name.trim(), formula))
    })
}

/// Returns whether a text in braces contains a function call and is therefore a formula.
fn has_call(text: &str) -> bool {
    let mut prefixes = text.split('(').rev().skip(1);
    prefixes.any(|part| part.ends_with(|c: char| c.is_ascii_lowercase()))
}

/// Builds pieces from the parser's events.
#[derive(Default)]
struct Writer<'a> {
    runs: &'a [String],
    pieces: Vec<MarkdownPiece>,
    open: Option<Paragraph>,
    strong: usize,
    emphasis: usize,
    quotes: usize,
    /// The number of the next item of each open list; `None` for a list without numbers.
    lists: Vec<Option<u64>>,
    fence: Option<(String, String, usize)>,
}

impl Writer<'_> {
    fn close_paragraph(&mut self) {
        let paragraph = self.open.take().filter(|open| !open.spans.is_empty());
        self.pieces.extend(paragraph.map(MarkdownPiece::Paragraph));
    }

    fn start_paragraph(&mut self, kind: ParagraphKind) {
        self.close_paragraph();
        let spans = Vec::new();
        self.open = Some(Paragraph { kind, spans });
    }

    fn handle_event(&mut self, event: Event<'_>, line: usize) -> Result<()> {
        match event {
            Event::Start(tag) => self.start_tag(tag, line),
            Event::End(tag) => self.end_tag(tag),
            // HTML is shown as text because it is not rendered.
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                return self.add_text(&text);
            }
            Event::Code(text) => self.push_text(&text, true),
            Event::SoftBreak => self.push_text(" ", false),
            Event::HardBreak => self.push_text("\n", false),
            _ => {}
        }
        Ok(())
    }

    fn start_tag(&mut self, tag: Tag<'_>, line: usize) {
        match tag {
            Tag::Heading { level, .. } => self.start_paragraph(ParagraphKind::Heading(level as u8)),
            // The first paragraph of a list item belongs to the item itself.
            Tag::Paragraph if self.open.as_ref().is_some_and(|open| open.spans.is_empty()) => {}
            Tag::Paragraph | Tag::HtmlBlock => {
                self.start_paragraph(match (self.quotes, self.lists.len()) {
                    (0, 0) => ParagraphKind::Text,
                    (0, depth) => ParagraphKind::Item(depth.min(MAX_DEPTH), None),
                    _ => ParagraphKind::Quote,
                });
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::List(first) => {
                self.close_paragraph();
                self.lists.push(first);
            }
            Tag::Item => {
                let depth = self.lists.len().saturating_sub(1).min(MAX_DEPTH);
                let next = self.lists.last_mut().and_then(Option::as_mut);
                let number = next.map(|next| std::mem::replace(next, *next + 1));
                self.start_paragraph(ParagraphKind::Item(depth, number));
            }
            // A table row becomes an item with its cells in sequence.
            Tag::TableHead | Tag::TableRow => self.start_paragraph(ParagraphKind::Item(0, None)),
            Tag::TableCell if self.open.as_ref().is_some_and(|row| !row.spans.is_empty()) => {
                self.push_text(": ", false);
            }
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strong => self.strong += 1,
            Tag::CodeBlock(kind) => {
                self.close_paragraph();
                let name = match kind {
                    CodeBlockKind::Fenced(name) => name,
                    CodeBlockKind::Indented => CowStr::Borrowed("text"),
                };
                self.fence = Some((name.trim().to_string(), String::new(), line + 1));
            }
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            // Column titles are omitted because the surrounding text explains the columns.
            TagEnd::TableHead => self.open = None,
            TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::Item
            | TagEnd::HtmlBlock
            | TagEnd::TableRow => self.close_paragraph(),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::CodeBlock => {
                let fence = self.fence.take();
                let piece = fence.map(|(name, text, line)| MarkdownPiece::Fence(name, text, line));
                self.pieces.extend(piece);
            }
            _ => {}
        }
    }

    /// Adds text. Live values in it become separate spans, except in a fenced block.
    fn add_text(&mut self, text: &str) -> Result<()> {
        if let Some((_, block, _)) = &mut self.fence {
            block.push_str(text);
            return Ok(());
        }
        let mut offset = 0;
        for (range, name, formula) in find_live_values(text) {
            self.push_text(&text[offset..range.start], false);
            offset = range.end;
            let span = Span {
                text: name.into(),
                formula: Some(Formula::parse(formula, self.runs, false)?),
                ..self.style(false)
            };
            self.open_paragraph().spans.push(span);
        }
        self.push_text(&text[offset..], false);
        Ok(())
    }

    /// Adds text without live values. Adjacent text with the same style is merged, so that a glossary term that is
    /// split over two lines is found.
    fn push_text(&mut self, text: &str, code: bool) {
        let style = self.style(code);
        let open = self.open_paragraph();
        match open.spans.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.formula.is_none() && last.has_same_style(&style) => {
                last.text.push_str(text);
            }
            _ => open.spans.push(Span { text: text.into(), ..style }),
        }
    }

    /// Returns an empty span in the current style.
    fn style(&self, code: bool) -> Span {
        Span { strong: self.strong > 0, emphasis: self.emphasis > 0, code, ..Span::default() }
    }

    fn open_paragraph(&mut self) -> &mut Paragraph {
        self.open.get_or_insert(Paragraph { kind: ParagraphKind::Text, spans: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::run;
    use super::*;

    #[test]
    fn parses_markdown_paragraphs_with_formulas() {
        let runs = ["a".to_string()];
        let text = "# Title\n\nOne *two* **three** `four`\nfive {F_N: forgetting(a)*1} %.\n\n1. first\n2. second\n   - inner\n\n> note\n\n```sh\nlae-studio {x:y}\n```\n";
        let line_at = |offset: usize| text[..offset].matches('\n').count();
        let pieces = split_markdown(text, &runs, &line_at).unwrap();
        let all: Vec<&Paragraph> = pieces
            .iter()
            .filter_map(|piece| match piece {
                MarkdownPiece::Paragraph(paragraph) => Some(paragraph),
                MarkdownPiece::Fence(..) => None,
            })
            .collect();
        let kinds: Vec<ParagraphKind> = all.iter().map(|paragraph| paragraph.kind).collect();
        let (first, second) = (ParagraphKind::Item(0, Some(1)), ParagraphKind::Item(0, Some(2)));
        assert_eq!(
            kinds,
            [
                ParagraphKind::Heading(1),
                ParagraphKind::Text,
                first,
                second,
                ParagraphKind::Item(1, None),
                ParagraphKind::Quote
            ]
        );
        let Some(MarkdownPiece::Fence(name, code, line)) = pieces.last() else {
            panic!("no block");
        };
        assert_eq!((name.as_str(), code.as_str()), ("sh", "lae-studio {x:y}\n"));
        assert!(text.lines().nth(*line).unwrap().starts_with("lae-studio"));
        let mut figures = Figures::new();
        let text_of = |figures: &Figures, language| all[1].to_text(figures, language);
        assert_eq!(text_of(&figures, Language::English), "One two three four five [F_N] %.");
        let matrix = vec![vec![0.9], vec![0.65, 1.0]];
        figures.insert("a".into(), vec![run(matrix, 2)]);
        assert_eq!(text_of(&figures, Language::German), "One two three four five 25,0 %.");
        let mut spans = all[1].spans.iter();
        assert!(spans.any(|span| span.emphasis && span.text == "two"));
        assert!(spans.any(|span| span.strong && span.text == "three"));
    }

    #[test]
    fn rejects_formulas_with_unknown_runs() {
        let problem = paragraphs("so {F: forgetting(b)}", &["a".to_string()]).unwrap_err();
        assert!(problem.what.contains("`b`"), "{problem}");
        assert!(paragraphs("set {a, b} and {x: } is no formula", &[]).is_err());
        assert_eq!(paragraphs("set {a, b} stays", &[]).unwrap()[0].spans.len(), 1);
    }

    #[test]
    fn braces_contain_named_or_unnamed_formulas() {
        let names = |text: &str| -> Vec<String> {
            let paragraphs = paragraphs(text, &["a".to_string()]).unwrap();
            let live = |span: &Span| span.formula.is_some();
            let live = paragraphs[0].spans.iter().filter(|span| live(span));
            live.map(|span| span.text.clone()).collect()
        };
        assert_eq!(names("{a {b: 1 + 2 * 3} {c} }{"), ["b"]);
        assert_eq!(names("{forgetting(a)} {b (c)} `{b: 1}`"), ["…"]);
        let text = &paragraphs("{a {b: 1} {c} }{", &[]).unwrap()[0];
        assert_eq!(text.to_text(&Figures::new(), Language::English), "{a 1.0 {c} }{");
        assert!(paragraphs("{forgeting(a)}", &["a".to_string()]).is_err());
    }
}
