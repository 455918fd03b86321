//! Errands that touch files or decode images: what is asked, an [`Ask`], and what is answered, a [`Found`]. Helper
//! threads do them (`session::helpers`), so that no page ever waits.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bin::{Deed, DeletedRun, Done};
use super::chooser::{Choice, Wanted};
use super::collection::{Collection, Piece, Purpose};
use super::downloads::Item;
use super::export::Export;
use super::folders::Shelf;
use super::report::{self, Report};
use super::run_view::RunView;
use super::units::Entry;
use super::views::{
    BackboneView, DataView, DeviceView, PictureKey, Pictures, Plan, PluginView, Sight, SplitKey,
};
use super::words::count_text;
use crate::data::export::Packed;
use crate::data::{Mend, OpenOptions, PrintKind};
use crate::fetch;
use crate::problem::{Problem, Result};
use crate::run::about::About;
use crate::run::config::RunConfig;
use crate::run::event::{Lesson, Picture};

/// A data set to open.
#[derive(Clone, Debug, PartialEq)]
pub struct DataAsk {
    /// What the settings call it: a name or a path.
    pub place: String,
    /// How its splits and limits are.
    pub options: OpenOptions,
    /// Whether its files are read anew although they were read before.
    pub fresh: bool,
}

impl DataAsk {
    /// What defines its answer, as text.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.place, self.options)
    }
}

/// How far the opening of a data set, or another long errand, is; shared by the thread that does it
/// and the window.
#[derive(Debug, Default)]
pub struct Opening {
    words: Mutex<String>,
    stop: AtomicBool,
}

impl Opening {
    /// Notes what is done; false when it is to stop.
    pub fn step(&self, doing: &str, done: usize, of: Option<usize>) -> bool {
        let of = of.map_or_else(String::new, |of| format!(" of {}", count_text(of)));
        *self.text() = format!("{doing}: {}{of}", count_text(done));
        !self.stop.load(Ordering::Relaxed)
    }

    /// What is done now; empty at the beginning.
    pub fn words(&self) -> String {
        self.text().clone()
    }

