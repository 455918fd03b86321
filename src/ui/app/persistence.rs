//! Keeps settings and drafts for the next window, even if the program is killed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use egui::Context;

use super::StudioApp;
use crate::logging::{self, Level};
use crate::session::Session;
use crate::texts::Language;
use crate::ui::background_writer::PendingWrite;
use crate::ui::settings::{Settings, ThemeChoice};
use crate::ui::theme;

/// Minimum time between two writes of changed settings.
const SOON: Duration = Duration::from_secs(2);

/// Restores the state of the last window from its settings.
pub(super) fn take_over(session: &mut Session, settings: &Settings) {
    let former = &mut session.former;
    former.crashed = settings.crashed;
    former.config.clone_from(&settings.former);
    former.folders.clone_from(&settings.former_folders);
    former.several.clone_from(&settings.former_several);
    former.interrupted.clone_from(&settings.unfinished);
    let several = &mut session.experiment.grid.several;
    several.clone_from(&settings.several);
    session.open_folders(&settings.folders);
    session.learn.units.answers.clone_from(&settings.answers);
    session
        .learn
        .units
        .retrained
        .clone_from(&settings.retrained);
    if let Some(written) = settings.writing.clone() {
        session.open_written(written);
    }
}

/// Returns the settings with the current state of the session.
fn renewed(settings: &Settings, session: &Session) -> Settings {
    let former = &session.former;
    Settings {
        setup: Some(session.experiment.draft.clone()),
        several: session.experiment.grid.several.storable(),
        former: former.config.clone(),
        former_several: former.several.clone(),
        former_folders: former.folders.clone(),
        folders: session.compare.folders.paths(),
        unfinished: session.unfinished().map(Path::to_path_buf),
        writing: session.written(),
        answers: session.learn.units.answers.clone(),
        retrained: session.learn.units.retrained.clone(),
        ..settings.clone()
    }
}

impl StudioApp {
    pub(super) fn choose_device(&mut self, key: String) {
        self.session.choose_place(None);
        self.session.experiment.draft.device.clone_from(&key);
        self.settings.device = key;
    }

    pub(super) fn choose_theme(&mut self, ctx: &Context, choice: ThemeChoice) {
        self.settings.theme = choice;
        ctx.set_theme(choice.preference());
        self.remember();
    }

    pub(super) fn zoom(&mut self, ctx: &Context, factor: f32) {
        self.settings.zoom = factor;
        ctx.set_zoom_factor(factor);
        self.remember();
    }

    pub(super) fn set_language(&mut self, language: Language) {
        self.settings.language = language;
        language.speak();
        self.session.reload_texts();
        self.remember();
    }

    pub(super) fn reduce_motion(&mut self, ctx: &Context, reduce: bool) {
        self.settings.reduce_motion = reduce;
        theme::let_move(ctx, !reduce);
        self.remember();
    }

    pub(super) fn choose_log_level(&mut self, level: Level) {
        self.settings.log = level;
        logging::set_level(level);
        self.remember();
    }

    /// Stores drafts in this folder and restores the drafts of the last window. Only one window at a time may call
    /// this.
    pub fn keep_drafts(&mut self, folder: PathBuf) {
        self.session.keep_drafts(folder);
    }

    /// Writes changed settings and drafts, except while something is dragged.
    pub(super) fn remember_changes(&mut self, ctx: &Context) {
        let failed: Vec<_> = self.writer.failed().collect();
        for unwritten in failed {
            if unwritten.is_drafts {
                self.session.drafts_failed();
            }
            self.session.notify(unwritten.problem, true);
        }
        self.session.settle_former();
        if ctx.input(|i| i.pointer.any_down()) {
            return;
        }
        self.remember_drafts();
        let since = self.remembered.elapsed();
        if since < SOON {
            // Requests a later frame; otherwise a change would be lost if the program is killed while the window is
            // idle.
            ctx.request_repaint_after(SOON.saturating_sub(since));
        } else {
            let (zoom, size) = (ctx.zoom_factor(), ctx.viewport_rect().size());
            let before = self.settings.window.unwrap_or_default();
            let window = ctx.input(|i| before.after(i.viewport(), size, zoom));
            let now = Settings {
                zoom,
                window: Some(window),
                ..renewed(&self.settings, &self.session)
            };
            if now != self.settings {
                self.settings = now;
                self.remember();
            }
        }
    }

    /// Writes the settings. A failure is reported, because the window may stay open.
    pub(super) fn remember(&mut self) {
        self.remembered = Instant::now();
        self.settings = renewed(&self.settings, &self.session);
        if let Some(file) = &self.settings_file {
            let kept = PendingWrite::Settings(file.clone(), self.settings.clone().into());
            if let Err(problem) = self.writer.write(kept) {
                self.session.notify(problem, true);
            }
        }
    }

    /// Writes the drafts if they have changed.
    pub(super) fn remember_drafts(&mut self) {
        if let Some((folder, drafts)) = self.session.changed_drafts()
            && let Err(problem) = self.writer.write(PendingWrite::Drafts(folder, drafts))
        {
            self.session.drafts_failed();
            self.session.notify(problem, true);
        }
    }
}
