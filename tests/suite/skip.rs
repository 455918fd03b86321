//! Tests that cannot run on this machine print the reason; the last line of the output counts them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use lae_studio::device::{self, AdapterKind, Api, DeviceInfo};
use lae_studio::sync::lock;

/// Reasons and the number of tests skipped for each.
static SKIPPED: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// Records that a test or a part of it was skipped.
pub fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    let mut skipped = lock(&SKIPPED);
    if skipped.is_empty() {
        // The harness exits after its result; only exit handlers run later.
        #[allow(unsafe_code)]
        // SAFETY: the function takes no arguments, handles its failures, and has static lifetime.
        unsafe {
            libc::atexit(print_summary);
        }
    }
    *skipped.entry(reason.to_string()).or_default() += 1;
}

/// Returns the first software GPU with Vulkan; `None`, and the test counts as skipped, if there is none.
pub fn software_gpu() -> Option<&'static DeviceInfo> {
    let is_software_gpu =
        |info: &&DeviceInfo| info.kind == AdapterKind::SoftwareGpu && info.api == Api::Vulkan;
    let found = device::list().iter().find(is_software_gpu);
    if found.is_none() {
        skip("no software Vulkan");
    }
    found
}

extern "C" fn print_summary() {
    let skipped = lock(&SKIPPED);
    let count: usize = skipped.values().sum();
    let reasons: Vec<String> =
        skipped.iter().map(|(reason, count)| format!("{count} × {reason}")).collect();
    eprintln!("skipped on this machine: {count} ({})\n", reasons.join("; "));
}
