//! The portable form: everything lies beside the program.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::QUICK;

/// A copy of the program in a folder of its own, and a home that must stay empty.
struct Stick {
    folder: TempDir,
    home: TempDir,
}

impl Stick {
    fn new() -> Self {
        let stick = Self {
            folder: TempDir::new().unwrap(),
            home: TempDir::new().unwrap(),
        };
        let built = env!("CARGO_BIN_EXE_lae-studio");
        let program = stick.program();
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        stick
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("lae-studio")
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join("lae-studio-data")
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(self.program())
            .args(words)
            .env("HOME", self.home.path())
            .env_remove("LAE_RUNS")
            .env_remove("LAE_STUDIO_CACHE")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("APPIMAGE")
            .output()
            .unwrap()
    }
}

#[test]
fn a_portable_program_keeps_its_runs_beside_itself() {
    let stick = Stick::new();
    let words: Vec<&str> = [&["--portable"], QUICK].concat();
    let trained = stick.run(&words);
    assert!(trained.status.success(), "{trained:?}");
    assert!(stick.kept().join("data/runs").is_dir());
    assert_eq!(fs::read_dir(stick.home.path()).unwrap().count(), 0);
    // The folder is there now, so the word is not needed any more.
    let listed = stick.run(&["runs"]);
    assert!(listed.status.success());
    assert!(String::from_utf8_lossy(&listed.stdout).contains("digits"));
}

#[test]
fn a_portable_program_that_cannot_write_beside_itself_says_so() {
    let stick = Stick::new();
    fs::write(stick.kept(), "a file in the way").unwrap();
    let refused = stick.run(&["runs", "--portable"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.starts_with("problem: could not keep settings and runs beside the program"),
        "{said}"
    );
    assert!(said.contains("--portable"), "{said}");
}

#[test]
fn options_of_the_window_do_not_go_with_subcommands() {
    let stick = Stick::new();
    let refused = stick.run(&["--out", "somewhere", "runs"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("'--out' before a subcommand"), "{said}");
}
