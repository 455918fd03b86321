//! The application of the window. `logic` processes events of the engine and the helper threads, `ui` draws, `commands`
//! executes commands. All work is guarded (`ui::panics`), so that a panic ends neither the program nor the
//! training.

mod chosen_files;
mod commands;
mod draw;
mod persistence;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use egui::util::undoer::Undoer;
use egui::{Context, Event, Ui};

use super::background_writer::Writer;
use super::command::{Page, UiCommand, settings_shortcuts, shortcuts};
use super::delayed_input::DelayedInput;
use super::frame_times::FrameTimes;
use super::pages::{Pages, train};
use super::panics::ErrorBoundaries;
use super::scripts::ReadingOrder;
use super::settings::Settings;
use super::shell::{Question, Shell, no_dialog_reason};
use super::widgets::input::{is_covered, is_dialog_open};
use super::widgets::textures::Textures;
use super::{keys, theme};
use crate::panics::catch_panic;
use crate::problem::Problem;
use crate::session::Session;
use crate::session::dataset_settings::SetUp;
use crate::session::file_dialog::Choice;
use crate::texts::Language;
use crate::tr;

/// The window's application.
pub struct StudioApp {
    /// The open workspace.
    pub session: Session,
    /// The current page.
    pub page: Page,
    pages: Pages,
    shell: Shell,
    error_boundaries: ErrorBoundaries,
    textures: Textures,
    settings: Settings,
    settings_file: Option<PathBuf>,
    writer: Writer,
    delayed_input: DelayedInput,
    /// Measures drawing times.
    pub times: FrameTimes,
    /// Whether the line of frame times is printed when the window closes.
    prints_times: bool,
    /// Whether the window is in full screen, for a presentation.
    full_screen: bool,
    /// Whether the window closes without confirmation.
    skip_confirmation: Arc<AtomicBool>,
    /// When the user requested a start, until the plan of the settings is up to date.
    start_requested: Option<Instant>,
    /// Whether the content of the clipboard is requested in the next frame.
    paste_requested: bool,
    /// When the settings were last written.
    last_saved: Instant,
    /// Earlier set-ups for undo.
    history: Undoer<SetUp>,
    /// The last set-up that was passed to the history.
    recorded_setup: Option<SetUp>,
}

impl StudioApp {
    /// Creates the application with this workspace and prepares egui's context.
    pub fn new(
        ctx: &Context,
        mut session: Session,
        settings: Settings,
        settings_file: Option<PathBuf>,
        started: Instant,
    ) -> Self {
        settings.language.speak();
        theme::install(ctx);
        ctx.set_zoom_factor(settings.zoom);
        ctx.add_plugin(ReadingOrder::default());
        ctx.set_theme(settings.theme.preference());
        theme::set_animations(ctx, !settings.reduce_motion);
        persistence::restore_session(&mut session, &settings);
        let wake_ctx = ctx.clone();
        Self {
            session,
            page: Page::default(),
            pages: Pages::default(),
            shell: Shell::default(),
            error_boundaries: ErrorBoundaries::default(),
            textures: Textures::default(),
            settings,
            settings_file,
            writer: Writer::start(move || wake_ctx.request_repaint()),
            delayed_input: DelayedInput::default(),
            times: FrameTimes::new(started),
            prints_times: false,
            full_screen: false,
            skip_confirmation: Arc::default(),
            start_requested: None,
            paste_requested: false,
            last_saved: Instant::now(),
            history: Undoer::default(),
            recorded_setup: None,
        }
    }

    /// Returns a flag that skips the confirmation if it is set before the window is closed by other code.
    pub fn skip_confirmation_flag(&self) -> Arc<AtomicBool> {
        self.skip_confirmation.clone()
    }

    /// Asks the user before the window closes if a run is in progress or something would be lost.
    fn handle_close_request(&mut self, ctx: &Context) {
        let closing = ctx.input(|i| i.viewport().close_requested());
        if closing
            && !self.skip_confirmation.load(Ordering::Relaxed)
            && Question::Close.text(&self.session).is_some()
        {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.shell.question = Some(Question::Close);
        }
    }

