//! `runs` with conditions, columns and groups, and the schema of its JSON.

use super::*;
use crate::run_tables::{create_run as run_of, set_method};

/// Asserts that a value matches a JSON schema; supports the keywords that `docs/run.schema.json` uses.
fn assert_matches_schema(value: &Value, expected: &Value, schema: &Value, path: &str) {
    if let Some(reference) = expected["$ref"].as_str() {
        let part = schema.pointer(reference.trim_start_matches('#'));
        return assert_matches_schema(value, part.unwrap(), schema, path);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |name: &Value| name == kind || (name == "number" && kind == "integer");
    let is_expected_type = match &expected["type"] {
        Value::Array(names) => names.iter().any(fits),
        Value::Null => true,
        name => fits(name),
    };
    assert!(is_expected_type, "{path} is {kind}: {value}");
    if let Some(names) = expected["enum"].as_array() {
        assert!(names.contains(value), "{path} is {value}");
    }
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                assert_matches_schema(item, &expected["items"], schema, &format!("{path}[{i}]"));
            }
        }
        Value::Object(fields) => {
            for name in expected["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{path} lacks {name}");
            }
            for (name, field) in fields {
                let field_path = format!("{path}.{name}");
                match (expected["properties"].get(name), &expected["additionalProperties"]) {
                    (Some(property), _) => {
                        assert_matches_schema(field, property, schema, &field_path);
                    }
                    (None, Value::Bool(false)) => panic!("{field_path} is not in the schema"),
                    (None, other) if other.is_object() => {
                        assert_matches_schema(field, other, schema, &field_path);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/run.schema.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn run_json_matches_schema() {
    let (root, trained) = finished_run();
    let schema = schema();
    assert_matches_schema(trained, &schema, &schema, "run");
    let listed = json(&run_json(&["runs"], root));
    assert_matches_schema(&listed[0], &schema, &schema, "runs[0]");
    let number = |key: &str| trained[key].as_f64().unwrap();
    assert_eq!(number("schema"), f64::from(lae_studio::store::SCHEMA));
    // Every class of the digits has as many test images, so each counts as much as its images.
    assert!((number("balanced_accuracy") - number("final_accuracy")).abs() < 1e-9);
    let class_accuracies: Vec<f64> =
        serde_json::from_value(trained["class_accuracy"].clone()).unwrap();
    assert_eq!(class_accuracies.len(), 10);
    assert!(
        (class_accuracies.iter().sum::<f64>() / 10.0 - number("balanced_accuracy")).abs() < 1e-9
    );
    // The larger of two probabilities is no probability.
    assert!(trained["calibration_error"].is_null());
    let why = trained["why_no_calibration_error"].as_str().unwrap();
    assert!(why.contains("the larger of two probabilities"), "{why}");
    let tasks = trained["tasks"].as_array().unwrap();
    let row = |task: usize| tasks[task]["matrix_row"].as_array().unwrap();
    let learned: Vec<f64> = (0..5).map(|task| row(task)[task].as_f64().unwrap()).collect();
    assert!((learned.iter().sum::<f64>() / 5.0 - number("learning_accuracy")).abs() < 1e-9);
    let gains = (0..4).map(|task| row(4)[task].as_f64().unwrap() - learned[task]);
    assert!((gains.sum::<f64>() / 4.0 - number("backward_transfer")).abs() < 1e-9);
}

/// Two methods over three class orders each, and SimpleCIL once.
fn several_runs() -> &'static Path {
    static RUNS: OnceLock<PathBuf> = OnceLock::new();
    RUNS.get_or_init(|| {
        let root = shared_folder();
        let options = ["--classes-per-task", "5", "--train-limit", "8", "--quiet"];
        for method in [&["--method", "baseline"][..], &["--no-ensemble"]] {
            let words = [QUICK, &options, &["--orders", "3"], method].concat();
            assert_eq!(run(&words, &root).status.code(), Some(0));
        }
        let words = [QUICK, &options, &["--method", "simplecil", "--seed", "5"]].concat();
        assert_eq!(run(&words, &root).status.code(), Some(0));
        root
    })
}

#[test]
fn groups_runs_and_compares_with_reference_row() {
    let runs = several_runs();
    let words = ["runs", "--by", "method", "--against", "method=baseline", "--sort", "-final"];
    let rows = json(&run_json(&words, runs));
    let schema = schema();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let mut before = f64::INFINITY;
    for row in rows {
        assert_matches_schema(row, &schema["$defs"]["row"], &schema, "row");
        let mean = row["mean"]["final_accuracy"].as_f64().unwrap();
        assert!(mean <= before);
        before = mean;
    }
    let row_of_method =
        |method: &str| rows.iter().find(|row| row["by"]["method"] == method).unwrap();
    let (lae, baseline) = (row_of_method("lae"), row_of_method("baseline"));
    assert_eq!(lae["runs"].as_array().unwrap().len(), 3);
    assert!(baseline.get("against").is_none(), "a row is compared with itself");
    let difference = lae["against"]["mean"].as_f64().unwrap();
    let means = [lae, baseline].map(|row| row["mean"]["final_accuracy"].as_f64().unwrap());
    assert!((difference - (means[0] - means[1])).abs() < 1e-9);
    assert_eq!(lae["against"]["pairs"], 3);
    // An interval requires differences that are not all equal.
    let all = json(&run_json(&["runs"], runs));
    let all = all.as_array().unwrap();
    let of_method = |method: &'static str| all.iter().filter(move |run| run["method"] == method);
    let accuracy = |run: &Value| run["final_accuracy"].as_f64().unwrap();
    let differences = of_method("lae").map(|run| {
        let is_pair = |other: &&Value| {
            other["class_order"] == run["class_order"]
                && other["config"]["seed"] == run["config"]["seed"]
        };
        accuracy(run) - accuracy(of_method("baseline").find(is_pair).unwrap())
    });
    let differences: Vec<f64> = differences.collect();
    assert_eq!(differences.len(), 3);
    let is_equal = |other: &f64| (other - differences[0]).abs() < 1e-9;
    match &lae["against"]["interval"] {
        Value::Null => assert!(differences.iter().all(is_equal), "{differences:?}"),
        interval => {
            let [low, high]: [f64; 2] = serde_json::from_value(interval.clone()).unwrap();
            assert!(low < difference && difference < high);
            assert!(!differences.iter().all(is_equal), "{differences:?}");
        }
    }
    // SimpleCIL uses no random numbers, so its run pairs with runs of another seed.
    assert_eq!(row_of_method("simplecil")["against"]["pairs"], 1);
    let text = run(&words, runs);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("Final accuracy vs. Baseline") && text.contains(" ± "), "{text}");
}

#[test]
fn calibration_error_requires_probabilities() {
    let listed = json(&run_json(&["runs"], several_runs()));
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), 7);
    for run in listed {
        let error = run["calibration_error"].as_f64();
        let why = run.get("why_no_calibration_error").and_then(Value::as_str);
        match run["method"].as_str().unwrap() {
            "simplecil" => {
                assert!(error.is_none() && why.unwrap().contains("cosine similarities"));
            }
            // The other runs of LAE are without its ensemble.
            _ => assert!(error.is_some_and(|e| (0.0..=100.0).contains(&e)) && why.is_none()),
        }
    }
    let note = "no calibration error for SimpleCIL: its scores are cosine similarities";
    let words = ["runs", "--by", "method", "--columns", "final,ece"];
    let table = String::from_utf8(run(&words, several_runs()).stdout).unwrap();
    assert!(table.contains(note) && !table.contains("error for LAE"), "{table}");
    let table = String::from_utf8(run(&words[..3], several_runs()).stdout).unwrap();
    assert!(!table.contains("no calibration error"), "{table}");
}

