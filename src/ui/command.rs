//! All commands of the window, as one enum, for buttons, shortcuts and the command palette.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Key, KeyboardShortcut};

use super::keys;
use super::settings::ThemeChoice;
use super::widgets::figure::FigureWish;
use crate::data::scenario::Scenario;
use crate::logging::Level;
use crate::run::config::RunConfig;
use crate::run::event::Picture;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::collection::Purpose;
use crate::session::loads::Load;
use crate::session::presets::Preset;
use crate::session::sheet::TableWanted;
use crate::store::figure::Figure;
use crate::texts::Language;
use crate::tr;

/// The pages, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// Choose how to start; classify own images.
    Start,
    /// Set up a run.
    #[default]
    Experiment,
    /// Watch it.
    Train,
    /// Compare runs.
    Compare,
    /// Predict images with a run.
    Predict,
    /// View and edit PET plugins.
    Plugins,
    /// Take the tour, read a lesson.
    Learn,
}

impl Page {
    /// Every page with its title message and number key.
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

    /// Returns the message of its title.
    pub fn id(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns its shortcut.
    pub fn shortcut(self) -> KeyboardShortcut {
        keys::with_command(Self::ALL[self as usize].2)
    }
}

/// A change of the session.
pub type SessionChange = Box<dyn FnOnce(&mut Session)>;

/// A command. One that only changes the session is a [`Change`](Self::Change); the others also change the window, or the
/// user is asked first.
pub enum UiCommand {
    /// Change the session, then show this page, if any.
    Change(SessionChange, Option<Page>),
    /// Show a page.
    Show(Page),
    /// Train the settings on the Experiment page.
    Start,
    /// Train these settings one after the other.
    Train(Vec<RunConfig>),
    /// Train the settings on the Experiment page with three class orders.
    TrainOrders,
    /// Load the preset of this name on the Experiment page.
    LoadPreset(&'static str, Box<RunConfig>),
    /// Set these tasks.
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
    ExportFigure(FigureWish, Box<Figure>),
    /// Ask for a path in the window.
    TypePath(DialogPurpose),
    /// The dialog for a path was closed.
    CancelPath,
    /// A file or folder was chosen.
    Picked(DialogPurpose, PathBuf),
    /// Undo the last change of the settings.
    Undo,
    /// Redo the change of the settings undone last.
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
    /// Resume a stopped run, on another device if one is given.
    Resume(PathBuf, Option<String>),
    /// Open a stored run on Train.
    Open(PathBuf),
    /// Edit name, tags and note of a run.
    Describe(PathBuf),
    /// Edit the tags of several runs.
    Tag(Vec<PathBuf>),
    /// Move runs to the trash.
    Delete(Vec<PathBuf>),
    /// Erase these runs of the trash; with their size in bytes.
    Erase(Vec<PathBuf>, u64),
    /// Show the deleted runs.
    Deleted,
    /// Show the folders of runs.
    Folders,
    /// Ask for the folder of an added task, or whether to undo the last one.
    AddTask(PathBuf),
    /// Add the examined task to the run.
    AddExaminedTask,
    /// Gather images class by class.
    Collect(Purpose),
    /// Save and use the gathered images.
    SaveCollection(Purpose),
    /// Select this run on Predict.
    PredictWith(PathBuf),
    /// Predict an image file.
    PredictFile(PathBuf),
    /// Predict the images of a folder into a table.
    PredictFolder(TableWanted),
    /// Set up a table of these images; a single one is predicted.
    PredictFiles(Vec<PathBuf>),
    /// Predict an image; the second part is its true class, if known.
    PredictPicture(Arc<Picture>, Option<String>),
    /// Predict the image in the clipboard.
    Paste,
    /// Select the device of new runs.
    ChooseDevice(String),
    /// Set the theme: light, dark or system.
    Theme(ThemeChoice),
    /// Set the language of the window.
    SetLanguage(Language),
    /// Open or close help.
    Help,
    /// Start the tour, or return to it.
    Tour,
    /// Show the glossary.
    Glossary,
    /// Turn animations off or on.
    ReduceMotion(bool),
    /// Set the zoom; 1 is the default.
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
    /// Stop this job on another machine; its run is saved and copied back.
    StopAt(String, JobId),
    /// Remove a job from the queue of another machine.
    RemoveJobAt(String, JobId),
    /// Cancel the grid on a cluster that was submitted in this folder.
    CancelOnCluster(PathBuf),
    /// Close the table of predictions.
    LeaveSheet,
    /// Leave the tour.
    LeaveTour,
    /// Start the open lesson again; with `true`, train its runs again, too.
    RestartLesson(bool),
    /// Delete the text of a plugin that was closed before it was saved.
    DropClosedText,
    /// Load data that a page needs.
    Load(Load),
}

impl UiCommand {
    /// Returns a command that changes the session.
    pub fn change(change: impl FnOnce(&mut Session) + 'static) -> Self {
        Self::Change(Box::new(change), None)
    }

    /// Returns a command that opens a file dialog.
    pub fn pick(wanted: DialogPurpose) -> Self {
        Self::change(move |session| session.pick(wanted))
    }

    /// Returns a command that changes the session and shows `page`.
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

/// Returns the shortcuts of Experiment, which apply unless a text is being edited: a text field has its own undo.
pub fn shortcuts_of_settings() -> [(KeyboardShortcut, UiCommand); 2] {
    // The longer one first, because the shorter one would match it too.
    [(keys::REDO, UiCommand::Redo), (keys::UNDO, UiCommand::Undo)]
}

/// Returns the shortcuts of every page.
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
    fn the_pages_stand_in_the_order_of_their_tabs() {
        for (at, (page, ..)) in Page::ALL.into_iter().enumerate() {
            assert_eq!(page as usize, at);
        }
    }

    #[test]
    fn no_shortcut_is_given_twice() {
        let all = shortcuts().into_iter().chain(shortcuts_of_settings());
        let mut keys: Vec<_> = all.map(|(keys, _)| keys).collect();
        keys.push(keys::PAUSE);
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{key:?}");
        }
    }
}