    /// Shows the line of frame times, and prints it when the window closes.
    pub fn show_frame_times(&mut self) {
        (self.shell.frame_times, self.prints_times) = (true, true);
    }

    /// Shows the page Start to a new user.
    pub fn welcome(&mut self) {
        self.page = Page::Start;
    }

    /// Makes the part of the window with this name panic whenever it is drawn, for tests; `None` stops this.
    pub fn set_fault(&mut self, part: Option<String>) {
        self.error_boundaries.set_fault(part);
    }

    /// When the window gets the focus, checks whether another program has changed the displayed run.
    fn handle_focus(&mut self, ctx: &Context) {
        let is_focus = |event: &Event| matches!(event, Event::WindowFocused(true));
        if self.page == Page::Train && ctx.input(|i| i.events.iter().any(is_focus)) {
            self.session.check_opened_run();
        }
    }

    /// Handles the results of file dialogs. If the system has no file dialog, the window asks for a path.
    fn handle_picked_paths(&mut self, ctx: &Context) {
        for (purpose, choice) in std::mem::take(&mut self.session.file_selection.picked) {
            match choice {
                Choice::Path(path) => self.use_path(ctx, purpose, path),
                Choice::Paths(files) => self.use_paths(ctx, purpose, files),
                Choice::NoDialog => self.type_path(purpose, no_dialog_reason()),
                Choice::Cancelled => self.pages.experiment.cancel_choice(),
            }
        }
    }

    /// Selects the runs of a finished comparison on Compare. The page is shown if the user was watching on Train and is
    /// not presenting; otherwise a notice reports the comparison. While Compare is open, its selection is kept.
    fn handle_finished_comparison(&mut self) {
        let Some(folders) = self.session.take_comparison() else {
            return;
        };
        let n = folders.len();
        let is_comparing = self.page == Page::Compare;
        if !is_comparing {
            self.pages.compare.select_comparison(folders);
        }
        if self.page == Page::Train && !self.pages.present.is_open {
            self.show_page(Page::Compare);
        } else {
            let notice = Problem::new(tr!("shell-paired-runs-finished", n));
            let advice = match is_comparing {
                true => tr!("shell-paired-runs-finished-select"),
                false => tr!("shell-paired-runs-finished-advice"),
            };
            self.session.notify(notice.advise(advice), false);
        }
    }

    /// Examines the folder that the user chose for an added task.
    fn preview_task(&mut self, source: String) {
        if let Some(run) = self.shell.adding_to.clone() {
            self.session.preview_task(&run, source);
        }
    }

    /// Adds the examined task to its run.
    fn add_task(&mut self) {
        let Some(run) = self.shell.adding_to.take() else {
            return;
        };
        let source = self.session.task_preview(&run);
        let source = source.map(|(source, _)| source.to_string());
        self.session.drop_task_preview();
        if let Some(source) = source {
            self.session.add_task(&run, source);
            self.show_page(Page::Train);
        }
    }

    fn handle_shortcuts(&mut self, ctx: &Context) {
        let dialog = is_dialog_open(ctx);
        for (keys, command) in shortcuts() {
            // While a dialog is open, the shortcut that starts training is left to the dialog.
            let starts = matches!(command, UiCommand::Start);
            if dialog && starts {
                continue;
            }
            if ctx.input_mut(|i| i.consume_shortcut(&keys)) {
                if starts && ctx.text_edit_focused() {
                    // The text being edited can be a setting, so its field loses the focus and commits the text.
                    ctx.memory_mut(egui::Memory::stop_text_input);
                }
                // Pressing the shortcut twice starts only one run. The button can start another run.
                if starts && self.session.is_started() {
                    let notice = Problem::new(tr!("shell-already-started"));
                    let notice = notice.advise(tr!("shell-already-started-advice"));
                    self.session.notify_neutral(notice);
                    continue;
                }
                if let Some(command) = self.displayed_run_command(command) {
                    self.execute(ctx, command);
                }
            }
        }
        let is_presenting = self.pages.present.is_open;
        if self.page == Page::Experiment
            && !is_presenting
            && !dialog
            && !ctx.egui_wants_keyboard_input()
        {
            for (keys, command) in settings_shortcuts() {
                if ctx.input_mut(|i| i.consume_shortcut(&keys)) {
                    self.execute(ctx, command);
                }
            }
        }
        let accepts_keys = !is_presenting
            && !is_covered(ctx)
            && !ctx.egui_wants_keyboard_input()
            && ctx.memory(|m| m.focused().is_none());
        if self.page == Page::Train
            && accepts_keys
            && ctx.input(|i| i.key_pressed(keys::PAUSE.logical_key))
            && let Some(command) = self.displayed_run_command(UiCommand::PauseOrResume)
        {
            self.execute(ctx, command);
        }
    }

