//! Mutated input for everything that reads what others wrote: plugins, weights, data sets, images,
//! runs, lessons, settings, servers' answers.
//!
//! Whatever comes in, reading it ends in a value or a `Problem`: no panic, at most 64 MB of memory
//! plus twenty times the input, at most two seconds of one core, and nothing is written outside of
//! the folder it was given. Inputs are drawn from valid ones by a seed, so that a finding comes
//! again; those that once failed are in `tests/corpus/TARGET` and are read first.
//!
//! * `LAE_FUZZ_SECONDS`: how long each target runs (0.7 without it, from the same first seed).
//! * `LAE_FUZZ_SEED`: the first seed. A finding names its own.
//!
//! `LAE_FUZZ_SECONDS=30 cargo test --release --test suite fuzz` takes some minutes.

mod archives;
mod bytes;
mod data;
mod downloads;
mod frames;
mod grids;
mod headers;
mod lessons;
pub mod meter;
mod packed;
pub mod packing;
mod places;
mod plugins;
mod runs;
mod states;
mod texts;
mod weights;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use bytes::Dice;
use meter::Meter;
use tempfile::TempDir;

use crate::list_files;

/// One input: files by their paths in a folder.
type Case = BTreeMap<String, Vec<u8>>;

/// Memory that any input may take.
const FREE_BYTES: usize = 64 << 20;
/// Further memory, in multiples of the input's size.
const MAX_SIZE_FACTOR: usize = 20;
/// Most processor time.
const MAX_TIME: Duration = Duration::from_secs(2);
/// An input that takes longer hangs.
const HANG_TIMEOUT: Duration = Duration::from_secs(120);
/// Seconds per target unless the environment says otherwise.
const DEFAULT_SECONDS: f64 = 0.7;

/// One reader with its inputs.
trait Target: Send + Sync {
    /// Names the folder of its corpus.
    const NAME: &'static str;

    /// Valid inputs; each must be accepted.
    fn valid_cases(&self) -> Vec<Case>;

    /// A new input, usually one of the valid ones with mutations.
    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case;

    /// Reads the input in a folder; whether it was accepted.
    fn read(&self, folder: &Path) -> bool;

    /// Bytes that may be used beyond what every input may take.
    fn extra_bytes(&self, _: &Case) -> usize {
        0
    }

    /// Names that reading may leave in the folder, by their beginnings.
    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &[]
    }

    /// Targets that wait more than they work run side by side, each on seeds of its own.
    fn lane(&self) -> u64 {
        0
    }
}

/// A case of one file.
fn single_file_case(name: &str, bytes: impl Into<Vec<u8>>) -> Case {
    Case::from([(name.to_owned(), bytes.into())])
}

/// The folder of an input while it is read, `inside`, next to a file that must not change.
struct Sandbox {
    root: TempDir,
}

impl Sandbox {
    fn new(target: &str) -> Self {
        let prefix = format!("lae-fuzz-{target}-");
        let root = tempfile::Builder::new().prefix(&prefix).tempdir().unwrap();
        fs::write(root.path().join("precious"), "precious").unwrap();
        Self { root }
    }

    fn case_folder(&self) -> PathBuf {
        self.root.path().join("inside")
    }

    /// Replaces the content by an input.
    fn replace_content(&self, case: &Case) {
        let case_folder = self.case_folder();
        if case_folder.exists() {
            fs::remove_dir_all(&case_folder).unwrap();
        }
        write_case(&case_folder, case);
    }

    /// Describes a file that was written where it does not belong.
    fn find_stray_file(&self, case: &Case, allowed: &[&str]) -> Option<String> {
        let root = self.root.path();
        if fs::read(root.join("precious")).ok().as_deref() != Some(b"precious") {
            return Some("the file beside the folder was changed".into());
        }
        let is_sandbox_entry = |name: &str| ["precious", "inside"].contains(&name);
        let is_expected = |name: &str| {
            let is_in_case = case.keys().any(|path| path.split('/').next() == Some(name));
            is_in_case || allowed.iter().any(|start| name.starts_with(start))
        };
        let outside = file_names(root).into_iter().find(|name| !is_sandbox_entry(name));
        let within = file_names(&self.case_folder()).into_iter().find(|name| !is_expected(name));
        (outside.or(within)).map(|name| format!("{name} was written"))
    }
}

fn write_case(folder: &Path, case: &Case) {
    fs::create_dir_all(folder).unwrap();
    for (name, bytes) in case {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// All files below a folder as a case.
fn read_case(folder: &Path) -> Case {
    let named_file = |file: PathBuf| {
        let name = file.strip_prefix(folder).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), fs::read(&file).unwrap())
    };
    list_files(folder).into_iter().map(named_file).collect()
}

