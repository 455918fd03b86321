//! Runs whose disk fails or that are killed at some moment.

#[cfg(target_os = "linux")]
mod actions;

use std::path::Path;

use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Control, ControlRequest, Event, Sink};
use lae_studio::store::{self, StoredRun, StoredState};
use lae_studio::tensors::NamedTensors;

use crate::skip::skip;

/// Three tasks in two epochs each.
fn config() -> RunConfig {
    RunConfig {
        classes_per_task: "4,3,3".into(),
        epochs: 2,
        settings: crate::frozen_epochs(1),
        batch: 16,
        train_limit: Some(6),
        test_limit: Some(3),
        device: "cpu".into(),
        ..RunConfig::default()
    }
}

/// Puts a folder where checkpoints go before the passes of some tasks, and stops the run once a
/// task is saved.
struct CheckpointBlocker {
    root: std::path::PathBuf,
    tasks: &'static [usize],
    stop_after: usize,
    control: Control,
    remarks: Vec<String>,
}

impl Sink for CheckpointBlocker {
    fn event(&mut self, event: Event) {
        match event {
            Event::Progress { progress, .. } => {
                let folder = std::fs::read_dir(&self.root).unwrap().next().unwrap();
                let obstacle = folder.unwrap().path().join("resume/checkpoint.safetensors.partial");
                let failing = self.tasks.contains(&progress.task);
                if failing && (progress.task, progress.epoch) != (0, 0) {
                    std::fs::create_dir_all(obstacle.join("in the way")).unwrap();
                } else if obstacle.exists() {
                    std::fs::remove_dir_all(obstacle).unwrap();
                }
            }
            Event::TaskEvaluated { report, .. } if report.task == self.stop_after => {
                self.control.set(ControlRequest::Stop);
            }
            Event::Remark { problem, .. } => self.remarks.push(problem.what),
            _ => {}
        }
    }
}

fn snapshots(run: &Path) -> Vec<NamedTensors> {
    let tasks = store::load_run(run).unwrap().reports.len();
    (0..tasks).map(|task| store::load_snapshot(run, task).unwrap()).collect()
}

fn task_predictions(run: &StoredRun) -> Vec<&lae_studio::metrics::Predictions> {
    run.reports.iter().map(|report| &report.answers).collect()
}

#[test]
fn resume_after_failed_checkpoints_gives_same_result() {
    let root = tempfile::tempdir().unwrap();
    let cache = ResourceCache::default();
    let reference =
        experiment::train(&config(), root.path(), &cache, &mut Vec::new(), &Control::default());
    let reference = reference.unwrap().header().unwrap().folder.clone();
    let expected = store::load_run(&reference).unwrap();
    // The last pass of a task, a whole task and more, and everything from the first pass on.
    for (tasks, stop_after, is_state_removed) in [
        (&[0][..], 0, false),
        (&[1][..], 1, false),
        (&[0, 1][..], 1, false),
        (&[0, 1][..], 1, true),
    ] {
        let root = tempfile::tempdir().unwrap();
        let control = Control::default();
        let mut sink = CheckpointBlocker {
            root: root.path().to_path_buf(),
            tasks,
            stop_after,
            control: control.clone(),
            remarks: Vec::new(),
        };
        let outcome = experiment::train(&config(), root.path(), &cache, &mut sink, &control);
        let Ok(Outcome::Stopped(header)) = outcome else { panic!("{tasks:?}: {outcome:?}") };
        let remarks = sink.remarks.iter();
        assert!(remarks.clone().any(|what| says!(what, "problem-epoch-not-saved")));
        assert_eq!(store::load_run(&header.folder).unwrap().reports.len(), stop_after + 1);
        if is_state_removed {
            std::fs::remove_dir_all(header.folder.join("resume")).unwrap();
        }
        let mut events = Vec::new();
        let control = Control::default();
        let outcome = experiment::resume(&header.folder, &cache, &mut events, &control);
        assert!(matches!(outcome, Ok(Outcome::Finished(_))), "{tasks:?}");
        let has_missing_state_remark = events.iter().any(
            |event| matches!(event, Event::Remark { problem, .. } if problem.mentions("problem-training-state-missing")),
        );
        assert_eq!(has_missing_state_remark, is_state_removed, "{tasks:?}");
        let run = store::load_run(&header.folder).unwrap();
        assert_eq!(run.state, StoredState::Finished);
        assert_eq!(task_predictions(&run), task_predictions(&expected), "{tasks:?}");
        assert!(snapshots(&header.folder) == snapshots(&reference), "{tasks:?}");
    }
}

/// Renames the run's folder once its first task is saved.
struct RunRenamer<'a> {
    root: &'a Path,
    done: bool,
}

impl Sink for RunRenamer<'_> {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Saved { .. }) && !self.done {
            let folder = std::fs::read_dir(self.root).unwrap().next().unwrap();
            std::fs::rename(folder.unwrap().path(), self.root.join("moved")).unwrap();
            self.done = true;
        }
    }
}

