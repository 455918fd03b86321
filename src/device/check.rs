//! Whether a GPU computes rightly, found out before it is used for the first time.
//!
//! Drivers can give wrong gradients, hang, or take the whole process down. So the test runs in a
//! child process with a time limit, and its verdict is kept per adapter and driver.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::machine::cpu;
use super::{DeviceInfo, Kind};
use crate::files;
use crate::folders;
use crate::problem::{Problem, Result};

/// The subcommand that tests one device, given its selector.
const SUBCOMMAND: &str = "gpu-selftest";
/// The subcommand that lists all devices as JSON.
const LISTING: &str = "gpu-list";
/// Longest time for the list.
const LISTING_TIME_LIMIT: Duration = Duration::from_secs(30);
/// Longest time for a test; a cold start compiles every kernel (seconds).
const TIME_LIMIT: Duration = Duration::from_secs(90);
/// The same for an adapter that is imitated by a processor, which may be busy.
const SOFTWARE_TIME_LIMIT: Duration = Duration::from_secs(300);

/// The program that has the self-test as a subcommand.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says which program tests GPUs: the one that calls this. Without it GPUs are used untested.
pub fn set_program(path: PathBuf) {
    // Called once, at the start; a second call changes nothing.
    let _ = PROGRAM.set(path);
}

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verdict {
    good: bool,
    note: String,
    /// Whether it also computes rightly with weights in half precision.
    half: bool,
}

/// How far a device can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trust {
    /// Whether weights may be kept in half precision there.
    pub half: bool,
}

/// What the self-test says at the end of its line where half precision is right, too.
pub const HALF_IS_RIGHT: &str = "half precision too";

/// Makes sure that a device computes rightly: at once for the CPU and for a GPU that passed
/// before, else by the self-test in a child process (seconds).
///
/// # Errors
/// A Problem that says what the GPU did.
pub fn trust(info: &DeviceInfo) -> Result<Trust> {
    let Some(program) = PROGRAM.get().filter(|_| !info.is_cpu()) else {
        return Ok(Trust {
            half: !info.is_cpu(),
        });
    };
    let file = cache_file();
    let limit = match info.kind {
        Kind::SoftwareGpu => SOFTWARE_TIME_LIMIT,
        _ => TIME_LIMIT,
    };
    let verdict = verdict(info, file.as_deref(), || test(program, info, limit));
    if verdict.good {
        return Ok(Trust { half: verdict.half });
    }
    let again = file.map_or_else(String::new, |file| {
        format!("; delete {} to test it again", file.display())
    });
    Err(Problem::new(format!(
        "{} failed its self-test: {}",
        info.name, verdict.note
    ))
    .at(format!("{} {}", info.api.title(), info.driver))
    .advise(format!("update the graphics driver{again}")))
}

/// The kept verdict, or a new one, which is then kept.
fn verdict(
    info: &DeviceInfo,
    file: Option<&Path>,
    test: impl FnOnce() -> std::result::Result<Verdict, String>,
) -> Verdict {
    let key = format!(
        "{} | {} | {} | {}",
        info.name,
        info.api.title(),
        info.driver,
        env!("CARGO_PKG_VERSION")
    );
    let mut kept: BTreeMap<String, Verdict> = file
        .and_then(|file| files::read_text(file, files::TEXT).ok())
        .and_then(|text| toml::from_str(&text).ok())
        .unwrap_or_default();
    if let Some(verdict) = kept.get(&key) {
        return verdict.clone();
    }
    let verdict = match test() {
        Ok(verdict) => verdict,
        // Not the card's doing: asked again next time.
        Err(note) => {
            return Verdict {
                good: false,
                note,
                half: false,
            };
        }
    };
    kept.insert(key, verdict.clone());
    if let (Some(file), Ok(text)) = (file, toml::to_string(&kept)) {
        keep(file, &text);
    }
    verdict
}

/// Writes the verdicts. A verdict that cannot be kept is found again next time.
fn keep(file: &Path, text: &str) {
    let Some(folder) = file.parent() else { return };
    let _ = std::fs::create_dir_all(folder).and_then(|()| {
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut temporary, text.as_bytes())?;
        temporary.persist(file).map_err(|error| error.error)?;
        Ok(())
    });
}

/// What self-tests found so far, as it is kept; none where nothing was tested.
pub fn verdicts() -> Option<String> {
    files::read_text(&cache_file()?, files::TEXT).ok()
}

/// Where verdicts are kept.
fn cache_file() -> Option<PathBuf> {
    Some(folders::cache()?.join("devices.toml"))
}

/// Whether somebody ended the test: Ctrl-C reaches the child, too, and a system short of memory or
/// about to shut down ends whom it likes. None of that is the card's doing.
fn ended_from_outside(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        /// SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM; a crash brings SIGSEGV, SIGBUS, SIGABRT …
        const FROM_OUTSIDE: [i32; 5] = [1, 2, 3, 9, 15];
        status.signal().is_some_and(|by| FROM_OUTSIDE.contains(&by))
    }
    #[cfg(not(unix))]
    {
        /// What Windows gives for a program ended by Ctrl-C (STATUS_CONTROL_C_EXIT).
        const CONTROL_C: i32 = 0xC000_013A_u32 as i32;
        status.code() == Some(CONTROL_C)
    }
}

