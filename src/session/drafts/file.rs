//! The folder of drafts: a list, and image files named by their hashes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Drafts, MovedImages};
use crate::data::{FULL_DEPTH, decode_image_file};
use crate::fetch::hex;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;
use crate::session::collection::{CollectedImage, Collection, MAX_IMAGES};
use crate::session::formatting::with_timestamp;
use crate::session::image_folder::encode_png;
use crate::session::pins::{Pin, PinId};
use crate::store::write_file;

/// The file name of the list.
const LIST: &str = "drafts.json";

/// The content of the file [`LIST`].
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct List {
    pins: Vec<ListedImage>,
    runs: Vec<PathBuf>,
    name: String,
    chosen: usize,
    classes: Vec<ListedClass>,
    moved: Option<MovedImages>,
}

#[derive(Serialize, Deserialize)]
struct ListedClass {
    name: String,
    images: Vec<ListedImage>,
}

#[derive(Serialize, Deserialize)]
struct ListedImage {
    /// SHA-256 of the width and pixels in hex, which is also the file name without its extension.
    image: String,
    name: String,
    /// The class of a pinned image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    truth: Option<String>,
    /// The file that a gathered image comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
}

impl ListedImage {
    /// Writes the pixels to a temporary file unless the image is already stored. Returns the image's entry in the list.
    fn write(folder: &Path, picture: &NamedImage, new: &mut HashSet<PathBuf>) -> Result<Self> {
        let mut hash = Sha256::new_with_prefix((picture.width as u64).to_le_bytes());
        hash.update(&picture.rgb);
        let image = hex(&hash.finalize());
        let path = image_path(folder, &image);
        let partial = path.with_extension("partial");
        if !path.exists() && new.insert(partial.clone()) {
            let result = std::fs::write(&partial, encode_png(picture)?);
            result.map_err(|error| Problem::io("save an image", &path, &error))?;
        }
        Ok(Self { image, name: picture.name.clone(), truth: None, file: None })
    }

    /// Reads the image; `None` if it cannot be read.
    fn read(&self, folder: &Path) -> Option<Arc<NamedImage>> {
        let image = decode_image_file(&image_path(folder, &self.image), FULL_DEPTH).ok()?;
        Some(Arc::new(NamedImage::new(&self.name, image)))
    }
}

fn image_path(folder: &Path, image: &str) -> PathBuf {
    folder.join(format!("{image}.png"))
}

impl Drafts {
    /// Writes the drafts into their own folder, replacing earlier drafts. Without drafts the folder is removed.
    ///
    /// # Errors
    /// Returns a Problem if a file cannot be written; the earlier drafts are kept.
    pub fn save(&self, folder: &Path) -> Result<()> {
        if self.is_empty() {
            return match std::fs::remove_dir_all(folder) {
                Err(error) if folder.exists() => {
                    Err(Problem::io("remove the stored drafts", folder, &error))
                }
                _ => Ok(()),
            };
        }
        std::fs::create_dir_all(folder)
            .map_err(|error| Problem::io("create the folder of drafts", folder, &error))?;
        let mut new = HashSet::new();
        let mut list =
            List { runs: self.runs.clone(), moved: self.moved.clone(), ..List::default() };
        for pin in &self.pins {
            list.pins.push(ListedImage {
                truth: pin.truth.clone(),
                ..ListedImage::write(folder, &pin.image, &mut new)?
            });
        }
        if let Some(collection) = &self.collection {
            (list.name, list.chosen) = (collection.name.clone(), collection.selected);
            for class in &collection.classes {
                let write = |image: &CollectedImage| {
                    Ok(ListedImage {
                        file: image.file.clone(),
                        ..ListedImage::write(folder, &image.image, &mut new)?
                    })
                };
                list.classes.push(ListedClass {
                    name: class.name.clone(),
                    images: class.images.iter().map(write).collect::<Result<_>>()?,
                });
            }
        }
        // All files are synced together, because syncing thousands of files one by one takes seconds.
        let new: Vec<PathBuf> = new.into_iter().collect();
        let save_error = |error| Problem::io("save an image", folder, &error);
        files::sync_all(&new).map_err(save_error)?;
        for partial in &new {
            std::fs::rename(partial, partial.with_extension("png")).map_err(save_error)?;
        }
        let text = serde_json::to_vec(&list).map_err(|error| {
            Problem::new(message!("drafts-not-stored", why = error.to_string())).at_path(folder)
        })?;
        write_file(&folder.join(LIST), &text)?;
        list.sweep(folder);
        Ok(())
    }

    /// Reads the drafts; empty if there is no such folder. Unreadable images are omitted, and their number is returned.
    ///
    /// # Errors
    /// Returns a Problem if the list cannot be read. The folder is then renamed, so that it is not overwritten.
    pub(super) fn load(folder: &Path) -> Result<(Self, usize)> {
        let path = folder.join(LIST);
        if !path.exists() {
            return Ok(Default::default());
        }
        let list =
            files::read(&path, files::TABLE).and_then(|text| Ok(serde_json::from_slice(&text)?));
        let list: List = list.map_err(|error| {
            let renamed = folder.with_file_name(with_timestamp("drafts-unreadable"));
            let location = match std::fs::rename(folder, &renamed) {
                Ok(()) => renamed,
                Err(_) => folder.to_path_buf(),
            };
            Problem::new(message!("drafts-unreadable", why = error.to_string())).at_path(location)
        })?;
        let mut unreadable = 0;
        let mut read_image = |image: &ListedImage| {
            let picture = image.read(folder);
            unreadable += usize::from(picture.is_none());
            picture
        };
        let pins = list.pins.into_iter().filter_map(|image| {
            Some(Pin { id: PinId::default(), image: read_image(&image)?, truth: image.truth })
        });
        let pins = pins.collect();
        let mut classes = Vec::new();
        for class in list.classes {
            let images = class.images.into_iter().take(MAX_IMAGES).filter_map(|image| {
                Some(CollectedImage { image: read_image(&image)?, file: image.file })
            });
            classes.push((class.name, images.collect()));
        }
        let drafts = Self {
            pins,
            runs: list.runs,
            collection: Collection::from_classes(list.name, list.chosen, classes),
            moved: list.moved,
        };
        Ok((drafts, unreadable))
    }
}

impl List {
    /// Deletes the files that are not in the list.
    fn sweep(&self, folder: &Path) {
        let collected = self.classes.iter().flat_map(|class| &class.images);
        let used = self.pins.iter().chain(collected);
        let mut used: HashSet<PathBuf> =
            used.map(|image| image_path(folder, &image.image)).collect();
        used.insert(folder.join(LIST));
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if !used.contains(&path) {
                // A failed removal is repeated at the next save.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}
