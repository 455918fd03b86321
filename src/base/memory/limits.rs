//! Limits that Linux sets for the memory of this program.

use std::fs::read_to_string;
use std::path::Path;

/// Returns the bytes left of the limit of the address space; `None` without a limit.
pub(super) fn of_addresses() -> Option<u64> {
    let most = address_limit(&read_to_string("/proc/self/limits").ok()?)?;
    let taken = super::kilobytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(most.saturating_sub(taken))
}

/// Parses the soft limit: `Max address space   8192000000   unlimited   bytes`.
fn address_limit(table: &str) -> Option<u64> {
    let line = table
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"));
    line?.split_whitespace().next()?.parse().ok()
}

/// Returns the bytes left to the control group of this process (a container or service), the minimum over all
/// enclosing groups; `None` without a limit.
pub(super) fn of_group() -> Option<u64> {
    let table = read_to_string("/proc/self/cgroup").ok()?;
    let group = table.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let groups = Path::new(group).ancestors();
    groups
        .filter_map(|group| left_to(&Path::new("/sys/fs/cgroup").join(group)))
        .min()
}

/// Returns the bytes left to the control group in this folder; `None` without a limit.
fn left_to(group: &Path) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = read_to_string(group.join(name)).ok()?;
        text.trim().parse().ok()
    };
    // Without a limit, the file contains `max`, which is not a number.
    let most = number("memory.max")?;
    let about = read_to_string(group.join("memory.stat")).unwrap_or_default();
    // The system frees inactive cached files first.
    let spare = about
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "));
    let spare = spare.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let taken = number("memory.current")?.saturating_sub(spare);
    Some(most.saturating_sub(taken))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_addresses_and_of_groups_are_read() {
        let table = "Limit    Soft Limit   Hard Limit   Units\n\
                     Max cpu time      unlimited    unlimited    seconds\n\
                     Max address space 8192000000   unlimited    bytes\n";
        assert_eq!(address_limit(table), Some(8_192_000_000));
        assert_eq!(
            address_limit("Max address space unlimited unlimited bytes"),
            None
        );
        let group = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(group.path().join(name), text).unwrap();
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(left_to(group.path()), None);
        write("memory.max", "1000\n");
        assert_eq!(left_to(group.path()), Some(300));
        write("memory.stat", "anon 500\ninactive_file 200\n");
        assert_eq!(left_to(group.path()), Some(500));
        assert_eq!(left_to(&group.path().join("gone")), None);
    }
}
