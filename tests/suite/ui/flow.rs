//! End to end with the real engine: start the demo by mouse, train with live figures,
//! draw a digit and predict it with three snapshots.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::Expert;
use lae_studio::run::config::RunConfig;
use lae_studio::session::Session;
use lae_studio::session::run_view::Stage;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::{save_screenshot, wait, wait_until_idle, window};

/// Draws a seven on the canvas with the mouse.
pub fn draw_seven(harness: &mut Harness<'_, StudioApp>) {
    let canvas = harness.get_by_label(tr!("shell-drawing-canvas")).rect();
    let position = |x: f32, y: f32| canvas.min + egui::vec2(x, y) * canvas.width();
    let corners = [position(0.25, 0.25), position(0.75, 0.25), position(0.45, 0.8)];
    harness.drag_at(corners[0]);
    harness.run_steps(2);
    for pair in corners.windows(2) {
        for i in 1..=8 {
            harness.hover_at(pair[0].lerp(pair[1], i as f32 / 8.0));
            harness.step();
        }
    }
    harness.drop_at(corners[2]);
    harness.run_steps(2);
}

/// A run that finishes soon: three tasks, few images, two epochs of which one is frozen.
pub fn small_run_config() -> RunConfig {
    RunConfig {
        epochs: 2,
        settings: crate::frozen_epochs(1),
        train_limit: Some(24),
        test_limit: Some(8),
        classes_per_task: "4,4,2".into(),
        device: "cpu".into(),
        ..RunConfig::default()
    }
}

/// Opens a window and waits until its run has learned one task.
pub fn window_after_one_task(runs: &Path) -> Harness<'static, StudioApp> {
    let root = runs.to_path_buf();
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::open(root, small_run_config(), Default::default(), wake).unwrap()
    });
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    wait(&mut window, "one task is evaluated", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| !run.reports.is_empty())
    });
    window
}

#[test]
fn demo_run_trains_and_predicts_drawing() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_after_one_task(runs.path());
    save_screenshot(&mut window, "real-train-begins");
    wait(&mut window, "the run ends", |app| {
        app.session.train.live.as_ref().is_some_and(|run| !run.stage.is_live())
    });
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!(live.stage, Stage::Finished, "{:?}", live.problem);
    assert_eq!(live.reports.len(), 3);
    assert_eq!(live.expert_history(Expert::ENSEMBLE).accuracy.len(), 3);
    window.get_by_label(tr!("figure-confusion"));
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "real-train-done");

    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    draw_seven(&mut window);
    wait(&mut window, "three snapshots predict", |app| {
        app.session.predict.predictions.iter().flatten().count() == 3
    });
    let predict = &window.state().session.predict;
    assert!(predict.problem.is_none());
    for (task, answer) in predict.predictions.iter().flatten().enumerate() {
        assert_eq!(answer.task, task);
        let sum: f32 = answer.opinions[0].probabilities.iter().sum();
        assert!((sum - 1.0).abs() < 1e-3);
    }
    save_screenshot(&mut window, "real-predict");

    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    window.get_by_label_contains("finished ·");
    window.get_by_label(tr!("compare-curves-name"));
    save_screenshot(&mut window, "real-compare");
}
