//! The engine thread: queued runs, predictions between batches, pause, stop, and failed jobs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::TIMEOUT;
use crate::data::DatasetFixture;
use lae_studio::engine::Engine;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, ControlRequest, Event, NamedImage, Phase, PredictRequest};
use lae_studio::run::job::{Job, JobWork};
use lae_studio::run::queue::JobEvent;
use lae_studio::store;

fn short_config() -> RunConfig {
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

pub fn train_command(config: RunConfig) -> Command {
    Command::Queue(Box::new(Job::train(config, String::new())))
}

fn start_engine(root: &Path) -> (Engine, Arc<AtomicUsize>) {
    let wake_count = Arc::new(AtomicUsize::new(0));
    let counter = wake_count.clone();
    let wake = Arc::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    (Engine::start(root.to_path_buf(), wake).unwrap(), wake_count)
}

/// Waits for an event for which `select` returns a value.
pub fn wait_for_event<T>(engine: &Engine, mut select: impl FnMut(Event) -> Option<T>) -> T {
    wait_job_event(engine, |job_event| select(job_event.event))
}

/// Like `wait_for_event`, with the job of each event.
fn wait_job_event<T>(engine: &Engine, mut select: impl FnMut(JobEvent) -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        match engine.try_recv() {
            Some(job_event) => {
                if let Some(found) = select(job_event) {
                    return found;
                }
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    panic!("timed out waiting for an event");
}

pub fn drawing() -> NamedImage {
    let mut rgb = vec![0; 40 * 40 * 3];
    for row in 5..35 {
        for column in 18..23 {
            rgb[(row * 40 + column) * 3..][..3].fill(255);
        }
    }
    NamedImage { name: "drawing".into(), width: 40, height: 40, rgb }
}

pub fn started_folder(event: Event) -> Option<PathBuf> {
    match event {
        Event::Started(header) => Some(header.folder),
        _ => None,
    }
}

#[test]
fn run_has_job_name_from_start() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = start_engine(root.path());
    let name = "A lesson: the run".to_string();
    let job = Job::train_named(short_config(), name.clone());
    assert_eq!((&job.title, &job.name), (&name, &name));
    engine.send(Command::Queue(Box::new(job)));
    let header = wait_for_event(&engine, |event| match event {
        Event::Started(header) => Some(header),
        _ => None,
    });
    assert_eq!(header.about.name, name);
    wait_for_event(&engine, |event| matches!(event, Event::Finished { .. }).then_some(()));
    let run = store::load_run(&header.folder).unwrap();
    assert_eq!(run.header.about.name, name);
}

#[test]
fn predicts_while_run_trains() {
    let root = tempfile::tempdir().unwrap();
    let (engine, woken) = start_engine(root.path());
    engine.send(train_command(RunConfig {
        epochs: 6,
        settings: crate::frozen_epochs(3),
        ..short_config()
    }));
    let run = wait_for_event(&engine, started_folder);
    let is_evaluated = |event| matches!(event, Event::TaskEvaluated { .. }).then_some(());
    wait_for_event(&engine, is_evaluated);
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
    let answer = wait_for_event(&engine, |event| match event {
        Event::Predicted(prediction) => Some(prediction),
        Event::Finished { .. } => panic!("the run finished before the prediction"),
        Event::NotPredicted { problem, .. } => panic!("{problem}"),
        _ => None,
    });
    assert_eq!((answer.ticket, answer.task, answer.classes.len()), (7, 0, 5));
    assert_eq!(answer.seen.len(), answer.seen_size * answer.seen_size * 3);
    engine.control.set(ControlRequest::Run);
    wait_for_event(&engine, |event| matches!(event, Event::Finished { .. }).then_some(()));
    assert!(woken.load(Ordering::Relaxed) > 5);
}

#[test]
fn paused_run_stops_and_resumes() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = start_engine(root.path());
    engine.control.set(ControlRequest::Pause);
    engine.send(train_command(short_config()));
    let run = wait_for_event(&engine, started_folder);
    let paused =
        |event: Event| matches!(event, Event::Phase { phase: Phase::Paused, .. }).then_some(());
    wait_for_event(&engine, paused);
    engine.control.set(ControlRequest::Stop);
    wait_for_event(&engine, |event| matches!(event, Event::Stopped { .. }).then_some(()));
    engine.send(Command::Queue(Box::new(Job::resume(run, None, String::new()))));
    wait_for_event(&engine, |event| match event {
        Event::Finished { .. } => Some(()),
        Event::Failed { problem, .. } => panic!("{problem}"),
        _ => None,
    });
}

/// Returns jobs of very short runs with these seeds.
fn jobs_with_seeds(seeds: std::ops::RangeInclusive<u64>) -> Vec<Job> {
    let job = |seed| {
        let config =
            RunConfig { seed, epochs: 1, settings: crate::frozen_epochs(0), ..short_config() };
        Job::train(config, String::new())
    };
    seeds.map(job).collect()
}

fn queue_jobs(engine: &Engine, jobs: &[Job]) {
    for job in jobs {
        engine.send(Command::Queue(Box::new(job.clone())));
    }
}

/// Returns the seeds of the runs that start until this number of runs have finished.
fn started_seeds(engine: &Engine, mut finished: usize) -> Vec<u64> {
    let mut started = Vec::new();
    wait_for_event(engine, |event| {
        match event {
            Event::Started(header) => started.push(header.config.seed),
            Event::Finished { .. } => finished -= 1,
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => {}
        }
        (finished == 0).then_some(())
    });
    started
}

#[test]
fn queue_supports_move_remove_and_hold() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = start_engine(root.path());
    let jobs = jobs_with_seeds(1..=5);
    engine.control.set(ControlRequest::Pause);
    queue_jobs(&engine, &jobs[..4]);
    wait_for_event(&engine, started_folder);
    let (second, third, fourth) = (jobs[1].id, jobs[2].id, jobs[3].id);
    engine.send(Command::Move { job: fourth, place: 0 });
    engine.send(Command::Stop(third));
    wait_for_event(&engine, |event| (event == Event::Removed(third)).then_some(()));
    // Held jobs stay in the queue; a job queued later runs before them.
    engine.send(Command::Hold(true));
    engine.send(Command::Stop(jobs[0].id));
    queue_jobs(&engine, &jobs[4..]);
    let stopped = wait_job_event(&engine, |job_event| {
        matches!(job_event.event, Event::Stopped { .. }).then_some(job_event.job)
    });
    assert_eq!(stopped, Some(jobs[0].id));
    engine.control.set(ControlRequest::Run);
    assert_eq!(started_seeds(&engine, 1), [5]);
    engine.send(Command::Hold(false));
    assert_eq!(started_seeds(&engine, 2), [4, 2]);
    // Stopping a finished job has no effect.
    engine.send(Command::Stop(second));
    queue_jobs(&engine, &jobs_with_seeds(6..=6));
    assert_eq!(started_seeds(&engine, 1), [6]);
}

