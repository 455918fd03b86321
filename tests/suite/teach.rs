//! Added tasks: a finished run learns the classes of a folder, with every method; undo restores it byte for byte.

mod known;
mod single;
mod wrong;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lae_studio::data::{Dataset, OpenOptions, Sample};
use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::method::{METHODS, apply_assignment, apply_pet_defaults};
use lae_studio::metrics::Expert;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{
    Control, ControlRequest, Event, NamedImage, Phase, RepeatedClass, Sink,
};
use lae_studio::store::{self, AddedTaskFigures, RunSummary, StoredRun, StoredState};

use crate::data::DatasetFixture;
use crate::methods::quick_config;

/// Returns a folder of classes with `count` drawings of each of the letters in `names`.
pub fn letters(names: &str, count: usize) -> DatasetFixture {
    let image_folder = DatasetFixture::new();
    let options = OpenOptions { train_limit: Some(count), ..OpenOptions::default() };
    let data = Dataset::open("letters", &options).unwrap();
    for sample in &data.train {
        let class = &data.classes[sample.class as usize];
        if names.contains(class.as_str()) {
            let (bytes, ending) = sample.encoded_file().unwrap();
            let name = Path::new(&sample.name()).with_extension(ending);
            image_folder.write_file(&name.to_string_lossy(), bytes);
        }
    }
    image_folder
}

fn config(method: &str) -> RunConfig {
    quick_config(METHODS.iter().find(|spec| spec.key == method).unwrap())
}

fn train_run_with(
    config: &RunConfig,
    root: &Path,
    sink: &mut dyn Sink,
    control: &Control,
) -> PathBuf {
    let outcome = experiment::train(config, root, &ResourceCache::default(), sink, control)
        .unwrap_or_else(|problem| panic!("{}: {problem}", config.method));
    outcome.header().unwrap().folder.clone()
}

fn train_run(config: &RunConfig, root: &Path) -> PathBuf {
    train_run_with(config, root, &mut Vec::new(), &Control::default())
}

fn teach(run: &Path, folder: &Path) -> Result<Outcome> {
    teach_with(run, folder, &mut Vec::new(), &Control::default())
}

fn teach_with(
    run: &Path,
    folder: &Path,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Outcome> {
    let source = folder.to_str().unwrap();
    experiment::teach(run, source, None, &ResourceCache::default(), sink, control)
}

fn add_task(run: &Path, folder: &Path) {
    let outcome = teach(run, folder);
    let outcome = outcome.unwrap_or_else(|problem| panic!("{}: {problem}", run.display()));
    assert!(matches!(outcome, Outcome::Finished(_)));
}

fn teach_error(run: &Path, folder: &Path) -> Problem {
    match teach(run, folder) {
        Ok(_) => panic!("the added task was accepted"),
        Err(problem) => problem,
    }
}

/// The paths and contents of a folder, without a run's summary, which is made from the other files and contains their
/// times.
pub fn folder_contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut contents = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(current) = folders.pop() {
        for entry in std::fs::read_dir(current).unwrap() {
            let path = entry.unwrap().path();
            let inner = path.strip_prefix(folder).unwrap().to_path_buf();
            if path.is_dir() {
                contents.insert(inner, Vec::new());
                folders.push(path);
            } else if !inner.ends_with("summary.json") {
                contents.insert(inner, std::fs::read(&path).unwrap());
            }
        }
    }
    contents
}

fn decode_sample(sample: &Sample) -> NamedImage {
    let image = sample.decode().unwrap();
    NamedImage {
        name: sample.name(),
        width: image.width() as usize,
        height: image.height() as usize,
        rgb: image.into_raw(),
    }
}

