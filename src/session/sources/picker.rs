//! The system's file dialog: from the desktop portal if there is one, otherwise from zenity. If both fail, only the log
//! reports it.

use std::time::{Duration, Instant};

use crate::logging;
use crate::session::chooser::{Choice, DialogPurpose};

/// A dialog that returns faster than this was not shown.
const TOO_SOON: Duration = Duration::from_millis(250);

/// Shows the dialog and waits for the result.
pub(super) fn pick(wanted: DialogPurpose, dialog: rfd::FileDialog) -> Choice {
    let (asked, failed) = (Instant::now(), logging::failed_dialogs());
    let chosen = match wanted.to_write() {
        Some(_) => dialog.save_file().map(Choice::Path),
        None if wanted.is_folder() => dialog.pick_folder().map(Choice::Path),
        None if wanted.takes_several() => dialog.pick_files().map(Choice::Paths),
        None => dialog.pick_file().map(Choice::Path),
    };
    match chosen {
        Some(choice) => choice,
        None if asked.elapsed() < TOO_SOON || logging::failed_dialogs() > failed => {
            Choice::NoDialog
        }
        None => Choice::Cancelled,
    }
}
