//! The shipped PETs in a small ViT against modules written in PyTorch (tests/golden_pets.py): features, and
//! the gradient of every trained parameter. DoRA, VeRA, (IA)³ and LoRA are those of the library peft.

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::vit::Config;
use lae_studio::backbone::weights::{StoredTensor, Tensors};
use lae_studio::backbone::{Backbone, BlockShape};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{PetSettings, PetStack};

/// Largest difference over the largest value, as for all golden files in f32 on the CPU.
const TOLERANCE: f32 = 1e-4;

fn open_golden() -> Tensors {
    Tensors::from_embedded("golden", include_bytes!("../pets/golden.safetensors")).unwrap()
}

/// Returns the tensors whose names start with a prefix, without the prefix.
fn tensors_with_prefix(file: &Tensors, prefix: &str) -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let names = file.names().filter_map(|name| {
        let suffix = name.strip_prefix(prefix)?;
        let shape = file.shape(name)?.to_vec();
        Some((suffix.to_owned(), shape, file.read(name).unwrap()))
    });
    names.collect()
}

fn network(file: &Tensors) -> Arc<dyn Backbone> {
    let mut tensors = Tensors::new();
    for (name, shape, values) in tensors_with_prefix(file, "backbone.") {
        tensors.insert(name, StoredTensor::new(shape, move || Ok(values.clone())));
    }
    let vit = Architecture::new(Config::new(16, 8, 24, 2, 3));
    vit.assemble(tensors, &Device::flex()).unwrap()
}

fn images(file: &Tensors) -> Tensor<4> {
    let data = TensorData::new(file.read("images").unwrap(), [3, 3, 16, 16]);
    Tensor::from_data(data, &Device::flex())
}

/// Returns the PET of this name with the sizes and parameters of the file.
fn stack(file: &Tensors, key: &str, shapes: &[BlockShape]) -> PetStack {
    let library = PluginLibrary::with_folders(Vec::new());
    let spec = library.get(&key.replace('_', " ")).unwrap();
    let numbers = &file.metadata()[key];
    let (size, other_numbers) = match numbers.strip_prefix("size=") {
        Some(rest) => rest.split_once(',').unwrap_or((rest, "")),
        None => ("1", ""),
    };
    let mut settings = PetSettings::with_size(size.parse().unwrap());
    spec.apply_assignments(&mut settings, other_numbers).unwrap();
    let mut stack = PetStack::init(&spec, &settings, shapes, &[0, 1], 0, &Device::flex()).unwrap();
    let file_tensors = tensors_with_prefix(file, &format!("{key}.pet."));
    let stack_names: Vec<String> = stack.parameters().map(|(name, ..)| name.to_owned()).collect();
    let file_names: Vec<&String> = file_tensors.iter().map(|(name, ..)| name).collect();
    for name in &stack_names {
        assert!(file_names.contains(&name), "{key}: {name} is in no file");
    }
    for (name, shape, values) in file_tensors {
        let shape: [usize; 2] = shape.try_into().unwrap();
        let tensor = Tensor::from_data(TensorData::new(values, shape), &Device::flex());
        stack.set(&name, tensor).unwrap();
    }
    stack
}

fn relative_error<const D: usize>(actual: Tensor<D>, expected: &[f32]) -> f32 {
    let actual: Vec<f32> = actual.into_data().try_to_vec().unwrap();
    assert_eq!(actual.len(), expected.len());
    let largest = expected.iter().fold(0f32, |maximum, x| maximum.max(x.abs()));
    // A bias of the keys cancels in the softmax, so its gradient is 0 except for rounding.
    let scale = if largest < 1e-12 { 1.0 } else { largest };
    let differences = actual.iter().zip(expected).map(|(a, b)| (a - b).abs());
    differences.fold(0f32, f32::max) / scale
}

#[test]
fn pets_match_pytorch_golden_file() {
    let file = open_golden();
    let network = network(&file);
    let plain = network.features(images(&file), &PetStack::empty()).unwrap();
    assert!(relative_error(plain, &file.read("plain").unwrap()) <= TOLERANCE);
    let mut checked = 0;
    for key in file.metadata().keys().filter(|key| *key != "format") {
        let pets = stack(&file, key, network.blocks()).tracked();
        let features = network.features(images(&file), &pets).unwrap();
        let expected = file.read(&format!("{key}.features")).unwrap();
        let difference = relative_error(features.clone().inner(), &expected);
        assert!(difference <= TOLERANCE, "{key}: features differ by {difference:e}");
        let gradients = features.powf_scalar(3.0).sum().backward();
        for (name, tensor, _) in pets.parameters().filter(|(.., trained)| *trained) {
            let expected = file.read(&format!("{key}.grad.{name}")).unwrap();
            let difference = relative_error(tensor.grad(&gradients).unwrap(), &expected);
            assert!(
                difference <= TOLERANCE,
                "{key}: the gradient of {name} differs by {difference:e}"
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} gradients");
}

#[test]
fn shared_parameters_are_one_tensor() {
    let file = open_golden();
    let network = network(&file);
    let pets = stack(&file, "vera", network.blocks());
    let names: Vec<&str> = pets.parameters().map(|(name, ..)| name).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("all.")).count(), 2);
    let doubled = pets.map_tensors(|name, tensor, _| match name.starts_with("all.") {
        true => tensor.clone() * 2.0,
        false => tensor.clone(),
    });
    for block in [0, 1] {
        let query_delta = |pets: &PetStack| {
            use lae_studio::pet::{Hooks, Site};
            let e = Tensor::<3>::ones([1, 1, 24], &Device::flex());
            let output = pets.apply(block, Site::Query, &e, e.zeros_like()).unwrap();
            output.into_data().try_to_vec::<f32>().unwrap()
        };
        for (twice, once) in query_delta(&doubled).iter().zip(query_delta(&pets)) {
            assert!((twice - 4.0 * once).abs() <= 1e-5 * (1.0 + once.abs()), "block {block}");
        }
    }
}
