//! Runs that are killed, stopped, or lose their disk, and continue.

use std::process::Child;

use safetensors::tensor::Dtype;

use super::*;
use crate::backbone::files;
use crate::data::{Made, picture as picture_file};

#[cfg(unix)]
#[test]
fn killed_run_resumes_to_same_result() {
    let root = tempfile::tempdir().unwrap();
    let (whole, killed) = (root.path().join("whole"), root.path().join("killed"));
    let expected = json(&run_json(&[SLOWER, &["--quiet"]].concat(), &whole));
    let mut kills = 0;
    let words = [SLOWER, &["--quiet"]].concat();
    let mut child = program(&words, &killed).spawn().unwrap();
    // Kill it in the first task, in the middle of a later one, and right after a task was saved.
    for file in [
        "resume/checkpoint.safetensors",
        "confusion/task_1.csv",
        "task_2.safetensors",
    ] {
        wait_for(&mut child, || Some(first_run(&killed)?.join(file)));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let run = only_run(&killed);
        let listed = json(&run_json(&["runs"], &killed));
        assert_eq!(listed[0]["state"], "interrupted");
        assert!(listed[0]["epochs_done"].is_u64());
        let words = ["resume", run.to_str().unwrap(), "--quiet", "--json", "-"];
        child = program(&words, &killed)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(kills, 3);
    assert_eq!(essence(&json(&output)), essence(&expected));
    let files = [
        "task_1.safetensors",
        "task_3.safetensors",
        "confusion/task_3.csv",
    ];
    for file in files {
        let [a, b] =
            [&whole, &killed].map(|root| std::fs::read(only_run(root).join(file)).unwrap());
        assert!(a == b, "{file} differs");
    }
    assert!(!only_run(&killed).join("resume").exists());
    let again = refused(&["resume", "latest"], &killed);
    assert!(again.contains("finished"), "{again}");
}

/// `LAE_STUDIO_CHILD` makes the program exit when its stdin closes.
#[cfg(unix)]
#[test]
fn child_process_exits_when_stdin_closes() {
    let root = tempfile::tempdir().unwrap();
    let mut child = program(SLOWER, root.path())
        .env("LAE_STUDIO_CHILD", "1")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&mut child, || first_run(root.path()));
    drop(child.stdin.take());
    let end = Instant::now() + crate::PATIENCE;
    while child.try_wait().unwrap().is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = child.try_wait().unwrap().map(|status| status.success());
    let _ = child.kill();
    child.wait().unwrap();
    assert_eq!(
        ended,
        Some(false),
        "the child still runs or had already finished"
    );
}

/// Starts a run and waits for its first checkpoint.
#[cfg(unix)]
fn start_until_checkpoint(root: &Path) -> Child {
    let mut child = program(SLOWER, root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checkpoint = "resume/checkpoint.safetensors";
    wait_for(&mut child, || Some(first_run(root)?.join(checkpoint)));
    child
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_run_and_prints_resume_command() {
    let root = tempfile::tempdir().unwrap();
    // A path with a space, as application folders have on macOS.
    let root = root.path().join("Application Support");
    std::fs::create_dir(&root).unwrap();
    let child = start_until_checkpoint(&root);
    // Another process must not resume the run meanwhile.
    let busy = refused(&["resume", "latest"], &root);
    assert_says!(busy, "problem-run-in-use");
    let listed = json(&run_json(&["runs"], &root));
    assert_eq!(listed[0]["state"], "running");
    let said = stderr(&interrupt(child));
    let command = format!("lae-studio resume '{}/", root.display());
    assert!(said.contains(&command), "{said}");
    assert_eq!(
        json(&run_json(&["resume", "latest"], &root))["state"],
        "finished"
    );
}

/// Data folder and weights are renamed while a run is interrupted; then a class is added.
#[cfg(unix)]
#[test]
fn accepts_new_paths_of_moved_data_and_weights() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name).display().to_string();
    let made = Made::new();
    for class in ["a", "b", "c", "d"] {
        made.class(&format!("train/{class}"), 40)
            .class(&format!("test/{class}"), 3);
    }
    std::fs::rename(made.path(), at("images")).unwrap();
    files::safetensors(
        &files::vit(),
        Dtype::F32,
        &[],
        Path::new(&at("net.safetensors")),
    );
    let (data, net) = (at("images"), at("net.safetensors"));
    let words = [
        "train",
        "--data",
        &data,
        "--backbone",
        &net,
        "--device",
        "cpu",
        "--epochs",
        "20",
    ];
    let more = [
        "--classes-per-task",
        "2",
        "--freeze-epochs",
        "0",
        "--batch",
        "4",
        "--order",
        "seed:1",
        "--backbone-set",
        "heads=2,normalisation=unit",
    ];
    let runs = root.path().join("runs");
    let mut child = program(&[&words[..], &more[..]].concat(), &runs)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&mut child, || {
        let mut entries = std::fs::read_dir(&runs).ok()?.flatten();
        entries.find_map(|entry| {
            Some(entry.path().join("task_1.safetensors")).filter(|it| it.exists())
        })
    });
    let output = interrupt(child);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let (data, net) = (at("moved"), at("other.safetensors"));
    std::fs::rename(at("images"), &data).unwrap();
    std::fs::rename(at("net.safetensors"), &net).unwrap();
    let moved = ["--data", &data, "--weights", &net];
    let named = |words: &[&str]| run(&[words, &moved[..]].concat(), &runs);
    refused(&["resume", "latest", "--quiet"], &runs);
    for words in [&["worst", "latest"][..], &["inside", "latest"]] {
        let output = named(words);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{words:?}: {}",
            stderr(&output)
        );
    }
    let picture = format!("{data}/test/a/000.png");
    let output = named(&["predict", "latest", &picture]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["train/c99/0.png", "train/c99/1.png", "test/c99/0.png"] {
        picture_file(&Path::new(&data).join(name), name);
    }
    let said = stderr(&named(&["resume", "latest", "--quiet"]));
    assert_says!(said, "problem-dataset-has-new-classes", names = "c99");
    assert!(
        said.contains("--data") && !said.contains("--order"),
        "{said}"
    );
    for split in ["train", "test"] {
        std::fs::remove_dir_all(format!("{data}/{split}/c99")).unwrap();
    }
    let output = named(&["resume", "latest", "--quiet", "--json", "-"]);
    assert_eq!(json(&output)["state"], "finished");
}

