//! Exports to one file or folder: datasets, collected images, tables and reports of runs, figures, models, and packed
//! runs, which are also unpacked here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::chooser::{DataExportKind, DialogPurpose, FigureKind};
use super::progress::Progress;
use super::sources::DataExport;
use super::{Session, Sources};
use crate::data::export::{Form, Packed};
use crate::experiment::{ResourceCache, sample_pictures};
use crate::export::{self, export};
use crate::problem::{Problem, Result, listed};
use crate::store::export::Format;
use crate::store::figure::{Figure, FigureContent, FigureOfRuns, Pixels};
use crate::store::{self, PACKED_ENDING, RunSummary, Unpacked, write_file};
use crate::tr;

/// How long the program waits at exit for exports to clean up. Exports check for a stop after each image.
const PATIENCE: Duration = Duration::from_secs(5);

/// A model to export: the run after a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelToExport {
    /// The run's folder.
    pub run: PathBuf,
    /// The task, from 0; `None` for the last task.
    pub task: Option<usize>,
}

/// State of the exports.
#[derive(Default)]
pub(super) struct Exports {
    /// The runs whose table, figure or report the open dialog will save.
    results: Vec<PathBuf>,
    /// The run that the open dialog will pack.
    packed: PathBuf,
    /// The run whose model the open dialog will export.
    model: ModelToExport,
    /// The figure that the open dialog will save.
    figure: Option<Figure>,
    /// The image that the window must copy to the clipboard.
    to_copy: Option<Pixels>,
    /// The files that helper threads are writing, each with a handle that stops it.
    in_progress: Vec<Arc<Progress>>,
}

impl Exports {
    /// Returns whether an export is in progress.
    pub fn is_exporting(&self) -> bool {
        self.in_progress.iter().any(is_under_way)
    }
}

/// Returns whether the helper thread is still running: it has the other reference.
fn is_under_way(export: &Arc<Progress>) -> bool {
    Arc::strong_count(export) > 1
}

