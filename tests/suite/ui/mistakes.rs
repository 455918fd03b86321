//! The most confident mistakes of a run, and corrections of labels.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Answers, Expert};
use lae_studio::run::config::RunConfig;
use lae_studio::run::doubt::{DoubtRequest, DoubtState};
use lae_studio::run::event::{
    ClassPrediction, Command, Event, PredictRequest, Prediction, RunHeader, TaskReport,
};
use lae_studio::session::Session;
use lae_studio::session::backend::Recorded;
use lae_studio::session::views::Split;
use lae_studio::store;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::added_tasks::added_task;
use super::sizes::scroll;
use super::synthetic::{header, report};
use super::{recorded, settle, shot};
use crate::data::Made;

fn two_classes() -> Made {
    let made = Made::new();
    made.class("train/a", 4).class("train/b", 4);
    made.class("test/a", 3).class("test/b", 3);
    made
}

/// Opens the mistakes of a run of one task that misclassified test images 0, 2 and 4.
fn open_mistakes(made: &Made, runs: &Path, noted: bool) -> (Harness<'static, StudioApp>, Recorded) {
    open_mistakes_at([1280.0, 1500.0], made, runs, noted)
}

fn open_mistakes_at(
    size: [f32; 2],
    made: &Made,
    runs: &Path,
    noted: bool,
) -> (Harness<'static, StudioApp>, Recorded) {
    let (mut window, backend) = recorded(size, ThemeChoice::Dark, runs);
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    let header = RunHeader {
        config: RunConfig {
            data: made.path().to_string_lossy().into_owned(),
            ..RunConfig::default()
        },
        class_order: vec!["a".into(), "b".into()],
        tasks: std::iter::once(0..2).collect(),
        train_images: vec![8],
        test_images: vec![6],
        images: Some(made.open().fingerprints()),
        ..header()
    };
    let certainty = [(Expert::ENSEMBLE, vec![0.6, 0.9, 0.99, 0.8, 0.75, 0.7])];
    let answers = Answers {
        samples: (0..6).collect(),
        labels: vec![0, 0, 0, 1, 1, 1],
        given: [(Expert::ENSEMBLE, vec![1, 0, 1, 1, 0, 1])].into(),
        certainty: if noted {
            certainty.into()
        } else {
            Default::default()
        },
        ..Answers::default()
    };
    let run = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    let report = TaskReport {
        answers,
        ..report(0)
    };
    let told = Event::TaskEvaluated {
        run: run.clone(),
        report: Box::new(report),
    };
    backend.push(told);
    backend.push(Event::Finished { run });
    settle(&mut window);
    settle(&mut window);
    window.get_by_label(tr!("train-show-mistakes")).click();
    settle(&mut window);
    (window, backend)
}

/// These images in the order of their tiles from left to right.
fn tile_order(window: &Harness<'_, StudioApp>, indices: &[usize]) -> Vec<usize> {
    let mut places: Vec<(f32, usize)> = indices
        .iter()
        .map(|index| {
            let name = format!("mistake, test image {index}");
            let tile = window.get_by_label(&name);
            (tile.rect().left(), *index)
        })
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places.into_iter().map(|(_, index)| index).collect()
}

fn open_tab(window: &mut Harness<'_, StudioApp>, page: Page) {
    let title = page.title();
    window.get_by_role_and_label(egui::Role::Tab, title).click();
    settle(window);
}

#[test]
fn most_confident_mistakes_come_first_and_open_predict() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, _) = open_mistakes(&made, runs.path(), true);
    assert_eq!(tile_order(&window, &[0, 2, 4]), [2, 4, 0]);
    assert!(
        window.query_by_label("mistake, test image 1").is_none(),
        "image 1 is correct"
    );
    window.get_by_label("99.0\u{a0}%");
    assert_eq!(window.get_all_by_label("→ b").count(), 2);
    shot(&mut window, "mistakes");
    window.get_by_label("mistake, test image 2").click();
    settle(&mut window);
    let session = &window.state().session;
    assert_eq!(session.predict.truth.as_deref(), Some("a"));
    let picture = session.predict.picture.as_ref().unwrap();
    assert_eq!(picture.name, "a/002.png");
}

