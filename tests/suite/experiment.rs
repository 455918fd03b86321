//! Complete runs on a few embedded digits: training, stopping, killing, resuming, predicting.

use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::device;
use lae_studio::experiment::predict::{Predictor, PredictorParts};
use lae_studio::experiment::predictor_cache::PredictorCache;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::metrics::Expert;
use lae_studio::run::config::{Precision, RunConfig};
use lae_studio::run::event::{
    Control, ControlRequest, Event, NamedImage, Phase, PredictRequest, Sink, total_costs,
};
use lae_studio::store::{self, RunSummary, StoredState};
use lae_studio::tensors::NamedTensors;

use super::data::DatasetFixture;
use crate::assert_is;
use crate::skip::skip;

/// Two tasks of five digits that take a few seconds.
pub(super) fn short_config() -> RunConfig {
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

pub(super) fn snapshots(folder: &Path, tasks: usize) -> Vec<NamedTensors> {
    (0..tasks).map(|task| store::load_snapshot(folder, task).unwrap()).collect()
}

pub(super) fn run_folder(outcome: &Outcome) -> PathBuf {
    outcome.header().unwrap().folder.clone()
}

#[test]
fn stop_before_start_leaves_no_files() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 6).write_class("b", 6);
    let config = RunConfig {
        data: fixture.path().to_string_lossy().into_owned(),
        classes_per_task: "1".into(),
        batch: 2,
        ..RunConfig::default()
    };
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    control.set(ControlRequest::Stop);
    let mut events: Vec<Event> = Vec::new();
    let outcome = train(&config, root.path(), &mut events, &control);
    assert_eq!(outcome, Outcome::NotStarted);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn train_emits_events_and_writes_complete_folder() {
    let root = tempfile::tempdir().unwrap();
    let mut events: Vec<Event> = Vec::new();
    let outcome = train(&short_config(), root.path(), &mut events, &Control::default());
    assert!(matches!(outcome, Outcome::Finished(_)));
    let run = store::load_run(&run_folder(&outcome)).unwrap();
    assert_eq!(run.state, StoredState::Finished);
    assert_eq!(run.header.class_order.len(), 10);
    assert_eq!(run.header.tasks, vec![0..5, 5..10]);
    assert_eq!(run.reports.len(), 2);
    assert_eq!(run.reports[1].answers.labels.len(), 80);
    // Chance is 10 % for ten classes; even this short run is far above.
    let histories = RunSummary::from_run(&run).histories();
    assert!(histories.for_expert(Expert::ENSEMBLE).last_accuracy().unwrap() > 0.3);
    let has_phase = |task, epoch, frozen| {
        let phase = Phase::Training { task, epoch, frozen };
        events.iter().any(|e| matches!(e, Event::Phase { phase: p, .. } if *p == phase))
    };
    assert!(has_phase(0, 0, false) && has_phase(0, 1, false));
    assert!(has_phase(1, 0, true) && has_phase(1, 1, false));
    let evaluated_tasks =
        events.iter().filter(|e| matches!(e, Event::TaskEvaluated { .. })).count();
    assert_eq!(evaluated_tasks, 2);
    assert!(events.iter().any(|e| matches!(e, Event::Progress { progress, .. }
        if !progress.losses.is_empty() && progress.done > 0.0)));
}

