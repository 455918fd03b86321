//! The log: what the program did, in a file beside the runs, to find out why
//! something went wrong.
//!
//! It holds the version and the machine, what was asked, how jobs began and ended, Problems and
//! panics with their place in the source, slow frames, and what graphics libraries warn of. It never
//! holds images, names of classes or of data: what may carry a name is left out at the source
//! (`run::diary`), and what slips through is struck out ([`keep_out`]). It never writes to standard
//! error, and a log that cannot be written is a log that is not there.

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
pub use privacy::{Veil, source_place};
pub use recorder::failed_dialogs;

/// Folder of the log below that of the runs.
const FOLDER: &str = "log";
/// Lines that wait to be written at most; older ones make room.
const MOST_WAITING: usize = 1000;

/// How much is kept.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Hash,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// Also problems after which the program continued.
    Warn,
    /// Also what was asked, and how it began and ended.
    #[default]
    Info,
    /// Also every pass over a task's images and every prediction.
    Debug,
}

impl Level {
    /// All of them, with the name on the command line and the message of its title.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Off, "off", "settings-log-off"),
        (Self::Error, "error", "settings-log-error"),
        (Self::Warn, "warn", "settings-log-warn"),
        (Self::Info, "info", "settings-log-info"),
        (Self::Debug, "debug", "settings-log-debug"),
    ];

    /// The level of this name.
    pub fn named(name: &str) -> Option<Self> {
        let lower = name.trim().to_lowercase();
        let found = Self::ALL.iter().find(|(_, key, _)| *key == lower);
        found.map(|(level, _, _)| *level)
    }
}

/// Where the log of the runs in this folder is.
pub fn folder(runs_root: &Path) -> PathBuf {
    runs_root.join(FOLDER)
}

/// A log: its pages on disk, and what waits for them.
pub(crate) struct Log {
    pages: Mutex<Pages>,
    waiting: Mutex<VecDeque<String>>,
    veil: Mutex<Veil>,
    level: AtomicU8,
}

/// The program's log, from [`begin`] on.
static LOG: OnceLock<Log> = OnceLock::new();

thread_local! {
    /// Whether this thread may not wait for a disk.
    static NEVER_WAITS: Cell<bool> = const { Cell::new(false) };
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A line is put or taken in one step; after a panic elsewhere the rest is as good as before.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Log {
    fn new(pages: Pages, level: Level) -> Self {
        Self {
            pages: Mutex::new(pages),
            waiting: Mutex::default(),
            veil: Mutex::new(Veil::of_this_person()),
            level: AtomicU8::new(level as u8),
        }
    }

    fn takes(&self, level: Level) -> bool {
        level as u8 <= self.level.load(Ordering::Relaxed)
    }

    /// Writes a line, or leaves it for another thread where this one may not wait.
    fn put(&self, level: Level, from: &str, text: &str) {
        let text = held(&self.veil).over(text);
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

    /// Writes what waits. A page that cannot be written costs its lines and nothing else.
    fn write_out(&self) {
        let mut pages = held(&self.pages);
        let lines: String = held(&self.waiting).drain(..).collect();
        if !lines.is_empty() {
            let _ = pages.append(&lines);
        }
    }
}

/// Begins the log in the folder of these runs. Only the first call of a process counts. Where the
/// folder is not to be made, a log is kept only if it is there.
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

/// Keeps so much from now on.
pub fn set_level(level: Level) {
    if let Some(log) = LOG.get() {
        log.level.store(level as u8, Ordering::Relaxed);
        recorder::level_changed(log);
    }
}

/// Names that must not get into the log: of classes, of data, of the user's files.
pub fn keep_out<S: AsRef<str>>(names: impl IntoIterator<Item = S>) {
    if let Some(log) = LOG.get() {
        held(&log.veil).add(names);
    }
}

/// Says that the calling thread draws the window: what it has to say, another one writes.
pub fn never_wait_here() {
    NEVER_WAITS.set(true);
}

/// Writes what is left at the end of the program.
pub fn finish() {
    if let Some(log) = LOG.get() {
        log.write_out();
    }
}

/// A Problem as the log may keep it: where in the source it was made, and what it says without
/// what it quotes. Of Problems that are likely to name data it says no more than the place.
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

/// Whether panics are written to standard error.
static SAID: AtomicBool = AtomicBool::new(true);

/// Logs panics before the previous hook handles them.
fn note_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        let text = about.payload_as_str().unwrap_or("no message");
        let lower = text.to_lowercase();
        // A GPU without free memory has every operation that waits fail with the same words.
        let again = is_full(&lower) && device::full();
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
            // Whatever thread it is: the program may be about to end.
            log.write_out();
        }
        // A lost or full GPU ends threads of the framework, too; its user reports that.
        if SAID.load(Ordering::Relaxed) && !is_loss(&lower) && !is_full(&lower) {
            before(about);
        }
    }));
}

/// Whether panics are written to standard error, too, and not in the log alone.
pub fn say_panics(said: bool) {
    SAID.store(said, Ordering::Relaxed);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn kept(folder: &Path) -> String {
        std::fs::read_to_string(folder.join("lae-studio.log")).unwrap_or_default()
    }

    #[test]
    fn lines_hold_no_names_and_stay_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(Pages::new(folder.path().into()), Level::Info);
        held(&log.veil).add(["zebra finch", "7", "a"]);
        log.put(
            Level::Info,
            "here",
            "7 a zebra finch\nof zebra finches \u{1b}[2J",
        );
        let text = kept(folder.path());
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.contains("7 a ‹name› of zebra finches \\u{1b}[2J"),
            "{text}"
        );
    }

    #[test]
    fn a_thread_that_draws_leaves_its_lines_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(Pages::new(folder.path().into()), Level::Info);
        NEVER_WAITS.set(true);
        (0..MOST_WAITING + 5).for_each(|i| log.put(Level::Info, "here", &format!("line {i}.")));
        NEVER_WAITS.set(false);
        assert_eq!(kept(folder.path()), "");
        log.write_out();
        let text = kept(folder.path());
        assert_eq!(text.lines().count(), MOST_WAITING);
        assert!(
            !text.contains("line 4.") && text.contains("line 5.") && text.contains("line 1004.")
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("log"), "a file in its place").unwrap();
        let log = Log::new(Pages::new(folder.path().join("log")), Level::Info);
        log.put(Level::Error, "here", "nobody reads this");
        assert!(held(&log.waiting).is_empty());
    }

    #[test]
    fn problems_of_data_keep_their_words_to_themselves() {
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
