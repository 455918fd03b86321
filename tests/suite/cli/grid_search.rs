//! `grid --search`: the same budget for each method, on validation images, and what is written for the test images.

use super::grid::{TINY, Tried};
use super::*;

#[test]
fn a_search_halves_what_competes_and_writes_a_grid_of_the_best() {
    let text = format!("{TINY}base_lr = [0.001, 0.01, 0.03]\nseeds = 2\n")
        .replace("epochs = 1", "epochs = 2");
    let tried = Tried::new(&text);
    let file = tried.folder.path().join("best.toml").display().to_string();
    let words = [
        "--search",
        "halving",
        "--validation",
        "0.25",
        "--winners",
        &file,
        "--quiet",
    ];
    let report = tried.json(&words);
    let contests = report["contests"].as_array().unwrap();
    assert_eq!(contests.len(), 2);
    for contest in contests {
        // Three with one epoch, two of them with both; two seeds of each.
        assert_eq!(
            (&contest["tried"], &contest["passes"]),
            (&Value::from(3), &Value::from(14))
        );
        assert!(
            contest["chosen"]["settings"]["base_lr"].is_string(),
            "{contest}"
        );
        assert!(contest["chosen"]["second"].is_string(), "{contest}");
        assert_eq!(contest["chosen"]["runs"], 2);
    }
    let runs = json(&run_json(&["runs"], &tried.runs()));
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), 2 * (3 + 2) * 2);
    assert!(
        runs.iter().all(|run| run["measured_on"] == "validation"),
        "{runs:?}"
    );
    // It goes on where it was: nothing is run twice.
    assert_eq!(tried.json(&words), report);
    assert_eq!(
        json(&run_json(&["runs"], &tried.runs()))
            .as_array()
            .unwrap()
            .len(),
        runs.len()
    );
    // The grid it writes names test images.
    let best = json(&run_json(&["grid", &file, "--quiet"], &tried.runs()));
    assert_eq!(best["cells"].as_array().unwrap().len(), 4);
    for row in best["rows"].as_array().unwrap() {
        for run in row["runs"].as_array().unwrap() {
            assert_eq!(
                (&run["measured_on"], &run["config"]["epochs"]),
                (&Value::from("test"), &Value::from(2))
            );
        }
    }
}

#[test]
fn a_budget_is_told_and_kept_to() {
    let tried = Tried::new(&format!("{TINY}base_lr = [0.001, 0.01, 0.03, 0.05]\n"));
    let listed = |words: &[&str]| tried.json(&[&["--list", "--search"], words].concat());
    let all = listed(&["all"]);
    assert_eq!(
        (&all["budget"], &all["contests"][0]["tried"]),
        (&Value::from(4), &Value::from(4))
    );
    let less = listed(&["all", "--budget", "3"]);
    let contest = &less["contests"][1];
    assert_eq!(
        (&contest["tried"], &contest["left_out"]),
        (&Value::from(3), &Value::from(1))
    );
    let refused = |words: &[&str], told: &str| {
        let output = tried.run(words);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(told), "{said}");
    };
    let slower =
        Tried::new(&format!("{TINY}base_lr = [0.001, 0.01]\n").replace("epochs = 1", "epochs = 9"));
    let output = slower.run(&["--search", "all", "--budget", "3"]);
    assert!(
        stderr(&output).contains("3 training passes do not suffice"),
        "{}",
        stderr(&output)
    );
    refused(
        &["--search", "halving", "--device", "cpu,cpu"],
        "one device",
    );
    let alone = Tried::new(TINY);
    assert!(stderr(&alone.run(&["--search", "all"])).contains("no two rows"));
    assert_eq!(
        tried
            .run(&["--search", "all", "--validation", "1.5"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn epochs_that_the_least_number_of_steps_adds_are_counted() {
    let text = format!("{TINY}base_lr = [0.001, 0.01]\nmin_steps = 60\n");
    let listed = Tried::new(&text).json(&["--list", "--search", "all"]);
    // Five classes of 12 pictures, a fifth of them held back, in batches of 8: six or seven steps an epoch.
    let passes = listed["contests"][0]["passes"].as_u64().unwrap();
    assert!((2 * 9..=2 * 10).contains(&passes), "{passes}");
}
