//! Data that a page shows and that must be read or computed first. A page only looks data up in the session, because it
//! cannot change the session. Missing data is returned as a [`Load`], which is requested after the frame.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::run_table::TableAsk;
use super::views::{DataView, PictureKey, PictureSource, Split, SplitKey};
use crate::data::{Dataset, Fingerprints, OpenOptions};
use crate::run::job::JobId;

/// The result of looking up data.
#[derive(Clone, Debug)]
pub enum Lookup<T> {
    /// The value.
    Found(T),
    /// Not available: it is being loaded, or there is nothing to load.
    Absent,
    /// Not requested yet.
    Unread(Load),
}

impl<T> Lookup<T> {
    /// Returns the value if it is available; otherwise calls `ask` with the request if it is not requested yet.
    pub fn or_ask(self, ask: impl FnOnce(Load)) -> Option<T> {
        match self {
            Self::Found(thing) => return Some(thing),
            Self::Absent => {}
            Self::Unread(load) => ask(load),
        }
        None
    }

    /// Looks up a second value that depends on this value.
    pub fn and_then<U>(self, look_up: impl FnOnce(T) -> Lookup<U>) -> Lookup<U> {
        match self {
            Self::Found(thing) => look_up(thing),
            Self::Absent => Lookup::Absent,
            Self::Unread(load) => Lookup::Unread(load),
        }
    }
}

/// A request for data that a page shows.
#[derive(Clone, Debug)]
pub enum Load {
    /// A dataset.
    Data(Box<DataAsk>),
    /// The corrected labels of the dataset at this place.
    Corrected(String),
    /// An image of this source.
    Picture(PictureKey, PictureSource),
    /// The SHA-256 of an image of this dataset.
    Hash(PictureKey, Arc<Dataset>),
    /// Whether a split has the images with these fingerprints.
    Fingerprint(SplitKey, Fingerprints, Arc<Dataset>),
    /// Whether a split is consistent with the run in this folder, which recorded only the number and the classes of its
    /// images.
    IndexCheck(PathBuf, Split, Arc<DataView>),
    /// Training images as the network receives them: the epoch of their tasks (from 0), and the shift that selects the
    /// images.
    NetworkInputs(usize, usize),
    /// Look inside for the run on Predict.
    Inside,
    /// The state of the runs of the grid that is queued as this job.
    Grid(JobId),
    /// The lessons.
    Units,
    /// The state of all places.
    Places,
    /// A table of runs.
    Table(TableAsk),
}

/// A request to open a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct DataAsk {
    /// Its name or path in the settings.
    pub place: String,
    /// Its splits and limits.
    pub options: OpenOptions,
    /// Whether its files are read again even if they were read before.
    pub fresh: bool,
}

impl DataAsk {
    /// Returns the key of the result.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.place, self.options)
    }
}

impl Session {
    /// Requests data for a page unless it was requested in the meantime.
    pub fn load(&mut self, wanted: Load) {
        match wanted {
            Load::Data(ask) => self.load_data(*ask),
            Load::Corrected(place) => self.load_corrected(&place),
            Load::Picture(key, source) => self.load_picture(key, source),
            Load::Hash(key, data) => self.load_hash(key, data),
            Load::Fingerprint(of, noted, data) => self.check_fingerprint(of, noted, data),
            Load::IndexCheck(run, split, data) => self.check_against_records(&run, split, &data),
            Load::NetworkInputs(epoch, shift) => self.load_network_inputs(epoch, shift),
            Load::Inside => self.request_inside(),
            Load::Grid(job) => self.load_grid(job),
            Load::Units => self.read_units(),
            Load::Places => self.request_places(),
            Load::Table(ask) => self.make_table(ask),
        }
    }

    /// Returns the value if it is available; otherwise requests it if needed.
    pub fn look_up<T>(&mut self, found: Lookup<T>) -> Option<T> {
        found.or_ask(|load| self.load(load))
    }
}
