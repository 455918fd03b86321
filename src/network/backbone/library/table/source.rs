//! Reads the source of an entry's weights.

use std::path::Path;

use super::{Written, refused};
use crate::backbone::library::embedded_file;
use crate::backbone::library::entry::WeightSource;
use crate::files::names::is_elsewhere;
use crate::problem::Result;

/// Returns the source of an entry's weights; relative paths are relative to the folder of the table `at`.
pub(super) fn source(written: &Written, at: &Path) -> Result<WeightSource> {
    let (embedded, hub) = (&written.embedded, &written.hub);
    let (file, url) = (&written.file, &written.url);
    if written.revision.is_some() && hub.is_none() {
        return Err(refused(written, "revision needs hub"));
    }
    match (embedded, hub, url, file) {
        (Some(true), None, None, None) if embedded_file(&written.name).is_none() => Err(refused(
            written,
            "the program has no embedded weights of this name",
        )),
        (Some(true), None, None, None) => Ok(WeightSource::Embedded),
        // Both become paths in the cache of the hub's tools, so they must not lead outside it.
        (None, Some(repository), None, file)
            if !is_below(repository) || !file.as_deref().is_none_or(is_below) =>
        {
            let why = "hub must be owner/name, and file a file name inside it";
            Err(refused(written, why))
        }
        (None, Some(repository), None, file) => Ok(WeightSource::Hub {
            repository: repository.clone(),
            file: file.clone().unwrap_or_else(|| "model.safetensors".into()),
            revision: revision(written)?,
        }),
        (None, None, Some(url), None) => Ok(WeightSource::Url(url.clone())),
        // Listing the backbones accesses the file, which the user has not chosen, so it must not be on another
        // computer.
        (None, None, None, Some(file)) if is_elsewhere(file) => Err(refused(
            written,
            "files on other computers are not accessed automatically: choose the file as the backbone instead",
        )),
        (None, None, None, Some(file)) => {
            let folder = at.parent().unwrap_or(Path::new(""));
            Ok(WeightSource::File(folder.join(file)))
        }
        _ => Err(refused(
            written,
            "the weights need exactly one source: hub (with file), url, or only file",
        )),
    }
}

/// Returns the commit of an entry. Names of branches are rejected, because their content changes.
fn revision(written: &Written) -> Result<Option<String>> {
    let is_commit = |text: &String| text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match &written.revision {
        Some(given) if !is_commit(given) => Err(refused(
            written,
            "revision must be a commit of the hub, 40 hexadecimal digits",
        )),
        given => Ok(given.as_ref().map(|commit| commit.to_ascii_lowercase())),
    }
}

/// Returns whether a name in the hub is a relative path below its folder on every system: no `..`, no root, no drive.
fn is_below(name: &str) -> bool {
    let plain = |part: &str| !["", ".", ".."].contains(&part);
    name.split('/').all(plain) && !name.contains(['\\', ':'])
}
