//! Added tasks of known classes, of few images, and of runs whose images are missing.

use lae_studio::store::RunSummary;

use super::*;

/// Returns a folder of classes with digits, named like the classes of the run, and letters.
pub(super) fn digits_and_letters(
    digits: &str,
    letter_names: &str,
    per_class: usize,
) -> DatasetFixture {
    let image_folder = letters(letter_names, per_class);
    let options = OpenOptions { train_limit: Some(60), ..OpenOptions::default() };
    let data = Dataset::open("digits", &options).unwrap();
    let mut counts = BTreeMap::new();
    // From the end, because the run learned from the first images.
    for sample in data.train.iter().rev() {
        let class = &data.classes[sample.class as usize];
        let count: &mut usize = counts.entry(class.clone()).or_default();
        if digits.contains(class.as_str()) && *count < per_class {
            *count += 1;
            let (bytes, _) = sample.encoded_file().unwrap();
            image_folder.write_file(&format!("{class}/{count}.png"), bytes);
        }
    }
    image_folder
}

#[test]
fn test_images_used_by_added_task_are_excluded() {
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config("simplecil"), root.path());
    let before = store::load_run(&run).unwrap();
    let answers = &before.reports.last().unwrap().answers;
    let options = OpenOptions {
        train_limit: before.header.config.train_limit,
        test_limit: before.header.config.test_limit,
        ..OpenOptions::default()
    };
    let dataset = Dataset::open("digits", &options).unwrap();
    let added_task = DatasetFixture::new();
    for (split, samples) in [("train", &dataset.test[..5]), ("test", &dataset.test[5..10])] {
        for (class, samples) in [("A", &dataset.train[..5]), ("B", samples)] {
            for (number, sample) in samples.iter().enumerate() {
                let (bytes, _) = sample.encoded_file().unwrap();
                added_task.write_file(&format!("{split}/{class}/{number}.png"), bytes);
            }
        }
    }
    add_task(&run, added_task.path());
    let stored = store::load_run(&run).unwrap();
    let notes = lae_studio::texts::join_translated(&stored.header.added_tasks[0].notes, " ");
    assert_says!(notes, "teach-copies-excluded", n = 5);
    let after = &stored.reports.last().unwrap().answers;
    let original = (0..after.labels.len()).filter(|&at| after.source(at) == 0);
    let indices: Vec<usize> = original.map(|at| after.samples[at]).collect();
    assert_eq!(indices.len(), answers.labels.len() - 5);
    assert!(indices.iter().all(|index| *index >= 5));
    // Forgetting of the old classes is measured on the same images.
    let old = figures_of(&stored).old;
    assert!(old.before.is_some() && old.images == indices.len());
}

#[test]
fn examples_of_known_class_count_for_that_class() {
    let root = tempfile::tempdir().unwrap();
    let added_task = digits_and_letters("37", "A", 10);
    for method in ["lae", "simplecil", "ranpac"] {
        let mut config = config(method);
        if method == "ranpac" {
            apply_assignment(&mut config, "projection=300").unwrap();
        }
        let run = train_run(&config, root.path());
        let before = folder_contents(&run);
        add_task(&run, added_task.path());
        let stored = store::load_run(&run).unwrap();
        let header = &stored.header;
        assert_eq!(header.class_order[10..], ["3 (2)", "7 (2)", "A"]);
        assert_eq!(header.repeated_classes(), [(10, 3), (11, 7)]);
        assert_eq!((header.class_at(11), header.class_at(12)), (7, 12));
        let accuracy_before = header.added_tasks[0].before.unwrap();
        assert!(
            accuracy_before > 0.0 && accuracy_before <= 4.0 / 6.0,
            "{method}: {accuracy_before}"
        );
        let note = lae_studio::texts::join_translated(&header.added_tasks[0].notes, " ");
        assert_says!(note, "teach-known-classes", classes = "3, 7");
        if method == "ranpac" {
            assert_known_columns_updated(&stored);
        }
        assert_predictions_match_evaluation(&run);
        // No prediction is an output that counts for another class, except for images with that label.
        let answers = &stored.reports[2].answers;
        let predictions = answers.for_expert(header.answering_expert());
        for (label, class) in answers.labels.iter().zip(predictions) {
            assert!(![10, 11].contains(class) || label == class, "{method}");
        }
        let accuracy_of =
            |class: usize| answers.accuracy_within(header.answering_expert(), &(class..class + 1));
        let total = accuracy_of(10).unwrap() + accuracy_of(11).unwrap();
        assert!(total >= 1.0, "{method}: {total}");
        // A second added task with the same names gets other numbers.
        add_task(&run, added_task.path());
        let header = store::load_run(&run).unwrap().header;
        assert_eq!(header.class_order[13..], ["3 (3)", "7 (3)", "A (2)"]);
        assert_eq!(header.repeated_classes()[2..], [(13, 3), (14, 7), (15, 12)]);
        store::undo_added_task(&run).unwrap();
        store::undo_added_task(&run).unwrap();
        assert!(folder_contents(&run) == before);
    }
}

