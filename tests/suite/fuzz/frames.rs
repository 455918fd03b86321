//! Messages of another process.

use std::path::Path;

use lae_studio::run::event::{Command, PredictRequest};
use lae_studio::run::wire::{self, ClientMessage, ClientRequest, FileEntry, Hello, ServerMessage};

use super::bytes::Dice;
use super::{Case, Target, fuzz, single_file_case};
use crate::wire::{commands, events};

struct Frames;

fn server_messages() -> Vec<u8> {
    let mut bytes = Vec::new();
    let hello = ServerMessage::Hello(Hello::new("/runs".into(), 7));
    wire::write(&mut bytes, hello, &[]).unwrap();
    for (number, event) in (1..).zip(events(1)) {
        let event = Box::new(event);
        wire::write(&mut bytes, ServerMessage::Event { number, event }, &[]).unwrap();
    }
    let (run, path, from) = ("a".to_string(), "metrics.csv".to_string(), 3);
    wire::write(&mut bytes, ServerMessage::Piece { run, path, from }, b"1,2,3").unwrap();
    bytes
}

fn client_messages() -> Vec<u8> {
    let mut bytes = Vec::new();
    let files = vec![FileEntry { path: "a/b.png".into(), bytes: 3, sha256: "0".repeat(64) }];
    let missing = ClientRequest::Missing { number: 1, set: "0".repeat(32), files };
    let requests = commands(1).into_iter().map(|command| ClientRequest::Command(Box::new(command)));
    for (number, ask) in (1..).zip(requests.chain([missing])) {
        let client = 1;
        let message = ClientMessage { client, number, ask };
        wire::write(&mut bytes, message, b"raw").unwrap();
    }
    bytes
}

/// Reads all messages; whether all of the bytes were messages.
fn read_all<M: wire::TransferableMessage + serde::de::DeserializeOwned>(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        match wire::read::<M>(&mut rest) {
            Ok(Some((mut message, _))) => {
                for run in message.runs() {
                    let _ = run.to_str().and_then(wire::safe_relative_path);
                }
                if let Ok(absolute) = wire::with_absolute_runs(message, Path::new("/runs"), false) {
                    let mut absolute = absolute;
                    assert!(absolute.runs().iter().all(|run| run.starts_with("/runs")));
                }
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

impl Target for Frames {
    const NAME: &'static str = "frames";

    fn valid_cases(&self) -> Vec<Case> {
        vec![
            single_file_case("told", server_messages()),
            single_file_case("said", client_messages()),
        ]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"LAE\x01",
            b"\xff\xff\xff\xff",
            b"\0\0\0\x03",
            b"\"pixels\":[",
            b"18446744073709551615",
            b"\"message\":{",
            b"\"../../etc/passwd\"",
            b"\"/etc\"",
            b"null",
            b"[[[[[[[[",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let read = |name: &str| std::fs::read(folder.join(name)).ok();
        let is_server_valid = read("told").is_none_or(|bytes| read_all::<ServerMessage>(&bytes));
        let is_client_valid = read("said").is_none_or(|bytes| read_all::<ClientMessage>(&bytes));
        is_server_valid && is_client_valid
    }
}

#[test]
fn fuzz_frames() {
    fuzz(Frames);
}

#[test]
fn rejects_false_lengths_and_skips_leading_noise() {
    let huge = [b"LAE\x01".as_slice(), &[0xff; 8], b"{}"].concat();
    let problem = wire::read::<ServerMessage>(&mut huge.as_slice()).unwrap_err();
    assert!(problem.what.contains("declared size"), "{problem}");
    let allowed =
        [b"LAE\x01".as_slice(), &wire::MAX_HEAD_BYTES.to_le_bytes(), &[0; 4], b"{}"].concat();
    let problem = wire::read::<ServerMessage>(&mut allowed.as_slice()).unwrap_err();
    assert!(problem.what.contains("incomplete"), "{problem}");
    let greeting =
        [b"Welcome to lab!\nLA LAE\n".as_slice(), &super::frames::server_messages()].concat();
    let hello = wire::read::<ServerMessage>(&mut greeting.as_slice()).unwrap();
    assert!(matches!(hello, Some((ServerMessage::Hello(_), _))));
    let problem = wire::read::<ServerMessage>(&mut [b'x'; 1 << 17].as_slice()).unwrap_err();
    assert!(problem.what.contains("an invalid message"), "{problem}");
}

#[test]
fn rejects_run_paths_outside_folder() {
    let predict_command = |run: &str| {
        let Some(Command::Predict(request)) =
            commands(1).into_iter().find(|command| matches!(command, Command::Predict(_)))
        else {
            panic!("no such command");
        };
        let run = run.into();
        Command::Predict(PredictRequest { run, ..request })
    };
    for run in ["../other", "/etc", "a/../../b", "", "c:\\runs"] {
        assert!(
            wire::with_absolute_runs(predict_command(run), Path::new("/runs"), false).is_err(),
            "{run}"
        );
    }
    assert!(
        wire::with_absolute_runs(predict_command("2026_digits"), Path::new("/runs"), false).is_ok()
    );
    assert!(
        wire::with_absolute_runs(predict_command("/elsewhere/run"), Path::new("/runs"), true)
            .is_ok()
    );
}
