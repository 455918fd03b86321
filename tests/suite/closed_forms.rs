//! APER, RanPAC, EASE and ESN on small networks of all families: PET plugins, rejected settings, frozen
//! parts, and settings other than the defaults.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{Backbone, convnext, swin, vit};
use lae_studio::method::esn::stage::EnergyTerm;
use lae_studio::method::{
    self, Answer, Batch, CancelToken, ConfiguredMethod, Context, Method, Pass, PassWork, PetPlan,
    Setup, Task, apply_assignment, find_method,
};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{Init, PetSettings};
use lae_studio::run::config::RunConfig;
use lae_studio::tensors::{HostTensor, NamedTensors};

use crate::assert_is;

const SIDE: usize = 32;

fn families() -> [Architecture; 3] {
    [
        Architecture::new(vit::Config::new(SIDE, 8, 24, 2, 3)),
        Architecture::new(swin::Config::new((SIDE, 4, 4), 12, vec![2, 1], vec![2, 4])),
        Architecture::new(convnext::Config::new(SIDE, vec![1, 1], vec![8, 16])),
    ]
}

/// Two tasks of two classes on a network with random weights.
struct Toy {
    backbone: Arc<dyn Backbone>,
    config: RunConfig,
    pet: Option<PetPlan>,
    tasks: [Range<usize>; 2],
}

impl Toy {
    fn new(
        architecture: &Architecture,
        method: &str,
        plugin: Option<&str>,
        settings: &[&str],
    ) -> Self {
        let backbone = architecture.build_random(3, &Device::flex()).unwrap();
        let mut config = RunConfig {
            method: method.into(),
            epochs: 2,
            batch: 4,
            base_lr: 2.0,
            ..RunConfig::default()
        };
        for setting in settings {
            apply_assignment(&mut config, setting).unwrap();
        }
        let pet = plugin.map(|name| {
            PetPlan::with_settings(
                PluginLibrary::with_folders(Vec::new()).get(name).unwrap(),
                PetSettings::with_size(2),
                vec![0, 1],
            )
        });
        Self { backbone, config, pet, tasks: [0..2, 2..4] }
    }

    fn build(&self) -> Box<dyn Method> {
        let setup = Setup {
            config: &self.config,
            backbone: self.backbone.clone(),
            pet: self.pet.as_ref(),
            tasks: &self.tasks,
            planned_tasks: self.tasks.len(),
            own_tasks: self.tasks.len(),
            repeated_classes: &[],
        };
        method::build(setup).unwrap()
    }

    /// Learns all passes of a task with two batches each and returns the losses.
    fn learn(&self, method: &mut dyn Method, index: usize) -> Vec<f32> {
        let classes = self.tasks[index].clone();
        let task = Task { index, classes: classes.clone() };
        method.begin_task(&task).unwrap();
        let passes =
            ConfiguredMethod::from_config(&self.config).unwrap().default_passes(index).unwrap();
        let mut losses = Vec::new();
        for (pass, kind) in passes.iter().enumerate() {
            for step in 0..2 {
                let labels: Vec<usize> = (0..4).map(|i| classes.start + i % 2).collect();
                let batch = Batch {
                    images: images(&labels, step as u64),
                    labels: &labels,
                    samples: &[0, 1, 2, 3],
                    pass,
                    epochs: 2,
                    step,
                    steps: 2,
                };
                let loss = method.learn(&batch, kind).unwrap();
                assert_eq!(loss.is_some(), kind.work != PassWork::Measure);
                let loss = loss.map(|loss| HostTensor::read(&loss).unwrap().values[0]);
                losses.extend(loss);
            }
            method.end_pass(pass, &mut CancelToken::never()).unwrap();
        }
        method.end_task(&mut CancelToken::never()).unwrap();
        losses
    }
}

/// Noise around one image per class.
fn images(labels: &[usize], stream: u64) -> Tensor<4> {
    let size = 3 * SIDE * SIDE;
    let noise = Init::Normal(0.3).draw([labels.len(), size], 9, stream);
    let values = labels.iter().enumerate().flat_map(|(i, label)| {
        let class_image = Init::Normal(1.0).draw([1, size], 5, *label as u64);
        let noise = &noise[i * size..(i + 1) * size];
        class_image.into_iter().zip(noise).map(|(a, b)| a + b).collect::<Vec<f32>>()
    });
    let data = TensorData::new(values.collect::<Vec<f32>>(), [labels.len(), 3, SIDE, SIDE]);
    Tensor::from_data(data, &Device::flex())
}

fn count_correct(verdicts: &[Answer], labels: &[usize]) -> usize {
    let predicted = verdicts.iter().map(|verdict| verdict.predictions[0].class);
    predicted.zip(labels).filter(|(a, b)| a == *b).count()
}

