//! The tour with the real engine, by mouse and by keyboard, with the digits
//! that are part of the program.

use std::path::Path;

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::ControlRequest;
use lae_studio::session::Session;
use lae_studio::session::tour::{DrawingOutcome, Tour, TourRunState, TourStep};
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;
use lae_studio::ui::theme;

use super::{recorded_window, save_screenshot, wait, wait_until_idle, window};

fn draft() -> RunConfig {
    RunConfig { device: "cpu".into(), ..RunConfig::default() }
}

/// Opens Learn with the real engine.
fn open_learn(runs: &Path, size: [f32; 2]) -> Harness<'static, StudioApp> {
    let root = runs.to_path_buf();
    let mut window = window(size, ThemeChoice::Dark, move |wake| {
        Session::open(root, draft(), Default::default(), wake).unwrap()
    });
    wait_until_idle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num7);
    wait_until_idle(&mut window);
    window
}

fn tour<'a>(window: &'a Harness<'_, StudioApp>) -> &'a Tour {
    window.state().session.learn.tour.as_ref().unwrap()
}

/// Reduces the images and epochs of the tour's runs, because their accuracy does not matter.
fn shorten_runs(window: &mut Harness<'_, StudioApp>) {
    let tour = window.state_mut().session.learn.tour.as_mut().unwrap();
    for run in &mut tour.runs {
        run.config.train_limit = Some(24);
        run.config.test_limit = Some(6);
        run.config.epochs = 4;
    }
}

fn wait_for(window: &mut Harness<'_, StudioApp>, step: TourStep) {
    wait(window, &format!("{step:?} begins"), |app| {
        let tour = app.session.learn.tour.as_ref();
        tour.is_some_and(|tour| tour.step == step)
    });
    wait_until_idle(window);
}

/// Draws lines through these corners on a canvas with the mouse.
fn draw(window: &mut Harness<'_, StudioApp>, canvas: &str, corners: &[[f32; 2]]) {
    let rect = window.get_by_label(canvas).rect();
    let position = |[x, y]: [f32; 2]| rect.min + egui::vec2(x, y) * rect.width();
    window.drag_at(position(corners[0]));
    window.run_steps(2);
    for pair in corners.windows(2) {
        for i in 1..=6 {
            let fraction = i as f32 / 6.0;
            window.hover_at(position(pair[0]).lerp(position(pair[1]), fraction));
            window.step();
        }
    }
    window.drop_at(position(corners[corners.len() - 1]));
    window.run_steps(2);
}

fn press(window: &mut Harness<'_, StudioApp>, label: &str) {
    window.get_by_role_and_label(egui::Role::Button, label).click();
    window.run_steps(4);
}

#[test]
fn tour_by_mouse_ends_with_runs_in_trash() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_learn(runs.path(), [1280.0, 800.0]);
    let before = window.state().session.experiment.draft.clone();
    save_screenshot(&mut window, "tour-0");
    press(&mut window, tr!("tour-start"));
    shorten_runs(&mut window);
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "tour-1");
    draw(
        &mut window,
        &tr!("tour-draw-canvas", digit = 1),
        &[[0.36, 0.3], [0.54, 0.14], [0.54, 0.86]],
    );
    assert_eq!(tour(&window).step, TourStep::Draw);
    draw(
        &mut window,
        &tr!("tour-draw-canvas", digit = 2),
        &[[0.28, 0.3], [0.5, 0.14], [0.7, 0.32], [0.26, 0.84], [0.76, 0.84]],
    );
    wait_for(&mut window, TourStep::First);
    save_screenshot(&mut window, "tour-2");
    press(&mut window, tr!("tour-first-train"));
    wait_for(&mut window, TourStep::Guess);
    // The run waits for the user and predicts the drawings in the meantime.
    wait(&mut window, "the run is paused", |app| {
        let tour = app.session.learn.tour.as_ref().unwrap();
        tour.run().state == TourRunState::Paused
    });
    let answers = window.get_all_by_label_contains("Seq-FT: ");
    assert_eq!(answers.count(), 2);
    save_screenshot(&mut window, "tour-3");
    press(&mut window, tr!("tour-guess-kept-weakly"));
    assert_eq!(tour(&window).guess, Some(DrawingOutcome::Uncertain));
    save_screenshot(&mut window, "tour-4");
    for (step, name, train) in
        [(TourStep::Pet, "Seq-FT", "tour-pet-train"), (TourStep::Lae, "Baseline", "tour-lae-train")]
    {
        wait_for(&mut window, step);
        let classes = format!("1 {} 2", tr!("tour-and"));
        assert!(shows!(
            window,
            "tour-test-images-correct",
            name = name,
            classes = classes.as_str()
        ));
        save_screenshot(&mut window, &format!("tour-5-{name}"));
        press(&mut window, tr!(train));
        wait(&mut window, "the run has learned two tasks", |app| {
            app.session.learn.tour.as_ref().unwrap().run().measured_tasks() >= 2
        });
        save_screenshot(&mut window, &format!("tour-5-{step:?}"));
    }
    wait_for(&mut window, TourStep::Compare);
    assert_eq!(tour(&window).task, 4);
    for task in [3, 2, 1, 0, 0] {
        window.key_press(Key::ArrowLeft);
        window.run_steps(2);
        assert_eq!(tour(&window).task, task);
    }
    window.key_press(Key::ArrowRight);
    window.run_steps(2);
    save_screenshot(&mut window, "tour-6");
    press(&mut window, tr!("tour-show-summary"));
    window.get_by_label_contains("You guessed “Still a 1, but with less than 80 % confidence”");
    save_screenshot(&mut window, "tour-7");
    let runs = tour(&window).runs.each_ref();
    let folders = runs.map(|run| run.folder.clone().unwrap());
    assert!(folders.iter().all(|folder| folder.is_dir()));
    press(&mut window, tr!("tour-end-delete-runs"));
    press(&mut window, tr!("tour-end-trash-no"));
    press(&mut window, tr!("tour-end-delete-runs"));
    press(&mut window, tr!("tour-end-trash-yes"));
    wait_until_idle(&mut window);
    assert!(window.state().session.learn.tour.is_none());
    assert!(folders.iter().all(|folder| !folder.exists()));
    window.get_by_label(tr!("tour-start"));
    assert_eq!(
        window.state().session.experiment.draft,
        before,
        "the user's settings are unchanged"
    );
}

