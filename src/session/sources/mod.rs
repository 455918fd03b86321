//! The sources of the session's data: datasets, plugins, backbones, devices and runs. All functions except one run on
//! helper threads and return plain data.

mod augmented_samples;
mod data;
mod editor;
mod files;
mod grids;
mod plan;
mod runs;

use std::path::{Path, PathBuf};

use super::Wake;
use super::backend::{Backend, EngineHost};
use super::clusters::ClusterState;
use super::collection::Collection;
use super::downloads::{Item, Transfer};
use super::file_dialog::{Choice, DialogPurpose};
use super::loads::DataRequest;
use super::progress::Progress;
use super::remote_backend::RemoteBackend;
use super::run_view::RunView;
use super::views::DataView;
use crate::data::export::PackSummary;
use crate::engine::Engine;
use crate::experiment::grid::slurm;
use crate::pet::PluginLibrary;
use crate::pet::library::user_folder;
use crate::problem::{Problem, Result};
use crate::remote::{Peer, Remote};
use crate::run::event::AddedTask;
use crate::run::remote_machines::{RemoteMachine, RemoteMachines};
use crate::store;
use crate::tr;

/// Starts the real engine on a thread or in a child process.
pub(super) fn engine(runs_root: PathBuf, host: EngineHost, wake: Wake) -> Result<Box<dyn Backend>> {
    Ok(match host {
        EngineHost::Thread => Box::new(Engine::start(runs_root, wake)?),
        EngineHost::Process(program) => {
            let root = dunce::canonicalize(&runs_root).unwrap_or(runs_root);
            Box::new(Remote::start(Peer::Child { program, root }, true, wake)?)
        }
    })
}

/// The real sources, with the default folder of runs, and a cache of datasets and runs that were read.
pub struct Disk {
    pub(super) runs_root: PathBuf,
    scans: data::Scans,
    row_cache: runs::RunRowCache,
    pub(super) plugins: Option<PathBuf>,
}

impl Disk {
    /// Returns the sources of a workspace that stores its runs in this folder.
    pub fn new(runs_root: PathBuf) -> Self {
        Self {
            runs_root,
            scans: data::Scans::default(),
            row_cache: runs::RunRowCache::default(),
            plugins: user_folder(),
        }
    }

    /// Returns these sources with another folder for the user's plugins.
    #[must_use]
    pub fn with_plugins(self, folder: PathBuf) -> Self {
        Self { plugins: Some(folder), ..self }
    }

    /// Returns the available plugins.
    fn plugin_library(&self) -> PluginLibrary {
        match self.plugins == user_folder() {
            true => PluginLibrary::standard(),
            false => PluginLibrary::for_user(self.plugins.as_deref()),
        }
    }

    /// Returns the folder of the user's plugins.
    ///
    /// # Errors
    /// Returns a Problem if the system has no folder for them.
    pub(super) fn user_plugin_folder(&self) -> Result<&Path> {
        self.plugins.as_deref().ok_or_else(|| {
            Problem::new(tr!("notices-no-plugin-folder"))
                .advise(tr!("notices-no-plugin-folder-advice"))
        })
    }

    /// Returns the sources of a workspace that cannot store runs, because its folder is actually a file.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        Self::new(file!().into())
    }
}

impl Sources for Disk {
    fn disk(&self) -> &Disk {
        self
    }
}

/// The data to export.
#[derive(Clone, Debug, PartialEq)]
pub enum DataExport {
    /// A dataset.
    Data(DataRequest),
    /// The collected images.
    Collection(Box<Collection>),
}

/// The functions of [`Disk`] that tests replace. All of them except one run on helper threads and return a Problem if
/// they fail.
pub trait Sources: Send + Sync {
    /// Returns the real sources, which provide all other functions.
    fn disk(&self) -> &Disk;

    /// Opens a dataset and computes the data that pages show.
    fn open_data(&self, request: &DataRequest, progress: &Progress) -> Result<DataView> {
        let disk = self.disk();
        let all_at_once = store::load_all_at_once(&disk.runs_root, &request.location)?;
        let view = data::open(request, &disk.scans, progress)?;
        Ok(DataView { all_at_once, ..view })
    }

    /// Downloads a published dataset or a backbone's weights.
    fn download(&self, item: &Item, transfer: &Transfer) -> Result<()> {
        files::download(item, transfer)
    }

    /// Returns the machines in the file of places, the cluster of this machine if it is part of one, and the names of
    /// machines where jobs were left.
    fn machines(&self) -> Result<(Vec<RemoteMachine>, Vec<String>)> {
        let with_jobs = store::machines_with_jobs(&self.disk().runs_root);
        let mut machines = RemoteMachines::load()?.list().to_vec();
        if slurm::is_installed() {
            machines.push(RemoteMachine::local_cluster());
        }
        Ok((machines, with_jobs))
    }

    /// Prepares a connection to a remote machine without blocking. Only this function runs on the window's thread.
    fn connect_machine(&self, machine: &RemoteMachine, wake: Wake) -> Result<Box<dyn Backend>> {
        Ok(Box::new(RemoteBackend::start(machine.clone(), &self.disk().runs_root, wake)?))
    }

    /// Reads a stored run.
    fn load_run(&self, folder: &Path) -> Result<RunView> {
        store::load_run(folder).map(|run| RunView::from_stored(run.header, run.reports))
    }

    /// Returns the state of the grids submitted to a cluster that are not known to have ended.
    fn cluster_state(&self, cluster: &RemoteMachine) -> Result<ClusterState> {
        let runs_root = &self.disk().runs_root;
        Ok(ClusterState {
            grids: slurm::poll_grids(cluster, runs_root)?,
            runs_root: runs::additional_root(runs_root, cluster.folder.as_deref()),
        })
    }

    /// Cancels the waiting and running tasks of a submission.
    fn cancel_submission(&self, cluster: &RemoteMachine, folder: &Path) -> Result<()> {
        slurm::cancel_submission(folder, cluster)
    }

    /// Undoes the last added task of a run.
    fn undo_added_task(&self, folder: &Path) -> Result<AddedTask> {
        store::undo_added_task(folder)
    }

    /// Exports a dataset or collected images to one file.
    fn export_data(
        &self,
        export: &DataExport,
        target: &Path,
        progress: &Progress,
    ) -> Result<PackSummary> {
        data::export(export, &self.disk().scans, target, progress)
    }

    /// Shows a file dialog and returns the user's choice.
    fn pick(&self, purpose: DialogPurpose, dialog: rfd::FileDialog) -> Choice {
        files::pick(purpose, dialog)
    }
}
