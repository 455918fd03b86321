//! Submits the missing runs of a grid, and records each submission in a folder beside the runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commands;
use super::script::script_text;
use super::status::{
    ClusterGrid, SUBMISSIONS_FOLDER, SlurmTask, Submission, SubmittedCell, TaskState, VERSION,
};
use crate::counts::format_ranges;
use crate::experiment::grid::GridPlan;
use crate::files;
use crate::folders;
use crate::message;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::grid::CellState;
use crate::run::remote_machines::RemoteMachine;
use crate::store::write_file;
use crate::texts::Message;

/// Maximum time to wait for another program that is submitting.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// Default limit of array indices on clusters; more cells are split into several arrays.
const MAX_ARRAY_INDEX: usize = 1000;

fn create_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .map_err(|error| Problem::io("create the folder of the submission", folder, &error))
}

/// What a user specifies in addition to the grid and the machine.
#[derive(Default)]
pub struct SubmitOptions<'a> {
    /// The text of the grid's file.
    pub text: &'a str,
    /// The device of its runs; `None` for the device of the place.
    pub device: Option<&'a str>,
    /// Paths of datasets as `NAME=PATH`; they take precedence over those of the place.
    pub data: &'a [String],
    /// Maximum number of tasks that run at the same time.
    pub max_parallel_tasks: Option<usize>,
}

impl SubmitOptions<'_> {
    /// Returns the options of each task besides the grid and the number of its run: its device and the paths of
    /// datasets.
    fn options(&self, machine: &RemoteMachine) -> Vec<String> {
        let device = self.device.or(machine.device.as_deref());
        let device = device.map(|device| ["--device".to_string(), device.to_string()]);
        let machine_data = machine.data.iter();
        let machine_data = machine_data.map(|(name, path)| format!("{name}={path}"));
        let data = self.data.iter().cloned().chain(machine_data);
        let data = data.map(|data| ["--data".to_string(), data]);
        device.into_iter().chain(data).flatten().collect()
    }
}

/// Submits the cells that are neither finished nor queued, and returns a description of the submission. Downloads
/// missing weights first; `report_progress` gets the progress and returns false to stop.
///
/// # Errors
/// Returns a Problem if weights are not available, the folder of runs cannot be written, or Slurm rejects the job.
pub fn submit(
    plan: &mut GridPlan,
    cells: &[usize],
    machine: &RemoteMachine,
    options: &SubmitOptions<'_>,
    report_progress: &mut dyn FnMut(Message) -> bool,
) -> Result<Message> {
    plan.determine_keys(cells, report_progress)?;
    let plan = &*plan;
    let folder = plan.root.join(SUBMISSIONS_FOLDER);
    create_folder(&folder)?;
    let root = dunce::canonicalize(&plan.root)
        .map_err(|error| Problem::io("find the folder of runs", &plan.root, &error))?;
    let lock = folder.join("lock");
    let guard = files::lock_program_file(&lock, LOCK_TIMEOUT)
        .map_err(|error| Problem::io("lock the submissions", &lock, &error))?;
    let Some(_guard) = guard else {
        return Err(Problem::new(message!("slurm-another-submits"))
            .at_path(&root)
            .advise(message!("slurm-another-submits-advice")));
    };
    let tasks = SlurmTask::by_cell(plan, cells, machine)?;
    let is_queued = |cell: &&usize| tasks.get(*cell).is_some_and(|task| task.state.is_queued());
    let needs_run = |cell: &&usize| {
        let state = plan.state(**cell);
        let is_done = tasks.get(cell).is_some_and(|task| task.state == TaskState::Done);
        matches!(state, CellState::ToDo | CellState::Stopped { .. }) && !is_queued(cell) && !is_done
    };
    let mut missing: Vec<usize> = cells.iter().filter(needs_run).copied().collect();
    missing.sort_unstable();
    if missing.is_empty() {
        return Ok(message!("slurm-nothing-to-submit"));
    }
    let grid = plan.cells.grid.name.clone();
    let timestamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S%.3f").to_string();
    let new_cells = missing.iter().map(|cell| SubmittedCell {
        number: cell + 1,
        settings: plan.settings_key(*cell),
        job: String::new(),
        index: cell % MAX_ARRAY_INDEX + 1,
    });
    let mut submission = Submission {
        version: VERSION,
        place: machine.name.clone(),
        over: false,
        cells: new_cells.collect(),
        folder: root.join(SUBMISSIONS_FOLDER).join(format!("{timestamp}-{grid}")),
        grid,
    };
    let jobs = prepare_folder(&submission, &root, machine, options).and_then(|script| {
        submit_arrays(machine, &mut submission, &script, options.max_parallel_tasks)
    });
    if jobs.is_err() && submission.submitted_cells().next().is_none() {
        let _ = fs::remove_dir_all(&submission.folder);
    }
    let told = message!(
        "slurm-submitted",
        runs = message!("count-runs", n = submission.cells.len()),
        jobs = jobs?.join(", "),
        folder = submission.folder.display().to_string()
    );
    Ok(match cells.iter().filter(is_queued).count() {
        0 => told,
        queued => message!("slurm-submitted-and-queued", told, n = queued),
    })
}

