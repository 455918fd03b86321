//! Integration tests in one binary, one module per part.

#![allow(clippy::unwrap_used, clippy::expect_used)]

/// Returns a message with its values in the language of this thread. Panics if the message or a value is missing.
macro_rules! tr {
    ($id:expr $(,)?) => {
        lae_studio::texts::Language::spoken().known($id).expect($id)
    };
    ($id:expr, $($values:tt)+) => {{
        let text = lae_studio::tr!($id, $($values)+);
        assert!(text != $id && !text.contains("{$"), "not a message with its values: {text}");
        text
    }};
}

/// Whether a text contains the message with this id and these values. A place without a value matches anything.
macro_rules! says {
    ($text:expr, $id:expr $(, $name:ident = $value:expr)* $(,)?) => {{
        let values: &[(&str, lae_studio::texts::FluentValue<'_>)] =
            &[$((stringify!($name), lae_studio::texts::FluentValue::from($value))),*];
        crate::says(&$text, $id, values)
    }};
}

/// Asserts that a text contains a message: see `says`.
macro_rules! assert_says {
    ($text:expr, $($message:tt)*) => {{
        let text = &$text;
        assert!(says!(text, $($message)*), "{text}");
    }};
}

mod at_once;
mod backbone;
mod circles;
mod cli;
mod closed_forms;
mod corrected_labels;
mod data;
mod data_archives;
mod data_command;
mod data_forms;
mod data_lists;
mod data_newcomer;
mod data_published;
mod data_teachable;
mod engine;
mod engine_process;
mod experiment;
mod faults;
mod finetune;
mod fuzz;
mod grid;
mod grid_file;
mod heads;
mod hostile_data;
mod inside;
mod layering;
mod lessons;
mod lost_images;
mod method;
mod methods;
mod near_copies;
mod nn;
mod nn_exact;
mod nn_trained;
mod older_runs;
mod pet;
mod pet_editor;
mod pet_errors;
mod pet_folding;
mod pet_golden;
mod pet_language;
mod pet_library;
mod pet_reference;
mod plain_words;
mod prompts;
mod run_tables;
mod skip;
mod soak;
mod special_files;
mod store;
mod summaries;
mod teach;
mod texts;
mod ui;
mod verification;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use lae_studio::problem::Problem;
use lae_studio::run::config::{Setting, Settings};
use lae_studio::run::event::{MethodFacts, ScoreKind};
use lae_studio::texts::{FluentValue, Language};

/// How long tests wait for an expected event. Generous, for slow and busy machines.
const TIMEOUT: Duration = Duration::from_secs(900);

/// Creates a folder that tests share. It is inside cargo's target folder and is deleted with it.
fn shared_folder() -> PathBuf {
    let target_dir = env!("CARGO_TARGET_TMPDIR");
    tempfile::tempdir_in(target_dir).unwrap().keep()
}

/// Copies a folder recursively.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Returns whether a text contains the fixed parts of a message, in English, in their order: see the macro.
fn says(text: &str, id: &str, values: &[(&str, FluentValue<'_>)]) -> bool {
    let message = Language::English.format(id, &values.iter().cloned().collect());
    assert_ne!(message, id, "there is no such message");
    // The window capitalizes the first letter of a sentence.
    let message = message.strip_prefix(|first: char| first != '{').unwrap_or(&message);
    // A place without a value is written as `{$name}`.
    let mut parts = message.split('{').filter_map(|part| part.rsplit('}').next());
    let fixed = parts.clone().flat_map(str::chars);
    let letters = fixed.filter(|letter| letter.is_alphabetic()).count();
    assert!(letters > 2, "{id} matches nearly any text: give its values");
    parts.try_fold(text, |rest, part| Some(rest.split_once(part)?.1)).is_some()
}

/// Returns the files at a path, sorted: the file itself, or all in the folder and its subfolders.
fn list_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let entries = std::fs::read_dir(path).unwrap();
    let mut files: Vec<_> = entries.flat_map(|entry| list_files(&entry.unwrap().path())).collect();
    files.sort();
    files
}

/// Returns the Rust files in a folder and its subfolders, sorted.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = list_files(folder);
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs"));
    files
}

/// Asserts that a problem or its remedy is the message with this id, or has it as a value.
#[track_caller]
fn assert_is(problem: &Problem, id: &str) {
    assert!(problem.mentions(id), "not {id}: {problem}");
}

/// Returns settings of LAE with this number of frozen epochs.
fn frozen_epochs(count: i64) -> Settings {
    [("freeze_epochs".to_string(), Setting::Whole(count))].into()
}

/// Returns settings of LAE with this number of frozen epochs and this α.
fn lae_settings(frozen: i64, ema: f64) -> Settings {
    let mut settings = frozen_epochs(frozen);
    settings.insert("ema".into(), Setting::Real(ema));
    settings
}

/// Returns the facts that a run of LAE stores about its method.
fn lae_facts() -> MethodFacts {
    MethodFacts {
        title: "LAE".into(),
        variant: Vec::new(),
        experts: lae_studio::method::lae::LAE.experts.to_vec(),
        uses_pet: true,
        pet_sized: Some(true),
        seeded: Some(true),
        scores: Some(ScoreKind::Maximum),
    }
}
