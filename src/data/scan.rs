//! A dataset that was read and checked, before splits are drawn and limits applied.
//!
//! Reading a folder and decoding its images takes seconds to minutes, but drawing a split is fast. So a changed test
//! share or limit reuses the scan instead of reading the disk again.

use std::path::Path;

use super::assemble::{build_dataset, no_images_problem};
use super::check::{self, Checked};
use super::{
    Dataset, OpenOptions, ProgressReporter, RawDataset, archive, builtin, folder, published,
};
use crate::message;
use crate::names::closest_name;
use crate::problem::{Problem, Result};

/// The files, classes and given splits of a dataset, and the result of checking its images.
#[derive(Clone)]
pub struct Scan {
    found: RawDataset,
    checked: Checked,
}

impl Scan {
    /// Reads the dataset `source` and checks its images, as [`Dataset::open`] does. Only the options `check`,
    /// `bit_depth`, `min_classes` and `unpack_to` are used.
    ///
    /// # Errors
    /// Returns a Problem if there is no usable dataset, or if `progress` stopped it.
    pub fn read(source: &str, options: &OpenOptions, progress: &ProgressReporter) -> Result<Self> {
        options.validate()?;
        let mut found = find_dataset(source.trim(), options, progress)?;
        let mut checked =
            check::check_images(&mut found.train, found.test.as_mut(), options, progress)?;
        found.skipped.append(&mut checked.skipped);
        found.assumed.append(&mut checked.assumed);
        if found.train.is_empty() {
            return Err(no_images_problem(&found));
        }
        Ok(Self { found, checked })
    }

    /// Draws the splits and applies the limits in `options`.
    ///
    /// # Errors
    /// Returns a Problem if there are fewer classes than `options.min_classes`, or if a share or limit is out of range.
    pub fn into_dataset(self, options: &OpenOptions) -> Result<Dataset> {
        options.validate()?;
        build_dataset(self.found, &self.checked, options)
    }
}

/// Returns the table and the column that a text such as `labels.csv#species` names; `None` for anything else.
pub fn split_table_and_column(source: &str) -> Option<(&Path, &str)> {
    let (table, column) = source.rsplit_once('#')?;
    let table = Path::new(table);
    (table.is_file() && !Path::new(source).exists()).then_some((table, column))
}

/// Returns whether this path, or table with a column, exists on this computer.
pub fn is_available(source: &str) -> bool {
    Path::new(source).exists() || split_table_and_column(source).is_some()
}

fn find_dataset(
    source: &str,
    options: &OpenOptions,
    progress: &ProgressReporter,
) -> Result<RawDataset> {
    if source.is_empty() {
        return Err(Problem::new(message!("problem-no-dataset-given"))
            .advise(message!("advice-give-dataset")));
    }
    // An embedded dataset has priority; a folder with the same name can be opened as ./digits.
    if let Some(found) = builtin::open(source)? {
        return Ok(found);
    }
    let path = Path::new(source);
    if !path.exists() {
        if let Some((table, column)) = split_table_and_column(source) {
            let mut found = archive::open_list(table, Some(column), options, progress)?;
            let table = std::path::absolute(table).unwrap_or_else(|_| table.into());
            found.origin = format!("{}#{column}", table.display());
            return Ok(found);
        }
        if let Some(archive_path) = published::find_archive(source)? {
            let mut found = open_path(&archive_path, options, progress)?;
            found.origin = source.to_owned();
            return Ok(found);
        }
        let names = builtin::names().chain(published::PUBLISHED.iter().map(|data| data.name));
        let remedy = match closest_name(source, names) {
            Some(near) => message!("advice-did-you-mean-plain", name = near),
            None => message!("advice-give-dataset"),
        };
        return Err(Problem::new(message!("problem-dataset-not-found")).at(source).advise(remedy));
    }
    open_path(path, options, progress)
}

fn open_path(
    path: &Path,
    options: &OpenOptions,
    progress: &ProgressReporter,
) -> Result<RawDataset> {
    let path =
        std::path::absolute(path).map_err(|error| Problem::io("find the dataset", path, &error))?;
    let mut found = if path.is_dir() {
        match folder::open(&path, None, options, progress) {
            Ok(found) => found,
            Err(problem) => archive::open_shards(&path, options, progress)?.ok_or(problem)?,
        }
    } else {
        archive::open(&path, options, progress)?
    };
    if found.origin.is_empty() {
        found.origin = path.to_string_lossy().into_owned();
    }
    Ok(found)
}
