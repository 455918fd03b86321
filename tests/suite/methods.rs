//! Requirements of every method: runs resume exactly after a stop, predictions match the evaluation, settings
//! roundtrip through files and command line. Also a run of an older version.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::prediction_table::{self, Columns};
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::method::{
    ConfiguredMethod, METHODS, MethodSpec, SettingKind, apply_assignment, apply_pet_defaults,
    problems, switch_method,
};
use lae_studio::metrics::Expert;
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::event::{Control, ControlRequest, Event, NamedImage, Phase, Sink};
use lae_studio::store::{self, RunSummary, StoredState};
use lae_studio::tensors::NamedTensors;

/// Returns quick settings of a method: two tasks of five digits.
pub fn quick_config(spec: &'static MethodSpec) -> RunConfig {
    let mut config = RunConfig {
        classes_per_task: "5".into(),
        epochs: 2,
        batch: 16,
        train_limit: Some(9),
        test_limit: Some(4),
        device: "cpu".into(),
        ..RunConfig::default()
    };
    switch_method(&mut config, spec);
    apply_pet_defaults(&mut config, None, Some(3));
    // Small values keep tests quick; CODA's pool must be divisible by the number of tasks.
    for assignment in
        ["freeze_epochs=1", "projection=48", "prompt_length=4", "pool=4", "exemplars=20"]
    {
        let key = assignment.split('=').next().unwrap();
        if spec.settings.iter().any(|setting| setting.key == key) {
            apply_assignment(&mut config, assignment).unwrap();
        }
    }
    if spec.key == "l2p" {
        apply_assignment(&mut config, "top_k=2").unwrap();
    }
    config
}

/// Returns settings of every method, and further settings with different state.
fn configs() -> Vec<RunConfig> {
    let extra_configs = [("ranpac", "first_session=adapter"), ("esn", "freeze_prompt=on")];
    let extra_configs = extra_configs.map(|(method, setting)| {
        let spec = METHODS.iter().find(|spec| spec.key == method).unwrap();
        let mut config = quick_config(spec);
        apply_assignment(&mut config, setting).unwrap();
        apply_pet_defaults(&mut config, None, Some(3));
        config
    });
    METHODS.iter().map(|spec| quick_config(spec)).chain(extra_configs).collect()
}

/// Stops a run in the middle of its `passes`-th pass or evaluation.
struct StopInPass {
    control: Control,
    passes: usize,
}

impl Sink for StopInPass {
    fn event(&mut self, event: Event) {
        let Event::Phase { phase, .. } = event else {
            return;
        };
        let is_pass_start = matches!(
            phase,
            Phase::Training { .. } | Phase::Measuring { .. } | Phase::Evaluating { .. }
        );
        if is_pass_start {
            if self.passes == 0 {
                self.control.set(ControlRequest::Stop);
            }
            self.passes = self.passes.saturating_sub(1);
        }
    }
}

fn train(config: &RunConfig, root: &Path, sink: &mut dyn Sink, control: &Control) -> PathBuf {
    let outcome = experiment::train(config, root, &ResourceCache::default(), sink, control)
        .unwrap_or_else(|problem| panic!("{}: {problem}", config.method));
    outcome.header().unwrap().folder.clone()
}

fn snapshots(folder: &Path) -> Vec<NamedTensors> {
    let tasks = store::load_run(folder).unwrap().reports.len();
    let load_task = |task| store::load_snapshot(folder, task).unwrap();
    (0..tasks).map(load_task).collect()
}

