//! Commands of a single page, or of the dialog that gathers images. Commands with several sources are in
//! [`UiCommand`](super::command::UiCommand) itself.

use std::path::PathBuf;
use std::sync::Arc;

use crate::export::Format;
use crate::run::config::Setting;
use crate::run::event::Picture;
use crate::run::job::{JobId, SearchBy};
use crate::session::companion::Beside;
use crate::session::downloads::Item;
use crate::session::pins::PinId;
use crate::session::sorted::Group;
use crate::session::take_along::TakenAlong;
use crate::session::tour::Fate;
use crate::session::units::{Given, Teach, Unit};
use crate::session::views::{DataView, Split};

/// Commands of Experiment.
#[derive(Clone, Debug)]
pub enum ExperimentCommand {
    /// Use the corrected labels of the dataset, or the original ones.
    UseCorrected(bool),
    /// Download a dataset or weights.
    Download(Item),
    /// Stop the download of a dataset, or of weights.
    StopDownload(Item),
    /// Learn the classes of the dataset all at once (`true`) or in tasks.
    Arrive(bool),
    /// Try the methods on the dataset.
    TryMethods,
    /// Stop trying.
    StopTrying,
    /// Apply the settings of a tried method, given its index.
    UseTried(usize),
}

/// Commands about grids.
#[derive(Clone, Debug)]
pub enum GridCommand {
    /// Give this setting several values.
    Vary(String),
    /// Set the values of this setting; with one it has a single value again.
    Values(String, Vec<Setting>),
    /// Set the number of class orders (`order`) or seeds (`seed`) of each row.
    Rows(&'static str, Option<u64>),
    /// Open the grid with this name, or in this file.
    Open(String),
    /// Convert the opened grid into settings.
    Edit,
    /// Search the best of its rows, or run all of them.
    Search(Option<SearchBy>),
    /// Submit it to the cluster with this name.
    Submit(String),
    /// Return to settings with single values.
    Close,
}

/// Commands that check, pack or export runs.
#[derive(Clone, Debug)]
pub enum ProofCommand {
    /// Check this run, or packed run; with `true` by training it again as well.
    Check(PathBuf, bool),
    /// Pack this run into one file.
    Pack(PathBuf),
    /// Export this run's model for other programs.
    Take(TakenAlong, Format),
}

/// Commands of Train.
#[derive(Clone, Debug)]
pub enum TrainCommand {
    /// Draw another run next to the displayed one, or none.
    Beside(Beside),
    /// Correct the class of an image of a split; `None` excludes it.
    CorrectLabel(Arc<DataView>, Split, usize, Option<String>),
    /// Predict again the images that the run in this folder misclassified after a task.
    LookAgain(PathBuf, usize),
    /// Check the training images of this run up to a task against one another.
    LookForDoubts(PathBuf, usize),
    /// Stop checking them.
    StopDoubts(PathBuf, usize),
}

/// Commands about other machines, with the name of the place.
#[derive(Clone, Debug)]
pub enum PlaceCommand {
    /// Train new runs there.
    Choose(String),
    /// Show the run in progress there.
    Watch(String),
    /// Pause the run in progress there.
    Pause(String),
    /// Resume it.
    GoOn(String),
    /// Stop this job; its run is saved and copied back.
    Stop(String, JobId),
    /// Remove a job that waits there, or is being sent.
    TakeOut(String, JobId),
    /// Release the held jobs there.
    LetGo(String),
    /// Request the state of the grids on clusters.
    AskClusters,
    /// Cancel the grid on a cluster that was submitted in this folder.
    Cancel(PathBuf),
    /// Remove it from the list.
    Forget(PathBuf),
}

/// Commands of Predict.
#[derive(Clone, Debug)]
pub enum PredictCommand {
    /// Select this run, if none is selected yet.
    Ask(PathBuf),
    /// Select the newest run from now on.
    FollowNewest,
    /// Predict the image that was given last, instead of the drawing.
    AskGiven,
    /// Remove the image.
    ForgetPicture,
    /// Show the predictions after this task, from 0.
    LookAtTask(usize),
    /// Pin an image; the second part is its true class, if known.
    Pin(Arc<Picture>, Option<String>),
    /// Unpin an image.
    Unpin(PinId),
    /// Add this run to the board.
    ShowPinsTo(PathBuf),
    /// Remove this run from the board.
    HidePinsFrom(PathBuf),
    /// Count the images that the run rejects.
    CountRefusals,
    /// Stop writing the table of a folder.
    StopSheet,
    /// Close the table.
    LeaveSheet,
    /// Move the image in this row of the table into this group.
    Move(usize, Group),
    /// Save the moves in the table.
    KeepMoved,
    /// Show this file's folder in the system's file manager.
    Reveal(PathBuf),
}

/// Commands of Plugins.
#[derive(Clone, Debug)]
pub enum PluginCommand {
    /// Write a new plugin.
    New,
    /// Open a copy of the plugin with this name.
    EditCopy(String),
    /// Open the file of the plugin with this name.
    Edit(String),
    /// Replace the open text.
    Type(String),
    /// Save the open text.
    Save,
    /// Save it and select it on Experiment.
    Use,
    /// Continue with a copy of it.
    Duplicate,
    /// Close it.
    Close,
    /// Reopen the text that was closed without being saved.
    GoOn,
    /// Discard that text.
    DropLeft,
    /// Show this file's folder in the system's file manager.
    Reveal(PathBuf),
    /// Let this file replace the built-in plugin of its name.
    Allow(PathBuf),
    /// Let the open text do so, and save it.
    AllowOpen,
    /// Accept the text that another program wrote into its file, or keep the edited one.
    Settle(bool),
    /// Check whether plugin files changed.
    Look,
    /// Try the open text against Adapter.
    Try,
    /// Stop trying it.
    StopTrying,
    /// Show this file before it is installed.
    LookAt(PathBuf),
}

/// Commands of Learn.
#[derive(Clone, Debug)]
pub enum LearnCommand {
    /// Read the lessons again.
    ReadUnits,
    /// Create a lesson from the template.
    WriteUnit,
    /// Show the folder of the teacher's own lessons.
    ShowUnits,
    /// Open a lesson, or the list of them.
    Open(Option<Arc<Unit>>),
    /// Restart the open lesson.
    StartOver,
    /// Save an answer to the question with this name.
    Answer(String, Given),
    /// Train the missing runs of a part of the lesson, given its index.
    Run(usize),
    /// Add a task to a run of the lesson.
    Teach(Box<Teach>),
}

/// Commands of the tour.
#[derive(Clone, Debug)]
pub enum TourCommand {
    /// Leave it.
    Leave,
    /// Pin one of the drawings, by its index.
    Pin(usize, Arc<Picture>),
    /// Unpin one.
    Unpin(usize),
    /// Train the run of the step.
    Train,
    /// Queue it after the runs in progress or waiting.
    LineUp,
    /// Train it again.
    TrainAgain,
    /// Resume it.
    GoOn,
    /// Save the guess.
    Guess(Fate),
    /// Show a task of both runs, from 0.
    LookAtTask(usize),
    /// Go to the last step.
    Conclude,
    /// End it and keep both runs.
    Keep,
    /// End it and delete both runs.
    Drop,
}

/// Commands of the dialog that gathers images.
#[derive(Clone, Debug)]
pub enum CollectCommand {
    /// Add an image to the selected class.
    Add(Arc<Picture>),
    /// Add a file, or the images of a folder, to the selected class.
    AddFile(PathBuf),
    /// Select the class at this index.
    Choose(usize),
    /// Rename it.
    Rename(usize, String),
    /// Add a class.
    AddClass,
    /// Remove the class at this index.
    RemoveClass(usize),
    /// Remove an image from the class at this index.
    RemovePicture(usize, usize),
    /// Undo the last removal.
    PutBack,
    /// Rename the folder.
    NameFolder(String),
}
