//! Checks whether a GPU computes correctly, before it is used for the first time.
//!
//! Drivers can compute wrong gradients, hang, or crash the process. So the test runs in a child process with a time
//! limit, and its result is stored for each adapter and driver.

use std::path::Path;
use std::time::Duration;

use super::child::{program, run_child, was_terminated_externally};
use super::test_results::{SelfTestResult, cache_file, load_verdict, remove_verdict, save_verdict};
use super::{AdapterKind, DeviceInfo};
use crate::message;
use crate::problem::{Problem, Result};

/// The subcommand that tests the device with a given selector.
const SUBCOMMAND: &str = "gpu-selftest";
/// Time limit of a test; the first one compiles every kernel, which takes seconds.
const TIME_LIMIT: Duration = Duration::from_secs(90);
/// Time limit for an adapter that the CPU emulates, because the CPU may be busy.
const SOFTWARE_TIME_LIMIT: Duration = Duration::from_secs(300);

/// Options that disable possible causes of crashes and hangs: first cooperative matrices, then all of the program's
/// kernels.
const FALLBACK_OPTIONS: [&str; 2] = ["--without-cooperative-matrices", "--without-kernels"];

/// Ensures that a device computes correctly. For the CPU, and for a GPU that was tested before, this returns at once;
/// otherwise it runs the self-test in a child process (seconds).
///
/// # Errors
/// Returns a Problem with the failure if the GPU fails the test.
pub fn ensure_tested(info: &DeviceInfo) -> Result<SelfTestResult> {
    let Some(program) = program().filter(|_| !info.is_cpu()) else {
        return Ok(SelfTestResult {
            good: true,
            half: !info.is_cpu(),
            kernels: true,
            ..SelfTestResult::default()
        });
    };
    let file = cache_file();
    let limit = match info.kind {
        AdapterKind::SoftwareGpu => SOFTWARE_TIME_LIMIT,
        _ => TIME_LIMIT,
    };
    let verdict = load_or_test(info, file.as_deref(), || test(program, info, limit));
    if verdict.good {
        return Ok(verdict);
    }
    let remedy = match file {
        None => message!("advice-update-driver"),
        Some(file) => message!("advice-update-driver-or-retest", file = file.display().to_string()),
    };
    Err(Problem::new(message!(
        "problem-device-self-test-failed",
        name = &info.name,
        note = verdict.note
    ))
    .at(format!("{} {}", info.api.title(), info.driver))
    .advise(remedy))
}

/// Returns whether weights may be stored in half precision on a device, as far as is known without testing it.
pub fn may_use_half(info: &DeviceInfo) -> bool {
    let is_good = |verdict: SelfTestResult| verdict.half;
    !info.is_cpu() && load_verdict(info, cache_file().as_deref()).is_none_or(is_good)
}

/// Tests a GPU again and discards the stored result.
///
/// # Errors
/// As [`ensure_tested`].
pub fn retest(info: &DeviceInfo) -> Result<SelfTestResult> {
    remove_verdict(info, cache_file().as_deref())?;
    ensure_tested(info)
}

/// Returns the stored result; if there is none, runs the test and stores its result.
fn load_or_test(
    info: &DeviceInfo,
    file: Option<&Path>,
    test: impl FnOnce() -> std::result::Result<SelfTestResult, String>,
) -> SelfTestResult {
    if let Some(verdict) = load_verdict(info, file) {
        return verdict;
    }
    match test() {
        Ok(verdict) => {
            save_verdict(info, file, &verdict);
            verdict
        }
        // An error does not depend on the GPU, so the test is repeated next time.
        Err(note) => SelfTestResult::failed(note),
    }
}

/// Runs the self-test in a child process, and again with fewer features if it fails. The error means that the test
/// could not be started or was stopped by something else, which is no result about the GPU.
fn test(
    program: &Path,
    info: &DeviceInfo,
    limit: Duration,
) -> std::result::Result<SelfTestResult, String> {
    let selector = info.selector();
    let first = test_with(program, &[SUBCOMMAND, &selector], limit)?;
    if first.good {
        return Ok(first);
    }
    for option in FALLBACK_OPTIONS {
        let next = test_with(program, &[SUBCOMMAND, &selector, option], limit)?;
        if next.good {
            return Ok(next);
        }
    }
    Ok(first)
}

