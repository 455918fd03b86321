//! Parts of the prompt methods that golden files do not cover: choices, copied slots, new components, rejected
//! settings.

use std::sync::Arc;

use burn::tensor::{Device, Distribution, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::{Backbone, swin, vit};
use lae_studio::method::answers::argmax;
use lae_studio::method::optimiser::{OptimiserSettings, StepPosition};
use lae_studio::method::prompt::choice::best;
use lae_studio::method::prompt::coda::Coda;
use lae_studio::method::prompt::dualprompt::DualPrompt;
use lae_studio::method::prompt::l2p::L2p;
use lae_studio::method::prompt::{Leaves, Occasion, Prompted, Scheme};
use lae_studio::method::{self, Batch, Method, Pass, Setup, Task};
use lae_studio::problem::Result;
use lae_studio::run::config::RunConfig;
use lae_studio::tensors::HostTensor;

use crate::assert_is;

const WIDTH: usize = 16;

fn vit() -> Arc<dyn Backbone> {
    let architecture = Architecture::of(vit::Config::plain(16, 8, WIDTH, 4, 2));
    architecture.random(3, &Device::flex()).unwrap()
}

fn on(backbone: Arc<dyn Backbone>, scheme: impl Scheme + 'static) -> Result<Prompted> {
    let training = OptimiserSettings {
        clip: Some(1.0),
        ..OptimiserSettings::adam(0.05)
    };
    Prompted::new(backbone, Box::new(scheme), training, 5)
}

fn l2p() -> L2p {
    L2p {
        pool: 6,
        length: 2,
        top_k: 3,
        pull: 0.1,
    }
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
    Coda {
        pool: 6,
        length: 4,
        blocks: vec![0, 2],
        mu: 0.1,
        tasks: 3,
    }
}

fn images(count: usize) -> Tensor<4> {
    let device = Device::flex();
    device.seed(1);
    let shape = [count, 3, 16, 16];
    Tensor::random(shape, Distribution::Uniform(0.0, 1.0), &device)
}

fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    HostTensor::read(tensor).unwrap().values
}

fn steps(prompted: &mut Prompted, count: usize) {
    for step in 0..count {
        let now = StepPosition {
            step,
            steps: count,
            epoch: 0,
            epochs: 1,
        };
        let gradients = prompted.gradients(images(4), None, &[0, 1, 0, 1]).unwrap();
        prompted.update(gradients.of, now);
    }
}

#[test]
fn best_sorts_by_similarity_then_index() {
    let rows = [[0.1f32, 0.5, 0.5, 0.2], [0.3, 0.3, 0.3, 0.3]].concat();
    let rows = Tensor::from_data(TensorData::new(rows, [2, 4]), &Device::flex());
    assert_eq!(best(&rows, 3).unwrap(), [[1, 2, 3], [0, 1, 2]]);
}

#[test]
fn prompts_are_chosen_per_image() {
    let schemes: [Box<dyn Fn() -> Prompted>; 3] = [
        Box::new(|| on(vit(), l2p()).unwrap()),
        Box::new(|| on(vit(), dualprompt(3)).unwrap()),
        Box::new(|| on(vit(), coda()).unwrap()),
    ];
    for make in schemes {
        let (mut prompted, again) = (make(), make());
        prompted.begin(2).unwrap();
        for (name, leaf) in &again.leaves {
            let drawn = !name.starts_with("coda");
            assert!(!drawn || numbers(leaf) == numbers(&prompted.leaves[name]));
        }
        steps(&mut prompted, 3);
        prompted.begin(3).unwrap();
        let together = numbers(&prompted.logits(images(5)).unwrap());
        assert_eq!(together.len(), 5 * 5);
        for image in 0..5 {
            let alone = images(5).slice_dim(0, image..image + 1);
            let alone = numbers(&prompted.logits(alone).unwrap());
            let apart = alone.iter().zip(&together[image * 5..]);
            assert!(apart.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-4);
        }
    }
}

#[test]
fn new_dualprompt_slot_copies_previous_one() {
    let mut prompted = on(vit(), dualprompt(3)).unwrap();
    prompted.begin(2).unwrap();
    let fresh = prompted.leaves.clone();
    steps(&mut prompted, 2);
    let before = prompted.leaves.clone();
    let gradients = prompted.gradients(images(4), None, &[0, 1, 0, 1]).unwrap();
    assert_eq!(gradients.choice, [[0]; 4]);
    prompted.begin(2).unwrap();
    let (was, is) = (&before, &prompted.leaves);
    // Rows of `e`: block and part, then slot, then token.
    let slot = |leaves: &Leaves, part: usize, slot: usize| {
        let rows = numbers(&leaves["e"]);
        rows[(part * 3 + slot) * 3 * WIDTH..][..3 * WIDTH].to_vec()
    };
    for part in 0..4 {
        assert_ne!(slot(was, part, 0), slot(&fresh, part, 0));
        assert_eq!(slot(was, part, 1), slot(&fresh, part, 1));
        assert_eq!(slot(is, part, 1), slot(was, part, 0));
        for other in [0, 2] {
            assert_eq!(slot(is, part, other), slot(was, part, other));
        }
    }
    assert_eq!(numbers(&is["key"]), numbers(&was["key"]));
    assert_eq!(numbers(&is["g"]), numbers(&was["g"]));
}

