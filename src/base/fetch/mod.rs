//! Download of one file: resumable, verified, polite about failures.
//!
//! Weights of backbones and published data sets come through here. The bytes go to `NAME.part` beside the
//! target, with the server's tag in `NAME.part.tag`; a later call asks for the rest of the same
//! version (`Range`, `If-Range`). Only a file whose length and SHA-256 are right gets its final name,
//! by a rename, so a half file is never mistaken for a whole one. A proxy is taken from the usual
//! environment variables (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).

mod limits;
mod part;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use limits::{MOST_BYTES, STALL, Stall, is_local, must_be_encrypted, too_long};
use part::Part;
use sha2::{Digest, Sha256};

use crate::files;
use crate::message;
use crate::problem::{Problem, Result};

/// How often a broken connection is restored before it becomes a `Problem`.
const ATTEMPTS: usize = 5;
/// A connection that broke after fewer bytes than this brought nothing: it counts as a failure like
/// one that brought none.
const SOMETHING: u64 = 1 << 20;
/// Longest pause before a server that is busy is asked again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Shortest time between two calls of the progress function.
const TICK: Duration = Duration::from_millis(100);

/// Address of the model hub unless `HF_ENDPOINT` names another.
pub const HUB: &str = "https://huggingface.co";

/// How a Problem about a wrong hash begins.
pub const OTHER_FILE: &str = "problem-download-hash-mismatch";

/// How far a download is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadProgress {
    /// Bytes on disk, those of an earlier, cut download included.
    pub done: u64,
    /// Bytes of the whole file, if the server or the caller knows.
    pub total: Option<u64>,
}

/// A finished, verified file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Its place.
    pub path: PathBuf,
    /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

/// Brings the file at `url` to `to`, resuming where an earlier call was interrupted.
///
/// A file that is already there and fits what is expected is returned without any connection.
/// `progress` is called about ten times a second and stops the download by returning false; what has
/// arrived is kept for the next call.
///
/// # Errors
/// No connection, an address that does not exist, a refused request, a full disk, a wrong length or
/// hash (the file is removed then), another program that downloads the same file, or a stop.
pub fn download(
    url: &str,
    to: &Path,
    expected_sha256: Option<&str>,
    expected_size: Option<u64>,
    progress: &mut dyn FnMut(DownloadProgress) -> bool,
) -> Result<Downloaded> {
    let wanted = Wanted {
        sha256: expected_sha256.map(str::to_ascii_lowercase),
        size: expected_size,
    };
    if let Some(there) = already_there(to, &wanted)? {
        return Ok(there);
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| Problem::io("create the download's folder", folder, &error))?;
    }
    let mut part = Part::open(to)?;
    let agent = agent_for(url);
    let mut failures = 0;
    loop {
        let before = part.length;
        match fetch_rest(&agent, url, &mut part, &wanted, progress) {
            Ok(()) => break,
            Err(Cut::Final(problem)) => return Err(problem),
            Err(Cut::Connection(problem)) => {
                // Progress since the last failure means the way is open: count again from 0.
                failures = if part.length > before + SOMETHING {
                    1
                } else {
                    failures + 1
                };
                if failures >= ATTEMPTS || (failures > 1 && part.length == 0) {
                    return Err(problem);
                }
                std::thread::sleep(Duration::from_millis(200 << failures));
            }
            Err(Cut::Busy(problem, asked)) => {
                failures += 1;
                if failures >= ATTEMPTS {
                    return Err(problem);
                }
                let pause = asked.unwrap_or(Duration::from_millis(500 << failures));
                if !paused(pause.min(LONGEST_PAUSE), part.length, progress) {
                    return Err(stopped(url));
                }
            }
        }
    }
    part.finish(to, url, &wanted)
}

/// SHA-256 of a file, as 64 lower-case hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn sha256_of_file(path: &Path) -> Result<String> {
    let mut file = files::open(path).map_err(|error| Problem::io("open the file", path, &error))?;
    let mut hash = Sha256::new();
    hash_rest(&mut file, &mut hash).map_err(|error| Problem::io("read the file", path, &error))?;
    Ok(hex(&hash.finalize()))
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the caller knows of the file.
struct Wanted {
    sha256: Option<String>,
    size: Option<u64>,
}

/// Why a transfer ended early.
enum Cut {
    /// Trying again makes no sense.
    Final(Problem),
    /// The connection failed; the next attempt resumes from here.
    Connection(Problem),
    /// The server is busy; the next attempt follows after the pause that it asked for, if it asked.
    Busy(Problem, Option<Duration>),
}

/// Waits; false if `progress` stopped it.
fn paused(pause: Duration, done: u64, progress: &mut dyn FnMut(DownloadProgress) -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < pause {
        if !progress(DownloadProgress { done, total: None }) {
            return false;
        }
        std::thread::sleep(TICK.min(pause));
    }
    true
}

