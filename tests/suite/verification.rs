//! Packing and checking of runs: equal runs are equal to the last bit, and every change is found and named.

mod hostile;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lae_studio::experiment::verification::{CheckReport, CheckRequest, Part, Verdict, check_run};
use lae_studio::experiment::{self, ResourceCache};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Control;
use lae_studio::store;

use super::data::{DatasetFixture, write_image};
use super::{copy_folder, frozen_epochs};
use crate::assert_is;

/// Two tasks of two classes each, a moment's training.
fn tiny_config(data: &Path) -> RunConfig {
    RunConfig {
        data: data.to_string_lossy().into_owned(),
        classes_per_task: "2".into(),
        epochs: 1,
        batch: 4,
        device: "cpu".into(),
        settings: frozen_epochs(0),
        ..RunConfig::default()
    }
}

/// Images of four classes.
fn four_class_dataset() -> DatasetFixture {
    let dataset = DatasetFixture::new();
    for class in ["ant", "bee", "cat", "dog"] {
        dataset.write_class(&format!("train/{class}"), 4);
        dataset.write_class(&format!("test/{class}"), 3);
    }
    dataset
}

/// A run and its data, for tests that change neither.
fn trained_run() -> (&'static Path, &'static Path) {
    static RUN: OnceLock<(DatasetFixture, PathBuf)> = OnceLock::new();
    let (dataset, run) = RUN.get_or_init(|| {
        let dataset = four_class_dataset();
        let root = super::shared_folder();
        let run = train(&tiny_config(dataset.path()), &root);
        (dataset, run)
    });
    (dataset.path(), run)
}

fn train(config: &RunConfig, root: &Path) -> PathBuf {
    let control = Control::default();
    let outcome =
        experiment::train(config, root, &ResourceCache::default(), &mut Vec::new(), &control);
    outcome.unwrap().header().unwrap().folder.clone()
}

/// A copy of the run, to be changed.
fn copied_run() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("copy");
    copy_folder(trained_run().1, &run);
    (root, run)
}

fn check(run: &Path, request: &CheckRequest<'_>) -> CheckReport {
    let (cache, control) = (ResourceCache::default(), Control::default());
    let report = check_run(run, request, &cache, &mut Vec::new(), &control);
    report.unwrap().unwrap()
}

/// The parts that differ, in order, and their messages.
fn differing_parts(report: &CheckReport) -> Vec<(Part, &str)> {
    let differences = report.differences.iter();
    differences.map(|difference| (difference.part, difference.message.as_str())).collect()
}

/// Replaces a text in a file of a run, which must contain it.
fn replace(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn packed_run_unpacks_and_checks_as_equal() {
    let (data, run) = trained_run();
    let root = tempfile::tempdir().unwrap();
    let [first, second] = ["one.laerun.zip", "two.laerun.zip"].map(|name| root.path().join(name));
    let packed = store::pack(run, &first).unwrap();
    assert!(packed.files > 8 && !packed.omitted_images);
    // A copy with other file times and without a summary is the same run.
    let (_root, copy) = copied_run();
    std::fs::remove_file(copy.join("summary.json")).unwrap();
    let moved = copy.with_file_name(run.file_name().unwrap());
    std::fs::rename(&copy, &moved).unwrap();
    store::pack(&moved, &second).unwrap();
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap());
    // Nothing in it is a path.
    let data_folder = data.parent().unwrap().to_str().unwrap();
    for (name, bytes) in crate::fuzz::packing::unzip(&std::fs::read(&first).unwrap()) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(data_folder), "{name}: {text}");
    }
    let other = root.path().join("other");
    let unpacked = store::unpack(&first, &other).unwrap();
    assert_eq!(unpacked.folder.file_name(), run.file_name());
    let (original, restored) =
        (store::load_run(run).unwrap(), store::load_run(&unpacked.folder).unwrap());
    assert!(original.reports == restored.reports && original.plugin == restored.plugin);
    let name = data.file_name().unwrap().to_str().unwrap();
    assert_eq!(restored.header.config.data, name);

    let data_free_report = check(&unpacked.folder, &CheckRequest::default());
    assert_eq!(data_free_report.verdict(), Verdict::Equal, "{data_free_report:?}");
    assert!(data_free_report.unchecked[0].contains("--data"), "{data_free_report:?}");
    let report = check(
        &unpacked.folder,
        &CheckRequest { data: data.to_str(), train: true, ..CheckRequest::default() },
    );
    assert_eq!(report.verdict(), Verdict::Equal, "{report:?}");
    assert!(report.unchecked.is_empty() && report.unknown.is_empty(), "{report:?}");
    // Three experts after each task, of 6 and of 12 test images.
    let equal = report.equal.join("; ");
    assert!(equal.contains("54 answers, recomputed"), "{equal}");
    assert!(equal.contains("of 2 tasks, retrained"), "{equal}");
    assert!(equal.contains("28 images and their labels"), "{equal}");

    let problem = store::unpack(&first, &other).unwrap_err();
    assert_is(&problem, "problem-run-exists");
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
    // Another start of the same experiment is another run.
    let repeated = train(&tiny_config(data), &root.path().join("repeated"));
    store::pack(&repeated, &second).unwrap();
    let repeats = store::unpack(&second, &other).unwrap().repeats;
    assert_eq!(repeats.as_deref(), run.file_name().unwrap().to_str());
}

