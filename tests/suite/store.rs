//! Run folders through the public interface: saving, damage, concurrent use, lists, exports.

use std::collections::BTreeMap;
use std::path::Path;

use lae_studio::metrics::{Expert, Predictions};
use lae_studio::pet::StreamScheme;
use lae_studio::problem::Problem;
use lae_studio::run::config::{Precision, RunConfig, Setting};
use lae_studio::run::event::{Costs, RunHeader, TaskReport};
use lae_studio::store::export::{Format, export};
use lae_studio::store::figure::RunFigure;
use lae_studio::store::{self, Checkpoint, RunFolder, RunSummary, StoredRun, StoredState};
use lae_studio::tensors::{GeneratedTensors, HostTensor, NamedTensors};

use crate::assert_is;

/// Two tasks of two classes; class names in several scripts and with awkward characters.
pub fn header() -> RunHeader {
    RunHeader {
        run: String::new(),
        about: Default::default(),
        folder: Path::new("").to_path_buf(),
        config: RunConfig::default(),
        method: crate::lae_facts(),
        class_order: ["猫", "\"dog\"", "[facts]", "d,e\nf"].map(Into::into).to_vec(),
        tasks: vec![0..2, 2..4],
        train_images: vec![10, 30],
        test_images: vec![2, 2],
        device: "CPU".into(),
        gpu_weights: None,
        drawing: Default::default(),
        input_size: 32,
        trained_parameters: 100,
        frozen_parameters: 1000,
        weights_sha256: "ab".repeat(32),
        start_sha256: None,
        images: None,
        added_tasks: Vec::new(),
        started: "2026-11-21T09:00:00+01:00".into(),
        version: "0.1.0".into(),
    }
}

/// The ensemble forgets class 0 in the second task.
pub fn report(task: usize) -> TaskReport {
    let labels: Vec<usize> = (0..2 * (task + 1)).collect();
    let mut ensemble = labels.clone();
    if task == 1 {
        ensemble[0] = 3;
    }
    TaskReport {
        task,
        losses: vec![1.5, 0.25],
        answers: Predictions {
            samples: labels.iter().map(|i| i * 10).collect(),
            sources: Vec::new(),
            given: [
                (Expert::ONLINE, vec![0; labels.len()]),
                (Expert::OFFLINE, labels.clone()),
                (Expert::ENSEMBLE, ensemble),
            ]
            .into(),
            certainty: [(Expert::ENSEMBLE, vec![0.25; labels.len()])].into(),
            task_given: labels.clone(),
            labels,
        },
        slots: Vec::new(),
        seconds: 0.1 + 0.2,
        images_per_second: if task == 0 { 10.0 } else { 30.0 },
        unreadable: 0,
        costs: Costs {
            images_seen: 48,
            training_seconds: 0.5,
            prediction_seconds: 0.001,
            stored_parameters: 2,
            kept_bytes: 8,
        },
        measurements: BTreeMap::from([
            ("online_drift".to_string(), 0.25),
            ("offline_drift".to_string(), 0.5),
            ("chosen".to_string(), 0.125),
        ]),
    }
}

fn snapshot(value: f32) -> NamedTensors {
    let tensor = HostTensor { shape: vec![2], values: vec![value, -value] };
    NamedTensors::from([("online.a".to_string(), tensor)])
}

fn expect_problem<T>(result: Result<T, Problem>) -> Problem {
    match result {
        Ok(_) => panic!("expected a problem"),
        Err(problem) => problem,
    }
}

