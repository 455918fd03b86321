//! Errands that touch files or decode images, run on helper threads so that no page ever waits.
//!
//! The session sends an [`Ask`]; the answer, a [`Found`], comes back through a channel and wakes
//! the window. What an errand does is a plain function, so tests can put their own in place.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bin::{Deed, DeletedRun, Done};
use super::chooser::{Choice, Listing, Wanted};
use super::collection::{Collection, Piece, Purpose};
use super::downloads::Item;
use super::export::Export;
use super::folders::Shelf;
use super::report::{self, Report};
use super::run_view::RunView;
use super::units::Entry;
use super::views::{BackboneView, DataView, DeviceView, Pictures, Plan, PluginView, Sight};
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
type Lost = Arc<dyn Fn(Problem) -> Found + Send + Sync>;

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
    /// Decode images of a split: its key, indices.
    TestPictures(String, Arc<dyn Pictures>, Vec<usize>),
    /// See which images a test split holds: data set's key, what to compare.
    Fingerprint(String, PrintKind, Arc<dyn Pictures>),
    /// Hash the image at this index of a split: its key, index.
    Hash((String, usize), Arc<dyn Pictures>),
    /// Read the mended labels of the data set at this place.
    Mended(String),
    /// Mend the label of one of these images of the data set at this place; without a class it
    /// is left out.
    Mend(String, Arc<dyn Pictures>, usize, Option<String>),
    /// Change this entry of the mended labels of the data set at this place.
    MendAs(String, Mend),
    /// Ask the person for a file or folder in a dialog of the desktop.
    Pick(Wanted),
    /// Look into a folder for the window's own chooser.
    List(Wanted, PathBuf),
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
    fn lost(&self) -> Lost {
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
            Self::TestPictures(key, _, indices) => Arc::new(move |p| {
                let failed = |&index: &usize| (index, Err(p.clone()));
                Found::TestPictures(key.clone(), indices.iter().map(failed).collect())
            }),
            Self::Fingerprint(key, kind, _) => {
                Arc::new(move |p| Found::Fingerprint(key.clone(), kind, Err(p)))
            }
            Self::Hash(id, _) => Arc::new(move |p| Found::Hash(id.clone(), Err(p))),
            Self::Mended(place) | Self::Mend(place, ..) | Self::MendAs(place, _) => {
                Arc::new(move |p| Found::Mended(place.clone(), None, Err(p)))
            }
            Self::Report(_) => Arc::new(|p| Found::Report(Err(p))),
            Self::Pick(wanted) => Arc::new(move |_| Found::Picked(wanted, Choice::NoDialog)),
            Self::List(_, path) => Arc::new(move |p| Found::Listed(path.clone(), Err(p))),
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
    /// Decoded images, by split and index.
    TestPictures(String, Vec<(usize, Result<Picture>)>),
    /// Which images a test split holds.
    Fingerprint(String, PrintKind, Result<String>),
    /// The SHA-256 of an image, by split and index.
    Hash((String, usize), Result<String>),
    /// The mended labels of the data set at this place, and what was changed of them.
    Mended(String, Option<Mend>, Result<Vec<Mend>>),
    /// What came of a dialog of the desktop.
    Picked(Wanted, Choice),
    /// A folder for the window's own chooser, by the path asked.
    Listed(PathBuf, Result<Listing>),
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

/// Does an errand.
pub type Answer = Arc<dyn Fn(Ask) -> Found + Send + Sync>;
/// Wakes the window.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Threads that do the errands in line.
const READERS: usize = 4;

/// Runs errands, each on a thread of its own; those that come by the thousand, when so many files are dropped, wait in
/// line for a few threads.
pub struct Jobs {
    errands: Errands,
    receiver: Receiver<Found>,
    line: Arc<Mutex<Line>>,
    waiting: usize,
}

/// What a thread needs to do errands.
#[derive(Clone)]
struct Errands {
    answer: Answer,
    wake: Wake,
    sender: Sender<Found>,
}

/// Errands that wait for a thread, and the threads there are for them.
#[derive(Default)]
struct Line {
    asks: VecDeque<Ask>,
    readers: usize,
}

impl Errands {
    /// Does an errand and sends the answer.
    fn run(&self, ask: Ask) {
        let lost = ask.lost();
        let work = std::panic::AssertUnwindSafe(|| (self.answer)(ask));
        let found = std::panic::catch_unwind(work).unwrap_or_else(|_| {
            lost(
                Problem::new("reading this failed inside the program")
                    .advise("try another file; the running work is not affected"),
            )
        });
        // The window may be gone by now; then nobody needs the answer.
        if self.sender.send(found).is_ok() {
            (self.wake)();
        }
    }
}

impl Jobs {
    /// Errands are done by `answer`; `wake` is called when one is done.
    pub fn new(answer: Answer, wake: Wake) -> Self {
        let (sender, receiver) = channel();
        Self {
            errands: Errands {
                answer,
                wake,
                sender,
            },
            receiver,
            line: Arc::default(),
            waiting: 0,
        }
    }

    /// Begins an errand.
    pub fn ask(&mut self, ask: Ask) {
        self.waiting += 1;
        if matches!(ask, Ask::Picture(_) | Ask::Collect(..) | Ask::AddFolder(..)) {
            self.line_up(ask);
            return;
        }
        let errands = self.errands.clone();
        let lost = ask.lost();
        if let Err(error) = thread(move || errands.run(ask)) {
            self.fail(&lost, &error);
        }
    }

    /// Puts an errand in line. Of pictures to be shown only the newest is waited for.
    fn line_up(&mut self, ask: Ask) {
        let begun = {
            let mut line = line_of(&self.line);
            if matches!(ask, Ask::Picture(_)) {
                let before = line.asks.len();
                line.asks
                    .retain(|waiting| !matches!(waiting, Ask::Picture(_)));
                self.waiting -= before - line.asks.len();
            }
            line.asks.push_back(ask);
            if line.readers == READERS {
                return;
            }
            line.readers += 1;
            let (errands, line) = (self.errands.clone(), self.line.clone());
            thread(move || {
                while let Some(ask) = next(&line) {
                    errands.run(ask);
                }
            })
        };
        let Err(error) = begun else { return };
        let left: Vec<Ask> = {
            let mut line = line_of(&self.line);
            line.readers -= 1;
            match line.readers {
                0 => line.asks.drain(..).collect(),
                // The others will come to it.
                _ => Vec::new(),
            }
        };
        for ask in left {
            self.fail(&ask.lost(), &error);
        }
    }

    /// Answers an errand that no thread could be started for.
    fn fail(&mut self, lost: &Lost, error: &std::io::Error) {
        let problem = Problem::new(format!("no helper thread could be started: {error}"));
        if self.errands.sender.send(lost(problem)).is_err() {
            self.waiting -= 1;
        }
    }

    /// The next answer, if one is there.
    pub fn try_recv(&mut self) -> Option<Found> {
        let found = self.receiver.try_recv().ok()?;
        self.waiting = self.waiting.saturating_sub(1);
        Some(found)
    }

    /// Whether errands are under way.
    pub fn busy(&self) -> bool {
        self.waiting > 0
    }
}

fn thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let named = std::thread::Builder::new().name("errand".into());
    named.spawn(work).map(drop)
}

