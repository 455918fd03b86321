//! Added tasks of a single class, which LAE and the Baseline distinguish from prototypes of the earlier classes.

use super::known::{config_of_folder, first_file, with_digits};
use super::*;
use crate::assert_is;

/// A run of digits that is accurate enough to measure what it forgets.
fn digits(method: &str, root: &Path) -> PathBuf {
    let mut config = config(method);
    (config.train_limit, config.test_limit) = (Some(40), Some(20));
    finished(&config, root)
}

#[test]
fn learns_single_class_and_retains_earlier_ones() {
    let root = tempfile::tempdir().unwrap();
    let letter = letters("T", 30);
    for method in ["lae", "baseline"] {
        let run = digits(method, root.path());
        let before = folder_contents(&run);
        add_task(&run, letter.path());
        let stored = store::load(&run).unwrap();
        assert_eq!(stored.header.class_order[10..], ["T"]);
        let notes = lae_studio::texts::said(&stored.header.added_tasks[0].notes, " ");
        assert_says!(notes, "teach-single-class");
        let figures = figures_of(&stored);
        let [old, new] = [&figures.old, &figures.new];
        assert!(new.after.unwrap() >= 50.0, "{method}: {figures:?}");
        let lost = old.before.unwrap() - old.after.unwrap();
        assert!(lost <= 15.0, "{method}: {figures:?}");
        assert_predictions_match_evaluation(&run);
        // The second one is also distinguished from the first.
        add_task(&run, letters("X", 30).path());
        let twice = figures_of(&store::load(&run).unwrap());
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
    add_task(&run, with_digits("3", "", 20).path());
    let stored = store::load(&run).unwrap();
    assert_eq!(stored.header.class_order[10..], ["3 (2)"]);
    assert_eq!(stored.header.repeated_classes(), [(10, 3)]);
    let answers = [1, 2].map(|task: usize| &stored.reports[task].answers);
    let right = |classes| {
        let of = |task: usize| answers[task].accuracy_within(stored.header.answering(), &classes);
        [of(0), of(1)].map(Option::unwrap)
    };
    let [before, after] = right(3..4);
    assert!(after >= before - 0.1, "{before} {after}");
    let [before, after] = right(0..10);
    assert!(after >= before - 0.15, "{before} {after}");
}

#[test]
fn rejects_single_class_without_training_images_of_run() {
    let root = tempfile::tempdir().unwrap();
    let made = letters("FGHI", 8);
    let settings = config_of_folder("lae", made.path());
    let run = finished(&settings, root.path());
    let before = folder_contents(&run);
    let alone = letters("A", 6);
    let header = store::load(&run).unwrap().header;
    let options = OpenOptions {
        test_share: settings.test_share,
        ..OpenOptions::default()
    };
    let data = Dataset::open(&settings.data, &options).unwrap();
    let image = data.train[0].source.path().unwrap();
    let other = alone.path().join("A");
    let other = other.join(first_file(&other));
    let changed = || std::fs::copy(&other, &image).map(drop);
    let gone = || std::fs::remove_dir_all(made.path());
    for change in [&changed as &dyn Fn() -> std::io::Result<()>, &gone] {
        change().unwrap();
        let source = alone.path().to_str().unwrap();
        // The window says so after the folder was chosen.
        let found = experiment::found(&header, 2, source, &|| true);
        for problem in [found.unwrap_err(), teach_error(&run, alone.path())] {
            assert_is(&problem, "problem-single-class-needs-dataset");
            assert_says!(problem.remedy, "advice-restore-dataset-or-add-class");
            assert_eq!(problem.place, settings.data);
        }
        assert!(folder_contents(&run) == before);
    }
    // Two classes need none of them.
    add_task(&run, letters("AB", 6).path());
}
