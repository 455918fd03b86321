//! Where the session's views come from: data, plugin, backbone, device and run modules. Everything
//! here but one runs on helper threads; only plain views leave this folder.

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

/// The folder beside the runs that holds what was gathered in the window.
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

/// The real engine, where it was asked for.
pub(super) fn engine(runs_root: PathBuf, whose: Whose, wake: Wake) -> Result<Box<dyn Backend>> {
    Ok(match whose {
        Whose::Thread => Box::new(Engine::start(runs_root, wake)?),
        Whose::Process(program) => Box::new(Child::start(&program, &runs_root, wake)?),
    })
}

/// What the sources work with: the usual folder of runs, and data sets and runs that were read before.
pub struct Disk {
    runs_root: PathBuf,
    scans: data::Scans,
    known: runs::Known,
    plugins: Option<PathBuf>,
}

impl Disk {
    /// The sources of a workspace whose runs lie in this folder.
    pub fn at(runs_root: PathBuf) -> Self {
        Self {
            runs_root,
            scans: data::Scans::default(),
            known: runs::Known::default(),
            plugins: user_folder(),
        }
    }

    /// The same with another folder for the person's own plugins.
    #[must_use]
    pub fn with_plugins(self, folder: PathBuf) -> Self {
        Self {
            plugins: Some(folder),
            ..self
        }
    }

    /// The plugins at hand.
    fn library(&self) -> PluginLibrary {
        match self.plugins == user_folder() {
            true => PluginLibrary::standard(),
            false => PluginLibrary::of_person(self.plugins.as_deref()),
        }
    }

    /// The folder of the person's own plugins.
    fn own_plugins(&self) -> Result<&Path> {
        self.plugins.as_deref().ok_or_else(|| {
            Problem::new(tr!("notices-no-plugins")).advise(tr!("notices-no-plugins-advice"))
        })
    }

    /// The sources of a workspace that can keep no run: its folder is a file.
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

/// Where the session's views come from. [`Disk`] has the real ones; whoever stands in for it overrides what should
/// come from elsewhere. All of it is called on helper threads, and what fails says why in a Problem.
pub trait Sources: Send + Sync {
    /// What everything that is not overridden works with.
    fn disk(&self) -> &Disk;

    /// Opens a data set and looks at it.
    fn open_data(&self, ask: &DataAsk, progress: &Progress) -> Result<DataView> {
        let disk = self.disk();
        let all_at_once = store::all_at_once(&disk.runs_root, &ask.place)?;
        let view = data::open(ask, &disk.scans, progress)?;
        Ok(DataView {
            all_at_once,
            ..view
        })
    }

    /// Keeps whether the classes of the data set at this place are learned all at once.
    fn keep_all_at_once(&self, place: &str, all_at_once: bool) -> Result<()> {
        store::keep_all_at_once(&self.disk().runs_root, place, all_at_once)
    }

    /// Training images as the network gets them.
    fn sight(&self, ask: &SightAsk) -> Result<Sight> {
        sight::look(ask, &self.disk().scans)
    }

    /// Downloads a published data set or a backbone's weights.
    fn download(&self, item: &Item, transfer: &Transfer) -> Result<()> {
        files::download(item, transfer)
    }

    /// What the settings come to.
    fn plan(&self, config: &RunConfig, data: Option<&DataView>) -> PlanView {
        let mut plan = plan::plan(config, data, &self.disk().library());
        let unwritable = files::unwritable(&self.disk().runs_root);
        plan.problems.extend(unwritable);
        plan
    }

    /// The plugin files.
    fn plugins(&self) -> Vec<PluginView> {
        let disk = self.disk();
        network::plugins(&disk.library(), disk.plugins.as_deref())
    }

    /// Where the person's own plugins lie.
    fn plugin_folder(&self) -> Option<PathBuf> {
        self.disk().plugins.clone()
    }

    /// What the text of a plugin means.
    fn check_plugin(&self, text: &str, origin: &str, config: &RunConfig) -> Checked {
        editor::check(text, origin, config)
    }