#[test]
fn check_reports_changed_plugin() {
    let (_root, run) = copied_run();
    let plugin = run.join("plugin.toml");
    let text = std::fs::read_to_string(&plugin).unwrap();
    std::fs::write(&plugin, format!("{text}\n# other\n")).unwrap();
    let report = check(&run, &CheckRequest::default());
    let [(Part::Plugin, message)] = differing_parts(&report)[..] else {
        panic!("{report:?}");
    };
    assert!(message.starts_with("plugin.toml has changed"), "{message}");
}

#[test]
fn check_reports_changed_weight_file() {
    let (data, run) = trained_run();
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("lae-nano.safetensors");
    let mut bytes =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lae-nano.safetensors")).unwrap();
    let request =
        CheckRequest { data: data.to_str(), weights: weights.to_str(), ..CheckRequest::default() };
    std::fs::write(&weights, &bytes).unwrap();
    assert_eq!(check(run, &request).verdict(), Verdict::Equal);
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, &bytes).unwrap();
    let report = check(run, &request);
    let [(Part::Weights, message)] = differing_parts(&report)[..] else {
        panic!("{report:?}");
    };
    assert!(message.contains(weights.to_str().unwrap()), "{message}");
    assert!(report.unchecked[0].contains("the answers"), "{report:?}");
}

#[test]
fn check_reports_changed_image_and_label() {
    let (data, run) = trained_run();
    let copy = tempfile::tempdir().unwrap();
    let request = CheckRequest { data: copy.path().to_str(), ..CheckRequest::default() };
    copy_folder(data, copy.path());
    assert_eq!(check(run, &request).verdict(), Verdict::Equal);
    write_image(&copy.path().join("train/bee/002.png"), "another");
    let report = check(run, &request);
    let [(Part::Picture, message)] = differing_parts(&report)[..] else {
        panic!("{report:?}");
    };
    assert!(message.contains("training image 3 of class `bee`, "), "{message}");
    assert!(message.contains("bee/002.png"), "{message}");
    // A test image that becomes one of another class.
    copy_folder(data, copy.path());
    let [from, to] = ["test/cat/001.png", "test/dog/009.png"].map(|name| copy.path().join(name));
    std::fs::rename(from, to).unwrap();
    let report = check(run, &request);
    let (part, message) = differing_parts(&report)[0];
    assert_eq!(part, Part::Picture);
    assert!(
        message.contains("class `cat` has 2 test images, not 3; they differ from image 2"),
        "{message}"
    );
}

#[test]
fn check_reports_changed_metric_and_answer() {
    let (data, _) = trained_run();
    let (_root, run) = copied_run();
    let metrics = std::fs::read_to_string(run.join("metrics.csv")).unwrap();
    let row = metrics.lines().nth(2).unwrap();
    let ensemble = row.split(',').nth(4).unwrap();
    let changed = row.replacen(&format!(",{ensemble},"), ",0.984375,", 1);
    // The first such cell may be another expert's: whichever it is, it is found.
    replace(&run.join("metrics.csv"), row, &changed);
    let report = check(&run, &CheckRequest::default());
    let [(Part::Figure, message)] = differing_parts(&report)[..] else {
        panic!("{report:?}");
    };
    assert!(message.contains("= 0.984375 after task 2, but "), "{message}");

    let (_root, run) = copied_run();
    let answers = run.join("confusion/task_2.csv");
    let text = std::fs::read_to_string(&answers).unwrap();
    let line = text.lines().nth(5).unwrap();
    let mut cells: Vec<&str> = line.split(',').collect();
    let sample = cells[0].to_string();
    cells[4] = if cells[4] == "0" { "1" } else { "0" };
    replace(&answers, line, &cells.join(","));
    let request = CheckRequest { data: data.to_str(), ..CheckRequest::default() };
    let report = check(&run, &request);
    assert_eq!(report.verdict(), Verdict::Differs);
    let differences = differing_parts(&report);
    assert!(differences[0].1.starts_with("confusion/task_2.csv has changed"), "{differences:?}");
    let (part, last) = *differences.last().unwrap();
    assert_eq!(part, Part::Answer);
    let picture = format!("after task 2, test image {sample} (");
    assert!(last.contains(&picture) && last.contains(", ensemble: stored "), "{last}");
}

#[test]
fn check_reports_changed_snapshot_even_without_hashes() {
    let (_root, run) = copied_run();
    let snapshot = run.join("task_1.safetensors");
    let mut bytes = std::fs::read(&snapshot).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&snapshot, &bytes).unwrap();
    let report = check(&run, &CheckRequest::default());
    let (part, message) = differing_parts(&report)[0];
    assert_eq!(part, Part::Snapshot);
    assert!(message.starts_with("task_1.safetensors has changed"), "{message}");
    // As written by a version without hashes: the snapshot contains its own hash.
    let metrics = run.join("metrics.csv");
    let text = std::fs::read_to_string(&metrics).unwrap();
    let rows_without_hashes = text.lines().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        [&cells[..20], &cells[22..]].concat().join(",") + "\n"
    });
    std::fs::write(&metrics, rows_without_hashes.collect::<String>()).unwrap();
    let report = check(&run, &CheckRequest::default());
    assert_eq!(differing_parts(&report)[0].0, Part::Snapshot, "{report:?}");
    assert!(report.unknown.iter().any(|what| what.contains("hashes of snapshots")));
}

