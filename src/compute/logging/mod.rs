//! The log: a file next to the runs with what the program did, to find the cause of problems.
//!
//! It contains the version and the machine, commands, start and end of jobs, Problems and panics with their position in
//! the source, slow frames, and warnings of graphics libraries. It never contains images, or names of classes or data:
//! values that may contain names are omitted at the source (`run::diary`), and the rest is removed by [`keep_out`].
//! Nothing is written to standard error. Errors while writing the log are ignored.

mod file;
mod privacy;
mod recorder;

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use crate::device;
use crate::problem::Problem;
use crate::tensors::{is_full, is_loss};
pub use file::Pages;
pub use privacy::{Redactor, source_place};
pub use recorder::failed_dialogs;

/// Folder of the log, inside the folder of runs.
const FOLDER: &str = "log";
/// Maximum number of lines waiting to be written; the oldest are dropped.
const MOST_WAITING: usize = 1000;

/// The level of detail of the log.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Hash,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    Off,
    /// Errors.
    Error,
    /// Also problems after which the program continued.
    Warn,
    /// Also commands and the start and end of their work.
    #[default]
    Info,
    /// Also every epoch and every prediction.
    Debug,
}

impl Level {
    /// All levels, with the name on the command line and the message of its title.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Off, "off", "settings-log-off"),
        (Self::Error, "error", "settings-log-error"),
        (Self::Warn, "warn", "settings-log-warn"),
        (Self::Info, "info", "settings-log-info"),
        (Self::Debug, "debug", "settings-log-debug"),
    ];

    /// Returns the level with this name.
    pub fn named(name: &str) -> Option<Self> {
        let lower = name.trim().to_lowercase();
        let found = Self::ALL.iter().find(|(_, key, _)| *key == lower);
        found.map(|(level, _, _)| *level)
    }
}

/// Returns the folder of the log for the runs in this folder.
pub fn folder(runs_root: &Path) -> PathBuf {
    runs_root.join(FOLDER)
}

/// A log: its files, and the lines waiting to be written.
pub(crate) struct Log {
    pages: Mutex<Pages>,
    waiting: Mutex<VecDeque<String>>,
    redactor: Mutex<Redactor>,
    level: AtomicU8,
}

/// The log of the program, after [`begin`].
static LOG: OnceLock<Log> = OnceLock::new();

