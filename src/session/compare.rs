//! What the page Compare shows: the stored runs and the folders they lie in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::bin::DeletedRun;
use super::comparison::Comparison;
use super::differences::Apart;
use super::folders::Folders;
use super::run_table::RunTable;
use super::take_along::TakenAlong;
use super::views::{Fetch, Rows, RunRow};
use crate::store::run_name;

/// The runs that are listed, and those that belong side by side.
#[derive(Default)]
pub struct Compare {
    /// The stored runs.
    pub runs: Fetch<Rows>,
    /// What tells those of the same name apart.
    pub apart: Apart,
    /// The folders they are listed from beside the usual one.
    pub folders: Folders,
    /// The deleted runs, once somebody looked for them.
    pub deleted: Fetch<Arc<Vec<DeletedRun>>>,
    /// The table of runs.
    pub table: RunTable,
    /// The runs of which the open dialog asks where a table, figure or report goes.
    pub(super) to_export: Vec<PathBuf>,
    /// The run of which the open dialog asks where it is to be packed.
    pub(super) to_pack: PathBuf,
    /// The model of which the open dialog asks where it goes.
    pub(super) to_take: TakenAlong,
    /// The runs that were asked for together.
    pub(super) comparison: Comparison,
}

impl Session {
    /// The list of runs, as far as it was read, the newest first.
    pub fn rows(&self) -> impl Iterator<Item = &RunRow> {
        let rows = self.compare.runs.ready().into_iter();
        rows.flat_map(|rows| rows.iter()).map(|row| &**row)
    }

    /// A row of the list of runs.
    pub fn row(&self, folder: &Path) -> Option<&RunRow> {
        // Of thousands of paths that begin alike, names are told apart far sooner.
        let name = run_name(folder);
        self.rows()
            .find(|row| row.name == name && row.folder == folder)
    }
}
