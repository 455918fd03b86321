//! Complete runs on a few embedded digits: training, stopping, killing, resuming, predicting.

use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::device;
use lae_studio::experiment::predict::{Parts, Predictor};
use lae_studio::experiment::predictor_cache::PredictorCache;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::metrics::Expert;
use lae_studio::run::config::{Precision, RunConfig};
use lae_studio::run::event::{
    Control, ControlRequest, Event, Phase, Picture, PredictRequest, Sink, costs,
};
use lae_studio::store::{self, RunSummary, StoredState};
use lae_studio::tensors::Named;

use super::data::Made;
use crate::assert_is;
use crate::skip::skip;

/// Two tasks of five digits that take a few seconds.
pub(super) fn short() -> RunConfig {
    RunConfig {
        classes_per_task: "5".into(),
        epochs: 2,
        settings: crate::lae_settings(1, 0.9),
        batch: 8,
        train_limit: Some(12),
        test_limit: Some(8),
        device: "cpu".into(),
        ..RunConfig::default()
    }
}

pub(super) fn train(
    config: &RunConfig,
    root: &Path,
    sink: &mut dyn Sink,
    control: &Control,
) -> Outcome {
    experiment::train(config, root, &ResourceCache::default(), sink, control).unwrap()
}

pub(super) fn snapshots(folder: &Path, tasks: usize) -> Vec<Named> {
    (0..tasks)
        .map(|task| store::load_snapshot(folder, task).unwrap())
        .collect()
}

pub(super) fn folder_of(outcome: &Outcome) -> PathBuf {
    outcome.header().unwrap().folder.clone()
}

#[test]
fn stop_before_start_leaves_no_files() {
    let made = Made::new();
    made.class("a", 6).class("b", 6);
    let config = RunConfig {
        data: made.path().to_string_lossy().into_owned(),
        classes_per_task: "1".into(),
        batch: 2,
        ..RunConfig::default()
    };
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    control.set(ControlRequest::Stop);
    let mut events: Vec<Event> = Vec::new();
    let outcome = train(&config, root.path(), &mut events, &control);
    assert_eq!(outcome, Outcome::NotBegun);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn train_emits_events_and_writes_complete_folder() {
    let root = tempfile::tempdir().unwrap();
    let mut events: Vec<Event> = Vec::new();
    let outcome = train(&short(), root.path(), &mut events, &Control::default());
    assert!(matches!(outcome, Outcome::Finished(_)));
    let stored = store::load(&folder_of(&outcome)).unwrap();
    assert_eq!(stored.state, StoredState::Finished);
    assert_eq!(stored.header.class_order.len(), 10);
    assert_eq!(stored.header.tasks, vec![0..5, 5..10]);
    assert_eq!(stored.reports.len(), 2);
    assert_eq!(stored.reports[1].answers.labels.len(), 80);
    // Chance is 10 % for ten classes; even this short run is far above.
    let histories = RunSummary::of(&stored).histories();
    assert!(histories.of(Expert::ENSEMBLE).last().unwrap() > 0.3);
    let frozen = |task, epoch, frozen| {
        let phase = Phase::Training {
            task,
            epoch,
            frozen,
        };
        events
            .iter()
            .any(|e| matches!(e, Event::Phase { phase: p, .. } if *p == phase))
    };
    assert!(frozen(0, 0, false) && frozen(0, 1, false));
    assert!(frozen(1, 0, true) && frozen(1, 1, false));
    let told = events
        .iter()
        .filter(|e| matches!(e, Event::TaskEvaluated { .. }))
        .count();
    assert_eq!(told, 2);
    assert!(
        events
            .iter()
            .any(|e| matches!(e, Event::Progress { progress, .. }
        if !progress.losses.is_empty() && progress.done > 0.0))
    );
}

#[test]
fn training_is_deterministic_per_seed() {
    let root = tempfile::tempdir().unwrap();
    let run = |seed| {
        let config = RunConfig { seed, ..short() };
        let outcome = train(&config, root.path(), &mut Vec::new(), &Control::default());
        snapshots(&folder_of(&outcome), 2)
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
}

/// Stops the run after this number of training epochs.
pub(super) struct StopAfter {
    pub control: Control,
    pub epochs: usize,
}

impl Sink for StopAfter {
    fn event(&mut self, event: Event) {
        if matches!(
            event,
            Event::Phase {
                phase: Phase::Training { .. },
                ..
            }
        ) {
            if self.epochs == 0 {
                self.control.set(ControlRequest::Stop);
            }
            self.epochs = self.epochs.saturating_sub(1);
        }
    }
}

/// Pauses the run in every epoch and every evaluation.
struct Pausing {
    control: Control,
    met: Vec<Phase>,
    pauses: u32,
}

/// Minimum length of a pause.
const PAUSE: Duration = Duration::from_millis(1500);

impl Sink for Pausing {
    fn event(&mut self, event: Event) {
        let Event::Phase { phase, .. } = event else {
            return;
        };
        match phase {
            Phase::Paused => {
                self.pauses += 1;
                let control = self.control.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(PAUSE);
                    control.set(ControlRequest::Run);
                });
            }
            Phase::Training { .. } | Phase::Evaluating { .. } if !self.met.contains(&phase) => {
                self.met.push(phase);
                self.control.set(ControlRequest::Pause);
            }
            _ => {}
        }
    }
}

