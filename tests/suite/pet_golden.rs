//! The shipped PETs in a small ViT against modules written in PyTorch (tests/golden_pets.py): features, and
//! the gradient of every trained parameter. DoRA, VeRA, (IA)³ and LoRA are those of the library peft.

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::vit::Config;
use lae_studio::backbone::weights::{Stored, Tensors};
use lae_studio::backbone::{Backbone, BlockShape};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{PetSettings, PetStack};

/// Largest difference over the largest value, as for all golden files in f32 on the CPU.
const TOLERANCE: f32 = 1e-4;

fn golden() -> Tensors {
    Tensors::embedded("golden", include_bytes!("../pets/golden.safetensors")).unwrap()
}

/// Returns the tensors whose names start with a prefix, without the prefix.
fn under(file: &Tensors, prefix: &str) -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let names = file.names().filter_map(|name| {
        let own = name.strip_prefix(prefix)?;
        let shape = file.shape(name)?.to_vec();
        Some((own.to_owned(), shape, file.read(name).unwrap()))
    });
    names.collect()
}

fn network(file: &Tensors) -> Arc<dyn Backbone> {
    let mut tensors = Tensors::new();
    for (name, shape, values) in under(file, "backbone.") {
        tensors.insert(name, Stored::new(shape, move || Ok(values.clone())));
    }
    let vit = Architecture::of(Config::plain(16, 8, 24, 2, 3));
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
    let (size, others) = match numbers.strip_prefix("size=") {
        Some(rest) => rest.split_once(',').unwrap_or((rest, "")),
        None => ("1", ""),
    };
    let mut settings = PetSettings::of_size(size.parse().unwrap());
    spec.choose(&mut settings, others).unwrap();
    let mut stack = PetStack::init(&spec, &settings, shapes, &[0, 1], 0, &Device::flex()).unwrap();
    let stored = under(file, &format!("{key}.pet."));
    let own: Vec<String> = stack
        .parameters()
        .map(|(name, ..)| name.to_owned())
        .collect();
    let given: Vec<&String> = stored.iter().map(|(name, ..)| name).collect();
    for name in &own {
        assert!(given.contains(&name), "{key}: {name} is in no file");
    }
    for (name, shape, values) in stored {
        let shape: [usize; 2] = shape.try_into().unwrap();
        let tensor = Tensor::from_data(TensorData::new(values, shape), &Device::flex());
        stack.set(&name, tensor).unwrap();
    }
    stack
}

fn error<const D: usize>(found: Tensor<D>, wanted: &[f32]) -> f32 {
    let found: Vec<f32> = found.into_data().try_to_vec().unwrap();
    assert_eq!(found.len(), wanted.len());
    let largest = wanted.iter().fold(0f32, |most, x| most.max(x.abs()));
    // A bias of the keys cancels in the softmax, so its gradient is 0 except for rounding.
    let scale = if largest < 1e-12 { 1.0 } else { largest };
    let apart = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    apart.fold(0f32, f32::max) / scale
}

#[test]
fn pets_match_pytorch_golden_file() {
    let file = golden();
    let network = network(&file);
    let plain = network.features(images(&file), &PetStack::empty()).unwrap();
    assert!(error(plain, &file.read("plain").unwrap()) <= TOLERANCE);
    let mut checked = 0;
    for key in file.metadata().keys().filter(|key| *key != "format") {
        let pets = stack(&file, key, network.blocks()).tracked();
        let features = network.features(images(&file), &pets).unwrap();
        let wanted = file.read(&format!("{key}.features")).unwrap();
        let found = error(features.clone().inner(), &wanted);
        assert!(found <= TOLERANCE, "{key}: features differ by {found:e}");
        let gradients = features.powf_scalar(3.0).sum().backward();
        for (name, tensor, _) in pets.parameters().filter(|(.., trained)| *trained) {
            let wanted = file.read(&format!("{key}.grad.{name}")).unwrap();
            let found = error(tensor.grad(&gradients).unwrap(), &wanted);
            assert!(
                found <= TOLERANCE,
                "{key}: the gradient of {name} differs by {found:e}"
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} gradients");
}

#[test]
fn shared_parameters_are_one_tensor() {
    let file = golden();
    let network = network(&file);
    let pets = stack(&file, "vera", network.blocks());
    let names: Vec<&str> = pets.parameters().map(|(name, ..)| name).collect();
    assert_eq!(
        names.iter().filter(|name| name.starts_with("all.")).count(),
        2
    );
    let doubled = pets.with(|name, tensor, _| match name.starts_with("all.") {
        true => tensor.clone() * 2.0,
        false => tensor.clone(),
    });
    for block in [0, 1] {
        let change = |pets: &PetStack| {
            use lae_studio::pet::{Hooks, Site};
            let e = Tensor::<3>::ones([1, 1, 24], &Device::flex());
            let out = pets.around(block, Site::Query, &e, e.zeros_like()).unwrap();
            out.into_data().try_to_vec::<f32>().unwrap()
        };
        for (twice, once) in change(&doubled).iter().zip(change(&pets)) {
            assert!(
                (twice - 4.0 * once).abs() <= 1e-5 * (1.0 + once.abs()),
                "block {block}"
            );
        }
    }
}
