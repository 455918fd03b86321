//! Several devices of this machine that share a grid, with one process per device. Locks and keys prevent them from
//! running the same cell; if a process dies, the others take over its cell.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, IsTerminal, Write, stdin};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar};
use serde::{Deserialize, Serialize};

use super::super::output::{format_duration, print_message};
use super::super::progress::{Notes, STEPS, create_bar};
use super::progress::{Failures, remaining_time_text};
use super::report::cell_title;
use super::{Args, print_cell_problem};
use crate::console;
use crate::counts::{count_with_noun, format_ranges};
use crate::device::{self, DeviceInfo};
use crate::experiment::grid::{GridEnd, GridPlan, GridSink, Pace};
use crate::logging;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, ControlRequest, Event, RunProgress, Sink};
use crate::run::grid::CellState;
use crate::store;

/// Interval between two checks whether the user stops it.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The word for all hardware GPUs.
const ALL_GPUS: &str = "all-gpus";

/// A worker process.
struct WorkerProcess {
    /// Its display name.
    name: String,
    child: Child,
    /// The cell it is running.
    cell: Option<usize>,
    bar: Option<ProgressBar>,
}

/// A message of a worker process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WorkerReport {
    /// A cell's run begins or resumes.
    Begins { cell: usize, resumes: bool },
    /// What its run reports: progress and remarks.
    Event(Box<Event>),
    /// The work on a cell ended.
    Ended { cell: usize, standing: CellState },
    /// It waits for other processes.
    Waits,
}

/// A message of a worker process with its number; `None` when its output ends.
type WorkerMessage = (usize, Option<WorkerReport>);

/// The combined progress of all worker processes.
struct WorkerPool<'a> {
    plan: &'a GridPlan,
    quiet: bool,
    workers: Vec<WorkerProcess>,
    /// Number of running worker processes.
    running: usize,
    bars: Option<MultiProgress>,
    cells: usize,
    /// Cells that are finished or failed.
    done: BTreeSet<usize>,
    failures: Failures,
    notes: Notes,
    /// Estimated seconds of the remaining cells; real times are not measured, because cells overlap.
    pace: Pace,
}

/// Returns the devices that `--device` names, if it names several: a list with commas, or all GPUs.
///
/// # Errors
/// Returns a Problem if there is no GPU, or a device does not exist.
pub(super) fn select_devices(selector: Option<&str>) -> Result<Option<Vec<String>>> {
    let Some(selector) = selector else {
        return Ok(None);
    };
    if selector.trim() == ALL_GPUS {
        let gpus = device::list().iter().filter(|info| info.kind.is_hardware_gpu());
        let mut gpus: Vec<&DeviceInfo> = gpus.collect();
        // A GPU can appear under several graphics interfaces; the best one is listed first.
        let api = gpus.first().map(|info| info.api);
        gpus.retain(|info| Some(info.api) == api);
        let names: Vec<String> = gpus.iter().map(|info| info.index.to_string()).collect();
        if names.is_empty() {
            return Err(Problem::new("this machine has no hardware GPU")
                .at("--device")
                .advise("run `lae-studio devices` to see all devices, or use --device cpu"));
        }
        return Ok(Some(names));
    }
    let names: Vec<String> = selector.split(',').map(|name| name.trim().to_string()).collect();
    if names.len() < 2 {
        return Ok(None);
    }
    names.iter().try_for_each(|name| device::choose(name).map(drop))?;
    Ok(Some(names))
}

/// Checks that all devices produce the same runs.
///
/// # Errors
/// Returns a Problem if the keys differ.
pub(super) fn check_same_runs(plans: &[(String, GridPlan)]) -> Result<()> {
    let Some(((first, plan), others)) = plans.split_first() else {
        return Ok(());
    };
    for (name, other) in others {
        if (0..plan.cells.cells.len()).any(|cell| plan.key(cell) != other.key(cell)) {
            let what = format!(
                "{first} and {name} would not compute the same runs: they store weights in different number formats"
            );
            return Err(Problem::new(what)
                .at("--device")
                .advise("set precision = \"f32\" in the grid, or give devices of the same kind"));
        }
    }
    Ok(())
}

