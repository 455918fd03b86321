//! Images written as a new image folder: a subfolder for each class.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use crate::experiment::sheet::Sorted;
use crate::files::{names::Names, sync_all, sync_folder};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Picture;

/// Prefix of a folder whose images are being written.
const UNFINISHED: &str = ".unfinished-";
/// An unfinished folder older than this is left over, because writing never takes this long.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// An image to write.
pub(super) struct Piece<'a> {
    /// The image's class; `None` if it belongs to none of the classes.
    pub class: Option<&'a str>,
    /// The file name without extension.
    pub stem: String,
    pub content: Content<'a>,
}

/// The content of an image.
pub(super) enum Content<'a> {
    /// A file, which is copied unchanged.
    File(&'a Path),
    /// Pixels, which become a PNG file.
    Pixels(&'a Picture),
}

/// Copies files into a new folder with a subfolder for each class. Unreadable images are not copied. Returns the number
/// of copied files.
///
/// # Errors
/// Returns a Problem if the folder is not empty or a file cannot be copied; nothing is left in that case.
pub fn copy_by_class(copies: &[(PathBuf, Sorted)], to: &Path) -> Result<usize> {
    let pieces = copies.iter().filter_map(|(file, sorted)| {
        let class = match sorted {
            Sorted::As(class) => Some(class.as_str()),
            Sorted::NoneOfThese => None,
            Sorted::Unreadable => return None,
        };
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        Some(Piece {
            class,
            stem: stem.into_owned(),
            content: Content::File(file),
        })
    });
    write(pieces, to)
}

/// Checks that a folder is empty or does not exist.
///
/// # Errors
/// Returns a Problem if the folder is not empty.
pub fn check_new(to: &Path) -> Result<()> {
    let is_free = match std::fs::read_dir(to) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !to.exists(),
    };
    if !is_free {
        return Err(Problem::new(message!("problem-folder-not-empty"))
            .at_path(to)
            .advise(message!("advice-remove-or-rename-folder")));
    }
    Ok(())
}

/// Writes images into a new folder with a subfolder for each class. Returns the number of images.
///
/// # Errors
/// As [`copy_by_class`].
pub(super) fn write<'a>(pieces: impl IntoIterator<Item = Piece<'a>>, to: &Path) -> Result<usize> {
    check_new(to)?;
    let beside = match to.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let wrong = |path: &Path, error| Problem::io("create a folder for images", path, &error);
    let unfinished = std::fs::create_dir_all(beside).and_then(|()| {
        let mut folder = tempfile::Builder::new();
        folder.prefix(UNFINISHED).tempdir_in(beside)
    });
    let unfinished = unfinished.map_err(|error| wrong(beside, error))?;
    // This inner folder gets the usual permissions, unlike a temporary folder.
    let whole = unfinished.path().join("whole");
    std::fs::create_dir(&whole).map_err(|error| wrong(&whole, error))?;
    let (mut folders, mut classes) = (HashMap::new(), Names::default());
    let mut saved = Vec::new();
    for piece in pieces {
        let class = piece.class.unwrap_or("none_of_these");
        let (folder, names) = folders
            .entry(piece.class)
            .or_insert_with(|| (whole.join(classes.take(class, "")), Names::default()));
        std::fs::create_dir_all(&*folder).map_err(|error| wrong(folder, error))?;
        saved.push(piece.save(folder, names)?);
    }
    sync_all(&saved).map_err(|error| Problem::io("save an image", to, &error))?;
    folders
        .values()
        .for_each(|(folder, _)| sync_folder(Some(folder)));
    sync_folder(Some(&whole));
    // Windows cannot rename a folder over an existing one, not even an empty one.
    let _ = std::fs::remove_dir(to);
    std::fs::rename(&whole, to).map_err(|error| wrong(to, error))?;
    sync_folder(Some(beside));
    Ok(saved.len())
}

impl Piece<'_> {
    /// Writes the image into a class's folder and returns its path.
    fn save(&self, folder: &Path, names: &mut Names) -> Result<PathBuf> {
        let ending = match self.content {
            Content::File(file) => file.extension().map(|ending| ending.to_string_lossy()),
            Content::Pixels(_) => Some("png".into()),
        };
        let ending = ending.map_or_else(String::new, |ending| format!(".{ending}"));
        let to = folder.join(names.take(&self.stem, &ending));
        match self.content {
            Content::File(file) => std::fs::copy(file, &to)
                .map_err(|error| Problem::io("copy an image", file, &error))
                .map(drop)?,
            Content::Pixels(picture) => std::fs::write(&to, png(picture)?)
                .map_err(|error| Problem::io("save an image", &to, &error))?,
        }
        Ok(to)
    }
}

/// Returns an image encoded as PNG.
///
/// # Errors
/// Returns a Problem for a size that PNG does not support.
pub(super) fn png(picture: &Picture) -> Result<Vec<u8>> {
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

/// Removes unfinished folders left by a program that was killed.
pub(super) fn sweep(root: &Path) {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|about| about.modified());
        let old = written.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE));
        if old && entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // A failed removal is repeated next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_copied_into_a_folder_for_each_class() {
        let place = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let file = |name: &str| {
            let path = place.path().join(name);
            let folder = path.parent().map(std::fs::create_dir_all);
            assert!(folder.is_some_and(|made| made.is_ok()));
            assert!(std::fs::write(&path, name).is_ok());
            path
        };
        let class = |name: &str| Sorted::As(name.into());
        let mut copies = vec![
            (file("1.png"), class("a")),
            (file("inner/1.png"), class("a")),
            (file("2.JPG"), class("none_of_these")),
            (file("3.png"), Sorted::NoneOfThese),
            (file("4.png"), Sorted::Unreadable),
        ];
        let to = place.path().join("sorted");
        assert_eq!(copy_by_class(&copies, &to), Ok(4));
        for (name, content) in [
            ("a/1.png", "1.png"),
            ("a/1-2.png", "inner/1.png"),
            ("none_of_these/2.JPG", "2.JPG"),
            ("none_of_these-2/3.png", "3.png"),
        ] {
            let copied = std::fs::read_to_string(to.join(name));
            assert_eq!(copied.ok().as_deref(), Some(content));
        }
        let again = copy_by_class(&copies, &to).err();
        assert!(again.is_some_and(|problem| problem.is("problem-folder-not-empty")));
        // If an image cannot be copied, nothing is left.
        copies.push((place.path().join("gone.png"), class("a")));
        let count = || std::fs::read_dir(place.path()).map_or(0, Iterator::count);
        let before = count();
        assert!(copy_by_class(&copies, &place.path().join("other")).is_err());
        assert_eq!(count(), before);
    }
}