#[test]
fn images_choose_slots_if_tasks_exceed_slots() {
    let mut prompted = on(vit(), dualprompt(4)).unwrap();
    prompted.begin(2).unwrap();
    steps(&mut prompted, 2);
    let before = prompted.leaves.clone();
    prompted.begin(2).unwrap();
    assert_eq!(numbers(&prompted.leaves["e"]), numbers(&before["e"]));
    let learning = prompted.gradients(images(4), None, &[0, 1, 0, 1]).unwrap();
    let (answering, _) = prompted.prompted_features(images(4)).unwrap();
    assert_eq!(learning.choice, answering.choice);
}

/// The released code's computation in f64: each new row minus its projections on all earlier rows, normalized.
fn gram_schmidt(old: &[Vec<f64>], draws: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rows = old.to_vec();
    for draw in draws {
        let mut rest = draw.clone();
        for row in &rows {
            let along = dot(draw, row) / dot(row, row);
            rest.iter_mut().zip(row).for_each(|(r, v)| *r -= along * v);
        }
        rows.push(rest);
    }
    let scaled = rows[old.len()..].iter().map(|row| {
        let length = dot(row, row).sqrt();
        row.iter().map(|v| v / length).collect()
    });
    scaled.collect()
}

#[test]
fn new_coda_components_are_orthogonal() {
    let mut prompted = on(vit(), coda()).unwrap();
    prompted.begin(2).unwrap();
    let rows = |leaves: &Leaves, name: &str| -> Vec<Vec<f64>> {
        let leaf = &leaves[name];
        let values = numbers(leaf);
        let rows = values.chunks_exact(leaf.dims()[1]);
        rows.map(|row| row.iter().map(|v| f64::from(*v)).collect())
            .collect()
    };
    let first = prompted.leaves.clone();
    for name in first.keys() {
        let rows = rows(&first, name);
        let dot = |a: usize, b: usize| {
            rows[a]
                .iter()
                .zip(&rows[b])
                .map(|(a, b)| a * b)
                .sum::<f64>()
        };
        assert!(
            (dot(0, 0) - 1.0).abs() < 1e-5 && dot(0, 1).abs() < 1e-5,
            "{name}"
        );
        assert!(rows[2..].iter().flatten().all(|v| *v == 0.0), "{name}");
    }
    steps(&mut prompted, 3);
    let trained = prompted.leaves.clone();
    let draw = |row: usize, columns: usize| -> Vec<f32> {
        (0..columns)
            .map(|i| ((i * 7 + row * 13) as f32).sin())
            .collect()
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
        let (was, is) = (rows(&trained, name), rows(&leaves, name));
        assert_ne!(was[..2], rows(&first, name)[..2], "{name} was trained");
        assert_eq!(was[..2], is[..2]);
        let draws: Vec<Vec<f64>> = [2, 3]
            .map(|row| draw(row, was[0].len()).into_iter().map(f64::from).collect())
            .to_vec();
        let wanted = gram_schmidt(&was[..2], &draws);
        let pairs = is[2..4].iter().flatten().zip(wanted.iter().flatten());
        assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-5);
        assert!(is[4..].iter().flatten().all(|v| *v == 0.0));
    }
    // Nothing is orthogonal to non-finite rows, so drawing ends with a problem.
    for broken in [f32::NAN, f32::INFINITY] {
        let mut leaves = trained.clone();
        let (name, leaf) = leaves.pop_first().unwrap();
        leaves.insert(name, leaf * broken);
        let refused =
            coda().start_components(1, &mut leaves, |_, row, _, columns| draw(row, columns));
        assert!(refused.unwrap_err().mentions("problem-values-not-finite"));
    }
    prompted.begin(2).unwrap();
    steps(&mut prompted, 2);
    for name in trained.keys() {
        let (was, is) = (rows(&trained, name), rows(&prompted.leaves, name));
        assert_eq!(
            was[..2],
            is[..2],
            "{name}: components of earlier tasks changed"
        );
        assert!(is[4..].iter().flatten().all(|v| *v == 0.0), "{name}");
    }
}

