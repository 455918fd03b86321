//! The inside view of Predict with the real engine: all parts follow one slider.

use std::path::Path;
use std::time::{Duration, Instant};

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::session::Session;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::flow::{draw_seven, small_run_config, window_after_one_task};
use super::{save_screenshot, wait, wait_until_idle, window};

/// The number of tasks with inside data for the run on Predict and for its image.
fn loaded_tasks(app: &StudioApp) -> (usize, usize) {
    let session = &app.session;
    let Some(run) = &session.predict.run else {
        return (0, 0);
    };
    let image_tasks = (0..9).filter(|task| session.predict.inside.image(*task).is_some());
    (session.predict.inside.run_results(run).count(), image_tasks.count())
}

/// Tall enough for all views, because hidden widgets cannot be clicked.
const TALL: egui::Vec2 = egui::vec2(1280.0, 2400.0);

/// Opens Predict with a run of three tasks, a drawing and the inside view.
fn open_inside_view(runs: &Path) -> Harness<'static, StudioApp> {
    let mut window = window_after_one_task(runs);
    wait(&mut window, "the run ends", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| !run.stage.is_live())
    });
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::Num5);
    wait_until_idle(&mut window);
    draw_seven(&mut window);
    wait(&mut window, "three snapshots predict", |app| {
        app.session.predict.predictions.iter().flatten().count() == 3
    });
    window.get_by_label(tr!("predict-pin")).click();
    wait_until_idle(&mut window);
    window.set_size(TALL);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-inside-open")).click();
    wait(&mut window, "all inside data is loaded", |app| loaded_tasks(app) == (3, 3));
    wait_until_idle(&mut window);
    window
}

fn shows_text(window: &Harness<'_, StudioApp>, words: &str) -> bool {
    window.query_all_by_label_contains(words).next().is_some()
}

#[test]
fn inside_views_follow_slider_and_select_images() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_inside_view(runs.path());
    for words in [
        &*tr!("predict-map-described", task = 3),
        "Energies of the online expert",
        "Energies of the offline expert",
        "Block 0: online",
        "after task 3, highest of 4 × 4 positions",
        tr!("predict-pins-image"),
    ] {
        assert!(shows_text(&window, words), "{words}");
    }
    let pins = &window.state().session.predict.pins;
    let (pin, run) = (pins.pins()[0].id, pins.runs()[0].clone());
    wait(&mut window, "the pinned image is predicted", |app| {
        app.session.predict.pins.prediction_count(pin, &run) == 3
    });
    save_screenshot(&mut window, "inside-task-3");
    window.key_press(Key::ArrowLeft);
    window.run_steps(20);
    assert_eq!(window.state().session.predict.task, 1);
    assert!(shows_text(&window, &tr!("predict-map-described", task = 2)));
    assert!(shows_text(&window, "not learned yet"), "task 3 adds two digits");
    window.key_press(Key::ArrowLeft);
    window.run_steps(20);
    assert!(shows_text(&window, "pre-trained, highest of 4 × 4 positions"));
    save_screenshot(&mut window, "inside-task-1");
    // Arrow keys move through the images; Enter predicts one.
    let described = tr!("predict-map-described", task = "");
    let map = window.get_by_label_contains(described.trim_end());
    map.focus();
    window.run_steps(2);
    window.key_press(Key::ArrowDown);
    window.run_steps(2);
    window.key_press(Key::Enter);
    wait(&mut window, "a test image is predicted", |app| app.session.predict.truth.is_some());
    wait(&mut window, "the image is loaded", |app| loaded_tasks(app).1 == 3);
    assert!(window.state().session.predict.pins.pins().len() == 1);
    window.get_by_role_and_label(egui::Role::RadioButton, "Offline").click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-inside-close")).click();
    window.run_steps(3);
    assert!(!shows_text(&window, tr!("predict-inside-feature-map")));
}

#[test]
fn inside_views_fit_small_windows() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_inside_view(runs.path());
    for [width, height] in [[1024.0, 700.0], [800.0, 600.0], [640.0, 480.0]] {
        window.set_size(egui::vec2(width, height));
        window.run_steps(4);
        let map =
            window.get_by_label_contains(tr!("predict-map-described", task = "").trim_end()).rect();
        assert!(map.right() <= width && map.width() > 100.0, "{map:?}");
        save_screenshot(&mut window, &format!("inside-{width:.0}"));
    }
}

/// Measures a step of the slider with ten runs of five tasks on the board and the inside view open.
#[test]
#[ignore = "measurement, takes several minutes"]
fn slider_step_with_ten_runs_is_measured() {
    let runs = tempfile::tempdir().unwrap();
    let mut config = small_run_config();
    config.classes_per_task = "2".into();
    let configs = (0..10).map(|seed| {
        let mut config = config.clone();
        config.seed = seed;
        config
    });
    let configs: Vec<_> = configs.collect();
    let root = runs.path().to_path_buf();
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::open(root, small_run_config(), Default::default(), wake).unwrap()
    });
    wait_until_idle(&mut window);
    window.state_mut().session.train_all(configs);
    let end = Instant::now() + crate::TIMEOUT;
    let is_trained = |app: &StudioApp| {
        let rows = app.session.compare.runs.ready();
        let done = rows.map_or(0, |rows| {
            let complete = rows.iter().filter(|row| row.answer_history().accuracy.len() == 5);
            complete.count()
        });
        done == 10 && !app.session.is_training()
    };
    while !is_trained(window.state()) {
        window.step();
        std::thread::sleep(Duration::from_millis(50));
        assert!(Instant::now() < end);
    }
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::Num5);
    wait_until_idle(&mut window);
    draw_seven(&mut window);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-pin")).click();
    wait_until_idle(&mut window);
    window.set_size(TALL);
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    let selected_run = session.predict.run.clone().unwrap();
    for run in session.runs_with_classes_of(&selected_run) {
        session.add_run_to_board(run);
    }
    // The board grows and moves the widgets below it.
    wait_until_idle(&mut window);
    let start = Instant::now();
    window.get_by_label(tr!("predict-inside-open")).click();
    wait(&mut window, "all inside data is loaded", |app| {
        let pins = &app.session.predict.pins;
        let pin = pins.pins()[0].id;
        let all_answered = pins.runs().iter().all(|run| pins.prediction_count(pin, run) == 5);
        all_answered && pins.runs().len() == 10 && loaded_tasks(app) == (5, 5)
    });
    let ready = start.elapsed();
    let mut times: Vec<f64> = Vec::new();
    for round in 0..100 {
        let key = match (round / 4) % 2 {
            0 => Key::ArrowLeft,
            _ => Key::ArrowRight,
        };
        let step_start = Instant::now();
        window.key_press(key);
        window.step();
        times.push(step_start.elapsed().as_secs_f64() * 1e3);
        window.run_steps(12);
    }
    times.sort_by(f64::total_cmp);
    eprintln!(
        "prefetch {ready:?}; a step: median {:.1} ms, p95 {:.1} ms, most {:.1} ms",
        times[50], times[95], times[99]
    );
}
