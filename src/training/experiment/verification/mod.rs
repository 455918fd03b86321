//! Verification of runs: their files by hashes; their predictions, computed again from the snapshots; and their
//! training, repeated.
//!
//! Numbers are compared bit by bit. On another processor type, or if a GPU is involved, sums are rounded differently:
//! differences up to the limits [`SCORE_TOLERANCE`], [`TENSOR_TOLERANCE`] and [`MAX_CHANGED_SHARE`] count as
//! equal within rounding, and the largest ones are reported.

mod answers;
mod inputs;
mod retraining;

use std::path::Path;

use crate::files::names::to_portable;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Sink};
use crate::store::{self, Machine, Provenance, StoredRun};
use crate::texts::Message;

use super::{ResourceCache, none_if_stopped, preparing_event};
pub use crate::run::check_result::{CheckReport, Difference, Part, Verdict};
use inputs::VerificationInputs;

/// Largest difference of a score due to rounding.
pub const SCORE_TOLERANCE: f32 = 1e-3;
/// Largest difference of a tensor due to rounding during training, relative to its norm.
pub const TENSOR_TOLERANCE: f64 = 1e-2;
/// Largest share of predictions that rounding changes.
pub const MAX_CHANGED_SHARE: f64 = 0.01;

/// Options of a verification.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest<'a> {
    /// The path of its data on this computer; `None` for the one in its settings.
    pub data: Option<&'a str>,
    /// The file of its backbone's weights; `None` for the one in its settings.
    pub weights: Option<&'a str>,
    /// The device; `None` for the one in its settings.
    pub device: Option<&'a str>,
    /// Maximum number of test images that are predicted again after each task.
    pub limit: Option<usize>,
    /// Whether the training is repeated.
    pub train: bool,
    /// Files that differ from the packed run; `None` if it was not packed.
    pub changed: Option<&'a [String]>,
}

/// Verifies the run in `folder`. Returns `None` if the user stopped it.
///
/// # Errors
/// Returns a Problem if the given data or weights cannot be opened, or the device failed. Errors in the run itself
/// are in the report.
pub fn check_run(
    folder: &Path,
    request: &CheckRequest<'_>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<CheckReport>> {
    let checker = Checker {
        folder,
        request,
        cache,
        sink,
        control,
        report: CheckReport { run: store::run_name(folder), ..CheckReport::default() },
    };
    none_if_stopped(checker.run(), control)
}

/// Verifies a run in a folder, or a packed one, which is unpacked to a temporary folder.
///
/// # Errors
/// See [`check_run`]; also returns a Problem if the run cannot be unpacked.
pub fn check_path(
    path: &Path,
    request: &CheckRequest<'_>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<CheckReport>> {
    if !store::is_packed(path) || !path.is_file() {
        return check_run(path, request, cache, sink, control);
    }
    let work = tempfile::tempdir().map_err(|error| {
        Problem::io("create a folder to unpack in", std::env::temp_dir(), &error)
    })?;
    let folder = work.path().join("run");
    let extracted = store::extract(path, &folder)?;
    let named_folder = work.path().join(to_portable(&extracted.run));
    let folder = match std::fs::rename(&folder, &named_folder) {
        Ok(()) => named_folder,
        Err(_) => folder,
    };
    let request = CheckRequest { changed: Some(&extracted.changed), ..request.clone() };
    check_run(&folder, &request, cache, sink, control)
}

/// A verification in progress.
struct Checker<'a> {
    folder: &'a Path,
    request: &'a CheckRequest<'a>,
    cache: &'a ResourceCache,
    sink: &'a mut dyn Sink,
    control: &'a Control,
    report: CheckReport,
}

