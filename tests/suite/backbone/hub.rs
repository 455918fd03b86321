//! Downloads from a local server that acts as the model hub: resumption, refusal, no connection, and the program
//! itself as client where the environment or a full disk matter.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use burn::tensor::Device;
use lae_studio::backbone::library::{Availability, BackboneLibrary, WeightLocations};
use safetensors::tensor::Dtype;
use tempfile::TempDir;

use super::files;
use crate::assert_is;

/// How the hub behaves.
#[derive(Clone, Copy, PartialEq)]
enum Behaviour {
    /// Sends everything.
    Willing,
    /// The first answer breaks off in the middle.
    Breaking,
    /// Has no file.
    Empty,
}

struct Hub {
    endpoint: String,
    /// Bytes sent as bodies.
    sent: Arc<AtomicUsize>,
}

impl Hub {
    fn start(body: Vec<u8>, behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let cut = behaviour == Behaviour::Breaking && number == 0;
                send_response(stream, &body, cut, behaviour == Behaviour::Empty, &count);
            }
        });
        Self { endpoint, sent }
    }
}

fn send_response(mut stream: TcpStream, body: &[u8], cut: bool, empty: bool, sent: &AtomicUsize) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut request = read_request_head(&mut reader);
    if request.starts_with("CONNECT hub.test:80 ") {
        // Asked as a proxy: what follows is meant for the server behind it, which is this one.
        let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
        request = read_request_head(&mut reader);
    }
    let request = request.replace("http://hub.test", "");
    if empty || !request.starts_with("GET /lab/toy/resolve/main/model.safetensors") {
        let _ = stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    let lower = request.to_ascii_lowercase();
    let from = lower
        .split_once("range: bytes=")
        .map_or(0, |(_, rest)| rest.split('-').next().unwrap().parse::<usize>().unwrap());
    let status = if from > 0 {
        let last = body.len() - 1;
        format!("206 Partial Content\r\nContent-Range: bytes {from}-{last}/{}", body.len())
    } else {
        "200 OK".to_owned()
    };
    let length = body.len() - from;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\nConnection: close\r\n\r\n"
    );
    let end = if cut { from + length / 2 } else { body.len() };
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&body[from..end]);
    sent.fetch_add(end - from, Ordering::SeqCst);
}

/// Everything up to the empty line; empty when the client left.
fn read_request_head(reader: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return String::new();
        }
    }
    head
}

const TOY: &str = r#"
[[backbone]]
name = "toy"
family = "vit"
input_size = 16
patch = 4
width = 128
depth = 2
heads = 2
normalisation = "unit"
hub = "lab/toy"
"#;

fn library(folder: &TempDir, endpoint: &str, extra: &str) -> BackboneLibrary {
    let table = folder.path().join("backbones.toml");
    fs::write(&table, format!("{TOY}{extra}")).unwrap();
    BackboneLibrary::new(WeightLocations {
        cache: folder.path().join("cache"),
        hub_cache: None,
        endpoint: endpoint.into(),
        tables: vec![table],
    })
}

fn model(folder: &TempDir) -> Vec<u8> {
    let path = folder.path().join("model");
    files::write_safetensors(&files::vit(), Dtype::F32, &[], &path);
    fs::read(path).unwrap()
}

