//! Hooks inside a network: the stream site, entering tokens, prefixes, tokens read at the end.

use std::sync::{Arc, Mutex};

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{Backbone, convnext, swin, vit};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{Hooks, PetSettings, PetStack, Site};
use lae_studio::problem::Result;

use super::files::{random_images, relative_error};
use crate::assert_is;

const WIDTH: usize = 48;

fn vit() -> Arc<dyn Backbone> {
    let architecture = Architecture::new(vit::Config::new(32, 8, WIDTH, 3, 4));
    architecture.build_random(5, &Device::flex()).unwrap()
}

fn swin() -> Arc<dyn Backbone> {
    let config = swin::Config::new((32, 4, 4), 24, vec![2, 2], vec![2, 4]);
    Architecture::new(config).build_random(5, &Device::flex()).unwrap()
}

fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    tensor.clone().into_data().try_to_vec::<f32>().unwrap()
}

/// Some values between −1 and 1.
fn test_values(shape: [usize; 3], offset: usize) -> Tensor<3> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> =
        (offset..offset + count).map(|i| ((i * 37) % 101) as f32 / 50.0 - 1.0).collect();
    Tensor::from_data(TensorData::new(values, shape), &Device::flex())
}

/// Changes nothing, but records e and h of some sites in block 0.
struct Recorder {
    sites: Vec<Site>,
    recorded: Mutex<Vec<(Site, Tensor<3>, Tensor<3>)>>,
}

impl Recorder {
    fn new(sites: &[Site]) -> Self {
        Self { sites: sites.to_vec(), recorded: Mutex::new(Vec::new()) }
    }

    fn recorded_at(&self, expected_site: Site) -> (Tensor<3>, Tensor<3>) {
        let recorded = self.recorded.lock().unwrap();
        let found = recorded.iter().find(|(site, ..)| *site == expected_site).unwrap();
        (found.1.clone(), found.2.clone())
    }
}

impl Hooks for Recorder {
    fn first_block(&self) -> Option<usize> {
        Some(0)
    }

    fn acts_in(&self, block: usize) -> bool {
        block == 0
    }

    fn uses(&self, block: usize, site: Site) -> bool {
        block == 0 && self.sites.contains(&site)
    }

    fn apply(&self, block: usize, site: Site, e: &Tensor<3>, h: Tensor<3>) -> Result<Tensor<3>> {
        if self.uses(block, site) {
            let mut recorded = self.recorded.lock().unwrap();
            recorded.push((site, e.clone(), h.clone()));
        }
        Ok(h)
    }
}

#[test]
fn stream_site_receives_residual_and_mlp_output() {
    for backbone in [vit(), swin()] {
        let before = backbone.embed(random_images(2, 32, 32)).unwrap();
        let stream_recorder = Recorder::new(&[Site::Stream]);
        let after = backbone.block(0, before.clone(), &stream_recorder).unwrap().values;
        let (e, h) = stream_recorder.recorded_at(Site::Stream);
        assert_eq!(numbers(&after), numbers(&(e.clone() + h.clone())));
        let plain = backbone.block(0, before.clone(), &PetStack::empty());
        let plain = numbers(&plain.unwrap().values);
        assert!(relative_error(&numbers(&after), &plain) < 1e-6);

        let site_recorder = Recorder::new(&[Site::Attention, Site::Mlp, Site::Stream]);
        backbone.block(0, before.clone(), &site_recorder).unwrap();
        let (normalised, mlp) = site_recorder.recorded_at(Site::Mlp);
        assert!(relative_error(&numbers(&mlp), &numbers(&h)) < 1e-6);
        let stream = before.values.clone() + site_recorder.recorded_at(Site::Attention).1;
        assert!(relative_error(&numbers(&stream), &numbers(&e)) < 1e-6);
        // The MLP itself sees the stream normalised.
        assert!(relative_error(&numbers(&normalised), &numbers(&e)) > 1e-4);
    }
    let convnext = convnext::Config::new(32, vec![1], vec![16]);
    assert!(!Architecture::new(convnext).blocks()[0].sites.contains(&Site::Stream));
}

/// Tokens that enter, prefixes in some blocks, and whether all tokens are read.
#[derive(Default)]
struct Prompts {
    entering: Option<Tensor<3>>,
    prefixes: Vec<(usize, [Tensor<3>; 2])>,
    reads_tokens: bool,
}

impl Hooks for Prompts {
    fn first_block(&self) -> Option<usize> {
        Some(0)
    }

    fn acts_in(&self, block: usize) -> bool {
        self.prefix(block).is_some()
    }

    fn prompt_tokens(&self) -> Option<Tensor<3>> {
        self.entering.clone()
    }

    fn prefix(&self, block: usize) -> Option<[Tensor<3>; 2]> {
        let found = self.prefixes.iter().find(|(prefix_block, _)| *prefix_block == block);
        found.map(|(_, prefix)| prefix.clone())
    }

    fn reads_tokens(&self) -> bool {
        self.reads_tokens
    }
}

