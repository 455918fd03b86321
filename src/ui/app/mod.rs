//! The application of the window. `logic` processes events of the engine and the helper threads, `ui` draws, `act`
//! executes commands. All work is done in fences (`ui::fence`), so that a panic ends neither the program nor the
//! training.

mod act;
mod chosen_files;
mod draw;
mod persistence;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use egui::util::undoer::Undoer;
use egui::{Context, Event, Ui};

use super::background_writer::Writer;
use super::command::{Page, UiCommand, shortcuts, shortcuts_of_settings};
use super::delayed_input::DelayedInput;
use super::fence::Fences;
use super::frame_times::FrameTimes;
use super::pages::Pages;
use super::scripts::ReadingOrder;
use super::settings::Settings;
use super::shell::{Question, Shell, no_dialog};
use super::widgets::input::{is_below_dialog, is_covered};
use super::widgets::textures::Textures;
use super::{keys, theme};
use crate::fence::catch_panic;
use crate::problem::Problem;
use crate::session::Session;
use crate::session::chooser::Choice;
use crate::session::dataset_settings::SetUp;
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
    fences: Fences,
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
    leaving: Arc<AtomicBool>,
    /// When the user requested a start, until the plan of the settings is up to date.
    starting: Option<Instant>,
    /// When the settings were last written.
    remembered: Instant,
    /// Earlier set-ups for undo.
    history: Undoer<SetUp>,
    /// The last set-up that was passed to the history.
    noted: Option<SetUp>,
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
        theme::let_move(ctx, !settings.reduce_motion);
        persistence::take_over(&mut session, &settings);
        let waken = ctx.clone();
        Self {
            session,
            page: Page::default(),
            pages: Pages::default(),
            shell: Shell::default(),
            fences: Fences::default(),
            textures: Textures::default(),
            settings,
            settings_file,
            writer: Writer::start(move || waken.request_repaint()),
            delayed_input: DelayedInput::default(),
            times: FrameTimes::started_at(started),
            prints_times: false,
            full_screen: false,
            leaving: Arc::default(),
            starting: None,
            remembered: Instant::now(),
            history: Undoer::default(),
            noted: None,
        }
    }

    /// Returns a flag that skips the confirmation if it is set before the window is closed by other code.
    pub fn leaving(&self) -> Arc<AtomicBool> {
        self.leaving.clone()
    }

    /// Asks the user before the window closes if a run is in progress or something would be lost.
    fn take_closing(&mut self, ctx: &Context) {
        let closing = ctx.input(|i| i.viewport().close_requested());
        if closing
            && !self.leaving.load(Ordering::Relaxed)
            && Question::Close.words(&self.session).is_some()
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
        self.fences.set_fault(part);
    }

    /// When the window gets the focus, checks whether another program has changed the displayed run.
    fn take_focus(&mut self, ctx: &Context) {
        let come = |event: &Event| matches!(event, Event::WindowFocused(true));
        if self.page == Page::Train && ctx.input(|i| i.events.iter().any(come)) {
            self.session.check_opened_run();
        }
    }

    /// Handles the results of file dialogs. If the system has no file dialog, the window asks for a path.
    fn take_picked(&mut self, ctx: &Context) {
        for (wanted, choice) in std::mem::take(&mut self.session.choosing.picked) {
            match choice {
                Choice::Path(path) => self.picked(ctx, wanted, path),
                Choice::Paths(files) => self.picked_several(ctx, wanted, files),
                Choice::NoDialog => self.type_path(wanted, no_dialog()),
                Choice::Cancelled => self.pages.experiment.leave(),
            }
        }
    }

    /// Selects the runs of a finished comparison on Compare. The page is shown if the user was watching on Train and is
    /// not presenting; otherwise a notice reports the comparison.
    fn take_comparison(&mut self) {
        let Some(folders) = self.session.take_comparison() else {
            return;
        };
        self.pages.compare.choose(folders);
        if self.page == Page::Train && !self.pages.present.on {
            self.show(Page::Compare);
        } else {
            let told = Problem::new(tr!("shell-paired-runs-finished"));
            let told = told.advise(tr!("shell-paired-runs-finished-advice"));
            self.session.notify(told, false);
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
            self.show(Page::Train);
        }
    }

    fn take_keys(&mut self, ctx: &Context) {
        let dialog = is_below_dialog(ctx);
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
                    let told = Problem::new(tr!("shell-already-started"));
                    let told = told.advise(tr!("shell-already-started-advice"));
                    self.session.remark(told);
                    continue;
                }
                self.act(ctx, command);
            }
        }
        if self.page == Page::Experiment && !dialog && !ctx.egui_wants_keyboard_input() {
            for (keys, command) in shortcuts_of_settings() {
                if ctx.input_mut(|i| i.consume_shortcut(&keys)) {
                    self.act(ctx, command);
                }
            }
        }
        let free = !is_covered(ctx)
            && !ctx.egui_wants_keyboard_input()
            && ctx.memory(|m| m.focused().is_none());
        if self.page == Page::Train && free && ctx.input(|i| i.key_pressed(keys::PAUSE.logical_key))
        {
            self.act(ctx, UiCommand::PauseOrResume);
        }
    }

    fn answer(&mut self, ctx: &Context, question: Question) {
        match question {
            Question::Stop(_) => self.session.stop(true),
            Question::StopThis(_) => self.session.stop(false),
            Question::Close => {
                self.leaving.store(true, Ordering::Relaxed);
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Question::Do(command) => self.carry_out(ctx, *command),
            Question::Visit(places, command) => {
                self.session.allow(places);
                self.act(ctx, *command);
            }
        }
    }

    /// Runs `work` in the fence of this piece.
    fn run_guarded(&mut self, ctx: &Context, piece: &'static str, work: impl FnOnce(&mut Self)) {
        if !self.fences.due(piece, ctx) {
            return;
        }
        let ended = catch_panic(|| {
            self.fences.panic_if_requested(piece);
            work(self);
        });
        self.fences.record_work(piece, ctx, ended);
        self.report_failed_parts();
    }

    /// Reports panics of parts that have no place on the screen to report them.
    fn report_failed_parts(&mut self) {
        for problem in self.fences.take_problems() {
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
                app.shell.palette.renew();
            }
            app.start_when_planned();
        });
        self.run_guarded(ctx, "part-chosen-files", |app| app.take_picked(ctx));
        self.run_guarded(ctx, "part-dropped-files", |app| {
            app.take_drop(ctx);
            app.take_dropped(ctx);
        });
        self.run_guarded(ctx, "part-finished-runs", |app| {
            app.take_comparison();
            if app.session.take_used() {
                app.show(Page::Experiment);
            }
        });
        self.run_guarded(ctx, "part-figures", |app| app.take_copy(ctx));
        self.run_guarded(ctx, "part-focus", |app| app.take_focus(ctx));
        self.run_guarded(ctx, "part-closing", |app| app.take_closing(ctx));
        self.run_guarded(ctx, "part-settings", |app| {
            app.record_set_up(ctx);
            app.remember_changes(ctx);
        });
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        if let Some(seconds) = frame.info().cpu_usage {
            self.times.whole(seconds);
        }
        self.draw(ui);
    }

    fn on_exit(&mut self) {
        // A panic here must not prevent the following steps, above all saving the run.
        let _ = catch_panic(|| {
            self.remember();
            self.remember_drafts();
        });
        self.writer.finish();
        // From here on, messages are written to the terminal, in English.
        Language::English.speak();
        if self.prints_times {
            eprintln!("{}", self.times.line());
        }
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}
