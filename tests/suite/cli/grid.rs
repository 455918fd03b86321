//! `grid`: resumption, concurrent processes, shards and output.

use std::collections::HashSet;

use super::*;

/// Settings of runs that take a moment.
pub(super) const TINY: &str = "data = \"digits\"\nclasses_per_task = \"5\"\nepochs = 1\nbatch = 8\ntrain_limit = 12\ntest_limit = 4\n\
    device = \"cpu\"\nblocks = \"2\"\nsettings.freeze_epochs = 0\nmethod = [\"lae\", \"baseline\"]\n";

/// A grid file next to its folder of runs.
pub(super) struct TestGrid {
    pub(super) folder: tempfile::TempDir,
}

impl TestGrid {
    pub(super) fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mine.toml"), text).unwrap();
        Self { folder }
    }

    pub(super) fn runs(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    pub(super) fn command(&self, words: &[&str]) -> Command {
        let file = self.folder.path().join("mine.toml").display().to_string();
        let words = [&["grid", &file], words].concat();
        let mut command = program_command(&words, &self.runs());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    pub(super) fn json(&self, words: &[&str]) -> Value {
        json(&self.run(&[words, &["--json", "-"]].concat()))
    }

    /// Asserts that every cell has exactly one finished run.
    pub(super) fn assert_complete(&self, cells: usize) {
        let report = self.json(&["--list"]);
        let list = report["cells"].as_array().unwrap();
        assert!(list.iter().all(|cell| cell["state"] == "done"), "{report}");
        let runs: HashSet<&str> = list.iter().map(|cell| cell["run"].as_str().unwrap()).collect();
        assert_eq!((list.len(), runs.len()), (cells, cells));
        let all = json(&run_json(&["runs"], &self.runs()));
        let all = all.as_array().unwrap();
        assert!(all.iter().all(|run| run["state"] == "finished"));
        assert_eq!(all.len(), cells, "a run was started twice");
    }
}

/// The number of runs in a folder that contain this file.
pub(super) fn runs_with_file(root: &Path, file: &str) -> usize {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().join(file).exists()).count()
}

