//! What is known of all cells of a grid: which are there, what the others will cost, and the figures of its rows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::cells::{Cells, Overrides};
use super::forecast::{Foreseen, Foresight, data_key};
use crate::backbone::library::BackboneLibrary;
use crate::experiment::ResourceCache;
use crate::experiment::estimate::{Basis, EarlierRun, Experience, Network, TaskImages};
use crate::message;
use crate::method::filled;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, ControlRequest};
use crate::run::grid::Grid;
use crate::store::{
    OrdersSummary, RunKey, RunSummary, RunsByKey, StoredState, is_cell_locked, settings_key,
};

/// The state of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CellState {
    /// Its run is finished and is here.
    Done(PathBuf),
    /// Its run is here and can be resumed.
    Stopped {
        /// The run's folder.
        folder: PathBuf,
        /// Its tasks that are saved.
        saved: usize,
        /// All of its tasks.
        tasks: usize,
    },
    /// Another program is at work on it.
    Elsewhere,
    /// Nothing is there yet.
    ToDo,
    /// It cannot be run.
    Refused(Problem),
}

/// What cells will cost that are not there yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GridCosts {
    /// Runs to do, stopped ones included.
    pub runs: usize,
    /// Seconds of training and testing, one run after the other.
    pub seconds: f64,
    /// Whether all of that comes from the speed of earlier runs on the device.
    pub measured: bool,
    /// Whether these had method and backbone of the runs to do.
    pub same_method: bool,
    /// Bytes of memory that the largest takes, decoded images not counted.
    pub memory_bytes: u64,
    /// About how many bytes all of them take on the disk.
    pub disk_bytes: u64,
}

/// The figures of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowFigures {
    /// What it is called.
    pub title: String,
    /// The settings in which rows of its part differ, with its values.
    pub settings: BTreeMap<String, String>,
    /// Its cells that have no finished run.
    pub missing: usize,
    /// Its runs, with mean and standard deviation of their figures.
    #[serde(flatten)]
    pub figures: OrdersSummary,
}

/// All cells of a grid with what is known of them.
pub struct GridPlan {
    /// The cells.
    pub cells: Cells,
    /// What is known of each; a Problem for one that cannot be run.
    pub foreseen: Vec<Result<Foreseen>>,
    pub(super) root: PathBuf,
    pub(super) cache: ResourceCache,
    pub(super) control: Control,
    pub(super) runs: RunsByKey,
    pub(super) foresight: Foresight,
    experience: Experience,
}

impl GridPlan {
    /// Checks everything that the cells depend on, and the runs below `root`. With `opens`, devices are opened as for a
    /// run. `None` if the user stopped it.
    pub fn make(
        cells: Cells,
        root: &Path,
        opens: bool,
        cache: &ResourceCache,
        control: &Control,
    ) -> Option<Self> {
        let mut foresight = Foresight::new(cache, control, opens);
        let mut foreseen: Vec<Option<Result<Foreseen>>> = vec![None; cells.cells.len()];
        for number in by_data(&cells) {
            let cell = &cells.cells[number];
            let known = match &cell.refused {
                Some(problem) => Err(problem.clone()),
                None => foresight.of(&cell.config),
            };
            if control.request() == ControlRequest::Stop {
                return None;
            }
            foreseen[number] = Some(known);
        }
        let runs = RunsByKey::read(root);
        let mut plan = Self {
            experience: experience(&runs, &cache.backbones()),
            foreseen: foreseen.into_iter().flatten().collect(),
            cells,
            root: root.to_path_buf(),
            cache: cache.clone(),
            control: control.clone(),
            runs,
            foresight,
        };
        if opens {
            // A cell whose device is not there says so when it is run.
            plan.find_devices();
        }
        Some(plan)
    }

    /// That of a grid whose runs others compute, or nobody yet: no device is opened.
    ///
    /// # Errors
    /// As [`Cells::of`].
    pub fn from_afar(grid: Grid, root: &Path, overrides: &Overrides) -> Result<Self> {
        let cells = Cells::of(grid, root, overrides)?;
        let (cache, control) = (ResourceCache::default(), Control::default());
        let plan = Self::make(cells, root, false, &cache, &control);
        plan.ok_or_else(|| Problem::new(message!("notices-grid-incomplete")))
    }

