//! Grids on clusters. Helper threads query the state of their tasks when the user views them.

use std::path::{Path, PathBuf};

use super::Session;
pub use crate::experiment::grid::slurm::{OnCluster, SlurmTask, TaskState, failures};
use crate::problem::{Problem, Result};
use crate::run::places::RemoteMachine;

/// The state of a cluster at its last query.
#[derive(Debug, Default)]
pub struct ClusterSeen {
    /// The grids on the cluster that are not known to have ended.
    pub grids: Vec<OnCluster>,
    /// The folder of the cluster's runs, if it is not the default folder.
    pub beside: Option<PathBuf>,
}

/// Grids on clusters.
#[derive(Default)]
pub struct Clusters {
    /// Grids that have not ended, or have ended since the window opened, the newest first.
    pub grids: Vec<OnCluster>,
    /// Why the last query failed.
    pub trouble: Option<Problem>,
    busy: bool,
    /// Whether the grids changed after the current query started, so that another query is needed.
    again: bool,
}

impl Session {
    /// Queries the state of the grids on all clusters.
    pub fn watch_clusters(&mut self) {
        if self.places.clusters.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.train.clusters.busy, true) {
            self.train.clusters.again = true;
            return;
        }
        let places = self.places.clusters.clone();
        self.task(
            move |sources| {
                let looks = places.iter().map(|place| sources.on_cluster(place));
                Ok(looks.collect::<Vec<Result<ClusterSeen>>>())
            },
            Self::accept_clusters,
        );
    }

    fn accept_clusters(&mut self, looks: Result<Vec<Result<ClusterSeen>>>) {
        let clusters = &mut self.train.clusters;
        (clusters.busy, clusters.trouble) = (false, None);
        let mut beside = Vec::new();
        for look in looks.unwrap_or_else(|problem| vec![Err(problem)]) {
            let seen = match look {
                Ok(seen) => seen,
                Err(problem) => {
                    clusters.trouble = Some(problem);
                    continue;
                }
            };
            let before = clusters.grids.len();
            // New grids are inserted at the front, so the newest comes first.
            for grid in seen.grids.into_iter().rev() {
                let mut known = clusters.grids.iter_mut();
                match known.find(|known| known.folder == grid.folder) {
                    Some(known) => *known = grid,
                    None => clusters.grids.insert(0, grid),
                }
            }
            // A folder of runs that the user removed is not added again.
            let is_new = clusters.grids.len() > before;
            beside.extend(seen.beside.filter(|_| is_new));
        }
        for folder in beside {
            self.list_beside(folder);
        }
        if !self.train.clusters.grids.is_empty() {
            self.list_runs();
        }
        if std::mem::take(&mut self.train.clusters.again) {
            self.watch_clusters();
        }
    }

    fn cluster(&self, name: &str) -> Option<RemoteMachine> {
        let mut known = self.places.clusters.iter();
        known.find(|place| place.name == name).cloned()
    }

    /// Submits the grid on Experiment to the cluster with this name. Its runs are listed in this window as they appear.
    pub fn submit_grid(&mut self, cluster: &str) {
        let (Some(cluster), Some(ask)) = (self.cluster(cluster), self.grid_ask()) else {
            return;
        };
        self.task_or_notify(
            move |sources| sources.disk().submit_grid(&ask, &cluster),
            |session, words| {
                session.notify(Problem::new(words), false);
                session.watch_clusters();
            },
        );
    }

    /// Cancels the waiting and running tasks of a submission.
    pub fn cancel_on_cluster(&mut self, folder: PathBuf) {
        let mut grids = self.train.clusters.grids.iter();
        let grid = grids.find(|grid| grid.folder == folder);
        let Some(place) = grid.and_then(|grid| self.cluster(&grid.place)) else {
            return;
        };
        self.task_or_notify(
            move |sources| sources.cancel_on_cluster(&place, &folder),
            |session, ()| session.watch_clusters(),
        );
    }

    /// Removes a submission whose tasks have all ended from the list.
    pub fn forget_on_cluster(&mut self, folder: &Path) {
        let grids = &mut self.train.clusters.grids;
        grids.retain(|grid| grid.folder != folder || !grid.is_over());
    }
}
