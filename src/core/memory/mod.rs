//! How much memory this process has used at most, and how much the machine has.

/// Highest resident memory of this process so far, in bytes; none where the system does not tell.
pub fn peak_bytes() -> Option<u64> {
    // Linux keeps the high-water mark in kB: "VmHWM:   123456 kB".
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmHWM:")
}

/// Memory of this machine in bytes; none where the system does not tell.
pub fn machine_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return of_machine("MemTotal:");
    #[cfg(not(target_os = "linux"))]
    told(sysinfo::System::total_memory)
}

/// Memory that this program can still have, in bytes; none where the system does not tell. Linux may give a program less
/// than the machine has: a container's share, or a limit of its address space.
pub fn available_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return [
        of_machine("MemAvailable:"),
        limits::of_group(),
        limits::of_addresses(),
    ]
    .into_iter()
    .flatten()
    .min();
    #[cfg(not(target_os = "linux"))]
    told(sysinfo::System::available_memory)
}

#[cfg(target_os = "linux")]
mod limits;

#[cfg(target_os = "linux")]
fn of_machine(name: &str) -> Option<u64> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&about, name)
}

/// What another system says; none where it says nothing.
#[cfg(not(target_os = "linux"))]
fn told(what: impl Fn(&sysinfo::System) -> u64) -> Option<u64> {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    Some(what(&System::new_with_specifics(memory))).filter(|bytes| *bytes > 0)
}

/// The entry of this name, in bytes.
fn kilobytes(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_tells_its_memory_and_linux_the_peak_of_a_program() {
        let (all, free) = (machine_bytes().unwrap_or(0), available_bytes().unwrap_or(0));
        assert!(0 < free && free < all);
        if cfg!(target_os = "linux") {
            let before = peak_bytes().unwrap_or(0);
            assert!(before > 1 << 20);
            let block = vec![1u8; 64 << 20];
            assert!(block.iter().map(|&b| u64::from(b)).sum::<u64>() > 0);
            assert!(peak_bytes().unwrap_or(0) >= before);
            assert!(all > before);
        }
    }
}
