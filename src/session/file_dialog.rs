//! Choosing files and folders: the request, and the result of the system's file dialog.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Session;
use super::formatting::with_timestamp;
use crate::backbone::weights::EXTENSIONS as WEIGHTS;
use crate::data::export::ExportFormat;
use crate::export;
use crate::store::export::Format;
use crate::store::{PACKED_EXTENSION, PetStart};
use crate::tr;

/// Extensions of image files.
pub const IMAGES: &[&str] = &["png", "jpg", "jpeg", "webp", "bmp", "gif", "tif", "tiff"];
/// Extensions of archives that can replace a dataset's folder.
pub const ARCHIVES: &[&str] = &["zip", "tar", "gz", "xz", "tgz", "txz", "tm", "parquet"];

/// The kind of data to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataExportKind {
    /// The current dataset.
    Data,
    /// The collected images.
    Collection,
}

/// The purpose of a file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogPurpose {
    /// A dataset's folder.
    DataFolder,
    /// A weight file.
    Weights,
    /// An image to predict.
    Image,
    /// An image to add to the selected class of the collection.
    CollectedImage,
    /// A file with a class order.
    Order,
    /// The folder of a LoRA that the PET starts from.
    PetStart,
    /// Where to save a bug report.
    BugReport,
    /// A folder of classes to add to a run.
    AddedTask,
    /// A folder of runs to open in addition.
    Runs,
    /// A folder of images to predict.
    ImageFolder,
    /// Where to export a dataset.
    DataExport(DataExportKind, ExportFormat),
    /// Where to save a table, figure or report of runs, and the number of the request.
    Results(Format, u64),
    /// Where to save a figure or a summary with figures, and the number of the request.
    Figure(FigureKind, Format, u64),
    /// A grid file to open.
    Grid,
    /// Where to save a grid file.
    SaveGrid,
    /// Where to save a packed run, and the number of the request.
    Pack(u64),
    /// A packed run to check.
    Packed,
    /// The folder to export a model to, and the number of the request.
    Model(export::Format, u64),
}

impl DialogPurpose {
    /// Returns the dialog's title.
    pub fn title(self) -> &'static str {
        match self {
            Self::DataFolder => tr!("choose-data-folder"),
            Self::Weights => tr!("choose-weights-file"),
            Self::Image | Self::CollectedImage => tr!("choose-images"),
            Self::Order => tr!("choose-class-order-file"),
            Self::PetStart => tr!("choose-lora-folder"),
            Self::BugReport => tr!("choose-save-bug-report"),
            Self::DataExport(_, ExportFormat::Project) => tr!("choose-export-teachable-machine"),
            Self::DataExport(_, ExportFormat::Folder) => tr!("choose-export-zip"),
            Self::Results(Format::Html, _) => tr!("choose-save-report"),
            Self::Figure(FigureKind::Summary, ..) => tr!("choose-save-summary"),
            Self::Results(Format::Svg | Format::Pdf | Format::Png, _) | Self::Figure(..) => {
                tr!("choose-save-figure")
            }
            Self::Results(..) => tr!("choose-save-table"),
            Self::Grid => tr!("choose-grid"),
            Self::SaveGrid => tr!("choose-save-grid"),
            Self::Pack(_) => tr!("choose-pack-target"),
            Self::Packed => tr!("choose-packed-run"),
            Self::Model(..) => tr!("choose-model-folder"),
            Self::AddedTask => tr!("choose-new-class-folder"),
            Self::Runs => tr!("choose-run-folder"),
            Self::ImageFolder => tr!("choose-image-folder"),
        }
    }

    /// Returns the name of the file type and its extensions.
    pub fn file_filter(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::DataFolder | Self::AddedTask => (tr!("choose-filter-archives"), ARCHIVES),
            Self::Weights => (tr!("choose-filter-weights"), WEIGHTS),
            Self::Image | Self::CollectedImage | Self::ImageFolder => {
                (tr!("choose-filter-images"), IMAGES)
            }
            Self::Runs => (tr!("choose-filter-runs"), &[]),
            Self::Model(..) | Self::PetStart => (tr!("choose-filter-folders"), &[]),
            Self::Order => ("JSON", &["json"]),
            Self::BugReport | Self::DataExport(_, ExportFormat::Folder) => {
                (tr!("choose-filter-archives"), &["zip"])
            }
            Self::DataExport(_, ExportFormat::Project) => (tr!("choose-filter-projects"), &["tm"]),
            Self::Results(format, _) | Self::Figure(_, format, _) => {
                (tr!("choose-filter-results"), format.extensions())
            }
            Self::Grid | Self::SaveGrid => (tr!("choose-filter-grids"), &["toml"]),
            Self::Pack(_) | Self::Packed => (tr!("choose-filter-packed-runs"), &["zip"]),
        }
    }

    /// Returns whether a folder is chosen.
    pub fn is_folder(self) -> bool {
        matches!(
            self,
            Self::DataFolder
                | Self::AddedTask
                | Self::Runs
                | Self::ImageFolder
                | Self::PetStart
                | Self::Model(..)
        )
    }

    /// Returns whether several files can be chosen.
    pub fn allows_multiple(self) -> bool {
        matches!(self, Self::Image | Self::CollectedImage)
    }

    /// Returns the default file name if a file is to be written; `None` if a file or folder is to be opened.
    pub fn default_file_name(self) -> Option<String> {
        let (name, extension) = match self {
            Self::BugReport => ("lae-studio-report", "zip"),
            Self::DataExport(_, form) => ("pictures", form.extension()),
            Self::Results(format, _) => ("runs", format.extension()),
            Self::Figure(FigureKind::Figure, format, _) => ("figure", format.extension()),
            Self::Figure(FigureKind::Summary, format, _) => ("summary", format.extension()),
            Self::SaveGrid => return Some("grid.toml".into()),
            Self::Pack(_) => return Some(format!("run{PACKED_EXTENSION}")),
            _ => return None,
        };
        Some(format!("{}.{extension}", with_timestamp(name)))
    }
}

