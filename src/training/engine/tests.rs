//! Tests that predictions do not delay training, and that a hanging thread does not keep the window open.

use std::path::Path;
use std::sync::Mutex;

use super::*;
use crate::run::config::{RunConfig, Setting};
use crate::run::event::{Picture, PredictRequest};

/// Waits for the next event that `wanted` accepts.
fn wait<T>(engine: &Engine, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
    loop {
        if let Some(found) = engine.try_recv().and_then(|told| wanted(told.event)) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn ended(event: &Event) -> bool {
    assert!(!matches!(event, Event::Failed { .. }), "{event:?}");
    matches!(event, Event::Finished { .. })
}

fn short(seed: u64) -> Command {
    let config = RunConfig {
        classes_per_task: "5".into(),
        epochs: 1,
        settings: [("freeze_epochs".to_string(), Setting::Whole(0))].into(),
        train_limit: Some(6),
        test_limit: Some(4),
        device: "cpu".into(),
        seed,
        ..RunConfig::default()
    };
    Command::Queue(Box::new(Job::train(config, String::new())))
}

/// Returns a request to predict a grey image after these tasks.
fn question(ticket: u64, run: &Path, tasks: &[usize]) -> Command {
    let picture = Picture {
        name: String::new(),
        width: 32,
        height: 32,
        rgb: vec![90; 32 * 32 * 3],
    };
    Command::Predict(PredictRequest {
        ticket,
        about: 0,
        run: run.into(),
        picture,
        tasks: tasks.into(),
    })
}

#[test]
fn a_run_ends_while_what_a_prediction_needs_is_still_being_made_ready() {
    let root = tempfile::tempdir().unwrap();
    let (began, begun) = channel();
    let (release, held) = channel::<()>();
    let held = Mutex::new((began, held));
    let prepare: LoadPredictor = Arc::new(move |folder, task, cache| {
        let held = held.lock().unwrap();
        held.0.send(task).unwrap();
        held.1.recv().unwrap();
        Prepared::ahead(folder, task, cache)
    });
    let root = root.path().to_path_buf();
    let engine = Engine::start_with(root, Arc::new(|| {}), prepare).unwrap();
    engine.send(short(1));
    let mut run = PathBuf::new();
    wait(&engine, |event| {
        if let Event::Started(header) = &event {
            run.clone_from(&header.folder);
        }
        ended(&event).then_some(())
    });
    let ask = |ticket, run: &Path, tasks: &[usize]| {
        engine.send(question(ticket, run, tasks));
    };
    engine.send(short(2));
    ask(1, &run, &[0, 1, 7]);
    ask(2, &run.join("gone"), &[0]);
    assert_eq!(begun.recv().unwrap(), 0);
    // The helper hangs, but every batch of the second run is trained.
    wait(&engine, |event| {
        let answered = matches!(event, Event::Predicted(_) | Event::NotPredicted { .. });
        assert!(!answered, "{event:?}");
        ended(&event).then_some(())
    });
    (0..4).for_each(|_| release.send(()).unwrap());
    let mut told = Vec::new();
    wait(&engine, |event| {
        match event {
            Event::Predicted(answer) => told.push((answer.ticket, Some(answer.task))),
            Event::NotPredicted { ticket, .. } => told.push((ticket, None)),
            _ => {}
        }
        (told.len() == 4).then_some(())
    });
    told.sort_unstable();
    // Two snapshots of the first request are available; the third is not.
    assert_eq!(told, [(1, None), (1, Some(0)), (1, Some(1)), (2, None)]);
}

#[test]
fn what_lay_on_a_lost_device_is_made_ready_anew() {
    let root = tempfile::tempdir().unwrap();
    let (began, begun) = channel();
    let began = Mutex::new(began);
    let prepare: LoadPredictor = Arc::new(move |folder, task, cache| {
        began.lock().unwrap().send(task).unwrap();
        Prepared::ahead(folder, task, cache)
    });
    let engine = Engine::start_with(root.path().to_path_buf(), Arc::new(|| {}), prepare).unwrap();
    engine.send(short(1));
    let run = wait(&engine, |event| match event {
        Event::Finished { run } => Some(root.path().join(run)),
        _ => None,
    });
    let ask = |ticket| {
        engine.send(question(ticket, &run, &[0]));
        wait(&engine, |event| match event {
            Event::Predicted(answer) => Some(answer.ticket),
            Event::NotPredicted { problem, .. } => panic!("{problem}"),
            _ => None,
        });
    };
    ask(1);
    ask(2);
    assert_eq!(begun.try_iter().count(), 1);
    device::note_out_of_memory();
    device::take_out_of_memory();
    ask(3);
    assert_eq!(begun.try_iter().count(), 1);
}

#[test]
fn a_thread_that_hangs_does_not_keep_the_window_open() {
    let (_keep, never) = channel::<()>();
    let hung = std::thread::spawn(move || {
        let _ = never.recv();
    });
    assert!(!wait_for(hung, Duration::from_millis(50)));
    assert!(wait_for(std::thread::spawn(|| {}), PATIENCE));
}
