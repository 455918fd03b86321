//! Drafts: images that were pinned, collected or moved between classes in the window and are not saved elsewhere. They
//! are stored in a folder, so that they survive closing the window and crashes. The next window restores them.

mod file;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Session;
use super::collection::Collection;
use super::pins::Pin;
use super::sheet::SheetView;
use super::sorted::SortedPictures;
use super::views::Fetch;
use crate::experiment::sheet::{self, AnsweredPicture, Sorted};
use crate::message;
use crate::problem::{Problem, Result, listed};
use crate::run::sheet::{SheetCount, SheetRequest, SheetState};
use crate::tr;

/// The images that are not saved elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    pins: Vec<Pin>,
    /// The runs that predict the pinned images.
    runs: Vec<PathBuf>,
    collection: Option<Collection>,
    moved: Option<MovedSheet>,
}

/// The images of a table, some of which were moved since the table was saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct MovedSheet {
    request: SheetRequest,
    classes: Vec<String>,
    /// The images and their corrections.
    #[serde(default)]
    corrections: Vec<(PathBuf, Sorted)>,
    #[serde(skip)]
    revision: u64,
}

impl Drafts {
    /// Returns the current drafts of a session. If the displayed table is not read yet, the moved images of `before`
    /// are kept.
    fn of(session: &Session, before: &Self) -> Self {
        let pins: Vec<Pin> = session.own_pins().cloned().collect();
        let collection = &session.collection;
        Self {
            runs: match pins.is_empty() {
                true => Vec::new(),
                false => session.predict.pins.runs().to_vec(),
            },
            pins,
            collection: (!collection.is_empty()).then(|| collection.clone()),
            moved: match before.waits_for_table(session) {
                true => before.moved.clone(),
                false => session.unsaved_moves().map(|sorted| MovedSheet {
                    request: sorted.request.clone(),
                    classes: sorted.classes.clone(),
                    corrections: paths(&sorted.pictures)
                        .cloned()
                        .zip(sorted.groups.clone())
                        .collect(),
                    revision: sorted.revision,
                }),
            },
        }
    }

    /// Returns whether the displayed table has moved images but is not read yet or cannot be read.
    fn waits_for_table(&self, session: &Session) -> bool {
        let predict = &session.predict;
        let shown = predict.sheet.as_ref().map(|sheet| sheet.request.ticket);
        let moved = self.moved.as_ref().map(|moved| moved.request.ticket);
        predict.sorted.ready().is_none() && moved.is_some() && shown == moved
    }

    /// Returns whether these drafts equal the session's current state.
    fn is_current(&self, session: &Session) -> bool {
        let collection = Some(&session.collection).filter(|it| !it.is_empty());
        let moved = self.moved.as_ref();
        let moved = moved.map(|it| (it.request.ticket, it.revision));
        let unsaved = session.unsaved_moves();
        let unsaved = unsaved.map(|it| (it.request.ticket, it.revision));
        let runs = session.predict.pins.runs();
        self.pins.iter().eq(session.own_pins())
            && (self.pins.is_empty() || self.runs == runs)
            && self.collection.as_ref() == collection
            && (moved == unsaved || self.waits_for_table(session))
    }

    fn is_empty(&self) -> bool {
        self.pins.is_empty() && self.collection.is_none() && self.moved.is_none()
    }

    /// Returns a description of each kind of draft.
    fn parts(&self) -> Vec<String> {
        let gathered = self.collection.as_ref().map_or(0, Collection::count);
        let table = self.moved.as_ref().map(|moved| {
            let table = moved.request.csv.file_name().unwrap_or_default();
            tr!("drafts-moved-images", table = table.to_string_lossy())
        });
        let pins = self.pins.len();
        let parts = [
            (pins > 0).then(|| tr!("drafts-pinned-images", n = pins)),
            (gathered > 0).then(|| tr!("drafts-collected-images", n = gathered)),
            table,
        ];
        parts.into_iter().flatten().collect()
    }
}

/// State of a session's drafts.
#[derive(Debug, Default)]
pub struct KeptDrafts {
    /// The folder of the drafts; `None` if this window stores no drafts.
    folder: Option<PathBuf>,
    /// The drafts last given out for writing; `None` until the drafts of the last window are read.
    last: Option<Arc<Drafts>>,
    /// Whether writing the drafts failed.
    failed: bool,
}

impl Session {
    /// Stores drafts in this folder from now on, and restores the drafts that it contains.
    pub fn keep_drafts(&mut self, folder: PathBuf) {
        self.drafts.folder = Some(folder.clone());
        self.task(
            move |_| Drafts::load(&folder),
            |session, read| match read {
                Ok((drafts, lost)) => {
                    session.drafts.last = Some(Arc::default());
                    session.accept_drafts(drafts, lost);
                }
                Err(problem) => {
                    // Drafts that cannot be read and could not be renamed are not overwritten.
                    let folder = session.drafts.folder.as_ref();
                    let is_free = folder.is_some_and(|folder| !folder.exists());
                    session.drafts.last = is_free.then(Arc::default);
                    session.notify(problem, true);
                }
            },
        );
    }

