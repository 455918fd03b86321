//! Grids: series of runs that are planned, run and followed as one. A grid is made of the settings on Experiment, some of
//! which have several values, or is opened from a file or from those that come with the program.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::Session;
use super::views::Fetch;
use crate::experiment::grid::shipped;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Says, Setting, setting};
use crate::run::grid::{GridLine, GridStanding};
use crate::run::job::{GridWork, Job, JobId, JobWork, SearchBy};

/// A setting with several values, all of which are to be tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The setting, of every run or the method's own.
    pub key: String,
    /// Its values.
    pub values: Vec<Setting>,
}

/// The settings on Experiment that have several values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Several {
    /// They are crossed, the first varies slowest.
    pub axes: Vec<Axis>,
    /// Class orders of each row, where there are several.
    pub orders: Option<u64>,
    /// Seeds of each row, where there are several.
    pub seeds: Option<u64>,
}

impl Several {
    /// The values of the setting under this key, where it has several.
    pub fn of(&self, key: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.key == key)
    }

    /// Whether the setting under this key has several values, or is counted through.
    pub fn has(&self, key: &str) -> bool {
        let counted = match key {
            "order" => self.orders.is_some(),
            "seed" => self.seeds.is_some(),
            _ => false,
        };
        counted || self.of(key).is_some()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a grid comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum GridAsk {
    /// The settings on Experiment, some of which have several values.
    Several {
        /// The settings.
        draft: Box<RunConfig>,
        /// The preset that they were taken from.
        preset: Option<String>,
        /// Those with several values.
        several: Several,
    },
    /// The name of one that comes with the program, or a file; and the device of its runs, where it is not the file's.
    Named(String, Option<String>),
    /// The text of one that waits in the queue.
    Text(Box<GridWork>, Option<String>),
}

/// A grid as settings, some of which have several values.
#[derive(Clone, Debug)]
pub struct GridFields {
    /// The settings.
    pub draft: RunConfig,
    /// The preset that they begin with.
    pub preset: Option<String>,
    /// Those with several values.
    pub several: Several,
}

/// A grid and how its runs stand.
#[derive(Clone, Debug)]
pub struct GridView {
    /// Its file.
    pub work: GridWork,
    /// The device of its runs, where it is not the file's.
    pub device: Option<String>,
    /// "3 methods × 2 PETs × 3 class orders"; empty where its rows are no product.
    pub factors: String,
    /// Its runs.
    pub standing: GridStanding,
    /// The same as settings, where its rows are a product of their values.
    pub fields: Option<Box<GridFields>>,
}

/// The grid on Experiment.
#[derive(Default)]
pub struct GridOnPage {
    /// The settings that have several values.
    pub several: Several,
    /// The name or file of one that was opened; then the settings do not count.
    pub opened: Option<String>,
    /// How the best of its rows is searched; none where all are run.
    pub search: Option<SearchBy>,
    /// What it comes to; kept until a newer one is there.
    pub view: Fetch<Arc<GridView>>,
    asked: Option<GridAsk>,
    busy: bool,
}

/// The grids that come with the program, demos first: name and title.
pub fn shipped_grids() -> &'static [(&'static str, String)] {
    static ALL: OnceLock<Vec<(&'static str, String)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let title = |known: &crate::experiment::grid::ShippedGrid| {
            let grid = known.read().ok()?;
            Some((known.name, grid.title))
        };
        let mut all: Vec<_> = shipped().iter().filter_map(title).collect();
        all.sort_by_key(|(name, _)| !name.ends_with("-demo"));
        all
    })
}

/// What a run of a grid is called: its row, class order and seed.
pub fn line_title(line: &GridLine) -> String {
    let order = match line.order.chars().nth(24) {
        Some(_) => "own",
        None => &line.order,
    };
    let mut words: Vec<String> = Some(&line.row)
        .filter(|row| !row.is_empty())
        .into_iter()
        .cloned()
        .collect();
    // A row that is told apart by one of them says so already.
    for told in [format!("order {order}"), format!("seed {}", line.seed)] {
        if !words
            .first()
            .is_some_and(|row| row.split(" · ").any(|part| part == told))
        {
            words.push(told);
        }
    }
    words.join(" · ")
}

/// Whether several values of a setting make several runs: where a run is computed changes none.
pub fn may_vary(key: &str) -> bool {
    setting(key).is_none_or(|setting| setting.spec.says != Says::Where)
}

impl Session {
    /// Gives the setting under this key several values, beginning with the present one.
    pub fn vary(&mut self, key: &str) {
        let experiment = &mut self.experiment;
        experiment.grid.opened = None;
        if experiment.grid.several.has(key) || !may_vary(key) {
            return;
        }
        let draft = &experiment.draft;
        let now = match setting(key) {
            Some(setting) => (setting.get)(draft),
            None => crate::method::filled(draft).settings.get(key).cloned(),
        };
        experiment.grid.several.axes.push(Axis {
            key: key.to_string(),
            values: now.into_iter().collect(),
        });
    }

    /// The values of the setting under this key; with one, or none, it is a single one again.
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

    /// So many class orders, or seeds, for each row; none for the one of the settings.
    pub fn repeat_rows(&mut self, key: &str, number: Option<u64>) {
        let several = &mut self.experiment.grid.several;
        several.axes.retain(|axis| axis.key != key);
        match key {
            "order" => several.orders = number,
            _ => several.seeds = number,
        }
    }