#[test]
fn run_roundtrips_through_folder() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap();
    assert_eq!(header.folder, folder.path());
    assert!(header.run.ends_with("_digits-lae-adapter5"), "{}", header.run);
    assert!(folder.save_task(&report(0), &snapshot(1.0)).unwrap() > 100);
    let mut checkpoint =
        Checkpoint { task: 1, epochs_done: 3, tensors: snapshot(3.0), ..Checkpoint::default() };
    checkpoint.set("steps", 77);
    folder.save_checkpoint(&checkpoint, GeneratedTensors::new()).unwrap();

    let path = folder.path().to_path_buf();
    assert_eq!(store::load_run(&path).unwrap().state, StoredState::Running);
    assert!(expect_problem(RunFolder::open(&path)).mentions("problem-run-in-use"));
    drop(folder);
    let interrupted = store::load_run(&path).unwrap();
    assert_eq!(interrupted.state, StoredState::Interrupted { task: 1, epoch: 3 });
    assert_eq!(interrupted.header, header);

    let folder = RunFolder::open(&path).unwrap();
    assert_eq!(folder.load_checkpoint().unwrap(), Some(checkpoint));
    // A report of the same task replaces the one before.
    folder.save_task(&report(0), &snapshot(2.0)).unwrap();
    folder.save_task(&report(1), &snapshot(4.0)).unwrap();
    folder.finish(false).unwrap();
    assert_eq!(folder.load_checkpoint().unwrap(), None);
    drop(folder);
    let complete = store::load_run(&path).unwrap();
    assert_eq!(complete.state, StoredState::Finished);
    assert_eq!(complete.plugin, "name = \"adapter\"\n");
    assert_eq!(complete.reports[1].answers, report(1).answers);
    assert_eq!(complete.reports[1].seconds, 0.1 + 0.2);
    assert_eq!(store::load_snapshot(&path, 0).unwrap(), snapshot(2.0));
    let histories = RunSummary::from_run(&complete).histories();
    assert_eq!(histories.for_expert(Expert::ENSEMBLE).accuracy, vec![1.0, 0.75]);
}

#[test]
fn roundtrips_custom_experts() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let experts = ["quick", "slow", "answer"].map(|key| Expert::from_key(key).unwrap());
    header.method.experts = experts.to_vec();
    let folder = RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap();
    let mut report = report(0);
    report.answers.given = experts.map(|expert| (expert, vec![0, 1])).into();
    report.answers.certainty = experts.map(|expert| (expert, vec![0.5, 1.0])).into();
    folder.save_task(&report, &snapshot(1.0)).unwrap();
    let run = store::load_run(folder.path()).unwrap();
    assert_eq!(run.header.method.experts, experts);
    assert_eq!(run.reports[0].answers, report.answers);
    assert_eq!(run.header.answering_expert(), Expert::ANSWER);
    let histories = RunSummary::from_run(&run).histories();
    assert_eq!(histories.for_expert(experts[0]).last_accuracy(), Some(1.0));
}

#[test]
fn settings_part_of_run_file_is_config() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "").unwrap();
    let text = std::fs::read_to_string(folder.path().join("run.toml")).unwrap();
    let config = RunConfig::from_toml(store::settings_part(&text), "run.toml").unwrap();
    assert_eq!(config, RunConfig::default());
    assert_eq!(store::settings_part("epochs = 1\n"), "epochs = 1\n");
}

#[test]
fn run_keeps_its_stream_scheme() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "").unwrap();
    let (path, run_file) = (folder.path().to_path_buf(), folder.path().join("run.toml"));
    drop(folder);
    assert_eq!(store::load_run(&path).unwrap().header.drawing, StreamScheme::ByName);
    let text = std::fs::read_to_string(&run_file).unwrap();
    // Older versions did not store the scheme.
    std::fs::write(&run_file, text.replace("draws = 2\n", "")).unwrap();
    let older_header = store::load_run(&path).unwrap().header;
    assert_eq!(older_header.drawing, StreamScheme::ByPlace);
    // Resuming a run updates its format version.
    let folder = RunFolder::open(&path).unwrap();
    assert!(!folder.has_older_format());
    std::fs::write(&run_file, text.replace("format = 2\n", "format = 1\n")).unwrap();
    assert!(folder.has_older_format());
    folder.save_header(&older_header).unwrap();
    assert!(!folder.has_older_format());
    drop(folder);
    assert_eq!(store::load_run(&path).unwrap().header.drawing, StreamScheme::ByPlace);
    std::fs::write(&run_file, text.replace("draws = 2\n", "draws = 3\n")).unwrap();
    assert!(expect_problem(store::load_run(&path)).mentions("problem-run-newer-version"));
}