#[test]
fn label_menu_fits_smallest_window_with_many_classes() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    for class in 0..12 {
        made.class(&format!("train/more {class}"), 1);
        made.class(&format!("test/more {class}"), 1);
    }
    let (mut window, _) = open_mistakes_at([450.0, 300.0], &made, runs.path(), true);
    let whole = window.ctx.content_rect();
    let tile = "Correct the label: mistake, test image 2";
    for _ in 0..30 {
        if whole
            .shrink(8.0)
            .contains_rect(window.get_by_label(tile).rect())
        {
            break;
        }
        scroll(&mut window, whole.center(), -60.0);
        settle(&mut window);
    }
    window.get_by_label(tile).click();
    settle(&mut window);
    shot(&mut window, "mistakes-really-small");
    for name in [
        tr!("train-correct-label-title"),
        "b, as predicted",
        tr!("train-exclude-image"),
    ] {
        let rect = window.get_by_label(name).rect();
        assert!(whole.contains_rect(rect), "{name}: {rect:?} in {whole:?}");
    }
}

#[test]
fn corrected_labels_are_listed_and_reverted() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let place = made.path().to_string_lossy().into_owned();
    let kept = || store::corrected(runs.path(), &place).unwrap();
    let (mut window, _) = open_mistakes(&made, runs.path(), true);
    window
        .get_by_label("Correct the label: mistake, test image 2")
        .click();
    settle(&mut window);
    shot(&mut window, "mistakes-really");
    window
        .get_by_label(&tr!("train-label-as-predicted", class = "b"))
        .click();
    settle(&mut window);
    let list = kept();
    assert_eq!(list.len(), 1);
    assert_eq!(
        (list[0].picture.as_str(), list[0].was.as_str()),
        ("a/002.png", "a")
    );
    assert_eq!(list[0].class.as_deref(), Some("b"));
    window
        .get_by_label("Correct the label: mistake, test image 4")
        .click();
    settle(&mut window);
    window.get_by_label(tr!("train-exclude-image")).click();
    settle(&mut window);
    assert_eq!(kept().len(), 2);
    // The notice undoes the change, and then redoes it.
    for left in [1, 2] {
        window.get_by_label(tr!("shell-undo")).click();
        settle(&mut window);
        assert_eq!(kept().len(), left);
    }
    // The image stays listed, because the run was tested with the old label.
    window.get_by_label("mistake, test image 2");
    // The next run on this folder uses the corrected labels.
    window.state_mut().session.choose_data(&place);
    open_tab(&mut window, Page::Experiment);
    settle(&mut window);
    window.get_by_label("1 label corrected, 1 image excluded");
    let session = &window.state().session;
    assert_eq!(session.experiment.draft.corrected, kept());
    let view = session.experiment.data.ready().unwrap();
    assert_eq!(
        view.test,
        [2, 3],
        "one label became b, one image of b is excluded"
    );
    window.get_by_label(tr!("data-corrected-show")).click();
    settle(&mut window);
    shot(&mut window, "corrected-list");
    window.get_by_label("Revert a/002.png").click();
    settle(&mut window);
    assert_eq!(kept().len(), 1);
    window.get_by_label(&tr!("remark-images-excluded", n = 1));
    window
        .get_by_label(tr!("data-corrected-original-labels"))
        .click();
    settle(&mut window);
    let session = &window.state().session;
    assert!(session.experiment.draft.corrected.is_empty());
    assert_eq!(session.experiment.data.ready().unwrap().test, [3, 3]);
    let (command, exact) = session.command();
    assert!(command.ends_with("--corrected none") && exact, "{command}");
}

fn predict_requests(backend: &Recorded) -> Vec<PredictRequest> {
    let all = backend.asked().into_iter();
    all.filter_map(|command| match command {
        Command::Predict(request) => Some(request),
        _ => None,
    })
    .collect()
}

#[test]
fn mistakes_without_stored_certainty_are_predicted_again() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&made, runs.path(), false);
    assert_eq!(
        window
            .get_all_by_label(tr!("train-certainty-not-stored"))
            .count(),
        3
    );
    window
        .get_by_label(tr!("train-predict-mistakes-again"))
        .click();
    settle(&mut window);
    for (round, share) in [0.7, 0.8, 0.9].into_iter().enumerate() {
        let requests = predict_requests(&backend);
        assert_eq!(requests.len(), round + 1, "one request at a time");
        let request = requests.last().unwrap();
        backend.push(Event::Predicted(Box::new(Prediction {
            ticket: request.ticket,
            run: request.run.clone(),
            task: request.tasks[0],
            classes: vec!["a".into(), "b".into()],
            opinions: vec![ClassPrediction {
                expert: Expert::ENSEMBLE,
                class: 1,
                // The last request is for image 4, which was classified as a.
                probabilities: vec![share, share],
                energy: None,
            }],
            decided_by: Expert::ENSEMBLE,
            seen: Vec::new(),
            seen_size: 0,
        })));
        settle(&mut window);
    }
    assert_eq!(tile_order(&window, &[0, 2, 4]), [4, 2, 0]);
    assert_absent!(window, "train-certainty-not-stored");
    assert_absent!(window, "train-predict-mistakes-again");
}