#[test]
fn first_download_is_cached_and_pins_hash() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Behaviour::Willing);
    let library = library(&folder, &hub.endpoint, "");
    let mut progress = Vec::new();
    let opened = library.open("toy", &Device::flex(), &mut |update| {
        progress.push(update);
        true
    });
    let opened = opened.unwrap();
    assert_eq!(opened.bytes, body.len() as u64);
    assert_eq!(progress.last().unwrap().done, body.len() as u64);
    assert!(matches!(library.availability(&opened.entry), Availability::Present(_)));
    // No table knows its hash, and a warning says what that means.
    assert_says!(
        lae_studio::texts::join_translated(&opened.assumptions, ""),
        "network-hash-of-first-download"
    );
    library.open("toy", &Device::flex(), &mut |_| true).unwrap();
    assert_eq!(hub.sent.load(Ordering::SeqCst), body.len(), "the file was downloaded twice");
    // The hash of the first download is what later loads are compared with.
    let path = opened.path.unwrap();
    let mut bytes = body.clone();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let problem = library.open("toy", &Device::flex(), &mut |_| true).err().unwrap();
    assert_is(&problem, "problem-weights-hash-mismatch");
    let record = path.with_file_name("model.safetensors.sha256");
    assert!(problem.remedy.contains(record.to_str().unwrap()), "{problem}");
    // And later downloads as well.
    fs::remove_file(&path).unwrap();
    let mut other = body.clone();
    *other.last_mut().unwrap() ^= 1;
    let changed = Hub::start(other, Behaviour::Willing);
    let later = self::library(&folder, &changed.endpoint, "");
    let open = || later.open("toy", &Device::flex(), &mut |_| true);
    let problem = open().err().unwrap();
    assert_is(&problem, "problem-hash-changed");
    assert!(problem.remedy.contains(record.to_str().unwrap()), "{problem}");
    assert!(!path.exists());
    fs::remove_file(record).unwrap();
    open().unwrap();
}

#[test]
fn requests_pinned_commit_and_rejects_branches() {
    let folder = TempDir::new().unwrap();
    let hub = Hub::start(model(&folder), Behaviour::Willing);
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let pinned = library(&folder, &hub.endpoint, &format!("revision = \"{commit}\"\n"));
    // This hub has the newest commit only.
    let problem = pinned.open("toy", &Device::flex(), &mut |_| true).err().unwrap();
    let address = format!("/lab/toy/resolve/{commit}/model.safetensors");
    assert!(problem.to_string().contains(&address), "{problem}");
    let branch = library(&folder, &hub.endpoint, "revision = \"main\"\n");
    assert!(branch.entry("toy").is_none());
    let problem = &branch.problems()[0];
    assert_is(problem, "problem-backbone-entry-invalid");
    assert!(problem.what.contains("revision"), "{problem}");
}

/// The hub's cache links the file names of a commit to blobs that are named by their hash.
#[cfg(unix)]
#[test]
fn verifies_hub_cache_blob_against_its_hash() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hash = lae_studio::fetch::sha256_of_file(&folder.path().join("model")).unwrap();
    let repository = folder.path().join("hub/models--lab--toy");
    let snapshot = repository.join("snapshots/0123456789abcdef0123456789abcdef01234567");
    fs::create_dir_all(&snapshot).unwrap();
    fs::create_dir_all(repository.join("blobs")).unwrap();
    let blob = repository.join("blobs").join(hash);
    std::os::unix::fs::symlink(&blob, snapshot.join("model.safetensors")).unwrap();
    let table = folder.path().join("backbones.toml");
    fs::write(&table, TOY).unwrap();
    let library = BackboneLibrary::new(WeightLocations {
        cache: folder.path().join("cache"),
        hub_cache: Some(folder.path().join("hub")),
        endpoint: "http://127.0.0.1:9".into(),
        tables: vec![table],
    });
    let open = || library.open("toy", &Device::flex(), &mut |_| true);
    let mut other = body.clone();
    *other.last_mut().unwrap() ^= 1;
    fs::write(&blob, other).unwrap();
    let problem = open().err().unwrap();
    assert_is(&problem, "problem-weights-hash-mismatch");
    fs::write(&blob, body).unwrap();
    assert!(!says!(
        lae_studio::texts::join_translated(&open().unwrap().assumptions, ""),
        "network-hash-of-first-download"
    ));
}

#[test]
fn resumes_download_after_broken_connection() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Behaviour::Breaking);
    let library = library(&folder, &hub.endpoint, "");
    library.open("toy", &Device::flex(), &mut |_| true).unwrap();
    assert_eq!(hub.sent.load(Ordering::SeqCst), body.len(), "bytes were sent twice");
}

