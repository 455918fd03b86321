//! `serve --attach`: the owner of its folder and the machine of its lock.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::time::SystemTime;

use super::*;

/// A folder of runs whose server process is killed when this value is dropped.
struct Folder(tempfile::TempDir);

impl Drop for Folder {
    fn drop(&mut self) {
        let lock = fs::read_to_string(self.own("lock")).unwrap_or_default();
        if let Some(process) = lock.lines().next() {
            let _ = Command::new("kill").args(["-KILL", process]).status();
        }
    }
}

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(folder.own("")).unwrap();
        folder
    }

    /// A file of the server in this folder.
    fn own(&self, name: &str) -> PathBuf {
        self.0.path().join("runs/.serve").join(name)
    }

    fn words(&self) -> [String; 4] {
        let runs = self.0.path().join("runs").display().to_string();
        ["serve".into(), "--attach".into(), "--out".into(), runs]
    }

    fn attach(&self) -> Output {
        run(&self.words().each_ref().map(String::as_str), self.0.path())
    }

    fn refused(&self) -> String {
        refused(&self.words().each_ref().map(String::as_str), self.0.path())
    }
}

#[test]
fn serve_folder_is_private_to_its_user() {
    let folder = Folder::new();
    fs::set_permissions(folder.own(""), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.own("journal"), "").unwrap();
    if chown(folder.own("journal"), Some(12345), None).is_ok() {
        let said = folder.refused();
        assert!(said.contains("has files of another user"), "{said}");
        fs::set_permissions(folder.own(""), fs::Permissions::from_mode(0o777)).unwrap();
    } else {
        skip("only root can change the owner of files");
    }
    fs::remove_file(folder.own("journal")).unwrap();
    let attached = folder.attach();
    assert_eq!(attached.status.code(), Some(0), "{}", stderr(&attached));
    assert_eq!(fs::metadata(folder.own("")).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn serve_rejects_foreign_and_linked_folders() {
    let folder = Folder::new();
    if chown(folder.own(""), Some(12345), None).is_err() {
        return skip("only root can change the owner of folders");
    }
    let said = folder.refused();
    assert!(said.contains("belongs to another user"), "{said}");
    assert!(said.contains("another `folder`"), "{said}");
    assert!(!folder.own("lock").exists());
    // A link to another folder is not followed either.
    let own = folder.own("");
    fs::remove_dir(&own).unwrap();
    let elsewhere = folder.0.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, own.components().as_path()).unwrap();
    let said = folder.refused();
    assert!(said.contains("folder is a link"), "{said}");
}

#[test]
fn serve_names_machine_that_just_took_lock() {
    let folder = Folder::new();
    fs::set_permissions(folder.own(""), fs::Permissions::from_mode(0o700)).unwrap();
    // The other daemon holds the lock but has not written its name yet.
    let lock = File::create(folder.own("lock")).unwrap();
    lock.lock().unwrap();
    let note = folder.own("lock");
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        fs::write(note, "99999999\nlogin-7\n").unwrap();
    });
    let begun = Instant::now();
    let said = folder.refused();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(said.contains("runs on login-7"), "{said}");
    other.join().unwrap();
    // The lock names a process that does not exist, so there is nothing to stop.
    fs::remove_file(folder.own("lock")).unwrap();
}

#[test]
fn serve_names_other_machine_and_ignores_stale_lock() {
    let folder = Folder::new();
    fs::set_permissions(folder.own(""), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(folder.own("lock"), "1\nlogin-7\n").unwrap();
    let begun = Instant::now();
    let said = folder.refused();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(said.contains("runs on login-7"), "{said}");
    // A lock that was not refreshed for minutes is stale.
    let lock = File::options()
        .write(true)
        .open(folder.own("lock"))
        .unwrap();
    lock.set_modified(SystemTime::now() - Duration::from_secs(300))
        .unwrap();
    let attached = folder.attach();
    assert_eq!(attached.status.code(), Some(0), "{}", stderr(&attached));
    assert!(
        !fs::read_to_string(folder.own("lock"))
            .unwrap()
            .contains("login-7")
    );
}