impl Session {
    /// Starts an export that can be stopped; `take` receives its result. Errors are reported.
    fn export<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&dyn Sources, &Progress) -> Result<T> + Send + 'static,
        take: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        let progress = Arc::new(Progress::default());
        self.exports.in_progress.push(progress.clone());
        self.task(
            move |sources| work(sources, &progress),
            |session, done| {
                session.exports.in_progress.retain(is_under_way);
                match done {
                    Ok(done) => take(session, done),
                    Err(problem) => session.notify(problem, true),
                }
            },
        );
    }

    /// Stops the exports in progress and lets them remove their partial files.
    pub(super) fn end_exports(&mut self) {
        for export in &self.exports.in_progress {
            export.stop();
        }
        let end = Instant::now() + PATIENCE;
        while self.exports.is_exporting() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Writes the dataset or the collected images to this path. The extension of the format is appended if it is
    /// missing.
    pub fn export_data(&mut self, kind: DataExportKind, form: Form, mut path: PathBuf) {
        if Form::of(&path).is_err() {
            path.add_extension(form.ending());
        }
        let export = match kind {
            DataExportKind::Data => DataExport::Data(self.draft_data(false)),
            DataExportKind::Collection => DataExport::Collection(Box::new(self.collection.clone())),
        };
        let to = path.clone();
        self.export(
            move |sources, progress| sources.export_data(&export, &to, progress),
            move |session, done| session.notify(exported(&done).at_path(&path), false),
        );
    }

    /// Opens the dialog that asks where to save a table, figure or report of these runs.
    pub fn pick_results(&mut self, runs: Vec<PathBuf>, format: Format) {
        self.exports.results = runs;
        // The number distinguishes this dialog from an abandoned one for other runs.
        let number = self.next_ticket();
        self.pick(DialogPurpose::Results(format, number));
    }

    /// Writes a table, figure or report of the dialog's runs to this path. The extension of the format is appended if
    /// it is missing. A report is then opened in the browser.
    pub fn export_results(&mut self, format: Format, to: PathBuf) {
        let to = format.ended(to);
        let runs = std::mem::take(&mut self.exports.results);
        let with_permission = |folder: PathBuf| {
            let header = self.header_of(&folder);
            let may_open = header.is_some_and(|header| !self.asks_before_opening(&header.config));
            (folder, may_open)
        };
        let runs: Vec<(PathBuf, bool)> = runs.into_iter().map(with_permission).collect();
        let path = to.clone();
        self.export(
            move |_, progress| write_results(&runs, format, &to, progress),
            move |session, left_out| session.notify_exported_results(format, path, left_out),
        );
    }

    /// Reports that the file was written, and the number of runs that could not be read.
    fn notify_exported_results(&mut self, format: Format, path: PathBuf, left_out: usize) {
        let mut told = Problem::new(match format {
            Format::Html => tr!("story-report-saved"),
            Format::Svg | Format::Pdf | Format::Png => tr!("story-figure-saved"),
            _ => tr!("story-table-saved"),
        });
        if left_out > 0 {
            told = told.advise(tr!("story-runs-left-out", n = left_out));
        }
        self.notify(told.at_path(&path), false);
        if format == Format::Html {
            self.task_or_notify(move |sources| sources.disk().show_page(&path), |_, ()| {});
        }
    }

    /// Draws a figure for the clipboard.
    pub fn copy_figure(&mut self, figure: Figure) {
        self.task_or_notify(
            move |_| figure.pixels(),
            |session, pixels| session.exports.to_copy = Some(pixels),
        );
    }

    /// Returns the image drawn for the clipboard since the last call, once.
    pub fn take_copy(&mut self) -> Option<Pixels> {
        self.exports.to_copy.take()
    }

    /// Opens the dialog that asks where to save a figure.
    pub fn pick_figure(&mut self, figure: Figure, format: Format) {
        let kind = match figure.content {
            FigureContent::Page(_) => FigureKind::Summary,
            _ => FigureKind::Figure,
        };
        self.exports.figure = Some(figure);
        let number = self.next_ticket();
        self.pick(DialogPurpose::Figure(kind, format, number));
    }

    /// Saves the figure of the dialog to this path. The extension of the format is appended if it is missing.
    pub fn save_figure(&mut self, format: Format, path: PathBuf) {
        let Some(figure) = self.exports.figure.take() else {
            return;
        };
        let to = format.ended(path);
        self.task_or_notify(
            move |_| {
                let bytes = match format {
                    Format::Png => figure.png()?,
                    Format::Pdf => figure.pdf()?,
                    _ => figure.svg().into_bytes(),
                };
                write_file(&to, &bytes)?;
                Ok(to)
            },
            |session, to| {
                let told = Problem::new(tr!("story-figure-saved"));
                session.notify(told.at_path(&to), false);
            },
        );
    }

    /// Opens the dialog that asks for the folder in which the model's folder is created.
    pub fn pick_model(&mut self, taken: ModelToExport, format: export::Format) {
        self.exports.model = taken;
        let number = self.next_ticket();
        self.pick(DialogPurpose::Model(format, number));
    }

    /// Exports the model of the dialog into a new subfolder of this folder.
    pub fn export_model(&mut self, format: export::Format, into: &Path) {
        let ModelToExport { run, task } = std::mem::take(&mut self.exports.model);
        let to = into.join(format!("{}-{}", store::run_name(&run), format.key()));
        self.task_or_notify(
            move |_| {
                let saved = store::summarize(&run)?.saved();
                let newest = saved
                    .checked_sub(1)
                    .ok_or_else(|| Problem::new(tr!("story-no-finished-task")).at_path(&run))?;
                // Exports on the CPU, because only the engine's thread may use a GPU.
                export(&run, task.unwrap_or(newest), format, &to, false)
            },
            |session, exported| {
                let told = Problem::new(tr!("story-model-exported"));
                let told = told.at_path(&exported.folder);
                session.notify(told.advise(tr!("story-model-exported-advice")), false);
            },
        );
    }

    /// Opens the dialog that asks where to pack a run.
    pub fn pick_pack(&mut self, run: PathBuf) {
        self.exports.packed = run;
        let number = self.next_ticket();
        self.pick(DialogPurpose::Pack(number));
    }

    /// Returns the default name of the packed file.
    pub(super) fn pack_name(&self) -> String {
        format!("{}{PACKED_ENDING}", store::run_name(&self.exports.packed))
    }

    /// Packs the run of the dialog into this file.
    pub fn pack(&mut self, to: &Path) {
        let run = std::mem::take(&mut self.exports.packed);
        let name = to.display().to_string();
        let name = name.strip_suffix(".zip").unwrap_or(&name);
        let name = name.strip_suffix(".laerun").unwrap_or(name);
        let to = PathBuf::from(format!("{name}{PACKED_ENDING}"));
        self.task_or_notify(
            move |_| Ok((store::pack(&run, &to)?, to)),
            |session, (packed, to)| {
                let told = Problem::new(tr!("story-run-packed")).at_path(&to);
                let told = match packed.left_pictures {
                    true => told.advise(tr!("story-run-packed-advice")),
                    false => told,
                };
                session.notify(told, false);
            },
        );
    }

    /// Unpacks packed runs into the default folder, one after the other, so that each finds the runs unpacked before
    /// it.
    pub fn unpack_runs(&mut self, files: Vec<PathBuf>) {
        self.task_or_notify(
            move |sources| {
                let root = &sources.disk().runs_root;
                let unpacked = files.iter().map(|file| store::unpack(file, root));
                Ok(unpacked.collect::<Vec<_>>())
            },
            |session, unpacked| {
                for one in unpacked {
                    match one {
                        Ok(unpacked) => session.notify(unpacked_run(&unpacked), false),
                        Err(problem) => session.notify(problem, true),
                    }
                }
                session.list_runs();
            },
        );
    }
}

