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
    let line = table.lines().find_map(|line| line.strip_prefix("Max address space"));
    line?.split_whitespace().next()?.parse().ok()
}

/// Returns the bytes left to the control group of this process (a container or service), the minimum over all
/// enclosing groups and both versions of control groups; `None` without a limit.
pub(super) fn of_group() -> Option<u64> {
    let table = read_to_string("/proc/self/cgroup").ok()?;
    least_left(&table, Path::new("/sys/fs/cgroup"))
}

/// Returns the bytes left to the groups in a table like `/proc/self/cgroup`, whose files are in the folder `root`;
/// `None` without a limit.
fn least_left(table: &str, root: &Path) -> Option<u64> {
    let lines = table.lines().filter_map(|line| line.split_once(':'));
    lines
        .filter_map(|(_, line)| line.split_once(':'))
        .filter_map(|(controllers, group)| {
            let (version, root) = match controllers {
                "" => (&V2, root.to_owned()),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    (&V1, root.join("memory"))
                }
                _ => return None,
            };
            let groups = Path::new(group.trim_start_matches('/')).ancestors();
            groups.filter_map(|group| left_to(&root.join(group), version)).min()
        })
        .min()
}

/// The names of the files of a version of control groups: limit, usage, and the entry of `memory.stat` for inactive
/// cached files.
struct Version {
    limit: &'static str,
    usage: &'static str,
    inactive: &'static str,
}

const V2: Version =
    Version { limit: "memory.max", usage: "memory.current", inactive: "inactive_file " };

const V1: Version = Version {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    inactive: "total_inactive_file ",
};

/// Returns the bytes left to the control group in this folder; `None` without a limit.
fn left_to(group: &Path, version: &Version) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = read_to_string(group.join(name)).ok()?;
        text.trim().parse().ok()
    };
    // Without a limit, version 2 writes `max`, which is not a number, and version 1 a number beyond any memory.
    let most = number(version.limit).filter(|bytes| *bytes < 1 << 60)?;
    let about = read_to_string(group.join("memory.stat")).unwrap_or_default();
    // The system frees inactive cached files first.
    let spare = about.lines().find_map(|line| line.strip_prefix(version.inactive));
    let spare = spare.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let taken = number(version.usage)?.saturating_sub(spare);
    Some(most.saturating_sub(taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_address_and_cgroup_limits() {
        let table = "Limit    Soft Limit   Hard Limit   Units\n\
                     Max cpu time      unlimited    unlimited    seconds\n\
                     Max address space 8192000000   unlimited    bytes\n";
        assert_eq!(address_limit(table), Some(8_192_000_000));
        assert_eq!(address_limit("Max address space unlimited unlimited bytes"), None);
        let group = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(group.path().join(name), text).unwrap();
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(left_to(group.path(), &V2), None);
        write("memory.max", "1000\n");
        assert_eq!(left_to(group.path(), &V2), Some(300));
        write("memory.stat", "anon 500\ninactive_file 200\n");
        assert_eq!(left_to(group.path(), &V2), Some(500));
        assert_eq!(left_to(&group.path().join("gone"), &V2), None);
    }

    #[test]
    fn finds_cgroups_of_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let first = "5:cpu,cpuacct:/job\n4:memory:/batch/job\n";
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/memory.usage_in_bytes", "5000\n");
        assert_eq!(least_left(first, root.path()), None);
        write("memory/batch/job/memory.limit_in_bytes", "900\n");
        write("memory/batch/job/memory.usage_in_bytes", "600\n");
        write("memory/batch/job/memory.stat", "total_inactive_file 100\n");
        assert_eq!(least_left(first, root.path()), Some(400));
        write("service/memory.max", "800\n");
        write("service/memory.current", "700\n");
        assert_eq!(least_left("0::/service\n", root.path()), Some(100));
        let both = format!("{first}0::/service\n");
        assert_eq!(least_left(&both, root.path()), Some(100));
    }
}
