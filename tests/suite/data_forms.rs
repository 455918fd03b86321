//! The same images give the same run from CIFAR records and from an image folder, with and without an image cache.

use std::path::{Path, PathBuf};

use lae_studio::data::transform::InputSpec;
use lae_studio::data::{Dataset, OpenOptions, Watch, export};
use lae_studio::experiment::{self, ResourceCache, open_options};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Control;
use lae_studio::store::{self, StoredRun};

use super::data::{Made, assumed};
use crate::skip::skip;

/// Writes a CIFAR-10 binary file with `each` images per class: stripes and noise by class and number.
fn write_cifar_records(made: &Made, name: &str, each: usize, salt: u32) {
    let mut bytes = Vec::new();
    for number in 0..each {
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
    made.file(name, bytes);
}

/// Trains a run with these settings in `root`.
fn trained(config: &RunConfig, cache: &ResourceCache, root: &Path) -> StoredRun {
    let ended = experiment::train(config, root, cache, &mut Vec::new(), &Control::default());
    store::load(&ended.unwrap().header().unwrap().folder).unwrap()
}

/// Returns what must be equal in equal runs: answers and snapshots of every task.
fn outcome(config: &RunConfig, cache: &ResourceCache) -> Vec<(String, Vec<u8>)> {
    let root = tempfile::tempdir().unwrap();
    let stored = trained(config, cache, root.path());
    let folder = &stored.header.folder;
    let mut all: Vec<(String, Vec<u8>)> = stored
        .reports
        .iter()
        .map(|report| {
            let said = format!(
                "{:?} {}",
                report.answers, report.measurements["online_drift"]
            );
            (format!("answers {}", report.task), said.into_bytes())
        })
        .collect();
    for task in 0..stored.reports.len() {
        for (name, tensor) in store::load_snapshot(folder, task).unwrap() {
            let bits = tensor.values.iter().flat_map(|v| v.to_le_bytes()).collect();
            all.push((format!("{task} {name}"), bits));
        }
    }
    all
}

fn export_folder(data: &Dataset, to: &Path) -> PathBuf {
    export::folder(data, to, &Watch::none()).unwrap();
    to.to_path_buf()
}

fn assert_same_run(config: &RunConfig, records: &Path) {
    let with = |data: &Path, cache_mb| RunConfig {
        data: data.to_str().unwrap().into(),
        cache_mb,
        ..config.clone()
    };
    let of_records = with(records, 64);
    let data = Dataset::open(&of_records.data, &open_options(&of_records)).unwrap();
    let place = tempfile::tempdir().unwrap();
    let folder = export_folder(&data, &place.path().join("as folder"));
    let cache = ResourceCache::default();
    let expected = outcome(&of_records, &cache);
    assert!(expected.len() > 10);
    for cache_mb in [64, 0] {
        let of_folder = with(&folder, cache_mb);
        let cache = ResourceCache::default();
        let got = outcome(&of_folder, &cache);
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(&expected) {
            assert_eq!(got.0, expected.0);
            assert!(got.1 == expected.1, "{} differs with {cache_mb} MB", got.0);
        }
        // Only the test inputs stay cached; the training images are released.
        let input = InputSpec::new(32, 1.0);
        let kept = cache.pixels(&of_folder, input.size).usage();
        let tested = if cache_mb == 0 { 0 } else { data.test.len() };
        assert_eq!(kept.images, tested, "{kept:?}");
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
    let made = Made::new();
    write_cifar_records(&made, "data_batch_1.bin", 4, 1);
    write_cifar_records(&made, "test_batch.bin", 2, 900);
    let names = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n";
    made.file("batches.meta.txt", names);
    assert_same_run(&small_config(), made.path());
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
    let made = Made::new();
    for class in ["a", "b", "c", "d"] {
        made.class(&format!("train/{class}"), 20)
            .class(&format!("test/{class}"), 5);
    }
    let open = |share, seed| {
        let options = OpenOptions {
            validation_share: share,
            split_seed: seed,
            ..OpenOptions::default()
        };
        made.try_open(&options).unwrap()
    };
    let names = |samples: &[lae_studio::data::Sample]| -> Vec<String> {
        samples
            .iter()
            .map(|s| s.source.path().unwrap().display().to_string())
            .collect()
    };
    let data = open(0.25, 0);
    assert_eq!((data.train.len(), data.test.len()), (60, 20));
    let (train, held_out) = (names(&data.train), names(&data.test));
    assert!(
        held_out
            .iter()
            .all(|name| name.contains("train") && !train.contains(name))
    );
    assert_eq!(
        held_out,
        names(&open(0.25, 0).test),
        "equal seeds must give equal images"
    );
    assert_ne!(held_out, names(&open(0.25, 1).test));
    assert_says!(assumed(&data), "remark-validation-images");
    let config = RunConfig {
        data: made.path().to_str().unwrap().into(),
        validation_share: 0.25,
        classes_per_task: "2".into(),
        order: "natural".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        ..small_config()
    };
    let root = tempfile::tempdir().unwrap();
    let stored = trained(&config, &ResourceCache::default(), root.path());
    let header = &stored.header;
    assert_eq!(header.train_images, [30, 30]);
    assert_eq!(header.test_images, [10, 10]);
    let summary = store::summary(&stored);
    assert_eq!(summary.measured_on, "validation");
    assert!(header.title().contains("validation"));
}

#[test]
fn copies_stay_in_one_split() {
    let made = Made::new();
    made.class("cat", 10).class("dog", 10).class("same", 1);
    let copy = |from: &str, to: &str| {
        std::fs::copy(made.path().join(from), made.path().join(to)).unwrap();
    };
    for number in 0..10 {
        copy(
            &format!("cat/{number:03}.png"),
            &format!("cat/copy{number}.png"),
        );
    }
    // One image under two labels, and a class whose images are all copies.
    copy("dog/000.png", "cat/dog.png");
    copy("same/000.png", "same/copy.png");
    let open = |copies_together, split_seed, validation_share| {
        let options = OpenOptions {
            copies_together,
            split_seed,
            validation_share,
            ..OpenOptions::default()
        };
        made.try_open(&options).unwrap()
    };
    let told = |data: &Dataset| {
        says!(assumed(data), "remark-copies-moved")
            || says!(assumed(data), "remark-near-copies-moved")
    };
    for seed in 0..5 {
        let apart = open(false, seed, 0.0);
        assert!(!apart.duplicates.is_empty() && !told(&apart));
        let together = open(true, seed, 0.0);
        assert_eq!(together.duplicates, [], "seed {seed}");
        assert!(told(&together), "{:?}", together.assumed);
        let tested = |class| together.test.iter().filter(|s| s.class == class).count();
        assert!((3..=4).contains(&tested(0)), "{}", tested(0));
        assert_eq!((tested(1), tested(2)), (2, 0), "seed {seed}");
        let tuning = open(true, seed, 0.3);
        assert_eq!(tuning.duplicates, [], "seed {seed}");
        assert!(tuning.test.iter().any(|sample| sample.class == 0));
    }
    let plain = Made::new();
    plain.class("a", 20).class("b", 7);
    let open = |copies_together| {
        let options = OpenOptions {
            copies_together,
            ..OpenOptions::default()
        };
        plain.try_open(&options).unwrap()
    };
    let (with, without) = (open(true), open(false));
    assert_eq!((&with.train, &with.test), (&without.train, &without.test));
}

#[test]
fn fingerprints_detect_replaced_image_of_equal_length() {
    use lae_studio::data::{Check, PrintKind};
    let made = Made::new();
    for class in ["a", "b"] {
        for split in ["train", "test"] {
            for number in 0..3_u8 {
                let place = made.path().join(format!("{split}/{class}/{number}.bmp"));
                std::fs::create_dir_all(place.parent().unwrap()).unwrap();
                let shade = number * 8 + class.as_bytes()[0];
                let picture = image::RgbImage::from_pixel(9, 9, image::Rgb([shade; 3]));
                picture.save(place).unwrap();
            }
        }
    }
    let never = || {
        let options = OpenOptions {
            check: Check::Never,
            ..OpenOptions::default()
        };
        made.try_open(&options).unwrap()
    };
    let open = made.open();
    let before = [open.fingerprints(), never().fingerprints()];
    assert_eq!(
        before.each_ref().map(|p| p.kind),
        [PrintKind::Whole, PrintKind::Blocks]
    );
    let older = open.fingerprints_of(PrintKind::Lengths);
    let whole = before[0].clone();
    assert_eq!(never().fingerprints_of(PrintKind::Whole), whole);
    let config = RunConfig {
        data: made.path().to_str().unwrap().into(),
        classes_per_task: "2".into(),
        order: "natural".into(),
        epochs: 1,
        batch: 4,
        settings: crate::frozen_epochs(0),
        ..small_config()
    };
    let root = tempfile::tempdir().unwrap();
    let stored = trained(&config, &ResourceCache::default(), root.path());
    assert_eq!(stored.header.images, Some(whole));
    // A different image of the same size.
    let picture = image::RgbImage::from_pixel(9, 9, image::Rgb([250; 3]));
    picture.save(made.path().join("test/a/1.bmp")).unwrap();
    for data in [&open, &made.open(), &never()] {
        for known in &before {
            let now = data.fingerprints_of(known.kind);
            assert_eq!(now.train, known.train);
            assert_ne!(now.test, known.test);
        }
        assert_eq!(data.fingerprints_of(PrintKind::Lengths), older);
    }
}

#[test]
fn run_stores_class_order_read_from_file() {
    let made = Made::new();
    for class in ["a", "b", "c", "d"] {
        made.class(class, 10);
    }
    made.file("order.json", r#"["c", "d", "a", "b"]"#);
    let config = RunConfig {
        data: made.path().to_str().unwrap().into(),
        order: made.path().join("order.json").to_str().unwrap().into(),
        classes_per_task: "1,2,1".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        batch: 4,
        ..small_config()
    };
    let root = tempfile::tempdir().unwrap();
    let stored = trained(&config, &ResourceCache::default(), root.path());
    assert_eq!(stored.header.class_order, ["c", "d", "a", "b"]);
    assert_eq!(stored.header.config.order, "2,3,0,1");
}
