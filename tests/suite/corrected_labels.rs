//! Corrected labels: they apply to training and test images with a matching name and hash, and a run uses
//! the corrections it started with.

use std::fs;

use lae_studio::data::{Correction, Dataset, OpenOptions, Sample};
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Control, ControlRequest, Event, Sink};
use lae_studio::store;

use crate::data::{DatasetFixture, assumptions, write_image};

fn new_correction(data: &Dataset, sample: &Sample, class: Option<&str>) -> Correction {
    Correction {
        picture: sample.name(),
        sha256: sample.sha256().unwrap(),
        was: data.classes[sample.class as usize].clone(),
        class: class.map(Into::into),
    }
}

fn options_with(corrected: Vec<Correction>) -> OpenOptions {
    OpenOptions { corrected, ..OpenOptions::default() }
}

fn names_and_classes(samples: &[Sample]) -> Vec<(String, u32)> {
    let mut all: Vec<_> = samples.iter().map(|s| (s.name(), s.class)).collect();
    all.sort();
    all
}

#[test]
fn corrections_apply_in_both_splits_without_moving_images() {
    let fixture = DatasetFixture::new();
    fixture.write_class("cat", 10).write_class("dog", 10);
    let plain = fixture.open();
    let (test, train) = (&plain.test[0], &plain.train[3]);
    assert_eq!((test.class, train.class), (0, 0));
    let corrected = fixture
        .try_open(&options_with(vec![
            new_correction(&plain, test, Some("dog")),
            new_correction(&plain, train, None),
        ]))
        .unwrap();
    assert_eq!((corrected.corrected.labels, corrected.corrected.left_out), (1, 1));
    let words = corrected.corrected.summary().map(|words| words.english());
    let labels = tr!("remark-labels-corrected", n = 1);
    let excluded = tr!("remark-images-excluded", n = 1);
    assert_eq!(words, Some(format!("{labels}, {excluded}")));
    let mut expected = names_and_classes(&plain.test);
    expected.iter_mut().find(|(name, _)| *name == test.name()).unwrap().1 = 1;
    assert_eq!(names_and_classes(&corrected.test), expected);
    assert_eq!(corrected.train.len(), plain.train.len() - 1);
    assert!(!corrected.train.contains(train));
    // Samples stay sorted by class.
    assert!(corrected.test.windows(2).all(|pair| pair[0].class <= pair[1].class));
    assert_ne!(corrected.fingerprints(), plain.fingerprints());
    assert_says!(assumptions(&corrected), "remark-labels-corrected", n = 1);
}

#[test]
fn ignores_stale_corrections_and_rejects_emptied_classes() {
    let fixture = DatasetFixture::new();
    fixture.write_class("train/cat", 3).write_class("train/dog", 3);
    fixture.write_class("test/cat", 2).write_class("test/dog", 2);
    let plain = fixture.open();
    let first = new_correction(&plain, &plain.test[0], Some("dog"));
    let unknown_class = new_correction(&plain, &plain.test[1], Some("cow"));
    write_image(&fixture.path().join("test/cat/000.png"), "another picture");
    let corrected = fixture.try_open(&options_with(vec![first, unknown_class])).unwrap();
    assert_eq!((corrected.corrected.labels, corrected.corrected.without_effect), (0, 2));
    assert_eq!(names_and_classes(&corrected.test), names_and_classes(&plain.test));
    assert_says!(assumptions(&corrected), "remark-corrections-without-effect", n = 2);
    let cats: Vec<Correction> =
        plain.train[..3].iter().map(|sample| new_correction(&plain, sample, None)).collect();
    let problem = fixture.try_open(&options_with(cats)).unwrap_err();
    assert_says!(problem.what, "problem-corrected-labels-empty-classes", empty = "cat");
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
    let correction = new_correction(&data, &data.test[0], Some("7"));
    store::correct_label(root.path(), "digits", correction.clone()).unwrap();
    let config =
        RunConfig { corrected: store::load_corrections(root.path(), "digits").unwrap(), ..config };
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
    let reverted = Correction { class: Some(correction.was.clone()), ..correction.clone() };
    assert!(store::correct_label(root.path(), "digits", reverted).unwrap().is_empty());
    control.set(ControlRequest::Run);
    let cache = ResourceCache::default();
    let outcome = experiment::resume(&header.folder, &cache, &mut Vec::new(), &control).unwrap();
    assert!(matches!(outcome, Outcome::Finished(_)));
    let run = store::load_run(&header.folder).unwrap();
    assert_eq!(run.header.config.corrected, std::slice::from_ref(&correction));
    assert_ne!(run.header.images, Some(data.fingerprints()));
    let order = &run.header.class_order;
    let position = |class: &str| order.iter().position(|name| name == class);
    // The accuracy by the original labels is also reported.
    let report = &run.reports[0];
    let (answers, expert) = (&report.answers, run.header.answering_expert());
    let labelled_samples = answers.samples.iter().zip(&answers.labels);
    let predictions = answers.for_expert(expert);
    let opened = Dataset::open("digits", &experiment::open_options(&config)).unwrap();
    // The class 7 belongs to the second task, so the image is not tested in the first task.
    let total = labelled_samples.clone().count();
    let correct = predictions.iter().zip(&answers.labels).filter(|(a, b)| a == b);
    assert_eq!(report.measurements["as_they_came"], correct.count() as f64 / total as f64);
    let last = &run.reports[1];
    let labels = last.answers.samples.iter().map(|&index| {
        let sample = &opened.test[index];
        match sample.name() == data.test[0].name() {
            true => position(&correction.was),
            false => position(&opened.classes[sample.class as usize]),
        }
    });
    let predictions = last.answers.for_expert(expert).iter();
    let correct = labels.zip(predictions).filter(|(label, predicted)| *label == Some(**predicted));
    let share = correct.count() as f64 / last.answers.labels.len() as f64;
    assert_eq!(last.measurements["as_they_came"], share);
    let final_accuracy = store::summary(&run).final_accuracy_labels_as_they_came;
    assert_eq!(final_accuracy, Some(share * 100.0));
    // The image was tested as a 7.
    let expected = position("7");
    let answers = &run.reports[1].answers;
    let label = |i: usize| answers.labels[i];
    let opened = Dataset::open("digits", &experiment::open_options(&config)).unwrap();
    let sample_index = opened.test.iter().position(|s| s.name() == data.test[0].name());
    let answer_index = answers.samples.iter().position(|sample| Some(*sample) == sample_index);
    assert_eq!(Some(label(answer_index.unwrap())), expected);
}

