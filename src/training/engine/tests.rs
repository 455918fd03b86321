//! Tests that predictions do not delay training, and that a hanging thread does not keep the window open.

use std::path::Path;
use std::sync::Mutex;

use super::*;
use crate::run::config::{RunConfig, Setting};
use crate::run::event::{NamedImage, PredictRequest};

/// Waits for the next event that `wanted` accepts.
fn wait_for_event<T>(engine: &Engine, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
    loop {
        if let Some(found) = engine.try_recv().and_then(|job_event| wanted(job_event.event)) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_finished(event: &Event) -> bool {
    assert!(!matches!(event, Event::Failed { .. }), "{event:?}");
    matches!(event, Event::Finished { .. })
}

fn train_command(seed: u64) -> Command {
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
fn predict_command(ticket: u64, run: &Path, tasks: &[usize]) -> Command {
    let image =
        NamedImage { name: String::new(), width: 32, height: 32, rgb: vec![90; 32 * 32 * 3] };
    Command::Predict(PredictRequest {
        ticket,
        about: 0,
        run: run.into(),
        picture: image,
        tasks: tasks.into(),
    })
}

#[test]
fn training_continues_while_a_predictor_loads() {
    let root = tempfile::tempdir().unwrap();
    let (start_sender, starts) = channel();
    let (release, released) = channel::<()>();
    let gate = Mutex::new((start_sender, released));
    let prepare: LoadPredictor = Arc::new(move |folder, task, cache| {
        let gate = gate.lock().unwrap();
        gate.0.send(task).unwrap();
        gate.1.recv().unwrap();
        PreparedPredictor::load(folder, task, cache)
    });
    let root = root.path().to_path_buf();
    let engine = Engine::start_with(root, Arc::new(|| {}), prepare).unwrap();
    engine.send(train_command(1));
    let mut run = PathBuf::new();
    wait_for_event(&engine, |event| {
        if let Event::Started(header) = &event {
            run.clone_from(&header.folder);
        }
        is_finished(&event).then_some(())
    });
    let predict = |ticket, run: &Path, tasks: &[usize]| {
        engine.send(predict_command(ticket, run, tasks));
    };
    engine.send(train_command(2));
    predict(1, &run, &[0, 1, 7]);
    predict(2, &run.join("gone"), &[0]);
    assert_eq!(starts.recv().unwrap(), 0);
    // The helper hangs, but every batch of the second run is trained.
    wait_for_event(&engine, |event| {
        let answered = matches!(event, Event::Predicted(_) | Event::NotPredicted { .. });
        assert!(!answered, "{event:?}");
        is_finished(&event).then_some(())
    });
    (0..4).for_each(|_| release.send(()).unwrap());
    let mut answers = Vec::new();
    wait_for_event(&engine, |event| {
        match event {
            Event::Predicted(answer) => answers.push((answer.ticket, Some(answer.task))),
            Event::NotPredicted { ticket, .. } => answers.push((ticket, None)),
            _ => {}
        }
        (answers.len() == 4).then_some(())
    });
    answers.sort_unstable();
    // Two snapshots of the first request are available; the third is not.
    assert_eq!(answers, [(1, None), (1, Some(0)), (1, Some(1)), (2, None)]);
}

#[test]
fn lost_device_reloads_predictor() {
    let root = tempfile::tempdir().unwrap();
    let (start_sender, starts) = channel();
    let start_sender = Mutex::new(start_sender);
    let prepare: LoadPredictor = Arc::new(move |folder, task, cache| {
        start_sender.lock().unwrap().send(task).unwrap();
        PreparedPredictor::load(folder, task, cache)
    });
    let engine = Engine::start_with(root.path().to_path_buf(), Arc::new(|| {}), prepare).unwrap();
    engine.send(train_command(1));
    let run = wait_for_event(&engine, |event| match event {
        Event::Finished { run } => Some(root.path().join(run)),
        _ => None,
    });
    let predict = |ticket| {
        engine.send(predict_command(ticket, &run, &[0]));
        wait_for_event(&engine, |event| match event {
            Event::Predicted(answer) => Some(answer.ticket),
            Event::NotPredicted { problem, .. } => panic!("{problem}"),
            _ => None,
        });
    };
    predict(1);
    predict(2);
    assert_eq!(starts.try_iter().count(), 1);
    device::record_out_of_memory();
    device::take_out_of_memory();
    predict(3);
    assert_eq!(starts.try_iter().count(), 1);
}

#[test]
fn wait_for_gives_up_on_hanging_thread() {
    let (_keep, never) = channel::<()>();
    let hung = std::thread::spawn(move || {
        let _ = never.recv();
    });
    assert!(!wait_for(hung, Duration::from_millis(50)));
    assert!(wait_for(std::thread::spawn(|| {}), PATIENCE));
}
