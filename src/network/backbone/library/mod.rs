//! The table of backbones, and how a name or a file becomes a loaded backbone.
//!
//! Entries come from `assets/backbones.toml`, which is embedded in the program, from `./plugins/backbones.toml` and
//! from `backbones.toml` in the user's data folder; a later entry replaces an earlier one with the same name. Weights
//! are taken from the file that the entry names, the program's cache, the cache of the hub's own tools, or the
//! internet, in this order.

mod bare_file;
mod entry;
mod hashes;
mod locations;
mod model_config;
mod open;
mod resolve;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use super::normalisation::Normalisation;
use bare_file::apply_choice;
pub use entry::{BackboneChoice, BackboneEntry, NOT_STATED, WeightSource};
pub use locations::WeightLocations;
pub use open::{OpenedBackbone, UnplacedBackbone};
use resolve::ResolvedName;
pub use resolve::is_repository;

use super::BlockShape;
use crate::fetch::DownloadProgress;
use crate::files;
use crate::message;
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result};
use crate::texts::{Message, Words};
use crate::tr;

/// The embedded table.
const TABLE: &str = include_str!("../../../../assets/backbones.toml");

/// Returns whether this text is in the program's own table, not in a user's.
fn is_shipped(text: &str) -> bool {
    TABLE.contains(text)
}

/// Name of the embedded backbone for symbols and small images, the default.
pub const NANO: &str = "lae-nano";

/// Name of the embedded backbone for photographs.
pub const PHOTO: &str = "lae-photo";

/// The embedded weight files, by name of the backbone.
static EMBEDDED: [(&str, &[u8]); 2] = [
    (NANO, include_bytes!("../../../../assets/lae-nano.safetensors")),
    (PHOTO, include_bytes!("../../../../assets/lae-photo.safetensors")),
];

/// Returns the weight file of an embedded backbone.
fn embedded_file(name: &str) -> Option<&'static [u8]> {
    let file = EMBEDDED.iter().find(|(known, _)| *known == name);
    file.map(|(_, bytes)| *bytes)
}

/// Returns the entry of an embedded backbone in the program's own table.
pub fn embedded_entry(name: &str) -> Option<BackboneEntry> {
    let (entries, _) = table::read_table(TABLE, Path::new("assets/backbones.toml"));
    let is_embedded = |entry: &BackboneEntry| entry.source == WeightSource::Embedded;
    entries.into_iter().find(|entry| entry.name == name && is_embedded(entry))
}

/// The known backbones and the locations of their weights.
#[derive(Clone, Debug)]
pub struct BackboneLibrary {
    entries: Vec<BackboneEntry>,
    problems: Vec<Problem>,
    locations: WeightLocations,
    /// Weight files to use instead of names in the settings.
    overrides: BTreeMap<String, PathBuf>,
}

/// Whether an entry's weights are available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Embedded in the program.
    Embedded,
    /// On this computer.
    Present(PathBuf),
    /// Not on this computer; a part of the download may be.
    Absent {
        /// Downloaded bytes.
        downloaded_bytes: u64,
    },
}

/// A backbone without its weights loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Its entry in the table.
    pub entry: BackboneEntry,
    /// Shape of each block.
    pub blocks: Vec<BlockShape>,
    /// Length of the feature vector.
    pub feature_width: usize,
    /// Number of frozen weights.
    pub parameters: usize,
    /// Whether the weights are available.
    pub state: Availability,
    /// Assumptions about what the file does not contain (sentences).
    pub assumptions: Vec<Words>,
}

impl Description {
    /// Returns the location of its weights in a few words.
    pub fn location_summary(&self) -> String {
        match (&self.state, self.entry.size_mb) {
            (Availability::Embedded, _) => tr!("count-weights-built-in").into(),
            (Availability::Present(_), _) => tr!("count-weights-local").into(),
            (Availability::Absent { downloaded_bytes: 0 }, Some(size)) => {
                tr!("count-weights-download", size)
            }
            (Availability::Absent { downloaded_bytes }, Some(size)) => {
                let left = size.saturating_sub(downloaded_bytes / 1_000_000);
                tr!("count-weights-download-rest", left, size)
            }
            (Availability::Absent { .. }, None) => tr!("count-weights-to-download").into(),
        }
    }
}

/// The id of the Problem of a repository that was not downloaded.
pub const NOT_DOWNLOADED: &str = "problem-backbone-not-downloaded";

impl BackboneLibrary {
    /// Returns the library with the default locations.
    pub fn with_default_locations() -> Self {
        Self::new(WeightLocations::from_env())
    }

