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
use crate::run::grid::{CellStanding, GridLine, GridStanding};
use crate::run::job::{GridWork, Job, JobId, JobWork, SearchBy};
use crate::texts::of_list;
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
    pub fn of(&self, key: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.key == key)
    }

    /// Returns whether the setting with this key has several values or is repeated.
    pub fn has(&self, key: &str) -> bool {
        let counted = match key {
            "order" => self.orders.is_some(),
            "seed" => self.seeds.is_some(),
            _ => false,
        };
        counted || self.of(key).is_some()
    }

    /// Returns a copy without values that are too large to store.
    pub fn storable(&self) -> Self {
        let mut kept = self.clone();
        for axis in &mut kept.axes {
            let fits = |value: &Setting| !matches!(value, Setting::Beyond(_));
            axis.values.retain(fits);
        }
        kept
    }

    /// Returns whether no setting has several values.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The source of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum GridAsk {
    /// The settings on Experiment, some of which have several values.
    Several(Box<GridFields>),
    /// The name of a built-in grid or a file, and the device of its runs if it overrides the file's.
    Named(String, Option<String>),
    /// A queued grid, and the device of its runs if it overrides the grid's.
    Text(Box<GridWork>, Option<String>),
}

/// A grid as settings, some of which have several values.
#[derive(Clone, Debug, PartialEq)]
pub struct GridFields {
    /// The settings.
    pub draft: RunConfig,
    /// The preset that the settings start from.
    pub preset: Option<String>,
    /// The settings with several values.
    pub several: VaryingSettings,
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
    pub standing: GridStanding,
    /// The grid as settings, if its rows are a product of their values.
    pub fields: Option<Box<GridFields>>,
}

/// The grid on Experiment.
#[derive(Default)]
pub struct GridOnPage {
    /// The settings that have several values.
    pub several: VaryingSettings,
    /// The name or file of an opened grid. If there is one, the settings are ignored.
    pub opened: Option<String>,
    /// How the best row of the grid is searched; `None` runs all rows.
    pub search: Option<SearchBy>,
    /// The plan of the grid. It is kept until a newer plan is ready.
    pub view: Fetch<Arc<GridView>>,
    asked: Option<GridAsk>,
    busy: bool,
}

/// Returns name and title of the built-in grids, demos first.
pub fn shipped_grids() -> &'static [(&'static str, String)] {
    static ALL: OnceLock<Vec<(&'static str, String)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let title = |known: &ShippedGrid| {
            let grid = known.read().ok()?;
            Some((known.name, grid.title))
        };
        let mut all: Vec<_> = shipped().iter().filter_map(title).collect();
        all.sort_by_key(|(name, _)| !name.ends_with("-demo"));
        all
    })
}

/// Returns the title of a grid in the current language; a user's title is unchanged.
pub fn grid_title(title: &str) -> &str {
    said(title, "title", title)
}

/// Returns the description of the grid with this title in the current language; a user's description is unchanged.
pub fn grid_about<'a>(title: &str, about: &'a str) -> &'a str {
    said(title, "about", about)
}

fn said<'a>(title: &str, part: &str, english: &'a str) -> &'a str {
    let known = shipped_grids().iter().find(|(_, known)| known == title);
    known.map_or(english, |(name, _)| of_list("grid", name, part, english))
}