fn stopped(url: &str) -> Problem {
    Problem::new(message!("problem-download-stopped"))
        .at(url)
        .advise(message!("advice-restart-download"))
}

/// The token of the model hub's user (`HF_TOKEN`), for addresses of the hub or of the mirror in `HF_ENDPOINT`.
fn token_for(url: &str) -> Option<String> {
    let set =
        |key: &str| Some(std::env::var(key).ok()?.trim().to_owned()).filter(|v| !v.is_empty());
    let endpoint = set("HF_ENDPOINT").unwrap_or_else(|| HUB.to_owned());
    let below = url.strip_prefix(endpoint.trim_end_matches('/'))?;
    set("HF_TOKEN").filter(|_| below.starts_with('/'))
}

fn hash_rest(file: &mut File, hash: &mut Sha256) -> std::io::Result<u64> {
    let mut buffer = vec![0; 1 << 18];
    let mut length = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(length);
        }
        hash.update(&buffer[..read]);
        length += read as u64;
    }
}

/// The target, if it is there already and nothing speaks against it.
fn already_there(to: &Path, wanted: &Wanted) -> Result<Option<Downloaded>> {
    let Ok(about) = fs::metadata(to) else {
        return Ok(None);
    };
    if about.is_dir() {
        return Err(Problem::new(message!("problem-folder-has-file-name"))
            .at_path(to)
            .advise(message!("advice-remove-or-rename-folder")));
    }
    if wanted.size.is_some_and(|size| size != about.len()) {
        return Ok(None);
    }
    let sha256 = sha256_of_file(to)?;
    let fits = wanted
        .sha256
        .as_ref()
        .is_none_or(|expected| *expected == sha256);
    Ok(fits.then(|| Downloaded {
        path: to.to_path_buf(),
        sha256,
        bytes: about.len(),
    }))
}

