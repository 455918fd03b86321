//! Ten thousand classes, a thousand tasks and a thousand runs: what a frame draws stays bounded, and a cell
//! can still be opened. Frame times are measured by separate tests (`is_measured`).

use std::path::Path;
use std::time::Instant;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Expert, Predictions};
use lae_studio::run::event::{Event, RunHeader, TaskReport};
use lae_studio::session::run_view::RunView;
use lae_studio::store::RunFolder;
use lae_studio::tensors::NamedTensors;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::compare::store_finished_run;
use super::sizes::scroll;
use super::synthetic::{events, header, progress, report};
use super::{recorded_window, render_window, save_screenshot, wait_until_idle};
use crate::copy_folder;
use crate::summaries::create_copies;

/// The maximum number of shapes in a frame. A page of ten classes has some hundreds; cell by cell, ten thousand classes
/// would have a hundred million.
const MAX_SHAPES: usize = 4_000;

fn large_header(classes: usize, tasks: usize) -> RunHeader {
    let classes_per_task = classes / tasks;
    RunHeader {
        run: format!("{classes} classes"),
        about: Default::default(),
        class_order: (0..classes).map(|c| format!("class {c}")).collect(),
        tasks: (0..tasks).map(|t| t * classes_per_task..(t + 1) * classes_per_task).collect(),
        train_images: vec![24; tasks],
        test_images: vec![2 * classes_per_task; tasks],
        ..header()
    }
}

/// Two images of every class so far; every hundredth class is misclassified.
fn large_report(header: &RunHeader, task: usize) -> TaskReport {
    let labels: Vec<usize> = (0..2 * header.tasks[task].end).map(|i| i / 2).collect();
    let predict = |label: &usize| match label % 100 {
        0 => (label + 2) % header.tasks[task].end,
        _ => *label,
    };
    let ensemble: Vec<usize> = labels.iter().map(predict).collect();
    TaskReport {
        task,
        losses: Vec::new(),
        answers: Predictions {
            samples: (0..labels.len()).collect(),
            sources: Vec::new(),
            given: [(Expert::ENSEMBLE, ensemble)].into(),
            certainty: Default::default(),
            task_given: Vec::new(),
            labels,
        },
        ..report(0)
    }
}

/// The number of shapes in the last frame.
fn count_shapes(window: &Harness<'_, StudioApp>) -> usize {
    window.output().shapes.len()
}

/// Prints the median and the 95th percentile of frame times while the page is scrolled.
fn print_frame_times(window: &mut Harness<'_, StudioApp>, what: &str) {
    let pos = egui::pos2(400.0, 450.0);
    let mut frames: Vec<_> = (0..100)
        .map(|frame| {
            scroll(window, pos, if frame < 50 { -20.0 } else { 20.0 });
            let start = Instant::now();
            window.run_steps(1);
            start.elapsed()
        })
        .collect();
    frames.sort_unstable();
    let [median, p95] = [frames[50], frames[95]];
    eprintln!("{what}: a frame takes {median:.1?}, 95 of 100 at most {p95:.1?}");
}

/// The page Train with a run of ten thousand classes in ten tasks.
fn window_with_classes(runs: &Path) -> Harness<'static, StudioApp> {
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    let header = large_header(10_000, 10);
    backend.push(Event::Started(Box::new(header.clone())));
    for task in 0..10 {
        backend.push(Event::TaskEvaluated {
            run: header.run.clone(),
            report: Box::new(large_report(&header, task)),
        });
    }
    wait_until_idle(&mut window);
    window
}

/// The page Train with a run of a thousand tasks of two classes.
fn window_with_tasks(runs: &Path) -> Harness<'static, StudioApp> {
    let header = large_header(2_000, 1_000);
    let reports: Vec<TaskReport> = (0..1_000).map(|task| large_report(&header, task)).collect();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs);
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    let name = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    backend.push(Event::TakenUp { run: name, reports });
    wait_until_idle(&mut window);
    window
}

/// The page Compare over this number of finished runs, copies of one.
fn window_with_runs(runs: &Path, count: usize) -> Harness<'static, StudioApp> {
    store_finished_run(runs, "", |_| {});
    let first = std::fs::read_dir(runs).unwrap().next().unwrap().unwrap();
    for copy in 1..count {
        copy_folder(&first.path(), &runs.join(format!("copy-{copy:04}")));
    }
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    window
}

