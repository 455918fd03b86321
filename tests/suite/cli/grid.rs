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

    pub(super) fn program(&self, words: &[&str]) -> Command {
        let file = self.folder.path().join("mine.toml").display().to_string();
        let words = [&["grid", &file], words].concat();
        let mut command = program(&words, &self.runs());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn run(&self, words: &[&str]) -> Output {
        self.program(words).output().unwrap()
    }

    pub(super) fn json(&self, words: &[&str]) -> Value {
        json(&self.run(&[words, &["--json", "-"]].concat()))
    }

    /// Asserts that every cell has exactly one finished run.
    pub(super) fn assert_complete(&self, cells: usize) {
        let report = self.json(&["--list"]);
        let list = report["cells"].as_array().unwrap();
        assert!(list.iter().all(|cell| cell["state"] == "done"), "{report}");
        let runs: HashSet<&str> = list
            .iter()
            .map(|cell| cell["run"].as_str().unwrap())
            .collect();
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
    entries
        .filter(|entry| entry.path().join(file).exists())
        .count()
}

#[cfg(unix)]
#[test]
fn killed_grid_resumes_without_duplicate_or_missing_runs() {
    let tried = TestGrid::new(&format!("{TINY}orders = 2\nseeds = 2\n"));
    for saved in [2, 5] {
        let mut child = tried.program(&["--quiet"]).spawn().unwrap();
        // In the middle of a run: another one is finished, and this one's first task is saved.
        let root = tried.runs();
        wait_for(&mut child, || {
            (runs_with_file(&root, "metrics.csv") >= saved).then(|| root.clone())
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = tried.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("method lae") && table.contains("mean ± std"),
        "{table}"
    );
    tried.assert_complete(8);
    let again = tried.run(&[]);
    assert!(
        stderr(&again).contains("8 runs: 8 done"),
        "{}",
        stderr(&again)
    );
    tried.assert_complete(8);
}

#[test]
fn two_processes_share_grid_without_duplicate_runs() {
    let tried = TestGrid::new(&format!("{TINY}seeds = 4\n"));
    let children = [0, 1].map(|_| tried.program(&["--json", "-"]).spawn().unwrap());
    let outputs = children.map(|child| child.wait_with_output().unwrap());
    for output in &outputs {
        let report = json(output);
        let rows = report["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["missing"] == 0), "{report}");
    }
    tried.assert_complete(8);
}

#[test]
fn shards_cover_grid_and_only_filters_runs() {
    let tried = TestGrid::new(&format!("{TINY}seeds = 3\n"));
    let numbers = |words: &[&str]| -> Vec<u64> {
        let report = tried.json(&[&["--list"], words].concat());
        let cells = report["cells"].as_array().unwrap();
        cells
            .iter()
            .map(|cell| cell["number"].as_u64().unwrap())
            .collect()
    };
    let mut all: Vec<u64> = Vec::new();
    for shard in ["1/4", "2/4", "3/4", "4/4"] {
        all.extend(numbers(&["--shard", shard]));
    }
    all.sort_unstable();
    assert_eq!(all, (0..6).collect::<Vec<u64>>());
    assert_eq!(numbers(&["--shard", "9/9"]), [0; 0]);
    assert_eq!(numbers(&["--only", "method=lae"]), [0, 1, 2]);
    assert_eq!(
        numbers(&["--only", "method=lae", "method=baseline", "seed=1"]),
        [1, 4]
    );
    assert_eq!(numbers(&["--only", "row=BASE"]), [3, 4, 5]);
    for (words, told) in [
        (
            &["--only", "method=l2p"][..],
            "no run of this grid has method=l2p",
        ),
        (
            &["--only", "metod=lae"],
            &*tr!("advice-did-you-mean", name = "method"),
        ),
        (&["--only", "lae"], "write it as KEY=VALUE"),
        (&["--data", "digits"], "write it as NAME=PATH"),
    ] {
        let output = tried.run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
    for shard in ["0/2", "3/2", "1", "a/b"] {
        assert_eq!(
            tried.run(&["--shard", shard]).status.code(),
            Some(2),
            "{shard}"
        );
    }
    // Only the shard is run.
    let report = tried.json(&["--shard", "1/3", "--quiet"]);
    assert_eq!(report["cells"].as_array().unwrap().len(), 2);
    assert_eq!(runs_with_file(&tried.runs(), "metrics.csv"), 2);
}

#[test]
fn grid_reports_rejected_runs_once_and_trains_rest() {
    let text = format!("{TINY}classes_per_task = [\"5,6\", \"5\"]\nseeds = 2\n").replacen(
        "classes_per_task = \"5\"\n",
        "",
        1,
    );
    let tried = TestGrid::new(&text);
    let output = tried.run(&["--json", "-"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("problem: ").count(), 1, "{said}");
    assert!(said.contains("3 more runs for the same reason"), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let states = report["cells"].as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|cell| cell["state"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|state| **state == "done").count(), 4);
    assert_eq!(
        states.iter().filter(|state| **state == "refused").count(),
        4
    );
    let wrong = TestGrid::new("epoch = 3\n");
    let said = stderr(&wrong.run(&[]));
    assert!(
        said.contains("mine.toml, line 1, column 1") && said.contains("`epochs`"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_grid_run_and_same_command_resumes() {
    let tried = TestGrid::new(&format!("{TINY}seeds = 2\n").replace("epochs = 1", "epochs = 4"));
    let mut child = tried.program(&[]).spawn().unwrap();
    let root = tried.runs();
    wait_for(&mut child, || {
        (runs_with_file(&root, "metrics.csv") >= 1).then(|| root.clone())
    });
    let output = interrupt(child);
    assert!(
        stderr(&output).contains("run the same command with the same options to continue"),
        "{}",
        stderr(&output)
    );
    assert_eq!(tried.run(&["--quiet"]).status.code(), Some(0));
    tried.assert_complete(4);
}

#[test]
fn lists_built_in_grids_and_prints_their_text() {
    let runs = tempfile::tempdir().unwrap();
    let listed = json(&run_json(&["grid"], runs.path()));
    let listed = listed.as_array().unwrap();
    let table = listed
        .iter()
        .find(|grid| grid["name"] == "cifar100-10")
        .unwrap();
    assert_eq!(
        (&table["rows"], &table["runs"]),
        (&Value::from(17), &Value::from(51))
    );
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
    assert_eq!(
        (&cell["state"], &cell["order"]),
        (&Value::from("to_do"), &Value::from("natural"))
    );
    assert_eq!(cell["key"]["experiment"].as_str().unwrap().len(), 64);
    assert_eq!(report["costs"]["measured"], false);
    let words = ["grid", file.to_str().unwrap(), "--list"];
    let output = run(
        &[&words[..], &["--device", "no such card"]].concat(),
        runs.path(),
    );
    assert_eq!(output.status.code(), Some(0));
    let said = stderr(&output);
    assert!(said.contains("no such card"), "{said}");
}

#[test]
fn train_crosses_orders_and_seeds() {
    let runs = tempfile::tempdir().unwrap();
    let several = ["--orders", "2", "--seeds", "2", "--seed", "7", "--quiet"];
    let output = run_json(
        &[QUICK, &several, &["--method", "baseline"]].concat(),
        runs.path(),
    );
    let report = json(&output);
    let all = report["runs"].as_array().unwrap().iter();
    let told = |run: &Value| {
        let config = &run["config"];
        let order = config["order"].as_str().unwrap();
        (order.to_string(), config["seed"].as_u64().unwrap())
    };
    let told: Vec<(String, u64)> = all.map(told).collect();
    let wanted = [("natural", 7), ("natural", 8), ("seed:1", 7), ("seed:1", 8)];
    assert_eq!(told, wanted.map(|(order, seed)| (order.to_string(), seed)));
    assert!(report["std"]["final_accuracy"].is_f64());
}

#[test]
fn grid_exports_rows_compared_with_reference_row() {
    let tried = TestGrid::new(&format!("{TINY}orders = 2\n"));
    let path = |name: &str| tried.folder.path().join(name).display().to_string();
    let (latex, svg) = (path("rows.tex"), path("rows.svg"));
    let table = ["--against", "method = baseline", "--columns", "final"];
    let output = tried.run(&[&["--quiet", "--export", &latex], &table[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("Final accuracy vs. method baseline") && text.contains("method lae"),
        "{text}"
    );
    let written = std::fs::read_to_string(&latex).unwrap();
    assert!(
        written.contains("Row & Runs & $A_N$ & $A_N$ vs. method baseline & Pairs"),
        "{written}"
    );
    // Existing runs are listed and drawn without running anything.
    let output = tried.run(&["--list", "--export", &svg]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("done"));
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    tried.assert_complete(4);
    // A separate run is not part of the grid.
    let other = [QUICK, &["--method", "simplecil", "--quiet"]].concat();
    assert_eq!(run(&other, &tried.runs()).status.code(), Some(0));
    let file = path("mine.toml");
    let own = json(&run_json(&["runs", "--grid", &file], &tried.runs()));
    assert_eq!(own.as_array().unwrap().len(), 4);
}

#[test]
fn deterministic_method_gets_one_cell_for_all_seeds() {
    let text = TINY.replace("[\"lae\", \"baseline\"]", "[\"simplecil\", \"baseline\"]");
    let text = text.replace("settings.freeze_epochs = 0\n", "");
    let tried = TestGrid::new(&format!("{text}seeds = 2\n"));
    let report = tried.json(&["--list"]);
    assert_eq!(report["cells"].as_array().unwrap().len(), 3, "{report}");
    let words = [QUICK, &["--method", "simplecil", "--seeds", "3", "--quiet"]].concat();
    let output = run_json(&words, &tried.runs());
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
    let alone = TINY.replace("classes_per_task = \"5\"", "classes_per_task = \"9,1\"");
    let tried = TestGrid::new(&format!("{alone}seeds = 2\n"));
    for device in ["cpu", "cpu,cpu"] {
        let runs = tried.folder.path().join(device);
        let output = tried.run(&[
            "--quiet",
            "--device",
            device,
            "--out",
            runs.to_str().unwrap(),
        ]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let notes = said
            .lines()
            .filter(|line| says!(line, "problem-single-class-task", task = 2));
        let notes: Vec<&str> = notes.collect();
        assert_eq!(notes.len(), 2, "{said}");
        assert!(notes[1].starts_with("note (3 more times): "), "{said}");
        assert_eq!(
            said.matches("where: --classes-per-task").count(),
            1,
            "{said}"
        );
    }
}
