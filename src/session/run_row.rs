//! A stored run in the list of runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::formatting::{non_default_suffix, run_time_text};
use crate::method::with_explicit_settings;
use crate::metrics::{ByExpert, Expert, Histories, History, Tally};
use crate::problem::{Problem, escape_for_terminal};
use crate::run::annotations::{Annotations, SearchText};
use crate::run::config::RunConfig;
use crate::run::event::{Costs, RunHeader, total_costs};
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
    pub about: Annotations,
    /// The error if its notes cannot be read.
    pub remark: Option<Problem>,
    /// The folder of runs that contains it, if it is not the default folder.
    pub additional_folder: Option<AdditionalFolder>,
    /// Its settings and facts; `None` for a damaged run.
    pub header: Option<RunHeader>,
    /// The text that a search matches; computed by the first search.
    search_text: OnceLock<SearchText>,
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
    pub tallies: ByExpert<Tally>,
    /// Counts for the confidence interval of the latest accuracy on the images of the first task.
    pub first_task_tally: Option<Tally>,
    /// Which of the latest test images are classified correctly; `None` if the images were not recorded.
    pub correct_predictions: Option<CorrectPredictions>,
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
pub(super) fn device_independent_key(config: &RunConfig) -> String {
    settings_key(&with_explicit_settings(config).without_execution_settings())
}

impl RunRow {
    /// Creates a row. `file_stamps` is the state of its files; `additional_folder` is `None` for the default
    /// folder.
    pub fn new(
        listed: ListedRun,
        file_stamps: FileStamps,
        additional_folder: Option<AdditionalFolder>,
    ) -> Self {
        let mut row = Self {
            name: listed.run,
            folder: listed.folder,
            file_stamps,
            about: listed.about,
            remark: listed.remark,
            additional_folder,
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
        row.group = GroupKey::from_run(&run);
        row.history = run.histories();
        row.figures = run.figures(&row.history);
        row.seconds = run.seconds();
        row.images_per_second = run.images_per_second(&reports);
        row.costs = total_costs(&reports);
        row.measurements = reports.into_iter().map(|report| report.measurements).collect();
        if let Some(latest) = run.latest {
            row.tallies = latest.tallies;
            row.first_task_tally = Some(latest.first).filter(|first| first.images > 0);
            row.correct_predictions = latest.answered;
        }
        row.plugin_sha256 = run.plugin_sha256;
        row.header = Some(run.header);
        row
    }

    /// Returns the text that a search matches.
    pub fn search_text(&self) -> &SearchText {
        self.search_text.get_or_init(|| match &self.header {
            Some(header) => header.search_text(),
            None => SearchText::from_name(&self.name),
        })
    }

    /// Returns the key of its settings ([`device_independent_key`]); empty for a damaged run.
    pub(super) fn settings(&self) -> &str {
        self.settings.get_or_init(|| {
            let header = self.header.as_ref();
            header.map_or_else(String::new, |header| device_independent_key(&header.config))
        })
    }

    /// Returns the run in the form that tables use; `None` for a damaged run.
    pub fn to_table_run(&self) -> Option<TableRun<'_>> {
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
    pub fn expert_history(&self, expert: Expert) -> &History {
        self.history.for_expert(expert)
    }

    /// Returns the final forgetting F_N of one expert as a fraction; `None` if it was not measured.
    pub fn expert_forgetting(&self, expert: Expert) -> Option<f64> {
        let [.., forgetting] = self.figures.expert_figures(expert);
        forgetting.map(|percent| percent / 100.0)
    }

    /// Returns the history of the run's predictions.
    pub fn answer_history(&self) -> &History {
        self.history.answer_history()
    }

    /// Returns whether at least one task is measured.
    pub fn is_measured(&self) -> bool {
        !self.answer_history().accuracy.is_empty()
    }

    /// Returns the counts for the accuracy of one expert; `None` if it was not measured.
    pub fn expert_tally(&self, expert: Expert) -> Option<Tally> {
        self.expert_history(expert).last_accuracy()?;
        self.tallies.get(&expert).copied()
    }

    /// Returns the sort key of a list: start time and folder name.
    pub fn age(&self) -> impl Ord + use<> {
        let start_time = store::start_time(&self.name, self.header.as_ref());
        (start_time, self.name.clone())
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

    /// Returns a label with title and time, which identifies it in a list.
    pub fn list_label(&self) -> String {
        let label = format!("{} · {}", self.title(), run_time_text(&self.name));
        match &self.additional_folder {
            Some(folder) => format!("{label} · {}", folder.description()),
            None => label,
        }
    }

    /// Returns the reason why it cannot be changed; `None` if it can be changed.
    pub fn read_only_reason(&self) -> Option<&'static str> {
        let folder = self.additional_folder.as_ref()?;
        folder.read_only.then_some(tr!("session-read-only"))
    }
}

impl AdditionalFolder {
    /// Returns the name of the folder.
    pub fn title(&self) -> String {
        let name = self.folder.file_name().unwrap_or(self.folder.as_os_str());
        escape_for_terminal(&name.to_string_lossy()).into_owned()
    }

    /// Returns words such as "in lab-runs".
    pub fn description(&self) -> String {
        tr!("session-in-folder", folder = self.title())
    }
}

/// Returns the display name of a run: the name that the user gave it, otherwise a summary of its settings, with seed
/// and order if they are not the defaults.
pub fn title_of(header: &RunHeader) -> String {
    match header.about.name.as_str() {
        "" => generated_title(header),
        name => name.to_string(),
    }
}

/// Returns names that distinguish two runs: short names if they differ, otherwise titles, otherwise titles with the
/// time.
pub fn distinguishing_names(first: &RunHeader, other: &RunHeader) -> (String, String) {
    let timed =
        |header: &RunHeader| format!("{} · {}", title_of(header), run_time_text(&header.run));
    let name_functions: [&dyn Fn(&RunHeader) -> String; 2] =
        [&|header| header.short_name().into(), &title_of];
    let mut pairs = name_functions.iter().map(|name| (name(first), name(other)));
    let distinct = pairs.find(|(one, other)| one != other);
    distinct.unwrap_or_else(|| (timed(first), timed(other)))
}

/// Returns a summary of a run's settings, even if the run has a name.
pub fn generated_title(header: &RunHeader) -> String {
    header.title() + non_default_suffix(&header.config).as_str()
}
