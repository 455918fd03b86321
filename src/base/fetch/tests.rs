//! Tests against a loopback server.

use crate::tr;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use std::io::Write;

use super::limits::{MIN_BYTES, is_below};
use super::*;

/// How the loopback server responds.
#[derive(Clone, Default)]
struct Behaviour {
    status: Option<u16>,
    /// Bytes of the body after which the first connection is cut.
    cut_first: Option<usize>,
    no_ranges: bool,
    /// Number of first requests that get this status with a retry time of zero.
    busy: Option<(usize, u16)>,
}

struct Server {
    url: String,
    requests: Arc<Mutex<Vec<Option<u64>>>>,
}

fn serve(body: Vec<u8>, behaviour: Behaviour) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/file.bin", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&requests);
    std::thread::spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let cut = behaviour.cut_first.filter(|_| count == 0);
            let mut behaviour = behaviour.clone();
            if let Some((_, status)) = behaviour.busy.filter(|(times, _)| count < *times) {
                behaviour.status = Some(status);
            }
            let _ = respond(stream.unwrap(), &body, &behaviour, cut, &log);
        }
    });
    Server { url, requests }
}

fn respond(
    mut stream: TcpStream,
    body: &[u8],
    behaviour: &Behaviour,
    cut: Option<usize>,
    log: &Mutex<Vec<Option<u64>>>,
) -> std::io::Result<()> {
    let mut start = None;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?.to_ascii_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            start = range.trim_end_matches('-').parse::<u64>().ok();
        }
        if line.is_empty() {
            break;
        }
    }
    log.lock().unwrap().push(start);
    let from = if behaviour.no_ranges { 0 } else { start.unwrap_or(0) as usize };
    let status = behaviour.status.unwrap_or(if from > 0 { 206 } else { 200 });
    let rest = &body[from..];
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nETag: \"v1\"\r\nConnection: close\r\n",
        rest.len()
    )?;
    if behaviour.busy.is_some() {
        stream.write_all(b"Retry-After: 0\r\n")?;
    }
    if status == 206 {
        write!(stream, "Content-Range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len())?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&rest[..cut.unwrap_or(rest.len()).min(rest.len())])
}

fn target() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("file.bin");
    (folder, to)
}

fn body() -> Vec<u8> {
    (0..300_000_u32).map(|i| (i * 7 % 251) as u8).collect()
}

