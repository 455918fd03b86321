//! "Duplicate" restores the exact settings of a run, even if fields show fewer digits and
//! even after focus moves through the fields.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::data::Correction;
use lae_studio::method::with_explicit_settings;
use lae_studio::run::config::{RunConfig, SETTINGS, Setting, SettingKind};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::{Disk, Session};
use lae_studio::store::{self, RunFolder};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::synthetic::{header, report};
use super::{open_steps, recorded_window, save_screenshot, wait_until_idle, window_with};

/// Settings at their minimum or maximum, or with more digits than fields show.
fn extreme_settings(which: usize) -> RunConfig {
    let mut config = RunConfig::default();
    for setting in SETTINGS {
        let integers = |least, most, odd| [least, most, odd].map(Setting::Whole);
        let values = match setting.spec.kind {
            SettingKind::Whole { min: least, max: most, .. } => {
                integers(least, most, most.min((1 << 53) + 1))
            }
            SettingKind::Limit => integers(1, i64::MAX, (1 << 54) + 1),
            SettingKind::Seed => integers(0, i64::MAX, (1 << 60) + 1),
            SettingKind::Real { min: least, max: most, .. } => {
                [least, most, 0.012_345_678_901_234_56].map(Setting::Real)
            }
            SettingKind::Share(_) | SettingKind::ShareOrNone => {
                [f64::MIN_POSITIVE, 1.0 - f64::EPSILON, 0.123_456_789_012_345_6].map(Setting::Real)
            }
            SettingKind::Shares(_) => {
                [f32::MIN_POSITIVE, 1.0, 0.123_456_79].map(|share| Setting::Pair([share; 2]))
            }
            _ => continue,
        };
        let [least, most, odd] = values;
        let value = [least, most, odd].into_iter().nth(which).unwrap();
        assert!((setting.set)(&mut config, value), "{}", setting.spec.key);
    }
    let ema = [0.0, 1.0, 0.999_987_654_321_098_7][which];
    let frozen = [0, i64::MAX, (1 << 53) + 1][which];
    config.settings.insert("ema".into(), Setting::Real(ema));
    let frozen = Setting::Whole(frozen);
    config.settings.insert("freeze_epochs".into(), frozen);
    // As stored in the file of a run.
    with_explicit_settings(&config)
}

/// Opens a window, duplicates a run with these settings and shows all fields.
fn duplicate_run(config: &RunConfig) -> Harness<'static, StudioApp> {
    let runs = tempfile::tempdir().unwrap();
    let mut header = header();
    header.config = config.clone();
    let plugin = std::fs::read_to_string("plugins/adapter.toml").unwrap();
    let folder = RunFolder::create(runs.path(), &mut header, &plugin).unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    drop(folder);
    let (mut window, _) = recorded_window([1280.0, 2200.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().page = Page::Compare;
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-duplicate")).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Experiment);
    open_steps(&mut window);
    for name in [tr!("experiment-more-settings"), tr!("data-part-splits")] {
        if let Some(link) = window.query_by_label(name) {
            link.click();
            wait_until_idle(&mut window);
        }
    }
    window
}

#[test]
fn duplicate_keeps_all_digits_of_settings() {
    for which in 0..3 {
        let config = extreme_settings(which);
        let mut window = duplicate_run(&config);
        window.run_steps(5);
        assert_eq!(window.state().session.experiment.draft, config);
        save_screenshot(&mut window, &format!("repeat-{which}"));
        let fields: Vec<(egui::Role, &str)> = [
            "Epochs",
            "Frozen epochs",
            "α",
            "Base learning rate",
            "Batch",
            "Micro-batch",
            "Smallest crop",
            "Largest crop",
            "Training images per class",
            "Test images per class",
            "Validation share",
            "Memory for images",
            tr!("experiment-pet-size"),
        ]
        .map(|name| (egui::Role::SpinButton, name))
        .into_iter()
        .chain(
            ["Seed", "Split seed", tr!("data-class-order")]
                .map(|name| (egui::Role::TextInput, name)),
        )
        .collect();
        for (role, name) in fields {
            window.get_by_role_and_label(role, name).focus();
            window.run_steps(3);
            window.key_press(egui::Key::Tab);
            window.run_steps(3);
            assert_eq!(window.state().session.experiment.draft, config, "after leaving {name}");
        }
        for _ in 0..70 {
            window.key_press(egui::Key::Tab);
            window.run_steps(2);
        }
        assert_eq!(window.state().session.experiment.draft, config);
    }
}

#[test]
fn seed_accepts_large_values_and_rejects_invalid_ones() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    open_steps(&mut window);
    let seed_text = |window: &Harness<'_, StudioApp>| {
        let node = window.get_by_role_and_label(egui::Role::TextInput, "Seed");
        node.value().unwrap()
    };
    for (typed, seed) in [
        ("9007199254740993", (1u64 << 53) + 1),
        ("9223372036854775807", i64::MAX as u64),
        // One more than the file of a run can store, and no number.
        ("9223372036854775808", i64::MAX as u64),
        ("many", i64::MAX as u64),
    ] {
        let node = window.get_by_role_and_label(egui::Role::TextInput, "Seed");
        node.focus();
        window.run_steps(2);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.run_steps(2);
        // Types all at once, so that no valid prefix is applied.
        window.input_mut().events.push(egui::Event::Text(typed.into()));
        window.run_steps(3);
        assert_eq!(window.state().session.experiment.draft.seed, seed, "{typed}");
        assert_eq!(seed_text(&window), typed);
        window.key_press(egui::Key::Enter);
        window.run_steps(3);
        assert_eq!(seed_text(&window), seed.to_string());
    }
}

/// Stores a corrected label of `letters`; returns the list.
fn correct_letter(runs: &Path) -> Vec<Correction> {
    let correction = Correction {
        picture: "A/1.png".into(),
        sha256: "0".repeat(64),
        was: "A".into(),
        class: Some("B".into()),
    };
    store::correct_label(runs, "letters", correction).unwrap()
}

#[test]
fn duplicate_keeps_original_labels_of_run() {
    let runs = tempfile::tempdir().unwrap();
    let list = correct_letter(runs.path());
    for corrected in [Vec::new(), list] {
        let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
        wait_until_idle(&mut window);
        let config = RunConfig { data: "letters".into(), corrected, ..RunConfig::default() };
        let ctx = window.ctx.clone();
        // The list of this dataset has not been read yet.
        let command = UiCommand::LoadSettings(Box::new(config.clone()));
        window.state_mut().execute(&ctx, command);
        wait_until_idle(&mut window);
        let experiment = &window.state().session.experiment;
        assert_eq!(experiment.draft, config);
        assert_eq!(experiment.has_own_labels, config.corrected.is_empty());
    }
}

#[test]
fn choice_of_original_labels_survives_restart() {
    let runs = tempfile::tempdir().unwrap();
    let list = correct_letter(runs.path());
    for own_labels in [true, false] {
        let draft = RunConfig { data: "letters".into(), ..RunConfig::default() };
        let settings = Settings { setup: Some(draft.clone()), own_labels, ..Settings::default() };
        let root = runs.path().to_path_buf();
        let mut window = window_with([1280.0, 900.0], settings, None, move |wake| {
            let backend = Box::new(RecordedBackend::default());
            Session::with_backend(backend, Disk::new(root), draft, wake)
        });
        wait_until_idle(&mut window);
        let experiment = &window.state().session.experiment;
        let expected = if own_labels { Vec::new() } else { list.clone() };
        assert_eq!(experiment.draft.corrected, expected);
    }
}