/// Asserts that predictions for some test images equal the stored answers after each task.
fn assert_predictions_match_evaluation(run: &Path) {
    let stored = store::load_run(run).unwrap();
    let header = &stored.header;
    let options = OpenOptions {
        train_limit: header.config.train_limit,
        test_limit: header.config.test_limit,
        test_share: header.config.test_share,
        ..OpenOptions::default()
    };
    let dataset = Dataset::open(&header.config.data, &options).unwrap();
    for report in &stored.reports {
        let answers = &report.answers;
        let predictor = Predictor::open(run, report.task, None, &ResourceCache::default(), false);
        let predictor = match predictor {
            Err(problem) if problem.mentions("problem-network-not-saved") => {
                // Seq-FT saves the network only after the last original task and after added tasks.
                assert!(
                    header.config.method == "seq-ft"
                        && report.task + 1 < header.original_task_count()
                );
                continue;
            }
            other => other.unwrap_or_else(|problem| panic!("{problem}")),
        };
        assert_eq!(predictor.classes().len(), header.tasks[report.task].end);
        for i in (0..answers.labels.len()).step_by(7) {
            let (source, index) = (answers.source(i), answers.samples[i]);
            let input = match source.checked_sub(1) {
                None => decode_sample(&dataset.test[index]),
                Some(added_task) => {
                    let task = header.original_task_count() + added_task;
                    let pictures =
                        store::added_task_images(run, task, &header.added_tasks[added_task], 16);
                    pictures.unwrap().test_image(index).unwrap()
                }
            };
            let (verdict, _) = predictor.predict(&input).unwrap();
            for opinion in &verdict.predictions {
                let predicted = answers.for_expert(opinion.expert)[i];
                let context = format!("{} task {} image {i}", header.config.method, report.task);
                assert_eq!(opinion.class, header.class_at(predicted), "{context}");
            }
        }
    }
}

fn figures_of(run: &StoredRun) -> AddedTaskFigures {
    store::added_task_figures(&run.header, &run.reports).unwrap()
}

/// Every method that supports added tasks, and settings with other state.
fn teachable_configs() -> Vec<RunConfig> {
    let mut configs: Vec<RunConfig> =
        METHODS.iter().filter(|spec| !spec.all_at_once).map(|spec| quick_config(spec)).collect();
    for (method, setting) in [("ranpac", "first_session=adapter"), ("dualprompt", "pool=0")] {
        let mut config = config(method);
        apply_assignment(&mut config, setting).unwrap();
        apply_pet_defaults(&mut config, None, Some(3));
        configs.push(config);
    }
    configs
}

#[test]
fn every_method_adds_two_tasks_and_undo_restores_run() {
    let (first, second) = (letters("AB", 10), letters("CDE", 6));
    let root = tempfile::tempdir().unwrap();
    for config in teachable_configs() {
        let run = train_run(&config, root.path());
        let before = folder_contents(&run);
        let trained = store::load_run(&run).unwrap();
        add_task(&run, first.path());
        let after_first = folder_contents(&run);
        add_task(&run, second.path());
        let stored = store::load_run(&run).unwrap();
        assert_eq!(stored.state, StoredState::Finished, "{}", config.method);
        let header = &stored.header;
        assert_eq!(header.tasks, [0..5, 5..10, 10..12, 12..15]);
        assert_eq!(header.class_order[10..], ["A", "B", "C", "D", "E"]);
        assert_eq!(header.added_tasks[0].train_images, [8, 8]);
        assert_eq!(header.added_tasks[0].test_images, [2, 2]);
        assert_eq!(header.added_tasks[0].before, Some(0.0));
        assert_eq!(header.train_images[2..], [16, 15]);
        assert!(header.title().ends_with(" · 2 added tasks"), "{}", header.title());
        let last = &stored.reports[3];
        let images = last.answers.labels.len();
        assert_eq!(images, 40 + 4 + 3, "{}", config.method);
        assert_eq!(last.answers.sources[images - 1], 2);
        assert_eq!(stored.reports[..2], trained.reports);
        let histories = RunSummary::from_run(&stored).histories();
        assert!(histories.for_expert(stored.header.answering_expert()).last_accuracy().is_some());
        assert_predictions_match_evaluation(&run);
        let problem = experiment::resume(
            &run,
            &ResourceCache::default(),
            &mut Vec::new(),
            &Control::default(),
        );
        assert!(problem.unwrap_err().mentions("problem-run-finished"));
        assert_eq!(store::undo_added_task(&run).unwrap().classes, ["C", "D", "E"]);
        assert!(folder_contents(&run) == after_first, "{}", config.method);
        assert_eq!(store::undo_added_task(&run).unwrap().classes, ["A", "B"]);
        assert!(folder_contents(&run) == before, "{}", config.method);
        assert!(store::undo_added_task(&run).unwrap_err().mentions("problem-no-added-task"));
        // The same added task gives the same run again.
        add_task(&run, first.path());
        let repeated_contents = folder_contents(&run);
        let snapshot = Path::new("lessons/task_3/task_3.safetensors");
        assert!(repeated_contents[snapshot] == after_first[snapshot], "{}", config.method);
    }
}

