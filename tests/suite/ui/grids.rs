//! Grids in the window: several values of settings, groups in the queue, built-in grids, and
//! checks of runs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::grid::CellStanding;
use lae_studio::run::job::SearchBy;
use lae_studio::session::backend::Recorded;
use lae_studio::session::{Disk, Session};
use lae_studio::store::{self, RunKey, StoredState};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::{recorded, settle, shot, wait, window, window_with};

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
    settle(&mut window);
    window
}

fn act(window: &mut Harness<'_, StudioApp>, command: UiCommand) {
    let ctx = window.ctx.clone();
    window.state_mut().act(&ctx, command);
    settle(window);
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
    wait(window, "the grid is planned", |app| {
        app.session.grid_to_do() == Some(4)
    });
}

/// The keys of all runs; asserts that they are finished.
fn finished_keys(root: &Path) -> Vec<RunKey> {
    let runs = store::list(root)
        .into_iter()
        .map(|run| run.summary.unwrap());
    let runs = runs.inspect(|run| assert_eq!(run.state, StoredState::Finished));
    runs.map(|run| run.key).collect()
}

#[test]
fn grid_of_values_runs_each_combination_once() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path());
    set_up_grid(&mut window);
    window.get_by_label_contains("2 methods × 2 class orders = 4 runs");
    shot(&mut window, "several-values");
    window
        .get_by_label(&tr!("experiment-start-runs", n = 4))
        .click();
    wait(&mut window, "the grid is done", |app| {
        let grid = app.session.train.grid.as_ref();
        grid.is_some_and(|grid| !grid.live)
    });
    settle(&mut window);
    let keys = finished_keys(runs.path());
    assert_eq!(keys.len(), 4);
    // A user on Train is moved to Compare.
    assert_eq!(window.state().page, Page::Compare);
    act(&mut window, UiCommand::Show(Page::Experiment));
    wait(&mut window, "the finished runs are found", |app| {
        let view = app.session.experiment.grid.view.ready();
        view.is_some_and(|view| view.standing.done() == 4)
    });
    settle(&mut window);
    window.get_by_label_contains(&tr!("experiment-runs-already-done", n = 4));
    window.get_by_label(tr!("experiment-nothing-to-start"));
    // Of three orders, only the third is missing.
    change_grid(&mut window, |session| session.repeat_rows("order", Some(3)));
    wait(&mut window, "two runs remain", |app| {
        app.session.grid_to_do() == Some(2)
    });
    change_grid(&mut window, Session::close_grid);
    window.get_by_label(tr!("experiment-start"));
}

#[test]
fn value_lists_are_separate_and_survive_restart() {
    let runs = tempfile::tempdir().unwrap();
    let file = runs.path().join("window.toml");
    let next = || {
        let (root, settings) = (runs.path().to_path_buf(), Settings::load(Some(&file)));
        let draft = settings.setup.clone().unwrap_or_else(tiny_run);
        let mut window = window_with([1280.0, 900.0], settings, Some(file.clone()), |wake| {
            Session::with(Box::new(Recorded::default()), Disk::at(root), draft, wake)
        });
        settle(&mut window);
        window
    };
    let mut window = next();
    for (key, values) in [("epochs", [1, 2]), ("batch", [8, 16])] {
        let values = values.map(Setting::Whole).into();
        change_grid(&mut window, move |session| session.vary(key));
        change_grid(&mut window, move |session| session.set_values(key, values));
    }
    // The field of the open list comes after those of the page.
    let field = |window: &Harness<'_, StudioApp>| {
        let fields = window.get_all_by_role(egui::Role::TextInput);
        let node = fields.last().unwrap();
        node.focus();
        node.accesskit_node().value().unwrap_or_default()
    };
    let list = |window: &mut Harness<'_, StudioApp>, name: &str| {
        let label = tr!("experiment-values-of", setting = name);
        let open = window.get_all_by_label(&label);
        open.last().unwrap().click();
        settle(window);
    };
    list(&mut window, "Epochs");
    assert_eq!(field(&window), "");
    window.run_steps(2);
    window.event(egui::Event::Text("no number".into()));
    settle(&mut window);
    assert_eq!(field(&window), "no number");
    window.get_by_label(tr!("experiment-add-value")).click();
    settle(&mut window);
    assert!(shows!(
        window,
        "experiment-value-invalid",
        text = "no number"
    ));
    shot(&mut window, "several-no-value");
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    list(&mut window, "Batch");
    assert_eq!(field(&window), "");
    assert!(!shows!(window, "experiment-value-invalid"));
    window.key_press(egui::Key::Escape);
    let several = window.state().session.experiment.grid.several.clone();
    assert_eq!(several.axes.len(), 2);
    wait(&mut window, "the values are saved", |_| {
        Settings::load(Some(&file)).several == several
    });
    drop(window);
    let window = next();
    assert_eq!(window.state().session.experiment.grid.several, several);
    drop(window);
    // After a crash they are offered with the previous settings.
    let crashed = Settings::load(Some(&file)).after_crash();
    assert!(crashed.several.is_empty() && crashed.former.is_some());
    assert_eq!(crashed.former_several, several);
}

