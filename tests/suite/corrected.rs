//! Corrected labels: they apply to training and test images with a matching name and hash, and a run uses
//! the corrections it started with.

use std::fs;

use lae_studio::data::{Correction, Dataset, OpenOptions, Sample};
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Control, ControlRequest, Event, Sink};
use lae_studio::store;

use crate::data::{Made, assumed, picture};

fn entry(data: &Dataset, sample: &Sample, class: Option<&str>) -> Correction {
    Correction {
        picture: sample.name(),
        sha256: sample.sha256().unwrap(),
        was: data.classes[sample.class as usize].clone(),
        class: class.map(Into::into),
    }
}

fn options_with(corrected: Vec<Correction>) -> OpenOptions {
    OpenOptions {
        corrected,
        ..OpenOptions::default()
    }
}

fn named(samples: &[Sample]) -> Vec<(String, u32)> {
    let mut all: Vec<_> = samples.iter().map(|s| (s.name(), s.class)).collect();
    all.sort();
    all
}

#[test]
fn corrections_apply_in_both_splits_without_moving_images() {
    let made = Made::new();
    made.class("cat", 10).class("dog", 10);
    let plain = made.open();
    let (test, train) = (&plain.test[0], &plain.train[3]);
    assert_eq!((test.class, train.class), (0, 0));
    let corrected = made
        .try_open(&options_with(vec![
            entry(&plain, test, Some("dog")),
            entry(&plain, train, None),
        ]))
        .unwrap();
    assert_eq!(
        (corrected.corrected.labels, corrected.corrected.left_out),
        (1, 1)
    );
    let words = corrected.corrected.words().map(|words| words.english());
    let labels = tr!("remark-labels-corrected", n = 1);
    let excluded = tr!("remark-images-excluded", n = 1);
    assert_eq!(words, Some(format!("{labels}, {excluded}")));
    let mut wanted = named(&plain.test);
    wanted
        .iter_mut()
        .find(|(name, _)| *name == test.name())
        .unwrap()
        .1 = 1;
    assert_eq!(named(&corrected.test), wanted);
    assert_eq!(corrected.train.len(), plain.train.len() - 1);
    assert!(!corrected.train.contains(train));
    // Samples stay sorted by class.
    assert!(
        corrected
            .test
            .windows(2)
            .all(|pair| pair[0].class <= pair[1].class)
    );
    assert_ne!(corrected.fingerprints(), plain.fingerprints());
    assert_says!(assumed(&corrected), "remark-labels-corrected", n = 1);
}

#[test]
fn ignores_stale_corrections_and_rejects_emptied_classes() {
    let made = Made::new();
    made.class("train/cat", 3).class("train/dog", 3);
    made.class("test/cat", 2).class("test/dog", 2);
    let plain = made.open();
    let first = entry(&plain, &plain.test[0], Some("dog"));
    let lost = entry(&plain, &plain.test[1], Some("cow"));
    picture(&made.path().join("test/cat/000.png"), "another picture");
    let corrected = made.try_open(&options_with(vec![first, lost])).unwrap();
    assert_eq!(
        (
            corrected.corrected.labels,
            corrected.corrected.without_effect
        ),
        (0, 2)
    );
    assert_eq!(named(&corrected.test), named(&plain.test));
    assert_says!(
        assumed(&corrected),
        "remark-corrections-without-effect",
        n = 2
    );
    let cats: Vec<Correction> = plain.train[..3]
        .iter()
        .map(|sample| entry(&plain, sample, None))
        .collect();
    let problem = made.try_open(&options_with(cats)).unwrap_err();
    assert_says!(
        problem.what,
        "problem-corrected-labels-empty-classes",
        empty = "cat"
    );
}

/// Stops a run after its first task.
struct StopAfterFirstTask<'a>(&'a Control);

impl Sink for StopAfterFirstTask<'_> {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::TaskEvaluated { .. }) {
            self.0.set(ControlRequest::Stop);
        }
    }
}

