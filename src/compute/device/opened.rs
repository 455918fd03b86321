//! The graphics adapters that were opened, and what became of them.
//!
//! The framework refuses to set an adapter up twice in a process, also after it was lost. So what is
//! opened is kept here for the whole process, and a lost one keeps its place.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use burn::tensor::{Device, DeviceKind};

use super::{AdapterKind, DeviceInfo};
use crate::message;
use crate::problem::{Problem, Result};

/// GPU commands are handed over in groups of this many: small groups keep the desktop smooth and
/// stay below the time after which Windows resets a busy GPU.
const TASKS_PER_SUBMISSION: usize = 16;

/// An adapter that was opened.
struct Adapter {
    device: Device,
    lost: bool,
}

/// By selector.
type Adapters = BTreeMap<String, Adapter>;

/// What is known of the adapters of this process.
struct Opened {
    adapters: Mutex<Adapters>,
    /// How often one was lost or had no memory left. Code that keeps tensors checks here whether they may be gone,
    /// or never were written.
    errors: AtomicUsize,
    /// Whether one said that its memory is full. Panics are noted while the list is locked, so this needs
    /// no lock.
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

/// Notes that an adapter was lost; all of them where it is not known which one.
pub(crate) fn lost(which: Option<&Device>) {
    OPENED.errors.fetch_add(1, Ordering::Relaxed);
    lose(&mut OPENED.adapters(), which);
}

/// One that is lost already is known still: what its other users report later loses no other device.
fn lose(adapters: &mut Adapters, which: Option<&Device>) {
    let is_known = adapters.values().any(|one| Some(&one.device) == which);
    for adapter in adapters.values_mut() {
        adapter.lost |= !is_known || Some(&adapter.device) == which;
    }
}

/// How many adapters were lost by now.
pub fn losses() -> usize {
    let adapters = OPENED.adapters();
    adapters.values().filter(|adapter| adapter.lost).count()
}

/// How often an adapter was lost or full by now.
pub fn errors() -> usize {
    OPENED.errors.load(Ordering::Relaxed)
}

/// Notes that an adapter said that its memory is full: what fails by it later does not name the cause.
/// Whether it was noted before.
pub fn full() -> bool {
    OPENED.errors.fetch_add(1, Ordering::Relaxed);
    OPENED.full.swap(true, Ordering::Relaxed)
}

/// Whether an adapter said that its memory is full since this was last asked.
pub fn was_full() -> bool {
    OPENED.full.swap(false, Ordering::Relaxed)
}

/// Has the adapters that were opened give back memory that nothing uses.
pub fn tidy() {
    for adapter in OPENED.adapters().values().filter(|adapter| !adapter.lost) {
        // Whether a device in trouble does so is shown by what follows.
        let _ = catch_unwind(AssertUnwindSafe(|| adapter.device.memory_cleanup()));
    }
}

/// Opens a device (plain, without gradients). It stays open for the whole process; asking again
/// gives the same one.
///
/// # Errors
/// Returns a Problem if the driver refuses.
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
    fn a_card_that_is_lost_twice_costs_no_other_and_an_unknown_one_costs_all() {
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
