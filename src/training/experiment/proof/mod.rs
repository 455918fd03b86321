//! Verification of runs: their files by hashes; their predictions, computed again from the snapshots; and their
//! training, repeated.
//!
//! Numbers are compared bit by bit. On another processor type, or if a GPU is involved, sums are rounded differently:
//! differences up to the limits [`CERTAINTY`], [`TENSOR`] and [`OTHERS`] count as equal within rounding, and the
//! largest ones are reported.

mod answers;
mod material;
mod retraining;

use std::path::Path;

use crate::message;
use crate::problem::Result;
use crate::run::event::{Control, ControlRequest, Sink};
use crate::store::{self, Machine, Provenance, StoredRun};
use crate::texts::Message;

use super::{ResourceCache, none_if_stopped, preparing};
use crate::files::names::portable;
use crate::problem::Problem;
pub use crate::run::check_result::{Difference, Part, Report, Verdict};
use material::ProofInputs;

/// Largest difference of a score due to rounding.
pub const CERTAINTY: f32 = 1e-3;
/// Largest difference of a tensor due to rounding during training, relative to its norm.
pub const TENSOR: f64 = 1e-2;
/// Largest share of predictions that rounding changes.
pub const OTHERS: f64 = 0.01;

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
    asked: &CheckRequest<'_>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Report>> {
    let checker = Checker {
        folder,
        asked,
        cache,
        sink,
        control,
        report: Report {
            run: store::run_name(folder),
            ..Report::default()
        },
    };
    none_if_stopped(checker.run(), control)
}

/// Verifies a run in a folder, or a packed one, which is unpacked to a temporary folder.
///
/// # Errors
/// See [`check_run`]; also returns a Problem if the run cannot be unpacked.
pub fn check_place(
    place: &Path,
    asked: &CheckRequest<'_>,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Report>> {
    if !store::is_packed(place) || !place.is_file() {
        return check_run(place, asked, cache, sink, control);
    }
    let work = tempfile::tempdir().map_err(|error| {
        Problem::io("create a folder to unpack in", std::env::temp_dir(), &error)
    })?;
    let folder = work.path().join("run");
    let extracted = store::extract(place, &folder)?;
    let named = work.path().join(portable(&extracted.run));
    let folder = match std::fs::rename(&folder, &named) {
        Ok(()) => named,
        Err(_) => folder,
    };
    let asked = CheckRequest {
        changed: Some(&extracted.changed),
        ..asked.clone()
    };
    check_run(&folder, &asked, cache, sink, control)
}

/// A verification in progress.
struct Checker<'a> {
    folder: &'a Path,
    asked: &'a CheckRequest<'a>,
    cache: &'a ResourceCache,
    sink: &'a mut dyn Sink,
    control: &'a Control,
    report: Report,
}

impl Checker<'_> {
    fn tell(&mut self, what: Message) {
        self.sink.event(preparing(what));
    }

    fn differs(&mut self, difference: Difference) {
        self.report.differences.push(difference);
    }

    fn run(mut self) -> Result<Report> {
        self.tell(message!("doing-checking-files"));
        for name in self.asked.changed.unwrap_or_default() {
            let told = format!("{name} differs from the packed file");
            self.differs(Difference::new(Part::File, None, told));
        }
        let stored = match store::load(self.folder) {
            Ok(stored) => stored,
            Err(problem) => {
                self.differs(Difference::new(Part::File, None, problem.what));
                return Ok(self.report);
            }
        };
        let made_of = self.made_of();
        self.files(&stored, &made_of)?;
        let Some(material) = ProofInputs::open(&mut self, &stored, &made_of)? else {
            return Ok(self.report);
        };
        let rounds = self.machines(&stored, &made_of, &material);
        answers::recompute(&mut self, &stored, &material, rounds)?;
        if self.asked.train && material.scenario.is_none() {
            let what = "retraining: the data has different classes";
            self.report.unchecked.push(what.into());
        } else if self.asked.train {
            retraining::train(&mut self, &stored, &made_of, &material, rounds)?;
        }
        Ok(self.report)
    }

    /// Returns the recorded provenance of the run.
    fn made_of(&mut self) -> Provenance {
        match store::provenance(self.folder) {
            Ok(Some(made_of)) => made_of,
            Ok(None) => Provenance::default(),
            Err(problem) => {
                self.differs(Difference::new(Part::File, None, problem.what));
                Provenance::default()
            }
        }
    }

    /// Checks the run's files by their hashes, and its metrics by its predictions.
    fn files(&mut self, stored: &StoredRun, made_of: &Provenance) -> Result<()> {
        let looked = store::verify(stored, made_of.plugin_sha256.as_deref())?;
        if looked.right > 0 {
            let what = format!("{} hashes and metrics of its files", looked.right);
            self.report.equal.push(what);
        }
        self.report.unknown.extend(looked.unknown);
        self.report.differences.extend(looked.wrong);
        Ok(())
    }

    /// Returns whether rounding may differ between this machine and those of the run; reports both.
    fn machines(
        &mut self,
        stored: &StoredRun,
        made_of: &Provenance,
        material: &ProofInputs,
    ) -> bool {
        let here = &material.machine;
        let told = |machine: &Machine| {
            let Machine {
                processor,
                simd,
                device,
                version,
                system,
                threads,
                ..
            } = machine;
            let card = machine.driver.as_ref();
            let card = card.map_or_else(String::new, |driver| format!(", {device} ({driver})"));
            format!("{version} on {system}, {processor}, {simd}, {threads} threads{card}")
        };
        for machine in &made_of.computed_on {
            let from = match machine.from_task {
                1 => String::new(),
                task => format!(" from task {task}"),
            };
            self.report
                .machines
                .push(format!("computed{from} by {}", told(machine)));
        }
        let known = &made_of.computed_on;
        let whole = known.first().is_some_and(|first| first.from_task == 1);
        if !whole {
            let header = &stored.header;
            let (version, device) = (&header.version, &header.device);
            self.report
                .machines
                .insert(0, format!("computed by {version} on {device}"));
            self.report
                .unknown
                .push("the processor's type and instructions".into());
        }
        self.report
            .machines
            .push(format!("checked by {}", told(here)));
        !whole || known.iter().any(|machine| !machine.computes_as(here))
    }

    fn is_running(&self) -> bool {
        self.control.request() != ControlRequest::Stop
    }
}
