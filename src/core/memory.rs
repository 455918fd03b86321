//! How much memory this process has used at most, and how much the machine has.

/// Highest resident memory of this process so far, in bytes; none where the system does not tell.
pub fn peak_bytes() -> Option<u64> {
    // Linux keeps the high-water mark in kB: "VmHWM:   123456 kB".
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmHWM:")
}

/// Memory of this machine in bytes; none where the system does not tell.
pub fn machine_bytes() -> Option<u64> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&about, "MemTotal:")
}

/// Memory that programs can still have, in bytes; none where the system does not tell.
pub fn available_bytes() -> Option<u64> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&about, "MemAvailable:")
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
    fn linux_tells_the_peak_and_it_only_rises() {
        if cfg!(target_os = "linux") {
            let before = peak_bytes().unwrap_or(0);
            assert!(before > 1 << 20);
            let block = vec![1u8; 64 << 20];
            assert!(block.iter().map(|&b| u64::from(b)).sum::<u64>() > 0);
            assert!(peak_bytes().unwrap_or(0) >= before);
            assert!(machine_bytes().unwrap_or(0) > before);
        }
    }
}
