//! Tables of runs: which runs share a row, which are omitted, and how this is shown.

use std::path::Path;

use lae_studio::run::event::RunHeader;
use lae_studio::store::export::Format;
use lae_studio::store::table::{ComparisonBase, RunTable, TableRequest, TableRun};
use lae_studio::store::{self, RunFolder, RunSummary};
use lae_studio::texts::Language;

use crate::store::{header, report};

/// Creates a run with this number of its two tasks finished and a changed header.
pub fn create_run(root: &Path, tasks: usize, change: &dyn Fn(&mut RunHeader)) -> RunSummary {
    let mut header = header();
    change(&mut header);
    let folder = RunFolder::create(root, &mut header, "").unwrap();
    for task in 0..tasks {
        folder.save_task(&report(task), &Default::default()).unwrap();
    }
    drop(folder);
    store::summarise(&header.folder).unwrap()
}

/// Changes the method of a run; `seeded` is false if the seed has no effect.
pub fn set_method(header: &mut RunHeader, key: &str, title: &str, seeded: bool) {
    header.config.method = key.into();
    header.method.title = title.into();
    header.method.seeded = Some(seeded);
}

fn request_by_method() -> TableRequest {
    TableRequest { by: vec!["method".into()], ..TableRequest::default() }
}

/// Returns the group of each row and the number of its runs.
fn rows(table: &RunTable<'_>) -> Vec<(String, usize)> {
    let rows = table.to_text_table();
    let row = |row: &Vec<String>| (row[0].clone(), row[1].parse().unwrap());
    rows.rows().iter().map(row).collect()
}

#[test]
fn unfinished_runs_are_omitted_or_get_separate_row() {
    let root = tempfile::tempdir().unwrap();
    let runs = [
        create_run(root.path(), 2, &|_| {}),
        // After one of two tasks, A_N is 100, but for half of the classes only.
        create_run(root.path(), 1, &|header| header.config.seed = 7),
        create_run(root.path(), 1, &|h| set_method(h, "l2p", "L2P", true)),
    ];
    let table_runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::new).collect();
    let table = request_by_method().build(&table_runs).unwrap();
    assert_eq!(rows(&table), [("LAE".to_string(), 1)]);
    assert_eq!(table.omitted_count(), 2);
    let notes = table.notes().join("\n");
    assert!(
        notes.contains("omitted because unfinished:")
            && notes.contains("L2P · adapter 5 (1 of 2 tasks"),
        "{notes}"
    );
    for (format, sign) in [(Format::Markdown, ""), (Format::Latex, "% ")] {
        let text = table.export(format).unwrap();
        let note = text.lines().find(|line| line.contains("omitted"));
        assert!(note.is_some_and(|note| note.starts_with(sign)), "{text}");
    }
    let request =
        TableRequest { unfinished: true, sort: Some("-final".into()), ..request_by_method() };
    let table = request.build(&table_runs).unwrap();
    // The finished run is first, although its A_N is the lowest.
    let finished: Vec<bool> = table.rows().iter().map(|row| row.unfinished.is_none()).collect();
    assert_eq!(finished, [true, false, false]);
    let markdown = table.export(Format::Markdown).unwrap();
    assert!(
        markdown.starts_with("| Method | Runs | Tasks | Final accuracy |")
            && markdown.contains("| L2P | 1 | 1 of 2 | 100.0 |")
            && markdown.contains("| LAE | 1 | all | 75.0 |"),
        "{markdown}"
    );
    assert!(!markdown.contains("**"), "none is the best: {markdown}");
    Language::German.speak();
    let columns = ["final_accuracy".into(), "seconds".into()].into();
    let german = TableRequest { columns, ..request }.build(&table_runs).unwrap();
    let german = german.export(Format::Markdown).unwrap();
    Language::English.speak();
    let expected = "| Läufe | Tasks | Endgenauigkeit | Sekunden |";
    assert!(german.contains(expected), "{german}");
    assert!(german.contains("| 1 von 2 |"), "{german}");
    let csv = table.export(Format::Csv).unwrap();
    assert!(
        csv.starts_with("method,runs,tasks_done,tasks,final_accuracy,")
            && csv.contains("\nl2p,1,1,2,100,"),
        "{csv}"
    );
    let json = serde_json::to_value(table.to_json_rows()).unwrap();
    assert_eq!(json[1]["unfinished"], serde_json::json!({"done": 1, "of": 2}));
    assert!(json[0].get("unfinished").is_none());
}