#[test]
fn learns_added_classes_from_few_drawings() {
    let root = tempfile::tempdir().unwrap();
    let added_task = letters("TX", 12);
    for method in ["lae", "baseline", "simplecil", "ranpac"] {
        let mut config = config(method);
        config.train_limit = Some(40);
        if method == "ranpac" {
            apply_assignment(&mut config, "projection=500").unwrap();
        }
        let run = train_run(&config, root.path());
        add_task(&run, added_task.path());
        let figures = figures_of(&store::load_run(&run).unwrap());
        // Chance is one in twelve.
        assert!(figures.new.after.unwrap() >= 50.0, "{method}: {figures:?}");
        assert!(figures.old.before.is_some() && figures.old.after.unwrap() > 10.0);
        assert_eq!(figures.new.before, Some(0.0));
    }
}

#[test]
fn added_task_drift_is_measured_from_first_task() {
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config("lae"), root.path());
    add_task(&run, letters("AB", 5).path());
    let stored = store::load_run(&run).unwrap();
    let drift = |task: usize| stored.reports[task].measurements["online_drift"];
    assert!(drift(1) > 0.0 && drift(2) > drift(1));
}

/// Stops an added task after this number of phases.
struct StopAfter {
    control: Control,
    phases: usize,
}

impl Sink for StopAfter {
    fn event(&mut self, event: Event) {
        let Event::Phase { phase, .. } = event else {
            return;
        };
        if matches!(phase, Phase::Paused) {
            return;
        }
        if self.phases == 0 {
            self.control.set(ControlRequest::Stop);
        }
        self.phases = self.phases.saturating_sub(1);
    }
}

#[test]
fn stopping_added_task_leaves_run_unchanged() {
    let root = tempfile::tempdir().unwrap();
    let added_task = letters("AB", 6);
    let run = train_run(&config("lae"), root.path());
    let before = folder_contents(&run);
    let mut stopped = 0;
    for phases in 0.. {
        let control = Control::default();
        let mut sink = StopAfter { control: control.clone(), phases };
        let outcome = teach_with(&run, added_task.path(), &mut sink, &control).unwrap();
        if matches!(outcome, Outcome::Finished(_)) {
            break;
        }
        assert_eq!(outcome, Outcome::NotStarted);
        assert!(folder_contents(&run) == before, "after {phases} phases");
        stopped += 1;
    }
    // The phases are preparation, two epochs and evaluation.
    assert!(stopped >= 6, "{stopped}");
}

#[test]
fn stopped_run_accepts_task_and_resumes_after_undo() {
    let root = tempfile::tempdir().unwrap();
    let added_task = letters("AB", 6);
    for method in ["lae", "dualprompt", "coda-prompt", "ease", "esn", "ranpac"] {
        let uninterrupted = train_run(&config(method), root.path());
        let control = Control::default();
        // In the middle of the second task.
        let mut sink = StopInTask { control: control.clone(), task: 1 };
        let run = train_run_with(&config(method), root.path(), &mut sink, &control);
        control.set(ControlRequest::Run);
        let before = folder_contents(&run);
        add_task(&run, added_task.path());
        let stored = store::load_run(&run).unwrap();
        assert_eq!(stored.state, StoredState::Finished);
        assert_eq!(stored.header.tasks, [0..5, 5..7]);
        assert_eq!(stored.header.planned_tasks(), 2);
        let note = lae_studio::texts::join_translated(&stored.header.added_tasks[0].notes, " ");
        assert_says!(note, "teach-run-was-stopped", task = 2, of = 2);
        assert_predictions_match_evaluation(&run);
        let resume =
            || experiment::resume(&run, &ResourceCache::default(), &mut Vec::new(), &control);
        let problem = resume().unwrap_err();
        assert_says!(problem.remedy, "advice-undo-added-tasks");
        store::undo_added_task(&run).unwrap();
        assert!(folder_contents(&run) == before, "{method}");
        assert!(matches!(resume().unwrap(), Outcome::Finished(_)));
        let last_snapshot = |run: &Path| store::load_snapshot(run, 1).unwrap();
        assert!(last_snapshot(&run) == last_snapshot(&uninterrupted), "{method}");
    }
    // These methods no longer have the state of the last complete task: the network is saved with a finished run
    // only, and the sums include the next task's images once it is evaluated.
    for method in ["seq-ft", "ranpac"] {
        let control = Control::default();
        let (mut stop_in_training, mut stop_in_test) =
            (StopInTask { control: control.clone(), task: 1 }, StopInTest(control.clone()));
        let sink: &mut dyn Sink = match method {
            "seq-ft" => &mut stop_in_training,
            _ => &mut stop_in_test,
        };
        let run = train_run_with(&config(method), root.path(), sink, &control);
        let before = folder_contents(&run);
        let problem = teach_error(&run, added_task.path());
        assert_says!(problem.remedy, "advice-resume-then-add-task");
        assert!(folder_contents(&run) == before, "{method}");
    }
}

