//! Exports the current dataset or the collected images as one file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::collection::Collection;
use super::loads::DataAsk;
use super::progress::Progress;
use crate::data::export::{Form, Packed};
use crate::problem::{Problem, listed};
use crate::tr;

/// How long the program waits at exit for exports to clean up. Exports check for a stop after each image.
const PATIENCE: Duration = Duration::from_secs(5);

/// The kind of data to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataExportKind {
    /// The current dataset.
    Data,
    /// The collected images.
    Collection,
}

/// The data to export.
#[derive(Clone, Debug, PartialEq)]
pub enum DataExport {
    /// A dataset.
    Data(DataAsk),
    /// The collected images.
    Collection(Box<Collection>),
}

/// Returns the default file name.
pub(super) fn file_name(form: Form) -> String {
    let day = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    format!("pictures-{day}.{}", form.ending())
}

impl Session {
    /// Writes the dataset or the collected images to this path. The extension of the format is appended if it is
    /// missing.
    pub fn export_data(&mut self, kind: DataExportKind, form: Form, mut path: PathBuf) {
        if Form::of(&path).is_err() {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}", form.ending()));
            path.set_file_name(name);
        }
        let export = match kind {
            DataExportKind::Data => DataExport::Data(self.draft_data(false)),
            DataExportKind::Collection => DataExport::Collection(Box::new(self.collection.clone())),
        };
        let progress = Arc::new(Progress::default());
        self.exports.push(progress.clone());
        let to = path.clone();
        self.task(
            move |sources| sources.export_data(&export, &to, &progress),
            move |session, done| {
                let exports = &mut session.exports;
                exports.retain(|export| Arc::strong_count(export) > 1);
                match done {
                    Ok(done) => session.notify(told(&done).at_path(&path), false),
                    Err(problem) => session.notify(problem, true),
                }
            },
        );
    }

    /// Returns whether an export is in progress.
    pub(super) fn is_exporting(&self) -> bool {
        self.exports.iter().any(is_under_way)
    }

    /// Stops the exports in progress and lets them remove their partial files.
    pub(super) fn end_exports(&mut self) {
        for export in &self.exports {
            export.stop();
        }
        let end = Instant::now() + PATIENCE;
        while self.is_exporting() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns whether the helper thread is still running: it has the other reference.
fn is_under_way(export: &Arc<Progress>) -> bool {
    Arc::strong_count(export) > 1
}

fn told(done: &Packed) -> Problem {
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::message;
    use crate::problem::Result;
    use crate::run::config::RunConfig;
    use crate::session::backend::Recorded;
    use crate::session::sources::{Disk, Sources};

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
