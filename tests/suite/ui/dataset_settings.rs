//! Batch, epochs, crops, tasks and order belong to the data set they were chosen for.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::presets;
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::{open_steps, recorded_window, save_screenshot, wait_until_idle, window};
use crate::data::DatasetFixture;

fn choose_data(window: &mut Harness<'_, StudioApp>, data: &str) {
    let ctx = window.ctx.clone();
    let command = UiCommand::ChooseData(data.into());
    window.state_mut().execute(&ctx, command);
    wait_until_idle(window);
}

fn draft(window: &Harness<'_, StudioApp>) -> RunConfig {
    window.state().session.experiment.draft.clone()
}

#[test]
fn small_folder_gets_suitable_settings_of_its_own() {
    let image_folder = numbered_classes();
    let data_path = image_folder.path().display().to_string();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    choose_data(&mut window, &data_path);
    let suitable = draft(&window);
    assert!(window.state().session.experiment.plan.problems.is_empty());
    assert!(suitable.batch < 20 && suitable.epochs > 5, "{suitable:?}");
    assert_eq!(suitable.classes_per_task, "4");
    let tasks = &window.state().session.experiment.plan.tasks;
    assert_eq!(tasks, &[["class_1", "class_2", "class_10", "class_20"]]);
    assert!(
        shows!(window, "remark-settings-chosen")
            || shows!(window, "remark-settings-chosen-more-steps")
    );
    save_screenshot(&mut window, "small-folder");
    // Changes by the user apply only to this data set.
    window.state_mut().session.experiment.draft.batch = 7;
    choose_data(&mut window, "digits");
    let digits = draft(&window);
    let defaults = RunConfig::default();
    assert_eq!((digits.batch, digits.epochs), (defaults.batch, defaults.epochs));
    assert_eq!((&digits.order, &digits.settings), (&defaults.order, &defaults.settings));
    assert!(
        !shows!(window, "remark-settings-chosen")
            && !shows!(window, "remark-settings-chosen-more-steps")
    );
    choose_data(&mut window, "letters");
    assert_eq!(draft(&window).classes_per_task, "6,5,5,5,5");
    choose_data(&mut window, &data_path);
    assert_eq!((draft(&window).batch, draft(&window).epochs), (7, suitable.epochs));
}

/// Four classes with numbers in their names and twelve images each.
fn numbered_classes() -> DatasetFixture {
    let image_folder = DatasetFixture::new();
    for class in ["class_1", "class_2", "class_10", "class_20"] {
        image_folder.write_class(class, 12);
    }
    image_folder
}

/// Opens a window with this data set, as `--data` and the file manager do.
fn open_window_with(config: RunConfig, data: &str, runs: &Path) -> Harness<'static, StudioApp> {
    let (data, runs) = (data.to_string(), runs.to_path_buf());
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::<RecordedBackend>::default();
        let mut session = Session::with_backend(backend, Disk::new(runs), config, wake);
        session.select_initial_data(&data);
        session
    });
    wait_until_idle(&mut window);
    window
}

#[test]
fn window_opened_with_folder_gets_suitable_settings() {
    let (image_folder, runs) = (numbered_classes(), tempfile::tempdir().unwrap());
    let data_path = image_folder.path().display().to_string();
    let config = RunConfig {
        classes_per_task: "6,5,5,5,5".into(),
        data: "letters".into(),
        seed: 7,
        ..RunConfig::default()
    };
    let window = open_window_with(config, &format!("{data_path}/"), runs.path());
    let first = draft(&window);
    assert_eq!((&first.data, &*first.classes_per_task), (&data_path, "4"));
    assert_eq!((&*first.order, first.seed), ("0,2,1,3", 7));
    assert!(first.epochs > 5, "{first:?}");
    assert!(
        shows!(window, "remark-settings-chosen")
            || shows!(window, "remark-settings-chosen-more-steps")
    );
    // Changes by the user are restored when the folder is opened again.
    let user_config = RunConfig { classes_per_task: "3,1".into(), ..first };
    let window = open_window_with(user_config.clone(), &data_path, runs.path());
    assert_eq!(draft(&window), user_config);
}

#[test]
fn changed_folder_updates_settings_unless_user_edited() {
    let (image_folder, runs) = (numbered_classes(), tempfile::tempdir().unwrap());
    let data_path = image_folder.path().display().to_string();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    choose_data(&mut window, &data_path);
    image_folder.write_class("class_3", 12);
    choose_data(&mut window, &data_path);
    assert_eq!(draft(&window).order, "0,2,4,1,3");
    assert_eq!(draft(&window).classes_per_task, "5");
    window.state_mut().session.experiment.draft.classes_per_task = "3,2".into();
    image_folder.write_class("class_4", 12);
    choose_data(&mut window, &data_path);
    assert_eq!(draft(&window).classes_per_task, "3,2");
}

