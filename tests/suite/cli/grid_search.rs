//! `grid --search`: the same budget for each method, on validation images, and what is written for the test images.

use super::grid::{TINY, TestGrid};
use super::*;

#[test]
fn halving_search_writes_grid_of_best_settings() {
    let rates = "base_lr = [0.001, 0.003, 0.01, 0.02, 0.03, 0.05]\nseeds = 2\n";
    let text = format!("{TINY}{rates}")
        .replace("epochs = 1", "epochs = 4")
        .replace("[\"lae\", \"baseline\"]", "\"baseline\"");
    let grid = TestGrid::new(&text);
    let file = grid.folder.path().join("best.toml").display().to_string();
    let words = ["--search", "halving", "--validation", "0.25", "--winners", &file, "--quiet"];
    let report = grid.json(&words);
    let contest = &report["contests"][0];
    // Six with one epoch, three with two, two with four: 20 epochs in place of 24.
    assert_eq!((&contest["tried"], &contest["rounds"]), (&6.into(), &3.into()));
    let steps = |key: &str| contest[key].as_u64().unwrap();
    assert_eq!(steps("steps") * 24, steps("steps_of_all") * 20);
    let chosen = &contest["chosen"];
    assert!(chosen["settings"]["base_lr"].is_string(), "{contest}");
    assert!(chosen["second"].is_string(), "{contest}");
    assert_eq!(chosen["runs"], 2);
    let runs = json(&run_json(&["runs"], &grid.runs()));
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), (6 + 3 + 2) * 2);
    assert!(runs.iter().all(|run| run["measured_on"] == "validation"), "{runs:?}");
    // It resumes where it was: nothing is run twice.
    assert_eq!(grid.json(&words), report);
    assert_eq!(json(&run_json(&["runs"], &grid.runs())).as_array().unwrap().len(), runs.len());
    // The grid it writes names test images.
    let best = json(&run_json(&["grid", &file, "--quiet"], &grid.runs()));
    assert_eq!(best["cells"].as_array().unwrap().len(), 2);
    for row in best["rows"].as_array().unwrap() {
        for run in row["runs"].as_array().unwrap() {
            assert_eq!(
                (&run["measured_on"], &run["config"]["epochs"]),
                (&Value::from("test"), &Value::from(4))
            );
        }
    }
}

