//! Drafts: images that were pinned, collected or moved between classes in the window and are not saved elsewhere. They
//! are stored in a folder, so that they survive closing the window and crashes. The next window restores them.

mod file;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Session;
use super::by_class::ImagesByClass;
use super::collection::Collection;
use super::pins::Pin;
use super::prediction_table::PredictionTableView;
use super::views::Fetch;
use crate::experiment::prediction_table::{self, Assignment, PredictedImage};
use crate::message;
use crate::problem::{Problem, Result, join_some};
use crate::run::prediction_table::{
    PredictionTableCount, PredictionTableJob, PredictionTableState,
};
use crate::tr;

/// The images that are not saved elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    pins: Vec<Pin>,
    /// The runs that predict the pinned images.
    runs: Vec<PathBuf>,
    collection: Option<Collection>,
    moved: Option<MovedImages>,
}

/// The images of a table, some of which were moved since the table was saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct MovedImages {
    request: PredictionTableJob,
    classes: Vec<String>,
    /// The images and their corrections.
    #[serde(default)]
    corrections: Vec<(PathBuf, Assignment)>,
    #[serde(skip)]
    revision: u64,
}

impl Drafts {
    /// Returns the current drafts of a session. If the displayed table is not read yet, the moved images of `previous`
    /// are kept.
    fn from_session(session: &Session, previous: &Self) -> Self {
        let pins: Vec<Pin> = session.user_pins().cloned().collect();
        let collection = &session.collection;
        Self {
            runs: match pins.is_empty() {
                true => Vec::new(),
                false => session.predict.pins.runs().to_vec(),
            },
            pins,
            collection: (!collection.is_empty()).then(|| collection.clone()),
            moved: match previous.waits_for_table(session) {
                true => previous.moved.clone(),
                false => session.unsaved_moves().map(|by_class| MovedImages {
                    request: by_class.request.clone(),
                    classes: by_class.classes.clone(),
                    corrections: paths(&by_class.images)
                        .cloned()
                        .zip(by_class.groups.clone())
                        .collect(),
                    revision: by_class.revision,
                }),
            },
        }
    }

    /// Returns whether the displayed table has moved images but is not read yet or cannot be read.
    fn waits_for_table(&self, session: &Session) -> bool {
        let predict = &session.predict;
        let displayed = predict.prediction_table.as_ref().map(|table| table.request.ticket);
        let moved = self.moved.as_ref().map(|moved| moved.request.ticket);
        predict.images_by_class.ready().is_none() && moved.is_some() && displayed == moved
    }

    /// Returns whether these drafts equal the session's current state.
    fn is_current(&self, session: &Session) -> bool {
        let collection = Some(&session.collection).filter(|it| !it.is_empty());
        let moved = self.moved.as_ref();
        let moved = moved.map(|it| (it.request.ticket, it.revision));
        let unsaved = session.unsaved_moves();
        let unsaved = unsaved.map(|it| (it.request.ticket, it.revision));
        let runs = session.predict.pins.runs();
        self.pins.iter().eq(session.user_pins())
            && (self.pins.is_empty() || self.runs == runs)
            && self.collection.as_ref() == collection
            && (moved == unsaved || self.waits_for_table(session))
    }

    fn is_empty(&self) -> bool {
        self.pins.is_empty() && self.collection.is_none() && self.moved.is_none()
    }

    /// Returns a description of each kind of draft.
    fn descriptions(&self) -> Vec<String> {
        let collected = self.collection.as_ref().map_or(0, Collection::image_count);
        let table = self.moved.as_ref().map(|moved| {
            let table = moved.request.csv.file_name().unwrap_or_default();
            tr!("drafts-moved-images", table = table.to_string_lossy())
        });
        let pins = self.pins.len();
        let parts = [
            (pins > 0).then(|| tr!("drafts-pinned-images", n = pins)),
            (collected > 0).then(|| tr!("drafts-collected-images", n = collected)),
            table,
        ];
        parts.into_iter().flatten().collect()
    }
}

/// State of a session's drafts.
#[derive(Debug, Default)]
pub struct DraftState {
    /// The folder of the drafts; `None` if this window stores no drafts.
    folder: Option<PathBuf>,
    /// The drafts last given out for writing; `None` until the drafts of the last window are read.
    last: Option<Arc<Drafts>>,
    /// Whether writing the drafts failed.
    failed: bool,
}

