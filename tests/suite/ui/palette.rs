//! The command palette: order of matches, no accidental stop of a run, a stable position.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::event::ControlRequest;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::palette_entries::matching_entries;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::events;
use super::{recorded_window, save_screenshot, wait_until_idle};

fn titles(window: &Harness<'_, StudioApp>, typed: &str) -> Vec<String> {
    let entries = matching_entries(&window.state().session, typed);
    entries.into_iter().map(|entry| entry.title).collect()
}

#[test]
fn typing_run_never_offers_stop() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(3).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    let stops_run = |title: &String| {
        title.starts_with(tr!("train-stop-run")) || title.starts_with(tr!("compare-delete"))
    };
    for typed in ["run", "r", "the run", "save", "un"] {
        assert!(!titles(&window, typed).iter().any(stops_run), "{typed}");
    }
    assert_eq!(titles(&window, "stop")[0], tr!("entries-stop"));
    assert_eq!(
        titles(&window, "run")[..2],
        [tr!("experiment-start"), tr!("experiment-three-class-orders")]
    );
    assert_eq!(titles(&window, "train")[0], tr!("experiment-start"));
    assert_eq!(titles(&window, "start")[0], tr!("experiment-start"));
    assert_eq!(
        titles(&window, "pred")[0],
        "Predict with digits · LAE · adapter 5 · still learning"
    );
    assert_eq!(titles(&window, "dark")[0], tr!("entries-theme-dark"));
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(3);
    window.get_by_label(tr!("palette-command")).type_text("compare");
    window.run_steps(3);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Compare);
    assert_eq!(backend.last_request(), ControlRequest::Run);
}

#[test]
fn enter_in_same_frame_as_text_runs_match_of_text() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([900.0, 600.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(3);
    // Queued events would be spread over several frames.
    let enter = egui::Event::Key {
        key: egui::Key::Enter,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: egui::Modifiers::NONE,
    };
    window.input_mut().events.extend([egui::Event::Text("compare".into()), enter]);
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Compare);
}

#[test]
fn palette_keeps_position_while_typing() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([900.0, 600.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(4);
    let layout = |window: &Harness<'_, StudioApp>| {
        let field = window.get_by_label(tr!("palette-command")).rect();
        (field, window.ctx.memory(|m| m.area_rect(egui::Id::unique("palette"))))
    };
    let before = layout(&window);
    for letter in ["t", "h", "e", "m", "e", "x"] {
        window.get_by_label(tr!("palette-command")).type_text(letter);
        window.run_steps(3);
        assert_eq!(layout(&window), before, "after {letter}");
    }
    save_screenshot(&mut window, "palette-nothing");
    // The list scrolls with the arrow keys.
    for _ in 0..6 {
        window.key_press(egui::Key::Backspace);
    }
    for _ in 0..14 {
        window.key_press(egui::Key::ArrowDown);
    }
    window.run_steps(3);
    assert_eq!(layout(&window), before);
    let fifteenth = titles(&window, "")[14].clone();
    window.get_by_label_contains(&fifteenth);
}

#[test]
fn palette_finds_window_actions() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    events(5).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    for typed in [
        "pause",
        "pause the queue",
        "paste",
        "zoom",
        "device",
        "copy",
        "reload runs",
        "notifications",
        "letters",
        "weight",
        "data folder",
        "class order",
        "reload dataset",
        "preset",
        "frame",
    ] {
        assert!(!titles(&window, typed).is_empty(), "{typed}");
    }
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Zoom(1.5));
    window.run_steps(3);
    assert!((window.ctx.zoom_factor() - 1.5).abs() < 1e-6);
}

#[test]
fn entries_without_effect_are_disabled() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let find = |window: &Harness<'_, StudioApp>, title: &str| {
        let entries = matching_entries(&window.state().session, title);
        let entry = entries.into_iter().find(|entry| entry.title == title).unwrap();
        (entry.enabled, entry.page)
    };
    let baseline = tr!("entries-train-with-baseline");
    assert!(find(&window, baseline).0);
    window.state_mut().session.experiment.draft.method = "baseline".into();
    assert!(!find(&window, baseline).0, "the settings already train the Baseline");
    // The shortcut applies only on Experiment.
    assert_eq!(find(&window, tr!("entries-undo")).1, Some(Page::Experiment));
    window.state_mut().session.vary("method");
    assert!(!find(&window, tr!("experiment-three-class-orders")).0);
}

#[test]
fn pasting_an_image_shows_predict() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_steps(3);
    window.get_by_label(tr!("palette-command")).type_text(tr!("entries-paste-image"));
    window.run_steps(3);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Predict);
}
