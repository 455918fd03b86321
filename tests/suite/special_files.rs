//! Pipes, devices, links and sparse files instead of regular files.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use lae_studio::golden::{self, Tolerance};
use lae_studio::nn::WeightPlacement;
use lae_studio::problem::Problem;
use lae_studio::run::annotations::Annotations;
use lae_studio::session::lessons;
use lae_studio::store::{self, RunFolder, StoredState};
use lae_studio::texts::Language;
use lae_studio::{backbone, data, fetch, run, tensors, ui};

use crate::assert_is;
use crate::data::DatasetFixture;
use crate::store::{header, report};

/// Creates a pipe without a writer, a link to an endless device, and a sparse file of 1 TiB.
fn create_special_files(folder: &Path) -> [PathBuf; 3] {
    let [pipe, zero, sparse] = ["pipe", "zero", "sparse"].map(|name| folder.join(name));
    let status = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(status.unwrap().success());
    symlink("/dev/zero", &zero).unwrap();
    File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
    [pipe, zero, sparse]
}

/// Returns the result of `work`; panics if it hangs.
fn with_timeout<T: Send + 'static>(label: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(crate::TIMEOUT).unwrap_or_else(|_| panic!("{label} hangs"))
}

/// One way to read a file of each kind.
type Reader = fn(&Path) -> Option<Problem>;

const READERS: [(&str, Reader); 11] = [
    ("corrected labels", |path| store::read_corrections(path).err()),
    ("lesson of a teacher", |path| {
        let lesson_path = path.with_extension("md").display().to_string();
        lessons::open(&lesson_path, Language::English).err()
    }),
    ("class order", |path| {
        data::scenario::ClassOrder::parse(&path.with_extension("json").display().to_string()).err()
    }),
    ("crop boxes", |path| data::export::CropBoxes::from_file(path).err()),
    ("weights", |path| backbone::weights::open(path).err()),
    ("tensors", |path| tensors::load(path, "read it").err()),
    ("picture", |path| data::decode_image_file(path, 16).err()),
    ("picture's size", |path| data::image_size(path).err()),
    ("data set", |path| {
        let options = data::OpenOptions::default();
        data::Dataset::open(&path.display().to_string(), &options).err()
    }),
    ("hash", |path| match path.ends_with("sparse") {
        // Hashing reads a large file to its end.
        true => Some(Problem::new("left out")),
        false => fetch::sha256_of_file(path).err(),
    }),
    ("golden file", |path| {
        let weight_placement = WeightPlacement::from(&burn::tensor::Device::flex());
        golden::check(path, &weight_placement, Tolerance::CPU).err()
    }),
];

#[test]
fn readers_reject_pipes_devices_and_sparse_files() {
    let folder = tempfile::tempdir().unwrap();
    for path in create_special_files(folder.path()) {
        for ending in ["json", "md"] {
            symlink(&path, path.with_extension(ending)).unwrap();
        }
        for (label, read) in READERS {
            let path_copy = path.clone();
            let problem = with_timeout(label, move || read(&path_copy));
            assert!(problem.is_some(), "{label} reads {}", path.display());
        }
    }
}

#[test]
fn dataset_opens_despite_special_files() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 4).write_class("b", 4);
    let outside = tempfile::tempdir().unwrap();
    for special in create_special_files(outside.path()) {
        for name in
            ["labels.csv", "train.txt", "classes.txt", "annotations.json", "a/odd.png", "odd.zip"]
        {
            let link = fixture.path().join(name);
            symlink(&special, &link).unwrap();
            let root = fixture.path().to_path_buf();
            let label = format!("{name} as {}", special.display());
            let result = with_timeout(&label, move || {
                data::Dataset::open(&root.display().to_string(), &data::OpenOptions::default())
            });
            fs::remove_file(&link).unwrap();
            let data = result.unwrap_or_else(|problem| panic!("{label}: {problem}"));
            assert_eq!(data.train.len() + data.test.len(), 8, "{label}");
            let skipped: Vec<_> = data.skipped.iter().map(|entry| &entry.path).collect();
            assert_eq!(skipped, [&link], "{label}");
        }
    }
}

