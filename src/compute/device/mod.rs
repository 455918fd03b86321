//! The devices of this machine, and how one is chosen.
//!
//! The list comes from wgpu without opening a device, which would take memory and time. The CPU is always first in the
//! list.

mod adapters;
mod check;
mod child;
mod machine;
mod memory;
mod select;
mod test_results;

use std::fmt;
use std::panic::catch_unwind;
use std::sync::OnceLock;

use burn::tensor::wgpu::WgpuBackend;
use serde::{Deserialize, Serialize};

pub use adapters::open;
pub(crate) use adapters::record_lost;
pub use adapters::{
    error_count, free_unused_memory, lost_count, record_out_of_memory, take_out_of_memory,
};
pub use check::{ensure_tested, may_use_half, retest};
pub use child::{end_with_parent, lower_priority, set_program, tie_to_parent};
use machine::{adapters, cpu};
pub use machine::{cooperative_matrices, processor_name};
pub use memory::{GpuMemory, gpu_memory};
pub use select::{ReadyDevice, TestedDevice, choose_tested, prepare};
pub use test_results::{SelfTestResult, read_verdict_file};

use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::{Message, translate_entry};

/// The kind of a device; GPUs are sorted from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdapterKind {
    /// The CPU, with the framework's CPU backend.
    Cpu,
    /// A discrete GPU with its own memory.
    DiscreteGpu,
    /// A GPU that shares the memory of the CPU.
    IntegratedGpu,
    /// A GPU passed to a virtual machine.
    VirtualGpu,
    /// An adapter of unknown kind; the framework cannot open it.
    OtherGpu,
    /// A GPU emulated by the CPU, for tests; slower than the CPU itself.
    SoftwareGpu,
}

impl AdapterKind {
    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::DiscreteGpu => "discrete GPU",
            Self::IntegratedGpu => "integrated GPU",
            Self::VirtualGpu => "virtual GPU",
            Self::OtherGpu => "unknown adapter",
            Self::SoftwareGpu => "software adapter",
        }
    }

    /// Returns the display name in the language of this thread.
    pub fn localized_title(self) -> &'static str {
        translate_entry("device", self.key(), "kind", self.title())
    }

    /// Returns the short name in a selector.
    pub fn key(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::DiscreteGpu => "discrete",
            Self::IntegratedGpu => "integrated",
            Self::VirtualGpu => "virtual",
            Self::OtherGpu => "other",
            Self::SoftwareGpu => "software",
        }
    }

    /// Returns whether it is a hardware GPU.
    pub fn is_hardware_gpu(self) -> bool {
        matches!(self, Self::DiscreteGpu | Self::IntegratedGpu | Self::VirtualGpu)
    }

    /// Returns whether it uses the memory of the machine rather than its own.
    pub fn shares_memory(self) -> bool {
        matches!(self, Self::Cpu | Self::IntegratedGpu | Self::SoftwareGpu)
    }
}

/// The API of a device, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// CPU backend of the framework.
    Flex,
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL.
    Gl,
}

impl Api {
    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Flex => "CPU kernels",
            Self::Vulkan => "Vulkan",
            Self::Metal => "Metal",
            Self::Dx12 => "Direct3D 12",
            Self::Gl => "OpenGL",
        }
    }

    fn backend(self) -> WgpuBackend {
        match self {
            Self::Flex => WgpuBackend::Auto,
            Self::Vulkan => WgpuBackend::Vulkan,
            Self::Metal => WgpuBackend::Metal,
            Self::Dx12 => WgpuBackend::Dx12,
            Self::Gl => WgpuBackend::Gl,
        }
    }
}

/// A device of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Its number in the list; 0 is the CPU.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: AdapterKind,
    /// Its API.
    pub api: Api,
    /// Driver and its version; empty for the CPU.
    pub driver: String,
    /// Address on the PCI bus; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pci: String,
    /// Index among the devices of the same kind and API.
    ordinal: usize,
}

impl DeviceInfo {
    /// Returns a text that identifies this device: `vulkan:discrete:0`.
    pub fn selector(&self) -> String {
        let api = format!("{:?}", self.api).to_lowercase();
        format!("{api}:{}:{}", self.kind.key(), self.ordinal)
    }

    /// Returns whether it is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.kind == AdapterKind::Cpu
    }
}

impl fmt::Display for DeviceInfo {
    /// Writes a line such as "1 NVIDIA GeForce RTX 4070 (discrete GPU, Vulkan)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, api) = (self.kind.title(), self.api.title());
        write!(f, "{} {} ({kind}, {api})", self.index, self.name)
    }
}

/// Returns all devices: the CPU, hardware GPUs from best to worst, then software GPUs. The machine is queried once per
/// process, by a child process if [`set_program`] set one.
pub fn list() -> &'static [DeviceInfo] {
    static LIST: OnceLock<Vec<DeviceInfo>> = OnceLock::new();
    LIST.get_or_init(|| child::list_in_child().unwrap_or_else(list_in_process))
}

/// Queries the devices in this process.
fn list_in_process() -> Vec<DeviceInfo> {
    // A driver that panics is treated as missing.
    let mut adapters = catch_unwind(adapters).unwrap_or_default();
    adapters.sort_by_key(|info| (info.kind, info.api, info.ordinal));
    let mut devices = vec![cpu()];
    devices.extend(adapters);
    for (index, info) in devices.iter_mut().enumerate() {
        info.index = index;
    }
    devices
}

