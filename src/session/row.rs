//! A stored run in the list of runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::words::{time_text, told_apart};
use crate::method::filled;
use crate::metrics::{ByExpert, Expert, Histories, History, Tally};
use crate::problem::{Problem, harmless};
use crate::run::about::{About, MadeOf};
use crate::run::config::RunConfig;
use crate::run::event::{Costs, RunHeader, costs};
use crate::store::table::Measured;
use crate::store::{
    self, Answered, Figures, Glance, GroupKey, ListedRun, StoredState, settings_key,
};
use crate::tr;

/// The runs of a list, the newest first. Each is shared, so that one can change without the others.
pub type Rows = Arc<Vec<Arc<RunRow>>>;

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

/// A folder of runs beside the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Where it is.
    pub folder: PathBuf,
    /// Whether nothing can be written there.
    pub read_only: bool,
}

/// A run in the list of runs.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Folder name.
    pub name: String,
    /// Where it lies.
    pub folder: PathBuf,
    /// How its files stood when they were read.
    pub glance: Glance,
    /// What people say of it.
    pub about: About,
    /// What cannot be read of that.
    pub remark: Option<Problem>,
    /// The folder it lies in, where that is not the usual one.
    pub elsewhere: Option<Elsewhere>,
    /// Its settings and facts; none for a damaged run.
    pub header: Option<RunHeader>,
    /// What it is made of, for a search: worked out by the first one.
    made_of: OnceLock<MadeOf>,
    /// What its settings are known by: worked out by the first lesson that looks for them.
    settings: OnceLock<String>,
    /// How it stands.
    pub state: RunState,
    /// SHA-256 of its PET plugin's text, in hex; empty where it has none.
    pub plugin_sha256: String,
    /// What tells which other runs repeat it; none while no task is measured.
    pub group: Option<GroupKey>,
    /// What runs are compared by, in percent.
    pub figures: Figures,
    /// What each expert achieved, task by task.
    pub history: Histories,
    /// How far the latest accuracy of each expert can be trusted.
    pub quality: ByExpert<Tally>,
    /// The same of the run's answers to the images of its first task.
    pub quality_of_first: Option<Tally>,
    /// Which of the latest test images are answered rightly; none where it is not known which they
    /// are.
    pub answered: Option<Answered>,
    /// Seconds that it took, over all tasks.
    pub seconds: f64,
    /// Training speed over all tasks.
    pub images_per_second: f64,
    /// Figures of each task by name.
    pub measurements: Vec<BTreeMap<String, f64>>,
    /// What it cost so far.
    pub costs: Costs,
}

/// What settings are known by, wherever they are trained.
pub(super) fn settings_of(config: &RunConfig) -> String {
    settings_key(&filled(config).anywhere())
}

impl RunRow {
    /// The row of a run whose files stood so when they were read, and which lies in the usual folder or elsewhere.
    pub fn new(listed: ListedRun, glance: Glance, elsewhere: Option<Elsewhere>) -> Self {
        let mut row = Self {
            name: listed.run,
            folder: listed.folder,
            glance,
            about: listed.about,
            remark: listed.remark,
            elsewhere,
            header: None,
            made_of: OnceLock::new(),
            settings: OnceLock::new(),
            state: RunState::Finished,
            plugin_sha256: String::new(),
            group: None,
            figures: Figures::default(),
            history: Histories::default(),
            quality: ByExpert::default(),
            quality_of_first: None,
            answered: None,
            seconds: 0.0,
            images_per_second: 0.0,
            measurements: Vec::new(),
            costs: Costs::default(),
        };
        let run = match listed.summary {
            Ok(run) => run,
            Err(problem) => {
                row.state = RunState::Damaged(problem);
                return row;
            }
        };
        let reports = run.reports();
        row.state = match run.state {
            store::StoredState::Finished => RunState::Finished,
            store::StoredState::Interrupted { task, .. } => RunState::Unfinished(task),
            store::StoredState::Running => RunState::Busy,
        };
        row.group = GroupKey::of(&run);
        row.history = run.histories();
        row.figures = run.figures(&row.history);
        row.seconds = run.seconds();
        row.images_per_second = run.images_per_second(&reports);
        row.costs = costs(&reports);
        row.measurements = reports
            .into_iter()
            .map(|report| report.measurements)
            .collect();
        if let Some(latest) = run.latest {
            row.quality = latest.tallies;
            row.quality_of_first = Some(latest.first).filter(|first| first.images > 0);
            row.answered = latest.answered;
        }
        row.plugin_sha256 = run.plugin_sha256;
        row.header = Some(run.header);
        row
    }

