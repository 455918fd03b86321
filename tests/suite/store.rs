//! Run folders through the public interface: saving, damage, concurrent use, lists, exports.

use std::collections::BTreeMap;
use std::path::Path;

use lae_studio::metrics::{Answers, Expert};
use lae_studio::pet::StreamScheme;
use lae_studio::problem::Problem;
use lae_studio::run::config::{Precision, RunConfig, Setting};
use lae_studio::run::event::{Costs, RunHeader, TaskReport};
use lae_studio::store::export::{Format, export};
use lae_studio::store::figure::FigureOfRuns;
use lae_studio::store::{self, Checkpoint, RunFolder, RunSummary, StoredRun, StoredState};
use lae_studio::tensors::{GeneratedTensors, HostTensor, Named};

use crate::assert_is;

/// Two tasks of two classes; class names in several scripts and with awkward characters.
pub fn header() -> RunHeader {
    RunHeader {
        run: String::new(),
        about: Default::default(),
        folder: Path::new("").to_path_buf(),
        config: RunConfig::default(),
        method: crate::lae_facts(),
        class_order: ["猫", "\"dog\"", "[facts]", "d,e\nf"]
            .map(Into::into)
            .to_vec(),
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
        answers: Answers {
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

fn snapshot(value: f32) -> Named {
    let tensor = HostTensor {
        shape: vec![2],
        values: vec![value, -value],
    };
    Named::from([("online.a".to_string(), tensor)])
}

fn refused<T>(result: Result<T, Problem>) -> Problem {
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
    assert!(
        header.run.ends_with("_digits-lae-adapter5"),
        "{}",
        header.run
    );
    assert!(folder.save_task(&report(0), &snapshot(1.0)).unwrap() > 100);
    let mut checkpoint = Checkpoint {
        task: 1,
        epochs_done: 3,
        tensors: snapshot(3.0),
        ..Checkpoint::default()
    };
    checkpoint.set("steps", 77);
    folder
        .save_checkpoint(&checkpoint, GeneratedTensors::new())
        .unwrap();

    let path = folder.path().to_path_buf();
    assert_eq!(store::load(&path).unwrap().state, StoredState::Running);
    assert!(refused(RunFolder::open(&path)).mentions("problem-run-in-use"));
    drop(folder);
    let half = store::load(&path).unwrap();
    assert_eq!(half.state, StoredState::Interrupted { task: 1, epoch: 3 });
    assert_eq!(half.header, header);

    let folder = RunFolder::open(&path).unwrap();
    assert_eq!(folder.load_checkpoint().unwrap(), Some(checkpoint));
    // A report of the same task replaces the one before.
    folder.save_task(&report(0), &snapshot(2.0)).unwrap();
    folder.save_task(&report(1), &snapshot(4.0)).unwrap();
    folder.finish(false).unwrap();
    assert_eq!(folder.load_checkpoint().unwrap(), None);
    drop(folder);
    let whole = store::load(&path).unwrap();
    assert_eq!(whole.state, StoredState::Finished);
    assert_eq!(whole.plugin, "name = \"adapter\"\n");
    assert_eq!(whole.reports[1].answers, report(1).answers);
    assert_eq!(whole.reports[1].seconds, 0.1 + 0.2);
    assert_eq!(store::load_snapshot(&path, 0).unwrap(), snapshot(2.0));
    let histories = RunSummary::of(&whole).histories();
    assert_eq!(histories.of(Expert::ENSEMBLE).accuracy, vec![1.0, 0.75]);
}

#[test]
fn roundtrips_custom_experts() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let experts = ["quick", "slow", "answer"].map(|key| Expert::named(key).unwrap());
    header.method.experts = experts.to_vec();
    let folder = RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap();
    let mut report = report(0);
    report.answers.given = experts.map(|expert| (expert, vec![0, 1])).into();
    report.answers.certainty = experts.map(|expert| (expert, vec![0.5, 1.0])).into();
    folder.save_task(&report, &snapshot(1.0)).unwrap();
    let stored = store::load(folder.path()).unwrap();
    assert_eq!(stored.header.method.experts, experts);
    assert_eq!(stored.reports[0].answers, report.answers);
    assert_eq!(stored.header.answering(), Expert::ANSWER);
    let histories = RunSummary::of(&stored).histories();
    assert_eq!(histories.of(experts[0]).last(), Some(1.0));
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
    let (path, record) = (folder.path().to_path_buf(), folder.path().join("run.toml"));
    drop(folder);
    assert_eq!(
        store::load(&path).unwrap().header.drawing,
        StreamScheme::ByName
    );
    let text = std::fs::read_to_string(&record).unwrap();
    // Older versions did not store the scheme.
    std::fs::write(&record, text.replace("draws = 2\n", "")).unwrap();
    let older = store::load(&path).unwrap().header;
    assert_eq!(older.drawing, StreamScheme::ByPlace);
    // Resuming a run updates its format version.
    let folder = RunFolder::open(&path).unwrap();
    assert!(!folder.is_older());
    std::fs::write(&record, text.replace("format = 2\n", "format = 1\n")).unwrap();
    assert!(folder.is_older());
    folder.save_header(&older).unwrap();
    assert!(!folder.is_older());
    drop(folder);
    assert_eq!(
        store::load(&path).unwrap().header.drawing,
        StreamScheme::ByPlace
    );
    std::fs::write(&record, text.replace("draws = 2\n", "draws = 3\n")).unwrap();
    assert!(refused(store::load(&path)).mentions("problem-run-newer-version"));
}

#[test]
fn summary_uses_percent() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    folder.save_task(&report(1), &snapshot(1.0)).unwrap();
    let run = store::load(folder.path()).unwrap();
    let json = serde_json::to_value(store::summary(&run)).unwrap();
    assert_eq!(json["final_accuracy"], 75.0);
    assert_eq!(json["average_accuracy"], 87.5);
    assert_eq!(json["task_averaged_accuracy"], 75.0);
    assert_eq!(json["forgetting"], 50.0);
    assert_eq!(
        json["tasks"][1]["matrix_row"],
        serde_json::json!([50.0, 100.0])
    );
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
    for cut in ["run.toml", "confusion/task_2.csv", "metrics.csv", "nothing"] {
        let mut header = header();
        let folder = RunFolder::create(root.path(), &mut header, "p").unwrap();
        folder.save_task(&report(0), &snapshot(1.0)).unwrap();
        folder.save_task(&report(1), &snapshot(1.0)).unwrap();
        let path = folder.path().join(cut);
        drop(folder);
        if let Ok(bytes) = std::fs::read(&path) {
            std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
            let problem = refused(store::load(&header.folder));
            assert!(problem.place.contains(cut), "{problem}");
        }
        names.push((header.run, cut));
    }
    let listed = store::list(root.path());
    assert_eq!(listed.len(), 4);
    for entry in listed {
        let cut = names.iter().find(|(name, _)| *name == entry.run).unwrap().1;
        assert_eq!(entry.summary.is_ok(), cut == "nothing", "{cut}");
    }
    // Two runs can begin in the same second.
    assert!(names.iter().all(|(name, _)| !name.is_empty()));
}

#[test]
fn reports_truncated_tensors_and_missing_files() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "p").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    folder
        .save_checkpoint(&Checkpoint::default(), GeneratedTensors::new())
        .unwrap();
    let path = folder.path().to_path_buf();
    for file in ["task_1.safetensors", "resume/checkpoint.safetensors"] {
        let bytes = std::fs::read(path.join(file)).unwrap();
        std::fs::write(path.join(file), &bytes[..bytes.len() - 1]).unwrap();
    }
    let problem = refused(store::load_snapshot(&path, 0));
    assert!(problem.place.ends_with("task_1.safetensors"), "{problem}");
    assert!(
        refused(folder.load_checkpoint())
            .place
            .ends_with("checkpoint.safetensors")
    );
    assert!(
        refused(store::load_snapshot(&path, 1))
            .what
            .contains("task 2")
    );
    drop(folder);
    std::fs::remove_file(path.join("plugin.toml")).unwrap();
    assert!(refused(store::load(&path)).place.ends_with("plugin.toml"));
    assert!(refused(store::load(root.path())).mentions("problem-folder-without-run"));
    assert!(refused(RunFolder::open(root.path())).mentions("problem-folder-without-run"));
    assert!(store::list(&root.path().join("nowhere")).is_empty());
}

