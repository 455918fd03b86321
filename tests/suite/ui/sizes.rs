//! The main controls stay visible in small windows and with large text.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::{Command, Event};
use lae_studio::session::collection::Purpose;
use lae_studio::session::file_dialog::DialogPurpose;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::annotations::store_seeded_run;
use super::synthetic::{events, prediction};
use super::{open_steps, recorded_window, save_screenshot, wait_until_idle};

/// Window sizes in pixels.
const WINDOWS: [[f32; 2]; 4] = [[900.0, 600.0], [1024.0, 768.0], [1280.0, 800.0], [1920.0, 1080.0]];
const ZOOMS: [f32; 3] = [1.0, 1.2, 2.0];

/// The content area of the window in points.
fn visible_rect(window: &Harness<'_, StudioApp>) -> egui::Rect {
    window.ctx.content_rect()
}

/// Opens a window of every size at every zoom and calls `check` with its name.
fn for_each_size(
    check: impl Fn(&mut Harness<'_, StudioApp>, &lae_studio::session::backend::RecordedBackend, &str),
) {
    let runs = tempfile::tempdir().unwrap();
    for (i, size) in WINDOWS.into_iter().enumerate() {
        let theme = match i % 2 {
            0 => ThemeChoice::Dark,
            _ => ThemeChoice::Light,
        };
        for zoom in ZOOMS {
            // A window of these pixels has fewer points at this zoom.
            let points = size.map(|side| side / zoom);
            let (mut window, backend) = recorded_window(points, theme, runs.path());
            wait_until_idle(&mut window);
            let name = format!("{}x{}-{zoom}", size[0], size[1]);
            check(&mut window, &backend, &name);
        }
    }
}

#[test]
fn start_button_and_tabs_visible_at_every_size() {
    for_each_size(|window, backend, name| {
        save_screenshot(window, &format!("size-experiment-{name}"));
        let content_rect = visible_rect(window);
        // A narrow window has one menu instead of tabs.
        let menu = window.query_by_label(tr!("shell-pages")).map(|menu| menu.rect());
        let tab = |title| window.get_by_role_and_label(egui::Role::Tab, title).rect();
        let titles = Page::ALL.into_iter().map(|(page, ..)| page.title());
        let tabs = menu.map_or_else(|| titles.map(tab).collect(), |menu| vec![menu]);
        for tab in tabs {
            assert!(content_rect.contains_rect(tab), "{name}: {tab:?} in {content_rect:?}");
        }
        let start = window.get_by_label(tr!("experiment-start")).rect();
        assert!(content_rect.contains_rect(start), "{name}: {start:?} in {content_rect:?}");
        let before = start;
        // Presets and start button do not move when settings change.
        let letters_rect = |window: &Harness<'_, StudioApp>| {
            let button = window.query_by_role_and_label(egui::Role::Button, tr!("data-letters"));
            button.map(|button| button.rect())
        };
        let letters_before = letters_rect(window);
        window.state_mut().session.experiment.draft.epochs = 0;
        window.state_mut().session.experiment.draft.batch = 0;
        wait_until_idle(window);
        assert_eq!(letters_rect(window), letters_before, "{name}");
        let start = window.get_by_label(tr!("experiment-start")).rect();
        assert!(content_rect.contains_rect(start), "{name}: {start:?} in {content_rect:?}");
        assert_eq!(start.bottom(), before.bottom(), "{name}");
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
        events(4).into_iter().for_each(|event| backend.push(event));
        wait_until_idle(window);
        save_screenshot(window, &format!("size-train-{name}"));
        // Help stays visible during a run.
        let help = window.query_by_label(tr!("shell-help"));
        assert!(help.is_some() || content_rect.width() < 500.0, "{name}");
        let unit = window.get_all_by_label_contains("Ensemble").next();
        assert!(content_rect.contains_rect(unit.unwrap().rect()), "{name}");
    });
}

#[test]
fn prediction_is_beside_canvas_at_every_size() {
    for_each_size(|window, backend, name| {
        events(4).into_iter().for_each(|event| backend.push(event));
        wait_until_idle(window);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
        wait_until_idle(window);
        super::flow::draw_seven(window);
        wait_until_idle(window);
        let commands = backend.commands();
        let Some(Command::Predict(request)) = commands.last() else {
            panic!("{name}: the drawing requested no prediction");
        };
        for &task in &request.tasks {
            backend.push(Event::Predicted(Box::new(prediction(request.ticket, task))));
        }
        wait_until_idle(window);
        save_screenshot(window, &format!("size-predict-{name}"));
        let content_rect = visible_rect(window);
        let canvas = window.get_by_label(tr!("shell-drawing-canvas")).rect();
        let answer = window.get_by_label_contains("score ").rect();
        assert!(content_rect.contains_rect(canvas), "{name}: {canvas:?} in {content_rect:?}");
        assert!(content_rect.contains_rect(answer), "{name}: {answer:?} in {content_rect:?}");
        assert!(answer.left() > canvas.right(), "{name}");
    });
}

