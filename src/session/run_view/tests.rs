//! Tests of a run updated from events and of a run read from its folder.

use super::*;
use crate::metrics::Answers;
use crate::run::config::RunConfig;
use crate::run::event::{AddedTask, MethodFacts};
use crate::tr;

/// Returns a run of three classes in two tasks.
pub(in crate::session) fn header() -> RunHeader {
    RunHeader {
        run: "r".into(),
        about: Default::default(),
        folder: "r".into(),
        config: RunConfig::default(),
        method: MethodFacts {
            title: "LAE".into(),
            variant: Vec::new(),
            experts: crate::method::lae::LAE.experts.to_vec(),
            uses_pet: true,
            pet_sized: Some(true),
            seeded: Some(true),
            scores: None,
        },
        class_order: vec!["a".into(), "b".into(), "c".into()],
        tasks: vec![0..2, 2..3],
        train_images: vec![24, 24],
        test_images: vec![2, 1],
        device: "cpu".into(),
        gpu_weights: None,
        drawing: Default::default(),
        input_size: 32,
        trained_parameters: 1,
        frozen_parameters: 1,
        weights_sha256: String::new(),
        start_sha256: None,
        images: None,
        added_tasks: Vec::new(),
        started: String::new(),
        version: String::new(),
    }
}

pub(in crate::session) fn report(task: usize, answers: &[usize]) -> TaskReport {
    let labels: Vec<usize> = (0..answers.len()).collect();
    TaskReport {
        task,
        losses: Vec::new(),
        answers: Answers {
            samples: labels.clone(),
            sources: Vec::new(),
            labels,
            given: crate::method::lae::LAE
                .experts
                .iter()
                .map(|e| (*e, answers.to_vec()))
                .collect(),
            certainty: Default::default(),
            task_given: Vec::new(),
        },
        slots: Vec::new(),
        seconds: 1.0,
        images_per_second: 1.0,
        unreadable: 0,
        costs: Default::default(),
        measurements: Default::default(),
    }
}

fn evaluated(task: usize, answers: &[usize]) -> Event {
    let report = Box::new(report(task, answers));
    Event::TaskEvaluated {
        run: "r".into(),
        report,
    }
}

#[test]
fn events_become_history_and_a_repeated_task_counts_once() {
    let mut view = RunView::default();
    view.fold(Event::Started(Box::new(header())), "1");
    view.fold(evaluated(0, &[0, 0]), "2");
    view.fold(evaluated(1, &[0, 0, 0]), "3");
    view.fold(evaluated(1, &[0, 1, 2]), "4");
    assert_eq!(view.of(Expert::ONLINE).accuracy, vec![0.5, 1.0]);
    assert_eq!(view.of(Expert::ENSEMBLE).matrix[1], vec![1.0, 1.0]);
    assert_eq!(view.class_names(1), ["c"]);
    // Resumes the same run after its first task.
    let mut again = RunView::default();
    again.fold(Event::Started(Box::new(header())), "1");
    let (run, reports) = ("r".into(), vec![report(0, &[0, 0])]);
    again.fold(Event::TakenUp { run, reports }, "2");
    again.fold(evaluated(1, &[0, 1, 2]), "3");
    assert_eq!(again.reports, view.reports);
    assert_eq!(again.of(Expert::OFFLINE), view.of(Expert::OFFLINE));
    view.fold(Event::Finished { run: "r".into() }, "5");
    assert_eq!((view.stage, view.done()), (Stage::Finished, 1.0));
    assert!(
        view.log
            .iter()
            .any(|line| line.text.contains("100.0\u{a0}% ensemble"))
    );
}

#[test]
fn a_stored_run_that_lacks_tasks_is_stopped() {
    let view = RunView::stored(header(), vec![report(0, &[0, 1])]);
    assert_eq!(view.stage, Stage::Stopped);
    assert!((view.done() - 0.5).abs() < 1e-12);
}

/// Returns a run with an added task of two classes.
fn taught() -> RunHeader {
    let added_task = AddedTask {
        source: "more".into(),
        classes: vec!["d".into(), "e".into()],
        again: Vec::new(),
        train_images: vec![8, 8],
        test_images: vec![1, 1],
        fingerprint: String::new(),
        before: Some(0.0),
        planned_tasks: 2,
        batch: 8,
        repeats: 5,
        base_lr: 0.01,
        notes: Vec::new(),
        taught: String::new(),
        version: String::new(),
    };
    header().taught(2, added_task)
}

#[test]
fn an_added_task_that_does_not_come_to_its_end_leaves_the_run_as_it_was() {
    let reports = || vec![report(0, &[0, 1]), report(1, &[0, 1, 2])];
    let begun = || {
        let mut view = RunView::default();
        view.fold(Event::Started(Box::new(taught())), "1");
        let run = String::from("r");
        let taken = Event::TakenUp {
            run,
            reports: reports(),
        };
        view.fold(taken, "2");
        view
    };
    let run = || String::from("r");
    let mut stopped = begun();
    assert!(stopped.title.ends_with("1 added task"));
    stopped.fold(Event::Stopped { run: run() }, "3");
    let mut failed = begun();
    let problem = Problem::new("the disk is full");
    failed.fold(
        Event::Failed {
            run: run(),
            problem,
        },
        "3",
    );
    for view in [&stopped, &failed] {
        assert_eq!(view.header, Some(header()));
        assert_eq!((view.stage, view.tasks()), (Stage::Finished, 2));
        assert_eq!(view.title, header().title());
    }
    assert!(failed.problem.is_some() && stopped.problem.is_none());
    let mut whole = begun();
    whole.fold(evaluated(2, &[0, 1, 2, 3, 0]), "3");
    whole.fold(Event::Finished { run: run() }, "4");
    assert_eq!((whole.stage, whole.tasks()), (Stage::Finished, 3));
    let story = crate::session::story::story(&whole);
    let count = |n: usize, of: usize| tr!("story-count-of", n, of);
    let both = |after: String, before: String| tr!("story-correct-before-and-now", after, before);
    let told = tr!(
        "story-added-task",
        names = "d, e",
        new = both(count(1, 2), count(0, 2)),
        n = 3,
        old = both(count(3, 3), count(3, 3))
    );
    assert_eq!(
        (story[0].head.as_str(), story[0].text.as_str()),
        (tr!("story-added-task-heading"), told.as_str())
    );
}
