//! The sources of the session's views: data, plugins, backbones, devices and runs. All functions but one run on helper
//! threads; only plain views leave this folder.

mod data;
mod editor;
mod files;
mod grids;
mod lists;
mod network;
mod picker;
mod plan;
mod runs;
mod sight;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Wake;
use super::away::Away;
use super::backend::{Backend, Whose};
use super::bin::{BinAction, DeletedRun, Done};
use super::bug_report::{self, BugReport};
use super::chooser::{Choice, DialogPurpose};
use super::clusters::ClusterSeen;
use super::collection::{CollectedPicture, Collection};
use super::data_export::DataExport;
use super::downloads::{Item, Transfer};
use super::editor::meaning::{Checked, FilesSeen, Measured};
use super::elsewhere::Child;
use super::folders::Shelf;
use super::grids::{GridAsk, GridView};
use super::loads::DataAsk;
use super::progress::Progress;
use super::results_export::ResultsExport;
use super::row::RunRow;
use super::run_view::RunView;
use super::sight::{Sight, SightAsk};
use super::units::{self, UnitEntry};
use super::views::{BackboneView, DataView, DeviceView, PlanView, PluginView};
use crate::data::Correction;
use crate::data::export::Packed;
use crate::engine::Engine;
use crate::experiment::grid::slurm;
use crate::experiment::sheet::{self, AnsweredPicture};
use crate::experiment::{self, Found};
use crate::pet::PluginLibrary;
use crate::pet::library::user_folder;
use crate::problem::{Problem, Result};
use crate::remote::{Answers, check};
use crate::run::about::About;
use crate::run::config::RunConfig;
use crate::run::event::{AddedTask, Command, Picture, RunHeader, Wish};
use crate::run::job::JobId;
use crate::run::places::{Place, Places};
use crate::run::queue::JobEvent;
use crate::store::{self, PluginSave, Unpacked};
use crate::texts::Message;
use crate::tr;

/// The folder next to the runs that stores images gathered in the window.
const MADE: &str = "made";

impl Backend for Engine {
    fn send(&mut self, command: Command) {
        Engine::send(self, command);
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        Engine::try_recv(self)
    }

    fn wish(&self, wish: Wish) {
        self.control.set(wish);
    }

    fn wish_for(&self, job: JobId, wish: Wish) {
        self.control.set_for(job, wish);
    }
}

/// Starts the real engine in the requested place.
pub(super) fn engine(runs_root: PathBuf, whose: Whose, wake: Wake) -> Result<Box<dyn Backend>> {
    Ok(match whose {
        Whose::Thread => Box::new(Engine::start(runs_root, wake)?),
        Whose::Process(program) => Box::new(Child::start(&program, &runs_root, wake)?),
    })
}

/// State of the sources: the default folder of runs, and datasets and runs that were read before.
pub struct Disk {
    runs_root: PathBuf,
    scans: data::Scans,
    known: runs::Known,
    plugins: Option<PathBuf>,
}

impl Disk {
    /// Returns the sources of a workspace whose runs are in this folder.
    pub fn at(runs_root: PathBuf) -> Self {
        Self {
            runs_root,
            scans: data::Scans::default(),
            known: runs::Known::default(),
            plugins: user_folder(),
        }
    }

    /// Uses another folder for the user's own plugins.
    #[must_use]
    pub fn with_plugins(self, folder: PathBuf) -> Self {
        Self {
            plugins: Some(folder),
            ..self
        }
    }

    /// Returns the available plugins.
    fn library(&self) -> PluginLibrary {
        match self.plugins == user_folder() {
            true => PluginLibrary::standard(),
            false => PluginLibrary::of_person(self.plugins.as_deref()),
        }
    }

    /// Returns the folder of the user's own plugins.
    fn own_plugins(&self) -> Result<&Path> {
        self.plugins.as_deref().ok_or_else(|| {
            Problem::new(tr!("notices-no-plugin-folder"))
                .advise(tr!("notices-no-plugin-folder-advice"))
        })
    }

    /// Returns the sources of a workspace that cannot store runs, because its folder is a file.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        Self::at(file!().into())
    }
}

impl Sources for Disk {
    fn disk(&self) -> &Disk {
        self
    }
}

/// The sources of the session's views. [`Disk`] has the real ones; tests override some of the functions. All of them
/// but one run on helper threads and return a Problem on failure.
pub trait Sources: Send + Sync {
    /// Returns the state that functions use unless they are overridden.
    fn disk(&self) -> &Disk;

    /// Opens a dataset and examines it.
    fn open_data(&self, ask: &DataAsk, progress: &Progress) -> Result<DataView> {
        let disk = self.disk();
        let all_at_once = store::all_at_once(&disk.runs_root, &ask.place)?;
        let view = data::open(ask, &disk.scans, progress)?;
        Ok(DataView {
            all_at_once,
            ..view
        })
    }

