//! Parts of the prompt methods that golden files do not cover: choices, copied slots, new components, rejected
//! settings.

use std::sync::Arc;

use burn::tensor::{Device, Distribution, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{Backbone, swin, vit};
use lae_studio::method::answers::argmax;
use lae_studio::method::optimiser::{OptimiserSettings, StepPosition};
use lae_studio::method::prompt::coda::Coda;
use lae_studio::method::prompt::dualprompt::DualPrompt;
use lae_studio::method::prompt::l2p::L2p;
use lae_studio::method::prompt::selection::top_prompts;
use lae_studio::method::prompt::{Leaves, PromptMethod, PromptPurpose, Scheme};
use lae_studio::method::{self, Batch, Method, Pass, Setup, Task};
use lae_studio::problem::Result;
use lae_studio::run::config::RunConfig;
use lae_studio::tensors::HostTensor;

use crate::assert_is;

const WIDTH: usize = 16;

fn vit() -> Arc<dyn Backbone> {
    let architecture = Architecture::new(vit::Config::new(16, 8, WIDTH, 4, 2));
    architecture.build_random(3, &Device::flex()).unwrap()
}

fn build_prompted(
    backbone: Arc<dyn Backbone>,
    scheme: impl Scheme + 'static,
) -> Result<PromptMethod> {
    let training = OptimiserSettings { clip: Some(1.0), ..OptimiserSettings::adam(0.05) };
    PromptMethod::new(backbone, Box::new(scheme), training, 5)
}

fn l2p() -> L2p {
    L2p { pool: 6, length: 2, top_k: 3, pull: 0.1 }
}

fn dualprompt(tasks: usize) -> DualPrompt {
    DualPrompt {
        pool: 3,
        g_blocks: vec![0],
        g_length: 2,
        e_blocks: vec![1, 2],
        e_length: 3,
        pull: 1.0,
        tasks,
        study: true,
    }
}

fn coda() -> Coda {
    Coda { pool: 6, length: 4, blocks: vec![0, 2], mu: 0.1, tasks: 3 }
}

fn images(count: usize) -> Tensor<4> {
    let device = Device::flex();
    device.seed(1);
    let shape = [count, 3, 16, 16];
    Tensor::random(shape, Distribution::Uniform(0.0, 1.0), &device)
}

fn to_values<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    HostTensor::read(tensor).unwrap().values
}

fn run_steps(prompted: &mut PromptMethod, count: usize) {
    for step in 0..count {
        let position = StepPosition { step, steps: count, epoch: 0, epochs: 1 };
        let gradients = prompted.gradients(images(4), None, &[0, 1, 0, 1]).unwrap();
        prompted.update(gradients.gradients, position);
    }
}

#[test]
fn top_prompts_sorts_by_similarity_then_index() {
    let rows = [[0.1f32, 0.5, 0.5, 0.2], [0.3, 0.3, 0.3, 0.3]].concat();
    let rows = Tensor::from_data(TensorData::new(rows, [2, 4]), &Device::flex());
    assert_eq!(top_prompts(&rows, 3).unwrap(), [[1, 2, 3], [0, 1, 2]]);
}

#[test]
fn prompts_are_chosen_per_image() {
    let schemes: [Box<dyn Fn() -> PromptMethod>; 3] = [
        Box::new(|| build_prompted(vit(), l2p()).unwrap()),
        Box::new(|| build_prompted(vit(), dualprompt(3)).unwrap()),
        Box::new(|| build_prompted(vit(), coda()).unwrap()),
    ];
    for make in schemes {
        let (mut prompted, second) = (make(), make());
        prompted.start_task(2).unwrap();
        for (name, leaf) in &second.leaves {
            let is_random = !name.starts_with("coda");
            assert!(!is_random || to_values(leaf) == to_values(&prompted.leaves[name]));
        }
        run_steps(&mut prompted, 3);
        prompted.start_task(3).unwrap();
        let batched = to_values(&prompted.logits(images(5)).unwrap());
        assert_eq!(batched.len(), 5 * 5);
        for image in 0..5 {
            let single = images(5).slice_dim(0, image..image + 1);
            let single = to_values(&prompted.logits(single).unwrap());
            let pairs = single.iter().zip(&batched[image * 5..]);
            assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-4);
        }
    }
}