/// Returns the device for a selector: `auto` (the best hardware GPU, else the CPU), `cpu`, `gpu`, a number in the list,
/// a selector, or part of a name.
///
/// # Errors
/// Returns a Problem that lists the devices.
pub fn choose(wanted: &str) -> Result<DeviceInfo> {
    // For the CPU, graphics drivers are not loaded: they take time, and some print messages.
    if matches!(wanted.trim().to_lowercase().as_str(), "cpu" | "0") {
        return Ok(cpu());
    }
    choose_from(list(), wanted)
}

/// Chooses among the given devices; the first is the CPU.
fn choose_from(devices: &[DeviceInfo], wanted: &str) -> Result<DeviceInfo> {
    let wanted = wanted.trim();
    let best_gpu = || devices.iter().find(|info| info.kind.is_hardware_gpu());
    let lower = wanted.to_lowercase();
    let matches_device =
        |info: &&DeviceInfo| info.selector() == lower || info.name.to_lowercase().contains(&lower);
    let found = match lower.as_str() {
        "auto" | "" => best_gpu().or(devices.first()),
        "cpu" => devices.first(),
        "gpu" => best_gpu(),
        _ => match wanted.parse::<usize>() {
            Ok(index) => devices.get(index),
            Err(_) => {
                let mut candidates = devices.iter().filter(matches_device);
                let first = candidates.next();
                // The same adapter with several APIs is not ambiguous.
                if let (Some(first), Some(other)) =
                    (first, candidates.find(|info| Some(&info.name) != first.map(|f| &f.name)))
                {
                    return Err(Problem::new(message!(
                        "problem-device-name-ambiguous",
                        wanted,
                        name = &first.name,
                        name2 = &other.name
                    ))
                    .at("--device")
                    .advise(list_devices_message(devices)));
                }
                first
            }
        },
    };
    found.cloned().ok_or_else(|| {
        let what = match lower.as_str() {
            "gpu" => message!("problem-no-gpu"),
            _ => message!("problem-device-not-found", wanted),
        };
        Problem::new(what).at("--device").advise(list_devices_message(devices))
    })
}

/// Returns the list of devices as a message.
fn list_devices_message(devices: &[DeviceInfo]) -> Message {
    let lines: Vec<String> = devices.iter().map(ToString::to_string).collect();
    message!("advice-choose-device", devices = lines.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, name: &str, kind: AdapterKind, api: Api) -> DeviceInfo {
        DeviceInfo {
            index,
            name: name.into(),
            kind,
            api,
            driver: String::new(),
            pci: String::new(),
            ordinal: 0,
        }
    }

    fn machine() -> Vec<DeviceInfo> {
        vec![
            cpu(),
            device(1, "Radeon RX 7800", AdapterKind::DiscreteGpu, Api::Vulkan),
            device(2, "Radeon RX 7800", AdapterKind::DiscreteGpu, Api::Gl),
            device(3, "Radeon Graphics", AdapterKind::IntegratedGpu, Api::Vulkan),
            device(4, "llvmpipe", AdapterKind::SoftwareGpu, Api::Vulkan),
        ]
    }

    #[test]
    fn chooses_device_by_word_number_selector_or_name() {
        let all = machine();
        let index = |wanted: &str| choose_from(&all, wanted).unwrap().index;
        assert_eq!(index("auto"), 1);
        assert_eq!(index("gpu"), 1);
        assert_eq!(index("cpu"), 0);
        assert_eq!(index("3"), 3);
        assert_eq!(index("rx 7800"), 1);
        assert_eq!(index("gl:discrete:0"), 2);
        assert_eq!(index("LLVMPIPE"), 4);
    }

    #[test]
    fn rejects_unknown_or_ambiguous_devices() {
        let all = machine();
        let problem = choose_from(&all, "radeon").unwrap_err();
        assert!(problem.is("problem-device-name-ambiguous"), "{problem}");
        assert!(problem.what.contains("Radeon Graphics"), "{problem}");
        let problem = choose_from(&all, "9").unwrap_err();
        assert!(problem.is("problem-device-not-found"), "{problem}");
        assert!(problem.remedy.contains("4 llvmpipe"), "{problem}");
        assert!(choose_from(&all, "geforce").is_err());
    }

    #[test]
    fn software_adapter_is_not_chosen_automatically() {
        let bare = [cpu(), device(1, "llvmpipe", AdapterKind::SoftwareGpu, Api::Vulkan)];
        assert!(choose_from(&bare, "auto").unwrap().is_cpu());
        for wanted in ["gpu", " GPU"] {
            let problem = choose_from(&bare, wanted).unwrap_err();
            assert!(problem.is("problem-no-gpu"), "{problem}");
        }
    }

    #[test]
    fn cpu_is_listed_first_and_opens() {
        let first = &list()[0];
        assert!(first.is_cpu() && first.index == 0 && first.name.contains("thread"));
        assert!(open(first).is_ok());
        assert!(list().iter().enumerate().all(|(i, info)| info.index == i));
    }
}
