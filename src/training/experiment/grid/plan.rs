//! The state of all cells of a grid: which runs exist, what the others will cost, and the results of its rows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::cells::{Cells, Overrides, value_of};
use super::forecast::{CellForecast, CellPredictor, data_key};
use crate::backbone::library::BackboneLibrary;
use crate::data::{builtin, is_available};
use crate::experiment::ResourceCache;
use crate::experiment::estimate::{Basis, EarlierRun, Experience, Network, TaskImages};
use crate::message;
use crate::method::with_explicit_settings;
use crate::problem::{Problem, Result};
use crate::run::event::Control;
use crate::run::grid::{CellState, Grid, GridRun, GridState};
use crate::store::{
    OrdersSummary, RunKey, RunSummary, RunsByKey, StoredState, is_cell_locked, settings_key,
};

/// Estimated costs of the cells that are not finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GridCosts {
    /// Number of runs to do, including stopped ones.
    pub runs: usize,
    /// Seconds of training and testing, one run after the other.
    pub seconds: f64,
    /// Whether the estimate of every run is based on earlier runs on its device.
    pub measured: bool,
    /// Whether these earlier runs had the same method and backbone.
    pub same_method: bool,
    /// Largest peak memory of a run in bytes, without decoded images.
    pub memory_bytes: u64,
    /// Approximate bytes of all runs on the disk.
    pub disk_bytes: u64,
}

/// The results of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowSummary {
    /// Its title.
    pub title: String,
    /// The settings in which rows of its part differ, with the values of this row.
    pub settings: BTreeMap<String, String>,
    /// Number of its cells without a finished run.
    pub missing: usize,
    /// Its runs, with mean and standard deviation of their metrics.
    #[serde(flatten)]
    pub figures: OrdersSummary,
}

/// All cells of a grid with their predictions and runs.
pub struct GridPlan {
    /// The cells.
    pub cells: Cells,
    /// The prediction for each cell; a Problem for a cell that cannot run.
    pub forecasts: Vec<Result<CellForecast>>,
    pub(super) root: PathBuf,
    /// The resources that its runs share.
    pub cache: ResourceCache,
    /// Stops its runs.
    pub control: Control,
    pub(super) runs: RunsByKey,
    pub(super) predictor: CellPredictor,
    experience: Experience,
}

impl GridPlan {
    /// Checks everything that the cells depend on, and the runs in `root`. With `opens_devices`, devices are opened as
    /// for a run. Returns `None` if the user stopped it.
    pub fn build(
        cells: Cells,
        root: &Path,
        opens_devices: bool,
        cache: &ResourceCache,
        control: &Control,
    ) -> Option<Self> {
        let mut predictor = CellPredictor::new(cache, control, opens_devices);
        let mut forecasts: Vec<Option<Result<CellForecast>>> = vec![None; cells.cells.len()];
        for number in order_by_data(&cells) {
            let cell = &cells.cells[number];
            let forecast = match &cell.problem {
                Some(problem) => Err(problem.clone()),
                None => predictor.forecast(&cell.config),
            };
            if !control.should_continue() {
                return None;
            }
            forecasts[number] = Some(forecast);
        }
        let runs = RunsByKey::load(root);
        let mut plan = Self {
            experience: collect_experience(&runs, &cache.backbones()),
            forecasts: forecasts.into_iter().flatten().collect(),
            cells,
            root: root.to_path_buf(),
            cache: cache.clone(),
            control: control.clone(),
            runs,
            predictor,
        };
        if opens_devices {
            // A missing device is reported when its cell runs.
            plan.find_devices();
        }
        Some(plan)
    }

    /// Returns the plan of a grid whose runs are trained elsewhere or not yet started; opens no device.
    ///
    /// # Errors
    /// See [`Cells::from_grid`].
    pub fn without_devices(grid: Grid, root: &Path, overrides: &Overrides) -> Result<Self> {
        let cells = Cells::from_grid(grid, root, overrides)?;
        let (cache, control) = (ResourceCache::default(), Control::default());
        let plan = Self::build(cells, root, false, &cache, &control);
        plan.ok_or_else(|| Problem::new(message!("notices-grid-incomplete")))
    }

    /// Returns the prediction for a cell; `None` for a cell that cannot run.
    pub fn forecast(&self, cell: usize) -> Option<&CellForecast> {
        self.forecasts.get(cell)?.as_ref().ok()
    }

