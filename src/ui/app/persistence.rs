//! Keeps settings and drafts for the next window, even if the program is killed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use egui::Context;

use super::StudioApp;
use crate::logging::{self, Level};
use crate::session::Session;
use crate::session::collection::Collection;
use crate::texts::Language;
use crate::ui::background_writer::PendingWrite;
use crate::ui::settings::{Settings, ThemeChoice};
use crate::ui::theme;

/// Minimum time between two writes of changed settings.
const WRITE_INTERVAL: Duration = Duration::from_secs(2);

/// Restores the state of the last window from its settings.
pub(super) fn restore_session(session: &mut Session, settings: &Settings) {
    let former = &mut session.former;
    former.crashed = settings.crashed;
    former.config.clone_from(&settings.former);
    former.folders.clone_from(&settings.former_folders);
    former.varying.clone_from(&settings.former_several);
    former.interrupted.clone_from(&settings.unfinished);
    let several = &mut session.experiment.grid.varying;
    several.clone_from(&settings.several);
    // The program can be started with another dataset.
    let experiment = &mut session.experiment;
    let is_same_data =
        settings.setup.as_ref().is_some_and(|setup| setup.data == experiment.draft.data);
    experiment.has_own_labels = settings.own_labels && is_same_data;
    session.open_folders(&settings.folders);
    session.learn.lessons.answers.clone_from(&settings.answers);
    session.learn.lessons.retrained.clone_from(&settings.retrained);
    if let Some(draft) = settings.writing.clone() {
        session.open_stored_text(draft);
    }
}

/// Returns the settings with the current state of the session.
fn updated_settings(settings: &Settings, session: &Session) -> Settings {
    let former = &session.former;
    Settings {
        setup: Some(session.experiment.draft.clone()),
        own_labels: session.experiment.has_own_labels,
        several: session.experiment.grid.varying.storable(),
        former: former.config.clone(),
        former_several: former.varying.clone(),
        former_folders: former.folders.clone(),
        folders: session.compare.folders.paths(),
        unfinished: session.unfinished_run().map(Path::to_path_buf),
        writing: session.stored_text(),
        answers: session.learn.lessons.answers.clone(),
        retrained: session.learn.lessons.retrained.clone(),
        ..settings.clone()
    }
}

impl StudioApp {
    pub(super) fn choose_device(&mut self, key: String) {
        self.session.select_machine(None);
        self.session.experiment.draft.device.clone_from(&key);
        self.settings.device = key;
    }

    pub(super) fn choose_theme(&mut self, ctx: &Context, choice: ThemeChoice) {
        self.settings.theme = choice;
        ctx.set_theme(choice.preference());
        self.save_settings();
    }

    pub(super) fn zoom(&mut self, ctx: &Context, factor: f32) {
        self.settings.zoom = factor;
        ctx.set_zoom_factor(factor);
        self.save_settings();
    }

    pub(super) fn set_language(&mut self, language: Language) {
        self.settings.language = language;
        // An unchanged collection has default names in the previous language.
        let is_unchanged = self.session.collection == Collection::default();
        language.speak();
        if is_unchanged {
            self.session.collection = Collection::default();
        }
        self.session.reload_texts();
        self.save_settings();
    }

    pub(super) fn reduce_motion(&mut self, ctx: &Context, reduce: bool) {
        self.settings.reduce_motion = reduce;
        theme::set_animations(ctx, !reduce);
        self.save_settings();
    }

    pub(super) fn choose_log_level(&mut self, level: Level) {
        self.settings.log = level;
        logging::set_level(level);
        self.save_settings();
    }

    /// Stores drafts in this folder and restores the drafts of the last window. Only one window at a time may call
    /// this.
    pub fn set_drafts_folder(&mut self, folder: PathBuf) {
        self.session.enable_drafts(folder);
    }

    /// Writes changed settings and drafts, except while something is dragged.
    pub(super) fn save_changes(&mut self, ctx: &Context) {
        let failed: Vec<_> = self.writer.drain_failures().collect();
        for failure in failed {
            if failure.is_drafts {
                self.session.record_drafts_failure();
            }
            self.session.notify(failure.problem, true);
        }
        self.session.discard_redundant_settings();
        if ctx.input(|i| i.pointer.any_down()) {
            return;
        }
        self.save_drafts();
        let elapsed = self.last_saved.elapsed();
        if elapsed < WRITE_INTERVAL {
            // Requests a later frame; otherwise a change would be lost if the program is killed while the window is
            // idle.
            ctx.request_repaint_after(WRITE_INTERVAL.saturating_sub(elapsed));
        } else {
            let (zoom, size) = (ctx.zoom_factor(), ctx.viewport_rect().size());
            let placement = self.settings.window.unwrap_or_default();
            let window = ctx.input(|i| placement.updated(i.viewport(), size, zoom));
            let settings = Settings {
                zoom,
                window: Some(window),
                ..updated_settings(&self.settings, &self.session)
            };
            if settings != self.settings {
                self.settings = settings;
                self.save_settings();
            }
        }
    }

    /// Writes the settings. A failure is reported, because the window may stay open.
    pub(super) fn save_settings(&mut self) {
        self.last_saved = Instant::now();
        self.settings = updated_settings(&self.settings, &self.session);
        if let Some(file) = &self.settings_file {
            let pending = PendingWrite::Settings(file.clone(), self.settings.clone().into());
            if let Err(problem) = self.writer.write(pending) {
                self.session.notify(problem, true);
            }
        }
    }

    /// Writes the drafts if they have changed.
    pub(super) fn save_drafts(&mut self) {
        if let Some((folder, drafts)) = self.session.changed_drafts()
            && let Err(problem) = self.writer.write(PendingWrite::Drafts(folder, drafts))
        {
            self.session.record_drafts_failure();
            self.session.notify(problem, true);
        }
    }
}