impl Session {
    /// Stores drafts in this folder from now on, and restores the drafts that it contains.
    pub fn enable_drafts(&mut self, folder: PathBuf) {
        self.drafts.folder = Some(folder.clone());
        self.task(
            move |_| Drafts::load(&folder),
            |session, result| match result {
                Ok((drafts, unreadable)) => {
                    session.drafts.last = Some(Arc::default());
                    session.accept_drafts(drafts, unreadable);
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
        let changed = (folder.clone(), Arc::new(Drafts::from_session(self, last)));
        self.drafts.last = Some(changed.1.clone());
        self.drafts.failed = false;
        Some(changed)
    }

    /// Records that writing the drafts failed. Closing the window loses them unless the next change is written.
    pub fn record_drafts_failure(&mut self) {
        self.drafts.failed = true;
    }

    /// Returns whether the drafts survive closing the window.
    pub fn has_stored_drafts(&self) -> bool {
        self.drafts.last.is_some() && !self.drafts.failed
    }

    /// Returns the pinned images except the tour's images, because the tour ends with the window.
    fn user_pins(&self) -> impl Iterator<Item = &Pin> {
        let tour_pins = self.learn.tour.as_ref().map_or([None; 2], |tour| tour.pins);
        let pins = self.predict.pins.pins().iter();
        pins.filter(move |pin| !tour_pins.contains(&Some(pin.id)))
    }

    fn accept_drafts(&mut self, drafts: Drafts, unreadable: usize) {
        let mut parts = drafts.descriptions();
        if unreadable > 0 {
            parts.push(tr!("drafts-images-unreadable", n = unreadable));
        }
        for pin in drafts.pins {
            self.pin(pin.image, pin.truth);
        }
        // After a crash, nothing is computed unless the user requests it.
        if !self.former.crashed {
            drafts.runs.into_iter().for_each(|run| self.add_run_to_board(run));
        }
        if let Some(collection) = drafts.collection {
            self.collection.append(collection);
        }
        if let Some(moved) = drafts.moved.filter(|_| self.predict.prediction_table.is_none()) {
            self.accept_moved_images(moved);
        }
        if !parts.is_empty() {
            let message = message!("drafts-restored", what = join_some(&parts, parts.len()));
            let problem = Problem::new(message).advise(message!("drafts-restored-where"));
            self.notify(problem, false);
        }
    }

    /// Reads a table whose images were moved, and applies the moves again.
    fn accept_moved_images(&mut self, mut moved: MovedImages) {
        moved.request.ticket = self.next_ticket();
        let request = moved.request.clone();
        let count = PredictionTableCount {
            done: moved.corrections.len(),
            unreadable: moved
                .corrections
                .iter()
                .filter(|(_, by_class)| *by_class == Assignment::Unreadable)
                .count(),
            of: moved.corrections.len(),
        };
        self.predict.prediction_table = Some(PredictionTableView {
            request: request.clone(),
            state: PredictionTableState::Done(count),
        });
        self.predict.images_by_class = Fetch::Busy;
        if let Some(last) = &mut self.drafts.last {
            // The previous moves are stored until the table is read.
            Arc::make_mut(last).moved = Some(moved.clone());
        }
        self.task(
            move |_| moved.read(),
            move |session, result| {
                let pending = session.predict.prediction_table.as_ref();
                if pending.is_some_and(|table| table.request.ticket == request.ticket) {
                    let to_view = |(classes, images)| {
                        let depth = session.bit_depth_of(&request.run);
                        let mut by_class = ImagesByClass::new(request, classes, depth, images);
                        by_class.is_saved = false;
                        Arc::new(by_class)
                    };
                    let view = result.map(to_view);
                    session.predict.images_by_class.fill(view);
                }
            },
        );
    }
}

impl MovedImages {
    /// Returns the classes and the images of the table with their new classes.
    ///
    /// # Errors
    /// Returns a Problem if the table cannot be read or has changed.
    fn read(self) -> Result<(Vec<String>, Vec<PredictedImage>)> {
        let mut images = prediction_table::read_predictions(&self.request.csv)?;
        let corrected = self.corrections.iter().map(|(path, _)| path);
        if !paths(&images).eq(corrected) {
            return Err(Problem::new(message!("drafts-table-changed")).at_path(&self.request.csv));
        }
        for (image, (_, by_class)) in images.iter_mut().zip(self.corrections) {
            image.assignment = by_class;
        }
        Ok((self.classes, images))
    }
}

fn paths(images: &[PredictedImage]) -> impl Iterator<Item = &PathBuf> {
    images.iter().map(|image| &image.path)
}