impl Checker<'_> {
    fn report_progress(&mut self, what: Message) {
        self.sink.event(preparing_event(what));
    }

    fn add_difference(&mut self, difference: Difference) {
        self.report.differences.push(difference);
    }

    /// Adds a difference. If rounding explains it, also adds its size.
    fn add_difference_or_rounding(
        &mut self,
        mut difference: Difference,
        is_rounding: bool,
        size: String,
    ) {
        difference.rounding = is_rounding;
        if is_rounding {
            self.report.rounding.push(size);
        }
        self.add_difference(difference);
    }

    fn run(mut self) -> Result<CheckReport> {
        self.report_progress(message!("doing-checking-files"));
        for name in self.request.changed.unwrap_or_default() {
            let description = format!("{name} differs from the packed file");
            self.add_difference(Difference::new(Part::File, None, description));
        }
        let stored_run = match store::load_run(self.folder) {
            Ok(stored_run) => stored_run,
            Err(problem) => {
                self.add_difference(Difference::new(Part::File, None, problem.what));
                return Ok(self.report);
            }
        };
        let provenance = self.load_provenance();
        self.check_files(&stored_run, &provenance)?;
        let Some(inputs) = VerificationInputs::open(&mut self, &stored_run, &provenance)? else {
            return Ok(self.report);
        };
        let allow_rounding = self.report_machines(&stored_run, &provenance, &inputs);
        answers::recompute_predictions(&mut self, &stored_run, &inputs, allow_rounding)?;
        if self.request.train && inputs.scenario.is_none() {
            let what = "retraining: the data has different classes";
            self.report.unchecked.push(what.into());
        } else if self.request.train {
            retraining::retrain(&mut self, &stored_run, &provenance, &inputs, allow_rounding)?;
        }
        Ok(self.report)
    }

    /// Returns the recorded provenance of the run.
    fn load_provenance(&mut self) -> Provenance {
        match store::load_provenance(self.folder) {
            Ok(Some(provenance)) => provenance,
            Ok(None) => Provenance::default(),
            Err(problem) => {
                self.add_difference(Difference::new(Part::File, None, problem.what));
                Provenance::default()
            }
        }
    }

    /// Checks the run's files by their hashes, and its metrics by its predictions.
    fn check_files(&mut self, stored_run: &StoredRun, provenance: &Provenance) -> Result<()> {
        let verification = store::verify_files(stored_run, provenance.plugin_sha256.as_deref())?;
        if verification.unchanged > 0 {
            let what = format!("{} hashes and metrics of its files", verification.unchanged);
            self.report.equal.push(what);
        }
        self.report.unknown.extend(verification.unknown);
        self.report.differences.extend(verification.differences);
        Ok(())
    }

    /// Returns whether rounding may differ between this machine and those of the run; reports both.
    fn report_machines(
        &mut self,
        stored_run: &StoredRun,
        provenance: &Provenance,
        inputs: &VerificationInputs,
    ) -> bool {
        let this_machine = &inputs.machine;
        let describe = |machine: &Machine| {
            let Machine { processor, simd, device, version, system, threads, .. } = machine;
            let gpu = machine.driver.as_ref();
            let gpu = gpu.map_or_else(String::new, |driver| format!(", {device} ({driver})"));
            format!("{version} on {system}, {processor}, {simd}, {threads} threads{gpu}")
        };
        for machine in &provenance.computed_on {
            let from = match machine.from_task {
                1 => String::new(),
                task => format!(" from task {task}"),
            };
            self.report.machines.push(format!("computed{from} by {}", describe(machine)));
        }
        let recorded = &provenance.computed_on;
        let is_complete = recorded.first().is_some_and(|first| first.from_task == 1);
        if !is_complete {
            let header = &stored_run.header;
            let (version, device) = (&header.version, &header.device);
            self.report.machines.insert(0, format!("computed by {version} on {device}"));
            self.report.unknown.push("the processor's type and instructions".into());
        }
        self.report.machines.push(format!("checked by {}", describe(this_machine)));
        !is_complete || recorded.iter().any(|machine| !machine.computes_same_as(this_machine))
    }

    fn is_running(&self) -> bool {
        self.control.should_continue()
    }
}
