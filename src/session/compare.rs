//! The state of the page Compare: the stored runs and their folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::comparison::Comparison;
use super::deleted_runs::DeletedRun;
use super::differences::DistinguishingSettings;
use super::folders::Folders;
use super::model_export::ModelToExport;
use super::run_table::RunTable;
use super::views::{Fetch, Rows, RunRow};
use crate::store::run_name;

/// The listed runs, and the comparisons of runs.
#[derive(Default)]
pub struct Compare {
    /// The stored runs.
    pub runs: Fetch<Rows>,
    /// The settings that distinguish runs of the same name.
    pub distinguishing_settings: DistinguishingSettings,
    /// The folders of runs in addition to the default one.
    pub folders: Folders,
    /// The deleted runs, once they are requested.
    pub deleted: Fetch<Arc<Vec<DeletedRun>>>,
    /// The table of runs.
    pub table: RunTable,
    /// The runs whose table, figure or report the open dialog will save.
    pub(super) to_export: Vec<PathBuf>,
    /// The run that the open dialog will pack.
    pub(super) to_pack: PathBuf,
    /// The run whose model the open dialog will export.
    pub(super) to_export_model: ModelToExport,
    /// The runs that were started together.
    pub(super) comparison: Comparison,
}

impl Session {
    /// Returns the rows of the list of runs read so far, the newest first.
    pub fn rows(&self) -> impl Iterator<Item = &RunRow> {
        let rows = self.compare.runs.ready().into_iter();
        rows.flat_map(|rows| rows.iter()).map(|row| &**row)
    }

    /// Returns a row of the list of runs.
    pub fn row(&self, folder: &Path) -> Option<&RunRow> {
        // Comparing names first is much faster than comparing thousands of paths with a common prefix.
        let name = run_name(folder);
        self.rows()
            .find(|row| row.name == name && row.folder == folder)
    }
}