/// Reads the input; an error describes a panic, a broken limit or a stray file.
fn check_case<T: Target>(target: &T, sandbox: &Sandbox, case: &Case) -> Result<bool, String> {
    sandbox.replace_content(case);
    let meter = Meter::start();
    let accepted = catch_unwind(AssertUnwindSafe(|| target.read(&sandbox.case_folder())));
    let (memory, time) = meter.stop();
    let accepted = accepted.map_err(|_| "reading it panics".to_owned())?;
    let size: usize = case.values().map(Vec::len).sum();
    let max_bytes = FREE_BYTES + MAX_SIZE_FACTOR * size + target.extra_bytes(case);
    if memory > max_bytes {
        let (memory, max_megabytes) = (memory >> 20, max_bytes >> 20);
        return Err(format!("it takes {memory} MB of memory instead of {max_megabytes}"));
    }
    if time > MAX_TIME {
        return Err(format!("it takes {time:.1?}"));
    }
    match sandbox.find_stray_file(case, target.allowed_leftovers()) {
        Some(what) => Err(what),
        None => Ok(accepted),
    }
}

/// Messages of the reading thread.
enum Message {
    /// It is still working.
    Alive,
    /// It is done: the number of inputs, and how many of them were accepted.
    Done(usize, usize),
    /// An input broke a rule.
    Found(String),
}

/// Runs a target; fails with the first finding.
fn fuzz<T: Target + 'static>(target: T) {
    let (sender, receiver) = channel();
    // One thread for everything, rayon's share included, so that its memory is counted.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.unwrap();
    std::thread::spawn(move || pool.install(|| run_target(&target, &sender)));
    loop {
        match receiver.recv_timeout(HANG_TIMEOUT) {
            Ok(Message::Alive) => {}
            Ok(Message::Done(inputs, accepted)) => {
                eprintln!("{}: {inputs} inputs, {accepted} of them accepted", T::NAME);
                return;
            }
            Ok(Message::Found(what)) => panic!("{}: {what}", T::NAME),
            Err(RecvTimeoutError::Timeout) => {
                // The input is still in its folder.
                let temp_folder = std::env::temp_dir();
                panic!("{} hangs; see {}/lae-fuzz-{0}-*", T::NAME, temp_folder.display());
            }
            Err(RecvTimeoutError::Disconnected) => panic!("{}: the test failed", T::NAME),
        }
    }
}

fn run_target<T: Target>(target: &T, sender: &Sender<Message>) {
    let sandbox = Sandbox::new(T::NAME);
    let valid = target.valid_cases();
    // Fills caches that belong to no input.
    for case in &valid {
        sandbox.replace_content(case);
        let accepted = target.read(&sandbox.case_folder());
        assert!(accepted, "{}: a valid input is refused", T::NAME);
        let _ = sender.send(Message::Alive);
    }
    for (name, case) in load_corpus(T::NAME) {
        if let Err(what) = check_case(target, &sandbox, &case) {
            let _ =
                sender.send(Message::Found(format!("{what} on tests/corpus/{}/{name}", T::NAME)));
            return;
        }
    }
    let seconds = env_number("LAE_FUZZ_SECONDS");
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let first = match (env_number("LAE_FUZZ_SEED"), seconds) {
        (Some(seed), _) => seed as u64,
        // The suite uses the same seeds every time, a campaign new ones.
        (None, None) => 0,
        (None, Some(_)) => now().map_or(0, |time| time.as_secs() << 20),
    };
    let first = first + (target.lane() << 16);
    let end = Instant::now() + Duration::from_secs_f64(seconds.unwrap_or(DEFAULT_SECONDS));
    let (mut inputs, mut accepted) = (0, 0);
    while Instant::now() < end {
        let seed = first + inputs as u64;
        let case = target.generate(&valid, &mut Dice::new(T::NAME, seed));
        match check_case(target, &sandbox, &case) {
            Ok(is_accepted) => accepted += usize::from(is_accepted),
            Err(what) => {
                let stored = store_case(T::NAME, seed, &case);
                let finding =
                    format!("{what} with LAE_FUZZ_SEED={seed}; kept in {}", stored.display());
                let _ = sender.send(Message::Found(finding));
                return;
            }
        }
        inputs += 1;
        let _ = sender.send(Message::Alive);
    }
    let _ = sender.send(Message::Done(inputs, accepted));
}

fn env_number(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.trim().parse().ok()
}

/// Stores an input that failed.
fn store_case(target: &str, seed: u64, case: &Case) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lae-fuzz-found/{target}/{seed}"));
    write_case(&folder, case);
    folder
}

/// Inputs that failed once, by name.
fn load_corpus(target: &str) -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target);
    let mut names = file_names(&folder);
    names.sort();
    let load_case = |name: String| {
        let case = read_case(&folder.join(&name));
        (name, case)
    };
    names.into_iter().map(load_case).collect()
}
