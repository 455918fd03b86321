//! Frozen weights in half precision: f16 on GPUs, if there is one, and on the CPU device through the same
//! code; bf16 on the CPU device.

use std::path::PathBuf;

use burn::tensor::{DType, Device, Tensor, TensorData};
use lae_studio::backbone::library::{self, OpenedBackbone};
use lae_studio::device;
use lae_studio::experiment::{self, ResourceCache};
use lae_studio::golden::{Tolerance, check};
use lae_studio::nn::WeightType;
use lae_studio::pet::PetStack;
use lae_studio::run::config::{Precision, RunConfig};
use lae_studio::run::event::{Control, Event};
use lae_studio::store;
use lae_studio::tensors::HostTensor;

use crate::assert_is;
use crate::skip::skip;

fn golden_files() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("LAE_GOLDEN") else {
        skip("LAE_GOLDEN names no folder of more golden files");
        return Vec::new();
    };
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "safetensors"));
    files.sort();
    files
}

fn assert_golden_files_pass(
    (device, weights): (&Device, WeightType),
    limits: Tolerance,
    files: impl Iterator<Item = PathBuf>,
) {
    for path in files {
        let device_and_type = (device, weights).into();
        let report = check(&path, &device_and_type, limits).unwrap();
        let worst = report.worst().unwrap();
        eprintln!("{}: {} {:.1e}", path.display(), worst.name, worst.error);
        // Rounded weights show: a check that never left f32 would be closer.
        assert!(report.passes() && worst.error > 1e-4, "{}: {worst:?}", path.display());
    }
}

#[test]
fn golden_files_pass_with_f16_weights_on_cpu() {
    let device_and_type = (&Device::flex(), WeightType::F16);
    assert_golden_files_pass(device_and_type, Tolerance::HALF, golden_files().into_iter());
}

#[test]
fn golden_files_pass_with_bf16_weights() {
    let device_and_type = (&Device::flex(), WeightType::Bf16);
    assert_golden_files_pass(device_and_type, Tolerance::BF16, golden_files().into_iter());
}

#[test]
fn golden_files_pass_with_f16_weights_on_gpu() {
    let adapters = device::list().iter().filter(|info| !info.is_cpu());
    let opened = adapters.filter_map(|info| device::open(info).ok());
    let Some(device) = opened.into_iter().find(|d| d.supports_dtype(DType::F16)) else {
        skip("no graphics adapter with half precision");
        return;
    };
    // One of each family: a software adapter is slow.
    let adapter = |path: &PathBuf| path.to_string_lossy().contains("adapter");
    let files = golden_files().into_iter().filter(adapter);
    assert_golden_files_pass((&device, WeightType::F16), Tolerance::HALF, files);
}

fn features(opened: &OpenedBackbone, images: usize) -> Vec<f32> {
    let side = opened.input.size;
    let count = images * 3 * side * side;
    let values: Vec<f32> = (0..count).map(|i| (i as f32 * 0.37).sin()).collect();
    let data = TensorData::new(values, [images, 3, side, side]);
    let images = Tensor::<4>::from_data(data, &Device::flex());
    let features = opened.backbone.features(images, &PetStack::empty());
    HostTensor::read(&features.unwrap()).unwrap().values
}

#[test]
fn half_precision_features_differ_by_rounding_only() {
    let open = |weights| {
        let device_and_type = (&Device::flex(), weights);
        library::open(library::NANO, device_and_type, &mut |_| true).unwrap()
    };
    let full = open(WeightType::F32);
    assert_eq!(full.weights, WeightType::F32);
    let exact = features(&full, 2);
    let largest = exact.iter().fold(0f32, |max, v| max.max(v.abs()));
    for (weights, limit) in [(WeightType::F16, 5e-3), (WeightType::Bf16, 2e-2)] {
        let half = open(weights);
        assert_eq!(half.weights, weights);
        assert_eq!(full.sha256, half.sha256);
        assert_eq!(full.backbone.parameter_count(), half.backbone.parameter_count());
        let half = features(&half, 2);
        let differences = exact.iter().zip(&half).map(|(a, b)| (a - b).abs());
        let error = differences.fold(0f32, f32::max) / largest;
        assert!(error > 0.0 && error < limit, "{weights:?} {error}");
    }
}

fn small_config(precision: Precision) -> RunConfig {
    RunConfig {
        classes_per_task: "5".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        batch: 8,
        train_limit: Some(2),
        test_limit: Some(2),
        device: "cpu".into(),
        precision,
        ..RunConfig::default()
    }
}

#[test]
fn bf16_run_is_distinct_from_f32_run() {
    let root = tempfile::tempdir().unwrap();
    let train = |precision, mut sink: Vec<Event>| {
        let cache = &ResourceCache::default();
        let control = Control::default();
        let outcome =
            experiment::train(&small_config(precision), root.path(), cache, &mut sink, &control);
        outcome.map(|outcome| outcome.header().unwrap().clone())
    };
    if let Err(unsupported) = experiment::check_bf16(&device::choose("cpu").unwrap()) {
        let problem = train(Precision::Bf16, Vec::new()).unwrap_err();
        assert_eq!(problem.to_string(), unsupported.to_string());
        assert_is(&unsupported, "problem-cpu-without-bf16");
        assert_eq!(unsupported.place, "--precision bf16");
        return skip("this CPU does not support bf16 multiplication");
    }
    let full = train(Precision::F32, Vec::new()).unwrap();
    let rounded = train(Precision::Bf16, Vec::new()).unwrap();
    assert_eq!(rounded.weight_type(), WeightType::Bf16);
    let snapshot = |folder: &std::path::Path| store::load_snapshot(folder, 1).unwrap();
    assert_ne!(snapshot(&full.folder), snapshot(&rounded.folder));
    let key = |header| store::RunKey::new(header, "").experiment;
    assert_ne!(key(&full), key(&rounded));
    // GPUs keep their weights in other types.
    for info in device::list().iter().filter(|info| !info.is_cpu()) {
        let problem = experiment::check_bf16(info).unwrap_err().to_string();
        assert_says!(problem, "advice-choose-f16-or-cpu");
    }
}

#[test]
fn cpu_run_replaces_f16_with_f32_and_notes_it() {
    let root = tempfile::tempdir().unwrap();
    let train = |precision| {
        let config = small_config(precision);
        let mut events: Vec<Event> = Vec::new();
        let control = Control::default();
        let cache = &ResourceCache::default();
        let outcome = experiment::train(&config, root.path(), cache, &mut events, &control);
        let header = outcome.unwrap().header().unwrap().clone();
        assert_eq!(header.config.precision, precision);
        assert_eq!(header.device_label(), header.device);
        let remarks = events.into_iter().filter_map(|event| match event {
            Event::Remark { problem, .. } => Some(problem.to_string()),
            _ => None,
        });
        let snapshot = store::load_snapshot(&header.folder, 1).unwrap();
        let key = store::summarise(&header.folder).unwrap().key;
        ((snapshot, key), remarks.collect::<Vec<_>>())
    };
    let (full, full_remarks) = train(Precision::Auto);
    let (half, remarks) = train(Precision::F16);
    assert!(full_remarks.is_empty(), "{full_remarks:?}");
    assert_says!(remarks[0], "problem-f32-on-cpu");
    assert!(remarks[0].contains("--precision"), "{remarks:?}");
    assert_eq!(full, half);
}