#[test]
fn rejects_invalid_prompt_settings() {
    let swin = swin::Config::plain((32, 4, 4), 24, vec![1, 1], vec![2, 4]);
    let swin = Architecture::of(swin).random(5, &Device::flex()).unwrap();
    let many = L2p { top_k: 7, ..l2p() };
    let overlapping = DualPrompt {
        e_blocks: vec![0, 1],
        ..dualprompt(3)
    };
    let deep = DualPrompt {
        e_blocks: vec![4],
        ..dualprompt(3)
    };
    let large = Coda {
        pool: WIDTH + 1,
        ..coda()
    };
    let few = Coda { tasks: 7, ..coda() };
    let odd = Coda {
        length: 3,
        ..coda()
    };
    for (made, id, shown) in [
        (on(swin, l2p()), "problem-prompts-need-class-token", "L2P"),
        (on(vit(), many), "problem-top-k-exceeds-pool", "7 of 6"),
        (
            on(vit(), overlapping),
            "problem-block-with-both-prompts",
            "block 0",
        ),
        (on(vit(), large), "problem-components-exceed-channels", ""),
        (
            on(vit(), few),
            "problem-components-fewer-than-tasks",
            "7 tasks",
        ),
        (on(vit(), odd), "problem-coda-prompt-length", ""),
    ] {
        let problem = made.err().unwrap();
        assert_is(&problem, id);
        assert!(problem.what.contains(shown), "{problem}");
    }
    let problem = on(vit(), deep).err().unwrap();
    assert!(problem.what.contains("block 4"), "{problem}");
    assert!(coda().remark().is_none());
    let uneven = Coda { tasks: 4, ..coda() };
    assert_says!(
        uneven.remark().unwrap().what,
        "problem-coda-prompt-unused-components",
        unused = 2,
        pool = 6
    );
}

/// Returns a method on the toy network; with `still`, training images are not augmented.
fn named(method: &str, still: bool) -> Box<dyn Method> {
    let mut config = RunConfig {
        method: method.to_string(),
        crop_scale: [if still { 1.0 } else { 0.5 }, 1.0],
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
        method::set(&mut config, setting).unwrap();
    }
    method::build(Setup {
        config: &config,
        backbone: vit(),
        pet: None,
        tasks: &[0..2, 2..4],
        planned: 2,
        own: 2,
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
    let task = Task {
        index: task,
        classes,
    };
    method.begin_task(&task).unwrap();
}

#[test]
fn caches_queries_within_task_for_unaugmented_images() {
    let after = |still: bool, second: Tensor<4>| {
        let mut method = named("dualprompt", still);
        begin(&mut *method, 0);
        learn(&mut *method, images(4), (0, 0));
        learn(&mut *method, second.clone(), (1, 0));
        let first = method.snapshot().unwrap();
        begin(&mut *method, 1);
        learn(&mut *method, second, (0, 1));
        [first, method.snapshot().unwrap()]
    };
    assert!(after(true, images(4)) == after(false, images(4)));
    // Other images with the same indices: the query of the first epoch is used.
    let other = images(4).flip([3]);
    let (kept, asked) = (after(true, other.clone()), after(false, other));
    assert!(kept[0]["key"] != asked[0]["key"]);
}

#[test]
fn restored_state_continues_exactly() {
    for name in ["l2p", "dualprompt", "coda-prompt"] {
        let mut method = named(name, false);
        begin(&mut *method, 0);
        learn(&mut *method, images(4), (0, 0));
        begin(&mut *method, 1);
        learn(&mut *method, images(4), (0, 1));
        let mut other = named(name, false);
        let state = method.checkpoint().unwrap();
        other.restore(&state, &[0..2, 2..4]).unwrap();
        learn(&mut *method, images(4), (1, 1));
        learn(&mut *other, images(4), (1, 1));
        assert!(
            method.checkpoint().unwrap() == other.checkpoint().unwrap(),
            "{name}"
        );
        let verdicts = method.predict(images(2)).unwrap();
        assert_eq!(verdicts, other.predict(images(2)).unwrap());
        assert_eq!(verdicts[0].scores.len(), 4);
        assert_eq!(method.remarks().len(), usize::from(name == "coda-prompt"));
        let mut short = state;
        short.retain(|tensor, _| !tensor.ends_with("key") && !tensor.ends_with(".k"));
        if name != "coda-prompt" {
            assert!(other.restore(&short, &[0..2, 2..4]).is_err());
        }
    }
}

#[test]
fn slot_can_be_given_for_all_images() {
    let mut prompted = on(vit(), dualprompt(3)).unwrap();
    for _ in 0..2 {
        prompted.begin(2).unwrap();
        steps(&mut prompted, 2);
    }
    let first = prompted.first_pass(images(4), None).unwrap();
    let (asked, chosen) = prompted
        .logits_on(first.clone(), Occasion::Answering)
        .unwrap();
    let given = [0, 1].map(|slot| {
        let (asked, logits) = prompted
            .logits_on(first.clone(), Occasion::Given(slot))
            .unwrap();
        assert_eq!(asked.choice, [[slot]; 4]);
        numbers(&logits)
    });
    assert_ne!(given[0], given[1]);
    assert_eq!(prompted.study_cost(1), 1.5);
    let views = prompted.slots(images(4)).unwrap();
    for (image, view) in views.iter().enumerate() {
        assert_eq!([view.chosen], asked.choice[image][..]);
        for (class, given) in view.classes.iter().zip(&given) {
            assert_eq!(*class, argmax(&given[image * 4..image * 4 + 4]));
        }
    }
    assert_eq!(views[3].classes.len(), 2);
    for (image, choice) in asked.choice.iter().enumerate() {
        if let Some(given) = given.get(choice[0]) {
            let row = image * 4..image * 4 + 4;
            assert_eq!(numbers(&chosen)[row.clone()], given[row]);
        }
    }
}
