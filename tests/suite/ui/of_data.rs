//! Batch, epochs, crops, tasks and order belong to the data set they were chosen for.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::session::backend::Recorded;
use lae_studio::session::presets;
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::{open_steps, recorded, settle, shot, window};
use crate::data::Made;

fn choose_data(window: &mut Harness<'_, StudioApp>, data: &str) {
    let ctx = window.ctx.clone();
    let command = UiCommand::ChooseData(data.into());
    window.state_mut().act(&ctx, command);
    settle(window);
}

fn draft(window: &Harness<'_, StudioApp>) -> RunConfig {
    window.state().session.experiment.draft.clone()
}

#[test]
fn small_folder_gets_suitable_settings_of_its_own() {
    let made = numbered_classes();
    let place = made.path().display().to_string();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    choose_data(&mut window, &place);
    let small = draft(&window);
    assert!(window.state().session.experiment.plan.problems.is_empty());
    assert!(small.batch < 20 && small.epochs > 5, "{small:?}");
    assert_eq!(small.classes_per_task, "4");
    let tasks = &window.state().session.experiment.plan.tasks;
    assert_eq!(tasks, &[["class_1", "class_2", "class_10", "class_20"]]);
    assert!(
        shows!(window, "remark-settings-chosen")
            || shows!(window, "remark-settings-chosen-more-steps")
    );
    shot(&mut window, "small-folder");
    // Changes by the user apply only to this data set.
    window.state_mut().session.experiment.draft.batch = 7;
    choose_data(&mut window, "digits");
    let digits = draft(&window);
    let usual = RunConfig::default();
    assert_eq!((digits.batch, digits.epochs), (usual.batch, usual.epochs));
    assert_eq!(
        (&digits.order, &digits.settings),
        (&usual.order, &usual.settings)
    );
    assert!(
        !shows!(window, "remark-settings-chosen")
            && !shows!(window, "remark-settings-chosen-more-steps")
    );
    choose_data(&mut window, "letters");
    assert_eq!(draft(&window).classes_per_task, "6,5,5,5,5");
    choose_data(&mut window, &place);
    assert_eq!(
        (draft(&window).batch, draft(&window).epochs),
        (7, small.epochs)
    );
}

/// Four classes with numbers in their names and twelve images each.
fn numbered_classes() -> Made {
    let made = Made::new();
    for class in ["class_1", "class_2", "class_10", "class_20"] {
        made.class(class, 12);
    }
    made
}

/// Opens a window with this data set, as `--data` and the file manager do.
fn opened_with(kept: RunConfig, data: &str, runs: &Path) -> Harness<'static, StudioApp> {
    let (data, runs) = (data.to_string(), runs.to_path_buf());
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::<Recorded>::default();
        let mut session = Session::with(backend, Disk::at(runs), kept, wake);
        session.begin_with(&data);
        session
    });
    settle(&mut window);
    window
}

#[test]
fn window_opened_with_folder_gets_suitable_settings() {
    let (made, runs) = (numbered_classes(), tempfile::tempdir().unwrap());
    let place = made.path().display().to_string();
    let kept = RunConfig {
        classes_per_task: "6,5,5,5,5".into(),
        data: "letters".into(),
        seed: 7,
        ..RunConfig::default()
    };
    let window = opened_with(kept, &format!("{place}/"), runs.path());
    let first = draft(&window);
    assert_eq!((&first.data, &*first.classes_per_task), (&place, "4"));
    assert_eq!((&*first.order, first.seed), ("0,2,1,3", 7));
    assert!(first.epochs > 5, "{first:?}");
    assert!(
        shows!(window, "remark-settings-chosen")
            || shows!(window, "remark-settings-chosen-more-steps")
    );
    // Changes by the user are restored when the folder is opened again.
    let mine = RunConfig {
        classes_per_task: "3,1".into(),
        ..first
    };
    let window = opened_with(mine.clone(), &place, runs.path());
    assert_eq!(draft(&window), mine);
}

#[test]
fn changed_folder_updates_settings_unless_user_edited() {
    let (made, runs) = (numbered_classes(), tempfile::tempdir().unwrap());
    let place = made.path().display().to_string();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    choose_data(&mut window, &place);
    made.class("class_3", 12);
    choose_data(&mut window, &place);
    assert_eq!(draft(&window).order, "0,2,4,1,3");
    assert_eq!(draft(&window).classes_per_task, "5");
    window.state_mut().session.experiment.draft.classes_per_task = "3,2".into();
    made.class("class_4", 12);
    choose_data(&mut window, &place);
    assert_eq!(draft(&window).classes_per_task, "3,2");
}