#[test]
fn summary_uses_percent() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    folder.save_task(&report(1), &snapshot(1.0)).unwrap();
    let run = store::load_run(folder.path()).unwrap();
    let json = serde_json::to_value(store::summary(&run)).unwrap();
    assert_eq!(json["final_accuracy"], 75.0);
    assert_eq!(json["average_accuracy"], 87.5);
    assert_eq!(json["task_averaged_accuracy"], 75.0);
    assert_eq!(json["forgetting"], 50.0);
    assert_eq!(json["tasks"][1]["matrix_row"], serde_json::json!([50.0, 100.0]));
    assert_eq!(json["tasks"][1]["online"], 25.0);
    assert_eq!(json["tasks"][0]["classes"][0], "猫");
    assert_eq!(json["state"], "finished");
    // 40 images in 2 seconds.
    assert_eq!(json["images_per_second"], 20.0);
    let orders = store::summary_of_orders(&[run.clone(), run]);
    assert_eq!(orders.mean.final_accuracy(), Some(75.0));
    assert_eq!(orders.std.final_accuracy(), Some(0.0));
}

#[test]
fn truncated_file_is_named_and_run_stays_listed() {
    let root = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for truncated_file in ["run.toml", "confusion/task_2.csv", "metrics.csv", "nothing"] {
        let mut header = header();
        let folder = RunFolder::create(root.path(), &mut header, "p").unwrap();
        folder.save_task(&report(0), &snapshot(1.0)).unwrap();
        folder.save_task(&report(1), &snapshot(1.0)).unwrap();
        let path = folder.path().join(truncated_file);
        drop(folder);
        if let Ok(bytes) = std::fs::read(&path) {
            std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
            let problem = expect_problem(store::load_run(&header.folder));
            assert!(problem.place.contains(truncated_file), "{problem}");
        }
        names.push((header.run, truncated_file));
    }
    let listed = store::list_runs(root.path());
    assert_eq!(listed.len(), 4);
    for entry in listed {
        let truncated_file = names.iter().find(|(name, _)| *name == entry.run).unwrap().1;
        assert_eq!(entry.summary.is_ok(), truncated_file == "nothing", "{truncated_file}");
    }
    // Two runs can begin in the same second.
    assert!(names.iter().all(|(name, _)| !name.is_empty()));
}

/// Otherwise, resuming would train the run again.
#[test]
fn run_without_its_metrics_is_damaged() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "p").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    folder.save_task(&report(1), &snapshot(1.0)).unwrap();
    drop(folder);
    std::fs::remove_file(header.folder.join("metrics.csv")).unwrap();
    let problem = expect_problem(store::load_run(&header.folder));
    assert!(problem.is("problem-run-table-damaged"), "{problem}");
}

#[test]
fn reports_truncated_tensors_and_missing_files() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "p").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    folder.save_checkpoint(&Checkpoint::default(), GeneratedTensors::new()).unwrap();
    let path = folder.path().to_path_buf();
    for file in ["task_1.safetensors", "resume/checkpoint.safetensors"] {
        let bytes = std::fs::read(path.join(file)).unwrap();
        std::fs::write(path.join(file), &bytes[..bytes.len() - 1]).unwrap();
    }
    let problem = expect_problem(store::load_snapshot(&path, 0));
    assert!(problem.place.ends_with("task_1.safetensors"), "{problem}");
    assert!(expect_problem(folder.load_checkpoint()).place.ends_with("checkpoint.safetensors"));
    assert!(expect_problem(store::load_snapshot(&path, 1)).what.contains("task 2"));
    drop(folder);
    std::fs::remove_file(path.join("plugin.toml")).unwrap();
    assert!(expect_problem(store::load_run(&path)).place.ends_with("plugin.toml"));
    assert!(expect_problem(store::load_run(root.path())).mentions("problem-folder-without-run"));
    assert!(expect_problem(RunFolder::open(root.path())).mentions("problem-folder-without-run"));
    assert!(store::list_runs(&root.path().join("nowhere")).is_empty());
}

