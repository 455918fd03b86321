//! Complete runs of Seq-FT and Joint-FT on a few embedded digits: trained and stored weights.

use std::path::Path;

use lae_studio::backbone::library;
use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::method;
use lae_studio::run::config::{Precision, RunConfig};
use lae_studio::run::event::Control;
use lae_studio::store;
use lae_studio::tensors::NamedTensors;

/// Two tasks of five digits with a few steps.
fn short_config(method: &str, settings: &[&str]) -> RunConfig {
    let mut config = RunConfig {
        data: "digits".into(),
        classes_per_task: "5".into(),
        epochs: 2,
        batch: 8,
        train_limit: Some(8),
        test_limit: Some(4),
        device: "cpu".into(),
        ..RunConfig::default()
    };
    method::switch_method(&mut config, method::find_method(method).unwrap());
    for setting in settings {
        method::apply_assignment(&mut config, setting).unwrap();
    }
    config
}

fn train(config: &RunConfig, root: &Path) -> Outcome {
    let control = Control::default();
    experiment::train(config, root, &ResourceCache::default(), &mut Vec::new(), &control).unwrap()
}

fn snapshots(outcome: &Outcome) -> Vec<NamedTensors> {
    let header = outcome.header().unwrap();
    (0..header.tasks.len())
        .map(|task| store::load_snapshot(&header.folder, task).unwrap())
        .collect()
}

fn backbone_names(snapshot: &NamedTensors) -> Vec<&str> {
    let names = snapshot.keys().filter_map(|name| name.strip_prefix("backbone."));
    names.collect()
}

#[test]
fn trains_all_weights_except_earlier_heads() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short_config("seq-ft", &["keep_weights=every"]), root.path());
    let task_snapshots = snapshots(&outcome);
    let device = burn::tensor::Device::flex();
    let pretrained = library::open(library::NANO, &device, &mut |_| true).unwrap();
    let pretrained_weights = pretrained.backbone.weights().unwrap();
    let names: Vec<&str> = pretrained_weights.iter().map(|(name, _)| name).collect();
    let mut previous = NamedTensors::new();
    pretrained_weights.write("backbone", &mut previous).unwrap();
    for current in &task_snapshots {
        assert_eq!(backbone_names(current), names);
        for name in &names {
            let key = format!("backbone.{name}");
            assert_eq!(previous[&key].shape, current[&key].shape);
            assert_ne!(previous[&key].values, current[&key].values, "{name}");
        }
        previous.extend(current.clone());
    }
    for part in ["weight", "bias"] {
        let name = format!("head.0.{part}");
        assert_eq!(task_snapshots[0][&name], task_snapshots[1][&name]);
        assert!(task_snapshots[1].contains_key(&format!("head.1.{part}")));
    }
}

#[test]
fn stores_only_last_backbone_by_default() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short_config("seq-ft", &[]), root.path());
    let task_snapshots = snapshots(&outcome);
    assert!(backbone_names(&task_snapshots[0]).is_empty());
    assert!(!backbone_names(&task_snapshots[1]).is_empty());
    let folder = outcome.header().unwrap().folder.clone();
    let cache = ResourceCache::default();
    let open_predictor = |task| Predictor::open(&folder, task, None, &cache, false).map(|_| ());
    assert!(open_predictor(1).is_ok());
    let problem = open_predictor(0).unwrap_err();
    assert_says!(problem.remedy, "advice-choose-last-task");
}

#[test]
fn joint_training_uses_one_task() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short_config("joint-ft", &[]), root.path());
    assert_eq!(outcome.header().unwrap().tasks, std::slice::from_ref(&(0..10)));
    let task_snapshots = snapshots(&outcome);
    assert_eq!(task_snapshots[0]["head.0.bias"].values.len(), 10);
    assert!(!backbone_names(&task_snapshots[0]).is_empty());
}

#[test]
fn rejects_half_precision() {
    for precision in [Precision::F16, Precision::Bf16] {
        let config = RunConfig { precision, ..short_config("seq-ft", &[]) };
        let problems = method::problems(&config);
        assert_eq!(problems.len(), 1);

        assert_says!(problems[0].what, "problem-precision-not-trainable", key = precision.key());
    }
}