    /// Returns the command that a shortcut executes. On Train, pausing and stopping apply to the displayed run; a
    /// stored run that is open cannot be paused or stopped.
    fn displayed_run_command(&self, command: UiCommand) -> Option<UiCommand> {
        if self.page != Page::Train {
            return Some(command);
        }
        let train = &self.session.train;
        let (pause, stop) = train::control_commands(train);
        match command {
            UiCommand::PauseOrResume | UiCommand::Stop if train.opened.is_some() => None,
            UiCommand::PauseOrResume => Some(pause),
            UiCommand::Stop => stop,
            other => Some(other),
        }
    }

    fn execute_answer(&mut self, ctx: &Context, question: Question) {
        match question {
            Question::Stop(_) => self.session.stop(true),
            Question::StopThis(_) => self.session.stop(false),
            Question::Close => {
                self.skip_confirmation.store(true, Ordering::Relaxed);
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Question::Do(command) => self.execute_confirmed(ctx, *command),
            Question::Access(places, command) => {
                self.session.allow_locations(places);
                self.execute(ctx, *command);
            }
        }
    }

    /// Runs `work` in the error boundary of this part.
    fn run_guarded(&mut self, ctx: &Context, part: &'static str, work: impl FnOnce(&mut Self)) {
        if !self.error_boundaries.is_due(part, ctx) {
            return;
        }
        let result = catch_panic(|| {
            self.error_boundaries.panic_if_requested(part);
            work(self);
        });
        self.error_boundaries.record_work(part, ctx, result);
        self.report_failed_parts();
    }

    /// Reports panics of parts that have no place on the screen to report them.
    fn report_failed_parts(&mut self) {
        for problem in self.error_boundaries.take_problems() {
            self.session.notify(problem, true);
        }
    }
}

impl eframe::App for StudioApp {
    fn raw_input_hook(&mut self, ctx: &Context, input: &mut egui::RawInput) {
        if self.delayed_input.split(&mut input.events) {
            ctx.request_repaint();
        }
    }

    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        self.settings.language.speak();
        self.run_guarded(ctx, "part-news", |app| {
            if app.session.drain() {
                app.shell.palette.invalidate();
            }
            app.start_when_planned();
        });
        self.run_guarded(ctx, "part-chosen-files", |app| app.handle_picked_paths(ctx));
        self.run_guarded(ctx, "part-dropped-files", |app| {
            app.handle_drop(ctx);
            app.handle_checked_drops(ctx);
        });
        self.run_guarded(ctx, "part-finished-runs", |app| {
            app.handle_finished_comparison();
            if app.session.take_was_selected() {
                app.show_page(Page::Experiment);
            }
        });
        self.run_guarded(ctx, "part-figures", |app| app.copy_finished_figure(ctx));
        self.run_guarded(ctx, "part-focus", |app| app.handle_focus(ctx));
        self.run_guarded(ctx, "part-closing", |app| app.handle_close_request(ctx));
        self.run_guarded(ctx, "part-settings", |app| {
            app.record_setup(ctx);
            app.save_changes(ctx);
        });
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        if let Some(seconds) = frame.info().cpu_usage {
            self.times.record_frame(seconds);
        }
        self.draw(ui);
    }

    fn on_exit(&mut self) {
        // A panic here must not prevent the following steps, above all saving the run.
        let _ = catch_panic(|| {
            self.save_settings();
            self.save_drafts();
        });
        self.writer.finish();
        // From here on, messages are written to the terminal, in English.
        Language::English.speak();
        if self.prints_times {
            eprintln!("{}", self.times.summary());
        }
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}
