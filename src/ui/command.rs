//! All commands of the window in one enum, for buttons, shortcuts and the command palette.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Key, KeyboardShortcut};

use super::keys;
use super::settings::ThemeChoice;
use super::widgets::figure_menu::FigureAction;
use crate::data::scenario::Scenario;
use crate::logging::Level;
use crate::run::config::RunConfig;
use crate::run::event::NamedImage;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::collection::Purpose;
use crate::session::file_dialog::DialogPurpose;
use crate::session::loads::Load;
use crate::session::prediction_table::PredictionTableRequest;
use crate::session::presets::Preset;
use crate::store::figure::Figure;
use crate::texts::Language;
use crate::tr;

/// The pages, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// Choose how to start, or classify images.
    Start,
    /// Set up a run.
    #[default]
    Experiment,
    /// Watch a run.
    Train,
    /// Compare runs.
    Compare,
    /// Predict images with a run.
    Predict,
    /// View and edit PET plugins.
    Plugins,
    /// Take the tour or read a lesson.
    Learn,
}

impl Page {
    /// Every page with its title's message and its number key.
    pub const ALL: [(Self, &'static str, Key); 7] = [
        (Self::Start, "page-start", Key::Num1),
        (Self::Experiment, "page-experiment", Key::Num2),
        (Self::Train, "page-train", Key::Num3),
        (Self::Compare, "page-compare", Key::Num4),
        (Self::Predict, "page-predict", Key::Num5),
        (Self::Plugins, "page-plugins", Key::Num6),
        (Self::Learn, "page-learn", Key::Num7),
    ];

    /// Returns the title of its tab.
    pub fn title(self) -> &'static str {
        tr!(self.id())
    }

    /// Returns the message id of its title.
    pub fn id(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns its shortcut.
    pub fn shortcut(self) -> KeyboardShortcut {
        keys::with_command(Self::ALL[self as usize].2)
    }
}

/// A function that changes the session.
pub type SessionChange = Box<dyn FnOnce(&mut Session)>;

/// A command of the window. A command that only changes the session is a [`Change`](Self::Change). The other commands
/// also change the window, or the user is asked first.
pub enum UiCommand {
    /// Change the session, then show the page if there is one.
    Change(SessionChange, Option<Page>),
    /// Show a page.
    Show(Page),
    /// Train the settings on the Experiment page.
    Start,
    /// Queue runs with these settings.
    Train(Vec<RunConfig>),
    /// Train the settings on the Experiment page with three class orders.
    TrainOrders,
    /// Load the preset with this name on the Experiment page.
    LoadPreset(&'static str, Box<RunConfig>),
    /// Set the tasks of the Experiment page.
    SetTasks(Box<Scenario>),
    /// Load the settings of a run.
    LoadSettings(Box<RunConfig>),
    /// Restore the set-up of a crashed window.
    RestoreSettings,
    /// Select a dataset.
    ChooseData(String),
    /// Select a weight file as the backbone.
    ChooseWeights(String),
    /// Copy or save a figure.
    ExportFigure(FigureAction, Box<Figure>),
    /// Ask for a path in the window.
    TypePath(DialogPurpose),
    /// Close the dialog for a path without a choice.
    CancelPath,
    /// Use a file or folder that the user chose.
    UsePath(DialogPurpose, PathBuf),
    /// Undo the last change of the settings.
    Undo,
    /// Redo the change of the settings that was undone last.
    Redo,
    /// Copy the equivalent shell command to the clipboard.
    CopyCommand,
    /// Copy text to the clipboard.
    CopyText(String),
    /// Pause or resume the run.
    PauseOrResume,
    /// Ask whether to stop the run.
    Stop,
    /// Remove a job from the queue.
    RemoveJob(JobId),
    /// Resume a stopped run, on another device if a device is given.
    Resume(PathBuf, Option<String>),
    /// Open a stored run on Train.
    Open(PathBuf),
    /// Edit name, tags and note of a run.
    Describe(PathBuf),
    /// Edit the tags of several runs.
    Tag(Vec<PathBuf>),
    /// Move runs to the trash.
    Delete(Vec<PathBuf>),
    /// Erase runs in the trash, which have this size in bytes.
    Erase(Vec<PathBuf>, u64),
    /// Show the deleted runs.
    ShowDeleted,
    /// Show the folders of runs.
    ShowFolders,
    /// Ask for the images of an added task, or whether to undo the last added task.
    AddTask(PathBuf),
    /// Add the examined task to its run.
    AddExaminedTask,
    /// Collect images class by class.
    Collect(Purpose),
    /// Save and use the collected images.
    SaveCollection(Purpose),
    /// Select this run on Predict.
    PredictWith(PathBuf),
    /// Predict an image file.
    PredictFile(PathBuf),
    /// Predict the images of a folder and write a table.
    PredictFolder(PredictionTableRequest),
    /// Set up a table for these images. A single image is predicted instead.
    PredictFiles(Vec<PathBuf>),
    /// Predict an image with its true class, if known.
    PredictImage(Arc<NamedImage>, Option<String>),
    /// Predict the image in the clipboard.
    Paste,
    /// Select the device for new runs.
    ChooseDevice(String),
    /// Set the theme: light, dark or system.
    Theme(ThemeChoice),
    /// Set the language of the window.
    SetLanguage(Language),
    /// Open or close help.
    Help,
    /// Start the tour or return to it.
    Tour,
    /// Show the glossary.
    Glossary,
    /// Turn animations off (`true`) or on.
    ReduceMotion(bool),
    /// Set the zoom factor; 1 is the default.
    Zoom(f32),
    /// Open or close the presenter view.
    Present,
    /// Open or close the command palette.
    Palette,
    /// Open or close the list of notices.
    Notices,
    /// Show or hide the line with frame times.
    FrameTimes,
    /// Show the content of a bug report.
    ReportProblem,
    /// Set the level of the log.
    LogLevel(Level),
    /// Stop this job at a place. Its run is saved and copied back.
    StopAt(String, JobId),
    /// Remove a job from the queue of a place.
    RemoveJobAt(String, JobId),
    /// Cancel the submission of a grid on a cluster, by the folder of the submission.
    CancelOnCluster(PathBuf),
    /// Close the table of predictions.
    ClosePredictionTable,
    /// Leave the tour.
    LeaveTour,
    /// Restart the open lesson. With `true`, its runs are trained again.
    RestartLesson(bool),
    /// Delete the unsaved text of a plugin that was closed.
    DiscardClosedText,
    /// Load data that a page needs.
    Load(Load),
}

impl UiCommand {
    /// Returns a command that changes the session.
    pub fn change(change: impl FnOnce(&mut Session) + 'static) -> Self {
        Self::Change(Box::new(change), None)
    }

