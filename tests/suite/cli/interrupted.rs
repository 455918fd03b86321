//! Runs that are killed, stopped, or lose their disk, and continue.

use std::process::Child;

use safetensors::tensor::Dtype;

use super::*;
use crate::backbone::files;
use crate::data::{DatasetFixture, write_image as picture_file};

#[cfg(unix)]
#[test]
fn killed_run_resumes_to_same_result() {
    let root = tempfile::tempdir().unwrap();
    let (uninterrupted, killed) = (root.path().join("whole"), root.path().join("killed"));
    let expected = json(&run_json(&[SLOWER, &["--quiet"]].concat(), &uninterrupted));
    let mut kills = 0;
    let words = [SLOWER, &["--quiet"]].concat();
    let mut child = program_command(&words, &killed).spawn().unwrap();
    // Kill it in the first task, in the middle of a later one, and right after a task was saved.
    for file in ["resume/checkpoint.safetensors", "confusion/task_1.csv", "task_2.safetensors"] {
        wait_for(&mut child, || Some(first_run(&killed)?.join(file)));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let run = only_run(&killed);
        let listed = json(&run_json(&["runs"], &killed));
        assert_eq!(listed[0]["state"], "interrupted");
        assert!(listed[0]["epochs_done"].is_u64());
        let words = ["resume", run.to_str().unwrap(), "--quiet", "--json", "-"];
        child = program_command(&words, &killed).stdout(Stdio::piped()).spawn().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(kills, 3);
    assert_eq!(essence(&json(&output)), essence(&expected));
    let files = ["task_1.safetensors", "task_3.safetensors", "confusion/task_3.csv"];
    for file in files {
        let [a, b] =
            [&uninterrupted, &killed].map(|root| std::fs::read(only_run(root).join(file)).unwrap());
        assert!(a == b, "{file} differs");
    }
    assert!(!only_run(&killed).join("resume").exists());
    let message = run_expecting_error(&["resume", "latest"], &killed);
    assert!(message.contains("finished"), "{message}");
}

/// `LAE_STUDIO_CHILD` makes the program exit when its stdin closes.
#[cfg(unix)]
#[test]
fn child_process_exits_when_stdin_closes() {
    let root = tempfile::tempdir().unwrap();
    let mut child = program_command(SLOWER, root.path())
        .env("LAE_STUDIO_CHILD", "1")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&mut child, || first_run(root.path()));
    drop(child.stdin.take());
    let end = Instant::now() + crate::TIMEOUT;
    while child.try_wait().unwrap().is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let success = child.try_wait().unwrap().map(|status| status.success());
    let _ = child.kill();
    child.wait().unwrap();
    assert_eq!(success, Some(false), "the child still runs or had already finished");
}

/// Starts a run and waits for its first checkpoint.
#[cfg(unix)]
fn start_until_checkpoint(root: &Path) -> Child {
    let mut child = program_command(SLOWER, root)
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
    let busy = run_expecting_error(&["resume", "latest"], &root);
    assert_says!(busy, "problem-run-in-use");
    let listed = json(&run_json(&["runs"], &root));
    assert_eq!(listed[0]["state"], "running");
    let stderr_text = stderr(&interrupt(child));
    let command = format!("lae-studio resume '{}/", root.display());
    assert!(stderr_text.contains(&command), "{stderr_text}");
    assert_eq!(json(&run_json(&["resume", "latest"], &root))["state"], "finished");
}