#[test]
fn grid_resumes_after_window_closes() {
    let runs = tempfile::tempdir().unwrap();
    let mut first = open_window(runs.path());
    set_up_grid(&mut first);
    act(&mut first, UiCommand::Start);
    wait(&mut first, "one run is done and another begun", |app| {
        let grid = app.session.train.grid.as_ref();
        let lines = grid.map_or(&[][..], |grid| &grid.standing.lines);
        let begun = lines.iter().any(|l| l.standing == CellStanding::AtWork);
        begun && grid.is_some_and(|grid| grid.standing.done() > 0)
    });
    drop(first);
    let before = store::list(runs.path()).len();
    assert!((1..4).contains(&before), "{before}");
    let mut second = open_window(runs.path());
    wait(&mut second, "the grid is queued", |app| {
        app.session.waiting().count() == 1
    });
    act(&mut second, UiCommand::Show(Page::Train));
    second.get_by_label(tr!("train-on-hold"));
    second.get_by_label("4 runs").click();
    settle(&mut second);
    shot(&mut second, "grid-waits");
    second.get_by_label_contains("baseline · order natural");
    second.get_by_label(tr!("train-queue-resume")).click();
    wait(&mut second, "the grid is done", |app| {
        let grid = app.session.train.grid.as_ref();
        grid.is_some_and(|grid| !grid.live)
    });
    let keys = finished_keys(runs.path());
    let distinct: HashSet<&RunKey> = keys.iter().collect();
    assert_eq!((keys.len(), distinct.len()), (4, 4));
    assert_eq!(second.state().session.waiting().count(), 0);
}

#[test]
fn opens_built_in_grid_and_reports_invalid_file() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    change_grid(&mut window, |session| {
        session.open_grid("switches-demo".into());
    });
    settle(&mut window);
    window.get_by_label("The three switches on letters");
    window.get_by_label_contains("14 runs in 7 rows");
    window.get_by_label(&tr!("experiment-start-runs", n = 14));
    shot(&mut window, "grid-opened");
    window.get_by_label(tr!("experiment-grid-close")).click();
    settle(&mut window);
    window.get_by_label(tr!("experiment-start"));
    // An invalid file is reported.
    let file = runs.path().join("mine.toml");
    std::fs::write(&file, "methd = \"lae\"\n").unwrap();
    let name = file.display().to_string();
    change_grid(&mut window, move |session| session.open_grid(name));
    settle(&mut window);
    assert!(window.get_all_by_label_contains("`methd`").count() > 0);
    assert_eq!(window.state().session.grid_to_do(), None);
}

#[test]
fn saved_grid_reopens_with_same_runs() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path());
    set_up_grid(&mut window);
    change_grid(&mut window, |session| {
        session.set_values("epochs", [1, 2].map(Setting::Whole).into());
    });
    wait(&mut window, "the grid is planned", |app| {
        app.session.grid_to_do() == Some(8)
    });
    let file: PathBuf = runs.path().join("mine");
    window.state_mut().session.save_grid(file.clone());
    settle(&mut window);
    let saved = file.with_added_extension("toml");
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("method = [\"lae\", \"baseline\"]"), "{text}");
    assert!(text.contains("orders = 2"), "{text}");
    let lines = |window: &Harness<'_, StudioApp>| {
        let view = window.state().session.experiment.grid.view.ready().cloned();
        view.unwrap().standing.lines.len()
    };
    assert_eq!(lines(&window), 8);
    let name = saved.display().to_string();
    change_grid(&mut window, move |session| session.open_grid(name));
    wait(&mut window, "the file is planned", |app| {
        app.session.grid_to_do() == Some(8)
    });
    assert_eq!(lines(&window), 8);
    // A product of values can be edited.
    window.get_by_label(tr!("experiment-grid-edit")).click();
    settle(&mut window);
    wait(&mut window, "the settings are planned", |app| {
        app.session.grid_to_do() == Some(8)
    });
    window.get_by_label_contains("2 methods × 2 epochs × 2 class orders = 8 runs");
    let title = tr!("experiment-grid-edit");
    change_grid(&mut window, |session| {
        session.open_grid("switches-demo".into());
    });
    settle(&mut window);
    assert!(
        window.query_by_label(title).is_none(),
        "a grid of parts cannot be edited as a product"
    );
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
    let folder = store::list(runs.path())[0].folder.clone();
    let check = |window: &mut Harness<'_, StudioApp>, place: PathBuf, train| {
        act(
            window,
            UiCommand::change_on(Page::Train, move |session| session.check(place, train)),
        );
        wait(window, "the check ends", |app| !app.session.is_training());
        let told = window.state().session.notices.list.last().unwrap().clone();
        told.problem.what
    };
    for train in [false, true] {
        let told = check(&mut window, folder.clone(), train);
        assert!(told.contains("equal to the last bit"), "{told}");
    }
    shot(&mut window, "checked");
    assert_eq!(store::list(runs.path()).len(), 1, "a check stores no run");
    // The check finds a changed byte.
    let snapshot = folder.join("task_1.safetensors");
    let mut bytes = std::fs::read(&snapshot).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&snapshot, bytes).unwrap();
    let told = check(&mut window, folder, false);
    assert!(told.ends_with("differs"), "{told}");
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
    wait(&mut window, "the grid is planned", |app| {
        app.session.can_start()
    });
    window.get_by_label(tr!("experiment-search")).click();
    settle(&mut window);
    change_grid(&mut window, |session| {
        session.experiment.grid.search = Some(SearchBy::All);
    });
    window.get_by_label(tr!("experiment-start-search")).click();
    let chosen = |app: &StudioApp| {
        let mut told = app.session.notices.list.iter();
        told.any(|notice| {
            notice
                .problem
                .what
                .contains("has the highest accuracy of 2 rows")
        })
    };
    wait(&mut window, "the best row is chosen", chosen);
    let file = root.path().join("several-values-best.toml");
    let name = file.display().to_string();
    change_grid(&mut window, move |session| session.open_grid(name));
    wait(&mut window, "the grid of the best is planned", |app| {
        app.session.can_start()
    });
    let view = window.state().session.experiment.grid.view.ready().cloned();
    let standing = &view.unwrap().standing;
    assert_eq!((standing.lines.len(), standing.to_do()), (1, 1));
}