    /// Returns a command that opens a file dialog.
    pub fn pick(purpose: DialogPurpose) -> Self {
        Self::change(move |session| session.open_file_dialog(purpose))
    }

    /// Returns a command that changes the session and then shows `page`.
    pub fn change_on(page: Page, change: impl FnOnce(&mut Session) + 'static) -> Self {
        Self::Change(Box::new(change), Some(page))
    }
}

impl From<&Preset> for UiCommand {
    /// Returns the command that loads a preset.
    fn from(preset: &Preset) -> Self {
        Self::LoadPreset(preset.name, Box::new(preset.run.clone()))
    }
}

/// Returns the shortcuts of Experiment. They are inactive while a text is edited, because a text field has its own
/// undo.
pub fn settings_shortcuts() -> [(KeyboardShortcut, UiCommand); 2] {
    // The longer shortcut comes first, because egui would match the shorter one for both.
    [(keys::REDO, UiCommand::Redo), (keys::UNDO, UiCommand::Undo)]
}

/// Returns the shortcuts that apply on every page.
pub fn shortcuts() -> Vec<(KeyboardShortcut, UiCommand)> {
    let pages = Page::ALL.iter();
    let pages = pages.map(|(page, ..)| (page.shortcut(), UiCommand::Show(*page)));
    let others = [
        (keys::HELP, UiCommand::Help),
        (keys::PALETTE, UiCommand::Palette),
        (keys::START, UiCommand::Start),
        (keys::STOP, UiCommand::Stop),
        (keys::PRESENT, UiCommand::Present),
    ];
    pages.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_in_tab_order() {
        for (index, (page, ..)) in Page::ALL.into_iter().enumerate() {
            assert_eq!(page as usize, index);
        }
    }

    #[test]
    fn shortcuts_are_unique() {
        let all = shortcuts().into_iter().chain(settings_shortcuts());
        let mut keys: Vec<_> = all.map(|(keys, _)| keys).collect();
        keys.push(keys::PAUSE);
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{key:?}");
        }
    }
}