#[test]
fn export_labels_show_progress_and_validation() {
    let root = tempfile::tempdir().unwrap();
    let mut named = create_run(root.path(), 2, &|h| h.config.validation_share = 0.2);
    named.header.about.name = "Mine".into();
    let runs = [create_run(root.path(), 2, &|_| {}), create_run(root.path(), 1, &|_| {}), named];
    let labels: Vec<String> =
        store::groups::groups(&runs).into_iter().map(|group| group.label).collect();
    assert_eq!(
        labels,
        ["LAE · adapter 5", "LAE · adapter 5, 1 of 2 tasks", "Mine · on validation images"]
    );
    let other_data = create_run(root.path(), 2, &|h| h.config.data = "/my/pets".into());
    let labels = store::groups::groups(&[runs[0].clone(), other_data]);
    assert_eq!(labels[1].label, "pets · LAE · adapter 5");
}

#[test]
fn validation_and_test_runs_get_separate_rows() {
    let root = tempfile::tempdir().unwrap();
    let with_validation = |header: &mut RunHeader| header.config.validation_share = 0.2;
    let as_baseline = |header: &mut RunHeader| set_method(header, "baseline", "Baseline", true);
    let runs = [
        create_run(root.path(), 2, &|_| {}),
        create_run(root.path(), 2, &with_validation),
        create_run(root.path(), 2, &as_baseline),
        create_run(root.path(), 2, &|header| {
            with_validation(header);
            as_baseline(header);
        }),
    ];
    let table_runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::new).collect();
    let request = TableRequest {
        against: Some(ComparisonBase::Condition("method = baseline".into())),
        ..request_by_method()
    };
    let table = request.build(&table_runs).unwrap();
    assert!(table.rows().iter().all(|row| row.runs.len() == 1));
    assert!(table.mixed_settings().is_empty());
    let markdown = table.export(Format::Markdown).unwrap();
    for row in ["| LAE | 1 | test | 75.0 |", "| LAE | 1 | validation | 75.0 |"] {
        assert!(markdown.contains(row), "{markdown}");
    }
    // Each row is compared with the row measured on the same images, never with itself.
    let pairs: Vec<Option<usize>> = table
        .rows_with_comparisons()
        .map(|(_, comparison)| comparison.against.as_ref().map(|difference| difference.pairs))
        .collect();
    assert_eq!(pairs, [Some(1), Some(1), None, None]);
    let last = markdown.lines().find(|line| line.starts_with("| Baseline"));
    assert!(last.is_some_and(|row| row.ends_with("|  |  |")), "{markdown}");
    let csv = table.export(Format::Csv).unwrap();
    assert!(csv.starts_with("method,runs,measured_on,"), "{csv}");
    let columns_only = TableRequest {
        columns: vec!["measured_on".into(), "tasks_done".into()],
        ..request_by_method()
    };
    let table = columns_only.build(&table_runs).unwrap().export(Format::Csv).unwrap();
    assert!(table.contains("lae,1,validation,2\n"), "{table}");
}

