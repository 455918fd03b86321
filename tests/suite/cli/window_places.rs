//! The window's session with remote machines, over a real `sshd`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lae_studio::engine::Engine;
use lae_studio::problem::Result;
use lae_studio::run::config::RunConfig;
use lae_studio::run::places::{RemoteMachine, RemoteMachines};
use lae_studio::session::remote_jobs::AtPlace;
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

    fn places(&self) -> Result<(Vec<RemoteMachine>, Vec<String>)> {
        let places = RemoteMachines::read(&self.places, "places.toml")?;
        Ok((places.list().to_vec(), store::places_at_work(&self.root)))
    }
}

/// A window's session on the lab's local folder of runs.
fn open(lab: &Lab, draft: RunConfig) -> Session {
    let root = lab.local_root();
    let sources = TestSources {
        disk: Disk::at(root.clone()),
        root: root.clone(),
        places: lab.places_file(),
    };
    let engine = Engine::start(root, Arc::new(|| {})).unwrap();
    let mut session = Session::with(Box::new(engine), sources, draft, Arc::new(|| {}));
    wait_until(&mut session, "the places file is read", |s| {
        !s.busy() && s.compare.runs.ready().is_some() && s.places.get("lab").is_some()
    });
    session
}

/// Handles events until a condition is true; no frame may take long.
fn wait_until(session: &mut Session, what: &str, mut done: impl FnMut(&Session) -> bool) {
    let begun = Instant::now();
    while !done(session) {
        let frame = Instant::now();
        session.drain();
        assert!(
            frame.elapsed() < Duration::from_secs(2),
            "a frame took too long"
        );
        let told: Vec<String> = session
            .notices
            .list
            .iter()
            .map(|n| n.problem.to_string())
            .collect();
        assert!(begun.elapsed() < crate::PATIENCE, "{what}: {told:?}");
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

fn live(session: &Session) -> Option<&Arc<RunView>> {
    session.train.places.get("lab")?.live.as_ref()
}

fn has_ended(session: &Session, stage: Stage) -> bool {
    live(session).is_some_and(|run| run.stage == stage)
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
    session.choose_place(Some("lab".into()));
    assert!(session.start());
    session.choose_place(None);
    session.experiment.draft = RunConfig {
        classes_per_task: "4,3,3".into(),
        ..slow_config("digits")
    };
    assert!(session.start());
    let mut together = false;
    wait_until(&mut session, "both runs have ended", |s| {
        let there = s.train.places["lab"].running().is_some();
        together |= there && s.is_training();
        let here = s.train.live.as_ref();
        has_ended(s, Stage::Finished) && here.is_some_and(|run| run.stage == Stage::Finished)
    });
    assert!(together, "the runs did not train at the same time");
    wait_until(&mut session, "they are listed", |s| {
        !s.busy()
            && s.rows()
                .filter(|row| row.state == RunState::Finished)
                .count()
                == 2
    });
    let away = session.rows().find(|row| row.about.place == "lab").unwrap();
    assert_eq!(away.header.as_ref().unwrap().config.data, data);
    let told = fs::read_to_string(away.folder.join("run.toml")).unwrap();
    assert!(!told.contains(".data"), "{told}");
    assert!(session.train.places["lab"].is_idle());
    assert!(store::places_at_work(&lab.local_root()).is_empty());
}

#[test]
fn remote_runs_continue_while_window_is_closed() {
    let Some(lab) = Lab::start() else { return };
    let config = RunConfig {
        classes_per_task: "4,3,3".into(),
        ..slow_config("digits")
    };
    let mut session = open(&lab, config.clone());
    session.choose_place(Some("lab".into()));
    session.start();
    // A second run is queued.
    session.experiment.draft.seed = 2;
    session.start();
    wait_until(&mut session, "the remote run has started", |s| {
        live(s).is_some_and(|run| run.header.is_some())
            && s.train.places["lab"].queue.jobs().len() == 1
    });
    drop(session);
    assert!(lab.daemon().is_some());
    assert_eq!(store::places_at_work(&lab.local_root()), ["lab"]);
    let mut session = open(&lab, config);
    wait_until(&mut session, "both runs are downloaded", |s| {
        let idle = s.train.places.get("lab").is_some_and(AtPlace::is_idle);
        let finished = s.rows().filter(|row| row.state == RunState::Finished);
        idle && finished.count() == 2
    });
    drop(session);
    assert!(store::places_at_work(&lab.local_root()).is_empty());
    assert_eq!(lab.local_runs().len(), 2);
}

#[test]
fn run_resumes_remotely_after_engine_dies_without_window() {
    let Some(lab) = Lab::start() else { return };
    let config = RunConfig {
        classes_per_task: "4,3,3".into(),
        ..slow_config("digits")
    };
    let mut session = open(&lab, config.clone());
    session.choose_place(Some("lab".into()));
    session.start();
    wait_until(&mut session, "a task is learned", |s| {
        live(s).is_some_and(|run| !run.reports.is_empty())
    });
    drop(session);
    let daemon = lab.daemon().unwrap();
    assert!(
        Command::new("kill")
            .args(["-KILL", &daemon])
            .status()
            .unwrap()
            .success()
    );
    let mut session = open(&lab, config);
    wait_until(&mut session, "the run is reported as stopped", |s| {
        live(s).is_some_and(|run| !run.stage.is_live())
    });
    let problem = live(&session).unwrap().problem.clone().unwrap();
    assert_eq!(problem.what, tr!("engine-stopped-during-run"));
    let folder = lab.local_runs().remove(0);
    wait_until(&mut session, "it is listed", |s| {
        !s.busy()
            && s.rows()
                .any(|row| matches!(row.state, RunState::Unfinished(_)))
    });
    assert_eq!(session.resume_place(&folder).as_deref(), Some("lab"));
    session.resume(&folder, None);
    wait_until(&mut session, "it is finished", |s| {
        has_ended(s, Stage::Finished)
    });
    assert_eq!(lab.local_runs(), [folder]);
}

#[test]
fn remote_grid_resumes_after_window_and_engine_end() {
    let Some(lab) = Lab::start() else { return };
    let file = lab.path("mine.toml");
    fs::write(&file, TINY.replace("epochs = 1", "epochs = 12")).unwrap();
    let mut session = open(&lab, slow_config("digits"));
    session.choose_place(Some("lab".into()));
    session.open_grid(file.display().to_string());
    wait_until(&mut session, "the grid is read", |s| {
        s.grid_to_do() == Some(2)
    });
    assert!(session.start());
    let done = |s: &Session| {
        let grid = s.train.places.get("lab").and_then(|at| at.grid.clone());
        grid.map(|grid| (grid.standing.done(), grid.live))
    };
    wait_until(&mut session, "its first run is downloaded", |s| {
        let second = live(s).is_some_and(|run| run.progress.is_some());
        done(s) == Some((1, true)) && second
    });
    assert_eq!(
        session.train.places["lab"]
            .grid
            .as_ref()
            .unwrap()
            .standing
            .lines
            .len(),
        2
    );
    drop(session);
    kill(&lab.daemon().unwrap());
    let mut session = open(&lab, slow_config("digits"));
    wait_until(&mut session, "the job is held", |s| {
        let at = s.train.places.get("lab");
        at.is_some_and(|at| at.queue.jobs().any(|job| job.held))
    });
    session.release_held_at("lab");
    wait_until(&mut session, "all runs are downloaded", |s| {
        done(s) == Some((2, false))
    });
    assert!(
        session
            .take_comparison()
            .is_some_and(|runs| runs.len() == 2)
    );
    assert_eq!(lab.local_runs().len(), 2);
    assert!(store::places_at_work(&lab.local_root()).is_empty());
}

#[test]
fn removing_job_cancels_its_upload() {
    let Some(lab) = Lab::start() else { return };
    let data = lab.path("pictures");
    fs::create_dir_all(data.join("large")).unwrap();
    make_images(&data);
    for number in 0..40u8 {
        fs::write(
            data.join(format!("large/{number}.png")),
            vec![number; 4 << 20],
        )
        .unwrap();
    }
    let mut session = open(&lab, slow_config(&data.display().to_string()));
    session.choose_place(Some("lab".into()));
    session.start();
    wait_until(&mut session, "the upload has started", |s| {
        !s.train.places["lab"].on_the_way.is_empty()
    });
    let at = &session.train.places["lab"];
    let words = at.on_the_way.values().next().unwrap();
    assert_eq!(
        words.english,
        tr!(
            "doing-copying-files",
            n = 88,
            what = tr!("copied-dataset"),
            place = "lab"
        )
    );
    let job = at.queue.jobs().next().unwrap().id;
    session.remove_job_at("lab", job);
    wait_until(&mut session, "the job is removed", |s| {
        s.train.places["lab"].is_idle()
    });
    let begun = Instant::now();
    wait_until(&mut session, "time passes", |_| {
        begun.elapsed() > Duration::from_secs(4)
    });
    assert!(live(&session).is_none());
    assert!(store::places_at_work(&lab.local_root()).is_empty());
    assert!(lab.local_runs().is_empty());
    let carried = total_bytes(&lab.remote_root().join(".data"));
    assert!(
        carried < 160 << 20,
        "the whole dataset was uploaded: {carried} bytes"
    );
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
    let config = RunConfig {
        epochs: 20,
        ..slow_config("digits")
    };
    let mut session = open(&lab, config);
    session.choose_place(Some("lab".into()));
    session.start();
    // A checkpoint is written after an epoch.
    wait_until(&mut session, "an epoch is over", |s| {
        let progress = live(s).and_then(|run| run.progress.as_ref());
        progress.is_some_and(|progress| progress.epoch > 0)
    });
    session.wish_at("lab", lae_studio::run::event::ControlRequest::Pause);
    wait_until(&mut session, "it is paused", |s| {
        has_ended(s, Stage::Paused)
    });
    session.wish_at("lab", lae_studio::run::event::ControlRequest::Run);
    wait_until(&mut session, "it resumes", |s| has_ended(s, Stage::Running));
    let job = session.train.places["lab"].job().unwrap();
    session.stop_at("lab", job);
    wait_until(&mut session, "it is stopped and downloaded", |s| {
        has_ended(s, Stage::Stopped)
    });
    let home = lab.local_runs().remove(0);
    assert!(home.join("resume/checkpoint.safetensors").exists());
    // Here it resumes as a local run.
    wait_until(&mut session, "it is listed", |s| {
        !s.busy() && s.row(&home).is_some()
    });
    session.resume(&home, Some("cpu".into()));
    wait_until(&mut session, "it resumes here", |s| {
        s.train.running().is_some_and(|run| run.progress.is_some())
    });
    assert_eq!(store::about(&home).0.place, "");
}

#[test]
fn unreachable_machine_is_reported_without_blocking_frames() {
    let Some(lab) = Lab::start() else { return };
    let mut session = open(&lab, slow_config("digits"));
    session.request_places();
    wait_until(&mut session, "lab answers", |s| {
        let lab = s.places.get("lab").unwrap();
        lab.answers.ready().is_some() && lab.line().contains("device cpu, runs in ")
    });
    drop(session);
    fs::write(lab.path("authorized"), "").unwrap();
    let mut session = open(&lab, slow_config("digits"));
    session.request_places();
    wait_until(&mut session, "lab rejects the key", |s| {
        let lab = s.places.get("lab").unwrap();
        lab.answers.problem().is_some() && says!(lab.line(), "place-ssh-key-rejected")
    });
    session.choose_place(Some("lab".into()));
    session.start();
    wait_until(&mut session, "the run is refused", |s| {
        has_ended(s, Stage::Failed)
    });
    let told = &session.notices.list.last().unwrap().problem;
    assert_is(told, "place-ssh-key-rejected");
    assert!(store::places_at_work(&lab.local_root()).is_empty());
}
