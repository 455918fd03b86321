//! Compare with stored runs: grouping, filters, selection and comparability.

use std::path::Path;

use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::Setting;
use lae_studio::run::event::RunHeader;
use lae_studio::store::RunFolder;
use lae_studio::tensors::Named;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded, settle, shot};

/// Stores a finished run below `root`.
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
fn table_groups_seeds_and_warns_of_plugin_differences() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        finished(runs.path(), "one text", |header| header.config.seed = seed);
    }
    // The newest run is selected at first. It has the same settings, but another plugin file.
    finished(runs.path(), "another text", |header| {
        header.config.seed = 2;
        header.started = "2026-11-22T10:00:00Z".into();
    });
    let (mut window, _) = recorded([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window
        .get_by_role_and_label(egui::Role::Tab, tr!("page-compare"))
        .click();
    settle(&mut window);
    shot(&mut window, "compare-seeds");
    window.get_by_label(tr!("compare-plugin-hash"));
    window.get_by_label(tr!("compare-table")).click();
    settle(&mut window);
    shot(&mut window, "compare-table");
    // All four are in one row, with a warning.
    window.get_by_label("1 row");
    assert!(shows!(window, "compare-mixed-settings"));
    window.get_by_label_contains("lugin file");
}

#[test]
fn runs_with_same_name_show_differing_settings() {
    let runs = tempfile::tempdir().unwrap();
    for (learning, alpha, seed) in [(true, 0.5, 0), (false, 0.5, 0), (true, 0.5, 1)] {
        finished(runs.path(), "", |header| {
            header.config.seed = seed;
            header.config.settings = [
                ("learning".to_string(), Setting::Flag(learning)),
                ("ema".to_string(), Setting::Real(alpha)),
            ]
            .into();
        });
    }
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    // Neither alpha, which is equal in all runs, nor the run whose name contains its seed.
    window.get_by_label("Learning on");
    window.get_by_label("Learning off");
}

#[test]
fn condition_filters_runs_and_reports_errors() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        finished(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    for (text, shown) in [
        ("seed >= 1", "2 of 3"),
        ("seed = 1 and final > 10", "1 of 3"),
        ("final < 0", "0 of 3"),
        ("final >", "The condition"),
        ("sead > 1", "There is no column `sead`"),
    ] {
        let field = window.get_by_label(tr!("compare-filter-name"));
        field.focus();
        settle(&mut window);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window
            .get_by_label(tr!("compare-filter-name"))
            .type_text(text);
        settle(&mut window);
        if text == "final >" {
            assert!(shows!(window, "problem-condition-side-missing"));
            continue;
        }
        window.get_by_label_contains(shown);
    }
}

#[test]
fn table_groups_rows_and_compares_with_baseline() {
    let runs = tempfile::tempdir().unwrap();
    for (method, seed) in [
        ("lae", 0),
        ("lae", 1),
        ("lae", 2),
        ("baseline", 0),
        ("baseline", 1),
    ] {
        finished(runs.path(), "", |header| {
            header.config.method = method.into();
            header.config.seed = seed;
        });
    }
    let (mut window, _) = recorded([1280.0, 1000.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    window.get_by_label(tr!("compare-table")).click();
    settle(&mut window);
    window.get_by_label("2 rows");
    window.get_by_label("baseline");
    window.get_by_label("lae");
    window
        .get_by_label(&tr!("compare-more-actions", name = "baseline"))
        .click();
    settle(&mut window);
    window.get_by_label(tr!("compare-rows-with-this")).click();
    settle(&mut window);
    window.get_by_label("Final accuracy vs. baseline");
    window.get_by_label(tr!("compare-columns")).click();
    settle(&mut window);
    window.get_by_label("Balanced accuracy").click();
    settle(&mut window);
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    shot(&mut window, "compare-rows");
    assert!(window.query_all_by_label("Balanced accuracy").count() >= 1);
}

#[test]
fn copies_figure_as_numbers_and_image() {
    let runs = tempfile::tempdir().unwrap();
    finished(runs.path(), "", |_| {});
    let (mut window, _) = recorded([1280.0, 1200.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    let menu = "Copy or save: Accuracy of the selected runs over tasks";
    window.get_by_label(menu).click();
    settle(&mut window);
    window.get_by_label(tr!("figure-copy-numbers")).click();
    settle(&mut window);
    window.get_by_label_contains(tr!("shell-copied-numbers"));
    window.get_by_label(menu).click();
    settle(&mut window);
    window.get_by_label(tr!("figure-copy-image")).click();
    settle(&mut window);
    window.get_by_label_contains(tr!("shell-copied-image"));
}

#[test]
fn compares_runs_image_by_image_on_same_images() {
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
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    window.get_by_label(tr!("compare-image-by-image"));
    assert!(shows!(window, "compare-paired-same-images", n = 450));
    shot(&mut window, "compare-paired");
    of(3, false);
    window.get_by_label(tr!("compare-reload")).click();
    settle(&mut window);
    window.get_by_label_contains("seed 3 does not store which images it was tested on");
}

#[test]
fn does_not_compare_first_tasks_across_class_orders() {
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
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    shot(&mut window, "compare-orders");
    // Only one run is shown: the other one has another first task.
    let firsts = ["0, 1", "9, 8"].map(|names| tr!("compare-images-of-classes", names));
    let shown = firsts.map(|first| window.query_by_label(&first).is_some());
    assert_ne!(shown[0], shown[1], "{shown:?}");
    assert!(
        !shows!(window, "compare-still-recognise")
            && !shows!(window, "compare-both-still-recognise")
    );
}

#[test]
fn shows_at_most_64_selected_runs() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..65 {
        finished(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded([1280.0, 9000.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    settle(&mut window);
    window.get_by_label(&tr!("compare-selected", n = 65));
    assert!(shows!(window, "compare-first-runs", most = 64, n = 65));
    // With one run fewer, all are shown.
    let boxes: Vec<_> = window.query_all_by_role(egui::Role::CheckBox).collect();
    boxes[0].click();
    drop(boxes);
    settle(&mut window);
    window.get_by_label(&tr!("compare-selected", n = 64));
    assert!(!shows!(window, "compare-first-runs"));
}

#[test]
fn selection_serves_comparison_and_run_actions() {
    let runs = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        finished(runs.path(), "", |header| header.config.seed = seed);
    }
    let (mut window, _) = recorded([1280.0, 1000.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    // The two newest are selected automatically; Delete does not remove them.
    window.get_by_label(&tr!("compare-selected", n = 2));
    window.key_press(egui::Key::Delete);
    settle(&mut window);
    assert_eq!(window.state().session.rows().count(), 3);
    // A click on a row selects only that run, and the actions apply to it.
    let row = |window: &egui_kittest::Harness<'_, lae_studio::ui::app::StudioApp>| {
        let boxes = window.query_all_by_role(egui::Role::CheckBox);
        let place = boxes.last().unwrap().rect();
        egui::pos2(place.right() + 200.0, place.bottom() + 8.0)
    };
    let at = row(&window);
    window.hover_at(at);
    window.drag_at(at);
    window.drop_at(at);
    settle(&mut window);
    assert_absent!(window, "compare-selected", n = 2);
    window.get_by_label(tr!("compare-duplicate"));
    let chosen = window
        .query_all_by_role(egui::Role::CheckBox)
        .map(|tick| tick.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True));
    assert_eq!(chosen.collect::<Vec<_>>(), [false, false, true]);
    shot(&mut window, "compare-one");
    // Escape keeps the user's selection.
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    window.get_by_label(tr!("compare-duplicate"));
    // A right click anywhere on a row opens a menu with the same actions.
    let title = window.query_all_by_role(egui::Role::CheckBox).last();
    let title = title.unwrap().rect().right_center() + egui::vec2(40.0, 0.0);
    for at in [title, at] {
        let click = |pressed| egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Secondary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        window.hover_at(at);
        window.event(click(true));
        window.event(click(false));
        settle(&mut window);
        assert_eq!(
            window.query_all_by_label(tr!("compare-duplicate")).count(),
            2,
            "{at}"
        );
        window.key_press(egui::Key::Escape);
        settle(&mut window);
    }
    // A double click on the title opens the run. Separate frames would be too far apart.
    let click = |pressed| egui::Event::PointerButton {
        pos: title,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    window.hover_at(title);
    settle(&mut window);
    let both = [true, false, true, false].map(click);
    window.input_mut().events.extend(both);
    settle(&mut window);
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
        for listed in [&[1][..], &[2], &[1, 2], &[1, 2, 5]] {
            let runs = tempfile::tempdir().unwrap();
            for (seed, &tasks) in (0..).zip(listed) {
                finished(runs.path(), "", |header| {
                    keep_first_tasks(header, tasks);
                    header.config.seed = seed;
                });
            }
            let (mut window, _) = recorded([width, 1200.0], theme, runs.path());
            settle(&mut window);
            window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
            settle(&mut window);
            shot(&mut window, &format!("compare-short-{width}-{listed:?}"));
            let shown = window
                .query_all_by_role_and_label(egui::Role::Image, tr!("figure-accuracy-matrix"))
                .map(|matrix| matrix.rect().size());
            let shown: Vec<egui::Vec2> = shown.collect();
            // The two newest of three runs are selected.
            assert_eq!(shown.len(), listed.len().min(2), "{listed:?}");
            for size in shown {
                // Titles and numbers surround the cells.
                assert!(size.x >= 90.0 && size.y >= 60.0, "{listed:?}: {size}");
                assert!(size.x <= 290.0 && size.y <= 226.0, "{listed:?}: {size}");
            }
        }
    }
}

#[test]
fn selects_comparable_runs_and_reports_incomparable_ones() {
    let runs = tempfile::tempdir().unwrap();
    let run = |method: &str, title: &str, reversed: bool| {
        finished(runs.path(), "", |header| {
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
    let (mut window, _) = recorded([1024.0, 768.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    assert_absent!(window, "compare-not-comparable");
    let beside = window.get_by_label(tr!("compare-side-by-side")).rect();
    let list = window.get_by_label(tr!("compare-filter-name")).rect();
    assert!(beside.left() > list.right() && beside.top() < 200.0);
    let open = |node: &egui_kittest::Node<'_>| {
        node.accesskit_node().toggled() == Some(egui::accesskit::Toggled::False)
    };
    let ticks: Vec<_> = window
        .query_all_by_role(egui::Role::CheckBox)
        .filter(open)
        .collect();
    assert_eq!(ticks.len(), 1, "the comparable pair is selected");
    ticks[0].click();
    drop(ticks);
    settle(&mut window);
    shot(&mut window, "compare-unequal");
    window.get_by_label(tr!("compare-not-comparable"));
    window.get_by_label_contains(&tr!("compare-first-task", names = "9, 8"));
    window.get_by_label(tr!("compare-show-instead")).click();
    settle(&mut window);
    assert_absent!(window, "compare-not-comparable");
}

/// Every page with two runs of several methods: two seconds after it was drawn, it is not repainted
/// all the time.
#[test]
fn idle_pages_do_not_repaint() {
    let runs = tempfile::tempdir().unwrap();
    for method in ["lae", "baseline"] {
        finished(runs.path(), "", |header| {
            header.config.method = method.into();
        });
    }
    let (mut window, _) = recorded([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().act(&ctx, UiCommand::Show(Page::Compare));
    settle(&mut window);
    let boxes = window.get_all_by_role(egui::Role::CheckBox);
    let free = boxes
        .filter(|node| node.accesskit_node().toggled() == Some(egui::accesskit::Toggled::False));
    free.for_each(|node| node.click());
    window.run_steps(4);
    assert!(shows!(window, "compare-selected", n = 2));
    for (page, ..) in Page::ALL {
        let ctx = window.ctx.clone();
        window.state_mut().act(&ctx, UiCommand::Show(page));
        settle(&mut window);
        window.run_steps(120);
        let delay = window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
        let causes = window.ctx.repaint_causes();
        assert!(delay.as_secs_f32() > 0.1, "{page:?}: {delay:?} {causes:?}");
    }
}