#[test]
fn seeds_of_deterministic_method_count_once() {
    let root = tempfile::tempdir().unwrap();
    let deterministic = |seed: u64, first: &str| {
        create_run(root.path(), 2, &|header| {
            set_method(header, "simplecil", "SimpleCIL", false);
            header.config.seed = seed;
            header.class_order[0] = first.into();
        })
    };
    let random = |seed: u64| {
        create_run(root.path(), 2, &|header| {
            header.config.seed = seed;
            header.class_order[0] = "a".into();
        })
    };
    let runs = [
        deterministic(0, "a"),
        deterministic(1, "a"),
        deterministic(2, "a"),
        deterministic(0, "b"),
        random(0),
        random(1),
    ];
    let table_runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::new).collect();
    let table = request_by_method().build(&table_runs).unwrap();
    assert_eq!(rows(&table), [("SimpleCIL".to_string(), 2), ("LAE".to_string(), 2)]);
    let note =
        "SimpleCIL uses no random numbers: runs that differ only in the seed are counted once";
    assert_eq!(table.notes(), [note]);
    let latex = table.export(Format::Latex).unwrap();
    assert!(latex.contains(&format!("% {note}")), "{latex}");
    let one_seed = [table_runs[0].clone(), table_runs[3].clone(), table_runs[4].clone()];
    assert!(request_by_method().build(&one_seed).unwrap().notes().is_empty());
    // The single run is paired with each seed of the other method.
    let request = TableRequest {
        against: Some(ComparisonBase::Condition("method = simplecil".into())),
        ..request_by_method()
    };
    let table = request.build(&table_runs).unwrap();
    let pairs =
        table.rows_with_comparisons().filter_map(|(_, comparison)| comparison.against.as_ref());
    assert_eq!(pairs.map(|pairs| pairs.pairs).collect::<Vec<_>>(), [2]);
}

#[test]
fn older_runs_of_deterministic_method_count_once() {
    let root = tempfile::tempdir().unwrap();
    let older_run = |key: &'static str, title: &'static str, seed: u64| {
        let run = create_run(root.path(), 2, &|header| {
            set_method(header, key, title, true);
            header.method.seeded = None;
            header.config.seed = seed;
        });
        // The summary is rebuilt from the other files, as for older versions.
        std::fs::remove_file(run.header.folder.join("summary.json")).unwrap();
        store::summarise(&run.header.folder).unwrap()
    };
    let deterministic = |seed| older_run("simplecil", "SimpleCIL", seed);
    let runs = [deterministic(0), deterministic(1), deterministic(2)];
    let runs: Vec<RunSummary> =
        runs.into_iter().chain((0..2).map(|seed| older_run("ranpac", "RanPAC", seed))).collect();
    let table_runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::new).collect();
    let table = request_by_method().build(&table_runs).unwrap();
    let counts = [("SimpleCIL".to_string(), 1), ("RanPAC".to_string(), 2)];
    assert_eq!(rows(&table), counts);
    assert_eq!(table.notes().len(), 1, "{:?}", table.notes());
}

#[test]
fn latex_table_marks_best_and_uses_symbols() {
    let root = tempfile::tempdir().unwrap();
    let run_with_correct = |key: &'static str, title: &'static str, correct: usize| {
        let mut run = create_run(root.path(), 2, &|h| set_method(h, key, title, true));
        let mut stored = store::load_run(&run.header.folder).unwrap();
        let answers = &mut stored.reports[1].answers;
        let mut predictions = answers.labels.clone();
        let incorrect = predictions.len() - correct;
        predictions.iter_mut().take(incorrect).for_each(|class| *class = 3);
        let expert = run.header.answering_expert();
        answers.given.insert(expert, predictions);
        run = RunSummary::from_run(&stored);
        run
    };
    let runs = [
        run_with_correct("baseline", "Baseline", 1),
        run_with_correct("lae", "LAE", 3),
        run_with_correct("l2p", "L2P", 2),
    ];
    let table_runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::new).collect();
    let request = TableRequest {
        columns: vec!["final".into(), "forgetting".into()],
        against: Some(ComparisonBase::Condition("method = baseline".into())),
        published: true,
        ..request_by_method()
    };
    let table = request.build(&table_runs).unwrap();
    let latex = table.export(Format::Latex).unwrap();
    for part in [
        "Method & Runs & $A_N$ & $F_N$ & $A_N$ vs. Baseline & Pairs & $A_N$, published",
        "LAE & $1$ & $\\mathbf{75.0}$",
        "L2P & $1$ & \\underline{$50.0$}",
        "Baseline & $1$ & $25.0$",
        "% Baseline; LAE; L2P: no published row has its data (published: ",
    ] {
        assert!(latex.contains(part), "{part}: {latex}");
    }
    let markdown = table.export(Format::Markdown).unwrap();
    assert!(markdown.contains("| LAE | 1 | **75.0** |"), "{markdown}");
}
