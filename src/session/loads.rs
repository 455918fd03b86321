//! What pages show that has to be read or worked out first. A page looks it up in the session, which it cannot change;
//! what nobody asked for yet comes back as a [`Load`], to be asked for after the frame.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::run_table::TableAsk;
use super::views::{DataView, PictureKey, Pictures, Split, SplitKey};
use crate::data::{Fingerprints, OpenOptions};
use crate::run::job::JobId;

/// What came of looking something up.
#[derive(Clone, Debug)]
pub enum Lookup<T> {
    /// Here it is.
    Found(T),
    /// It is not there: it is under way, or nothing is to be read.
    Absent,
    /// Nobody asked for it yet.
    Unread(Load),
}

impl<T> Lookup<T> {
    /// The thing, once it is there; where nobody asked for it, `ask` does.
    pub fn or_ask(self, ask: impl FnOnce(Load)) -> Option<T> {
        match self {
            Self::Found(thing) => return Some(thing),
            Self::Absent => {}
            Self::Unread(load) => ask(load),
        }
        None
    }

    /// Looks up what needs this one first.
    pub fn and_then<U>(self, look_up: impl FnOnce(T) -> Lookup<U>) -> Lookup<U> {
        match self {
            Self::Found(thing) => look_up(thing),
            Self::Absent => Lookup::Absent,
            Self::Unread(load) => Lookup::Unread(load),
        }
    }
}

/// Something to be read or worked out, because a page shows it.
#[derive(Clone, Debug)]
pub enum Load {
    /// A data set.
    Data(Box<DataAsk>),
    /// The corrected labels of the data set at this place.
    Corrected(String),
    /// One of these images.
    Picture(PictureKey, Arc<dyn Pictures>),
    /// The SHA-256 of one of these images.
    Hash(PictureKey, Arc<dyn Pictures>),
    /// Whether a split has the images of these fingerprints.
    Fingerprint(SplitKey, Fingerprints, Arc<dyn Pictures>),
    /// Whether a split may hold the images that the run in this folder noted nothing of but their number and classes.
    Tested(PathBuf, Split, Arc<DataView>),
    /// Training images as the network gets them: the epoch of their tasks, from 0, and what chooses the images.
    Sight(usize, usize),
    /// What is inside the run on Predict.
    Inside,
    /// How the runs of a grid stand that waits in the queue as this job.
    Grid(JobId),
    /// The lessons.
    Units,
    /// What answers at the places.
    Places,
    /// A table of runs.
    Table(TableAsk),
}

/// A data set to open.
#[derive(Clone, Debug, PartialEq)]
pub struct DataAsk {
    /// What the settings call it: a name or a path.
    pub place: String,
    /// How its splits and limits are.
    pub options: OpenOptions,
    /// Whether its files are read anew although they were read before.
    pub fresh: bool,
}

impl DataAsk {
    /// What defines its answer, as text.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.place, self.options)
    }
}

impl Session {
    /// Asks for what a page found missing, unless somebody did meanwhile.
    pub fn load(&mut self, wanted: Load) {
        match wanted {
            Load::Data(ask) => self.load_data(*ask),
            Load::Corrected(place) => self.load_corrected(&place),
            Load::Picture(key, pictures) => self.load_picture(key, pictures),
            Load::Hash(key, pictures) => self.load_hash(key, pictures),
            Load::Fingerprint(of, noted, pictures) => self.load_print(of, noted, pictures),
            Load::Tested(run, split, data) => self.compare_tested(&run, split, &data),
            Load::Sight(epoch, shift) => self.load_sight(epoch, shift),
            Load::Inside => self.look_inside(),
            Load::Grid(job) => self.load_grid(job),
            Load::Units => self.read_units(),
            Load::Places => self.ask_places(),
            Load::Table(ask) => self.make_table(ask),
        }
    }

    /// What was looked up, once it is there; asked for where nobody did.
    pub fn look_up<T>(&mut self, found: Lookup<T>) -> Option<T> {
        found.or_ask(|load| self.load(load))
    }
}
