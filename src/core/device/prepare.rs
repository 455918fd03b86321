//! Preparing a card: in which of the few variants it computes a family of backbones best, tried on that
//! very card.
//!
//! A child process checks each variant against the CPU device and times it, one line of its output
//! for each. A variant that crashes the driver, hangs or loses the device is refused, and another
//! child goes on behind it; the program itself is never at risk.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::child::{MOST, ended_from_outside, program, start};
use super::verdicts::{Prepared, Tried};
use super::{AdapterKind, DeviceInfo, trust};
use crate::message;
use crate::nn::ComputeVariant;
use crate::problem::{Problem, Result};

/// The subcommand that tries variants: a device's selector, a family, names of variants.
const SUBCOMMAND: &str = "gpu-prepare";
/// Longest time for one variant, its kernels compiled anew.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The same for an adapter that is imitated by a processor, which may be busy.
const SOFTWARE_TIME_LIMIT: Duration = Duration::from_secs(300);
/// How long the child is waited for before the person is heard again.
const PATIENCE: Duration = Duration::from_millis(50);

/// Hears how many variants are tried of how many; false stops it.
pub type Watch<'a> = dyn FnMut(usize, usize) -> bool + 'a;

/// Whether there is a program that can try variants on this device, and any to try.
pub fn can_prepare(info: &DeviceInfo) -> bool {
    program().is_some() && !info.is_cpu()
}

/// Tries these variants on a card for a family of backbones, for [`super::keep_prepared`]. The card
/// passes its self-test first.
///
/// # Errors
/// A Problem when the card failed its self-test, or nothing could be found out: the child could not
/// be started, was ended by somebody, or `watch` stopped it.
pub fn prepare(
    info: &DeviceInfo,
    family: &str,
    variants: &[ComputeVariant],
    watch: &mut Watch<'_>,
) -> Result<Prepared> {
    trust(info)?;
    let Some(program) = program().filter(|_| !info.is_cpu()) else {
        return Err(
            Problem::new(message!("problem-only-graphics-card-is-prepared-cpu"))
                .at("--device")
                .advise(message!("try-name-card-of-lae-studio-devices")),
        );
    };
    let limit = match info.kind {
        AdapterKind::SoftwareGpu => SOFTWARE_TIME_LIMIT,
        _ => TIME_LIMIT,
    };
    let child = Tries {
        program,
        selector: info.selector(),
        family,
        limit,
    };
    child.all(variants, watch).map_err(|why| {
        Problem::new(message!(
            "problem-could-not-be-prepared",
            name = info.name.to_string(),
            why = why.to_string()
        ))
        .at(format!("{} {}", info.api.title(), info.driver))
        .advise(message!("try-try-again-with-lae-studio-devices"))
    })
}

/// How a child left off.
enum Left {
    /// By itself, with the rest for another one where something is left.
    Done,
    /// In the midst of a variant.
    Fell(String),
}

/// What is tried, and where.
struct Tries<'a> {
    program: &'a Path,
    selector: String,
    family: &'a str,
    limit: Duration,
}