#[test]
fn training_is_deterministic_per_seed() {
    let root = tempfile::tempdir().unwrap();
    let run = |seed| {
        let config = RunConfig { seed, ..short_config() };
        let outcome = train(&config, root.path(), &mut Vec::new(), &Control::default());
        snapshots(&run_folder(&outcome), 2)
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
        if matches!(event, Event::Phase { phase: Phase::Training { .. }, .. }) {
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
    paused_phases: Vec<Phase>,
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
            Phase::Training { .. } | Phase::Evaluating { .. }
                if !self.paused_phases.contains(&phase) =>
            {
                self.paused_phases.push(phase);
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
    let mut sink = Pausing { control: control.clone(), paused_phases: Vec::new(), pauses: 0 };
    let start = Instant::now();
    let outcome = train(&short_config(), root.path(), &mut sink, &control);
    let max_seconds = (start.elapsed() - PAUSE * sink.pauses).as_secs_f64();
    // Two epochs and one evaluation for each of two tasks.
    assert_eq!(sink.pauses, 6);
    let run = store::load_run(&run_folder(&outcome)).unwrap();
    let seconds: f64 = run.reports.iter().map(|report| report.seconds).sum();
    let training = total_costs(&run.reports).training_seconds;
    assert!(seconds <= max_seconds, "{seconds} of {max_seconds}");
    assert!(0.0 < training && training < seconds, "{training} of {seconds}");
    for report in &run.reports {
        let evaluation_seconds =
            report.costs.prediction_seconds * report.answers.labels.len() as f64;
        assert!(report.costs.training_seconds + evaluation_seconds <= report.seconds + 0.01);
    }
}

#[test]
fn resumed_run_matches_uninterrupted_run() {
    assert_resume_matches_uninterrupted(&short_config());
}

#[test]
fn resumed_bf16_run_matches_uninterrupted_run() {
    if experiment::check_bf16(&device::choose("cpu").unwrap()).is_err() {
        return skip("this CPU does not support bf16 multiplication");
    }
    assert_resume_matches_uninterrupted(&RunConfig {
        precision: Precision::Bf16,
        ..short_config()
    });
}

fn assert_resume_matches_uninterrupted(config: &RunConfig) {
    let root = tempfile::tempdir().unwrap();
    let uninterrupted = train(config, root.path(), &mut Vec::new(), &Control::default());
    let expected = snapshots(&run_folder(&uninterrupted), 2);
    // Stop one run in each epoch.
    for epochs in 0..4 {
        let control = Control::default();
        let mut sink = StopAfter { control: control.clone(), epochs };
        let outcome = train(config, root.path(), &mut sink, &control);
        assert!(matches!(outcome, Outcome::Stopped(_)), "epoch {epochs}");
        let folder = run_folder(&outcome);
        control.set(ControlRequest::Run);
        let cache = ResourceCache::default();
        let resumed = experiment::resume(&folder, &cache, &mut Vec::new(), &control).unwrap();
        assert!(matches!(resumed, Outcome::Finished(_)));
        assert_eq!(snapshots(&folder, 2), expected, "epoch {epochs}");
        let problem = experiment::resume(&folder, &cache, &mut Vec::new(), &control).unwrap_err();
        assert_is(&problem, "problem-run-finished");
    }
}

#[test]
fn min_steps_adds_epochs_and_resumes_exactly() {
    let root = tempfile::tempdir().unwrap();
    // 60 images per task are seven steps of eight images: 22 steps take four epochs.
    let config = RunConfig { min_steps: 22, ..short_config() };
    let uninterrupted = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let uninterrupted_folder = run_folder(&uninterrupted);
    let run = store::load_run(&uninterrupted_folder).unwrap();
    let losses = run.reports.iter().map(|report| report.losses.len());
    assert_eq!(losses.collect::<Vec<_>>(), [4, 4]);
    // Each epoch shows seven whole batches.
    assert_eq!(run.reports[0].costs.images_seen, 4 * 56);
    for epochs in [3, 6] {
        let control = Control::default();
        let mut sink = StopAfter { control: control.clone(), epochs };
        let outcome = train(&config, root.path(), &mut sink, &control);
        assert!(matches!(outcome, Outcome::Stopped(_)));
        let folder = run_folder(&outcome);
        let (cache, mut events) = (ResourceCache::default(), Vec::<Event>::new());
        experiment::resume(&folder, &cache, &mut events, &Control::default()).unwrap();
        assert_eq!(snapshots(&folder, 2), snapshots(&uninterrupted_folder, 2));
    }
}

#[test]
fn rejects_new_runs_with_all_epochs_frozen() {
    let root = tempfile::tempdir().unwrap();
    let frozen_config = RunConfig { settings: crate::lae_settings(2, 0.9), ..short_config() };
    let cache = ResourceCache::default();
    let result = experiment::train(
        &frozen_config,
        root.path(),
        &cache,
        &mut Vec::new(),
        &Control::default(),
    );
    let frozen_problem = result.unwrap_err();
    assert_says!(frozen_problem.what, "problem-all-epochs-frozen", n = 2);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    // A run that an older version started with these settings.
    let control = Control::default();
    let mut sink = StopAfter { control: control.clone(), epochs: 1 };
    let folder = run_folder(&train(&short_config(), root.path(), &mut sink, &control));
    let file = folder.join("run.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("freeze_epochs = 1"));
    std::fs::write(&file, text.replace("freeze_epochs = 1", "freeze_epochs = 2")).unwrap();
    let mut events = Vec::<Event>::new();
    experiment::resume(&folder, &cache, &mut events, &Control::default()).unwrap();
    let is_frozen_remark = |event: &Event| matches!(event, Event::Remark { problem, .. } if problem.mentions("problem-all-epochs-frozen"));
    assert!(events.iter().any(is_frozen_remark));
    assert_eq!(store::load_run(&folder).unwrap().state, StoredState::Finished);
}

#[test]
fn resume_rejects_changed_images() {
    let fixture = DatasetFixture::new();
    fixture.write_class("train/a", 8).write_class("train/b", 8);
    fixture.write_class("test/a", 2).write_class("test/b", 2);
    let config = RunConfig {
        data: fixture.path().to_string_lossy().into_owned(),
        classes_per_task: "1".into(),
        train_limit: None,
        test_limit: None,
        ..short_config()
    };
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    let mut sink = StopAfter { control: control.clone(), epochs: 1 };
    let outcome = train(&config, root.path(), &mut sink, &control);
    assert!(matches!(outcome, Outcome::Stopped(_)));
    control.set(ControlRequest::Run);
    let resume = || {
        let (folder, cache) = (run_folder(&outcome), ResourceCache::default());
        experiment::resume(&folder, &cache, &mut Vec::new(), &control)
    };
    let replaced_image = fixture.path().join("train/b/003.png");
    image::RgbImage::new(40, 40).save(&replaced_image).unwrap();
    let problem = resume().unwrap_err();
    assert_is(&problem, "problem-changed-since-run-start");
    super::data::write_image(&replaced_image, "train/b/003.png");
    assert!(matches!(resume().unwrap(), Outcome::Finished(_)));
}

#[test]
fn killed_run_resumes_to_same_weights() {
    let root = tempfile::tempdir().unwrap();
    let config = RunConfig { epochs: 4, ..short_config() };
    let uninterrupted = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let expected = snapshots(&run_folder(&uninterrupted), 2);
    let killed_dir = tempfile::tempdir().unwrap();
    let settings = killed_dir.path().join("settings.toml");
    std::fs::write(&settings, config.to_toml().unwrap()).unwrap();
    let output = killed_dir.path().join("runs");
    let mut child = Program::new(env!("CARGO_BIN_EXE_lae-studio"))
        .args(["train", "--quiet", "--config"])
        .arg(&settings)
        .arg("--out")
        .arg(&output)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Kill the process once the first task is saved.
    let deadline = Instant::now() + crate::TIMEOUT;
    let folder = loop {
        assert!(Instant::now() < deadline, "the run did not reach its second task");
        let found = store::list_runs(&output).into_iter().find_map(|listed| listed.summary.ok());
        if let Some(run) = found.filter(|run| run.saved_tasks() > 0) {
            break run.header.folder;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    if store::load_run(&folder).unwrap().state != StoredState::Finished {
        let resumed = experiment::resume(
            &folder,
            &ResourceCache::default(),
            &mut Vec::new(),
            &Control::default(),
        );
        assert!(matches!(resumed.unwrap(), Outcome::Finished(_)));
    }
    assert_eq!(snapshots(&folder, 2), expected);
}

#[test]
fn baseline_has_only_online_expert() {
    let root = tempfile::tempdir().unwrap();
    let config =
        RunConfig { method: "baseline".into(), settings: Default::default(), ..short_config() };
    let outcome = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let run = store::load_run(&run_folder(&outcome)).unwrap();
    for report in &run.reports {
        assert!(report.answers.given.keys().eq([&Expert::ONLINE]));
    }
    let last = store::load_snapshot(&run_folder(&outcome), 1).unwrap();
    assert!(last.keys().all(|name| !name.starts_with("offline.")));
}

#[test]
fn prediction_matches_evaluation() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short_config(), root.path(), &mut Vec::new(), &Control::default());
    let stored = store::load_run(&run_folder(&outcome)).unwrap();
    let options = OpenOptions {
        test_share: short_config().test_share,
        train_limit: short_config().train_limit,
        test_limit: short_config().test_limit,
        ..OpenOptions::default()
    };
    let data = Dataset::open("digits", &options).unwrap();
    let (mut predictors, cache) = (PredictorCache::default(), ResourceCache::default());
    for (task, report) in stored.reports.iter().enumerate() {
        for i in (0..report.answers.samples.len()).step_by(9) {
            let image = data.test[report.answers.samples[i]].decode().unwrap();
            let (width, height) = (image.width() as usize, image.height() as usize);
            let name = "test image".to_string();
            let picture = NamedImage { name, width, height, rgb: image.into_raw() };
            let run = run_folder(&outcome);
            let request = PredictRequest { ticket: 1, about: 0, run, picture, tasks: vec![task] };
            let answer = predictors.predict(&request, task, &cache).unwrap();
            assert_eq!(answer.classes.len(), (task + 1) * 5);
            assert_eq!(
                answer.expert_prediction(Expert::ONLINE).unwrap().class,
                report.answers.for_expert(Expert::ONLINE)[i]
            );
            assert_eq!(
                answer.expert_prediction(Expert::ENSEMBLE).unwrap().class,
                report.answers.for_expert(Expert::ENSEMBLE)[i]
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
    let config = RunConfig { backbone: weights.display().to_string(), ..short_config() };
    let runs = root.path().join("runs");
    let outcome = train(&config, &runs, &mut Vec::new(), &Control::default());
    let folder = run_folder(&outcome);
    let grey_image = NamedImage {
        name: "grey".into(),
        width: 32,
        height: 32,
        rgb: (0..32 * 32 * 3).map(|i| (i % 251) as u8).collect(),
    };
    let from_files = Predictor::open(&folder, 1, None, &ResourceCache::default(), false).unwrap();
    let expected = from_files.predict(&grey_image).unwrap().0;
    let mut parts =
        PredictorParts::gather(&folder, 1, None, &ResourceCache::default(), false).unwrap();
    parts.read_ahead().unwrap();
    std::fs::remove_dir_all(&runs).unwrap();
    std::fs::remove_file(&weights).unwrap();
    let predictor = parts.assemble(&ResourceCache::default()).unwrap();
    assert_eq!(predictor.predict(&grey_image).unwrap().0, expected);
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
        ..short_config()
    };
    let (cache, control) = (ResourceCache::default(), Control::default());
    let problem = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
    let problem = problem.unwrap_err();
    assert_is(&problem, "problem-values-not-finite");
    assert_says!(problem.remedy, "advice-use-smaller-base-lr");
    let run = store::list_runs(root.path()).remove(0).summary.unwrap();
    assert_eq!(run.saved_tasks(), 0);
    assert_eq!(run.state, StoredState::Interrupted { task: 0, epoch: 0 });

    // A snapshot with non-finite weights, as older versions could write it.
    let outcome = train(&short_config(), root.path(), &mut Vec::new(), &control);
    let folder = run_folder(&outcome);
    let mut tensors = store::load_snapshot(&folder, 0).unwrap();
    tensors.values_mut().for_each(|tensor| tensor.values.fill(f32::NAN));
    let bytes = lae_studio::tensors::to_bytes(&tensors, Default::default()).unwrap();
    std::fs::write(folder.join("task_1.safetensors"), bytes).unwrap();
    let request = PredictRequest {
        ticket: 1,
        about: 0,
        run: folder,
        picture: NamedImage {
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
    let invalid = [
        (
            RunConfig { epochs: 0, batch: 0, ..short_config() },
            "the number of epochs must be above 0",
        ),
        (RunConfig { pet: "adaptor".into(), ..short_config() }, "adaptor"),
        (RunConfig { backbone: "lae-nana".into(), ..short_config() }, "lae-nana"),
        (RunConfig { blocks: "99".into(), ..short_config() }, "block"),
        (RunConfig { data: "/nowhere/at/all".into(), ..short_config() }, ""),
        (RunConfig { classes_per_task: "3,3".into(), ..short_config() }, "class"),
        (RunConfig { device: "abacus".into(), ..short_config() }, "abacus"),
    ];
    for (config, expected) in invalid {
        let cache = ResourceCache::default();
        let result =
            experiment::train(&config, root.path(), &cache, &mut Vec::new(), &Control::default());
        let problem = result.unwrap_err();
        assert!(problem.to_string().contains(expected), "{problem}");
        assert!(!problem.remedy.is_empty(), "{problem}");
    }
}

#[test]
fn non_finite_loss_fails_with_remedy() {
    let root = tempfile::tempdir().unwrap();
    let config = RunConfig { base_lr: 1e30, ..short_config() };
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
