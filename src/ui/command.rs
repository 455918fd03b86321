//! Everything the window can be told to do, as one enum; buttons, shortcuts and the command palette
//! all end here.

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
    /// Lay runs side by side.
    Compare,
    /// Ask a run about an image.
    Predict,
    /// See the PET plugins.
    Plugins,
    /// Take the tour, read a lesson.
    Learn,
}

impl Page {
    /// Every page with the message that is its title, and its number key.
    pub const ALL: [(Self, &'static str, Key); 6] = [
        (Self::Experiment, "page-experiment", Key::Num1),
        (Self::Train, "page-train", Key::Num2),
        (Self::Compare, "page-compare", Key::Num3),
        (Self::Predict, "page-predict", Key::Num4),
        (Self::Plugins, "page-plugins", Key::Num5),
        (Self::Learn, "page-learn", Key::Num6),
    ];

    /// What stands on its tab.
    pub fn title(self) -> &'static str {
        tr!(self.id())
    }

    /// The message that is its title.
    pub fn id(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// What shows it.
    pub fn shortcut(self) -> KeyboardShortcut {
        keys::with_command(Self::ALL[self as usize].2)
    }
}

/// Something to do.
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
    /// Put the settings of the preset of this name on the Experiment page.
    SetUp(&'static str, Box<RunConfig>),
    /// Give the setting of the next run under this key a value; none is the usual one.
    Set(&'static str, Option<Setting>),
    /// Learn by the method of this key.
    ChooseMethod(&'static str),
    /// Make this network of the table the backbone.
    ChooseBackbone(String),
    /// Train the PET of this plugin.
    ChoosePet(String),
    /// Learn the classes in these tasks.
    Arrange(Box<Scenario>),
    /// Set up exactly what a run had.
    Repeat(Box<RunConfig>),
    /// Set up again what a window that crashed had.
    UseFormer,
    /// Forget what a window that crashed had.
    DropFormer,
    /// Leave the run that the last window was closed on as it is.
    DropInterrupted,
    /// Choose a data set.
    ChooseData(String),
    /// Choose a weight file as the backbone.
    ChooseWeights(String),
    /// Ask for a file or folder in a dialog of the desktop.
    Pick(DialogPurpose),
    /// Copy or save a figure.
    OfFigure(FigureWish, Box<Figure>),
    /// Write a table, figure or report of these runs.
    ExportResults(Vec<PathBuf>, Format),
    /// Ask for its path in the window itself.
    TypePath(DialogPurpose),
    /// Look what lies at a path that was typed.
    LookAt(DialogPurpose, PathBuf),
    /// The dialog for a path was closed.
    ChosenNothing,
    /// A file or folder was chosen.
    Picked(DialogPurpose, PathBuf),
    /// Take the last change of the settings back.
    Undo,
    /// Put the change of the settings there again that was taken back last.
    Redo,
    /// Put the command that does the same into the clipboard.
    CopyCommand,
    /// Put text into the clipboard.
    CopyText(String),
    /// Pause the run, or let it go on.
    PauseOrGoOn,
    /// Ask whether to stop the run.
    Stop,
    /// Take a job out of the queue.
    TakeOut(JobId),
    /// Move a job that waits to another place in the queue.
    MoveInQueue(JobId, usize),
    /// Keep the jobs in the queue from beginning, or let them go.
    HoldQueue(bool),
    /// Continue a stopped run, on another device where one is given.
    Resume(PathBuf, Option<String>),
    /// Open a stored run on Train.
    Open(PathBuf),
    /// Show the live run on Train again.
    CloseOpened,
    /// Ask for name, tags and note of a run.
    Describe(PathBuf),
    /// Ask for the tags of several runs.
    Tag(Vec<PathBuf>),
    /// Keep what is said of a run.
    SetAbout(PathBuf, Box<About>),
    /// Move runs to the trash.
    Delete(Vec<PathBuf>),
    /// Bring deleted runs back.
    Restore(Vec<PathBuf>),
    /// Delete these runs of the trash for good; so many bytes are theirs.
    Erase(Vec<PathBuf>, u64),
    /// Show the deleted runs.
    Deleted,
    /// Show which folders runs are listed from.
    Folders,
    /// List the runs of this folder, too.
    AddFolder(PathBuf),
    /// List the runs of this folder no longer.
    DropFolder(PathBuf),
    /// Ask which folder to teach a run, or whether to take its last added task back.
    Teach(PathBuf),
    /// Teach the run that was asked about what was found.
    TeachFound,
    /// Gather pictures class by class.
    Collect(Purpose),
    /// Keep the gathered pictures and use them.
    KeepCollection(Purpose),
    /// Take back the last added task of this run.
    UndoAddedTask(PathBuf),
    /// Ask this run on Predict.
    PredictWith(PathBuf),
    /// Predict an image file.
    PredictFile(PathBuf),
    /// Predict pictures of this folder into a table: the folder, the only ones of it or none for all, the table.
    PredictFolder(PathBuf, Vec<PathBuf>, PathBuf),
    /// Set up a table of these pictures; of a single one, ask about it.
    PredictFiles(Vec<PathBuf>),
    /// Predict a picture; the second part is its true class, where known.
    PredictPicture(Arc<Picture>, Option<String>),
    /// Ask about what was drawn.
    PredictDrawing(Arc<Picture>),
    /// Predict what the clipboard holds.
    Paste,
    /// Choose the device of new runs.
    ChooseDevice(String),
    /// Light, dark, system.
    Theme(ThemeChoice),
    /// The language of the window.
    Speak(Language),
    /// Open help, or close it.
    Help,
    /// Begin the tour, or go back to it.
    Tour,
    /// Show the glossary.
    Glossary,
    /// Let nothing move by itself, or let it.
    StandStill(bool),
    /// Read the files of the data set again.
    ReadDataAgain,
    /// Read the plugin files again.
    ReloadPlugins,
    /// Read the list of runs again.
    ReloadRuns,
    /// Train Baseline beside the settings, or the settings alone.
    Beside(bool),
    /// Show everything at this size: 1 is the usual one.
    Zoom(f32),
    /// Show the run to a whole room, or leave that view.
    Present,
    /// Open or close the command palette.
    Palette,
    /// Open or close the list of notices.
    Notices,
    /// Show or hide the line with frame times.
    FrameTimes,
    /// Show what a bug report would hold.
    ReportProblem,
    /// Save the bug report on show at this place.
    SaveBugReport(PathBuf),
    /// Keep so much in the log from now on.
    LogLevel(Level),
    /// Look at these places, which a run or a lesson names: the person was asked.
    Allow(Vec<String>),
    /// Say what went wrong.
    Tell(Problem),
    /// Put an entry into the corrected labels of the data set at this place.
    PutLabel(String, Correction),
    /// Read what a page shows and nobody asked for yet.
    Load(Load),
    /// What Experiment alone asks for.
    OnExperiment(ExperimentCommand),
    /// What is asked of grids.
    OnGrid(GridCommand),
    /// What is asked of what a run says of itself.
    OnProof(ProofCommand),
    /// What is asked of other machines.
    OnPlace(PlaceCommand),
    /// What Train alone asks for.
    OnTrain(TrainCommand),
    /// What Predict alone asks for.
    OnPredict(PredictCommand),
    /// What Plugins alone asks for.
    OnPlugins(PluginCommand),
    /// What Learn alone asks for.
    OnLearn(LearnCommand),
    /// What the tour alone asks for.
    OnTour(TourCommand),
    /// What the dialog asks for in which pictures are gathered.
    OnCollection(CollectCommand),
}

impl From<&Preset> for UiCommand {
    /// What choosing it does: it is set up.
    fn from(preset: &Preset) -> Self {
        Self::SetUp(preset.name, Box::new(preset.run.clone()))
    }
}

/// The shortcuts of Experiment, while no text is being typed: a text takes back its own changes.
pub fn shortcuts_of_settings() -> [(KeyboardShortcut, UiCommand); 2] {
    // The longer one first: the other would take it, too.
    [(keys::REDO, UiCommand::Redo), (keys::UNDO, UiCommand::Undo)]
}

/// Shortcuts that work on every page.
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
