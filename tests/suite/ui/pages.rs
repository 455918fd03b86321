//! Every page with recorded events: what must be there is there, in both themes and when narrow.

use egui_kittest::kittest::Queryable;
use lae_studio::run::event::{Command, Event, Wish};
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{events, prediction};
use super::{can_draw, recorded, settle, shot};

const WIDE: [f32; 2] = [1280.0, 800.0];

#[test]
fn the_first_page_is_ready_to_start_and_every_tab_can_be_reached() {
    if !can_draw() {
        return;
    }
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded(WIDE, ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.get_by_label("Ready");
    window.get_by_label_contains("10 classes");
    shot(&mut window, "experiment-dark");
    for (page, title, _) in Page::ALL {
        window.get_by_role_and_label(egui::Role::Tab, title).click();
        window.run_steps(3);
        assert_eq!(window.state().page, page);
        settle(&mut window);
        shot(&mut window, &format!("empty-{}", title.to_lowercase()));
    }
    window
        .get_by_role_and_label(egui::Role::Tab, "Experiment")
        .click();
    window.run_steps(3);
    window.get_by_label("Start training").click();
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Train);
    assert!(matches!(
        backend.asked().as_slice(),
        [Command::Train { .. }]
    ));
}

#[test]
fn a_run_fills_the_train_page_and_can_be_paused_and_stopped() {
    if !can_draw() {
        return;
    }
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded(WIDE, ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.get_by_label("Start training").click();
    window.run_steps(2);
    events(4).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    window.get_by_label("Accuracy over tasks");
    window.get_by_label_contains("Learning.");
    shot(&mut window, "train-dark");

    window.get_by_label("Pause the run").click();
    window.run_steps(2);
    assert_eq!(backend.wished(), Wish::Pause);
    window
        .get_by_role_and_label(egui::Role::Button, "Stop")
        .click();
    window.run_steps(3);
    window.get_by_label("Stop and save").click();
    window.run_steps(3);
    assert_eq!(backend.wished(), Wish::Stop);
}

#[test]
fn a_narrow_light_window_stacks_its_columns() {
    if !can_draw() {
        return;
    }
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded([900.0, 600.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    shot(&mut window, "narrow-experiment");
    window
        .get_by_role_and_label(egui::Role::Tab, "Train")
        .click();
    events(3).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    shot(&mut window, "narrow-train");
    window.set_size(egui::vec2(1280.0, 800.0));
    settle(&mut window);
    shot(&mut window, "train-light");
}

#[test]
fn predictions_of_all_snapshots_arrive_and_the_slider_moves_through_them() {
    if !can_draw() {
        return;
    }
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded(WIDE, ThemeChoice::Dark, runs.path());
    window.step();
    events(4).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    super::flow::draw_seven(&mut window);
    settle(&mut window);
    let asked = backend.asked();
    let Some(Command::Predict(request)) = asked.last() else {
        panic!("a drawing asks for a prediction");
    };
    assert_eq!(request.tasks, vec![3, 2, 1, 0]);
    for &task in &request.tasks {
        backend.push(Event::Predicted(Box::new(prediction(request.ticket, task))));
    }
    settle(&mut window);
    window.get_by_label_contains("The offline one is more certain");
    shot(&mut window, "predict-dark");
    assert_eq!(window.state().session.predict.task, 3);
}

#[test]
fn the_palette_runs_a_command_by_its_letters() {
    if !can_draw() {
        return;
    }
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded(WIDE, ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(3);
    window.get_by_label("Command").type_text("plug");
    window.run_steps(3);
    shot(&mut window, "palette");
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Plugins);
}
