//! English texts, documentation and comments avoid the phrases of [`PHRASES`]. Spelling is checked by `typos`
//! (`.typos.toml`).

use std::path::Path;

use crate::list_files;
use crate::texts::literals;

/// Phrases to avoid, in lower case, and what to write instead. `|` separates the forms of a phrase.
///
/// Add a phrase only if nearly every use of it is wrong.
const PHRASES: &[(&str, &str)] = &[
    ("picture|pictures", "image"),
    ("the person|a person|persons", "the user"),
    ("whoever", "the code or the user that …"),
    ("graphics card|graphics cards|software card|hardware card", "GPU"),
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
    ("held back|holds back", "held out"),
    ("weights file|weights files", "weight file"),
    ("predicted wrongly", "misclassified"),
    ("an own", "your own, a separate"),
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

/// Returns what begins a comment in a file, `""` if all of the file is prose; `None` if it has no prose.
fn comment_mark(path: &str) -> Option<&'static str> {
    Some(match path.rsplit(['/', '.']).next()? {
        "cff" | "ftl" | "md" | "run" | "sh" | "toml" | "yml" => "",
        "c" | "rs" | "wgsl" => "//",
        "py" => "#",
        _ => return None,
    })
}

/// Returns the comment of a line: all of the line, or what follows code and a blank.
fn comment<'a>(line: &'a str, mark: &str) -> &'a str {
    let start = match line.starts_with(mark) {
        true => Some(0),
        false => line.find(&format!(" {mark} ")).map(|position| position + 1),
    };
    start.map_or("", |position| line[position + mark.len()..].trim_start_matches(['/', '!']))
}

/// Returns the prose of each line, without code; empty for a line without prose.
fn prose(mark: &str, text: &str) -> Vec<String> {
    let (mut in_fence, mut in_docstring) = (false, false);
    let line_prose = |line: &str| {
        let line = line.trim();
        let quotes = line.matches("\"\"\"").count();
        let is_docstring = mark == "#" && (in_docstring || quotes > 0);
        in_docstring ^= quotes % 2 == 1;
        let prose = if is_docstring { line } else { comment(line, mark) };
        let is_fence = prose.trim().starts_with("```");
        in_fence ^= is_fence;
        match in_fence || is_fence {
            true => String::new(),
            false => prose.trim().split('`').step_by(2).collect::<Vec<_>>().join(" ` "),
        }
    };
    text.lines().map(line_prose).collect()
}

/// Returns the phrases to avoid in some lines: line, phrase, and what to write instead. A phrase may continue on the
/// next line. Names in code such as `$picture` or `picture.rs` are no phrases.
fn findings(lines: &[String]) -> Vec<(usize, &'static str, &'static str)> {
    let text = lines.join("\n").to_lowercase();
    let flat = text.replace('\n', " ");
    let in_name = |letter: char| letter.is_alphanumeric() || "$_-{}<>".contains(letter);
    let mut found = Vec::new();
    for (phrases, replacement) in PHRASES {
        for phrase in phrases.split('|') {
            for (start, _) in flat.match_indices(phrase) {
                let prefix = flat[..start].trim_end_matches(['.', ':']);
                let suffix = flat[start + phrase.len()..].trim_start_matches(['.', ':']);
                let is_name = prefix.ends_with(in_name) || suffix.starts_with(in_name);
                let is_allowed = ALLOWED.iter().any(|allowed| flat[start..].starts_with(allowed));
                if !is_name && !is_allowed {
                    let line = text[..start].matches('\n').count() + 1;
                    found.push((line, phrase, *replacement));
                }
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn texts_docs_and_comments_use_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in SEARCHED.iter().flat_map(|entry| list_files(&root.join(entry))) {
        let relative = path.strip_prefix(root).unwrap().to_string_lossy();
        let relative = relative.replace('\\', "/");
        let Some(mark) = comment_mark(&relative) else {
            continue;
        };
        let skipped = SKIPPED.iter().any(|skipped| path.starts_with(root.join(skipped)));
        if skipped || relative.ends_with(".de.md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = prose(mark, &text);
        if relative.starts_with("src/") && relative.ends_with(".rs") {
            // English texts of lists: settings, methods, presets.
            for (line, literal, _) in literals(&text) {
                if literal.contains(' ') {
                    lines[line - 1].push_str(&format!(" . {literal}"));
                }
            }
        }
        for (line, phrase, replacement) in findings(&lines) {
            found.push(format!("{relative}:{line}: \"{phrase}\"; write: {replacement}"));
        }
    }
    assert!(found.is_empty(), "{} phrases to avoid:\n{}", found.len(), found.join("\n"));
}

#[test]
fn finds_phrases_in_prose_but_not_in_code() {
    let find = |mark, text: &str| -> Vec<(usize, &str)> {
        let matches = findings(&prose(mark, text)).into_iter();
        matches.map(|(line, phrase, _)| (line, phrase)).collect()
    };
    let rust = "/// Reads the\n/// picture, `picture`, of\n/// its own accord. Now\nlet picture = 1; // many go\n// on\n";
    let expected = [(2, "of its own accord"), (2, "picture"), (4, "go on")];
    assert_eq!(find("//", rust), expected);
    let texts = "picture-title = Two { $pictures } of picture.rs, so many\n";
    assert_eq!(find("", texts), [(1, "so many")]);
    let text = "It stands for a person.\n```\na picture\n```\nNone. For\n";
    assert_eq!(find("", text), [(1, "a person")]);
    let python = "picture = 1  # a person\n\"\"\"The\nperson\"\"\"\npicture = 2\n";
    assert_eq!(find("#", python), [(1, "a person"), (2, "the person")]);
}
