//! `grid --device A,B`: one process per device, stopping all of them, and one that dies.

use super::grid::{TINY, TestGrid};
use super::*;

#[test]
fn two_devices_split_grid_runs() {
    let grid = TestGrid::new(&format!("{TINY}seeds = 3\n"));
    let output = grid.run(&["--device", "cpu,cpu", "--json", "-"]);
    let stderr_text = stderr(&output);
    let report = json(&output);
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["missing"] == 0), "{report}");
    assert!(
        stderr_text.contains("cpu (1): run") && stderr_text.contains("cpu (2): run"),
        "{stderr_text}"
    );
    grid.assert_complete(6);
    // Nothing is left to do.
    assert_eq!(grid.run(&["--device", "cpu,cpu", "--quiet"]).status.code(), Some(0));
    grid.assert_complete(6);
    let wrong = grid.run(&["--device", "cpu,no-such-device"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(stderr(&wrong).contains("no-such-device"), "{}", stderr(&wrong));
}

/// The child processes of a process.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Starts a grid on two devices and waits until each has started a run.
#[cfg(target_os = "linux")]
fn start_on_two_devices(grid: &TestGrid) -> std::process::Child {
    let mut child = grid.command(&["--device", "cpu,cpu"]).spawn().unwrap();
    let root = grid.runs();
    let both_started =
        || (super::grid::runs_with_file(&root, "run.toml") >= 2).then(|| root.clone());
    wait_for(&mut child, both_started);
    child
}

#[cfg(target_os = "linux")]
#[test]
fn killed_worker_loses_no_runs() {
    let grid = TestGrid::new(&format!("{TINY}seeds = 2\n").replace("epochs = 1", "epochs = 8"));
    let child = start_on_two_devices(&grid);
    let worker = children(child.id())[0];
    let kill = Command::new("kill").args(["-KILL", &worker.to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr_text = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr_text}");
    assert!(
        stderr_text.contains("crashed") && stderr_text.contains("the others take over"),
        "{stderr_text}"
    );
    grid.assert_complete(4);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_saves_runs_of_all_workers() {
    let grid = TestGrid::new(&format!("{TINY}seeds = 2\n").replace("epochs = 1", "epochs = 40"));
    let child = start_on_two_devices(&grid);
    let workers = children(child.id());
    // Only the program gets the signal, not its children.
    let output = interrupt(child);
    assert!(stderr(&output).contains("all started runs are saved"), "{}", stderr(&output));
    let is_running = |id: &u32| Path::new(&format!("/proc/{id}")).exists();
    assert!(workers.len() == 2 && !workers.iter().any(is_running));
    let report = grid.json(&["--list"]);
    let states = report["cells"].as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|cell| cell["state"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|state| **state == "stopped").count(), 2, "{states:?}");
}
