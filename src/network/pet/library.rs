//! Finds plugins: the embedded ones, those in the folder `plugins` in the working directory, and those in the user's
//! data folder. Of several with the same name, the last one is used. A file with errors stays in the list with its
//! Problem and hides the plugin that it would replace, so that users never train with another plugin than the file they
//! are editing.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use super::budget::with_multiplication_limit;
use super::notes::PluginNotes;
use super::parse::MAX_BYTES;
use super::spec::{MAIN_SIZE, PetSpec};
use crate::files;
use crate::folders;
use crate::message;
use crate::names::{truncated_name, with_suggestion};
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// The embedded plugins, in display order.
pub const BUILT_IN: &[&str] = &[
    include_str!("../../../plugins/adapter.toml"),
    include_str!("../../../plugins/lora.toml"),
    include_str!("../../../plugins/prefix.toml"),
    include_str!("../../../plugins/adaptformer.toml"),
    include_str!("../../../plugins/streamadapter.toml"),
    include_str!("../../../plugins/houlsby.toml"),
    include_str!("../../../plugins/ssf.toml"),
    include_str!("../../../plugins/bitfit.toml"),
    include_str!("../../../plugins/ia3.toml"),
    include_str!("../../../plugins/pfeiffer.toml"),
    include_str!("../../../plugins/loraall.toml"),
    include_str!("../../../plugins/dora.toml"),
    include_str!("../../../plugins/vera.toml"),
    include_str!("../../../plugins/fact.toml"),
    include_str!("../../../plugins/compacter.toml"),
    include_str!("../../../plugins/adapterbias.toml"),
    include_str!("../../../plugins/ia3full.toml"),
    include_str!("../../../plugins/bitfitfull.toml"),
    include_str!("../../../plugins/ssffull.toml"),
    include_str!("../../../plugins/combined.toml"),
    include_str!("../../../plugins/vpt.toml"),
    include_str!("../../../plugins/vptshallow.toml"),
];

/// The parsed embedded plugins.
static EMBEDDED: LazyLock<Vec<PluginEntry>> = LazyLock::new(|| {
    let plugins = BUILT_IN.iter();
    plugins.map(|text| entry_from_text(text, BUILT_IN_ORIGIN)).collect()
});

/// Cache of valid plugins by file, because every plan, list and run needs all of them.
static VALID_PLUGINS: Mutex<BTreeMap<PathBuf, Arc<PetSpec>>> = Mutex::new(BTreeMap::new());

/// Plugins stored next to the settings of runs that are repeated.
static RUN_PLUGINS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Origin of embedded plugins.
pub const BUILT_IN_ORIGIN: &str = "built in";
/// Maximum number of multiplications to try all files of a list: eight times that of one plugin.
const MAX_WORK: u64 = 1 << 33;
/// A folder with more plugin files is assumed not to be a folder of plugins.
const MAX_FILES: usize = 500;

/// A plugin file, valid or not.
#[derive(Clone, Debug)]
pub struct PluginEntry {
    /// The plugin's name; the file's name if it cannot be read.
    pub name: String,
    /// File path, or [`BUILT_IN_ORIGIN`].
    pub origin: String,
    /// The file, unless embedded.
    pub path: Option<PathBuf>,
    /// Exact text; empty if it cannot be read.
    pub text: Arc<str>,
    /// The plugin, or its error.
    pub spec: Result<Arc<PetSpec>>,
    /// Whether it may replace a built-in plugin; `None` if it does not replace one.
    pub hides: Option<bool>,
}

/// All available plugins.
#[derive(Debug, Default)]
pub struct PluginLibrary {
    entries: Vec<PluginEntry>,
}

/// Makes the plugin of a run that is repeated available to [`PluginLibrary::standard`] until the program ends; it takes
/// precedence over others with its name. Does nothing if there is no such file.
pub fn add_run_plugin(path: PathBuf) {
    if path.is_file() {
        lock(&RUN_PLUGINS).push(path);
    }
}

impl PluginLibrary {
    /// Returns the built-in plugins, those in `./plugins`, and those in `lae-studio/plugins` in the user's data folder.
    pub fn standard() -> Self {
        Self::for_user(user_folder().as_deref())
    }

    /// Like [`PluginLibrary::standard`], with the user's plugins in this folder. A file with the name of a built-in
    /// plugin is rejected until the user allows it (see [`PluginNotes`]).
    pub fn for_user(folder: Option<&Path>) -> Self {
        let notes = folder.map(PluginNotes::read).unwrap_or_default();
        let folders = [Some(Path::new("plugins")), folder].into_iter().flatten();
        let folders: Vec<PathBuf> = folders.map(Path::to_path_buf).collect();
        let mut library = Self::load(&folders, |path| notes.allows(path));
        let run_plugins = lock(&RUN_PLUGINS);
        for entry in run_plugins.iter().map(|path| PluginEntry::from_file(path)) {
            let is_known = library.entries.iter().any(|existing| existing.text == entry.text);
            if !is_known {
                library.insert(entry);
            }
        }
        library
    }

    /// Returns the built-in plugins and those in the given folders, which may be missing; later folders take
    /// precedence.
    pub fn with_folders(folders: Vec<PathBuf>) -> Self {
        Self::load(&folders, |_| true)
    }

    fn load(folders: &[PathBuf], allows: impl Fn(&Path) -> bool) -> Self {
        let mut library = Self::default();
        for entry in EMBEDDED.iter() {
            library.insert(entry.clone());
        }
        with_multiplication_limit(MAX_WORK, || {
            for path in folders.iter().flat_map(|folder| plugin_files(folder)) {
                let entry = PluginEntry::from_file(&path);
                library.insert(entry.reject_unallowed(|| allows(&path)));
            }
        });
        library
    }

