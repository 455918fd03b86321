//! Learning a batch in micro-batches gives the same result as the whole batch, for every method.

use lae_studio::experiment::{self, Changes, ResourceCache};
use lae_studio::method::{METHODS, switch_method};
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::event::{Control, ControlRequest, Event, Phase, Sink};
use lae_studio::store;
use lae_studio::tensors::NamedTensors;

use crate::skip::software_gpu;

/// Returns settings for a few steps of a method on the embedded digits, in batches of 8.
fn settings(method: &'static lae_studio::method::MethodSpec) -> RunConfig {
    let mut config = RunConfig {
        classes_per_task: "2,2,6".into(),
        epochs: 2,
        batch: 8,
        train_limit: Some(8),
        test_limit: Some(2),
        device: "cpu".into(),
        blocks: "2".into(),
        ..RunConfig::default()
    };
    switch_method(&mut config, method);
    if method.key == "lae" {
        config.settings = crate::frozen_epochs(1);
    }
    if method.key == "ranpac" {
        // The paper's number of projections takes minutes to solve.
        let projection = Setting::Whole(64);
        config.settings.insert("projection".into(), projection);
    }
    if method.key == "esn" {
        let prompt_length = Setting::Whole(4);
        config.settings.insert("prompt_length".into(), prompt_length);
    }
    if matches!(method.key, "coda-prompt" | "icarl") {
        // Gradients are near zero, so rounding errors grow with every step.
        config.epochs = 1;
    }
    if method.all_at_once {
        config.epochs = 1;
        config.train_limit = Some(2);
    }
    config
}

fn train_and_load(config: &RunConfig) -> NamedTensors {
    let root = tempfile::tempdir().unwrap();
    let mut events: Vec<Event> = Vec::new();
    let control = Control::default();
    let outcome =
        experiment::train(config, root.path(), &ResourceCache::default(), &mut events, &control);
    let header = outcome.unwrap().header().unwrap().clone();
    assert_eq!(header.config.micro_batch, config.micro_batch);
    let tasks = header.tasks.len();
    store::load_snapshot(&header.folder, tasks - 1).unwrap()
}

/// Largest allowed difference of weights: absolute, and relative to the largest value of the tensor.
/// Adam divides by the size of a gradient, which amplifies rounding errors.
struct Bound(f32, f32);
const CPU_BOUND: Bound = Bound(1e-5, 1e-3);
/// A GPU uses a different kernel for each number of images, which sums in a different order.
const GPU_BOUND: Bound = Bound(1e-4, 1e-2);

/// Asserts that two sets of weights differ by less than the bound.
fn assert_close(
    label: &str,
    a: &NamedTensors,
    b: &NamedTensors,
    Bound(max_absolute, max_relative): Bound,
) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    let mut worst = (0f32, 0f32, "");
    for (name, a) in a {
        let b = &b[name].values;
        let largest = b.iter().fold(1e-3f32, |maximum, v| maximum.max(v.abs()));
        let differences = a.values.iter().zip(b).map(|(a, b)| (a - b).abs());
        let difference = differences.fold(0f32, f32::max);
        if difference / largest >= worst.1 {
            worst = (difference, difference / largest, name);
        }
        assert!(
            difference / largest.max(1.0) < max_absolute,
            "{label}: {difference:.1e} in {name}"
        );
        assert!(
            difference / largest < max_relative,
            "{label}: {difference:.1e} of {largest:.1e} in {name}"
        );
    }
    let (difference, relative, name) = worst;
    eprintln!("{label}: apart by {difference:.1e}, {relative:.1e} of the largest, in {name}");
}

#[test]
fn micro_batches_match_whole_batch_for_every_method() {
    for method in METHODS {
        let full_batch = settings(method);
        let micro_batches = RunConfig { micro_batch: Some(3), ..full_batch.clone() };
        let bound = match method.key {
            // Earlier heads have nearly reached their targets, so some of their gradients are only rounding errors: the
            // difference is less than one step of Adam with its rate of 3e-4.
            "icarl" => Bound(3e-4, 1e-1),
            _ => CPU_BOUND,
        };
        assert_close(
            method.key,
            &train_and_load(&micro_batches),
            &train_and_load(&full_batch),
            bound,
        );
    }
}

/// On a GPU, other kernels are used, and images are also transferred in parts.
#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn micro_batches_match_whole_batch_on_gpu() {
    let Some(gpu) = software_gpu() else { return };
    let full_batch = RunConfig {
        classes_per_task: "2,8".into(),
        train_limit: Some(4),
        test_limit: Some(1),
        device: gpu.selector(),
        ..settings(METHODS[0])
    };
    let micro_batches = RunConfig { micro_batch: Some(3), ..full_batch.clone() };
    assert_close("GPU", &train_and_load(&micro_batches), &train_and_load(&full_batch), GPU_BOUND);
}

/// Stops the run in the second epoch of the first task.
struct StopInSecondEpoch<'a>(&'a Control);

impl Sink for StopInSecondEpoch<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Phase { phase: Phase::Training { epoch: 1, .. }, .. } = event {
            self.0.set(ControlRequest::Stop);
        }
    }

    fn between_batches(&mut self) {}
}

#[test]
fn resume_accepts_and_stores_smaller_micro_batch() {
    let config = settings(METHODS[0]);
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    let cache = ResourceCache::default();
    let mut stopper = StopInSecondEpoch(&control);
    let outcome = experiment::train(&config, root.path(), &cache, &mut stopper, &control);
    let folder = outcome.unwrap().header().unwrap().folder.clone();
    assert_eq!(store::load_run(&folder).unwrap().header.config.micro_batch, None);
    let changes = Changes { micro_batch: Some(2), ..Changes::default() };
    let mut events: Vec<Event> = Vec::new();
    let outcome =
        experiment::resume_with(&folder, &changes, &cache, &mut events, &Control::default());
    let header = outcome.unwrap().header().unwrap().clone();
    assert_eq!(header.config.micro_batch, Some(2));
    let run = store::load_run(&folder).unwrap();
    assert_eq!(run.header.config.micro_batch, Some(2));
    let last = run.header.tasks.len() - 1;
    let snapshot = store::load_snapshot(&folder, last).unwrap();
    assert_close("continued", &snapshot, &train_and_load(&config), CPU_BOUND);
}