    /// What is measured of a sound one.
    fn measure_plugin(&self, text: &str) -> Result<Measured> {
        editor::measure(text)
    }

    /// Saves a plugin among the person's own; gives its file.
    fn save_plugin(&self, save: &PluginSave) -> Result<PathBuf> {
        store::save_plugin(self.disk().own_plugins()?, save)
    }

    /// Lets a plugin file take the place of the built-in one of its name.
    fn allow_plugin(&self, file: &Path) -> Result<()> {
        store::allow_plugin(self.disk().own_plugins()?, file)
    }

    /// The text of a plugin file.
    fn plugin_text(&self, file: &Path) -> Result<String> {
        crate::pet::library::read_text(file)
    }

    /// Whether this is the file of a PET plugin.
    fn is_plugin(&self, file: &Path) -> bool {
        editor::is_plugin(file)
    }

    /// How the plugin files stand.
    fn plugin_files(&self) -> FilesSeen {
        let own = self.disk().plugins.clone();
        let folders: Vec<PathBuf> = [Some("plugins".into()), own]
            .into_iter()
            .flatten()
            .collect();
        editor::seen(&folders)
    }

    /// The backbones, and what is wrong in their tables.
    fn backbones(&self) -> (Vec<BackboneView>, Vec<Problem>) {
        network::backbones()
    }

    /// The devices of this machine.
    fn devices(&self) -> Vec<DeviceView> {
        lists::devices()
    }

    /// The file of places, with the cluster of this machine where it is one, and the names of those where jobs were left.
    fn places(&self) -> Result<(Vec<Place>, Vec<String>)> {
        let left = store::places_at_work(&self.disk().runs_root);
        let mut places = Places::load()?.list().to_vec();
        if slurm::is_here() {
            places.push(Place::cluster_here());
        }
        Ok((places, left))
    }

    /// Who answers at a place.
    fn place_answers(&self, place: &Place) -> Result<Answers> {
        check(place, &self.disk().runs_root)
    }