    /// What its runs have open.
    pub fn cache(&self) -> ResourceCache {
        self.cache.clone()
    }

    /// What the user requests.
    pub fn request(&self) -> ControlRequest {
        self.control.request()
    }

    /// The key of a cell's run, where it is known.
    pub fn key(&self, cell: usize) -> Option<&RunKey> {
        self.foreseen.get(cell)?.as_ref().ok()?.key.as_ref()
    }

    /// What the settings of a cell are known by, wherever they are computed.
    pub fn settings_key(&self, cell: usize) -> String {
        settings_key(&filled(&self.cells.cells[cell].config).anywhere())
    }

    /// The run of a cell that is furthest.
    pub fn run_of(&self, cell: usize) -> Option<&RunSummary> {
        self.runs.of(self.key(cell)?)
    }

    /// The state of a cell.
    pub fn state(&self, cell: usize) -> CellState {
        if let Some(Err(problem)) = self.foreseen.get(cell) {
            return CellState::Refused(problem.clone());
        }
        let run = self.run_of(cell);
        let locked = || {
            self.key(cell)
                .is_some_and(|key| is_cell_locked(&self.root, key))
        };
        match run.map(|run| (run.state, run)) {
            Some((StoredState::Finished, run)) => CellState::Done(run.header.folder.clone()),
            Some((StoredState::Running, _)) => CellState::Elsewhere,
            _ if locked() => CellState::Elsewhere,
            Some((StoredState::Interrupted { .. }, run)) => CellState::Stopped {
                folder: run.header.folder.clone(),
                saved: run.saved(),
                tasks: run.header.tasks.len(),
            },
            None => CellState::ToDo,
        }
    }

    /// Takes the run of this name, which was trained elsewhere, for that of a cell: what it was computed on may be unknown
    /// here, and its data set not available.
    pub fn learn(&mut self, cell: usize, run: &str) {
        self.runs.refresh();
        let Some(run) = self.runs.in_folder(&self.root.join(run)) else {
            return;
        };
        let header = &run.header;
        self.foreseen[cell] = Ok(Foreseen {
            key: Some(run.key.clone()),
            train_images: header.train_images.clone(),
            test_images: header.test_images.clone(),
            memory: 0,
            disk: 0,
            network: None,
        });
    }

    /// Looks at the runs again, which other programs may have resumed.
    pub fn refresh(&mut self) {
        self.runs.refresh();
    }

    /// The cells in the order in which they are run: those that share data and backbone one after the other.
    pub fn in_order(&self) -> Vec<usize> {
        by_data(&self.cells)
    }

    /// Looks for the devices of all cells on this machine, so that runs count for an estimate whatever they called their
    /// device, and without runs the speed of the processor; returns a Problem for each that is not there.
    pub fn find_devices(&mut self) -> Vec<Problem> {
        self.experience.measures = true;
        let cells = self.cells.cells.iter();
        let called: BTreeSet<&str> = cells.map(|cell| cell.config.device.as_str()).collect();
        let found = called
            .into_iter()
            .map(|device| self.experience.find_device(device));
        found.filter_map(Result::err).collect()
    }

    /// Seconds that a cell takes from its beginning, and by which earlier runs, `None` where they are guessed; `None` for a
    /// cell that cannot be run.
    pub fn seconds(&self, cell: usize) -> Option<(f64, Option<Basis>)> {
        let foreseen = self.foreseen.get(cell)?.as_ref().ok()?;
        let images = TaskImages {
            train: &foreseen.train_images,
            test: &foreseen.test_images,
        };
        let experiment = foreseen.key.as_ref().map(|key| key.experiment.as_str());
        let config = &self.cells.cells[cell].config;
        self.experience
            .seconds(config, experiment, images, foreseen.network)
    }

