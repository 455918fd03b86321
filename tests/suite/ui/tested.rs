//! The images behind a cell of the confusion matrix are those the run was tested on, or none.

use egui_kittest::kittest::Queryable;
use lae_studio::data::{Dataset, Fingerprints};
use lae_studio::metrics::{Expert, Predictions};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Event, RunHeader, TaskReport};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};
use crate::data::{DatasetFixture, write_image};

/// A run of one task over two classes whose predictions are all wrong.
fn run_on_folder(
    image_folder: &DatasetFixture,
    images: Option<Fingerprints>,
) -> (RunHeader, TaskReport) {
    let data_path = image_folder.path().to_string_lossy().into_owned();
    let header = RunHeader {
        config: RunConfig { data: data_path, ..RunConfig::default() },
        class_order: vec!["b".into(), "a".into()],
        tasks: std::iter::once(0..2).collect(),
        train_images: vec![8],
        test_images: vec![6],
        images,
        ..header()
    };
    // Test images 0 to 2 are of class a, the second class of the run.
    let labels = vec![1, 1, 1, 0, 0, 0];
    let predictions: Vec<usize> = labels.iter().map(|label| 1 - label).collect();
    let answers = Predictions {
        samples: (0..6).collect(),
        sources: Vec::new(),
        labels,
        given: [(Expert::ENSEMBLE, predictions)].into(),
        certainty: Default::default(),
        task_given: Vec::new(),
    };
    let report = TaskReport { answers, ..report(0) };
    (header, report)
}

fn push_run(backend: &RecordedBackend, (header, report): (RunHeader, TaskReport)) {
    let run = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    let report = Box::new(report);
    backend.push(Event::TaskEvaluated { run, report });
}

fn two_classes() -> DatasetFixture {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("train/a", 4).write_class("train/b", 4);
    image_folder.write_class("test/a", 3).write_class("test/b", 3);
    image_folder
}

#[test]
fn replaced_test_files_are_reported_not_shown() {
    let image_folder = two_classes();
    let fingerprints = image_folder.open().fingerprints();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    push_run(&backend, run_on_folder(&image_folder, Some(fingerprints.clone())));
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("train-confused-with", name = "a", answer = "b")).click();
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("train-tile-test-image", of = "test", index = 0));
    assert!(!shows!(window, "predict-problem-test-changed"));

    // Replaces an image and returns to the page.
    let replaced = image_folder.path().join("test/a/001.png");
    image::RgbImage::new(40, 40).save(&replaced).unwrap();
    for page in [Page::Compare, Page::Train] {
        let title = page.title();
        window.get_by_role_and_label(egui::Role::Tab, title).click();
        wait_until_idle(&mut window);
    }
    assert!(shows!(window, "predict-problem-test-changed"));
    assert_absent!(window, "train-tile-test-image", of = "test", index = 0);
    save_screenshot(&mut window, "replaced-images");

    // With the original file, the image is shown again.
    write_image(&replaced, "test/a/001.png");
    assert_eq!(image_folder.open().fingerprints(), fingerprints);
    for page in [Page::Compare, Page::Train] {
        let title = page.title();
        window.get_by_role_and_label(egui::Role::Tab, title).click();
        wait_until_idle(&mut window);
    }
    window.get_by_label(&tr!("train-tile-test-image", of = "test", index = 0));
}

#[test]
fn unfingerprinted_run_is_checked_by_counts_and_labels() {
    let image_folder = two_classes();
    let runs = tempfile::tempdir().unwrap();

    let is_shown = |change: &dyn Fn(&mut (RunHeader, TaskReport))| {
        let (mut window, backend) =
            recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
        wait_until_idle(&mut window);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
        let mut run = run_on_folder(&image_folder, None);
        change(&mut run);
        push_run(&backend, run);
        wait_until_idle(&mut window);
        let label = tr!("train-confused-with", name = "", answer = "");
        let row = window.get_all_by_label_contains(&label).next();
        row.unwrap().click();
        wait_until_idle(&mut window);
        let (tile_shown, change_reported) = (
            shows!(window, "train-tile-test-image"),
            shows!(window, "predict-problem-test-changed"),
        );
        assert_ne!(tile_shown, change_reported);
        tile_shown
    };
    assert!(is_shown(&|_| {}));
    assert!(!is_shown(&|(header, _)| header.test_images = vec![7]));
    assert!(!is_shown(&|(header, _)| header.class_order[0] = "c".into()));
    assert!(!is_shown(&|(_, report)| report.answers.labels.swap(0, 5)));
}

#[test]
fn fingerprint_of_split_depends_only_on_its_images() {
    let image_folder = two_classes();
    let before = image_folder.open().fingerprints();
    image_folder.write_class("train/a", 5);
    let after = image_folder.open().fingerprints();
    assert_eq!(before.test, after.test);
    assert_ne!(before.train, after.train);
    let other_folder = DatasetFixture::new();
    other_folder.write_class("train/a", 5).write_class("train/b", 4);
    other_folder.write_class("test/a", 3).write_class("test/b", 3);
    assert_eq!(other_folder.open().fingerprints(), after);
    let empty = Dataset::open("digits", &Default::default()).unwrap();
    assert_ne!(empty.fingerprints().test, empty.fingerprints().train);
}
