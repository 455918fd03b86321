//! Ten thousand classes and a thousand tasks: the window draws them, quickly, and a cell can still
//! be looked at.

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Answers, Expert};
use lae_studio::run::event::{Event, RunHeader, TaskReport};
use lae_studio::session::run_view::RunView;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{drawn, recorded, settle, shot};

/// Longest time for a frame, averaged over some: ten times what it takes, so that a busy machine
/// does not count as slow, and a hundredth of what it would take cell by cell.
const FRAME: Duration = Duration::from_millis(100);

fn large(classes: usize, tasks: usize) -> RunHeader {
    let each = classes / tasks;
    RunHeader {
        run: format!("{classes} classes"),
        about: Default::default(),
        class_order: (0..classes).map(|c| format!("class {c}")).collect(),
        tasks: (0..tasks).map(|t| t * each..(t + 1) * each).collect(),
        train_images: vec![24; tasks],
        test_images: vec![2 * each; tasks],
        ..header()
    }
}

/// Two images of every class so far; every hundredth class is taken for the one after the next.
fn measured(header: &RunHeader, task: usize) -> TaskReport {
    let labels: Vec<usize> = (0..2 * header.tasks[task].end).map(|i| i / 2).collect();
    let taken = |label: &usize| match label % 100 {
        0 => (label + 2) % header.tasks[task].end,
        _ => *label,
    };
    let ensemble: Vec<usize> = labels.iter().map(taken).collect();
    TaskReport {
        task,
        losses: Vec::new(),
        answers: Answers {
            samples: (0..labels.len()).collect(),
            sources: Vec::new(),
            given: [(Expert::Ensemble, ensemble)].into(),
            certainty: Default::default(),
            task_given: Vec::new(),
            labels,
        },
        ..report(0)
    }
}

/// The time of one frame, averaged over ten.
fn frame(window: &mut Harness<'_, StudioApp>) -> Duration {
    let begun = Instant::now();
    window.run_steps(10);
    begun.elapsed() / 10
}

#[test]
fn ten_thousand_classes_are_drawn_as_blocks_and_a_block_can_be_opened() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    let header = large(10_000, 10);
    let last = measured(&header, 9);
    backend.push(Event::Started(Box::new(header.clone())));
    for task in 0..10 {
        backend.push(Event::TaskEvaluated {
            run: header.run.clone(),
            report: Box::new(measured(&header, task)),
        });
    }
    settle(&mut window);
    // The graphics card takes the picture.
    drawn(&mut window);
    shot(&mut window, "large-classes");
    let took = frame(&mut window);
    assert!(took < FRAME, "{took:?} a frame");
    let worst = window.get_all_by_label_contains("taken for").count();
    assert_eq!(worst, 6);

    // A cell in the middle stands for a block of classes: its images are those of all of them.
    window.get_by_label("Confusion matrix").click();
    settle(&mut window);
    window.get_by_label_contains(" … class");
    window.get_by_label("Back");
    let confusion = last.answers.confusion(Expert::Ensemble, 10_000);
    assert_eq!(confusion.total(&(0..10_000)), 20_000);
}

#[test]
fn a_thousand_tasks_are_opened_and_drawn_quickly() {
    let header = large(2_000, 1_000);
    let reports: Vec<TaskReport> = (0..1_000).map(|task| measured(&header, task)).collect();
    let begun = Instant::now();
    let run = RunView::stored(header.clone(), reports.clone());
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?} to open");
    assert_eq!(run.of(Expert::Ensemble).matrix.len(), 1_000);

    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    let name = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    backend.push(Event::TakenUp { run: name, reports });
    settle(&mut window);
    drawn(&mut window);
    shot(&mut window, "large-tasks");
    let took = frame(&mut window);
    assert!(took < FRAME, "{took:?} a frame");
    // Over tasks, too.
    window
        .get_by_role_and_label(egui::Role::RadioButton, "Tasks")
        .click();
    settle(&mut window);
    let took = frame(&mut window);
    assert!(took < FRAME, "{took:?} a frame over tasks");
    let line = window.get_all_by_label_contains("taken for").next();
    line.unwrap().click();
    settle(&mut window);
    let took = frame(&mut window);
    assert!(took < FRAME, "{took:?} a frame with a cell");
}
