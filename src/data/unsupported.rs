//! Formats of archives and datasets that are recognised by their names, but not supported.

use std::path::Path;

use crate::message;
use crate::problem::Problem;
use crate::tree::file_extension;

/// Ids of the problem and the advice for such files.
const ARCHIVE: [&str; 2] = ["problem-archive-format-unsupported", "advice-unpack-and-give-folder"];
const ARROW: [&str; 2] = ["problem-dataset-format-unsupported", "advice-datasets-to-folders"];
const OTHER: [&str; 2] = ["problem-dataset-format-unsupported", "advice-save-images-to-folders"];

/// Extensions, names of formats, and messages.
const FORMATS: [(&str, &str, [&str; 2]); 17] = [
    ("7z", "7-Zip", ARCHIVE),
    ("rar", "RAR", ARCHIVE),
    ("bz2", "bzip2", ARCHIVE),
    ("tbz", "bzip2", ARCHIVE),
    ("tbz2", "bzip2", ARCHIVE),
    ("zst", "Zstandard", ARCHIVE),
    ("tzst", "Zstandard", ARCHIVE),
    ("lz4", "LZ4", ARCHIVE),
    ("arrow", "Arrow", ARROW),
    ("h5", "HDF5", OTHER),
    ("hdf5", "HDF5", OTHER),
    ("lmdb", "LMDB", OTHER),
    ("mdb", "LMDB", OTHER),
    ("npy", "NumPy", OTHER),
    ("npz", "NumPy", OTHER),
    ("tfrecord", "TFRecord", OTHER),
    ("tfrecords", "TFRecord", OTHER),
];

/// Returns the Problem of a file in such a format; `None` for another one.
pub fn unsupported_problem(path: &Path) -> Option<Problem> {
    let extension = file_extension(path.as_os_str());
    // Shards have names such as `train.tfrecord-00000-of-00010`.
    let extension = extension.split('-').next().unwrap_or_default();
    let (_, name, [what, advice]) = FORMATS.iter().find(|format| format.0 == extension)?;
    let problem = Problem::new(message!(*what, form = *name)).at_path(path);
    Some(problem.advise(message!(*advice)))
}

#[cfg(test)]
mod tests {
    use crate::{Dataset, OpenOptions};

    #[test]
    fn names_unsupported_formats_with_advice() {
        let root = tempfile::tempdir().unwrap();
        for (name, form) in [
            ("birds.tar.bz2", "bzip2"),
            ("birds.tar.zst", "Zstandard"),
            ("birds.7z", "7-Zip"),
            ("data.mdb", "LMDB"),
            ("images.npy", "NumPy"),
            ("data-00000-of-00001.arrow", "Arrow"),
            ("train.tfrecord-00000-of-00010", "TFRecord"),
        ] {
            let folder = root.path().join(form);
            std::fs::create_dir(&folder).unwrap();
            let path = folder.join(name);
            std::fs::write(&path, "0123456789").unwrap();
            for path_to_open in [&folder, &path] {
                let opened = Dataset::open(path_to_open.to_str().unwrap(), &OpenOptions::default());
                let problem = opened.unwrap_err();
                assert!(problem.what.contains(form), "{problem}");
                assert!(problem.place.ends_with(name) && !problem.remedy.is_empty());
            }
        }
    }
}
