//! The window: pages that show and change one session. Nothing here uses tensors or opens files.

pub mod app;
mod background_writer;
mod cached;
pub mod command;
mod crash_marker;
mod delayed_input;
pub mod display;
mod drawing;
pub mod frame_times;
mod keys;
pub mod pages;
pub mod palette_entries;
mod panics;
pub mod scripts;
pub mod settings;
mod shell;
pub mod theme;
mod widget_positions;
pub mod widgets;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use eframe::NativeOptions;
use egui::{ViewportBuilder, ViewportCommand};

use crate::console;
use crate::logging;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::Session;
use crate::session::backend::EngineHost;
use crate::tr;
use app::StudioApp;
use crash_marker::Marker;
use display::DisplayChoice;
use settings::{Settings, WindowPlacement};
use widget_positions::PositionPrinter;

/// The name of the desktop entry by which desktops identify the window.
const APP_ID: &str = "io.github.lae_studio.LaeStudio";

/// Options of the window.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of runs.
    pub runs_root: PathBuf,
    /// When the program started, for the time to the first frame.
    pub started: Instant,
    /// The dataset to start with; `None` for the last one.
    pub data: Option<PathBuf>,
    /// Whether to show frame times at the bottom and print them when the window closes.
    pub frame_times: bool,
    /// Whether to print the positions of all widgets.
    pub print_positions: bool,
    /// Where the engine runs.
    pub engine: EngineHost,
    /// The place where new runs are trained; `None` for this computer.
    pub place: Option<String>,
    /// The display of the window.
    pub display: DisplayChoice,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// Returns a Problem if there is no display or no working graphics driver, or if the engine cannot be started.
pub fn run(options: Options) -> Result<()> {
    let display = display::find(options.display)?;
    let file = Settings::file();
    let is_first_start = Settings::is_first_start(file.as_ref()) && options.data.is_none();
    let unreadable_problem = Settings::rename_unreadable(file.as_ref());
    let mut settings = match &file {
        Some(path) if path.exists() => Settings::load(file.as_ref()),
        _ => Settings::for_first_start(),
    };
    let crash_marker =
        file.as_deref().and_then(|file| Marker::create(&Settings::marker_path(file)));
    // A second window stores no drafts, because it would overwrite those of the first window.
    let drafts = file.as_deref().filter(|_| crash_marker.is_some());
    let drafts = drafts.map(|file| file.with_file_name("drafts"));
    if crash_marker.as_ref().is_some_and(|(_, crashed)| *crashed) {
        settings = settings.after_crash();
    }
    let mut draft = settings.setup.clone().unwrap_or_default();
    if !settings.device.is_empty() {
        draft.device.clone_from(&settings.device);
    }
    let native = NativeOptions {
        viewport: viewport(settings.window.unwrap_or_default()),
        renderer: eframe::Renderer::Wgpu,
        system_font_fallback: true,
        persist_window: false,
        event_loop_builder: display.builder,
        wgpu_options: drawing::options(),
        ..NativeOptions::default()
    };
    let outcome = drawing::open_window(
        native,
        Box::new(move |cc| {
            // From here on, this thread draws, so logging must not wait on it. The window has its own connection to the
            // display.
            logging::mark_ui_thread();
            settings.language.speak();
            console::close_own();
            let _connection = display.held;
            tracing::info!("the window opens on {}", describe_adapter(cc));
            move_onto_screen(cc);
            if settings.window.is_some_and(|window| window.maximized) {
                // X11 cannot maximize a window before it is shown.
                let command = ViewportCommand::Maximized(true);
                cc.egui_ctx.send_viewport_cmd(command);
            }
            let engine_host = options.engine;
            let root = options.runs_root.clone();
            let mut session = open_session(&cc.egui_ctx, root, draft, engine_host)?;
            session.select_machine(options.place);
            if let Some(data) = &options.data {
                session.select_initial_data(&data.to_string_lossy());
            }
            session.file_selection.dialogs = rfd::FileDialog::new().set_parent(cc);
            if let Some(problem) = unreadable_problem {
                session.notify(problem, true);
            }
            // Users who selected Wayland explicitly already know this.
            if !display.takes_files && options.display == DisplayChoice::Auto {
                let notice = Problem::new(tr!("notices-drop-unsupported"));
                session.notify_neutral(notice.advise(tr!("notices-drop-unsupported-advice")));
            }
            let mut app = StudioApp::new(&cc.egui_ctx, session, settings, file, options.started);
            if let Some(drafts) = drafts {
                app.set_drafts_folder(drafts);
            }
            if is_first_start {
                app.welcome();
            }
            app.set_fault(std::env::var(panics::FAULT_VARIABLE).ok());
            if options.print_positions {
                cc.egui_ctx.add_plugin(PositionPrinter::default());
            }
            if options.frame_times {
                app.show_frame_times();
            }
            close_on_ctrl_c(cc.egui_ctx.clone(), app.skip_confirmation_flag());
            Ok(Box::new(app))
        }),
    );
    if let Some((marker, _)) = crash_marker {
        marker.clear();
    }
    if outcome? == drawing::WindowOutcome::DrawingFailed {
        return Err(drawing::restart());
    }
    Ok(())
}

