//! The run that Train draws beside the one on show: the other one of a comparison, or any the person
//! chooses.

use std::path::{Path, PathBuf};

use super::Session;
use super::like::unlike;
use super::run_view::RunView;
use super::views::RunRow;
use crate::metrics::History;
use crate::palette::Shade;
use crate::run::event::RunHeader;

/// Which run is drawn beside the one on show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// The one it was asked for together with, if any.
    #[default]
    Partner,
    /// None.
    Nothing,
    /// This one.
    Run(PathBuf),
}

/// A run as it is drawn beside another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion<'a> {
    /// Its folder.
    pub folder: PathBuf,
    /// Its name, else its method, as people call it.
    pub method: String,
    /// How it is drawn: a second one of the same method in another shade.
    pub shade: Shade,
    /// Its classes in the order they are taught.
    pub class_order: &'a [String],
    /// What its answers achieved, task by task.
    pub history: &'a History,
    /// Whether it is at work.
    pub live: bool,
}

impl<'a> Companion<'a> {
    /// Whether it is taught the same classes in the same order, whatever either is taught later: else
    /// its tasks are others.
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
    /// The run to draw beside the one on show.
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

    /// The run that stands beside the one on show before a room: the companion, or else the newest run of another
    /// method with the same tasks; none with other tasks, nor where the person wants none.
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

    /// Runs that were taught the same classes in the same order as the one on show, the newest first.
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

    /// Runs that can be drawn beside the one on show, the newest first.
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

    /// The folder of the other run of the latest comparison.
    fn partner(&self, shown: &RunView) -> Option<PathBuf> {
        let all = self.compared();
        let mine = shown.header.as_ref().map(|header| &header.folder);
        // One that has not begun yet has no folder, but its job is known.
        let belongs = mine.is_some_and(|mine| all.contains(mine))
            || shown.job.is_some_and(|job| self.is_compared(job));
        let mut others = all.iter().filter(|folder| Some(*folder) != mine);
        others.next_back().filter(|_| belongs).cloned()
    }
}
