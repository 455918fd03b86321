//! Where the views come from: errands done with the data, plugin, backbone, device and run
//! modules. Everything here runs on helper threads; only plain views leave this folder.

mod data;
mod files;
mod lists;
mod network;
mod picker;
mod plan;
mod runs;
mod sight;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::backend::Backend;
use super::helpers::{Answer, Wake};
use super::jobs::{Ask, Found};
use super::report::Report;
use super::run_view::RunView;
use super::units;
use crate::data::Mend;
use crate::engine::Engine;
use crate::problem::Result;
use crate::run::event::{Command, Wish};
use crate::run::job::{JobId, Told};
use crate::store;

/// The folder beside the runs that holds what was gathered in the window.
const MADE: &str = "made";

impl Backend for Engine {
    fn send(&mut self, command: Command) {
        Engine::send(self, command);
    }

    fn try_recv(&mut self) -> Option<Told> {
        Engine::try_recv(self)
    }

    fn wish(&self, wish: Wish) {
        self.control.set(wish);
    }

    fn hurry(&self, job: JobId) {
        self.control.set_for(job, Wish::Stop);
    }
}

/// The real engine.
pub fn engine(runs_root: PathBuf, wake: Wake) -> Result<Box<dyn Backend>> {
    Ok(Box::new(Engine::start(runs_root, wake)?))
}

/// Does errands with the real modules.
pub fn answer(runs_root: PathBuf) -> Answer {
    let scans = data::Scans::default();
    Arc::new(move |ask| match ask {
        Ask::Data(ask, opening) => {
            let view = data::open(&ask, &scans, &opening);
            Found::Data(ask.key(), opening, view.map(Arc::new))
        }
        Ask::Sight(ask) => Found::Sight(sight::look(&ask, &scans).map(Arc::new)),
        Ask::Download(item, transfer) => {
            let done = files::download(&item, &transfer);
            Found::Downloaded(item, done)
        }
        Ask::Plan(config, data) => {
            let mut plan = plan::plan(&config, data.as_deref());
            plan.problems.extend(files::unwritable(&runs_root));
            Found::Plan(config, Box::new(plan))
        }
        Ask::Plugins => Found::Plugins(network::plugins()),
        Ask::Backbones => {
            let (list, problems) = network::backbones();
            Found::Backbones(list, problems)
        }
        Ask::Devices => Found::Devices(lists::devices()),
        Ask::Prepare(key, family, opening) => {
            Found::Prepared(lists::prepare(&key, &family, &opening))
        }
        Ask::Runs(others) => Found::Runs(Ok(runs::shelf(&runs_root, others))),
        Ask::AddFolder(path, known) => {
            Found::FolderAdded(runs::folder_of_runs(&runs_root, &path, &known))
        }
        Ask::Open(folder) => {
            let run = store::load(&folder).map(|run| RunView::stored(run.header, run.reports));
            Found::Opened(folder, run.map(Arc::new))
        }
        Ask::Describe(folder, about) => {
            let kept = store::set_about(&folder, &about);
            Found::Described(folder, kept)
        }
        Ask::Bin(deed, places) => Found::Done(deed, runs::done(&runs_root, deed, places)),
        Ask::Deleted(others) => Found::Deleted(Ok(runs::deleted(&runs_root, &others))),
        Ask::UndoLesson(folder) => {
            let done = store::undo_lesson(&folder);
            Found::LessonUndone(folder, done)
        }
        Ask::Picture(path) => {
            let picture = files::picture(&path);
            Found::Picture(path, picture)
        }
        Ask::Collect(group, path) => Found::Collected(group, files::pieces(&path)),
        Ask::KeepCollection(collection, purpose) => {
            let kept = collection.save(&runs_root.join(MADE));
            Found::CollectionKept(purpose, kept)
        }
        Ask::Export(export, path, opening) => {
            let done = data::export(&export, &scans, &path, &opening);
            Found::Exported(path, done)
        }
        Ask::Image(key, pictures) => {
            let picture = pictures.picture(key.2);
            Found::Image(key, picture)
        }
        Ask::Fingerprint(of, pictures) => {
            let print = pictures.fingerprint(of.1);
            Found::Fingerprint(of, Ok(print))
        }
        Ask::Hash(key, asked, pictures) => {
            let entry = pictures.entry(key.2);
            Found::Hash(key, asked, entry.map(|entry| entry.sha256))
        }
        Ask::Mended(place) => {
            let list = store::mended(&runs_root, &place);
            Found::Mended(place, None, list)
        }
        Ask::Mend(place, pictures, index, class) => {
            match pictures.entry(index).map(|entry| Mend { class, ..entry }) {
                Ok(change) => mended(&runs_root, place, change),
                Err(problem) => Found::Mended(place, None, Err(problem)),
            }
        }
        Ask::MendAs(place, change) => mended(&runs_root, place, change),
        Ask::Pick(wanted, dialog) => Found::Picked(wanted, picker::pick(wanted, *dialog)),
        Ask::Report(wanted) => Found::Report(Ok(Report::gather(&runs_root, &wanted))),
        Ask::Reveal(path) => match files::reveal(&path) {
            Ok(()) => Found::Revealed,
            Err(problem) => Found::Remark(problem),
        },
        Ask::Units => Found::Units(units::entries()),
        Ask::SaveReport(report, path) => match report.save(&path) {
            Ok(()) => Found::ReportSaved(path),
            Err(problem) => Found::Remark(problem),
        },
    })
}

/// Changes an entry of a list of mended labels.
fn mended(runs_root: &Path, place: String, change: Mend) -> Found {
    let list = store::mend(runs_root, &place, change.clone());
    Found::Mended(place, Some(change), list)
}
