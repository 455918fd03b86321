//! What is not taken from a server: files without end, connections that hang, unencrypted ones.

use std::time::{Duration, Instant};

use crate::message;
use crate::problem::Problem;

/// Most bytes of a file whose length nobody knows beforehand.
pub(super) const MOST_BYTES: u64 = 64 << 30;
/// In this time at least [`LEAST`] bytes have to come.
pub(super) const STALL: Duration = Duration::from_secs(120);
/// Less in [`STALL`] is a connection that hangs: 1 kB a second.
pub(super) const LEAST: u64 = 120 << 10;

/// Whether an address is one of this computer's own.
pub(super) fn is_local(url: &str) -> bool {
    let host = url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    // The part before an @ does not belong to the host.
    let host = host.rsplit('@').next().unwrap_or_default();
    let name = match host.strip_prefix("[::1]") {
        Some(port) => return port.is_empty() || port.starts_with(':'),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<std::net::Ipv4Addr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Whether neither this address nor one that it sends on to may do without encryption. What begins
/// encrypted stays so, of a mirror as well.
pub(super) fn must_be_encrypted(url: &str) -> bool {
    let plain = url.starts_with("http://") && (is_local(url) || is_of_mirror(url));
    !plain
}

/// Whether a file comes from the mirror that this person set up, which may do without encryption.
fn is_of_mirror(url: &str) -> bool {
    std::env::var("HF_ENDPOINT").is_ok_and(|mirror| lies_below(url, mirror.trim()))
}

/// Whether an unencrypted address has the host and port of another, and its path as the beginning of
/// its own.
pub(super) fn lies_below(url: &str, root: &str) -> bool {
    let parts = |url: &str| {
        let rest = url.strip_prefix("http://")?;
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let segments: Vec<String> = segments.map(ToString::to_string).collect();
        (!host.is_empty()).then(|| (host.to_ascii_lowercase(), segments))
    };
    match (parts(url), parts(root)) {
        (Some((host, path)), Some((wanted, root))) => host == wanted && path.starts_with(&root),
        _ => false,
    }
}

/// Whether anything worth the name still comes.
pub(super) struct Stall {
    since: Instant,
    length: u64,
}

impl Stall {
    pub fn from(length: u64) -> Self {
        Self {
            since: Instant::now(),
            length,
        }
    }

    /// Looks once in every `time` whether enough has come since the last look.
    pub fn hangs(&mut self, length: u64, time: Duration) -> bool {
        if self.since.elapsed() < time {
            return false;
        }
        let little = length < self.length + LEAST;
        *self = Self::from(length);
        little
    }
}

pub(super) fn too_long(url: &str, most: u64) -> Problem {
    Problem::new(message!(
        "problem-download-too-large",
        most = most.to_string()
    ))
    .at(url)
    .advise(message!("advice-download-file-manually"))
}
