//! The engine thread: queued runs, predictions between batches, pause, stop, and failed jobs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::PATIENCE;
use crate::data::Made;
use lae_studio::engine::Engine;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, ControlRequest, Event, Phase, Picture, PredictRequest};
use lae_studio::run::job::{Job, JobWork};
use lae_studio::run::queue::JobEvent;
use lae_studio::store;

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

pub fn train(config: RunConfig) -> Command {
    Command::Queue(Box::new(Job::train(config, String::new())))
}

fn engine(root: &Path) -> (Engine, Arc<AtomicUsize>) {
    let woken = Arc::new(AtomicUsize::new(0));
    let count = woken.clone();
    let wake = Arc::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    (Engine::start(root.to_path_buf(), wake).unwrap(), woken)
}

/// Waits for an event for which `wanted` returns a value.
pub fn wait<T>(engine: &Engine, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
    wait_job_event(engine, |told| wanted(told.event))
}

/// Like `wait`, with the job of each event.
fn wait_job_event<T>(engine: &Engine, mut wanted: impl FnMut(JobEvent) -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        match engine.try_recv() {
            Some(told) => {
                if let Some(found) = wanted(told) {
                    return found;
                }
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    panic!("timed out waiting for an event");
}

pub fn drawing() -> Picture {
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

pub fn folder(event: Event) -> Option<PathBuf> {
    match event {
        Event::Started(header) => Some(header.folder),
        _ => None,
    }
}

#[test]
fn run_has_job_name_from_start() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    let name = "A lesson: the run".to_string();
    let job = Job::train_named(short(), name.clone());
    assert_eq!((&job.title, &job.name), (&name, &name));
    engine.send(Command::Queue(Box::new(job)));
    let header = wait(&engine, |event| match event {
        Event::Started(header) => Some(header),
        _ => None,
    });
    assert_eq!(header.about.name, name);
    wait(&engine, |event| {
        matches!(event, Event::Finished { .. }).then_some(())
    });
    let stored = store::load(&header.folder).unwrap();
    assert_eq!(stored.header.about.name, name);
}

#[test]
fn predicts_while_run_trains() {
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
    // A paused run cannot finish before the answer; predictions are still served.
    engine.control.set(ControlRequest::Pause);
    let tasks = vec![0];
    engine.send(Command::Predict(PredictRequest {
        ticket: 7,
        about: 0,
        run: run.clone(),
        picture: drawing(),
        tasks,
    }));
    let answer = wait(&engine, |event| match event {
        Event::Predicted(prediction) => Some(prediction),
        Event::Finished { .. } => panic!("the run finished before the prediction"),
        Event::NotPredicted { problem, .. } => panic!("{problem}"),
        _ => None,
    });
    assert_eq!(
        (answer.ticket, answer.task, answer.classes.len()),
        (7, 0, 5)
    );
    assert_eq!(answer.seen.len(), answer.seen_size * answer.seen_size * 3);
    engine.control.set(ControlRequest::Run);
    wait(&engine, |event| {
        matches!(event, Event::Finished { .. }).then_some(())
    });
    assert!(woken.load(Ordering::Relaxed) > 5);
}

#[test]
fn paused_run_stops_and_resumes() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    engine.control.set(ControlRequest::Pause);
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
    engine.control.set(ControlRequest::Stop);
    wait(&engine, |event| {
        matches!(event, Event::Stopped { .. }).then_some(())
    });
    engine.send(Command::Queue(Box::new(Job::resume(
        run,
        None,
        String::new(),
    ))));
    wait(&engine, |event| match event {
        Event::Finished { .. } => Some(()),
        Event::Failed { problem, .. } => panic!("{problem}"),
        _ => None,
    });
}

/// Returns jobs of very short runs with these seeds.
fn seeded(seeds: std::ops::RangeInclusive<u64>) -> Vec<Job> {
    let job = |seed| {
        let config = RunConfig {
            seed,
            epochs: 1,
            settings: crate::frozen_epochs(0),
            ..short()
        };
        Job::train(config, String::new())
    };
    seeds.map(job).collect()
}

fn queue(engine: &Engine, jobs: &[Job]) {
    for job in jobs {
        engine.send(Command::Queue(Box::new(job.clone())));
    }
}

/// Returns the seeds of the runs that start until this number of runs have finished.
fn started_seeds(engine: &Engine, mut finished: usize) -> Vec<u64> {
    let mut begun = Vec::new();
    wait(engine, |event| {
        match event {
            Event::Started(header) => begun.push(header.config.seed),
            Event::Finished { .. } => finished -= 1,
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => {}
        }
        (finished == 0).then_some(())
    });
    begun
}

#[test]
fn queue_supports_move_remove_and_hold() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    let jobs = seeded(1..=5);
    engine.control.set(ControlRequest::Pause);
    queue(&engine, &jobs[..4]);
    wait(&engine, folder);
    let (second, third, fourth) = (jobs[1].id, jobs[2].id, jobs[3].id);
    engine.send(Command::Move {
        job: fourth,
        place: 0,
    });
    engine.send(Command::Stop(third));
    wait(&engine, |event| {
        (event == Event::Removed(third)).then_some(())
    });
    // Held jobs stay in the queue; a job queued later runs before them.
    engine.send(Command::Hold(true));
    engine.send(Command::Stop(jobs[0].id));
    queue(&engine, &jobs[4..]);
    let stopped = wait_job_event(&engine, |told| {
        matches!(told.event, Event::Stopped { .. }).then_some(told.job)
    });
    assert_eq!(stopped, Some(jobs[0].id));
    engine.control.set(ControlRequest::Run);
    assert_eq!(started_seeds(&engine, 1), [5]);
    engine.send(Command::Hold(false));
    assert_eq!(started_seeds(&engine, 2), [4, 2]);
    // Stopping a finished job has no effect.
    engine.send(Command::Stop(second));
    queue(&engine, &seeded(6..=6));
    assert_eq!(started_seeds(&engine, 1), [6]);
}

