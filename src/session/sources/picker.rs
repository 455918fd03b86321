//! The system's file dialog: the portal's if there is one, else zenity's. Only the log reports failures of both.

use std::time::{Duration, Instant};

use crate::logging;
use crate::session::chooser::{Choice, DialogPurpose};

/// A dialog that is cancelled faster than this was never shown.
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
