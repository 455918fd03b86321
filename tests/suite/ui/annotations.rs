//! Names, tags and notes of runs on Compare, and filtering by them.

use std::path::{Path, PathBuf};

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::annotations::Annotations;
use lae_studio::store::{self, RunFolder};
use lae_studio::tensors::NamedTensors;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// Stores a finished run of five tasks with this seed.
pub fn store_seeded_run(root: &Path, seed: u64) -> PathBuf {
    let mut header = header();
    header.config.seed = seed;
    let folder = RunFolder::create(root, &mut header, "").unwrap();
    for task in 0..5 {
        folder.save_task(&report(task), &NamedTensors::new()).unwrap();
    }
    folder.finish(false).unwrap();
    folder.path().to_path_buf()
}

/// Opens Compare with these runs.
pub fn open_compare(runs: &Path) -> Harness<'static, StudioApp> {
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-compare")).click();
    wait_until_idle(&mut window);
    window
}

/// Replaces the text of a field.
pub fn fill(window: &mut Harness<'_, StudioApp>, field: &str, text: &str) {
    window.get_by_label(field).focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(2);
    window.get_by_label(field).type_text(text);
    window.run_steps(2);
}

#[test]
fn names_run_by_keyboard_and_filters_by_text() {
    let runs = tempfile::tempdir().unwrap();
    let (first, second) = (store_seeded_run(runs.path(), 1), store_seeded_run(runs.path(), 2));
    let mut window = open_compare(runs.path());
    // The run is selected by a click; the rest is done by keyboard.
    window.get_all_by_label_contains("seed 1").next().unwrap().click();
    window.run_steps(3);
    window.key_press(Key::F2);
    window.run_steps(3);
    window.get_by_label(tr!("shell-run-about-title"));
    window.get_by_label(tr!("shell-run-name")).type_text("First try");
    window.run_steps(2);
    fill(&mut window, tr!("shell-run-tags"), "thesis, small crops");
    fill(&mut window, tr!("shell-run-note"), "The crops were\ntoo small");
    save_screenshot(&mut window, "about");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    wait_until_idle(&mut window);
    let expected = Annotations {
        name: "First try".into(),
        tags: vec!["thesis".into(), "small crops".into()],
        note: "The crops were\ntoo small".into(),
        ..Annotations::default()
    };
    assert_eq!(store::load_annotations(&first).0, expected);
    // The list shows the name, with the note below.
    assert!(window.query_all_by_label("First try").count() >= 2);
    window.get_by_label("The crops were");
    save_screenshot(&mut window, "named");
    let listed_count =
        |window: &Harness<'_, StudioApp>| window.query_all_by_label_contains("Select 2026").count();
    assert_eq!(listed_count(&window), 2);
    for text in ["first THESIS", "too small", "seed lae first"] {
        fill(&mut window, tr!("compare-filter-name"), text);
        assert_eq!(listed_count(&window), 1, "{text}");
    }
    fill(&mut window, tr!("compare-filter-name"), "nowhere");
    window.get_by_label(tr!("compare-none-found"));
    fill(&mut window, tr!("compare-filter-name"), "digits");
    assert_eq!(listed_count(&window), 2);
    let click_tag = |window: &mut Harness<'_, StudioApp>| {
        let mut tags = window.get_all_by_label("#thesis");
        tags.next().unwrap().click();
    };
    click_tag(&mut window);
    window.run_steps(3);
    assert_eq!(listed_count(&window), 1);
    click_tag(&mut window);
    window.run_steps(3);
    assert_eq!(listed_count(&window), 2);
    // The other pages show the name as well.
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-predict")).click();
    wait_until_idle(&mut window);
    let session = &window.state().session;
    let titles: Vec<String> =
        lae_studio::ui::pages::predict::prediction_runs(session).map(|(_, title)| title).collect();
    assert!(titles.iter().any(|title| title.starts_with("First try · ")), "{titles:?}");
    assert_eq!(store::load_annotations(&second).0, Annotations::default());
}

#[test]
fn edits_tags_of_several_runs_at_once() {
    let runs = tempfile::tempdir().unwrap();
    let folders = [1, 2, 3].map(|seed| store_seeded_run(runs.path(), seed));
    let about_with = |name: &str, tags: &[&str]| Annotations {
        name: name.into(),
        tags: tags.iter().map(ToString::to_string).collect(),
        note: "kept".into(),
        ..Annotations::default()
    };
    for (folder, tags) in folders.iter().zip([vec!["old", "one"], vec!["old"], vec!["old"]]) {
        store::set_annotations(folder, &about_with("mine", &tags)).unwrap();
    }
    let mut window = open_compare(runs.path());
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(3);
    window.key_press(Key::F2);
    window.run_steps(3);
    window.get_by_label(&tr!("shell-tags-title", n = 3));
    window.get_by_label(tr!("shell-tags-field")).type_text("thesis");
    window.run_steps(2);
    // A click adds a tag of one run to all, and removes a tag of all.
    for (before, after) in [("#one · 1 of 3", "#one · all"), ("#old", "#old · none")] {
        let chip = window.query_all_by_label(before).last();
        chip.unwrap().click();
        window.run_steps(3);
        window.get_by_label(after);
    }
    save_screenshot(&mut window, "tags");
    window.key_press(Key::Enter);
    wait_until_idle(&mut window);
    for (folder, tags) in folders.iter().zip([["one", "thesis"]; 3]) {
        assert_eq!(store::load_annotations(folder).0, about_with("mine", &tags));
    }
    // Too many tags are rejected, and Cancel changes nothing.
    window.get_by_label(tr!("compare-selected-tags")).click();
    window.run_steps(3);
    let tags: Vec<String> = (0..20).map(|i| format!("t{i}")).collect();
    window.get_by_label(tr!("shell-tags-field")).type_text(&tags.join(","));
    window.run_steps(3);
    assert!(shows!(window, "problem-too-many-tags", tags = 22));
    assert!(window.get_by_label(tr!("shell-save")).accesskit_node().is_disabled());
    window.get_by_label(tr!("shell-cancel")).click();
    wait_until_idle(&mut window);
    assert_absent!(window, "shell-tags-title", n = 3);
    assert_eq!(store::load_annotations(&folders[2]).0.tags, ["one", "thesis"]);
}

#[test]
fn rejects_long_name_and_replaces_damaged_about_file() {
    let runs = tempfile::tempdir().unwrap();
    let folder = store_seeded_run(runs.path(), 1);
    std::fs::write(folder.join("about.toml"), "name = [").unwrap();
    let mut window = open_compare(runs.path());
    assert!(shows!(window, "problem-run-note-unreadable"));
    window.get_by_label(tr!("compare-name-run")).click();
    window.run_steps(3);
    fill(&mut window, tr!("shell-run-name"), &"x".repeat(121));
    assert!(shows!(window, "problem-text-too-long", length = 121));
    assert!(window.get_by_label(tr!("shell-save")).accesskit_node().is_disabled());
    save_screenshot(&mut window, "about-too-long");
    fill(&mut window, tr!("shell-run-name"), "a\u{1b}[2J");
    window.get_by_label(tr!("shell-save")).click();
    wait_until_idle(&mut window);
    assert_absent!(window, "shell-run-about-title");
    window.get_all_by_label("a\\u{1b}[2J").next().unwrap();
    assert!(window.query_by_label_contains("could not read").is_none());
}
