//! Datasets that are split into several files (shards). Their images are unpacked into one folder, with a table of
//! classes and splits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};
use crate::roles::{Role, parse_role, role_and_rest};

/// Name of the table.
pub(super) const TABLE: &str = "samples.csv";

/// Returns the folder for the images of a shard, relative to the folder of the dataset.
pub(super) fn shard_folder(shard: &Path, root: &Path) -> PathBuf {
    let inside = shard.strip_prefix(root).unwrap_or(Path::new(""));
    inside.with_extension("")
}

/// The rows of the table: images, their splits and further cells.
pub(super) struct SampleTable {
    pub columns: Vec<String>,
    pub rows: Vec<(PathBuf, Option<Role>, Vec<String>)>,
}

impl SampleTable {
    /// Writes the table. Splits are left out if there are no training images.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let is_split = self.rows.iter().any(|row| row.1 == Some(Role::Train));
        let mut table = csv::Writer::from_writer(Vec::new());
        let write_row =
            |table: &mut csv::Writer<Vec<u8>>, file: &str, split: &str, cells: &[String]| {
                let cells = cells.iter().map(String::as_str);
                let split = [split].into_iter().filter(|_| is_split);
                table.write_record([file].into_iter().chain(split).chain(cells))
            };
        let mut result = write_row(&mut table, "file", "split", &self.columns);
        for (file, role, cells) in &self.rows {
            let split = match role {
                Some(Role::Train) => "train",
                Some(Role::Test) => "test",
                Some(Role::Validation) => "val",
                None => "",
            };
            let file = file.to_string_lossy();
            result = result.and_then(|()| write_row(&mut table, &file, split, cells));
        }
        let path = folder.join(TABLE);
        let bytes = table.into_inner().map_err(csv::IntoInnerError::into_error);
        let saved = result
            .map_err(std::io::Error::from)
            .and(bytes)
            .and_then(|bytes| fs::write(&path, bytes));
        saved.map_err(|error| Problem::io("store the unpacked files", &path, &error))
    }
}

/// Returns the split in the name of a shard or of one of its folders.
pub(super) fn shard_role(folder: &Path) -> Option<Role> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut folders = folder.ancestors().skip(1);
    let by_folder = || {
        folders.find_map(|folder| {
            parse_role(&folder.file_name().unwrap_or_default().to_string_lossy())
        })
    };
    role_and_rest(&name).map(|(role, _)| role).or_else(by_folder)
}
