//! The window's application: `logic` takes in what engine and helpers tell, `ui` draws, `act` does
//! what was asked. Each of them does its work behind fences (`ui::fence`): whatever panics in it, the
//! program goes on, and training with it.

mod act;
mod draw;
mod dropped;
mod history;
mod of_pages;
mod picked;
mod remember;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use egui::util::undoer::Undoer;
use egui::{Context, Event, Ui};

use super::command::{Page, UiCommand, shortcuts, shortcuts_of_settings};
use super::fence::Fences;
use super::frame_times::FrameTimes;
use super::keys;
use super::pages::Pages;
use super::scripts::ReadingOrder;
use super::settings::Settings;
use super::shell::{Question, Shell, no_dialog};
use super::theme;
use super::typed::Typed;
use super::widgets::input::{is_below_dialog, is_covered};
use super::widgets::textures::Textures;
use super::writer::Writer;
use crate::fence::caught;
use crate::problem::Problem;
use crate::session::Session;
use crate::session::chooser::Choice;
use crate::session::of_data::SetUp;
use crate::texts::Language;
use crate::tr;

/// The window's application.
pub struct StudioApp {
    /// The open workspace.
    pub session: Session,
    /// The page on show.
    pub page: Page,
    pages: Pages,
    shell: Shell,
    fences: Fences,
    textures: Textures,
    settings: Settings,
    settings_file: Option<PathBuf>,
    writer: Writer,
    typed: Typed,
    /// How long drawing takes.
    pub times: FrameTimes,
    /// Where the line with frame times goes when the window closes.
    last_times: Option<Arc<Mutex<String>>>,
    /// Whether the window is to close without a question.
    leaving: Arc<AtomicBool>,
    /// Since when a run is to be started, as soon as it is known what the settings come to.
    starting: Option<Instant>,
    /// When the settings were last written.
    remembered: Instant,
    /// What was set up before, to be put back.
    history: Undoer<SetUp>,
    /// What the history was told last.
    noted: Option<SetUp>,
}

impl StudioApp {
    /// Dresses the context and takes over the workspace.
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
        remember::take_over(&mut session, &settings);
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
            typed: Typed::default(),
            times: FrameTimes::since(started),
            last_times: None,
            leaving: Arc::default(),
            starting: None,
            remembered: Instant::now(),
            history: Undoer::default(),
            noted: None,
        }
    }

    /// What to set before the window is closed from outside: then nobody is asked.
    pub fn leaving(&self) -> Arc<AtomicBool> {
        self.leaving.clone()
    }

    /// Closing the window is a question first while a run is at work or something would be lost.
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

    /// Shows the line with frame times from the start.
    pub fn show_frame_times(&mut self) {
        self.shell.frame_times = true;
    }

    /// Opens on Learn, where the tour is offered: nobody has seen this window before.
    pub fn offer_tour(&mut self) {
        self.page = Page::Learn;
        self.pages.learn.tour.offered = true;
    }

    /// Lets the part of the window with this name panic, to see what comes of it; none any more
    /// without a name.
    pub fn put_fault(&mut self, part: Option<String>) {
        self.fences.put_fault(part);
    }

    /// Leaves the line with frame times here when the window closes.
    pub fn tell_times_to(&mut self, place: Arc<Mutex<String>>) {
        self.last_times = Some(place);
    }

    /// The person comes back to the window: what another program did to the run on show is seen.
    fn take_focus(&mut self, ctx: &Context) {
        let come = |event: &Event| matches!(event, Event::WindowFocused(true));
        if self.page == Page::Train && ctx.input(|i| i.events.iter().any(come)) {
            self.session.look_at_opened();
        }
    }

    /// Answers to the person's choice in a file dialog; without a dialog the window asks itself.
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

    /// Runs that belong side by side are all done: they are laid so, and shown to whoever watched.
    fn take_comparison(&mut self) {
        let Some(folders) = self.session.take_comparison() else {
            return;
        };
        self.pages.compare.choose(folders);
        if self.page == Page::Train {
            self.show(Page::Compare);
        } else {
            let told = Problem::new(tr!("shell-pair-done"));
            let told = told.advise(tr!("shell-pair-done-advice"));
            self.session.notify(told, false);
        }
    }

    /// Looks at the folder that the run is to be taught which the person was asked about.
    fn look_at_lesson(&mut self, source: String) {
        if let Some(run) = self.shell.pupil.clone() {
            self.session.look_at_lesson(&run, source);
        }
    }

    /// Teaches that run what was found.
    fn teach(&mut self) {
        let Some(run) = self.shell.pupil.take() else {
            return;
        };
        let source = self
            .session
            .lesson(&run)
            .map(|(source, _)| source.to_string());
        self.session.leave_lesson();
        if let Some(source) = source {
            self.session.teach(&run, source);
            self.show(Page::Train);
        }
    }

    fn take_keys(&mut self, ctx: &Context) {
        let dialog = is_below_dialog(ctx);
        for (keys, command) in shortcuts() {
            // In a dialog the keys that start training mean the dialog.
            let starts = matches!(command, UiCommand::Start);
            if dialog && starts {
                continue;
            }
            if ctx.input_mut(|i| i.consume_shortcut(&keys)) {
                if starts && ctx.text_edit_focused() {
                    // What is being typed is one of the settings: its field is left.
                    ctx.memory_mut(egui::Memory::stop_text_input);
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
            self.act(ctx, UiCommand::PauseOrGoOn);
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

    /// Does a piece of work behind a fence of this name.
    fn fenced(&mut self, ctx: &Context, piece: &'static str, work: impl FnOnce(&mut Self)) {
        if !self.fences.due(piece, ctx) {
            return;
        }
        let ended = caught(|| {
            self.fences.meet_fault(piece);
            work(self);
        });
        self.fences.worked(piece, ctx, ended);
        self.tell_fallen();
    }

    /// Tells what fell and has no place of its own to say it.
    fn tell_fallen(&mut self) {
        for problem in self.fences.take_told() {
            self.session.notify(problem, true);
        }
    }
}

impl eframe::App for StudioApp {
    fn raw_input_hook(&mut self, ctx: &Context, input: &mut egui::RawInput) {
        if self.typed.sort(&mut input.events) {
            ctx.request_repaint();
        }
    }

    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        self.settings.language.speak();
        self.fenced(ctx, "part-news", |app| {
            if app.session.drain() {
                app.shell.palette.renew();
            }
            app.start_when_planned();
        });
        self.fenced(ctx, "part-chosen", |app| app.take_picked(ctx));
        self.fenced(ctx, "part-dropped", |app| {
            app.take_drop(ctx);
            app.take_dropped(ctx);
        });
        self.fenced(ctx, "part-finished", |app| {
            app.take_comparison();
            if app.session.take_used() {
                app.show(Page::Experiment);
            }
        });
        self.fenced(ctx, "part-figures", |app| app.take_copy(ctx));
        self.fenced(ctx, "part-focus", |app| app.take_focus(ctx));
        self.fenced(ctx, "part-closing", |app| app.take_closing(ctx));
        self.fenced(ctx, "part-settings", |app| {
            app.note_history(ctx);
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
        // What comes after it, the run that is saved above all, must not suffer from it.
        let _ = caught(|| {
            self.remember();
            self.remember_drafts();
        });
        self.writer.finish();
        // What is said from here on stands in the terminal.
        Language::English.speak();
        if let Some(mut line) = self.last_times.as_ref().and_then(|place| place.lock().ok()) {
            *line = self.times.line();
        }
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}