    /// Returns the key of a cell's run, if it is known.
    pub fn key(&self, cell: usize) -> Option<&RunKey> {
        self.forecast(cell)?.key.as_ref()
    }

    /// Returns the key of a cell's settings, with the absolute path of its data.
    pub fn settings_key(&self, cell: usize) -> String {
        let mut config =
            with_explicit_settings(&self.cells.cells[cell].config).without_execution_settings();
        // In another working folder, a relative path is another dataset.
        if builtin::names().all(|name| name != config.data)
            && is_available(&config.data)
            && let Ok(path) = std::path::absolute(&config.data)
        {
            config.data = path.display().to_string();
        }
        settings_key(&config)
    }

    /// Returns the run of a cell that has progressed furthest. If there is one when the cell begins, it is resumed.
    pub fn run_for(&self, cell: usize) -> Option<&RunSummary> {
        self.runs.by_key(self.key(cell)?)
    }

    /// Returns the state of a cell.
    pub fn state(&self, cell: usize) -> CellState {
        if let Some(Err(problem)) = self.forecasts.get(cell) {
            return CellState::Refused(problem.clone());
        }
        let run = self.run_for(cell);
        let locked = || self.key(cell).is_some_and(|key| is_cell_locked(&self.root, key));
        match run.map(|run| (run.state, run)) {
            Some((StoredState::Finished, run)) => CellState::Done(run.header.folder.clone()),
            Some((StoredState::Running, _)) => CellState::Elsewhere,
            _ if locked() => CellState::Elsewhere,
            Some((StoredState::Interrupted { .. }, run)) => {
                CellState::Stopped { saved: run.saved_tasks(), tasks: run.header.tasks.len() }
            }
            None => CellState::ToDo,
        }
    }

    /// Assigns the run of this name, which was trained elsewhere, to a cell. The device of the run may be unknown
    /// here, and its dataset may not be available.
    pub fn adopt_run(&mut self, cell: usize, run: &str) {
        self.runs.refresh();
        let Some(run) = self.runs.by_folder(&self.root.join(run)) else {
            return;
        };
        let header = &run.header;
        self.forecasts[cell] = Ok(CellForecast {
            key: Some(run.key.clone()),
            train_images: header.train_images.clone(),
            test_images: header.test_images.clone(),
            memory: 0,
            disk: 0,
            network: None,
        });
    }

    /// Reads the runs again, because other programs may have continued them.
    pub fn refresh(&mut self) {
        self.runs.refresh();
    }

    /// Returns the cells in the order in which they run: those that share data and backbone follow one another.
    pub fn execution_order(&self) -> Vec<usize> {
        order_by_data(&self.cells)
    }

    /// Looks up the devices of all cells on this machine, so that earlier runs count for estimates whatever name they
    /// used for a device. Also allows measuring the processor. Returns a Problem for each device that does not exist.
    pub fn find_devices(&mut self) -> Vec<Problem> {
        self.experience.can_measure_processor = true;
        let cells = self.cells.cells.iter();
        let names: BTreeSet<&str> = cells.map(|cell| cell.config.device.as_str()).collect();
        let results = names.into_iter().map(|device| self.experience.find_device(device));
        results.filter_map(Result::err).collect()
    }

    /// Returns the estimated seconds of a whole cell, and the basis of the estimate (`None` if it is not based on
    /// earlier runs). Returns `None` for a cell that cannot run.
    pub fn estimate_seconds(&self, cell: usize) -> Option<(f64, Option<Basis>)> {
        let forecast = self.forecast(cell)?;
        let images = TaskImages { train: &forecast.train_images, test: &forecast.test_images };
        let experiment = forecast.key.as_ref().map(|key| key.experiment.as_str());
        let config = &self.cells.cells[cell].config;
        self.experience.estimate_seconds(config, experiment, images, forecast.network)
    }

    /// Returns the estimated costs of these cells, without what is already done.
    pub fn estimate_costs(&self, cells: &[usize]) -> GridCosts {
        let mut costs = GridCosts { measured: true, same_method: true, ..GridCosts::default() };
        for &cell in cells {
            let share = match self.state(cell) {
                CellState::ToDo => 1.0,
                CellState::Stopped { saved, tasks } => 1.0 - saved as f64 / tasks.max(1) as f64,
                _ => continue,
            };
            let Some(forecast) = self.forecast(cell) else {
                continue;
            };
            costs.runs += 1;
            let (seconds, basis) = self.estimate_seconds(cell).unwrap_or_default();
            costs.seconds += share * seconds;
            costs.measured &= basis.is_some();
            costs.same_method &= basis.is_some_and(|basis| basis <= Basis::Method);
            costs.memory_bytes = costs.memory_bytes.max(forecast.memory);
            let disk = (share * forecast.disk as f64) as u64;
            costs.disk_bytes = costs.disk_bytes.saturating_add(disk);
        }
        costs.measured &= costs.runs > 0;
        costs.same_method &= costs.runs > 0;
        costs
    }

