//! The total and free memory of a GPU, if the operating system or a driver reports it. Graphics APIs do not.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::DeviceInfo;
use super::child::run_child;
use crate::files;
use crate::memory;
use crate::sync::lock;

/// The memory of a GPU in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuMemory {
    /// Total memory.
    pub total: u64,
    /// Memory that no process uses.
    pub free: u64,
}

/// How long a result is cached, because settings change with every keystroke.
const CACHE_LIFETIME: Duration = Duration::from_secs(10);
/// Time limit of a query.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Returns the memory of a device; `None` if it is not reported. Devices that share the CPU's memory have the free
/// memory of the machine.
pub fn gpu_memory(info: &DeviceInfo) -> Option<GpuMemory> {
    /// The last result: selector of the device, time, memory.
    static LAST: Mutex<Option<(String, Instant, Option<GpuMemory>)>> = Mutex::new(None);
    let mut last = lock(&LAST);
    let selector = info.selector();
    if let Some((cached_selector, cached_at, cached)) = &*last
        && *cached_selector == selector
        && cached_at.elapsed() < CACHE_LIFETIME
    {
        return *cached;
    }
    let found = query_memory(info);
    *last = Some((selector, Instant::now(), found));
    found
}

fn query_memory(info: &DeviceInfo) -> Option<GpuMemory> {
    match info.kind.shares_memory() {
        true => {
            Some(GpuMemory { total: memory::machine_bytes()?, free: memory::available_bytes()? })
        }
        false => {
            let folder = Path::new("/sys/bus/pci/devices").join(&info.pci);
            read_sysfs(&folder).or_else(|| query_nvidia_smi(info))
        }
    }
}

/// Reads the values that the kernel driver of AMD GPUs reports.
fn read_sysfs(folder: &Path) -> Option<GpuMemory> {
    let read_number = |name: &str| -> Option<u64> {
        let text = files::read_text(&folder.join(name), files::TEXT).ok()?;
        text.trim().parse().ok()
    };
    let total = read_number("mem_info_vram_total")?;
    let free = total.saturating_sub(read_number("mem_info_vram_used")?);
    Some(GpuMemory { total, free })
}

/// Reads the values that the tool of NVIDIA's driver reports.
fn query_nvidia_smi(info: &DeviceInfo) -> Option<GpuMemory> {
    if !info.name.to_lowercase().contains("nvidia") || info.pci.is_empty() {
        return None;
    }
    const ARGS: [&str; 2] =
        ["--query-gpu=pci.bus_id,memory.total,memory.free", "--format=csv,noheader,nounits"];
    let (_, output) = run_child(Path::new("nvidia-smi"), &ARGS, TIME_LIMIT).ok()??;
    parse_row(&output, &info.pci)
}

/// Parses the row of a GPU, in MiB: "00000000:01:00.0, 24564, 23100".
fn parse_row(output: &str, pci: &str) -> Option<GpuMemory> {
    let mut rows = output.lines().map(|row| row.split(", ").map(str::trim));
    rows.find_map(|mut row| {
        // The PCI addresses may have different numbers of leading zeros.
        let bus_id = row.next()?.to_lowercase();
        let is_match = bus_id.ends_with(&pci.to_lowercase()) && !pci.is_empty();
        let mut parse_mebibytes = || row.next()?.parse::<u64>().ok()?.checked_mul(1 << 20);
        let (total, free) = (parse_mebibytes()?, parse_mebibytes()?);
        is_match.then_some(GpuMemory { total, free })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_row_selects_gpu_by_pci_address() {
        let table = "00000000:01:00.0, 24564, 23100\n00000000:41:00.0, 8192, 100\n";
        let found = parse_row(table, "0000:41:00.0").unwrap();
        assert_eq!((found.total, found.free), (8192 << 20, 100 << 20));
        assert_eq!(parse_row(table, "0000:02:00.0"), None);
        assert_eq!(parse_row("00000000:01:00.0, [N/A], [N/A]", "0000:01:00.0"), None);
        assert_eq!(parse_row(table, ""), None);
    }

    #[test]
    fn reads_gpu_memory_from_sysfs() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_sysfs(folder.path()), None);
        std::fs::write(folder.path().join("mem_info_vram_total"), "1000\n").unwrap();
        std::fs::write(folder.path().join("mem_info_vram_used"), "400\n").unwrap();
        let found = read_sysfs(folder.path()).unwrap();
        assert_eq!((found.total, found.free), (1000, 600));
    }

    #[test]
    fn cpu_device_reports_system_memory() {
        if cfg!(target_os = "linux") {
            let cpu = super::super::machine::cpu();
            let found = gpu_memory(&cpu).unwrap();
            assert!(found.free > 1 << 20 && found.free <= found.total);
        }
    }
}
