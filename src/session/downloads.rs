//! Downloads that the window began: published data sets and weights of backbones. One of each kind
//! at a time; what has arrived of a stopped or cut one is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Session;
use crate::fetch;
use crate::problem::{Problem, Result};
use crate::tr;

/// What can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The published data set of this name.
    Data(String),
    /// The weights of the backbone of this name.
    Weights(String),
}

impl Item {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Data(name) | Self::Weights(name) => name,
        }
    }
}

/// How far a download is; shared by the thread that downloads and the window.
#[derive(Debug, Default)]
pub struct Transfer {
    done: AtomicU64,
    /// 0 while it is not known.
    total: AtomicU64,
    stop: AtomicBool,
}

impl Transfer {
    /// Notes how far it is; false when it is to stop.
    pub fn step(&self, progress: fetch::DownloadProgress) -> bool {
        self.done.store(progress.done, Ordering::Relaxed);
        self.total
            .store(progress.total.unwrap_or(0), Ordering::Relaxed);
        !self.is_stopped()
    }

    /// Bytes that are here, and of how many, where that is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        let total = self.total.load(Ordering::Relaxed);
        (
            self.done.load(Ordering::Relaxed),
            (total > 0).then_some(total),
        )
    }

    /// Stops it; what has arrived is kept.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Something on its way here, or that did not arrive.
#[derive(Clone)]
pub struct Download {
    /// What it is.
    pub item: Item,
    /// How far it is.
    pub transfer: Arc<Transfer>,
    /// Why it ended without arriving; none while it goes on.
    pub problem: Option<Problem>,
}

impl Download {
    /// Whether it goes on.
    pub fn is_under_way(&self) -> bool {
        self.problem.is_none()
    }

    fn is_like(&self, item: &Item) -> bool {
        std::mem::discriminant(&self.item) == std::mem::discriminant(item)
    }
}

impl Session {
    /// The downloads under way, and those that failed and were not begun again.
    pub fn downloads(&self) -> &[Download] {
        &self.inventory.downloads
    }

    /// The download of a data set (or of weights) that goes on, if any.
    pub fn under_way_like(&self, item: &Item) -> Option<&Download> {
        let same = |download: &&Download| download.is_like(item) && download.is_under_way();
        self.inventory.downloads.iter().find(same)
    }

    /// Why the last download of this did not arrive.
    pub fn download_problem(&self, item: &Item) -> Option<&Problem> {
        let mut mine = self.inventory.downloads.iter().filter(|d| d.item == *item);
        mine.find_map(|download| download.problem.as_ref())
    }

    /// Begins a download, unless one of its kind goes on. A data set is chosen once it is there.
    pub fn download(&mut self, item: Item) {
        if self.under_way_like(&item).is_some() {
            return;
        }
        self.inventory
            .downloads
            .retain(|download| !download.is_like(&item));
        let transfer = Arc::new(Transfer::default());
        let (wanted, shared) = (item.clone(), transfer.clone());
        let asked = item.clone();
        self.task(
            move |sources| sources.download(&wanted, &shared),
            move |session, answer| session.take_download(&asked, answer),
        );
        self.inventory.downloads.push(Download {
            item,
            transfer,
            problem: None,
        });
    }

    /// Stops the download of a data set (or of weights) that goes on; what has arrived is kept.
    pub fn stop_download(&mut self, item: &Item) {
        if let Some(download) = self.under_way_like(item) {
            download.transfer.stop();
        }
    }

    /// Whether the weights of the settings' backbone are on their way.
    pub fn is_downloading_weights(&self) -> bool {
        let item = Item::Weights(self.experiment.draft.backbone.clone());
        let mine = |download: &Download| download.item == item && download.is_under_way();
        self.inventory.downloads.iter().any(mine)
    }

    fn take_download(&mut self, item: &Item, answer: Result<()>) {
        let Some(at) = self
            .inventory
            .downloads
            .iter()
            .position(|d| d.item == *item)
        else {
            return;
        };
        let name = item.name();
        match answer {
            Ok(()) => {
                self.inventory.downloads.remove(at);
                self.notify(Problem::new(tr!("notices-downloaded", name = name)), false);
            }
            Err(_) if self.inventory.downloads[at].transfer.is_stopped() => {
                self.inventory.downloads.remove(at);
                let told = Problem::new(tr!("notices-download-stopped", name = name))
                    .advise(tr!("notices-download-kept"));
                self.notify(told, false);
            }
            Err(problem) => self.inventory.downloads[at].problem = Some(problem),
        }
        match item {
            Item::Data(name) if *name == self.experiment.draft.data => {
                self.open_data(&name.clone());
            }
            Item::Data(_) => {}
            // What was here before has changed: how much of the weights lies here now.
            Item::Weights(_) => {
                self.read_backbones();
                self.experiment.planning.renew();
            }
        }
    }
}