#[test]
fn early_failure_is_reported_for_its_job() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = start_engine(root.path());
    let good = jobs_with_seeds(1..=1).remove(0);
    let config = RunConfig { order: "/nowhere/order.json".into(), ..short_config() };
    let broken = Job::train(config, String::new());
    queue_jobs(&engine, &[good.clone(), broken.clone()]);
    let mut log = Vec::new();
    wait_job_event(&engine, |job_event| {
        let label = match &job_event.event {
            Event::Queued { .. } => "queued",
            Event::Began(_) => "began",
            Event::Started(_) => "started",
            Event::Finished { .. } => "finished",
            Event::Failed { .. } => "failed",
            _ => return None,
        };
        log.push((job_event.job, label));
        (label == "failed").then_some(())
    });
    let (good, broken) = (Some(good.id), Some(broken.id));
    log.retain(|(_, word)| *word != "queued");
    let expected = [
        (good, "began"),
        (good, "started"),
        (good, "finished"),
        (broken, "began"),
        (broken, "failed"),
    ];
    assert_eq!(log, expected);
}

#[test]
fn queue_survives_restart_and_stays_held() {
    let root = tempfile::tempdir().unwrap();
    let jobs = jobs_with_seeds(1..=3);
    let (first, _) = start_engine(root.path());
    first.control.set(ControlRequest::Pause);
    queue_jobs(&first, &jobs);
    wait_for_event(&first, started_folder);
    drop(first);

    let (second, _) = start_engine(root.path());
    let mut queued = Vec::new();
    wait_for_event(&second, |event| {
        if let Event::Queued { job, place } = event {
            assert!(job.held);
            queued.push((place, job.id));
        }
        (queued.len() == 2).then_some(())
    });
    // The first job has a run folder and can be resumed from it.
    assert_eq!(queued, [(0, jobs[1].id), (1, jobs[2].id)]);
    std::thread::sleep(Duration::from_millis(300));
    assert!(second.try_recv().is_none(), "held jobs must not start");
    second.send(Command::Hold(false));
    assert_eq!(started_seeds(&second, 2), [2, 3]);
    drop(second);
    let (third, _) = start_engine(root.path());
    std::thread::sleep(Duration::from_millis(200));
    assert!(third.try_recv().is_none(), "the queue is empty");
}

