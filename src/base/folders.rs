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

/// The portable folder, once [`init`] has been called; `None` for the system's folders.
static PORTABLE: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Decides for this process where everything is stored: in the portable folder if it exists or if `use_portable`, else
/// in the system's folders. Must be called before any folder is requested; later calls have no effect.
///
/// # Errors
/// Returns a Problem if portable mode is requested and the folder beside the program is not writable.
pub fn init(use_portable: bool) -> Result<()> {
    let folder = program_path().as_deref().and_then(portable_folder_for);
    let exists = folder.as_ref().is_some_and(|folder| folder.is_dir());
    let chosen = match folder {
        Some(folder) if use_portable || exists => {
            if use_portable {
                ensure_writable(&folder)?;
            }
            Some(folder)
        }
        None if use_portable => {
            return Err(Problem::new(message!("problem-program-folder-not-found"))
                .advise(message!("advice-start-by-full-path")));
        }
        _ => None,
    };
    let _ = PORTABLE.set(chosen);
    Ok(())
}

/// Returns the portable folder; `None` if portable mode is off.
pub fn portable_folder() -> Option<&'static Path> {
    PORTABLE.get().and_then(|folder| folder.as_deref())
}

/// Returns the folder of the window's settings; `None` if the system has no such folder.
pub fn config() -> Option<PathBuf> {
    app_folder("config", ProjectDirs::config_dir)
}

/// Returns the folder of the user's own plugins and tables.
pub fn data() -> Option<PathBuf> {
    app_folder("data", ProjectDirs::data_dir)
}

/// Returns the folder of runs, which is not synchronised to other computers because runs are large.
pub fn local_data() -> Option<PathBuf> {
    app_folder("data", ProjectDirs::data_local_dir)
}

/// Returns the folder of data that can be downloaded or computed again: weights, unpacked archives, test results of
/// devices.
pub fn cache() -> Option<PathBuf> {
    app_folder("cache", ProjectDirs::cache_dir)
}

fn app_folder(name: &str, system_folder: impl Fn(&ProjectDirs) -> &Path) -> Option<PathBuf> {
    match portable_folder() {
        Some(folder) => Some(folder.join(name)),
        None => ProjectDirs::from("", "", "lae-studio").map(|dirs| system_folder(&dirs).to_owned()),
    }
}

/// Returns the path that the user started. An AppImage unpacks the program to another place and names both paths in
/// the environment. If the program is not at that place, the variables come from another AppImage, such as a
/// terminal.
fn program_path() -> Option<PathBuf> {
    let canonical = |path: PathBuf| dunce::canonicalize(&path).unwrap_or(path);
    let env_path = |name| env::var_os(name).filter(|value| !value.is_empty());
    let executable = canonical(env::current_exe().ok()?);
    let appimage = env_path("APPIMAGE").zip(env_path("APPDIR"));
    let appimage =
        appimage.filter(|(_, unpacked)| executable.starts_with(canonical(unpacked.into())));
    Some(appimage.map_or(executable, |(appimage, _)| canonical(appimage.into())))
}

/// Returns the portable folder of a program: beside it, or beside its bundle on macOS.
fn portable_folder_for(program: &Path) -> Option<PathBuf> {
    let bundle =
        program.ancestors().find(|folder| folder.extension().is_some_and(|ending| ending == "app"));
    let parent = bundle.unwrap_or(program).parent()?;
    Some(parent.join(PORTABLE_FOLDER))
}

fn ensure_writable(folder: &Path) -> Result<()> {
    let result = fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    result.map(drop).map_err(|error| {
        Problem::io("store settings and runs next to the program", folder, &error)
            .advise(message!("advice-move-program-or-not-portable"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_folder_is_next_to_program_or_bundle() {
        let folder = Some(PathBuf::from("/stick/lae-studio-data"));
        for program in ["/stick/lae-studio", "/stick/LAE Studio.app/Contents/MacOS/lae-studio"] {
            assert_eq!(portable_folder_for(Path::new(program)), folder);
        }
    }
}