#[test]
fn stopped_download_succeeds_on_next_call() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Behaviour::Willing);
    let library = library(&folder, &hub.endpoint, "");
    let stopped = library.open("toy", &Device::flex(), &mut |_| false);
    assert!(stopped.is_err());
    assert!(library.open("toy", &Device::flex(), &mut |_| true).is_ok());
}

#[test]
fn rejects_and_removes_weights_with_wrong_hash() {
    let folder = TempDir::new().unwrap();
    let hub = Hub::start(model(&folder), Behaviour::Willing);
    let hash = format!("sha256 = \"{}\"\n", "0".repeat(64));
    let library = library(&folder, &hub.endpoint, &hash);
    let opened = library.open("toy", &Device::flex(), &mut |_| true);
    let problem = opened.err().unwrap();
    assert_is(&problem, "problem-download-hash-mismatch");
    assert!(problem.what.contains(&"0".repeat(64)), "{problem}");
    let toy = library.entry("toy").unwrap();
    assert_eq!(library.availability(toy), Availability::Absent { downloaded_bytes: 0 });
}

#[test]
fn discards_web_page_downloaded_as_weights() {
    let folder = TempDir::new().unwrap();
    let page = b"<html>please sign in to this network</html>".to_vec();
    let hub = Hub::start(page, Behaviour::Willing);
    let waiting = library(&folder, &hub.endpoint, "");
    let opened = waiting.open("toy", &Device::flex(), &mut |_| true);
    let problem = opened.err().unwrap();
    assert_is(&problem, "problem-download-no-weight-file");
    let toy = waiting.entry("toy").unwrap();
    assert_eq!(waiting.availability(toy), Availability::Absent { downloaded_bytes: 0 });
    // The next attempt gets the weights.
    let hub = Hub::start(model(&folder), Behaviour::Willing);
    let library = library(&folder, &hub.endpoint, "");
    let opened = library.open("toy", &Device::flex(), &mut |_| true);
    assert!(opened.is_ok());
}

#[test]
fn failed_download_explains_offline_setup() {
    let folder = TempDir::new().unwrap();
    let hub = Hub::start(Vec::new(), Behaviour::Empty);
    let silent = "http://127.0.0.1:9".to_owned();
    for endpoint in [hub.endpoint, silent] {
        let library = library(&folder, &endpoint, "");
        let opened = library.open("toy", &Device::flex(), &mut |_| true);
        let problem = opened.err().unwrap();
        let address = "/lab/toy/resolve/main/model.safetensors";
        assert!(problem.remedy.contains(address), "{problem}");
    }
}

fn features(folder: &TempDir, environment: &[(&str, &str)], blocks: Option<usize>) -> Output {
    backbone_features("toy", folder, environment, blocks)
}

/// Runs `features` for a toy image in `folder`, with its own home and environment;
/// `blocks` limits the files it writes to this number of kilobytes.
fn backbone_features(
    name: &str,
    folder: &TempDir,
    environment: &[(&str, &str)],
    blocks: Option<usize>,
) -> Output {
    let root = folder.path();
    fs::create_dir_all(root.join("plugins")).unwrap();
    fs::write(root.join("plugins/backbones.toml"), TOY).unwrap();
    let picture = image::RgbImage::from_pixel(16, 16, image::Rgb([90, 120, 30]));
    picture.save(root.join("picture.png")).unwrap();
    let words = [env!("CARGO_BIN_EXE_lae-studio"), "features", name, "--image", "picture.png"];
    let mut command = match blocks {
        None => Command::new(words[0]),
        Some(kilobytes) => {
            // The signal of a reached limit is ignored: the write fails as on a full disk.
            let mut shell = Command::new("bash");
            let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
            shell.args(["-c", &script, words[0]]);
            shell
        }
    };
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "HF_HOME", "HF_HUB_CACHE"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
        .args(&words[1..])
        .current_dir(root)
        .env("HOME", root)
        .env("XDG_CACHE_HOME", root.join("cache"))
        .env("XDG_DATA_HOME", root.join("data"))
        .envs(environment.iter().copied())
        .output()
        .unwrap()
}

