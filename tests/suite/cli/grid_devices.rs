//! `grid --device A,B`: one process per device, stopping all of them, and one that dies.

use super::grid::{TINY, TestGrid};
use super::*;

#[test]
fn two_devices_split_grid_runs() {
    let tried = TestGrid::new(&format!("{TINY}seeds = 3\n"));
    let output = tried.run(&["--device", "cpu,cpu", "--json", "-"]);
    let said = stderr(&output);
    let report = json(&output);
    assert!(
        report["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["missing"] == 0),
        "{report}"
    );
    assert!(
        said.contains("cpu (1): run") && said.contains("cpu (2): run"),
        "{said}"
    );
    tried.assert_complete(6);
    // Nothing is left to do.
    assert_eq!(
        tried.run(&["--device", "cpu,cpu", "--quiet"]).status.code(),
        Some(0)
    );
    tried.assert_complete(6);
    let wrong = tried.run(&["--device", "cpu,no-such-device"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        stderr(&wrong).contains("no-such-device"),
        "{}",
        stderr(&wrong)
    );
}

/// The child processes of a process.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

/// Starts a grid on two devices and waits until each has started a run.
#[cfg(target_os = "linux")]
fn start_on_two_devices(tried: &TestGrid) -> std::process::Child {
    let mut child = tried.program(&["--device", "cpu,cpu"]).spawn().unwrap();
    let root = tried.runs();
    let both = || (super::grid::runs_with_file(&root, "run.toml") >= 2).then(|| root.clone());
    wait_for(&mut child, both);
    child
}

#[cfg(target_os = "linux")]
#[test]
fn killed_worker_loses_no_runs() {
    let tried = TestGrid::new(&format!("{TINY}seeds = 2\n").replace("epochs = 1", "epochs = 8"));
    let child = start_on_two_devices(&tried);
    let died = children(child.id())[0];
    let kill = Command::new("kill")
        .args(["-KILL", &died.to_string()])
        .status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("crashed") && said.contains("the others take over"),
        "{said}"
    );
    tried.assert_complete(4);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_saves_runs_of_all_workers() {
    let tried = TestGrid::new(&format!("{TINY}seeds = 2\n").replace("epochs = 1", "epochs = 40"));
    let child = start_on_two_devices(&tried);
    let programs = children(child.id());
    // Only the program gets the signal, not its children.
    let output = interrupt(child);
    assert!(
        stderr(&output).contains("all started runs are saved"),
        "{}",
        stderr(&output)
    );
    let there = |id: &u32| Path::new(&format!("/proc/{id}")).exists();
    assert!(programs.len() == 2 && !programs.iter().any(there));
    let report = tried.json(&["--list"]);
    let states = report["cells"].as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|cell| cell["state"].as_str().unwrap()).collect();
    assert_eq!(
        states.iter().filter(|state| **state == "stopped").count(),
        2,
        "{states:?}"
    );
}
