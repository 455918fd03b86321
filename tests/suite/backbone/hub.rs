//! A server on this computer plays the model hub: download, resumption, refusal, silence.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use burn::tensor::Device;
use lae_studio::backbone::library::{Library, Places, State};
use safetensors::tensor::Dtype;
use tempfile::TempDir;

use super::files;

/// How the hub behaves.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    /// Sends everything.
    Willing,
    /// The first answer breaks off in the middle.
    Breaking,
    /// Knows no file.
    Empty,
}

struct Hub {
    endpoint: String,
    /// Bytes sent as bodies.
    sent: Arc<AtomicUsize>,
}

impl Hub {
    fn start(body: Vec<u8>, mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let cut = mood == Mood::Breaking && number == 0;
                answer(stream, &body, cut, mood == Mood::Empty, &count);
            }
        });
        Self { endpoint, sent }
    }
}

fn answer(mut stream: TcpStream, body: &[u8], cut: bool, empty: bool, sent: &AtomicUsize) {
    let mut request = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while !request.ends_with("\r\n\r\n") {
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
    }
    if empty || !request.starts_with("GET /lab/toy/resolve/main/model.safetensors") {
        let _ = stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    let lower = request.to_ascii_lowercase();
    let from = lower.split_once("range: bytes=").map_or(0, |(_, rest)| {
        rest.split('-').next().unwrap().parse::<usize>().unwrap()
    });
    let status = if from > 0 {
        let last = body.len() - 1;
        format!(
            "206 Partial Content\r\nContent-Range: bytes {from}-{last}/{}",
            body.len()
        )
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

fn library(folder: &TempDir, endpoint: &str, extra: &str) -> Library {
    let table = folder.path().join("backbones.toml");
    fs::write(&table, format!("{TOY}{extra}")).unwrap();
    Library::new(Places {
        cache: folder.path().join("cache"),
        hub_cache: None,
        endpoint: endpoint.into(),
        tables: vec![table],
    })
}

fn model(folder: &TempDir) -> Vec<u8> {
    let path = folder.path().join("model");
    files::safetensors(&files::vit(), Dtype::F32, &[], &path);
    fs::read(path).unwrap()
}

#[test]
fn a_fresh_download_is_loaded_and_kept() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Mood::Willing);
    let library = library(&folder, &hub.endpoint, "");
    let mut told = Vec::new();
    let opened = library.open("toy", &Device::flex(), &mut |now| {
        told.push(now);
        true
    });
    let opened = opened.unwrap();
    assert_eq!(opened.bytes, body.len() as u64);
    assert_eq!(told.last().unwrap().done, body.len() as u64);
    assert!(matches!(library.state(&opened.entry), State::Present(_)));
    library.open("toy", &Device::flex(), &mut |_| true).unwrap();
    assert_eq!(hub.sent.load(Ordering::SeqCst), body.len(), "loaded once");
    // The hash of the first download is what later loads are held against.
    let path = opened.path.unwrap();
    let mut bytes = body.clone();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let problem = library
        .open("toy", &Device::flex(), &mut |_| true)
        .err()
        .unwrap();
    assert!(problem.what.contains("not the expected ones"), "{problem}");
}

#[test]
fn a_broken_connection_is_taken_up_where_it_broke() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Mood::Breaking);
    let library = library(&folder, &hub.endpoint, "");
    library.open("toy", &Device::flex(), &mut |_| true).unwrap();
    assert_eq!(
        hub.sent.load(Ordering::SeqCst),
        body.len(),
        "nothing sent twice"
    );
}

#[test]
fn a_stopped_download_goes_on_in_the_next_call() {
    let folder = TempDir::new().unwrap();
    let body = model(&folder);
    let hub = Hub::start(body.clone(), Mood::Willing);
    let library = library(&folder, &hub.endpoint, "");
    let stopped = library.open("toy", &Device::flex(), &mut |_| false);
    assert!(stopped.is_err());
    assert!(library.open("toy", &Device::flex(), &mut |_| true).is_ok());
}

#[test]
fn weights_with_a_wrong_hash_are_refused_and_removed() {
    let folder = TempDir::new().unwrap();
    let hub = Hub::start(model(&folder), Mood::Willing);
    let hash = format!("sha256 = \"{}\"\n", "0".repeat(64));
    let library = library(&folder, &hub.endpoint, &hash);
    let opened = library.open("toy", &Device::flex(), &mut |_| true);
    let problem = opened.err().unwrap();
    assert!(
        problem.to_string().to_lowercase().contains("sha"),
        "{problem}"
    );
    let toy = library.entry("toy").unwrap();
    assert_eq!(library.state(toy), State::Absent { arrived: 0 });
}

#[test]
fn a_missing_file_and_no_connection_say_how_to_go_on() {
    let folder = TempDir::new().unwrap();
    let hub = Hub::start(Vec::new(), Mood::Empty);
    let silent = "http://127.0.0.1:9".to_owned();
    for endpoint in [hub.endpoint, silent] {
        let library = library(&folder, &endpoint, "");
        let opened = library.open("toy", &Device::flex(), &mut |_| true);
        let problem = opened.err().unwrap();
        assert!(problem.remedy.contains("without internet"), "{problem}");
        assert!(
            problem
                .to_string()
                .contains("/lab/toy/resolve/main/model.safetensors")
        );
    }
}