thread_local! {
    /// Whether this thread must not wait for a disk.
    static NEVER_WAITS: Cell<bool> = const { Cell::new(false) };
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Lines are added and removed in one step, so the state is consistent even after a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Log {
    fn new(pages: Pages, level: Level) -> Self {
        Self {
            pages: Mutex::new(pages),
            waiting: Mutex::default(),
            redactor: Mutex::new(Redactor::of_this_person()),
            level: AtomicU8::new(level as u8),
        }
    }

    fn takes(&self, level: Level) -> bool {
        level as u8 <= self.level.load(Ordering::Relaxed)
    }

    /// Writes a line, or leaves it to another thread if this one must not wait.
    fn put(&self, level: Level, from: &str, text: &str) {
        let text = held(&self.redactor).over(text);
        let mut waiting = held(&self.waiting);
        if waiting.len() >= MOST_WAITING {
            waiting.pop_front();
        }
        waiting.push_back(file::line(level, from, &text));
        drop(waiting);
        if !NEVER_WAITS.get() {
            self.write_out();
        }
    }

    /// Writes the waiting lines. Errors lose only these lines.
    fn write_out(&self) {
        let mut pages = held(&self.pages);
        let lines: String = held(&self.waiting).drain(..).collect();
        if !lines.is_empty() {
            let _ = pages.append(&lines);
        }
    }
}

/// Starts the log in the folder of these runs. Only the first call of a process has an effect. Unless `make` is set, a
/// log is kept only if its folder exists.
pub fn begin(runs_root: &Path, make: bool, level: Level) {
    if !make && !runs_root.is_dir() {
        return;
    }
    let log = Log::new(Pages::new(folder(runs_root)), level);
    if LOG.set(log).is_ok()
        && let Some(log) = LOG.get()
    {
        recorder::install(log);
        note_panics();
    }
}

/// Sets the level of the log.
pub fn set_level(level: Level) {
    if let Some(log) = LOG.get() {
        log.level.store(level as u8, Ordering::Relaxed);
        recorder::level_changed(log);
    }
}

/// Removes these names from the log: of classes, of data, of the user's files.
pub fn keep_out<S: AsRef<str>>(names: impl IntoIterator<Item = S>) {
    if let Some(log) = LOG.get() {
        held(&log.redactor).add(names);
    }
}

/// Marks the calling thread as the window's, whose lines are written by another thread.
pub fn never_wait_here() {
    NEVER_WAITS.set(true);
}

/// Writes the remaining lines at the end of the program.
pub fn finish() {
    if let Some(log) = LOG.get() {
        log.write_out();
    }
}

/// Returns a Problem for the log: its position in the source, and its text without quoted values. If a Problem may
/// contain names of data, only the position is returned.
pub fn told(problem: &Problem) -> String {
    let mut text = format!("a Problem of {}", problem.origin.place());
    if problem.place.starts_with("--") {
        text += &format!(" about {}", problem.place);
    }
    let place = problem.origin.place();
    let about_data = place.starts_with("src/data/") || place.starts_with("src/session/");
    if !about_data {
        text += &format!(": {}", privacy::unquoted(&problem.what));
    }
    text
}

/// Whether panics are also written to standard error.
static SAID: AtomicBool = AtomicBool::new(true);

/// Logs panics before the previous hook handles them.
fn note_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        let text = about.payload_as_str().unwrap_or("no message");
        let lower = text.to_lowercase();
        // On a GPU without free memory, all waiting operations fail with the same message.
        let again = is_full(&lower) && device::note_out_of_memory();
        if !again
            && let Some(log) = LOG.get()
            && log.takes(Level::Error)
        {
            let thread = std::thread::current();
            let place = about
                .location()
                .map_or_else(String::new, |l| source_place(l.file(), l.line()));
            let name = thread.name().unwrap_or("unnamed");
            log.put(
                Level::Error,
                "panic",
                &format!("thread {name} at {place}: {text}"),
            );
            // Written immediately, because the program may be about to end.
            log.write_out();
        }
        // A lost or full GPU also ends threads of the framework; its user reports the error.
        if SAID.load(Ordering::Relaxed) && !is_loss(&lower) && !is_full(&lower) {
            before(about);
        }
    }));
}

/// Sets whether panics are also written to standard error.
pub fn log_panics(said: bool) {
    SAID.store(said, Ordering::Relaxed);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read_log(folder: &Path) -> String {
        std::fs::read_to_string(folder.join("lae-studio.log")).unwrap_or_default()
    }

    #[test]
    fn log_lines_are_redacted_and_single_line() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(Pages::new(folder.path().into()), Level::Info);
        held(&log.redactor).add(["zebra finch", "7", "a"]);
        log.put(
            Level::Info,
            "here",
            "7 a zebra finch\nof zebra finches \u{1b}[2J",
        );
        let text = read_log(folder.path());
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.contains("7 a ‹name› of zebra finches \\u{1b}[2J"),
            "{text}"
        );
    }

    #[test]
    fn ui_thread_queues_lines_without_writing() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(Pages::new(folder.path().into()), Level::Info);
        NEVER_WAITS.set(true);
        (0..MOST_WAITING + 5).for_each(|i| log.put(Level::Info, "here", &format!("line {i}.")));
        NEVER_WAITS.set(false);
        assert_eq!(read_log(folder.path()), "");
        log.write_out();
        let text = read_log(folder.path());
        assert_eq!(text.lines().count(), MOST_WAITING);
        assert!(
            !text.contains("line 4.") && text.contains("line 5.") && text.contains("line 1004.")
        );
    }

    #[test]
    fn unwritable_folder_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("log"), "a file in its place").unwrap();
        let log = Log::new(Pages::new(folder.path().join("log")), Level::Info);
        log.put(Level::Error, "here", "nobody reads this");
        assert!(held(&log.waiting).is_empty());
    }

    #[test]
    fn log_text_of_problems_omits_user_data() {
        let problem = Problem::new("class finch has no images").at("/home/me/birds");
        assert!(told(&problem).starts_with("a Problem of src/compute/logging/mod.rs:"));
        assert!(!told(&problem).contains("birds"));
        let quoting = Problem::new("no run is called \"birds\"").at("--run");
        let told = told(&quoting);
        assert!(
            told.ends_with(" about --run: no run is called ‹name›"),
            "{told}"
        );
        assert_eq!(Level::named(" Debug "), Some(Level::Debug));
        assert_eq!(Level::named("loud"), None);
    }
}
