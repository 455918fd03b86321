//! Shards of WebDataset: tars in which the files of a sample follow each other and share a name up to its first dot,
//! such as `KEY.jpg` and `KEY.cls` or `KEY.json`.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::open_tar;
use super::shards::{SampleTable, TABLE, shard_folder, shard_role};
use super::unpack::Unpacker;
use crate::encoding::decode_text;
use crate::files;
use crate::image_file::IMAGE_EXTENSIONS;
use crate::message;
use crate::problem::{Problem, Result};
use crate::tree::skip_reason;

/// Maximum number and total size of the first files of a tar in which a sample is searched.
const PROBED_ENTRIES: usize = 16;
const PROBED_BYTES: u64 = 8 << 20;
/// Maximum size of a class name or number, and of the JSON that contains it, in bytes.
const MAX_CLASS_BYTES: u64 = 256;
const MAX_JSON_BYTES: u64 = 64 << 10;
/// Names of files with a class name per line.
const CLASS_NAMES: [&str; 2] = ["classnames.txt", "classes.txt"];

/// The role of a file in its sample.
#[derive(PartialEq, Eq)]
enum MemberKind {
    Image,
    Class,
    Json,
    Text,
}

/// Returns the sample to which a file belongs, and the file's role; `None` if it is not used.
fn classify_member(name: &Path) -> Option<(PathBuf, MemberKind)> {
    let (key, extension) = name.file_name()?.to_str()?.split_once('.')?;
    let extension = extension.to_ascii_lowercase();
    let part = match extension.as_str() {
        "cls" => MemberKind::Class,
        "json" => MemberKind::Json,
        "txt" => MemberKind::Text,
        ending if IMAGE_EXTENSIONS.contains(&ending) => MemberKind::Image,
        _ => return None,
    };
    Some((name.with_file_name(key), part))
}

/// Returns the class in a file of a sample.
fn read_class(part: &MemberKind, content: &mut impl Read) -> Option<String> {
    let max_bytes = match part {
        MemberKind::Class => MAX_CLASS_BYTES,
        MemberKind::Json => MAX_JSON_BYTES,
        MemberKind::Image | MemberKind::Text => return None,
    };
    let mut bytes = Vec::new();
    content.take(max_bytes + 1).read_to_end(&mut bytes).ok()?;
    let (text, _) = decode_text(&bytes);
    let class = match part {
        MemberKind::Class => text.trim().to_owned(),
        _ => {
            let sample: Value = serde_json::from_str(&text).ok()?;
            let class = ["cls", "label", "class"].map(|key| sample.get(key));
            match class.into_iter().flatten().next()? {
                Value::String(class) => class.trim().to_owned(),
                Value::Number(class) => class.to_string(),
                _ => return None,
            }
        }
    };
    (!class.is_empty() && bytes.len() as u64 <= max_bytes).then_some(class)
}

/// Returns whether a tar begins with a sample that has an image and a class.
pub(super) fn is_shard(path: &Path) -> Result<bool> {
    let Some(reader) = open_tar(path)? else {
        return Ok(false);
    };
    let mut tar = tar::Archive::new(reader.take(PROBED_BYTES));
    let Ok(entries) = tar.entries() else {
        return Ok(false);
    };
    let (mut images, mut classes) = (HashSet::new(), HashSet::new());
    for mut entry in entries.take(PROBED_ENTRIES).map_while(std::result::Result::ok) {
        let part = entry.path().ok().and_then(|name| classify_member(&name));
        match part {
            Some((key, MemberKind::Image)) => _ = images.insert(key),
            Some((key, part)) if read_class(&part, &mut entry).is_some() => _ = classes.insert(key),
            _ => {}
        }
    }
    Ok(!images.is_disjoint(&classes))
}

/// Returns the path of the file with the class names beside the shards.
pub(super) fn class_names_file(shards: &Path) -> Option<PathBuf> {
    let folder = match shards.is_dir() {
        true => shards,
        false => shards.parent()?,
    };
    let files = CLASS_NAMES.map(|name| folder.join(name));
    files.into_iter().find(|path| path.is_file())
}

impl<'a> Unpacker<'a> {
    /// Unpacks the images of all shards, with a table of their classes.
    pub fn unpack_webdataset(&mut self, root: &'a Path, shards: &'a [PathBuf]) -> Result<()> {
        let mut samples = SampleTable { columns: vec!["label".into()], rows: Vec::new() };
        for shard in shards {
            self.archive = shard;
            let reader = open_tar(shard)?.ok_or_else(|| self.damaged(&"not a tar"))?;
            let folder = shard_folder(shard, root);
            let role = shard_role(&folder);
            let (mut images, mut classes) = (Vec::new(), HashMap::new());
            self.for_each_tar_entry(reader, &mut |unpacker, name, mut content| {
                match classify_member(name) {
                    Some((key, MemberKind::Image)) => {
                        let image = folder.join(name);
                        if unpacker.write_file(&image, &mut content)? {
                            images.push((key, image));
                        }
                    }
                    Some((_, MemberKind::Text)) => {}
                    Some((key, part)) => {
                        if let Some(class) = read_class(&part, &mut content) {
                            classes.insert(key, class);
                        }
                    }
                    None => unpacker.skip(name, skip_reason(name.as_os_str())),
                }
                Ok(())
            })?;
            let labelled = images.into_iter().map(|(key, image)| {
                let class = classes.get(&key).cloned().unwrap_or_default();
                (image, role, vec![class])
            });
            samples.rows.extend(labelled);
        }
        name_classes(&mut samples, root)?;
        let remark = message!("remark-shards", form = "WebDataset", table = TABLE);
        self.remarks.push(remark.into());
        samples.write(self.output)
    }
}