fn line_of(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    // Whoever panicked with the lock had only added or taken.
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next errand in line; without one the thread that asks is no reader any more.
fn next(line: &Mutex<Line>) -> Option<Ask> {
    let mut line = line_of(line);
    let ask = line.asks.pop_front();
    line.readers -= usize::from(ask.is_none());
    ask
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;

    /// Asks all at once; how many were answered, and how many were read at a time.
    fn dropped(asks: impl Iterator<Item = Ask>) -> (usize, usize) {
        let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let shared = counts.clone();
        let answer = move |ask: Ask| {
            let (now, most) = &*shared;
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_micros(200));
            now.fetch_sub(1, Ordering::SeqCst);
            ask.lost()(Problem::new("read"))
        };
        let mut jobs = Jobs::new(Arc::new(answer), Arc::new(|| {}));
        asks.for_each(|ask| jobs.ask(ask));
        let mut answers = 0;
        while jobs.busy() {
            match jobs.try_recv() {
                Some(_) => answers += 1,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        (answers, counts.1.load(Ordering::SeqCst))
    }

    #[test]
    fn a_thousand_dropped_files_are_read_a_few_at_a_time() {
        let (answers, most) = dropped((0..1000).map(|n| Ask::Collect(n, PathBuf::new())));
        assert_eq!(answers, 1000);
        assert!(most <= READERS, "{most}");
        // Of pictures to be shown only the last one counts, beside those that are being read.
        let (answers, most) = dropped((0..1000).map(|_| Ask::Picture(PathBuf::new())));
        assert!((1..500).contains(&answers) && most <= READERS, "{answers}");
    }
}
