//! Submits the missing runs of a grid, and records each submission in a folder beside the runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commands;
use super::script::script_text;
use super::status::{FOLDER, OnCluster, SlurmTask, Submission, SubmittedCell, TaskState, VERSION};
use crate::counts::ranges_text;
use crate::experiment::grid::GridPlan;
use crate::files;
use crate::folders;
use crate::message;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::grid::CellStanding;
use crate::run::places::RemoteMachine;
use crate::store::write_file;
use crate::texts::Message;

/// Maximum time to wait for another program that is submitting.
const PATIENCE: Duration = Duration::from_secs(60);
/// Default limit of array indices on clusters; more cells are split into several arrays.
const MOST_INDEX: usize = 1000;

fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .map_err(|error| Problem::io("create the folder of the submission", folder, &error))
}

/// What a user specifies in addition to the grid and the place.
#[derive(Default)]
pub struct SubmitOptions<'a> {
    /// The text of the grid's file.
    pub text: &'a str,
    /// The device of its runs; `None` for the device of the place.
    pub device: Option<&'a str>,
    /// Paths of datasets as `NAME=PATH`; they take precedence over those of the place.
    pub data: &'a [String],
    /// Maximum number of tasks that run at the same time.
    pub at_once: Option<usize>,
}

impl SubmitOptions<'_> {
    /// Returns the options of each task besides the grid and the number of its run: its device and the paths of
    /// datasets.
    fn options(&self, place: &RemoteMachine) -> Vec<String> {
        let device = self.device.or(place.device.as_deref());
        let device = device.map(|device| ["--device".to_string(), device.to_string()]);
        let known = place.data.iter();
        let known = known.map(|(name, path)| format!("{name}={path}"));
        let data = self.data.iter().cloned().chain(known);
        let data = data.map(|data| ["--data".to_string(), data]);
        device.into_iter().chain(data).flatten().collect()
    }
}

/// Submits the cells that are neither finished nor queued, and returns a description of the submission. Downloads
/// missing weights first; `tell` gets the progress and returns false to stop.
///
/// # Errors
/// Returns a Problem if weights are not available, the folder of runs cannot be written, or Slurm rejects the job.
pub fn submit(
    plan: &mut GridPlan,
    cells: &[usize],
    place: &RemoteMachine,
    given: &SubmitOptions<'_>,
    tell: &mut dyn FnMut(Message) -> bool,
) -> Result<Message> {
    plan.know_keys(cells, tell)?;
    let plan = &*plan;
    let folder = plan.root.join(FOLDER);
    make_folder(&folder)?;
    let root = dunce::canonicalize(&plan.root)
        .map_err(|error| Problem::io("find the folder of runs", &plan.root, &error))?;
    let lock = folder.join("lock");
    let held = files::lock_own(&lock, PATIENCE)
        .map_err(|error| Problem::io("lock the submissions", &lock, &error))?;
    let Some(_held) = held else {
        return Err(Problem::new(message!("slurm-another-submits"))
            .at_path(&root)
            .advise(message!("slurm-another-submits-advice")));
    };
    let tasks = SlurmTask::by_cell(plan, cells, place)?;
    let is_queued = |cell: &&usize| tasks.get(*cell).is_some_and(|task| task.state.is_queued());
    let to_do = |cell: &&usize| {
        let state = plan.state(**cell);
        let is_done = tasks
            .get(cell)
            .is_some_and(|task| task.state == TaskState::Done);
        matches!(state, CellStanding::ToDo | CellStanding::Stopped { .. })
            && !is_queued(cell)
            && !is_done
    };
    let mut new: Vec<usize> = cells.iter().filter(to_do).copied().collect();
    new.sort_unstable();
    if new.is_empty() {
        return Ok(message!("slurm-nothing-to-submit"));
    }
    let grid = plan.cells.grid.name.clone();
    let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S%.3f").to_string();
    let new = new.iter().map(|cell| SubmittedCell {
        number: cell + 1,
        settings: plan.settings_key(*cell),
        job: String::new(),
        index: cell % MOST_INDEX + 1,
    });
    let mut note = Submission {
        version: VERSION,
        place: place.name.clone(),
        over: false,
        cells: new.collect(),
        folder: root.join(FOLDER).join(format!("{now}-{grid}")),
        grid,
    };
    let jobs = prepared(&note, &root, place, given)
        .and_then(|script| arrays(place, &mut note, &script, given.at_once));
    if jobs.is_err() && note.submitted().next().is_none() {
        let _ = fs::remove_dir_all(&note.folder);
    }
    let told = message!(
        "slurm-submitted",
        runs = message!("count-runs", n = note.cells.len()),
        jobs = jobs?.join(", "),
        folder = note.folder.display().to_string()
    );
    Ok(match cells.iter().filter(is_queued).count() {
        0 => told,
        queued => message!("slurm-submitted-and-queued", told, n = queued),
    })
}

