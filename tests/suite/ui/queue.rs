//! The queue: showing, moving, removing and pausing runs, and restoring them after a restart.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, ControlRequest, Event};
use lae_studio::run::job::{GridWork, Job};
use lae_studio::session::Session;
use lae_studio::session::run_view::Stage;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::flow::small_run_config;
use super::synthetic::events;
use super::{recorded_window, save_screenshot, wait, wait_until_idle, window};

/// Settings that differ in their PET sizes.
fn train_with_sizes(sizes: &[usize]) -> UiCommand {
    let config = |&pet_size: &usize| RunConfig { pet_size, ..small_run_config() };
    UiCommand::Train(sizes.iter().map(config).collect())
}

fn act(window: &mut Harness<'_, StudioApp>, command: UiCommand) {
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, command);
    wait_until_idle(window);
}

fn queued_titles(window: &Harness<'_, StudioApp>) -> Vec<String> {
    let jobs = window.state().session.waiting();
    jobs.map(|job| job.title.clone()).collect()
}

fn title(size: usize) -> String {
    format!("digits · LAE · adapter {size}")
}

#[test]
fn run_failing_at_start_does_not_inherit_reports() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    act(&mut window, train_with_sizes(&[1, 2]));
    assert_eq!(queued_titles(&window), [title(2)]);
    events(5).into_iter().for_each(|event| backend.push(event));
    backend
        .push(Event::Failed { run: String::new(), problem: Problem::new("the plugin is broken") });
    wait_until_idle(&mut window);
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!((live.stage, live.title.clone()), (Stage::Failed, title(2)));
    assert!(live.header.is_none() && live.reports.is_empty());
    assert!(queued_titles(&window).is_empty());
    let error_count = window.get_all_by_label("The plugin is broken.").count();
    assert_eq!(error_count, 2, "the error is shown in the run and as a notice");
}

#[test]
fn queues_nothing_if_one_run_is_invalid() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let config_with_order = |order: &str| RunConfig { order: order.into(), ..small_run_config() };
    let configs = vec![config_with_order("natural"), config_with_order("cifar100_order2")];
    act(&mut window, UiCommand::Train(configs));
    assert!(backend.commands().is_empty());
    let notice = window.state().session.notices.list.last().unwrap().clone();
    assert!(notice.is_error && notice.problem.what.contains("10 classes"), "{notice:?}");
}

#[test]
fn queue_is_reordered_and_paused_by_mouse() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    act(&mut window, train_with_sizes(&[1, 2, 3, 4]));
    assert!(shows!(window, "shell-runs-waiting", n = 3));
    window.get_by_label_contains(&tr!("train-queue-forward", n = 3, title = "")).click();
    wait_until_idle(&mut window);
    assert_eq!(queued_titles(&window), [title(2), title(4), title(3)]);
    window.get_by_label_contains(&tr!("train-queue-back", n = 1, title = "")).click();
    wait_until_idle(&mut window);
    assert_eq!(queued_titles(&window), [title(4), title(2), title(3)]);
    window.get_by_label_contains(&tr!("train-queue-remove", n = 2, title = "")).click();
    wait_until_idle(&mut window);
    assert_eq!(queued_titles(&window), [title(4), title(3)]);
    let notice = window.state().session.notices.list.last().unwrap().clone();
    assert_says!(notice.problem.what, "session-removed-from-queue");
    save_screenshot(&mut window, "line");
    // Stopping with the queue paused: no run begins until it is resumed.
    backend.push(events(1).remove(0));
    wait_until_idle(&mut window);
    act(&mut window, UiCommand::Stop);
    assert!(shows!(window, "shell-ask-queued-runs-wait", n = 2));
    window.get_by_label(tr!("shell-ask-stop-yes")).click();
    wait_until_idle(&mut window);
    assert_eq!(backend.last_request(), ControlRequest::Stop);
    let commands = backend.commands();
    let last = &commands[commands.len() - 2..];
    assert!(matches!(last, [Command::Hold(true), Command::Stop(_)]));
    let run = String::new();
    backend.push(Event::Stopped { run });
    wait_until_idle(&mut window);
    assert_eq!(queued_titles(&window), [title(4), title(3)]);
    assert!(!window.state().session.is_training());
    window.get_by_label(tr!("train-queue-resume")).click();
    wait_until_idle(&mut window);
    assert_eq!(queued_titles(&window), [title(3)]);
    // Stopping only this run: the next one begins.
    act(&mut window, UiCommand::Stop);
    window.get_by_label(tr!("shell-ask-stop-this")).click();
    wait_until_idle(&mut window);
    assert!(matches!(backend.commands().last(), Some(Command::Stop(_))));
    let run = String::new();
    backend.push(Event::Stopped { run });
    wait_until_idle(&mut window);
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!((live.stage, live.title.clone()), (Stage::Running, title(3)));
    assert!(queued_titles(&window).is_empty());
}