/// Schedulers send SIGTERM before the time limit.
#[cfg(unix)]
#[test]
fn sigterm_saves_run() {
    let root = tempfile::tempdir().unwrap();
    let child = start_until_checkpoint(root.path());
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &id]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("termination requested") && said.contains("lae-studio resume"),
        "{said}"
    );
}

/// A limit on file sizes acts like a disk that fills up in the middle of a file.
#[cfg(target_os = "linux")]
#[test]
fn run_resumes_after_full_disk() {
    let root = tempfile::tempdir().unwrap();
    let limited = |words: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 40; exec \"$@\"", "sh"]);
        shell.arg(env!("CARGO_BIN_EXE_lae-studio")).args(words);
        shell.env("LAE_RUNS", root.path()).output().unwrap()
    };
    let output = limited(&[QUICK, &["--json", "-"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("could not save"),
        "{}",
        stderr(&output)
    );
    let folder = only_run(root.path());
    let left = |folder: &Path| {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path());
        entries
            .filter(|p| p.extension().is_some_and(|e| e == "partial"))
            .count()
    };
    assert_eq!(left(&folder) + left(&folder.join("resume")), 0);
    // With space again it resumes to the same result.
    let resumed = json(&run_json(&["resume", "latest", "--quiet"], root.path()));
    assert_eq!(essence(&resumed), essence(finished().1));
}

/// A folder at the checkpoint's path makes saving fail, as on a full disk.
#[cfg(unix)]
#[test]
fn failed_checkpoint_save_warns_and_continues() {
    let root = tempfile::tempdir().unwrap();
    let (runs, summary) = finished();
    let whole = runs.join(summary["run"].as_str().unwrap());
    let run = root.path().join("half");
    copy_folder(&whole, &run);
    std::fs::remove_file(run.join("metrics.csv")).unwrap();
    // This folder blocks the checkpoint.
    std::fs::create_dir_all(run.join("resume/checkpoint.safetensors.partial")).unwrap();
    let output = run_json(&["resume", "half"], root.path());
    let said = stderr(&output);
    assert_says!(said, "problem-epoch-not-saved");
    assert_eq!(essence(&json(&output)), essence(summary));
}

#[test]
fn run_resumes_on_another_device() {
    let root = tempfile::tempdir().unwrap();
    let (runs, summary) = finished();
    let whole = runs.join(summary["run"].as_str().unwrap());
    let run = root.path().join("half");
    copy_folder(&whole, &run);
    std::fs::remove_file(run.join("metrics.csv")).unwrap();
    // As if it had been started on a GPU that is missing now.
    let path = run.join("run.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("device = \"cpu\""), "{text}");
    std::fs::write(
        &path,
        text.replacen("device = \"cpu\"", "device = \"geforce 256\"", 1),
    )
    .unwrap();
    let said = refused(&["resume", "half"], root.path());
    assert!(said.contains("geforce 256"), "{said}");
    let resumed = json(&run_json(
        &["resume", "half", "--device", "cpu", "--quiet"],
        root.path(),
    ));
    assert_eq!(essence(&resumed), essence(summary));
    assert!(!std::fs::read_to_string(&path).unwrap().contains("geforce"));
}