#[test]
fn resume_uses_corrections_from_run_start() {
    let root = tempfile::tempdir().unwrap();
    let config = RunConfig {
        classes_per_task: "5".into(),
        epochs: 1,
        settings: crate::lae_settings(0, 0.9),
        batch: 8,
        train_limit: Some(6),
        test_limit: Some(6),
        device: "cpu".into(),
        ..RunConfig::default()
    };
    let data = Dataset::open("digits", &experiment::open_options(&config)).unwrap();
    let correction = entry(&data, &data.test[0], Some("7"));
    store::correct_label(root.path(), "digits", correction.clone()).unwrap();
    let config = RunConfig {
        corrected: store::corrected(root.path(), "digits").unwrap(),
        ..config
    };
    assert_eq!(config.corrected, std::slice::from_ref(&correction));
    let control = Control::default();
    let cache = ResourceCache::default();
    let mut sink = StopAfterFirstTask(&control);
    let outcome = experiment::train(&config, root.path(), &cache, &mut sink, &control).unwrap();
    let Outcome::Stopped(header) = outcome else {
        panic!("the run did not stop");
    };
    let text = fs::read_to_string(header.folder.join("run.toml")).unwrap();
    assert!(text.contains("[[mended]]"), "{text}");
    // A later change of the list does not affect this run.
    let back = Correction {
        class: Some(correction.was.clone()),
        ..correction.clone()
    };
    assert!(
        store::correct_label(root.path(), "digits", back)
            .unwrap()
            .is_empty()
    );
    control.set(ControlRequest::Run);
    let cache = ResourceCache::default();
    let outcome = experiment::resume(&header.folder, &cache, &mut Vec::new(), &control).unwrap();
    assert!(matches!(outcome, Outcome::Finished(_)));
    let stored = store::load(&header.folder).unwrap();
    assert_eq!(
        stored.header.config.corrected,
        std::slice::from_ref(&correction)
    );
    assert_ne!(stored.header.images, Some(data.fingerprints()));
    let order = &stored.header.class_order;
    let position = |class: &str| order.iter().position(|name| name == class);
    // The accuracy by the original labels is also reported.
    let report = &stored.reports[0];
    let (answers, expert) = (&report.answers, stored.header.answering());
    let place = answers.samples.iter().zip(&answers.labels);
    let given = answers.of(expert);
    let opened = Dataset::open("digits", &experiment::open_options(&config)).unwrap();
    // The class 7 belongs to the second task, so the image is not tested in the first task.
    let all = place.clone().count();
    let right = given.iter().zip(&answers.labels).filter(|(a, b)| a == b);
    assert_eq!(
        report.measurements["as_they_came"],
        right.count() as f64 / all as f64
    );
    let last = &stored.reports[1];
    let labels = last.answers.samples.iter().map(|&index| {
        let sample = &opened.test[index];
        match sample.name() == data.test[0].name() {
            true => position(&correction.was),
            false => position(&opened.classes[sample.class as usize]),
        }
    });
    let given = last.answers.of(expert).iter();
    let right = labels
        .zip(given)
        .filter(|(label, given)| *label == Some(**given));
    let share = right.count() as f64 / last.answers.labels.len() as f64;
    assert_eq!(last.measurements["as_they_came"], share);
    let told = store::summary(&stored).final_accuracy_labels_as_they_came;
    assert_eq!(told, Some(share * 100.0));
    // The image was tested as a 7.
    let seven = position("7");
    let answers = &stored.reports[1].answers;
    let label = |at: usize| answers.labels[at];
    let opened = Dataset::open("digits", &experiment::open_options(&config)).unwrap();
    let at = opened
        .test
        .iter()
        .position(|s| s.name() == data.test[0].name());
    let place = answers
        .samples
        .iter()
        .position(|sample| Some(*sample) == at);
    assert_eq!(Some(label(place.unwrap())), seven);
}

#[test]
fn corrected_training_label_equals_moved_file() {
    let of = |folders: [(&str, usize); 4]| {
        let made = Made::new();
        for (folder, count) in folders {
            made.class(folder, count);
        }
        made
    };
    let folders = [
        ("train/cat", 5),
        ("train/dog", 5),
        ("test/cat", 4),
        ("test/dog", 4),
    ];
    let (listed, moved) = (of(folders), of(folders));
    let plain = listed.open();
    let correction = entry(&plain, &plain.train[1], Some("dog"));
    fs::rename(
        moved.path().join("train").join(&correction.picture),
        moved.path().join("train/dog/moved.png"),
    )
    .unwrap();
    let root = tempfile::tempdir().unwrap();
    let run = |made: &Made, corrected: Vec<Correction>| {
        let config = RunConfig {
            data: made.path().to_string_lossy().into_owned(),
            method: "simplecil".into(),
            classes_per_task: "1".into(),
            settings: Default::default(),
            device: "cpu".into(),
            corrected,
            ..RunConfig::default()
        };
        let (cache, control) = (ResourceCache::default(), Control::default());
        let outcome = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
        store::load(&outcome.unwrap().header().unwrap().folder).unwrap()
    };
    let (corrected, moved) = (
        run(&listed, vec![correction.clone()]),
        run(&moved, Vec::new()),
    );
    let as_it_came = run(&listed, Vec::new());
    assert_eq!(corrected.header.train_images, [4, 6]);
    assert_eq!(corrected.header.train_images, moved.header.train_images);
    assert_eq!(corrected.header.config.corrected, [correction]);
    let sure = |stored: &store::StoredRun| {
        let certainty = stored.reports[1].answers.certainty.values();
        certainty.flatten().copied().collect::<Vec<f32>>()
    };
    let apart = |other: &store::StoredRun| {
        let pairs = sure(&corrected).into_iter().zip(sure(other));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    assert!(apart(&moved) < 1e-6, "{}", apart(&moved));
    assert!(apart(&as_it_came) > 1e-5, "{}", apart(&as_it_came));
    // The test split is unchanged, so there is no accuracy by original labels.
    assert!(
        !corrected.reports[1]
            .measurements
            .contains_key("as_they_came")
    );
    let images = |stored: &store::StoredRun| stored.header.images.clone().unwrap();
    let (with, without) = (images(&corrected), images(&as_it_came));
    assert!(with.train != without.train && with.test == without.test);
}