#[test]
fn find_accepts_folder_name_prefix_and_latest() {
    let root = tempfile::tempdir().unwrap();
    let at = root.path();
    assert!(refused(store::find(at, "latest")).mentions("advice-no-runs-yet"));
    let mut first = header();
    drop(RunFolder::create(at, &mut first, "").unwrap());
    // The path of a root with one run means that run.
    let root_text = at.display().to_string();
    assert_eq!(
        store::find(Path::new("x"), &root_text).unwrap(),
        first.folder
    );
    let mut second = header();
    drop(RunFolder::create(at, &mut second, "").unwrap());
    let text = second.folder.display().to_string();
    assert_eq!(store::find(Path::new("x"), &text).unwrap(), second.folder);
    assert_eq!(store::find(at, &first.run).unwrap(), first.folder);
    assert_eq!(store::find(at, "latest").unwrap(), second.folder);
    assert_says!(
        refused(store::find(at, "2")).what,
        "problem-run-name-ambiguous",
        several = 2
    );
    let unknown = refused(store::find(at, "zebra"));
    assert!(unknown.remedy.contains(&first.run), "{unknown}");
    assert!(
        refused(store::find(Path::new("x"), &root_text)).mentions("problem-folder-without-run")
    );
}

/// The default figure of an export.
const ACCURACY: FigureOfRuns = FigureOfRuns::Accuracy;

