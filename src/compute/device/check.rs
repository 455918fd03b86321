//! Checks whether a GPU computes correctly, before it is used for the first time.
//!
//! Drivers can compute wrong gradients, hang, or crash the process. So the test runs in a child process with a time
//! limit, and its result is stored for each adapter and driver.

use std::path::Path;
use std::time::Duration;

use super::child::{ended_from_outside, program, run_child};
use super::verdicts::{SelfTestResult, cache_file, forget, kept, save_verdict};
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
const WITHOUT: [&str; 2] = ["--without-cooperative-matrices", "--without-kernels"];

/// Ensures that a device computes correctly. For the CPU, and for a GPU that was tested before, this returns at once;
/// otherwise it runs the self-test in a child process (seconds).
///
/// # Errors
/// Returns a Problem with the failure if the GPU fails the test.
pub fn trust(info: &DeviceInfo) -> Result<SelfTestResult> {
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
    let verdict = verdict(info, file.as_deref(), || test(program, info, limit));
    if verdict.good {
        return Ok(verdict);
    }
    let remedy = match file {
        None => message!("advice-update-driver"),
        Some(file) => message!(
            "advice-update-driver-or-retest",
            file = file.display().to_string()
        ),
    };
    Err(Problem::new(message!(
        "problem-device-self-test-failed",
        name = info.name.to_string(),
        note = verdict.note.to_string()
    ))
    .at(format!("{} {}", info.api.title(), info.driver))
    .advise(remedy))
}

/// Tests a GPU again and discards the stored result.
///
/// # Errors
/// As [`trust`].
pub fn test_again(info: &DeviceInfo) -> Result<SelfTestResult> {
    forget(info, cache_file().as_deref())?;
    trust(info)
}

/// Returns the stored result; if there is none, runs the test and stores its result.
fn verdict(
    info: &DeviceInfo,
    file: Option<&Path>,
    test: impl FnOnce() -> std::result::Result<SelfTestResult, String>,
) -> SelfTestResult {
    if let Some(verdict) = kept(info, file) {
        return verdict;
    }
    match test() {
        Ok(verdict) => {
            save_verdict(info, file, &verdict);
            verdict
        }
        // An error does not depend on the GPU, so the test is repeated next time.
        Err(note) => SelfTestResult::bad(note),
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
    for without in WITHOUT {
        let next = test_with(program, &[SUBCOMMAND, &selector, without], limit)?;
        if next.good {
            return Ok(next);
        }
    }
    Ok(first)
}

/// Runs a single test in a child process.
fn test_with(
    program: &Path,
    words: &[&str],
    limit: Duration,
) -> std::result::Result<SelfTestResult, String> {
    let bad = SelfTestResult::bad;
    let Some((status, note)) = run_child(program, words, limit)? else {
        let seconds = limit.as_secs();
        return Ok(bad(format!("it did not answer within {seconds} seconds")));
    };
    if ended_from_outside(status) {
        return Err("the test was stopped before it finished".into());
    }
    Ok(match status.code() {
        // Drivers may print to the output as well, so the result is the last valid line.
        Some(0) => (note.lines().rev())
            .find_map(|line| serde_json::from_str(line).ok())
            .unwrap_or_else(|| bad(format!("its answer cannot be read: {note}"))),
        Some(1) if !note.is_empty() => bad(note),
        _ => bad(format!("the driver crashed ({status})")),
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
    use super::super::child::list_of;
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
        test(&scripted(folder.path(), script), &gpu(), limit)
    }

    fn scripted(folder: &Path, script: &str) -> PathBuf {
        let program = folder.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn self_test_detects_wrong_crashing_and_hanging_gpus() {
        let long = Duration::from_secs(20);
        let right = format!("echo '{}'", serde_json::to_string(&good()).unwrap());
        let asked =
            format!("[ \"$1 $2\" = \"gpu-selftest vulkan:discrete:0\" ] && echo hello && {right}");
        assert_eq!(run(&asked, long), good());
        assert!(!run("echo hello", long).good);
        let wrong = run("echo gradients are off by 3; exit 1", long);
        assert!(!wrong.good && wrong.note.contains("off by 3"));
        let own = run(&format!("[ $3 ] || kill -SEGV $$; {right}"), long);
        assert!(own.good, "{own:?}");
        let crashed = run("kill -SEGV $$", long);
        assert!(
            !crashed.good && crashed.note.contains("crashed"),
            "{crashed:?}"
        );
        let hanging = run("exec sleep 20", Duration::from_millis(100));
        assert!(hanging.note.contains("did not answer"), "{hanging:?}");
        let missing = test(Path::new("/nowhere"), &gpu(), long).unwrap_err();
        assert!(missing.contains("could not be started"));
    }

    #[test]
    fn listing_survives_noisy_or_crashing_driver() {
        let asked = |script: &str| {
            let folder = tempfile::tempdir().unwrap();
            let program = scripted(folder.path(), script);
            list_of(&program).unwrap()
        };
        let json = serde_json::to_string(&[cpu(), gpu()]).unwrap();
        let good = asked(&format!("echo nonsense >&2; echo '{json}'"));
        assert_eq!(good, [cpu(), gpu()]);
        assert_eq!(asked("kill -SEGV $$"), [cpu()]);
        assert_eq!(asked("echo no list"), [cpu()]);
        assert!(list_of(Path::new("/nowhere")).is_none());
    }

    #[test]
    fn interrupted_self_test_is_not_cached() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("devices.toml");
        // A shell in the background ignores Ctrl-C, so this status is constructed.
        assert!(ended_from_outside(ExitStatus::from_raw(2)));
        assert!(!ended_from_outside(ExitStatus::from_raw(11)));
        for signal in ["TERM", "KILL"] {
            let ended = || try_run(&format!("kill -{signal} $$"), Duration::from_secs(20));
            let unknown = verdict(&gpu(), Some(&file), ended);
            assert!(
                !unknown.good && unknown.note.contains("was stopped"),
                "{unknown:?}"
            );
            assert!(!file.exists(), "{signal}: a verdict was saved");
        }
        let crashed = || try_run("kill -SEGV $$", Duration::from_secs(20));
        assert!(!verdict(&gpu(), Some(&file), crashed).good && file.exists());
    }

    #[test]
    fn verdicts_are_cached_per_driver_and_gpu() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/devices.toml");
        let bad = SelfTestResult::bad("wrong".into());
        let unasked = verdict(&gpu(), Some(&file), || Err("not started".into()));
        assert!(!unasked.good && unasked.note == "not started");
        let first = verdict(&gpu(), Some(&file), || Ok(bad.clone()));
        assert_eq!(first, bad);
        let again = verdict(&gpu(), Some(&file), || {
            unreachable!("the verdict was not read from the file")
        });
        assert_eq!(again, bad);
        let updated = DeviceInfo {
            driver: "2.0".into(),
            ..gpu()
        };
        assert!(verdict(&updated, Some(&file), || Ok(good())).good);
        // Two GPUs of the same model have separate results.
        let twin = DeviceInfo {
            pci: "0000:02:00.0".into(),
            ..gpu()
        };
        let asked = verdict(&twin, Some(&file), || Ok(good()));
        assert!(asked.good && !verdict(&gpu(), Some(&file), || unreachable!()).good);
        // A damaged file only causes a new test.
        std::fs::write(&file, "not toml").unwrap();
        assert!(!verdict(&gpu(), Some(&file), || Ok(bad)).good);
    }
}
