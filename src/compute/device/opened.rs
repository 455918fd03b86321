//! The graphics adapters that were opened, and whether they were lost.
//!
//! The framework cannot set up an adapter twice in a process, even after it was lost. So opened adapters, including
//! lost ones, are stored for the lifetime of the process.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use burn::tensor::{Device, DeviceKind};

use super::{AdapterKind, DeviceInfo};
use crate::message;
use crate::problem::{Problem, Result};

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
struct Opened {
    adapters: Mutex<Adapters>,
    /// Number of times that an adapter was lost or out of memory. Code that stores tensors compares it to find out
    /// whether their values may be lost or were never written.
    errors: AtomicUsize,
    /// Whether an adapter reported that it is out of memory. Panics are recorded while the list may be locked, so
    /// this is atomic.
    full: AtomicBool,
}

static OPENED: Opened = Opened {
    adapters: Mutex::new(BTreeMap::new()),
    errors: AtomicUsize::new(0),
    full: AtomicBool::new(false),
};

impl Opened {
    fn adapters(&self) -> MutexGuard<'_, Adapters> {
        self.adapters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records that an adapter was lost; all of them if `which` is unknown.
pub(crate) fn lost(which: Option<&Device>) {
    OPENED.errors.fetch_add(1, Ordering::Relaxed);
    lose(&mut OPENED.adapters(), which);
}

/// Marks an adapter as lost; all of them if it is not in the list. An adapter that is lost already stays in the list,
/// so that later reports about it do not affect other devices.
fn lose(adapters: &mut Adapters, which: Option<&Device>) {
    let is_known = adapters.values().any(|one| Some(&one.device) == which);
    for adapter in adapters.values_mut() {
        adapter.lost |= !is_known || Some(&adapter.device) == which;
    }
}

/// Returns the number of adapters that were lost so far.
pub fn losses() -> usize {
    let adapters = OPENED.adapters();
    adapters.values().filter(|adapter| adapter.lost).count()
}

/// Returns how often an adapter was lost or out of memory so far.
pub fn errors() -> usize {
    OPENED.errors.load(Ordering::Relaxed)
}

/// Records that an adapter is out of memory, because operations that fail later do not report the cause. Returns
/// whether this was recorded before.
pub fn note_out_of_memory() -> bool {
    OPENED.errors.fetch_add(1, Ordering::Relaxed);
    OPENED.full.swap(true, Ordering::Relaxed)
}

/// Returns whether an adapter was out of memory since the last call.
pub fn take_out_of_memory() -> bool {
    OPENED.full.swap(false, Ordering::Relaxed)
}

/// Frees the unused memory of all opened adapters.
pub fn tidy() {
    for adapter in OPENED.adapters().values().filter(|adapter| !adapter.lost) {
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
    let refused = |why: String| {
        Problem::new(message!(
            "problem-device-unusable",
            name = info.name.to_string(),
            why = why.to_string()
        ))
        .at("--device")
        .advise(message!("advice-use-cpu-or-update-driver"))
    };
    let mut adapters = OPENED.adapters();
    match adapters.get(&info.selector()) {
        None => {}
        Some(adapter) if !adapter.lost => return Ok(adapter.device.clone()),
        Some(_) => {
            return Err(Problem::new(message!(
                "problem-device-lost",
                name = info.name.to_string()
            ))
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
            return Err(refused("its adapter type is unknown".into()));
        }
    };
    let options = Device::wgpu_options()
        .device_kind(kind)
        .graphics_api(info.api.backend())
        .tasks_max(TASKS_PER_SUBMISSION);
    let device = catch_unwind(AssertUnwindSafe(|| options.init()))
        .map_err(|_| refused("its driver failed".into()))?
        .map_err(|error| refused(error.to_string()))?;
    let adapter = Adapter {
        device: device.clone(),
        lost: false,
    };
    adapters.insert(info.selector(), adapter);
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lose_marks_given_gpu_or_all_if_unknown() {
        let [first, second, other] =
            [0, 1, 2].map(|place| Device::wgpu(DeviceKind::DiscreteGpu(place)));
        let adapter = |device: &Device| Adapter {
            device: device.clone(),
            lost: false,
        };
        let pair = [("first", &first), ("second", &second)];
        let mut adapters: Adapters = pair.map(|(name, it)| (name.to_owned(), adapter(it))).into();
        let lost = |adapters: &Adapters| -> Vec<bool> {
            adapters.values().map(|adapter| adapter.lost).collect()
        };
        for _ in 0..2 {
            lose(&mut adapters, Some(&first));
            assert_eq!(lost(&adapters), [true, false]);
        }
        lose(&mut adapters, Some(&other));
        assert_eq!(lost(&adapters), [true, true]);
    }
}
