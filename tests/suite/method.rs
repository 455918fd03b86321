//! LAE's three parts, switched on and off, on a toy ViT with random weights.

use std::sync::Arc;
use std::time::Duration;

use burn::tensor::{Device, Distribution, Tensor};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::families::FAMILIES;
use lae_studio::backbone::{Backbone, vit};
use lae_studio::device;
use lae_studio::method::lae::Switches;
use lae_studio::method::replay::StepRecorder;
use lae_studio::method::{
    self, Batch, CancelToken, ConfiguredMethod, Lae, LaeSettings, Method, Pass, PetPlan, Setup,
    Task, apply_assignment,
};
use lae_studio::nn::WeightType;
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{PetSettings, PetSpec, PetStack, StreamScheme};
use lae_studio::run::config::RunConfig;
use lae_studio::tensors::{HostTensor, NamedTensors};

use crate::skip::software_gpu;

const ALL_SWITCHES: Switches = Switches::ALL;
const ALPHA: f64 = 0.8;

fn backbone() -> Arc<dyn Backbone> {
    let architecture = Architecture::new(vit::Config::new(16, 8, 16, 3, 2));
    architecture.build_random(3, &Device::flex()).unwrap()
}

fn new_lae(switches: Switches) -> Lae {
    lae_with_backbone(backbone(), switches)
}

fn lae_with_backbone(backbone: Arc<dyn Backbone>, switches: Switches) -> Lae {
    let spec = PluginLibrary::with_folders(Vec::new()).get("adapter").unwrap();
    let settings = PetSettings::with_size(2);
    let device = backbone.device();
    let stack = PetStack::init(&spec, &settings, backbone.blocks(), &[0, 1], 5, &device).unwrap();
    let settings = LaeSettings { switches, ema: ALPHA, learning_rate: 0.01, seed: 7 };
    Lae::new(backbone, stack, settings)
}

/// A GPU repeats the launches of a recorded step, with other images and parameters.
#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn replayed_steps_equal_computed_steps() {
    let Some(info) = software_gpu() else { return };
    let device = device::open(info).unwrap();
    for family in FAMILIES {
        let network = (family.trial)();
        let train = |limit: Option<Duration>| {
            let backbone = network.build_random(3, (&device, WeightType::F32)).unwrap();
            let mut lae = lae_with_backbone(backbone, ALL_SWITCHES);
            lae.recorder = StepRecorder::with_limit(limit);
            let mut losses = Vec::new();
            for task in 0..2 {
                lae.start_task(3);
                for step in 0..8 {
                    let images = random_images(network.input_size(), step, &device);
                    let frozen = task == 1 && step < 4;
                    let loss = lae.step(images, &[0, 1, 2, 1], frozen).unwrap();
                    losses.push(HostTensor::read(&loss).unwrap().values[0]);
                }
                assert_eq!(lae.recorder.is_recorded(), limit.is_none());
                lae.end_task(&mut CancelToken::never()).unwrap();
                assert!(!lae.recorder.is_recorded());
            }
            let offline = values(lae.offline.as_ref().unwrap());
            (losses, values(&lae.online), offline)
        };
        let computed = train(Some(Duration::ZERO));
        assert_eq!(train(None), computed, "{}", family.name);
    }
}

fn images() -> Tensor<4> {
    random_images(16, 1, &Device::flex())
}

fn random_images(side: usize, seed: u64, device: &Device) -> Tensor<4> {
    let cpu = Device::flex();
    cpu.seed(seed);
    let images = Tensor::random([4, 3, side, side], Distribution::Uniform(0.0, 1.0), &cpu);
    images.to_device(device)
}

fn values(stack: &PetStack) -> Vec<Vec<f32>> {
    stack.parameters().map(|(_, t, _)| HostTensor::read(t).unwrap().values).collect()
}

fn run_steps(lae: &mut Lae, count: usize, frozen: bool) {
    for _ in 0..count {
        lae.step(images(), &[0, 1, 0, 1], frozen).unwrap();
    }
}

#[test]
fn offline_pet_starts_as_copy_in_second_task() {
    let mut lae = new_lae(ALL_SWITCHES);
    lae.start_task(2);
    run_steps(&mut lae, 3, false);
    assert!(lae.offline.is_none());
    lae.end_task(&mut CancelToken::never()).unwrap();
    lae.start_task(2);
    assert_eq!(values(lae.offline.as_ref().unwrap()), values(&lae.online));
}

