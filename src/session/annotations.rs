//! Notes on a run: stored in its folder by a task and shown wherever the run is shown.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::run_row::title_of;
use super::views::Fetch;
use crate::run::annotations::Annotations;
use crate::store;

impl Session {
    /// Returns the notes on the run in this folder.
    pub fn annotations(&self, folder: &Path) -> Annotations {
        let row = self.row(folder).map(|row| &row.about);
        let header = || Some(&self.header_of(folder)?.about);
        row.or_else(header).cloned().unwrap_or_default()
    }

    /// Saves the notes on a run.
    pub fn set_annotations(&mut self, folder: PathBuf, about: Annotations) {
        self.task_or_notify(
            move |_| Ok((store::set_annotations(&folder, &about)?, folder)),
            |session, (about, folder)| session.accept_annotations(&folder, &about),
        );
    }

    /// Returns all tags in use, each once, in order.
    pub fn tags(&self) -> Vec<String> {
        let used: BTreeSet<&String> = self.rows().flat_map(|row| &row.about.tags).collect();
        let mut tags: Vec<String> = used.into_iter().cloned().collect();
        tags.sort_by_cached_key(|tag| tag.to_lowercase());
        tags
    }

    fn accept_annotations(&mut self, folder: &Path, about: &Annotations) {
        if let Fetch::Ready(rows) = &mut self.compare.runs {
            let mut rows = Arc::make_mut(rows).iter_mut();
            if let Some(row) = rows.find(|row| row.folder == folder) {
                let row = Arc::make_mut(row);
                row.about = about.clone();
                row.remark = None;
                if let Some(header) = &mut row.header {
                    header.about = about.clone();
                }
            }
        }
        let remote_runs = self.train.machines.values_mut().map(|at| &mut at.live);
        let local_runs = [&mut self.train.live, &mut self.train.opened];
        let displayed = local_runs.into_iter().chain(remote_runs).flatten();
        for run in displayed.filter(|run| run.folder() == Some(folder)) {
            let run = Arc::make_mut(run);
            if let Some(header) = &mut run.header {
                header.about = about.clone();
                run.title = title_of(header);
            }
        }
        // A listing in progress may have read the previous notes.
        if self.compare.folders.is_reading(folder) {
            self.list_run(folder.to_path_buf());
        }
    }
}
