//! Small networks of timm, transformers and torchvision, written by `tests/timm_parity.py --write tests/backbones`:
//! their files give the features of these libraries.

use std::fs;

use burn::tensor::{Device, Tensor};
use lae_studio::backbone::library;
use lae_studio::pet::PetStack;
use lae_studio::tensors::{self, NamedTensors};

use super::files::relative_error;

/// Largest difference of a feature, relative to the largest feature.
const LIMIT: f32 = 1e-5;

#[test]
fn features_match_timm_transformers_and_torchvision() {
    let mut found = 0;
    for file in fs::read_dir("tests/backbones").unwrap().flatten() {
        let path = file.path();
        let (saved, _) = tensors::load(&path, "read the network").unwrap();
        let opened = library::open(path.to_str().unwrap(), &Device::flex(), &mut |_| true);
        let opened = opened.unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        let numbers = |named: &NamedTensors, name: &str| named[name].values.clone();
        let images: Tensor<4> = saved["images"].to_device(&Device::flex()).unwrap();
        let features = opened.backbone.features(images, &PetStack::empty()).unwrap();
        let features = features.into_data().try_to_vec::<f32>().unwrap();
        let difference = relative_error(&features, &numbers(&saved, "features"));
        assert!(difference < LIMIT, "{}: {difference:e}", path.display());
        found += 1;
    }
    assert_eq!(found, 31);
}
