//! Compare with stored runs: grouping, filters, selection and comparability.

use std::path::Path;

use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::Setting;
use lae_studio::run::event::RunHeader;
use lae_studio::store::RunFolder;
use lae_studio::tensors::NamedTensors;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// Stores a finished run below `root`.
pub fn store_finished_run(root: &Path, plugin: &str, change: impl Fn(&mut RunHeader)) {
    let mut header = header();
    change(&mut header);
    let folder = RunFolder::create(root, &mut header, plugin).unwrap();
    for task in 0..header.tasks.len() {
        folder.save_task(&report(task), &NamedTensors::new()).unwrap();
    }
    folder.finish(false).unwrap();
}

#[test]
fn table_groups_seeds_and_warns_of_plugin_differences() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        store_finished_run(runs.path(), "one text", |header| header.config.seed = seed);
    }
    // The newest run is selected at first. It has the same settings, but another plugin file.
    store_finished_run(runs.path(), "another text", |header| {
        header.config.seed = 2;
        header.started = "2026-11-22T10:00:00Z".into();
    });
    let (mut window, _) = recorded_window([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-compare")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "compare-seeds");
    window.get_by_label(tr!("compare-plugin-hash"));
    window.get_by_label(tr!("compare-table")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "compare-table");
    // All four are in one row, with a warning.
    window.get_by_label("1 row");
    assert!(shows!(window, "compare-mixed-settings"));
    window.get_by_label_contains("lugin file");
}

#[test]
fn runs_with_same_name_show_differing_settings() {
    let runs = tempfile::tempdir().unwrap();
    for (learning, alpha, seed) in [(true, 0.5, 0), (false, 0.5, 0), (true, 0.5, 1)] {
        store_finished_run(runs.path(), "", |header| {
            header.config.seed = seed;
            header.config.settings = [
                ("learning".to_string(), Setting::Flag(learning)),
                ("ema".to_string(), Setting::Real(alpha)),
            ]
            .into();
        });
    }
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    // Neither alpha, which is equal in all runs, nor the run whose name contains its seed.
    window.get_by_label("Learning on");
    window.get_by_label("Learning off");
}

#[test]
fn condition_filters_runs_and_reports_errors() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        store_finished_run(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    for (text, expected) in [
        ("seed >= 1", "2 of 3"),
        ("seed = 1 and final > 10", "1 of 3"),
        ("final < 0", "0 of 3"),
        ("final >", "The condition"),
        ("sead > 1", "There is no column `sead`"),
    ] {
        let field = window.get_by_label(tr!("compare-filter-name"));
        field.focus();
        wait_until_idle(&mut window);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.get_by_label(tr!("compare-filter-name")).type_text(text);
        wait_until_idle(&mut window);
        if text == "final >" {
            assert!(shows!(window, "problem-condition-side-missing"));
            continue;
        }
        window.get_by_label_contains(expected);
    }
}

#[test]
fn table_groups_rows_and_compares_with_baseline() {
    let runs = tempfile::tempdir().unwrap();
    for (method, seed) in [("lae", 0), ("lae", 1), ("lae", 2), ("baseline", 0), ("baseline", 1)] {
        store_finished_run(runs.path(), "", |header| {
            header.config.method = method.into();
            header.config.seed = seed;
        });
    }
    let (mut window, _) = recorded_window([1280.0, 1000.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-table")).click();
    wait_until_idle(&mut window);
    window.get_by_label("2 rows");
    window.get_by_label("baseline");
    window.get_by_label("lae");
    window.get_by_label(&tr!("compare-more-actions", name = "baseline")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-rows-with-this")).click();
    wait_until_idle(&mut window);
    window.get_by_label("Final accuracy vs. baseline");
    window.get_by_label(tr!("compare-columns")).click();
    wait_until_idle(&mut window);
    window.get_by_label("Balanced accuracy").click();
    wait_until_idle(&mut window);
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "compare-rows");
    assert!(window.query_all_by_label("Balanced accuracy").count() >= 1);
}

#[test]
fn copies_figure_as_numbers_and_image() {
    let runs = tempfile::tempdir().unwrap();
    store_finished_run(runs.path(), "", |_| {});
    let (mut window, _) = recorded_window([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    let menu = "Copy or save: Accuracy of the selected runs over tasks";
    window.get_by_label(menu).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("figure-copy-numbers")).click();
    wait_until_idle(&mut window);
    window.get_by_label_contains(tr!("shell-copied-numbers"));
    window.get_by_label(menu).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("figure-copy-image")).click();
    wait_until_idle(&mut window);
    window.get_by_label_contains(tr!("shell-copied-image"));
}

#[test]
fn compares_runs_image_by_image_on_same_images() {
    let runs = tempfile::tempdir().unwrap();
    let store_run = |seed: u64, has_images: bool| {
        store_finished_run(runs.path(), "", |header| {
            header.config.seed = seed;
            header.started = format!("2026-11-2{seed}T10:00:00Z");
            header.images = has_images.then(Default::default);
        });
    };
    store_run(1, true);
    store_run(2, true);
    let (mut window, _) = recorded_window([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-image-by-image"));
    assert!(shows!(window, "compare-paired-same-images", n = 450));
    save_screenshot(&mut window, "compare-paired");
    store_run(3, false);
    window.get_by_label(tr!("compare-reload")).click();
    wait_until_idle(&mut window);
    window.get_by_label_contains("seed 3 does not store which images it was tested on");
}

#[test]
fn does_not_compare_first_tasks_across_class_orders() {
    let runs = tempfile::tempdir().unwrap();
    for (method, reversed) in [("LAE", false), ("Baseline", true)] {
        store_finished_run(runs.path(), "", |header| {
            header.method.title = method.into();
            if reversed {
                header.class_order.reverse();
            }
        });
    }
    let (mut window, _) = recorded_window([1280.0, 1200.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "compare-orders");
    // Only one run is shown: the other one has another first task.
    let labels = ["0, 1", "9, 8"].map(|names| tr!("compare-images-of-classes", names));
    let visible = labels.map(|first| window.query_by_label(&first).is_some());
    assert_ne!(visible[0], visible[1], "{visible:?}");
    assert!(
        !shows!(window, "compare-still-recognise")
            && !shows!(window, "compare-both-still-recognise")
    );
}

#[test]
fn shows_at_most_64_selected_runs() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..65 {
        store_finished_run(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded_window([1280.0, 9000.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("compare-selected", n = 65));
    assert!(shows!(window, "compare-first-runs", most = 64, n = 65));
    // With one run fewer, all are shown.
    let boxes: Vec<_> = window.query_all_by_role(egui::Role::CheckBox).collect();
    boxes[0].click();
    drop(boxes);
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("compare-selected", n = 64));
    assert!(!shows!(window, "compare-first-runs"));
}

#[test]
fn selection_serves_comparison_and_run_actions() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        store_finished_run(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded_window([1280.0, 1000.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    // The two newest are selected automatically; Delete does not remove them.
    window.get_by_label(&tr!("compare-selected", n = 2));
    window.key_press(egui::Key::Delete);
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.rows().count(), 3);
    // A click on a row selects only that run, and the actions apply to it.
    let row = |window: &egui_kittest::Harness<'_, lae_studio::ui::app::StudioApp>| {
        let boxes = window.query_all_by_role(egui::Role::CheckBox);
        let rect = boxes.last().unwrap().rect();
        egui::pos2(rect.right() + 200.0, rect.bottom() + 8.0)
    };
    let row_pos = row(&window);
    window.hover_at(row_pos);
    window.drag_at(row_pos);
    window.drop_at(row_pos);
    wait_until_idle(&mut window);
    assert_absent!(window, "compare-selected", n = 2);
    window.get_by_label(tr!("compare-duplicate"));
    let checked = window
        .query_all_by_role(egui::Role::CheckBox)
        .map(|tick| tick.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True));
    assert_eq!(checked.collect::<Vec<_>>(), [false, false, true]);
    save_screenshot(&mut window, "compare-one");
    // Escape keeps the user's selection.
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-duplicate"));
    // A right click anywhere on a row opens a menu with the same actions.
    let title = window.query_all_by_role(egui::Role::CheckBox).last();
    let title = title.unwrap().rect().right_center() + egui::vec2(40.0, 0.0);
    for pos in [title, row_pos] {
        let click = |pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Secondary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        window.hover_at(pos);
        window.event(click(true));
        window.event(click(false));
        wait_until_idle(&mut window);
        assert_eq!(window.query_all_by_label(tr!("compare-duplicate")).count(), 2, "{pos}");
        window.key_press(egui::Key::Escape);
        wait_until_idle(&mut window);
    }
    // A double click on the title opens the run. Separate frames would be too far apart.
    let click = |pressed| egui::Event::PointerButton {
        pos: title,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    window.hover_at(title);
    wait_until_idle(&mut window);
    let clicks = [true, false, true, false].map(click);
    window.input_mut().events.extend(clicks);
    wait_until_idle(&mut window);
    assert!(window.state().session.train.opened.is_some());
}

/// Keeps only the first tasks of a run.
fn keep_first_tasks(header: &mut RunHeader, tasks: usize) {
    header.tasks.truncate(tasks);
    header.train_images.truncate(tasks);
    header.test_images.truncate(tasks);
    header.class_order.truncate(2 * tasks);
}

#[test]
fn accuracy_matrices_of_short_runs_have_bounded_size() {
    for (width, theme) in [(1280.0, ThemeChoice::Dark), (700.0, ThemeChoice::Light)] {
        for task_counts in [&[1][..], &[2], &[1, 2], &[1, 2, 5]] {
            let runs = tempfile::tempdir().unwrap();
            for (seed, &tasks) in (0..).zip(task_counts) {
                store_finished_run(runs.path(), "", |header| {
                    keep_first_tasks(header, tasks);
                    header.config.seed = seed;
                });
            }
            let (mut window, _) = recorded_window([width, 1200.0], theme, runs.path());
            wait_until_idle(&mut window);
            window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
            wait_until_idle(&mut window);
            save_screenshot(&mut window, &format!("compare-short-{width}-{task_counts:?}"));
            let matrices = window
                .query_all_by_role_and_label(egui::Role::Image, tr!("figure-accuracy-matrix"))
                .map(|matrix| matrix.rect().size());
            let sizes: Vec<egui::Vec2> = matrices.collect();
            // The two newest of three runs are selected.
            assert_eq!(sizes.len(), task_counts.len().min(2), "{task_counts:?}");
            for size in sizes {
                // Titles and numbers surround the cells.
                assert!(size.x >= 90.0 && size.y >= 60.0, "{task_counts:?}: {size}");
                assert!(size.x <= 290.0 && size.y <= 226.0, "{task_counts:?}: {size}");
            }
        }
    }
}

#[test]
fn selects_comparable_runs_and_reports_incomparable_ones() {
    let runs = tempfile::tempdir().unwrap();
    let run = |method: &str, title: &str, reversed: bool| {
        store_finished_run(runs.path(), "", |header| {
            header.config.method = method.into();
            header.method.title = title.into();
            header.about.name = String::new();
            if reversed {
                header.class_order.reverse();
                header.started = "2026-11-20T10:00:00Z".into();
            }
        });
    };
    run("lae", "LAE", false);
    run("baseline", "Baseline", false);
    run("l2p", "L2P", true);
    let (mut window, _) = recorded_window([1024.0, 768.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    assert_absent!(window, "compare-not-comparable");
    let side_by_side = window.get_by_label(tr!("compare-side-by-side")).rect();
    let list = window.get_by_label(tr!("compare-filter-name")).rect();
    assert!(side_by_side.left() > list.right() && side_by_side.top() < 200.0);
    let is_unchecked = |node: &egui_kittest::Node<'_>| {
        node.accesskit_node().toggled() == Some(egui::accesskit::Toggled::False)
    };
    let checkboxes: Vec<_> =
        window.query_all_by_role(egui::Role::CheckBox).filter(is_unchecked).collect();
    assert_eq!(checkboxes.len(), 1, "the comparable pair is selected");
    checkboxes[0].click();
    drop(checkboxes);
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "compare-unequal");
    window.get_by_label(tr!("compare-not-comparable"));
    window.get_by_label_contains(&tr!("compare-first-task", names = "9, 8"));
    window.get_by_label(tr!("compare-show-instead")).click();
    wait_until_idle(&mut window);
    assert_absent!(window, "compare-not-comparable");
}

/// Every page with two runs of several methods: two seconds after it was drawn, it is not repainted
/// all the time.
#[test]
fn idle_pages_do_not_repaint() {
    let runs = tempfile::tempdir().unwrap();
    for method in ["lae", "baseline"] {
        store_finished_run(runs.path(), "", |header| {
            header.config.method = method.into();
        });
    }
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Compare));
    wait_until_idle(&mut window);
    let boxes = window.get_all_by_role(egui::Role::CheckBox);
    let unchecked = boxes
        .filter(|node| node.accesskit_node().toggled() == Some(egui::accesskit::Toggled::False));
    unchecked.for_each(|node| node.click());
    window.run_steps(4);
    assert!(shows!(window, "compare-selected", n = 2));
    for (page, ..) in Page::ALL {
        let ctx = window.ctx.clone();
        window.state_mut().execute(&ctx, UiCommand::Show(page));
        wait_until_idle(&mut window);
        window.run_steps(120);
        let delay = window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
        let causes = window.ctx.repaint_causes();
        assert!(delay.as_secs_f32() > 0.1, "{page:?}: {delay:?} {causes:?}");
    }
}
