//! Pinned images: which runs predict them, and where the predictions are shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Event, NamedImage, PredictRequest, Prediction};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::run_view::RunView;
use lae_studio::session::{Disk, Session};

use super::synthetic::{header, prediction, report};

/// A session over recorded events.
fn open_session(runs: &Path) -> (Session, RecordedBackend) {
    let backend = RecordedBackend::default();
    let wake = Arc::new(|| ());
    let session = Session::with_backend(
        Box::new(backend.clone()),
        Disk::new(runs.to_path_buf()),
        RunConfig::default(),
        wake,
    );
    (session, backend)
}

/// A run with this number of finished tasks.
fn run_with_tasks(name: &str, tasks: usize) -> (PathBuf, Arc<RunView>) {
    let mut header = header();
    header.run = name.into();
    header.folder = format!("/nowhere/{name}").into();
    let folder = header.folder.clone();
    let mut view = RunView::default();
    view.apply_event(Event::Started(Box::new(header)), "");
    for task in 0..tasks {
        let report = Box::new(report(task));
        let run = name.to_string();
        view.apply_event(Event::TaskEvaluated { run, report }, "");
    }
    (folder, Arc::new(view))
}

fn test_image(shade: u8) -> Arc<NamedImage> {
    Arc::new(NamedImage { name: "drawing".into(), width: 1, height: 1, rgb: vec![shade; 3] })
}

fn requests(backend: &RecordedBackend) -> Vec<PredictRequest> {
    let commands = backend.commands().into_iter();
    let pin_requests = commands.filter_map(|command| match command {
        Command::Predict(request) if request.about > 0 => Some(request),
        _ => None,
    });
    pin_requests.collect()
}

fn prediction_for(request: &PredictRequest, task: usize) -> Prediction {
    Prediction { run: request.run.clone(), ..prediction(request.ticket, task) }
}

/// Answers all tasks of a request.
fn answer_request(session: &mut Session, backend: &RecordedBackend, request: &PredictRequest) {
    for &task in &request.tasks {
        backend.push(Event::Predicted(Box::new(prediction_for(request, task))));
    }
    session.drain();
}

/// Pushes an event that concerns no pin.
fn push_unrelated_event(session: &mut Session, backend: &RecordedBackend) {
    let remark = Problem::new("something");
    let (run, problem) = (String::new(), remark);
    backend.push(Event::Remark { run, problem });
    session.drain();
}

#[test]
fn runs_on_board_predict_all_tasks_newest_first() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, backend) = open_session(root.path());
    let (long, view) = run_with_tasks("long", 3);
    let (short, short_view) = run_with_tasks("short", 1);
    (session.train.live, session.train.opened) = (Some(view), Some(short_view));
    let pin = session.pin(test_image(1), Some("7".into()));
    assert!(requests(&backend).is_empty(), "no run is on the board");
    session.add_run_to_board(long.clone());
    session.add_run_to_board(short.clone());
    session.add_run_to_board(short.clone());
    let [first, second] = &requests(&backend)[..] else {
        return assert_eq!(requests(&backend).len(), 2);
    };
    assert_eq!((&first.run, &first.tasks[..]), (&long, &[2, 1, 0][..]));
    assert_eq!((&second.run, &second.tasks[..]), (&short, &[0][..]));
    assert_ne!(first.ticket, second.ticket);
    answer_request(&mut session, &backend, first);
    answer_request(&mut session, &backend, second);
    assert_eq!(session.predict.pins.prediction_count(pin, &long), 3);
    // A run with fewer tasks has no predictions for later tasks.
    assert_eq!(session.predict.pins.prediction_count(pin, &short), 1);
    assert!(session.predict.pins.prediction(pin, &short, 1).is_none());
    let stored_answer = session.predict.pins.prediction(pin, &long, 2).unwrap();
    assert!(stored_answer.task == 2 && stored_answer.seen.is_empty());
    // Both runs predict another image.
    session.pin(test_image(2), None);
    assert_eq!(requests(&backend).len(), 4);
    push_unrelated_event(&mut session, &backend);
    assert_eq!(requests(&backend).len(), 4, "nothing is requested twice");
    // The first run has learned one more task.
    session.train.live = Some(run_with_tasks("long", 4).1);
    push_unrelated_event(&mut session, &backend);
    let new_requests = &requests(&backend)[4..];
    assert_eq!(new_requests.len(), 2);
    assert_eq!(new_requests[0].tasks, [3], "existing predictions are not requested again");
}

