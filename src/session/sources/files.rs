//! Single files: images to predict, images of a class, downloads, and the system's file dialog.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Disk;
use crate::backbone::library::BackboneLibrary;
use crate::data::image_kind::load_thumbnail;
use crate::data::{FULL_DEPTH, decode_image_file, published};
use crate::logging;
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;
use crate::session::collection::{CollectedImage, MAX_IMAGES};
use crate::session::downloads::{Item, Transfer};
use crate::session::file_dialog::{Choice, DialogPurpose};
use crate::session::formatting::compare_natural;
use crate::tr;

/// A dialog that returns faster than this was not shown.
const MIN_DIALOG_TIME: Duration = Duration::from_millis(250);

impl Disk {
    /// Opens a report in the browser.
    pub fn open_report(&self, path: &Path) -> Result<()> {
        open_path(path, "notices-no-program-pages")
    }

    /// Reads an image file for Predict in full size and with the run's bit depth, so that the network receives the same
    /// input as in testing.
    pub fn read_image(&self, path: &Path, bit_depth: usize) -> Result<NamedImage> {
        if path.is_dir() {
            return Err(Problem::new(tr!("notices-folder-not-image"))
                .at_path(path)
                .advise(tr!("notices-folder-not-image-advice")));
        }
        let image = decode_image_file(path, bit_depth)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(NamedImage::new(name, image))
    }

    /// Returns the images that a path adds to a class: the file itself, or all images in the folder.
    pub fn read_class_images(&self, path: &Path) -> Result<Vec<CollectedImage>> {
        if !path.is_dir() {
            return Ok(vec![read_collected_image(path)?]);
        }
        let entries = std::fs::read_dir(path)
            .map_err(|error| Problem::io("open this folder", path, &error))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
        files.sort_by(|a, b| compare_natural(&a.to_string_lossy(), &b.to_string_lossy()));
        let readable = files.iter().filter_map(|file| read_collected_image(file).ok());
        let images: Vec<CollectedImage> = readable.take(MAX_IMAGES).collect();
        match images.is_empty() {
            true => Err(Problem::new(tr!("notices-folder-without-images"))
                .at_path(path)
                .advise(tr!("notices-folder-without-images-advice"))),
            false => Ok(images),
        }
    }

    /// Shows a file's folder in the system's file manager and returns the folder.
    pub fn reveal(&self, path: &Path) -> Result<PathBuf> {
        let folder = path.parent().unwrap_or(path);
        if !folder.is_dir() {
            return Err(Problem::new(tr!("notices-folder-missing")).at_path(folder));
        }
        open_path(folder, "notices-no-file-manager").map(|()| folder.to_path_buf())
    }
}

fn read_collected_image(file: &Path) -> Result<CollectedImage> {
    Ok(CollectedImage {
        image: load_thumbnail(file, FULL_DEPTH)?.into(),
        file: Some(file.to_path_buf()),
    })
}

/// Returns a Problem if no run can be saved in this folder.
pub(super) fn unwritable_problem(runs_root: &Path) -> Option<Problem> {
    let result = std::fs::create_dir_all(runs_root).and_then(|()| tempfile::tempfile_in(runs_root));
    let error = result.err()?;
    let problem = Problem::new(tr!("notices-run-folder-unwritable", why = error.to_string()));
    Some(problem.at_path(runs_root).advise(tr!("notices-run-folder-unwritable-advice")))
}

/// Opens a file or folder in its default program. `missing_message` is the message if there is no such program.
fn open_path(path: &Path, missing_message: &'static str) -> Result<()> {
    let program = match () {
        () if cfg!(windows) => "explorer",
        () if cfg!(target_os = "macos") => "open",
        () => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null());
    let result = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Explorer returns 1 even on success.
    let is_shown = result.is_ok_and(|status| status.success() || cfg!(windows));
    is_shown.then_some(()).ok_or_else(|| {
        Problem::new(tr!(missing_message))
            .at_path(path)
            .advise(tr!("notices-no-file-manager-advice"))
    })
}

/// Downloads a published dataset or a backbone's weights; an interrupted download is continued.
pub(super) fn download(item: &Item, transfer: &Transfer) -> Result<()> {
    match item {
        Item::Data(name) => {
            let set = published::find_published(name).ok_or_else(|| {
                Problem::new(tr!("notices-dataset-not-published", name = name.as_str()))
            })?;
            set.download(&mut |progress| transfer.record_progress(progress))?;
        }
        Item::Weights(name) => {
            let library = BackboneLibrary::with_default_locations();
            match library.entry(name) {
                Some(entry) => drop(
                    library.obtain(entry, &mut |progress| transfer.record_progress(progress))?,
                ),
                None => library
                    .download_unlisted(name, &mut |progress| transfer.record_progress(progress))?,
            }
        }
    }
    Ok(())
}

/// Shows the system's file dialog and waits for the result. It is from the desktop portal if there is one, otherwise
/// from zenity. If both fail, only the log reports it.
pub(super) fn pick(purpose: DialogPurpose, dialog: rfd::FileDialog) -> Choice {
    let (start, failed_before) = (Instant::now(), logging::failed_dialog_count());
    let chosen = match purpose.default_file_name() {
        Some(_) => dialog.save_file().map(Choice::Path),
        None if purpose.is_folder() => dialog.pick_folder().map(Choice::Path),
        None if purpose.allows_multiple() => dialog.pick_files().map(Choice::Paths),
        None => dialog.pick_file().map(Choice::Path),
    };
    match chosen {
        Some(choice) => choice,
        None if start.elapsed() < MIN_DIALOG_TIME
            || logging::failed_dialog_count() > failed_before =>
        {
            Choice::NoDialog
        }
        None => Choice::Cancelled,
    }
}
