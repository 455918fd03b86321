//! The graphics adapters that were opened, and whether they were lost.
//!
//! The framework cannot set up an adapter twice in a process, even after it was lost. So opened adapters, including
//! lost ones, are stored for the lifetime of the process.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use burn::tensor::{Device, DeviceKind};

use super::{AdapterKind, DeviceInfo};
use crate::message;
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// Number of GPU commands that are submitted together. Small groups keep the desktop responsive, and stay below the
/// time limit after which Windows resets a busy GPU.
const TASKS_PER_SUBMISSION: usize = 16;

/// An adapter that was opened.
struct Adapter {
    device: Device,
    lost: bool,
}

/// Opened adapters by selector.
type Adapters = BTreeMap<String, Adapter>;

/// The state of all adapters of this process.
struct AdapterRegistry {
    adapters: Mutex<Adapters>,
    /// Number of times that an adapter was lost or out of memory. Code that caches tensors compares it to find out
    /// whether their values may be lost or were never written.
    errors: AtomicUsize,
    /// Whether an adapter reported that it is out of memory. Panics are recorded while the list may be locked, so
    /// this is atomic.
    out_of_memory: AtomicBool,
}

static REGISTRY: AdapterRegistry = AdapterRegistry {
    adapters: Mutex::new(BTreeMap::new()),
    errors: AtomicUsize::new(0),
    out_of_memory: AtomicBool::new(false),
};

impl AdapterRegistry {
    fn adapters(&self) -> MutexGuard<'_, Adapters> {
        lock(&self.adapters)
    }
}

/// Records that an adapter was lost; all of them if `device` is `None`.
pub(crate) fn record_lost(device: Option<&Device>) {
    REGISTRY.errors.fetch_add(1, Ordering::Relaxed);
    mark_lost(&mut REGISTRY.adapters(), device);
}

/// Marks an adapter as lost; all of them if it is not in the list. An adapter that is lost already stays in the list,
/// so that later reports about it do not affect other devices.
fn mark_lost(adapters: &mut Adapters, device: Option<&Device>) {
    let is_listed = adapters.values().any(|adapter| Some(&adapter.device) == device);
    for adapter in adapters.values_mut() {
        adapter.lost |= !is_listed || Some(&adapter.device) == device;
    }
}

/// Returns the number of adapters that were lost so far.
pub fn lost_count() -> usize {
    let adapters = REGISTRY.adapters();
    adapters.values().filter(|adapter| adapter.lost).count()
}

/// Returns how often an adapter was lost or out of memory so far.
pub fn error_count() -> usize {
    REGISTRY.errors.load(Ordering::Relaxed)
}

/// Records that an adapter is out of memory, because operations that fail later do not report the cause. Returns
/// whether this was recorded before.
pub fn record_out_of_memory() -> bool {
    REGISTRY.errors.fetch_add(1, Ordering::Relaxed);
    REGISTRY.out_of_memory.swap(true, Ordering::Relaxed)
}

/// Returns whether an adapter was out of memory since the last call.
pub fn take_out_of_memory() -> bool {
    REGISTRY.out_of_memory.swap(false, Ordering::Relaxed)
}

/// Frees the unused memory of all opened adapters.
pub fn free_unused_memory() {
    for adapter in REGISTRY.adapters().values().filter(|adapter| !adapter.lost) {
        // A failure is ignored, because the next operation reports it.
        let _ = catch_unwind(AssertUnwindSafe(|| adapter.device.memory_cleanup()));
    }
}

/// Opens a device, without autodiff. It stays open for the lifetime of the process; further calls return the same
/// device.
///
/// # Errors
/// Returns a Problem if the driver fails, or the device was lost before.
pub fn open(info: &DeviceInfo) -> Result<Device> {
    if info.is_cpu() {
        return Ok(Device::flex());
    }
    let unusable = |why: String| {
        Problem::new(message!("problem-device-unusable", name = &info.name, why))
            .at("--device")
            .advise(message!("advice-use-cpu-or-update-driver"))
    };
    let mut adapters = REGISTRY.adapters();
    match adapters.get(&info.selector()) {
        None => {}
        Some(adapter) if !adapter.lost => return Ok(adapter.device.clone()),
        Some(_) => {
            return Err(Problem::new(message!("problem-device-lost", name = &info.name))
                .at("--device")
                .advise(message!("advice-restart-or-choose-cpu")));
        }
    }
    let kind = match info.kind {
        AdapterKind::DiscreteGpu => DeviceKind::DiscreteGpu(info.ordinal),
        AdapterKind::IntegratedGpu => DeviceKind::IntegratedGpu(info.ordinal),
        AdapterKind::VirtualGpu => DeviceKind::VirtualGpu(info.ordinal),
        AdapterKind::SoftwareGpu => DeviceKind::Cpu,
        AdapterKind::Cpu | AdapterKind::OtherGpu => {
            return Err(unusable("its adapter type is unknown".into()));
        }
    };
    let options = Device::wgpu_options()
        .device_kind(kind)
        .graphics_api(info.api.backend())
        .tasks_max(TASKS_PER_SUBMISSION);
    let device = catch_unwind(AssertUnwindSafe(|| options.init()))
        .map_err(|_| unusable("its driver failed".into()))?
        .map_err(|error| unusable(error.to_string()))?;
    let adapter = Adapter { device: device.clone(), lost: false };
    adapters.insert(info.selector(), adapter);
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_lost_marks_one_gpu_or_all_if_unknown() {
        let [first_device, second_device, unlisted] =
            [0, 1, 2].map(|ordinal| Device::wgpu(DeviceKind::DiscreteGpu(ordinal)));
        let adapter = |device: &Device| Adapter { device: device.clone(), lost: false };
        let pair = [("first", &first_device), ("second", &second_device)];
        let mut adapters: Adapters =
            pair.map(|(name, device)| (name.to_owned(), adapter(device))).into();
        let lost_flags = |adapters: &Adapters| -> Vec<bool> {
            adapters.values().map(|adapter| adapter.lost).collect()
        };
        for _ in 0..2 {
            mark_lost(&mut adapters, Some(&first_device));
            assert_eq!(lost_flags(&adapters), [true, false]);
        }
        mark_lost(&mut adapters, Some(&unlisted));
        assert_eq!(lost_flags(&adapters), [true, true]);
    }
}
