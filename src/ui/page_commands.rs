//! What a single page, or the dialog in which pictures are gathered, can tell the session to do. Whatever more than one
//! place can ask for stands in [`UiCommand`](super::command::UiCommand) itself.

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

/// What Experiment asks for.
#[derive(Clone, Debug)]
pub enum ExperimentCommand {
    /// Use the corrected labels of the data set, or those in the data.
    UseCorrected(bool),
    /// Download a data set or weights.
    Download(Item),
    /// Stop the download of a data set, or of weights.
    StopDownload(Item),
    /// Learn the classes of the data set all at once (true) or in stages.
    Arrive(bool),
    /// Try which method suits the data set.
    TryMethods,
    /// Try no further.
    StopTrying,
    /// Take over the settings of a method that was tried, by its place.
    UseTried(usize),
}

/// What is asked of grids.
#[derive(Clone, Debug)]
pub enum GridCommand {
    /// Give this setting several values.
    Vary(String),
    /// The values of this setting; with one it is a single one again.
    Values(String, Vec<Setting>),
    /// So many class orders (`order`) or seeds (`seed`) of each row.
    Rows(&'static str, Option<u64>),
    /// Open the grid of this name, or in this file.
    Open(String),
    /// Make the grid that was opened the settings.
    Edit,
    /// Search the best of its rows so, or run all of them.
    Search(Option<SearchBy>),
    /// Submit it to the cluster of this name.
    Submit(String),
    /// Go back to the settings with single values.
    Close,
}

/// What is asked of what a run says of itself.
#[derive(Clone, Debug)]
pub enum ProofCommand {
    /// Check this run, or packed run; with true by training it once more, too.
    Check(PathBuf, bool),
    /// Pack this run into one file.
    Pack(PathBuf),
    /// Write this run's model for other programs.
    Take(TakenAlong, Format),
}

/// What Train asks for.
#[derive(Clone, Debug)]
pub enum TrainCommand {
    /// Draw another run beside the one on show, or none.
    Beside(Beside),
    /// Say of which class an image of a split really is; none leaves it out.
    CorrectLabel(Arc<DataView>, Split, usize, Option<String>),
    /// Ask the run in this folder about its mistakes after a task once more.
    LookAgain(PathBuf, usize),
    /// Hold the training pictures of this run up to a task against one another.
    LookForDoubts(PathBuf, usize),
    /// Look at them no further.
    StopDoubts(PathBuf, usize),
}

/// What is asked of other machines, by the place's name.
#[derive(Clone, Debug)]
pub enum PlaceCommand {
    /// Train new runs there.
    Choose(String),
    /// Show the run at work there.
    Watch(String),
    /// Pause the run at work there.
    Pause(String),
    /// Let it go on.
    GoOn(String),
    /// Stop this job; its run is saved and comes home.
    Stop(String, JobId),
    /// Take a job away that waits there, or is on the way.
    TakeOut(String, JobId),
    /// Let the jobs begin that wait there on hold.
    LetGo(String),
    /// Request the state of the grids on clusters.
    AskClusters,
    /// Cancel the grid on a cluster that was submitted in this folder.
    Cancel(PathBuf),
    /// Show it no longer.
    Forget(PathBuf),
}

/// What Predict asks for.
#[derive(Clone, Debug)]
pub enum PredictCommand {
    /// Ask this run, as none is chosen yet.
    Ask(PathBuf),
    /// Ask the newest run from now on.
    FollowNewest,
    /// Ask about the picture that was given last, in place of what was drawn.
    AskGiven,
    /// Show no picture any more.
    ForgetPicture,
    /// Look at what the run says after this task, from 0.
    LookAtTask(usize),
    /// Pin a picture; the second part is its true class, where known.
    Pin(Arc<Picture>, Option<String>),
    /// Take a pinned picture off.
    Unpin(PinId),
    /// Show the pinned pictures to this run, too.
    ShowPinsTo(PathBuf),
    /// Show them to this run no longer.
    HidePinsFrom(PathBuf),
    /// Count what the run refuses.
    CountRefusals,
    /// Stop the table that is being made of a folder.
    StopSheet,
    /// Show the table no longer.
    LeaveSheet,
    /// Put the picture at this place of the table into this group.
    Move(usize, Group),
    /// Write what was moved into the table.
    KeepMoved,
    /// Show this file's folder in the desktop's program for folders.
    Reveal(PathBuf),
}

/// What Plugins asks for.
#[derive(Clone, Debug)]
pub enum PluginCommand {
    /// Write a new plugin.
    New,
    /// Open a copy of the plugin of this name.
    EditCopy(String),
    /// Open the file of the plugin of this name.
    Edit(String),
    /// Take this as the open text.
    Type(String),
    /// Save the open text.
    Save,
    /// Choose it on Experiment, saved.
    Use,
    /// Go on with a copy of it.
    Duplicate,
    /// Show it no longer.
    Close,
    /// Go on with the text that was left before it was saved.
    GoOn,
    /// Forget that text.
    DropLeft,
    /// Show this file's folder in the desktop's program for folders.
    Reveal(PathBuf),
    /// Let this file take the place of the built-in plugin of its name.
    Allow(PathBuf),
    /// Let the open text do so, and save it.
    AllowOpen,
    /// Take the text that another program put into its file, or keep the own one.
    Settle(bool),
    /// Look whether plugin files changed.
    Look,
    /// Try the open text beside Adapter.
    Try,
    /// Try it no further.
    StopTrying,
    /// Show this file before it is installed.
    LookAt(PathBuf),
}

/// What Learn asks for.
#[derive(Clone, Debug)]
pub enum LearnCommand {
    /// Read the lessons again.
    ReadUnits,
    /// Begin a lesson of one's own from a template.
    WriteUnit,
    /// Show the folder of a teacher's own lessons.
    ShowUnits,
    /// Open a lesson, or the list of them.
    Open(Option<Arc<Unit>>),
    /// Begin the open lesson anew.
    StartOver,
    /// Keep an answer to the question of this name.
    Answer(String, Given),
    /// Train what is missing of the runs of a part of the lesson, by its place there.
    Run(usize),
    /// Teach a run of the lesson more.
    Teach(Box<Teach>),
}

/// What the tour asks for.
#[derive(Clone, Debug)]
pub enum TourCommand {
    /// Leave it.
    Leave,
    /// Pin one of the drawings, by its number.
    Pin(usize, Arc<Picture>),
    /// Take one off.
    Unpin(usize),
    /// Train the run that the step is about.
    Train,
    /// Train it behind the runs that are at work or wait.
    LineUp,
    /// Train it anew.
    TrainAgain,
    /// Let it go on.
    GoOn,
    /// Keep the guess.
    Guess(Fate),
    /// Look at a task of both runs, from 0.
    LookAtTask(usize),
    /// Go to the last step.
    Conclude,
    /// End it and keep both runs.
    Keep,
    /// End it and delete both runs.
    Drop,
}

/// What the dialog asks for in which pictures are gathered.
#[derive(Clone, Debug)]
pub enum CollectCommand {
    /// Add a picture to the chosen class.
    Add(Arc<Picture>),
    /// Add a file, or the pictures of a folder, to the chosen class.
    AddFile(PathBuf),
    /// Choose the class at this place.
    Choose(usize),
    /// Call it so.
    Rename(usize, String),
    /// Add a class.
    AddClass,
    /// Take the class at this place away.
    RemoveClass(usize),
    /// Take a picture out of the class at this place.
    RemovePicture(usize, usize),
    /// Put back what was taken out last.
    PutBack,
    /// Call the folder so.
    NameFolder(String),
}
