//! Runs a grid on several devices of this machine, with one process per device. Locks and keys prevent them from
//! running the same cell; if a process dies, the others take over its cell.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::super::output::{duration, tell};
use super::super::progress::Notes;
use super::report::title_of;
use super::worker::{STOP, WorkerReport};
use super::{Args, complain_of};
use crate::console;
use crate::counts::{counted, ranges_text};
use crate::experiment::grid::{CellEnd, GridEnd, GridPlan};
use crate::logging;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, ControlRequest, Event, RunProgress};
use crate::store;

/// Interval between two checks whether the user stops it.
const LOOK: Duration = Duration::from_millis(100);
/// Steps of a bar.
const STEPS: u64 = 1000;

/// A worker process.
struct Helper {
    /// Its display name.
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    /// The cell it is running.
    cell: Option<usize>,
    bar: Option<ProgressBar>,
}

/// A message of a worker process with its number; `None` when its output ends.
type WorkerMessage = (usize, Option<WorkerReport>);

/// The combined progress of all worker processes.
struct Merged<'a> {
    plan: &'a GridPlan,
    quiet: bool,
    helpers: Vec<Helper>,
    /// Number of running worker processes.
    alive: usize,
    bars: Option<MultiProgress>,
    cells: usize,
    /// Cells that are finished or failed.
    done: BTreeSet<usize>,
    failed: BTreeMap<usize, Problem>,
    notes: Notes,
    /// Estimated seconds of each remaining cell.
    left: HashMap<usize, f64>,
}

/// Runs these cells on the devices; `words` are the arguments of a worker process except for the device.
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
    let mut helpers = Vec::new();
    for (number, name) in devices.iter().enumerate() {
        let same = devices.iter().filter(|other| *other == name).count();
        let title = match same {
            1 => name.clone(),
            _ => format!(
                "{name} ({})",
                devices[..=number]
                    .iter()
                    .filter(|other| *other == name)
                    .count()
            ),
        };
        helpers.push(start(
            args,
            cells,
            name,
            title,
            number,
            &sender,
            bars.as_ref(),
        )?);
    }
    drop(sender);
    let mut merged = Merged {
        quiet: args.quiet,
        alive: helpers.len(),
        helpers,
        bars,
        cells: cells.len(),
        done: BTreeSet::new(),
        failed: BTreeMap::new(),
        notes: Notes::default(),
        left: cells
            .iter()
            .map(|cell| (*cell, plan.costs(&[*cell]).seconds))
            .collect(),
        plan,
    };
    merged.follow(&receiver, control);
    let failed = merged.close();
    let undone = cells.len() - merged.done.len();
    plan.refresh();
    if control.request() == ControlRequest::Stop {
        return Ok(GridEnd::Stopped(None));
    }
    if undone > failed {
        let log = logging::folder(&store::runs_root(args.out.as_deref()));
        return Err(Problem::new(format!(
            "all worker processes ended before {} could run",
            counted(undone - failed, "run")
        ))
        .at_path(log)
        .advise(
            "run the same command again to continue; see the log in this folder for the cause",
        ));
    }
    Ok(GridEnd::Done { failed })
}