    /// Opens a grid: the name of one that comes with the program, or a file.
    pub fn open_grid(&mut self, name: String) {
        self.experiment.grid.opened = Some(name);
        self.experiment.grid.search = None;
        self.experiment.grid.view = Fetch::Busy;
        self.experiment.grid.asked = None;
    }

    /// Makes the grid that was opened the settings, some of which then have several values.
    pub fn edit_grid(&mut self) {
        let view = self.experiment.grid.view.ready();
        let Some(fields) = view.and_then(|view| view.fields.clone()) else {
            return;
        };
        self.take_up(fields.draft);
        self.experiment.preset = fields.preset;
        self.experiment.grid.several = fields.several;
    }

    /// Goes back to single values, and to the settings.
    pub fn close_grid(&mut self) {
        self.experiment.grid.opened = None;
        self.experiment.grid.several = Several::default();
        self.experiment.grid.search = None;
        self.experiment.grid.view = Fetch::Nothing;
        self.experiment.grid.asked = None;
    }

    /// Whether what stands on Experiment is a grid.
    pub fn has_grid(&self) -> bool {
        let grid = &self.experiment.grid;
        grid.opened.is_some() || !grid.several.is_empty()
    }

    /// Whether the grid on Experiment can be started: how many runs are to be done.
    pub fn grid_to_do(&self) -> Option<usize> {
        let grid = &self.experiment.grid;
        let fresh = !grid.busy && grid.asked == self.grid_ask();
        let view = grid.view.ready().filter(|_| fresh)?;
        if self.grid_search().is_some() {
            // Its runs are others: shorter ones, on pictures held back.
            return Some(view.standing.rows);
        }
        Some(view.standing.to_do()).filter(|left| *left > 0)
    }

    /// How the best of its rows is searched, where there are several and that is wanted.
    pub fn grid_search(&self) -> Option<SearchBy> {
        let grid = &self.experiment.grid;
        let several = grid.view.ready().is_some_and(|view| view.standing.rows > 1);
        grid.search.filter(|_| several)
    }

    /// The best of its rows is searched so, or with none all are run.
    pub fn search_grid(&mut self, by: Option<SearchBy>) {
        self.experiment.grid.search = by;
    }

    /// Submits the grid on Experiment to the cluster of this name; its runs are listed here as they come.
    pub fn submit_grid(&mut self, cluster: &str) {
        let mut clusters = self.places.clusters.iter();
        let cluster = clusters.find(|place| place.name == cluster);
        let (Some(cluster), Some(ask)) = (cluster.cloned(), self.grid_ask()) else {
            return;
        };
        self.task_or_tell(
            move |sources| sources.submit_grid(&ask, &cluster),
            |session, (words, root)| {
                session.notify(Problem::new(words), false);
                session.list_beside(root);
            },
        );
    }

    /// Queues the grid on Experiment; says whether it could be.
    pub(super) fn start_grid(&mut self) -> bool {
        if self.grid_to_do().is_none() {
            return false;
        }
        let Some(view) = self.experiment.grid.view.ready().cloned() else {
            return false;
        };
        let search = self.grid_search();
        let work = GridWork {
            search,
            ..view.work.clone()
        };
        let same = |job: &Job| matches!(&job.work, JobWork::Grid(other) if **other == work);
        if self.waiting().any(same) {
            let told = format!("{} waits in the queue already", view.standing.title);
            self.notify(Problem::new(told), false);
            return false;
        }
        let mut title = view.standing.title.clone();
        if search.is_some() {
            title += " · search";
        }
        let job = Job::grid(work, view.device.clone(), title);
        self.queue(job);
        true
    }

    fn grid_ask(&self) -> Option<GridAsk> {
        let experiment = &self.experiment;
        let device = &experiment.draft.device;
        if let Some(name) = &experiment.grid.opened {
            let device = (device != "auto").then(|| device.clone());
            return Some(GridAsk::Named(name.clone(), device));
        }
        (!experiment.grid.several.is_empty()).then(|| GridAsk::Several {
            draft: Box::new(experiment.draft.clone()),
            preset: experiment.preset.clone(),
            several: experiment.grid.several.clone(),
        })
    }

    /// Runs were made or taken away: how the grid stands is looked at anew.
    pub(super) fn renew_grid(&mut self) {
        self.experiment.grid.asked = None;
        self.train.planned.clear();
    }

    /// Asks what the grid on Experiment comes to whenever it changed, one question at a time.
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
            move |sources| sources.grid(&wanted),
            |session, view: Result<GridView>| {
                session.experiment.grid.busy = false;
                session.experiment.grid.view = Fetch::of(view.map(Arc::new));
            },
        );
    }

    /// Reads how the runs of a grid stand that waits in the queue.
    pub(super) fn load_grid(&mut self, job: JobId) {
        let waiting = self.waiting().find(|waiting| waiting.id == job).cloned();
        let Some(JobWork::Grid(work)) = waiting.as_ref().map(|job| job.work.clone()) else {
            return;
        };
        let device = waiting.and_then(|job| job.device);
        self.train.planned.insert(job, Fetch::Busy);
        self.task(
            move |sources| sources.grid(&GridAsk::Text(work, device)),
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
        let path = to.clone();
        self.task_or_tell(
            move |_| crate::store::write_file(&path, view.work.text.as_bytes()),
            move |session, _| {
                session.notify(Problem::new("the grid is saved").at_path(&to), false);
            },
        );
    }
}