/// The kind of figure that is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// A figure.
    Figure,
    /// A page of texts and figures.
    Summary,
}

/// The result of a file dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// One path.
    Path(PathBuf),
    /// Several paths.
    Paths(Vec<PathBuf>),
    /// The user chose nothing.
    Cancelled,
    /// The system has no file dialog.
    NoDialog,
}

/// The result of checking a path that the user typed.
#[derive(Clone, Debug)]
pub struct CheckedPath {
    /// The path as typed.
    pub typed: PathBuf,
    /// The full path. If the user typed a folder for a file to write, the default file name is appended.
    pub path: PathBuf,
    /// Whether the path exists.
    pub exists: bool,
}

/// A file or folder that was dropped on the window.
#[derive(Clone, Debug)]
pub struct DroppedPath {
    /// The page that it was dropped on, as an index.
    pub page: usize,
    /// Its path.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is a PET plugin.
    pub is_plugin: bool,
    /// Whether it is the folder of a LoRA that a PET can start from.
    pub is_pet_start: bool,
}

/// Files and folders being chosen.
#[derive(Default)]
pub struct FileSelection {
    /// Results of file dialogs, for the window to process.
    pub picked: Vec<(DialogPurpose, Choice)>,
    /// The base of every file dialog, with its parent window.
    pub dialogs: rfd::FileDialog,
    /// Dropped files, for the window to process.
    pub dropped: Vec<DroppedPath>,
    /// The result of checking the path that was typed last.
    pub checked_path: Option<CheckedPath>,
    /// The number of the last check of a typed path. Results of earlier checks are ignored.
    check_ticket: u64,
    /// The purpose of the open dialog and the time when it was opened.
    open_dialog: Option<(DialogPurpose, Instant)>,
}

impl Session {
    /// Opens the system's file dialog in the folder of the current choice.
    pub fn open_file_dialog(&mut self, purpose: DialogPurpose) {
        let folder = self.dialog_folder(purpose);
        let mut dialog = self.file_selection.dialogs.clone().set_title(purpose.title());
        dialog = dialog.set_directory(folder);
        if !purpose.is_folder() {
            let (name, extensions) = purpose.file_filter();
            dialog = dialog.add_filter(name, extensions);
        }
        let name = match purpose {
            DialogPurpose::Pack(_) => Some(self.pack_name()),
            _ => purpose.default_file_name(),
        };
        if let Some(name) = name {
            dialog = dialog.set_file_name(name);
        }
        self.file_selection.open_dialog = Some((purpose, Instant::now()));
        self.task(
            move |sources| Ok(sources.pick(purpose, dialog)),
            move |session, choice| {
                session.accept_choice(purpose, choice.unwrap_or(Choice::NoDialog));
            },
        );
    }

    /// Returns the folder of the current choice; empty if the current choice is not a file or folder of the user.
    pub fn dialog_folder(&self, purpose: DialogPurpose) -> PathBuf {
        let current = match purpose {
            DialogPurpose::DataFolder => &self.experiment.draft.data,
            DialogPurpose::Weights => &self.experiment.draft.backbone,
            DialogPurpose::PetStart => self.experiment.draft.pet_start.as_deref().unwrap_or(""),
            _ => "",
        };
        // Built-in and published names are not paths.
        let Some(path) = Some(Path::new(current)).filter(|path| path.is_absolute()) else {
            return PathBuf::new();
        };
        // An archive can replace a dataset's folder.
        let extension = path.extension().unwrap_or_default();
        let is_archive = ARCHIVES.iter().any(|archive| extension.eq_ignore_ascii_case(archive));
        match purpose.is_folder() && !is_archive {
            true => path.to_path_buf(),
            false => path.parent().unwrap_or(path).to_path_buf(),
        }
    }

    /// Checks a typed path on a helper thread, because an unresponsive network drive must not block the window.
    pub fn check_path(&mut self, purpose: DialogPurpose, typed: PathBuf) {
        self.file_selection.checked_path = None;
        let ticket = self.next_ticket();
        self.file_selection.check_ticket = ticket;
        let missing = CheckedPath { path: typed.clone(), typed: typed.clone(), exists: false };
        self.task(
            move |_| Ok(check_path(purpose, typed)),
            move |session, checked| {
                if session.file_selection.check_ticket == ticket {
                    session.file_selection.checked_path = Some(checked.unwrap_or(missing));
                }
            },
        );
    }

