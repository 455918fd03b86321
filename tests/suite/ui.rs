//! The window, driven as a user would: by label, mouse and key. Images of the pages are written
//! where the environment variable `LAE_SHOTS` names a folder.

/// Whether a widget of the window has the message with this id in its label, with these values.
macro_rules! shows {
    ($window:expr, $($message:tt)*) => {
        crate::ui::labels(&$window).iter().any(|label| says!(label, $($message)*))
    };
}

/// Asserts that no widget of the window has the message with this id as its whole label.
macro_rules! assert_absent {
    ($window:expr, $($message:tt)*) => {{
        let label = tr!($($message)*);
        assert!($window.query_by_label(&label).is_none(), "{label}");
    }};
}

mod added_tasks;
mod annotations;
mod answers;
mod choosers;
mod chosen;
mod classify;
mod clusters;
mod collect;
mod compare;
mod comparison;
mod crashed;
mod data;
mod dataset_settings;
mod editor;
mod flow;
mod folders;
mod foreign;
mod glossary;
mod grids;
mod idle;
mod inside;
mod keys;
mod large;
mod lessons;
mod mistakes;
mod pages;
mod palette;
mod panics;
mod pictures;
mod pins;
mod prediction_table;
mod present;
mod prompts;
mod quality;
mod queue;
mod rejection;
mod repeat;
mod report;
mod resume;
mod settings;
mod sizes;
mod small;
mod stored;
mod strokes;
mod synthetic;
mod tested;
mod tour;
mod trash;
mod trials;
mod undo;
mod unrecognised_classes;
mod wrong;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use lae_studio::device::{self, DeviceInfo};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, PredictRequest};
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::{Settings, ThemeChoice};

use crate::skip::skip;

/// A dropped file.
#[derive(Debug)]
struct DroppedPath(PathBuf);

impl egui::DroppedFile for DroppedPath {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("tests drop paths".into())
    }
}

/// A window over recorded events, with real sources.
fn recorded_window(
    size: [f32; 2],
    theme: ThemeChoice,
    runs: &Path,
) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let backend = RecordedBackend::default();
    let backend_clone = backend.clone();
    let runs = runs.to_path_buf();
    let harness = window(size, theme, move |wake| {
        let backend: Box<dyn Backend> = Box::new(backend_clone);
        Session::with_backend(backend, Disk::new(runs), RunConfig::default(), wake)
    });
    (harness, backend)
}

/// A window over any session.
fn window(
    size: [f32; 2],
    theme: ThemeChoice,
    open: impl FnOnce(lae_studio::session::Wake) -> Session + 'static,
) -> Harness<'static, StudioApp> {
    let settings = Settings { theme, ..Settings::default() };
    window_with(size, settings, None, open)
}

/// A window over any session with these settings, saved to `file` if given.
fn window_with(
    size: [f32; 2],
    settings: Settings,
    file: Option<PathBuf>,
    open: impl FnOnce(lae_studio::session::Wake) -> Session + 'static,
) -> Harness<'static, StudioApp> {
    Harness::builder()
        .with_size(size)
        .with_max_steps(24)
        .with_theme(match settings.theme {
            ThemeChoice::Light => egui::Theme::Light,
            _ => egui::Theme::Dark,
        })
        .build_eframe(move |cc| {
            let ctx = cc.egui_ctx.clone();
            let session = open(Arc::new(move || ctx.request_repaint()));
            StudioApp::new(&cc.egui_ctx, session, settings, file, Instant::now())
        })
}

/// Steps until `done` returns true; fails with `what` after `PATIENCE`.
fn wait(
    harness: &mut Harness<'_, StudioApp>,
    what: &str,
    mut done: impl FnMut(&StudioApp) -> bool,
) {
    let start = Instant::now();
    loop {
        harness.step();
        if done(harness.state()) {
            harness.run_steps(2);
            return;
        }
        assert!(start.elapsed() < crate::TIMEOUT, "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(15));
    }
}

/// Returns the predictions that the window requested.
fn predict_requests(backend: &RecordedBackend) -> Vec<PredictRequest> {
    let commands = backend.commands().into_iter();
    commands
        .filter_map(|command| match command {
            Command::Predict(request) => Some(request),
            _ => None,
        })
        .collect()
}

/// Steps until no task is running.
fn wait_until_idle(harness: &mut Harness<'_, StudioApp>) {
    wait(harness, "tasks are done", |app| !app.session.is_busy());
    harness.run_steps(3);
    wait(harness, "tasks are done", |app| !app.session.is_busy());
}

/// The labels of all widgets.
fn labels(window: &Harness<'_, StudioApp>) -> Vec<String> {
    use egui_kittest::kittest::{NodeT, Queryable};
    let nodes = window.query_all_by_label_contains("");
    let label = |node: egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        node.label().or_else(|| node.value())
    };
    nodes.filter_map(label).collect()
}

/// Opens the collapsed steps of the settings.
fn open_steps(harness: &mut Harness<'_, StudioApp>) {
    use egui_kittest::kittest::Queryable;
    for step in ["Open Backbone", "Open PET", "Open Method"] {
        if let Some(button) = harness.query_by_label(step) {
            button.click();
            harness.run_steps(2);
        }
    }
    wait_until_idle(harness);
}

/// Renders the window; `None` if there is no graphics adapter, which is recorded as a skip.
fn render_window(harness: &mut Harness<'_, StudioApp>) -> Option<image::RgbaImage> {
    if device::list().iter().all(DeviceInfo::is_cpu) {
        skip("no graphics adapter to draw with, not even a software one");
        return None;
    }
    Some(harness.render().unwrap())
}

/// Writes an image of the window if images are requested.
fn save_screenshot(harness: &mut Harness<'_, StudioApp>, name: &str) {
    let Some(folder) = std::env::var_os("LAE_SHOTS") else {
        return;
    };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(screenshot) = render_window(harness) {
        screenshot.save(folder.join(format!("{name}.png"))).unwrap();
    }
}