#[test]
fn new_dualprompt_slot_copies_previous_one() {
    let mut prompted = build_prompted(vit(), dualprompt(3)).unwrap();
    prompted.start_task(2).unwrap();
    let initial = prompted.leaves.clone();
    run_steps(&mut prompted, 2);
    let trained = prompted.leaves.clone();
    let gradients = prompted.gradients(images(4), None, &[0, 1, 0, 1]).unwrap();
    assert_eq!(gradients.choice, [[0]; 4]);
    prompted.start_task(2).unwrap();
    let (previous, current) = (&trained, &prompted.leaves);
    // Rows of `e`: block and part, then slot, then token.
    let slot = |leaves: &Leaves, part: usize, slot: usize| {
        let rows = to_values(&leaves["e"]);
        rows[(part * 3 + slot) * 3 * WIDTH..][..3 * WIDTH].to_vec()
    };
    for part in 0..4 {
        assert_ne!(slot(previous, part, 0), slot(&initial, part, 0));
        assert_eq!(slot(previous, part, 1), slot(&initial, part, 1));
        assert_eq!(slot(current, part, 1), slot(previous, part, 0));
        for other in [0, 2] {
            assert_eq!(slot(current, part, other), slot(previous, part, other));
        }
    }
    assert_eq!(to_values(&current["key"]), to_values(&previous["key"]));
    assert_eq!(to_values(&current["g"]), to_values(&previous["g"]));
}

#[test]
fn images_choose_slots_if_tasks_exceed_slots() {
    let mut prompted = build_prompted(vit(), dualprompt(4)).unwrap();
    prompted.start_task(2).unwrap();
    run_steps(&mut prompted, 2);
    let previous = prompted.leaves.clone();
    prompted.start_task(2).unwrap();
    assert_eq!(to_values(&prompted.leaves["e"]), to_values(&previous["e"]));
    let learning = prompted.gradients(images(4), None, &[0, 1, 0, 1]).unwrap();
    let (answering, _) = prompted.prompted_features(images(4)).unwrap();
    assert_eq!(learning.choice, answering);
}

/// The released code's computation in f64: each new row minus its projections on all earlier rows, normalised.
fn gram_schmidt(old: &[Vec<f64>], draws: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rows = old.to_vec();
    for draw in draws {
        let mut residual = draw.clone();
        for row in &rows {
            let projection = dot(draw, row) / dot(row, row);
            residual.iter_mut().zip(row).for_each(|(r, v)| *r -= projection * v);
        }
        rows.push(residual);
    }
    let scaled = rows[old.len()..].iter().map(|row| {
        let norm = dot(row, row).sqrt();
        row.iter().map(|v| v / norm).collect()
    });
    scaled.collect()
}

#[test]
fn new_coda_components_are_orthogonal() {
    let mut prompted = build_prompted(vit(), coda()).unwrap();
    prompted.start_task(2).unwrap();
    let rows = |leaves: &Leaves, name: &str| -> Vec<Vec<f64>> {
        let leaf = &leaves[name];
        let values = to_values(leaf);
        let rows = values.chunks_exact(leaf.dims()[1]);
        rows.map(|row| row.iter().map(|v| f64::from(*v)).collect()).collect()
    };
    let first = prompted.leaves.clone();
    for name in first.keys() {
        let rows = rows(&first, name);
        let dot =
            |a: usize, b: usize| rows[a].iter().zip(&rows[b]).map(|(a, b)| a * b).sum::<f64>();
        assert!((dot(0, 0) - 1.0).abs() < 1e-5 && dot(0, 1).abs() < 1e-5, "{name}");
        assert!(rows[2..].iter().flatten().all(|v| *v == 0.0), "{name}");
    }
    run_steps(&mut prompted, 3);
    let trained = prompted.leaves.clone();
    let draw = |row: usize, columns: usize| -> Vec<f32> {
        (0..columns).map(|i| ((i * 7 + row * 13) as f32).sin()).collect()
    };
    let mut leaves = trained.clone();
    coda()
        .start_components(1, &mut leaves, |_, row, attempt, columns| match attempt {
            // Zeros cannot be made orthogonal, so another draw is requested.
            0 => vec![0.0; columns],
            _ => draw(row, columns),
        })
        .unwrap();
    for name in leaves.keys() {
        let (previous, current) = (rows(&trained, name), rows(&leaves, name));
        assert_ne!(previous[..2], rows(&first, name)[..2], "{name} was trained");
        assert_eq!(previous[..2], current[..2]);
        let draws: Vec<Vec<f64>> = [2, 3]
            .map(|row| draw(row, previous[0].len()).into_iter().map(f64::from).collect())
            .to_vec();
        let expected = gram_schmidt(&previous[..2], &draws);
        let pairs = current[2..4].iter().flatten().zip(expected.iter().flatten());
        assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-5);
        assert!(current[4..].iter().flatten().all(|v| *v == 0.0));
    }
    // Nothing is orthogonal to non-finite rows, so drawing ends with a problem.
    for non_finite in [f32::NAN, f32::INFINITY] {
        let mut leaves = trained.clone();
        let (name, leaf) = leaves.pop_first().unwrap();
        leaves.insert(name, leaf * non_finite);
        let result =
            coda().start_components(1, &mut leaves, |_, row, _, columns| draw(row, columns));
        assert!(result.unwrap_err().mentions("problem-values-not-finite"));
    }
    prompted.start_task(2).unwrap();
    run_steps(&mut prompted, 2);
    for name in trained.keys() {
        let (previous, current) = (rows(&trained, name), rows(&prompted.leaves, name));
        assert_eq!(previous[..2], current[..2], "{name}: components of earlier tasks changed");
        assert!(current[4..].iter().flatten().all(|v| *v == 0.0), "{name}");
    }
}

