//! All commands of the window, as one enum, for buttons, shortcuts and the command palette.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Key, KeyboardShortcut};

use super::keys;
use super::page_commands::{
    CollectCommand, ExperimentCommand, GridCommand, LearnCommand, PlaceCommand, PluginCommand,
    PredictCommand, ProofCommand, TourCommand, TrainCommand,
};
use super::settings::ThemeChoice;
use super::widgets::figure::FigureWish;
use crate::data::Correction;
use crate::data::scenario::Scenario;
use crate::logging::Level;
use crate::problem::Problem;
use crate::run::about::About;
use crate::run::config::{RunConfig, Setting};
use crate::run::event::Picture;
use crate::run::job::JobId;
use crate::session::chooser::DialogPurpose;
use crate::session::collection::Purpose;
use crate::session::loads::Load;
use crate::session::presets::Preset;
use crate::store::export::Format;
use crate::store::figure::Figure;
use crate::texts::Language;
use crate::tr;

/// The pages, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
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
    pub const ALL: [(Self, &'static str, Key); 6] = [
        (Self::Experiment, "page-experiment", Key::Num1),
        (Self::Train, "page-train", Key::Num2),
        (Self::Compare, "page-compare", Key::Num3),
        (Self::Predict, "page-predict", Key::Num4),
        (Self::Plugins, "page-plugins", Key::Num5),
        (Self::Learn, "page-learn", Key::Num6),
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

/// A command.
#[derive(Clone, Debug)]
pub enum UiCommand {
    /// Show a page.
    Show(Page),
    /// Train the settings on the Experiment page.
    Start,
    /// Train these settings one after the other.
    Train(Vec<RunConfig>),
    /// Train the settings on the Experiment page with three class orders.
    TrainOrders,
    /// Load the preset of this name on the Experiment page.
    SetUp(&'static str, Box<RunConfig>),
    /// Set the setting under this key; `None` is the default.
    Set(&'static str, Option<Setting>),
    /// Select the method of this key.
    ChooseMethod(&'static str),
    /// Select this backbone of the table.
    ChooseBackbone(String),
    /// Select the PET of this plugin.
    ChoosePet(String),
    /// Set these tasks.
    Arrange(Box<Scenario>),
    /// Load the settings of a run.
    Repeat(Box<RunConfig>),
    /// Restore the set-up of a crashed window.
    UseFormer,
    /// Discard the set-up of a crashed window.
    DropFormer,
    /// Dismiss the offer to resume the interrupted run.
    DropInterrupted,
    /// Select a dataset.
    ChooseData(String),
    /// Select a weight file as the backbone.
    ChooseWeights(String),
    /// Open a file dialog.
    Pick(DialogPurpose),
    /// Copy or save a figure.
    OfFigure(FigureWish, Box<Figure>),
    /// Write a table, figure or report of these runs.
    ExportResults(Vec<PathBuf>, Format),
    /// Ask for a path in the window.
    TypePath(DialogPurpose),
    /// Check a typed path.
    LookAt(DialogPurpose, PathBuf),
    /// The dialog for a path was closed.
    ChosenNothing,
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
    PauseOrGoOn,
    /// Ask whether to stop the run.
    Stop,
    /// Remove a job from the queue.
    TakeOut(JobId),
    /// Move a waiting job to another position in the queue.
    MoveInQueue(JobId, usize),
    /// Hold or release the queue.
    HoldQueue(bool),
    /// Resume a stopped run, on another device if one is given.
    Resume(PathBuf, Option<String>),
    /// Open a stored run on Train.
    Open(PathBuf),
    /// Show the live run on Train again.
    CloseOpened,
    /// Edit name, tags and note of a run.
    Describe(PathBuf),
    /// Edit the tags of several runs.
    Tag(Vec<PathBuf>),
    /// Save the notes on a run.
    SetAbout(PathBuf, Box<About>),
    /// Move runs to the trash.
    Delete(Vec<PathBuf>),
    /// Restore deleted runs.
    Restore(Vec<PathBuf>),
    /// Erase these runs of the trash; with their size in bytes.
    Erase(Vec<PathBuf>, u64),
    /// Show the deleted runs.
    Deleted,
    /// Show the folders of runs.
    Folders,
    /// Add this folder of runs.
    AddFolder(PathBuf),
    /// Close this folder of runs.
    DropFolder(PathBuf),
    /// Ask for the folder of an added task, or whether to undo the last one.
    Teach(PathBuf),
    /// Add the examined task to the run.
    TeachFound,
    /// Gather images class by class.
    Collect(Purpose),
    /// Save and use the gathered images.
    KeepCollection(Purpose),
    /// Undo the last added task of this run.
    UndoAddedTask(PathBuf),
    /// Select this run on Predict.
    PredictWith(PathBuf),
    /// Predict an image file.
    PredictFile(PathBuf),
    /// Predict images of this folder into a table: the folder, the images to include (empty for all), the table.
    PredictFolder(PathBuf, Vec<PathBuf>, PathBuf),
    /// Set up a table of these images; a single one is predicted.
    PredictFiles(Vec<PathBuf>),
    /// Predict an image; the second part is its true class, if known.
    PredictPicture(Arc<Picture>, Option<String>),
    /// Predict the drawing.
    PredictDrawing(Arc<Picture>),
    /// Predict the image in the clipboard.
    Paste,
    /// Select the device of new runs.
    ChooseDevice(String),
    /// Set the theme: light, dark or system.
    Theme(ThemeChoice),
    /// Set the language of the window.
    Speak(Language),
    /// Open or close help.
    Help,
    /// Start the tour, or return to it.
    Tour,
    /// Show the glossary.
    Glossary,
    /// Turn animations off or on.
    StandStill(bool),
    /// Read the files of the dataset again.
    ReadDataAgain,
    /// Read the plugin files again.
    ReloadPlugins,
    /// Read the list of runs again.
    ReloadRuns,
    /// Train Baseline in addition to the settings, or the settings alone.
    Beside(bool),
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
    /// Save the displayed bug report to this path.
    SaveBugReport(PathBuf),
    /// Set the level of the log.
    LogLevel(Level),
    /// Access these places, which a run or a lesson names; the user has confirmed.
    Allow(Vec<String>),
    /// Report a problem.
    Tell(Problem),
    /// Add an entry to the corrected labels of the dataset at this place.
    PutLabel(String, Correction),
    /// Load data that a page needs.
    Load(Load),
    /// A command of Experiment.
    OnExperiment(ExperimentCommand),
    /// A command about grids.
    OnGrid(GridCommand),
    /// A command about checking, packing and exporting runs.
    OnProof(ProofCommand),
    /// A command about other machines.
    OnPlace(PlaceCommand),
    /// A command of Train.
    OnTrain(TrainCommand),
    /// A command of Predict.
    OnPredict(PredictCommand),
    /// A command of Plugins.
    OnPlugins(PluginCommand),
    /// A command of Learn.
    OnLearn(LearnCommand),
    /// A command of the tour.
    OnTour(TourCommand),
    /// A command of the dialog that gathers images.
    OnCollection(CollectCommand),
}

impl From<&Preset> for UiCommand {
    /// Returns the command that loads a preset.
    fn from(preset: &Preset) -> Self {
        Self::SetUp(preset.name, Box::new(preset.run.clone()))
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