/// The requested label checks.
fn label_checks(backend: &Recorded) -> Vec<DoubtRequest> {
    let all = backend.asked().into_iter();
    all.filter_map(|command| match command {
        Command::Doubts(request) => Some(request),
        _ => None,
    })
    .collect()
}

fn is_stopped(backend: &Recorded, ticket: u64) -> bool {
    let stops = |command: &Command| matches!(command, Command::StopSheet(of) if *of == ticket);
    backend.asked().iter().any(stops)
}

/// A finished label check of eight training images: 1, 5 and 7 look like the other class.
fn finished_label_check() -> DoubtState {
    let certain = vec![0.5, 0.7, 0.5, 0.5, 0.5, 0.99, 0.5, 0.6];
    DoubtState::Done(Box::new(Answers {
        samples: (0..8).collect(),
        labels: vec![0, 0, 0, 0, 1, 1, 1, 1],
        given: [(Expert::ANSWER, vec![0, 1, 0, 0, 1, 0, 1, 0])].into(),
        certainty: [(Expert::ANSWER, certain)].into(),
        ..Answers::default()
    }))
}

/// Starts the label check of the training images of the shown run.
fn start_label_check(window: &mut Harness<'static, StudioApp>, backend: &Recorded) -> DoubtRequest {
    window.get_by_label(tr!("train-training-images")).click();
    settle(window);
    window
        .get_by_label(tr!("train-find-doubtful-labels"))
        .click();
    settle(window);
    label_checks(backend).pop().unwrap()
}

fn report_doubts(window: &mut Harness<'static, StudioApp>, backend: &Recorded, ticket: u64) {
    let state = finished_label_check();
    backend.push(Event::Doubts { ticket, state });
    settle(window);
}

#[test]
fn doubtful_training_images_are_listed_and_corrected() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let place = made.path().to_string_lossy().into_owned();
    let (mut window, backend) = open_mistakes(&made, runs.path(), true);
    window.get_by_label(tr!("train-training-images")).click();
    settle(&mut window);
    shot(&mut window, "mistakes-training-offer");
    window
        .get_by_label(tr!("train-find-doubtful-labels"))
        .click();
    settle(&mut window);
    let mut looks = label_checks(&backend);
    let request = looks.pop().unwrap();
    assert_eq!((request.task, looks.pop()), (0, None));
    let tell = |window: &mut Harness<'static, StudioApp>, state| {
        let ticket = request.ticket;
        backend.push(Event::Doubts { ticket, state });
        settle(window);
    };
    tell(&mut window, DoubtState::Working((3, 8)));
    window.get_by_label(&tr!("train-doubts-progress", n = 3, of = 8));
    window.get_by_label(tr!("train-stop-run")).click();
    settle(&mut window);
    assert!(is_stopped(&backend, request.ticket));
    tell(&mut window, finished_label_check());
    window.get_by_label(tr!("train-doubtful-labels"));
    assert!(shows!(window, "train-doubts-images-found", n = 3, of = 8));
    let name = |index: usize| format!("doubtful, training image {index}");
    let lefts = [5, 1, 7].map(|index| window.get_by_label(&name(index)).rect().left());
    assert!(lefts[0] < lefts[1] && lefts[1] < lefts[2], "{lefts:?}");
    assert!(window.query_by_label("mistake, test image 2").is_none());
    window.get_by_label("99.0\u{a0}%");
    window
        .get_by_label("Correct the label: doubtful, training image 5")
        .click();
    settle(&mut window);
    shot(&mut window, "mistakes-training");
    window
        .get_by_label(&tr!("train-label-as-it-looks", class = "a"))
        .click();
    settle(&mut window);
    let list = store::corrected(runs.path(), &place).unwrap();
    assert_eq!(list.len(), 1);
    let told = (
        list[0].picture.as_str(),
        list[0].was.as_str(),
        list[0].class.as_deref(),
    );
    assert_eq!(told, ("b/001.png", "b", Some("a")));
    // It is the training image of that name, not the test image.
    let sample = &made.open().train[5];
    assert_eq!(
        (sample.name(), sample.sha256().unwrap()),
        (list[0].picture.clone(), list[0].sha256.clone())
    );
    // Filtered by one class.
    window
        .get_by_label(tr!("train-doubtful-labels-class"))
        .click();
    settle(&mut window);
    window
        .get_by_role_and_label(egui::Role::Button, "a")
        .click();
    settle(&mut window);
    let labelled = format!(" {}", tr!("train-labelled-class", class = "a"));
    assert!(shows!(
        window,
        "train-doubts-images-found",
        n = 1,
        of = 4,
        labelled = labelled.as_str()
    ));
    assert!(window.query_by_label(&name(5)).is_none());
    window
        .get_by_label(tr!("train-doubtful-labels-class"))
        .click();
    settle(&mut window);
    let all = window.get_all_by_role_and_label(egui::Role::Button, tr!("train-all-classes"));
    all.last().unwrap().click();
    settle(&mut window);
    window.get_by_label(tr!("train-test-images")).click();
    settle(&mut window);
    // The test image of the same name is another image.
    let session = &mut window.state_mut().session;
    let run = session.train.shown().cloned().unwrap();
    let data = session.tested_on(&run, Split::Test);
    let data = session.look_up(data).unwrap().unwrap();
    let corrected = |session: &mut Session, split, index| {
        session.look_up(session.corrected_label(&data, split, index, "b/001.png"))
    };
    assert_eq!(corrected(session, Split::Train, 5), Some(list[0].clone()));
    assert_eq!(corrected(session, Split::Test, 4), None);
    assert_eq!(tile_order(&window, &[0, 2, 4]), [2, 4, 0]);
}

