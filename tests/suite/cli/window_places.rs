//! The window's session with remote machines, over a real `sshd`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lae_studio::engine::Engine;
use lae_studio::problem::Result;
use lae_studio::run::config::RunConfig;
use lae_studio::run::remote_machines::{RemoteMachine, RemoteMachines};
use lae_studio::session::remote_jobs::MachineJobs;
use lae_studio::session::run_view::{RunView, Stage};
use lae_studio::session::views::RunState;
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::store;

use super::grid::TINY;
use super::places::{Lab, kill};
use crate::assert_is;

/// The usual sources with another places file.
struct TestSources {
    disk: Disk,
    root: PathBuf,
    places: String,
}

impl Sources for TestSources {
    fn disk(&self) -> &Disk {
        &self.disk
    }

    fn machines(&self) -> Result<(Vec<RemoteMachine>, Vec<String>)> {
        let places = RemoteMachines::parse(&self.places, "places.toml")?;
        Ok((places.list().to_vec(), store::machines_with_jobs(&self.root)))
    }
}

/// A window's session on the lab's local folder of runs.
fn open(lab: &Lab, draft: RunConfig) -> Session {
    let root = lab.local_root();
    let sources = TestSources {
        disk: Disk::new(root.clone()),
        root: root.clone(),
        places: lab.places_file(),
    };
    let engine = Engine::start(root, Arc::new(|| {})).unwrap();
    let mut session = Session::with_backend(Box::new(engine), sources, draft, Arc::new(|| {}));
    wait_until(&mut session, "the places file is read", |s| {
        !s.is_busy() && s.compare.runs.ready().is_some() && s.machines.get("lab").is_some()
    });
    session
}