#[test]
fn frozen_step_updates_head_and_average_only() {
    let mut lae = new_lae(ALL_SWITCHES);
    lae.start_task(2);
    run_steps(&mut lae, 1, false);
    lae.start_task(2);
    run_steps(&mut lae, 2, false);
    let (online, offline) = (values(&lae.online), values(lae.offline.as_ref().unwrap()));
    let head = HostTensor::read(&lae.heads.0[1].weight).unwrap();
    let old_head = HostTensor::read(&lae.heads.0[0].weight).unwrap();
    assert_ne!(online, offline);
    let (_, gradients) = lae.gradients(images(), &[0, 1, 0, 1], true, None).unwrap();
    assert!(gradients.iter().all(|(name, _)| name.starts_with("head.")));
    run_steps(&mut lae, 1, true);
    assert_eq!(values(&lae.online), online);
    assert_ne!(HostTensor::read(&lae.heads.0[1].weight).unwrap(), head);
    assert_eq!(HostTensor::read(&lae.heads.0[0].weight).unwrap(), old_head);
    let offline_after = values(lae.offline.as_ref().unwrap());
    for (((on, off), new), _) in online.iter().zip(&offline).zip(&offline_after).zip(0..) {
        for ((a, b), actual) in on.iter().zip(off).zip(new) {
            let expected = ALPHA as f32 * b + (1.0 - ALPHA as f32) * a;
            assert!((actual - expected).abs() < 1e-6, "{actual} {expected}");
        }
    }
}

#[test]
fn freezes_pet_from_second_task_with_learning() {
    let frozen_passes = |config: &RunConfig, task| -> Vec<bool> {
        let passes = ConfiguredMethod::from_config(config).unwrap().default_passes(task).unwrap();
        passes.iter().map(Pass::is_frozen).collect()
    };
    let mut config = RunConfig::default();
    assert_eq!(frozen_passes(&config, 0), [false; 5]);
    assert_eq!(frozen_passes(&config, 1), [true, true, true, false, false]);
    apply_assignment(&mut config, "learning=off").unwrap();
    assert_eq!(frozen_passes(&config, 1), [false; 5]);
}

#[test]
fn offline_pet_stays_fixed_without_accumulation() {
    let mut lae = new_lae(Switches { accumulation: false, ..ALL_SWITCHES });
    lae.start_task(2);
    run_steps(&mut lae, 2, false);
    lae.end_task(&mut CancelToken::never()).unwrap();
    let first = values(&lae.online);
    lae.start_task(2);
    run_steps(&mut lae, 2, false);
    assert_eq!(values(lae.offline.as_ref().unwrap()), first);
    assert_ne!(values(&lae.online), first);
    let [online, offline] = lae.drift().unwrap();
    assert!(online > 0.0 && offline == 0.0);
}

#[test]
fn baseline_keeps_no_offline_pet() {
    let all_off = Switches { learning: false, accumulation: false, ensemble: false };
    let mut lae = new_lae(all_off);
    lae.start_task(2);
    lae.start_task(3);
    run_steps(&mut lae, 1, false);
    assert!(lae.offline.is_none());
    let logits = lae.image_logits(images()).unwrap();
    assert!(logits.offline.is_none());
    assert_eq!(logits.online.dims(), [4, 5]);
}

#[test]
fn restored_state_continues_bit_exactly() {
    let mut uninterrupted = new_lae(ALL_SWITCHES);
    uninterrupted.start_task(2);
    run_steps(&mut uninterrupted, 2, false);
    uninterrupted.end_task(&mut CancelToken::never()).unwrap();
    uninterrupted.start_task(2);
    run_steps(&mut uninterrupted, 2, true);
    run_steps(&mut uninterrupted, 1, false);
    let state: NamedTensors = uninterrupted.checkpoint().unwrap();
    let mut resumed = new_lae(ALL_SWITCHES);
    resumed.restore(&state, &[0..2, 2..4]).unwrap();
    run_steps(&mut uninterrupted, 2, false);
    run_steps(&mut resumed, 2, false);
    assert_eq!(uninterrupted.checkpoint().unwrap(), resumed.checkpoint().unwrap());
    let incomplete = state.into_iter().filter(|(name, _)| name != "head.1.bias").collect();
    let problem = new_lae(ALL_SWITCHES).restore(&incomplete, &[0..2, 2..4]).unwrap_err();
    assert!(problem.what.contains("head.1.bias"), "{problem}");
}

