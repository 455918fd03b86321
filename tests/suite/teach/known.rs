//! Added tasks of classes that the run knows already, of few images, and with old images gone.

use lae_studio::store::RunSummary;

use super::*;

/// Some digits of a folder of classes named like those of the run, beside letters.
pub(super) fn with_digits(digits: &str, of: &str, each: usize) -> Made {
    let made = letters(of, each);
    let options = OpenOptions {
        train_limit: Some(60),
        ..OpenOptions::default()
    };
    let data = Dataset::open("digits", &options).unwrap();
    let mut taken = BTreeMap::new();
    // From the end: other images than the run learned from.
    for sample in data.train.iter().rev() {
        let class = &data.classes[sample.class as usize];
        let count: &mut usize = taken.entry(class.clone()).or_default();
        if digits.contains(class.as_str()) && *count < each {
            *count += 1;
            let (bytes, _) = sample.file().unwrap();
            made.file(&format!("{class}/{count}.png"), bytes);
        }
    }
    made
}

#[test]
fn test_images_used_by_added_task_are_excluded() {
    let root = tempfile::tempdir().unwrap();
    let run = finished(&config("simplecil"), root.path());
    let before = store::load(&run).unwrap();
    let answers = &before.reports.last().unwrap().answers;
    let options = OpenOptions {
        train_limit: before.header.config.train_limit,
        test_limit: before.header.config.test_limit,
        ..OpenOptions::default()
    };
    let own = Dataset::open("digits", &options).unwrap();
    let added_task = Made::new();
    for (split, samples) in [("train", &own.test[..5]), ("test", &own.test[5..10])] {
        for (class, samples) in [("A", &own.train[..5]), ("B", samples)] {
            for (number, sample) in samples.iter().enumerate() {
                let (bytes, _) = sample.file().unwrap();
                added_task.file(&format!("{split}/{class}/{number}.png"), bytes);
            }
        }
    }
    add_task(&run, added_task.path());
    let stored = store::load(&run).unwrap();
    let notes = lae_studio::texts::said(&stored.header.added_tasks[0].notes, " ");
    assert_says!(notes, "teach-copies-excluded", n = 5);
    let after = &stored.reports.last().unwrap().answers;
    let of_own = (0..after.labels.len()).filter(|&at| after.source(at) == 0);
    let indices: Vec<usize> = of_own.map(|at| after.samples[at]).collect();
    assert_eq!(indices.len(), answers.labels.len() - 5);
    assert!(indices.iter().all(|index| *index >= 5));
    // What the old classes lost is measured on the same images.
    let old = figures_of(&stored).old;
    assert!(old.before.is_some() && old.images == indices.len());
}

#[test]
fn examples_of_known_class_count_for_that_class() {
    let root = tempfile::tempdir().unwrap();
    let added_task = with_digits("37", "A", 10);
    for method in ["lae", "simplecil", "ranpac"] {
        let mut config = config(method);
        if method == "ranpac" {
            set(&mut config, "projection=300").unwrap();
        }
        let run = finished(&config, root.path());
        let before = folder_contents(&run);
        add_task(&run, added_task.path());
        let stored = store::load(&run).unwrap();
        let header = &stored.header;
        assert_eq!(header.class_order[10..], ["3 (2)", "7 (2)", "A"]);
        assert_eq!(header.repeated_classes(), [(10, 3), (11, 7)]);
        assert_eq!((header.class_at(11), header.class_at(12)), (7, 12));
        let known = header.added_tasks[0].before.unwrap();
        assert!(known > 0.0 && known <= 4.0 / 6.0, "{method}: {known}");
        let note = lae_studio::texts::said(&header.added_tasks[0].notes, " ");
        assert_says!(note, "teach-known-classes", classes = "3, 7");
        if method == "ranpac" {
            assert_known_columns_updated(&stored);
        }
        assert_predictions_match_evaluation(&run);
        // No answer names an output that counts for another class, but for its own images.
        let answers = &stored.reports[2].answers;
        let given = answers.of(header.answering());
        for (label, class) in answers.labels.iter().zip(given) {
            assert!(![10, 11].contains(class) || label == class, "{method}");
        }
        let added_task_of =
            |class: usize| answers.accuracy_within(header.answering(), &(class..class + 1));
        let right = added_task_of(10).unwrap() + added_task_of(11).unwrap();
        assert!(right >= 1.0, "{method}: {right}");
        // A second added task of the same names gets other numbers.
        add_task(&run, added_task.path());
        let header = store::load(&run).unwrap().header;
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
    for (at, row) in rows.iter().enumerate() {
        let empty = row.iter().all(|value| *value == 0.0);
        assert_eq!(empty, [10, 11].contains(&at), "column {at}");
    }
    assert_ne!(rows[3], &before.values[3 * 300..4 * 300]);
}

/// One image, or one of each of two classes, is too little to choose the ridge for all classes.
#[test]
fn added_task_reuses_ridge_of_run() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config("ranpac");
    set(&mut config, "projection=300").unwrap();
    for names in ["A", "AB"] {
        let made = Made::new();
        let drawn = letters(names, 1);
        for class in names.chars().map(String::from) {
            let of = drawn.path().join(&class);
            let bytes = std::fs::read(of.join(first_file(&of))).unwrap();
            made.file(&format!("train/{class}/1.png"), &bytes);
            made.file(&format!("test/{class}/2.png"), &bytes);
        }
        let run = finished(&config, root.path());
        add_task(&run, made.path());
        let stored = store::load(&run).unwrap();
        let ridge = |task: usize| stored.reports[task].measurements["ridge"];
        assert_eq!(ridge(2), ridge(1), "{names}");
        assert_predictions_match_evaluation(&run);
    }
}