/// Exports runs without sample images.
fn exported_of(runs: &[RunSummary], format: Format) -> Result<Vec<u8>, Problem> {
    export(runs, (format, ACCURACY), &|_| Vec::new())
}

fn exported(runs: &[StoredRun], format: Format) -> String {
    text(exported_of(&summaries(runs), format).unwrap())
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn summaries(runs: &[StoredRun]) -> Vec<RunSummary> {
    runs.iter().map(RunSummary::of).collect()
}

/// Creates a finished run of the two tasks in `root`.
fn finished(root: &Path) -> StoredRun {
    let folder = RunFolder::create(root, &mut header(), "p").unwrap();
    for task in 0..2 {
        folder.save_task(&report(task), &snapshot(1.0)).unwrap();
    }
    store::load(folder.path()).unwrap()
}

#[test]
fn groups_by_settings_but_not_by_seed() {
    let root = tempfile::tempdir().unwrap();
    let first = finished(root.path());
    let with = |change: &dyn Fn(&mut StoredRun)| {
        let mut run = first.clone();
        change(&mut run);
        run
    };
    // Half an hour after the first run, although its text sorts before it.
    let again = with(&|run| {
        run.header.started = "2026-11-21T08:30:00+00:00".into();
        run.header.config.device = "gpu".into();
        run.header.config.cache_mb += 1;
        let answers = &mut run.reports[1].answers;
        answers
            .given
            .insert(Expert::ENSEMBLE, answers.labels.clone());
    });
    let seeded = with(&|run| run.header.config.seed = 7);
    let weights = with(&|run| run.header.weights_sha256 = "cd".repeat(32));
    let plugin = with(&|run| run.plugin.push('q'));
    let tasks = with(&|run| run.header.tasks = vec![0..1, 1..4]);
    let images = with(&|run| {
        let mut other = run.header.images.clone().unwrap_or_default();
        other.train = "ef".repeat(32);
        run.header.images = Some(other);
    });
    // The precision that `auto` chose on a GPU.
    let halved = with(&|run| run.header.gpu_weights = Some(lae_studio::nn::WeightType::F16));
    // The precision that `auto` means here, chosen explicitly.
    let named = with(&|run| {
        run.header.config.precision = Precision::F32;
        run.header.config.seed = 7;
        run.header.started = "2026-11-20T08:30:00+00:00".into();
    });
    let all = [
        &first, &again, &seeded, &weights, &plugin, &tasks, &images, &halved, &named,
    ];
    let groups = store::groups::groups(&all.map(RunSummary::of));
    let sizes: Vec<usize> = groups.iter().map(|g| g.orders.runs.len()).collect();
    assert_eq!(sizes, [2, 1, 1, 1, 1, 1]);
    let figures = |g: &store::groups::Group| -> Vec<Option<f64>> {
        let runs = g.orders.runs.iter();
        runs.map(|run| run.figures.final_accuracy()).collect()
    };
    // The newer run of seed 0 and the run of seed 7 count.
    assert_eq!(figures(&groups[0]), [Some(100.0), Some(75.0)]);
    assert_eq!(groups[0].orders.mean.final_accuracy(), Some(87.5));
    assert_eq!(
        groups[0].orders.std.final_accuracy().map(f64::round),
        Some(18.0)
    );
}

#[test]
fn compares_runs_only_on_same_test_images() {
    let root = tempfile::tempdir().unwrap();
    let mut first = finished(root.path());
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
    let beside = |one: &StoredRun, other: &StoredRun| {
        let of = |run: &StoredRun| RunSummary::of(run).latest?.answered;
        let other = of(other)?;
        of(one)?.beside(Expert::ENSEMBLE, (&other, Expert::ENSEMBLE))
    };
    let counts = |one: &StoredRun, other: &StoredRun| {
        beside(one, other).map(|p| (p.images, p.first, p.second))
    };
    assert_eq!(counts(&first, &second), Some((4, 0, 0)));
    // The first run's ensemble misclassifies one image that the second classifies correctly.
    let labels = second.reports[1].answers.labels.clone();
    let given = &mut second.reports[1].answers.given;
    given.insert(Expert::ENSEMBLE, labels);
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
    let mut other = second.clone();
    other.header.images.as_mut().unwrap().test = "ef".repeat(32);
    assert_eq!(counts(&first, &other), None);
    other = second.clone();
    other.reports.pop();
    assert_eq!(counts(&first, &other), None);
    second.header.images = None;
    assert_eq!(counts(&first, &second), None);
}

#[test]
fn rejects_task_sizes_that_do_not_add_up() {
    let root = tempfile::tempdir().unwrap();
    let good = finished(root.path());
    let with_sizes = |sizes: &str| {
        let run = finished(root.path());
        let path = run.header.folder.join("run.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("task_sizes = [2, 2]"), "{text}");
        let text = text.replace("task_sizes = [2, 2]", &format!("task_sizes = {sizes}"));
        std::fs::write(&path, text).unwrap();
        run.header.folder
    };
    let most = i64::MAX;
    // The sum of the first wraps around to four, the number of classes.
    for sizes in [
        format!("[{most}, {most}, 6]"),
        "[4, 0]".into(),
        "[2, 1]".into(),
        "[2, 3]".into(),
        "[4]".into(),
    ] {
        let problem = refused(store::load(&with_sizes(&sizes)));
        assert!(problem.place.ends_with("run.toml"), "{sizes}: {problem}");
    }
    let listed = store::list(root.path());
    assert_eq!(listed.len(), 6);
    let whole: Vec<&str> = listed
        .iter()
        .filter(|entry| entry.summary.is_ok())
        .map(|entry| entry.run.as_str())
        .collect();
    assert_eq!(whole, [good.header.run.as_str()]);
}

#[test]
fn latest_and_list_sort_by_start_time() {
    let root = tempfile::tempdir().unwrap();
    let at = root.path();
    let made = |started: &str, name: &str| {
        let mut header = RunHeader {
            started: started.into(),
            ..header()
        };
        drop(RunFolder::create(at, &mut header, "").unwrap());
        std::fs::rename(&header.folder, at.join(name)).unwrap();
    };
    made("2026-11-21T09:00:00+01:00", "my best run");
    made("2026-11-21T08:30:00+00:00", "2026-11-21_08-30-00_digits");
    made("2026-11-20T23:00:00-11:00", "a night's work");
    // An invalid time sorts last.
    made("yesterday", "zebra");
    assert_eq!(
        store::find(at, "latest").unwrap(),
        at.join("a night's work")
    );
    let names: Vec<String> = store::list(at).into_iter().map(|run| run.run).collect();
    assert_eq!(
        names,
        [
            "a night's work",
            "2026-11-21_08-30-00_digits",
            "my best run",
            "zebra"
        ]
    );
}

#[test]
fn save_rejects_skipped_task() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &mut header(), "").unwrap();
    let problem = refused(folder.save_task(&report(1), &snapshot(1.0)));
    assert_says!(problem.what, "problem-task-unsaved", task = 2);
}

