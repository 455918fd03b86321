//! Protection against servers: files without end, hanging connections, unencrypted connections.

use std::time::{Duration, Instant};

use crate::message;
use crate::problem::Problem;

/// Maximum number of bytes of a file whose length is not known in advance.
pub(super) const MOST_BYTES: u64 = 64 << 30;
/// Time in which at least [`LEAST`] bytes must arrive.
pub(super) const STALL: Duration = Duration::from_secs(120);
/// Minimum number of bytes per [`STALL`], that is 1 kB per second.
pub(super) const LEAST: u64 = 120 << 10;

/// Returns whether an address is on this computer.
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

/// Returns whether this address, and those that it redirects to, must be encrypted. Only local addresses and the
/// user's mirror may be unencrypted; an encrypted connection always stays encrypted.
pub(super) fn must_be_encrypted(url: &str) -> bool {
    let plain = url.starts_with("http://") && (is_local(url) || is_of_mirror(url));
    !plain
}

/// Returns whether a file comes from the mirror that the user set in `HF_ENDPOINT`, which may be unencrypted.
fn is_of_mirror(url: &str) -> bool {
    std::env::var("HF_ENDPOINT").is_ok_and(|mirror| lies_below(url, mirror.trim()))
}

/// Returns whether an unencrypted address has the host and port of `root`, and a path that begins with that of
/// `root`.
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

/// Detects a connection that hangs.
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

    /// Checks once per `time` whether too few bytes have arrived since the last check.
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