#[test]
fn preset_shows_changes_and_can_reset() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().session.experiment.draft.batch = 3;
    window.get_by_role_and_label(egui::Role::Button, tr!("data-letters")).click();
    wait_until_idle(&mut window);
    assert_eq!(draft(&window).batch, 24);
    window.get_by_label("Preset: Letters");
    window.state_mut().session.experiment.draft.batch = 3;
    wait_until_idle(&mut window);
    window.get_by_label("Letters, changed: Batch");
    save_screenshot(&mut window, "preset-changed");
    window.get_by_label(tr!("experiment-reset-settings")).click();
    wait_until_idle(&mut window);
    assert_eq!(draft(&window).batch, 24);
    window.get_by_label("Preset: Letters");
    // The preset of a pair sets up both runs without starting them.
    window.get_by_label("Forgetting demo").click();
    wait_until_idle(&mut window);
    assert!(!window.state().session.is_training());
    window.get_by_label(tr!("experiment-start-both"));
    window.get_by_label("Quick demo: digits").click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start"));
}

/// A folder like ImageNet-R's: 200 classes, two images each.
fn imagenet_r_folder() -> DatasetFixture {
    let image_folder = DatasetFixture::new();
    for class in 0..200 {
        image_folder.write_class(&format!("n{class:08}"), 2);
    }
    image_folder
}

#[test]
fn random_split_of_paper_preset_is_reported() {
    let (plain, listed) = (imagenet_r_folder(), imagenet_r_folder());
    let list_file = |image: u32| -> String {
        let lines = (0..200).map(|class| format!("n{class:08}/{image:03}.png {class}\n"));
        lines.collect()
    };
    listed.write_file("train_list.txt", list_file(0));
    listed.write_file("val_list.txt", list_file(1));
    for (image_folder, is_reported) in [(&plain, true), (&listed, false)] {
        let runs = tempfile::tempdir().unwrap();
        let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
        wait_until_idle(&mut window);
        choose_data(&mut window, &image_folder.path().display().to_string());
        let words = "is split at random, so the results are not comparable with the paper's";
        // Other settings on this data are not compared with the paper.
        assert!(window.query_by_label_contains(words).is_none());
        let preset = presets::find_preset("imagenet-r-10").unwrap();
        let ctx = window.ctx.clone();
        window.state_mut().execute(&ctx, preset.into());
        wait_until_idle(&mut window);
        assert_eq!(draft(&window).data, image_folder.path().display().to_string());
        window.get_by_label("Preset: ImageNet-R, 10 tasks");
        assert_eq!(window.query_by_label_contains(words).is_some(), is_reported);
        if is_reported {
            save_screenshot(&mut window, "other-split");
        }
    }
}

#[test]
fn folder_is_one_task_unless_user_chooses_stages() {
    let image_folder = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        image_folder.write_class(class, 12);
    }
    let data_path = image_folder.path().display().to_string();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    assert_absent!(window, "data-class-arrival");
    choose_data(&mut window, &data_path);
    let one_task = draft(&window);
    assert_eq!(one_task.classes_per_task, "4");
    assert_absent!(window, "experiment-one-task", n = 4);
    window.get_by_label(tr!("data-class-arrival-stages")).click();
    wait_until_idle(&mut window);
    assert_eq!(draft(&window).classes_per_task, "2");
    // The batch size suits the smaller tasks.
    assert!(draft(&window).batch < one_task.batch);
    save_screenshot(&mut window, "in-stages");
    // A task size above the number of classes makes one task, which shows no forgetting.
    assert_absent!(window, "experiment-one-task", n = 4);
    let sizes = Setting::Text("999999".into());
    window.state_mut().session.set("classes_per_task", Some(sizes));
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("experiment-one-task", n = 4));
    save_screenshot(&mut window, "one-task");
    window.get_by_label(&tr!("experiment-use-sizes", sizes = "2")).click();
    wait_until_idle(&mut window);
    assert_eq!(draft(&window).classes_per_task, "2");
    assert_absent!(window, "experiment-one-task", n = 4);
    // Another window with the same folder of runs uses this choice.
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    choose_data(&mut window, &data_path);
    assert_eq!(draft(&window).classes_per_task, "2");
    assert_eq!(lae_studio::store::load_all_at_once(runs.path(), &data_path).unwrap(), Some(false));
}

#[test]
fn out_of_range_numbers_are_reported_not_clamped() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    open_steps(&mut window);
    for (field, number, message) in [
        ("Epochs", "20000", "Give at most 10000."),
        ("Epochs", "0", "Give at least 1."),
        ("Frozen epochs", "99999999", ""),
        ("α", "1.5", "1.5"),
    ] {
        let field_center = |window: &Harness<'_, StudioApp>| {
            let field = window.get_by_role_and_label(egui::Role::SpinButton, field);
            field.rect().center()
        };
        let before = draft(&window);
        let pos = field_center(&window);
        window.hover_at(pos);
        window.drag_at(pos);
        window.drop_at(pos);
        window.run_steps(3);
        window.event(egui::Event::Text(number.into()));
        window.run_steps(2);
        window.key_press(egui::Key::Enter);
        wait_until_idle(&mut window);
        save_screenshot(&mut window, &format!("beyond-{number}"));
        let problems = &window.state().session.experiment.plan.problems;
        assert!(!problems.is_empty(), "{field} {number}");
        assert!(!window.state().session.can_start());
        assert!(window.query_all_by_label_contains(message).next().is_some(), "{message}");
        window.state_mut().session.experiment.draft = before;
        wait_until_idle(&mut window);
        assert!(window.state().session.can_start());
    }
}
