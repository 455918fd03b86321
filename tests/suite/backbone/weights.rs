//! A backbone's own weights: extracted, replaced, trained.

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::mlp::Activation;
use lae_studio::backbone::parameters::Weights;
use lae_studio::backbone::{Backbone, convnext, swin, vit};
use lae_studio::nn::WeightType;
use lae_studio::pet::PetStack;
use lae_studio::tensors::NamedTensors;

use super::files::{features_without_pet, random_images, relative_error};

/// Every family, with everything that is folded, resized or made again from its weights.
fn families() -> Vec<Architecture> {
    let plain = vit::Config::new(32, 8, 24, 2, 3);
    let all_options = vit::Config {
        learned_size: 48,
        layer_scale: true,
        pre_norm: true,
        activation: Activation::QuickGelu,
        ..plain.clone()
    };
    let registers = vit::Config {
        learned_size: 48,
        registers: 2,
        no_embed_class: true,
        activation: Activation::GeluTanh,
        ..plain.clone()
    };
    let pooled = vit::Config { registers: 1, pool: vit::Pool::Avg, fc_norm: true, ..plain.clone() };
    let attending = vit::Config { class_token: false, pool: vit::Pool::Map, ..plain.clone() };
    let without_token = vit::Config { class_token: false, ..plain.clone() };
    let rotary = vit::Config {
        rope: Some(vit::Rotary::DinoV3),
        swiglu: true,
        mlp_norm: true,
        attention_norm: true,
        pos_embed: false,
        qkv_bias: false,
        ..plain.clone()
    };
    let perception = vit::Config {
        rope: Some(vit::Rotary::Pe),
        pool: vit::Pool::Map,
        pool_heads: 6,
        ..plain.clone()
    };
    let convnext = convnext::Config::new(32, vec![1, 2], vec![8, 20]);
    let normed = convnext::Config { final_norm: true, ..convnext.clone() };
    let version_2 = convnext::Config { response_norm: true, ..convnext.clone() };
    vec![
        Architecture::new(plain),
        Architecture::new(all_options),
        Architecture::new(without_token),
        Architecture::new(swin::Config::new((32, 4, 4), 12, vec![2, 2], vec![2, 4])),
        Architecture::new(convnext),
        Architecture::new(normed),
        Architecture::new(version_2),
        Architecture::new(registers),
        Architecture::new(pooled),
        Architecture::new(attending),
        Architecture::new(swin::Config {
            v2: true,
            trained_window: Some(2),
            ..swin::Config::new((32, 4, 4), 12, vec![2, 2], vec![2, 4])
        }),
        Architecture::new(rotary),
        Architecture::new(perception),
    ]
}

/// Random weights, and no two of a tensor alike: fresh networks have scales of 1 and biases of 0.
fn network(architecture: &Architecture) -> (std::sync::Arc<dyn Backbone>, Weights) {
    let fresh = architecture.build_random(5, &Device::flex()).unwrap();
    let mut seed = 0.0;
    let weights = fresh.weights().unwrap().map_values(|_, values| {
        seed += 1.0;
        let count = values.dims()[0];
        let noise: Vec<f32> =
            (0..count).map(|i| ((i as f32 + 1.0) * 7.3 + seed).sin() * 0.2).collect();
        values * 3.0 + Tensor::from_data(TensorData::new(noise, [count]), &Device::flex())
    });
    (fresh.with_weights(&weights).unwrap(), weights)
}

fn numbers(tensor: &Tensor<1>) -> Vec<f32> {
    tensor.clone().into_data().try_to_vec::<f32>().unwrap()
}

#[test]
fn extracted_weights_rebuild_same_network() {
    for architecture in families() {
        let fresh = architecture.build_random(5, &Device::flex()).unwrap();
        let rebuilt = fresh.with_weights(&fresh.weights().unwrap()).unwrap();
        let [a, b] =
            [&fresh, &rebuilt].map(|b| features_without_pet(b.as_ref(), random_images(2, 32, 32)));
        assert_eq!(a, b, "{architecture:?}");
        let (changed, weights) = network(&architecture);
        assert!(
            relative_error(&features_without_pet(changed.as_ref(), random_images(2, 32, 32)), &a)
                > 1e-2
        );
        assert_eq!(weights.count(), changed.parameter_count());
    }
}

