//! Undo and redo of changes of the set-up.

use std::time::Duration;

use egui::Context;

use super::StudioApp;
use crate::data::scenario::Scenario;

impl StudioApp {
    /// Records the set-up for [`UiCommand::Undo`](crate::ui::command::UiCommand::Undo) once it has not changed for a
    /// moment.
    pub(super) fn record_set_up(&mut self, ctx: &Context) {
        if self.session.awaits_suitable_settings() {
            // The selection of a dataset and of its suitable settings is one change.
            return;
        }
        let experiment = &self.session.experiment;
        let same = self
            .noted
            .as_ref()
            .is_some_and(|noted| experiment.is(noted));
        if same && !self.history.is_in_flux() {
            return;
        }
        let now = self.noted.insert(experiment.set_up());
        self.history.feed_state(ctx.input(|i| i.time), now);
        if self.history.is_in_flux() {
            ctx.request_repaint_after(Duration::from_millis(1_100));
        }
    }

    /// Undoes or redoes a change of the set-up.
    pub(super) fn undo_or_redo(&mut self, back: bool) {
        let now = self.session.experiment.set_up();
        let other = match back {
            true => self.history.undo(&now),
            false => self.history.redo(&now),
        };
        if let Some(before) = other.cloned() {
            self.session.restore_set_up(before);
            let device = &self.session.experiment.draft.device;
            self.settings.device.clone_from(device);
        }
    }

    /// Sets these tasks. Each move of a class becomes a separate change, even if the moves follow quickly.
    pub(super) fn set_tasks(&mut self, scenario: Scenario) {
        self.history.add_undo(&self.session.experiment.set_up());
        self.session.arrange(scenario);
    }
}