#[test]
fn special_lesson_files_fail_without_hanging() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    let run = folder.path().to_path_buf();
    drop(folder);
    let outside = tempfile::tempdir().unwrap();
    let lesson = run.join("lessons/task_2");
    fs::create_dir_all(&lesson).unwrap();
    for special in create_special_files(outside.path()) {
        let file = lesson.join("lesson.toml");
        symlink(&special, &file).unwrap();
        for action in ["loading", "undoing"] {
            let path = run.clone();
            let result = with_timeout(action, move || match action {
                "loading" => store::load_run(&path).map(drop),
                _ => store::undo_added_task(&path).map(drop),
            });
            let label = format!("{action} {}", special.display());
            let problem = result.expect_err(&label);
            assert!(problem.place.contains("lesson.toml"), "{label}: {problem}");
            assert!(file.is_symlink(), "{label}: the file was deleted");
        }
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn list_of_runs_survives_special_files() {
    let root = tempfile::tempdir().unwrap();
    let mut good = header();
    let folder = RunFolder::create(root.path(), &mut good, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    let complete = folder.path().to_path_buf();
    drop(folder);
    let about = Annotations { name: "mine".into(), ..Annotations::default() };
    store::set_annotations(&complete, &about).unwrap();
    let files =
        ["run.toml", "metrics.csv", "lock", "plugin.toml", "confusion/task_1.csv", "about.toml"];
    for kind in 0..3 {
        for (number, file) in files.iter().enumerate() {
            let copy = root.path().join(format!("copy-{kind}-{number}"));
            fs::create_dir_all(copy.join("confusion")).unwrap();
            for name in files {
                fs::copy(complete.join(name), copy.join(name)).unwrap();
            }
            fs::remove_file(copy.join(file)).unwrap();
            let special_dir = tempfile::tempdir_in(&copy).unwrap().keep();
            fs::rename(&create_special_files(&special_dir)[kind], copy.join(file)).unwrap();
        }
    }
    let root_path = root.path().to_path_buf();
    let listed = with_timeout("the list", move || store::list_runs(&root_path));
    assert_eq!(listed.len(), 19);
    let readable = listed.iter().filter(|entry| entry.summary.is_ok());
    // A special lock file does not prevent reading; a special `about.toml` only loses the name.
    assert_eq!(readable.count(), 7);
    let nameless = listed.iter().filter(|entry| entry.remark.is_some());
    assert_eq!(nameless.count(), 3);
}

#[test]
fn run_folder_writes_nothing_through_links() {
    let outside = tempfile::tempdir().unwrap();
    let root = tempfile::tempdir().unwrap();
    let precious = outside.path().join("precious.txt");
    let partial = outside.path().join("mine.partial");
    for file in [&precious, &partial] {
        fs::write(file, "precious").unwrap();
    }
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    let path = folder.path().to_path_buf();
    fs::create_dir(path.join("confusion")).unwrap();
    for name in [
        "task_1.safetensors",
        "task_1.safetensors.partial",
        "confusion/task_1.csv",
        "metrics.csv.partial",
    ] {
        symlink(&precious, path.join(name)).unwrap();
    }
    folder.save_task(&report(0), &Default::default()).unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    assert!(!path.join("task_1.safetensors").is_symlink());
    let run = store::load_run(&path).unwrap();
    assert!(matches!(run.state, StoredState::Running));
    drop(folder);
    // A linked folder is neither cleaned nor written.
    fs::remove_dir_all(path.join("confusion")).unwrap();
    symlink(outside.path(), path.join("confusion")).unwrap();
    let problem = RunFolder::open(&path).unwrap_err();
    assert_is(&problem, "problem-run-folder-is-link");
    assert!(partial.exists());
    // No lock file is created through a link.
    fs::remove_file(path.join("confusion")).unwrap();
    fs::remove_file(path.join("lock")).unwrap();
    symlink(outside.path().join("made"), path.join("lock")).unwrap();
    assert!(RunFolder::open(&path).is_err());
    assert!(!outside.path().join("made").exists());
}

#[test]
fn settings_load_survives_special_files() {
    let folder = tempfile::tempdir().unwrap();
    for path in create_special_files(folder.path()) {
        let settings =
            with_timeout("the settings", move || ui::settings::Settings::load(Some(&path)));
        assert_eq!(settings.setup, None::<run::config::RunConfig>);
    }
}
