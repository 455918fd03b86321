//! The same images give the same run from CIFAR records and from an image folder, with and without an image cache.

use std::path::{Path, PathBuf};

use lae_studio::data::transform::InputSpec;
use lae_studio::data::{Dataset, OpenOptions, ProgressReporter, export};
use lae_studio::experiment::{self, ResourceCache, open_options};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Control;
use lae_studio::store::{self, StoredRun};

use super::data::{DatasetFixture, assumptions};
use crate::skip::skip;

/// Writes a CIFAR-10 binary file with `each` images per class: stripes and noise by class and number.
fn write_cifar_records(fixture: &DatasetFixture, name: &str, per_class: usize, salt: u32) {
    let mut bytes = Vec::new();
    for number in 0..per_class {
        for class in 0..10_u32 {
            bytes.push(class as u8);
            let mut noise = salt + number as u32 * 10 + class;
            for plane in 0..3_u32 {
                for pixel in 0..1024_u32 {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let stripe = (pixel % 32) * (class + 1) + (pixel / 32) * plane;
                    bytes.push((stripe as u8) ^ ((noise >> 27) as u8));
                }
            }
        }
    }
    fixture.write_file(name, bytes);
}

/// Trains a run with these settings in `root`.
fn train_run(config: &RunConfig, cache: &ResourceCache, root: &Path) -> StoredRun {
    let result = experiment::train(config, root, cache, &mut Vec::new(), &Control::default());
    store::load_run(&result.unwrap().header().unwrap().folder).unwrap()
}

/// Returns what must be equal in equal runs: answers and snapshots of every task.
fn collect_results(config: &RunConfig, cache: &ResourceCache) -> Vec<(String, Vec<u8>)> {
    let root = tempfile::tempdir().unwrap();
    let run = train_run(config, cache, root.path());
    let folder = &run.header.folder;
    let mut results: Vec<(String, Vec<u8>)> = run
        .reports
        .iter()
        .map(|report| {
            let text = format!("{:?} {}", report.answers, report.measurements["online_drift"]);
            (format!("answers {}", report.task), text.into_bytes())
        })
        .collect();
    for task in 0..run.reports.len() {
        for (name, tensor) in store::load_snapshot(folder, task).unwrap() {
            let bits = tensor.values.iter().flat_map(|v| v.to_le_bytes()).collect();
            results.push((format!("{task} {name}"), bits));
        }
    }
    results
}

fn export_folder(data: &Dataset, to: &Path) -> PathBuf {
    export::write_folder(data, to, &ProgressReporter::silent()).unwrap();
    to.to_path_buf()
}

