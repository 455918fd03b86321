//! The plugins, backbones and devices that can be selected on this machine, and downloads.

use std::sync::Arc;

use super::Session;
use super::downloads::Download;
use super::views::{DeviceView, PluginView};
use crate::backbone::library::Description;
use crate::run::config::RunConfig;

/// The available choices for settings.
#[derive(Default)]
pub struct Inventory {
    /// The plugins.
    pub plugins: Arc<[PluginView]>,
    /// The backbones.
    pub backbones: Arc<[Description]>,
    /// The devices.
    pub devices: Vec<DeviceView>,
    /// The measured speed of the processor; `None` until it is measured.
    pub(super) speed: Option<f64>,
    /// Datasets and weights being downloaded, or whose download failed and was not restarted.
    pub downloads: Vec<Download>,
}

impl Inventory {
    /// Returns the PET plugin that settings name, if it is known and valid.
    pub(super) fn plugin_of(&self, config: &RunConfig) -> Option<&PluginView> {
        let name = config.pet.to_lowercase();
        let mut valid = self.plugins.iter().filter(|view| view.problem.is_none());
        valid.find(|view| view.name == name)
    }

    /// Returns the measured speed of the device that the settings name; `None` for a GPU, or if nothing was measured.
    pub(super) fn speed_of(&self, device: &str) -> Option<f64> {
        let mut devices = self.devices.iter();
        let on_cpu = devices.any(|view| view.is_cpu_selected_by(device));
        self.speed.filter(|_| on_cpu)
    }

    /// Returns the backbone with this name from the table.
    pub fn backbone(&self, name: &str) -> Option<&Description> {
        self.backbones.iter().find(|about| about.entry.name == name)
    }
}

impl Session {
    /// Returns the backbone of the settings: from the table, or from the plan if it is a file.
    pub fn backbone(&self) -> Option<&Description> {
        let name = &self.experiment.draft.backbone;
        let planned = self.experiment.plan.backbone.as_ref();
        let planned = planned.filter(|about| about.entry.name == *name);
        self.inventory.backbone(name).or(planned)
    }

    /// Updates cached texts after the language changed.
    pub fn reload_texts(&mut self) {
        self.read_plugins();
        self.read_backbones();
        self.read_devices();
        self.compare.table.invalidate();
        self.invalidate_grid();
        self.datasets.network_inputs.invalidate();
        if self.learn.lessons.list.ready().is_some() {
            self.read_lessons();
        }
    }

    /// Reads the plugin files.
    pub fn read_plugins(&mut self) {
        self.task_or_notify(
            |sources| Ok(sources.disk().plugins()),
            |session, plugins| {
                session.inventory.plugins = plugins.into();
                session.adjust_pet();
                session.experiment.planning.invalidate();
                session.use_listed_plugin();
            },
        );
    }

    /// Reads the tables of backbones and reports each error in them once.
    pub(super) fn read_backbones(&mut self) {
        self.task_or_notify(
            |sources| Ok(sources.disk().backbones()),
            |session, (backbones, problems)| {
                for problem in problems {
                    let mut notices = session.notices.list.iter();
                    if !notices.any(|notice| notice.problem == problem) {
                        session.notify(problem, true);
                    }
                }
                session.inventory.backbones = backbones.into();
                session.adjust_pet();
                session.experiment.planning.invalidate();
            },
        );
    }

    /// Lists the devices.
    pub(super) fn read_devices(&mut self) {
        self.task_or_notify(
            |sources| Ok(sources.disk().devices()),
            |session, devices| session.inventory.devices = devices,
        );
    }
}
