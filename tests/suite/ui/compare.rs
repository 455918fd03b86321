//! Compare with runs as they lie on disk: which of them count as repetitions of one another.

use std::path::Path;

use egui_kittest::kittest::Queryable;
use lae_studio::run::event::RunHeader;
use lae_studio::store::RunFolder;
use lae_studio::tensors::Named;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{can_draw, recorded, settle, shot};

/// A finished run of five tasks below `root`.
fn finished(root: &Path, plugin: &str, change: impl Fn(&mut RunHeader)) {
    let mut header = header();
    change(&mut header);
    let folder = RunFolder::create(root, &mut header, plugin).unwrap();
    for task in 0..5 {
        folder.save_task(&report(task), &Named::new()).unwrap();
    }
    folder.finish(false).unwrap();
}

#[test]
fn seeds_become_mean_and_std_and_another_plugin_text_is_told_apart() {
    if !can_draw() {
        return;
    }
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        finished(runs.path(), "one text", |header| header.config.seed = seed);
    }
    // Newest, so ticked at the beginning: the same settings, but the plugin file was changed.
    finished(runs.path(), "another text", |header| {
        header.config.seed = 2;
        header.started = "2026-11-22T10:00:00Z".into();
    });
    let (mut window, _) = recorded([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window
        .get_by_role_and_label(egui::Role::Tab, "Compare")
        .click();
    settle(&mut window);
    shot(&mut window, "compare-seeds");
    window.get_by_label("Mean ± std over class orders and seeds");
    window.get_by_label("3");
    window.get_by_label("plugin file, SHA-256");
}
