//! A panic in the window stops one part of it, which shows an error. The rest continues, as does a
//! running run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, ControlRequest};
use lae_studio::run::job::JobId;
use lae_studio::run::queue::JobEvent;
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::run_view::Stage;
use lae_studio::session::{Disk, Session};
use lae_studio::store::{self, StoredState};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::annotations::store_seeded_run;
use super::flow::window_after_one_task;
use super::synthetic::events;
use super::{recorded_window, save_screenshot, wait, wait_until_idle, window};

const SIZE: [f32; 2] = [1280.0, 800.0];
const ERROR_TEXT: &str = "This part of the window stopped after an internal error";

fn inject_fault(window: &mut Harness<'_, StudioApp>, part: Option<&str>) {
    window.state_mut().set_fault(part.map(str::to_string));
}

fn open_page(window: &mut Harness<'_, StudioApp>, page: Page) {
    let (_, _, key) = Page::ALL[page as usize];
    window.key_press_modifiers(Modifiers::COMMAND, key);
    window.run_steps(3);
    assert_eq!(window.state().page, page);
}

fn count_error_panels(window: &Harness<'_, StudioApp>) -> usize {
    window.query_all_by_label_contains(ERROR_TEXT).count()
}

#[test]
fn panicking_page_shows_error_and_others_keep_working() {
    let runs = tempfile::tempdir().unwrap();
    store_seeded_run(runs.path(), 1);
    let (mut window, backend) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    events(4).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    for (page, ..) in Page::ALL {
        inject_fault(&mut window, Some(page.title()));
        for (other, _, _) in Page::ALL {
            open_page(&mut window, other);
            wait_until_idle(&mut window);
            assert_eq!(
                count_error_panels(&window),
                usize::from(page == other),
                "{page:?} {other:?}"
            );
        }
    }
}

#[test]
fn panicked_page_recovers_on_retry_or_return() {
    let runs = tempfile::tempdir().unwrap();
    store_seeded_run(runs.path(), 1);
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    inject_fault(&mut window, Some(tr!("page-compare")));
    open_page(&mut window, Page::Compare);
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "fenced-page");
    assert!(shows!(window, "shell-part-test-fault", part = tr!("page-compare")));
    assert_absent!(window, "shell-part-reset-page");
    // The page is not retried in every frame.
    inject_fault(&mut window, None);
    window.run_steps(10);
    assert_eq!(count_error_panels(&window), 1);
    window.get_by_label(tr!("shell-part-try-again")).click();
    window.run_steps(3);
    assert_eq!(count_error_panels(&window), 0);
    window.get_by_label(tr!("compare-curves-name"));

    // After two panics in a row, resetting the page is offered.
    inject_fault(&mut window, Some(tr!("page-compare")));
    window.run_steps(3);
    window.get_by_label(tr!("shell-part-try-again")).click();
    window.run_steps(3);
    save_screenshot(&mut window, "fenced-page-twice");
    inject_fault(&mut window, None);
    window.get_by_label(tr!("shell-part-reset-page")).click();
    window.run_steps(3);
    assert_eq!(count_error_panels(&window), 0);

    // Returning to the page retries it.
    inject_fault(&mut window, Some(tr!("page-compare")));
    window.run_steps(3);
    assert_eq!(count_error_panels(&window), 1);
    inject_fault(&mut window, None);
    open_page(&mut window, Page::Learn);
    open_page(&mut window, Page::Compare);
    assert_eq!(count_error_panels(&window), 0);
}

#[test]
fn run_finishes_while_page_and_event_handling_panic() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_after_one_task(runs.path());
    inject_fault(&mut window, Some(tr!("page-train")));
    window.run_steps(3);
    assert_eq!(count_error_panels(&window), 1);
    let before = window.state().session.train.live.clone().unwrap().reports.len();
    wait(&mut window, "another task is learned while the page is closed", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.reports.len() > before)
    });
    // Events are not handled for a while.
    inject_fault(&mut window, Some(tr!("part-news")));
    window.run_steps(3);
    let errors = window.state().session.notices.list.iter().filter(|notice| notice.is_error);
    assert_eq!(errors.count(), 1, "the error is reported once, not in every frame");
    inject_fault(&mut window, None);
    wait(&mut window, "the run ends", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| !run.stage.is_live())
    });
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!(live.stage, Stage::Finished, "{:?}", live.problem);
    assert_eq!(live.reports.len(), 3);
    window.get_by_label(tr!("shell-part-try-again")).click();
    wait_until_idle(&mut window);
    assert_eq!(count_error_panels(&window), 0);
    window.get_by_label(tr!("figure-confusion"));
}