impl Tries<'_> {
    /// Tries all, with as many children as it takes; an error when it was ended by somebody.
    fn all(
        &self,
        variants: &[ComputeVariant],
        watch: &mut Watch<'_>,
    ) -> std::result::Result<Prepared, String> {
        let mut tried: Vec<Tried> = Vec::new();
        while tried.len() < variants.len() {
            let before = tried.len();
            let left = self.some(variants, &mut tried, watch)?;
            let why = match left {
                Left::Fell(why) => why,
                Left::Done if tried.len() > before => continue,
                Left::Done => "it ended without an answer".into(),
            };
            if let Some(variant) = variants.get(tried.len()) {
                tried.push(Tried::refused(*variant, why));
            }
        }
        Ok(Prepared { tried })
    }

    /// Has one child try those that are left.
    fn some(
        &self,
        variants: &[ComputeVariant],
        tried: &mut Vec<Tried>,
        watch: &mut Watch<'_>,
    ) -> std::result::Result<Left, String> {
        let rest = variants[tried.len()..].iter().map(ToString::to_string);
        let rest: Vec<String> = rest.collect();
        let mut words = vec![SUBCOMMAND, &self.selector, self.family];
        words.extend(rest.iter().map(String::as_str));
        let child = start(self.program, &words);
        let mut child = child.map_err(|error| format!("it could not be started ({error})"))?;
        let left = self.follow(&mut child, variants, tried, watch);
        // It may hang, or be done already; whether the kill succeeds does not change the answer.
        let _ = child.kill();
        let ended = child.wait();
        match left? {
            Some(left) => Ok(left),
            None => match ended {
                Ok(status) => how_it_ended(status),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    /// Reads a child's lines; none at the end of them.
    fn follow(
        &self,
        child: &mut Child,
        variants: &[ComputeVariant],
        tried: &mut Vec<Tried>,
        watch: &mut Watch<'_>,
    ) -> std::result::Result<Option<Left>, String> {
        let lines = child.stdout.take().map(lines_of);
        let lines = lines.ok_or("its answers cannot be read")?;
        let mut since = Instant::now();
        loop {
            if !watch(tried.len(), variants.len()) {
                return Err("it was stopped".into());
            }
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let told = match serde_json::from_str::<Tried>(&line) {
                        Ok(told) => told,
                        // What is no answer says why there is none. A card that worked before is lost by
                        // what was tried last: that is a verdict, and what was found stays.
                        Err(_) if tried.is_empty() => return Err(line),
                        Err(_) => return Ok(Some(Left::Fell(line))),
                    };
                    if variants.get(tried.len()) != Some(&told.variant) {
                        return Err(format!("it answered out of turn: {line}"));
                    }
                    tried.push(told);
                    since = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) if since.elapsed() > self.limit => {
                    let seconds = self.limit.as_secs();
                    let why = format!("it did not answer within {seconds} seconds");
                    return Ok(Some(Left::Fell(why)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // The output ends a moment before the process does.
                    let end = Instant::now() + Duration::from_secs(5);
                    while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    return Ok(None);
                }
            }
        }
    }
}

fn how_it_ended(status: ExitStatus) -> std::result::Result<Left, String> {
    if ended_from_outside(status) {
        return Err("it was ended before it was done".into());
    }
    Ok(match status.success() {
        true => Left::Done,
        false => Left::Fell(format!("the driver crashed ({status})")),
    })
}

/// A child's lines as they come, read by a thread that ends with them.
fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // A driver that prints without end is cut off, and refused for it.
        for line in BufReader::new(stdout.take(MOST as u64))
            .lines()
            .map_while(std::result::Result::ok)
        {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Tries all variants with a shell script as the program; `$1` to `$3` are subcommand, device
    /// and family, the rest the variants.
    fn tried(script: &str, limit: Duration) -> std::result::Result<Prepared, String> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        let helpers =
            "good() { echo \"{\\\"variant\\\":\\\"$1\\\",\\\"images_per_second\\\":$2}\"; }";
        let text = format!("#!/bin/sh\n{helpers}\n{script}\n");
        std::fs::write(&program, text).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).unwrap();
        let tries = Tries {
            program: &program,
            selector: "vulkan:discrete:0".into(),
            family: "vit",
            limit,
        };
        tries.all(&ComputeVariant::all(false), &mut |_, _| true)
    }

    const LONG: Duration = Duration::from_secs(20);
    const EACH: &str = "shift 3; for v in \"$@\"; do";

    #[test]
    fn each_variant_has_its_line_and_the_fastest_is_best() {
        let script = format!("{EACH} case $v in *bytes) good $v 200;; *) good $v 100;; esac; done");
        let found = tried(&script, LONG).unwrap();
        assert_eq!(found.tried.len(), 4);
        let best = found.best().unwrap();
        assert_eq!(best.to_string(), "f32-decomposed-bytes");
    }

    #[test]
    fn one_that_crashes_or_hangs_is_refused_and_the_rest_is_tried() {
        for (fall, limit, told) in [
            ("kill -SEGV $$", LONG, "crashed"),
            ("exec sleep 20", Duration::from_secs(3), "did not answer"),
            ("exit 0", LONG, "without an answer"),
        ] {
            let script =
                format!("{EACH} case $v in f32-*-bytes) {fall};; *) good $v 100;; esac; done");
            let found = tried(&script, limit).unwrap();
            let refused: Vec<_> = found.tried.iter().map(|t| t.refused.clone()).collect();
            let why = refused[1].clone().unwrap();
            assert!(why.contains(told), "{why}");
            assert!(refused[0].is_none() && refused[2].is_none() && refused[3].is_none());
            assert_eq!(found.best(), Some(ComputeVariant::PLAIN));
        }
    }

    #[test]
    fn a_card_that_stays_lost_keeps_what_was_found_before() {
        let script =
            "case $# in 7) good $4 100; kill -SEGV $$;; *) echo the card is gone; exit 1;; esac";
        let found = tried(script, LONG).unwrap();
        assert_eq!(found.best(), Some(ComputeVariant::PLAIN));
        let refused = found.tried.iter().skip(1);
        let refused: Vec<_> = refused.filter_map(|tried| tried.refused.clone()).collect();
        assert!(refused[0].contains("crashed"), "{refused:?}");
        assert_eq!(refused[1..], ["the card is gone", "the card is gone"]);
    }

    #[test]
    fn what_says_nothing_of_the_card_is_no_verdict() {
        let ended = tried("kill -TERM $$", LONG).unwrap_err();
        assert!(ended.contains("ended before"), "{ended}");
        let refused = tried("echo the device cannot be opened; exit 1", LONG).unwrap_err();
        assert!(refused.contains("cannot be opened"), "{refused}");
        let other = tried("good f16-fused-bytes 1", LONG).unwrap_err();
        assert!(other.contains("out of turn"), "{other}");
    }
}
