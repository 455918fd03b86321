//! Choosing files and folders: what is wanted, what came of the desktop's dialog, and the folder
//! that the window's own chooser shows where the desktop has none.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Session;
use super::export::{self, Goods};
use super::jobs::Ask;
use super::report;
use super::views::Fetch;
use crate::data::export::Form;
use crate::problem::Result;

/// Endings of picture files.
pub const IMAGES: &[&str] = &["png", "jpg", "jpeg", "webp", "bmp", "gif", "tif", "tiff"];
/// Endings of weight files.
pub const WEIGHTS: &[&str] = &["safetensors", "npz", "pth", "bin"];
/// Endings of archives that may stand for a data set's folder.
pub const ARCHIVES: &[&str] = &["zip", "tar", "gz", "xz", "tgz", "txz", "tm"];

/// What a file dialog is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A data set's folder.
    DataFolder,
    /// A weight file.
    Weights,
    /// An image to predict.
    Image,
    /// A picture for the chosen box.
    Piece,
    /// A file with a class order.
    Order,
    /// The place of a report.
    Report,
    /// A folder of classes to teach a run.
    Lesson,
    /// A folder of runs to open beside the usual one.
    Runs,
    /// A folder of pictures to predict.
    Pictures,
    /// The place of an exported data set.
    Export(Goods, Form),
}

impl Wanted {
    /// The dialog's title.
    pub fn title(self) -> &'static str {
        match self {
            Self::DataFolder => "Choose a folder with one subfolder per class",
            Self::Weights => "Choose a weight file",
            Self::Image | Self::Piece => "Choose an image",
            Self::Order => "Choose a class order",
            Self::Report => "Save the report",
            Self::Export(_, Form::Project) => "Export for Teachable Machine",
            Self::Export(_, Form::Folder) => "Export as an image folder in a zip",
            Self::Lesson => "Choose a folder with one subfolder per new class",
            Self::Runs => "Choose a folder that runs lie in",
            Self::Pictures => "Choose a folder of pictures",
        }
    }

    /// What such files are called, and their endings.
    pub fn files(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::DataFolder | Self::Lesson => ("Archives", ARCHIVES),
            Self::Weights => ("Weights", WEIGHTS),
            Self::Image | Self::Piece | Self::Pictures => ("Images", IMAGES),
            Self::Runs => ("Runs", &[]),
            Self::Order => ("JSON", &["json"]),
            Self::Report | Self::Export(_, Form::Folder) => ("Archives", &["zip"]),
            Self::Export(_, Form::Project) => ("Projects of Teachable Machine", &["tm"]),
        }
    }

    /// Whether a folder is the answer.
    pub fn is_folder(self) -> bool {
        matches!(
            self,
            Self::DataFolder | Self::Lesson | Self::Runs | Self::Pictures
        )
    }

    /// The usual name of the file, where one is to be written.
    pub fn to_write(self) -> Option<String> {
        match self {
            Self::Report => Some(report::file_name()),
            Self::Export(_, form) => Some(export::file_name(form)),
            _ => None,
        }
    }
}

/// What came of a file dialog of the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This was chosen.
    Path(PathBuf),
    /// The person chose nothing.
    Cancelled,
    /// The desktop has no dialog to show.
    NoDialog,
}

/// A folder as the window's own chooser shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The folder.
    pub folder: PathBuf,
    /// The file that was asked for, where the path led to one.
    pub file: Option<PathBuf>,
    /// Names of the folders in it, hidden ones left out.
    pub folders: Vec<String>,
    /// Names of the files in it that have a fitting ending.
    pub files: Vec<String>,
    /// How many entries there are beyond those listed.
    pub more: usize,
    /// Folders to begin at: what to call each, and where it is.
    pub places: Vec<(String, PathBuf)>,
}

/// What the session knows of files being chosen.
#[derive(Default)]
pub(super) struct Choosing {
    /// What the open dialog of the desktop is for, and since when it is asked.
    pending: Option<(Wanted, Instant)>,
    /// The path that the own chooser waits for.
    asked: Option<PathBuf>,
    listing: Fetch<Listing>,
}

impl Session {
    /// Asks for a file or folder with the desktop's dialog.
    pub fn pick(&mut self, wanted: Wanted) {
        self.choosing.pending = Some((wanted, Instant::now()));
        self.jobs.ask(Ask::Pick(wanted));
    }

    /// What the desktop's dialog that is open now is for, and for how long it is.
    pub fn picking(&self) -> Option<(Wanted, Duration)> {
        let (wanted, since) = self.choosing.pending?;
        Some((wanted, since.elapsed()))
    }

    /// Waits for the desktop's dialog no longer; what it answers later is not taken.
    pub fn leave_dialog(&mut self) {
        self.choosing.pending = None;
    }

    /// Looks into a folder for the window's own chooser; an empty path is the person's own folder.
    pub fn look_into(&mut self, wanted: Wanted, path: PathBuf) {
        self.choosing.asked = Some(path.clone());
        self.jobs.ask(Ask::List(wanted, path));
    }

    /// The folder looked into, the former one until another is there.
    pub fn listing(&self) -> &Fetch<Listing> {
        &self.choosing.listing
    }

    pub(super) fn take_picked(&mut self, wanted: Wanted, choice: Choice) {
        if self
            .choosing
            .pending
            .is_some_and(|(pending, _)| pending == wanted)
        {
            self.choosing.pending = None;
            self.picked.push((wanted, choice));
        }
    }

    pub(super) fn take_listing(&mut self, path: &Path, answer: Result<Listing>) {
        if self.choosing.asked.as_deref() == Some(path) {
            self.choosing.asked = None;
            self.choosing.listing.fill(answer);
        }
    }
}