fn stderr_of_failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn reads_hub_endpoint_from_environment() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Behaviour::Willing);
    let endpoint = format!("{}/", hub.endpoint);
    let output = features(&folder, &[("HF_ENDPOINT", &endpoint)], None);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).split(' ').count(), 128);
    assert_eq!(hub.sent.load(Ordering::SeqCst), body.len());
}

#[test]
fn uses_proxy_from_environment_and_reports_failure() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let proxy = Hub::start(body.clone(), Behaviour::Willing);
    let far = ("HF_ENDPOINT", "http://hub.test");
    let silent = features(&folder, &[far, ("HTTP_PROXY", "http://127.0.0.1:9")], None);
    let words = stderr_of_failure(&silent);
    assert!(words.contains("proxy") && words.contains("without internet"), "{words}");
    let output = features(&folder, &[far, ("HTTP_PROXY", &proxy.endpoint)], None);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(proxy.sent.load(Ordering::SeqCst), body.len());
}

#[cfg(target_os = "linux")]
#[test]
fn download_resumes_after_full_disk() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Behaviour::Willing);
    let endpoint = ("HF_ENDPOINT", hub.endpoint.as_str());
    let words = stderr_of_failure(&features(&folder, &[endpoint], Some(body.len() / 2048)));
    assert!(words.contains("write the download"), "{words}");
    assert_says!(words, "advice-free-disk-space");
    let sent = hub.sent.load(Ordering::SeqCst);
    let output = features(&folder, &[endpoint], None);
    assert!(output.status.success(), "{output:?}");
    let resent = hub.sent.load(Ordering::SeqCst) - sent;
    assert!(resent < body.len(), "{resent} of {} sent again", body.len());
}

/// A repository in no table: its description is requested first, with the user's token, and again if the server is
/// busy.
#[test]
fn downloads_repository_with_its_config() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let config = r#"{"architecture": "test_vit", "global_pool": "token", "model_args": {"num_heads": 2},
        "pretrained_cfg": {"input_size": [3, 16, 16], "interpolation": "bicubic", "crop_pct": 0.9, "crop_mode": "center",
        "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}}"#;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&requests);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head = read_request_head(&mut BufReader::new(stream.try_clone().unwrap()));
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let authorized = head.to_ascii_lowercase().contains("authorization: bearer secret");
            let mut log = log.lock().unwrap();
            let first = !log.iter().any(|(requested, _): &(String, bool)| *requested == path);
            log.push((path.clone(), authorized));
            let file = path.strip_prefix("/lab/net/resolve/main/").unwrap_or_default();
            let (status, body) = match file {
                "config.json" if first => ("429 Too Many\r\nRetry-After: 0", &b""[..]),
                "config.json" => ("200 OK", config.as_bytes()),
                "model.safetensors" => ("200 OK", &body[..]),
                _ => ("404 Not Found", &b""[..]),
            };
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(body);
        }
    });
    let environment = [("HF_ENDPOINT", endpoint.as_str()), ("HF_TOKEN", "secret")];
    let output = backbone_features("lab/net", &folder, &environment, None);
    assert!(output.status.success(), "{output:?}");
    let requests = requests.lock().unwrap();
    assert!(requests.iter().all(|(_, authorized)| *authorized), "{requests:?}");
    let files: Vec<&str> =
        requests.iter().filter_map(|(path, _)| path.rsplit('/').next()).collect();
    let expected = ["config.json", "config.json", "preprocessor_config.json", "model.safetensors"];
    assert_eq!(files, expected);
    // Nothing is downloaded again.
    let second_output =
        backbone_features("lab/net", &folder, &[("HF_ENDPOINT", "http://127.0.0.1:9")], None);
    assert_eq!(second_output.stdout, output.stdout);
}
