//! Collects the provenance of a run: its plugin, backbone and machine.

use lae_kernels::simd::Level;

use crate::backbone::library::Opened;
use crate::data::transform::CropMode;
use crate::device::{self, DeviceInfo};
use crate::store::{BackboneFacts, Machine, Provenance};

use super::TrainingPlan;

impl TrainingPlan {
    /// Returns the provenance of a run that begins.
    pub(super) fn provenance(&self) -> Provenance {
        let machine = machine(&self.ready.info, 0);
        Provenance::new(self.plugin_text(), facts_of(&self.backbone), machine)
    }
}

/// Returns the facts about a backbone from its table entry and its weight file.
pub(super) fn facts_of(opened: &Opened) -> BackboneFacts {
    BackboneFacts {
        name: opened.entry.name.clone(),
        family: opened.entry.architecture.family().name.to_string(),
        input_size: opened.input.size,
        crop_ratio: opened.input.crop_ratio,
        interpolation: opened.input.resize.interpolation,
        squashed: opened.input.resize.mode == CropMode::Squash,
        mean: opened.normalisation.mean,
        std: opened.normalisation.std,
        weights_bytes: opened.bytes,
    }
}

/// Describes this program, this machine and the device, which compute from task `from` (from 0) on.
pub(super) fn machine(on: &DeviceInfo, from: usize) -> Machine {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Machine {
        from_task: from + 1,
        version: env!("CARGO_PKG_VERSION").into(),
        system: format!("{os} {arch}"),
        processor: device::processor_name(),
        simd: Level::best().name().into(),
        threads: rayon::current_num_threads(),
        device: on.name.clone(),
        driver: (!on.is_cpu()).then(|| on.driver.clone()),
    }
}
