//! A stored run in the list of runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::words::{non_default_suffix, time_text};
use crate::method::filled;
use crate::metrics::{ByExpert, Expert, Histories, History, Tally};
use crate::problem::{Problem, harmless};
use crate::run::about::{About, MadeOf};
use crate::run::config::RunConfig;
use crate::run::event::{Costs, RunHeader, costs};
use crate::store::table::TableRun;
use crate::store::{
    self, CorrectPredictions, Figures, FileStamps, GroupKey, ListedRun, StoredState, settings_key,
};
use crate::tr;

/// The runs of a list, the newest first. Each row is shared, so that one row can be replaced cheaply.
pub type Rows = Arc<Vec<Arc<RunRow>>>;

/// The state of a run in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// All tasks are learned.
    #[default]
    Finished,
    /// Can be resumed; the number of learned tasks.
    Unfinished(usize),
    /// A program is working on it, this one or another.
    Busy,
    /// Cannot be read.
    Damaged(Problem),
}

/// The additional folder of runs that a run is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdditionalFolder {
    /// Its path.
    pub folder: PathBuf,
    /// Whether it is read-only.
    pub read_only: bool,
}

/// A run in the list of runs.
#[derive(Clone, Debug, Default)]
pub struct RunRow {
    /// The name of its folder.
    pub name: String,
    /// The path of its folder.
    pub folder: PathBuf,
    /// The state of its files when the row was read.
    pub file_stamps: FileStamps,
    /// Notes on the run.
    pub about: About,
    /// The error if its notes cannot be read.
    pub remark: Option<Problem>,
    /// The folder of runs that contains it, if it is not the default folder.
    pub elsewhere: Option<AdditionalFolder>,
    /// Its settings and facts; `None` for a damaged run.
    pub header: Option<RunHeader>,
    /// The text that a search matches; computed by the first search.
    made_of: OnceLock<MadeOf>,
    /// The key of its settings; computed when it is first needed.
    settings: OnceLock<String>,
    /// Its state.
    pub state: RunState,
    /// SHA-256 of its PET plugin's text in hex; empty if it has no plugin.
    pub plugin_sha256: String,
    /// The key shared by repetitions of the run; `None` until a task is measured.
    pub group: Option<GroupKey>,
    /// Figures for comparing runs, in percent.
    pub figures: Figures,
    /// The accuracies of each expert after each task.
    pub history: Histories,
    /// Counts for the confidence interval of each expert's latest accuracy.
    pub quality: ByExpert<Tally>,
    /// Counts for the confidence interval of the latest accuracy on the images of the first task.
    pub quality_of_first: Option<Tally>,
    /// Which of the latest test images are classified correctly; `None` if the images were not recorded.
    pub answered: Option<CorrectPredictions>,
    /// Training time over all tasks, in seconds.
    pub seconds: f64,
    /// Training speed over all tasks.
    pub images_per_second: f64,
    /// Measurements of each task by name.
    pub measurements: Vec<BTreeMap<String, f64>>,
    /// Its cost so far.
    pub costs: Costs,
}

/// Returns a key of settings that does not depend on the device.
pub(super) fn settings_of(config: &RunConfig) -> String {
    settings_key(&filled(config).anywhere())
}

