//! Fast strokes in a slow window: none is lost, and each can be undone.

use egui::{Event, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::event::{Command, NamedImage};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::drawing::Drawing;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;
use lae_studio::ui::theme;
use lae_studio::ui::widgets::canvas::canvas;

use super::synthetic::events;
use super::{recorded_window, wait_until_idle};

fn pointer_button(pos: Pos2, pressed: bool) -> Event {
    Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    }
}

/// The events of a stroke through these positions.
fn stroke(points: &[Pos2]) -> Vec<Event> {
    let mut events = vec![Event::PointerMoved(points[0]), pointer_button(points[0], true)];
    events.extend(points.iter().map(|point| Event::PointerMoved(*point)));
    events.push(pointer_button(points[points.len() - 1], false));
    events
}

#[test]
fn several_strokes_in_one_frame_are_all_drawn() {
    let mut drawing = Drawing::default();
    drawing.pen = 0.05;
    let mut harness = Harness::builder().with_size([200.0, 200.0]).build_ui_state(
        |ui, (drawing, lifted): &mut (Drawing, usize)| {
            *lifted += usize::from(canvas(ui, 160.0, drawing, true));
        },
        (drawing, 0),
    );
    theme::install(&harness.ctx);
    harness.run_steps(2);
    let rect = harness.get_by_label(tr!("shell-drawing-canvas")).rect();
    let position = |x: f32, y: f32| rect.min + egui::vec2(x, y) * rect.width();
    let first = [position(0.1, 0.1), position(0.5, 0.1), position(0.9, 0.1), position(0.9, 0.9)];
    let second = [position(0.2, 0.5), position(0.4, 0.8)];
    let dot = [position(0.7, 0.3)];
    for points in [&first[..], &second, &dot] {
        harness.input_mut().events.extend(stroke(points));
    }
    harness.step();
    let (drawing, lifted) = harness.state();
    assert_eq!(drawing.strokes.len(), 3, "{drawing:?}");
    assert_eq!(drawing.strokes[0].len(), 4);
    assert_eq!(drawing.strokes[1].len(), 2);
    assert_eq!((drawing.strokes[2].len(), *lifted), (1, 1));
    // A stroke that continues in the next frame and ends outside the canvas.
    harness.input_mut().events.extend([
        Event::PointerMoved(position(0.3, 0.3)),
        pointer_button(position(0.3, 0.3), true),
        Event::PointerMoved(position(0.3, 0.6)),
    ]);
    harness.step();
    assert!(harness.state().0.down);
    let outside = pos2(rect.left() - 40.0, rect.bottom());
    harness
        .input_mut()
        .events
        .extend([Event::PointerMoved(outside), pointer_button(outside, false)]);
    harness.step();
    let (drawing, lifted) = harness.state();
    assert_eq!(drawing.strokes[3].len(), 3);
    assert_eq!((drawing.down, *lifted), (false, 2));
    // A drag that begins outside the canvas is no stroke.
    harness.input_mut().events.extend(stroke(&[outside, position(0.5, 0.5)]));
    harness.step();
    assert_eq!(harness.state().0.strokes.len(), 4);
}

/// The images of all prediction requests, oldest first.
fn predicted_images(backend: &RecordedBackend) -> Vec<NamedImage> {
    let commands = backend.commands().into_iter();
    commands
        .filter_map(|command| match command {
            Command::Predict(request) => Some(request.picture),
            _ => None,
        })
        .collect()
}

fn draw(window: &mut Harness<'_, StudioApp>, from: [f32; 2], to: [f32; 2]) {
    let rect = window.get_by_label(tr!("shell-drawing-canvas")).rect();
    let position = |p: [f32; 2]| rect.min + egui::vec2(p[0], p[1]) * rect.width();
    window.input_mut().events.extend(stroke(&[position(from), position(to)]));
    wait_until_idle(window);
}

#[test]
fn ctrl_z_removes_strokes_and_predicts_again() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    events(3).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    window.key_press_modifiers(Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    draw(&mut window, [0.2, 0.2], [0.8, 0.2]);
    draw(&mut window, [0.5, 0.2], [0.5, 0.9]);
    let images = predicted_images(&backend);
    assert_eq!(images.len(), 2);
    // The shortcut for redo does not undo a stroke.
    window.key_press_modifiers(Modifiers::COMMAND.plus(Modifiers::SHIFT), egui::Key::Z);
    wait_until_idle(&mut window);
    assert_eq!(predicted_images(&backend).len(), 2);
    window.key_press_modifiers(Modifiers::COMMAND, egui::Key::Z);
    wait_until_idle(&mut window);
    let images = predicted_images(&backend);
    assert_eq!(images.len(), 3);
    assert_eq!(images[2], images[0], "only the first stroke is predicted again");
    window.key_press_modifiers(Modifiers::COMMAND, egui::Key::Z);
    wait_until_idle(&mut window);
    assert!(window.state().session.predict.image.is_none());
    assert_eq!(predicted_images(&backend).len(), 3);
}
