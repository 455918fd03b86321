//! Images written as a new image folder: a subfolder for each class.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use crate::experiment::prediction_table::Assignment;
use crate::files::{names::UniqueNames, sync_all, sync_folder};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;

/// Prefix of a folder whose images are being written.
const UNFINISHED: &str = ".unfinished-";
/// An unfinished folder older than this is left over, because writing never takes this long.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// An image to write.
pub(super) struct OutputImage<'a> {
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
    Pixels(&'a NamedImage),
}

/// Copies files into a new folder with a subfolder for each class. Unreadable images are not copied. Returns the number
/// of copied files.
///
/// # Errors
/// Returns a Problem if the folder is not empty or a file cannot be copied; nothing is left in that case.
pub fn copy_by_class(copies: &[(PathBuf, Assignment)], target: &Path) -> Result<usize> {
    let images = copies.iter().filter_map(|(file, sorted)| {
        let class = match sorted {
            Assignment::As(class) => Some(class.as_str()),
            Assignment::NoneOfThese => None,
            Assignment::Unreadable => return None,
        };
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        Some(OutputImage { class, stem: stem.into_owned(), content: Content::File(file) })
    });
    write_images(images, target)
}

/// Checks that a folder is empty or does not exist.
///
/// # Errors
/// Returns a Problem if the folder is not empty.
pub fn check_new(folder: &Path) -> Result<()> {
    let is_free = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    };
    if !is_free {
        return Err(Problem::new(message!("problem-folder-not-empty"))
            .at_path(folder)
            .advise(message!("advice-remove-or-rename-folder")));
    }
    Ok(())
}

/// Writes images into a new folder with a subfolder for each class. Returns the number of images.
///
/// # Errors
/// As [`copy_by_class`].
pub(super) fn write_images<'a>(
    images: impl IntoIterator<Item = OutputImage<'a>>,
    target: &Path,
) -> Result<usize> {
    check_new(target)?;
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let create_error = |path: &Path, error| Problem::io("create a folder for images", path, &error);
    let unfinished = std::fs::create_dir_all(parent).and_then(|()| {
        let mut folder = tempfile::Builder::new();
        folder.prefix(UNFINISHED).tempdir_in(parent)
    });
    let unfinished = unfinished.map_err(|error| create_error(parent, error))?;
    // This inner folder gets the usual permissions, unlike a temporary folder.
    let complete = unfinished.path().join("whole");
    std::fs::create_dir(&complete).map_err(|error| create_error(&complete, error))?;
    let (mut folders, mut classes) = (HashMap::new(), UniqueNames::default());
    let mut saved = Vec::new();
    for image in images {
        let class = image.class.unwrap_or("none_of_these");
        let (folder, names) = folders
            .entry(image.class)
            .or_insert_with(|| (complete.join(classes.reserve(class, "")), UniqueNames::default()));
        std::fs::create_dir_all(&*folder).map_err(|error| create_error(folder, error))?;
        saved.push(image.save(folder, names)?);
    }
    sync_all(&saved).map_err(|error| Problem::io("save an image", target, &error))?;
    folders.values().for_each(|(folder, _)| sync_folder(Some(folder)));
    sync_folder(Some(&complete));
    // Windows cannot rename a folder over an existing one, not even an empty one.
    let _ = std::fs::remove_dir(target);
    std::fs::rename(&complete, target).map_err(|error| create_error(target, error))?;
    sync_folder(Some(parent));
    Ok(saved.len())
}

impl OutputImage<'_> {
    /// Writes the image into a class's folder and returns its path.
    fn save(&self, folder: &Path, names: &mut UniqueNames) -> Result<PathBuf> {
        let extension = match self.content {
            Content::File(file) => file.extension().map(|extension| extension.to_string_lossy()),
            Content::Pixels(_) => Some("png".into()),
        };
        let suffix = extension.map_or_else(String::new, |extension| format!(".{extension}"));
        let target = folder.join(names.reserve(&self.stem, &suffix));
        match self.content {
            Content::File(file) => std::fs::copy(file, &target)
                .map_err(|error| Problem::io("copy an image", file, &error))
                .map(drop)?,
            Content::Pixels(pixels) => std::fs::write(&target, encode_png(pixels)?)
                .map_err(|error| Problem::io("save an image", &target, &error))?,
        }
        Ok(target)
    }
}

/// Returns an image encoded as PNG.
///
/// # Errors
/// Returns a Problem for a size that PNG does not support.
pub(super) fn encode_png(image: &NamedImage) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (image.width as u32, image.height as u32);
    let kind = ExtendedColorType::Rgb8;
    let result = PngEncoder::new(&mut bytes).write_image(&image.rgb, width, height, kind);
    result.map_err(|error| {
        let why = error.to_string();
        Problem::new(message!("predict-collect-image-unwritten", error = why))
    })?;
    Ok(bytes)
}

/// Removes unfinished folders left by a program that was killed.
pub(super) fn remove_unfinished(root: &Path) {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let is_stale = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE));
        if is_stale && entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // A failed removal is repeated next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_images_into_class_folders() {
        let root = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let file = |name: &str| {
            let path = root.path().join(name);
            let folder = path.parent().map(std::fs::create_dir_all);
            assert!(folder.is_some_and(|made| made.is_ok()));
            assert!(std::fs::write(&path, name).is_ok());
            path
        };
        let class = |name: &str| Assignment::As(name.into());
        let mut copies = vec![
            (file("1.png"), class("a")),
            (file("inner/1.png"), class("a")),
            (file("2.JPG"), class("none_of_these")),
            (file("3.png"), Assignment::NoneOfThese),
            (file("4.png"), Assignment::Unreadable),
        ];
        let target = root.path().join("sorted");
        assert_eq!(copy_by_class(&copies, &target), Ok(4));
        for (name, content) in [
            ("a/1.png", "1.png"),
            ("a/1-2.png", "inner/1.png"),
            ("none_of_these/2.JPG", "2.JPG"),
            ("none_of_these-2/3.png", "3.png"),
        ] {
            let copied = std::fs::read_to_string(target.join(name));
            assert_eq!(copied.ok().as_deref(), Some(content));
        }
        let result = copy_by_class(&copies, &target).err();
        assert!(result.is_some_and(|problem| problem.is("problem-folder-not-empty")));
        // If an image cannot be copied, nothing is left.
        copies.push((root.path().join("gone.png"), class("a")));
        let count = || std::fs::read_dir(root.path()).map_or(0, Iterator::count);
        let before = count();
        assert!(copy_by_class(&copies, &root.path().join("other")).is_err());
        assert_eq!(count(), before);
    }
}
