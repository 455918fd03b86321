//! The graphics adapters that were opened, and what became of them.
//!
//! The framework refuses to set an adapter up twice in a process, also after it was lost. So what is
//! opened is kept here for the whole process, and a lost one keeps its place.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use burn::tensor::{Device, DeviceKind};

use super::{DeviceInfo, Kind};
use crate::problem::{Problem, Result};

/// GPU commands are handed over in groups of this many: small groups keep the desktop smooth and
/// stay below the time after which Windows resets a busy card.
const TASKS_PER_SUBMISSION: usize = 16;

/// By selector; nothing in place of one that was lost. None before the first.
type Devices = Option<HashMap<String, Option<Device>>>;

/// What is known of the adapters of this process.
struct Opened {
    devices: Mutex<Devices>,
    /// How often one was lost or had no memory left. Whoever keeps tensors looks here whether they may be gone,
    /// or never were written.
    errors: AtomicUsize,
    /// Whether one said that its memory is full. Panics are noted while the list is locked, so this needs
    /// no lock.
    full: AtomicBool,
}

static OPENED: Opened = Opened {
    devices: Mutex::new(None),
    errors: AtomicUsize::new(0),
    full: AtomicBool::new(false),
};

impl Opened {
    fn devices(&self) -> MutexGuard<'_, Devices> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets go of an adapter that was lost; of all where it is not known which one was.
pub(crate) fn lost(which: Option<&Device>) {
    OPENED.errors.fetch_add(1, Ordering::Relaxed);
    let mut devices = OPENED.devices();
    let open = devices.get_or_insert_default();
    let is_known = |device: &Device| open.values().flatten().any(|other| other == device);
    let which = which.filter(|device| is_known(device)).cloned();
    for device in open.values_mut() {
        if which.is_none() || *device == which {
            *device = None;
        }
    }
}

/// How many adapters were lost by now.
pub(crate) fn losses() -> usize {
    let devices = OPENED.devices();
    let all = devices.iter().flat_map(HashMap::values);
    all.filter(|device| device.is_none()).count()
}

/// How often an adapter was lost or full by now.
pub(crate) fn errors() -> usize {
    OPENED.errors.load(Ordering::Relaxed)
}

/// Notes that an adapter said that its memory is full: what fails by it later does not name the cause.
/// Whether it was noted before.
pub(crate) fn full() -> bool {
    OPENED.errors.fetch_add(1, Ordering::Relaxed);
    OPENED.full.swap(true, Ordering::Relaxed)
}

/// Whether an adapter said that its memory is full since this was last asked.
pub(crate) fn was_full() -> bool {
    OPENED.full.swap(false, Ordering::Relaxed)
}

/// Has the adapters that were opened give back memory that nothing uses.
pub(crate) fn tidy() {
    for device in OPENED.devices().iter().flat_map(HashMap::values).flatten() {
        // Whether a device in trouble does so is shown by what follows.
        let _ = catch_unwind(AssertUnwindSafe(|| device.memory_cleanup()));
    }
}

/// Opens a device (plain, without gradients). It stays open for the whole process; asking again
/// gives the same one.
///
/// # Errors
/// A Problem when the driver refuses.
pub fn open(info: &DeviceInfo) -> Result<Device> {
    if info.is_cpu() {
        return Ok(Device::flex());
    }
    let refused = |why: String| {
        Problem::new(format!("the device {} cannot be used: {why}", info.name))
            .at("--device")
            .advise("use --device cpu, or update the graphics driver")
    };
    let mut devices = OPENED.devices();
    let open = devices.get_or_insert_default();
    match open.get(&info.selector()) {
        None => {}
        Some(Some(device)) => return Ok(device.clone()),
        Some(None) => {
            return Err(Problem::new(format!("the device {} was lost", info.name))
                .at("--device")
                .advise("start the program again to use it, or choose the CPU"));
        }
    }
    let kind = match info.kind {
        Kind::DiscreteGpu => DeviceKind::DiscreteGpu(info.ordinal),
        Kind::IntegratedGpu => DeviceKind::IntegratedGpu(info.ordinal),
        Kind::VirtualGpu => DeviceKind::VirtualGpu(info.ordinal),
        Kind::SoftwareGpu => DeviceKind::Cpu,
        Kind::Cpu | Kind::OtherGpu => {
            return Err(refused("it does not say what kind of adapter it is".into()));
        }
    };
    let options = Device::wgpu_options()
        .device_kind(kind)
        .graphics_api(info.api.backend())
        .tasks_max(TASKS_PER_SUBMISSION);
    let device = catch_unwind(AssertUnwindSafe(|| options.init()))
        .map_err(|_| refused("its driver failed".into()))?
        .map_err(|error| refused(error.to_string()))?;
    open.insert(info.selector(), Some(device.clone()));
    Ok(device)
}
