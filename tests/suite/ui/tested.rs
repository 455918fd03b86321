//! The images behind a cell of the confusion matrix are those the run was tested on, or none.

use egui_kittest::kittest::Queryable;
use lae_studio::data::{Dataset, Fingerprints};
use lae_studio::metrics::{Answers, Expert};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Event, RunHeader, TaskReport};
use lae_studio::session::backend::Recorded;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded, settle, shot};
use crate::data::{Made, picture};

/// A run of one task over two classes whose predictions are all wrong.
fn run_on_folder(made: &Made, images: Option<Fingerprints>) -> (RunHeader, TaskReport) {
    let place = made.path().to_string_lossy().into_owned();
    let header = RunHeader {
        config: RunConfig {
            data: place,
            ..RunConfig::default()
        },
        class_order: vec!["b".into(), "a".into()],
        tasks: std::iter::once(0..2).collect(),
        train_images: vec![8],
        test_images: vec![6],
        images,
        ..header()
    };
    // Test images 0 to 2 are of class a, which is taught second.
    let labels = vec![1, 1, 1, 0, 0, 0];
    let other: Vec<usize> = labels.iter().map(|label| 1 - label).collect();
    let answers = Answers {
        samples: (0..6).collect(),
        sources: Vec::new(),
        labels,
        given: [(Expert::ENSEMBLE, other)].into(),
        certainty: Default::default(),
        task_given: Vec::new(),
    };
    let report = TaskReport {
        answers,
        ..report(0)
    };
    (header, report)
}

fn push_run(backend: &Recorded, (header, report): (RunHeader, TaskReport)) {
    let run = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    let report = Box::new(report);
    backend.push(Event::TaskEvaluated { run, report });
}

fn two_classes() -> Made {
    let made = Made::new();
    made.class("train/a", 4).class("train/b", 4);
    made.class("test/a", 3).class("test/b", 3);
    made
}

#[test]
fn replaced_test_files_are_reported_not_shown() {
    let made = two_classes();
    let there = made.open().fingerprints();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    push_run(&backend, run_on_folder(&made, Some(there.clone())));
    settle(&mut window);
    window
        .get_by_label(&tr!("train-confused-with", name = "a", answer = "b"))
        .click();
    settle(&mut window);
    window.get_by_label(&tr!("train-tile-test-image", of = "test", index = 0));
    assert!(!shows!(window, "predict-problem-test-changed"));

    // Replaces an image and returns to the page.
    let replaced = made.path().join("test/a/001.png");
    image::RgbImage::new(40, 40).save(&replaced).unwrap();
    for page in [Page::Compare, Page::Train] {
        let title = page.title();
        window.get_by_role_and_label(egui::Role::Tab, title).click();
        settle(&mut window);
    }
    assert!(shows!(window, "predict-problem-test-changed"));
    assert_absent!(window, "train-tile-test-image", of = "test", index = 0);
    shot(&mut window, "replaced-images");

    // With the original file, the image is shown again.
    picture(&replaced, "test/a/001.png");
    assert_eq!(made.open().fingerprints(), there);
    for page in [Page::Compare, Page::Train] {
        let title = page.title();
        window.get_by_role_and_label(egui::Role::Tab, title).click();
        settle(&mut window);
    }
    window.get_by_label(&tr!("train-tile-test-image", of = "test", index = 0));
}

#[test]
fn unfingerprinted_run_is_checked_by_counts_and_labels() {
    let made = two_classes();
    let runs = tempfile::tempdir().unwrap();

    let shown = |change: &dyn Fn(&mut (RunHeader, TaskReport))| {
        let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
        settle(&mut window);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
        let mut told = run_on_folder(&made, None);
        change(&mut told);
        push_run(&backend, told);
        settle(&mut window);
        let taken = tr!("train-confused-with", name = "", answer = "");
        let lines = window.get_all_by_label_contains(&taken).next();
        lines.unwrap().click();
        settle(&mut window);
        let (there, told) = (
            shows!(window, "train-tile-test-image"),
            shows!(window, "predict-problem-test-changed"),
        );
        assert_ne!(there, told);
        there
    };
    assert!(shown(&|_| {}));
    assert!(!shown(&|(header, _)| header.test_images = vec![7]));
    assert!(!shown(&|(header, _)| header.class_order[0] = "c".into()));
    assert!(!shown(&|(_, report)| report.answers.labels.swap(0, 5)));
}

#[test]
fn fingerprint_of_split_depends_only_on_its_images() {
    let made = two_classes();
    let before = made.open().fingerprints();
    made.class("train/a", 5);
    let after = made.open().fingerprints();
    assert_eq!(before.test, after.test);
    assert_ne!(before.train, after.train);
    let elsewhere = Made::new();
    elsewhere.class("train/a", 5).class("train/b", 4);
    elsewhere.class("test/a", 3).class("test/b", 3);
    assert_eq!(elsewhere.open().fingerprints(), after);
    let empty = Dataset::open("digits", &Default::default()).unwrap();
    assert_ne!(empty.fingerprints().test, empty.fingerprints().train);
}