/// Runs these cells on the devices.
///
/// # Errors
/// Returns a Problem if this program cannot be started again, or all worker processes died.
pub(super) fn run(
    args: &Args,
    plan: &mut GridPlan,
    cells: &[usize],
    devices: &[String],
    control: &Control,
) -> Result<GridEnd> {
    let (sender, receiver) = channel();
    let bars = (!args.quiet && std::io::stderr().is_terminal()).then(MultiProgress::new);
    let mut workers = Vec::new();
    for (number, name) in devices.iter().enumerate() {
        let count_same = |end: usize| devices[..end].iter().filter(|other| *other == name).count();
        let title = match count_same(devices.len()) {
            1 => name.clone(),
            _ => format!("{name} ({})", count_same(number + 1)),
        };
        let child = spawn_worker(args, cells, name, number, &sender)?;
        let bar = bars.as_ref().map(|bars| {
            let bar = bars.add(create_bar("{prefix}  {bar:20} {percent:>3} %  {wide_msg}"));
            bar.set_prefix(title.clone());
            bar
        });
        workers.push(WorkerProcess { name: title, child, cell: None, bar });
    }
    drop(sender);
    let mut pool = WorkerPool {
        quiet: args.quiet,
        running: workers.len(),
        workers,
        bars,
        cells: cells.len(),
        done: BTreeSet::new(),
        failures: Failures::default(),
        notes: Notes::default(),
        pace: Pace::new(plan, cells),
        plan,
    };
    pool.follow(&receiver, control);
    let failed = pool.finish();
    let undone = cells.len() - pool.done.len();
    plan.refresh();
    if !control.should_continue() {
        return Ok(GridEnd::Stopped { saved: false });
    }
    if undone > failed {
        let log = logging::folder(&store::runs_root(args.out.as_deref()));
        return Err(Problem::new(format!(
            "all worker processes ended before {} could run",
            count_with_noun(undone - failed, "run")
        ))
        .at_path(log)
        .advise(
            "run the same command again to continue; see the log in this folder for the cause",
        ));
    }
    Ok(GridEnd::Done { failed })
}

