//! Keys and dialogs: arrow keys on Predict, Enter and Escape in questions, closing during a run, and
//! the offer after a restart.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::{Command, ControlRequest, Event};
use lae_studio::session::chooser::{Choice, DialogPurpose};
use lae_studio::session::{Disk, Session};
use lae_studio::store::RunFolder;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::synthetic::{RUN, events, header, prediction, report};
use super::{recorded, settle, shot, wait, window_with};
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::Recorded;

const SIZE: [f32; 2] = [1280.0, 900.0];

fn window_with_running_run(runs: &std::path::Path) -> (Harness<'static, StudioApp>, Recorded) {
    let (mut window, backend) = recorded(SIZE, ThemeChoice::Dark, runs);
    settle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(3).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    (window, backend)
}

#[test]
fn arrow_keys_change_task_outside_text_fields() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    settle(&mut window);
    super::flow::draw_seven(&mut window);
    settle(&mut window);
    let Some(Command::Predict(request)) = backend.asked().pop() else {
        panic!("the drawing requested no prediction");
    };
    for &task in &request.tasks {
        backend.push(Event::Predicted(Box::new(prediction(request.ticket, task))));
    }
    settle(&mut window);
    let task = |window: &Harness<'_, StudioApp>| window.state().session.predict.task;
    assert_eq!(task(&window), 2);
    // First without focus, then with focus on a link and on a button.
    window.key_press(egui::Key::ArrowLeft);
    window.run_steps(2);
    assert_eq!(task(&window), 1);
    for name in [tr!("predict-samples-next"), tr!("predict-clear")] {
        window.get_by_label(name).focus();
        window.run_steps(3);
        window.key_press(egui::Key::ArrowLeft);
        window.run_steps(2);
        assert_eq!(task(&window), 0, "{name}");
        assert!(window.get_by_label(name).accesskit_node().is_focused());
        window.key_press(egui::Key::ArrowRight);
        window.run_steps(2);
        assert_eq!(task(&window), 1, "{name}");
    }
    // In a text field they move the cursor.
    window.get_by_label(tr!("predict-source-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-image-file")).focus();
    window.run_steps(3);
    window
        .get_by_label(tr!("predict-image-file"))
        .type_text("abc");
    window.run_steps(2);
    let before = task(&window);
    window.key_press(egui::Key::ArrowLeft);
    window.run_steps(2);
    assert_eq!(task(&window), before);
}

#[test]
fn enter_confirms_and_escape_cancels_stop_question() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    let ask = |window: &mut Harness<'_, StudioApp>| {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Period);
        window.run_steps(4);
        window.get_by_label(tr!("shell-ask-stop"));
    };
    ask(&mut window);
    shot(&mut window, "question");
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-stop");
    assert_eq!(backend.wished(), ControlRequest::Run);
    // Tab moves to Cancel, which Enter then presses.
    ask(&mut window);
    window.key_press(egui::Key::Tab);
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-stop");
    assert_eq!(backend.wished(), ControlRequest::Run);
    // The run ends while the question is open.
    ask(&mut window);
    backend.push(Event::Finished { run: RUN.into() });
    settle(&mut window);
    assert_absent!(window, "shell-ask-stop");
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    settle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(1).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    ask(&mut window);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-stop");
    assert_eq!(backend.wished(), ControlRequest::Stop);
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
    let told = output.get(&root).map(|output| output.commands.clone());
    let cancelled = told
        .unwrap_or_default()
        .contains(&egui::ViewportCommand::CancelClose);
    window.run_steps(2);
    !cancelled
}

#[test]
fn closing_asks_only_during_run() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_running_run(runs.path());
    assert!(!press_close(&mut window));
    window.get_by_label(tr!("shell-ask-close"));
    shot(&mut window, "question-close");
    window.get_by_label(tr!("shell-cancel")).click();
    window.run_steps(3);
    assert!(!press_close(&mut window));
    window.key_press(egui::Key::Enter);
    window.run_steps(2);
    assert!(press_close(&mut window), "closes after consent");
    backend.push(Event::Finished { run: RUN.into() });
    settle(&mut window);
    let (mut idle, _) = recorded(SIZE, ThemeChoice::Dark, runs.path());
    settle(&mut idle);
    assert!(press_close(&mut idle));
}

