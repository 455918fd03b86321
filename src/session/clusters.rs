//! Grids on clusters. Helper threads query the state of their tasks when the user views them.

use std::path::{Path, PathBuf};

use super::Session;
pub use crate::experiment::grid::slurm::{ClusterGrid, SlurmTask, TaskState, group_failures};
use crate::problem::{Problem, Result};
use crate::run::remote_machines::RemoteMachine;

/// The state of a cluster at its last query.
#[derive(Debug, Default)]
pub struct ClusterState {
    /// The grids on the cluster that are not known to have ended.
    pub grids: Vec<ClusterGrid>,
    /// The folder of the cluster's runs, if it is not the default folder.
    pub runs_root: Option<PathBuf>,
}

/// Grids on clusters.
#[derive(Default)]
pub struct Clusters {
    /// Grids that have not ended, or have ended since the window opened, the newest first.
    pub grids: Vec<ClusterGrid>,
    /// Why the last query failed.
    pub problem: Option<Problem>,
    busy: bool,
    /// Whether the grids changed after the current query started, so that another query is needed.
    needs_refresh: bool,
}

impl Session {
    /// Queries the state of the grids on all clusters.
    pub fn watch_clusters(&mut self) {
        if self.machines.clusters.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.train.clusters.busy, true) {
            self.train.clusters.needs_refresh = true;
            return;
        }
        let clusters = self.machines.clusters.clone();
        self.task(
            move |sources| {
                let states = clusters.iter().map(|cluster| sources.cluster_state(cluster));
                Ok(states.collect::<Vec<Result<ClusterState>>>())
            },
            Self::accept_clusters,
        );
    }

    fn accept_clusters(&mut self, results: Result<Vec<Result<ClusterState>>>) {
        let clusters = &mut self.train.clusters;
        (clusters.busy, clusters.problem) = (false, None);
        let mut new_folders = Vec::new();
        for result in results.unwrap_or_else(|problem| vec![Err(problem)]) {
            let state = match result {
                Ok(state) => state,
                Err(problem) => {
                    clusters.problem = Some(problem);
                    continue;
                }
            };
            let before = clusters.grids.len();
            // New grids are inserted at the front, so the newest comes first.
            for grid in state.grids.into_iter().rev() {
                let mut listed = clusters.grids.iter_mut();
                match listed.find(|listed| listed.folder == grid.folder) {
                    Some(listed) => *listed = grid,
                    None => clusters.grids.insert(0, grid),
                }
            }
            // A folder of runs that the user removed is not added again.
            let is_new = clusters.grids.len() > before;
            new_folders.extend(state.runs_root.filter(|_| is_new));
        }
        for folder in new_folders {
            self.ensure_folder_open(folder);
        }
        if !self.train.clusters.grids.is_empty() {
            self.list_runs();
        }
        if std::mem::take(&mut self.train.clusters.needs_refresh) {
            self.watch_clusters();
        }
    }

    fn cluster(&self, name: &str) -> Option<RemoteMachine> {
        let mut clusters = self.machines.clusters.iter();
        clusters.find(|cluster| cluster.name == name).cloned()
    }

    /// Submits the grid on Experiment to the cluster with this name. Its runs are listed in this window as they appear.
    pub fn submit_grid(&mut self, cluster: &str) {
        let (Some(cluster), Some(request)) = (self.cluster(cluster), self.grid_source()) else {
            return;
        };
        self.task_or_notify(
            move |sources| sources.disk().submit_grid(&request, &cluster),
            |session, words| {
                session.notify(Problem::new(words), false);
                session.watch_clusters();
            },
        );
    }

    /// Cancels the waiting and running tasks of a submission.
    pub fn cancel_submission(&mut self, folder: PathBuf) {
        let mut grids = self.train.clusters.grids.iter();
        let grid = grids.find(|grid| grid.folder == folder);
        let Some(cluster) = grid.and_then(|grid| self.cluster(&grid.place)) else {
            return;
        };
        self.task_or_notify(
            move |sources| sources.cancel_submission(&cluster, &folder),
            |session, ()| session.watch_clusters(),
        );
    }

    /// Removes a submission whose tasks have all ended from the list.
    pub fn remove_submission(&mut self, folder: &Path) {
        let grids = &mut self.train.clusters.grids;
        grids.retain(|grid| grid.folder != folder || !grid.has_ended());
    }
}
