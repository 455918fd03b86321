//! Resolves a name given by the user to an entry, a file or folder, or a repository of the model hub.

use std::fs;
use std::path::{Path, PathBuf};

use super::entry::{BackboneEntry, WeightSource};
use super::{BackboneLibrary, NANO};
use crate::backbone::weights::EXTENSIONS;
use crate::message;
use crate::names::{closest_name, truncated_name};
use crate::problem::{Problem, Result};

/// Largest length of a path on any system, in bytes.
const MAX_PATH_LENGTH: usize = 1 << 15;

/// The meaning of a name given by the user.
pub(super) enum ResolvedName<'a> {
    Entry(&'a BackboneEntry),
    File(PathBuf),
    /// A repository of the model hub whose weights are not on this computer.
    Hub(String),
}

/// The files that list the parts of a network saved in several files, which is rejected when it is opened.
const SHARD_LISTS: [&str; 2] = ["model.safetensors.index.json", "pytorch_model.bin.index.json"];

/// The weight files of a repository of timm or transformers; the first one found is used.
pub(super) const WEIGHT_FILES: [&str; 2] = ["model.safetensors", "pytorch_model.bin"];

impl BackboneLibrary {
    pub(super) fn resolve(&self, name: &str) -> Result<ResolvedName<'_>> {
        if let Some(entry) = self.entry(name) {
            return Ok(ResolvedName::Entry(entry));
        }
        if let Some(file) = self.overrides.get(name) {
            return Ok(ResolvedName::File(file.clone()));
        }
        if name.len() > MAX_PATH_LENGTH {
            let message = message!("problem-backbone-not-found", name = truncated_name(name));
            return Err(Problem::new(message).advise(message!("advice-give-backbone-or-file")));
        }
        let path = Path::new(name);
        if path.is_dir() {
            return find_weights(path).map(ResolvedName::File);
        }
        if path.exists() {
            return Ok(ResolvedName::File(path.to_owned()));
        }
        if let Some(repository) = parse_repository(name) {
            return Ok(match self.entry_of_repository(&repository) {
                Some(entry) => ResolvedName::Entry(entry),
                None => match self.locations.repository_file(&repository) {
                    Some(path) => ResolvedName::File(path),
                    None => ResolvedName::Hub(repository),
                },
            });
        }
        if name.trim().is_empty() {
            return Err(Problem::new(message!("problem-no-backbone-chosen"))
                .advise(message!("advice-choose-built-in-backbone", embedded = NANO)));
        }
        if let Some(problem) = self.invalid_entry_problem(name) {
            return Err(problem);
        }
        let message =
            if name.contains(['/', '\\']) || path.extension().is_some_and(is_weight_extension) {
                message!("problem-weight-file-not-found", name)
            } else {
                message!("problem-backbone-not-found", name = truncated_name(name))
            };
        let known = || self.entries.iter().map(|entry| entry.name.as_str());
        let untagged = known().filter_map(|name| Some(name.split_once('.')?.0));
        let list = || known().collect::<Vec<_>>().join(", ");
        // A name with other digits is another version: DINOv3 is not a misspelt DINOv2.
        let digits = |name: &str| name.matches(|c: char| c.is_ascii_digit()).collect::<String>();
        let near = closest_name(name, known().chain(untagged));
        let advice = match near.filter(|near| digits(near) == digits(name)) {
            Some(near) => message!("advice-did-you-mean-plain", name = near),
            None => message!("advice-give-weight-file-or-name", names = list()),
        };
        Err(Problem::new(message).advise(advice))
    }

    /// Returns the entry whose weights are in this repository, by its source or by timm's name.
    fn entry_of_repository(&self, repository: &str) -> Option<&BackboneEntry> {
        let is_source = |entry: &&BackboneEntry| matches!(&entry.source, WeightSource::Hub { repository: of, .. } if of == repository);
        let timm_name = repository.strip_prefix("timm/");
        let named =
            || timm_name.and_then(|name| self.entries.iter().find(|entry| entry.name == name));
        self.entries.iter().find(is_source).or_else(named)
    }

    /// Returns the Problem that explains why a name is unknown: its entry, or a whole table, is invalid.
    fn invalid_entry_problem(&self, name: &str) -> Option<Problem> {
        let entry = format!("backbone {name}");
        let mentions = |what: &str| {
            let rest = what.split_once(&entry).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.starts_with([':', ' ']))
        };
        let entry_problem = self.problems.iter().find(|p| mentions(&p.what));
        if let Some(problem) = entry_problem {
            return Some(problem.clone());
        }
        let table = self.problems.iter().find(|p| p.is("problem-backbone-table-unreadable"))?;
        Some(Problem {
            what: format!("there is no backbone named {}; {}", truncated_name(name), table.what),
            ..table.clone()
        })
    }
}

/// Returns the repository of the model hub that a name refers to (`timm/NAME`, `hf_hub:OWNER/NAME`); `None` for other
/// names.
fn parse_repository(name: &str) -> Option<String> {
    let bare = ["hf_hub:", "hf-hub:", "timm/hf_hub:"].iter();
    let bare = bare.fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
    let (owner, rest) = bare.split_once('/')?;
    let plain = |part: &str| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(is_allowed)
    };
    let is_file = Path::new(rest).extension().is_some_and(is_weight_extension);
    (plain(owner) && plain(rest) && !is_file).then(|| bare.to_owned())
}

/// Returns the weight file in a folder: one with a usual name, or else the only one.
///
/// # Errors
/// Returns a Problem if there is none, or more than one.
fn find_weights(folder: &Path) -> Result<PathBuf> {
    let mut usual = WEIGHT_FILES.iter().chain(&SHARD_LISTS).map(|name| folder.join(name));
    if let Some(usual) = usual.find(|file| file.is_file()) {
        return Ok(usual);
    }
    let files =
        fs::read_dir(folder).map_err(|error| Problem::io("read the folder", folder, &error))?;
    let files = files.flatten().map(|file| file.path());
    let mut found: Vec<PathBuf> = files
        .filter(|file| file.is_file() && file.extension().is_some_and(is_weight_extension))
        .collect();
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        _ => Err(Problem::new(message!("problem-folder-is-no-weight-file"))
            .at_path(folder)
            .advise(message!("advice-choose-weight-file-format"))),
    }
}

/// Returns whether a name may be a repository of the model hub.
pub fn is_repository(name: &str) -> bool {
    parse_repository(name).is_some() && !Path::new(name).exists()
}

fn is_weight_extension(extension: &std::ffi::OsStr) -> bool {
    EXTENSIONS.iter().any(|known| extension == *known)
}