#[test]
fn early_failure_is_reported_for_its_job() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    let good = seeded(1..=1).remove(0);
    let config = RunConfig {
        order: "/nowhere/order.json".into(),
        ..short()
    };
    let broken = Job::train(config, String::new());
    queue(&engine, &[good.clone(), broken.clone()]);
    let mut told = Vec::new();
    wait_job_event(&engine, |one| {
        let word = match &one.event {
            Event::Queued { .. } => "queued",
            Event::Began(_) => "began",
            Event::Started(_) => "started",
            Event::Finished { .. } => "finished",
            Event::Failed { .. } => "failed",
            _ => return None,
        };
        told.push((one.job, word));
        (word == "failed").then_some(())
    });
    let (good, broken) = (Some(good.id), Some(broken.id));
    told.retain(|(_, word)| *word != "queued");
    let expected = [
        (good, "began"),
        (good, "started"),
        (good, "finished"),
        (broken, "began"),
        (broken, "failed"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn queue_survives_restart_and_stays_held() {
    let root = tempfile::tempdir().unwrap();
    let jobs = seeded(1..=3);
    let (first, _) = engine(root.path());
    first.control.set(ControlRequest::Pause);
    queue(&first, &jobs);
    wait(&first, folder);
    drop(first);

    let (second, _) = engine(root.path());
    let mut found = Vec::new();
    wait(&second, |event| {
        if let Event::Queued { job, place } = event {
            assert!(job.held);
            found.push((place, job.id));
        }
        (found.len() == 2).then_some(())
    });
    // The first job has a run folder and can be resumed from it.
    assert_eq!(found, [(0, jobs[1].id), (1, jobs[2].id)]);
    std::thread::sleep(Duration::from_millis(300));
    assert!(second.try_recv().is_none(), "held jobs must not start");
    second.send(Command::Hold(false));
    assert_eq!(started_seeds(&second, 2), [2, 3]);
    drop(second);
    let (third, _) = engine(root.path());
    std::thread::sleep(Duration::from_millis(200));
    assert!(third.try_recv().is_none(), "the queue is empty");
}

#[test]
fn forget_data_rereads_changed_files() {
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
fn next_job_runs_after_failure() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = engine(root.path());
    engine.send(train(RunConfig {
        data: "/nowhere".into(),
        ..short()
    }));
    engine.send(Command::Predict(PredictRequest {
        ticket: 3,
        about: 0,
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

#[test]
fn added_task_counts_only_when_complete() {
    let root = tempfile::tempdir().unwrap();
    let added_task = crate::teach::letters("AB", 5);
    let source = added_task.path().to_string_lossy().into_owned();
    let (engine, _) = engine(root.path());
    engine.send(train(short()));
    let run = wait(&engine, folder);
    let teach = || {
        let (run, source) = (run.clone(), source.clone());
        let job = Job::new(JobWork::Teach { run, source }, String::new());
        Command::Queue(Box::new(job))
    };
    engine.send(teach());
    let mut ended = Vec::new();
    wait_job_event(&engine, |told| {
        match told.event {
            Event::Finished { .. } => ended.push(told.job),
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => {}
        }
        (ended.len() == 2).then_some(())
    });
    assert_ne!(ended[0], ended[1]);
    let added_tasks = || store::load(&run).unwrap().header.added_tasks.len();
    assert_eq!(added_tasks(), 1);
    // Stopping the second added task keeps the first.
    engine.send(teach());
    let learning = |event| {
        let event: Event = event;
        let phase = Phase::Training {
            task: 3,
            epoch: 0,
            frozen: true,
        };
        matches!(event, Event::Phase { phase: now, .. } if now == phase).then_some(())
    };
    wait(&engine, learning);
    engine.control.set(ControlRequest::Stop);
    wait(&engine, |event| {
        matches!(event, Event::Stopped { .. }).then_some(())
    });
    assert_eq!(added_tasks(), 1);
    // After the added task is replaced, predictions use the new one.
    let ask = |ticket| {
        engine.send(Command::Predict(PredictRequest {
            ticket,
            about: 0,
            run: run.clone(),
            picture: drawing(),
            tasks: vec![2],
        }));
        wait(&engine, |event| match event {
            Event::Predicted(prediction) => Some(prediction.classes),
            Event::NotPredicted { problem, .. } => panic!("{problem}"),
            _ => None,
        })
    };
    assert_eq!(ask(1)[10..], ["A", "B"]);
    store::undo_added_task(&run).unwrap();
    let other = crate::teach::letters("XYZ", 5);
    let source = other.path().to_string_lossy().into();
    let run = run.clone();
    let job = Job::new(JobWork::Teach { run, source }, String::new());
    engine.send(Command::Queue(Box::new(job)));
    wait(&engine, |event| {
        matches!(event, Event::Finished { .. }).then_some(())
    });
    assert_eq!(ask(2)[10..], ["X", "Y", "Z"]);
}
