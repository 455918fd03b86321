//! The only way to open a file: regular files only, with a limit on their size.
//!
//! Opening a pipe blocks, and a device returns endless bytes; both may occur in a folder from someone else or behind a
//! link. Errors are those of the operating system; the kind [`std::io::ErrorKind::InvalidInput`] means that the path is
//! not a regular file, or that the file is far too large.

pub mod names;
pub mod write;

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};
use zip::result::ZipResult;

/// Maximum size in bytes of text files that users or this program write: settings, headers, tables of entries. A
/// million class names fit.
pub const TEXT: u64 = 16 << 20;
/// Maximum size in bytes of a table with a row per image or task.
pub const TABLE: u64 = 256 << 20;
/// Maximum size in bytes of a file with a single line, such as a hash, a tag or a marker.
pub const NOTE: u64 = 4 << 10;

/// Opens a regular file for reading. Links are followed.
///
/// # Errors
/// Returns an error if it cannot be opened, or is a folder, pipe, socket or device.
pub fn open(path: &Path) -> io::Result<File> {
    // Checked before, because opening a pipe waits for a writer, and again afterwards, because the path may have been
    // replaced.
    require_regular(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that belongs to this program (a lock, a marker, an unfinished download) for reading and writing, and
/// creates it if it does not exist. Links are refused.
///
/// # Errors
/// Returns an error if it cannot be opened or created, or is not a regular file.
pub fn open_program_file(path: &Path) -> io::Result<File> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => require_regular(&metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).read(true).write(true);
    let file = file.open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that belongs to this program for appending, and creates it if it does not exist. Links are refused.
///
/// # Errors
/// See [`open_program_file`].
pub fn open_to_append(path: &Path) -> io::Result<File> {
    // Refuses anything but a regular file; this does not change its content.
    drop(open_program_file(path)?);
    OpenOptions::new().append(true).open(path)
}

/// A lock that is released when it is dropped. Closing the file is not enough: a child process that is being started
/// has a copy of it until it runs its own program.
#[derive(Debug)]
pub struct Lock(File);

impl Deref for Lock {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for Lock {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is the fallback.
        let _ = self.0.unlock();
    }
}

/// Locks a file that belongs to this program, and creates it if it does not exist. Returns `None` if another program,
/// or another part of this one, still has the lock after this time.
///
/// # Errors
/// Returns an error if the file cannot be opened.
pub fn lock_program_file(path: &Path, timeout: Duration) -> io::Result<Option<Lock>> {
    let file = open_program_file(path)?;
    let deadline = Instant::now() + timeout;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some network file systems have no locks; continuing without a lock is better than failing.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(Lock(file))),
        }
    }
}

/// Makes a rename or removal in a folder durable. Errors are ignored, because file systems that do not support it do
/// not need it.
pub fn sync_folder(folder: Option<&Path>) {
    if cfg!(unix)
        && let Some(folder) = folder
        && let Ok(handle) = File::open(folder)
    {
        let _ = handle.sync_all();
    }
}

/// Makes the content of these files durable.
///
/// # Errors
/// Returns the error of the first file that could not be synced.
pub fn sync_all(paths: &[PathBuf]) -> io::Result<()> {
    // In parallel, because disks process many requests in the time of one.
    paths.par_iter().try_for_each(|path| {
        // Windows syncs only files that are open for writing, which is impossible for copies of read-only files.
        let file = match cfg!(windows) {
            true => OpenOptions::new().append(true).open(path),
            false => File::open(path),
        };
        match file {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            file => file?.sync_all(),
        }
    })
}

/// Returns the length of a regular file in bytes.
///
/// # Errors
/// See [`open`].
pub fn length(path: &Path) -> io::Result<u64> {
    let metadata = std::fs::metadata(path)?;
    require_regular(&metadata)?;
    Ok(metadata.len())
}

/// Reads a regular file of at most `max_bytes` bytes.
///
/// # Errors
/// See [`open`]; also returns an error if the file is larger or memory does not suffice.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > max_bytes {
        return Err(too_large(max_bytes));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    // The file may have grown since; one more byte shows that it did.
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(max_bytes));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `max_bytes` bytes as text.
///
/// # Errors
/// See [`read`]; also returns an error if the file is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, max_bytes)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text"))
}

/// Reads the first `max_bytes` bytes of a regular file, or all if there are fewer.
///
/// # Errors
/// See [`open`].
pub fn read_start(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_from(path, 0, max_bytes)
}

/// Reads `max_bytes` bytes of a regular file from an offset on, or all if there are fewer.
///
/// # Errors
/// See [`open`].
pub fn read_from(path: &Path, offset: u64, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a ZIP archive that starts with the first byte of `reader`.
///
/// By default, the `zip` crate also searches for archives behind other bytes. That search fails for files of
/// `torch.save`: they have ZIP64 records (76 bytes) that their directory does not need. If the first entry of the
/// directory is also 76 bytes long, the search assumes that the directory starts at its second entry.
///
/// # Errors
/// Returns an error if the archive is damaged, or does not start with the first byte.
pub fn open_zip<R: Read + Seek>(reader: R) -> ZipResult<ZipArchive<R>> {
    let archive_offset = ArchiveOffset::Known(0);
    ZipArchive::with_config(Config { archive_offset }, reader)
}

fn require_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = match metadata {
        metadata if metadata.is_dir() => "this is a folder, not a file",
        metadata if metadata.is_symlink() => "this is a link, and links are not followed here",
        _ => "this is a pipe or device, not a regular file",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn too_large(max_bytes: u64) -> io::Error {
    let limit = match max_bytes >> 20 {
        0 => format!("{} kB", max_bytes >> 10),
        megabytes => format!("{megabytes} MB"),
    };
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("the file is larger than {limit}, the limit for this kind of file"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_enforces_size_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert_eq!(read_text(&path, 9).unwrap(), "four");
        assert_eq!(read_start(&path, 2).unwrap(), b"fo");
        assert!(read(&path, 3).unwrap_err().to_string().contains("larger"));
        // A sparse file takes no memory.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read(&path, TEXT).unwrap_err().to_string().contains("16 MB"));
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let missing = open(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(open(folder.path()).is_err());
        open_program_file(&folder.path().join("made")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn rejects_pipes_devices_and_links_to_them() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let status = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(status.unwrap().success());
        symlink("/dev/zero", at("zero")).unwrap();
        symlink(at("plain"), at("link")).unwrap();
        for special in ["pipe", "zero"] {
            for error in [
                read(&at(special), TEXT).unwrap_err(),
                open_program_file(&at(special)).unwrap_err(),
            ] {
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
            }
        }
        // Nothing is created at the target of a link.
        assert!(open_program_file(&at("link")).is_err());
        assert!(!at("plain").exists());
        std::fs::write(at("plain"), "text").unwrap();
        assert_eq!(read(&at("link"), TEXT).unwrap(), b"text");
    }
}
