//! The run that Train draws next to the displayed run: the other run of a comparison, or a run that the user selects.
//! Also provides runs with their results for the presentation view.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::comparable::comparison_obstacles;
use super::compare::Comparison;
use super::run_view::RunView;
use super::views::RunRow;
use crate::metrics::History;
use crate::palette::RunStyle;
use crate::run::event::RunHeader;

/// Which run is drawn next to the displayed one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SideRun {
    /// The run that was started together with the displayed run, if any.
    #[default]
    Partner,
    /// No run.
    Nothing,
    /// The run in this folder.
    Run(PathBuf),
}

/// A run with its results, open or stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion<'a> {
    /// Its settings and facts.
    pub header: &'a RunHeader,
    /// The shade in which it is drawn. A second run of the same method has another shade.
    pub shade: RunStyle,
    /// Its accuracy after each task.
    pub history: &'a History,
    /// Whether it is in progress.
    pub live: bool,
}

impl<'a> Companion<'a> {
    /// Returns whether it has the same class order as this run, ignoring added tasks. Otherwise its tasks differ.
    pub fn has_order_of(&self, header: &RunHeader) -> bool {
        let mut pairs = self.header.class_order.iter().zip(&header.class_order);
        pairs.all(|(theirs, mine)| theirs == mine)
    }

    /// Returns this run with a shade that differs from `other`.
    pub fn with_distinct_shade(mut self, other: RunStyle) -> Self {
        self.shade = RunStyle::first_free(&self.header.config.method, &[other]);
        self
    }

    fn new(header: &'a RunHeader, history: &'a History, live: bool) -> Self {
        Self { header, shade: RunStyle::for_method(&header.config.method), history, live }
    }
}

/// Returns whether two runs learn the same classes in the same tasks and are tested on the same images.
pub fn have_same_tasks(header: &RunHeader, other: &RunHeader) -> bool {
    header.tasks == other.tasks
        && header.class_order == other.class_order
        && comparison_obstacles(header, other).is_empty()
}

impl Session {
    /// Returns the run to draw next to the displayed one.
    pub fn companion(&self) -> Option<Companion<'_>> {
        let displayed = self.train.displayed_run()?;
        let folder = match &self.train.side_run {
            SideRun::Nothing => return None,
            SideRun::Run(folder) => folder.clone(),
            SideRun::Partner => self.partner(displayed)?,
        };
        if displayed.folder() == Some(folder.as_path()) {
            return None;
        }
        Some(self.results_of(&folder)?.with_distinct_shade(displayed.shade()))
    }

    /// Returns the runs that can be drawn next to the displayed one, the newest first.
    pub fn companions(&self) -> impl Iterator<Item = &RunRow> {
        let displayed = self.train.displayed_run().and_then(|run| run.folder());
        let rows = self.rows().filter(|row| row.is_measured());
        rows.filter(move |row| displayed != Some(row.folder.as_path()))
    }

    /// Returns the run in this folder with its results: an open run, or a stored run with at least one measured task.
    pub fn results_of(&self, folder: &Path) -> Option<Companion<'_>> {
        let is_in_folder = |run: &&Arc<RunView>| run.folder() == Some(folder);
        let open = self.train.run_in(folder);
        if let Some(run) = open.or_else(|| self.compare.comparison.ended.iter().find(is_in_folder))
        {
            let live = run.stage.is_live();
            return Some(Companion::new(run.header.as_ref()?, run.answer_history(), live));
        }
        let row = self.row(folder).filter(|row| row.is_measured())?;
        Some(Companion::new(row.header.as_ref()?, row.answer_history(), false))
    }

    /// Returns the folder of the other run of the latest comparison, if the displayed run belongs to it.
    fn partner(&self, displayed: &RunView) -> Option<PathBuf> {
        let Comparison { jobs, latest, .. } = &self.compare.comparison;
        let displayed_folder = displayed.folder();
        // A run that has not started has no folder, but its job is known.
        let is_compared = displayed_folder
            .is_some_and(|displayed_folder| latest.iter().any(|folder| folder == displayed_folder))
            || displayed.job.is_some_and(|job| jobs.contains(&job));
        let mut others = latest.iter().filter(|folder| Some(folder.as_path()) != displayed_folder);
        others.next_back().filter(|_| is_compared).cloned()
    }
}
