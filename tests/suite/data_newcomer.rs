//! Common mistakes of new users: each gives one problem with a remedy, or a dataset that skips and lists the bad
//! part.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::data::DatasetFixture;
use crate::skip::skip;

fn run_program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lae-studio")).args(args).output().unwrap()
}

/// Returns the problem that `data` and `train` report for a bad dataset. Both report one problem with a remedy.
fn expect_problem(path: &Path) -> String {
    let path = path.to_str().unwrap();
    let runs = tempfile::tempdir().unwrap();
    let train =
        ["train", "--data", path, "--device", "cpu", "--out", runs.path().to_str().unwrap()];
    let mut problems = Vec::new();
    for args in [&["data", path][..], &train] {
        let output = run_program(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(output.stdout.is_empty());
        let text = String::from_utf8(output.stderr).unwrap();
        let problem: Vec<&str> = text.lines().filter(|l| l.starts_with("problem: ")).collect();
        assert_eq!(problem.len(), 1, "{text}");
        assert!(text.lines().any(|l| l.starts_with("try: ") && l.len() > 15), "{text}");
        problems.push(problem[0].to_string());
    }
    assert_eq!(problems[0], problems[1]);
    let mut remaining = fs::read_dir(runs.path()).unwrap().map(|e| e.unwrap().path());
    assert!(remaining.all(|path| path.ends_with("log")), "no run folder is created");
    problems.remove(0)
}

fn expect_success(path: &Path) -> String {
    let output = run_program(&["data", path.to_str().unwrap()]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn rejects_folders_without_images() {
    let fixture = DatasetFixture::new();
    assert_says!(expect_problem(fixture.path()), "problem-folder-empty");
    fixture
        .write_file("a/one.txt", "words")
        .write_file("b/two.txt", "words")
        .write_file("three.docx", "x");
    let problem = expect_problem(fixture.path());
    assert_says!(problem, "problem-folder-without-images");
    assert_says!(expect_problem(&fixture.path().join("nowhere")), "problem-dataset-not-found");
    assert_says!(expect_problem(&fixture.path().join("a/one.txt")), "problem-no-folder-or-archive");
}

#[test]
fn rejects_single_class_but_accepts_single_image() {
    let fixture = DatasetFixture::new();
    fixture.write_class("only", 5);
    assert_says!(expect_problem(fixture.path()), "problem-only-one-class");
    fixture.write_class("alone", 1);
    let report = expect_success(fixture.path());
    assert!(report.contains("2 classes, 5 training and 1 test image"), "{report}");
    assert!(report.contains("too few") || report.contains("alone"), "{report}");
}

#[test]
fn skips_broken_jpeg_and_lists_its_name() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 3).write_class("b", 3);
    fixture.write_file("b/broken.jpg", b"\xff\xd8\xff\xe0 and no more");
    let report = expect_success(fixture.path());
    assert!(report.contains("skipped: 1 file\n") && report.contains("broken.jpg"), "{report}");
}

#[test]
fn reports_tables_and_lists_with_missing_images() {
    let fixture = DatasetFixture::new();
    fixture.write_images(&["1.png", "2.png", "3.png", "4.png"]);
    fixture.write_file("labels.csv", "picture,colour\nx,red\ny,blue\n");
    let problem = expect_problem(fixture.path());
    assert_says!(problem, "problem-table-without-matching-images", table = "labels.csv");
    fixture
        .write_file("labels.csv", "file,label\n1.png,a\n2.png,b\n3.png,a\n4.png,b\ngone.png,a\n");
    let report = expect_success(fixture.path());
    assert!(report.contains("2 classes") && report.contains("gone.png"), "{report}");
    let lists = DatasetFixture::new();
    lists.write_class("a", 2).write_class("b", 2);
    lists.write_file("train_list.txt", "a/000.png 0\nb/000.png 1\na/lost.png 0\n");
    lists.write_file("val_list.txt", "a/001.png 0\nb/001.png 1\nb/gone.png 1\n");
    let report = expect_success(lists.path());
    assert!(report.contains("2 training and 2 test") && report.contains("lost.png"), "{report}");
}

#[test]
fn accepts_spaces_and_unicode_in_names() {
    let fixture = DatasetFixture::new();
    for class in ["süße Katzen", "собаки 2", "鳥 🐦"] {
        fixture.write_class(&format!("meine Bilder (neu)/{class}"), 4);
    }
    let report = expect_success(&fixture.path().join("meine Bilder (neu)"));
    assert!(report.contains("3 classes") && report.contains("鳥 🐦"), "{report}");
}

#[cfg(unix)]
#[test]
fn reports_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 3).write_class("b", 3).write_class("closed", 3);
    let closed = fixture.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&closed).is_ok() {
        skip("this user can read everything");
        return;
    }
    let report = expect_success(fixture.path());
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(report.contains("2 classes") && report.contains("closed"), "{report}");
}

#[test]
fn paper_presets_explain_how_to_get_data() {
    let cache = tempfile::tempdir().unwrap();
    for (preset, expected) in [
        ("cifar100-10", "lae-studio data cifar-100 --download"),
        ("imagenet-r-20", "lae-studio data imagenet-r --download"),
        ("domainnet-5", "(clipart_train.txt, …)"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lae-studio"))
            .args(["train", "--preset", preset, "--device", "cpu", "--out"])
            .arg(cache.path())
            .env("LAE_STUDIO_CACHE", cache.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{preset}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{preset}: {stderr}");
    }
    let output = run_program(&["presets", "--json", "-"]);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let find_preset = |name: &str| {
        let mut presets = list.as_array().unwrap().iter();
        presets.find(|preset| preset["name"] == name).unwrap().clone()
    };
    assert_eq!(find_preset("cifar100-20")["config"]["classes_per_task"], "5");
    assert_eq!(find_preset("imagenet-r-10")["orders"][2], "imagenet-r_order3");
    assert_eq!(run_program(&["train", "--preset", "x", "--config", "y"]).status.code(), Some(2));
}
