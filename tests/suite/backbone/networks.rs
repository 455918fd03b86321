//! How the networks behave: each image by itself, any sensible size, PETs at their sites.

use burn::tensor::Device;
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{convnext, library, swin, vit};
use lae_studio::pet::PetStack;

use super::files::{features_without_pet, random_images, relative_error};

fn architectures() -> Vec<Architecture> {
    vec![
        Architecture::new(vit::Config::new(32, 8, 48, 3, 4)),
        Architecture::new(swin::Config::new((32, 4, 4), 24, vec![2, 2], vec![2, 4])),
        Architecture::new(convnext::Config::new(32, vec![2, 1], vec![16, 24])),
        rotary(),
        Architecture::new(swin::Config {
            v2: true,
            ..swin::Config::new((32, 4, 4), 24, vec![2, 2], vec![2, 4])
        }),
    ]
}

/// A ViT with everything that DINOv3 and EVA-02 add to it.
fn rotary() -> Architecture {
    Architecture::new(vit::Config {
        rope: Some(vit::Rotary::DinoV3),
        swiglu: true,
        mlp_norm: true,
        attention_norm: true,
        pos_embed: false,
        qkv_bias: false,
        registers: 2,
        ..vit::Config::new(32, 8, 48, 3, 4)
    })
}

#[test]
fn embedded_backbone_opens_and_extracts_features() {
    let opened = library::open(library::NANO, &Device::flex(), &mut |_| true).unwrap();
    assert_eq!(opened.backbone.blocks().len(), 8);
    assert_eq!(opened.entry.pet_blocks, 5);
    assert_eq!(opened.normalisation, library::Normalisation::SYMMETRIC);
    assert_eq!(opened.sha256.len(), 64);
    let extracted = features_without_pet(opened.backbone.as_ref(), random_images(2, 32, 32));
    assert_eq!(extracted.len(), 2 * 192);
    assert!(extracted.iter().all(|value| value.is_finite()));
    let described = library::describe(library::NANO).unwrap();
    assert_eq!(described.state, library::Availability::Embedded);
    assert_eq!(described.parameters, opened.backbone.parameter_count());
}

#[test]
fn features_do_not_depend_on_batch() {
    for architecture in architectures() {
        let backbone = architecture.build_random(5, &Device::flex()).unwrap();
        let batch = random_images(3, 32, 32);
        let batched = features_without_pet(backbone.as_ref(), batch.clone());
        let width = backbone.feature_width();
        let single = features_without_pet(backbone.as_ref(), batch.slice_dim(0, 1..2));
        assert!(relative_error(&single, &batched[width..2 * width]) < 1e-5);
    }
}

#[test]
fn random_weights_depend_on_seed_only() {
    let architecture = &architectures()[0];
    let random_features = |seed| {
        let backbone = architecture.build_random(seed, &Device::flex()).unwrap();
        features_without_pet(backbone.as_ref(), random_images(1, 32, 32))
    };
    assert_eq!(random_features(1), random_features(1));
    assert_ne!(random_features(1), random_features(2));
    let backbone = architecture.build_random(1, &Device::flex()).unwrap();
    assert_eq!(backbone.parameter_count(), architecture.parameter_count());
}

#[test]
fn accepts_other_image_sizes_and_rejects_impossible_ones() {
    for (architecture, valid_sizes) in architectures().into_iter().zip([
        vec![(16, 48), (40, 40)],
        vec![(16, 16), (8, 40), (20, 36), (4, 4)],
        vec![(9, 40), (33, 35)],
        vec![(16, 48), (40, 40)],
        vec![(16, 16), (20, 36)],
    ]) {
        let backbone = architecture.build_random(5, &Device::flex()).unwrap();
        for (rows, columns) in valid_sizes {
            let extracted =
                features_without_pet(backbone.as_ref(), random_images(2, rows, columns));
            assert_eq!(extracted.len(), 2 * backbone.feature_width());
            assert!(extracted.iter().all(|value| value.is_finite()));
        }
        let small = backbone.features(random_images(1, 3, 3), &PetStack::empty());
        let small = small.unwrap_err();
        assert!(small.is("problem-image-smaller-than-patch"), "{small}");
        assert!(small.what.contains("3×3"), "{small}");
        let grey = random_images(1, 32, 32).slice([0..1, 0..1]);
        let grey = backbone.features(grey, &PetStack::empty()).unwrap_err();
        assert!(grey.is("problem-image-channels"), "{grey}");
    }
    let vit = architectures()[0].build_random(5, &Device::flex()).unwrap();
    let odd = vit.features(random_images(1, 30, 32), &PetStack::empty());
    let odd = odd.unwrap_err();
    assert!(odd.is("problem-image-not-divisible"), "{odd}");
    let advice = tr!("advice-choose-multiple-as-input-size", multiple = "8");
    assert_eq!(odd.remedy, advice);
}

#[test]
fn running_block_by_block_matches_full_pass() {
    for architecture in architectures() {
        let backbone = architecture.build_random(5, &Device::flex()).unwrap();
        let pets = PetStack::empty();
        let reference = features_without_pet(backbone.as_ref(), random_images(2, 32, 32));
        let mut tokens = backbone.embed(random_images(2, 32, 32)).unwrap();
        for block in 0..backbone.blocks().len() {
            tokens = backbone.run(tokens, block..block + 1, &pets).unwrap();
        }
        let pooled = backbone.pool(tokens).unwrap();
        assert_eq!(pooled.into_data().try_to_vec::<f32>().unwrap(), reference);
    }
}