    /// Checks on a helper thread which of the paths dropped on this page are folders.
    pub fn check_dropped_path(&mut self, page: usize, paths: Vec<PathBuf>) {
        self.task_or_notify(
            move |sources| {
                let dropped = paths.into_iter().map(|path| DroppedPath {
                    page,
                    is_folder: path.is_dir(),
                    is_plugin: sources.disk().is_plugin(&path),
                    is_pet_start: PetStart::exists(&path),
                    path,
                });
                Ok(dropped.collect::<Vec<_>>())
            },
            |session, dropped| session.file_selection.dropped.extend(dropped),
        );
    }

    /// Returns the purpose of the open dialog, and how long it has been open.
    pub fn open_dialog(&self) -> Option<(DialogPurpose, Duration)> {
        let (purpose, since) = self.file_selection.open_dialog?;
        Some((purpose, since.elapsed()))
    }

    /// Abandons the open dialog. A later result is ignored.
    pub fn abandon_dialog(&mut self) {
        self.file_selection.open_dialog = None;
    }

    fn accept_choice(&mut self, purpose: DialogPurpose, choice: Choice) {
        let open_dialog = self.file_selection.open_dialog;
        if open_dialog.is_some_and(|(open_purpose, _)| open_purpose == purpose) {
            self.file_selection.open_dialog = None;
            self.file_selection.picked.push((purpose, choice));
        }
    }
}

/// Returns the path that a user typed or pasted; accepts a `file://` URL and `~` for the home folder.
pub fn typed_path(text: &str) -> PathBuf {
    let path = match text.trim().strip_prefix("file://") {
        Some(url) => path_from_file_url(url),
        None => text.trim().to_string(),
    };
    let path = PathBuf::from(path);
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

/// Returns the path of a file URL without its scheme: `localhost/a%20b` is `/a b`, `/C:/a` is `C:/a`. Another host name
/// gives a network path.
fn path_from_file_url(url: &str) -> String {
    let path = decode_percent_escapes(url.strip_prefix("localhost").unwrap_or(url));
    let drive = path.get(1..).filter(|rest| rest.get(1..2) == Some(":"));
    match (drive, path.starts_with('/')) {
        (Some(drive), true) => drive.to_string(),
        (_, true) => path,
        (_, false) => format!("//{path}"),
    }
}

/// Decodes percent escapes; returns the text unchanged if they are not valid UTF-8.
fn decode_percent_escapes(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_string())
}

fn check_path(purpose: DialogPurpose, typed: PathBuf) -> CheckedPath {
    let path = std::path::absolute(&typed).unwrap_or_else(|_| typed.clone());
    let (path, exists) = match purpose.default_file_name() {
        // If the user typed a folder, the file gets its default name. A missing extension is added when it is written.
        Some(name) => {
            let path = if path.is_dir() { path.join(name) } else { path };
            let exists_with_extension =
                |extension: &&str| path.with_added_extension(extension).exists();
            let exists = path.exists() || purpose.file_filter().1.iter().any(exists_with_extension);
            (path, exists)
        }
        // If the user typed the path of an image, its whole folder is used.
        None if purpose == DialogPurpose::ImageFolder && path.is_file() => {
            (path.parent().unwrap_or(&path).to_path_buf(), true)
        }
        None => {
            let exists = path.exists();
            (path, exists)
        }
    };
    CheckedPath { typed, path, exists }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_path_accepts_file_urls() {
        let home = std::env::home_dir().unwrap();
        for (text, path) in [
            (" /a/b c ", "/a/b c"),
            ("file:///a/b%20c", "/a/b c"),
            ("file://localhost/a/%C3%BC.png\n", "/a/ü.png"),
            ("file:///C:/Users/a%23b", "C:/Users/a#b"),
            ("file://server/share", "//server/share"),
            // Invalid escapes and bytes that are not UTF-8 are unchanged.
            ("file:///100%/%zz", "/100%/%zz"),
            ("file:///a%FF", "/a%FF"),
            ("100%20", "100%20"),
        ] {
            assert_eq!(typed_path(text), PathBuf::from(path), "{text}");
        }
        assert_eq!(typed_path("~/a"), home.join("a"));
    }

    #[test]
    fn folder_target_gets_default_file_name() {
        let folder = tempfile::tempdir().unwrap();
        let name = DialogPurpose::BugReport.default_file_name().unwrap();
        let found = check_path(DialogPurpose::BugReport, folder.path().into());
        assert_eq!((found.path, found.exists), (folder.path().join(name), false));
        std::fs::write(folder.path().join("old.zip"), "").unwrap();
        assert!(check_path(DialogPurpose::BugReport, folder.path().join("old")).exists);
        assert!(!check_path(DialogPurpose::Weights, folder.path().join("old")).exists);
        let from_image = check_path(DialogPurpose::ImageFolder, folder.path().join("old.zip"));
        assert_eq!(from_image.path, folder.path());
    }
}