/// Writes everything that a task needs, in its current state, into the folder of the submission. Returns the path of
/// the script.
fn prepared(
    note: &Submission,
    root: &Path,
    place: &RemoteMachine,
    given: &SubmitOptions<'_>,
) -> Result<PathBuf> {
    let folder = &note.folder;
    let own = folder.join("data").join("lae-studio");
    for part in [
        folder.join("logs"),
        folder.join("cells"),
        own.join("plugins"),
    ] {
        make_folder(&part)?;
    }
    let file = folder.join(format!("{}.toml", note.grid));
    write_file(&file, given.text.as_bytes())?;
    for entry in PluginLibrary::standard().entries() {
        if let Some(name) = entry.path.as_deref().and_then(Path::file_name) {
            write_file(&own.join("plugins").join(name), entry.text.as_bytes())?;
        }
    }
    let table = folders::data().map(|data| data.join("backbones.toml"));
    if let Some(table) = table.filter(|table| table.is_file()) {
        let text = files::read_text(&table, files::TABLE)
            .map_err(|error| Problem::io("read the table of backbones", &table, &error))?;
        write_file(&own.join("backbones.toml"), text.as_bytes())?;
    }
    let text = |path: &Path| path.display().to_string();
    let program = match place.program.as_str() {
        // By default, the nodes have the program of this machine.
        "" => text(&std::env::current_exe().map_err(|error| {
            let said = error.to_string();
            Problem::new(message!("slurm-program-path-unknown", said))
        })?),
        program => program.to_string(),
    };
    let working = std::env::current_dir().map_err(|error| {
        let said = error.to_string();
        Problem::new(message!("slurm-working-folder-unknown", said))
    })?;
    let mut command = vec![
        program,
        "grid".into(),
        text(&file),
        "--out".into(),
        text(root),
    ];
    command.extend(given.options(place));
    let wanted = place.slurm.clone().unwrap_or_default();
    let name = format!("lae-{}", note.grid);
    let script = script_text(&wanted, &name, folder, &working, &command)?;
    let path = folder.join("script.sh");
    write_file(&path, script.as_bytes())?;
    note.save()?;
    Ok(path)
}

/// Submits the cells in as few arrays as the cluster allows, and records each array as soon as it is queued. Returns
/// the job ids.
fn arrays(
    place: &RemoteMachine,
    note: &mut Submission,
    script: &Path,
    at_once: Option<usize>,
) -> Result<Vec<String>> {
    let mut jobs = Vec::new();
    while let Some(first) = note.cells.iter().find(|cell| cell.job.is_empty()) {
        let offset = first.number - first.index;
        let is_own = |cell: &SubmittedCell| cell.number - cell.index == offset;
        let own = note.cells.iter().filter(|cell| is_own(cell));
        let indices: Vec<usize> = own.map(|cell| cell.index).collect();
        let limit = at_once.map_or_else(String::new, |most| format!("%{most}"));
        let array = format!("--array={}{limit}", ranges_text(&indices));
        let (script, offset) = (script.display().to_string(), offset.to_string());
        let words = ["sbatch", "--parsable", &array, &script, &offset];
        let job = commands::submit(place, &words)?;
        for cell in note.cells.iter_mut().filter(|cell| is_own(cell)) {
            cell.job.clone_from(&job);
        }
        note.save()?;
        jobs.push(job);
    }
    Ok(jobs)
}

/// Cancels the queued and running tasks of these cells; returns their number.
///
/// # Errors
/// Returns a Problem if Slurm does not respond.
pub fn cancel(plan: &GridPlan, cells: &[usize], place: &RemoteMachine) -> Result<usize> {
    cancel_queued(place, SlurmTask::by_cell(plan, cells, place)?.values())
}

/// Cancels the waiting tasks of this submission and ends the running ones, which save their state.
///
/// # Errors
/// Returns a Problem if Slurm does not respond.
pub fn cancel_submission(folder: &Path, place: &RemoteMachine) -> Result<()> {
    let submission = Submission::in_folder(folder.to_path_buf());
    let grids = OnCluster::query(submission.as_slice(), place)?;
    cancel_queued(place, grids.iter().flat_map(|grid| &grid.tasks)).map(drop)
}

/// Cancels the queued and running tasks among these; returns their number.
fn cancel_queued<'a>(
    place: &RemoteMachine,
    tasks: impl Iterator<Item = &'a SlurmTask>,
) -> Result<usize> {
    let queued = tasks.filter(|task| task.state.is_queued());
    let queued: BTreeSet<&str> = queued.map(|task| task.id.as_str()).collect();
    let queued = Vec::from_iter(queued);
    commands::cancel(place, &queued)?;
    Ok(queued.len())
}
