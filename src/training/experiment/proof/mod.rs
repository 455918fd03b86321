//! Whether a run is what it says: its files by their hashes; its answers, computed again from its snapshots; and
//! all of it, trained again.
//!
//! Numbers are compared to the last bit. On another processor type, or if a GPU is involved,
//! sums round otherwise: what stays below the limits here ([`CERTAINTY`], [`TENSOR`], [`OTHERS`]) counts as equal
//! within rounding, and how far it went is said.

mod again;
mod answers;
mod data;
mod material;

use std::path::Path;

use crate::message;
use crate::problem::Result;
use crate::run::event::{Control, Event, Phase, Sink, Wish};
use crate::store::{self, Machine, Provenance, StoredRun, WrongPart};
use crate::texts::Message;

use super::{Stock, unless_stopped};
use crate::files::names::portable;
use crate::problem::Problem;
pub use crate::run::checked::{Difference, Part, Report, Verdict};
use material::Material;

/// Most that rounding moves a score of an answer.
pub const CERTAINTY: f32 = 1e-3;
/// Most that rounding moves a tensor over a training, relative to its length.
pub const TENSOR: f64 = 1e-2;
/// Most answers that rounding changes, as a share.
pub const OTHERS: f64 = 0.01;

/// What a run is checked with.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest<'a> {
    /// The place of its data here; `None` if its settings say.
    pub data: Option<&'a str>,
    /// The file of its backbone's weights; `None` if its settings say.
    pub weights: Option<&'a str>,
    /// On which device; `None` for the one of its settings.
    pub device: Option<&'a str>,
    /// Test images that are predicted again after each task, at most.
    pub limit: Option<usize>,
    /// Whether it is trained again.
    pub train: bool,
    /// Files that are not as they were packed; `None` if it was not packed.
    pub changed: Option<&'a [String]>,
}

/// Checks the run in `folder`. `None` if the user stopped it.
///
/// # Errors
/// Returns a Problem if data or weights that were named cannot be opened, or the device failed. What is wrong with the
/// run itself is in the report.
pub fn check_run(
    folder: &Path,
    asked: &CheckRequest<'_>,
    stock: &Stock,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Report>> {
    let checked = Checker::of(folder, asked, stock, sink, control).run();
    unless_stopped(checked, control)
}

/// Checks a run by its folder, or a packed one, which is unpacked in a temporary folder.
///
/// # Errors
/// As [`check_run`], and when it cannot be unpacked.
pub fn check_place(
    place: &Path,
    asked: &CheckRequest<'_>,
    stock: &Stock,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Report>> {
    if !store::is_packed(place) || !place.is_file() {
        return check_run(place, asked, stock, sink, control);
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
    check_run(&folder, &asked, stock, sink, control)
}

/// A check at work.
struct Checker<'a> {
    folder: &'a Path,
    asked: &'a CheckRequest<'a>,
    stock: &'a Stock,
    sink: &'a mut dyn Sink,
    control: &'a Control,
    report: Report,
}

impl<'a> Checker<'a> {
    fn of(
        folder: &'a Path,
        asked: &'a CheckRequest<'a>,
        stock: &'a Stock,
        sink: &'a mut dyn Sink,
        control: &'a Control,
    ) -> Self {
        let report = Report {
            run: store::run_name(folder),
            ..Report::default()
        };
        Self {
            folder,
            asked,
            stock,
            sink,
            control,
            report,
        }
    }

    fn tell(&mut self, what: Message) {
        self.sink.event(Event::Phase {
            run: String::new(),
            phase: Phase::Preparing(what.into()),
        });
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
        let Some(material) = Material::open(&mut self, &stored, &made_of)? else {
            return Ok(self.report);
        };
        let rounds = self.machines(&stored, &made_of, &material);
        answers::recompute(&mut self, &stored, &material, rounds)?;
        if self.asked.train && material.scenario.is_none() {
            let what = "retraining: the data has different classes";
            self.report.unchecked.push(what.into());
        } else if self.asked.train {
            again::train(&mut self, &stored, &made_of, &material, rounds)?;
        }
        Ok(self.report)
    }

    /// What the run says it was made of.
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

    /// The run's files by their hashes, and its figures by its answers.
    fn files(&mut self, stored: &StoredRun, made_of: &Provenance) -> Result<()> {
        let looked = store::verify(stored, made_of.plugin_sha256.as_deref())?;
        if looked.right > 0 {
            let what = format!("{} hashes and figures of its files", looked.right);
            self.report.equal.push(what);
        }
        self.report.unknown.extend(looked.unknown);
        for wrong in looked.wrong {
            let part = match wrong.part {
                WrongPart::Plugin => Part::Plugin,
                WrongPart::Snapshot => Part::Snapshot,
                WrongPart::Answers => Part::Answer,
                WrongPart::Figure => Part::Figure,
            };
            self.differs(Difference::new(part, wrong.task, wrong.told));
        }
        Ok(())
    }

    /// Whether numbers may round otherwise here than where the run was computed; says both.
    fn machines(&mut self, stored: &StoredRun, made_of: &Provenance, material: &Material) -> bool {
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

    fn goes_on(&self) -> bool {
        self.control.wish() != Wish::Stop
    }
}