#[test]
fn corrected_training_label_equals_moved_file() {
    let create = |folders: [(&str, usize); 4]| {
        let fixture = DatasetFixture::new();
        for (folder, count) in folders {
            fixture.write_class(folder, count);
        }
        fixture
    };
    let folders = [("train/cat", 5), ("train/dog", 5), ("test/cat", 4), ("test/dog", 4)];
    let (listed, moved) = (create(folders), create(folders));
    let plain = listed.open();
    let correction = new_correction(&plain, &plain.train[1], Some("dog"));
    fs::rename(
        moved.path().join("train").join(&correction.picture),
        moved.path().join("train/dog/moved.png"),
    )
    .unwrap();
    let root = tempfile::tempdir().unwrap();
    let run = |fixture: &DatasetFixture, corrected: Vec<Correction>| {
        let config = RunConfig {
            data: fixture.path().to_string_lossy().into_owned(),
            method: "simplecil".into(),
            classes_per_task: "1".into(),
            settings: Default::default(),
            device: "cpu".into(),
            corrected,
            ..RunConfig::default()
        };
        let (cache, control) = (ResourceCache::default(), Control::default());
        let outcome = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
        store::load_run(&outcome.unwrap().header().unwrap().folder).unwrap()
    };
    let (corrected, moved) = (run(&listed, vec![correction.clone()]), run(&moved, Vec::new()));
    let uncorrected = run(&listed, Vec::new());
    assert_eq!(corrected.header.train_images, [4, 6]);
    assert_eq!(corrected.header.train_images, moved.header.train_images);
    assert_eq!(corrected.header.config.corrected, [correction]);
    let confidences = |stored: &store::StoredRun| {
        let certainty = stored.reports[1].answers.certainty.values();
        certainty.flatten().copied().collect::<Vec<f32>>()
    };
    let max_difference = |other: &store::StoredRun| {
        let pairs = confidences(&corrected).into_iter().zip(confidences(other));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    assert!(max_difference(&moved) < 1e-6, "{}", max_difference(&moved));
    assert!(max_difference(&uncorrected) > 1e-5, "{}", max_difference(&uncorrected));
    // The test split is unchanged, so there is no accuracy by original labels.
    assert!(!corrected.reports[1].measurements.contains_key("as_they_came"));
    let images = |stored: &store::StoredRun| stored.header.images.clone().unwrap();
    let (corrected_images, original_images) = (images(&corrected), images(&uncorrected));
    assert!(
        corrected_images.train != original_images.train
            && corrected_images.test == original_images.test
    );
}
