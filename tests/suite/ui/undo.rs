//! Undo and redo of settings.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::data::Correction;
use lae_studio::session::presets::presets;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::{recorded_window, wait_until_idle};

const UNDO: (Modifiers, Key) = (Modifiers::COMMAND, Key::Z);
const REDO: (Modifiers, Key) = (Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);

/// Opens a window and changes the epochs twice, with a pause after each change.
fn window_with_two_changes(runs: &std::path::Path) -> Harness<'static, StudioApp> {
    let (mut window, _) = recorded_window([1280.0, 1100.0], ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    for epochs in [7, 9] {
        window.state_mut().session.experiment.draft.epochs = epochs;
        // The frames of the test window are a quarter of a second apart.
        window.run_steps(12);
    }
    window
}

fn press(window: &mut Harness<'_, StudioApp>, (modifiers, key): (Modifiers, Key)) -> usize {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
    window.state().session.experiment.draft.epochs
}

#[test]
fn undo_and_redo_step_through_settings() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_with_two_changes(runs.path());
    assert_eq!(press(&mut window, UNDO), 7);
    assert_eq!(press(&mut window, UNDO), 5);
    assert_eq!(press(&mut window, UNDO), 5, "no earlier settings exist");
    assert_eq!(press(&mut window, REDO), 7);
    assert_eq!(press(&mut window, REDO), 9);
    // A new change clears the redo history.
    assert_eq!(press(&mut window, UNDO), 7);
    window.state_mut().session.experiment.draft.epochs = 3;
    window.run_steps(12);
    assert_eq!(press(&mut window, REDO), 3);
    assert_eq!(press(&mut window, UNDO), 7);
}

#[test]
fn focused_text_field_does_not_undo_settings() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_with_two_changes(runs.path());
    window.get_by_role_and_label(egui::Role::TextInput, tr!("data-class-order")).focus();
    window.run_steps(3);
    assert_eq!(press(&mut window, UNDO), 9);
}

#[test]
fn undo_restores_dataset_with_its_settings() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 1100.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let before = window.state().session.experiment.draft.clone();
    window.state_mut().session.choose_data("letters");
    wait_until_idle(&mut window);
    window.run_steps(12);
    assert_eq!(window.state().session.experiment.draft.classes_per_task, "6,5,5,5,5");
    press(&mut window, UNDO);
    wait_until_idle(&mut window);
    let session = &window.state().session;
    assert_eq!(session.experiment.draft, before);
    assert_eq!(session.experiment.data.ready().map(|data| data.classes.len()), Some(10));
}

#[test]
fn undo_restores_preset_and_baseline_choice() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 1100.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let pair_preset = presets().iter().find(|preset| preset.comparison.is_some());
    window.get_by_role_and_label(egui::Role::Button, pair_preset.unwrap().title).click();
    wait_until_idle(&mut window);
    window.run_steps(12);
    let with_preset = window.state().session.experiment.set_up();
    assert!(with_preset.with_baseline && with_preset.preset.is_some());
    press(&mut window, UNDO);
    let before = window.state().session.experiment.set_up();
    assert!(!before.with_baseline && before.preset.is_none(), "{before:?}");
    press(&mut window, REDO);
    assert_eq!(window.state().session.experiment.set_up(), with_preset);
}

#[test]
fn undo_keeps_later_label_correction() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_with_two_changes(runs.path());
    let correction = Correction {
        picture: "7/1.png".into(),
        sha256: "0".repeat(64),
        was: "7".into(),
        class: Some("1".into()),
    };
    window.state_mut().session.set_corrected_label("digits".into(), correction.clone());
    wait_until_idle(&mut window);
    window.run_steps(12);
    let labels = |window: &Harness<'_, StudioApp>| {
        let draft = &window.state().session.experiment.draft;
        draft.corrected.clone()
    };
    assert_eq!(labels(&window), std::slice::from_ref(&correction));
    assert_eq!(press(&mut window, UNDO), 7);
    assert_eq!(labels(&window), std::slice::from_ref(&correction));
    assert_eq!(press(&mut window, UNDO), 5);
    // The choice of the original labels can be undone.
    window.state_mut().session.use_corrected(false);
    window.run_steps(12);
    assert!(labels(&window).is_empty());
    press(&mut window, UNDO);
    assert_eq!(labels(&window), [correction]);
}

#[test]
fn undo_reverts_rapid_class_moves_one_by_one() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 1100.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    let sizes = |window: &Harness<'_, StudioApp>| {
        let draft = &window.state().session.experiment.draft;
        draft.classes_per_task.clone()
    };
    for class in [0, 2] {
        let plan = &window.state().session.experiment.plan;
        let moved = plan.scenario.as_ref().unwrap().with_moved_class(class, 4, 0);
        let command = UiCommand::SetTasks(Box::new(moved));
        window.state_mut().execute(&ctx, command);
    }
    assert_eq!(sizes(&window), "1,1,2,2,4");
    press(&mut window, UNDO);
    assert_eq!(sizes(&window), "1,2,2,2,3");
    press(&mut window, UNDO);
    assert_eq!(sizes(&window), "2");
}