#[test]
fn lists_thousand_runs_with_bounded_shapes() {
    let few_runs = tempfile::tempdir().unwrap();
    let few_shapes = count_shapes(&window_with_runs(few_runs.path(), 20));
    let many_runs = tempfile::tempdir().unwrap();
    let mut window = window_with_runs(many_runs.path(), 1_000);
    render_window(&mut window);
    save_screenshot(&mut window, "large-runs");
    window.get_by_label("1,000");
    let many_shapes = count_shapes(&window);
    assert!(
        many_shapes < few_shapes + 100,
        "{many_shapes} shapes for a thousand runs, {few_shapes} for twenty"
    );
    // The filter finds a run that is not visible.
    window.get_by_label(tr!("compare-filter-name")).focus();
    window.run_steps(2);
    window.get_by_label(tr!("compare-filter-name")).type_text("copy-0777");
    wait_until_idle(&mut window);
    window.get_by_label("1 of 1,000");
}

#[test]
fn sets_up_ten_thousand_classes_with_bounded_shapes() {
    let root = tempfile::tempdir().unwrap();
    // Ten thousand copies of one small image. Hard links are limited: NTFS allows 1,023 to a file.
    let data = root.path().join("data");
    let image_path = root.path().join("p.png");
    image::GrayImage::new(8, 8).save(&image_path).unwrap();
    let image_bytes = std::fs::read(image_path).unwrap();
    for class in 0..10_000 {
        let folder = data.join(format!("class {class:05}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("p.png"), &image_bytes).unwrap();
    }
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, root.path());
    wait_until_idle(&mut window);
    let before = count_shapes(&window);
    let dropped = std::sync::Arc::new(super::DroppedPath(data));
    window.input_mut().dropped_files.push(dropped);
    wait_until_idle(&mut window);
    window.get_by_label_contains("10,000 classes");
    let after = count_shapes(&window);
    assert!(after < before + MAX_SHAPES, "{after} shapes, {before} before");
    render_window(&mut window);
    save_screenshot(&mut window, "large-experiment");
}

#[test]
fn draws_ten_thousand_classes_as_blocks() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_with_classes(runs.path());
    render_window(&mut window);
    save_screenshot(&mut window, "large-classes");
    assert!(count_shapes(&window) < MAX_SHAPES, "{}", count_shapes(&window));
    let worst = window
        .get_all_by_label_contains(&tr!("train-confused-with", name = "", answer = ""))
        .count();
    assert_eq!(worst, 6);

    // A cell represents a block of classes and shows the images of all of them.
    window.get_by_label(tr!("figure-confusion")).click();
    wait_until_idle(&mut window);
    window.get_by_label_contains(" … class");
    window.get_by_label(tr!("present-back"));
    let header = large_header(10_000, 10);
    let confusion = large_report(&header, 9).answers.confusion(Expert::ENSEMBLE, 10_000);
    assert_eq!(confusion.total(&(0..10_000)), 20_000);
}

#[test]
fn draws_thousand_tasks_with_bounded_shapes() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_with_tasks(runs.path());
    render_window(&mut window);
    save_screenshot(&mut window, "large-tasks");
    assert!(count_shapes(&window) < MAX_SHAPES, "{}", count_shapes(&window));
    // Also by tasks.
    show_confusion_by_tasks(&mut window);
    assert!(count_shapes(&window) < MAX_SHAPES, "{} by tasks", count_shapes(&window));
    open_first_cell(&mut window);
    assert!(count_shapes(&window) < MAX_SHAPES, "{} with a cell", count_shapes(&window));
}

fn show_confusion_by_tasks(window: &mut Harness<'_, StudioApp>) {
    window.get_by_role_and_label(egui::Role::RadioButton, tr!("train-confusion-by-tasks")).click();
    wait_until_idle(window);
}

fn open_first_cell(window: &mut Harness<'_, StudioApp>) {
    let label = tr!("train-confused-with", name = "", answer = "");
    let row = window.get_all_by_label_contains(&label).next();
    row.unwrap().click();
    wait_until_idle(window);
}

#[test]
#[ignore = "measurement"]
fn time_of_large_frames_is_measured() {
    let runs = tempfile::tempdir().unwrap();
    print_frame_times(&mut window_with_classes(runs.path()), "ten thousand classes");
    let header = large_header(2_000, 1_000);
    let reports: Vec<TaskReport> = (0..1_000).map(|task| large_report(&header, task)).collect();
    let start = Instant::now();
    let run = RunView::from_stored(header, reports);
    assert_eq!(run.expert_history(Expert::ENSEMBLE).matrix.len(), 1_000);
    eprintln!("a thousand tasks: {:.1?} to open", start.elapsed());
    let mut window = window_with_tasks(runs.path());
    print_frame_times(&mut window, "a thousand tasks");
    show_confusion_by_tasks(&mut window);
    print_frame_times(&mut window, "a thousand tasks, over tasks");
    open_first_cell(&mut window);
    print_frame_times(&mut window, "a thousand tasks, one cell");
    let mut window = window_with_runs(runs.path(), 1_000);
    print_frame_times(&mut window, "a thousand runs");
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    wait_until_idle(&mut window);
    print_frame_times(&mut window, "a thousand runs, the palette over them");
    print_lesson_frame_times();
}