    /// What it is made of, for a search.
    pub fn made_of(&self) -> &MadeOf {
        self.made_of.get_or_init(|| match &self.header {
            Some(header) => header.made_of(),
            None => MadeOf::unread(&self.name),
        })
    }

    /// What its settings are known by ([`settings_of`]); empty where it cannot be read.
    pub(super) fn settings(&self) -> &str {
        self.settings.get_or_init(|| {
            let header = self.header.as_ref();
            header.map_or_else(String::new, |header| settings_of(&header.config))
        })
    }

    /// The run as tables read it; none for a damaged one.
    pub fn measured(&self) -> Option<Measured<'_>> {
        Some(Measured {
            header: self.header.as_ref()?,
            figures: Cow::Borrowed(&self.figures),
            state: match self.state {
                RunState::Finished => StoredState::Finished,
                RunState::Unfinished(task) => StoredState::Interrupted { task, epoch: 0 },
                RunState::Busy => StoredState::Running,
                RunState::Damaged(_) => return None,
            },
            plugin_sha256: &self.plugin_sha256,
            seconds: self.seconds,
            group: self.group.as_ref().map(Cow::Borrowed),
        })
    }

    /// One expert's history.
    pub fn of(&self, expert: Expert) -> &History {
        self.history.of(expert)
    }

    /// F_N of one expert as a fraction, worked out once; none where it was not measured.
    pub fn forgotten_by(&self, expert: Expert) -> Option<f64> {
        let [.., forgetting] = self.figures.of(expert);
        forgetting.map(|percent| percent / 100.0)
    }

    /// The history of the run's answer.
    pub fn answers(&self) -> &History {
        self.history.answer()
    }

    /// Whether at least one task is measured.
    pub fn is_measured(&self) -> bool {
        !self.answers().accuracy.is_empty()
    }

    /// How far the accuracy of one expert can be trusted; none where it was not measured.
    pub fn quality_of(&self, expert: Expert) -> Option<Tally> {
        self.of(expert).last()?;
        self.quality.get(&expert).copied()
    }

    /// By what a list is sorted: when it began, and its name.
    pub fn age(&self) -> impl Ord + use<> {
        let began = store::began(&self.name, self.header.as_ref());
        (began, self.name.clone())
    }

    /// Number of its tasks; 0 where it cannot be read.
    pub fn tasks(&self) -> usize {
        self.header.as_ref().map_or(0, |header| header.tasks.len())
    }

    /// What people call it.
    pub fn title(&self) -> String {
        match &self.header {
            Some(header) => title_of(header),
            None if self.about.name.is_empty() => self.name.clone(),
            None => self.about.name.clone(),
        }
    }

    /// Name and time, which tell it from others in a list to choose from.
    pub fn line(&self) -> String {
        let line = format!("{} · {}", self.title(), time_text(&self.name));
        match &self.elsewhere {
            Some(place) => format!("{line} · {}", place.words()),
            None => line,
        }
    }

    /// Why nothing about it can be changed, if so.
    pub fn fixed(&self) -> Option<&'static str> {
        let place = self.elsewhere.as_ref()?;
        place.read_only.then_some(tr!("story-read-only"))
    }
}

impl Elsewhere {
    /// What to call it: its own name.
    pub fn title(&self) -> String {
        let name = self.folder.file_name().unwrap_or(self.folder.as_os_str());
        harmless(&name.to_string_lossy()).into_owned()
    }

    /// "in lab-runs".
    pub fn words(&self) -> String {
        tr!("story-in-folder", folder = self.title())
    }
}

/// What people call a run: its name, else its settings in short, with seed and order where they are
/// not the usual ones.
pub fn title_of(header: &RunHeader) -> String {
    match header.about.name.as_str() {
        "" => made_title(header),
        name => name.to_string(),
    }
}

/// The settings of a run in short, whatever it is called.
pub fn made_title(header: &RunHeader) -> String {
    header.title() + told_apart(&header.config).as_str()
}