#[test]
fn find_accepts_folder_name_prefix_and_latest() {
    let root = tempfile::tempdir().unwrap();
    let root_path = root.path();
    assert!(expect_problem(store::find_run(root_path, "latest")).mentions("advice-no-runs-yet"));
    let mut first = header();
    drop(RunFolder::create(root_path, &mut first, "").unwrap());
    // The path of a root with one run means that run.
    let root_text = root_path.display().to_string();
    assert_eq!(store::find_run(Path::new("x"), &root_text).unwrap(), first.folder);
    let mut second = header();
    drop(RunFolder::create(root_path, &mut second, "").unwrap());
    let text = second.folder.display().to_string();
    assert_eq!(store::find_run(Path::new("x"), &text).unwrap(), second.folder);
    assert_eq!(store::find_run(root_path, &first.run).unwrap(), first.folder);
    assert_eq!(store::find_run(root_path, "latest").unwrap(), second.folder);
    assert_says!(
        expect_problem(store::find_run(root_path, "2")).what,
        "problem-run-name-ambiguous",
        several = 2
    );
    let unknown = expect_problem(store::find_run(root_path, "zebra"));
    assert!(unknown.remedy.contains(&first.run), "{unknown}");
    assert!(
        expect_problem(store::find_run(Path::new("x"), &root_text))
            .mentions("problem-folder-without-run")
    );
}

/// The default figure of an export.
const ACCURACY: RunFigure = RunFigure::Accuracy;

/// Exports runs without sample images.
fn export_summaries(runs: &[RunSummary], format: Format) -> Result<Vec<u8>, Problem> {
    export(runs, (format, ACCURACY), &|_| Vec::new())
}

fn export_runs(runs: &[StoredRun], format: Format) -> String {
    to_text(export_summaries(&summaries(runs), format).unwrap())
}

fn to_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn summaries(runs: &[StoredRun]) -> Vec<RunSummary> {
    runs.iter().map(RunSummary::from_run).collect()
}

/// Creates a finished run of the two tasks in `root`.
fn finished_run(root: &Path) -> StoredRun {
    let folder = RunFolder::create(root, &mut header(), "p").unwrap();
    for task in 0..2 {
        folder.save_task(&report(task), &snapshot(1.0)).unwrap();
    }
    store::load_run(folder.path()).unwrap()
}

#[test]
fn groups_by_settings_but_not_by_seed() {
    let root = tempfile::tempdir().unwrap();
    let first = finished_run(root.path());
    let changed = |change: &dyn Fn(&mut StoredRun)| {
        let mut run = first.clone();
        change(&mut run);
        run
    };
    // Half an hour after the first run, although its text sorts before it.
    let repeated = changed(&|run| {
        run.header.started = "2026-11-21T08:30:00+00:00".into();
        run.header.config.device = "gpu".into();
        run.header.config.cache_mb += 1;
        let answers = &mut run.reports[1].answers;
        answers.given.insert(Expert::ENSEMBLE, answers.labels.clone());
    });
    let seeded = changed(&|run| run.header.config.seed = 7);
    let weights = changed(&|run| run.header.weights_sha256 = "cd".repeat(32));
    let plugin = changed(&|run| run.plugin.push('q'));
    let tasks = changed(&|run| run.header.tasks = vec![0..1, 1..4]);
    let images = changed(&|run| {
        let mut fingerprints = run.header.images.clone().unwrap_or_default();
        fingerprints.train = "ef".repeat(32);
        run.header.images = Some(fingerprints);
    });
    // The precision that `auto` chose on a GPU.
    let half_precision =
        changed(&|run| run.header.gpu_weights = Some(lae_studio::nn::WeightType::F16));
    // The precision that `auto` means here, chosen explicitly.
    let explicit_precision = changed(&|run| {
        run.header.config.precision = Precision::F32;
        run.header.config.seed = 7;
        run.header.started = "2026-11-20T08:30:00+00:00".into();
    });
    let all_runs = [
        &first,
        &repeated,
        &seeded,
        &weights,
        &plugin,
        &tasks,
        &images,
        &half_precision,
        &explicit_precision,
    ];
    let groups = store::groups::groups(&all_runs.map(RunSummary::from_run));
    let sizes: Vec<usize> = groups.iter().map(|g| g.orders.runs.len()).collect();
    assert_eq!(sizes, [2, 1, 1, 1, 1, 1]);
    let figures = |g: &store::groups::Group| -> Vec<Option<f64>> {
        let runs = g.orders.runs.iter();
        runs.map(|run| run.figures.final_accuracy()).collect()
    };
    // The newer run of seed 0 and the run of seed 7 count.
    assert_eq!(figures(&groups[0]), [Some(100.0), Some(75.0)]);
    assert_eq!(groups[0].orders.mean.final_accuracy(), Some(87.5));
    assert_eq!(groups[0].orders.std.final_accuracy().map(f64::round), Some(18.0));
}

