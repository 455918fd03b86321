//! Runs of older versions on data that is now read differently: decomposed names, lists that were ignored.

use std::path::{Path, PathBuf};

use lae_studio::data::Sample;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Control;
use lae_studio::store;
use sha2::{Digest, Sha256};

use super::data::DatasetFixture;
use super::experiment::{StopAfter, run_folder, short_config, snapshots, train};

/// Trains a run on class folders and stops it in its second epoch.
fn train_and_stop(fixture: &DatasetFixture, root: &Path) -> PathBuf {
    let config = folder_config(fixture);
    let control = Control::default();
    let mut sink = StopAfter { control: control.clone(), epochs: 1 };
    let outcome = train(&config, root, &mut sink, &control);
    assert!(matches!(outcome, Outcome::Stopped(_)));
    run_folder(&outcome)
}

fn folder_config(fixture: &DatasetFixture) -> RunConfig {
    RunConfig {
        data: fixture.path().to_string_lossy().into_owned(),
        train_limit: None,
        test_limit: None,
        validation_share: 0.2,
        classes_per_task: "2".into(),
        ..short_config()
    }
}

/// Returns the fingerprint of a split as older versions computed it: with the names on disk.
fn older_fingerprint(classes: &[String], split: &[Sample], on_disk: fn(&str) -> String) -> String {
    let mut hash = Sha256::new();
    for class in classes {
        hash.update(on_disk(class));
        hash.update([0]);
    }
    hash.update((split.len() as u64).to_le_bytes());
    for sample in split {
        let bytes = std::fs::read(sample.source.path().unwrap()).unwrap();
        hash.update(on_disk(&sample.name()));
        hash.update([0]);
        hash.update(sample.class.to_le_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(Sha256::digest(&bytes));
    }
    lae_studio::fetch::hex(&hash.finalize())
}

/// Decomposed umlauts sort before other letters and composed ones after them, so the order of classes and the drawn
/// images have changed since.
#[test]
fn resumes_older_run_with_decomposed_names() {
    let fixture = DatasetFixture::new();
    // The tilde is replaced by the combining diaeresis later; both sort equally among these names.
    for class in ["A~pfel", "Birne", "Mu~ll", "Zebra"] {
        fixture.write_class(class, 10);
        fixture.write_images(&[&format!("{class}/u~.png")]);
        for (folder, name) in [("a~", 1), ("a~", 2), ("b", 3), ("b", 4)] {
            fixture.write_images(&[&format!("{class}/{folder}/{name}.png")]);
        }
    }
    let decomposed = |name: &str| name.replace('~', "\u{308}");
    let root = tempfile::tempdir().unwrap();
    let uninterrupted =
        train(&folder_config(&fixture), root.path(), &mut Vec::new(), &Control::default());
    let folder = train_and_stop(&fixture, root.path());
    let data = ResourceCache::default().data(&folder_config(&fixture), &|| true).unwrap();
    let fingerprint = |split| older_fingerprint(&data.classes, split, decomposed);
    let run = store::load_run(&folder).unwrap();
    let images = run.header.images.unwrap();
    let file = folder.join("run.toml");
    let text = decomposed(&std::fs::read_to_string(&file).unwrap())
        .replace(&images.train, &fingerprint(&data.train))
        .replace(&images.test, &fingerprint(&data.test));
    std::fs::write(&file, text).unwrap();
    for class in &data.classes {
        let class_dir = fixture.path().join(class);
        for name in ["u~.png", "a~"] {
            std::fs::rename(class_dir.join(name), class_dir.join(decomposed(name))).unwrap();
        }
        std::fs::rename(&class_dir, fixture.path().join(decomposed(class))).unwrap();
    }
    let reopened = fixture.open();
    assert_eq!(reopened.classes, ["Birne", "M\u{fc}ll", "Zebra", "\u{c4}pfel"]);
    let run = store::load_run(&folder).unwrap();
    assert_eq!(run.header.class_order[0], "\u{c4}pfel");
    let resume = || {
        let (cache, control) = (ResourceCache::default(), Control::default());
        experiment::resume(&folder, &cache, &mut Vec::new(), &control)
    };
    assert!(matches!(resume().unwrap(), Outcome::Finished(_)));
    let expected = snapshots(&run_folder(&uninterrupted), 2);
    assert_eq!(snapshots(&folder, 2), expected);
    let last = |folder: &Path| store::load_run(folder).unwrap().reports.pop().unwrap().answers;
    assert_eq!(last(&folder), last(&run_folder(&uninterrupted)));
}

#[test]
fn resume_rejects_lists_ignored_at_start() {
    let fixture = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        fixture.write_class(class, 10);
    }
    let root = tempfile::tempdir().unwrap();
    let folder = train_and_stop(&fixture, root.path());
    let resume = || {
        let (cache, control) = (ResourceCache::default(), Control::default());
        experiment::resume(&folder, &cache, &mut Vec::new(), &control)
    };
    let rows = |class: fn(usize) -> char| -> String {
        let entries = (0..40).map(|i| (i, ["a", "b", "c", "d"][i / 10], i % 10));
        let row = |(i, folder, n)| format!("{folder}/{n:03}.png,{}\n", class(i));
        let rows: Vec<String> = entries.map(row).collect();
        format!("file,label\n{}", rows.concat())
    };
    // Other classes, then other images in the same classes.
    let (other_classes, other_images) =
        (rows(|i| ['a', 'b', 'c', 'e'][i % 4]), rows(|i| ['a', 'b', 'c', 'd'][i % 4]));
    for table in [other_classes, other_images] {
        fixture.write_file("labels.csv", table);
        let problem = resume().unwrap_err();
        assert_says!(problem.remedy, "advice-move-ignored-lists", lists = "labels.csv", n = 1);
    }
    // A table that agrees with the folders changes nothing.
    fixture.write_file("labels.csv", rows(|at| ['a', 'b', 'c', 'd'][at / 10]));
    assert!(matches!(resume().unwrap(), Outcome::Finished(_)));
}
