//! `serve --attach`: the owner of its folder and the machine of its lock.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::time::SystemTime;

use super::*;

/// A folder of runs whose server process is killed when this value is dropped.
struct ServeFolder(tempfile::TempDir);

impl Drop for ServeFolder {
    fn drop(&mut self) {
        let lock = fs::read_to_string(self.server_file("lock")).unwrap_or_default();
        if let Some(process) = lock.lines().next() {
            let _ = Command::new("kill").args(["-KILL", process]).status();
        }
    }
}

impl ServeFolder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(folder.server_file("")).unwrap();
        folder
    }

    /// A file of the server in this folder.
    fn server_file(&self, name: &str) -> PathBuf {
        self.0.path().join("runs/.serve").join(name)
    }

    fn words(&self) -> [String; 4] {
        let runs = self.0.path().join("runs").display().to_string();
        ["serve".into(), "--attach".into(), "--out".into(), runs]
    }

    fn attach(&self) -> Output {
        run(&self.words().each_ref().map(String::as_str), self.0.path())
    }

    fn rejection_message(&self) -> String {
        run_expecting_error(&self.words().each_ref().map(String::as_str), self.0.path())
    }
}

#[test]
fn serve_folder_is_private_to_its_user() {
    let folder = ServeFolder::new();
    fs::set_permissions(folder.server_file(""), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.server_file("journal"), "").unwrap();
    if chown(folder.server_file("journal"), Some(12345), None).is_ok() {
        let message = folder.rejection_message();
        assert!(message.contains("has files of another user"), "{message}");
        fs::set_permissions(folder.server_file(""), fs::Permissions::from_mode(0o777)).unwrap();
    } else {
        skip("only root can change the owner of files");
    }
    fs::remove_file(folder.server_file("journal")).unwrap();
    let attached = folder.attach();
    assert_eq!(attached.status.code(), Some(0), "{}", stderr(&attached));
    assert_eq!(fs::metadata(folder.server_file("")).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn serve_rejects_foreign_and_linked_folders() {
    let folder = ServeFolder::new();
    if chown(folder.server_file(""), Some(12345), None).is_err() {
        return skip("only root can change the owner of folders");
    }
    let message = folder.rejection_message();
    assert!(message.contains("belongs to another user"), "{message}");
    assert!(message.contains("another `folder`"), "{message}");
    assert!(!folder.server_file("lock").exists());
    // A link to another folder is not followed either.
    let server_folder = folder.server_file("");
    fs::remove_dir(&server_folder).unwrap();
    let elsewhere = folder.0.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, server_folder.components().as_path()).unwrap();
    let message = folder.rejection_message();
    assert!(message.contains("folder is a link"), "{message}");
}

#[test]
fn serve_names_machine_that_just_took_lock() {
    let folder = ServeFolder::new();
    fs::set_permissions(folder.server_file(""), fs::Permissions::from_mode(0o700)).unwrap();
    // The other daemon holds the lock but has not written its name yet.
    let lock = File::create(folder.server_file("lock")).unwrap();
    lock.lock().unwrap();
    let lock_path = folder.server_file("lock");
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        fs::write(lock_path, "99999999\nlogin-7\n").unwrap();
    });
    let started = Instant::now();
    let message = folder.rejection_message();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(message.contains("runs on login-7"), "{message}");
    other.join().unwrap();
    // The lock names a process that does not exist, so there is nothing to stop.
    fs::remove_file(folder.server_file("lock")).unwrap();
}

#[test]
fn serve_names_other_machine_and_ignores_stale_lock() {
    let folder = ServeFolder::new();
    fs::set_permissions(folder.server_file(""), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(folder.server_file("lock"), "1\nlogin-7\n").unwrap();
    let started = Instant::now();
    let message = folder.rejection_message();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(message.contains("runs on login-7"), "{message}");
    // A lock that was not refreshed for minutes is stale.
    let lock = File::options().write(true).open(folder.server_file("lock")).unwrap();
    lock.set_modified(SystemTime::now() - Duration::from_secs(300)).unwrap();
    let attached = folder.attach();
    assert_eq!(attached.status.code(), Some(0), "{}", stderr(&attached));
    assert!(!fs::read_to_string(folder.server_file("lock")).unwrap().contains("login-7"));
}
