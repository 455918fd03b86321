//! The run that Train draws next to the displayed run: the other run of a comparison, or a run that the user selects.
//! Also provides runs with their results for the presentation view.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::comparable::unlike;
use super::compare::Comparison;
use super::run_view::RunView;
use super::views::RunRow;
use crate::metrics::History;
use crate::palette::Shade;
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
    pub shade: Shade,
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

    /// Returns this run with a shade that differs from `shown`.
    pub fn beside(mut self, shown: Shade) -> Self {
        self.shade = Shade::free(&self.header.config.method, &[shown]);
        self
    }

    fn of(header: &'a RunHeader, history: &'a History, live: bool) -> Self {
        Self {
            header,
            shade: Shade::of(&header.config.method),
            history,
            live,
        }
    }
}

/// Returns whether two runs learn the same classes in the same tasks and are tested on the same images.
pub fn have_same_tasks(one: &RunHeader, other: &RunHeader) -> bool {
    one.tasks == other.tasks
        && one.class_order == other.class_order
        && unlike(one, other).is_empty()
}

impl Session {
    /// Returns the run to draw next to the displayed one.
    pub fn companion(&self) -> Option<Companion<'_>> {
        let shown = self.train.shown()?;
        let folder = match &self.train.beside {
            SideRun::Nothing => return None,
            SideRun::Run(folder) => folder.clone(),
            SideRun::Partner => self.partner(shown)?,
        };
        if shown.folder() == Some(folder.as_path()) {
            return None;
        }
        Some(self.results_of(&folder)?.beside(shown.shade()))
    }

    /// Returns the runs that can be drawn next to the displayed one, the newest first.
    pub fn companions(&self) -> impl Iterator<Item = &RunRow> {
        let shown = self.train.shown().and_then(|run| run.folder());
        let rows = self.rows().filter(|row| row.is_measured());
        rows.filter(move |row| shown != Some(row.folder.as_path()))
    }

    /// Returns the run in this folder with its results: an open run, or a stored run with at least one measured task.
    pub fn results_of(&self, folder: &Path) -> Option<Companion<'_>> {
        let is_it = |run: &&Arc<RunView>| run.folder() == Some(folder);
        let open = self.train.run_in(folder);
        if let Some(run) = open.or_else(|| self.compare.comparison.ended.iter().find(is_it)) {
            let live = run.stage.is_live();
            return Some(Companion::of(run.header.as_ref()?, run.answers(), live));
        }
        let row = self.row(folder).filter(|row| row.is_measured())?;
        Some(Companion::of(row.header.as_ref()?, row.answers(), false))
    }

    /// Returns the folder of the other run of the latest comparison, if the displayed run belongs to it.
    fn partner(&self, shown: &RunView) -> Option<PathBuf> {
        let Comparison { jobs, latest, .. } = &self.compare.comparison;
        let mine = shown.folder();
        // A run that has not started has no folder, but its job is known.
        let belongs = mine.is_some_and(|mine| latest.iter().any(|folder| folder == mine))
            || shown.job.is_some_and(|job| jobs.contains(&job));
        let mut others = latest
            .iter()
            .filter(|folder| Some(folder.as_path()) != mine);
        others.next_back().filter(|_| belongs).cloned()
    }
}
