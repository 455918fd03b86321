//! Peak memory of this process, and memory of the machine.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the peak of this process may include an earlier run.
static INHERITED: AtomicBool = AtomicBool::new(false);

/// Resets the peak: from now on [`run_peak_bytes`] is that of the starting run. A process trains one run at a time.
pub fn begin_run() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    let is_first = !BEGUN.swap(true, Ordering::Relaxed);
    // 5 resets the high-water mark of the resident set (man 5 proc_pid_clear_refs).
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    INHERITED.store(!reset && !is_first, Ordering::Relaxed);
}

/// Returns the highest resident memory of this process since [`begin_run`], in bytes; `None` if the system does not
/// report it, or reports only that of the whole process and this is not its first run.
pub fn run_peak_bytes() -> Option<u64> {
    let own = !INHERITED.load(Ordering::Relaxed);
    own.then(peak_bytes).flatten()
}

/// Returns the highest resident memory of this process since its start, or since [`begin_run`], in bytes; `None` if the
/// system does not report it.
pub fn peak_bytes() -> Option<u64> {
    // Linux keeps the high-water mark in kB: "VmHWM:   123456 kB".
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmHWM:")
}

/// Returns the memory of this machine in bytes; `None` if the system does not report it.
pub fn machine_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return of_machine("MemTotal:");
    #[cfg(not(target_os = "linux"))]
    sysinfo_value(sysinfo::System::total_memory)
}

/// Returns the memory that this program can still allocate, in bytes; `None` if the system does not report it. On Linux
/// it may be less than the machine has: the limit of a container, or of the address space.
pub fn available_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return [of_machine("MemAvailable:"), limits::of_group(), limits::of_addresses()]
        .into_iter()
        .flatten()
        .min();
    #[cfg(not(target_os = "linux"))]
    sysinfo_value(sysinfo::System::available_memory)
}

#[cfg(target_os = "linux")]
mod limits;

#[cfg(target_os = "linux")]
fn of_machine(name: &str) -> Option<u64> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&about, name)
}

/// Returns a value on systems other than Linux; `None` if it is not available.
#[cfg(not(target_os = "linux"))]
fn sysinfo_value(value: impl Fn(&sysinfo::System) -> u64) -> Option<u64> {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    Some(value(&System::new_with_specifics(memory))).filter(|bytes| *bytes > 0)
}

/// Returns the entry with this name in bytes.
fn kilobytes(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_machine_memory_and_peak_usage() {
        let (all, free) = (machine_bytes().unwrap_or(0), available_bytes().unwrap_or(0));
        assert!(0 < free && free < all);
        if cfg!(target_os = "linux") {
            let peak = peak_bytes().unwrap_or(0);
            assert!(1 << 20 < peak && peak < all);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn begin_run_resets_peak_memory() {
        const LARGE: u64 = 512 << 20;
        begin_run();
        let block = vec![1u8; LARGE as usize];
        assert!(block.iter().map(|&b| u64::from(b)).sum::<u64>() > 0);
        let first = run_peak_bytes().unwrap_or(0);
        assert!(first > LARGE);
        drop(block);
        begin_run();
        // Without permission to reset the peak, it is unknown for a second run.
        let second = run_peak_bytes().unwrap_or(0);
        assert!(second < first - LARGE / 2, "{first} {second}");
    }
}