/// Stops one run in each of its passes and evaluations and resumes it.
#[test]
fn every_method_resumes_exactly_after_stop() {
    let root = tempfile::tempdir().unwrap();
    for config in configs() {
        let uninterrupted = train(&config, root.path(), &mut Vec::new(), &Control::default());
        let chosen = ConfiguredMethod::from_config(&config).unwrap();
        let tasks = store::load_run(&uninterrupted).unwrap().header.tasks.len();
        let passes = (0..tasks).map(|task| chosen.default_passes(task).unwrap().len() + 1);
        let control = Control::default();
        let stop_in_pass = |passes| StopInPass { control: control.clone(), passes };
        let folder = train(&config, root.path(), &mut stop_in_pass(0), &control);
        for pass in 0..passes.sum() {
            let context = format!("{} in pass {pass}", config.method);
            let state = store::load_run(&folder).unwrap().state;
            assert!(matches!(state, StoredState::Interrupted { .. }), "{context}");
            control.set(ControlRequest::Run);
            let cache = ResourceCache::default();
            // The stopped pass is repeated, and the next one is stopped.
            experiment::resume(&folder, &cache, &mut stop_in_pass(1), &control).unwrap();
        }
        let method = &config.method;
        let state = store::load_run(&folder).unwrap().state;
        assert_eq!(state, StoredState::Finished, "{method}");
        assert!(snapshots(&folder) == snapshots(&uninterrupted), "{method}");
        let answers = |folder: &Path| -> Vec<_> {
            let reports = store::load_run(folder).unwrap().reports;
            let measured = reports.into_iter();
            measured
                .map(|report| (report.answers, report.slots, report.measurements, report.losses))
                .collect()
        };
        assert_eq!(answers(&folder), answers(&uninterrupted), "{method}");
    }
}

/// Trains a method, with one more setting if given; returns snapshots and measurements of the last task.
fn train_method(method: &str, setting: Option<&str>) -> (Vec<NamedTensors>, BTreeMap<String, f64>) {
    let root = tempfile::tempdir().unwrap();
    let spec = METHODS.iter().find(|spec| spec.key == method).unwrap();
    let mut config = quick_config(spec);
    if let Some(setting) = setting {
        apply_assignment(&mut config, setting).unwrap();
    }
    let folder = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let last = store::load_run(&folder).unwrap().reports.pop().unwrap();
    (snapshots(&folder), last.measurements)
}

#[test]
fn ewc_equals_baseline_at_zero_and_limits_drift() {
    let (baseline, baseline_measurements) = train_method("baseline", None);
    let (unregularized, _) = train_method("ewc", Some("ewc_lambda=0"));
    assert!(unregularized == baseline);
    let (_, stiff_measurements) = train_method("ewc", Some("ewc_lambda=1e9"));
    let [free_drift, held_drift] = [baseline_measurements, stiff_measurements]
        .map(|measurements| measurements["online_drift"]);
    assert!(held_drift < 0.7 * free_drift, "{held_drift} of {free_drift}");
}

#[test]
fn icarl_keeps_exemplar_budget_over_all_classes() {
    let (snapshots, _) = train_method("icarl", Some("exemplars=13"));
    let classes = |snapshot: &NamedTensors| -> Vec<f32> {
        let rows = snapshot["exemplars"].values.chunks(3);
        rows.map(|row| row[0]).collect()
    };
    let (first, last) = (classes(&snapshots[0]), classes(&snapshots[1]));
    assert_eq!((first.len(), last.len()), (13, 13));
    for class in 0..10 {
        let exemplars = last.iter().filter(|label| **label == class as f32).count();
        assert_eq!(exemplars, if class < 3 { 2 } else { 1 });
    }
    let rows: BTreeSet<Vec<u32>> = snapshots[1]["exemplars"]
        .values
        .chunks(3)
        .map(|row| row.iter().map(|number| *number as u32).collect())
        .collect();
    assert_eq!(rows.len(), 13, "each image once");
}

