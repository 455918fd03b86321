//! The most confident mistakes of a run, and corrections of labels.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Expert, Predictions};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{ClassPrediction, Command, Event, Prediction, RunHeader, TaskReport};
use lae_studio::run::label_noise::{LabelCheckRequest, LabelCheckState};
use lae_studio::session::Session;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::views::Split;
use lae_studio::store;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::added_tasks::added_task;
use super::sizes::scroll;
use super::synthetic::{header, report};
use super::{predict_requests, recorded_window, save_screenshot, wait_until_idle};
use crate::data::DatasetFixture;

fn two_classes() -> DatasetFixture {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("train/a", 4).write_class("train/b", 4);
    image_folder.write_class("test/a", 3).write_class("test/b", 3);
    image_folder
}

/// Opens the mistakes of a run of one task that misclassified test images 0, 2 and 4.
fn open_mistakes(
    image_folder: &DatasetFixture,
    runs: &Path,
    has_certainty: bool,
) -> (Harness<'static, StudioApp>, RecordedBackend) {
    open_mistakes_at([1280.0, 1500.0], image_folder, runs, has_certainty)
}

fn open_mistakes_at(
    size: [f32; 2],
    image_folder: &DatasetFixture,
    runs: &Path,
    has_certainty: bool,
) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let (mut window, backend) = recorded_window(size, ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    let header = RunHeader {
        config: RunConfig {
            data: image_folder.path().to_string_lossy().into_owned(),
            ..RunConfig::default()
        },
        class_order: vec!["a".into(), "b".into()],
        tasks: std::iter::once(0..2).collect(),
        train_images: vec![8],
        test_images: vec![6],
        images: Some(image_folder.open().fingerprints()),
        ..header()
    };
    let certainty = [(Expert::ENSEMBLE, vec![0.6, 0.9, 0.99, 0.8, 0.75, 0.7])];
    let answers = Predictions {
        samples: (0..6).collect(),
        labels: vec![0, 0, 0, 1, 1, 1],
        given: [(Expert::ENSEMBLE, vec![1, 0, 1, 1, 0, 1])].into(),
        certainty: if has_certainty { certainty.into() } else { Default::default() },
        ..Predictions::default()
    };
    let run = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    let report = TaskReport { answers, ..report(0) };
    let event = Event::TaskEvaluated { run: run.clone(), report: Box::new(report) };
    backend.push(event);
    backend.push(Event::Finished { run });
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-show-mistakes")).click();
    wait_until_idle(&mut window);
    (window, backend)
}

/// These images in the order of their tiles from left to right.
fn tile_order(window: &Harness<'_, StudioApp>, indices: &[usize]) -> Vec<usize> {
    let mut tiles: Vec<(f32, usize)> = indices
        .iter()
        .map(|index| {
            let name = format!("mistake, test image {index}");
            let tile = window.get_by_label(&name);
            (tile.rect().left(), *index)
        })
        .collect();
    tiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    tiles.into_iter().map(|(_, index)| index).collect()
}

fn open_tab(window: &mut Harness<'_, StudioApp>, page: Page) {
    let title = page.title();
    window.get_by_role_and_label(egui::Role::Tab, title).click();
    wait_until_idle(window);
}

#[test]
fn most_confident_mistakes_come_first_and_open_predict() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, _) = open_mistakes(&image_folder, runs.path(), true);
    assert_eq!(tile_order(&window, &[0, 2, 4]), [2, 4, 0]);
    assert!(window.query_by_label("mistake, test image 1").is_none(), "image 1 is correct");
    window.get_by_label("99.0\u{a0}%");
    assert_eq!(window.get_all_by_label("→ b").count(), 2);
    save_screenshot(&mut window, "mistakes");
    window.get_by_label("mistake, test image 2").click();
    wait_until_idle(&mut window);
    let session = &window.state().session;
    assert_eq!(session.predict.truth.as_deref(), Some("a"));
    let image = session.predict.image.as_ref().unwrap();
    assert_eq!(image.name, "a/002.png");
}

