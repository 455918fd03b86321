//! The log: a file next to the runs with what the program did, to find the cause of problems.
//!
//! It contains the version and the machine, commands, start and end of jobs, Problems and panics with their position in
//! the source, slow frames, and warnings of graphics libraries. It never contains images, or names of classes or data:
//! values that may contain names are omitted at the source (`run::event_log`), and the rest is removed by [`redact`].
//! Nothing is written to standard error. Errors while writing the log are ignored.

mod file;
mod privacy;
mod recorder;

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};

use serde::{Deserialize, Serialize};

use crate::device;
use crate::problem::Problem;
use crate::sync::lock;
use crate::tensors::{is_device_lost, is_out_of_memory};
pub use file::LogFiles;
pub use privacy::{Redactor, format_source_location};
pub use recorder::failed_dialog_count;

/// Folder of the log, inside the folder of runs.
const FOLDER: &str = "log";
/// Maximum number of lines waiting to be written; the oldest are dropped.
const MAX_QUEUED_LINES: usize = 1000;

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
    pub fn from_name(name: &str) -> Option<Self> {
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
    files: Mutex<LogFiles>,
    queue: Mutex<VecDeque<String>>,
    redactor: Mutex<Redactor>,
    level: AtomicU8,
}

/// The log of the program, after [`init`].
static LOG: OnceLock<Log> = OnceLock::new();

thread_local! {
    /// Whether this thread must not wait for a disk.
    static IS_UI_THREAD: Cell<bool> = const { Cell::new(false) };
}

impl Log {
    fn new(files: LogFiles, level: Level) -> Self {
        Self {
            files: Mutex::new(files),
            queue: Mutex::default(),
            redactor: Mutex::new(Redactor::for_current_user()),
            level: AtomicU8::new(level as u8),
        }
    }

    fn is_enabled(&self, level: Level) -> bool {
        level as u8 <= self.level.load(Ordering::Relaxed)
    }

    /// Writes a line, or leaves it to another thread if this one must not wait.
    fn write_line(&self, level: Level, source: &str, text: &str) {
        let text = lock(&self.redactor).redact(text);
        let mut queue = lock(&self.queue);
        if queue.len() >= MAX_QUEUED_LINES {
            queue.pop_front();
        }
        queue.push_back(file::format_line(level, source, &text));
        drop(queue);
        if !IS_UI_THREAD.get() {
            self.flush();
        }
    }

    /// Writes the waiting lines. Errors lose only these lines.
    fn flush(&self) {
        let mut files = lock(&self.files);
        let lines: String = lock(&self.queue).drain(..).collect();
        if !lines.is_empty() {
            let _ = files.append(&lines);
        }
    }
}

/// Starts the log in the folder of these runs. Only the first call has an effect. Unless `create` is set, a
/// log is kept only if its folder exists.
pub fn init(runs_root: &Path, create: bool, level: Level) {
    if !create && !runs_root.is_dir() {
        return;
    }
    let log = Log::new(LogFiles::new(folder(runs_root)), level);
    if LOG.set(log).is_ok()
        && let Some(log) = LOG.get()
    {
        recorder::install(log);
        install_panic_hook();
    }
}

/// Sets the level of the log.
pub fn set_level(level: Level) {
    if let Some(log) = LOG.get() {
        log.level.store(level as u8, Ordering::Relaxed);
        recorder::update_level(log);
    }
}

/// Redacts these names in the log: names of classes, data and the user's files.
pub fn redact<S: AsRef<str>>(names: impl IntoIterator<Item = S>) {
    if let Some(log) = LOG.get() {
        lock(&log.redactor).add(names);
    }
}

/// Marks the calling thread as the window's, whose lines are written by another thread.
pub fn mark_ui_thread() {
    IS_UI_THREAD.set(true);
}

/// Writes the remaining lines at the end of the program.
pub fn finish() {
    if let Some(log) = LOG.get() {
        log.flush();
    }
}

