//! The data set of the settings, or the pictures being gathered, as one file for other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::collection::Collection;
use super::jobs::{Ask, DataAsk, Opening};
use crate::counts::counted;
use crate::data::export::{Form, Packed};
use crate::problem::{Problem, Result, listed};

/// How long the program waits at its end for an export to tidy up: it hears of it between two pictures.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goods {
    /// The data set of the settings.
    Data,
    /// The pictures being gathered.
    Collection,
}

/// What is written to a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Export {
    /// A data set.
    Data(DataAsk),
    /// Gathered pictures.
    Collection(Box<Collection>),
}

/// What the file is called unless the person says otherwise.
pub(super) fn file_name(form: Form) -> String {
    let day = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    format!("pictures-{day}.{}", form.ending())
}

impl Session {
    /// Writes the data set, or what was gathered, to this place; an ending that says nothing of the
    /// form gets the form's own.
    pub fn export(&mut self, goods: Goods, form: Form, mut path: PathBuf) {
        if Form::of(&path).is_err() {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}", form.ending()));
            path.set_file_name(name);
        }
        let export = match goods {
            Goods::Data => Export::Data(self.draft_data(false)),
            Goods::Collection => Export::Collection(Box::new(self.collection.clone())),
        };
        let opening = Arc::new(Opening::default());
        self.exports.push(opening.clone());
        self.ask(Ask::Export(export, path, opening));
    }

    /// Stops the exports under way and lets them remove what they have begun.
    pub(super) fn end_exports(&mut self) {
        for export in &self.exports {
            export.stop();
        }
        let end = Instant::now() + PATIENCE;
        // The helper thread holds the other one until it is done.
        let at_work = |export: &Arc<Opening>| Arc::strong_count(export) > 1;
        while self.exports.iter().any(at_work) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(super) fn take_exported(&mut self, path: &Path, answer: Result<Packed>) {
        self.exports.retain(|export| Arc::strong_count(export) > 1);
        let told = match answer {
            Ok(done) => told(&done).at_path(path),
            Err(problem) => return self.notify(problem, true),
        };
        self.notify(told, false);
    }
}

fn told(done: &Packed) -> Problem {
    let told = Problem::new(format!(
        "{} of {} are in one file now",
        counted(done.pictures, "picture"),
        counted(done.classes, "class")
    ));
    if done.renamed.is_empty() {
        return told;
    }
    let renamed = done.renamed.iter();
    let renamed: Vec<String> = renamed.map(|(a, b)| format!("{a} as {b}")).collect();
    told.advise(format!(
        "not every system takes these names of classes, so they are written differently: {}",
        listed(&renamed, 8)
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::run::config::RunConfig;
    use crate::session::backend::Recorded;
    use crate::session::helpers::Answer;
    use crate::session::jobs::Found;

    fn session(answer: Answer) -> Session {
        let idle = Box::new(Recorded::default());
        Session::with(idle, answer, RunConfig::default(), Arc::new(|| {}))
    }

    #[test]
    fn closing_waits_until_an_export_has_tidied_up() {
        let tidied = Arc::new(AtomicBool::new(false));
        let done = tidied.clone();
        let answer = move |ask: Ask| {
            if let Ask::Export(_, path, opening) = ask {
                while opening.step("packing", 0, None) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(50));
                done.store(true, Ordering::Relaxed);
                return Found::Exported(path, Err(Problem::new("stopped")));
            }
            Found::Units(Vec::new())
        };
        let mut session = session(Arc::new(answer));
        session.export(Goods::Collection, Form::Folder, "x.zip".into());
        drop(session);
        assert!(tidied.load(Ordering::Relaxed));
    }

    #[test]
    fn notices_do_not_grow_for_ever() {
        let answer = |_: Ask| Found::Units(Vec::new());
        let mut session = session(Arc::new(answer));
        for number in 0..1000 {
            session.notify(Problem::new(format!("fault {number}")), true);
        }
        assert_eq!((session.told, session.notices.len()), (1000, 200));
        let last = session.notices.last().map(|n| n.problem.what.clone());
        assert_eq!(last.as_deref(), Some("fault 999"));
    }
}