    /// Stops it: nobody waits for it any more.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn text(&self) -> MutexGuard<'_, String> {
        // A text is whole whenever the lock is free.
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A look at training images as the network gets them.
#[derive(Clone, Debug, PartialEq)]
pub struct SightAsk {
    /// The settings: data, order, augmentation, seed, backbone.
    pub config: RunConfig,
    /// Epoch of each task, counted from 0.
    pub epoch: usize,
    /// Chooses which image of a class is shown.
    pub shift: usize,
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
    pub fn step(&self, progress: fetch::Progress) -> bool {
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

/// Makes the answer of an errand that failed.
pub(super) type Lost = Arc<dyn Fn(Problem) -> Found + Send + Sync>;

/// An errand.
#[derive(Clone)]
pub enum Ask {
    /// Open a data set.
    Data(DataAsk, Arc<Opening>),
    /// See training images as the network gets them.
    Sight(Box<SightAsk>),
    /// Download something.
    Download(Item, Arc<Transfer>),
    /// See what the settings come to.
    Plan(Box<RunConfig>, Option<Arc<DataView>>),
    /// Read the plugin files.
    Plugins,
    /// Read the backbone table.
    Backbones,
    /// List the devices.
    Devices,
    /// Prepare the card of this key for this family of backbones.
    Prepare(String, String, Arc<Opening>),
    /// List the runs of the usual folder and of these.
    Runs(Vec<PathBuf>),
    /// See whether this is a folder of runs, and none of those known.
    AddFolder(PathBuf, Vec<PathBuf>),
    /// Open a stored run.
    Open(PathBuf),
    /// Keep what is said of a run.
    Describe(PathBuf, About),
    /// Delete runs, bring them back, or erase them.
    Bin(Deed, Vec<PathBuf>),
    /// List the deleted runs of the usual folder and of these.
    Deleted(Vec<PathBuf>),
    /// Take back the last lesson of a run.
    UndoLesson(PathBuf),
    /// Read an image file.
    Picture(PathBuf),
    /// Read an image file, or those of a folder, for this group of the collection.
    Collect(u64, PathBuf),
    /// Keep the gathered pictures.
    KeepCollection(Box<Collection>, Purpose),
    /// Write pictures to one file.
    Export(Export, PathBuf, Arc<Opening>),
    /// Decode one of these images.
    Image(PictureKey, Arc<dyn Pictures>),
    /// See which images a split holds, and of what kind the answer is to be.
    Fingerprint((SplitKey, PrintKind), Arc<dyn Pictures>),
    /// Hash one of these images, for the question with this number.
    Hash(PictureKey, u64, Arc<dyn Pictures>),
    /// Read the mended labels of the data set at this place.
    Mended(String),
    /// Mend the label of one of these images of the data set at this place; without a class it
    /// is left out.
    Mend(String, Arc<dyn Pictures>, usize, Option<String>),
    /// Change this entry of the mended labels of the data set at this place.
    MendAs(String, Mend),
    /// Ask the person for a file or folder in a dialog of the desktop.
    Pick(Wanted, Box<rfd::FileDialog>),
    /// Gather what a report of a problem holds.
    Report(Box<report::Wanted>),
    /// Write a report to this place.
    SaveReport(Arc<Report>, PathBuf),
    /// Show this file's folder in the desktop's program for folders.
    Reveal(PathBuf),
    /// Read the lessons.
    Units,
}

impl Ask {
    /// The answer when the errand itself failed, so that whoever waits for it is answered.
    pub(super) fn lost(&self) -> Lost {
        match self.clone() {
            Self::Data(ask, opening) => {
                Arc::new(move |p| Found::Data(ask.key(), opening.clone(), Err(p)))
            }
            Self::Sight(_) => Arc::new(|p| Found::Sight(Err(p))),
            Self::Download(item, _) => Arc::new(move |p| Found::Downloaded(item.clone(), Err(p))),
            Self::Plan(config, _) => Arc::new(move |p| {
                let problems = vec![p];
                let plan = Plan {
                    problems,
                    ..Plan::default()
                };
                Found::Plan(config.clone(), Box::new(plan))
            }),
            Self::Prepare(..) => Arc::new(|p| Found::Prepared(Err(p))),
            Self::Runs(_) => Arc::new(|p| Found::Runs(Err(p))),
            Self::AddFolder(..) => Arc::new(|p| Found::FolderAdded(Err(p))),
            Self::Open(folder) => Arc::new(move |p| Found::Opened(folder.clone(), Err(p))),
            Self::Describe(folder, _) => {
                Arc::new(move |p| Found::Described(folder.clone(), Err(p)))
            }
            Self::Bin(deed, places) => Arc::new(move |p| {
                let first = places.first().cloned().unwrap_or_default();
                Found::Done(deed, vec![(first, Err(p))])
            }),
            Self::Deleted(_) => Arc::new(|p| Found::Deleted(Err(p))),
            Self::UndoLesson(folder) => {
                Arc::new(move |p| Found::LessonUndone(folder.clone(), Err(p)))
            }
            Self::Picture(path) => Arc::new(move |p| Found::Picture(path.clone(), Err(p))),
            Self::Collect(group, _) => Arc::new(move |p| Found::Collected(group, Err(p))),
            Self::KeepCollection(_, purpose) => {
                Arc::new(move |p| Found::CollectionKept(purpose.clone(), Err(p)))
            }
            Self::Export(_, path, _) => Arc::new(move |p| Found::Exported(path.clone(), Err(p))),
            Self::Image(key, _) => Arc::new(move |p| Found::Image(key.clone(), Err(p))),
            Self::Fingerprint(of, _) => Arc::new(move |p| Found::Fingerprint(of.clone(), Err(p))),
            Self::Hash(key, asked, _) => Arc::new(move |p| Found::Hash(key.clone(), asked, Err(p))),
            Self::Mended(place) | Self::Mend(place, ..) | Self::MendAs(place, _) => {
                Arc::new(move |p| Found::Mended(place.clone(), None, Err(p)))
            }
            Self::Report(_) => Arc::new(|p| Found::Report(Err(p))),
            Self::Pick(wanted, _) => Arc::new(move |_| Found::Picked(wanted, Choice::NoDialog)),
            Self::Units => Arc::new(|_| Found::Units(Vec::new())),
            Self::Plugins
            | Self::Backbones
            | Self::Devices
            | Self::SaveReport(..)
            | Self::Reveal(_) => Arc::new(Found::Remark),
        }
    }
}

/// An errand's answer.
pub enum Found {
    /// An opened data set, for the key asked, and the opening it comes from.
    Data(String, Arc<Opening>, Result<Arc<DataView>>),
    /// Training images as the network gets them.
    Sight(Result<Arc<Sight>>),
    /// A download ended.
    Downloaded(Item, Result<()>),
    /// What the settings come to.
    Plan(Box<RunConfig>, Box<Plan>),
    /// The plugins.
    Plugins(Vec<PluginView>),
    /// The backbones, and what is wrong in their tables.
    Backbones(Vec<BackboneView>, Vec<Problem>),
    /// The devices.
    Devices(Vec<DeviceView>),
    /// The devices after one was prepared.
    Prepared(Result<Vec<DeviceView>>),
    /// The runs, and how the folders are.
    Runs(Result<Shelf>),
    /// A folder of runs to open beside the others.
    FolderAdded(Result<PathBuf>),
    /// An opened run.
    Opened(PathBuf, Result<Arc<RunView>>),
    /// What is said of a run now.
    Described(PathBuf, Result<About>),
    /// What became of runs that were deleted, brought back or erased.
    Done(Deed, Done),
    /// The deleted runs.
    Deleted(Result<Vec<DeletedRun>>),
    /// The last lesson of a run was taken back.
    LessonUndone(PathBuf, Result<Lesson>),
    /// A decoded image file.
    Picture(PathBuf, Result<Picture>),
    /// Pictures for this group of the collection.
    Collected(u64, Result<Vec<Piece>>),
    /// Where the gathered pictures are kept now.
    CollectionKept(Purpose, Result<PathBuf>),
    /// What was written to one file.
    Exported(PathBuf, Result<Packed>),
    /// A decoded image.
    Image(PictureKey, Result<Picture>),
    /// Which images a split holds.
    Fingerprint((SplitKey, PrintKind), Result<String>),
    /// The SHA-256 of an image, and the number of the question.
    Hash(PictureKey, u64, Result<String>),
    /// The mended labels of the data set at this place, and what was changed of them.
    Mended(String, Option<Mend>, Result<Vec<Mend>>),
    /// What came of a dialog of the desktop.
    Picked(Wanted, Choice),
    /// What a report holds.
    Report(Result<Report>),
    /// A report was written.
    ReportSaved(PathBuf),
    /// The lessons.
    Units(Vec<Entry>),
    /// A file's folder is on show.
    Revealed,
    /// Something to tell the person.
    Remark(Problem),
}
