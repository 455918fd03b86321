//! Grids in the window: several values of settings, groups in the queue, built-in grids, and
//! checks of runs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::problem::Problem;
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::event::Event;
use lae_studio::run::grid::{CellState, GridRun, GridState};
use lae_studio::run::job::SearchBy;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::run_view::Stage;
use lae_studio::session::{Disk, Session};
use lae_studio::store::{self, RunKey, StoredState};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::synthetic::events;
use super::{recorded_window, save_screenshot, wait, wait_until_idle, window, window_with};

/// Settings of runs that finish quickly.
fn tiny_run() -> RunConfig {
    RunConfig {
        classes_per_task: "5".into(),
        epochs: 1,
        batch: 8,
        train_limit: Some(8),
        test_limit: Some(4),
        device: "cpu".into(),
        blocks: "2".into(),
        settings: crate::frozen_epochs(0),
        ..RunConfig::default()
    }
}

fn open_window(root: &Path) -> Harness<'static, StudioApp> {
    let root = root.to_path_buf();
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        Session::open(root, tiny_run(), Default::default(), wake).unwrap()
    });
    wait_until_idle(&mut window);
    window
}

fn act(window: &mut Harness<'_, StudioApp>, command: UiCommand) {
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, command);
    wait_until_idle(window);
}

/// Changes the session and shows Experiment.
fn change_grid(window: &mut Harness<'_, StudioApp>, change: impl FnOnce(&mut Session) + 'static) {
    act(window, UiCommand::change_on(Page::Experiment, change));
}

/// Two methods over two class orders.
fn set_up_grid(window: &mut Harness<'_, StudioApp>) {
    let methods = ["lae", "baseline"].map(|method| Setting::Text(method.into()));
    change_grid(window, |session| session.vary("method"));
    change_grid(window, |session| {
        session.set_values("method", methods.into());
    });
    change_grid(window, |session| session.repeat_rows("order", Some(2)));
    wait(window, "the grid is planned", |app| app.session.remaining_grid_runs() == Some(4));
}

/// The keys of all runs; asserts that they are finished.
fn finished_keys(root: &Path) -> Vec<RunKey> {
    let runs = store::list_runs(root).into_iter().map(|run| run.summary.unwrap());
    let runs = runs.inspect(|run| assert_eq!(run.state, StoredState::Finished));
    runs.map(|run| run.key).collect()
}

#[test]
fn grid_of_values_runs_each_combination_once() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path());
    set_up_grid(&mut window);
    window.get_by_label_contains("2 methods × 2 class orders = 4 runs");
    save_screenshot(&mut window, "several-values");
    window.get_by_label(&tr!("experiment-start-runs", n = 4)).click();
    wait(&mut window, "the grid is done", |app| {
        let grid = app.session.train.grid.as_ref();
        grid.is_some_and(|grid| !grid.is_live)
    });
    wait_until_idle(&mut window);
    let keys = finished_keys(runs.path());
    assert_eq!(keys.len(), 4);
    // A user on Train is moved to Compare.
    assert_eq!(window.state().page, Page::Compare);
    act(&mut window, UiCommand::Show(Page::Experiment));
    wait(&mut window, "the finished runs are found", |app| {
        let view = app.session.experiment.grid.view.ready();
        view.is_some_and(|view| view.state.finished_runs() == 4)
    });
    wait_until_idle(&mut window);
    window.get_by_label_contains(&tr!("experiment-runs-already-done", n = 4));
    window.get_by_label(tr!("experiment-nothing-to-start"));
    // Of three orders, only the third is missing.
    change_grid(&mut window, |session| session.repeat_rows("order", Some(3)));
    wait(&mut window, "two runs remain", |app| app.session.remaining_grid_runs() == Some(2));
    change_grid(&mut window, Session::close_grid);
    window.get_by_label(tr!("experiment-start"));
}

