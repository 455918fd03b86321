//! Every page with recorded events, in both themes and in narrow windows.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::{Command, ControlRequest, Event, RunHeader};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{events, header, prediction, report};
use super::{DroppedPath, open_steps, recorded_window, save_screenshot, wait_until_idle};

const WIDE: [f32; 2] = [1280.0, 800.0];

#[test]
fn first_page_is_ready_and_tabs_are_reachable() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-ready"));
    window.get_by_label_contains("10 classes");
    save_screenshot(&mut window, "experiment-dark");
    for (page, ..) in Page::ALL {
        let title = page.title();
        window.get_by_role_and_label(egui::Role::Tab, title).click();
        window.run_steps(3);
        assert_eq!(window.state().page, page);
        wait_until_idle(&mut window);
        save_screenshot(&mut window, &format!("empty-{}", title.to_lowercase()));
    }
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-experiment")).click();
    window.run_steps(3);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Train);
    assert!(matches!(backend.commands().as_slice(), [Command::Queue(_)]));
}

#[test]
fn train_page_shows_pauses_and_stops_run() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(4).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-accuracy-curves-name"));
    window.get_by_label_contains(tr!("session-learning-heading"));
    save_screenshot(&mut window, "train-dark");

    window.get_by_label(tr!("shell-pause-run")).click();
    window.run_steps(2);
    assert_eq!(backend.last_request(), ControlRequest::Pause);
    window.get_by_role_and_label(egui::Role::Button, tr!("train-stop-run")).click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-ask-stop-yes")).click();
    window.run_steps(3);
    assert_eq!(backend.last_request(), ControlRequest::Stop);
}

#[test]
fn smaller_run_closes_cell_of_previous_run() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    events(5).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    // A class that the next run does not have.
    let prefix = tr!("train-confused-with", name = "", answer = "");
    let row = window
        .get_all_by_label_contains(&prefix)
        .find(|row| {
            let label = row.accesskit_node().label().unwrap_or_default();
            !label.starts_with(['0', '1'])
        })
        .unwrap();
    row.click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("present-back"));
    let small_header = RunHeader {
        run: "small".into(),
        folder: "/nowhere/small".into(),
        class_order: vec!["a".into(), "b".into()],
        tasks: vec![0..1, 1..2],
        ..header()
    };
    backend.push(Event::Started(Box::new(small_header)));
    backend.push(Event::TaskEvaluated { run: "small".into(), report: Box::new(report(0)) });
    wait_until_idle(&mut window);
    assert_absent!(window, "present-back");
}

#[test]
fn setting_accepts_invalid_values_while_typing() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _backend) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::TextInput, tr!("data-classes-per-task")).focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    for letter in ["4", ",", "3", ",", "3"] {
        window.event(egui::Event::Text(letter.into()));
        wait_until_idle(&mut window);
    }
    let draft = &window.state().session.experiment.draft;
    assert_eq!(draft.classes_per_task, "4,3,3");
}

#[test]
fn narrow_window_stacks_columns() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([900.0, 600.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "narrow-experiment");
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-train")).click();
    events(3).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    // The log is right of the plot, or below it in a narrow window.
    let plot_and_log = |window: &Harness<'_, StudioApp>| {
        let rect_of = |label: &str| window.get_by_label(label).rect();
        (rect_of(tr!("train-accuracy-curves-name")), rect_of(tr!("train-log")))
    };
    let (plot, log) = plot_and_log(&window);
    assert!(log.top() > plot.bottom() && log.left() < 450.0, "{log:?}");
    save_screenshot(&mut window, "narrow-train");
    window.set_size(egui::vec2(1280.0, 800.0));
    wait_until_idle(&mut window);
    let (plot, log) = plot_and_log(&window);
    assert!(log.left() > plot.right(), "{plot:?} {log:?}");
    save_screenshot(&mut window, "train-light");
}