/// Tracked weights give the same features, and gradients that agree with finite differences.
#[test]
fn gradients_match_finite_differences() {
    for architecture in families() {
        let (backbone, weights) = network(&architecture);
        let weighted_sum = |features: Tensor<2>| {
            let [rows, columns] = features.dims();
            let direction = (0..rows * columns).map(|i| ((i * i) as f32).sin()).collect();
            let data = TensorData::new::<f32, _>(direction, [rows, columns]);
            (features * Tensor::from_data(data, &Device::flex())).sum()
        };
        let features_with = |weights: &Weights| {
            let backbone = backbone.with_weights(weights).unwrap();
            backbone.features(random_images(2, 32, 32), &PetStack::empty()).unwrap()
        };
        let tracked = weights.tracked();
        let output = features_with(&tracked);
        let plain = features_without_pet(backbone.as_ref(), random_images(2, 32, 32));
        let actual = output.clone().inner().into_data().try_to_vec::<f32>().unwrap();
        assert!(relative_error(&actual, &plain) < 1e-5, "{architecture:?}");
        let gradients = tracked.take_gradients(&mut weighted_sum(output).backward());
        let names: Vec<&str> = gradients.iter().map(|(name, _)| name.as_str()).collect();
        let expected: Vec<&str> = weights.iter().map(|(name, _)| name).collect();
        assert_eq!(names, expected);
        for (name, gradient) in &gradients {
            let norm = numbers(&gradient.clone().powf_scalar(2.0).sum().sqrt())[0];
            let step = 0.01 / norm.max(0.1);
            let loss_at = |distance: f32| {
                let weights = weights.clone().map_values(|other, values| {
                    if other == name {
                        values + gradient.clone() * (distance / norm.max(1e-12))
                    } else {
                        values
                    }
                });
                numbers(&weighted_sum(features_with(&weights)))[0]
            };
            let estimate = (loss_at(step) - loss_at(-step)) / (2.0 * step);
            let allowed = 0.02 * norm + 0.01;
            assert!((estimate - norm).abs() < allowed, "{name}: {estimate} instead of {norm}");
        }
    }
}

#[test]
fn roundtrips_weights_and_names_invalid_tensors() {
    let (backbone, weights) = network(&families()[0]);
    let mut named = NamedTensors::new();
    weights.write("backbone", &mut named).unwrap();
    assert_eq!(named["backbone.blocks.1.mlp.fc1.weight"].shape, [96, 24]);
    assert_eq!(named["backbone.pos_embed"].shape, [1, 17, 24]);
    let back = weights.read("backbone", &named).unwrap();
    let rebuilt = backbone.with_weights(&back).unwrap();
    let [a, b] =
        [&backbone, &rebuilt].map(|b| features_without_pet(b.as_ref(), random_images(1, 32, 32)));
    assert_eq!(a, b);
    let stored = named.get_mut("backbone.norm.bias").unwrap();
    stored.shape = vec![2, 12];
    let problem = weights.read("backbone", &named).unwrap_err();
    assert!(problem.what.contains("backbone.norm.bias"), "{problem}");
    named.remove("backbone.norm.bias");
    let problem = weights.read("backbone", &named).unwrap_err();
    assert!(problem.what.contains("backbone.norm.bias"), "{problem}");
    let (_, foreign) = network(&families()[4]);
    let problem = backbone.with_weights(&foreign).err().unwrap();
    assert!(problem.what.contains("patch_embed.proj.weight"), "{problem}");
}

#[test]
fn rejects_training_in_half_precision_or_other_sizes() {
    let architecture = &families()[0];
    let half = architecture.build_random(5, (&Device::flex(), WeightType::F16)).unwrap();
    let problem = half.weights().err().unwrap();
    assert_says!(problem.what, "problem-precision-prediction-only", kept = "f16");
    for (family, size) in [(0, [32, 40]), (3, [8, 8])] {
        let (backbone, weights) = network(&families()[family]);
        let tracked = backbone.with_weights(&weights.tracked()).unwrap();
        let small = random_images(1, size[0], size[1]);
        let problem = tracked.features(small, &PetStack::empty()).unwrap_err();
        assert!(problem.what.contains("trained"), "{problem}");
    }
}
