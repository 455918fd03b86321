//! Single files: images to predict, images of a class, downloads, and the system's file dialog.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Disk;
use crate::backbone::library::BackboneLibrary;
use crate::data::image_kind::thumbnail_of;
use crate::data::{FULL_DEPTH, decode_picture_file, published};
use crate::logging;
use crate::problem::{Problem, Result};
use crate::run::event::Picture;
use crate::session::chooser::{Choice, DialogPurpose};
use crate::session::collection::{CollectedPicture, MOST};
use crate::session::downloads::{Item, Transfer};
use crate::session::words::by_number;
use crate::tr;

/// A dialog that returns faster than this was not shown.
const TOO_SOON: Duration = Duration::from_millis(250);

impl Disk {
    /// Opens a report in the browser.
    pub fn show_page(&self, path: &Path) -> Result<()> {
        show(path, "notices-no-program-pages")
    }

    /// Reads an image file for Predict in full size and with the run's bit depth, so that the network receives the same
    /// input as in testing.
    pub fn picture(&self, path: &Path, bit_depth: usize) -> Result<Picture> {
        if path.is_dir() {
            return Err(Problem::new(tr!("notices-folder-not-image"))
                .at_path(path)
                .advise(tr!("notices-folder-not-image-advice")));
        }
        let image = decode_picture_file(path, bit_depth)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Picture::new(name, image))
    }

    /// Returns the images that a path adds to a class: the file itself, or all images in the folder.
    pub fn pieces(&self, path: &Path) -> Result<Vec<CollectedPicture>> {
        if !path.is_dir() {
            return Ok(vec![piece(path)?]);
        }
        let entries = std::fs::read_dir(path)
            .map_err(|error| Problem::io("open this folder", path, &error))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
        files.sort_by(|a, b| by_number(&a.to_string_lossy(), &b.to_string_lossy()));
        let read = files.iter().filter_map(|file| piece(file).ok());
        let pieces: Vec<CollectedPicture> = read.take(MOST).collect();
        match pieces.is_empty() {
            true => Err(Problem::new(tr!("notices-folder-without-images"))
                .at_path(path)
                .advise(tr!("notices-folder-without-images-advice"))),
            false => Ok(pieces),
        }
    }

    /// Shows a file's folder in the system's file manager and returns the folder.
    pub fn reveal(&self, path: &Path) -> Result<PathBuf> {
        let folder = path.parent().unwrap_or(path);
        if !folder.is_dir() {
            return Err(Problem::new(tr!("notices-folder-missing")).at_path(folder));
        }
        show(folder, "notices-no-file-manager").map(|()| folder.to_path_buf())
    }
}

fn piece(file: &Path) -> Result<CollectedPicture> {
    Ok(CollectedPicture {
        picture: thumbnail_of(file, FULL_DEPTH)?.into(),
        file: Some(file.to_path_buf()),
    })
}

/// Returns a Problem if no run can be saved in this folder.
pub(super) fn unwritable(runs_root: &Path) -> Option<Problem> {
    let tried = std::fs::create_dir_all(runs_root).and_then(|()| tempfile::tempfile_in(runs_root));
    let error = tried.err()?;
    let told = Problem::new(tr!(
        "notices-run-folder-unwritable",
        why = error.to_string()
    ));
    Some(
        told.at_path(runs_root)
            .advise(tr!("notices-run-folder-unwritable-advice")),
    )
}

/// Opens a file or folder in its default program. `lacking` is the message if there is no such program.
fn show(path: &Path, lacking: &'static str) -> Result<()> {
    let program = match () {
        () if cfg!(windows) => "explorer",
        () if cfg!(target_os = "macos") => "open",
        () => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null());
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Explorer returns 1 even on success.
    let shown = ended.is_ok_and(|status| status.success() || cfg!(windows));
    shown.then_some(()).ok_or_else(|| {
        Problem::new(tr!(lacking))
            .at_path(path)
            .advise(tr!("notices-no-file-manager-advice"))
    })
}

/// Downloads a published dataset or a backbone's weights; an interrupted download is continued.
pub(super) fn download(item: &Item, transfer: &Transfer) -> Result<()> {
    match item {
        Item::Data(name) => {
            let set = published::published(name).ok_or_else(|| {
                Problem::new(tr!("notices-dataset-not-published", name = name.as_str()))
            })?;
            set.download(&mut |progress| transfer.step(progress))?;
        }
        Item::Weights(name) => {
            let library = BackboneLibrary::usual();
            match library.entry(name) {
                Some(entry) => drop(library.obtain(entry, &mut |now| transfer.step(now))?),
                None => library.download_unlisted(name, &mut |now| transfer.step(now))?,
            }
        }
    }
    Ok(())
}

/// Shows the system's file dialog and waits for the result. It is from the desktop portal if there is one, otherwise
/// from zenity. If both fail, only the log reports it.
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
