//! Compare with runs as they lie on disk: which of them count as repetitions of one another.

use std::path::Path;

use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::RunHeader;
use lae_studio::store::RunFolder;
use lae_studio::tensors::Named;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded, settle, shot};

/// A finished run below `root`.
pub fn finished(root: &Path, plugin: &str, change: impl Fn(&mut RunHeader)) {
    let mut header = header();
    change(&mut header);
    let folder = RunFolder::create(root, &mut header, plugin).unwrap();
    for task in 0..header.tasks.len() {
        folder.save_task(&report(task), &Named::new()).unwrap();
    }
    folder.finish(false).unwrap();
}

#[test]
fn seeds_become_mean_and_std_and_another_plugin_text_is_told_apart() {
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

#[test]
fn runs_on_the_same_images_are_held_against_each_other_image_by_image() {
    let runs = tempfile::tempdir().unwrap();
    let of = |seed: u64, known: bool| {
        finished(runs.path(), "", |header| {
            header.config.seed = seed;
            header.started = format!("2026-11-2{seed}T10:00:00Z");
            header.images = known.then(Default::default);
        });
    };
    of(1, true);
    of(2, true);
    let (mut window, _) = recorded([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    settle(&mut window);
    window.get_by_label("Image by image");
    window.get_by_label_contains("are right on the same of the 450 images");
    shot(&mut window, "compare-paired");
    of(3, false);
    window.get_by_label("Reload").click();
    settle(&mut window);
    window.get_by_label_contains("seed 3 does not tell which images it was tested on");
}

#[test]
fn first_tasks_of_other_class_orders_are_not_held_against_each_other() {
    let runs = tempfile::tempdir().unwrap();
    for (method, turned) in [("LAE", false), ("Baseline", true)] {
        finished(runs.path(), "", |header| {
            header.method.title = method.into();
            if turned {
                header.class_order.reverse();
            }
        });
    }
    let (mut window, _) = recorded([1280.0, 1200.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    settle(&mut window);
    shot(&mut window, "compare-orders");
    window.get_by_label("Images of 0, 1.");
    window.get_by_label("Images of 9, 8.");
    window.get_by_label_contains("only runs of the same order are compared");
    assert!(
        window
            .query_by_label_contains("of task 1 rightly")
            .is_none()
    );
}

#[test]
fn a_ninth_tick_is_told_and_a_mean_says_how_many_runs_it_is_of() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..9 {
        finished(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded([1280.0, 2400.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    settle(&mut window);
    window.get_by_label("Compare chosen").click();
    settle(&mut window);
    window.get_by_label_contains("Of the 9 runs the first 8 are compared");
    window.get_by_label("Of all finished runs of the list, ticked or not.");
    // The number of runs listed, and that of the mean.
    assert_eq!(window.query_all_by_label("9").count(), 2);
    let unticked = || {
        let boxes = window.query_all_by_role(egui::Role::CheckBox);
        let off = |tick: &egui_kittest::Node<'_>| {
            tick.accesskit_node().toggled() == Some(egui::accesskit::Toggled::False)
        };
        boxes.filter(off).collect::<Vec<_>>()
    };
    let ninth = unticked();
    assert_eq!(ninth.len(), 1);
    ninth[0].click();
    drop(ninth);
    settle(&mut window);
    window.get_by_label_contains("8 runs are compared already");
}

/// Cuts a run down to its first tasks.
fn shorten(header: &mut RunHeader, tasks: usize) {
    header.tasks.truncate(tasks);
    header.train_images.truncate(tasks);
    header.test_images.truncate(tasks);
    header.class_order.truncate(2 * tasks);
}

#[test]
fn runs_of_one_and_two_tasks_are_compared_in_cells_no_larger_than_those_of_others() {
    for (width, theme) in [(1280.0, ThemeChoice::Dark), (700.0, ThemeChoice::Light)] {
        for listed in [&[1][..], &[2], &[1, 2], &[1, 2, 5]] {
            let runs = tempfile::tempdir().unwrap();
            for (seed, &tasks) in (0..).zip(listed) {
                finished(runs.path(), "", |header| {
                    shorten(header, tasks);
                    header.config.seed = seed;
                });
            }
            let (mut window, _) = recorded([width, 1200.0], theme, runs.path());
            settle(&mut window);
            window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
            settle(&mut window);
            shot(&mut window, &format!("compare-short-{width}-{listed:?}"));
            let shown = window
                .query_all_by_role_and_label(egui::Role::Image, "Accuracy by task")
                .map(|matrix| matrix.rect().size());
            let shown: Vec<egui::Vec2> = shown.collect();
            // Of three runs the two newest are ticked.
            assert_eq!(shown.len(), listed.len().min(2), "{listed:?}");
            for size in shown {
                // A title's worth of words and numbers stands around the cells.
                assert!(size.x >= 90.0 && size.y >= 60.0, "{listed:?}: {size}");
                assert!(size.x <= 262.0 && size.y <= 226.0, "{listed:?}: {size}");
            }
        }
    }
}
