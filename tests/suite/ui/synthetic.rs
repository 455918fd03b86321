//! Made-up events of a run: five tasks of two digits, with a little forgetting.

use lae_studio::metrics::{Expert, Predictions};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{
    ClassPrediction, Event, Phase, Prediction, RunHeader, RunProgress, TaskReport,
};

pub const RUN: &str = "2026-11-21_10-00-00-digits-lae";

pub fn header() -> RunHeader {
    RunHeader {
        run: RUN.into(),
        about: Default::default(),
        folder: "/nowhere/run".into(),
        config: RunConfig::default(),
        method: crate::lae_facts(),
        class_order: (0..10).map(|digit| digit.to_string()).collect(),
        tasks: (0..5).map(|task| 2 * task..2 * task + 2).collect(),
        train_images: vec![270; 5],
        test_images: vec![90; 5],
        device: "CPU".into(),
        gpu_weights: None,
        drawing: Default::default(),
        input_size: 32,
        trained_parameters: 10_595,
        frozen_parameters: 3_600_000,
        weights_sha256: "0".repeat(64),
        start_sha256: None,
        images: None,
        added_tasks: Vec::new(),
        started: "2026-11-21T10:00:00Z".into(),
        version: "0.1.0".into(),
    }
}

/// A reproducible sequence of numbers in 0..1.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

pub fn report(task: usize) -> TaskReport {
    let mut numbers = RandomNumbers(7 + task as u64);
    let classes = 2 * (task + 1);
    let mut answers = Predictions::default();
    for sample in 0..45 * classes {
        let label = sample / 45;
        let age = task - label / 2;
        let mut answer = |share: f64| {
            if numbers.next() < share * age as f64 {
                ((numbers.next() * classes as f64) as usize).min(classes - 1)
            } else {
                label
            }
        };
        let (online, offline, ensemble) = (answer(0.07), answer(0.035), answer(0.02));
        answers.samples.push(sample);
        answers.labels.push(label);
        for (expert, class) in
            [(Expert::ONLINE, online), (Expert::OFFLINE, offline), (Expert::ENSEMBLE, ensemble)]
        {
            answers.given.or_default(expert).push(class);
        }
        answers.task_given.push(label);
    }
    TaskReport {
        task,
        losses: Vec::new(),
        answers,
        slots: Vec::new(),
        seconds: 8.0,
        images_per_second: 212.0,
        unreadable: 0,
        costs: Default::default(),
        measurements: [
            ("online_drift".to_string(), 0.1 * task as f64),
            ("offline_drift".to_string(), 0.015 * task as f64),
        ]
        .into(),
    }
}

pub fn training(task: usize, epoch: usize, frozen: bool) -> Event {
    Event::Phase { run: RUN.into(), phase: Phase::Training { task, epoch, frozen } }
}

pub fn progress(task: usize, epoch: usize, frozen: bool) -> Event {
    let steps = 12;
    let mut numbers = RandomNumbers(99 + (task * 7 + epoch) as u64);
    let losses = (0..steps)
        .map(|i| {
            let step = (epoch * steps + i) as f64;
            (0.7 * (-step / 9.0).exp() + 0.05 + 0.03 * numbers.next()) as f32
        })
        .collect();
    Event::Progress {
        run: RUN.into(),
        progress: RunProgress {
            task,
            epoch,
            batch: 6,
            batches: 11,
            done: (task as f64 + epoch as f64 / 5.0) / 5.0,
            losses,
            images_per_second: 212.0,
            seconds_left: Some(9.0),
            frozen,
            measured: Default::default(),
        },
    }
}

/// All events up to the middle of the task after `done` finished tasks.
pub fn events(done: usize) -> Vec<Event> {
    let run = || RUN.to_string();
    let mut events = vec![Event::Started(Box::new(header()))];
    for task in 0..=done.min(4) {
        let epochs = if task < done { 5 } else { 2 };
        for epoch in 0..epochs {
            let frozen = task > 0 && epoch < 3;
            events.push(training(task, epoch, frozen));
            events.push(progress(task, epoch, frozen));
        }
        if task < done {
            let report = Box::new(report(task));
            events.push(Event::TaskEvaluated { run: run(), report });
            events.push(Event::Saved {
                run: run(),
                what: format!("task {}", task + 1),
                bytes: 318_000,
            });
        }
    }
    if done == 5 {
        events.push(Event::Finished { run: run() });
    }
    events
}

/// The prediction of a seven after a task.
pub fn prediction(ticket: u64, task: usize) -> Prediction {
    let count = 2 * (task + 1);
    let class_prediction = |favourite: usize, p: f32| {
        let rest = (1.0 - p) / (count - 1) as f32;
        let mut probabilities = vec![rest; count];
        probabilities[favourite.min(count - 1)] = p;
        ClassPrediction {
            expert: Expert::ONLINE,
            class: favourite.min(count - 1),
            probabilities,
            energy: Some(-3.0 - 4.0 * p),
        }
    };
    let online = class_prediction(7, 0.61);
    let offline = class_prediction(7, 0.93);
    let probabilities =
        (0..count).map(|i| online.probabilities[i].max(offline.probabilities[i])).collect();
    let seen = (0..32 * 32)
        .flat_map(|i| {
            let (x, y) = (i % 32, i / 32);
            let is_stroke = (6..8).contains(&y) && (8..24).contains(&x) || x + y / 2 == 24 && y > 7;
            [if is_stroke { 240 } else { 0 }; 3]
        })
        .collect();
    Prediction {
        ticket,
        run: "/nowhere/run".into(),
        task,
        classes: (0..count).map(|digit| digit.to_string()).collect(),
        opinions: vec![
            online,
            ClassPrediction { expert: Expert::OFFLINE, ..offline.clone() },
            ClassPrediction { expert: Expert::ENSEMBLE, probabilities, ..offline },
        ],
        decided_by: if task == 0 { Expert::ONLINE } else { Expert::OFFLINE },
        seen,
        seen_size: 32,
    }
}
