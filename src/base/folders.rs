//! The folders of this program: settings, data, runs, caches.
//!
//! Usually these are the system's folders for the user. In portable mode, all of them are in one folder beside the
//! program, so that a USB stick contains program, runs and weights.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use directories::ProjectDirs;

use crate::message;
use crate::problem::{Problem, Result};

/// The folder beside the program that contains everything in portable mode.
pub const PORTABLE_FOLDER: &str = "lae-studio-data";

/// The portable folder, once [`decide`] has been called; `None` for the system's folders.
static PORTABLE: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Decides for this process where everything is stored: in the portable folder if it exists or if `asked`, otherwise
/// in the system's folders. Must be called before any folder is requested; later calls have no effect.
///
/// # Errors
/// Returns a Problem if portable mode is requested and the folder beside the program is not writable.
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

/// Returns the portable folder; `None` if portable mode is off.
pub fn portable() -> Option<&'static Path> {
    PORTABLE.get().and_then(|folder| folder.as_deref())
}

/// Returns the folder of the window's settings; `None` if the system has no such folder.
pub fn config() -> Option<PathBuf> {
    of("config", ProjectDirs::config_dir)
}

/// Returns the folder of the user's own plugins and tables.
pub fn data() -> Option<PathBuf> {
    of("data", ProjectDirs::data_dir)
}

/// Returns the folder of runs, which is not synchronised to other computers because runs are large.
pub fn local_data() -> Option<PathBuf> {
    of("data", ProjectDirs::data_local_dir)
}

/// Returns the folder of data that can be downloaded or computed again: weights, unpacked archives, test results of
/// devices.
pub fn cache() -> Option<PathBuf> {
    of("cache", ProjectDirs::cache_dir)
}

fn of(name: &str, usual: impl Fn(&ProjectDirs) -> &Path) -> Option<PathBuf> {
    match portable() {
        Some(folder) => Some(folder.join(name)),
        None => ProjectDirs::from("", "", "lae-studio").map(|dirs| usual(&dirs).to_owned()),
    }
}

/// Returns the path that the user started. An AppImage unpacks the program to another place and names both paths in
/// the environment. If the program is not at that place, the variables come from another AppImage, such as a
/// terminal.
fn program() -> Option<PathBuf> {
    let whole = |path: PathBuf| dunce::canonicalize(&path).unwrap_or(path);
    let named = |name| env::var_os(name).filter(|value| !value.is_empty());
    let own = whole(env::current_exe().ok()?);
    let image = named("APPIMAGE").zip(named("APPDIR"));
    let image = image.filter(|(_, unpacked)| own.starts_with(whole(unpacked.into())));
    Some(image.map_or(own, |(image, _)| whole(image.into())))
}

/// Returns the portable folder of a program: beside it, or beside its bundle on macOS.
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
    fn portable_folder_is_next_to_program_or_bundle() {
        let folder = Some(PathBuf::from("/stick/lae-studio-data"));
        for program in [
            "/stick/lae-studio",
            "/stick/LAE Studio.app/Contents/MacOS/lae-studio",
        ] {
            assert_eq!(beside(Path::new(program)), folder);
        }
    }
}
