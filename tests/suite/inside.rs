//! Inspection of runs: features, energies, attention, movement of PETs.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::experiment::inside::inspect_run;
use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::recorded_backbone::RecordedBackbone;
use lae_studio::experiment::{self, ResourceCache};
use lae_studio::metrics::Expert;
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::event::{Control, ControlRequest, Event, NamedImage, Sink};
use lae_studio::run::inside::{AttentionKind, AttentionMap, RunInspection};

use super::shared_folder;

/// Two tasks of five digits that take a few seconds.
fn short_config() -> RunConfig {
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

fn train_run(config: &RunConfig, root: &Path) -> PathBuf {
    let (cache, control) = (ResourceCache::default(), Control::default());
    let outcome = experiment::train(config, root, &cache, &mut Vec::new(), &control).unwrap();
    outcome.header().unwrap().folder.clone()
}

/// Returns a run that several tests inspect.
fn shared_run() -> &'static Path {
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| train_run(&short_config(), &shared_folder()))
}

fn inspect_stored_run(folder: &Path, task: usize) -> (Predictor, RunInspection) {
    inspect_run(folder, [1, task], None, &ResourceCache::default()).unwrap()
}

/// Returns test image `index` of the digits as opened by that run.
fn test_image(index: usize) -> NamedImage {
    let config = short_config();
    let options = OpenOptions {
        train_limit: config.train_limit,
        test_limit: config.test_limit,
        ..OpenOptions::default()
    };
    let data = Dataset::open("digits", &options).unwrap();
    let image = data.test[index].decode().unwrap();
    NamedImage {
        name: index.to_string(),
        width: image.width() as usize,
        height: image.height() as usize,
        rgb: image.into_raw(),
    }
}

#[test]
fn probe_set_is_balanced_and_stable_across_tasks() {
    let [first, second] =
        [0, 1].map(|task| inspect_stored_run(shared_run(), task).1.probe.unwrap());
    assert_eq!((&first.places, &first.labels), (&second.places, &second.labels));
    assert_eq!((first.known, second.known), (5, 10));
    assert_eq!(first.labels.len(), 80, "all test images are used if there are fewer than 300");
    for class in 0..10 {
        let labels_of_class = first.labels.iter().filter(|label| **label == class);
        assert_eq!(labels_of_class.count(), 8);
    }
    // The axes are the same after every task; the features move.
    let [a, b] = [&first, &second].map(|probe| probe.map_of(Expert::ONLINE).unwrap());
    assert_eq!((a.anchor, a.shares), (1, b.shares));
    assert_ne!(a.points, b.points);
    assert!(a.shares[0] >= a.shares[1] && a.shares[1] > 0.0 && a.shares[0] < 1.0);
    // Along the axes of a snapshot, the mean of its points is 0.
    let mean: f32 = b.points.iter().map(|p| p[0]).sum::<f32>() / 80.0;
    assert!(mean.abs() < 1e-3, "{mean}");
    assert!(first.maps.len() == 1 && second.maps.len() == 2);
}

#[test]
fn probe_energies_match_predictions() {
    let (predictor, inside) = inspect_stored_run(shared_run(), 1);
    let probe = inside.probe.unwrap();
    for i in [0, 17, 42, 79] {
        let (source, index) = probe.places[i];
        assert_eq!(source, 0);
        let (verdict, _) = predictor.predict(&test_image(index)).unwrap();
        assert_eq!(verdict.predictions.last().unwrap().class, probe.given[i]);
        for expert in [Expert::ONLINE, Expert::OFFLINE] {
            let opinion = verdict.predictions.iter().find(|o| o.expert == expert);
            let energy = probe.energies_of(expert).unwrap()[i];
            let difference = opinion.unwrap().energy.unwrap() - energy;
            assert!(difference.abs() < 1e-3, "{difference}");
        }
    }
    assert!(probe.energies_of(Expert::ENSEMBLE).is_none());
}

fn assert_sums_to_one(map: &AttentionMap) {
    assert_eq!((map.kind, map.rows, map.columns), (AttentionKind::Attention, 4, 4));
    let sum: f32 = map.values.iter().sum::<f32>() + map.rest;
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    assert!(map.values.iter().all(|v| *v >= 0.0) && map.rest > 0.0);
}

#[test]
fn attention_sums_to_one_and_depends_on_pet() {
    let [first, second] = [0, 1].map(|task| {
        let predictor =
            Predictor::open(shared_run(), task, None, &ResourceCache::default(), false).unwrap();
        predictor.attention_maps(&test_image(3)).unwrap()
    });
    let untrained_map = first.before.as_ref().unwrap();
    assert_sums_to_one(untrained_map);
    assert!(second.before.is_none(), "only the first task has a map before training");
    assert_eq!((first.attention_maps.len(), second.attention_maps.len()), (1, 2));
    for (_, map) in first.attention_maps.iter().chain(&second.attention_maps) {
        assert_sums_to_one(map);
        assert_ne!(map.values, untrained_map.values);
    }
    let [online, offline] = [Expert::ONLINE, Expert::OFFLINE].map(|e| second.map_of(e).unwrap());
    assert_ne!(online.values, offline.values);
    assert_eq!(first.seen.len(), first.seen_size.pow(2) * 3);
}

/// Stops a run after its first task.
struct StopAfterFirstTask(Control);

impl Sink for StopAfterFirstTask {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::TaskEvaluated { .. }) {
            self.0.set(ControlRequest::Stop);
        }
    }
}