#[cfg(unix)]
#[test]
fn create_reports_unwritable_folder() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let closed = root.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(closed.join("probe"), "").is_ok() {
        // Root can write anywhere, but cannot create a folder in a file.
        std::fs::remove_file(closed.join("probe")).unwrap();
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let problem = refused(RunFolder::create(&file, &mut header(), ""));
        assert!(
            problem.is("io-create-the-folder-for-runs-failed"),
            "{problem}"
        );
        return;
    }
    let problem = refused(RunFolder::create(&closed, &mut header(), ""));
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
        runs.push(store::load(folder.path()).unwrap());
    }
    let mut header = header();
    header.method.variant = vec!["no Learning".into()];
    header.config.settings = [("learning".to_string(), Setting::Flag(false))].into();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    runs.push(store::load(folder.path()).unwrap());

    // A repeated class order counts once.
    let mut again = runs[1].clone();
    again.header.started = "2000-01-01T00:00:00+00:00".into();
    runs.push(again);
    let sorted = groups(&summaries(&runs));
    runs.pop();
    assert_eq!(sorted.len(), 2);
    assert_eq!(sorted[0].orders.runs.len(), 2);
    assert_eq!(sorted[0].orders.mean.final_accuracy(), Some(62.5));
    let unfinished = "LAE · adapter 5, no Learning, 1 of 2 tasks";
    assert_eq!(sorted[1].label, unfinished);
    let markdown = exported(&runs, Format::Markdown);
    assert!(
        markdown.contains("| LAE · adapter 5 | 2 | 62.5 ± 17.7 |"),
        "{markdown}"
    );
    let row = format!("| {unfinished} | 1 | 100.0 |");
    assert!(markdown.contains(&row), "{markdown}");
    let latex = exported(&runs, Format::Latex);
    assert!(latex.contains(r"$62.5 \pm 17.7$"), "{latex}");
    let csv = exported(&runs, Format::Csv);
    assert_eq!(csv.lines().count(), 1 + 3 * (2 + 2 + 1));
    for column in ["method", "variant", "backbone", "epochs", "base_lr"] {
        let named = csv.lines().next().unwrap().split(',').any(|c| c == column);
        assert!(named, "{csv}");
    }
    assert!(csv.contains(",lae,no Learning,digits,"), "{csv}");
    // Groups with equal labels get their different settings appended.
    let mut slower = runs[1].clone();
    slower.header.config.epochs += 7;
    slower.header.config.base_lr = 0.125;
    let told = groups(&summaries(&[runs[1].clone(), slower]));
    let label = &told[1].label;
    assert!(label.ends_with("(epochs 12, base_lr 0.125)"), "{label}");
    let svg = exported(&runs, Format::Svg);
    assert!(
        svg.starts_with("<svg") && svg.contains("no Learning"),
        "{svg}"
    );
    let nothing = refused(exported_of(&[], Format::Csv));
    assert_is(&nothing, "problem-no-run-with-finished-task");
}

