//! Gathered images written as an image folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::{CollectedPicture, Collection};
use crate::files::{names::portable, sync_all, sync_folder};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Picture;

/// Prefix of a folder that is being written.
const UNFINISHED: &str = ".unfinished-";
/// Writing never takes longer than this.
const STALE: Duration = Duration::from_secs(24 * 3600);

impl Collection {
    /// Writes the images into a new folder in `root`, with one subfolder per class, and returns its path. On failure
    /// nothing is left.
    ///
    /// # Errors
    /// Returns a Problem if an image cannot be read or written.
    pub fn save(&self, root: &Path) -> Result<PathBuf> {
        let wrong = |error| Problem::io("create the folder for your images", root, &error);
        std::fs::create_dir_all(root).map_err(wrong)?;
        sweep(root);
        let unfinished = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(root)
            .map_err(wrong)?;
        for group in &self.groups {
            let folder = unfinished.path().join(portable(group.name.trim()));
            std::fs::create_dir(&folder)
                .map_err(|error| Problem::io("create the folder of a class", &folder, &error))?;
            let pieces = (1..).zip(&group.pieces);
            let saved = pieces.map(|(number, piece)| piece.save(&folder, number));
            let saved = saved.collect::<Result<Vec<_>>>()?;
            sync_all(&saved).map_err(|error| Problem::io("save an image", &folder, &error))?;
            sync_folder(Some(&folder));
        }
        sync_folder(Some(unfinished.path()));
        let place = free(root, &portable(self.name.trim()));
        std::fs::rename(unfinished.path(), &place)
            .map_err(|error| Problem::io("rename the folder of your images", &place, &error))?;
        // It was renamed, so nothing is left to remove.
        let _ = unfinished.keep();
        sync_folder(Some(root));
        Ok(place)
    }
}

impl CollectedPicture {
    /// Writes the image into a class's folder and returns its path.
    fn save(&self, folder: &Path, number: usize) -> Result<PathBuf> {
        if let Some(file) = &self.file {
            let ending = file.extension().unwrap_or_default().to_string_lossy();
            let to = folder.join(format!("{number:04}.{}", ending.to_lowercase()));
            let copied = std::fs::copy(file, &to);
            copied.map_err(|error| Problem::io("copy an image", file, &error))?;
            return Ok(to);
        }
        let to = folder.join(format!("{number:04}.png"));
        std::fs::write(&to, png(&self.picture)?)
            .map_err(|error| Problem::io("save an image", &to, &error))?;
        Ok(to)
    }
}

/// Returns the bytes of a PNG file.
///
/// # Errors
/// Returns a Problem for a size that PNG does not support.
pub(in crate::session) fn png(picture: &Picture) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (picture.width as u32, picture.height as u32);
    let kind = ExtendedColorType::Rgb8;
    let written = PngEncoder::new(&mut bytes).write_image(&picture.rgb, width, height, kind);
    written.map_err(|error| {
        let why = error.to_string();
        Problem::new(message!("predict-collect-image-unwritten", error = why))
    })?;
    Ok(bytes)
}

/// Removes unfinished folders of a program that was killed.
fn sweep(root: &Path) {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|about| about.modified());
        let old = written.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE));
        if old && entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // A failed removal is tried again next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns a name that is free in `root`: this one, or with a number.
fn free(root: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| root.join(format!("{name} {number}")));
    let mut all = std::iter::once(root.join(name)).chain(numbered);
    let place = all.find(|place| !place.exists());
    place.unwrap_or_else(|| root.join(name))
}
