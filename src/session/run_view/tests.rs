//! Tests of a run updated from events and of a run read from its folder.

use super::*;
use crate::metrics::Predictions;
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
        answers: Predictions {
            samples: labels.clone(),
            sources: Vec::new(),
            labels,
            given: crate::method::lae::LAE.experts.iter().map(|e| (*e, answers.to_vec())).collect(),
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

fn evaluated_event(task: usize, answers: &[usize]) -> Event {
    let report = Box::new(report(task, answers));
    Event::TaskEvaluated { run: "r".into(), report }
}

#[test]
fn repeated_task_event_counts_once_in_history() {
    let mut view = RunView::default();
    view.apply_event(Event::Started(Box::new(header())), "1");
    view.apply_event(evaluated_event(0, &[0, 0]), "2");
    view.apply_event(evaluated_event(1, &[0, 0, 0]), "3");
    view.apply_event(evaluated_event(1, &[0, 1, 2]), "4");
    assert_eq!(view.expert_history(Expert::ONLINE).accuracy, vec![0.5, 1.0]);
    assert_eq!(view.expert_history(Expert::ENSEMBLE).matrix[1], vec![1.0, 1.0]);
    assert_eq!(view.class_names(1), ["c"]);
    // Resumes the same run after its first task.
    let mut resumed = RunView::default();
    resumed.apply_event(Event::Started(Box::new(header())), "1");
    let (run, reports) = ("r".into(), vec![report(0, &[0, 0])]);
    resumed.apply_event(Event::TakenUp { run, reports }, "2");
    resumed.apply_event(evaluated_event(1, &[0, 1, 2]), "3");
    assert_eq!(resumed.reports, view.reports);
    assert_eq!(resumed.expert_history(Expert::OFFLINE), view.expert_history(Expert::OFFLINE));
    view.apply_event(Event::Finished { run: "r".into() }, "5");
    assert_eq!((view.stage, view.finished_share()), (Stage::Finished, 1.0));
    assert!(view.log.iter().any(|line| line.text.contains("100.0\u{a0}% ensemble")));
}

#[test]
fn stored_run_with_missing_tasks_is_stopped() {
    let view = RunView::from_stored(header(), vec![report(0, &[0, 1])]);
    assert_eq!(view.stage, Stage::Stopped);
    assert!((view.finished_share() - 0.5).abs() < 1e-12);
}

/// Returns a run with an added task of two classes.
fn header_with_added_task() -> RunHeader {
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
    header().with_added_task(2, added_task)
}

#[test]
fn unfinished_added_task_leaves_run_unchanged() {
    let reports = || vec![report(0, &[0, 1]), report(1, &[0, 1, 2])];
    let started = || {
        let mut view = RunView::default();
        view.apply_event(Event::Started(Box::new(header_with_added_task())), "1");
        let run = String::from("r");
        let event = Event::TakenUp { run, reports: reports() };
        view.apply_event(event, "2");
        view
    };
    let run = || String::from("r");
    let mut stopped = started();
    assert!(stopped.title.ends_with("1 added task"));
    stopped.apply_event(Event::Stopped { run: run() }, "3");
    let mut failed = started();
    let problem = Problem::new("the disk is full");
    failed.apply_event(Event::Failed { run: run(), problem }, "3");
    for view in [&stopped, &failed] {
        assert_eq!(view.header, Some(header()));
        assert_eq!((view.stage, view.tasks()), (Stage::Finished, 2));
        assert_eq!(view.title, header().title());
    }
    assert!(failed.problem.is_some() && stopped.problem.is_none());
    let mut finished = started();
    finished.apply_event(evaluated_event(2, &[0, 1, 2, 3, 0]), "3");
    finished.apply_event(Event::Finished { run: run() }, "4");
    assert_eq!((finished.stage, finished.tasks()), (Stage::Finished, 3));
    let explanation = crate::session::explanation::explain_run(&finished);
    let count = |n: usize, of: usize| tr!("session-count-of", n, of);
    let before_and_now =
        |after: String, before: String| tr!("session-correct-before-and-now", after, before);
    let expected = tr!(
        "session-added-task",
        names = "d, e",
        new = before_and_now(count(1, 2), count(0, 2)),
        n = 3,
        old = before_and_now(count(3, 3), count(3, 3))
    );
    assert_eq!(
        (explanation[0].heading.as_str(), explanation[0].text.as_str()),
        (tr!("session-added-task-heading"), expected.as_str())
    );
}
