//! What Linux lets this program have of the machine's memory.

use std::fs::read_to_string;
use std::path::Path;

/// Bytes that are left of the limit of its address space; none without a limit.
pub(super) fn of_addresses() -> Option<u64> {
    let most = address_limit(&read_to_string("/proc/self/limits").ok()?)?;
    let taken = super::kilobytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(most.saturating_sub(taken))
}

/// The soft limit: `Max address space   8192000000   unlimited   bytes`.
fn address_limit(table: &str) -> Option<u64> {
    let line = table
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"));
    line?.split_whitespace().next()?.parse().ok()
}

/// Bytes that are left to its group of programs (a container, a service), the least of all groups around it; none
/// without a limit.
pub(super) fn of_group() -> Option<u64> {
    let table = read_to_string("/proc/self/cgroup").ok()?;
    let group = table.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let groups = Path::new(group).ancestors();
    groups
        .filter_map(|group| left_to(&Path::new("/sys/fs/cgroup").join(group)))
        .min()
}

/// Bytes that are left to the group that is described in this folder.
fn left_to(group: &Path) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = read_to_string(group.join(name)).ok()?;
        text.trim().parse().ok()
    };
    // Without a limit it says `max`.
    let most = number("memory.max")?;
    let about = read_to_string(group.join("memory.stat")).unwrap_or_default();
    // Files that the system keeps a copy of go first.
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
