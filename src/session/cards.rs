//! The card of the settings: which it is, and preparing it from the window.

use std::sync::Arc;

use super::Session;
use super::progress::Progress;
use super::views::DeviceView;
use crate::problem::Result;

impl Session {
    /// The card that the settings mean; none where they mean the processor.
    pub fn chosen_card(&self) -> Option<&DeviceView> {
        let wanted = self.experiment.draft.device.as_str();
        let mut devices = self.inventory.devices.iter();
        let found = match wanted {
            "auto" | "" | "gpu" => devices.find(|device| device.chosen_by_auto),
            _ => devices.find(|device| device.key == wanted),
        };
        found.filter(|device| device.key != "cpu")
    }

    /// How far preparing a card is, while one is prepared.
    pub fn preparing(&self) -> Option<&Arc<Progress>> {
        self.inventory.preparing.as_ref()
    }

    /// Tries the ways of a card for a family of backbones anew.
    pub fn prepare_card(&mut self, key: &str, family: &str) {
        if self.inventory.preparing.is_some() {
            return;
        }
        let progress = Arc::new(Progress::default());
        self.inventory.preparing = Some(progress.clone());
        let (key, family) = (key.to_string(), family.to_string());
        self.task(
            move |sources| sources.prepare(&key, &family, &progress),
            Self::take_prepared,
        );
    }

    /// Prepares it no further.
    pub fn stop_preparing(&mut self) {
        if let Some(progress) = &self.inventory.preparing {
            progress.stop();
        }
    }

    /// Takes in what came of it.
    fn take_prepared(&mut self, found: Result<Vec<DeviceView>>) {
        self.inventory.preparing = None;
        match found {
            Ok(devices) => self.inventory.devices = devices,
            Err(problem) => self.notify(problem, true),
        }
    }
}