impl RunRow {
    /// Creates the row of a listed run. `file_stamps` is the state of its files; `elsewhere` is `None` for the default
    /// folder.
    pub fn new(
        listed: ListedRun,
        file_stamps: FileStamps,
        elsewhere: Option<AdditionalFolder>,
    ) -> Self {
        let mut row = Self {
            name: listed.run,
            folder: listed.folder,
            file_stamps,
            about: listed.about,
            remark: listed.remark,
            elsewhere,
            ..Self::default()
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

    /// Returns the text that a search matches.
    pub fn made_of(&self) -> &MadeOf {
        self.made_of.get_or_init(|| match &self.header {
            Some(header) => header.made_of(),
            None => MadeOf::unread(&self.name),
        })
    }

    /// Returns the key of its settings ([`settings_of`]); empty for a damaged run.
    pub(super) fn settings(&self) -> &str {
        self.settings.get_or_init(|| {
            let header = self.header.as_ref();
            header.map_or_else(String::new, |header| settings_of(&header.config))
        })
    }

    /// Returns the run in the form that tables use; `None` for a damaged run.
    pub fn measured(&self) -> Option<TableRun<'_>> {
        Some(TableRun {
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

    /// Returns the history of one expert.
    pub fn of(&self, expert: Expert) -> &History {
        self.history.of(expert)
    }

    /// Returns the final forgetting F_N of one expert as a fraction; `None` if it was not measured.
    pub fn forgotten_by(&self, expert: Expert) -> Option<f64> {
        let [.., forgetting] = self.figures.of(expert);
        forgetting.map(|percent| percent / 100.0)
    }

    /// Returns the history of the run's predictions.
    pub fn answers(&self) -> &History {
        self.history.answer()
    }

    /// Returns whether at least one task is measured.
    pub fn is_measured(&self) -> bool {
        !self.answers().accuracy.is_empty()
    }

    /// Returns the counts for the accuracy of one expert; `None` if it was not measured.
    pub fn quality_of(&self, expert: Expert) -> Option<Tally> {
        self.of(expert).last()?;
        self.quality.get(&expert).copied()
    }

    /// Returns the sort key of a list: start time and folder name.
    pub fn age(&self) -> impl Ord + use<> {
        let began = store::began(&self.name, self.header.as_ref());
        (began, self.name.clone())
    }

    /// Returns the number of its tasks; 0 for a damaged run.
    pub fn tasks(&self) -> usize {
        self.header.as_ref().map_or(0, |header| header.tasks.len())
    }

    /// Returns its display name.
    pub fn title(&self) -> String {
        match &self.header {
            Some(header) => title_of(header),
            None if self.about.name.is_empty() => self.name.clone(),
            None => self.about.name.clone(),
        }
    }

    /// Returns a line with title and time, which identifies it in a list.
    pub fn line(&self) -> String {
        let line = format!("{} · {}", self.title(), time_text(&self.name));
        match &self.elsewhere {
            Some(place) => format!("{line} · {}", place.words()),
            None => line,
        }
    }

    /// Returns the reason why it cannot be changed; `None` if it can be changed.
    pub fn read_only_reason(&self) -> Option<&'static str> {
        let place = self.elsewhere.as_ref()?;
        place.read_only.then_some(tr!("story-read-only"))
    }
}

impl AdditionalFolder {
    /// Returns the name of the folder.
    pub fn title(&self) -> String {
        let name = self.folder.file_name().unwrap_or(self.folder.as_os_str());
        harmless(&name.to_string_lossy()).into_owned()
    }

    /// Returns words such as "in lab-runs".
    pub fn words(&self) -> String {
        tr!("story-in-folder", folder = self.title())
    }
}

/// Returns the display name of a run: the name that the user gave it, otherwise a summary of its settings, with seed
/// and order if they are not the defaults.
pub fn title_of(header: &RunHeader) -> String {
    match header.about.name.as_str() {
        "" => made_title(header),
        name => name.to_string(),
    }
}

/// Returns names that distinguish two runs: short names if they differ, otherwise titles, otherwise titles with the
/// time.
pub fn names_apart(one: &RunHeader, other: &RunHeader) -> (String, String) {
    let timed = |header: &RunHeader| format!("{} · {}", title_of(header), time_text(&header.run));
    let ways: [&dyn Fn(&RunHeader) -> String; 2] = [&|header| header.short().into(), &title_of];
    let mut pairs = ways.iter().map(|way| (way(one), way(other)));
    let apart = pairs.find(|(one, other)| one != other);
    apart.unwrap_or_else(|| (timed(one), timed(other)))
}

/// Returns a summary of a run's settings, even if the run has a name.
pub fn made_title(header: &RunHeader) -> String {
    header.title() + non_default_suffix(&header.config).as_str()
}