    /// Makes ready to have jobs done at a place. This alone is called on the window's thread, and does not wait.
    fn place(&self, place: &Place, wake: Wake) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Away::start(
            place.clone(),
            &self.disk().runs_root,
            wake,
        )?))
    }

    /// The runs of the usual folder and of these others.
    fn runs(&self, others: Vec<PathBuf>) -> Shelf {
        let disk = self.disk();
        disk.known.shelf(&disk.runs_root, others)
    }

    /// How one run stands; none where there is no run any more, or its folder is not listed.
    fn run_row(&self, folder: &Path) -> Option<Arc<RunRow>> {
        let disk = self.disk();
        disk.known.row(&disk.runs_root, folder)
    }

    /// The folder of runs that a person means by a path, where it is none of those known.
    fn folder_of_runs(&self, path: &Path, known: &[PathBuf]) -> Result<PathBuf> {
        runs::folder_of_runs(&self.disk().runs_root, path, known)
    }

    /// A stored run.
    fn run(&self, folder: &Path) -> Result<RunView> {
        store::load(folder).map(|run| RunView::stored(run.header, run.reports))
    }

    /// Keeps what is said of a run.
    fn describe(&self, folder: &Path, about: &About) -> Result<About> {
        store::set_about(folder, about)
    }

    /// Unpacks a packed run among those of the usual folder.
    fn unpack(&self, file: &Path) -> Result<Unpacked> {
        store::unpack(file, &self.disk().runs_root)
    }

    /// A grid, and how its runs stand.
    fn grid(&self, ask: &GridAsk) -> Result<GridView> {
        grids::view(ask, &self.disk().runs_root)
    }

    /// Submits what is not there yet of a grid to a cluster; gives what became of it in words.
    fn submit_grid(&self, ask: &GridAsk, cluster: &Place) -> Result<Message> {
        grids::submit(ask, cluster, &self.disk().runs_root)
    }

    /// How the grids stand that were submitted to a cluster and were not seen to end.
    fn on_cluster(&self, cluster: &Place) -> Result<ClusterSeen> {
        let usual = &self.disk().runs_root;
        Ok(ClusterSeen {
            grids: slurm::watch(cluster, usual)?,
            beside: runs::beside(usual, cluster.folder.as_deref()),
        })
    }

    /// Takes the tasks of a submission out of the queue, and ends those that run.
    fn cancel_on_cluster(&self, cluster: &Place, folder: &Path) -> Result<()> {
        slurm::cancel_submission(folder, cluster)
    }

    /// Deletes runs, brings them back, or erases them.
    fn bin(&self, action: BinAction, places: Vec<PathBuf>) -> Done {
        runs::done(&self.disk().runs_root, action, places)
    }

    /// The deleted runs of the usual folder and of these others.
    fn deleted(&self, others: &[PathBuf]) -> Vec<DeletedRun> {
        runs::deleted(&self.disk().runs_root, others)
    }

    /// Takes back the last added task of a run.
    fn undo_added_task(&self, folder: &Path) -> Result<AddedTask> {
        store::undo_added_task(folder)
    }

    /// What a run (its facts, and so many tasks of it) would be taught by the pictures at `source`.
    fn found(&self, header: &RunHeader, after: usize, source: &str) -> Result<Found> {
        experiment::found(header, after, source, &|| true)
    }

    /// Reads an image file for a prediction by a run with this bit depth.
    fn picture(&self, path: &Path, bit_depth: usize) -> Result<Picture> {
        files::picture(path, bit_depth)
    }

    /// What a table says of its pictures.
    fn answered(&self, csv: &Path) -> Result<Vec<AnsweredPicture>> {
        sheet::answered(csv)
    }

    /// Writes what a person says of its pictures into a table.
    fn keep_sorted(&self, csv: &Path, sorted: &[String]) -> Result<()> {
        sheet::keep_sorted(csv, sorted)
    }

    /// What a file adds to a class of gathered pictures: itself, or if it is a folder the images in it.
    fn pieces(&self, path: &Path) -> Result<Vec<CollectedPicture>> {
        files::pieces(path)
    }

    /// Keeps gathered pictures as an image folder; gives its place.
    fn keep(&self, collection: &Collection) -> Result<PathBuf> {
        collection.save(&self.disk().runs_root.join(MADE))
    }

    /// Writes a data set, or gathered pictures, to one file.
    fn export_data(&self, export: &DataExport, to: &Path, progress: &Progress) -> Result<Packed> {
        data::export(export, &self.disk().scans, to, progress)
    }

    /// Writes a table, figure or report of runs to one file; gives how many cannot be read and are left out.
    fn export_results(&self, export: &ResultsExport, progress: &Progress) -> Result<usize> {
        runs::export(export, progress)
    }

    /// Shows a report in the desktop's browser.
    fn show_page(&self, path: &Path) -> Result<()> {
        files::show(path, "notices-no-program-pages")
    }

    /// The corrected labels of the data set at this place.
    fn corrected(&self, place: &str) -> Result<Vec<Correction>> {
        store::corrected(&self.disk().runs_root, place)
    }

    /// Changes an entry of the corrected labels of the data set at this place; gives all of them.
    fn correct_label(&self, place: &str, change: Correction) -> Result<Vec<Correction>> {
        store::correct_label(&self.disk().runs_root, place, change)
    }

    /// Asks the person for a file or folder in this dialog of the desktop.
    fn pick(&self, wanted: DialogPurpose, dialog: rfd::FileDialog) -> Choice {
        picker::pick(wanted, dialog)
    }

    /// What a bug report holds.
    fn bug_report(&self, wanted: &bug_report::BugReportRequest) -> BugReport {
        BugReport::gather(&self.disk().runs_root, wanted)
    }

    /// Shows a file's folder in the desktop's program for folders.
    fn reveal(&self, path: &Path) -> Result<()> {
        files::reveal(path)
    }

    /// The lessons.
    fn units(&self) -> Vec<UnitEntry> {
        units::entries()
    }
}