#[test]
fn rejects_invalid_prompt_settings() {
    let swin = swin::Config::new((32, 4, 4), 24, vec![1, 1], vec![2, 4]);
    let swin = Architecture::new(swin).build_random(5, &Device::flex()).unwrap();
    let too_many_chosen = L2p { top_k: 7, ..l2p() };
    let overlapping = DualPrompt { e_blocks: vec![0, 1], ..dualprompt(3) };
    let missing_block = DualPrompt { e_blocks: vec![4], ..dualprompt(3) };
    let too_large = Coda { pool: WIDTH + 1, ..coda() };
    let too_few = Coda { tasks: 7, ..coda() };
    let odd_length = Coda { length: 3, ..coda() };
    for (result, id, expected_text) in [
        (build_prompted(swin, l2p()), "problem-prompts-need-class-token", "L2P"),
        (build_prompted(vit(), too_many_chosen), "problem-top-k-exceeds-pool", "7 of 6"),
        (build_prompted(vit(), overlapping), "problem-block-with-both-prompts", "block 0"),
        (build_prompted(vit(), too_large), "problem-components-exceed-channels", ""),
        (build_prompted(vit(), too_few), "problem-components-fewer-than-tasks", "7 tasks"),
        (build_prompted(vit(), odd_length), "problem-coda-prompt-length", ""),
    ] {
        let problem = result.err().unwrap();
        assert_is(&problem, id);
        assert!(problem.what.contains(expected_text), "{problem}");
    }
    let problem = build_prompted(vit(), missing_block).err().unwrap();
    assert!(problem.what.contains("block 4"), "{problem}");
    assert!(coda().remark().is_none());
    let indivisible = Coda { tasks: 4, ..coda() };
    assert_says!(
        indivisible.remark().unwrap().what,
        "problem-coda-prompt-unused-components",
        unused = 2,
        pool = 6
    );
}

/// Returns a method on the toy network; with `unaugmented`, training images are not augmented.
fn build_method(method: &str, unaugmented: bool) -> Box<dyn Method> {
    let mut config = RunConfig {
        method: method.to_string(),
        crop_scale: [if unaugmented { 1.0 } else { 0.5 }, 1.0],
        flip: false,
        epochs: 3,
        ..RunConfig::default()
    };
    let settings: &[&str] = match method {
        "l2p" => &[],
        "dualprompt" => &["e_blocks=2,3"],
        _ => &["pool=7", "blocks=0,2"],
    };
    for setting in settings {
        method::apply_assignment(&mut config, setting).unwrap();
    }
    method::build(Setup {
        config: &config,
        backbone: vit(),
        pet: None,
        tasks: &[0..2, 2..4],
        planned_tasks: 2,
        own_tasks: 2,
        repeated_classes: &[],
    })
    .unwrap()
}