fn agent_for(url: &str) -> ureq::Agent {
    let mut config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .accept_encoding("identity")
        // Of redirects as well.
        .https_only(must_be_encrypted(url))
        .user_agent(concat!("lae-studio/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .timeout_per_read(Some(Duration::from_secs(60)));
    if is_local(url) {
        // A proxy cannot reach this machine's own addresses.
        config = config.proxy(None);
    }
    config.build().new_agent()
}

/// One request: everything from `part.length` on, appended to the part.
fn fetch_rest(
    agent: &ureq::Agent,
    url: &str,
    part: &mut Part,
    wanted: &Wanted,
    progress: &mut dyn FnMut(DownloadProgress) -> bool,
) -> Result<(), Cut> {
    let disk = |path: &Path, error: std::io::Error| {
        Cut::Final(Problem::io("write the download", path, &error))
    };
    if part.length > 0 && wanted.size == Some(part.length) {
        return Ok(());
    }
    let tag = part.tag();
    if part.length > 0 && tag.is_none() && wanted.sha256.is_none() {
        // Nothing could tell whether the rest belongs to the same version.
        part.restart().map_err(|error| disk(&part.path, error))?;
    }
    let mut request = agent.get(url);
    if let Some(token) = token_for(url) {
        // Not sent on to other hosts.
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    if part.length > 0 {
        request = request.header("Range", format!("bytes={}-", part.length));
        if let Some(tag) = &tag {
            request = request.header("If-Range", tag);
        }
    }
    let response = request.call().map_err(|error| unreachable(url, error))?;
    match response.status().as_u16() {
        206 if content_start(&response) == Some(part.length) => {}
        // Cut between the last byte and the end of the work: nothing is missing.
        416 if part.length > 0 && whole_length(&response) == Some(part.length) => return Ok(()),
        200 | 206 | 416 if part.length > 0 => {
            part.restart().map_err(|error| disk(&part.path, error))?;
            if response.status().as_u16() != 200 {
                return Err(Cut::Connection(
                    Problem::new(message!("problem-download-not-resumable")).at(url),
                ));
            }
        }
        200 => {}
        status @ (429 | 500 | 502..=504) => {
            let asked = response.headers().get("retry-after");
            let seconds = asked.and_then(|text| text.to_str().ok()?.trim().parse().ok());
            let pause = seconds.map(Duration::from_secs);
            return Err(Cut::Busy(refused(url, status), pause));
        }
        status => return Err(Cut::Final(refused(url, status))),
    }
    let header = |name: &str| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    // A weak tag must not be used with If-Range.
    let tag = header("etag")
        .filter(|tag| !tag.starts_with("W/"))
        .or_else(|| header("last-modified"));
    if let Some(tag) = tag {
        fs::write(&part.tag_path, tag).map_err(|error| disk(&part.tag_path, error))?;
    }
    let coming = header("content-length").and_then(|text| text.parse::<u64>().ok());
    let total = coming.map(|rest| rest.saturating_add(part.length));
    let most = wanted.size.unwrap_or(MOST_BYTES);
    if total.is_some_and(|total| total > most) && wanted.size.is_none() {
        return Err(Cut::Final(too_long(url, most)));
    }
    if let (Some(total), Some(size)) = (total, wanted.size)
        && total != size
    {
        return Err(Cut::Final(
            Problem::new(message!(
                "problem-download-size-mismatch",
                total = total.to_string(),
                size = size.to_string()
            ))
            .at(url)
            .advise(message!("advice-file-changed-since-release")),
        ));
    }
    pump(response, url, part, (total.or(wanted.size), most), progress)
}

/// Reads the body to its end.
fn pump(
    response: ureq::http::Response<ureq::Body>,
    url: &str,
    part: &mut Part,
    (total, most): (Option<u64>, u64),
    progress: &mut dyn FnMut(DownloadProgress) -> bool,
) -> Result<(), Cut> {
    let mut stall = Stall::from(part.length);
    let mut body = response
        .into_body()
        .into_with_config()
        .limit(u64::MAX)
        .reader();
    let mut buffer = vec![0; 1 << 17];
    let mut last: Option<Instant> = None;
    loop {
        if last.is_none_or(|last| last.elapsed() >= TICK) {
            last = Some(Instant::now());
            let done = part.length;
            if !progress(DownloadProgress { done, total }) {
                return Err(Cut::Final(stopped(url)));
            }
        }
        let read = body
            .read(&mut buffer)
            .map_err(|error| broken(url, &error.to_string()))?;
        if read == 0 {
            break;
        }
        if part.length + read as u64 > most {
            return Err(Cut::Final(too_long(url, most)));
        }
        if stall.hangs(part.length, STALL) {
            return Err(broken(url, "almost no data was received for two minutes"));
        }
        part.append(&buffer[..read])
            .map_err(|error| Cut::Final(Problem::io("write the download", &part.path, &error)))?;
    }
    if total.is_some_and(|total| part.length < total) {
        return Err(broken(url, "the file ended too early"));
    }
    let done = part.length;
    progress(DownloadProgress {
        done,
        total: Some(done),
    });
    Ok(())
}

/// First byte of a partial answer, from `Content-Range: bytes 5-9/10`.
fn content_start(response: &ureq::http::Response<ureq::Body>) -> Option<u64> {
    let text = response.headers().get("content-range")?.to_str().ok()?;
    let range = text.trim().strip_prefix("bytes")?.trim();
    range.split('-').next()?.trim().parse().ok()
}

/// The length of the whole file, as a refused range says it: `bytes */N`.
fn whole_length(response: &ureq::http::Response<ureq::Body>) -> Option<u64> {
    let text = response.headers().get("content-range")?.to_str().ok()?;
    text.rsplit_once("*/")?.1.trim().parse().ok()
}

fn broken(url: &str, detail: &str) -> Cut {
    Cut::Connection(
        Problem::new(message!(
            "problem-download-connection-lost",
            detail = detail.to_string()
        ))
        .at(url)
        .advise(message!("advice-restart-download")),
    )
}

fn unreachable(url: &str, error: ureq::Error) -> Cut {
    use ureq::Error;
    match error {
        Error::BadUri(detail) => Cut::Final(
            Problem::new(message!(
                "problem-file-address-invalid",
                detail = detail.to_string()
            ))
            .at(url),
        ),
        Error::RequireHttpsOnly(to) => Cut::Final(
            Problem::new(message!(
                "problem-address-unencrypted-redirect",
                to = to.to_string()
            ))
            .at(url)
            .advise(message!("advice-use-https-address")),
        ),
        Error::HostNotFound => Cut::Connection(offline(url, "the host name could not be resolved")),
        Error::ConnectionFailed | Error::Timeout(_) => {
            Cut::Connection(offline(url, "the server is not responding"))
        }
        Error::ConnectProxyFailed(detail) => Cut::Final(
            Problem::new(message!(
                "problem-proxy-refused",
                detail = detail.to_string()
            ))
            .at(url)
            .advise(message!("advice-check-proxy-variables")),
        ),
        other => Cut::Connection(offline(url, &other.to_string())),
    }
}

fn offline(url: &str, detail: &str) -> Problem {
    Problem::new(message!(
        "problem-server-unreachable",
        detail = detail.to_string()
    ))
    .at(url)
    .advise(message!("advice-check-internet-connection"))
}

fn refused(url: &str, status: u16) -> Problem {
    let (what, remedy) = match status {
        404 | 410 => (
            "problem-address-without-file",
            "advice-find-on-project-page",
        ),
        401 | 403 => ("problem-server-denied-access", "advice-accept-licence"),
        429 => ("problem-too-many-requests", "advice-retry-in-minutes"),
        500..=599 => ("problem-server-error", "advice-retry-later"),
        _ => ("problem-server-response-unexpected", "advice-check-address"),
    };
    Problem::new(message!(what, status = status.to_string()))
        .at(url)
        .advise(message!(remedy))
}

#[cfg(test)]
mod tests;