#[test]
fn value_lists_are_separate_and_survive_restart() {
    let runs = tempfile::tempdir().unwrap();
    let file = runs.path().join("window.toml");
    let reopen = || {
        let (root, settings) = (runs.path().to_path_buf(), Settings::load(Some(&file)));
        let draft = settings.setup.clone().unwrap_or_else(tiny_run);
        let mut window = window_with([1280.0, 900.0], settings, Some(file.clone()), |wake| {
            Session::with_backend(
                Box::new(RecordedBackend::default()),
                Disk::new(root),
                draft,
                wake,
            )
        });
        wait_until_idle(&mut window);
        window
    };
    let mut window = reopen();
    for (key, values) in [("epochs", [1, 2]), ("batch", [8, 16])] {
        let values = values.map(Setting::Whole).into();
        change_grid(&mut window, move |session| session.vary(key));
        change_grid(&mut window, move |session| session.set_values(key, values));
    }
    // The field of the open list comes after those of the page.
    let focus_last_field = |window: &Harness<'_, StudioApp>| {
        let fields = window.get_all_by_role(egui::Role::TextInput);
        let node = fields.last().unwrap();
        node.focus();
        node.accesskit_node().value().unwrap_or_default()
    };
    let open_value_list = |window: &mut Harness<'_, StudioApp>, name: &str| {
        let label = tr!("experiment-values-of", setting = name);
        let buttons = window.get_all_by_label(&label);
        buttons.last().unwrap().click();
        wait_until_idle(window);
    };
    open_value_list(&mut window, "Epochs");
    assert_eq!(focus_last_field(&window), "");
    window.run_steps(2);
    window.event(egui::Event::Text("no number".into()));
    wait_until_idle(&mut window);
    assert_eq!(focus_last_field(&window), "no number");
    window.get_by_label(tr!("experiment-add-value")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "experiment-value-invalid", text = "no number"));
    save_screenshot(&mut window, "several-no-value");
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    open_value_list(&mut window, "Batch");
    assert_eq!(focus_last_field(&window), "");
    assert!(!shows!(window, "experiment-value-invalid"));
    window.key_press(egui::Key::Escape);
    let value_lists = window.state().session.experiment.grid.varying.clone();
    assert_eq!(value_lists.axes.len(), 2);
    wait(&mut window, "the values are saved", |_| {
        Settings::load(Some(&file)).several == value_lists
    });
    drop(window);
    let window = reopen();
    assert_eq!(window.state().session.experiment.grid.varying, value_lists);
    drop(window);
    // After a crash they are offered with the previous settings.
    let crashed = Settings::load(Some(&file)).after_crash();
    assert!(crashed.several.is_empty() && crashed.former.is_some());
    assert_eq!(crashed.former_several, value_lists);
}

#[test]
fn grid_resumes_after_window_closes() {
    let runs = tempfile::tempdir().unwrap();
    let mut first = open_window(runs.path());
    set_up_grid(&mut first);
    act(&mut first, UiCommand::Start);
    wait(&mut first, "one run is done and another begun", |app| {
        let grid = app.session.train.grid.as_ref();
        let lines = grid.map_or(&[][..], |grid| &grid.state.lines);
        let is_running = lines.iter().any(|l| l.standing == CellState::AtWork);
        is_running && grid.is_some_and(|grid| grid.state.finished_runs() > 0)
    });
    drop(first);
    let before = store::list_runs(runs.path()).len();
    assert!((1..4).contains(&before), "{before}");
    let mut second = open_window(runs.path());
    wait(&mut second, "the grid is queued", |app| app.session.waiting().count() == 1);
    act(&mut second, UiCommand::Show(Page::Train));
    second.get_by_label(tr!("train-on-hold"));
    second.get_by_label("4 runs").click();
    wait_until_idle(&mut second);
    save_screenshot(&mut second, "grid-waits");
    second.get_by_label_contains("baseline · order natural");
    second.get_by_label(tr!("train-queue-resume")).click();
    wait(&mut second, "the grid is done", |app| {
        let grid = app.session.train.grid.as_ref();
        grid.is_some_and(|grid| !grid.is_live)
    });
    let keys = finished_keys(runs.path());
    let distinct: HashSet<&RunKey> = keys.iter().collect();
    assert_eq!((keys.len(), distinct.len()), (4, 4));
    assert_eq!(second.state().session.waiting().count(), 0);
}

#[test]
fn opens_built_in_grid_and_reports_invalid_file() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    change_grid(&mut window, |session| {
        session.open_grid("switches-demo".into());
    });
    wait_until_idle(&mut window);
    window.get_by_label("The three switches on letters");
    window.get_by_label_contains("14 runs in 7 rows");
    window.get_by_label(&tr!("experiment-start-runs", n = 14));
    save_screenshot(&mut window, "grid-opened");
    window.get_by_label(tr!("experiment-grid-close")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start"));
    // An invalid file is reported.
    let file = runs.path().join("mine.toml");
    std::fs::write(&file, "methd = \"lae\"\n").unwrap();
    let name = file.display().to_string();
    change_grid(&mut window, move |session| session.open_grid(name));
    wait_until_idle(&mut window);
    assert!(window.get_all_by_label_contains("`methd`").count() > 0);
    assert_eq!(window.state().session.remaining_grid_runs(), None);
}

