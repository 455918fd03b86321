//! The program as a script sees it: exit codes, stdout, stderr, JSON, kills and bad input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{copy_folder, shared_folder};
use crate::skip::skip;

mod bench;
mod export;
#[cfg(target_os = "linux")]
mod full;
mod glossary;
mod gpu_selftest;
mod grid;
mod grid_devices;
#[cfg(target_os = "linux")]
mod grid_places;
mod grid_search;
mod initial_lora;
mod interrupted;
mod log;
#[cfg(target_os = "linux")]
mod offline;
mod pack;
mod paper;
#[cfg(target_os = "linux")]
mod places;
mod portable;
mod predict;
mod runs;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod slurm;
mod tables;
mod teach;
mod trials;
#[cfg(target_os = "linux")]
mod window_places;
mod worst;
mod wrong;

/// Settings that train the embedded digits in a moment.
const QUICK: &[&str] = &[
    "train",
    "--data",
    "digits",
    "--epochs",
    "1",
    "--freeze-epochs",
    "0",
    "--train-limit",
    "24",
    "--test-limit",
    "6",
    "--device",
    "cpu",
];

/// Settings slow enough to be interrupted, with frozen epochs and an offline expert.
#[cfg(unix)]
const SLOWER: &[&str] = &[
    "train",
    "--data",
    "digits",
    "--epochs",
    "3",
    "--freeze-epochs",
    "1",
    "--train-limit",
    "72",
    "--test-limit",
    "6",
    "--device",
    "cpu",
    "--classes-per-task",
    "4,3,3",
];

/// Mesa's shader cache, shared by all tests and later runs: compiling takes three times as long as the test's own
/// work.
fn shader_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("shaders")
}

fn program_command(words: &[&str], runs: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lae-studio"));
    command
        .args(words)
        .env("LAE_RUNS", runs)
        .env("HOME", runs)
        .env("XDG_DATA_HOME", runs.join("data"))
        .env("XDG_CONFIG_HOME", runs.join("config"))
        .env("XDG_CACHE_HOME", runs.join("cache"))
        .env("MESA_SHADER_CACHE_DIR", shader_cache())
        .stdin(Stdio::null());
    command
}

fn run(words: &[&str], runs: &Path) -> Output {
    program_command(words, runs).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a command that must end in a `Problem`; returns its stderr.
fn run_expecting_error(words: &[&str], runs: &Path) -> String {
    let output = run(words, runs);
    let stderr_text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{words:?}: {stderr_text}");
    assert!(stderr_text.contains("problem: "), "{stderr_text}");
    assert!(!stderr_text.contains("panicked"), "{stderr_text}");
    stderr_text
}

/// A finished run that several tests read, and copy before they change it.
fn finished_run() -> (&'static Path, &'static Value) {
    static RUN: OnceLock<(PathBuf, Value)> = OnceLock::new();
    let (root, json) = RUN.get_or_init(|| {
        let root = shared_folder();
        let words = [QUICK, &["--json", "-", "--quiet"]].concat();
        let json = json(&run(&words, &root));
        (root, json)
    });
    (root, json)
}

/// The only run below a folder.
fn only_run(root: &Path) -> PathBuf {
    let entries = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path());
    let mut entries = entries.filter(|path| !path.ends_with("log"));
    let run = entries.next().unwrap();
    assert!(entries.next().is_none());
    run
}

/// Drivers that are queried in this process must print no warnings.
#[cfg(target_os = "linux")]
#[test]
fn gpu_list_prints_nothing_to_stderr() {
    let runs = tempfile::tempdir().unwrap();
    for folder in [None, Some("not/absolute")] {
        let mut list = program_command(&["gpu-list"], runs.path());
        list.env_remove("XDG_RUNTIME_DIR").envs(folder.map(|f| ("XDG_RUNTIME_DIR", f)));
        let output = list.output().unwrap();
        assert_eq!(stderr(&output), "");
        assert!(json(&output).as_array().is_some_and(|list| !list.is_empty()));
    }
}

