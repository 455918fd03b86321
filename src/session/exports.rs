//! Exports to one file or folder: datasets, collected images, tables and reports of runs, figures, models, and packed
//! runs, which are also unpacked here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::file_dialog::{DataExportKind, DialogPurpose, FigureKind};
use super::progress::Progress;
use super::sources::DataExport;
use super::{Session, Sources};
use crate::data::export::{ExportFormat, PackSummary};
use crate::experiment::{ResourceCache, sample_images};
use crate::export::{self, export};
use crate::problem::{Problem, Result, join_some};
use crate::store::export::Format;
use crate::store::figure::{Figure, FigureContent, Pixels, RunFigure};
use crate::store::{self, PACKED_EXTENSION, RunSummary, Unpacked, write_file};
use crate::tr;

/// How long the program waits at exit for exports to clean up. Exports of images check for a stop after each image.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

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
    run_to_pack: PathBuf,
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
        self.in_progress.iter().any(is_running)
    }
}

/// Returns whether the helper thread is still running: it has the other reference.
fn is_running(export: &Arc<Progress>) -> bool {
    Arc::strong_count(export) > 1
}

impl Session {
    /// Starts an export; `on_success` receives its result. Errors are reported. Until it has ended, the user is warned
    /// before the window closes, and the closing window waits for a short time. Exports of images check the progress
    /// for a stop.
    pub(super) fn export<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&dyn Sources, &Progress) -> Result<T> + Send + 'static,
        on_success: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        let progress = Arc::new(Progress::default());
        self.exports.in_progress.push(progress.clone());
        self.task(
            move |sources| work(sources, &progress),
            |session, result| {
                session.exports.in_progress.retain(is_running);
                match result {
                    Ok(value) => on_success(session, value),
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
        let deadline = Instant::now() + EXIT_TIMEOUT;
        while self.exports.is_exporting() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Writes the dataset or the collected images to this path. The extension of the format is appended if it is
    /// missing.
    pub fn export_data(&mut self, kind: DataExportKind, form: ExportFormat, mut path: PathBuf) {
        if ExportFormat::from_path(&path).is_err() {
            path.add_extension(form.extension());
        }
        let export = match kind {
            DataExportKind::Data => DataExport::Data(self.draft_request(false)),
            DataExportKind::Collection => DataExport::Collection(Box::new(self.collection.clone())),
        };
        let target = path.clone();
        self.export(
            move |sources, progress| sources.export_data(&export, &target, progress),
            move |session, packed| session.notify(export_notice(&packed).at_path(&path), false),
        );
    }

    /// Opens the dialog that asks where to save a table, figure or report of these runs.
    pub fn pick_results(&mut self, runs: Vec<PathBuf>, format: Format) {
        self.exports.results = runs;
        // The number distinguishes this dialog from an abandoned one for other runs.
        let number = self.next_ticket();
        self.open_file_dialog(DialogPurpose::Results(format, number));
    }

    /// Writes a table, figure or report of the dialog's runs to this path. The extension of the format is appended if
    /// it is missing. A report is then opened in the browser.
    pub fn export_results(&mut self, format: Format, target: PathBuf) {
        let target = format.with_extension(target);
        let runs = std::mem::take(&mut self.exports.results);
        let with_permission = |folder: PathBuf| {
            let header = self.header_of(&folder);
            let may_open = header.is_some_and(|header| !self.needs_permission(&header.config));
            (folder, may_open)
        };
        let runs: Vec<(PathBuf, bool)> = runs.into_iter().map(with_permission).collect();
        let path = target.clone();
        self.export(
            move |_, progress| write_results(&runs, format, &target, progress),
            move |session, omitted| session.notify_exported_results(format, path, omitted),
        );
    }

    /// Reports that the file was written, and the number of runs that could not be read.
    fn notify_exported_results(&mut self, format: Format, path: PathBuf, omitted: usize) {
        let mut problem = Problem::new(match format {
            Format::Html => tr!("session-report-saved"),
            Format::Svg | Format::Pdf | Format::Png => tr!("session-figure-saved"),
            _ => tr!("session-table-saved"),
        });
        if omitted > 0 {
            problem = problem.advise(tr!("session-runs-left-out", n = omitted));
        }
        self.notify(problem.at_path(&path), false);
        if format == Format::Html {
            self.task_or_notify(move |sources| sources.disk().open_report(&path), |_, ()| {});
        }
    }

    /// Draws a figure for the clipboard.
    pub fn copy_figure(&mut self, figure: Figure) {
        self.task_or_notify(
            move |_| figure.to_pixels(),
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
        self.open_file_dialog(DialogPurpose::Figure(kind, format, number));
    }

    /// Saves the figure of the dialog to this path. The extension of the format is appended if it is missing.
    pub fn save_figure(&mut self, format: Format, path: PathBuf) {
        let Some(figure) = self.exports.figure.take() else {
            return;
        };
        let target = format.with_extension(path);
        self.export(
            move |_, _| {
                let bytes = match format {
                    Format::Png => figure.to_png()?,
                    Format::Pdf => figure.to_pdf()?,
                    _ => figure.to_svg().into_bytes(),
                };
                write_file(&target, &bytes)?;
                Ok(target)
            },
            |session, target| {
                let problem = Problem::new(tr!("session-figure-saved"));
                session.notify(problem.at_path(&target), false);
            },
        );
    }

    /// Opens the dialog that asks for the folder in which the model's folder is created.
    pub fn pick_model(&mut self, model: ModelToExport, format: export::Format) {
        self.exports.model = model;
        let number = self.next_ticket();
        self.open_file_dialog(DialogPurpose::Model(format, number));
    }

    /// Exports the model of the dialog into a new subfolder of this folder.
    pub fn export_model(&mut self, format: export::Format, folder: &Path) {
        let ModelToExport { run, task } = std::mem::take(&mut self.exports.model);
        let target = folder.join(format!("{}-{}", store::run_name(&run), format.key()));
        self.export(
            move |_, _| {
                let saved_tasks = store::summarise(&run)?.saved_tasks();
                let newest = saved_tasks
                    .checked_sub(1)
                    .ok_or_else(|| Problem::new(tr!("session-no-finished-task")).at_path(&run))?;
                // Exports on the CPU, because only the engine's thread may use a GPU.
                export(&run, task.unwrap_or(newest), format, &target, false)
            },
            |session, exported| {
                let problem = Problem::new(tr!("session-model-exported"));
                let problem = problem.at_path(&exported.folder);
                session.notify(problem.advise(tr!("session-model-exported-advice")), false);
            },
        );
    }

    /// Opens the dialog that asks where to pack a run.
    pub fn pick_pack(&mut self, run: PathBuf) {
        self.exports.run_to_pack = run;
        let number = self.next_ticket();
        self.open_file_dialog(DialogPurpose::Pack(number));
    }

    /// Returns the default name of the packed file.
    pub(super) fn pack_name(&self) -> String {
        format!("{}{PACKED_EXTENSION}", store::run_name(&self.exports.run_to_pack))
    }

    /// Packs the run of the dialog into this file.
    pub fn pack(&mut self, target: &Path) {
        let run = std::mem::take(&mut self.exports.run_to_pack);
        let name = target.display().to_string();
        let name = name.strip_suffix(".zip").unwrap_or(&name);
        let name = name.strip_suffix(".laerun").unwrap_or(name);
        let target = PathBuf::from(format!("{name}{PACKED_EXTENSION}"));
        self.export(
            move |_, _| Ok((store::pack(&run, &target)?, target)),
            |session, (packed, target)| {
                let problem = Problem::new(tr!("session-run-packed")).at_path(&target);
                let problem = match packed.omitted_images {
                    true => problem.advise(tr!("session-run-packed-advice")),
                    false => problem,
                };
                session.notify(problem, false);
            },
        );
    }

    /// Unpacks packed runs into the default folder, one after the other, so that each finds the runs unpacked before
    /// it.
    pub fn unpack_runs(&mut self, files: Vec<PathBuf>) {
        self.export(
            move |sources, _| {
                let root = &sources.disk().runs_root;
                let unpacked = files.iter().map(|file| store::unpack(file, root));
                Ok(unpacked.collect::<Vec<_>>())
            },
            |session, unpacked| {
                for result in unpacked {
                    match result {
                        Ok(unpacked) => session.notify(unpack_notice(&unpacked), false),
                        Err(problem) => session.notify(problem, true),
                    }
                }
                session.invalidate_grid();
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
    target: &Path,
    progress: &Progress,
) -> Result<usize> {
    let entries = runs.iter().map(|(folder, _)| store::load_entry(folder));
    let summaries: Vec<RunSummary> = entries.filter_map(|entry| entry.summary.ok()).collect();
    let may_open = runs.iter().filter(|(_, may_open)| *may_open);
    let may_open: HashSet<&Path> = may_open.map(|(folder, _)| folder.as_path()).collect();
    let cache = ResourceCache::default();
    let should_continue = || !progress.is_stopped();
    let samples = |run: &RunSummary| match may_open.contains(run.header.folder.as_path()) {
        true => sample_images(&cache, run, &should_continue),
        false => Vec::new(),
    };
    let bytes = store::export::export(&summaries, (format, RunFigure::default()), &samples)?;
    if progress.is_stopped() {
        return Err(Problem::new(tr!("notices-export-stopped")));
    }
    write_file(target, &bytes)?;
    Ok(runs.len() - summaries.len())
}

/// Reports an exported dataset.
fn export_notice(packed: &PackSummary) -> Problem {
    let problem = Problem::new(tr!(
        "notices-exported",
        pictures = tr!("count-images", n = packed.images),
        classes = tr!("count-classes", n = packed.classes)
    ));
    if packed.renamed.is_empty() {
        return problem;
    }
    let renamed = packed.renamed.iter();
    let renamed: Vec<String> = renamed
        .map(|(a, b)| tr!("notices-class-renamed", from = a.as_str(), to = b.as_str()))
        .collect();
    problem.advise(tr!("notices-classes-renamed", names = join_some(&renamed, 8)))
}

fn unpack_notice(unpacked: &Unpacked) -> Problem {
    let name = store::run_name(&unpacked.folder);
    let problem = Problem::new(tr!("session-run-unpacked", name));
    match &unpacked.repeats {
        Some(other) => problem.advise(tr!("session-reproduces-run", name = other.as_str())),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::message;
    use crate::run::config::RunConfig;
    use crate::session::backend::RecordedBackend;
    use crate::session::sources::Disk;

    /// Simulates exports that clean up after they are stopped, and records whether they did.
    struct SlowSources(Disk, Arc<AtomicBool>);

    impl Sources for SlowSources {
        fn disk(&self) -> &Disk {
            &self.0
        }

        fn export_data(
            &self,
            _: &DataExport,
            _: &Path,
            progress: &Progress,
        ) -> Result<PackSummary> {
            while progress.step(message!("doing-packing"), 0, None) {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(50));
            self.1.store(true, Ordering::Relaxed);
            Err(Problem::new("stopped"))
        }
    }

    fn session(cleaned_up: &Arc<AtomicBool>) -> Session {
        let idle = Box::new(RecordedBackend::default());
        let sources = SlowSources(Disk::nowhere(), cleaned_up.clone());
        Session::with_backend(idle, sources, RunConfig::default(), Arc::new(|| {}))
    }

    #[test]
    fn closing_waits_for_export_cleanup() {
        let cleaned_up = Arc::default();
        let mut session = session(&cleaned_up);
        session.export_data(DataExportKind::Collection, ExportFormat::Folder, "x.zip".into());
        drop(session);
        assert!(cleaned_up.load(Ordering::Relaxed));
    }

    #[test]
    fn number_of_notices_is_bounded() {
        let mut session = session(&Arc::default());
        for number in 0..1000 {
            session.notify(Problem::new(format!("fault {number}")), true);
        }
        assert_eq!((session.notices.total, session.notices.list.len()), (1000, 200));
        let last = session.notices.list.last().map(|n| n.problem.what.clone());
        assert_eq!(last.as_deref(), Some("fault 999"));
    }
}
