//! Keys and dialogs: arrow keys on Predict, Enter and Escape in questions, closing during a run, and
//! the offer after a restart.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::{Command, ControlRequest, Event};
use lae_studio::session::file_dialog::{Choice, DialogPurpose};
use lae_studio::session::{Disk, Session};
use lae_studio::store::RunFolder;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::synthetic::{RUN, events, header, prediction, report};
use super::{recorded_window, save_screenshot, wait, wait_until_idle, window_with};
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::RecordedBackend;

const SIZE: [f32; 2] = [1280.0, 900.0];

fn window_with_running_run(
    runs: &std::path::Path,
) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let (mut window, backend) = recorded_window(SIZE, ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(3).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    (window, backend)
}

#[test]
fn arrow_keys_change_task_outside_text_fields() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    super::flow::draw_seven(&mut window);
    wait_until_idle(&mut window);
    let Some(Command::Predict(request)) = backend.commands().pop() else {
        panic!("the drawing requested no prediction");
    };
    for &task in &request.tasks {
        backend.push(Event::Predicted(Box::new(prediction(request.ticket, task))));
    }
    wait_until_idle(&mut window);
    let selected_task = |window: &Harness<'_, StudioApp>| window.state().session.predict.task;
    assert_eq!(selected_task(&window), 2);
    // First without focus, then with focus on a link and on a button.
    window.key_press(egui::Key::ArrowLeft);
    window.run_steps(2);
    assert_eq!(selected_task(&window), 1);
    for name in [tr!("predict-samples-next"), tr!("predict-clear")] {
        window.get_by_label(name).focus();
        window.run_steps(3);
        window.key_press(egui::Key::ArrowLeft);
        window.run_steps(2);
        assert_eq!(selected_task(&window), 0, "{name}");
        assert!(window.get_by_label(name).accesskit_node().is_focused());
        window.key_press(egui::Key::ArrowRight);
        window.run_steps(2);
        assert_eq!(selected_task(&window), 1, "{name}");
    }
    // In a text field they move the cursor.
    window.get_by_label(tr!("predict-source-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-image-file")).focus();
    window.run_steps(3);
    window.get_by_label(tr!("predict-image-file")).type_text("abc");
    window.run_steps(2);
    let before = selected_task(&window);
    window.key_press(egui::Key::ArrowLeft);
    window.run_steps(2);
    assert_eq!(selected_task(&window), before);
}

#[test]
fn enter_confirms_and_escape_cancels_stop_question() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    let open_question = |window: &mut Harness<'_, StudioApp>| {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Period);
        window.run_steps(4);
        window.get_by_label(tr!("shell-ask-stop"));
    };
    open_question(&mut window);
    save_screenshot(&mut window, "question");
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-stop");
    assert_eq!(backend.last_request(), ControlRequest::Run);
    // Tab moves to Cancel, which Enter then presses.
    open_question(&mut window);
    window.key_press(egui::Key::Tab);
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-stop");
    assert_eq!(backend.last_request(), ControlRequest::Run);
    // The run ends while the question is open.
    open_question(&mut window);
    backend.push(Event::Finished { run: RUN.into() });
    wait_until_idle(&mut window);
    assert_absent!(window, "shell-ask-stop");
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(1).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    open_question(&mut window);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-stop");
    assert_eq!(backend.last_request(), ControlRequest::Stop);
}

/// Presses the close button of the window; returns whether it closes.
pub fn press_close(window: &mut Harness<'_, StudioApp>) -> bool {
    let root = egui::ViewportId::ROOT;
    let events = &mut window.input_mut().viewports.entry(root).or_default().events;
    events.push(egui::ViewportEvent::Close);
    window.step();
    let info = window.input_mut().viewports.get_mut(&root);
    info.unwrap().events.clear();
    let output = &window.output().viewport_output;
    let commands = output.get(&root).map(|output| output.commands.clone());
    let cancelled = commands.unwrap_or_default().contains(&egui::ViewportCommand::CancelClose);
    window.run_steps(2);
    !cancelled
}

#[test]
fn closing_asks_only_during_run() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    assert!(!press_close(&mut window));
    window.get_by_label(tr!("shell-ask-close"));
    save_screenshot(&mut window, "question-close");
    window.get_by_label(tr!("shell-cancel")).click();
    window.run_steps(3);
    assert!(!press_close(&mut window));
    window.key_press(egui::Key::Enter);
    window.run_steps(2);
    assert!(press_close(&mut window), "closes after consent");
    backend.push(Event::Finished { run: RUN.into() });
    wait_until_idle(&mut window);
    let (mut idle_window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut idle_window);
    assert!(press_close(&mut idle_window));
}

#[test]
fn close_question_stays_between_queued_runs() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let config_with_size = |pet_size| RunConfig { pet_size, ..RunConfig::default() };
    let ctx = window.ctx.clone();
    let train_three = UiCommand::Train([1, 2, 3].map(config_with_size).into());
    window.state_mut().execute(&ctx, train_three);
    wait_until_idle(&mut window);
    assert!(!press_close(&mut window));
    let job = window.state().session.running_job();
    backend.push(Event::Finished { run: RUN.into() });
    wait_until_idle(&mut window);
    assert_ne!(window.state().session.running_job(), job);
    window.get_by_label(tr!("shell-ask-close"));
    // The question closes only with the last run.
    for _ in 0..2 {
        backend.push(Event::Finished { run: RUN.into() });
        wait_until_idle(&mut window);
    }
    assert_absent!(window, "shell-ask-close");
    assert!(press_close(&mut window));
}

