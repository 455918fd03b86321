//! Grids: series of runs that are planned, run and followed together. A grid is made from the settings on Experiment
//! that have several values, or opened from a file or from the built-in grids.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::Session;
use super::views::Fetch;
use crate::experiment::grid::{ShippedGrid, shipped, value_of};
use crate::problem::{Problem, Result};
use crate::run::config::{Aspect, RunConfig, Setting, setting};
use crate::run::grid::{CellState, GridRun, GridState};
use crate::run::job::{GridWork, Job, JobId, JobWork, SearchBy};
use crate::texts::translate_entry;
use crate::tr;

/// A setting with several values to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The key of the setting, common or of the method.
    pub key: String,
    /// Its values.
    pub values: Vec<Setting>,
}

/// The settings on Experiment that have several values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VaryingSettings {
    /// The settings. All combinations are run; the first setting varies slowest.
    pub axes: Vec<Axis>,
    /// Number of class orders for each row, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders: Option<u64>,
    /// Number of seeds for each row, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
}

impl VaryingSettings {
    /// Returns the values of the setting with this key, if it has several values.
    pub fn axis(&self, key: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.key == key)
    }

    /// Returns whether the setting with this key has several values or is repeated.
    pub fn has(&self, key: &str) -> bool {
        let is_repeated = match key {
            "order" => self.orders.is_some(),
            "seed" => self.seeds.is_some(),
            _ => false,
        };
        is_repeated || self.axis(key).is_some()
    }

    /// Returns a copy without values that are too large to store.
    pub fn storable(&self) -> Self {
        let mut storable = self.clone();
        for axis in &mut storable.axes {
            let fits = |value: &Setting| !matches!(value, Setting::Beyond(_));
            axis.values.retain(fits);
        }
        storable
    }

    /// Returns whether no setting has several values.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The source of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum GridSource {
    /// The settings on Experiment, some of which have several values.
    Varying(Box<GridFields>),
    /// The name of a built-in grid or a file, and the device of its runs if it overrides the file's.
    Named(String, Option<String>),
    /// A queued grid, and the device of its runs if it overrides the grid's.
    Queued(Box<GridWork>, Option<String>),
}

/// A grid as settings, some of which have several values.
#[derive(Clone, Debug, PartialEq)]
pub struct GridFields {
    /// The settings.
    pub draft: RunConfig,
    /// The preset that the settings start from.
    pub preset: Option<String>,
    /// The settings with several values.
    pub varying: VaryingSettings,
}

/// A grid and the state of its runs.
#[derive(Clone, Debug)]
pub struct GridView {
    /// The grid's file.
    pub work: GridWork,
    /// The device of its runs, if it overrides the file's.
    pub device: Option<String>,
    /// A summary such as "3 methods × 2 PETs × 3 class orders"; empty if the rows are not a product.
    pub factors: String,
    /// The state of its runs.
    pub state: GridState,
    /// The grid as settings, if its rows are a product of their values.
    pub fields: Option<Box<GridFields>>,
}

/// The grid on Experiment.
#[derive(Default)]
pub struct GridOnPage {
    /// The settings that have several values.
    pub varying: VaryingSettings,
    /// The name or file of an opened grid. If there is one, the settings are ignored.
    pub opened: Option<String>,
    /// How the best row of the grid is searched; `None` runs all rows.
    pub search: Option<SearchBy>,
    /// The plan of the grid. It is kept until a newer plan is ready.
    pub view: Fetch<Arc<GridView>>,
    requested: Option<GridSource>,
    is_planning: bool,
}

/// Returns name and title of the built-in grids, demos first.
pub fn shipped_grids() -> &'static [(&'static str, String)] {
    static ALL: OnceLock<Vec<(&'static str, String)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let title = |entry: &ShippedGrid| {
            let grid = entry.read().ok()?;
            Some((entry.name, grid.title))
        };
        let mut all: Vec<_> = shipped().iter().filter_map(title).collect();
        all.sort_by_key(|(name, _)| !name.ends_with("-demo"));
        all
    })
}

/// Returns the title of a grid in the current language; a user's title is unchanged.
pub fn grid_title(title: &str) -> &str {
    translate(title, "title", title)
}

/// Returns the description of the grid with this title in the current language; a user's description is unchanged.
pub fn grid_about<'a>(title: &str, about: &'a str) -> &'a str {
    translate(title, "about", about)
}

fn translate<'a>(title: &str, part: &str, english: &'a str) -> &'a str {
    let entry = shipped_grids().iter().find(|(_, listed)| listed == title);
    entry.map_or(english, |(name, _)| translate_entry("grid", name, part, english))
}