#[cfg(unix)]
#[test]
fn killed_grid_resumes_without_duplicate_or_missing_runs() {
    let grid = TestGrid::new(&format!("{TINY}orders = 2\nseeds = 2\n"));
    for saved in [2, 5] {
        let mut child = grid.command(&["--quiet"]).spawn().unwrap();
        // In the middle of a run: another one is finished, and this one's first task is saved.
        let root = grid.runs();
        wait_for(&mut child, || {
            (runs_with_file(&root, "metrics.csv") >= saved).then(|| root.clone())
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = grid.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("method lae") && table.contains("mean ± std"), "{table}");
    grid.assert_complete(8);
    let repeated = grid.run(&[]);
    assert!(stderr(&repeated).contains("8 runs: 8 done"), "{}", stderr(&repeated));
    grid.assert_complete(8);
}

#[test]
fn two_processes_share_grid_without_duplicate_runs() {
    let grid = TestGrid::new(&format!("{TINY}seeds = 4\n"));
    let children = [0, 1].map(|_| grid.command(&["--json", "-"]).spawn().unwrap());
    let outputs = children.map(|child| child.wait_with_output().unwrap());
    for output in &outputs {
        let report = json(output);
        let rows = report["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["missing"] == 0), "{report}");
    }
    grid.assert_complete(8);
}

#[test]
fn shards_cover_grid_and_only_filters_runs() {
    let grid = TestGrid::new(&format!("{TINY}seeds = 3\n"));
    let numbers = |words: &[&str]| -> Vec<u64> {
        let report = grid.json(&[&["--list"], words].concat());
        let cells = report["cells"].as_array().unwrap();
        cells.iter().map(|cell| cell["number"].as_u64().unwrap()).collect()
    };
    let mut numbers_of_shards: Vec<u64> = Vec::new();
    for shard in ["1/4", "2/4", "3/4", "4/4"] {
        numbers_of_shards.extend(numbers(&["--shard", shard]));
    }
    numbers_of_shards.sort_unstable();
    assert_eq!(numbers_of_shards, (0..6).collect::<Vec<u64>>());
    assert_eq!(numbers(&["--shard", "9/9"]), [0; 0]);
    assert_eq!(numbers(&["--only", "method=lae"]), [0, 1, 2]);
    assert_eq!(numbers(&["--only", "method=lae", "method=baseline", "seed=1"]), [1, 4]);
    assert_eq!(numbers(&["--only", "row=BASE"]), [3, 4, 5]);
    for (words, expected) in [
        (&["--only", "method=l2p"][..], "no run of this grid has method=l2p"),
        (&["--only", "metod=lae"], &*tr!("advice-did-you-mean", name = "method")),
        (&["--only", "lae"], "write it as KEY=VALUE"),
        (&["--data", "digits"], "write it as NAME=PATH"),
    ] {
        let output = grid.run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    for shard in ["0/2", "3/2", "1", "a/b"] {
        assert_eq!(grid.run(&["--shard", shard]).status.code(), Some(2), "{shard}");
    }
    // Options of a search, but no search.
    for words in [["--winners", "best.toml"], ["--budget", "9"], ["--validation", "0.5"]] {
        let output = grid.run(&[&words[..], &["--cells", "1"]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    let output = grid.run(&["--list", "--data", "birds=nowhere"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("--data birds="), "{}", stderr(&output));
    // Only the shard is run.
    let report = grid.json(&["--shard", "1/3", "--quiet"]);
    assert_eq!(report["cells"].as_array().unwrap().len(), 2);
    assert_eq!(runs_with_file(&grid.runs(), "metrics.csv"), 2);
}

#[test]
fn grid_reports_rejected_runs_once_and_trains_rest() {
    let text = format!("{TINY}classes_per_task = [\"5,6\", \"5\"]\nseeds = 2\n").replacen(
        "classes_per_task = \"5\"\n",
        "",
        1,
    );
    let grid = TestGrid::new(&text);
    let output = grid.run(&["--json", "-"]);
    let stderr_text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{stderr_text}");
    assert_eq!(stderr_text.matches("problem: ").count(), 1, "{stderr_text}");
    assert!(stderr_text.contains("3 more runs for the same reason"), "{stderr_text}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let states = report["cells"].as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|cell| cell["state"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|state| **state == "done").count(), 4);
    assert_eq!(states.iter().filter(|state| **state == "refused").count(), 4);
    let wrong = TestGrid::new("epoch = 3\n");
    let stderr_text = stderr(&wrong.run(&[]));
    assert!(
        stderr_text.contains("mine.toml, line 1, column 1") && stderr_text.contains("`epochs`"),
        "{stderr_text}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_grid_run_and_same_command_resumes() {
    let grid = TestGrid::new(&format!("{TINY}seeds = 2\n").replace("epochs = 1", "epochs = 4"));
    let mut child = grid.command(&[]).spawn().unwrap();
    let root = grid.runs();
    wait_for(&mut child, || (runs_with_file(&root, "metrics.csv") >= 1).then(|| root.clone()));
    let output = interrupt(child);
    assert!(
        stderr(&output).contains("run the same command with the same options to continue"),
        "{}",
        stderr(&output)
    );
    assert_eq!(grid.run(&["--quiet"]).status.code(), Some(0));
    grid.assert_complete(4);
}

#[test]
fn lists_built_in_grids_and_prints_their_text() {
    let runs = tempfile::tempdir().unwrap();
    let listed = json(&run_json(&["grid"], runs.path()));
    let listed = listed.as_array().unwrap();
    let table = listed.iter().find(|grid| grid["name"] == "cifar100-10").unwrap();
    assert_eq!((&table["rows"], &table["runs"]), (&Value::from(17), &Value::from(51)));
    let text = run(&["grid", "switches-demo", "--text"], runs.path()).stdout;
    let file = runs.path().join("own.toml");
    std::fs::write(&file, text).unwrap();
    let words = ["grid", file.to_str().unwrap(), "--list", "--device", "cpu"];
    let report = json(&run_json(&words, runs.path()));
    assert_eq!(report["rows"].as_array().unwrap().len(), 7);
    for key in ["runs", "seconds", "memory_bytes", "disk_bytes"] {
        assert!(report["costs"][key].as_f64().unwrap() > 0.0, "{key}");
    }
    let cell = &report["cells"][0];
    assert_eq!((&cell["state"], &cell["order"]), (&Value::from("to_do"), &Value::from("natural")));
    assert_eq!(cell["key"]["experiment"].as_str().unwrap().len(), 64);
    assert_eq!(report["costs"]["measured"], false);
    let words = ["grid", file.to_str().unwrap(), "--list"];
    let output = run(&[&words[..], &["--device", "no such card"]].concat(), runs.path());
    assert_eq!(output.status.code(), Some(0));
    let stderr_text = stderr(&output);
    assert!(stderr_text.contains("no such card"), "{stderr_text}");
}

#[test]
fn train_crosses_orders_and_seeds() {
    let runs = tempfile::tempdir().unwrap();
    let repetitions = ["--orders", "2", "--seeds", "2", "--seed", "7", "--quiet"];
    let output = run_json(&[QUICK, &repetitions, &["--method", "baseline"]].concat(), runs.path());
    let report = json(&output);
    let all = report["runs"].as_array().unwrap().iter();
    let order_and_seed = |run: &Value| {
        let config = &run["config"];
        let order = config["order"].as_str().unwrap();
        (order.to_string(), config["seed"].as_u64().unwrap())
    };
    let actual: Vec<(String, u64)> = all.map(order_and_seed).collect();
    let expected = [("natural", 7), ("natural", 8), ("seed:1", 7), ("seed:1", 8)];
    assert_eq!(actual, expected.map(|(order, seed)| (order.to_string(), seed)));
    assert!(report["std"]["final_accuracy"].is_f64());
}

#[test]
fn grid_exports_rows_compared_with_reference_row() {
    let grid = TestGrid::new(&format!("{TINY}orders = 2\n"));
    let path = |name: &str| grid.folder.path().join(name).display().to_string();
    let (latex, svg) = (path("rows.tex"), path("rows.svg"));
    let table = ["--against", "method = baseline", "--columns", "final"];
    let output = grid.run(&[&["--quiet", "--export", &latex], &table[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("Final accuracy vs. method baseline") && text.contains("method lae"),
        "{text}"
    );
    let latex_text = std::fs::read_to_string(&latex).unwrap();
    assert!(
        latex_text.contains("Row & Runs & $A_N$ & $A_N$ vs. method baseline & Pairs"),
        "{latex_text}"
    );
    // Existing runs are listed and drawn without running anything.
    let output = grid.run(&["--list", "--export", &svg]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("done"));
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    grid.assert_complete(4);
    // A separate run is not part of the grid.
    let other = [QUICK, &["--method", "simplecil", "--quiet"]].concat();
    assert_eq!(run(&other, &grid.runs()).status.code(), Some(0));
    let file = path("mine.toml");
    let grid_runs = json(&run_json(&["runs", "--grid", &file], &grid.runs()));
    assert_eq!(grid_runs.as_array().unwrap().len(), 4);
}

#[test]
fn deterministic_method_gets_one_cell_for_all_seeds() {
    let text = TINY.replace("[\"lae\", \"baseline\"]", "[\"simplecil\", \"baseline\"]");
    let text = text.replace("settings.freeze_epochs = 0\n", "");
    let grid = TestGrid::new(&format!("{text}seeds = 2\n"));
    let report = grid.json(&["--list"]);
    assert_eq!(report["cells"].as_array().unwrap().len(), 3, "{report}");
    let words = [QUICK, &["--method", "simplecil", "--seeds", "3", "--quiet"]].concat();
    let output = run_json(&words, &grid.runs());
    assert!(
        stderr(&output).contains("uses no random numbers, so --seeds has no effect"),
        "{}",
        stderr(&output)
    );
    let report = json(&output);
    assert_eq!(report["runs"].as_array().unwrap().len(), 1);
    assert!(report["std"]["final_accuracy"].is_null());
}

#[test]
fn groups_repeated_notes_of_grid_runs() {
    let single_class_task = TINY.replace("classes_per_task = \"5\"", "classes_per_task = \"9,1\"");
    let grid = TestGrid::new(&format!("{single_class_task}seeds = 2\n"));
    for device in ["cpu", "cpu,cpu"] {
        let runs = grid.folder.path().join(device);
        let output = grid.run(&["--quiet", "--device", device, "--out", runs.to_str().unwrap()]);
        let stderr_text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{stderr_text}");
        let notes =
            stderr_text.lines().filter(|line| says!(line, "problem-single-class-task", task = 2));
        let notes: Vec<&str> = notes.collect();
        assert_eq!(notes.len(), 2, "{stderr_text}");
        assert!(notes[1].starts_with("note (3 more times): "), "{stderr_text}");
        assert_eq!(stderr_text.matches("where: --classes-per-task").count(), 1, "{stderr_text}");
    }
}