fn assert_same_run(config: &RunConfig, records: &Path) {
    let config_with = |data: &Path, cache_mb| RunConfig {
        data: data.to_str().unwrap().into(),
        cache_mb,
        ..config.clone()
    };
    let records_config = config_with(records, 64);
    let data = Dataset::open(&records_config.data, &open_options(&records_config)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let folder = export_folder(&data, &dir.path().join("as folder"));
    let cache = ResourceCache::default();
    let expected = collect_results(&records_config, &cache);
    assert!(expected.len() > 10);
    for cache_mb in [64, 0] {
        let folder_config = config_with(&folder, cache_mb);
        let cache = ResourceCache::default();
        let actual = collect_results(&folder_config, &cache);
        assert_eq!(actual.len(), expected.len());
        for (actual, expected) in actual.iter().zip(&expected) {
            assert_eq!(actual.0, expected.0);
            assert!(actual.1 == expected.1, "{} differs with {cache_mb} MB", actual.0);
        }
        // Only the test inputs stay cached; the training images are released.
        let input = InputSpec::new(32, 1.0);
        let cached = cache.pixels(&folder_config, input.size).usage();
        let expected_images = if cache_mb == 0 { 0 } else { data.test.len() };
        assert_eq!(cached.images, expected_images, "{cached:?}");
    }
}

fn small_config() -> RunConfig {
    RunConfig {
        classes_per_task: "5".into(),
        order: "seed:3".into(),
        epochs: 2,
        settings: crate::lae_settings(1, 0.9),
        batch: 8,
        flip: true,
        device: "cpu".into(),
        ..RunConfig::default()
    }
}

#[test]
fn cifar_records_and_image_folder_train_equally() {
    let fixture = DatasetFixture::new();
    write_cifar_records(&fixture, "data_batch_1.bin", 4, 1);
    write_cifar_records(&fixture, "test_batch.bin", 2, 900);
    let names = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n";
    fixture.write_file("batches.meta.txt", names);
    assert_same_run(&small_config(), fixture.path());
}

#[test]
fn published_cifar_100_and_image_folder_train_equally() {
    let Some(folder) = std::env::var_os("LAE_DATA") else {
        skip("LAE_DATA is not set");
        return;
    };
    let archive = Path::new(&folder).join("cifar-100-binary.tar.xz");
    if !archive.is_file() {
        skip(&format!("there is no {}", archive.display()));
        return;
    }
    let config = RunConfig {
        classes_per_task: "50".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        train_limit: Some(2),
        test_limit: Some(1),
        ..small_config()
    };
    assert_same_run(&config, &archive);
}

#[test]
fn validation_images_come_from_training_split() {
    let fixture = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        fixture.write_class(&format!("train/{class}"), 20).write_class(&format!("test/{class}"), 5);
    }
    let open = |share, seed| {
        let options =
            OpenOptions { validation_share: share, split_seed: seed, ..OpenOptions::default() };
        fixture.try_open(&options).unwrap()
    };
    let names = |samples: &[lae_studio::data::Sample]| -> Vec<String> {
        samples.iter().map(|s| s.source.path().unwrap().display().to_string()).collect()
    };
    let data = open(0.25, 0);
    assert_eq!((data.train.len(), data.test.len()), (60, 20));
    let (train, held_out) = (names(&data.train), names(&data.test));
    assert!(held_out.iter().all(|name| name.contains("train") && !train.contains(name)));
    assert_eq!(held_out, names(&open(0.25, 0).test), "equal seeds must give equal images");
    assert_ne!(held_out, names(&open(0.25, 1).test));
    assert_says!(assumptions(&data), "remark-validation-images");
    let config = RunConfig {
        data: fixture.path().to_str().unwrap().into(),
        validation_share: 0.25,
        classes_per_task: "2".into(),
        order: "natural".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        ..small_config()
    };
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config, &ResourceCache::default(), root.path());
    let header = &run.header;
    assert_eq!(header.train_images, [30, 30]);
    assert_eq!(header.test_images, [10, 10]);
    let summary = store::summary(&run);
    assert_eq!(summary.measured_on, "validation");
    assert!(header.title().contains("validation"));
}

#[test]
fn copies_stay_in_one_split() {
    let fixture = DatasetFixture::new();
    fixture.write_class("cat", 10).write_class("dog", 10).write_class("same", 1);
    let copy = |from: &str, to: &str| {
        std::fs::copy(fixture.path().join(from), fixture.path().join(to)).unwrap();
    };
    for number in 0..10 {
        copy(&format!("cat/{number:03}.png"), &format!("cat/copy{number}.png"));
    }
    // One image under two labels, and a class whose images are all copies.
    copy("dog/000.png", "cat/dog.png");
    copy("same/000.png", "same/copy.png");
    let open = |copies_together, split_seed, validation_share| {
        let options =
            OpenOptions { copies_together, split_seed, validation_share, ..OpenOptions::default() };
        fixture.try_open(&options).unwrap()
    };
    let reports_copies = |data: &Dataset| {
        says!(assumptions(data), "remark-copies-moved")
            || says!(assumptions(data), "remark-near-copies-moved")
    };
    for seed in 0..5 {
        let ungrouped = open(false, seed, 0.0);
        assert!(!ungrouped.duplicates.is_empty() && !reports_copies(&ungrouped));
        let grouped = open(true, seed, 0.0);
        assert_eq!(grouped.duplicates, [], "seed {seed}");
        assert!(reports_copies(&grouped), "{:?}", grouped.assumed);
        let count_tested = |class| grouped.test.iter().filter(|s| s.class == class).count();
        assert!((3..=4).contains(&count_tested(0)), "{}", count_tested(0));
        assert_eq!((count_tested(1), count_tested(2)), (2, 0), "seed {seed}");
        let tuning = open(true, seed, 0.3);
        assert_eq!(tuning.duplicates, [], "seed {seed}");
        assert!(tuning.test.iter().any(|sample| sample.class == 0));
    }
    let plain = DatasetFixture::new();
    plain.write_class("a", 20).write_class("b", 7);
    let open = |copies_together| {
        let options = OpenOptions { copies_together, ..OpenOptions::default() };
        plain.try_open(&options).unwrap()
    };
    let (with_option, without_option) = (open(true), open(false));
    assert_eq!(
        (&with_option.train, &with_option.test),
        (&without_option.train, &without_option.test)
    );
}