#[test]
fn compares_runs_only_on_same_test_images() {
    let root = tempfile::tempdir().unwrap();
    let mut first = finished_run(root.path());
    first.header.images = Some(Default::default());
    // The same images and answers in a different class order.
    let mut second = first.clone();
    second.header.class_order.swap(0, 3);
    let answers = &mut second.reports[1].answers;
    let swap = |class: &mut usize| {
        *class = match *class {
            0 => 3,
            3 => 0,
            other => other,
        }
    };
    answers.labels.iter_mut().for_each(swap);
    answers.given.values_mut().flatten().for_each(swap);
    answers.samples.reverse();
    answers.labels.reverse();
    answers.given.values_mut().for_each(|given| given.reverse());
    let compare = |left: &StoredRun, right: &StoredRun| {
        let latest_answers = |run: &StoredRun| RunSummary::from_run(run).latest?.answered;
        let right_answers = latest_answers(right)?;
        latest_answers(left)?.compare(Expert::ENSEMBLE, (&right_answers, Expert::ENSEMBLE))
    };
    let counts = |left: &StoredRun, right: &StoredRun| {
        compare(left, right).map(|p| (p.images, p.first, p.second))
    };
    assert_eq!(counts(&first, &second), Some((4, 0, 0)));
    // The first run's ensemble misclassifies one image that the second classifies correctly.
    let labels = second.reports[1].answers.labels.clone();
    let predictions = &mut second.reports[1].answers.given;
    predictions.insert(Expert::ENSEMBLE, labels);
    assert_eq!(counts(&first, &second), Some((4, 0, 1)));
    assert_eq!(counts(&second, &first), Some((4, 1, 0)));
    // Only the test images matter, not the seed or the training images.
    let mut seeded = second.clone();
    for run in [&mut first, &mut seeded] {
        run.header.config.validation_share = 0.2;
    }
    seeded.header.config.seed = 7;
    seeded.header.config.validation_share = 0.25;
    seeded.header.images.as_mut().unwrap().train = "cd".repeat(32);
    assert_eq!(counts(&first, &seeded), Some((4, 0, 1)));
    // Other test images, a missing task, and a missing fingerprint.
    let mut changed = second.clone();
    changed.header.images.as_mut().unwrap().test = "ef".repeat(32);
    assert_eq!(counts(&first, &changed), None);
    changed = second.clone();
    changed.reports.pop();
    assert_eq!(counts(&first, &changed), None);
    second.header.images = None;
    assert_eq!(counts(&first, &second), None);
}

#[test]
fn rejects_task_sizes_that_do_not_add_up() {
    let root = tempfile::tempdir().unwrap();
    let good = finished_run(root.path());
    let with_sizes = |sizes: &str| {
        let run = finished_run(root.path());
        let path = run.header.folder.join("run.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("task_sizes = [2, 2]"), "{text}");
        let text = text.replace("task_sizes = [2, 2]", &format!("task_sizes = {sizes}"));
        std::fs::write(&path, text).unwrap();
        run.header.folder
    };
    let max = i64::MAX;
    // The sum of the first wraps around to four, the number of classes.
    for sizes in [
        format!("[{max}, {max}, 6]"),
        "[4, 0]".into(),
        "[2, 1]".into(),
        "[2, 3]".into(),
        "[4]".into(),
    ] {
        let problem = expect_problem(store::load_run(&with_sizes(&sizes)));
        assert!(problem.place.ends_with("run.toml"), "{sizes}: {problem}");
    }
    let listed = store::list_runs(root.path());
    assert_eq!(listed.len(), 6);
    let readable: Vec<&str> = listed
        .iter()
        .filter(|entry| entry.summary.is_ok())
        .map(|entry| entry.run.as_str())
        .collect();
    assert_eq!(readable, [good.header.run.as_str()]);
}

#[test]
fn latest_and_list_sort_by_start_time() {
    let root = tempfile::tempdir().unwrap();
    let root_path = root.path();
    let create_run = |started: &str, name: &str| {
        let mut header = RunHeader { started: started.into(), ..header() };
        drop(RunFolder::create(root_path, &mut header, "").unwrap());
        std::fs::rename(&header.folder, root_path.join(name)).unwrap();
    };
    create_run("2026-11-21T09:00:00+01:00", "my best run");
    create_run("2026-11-21T08:30:00+00:00", "2026-11-21_08-30-00_digits");
    create_run("2026-11-20T23:00:00-11:00", "a night's work");
    // An invalid time sorts last.
    create_run("yesterday", "zebra");
    assert_eq!(store::find_run(root_path, "latest").unwrap(), root_path.join("a night's work"));
    let names: Vec<String> = store::list_runs(root_path).into_iter().map(|run| run.run).collect();
    assert_eq!(names, ["a night's work", "2026-11-21_08-30-00_digits", "my best run", "zebra"]);
}

#[test]
fn save_rejects_skipped_task() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "").unwrap();
    let problem = expect_problem(folder.save_task(&report(1), &snapshot(1.0)));
    assert_says!(problem.what, "problem-task-unsaved", task = 2);
}

