//! All texts of the window are in `assets/texts`, in every language.

use std::collections::BTreeSet;
use std::path::Path;

use lae_studio::backbone::library::{BackboneLibrary, WeightLocations};
use lae_studio::data::builtin;
use lae_studio::data::published::PUBLISHED;
use lae_studio::device::AdapterKind;
use lae_studio::experiment::grid::shipped;
use lae_studio::experiment::presets::presets;
use lae_studio::export::Format;
use lae_studio::method::METHODS;
use lae_studio::pet::functions::FUNCTIONS;
use lae_studio::pet::{BLOCK_SYMBOLS, PluginLibrary, Site};
use lae_studio::run::config::{SETTINGS, SettingKind, SettingSpec};
use lae_studio::store::table::{FACTS, FIGURES};
use lae_studio::texts::{Language, list_id};

use crate::rust_files;

/// Folders and files of `session` and `ui` with other texts: English messages for the terminal and of lessons, names
/// of fonts, variables and files.
const EXCEPTIONS: &[&str] = &[
    "session/bug_report.rs",
    "session/window_terms.rs",
    "session/sources/grids.rs",
    "session/lessons/blocks.rs",
    "session/lessons/chart.rs",
    "session/lessons/formula.rs",
    "session/lessons/parse.rs",
    "session/lessons/text.rs",
    "ui/display",
    "ui/drawing.rs",
    "ui/mod.rs",
    "ui/widget_positions.rs",
    "ui/scripts",
    "ui/theme/colour_vision.rs",
];

/// Words that are the same in every language: names, formats, units, keys.
const SAME_IN_ALL_LANGUAGES: &[&str] = &[
    "CPU · {}",
    "Esc",
    "F11, Esc",
    "GELU",
    "GPU · {}",
    "JSON",
    "LAE Studio",
    "LAE_STUDIO_DRAW_FAULT",
    "Slurm",
    " MB",
    "MB",
    "ViT-B/16",
    "vpt deep",
    "{} GB",
    "{} MB",
    "{} h {} min",
    "{} kB",
    "{} min",
    "{} ms",
    "{}\\u{a0}s",
    " thread",
];

/// Calls whose strings the window does not display: ids of widgets, separators, the log.
const NOT_DISPLAYED: &[&str] = &[
    "Id::new(",
    "Id::unique(",
    "id_salt(",
    "from_id_salt(",
    "push_id(",
    "Panel::top(",
    "Panel::bottom(",
    "Area::new(",
    "Window::new(",
    "request_discard(",
    "debug!(",
    "info!(",
    "warn!(",
    "error!(",
    "trace!(",
    "split_once(",
    "env!(",
    "concat!(",
    "Problem::io(",
];

/// Returns the string literals of a file with their lines and the code before them, without comments, attributes and
/// the tests at the end.
pub(super) fn literals(code: &str) -> Vec<(usize, String, String)> {
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let (mut found, mut preceding) = (Vec::new(), String::new());
    let mut open: Option<String> = None;
    for (number, line) in code.lines().enumerate() {
        let trimmed = line.trim_start();
        if open.is_none() && (trimmed.starts_with("//") || trimmed.starts_with("#[")) {
            continue;
        }
        let mut chars = line.chars().peekable();
        while let Some(letter) = chars.next() {
            match (&mut open, letter) {
                (Some(text), '\\') => text.extend(['\\', chars.next().unwrap_or(' ')]),
                (Some(_), '"') => {
                    let text = open.take().unwrap_or_default();
                    found.push((number + 1, text, std::mem::take(&mut preceding)));
                }
                (Some(text), letter) => text.push(letter),
                (None, '"') => open = Some(String::new()),
                (None, '\'') if chars.peek() == Some(&'"') => drop(chars.next()),
                (None, '/') if chars.peek() == Some(&'/') => break,
                (None, letter) => preceding.push(letter),
            }
        }
    }
    found
}