/// Runs a single test in a child process.
fn test_with(
    program: &Path,
    args: &[&str],
    limit: Duration,
) -> std::result::Result<SelfTestResult, String> {
    let failed = SelfTestResult::failed;
    let Some((status, note)) = run_child(program, args, limit)? else {
        let seconds = limit.as_secs();
        return Ok(failed(format!("it did not answer within {seconds} seconds")));
    };
    if was_terminated_externally(status) {
        return Err("the test was stopped before it finished".into());
    }
    Ok(match status.code() {
        // Drivers may print to the output as well, so the result is the last valid line.
        Some(0) => (note.lines().rev())
            .find_map(|line| serde_json::from_str(line).ok())
            .unwrap_or_else(|| failed(format!("its answer cannot be read: {note}"))),
        Some(1) if !note.is_empty() => failed(note),
        _ => failed(format!("the driver crashed ({status})")),
    })
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;
    use std::path::PathBuf;
    use std::process::ExitStatus;

    use super::super::Api;
    use super::super::child::list_with;
    use super::super::machine::cpu;
    use super::*;

    fn gpu() -> DeviceInfo {
        DeviceInfo {
            index: 1,
            name: "Test card".into(),
            kind: AdapterKind::DiscreteGpu,
            api: Api::Vulkan,
            driver: "1.0".into(),
            pci: String::new(),
            ordinal: 0,
        }
    }

    fn run(script: &str, limit: Duration) -> SelfTestResult {
        try_run(script, limit).unwrap()
    }

    fn good() -> SelfTestResult {
        SelfTestResult {
            good: true,
            note: "largest relative error 1e-5".into(),
            half: true,
            kernels: true,
            ..SelfTestResult::default()
        }
    }

    fn try_run(script: &str, limit: Duration) -> std::result::Result<SelfTestResult, String> {
        let folder = tempfile::tempdir().unwrap();
        test(&write_script(folder.path(), script), &gpu(), limit)
    }

    fn write_script(folder: &Path, script: &str) -> PathBuf {
        let program = folder.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn self_test_detects_wrong_crashing_and_hanging_gpus() {
        let long = Duration::from_secs(20);
        let print_result = format!("echo '{}'", serde_json::to_string(&good()).unwrap());
        let checked_args = format!(
            "[ \"$1 $2\" = \"gpu-selftest vulkan:discrete:0\" ] && echo hello && {print_result}"
        );
        assert_eq!(run(&checked_args, long), good());
        assert!(!run("echo hello", long).good);
        let wrong = run("echo gradients are off by 3; exit 1", long);
        assert!(!wrong.good && wrong.note.contains("off by 3"));
        let fallback = run(&format!("[ $3 ] || kill -SEGV $$; {print_result}"), long);
        assert!(fallback.good, "{fallback:?}");
        let crashed = run("kill -SEGV $$", long);
        assert!(!crashed.good && crashed.note.contains("crashed"), "{crashed:?}");
        let hanging = run("exec sleep 20", Duration::from_millis(100));
        assert!(hanging.note.contains("did not answer"), "{hanging:?}");
        let missing = test(Path::new("/nowhere"), &gpu(), long).unwrap_err();
        assert!(missing.contains("could not be started"));
    }

    #[test]
    fn listing_survives_noisy_or_crashing_driver() {
        let list_devices = |script: &str| {
            let folder = tempfile::tempdir().unwrap();
            let program = write_script(folder.path(), script);
            list_with(&program).unwrap()
        };
        let json = serde_json::to_string(&[cpu(), gpu()]).unwrap();
        let good = list_devices(&format!("echo nonsense >&2; echo '{json}'"));
        assert_eq!(good, [cpu(), gpu()]);
        assert_eq!(list_devices("kill -SEGV $$"), [cpu()]);
        assert_eq!(list_devices("echo no list"), [cpu()]);
        assert!(list_with(Path::new("/nowhere")).is_none());
    }

    #[test]
    fn interrupted_self_test_is_not_cached() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("devices.toml");
        // A shell in the background ignores Ctrl-C, so this status is constructed.
        assert!(was_terminated_externally(ExitStatus::from_raw(2)));
        assert!(!was_terminated_externally(ExitStatus::from_raw(11)));
        for signal in ["TERM", "KILL"] {
            let ended = || try_run(&format!("kill -{signal} $$"), Duration::from_secs(20));
            let unknown = load_or_test(&gpu(), Some(&file), ended);
            assert!(!unknown.good && unknown.note.contains("was stopped"), "{unknown:?}");
            assert!(!file.exists(), "{signal}: a verdict was saved");
        }
        let crashed = || try_run("kill -SEGV $$", Duration::from_secs(20));
        assert!(!load_or_test(&gpu(), Some(&file), crashed).good && file.exists());
    }

    #[test]
    fn verdicts_are_cached_per_driver_and_gpu() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/devices.toml");
        let bad = SelfTestResult::failed("wrong".into());
        let not_started = load_or_test(&gpu(), Some(&file), || Err("not started".into()));
        assert!(!not_started.good && not_started.note == "not started");
        let first = load_or_test(&gpu(), Some(&file), || Ok(bad.clone()));
        assert_eq!(first, bad);
        let again = load_or_test(&gpu(), Some(&file), || {
            unreachable!("the verdict was not read from the file")
        });
        assert_eq!(again, bad);
        let updated = DeviceInfo { driver: "2.0".into(), ..gpu() };
        assert!(load_or_test(&updated, Some(&file), || Ok(good())).good);
        // Two GPUs of the same model have separate results.
        let twin = DeviceInfo { pci: "0000:02:00.0".into(), ..gpu() };
        let twin_result = load_or_test(&twin, Some(&file), || Ok(good()));
        assert!(twin_result.good && !load_or_test(&gpu(), Some(&file), || unreachable!()).good);
        // A damaged file only causes a new test.
        std::fs::write(&file, "not toml").unwrap();
        assert!(!load_or_test(&gpu(), Some(&file), || Ok(bad)).good);
    }
}
