//! The engine thread: runs in line, predictions between batches, pause, stop, and life after a
//! failed job.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::data::Made;
use lae_studio::engine::Engine;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Event, Phase, Picture, PredictRequest, Wish};

/// Far beyond what any of these runs takes.
const PATIENCE: Duration = Duration::from_secs(300);

fn short() -> RunConfig {
    RunConfig {
        classes_per_task: "5".into(),
        epochs: 2,
        settings: crate::frozen_epochs(1),
        batch: 8,
        train_limit: Some(10),
        test_limit: Some(6),
        device: "cpu".into(),
        ..RunConfig::default()
    }
}

fn train(config: RunConfig) -> Command {
    Command::Train {
        config: Box::new(config),
    }
}

fn engine(root: &Path) -> (Engine, Arc<AtomicUsize>) {
    let woken = Arc::new(AtomicUsize::new(0));
    let count = woken.clone();
    let wake = Arc::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    (Engine::start(root.to_path_buf(), wake).unwrap(), woken)
}

/// Waits for an event that `wanted` turns into something.
fn wait<T>(engine: &Engine, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        match engine.try_recv() {
            Some(event) => {
                if let Some(found) = wanted(event) {
                    return found;
                }
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    panic!("the event did not come");
}

fn drawing() -> Picture {
    let mut rgb = vec![0; 40 * 40 * 3];
    for row in 5..35 {
        for column in 18..23 {
            rgb[(row * 40 + column) * 3..][..3].fill(255);
        }
    }
    Picture {
        name: "drawing".into(),
        width: 40,
        height: 40,
        rgb,
    }
}

fn folder(event: Event) -> Option<PathBuf> {
    match event {
        Event::Started(header) => Some(header.folder),
        _ => None,
    }
}

#[test]
fn a_picture_is_predicted_while_its_run_trains() {
    let root = tempfile::tempdir().unwrap();
    let (engine, woken) = engine(root.path());
    engine.send(train(RunConfig {
        epochs: 6,
        settings: crate::frozen_epochs(3),
        ..short()
    }));
    let run = wait(&engine, folder);
    let told = |event| matches!(event, Event::TaskEvaluated { .. }).then_some(());
    wait(&engine, told);
    // The run waits, so that it cannot end before the answer; predictions are served meanwhile.
    engine.control.set(Wish::Pause);
    let tasks = vec![0];
    engine.send(Command::Predict(PredictRequest {
        ticket: 7,
        run: run.clone(),
        picture: drawing(),
        tasks,
    }));
    let answer = wait(&engine, |event| match event {
        Event::Predicted(prediction) => Some(prediction),
        Event::Finished { .. } => panic!("answered only after the run"),
        Event::NotPredicted { problem, .. } => panic!("{problem}"),
        _ => None,
    });
    assert_eq!(
        (answer.ticket, answer.task, answer.classes.len()),
        (7, 0, 5)
    );
    assert_eq!(answer.seen.len(), answer.seen_size * answer.seen_size * 3);
    engine.control.set(Wish::Run);
    wait(&engine, |event| {
        matches!(event, Event::Finished { .. }).then_some(())
    });
    assert!(woken.load(Ordering::Relaxed) > 5);
}

#[test]
fn pause_holds_the_run_and_stop_saves_it_for_later() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    engine.control.set(Wish::Pause);
    engine.send(train(short()));
    let run = wait(&engine, folder);
    let paused = |event: Event| {
        matches!(
            event,
            Event::Phase {
                phase: Phase::Paused,
                ..
            }
        )
        .then_some(())
    };
    wait(&engine, paused);
    engine.control.set(Wish::Stop);
    wait(&engine, |event| {
        matches!(event, Event::Stopped { .. }).then_some(())
    });
    engine.send(Command::Resume { run });
    wait(&engine, |event| match event {
        Event::Finished { .. } => Some(()),
        Event::Failed { problem, .. } => panic!("{problem}"),
        _ => None,
    });
}

#[test]
fn stop_forgets_the_runs_in_line_but_not_later_ones() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    let seeded = |seed| RunConfig { seed, ..short() };
    engine.control.set(Wish::Pause);
    for seed in 1..=3 {
        engine.send(train(seeded(seed)));
    }
    wait(&engine, folder);
    engine.send(Command::Stop);
    engine.send(train(seeded(4)));
    let mut begun = Vec::new();
    wait(&engine, |event| {
        if let Event::Started(header) = &event {
            begun.push(header.config.seed);
        }
        matches!(event, Event::Finished { .. }).then_some(())
    });
    assert_eq!(begun, [4]);
}

#[test]
fn files_that_changed_count_once_the_data_set_is_forgotten() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    let made = Made::new();
    made.class("train/a", 8).class("train/b", 8);
    made.class("test/a", 2).class("test/b", 2);
    let config = RunConfig {
        data: made.path().to_string_lossy().into_owned(),
        classes_per_task: "1".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        train_limit: None,
        test_limit: None,
        ..short()
    };
    let images = || {
        engine.send(train(config.clone()));
        let header = wait(&engine, |event| match event {
            Event::Started(header) => Some(header),
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => None,
        });
        let end = |event| matches!(event, Event::Finished { .. }).then_some(());
        wait(&engine, end);
        header.train_images.clone()
    };
    assert_eq!(images(), [8, 8]);
    made.class("train/b", 12);
    assert_eq!(images(), [8, 8]);
    engine.send(Command::ForgetData);
    assert_eq!(images(), [8, 12]);
}

#[test]
fn a_failed_job_is_told_and_the_next_one_runs() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    engine.send(train(RunConfig {
        data: "/nowhere".into(),
        ..short()
    }));
    engine.send(Command::Predict(PredictRequest {
        ticket: 3,
        run: root.path().join("no-such-run"),
        picture: drawing(),
        tasks: vec![0],
    }));
    engine.send(train(short()));
    let (mut failed, mut unanswered) = (false, false);
    wait(&engine, |event| {
        match event {
            Event::Failed { problem, .. } => failed = !problem.what.is_empty(),
            Event::NotPredicted { ticket, .. } => unanswered = ticket == 3,
            Event::Finished { .. } => return Some(()),
            _ => {}
        }
        None
    });
    assert!(failed && unanswered);
}