/// Returns the window's initial properties, with the position of the last window.
fn viewport(placement: WindowPlacement) -> ViewportBuilder {
    let viewport = ViewportBuilder::default()
        .with_app_id(APP_ID)
        .with_icon(icon())
        .with_title("LAE Studio")
        .with_inner_size(placement.size)
        .with_min_inner_size([900.0, 600.0])
        .with_maximized(placement.maximized)
        .with_drag_and_drop(true);
    match placement.position {
        Some(position) => viewport.with_position(position),
        None => viewport,
    }
}

/// Moves the window to the first monitor if its title bar is on no monitor, for example because a monitor was
/// unplugged.
fn move_onto_screen(cc: &eframe::CreationContext<'_>) {
    let Some(window) = cc.winit_window() else {
        return;
    };
    let Ok(position) = window.outer_position() else {
        return;
    };
    // The position of the middle of the title bar.
    let (x, y) = (position.x + window.outer_size().width as i32 / 2, position.y + 10);
    let mut monitors = window.available_monitors();
    let Some(first) = monitors.next() else { return };
    let (corner, scale) = (first.position(), first.scale_factor() as f32);
    let mut all_monitors = std::iter::once(first).chain(monitors);
    let is_visible = all_monitors.any(|monitor| {
        let (from, size) = (monitor.position(), monitor.size());
        let is_inside =
            |coordinate: i32, from: i32, side: u32| (0..side as i32).contains(&(coordinate - from));
        is_inside(x, from.x, size.width) && is_inside(y, from.y, size.height)
    });
    if !is_visible {
        let corner = egui::pos2(corner.x as f32, corner.y as f32) / scale;
        let command = ViewportCommand::OuterPosition(corner + egui::Vec2::splat(40.0));
        cc.egui_ctx.send_viewport_cmd(command);
    }
}

/// Shows an error dialog if the window cannot be opened and the user has no terminal.
pub fn show_error_dialog(problem: &Problem) {
    if console::is_own() {
        let dialog = rfd::MessageDialog::new()
            .set_level(rfd::MessageLevel::Error)
            .set_title("LAE Studio")
            .set_description(problem.to_string());
        dialog.show();
    }
}

/// Returns the name of the adapter that draws the window.
fn describe_adapter(cc: &eframe::CreationContext<'_>) -> String {
    let Some(state) = &cc.wgpu_render_state else {
        return "no adapter".into();
    };
    let info = state.adapter.get_info();
    let (name, driver, version) = (info.name, info.driver, info.driver_info);
    format!("{name} through {:?}, driver {driver} {version}", info.backend)
}

/// Makes Ctrl-C in the terminal close the window like its close button. A second Ctrl-C ends the program.
fn close_on_ctrl_c(ctx: egui::Context, leaving: Arc<AtomicBool>) {
    let interrupted = AtomicBool::new(false);
    // If the handler cannot be set, Ctrl-C ends the program immediately, as usual.
    let _ = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        leaving.store(true, Ordering::Relaxed);
        ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        ctx.request_repaint();
    });
}

/// Opens a session with the real engine. Its events wake this window.
///
/// # Errors
/// Returns a Problem if the engine cannot be started.
pub fn open_session(
    ctx: &egui::Context,
    runs_root: PathBuf,
    draft: RunConfig,
    engine_host: EngineHost,
) -> Result<Session> {
    let ctx = ctx.clone();
    let wake = Arc::new(move || ctx.request_repaint());
    Session::open(runs_root, draft, engine_host, wake)
}

/// Returns the icon for task bars and docks. If it cannot be decoded, the desktop shows a default icon.
fn icon() -> egui::IconData {
    let png = include_bytes!("../../assets/icon.png");
    eframe::icon_data::from_png_bytes(png).unwrap_or_default()
}
