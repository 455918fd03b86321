//! `glossary`: prints the terms of the field with their meaning, as Markdown.

use super::CommandOutcome;
use super::lesson::language;
use super::output::JsonOutput;
use crate::problem::{Problem, Result};
use crate::texts::{Language, Term};

/// Options of `glossary`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only terms that contain these words
    words: Option<String>,
    /// The language
    #[arg(long, value_name = "en|de", value_parser = language, default_value = "en")]
    lang: Language,
    #[command(flatten)]
    json: JsonOutput,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let words = args.words.as_deref().unwrap_or_default().to_lowercase();
    let contains_words = |term: &&Term| term.full_text().to_lowercase().contains(&words);
    let terms: Vec<&Term> = args.lang.terms().iter().filter(contains_words).collect();
    if terms.is_empty() {
        return Err(Problem::new("no term of the glossary contains these words")
            .at(&words)
            .advise("run the command without words to print all terms"));
    }
    args.json.finish(&terms, &to_markdown(&terms, args.lang))
}

fn to_markdown(terms: &[&Term], language: Language) -> String {
    let mut text = format!("# {}\n", language.text("glossary-title"));
    let mut group = "";
    for term in terms {
        if term.group != group {
            group = &term.group;
            text.push_str(&format!("\n## {group}\n"));
        }
        text.push_str(&format!("\n**{}.** {}\n", term.name, term.text));
        if let Some(formula) = &term.formula {
            text.push_str(&format!("\n    {formula}\n"));
        }
        if let Some(source) = &term.source {
            text.push_str(&format!("\n*{source}*\n"));
        }
    }
    text
}
