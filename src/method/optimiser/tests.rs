//! Compares the optimisers with their definitions in f64.

use super::*;
use lae_base::tr;

/// Two parameters of different rank; a third one never has a gradient.
const SHAPES: [[usize; 4]; 2] = [[3, 4, 1, 1], [2, 1, 3, 2]];

/// Returns pseudo-random numbers between −1 and 1.
fn pseudo_random(count: usize, seed: f64) -> Vec<f64> {
    let value = |i: usize| ((i as f64 + 1.3) * seed * 12.9898).sin();
    (0..count).map(value).collect()
}

fn test_gradients(step: usize) -> [Vec<f64>; 2] {
    let size = if step == 2 { 0.01 } else { 3.0 };
    [0, 1].map(|which| {
        let numbers = pseudo_random(12, step as f64 + 2.0 * which as f64 + 0.7);
        numbers.iter().map(|v| v * size).collect()
    })
}

fn tensor(values: &[f64], shape: [usize; 4]) -> Tensor<4> {
    let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    Tensor::from_data(TensorData::new(values, shape), &Device::flex())
}

/// The optimisers computed in f64 by their definitions.
struct Reference {
    settings: OptimiserSettings,
    values: [Vec<f64>; 2],
    first: [Vec<f64>; 2],
    second: [Vec<f64>; 2],
    steps: usize,
    decay_before_clipping: bool,
}

impl Reference {
    fn new(settings: OptimiserSettings) -> Self {
        Self {
            settings,
            values: [pseudo_random(12, 0.31), pseudo_random(12, 0.57)],
            first: [vec![0.0; 12], vec![0.0; 12]],
            second: [vec![0.0; 12], vec![0.0; 12]],
            steps: 0,
            decay_before_clipping: false,
        }
    }

    fn step(&mut self, mut gradients: [Vec<f64>; 2], rate: f64) {
        let decay = match self.settings.rule {
            Rule::Sgd { weight_decay, .. } => weight_decay,
            Rule::Adam => 0.0,
        };
        if self.decay_before_clipping {
            add_weight_decay(&mut gradients, &self.values, decay);
        }
        if let Some(max_norm) = self.settings.clip {
            let norm = gradients.iter().flatten().map(|g| g * g).sum::<f64>().sqrt();
            let factor = (max_norm / (norm + 1e-6)).min(1.0);
            gradients.iter_mut().flatten().for_each(|g| *g *= factor);
        }
        if !self.decay_before_clipping {
            add_weight_decay(&mut gradients, &self.values, decay);
        }
        self.steps += 1;
        for (which, gradients) in gradients.iter().enumerate() {
            for (i, g) in gradients.iter().enumerate() {
                self.update_value(which, i, *g, rate);
            }
        }
    }

    fn update_value(&mut self, which: usize, i: usize, g: f64, rate: f64) {
        let (first, second) = (&mut self.first[which][i], &mut self.second[which][i]);
        self.values[which][i] -= match self.settings.rule {
            Rule::Adam => {
                let t = self.steps as i32;
                *first = BETA1 * *first + (1.0 - BETA1) * g;
                *second = BETA2 * *second + (1.0 - BETA2) * g * g;
                let (m, v) = (*first / (1.0 - BETA1.powi(t)), *second / (1.0 - BETA2.powi(t)));
                rate * m / (v.sqrt() + EPSILON)
            }
            Rule::Sgd { momentum, .. } => {
                *first = if self.steps == 1 { g } else { momentum * *first + g };
                rate * *first
            }
        };
    }
}

fn add_weight_decay(gradients: &mut [Vec<f64>; 2], values: &[Vec<f64>; 2], decay: f64) {
    for (g, p) in gradients.iter_mut().flatten().zip(values.iter().flatten()) {
        *g += decay * p;
    }
}

/// Runs seven steps of the optimiser, with its state written and read in the middle, and of the reference. Returns the
/// largest difference of a value.
fn difference(settings: OptimiserSettings, mut reference: Reference) -> f64 {
    let mut optimiser = Optimiser::new(settings);
    let mut values = [0, 1].map(|which| tensor(&reference.values[which], SHAPES[which]));
    let still = Tensor::<1>::ones([5], &Device::flex());
    let epochs = 7;
    for step in 0..epochs {
        let position = StepPosition { step, steps: epochs, epoch: step, epochs };
        if step == 4 {
            let mut tensors = NamedTensors::new();
            optimiser.write(&mut tensors).unwrap();
            assert!(tensors.keys().all(|name| !name.contains("still")));
            let shapes = tensors.values().filter(|moment| moment.shape == SHAPES[1]);
            assert!(shapes.count() > 0);
            optimiser.states = optimiser.read(&tensors, &Device::flex()).unwrap();
        }
        let mut gradients = Gradients::default();
        for (which, g) in test_gradients(step).iter().enumerate() {
            gradients.insert(format!("p{which}"), tensor(g, SHAPES[which]));
        }
        let unchanged = optimiser.step(gradients, position, |step| {
            values = [0, 1].map(|which| step.update(&format!("p{which}"), values[which].clone()));
            step.update("still", still.clone())
        });
        assert_eq!(HostTensor::read(&unchanged).unwrap().values, [1.0; 5]);
        reference.step(
            test_gradients(step),
            settings.learning_rate * settings.schedule.factor(position),
        );
    }
    let pairs = values.iter().zip(&reference.values).flat_map(|(actual, expected)| {
        let values_of_tensor = HostTensor::read(actual).unwrap().values;
        values_of_tensor.into_iter().zip(expected.clone()).collect::<Vec<_>>()
    });
    pairs.fold(0.0, |max, (a, b)| f64::max(max, (f64::from(a) - b).abs()))
}

