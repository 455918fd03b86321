//! Choosing files and folders: what is wanted, and what came of the desktop's dialog.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Session;
use super::export::{self, ExportKind};
use super::report;
use crate::data::export::Form;

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
    Export(ExportKind, Form),
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

/// Files and folders being chosen.
#[derive(Default)]
pub struct Choosing {
    /// What came of dialogs of the desktop, for the window to act upon.
    pub picked: Vec<(Wanted, Choice)>,
    /// What every dialog of files has: the window that it belongs to.
    pub dialogs: rfd::FileDialog,
    /// What the open dialog is for, and since when it is asked.
    asked: Option<(Wanted, Instant)>,
}

impl Session {
    /// Asks for a file or folder with the desktop's dialog, which begins at the present choice.
    pub fn pick(&mut self, wanted: Wanted) {
        let place = self.place_of(wanted);
        let mut dialog = self.choosing.dialogs.clone().set_title(wanted.title());
        dialog = dialog.set_directory(place);
        if !wanted.is_folder() {
            let (name, endings) = wanted.files();
            dialog = dialog.add_filter(name, endings);
        }
        if let Some(name) = wanted.to_write() {
            dialog = dialog.set_file_name(name);
        }
        self.choosing.asked = Some((wanted, Instant::now()));
        self.task(
            move |sources| Ok(sources.pick(wanted, dialog)),
            move |session, choice| session.take_picked(wanted, choice.unwrap_or(Choice::NoDialog)),
        );
    }

    /// The folder where the present choice lies; empty where that is no file or folder of this person.
    pub fn place_of(&self, wanted: Wanted) -> PathBuf {
        let now = match wanted {
            Wanted::DataFolder => &self.experiment.draft.data,
            Wanted::Weights => &self.experiment.draft.backbone,
            _ => "",
        };
        // Names of what is built in or published are no paths.
        let Some(path) = Some(Path::new(now)).filter(|path| path.is_absolute()) else {
            return PathBuf::new();
        };
        // An archive may stand for a data set's folder.
        let ending = path.extension().unwrap_or_default();
        let is_archive = ARCHIVES.iter().any(|one| ending.eq_ignore_ascii_case(one));
        match wanted.is_folder() && !is_archive {
            true => path.to_path_buf(),
            false => path.parent().unwrap_or(path).to_path_buf(),
        }
    }

    /// What the desktop's dialog that is open now is for, and for how long it is.
    pub fn picking(&self) -> Option<(Wanted, Duration)> {
        let (wanted, since) = self.choosing.asked?;
        Some((wanted, since.elapsed()))
    }

    /// Waits for the desktop's dialog no longer; what it answers later is not taken.
    pub fn leave_dialog(&mut self) {
        self.choosing.asked = None;
    }

    fn take_picked(&mut self, wanted: Wanted, choice: Choice) {
        if self
            .choosing
            .asked
            .is_some_and(|(asked, _)| asked == wanted)
        {
            self.choosing.asked = None;
            self.choosing.picked.push((wanted, choice));
        }
    }
}
