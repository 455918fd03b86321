//! Projects of Teachable Machine: a zip of `manifest.json` and images named `CLASS-!-NUMBER.jpg`, without folders. Each
//! class is unpacked into its own folder.

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use zip::ZipArchive;

use crate::files::names::Names;
use crate::message;
use crate::picture::READABLE;
use crate::problem::{Problem, Result, some_words};
use crate::texts::{Message, Words};

/// Separates a class from the number of its image in a file name.
pub const MARK: &str = "-!-";
/// Name of the file with the type of a project.
pub const MANIFEST: &str = "manifest.json";
/// Maximum size of the manifest in bytes.
const LONGEST: u64 = 1 << 20;
/// Maximum number of classes of a project; users create each of them by hand.
const MOST_CLASSES: usize = 2000;

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
    inside: String,
    /// The folder of each class, and the number of its images so far, by class name.
    classes: HashMap<String, (String, usize)>,
    taken: Names,
}

/// What to do with an entry of a project.
pub(super) enum EntryAction {
    /// Write it to this file.
    File(PathBuf),
    /// Skip it silently.
    Aside,
    /// Skip it and report this reason.
    Left(Message),
    /// Refuse the project, which has too many classes.
    TooMany,
}

impl Project {
    /// Returns the project in this archive; `None` if it is not a project.
    ///
    /// # Errors
    /// Returns a Problem for a project of sounds or poses, or a trained model instead of images.
    pub fn of<R: Read + Seek>(zip: &mut ZipArchive<R>, path: &Path) -> Result<Option<Self>> {
        if is_model(zip) {
            return Err(Problem::new(message!("problem-teachable-machine-model"))
                .at_path(path)
                .advise(message!("advice-download-teachable-machine-project")));
        }
        let Some((inside, manifest)) = manifest(zip) else {
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
        Ok(Some(Self {
            inside,
            classes: HashMap::new(),
            taken: Names::default(),
        }))
    }

    /// Returns what to do with the entry of this name. Images go into their class's folder, numbered in the order of
    /// the archive.
    pub fn place(&mut self, name: &str) -> EntryAction {
        let name = name.strip_prefix(&self.inside).unwrap_or(name);
        if name == MANIFEST || name.split('/').any(|part| part.starts_with("__MACOSX")) {
            return EntryAction::Aside;
        }
        let Some((class, rest)) = name.rsplit_once(MARK) else {
            return EntryAction::Left(message!("skip-not-of-the-project"));
        };
        let ending = rest.rsplit_once('.').map_or("", |(_, ending)| ending);
        let ending = ending.to_ascii_lowercase();
        if !READABLE.contains(&ending.as_str()) {
            return EntryAction::Left(message!("skip-not-of-the-project"));
        }
        if self.classes.len() >= MOST_CLASSES && !self.classes.contains_key(class) {
            return EntryAction::TooMany;
        }
        let known = self.classes.entry(class.to_owned());
        let (folder, count) = known.or_insert_with(|| (self.taken.take(class, ""), 0));
        *count += 1;
        EntryAction::File(Path::new(folder).join(format!("{count:05}.{ending}")))
    }

    /// Returns remarks on the project.
    pub fn remarks(&self) -> Vec<Words> {
        let mut told = vec![message!("remark-teachable", n = self.classes.len()).into()];
        let renamed = self.classes.iter().filter(|(name, (to, _))| *name != to);
        let mut renamed: Vec<(&String, &String)> =
            renamed.map(|(name, (to, _))| (name, to)).collect();
        renamed.sort_unstable();
        if !renamed.is_empty() {
            let one = |(from, to)| message!("remark-renamed-one", from, to).into();
            let renamed: Vec<Words> = renamed.into_iter().map(one).collect();
            told.push(message!("remark-renamed", classes = some_words(&renamed, 8)).into());
        }
        told
    }
}

/// Returns the folder and the manifest of a project.
fn manifest<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Option<(String, Manifest)> {
    let names = || zip.file_names().filter_map(std::result::Result::ok);
    let marked = names().any(|name| name.contains(MARK));
    let ours = |name: &str| {
        let inside = name.strip_suffix(MANIFEST)?;
        let near = inside.is_empty() || inside.find('/') == Some(inside.len() - 1);
        near.then(|| inside.to_owned())
    };
    let inside = names().find_map(|name| ours(&name))?;
    let entry = zip.by_name(&format!("{inside}{MANIFEST}")).ok()?;
    let manifest: Manifest = serde_json::from_reader(entry.take(LONGEST)).ok()?;
    // Other programs write files with this name, too.
    (marked || manifest.appdata.is_some()).then_some((inside, manifest))
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
    let in_a_browser = has("model.json") && has("metadata.json") && has("weights.bin");
    let elsewhere = ["keras_model.h5", "model_unquant.tflite", "model.tflite"];
    in_a_browser || has("labels.txt") && elsewhere.into_iter().any(has)
}