/// Stops a run when it begins to learn the given task.
struct StopInTask {
    control: Control,
    task: usize,
}

impl Sink for StopInTask {
    fn event(&mut self, event: Event) {
        let current_task = match event {
            Event::Phase {
                phase: Phase::Training { task, .. } | Phase::Measuring { task },
                ..
            } => task,
            _ => return,
        };
        if current_task == self.task {
            self.control.set(ControlRequest::Stop);
        }
    }
}

/// When the run stops, digits 0 to 4 are learned and 5 to 9 are only planned.
#[test]
fn planned_but_unlearned_class_counts_as_new() {
    let root = tempfile::tempdir().unwrap();
    let control = Control::default();
    let mut sink = StopInTask { control: control.clone(), task: 1 };
    let run = train_run_with(&config("simplecil"), root.path(), &mut sink, &control);
    let drawings = letters("AB", 6);
    let added_task = DatasetFixture::new();
    for (class, letter) in [("7", "A"), ("1", "B")] {
        for entry in std::fs::read_dir(drawings.path().join(letter)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{class}/{}", entry.file_name().to_string_lossy());
            added_task.write_file(&name, std::fs::read(entry.path()).unwrap());
        }
    }
    add_task(&run, added_task.path());
    let stored = store::load_run(&run).unwrap();
    assert_eq!(stored.header.class_order[5..], ["1 (2)", "7"]);
    let repeated = &stored.header.added_tasks[0].again;
    assert!(matches!(repeated[..], [RepeatedClass { class: 0, of: 1 }]), "{repeated:?}");

    // An earlier version wrote a planned class as known. The run does not open, but its added task can be undone.
    let file = run.join("lessons/task_2/lesson.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("of = 1", "of = 7")).unwrap();
    let problem = store::load_run(&run).unwrap_err();
    crate::assert_is(&problem, "problem-added-task-unreadable");
    assert!(problem.what.contains("not in the run"), "{problem}");
    store::undo_added_task(&run).unwrap();
    assert_eq!(store::load_run(&run).unwrap().reports.len(), 1);
}

/// Stops a run when its second task is evaluated.
struct StopInTest(Control);

impl Sink for StopInTest {
    fn event(&mut self, event: Event) {
        let phase = Phase::Evaluating { task: 1 };
        if matches!(event, Event::Phase { phase: current, .. } if current == phase) {
            self.0.set(ControlRequest::Stop);
        }
    }
}

#[test]
fn adds_task_to_run_of_older_version() {
    let source_run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("old");
    for (name, bytes) in folder_contents(&source_run) {
        let path = run.join(&name);
        if source_run.join(&name).is_dir() {
            std::fs::create_dir_all(path).unwrap();
        } else {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }
    add_task(&run, letters("AB", 6).path());
    let stored = store::load_run(&run).unwrap();
    assert_eq!(stored.header.original_task_count(), 2);
    assert_eq!(stored.header.planned_tasks(), 5);
    let figures = figures_of(&stored);
    assert!(figures.old.before.is_some() && figures.old.after.is_some());
    assert_eq!(stored.header.answering_expert(), Expert::ENSEMBLE);
    assert_predictions_match_evaluation(&run);
}

#[test]
fn run_killed_at_end_keeps_state_for_added_tasks() {
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config("ranpac"), root.path());
    let state = run.join("state.safetensors");
    // The state of a run killed between its last task and its end.
    let checkpoint = run.join("resume/checkpoint.safetensors");
    std::fs::create_dir(run.join("resume")).unwrap();
    std::fs::rename(&state, &checkpoint).unwrap();
    let (cache, control) = (ResourceCache::default(), Control::default());
    let resumed = experiment::resume(&run, &cache, &mut Vec::new(), &control);
    assert!(resumed.unwrap_err().mentions("problem-run-finished"));
    assert!(state.exists() && !run.join("resume").exists());
    add_task(&run, letters("AB", 3).path());
}