#[test]
fn predictions_of_all_snapshots_follow_slider() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    window.step();
    events(4).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    super::flow::draw_seven(&mut window);
    wait_until_idle(&mut window);
    let commands = backend.commands();
    let Some(Command::Predict(request)) = commands.last() else {
        panic!("the drawing requested no prediction");
    };
    assert_eq!(request.tasks, vec![3, 2, 1, 0]);
    for &task in &request.tasks {
        backend.push(Event::Predicted(Box::new(prediction(request.ticket, task))));
    }
    wait_until_idle(&mut window);
    assert!(shows!(window, "predict-reason-both-offline"));
    save_screenshot(&mut window, "predict-dark");
    assert_eq!(window.state().session.predict.task, 3);
    window.key_press(egui::Key::ArrowLeft);
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.predict.task, 2);
}

#[test]
fn palette_runs_command_by_partial_name() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(3);
    window.get_by_label(tr!("palette-command")).type_text("plug");
    window.run_steps(3);
    save_screenshot(&mut window, "palette");
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Plugins);
}

#[test]
fn backbone_card_selects_weights_and_disables_unsupported_pets() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    open_steps(&mut window);
    window.get_by_label_contains("Note: a small network");
    let is_enabled = |window: &Harness<'_, StudioApp>, name: &str| {
        let node = window.get_by_role_and_label(egui::Role::RadioButton, name);
        !node.accesskit_node().is_disabled()
    };
    assert!(is_enabled(&window, "Prefix") && is_enabled(&window, "Adapter"));

    window.get_by_role_and_label(egui::Role::RadioButton, "ConvNeXt").click();
    wait_until_idle(&mut window);
    let draft = &window.state().session.experiment.draft;
    assert_eq!(draft.backbone, "convnext_base.fb_in22k");
    assert_eq!(draft.blocks, "15");
    window.get_by_label_contains("pre-trained on ImageNet-22k");
    // ConvNeXt has no attention for a prefix; the tooltip says so.
    assert!(!is_enabled(&window, "Prefix") && is_enabled(&window, "Adapter"));
    window.get_by_role_and_label(egui::Role::RadioButton, "Prefix").hover();
    window.run_steps(12);
    save_screenshot(&mut window, "experiment-convnext");
    assert!(shows!(window, "problem-block-without-site", name = "Prefix"));

    window.get_by_role_and_label(egui::Role::RadioButton, "ViT").click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-weights")).click();
    window.run_steps(3);
    window.get_by_label_contains("MAE ViT-B/16").click();
    wait_until_idle(&mut window);
    let draft = &window.state().session.experiment.draft;
    assert_eq!(draft.backbone, "vit_base_patch16_224.mae");
    window.get_by_label_contains("ImageNet-R has 200 of these classes");
    window.get_by_role_and_label(egui::Role::RadioButton, "f16").click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "experiment-mae");
    let command = window.state().session.experiment.draft.as_command(&[], &[]);
    assert!(command.contains("--precision f16"), "{command}");
}

#[test]
fn weight_file_is_typed_or_dropped_and_checked() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    open_steps(&mut window);
    let valid_file = runs.path().join("mine.safetensors");
    let nano = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lae-nano.safetensors");
    std::fs::copy(nano, &valid_file).unwrap();
    let dropped = std::sync::Arc::new(DroppedPath(valid_file.clone()));
    window.input_mut().dropped_files.push(dropped);
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.experiment.draft.backbone, valid_file.display().to_string());
    assert!(shows!(window, "experiment-input-size", size = 32));
    assert!(window.state().session.experiment.plan.problems.is_empty());

    let invalid_file = runs.path().join("text.safetensors");
    std::fs::write(&invalid_file, "these are no weights").unwrap();
    let field = window.get_by_label(tr!("experiment-weights-name"));
    field.focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(2);
    window
        .get_by_label(tr!("experiment-weights-name"))
        .type_text(&invalid_file.display().to_string());
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    wait_until_idle(&mut window);
    assert_eq!(
        window.state().session.experiment.draft.backbone,
        invalid_file.display().to_string()
    );
    let problems = &window.state().session.experiment.plan.problems;
    assert!(problems[0].mentions("problem-weight-file-unusable"), "{problems:?}");
    save_screenshot(&mut window, "experiment-wrong-weights");
}
