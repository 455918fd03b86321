//! Downloads started in the window: published datasets and weights of backbones, one of each kind at a time. A stopped
//! or interrupted download keeps the partial file.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::Session;
use crate::fetch::DownloadProgress;
use crate::problem::{Problem, Result};
use crate::sync::lock;
use crate::tr;

/// An item that can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The published dataset of this name.
    Data(String),
    /// The weights of the backbone of this name.
    Weights(String),
}

impl Item {
    /// Returns its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Data(name) | Self::Weights(name) => name,
        }
    }
}

/// Progress of a download; shared by the downloading thread and the window.
#[derive(Debug, Default)]
pub struct Transfer {
    progress: Mutex<Option<DownloadProgress>>,
    stop: AtomicBool,
}

impl Transfer {
    /// Records the progress. Returns `false` if the download must stop.
    pub fn record_progress(&self, progress: DownloadProgress) -> bool {
        *lock(&self.progress) = Some(progress);
        !self.is_stopped()
    }

    /// Returns the bytes received, and the total if it is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        let progress = *lock(&self.progress);
        progress.map_or((0, None), |progress| (progress.done, progress.total.filter(|n| *n > 0)))
    }

    /// Stops the download and keeps the partial file.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the download was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A download in progress, or one that failed.
#[derive(Clone)]
pub struct Download {
    /// What is downloaded.
    pub item: Item,
    /// Its progress.
    pub transfer: Arc<Transfer>,
    /// Why it failed; `None` while it is in progress.
    pub problem: Option<Problem>,
}

impl Download {
    /// Returns whether it is in progress.
    pub fn is_active(&self) -> bool {
        self.problem.is_none()
    }

    fn is_same_kind(&self, item: &Item) -> bool {
        std::mem::discriminant(&self.item) == std::mem::discriminant(item)
    }
}

impl Session {
    /// Returns the download in progress of the same kind as `item`, if any.
    pub fn running_download_like(&self, item: &Item) -> Option<&Download> {
        let is_match = |download: &&Download| download.is_same_kind(item) && download.is_active();
        self.inventory.downloads.iter().find(is_match)
    }

    /// Returns why the last download of this item failed.
    pub fn download_problem(&self, item: &Item) -> Option<&Problem> {
        let mut downloads = self.inventory.downloads.iter().filter(|d| d.item == *item);
        downloads.find_map(|download| download.problem.as_ref())
    }

    /// Starts a download unless one of its kind is in progress. A downloaded dataset is selected.
    pub fn download(&mut self, item: Item) {
        if self.running_download_like(&item).is_some() {
            return;
        }
        let others = |download: &Download| !download.is_same_kind(&item);
        self.inventory.downloads.retain(others);
        let transfer = Arc::new(Transfer::default());
        let (requested, shared) = (item.clone(), transfer.clone());
        let finished = item.clone();
        self.task(
            move |sources| sources.download(&requested, &shared),
            move |session, result| session.accept_download(&finished, result),
        );
        self.inventory.downloads.push(Download { item, transfer, problem: None });
    }

    /// Stops the download in progress of the same kind as `item` and keeps the partial file.
    pub fn stop_download(&mut self, item: &Item) {
        if let Some(download) = self.running_download_like(item) {
            download.transfer.stop();
        }
    }

    /// Returns whether the weights of the current backbone are being downloaded.
    pub fn is_downloading_weights(&self) -> bool {
        let item = Item::Weights(self.experiment.draft.backbone.clone());
        let is_current = |download: &Download| download.item == item && download.is_active();
        self.inventory.downloads.iter().any(is_current)
    }

    fn accept_download(&mut self, item: &Item, result: Result<()>) {
        let mut downloads = self.inventory.downloads.iter();
        let Some(index) = downloads.position(|download| download.item == *item) else {
            return;
        };
        let name = item.name();
        match result {
            Ok(()) => {
                self.inventory.downloads.remove(index);
                self.notify(Problem::new(tr!("notices-downloaded", name)), false);
            }
            Err(_) if self.inventory.downloads[index].transfer.is_stopped() => {
                self.inventory.downloads.remove(index);
                let problem = Problem::new(tr!("notices-download-stopped", name))
                    .advise(tr!("notices-download-part-kept"));
                self.notify(problem, false);
            }
            Err(problem) => self.inventory.downloads[index].problem = Some(problem),
        }
        match item {
            Item::Data(name) if *name == self.experiment.draft.data => {
                self.open_data(&name.clone());
            }
            Item::Data(_) => {}
            // The size of the partial weight file has changed.
            Item::Weights(_) => {
                self.read_backbones();
                self.experiment.planning.invalidate();
            }
        }
    }
}
