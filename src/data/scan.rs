//! A dataset that was read and checked, before splits are drawn and limits applied.
//!
//! Reading a folder and decoding its images takes seconds to minutes, but drawing a split is fast. So a changed test
//! share or limit reuses the scan instead of reading the disk again.

use std::path::Path;

use super::check::{self, Checked};
use super::finish::{nothing_left, settle};
use super::{Dataset, Found, OpenOptions, Watch, archive, builtin, folder, published};
use crate::message;
use crate::problem::{Problem, Result};

/// The files, classes and given splits of a dataset, and the result of checking its images.
#[derive(Clone)]
pub struct Scan {
    found: Found,
    checked: Checked,
}

impl Scan {
    /// Reads the dataset that `what` names and checks its images, as [`Dataset::open`] does. Only the options `check`,
    /// `bit_depth`, `min_classes` and `unpack_to` are used.
    ///
    /// # Errors
    /// Returns a Problem if there is no usable dataset, or if `watch` stopped it.
    pub fn read(what: &str, options: &OpenOptions, watch: &Watch) -> Result<Self> {
        options.checked()?;
        let mut found = find(what.trim(), options, watch)?;
        let mut checked = check::check(&mut found.train, found.test.as_mut(), options, watch)?;
        found.skipped.append(&mut checked.skipped);
        found.assumed.append(&mut checked.assumed);
        if found.train.is_empty() {
            return Err(nothing_left(&found));
        }
        Ok(Self { found, checked })
    }

    /// Draws the splits and applies the limits in `options`.
    ///
    /// # Errors
    /// Returns a Problem if there are fewer classes than `options.min_classes`, or if a share or limit is out of range.
    pub fn into_dataset(self, options: &OpenOptions) -> Result<Dataset> {
        options.checked()?;
        settle(self.found, &self.checked, options)
    }
}

/// Returns the table and the column that `labels.csv#species` means; `None` for anything else.
pub fn table_and_column(what: &str) -> Option<(&Path, &str)> {
    let (table, column) = what.rsplit_once('#')?;
    let table = Path::new(table);
    (table.is_file() && !Path::new(what).exists()).then_some((table, column))
}

/// Returns whether this path, or table with a column, exists on this computer.
pub fn is_here(what: &str) -> bool {
    Path::new(what).exists() || table_and_column(what).is_some()
}

fn find(what: &str, options: &OpenOptions, watch: &Watch) -> Result<Found> {
    if what.is_empty() {
        return Err(Problem::new(message!("problem-no-dataset-given"))
            .advise(message!("advice-give-dataset")));
    }
    // An embedded dataset has priority; a folder with the same name can be opened as ./digits.
    if let Some(found) = builtin::open(what)? {
        return Ok(found);
    }
    let path = Path::new(what);
    if !path.exists() {
        if let Some((table, column)) = table_and_column(what) {
            let mut found = archive::open_list(table, Some(column), options, watch)?;
            let table = std::path::absolute(table).unwrap_or_else(|_| table.into());
            found.origin = format!("{}#{column}", table.display());
            return Ok(found);
        }
        if let Some(place) = published::place_of(what)? {
            let mut found = open_path(&place, options, watch)?;
            found.origin = what.to_owned();
            return Ok(found);
        }
        return Err(Problem::new(message!("problem-dataset-not-found"))
            .at(what)
            .advise(message!("advice-give-dataset")));
    }
    open_path(path, options, watch)
}

fn open_path(path: &Path, options: &OpenOptions, watch: &Watch) -> Result<Found> {
    let path =
        std::path::absolute(path).map_err(|error| Problem::io("find the dataset", path, &error))?;
    let mut found = if path.is_dir() {
        match folder::open(&path, None, options, watch) {
            Ok(found) => found,
            Err(problem) => archive::open_shards(&path, options, watch)?.ok_or(problem)?,
        }
    } else {
        archive::open(&path, options, watch)?
    };
    if found.origin.is_empty() {
        found.origin = path.to_string_lossy().into_owned();
    }
    Ok(found)
}
