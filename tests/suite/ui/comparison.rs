//! Two runs side by side on Train, during training and afterwards.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::event::{Event, RunHeader};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::comparison_run::SideRun;
use lae_studio::store::RunFolder;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// The header of a run of a method in a separate folder.
fn run_header(method: &str, title: &str, folder: &str) -> RunHeader {
    let mut header = header();
    header.run = folder.into();
    header.folder = format!("/nowhere/{folder}").into();
    header.config.method = method.into();
    header.method.title = title.into();
    header
}

/// Opens a window in which the Forgetting demo, a run of LAE and one of the Baseline, was started.
fn window_with_pair(runs: &Path) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs);
    wait_until_idle(&mut window);
    window.get_by_label("Forgetting demo").click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start-both")).click();
    wait_until_idle(&mut window);
    (window, backend)
}

fn task_evaluated(run: &str, task: usize) -> Event {
    let report = Box::new(report(task));
    Event::TaskEvaluated { run: run.into(), report }
}

#[test]
fn pair_shows_both_runs_and_ends_on_compare() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_pair(runs.path());
    backend.push(Event::Started(Box::new(run_header("lae", "LAE", "first"))));
    for i in 0..3 {
        backend.push(task_evaluated("first", i));
    }
    // Its device ran out of memory: it is resumed after the second task.
    backend.push(Event::Started(Box::new(run_header("lae", "LAE", "first"))));
    backend.push(Event::TakenUp { run: "first".into(), reports: vec![report(0), report(1)] });
    for i in 2..5 {
        backend.push(task_evaluated("first", i));
    }
    wait_until_idle(&mut window);
    assert!(window.query_by_label(tr!("train-compare-with")).is_none(), "no other run exists yet");
    backend.push(Event::Finished { run: "first".into() });
    backend.push(Event::Started(Box::new(run_header("baseline", "Baseline", "second"))));
    backend.push(task_evaluated("second", 0));
    wait_until_idle(&mut window);
    // These runs are not stored on disk: the first one comes from memory.
    let session = &window.state().session;
    assert_eq!(session.train.live.as_ref().unwrap().name(), "second");
    let companion_run = session.companion().expect("the first run is the companion");
    assert_eq!(
        (companion_run.header.short_name(), companion_run.history.accuracy.len()),
        ("LAE", 5)
    );
    window.get_all_by_label(tr!("train-compare-with")).next().unwrap();
    save_screenshot(&mut window, "beside-live");
    for i in 1..5 {
        backend.push(task_evaluated("second", i));
    }
    backend.push(Event::Finished { run: "second".into() });
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Compare);
}

#[test]
fn finished_pair_is_only_reported_while_compare_is_open() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = window_with_pair(runs.path());
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Compare);
    for (folder, method) in [("first", "lae"), ("second", "baseline")] {
        backend.push(Event::Started(Box::new(run_header(method, method, folder))));
        for i in 0..5 {
            backend.push(task_evaluated(folder, i));
        }
        backend.push(Event::Finished { run: folder.into() });
        wait_until_idle(&mut window);
    }
    let notice = window.state().session.notices.list.last().unwrap().clone();
    assert_eq!(notice.problem.what, tr!("shell-paired-runs-finished", n = 2));
    assert_eq!(notice.problem.remedy, tr!("shell-paired-runs-finished-select"));
}

#[test]
fn side_run_needs_same_class_order() {
    let runs = tempfile::tempdir().unwrap();
    let mut stored_header = header();
    stored_header.class_order.reverse();
    let folder = RunFolder::create(runs.path(), &mut stored_header, "").unwrap();
    for i in 0..5 {
        folder.save_task(&report(i), &Default::default()).unwrap();
    }
    folder.finish(false).unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    backend.push(Event::Started(Box::new(run_header("lae", "LAE", "first"))));
    for i in 0..3 {
        backend.push(task_evaluated("first", i));
    }
    window.state_mut().session.train.side_run = SideRun::Run(stored_header.folder.clone());
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-compare-other-order"));
    save_screenshot(&mut window, "beside-order");
}
