//! The one way to open a file: ordinary files only, and never more of one than its kind can have.
//!
//! Opening a pipe blocks and a device gives bytes without end, and either may be found where a
//! file is expected: in a folder that somebody passed on, or behind a link. Errors are those of the
//! operating system; one of the kind [`std::io::ErrorKind::InvalidInput`] says that this is no
//! ordinary file or a far too large one.

pub mod names;
pub mod write;

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};
use zip::result::ZipResult;

/// Most bytes of a text that people or this program write: settings, facts, tables of entries. A
/// million classes by name or number fit.
pub const TEXT: u64 = 16 << 20;
/// Most bytes of a table with a row per image or task.
pub const TABLE: u64 = 256 << 20;
/// Most bytes of a note of one line: a hash, a tag, a mark.
pub const NOTE: u64 = 4 << 10;

/// Opens an ordinary file for reading. Links are followed.
///
/// # Errors
/// It cannot be opened, or is a folder, pipe, socket or device.
pub fn open(path: &Path) -> io::Result<File> {
    // Asked before, because opening a pipe waits for a writer, and again afterwards, because
    // the name may mean something else by then.
    ordinary(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    ordinary(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that this program keeps for itself (a lock, a mark, an unfinished download) for
/// reading and writing, and makes it where there is none. A link is refused.
///
/// # Errors
/// It cannot be opened or made, or is no ordinary file.
pub fn open_own(path: &Path) -> io::Result<File> {
    match std::fs::symlink_metadata(path) {
        Ok(about) => ordinary(&about)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).read(true).write(true);
    let file = file.open(path)?;
    ordinary(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that this program keeps for itself for writing behind what it holds, and makes it
/// where there is none. A link is refused.
///
/// # Errors
/// As [`open_own`].
pub fn open_to_append(path: &Path) -> io::Result<File> {
    // Refuses what is no ordinary file; opening it so leaves what it holds.
    drop(open_own(path)?);
    OpenOptions::new().append(true).open(path)
}

/// Takes the lock of a file that this program keeps for itself, made where there is none; it is held
/// while the file lives. None when another program, or another part of this one, still holds it after
/// so long.
///
/// # Errors
/// The file cannot be opened.
pub fn lock_own(path: &Path, patience: Duration) -> io::Result<Option<File>> {
    let file = open_own(path)?;
    let end = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some network file systems have no locks; working without one beats not working.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(file)),
        }
    }
}

/// Makes a rename or removal in a folder last through a power cut. File systems that cannot do
/// this do not need it, so a refusal is no failure.
pub fn sync_folder(folder: Option<&Path>) {
    if cfg!(unix)
        && let Some(folder) = folder
        && let Ok(handle) = File::open(folder)
    {
        let _ = handle.sync_all();
    }
}

/// Makes what was written into these files last through a power cut.
///
/// # Errors
/// What the system says of the first that could not be written.
pub fn sync_all(paths: &[PathBuf]) -> io::Result<()> {
    // Many at once, because the disk does many in the time of one.
    paths.par_iter().try_for_each(|path| {
        // Windows syncs only what is open for writing, which a copy of a file that cannot be written is not.
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

/// Length of an ordinary file, in bytes.
///
/// # Errors
/// As [`open`].
pub fn length(path: &Path) -> io::Result<u64> {
    let about = std::fs::metadata(path)?;
    ordinary(&about)?;
    Ok(about.len())
}

/// The whole of an ordinary file of at most `most` bytes.
///
/// # Errors
/// As [`open`], or it is larger, or memory does not suffice.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > most {
        return Err(too_large(most));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    // It may have grown since; one byte more shows that it did.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

/// The whole of an ordinary file of at most `most` bytes, as text.
///
/// # Errors
/// As [`read`], or it is not in UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text"))
}

/// The first bytes of an ordinary file: `most` of them, or all there are.
///
/// # Errors
/// As [`open`].
pub fn read_start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_from(path, 0, most)
}

/// The bytes of an ordinary file from one on: `most` of them, or all that are left.
///
/// # Errors
/// As [`open`].
pub fn read_from(path: &Path, from: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a ZIP archive that starts with the first byte of `reader`.
///
/// The `zip` crate by default also searches for archives behind other bytes. That search fails for files of `torch.save`:
/// they have ZIP64 records (76 bytes) that their directory does not need, and where the first entry of the directory
/// is 76 bytes long, too, the directory is taken to start at its second entry.
///
/// # Errors
/// The archive is damaged, or does not start with the first byte.
pub fn open_zip<R: Read + Seek>(reader: R) -> ZipResult<ZipArchive<R>> {
    let archive_offset = ArchiveOffset::Known(0);
    ZipArchive::with_config(Config { archive_offset }, reader)
}

fn ordinary(about: &Metadata) -> io::Result<()> {
    if about.is_file() {
        return Ok(());
    }
    let what = match about {
        about if about.is_dir() => "this is a folder, not a file",
        about if about.is_symlink() => "this is a link, and links are not followed here",
        _ => "this is a pipe or device, not a regular file",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn too_large(most: u64) -> io::Error {
    let most = match most >> 20 {
        0 => format!("{} kB", most >> 10),
        megabytes => format!("{megabytes} MB"),
    };
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("the file is larger than {most}, the limit for this kind of file"),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_most_of_its_kind() {
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
        assert_eq!(
            read_text(&path, 9).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        let missing = open(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(open(folder.path()).is_err());
        open_own(&folder.path().join("made")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_links_to_them_are_refused_at_once() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        symlink("/dev/zero", at("zero")).unwrap();
        symlink(at("plain"), at("link")).unwrap();
        for special in ["pipe", "zero"] {
            for error in [
                read(&at(special), TEXT).unwrap_err(),
                open_own(&at(special)).unwrap_err(),
            ] {
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
            }
        }
        // Nothing is made at the other end of a link.
        assert!(open_own(&at("link")).is_err());
        assert!(!at("plain").exists());
        std::fs::write(at("plain"), "text").unwrap();
        assert_eq!(read(&at("link"), TEXT).unwrap(), b"text");
    }
}