#[test]
fn preset_shows_changes_and_can_reset() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.state_mut().session.experiment.draft.batch = 3;
    window
        .get_by_role_and_label(egui::Role::Button, tr!("data-letters"))
        .click();
    settle(&mut window);
    assert_eq!(draft(&window).batch, 24);
    window.get_by_label("Preset: Letters");
    window.state_mut().session.experiment.draft.batch = 3;
    settle(&mut window);
    window.get_by_label("Letters, changed: Batch");
    shot(&mut window, "preset-changed");
    window
        .get_by_label(tr!("experiment-reset-settings"))
        .click();
    settle(&mut window);
    assert_eq!(draft(&window).batch, 24);
    window.get_by_label("Preset: Letters");
    // The preset of a pair sets up both runs without starting them.
    window.get_by_label("Forgetting demo").click();
    settle(&mut window);
    assert!(!window.state().session.is_training());
    window.get_by_label(tr!("experiment-start-both"));
    window.get_by_label("Quick demo: digits").click();
    settle(&mut window);
    window.get_by_label(tr!("experiment-start"));
}

/// A folder like ImageNet-R's: 200 classes, two images each.
fn imagenet_r_folder() -> Made {
    let made = Made::new();
    for class in 0..200 {
        made.class(&format!("n{class:08}"), 2);
    }
    made
}

#[test]
fn random_split_of_paper_preset_is_reported() {
    let (plain, listed) = (imagenet_r_folder(), imagenet_r_folder());
    let list = |picture: u32| -> String {
        let lines = (0..200).map(|class| format!("n{class:08}/{picture:03}.png {class}\n"));
        lines.collect()
    };
    listed.file("train_list.txt", list(0));
    listed.file("val_list.txt", list(1));
    for (made, told) in [(&plain, true), (&listed, false)] {
        let runs = tempfile::tempdir().unwrap();
        let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
        settle(&mut window);
        choose_data(&mut window, &made.path().display().to_string());
        let words = "is split at random, so the results are not comparable with the paper's";
        // Other settings on this data are not compared with the paper.
        assert!(window.query_by_label_contains(words).is_none());
        let preset = presets::named("imagenet-r-10").unwrap();
        let ctx = window.ctx.clone();
        window.state_mut().act(&ctx, preset.into());
        settle(&mut window);
        assert_eq!(draft(&window).data, made.path().display().to_string());
        window.get_by_label("Preset: ImageNet-R, 10 tasks");
        assert_eq!(window.query_by_label_contains(words).is_some(), told);
        if told {
            shot(&mut window, "other-split");
        }
    }
}

#[test]
fn folder_is_one_task_unless_user_chooses_stages() {
    let made = Made::new();
    for class in ["a", "b", "c", "d"] {
        made.class(class, 12);
    }
    let place = made.path().display().to_string();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    assert_absent!(window, "data-class-arrival");
    choose_data(&mut window, &place);
    let at_once = draft(&window);
    assert_eq!(at_once.classes_per_task, "4");
    assert_absent!(window, "experiment-one-task", n = 4);
    window
        .get_by_label(tr!("data-class-arrival-stages"))
        .click();
    settle(&mut window);
    assert_eq!(draft(&window).classes_per_task, "2");
    // The batch size suits the smaller tasks.
    assert!(draft(&window).batch < at_once.batch);
    shot(&mut window, "in-stages");
    // A task size above the number of classes makes one task, which shows no forgetting.
    assert_absent!(window, "experiment-one-task", n = 4);
    let sizes = Setting::Text("999999".into());
    window
        .state_mut()
        .session
        .set("classes_per_task", Some(sizes));
    settle(&mut window);
    window.get_by_label(&tr!("experiment-one-task", n = 4));
    shot(&mut window, "one-task");
    window
        .get_by_label(&tr!("experiment-use-sizes", sizes = "2"))
        .click();
    settle(&mut window);
    assert_eq!(draft(&window).classes_per_task, "2");
    assert_absent!(window, "experiment-one-task", n = 4);
    // Another window with the same runs folder uses this choice.
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    choose_data(&mut window, &place);
    assert_eq!(draft(&window).classes_per_task, "2");
    assert_eq!(
        lae_studio::store::all_at_once(runs.path(), &place).unwrap(),
        Some(false)
    );
}

#[test]
fn out_of_range_numbers_are_reported_not_clamped() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    open_steps(&mut window);
    for (field, number, told) in [
        ("Epochs", "20000", "Give at most 10000."),
        ("Epochs", "0", "Give at least 1."),
        ("Frozen epochs", "99999999", ""),
        ("α", "1.5", "1.5"),
    ] {
        let place = |window: &Harness<'_, StudioApp>| {
            let field = window.get_by_role_and_label(egui::Role::SpinButton, field);
            field.rect().center()
        };
        let before = draft(&window);
        let at = place(&window);
        window.hover_at(at);
        window.drag_at(at);
        window.drop_at(at);
        window.run_steps(3);
        window.event(egui::Event::Text(number.into()));
        window.run_steps(2);
        window.key_press(egui::Key::Enter);
        settle(&mut window);
        shot(&mut window, &format!("beyond-{number}"));
        let problems = &window.state().session.experiment.plan.problems;
        assert!(!problems.is_empty(), "{field} {number}");
        assert!(!window.state().session.can_start());
        assert!(
            window.query_all_by_label_contains(told).next().is_some(),
            "{told}"
        );
        window.state_mut().session.experiment.draft = before;
        settle(&mut window);
        assert!(window.state().session.can_start());
    }
}