/// Uses the method's default adapter where it fits, and other plugins on every family.
#[test]
fn closed_form_methods_learn_with_any_compatible_plugin() {
    let [vit, swin, convnext] = families();
    for (architecture, plugin) in [
        (&vit, "streamadapter"),
        (&vit, "prefix"),
        (&swin, "streamadapter"),
        (&swin, "lora"),
        (&convnext, "adapter"),
    ] {
        for (name, settings) in [
            ("aper", &[][..]),
            ("ease", &["alpha=0.2"][..]),
            ("ranpac", &["first_session=adapter", "projection=32"][..]),
        ] {
            let context = format!("{name} with {plugin} in {}", architecture.family().name);
            let toy = Toy::new(architecture, name, Some(plugin), settings);
            let mut method = toy.build();
            assert!(method.trained_parameters() > 0, "{context}");
            let losses = toy.learn(&mut *method, 0);
            assert!(losses.len() == 4 && losses[3] < losses[0], "{context}: {losses:?}");
            let later = toy.learn(&mut *method, 1).len();
            assert_eq!(later, if name == "ease" { 4 } else { 0 }, "{context}");
            let labels = [0, 1, 2, 3, 0, 1, 2, 3];
            let verdicts = method.predict(images(&labels, 7)).unwrap();
            assert!(count_correct(&verdicts, &labels) >= 7, "{context}");
            assert!(verdicts.iter().all(|verdict| verdict.scores.len() == 4));
        }
    }
}

#[test]
fn rejects_plugin_on_blocks_without_its_site() {
    let [.., convnext] = families();
    let backbone = convnext.build_random(3, &Device::flex()).unwrap();
    let spec = PluginLibrary::with_folders(Vec::new()).get("streamadapter").unwrap();
    let config = RunConfig { method: "aper".into(), blocks: "2".into(), ..RunConfig::default() };
    let chosen = ConfiguredMethod::from_config(&config).unwrap();
    let problem = PetPlan::new(&chosen, spec, backbone.blocks()).err().unwrap();
    assert_says!(problem.what, "problem-block-without-site", name2 = "stream");
}

#[test]
fn esn_check_requires_class_token() {
    let [vit, swin, convnext] = families();
    let headless = Architecture::new(vit::Config {
        class_token: false,
        ..vit::Config::new(SIDE, 8, 24, 2, 3)
    });
    let config = RunConfig { method: "esn".into(), ..RunConfig::default() };
    let chosen = ConfiguredMethod::from_config(&config).unwrap();
    let check = |architecture: &Architecture| {
        let context = Context { architecture, blocks: &[], tasks: 2, classes: 4 };
        (find_method("esn").unwrap().check)(&chosen, Some(&context))
    };
    assert!(check(&vit).is_ok());
    for architecture in [&swin, &convnext, &headless] {
        let problem = check(architecture).unwrap_err();
        assert_is(&problem, "problem-esn-needs-class-token");
    }
}

fn snapshot(method: &mut dyn Method) -> NamedTensors {
    method.snapshot().unwrap()
}

#[test]
fn esn_trains_prompt_in_later_tasks_unless_frozen() {
    let [vit, ..] = families();
    for (settings, trains_prompt) in
        [(&["prompt_length=3"][..], true), (&["prompt_length=3", "freeze_prompt=on"][..], false)]
    {
        let toy = Toy::new(&vit, "esn", None, settings);
        let mut method = toy.build();
        let initial = snapshot(&mut *method)["prompt"].clone();
        toy.learn(&mut *method, 0);
        let first = snapshot(&mut *method);
        assert_ne!(first["prompt"], initial);
        toy.learn(&mut *method, 1);
        let second = snapshot(&mut *method);
        assert_eq!(second["prompt"] != first["prompt"], trains_prompt);
        // The first stage and its vote are frozen.
        for (name, tensor) in first.iter().filter(|(name, _)| name.starts_with("stage.0.")) {
            assert_eq!(&second[name], tensor, "{name}");
        }
        assert_eq!(second["temperatures"].values.len(), 2);
        let verdicts = method.predict(images(&[0, 1, 2, 3], 7)).unwrap();
        for verdict in &verdicts {
            let opinion = &verdict.predictions[0];
            let sum: f32 = opinion.probabilities.iter().sum();
            assert!((sum - 1.0).abs() < 1e-5 && opinion.probabilities.len() == 4);
        }
    }
}

/// λ·mean((E − anchor)²) with either sign of the logits.
#[test]
fn energy_term_matches_released_and_printed_formula() {
    let rows = [[1.0f64, -2.0, 0.5], [3.0, 3.0, -1.0]];
    let logits = Tensor::<2>::from_data(rows.map(|row| row.map(|z| z as f32)), &Device::flex());
    for (as_printed, sign) in [(false, -1.0), (true, 1.0)] {
        let energy = |row: &[f64; 3]| -row.iter().map(|z| (sign * z).exp()).sum::<f64>().ln();
        let expected = rows.iter().map(|row| (energy(row) + 10.0).powi(2)).sum::<f64>() / 2.0 * 0.1;
        let term = EnergyTerm { weight: 0.1, anchor: -10.0, as_printed };
        let actual = HostTensor::read(&term.loss(logits.clone())).unwrap().values[0];
        assert!((f64::from(actual) - expected).abs() < 1e-4, "{actual} {expected}");
    }
}

/// The order decides which images choose λ; the sums cover all images in any order.
#[test]
fn ranpac_shuffles_its_measuring_pass() {
    let config = RunConfig { method: "ranpac".into(), ..RunConfig::default() };
    let passes = ConfiguredMethod::from_config(&config).unwrap().default_passes(3).unwrap();
    let shuffled = Pass { shuffle: true, ..Pass::measuring() };
    assert_eq!(passes, [shuffled]);
}
