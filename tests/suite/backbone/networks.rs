//! How the networks behave: each image by itself, any sensible size, PETs at their sites.

use burn::tensor::Device;
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{convnext, library, swin, vit};
use lae_studio::pet::PetStack;

use super::files::{error, features, images};

fn families() -> Vec<Architecture> {
    vec![
        Architecture::of(vit::Config::plain(32, 8, 48, 3, 4)),
        Architecture::of(swin::Config::plain((32, 4, 4), 24, vec![2, 2], vec![2, 4])),
        Architecture::of(convnext::Config::plain(32, vec![2, 1], vec![16, 24])),
        rotary(),
        Architecture::of(swin::Config {
            v2: true,
            ..swin::Config::plain((32, 4, 4), 24, vec![2, 2], vec![2, 4])
        }),
    ]
}

/// A ViT with everything that DINOv3 and EVA-02 add to it.
fn rotary() -> Architecture {
    Architecture::of(vit::Config {
        rope: Some(vit::Rotary::DinoV3),
        swiglu: true,
        mlp_norm: true,
        attention_norm: true,
        pos_embed: false,
        qkv_bias: false,
        registers: 2,
        ..vit::Config::plain(32, 8, 48, 3, 4)
    })
}

#[test]
fn embedded_backbone_opens_and_extracts_features() {
    let opened = library::open(library::NANO, &Device::flex(), &mut |_| true).unwrap();
    assert_eq!(opened.backbone.blocks().len(), 8);
    assert_eq!(opened.entry.pet_blocks, 5);
    assert_eq!(opened.normalisation, library::Normalisation::SYMMETRIC);
    assert_eq!(opened.sha256.len(), 64);
    let seen = features(opened.backbone.as_ref(), images(2, 32, 32));
    assert_eq!(seen.len(), 2 * 192);
    assert!(seen.iter().all(|value| value.is_finite()));
    let described = library::describe(library::NANO).unwrap();
    assert_eq!(described.state, library::State::Embedded);
    assert_eq!(described.parameters, opened.backbone.parameters());
}

#[test]
fn features_do_not_depend_on_batch() {
    for architecture in families() {
        let backbone = architecture.random(5, &Device::flex()).unwrap();
        let batch = images(3, 32, 32);
        let together = features(backbone.as_ref(), batch.clone());
        let width = backbone.feature_width();
        let alone = features(backbone.as_ref(), batch.slice_dim(0, 1..2));
        assert!(error(&alone, &together[width..2 * width]) < 1e-5);
    }
}

#[test]
fn random_weights_depend_on_seed_only() {
    let architecture = &families()[0];
    let of = |seed| {
        let backbone = architecture.random(seed, &Device::flex()).unwrap();
        features(backbone.as_ref(), images(1, 32, 32))
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
    let backbone = architecture.random(1, &Device::flex()).unwrap();
    assert_eq!(backbone.parameters(), architecture.parameters());
}

#[test]
fn accepts_other_image_sizes_and_rejects_impossible_ones() {
    for (architecture, fitting) in families().into_iter().zip([
        vec![(16, 48), (40, 40)],
        vec![(16, 16), (8, 40), (20, 36), (4, 4)],
        vec![(9, 40), (33, 35)],
        vec![(16, 48), (40, 40)],
        vec![(16, 16), (20, 36)],
    ]) {
        let backbone = architecture.random(5, &Device::flex()).unwrap();
        for (rows, columns) in fitting {
            let seen = features(backbone.as_ref(), images(2, rows, columns));
            assert_eq!(seen.len(), 2 * backbone.feature_width());
            assert!(seen.iter().all(|value| value.is_finite()));
        }
        let small = backbone.features(images(1, 3, 3), &PetStack::empty());
        let small = small.unwrap_err();
        assert!(small.is("problem-image-smaller-than-patch"), "{small}");
        assert!(small.what.contains("3×3"), "{small}");
        let grey = images(1, 32, 32).slice([0..1, 0..1]);
        let grey = backbone.features(grey, &PetStack::empty()).unwrap_err();
        assert!(grey.is("problem-image-channels"), "{grey}");
    }
    let vit = families()[0].random(5, &Device::flex()).unwrap();
    let odd = vit.features(images(1, 30, 32), &PetStack::empty());
    let odd = odd.unwrap_err();
    assert!(odd.is("problem-image-not-divisible"), "{odd}");
    let advice = tr!("advice-choose-multiple-as-input-size", multiple = "8");
    assert_eq!(odd.remedy, advice);
}

#[test]
fn running_block_by_block_matches_full_pass() {
    for architecture in families() {
        let backbone = architecture.random(5, &Device::flex()).unwrap();
        let pets = PetStack::empty();
        let reference = features(backbone.as_ref(), images(2, 32, 32));
        let mut tokens = backbone.embed(images(2, 32, 32)).unwrap();
        for block in 0..backbone.blocks().len() {
            tokens = backbone.run(tokens, block..block + 1, &pets).unwrap();
        }
        let found = backbone.pool(tokens).unwrap();
        assert_eq!(found.into_data().try_to_vec::<f32>().unwrap(), reference);
    }
}