    /// Returns the drafts and their folder if they changed since the last call.
    pub fn changed_drafts(&mut self) -> Option<(PathBuf, Arc<Drafts>)> {
        let (folder, last) = (self.drafts.folder.as_ref()?, self.drafts.last.as_ref()?);
        if last.is_current(self) {
            return None;
        }
        let changed = (folder.clone(), Arc::new(Drafts::of(self, last)));
        self.drafts.last = Some(changed.1.clone());
        self.drafts.failed = false;
        Some(changed)
    }

    /// Records that writing the drafts failed. Closing the window loses them unless the next change is written.
    pub fn drafts_failed(&mut self) {
        self.drafts.failed = true;
    }

    /// Returns whether the drafts survive closing the window.
    pub fn keeps_drafts(&self) -> bool {
        self.drafts.last.is_some() && !self.drafts.failed
    }

    /// Returns the pinned images except the tour's images, because the tour ends with the window.
    fn own_pins(&self) -> impl Iterator<Item = &Pin> {
        let toured = self.learn.tour.as_ref().map_or([None; 2], |tour| tour.pins);
        let pins = self.predict.pins.pictures().iter();
        pins.filter(move |pin| !toured.contains(&Some(pin.id)))
    }

    fn accept_drafts(&mut self, drafts: Drafts, lost: usize) {
        let mut parts = drafts.parts();
        if lost > 0 {
            parts.push(tr!("drafts-images-unreadable", n = lost));
        }
        for pin in drafts.pins {
            self.pin(pin.picture, pin.truth);
        }
        // After a crash, nothing is computed unless the user requests it.
        if !self.former.crashed {
            drafts
                .runs
                .into_iter()
                .for_each(|run| self.show_pins_to(run));
        }
        if let Some(collection) = drafts.collection {
            self.collection.take(collection);
        }
        if let Some(moved) = drafts.moved.filter(|_| self.predict.sheet.is_none()) {
            self.accept_moved_sheet(moved);
        }
        if !parts.is_empty() {
            let back = message!("drafts-restored", what = listed(&parts, parts.len()));
            let told = Problem::new(back).advise(message!("drafts-restored-where"));
            self.notify(told, false);
        }
    }

    /// Reads a table whose images were moved, and applies the moves again.
    fn accept_moved_sheet(&mut self, mut moved: MovedSheet) {
        moved.request.ticket = self.next_ticket();
        let request = moved.request.clone();
        let count = SheetCount {
            done: moved.corrections.len(),
            unreadable: moved
                .corrections
                .iter()
                .filter(|(_, sorted)| *sorted == Sorted::Unreadable)
                .count(),
            of: moved.corrections.len(),
        };
        self.predict.sheet = Some(SheetView {
            request: request.clone(),
            state: SheetState::Done(count),
        });
        self.predict.sorted = Fetch::Busy;
        if let Some(last) = &mut self.drafts.last {
            // The previous moves are stored until the table is read.
            Arc::make_mut(last).moved = Some(moved.clone());
        }
        self.task(
            move |_| moved.read(),
            move |session, read| {
                let waits = session.predict.sheet.as_ref();
                if waits.is_some_and(|sheet| sheet.request.ticket == request.ticket) {
                    let sorted = |(classes, pictures)| {
                        let depth = session.bit_depth_of(&request.run);
                        let mut sorted = SortedPictures::new(request, classes, depth, pictures);
                        sorted.is_kept = false;
                        Arc::new(sorted)
                    };
                    let sorted = read.map(sorted);
                    session.predict.sorted.fill(sorted);
                }
            },
        );
    }
}

impl MovedSheet {
    /// Returns the classes and the images of the table with their new classes.
    ///
    /// # Errors
    /// Returns a Problem if the table cannot be read or has changed.
    fn read(self) -> Result<(Vec<String>, Vec<AnsweredPicture>)> {
        let mut pictures = sheet::answered(&self.request.csv)?;
        let corrected = self.corrections.iter().map(|(path, _)| path);
        if !paths(&pictures).eq(corrected) {
            return Err(Problem::new(message!("drafts-table-changed")).at_path(&self.request.csv));
        }
        for (picture, (_, sorted)) in pictures.iter_mut().zip(self.corrections) {
            picture.sorted = sorted;
        }
        Ok((self.classes, pictures))
    }
}

fn paths(pictures: &[AnsweredPicture]) -> impl Iterator<Item = &PathBuf> {
    pictures.iter().map(|picture| &picture.path)
}