/// Starts a worker process, and a thread that passes on its messages with its number.
fn spawn_worker(
    args: &Args,
    cells: &[usize],
    device: &str,
    number: usize,
    sender: &Sender<WorkerMessage>,
) -> Result<Child> {
    let program = std::env::current_exe().map_err(|error| {
        Problem::new(format!("the path of this program could not be determined: {error}"))
    })?;
    let mut sorted: Vec<usize> = cells.iter().map(|cell| cell + 1).collect();
    sorted.sort_unstable();
    let mut command = Command::new(program);
    command.arg("grid").args(&args.grid).args(["--worker", "--device", device]);
    command.args(["--cells", &format_ranges(&sorted)]);
    for data in &args.data {
        command.args(["--data", data]);
    }
    if let Some(out) = &args.out {
        command.arg("--out").arg(out);
    }
    let child =
        console::hide_for(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child
        .map_err(|error| Problem::new(format!("a worker process could not be started: {error}")))?;
    let output = child.stdout.take();
    let thread_sender = sender.clone();
    let read = move || {
        for line in output
            .into_iter()
            .flat_map(|output| BufReader::new(output).lines())
            .map_while(std::result::Result::ok)
        {
            if let Ok(report) = serde_json::from_str(&line) {
                let _ = thread_sender.send((number, Some(report)));
            }
        }
        let _ = thread_sender.send((number, None));
    };
    let thread = std::thread::Builder::new().name("device".into());
    thread.spawn(read).map_err(|error| Problem::thread_not_started(&error))?;
    Ok(child)
}

impl WorkerPool<'_> {
    /// Follows all worker processes until they have ended.
    fn follow(&mut self, receiver: &Receiver<WorkerMessage>, control: &Control) {
        while self.running > 0 {
            let stopped = !control.should_continue();
            if stopped {
                // A worker process saves its run and ends when its input is closed.
                for worker in &mut self.workers {
                    worker.child.stdin = None;
                }
            }
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok((number, Some(report))) => self.handle_report(number, report),
                Ok((number, None)) => self.handle_exit(number, stopped),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    /// Prints lines above the bars.
    fn print(&self, print: impl FnOnce()) {
        match &self.bars {
            Some(bars) => bars.suspend(print),
            None => print(),
        }
    }

    fn print_line(&self, text: &str) {
        self.print(|| print_message(text));
    }

    fn handle_report(&mut self, number: usize, report: WorkerReport) {
        match report {
            WorkerReport::Begins { cell, resumes } => self.handle_begin(number, cell, resumes),
            WorkerReport::Event(event) if !self.notes.is_new(&event) => {}
            WorkerReport::Event(event) => match *event {
                Event::Progress { progress, .. } => self.show_progress(number, &progress),
                Event::Remark { problem, .. } => {
                    let text = problem.to_string().replacen("problem:", "note:", 1);
                    self.print_line(&format!("{}: {text}", self.workers[number].name));
                }
                _ => {}
            },
            WorkerReport::Ended { cell, standing } => self.handle_end(number, cell, standing),
            WorkerReport::Waits => {
                if let Some(bar) = &self.workers[number].bar {
                    bar.set_message("waiting for the others");
                }
            }
        }
    }

    fn handle_begin(&mut self, number: usize, cell: usize, resumes: bool) {
        self.workers[number].cell = Some(cell);
        if self.quiet {
            return;
        }
        let left = self.pace.seconds_left() / self.running.max(1) as f64;
        let left = remaining_time_text(left);
        let verb = if resumes { "resumes" } else { "begins" };
        let name = &self.workers[number].name;
        let title = cell_title(self.plan, cell);
        let (at, of) = (cell + 1, self.cells);
        let ready = self.done.len();
        self.print_line(&format!("{name}: run {at} {verb}, {ready} of {of} done{left}: {title}"));
    }

    fn show_progress(&self, number: usize, progress: &RunProgress) {
        let worker = &self.workers[number];
        if let (Some(bar), Some(cell)) = (&worker.bar, worker.cell) {
            let left = progress.seconds_left;
            let left =
                left.map_or_else(String::new, |left| format!(", {} left", format_duration(left)));
            bar.set_position((progress.done * STEPS as f64) as u64);
            bar.set_message(format!(
                "{}: task {}, epoch {}{left}",
                cell_title(self.plan, cell),
                progress.task + 1,
                progress.epoch + 1
            ));
        }
    }

    fn handle_end(&mut self, number: usize, cell: usize, standing: CellState) {
        self.workers[number].cell = None;
        self.pace.record(cell, &standing);
        match standing {
            CellState::Done(_) => {
                self.done.insert(cell);
            }
            CellState::Refused(problem) if self.failures.add(cell, &problem) => {
                self.print(|| print_cell_problem(&cell_title(self.plan, cell), &problem));
            }
            _ => {}
        }
    }

    /// Handles the end of a worker process.
    fn handle_exit(&mut self, number: usize, stopped: bool) {
        self.running -= 1;
        let worker = &mut self.workers[number];
        let status = worker.child.wait().ok();
        if let Some(bar) = &worker.bar {
            bar.finish_and_clear();
        }
        let is_expected_exit = |status: ExitStatus| matches!(status.code(), Some(0 | 1 | 130));
        if stopped || status.is_some_and(is_expected_exit) {
            return;
        }
        let how = status.map_or_else(|| "unknown cause".to_string(), |status| status.to_string());
        let run = match worker.cell {
            Some(cell) => format!(" during {}", cell_title(self.plan, cell)),
            None => String::new(),
        };
        let consequence = match self.running {
            0 => "no other process is left",
            _ => "the others take over its work",
        };
        let text = format!("the process on {} crashed{run} ({how}); {consequence}", worker.name);
        self.print_line(&text);
    }

    /// Returns the number of cells that could not be run.
    fn finish(&mut self) -> usize {
        self.notes.report_repeats();
        self.failures.report_repeats();
        let failed = self.failures.cells();
        failed.filter(|cell| !self.done.contains(cell)).count()
    }
}

/// Runs a grid for another process, which reads its messages on standard output: one line of JSON each. It saves its run
/// and ends when the other process closes its input or has ended.
pub(super) struct Worker;

impl Worker {
    /// Starts to listen for the end of the input.
    ///
    /// # Errors
    /// Returns a Problem if no thread can be started.
    pub fn new(control: &Control) -> Result<Self> {
        let listener_control = control.clone();
        let listen = move || {
            let _ = stdin().lock().read_line(&mut String::new());
            listener_control.set(ControlRequest::Stop);
        };
        let thread = std::thread::Builder::new().name("listener".into());
        let thread = thread.spawn(listen);
        thread.map_err(|error| Problem::thread_not_started(&error))?;
        Ok(Self)
    }

    fn send(report: &WorkerReport) {
        if let Ok(mut line) = serde_json::to_vec(report) {
            line.push(b'\n');
            let mut stdout = std::io::stdout().lock();
            // An output that nobody reads is not an error; the listener notices the end of the other process.
            let _ = stdout.write_all(&line).and_then(|()| stdout.flush());
        }
    }
}

impl Sink for Worker {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Progress { .. } | Event::Remark { .. }) {
            Self::send(&WorkerReport::Event(Box::new(event)));
        }
    }
}

impl GridSink for Worker {
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, standing: &CellState) {
        let resumes = plan.run_for(cell).is_some();
        Self::send(&match standing.clone() {
            CellState::AtWork => WorkerReport::Begins { cell, resumes },
            standing => WorkerReport::Ended { cell, standing },
        });
    }

    fn report_waiting(&mut self, _: usize) {
        Self::send(&WorkerReport::Waits);
    }
}
