//! The desktop's file dialog: the portal's where there is one, else zenity's or kdialog's. Where
//! there is none of them the window shows a chooser of its own.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::session::chooser::{Choice, Wanted};

/// Nobody cancels a dialog this soon after it was asked for: none came up.
const TOO_SOON: Duration = Duration::from_millis(250);

/// Shows the desktop's file dialog and waits for the answer.
pub(super) fn pick(wanted: Wanted) -> Choice {
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        unix::Desktop::here().pick(wanted)
    }
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    {
        of_system(wanted)
    }
}

/// The dialog of the portal, or of the system where it has its own.
fn of_system(wanted: Wanted) -> Choice {
    let asked = Instant::now();
    let mut dialog = rfd::FileDialog::new().set_title(wanted.title());
    if !wanted.is_folder() {
        let (name, endings) = wanted.files();
        dialog = dialog.add_filter(name, endings);
    }
    let path = match wanted.to_write() {
        Some(name) => dialog.set_file_name(name).save_file(),
        None if wanted.is_folder() => dialog.pick_folder(),
        None => dialog.pick_file(),
    };
    answer(path, asked)
}

fn answer(path: Option<PathBuf>, asked: Instant) -> Choice {
    match path {
        Some(path) => Choice::Path(path),
        None if asked.elapsed() < TOO_SOON => Choice::NoDialog,
        None => Choice::Cancelled,
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
mod unix {
    use std::env;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;

    /// What this desktop has to offer.
    pub(super) struct Desktop {
        /// Whether a portal can be expected to answer.
        pub portal: bool,
        /// Folders that hold programs.
        pub programs: Vec<PathBuf>,
        /// Whether it is KDE's, whose own dialog comes first there.
        pub kde: bool,
    }

    impl Desktop {
        pub fn here() -> Self {
            let list = |name: &str| env::var_os(name).unwrap_or_default();
            let kde = list("XDG_CURRENT_DESKTOP");
            Self {
                portal: bus_there() && portal_there(),
                programs: env::split_paths(&list("PATH")).collect(),
                kde: kde.to_string_lossy().to_lowercase().contains("kde"),
            }
        }

        pub fn pick(&self, wanted: Wanted) -> Choice {
            if self.portal {
                let choice = of_system(wanted);
                if choice != Choice::NoDialog {
                    return choice;
                }
            }
            let zenity = ("zenity", zenity(wanted));
            let kdialog = ("kdialog", kdialog(wanted));
            let both = match self.kde {
                true => [kdialog, zenity],
                false => [zenity, kdialog],
            };
            for (name, arguments) in both {
                let program = self.programs.iter().map(|folder| folder.join(name));
                let Some(program) = program.into_iter().find(|path| path.is_file()) else {
                    continue;
                };
                let choice = run(&program, &arguments);
                if choice != Choice::NoDialog {
                    return choice;
                }
            }
            Choice::NoDialog
        }
    }

    /// Whether there is a session bus to ask on.
    fn bus_there() -> bool {
        let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty())
            || runtime.is_some_and(|folder| folder.join("bus").exists())
    }

    /// Whether a portal is installed with a part that chooses files.
    fn portal_there() -> bool {
        if Path::new("/.flatpak-info").exists() {
            return true;
        }
        let given = env::var_os("XDG_DATA_DIRS").filter(|list| !list.is_empty());
        let shared = given.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
        let mut folders: Vec<PathBuf> = env::split_paths(&shared).collect();
        folders.extend(directories::BaseDirs::new().map(|dirs| dirs.data_dir().to_path_buf()));
        let service = "dbus-1/services/org.freedesktop.portal.Desktop.service";
        let parts = |folder: &PathBuf| {
            let list = std::fs::read_dir(folder.join("xdg-desktop-portal/portals"));
            list.is_ok_and(|list| list.count() > 0)
        };
        folders.iter().any(|folder| folder.join(service).exists()) && folders.iter().any(parts)
    }

    fn patterns(wanted: Wanted) -> String {
        let (_, endings) = wanted.files();
        let all: Vec<String> = endings.iter().map(|ending| format!("*.{ending}")).collect();
        all.join(" ")
    }

    fn zenity(wanted: Wanted) -> Vec<String> {
        let mut all = vec!["--file-selection".to_string()];
        all.push(format!("--title={}", wanted.title()));
        if let Some(name) = wanted.to_write() {
            all.extend(["--save".into(), format!("--filename={name}")]);
        } else if wanted.is_folder() {
            all.push("--directory".into());
        } else {
            let (name, _) = wanted.files();
            all.push(format!("--file-filter={name} | {}", patterns(wanted)));
        }
        all
    }

    fn kdialog(wanted: Wanted) -> Vec<String> {
        let mut all = vec!["--title".to_string(), wanted.title().into()];
        if let Some(name) = wanted.to_write() {
            all.extend(["--getsavefilename".into(), name]);
        } else if wanted.is_folder() {
            all.extend(["--getexistingdirectory".into(), ".".into()]);
        } else {
            let (name, _) = wanted.files();
            let filter = format!("{name} ({})", patterns(wanted));
            all.extend(["--getopenfilename".into(), ".".into(), filter]);
        }
        all
    }

    /// Runs a program that prints the chosen path, or ends with 1 where nothing was chosen.
    fn run(program: &Path, arguments: &[String]) -> Choice {
        use std::os::unix::ffi::OsStringExt;
        let asked = Instant::now();
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        let Ok(done) = command.stderr(Stdio::null()).output() else {
            return Choice::NoDialog;
        };
        let mut told = done.stdout;
        while told.last() == Some(&b'\n') {
            told.pop();
        }
        match done.status.code() {
            Some(0) if !told.is_empty() => Choice::Path(std::ffi::OsString::from_vec(told).into()),
            Some(0 | 1) => answer(None, asked),
            _ => Choice::NoDialog,
        }
    }

    #[cfg(test)]
    #[allow(clippy::unwrap_used)]
    mod tests {
        use std::os::unix::fs::PermissionsExt;

        use super::*;

        /// A desktop whose only programs are these scripts.
        fn desktop(scripts: &[(&str, &str)], kde: bool) -> (tempfile::TempDir, Desktop) {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in scripts {
                let path = folder.path().join(name);
                std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            }
            let desktop = Desktop {
                portal: false,
                programs: vec![folder.path().to_path_buf()],
                kde,
            };
            (folder, desktop)
        }

        #[test]
        fn without_a_portal_the_desktops_programs_are_asked_and_without_these_nobody() {
            let chosen = Choice::Path("/my pictures".into());
            let picks = "echo \"/my pictures\"";
            let (_kept, both) = desktop(&[("zenity", picks), ("kdialog", "echo /other")], false);
            assert_eq!(both.pick(Wanted::DataFolder), chosen);
            let (_kept, kde) = desktop(&[("zenity", "echo /other"), ("kdialog", picks)], true);
            assert_eq!(kde.pick(Wanted::Image), chosen);
            // One that cannot show itself ends at once: the next one is asked.
            let (_kept, broken) = desktop(&[("zenity", "exit 1"), ("kdialog", picks)], false);
            assert_eq!(broken.pick(Wanted::Weights), chosen);
            let (_kept, left) = desktop(&[("zenity", "sleep 0.4; exit 1")], false);
            assert_eq!(left.pick(Wanted::Order), Choice::Cancelled);
            let (_kept, bare) = desktop(&[], false);
            assert_eq!(bare.pick(Wanted::DataFolder), Choice::NoDialog);
        }

        #[test]
        fn a_folder_is_asked_for_as_one_and_files_by_their_endings() {
            let of_zenity = zenity(Wanted::DataFolder);
            assert!(of_zenity.contains(&"--directory".to_string()));
            let filter = zenity(Wanted::Order).pop().unwrap();
            assert_eq!(filter, "--file-filter=JSON | *.json");
            let of_kdialog = kdialog(Wanted::Image);
            assert!(
                of_kdialog
                    .last()
                    .unwrap()
                    .starts_with("Images (*.png *.jpg")
            );
        }
    }
}