#[test]
fn retraining_reveals_changed_setting() {
    let (data, _) = trained_run();
    let (_root, run) = copied_run();
    replace(&run.join("run.toml"), "base_lr = 0.01", "base_lr = 0.011");
    let request = CheckRequest { data: data.to_str(), train: true, ..CheckRequest::default() };
    let report = check(&run, &request);
    let (part, message) = differing_parts(&report)[0];
    assert_eq!(part, Part::Snapshot, "{report:?}");
    assert!(message.starts_with("retrained, after task 1: the tensor "), "{message}");
    assert!(message.contains(", not "), "{message}");
}

#[test]
fn check_compares_backbone_table_entry() {
    let (data, _) = trained_run();
    let (_root, run) = copied_run();
    replace(&run.join("provenance.toml"), "crop_ratio = 1", "crop_ratio = 0.5 # 1");
    let request = CheckRequest { data: data.to_str(), limit: Some(1), ..CheckRequest::default() };
    let report = check(&run, &request);
    let [(Part::Backbone, message)] = differing_parts(&report)[..] else {
        panic!("{report:?}");
    };
    assert!(message.starts_with("the crop ratio of the backbone is 1"), "{message}");
}

#[test]
fn check_tolerates_rounding_on_other_processor_only() {
    let (data, _) = trained_run();
    let (_root, run) = copied_run();
    let processor = lae_studio::device::processor_name();
    replace(&run.join("provenance.toml"), &processor, "Another Processor");
    let request = CheckRequest { data: data.to_str(), ..CheckRequest::default() };
    // What is equal is equal, wherever it was computed.
    assert_eq!(check(&run, &request).verdict(), Verdict::Equal);
    let answers = run.join("confusion/task_1.csv");
    let text = std::fs::read_to_string(&answers).unwrap();
    let line = text.lines().nth(1).unwrap();
    let mut cells: Vec<String> = line.split(',').map(String::from).collect();
    let score: f32 = cells[9].parse().unwrap();
    cells[9] = (score - 1e-5).to_string();
    replace(&answers, line, &cells.join(","));
    // Updates the stored hash.
    let hash = |run: &Path| lae_studio::fetch::sha256_of_file(&run.join("confusion/task_1.csv"));
    replace(&run.join("metrics.csv"), &hash(trained_run().1).unwrap(), &hash(&run).unwrap());
    let report = check(&run, &request);
    assert_eq!(report.verdict(), Verdict::EqualWithinRounding, "{report:?}");
    assert!(report.rounding[0].contains(": 0 of 18 answers"), "{report:?}");
    replace(&run.join("provenance.toml"), "Another Processor", &processor);
    assert_eq!(check(&run, &request).verdict(), Verdict::Differs);
}

#[test]
fn pack_rejects_run_in_use_and_full_disk() {
    let (_root, run) = copied_run();
    let to = run.with_file_name("a.laerun.zip");
    let open_run = store::RunFolder::open(&run).unwrap();
    let problem = store::pack(&run, &to).unwrap_err();
    assert_is(&problem, "problem-run-in-use-not-packed");
    drop(open_run);
    let unwritable = run.with_file_name("nowhere").join("a.laerun.zip");
    assert!(store::pack(&run, &unwritable).is_err());
    assert!(store::pack(&run.join("confusion"), &to).is_err() && !to.exists());
    store::pack(&run, &to).unwrap();
    #[cfg(target_os = "linux")]
    {
        let problem = store::pack(&run, Path::new("/dev/full")).unwrap_err();
        assert_says!(problem.remedy, "advice-free-disk-space");
    }
}

#[test]
fn packs_and_checks_run_of_older_version() {
    let old_run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("old");
    copy_folder(&old_run, &run);
    let file = root.path().join("old.laerun.zip");
    store::pack(&run, &file).unwrap();
    let other = root.path().join("other");
    let unpacked = store::unpack(&file, &other).unwrap().folder;
    for name in ["run.toml", "metrics.csv", "task_2.safetensors", "resume/checkpoint.safetensors"] {
        let [original, restored] =
            [&old_run, &unpacked].map(|run| std::fs::read(run.join(name)).unwrap());
        assert!(original == restored, "{name}");
    }
    let report = check(&unpacked, &CheckRequest::default());
    // It was computed elsewhere.
    assert_ne!(report.verdict(), Verdict::Differs, "{report:?}");
    for what in ["hash of the plugin", "content of the images", "processor's type"] {
        assert!(report.unknown.iter().any(|unknown| unknown.contains(what)), "{what}: {report:?}");
    }
}