fn sha(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[test]
fn downloads_file_once_and_reuses_it() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("deep/er/file.bin");
    let server = serve(body(), Behaviour::default());
    let sum = sha(&body());
    let mut seen = Vec::new();
    let downloaded = download(&server.url, &to, Some(&sum), Some(300_000), &mut |p| {
        seen.push(p.done);
        true
    })
    .unwrap();
    assert_eq!((downloaded.bytes, downloaded.sha256.as_str()), (300_000, sum.as_str()));
    assert_eq!(fs::read(&to).unwrap(), body());
    assert_eq!(seen.last(), Some(&300_000));
    let again = download(&server.url, &to, Some(&sum), None, &mut |_| true).unwrap();
    assert_eq!(again, downloaded);
    assert_eq!(server.requests.lock().unwrap().len(), 1, "no second request");
    assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn resumes_after_dropped_connection() {
    let (_folder, to) = target();
    let server = serve(body(), Behaviour { cut_first: Some(100_000), ..Behaviour::default() });
    download(&server.url, &to, None, None, &mut |_| true).unwrap();
    assert_eq!(fs::read(&to).unwrap(), body());
    let requests = server.requests.lock().unwrap().clone();
    assert_eq!(requests[0], None);
    assert_eq!(requests[1], Some(100_000));
}

#[test]
fn resumes_stopped_download_or_restarts_without_ranges() {
    for no_ranges in [false, true] {
        let (folder, to) = target();
        let server = serve(body(), Behaviour { no_ranges, ..Behaviour::default() });
        let part = folder.path().join("file.bin.part");
        fs::write(&part, &body()[..5_000]).unwrap();
        fs::write(folder.path().join("file.bin.part.tag"), "\"v1\"").unwrap();
        let stopped = download(&server.url, &to, None, None, &mut |_| false).unwrap_err();
        assert!(stopped.is("problem-download-stopped"), "{stopped}");
        assert!(!to.exists());
        let done = download(&server.url, &to, None, None, &mut |_| true).unwrap();
        assert_eq!(done.sha256, sha(&body()));
    }
}

#[test]
fn wrong_hash_or_length_leaves_no_file() {
    let (_folder, to) = target();
    let server = serve(body(), Behaviour::default());
    let wrong = "0".repeat(64);
    let problem = download(&server.url, &to, Some(&wrong), None, &mut |_| true).unwrap_err();
    assert!(problem.is("problem-download-hash-mismatch"), "{problem}");
    assert!(!problem.remedy.is_empty());
    let problem = download(&server.url, &to, None, Some(7), &mut |_| true).unwrap_err();
    assert!(
        problem.what == tr!("problem-download-size-mismatch", total = "300000", size = "7"),
        "{problem}"
    );
    assert!(!to.exists());
}

#[test]
fn reports_http_errors_and_unreachable_servers() {
    let (_folder, to) = target();
    for (status, id) in [
        (404, "problem-address-without-file"),
        (403, "problem-server-denied-access"),
        (503, "problem-server-error"),
    ] {
        let server = serve(
            body(),
            Behaviour {
                status: Some(status),
                // Requests to a busy server are repeated without a pause.
                busy: (status == 503).then_some((0, 503)),
                ..Behaviour::default()
            },
        );
        let problem = download(&server.url, &to, None, None, &mut |_| true).unwrap_err();
        assert!(problem.is(id), "{problem}");
        let expected = if status == 503 { ATTEMPTS } else { 1 };
        assert_eq!(server.requests.lock().unwrap().len(), expected, "{status}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}/x");
    let problem = download(&url, &to, None, None, &mut |_| true).unwrap_err();
    assert!(problem.is("problem-server-unreachable"), "{problem}");
    assert!(problem.mentions("advice-check-internet-connection"), "{problem}");
}

#[test]
fn retries_when_server_is_busy() {
    for status in [429, 503] {
        let (_folder, to) = target();
        let behaviour = Behaviour { busy: Some((3, status)), ..Behaviour::default() };
        let server = serve(body(), behaviour);
        download(&server.url, &to, None, None, &mut |_| true).unwrap();
        assert_eq!(fs::read(&to).unwrap(), body());
        assert_eq!(server.requests.lock().unwrap().len(), 4);
    }
    // The pause ends when the download is stopped.
    let mut calls = 0;
    let minute = Duration::from_secs(60);
    assert!(!wait(minute, 0, &mut |_| {
        calls += 1;
        calls < 3
    }));
}

#[test]
fn rejects_concurrent_download_of_same_file() {
    let (folder, to) = target();
    let part_file = File::create(folder.path().join("file.bin.part")).unwrap();
    part_file.lock().unwrap();
    let server = serve(body(), Behaviour::default());
    let problem = download(&server.url, &to, None, None, &mut |_| true).unwrap_err();
    assert!(problem.is("problem-file-downloaded-elsewhere"), "{problem}");
}

#[cfg(target_os = "linux")]
#[test]
fn append_reports_full_disk() {
    // Every write to /dev/full fails with "no space left on device".
    if !Path::new("/dev/full").exists() {
        return;
    }
    let (folder, to) = target();
    let part = PartialFile {
        path: to.clone(),
        tag_path: folder.path().join("tag"),
        file: File::options().write(true).open("/dev/full").unwrap(),
        length: 0,
        hash: Sha256::new(),
    };
    let mut part = part;
    let error = part.append(b"x").unwrap_err();
    let problem = Problem::io("write the download", &to, &error);
    assert!(problem.mentions("advice-free-disk-space"), "{problem}");
    assert_eq!(part.length, 0);
}

#[test]
fn requires_https_except_for_loopback() {
    for own in ["http://127.0.0.1:80/x", "http://localhost", "http://[::1]:8080/a"] {
        assert!(is_local(own) && !requires_https(own), "{own}");
    }
    for foreign in [
        "http://localhost.evil.org/x",
        "http://127.evil.org",
        "http://localhost:x@evil.org/",
        "http://127.0.0.1@evil.org",
        "x",
    ] {
        assert!(!is_local(foreign) && requires_https(foreign), "{foreign}");
    }
    let mirror = "http://hub.local:8080/hf";
    for (url, below) in [
        ("http://hub.local:8080/hf/a/b", true),
        ("http://HUB.local:8080/hf", true),
        ("http://hub.local:8080/hfx/a", false),
        ("http://hub.local:8080.evil/hf/a", false),
        ("http://hub.local:8081/hf/a", false),
        ("http://hub.local:8080@evil/hf/a", false),
        ("https://hub.local:8080/hf/a", false),
    ] {
        assert_eq!(is_below(url, mirror), below, "{url}");
    }
    assert!(is_below("http://hub.local/a", "http://hub.local/"));
    assert!(!is_below("http://hub.local.evil/a", "http://hub.local"));
    assert!(!is_below("http://evil/a", ""));
    // An encrypted address is not redirected to an unencrypted one.
    assert!(requires_https("https://localhost/x"));
    let (_folder, to) = target();
    let url = "http://localhost.invalid/file.bin";
    let problem = download(url, &to, None, None, &mut |_| true).unwrap_err();
    assert!(problem.is("problem-address-unencrypted-redirect"), "{problem}");
}

#[test]
fn stall_detects_slow_connections() {
    let mut stall = StallDetector::new(0);
    assert!(!stall.is_stalled(0, STALL_TIME), "the time limit has not passed");
    assert!(!stall.is_stalled(MIN_BYTES, Duration::ZERO));
    assert!(stall.is_stalled(MIN_BYTES + 5, Duration::ZERO));
    assert!(!stall.is_stalled(3 * MIN_BYTES, Duration::ZERO));
}

#[test]
fn rejects_more_bytes_than_announced() {
    let (folder, to) = target();
    // The server sends the whole file although only its end was requested, as with wrong headers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/file.bin", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 x\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[7; 1 << 16]).is_ok() {}
        }
    });
    let problem = download(&url, &to, None, Some(100_000), &mut |_| true).unwrap_err();
    assert!(problem.is("problem-download-too-large"), "{problem}");
    let part = fs::metadata(folder.path().join("file.bin.part")).unwrap();
    assert!(part.len() <= 100_000);
}