/// Replaces the numbers of the classes by their names, if a file has a name for each.
fn name_classes(samples: &mut SampleTable, root: &Path) -> Result<()> {
    let Some(path) = class_names_file(root) else {
        return Ok(());
    };
    let bytes = files::read(&path, files::TEXT)
        .map_err(|error| Problem::io("read the list", &path, &error))?;
    let (text, _) = decode_text(&bytes);
    let names: Vec<&str> = text.lines().map(str::trim).collect();
    let class_name = |class: &str| class.parse().ok().and_then(|at: usize| names.get(at));
    let classes = || samples.rows.iter().map(|row| row.2[0].as_str());
    let mut known_classes = classes().filter(|class| !class.is_empty());
    if known_classes.all(|class| class_name(class).is_some()) {
        for (_, _, cells) in &mut samples.rows {
            if let Some(name) = class_name(&cells[0]) {
                cells[0] = (*name).to_owned();
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{Dataset, OpenOptions};

    fn png_bytes(shade: u8) -> Vec<u8> {
        let image = image::RgbImage::from_pixel(2, 2, image::Rgb([shade; 3]));
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn write_shard(path: &Path, members: &[(String, Vec<u8>)]) {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, bytes) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, tar.into_inner().unwrap()).unwrap();
    }

    /// Returns samples `n000` and so on, with their classes in files of this kind.
    fn samples(
        first: u8,
        count: u8,
        class: impl Fn(u8) -> (&'static str, String),
    ) -> Vec<(String, Vec<u8>)> {
        let members = (first..first + count).flat_map(|n| {
            let (extension, class) = class(n % 2);
            [
                (format!("./n{n:03}.{extension}"), class.into_bytes()),
                (format!("./n{n:03}.png"), png_bytes(n * 3)),
                (format!("./n{n:03}.txt"), b"an image".to_vec()),
            ]
        });
        members.collect()
    }

    fn open(path: &Path) -> Result<Dataset> {
        let cache = tempfile::tempdir().unwrap().keep();
        let options = OpenOptions { unpack_to: Some(cache.clone()), ..OpenOptions::default() };
        let data = Dataset::open(path.to_str().unwrap(), &options);
        std::fs::remove_dir_all(cache).unwrap();
        data
    }

    #[test]
    fn opens_shard_folders_with_classes_and_splits() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let by_number = |class: u8| ("cls", format!("{class}\n"));
        write_shard(&at("train/00000.tar"), &samples(0, 6, by_number));
        write_shard(&at("train/00001.tar"), &samples(6, 6, by_number));
        write_shard(&at("test/00000.tar"), &samples(20, 4, by_number));
        let data = open(root.path()).unwrap();
        assert_eq!(data.classes, ["0", "1"]);
        assert_eq!((data.train.len(), data.test.len()), (12, 4));
        assert!(data.skipped.is_empty() && !data.test_drawn);
        assert_eq!(data.train[0].name(), "train/00000/n000.png");
        std::fs::write(at("classnames.txt"), "cat\nDog\n").unwrap();
        let data = open(root.path()).unwrap();
        assert_eq!(data.classes, ["Dog", "cat"]);
        // The split may be in the file names of the shards.
        std::fs::rename(at("train/00000.tar"), at("birds-train-000.tar")).unwrap();
        std::fs::rename(at("test/00000.tar"), at("birds-val-000.tar")).unwrap();
        std::fs::remove_file(at("train/00001.tar")).unwrap();
        let data = open(root.path()).unwrap();
        assert_eq!((data.train.len(), data.test.len()), (6, 4));
        // A shard may end in the middle of a file.
        let bytes = std::fs::read(at("birds-val-000.tar")).unwrap();
        std::fs::write(at("birds-val-000.tar"), &bytes[..bytes.len() / 2]).unwrap();
        let problem = open(root.path()).unwrap_err();
        assert!(problem.place.ends_with("birds-val-000.tar"), "{problem}");
    }

    #[test]
    fn opens_single_shard_with_json_classes() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("birds.tar");
        let by_name = |class: u8| ("json", format!(r#"{{"id": 7, "label": "bird {class}"}}"#));
        let mut members = samples(0, 10, by_name);
        members.push(("./n100.png".into(), png_bytes(255)));
        members.push(("./n100.npy".into(), b"numbers".to_vec()));
        write_shard(&path, &members);
        let data = open(&path).unwrap();
        assert_eq!(data.classes, ["bird 0", "bird 1"]);
        assert_eq!((data.train.len(), data.test.len()), (8, 2));
        assert_eq!((data.skipped.len(), data.name.as_str()), (2, "birds"));
        // An image that cannot be unpacked, here because of its long name, is not in the table.
        let mut members = samples(0, 10, by_name);
        members.push((format!("./{}.png", "n".repeat(300)), png_bytes(255)));
        write_shard(&path, &members);
        let data = open(&path).unwrap();
        assert_eq!((data.train.len(), data.test.len(), data.skipped.len()), (8, 2, 1));
        // Images without a class are not samples of a shard.
        let by_nothing = |_| ("json", "{}".to_owned());
        write_shard(&path, &samples(0, 4, by_nothing));
        assert!(open(&path).unwrap_err().is("problem-images-without-classes"));
    }
}