#[test]
fn label_check_finishes_while_run_trains() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = super::flow::after_one_task(runs.path());
    let run = window.state().session.train.live.clone().unwrap();
    let folder = run.header.as_ref().unwrap().folder.clone();
    window.state_mut().session.request_label_check(&folder, 0);
    super::wait(&mut window, "the label check finishes", |app| {
        let state = app.session.doubts(&folder, 0);
        !matches!(state, Some((_, DoubtState::Working(..))))
    });
    let state = window.state().session.doubts(&folder, 0);
    let Some((_, DoubtState::Done(answers))) = state else {
        panic!("{state:?}");
    };
    let header = run.header.as_ref().unwrap();
    assert_eq!(answers.labels.len(), header.train_images[0]);
    assert!(
        answers
            .labels
            .iter()
            .all(|label| header.tasks[0].contains(label))
    );
}

#[test]
fn training_images_are_hidden_once_files_change() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&made, runs.path(), true);
    let request = start_label_check(&mut window, &backend);
    report_doubts(&mut window, &backend, request.ticket);
    let gone = "have changed since this run";
    let replace = |window: &mut Harness<'static, StudioApp>, name: &str| {
        let place = made.path().join(name);
        image::RgbImage::new(40, 40).save(place).unwrap();
        open_tab(window, Page::Compare);
        open_tab(window, Page::Train);
    };
    // A changed test image does not hide training images.
    replace(&mut window, "test/a/000.png");
    window.get_by_label("doubtful, training image 5");
    assert!(window.query_by_label_contains(gone).is_none());
    replace(&mut window, "train/b/001.png");
    window.get_by_label_contains(gone);
    assert!(
        window
            .query_by_label("doubtful, training image 5")
            .is_none()
    );
}

#[test]
fn label_check_stops_with_its_data_or_run() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&made, runs.path(), true);
    let request = start_label_check(&mut window, &backend);
    window.state_mut().session.read_data_again();
    settle(&mut window);
    assert!(is_stopped(&backend, request.ticket));
    assert!(window.state().session.doubts(&request.run, 0).is_none());
    // A late result is ignored, because the images may have changed.
    report_doubts(&mut window, &backend, request.ticket);
    assert!(window.state().session.doubts(&request.run, 0).is_none());
    window.get_by_label(tr!("train-find-doubtful-labels"));
    // Deleting the run also stops its label check.
    super::compare::finished(runs.path(), "", |_| {});
    window.state_mut().session.list_runs();
    settle(&mut window);
    let session = &mut window.state_mut().session;
    let stored = session.compare.runs.ready().unwrap()[0].folder.clone();
    session.request_label_check(&stored, 0);
    let request = label_checks(&backend).pop().unwrap();
    assert_eq!(request.run, stored);
    window.state_mut().session.delete(vec![stored.clone()]);
    settle(&mut window);
    assert!(is_stopped(&backend, request.ticket));
    assert!(window.state().session.doubts(&stored, 0).is_none());
}