/// Runs the self-test in a child process; an error when it could not be started or was ended by
/// somebody, which says nothing of the card.
fn test(
    program: &Path,
    info: &DeviceInfo,
    limit: Duration,
) -> std::result::Result<Verdict, String> {
    let bad = |note: String| Verdict {
        good: false,
        note,
        half: false,
    };
    let selector = info.selector();
    let Some((status, note)) = ask(program, &[SUBCOMMAND, &selector], limit)? else {
        let seconds = limit.as_secs();
        return Ok(bad(format!("it did not answer within {seconds} seconds")));
    };
    if ended_from_outside(status) {
        return Err("the test was ended before it was done".into());
    }
    Ok(match status.code() {
        Some(0) => Verdict {
            good: true,
            half: note.ends_with(HALF_IS_RIGHT),
            note,
        },
        Some(1) if !note.is_empty() => bad(note),
        _ => bad(format!("the driver crashed ({status})")),
    })
}

/// Runs the program in a child process, where drivers may print and crash as they like; gives how
/// it ended and what it said. None when it hung; an error when it could not be started.
fn ask(
    program: &Path,
    words: &[&str],
    limit: Duration,
) -> std::result::Result<Option<(ExitStatus, String)>, String> {
    let child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("the test could not be started ({error})"))?;
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // It hangs; whether the kill succeeds does not change the answer.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
        }
    };
    let mut said = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        // What cannot be read counts as nothing said.
        let _ = stdout.read_to_string(&mut said);
    }
    Ok(Some((status, said.trim().to_string())))
}

/// The devices as a child process lists them, so that drivers that only are looked at cannot print
/// into this program's output or take it down. None where there is no program to ask; drivers that
/// hang or crash are drivers that are not there.
pub(super) fn listed() -> Option<Vec<DeviceInfo>> {
    list_of(PROGRAM.get()?)
}

fn list_of(program: &Path) -> Option<Vec<DeviceInfo>> {
    let answer = ask(program, &[LISTING], LISTING_TIME_LIMIT).ok()?;
    let told = answer.and_then(|(_, text)| serde_json::from_str(&text).ok());
    Some(told.unwrap_or_else(|| vec![cpu()]))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;

    use super::super::Api;
    use super::*;

    fn gpu() -> DeviceInfo {
        DeviceInfo {
            index: 1,
            name: "Test card".into(),
            kind: Kind::DiscreteGpu,
            api: Api::Vulkan,
            driver: "1.0".into(),
            ordinal: 0,
        }
    }

    fn run(script: &str, limit: Duration) -> Verdict {
        try_run(script, limit).unwrap()
    }

    fn try_run(script: &str, limit: Duration) -> std::result::Result<Verdict, String> {
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
    fn a_right_a_wrong_a_crashing_and_a_hanging_gpu_are_told_apart() {
        let long = Duration::from_secs(20);
        assert!(
            run(
                "[ $1 $2 = \"gpu-selftest vulkan:discrete:0\" ] || [ \"$2\" = vulkan:discrete:0 ]",
                long
            )
            .good
        );
        let half = format!("echo largest relative error 1e-5, {HALF_IS_RIGHT}");
        assert!(run(&half, long).half && !run("echo largest relative error 1e-5", long).half);
        let wrong = run("echo gradients are off by 3; exit 1", long);
        assert!(!wrong.good && wrong.note.contains("off by 3"));
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
    fn a_driver_that_prints_or_crashes_while_it_is_listed_does_no_harm() {
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
    fn a_test_that_somebody_ended_condemns_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("devices.toml");
        // A shell that was started in the background ignores Ctrl-C, so that one is made up.
        assert!(ended_from_outside(ExitStatus::from_raw(2)));
        assert!(!ended_from_outside(ExitStatus::from_raw(11)));
        for signal in ["TERM", "KILL"] {
            let ended = || try_run(&format!("kill -{signal} $$"), Duration::from_secs(20));
            let unknown = verdict(&gpu(), Some(&file), ended);
            assert!(
                !unknown.good && unknown.note.contains("ended"),
                "{unknown:?}"
            );
            assert!(!file.exists(), "{signal}: nothing is kept");
        }
        let crashed = || try_run("kill -SEGV $$", Duration::from_secs(20));
        assert!(!verdict(&gpu(), Some(&file), crashed).good && file.exists());
    }

    #[test]
    fn a_verdict_is_kept_per_driver() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/devices.toml");
        let bad = Verdict {
            good: false,
            note: "wrong".into(),
            half: false,
        };
        let unasked = verdict(&gpu(), Some(&file), || Err("not started".into()));
        assert!(!unasked.good && unasked.note == "not started");
        let first = verdict(&gpu(), Some(&file), || Ok(bad.clone()));
        assert_eq!(first, bad);
        let again = verdict(&gpu(), Some(&file), || unreachable!("it is kept"));
        assert_eq!(again, bad);
        let updated = DeviceInfo {
            driver: "2.0".into(),
            ..gpu()
        };
        let good = Verdict {
            good: true,
            note: String::new(),
            half: true,
        };
        assert!(verdict(&updated, Some(&file), || Ok(good)).good);
        // A damaged file costs only a new test.
        std::fs::write(&file, "not toml").unwrap();
        assert!(!verdict(&gpu(), Some(&file), || Ok(bad)).good);
    }
}
