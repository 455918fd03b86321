//! Projects of Teachable Machine: a zip of `manifest.json` and images named `CLASS-!-NUMBER.jpg`,
//! without folders. Each class becomes a folder, as in any other archive.

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

/// Separates a class and the number of its image.
pub const MARK: &str = "-!-";
/// What says of which kind a project is.
pub const MANIFEST: &str = "manifest.json";
/// Longest manifest; it holds a few settings.
const LONGEST: u64 = 1 << 20;
/// Most classes of a project; each is a box in a browser.
const MOST_CLASSES: usize = 2000;

/// What the manifest says, as far as it matters here.
#[derive(Deserialize)]
struct Manifest {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    appdata: Option<Value>,
}

/// A project of images that is being unpacked.
pub(super) struct Project {
    /// Ends with `/`, or is empty: the folder that somebody packed the project in.
    inside: String,
    /// By name of the class: its folder, and how many images it has so far.
    classes: HashMap<String, (String, usize)>,
    taken: Names,
}

/// Where an entry of a project goes.
pub(super) enum Place {
    /// To this file.
    File(PathBuf),
    /// Nowhere, and nothing needs to be said.
    Aside,
    /// Nowhere, for this reason.
    Left(Message),
    /// The project has more classes than any that was made by hand.
    TooMany,
}

impl Project {
    /// The project that this archive is; `None` if it is something else.
    ///
    /// # Errors
    /// A project of sounds or poses, or a trained model instead of its images.
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

    /// Where the entry of this name goes: its class's folder, numbered in the order of the archive.
    pub fn place(&mut self, name: &str) -> Place {
        let name = name.strip_prefix(&self.inside).unwrap_or(name);
        if name == MANIFEST || name.split('/').any(|part| part.starts_with("__MACOSX")) {
            return Place::Aside;
        }
        let Some((class, rest)) = name.rsplit_once(MARK) else {
            return Place::Left(message!("skip-not-of-the-project"));
        };
        let ending = rest.rsplit_once('.').map_or("", |(_, ending)| ending);
        let ending = ending.to_ascii_lowercase();
        if !READABLE.contains(&ending.as_str()) {
            return Place::Left(message!("skip-not-of-the-project"));
        }
        if self.classes.len() >= MOST_CLASSES && !self.classes.contains_key(class) {
            return Place::TooMany;
        }
        let known = self.classes.entry(class.to_owned());
        let (folder, count) = known.or_insert_with(|| (self.taken.take(class, ""), 0));
        *count += 1;
        Place::File(Path::new(folder).join(format!("{count:05}.{ending}")))
    }

    /// What is to be said of it.
    pub fn remarks(&self) -> Vec<Words> {
        let mut told = vec![message!("remark-teachable", n = self.classes.len()).into()];
        let renamed = self.classes.iter().filter(|(name, (to, _))| *name != to);
        let mut renamed: Vec<(&String, &String)> =
            renamed.map(|(name, (to, _))| (name, to)).collect();
        renamed.sort_unstable();
        if !renamed.is_empty() {
            let one = |(from, to)| message!("remark-renamed-one", from = from, to = to).into();
            let renamed: Vec<Words> = renamed.into_iter().map(one).collect();
            told.push(message!("remark-renamed", classes = some_words(&renamed, 8)).into());
        }
        told
    }
}

/// The manifest of a project, and the folder it is in.
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
    // Other programs write files of this name as well.
    (marked || manifest.appdata.is_some()).then_some((inside, manifest))
}

/// Whether these are the files of an exported model.
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