#[test]
fn icarl_rejects_budget_below_class_count() {
    let root = tempfile::tempdir().unwrap();
    let spec = METHODS.iter().find(|spec| spec.key == "icarl").unwrap();
    let mut config = quick_config(spec);
    apply_assignment(&mut config, "exemplars=9").unwrap();
    let (cache, control) = (ResourceCache::default(), Control::default());
    let outcome = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
    let problem = outcome.err().unwrap();

    assert_eq!(problem.what, tr!("problem-too-few-exemplars", budget = 9, classes = "10 classes"));
    assert_eq!(problem.remedy, tr!("advice-use-more-exemplars", classes = 10));
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

/// For runs of versions that did not store the kind of scores, the method's name decides it.
#[test]
fn infers_score_kind_of_older_runs() {
    let root = tempfile::tempdir().unwrap();
    let without_ensemble = || {
        let mut config = quick_config(METHODS[0]);
        apply_assignment(&mut config, "ensemble=false").unwrap();
        config
    };
    let run = root.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let run_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped/run.toml");
    let text = std::fs::read_to_string(run_file).unwrap();
    let (_, facts) = text.split_once("[facts]").unwrap();
    assert!(!facts.contains("scores"));
    let configs = METHODS.iter().map(|spec| quick_config(spec));
    for config in configs.chain([without_ensemble()]) {
        let settings = config.to_toml().unwrap();
        std::fs::write(run.join("run.toml"), format!("{settings}\n[facts]{facts}")).unwrap();
        let plugin = lae_studio::pet::library::PluginLibrary::standard();
        let plugin = plugin.get(&config.pet).unwrap();
        std::fs::write(run.join("plugin.toml"), plugin.text()).unwrap();
        let (header, _) = store::load_facts(&run).unwrap();
        let facts = ConfiguredMethod::from_config(&config).unwrap().facts().unwrap();
        assert_eq!(header.method.scores, facts.scores, "{}", config.method);
        assert!(facts.scores.is_some());
    }
}

/// Stops a run at the `remaining`-th gate after its first measuring pass started.
struct StopAtGate {
    control: Control,
    measuring: bool,
    remaining: usize,
    evaluated: bool,
}

impl Sink for StopAtGate {
    fn event(&mut self, event: Event) {
        if let Event::Phase { phase, .. } = event {
            self.measuring |= matches!(phase, Phase::Measuring { .. });
            self.evaluated |= matches!(phase, Phase::Evaluating { .. });
        }
    }

    fn between_batches(&mut self) {
        if self.measuring {
            self.remaining = self.remaining.saturating_sub(1);
            if self.remaining == 0 {
                self.control.set(ControlRequest::Stop);
            }
        }
    }
}

/// The first task has three batches to measure; the search for the ridge follows.
#[test]
fn stop_works_while_ranpac_searches_ridge() {
    let root = tempfile::tempdir().unwrap();
    let spec = METHODS.iter().find(|spec| spec.key == "ranpac").unwrap();
    let config = quick_config(spec);
    let uninterrupted = train(&config, root.path(), &mut Vec::new(), &Control::default());
    let control = Control::default();
    let mut sink =
        StopAtGate { control: control.clone(), measuring: false, remaining: 12, evaluated: false };
    let folder = train(&config, root.path(), &mut sink, &control);
    assert!(sink.measuring && !sink.evaluated);
    let stopped = store::load_run(&folder).unwrap();
    assert!(stopped.reports.is_empty(), "the run must stop before the task ends");
    control.set(ControlRequest::Run);
    experiment::resume(&folder, &ResourceCache::default(), &mut Vec::new(), &control).unwrap();
    assert!(snapshots(&folder) == snapshots(&uninterrupted));
}

#[test]
fn predictions_match_evaluation_for_every_method() {
    let root = tempfile::tempdir().unwrap();
    for spec in METHODS {
        let config = quick_config(spec);
        let folder = train(&config, root.path(), &mut Vec::new(), &Control::default());
        let run = store::load_run(&folder).unwrap();
        assert_eq!(run.header.method.experts, spec.experts);
        assert_eq!(run.header.method.title, spec.title);
        let options = OpenOptions {
            train_limit: config.train_limit,
            test_limit: config.test_limit,
            test_share: config.test_share,
            ..OpenOptions::default()
        };
        let data = Dataset::open("digits", &options).unwrap();
        let last = run.reports.len() - 1;
        let answers = &run.reports[last].answers;
        assert_eq!(answers.task_given.len(), answers.labels.len());
        let predictor =
            Predictor::open(&folder, last, None, &ResourceCache::default(), false).unwrap();
        let image_folder = tempfile::tempdir().unwrap();
        let mut classes = Vec::new();
        for i in (0..answers.labels.len()).step_by(5) {
            let image = data.test[answers.samples[i]].decode().unwrap();
            let file = image_folder.path().join(format!("{i:04}.png"));
            image.save(file).unwrap();
            let picture = NamedImage {
                name: "test image".into(),
                width: image.width() as usize,
                height: image.height() as usize,
                rgb: image.into_raw(),
            };
            let (verdict, _) = predictor.predict(&picture).unwrap();
            let experts: Vec<Expert> = verdict.predictions.iter().map(|o| o.expert).collect();
            assert_eq!(experts, spec.experts, "{}", spec.key);
            for opinion in &verdict.predictions {
                let predicted = answers.for_expert(opinion.expert)[i];
                assert_eq!(opinion.class, predicted, "{} image {i}", spec.key);
            }
            let (class, _) = verdict.predictions.last().unwrap().best();
            classes.push(predictor.classes()[class].clone());
        }
        // The same images in a prediction table.
        let csv = root.path().join(format!("{}.csv", spec.key));
        let count = prediction_table::write_table(
            &Columns::new(&predictor, None, false),
            prediction_table::ImageSelection { folder: image_folder.path(), only: &[] },
            &csv,
            &mut |batch: Vec<u8>| predictor.predict_batch(&batch),
            &mut |_| ControlFlow::Continue(()),
        );
        assert_eq!(count.unwrap().unwrap().done, classes.len());
        let table = std::fs::read_to_string(&csv).unwrap();
        let predicted = table.lines().skip(1).map(|row| row.split(',').nth(1).unwrap());
        assert!(predicted.eq(classes.iter().map(String::as_str)), "{}: {table}", spec.key);
    }
}

#[test]
fn stores_prompt_study_with_run() {
    let root = tempfile::tempdir().unwrap();
    let spec = METHODS.iter().find(|spec| spec.key == "dualprompt");
    let mut config = quick_config(spec.unwrap());
    apply_assignment(&mut config, "pool=0").unwrap();
    let train_run = |config: &RunConfig| {
        let folder = train(config, root.path(), &mut Vec::new(), &Control::default());
        (store::load_run(&folder).unwrap(), folder)
    };
    let (run, folder) = train_run(&config);
    let study = RunSummary::from_run(&run).prompt_study.unwrap();
    assert_eq!((study.selection.len(), study.tasks.len()), (2, 2));
    // In the first task, all other slots belong to later tasks.
    let (first, last) = (&run.reports[0].slots, &run.reports[1].slots);
    assert_eq!(study.selection[0], first[0].chosen[0] as f64 / first[0].images as f64);
    let images: usize = last.iter().map(|counts| counts.images).sum();
    assert_eq!(images, run.reports[1].answers.labels.len());
    let json = serde_json::to_value(store::summary(&run)).unwrap();
    let reported = json["prompt_study"]["selection"][1].as_f64().unwrap();
    assert_eq!(reported, study.selection[1] * 100.0);
    // A table with invalid rows is rejected.
    let table = folder.join("prompts/task_2.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, text.replacen("\n1,1,", "\n1,2,", 1)).unwrap();
    let problem = store::load_run(&folder).unwrap_err();
    crate::assert_is(&problem, "problem-run-table-damaged");
    assert!(problem.what.contains("slots"), "{problem}");
    apply_assignment(&mut config, "study=off").unwrap();
    let (without_study, _) = train_run(&config);
    assert_eq!(RunSummary::from_run(&without_study).prompt_study, None);
    assert_eq!(without_study.reports[1].answers, run.reports[1].answers);
    let json = serde_json::to_value(store::summary(&without_study)).unwrap();
    assert!(json.get("prompt_study").is_none());
}

#[test]
fn expert_names_roundtrip() {
    for expert in METHODS.iter().flat_map(|spec| spec.experts) {
        assert_eq!(Expert::from_key(expert.key()), Some(*expert));
    }
}

#[test]
fn settings_roundtrip_and_invalid_values_are_rejected() {
    for spec in METHODS {
        let mut config = quick_config(spec);
        assert!(problems(&config).is_empty(), "{:?}", problems(&config));
        for setting in spec.settings {
            let value = setting.kind.default().unwrap();
            let text = format!("{}={value}", setting.key);
            apply_assignment(&mut config, &text).unwrap();
            assert_eq!(config.settings[setting.key], value, "{text}");
            if matches!(setting.kind, SettingKind::Whole { .. } | SettingKind::Real { .. }) {
                let problem =
                    apply_assignment(&mut config, &format!("{}=-1e300", setting.key)).unwrap_err();
                assert!(problem.remedy.contains("number"), "{problem}");
            }
        }
        let text = config.to_toml().unwrap();
        assert_eq!(RunConfig::from_toml(&text, "run.toml").unwrap(), config);
        let problem = apply_assignment(&mut config, "no_such=1").unwrap_err();
        assert_says!(
            problem.what,
            "problem-method-lacks-setting",
            title = spec.title,
            key = "no_such"
        );
        assert!(apply_assignment(&mut config, "nothing").is_err());
        config.settings.insert("no_such".into(), Setting::Flag(true));
        assert_eq!(problems(&config).len(), 1);
    }
    let mut config = RunConfig { method: "sgd".into(), ..RunConfig::default() };
    assert!(problems(&config)[0].remedy.contains("simplecil"));
    config.method = "lae".into();
    apply_assignment(&mut config, "freeze_epochs=9").unwrap();
    assert!(problems(&config)[0].mentions("problem-too-many-frozen-epochs"));
}

#[test]
fn batch_predictor_folds_pets_without_changing_answers() {
    let root = tempfile::tempdir().unwrap();
    for spec in METHODS.iter().filter(|spec| spec.pet.is_some()) {
        let mut config = quick_config(spec);
        config.pet = "lora".into();
        let folder = train(&config, root.path(), &mut Vec::new(), &Control::default());
        let predictor =
            Predictor::open(&folder, 1, None, &ResourceCache::default(), false).unwrap();
        let image_bytes = predictor.input_size().pow(2) * 3;
        let noise = |count: usize| -> Vec<u8> {
            (0..count * image_bytes).map(|i| (i * 7919 % 251) as u8).collect()
        };
        let predict_probabilities = || -> Vec<f32> {
            let answers = predictor.predict_batch(&noise(3)).unwrap().into_iter();
            let opinions = answers.flat_map(|answer| answer.predictions);
            opinions.flat_map(|opinion| opinion.probabilities).collect()
        };
        let first = predict_probabilities();
        assert_eq!(predict_probabilities(), first, "{}", spec.key);
        predictor.predict_batch(&noise(130)).unwrap();
        let folded = predict_probabilities();
        let pairs = first.iter().zip(&folded);
        let difference = pairs.fold(0f32, |max, (a, b)| max.max((a - b).abs()));
        assert!(difference < 1e-4, "{} is {difference} apart", spec.key);
        // RanPAC trains no PET by default.
        assert_eq!(difference > 0.0, spec.key != "ranpac", "{}", spec.key);
    }
}

/// Uses a stopped run of version 0.1.0 and the final snapshot that this version produced.
#[test]
fn loads_predicts_and_resumes_run_of_older_version() {
    let runs_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs");
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("old");
    for part in ["", "confusion", "resume"] {
        std::fs::create_dir_all(folder.join(part)).unwrap();
        for file in std::fs::read_dir(runs_folder.join("stopped").join(part)).unwrap() {
            let file = file.unwrap().path();
            if file.is_file() {
                let name = file.file_name().unwrap();
                std::fs::copy(&file, folder.join(part).join(name)).unwrap();
            }
        }
    }
    let run = store::load_run(&folder).unwrap();
    assert_eq!(run.header.title(), "digits · LAE · adapter 2");
    assert_eq!(run.header.method.experts, lae_studio::method::lae::LAE.experts);
    assert_eq!(run.reports.len(), 2);
    assert_eq!(run.reports[1].answers.accuracy_task_given(), None);
    assert!(run.reports[1].measurements["online_drift"] > 0.0);
    let predictor =
        Predictor::open(&folder, 1, Some("cpu"), &ResourceCache::default(), false).unwrap();
    let picture = NamedImage { name: "grey".into(), width: 1, height: 1, rgb: vec![90; 3] };
    assert_eq!(predictor.predict(&picture).unwrap().0.predictions.len(), 3);
    let control = Control::default();
    let end =
        experiment::resume(&folder, &ResourceCache::default(), &mut Vec::new(), &control).unwrap();
    assert!(matches!(end, Outcome::Finished(_)));
    let expected_path = runs_folder.join("stopped-finished-task-5.safetensors");
    let (expected, _) = lae_studio::tensors::load(&expected_path, "read it").unwrap();
    let actual = store::load_snapshot(&folder, 4).unwrap();
    assert!(actual.keys().eq(expected.keys()));
    for (name, tensor) in &expected {
        // Other processors may round differently.
        let pairs = tensor.values.iter().zip(&actual[name].values);
        let difference = pairs.fold(0f32, |max, (a, b)| max.max((a - b).abs()));
        assert!(difference < 1e-4, "{name} is {difference} apart");
    }
}