#[cfg(unix)]
#[test]
fn create_reports_unwritable_folder() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let read_only = root.path().join("closed");
    std::fs::create_dir(&read_only).unwrap();
    std::fs::set_permissions(&read_only, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(read_only.join("probe"), "").is_ok() {
        // Root can write anywhere, but cannot create a folder in a file.
        std::fs::remove_file(read_only.join("probe")).unwrap();
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let problem = expect_problem(RunFolder::create(&file, &mut header(), ""));
        assert!(problem.is("io-create-the-folder-for-runs-failed"), "{problem}");
        return;
    }
    let problem = expect_problem(RunFolder::create(&read_only, &mut header(), ""));
    assert_says!(problem.remedy, "advice-check-permissions");
}

#[test]
fn exports_group_class_orders() {
    use lae_studio::store::groups::groups;
    let root = tempfile::tempdir().unwrap();
    let mut runs = Vec::new();
    for order in ["natural", "seed:1"] {
        let mut header = header();
        header.config.order = order.into();
        if order != "natural" {
            header.class_order.reverse();
        }
        let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
        folder.save_task(&report(0), &snapshot(1.0)).unwrap();
        if order == "natural" {
            let mut second = report(1);
            second.answers.given.get_mut(&Expert::ENSEMBLE).unwrap()[1] = 0;
            folder.save_task(&second, &snapshot(1.0)).unwrap();
        } else {
            folder.save_task(&report(1), &snapshot(1.0)).unwrap();
        }
        runs.push(store::load_run(folder.path()).unwrap());
    }
    let mut header = header();
    header.method.variant = vec!["no Learning".into()];
    header.config.settings = [("learning".to_string(), Setting::Flag(false))].into();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    runs.push(store::load_run(folder.path()).unwrap());

    // A repeated class order counts once.
    let mut repeated = runs[1].clone();
    repeated.header.started = "2000-01-01T00:00:00+00:00".into();
    runs.push(repeated);
    let grouped = groups(&summaries(&runs));
    runs.pop();
    assert_eq!(grouped.len(), 2);
    assert_eq!(grouped[0].orders.runs.len(), 2);
    assert_eq!(grouped[0].orders.mean.final_accuracy(), Some(62.5));
    let unfinished = "LAE · adapter 5, no Learning, 1 of 2 tasks";
    assert_eq!(grouped[1].label, unfinished);
    let markdown = export_runs(&runs, Format::Markdown);
    assert!(markdown.contains("| LAE · adapter 5 | 2 | 62.5 ± 17.7 |"), "{markdown}");
    let row = format!("| {unfinished} | 1 | 100.0 |");
    assert!(markdown.contains(&row), "{markdown}");
    let latex = export_runs(&runs, Format::Latex);
    assert!(latex.contains(r"$62.5 \pm 17.7$"), "{latex}");
    let csv = export_runs(&runs, Format::Csv);
    assert_eq!(csv.lines().count(), 1 + 3 * (2 + 2 + 1));
    for column in ["method", "variant", "backbone", "epochs", "base_lr"] {
        let has_column = csv.lines().next().unwrap().split(',').any(|c| c == column);
        assert!(has_column, "{csv}");
    }
    assert!(csv.contains(",lae,no Learning,digits,"), "{csv}");
    // Groups with equal labels get their different settings appended.
    let mut longer = runs[1].clone();
    longer.header.config.epochs += 7;
    longer.header.config.base_lr = 0.125;
    let labelled = groups(&summaries(&[runs[1].clone(), longer]));
    let label = &labelled[1].label;
    assert!(label.ends_with("(epochs 12, base_lr 0.125)"), "{label}");
    let svg = export_runs(&runs, Format::Svg);
    assert!(svg.starts_with("<svg") && svg.contains("no Learning"), "{svg}");
    let problem = expect_problem(export_summaries(&[], Format::Csv));
    assert_is(&problem, "problem-no-run-with-finished-task");
}

