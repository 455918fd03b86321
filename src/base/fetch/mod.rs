//! Downloads a file: the download can be resumed, is verified, and handles failures of the server.
//!
//! Used for weights of backbones and published datasets. The bytes are written to `NAME.part` next to the target,
//! with the server's ETag in `NAME.part.tag`; a later call requests the rest of the same version (`Range`,
//! `If-Range`). Only a file with the right length and SHA-256 is renamed to its final name, so an incomplete file is
//! never used. A proxy is read from the usual environment variables (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`,
//! `NO_PROXY`).

mod limits;
mod part;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use limits::{MAX_BYTES, STALL_TIME, StallDetector, is_local, requires_https, too_large};
use part::PartialFile;
use sha2::{Digest, Sha256};

use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Message;

/// Number of attempts after a broken connection before a `Problem` is returned.
const ATTEMPTS: usize = 5;
/// A connection that breaks after fewer bytes counts as a failure.
const MIN_PROGRESS_BYTES: u64 = 1 << 20;
/// Maximum pause before a busy server is asked again.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Shortest time between two calls of the progress function.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Address of the model hub, unless `HF_ENDPOINT` names another.
pub const HUB: &str = "https://huggingface.co";

/// Id of the message about a wrong hash.
pub const HASH_MISMATCH_ID: &str = "problem-download-hash-mismatch";

/// Progress of a download in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadProgress {
    /// Bytes on disk, including those of an earlier, interrupted download.
    pub done: u64,
    /// Size of the whole file, if it is known.
    pub total: Option<u64>,
}

/// A downloaded and verified file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Its path.
    pub path: PathBuf,
    /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// Downloads the file at `url` to `to`, and resumes an interrupted download.
///
/// Returns an existing file that has the expected size and hash without a connection. `progress` is called about ten
/// times per second and stops the download by returning false; the received bytes are kept for the next call.
///
/// # Errors
/// Returns a Problem if there is no connection, the address does not exist, the request is refused, the disk is full,
/// length or hash are wrong (the file is then removed), another program downloads the same file, or `progress`
/// stopped it.
pub fn download(
    url: &str,
    to: &Path,
    expected_sha256: Option<&str>,
    expected_size: Option<u64>,
    progress: &mut dyn FnMut(DownloadProgress) -> bool,
) -> Result<Downloaded> {
    let expected_file =
        ExpectedFile { sha256: expected_sha256.map(str::to_ascii_lowercase), size: expected_size };
    if let Some(existing) = find_existing(to, &expected_file)? {
        return Ok(existing);
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| Problem::io("create the download's folder", folder, &error))?;
    }
    let mut part = PartialFile::open(to)?;
    let agent = agent_for(url);
    let mut failures = 0;
    loop {
        let length_before = part.length;
        match download_rest(&agent, url, &mut part, &expected_file, progress) {
            Ok(()) => break,
            Err(TransferError::Final(problem)) => return Err(problem),
            Err(TransferError::Connection(problem)) => {
                // Progress since the last failure means that the connection works, so the count starts again.
                failures = match part.length > length_before + MIN_PROGRESS_BYTES {
                    true => 1,
                    false => failures + 1,
                };
                if failures >= ATTEMPTS || (failures > 1 && part.length == 0) {
                    return Err(problem);
                }
                std::thread::sleep(Duration::from_millis(200 << failures));
            }
            Err(TransferError::Busy(problem, retry_after)) => {
                failures += 1;
                if failures >= ATTEMPTS {
                    return Err(problem);
                }
                let pause = retry_after.unwrap_or(Duration::from_millis(500 << failures));
                if !wait(pause.min(MAX_PAUSE), part.length, progress) {
                    return Err(stopped(url));
                }
            }
        }
    }
    part.finish(to, url, &expected_file)
}

/// Returns the SHA-256 of a file as 64 lower-case hexadecimal digits.
///
/// # Errors
/// Returns a Problem if the file cannot be read.
pub fn sha256_of_file(path: &Path) -> Result<String> {
    let mut file = files::open(path).map_err(|error| Problem::io("open the file", path, &error))?;
    let mut hash = Sha256::new();
    hash_rest(&mut file, &mut hash).map_err(|error| Problem::io("read the file", path, &error))?;
    Ok(hex(&hash.finalize()))
}

/// Returns bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether a text is a SHA-256: 64 hexadecimal digits, lower or upper case.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What the caller expects of the file.
struct ExpectedFile {
    sha256: Option<String>,
    size: Option<u64>,
}

/// The reason why a transfer ended early.
enum TransferError {
    /// A failure that a retry cannot solve.
    Final(Problem),
    /// The connection failed; the next attempt resumes at this position.
    Connection(Problem),
    /// The server is busy; the next attempt follows after the pause that it requested, if any.
    Busy(Problem, Option<Duration>),
}

