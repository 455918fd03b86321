//! A stored run in the list of runs.

use std::path::PathBuf;

use super::quality::Quality;
use super::words::told_apart;
use crate::metrics::{Expert, Histories, History};
use crate::problem::Problem;
use crate::run::event::{Costs, RunHeader};
use crate::store::{Figures, Kin};

/// How a run in the list stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// All tasks are learned.
    Finished,
    /// It can be continued; so many tasks are learned.
    Unfinished(usize),
    /// Another program, or this one, is working on it.
    Busy,
    /// It cannot be read.
    Damaged(Problem),
}

/// A run in the list of runs.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Folder name.
    pub name: String,
    /// Where it lies.
    pub folder: PathBuf,
    /// Its settings and facts; none for a damaged run.
    pub header: Option<RunHeader>,
    /// How it stands.
    pub state: RunState,
    /// The exact text of its PET plugin.
    pub plugin: String,
    /// What tells which other runs repeat it; none while no task is measured.
    pub kin: Option<Kin>,
    /// What runs are compared by, in percent.
    pub figures: Figures,
    /// What each expert achieved, task by task.
    pub history: Histories,
    /// Training speed over all tasks.
    pub images_per_second: f64,
    /// How far the online and the offline PET have moved since the first task, by task; empty for
    /// methods that have none.
    pub drift: Vec<(f64, f64)>,
    /// How far its two experts were apart after each pass of each task; empty where it had one.
    pub apart: Vec<Vec<f64>>,
    /// What it cost so far.
    pub costs: Costs,
}

impl RunRow {
    /// One expert's history.
    pub fn of(&self, expert: Expert) -> &History {
        self.history.of(expert)
    }

    /// The history of the run's answer.
    pub fn answers(&self) -> &History {
        self.history.answer()
    }

    /// How far the accuracy of the run's answer can be trusted; none while no task is measured.
    pub fn quality(&self) -> Option<Quality> {
        let (header, done) = (self.header.as_ref()?, self.answers().accuracy.len());
        let seen = header.tasks.get(..done)?;
        let images = header.test_images.get(..done)?.iter().sum();
        Some(Quality::of_share(
            self.answers().last()?,
            images,
            seen.last()?.end,
        ))
    }

    /// The same for the images of the first task, as they are answered now.
    pub fn quality_of_first(&self) -> Option<Quality> {
        let (header, rows) = (self.header.as_ref()?, &self.answers().matrix);
        let seen = header.tasks.get(..rows.len())?;
        let images = *header.test_images.first()?;
        Some(Quality::of_share(
            *rows.last()?.first()?,
            images,
            seen.last()?.end,
        ))
    }

    /// Number of its tasks; 0 where it cannot be read.
    pub fn tasks(&self) -> usize {
        self.header.as_ref().map_or(0, |header| header.tasks.len())
    }

    /// What people call it.
    pub fn title(&self) -> String {
        self.header
            .as_ref()
            .map_or_else(|| self.name.clone(), title_of)
    }
}

/// What people call a run: its settings in short, with seed and order where they are not the usual
/// ones.
pub fn title_of(header: &RunHeader) -> String {
    header.title() + told_apart(&header.config).as_str()
}