#[test]
fn notes_rows_that_average_different_settings() {
    let output =
        run(&["runs", "--by", "data", "--columns", "final,ece,epochs,method"], several_runs());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("means include runs that differ in "), "{text}");
    assert!(text.contains("method") && text.contains("several"), "{text}");
}

#[test]
fn where_conditions_filter_runs() {
    let runs = several_runs();
    let count = |conditions: &[&str]| {
        let words = conditions.iter().flat_map(|text| ["--where", text]);
        let words: Vec<&str> = ["runs"].into_iter().chain(words).collect();
        json(&run_json(&words, runs)).as_array().unwrap().len()
    };
    assert_eq!(count(&["method = baseline"]), 3);
    assert_eq!(count(&["method != baseline and seed < 5"]), 3);
    assert_eq!(count(&["final >= 0", "method=simplecil"]), 1);
    assert_eq!(count(&["final > 100"]), 0);
    assert_eq!(count(&["order ~ seed"]), 4);
    assert_eq!(count(&["pet = adapter", "ensemble = off"]), 3);
    assert_eq!(count(&["average > 1% and state = finished"]), 7);
}

#[test]
fn exports_table_as_markdown_latex_and_csv() {
    let runs = several_runs();
    let folder = tempfile::tempdir().unwrap();
    let export = |name: &str| {
        let path = folder.path().join(name);
        let words = ["runs", "--by", "method", "--columns", "final,seconds"];
        let against = ["--against", "method=lae", "--export", path.to_str().unwrap()];
        let output = run(&[&words[..], &against].concat(), runs);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::read_to_string(path).unwrap()
    };
    let markdown = export("table.md");
    assert!(markdown.starts_with(
        "| Method | Runs | Final accuracy | Seconds | Final accuracy vs. LAE | Pairs |\n"
    ));
    assert_eq!(markdown.lines().count(), 5);
    let latex = export("table.tex");
    assert!(latex.contains("\\begin{tabular}{lrrrrr}") && latex.contains(" \\pm "), "{latex}");
    let csv = export("table.csv");
    let (titles, rows) = csv.split_once('\n').unwrap();
    assert_eq!(
        titles,
        "method,runs,final_accuracy,final_accuracy_std,seconds,difference,difference_low,difference_high,pairs"
    );
    for row in rows.lines() {
        let cells: Vec<&str> = row.split(',').collect();
        assert!(cells[2].parse::<f64>().is_ok_and(|a| (0.0..=100.0).contains(&a)), "{row}");
    }
}