fn start(
    args: &Args,
    cells: &[usize],
    device: &str,
    name: String,
    number: usize,
    sender: &Sender<WorkerMessage>,
    bars: Option<&MultiProgress>,
) -> Result<Helper> {
    let program = std::env::current_exe().map_err(|error| {
        Problem::new(format!(
            "the path of this program could not be determined: {error}"
        ))
    })?;
    let mut sorted: Vec<usize> = cells.iter().map(|cell| cell + 1).collect();
    sorted.sort_unstable();
    let mut command = Command::new(program);
    command
        .arg("grid")
        .args(&args.grid)
        .args(["--worker", "--device", device]);
    command.args(["--cells", &ranges_text(&sorted)]);
    for data in &args.data {
        command.args(["--data", data]);
    }
    if let Some(out) = &args.out {
        command.arg("--out").arg(out);
    }
    let child = console::hide_for(&mut command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child
        .map_err(|error| Problem::new(format!("a worker process could not be started: {error}")))?;
    let output = child.stdout.take();
    let hand = sender.clone();
    let read = move || {
        for line in output
            .into_iter()
            .flat_map(|output| BufReader::new(output).lines())
            .map_while(std::result::Result::ok)
        {
            if let Ok(told) = serde_json::from_str(&line) {
                let _ = hand.send((number, Some(told)));
            }
        }
        let _ = hand.send((number, None));
    };
    let thread = std::thread::Builder::new().name("device".into());
    thread
        .spawn(read)
        .map_err(|error| Problem::no_thread(&error))?;
    let bar = bars.map(|bars| {
        let bar = bars.add(ProgressBar::new(STEPS));
        // The template is a constant, so an error would occur in every run.
        if let Ok(style) =
            ProgressStyle::with_template("{prefix}  {bar:20} {percent:>3} %  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.set_prefix(name.clone());
        bar
    });
    Ok(Helper {
        name,
        input: child.stdin.take(),
        child,
        cell: None,
        bar,
    })
}

impl Merged<'_> {
    /// Follows all worker processes until they have ended.
    fn follow(&mut self, receiver: &Receiver<WorkerMessage>, control: &Control) {
        let mut told = false;
        while self.alive > 0 {
            if control.request() == ControlRequest::Stop && !told {
                told = true;
                for input in self
                    .helpers
                    .iter_mut()
                    .filter_map(|helper| helper.input.as_mut())
                {
                    let _ = input
                        .write_all(STOP.as_bytes())
                        .and_then(|()| input.flush());
                }
            }
            match receiver.recv_timeout(LOOK) {
                Ok((number, Some(what))) => self.handle_report(number, what),
                Ok((number, None)) => self.gone(number, told),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.suspend(|| tell(text)),
            None => tell(text),
        }
    }

    fn handle_report(&mut self, number: usize, told: WorkerReport) {
        match told {
            WorkerReport::Begins { cell, goes_on } => self.begins(number, cell, goes_on),
            WorkerReport::Event(event) if !self.notes.is_new(&event) => {}
            WorkerReport::Event(event) => match *event {
                Event::Progress { progress, .. } => self.progress(number, &progress),
                Event::Remark { problem, .. } => {
                    let text = problem.to_string().replacen("problem:", "note:", 1);
                    self.line(&format!("{}: {text}", self.helpers[number].name));
                }
                _ => {}
            },
            WorkerReport::Ended { cell, end } => self.ended(number, cell, end),
            WorkerReport::Waits => self.message(number, "waiting for the others"),
        }
    }

    fn begins(&mut self, number: usize, cell: usize, goes_on: bool) {
        self.helpers[number].cell = Some(cell);
        if self.quiet {
            return;
        }
        let left = self.left.values().sum::<f64>() / self.alive.max(1) as f64;
        let left = match left > 0.0 {
            true => format!(", about {} left", duration(left)),
            false => String::new(),
        };
        let verb = if goes_on { "resumes" } else { "begins" };
        let name = &self.helpers[number].name;
        let title = title_of(self.plan, cell);
        let (at, of) = (cell + 1, self.cells);
        let ready = self.done.len();
        self.line(&format!(
            "{name}: run {at} {verb}, {ready} of {of} done{left}: {title}"
        ));
    }

    fn progress(&self, number: usize, progress: &RunProgress) {
        let helper = &self.helpers[number];
        if let (Some(bar), Some(cell)) = (&helper.bar, helper.cell) {
            let left = progress.seconds_left;
            let left = left.map_or_else(String::new, |left| format!(", {} left", duration(left)));
            bar.set_position((progress.done * STEPS as f64) as u64);
            bar.set_message(format!(
                "{}: task {}, epoch {}{left}",
                title_of(self.plan, cell),
                progress.task + 1,
                progress.epoch + 1
            ));
        }
    }

    fn message(&self, number: usize, text: &str) {
        if let Some(bar) = &self.helpers[number].bar {
            bar.set_message(text.to_string());
        }
    }

    fn ended(&mut self, number: usize, cell: usize, end: Result<CellEnd>) {
        self.helpers[number].cell = None;
        match end {
            Ok(CellEnd::AlreadyFinished | CellEnd::Finished) => {
                self.left.remove(&cell);
                self.done.insert(cell);
            }
            Err(problem) => {
                self.left.remove(&cell);
                let is_known = self.failed.values().any(|known| known.what == problem.what);
                if self.failed.insert(cell, problem.clone()).is_none() && !is_known {
                    let title = title_of(self.plan, cell);
                    let say = || complain_of(&title, &problem);
                    match &self.bars {
                        Some(bars) => bars.suspend(say),
                        None => say(),
                    }
                }
            }
            Ok(CellEnd::Elsewhere | CellEnd::Stopped(_)) => {}
        }
    }

    /// Handles the end of a worker process.
    fn gone(&mut self, number: usize, stopped: bool) {
        self.alive -= 1;
        let helper = &mut self.helpers[number];
        helper.input = None;
        let status = helper.child.wait().ok();
        if let Some(bar) = &helper.bar {
            bar.finish_and_clear();
        }
        let is_end = |status: ExitStatus| matches!(status.code(), Some(0 | 1 | 130));
        if stopped || status.is_some_and(is_end) {
            return;
        }
        let how = status.map_or_else(|| "unknown cause".to_string(), |status| status.to_string());
        let run = match helper.cell {
            Some(cell) => format!(" during {}", title_of(self.plan, cell)),
            None => String::new(),
        };
        let rest = match self.alive {
            0 => "no other process is left",
            _ => "the others take over its work",
        };
        let text = format!(
            "the process on {} crashed{run} ({how}); {rest}",
            helper.name
        );
        self.line(&text);
    }

    /// Returns the number of cells that could not be run.
    fn close(&mut self) -> usize {
        self.notes.close();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for problem in self.failed.values() {
            *reasons.entry(&problem.what).or_default() += 1;
        }
        for (what, runs) in reasons.into_iter().filter(|(_, runs)| *runs > 1) {
            let more = counted(runs - 1, "more run");
            tell(format!("{more} for the same reason: {what}"));
        }
        let done = &self.done;
        self.failed
            .keys()
            .filter(|cell| !done.contains(cell))
            .count()
    }
}
