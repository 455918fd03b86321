//! `grid --slurm` with a test cluster: an array of 12, a node that is drained, a task that is requeued and one
//! that is cancelled.

use super::grid::{TINY, TestGrid, runs_with_file};
use super::*;

/// Programs of the test cluster.
const PROGRAMS: [&str; 6] = ["sbatch", "squeue", "scontrol", "slurmctld", "slurmd", "munged"];

/// A Slurm cluster with two nodes, stopped when dropped.
struct Slurm {
    folder: tempfile::TempDir,
}

fn run_script(words: &[&str]) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm.sh");
    Command::new("sh").arg(path).args(words).output().unwrap()
}

impl Slurm {
    /// `None`, with the reason printed, if Slurm cannot be started.
    fn start() -> Option<Self> {
        let is_installed = |name: &&str| {
            let folders = std::env::var("PATH").unwrap_or_default();
            let mut folders = folders.split(':').chain(["/usr/sbin"]);
            folders.any(|folder| Path::new(folder).join(name).is_file())
        };
        if let Some(missing) = PROGRAMS.iter().find(|name| !is_installed(name)) {
            skip(&format!("{missing} is not installed"));
            return None;
        }
        let id = Command::new("id").arg("-u").output().unwrap().stdout;
        if id.trim_ascii() != b"0" {
            skip("only root can start Slurm's controller");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let cluster = Self { folder };
        let output = run_script(&["start", &path, "2"]);
        assert!(output.status.success(), "{}", stderr(&output));
        Some(cluster)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn run_command(&self, words: &[&str]) -> String {
        let output =
            Command::new(words[0]).args(&words[1..]).env("SLURM_CONF", self.path()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        run_script(&["stop", &self.folder.path().display().to_string()]);
    }
}

/// A grid and the cluster that runs it.
struct Array<'a> {
    grid: &'a TestGrid,
    slurm: &'a Slurm,
}

impl Array<'_> {
    /// Writes a places file with this cluster and faulty ones.
    fn write_places_file(&self) {
        let folder = self.grid.runs().join("config/lae-studio");
        std::fs::create_dir_all(&folder).unwrap();
        // A cluster that names no program uses this one.
        let text = "[here]\nslurm = true\npartition = \"tests\"\ntime = \"10:00\"\nmemory = \"900M\"\n\
             setup = [\"export RAYON_NUM_THREADS=1\"]\n[broken]\nslurm = true\nsetup = [\"echo no driver here; exit 3\"]\n[wrong]\nslurm = true\npartition = \"none\"\n[alone]\nssh = \"host\"\n";
        std::fs::write(folder.join("places.toml"), text).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = self.grid.command(words);
        command.env("SLURM_CONF", self.slurm.path()).output().unwrap()
    }

    fn list_cells(&self) -> Vec<Value> {
        let output = self.run(&["--slurm", "here", "--list", "--json", "-"]);
        json(&output)["cells"].as_array().unwrap().clone()
    }

    /// Waits until the tasks are in these states.
    fn wait_until(&self, condition: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let end = Instant::now() + crate::TIMEOUT;
        loop {
            let cells = self.list_cells();
            if condition(&cells) {
                return cells;
            }
            assert!(Instant::now() < end, "{cells:#?}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// The ids of tasks in this state.
fn task_ids(cells: &[Value], state: &str) -> Vec<String> {
    let matching = cells.iter().filter(|cell| cell["task"]["state"] == state);
    matching.map(|cell| cell["task"]["id"].as_str().unwrap().to_string()).collect()
}

fn done_count(cells: &[Value]) -> usize {
    cells.iter().filter(|cell| cell["state"] == "done").count()
}

#[test]
fn slurm_array_survives_drain_requeue_and_cancel() {
    let Some(slurm) = Slurm::start() else { return };
    let text = format!("{TINY}seeds = 6\n").replace("epochs = 1", "epochs = 12");
    let grid = TestGrid::new(&text);
    let array = Array { grid: &grid, slurm: &slurm };
    array.write_places_file();
    let submitted = array.run(&["--slurm", "here"]);
    let stderr_text = stderr(&submitted);
    assert_eq!(submitted.status.code(), Some(0), "{stderr_text}");
    assert_says!(stderr_text, "slurm-submitted", runs = "12 runs");
    // All runs are queued: nothing is submitted twice.
    let repeated = array.run(&["--slurm", "here"]);
    assert_says!(stderr(&repeated), "slurm-nothing-to-submit");
    array.wait_until(|cells| done_count(cells) >= 1 && task_ids(cells, "running").len() == 2);
    slurm.run_command(&["scontrol", "update", "node=n2", "state=drain", "reason=test"]);
    let runs_on_first_node = |cells: &[Value]| {
        let mut running = cells.iter().filter(|cell| cell["task"]["state"] == "running");
        running.clone().count() == 1 && running.all(|cell| cell["task"]["node"] == "n1")
    };
    let cells = array.wait_until(runs_on_first_node);
    let requeued = task_ids(&cells, "running").remove(0);
    slurm.run_command(&["scontrol", "requeue", &requeued]);
    let cells = array.wait_until(|cells| task_ids(cells, "waiting").contains(&requeued));
    let cancelled =
        task_ids(&cells, "waiting").into_iter().rfind(|task| *task != requeued).unwrap();
    slurm.run_command(&["scancel", &cancelled]);
    slurm.run_command(&["scontrol", "update", "node=n2", "state=resume"]);
    let is_over =
        |cells: &[Value]| task_ids(cells, "waiting").len() + task_ids(cells, "running").len() == 0;
    let cells = array.wait_until(is_over);
    assert_eq!(
        (done_count(&cells), task_ids(&cells, "cancelled")),
        (11, vec![cancelled]),
        "{cells:#?}"
    );
    let submitted = array.run(&["--slurm", "here"]);
    assert_says!(stderr(&submitted), "slurm-submitted", runs = "1 run");
    array.wait_until(|cells| done_count(cells) == 12);
    grid.assert_complete(12);
}

#[test]
fn reports_slurm_rejections_and_failed_tasks() {
    let Some(slurm) = Slurm::start() else { return };
    let grid = TestGrid::new(TINY);
    let array = Array { grid: &grid, slurm: &slurm };
    array.write_places_file();
    let assert_rejected = |words: &[&str], expected: &str| {
        let output = array.run(words);
        let stderr_text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{stderr_text}");
        assert!(stderr_text.contains(expected), "{stderr_text}");
    };
    let expected_message = tr!("slurm-job-rejected", said = "invalid partition specified: none");
    assert_rejected(&["--slurm", "wrong"], &expected_message);
    assert_rejected(&["--slurm", "alone"], "the place alone is not a cluster");
    assert_rejected(&["--slurm", "hre"], &tr!("advice-did-you-mean", name = "here"));
    assert!(
        !grid.runs().join(".slurm").read_dir().unwrap().any(|entry| entry.unwrap().path().is_dir())
    );
    assert_eq!(array.run(&["--slurm", "broken"]).status.code(), Some(0));
    array.wait_until(|cells| task_ids(cells, "failed").len() == 2);
    let listing = array.run(&["--slurm", "here", "--list"]).stdout;
    let listing = String::from_utf8(listing).unwrap();
    assert!(listing.contains("and 1 more run for the same reason: no driver here"), "{listing}");
    assert!(listing.contains("to submit these again"), "{listing}");
    // The same command submits them again, and waiting tasks can be cancelled.
    slurm.run_command(&["scontrol", "update", "partition=tests", "state=down"]);
    assert_eq!(array.run(&["--slurm", "here"]).status.code(), Some(0));
    array.wait_until(|cells| task_ids(cells, "waiting").len() == 2);
    let cancelled = array.run(&["--slurm", "here", "--cancel"]);
    assert!(stderr(&cancelled).contains("2 tasks cancelled"), "{}", stderr(&cancelled));
    array.wait_until(|cells| task_ids(cells, "cancelled").len() == 2);
    assert_eq!(runs_with_file(&grid.runs(), "run.toml"), 0);
}

#[test]
fn reports_missing_slurm_with_advice() {
    let grid = TestGrid::new(TINY);
    let empty = tempfile::tempdir().unwrap();
    let mut command = grid.command(&["--slurm"]);
    let output = command.env("PATH", empty.path()).output().unwrap();
    let stderr_text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{stderr_text}");
    assert_says!(stderr_text, "slurm-command-not-found-here", name = "sbatch");
    assert_says!(stderr_text, "slurm-command-not-found-here-advice");
    let output = grid.command(&["--slurm", "--detach"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let printed = run(&["grid", "--template"], &grid.runs());
    assert!(String::from_utf8(printed.stdout).unwrap().contains("exec {command}"));
}
