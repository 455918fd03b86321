//! The six pages in both themes, compared with the images in `tests/snapshots`. After an intended change,
//! `UPDATE_SNAPSHOTS=true cargo test --release --test suite pictures` rewrites them; review the new images.

use std::path::PathBuf;

use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, SnapshotOptions, SnapshotResults, try_image_snapshot_options};
use lae_studio::pet::library::user_folder;
use lae_studio::run::event::{Command, Event};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::lessons;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::compare::store_finished_run;
use super::synthetic::{events, prediction};
use super::{flow, recorded_window, render_window, wait_until_idle};
use crate::skip::skip;

const SIZE: [f32; 2] = [1280.0, 800.0];
/// The number of pixels that may differ, because adapters round thin lines differently.
const MAX_FAILED_PIXELS: usize = 100;
/// Parts of labels that depend on the machine or the time. Their lines are not compared.
const IGNORED_LINES: [&str; 4] = [" · finished", "of memory, plus images", " starts: ", " saved, "];
/// Parts of labels with paths that may wrap. Everything below them is not compared.
const IGNORED_BELOW: [&str; 2] = ["To add your own lessons", "Your plugin folder"];

/// Opens the page, fills it with `fill` and compares it with its snapshots.
fn assert_page_matches(page: Page, fill: impl Fn(&mut Harness<'_, StudioApp>, &RecordedBackend)) {
    if !cfg!(target_os = "linux") {
        return skip("the stored snapshots are those of Linux");
    }
    let has_entries =
        |folder: PathBuf| std::fs::read_dir(folder).is_ok_and(|mut list| list.next().is_some());
    if user_folder().is_some_and(has_entries)
        || lessons::read_entries().iter().any(|entry| !entry.is_built_in)
    {
        return skip(
            "this account has plugins or lessons of its own, which the stored snapshots do not show",
        );
    }
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        store_finished_run(runs.path(), "", |header| {
            header.config.seed = seed;
            header.started = format!("2026-11-2{seed}T10:00:00Z");
        });
    }
    let mut results = SnapshotResults::new();
    for (theme, name) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
        let (mut window, backend) = recorded_window(SIZE, theme, runs.path());
        wait_until_idle(&mut window);
        let (_, _, key) = Page::ALL[page as usize];
        let title = page.title();
        window.key_press_modifiers(egui::Modifiers::COMMAND, key);
        wait_until_idle(&mut window);
        fill(&mut window, &backend);
        wait_until_idle(&mut window);
        assert_eq!(window.state().page, page);
        let Some(mut screenshot) = render_window(&mut window) else {
            return;
        };
        // The right part of the bar names this machine.
        paint_over(
            &mut screenshot,
            egui::Rect::from_min_max([560.0, 0.0].into(), [1280.0, 44.0].into()),
        );
        for words in IGNORED_LINES {
            for node in window.query_all_by_label_contains(words) {
                paint_over(&mut screenshot, node.rect().expand2([130.0, 0.0].into()));
            }
        }
        for words in IGNORED_BELOW {
            let Some(node) = window.query_by_label_contains(words) else {
                continue;
            };
            let below = egui::Rect::everything_below(node.rect().top());
            paint_over(&mut screenshot, below);
        }
        let name = format!("{}-{name}", title.to_lowercase());
        let options = SnapshotOptions::new().max_failed_pixels(MAX_FAILED_PIXELS);
        results.add(try_image_snapshot_options(&screenshot, name, &options));
    }
}

/// Paints over an area.
fn paint_over(image: &mut image::RgbaImage, area: egui::Rect) {
    let (width, height) = image.dimensions();
    let clamp = |x: f32, max_value: u32| (x.max(0.0) as u32).min(max_value);
    for y in clamp(area.top().floor(), height)..clamp(area.bottom().ceil(), height) {
        for x in clamp(area.left().floor(), width)..clamp(area.right().ceil(), width) {
            image.put_pixel(x, y, image::Rgba([128, 128, 128, 255]));
        }
    }
}

#[test]
fn experiment_page_matches_snapshot() {
    assert_page_matches(Page::Experiment, |_, _| {});
}

#[test]
fn train_page_matches_snapshot() {
    assert_page_matches(Page::Train, |_, backend| {
        events(4).into_iter().for_each(|event| backend.push(event));
    });
}

#[test]
fn compare_page_matches_snapshot() {
    assert_page_matches(Page::Compare, |_, _| {});
}

#[test]
fn predict_page_matches_snapshot() {
    assert_page_matches(Page::Predict, |window, backend| {
        events(4).into_iter().for_each(|event| backend.push(event));
        wait_until_idle(window);
        flow::draw_seven(window);
        wait_until_idle(window);
        let commands = backend.commands();
        let Some(Command::Predict(request)) = commands.last() else {
            panic!("the drawing requested no prediction");
        };
        for &task in &request.tasks {
            let answer = prediction(request.ticket, task);
            backend.push(Event::Predicted(Box::new(answer)));
        }
    });
}

#[test]
fn plugins_page_matches_snapshot() {
    assert_page_matches(Page::Plugins, |_, _| {});
}

#[test]
fn learn_page_matches_snapshot() {
    assert_page_matches(Page::Learn, |_, _| {});
}