/// Returns the name of a run of a grid: its row, class order and seed.
pub fn grid_run_title(run: &GridRun) -> String {
    let (order, seed) = (run.order.as_str(), run.seed.to_string());
    let is_custom = order.chars().nth(24).is_some();
    // Order and seed are omitted if the row's name already contains them.
    let contains = |what: &str, value: &str| {
        let mut parts = run.row.split(" · ");
        parts.any(|part| part.split_once(' ') == Some((what, value)))
    };
    let mut words = vec![run.row.clone()];
    words.retain(|row| !row.is_empty());
    if is_custom {
        words.push(tr!("experiment-custom-order").into());
    } else if !contains("order", order) {
        words.push(tr!("experiment-order-number", order));
    }
    if !contains("seed", &seed) {
        words.push(tr!("experiment-seed-number", seed));
    }
    words.join(" · ")
}

/// Returns whether a setting can have several values. Settings of the device cannot, because they do not change the
/// results.
pub fn may_vary(key: &str) -> bool {
    setting(key).is_none_or(|setting| setting.spec.aspect != Aspect::Execution)
}

impl Session {
    /// Starts a list of values for the setting with this key, with the current value as the first.
    pub fn vary(&mut self, key: &str) {
        let experiment = &mut self.experiment;
        experiment.grid.opened = None;
        if experiment.grid.varying.has(key) || !may_vary(key) {
            return;
        }
        let draft = &experiment.draft;
        let current = value_of(draft, key);
        experiment
            .grid
            .varying
            .axes
            .push(Axis { key: key.to_string(), values: current.into_iter().collect() });
    }

    /// Sets the values of the setting with this key. With fewer than two values it becomes a single value again.
    pub fn set_values(&mut self, key: &str, mut values: Vec<Setting>) {
        let varying = &mut self.experiment.grid.varying;
        match key {
            "order" => varying.orders = None,
            "seed" => varying.seeds = None,
            _ => {}
        }
        if values.len() > 1 {
            let axis = varying.axes.iter_mut().find(|axis| axis.key == key);
            match axis {
                Some(axis) => axis.values = values,
                None => varying.axes.push(Axis { key: key.to_string(), values }),
            }
            return;
        }
        varying.axes.retain(|axis| axis.key != key);
        if let Some(value) = values.pop() {
            self.set(key, Some(value));
        }
    }

    /// Sets the number of class orders or seeds for each row; `None` uses the single value of the settings.
    pub fn repeat_rows(&mut self, key: &str, number: Option<u64>) {
        let varying = &mut self.experiment.grid.varying;
        varying.axes.retain(|axis| axis.key != key);
        match key {
            "order" => varying.orders = number,
            _ => varying.seeds = number,
        }
    }

    /// Opens a grid by the name of a built-in grid, or a file.
    pub fn open_grid(&mut self, name: String) {
        self.experiment.grid.opened = Some(name);
        self.experiment.grid.search = None;
        self.experiment.grid.view = Fetch::Busy;
        self.experiment.grid.requested = None;
    }

    /// Converts the opened grid into settings, some of which have several values.
    pub fn edit_grid(&mut self) {
        let view = self.experiment.grid.view.ready();
        let Some(fields) = view.and_then(|view| view.fields.clone()) else {
            return;
        };
        self.load_run_settings(fields.draft);
        self.experiment.preset = fields.preset;
        self.experiment.grid.varying = fields.varying;
    }

    /// Closes the grid and returns to single values.
    pub fn close_grid(&mut self) {
        self.experiment.grid.opened = None;
        self.experiment.grid.varying = VaryingSettings::default();
        self.experiment.grid.search = None;
        self.experiment.grid.view = Fetch::Nothing;
        self.experiment.grid.requested = None;
    }

    /// Returns whether a grid is set up on Experiment.
    pub fn has_grid(&self) -> bool {
        let grid = &self.experiment.grid;
        grid.opened.is_some() || !grid.varying.is_empty()
    }

    /// Returns whether the grid on Experiment is planned.
    pub(super) fn is_grid_planned(&self) -> bool {
        let grid = &self.experiment.grid;
        !grid.is_planning && grid.requested == self.grid_source()
    }

    /// Returns the number of runs that remain to be run, if the grid on Experiment can be started.
    pub fn remaining_grid_runs(&self) -> Option<usize> {
        let is_current = self.is_grid_planned();
        let view = self.experiment.grid.view.ready().filter(|_| is_current)?;
        if self.grid_search().is_some() {
            // A search has other runs: they are shorter and are tested on held-out images.
            return Some(view.state.rows);
        }
        let remaining = match self.experiment.machine {
            // Runs that failed here, for example because of missing data, may succeed on the remote machine.
            Some(_) => view.state.lines.len() - view.state.finished_runs(),
            None => view.state.pending_runs(),
        };
        Some(remaining).filter(|count| *count > 0)
    }