/// Writes a table, figure or report of runs to one file. A report shows images of those runs whose dataset may be
/// opened. Returns the number of runs that could not be read.
fn write_results(
    runs: &[(PathBuf, bool)],
    format: Format,
    to: &Path,
    progress: &Progress,
) -> Result<usize> {
    let entries = runs.iter().map(|(folder, _)| store::entry(folder));
    let read: Vec<RunSummary> = entries.filter_map(|entry| entry.summary.ok()).collect();
    let may_open = runs.iter().filter(|(_, may_open)| *may_open);
    let may_open: HashSet<&Path> = may_open.map(|(folder, _)| folder.as_path()).collect();
    let cache = ResourceCache::default();
    let go_on = || !progress.is_stopped();
    let pictures = |run: &RunSummary| match may_open.contains(run.header.folder.as_path()) {
        true => sample_pictures(&cache, run, &go_on),
        false => Vec::new(),
    };
    let bytes = store::export::export(&read, (format, FigureOfRuns::default()), &pictures)?;
    if progress.is_stopped() {
        return Err(Problem::new(tr!("notices-export-stopped")));
    }
    write_file(to, &bytes)?;
    Ok(runs.len() - read.len())
}

/// Reports an exported dataset.
fn exported(done: &Packed) -> Problem {
    let told = Problem::new(tr!(
        "notices-exported",
        pictures = tr!("count-images", n = done.pictures),
        classes = tr!("count-classes", n = done.classes)
    ));
    if done.renamed.is_empty() {
        return told;
    }
    let renamed = done.renamed.iter();
    let renamed: Vec<String> = renamed
        .map(|(a, b)| tr!("notices-class-renamed", from = a.as_str(), to = b.as_str()))
        .collect();
    told.advise(tr!("notices-classes-renamed", names = listed(&renamed, 8)))
}

fn unpacked_run(unpacked: &Unpacked) -> Problem {
    let name = store::run_name(&unpacked.folder);
    let told = Problem::new(tr!("story-run-unpacked", name));
    match &unpacked.repeats {
        Some(other) => told.advise(tr!("story-reproduces-run", name = other.as_str())),
        None => told,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::message;
    use crate::run::config::RunConfig;
    use crate::session::backend::Recorded;
    use crate::session::sources::Disk;

    /// Simulates exports that clean up after they are stopped, and records whether they did.
    struct Slow(Disk, Arc<AtomicBool>);

    impl Sources for Slow {
        fn disk(&self) -> &Disk {
            &self.0
        }

        fn export_data(&self, _: &DataExport, _: &Path, progress: &Progress) -> Result<Packed> {
            while progress.step(message!("doing-packing"), 0, None) {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(50));
            self.1.store(true, Ordering::Relaxed);
            Err(Problem::new("stopped"))
        }
    }

    fn session(tidied: &Arc<AtomicBool>) -> Session {
        let idle = Box::new(Recorded::default());
        let sources = Slow(Disk::nowhere(), tidied.clone());
        Session::with(idle, sources, RunConfig::default(), Arc::new(|| {}))
    }

    #[test]
    fn closing_waits_until_an_export_has_tidied_up() {
        let tidied = Arc::default();
        let mut session = session(&tidied);
        session.export_data(DataExportKind::Collection, Form::Folder, "x.zip".into());
        drop(session);
        assert!(tidied.load(Ordering::Relaxed));
    }

    #[test]
    fn notices_do_not_grow_for_ever() {
        let mut session = session(&Arc::default());
        for number in 0..1000 {
            session.notify(Problem::new(format!("fault {number}")), true);
        }
        assert_eq!(
            (session.notices.total, session.notices.list.len()),
            (1000, 200)
        );
        let last = session.notices.list.last().map(|n| n.problem.what.clone());
        assert_eq!(last.as_deref(), Some("fault 999"));
    }
}