#[test]
fn gradients_cover_parameters_and_match_differences() {
    let mut lae = new_lae(ALL_SWITCHES);
    lae.start_task(2);
    run_steps(&mut lae, 3, false);
    let labels = [0, 1, 1, 0];
    let (_, gradients) = lae.gradients(images(), &labels, false, None).unwrap();
    let pet_gradients = gradients.iter().filter(|(name, _)| name.starts_with("pet."));
    assert_eq!(pet_gradients.count(), lae.online.parameters().count());
    let name = "1.s";
    let slope = HostTensor::read(gradients.get("pet.1.s").unwrap());
    let slope = slope.unwrap().values[0];
    let loss_at = |shift: f32| {
        let shifted =
            lae.online.map_tensors(|n, t, _| if n == name { t.clone() + shift } else { t.clone() });
        let mut shifted_lae = self::new_lae(ALL_SWITCHES);
        (shifted_lae.online, shifted_lae.offline) = (shifted, None);
        shifted_lae.heads = lae.heads.clone();
        let (loss, _) = shifted_lae.gradients(images(), &labels, true, None).unwrap();
        HostTensor::read(&loss).unwrap().values[0]
    };
    let estimate = (loss_at(0.05) - loss_at(-0.05)) / 0.1;
    assert!((slope - estimate).abs() < 2e-3 * slope.abs().max(1e-2), "{slope} {estimate}");
}

/// Returns the snapshot after two steps of a method and the scores of two predictions.
fn two_steps(
    key: &str,
    spec: &Arc<PetSpec>,
    scheme: StreamScheme,
) -> (NamedTensors, [Vec<f32>; 2]) {
    let backbone = backbone();
    let config = RunConfig { method: key.into(), batch: 4, ..RunConfig::default() };
    let plan = PetPlan::with_settings(Arc::clone(spec), PetSettings::with_size(8), vec![0, 1]);
    let setup = Setup {
        config: &config,
        backbone,
        pet: Some(&plan.with_stream_scheme(scheme)),
        tasks: &[0..2, 2..4],
        planned_tasks: 2,
        own_tasks: 2,
        repeated_classes: &[],
    };
    let mut method = method::build(setup).unwrap();
    let task = Task { index: 0, classes: 0..2 };
    method.begin_task(&task).unwrap();
    for step in 0..2 {
        let batch = Batch {
            images: images(),
            labels: &[0, 1, 0, 1],
            samples: &[0, 1, 2, 3],
            pass: 0,
            epochs: 5,
            step,
            steps: 2,
        };
        method.learn(&batch, &Pass::learning(false)).unwrap();
    }
    method.end_task(&mut CancelToken::never()).unwrap();
    let snapshot = method.snapshot().unwrap();
    let predict_scores = || {
        let verdicts = method.predict(images()).unwrap();
        verdicts.into_iter().flat_map(|v| v.scores).collect()
    };
    (snapshot, [predict_scores(), predict_scores()])
}

#[test]
fn dropout_acts_only_while_learning() {
    let streamadapter = PluginLibrary::with_folders(Vec::new()).get("streamadapter");
    let with_dropout = streamadapter.unwrap();
    let text = with_dropout
        .text()
        .replace("dropout(relu(e @ down + b_down), 0.1)", "relu(e @ down + b_down)");
    let without_dropout = PetSpec::parse(&text, "keeps.toml").unwrap();
    assert!(!without_dropout.text().contains("dropout("));
    for key in ["lae", "baseline"] {
        let (dropped, [first, second]) = two_steps(key, &with_dropout, StreamScheme::ByName);
        assert_eq!(first, second, "{key}");
        let (repeated, [repeated_scores, _]) = two_steps(key, &with_dropout, StreamScheme::ByName);
        assert_eq!((&repeated, &repeated_scores), (&dropped, &first), "{key}");
        let (undropped, _) = two_steps(key, &without_dropout, StreamScheme::ByName);
        assert_ne!(dropped, undropped, "{key}");
        // Runs of older versions have no dropout and continue without it.
        let older_results = |spec| two_steps(key, spec, StreamScheme::ByPlace);
        assert_eq!(older_results(&with_dropout), older_results(&without_dropout), "{key}");
    }
}