/// Writes everything that a task needs, in its current state, into the folder of the submission. Returns the path of
/// the script.
fn prepare_folder(
    submission: &Submission,
    root: &Path,
    machine: &RemoteMachine,
    options: &SubmitOptions<'_>,
) -> Result<PathBuf> {
    let folder = &submission.folder;
    let data_folder = folder.join("data").join("lae-studio");
    for part in [folder.join("logs"), folder.join("cells"), data_folder.join("plugins")] {
        create_folder(&part)?;
    }
    let file = folder.join(format!("{}.toml", submission.grid));
    write_file(&file, options.text.as_bytes())?;
    for entry in PluginLibrary::standard().entries() {
        if let Some(name) = entry.path.as_deref().and_then(Path::file_name) {
            write_file(&data_folder.join("plugins").join(name), entry.text.as_bytes())?;
        }
    }
    let table = folders::data().map(|data| data.join("backbones.toml"));
    if let Some(table) = table.filter(|table| table.is_file()) {
        let text = files::read_text(&table, files::TABLE)
            .map_err(|error| Problem::io("read the table of backbones", &table, &error))?;
        write_file(&data_folder.join("backbones.toml"), text.as_bytes())?;
    }
    let text = |path: &Path| path.display().to_string();
    let program = match machine.program.as_str() {
        // By default, the nodes have the program of this machine.
        "" => text(&std::env::current_exe().map_err(|error| {
            let said = error.to_string();
            Problem::new(message!("slurm-program-path-unknown", said))
        })?),
        program => program.to_string(),
    };
    let working_folder = std::env::current_dir().map_err(|error| {
        let said = error.to_string();
        Problem::new(message!("slurm-working-folder-unknown", said))
    })?;
    let mut command = vec![program, "grid".into(), text(&file), "--out".into(), text(root)];
    command.extend(options.options(machine));
    let slurm = machine.slurm.clone().unwrap_or_default();
    let name = format!("lae-{}", submission.grid);
    let script = script_text(&slurm, &name, folder, &working_folder, &command)?;
    let path = folder.join("script.sh");
    write_file(&path, script.as_bytes())?;
    submission.save()?;
    Ok(path)
}

/// Submits the cells in as few arrays as the cluster allows, and records each array as soon as it is queued. Returns
/// the job ids.
fn submit_arrays(
    machine: &RemoteMachine,
    submission: &mut Submission,
    script: &Path,
    max_parallel_tasks: Option<usize>,
) -> Result<Vec<String>> {
    let mut jobs = Vec::new();
    while let Some(first) = submission.cells.iter().find(|cell| cell.job.is_empty()) {
        let offset = first.number - first.index;
        let is_in_array = |cell: &SubmittedCell| cell.number - cell.index == offset;
        let array_cells = submission.cells.iter().filter(|cell| is_in_array(cell));
        let indices: Vec<usize> = array_cells.map(|cell| cell.index).collect();
        let limit = max_parallel_tasks.map_or_else(String::new, |max| format!("%{max}"));
        let array = format!("--array={}{limit}", format_ranges(&indices));
        let (script, offset) = (script.display().to_string(), offset.to_string());
        let arguments = ["sbatch", "--parsable", &array, &script, &offset];
        let job = commands::submit_array(machine, &arguments)?;
        for cell in submission.cells.iter_mut().filter(|cell| is_in_array(cell)) {
            cell.job.clone_from(&job);
        }
        submission.save()?;
        jobs.push(job);
    }
    Ok(jobs)
}

/// Cancels the queued and running tasks of these cells; returns their number.
///
/// # Errors
/// Returns a Problem if Slurm does not respond.
pub fn cancel_cells(plan: &GridPlan, cells: &[usize], machine: &RemoteMachine) -> Result<usize> {
    cancel_queued(machine, SlurmTask::by_cell(plan, cells, machine)?.values())
}

/// Cancels the waiting tasks of this submission and ends the running ones, which save their state.
///
/// # Errors
/// Returns a Problem if Slurm does not respond.
pub fn cancel_submission(folder: &Path, machine: &RemoteMachine) -> Result<()> {
    let submission = Submission::load(folder.to_path_buf());
    let grids = ClusterGrid::query(submission.as_slice(), machine)?;
    cancel_queued(machine, grids.iter().flat_map(|grid| &grid.tasks)).map(drop)
}

/// Cancels the queued and running tasks among these; returns their number.
fn cancel_queued<'a>(
    machine: &RemoteMachine,
    tasks: impl Iterator<Item = &'a SlurmTask>,
) -> Result<usize> {
    let queued = tasks.filter(|task| task.state.is_queued());
    let queued: BTreeSet<&str> = queued.map(|task| task.id.as_str()).collect();
    let queued = Vec::from_iter(queued);
    commands::cancel_tasks(machine, &queued)?;
    Ok(queued.len())
}
