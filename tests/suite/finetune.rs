//! Complete runs of Seq-FT and Joint-FT on a few embedded digits: trained and stored weights.

use std::path::Path;

use lae_studio::backbone::library;
use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::method;
use lae_studio::run::config::{Precision, RunConfig};
use lae_studio::run::event::Control;
use lae_studio::store;
use lae_studio::tensors::Named;

/// Two tasks of five digits with a few steps.
fn short(method: &str, own: &[&str]) -> RunConfig {
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
    method::adopt(&mut config, method::named_method(method).unwrap());
    for text in own {
        method::set(&mut config, text).unwrap();
    }
    config
}

fn train(config: &RunConfig, root: &Path) -> Outcome {
    let control = Control::default();
    experiment::train(
        config,
        root,
        &ResourceCache::default(),
        &mut Vec::new(),
        &control,
    )
    .unwrap()
}

fn snapshots(outcome: &Outcome) -> Vec<Named> {
    let header = outcome.header().unwrap();
    (0..header.tasks.len())
        .map(|task| store::load_snapshot(&header.folder, task).unwrap())
        .collect()
}

fn of_backbone(snapshot: &Named) -> Vec<&str> {
    let names = snapshot
        .keys()
        .filter_map(|name| name.strip_prefix("backbone."));
    names.collect()
}

#[test]
fn trains_all_weights_except_earlier_heads() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short("seq-ft", &["keep_weights=every"]), root.path());
    let kept = snapshots(&outcome);
    let device = burn::tensor::Device::flex();
    let fresh = library::open(library::NANO, &device, &mut |_| true).unwrap();
    let fresh = fresh.backbone.weights().unwrap();
    let names: Vec<&str> = fresh.iter().map(|(name, _)| name).collect();
    let mut before = Named::new();
    fresh.write("backbone", &mut before).unwrap();
    for after in &kept {
        assert_eq!(of_backbone(after), names);
        for name in &names {
            let full = format!("backbone.{name}");
            assert_eq!(before[&full].shape, after[&full].shape);
            assert_ne!(before[&full].values, after[&full].values, "{name}");
        }
        before.extend(after.clone());
    }
    for part in ["weight", "bias"] {
        let name = format!("head.0.{part}");
        assert_eq!(kept[0][&name], kept[1][&name]);
        assert!(kept[1].contains_key(&format!("head.1.{part}")));
    }
}

#[test]
fn stores_only_last_backbone_by_default() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short("seq-ft", &[]), root.path());
    let kept = snapshots(&outcome);
    assert!(of_backbone(&kept[0]).is_empty());
    assert!(!of_backbone(&kept[1]).is_empty());
    let folder = outcome.header().unwrap().folder.clone();
    let cache = ResourceCache::default();
    let ask = |task| Predictor::open(&folder, task, None, &cache, false).map(|_| ());
    assert!(ask(1).is_ok());
    let problem = ask(0).unwrap_err();
    assert_says!(problem.remedy, "advice-choose-last-task");
}

#[test]
fn joint_training_uses_one_task() {
    let root = tempfile::tempdir().unwrap();
    let outcome = train(&short("joint-ft", &[]), root.path());
    assert_eq!(
        outcome.header().unwrap().tasks,
        std::slice::from_ref(&(0..10))
    );
    let kept = snapshots(&outcome);
    assert_eq!(kept[0]["head.0.bias"].values.len(), 10);
    assert!(!of_backbone(&kept[0]).is_empty());
}

#[test]
fn rejects_half_precision() {
    for precision in [Precision::F16, Precision::Bf16] {
        let config = RunConfig {
            precision,
            ..short("seq-ft", &[])
        };
        let problems = method::problems(&config);
        assert_eq!(problems.len(), 1);

        assert_says!(
            problems[0].what,
            "problem-precision-not-trainable",
            key = precision.key()
        );
    }
}