/// Pushes the events of another finished run with one report for each task.
fn push_finished_run(
    window: &mut Harness<'static, StudioApp>,
    backend: &Recorded,
    header: RunHeader,
) {
    let (run, tasks) = (header.run.clone(), header.tasks.clone());
    let old = window.state().session.train.live.clone().unwrap();
    backend.push(Event::Started(Box::new(header)));
    for task in 0..tasks.len() {
        let report = TaskReport {
            task,
            ..old.reports[0].clone()
        };
        let (run, report) = (run.clone(), Box::new(report));
        backend.push(Event::TaskEvaluated { run, report });
    }
    backend.push(Event::Finished { run });
    settle(window);
    settle(window);
}

fn header_on_show(window: &Harness<'static, StudioApp>) -> RunHeader {
    let live = window.state().session.train.live.clone();
    live.unwrap().header.clone().unwrap()
}

#[test]
fn same_named_runs_show_their_own_mistakes() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&made, runs.path(), true);
    window.get_by_label("mistake, test image 2");
    let header = header_on_show(&window);
    let other = RunHeader {
        folder: "/nowhere/else".into(),
        ..header
    };
    let run = other.run.clone();
    let mut report = window.state().session.train.live.clone().unwrap().reports[0].clone();
    report.answers.given = [(Expert::ENSEMBLE, vec![0, 1, 0, 1, 1, 1])].into();
    backend.push(Event::Started(Box::new(other)));
    let (name, report) = (run.clone(), Box::new(report));
    backend.push(Event::TaskEvaluated { run: name, report });
    backend.push(Event::Finished { run });
    settle(&mut window);
    settle(&mut window);
    window.get_by_label("mistake, test image 1");
    assert!(window.query_by_label("mistake, test image 2").is_none());
    window
        .get_by_label(&tr!("train-confused-with", name = "a", answer = "b"))
        .click();
    settle(&mut window);
    window.get_by_label(&tr!("train-cell-confused", name = "a", answer = "b", n = 1));
}

#[test]
fn label_check_after_added_task_uses_original_tasks() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&made, runs.path(), true);
    let mut header = header_on_show(&window);
    header.folder = "/nowhere/taught".into();
    header.tasks.push(2..3);
    header.class_order.push("c".into());
    header.train_images.push(4);
    header.test_images.push(3);
    header.added_tasks.push(added_task());
    push_finished_run(&mut window, &backend, header);
    window.get_by_label_contains("after task 2");
    let request = start_label_check(&mut window, &backend);
    assert_eq!(request.task, 0);
    window.get_by_label_contains("after task 1");
    report_doubts(&mut window, &backend, request.ticket);
    window.get_by_label("doubtful, training image 5");
}

#[test]
fn page_scrolls_only_for_awaited_label_check() {
    let (made, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes_at([1280.0, 700.0], &made, runs.path(), true);
    let mut header = header_on_show(&window);
    header.folder = "/nowhere/two".into();
    header.tasks = vec![0..1, 1..2];
    header.train_images = vec![4; 2];
    header.test_images = vec![3; 2];
    push_finished_run(&mut window, &backend, header.clone());
    for task in 0..2 {
        let session = &mut window.state_mut().session;
        session.request_label_check(&header.folder, task);
        let request = label_checks(&backend).pop().unwrap();
        report_doubts(&mut window, &backend, request.ticket);
    }
    window.get_by_label(tr!("train-training-images")).click();
    settle(&mut window);
    // Scrolls up to the matrices and selects the other task.
    let middle = window.ctx.content_rect().center() - egui::vec2(200.0, 0.0);
    for _ in 0..30 {
        scroll(&mut window, middle, 200.0);
    }
    settle(&mut window);
    let place = |window: &Harness<'static, StudioApp>| {
        window
            .get_by_label(tr!("train-doubtful-labels"))
            .rect()
            .top()
    };
    let before = place(&window);
    let first = window.get_all_by_role_and_label(egui::Role::RadioButton, "1");
    first.last().unwrap().click();
    settle(&mut window);
    window.get_by_label_contains("after task 1");
    assert!((place(&window) - before).abs() < 1.0, "{before}");
    // The page scrolls to a label check that the user waits for.
    window
        .state_mut()
        .session
        .request_label_check(&header.folder, 0);
    settle(&mut window);
    let request = label_checks(&backend).pop().unwrap();
    report_doubts(&mut window, &backend, request.ticket);
    assert!(place(&window) < before - 50.0, "{before}");
}
