//! Projects of Teachable Machine: a zip of `manifest.json` and images named `CLASS-!-NUMBER.jpg`, without folders. Each
//! class is unpacked into its own folder.

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use zip::ZipArchive;

use crate::files::names::UniqueNames;
use crate::image_file::IMAGE_EXTENSIONS;
use crate::message;
use crate::problem::{Problem, Result, text_list_value};
use crate::texts::{Message, Words};

/// Separates a class from the number of its image in a file name.
pub const CLASS_SEPARATOR: &str = "-!-";
/// Name of the file with the type of a project.
pub const MANIFEST: &str = "manifest.json";
/// Maximum size of the manifest in bytes.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// Maximum number of classes of a project; users create each of them by hand.
const MAX_CLASSES: usize = 2000;

/// The required fields of the manifest.
#[derive(Deserialize)]
struct Manifest {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    appdata: Option<Value>,
}

/// An image project that is being unpacked.
pub(super) struct Project {
    /// The folder of the project in the archive, with a trailing `/`; empty for none.
    prefix: String,
    /// The folder of each class, and the number of its images so far, by class name.
    classes: HashMap<String, (String, usize)>,
    folder_names: UniqueNames,
}

/// What to do with an entry of a project.
pub(super) enum EntryAction {
    /// Write it to this file.
    File(PathBuf),
    /// Skip it silently.
    Ignore,
    /// Skip it and report this reason.
    Skip(Message),
    /// Refuse the project, which has too many classes.
    TooMany,
}

impl Project {
    /// Returns the project in this archive; `None` if it is not a project.
    ///
    /// # Errors
    /// Returns a Problem for a project of sounds or poses, or a trained model instead of images.
    pub fn detect<R: Read + Seek>(zip: &mut ZipArchive<R>, path: &Path) -> Result<Option<Self>> {
        if is_model(zip) {
            return Err(Problem::new(message!("problem-teachable-machine-model"))
                .at_path(path)
                .advise(message!("advice-download-teachable-machine-project")));
        }
        let Some((prefix, manifest)) = read_manifest(zip) else {
            return Ok(None);
        };
        if manifest.kind != "image" {
            return Err(Problem::new(message!(
                "problem-teachable-machine-project-type",
                manifest = manifest.kind.chars().take(40).collect::<String>()
            ))
            .at_path(path)
            .advise(message!("advice-give-image-project")));
        }
        Ok(Some(Self { prefix, classes: HashMap::new(), folder_names: UniqueNames::default() }))
    }

    /// Returns what to do with the entry of this name. Images go into their class's folder, numbered in the order of
    /// the archive.
    pub fn action_for(&mut self, name: &str) -> EntryAction {
        let name = name.strip_prefix(&self.prefix).unwrap_or(name);
        if name == MANIFEST || name.split('/').any(|part| part.starts_with("__MACOSX")) {
            return EntryAction::Ignore;
        }
        let Some((class, rest)) = name.rsplit_once(CLASS_SEPARATOR) else {
            return EntryAction::Skip(message!("skip-not-of-the-project"));
        };
        let extension = rest.rsplit_once('.').map_or("", |(_, ending)| ending);
        let extension = extension.to_ascii_lowercase();
        if !IMAGE_EXTENSIONS.contains(&extension.as_str()) {
            return EntryAction::Skip(message!("skip-not-of-the-project"));
        }
        if self.classes.len() >= MAX_CLASSES && !self.classes.contains_key(class) {
            return EntryAction::TooMany;
        }
        let entry = self.classes.entry(class.to_owned());
        let (folder, count) = entry.or_insert_with(|| (self.folder_names.reserve(class, ""), 0));
        *count += 1;
        EntryAction::File(Path::new(folder).join(format!("{count:05}.{extension}")))
    }

    /// Returns remarks on the project.
    pub fn remarks(&self) -> Vec<Words> {
        let mut remarks = vec![message!("remark-teachable", n = self.classes.len()).into()];
        let renamed = self.classes.iter().filter(|(name, (to, _))| *name != to);
        let mut renamed: Vec<(&String, &String)> =
            renamed.map(|(name, (to, _))| (name, to)).collect();
        renamed.sort_unstable();
        if !renamed.is_empty() {
            let to_remark = |(from, to)| message!("remark-renamed-one", from, to).into();
            let renamed: Vec<Words> = renamed.into_iter().map(to_remark).collect();
            remarks.push(message!("remark-renamed", classes = text_list_value(&renamed, 8)).into());
        }
        remarks
    }
}

/// Returns the folder and the manifest of a project.
fn read_manifest<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Option<(String, Manifest)> {
    let names = || zip.file_names().filter_map(std::result::Result::ok);
    let has_class_images = names().any(|name| name.contains(CLASS_SEPARATOR));
    let project_prefix = |name: &str| {
        let prefix = name.strip_suffix(MANIFEST)?;
        let near = prefix.is_empty() || prefix.find('/') == Some(prefix.len() - 1);
        near.then(|| prefix.to_owned())
    };
    let prefix = names().find_map(|name| project_prefix(&name))?;
    let entry = zip.by_name(&format!("{prefix}{MANIFEST}")).ok()?;
    let manifest: Manifest = serde_json::from_reader(entry.take(MAX_MANIFEST_BYTES)).ok()?;
    // Other programs write files with this name, too.
    (has_class_images || manifest.appdata.is_some()).then_some((prefix, manifest))
}

/// Returns whether the archive is an exported model.
fn is_model<R: Read + Seek>(zip: &ZipArchive<R>) -> bool {
    let has = |wanted: &str| {
        let mut names = zip.file_names().filter_map(std::result::Result::ok);
        names.any(|name| name.rsplit('/').next() == Some(wanted))
    };
    if zip.len() > 20 {
        return false;
    }
    let is_web_model = has("model.json") && has("metadata.json") && has("weights.bin");
    let model_files = ["keras_model.h5", "model_unquant.tflite", "model.tflite"];
    is_web_model || has("labels.txt") && model_files.into_iter().any(has)
}