#[test]
fn frozen_pet_does_not_move() {
    // Frozen in all epochs of the second task, as only runs of older versions are; α = 1 keeps the offline PET
    // constant.
    let config = RunConfig { settings: crate::lae_settings(1, 1.0), ..short_config() };
    let root = tempfile::tempdir().unwrap();
    let (cache, control) = (ResourceCache::default(), Control::default());
    let sink = &mut StopAfterFirstTask(control.clone());
    let outcome = experiment::train(&config, root.path(), &cache, sink, &control).unwrap();
    let folder = outcome.header().unwrap().folder.clone();
    let file = folder.join("run.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let older = text.replace("freeze_epochs = 1", "freeze_epochs = 2");
    std::fs::write(&file, older).unwrap();
    experiment::resume(&folder, &cache, &mut Vec::new(), &Control::default()).unwrap();
    let [first, second] = [0, 1].map(|task| inspect_stored_run(&folder, task).1.movement);
    let first_movement = first.expert_movement(Expert::ONLINE).unwrap();
    assert_eq!(first_movement.len(), 5, "a PET in each of the first five blocks");
    assert!(first_movement.iter().all(|(_, moved)| *moved > 0.0));
    assert_eq!(second.expert_movement(Expert::ONLINE), Some(first_movement));
    assert_eq!(second.expert_movement(Expert::OFFLINE), Some(first_movement));
    assert!(first.distance.is_empty());
    assert!(second.distance.iter().all(|(_, distance)| *distance == 0.0));
    // With a learning rate near zero, nothing moves.
    let tiny_rate_config = RunConfig {
        base_lr: 1e-30,
        epochs: 1,
        settings: crate::lae_settings(0, 0.9),
        ..short_config()
    };
    let folder = train_run(&tiny_rate_config, root.path());
    let movement = inspect_stored_run(&folder, 0).1.movement;
    let distances = movement.expert_movement(Expert::ONLINE).unwrap();
    assert!(distances.iter().all(|(_, moved)| *moved < 1e-20), "{distances:?}");
}

#[test]
fn inspects_methods_with_and_without_pet() {
    let root = tempfile::tempdir().unwrap();
    let inspect_method = |method: &str, settings: &[(&str, Setting)]| {
        let settings = settings.iter().map(|(k, v)| ((*k).to_string(), v.clone()));
        let config = RunConfig {
            method: method.into(),
            settings: settings.collect(),
            epochs: 1,
            train_limit: Some(6),
            test_limit: Some(4),
            ..short_config()
        };
        let folder = train_run(&config, root.path());
        let (predictor, inside) = inspect_stored_run(&folder, 1);
        let attention_maps = predictor.attention_maps(&test_image(0)).unwrap().attention_maps;
        assert_eq!(attention_maps.len(), 1);
        assert_sums_to_one(&attention_maps[0].1);
        let probe = inside.probe.unwrap();
        assert_eq!(probe.maps.len(), 1);
        (inside.movement.since_start.len(), probe.energies.len())
    };
    assert_eq!(inspect_method("simplecil", &[]), (0, 0));
    assert_eq!(inspect_method("dualprompt", &[]), (0, 1));
    assert_eq!(inspect_method("l2p", &[]), (0, 1));
    assert_eq!(inspect_method("esn", &[]), (0, 0));
    assert_eq!(inspect_method("aper", &[]), (1, 0));
    assert_eq!(inspect_method("ease", &[]), (1, 0));
    assert_eq!(inspect_method("baseline", &[]), (1, 1));
    let keep_weights = Setting::Text("every".into());
    assert_eq!(inspect_method("seq-ft", &[("keep_weights", keep_weights)]), (0, 1));
}

/// Networks whose feature is not a class token report the length of the feature at each position.
#[test]
fn records_feature_lengths_without_class_token() {
    use burn::tensor::{Device, Tensor};
    use lae_studio::backbone::architecture::Architecture;
    use lae_studio::backbone::{Backbone, swin};
    use lae_studio::pet::PetStack;
    use lae_studio::tensors::HostTensor;

    let config = swin::Config::new((32, 4, 4), 24, vec![2, 2], vec![2, 4]);
    let device = Device::flex();
    let network = Architecture::new(config).build_random(3, &device).unwrap();
    let recorded = RecordedBackbone::new(network.clone());
    let values = (0..3 * 32 * 32).map(|i| (i % 71) as f32 / 35.0 - 1.0);
    let images = HostTensor { shape: vec![1, 3, 32, 32], values: values.collect() };
    let images: Tensor<4> = images.to_device(&device).unwrap();
    let plain = PetStack::empty();
    let (features, passes) = recorded.record(|| recorded.features(images.clone(), &plain)).unwrap();
    let to_values = |tensor: &Tensor<2>| HostTensor::read(tensor).unwrap().values;
    let unrecorded = network.features(images.clone(), &plain).unwrap();
    assert_eq!(to_values(&features), to_values(&unrecorded), "recording must not change features");
    let [pass] = &passes[..] else {
        return assert_eq!(passes.len(), 1);
    };
    let map = &pass[0];
    assert_eq!((map.kind, map.values.len()), (AttentionKind::Length, map.rows * map.columns));
    let tokens = network.tokens(images, &plain).unwrap();
    let tokens = HostTensor::read(&tokens.values).unwrap();
    let width = tokens.shape[2];
    let first: f32 = tokens.values[..width].iter().map(|v| v * v).sum();
    assert!((map.values[0] - first.sqrt()).abs() < 1e-4);
    // Recording has ended.
    assert!(recorded.record(|| Ok(())).unwrap().1.is_empty());
}