#[test]
fn run_stops_when_folder_is_renamed_and_resumes() {
    let root = tempfile::tempdir().unwrap();
    let cache = ResourceCache::default();
    let control = Control::default();
    let reference =
        experiment::train(&config(), root.path(), &cache, &mut Vec::new(), &control).unwrap();
    let reference = reference.header().unwrap().folder.clone();
    let root = tempfile::tempdir().unwrap();
    let mut sink = RunRenamer { root: root.path(), done: false };
    let outcome = experiment::train(&config(), root.path(), &cache, &mut sink, &control);
    let problem = outcome.unwrap_err();
    assert!(problem.mentions("io-save-failed"), "{problem}");
    let remaining: Vec<_> = std::fs::read_dir(root.path()).unwrap().collect();
    assert_eq!(remaining.len(), 1, "the old folder was created again");
    let moved = root.path().join("moved");
    experiment::resume(&moved, &cache, &mut Vec::new(), &control).unwrap();
    let [run, expected] = [&moved, &reference].map(|folder| store::load_run(folder).unwrap());
    assert_eq!(task_predictions(&run), task_predictions(&expected));
    assert!(snapshots(&moved) == snapshots(&reference));
    assert!(!moved.join("resume").exists());
}

/// Calls that do the same: which of them a program uses depends on the machine.
#[cfg(target_os = "linux")]
const FAMILIES: [[&str; 2]; 3] = [
    ["rename", "?rename,?renameat,?renameat2"],
    ["fsync", "?fsync,?fdatasync"],
    ["unlink", "?unlink,?unlinkat,?rmdir"],
];

/// Runs the program in this folder, under `strace` if a fault is given: a system call, which stands for its family,
/// and what happens to it. Asserts that the fault was injected.
#[cfg(target_os = "linux")]
fn run_program(home: &Path, fault: Option<&str>, words: &[&str]) -> std::process::Output {
    let program = env!("CARGO_BIN_EXE_lae-studio");
    let calls = tempfile::NamedTempFile::new().unwrap();
    let mut command = match fault {
        None => std::process::Command::new(program),
        Some(fault) => {
            let (call, rest) = fault.split_once(':').unwrap();
            let family = FAMILIES.iter().find(|[name, _]| *name == call);
            let family = family.map_or(call, |[_, calls_of_family]| calls_of_family);
            let [trace, inject] = [format!("trace={family}"), format!("inject={family}:{rest}")];
            let mut strace = std::process::Command::new("strace");
            strace.arg("-qq").arg("-o").arg(calls.path());
            strace.args(["-e", &trace, "-e", &inject, program]);
            strace
        }
    };
    let output = command
        .args(words)
        .current_dir(home)
        .env("LAE_RUNS", home.join("runs"))
        .env("LAE_STUDIO_CACHE", home.join("cache"))
        .env("HOME", home)
        .env("XDG_DATA_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .output()
        .unwrap();
    if let Some(fault) = fault {
        let stderr_text = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr_text.contains("strace: "), "{fault}: {stderr_text}");
        let calls = std::fs::read_to_string(calls.path()).unwrap();
        let injected = ["(INJECTED)", "killed by SIGKILL"].iter().any(|mark| calls.contains(mark));
        assert!(injected, "{fault} was not injected: {words:?}\n{calls}");
    }
    output
}

/// A short form of `tests/faults.py`, which covers every call, kills at random moments and full disks.
#[cfg(target_os = "linux")]
#[test]
fn run_recovers_from_injected_system_call_faults() {
    let version = std::process::Command::new("strace").arg("-V").output();
    if !version.is_ok_and(|output| output.status.success()) {
        skip("strace is not installed");
        return;
    }
    let train: Vec<&str> =
        "train --data digits --train-limit 3 --test-limit 2 --epochs 2 --freeze-epochs 1 --batch 8 \
         --classes-per-task 5 --device cpu --quiet"
            .split_whitespace()
            .collect();
    let result = |home: &Path| {
        let runs = store::list_runs(&home.join("runs"));
        let [run] = runs.as_slice() else { panic!("{} runs", runs.len()) };
        let stored = store::load_run(&run.folder).unwrap();
        assert_eq!(stored.state, StoredState::Finished);
        let reports = stored.reports.iter();
        let answers: Vec<_> = reports.map(|report| report.answers.clone()).collect();
        (answers, snapshots(&run.folder))
    };
    let reference = tempfile::tempdir().unwrap();
    assert!(run_program(reference.path(), None, &train).status.success());
    let expected = result(reference.path());
    // The second file and the last of the first task; the checkpoint's own bytes.
    for fault in [
        "rename:signal=KILL:when=2",
        "rename:error=ENOSPC:when=5",
        "fsync:error=EIO:when=7",
        "write:signal=KILL:when=9",
    ] {
        let home = tempfile::tempdir().unwrap();
        let first = run_program(home.path(), Some(fault), &train);
        let stderr_text = String::from_utf8_lossy(&first.stderr).into_owned();
        assert!(!stderr_text.contains("panicked"), "{fault}: {stderr_text}");
        let listed = store::list_runs(&home.path().join("runs"));
        let unfinished = listed.first().map(|run| run.summary.clone().unwrap().state);
        if unfinished != Some(StoredState::Finished) {
            let words = match unfinished {
                None => train.clone(),
                Some(_) => vec!["resume", "latest", "--quiet"],
            };
            let second = run_program(home.path(), None, &words);
            let stderr_text = String::from_utf8_lossy(&second.stderr);
            assert!(second.status.success(), "{fault}: {stderr_text}");
        }
        assert!(result(home.path()) == expected, "{fault}");
    }
}