/// Asserts that RanPAC leaves the second columns of known classes empty and solves the others with the run's λ.
fn assert_known_columns_updated(stored: &StoredRun) {
    let ridge = |task: usize| stored.reports[task].measurements["ridge"];
    assert_eq!(ridge(2), ridge(1));
    let weight =
        |task| store::load_snapshot(&stored.header.folder, task).unwrap()["weight"].clone();
    let (before, after) = (weight(1), weight(2));
    assert_eq!((before.shape[0], after.shape[0]), (10, 13));
    let rows: Vec<&[f32]> = after.values.chunks_exact(300).collect();
    for (column, row) in rows.iter().enumerate() {
        let empty = row.iter().all(|value| *value == 0.0);
        assert_eq!(empty, [10, 11].contains(&column), "column {column}");
    }
    assert_ne!(rows[3], &before.values[3 * 300..4 * 300]);
}

/// One image, or one of each of two classes, are too few to choose the ridge for all classes.
#[test]
fn added_task_reuses_ridge_of_run() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config("ranpac");
    apply_assignment(&mut config, "projection=300").unwrap();
    for names in ["A", "AB"] {
        let image_folder = DatasetFixture::new();
        let drawings = letters(names, 1);
        for class in names.chars().map(String::from) {
            let source = drawings.path().join(&class);
            let bytes = std::fs::read(source.join(first_file(&source))).unwrap();
            image_folder.write_file(&format!("train/{class}/1.png"), &bytes);
            image_folder.write_file(&format!("test/{class}/2.png"), &bytes);
        }
        let run = train_run(&config, root.path());
        add_task(&run, image_folder.path());
        let stored = store::load_run(&run).unwrap();
        let ridge = |task: usize| stored.reports[task].measurements["ridge"];
        assert_eq!(ridge(2), ridge(1), "{names}");
        assert_predictions_match_evaluation(&run);
    }
}

#[test]
fn adds_task_from_few_images() {
    let root = tempfile::tempdir().unwrap();
    let image_folder = letters("AB", 2);
    // With a single image, none is left for testing.
    std::fs::remove_file(
        image_folder.path().join("B").join(first_file(&image_folder.path().join("B"))),
    )
    .unwrap();
    for method in ["lae", "ranpac", "ease", "l2p"] {
        let run = train_run(&config(method), root.path());
        add_task(&run, image_folder.path());
        let stored = store::load_run(&run).unwrap();
        let added_task = &stored.header.added_tasks[0];
        assert_eq!(
            (&added_task.train_images[..], &added_task.test_images[..]),
            (&[1, 1][..], &[1, 0][..])
        );
        let notes = lae_studio::texts::join_translated(&added_task.notes, " ");
        assert_says!(notes, "teach-few-images", few = 4, classes = "A, B");
        assert_says!(notes, "teach-no-test-images", classes = "B");
        if method != "ranpac" {
            assert!(added_task.batch < 16 && added_task.repeats >= 40, "{added_task:?}");
            assert_says!(notes, "teach-images-repeated", n = 2);
        }
    }
}

pub(super) fn first_file(folder: &Path) -> PathBuf {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| PathBuf::from(entry.unwrap().file_name()))
        .collect();
    names.sort();
    names.remove(0)
}

