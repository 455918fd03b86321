//! Common mistakes of new users: each gives one problem with a remedy, or a dataset that skips and lists the bad
//! part.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::data::Made;
use crate::skip::skip;

fn run_program(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lae-studio"))
        .args(words)
        .output()
        .unwrap()
}

/// Returns the problem that `data` and `train` report for a bad dataset. Both report one problem with a remedy.
fn refused(path: &Path) -> String {
    let path = path.to_str().unwrap();
    let runs = tempfile::tempdir().unwrap();
    let train = [
        "train",
        "--data",
        path,
        "--device",
        "cpu",
        "--out",
        runs.path().to_str().unwrap(),
    ];
    let mut said = Vec::new();
    for words in [&["data", path][..], &train] {
        let output = run_program(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(output.stdout.is_empty());
        let text = String::from_utf8(output.stderr).unwrap();
        let problem: Vec<&str> = text
            .lines()
            .filter(|l| l.starts_with("problem: "))
            .collect();
        assert_eq!(problem.len(), 1, "{text}");
        assert!(
            text.lines().any(|l| l.starts_with("try: ") && l.len() > 15),
            "{text}"
        );
        said.push(problem[0].to_string());
    }
    assert_eq!(said[0], said[1]);
    let mut left = fs::read_dir(runs.path())
        .unwrap()
        .map(|e| e.unwrap().path());
    assert!(
        left.all(|path| path.ends_with("log")),
        "no run folder is created"
    );
    said.remove(0)
}

fn accepted(path: &Path) -> String {
    let output = run_program(&["data", path.to_str().unwrap()]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn rejects_folders_without_images() {
    let made = Made::new();
    assert_says!(refused(made.path()), "problem-folder-empty");
    made.file("a/one.txt", "words")
        .file("b/two.txt", "words")
        .file("three.docx", "x");
    let said = refused(made.path());
    assert_says!(said, "problem-folder-without-images");
    assert_says!(
        refused(&made.path().join("nowhere")),
        "problem-dataset-not-found"
    );
    assert_says!(
        refused(&made.path().join("a/one.txt")),
        "problem-no-folder-or-archive"
    );
}

#[test]
fn rejects_single_class_but_accepts_single_image() {
    let made = Made::new();
    made.class("only", 5);
    assert_says!(refused(made.path()), "problem-only-one-class");
    made.class("alone", 1);
    let card = accepted(made.path());
    assert!(
        card.contains("2 classes, 5 training and 1 test image"),
        "{card}"
    );
    assert!(card.contains("too few") || card.contains("alone"), "{card}");
}

#[test]
fn skips_broken_jpeg_and_lists_its_name() {
    let made = Made::new();
    made.class("a", 3).class("b", 3);
    made.file("b/broken.jpg", b"\xff\xd8\xff\xe0 and no more");
    let card = accepted(made.path());
    assert!(
        card.contains("skipped: 1 file\n") && card.contains("broken.jpg"),
        "{card}"
    );
}

#[test]
fn reports_tables_and_lists_with_missing_images() {
    let made = Made::new();
    made.pictures(&["1.png", "2.png", "3.png", "4.png"]);
    made.file("labels.csv", "picture,colour\nx,red\ny,blue\n");
    let said = refused(made.path());
    assert_says!(
        said,
        "problem-table-without-matching-images",
        table = "labels.csv"
    );
    made.file(
        "labels.csv",
        "file,label\n1.png,a\n2.png,b\n3.png,a\n4.png,b\ngone.png,a\n",
    );
    let card = accepted(made.path());
    assert!(
        card.contains("2 classes") && card.contains("gone.png"),
        "{card}"
    );
    let lists = Made::new();
    lists.class("a", 2).class("b", 2);
    lists.file("train_list.txt", "a/000.png 0\nb/000.png 1\na/lost.png 0\n");
    lists.file("val_list.txt", "a/001.png 0\nb/001.png 1\nb/gone.png 1\n");
    let card = accepted(lists.path());
    assert!(
        card.contains("2 training and 2 test") && card.contains("lost.png"),
        "{card}"
    );
}

#[test]
fn accepts_spaces_and_unicode_in_names() {
    let made = Made::new();
    for class in ["süße Katzen", "собаки 2", "鳥 🐦"] {
        made.class(&format!("meine Bilder (neu)/{class}"), 4);
    }
    let card = accepted(&made.path().join("meine Bilder (neu)"));
    assert!(
        card.contains("3 classes") && card.contains("鳥 🐦"),
        "{card}"
    );
}

#[cfg(unix)]
#[test]
fn reports_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let made = Made::new();
    made.class("a", 3).class("b", 3).class("closed", 3);
    let closed = made.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&closed).is_ok() {
        skip("this user can read everything");
        return;
    }
    let card = accepted(made.path());
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        card.contains("2 classes") && card.contains("closed"),
        "{card}"
    );
}

#[test]
fn paper_presets_explain_how_to_get_data() {
    let cache = tempfile::tempdir().unwrap();
    for (preset, words) in [
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
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(words), "{preset}: {said}");
    }
    let output = run_program(&["presets", "--json", "-"]);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |name: &str| {
        let mut all = list.as_array().unwrap().iter();
        all.find(|preset| preset["name"] == name).unwrap().clone()
    };
    assert_eq!(named("cifar100-20")["config"]["classes_per_task"], "5");
    assert_eq!(named("imagenet-r-10")["orders"][2], "imagenet-r_order3");
    assert_eq!(
        run_program(&["train", "--preset", "x", "--config", "y"])
            .status
            .code(),
        Some(2)
    );
}