#[test]
fn fingerprints_detect_replaced_image_of_equal_length() {
    use lae_studio::data::{Check, FingerprintKind};
    let fixture = DatasetFixture::new();
    for class in ["a", "b"] {
        for split in ["train", "test"] {
            for number in 0..3_u8 {
                let path = fixture.path().join(format!("{split}/{class}/{number}.bmp"));
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                let shade = number * 8 + class.as_bytes()[0];
                let bitmap = image::RgbImage::from_pixel(9, 9, image::Rgb([shade; 3]));
                bitmap.save(path).unwrap();
            }
        }
    }
    let open_unchecked = || {
        let options = OpenOptions { check: Check::Never, ..OpenOptions::default() };
        fixture.try_open(&options).unwrap()
    };
    let open = fixture.open();
    let original_fingerprints = [open.fingerprints(), open_unchecked().fingerprints()];
    assert_eq!(
        original_fingerprints.each_ref().map(|p| p.kind),
        [FingerprintKind::Whole, FingerprintKind::Blocks]
    );
    let older = open.fingerprints_of_kind(FingerprintKind::Lengths);
    let content_fingerprints = original_fingerprints[0].clone();
    assert_eq!(open_unchecked().fingerprints_of_kind(FingerprintKind::Whole), content_fingerprints);
    let config = RunConfig {
        data: fixture.path().to_str().unwrap().into(),
        classes_per_task: "2".into(),
        order: "natural".into(),
        epochs: 1,
        batch: 4,
        settings: crate::frozen_epochs(0),
        ..small_config()
    };
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config, &ResourceCache::default(), root.path());
    assert_eq!(run.header.images, Some(content_fingerprints));
    // A different image of the same size.
    let replacement = image::RgbImage::from_pixel(9, 9, image::Rgb([250; 3]));
    replacement.save(fixture.path().join("test/a/1.bmp")).unwrap();
    for data in [&open, &fixture.open(), &open_unchecked()] {
        for original in &original_fingerprints {
            let current = data.fingerprints_of_kind(original.kind);
            assert_eq!(current.train, original.train);
            assert_ne!(current.test, original.test);
        }
        assert_eq!(data.fingerprints_of_kind(FingerprintKind::Lengths), older);
    }
}

#[test]
fn run_stores_class_order_read_from_file() {
    let fixture = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        fixture.write_class(class, 10);
    }
    fixture.write_file("order.json", r#"["c", "d", "a", "b"]"#);
    let config = RunConfig {
        data: fixture.path().to_str().unwrap().into(),
        order: fixture.path().join("order.json").to_str().unwrap().into(),
        classes_per_task: "1,2,1".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        batch: 4,
        ..small_config()
    };
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config, &ResourceCache::default(), root.path());
    assert_eq!(run.header.class_order, ["c", "d", "a", "b"]);
    assert_eq!(run.header.config.order, "2,3,0,1");
}