#[test]
fn search_reports_and_respects_step_budget() {
    let grid = TestGrid::new(&format!("{TINY}base_lr = [0.001, 0.01, 0.03, 0.05]\n"));
    let listed = |words: &[&str]| grid.json(&[&["--list", "--search"], words].concat());
    let all = listed(&["all"]);
    let contest = &all["contests"][0];
    assert_eq!(contest["tried"], 4);
    assert_eq!(contest["steps"], all["budget"]);
    let rows = contest["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[1]["settings"]["base_lr"], "0.01");
    let sum_of_rows = |key: &str| rows.iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>();
    assert_eq!(sum_of_rows("steps"), contest["steps"].as_f64().unwrap());
    assert!(sum_of_rows("seconds") > 0.0);
    assert!((sum_of_rows("seconds") - contest["seconds"].as_f64().unwrap()).abs() < 1e-6);
    let step_budget = all["budget"].as_u64().unwrap() * 3 / 4;
    let limited = listed(&["all", "--budget", &step_budget.to_string()]);
    let contest = &limited["contests"][1];
    assert_eq!((&contest["tried"], &contest["left_out"]), (&Value::from(3), &Value::from(1)));
    let rows = contest["rows"].as_array().unwrap();
    assert_eq!(rows.iter().filter(|row| row["left_out"] == true).count(), 1);
    // Four with half of the epochs and two with all of them would be no less than four with all.
    let text = grid.run(&["--list", "--search", "halving"]);
    let text = String::from_utf8(text.stdout).unwrap();
    for expected in ["base_lr 0.05", "halving would not save any", "total: about"] {
        assert!(text.contains(expected), "{text}");
    }
    let assert_rejected = |words: &[&str], expected: &str| {
        let output = grid.run(words);
        let stderr_text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{stderr_text}");
        assert!(stderr_text.contains(expected), "{stderr_text}");
    };
    assert_rejected(
        &["--search", "all", "--budget", "3"],
        &tr!("problem-too-few-training-steps", budget = 3, title = "LAE"),
    );
    assert_rejected(&["--search", "halving", "--device", "cpu,cpu"], "a single device");
    let single_row_grid = TestGrid::new(TINY);
    assert_says!(
        stderr(&single_row_grid.run(&["--search", "all"])),
        "problem-grid-rows-not-comparable"
    );
    assert_eq!(grid.run(&["--search", "all", "--validation", "1.5"]).status.code(), Some(2));
}

#[test]
fn search_counts_steps_of_each_method() {
    let text = format!("{TINY}base_lr = [0.001, 0.01]\n")
        .replace("epochs = 1", "epochs = 3")
        .replace("\"baseline\"", "\"aper\", \"simplecil\"");
    let listed = TestGrid::new(&text).json(&["--list", "--search", "all"]);
    let contests = listed["contests"].as_array().unwrap();
    let steps: Vec<u64> =
        contests.iter().map(|contest| contest["steps"].as_u64().unwrap() / 2).collect();
    let [lae, aper, simplecil] = steps.as_slice() else {
        panic!("{listed}");
    };
    // Three epochs of both tasks; three of the first task and a look at both; a look at both.
    assert_eq!(*aper, lae / 2 + simplecil);
    assert!(aper < lae && simplecil < aper, "{steps:?}");
    // None has fewer rows because another one takes fewer steps.
    assert!(contests.iter().all(|contest| contest["tried"] == 2));
    assert_eq!(listed["budget"], contests[0]["steps"]);
}

#[test]
fn search_counts_epochs_added_by_min_steps() {
    let text = format!("{TINY}base_lr = [0.001, 0.01]\nmin_steps = 60\n");
    let listed = TestGrid::new(&text).json(&["--list", "--search", "all"]);
    // Two rows of two tasks. Five classes of 12 images, a fifth of them held out, in batches of 8: ten epochs of six
    // steps, or nine of seven.
    let steps = listed["contests"][0]["steps"].as_u64().unwrap();
    assert!([4 * 60, 4 * 63].contains(&steps), "{steps}");
}

#[test]
fn search_excludes_incomplete_rows_and_notes_single_runs() {
    let text = format!("{TINY}pet = [\"nosuch\", \"adapter\"]\nbase_lr = [0.001, 0.03]\n")
        .replace("[\"lae\", \"baseline\"]", "\"baseline\"");
    let grid = TestGrid::new(&text);
    let words = ["--search", "all", "--quiet"];
    let output = grid.run(&[&words[..], &["--json", "-"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let contest = &report["contests"][0];
    let unranked = contest["unranked"].as_array().unwrap();
    assert_eq!(unranked.len(), 2, "{contest}");
    for row in unranked {
        assert!(row.as_str().unwrap().contains("pet nosuch"), "{contest}");
    }
    let chosen = &contest["chosen"];
    assert_eq!((&chosen["runs"], &chosen["p"]), (&1.into(), &Value::Null));
    assert_eq!(chosen["settings"]["pet"], "adapter");
    assert_eq!(chosen["level"].as_array().unwrap().len(), 1, "{contest}");
    let edge = chosen["edges"][0]["setting"].as_str().unwrap();
    assert!(edge.starts_with("base_lr "), "{contest}");
    let text = String::from_utf8(grid.run(&words).stdout).unwrap();
    assert_says!(text, "search-one-run-each");
    assert!(says!(text, "search-highest-value") || says!(text, "search-lowest-value"), "{text}");
    let unranked = tr!("search-rows-unranked", rows = "pet nosuch");
    assert!(text.contains(unranked.trim_end_matches('.')), "{text}");
    let no_rows_message = stderr_if_no_row_trains(&grid);
    assert!(no_rows_message.contains("nosuch"), "{no_rows_message}");
}

/// Stderr of a search in which no row can be trained.
fn stderr_if_no_row_trains(grid: &TestGrid) -> String {
    let text = format!("{TINY}pet = [\"nosuch\", \"nosuch2\"]\n");
    std::fs::write(grid.folder.path().join("mine.toml"), text).unwrap();
    let output = grid.run(&["--search", "all", "--quiet"]);
    assert_eq!(output.status.code(), Some(1));
    stderr(&output)
}