#[test]
fn label_menu_fits_smallest_window_with_many_classes() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    for class in 0..12 {
        image_folder.write_class(&format!("train/more {class}"), 1);
        image_folder.write_class(&format!("test/more {class}"), 1);
    }
    let (mut window, _) = open_mistakes_at([450.0, 300.0], &image_folder, runs.path(), true);
    let content_rect = window.ctx.content_rect();
    let tile = "Correct the label: mistake, test image 2";
    for _ in 0..30 {
        if content_rect.shrink(8.0).contains_rect(window.get_by_label(tile).rect()) {
            break;
        }
        scroll(&mut window, content_rect.center(), -60.0);
        wait_until_idle(&mut window);
    }
    window.get_by_label(tile).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "mistakes-really-small");
    for name in [tr!("train-correct-label-title"), "b, as predicted", tr!("train-exclude-image")] {
        let rect = window.get_by_label(name).rect();
        assert!(content_rect.contains_rect(rect), "{name}: {rect:?} in {content_rect:?}");
    }
}

#[test]
fn corrected_labels_are_listed_and_reverted() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let data_path = image_folder.path().to_string_lossy().into_owned();
    let load_corrections = || store::load_corrections(runs.path(), &data_path).unwrap();
    let (mut window, _) = open_mistakes(&image_folder, runs.path(), true);
    window.get_by_label("Correct the label: mistake, test image 2").click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "mistakes-really");
    window.get_by_label(&tr!("train-label-as-predicted", class = "b")).click();
    wait_until_idle(&mut window);
    let list = load_corrections();
    assert_eq!(list.len(), 1);
    assert_eq!((list[0].picture.as_str(), list[0].was.as_str()), ("a/002.png", "a"));
    assert_eq!(list[0].class.as_deref(), Some("b"));
    window.get_by_label("Correct the label: mistake, test image 4").click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-exclude-image")).click();
    wait_until_idle(&mut window);
    assert_eq!(load_corrections().len(), 2);
    // The notice undoes the change, and then redoes it.
    for remaining in [1, 2] {
        window.get_by_label(tr!("shell-undo")).click();
        wait_until_idle(&mut window);
        assert_eq!(load_corrections().len(), remaining);
    }
    // The image stays listed, because the run was tested with the old label.
    window.get_by_label("mistake, test image 2");
    // The next run on this folder uses the corrected labels.
    window.state_mut().session.choose_data(&data_path);
    open_tab(&mut window, Page::Experiment);
    wait_until_idle(&mut window);
    window.get_by_label("1 label corrected, 1 image excluded");
    let session = &window.state().session;
    assert_eq!(session.experiment.draft.corrected, load_corrections());
    let view = session.experiment.data.ready().unwrap();
    assert_eq!(view.test, [2, 3], "one label became b, one image of b is excluded");
    window.get_by_label(tr!("data-corrected-show")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "corrected-list");
    window.get_by_label("Revert a/002.png").click();
    wait_until_idle(&mut window);
    assert_eq!(load_corrections().len(), 1);
    window.get_by_label(&tr!("remark-images-excluded", n = 1));
    window.get_by_label(tr!("data-corrected-original-labels")).click();
    wait_until_idle(&mut window);
    let session = &window.state().session;
    assert!(session.experiment.draft.corrected.is_empty());
    assert_eq!(session.experiment.data.ready().unwrap().test, [3, 3]);
    let (command, exact) = session.shell_command();
    assert!(command.ends_with("--corrected none") && exact, "{command}");
}

#[test]
fn mistakes_without_stored_certainty_are_predicted_again() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&image_folder, runs.path(), false);
    assert_eq!(window.get_all_by_label(tr!("train-certainty-not-stored")).count(), 3);
    window.get_by_label(tr!("train-predict-mistakes-again")).click();
    wait_until_idle(&mut window);
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
        wait_until_idle(&mut window);
    }
    assert_eq!(tile_order(&window, &[0, 2, 4]), [4, 2, 0]);
    assert_absent!(window, "train-certainty-not-stored");
    assert_absent!(window, "train-predict-mistakes-again");
}

