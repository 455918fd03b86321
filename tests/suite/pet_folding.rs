//! PETs folded into linear layers: which can be folded, and that features stay equal.

use std::sync::Arc;
use std::time::Instant;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{Backbone, convnext, library, swin, vit};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{DropoutSeed, Hooks, PetSettings, PetSpec, PetStack, Site};

use super::backbone::files::{random_images, relative_error};

fn networks() -> [(&'static str, Arc<dyn Backbone>); 3] {
    let random =
        |architecture: Architecture| architecture.build_random(5, &Device::flex()).unwrap();
    let vit = Architecture::new(vit::Config::new(32, 8, 48, 3, 4));
    let swin = swin::Config::new((32, 4, 4), 24, vec![2, 2], vec![2, 4]);
    let convnext = convnext::Config::new(32, vec![1, 1], vec![16, 32]);
    [
        ("ViT", random(vit)),
        ("Swin", random(Architecture::new(swin))),
        ("ConvNeXt", random(Architecture::new(convnext))),
    ]
}

fn built_in_library() -> PluginLibrary {
    PluginLibrary::with_folders(Vec::new())
}

/// Returns a PET in all blocks with random parameters, so it has an effect; `None` if it does not fit.
fn drawn(spec: &Arc<PetSpec>, network: &dyn Backbone, settings: &PetSettings) -> Option<PetStack> {
    let blocks: Vec<usize> = (0..network.blocks().len()).collect();
    let device = network.device();
    let stack = PetStack::init(spec, settings, network.blocks(), &blocks, 3, &device).ok()?;
    Some(stack.map_tensors(|name, tensor, _| {
        let [rows, columns] = tensor.dims();
        let value = |i: usize| ((i * 7919 + name.len() * 104_729) % 997) as f32 / 4985.0 - 0.1;
        let values: Vec<f32> = (0..rows * columns).map(value).collect();
        tensor.clone() + Tensor::from_data(TensorData::new(values, [rows, columns]), &device)
    }))
}

/// Returns a folded copy of PETs.
fn fold_stack(pets: &PetStack) -> PetStack {
    let folding = pets.map_tensors(|_, tensor, _| tensor.clone());
    folding.enable_folding();
    folding
}

fn features(network: &dyn Backbone, pets: &PetStack) -> Vec<f32> {
    let tensor = network.features(random_images(2, 32, 32), pets).unwrap();
    tensor.into_data().try_to_vec().unwrap()
}

fn parse_spec(sites: &str, parameters: &str, equation: &str) -> Arc<PetSpec> {
    let text = format!(
        "name = \"Mine\"\ndescription = \"\"\nreference = \"\"\nsites = [{sites}]\n[parameters]\n{parameters}\n\
         [equations]\nevery = \"{equation}\"\n"
    );
    PetSpec::parse(&text, "mine.toml").unwrap_or_else(|problem| panic!("{equation}: {problem}"))
}

#[test]
fn folded_plugins_match_unfolded_on_every_family() {
    let mut folded = Vec::new();
    for entry in built_in_library().entries() {
        let spec = entry.spec.clone().unwrap();
        for (family, network) in networks() {
            let Some(pets) = drawn(&spec, &*network, &PetSettings::default()) else {
                continue;
            };
            let folded_pets = fold_stack(&pets);
            let sites: Vec<Site> = Site::ALL.iter().map(|(site, ..)| *site).collect();
            let count_sites =
                |pets: &PetStack| sites.iter().filter(|site| pets.uses(0, **site)).count();
            if count_sites(&folded_pets) == count_sites(&pets) {
                continue;
            }
            folded.push(format!("{} on {family}", spec.name));
            let unfolded = features(&*network, &pets);
            let difference = relative_error(&features(&*network, &folded_pets), &unfolded);
            assert!(difference < 1e-5, "{} on {family}: {difference}", spec.name);
            let plain = features(&*network, &PetStack::empty());
            assert!(relative_error(&plain, &unfolded) > 1e-3, "{} does nothing", spec.name);
        }
    }
    folded.sort();
    let on_all_families =
        |name: &str| ["ConvNeXt", "Swin", "ViT"].map(|family| format!("{name} on {family}"));
    let attention = |name: &str| [format!("{name} on Swin"), format!("{name} on ViT")];
    let mut expected: Vec<String> = ["LoRA all", "SSF", "SSF full", "BitFit", "BitFit full"]
        .into_iter()
        .flat_map(on_all_families)
        .collect();
    expected.extend(["LoRA", "DoRA", "IA3", "IA3 attention"].into_iter().flat_map(attention));
    // FacT and VeRA share factors among all blocks, which have several widths on Swin.
    let vit_only = ["FacT on ViT", "LoRA Adapter Prefix on ViT", "VeRA on ViT"];
    expected.extend(vit_only.map(String::from));
    expected.sort();
    assert_eq!(folded, expected);
}

#[test]
fn folds_only_linear_equations() {
    let sites = "[\"fc1\", \"fc2\"]";
    let parameters = "m = { shape = [\"d_out\", \"d_out\"], init = \"normal(0.1)\", per_site = true }\n\
                      c = { shape = [1, \"d_out\"], init = \"ones\", per_site = true }\n\
                      a = { shape = [\"d_in\", 4], init = \"normal(0.1)\", per_site = true }\n\
                      b = { shape = [4, \"d_out\"], init = \"normal(0.1)\", per_site = true }";
    let used_parameters = |equation: &str| -> String {
        let is_used = |line: &&str| {
            let name = format!(" {} ", line.trim_start().split(' ').next().unwrap());
            let spaced = equation.replace(['(', ')', ','], " ");
            format!(" {spaced} ").contains(&name)
        };
        parameters.lines().filter(is_used).collect::<Vec<_>>().join("\n")
    };
    for equation in [
        "h + e @ a @ b",
        "h @ m",
        "h * c - dropout( e @ a , 0.1 ) @ b / 2",
        "-h + c * sqrt( 2 )",
        "h + mean( h ) * c",
        "h + e @ ( a * 3 ) @ gelu( b )",
        "h * column_norms( w + a @ b ) + e @ w",
    ] {
        let spec = parse_spec(sites, &used_parameters(equation), equation);
        assert_eq!(spec.foldable_sites(&spec.variants[0]), [Site::Fc1, Site::Fc2], "{equation}");
        for (family, network) in networks() {
            let pets = drawn(&spec, &*network, &PetSettings::default()).unwrap();
            let folded_features = features(&*network, &fold_stack(&pets));
            let difference = relative_error(&folded_features, &features(&*network, &pets));
            assert!(difference < 1e-5, "{equation} on {family}: {difference}");
        }
    }
    for equation in [
        "h + gelu( e @ a ) @ b",
        "h * h",
        "h * sigmoid( h @ m )",
        "h / ( 1 + exp( h ) )",
        "c / ( 2 + exp( h ) )",
        "h + softmax( h ) * c",
        "transpose( transpose( h ) )",
    ] {
        let spec = parse_spec(sites, &used_parameters(equation), equation);
        assert!(spec.foldable_sites(&spec.variants[0]).is_empty(), "{equation}");
    }
    // A PET around a whole sub-layer cannot be folded into a layer.
    let spec = parse_spec("\"mlp\"", "c = { shape = [1, \"d\"], init = \"ones\" }", "h * c");
    assert!(spec.foldable_sites(&spec.variants[0]).is_empty());
}

#[test]
fn training_stack_is_not_folded() {
    let [(_, network), ..] = networks();
    let spec = built_in_library().get("lora").unwrap();
    let pets = drawn(&spec, &*network, &PetSettings::default()).unwrap();
    let clone = pets.clone();
    pets.enable_folding();
    assert!(!clone.uses(0, Site::Key));
    assert!(!pets.uses(0, Site::Key));
    assert!(pets.tracked().uses(0, Site::Key));
    let dropout_seed = DropoutSeed { seed: 1, step: 1, rows: None };
    assert!(pets.clone().in_training(Some(dropout_seed)).uses(0, Site::Key));
    // New values are folded again.
    let original = features(&*network, &pets);
    let doubled = pets.map_tensors(|_, tensor, _| tensor.clone() * 2.0);
    assert!(relative_error(&features(&*network, &doubled), &original) > 1e-3);
}

#[test]
#[ignore = "a measurement"]
fn folding_speed_is_measured() {
    let ti = vit::Config::new(224, 16, 192, 12, 3);
    let nano = library::open(library::NANO, &Device::flex(), &mut |_| true).unwrap();
    let networks: [(&str, Arc<dyn Backbone>, usize, usize); 2] = [
        ("lae-nano", nano.backbone, nano.input.size, 32),
        ("ViT-Ti/16", Architecture::new(ti).build_random(5, &Device::flex()).unwrap(), 224, 8),
    ];
    for (name, network, side, batch) in networks {
        let batch_images = || Tensor::<4>::ones([batch, 3, side, side], &network.device());
        let blocks: Vec<usize> = (0..5).collect();
        let measure = |pets: &PetStack| {
            let time_once = || {
                let start = Instant::now();
                drop(network.features(batch_images(), pets).unwrap().into_data());
                start.elapsed().as_secs_f64()
            };
            time_once()
        };
        let plain = PetStack::empty();
        for plugin in [
            "lora",
            "lora all",
            "dora",
            "vera",
            "fact",
            "ia3",
            "ia3 attention",
            "ssf",
            "bitfit",
            "ssf full",
        ] {
            let spec = built_in_library().get(plugin).unwrap();
            let pets = PetStack::init(
                &spec,
                &PetSettings::default(),
                network.blocks(),
                &blocks,
                0,
                &network.device(),
            );
            let pets = pets.unwrap();
            let folded_pets = fold_stack(&pets);
            let mut best = [f64::INFINITY; 3];
            for _ in 0..12 {
                for (best, pets) in best.iter_mut().zip([&plain, &pets, &folded_pets]) {
                    *best = best.min(measure(pets));
                }
            }
            let [none, unfolded, folded] = best.map(|seconds| seconds * 1e3);
            eprintln!(
                "{name} {plugin}: none {none:.1} ms, apart {unfolded:.1} ms, folded {folded:.1} ms, {:.3}",
                folded / unfolded
            );
        }
    }
}