#[test]
fn forget_data_rereads_changed_files() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = start_engine(root.path());
    let fixture = DatasetFixture::new();
    fixture.write_class("train/a", 8).write_class("train/b", 8);
    fixture.write_class("test/a", 2).write_class("test/b", 2);
    let config = RunConfig {
        data: fixture.path().to_string_lossy().into_owned(),
        classes_per_task: "1".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        train_limit: None,
        test_limit: None,
        ..short_config()
    };
    let train_and_count_images = || {
        engine.send(train_command(config.clone()));
        let header = wait_for_event(&engine, |event| match event {
            Event::Started(header) => Some(header),
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => None,
        });
        let finished = |event| matches!(event, Event::Finished { .. }).then_some(());
        wait_for_event(&engine, finished);
        header.train_images.clone()
    };
    assert_eq!(train_and_count_images(), [8, 8]);
    fixture.write_class("train/b", 12);
    assert_eq!(train_and_count_images(), [8, 8]);
    engine.send(Command::ForgetData);
    assert_eq!(train_and_count_images(), [8, 12]);
}

#[test]
fn next_job_runs_after_failure() {
    let root = tempfile::tempdir().unwrap();
    let (engine, _) = start_engine(root.path());
    engine.send(train_command(RunConfig { data: "/nowhere".into(), ..short_config() }));
    engine.send(Command::Predict(PredictRequest {
        ticket: 3,
        about: 0,
        run: root.path().join("no-such-run"),
        picture: drawing(),
        tasks: vec![0],
    }));
    engine.send(train_command(short_config()));
    let (mut failed, mut prediction_failed) = (false, false);
    wait_for_event(&engine, |event| {
        match event {
            Event::Failed { problem, .. } => failed = !problem.what.is_empty(),
            Event::NotPredicted { ticket, .. } => prediction_failed = ticket == 3,
            Event::Finished { .. } => return Some(()),
            _ => {}
        }
        None
    });
    assert!(failed && prediction_failed);
}

#[test]
fn added_task_counts_only_when_complete() {
    let root = tempfile::tempdir().unwrap();
    let added_task = crate::teach::letters("AB", 5);
    let source = added_task.path().to_string_lossy().into_owned();
    let (engine, _) = start_engine(root.path());
    engine.send(train_command(short_config()));
    let run = wait_for_event(&engine, started_folder);
    let teach_command = || {
        let (run, source) = (run.clone(), source.clone());
        let job = Job::new(JobWork::Teach { run, source }, String::new());
        Command::Queue(Box::new(job))
    };
    engine.send(teach_command());
    let mut finished_jobs = Vec::new();
    wait_job_event(&engine, |job_event| {
        match job_event.event {
            Event::Finished { .. } => finished_jobs.push(job_event.job),
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => {}
        }
        (finished_jobs.len() == 2).then_some(())
    });
    assert_ne!(finished_jobs[0], finished_jobs[1]);
    let count_added_tasks = || store::load_run(&run).unwrap().header.added_tasks.len();
    assert_eq!(count_added_tasks(), 1);
    // Stopping the second added task keeps the first.
    engine.send(teach_command());
    let is_training = |event| {
        let event: Event = event;
        let phase = Phase::Training { task: 3, epoch: 0, frozen: true };
        matches!(event, Event::Phase { phase: current, .. } if current == phase).then_some(())
    };
    wait_for_event(&engine, is_training);
    engine.control.set(ControlRequest::Stop);
    wait_for_event(&engine, |event| matches!(event, Event::Stopped { .. }).then_some(()));
    assert_eq!(count_added_tasks(), 1);
    // After the added task is replaced, predictions use the new one.
    let predict_classes = |ticket| {
        engine.send(Command::Predict(PredictRequest {
            ticket,
            about: 0,
            run: run.clone(),
            picture: drawing(),
            tasks: vec![2],
        }));
        wait_for_event(&engine, |event| match event {
            Event::Predicted(prediction) => Some(prediction.classes),
            Event::NotPredicted { problem, .. } => panic!("{problem}"),
            _ => None,
        })
    };
    assert_eq!(predict_classes(1)[10..], ["A", "B"]);
    store::undo_added_task(&run).unwrap();
    let replacement = crate::teach::letters("XYZ", 5);
    let source = replacement.path().to_string_lossy().into();
    let run = run.clone();
    let job = Job::new(JobWork::Teach { run, source }, String::new());
    engine.send(Command::Queue(Box::new(job)));
    wait_for_event(&engine, |event| matches!(event, Event::Finished { .. }).then_some(()));
    assert_eq!(predict_classes(2)[10..], ["X", "Y", "Z"]);
}
