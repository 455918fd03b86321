//! Protection against servers: files without end, hanging connections, unencrypted connections.

use std::time::{Duration, Instant};

use crate::message;
use crate::problem::Problem;

/// Maximum number of bytes of a file whose length is not known in advance.
pub(super) const MAX_BYTES: u64 = 64 << 30;
/// Time in which at least [`MIN_BYTES`] bytes must arrive.
pub(super) const STALL_TIME: Duration = Duration::from_secs(120);
/// Minimum number of bytes per [`STALL_TIME`], that is 1 kB per second.
pub(super) const MIN_BYTES: u64 = 120 << 10;

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
pub(super) fn requires_https(url: &str) -> bool {
    let is_plain_allowed = url.starts_with("http://") && (is_local(url) || is_on_mirror(url));
    !is_plain_allowed
}

/// Returns whether a file comes from the mirror that the user set in `HF_ENDPOINT`, which may be unencrypted.
fn is_on_mirror(url: &str) -> bool {
    std::env::var("HF_ENDPOINT").is_ok_and(|mirror| is_below(url, mirror.trim()))
}

/// Returns whether an unencrypted address has the host and port of `root`, and a path that begins with that of
/// `root`.
pub(super) fn is_below(url: &str, root: &str) -> bool {
    let parts = |url: &str| {
        let rest = url.strip_prefix("http://")?;
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let segments: Vec<String> = segments.map(ToString::to_string).collect();
        (!host.is_empty()).then(|| (host.to_ascii_lowercase(), segments))
    };
    match (parts(url), parts(root)) {
        (Some((host, path)), Some((root_host, root))) => {
            host == root_host && path.starts_with(&root)
        }
        _ => false,
    }
}

/// Detects a connection that hangs.
pub(super) struct StallDetector {
    since: Instant,
    length: u64,
}

impl StallDetector {
    pub fn new(length: u64) -> Self {
        Self { since: Instant::now(), length }
    }

    /// Checks once per `interval` whether too few bytes have arrived since the last check.
    pub fn is_stalled(&mut self, length: u64, interval: Duration) -> bool {
        if self.since.elapsed() < interval {
            return false;
        }
        let is_slow = length < self.length + MIN_BYTES;
        *self = Self::new(length);
        is_slow
    }
}

pub(super) fn too_large(url: &str, max_bytes: u64) -> Problem {
    Problem::new(message!("problem-download-too-large", most = max_bytes.to_string()))
        .at(url)
        .advise(message!("advice-download-file-manually"))
}