#[test]
fn prefix_hook_matches_plain_prefix_plugin() {
    let (backbone, device) = (vit(), Device::flex());
    let spec = PluginLibrary::with_folders(Vec::new()).get("prefix").unwrap();
    let settings = PetSettings { variant: Some("plain".to_owned()), ..PetSettings::with_size(3) };
    let blocks = [0, 2];
    let stack = PetStack::init(&spec, &settings, backbone.blocks(), &blocks, 1, &device).unwrap();
    let prefix_of_block =
        |block: usize| [1, 2].map(|part| test_values([1, 3, WIDTH], 500 * block + 77 * part));
    let stack = stack.map_tensors(|name, old, _| match name {
        "0.p_k" => prefix_of_block(0)[0].clone().reshape([3, WIDTH]),
        "0.p_v" => prefix_of_block(0)[1].clone().reshape([3, WIDTH]),
        "2.p_k" => prefix_of_block(2)[0].clone().reshape([3, WIDTH]),
        "2.p_v" => prefix_of_block(2)[1].clone().reshape([3, WIDTH]),
        _ => old.clone(),
    });
    let prompts = Prompts {
        prefixes: blocks.iter().map(|&block| (block, prefix_of_block(block))).collect(),
        ..Prompts::default()
    };
    let actual = backbone.features(random_images(2, 32, 32), &prompts).unwrap();
    let expected = backbone.features(random_images(2, 32, 32), &stack).unwrap();
    assert!(relative_error(&numbers(&actual), &numbers(&expected)) < 1e-6);
    let plain = backbone.features(random_images(2, 32, 32), &PetStack::empty());
    assert!(relative_error(&numbers(&actual), &numbers(&plain.unwrap())) > 1e-3);
}

#[test]
fn prompts_are_per_image_and_follow_class_token() {
    let backbone = vit();
    let image_prompt = |image: usize| test_values([1, 2, WIDTH], 300 * image);
    let tokens_and_features = |entering: Tensor<3>, images: Tensor<4>| {
        let prompts = Prompts {
            entering: Some(entering.clone()),
            prefixes: vec![(1, [entering.clone(), entering])],
            reads_tokens: true,
        };
        let tokens = backbone.tokens(images, &prompts).unwrap();
        assert_eq!(tokens.values.dims()[1..], [1 + 2 + 16, WIDTH]);
        (numbers(&backbone.normed(tokens.clone())), numbers(&backbone.pool(tokens).unwrap()))
    };
    let batch = random_images(2, 32, 32);
    let batched =
        tokens_and_features(Tensor::cat(vec![image_prompt(0), image_prompt(1)], 0), batch.clone());
    let tokens = 19 * WIDTH;
    for image in 0..2 {
        let single =
            tokens_and_features(image_prompt(image), batch.clone().slice_dim(0, image..image + 1));
        let part = &batched.0[image * tokens..(image + 1) * tokens];
        assert!(relative_error(part, &single.0) < 1e-5);
        // The feature is the class token after the final norm.
        assert!(relative_error(&single.1, &single.0[..WIDTH]) < 1e-6);
        assert!(relative_error(&batched.1[image * WIDTH..][..WIDTH], &single.1) < 1e-5);
    }
    // One prompt for all images is that prompt for each.
    let shared = tokens_and_features(image_prompt(0), batch.clone());
    let repeated =
        tokens_and_features(Tensor::cat(vec![image_prompt(0), image_prompt(0)], 0), batch);
    assert!(relative_error(&shared.0, &repeated.0) < 1e-6);
    assert!(relative_error(&shared.0, &batched.0) > 1e-3);
}

#[test]
fn copied_class_token_gets_same_output() {
    let backbone = vit();
    let embedded = backbone.embed(random_images(1, 32, 32)).unwrap().values;
    let prompts = Prompts {
        entering: Some(embedded.slice([0..1, 0..1])),
        reads_tokens: true,
        ..Prompts::default()
    };
    let tokens = backbone.tokens(random_images(1, 32, 32), &prompts).unwrap();
    let values = numbers(&backbone.normed(tokens));
    assert!(relative_error(&values[..WIDTH], &values[WIDTH..2 * WIDTH]) < 1e-5);
}

#[test]
fn rejects_prompts_without_class_token() {
    let pooled = vit::Config { class_token: false, ..vit::Config::new(32, 8, WIDTH, 2, 4) };
    let convnext = convnext::Config::new(32, vec![1], vec![16]);
    let others = [Architecture::new(pooled), Architecture::new(convnext)];
    let mut others: Vec<Arc<dyn Backbone>> =
        others.iter().map(|other| other.build_random(5, &Device::flex()).unwrap()).collect();
    others.push(swin());
    assert!(vit().class_position().is_some());
    for backbone in others {
        assert!(backbone.class_position().is_none());
        let width = backbone.blocks()[0].width;
        let prompts =
            Prompts { entering: Some(test_values([1, 2, width], 0)), ..Prompts::default() };
        let problem = backbone.features(random_images(1, 32, 32), &prompts).unwrap_err();
        assert_is(&problem, "problem-backbone-lacks-feature");
        assert!(problem.what.contains("prompt tokens"), "{problem}");
    }
    let prompts = Prompts {
        prefixes: vec![(0, [0, 1].map(|part| test_values([1, 2, 24], part)))],
        ..Prompts::default()
    };
    let problem = swin().features(random_images(1, 32, 32), &prompts).unwrap_err();
    assert_is(&problem, "problem-backbone-lacks-feature");
    assert!(problem.what.contains("prefixes"), "{problem}");
}
