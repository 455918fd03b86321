//! The sources of log lines: this program through `tracing`, and warnings of GPU and window libraries through
//! `tracing` or `log`.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, Subscriber};
use tracing::{Event, Metadata};

use super::{Level, Log};

/// Returns the module of a target of this program (`lae_PACKAGE::MODULE`); `None` for other targets.
fn own_module(target: &str) -> Option<&str> {
    let rest = target.strip_prefix("lae_")?;
    Some(rest.split_once("::").map_or("", |(_, module)| module))
}

/// Largest number of lines from libraries per process, so that a driver with a warning in every frame does not
/// displace other lines.
const MAX_FOREIGN_LINES: usize = 300;
/// The module that logs that a file dialog could not be shown, neither by the desktop portal nor by zenity.
const DIALOG_MODULE: &str = "rfd::backend::xdg_desktop_portal";
/// Number of these log messages.
static FAILED_DIALOGS: AtomicUsize = AtomicUsize::new(0);

/// Receives lines and passes the relevant ones to the log.
struct Recorder {
    log: &'static Log,
    foreign_lines: AtomicUsize,
}

impl Recorder {
    /// Counts a line of a library; returns whether the limit was reached before.
    fn exceeds_limit(&self) -> bool {
        self.foreign_lines.fetch_add(1, Ordering::Relaxed) >= MAX_FOREIGN_LINES
    }

    fn accepts(&self, target: &str, level: Level) -> bool {
        (own_module(target).is_some() || level <= Level::Warn) && self.log.is_enabled(level)
    }
}

/// Returns the number of file dialogs that could not be shown. The library that shows them reports this only in the
/// log.
pub fn failed_dialog_count() -> usize {
    FAILED_DIALOGS.load(Ordering::Relaxed)
}

/// Installs the log as the target of `tracing` and `log`.
pub(super) fn install(log: &'static Log) {
    let recorder = || Recorder { log, foreign_lines: AtomicUsize::new(0) };
    // In tests, another logger may be installed already; then that one receives the lines.
    let _ = tracing::subscriber::set_global_default(recorder());
    let _ = log::set_boxed_logger(Box::new(recorder()));
    update_level(log);
}

/// Sets the levels of `tracing` and `log`, so that lines of lower levels are not formatted.
pub(super) fn update_level(log: &Log) {
    log::set_max_level(match log.is_enabled(Level::Warn) {
        true => log::LevelFilter::Warn,
        // Failed dialogs are counted even if they are not logged.
        false => log::LevelFilter::Error,
    });
    tracing::callsite::rebuild_interest_cache();
}

fn convert_level(level: tracing::Level) -> Option<Level> {
    match level {
        tracing::Level::ERROR => Some(Level::Error),
        tracing::Level::WARN => Some(Level::Warn),
        tracing::Level::INFO => Some(Level::Info),
        tracing::Level::DEBUG => Some(Level::Debug),
        _ => None,
    }
}

/// The message of an event, and its other fields as `key=value`.
#[derive(Default)]
struct FieldVisitor {
    message: String,
    fields: String,
}

impl Visit for FieldVisitor {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing into a String does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl Subscriber for Recorder {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        match metadata.is_event() && self.enabled(metadata) {
            true => Interest::always(),
            false => Interest::never(),
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let level = convert_level(*metadata.level());
        metadata.is_event() && level.is_some_and(|level| self.accepts(metadata.target(), level))
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let target = event.metadata().target();
        let Some(level) = convert_level(*event.metadata().level()) else {
            return;
        };
        let module = own_module(target);
        if module.is_none() && self.exceeds_limit() {
            return;
        }
        let mut visitor = FieldVisitor::default();
        event.record(&mut visitor);
        let source = module.unwrap_or(target);
        let text = format!("{}{}", visitor.message, visitor.fields);
        self.log.write_line(level, source, &text);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl log::Log for Recorder {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record<'_>) {
        if record.level() == log::Level::Error && record.target() == DIALOG_MODULE {
            FAILED_DIALOGS.fetch_add(1, Ordering::Relaxed);
        }
        let level = match record.level() {
            log::Level::Error => Level::Error,
            _ => Level::Warn,
        };
        // Lines of this program arrive through `tracing`, so they are skipped here.
        let is_own = own_module(record.target()).is_some();
        if log::Log::enabled(self, record.metadata())
            && !is_own
            && self.accepts(record.target(), level)
            && !self.exceeds_limit()
        {
            self.log.write_line(level, record.target(), &record.args().to_string());
        }
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use super::super::LogFiles;
    use super::*;

    #[test]
    fn filters_own_lines_and_limits_foreign_warnings() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(LogFiles::new(folder.path().into()), Level::Info);
        let log: &'static Log = Box::leak(Box::new(log));
        let recorder = Recorder { log, foreign_lines: AtomicUsize::new(0) };
        tracing::subscriber::with_default(recorder, || {
            tracing::info!(target: "lae_training::engine", batch = 24, "begun");
            tracing::debug!(target: "lae_training::engine", "not at this level");
            tracing::info!(target: "wgpu_core", "not worth keeping");
            for number in 0..MAX_FOREIGN_LINES + 50 {
                tracing::warn!(target: "wgpu_core", number, "the driver complains");
            }
        });
        let text = std::fs::read_to_string(folder.path().join("lae-studio.log")).unwrap();
        assert!(text.contains(" INFO  engine: begun batch=24\n"), "{text}");
        assert!(!text.contains("not "), "{text}");
        let foreign = text.matches("WARN  wgpu_core: the driver complains number=");
        assert_eq!(foreign.count(), MAX_FOREIGN_LINES);
    }
}
