//! Downloads from a server that follows a script: a case holds its answers, one file each.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lae_studio::fetch::{download, sha256_of_file};

use super::bytes::Dice;
use super::{Case, Target, fuzz};

/// The file that a well-behaved server sends.
fn body() -> Vec<u8> {
    (0..3000u32).map(|i| (i * 7 % 251) as u8).collect()
}

/// A server and what it answers, by request.
struct Downloads {
    lane: u64,
    address: String,
    answers: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Downloads {
    fn new(lane: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::new(Mutex::new(Vec::<Vec<u8>>::new()));
        let script = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer: Vec<u8> = script.lock().unwrap().pop().unwrap_or_default();
                let _ = respond(stream, &answer);
            }
        });
        Self { lane, address, answers }
    }
}

/// Reads a request to its end and gives the answer, whatever it is.
fn respond(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            read => request.extend_from_slice(&buffer[..read]),
        }
    }
    stream.write_all(answer)?;
    stream.shutdown(Shutdown::Write)?;
    // Drains the connection, or the client would see a reset instead of the answer.
    while stream.read(&mut buffer)? > 0 {}
    Ok(())
}

fn build_response(head: &str, body: &[u8]) -> Vec<u8> {
    [head.replace('\n', "\r\n").as_bytes(), b"\r\n", body].concat()
}

impl Target for Downloads {
    const NAME: &'static str = "downloads";

    fn valid_cases(&self) -> Vec<Case> {
        let body = body();
        let complete = build_response(
            "HTTP/1.1 200 OK\nContent-Length: 3000\nETag: \"v1\"\nConnection: close\n",
            &body,
        );
        let partial = build_response(
            "HTTP/1.1 206 Partial Content\nContent-Length: 2000\nContent-Range: bytes 1000-2999/3000\nETag: \"v1\"\nConnection: close\n",
            &body[1000..],
        );
        let chunked_body = b"BB8\r\n".iter().chain(&body).chain(b"\r\n0\r\n\r\n").copied();
        let chunked = build_response(
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nConnection: close\n",
            &chunked_body.collect::<Vec<u8>>(),
        );
        let mut resumed = Case::from([("1".into(), partial)]);
        resumed.insert("got.part".into(), body[..1000].to_vec());
        resumed.insert("got.part.tag".into(), b"\"v1\"".to_vec());
        vec![Case::from([("1".into(), complete)]), resumed, Case::from([("1".into(), chunked)])]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.0 200\r\n",
            b"HTTP/1.1 206 x\r\n",
            b"HTTP/1.1 416 x\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 301 x\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n",
            b"Location: file:///etc/passwd\r\n",
            b"HTTP/1.1 404 x\r\n",
            b"HTTP/1.1 503 x\r\n",
            b"Content-Length: ",
            b"Content-Length: -1\r\n",
            b"Content-Length: 18446744073709551615\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"FFFFFFFFFFFFFFFF\r\n",
            b"Content-Encoding: gzip\r\n",
            b"Content-Range: bytes 0-0/1\r\n",
            b"Content-Range: bytes */3000\r\n",
            b"Content-Range: bytes 1000-",
            b"ETag: \"v2\"\r\n",
            b"ETag: W/\"v1\"\r\n",
            b"ETag: \r\n",
            b"\r\n",
            b"\n",
            b":",
            b" ",
            b"0\r\n\r\n",
        ];
        let mut case = dice.choose(valid).clone();
        let bytes = case.get_mut("1").unwrap();
        let head = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 12;
        let rest = bytes.split_off(head.min(bytes.len()));
        dice.mutate(bytes, WORDS);
        bytes.extend(rest);
        if dice.one_in(4) {
            let name = *dice.choose(&["got.part", "got.part.tag"]);
            dice.mutate(case.entry(name.into()).or_default(), WORDS);
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        // The same answer each time it asks, until it gives up.
        let response = std::fs::read(folder.join("1")).unwrap();
        *self.answers.lock().unwrap() = vec![response; 12];
        let to = folder.join("got");
        // Gives up at the second attempt that brings nothing new.
        let mut calls = BTreeMap::new();
        let mut should_continue = |progress: lae_studio::fetch::DownloadProgress| {
            let times = calls.entry(progress.done).or_insert(0);
            *times += 1;
            *times < 2
        };
        match download(&self.address, &to, None, None, &mut should_continue) {
            Ok(got) => {
                assert_eq!(sha256_of_file(&to).unwrap(), got.sha256);
                assert_eq!(std::fs::metadata(&to).unwrap().len(), got.bytes);
                true
            }
            Err(_) => {
                assert!(!to.exists(), "an unfinished file has its final name");
                false
            }
        }
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["got"]
    }

    fn lane(&self) -> u64 {
        self.lane
    }
}

#[test]
fn fuzz_downloads() {
    // A broken connection is tried again after a while: most of the time is spent waiting.
    std::thread::scope(|scope| {
        for lane in 0..16 {
            scope.spawn(move || fuzz(Downloads::new(lane)));
        }
    });
}