#[test]
fn reported_seconds_exclude_pauses() {
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    let mut sink = Pausing {
        control: control.clone(),
        met: Vec::new(),
        pauses: 0,
    };
    let began = Instant::now();
    let outcome = train(&short(), root.path(), &mut sink, &control);
    let most = (began.elapsed() - PAUSE * sink.pauses).as_secs_f64();
    // Two epochs and one evaluation for each of two tasks.
    assert_eq!(sink.pauses, 6);
    let stored = store::load(&folder_of(&outcome)).unwrap();
    let seconds: f64 = stored.reports.iter().map(|report| report.seconds).sum();
    let training = costs(&stored.reports).training_seconds;
    assert!(seconds <= most, "{seconds} of {most}");
    assert!(
        0.0 < training && training < seconds,
        "{training} of {seconds}"
    );
    for report in &stored.reports {
        let tested = report.costs.prediction_seconds * report.answers.labels.len() as f64;
        assert!(report.costs.training_seconds + tested <= report.seconds + 0.01);
    }
}

#[test]
fn resumed_run_matches_uninterrupted_run() {
    stopped_and_continued(&short());
}

#[test]
fn resumed_bf16_run_matches_uninterrupted_run() {
    if experiment::has_bf16(&device::choose("cpu").unwrap()).is_err() {
        return skip("this CPU does not support bf16 multiplication");
    }
    stopped_and_continued(&RunConfig {
        precision: Precision::Bf16,
        ..short()
    });
}

fn stopped_and_continued(config: &RunConfig) {
    let root = tempfile::tempdir().unwrap();
    let whole = train(config, root.path(), &mut Vec::new(), &Control::default());
    let want = snapshots(&folder_of(&whole), 2);
    // Stop one run in each epoch.
    for epochs in 0..4 {
        let control = Control::default();
        let mut sink = StopAfter {
            control: control.clone(),
            epochs,
        };
        let outcome = train(config, root.path(), &mut sink, &control);
        assert!(matches!(outcome, Outcome::Stopped(_)), "epoch {epochs}");
        let folder = folder_of(&outcome);
        control.set(ControlRequest::Run);
        let cache = ResourceCache::default();
        let end = experiment::resume(&folder, &cache, &mut Vec::new(), &control).unwrap();
        assert!(matches!(end, Outcome::Finished(_)));
        assert_eq!(snapshots(&folder, 2), want, "epoch {epochs}");
        let problem = experiment::resume(&folder, &cache, &mut Vec::new(), &control).unwrap_err();
        assert_is(&problem, "problem-run-finished");
    }
}