    /// Stores whether the classes of the dataset at this place are learned all at once.
    fn keep_all_at_once(&self, place: &str, all_at_once: bool) -> Result<()> {
        store::keep_all_at_once(&self.disk().runs_root, place, all_at_once)
    }

    /// Returns training images as the network receives them.
    fn sight(&self, ask: &SightAsk) -> Result<Sight> {
        sight::look(ask, &self.disk().scans)
    }

    /// Downloads a published dataset or a backbone's weights.
    fn download(&self, item: &Item, transfer: &Transfer) -> Result<()> {
        files::download(item, transfer)
    }

    /// Plans the settings.
    fn plan(&self, config: &RunConfig, data: Option<&DataView>) -> PlanView {
        let mut plan = plan::plan(config, data, &self.disk().library());
        let unwritable = files::unwritable(&self.disk().runs_root);
        plan.problems.extend(unwritable);
        plan
    }

    /// Returns the plugin files.
    fn plugins(&self) -> Vec<PluginView> {
        let disk = self.disk();
        network::plugins(&disk.library(), disk.plugins.as_deref())
    }

    /// Returns the folder of the user's own plugins.
    fn plugin_folder(&self) -> Option<PathBuf> {
        self.disk().plugins.clone()
    }

    /// Checks the text of a plugin.
    fn check_plugin(&self, text: &str, origin: &str, config: &RunConfig) -> Checked {
        editor::check(text, origin, config)
    }

    /// Measures a valid plugin.
    fn measure_plugin(&self, text: &str) -> Result<Measured> {
        editor::measure(text)
    }

    /// Saves a plugin in the user's folder and returns its path.
    fn save_plugin(&self, save: &PluginSave) -> Result<PathBuf> {
        store::save_plugin(self.disk().own_plugins()?, save)
    }

    /// Lets a plugin file replace the built-in one of its name.
    fn allow_plugin(&self, file: &Path) -> Result<()> {
        store::allow_plugin(self.disk().own_plugins()?, file)
    }

    /// Returns the text of a plugin file.
    fn plugin_text(&self, file: &Path) -> Result<String> {
        crate::pet::library::read_text(file)
    }

    /// Returns whether this is a PET plugin file.
    fn is_plugin(&self, file: &Path) -> bool {
        editor::is_plugin(file)
    }

    /// Returns the state of the plugin files.
    fn plugin_files(&self) -> FilesSeen {
        let own = self.disk().plugins.clone();
        let folders: Vec<PathBuf> = [Some("plugins".into()), own]
            .into_iter()
            .flatten()
            .collect();
        editor::seen(&folders)
    }

    /// Returns the backbones, and the errors in their tables.
    fn backbones(&self) -> (Vec<BackboneView>, Vec<Problem>) {
        network::backbones()
    }

    /// Returns the devices of this machine.
    fn devices(&self) -> Vec<DeviceView> {
        lists::devices()
    }

    /// Returns the entries of the file of places, including the cluster of this machine if it is part of one, and the
    /// names of places where jobs were left.
    fn places(&self) -> Result<(Vec<Place>, Vec<String>)> {
        let left = store::places_at_work(&self.disk().runs_root);
        let mut places = Places::load()?.list().to_vec();
        if slurm::is_here() {
            places.push(Place::cluster_here());
        }
        Ok((places, left))
    }

    /// Queries a place.
    fn place_answers(&self, place: &Place) -> Result<Answers> {
        check(place, &self.disk().runs_root)
    }

