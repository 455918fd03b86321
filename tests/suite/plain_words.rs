//! English texts, documentation and comments avoid the phrases of [`PHRASES`]. Spelling is checked by `typos`
//! (`.typos.toml`).

use std::path::Path;

use crate::texts::literals;

/// Phrases to avoid, in lower case, and what to write instead. `|` separates the forms of a phrase.
///
/// Add a phrase only if nearly every use of it is wrong.
const PHRASES: &[(&str, &str)] = &[
    ("picture|pictures", "image"),
    ("the person|a person|persons", "the user"),
    ("whoever", "the code or the user that …"),
    (
        "graphics card|graphics cards|software card|hardware card",
        "GPU",
    ),
    ("mind:", "Note:"),
    ("none where|none for", "`None` if …"),
    ("of its own accord", "automatically"),
    ("in sight", "visible"),
    ("stand|stands|stood", "is, occurs, is written"),
    ("lie|lies", "is, is stored"),
    ("tells|told", "shows, reports, distinguishes"),
    ("hears|heard", "gets, is notified"),
    ("so many", "this number of …"),
    ("costs a|costs no", "takes, causes"),
    ("afresh|anew|once more", "again"),
    ("go on|goes on|going on|went on", "continue, resume"),
    ("taken up", "resumed"),
    ("leave it out", "exclude it"),
    ("wished|wishes", "requested"),
    ("is wanted|are wanted", "is needed"),
    ("becomes of|comes of|came of", "the result of …"),
    ("as what", "the kind of …"),
    ("what there is", "the available …"),
    ("let go|lets go", "release, drop"),
    ("at hand", "available"),
    ("come home|comes home", "is downloaded"),
    ("in so many words", "literally"),
    ("by itself alone", "alone"),
    ("hold against|holds against|held against", "compare with"),
    ("without a word|a word about", "message"),
];

/// Uses of these words that are right.
const ALLOWED: &[&str] = &["stand for", "stands for", "stand in for", "stands in for"];

/// Files and folders to search.
const SEARCHED: &[&str] = &[
    ".ci/run",
    ".github",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "SECURITY.md",
    "assets",
    "docs",
    "plugins",
    "src",
    "tests",
];

/// Inputs and results of tests, German texts, and this list.
const SKIPPED: &[&str] = &[
    "assets/texts/de",
    "assets/texts/glossary/de.toml",
    "tests/corpus",
    "tests/golden",
    "tests/runs",
    "tests/snapshots",
    "tests/suite/plain_words.rs",
];

/// Adds the files with English prose at `place`, a path below `root` with `/` between its parts.
fn add_files(root: &Path, place: &str, found: &mut Vec<String>) {
    let path = root.join(place);
    if SKIPPED.contains(&place) || place.ends_with(".de.md") {
        return;
    }
    if path.is_dir() {
        for entry in std::fs::read_dir(&path).unwrap() {
            let name = entry.unwrap().file_name();
            add_files(root, &format!("{place}/{}", name.to_string_lossy()), found);
        }
    } else if kind(place).is_some() {
        found.push(place.to_string());
    }
}

/// Where a file has its prose.
#[derive(Clone, Copy)]
enum Kind {
    /// In every line: Markdown.
    Text,
    /// In values and comments: Fluent, TOML.
    Values,
    /// In comments that begin with this mark.
    Comments(&'static str),
    /// In comments and docstrings: Python.
    Python,
}

/// Returns the kind of a file; `None` if it has no prose.
fn kind(place: &str) -> Option<Kind> {
    if place == ".ci/run" {
        return Some(Kind::Comments("#"));
    }
    Some(match Path::new(place).extension()?.to_str()? {
        "cff" | "md" => Kind::Text,
        "ftl" | "toml" => Kind::Values,
        "c" | "rs" | "wgsl" => Kind::Comments("//"),
        "sh" | "yml" => Kind::Comments("#"),
        "py" => Kind::Python,
        _ => return None,
    })
}

/// Returns the comment of a line: all of the line, or behind code and a blank.
fn comment<'a>(line: &'a str, mark: &str) -> &'a str {
    let at = match line.starts_with(mark) {
        true => Some(0),
        false => line.find(&format!(" {mark} ")).map(|at| at + 1),
    };
    at.map_or("", |at| {
        line[at + mark.len()..].trim_start_matches(['/', '!'])
    })
}