#[test]
fn space_in_dialog_does_not_pause_run() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    window.key_press(egui::Key::F1);
    window.run_steps(4);
    // Nothing in the dialog has the focus.
    window.ctx.memory_mut(egui::Memory::stop_text_input);
    window.key_press(egui::Key::Space);
    window.run_steps(2);
    assert_eq!(backend.last_request(), ControlRequest::Run);
}

#[test]
fn space_in_presentation_does_not_pause_run() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    assert_eq!(window.state().page, Page::Train);
    window.key_press(egui::Key::F11);
    window.run_steps(4);
    window.key_press(egui::Key::Space);
    window.run_steps(2);
    window.get_by_label(tr!("present-next"));
    assert_eq!(backend.last_request(), ControlRequest::Run);
}

#[test]
fn interrupted_run_is_offered_after_restart() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(runs.path(), &mut header, "").unwrap();
    for task in 0..2 {
        folder.save_task(&report(task), &Default::default()).unwrap();
    }
    let path = folder.path().to_path_buf();
    drop(folder);
    let file = runs.path().join("window.toml");
    let open_with = |settings: Settings| {
        let root = runs.path().to_path_buf();
        let backend = RecordedBackend::default();
        let backend_clone = backend.clone();
        let mut window = window_with(SIZE, settings, Some(file.clone()), move |wake| {
            Session::with_backend(
                Box::new(backend_clone),
                Disk::new(root),
                RunConfig::default(),
                wake,
            )
        });
        wait_until_idle(&mut window);
        (window, backend)
    };
    // The running run is remembered even if the program crashes.
    let (mut first, backend) = open_with(Settings::default());
    assert_absent!(first, "experiment-last-run-resume");
    backend.push(Event::Started(Box::new(header)));
    wait_until_idle(&mut first);
    wait(&mut first, "the run is remembered", |_| Settings::load(Some(&file)).unfinished.is_some());
    drop(first);
    let saved = Settings::load(Some(&file));
    assert_eq!(saved.unfinished.as_ref(), Some(&path));
    let (mut second, backend) = open_with(saved.after_crash());
    second.get_by_label("digits · LAE · adapter 5: 2 of 5 tasks learned so far.");
    save_screenshot(&mut second, "left-off");
    second.get_by_label(tr!("experiment-last-run-resume")).click();
    wait_until_idle(&mut second);
    assert!(matches!(backend.commands().last(), Some(Command::Queue(_))));
    second.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    wait_until_idle(&mut second);
    assert_absent!(second, "experiment-last-run-resume");
}

#[test]
fn confusion_matrix_cell_is_selectable_by_keyboard() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = window_with_running_run(runs.path());
    let focused_label = |window: &Harness<'_, StudioApp>| {
        let nodes = window.query_all_by_label_contains("Confusion matrix: ");
        let mut focused = nodes.filter(|node| node.accesskit_node().is_focused());
        focused.next().unwrap().accesskit_node().label().unwrap()
    };
    window.get_by_label(tr!("figure-confusion")).focus();
    window.run_steps(3);
    let first = focused_label(&window);
    window.key_press(egui::Key::ArrowDown);
    window.run_steps(2);
    window.key_press(egui::Key::ArrowRight);
    window.key_press(egui::Key::ArrowRight);
    window.run_steps(2);
    let second = focused_label(&window);
    assert!(first.contains("matrix: 0: "), "{first}");
    assert!(says!(second, "train-cell-confused", name = "1", answer = "2"), "{second}");
    save_screenshot(&mut window, "confusion-by-keys");
    window.key_press(egui::Key::Enter);
    wait_until_idle(&mut window);
    // The images of the cell are shown.
    window.get_by_label(tr!("present-back"));
    save_screenshot(&mut window, "confusion-chosen-by-keys");
}

#[test]
fn palette_reports_selected_command_to_screen_reader() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(4);
    let selected_label = |window: &Harness<'_, StudioApp>| {
        let field = window.get_by_label(tr!("palette-command"));
        let row = field.accesskit_node().active_descendant().unwrap();
        row.label().unwrap()
    };
    let first = selected_label(&window);
    window.key_press(egui::Key::ArrowDown);
    window.run_steps(2);
    assert_ne!(selected_label(&window), first);
}

/// Clicks at this position within one frame.
fn click_at(window: &mut Harness<'_, StudioApp>, pos: egui::Pos2) {
    let events = &mut window.input_mut().events;
    events.push(egui::Event::PointerMoved(pos));
    for pressed in [true, false] {
        events.push(egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
    }
}

#[test]
fn dialog_ignores_clicks_made_before_it_appears() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    // The desktop has no file dialog, which the window notices some frames after the click.
    let picked = (DialogPurpose::DataFolder, Choice::NoDialog);
    window.state_mut().session.file_selection.picked.push(picked);
    window.step();
    // The user clicks again in the meantime.
    click_at(&mut window, egui::pos2(40.0, 400.0));
    window.step();
    window.run_steps(6);
    window.get_by_label(tr!("shell-path"));
    // Afterwards a click outside closes the dialog.
    click_at(&mut window, egui::pos2(40.0, 400.0));
    window.run_steps(3);
    assert_absent!(window, "shell-path");
    // The second click of a double click does not close a dialog.
    window.state_mut().execute(&ctx, UiCommand::Help);
    window.step();
    click_at(&mut window, egui::pos2(40.0, 400.0));
    window.run_steps(4);
    window.get_by_label(tr!("shell-close"));
}