#[test]
fn added_task_uses_test_split_of_folder() {
    let root = tempfile::tempdir().unwrap();
    let image_folder = DatasetFixture::new();
    for (split, count) in [("train", 6), ("test", 3)] {
        let drawings = letters("AB", count);
        for class in ["A", "B"] {
            let from = drawings.path().join(class);
            for entry in std::fs::read_dir(from).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{split}/{class}/{}", entry.file_name().to_string_lossy());
                image_folder.write_file(&name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let run = train_run(&config("simplecil"), root.path());
    add_task(&run, image_folder.path());
    let added_task = store::load_run(&run).unwrap().header.added_tasks.remove(0);
    assert_eq!((added_task.train_images, added_task.test_images), (vec![6, 6], vec![3, 3]));
}

/// Settings for all images of a folder with two classes per task.
pub(super) fn config_of_folder(method: &str, folder: &Path) -> RunConfig {
    RunConfig {
        data: folder.to_string_lossy().into_owned(),
        classes_per_task: "2".into(),
        train_limit: None,
        test_limit: None,
        ..config(method)
    }
}

#[test]
fn forgetting_is_unmeasured_when_old_images_are_missing() {
    let root = tempfile::tempdir().unwrap();
    let image_folder = letters("FGHI", 8);
    let settings = config_of_folder("simplecil", image_folder.path());
    let run = train_run(&settings, root.path());
    let added_task = letters("AB", 6);
    let replaced_image =
        image_folder.path().join("G").join(first_file(&image_folder.path().join("G")));
    // Replaces an image with another one.
    std::fs::copy(
        added_task.path().join("A").join(first_file(&added_task.path().join("A"))),
        &replaced_image,
    )
    .unwrap();
    for class_missing in [false, true] {
        if class_missing {
            std::fs::remove_dir_all(image_folder.path().join("H")).unwrap();
        }
        add_task(&run, added_task.path());
        let stored = store::load_run(&run).unwrap();
        let notes = lae_studio::texts::join_translated(&stored.header.added_tasks[0].notes, " ");
        let is_measured = !class_missing && stored.reports[2].answers.images_within(&(0..4)) > 0;
        if !is_measured {
            assert_says!(notes, "teach-forgetting-unmeasured");
            let figures = figures_of(&stored);
            assert_eq!((figures.old.before, figures.old.after), (None, None));
            assert!(figures.new.after.is_some());
            let summary = store::summary(&stored);
            assert_eq!(summary.figures.final_accuracy(), None);
            assert_eq!(summary.figures.get("forgetting"), None);
            let json = serde_json::to_value(&summary).unwrap();
            assert!(json["tasks"][2]["accuracy"].is_null());
            assert!(json["tasks"][2]["matrix_row"][0].is_null());
            assert!(json["tasks"][2]["matrix_row"][2].is_f64());
            for format in store::export::Format::ALL {
                let selection = (format, store::figure::RunFigure::Accuracy);
                store::export::export(&[RunSummary::from_run(&stored)], selection, &|_| Vec::new())
                    .unwrap();
            }
        }
        store::undo_added_task(&run).unwrap();
    }
}

#[test]
fn rejects_replay_of_changed_or_missing_exemplars() {
    let root = tempfile::tempdir().unwrap();
    let image_folder = letters("FGHI", 8);
    let settings = config_of_folder("icarl", image_folder.path());
    let run = train_run(&settings, root.path());
    let before = folder_contents(&run);
    let added_task = letters("AB", 6);
    let options = OpenOptions { test_share: settings.test_share, ..OpenOptions::default() };
    let data = Dataset::open(&settings.data, &options).unwrap();
    let [image, last_image] =
        [&data.train[0], data.train.last().unwrap()].map(|sample| sample.source.path().unwrap());
    let bytes = std::fs::read(&image).unwrap();
    let replace_image = || std::fs::copy(&last_image, &image).map(drop);
    let remove_image = || std::fs::remove_file(&image);
    for change in [&replace_image as &dyn Fn() -> std::io::Result<()>, &remove_image] {
        change().unwrap();
        let problem = teach_error(&run, added_task.path());
        let ids = ["problem-exemplars-without-dataset", "problem-exemplars-changed"];
        let is_expected = |id: &&str| says!(problem.what, *id, title = "iCaRL", n = 20);
        assert!(ids.iter().any(is_expected), "{problem}");
        assert!(folder_contents(&run) == before);
    }
    std::fs::write(&image, bytes).unwrap();
    add_task(&run, added_task.path());
}

#[test]
fn runs_are_grouped_by_added_tasks() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (letters("AB", 6), letters("CD", 6));
    let runs: Vec<PathBuf> = [1, 2, 3]
        .map(|seed| {
            let config = RunConfig { seed, ..config("simplecil") };
            train_run(&config, root.path())
        })
        .to_vec();
    let groups = || {
        let summaries = runs.iter().map(|run| store::summarise(run).unwrap());
        store::groups::groups(&summaries.collect::<Vec<_>>()).len()
    };
    assert_eq!(groups(), 1);
    add_task(&runs[0], first.path());
    add_task(&runs[1], first.path());
    assert_eq!(groups(), 2);
    add_task(&runs[2], second.path());
    assert_eq!(groups(), 2);
    let listed = store::list_runs(root.path());
    assert!(listed.iter().all(|entry| entry.summary.is_ok()));
}