#[test]
fn saved_grid_reopens_with_same_runs() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path());
    set_up_grid(&mut window);
    change_grid(&mut window, |session| {
        session.set_values("epochs", [1, 2].map(Setting::Whole).into());
    });
    wait(&mut window, "the grid is planned", |app| app.session.remaining_grid_runs() == Some(8));
    let file: PathBuf = runs.path().join("mine");
    window.state_mut().session.save_grid(file.clone());
    wait_until_idle(&mut window);
    let saved = file.with_added_extension("toml");
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("method = [\"lae\", \"baseline\"]"), "{text}");
    assert!(text.contains("orders = 2"), "{text}");
    let row_count = |window: &Harness<'_, StudioApp>| {
        let view = window.state().session.experiment.grid.view.ready().cloned();
        view.unwrap().state.lines.len()
    };
    assert_eq!(row_count(&window), 8);
    let name = saved.display().to_string();
    change_grid(&mut window, move |session| session.open_grid(name));
    wait(&mut window, "the file is planned", |app| app.session.remaining_grid_runs() == Some(8));
    assert_eq!(row_count(&window), 8);
    // A product of values can be edited.
    window.get_by_label(tr!("experiment-grid-edit")).click();
    wait_until_idle(&mut window);
    wait(&mut window, "the settings are planned", |app| {
        app.session.remaining_grid_runs() == Some(8)
    });
    window.get_by_label_contains("2 methods × 2 epochs × 2 class orders = 8 runs");
    let title = tr!("experiment-grid-edit");
    change_grid(&mut window, |session| {
        session.open_grid("switches-demo".into());
    });
    wait_until_idle(&mut window);
    assert!(
        window.query_by_label(title).is_none(),
        "a grid of parts cannot be edited as a product"
    );
}

#[test]
fn failed_last_run_of_grid_is_shown_as_failed() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let run = |row: &str| GridRun {
        row: row.into(),
        order: "natural".into(),
        seed: 1,
        seconds: 1.0,
        standing: CellState::ToDo,
    };
    let lines = vec![run("lae"), run("baseline")];
    let grid = GridState { title: "Two methods".into(), lines, rows: 2, ..GridState::default() };
    let cell = |cell, standing| Event::Cell { cell, standing, seconds_left: 1.0 };
    backend.push(Event::Grid(Box::new(grid)));
    backend.push(cell(0, CellState::AtWork));
    backend.push(cell(0, CellState::Done("/nowhere/first".into())));
    backend.push(cell(1, CellState::AtWork));
    for event in events(2) {
        backend.push(event);
    }
    let problem = Problem::new("the disk is full");
    backend.push(cell(1, CellState::Refused(problem.clone())));
    backend.push(Event::Failed { run: String::new(), problem });
    wait_until_idle(&mut window);
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!((live.stage, live.reports.len()), (Stage::Failed, 2));
    assert_eq!(live.problem.as_ref().map(|problem| &*problem.what), Some("the disk is full"));
}

#[test]
fn check_confirms_run_and_detects_changed_snapshot() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path());
    act(&mut window, UiCommand::Start);
    wait(&mut window, "the run ends", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| !run.stage.is_live())
    });
    let folder = store::list_runs(runs.path())[0].folder.clone();
    let check = |window: &mut Harness<'_, StudioApp>, run_folder: PathBuf, train| {
        act(
            window,
            UiCommand::change_on(Page::Train, move |session| session.check(run_folder, train)),
        );
        wait(window, "the check ends", |app| !app.session.is_training());
        let notice = window.state().session.notices.list.last().unwrap().clone();
        notice.problem.what
    };
    for train in [false, true] {
        let message = check(&mut window, folder.clone(), train);
        assert!(message.contains("equal to the last bit"), "{message}");
    }
    save_screenshot(&mut window, "checked");
    assert_eq!(store::list_runs(runs.path()).len(), 1, "a check stores no run");
    // The check finds a changed byte.
    let snapshot = folder.join("task_1.safetensors");
    let mut bytes = std::fs::read(&snapshot).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&snapshot, bytes).unwrap();
    let message = check(&mut window, folder, false);
    assert!(message.ends_with("differs"), "{message}");
}

#[test]
fn search_selects_best_row_and_saves_grid() {
    let root = tempfile::tempdir().unwrap();
    let mut window = open_window(root.path());
    let rates = [0.001, 0.03].map(Setting::Real);
    change_grid(&mut window, |session| session.vary("base_lr"));
    change_grid(&mut window, move |session| {
        session.set_values("base_lr", rates.into());
    });
    wait(&mut window, "the grid is planned", |app| app.session.can_start());
    window.get_by_label(tr!("experiment-search")).click();
    wait_until_idle(&mut window);
    change_grid(&mut window, |session| {
        session.experiment.grid.search = Some(SearchBy::All);
    });
    window.get_by_label(tr!("experiment-start-search")).click();
    let is_chosen = |app: &StudioApp| {
        let mut notices = app.session.notices.list.iter();
        notices.any(|notice| notice.problem.what.contains("has the highest accuracy of 2 rows"))
    };
    wait(&mut window, "the best row is chosen", is_chosen);
    let file = root.path().join("several-values-best.toml");
    let name = file.display().to_string();
    change_grid(&mut window, move |session| session.open_grid(name));
    wait(&mut window, "the grid of the best is planned", |app| app.session.can_start());
    let view = window.state().session.experiment.grid.view.ready().cloned();
    let status = &view.unwrap().state;
    assert_eq!((status.lines.len(), status.pending_runs()), (1, 1));
}