fn settings(rule: Rule, schedule: Schedule, clip: Option<f64>) -> OptimiserSettings {
    OptimiserSettings { rule, learning_rate: 0.05, schedule, clip }
}

const SGD: Rule = Rule::Sgd { momentum: 0.9, weight_decay: 0.1 };

#[test]
fn steps_match_definition_after_state_roundtrip() {
    for rule in [Rule::Adam, SGD] {
        for schedule in [Schedule::Constant, Schedule::Cosine, Schedule::LaggingCosine] {
            for clip in [None, Some(1.0)] {
                let settings = settings(rule, schedule, clip);
                let error = difference(settings, Reference::new(settings));
                assert!(error < 3e-6, "{settings:?}: off by {error:e}");
            }
        }
    }
}

#[test]
fn clipping_precedes_weight_decay() {
    let settings = settings(SGD, Schedule::Constant, Some(1.0));
    let wrong = Reference { decay_before_clipping: true, ..Reference::new(settings) };
    assert!(difference(settings, wrong) > 1e-3);
}

#[test]
fn schedules_match_expected_factors() {
    let position_at = |epoch: usize, step: usize| StepPosition::new((epoch, 5), (step, 4));
    let assert_factor = |schedule: Schedule, position: StepPosition, expected: f64| {
        let factor = schedule.factor(position);
        assert!((factor - expected).abs() < 1e-12, "{schedule:?} {position:?}: {factor}");
    };
    assert_factor(Schedule::Constant, position_at(4, 3), 1.0);
    assert_factor(Schedule::Cosine, position_at(0, 0), 1.0);
    assert_factor(Schedule::Cosine, position_at(2, 2), 0.5);
    assert_factor(Schedule::CosineEpoch, position_at(0, 3), 1.0);
    assert_factor(Schedule::CosineEpoch, position_at(4, 3), 0.5 * (1.0 + (0.8 * PI).cos()));
    assert_factor(Schedule::LaggingCosine, position_at(0, 0), 1.0);
    assert_factor(Schedule::LaggingCosine, position_at(1, 0), 1.0);
    assert_factor(Schedule::LaggingCosine, position_at(4, 0), (99.0 * PI * 3.0 / 800.0).cos());
    let single_epoch = StepPosition { epochs: 1, ..position_at(0, 0) };
    assert_factor(Schedule::LaggingCosine, single_epoch, 1.0);
}

#[test]
fn norm_spans_all_gradients() {
    let mut gradients = Gradients::default();
    assert!(gradients.norm().is_none());
    gradients.insert("a", Tensor::<2>::full([3, 4], 0.5, &Device::flex()));
    gradients.insert("b", Tensor::<1>::full([2], 2.0, &Device::flex()));
    let norm = HostTensor::read(&gradients.norm().unwrap()).unwrap().values[0];
    assert!((f64::from(norm) - 11f64.sqrt()).abs() < 1e-6);
}

#[test]
fn read_rejects_inconsistent_state() {
    let settings = settings(Rule::Adam, Schedule::Constant, None);
    let mut tensors = NamedTensors::new();
    let zeros = |shape: Vec<usize>| HostTensor { values: vec![0.0; shape.iter().product()], shape };
    tensors.insert("adam.first.x".into(), zeros(vec![2, 3]));
    let read = |tensors: &NamedTensors| Optimiser::new(settings).read(tensors, &Device::flex());
    let missing = |name: &str| tr!("problem-tensor-missing", name);
    let problem = read(&tensors).unwrap_err();
    assert_eq!(problem.what, missing("adam.second.x"));
    tensors.insert("adam.second.x".into(), zeros(vec![3, 2]));
    assert!(read(&tensors).unwrap_err().what.contains("[3, 2]"));
    tensors.insert("adam.second.x".into(), zeros(vec![2, 3]));
    let problem = read(&tensors).unwrap_err();
    assert_eq!(problem.what, missing("adam.steps.x"));
}