/// The requested label checks.
fn label_checks(backend: &RecordedBackend) -> Vec<LabelCheckRequest> {
    let commands = backend.commands().into_iter();
    commands
        .filter_map(|command| match command {
            Command::Doubts(request) => Some(request),
            _ => None,
        })
        .collect()
}

fn is_stopped(backend: &RecordedBackend, ticket: u64) -> bool {
    let is_stop =
        |command: &Command| matches!(command, Command::StopSheet(stopped) if *stopped == ticket);
    backend.commands().iter().any(is_stop)
}

/// A finished label check of eight training images: 1, 5 and 7 look like the other class.
fn finished_label_check() -> LabelCheckState {
    let certainty = vec![0.5, 0.7, 0.5, 0.5, 0.5, 0.99, 0.5, 0.6];
    LabelCheckState::Done(Box::new(Predictions {
        samples: (0..8).collect(),
        labels: vec![0, 0, 0, 0, 1, 1, 1, 1],
        given: [(Expert::ANSWER, vec![0, 1, 0, 0, 1, 0, 1, 0])].into(),
        certainty: [(Expert::ANSWER, certainty)].into(),
        ..Predictions::default()
    }))
}

/// Starts the label check of the training images of the shown run.
fn start_label_check(
    window: &mut Harness<'static, StudioApp>,
    backend: &RecordedBackend,
) -> LabelCheckRequest {
    window.get_by_label(tr!("train-training-images")).click();
    wait_until_idle(window);
    window.get_by_label(tr!("train-find-doubtful-labels")).click();
    wait_until_idle(window);
    label_checks(backend).pop().unwrap()
}

fn report_doubts(window: &mut Harness<'static, StudioApp>, backend: &RecordedBackend, ticket: u64) {
    let state = finished_label_check();
    backend.push(Event::Doubts { ticket, state });
    wait_until_idle(window);
}

#[test]
fn doubtful_training_images_are_listed_and_corrected() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let data_path = image_folder.path().to_string_lossy().into_owned();
    let (mut window, backend) = open_mistakes(&image_folder, runs.path(), true);
    window.get_by_label(tr!("train-training-images")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "mistakes-training-offer");
    window.get_by_label(tr!("train-find-doubtful-labels")).click();
    wait_until_idle(&mut window);
    let mut checks = label_checks(&backend);
    let request = checks.pop().unwrap();
    assert_eq!((request.task, checks.pop()), (0, None));
    let push_state = |window: &mut Harness<'static, StudioApp>, state| {
        let ticket = request.ticket;
        backend.push(Event::Doubts { ticket, state });
        wait_until_idle(window);
    };
    push_state(&mut window, LabelCheckState::Working((3, 8)));
    window.get_by_label(&tr!("train-doubts-progress", n = 3, of = 8));
    window.get_by_label(tr!("train-stop-run")).click();
    wait_until_idle(&mut window);
    assert!(is_stopped(&backend, request.ticket));
    push_state(&mut window, finished_label_check());
    window.get_by_label(tr!("train-doubtful-labels"));
    assert!(shows!(window, "train-doubts-images-found", n = 3, of = 8));
    let name = |index: usize| format!("doubtful, training image {index}");
    let lefts = [5, 1, 7].map(|index| window.get_by_label(&name(index)).rect().left());
    assert!(lefts[0] < lefts[1] && lefts[1] < lefts[2], "{lefts:?}");
    assert!(window.query_by_label("mistake, test image 2").is_none());
    window.get_by_label("99.0\u{a0}%");
    window.get_by_label("Correct the label: doubtful, training image 5").click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "mistakes-training");
    window.get_by_label(&tr!("train-label-as-it-looks", class = "a")).click();
    wait_until_idle(&mut window);
    let list = store::load_corrections(runs.path(), &data_path).unwrap();
    assert_eq!(list.len(), 1);
    let correction = (list[0].picture.as_str(), list[0].was.as_str(), list[0].class.as_deref());
    assert_eq!(correction, ("b/001.png", "b", Some("a")));
    // It is the training image of that name, not the test image.
    let sample = &image_folder.open().train[5];
    assert_eq!(
        (sample.name(), sample.sha256().unwrap()),
        (list[0].picture.clone(), list[0].sha256.clone())
    );
    // Filtered by one class.
    window.get_by_label(tr!("train-doubtful-labels-class")).click();
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::Button, "a").click();
    wait_until_idle(&mut window);
    let labelled = format!(" {}", tr!("train-labelled-class", class = "a"));
    assert!(shows!(
        window,
        "train-doubts-images-found",
        n = 1,
        of = 4,
        labelled = labelled.as_str()
    ));
    assert!(window.query_by_label(&name(5)).is_none());
    window.get_by_label(tr!("train-doubtful-labels-class")).click();
    wait_until_idle(&mut window);
    let buttons = window.get_all_by_role_and_label(egui::Role::Button, tr!("train-all-classes"));
    buttons.last().unwrap().click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-test-images")).click();
    wait_until_idle(&mut window);
    // The test image of the same name is another image.
    let session = &mut window.state_mut().session;
    let run = session.train.displayed_run().cloned().unwrap();
    let data = session.unchanged_dataset(&run, Split::Test);
    let data = session.look_up(data).unwrap().unwrap();
    let look_up_label = |session: &mut Session, split, index| {
        session.look_up(session.corrected_label(&data, split, index, "b/001.png"))
    };
    assert_eq!(look_up_label(session, Split::Train, 5), Some(list[0].clone()));
    assert_eq!(look_up_label(session, Split::Test, 4), None);
    assert_eq!(tile_order(&window, &[0, 2, 4]), [2, 4, 0]);
}