/// Returns the prose of each line, without code; empty for a line that has none.
fn prose(kind: Kind, text: &str) -> Vec<String> {
    let (mut fenced, mut quoted) = (false, false);
    let line_prose = |line: &str| {
        let line = line.trim();
        let prose = match kind {
            Kind::Text => line,
            Kind::Values => match line.split_once('=') {
                Some((key, value)) if !key.trim().contains(' ') => value,
                _ => line,
            },
            Kind::Comments(mark) => comment(line, mark),
            Kind::Python => {
                let quotes = line.matches("\"\"\"").count();
                let docstring = quoted || quotes > 0;
                quoted ^= quotes % 2 == 1;
                if docstring { line } else { comment(line, "#") }
            }
        };
        let fence = prose.trim_start().starts_with("```");
        fenced ^= fence;
        match fenced || fence {
            true => String::new(),
            false => prose.split('`').step_by(2).collect::<Vec<_>>().join(" ` "),
        }
    };
    text.lines().map(line_prose).collect()
}

/// Returns the words of some lines in lower case, each with the number of its line. An empty word separates
/// sentences and blocks, which no phrase spans.
fn words(lines: &[String]) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    for (number, line) in (1..).zip(lines) {
        if line.trim().is_empty() {
            words.push((number, String::new()));
        }
        for word in line.split(|letter: char| letter.is_whitespace() || "/·|…—()".contains(letter))
        {
            // Marks of names in code stay, so that these differ from words of prose.
            let is_part = |letter: char| letter.is_alphanumeric() || "$_-:{}<>`".contains(letter);
            let bare = word.trim_matches(|letter| !is_part(letter)).to_lowercase();
            let bare = bare.trim_end_matches("'s");
            let ends = word.ends_with(['.', ',', ';', ':', '?', '!']);
            let name = match bare.strip_suffix(':') {
                Some(before) if bare != "mind:" => before,
                _ => bare,
            };
            if !["", "-"].contains(&name) {
                words.push((number, name.to_string()));
            }
            if ends {
                words.push((number, String::new()));
            }
        }
    }
    words
}

/// Returns the phrases to avoid in some lines: line, phrase, and what to write instead.
fn findings(lines: &[String]) -> Vec<(usize, &'static str, &'static str)> {
    let words = words(lines);
    let begins = |at: usize, phrase: &str| {
        let mut rest = words[at..].iter().map(|(_, word)| word.as_str());
        phrase.split(' ').all(|word| rest.next() == Some(word))
    };
    let mut found = Vec::new();
    for (at, (line, _)) in words.iter().enumerate() {
        if ALLOWED.iter().any(|allowed| begins(at, allowed)) {
            continue;
        }
        for (phrases, instead) in PHRASES {
            let hit = phrases.split('|').find(|phrase| begins(at, phrase));
            found.extend(hit.map(|phrase| (*line, phrase, *instead)));
        }
    }
    found
}

#[test]
fn texts_docs_and_comments_use_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places = Vec::new();
    for place in SEARCHED {
        assert!(root.join(place).exists(), "{place} is missing");
        add_files(root, place, &mut places);
    }
    places.sort();
    let mut found = Vec::new();
    for place in places {
        let Some(kind) = kind(&place) else { continue };
        let text = std::fs::read_to_string(root.join(&place)).unwrap();
        let mut lines = prose(kind, &text);
        if place.starts_with("src/") && place.ends_with(".rs") {
            // English texts of lists: settings, methods, presets.
            for (line, words, _) in literals(&text) {
                if words.contains(' ') {
                    lines[line - 1].push_str(&format!(" . {words}"));
                }
            }
        }
        for (line, phrase, instead) in findings(&lines) {
            found.push(format!("{place}:{line}: \"{phrase}\"; write: {instead}"));
        }
    }
    assert!(
        found.is_empty(),
        "{} phrases to avoid:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn phrases_are_found_in_prose_and_not_in_code() {
    let found = |kind, text: &str| -> Vec<(usize, &str)> {
        let found = findings(&prose(kind, text));
        found
            .into_iter()
            .map(|(line, phrase, _)| (line, phrase))
            .collect()
    };
    let rust = "/// Reads the\n/// picture, `picture`, of\n/// its own accord. Now\nlet picture = 1; // many go\n// on\n";
    let expected = vec![(2, "picture"), (2, "of its own accord"), (4, "go on")];
    assert_eq!(found(Kind::Comments("//"), rust), expected);
    let texts = "picture-title = Two { $pictures }, so many\n";
    assert_eq!(found(Kind::Values, texts), [(1, "so many")]);
    let text = "It stands for a person.\n```\na picture\n```\nNone. For\n";
    assert_eq!(found(Kind::Text, text), [(1, "a person")]);
    let python = "picture = 1  # a person\n\"\"\"The\nperson\"\"\"\npicture = 2\n";
    assert_eq!(
        found(Kind::Python, python),
        [(1, "a person"), (2, "the person")]
    );
}