/// Data folder and weights are renamed while a run is interrupted; then a class is added.
#[cfg(unix)]
#[test]
fn accepts_new_paths_of_moved_data_and_weights() {
    let root = tempfile::tempdir().unwrap();
    let path_text = |name: &str| root.path().join(name).display().to_string();
    let dataset = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        dataset.write_class(&format!("train/{class}"), 40).write_class(&format!("test/{class}"), 3);
    }
    std::fs::rename(dataset.path(), path_text("images")).unwrap();
    files::write_safetensors(
        &files::vit(),
        Dtype::F32,
        &[],
        Path::new(&path_text("net.safetensors")),
    );
    let (data, net) = (path_text("images"), path_text("net.safetensors"));
    let words = ["train", "--data", &data, "--backbone", &net, "--device", "cpu", "--epochs", "20"];
    let options = [
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
    let mut child = program_command(&[&words[..], &options[..]].concat(), &runs)
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
    let (data, net) = (path_text("moved"), path_text("other.safetensors"));
    std::fs::rename(path_text("images"), &data).unwrap();
    std::fs::rename(path_text("net.safetensors"), &net).unwrap();
    let new_paths = ["--data", &data, "--weights", &net];
    let run_with_new_paths = |words: &[&str]| run(&[words, &new_paths[..]].concat(), &runs);
    run_expecting_error(&["resume", "latest", "--quiet"], &runs);
    for command in ["worst", "inside", "check"] {
        let output = run(&[command, "latest"], &runs);
        assert_eq!(output.status.code(), Some(1), "{command}: {}", stderr(&output));
    }
    for words in [&["worst", "latest"][..], &["inside", "latest"]] {
        let output = run_with_new_paths(words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
    }
    let image = format!("{data}/test/a/000.png");
    let output = run_with_new_paths(&["predict", "latest", &image]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["train/c99/0.png", "train/c99/1.png", "test/c99/0.png"] {
        picture_file(&Path::new(&data).join(name), name);
    }
    let stderr_text = stderr(&run_with_new_paths(&["resume", "latest", "--quiet"]));
    assert_says!(stderr_text, "problem-dataset-has-new-classes", names = "c99");
    assert!(stderr_text.contains("--data") && !stderr_text.contains("--order"), "{stderr_text}");
    for split in ["train", "test"] {
        std::fs::remove_dir_all(format!("{data}/{split}/c99")).unwrap();
    }
    let output = run_with_new_paths(&["resume", "latest", "--quiet", "--json", "-"]);
    assert_eq!(json(&output)["state"], "finished");
}

/// Schedulers send SIGTERM before the time limit.
#[cfg(unix)]
#[test]
fn sigterm_saves_run() {
    let root = tempfile::tempdir().unwrap();
    let child = start_until_checkpoint(root.path());
    let id = child.id().to_string();
    let status = Command::new("kill").args(["-TERM", &id]).status();
    assert!(status.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr_text = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{stderr_text}");
    assert!(
        stderr_text.contains("termination requested") && stderr_text.contains("lae-studio resume"),
        "{stderr_text}"
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
    assert!(stderr(&output).contains("could not save"), "{}", stderr(&output));
    let folder = only_run(root.path());
    let partial_files = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        entries.filter(|p| p.extension().is_some_and(|e| e == "partial")).count()
    };
    assert_eq!(partial_files(&folder) + partial_files(&folder.join("resume")), 0);
    // With space again it resumes to the same result.
    let resumed = json(&run_json(&["resume", "latest", "--quiet"], root.path()));
    assert_eq!(essence(&resumed), essence(finished_run().1));
}

/// A folder at the checkpoint's path makes saving fail, as on a full disk.
#[cfg(unix)]
#[test]
fn failed_checkpoint_save_warns_and_continues() {
    let root = tempfile::tempdir().unwrap();
    let (runs, summary) = finished_run();
    let source = runs.join(summary["run"].as_str().unwrap());
    let run = root.path().join("half");
    copy_folder(&source, &run);
    std::fs::remove_file(run.join("metrics.csv")).unwrap();
    std::fs::remove_dir_all(run.join("confusion")).unwrap();
    // This folder blocks the checkpoint.
    std::fs::create_dir_all(run.join("resume/checkpoint.safetensors.partial")).unwrap();
    let output = run_json(&["resume", "half"], root.path());
    let stderr_text = stderr(&output);
    assert_says!(stderr_text, "problem-epoch-not-saved");
    assert_eq!(essence(&json(&output)), essence(summary));
}

#[test]
fn run_resumes_on_another_device() {
    let root = tempfile::tempdir().unwrap();
    let (runs, summary) = finished_run();
    let source = runs.join(summary["run"].as_str().unwrap());
    let run = root.path().join("half");
    copy_folder(&source, &run);
    std::fs::remove_file(run.join("metrics.csv")).unwrap();
    std::fs::remove_dir_all(run.join("confusion")).unwrap();
    // As if it had been started on a GPU that is missing now.
    let path = run.join("run.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("device = \"cpu\""), "{text}");
    std::fs::write(&path, text.replacen("device = \"cpu\"", "device = \"geforce 256\"", 1))
        .unwrap();
    let message = run_expecting_error(&["resume", "half"], root.path());
    assert!(message.contains("geforce 256"), "{message}");
    let resumed = json(&run_json(&["resume", "half", "--device", "cpu", "--quiet"], root.path()));
    assert_eq!(essence(&resumed), essence(summary));
    assert!(!std::fs::read_to_string(&path).unwrap().contains("geforce"));
}