    /// What these cells will cost as far as they are not there.
    pub fn costs(&self, cells: &[usize]) -> GridCosts {
        let mut costs = GridCosts {
            measured: true,
            same_method: true,
            ..GridCosts::default()
        };
        for &cell in cells {
            let share = match self.state(cell) {
                CellState::ToDo => 1.0,
                CellState::Stopped { saved, tasks, .. } => 1.0 - saved as f64 / tasks.max(1) as f64,
                CellState::Done(_) | CellState::Elsewhere | CellState::Refused(_) => continue,
            };
            let Some(Ok(foreseen)) = self.foreseen.get(cell) else {
                continue;
            };
            costs.runs += 1;
            let (seconds, basis) = self.seconds(cell).unwrap_or_default();
            costs.seconds += share * seconds;
            costs.measured &= basis.is_some();
            costs.same_method &= basis.is_some_and(|basis| basis <= Basis::Method);
            costs.memory_bytes = costs.memory_bytes.max(foreseen.memory);
            let disk = (share * foreseen.disk as f64) as u64;
            costs.disk_bytes = costs.disk_bytes.saturating_add(disk);
        }
        costs.measured &= costs.runs > 0;
        costs.same_method &= costs.runs > 0;
        costs
    }

    /// The figures of each row that has a cell among these, from the finished runs of all its cells among them.
    pub fn rows(&self, cells: &[usize]) -> Vec<RowFigures> {
        let wanted: HashSet<usize> = cells.iter().copied().collect();
        let rows = self.cells.rows.iter();
        let figures = rows.filter_map(|row| {
            let own: Vec<usize> = row
                .cells
                .iter()
                .copied()
                .filter(|c| wanted.contains(c))
                .collect();
            let finished = own.iter().filter_map(|cell| self.run_of(*cell));
            let finished = finished.filter(|run| run.state == StoredState::Finished);
            let runs: Vec<_> = finished.map(RunSummary::for_scripts).collect();
            (!own.is_empty()).then(|| RowFigures {
                title: row.title.clone(),
                settings: row.varied.iter().cloned().collect(),
                missing: own.len() - runs.len(),
                figures: OrdersSummary::of(runs),
            })
        });
        figures.collect()
    }

    /// Whether a cell has what somebody asks for: a setting's value, or words of the title of one of its rows under
    /// `row`.
    pub fn has(&self, cell: usize, key: &str, value: &str) -> bool {
        let config = &self.cells.cells[cell].config;
        if key == "row" {
            let rows = self.cells.rows.iter();
            let value = value.to_lowercase();
            let mut own = rows.filter(|row| row.cells.contains(&cell));
            return own.any(|row| row.title.to_lowercase().contains(&value));
        }
        let common = crate::run::config::setting(key).map(|setting| (setting.get)(config));
        let told = match common {
            Some(value) => value,
            None => crate::method::filled(config).settings.get(key).cloned(),
        };
        told.is_some_and(|told| told.to_string() == value)
    }
}

/// The numbers of the cells, those together that share data and backbone, in the order of their first ones.
fn by_data(cells: &Cells) -> Vec<usize> {
    let mut first: HashMap<(String, String), usize> = HashMap::new();
    let mut keyed: Vec<(usize, usize)> = Vec::new();
    for (number, cell) in cells.cells.iter().enumerate() {
        let key = (data_key(&cell.config), cell.config.backbone.clone());
        keyed.push((*first.entry(key).or_insert(number), number));
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// What the runs that are there took.
fn experience(runs: &RunsByKey, library: &BackboneLibrary) -> Experience {
    let (mut all, mut networks) = (Experience::new(), HashMap::new());
    // The newest speed counts.
    let mut sorted: Vec<&RunSummary> = runs.all().collect();
    sorted.sort_by(|a, b| a.header.started.cmp(&b.header.started));
    for run in sorted {
        let backbone = run.header.config.chosen_backbone();
        let network = networks.entry(backbone.key()).or_insert_with(|| {
            let about = library.describe(backbone).ok()?;
            Some(Network::of(&about.entry.architecture))
        });
        let earlier = EarlierRun {
            header: &run.header,
            network: *network,
            saved: run.saved(),
            seconds: run.seconds(),
        };
        let finished = run.state == StoredState::Finished;
        all.add(&earlier, finished.then_some(run.key.experiment.as_str()));
    }
    all
}