/// Returns whether a text has words: two adjacent letters outside braces.
fn has_words(text: &str) -> bool {
    let mut unbraced = String::new();
    let mut depth = 0;
    for letter in text.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            letter if depth == 0 => unbraced.push(letter),
            _ => {}
        }
    }
    let letters: Vec<_> = unbraced.chars().collect();
    let has_adjacent_letters =
        letters.windows(2).any(|pair| pair.iter().all(|letter| letter.is_alphabetic()));
    // A lowercase word without spaces is an internal name.
    let is_name_char =
        |letter: char| letter.is_ascii_lowercase() || "-_.:/0123456789".contains(letter);
    has_adjacent_letters && !unbraced.chars().all(is_name_char)
}

#[test]
fn ui_has_no_text_outside_assets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = ["session", "ui"].map(|part| rust_files(&root.join(part))).concat();
    files.retain(|file| {
        let is_test = file.to_string_lossy().ends_with("tests.rs");
        !is_test && !EXCEPTIONS.iter().any(|exception| file.starts_with(root.join(exception)))
    });
    let mut untranslated = Vec::new();
    for file in files {
        let code = std::fs::read_to_string(&file).unwrap();
        for (line, text, preceding) in literals(&code) {
            let call = preceding.trim_end().trim_end_matches('&');
            let not_displayed = NOT_DISPLAYED.iter().any(|name| call.ends_with(name));
            if has_words(&text) && !not_displayed && !SAME_IN_ALL_LANGUAGES.contains(&text.as_str())
            {
                let path = file.strip_prefix(&root).unwrap().display();
                untranslated.push(format!("{path}:{line}: {text}"));
            }
        }
    }
    assert!(untranslated.is_empty(), "words outside assets/texts:\n{}", untranslated.join("\n"));
}

/// Returns whether code ends in a call that takes the id of a message.
fn is_message_call(code: &str) -> bool {
    let takes_id =
        ["tr!(", "message!(", ".is(", ".mentions("].iter().any(|call| code.ends_with(call));
    takes_id && !code.ends_with("include_str!(")
}