/// Prints frame times of Experiment and of the first lesson with all its runs.
fn print_lesson_frame_times() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    print_frame_times(&mut window, tr!("page-experiment"));
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num7);
    wait_until_idle(&mut window);
    let lessons = window.state().session.learn.lessons.list.ready().cloned();
    let lesson = lessons.unwrap()[0].lesson.clone().unwrap();
    for config in lesson.plans().flat_map(|plan| &plan.configs) {
        store_finished_run(runs.path(), "", |header| header.config = config.clone());
    }
    let session = &mut window.state_mut().session;
    session.list_runs();
    session.open_lesson(Some(lesson));
    wait_until_idle(&mut window);
    print_frame_times(&mut window, "a lesson with its runs");
}

/// Measures saving, listing, comparing and opening a run of a thousand tasks.
#[test]
#[ignore = "measurement"]
fn time_of_run_with_thousand_tasks_is_measured() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = large_header(2_000, 1_000);
    header.method.experts = vec![Expert::ENSEMBLE];
    let start = Instant::now();
    let folder = RunFolder::create(runs.path(), &mut header, "").unwrap();
    for task in 0..1_000 {
        let report = large_report(&header, task);
        folder.save_task(&report, &NamedTensors::new()).unwrap();
        if task % 250 == 249 {
            eprintln!("{} tasks: saved in {:.1?}", task + 1, start.elapsed());
        }
    }
    drop(folder);
    let start = Instant::now();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    eprintln!("listed and laid out in {:.1?}", start.elapsed());
    print_frame_times(&mut window, tr!("page-compare"));
    let start = Instant::now();
    window.get_by_label(tr!("compare-open")).click();
    wait_until_idle(&mut window);
    eprintln!("opened in {:.1?}", start.elapsed());
    print_frame_times(&mut window, tr!("page-train"));
}

#[test]
#[ignore = "measurement"]
fn time_of_ten_thousand_runs_is_measured() {
    let (source_runs, runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store_finished_run(source_runs.path(), "", |_| {});
    let first = std::fs::read_dir(source_runs.path()).unwrap().next().unwrap();
    create_copies(&first.unwrap().path(), runs.path(), 10_000);
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    let print_duration = |window: &mut Harness<'_, StudioApp>, what: &str| {
        let start = Instant::now();
        wait_until_idle(window);
        eprintln!("{what}: {:.1?}", start.elapsed());
    };
    print_duration(&mut window, "ten thousand runs listed");
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    print_duration(&mut window, "Compare shown");
    print_frame_times(&mut window, "ten thousand runs");
    window.get_by_label(tr!("compare-table")).click();
    print_duration(&mut window, "the table made");
    print_frame_times(&mut window, "the table");
    window.get_by_label(tr!("compare-group-by")).click();
    print_duration(&mut window, "the menu shown");
    // The list of differing settings contains a link of the same name.
    window.get_by_role_and_label(egui::accesskit::Role::CheckBox, "Base learning rate").click();
    print_duration(&mut window, "put together by another setting");
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    print_frame_times(&mut window, "the table of a hundred rows");
    window.get_by_label(tr!("compare-filter-name")).focus();
    window.run_steps(2);
    window.get_by_label(tr!("compare-filter-name")).type_text("base_lr > 0.05 and seed < 500");
    print_duration(&mut window, "a condition");
}

/// Progress events rarely cause a second layout pass on any page.
#[test]
fn progress_events_avoid_second_layout_pass() {
    use egui::Key::{Num1, Num2, Num3, Num4, Num5, Num6, Num7};

    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    window.run_steps(2);
    events(2).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    let mut seconds_left = 600.0;
    for page in [Num1, Num2, Num3, Num4, Num5, Num6, Num7] {
        window.key_press_modifiers(egui::Modifiers::COMMAND, page);
        window.run_steps(6);
        let mut extra_passes = Vec::new();
        for step in 0..40 {
            let Event::Progress { run, mut progress } = progress(2, 2, true) else {
                unreachable!()
            };
            seconds_left -= 1.0;
            progress.batch = step;
            progress.done = 0.4 + 0.003 * step as f64;
            progress.seconds_left = Some(seconds_left);
            backend.push(Event::Progress { run, progress });
            window.step();
            let output = &window.output().platform_output;
            if output.num_completed_passes > 1 {
                extra_passes.push((step, output.request_discard_reasons.clone()));
            }
        }
        assert!(extra_passes.len() < 3, "{page:?}: {extra_passes:#?}");
    }
}
