//! Repeats operations and checks that memory, handles and threads do not grow. Runs only with `LAE_SOAK`, the factor
//! of repetitions:
//!
//! `LAE_SOAK=1000 cargo test --release --test suite soak -- --test-threads=1 --nocapture`
#![cfg(target_os = "linux")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::engine::Engine;
use lae_studio::experiment::{self, ResourceCache};
use lae_studio::pet::PluginLibrary;
use lae_studio::pet::library::BUILT_IN;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Control, ControlRequest, Event, NamedImage, PredictRequest};
use lae_studio::run::job::Job;
use lae_studio::session::collection::{CollectedImage, Collection};
use lae_studio::session::lessons;
use lae_studio::store;

use crate::engine::{drawing, started_folder, train_command, wait_for_event};
use crate::skip::skip;

/// Resources of this process.
struct Sample {
    kilobytes: f64,
    handles: usize,
    threads: usize,
}

impl Sample {
    fn measure() -> Self {
        let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
        Self {
            kilobytes: kilobytes.parse().unwrap(),
            handles: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
        }
    }
}

/// Returns the growth per turn: the slope of a line fitted to the last three quarters.
fn slope(samples: &[Sample]) -> f64 {
    let stable = &samples[samples.len() / 4..];
    let count = stable.len() as f64;
    let mean_index = (count - 1.0) / 2.0;
    let mean = stable.iter().map(|sample| sample.kilobytes).sum::<f64>() / count;
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (i, sample) in stable.iter().enumerate() {
        let offset = i as f64 - mean_index;
        covariance += offset * (sample.kilobytes - mean);
        variance += offset * offset;
    }
    covariance / variance
}

/// Repeats `turn` and reports growth; `most` is the allowed growth of memory in kB per turn.
fn soak(name: &str, times: usize, max_growth: f64, mut operation: impl FnMut(usize)) {
    let Some(factor) = std::env::var("LAE_SOAK").ok().and_then(|n| n.parse::<usize>().ok()) else {
        skip("LAE_SOAK is not set to a number");
        return;
    };
    let times = times * factor;
    let start = Instant::now();
    let samples: Vec<Sample> = (0..times)
        .map(|number| {
            operation(number);
            Sample::measure()
        })
        .collect();
    let first = &samples[times / 4];
    let last = &samples[times - 1];
    let growth = slope(&samples);
    eprintln!(
        "{name}: {times} turns in {:.0?}; memory {:.1} → {:.1} MB, {growth:+.3} kB a turn; handles {} → {}; threads {} → {}",
        start.elapsed(),
        first.kilobytes / 1024.0,
        last.kilobytes / 1024.0,
        first.handles,
        last.handles,
        first.threads,
        last.threads
    );
    assert_eq!((first.handles, first.threads), (last.handles, last.threads));
    assert!(growth < max_growth, "{growth} kB a turn");
}

fn short_config() -> RunConfig {
    RunConfig {
        classes_per_task: "5".into(),
        epochs: 1,
        settings: crate::frozen_epochs(0),
        batch: 8,
        train_limit: Some(3),
        test_limit: Some(1),
        device: "cpu".into(),
        ..RunConfig::default()
    }
}

#[test]
fn soak_start_predict_stop_resume() {
    let root = tempfile::tempdir().unwrap();
    let engine = Engine::start(root.path().to_path_buf(), Arc::new(|| {})).unwrap();
    soak("start, predict, stop, resume", 1, 16.0, |_| {
        engine.control.set(ControlRequest::Run);
        engine.send(train_command(short_config()));
        let run = wait_for_event(&engine, started_folder);
        let is_task_evaluated = |event| matches!(event, Event::TaskEvaluated { .. }).then_some(());
        wait_for_event(&engine, is_task_evaluated);
        engine.control.set(ControlRequest::Stop);
        let is_stopped = |event| match event {
            Event::Stopped { .. } => Some(true),
            Event::Finished { .. } => Some(false),
            Event::Failed { problem, .. } => panic!("{problem}"),
            _ => None,
        };
        if wait_for_event(&engine, is_stopped) {
            engine.control.set(ControlRequest::Run);
            let job = Job::resume(run.clone(), None, String::new());
            engine.send(Command::Queue(Box::new(job)));
            assert!(!wait_for_event(&engine, is_stopped));
        }
        engine.send(Command::Predict(PredictRequest {
            ticket: 1,
            about: 0,
            run: run.clone(),
            picture: drawing(),
            tasks: vec![0, 1],
        }));
        let is_predicted = |event| matches!(event, Event::Predicted(_)).then_some(());
        wait_for_event(&engine, is_predicted);
        wait_for_event(&engine, is_predicted);
        std::fs::remove_dir_all(run).unwrap();
    });
    let count_entries = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    assert!(count_entries(root.path()) <= 2, "files remain on disk");
}

