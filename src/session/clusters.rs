//! Grids on clusters: how their tasks stand, asked for by helper threads for as long as some have not ended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Session;
pub use crate::experiment::grid::slurm::{FailedTasks, OnCluster};
use crate::problem::{Problem, Result};
use crate::run::places::Place;

/// How often a cluster is asked: its controller serves everybody.
const OFTEN: Duration = Duration::from_secs(15);

/// What was seen of a cluster.
#[derive(Debug, Default)]
pub struct ClusterSeen {
    /// The grids on it that were not seen to end.
    pub grids: Vec<OnCluster>,
    /// The folder of its runs, where that is not the usual one.
    pub beside: Option<PathBuf>,
}

/// Grids on clusters.
#[derive(Default)]
pub struct Clusters {
    /// Those that have not ended, or have since the window is open, the newest first.
    pub grids: Vec<OnCluster>,
    /// Why the last look at them came to nothing.
    pub trouble: Option<Problem>,
    /// When they are looked at next; never where all have ended.
    next: Option<Instant>,
    busy: bool,
}

impl Clusters {
    /// When they are looked at next.
    pub fn next_look(&self) -> Option<Duration> {
        let next = self.next.filter(|_| !self.busy)?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Takes what was seen; says whether there are new grids or runs.
    fn take(&mut self, seen: Vec<OnCluster>) -> bool {
        let mut is_news = false;
        // The newest come first.
        for grid in seen.into_iter().rev() {
            match self
                .grids
                .iter_mut()
                .find(|known| known.folder == grid.folder)
            {
                Some(known) => {
                    is_news |= known.done != grid.done;
                    *known = grid;
                }
                None => {
                    is_news = true;
                    self.grids.insert(0, grid);
                }
            }
        }
        is_news
    }
}

impl Session {
    /// Looks how grids on clusters stand, now.
    pub(super) fn watch_clusters(&mut self) {
        self.train.clusters.next = Some(Instant::now());
    }

    /// Looks how they stand where it is time to.
    pub(super) fn refresh_clusters(&mut self) {
        if self.train.clusters.next_look() != Some(Duration::ZERO) {
            return;
        }
        self.train.clusters.busy = true;
        let places = self.places.clusters.clone();
        self.task(
            move |sources| {
                let looks = places.iter().map(|place| sources.on_cluster(place));
                Ok(looks.collect::<Vec<Result<ClusterSeen>>>())
            },
            Self::take_clusters,
        );
    }

    fn take_clusters(&mut self, looks: Result<Vec<Result<ClusterSeen>>>) {
        let clusters = &mut self.train.clusters;
        (clusters.busy, clusters.trouble) = (false, None);
        let (mut is_news, mut beside) = (false, Vec::new());
        for look in looks.unwrap_or_else(|problem| vec![Err(problem)]) {
            match look {
                Ok(seen) => {
                    let before = clusters.grids.len();
                    is_news |= clusters.take(seen.grids);
                    // A folder that the person took off stays so.
                    let is_new = clusters.grids.len() > before;
                    beside.extend(seen.beside.filter(|_| is_new));
                }
                Err(problem) => clusters.trouble = Some(problem),
            }
        }
        let open = clusters.grids.iter().any(|grid| !grid.is_over());
        let again = open || clusters.trouble.is_some();
        clusters.next = again.then(|| Instant::now() + OFTEN);
        for folder in beside {
            self.list_beside(folder);
        }
        if is_news {
            self.list_runs();
        }
    }

    fn cluster(&self, name: &str) -> Option<Place> {
        let mut known = self.places.clusters.iter();
        known.find(|place| place.name == name).cloned()
    }

    /// Submits the grid on Experiment to the cluster of this name; its runs are listed here as they come.
    pub fn submit_grid(&mut self, cluster: &str) {
        let (Some(cluster), Some(ask)) = (self.cluster(cluster), self.grid_ask()) else {
            return;
        };
        self.task_or_tell(
            move |sources| sources.submit_grid(&ask, &cluster),
            |session, words| {
                session.notify(Problem::new(words), false);
                session.watch_clusters();
            },
        );
    }

    /// Takes the tasks of a submission out of their queue, and ends those that run.
    pub fn cancel_on_cluster(&mut self, folder: PathBuf) {
        let grid = self
            .train
            .clusters
            .grids
            .iter()
            .find(|grid| grid.folder == folder);
        let Some(place) = grid.and_then(|grid| self.cluster(&grid.place)) else {
            return;
        };
        self.task_or_tell(
            move |sources| sources.cancel_on_cluster(&place, &folder),
            |session, ()| session.watch_clusters(),
        );
    }

    /// Shows a submission no longer all of whose tasks have ended.
    pub fn forget_on_cluster(&mut self, folder: &Path) {
        let grids = &mut self.train.clusters.grids;
        grids.retain(|grid| grid.folder != folder || !grid.is_over());
    }
}