/// Waits until a file exists or the child has ended.
#[cfg(unix)]
fn wait_for(child: &mut std::process::Child, path: impl Fn() -> Option<PathBuf>) {
    let end = Instant::now() + crate::TIMEOUT;
    while !path().is_some_and(|path| path.exists()) {
        assert!(child.try_wait().unwrap().is_none(), "the program ended too early");
        assert!(Instant::now() < end, "the file did not appear in time");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Interrupts a program as Ctrl-C does; returns its output once it has saved its run.
#[cfg(unix)]
fn interrupt(child: std::process::Child) -> Output {
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    output
}

/// The first run below a folder, once there is one.
fn first_run(root: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(root).ok()?;
    let mut paths = entries.filter_map(|e| Some(e.ok()?.path()));
    paths.find(|path| !path.ends_with("log"))
}

fn run_json(words: &[&str], runs: &Path) -> Output {
    run(&[words, &["--json", "-"]].concat(), runs)
}

/// The values in which two runs of the same settings must agree.
fn essence(run: &Value) -> Value {
    let keys = ["tasks", "final_accuracy", "average_accuracy", "forgetting", "class_order"];
    keys.iter().map(|key| run[*key].clone()).collect()
}

/// An image of a vertical stroke.
fn stroke_image(folder: &Path) -> PathBuf {
    let path = folder.join("stroke.png");
    let image = image::RgbImage::from_fn(32, 32, |x, y| {
        let ink = (14..18).contains(&x) && (5..27).contains(&y);
        image::Rgb([if ink { 0 } else { 255 }; 3])
    });
    image.save(&path).unwrap();
    path
}

#[test]
fn exits_with_2_on_wrong_usage_and_0_on_help() {
    let root = tempfile::tempdir().unwrap();
    for words in [
        &["trian"][..],
        &["train", "--epoch", "3"],
        &["train", "--batch", "many"],
        &["train", "--orders", "two"],
        &["predict", "run"],
        &["bench", "--mode", "fast"],
        &["bench", "--seconds", "nan"],
    ] {
        let output = run(words, root.path());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(output.stdout.is_empty());
    }
    let conflicting_args = ["train", "--orders", "2", "--order", "seed:3"];
    let output = run(&conflicting_args, root.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot be used together"));
    let output = run(&["train", "--epoch", "3"], root.path());
    assert!(stderr(&output).contains("--epochs"), "no suggestion");
    let help = run(&["train", "--help"], root.path());
    assert_eq!(help.status.code(), Some(0));
    let text = String::from_utf8(help.stdout).unwrap();
    for option in [
        "config",
        "data",
        "backbone",
        "pet",
        "pet-size",
        "blocks",
        "method",
        "no-learning",
        "no-accumulation",
        "no-ensemble",
        "classes-per-task",
        "order",
        "orders",
        "epochs",
        "freeze-epochs",
        "ema",
        "base-lr",
        "batch",
        "crop-scale",
        "flip",
        "train-limit",
        "test-limit",
        "test-share",
        "validation-share",
        "split-seed",
        "copies-together",
        "near-copies-together",
        "cache-mb",
        "preset",
        "seed",
        "device",
        "out",
        "json",
        "quiet",
    ] {
        assert!(
            text.contains(&format!("--{option} ")) || text.contains(&format!("--{option}\n")),
            "{option}"
        );
    }
    assert!(!text.contains('\u{1b}'), "colours without a terminal");
}

#[test]
fn train_json_contains_consistent_results() {
    let (_, run) = finished_run();
    for key in ["run", "method", "pet", "backbone", "weights_sha256", "device"] {
        assert!(run[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    assert_eq!(run["method"], "lae");
    assert_eq!(run["class_order"].as_array().unwrap().len(), 10);
    let tasks = run["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 5);
    for (i, task) in tasks.iter().enumerate() {
        assert_eq!(task["classes"].as_array().unwrap().len(), 2);
        assert_eq!(task["matrix_row"].as_array().unwrap().len(), i + 1);
        for expert in ["online", "offline", "ensemble"] {
            let accuracy = task[expert].as_f64().unwrap();
            assert!((0.0..=100.0).contains(&accuracy));
        }
    }
    let number = |key: &str| run[key].as_f64().unwrap_or_else(|| panic!("{key}"));
    assert_eq!(number("final_accuracy"), tasks[4]["ensemble"].as_f64().unwrap());
    let mean = tasks.iter().map(|t| t["ensemble"].as_f64().unwrap()).sum::<f64>() / 5.0;
    assert!((number("average_accuracy") - mean).abs() < 1e-9);
    let last: Vec<f64> = serde_json::from_value(tasks[4]["matrix_row"].clone()).unwrap();
    let task_averaged = last.iter().sum::<f64>() / 5.0;
    assert!((number("task_averaged_accuracy") - task_averaged).abs() < 1e-9);
    for key in ["forgetting", "forgetting_online"] {
        assert!((-100.0..=100.0).contains(&number(key)));
    }
    assert!(number("seconds") > 0.0 && number("images_per_second") > 0.0);
    if cfg!(target_os = "linux") {
        assert!(number("peak_memory_bytes") > 1e7);
    }
}

#[test]
fn train_writes_json_to_file_and_table_to_stdout() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("result.json");
    let runs = root.path().join("runs");
    let file_text = file.display().to_string();
    let words = [QUICK, &["--method", "baseline", "--orders", "2", "--json", &file_text]].concat();
    let output = run(&words, &runs);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("A_5") && text.contains(" ± ") && text.contains("seed:1"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\r'));
    let orders: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(orders["runs"].as_array().unwrap().len(), 2);
    let final_accuracy = |result: &Value| result["final_accuracy"].as_f64().unwrap();
    let [a, b] = [0, 1].map(|i| final_accuracy(&orders["runs"][i]));
    assert!((final_accuracy(&orders["mean"]) - f64::midpoint(a, b)).abs() < 1e-9);
    assert!((final_accuracy(&orders["std"]) - (a - b).abs() / 2f64.sqrt()).abs() < 1e-9);
    // Baseline: only the online expert answers.
    let task = &orders["runs"][0]["tasks"][4];
    assert_eq!(task["accuracy"], task["online"]);
    assert!(task.get("ensemble").is_none() && task.get("offline").is_none());
    let listed = json(&run_json(&["runs"], &runs));
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[test]
fn lists_devices_and_plugins() {
    let root = tempfile::tempdir().unwrap();
    let devices = json(&run_json(&["devices"], root.path()));
    assert_eq!(devices[0]["kind"], "cpu");
    let is_default = |d: &&Value| d["default"] == true;
    assert_eq!(devices.as_array().unwrap().iter().filter(is_default).count(), 1);
    let plugins = json(&run_json(&["plugins"], root.path()));
    let names: Vec<&str> =
        plugins.as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    for name in ["Adapter", "LoRA", "Prefix"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let shown = run(&["plugins", "adapter"], root.path());
    assert!(String::from_utf8_lossy(&shown.stdout).contains("gelu"));
}

#[test]
fn runs_exports_tables_and_figures() {
    let (runs, _) = finished_run();
    let folder = tempfile::tempdir().unwrap();
    for (file, word) in [
        ("t.md", "| Final accuracy |"),
        ("t.tex", "\\toprule"),
        ("t.csv", "ensemble"),
        ("t.svg", "<svg"),
    ] {
        let path = folder.path().join(file);
        let output = run(&["runs", "--export", path.to_str().unwrap()], runs);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(std::fs::read_to_string(&path).unwrap().contains(word), "{file}");
    }
    for figure in ["accuracy", "matrix", "confusion", "loss"] {
        let path = folder.path().join(format!("{figure}.png"));
        let path = path.to_str().unwrap();
        let output = run(&["runs", "latest", "--figure", figure, "--export", path], runs);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let picture = image::open(path).unwrap();
        assert!(picture.width() > 300 && picture.height() > 300, "{figure}");
    }
    let wrong = ["runs", "latest", "--figure", "matrx", "--export", "t.png"];
    let message = run_expecting_error(&wrong, runs);
    assert!(message.contains(&tr!("advice-did-you-mean", name = "matrix")), "{message}");
    let message = run_expecting_error(&["runs", "--export", "t.docx"], runs);
    assert!(message.contains(".svg"), "{message}");
}

#[cfg(unix)]
#[test]
fn closed_stdout_pipe_does_not_panic() {
    let (runs, _) = finished_run();
    let script = "{ \"$0\" runs; echo \"code $?\" >&2; } | true";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_lae-studio")]).env("LAE_RUNS", runs);
    let output = shell.output().unwrap();
    assert_eq!(stderr(&output).trim(), "code 0");
}

#[test]
fn train_from_run_toml_reproduces_results() {
    let (runs, summary) = finished_run();
    let root = tempfile::tempdir().unwrap();
    let file = runs.join(summary["run"].as_str().unwrap()).join("run.toml");
    let words = ["train", "--config", file.to_str().unwrap(), "--quiet"];
    let repeated = json(&run_json(&words, root.path()));
    assert_eq!(essence(&repeated), essence(summary));
}

#[test]
fn golden_prints_one_line_per_file() {
    let root = tempfile::tempdir().unwrap();
    let foreign = root.path().join("foreign.safetensors");
    std::fs::write(&foreign, "nothing of the kind").unwrap();
    let output = run(&["golden", foreign.to_str().unwrap()], root.path());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "foreign – MISS\n");
    // Small ones that tests/golden_sizes.py wrote, and others if they are available.
    let small_files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let extra_files = std::env::var_os("LAE_GOLDEN").map(PathBuf::from);
    if extra_files.is_none() {
        skip("LAE_GOLDEN names no folder of more golden files");
    }
    let folders = [Some(small_files), extra_files];
    let files = folders
        .into_iter()
        .flatten()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|e| e.unwrap().path());
    let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
    assert!(files.len() >= 6);
    let mut words = vec!["golden"];
    words.extend(files.iter().map(String::as_str));
    let output = run(&words, root.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with(" ok")).count(), files.len());
}
