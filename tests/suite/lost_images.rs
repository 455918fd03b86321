//! Images that disappear during a run: a single one is skipped and counted; a lost disk stops the run, which can
//! be resumed.

use std::path::Path;

use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Control, ControlRequest, Event, Phase, Sink};
use lae_studio::store::{self, StoredState};

use super::data::Made;
use crate::assert_is;

/// Two tasks of two classes each, from files, with no memory for decoded images.
fn config(made: &Made) -> RunConfig {
    RunConfig {
        data: made.path().join("set").to_string_lossy().into_owned(),
        classes_per_task: "2".into(),
        epochs: 2,
        settings: crate::frozen_epochs(1),
        batch: 8,
        device: "cpu".into(),
        cache_mb: 0,
        ..RunConfig::default()
    }
}

fn made() -> Made {
    let made = Made::new();
    for class in ["a", "b", "c", "d"] {
        made.class(&format!("set/train/{class}"), 24);
        made.class(&format!("set/test/{class}"), 4);
    }
    made
}

/// Calls `act` once, at the first event for which `when` is true.
struct Once<A: FnMut()> {
    when: fn(&Event) -> bool,
    act: Option<A>,
    remarks: usize,
}

fn once<A: FnMut()>(when: fn(&Event) -> bool, act: A) -> Once<A> {
    Once {
        when,
        act: Some(act),
        remarks: 0,
    }
}

impl<A: FnMut()> Sink for Once<A> {
    fn event(&mut self, event: Event) {
        self.remarks += usize::from(matches!(event, Event::Remark { .. }));
        if (self.when)(&event)
            && let Some(mut act) = self.act.take()
        {
            act();
        }
    }
}

fn in_epoch(event: &Event, wanted: (usize, usize)) -> bool {
    matches!(event, Event::Phase { phase: Phase::Training { task, epoch, .. }, .. }
        if (*task, *epoch) == wanted)
}

fn train(config: &RunConfig, root: &Path, sink: &mut dyn Sink) -> Result<Outcome, Problem> {
    experiment::train(
        config,
        root,
        &ResourceCache::default(),
        sink,
        &Control::default(),
    )
}

#[test]
fn lost_disk_stops_run_which_then_resumes() {
    let made = made();
    let config = config(&made);
    let whole = tempfile::tempdir().unwrap();
    let outcome = train(&config, whole.path(), &mut Vec::new()).unwrap();
    let want = store::load_snapshot(&outcome.header().unwrap().folder, 1).unwrap();

    let (here, gone) = (made.path().join("set"), made.path().join("gone"));
    let moments: [fn(&Event) -> bool; 3] = [
        |event| in_epoch(event, (0, 1)),
        |event| in_epoch(event, (1, 0)),
        // While the first task is evaluated.
        |event| {
            matches!(
                event,
                Event::Phase {
                    phase: Phase::Evaluating { .. },
                    ..
                }
            )
        },
    ];
    for moment in moments {
        let root = tempfile::tempdir().unwrap();
        let mut sink = once(moment, || std::fs::rename(&here, &gone).unwrap());
        let problem = train(&config, root.path(), &mut sink).unwrap_err();
        assert_is(&problem, "problem-too-many-images-unreadable");
        assert_says!(problem.remedy, "advice-restore-images-and-resume");
        assert!(
            sink.remarks < 20,
            "the run must end early: {} remarks",
            sink.remarks
        );
        let run = store::list(root.path()).remove(0).summary.unwrap();
        assert!(matches!(run.state, StoredState::Interrupted { .. }));
        std::fs::rename(&gone, &here).unwrap();
        let end = experiment::resume(
            &run.header.folder,
            &ResourceCache::default(),
            &mut Vec::new(),
            &Control::default(),
        );
        assert!(matches!(end.unwrap(), Outcome::Finished(_)));
        let got = store::load_snapshot(&run.header.folder, 1).unwrap();
        assert_eq!(got, want);
    }
}

#[test]
fn skips_and_counts_single_lost_image() {
    let made = made();
    let root = tempfile::tempdir().unwrap();
    let image = made.path().join("set/train/c/007.png");
    let mut sink = once(
        |event| in_epoch(event, (1, 0)),
        || std::fs::remove_file(&image).unwrap(),
    );
    let outcome = train(&config(&made), root.path(), &mut sink).unwrap();
    assert_eq!(sink.remarks, 1, "reported once");
    let run = store::load(&outcome.header().unwrap().folder).unwrap();
    let counts: Vec<usize> = run.reports.iter().map(|report| report.unreadable).collect();
    assert_eq!(counts, [0, 1]);
    let json = serde_json::to_value(store::summary(&run)).unwrap();
    assert_eq!(json["unreadable_images"], 1);
    assert_eq!(json["tasks"][1]["unreadable_images"], 1);
}

#[test]
fn stop_works_while_images_are_unreadable() {
    use lae_studio::data::loader::{ImageLoader, LoaderOptions, Next};
    use lae_studio::data::transform::InputSpec;
    let made = made();
    let place = made.path().join("set").to_string_lossy().into_owned();
    let data = Dataset::open(&place, &OpenOptions::default()).unwrap();
    let samples: Vec<_> = data
        .train
        .iter()
        .map(|sample| (sample.clone(), 0))
        .collect();
    std::fs::remove_dir_all(made.path().join("set")).unwrap();
    let options = LoaderOptions::inference(InputSpec::new(32, 1.0), 8);
    let mut loader = ImageLoader::new(samples.into(), options).unwrap();
    // Empty batches are delivered one by one, so the run can stop between them.
    let mut empty = 0;
    loop {
        match loader.next_within(std::time::Duration::from_secs(20)) {
            Next::Batch(batch) => {
                assert!(batch.is_empty() && batch.unreadable.len() == 8);
                empty += 1;
            }
            Next::Waiting => panic!("missing files must not block"),
            Next::End => break,
        }
    }
    assert_eq!(empty, data.train.len() / 8);
    // The trainer stops, too.
    let made = self::made();
    let here = made.path().join("set");
    let control = Control::default();
    let stop = control.clone();
    let mut sink = once(
        |event| in_epoch(event, (0, 0)),
        || {
            std::fs::remove_dir_all(&here).unwrap();
            stop.set(ControlRequest::Stop);
        },
    );
    let root = tempfile::tempdir().unwrap();
    let ended = experiment::train(
        &config(&made),
        root.path(),
        &ResourceCache::default(),
        &mut sink,
        &control,
    );
    assert!(matches!(ended.unwrap(), Outcome::Stopped(_)));
}