    /// Returns all plugins, including those with errors; of equal names only the one that takes precedence.
    pub fn entries(&self) -> &[PluginEntry] {
        &self.entries
    }

    /// Returns the plugin with this name, ignoring case.
    ///
    /// # Errors
    /// Returns the Problem of a file with errors, or a Problem if there is no such plugin.
    pub fn get(&self, name: &str) -> Result<Arc<PetSpec>> {
        match self.entries.iter().find(|entry| is_same_name(&entry.name, name)) {
            Some(entry) => entry.spec.clone(),
            None => {
                let shown = truncated_name(name);
                let problem = Problem::new(message!("problem-plugin-not-found", shown));
                let known = self.entries.iter().map(|entry| entry.name.to_lowercase());
                let known: Vec<String> = known.collect();
                let name = name.to_lowercase();
                Err(with_suggestion(problem, &name, known.iter().map(String::as_str)))
            }
        }
    }

    /// Returns the library with additional plugins, which take precedence over others with their names.
    #[must_use]
    pub fn with_plugins(mut self, texts: &[String]) -> Self {
        for text in texts {
            self.insert(entry_from_text(text, "the supplied plugin"));
        }
        self
    }

    /// Adds an entry, or replaces the one with the same name.
    fn insert(&mut self, entry: PluginEntry) {
        let mut entries = self.entries.iter_mut();
        match entries.find(|existing| is_same_name(&existing.name, &entry.name)) {
            Some(existing) => *existing = entry,
            None => self.entries.push(entry),
        }
    }
}

/// Returns the built-in plugin with this name, ignoring case.
pub fn built_in(name: &str) -> Option<&'static str> {
    let mut known = EMBEDDED.iter();
    let found = known.find(|entry| is_same_name(&entry.name, name));
    found.map(|entry| entry.name.as_str())
}

/// Returns the plugin files of a folder, sorted.
pub fn plugin_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = files
        .filter_map(|file| file.ok().map(|file| file.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .take(MAX_FILES)
        .collect();
    paths.sort();
    paths
}

/// Returns the folder of the user's plugins, which may not exist.
pub fn user_folder() -> Option<PathBuf> {
    Some(folders::data()?.join("plugins"))
}

fn is_same_name(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

fn entry_from_text(text: &str, origin: &str) -> PluginEntry {
    PluginEntry {
        name: stated_name(text).unwrap_or_else(|| origin.to_owned()),
        origin: origin.to_owned(),
        path: None,
        text: text.into(),
        spec: PetSpec::parse(text, origin),
        hides: None,
    }
}

impl PluginEntry {
    /// Returns the same entry with a Problem if it would replace a built-in plugin and this is not allowed.
    fn reject_unallowed(mut self, is_allowed: impl FnOnce() -> bool) -> Self {
        let built_in = EMBEDDED.iter().find(|entry| is_same_name(&entry.name, &self.name));
        let Some(built_in) = built_in else {
            return self;
        };
        if built_in.text == self.text {
            // The text is the same as that of the built-in plugin.
            return built_in.clone();
        }
        let allowed = is_allowed();
        self.hides = Some(allowed);
        if !allowed && self.spec.is_ok() {
            let message = message!("problem-replaces-built-in-plugin", name = &built_in.name);
            let allow = format!("lae-studio plugins --allow {}", self.origin);
            let advice = message!("advice-rename-or-allow-once", allow);
            self.spec = Err(Problem::new(message).at(&self.origin).advise(advice));
        }
        self
    }

    /// Returns the plugin of a file, or its error.
    pub fn from_file(path: &Path) -> Self {
        let origin = path.display().to_string();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into());
        let (text, spec) = match read_text(path) {
            Ok(text) => {
                let spec = parse_cached(path, &text, &origin);
                (text, spec)
            }
            Err(problem) => (String::new(), Err(problem)),
        };
        let name = stated_name(&text).or(stem);
        Self {
            name: name.unwrap_or_else(|| origin.clone()),
            origin,
            path: Some(path.to_owned()),
            text: text.into(),
            spec,
            hides: None,
        }
    }
}

/// Returns the plugin of a file with this text; a valid one is checked again only if its text changed.
fn parse_cached(path: &Path, text: &str, origin: &str) -> Result<Arc<PetSpec>> {
    let cache = || lock(&VALID_PLUGINS);
    let cached = cache().get(path).cloned();
    if let Some(spec) = cached.filter(|spec| spec.text() == text) {
        return Ok(spec);
    }
    let spec = PetSpec::parse(text, origin)?;
    cache().insert(path.to_owned(), Arc::clone(&spec));
    Ok(spec)
}

/// Returns the text of a plugin file.
///
/// # Errors
/// Returns a Problem if it cannot be read, is not text, or is too large.
pub fn read_text(path: &Path) -> Result<String> {
    files::read_text(path, MAX_BYTES as u64).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            Problem::new(error.to_string()).at_path(path).advise(message!("advice-save-as-utf8"))
        }
        _ => Problem::io("read the plugin", path, &error),
    })
}

/// Returns whether a plugin's file declares a main size; true for a text that cannot be parsed.
pub fn is_sized(text: &str) -> bool {
    let table: Option<toml::Table> = text.parse().ok();
    let sizes = |table: toml::Table| table.get("sizes").is_some_and(|s| s.get(MAIN_SIZE).is_some());
    table.is_none_or(sizes)
}

/// Returns the name in a file, even if the rest of it has errors.
pub fn stated_name(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let name = table.get("name")?.as_str()?.trim();
    (!name.is_empty()).then(|| name.chars().take(40).collect())
}