#[test]
fn label_check_finishes_while_run_trains() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = super::flow::window_after_one_task(runs.path());
    let run = window.state().session.train.live.clone().unwrap();
    let folder = run.header.as_ref().unwrap().folder.clone();
    window.state_mut().session.request_label_check(&folder, 0);
    super::wait(&mut window, "the label check finishes", |app| {
        let state = app.session.label_check(&folder, 0);
        !matches!(state, Some((_, LabelCheckState::Working(..))))
    });
    let state = window.state().session.label_check(&folder, 0);
    let Some((_, LabelCheckState::Done(answers))) = state else {
        panic!("{state:?}");
    };
    let header = run.header.as_ref().unwrap();
    assert_eq!(answers.labels.len(), header.train_images[0]);
    assert!(answers.labels.iter().all(|label| header.tasks[0].contains(label)));
}

#[test]
fn training_images_are_hidden_once_files_change() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&image_folder, runs.path(), true);
    let request = start_label_check(&mut window, &backend);
    report_doubts(&mut window, &backend, request.ticket);
    let notice = "have changed since this run";
    let replace = |window: &mut Harness<'static, StudioApp>, name: &str| {
        let path = image_folder.path().join(name);
        image::RgbImage::new(40, 40).save(path).unwrap();
        open_tab(window, Page::Compare);
        open_tab(window, Page::Train);
    };
    // A changed test image does not hide training images.
    replace(&mut window, "test/a/000.png");
    window.get_by_label("doubtful, training image 5");
    assert!(window.query_by_label_contains(notice).is_none());
    replace(&mut window, "train/b/001.png");
    window.get_by_label_contains(notice);
    assert!(window.query_by_label("doubtful, training image 5").is_none());
}