#[test]
fn soak_plugin_reloads() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("own.toml");
    soak("plugin reloads", 10, 0.5, |number| {
        let text = BUILT_IN[number % BUILT_IN.len()];
        let broken = ["", "\nwrong = "][number / 2 % 2];
        std::fs::write(&file, format!("{text}\n{}{broken}", "#".repeat(number % 7))).unwrap();
        let library = PluginLibrary::with_folders(vec![root.path().to_path_buf()]);
        let custom = library.entries().iter().find(|entry| entry.path.is_some());
        assert_eq!(custom.unwrap().spec.is_ok(), broken.is_empty());
    });
}

#[test]
fn soak_archives() {
    let fixture = crate::data::DatasetFixture::new();
    fixture.write_class("a", 20).write_class("b", 20);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("set", fixture.path()).unwrap();
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("set.tar");
    std::fs::write(&path, tar.into_inner().unwrap()).unwrap();
    let cache_dir = root.path().join("shelf");
    soak("archives unpacked", 10, 1.0, |_| {
        let options = OpenOptions { unpack_to: Some(cache_dir.clone()), ..OpenOptions::default() };
        let data = Dataset::open(path.to_str().unwrap(), &options).unwrap();
        assert_eq!(data.train.len(), 32);
        std::fs::remove_dir_all(&cache_dir).unwrap();
    });
}

#[test]
fn soak_collections() {
    let root = tempfile::tempdir().unwrap();
    soak("collections kept", 10, 1.0, |number| {
        let mut collection = Collection::default();
        collection.add_class();
        let groups: Vec<u64> = collection.classes.iter().map(|group| group.id).collect();
        for (i, group) in groups.into_iter().enumerate() {
            for index in 0..3 {
                let value = (number + 40 * i + index) as u8;
                let image = Arc::new(NamedImage {
                    name: format!("{index}"),
                    width: 32,
                    height: 32,
                    rgb: vec![value; 32 * 32 * 3],
                });
                assert!(collection.add(group, CollectedImage { image, file: None }));
            }
        }
        let saved = collection.save(root.path()).unwrap();
        std::fs::remove_dir_all(saved).unwrap();
    });
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn soak_teach_and_undo() {
    let root = tempfile::tempdir().unwrap();
    let cache = ResourceCache::default();
    let control = Control::default();
    let mut run = None;
    let added_task = crate::teach::letters("AB", 4);
    soak("lessons taught and undone", 1, 16.0, |_| {
        let run = run.get_or_insert_with(|| {
            let outcome =
                experiment::train(&short_config(), root.path(), &cache, &mut Vec::new(), &control);
            outcome.unwrap().header().unwrap().folder.clone()
        });
        let source = added_task.path().to_str().unwrap();
        experiment::teach(run, source, None, &cache, &mut Vec::new(), &control).unwrap();
        store::undo_added_task(run).unwrap();
    });
}

#[test]
fn soak_read_lessons() {
    soak("lessons read", 10, 0.5, |_| {
        for entry in lessons::read_entries().into_iter().filter(|entry| entry.is_built_in) {
            let lesson = entry.lesson.unwrap();
            let language = entry.language.unwrap();
            let reopened = lessons::open(&entry.name, language).unwrap();
            assert_eq!(reopened.title, lesson.title);
        }
    });
}
