//! The desktop's file dialog: the portal's where there is one, else zenity's.

use std::time::{Duration, Instant};

use crate::session::chooser::{Choice, Wanted};

/// Nobody cancels a dialog this soon after it was asked for: none came up.
const TOO_SOON: Duration = Duration::from_millis(250);

/// Shows the dialog and waits for the answer.
pub(super) fn pick(wanted: Wanted, dialog: rfd::FileDialog) -> Choice {
    let asked = Instant::now();
    let path = match wanted.to_write() {
        Some(_) => dialog.save_file(),
        None if wanted.is_folder() => dialog.pick_folder(),
        None => dialog.pick_file(),
    };
    match path {
        Some(path) => Choice::Path(path),
        None if asked.elapsed() < TOO_SOON => Choice::NoDialog,
        None => Choice::Cancelled,
    }
}