#[test]
fn label_check_stops_with_its_data_or_run() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&image_folder, runs.path(), true);
    let request = start_label_check(&mut window, &backend);
    window.state_mut().session.reload_data();
    wait_until_idle(&mut window);
    assert!(is_stopped(&backend, request.ticket));
    assert!(window.state().session.label_check(&request.run, 0).is_none());
    // A late result is ignored, because the images may have changed.
    report_doubts(&mut window, &backend, request.ticket);
    assert!(window.state().session.label_check(&request.run, 0).is_none());
    window.get_by_label(tr!("train-find-doubtful-labels"));
    // Deleting the run also stops its label check.
    super::compare::store_finished_run(runs.path(), "", |_| {});
    window.state_mut().session.list_runs();
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    let stored_run = session.compare.runs.ready().unwrap()[0].folder.clone();
    session.request_label_check(&stored_run, 0);
    let request = label_checks(&backend).pop().unwrap();
    assert_eq!(request.run, stored_run);
    window.state_mut().session.delete(vec![stored_run.clone()]);
    wait_until_idle(&mut window);
    assert!(is_stopped(&backend, request.ticket));
    assert!(window.state().session.label_check(&stored_run, 0).is_none());
}

/// Pushes the events of another finished run with one report for each task.
fn push_finished_run(
    window: &mut Harness<'static, StudioApp>,
    backend: &RecordedBackend,
    header: RunHeader,
) {
    let (run, tasks) = (header.run.clone(), header.tasks.clone());
    let previous = window.state().session.train.live.clone().unwrap();
    backend.push(Event::Started(Box::new(header)));
    for task in 0..tasks.len() {
        let report = TaskReport { task, ..previous.reports[0].clone() };
        let (run, report) = (run.clone(), Box::new(report));
        backend.push(Event::TaskEvaluated { run, report });
    }
    backend.push(Event::Finished { run });
    wait_until_idle(window);
    wait_until_idle(window);
}

fn shown_header(window: &Harness<'static, StudioApp>) -> RunHeader {
    let live = window.state().session.train.live.clone();
    live.unwrap().header.clone().unwrap()
}

#[test]
fn same_named_runs_show_their_own_mistakes() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&image_folder, runs.path(), true);
    window.get_by_label("mistake, test image 2");
    let header = shown_header(&window);
    let other_header = RunHeader { folder: "/nowhere/else".into(), ..header };
    let run = other_header.run.clone();
    let mut report = window.state().session.train.live.clone().unwrap().reports[0].clone();
    report.answers.given = [(Expert::ENSEMBLE, vec![0, 1, 0, 1, 1, 1])].into();
    backend.push(Event::Started(Box::new(other_header)));
    let (name, report) = (run.clone(), Box::new(report));
    backend.push(Event::TaskEvaluated { run: name, report });
    backend.push(Event::Finished { run });
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    window.get_by_label("mistake, test image 1");
    assert!(window.query_by_label("mistake, test image 2").is_none());
    window.get_by_label(&tr!("train-confused-with", name = "a", answer = "b")).click();
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("train-cell-confused", name = "a", answer = "b", n = 1));
}

#[test]
fn label_check_after_added_task_uses_original_tasks() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes(&image_folder, runs.path(), true);
    let mut header = shown_header(&window);
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
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) = open_mistakes_at([1280.0, 700.0], &image_folder, runs.path(), true);
    let mut header = shown_header(&window);
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
    wait_until_idle(&mut window);
    // Scrolls up to the matrices and selects the other task.
    let middle = window.ctx.content_rect().center() - egui::vec2(200.0, 0.0);
    for _ in 0..30 {
        scroll(&mut window, middle, 200.0);
    }
    wait_until_idle(&mut window);
    let heading_top = |window: &Harness<'static, StudioApp>| {
        window.get_by_label(tr!("train-doubtful-labels")).rect().top()
    };
    let before = heading_top(&window);
    let task_buttons = window.get_all_by_role_and_label(egui::Role::RadioButton, "1");
    task_buttons.last().unwrap().click();
    wait_until_idle(&mut window);
    window.get_by_label_contains("after task 1");
    assert!((heading_top(&window) - before).abs() < 1.0, "{before}");
    // The page scrolls to a label check that the user waits for.
    window.state_mut().session.request_label_check(&header.folder, 0);
    wait_until_idle(&mut window);
    let request = label_checks(&backend).pop().unwrap();
    report_doubts(&mut window, &backend, request.ticket);
    assert!(heading_top(&window) < before - 50.0, "{before}");
}