/// Presses Tab until the button with this label has the focus, then Enter.
fn choose_by_keys(window: &mut Harness<'_, StudioApp>, label: &str) {
    for _ in 0..40 {
        let node = window.get_by_role_and_label(egui::Role::Button, label);
        if node.accesskit_node().is_focused() {
            window.key_press(Key::Enter);
            window.run_steps(4);
            return;
        }
        window.key_press(Key::Tab);
        window.run_steps(2);
    }
    panic!("{label} cannot be reached by keyboard");
}

#[test]
fn tour_by_keyboard_keeps_runs() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_learn(runs.path(), [1280.0, 800.0]);
    choose_by_keys(&mut window, tr!("tour-start"));
    shorten_runs(&mut window);
    choose_by_keys(&mut window, tr!("tour-draw-use-samples"));
    wait_for(&mut window, TourStep::First);
    let focused = |window: &Harness<'_, StudioApp>, label: &str| {
        let node = window.get_by_role_and_label(egui::Role::Button, label);
        node.accesskit_node().is_focused()
    };
    assert!(focused(&window, tr!("tour-first-train")), "the next button has the focus");
    window.key_press(Key::Enter);
    wait_for(&mut window, TourStep::Guess);
    choose_by_keys(&mut window, tr!("tour-guess-lost"));
    wait_for(&mut window, TourStep::Pet);
    choose_by_keys(&mut window, tr!("tour-pet-train"));
    wait_for(&mut window, TourStep::Lae);
    choose_by_keys(&mut window, tr!("tour-lae-train"));
    wait_for(&mut window, TourStep::Compare);
    window.key_press(Key::ArrowLeft);
    window.run_steps(2);
    assert_eq!(tour(&window).task, 3, "arrow keys work with any focus");
    choose_by_keys(&mut window, tr!("tour-show-summary"));
    let folder = tour(&window).run().folder.clone().unwrap();
    choose_by_keys(&mut window, tr!("tour-end-keep-runs"));
    wait_until_idle(&mut window);
    assert!(window.state().session.learn.tour.is_none() && folder.is_dir());
    assert_eq!(window.state().session.predict.pins.pins().len(), 2);
}

#[test]
fn escape_leaves_tour_and_stops_its_run() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_learn(runs.path(), [900.0, 600.0]);
    for last in [TourStep::Draw, TourStep::First, TourStep::Guess, TourStep::FineTuning] {
        press(&mut window, tr!("tour-start"));
        shorten_runs(&mut window);
        if last >= TourStep::First {
            press(&mut window, tr!("tour-draw-use-samples"));
            wait_for(&mut window, TourStep::First);
        }
        if last >= TourStep::Guess {
            press(&mut window, tr!("tour-first-train"));
            wait_for(&mut window, TourStep::Guess);
        }
        if last >= TourStep::FineTuning {
            press(&mut window, tr!("tour-guess-kept"));
        }
        assert_eq!(tour(&window).step, last);
        window.get_by_label(tr!("tour-leave"));
        window.key_press(Key::Escape);
        window.run_steps(3);
        // After the first step the tour asks before leaving; Escape and Enter cancel.
        if last > TourStep::Draw {
            window.get_by_label(tr!("shell-ask-leave"));
            save_screenshot(&mut window, "tour-leave");
            for key in [Key::Escape, Key::Enter] {
                window.key_press(key);
                window.run_steps(3);
                assert_absent!(window, "shell-ask-leave");
                assert!(window.state().session.learn.tour.is_some());
                window.key_press(Key::Escape);
                window.run_steps(3);
            }
            window.get_by_label(tr!("shell-ask-leave-yes")).click();
            window.run_steps(3);
        }
        assert!(window.state().session.learn.tour.is_none(), "{last:?}");
        wait(&mut window, "the run of the tour ends", |app| !app.session.is_training());
        assert!(window.state().session.predict.pins.pins().is_empty());
    }
}

