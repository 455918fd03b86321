//! Collects the provenance of a run: its plugin, backbone and machine.

use lae_kernels::simd::Level;

use crate::backbone::library::OpenedBackbone;
use crate::data::transform::CropMode;
use crate::device::{self, DeviceInfo};
use crate::store::{BackboneFacts, Machine, Provenance};

use super::TrainingPlan;

impl TrainingPlan {
    /// Returns the provenance of a run that begins.
    pub(super) fn provenance(&self) -> Provenance {
        let machine = describe_machine(&self.device.info, 0);
        Provenance::new(self.plugin_text(), backbone_facts(&self.backbone), machine)
    }
}

/// Returns the facts about a backbone from its table entry and its weight file.
pub(super) fn backbone_facts(opened: &OpenedBackbone) -> BackboneFacts {
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

/// Describes this program, this machine and the device, which compute from task `from_task` (from 0) on.
pub(super) fn describe_machine(device: &DeviceInfo, from_task: usize) -> Machine {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Machine {
        from_task: from_task + 1,
        version: env!("CARGO_PKG_VERSION").into(),
        system: format!("{os} {arch}"),
        processor: device::processor_name(),
        simd: Level::best().name().into(),
        threads: rayon::current_num_threads(),
        device: device.name.clone(),
        driver: (!device.is_cpu()).then(|| device.driver.clone()),
    }
}
