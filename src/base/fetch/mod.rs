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

use limits::{MOST_BYTES, STALL, Stall, is_local, must_be_encrypted, too_long};
use part::Part;
use sha2::{Digest, Sha256};

use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Message;

/// Number of attempts after a broken connection before a `Problem` is returned.
const ATTEMPTS: usize = 5;
/// A connection that breaks after fewer bytes counts as a failure.
const SOMETHING: u64 = 1 << 20;
/// Maximum pause before a busy server is asked again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Shortest time between two calls of the progress function.
const TICK: Duration = Duration::from_millis(100);

/// Address of the model hub, unless `HF_ENDPOINT` names another.
pub const HUB: &str = "https://huggingface.co";

/// Id of the message about a wrong hash.
pub const OTHER_FILE: &str = "problem-download-hash-mismatch";

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
    let wanted = ExpectedFile {
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
                // Progress since the last failure means that the connection works, so the count starts again.
                failures = match part.length > before + SOMETHING {
                    true => 1,
                    false => failures + 1,
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

/// What the caller expects of the file.
struct ExpectedFile {
    sha256: Option<String>,
    size: Option<u64>,
}

/// The reason why a transfer ended early.
enum Cut {
    /// A failure that a retry cannot solve.
    Final(Problem),
    /// The connection failed; the next attempt resumes at this position.
    Connection(Problem),
    /// The server is busy; the next attempt follows after the pause that it requested, if any.
    Busy(Problem, Option<Duration>),
}

/// Waits; returns false if `progress` stopped it.
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

/// Returns the user's token for the model hub (`HF_TOKEN`), for addresses of the hub or of the mirror in
/// `HF_ENDPOINT`.
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

/// Returns the target, if it exists and has the expected size and hash.
fn already_there(to: &Path, wanted: &ExpectedFile) -> Result<Option<Downloaded>> {
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
    let expected = wanted.sha256.as_ref();
    let fits = expected.is_none_or(|expected| *expected == sha256);
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
        // Applies to redirects, too.
        .https_only(must_be_encrypted(url))
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
fn fetch_rest(
    agent: &ureq::Agent,
    url: &str,
    part: &mut Part,
    wanted: &ExpectedFile,
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
        // Without tag and hash, it is unknown whether the rest belongs to the same version.
        part.restart().map_err(|error| disk(&part.path, error))?;
    }
    let mut request = agent.get(url);
    if let Some(token) = token_for(url) {
        // The client does not send the token to other hosts.
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
        // The download ended after the last byte but before the file was finished; nothing is missing.
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

/// Reads the response body to its end.
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

/// Returns the first byte of a partial response, from `Content-Range: bytes 5-9/10`.
fn content_start(response: &ureq::http::Response<ureq::Body>) -> Option<u64> {
    let text = response.headers().get("content-range")?.to_str().ok()?;
    let range = text.trim().strip_prefix("bytes")?.trim();
    range.split('-').next()?.trim().parse().ok()
}

/// Returns the length of the whole file from the refusal of a range: `bytes */N`.
fn whole_length(response: &ureq::http::Response<ureq::Body>) -> Option<u64> {
    let text = response.headers().get("content-range")?.to_str().ok()?;
    text.rsplit_once("*/")?.1.trim().parse().ok()
}

fn broken(url: &str, detail: &str) -> Cut {
    Cut::Connection(
        Problem::new(message!("problem-download-connection-lost", detail))
            .at(url)
            .advise(message!("advice-restart-download")),
    )
}

fn unreachable(url: &str, error: ureq::Error) -> Cut {
    use ureq::Error;
    let problem = |what: Message| Problem::new(what).at(url);
    let detail: String = match error {
        Error::BadUri(detail) => {
            return Cut::Final(problem(message!("problem-file-address-invalid", detail)));
        }
        Error::RequireHttpsOnly(to) => {
            let problem = problem(message!("problem-address-unencrypted-redirect", to));
            return Cut::Final(problem.advise(message!("advice-use-https-address")));
        }
        Error::ConnectProxyFailed(detail) => {
            let problem = problem(message!("problem-proxy-refused", detail));
            return Cut::Final(problem.advise(message!("advice-check-proxy-variables")));
        }
        Error::HostNotFound => "the host name could not be resolved".into(),
        Error::ConnectionFailed | Error::Timeout(_) => "the server is not responding".into(),
        other => other.to_string(),
    };
    let problem = problem(message!("problem-server-unreachable", detail));
    Cut::Connection(problem.advise(message!("advice-check-internet-connection")))
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