#[test]
fn board_cell_shows_correctness_and_followed_class() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, backend) = open_session(root.path());
    let (folder, view) = run_with_tasks("long", 4);
    session.train.live = Some(view);
    session.add_run_to_board(folder.clone());
    session.pin(test_image(1), Some("7".into()));
    session.pin(test_image(2), None);
    for request in requests(&backend) {
        answer_request(&mut session, &backend, &request);
    }
    let pins = session.predict.pins.pins().to_vec();
    // The recorded run predicts its last class, and 7 once it has learned that.
    let cell = session.board_cell(&pins[0], &folder, 0);
    assert_eq!((cell.is_correct, cell.plotted_class.as_str()), (Some(false), "7"));
    assert_eq!(cell.predicted.unwrap().0, "1");
    let tasks: Vec<usize> = cell.curve.iter().map(|(task, _)| *task).collect();
    assert_eq!(tasks, [3], "7 is known only after the fourth task");
    assert_eq!(session.board_cell(&pins[0], &folder, 3).is_correct, Some(true));
    let unknown = session.board_cell(&pins[1], &folder, 3);
    assert_eq!((unknown.is_correct, unknown.plotted_class.as_str()), (None, "7"));
    let beyond = session.board_cell(&pins[0], &folder, 4);
    assert_eq!(beyond.missing_reason, Some(tr!("predict-pins-fewer-tasks", n = 4)));
}

#[test]
fn replacing_pin_predicts_again_and_unpinning_discards() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, backend) = open_session(root.path());
    let (folder, view) = run_with_tasks("long", 2);
    session.train.live = Some(view);
    session.add_run_to_board(folder.clone());
    let pin = session.pin(test_image(1), None);
    let first = requests(&backend).pop().unwrap();
    answer_request(&mut session, &backend, &first);
    session.repin(pin, test_image(1));
    assert_eq!(requests(&backend).len(), 1, "the same image is not predicted again");
    session.repin(pin, test_image(9));
    assert_eq!(session.predict.pins.prediction_count(pin, &folder), 0);
    let second = requests(&backend).pop().unwrap();
    assert_eq!((second.about, second.picture.rgb[0]), (first.about, 9));
    // A late prediction of the old image is ignored.
    answer_request(&mut session, &backend, &first);
    assert_eq!(session.predict.pins.prediction_count(pin, &folder), 0);
    answer_request(&mut session, &backend, &second);
    assert_eq!(session.predict.pins.prediction_count(pin, &folder), 2);
    session.unpin(pin);
    assert!(session.predict.pins.pins().is_empty());
    answer_request(&mut session, &backend, &second);
    assert_eq!(session.predict.pins.prediction_count(pin, &folder), 0);
    assert!(session.predict.predictions.is_empty(), "Predict ignores the late prediction");
}

#[test]
fn undone_task_removes_its_pin_predictions() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, backend) = open_session(root.path());
    let (folder, view) = run_with_tasks("long", 3);
    session.train.live = Some(view);
    session.add_run_to_board(folder.clone());
    let pin = session.pin(test_image(1), None);
    let request = requests(&backend).pop().unwrap();
    backend.push(Event::Predicted(Box::new(prediction_for(&request, 1))));
    session.drain();
    session.train.live = Some(run_with_tasks("long", 2).1);
    push_unrelated_event(&mut session, &backend);
    // A late prediction of the removed third task is ignored.
    backend.push(Event::Predicted(Box::new(prediction_for(&request, 2))));
    backend.push(Event::Predicted(Box::new(prediction_for(&request, 0))));
    session.drain();
    assert_eq!(session.predict.pins.prediction_count(pin, &folder), 2);
    assert!(session.predict.pins.prediction(pin, &folder, 2).is_none());
    // After another added task, only that task is requested.
    session.train.live = Some(run_with_tasks("long", 3).1);
    push_unrelated_event(&mut session, &backend);
    assert_eq!(requests(&backend).pop().unwrap().tasks, [2]);
}

#[test]
fn failed_predictions_are_reported_on_their_pin() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, backend) = open_session(root.path());
    let (folder, view) = run_with_tasks("long", 2);
    session.train.live = Some(view);
    session.add_run_to_board(folder.clone());
    let pin = session.pin(test_image(1), None);
    let request = requests(&backend).pop().unwrap();
    let not_predicted =
        |ticket| Event::NotPredicted { ticket, problem: Problem::new("no weights") };
    backend.push(not_predicted(request.ticket + 50));
    session.drain();
    assert!(session.predict.pins.problem(pin, &folder).is_none());
    assert!(session.predict.problem.is_none(), "an unknown ticket is ignored");
    backend.push(not_predicted(request.ticket));
    session.drain();
    assert_eq!(session.predict.pins.problem(pin, &folder).unwrap().what, "no weights");
    let pinned = session.predict.pins.pins()[0].clone();
    let cell = session.board_cell(&pinned, &folder, 0);
    assert_eq!(cell.missing_reason.as_deref(), Some("no weights"));
    session.remove_run_from_board(&folder);
    assert!(
        session.predict.pins.runs().is_empty()
            && session.predict.pins.problem(pin, &folder).is_none()
    );
}