/// Runs of two methods: one finished, one after the first of two tasks.
fn write_finished_and_unfinished_run(root: &Path) {
    run_of(root, 2, &|_| {});
    run_of(root, 1, &|header| set_method(header, "l2p", "L2P", true));
}

#[test]
fn unfinished_runs_are_omitted_unless_requested() {
    let root = tempfile::tempdir().unwrap();
    write_finished_and_unfinished_run(root.path());
    let rows = |words: &[&str]| {
        let words = [&["runs", "--by", "method"], words].concat();
        let rows = json(&run_json(&words, root.path()));
        let names = rows.as_array().unwrap().iter();
        let mut names: Vec<String> = names.map(|row| row["by"]["method"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(rows(&[]), ["\"lae\""]);
    let both_methods = ["\"l2p\"", "\"lae\""];
    assert_eq!(rows(&["--unfinished"]), both_methods);
    assert_eq!(rows(&["--where", "tasks_done >= 1"]), both_methods);
    assert_eq!(rows(&["--where", "state = interrupted"]), ["\"l2p\""]);
    let table = run(&["runs", "--by", "method"], root.path());
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("omitted because unfinished: digits · L2P · adapter 5 (1 of 2 tasks")
            && table.contains("--unfinished shows"),
        "{table}"
    );
    let file = root.path().join("curves.svg").display().to_string();
    let export = ["runs", "--export", &file];
    let output = run(&export, root.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("omitted because unfinished: 1 run"));
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.contains("LAE · adapter 5") && !svg.contains("L2P"), "{svg}");
    run(&[&export[..], &["--unfinished"]].concat(), root.path());
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.contains("L2P · adapter 5, 1 of 2 tasks"), "{svg}");
}

#[test]
fn exported_table_has_one_row_per_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.tex").display().to_string();
    let words = ["runs", "--columns", "final,bwt", "--export", &path];
    let output = run(&words, several_runs());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let latex = std::fs::read_to_string(&path).unwrap();
    assert!(
        latex.contains("Experiment & Runs & $A_N$ & BWT") && latex.contains("& $3$ &"),
        "{latex}"
    );
    // Three rows, and six lines around them.
    assert_eq!(latex.matches("\\\\\n").count(), 4, "{latex}");
}

#[test]
fn rejects_table_options_without_effect() {
    let runs = several_runs();
    for (words, expected) in [
        (&["--unfinished"][..], "--unfinished has no effect"),
        (&["--export", "a.md", "--figure", "loss"], "--figure has no effect"),
    ] {
        let message = run_expecting_error(&[&["runs"], words].concat(), runs);
        assert!(message.contains(expected), "{words:?}: {message}");
    }
    for words in [&["--export", "a.md", "--json", "-"][..], &["--grid", "demo", "--place", "lab"]] {
        let output = run(&[&["runs"], words].concat(), runs);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn rejects_invalid_columns_and_conditions() {
    let runs = several_runs();
    let [row, rows] = [&["--by", "method", "--against"][..], &["--by", "method", "--export"]];
    for (words, value, id, part) in [
        (&["--by"][..], "methd", "advice-did-you-mean", "`method`"),
        (&["--by"], "final", "problem-group-by-metric", "final_accuracy"),
        (&["--columns"], "nonsense-of-mine", "problem-run-column-not-found", "`nonsense_of_mine`"),
        (&["--where"], "final", "problem-condition-no-comparison", "`final`"),
        (&["--where"], "final >", "problem-condition-side-missing", "`final >`"),
        (&["--where"], "final > high", "problem-condition-needs-number", "`high`"),
        (row, "method = l2p", "problem-no-row-with-value", "l2p"),
        (row, "seed < 9", "problem-several-rows-with-value", "seed < 9"),
        (&["--sort"], "forgeting", "advice-did-you-mean", "`forgetting`"),
        (rows, "a.svg", "problem-table-columns-not-exportable", ""),
    ] {
        let message = run_expecting_error(&[&["runs"], words, &[value]].concat(), runs);
        assert!(says!(message, id) && message.contains(part), "{value}: {message}");
    }
}
