//! The folders that belong to this program: settings, data, runs, caches.
//!
//! As a rule they are the system's folders for this user. In the portable form all of them are in
//! one folder beside the program, so that a stick carries program, runs and weights together.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use directories::ProjectDirs;

use crate::message;
use crate::problem::{Problem, Result};

/// The folder beside the program that holds everything in the portable form.
pub const PORTABLE_FOLDER: &str = "lae-studio-data";

/// The portable folder, once it is decided; `None` where the system's folders are used.
static PORTABLE: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Decides for this process where everything is kept: beside the program when `asked`, or when the
/// portable folder is there already; else in the system's folders. To be called before anything asks
/// for a folder; later calls change nothing.
///
/// # Errors
/// Returns a Problem if the portable form is asked for and nothing can be written beside the program.
pub fn decide(asked: bool) -> Result<()> {
    let folder = program().as_deref().and_then(beside);
    let there = folder.as_ref().is_some_and(|folder| folder.is_dir());
    let chosen = match folder {
        Some(folder) if asked || there => {
            if asked {
                writable(&folder)?;
            }
            Some(folder)
        }
        None if asked => {
            return Err(Problem::new(message!("problem-program-folder-not-found"))
                .advise(message!("advice-start-by-full-path")));
        }
        _ => None,
    };
    let _ = PORTABLE.set(chosen);
    Ok(())
}

/// The folder of everything in the portable form; none in the usual one.
pub fn portable() -> Option<&'static Path> {
    PORTABLE.get().and_then(|folder| folder.as_deref())
}

/// Where the window's settings are kept; `None` if the system has no such folder.
pub fn config() -> Option<PathBuf> {
    of("config", ProjectDirs::config_dir)
}

/// The folder of the user's own plugins and tables.
pub fn data() -> Option<PathBuf> {
    of("data", ProjectDirs::data_dir)
}

/// Where runs are kept; on this machine alone, for they are large.
pub fn local_data() -> Option<PathBuf> {
    of("data", ProjectDirs::data_local_dir)
}

/// What can be fetched or computed again: weights, unpacked archives, verdicts on devices.
pub fn cache() -> Option<PathBuf> {
    of("cache", ProjectDirs::cache_dir)
}

fn of(name: &str, usual: impl Fn(&ProjectDirs) -> &Path) -> Option<PathBuf> {
    match portable() {
        Some(folder) => Some(folder.join(name)),
        None => ProjectDirs::from("", "", "lae-studio").map(|dirs| usual(&dirs).to_owned()),
    }
}

/// What the user started: an AppImage unpacks the program somewhere else and names itself and that place.
/// A program elsewhere was started out of another AppImage, a terminal in one, say.
fn program() -> Option<PathBuf> {
    let whole = |path: PathBuf| dunce::canonicalize(&path).unwrap_or(path);
    let named = |name| env::var_os(name).filter(|value| !value.is_empty());
    let own = whole(env::current_exe().ok()?);
    let image = named("APPIMAGE").zip(named("APPDIR"));
    let image = image.filter(|(_, unpacked)| own.starts_with(whole(unpacked.into())));
    Some(image.map_or(own, |(image, _)| whole(image.into())))
}

/// The portable folder of a program: beside it, or beside the bundle on macOS.
fn beside(program: &Path) -> Option<PathBuf> {
    let bundle = program
        .ancestors()
        .find(|folder| folder.extension().is_some_and(|ending| ending == "app"));
    let place = bundle.unwrap_or(program).parent()?;
    Some(place.join(PORTABLE_FOLDER))
}

fn writable(folder: &Path) -> Result<()> {
    let tried = fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    tried.map(drop).map_err(|error| {
        Problem::io(
            "store settings and runs next to the program",
            folder,
            &error,
        )
        .advise(message!("advice-move-program-or-not-portable"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_folder_lies_beside_the_program_or_its_bundle() {
        let folder = Some(PathBuf::from("/stick/lae-studio-data"));
        for program in [
            "/stick/lae-studio",
            "/stick/LAE Studio.app/Contents/MacOS/lae-studio",
        ] {
            assert_eq!(beside(Path::new(program)), folder);
        }
    }
}
