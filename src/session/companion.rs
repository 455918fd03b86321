//! The run that Train draws next to the displayed one: the other run of a comparison, or one that the user selects.

use std::path::{Path, PathBuf};

use super::Session;
use super::like::unlike;
use super::run_view::RunView;
use super::views::RunRow;
use crate::metrics::History;
use crate::palette::Shade;
use crate::run::event::RunHeader;

/// Which run is drawn next to the displayed one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// The one that was started together with it, if any.
    #[default]
    Partner,
    /// None.
    Nothing,
    /// This one.
    Run(PathBuf),
}

/// A run drawn next to another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion<'a> {
    /// Its folder.
    pub folder: PathBuf,
    /// Its name, or else the title of its method.
    pub method: String,
    /// How it is drawn; a second run of the same method has another shade.
    pub shade: Shade,
    /// Its classes in training order.
    pub class_order: &'a [String],
    /// Its accuracy after each task.
    pub history: &'a History,
    /// Whether it is in progress.
    pub live: bool,
}

impl<'a> Companion<'a> {
    /// Returns whether it has the same class order, ignoring added tasks; otherwise its tasks differ.
    pub fn has_order_of(&self, header: &RunHeader) -> bool {
        let mut pairs = self.class_order.iter().zip(&header.class_order);
        pairs.all(|(theirs, mine)| theirs == mine)
    }

    fn of(header: &'a RunHeader, history: &'a History, (shown, live): (&RunView, bool)) -> Self {
        Self {
            shade: Shade::free(&header.config.method, &[shown.shade()]),
            folder: header.folder.clone(),
            method: header.short().to_string(),
            class_order: &header.class_order,
            history,
            live,
        }
    }
}

impl Session {
    /// Returns the run to draw next to the displayed one.
    pub fn companion(&self) -> Option<Companion<'_>> {
        let shown = self.train.shown()?;
        let mine = shown.header.as_ref().map(|header| &header.folder);
        let folder = match &self.train.beside {
            Beside::Nothing => return None,
            Beside::Run(folder) => folder.clone(),
            Beside::Partner => self.partner(shown)?,
        };
        if mine == Some(&folder) {
            return None;
        }
        self.companion_in(&folder, shown)
    }

    /// Returns the run shown next to the displayed one in the presenter view: the companion, or else the newest run of
    /// another method with the same tasks. `None` if there is none or the user wants none.
    pub fn opposite(&self) -> Option<Companion<'_>> {
        let shown = self.train.shown()?;
        let header = shown.header.as_ref()?;
        if let Some(own) = self.companion() {
            return Some(own).filter(|other| other.has_order_of(header));
        }
        if self.train.beside != Beside::Partner {
            return None;
        }
        let other_method = |row: &&RunRow| {
            let other = row.header.as_ref();
            other.is_some_and(|other| other.config.method != header.config.method)
        };
        let row = self.opposites().find(other_method)?;
        self.companion_in(&row.folder, shown)
    }

    /// Returns the runs with the same class order as the displayed one, the newest first.
    pub fn opposites(&self) -> impl Iterator<Item = &RunRow> {
        let shown = self.train.shown().and_then(|run| run.header.as_ref());
        self.companions().filter(move |row| {
            let pair = shown.zip(row.header.as_ref());
            pair.is_some_and(|(shown, other)| {
                unlike(shown, other).is_empty()
                    && shown.tasks == other.tasks
                    && shown.class_order == other.class_order
            })
        })
    }

    /// Returns the runs that can be drawn next to the displayed one, the newest first.
    pub fn companions(&self) -> impl Iterator<Item = &RunRow> {
        let shown = self.train.shown().and_then(|run| run.header.as_ref());
        self.rows()
            .filter(|row| row.is_measured())
            .filter(move |row| shown.is_none_or(|header| header.folder != row.folder))
    }

    fn companion_in(&self, folder: &Path, shown: &RunView) -> Option<Companion<'_>> {
        let open = [self.train.live.as_ref(), self.train.opened.as_ref()];
        for run in open.into_iter().flatten().chain(self.ended()) {
            if let Some(header) = run.header.as_ref().filter(|h| h.folder == folder) {
                let live = run.stage.is_live();
                return Some(Companion::of(header, run.answers(), (shown, live)));
            }
        }
        let row = self.row(folder)?;
        let companion = Companion::of(row.header.as_ref()?, row.answers(), (shown, false));
        (!companion.history.accuracy.is_empty()).then_some(companion)
    }

    /// Returns the folder of the other run of the latest comparison.
    fn partner(&self, shown: &RunView) -> Option<PathBuf> {
        let all = self.compared();
        let mine = shown.header.as_ref().map(|header| &header.folder);
        // A run that has not started has no folder, but its job is known.
        let belongs = mine.is_some_and(|mine| all.contains(mine))
            || shown.job.is_some_and(|job| self.is_compared(job));
        let mut others = all.iter().filter(|folder| Some(*folder) != mine);
        others.next_back().filter(|_| belongs).cloned()
    }
}