#[test]
fn html_report_is_self_contained() {
    let root = tempfile::tempdir().unwrap();
    let mut runs = Vec::new();
    for (order, name) in [("natural", ""), ("seed:1", ""), ("natural", "<script>alert(1)</script>")]
    {
        let mut header = header();
        header.config.order = order.into();
        header.config.data = "/home/somebody/pictures".into();
        if !name.is_empty() {
            header.config.epochs += 1;
        }
        let folder = RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap();
        for task in 0..2 {
            folder.save_task(&report(task), &snapshot(1.0)).unwrap();
        }
        let mut run = store::summarise(folder.path()).unwrap();
        run.header.about.name = name.into();
        runs.push(run);
    }
    let sample_images = |_: &RunSummary| {
        let (class, png) = ("a & b".into(), vec![1, 2, 3]);
        vec![store::SampleImage { class, png }]
    };
    let page = to_text(export(&runs, (Format::Html, ACCURACY), &sample_images).unwrap());
    for part in [
        "<!DOCTYPE html>",
        &*tr!("report-compared", n = 2),
        "<svg",
        "class=\"heat\"",
        "data:image/png;base64,AQID",
        "a &amp; b",
        "&lt;script&gt;",
        "prefers-color-scheme: dark",
        "@media print",
        "75.0",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for part in ["<script", "http://", "https://", "src=\"/", "/home/somebody", "<link"] {
        assert!(!page.contains(part), "{part}");
    }
    let problem = expect_problem(export(&[], (Format::Html, ACCURACY), &sample_images));
    assert_is(&problem, "problem-no-run-with-finished-task");
}

#[test]
fn docs_name_every_column() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    let run = store::load_run(folder.path()).unwrap();
    let guide = include_str!("../../docs/run-folder.md");
    let first_line = |text: &str| text.lines().next().unwrap().to_string();
    let file = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let tables = [
        file("metrics.csv"),
        file("confusion/task_1.csv"),
        to_text(export_summaries(&[RunSummary::from_run(&run)], Format::Csv).unwrap()),
    ];
    for column in tables.iter().flat_map(|table| {
        let line = first_line(table);
        line.split(',').map(str::to_string).collect::<Vec<_>>()
    }) {
        // The guide describes certainty columns once for all experts.
        let is_documented =
            guide.contains(&format!("`{column}`")) || column.ends_with("_certainty");
        assert!(is_documented, "{column}");
    }
    let json = serde_json::to_value(store::summary(&run).tasks).unwrap();
    for key in ["accuracy", "matrix_row", "losses", "gauges"] {
        assert!(!json[0][key].is_null(), "{key}");
    }
    assert_eq!(json[0]["losses"][1], 0.25);
}

#[test]
fn csv_export_escapes_formulas() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    header.config.order = "=HYPERLINK(\"http://x\")".into();
    header.method.variant = vec!["@SUM(A1)".into()];
    header.version = "+1".into();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    let path = root.path().join("=1+1");
    std::fs::rename(folder.path(), &path).unwrap();
    let run = store::load_run(&path).unwrap();
    let csv = to_text(export_summaries(&[RunSummary::from_run(&run)], Format::Csv).unwrap());
    for cell in ["'=1+1,", "\"'=HYPERLINK(", ",'@SUM(A1),", ",'+1,"] {
        assert!(csv.contains(cell), "{cell}: {csv}");
    }
}

#[test]
fn ignores_checkpoint_of_missing_task() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    let checkpoint = Checkpoint {
        task: usize::MAX,
        epochs_done: 3,
        tensors: snapshot(3.0),
        ..Checkpoint::default()
    };
    folder.save_checkpoint(&checkpoint, GeneratedTensors::new()).unwrap();
    let path = folder.path().to_path_buf();
    drop(folder);
    let state = store::load_run(&path).unwrap().state;
    assert_eq!(state, StoredState::Interrupted { task: 1, epoch: 0 });
}