/// Returns the name of a run of a grid: its row, class order and seed.
pub fn line_title(line: &GridLine) -> String {
    let (order, seed) = (line.order.as_str(), line.seed.to_string());
    let own = order.chars().nth(24).is_some();
    // Order and seed are omitted if the row's name already contains them.
    let said = |what: &str, value: &str| {
        let mut parts = line.row.split(" · ");
        parts.any(|part| part.split_once(' ') == Some((what, value)))
    };
    let mut words = vec![line.row.clone()];
    words.retain(|row| !row.is_empty());
    if own {
        words.push(tr!("experiment-custom-order").into());
    } else if !said("order", order) {
        words.push(tr!("experiment-order-number", order));
    }
    if !said("seed", &seed) {
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
        if experiment.grid.several.has(key) || !may_vary(key) {
            return;
        }
        let draft = &experiment.draft;
        let now = value_of(draft, key);
        experiment.grid.several.axes.push(Axis {
            key: key.to_string(),
            values: now.into_iter().collect(),
        });
    }

    /// Sets the values of the setting with this key. With fewer than two values it becomes a single value again.
    pub fn set_values(&mut self, key: &str, mut values: Vec<Setting>) {
        let several = &mut self.experiment.grid.several;
        match key {
            "order" => several.orders = None,
            "seed" => several.seeds = None,
            _ => {}
        }
        if values.len() > 1 {
            let axis = several.axes.iter_mut().find(|axis| axis.key == key);
            match axis {
                Some(axis) => axis.values = values,
                None => several.axes.push(Axis {
                    key: key.to_string(),
                    values,
                }),
            }
            return;
        }
        several.axes.retain(|axis| axis.key != key);
        if let Some(only) = values.pop() {
            self.set(key, Some(only));
        }
    }

    /// Sets the number of class orders or seeds for each row; `None` uses the single value of the settings.
    pub fn repeat_rows(&mut self, key: &str, number: Option<u64>) {
        let several = &mut self.experiment.grid.several;
        several.axes.retain(|axis| axis.key != key);
        match key {
            "order" => several.orders = number,
            _ => several.seeds = number,
        }
    }

    /// Opens a grid by the name of a built-in grid, or a file.
    pub fn open_grid(&mut self, name: String) {
        self.experiment.grid.opened = Some(name);
        self.experiment.grid.search = None;
        self.experiment.grid.view = Fetch::Busy;
        self.experiment.grid.asked = None;
    }

    /// Converts the opened grid into settings, some of which have several values.
    pub fn edit_grid(&mut self) {
        let view = self.experiment.grid.view.ready();
        let Some(fields) = view.and_then(|view| view.fields.clone()) else {
            return;
        };
        self.load_run_settings(fields.draft);
        self.experiment.preset = fields.preset;
        self.experiment.grid.several = fields.several;
    }

    /// Closes the grid and returns to single values.
    pub fn close_grid(&mut self) {
        self.experiment.grid.opened = None;
        self.experiment.grid.several = VaryingSettings::default();
        self.experiment.grid.search = None;
        self.experiment.grid.view = Fetch::Nothing;
        self.experiment.grid.asked = None;
    }

    /// Returns whether a grid is set up on Experiment.
    pub fn has_grid(&self) -> bool {
        let grid = &self.experiment.grid;
        grid.opened.is_some() || !grid.several.is_empty()
    }

    /// Returns whether the grid on Experiment is planned.
    pub(super) fn is_grid_planned(&self) -> bool {
        let grid = &self.experiment.grid;
        !grid.busy && grid.asked == self.grid_ask()
    }

    /// Returns the number of runs that remain to be run, if the grid on Experiment can be started.
    pub fn grid_to_do(&self) -> Option<usize> {
        let fresh = self.is_grid_planned();
        let view = self.experiment.grid.view.ready().filter(|_| fresh)?;
        if self.grid_search().is_some() {
            // A search has other runs: they are shorter and are tested on held-out images.
            return Some(view.standing.rows);
        }
        let left = match self.experiment.place {
            // Runs that failed here, for example because of missing data, may succeed at the place.
            Some(_) => view.standing.lines.len() - view.standing.done(),
            None => view.standing.to_do(),
        };
        Some(left).filter(|left| *left > 0)
    }

    /// Returns how the best row is searched, if a search is selected and there are several rows.
    pub fn grid_search(&self) -> Option<SearchBy> {
        let grid = &self.experiment.grid;
        let several = grid.view.ready().is_some_and(|view| view.standing.rows > 1);
        grid.search.filter(|_| several)
    }

    /// Queues the grid on Experiment. Returns whether it was queued.
    pub(super) fn start_grid(&mut self) -> bool {
        let view = self.experiment.grid.view.ready().cloned();
        let Some(view) = view.filter(|_| self.grid_to_do().is_some()) else {
            return false;
        };
        let search = self.grid_search();
        let place = self.experiment.place.clone();
        if let (Some(place), Some(_)) = (&place, search) {
            let told = tr!("experiment-search-local-only", place = place.as_str());
            let advice = tr!("experiment-search-local-only-advice");
            self.notify(Problem::new(told).advise(advice), true);
            return false;
        }
        let lines = view.standing.lines.iter().enumerate();
        let is_here = |line: &GridLine| matches!(line.standing, CellStanding::Done(_));
        let missing = lines.filter(|(_, line)| place.is_some() && !is_here(line));
        let work = GridWork {
            search,
            cells: missing.map(|(cell, _)| cell).collect(),
            ..view.work.clone()
        };
        let mut title = view.standing.title.clone();
        let same = |job: &Job| matches!(&job.work, JobWork::Grid(other) if **other == work);
        let away = place.as_ref().and_then(|name| self.train.places.get(name));
        let waits = away.is_some_and(|at| at.queue.jobs().any(same));
        if waits || self.waiting().any(same) {
            let told = tr!("experiment-grid-already-queued", title = title.as_str());
            self.notify(Problem::new(told), false);
            return false;
        }
        if search.is_some() {
            title = tr!("experiment-grid-search-title", title);
        }
        let job = Job::grid(work, view.device.clone(), title);
        match place {
            Some(place) => self.queue_at(&place, job),
            None => self.queue(job),
        }
        true
    }

    pub(super) fn grid_ask(&self) -> Option<GridAsk> {
        let experiment = &self.experiment;
        let device = &experiment.draft.device;
        if let Some(name) = &experiment.grid.opened {
            let device = (device != "auto").then(|| device.clone());
            return Some(GridAsk::Named(name.clone(), device));
        }
        (!experiment.grid.several.is_empty()).then(|| {
            GridAsk::Several(Box::new(GridFields {
                draft: experiment.draft.clone(),
                preset: experiment.preset.clone(),
                several: experiment.grid.several.clone(),
            }))
        })
    }

    /// Requests a new plan of the grid because runs were added or removed.
    pub(super) fn renew_grid(&mut self) {
        self.experiment.grid.asked = None;
        self.train.planned.clear();
    }

    /// Plans the grid on Experiment again if it changed, with one request at a time.
    pub(super) fn refresh_grid(&mut self) {
        let ask = self.grid_ask();
        let Some(wanted) = ask.clone() else {
            self.experiment.grid.asked = None;
            return;
        };
        if self.experiment.grid.busy || self.experiment.grid.asked == ask {
            return;
        }
        self.experiment.grid.busy = true;
        self.experiment.grid.asked = ask;
        self.task(
            move |sources| sources.disk().grid(&wanted),
            |session, view: Result<GridView>| {
                session.experiment.grid.busy = false;
                session.experiment.grid.view = Fetch::of(view.map(Arc::new));
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
        self.train.planned.insert(job, Fetch::Busy);
        self.task(
            move |sources| sources.disk().grid(&GridAsk::Text(work, device)),
            move |session, view| {
                let view = Fetch::of(view.map(Arc::new));
                session.train.planned.insert(job, view);
            },
        );
    }

    /// Saves the grid on Experiment as a file.
    pub fn save_grid(&mut self, mut to: PathBuf) {
        let Some(view) = self.experiment.grid.view.ready().cloned() else {
            return;
        };
        if to.extension().is_none_or(|ending| ending != "toml") {
            to = to.with_added_extension("toml");
        }
        self.task_or_notify(
            move |_| crate::store::write_file(&to, view.work.text.as_bytes()).map(|_| to),
            |session, path| {
                let told = Problem::new(tr!("experiment-grid-saved")).at_path(&path);
                session.notify(told, false);
            },
        );
    }
}
