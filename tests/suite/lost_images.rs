//! Images that disappear during a run: a single one is skipped and counted; a lost disk stops the run, which can
//! be resumed.

use std::path::Path;

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Control, ControlRequest, Event, Phase, Sink};
use lae_studio::store::{self, StoredState};

use super::data::DatasetFixture;
use crate::assert_is;

/// Two tasks of two classes each, from files, with no memory for decoded images.
fn new_config(fixture: &DatasetFixture) -> RunConfig {
    RunConfig {
        data: fixture.path().join("set").to_string_lossy().into_owned(),
        classes_per_task: "2".into(),
        epochs: 2,
        settings: crate::frozen_epochs(1),
        batch: 8,
        device: "cpu".into(),
        cache_mb: 0,
        ..RunConfig::default()
    }
}

fn new_fixture() -> DatasetFixture {
    let fixture = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        fixture.write_class(&format!("set/train/{class}"), 24);
        fixture.write_class(&format!("set/test/{class}"), 4);
    }
    fixture
}

/// Calls `action` once, at the first event for which `condition` is true.
struct RunOnce<A: FnMut()> {
    condition: fn(&Event) -> bool,
    action: Option<A>,
    remarks: usize,
}

fn run_once<A: FnMut()>(condition: fn(&Event) -> bool, action: A) -> RunOnce<A> {
    RunOnce { condition, action: Some(action), remarks: 0 }
}

impl<A: FnMut()> Sink for RunOnce<A> {
    fn event(&mut self, event: Event) {
        self.remarks += usize::from(matches!(event, Event::Remark { .. }));
        if (self.condition)(&event)
            && let Some(mut action) = self.action.take()
        {
            action();
        }
    }
}

fn is_in_epoch(event: &Event, expected: (usize, usize)) -> bool {
    matches!(event, Event::Phase { phase: Phase::Training { task, epoch, .. }, .. }
        if (*task, *epoch) == expected)
}

fn train(config: &RunConfig, root: &Path, sink: &mut dyn Sink) -> Result<Outcome, Problem> {
    experiment::train(config, root, &ResourceCache::default(), sink, &Control::default())
}

#[test]
fn lost_disk_stops_run_which_then_resumes() {
    let fixture = new_fixture();
    let config = new_config(&fixture);
    let uninterrupted_root = tempfile::tempdir().unwrap();
    let outcome = train(&config, uninterrupted_root.path(), &mut Vec::new()).unwrap();
    let expected = store::load_snapshot(&outcome.header().unwrap().folder, 1).unwrap();

    let (original_path, moved_path) = (fixture.path().join("set"), fixture.path().join("gone"));
    let conditions: [fn(&Event) -> bool; 3] = [
        |event| is_in_epoch(event, (0, 1)),
        |event| is_in_epoch(event, (1, 0)),
        // While the first task is evaluated.
        |event| matches!(event, Event::Phase { phase: Phase::Evaluating { .. }, .. }),
    ];
    for condition in conditions {
        let root = tempfile::tempdir().unwrap();
        let mut sink = run_once(condition, || {
            std::fs::rename(&original_path, &moved_path).unwrap();
        });
        let problem = train(&config, root.path(), &mut sink).unwrap_err();
        assert_is(&problem, "problem-too-many-images-unreadable");
        assert_says!(problem.remedy, "advice-restore-images-and-resume");
        assert!(sink.remarks < 20, "the run must end early: {} remarks", sink.remarks);
        let run = store::list_runs(root.path()).remove(0).summary.unwrap();
        assert!(matches!(run.state, StoredState::Interrupted { .. }));
        std::fs::rename(&moved_path, &original_path).unwrap();
        let result = experiment::resume(
            &run.header.folder,
            &ResourceCache::default(),
            &mut Vec::new(),
            &Control::default(),
        );
        assert!(matches!(result.unwrap(), Outcome::Finished(_)));
        let actual = store::load_snapshot(&run.header.folder, 1).unwrap();
        assert_eq!(actual, expected);
    }
}

#[test]
fn skips_and_counts_single_lost_image() {
    let fixture = new_fixture();
    let root = tempfile::tempdir().unwrap();
    let image = fixture.path().join("set/train/c/007.png");
    let mut sink =
        run_once(|event| is_in_epoch(event, (1, 0)), || std::fs::remove_file(&image).unwrap());
    let outcome = train(&new_config(&fixture), root.path(), &mut sink).unwrap();
    assert_eq!(sink.remarks, 1, "reported once");
    let run = store::load_run(&outcome.header().unwrap().folder).unwrap();
    let counts: Vec<usize> = run.reports.iter().map(|report| report.unreadable).collect();
    assert_eq!(counts, [0, 1]);
    let json = serde_json::to_value(store::summary(&run)).unwrap();
    assert_eq!(json["unreadable_images"], 1);
    assert_eq!(json["tasks"][1]["unreadable_images"], 1);
}

#[test]
fn stop_works_while_images_are_unreadable() {
    use lae_studio::data::loader::{ImageLoader, LoaderOptions, NextBatch};
    use lae_studio::data::transform::InputSpec;
    let fixture = new_fixture();
    let path = fixture.path().join("set").to_string_lossy().into_owned();
    let data = Dataset::open(&path, &OpenOptions::default()).unwrap();
    let samples: Vec<_> = data.train.iter().map(|sample| (sample.clone(), 0)).collect();
    std::fs::remove_dir_all(fixture.path().join("set")).unwrap();
    let options = LoaderOptions::inference(InputSpec::new(32, 1.0), 8);
    let mut loader = ImageLoader::new(samples.into(), options).unwrap();
    // Empty batches are delivered one by one, so the run can stop between them.
    let mut empty = 0;
    loop {
        match loader.next_timeout(std::time::Duration::from_secs(20)) {
            NextBatch::Batch(batch) => {
                assert!(batch.is_empty() && batch.unreadable.len() == 8);
                empty += 1;
            }
            NextBatch::Waiting => panic!("missing files must not block"),
            NextBatch::End => break,
        }
    }
    assert_eq!(empty, data.train.len() / 8);
    // The trainer stops, too.
    let fixture = self::new_fixture();
    let dataset_path = fixture.path().join("set");
    let control = Control::default();
    let stop_control = control.clone();
    let mut sink = run_once(
        |event| is_in_epoch(event, (0, 0)),
        || {
            std::fs::remove_dir_all(&dataset_path).unwrap();
            stop_control.set(ControlRequest::Stop);
        },
    );
    let root = tempfile::tempdir().unwrap();
    let result = experiment::train(
        &new_config(&fixture),
        root.path(),
        &ResourceCache::default(),
        &mut sink,
        &control,
    );
    assert!(matches!(result.unwrap(), Outcome::Stopped(_)));
}