/// Scrolls to the end at this position.
fn scroll_to_end(window: &mut Harness<'_, StudioApp>, at: egui::Pos2) {
    for _ in 0..6 {
        scroll(window, at, -400.0);
        window.run_steps(4);
    }
}

/// Scrolls once at this position by this number of points.
pub fn scroll(window: &mut Harness<'_, StudioApp>, at: egui::Pos2, by: f32) {
    window.hover_at(at);
    window.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, by),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: egui::Modifiers::NONE,
    });
}

/// Inputs that extend beyond the left or right edge of the window.
fn inputs_outside_window(window: &Harness<'_, StudioApp>) -> Vec<String> {
    use egui::Role;
    let content_rect = visible_rect(window);
    let roles = [
        Role::Button,
        Role::CheckBox,
        Role::ComboBox,
        Role::Link,
        Role::Slider,
        Role::SpinButton,
        Role::TextInput,
    ];
    let nodes = roles.into_iter().flat_map(|role| window.query_all_by_role(role));
    let outside = nodes.filter(|node| {
        let x = node.rect().x_range();
        x.max > content_rect.right() + 1.0 || x.min < content_rect.left() - 1.0
    });
    outside
        .map(|node| {
            let name = node.accesskit_node().label().unwrap_or_default();
            format!("{name} at {:?}", node.rect().x_range())
        })
        .collect()
}

#[test]
fn dialogs_scroll_to_end_in_smallest_window() {
    let runs = tempfile::tempdir().unwrap();
    let run = store_seeded_run(runs.path(), 1);
    let dialogs = [
        ("teach", UiCommand::AddTask(run.clone()), tr!("shell-cancel")),
        ("describe", UiCommand::Describe(run.clone()), tr!("shell-cancel")),
        ("collect", UiCommand::Collect(Purpose::Data), tr!("shell-cancel")),
        ("lesson", UiCommand::Collect(Purpose::AddedTask(run)), tr!("shell-cancel")),
        ("deleted", UiCommand::ShowDeleted, tr!("shell-close")),
        ("folders", UiCommand::ShowFolders, tr!("shell-close")),
        ("report", UiCommand::ReportProblem, tr!("shell-close")),
        ("path", UiCommand::TypePath(DialogPurpose::DataFolder), tr!("shell-cancel")),
    ];
    for (name, command, close_label) in dialogs {
        let (mut window, _) = recorded_window([450.0, 300.0], ThemeChoice::Light, runs.path());
        wait_until_idle(&mut window);
        assert!(window.query_by_label(close_label).is_none(), "{name}");
        let ctx = window.ctx.clone();
        window.state_mut().execute(&ctx, command);
        wait_until_idle(&mut window);
        let content_rect = visible_rect(&window);
        for share in [0.2, 0.5, 0.8] {
            let top = window.get_by_label(close_label).rect();
            if !content_rect.contains_rect(top) {
                scroll_to_end(&mut window, content_rect.lerp_inside(egui::vec2(share, 0.5)));
            }
        }
        save_screenshot(&mut window, &format!("dialog-{name}"));
        let outside = inputs_outside_window(&window);
        assert!(outside.is_empty(), "{name}: {outside:?}");
        let rect = window.get_by_label(close_label).rect();
        assert!(content_rect.contains_rect(rect), "{name}: {rect:?} in {content_rect:?}");
        window.get_by_label(close_label).click();
        wait_until_idle(&mut window);
        assert!(window.query_by_label(close_label).is_none(), "{name} does not close");
    }
}

#[test]
fn inputs_stay_inside_small_windows() {
    let runs = tempfile::tempdir().unwrap();
    store_seeded_run(runs.path(), 1);
    let mut outside_inputs = Vec::new();
    for size in [[450.0, 300.0], [512.0, 384.0], [640.0, 400.0], [750.0, 500.0]] {
        let (mut window, backend) = recorded_window(size, ThemeChoice::Dark, runs.path());
        wait_until_idle(&mut window);
        open_steps(&mut window);
        events(4).into_iter().for_each(|event| backend.push(event));
        let ctx = window.ctx.clone();
        for (page, ..) in lae_studio::ui::command::Page::ALL {
            let title = page.title();
            window.state_mut().execute(&ctx, UiCommand::Show(page));
            wait_until_idle(&mut window);
            let name = format!("{title} at {}", size[0]);
            save_screenshot(&mut window, &format!("small-{title}-{}", size[0]));
            // Table headers may be scrolled out of the window.
            let outside = inputs_outside_window(&window).into_iter();
            let outside = outside.filter(|name| !says!(name, "glossary-term-meaning"));
            outside_inputs.extend(outside.map(|input| format!("{name}: {input}")));
        }
    }
    assert!(outside_inputs.is_empty(), "{outside_inputs:#?}");
}