/// Returns a Problem for the log: its position in the source, and its text without quoted values. If a Problem may
/// contain names of data, only the position is returned.
pub fn describe_problem(problem: &Problem) -> String {
    let mut text = format!("a Problem of {}", problem.origin.location());
    if problem.place.starts_with("--") {
        text += &format!(" about {}", problem.place);
    }
    let origin = problem.origin.location();
    let about_data = origin.starts_with("src/data/") || origin.starts_with("src/session/");
    if !about_data {
        text += &format!(": {}", privacy::redact_quoted(&problem.what));
    }
    text
}

/// Whether panics are also written to standard error.
static PRINT_PANICS: AtomicBool = AtomicBool::new(true);

/// Logs panics before the previous hook handles them.
fn install_panic_hook() {
    let previous_hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or("no message");
        let lower = text.to_lowercase();
        // On a GPU without free memory, all waiting operations fail with the same message.
        let is_repeated = is_out_of_memory(&lower) && device::record_out_of_memory();
        if !is_repeated
            && let Some(log) = LOG.get()
            && log.is_enabled(Level::Error)
        {
            let thread = std::thread::current();
            let place = info
                .location()
                .map_or_else(String::new, |l| format_source_location(l.file(), l.line()));
            let name = thread.name().unwrap_or("unnamed");
            log.write_line(Level::Error, "panic", &format!("thread {name} at {place}: {text}"));
            // Written immediately, because the program may be about to end.
            log.flush();
        }
        // A lost or full GPU also ends threads of the framework; its user reports the error.
        if PRINT_PANICS.load(Ordering::Relaxed)
            && !is_device_lost(&lower)
            && !is_out_of_memory(&lower)
        {
            previous_hook(info);
        }
    }));
}

/// Sets whether panics are also written to standard error.
pub fn set_print_panics(enabled: bool) {
    PRINT_PANICS.store(enabled, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_log(folder: &Path) -> String {
        std::fs::read_to_string(folder.join("lae-studio.log")).unwrap_or_default()
    }

    #[test]
    fn log_lines_are_redacted_and_single_line() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(LogFiles::new(folder.path().into()), Level::Info);
        lock(&log.redactor).add(["zebra finch", "7", "a"]);
        log.write_line(Level::Info, "here", "7 a zebra finch\nof zebra finches \u{1b}[2J");
        let text = read_log(folder.path());
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("7 a ‹name› of zebra finches \\u{1b}[2J"), "{text}");
    }

    #[test]
    fn ui_thread_queues_lines_without_writing() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(LogFiles::new(folder.path().into()), Level::Info);
        IS_UI_THREAD.set(true);
        (0..MAX_QUEUED_LINES + 5)
            .for_each(|i| log.write_line(Level::Info, "here", &format!("line {i}.")));
        IS_UI_THREAD.set(false);
        assert_eq!(read_log(folder.path()), "");
        log.flush();
        let text = read_log(folder.path());
        assert_eq!(text.lines().count(), MAX_QUEUED_LINES);
        assert!(
            !text.contains("line 4.") && text.contains("line 5.") && text.contains("line 1004.")
        );
    }

    #[test]
    fn unwritable_folder_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("log"), "a file in its place").unwrap();
        let log = Log::new(LogFiles::new(folder.path().join("log")), Level::Info);
        log.write_line(Level::Error, "here", "nobody reads this");
        assert!(lock(&log.queue).is_empty());
    }

    #[test]
    fn log_text_of_problems_omits_user_data() {
        let problem = Problem::new("class finch has no images").at("/home/me/birds");
        assert!(describe_problem(&problem).starts_with("a Problem of src/compute/logging/mod.rs:"));
        assert!(!describe_problem(&problem).contains("birds"));
        let quoting = Problem::new("no run is called \"birds\"").at("--run");
        let text = describe_problem(&quoting);
        assert!(text.ends_with(" about --run: no run is called ‹name›"), "{text}");
        assert_eq!(Level::from_name(" Debug "), Some(Level::Debug));
        assert_eq!(Level::from_name("loud"), None);
    }
}