    /// Returns how the best row is searched, if a search is selected and there are several rows.
    pub fn grid_search(&self) -> Option<SearchBy> {
        let grid = &self.experiment.grid;
        let has_several_rows = grid.view.ready().is_some_and(|view| view.state.rows > 1);
        grid.search.filter(|_| has_several_rows)
    }

    /// Queues the grid on Experiment. Returns whether it was queued.
    pub(super) fn start_grid(&mut self) -> bool {
        let view = self.experiment.grid.view.ready().cloned();
        let Some(view) = view.filter(|_| self.remaining_grid_runs().is_some()) else {
            return false;
        };
        let search = self.grid_search();
        let machine = self.experiment.machine.clone();
        if let (Some(machine), Some(_)) = (&machine, search) {
            let text = tr!("experiment-search-local-only", place = machine.as_str());
            let advice = tr!("experiment-search-local-only-advice");
            self.notify(Problem::new(text).advise(advice), true);
            return false;
        }
        let runs = view.state.lines.iter().enumerate();
        let is_done_locally = |run: &GridRun| matches!(run.standing, CellState::Done(_));
        let missing = runs.filter(|(_, run)| machine.is_some() && !is_done_locally(run));
        let work = GridWork {
            search,
            cells: missing.map(|(cell, _)| cell).collect(),
            ..view.work.clone()
        };
        let mut title = view.state.title.clone();
        let is_same_grid = |job: &Job| matches!(&job.work, JobWork::Grid(other) if **other == work);
        let remote = machine.as_ref().and_then(|name| self.train.machines.get(name));
        let is_queued_remotely = remote.is_some_and(|at| at.queue.jobs().any(is_same_grid));
        if is_queued_remotely || self.waiting().any(is_same_grid) {
            let text = tr!("experiment-grid-already-queued", title = title.as_str());
            self.notify(Problem::new(text), false);
            return false;
        }
        if search.is_some() {
            title = tr!("experiment-grid-search-title", title);
        }
        let job = Job::grid(work, view.device.clone(), title);
        match machine {
            Some(machine) => self.queue_on_machine(&machine, job),
            None => self.queue(job),
        }
        true
    }

    pub(super) fn grid_source(&self) -> Option<GridSource> {
        let experiment = &self.experiment;
        let device = &experiment.draft.device;
        if let Some(name) = &experiment.grid.opened {
            let device = (device != "auto").then(|| device.clone());
            return Some(GridSource::Named(name.clone(), device));
        }
        (!experiment.grid.varying.is_empty()).then(|| {
            GridSource::Varying(Box::new(GridFields {
                draft: experiment.draft.clone(),
                preset: experiment.preset.clone(),
                varying: experiment.grid.varying.clone(),
            }))
        })
    }

    /// Requests a new plan of the grid because runs were added or removed.
    pub(super) fn invalidate_grid(&mut self) {
        self.experiment.grid.requested = None;
        self.train.planned_grids.clear();
    }

    /// Plans the grid on Experiment again if it changed, with one request at a time.
    pub(super) fn refresh_grid(&mut self) {
        let source = self.grid_source();
        let Some(requested) = source.clone() else {
            self.experiment.grid.requested = None;
            return;
        };
        if self.experiment.grid.is_planning || self.experiment.grid.requested == source {
            return;
        }
        self.experiment.grid.is_planning = true;
        self.experiment.grid.requested = source;
        self.task(
            move |sources| sources.disk().plan_grid(&requested),
            |session, view: Result<GridView>| {
                session.experiment.grid.is_planning = false;
                session.experiment.grid.view = Fetch::from_result(view.map(Arc::new));
            },
        );
    }

    /// Reads the state of the runs of a queued grid.
    pub(super) fn load_grid(&mut self, job: JobId) {
        let waiting = self.waiting().find(|waiting| waiting.id == job).cloned();
        let Some(JobWork::Grid(work)) = waiting.as_ref().map(|job| job.work.clone()) else {
            return;
        };
        let device = waiting.and_then(|job| job.device);
        self.train.planned_grids.insert(job, Fetch::Busy);
        self.task(
            move |sources| sources.disk().plan_grid(&GridSource::Queued(work, device)),
            move |session, view| {
                let view = Fetch::from_result(view.map(Arc::new));
                session.train.planned_grids.insert(job, view);
            },
        );
    }

    /// Saves the grid on Experiment as a file.
    pub fn save_grid(&mut self, mut target: PathBuf) {
        let Some(view) = self.experiment.grid.view.ready().cloned() else {
            return;
        };
        if target.extension().is_none_or(|extension| extension != "toml") {
            target = target.with_added_extension("toml");
        }
        self.task_or_notify(
            move |_| crate::store::write_file(&target, view.work.text.as_bytes()).map(|_| target),
            |session, path| {
                let problem = Problem::new(tr!("experiment-grid-saved")).at_path(&path);
                session.notify(problem, false);
            },
        );
    }
}
