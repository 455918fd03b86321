//! `grid --place` over a real `sshd`.

use std::fs;

use super::grid::{TINY, runs_with_file};
use super::places::{Lab, install_custom_plugin_and_backbone, kill, ssh_clients};
use super::*;

/// Writes a grid file and returns its path.
fn write_grid_file(lab: &Lab, text: &str) -> String {
    let path = lab.path("mine.toml");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Results of the runs in a grid's report.
fn run_results(report: &Value) -> Vec<Value> {
    let rows = report["rows"].as_array().unwrap();
    let runs = rows.iter().flat_map(|row| row["runs"].as_array().unwrap());
    runs.map(essence).collect()
}

#[test]
fn remote_grid_survives_connection_loss_and_engine_kill() {
    let Some(lab) = Lab::start() else { return };
    let file = write_grid_file(&lab, &TINY.replace("epochs = 1", "epochs = 12"));
    let grid = ["grid", &file, "--quiet"];
    let expected = json(&run_json(&grid, &lab.path("local")));
    let words = [&grid[..], &["--place", "lab", "--json", "-"]].concat();
    let mut child = program_command(&words, &lab.local_root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let remote_root = lab.remote_root();
    wait_for(&mut child, || {
        (runs_with_file(&remote_root, "run.toml") == 1).then(|| remote_root.clone())
    });
    ssh_clients(&child).iter().for_each(|client| kill(client));
    // The first cell is downloaded, the second one is training.
    wait_for(&mut child, || {
        let counts = (
            runs_with_file(&remote_root, "run.toml"),
            runs_with_file(&lab.local_root(), "metrics.csv"),
        );
        (counts == (2, 1)).then(|| remote_root.clone())
    });
    kill(&lab.daemon().unwrap());
    let report = json(&child.wait_with_output().unwrap());
    assert_eq!(run_results(&report), run_results(&expected));
    assert_eq!((runs_with_file(&remote_root, "run.toml"), lab.local_runs().len()), (2, 2));
    let listed = json(&run_json(&["runs"], &lab.local_root()));
    let listed = listed.as_array().unwrap();
    assert!(listed.iter().all(|run| run["place"] == "lab" && run["state"] == "finished"));
    // All runs are local: the remote machine is not contacted again.
    lab.revoke_key();
    let repeated = run(&["grid", &file, "--place", "lab"], &lab.local_root());
    assert_eq!(repeated.status.code(), Some(0), "{}", stderr(&repeated));
    assert!(stderr(&repeated).contains("2 runs: 2 done"), "{}", stderr(&repeated));
}

#[test]
fn detached_remote_grid_uploads_inputs_and_returns_runs() {
    let Some(lab) = Lab::start() else { return };
    install_custom_plugin_and_backbone(&lab);
    let text = TINY
        .replace("method = [\"lae\", \"baseline\"]", "method = \"baseline\"")
        .replace("data = \"digits\"", "data = \"pictures\"")
        .replace("classes_per_task = \"5\"", "classes_per_task = \"1\"");
    let text = format!("{text}pet = \"mine\"\nbackbone = \"my-nano\"\nseeds = 2\n");
    let file = write_grid_file(&lab, &text);
    lab.make_images();
    let data = format!("pictures={}", lab.path("pictures").display());
    let words = ["grid", &file, "--place", "lab", "--data", &data];
    let detached = run(&[&words[..], &["--detach"]].concat(), &lab.local_root());
    let stderr_text = stderr(&detached);
    assert_eq!(detached.status.code(), Some(0), "{stderr_text}");
    assert_says!(stderr_text, "doing-copying-files", n = 24, what = tr!("copied-dataset"));
    assert_says!(stderr_text, "doing-copying-files", n = 1, what = tr!("copied-backbone"));
    assert!(stderr_text.contains("it continues at lab"), "{stderr_text}");
    assert_eq!(lab.local_runs().len(), 0);
    let end = Instant::now() + crate::TIMEOUT;
    let finished = || json(&run_json(&["runs", "--place", "lab"], &lab.local_root()));
    while finished().as_array().unwrap().iter().filter(|run| run["state"] == "finished").count() < 2
    {
        assert!(Instant::now() < end, "the runs did not finish in time");
        std::thread::sleep(Duration::from_millis(200));
    }
    // The same command without `--detach` downloads the finished runs.
    let report = json(&run_json(&words, &lab.local_root()));
    assert_eq!(run_results(&report).len(), 2);
    assert_eq!((runs_with_file(&lab.remote_root(), "run.toml"), lab.local_runs().len()), (2, 2));
    let local = [&words[..2], &words[4..]].concat();
    let mut local = program_command(&[&local[..], &["--json", "-"]].concat(), &lab.path("local"));
    local.env("XDG_DATA_HOME", lab.local_root().join("data"));
    assert_eq!(run_results(&report), run_results(&json(&local.output().unwrap())));
}
