//! Added tasks of a single class, which LAE and the Baseline distinguish from prototypes of the earlier classes.

use super::known::{config_of_folder, digits_and_letters, first_file};
use super::*;
use crate::assert_is;

/// A run of digits that is accurate enough to measure what it forgets.
fn digits(method: &str, root: &Path) -> PathBuf {
    let mut config = config(method);
    (config.train_limit, config.test_limit) = (Some(40), Some(20));
    train_run(&config, root)
}

#[test]
fn learns_single_class_and_retains_earlier_ones() {
    let root = tempfile::tempdir().unwrap();
    let letter = letters("T", 30);
    for method in ["lae", "baseline"] {
        let run = digits(method, root.path());
        let before = folder_contents(&run);
        add_task(&run, letter.path());
        let stored = store::load_run(&run).unwrap();
        assert_eq!(stored.header.class_order[10..], ["T"]);
        let notes = lae_studio::texts::join_translated(&stored.header.added_tasks[0].notes, " ");
        assert_says!(notes, "teach-single-class");
        let figures = figures_of(&stored);
        let [old, new] = [&figures.old, &figures.new];
        assert!(new.after.unwrap() >= 50.0, "{method}: {figures:?}");
        let lost = old.before.unwrap() - old.after.unwrap();
        assert!(lost <= 15.0, "{method}: {figures:?}");
        assert_predictions_match_evaluation(&run);
        // A second added class is also distinguished from the first.
        add_task(&run, letters("X", 30).path());
        let twice = figures_of(&store::load_run(&run).unwrap());
        assert!(twice.new.after.unwrap() >= 50.0, "{method}: {twice:?}");
        let lost = twice.old.before.unwrap() - twice.old.after.unwrap();
        assert!(lost <= 15.0, "{method}: {twice:?}");
        store::undo_added_task(&run).unwrap();
        store::undo_added_task(&run).unwrap();
        assert!(folder_contents(&run) == before, "{method}");
    }
}

#[test]
fn adding_known_single_class_preserves_accuracy() {
    let root = tempfile::tempdir().unwrap();
    let run = digits("lae", root.path());
    add_task(&run, digits_and_letters("3", "", 20).path());
    let stored = store::load_run(&run).unwrap();
    assert_eq!(stored.header.class_order[10..], ["3 (2)"]);
    assert_eq!(stored.header.repeated_classes(), [(10, 3)]);
    let answers = [1, 2].map(|task: usize| &stored.reports[task].answers);
    let accuracies = |classes| {
        let accuracy =
            |task: usize| answers[task].accuracy_within(stored.header.answering_expert(), &classes);
        [accuracy(0), accuracy(1)].map(Option::unwrap)
    };
    let [before, after] = accuracies(3..4);
    assert!(after >= before - 0.1, "{before} {after}");
    let [before, after] = accuracies(0..10);
    assert!(after >= before - 0.15, "{before} {after}");
}

#[test]
fn rejects_single_class_without_training_images_of_run() {
    let root = tempfile::tempdir().unwrap();
    let image_folder = letters("FGHI", 8);
    let settings = config_of_folder("lae", image_folder.path());
    let run = train_run(&settings, root.path());
    let before = folder_contents(&run);
    let single_class = letters("A", 6);
    let header = store::load_run(&run).unwrap().header;
    let options = OpenOptions { test_share: settings.test_share, ..OpenOptions::default() };
    let data = Dataset::open(&settings.data, &options).unwrap();
    let image = data.train[0].source.path().unwrap();
    let other_folder = single_class.path().join("A");
    let other_image = other_folder.join(first_file(&other_folder));
    let replace_image = || std::fs::copy(&other_image, &image).map(drop);
    let remove_images = || std::fs::remove_dir_all(image_folder.path());
    for change in [&replace_image as &dyn Fn() -> std::io::Result<()>, &remove_images] {
        change().unwrap();
        let source = single_class.path().to_str().unwrap();
        // The window reports this after the folder is chosen.
        let preview = experiment::preview_source(&header, 2, source, &|| true);
        for problem in [preview.unwrap_err(), teach_error(&run, single_class.path())] {
            assert_is(&problem, "problem-single-class-needs-dataset");
            assert_says!(problem.remedy, "advice-restore-dataset-or-add-class");
            assert_eq!(problem.place, settings.data);
        }
        assert!(folder_contents(&run) == before);
    }
    // Two classes do not need these images.
    add_task(&run, letters("AB", 6).path());
}