#[test]
fn messages_exist_and_are_all_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = rust_files(&root);
    let program_files = files.len();
    files.extend(rust_files(&root.with_file_name("tests")));
    let message_ids: BTreeSet<&str> = Language::English.message_ids().collect();
    let list_ids: BTreeSet<&str> = Language::German.message_ids().collect();
    let (mut used, mut missing) = (BTreeSet::new(), Vec::new());
    for (i, file) in files.into_iter().enumerate() {
        let code = std::fs::read_to_string(&file).unwrap();
        for (line, text, preceding) in literals(&code) {
            if message_ids.contains(text.as_str()) {
                // Only the program's own uses count.
                if i < program_files {
                    used.insert(text);
                }
            } else if is_message_call(preceding.trim_end()) && !list_ids.contains(text.as_str()) {
                missing.push(format!("{}:{line}: {text}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no such messages:\n{}", missing.join("\n"));
    let unused: Vec<_> = message_ids.iter().filter(|id| !used.contains(**id)).collect();
    assert!(unused.is_empty(), "unused messages: {unused:?}");
}

/// Returns the ids of the messages of a setting.
fn setting_messages(spec: &SettingSpec) -> Vec<String> {
    let (refusal, refusal_advice) = spec.refused;
    let (too_large, too_large_advice) = spec.too_large.unwrap_or_default();
    let words = [
        ("title", spec.title),
        ("meaning", spec.meaning),
        ("refused", refusal),
        ("refused-advice", refusal_advice),
        ("large", too_large),
        ("large-advice", too_large_advice),
        ("fix", spec.fix),
    ];
    let present = words.iter().filter(|(_, words)| !words.is_empty());
    let ids = present.map(|(part, _)| list_id("setting", spec.texts(), part));
    let names = match spec.kind {
        SettingKind::Name(names) => Some(list_id("range", names, "names")),
        _ => None,
    };
    ids.chain(names).collect()
}

/// Returns the ids of all messages for entries of the program's lists and files.
fn list_messages() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let method_settings = METHODS.iter().flat_map(|method| method.settings);
    for spec in SETTINGS.iter().map(|setting| &setting.spec).chain(method_settings) {
        ids.extend(setting_messages(spec));
    }
    let mut add = |list: &str, key: &str, parts: &[&str]| {
        ids.extend(parts.iter().map(|part| list_id(list, key, part)));
    };
    for method in METHODS {
        add("method", method.key, &["summary"]);
        for expert in method.experts {
            add("expert", expert.key(), &["title"]);
        }
    }
    for preset in presets() {
        add("preset", preset.name, &["title", "hint"]);
    }
    for grid in shipped() {
        add("grid", grid.name, &["title", "about"]);
    }
    builtin::names().for_each(|name| add("dataset", name, &["credit"]));
    Format::ALL.iter().for_each(|(_, key, _)| add("export", key, &["about"]));
    PUBLISHED.iter().for_each(|set| add("dataset", set.name, &["about", "licence"]));
    FIGURES.iter().for_each(|figure| add("column", figure.key, &["title", "meaning"]));
    // A fact with the name of a setting has its title.
    let is_setting = |key| SETTINGS.iter().any(|setting| setting.spec.key == key);
    FACTS
        .iter()
        .filter(|fact| !is_setting(fact.key))
        .for_each(|fact| add("column", fact.key, &["title"]));
    FUNCTIONS.iter().for_each(|function| add("function", function.name, &["meaning"]));
    Site::ALL.iter().for_each(|(_, name, _)| add("site", name, &["about"]));
    BLOCK_SYMBOLS.iter().for_each(|(name, _)| add("symbol", name, &["about"]));
    use AdapterKind::{Cpu, DiscreteGpu, IntegratedGpu, OtherGpu, SoftwareGpu, VirtualGpu};
    for kind in [Cpu, DiscreteGpu, IntegratedGpu, VirtualGpu, OtherGpu, SoftwareGpu] {
        add("device", kind.key(), &["kind"]);
    }
    for plugin in PluginLibrary::with_folders(Vec::new()).entries() {
        add("plugin", &plugin.name, &["about"]);
    }
    let places = WeightLocations { tables: Vec::new(), ..WeightLocations::from_env() };
    for entry in BackboneLibrary::new(places).entries() {
        add("backbone", &entry.name, &["on"]);
        if entry.warning.is_some() {
            add("backbone", &entry.name, &["warning"]);
        }
    }
    for file in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for (_, text, preceding) in literals(&std::fs::read_to_string(&file).unwrap()) {
            for (call, list, part) in [
                ("Problem::io(", "io", "failed"),
                ("not_finite_problem(", "finite", "what"),
                (" definite_name:", "called", "is"),
                ("indefinite_name:", "called", "in"),
            ] {
                if preceding.trim_end().ends_with(call) {
                    add(list, &text, &[part]);
                }
            }
        }
    }
    ids
}

#[test]
fn lists_are_translated_into_every_language() {
    let expected = list_messages();
    let english: BTreeSet<&str> = Language::English.message_ids().collect();
    for (language, name) in Language::ALL {
        let translated = language.message_ids().filter(|id| !english.contains(id));
        let translated: BTreeSet<String> = translated.map(str::to_string).collect();
        if language == Language::English {
            assert!(translated.is_empty());
            continue;
        }
        let missing: Vec<_> = expected.difference(&translated).collect();
        assert!(missing.is_empty(), "{name} lacks {missing:?}");
        // Most titles of backbones are names; translations are optional.
        let title = |id: &&String| id.starts_with("backbone-") && id.ends_with("-title");
        let obsolete: Vec<_> = translated.difference(&expected).filter(|id| !title(id)).collect();
        assert!(obsolete.is_empty(), "obsolete messages: {obsolete:?}");
    }
}