    /// Returns all cells with their states and costs.
    pub fn status(&self) -> GridState {
        let titles = self.cells.titles();
        let lines = self.cells.cells.iter().enumerate();
        let lines = lines.map(|(number, cell)| GridRun {
            row: titles[number].first().copied().unwrap_or_default().to_string(),
            order: cell.config.order.clone(),
            seed: cell.config.seed,
            seconds: self.estimate_costs(&[number]).seconds,
            standing: self.state(number),
        });
        let all: Vec<usize> = (0..self.cells.cells.len()).collect();
        let costs = self.estimate_costs(&all);
        let grid = &self.cells.grid;
        GridState {
            title: match grid.title.as_str() {
                "" => grid.name.clone(),
                title => title.to_string(),
            },
            about: grid.about.clone(),
            lines: lines.collect(),
            rows: self.cells.rows.len(),
            measured: costs.measured,
            memory: costs.memory_bytes,
            disk: costs.disk_bytes,
        }
    }

    /// Returns the results of each row that has one of these cells, from its finished runs among them.
    pub fn rows(&self, cells: &[usize]) -> Vec<RowSummary> {
        let selected: HashSet<usize> = cells.iter().copied().collect();
        let rows = self.cells.rows.iter();
        let summaries = rows.filter_map(|row| {
            let row_cells: Vec<usize> =
                row.cells.iter().copied().filter(|c| selected.contains(c)).collect();
            let finished = row_cells.iter().filter_map(|cell| self.run_for(*cell));
            let finished = finished.filter(|run| run.state == StoredState::Finished);
            let runs: Vec<_> = finished.map(RunSummary::for_scripts).collect();
            (!row_cells.is_empty()).then(|| RowSummary {
                title: row.title.clone(),
                settings: row.varied.iter().cloned().collect(),
                missing: row_cells.len() - runs.len(),
                figures: OrdersSummary::new(runs),
            })
        });
        summaries.collect()
    }

    /// Returns whether a cell matches a filter: the value of a setting, or with the key `row` a part of the title of
    /// one of its rows.
    pub fn matches_filter(&self, cell: usize, key: &str, value: &str) -> bool {
        let config = &self.cells.cells[cell].config;
        if key == "row" {
            let rows = self.cells.rows.iter();
            let value = value.to_lowercase();
            let mut cell_rows = rows.filter(|row| row.cells.contains(&cell));
            return cell_rows.any(|row| row.title.to_lowercase().contains(&value));
        }
        value_of(config, key).is_some_and(|found| found.to_string() == value)
    }
}

/// Returns the indices of the cells, grouped by data and backbone, in the order of the first cell of each group.
fn order_by_data(cells: &Cells) -> Vec<usize> {
    let mut first: HashMap<(String, String), usize> = HashMap::new();
    let mut keyed: Vec<(usize, usize)> = Vec::new();
    for (number, cell) in cells.cells.iter().enumerate() {
        let key = (data_key(&cell.config), cell.config.backbone.clone());
        keyed.push((*first.entry(key).or_insert(number), number));
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// Returns the speeds of the existing runs.
fn collect_experience(runs: &RunsByKey, library: &BackboneLibrary) -> Experience {
    let (mut experience, mut networks) = (Experience::new(), HashMap::new());
    // The newest speed replaces older ones, so runs are added in order of time.
    let mut sorted: Vec<&RunSummary> = runs.runs().collect();
    sorted.sort_by(|a, b| a.header.started.cmp(&b.header.started));
    for run in sorted {
        let backbone = run.header.config.backbone_choice();
        let network = networks.entry(backbone.key()).or_insert_with(|| {
            let description = library.describe(backbone).ok()?;
            Some(Network::new(&description.entry.architecture))
        });
        let earlier = EarlierRun {
            header: &run.header,
            network: *network,
            saved: run.saved_tasks(),
            seconds: run.seconds(),
        };
        let finished = run.state == StoredState::Finished;
        experience.add(&earlier, finished.then_some(run.key.experiment.as_str()));
    }
    experience
}