#[test]
fn panicking_dialog_closes_with_notice_and_reopens() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    inject_fault(&mut window, Some(tr!("part-run-folders")));
    window.state_mut().execute(&ctx, UiCommand::ShowFolders);
    window.run_steps(4);
    let notices = &window.state().session.notices.list;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].problem.place, tr!("part-run-folders"));
    assert_absent!(window, "shell-close");
    window.get_by_label(tr!("experiment-start"));
    inject_fault(&mut window, None);
    window.state_mut().execute(&ctx, UiCommand::ShowFolders);
    window.run_steps(4);
    window.get_by_label(tr!("shell-close"));
    assert_eq!(window.state().session.notices.list.len(), 1);
}

#[test]
fn window_works_by_keys_without_top_bar() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    inject_fault(&mut window, Some(tr!("part-top-bar")));
    window.run_steps(3);
    save_screenshot(&mut window, "fenced-top-bar");
    assert!(window.query_by_role_and_label(egui::Role::Tab, tr!("page-compare")).is_none());
    open_page(&mut window, Page::Plugins);
    inject_fault(&mut window, None);
    window.run_steps(3);
    window.get_by_label(tr!("shell-part-try-again")).click();
    window.run_steps(3);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-compare"));
    // A panic in the presentation returns to the normal window.
    inject_fault(&mut window, Some(tr!("part-presenter-view")));
    window.key_press(Key::F11);
    window.run_steps(4);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-compare"));
    assert_eq!(window.state().session.notices.list.len(), 1);
}

/// A recorded backend that panics while the flag is set.
struct PanickingBackend(RecordedBackend, Arc<AtomicBool>);

impl Backend for PanickingBackend {
    fn send(&mut self, command: Command) {
        self.0.send(command);
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        assert!(!self.1.load(Ordering::Relaxed), "this event makes no sense");
        self.0.try_recv()
    }

    fn control_running(&self, request: ControlRequest) {
        self.0.control_running(request);
    }

    fn control_job(&self, job: JobId, request: ControlRequest) {
        self.0.control_job(job, request);
    }
}

#[test]
fn panicking_event_keeps_window_and_run_alive() {
    let runs = tempfile::tempdir().unwrap();
    let broken = Arc::new(AtomicBool::new(false));
    let backend = RecordedBackend::default();
    let (backend_clone, broken_clone) = (backend.clone(), broken.clone());
    let root = runs.path().to_path_buf();
    let mut window = window(SIZE, ThemeChoice::Dark, move |wake| {
        let backend: Box<dyn Backend> = Box::new(PanickingBackend(backend_clone, broken_clone));
        Session::with_backend(backend, Disk::new(root), RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    events(2).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    broken.store(true, Ordering::Relaxed);
    events(4).into_iter().for_each(|event| backend.push(event));
    window.run_steps(5);
    open_page(&mut window, Page::Train);
    window.get_by_label(tr!("train-accuracy-curves-name"));
    assert_eq!(window.state().session.notices.list.len(), 1);
    assert_eq!(backend.last_request(), ControlRequest::Run);
    broken.store(false, Ordering::Relaxed);
    wait(&mut window, "the events are handled later", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.reports.len() == 4)
    });
}

#[test]
fn window_panic_saves_running_run() {
    let runs = tempfile::tempdir().unwrap();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _window = window_after_one_task(runs.path());
        panic!("the driver is gone");
    }));
    assert!(result.is_err());
    let listed = store::list_runs(runs.path());
    let [run] = &listed[..] else {
        panic!("expected one run, found {}", listed.len());
    };
    let summary = run.summary.as_ref().unwrap();
    assert!(summary.saved_tasks() > 0);
    assert!(matches!(summary.state, StoredState::Interrupted { .. }), "{:?}", summary.state);
}