#[test]
fn escape_closes_menu_and_notices_before_tour() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num7);
    wait_until_idle(&mut window);
    press(&mut window, tr!("tour-start"));
    for (button, content) in [
        (tr!("settings-title"), tr!("settings-theme")),
        (tr!("shell-notices"), tr!("shell-notices-none")),
    ] {
        press(&mut window, button);
        assert!(window.query_all_by_label(content).count() > 0, "{content}");
        window.key_press(Key::Escape);
        window.run_steps(4);
        assert_eq!(window.query_all_by_label(content).count(), 0, "{content}");
        assert!(window.state().session.learn.tour.is_some(), "{content}");
    }
    window.key_press(Key::Escape);
    window.run_steps(4);
    assert!(window.state().session.learn.tour.is_none());
}

#[test]
fn leaving_tour_keeps_other_run_training() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    press(&mut window, tr!("tour-first-train"));
    let events = super::synthetic::events(2);
    events.into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num7);
    wait_until_idle(&mut window);
    press(&mut window, tr!("tour-start"));
    press(&mut window, tr!("tour-draw-use-samples"));
    press(&mut window, tr!("tour-first-train"));
    assert!(shows!(window, "tour-busy-about"));
    save_screenshot(&mut window, "tour-busy");
    press(&mut window, tr!("tour-busy-queue"));
    assert!(shows!(window, "tour-busy-queued"));
    press(&mut window, tr!("tour-leave"));
    press(&mut window, tr!("shell-ask-leave-yes"));
    wait_until_idle(&mut window);
    assert_eq!(backend.last_request(), ControlRequest::Run);
    assert!(window.state().session.is_training());
    assert_eq!(window.state().session.waiting().count(), 0);
}

#[test]
fn tour_controls_are_visible_in_small_windows() {
    let windows = [([1280.0, 800.0], 2.0), ([900.0, 600.0], 1.0), ([900.0, 600.0], 2.0)];
    for ((size, zoom), language) in
        windows.into_iter().flat_map(|window| Language::ALL.map(|(language, _)| (window, language)))
    {
        let runs = tempfile::tempdir().unwrap();
        let points = [size[0] / zoom, size[1] / zoom];
        let (mut window, _) = recorded_window(points, ThemeChoice::Dark, runs.path());
        let ctx = window.ctx.clone();
        window.state_mut().execute(&ctx, UiCommand::SetLanguage(language));
        window.key_press_modifiers(Modifiers::COMMAND, Key::Num7);
        wait_until_idle(&mut window);
        press(&mut window, language.text("tour-start"));
        wait_until_idle(&mut window);
        let name = format!("{}-{zoom}-{}", size[0], language.code());
        save_screenshot(&mut window, &format!("tour-size-{name}"));
        for key in ["tour-leave", "tour-draw-use-samples"] {
            let rect = window.get_by_label(language.text(key)).rect();
            let content_rect = window.ctx.content_rect();
            assert!(content_rect.contains_rect(rect), "{name}: {key} {rect:?} in {content_rect:?}");
        }
        let canvas = language.fill("tour-draw-canvas", &[("digit", "1")]);
        let canvas = window.get_by_label(&canvas).rect();
        assert!(canvas.width() >= 119.0 && canvas.right() <= points[0], "{name}");
    }
}

#[test]
fn reduced_motion_disables_animations() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    // The help button is visible while nothing trains.
    press(&mut window, tr!("shell-help"));
    save_screenshot(&mut window, "help");
    press(&mut window, tr!("help-tour"));
    assert_eq!(window.state().page, Page::Learn);
    press(&mut window, tr!("tour-leave"));
    let animation_time = |window: &Harness<'_, StudioApp>| window.ctx.global_style().animation_time;
    theme::set_animations(&window.ctx, true);
    assert!(animation_time(&window) > 0.0);
    window.get_by_label(tr!("settings-title")).click();
    window.run_steps(3);
    window.get_by_label(tr!("settings-reduce-motion")).click();
    window.run_steps(3);
    assert_eq!(animation_time(&window), 0.0);
}