#[test]
fn removing_queued_grid_asks_for_confirmation() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    act(&mut window, train_with_sizes(&[1]));
    let work = GridWork {
        name: "mine".into(),
        text: String::new(),
        runs: 200,
        search: None,
        cells: Vec::new(),
        data: Vec::new(),
    };
    let job = Box::new(Job::grid(work, None, "mine".into()));
    backend.push(Event::Queued { job, place: 0 });
    wait_until_idle(&mut window);
    act(&mut window, UiCommand::Show(Page::Train));
    for key in [egui::Key::Enter, egui::Key::Escape] {
        window.get_by_label_contains(&tr!("train-queue-remove", n = 1, title = "")).click();
        wait_until_idle(&mut window);
        window.get_by_label_contains("mine has 200 runs");
        save_screenshot(&mut window, "remove-a-grid");
        window.key_press(key);
        wait_until_idle(&mut window);
        assert_eq!(queued_titles(&window), ["mine"]);
    }
    window.get_by_label_contains(&tr!("train-queue-remove", n = 1, title = "")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-ask-remove-yes")).click();
    wait_until_idle(&mut window);
    assert!(matches!(backend.commands().last(), Some(Command::Stop(_))));
}

#[test]
fn queued_jobs_survive_restart() {
    let runs = tempfile::tempdir().unwrap();
    let root = runs.path().to_path_buf();
    let open_window = || {
        let root = root.clone();
        window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
            Session::open(root, small_run_config(), Default::default(), wake).unwrap()
        })
    };
    let mut first = open_window();
    wait_until_idle(&mut first);
    act(&mut first, train_with_sizes(&[1, 2]));
    wait(&mut first, "the first run trains", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.progress.is_some())
    });
    drop(first);
    let mut second = open_window();
    wait(&mut second, "the queue is restored", |app| app.session.waiting().count() == 1);
    wait_until_idle(&mut second);
    assert!(!second.state().session.is_training());
    second.get_by_role_and_label(egui::Role::Tab, tr!("page-train")).click();
    wait_until_idle(&mut second);
    second.get_by_label(tr!("train-on-hold"));
    save_screenshot(&mut second, "line-restored");
    second.get_by_label(tr!("train-queue-resume")).click();
    wait(&mut second, "the second run ends", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.stage == Stage::Finished)
    });
    let live = second.state().session.train.live.clone().unwrap();
    assert_eq!(live.title, title(2));
}

#[test]
fn repeated_start_shortcut_queues_run_once() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let queue_count = || {
        let commands = backend.commands().into_iter();
        commands.filter(|command| matches!(command, Command::Queue(_))).count()
    };
    for _ in 0..3 {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
        window.run_steps(2);
    }
    wait_until_idle(&mut window);
    assert_eq!(queue_count(), 1);
    assert!(shows!(window, "shell-already-started"));
    // More than a second later, while the run trains.
    events(2).into_iter().for_each(|event| backend.push(event));
    std::thread::sleep(std::time::Duration::from_millis(1100));
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    wait_until_idle(&mut window);
    assert_eq!(queue_count(), 1);
    act(&mut window, UiCommand::Show(Page::Experiment));
    window.get_by_label(tr!("experiment-start")).click();
    wait_until_idle(&mut window);
    assert_eq!(queue_count(), 2);
    // Changed settings start another run.
    window.state_mut().session.experiment.draft.seed = 7;
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
    wait_until_idle(&mut window);
    assert_eq!(queue_count(), 3);
}