#[test]
fn html_report_is_self_contained() {
    let root = tempfile::tempdir().unwrap();
    let mut runs = Vec::new();
    for (order, name) in [
        ("natural", ""),
        ("seed:1", ""),
        ("natural", "<script>alert(1)</script>"),
    ] {
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
        let mut run = store::summarize(folder.path()).unwrap();
        run.header.about.name = name.into();
        runs.push(run);
    }
    let pictures = |_: &RunSummary| {
        let (class, png) = ("a & b".into(), vec![1, 2, 3]);
        vec![store::SamplePicture { class, png }]
    };
    let page = text(export(&runs, (Format::Html, ACCURACY), &pictures).unwrap());
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
    for part in [
        "<script",
        "http://",
        "https://",
        "src=\"/",
        "/home/somebody",
        "<link",
    ] {
        assert!(!page.contains(part), "{part}");
    }
    let nothing = refused(export(&[], (Format::Html, ACCURACY), &pictures));
    assert_is(&nothing, "problem-no-run-with-finished-task");
}

#[test]
fn docs_name_every_column() {
    let root = tempfile::tempdir().unwrap();
    let mut header = header();
    let folder = RunFolder::create(root.path(), &mut header, "").unwrap();
    folder.save_task(&report(0), &snapshot(1.0)).unwrap();
    let run = store::load(folder.path()).unwrap();
    let guide = include_str!("../../docs/run-folder.md");
    let first_line = |text: &str| text.lines().next().unwrap().to_string();
    let file = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let tables = [
        file("metrics.csv"),
        file("confusion/task_1.csv"),
        text(exported_of(&[RunSummary::of(&run)], Format::Csv).unwrap()),
    ];
    for column in tables.iter().flat_map(|table| {
        let line = first_line(table);
        line.split(',').map(str::to_string).collect::<Vec<_>>()
    }) {
        // The guide describes certainty columns once for all experts.
        let told = guide.contains(&format!("`{column}`")) || column.ends_with("_certainty");
        assert!(told, "{column}");
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
    let place = root.path().join("=1+1");
    std::fs::rename(folder.path(), &place).unwrap();
    let run = store::load(&place).unwrap();
    let csv = text(exported_of(&[RunSummary::of(&run)], Format::Csv).unwrap());
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
    folder
        .save_checkpoint(&checkpoint, GeneratedTensors::new())
        .unwrap();
    let path = folder.path().to_path_buf();
    drop(folder);
    let state = store::load(&path).unwrap().state;
    assert_eq!(state, StoredState::Interrupted { task: 1, epoch: 0 });
}