    /// Returns a library with these locations.
    pub fn new(locations: WeightLocations) -> Self {
        let mut library = Self {
            entries: Vec::new(),
            problems: Vec::new(),
            locations,
            overrides: BTreeMap::new(),
        };
        library.add(TABLE, Path::new("assets/backbones.toml"));
        for path in library.locations.tables.clone() {
            match files::read_text(&path, files::TEXT) {
                Ok(text) => library.add(&text, &path),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    let problem = Problem::io("read the table of backbones", &path, &error);
                    library.problems.push(problem);
                }
            }
        }
        library
    }

    /// Returns a library for another user, with the given tables and weight files by name.
    #[must_use]
    pub fn with_user_entries(
        mut self,
        tables: &[String],
        weights: &BTreeMap<String, PathBuf>,
    ) -> Self {
        for text in tables {
            self.add(text, Path::new("backbones.toml"));
        }
        for (name, file) in weights {
            let known = self.entry(name).map(|entry| entry.name.clone());
            let mut entries = self.entries.iter_mut();
            match entries.find(|entry| Some(&entry.name) == known.as_ref()) {
                Some(entry) => entry.source = WeightSource::File(file.clone()),
                None => drop(self.overrides.insert(name.clone(), file.clone())),
            }
        }
        self
    }

    /// Returns the text of the last user table that has this entry; `None` for an entry of the program's table.
    pub fn user_table(&self, entry: &BackboneEntry) -> Option<String> {
        self.locations.tables.iter().rev().find_map(|path| {
            let text = files::read_text(path, files::TEXT).ok()?;
            let (entries, _) = table::read_table(&text, path);
            let mut names = entries.iter().map(|entry_in_table| &entry_in_table.name);
            names.any(|name| *name == entry.name).then_some(text)
        })
    }

    fn add(&mut self, text: &str, path: &Path) {
        let (entries, problems) = table::read_table(text, path);
        self.problems.extend(problems);
        for entry in entries {
            let mut entries = self.entries.iter_mut();
            match entries.find(|known| known.name == entry.name) {
                Some(known) => *known = entry,
                None => self.entries.push(entry),
            }
        }
    }

    /// Returns all entries, in the order of the tables.
    pub fn entries(&self) -> &[BackboneEntry] {
        &self.entries
    }

    /// Returns the errors in the tables.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the entry with this name. A name without its tag (`vit_base_patch16_224`) means the first entry that has
    /// it.
    pub fn entry(&self, name: &str) -> Option<&BackboneEntry> {
        let exact = self.entries.iter().find(|entry| entry.name == name);
        exact.or_else(|| {
            let tagged = |entry: &&BackboneEntry| {
                let tag = entry.name.strip_prefix(name);
                tag.is_some_and(|tag| tag.starts_with('.'))
            };
            self.entries.iter().find(tagged)
        })
    }

    /// Describes a backbone by name or file without loading its weights.
    pub fn describe<'a>(&self, choice: impl Into<BackboneChoice<'a>>) -> Result<Description> {
        let choice = choice.into();
        let (entry, state, assumptions) = match self.resolve(choice.name)? {
            ResolvedName::Entry(entry) => {
                (apply_choice(entry.clone(), choice)?, self.availability(entry), Vec::new())
            }
            ResolvedName::File(path) => {
                let (entry, assumptions) = self.entry_of_file(&path, choice)?;
                (entry, Availability::Present(path), assumptions)
            }
            ResolvedName::Hub(repository) => {
                return Err(Problem::new(message!(NOT_DOWNLOADED, name = repository))
                    .advise(message!("advice-download-backbone")));
            }
        };
        let entry = entry.with_transform(choice.pretrained_transform);
        Ok(Description {
            blocks: entry.architecture.blocks(),
            feature_width: entry.architecture.feature_width(),
            parameters: entry.architecture.parameter_count(),
            entry,
            state,
            assumptions,
        })
    }

    /// Returns whether an entry's weights are available.
    pub fn availability(&self, entry: &BackboneEntry) -> Availability {
        if entry.source == WeightSource::Embedded {
            return Availability::Embedded;
        }
        if let Some(path) = self.local_file(entry) {
            return Availability::Present(path);
        }
        let partial_file =
            self.locations.cached_file(entry).map(|path| with_suffix(&path, ".part"));
        let downloaded = partial_file.and_then(|path| fs::metadata(path).ok());
        Availability::Absent { downloaded_bytes: downloaded.map_or(0, |meta| meta.len()) }
    }

    fn local_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        if let WeightSource::File(path) = &entry.source {
            return path.is_file().then(|| path.clone());
        }
        let cached = self.locations.cached_file(entry).filter(|path| path.is_file());
        cached.or_else(|| self.locations.hub_file(entry))
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens a backbone from the default locations; see [`BackboneLibrary::open`]. `progress` receives the progress of a
/// download as a message, and cancels it by returning false.
pub fn open<'a>(
    choice: impl Into<BackboneChoice<'a>>,
    placement: impl Into<WeightPlacement>,
    progress: &mut dyn FnMut(Message) -> bool,
) -> Result<OpenedBackbone> {
    read_from(&BackboneLibrary::with_default_locations(), choice, progress)?.place(placement)
}

/// Reads a backbone from this library like [`open`], without placing it on a device.
pub fn read_from<'a>(
    library: &BackboneLibrary,
    choice: impl Into<BackboneChoice<'a>>,
    progress: &mut dyn FnMut(Message) -> bool,
) -> Result<UnplacedBackbone> {
    let choice = choice.into();
    library.read(choice, &mut progress_messages(choice.name, progress))
}

/// Downloads a backbone that cannot be described before; see [`BackboneLibrary::download_unlisted`].
pub fn download_unlisted<'a>(
    library: &BackboneLibrary,
    choice: impl Into<BackboneChoice<'a>>,
    progress: &mut dyn FnMut(Message) -> bool,
) -> Result<()> {
    let choice = choice.into();
    library.download_unlisted(choice, &mut progress_messages(choice.name, progress))
}

/// Converts the progress of a download to messages.
fn progress_messages(
    name: &str,
    progress: &mut dyn FnMut(Message) -> bool,
) -> impl FnMut(DownloadProgress) -> bool {
    move |download: DownloadProgress| {
        let megabytes = |bytes: u64| usize::try_from(bytes / 1_000_000).unwrap_or(usize::MAX);
        let done = megabytes(download.done);
        progress(match download.total.map(megabytes) {
            Some(of) => message!("doing-downloading-weights-of", name, done, of),
            None => message!("doing-downloading-weights", name, done),
        })
    }
}

/// Describes a backbone from the default locations; see [`BackboneLibrary::describe`].
pub fn describe<'a>(choice: impl Into<BackboneChoice<'a>>) -> Result<Description> {
    BackboneLibrary::with_default_locations().describe(choice)
}