    /// Prepares a connection to a place. Only this function runs on the window's thread; it does not block.
    fn place(&self, place: &Place, wake: Wake) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Away::start(
            place.clone(),
            &self.disk().runs_root,
            wake,
        )?))
    }

    /// Returns the runs of the default folder and of these others.
    fn runs(&self, others: Vec<PathBuf>) -> Shelf {
        let disk = self.disk();
        disk.known.shelf(&disk.runs_root, others)
    }

    /// Returns the row of one run; `None` if it is gone or its folder is not listed.
    fn run_row(&self, folder: &Path) -> Option<Arc<RunRow>> {
        let disk = self.disk();
        disk.known.row(&disk.runs_root, folder)
    }

    /// Returns the folder of runs that a path refers to, unless it is one of those known.
    fn folder_of_runs(&self, path: &Path, known: &[PathBuf]) -> Result<PathBuf> {
        runs::folder_of_runs(&self.disk().runs_root, path, known)
    }

    /// Reads a stored run.
    fn run(&self, folder: &Path) -> Result<RunView> {
        store::load(folder).map(|run| RunView::stored(run.header, run.reports))
    }

    /// Saves the notes on a run.
    fn describe(&self, folder: &Path, about: &About) -> Result<About> {
        store::set_about(folder, about)
    }

    /// Unpacks a packed run into the default folder.
    fn unpack(&self, file: &Path) -> Result<Unpacked> {
        store::unpack(file, &self.disk().runs_root)
    }

    /// Returns a grid and the state of its runs.
    fn grid(&self, ask: &GridAsk) -> Result<GridView> {
        grids::view(ask, &self.disk().runs_root)
    }

    /// Submits the missing runs of a grid to a cluster. Returns the outcome in words.
    fn submit_grid(&self, ask: &GridAsk, cluster: &Place) -> Result<Message> {
        grids::submit(ask, cluster, &self.disk().runs_root)
    }

    /// Returns the state of the grids submitted to a cluster that are not known to have ended.
    fn on_cluster(&self, cluster: &Place) -> Result<ClusterSeen> {
        let usual = &self.disk().runs_root;
        Ok(ClusterSeen {
            grids: slurm::watch(cluster, usual)?,
            beside: runs::beside(usual, cluster.folder.as_deref()),
        })
    }

    /// Cancels the waiting and running tasks of a submission.
    fn cancel_on_cluster(&self, cluster: &Place, folder: &Path) -> Result<()> {
        slurm::cancel_submission(folder, cluster)
    }

    /// Deletes, restores or erases runs.
    fn bin(&self, action: BinAction, places: Vec<PathBuf>) -> Done {
        runs::done(&self.disk().runs_root, action, places)
    }

    /// Returns the deleted runs of the default folder and of these others.
    fn deleted(&self, others: &[PathBuf]) -> Vec<DeletedRun> {
        runs::deleted(&self.disk().runs_root, others)
    }

    /// Undoes the last added task of a run.
    fn undo_added_task(&self, folder: &Path) -> Result<AddedTask> {
        store::undo_added_task(folder)
    }

    /// Returns what a run, given its facts and number of tasks, would learn from the images at `source`.
    fn found(&self, header: &RunHeader, after: usize, source: &str) -> Result<Found> {
        experiment::found(header, after, source, &|| true)
    }

    /// Reads an image file for a prediction by a run with this bit depth.
    fn picture(&self, path: &Path, bit_depth: usize) -> Result<Picture> {
        files::picture(path, bit_depth)
    }

    /// Reads the rows of a table.
    fn answered(&self, csv: &Path) -> Result<Vec<AnsweredPicture>> {
        sheet::answered(csv)
    }

    /// Writes the user's classes of its images into a table.
    fn keep_sorted(&self, csv: &Path, sorted: &[String]) -> Result<()> {
        sheet::keep_sorted(csv, sorted)
    }

    /// Returns the images that a path adds to a class of gathered images: the file itself, or the images in the folder.
    fn pieces(&self, path: &Path) -> Result<Vec<CollectedPicture>> {
        files::pieces(path)
    }

    /// Saves gathered images as an image folder and returns its path.
    fn keep(&self, collection: &Collection) -> Result<PathBuf> {
        collection.save(&self.disk().runs_root.join(MADE))
    }

    /// Exports a dataset, or gathered images, to one file.
    fn export_data(&self, export: &DataExport, to: &Path, progress: &Progress) -> Result<Packed> {
        data::export(export, &self.disk().scans, to, progress)
    }

    /// Writes a table, figure or report of runs to one file. Returns the number of runs that could not be read.
    fn export_results(&self, export: &ResultsExport, progress: &Progress) -> Result<usize> {
        runs::export(export, progress)
    }

    /// Opens a report in the browser.
    fn show_page(&self, path: &Path) -> Result<()> {
        files::show(path, "notices-no-program-pages")
    }

    /// Returns the corrected labels of the dataset at this place.
    fn corrected(&self, place: &str) -> Result<Vec<Correction>> {
        store::corrected(&self.disk().runs_root, place)
    }

    /// Changes an entry of the corrected labels of the dataset at this place. Returns all of them.
    fn correct_label(&self, place: &str, change: Correction) -> Result<Vec<Correction>> {
        store::correct_label(&self.disk().runs_root, place, change)
    }

    /// Shows this file dialog to the user.
    fn pick(&self, wanted: DialogPurpose, dialog: rfd::FileDialog) -> Choice {
        picker::pick(wanted, dialog)
    }

    /// Returns the content of a bug report.
    fn bug_report(&self, wanted: &bug_report::BugReportRequest) -> BugReport {
        BugReport::gather(&self.disk().runs_root, wanted)
    }

    /// Shows a file's folder in the system's file manager.
    fn reveal(&self, path: &Path) -> Result<()> {
        files::reveal(path)
    }

    /// Returns the lessons.
    fn units(&self) -> Vec<UnitEntry> {
        units::entries()
    }
}