#[test]
fn adds_task_from_few_images() {
    let root = tempfile::tempdir().unwrap();
    let made = letters("AB", 2);
    // A single one leaves nothing to test with.
    std::fs::remove_file(
        made.path()
            .join("B")
            .join(first_file(&made.path().join("B"))),
    )
    .unwrap();
    for method in ["lae", "ranpac", "ease", "l2p"] {
        let run = finished(&config(method), root.path());
        add_task(&run, made.path());
        let stored = store::load(&run).unwrap();
        let added_task = &stored.header.added_tasks[0];
        assert_eq!(
            (&added_task.train_images[..], &added_task.test_images[..]),
            (&[1, 1][..], &[1, 0][..])
        );
        let notes = lae_studio::texts::said(&added_task.notes, " ");
        assert_says!(notes, "teach-few-images", few = 4, classes = "A, B");
        assert_says!(notes, "teach-no-test-images", classes = "B");
        if method != "ranpac" {
            assert!(
                added_task.batch < 16 && added_task.repeats >= 40,
                "{added_task:?}"
            );
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
    let made = Made::new();
    for (split, each) in [("train", 6), ("test", 3)] {
        let part = letters("AB", each);
        for class in ["A", "B"] {
            let from = part.path().join(class);
            for entry in std::fs::read_dir(from).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{split}/{class}/{}", entry.file_name().to_string_lossy());
                made.file(&name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let run = finished(&config("simplecil"), root.path());
    add_task(&run, made.path());
    let added_task = store::load(&run).unwrap().header.added_tasks.remove(0);
    assert_eq!(
        (added_task.train_images, added_task.test_images),
        (vec![6, 6], vec![3, 3])
    );
}

/// Settings for all images of a folder, two classes a task.
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
    let made = letters("FGHI", 8);
    let settings = config_of_folder("simplecil", made.path());
    let run = finished(&settings, root.path());
    let added_task = letters("AB", 6);
    let other = made
        .path()
        .join("G")
        .join(first_file(&made.path().join("G")));
    // Replaces one image by another.
    std::fs::copy(
        added_task
            .path()
            .join("A")
            .join(first_file(&added_task.path().join("A"))),
        &other,
    )
    .unwrap();
    for gone in [false, true] {
        if gone {
            std::fs::remove_dir_all(made.path().join("H")).unwrap();
        }
        add_task(&run, added_task.path());
        let stored = store::load(&run).unwrap();
        let notes = lae_studio::texts::said(&stored.header.added_tasks[0].notes, " ");
        let same = !gone && stored.reports[2].answers.images_within(&(0..4)) > 0;
        if !same {
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
                let what = (format, store::figure::FigureOfRuns::Accuracy);
                store::export::export(&[RunSummary::of(&stored)], what, &|_| Vec::new()).unwrap();
            }
        }
        store::undo_added_task(&run).unwrap();
    }
}

#[test]
fn rejects_replay_of_changed_or_missing_exemplars() {
    let root = tempfile::tempdir().unwrap();
    let made = letters("FGHI", 8);
    let settings = config_of_folder("icarl", made.path());
    let run = finished(&settings, root.path());
    let before = folder_contents(&run);
    let added_task = letters("AB", 6);
    let options = OpenOptions {
        test_share: settings.test_share,
        ..OpenOptions::default()
    };
    let data = Dataset::open(&settings.data, &options).unwrap();
    let [image, last] =
        [&data.train[0], data.train.last().unwrap()].map(|sample| sample.source.path().unwrap());
    let bytes = std::fs::read(&image).unwrap();
    let replaced = || std::fs::copy(&last, &image).map(drop);
    let gone = || std::fs::remove_file(&image);
    for change in [&replaced as &dyn Fn() -> std::io::Result<()>, &gone] {
        change().unwrap();
        let problem = teach_error(&run, added_task.path());
        let ids = [
            "problem-exemplars-without-dataset",
            "problem-exemplars-changed",
        ];
        let told = |id: &&str| says!(problem.what, *id, title = "iCaRL", n = 20);
        assert!(ids.iter().any(told), "{problem}");
        assert!(folder_contents(&run) == before);
    }
    std::fs::write(&image, bytes).unwrap();
    add_task(&run, added_task.path());
}

#[test]
fn runs_are_grouped_by_added_tasks() {
    let root = tempfile::tempdir().unwrap();
    let (one, other) = (letters("AB", 6), letters("CD", 6));
    let runs: Vec<PathBuf> = [1, 2, 3]
        .map(|seed| {
            let config = RunConfig {
                seed,
                ..config("simplecil")
            };
            finished(&config, root.path())
        })
        .to_vec();
    let groups = || {
        let read = runs.iter().map(|run| store::summarize(run).unwrap());
        store::groups::groups(&read.collect::<Vec<_>>()).len()
    };
    assert_eq!(groups(), 1);
    add_task(&runs[0], one.path());
    add_task(&runs[1], one.path());
    assert_eq!(groups(), 2);
    add_task(&runs[2], other.path());
    assert_eq!(groups(), 2);
    let listed = store::list(root.path());
    assert!(listed.iter().all(|entry| entry.summary.is_ok()));
}
