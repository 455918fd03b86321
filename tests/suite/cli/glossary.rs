//! The glossary in a terminal, and the page of it in `docs`.

use std::path::Path;

use lae_studio::method::METHODS;
use lae_studio::texts::Language;

use super::{json, run, stderr};

#[test]
fn docs_glossary_matches_printed_glossary() {
    let runs = tempfile::tempdir().unwrap();
    let output = run(&["glossary"], runs.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/glossary.md");
    let stored = std::fs::read_to_string(page).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed == stored, "regenerate it: lae-studio glossary > docs/glossary.md");
}

#[test]
fn glossary_finds_german_words_and_rejects_unknown_terms() {
    let runs = tempfile::tempdir().unwrap();
    let words = ["glossary", "Zufallsentscheidungen", "--lang", "de", "--json", "-"];
    let rows = json(&run(&words, runs.path()));
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["term"], "seed");
    let none = run(&["glossary", "no such words"], runs.path());
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("no term of the glossary"), "{}", stderr(&none));
}

#[test]
fn glossary_has_term_for_every_method() {
    for (language, _) in Language::ALL {
        for method in METHODS {
            let key = method.key.replace('-', "_");
            let term = language.term(&key);
            assert!(term.is_some_and(|term| term.name.contains(method.title)), "{key}");
        }
    }
}