/// Waits; returns false if `progress` stopped it.
fn wait(pause: Duration, done: u64, progress: &mut dyn FnMut(DownloadProgress) -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < pause {
        if !progress(DownloadProgress { done, total: None }) {
            return false;
        }
        std::thread::sleep(PROGRESS_INTERVAL.min(pause));
    }
    true
}

fn stopped(url: &str) -> Problem {
    Problem::new(message!("problem-download-stopped"))
        .at(url)
        .advise(message!("advice-restart-download"))
}

/// Returns the user's token for the model hub (`HF_TOKEN`), for addresses of the hub or of the mirror in
/// `HF_ENDPOINT`.
fn hub_token(url: &str) -> Option<String> {
    let env_value =
        |key: &str| Some(std::env::var(key).ok()?.trim().to_owned()).filter(|v| !v.is_empty());
    let endpoint = env_value("HF_ENDPOINT").unwrap_or_else(|| HUB.to_owned());
    let path = url.strip_prefix(endpoint.trim_end_matches('/'))?;
    env_value("HF_TOKEN").filter(|_| path.starts_with('/'))
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

/// Returns the target, if it exists and has the expected size and hash.
fn find_existing(to: &Path, expected_file: &ExpectedFile) -> Result<Option<Downloaded>> {
    let Ok(metadata) = fs::metadata(to) else {
        return Ok(None);
    };
    if metadata.is_dir() {
        return Err(Problem::new(message!("problem-folder-has-file-name"))
            .at_path(to)
            .advise(message!("advice-remove-or-rename-folder")));
    }
    if expected_file.size.is_some_and(|size| size != metadata.len()) {
        return Ok(None);
    }
    let sha256 = sha256_of_file(to)?;
    let expected = expected_file.sha256.as_ref();
    let matches = expected.is_none_or(|expected| *expected == sha256);
    Ok(matches.then(|| Downloaded { path: to.to_path_buf(), sha256, bytes: metadata.len() }))
}

fn agent_for(url: &str) -> ureq::Agent {
    let mut config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .accept_encoding("identity")
        // Applies to redirects, too.
        .https_only(requires_https(url))
        .user_agent(concat!("lae-studio/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .timeout_per_read(Some(Duration::from_secs(60)));
    if is_local(url) {
        // A proxy cannot reach the addresses of this computer.
        config = config.proxy(None);
    }
    config.build().new_agent()
}

/// Sends one request and appends everything from `part.length` on to the part.
fn download_rest(
    agent: &ureq::Agent,
    url: &str,
    part: &mut PartialFile,
    expected_file: &ExpectedFile,
    progress: &mut dyn FnMut(DownloadProgress) -> bool,
) -> Result<(), TransferError> {
    let disk_error = |path: &Path, error: std::io::Error| {
        TransferError::Final(Problem::io("write the download", path, &error))
    };
    if part.length > 0 && expected_file.size == Some(part.length) {
        return Ok(());
    }
    let tag = part.tag();
    if part.length > 0 && tag.is_none() && expected_file.sha256.is_none() {
        // Without tag and hash, it is unknown whether the rest belongs to the same version.
        part.restart().map_err(|error| disk_error(&part.path, error))?;
    }
    let mut request = agent.get(url);
    if let Some(token) = hub_token(url) {
        // The client does not send the token to other hosts.
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    if part.length > 0 {
        request = request.header("Range", format!("bytes={}-", part.length));
        if let Some(tag) = &tag {
            request = request.header("If-Range", tag);
        }
    }
    let response = request.call().map_err(|error| request_failed(url, error))?;
    let header = |name: &str| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let content_range = header("content-range").unwrap_or_default();
    match response.status().as_u16() {
        206 if content_start(&content_range) == Some(part.length) => {}
        // The download ended after the last byte but before the file was finished; nothing is missing.
        416 if part.length > 0 && total_length(&content_range) == Some(part.length) => {
            return Ok(());
        }
        200 | 206 | 416 if part.length > 0 => {
            part.restart().map_err(|error| disk_error(&part.path, error))?;
            if response.status().as_u16() != 200 {
                return Err(TransferError::Connection(
                    Problem::new(message!("problem-download-not-resumable")).at(url),
                ));
            }
        }
        200 => {}
        status @ (429 | 500 | 502..=504) => {
            let seconds = header("retry-after").and_then(|text| text.trim().parse().ok());
            let pause = seconds.map(Duration::from_secs);
            return Err(TransferError::Busy(status_problem(url, status), pause));
        }
        status => return Err(TransferError::Final(status_problem(url, status))),
    }
    // A weak tag must not be used with If-Range.
    let tag =
        header("etag").filter(|tag| !tag.starts_with("W/")).or_else(|| header("last-modified"));
    if let Some(tag) = tag {
        fs::write(&part.tag_path, tag).map_err(|error| disk_error(&part.tag_path, error))?;
    }
    let content_length = header("content-length").and_then(|text| text.parse::<u64>().ok());
    let total = content_length.map(|remaining| remaining.saturating_add(part.length));
    let max_bytes = expected_file.size.unwrap_or(MAX_BYTES);
    if total.is_some_and(|total| total > max_bytes) && expected_file.size.is_none() {
        return Err(TransferError::Final(too_large(url, max_bytes)));
    }
    if let (Some(total), Some(size)) = (total, expected_file.size)
        && total != size
    {
        return Err(TransferError::Final(
            Problem::new(message!(
                "problem-download-size-mismatch",
                total = total.to_string(),
                size = size.to_string()
            ))
            .at(url)
            .advise(message!("advice-file-changed-since-release")),
        ));
    }
    receive_body(response, url, part, (total.or(expected_file.size), max_bytes), progress)
}

/// Reads the response body to its end.
fn receive_body(
    response: ureq::http::Response<ureq::Body>,
    url: &str,
    part: &mut PartialFile,
    (total, max_bytes): (Option<u64>, u64),
    progress: &mut dyn FnMut(DownloadProgress) -> bool,
) -> Result<(), TransferError> {
    let mut stall = StallDetector::new(part.length);
    let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
    let mut buffer = vec![0; 1 << 17];
    let mut last: Option<Instant> = None;
    loop {
        if last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            last = Some(Instant::now());
            let done = part.length;
            if !progress(DownloadProgress { done, total }) {
                return Err(TransferError::Final(stopped(url)));
            }
        }
        let count =
            body.read(&mut buffer).map_err(|error| connection_lost(url, &error.to_string()))?;
        if count == 0 {
            break;
        }
        if part.length + count as u64 > max_bytes {
            return Err(TransferError::Final(too_large(url, max_bytes)));
        }
        if stall.is_stalled(part.length, STALL_TIME) {
            return Err(connection_lost(url, "almost no data was received for two minutes"));
        }
        part.append(&buffer[..count]).map_err(|error| {
            TransferError::Final(Problem::io("write the download", &part.path, &error))
        })?;
    }
    if total.is_some_and(|total| part.length < total) {
        return Err(connection_lost(url, "the file ended too early"));
    }
    let done = part.length;
    progress(DownloadProgress { done, total: Some(done) });
    Ok(())
}

/// Returns the first byte of a partial response, from its `Content-Range`: `bytes 5-9/10`.
fn content_start(content_range: &str) -> Option<u64> {
    let range = content_range.trim().strip_prefix("bytes")?.trim();
    range.split('-').next()?.trim().parse().ok()
}

/// Returns the length of the whole file, from the `Content-Range` of a refused range: `bytes */N`.
fn total_length(content_range: &str) -> Option<u64> {
    content_range.rsplit_once("*/")?.1.trim().parse().ok()
}

fn connection_lost(url: &str, detail: &str) -> TransferError {
    TransferError::Connection(
        Problem::new(message!("problem-download-connection-lost", detail))
            .at(url)
            .advise(message!("advice-restart-download")),
    )
}

fn request_failed(url: &str, error: ureq::Error) -> TransferError {
    use ureq::Error;
    let problem = |what: Message| Problem::new(what).at(url);
    let detail: String = match error {
        Error::BadUri(detail) => {
            return TransferError::Final(problem(message!("problem-file-address-invalid", detail)));
        }
        Error::RequireHttpsOnly(to) => {
            let problem = problem(message!("problem-address-unencrypted-redirect", to));
            return TransferError::Final(problem.advise(message!("advice-use-https-address")));
        }
        Error::ConnectProxyFailed(detail) => {
            let problem = problem(message!("problem-proxy-refused", detail));
            return TransferError::Final(problem.advise(message!("advice-check-proxy-variables")));
        }
        Error::HostNotFound => "the host name could not be resolved".into(),
        Error::ConnectionFailed | Error::Timeout(_) => "the server is not responding".into(),
        other => other.to_string(),
    };
    let problem = problem(message!("problem-server-unreachable", detail));
    TransferError::Connection(problem.advise(message!("advice-check-internet-connection")))
}

fn status_problem(url: &str, status: u16) -> Problem {
    let (what, remedy) = match status {
        404 | 410 => ("problem-address-without-file", "advice-find-on-project-page"),
        401 | 403 => ("problem-server-denied-access", "advice-accept-licence"),
        429 => ("problem-too-many-requests", "advice-retry-in-minutes"),
        500..=599 => ("problem-server-error", "advice-retry-later"),
        _ => ("problem-server-response-unexpected", "advice-check-address"),
    };
    Problem::new(message!(what, status = status.to_string())).at(url).advise(message!(remedy))
}

#[cfg(test)]
mod tests;
