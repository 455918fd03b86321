//! Looks into folders for the window's own chooser.

use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};
use crate::session::chooser::{Listing, Wanted};
use crate::session::words::by_number;

/// Entries listed of one folder; nobody scrolls through more.
const MOST: usize = 2000;

/// What lies in a folder; of a file, or of one to be written, in the folder around it. An empty path is the person's own
/// folder.
pub(super) fn list(wanted: Wanted, path: &Path) -> Result<Listing> {
    let places = places();
    let home = || {
        places
            .first()
            .map_or_else(|| "/".into(), |(_, at)| at.clone())
    };
    let path = match path.as_os_str().is_empty() {
        true => home(),
        false => with_home(path),
    };
    let path = std::path::absolute(&path).unwrap_or(path);
    // Where a file is to be written, one that is not there yet is what was asked for.
    let new =
        wanted.to_write().is_some() && !path.exists() && path.parent().is_some_and(Path::is_dir);
    let file = (new || path.is_file()).then(|| path.clone());
    let folder = match (&file, path.parent()) {
        (Some(_), Some(around)) => around.to_path_buf(),
        _ => path,
    };
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| Problem::io("look into this folder", &folder, &error))?;
    let (_, endings) = wanted.files();
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let at = entry.path();
        let ending = at.extension().unwrap_or_default().to_ascii_lowercase();
        if at.is_dir() {
            folders.push(name);
        } else if at.is_file() && endings.iter().any(|known| ending == *known) {
            files.push(name);
        }
    }
    folders.sort_by(|a, b| by_number(a, b));
    files.sort_by(|a, b| by_number(a, b));
    let more = folders.len().saturating_sub(MOST) + files.len().saturating_sub(MOST);
    folders.truncate(MOST);
    files.truncate(MOST);
    Ok(Listing {
        folder,
        file,
        folders,
        files,
        more,
        places,
    })
}

/// `~` as a shell would have it.
fn with_home(path: &Path) -> PathBuf {
    let home = directories::UserDirs::new().map(|dirs| dirs.home_dir().to_path_buf());
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// Where a person may want to begin, as far as it is there.
fn places() -> Vec<(String, PathBuf)> {
    let mut list = Vec::new();
    if let Some(dirs) = directories::UserDirs::new() {
        let mut add = |name: &str, at: Option<&Path>| {
            list.extend(at.map(|at| (name.to_string(), at.to_path_buf())));
        };
        add("Home", Some(dirs.home_dir()));
        add("Desktop", dirs.desktop_dir());
        add("Documents", dirs.document_dir());
        add("Downloads", dirs.download_dir());
        add("Pictures", dirs.picture_dir());
    }
    if cfg!(unix) {
        list.push(("Computer".into(), "/".into()));
    }
    list.retain(|(_, at)| at.is_dir());
    list
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_shows_its_folders_and_the_files_that_fit_by_number() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["class_10", "class_2", ".hidden"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        for name in ["b.PNG", "a10.jpg", "a9.jpg", "notes.txt"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let shown = list(Wanted::Image, folder.path()).unwrap();
        assert_eq!(shown.folders, ["class_2", "class_10"]);
        assert_eq!(shown.files, ["a9.jpg", "a10.jpg", "b.PNG"]);
        let of_file = list(Wanted::Image, &folder.path().join("b.PNG")).unwrap();
        assert_eq!(of_file.folder, shown.folder);
        assert!(of_file.file.is_some() && shown.file.is_none());
        let new = folder.path().join("report.zip");
        let to_write = list(Wanted::Report, &new).unwrap();
        assert_eq!(to_write.folder, shown.folder);
        assert_eq!(to_write.file, Some(new));
        assert!(list(Wanted::Report, &folder.path().join("gone/report.zip")).is_err());
        let gone = list(Wanted::Image, &folder.path().join("gone")).unwrap_err();
        assert!(gone.what.contains("look into this folder"), "{gone}");
    }
}