#[test]
fn min_steps_adds_epochs_and_resumes_exactly() {
    let root = tempfile::tempdir().unwrap();
    // 60 images per task are seven steps of eight images: 22 steps take four epochs.
    let config = RunConfig {
        min_steps: 22,
        ..short()
    };
    let whole = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let whole = folder_of(&whole);
    let stored = store::load(&whole).unwrap();
    let losses = stored.reports.iter().map(|report| report.losses.len());
    assert_eq!(losses.collect::<Vec<_>>(), [4, 4]);
    // Each epoch shows seven whole batches.
    assert_eq!(stored.reports[0].costs.images_seen, 4 * 56);
    for epochs in [3, 6] {
        let control = Control::default();
        let mut sink = StopAfter {
            control: control.clone(),
            epochs,
        };
        let begun = train(&config, root.path(), &mut sink, &control);
        assert!(matches!(begun, Outcome::Stopped(_)));
        let folder = folder_of(&begun);
        let (cache, mut events) = (ResourceCache::default(), Vec::<Event>::new());
        experiment::resume(&folder, &cache, &mut events, &Control::default()).unwrap();
        assert_eq!(snapshots(&folder, 2), snapshots(&whole, 2));
    }
}

#[test]
fn rejects_new_runs_with_all_epochs_frozen() {
    let root = tempfile::tempdir().unwrap();
    let still = RunConfig {
        settings: crate::lae_settings(2, 0.9),
        ..short()
    };
    let cache = ResourceCache::default();
    let refused = experiment::train(
        &still,
        root.path(),
        &cache,
        &mut Vec::new(),
        &Control::default(),
    );
    let refused = refused.unwrap_err();
    assert_says!(refused.what, "problem-all-epochs-frozen", n = 2);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    // A run that an older version started with these settings.
    let control = Control::default();
    let mut sink = StopAfter {
        control: control.clone(),
        epochs: 1,
    };
    let begun = folder_of(&train(&short(), root.path(), &mut sink, &control));
    let file = begun.join("run.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("freeze_epochs = 1"));
    std::fs::write(
        &file,
        text.replace("freeze_epochs = 1", "freeze_epochs = 2"),
    )
    .unwrap();
    let mut events = Vec::<Event>::new();
    experiment::resume(&begun, &cache, &mut events, &Control::default()).unwrap();
    let told = |event: &Event| matches!(event, Event::Remark { problem, .. } if problem.mentions("problem-all-epochs-frozen"));
    assert!(events.iter().any(told));
    assert_eq!(store::load(&begun).unwrap().state, StoredState::Finished);
}

#[test]
fn resume_rejects_changed_images() {
    let made = Made::new();
    made.class("train/a", 8).class("train/b", 8);
    made.class("test/a", 2).class("test/b", 2);
    let config = RunConfig {
        data: made.path().to_string_lossy().into_owned(),
        classes_per_task: "1".into(),
        train_limit: None,
        test_limit: None,
        ..short()
    };
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    let mut sink = StopAfter {
        control: control.clone(),
        epochs: 1,
    };
    let outcome = train(&config, root.path(), &mut sink, &control);
    assert!(matches!(outcome, Outcome::Stopped(_)));
    control.set(ControlRequest::Run);
    let resume = || {
        let (folder, cache) = (folder_of(&outcome), ResourceCache::default());
        experiment::resume(&folder, &cache, &mut Vec::new(), &control)
    };
    let replaced = made.path().join("train/b/003.png");
    image::RgbImage::new(40, 40).save(&replaced).unwrap();
    let problem = resume().unwrap_err();
    assert_is(&problem, "problem-changed-since-run-start");
    super::data::picture(&replaced, "train/b/003.png");
    assert!(matches!(resume().unwrap(), Outcome::Finished(_)));
}

#[test]
fn killed_run_resumes_to_same_weights() {
    let root = tempfile::tempdir().unwrap();
    let config = RunConfig {
        epochs: 4,
        ..short()
    };
    let whole = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let want = snapshots(&folder_of(&whole), 2);
    let killed = tempfile::tempdir().unwrap();
    let settings = killed.path().join("settings.toml");
    std::fs::write(&settings, config.to_toml().unwrap()).unwrap();
    let out = killed.path().join("runs");
    let mut child = Program::new(env!("CARGO_BIN_EXE_lae-studio"))
        .args(["train", "--quiet", "--config"])
        .arg(&settings)
        .arg("--out")
        .arg(&out)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Kill the process once the first task is saved.
    let patience = Instant::now() + crate::PATIENCE;
    let folder = loop {
        assert!(
            Instant::now() < patience,
            "the run did not reach its second task"
        );
        let found = store::list(&out)
            .into_iter()
            .find_map(|listed| listed.summary.ok());
        if let Some(run) = found.filter(|run| run.saved() > 0) {
            break run.header.folder;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    if store::load(&folder).unwrap().state != StoredState::Finished {
        let end = experiment::resume(
            &folder,
            &ResourceCache::default(),
            &mut Vec::new(),
            &Control::default(),
        );
        assert!(matches!(end.unwrap(), Outcome::Finished(_)));
    }
    assert_eq!(snapshots(&folder, 2), want);
}

#[test]
fn baseline_has_only_online_expert() {
    let root = tempfile::tempdir().unwrap();
    let config = RunConfig {
        method: "baseline".into(),
        settings: Default::default(),
        ..short()
    };
    let outcome = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let stored = store::load(&folder_of(&outcome)).unwrap();
    for report in &stored.reports {
        assert!(report.answers.given.keys().eq([&Expert::ONLINE]));
    }
    let last = store::load_snapshot(&folder_of(&outcome), 1).unwrap();
    assert!(last.keys().all(|name| !name.starts_with("offline.")));
}

#[test]
fn prediction_matches_evaluation() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short(), root.path(), &mut Vec::new(), &Control::default());
    let stored = store::load(&folder_of(&outcome)).unwrap();
    let options = OpenOptions {
        test_share: short().test_share,
        train_limit: short().train_limit,
        test_limit: short().test_limit,
        ..OpenOptions::default()
    };
    let data = Dataset::open("digits", &options).unwrap();
    let (mut shelf, cache) = (PredictorCache::default(), ResourceCache::default());
    for (task, report) in stored.reports.iter().enumerate() {
        for at in (0..report.answers.samples.len()).step_by(9) {
            let image = data.test[report.answers.samples[at]].decode().unwrap();
            let (width, height) = (image.width() as usize, image.height() as usize);
            let name = "test image".to_string();
            let picture = Picture {
                name,
                width,
                height,
                rgb: image.into_raw(),
            };
            let run = folder_of(&outcome);
            let request = PredictRequest {
                ticket: 1,
                about: 0,
                run,
                picture,
                tasks: vec![task],
            };
            let answer = shelf.predict(&request, task, &cache).unwrap();
            assert_eq!(answer.classes.len(), (task + 1) * 5);
            assert_eq!(
                answer.of(Expert::ONLINE).unwrap().class,
                report.answers.of(Expert::ONLINE)[at]
            );
            assert_eq!(
                answer.of(Expert::ENSEMBLE).unwrap().class,
                report.answers.of(Expert::ENSEMBLE)[at]
            );
        }
    }
}

#[test]
fn gathered_predictor_needs_no_files() {
    let root = tempfile::tempdir().unwrap();
    let weights = root.path().join("mine.safetensors");
    let nano = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lae-nano.safetensors");
    std::fs::copy(nano, &weights).unwrap();
    let config = RunConfig {
        backbone: weights.display().to_string(),
        ..short()
    };
    let runs = root.path().join("runs");
    let outcome = train(&config, &runs, &mut Vec::new(), &Control::default());
    let folder = folder_of(&outcome);
    let picture = Picture {
        name: "grey".into(),
        width: 32,
        height: 32,
        rgb: (0..32 * 32 * 3).map(|i| (i % 251) as u8).collect(),
    };
    let usual = Predictor::open(&folder, 1, None, &ResourceCache::default(), false).unwrap();
    let expected = usual.predict(&picture).unwrap().0;
    let mut parts = Parts::gather(&folder, 1, None, &ResourceCache::default(), false).unwrap();
    parts.read_ahead().unwrap();
    std::fs::remove_dir_all(&runs).unwrap();
    std::fs::remove_file(&weights).unwrap();
    let predictor = parts.assemble(&ResourceCache::default()).unwrap();
    assert_eq!(predictor.predict(&picture).unwrap().0, expected);
}

#[test]
fn rejects_non_finite_weights() {
    let root = tempfile::tempdir().unwrap();
    // One step: the loss is finite, the resulting weights are not.
    let config = RunConfig {
        epochs: 1,
        settings: crate::frozen_epochs(0),
        batch: 60,
        base_lr: 1e300,
        ..short()
    };
    let (cache, control) = (ResourceCache::default(), Control::default());
    let problem = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
    let problem = problem.unwrap_err();
    assert_is(&problem, "problem-values-not-finite");
    assert_says!(problem.remedy, "advice-use-smaller-base-lr");
    let run = store::list(root.path()).remove(0).summary.unwrap();
    assert_eq!(run.saved(), 0);
    assert_eq!(run.state, StoredState::Interrupted { task: 0, epoch: 0 });

    // A snapshot with non-finite weights, as older versions could write it.
    let outcome = train(&short(), root.path(), &mut Vec::new(), &control);
    let folder = folder_of(&outcome);
    let mut named = store::load_snapshot(&folder, 0).unwrap();
    named
        .values_mut()
        .for_each(|tensor| tensor.values.fill(f32::NAN));
    let bytes = lae_studio::tensors::to_bytes(&named, Default::default()).unwrap();
    std::fs::write(folder.join("task_1.safetensors"), bytes).unwrap();
    let request = PredictRequest {
        ticket: 1,
        about: 0,
        run: folder,
        picture: Picture {
            name: "grey".into(),
            width: 32,
            height: 32,
            rgb: vec![128; 32 * 32 * 3],
        },
        tasks: vec![0],
    };
    let problem = PredictorCache::default().predict(&request, 0, &cache);
    assert!(problem.unwrap_err().mentions("problem-values-not-finite"));
}

#[test]
fn rejects_invalid_settings_with_remedy() {
    let root = tempfile::tempdir().unwrap();
    let wrong = [
        (
            RunConfig {
                epochs: 0,
                batch: 0,
                ..short()
            },
            "the number of epochs must be above 0",
        ),
        (
            RunConfig {
                pet: "adaptor".into(),
                ..short()
            },
            "adaptor",
        ),
        (
            RunConfig {
                backbone: "lae-nana".into(),
                ..short()
            },
            "lae-nana",
        ),
        (
            RunConfig {
                blocks: "99".into(),
                ..short()
            },
            "block",
        ),
        (
            RunConfig {
                data: "/nowhere/at/all".into(),
                ..short()
            },
            "",
        ),
        (
            RunConfig {
                classes_per_task: "3,3".into(),
                ..short()
            },
            "class",
        ),
        (
            RunConfig {
                device: "abacus".into(),
                ..short()
            },
            "abacus",
        ),
    ];
    for (config, word) in wrong {
        let cache = ResourceCache::default();
        let end = experiment::train(
            &config,
            root.path(),
            &cache,
            &mut Vec::new(),
            &Control::default(),
        );
        let problem = end.unwrap_err();
        assert!(problem.to_string().contains(word), "{problem}");
        assert!(!problem.remedy.is_empty(), "{problem}");
    }
}

#[test]
fn non_finite_loss_fails_with_remedy() {
    let root = tempfile::tempdir().unwrap();
    let config = RunConfig {
        base_lr: 1e30,
        ..short()
    };
    let (cache, control) = (ResourceCache::default(), Control::default());
    let end = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
    let problem = end.unwrap_err();
    assert!(
        problem.mentions("problem-values-not-finite")
            && problem.mentions("finite-the-loss-what")
            && problem.mentions("advice-use-smaller-base-lr"),
        "{problem}"
    );
}