#[test]
fn close_question_stays_between_queued_runs() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded(SIZE, ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let sized = |pet_size| RunConfig {
        pet_size,
        ..RunConfig::default()
    };
    let ctx = window.ctx.clone();
    let three = UiCommand::Train([1, 2, 3].map(sized).into());
    window.state_mut().act(&ctx, three);
    settle(&mut window);
    assert!(!press_close(&mut window));
    let job = window.state().session.running_job();
    backend.push(Event::Finished { run: RUN.into() });
    settle(&mut window);
    assert_ne!(window.state().session.running_job(), job);
    window.get_by_label(tr!("shell-ask-close"));
    // The question closes only with the last run.
    for _ in 0..2 {
        backend.push(Event::Finished { run: RUN.into() });
        settle(&mut window);
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
    assert_eq!(backend.wished(), ControlRequest::Run);
}

#[test]
fn interrupted_run_is_offered_after_restart() {
    let runs = tempfile::tempdir().unwrap();
    let mut facts = header();
    let folder = RunFolder::create(runs.path(), &mut facts, "").unwrap();
    for task in 0..2 {
        folder
            .save_task(&report(task), &Default::default())
            .unwrap();
    }
    let path = folder.path().to_path_buf();
    drop(folder);
    let file = runs.path().join("window.toml");
    let open = |settings: Settings| {
        let root = runs.path().to_path_buf();
        let backend = Recorded::default();
        let twin = backend.clone();
        let mut window = window_with(SIZE, settings, Some(file.clone()), move |wake| {
            Session::with(Box::new(twin), Disk::at(root), RunConfig::default(), wake)
        });
        settle(&mut window);
        (window, backend)
    };
    // The running run is remembered even if the program crashes.
    let (mut first, backend) = open(Settings::default());
    assert_absent!(first, "experiment-last-run-resume");
    backend.push(Event::Started(Box::new(facts)));
    settle(&mut first);
    wait(&mut first, "the run is remembered", |_| {
        Settings::load(Some(&file)).unfinished.is_some()
    });
    drop(first);
    let kept = Settings::load(Some(&file));
    assert_eq!(kept.unfinished.as_ref(), Some(&path));
    let (mut second, backend) = open(kept.after_crash());
    second.get_by_label("digits · LAE · adapter 5: 2 of 5 tasks learned so far.");
    shot(&mut second, "left-off");
    second
        .get_by_label(tr!("experiment-last-run-resume"))
        .click();
    settle(&mut second);
    assert!(matches!(backend.asked().last(), Some(Command::Queue(_))));
    second.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    settle(&mut second);
    assert_absent!(second, "experiment-last-run-resume");
}

#[test]
fn confusion_matrix_cell_is_selectable_by_keyboard() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = window_with_running_run(runs.path());
    let name = |window: &Harness<'_, StudioApp>| {
        let named = window.query_all_by_label_contains("Confusion matrix: ");
        let mut reached = named.filter(|node| node.accesskit_node().is_focused());
        reached.next().unwrap().accesskit_node().label().unwrap()
    };
    window.get_by_label(tr!("figure-confusion")).focus();
    window.run_steps(3);
    let first = name(&window);
    window.key_press(egui::Key::ArrowDown);
    window.run_steps(2);
    window.key_press(egui::Key::ArrowRight);
    window.key_press(egui::Key::ArrowRight);
    window.run_steps(2);
    let second = name(&window);
    assert!(first.contains("matrix: 0: "), "{first}");
    assert!(
        says!(second, "train-cell-confused", name = "1", answer = "2"),
        "{second}"
    );
    shot(&mut window, "confusion-by-keys");
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    // The images of the cell are shown.
    window.get_by_label(tr!("present-back"));
    shot(&mut window, "confusion-chosen-by-keys");
}

#[test]
fn palette_reports_selected_command_to_screen_reader() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded(SIZE, ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(4);
    let chosen = |window: &Harness<'_, StudioApp>| {
        let field = window.get_by_label(tr!("palette-command"));
        let line = field.accesskit_node().active_descendant().unwrap();
        line.label().unwrap()
    };
    let first = chosen(&window);
    window.key_press(egui::Key::ArrowDown);
    window.run_steps(2);
    assert_ne!(chosen(&window), first);
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
    let (mut window, _) = recorded(SIZE, ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let ctx = window.ctx.clone();
    // The desktop has no file dialog, which the window notices some frames after the click.
    let none = (DialogPurpose::DataFolder, Choice::NoDialog);
    window.state_mut().session.choosing.picked.push(none);
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
    window.state_mut().act(&ctx, UiCommand::Help);
    window.step();
    click_at(&mut window, egui::pos2(40.0, 400.0));
    window.run_steps(4);
    window.get_by_label(tr!("shell-close"));
}