fn learn(method: &mut dyn Method, images: Tensor<4>, (pass, task): (usize, usize)) {
    let labels = [0, 1, 0, 1].map(|label| label + 2 * task);
    let batch = Batch {
        images,
        labels: &labels,
        samples: &[3, 1, 0, 2],
        pass,
        epochs: 3,
        step: 0,
        steps: 1,
    };
    method.learn(&batch, &Pass::learning(false)).unwrap();
}

fn begin(method: &mut dyn Method, task: usize) {
    let classes = 2 * task..2 * task + 2;
    let task = Task { index: task, classes };
    method.begin_task(&task).unwrap();
}

#[test]
fn caches_queries_within_task_for_unaugmented_images() {
    let train_two_tasks = |unaugmented: bool, second_epoch_images: Tensor<4>| {
        let mut method = build_method("dualprompt", unaugmented);
        begin(&mut *method, 0);
        learn(&mut *method, images(4), (0, 0));
        learn(&mut *method, second_epoch_images.clone(), (1, 0));
        let first = method.snapshot().unwrap();
        begin(&mut *method, 1);
        learn(&mut *method, second_epoch_images, (0, 1));
        [first, method.snapshot().unwrap()]
    };
    assert!(train_two_tasks(true, images(4)) == train_two_tasks(false, images(4)));
    // Other images with the same indices: the query of the first epoch is used.
    let flipped = images(4).flip([3]);
    let (cached, recomputed) =
        (train_two_tasks(true, flipped.clone()), train_two_tasks(false, flipped));
    assert!(cached[0]["key"] != recomputed[0]["key"]);
}

#[test]
fn restored_state_continues_exactly() {
    for name in ["l2p", "dualprompt", "coda-prompt"] {
        let mut method = build_method(name, false);
        begin(&mut *method, 0);
        learn(&mut *method, images(4), (0, 0));
        begin(&mut *method, 1);
        learn(&mut *method, images(4), (0, 1));
        let mut restored = build_method(name, false);
        let state = method.checkpoint().unwrap();
        restored.restore(&state, &[0..2, 2..4]).unwrap();
        learn(&mut *method, images(4), (1, 1));
        learn(&mut *restored, images(4), (1, 1));
        assert!(method.checkpoint().unwrap() == restored.checkpoint().unwrap(), "{name}");
        let verdicts = method.predict(images(2)).unwrap();
        assert_eq!(verdicts, restored.predict(images(2)).unwrap());
        assert_eq!(verdicts[0].scores.len(), 4);
        assert_eq!(method.remarks().len(), usize::from(name == "coda-prompt"));
        let mut incomplete = state;
        incomplete.retain(|tensor, _| !tensor.ends_with("key") && !tensor.ends_with(".k"));
        if name != "coda-prompt" {
            assert!(restored.restore(&incomplete, &[0..2, 2..4]).is_err());
        }
    }
}

#[test]
fn slot_can_be_forced_for_all_images() {
    let mut prompted = build_prompted(vit(), dualprompt(3)).unwrap();
    for _ in 0..2 {
        prompted.start_task(2).unwrap();
        run_steps(&mut prompted, 2);
    }
    let first = prompted.first_pass(images(4), None).unwrap();
    let (selected, selected_logits) =
        prompted.logits_for(first.clone(), PromptPurpose::Prediction).unwrap();
    let slot_logits = [0, 1].map(|slot| {
        let (forced, logits) =
            prompted.logits_for(first.clone(), PromptPurpose::Slot(slot)).unwrap();
        assert_eq!(forced, [[slot]; 4]);
        to_values(&logits)
    });
    assert_ne!(slot_logits[0], slot_logits[1]);
    assert_eq!(prompted.study_cost(1), 1.5);
    let views = prompted.slot_views(images(4)).unwrap();
    for (image, view) in views.iter().enumerate() {
        assert_eq!([view.chosen], selected[image][..]);
        for (class, slot_scores) in view.classes.iter().zip(&slot_logits) {
            assert_eq!(*class, argmax(&slot_scores[image * 4..image * 4 + 4]));
        }
    }
    assert_eq!(views[3].classes.len(), 2);
    for (image, choice) in selected.iter().enumerate() {
        if let Some(slot_scores) = slot_logits.get(choice[0]) {
            let row = image * 4..image * 4 + 4;
            assert_eq!(to_values(&selected_logits)[row.clone()], slot_scores[row]);
        }
    }
}
