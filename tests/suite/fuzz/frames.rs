//! Messages of another process.

use std::path::Path;

use lae_studio::run::event::{Command, PredictRequest};
use lae_studio::run::wire::{self, ClientMessage, ClientRequest, FileMark, Hello, ServerMessage};

use super::bytes::Dice;
use super::{Case, Target, fuzz, single};
use crate::wire::{commands, events};

struct Frames;

fn server_messages() -> Vec<u8> {
    let mut bytes = Vec::new();
    let hello = ServerMessage::Hello(Hello::of("/runs".into(), 7));
    wire::write(&mut bytes, hello, &[]).unwrap();
    for (number, event) in (1..).zip(events(1)) {
        let event = Box::new(event);
        wire::write(&mut bytes, ServerMessage::Event { number, event }, &[]).unwrap();
    }
    let (run, path, from) = ("a".to_string(), "metrics.csv".to_string(), 3);
    wire::write(
        &mut bytes,
        ServerMessage::Piece { run, path, from },
        b"1,2,3",
    )
    .unwrap();
    bytes
}

fn client_messages() -> Vec<u8> {
    let mut bytes = Vec::new();
    let files = vec![FileMark {
        path: "a/b.png".into(),
        bytes: 3,
        sha256: "0".repeat(64),
    }];
    let missing = ClientRequest::Missing {
        number: 1,
        set: "0".repeat(32),
        files,
    };
    let asks = commands(1)
        .into_iter()
        .map(|command| ClientRequest::Command(Box::new(command)));
    for (number, ask) in (1..).zip(asks.chain([missing])) {
        let client = 1;
        let said = ClientMessage {
            client,
            number,
            ask,
        };
        wire::write(&mut bytes, said, b"raw").unwrap();
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
                    let _ = run.to_str().and_then(wire::inner_path);
                }
                if let Ok(home) = wire::with_absolute_runs(message, Path::new("/runs"), false) {
                    let mut home = home;
                    assert!(home.runs().iter().all(|run| run.starts_with("/runs")));
                }
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

impl Target for Frames {
    const NAME: &'static str = "frames";

    fn valid(&self) -> Vec<Case> {
        vec![
            single("told", server_messages()),
            single("said", client_messages()),
        ]
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
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
        let told = read("told").is_none_or(|bytes| read_all::<ServerMessage>(&bytes));
        let said = read("said").is_none_or(|bytes| read_all::<ClientMessage>(&bytes));
        told && said
    }
}

#[test]
fn fuzz_frames() {
    fuzz(Frames);
}

#[test]
fn rejects_false_lengths_and_skips_leading_noise() {
    let huge = [b"LAE\x01".as_slice(), &[0xff; 8], b"{}"].concat();
    let told = wire::read::<ServerMessage>(&mut huge.as_slice()).unwrap_err();
    assert!(told.what.contains("declared size"), "{told}");
    let allowed = [
        b"LAE\x01".as_slice(),
        &wire::MOST_HEAD.to_le_bytes(),
        &[0; 4],
        b"{}",
    ]
    .concat();
    let told = wire::read::<ServerMessage>(&mut allowed.as_slice()).unwrap_err();
    assert!(told.what.contains("incomplete"), "{told}");
    let greeting = [
        b"Welcome to lab!\nLA LAE\n".as_slice(),
        &super::frames::server_messages(),
    ]
    .concat();
    let hello = wire::read::<ServerMessage>(&mut greeting.as_slice()).unwrap();
    assert!(matches!(hello, Some((ServerMessage::Hello(_), _))));
    let told = wire::read::<ServerMessage>(&mut [b'x'; 1 << 17].as_slice()).unwrap_err();
    assert!(told.what.contains("an invalid message"), "{told}");
}

#[test]
fn rejects_run_paths_outside_folder() {
    let of = |run: &str| {
        let Some(Command::Predict(request)) = commands(1)
            .into_iter()
            .find(|command| matches!(command, Command::Predict(_)))
        else {
            panic!("no such command");
        };
        let run = run.into();
        Command::Predict(PredictRequest { run, ..request })
    };
    for run in ["../other", "/etc", "a/../../b", "", "c:\\runs"] {
        assert!(
            wire::with_absolute_runs(of(run), Path::new("/runs"), false).is_err(),
            "{run}"
        );
    }
    assert!(wire::with_absolute_runs(of("2026_digits"), Path::new("/runs"), false).is_ok());
    assert!(wire::with_absolute_runs(of("/elsewhere/run"), Path::new("/runs"), true).is_ok());
}