/// Handles events until a condition is true; no frame may take long.
fn wait_until(session: &mut Session, what: &str, mut condition: impl FnMut(&Session) -> bool) {
    let started = Instant::now();
    while !condition(session) {
        let frame = Instant::now();
        session.drain();
        assert!(frame.elapsed() < Duration::from_secs(2), "a frame took too long");
        let notices: Vec<String> =
            session.notices.list.iter().map(|n| n.problem.to_string()).collect();
        assert!(started.elapsed() < crate::TIMEOUT, "{what}: {notices:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn slow_config(data: &str) -> RunConfig {
    RunConfig {
        data: data.into(),
        epochs: 3,
        settings: crate::frozen_epochs(1),
        train_limit: Some(72),
        test_limit: Some(6),
        device: "cpu".into(),
        backbone: "lae-nano".into(),
        classes_per_task: "1".into(),
        ..RunConfig::default()
    }
}

fn live_run(session: &Session) -> Option<&Arc<RunView>> {
    session.train.machines.get("lab")?.live.as_ref()
}

fn has_ended(session: &Session, stage: Stage) -> bool {
    live_run(session).is_some_and(|run| run.stage == stage)
}

/// Writes images of two classes into a folder.
fn make_images(folder: &Path) {
    for (class, base) in [("dark", 0), ("light", 200)] {
        fs::create_dir_all(folder.join(class)).unwrap();
        for number in 0..24u8 {
            let image = image::RgbImage::from_pixel(24, 24, image::Rgb([base + number; 3]));
            let path = folder.join(class).join(format!("{number}.png"));
            image.save(path).unwrap();
        }
    }
}

#[test]
fn remote_and_local_runs_train_concurrently() {
    let Some(lab) = Lab::start() else { return };
    let data = lab.path("pictures");
    make_images(&data);
    let data = data.display().to_string();
    let mut session = open(&lab, slow_config(&data));
    session.select_machine(Some("lab".into()));
    assert!(session.start());
    session.select_machine(None);
    session.experiment.draft =
        RunConfig { classes_per_task: "4,3,3".into(), ..slow_config("digits") };
    assert!(session.start());
    let mut overlapped = false;
    wait_until(&mut session, "both runs have ended", |s| {
        let is_remote_running = s.train.machines["lab"].running().is_some();
        overlapped |= is_remote_running && s.is_training();
        let local_run = s.train.live.as_ref();
        has_ended(s, Stage::Finished) && local_run.is_some_and(|run| run.stage == Stage::Finished)
    });
    assert!(overlapped, "the runs did not train at the same time");
    wait_until(&mut session, "they are listed", |s| {
        !s.is_busy() && s.rows().filter(|row| row.state == RunState::Finished).count() == 2
    });
    let remote_run = session.rows().find(|row| row.about.place == "lab").unwrap();
    assert_eq!(remote_run.header.as_ref().unwrap().config.data, data);
    let run_settings = fs::read_to_string(remote_run.folder.join("run.toml")).unwrap();
    assert!(!run_settings.contains(".data"), "{run_settings}");
    assert!(session.train.machines["lab"].is_idle());
    assert!(store::machines_with_jobs(&lab.local_root()).is_empty());
}

#[test]
fn remote_runs_continue_while_window_is_closed() {
    let Some(lab) = Lab::start() else { return };
    let config = RunConfig { classes_per_task: "4,3,3".into(), ..slow_config("digits") };
    let mut session = open(&lab, config.clone());
    session.select_machine(Some("lab".into()));
    session.start();
    // A second run is queued.
    session.experiment.draft.seed = 2;
    session.start();
    wait_until(&mut session, "the remote run has started", |s| {
        live_run(s).is_some_and(|run| run.header.is_some())
            && s.train.machines["lab"].queue.jobs().len() == 1
    });
    drop(session);
    assert!(lab.daemon().is_some());
    assert_eq!(store::machines_with_jobs(&lab.local_root()), ["lab"]);
    let mut session = open(&lab, config);
    wait_until(&mut session, "both runs are downloaded", |s| {
        let idle = s.train.machines.get("lab").is_some_and(MachineJobs::is_idle);
        let finished = s.rows().filter(|row| row.state == RunState::Finished);
        idle && finished.count() == 2
    });
    drop(session);
    assert!(store::machines_with_jobs(&lab.local_root()).is_empty());
    assert_eq!(lab.local_runs().len(), 2);
}

#[test]
fn run_resumes_remotely_after_engine_dies_without_window() {
    let Some(lab) = Lab::start() else { return };
    let config = RunConfig { classes_per_task: "4,3,3".into(), ..slow_config("digits") };
    let mut session = open(&lab, config.clone());
    session.select_machine(Some("lab".into()));
    session.start();
    wait_until(&mut session, "a task is learned", |s| {
        live_run(s).is_some_and(|run| !run.reports.is_empty())
    });
    drop(session);
    let daemon = lab.daemon().unwrap();
    assert!(Command::new("kill").args(["-KILL", &daemon]).status().unwrap().success());
    let mut session = open(&lab, config);
    wait_until(&mut session, "the run is reported as stopped", |s| {
        live_run(s).is_some_and(|run| !run.stage.is_live())
    });
    let problem = live_run(&session).unwrap().problem.clone().unwrap();
    assert_eq!(problem.what, tr!("engine-stopped-during-run"));
    let folder = lab.local_runs().remove(0);
    wait_until(&mut session, "it is listed", |s| {
        !s.is_busy() && s.rows().any(|row| matches!(row.state, RunState::Unfinished(_)))
    });
    assert_eq!(session.resume_machine(&folder).as_deref(), Some("lab"));
    session.resume(&folder, None);
    wait_until(&mut session, "it is finished", |s| has_ended(s, Stage::Finished));
    assert_eq!(lab.local_runs(), [folder]);
}

#[test]
fn remote_grid_resumes_after_window_and_engine_end() {
    let Some(lab) = Lab::start() else { return };
    let file = lab.path("mine.toml");
    fs::write(&file, TINY.replace("epochs = 1", "epochs = 12")).unwrap();
    let mut session = open(&lab, slow_config("digits"));
    session.select_machine(Some("lab".into()));
    session.open_grid(file.display().to_string());
    wait_until(&mut session, "the grid is read", |s| s.remaining_grid_runs() == Some(2));
    assert!(session.start());
    let grid_progress = |s: &Session| {
        let grid = s.train.machines.get("lab").and_then(|at| at.grid.clone());
        grid.map(|grid| (grid.state.finished_runs(), grid.is_live))
    };
    wait_until(&mut session, "its first run is downloaded", |s| {
        let second = live_run(s).is_some_and(|run| run.progress.is_some());
        grid_progress(s) == Some((1, true)) && second
    });
    assert_eq!(session.train.machines["lab"].grid.as_ref().unwrap().state.lines.len(), 2);
    drop(session);
    kill(&lab.daemon().unwrap());
    let mut session = open(&lab, slow_config("digits"));
    wait_until(&mut session, "the job is held", |s| {
        let at = s.train.machines.get("lab");
        at.is_some_and(|at| at.queue.jobs().any(|job| job.held))
    });
    session.release_machine_jobs("lab");
    wait_until(&mut session, "all runs are downloaded", |s| grid_progress(s) == Some((2, false)));
    assert!(session.take_comparison().is_some_and(|runs| runs.len() == 2));
    assert_eq!(lab.local_runs().len(), 2);
    assert!(store::machines_with_jobs(&lab.local_root()).is_empty());
}

#[test]
fn removing_job_cancels_its_upload() {
    let Some(lab) = Lab::start() else { return };
    let data = lab.path("pictures");
    fs::create_dir_all(data.join("large")).unwrap();
    make_images(&data);
    for number in 0..40u8 {
        fs::write(data.join(format!("large/{number}.png")), vec![number; 4 << 20]).unwrap();
    }
    let mut session = open(&lab, slow_config(&data.display().to_string()));
    session.select_machine(Some("lab".into()));
    session.start();
    wait_until(&mut session, "the upload has started", |s| {
        !s.train.machines["lab"].uploads.is_empty()
    });
    let remote_jobs = &session.train.machines["lab"];
    let status = remote_jobs.uploads.values().next().unwrap();
    assert_eq!(
        status.english,
        tr!("doing-copying-files", n = 88, what = tr!("copied-dataset"), place = "lab")
    );
    let job = remote_jobs.queue.jobs().next().unwrap().id;
    session.remove_machine_job("lab", job);
    wait_until(&mut session, "the job is removed", |s| s.train.machines["lab"].is_idle());
    let started = Instant::now();
    wait_until(&mut session, "time passes", |_| started.elapsed() > Duration::from_secs(4));
    assert!(live_run(&session).is_none());
    assert!(store::machines_with_jobs(&lab.local_root()).is_empty());
    assert!(lab.local_runs().is_empty());
    let uploaded = total_bytes(&lab.remote_root().join(".data"));
    assert!(uploaded < 160 << 20, "the whole dataset was uploaded: {uploaded} bytes");
}

/// Bytes of all files below a folder.
fn total_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => total_bytes(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

#[test]
fn remote_run_pauses_resumes_and_stops() {
    let Some(lab) = Lab::start() else { return };
    let config = RunConfig { epochs: 20, ..slow_config("digits") };
    let mut session = open(&lab, config);
    session.select_machine(Some("lab".into()));
    session.start();
    // A checkpoint is written after an epoch.
    wait_until(&mut session, "an epoch is over", |s| {
        let progress = live_run(s).and_then(|run| run.progress.as_ref());
        progress.is_some_and(|progress| progress.epoch > 0)
    });
    session.control_machine_run("lab", lae_studio::run::event::ControlRequest::Pause);
    wait_until(&mut session, "it is paused", |s| has_ended(s, Stage::Paused));
    session.control_machine_run("lab", lae_studio::run::event::ControlRequest::Run);
    wait_until(&mut session, "it resumes", |s| has_ended(s, Stage::Running));
    let job = session.train.machines["lab"].job().unwrap();
    session.stop_on_machine("lab", job);
    wait_until(&mut session, "it is stopped and downloaded", |s| has_ended(s, Stage::Stopped));
    let local_run = lab.local_runs().remove(0);
    assert!(local_run.join("resume/checkpoint.safetensors").exists());
    // Here it resumes as a local run.
    wait_until(&mut session, "it is listed", |s| !s.is_busy() && s.row(&local_run).is_some());
    session.resume(&local_run, Some("cpu".into()));
    wait_until(&mut session, "it resumes here", |s| {
        s.train.running().is_some_and(|run| run.progress.is_some())
    });
    assert_eq!(store::load_annotations(&local_run).0.place, "");
}

#[test]
fn unreachable_machine_is_reported_without_blocking_frames() {
    let Some(lab) = Lab::start() else { return };
    let mut session = open(&lab, slow_config("digits"));
    session.query_machines();
    wait_until(&mut session, "lab answers", |s| {
        let lab = s.machines.get("lab").unwrap();
        lab.answers.ready().is_some() && lab.summary().contains("device cpu, runs in ")
    });
    drop(session);
    fs::write(lab.path("authorized"), "").unwrap();
    let mut session = open(&lab, slow_config("digits"));
    session.query_machines();
    wait_until(&mut session, "lab rejects the key", |s| {
        let lab = s.machines.get("lab").unwrap();
        lab.answers.problem().is_some() && says!(lab.summary(), "place-ssh-key-rejected")
    });
    session.select_machine(Some("lab".into()));
    session.start();
    wait_until(&mut session, "the run is refused", |s| has_ended(s, Stage::Failed));
    let notice = &session.notices.list.last().unwrap().problem;
    assert_is(notice, "place-ssh-key-rejected");
    assert!(store::machines_with_jobs(&lab.local_root()).is_empty());
}
