//! The page that compares runs: a list with a filter, and next to it either the selected runs (curves, numbers,
//! differing settings) or all listed runs as a table grouped by any setting.

mod actions;
mod chosen;
mod line;
mod list;
mod side_by_side;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use egui::Ui;

use crate::metrics::Expert;
use crate::palette::Shade;
use crate::run::config::RunConfig;
use crate::session::comparable::unlike;
use crate::session::differences::{differences, other_texts};
use crate::session::views::{Fetch, Rows, RunRow};
use crate::texts::Language;
use crate::tr;
use crate::ui::cached::{Cached, Shared};
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::NARROW;
use crate::ui::widgets::long_list::LongList;
use crate::ui::widgets::matrix::Picture;
use crate::ui::widgets::{self, Fixed, card, columns, primary_button, segmented, two_columns};

/// The message ids of the table's columns, each with its glossary term.
const FIGURES: [(&str, &str); 7] = [
    ("compare-last", "last_accuracy"),
    ("compare-average", "average_accuracy"),
    ("compare-forgetting", "forgetting"),
    ("compare-interval", "interval"),
    ("compare-online", "online"),
    ("compare-offline", "offline"),
    ("compare-task-given", "task_given"),
];

/// Minimum page width at which the comparison is to the right of the list.
const BESIDE: f32 = 940.0;

/// Maximum number of runs compared.
const MOST: usize = 64;

/// The content next to the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum View {
    /// The selected runs, individually.
    #[default]
    SideBySide,
    /// All listed runs in a table.
    Table,
}

/// The compared runs: shade and index in the list.
type Laid = Arc<[(Shade, usize)]>;

/// The settings in which runs differ: the key, and the value of each run.
type Different = Arc<[(String, Vec<String>)]>;

/// All rows, as an input of a cached value.
type SharedRows = Shared<Vec<Arc<RunRow>>>;

/// Indices of runs among all rows.
type Places = Arc<[usize]>;

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    filter: String,
    /// The tag by which the list is filtered.
    tag: Option<String>,
    /// The selected runs, which are compared and to which actions apply.
    pub selection: chosen::Selection,
    /// A cache of the selected runs' indices, valid for this list and this number of changes.
    chosen: Cached<(Shared<[usize]>, u64), Places>,
    /// The shade of each selected run.
    shades: HashMap<PathBuf, Shade>,
    /// A cache of the compared runs in order of selection, valid for these rows and this number of changes.
    laid: Cached<(SharedRows, u64), Laid>,
    expert: Expert,
    /// A cache of the differences between the displayed runs, valid for these rows, indices and language.
    different: Cached<(SharedRows, Vec<usize>, Language), Different>,
    /// The textures of the accuracy matrices by run.
    matrices: HashMap<PathBuf, Picture>,
    /// The result of the last search.
    found: Option<list::ListSearch>,
    /// The content next to the list.
    view: View,
    table: table::TableState,
    /// The scroll state of the list.
    lines: LongList<PathBuf>,
    /// Whether the user has selected runs. Until then, the newest runs are selected.
    by_person: bool,
}

impl State {
    /// Selects exactly these runs.
    pub fn choose(&mut self, folders: Vec<PathBuf>) {
        self.selection.set(folders);
        self.by_person = true;
    }

    /// Returns the folders of the selected runs that have results, in order of selection.
    pub fn selected(&mut self, rows: &Rows) -> Vec<PathBuf> {
        let laid = self.laid(rows);
        laid.iter()
            .map(|(_, at)| rows[*at].folder.clone())
            .collect()
    }

    /// Returns shade and row index of the selected runs that have results, in order of selection.
    fn laid(&mut self, rows: &Rows) -> Laid {
        let selection = &self.selection;
        let inputs = (Shared(rows.clone()), selection.changes());
        self.laid.get(inputs, || {
            let slot = |(at, row): (usize, &Arc<RunRow>)| {
                let place = selection.place(&row.folder)?;
                row.is_measured().then_some((place, at))
            };
            let mut laid: Vec<(usize, usize)> = rows.iter().enumerate().filter_map(slot).collect();
            laid.sort_unstable();
            laid.truncate(MOST);
            self.shades.retain(|run, _| selection.has(run));
            self.matrices.retain(|run, _| selection.has(run));
            let laid = laid.into_iter().map(|(_, at)| {
                let row = &rows[at];
                let header = row.header.as_ref();
                let method = header.map_or("", |header| &header.config.method);
                let taken: Vec<Shade> = self.shades.values().copied().collect();
                let free = || Shade::free(method, &taken);
                let shade = self.shades.entry(row.folder.clone()).or_insert_with(free);
                (*shade, at)
            });
            laid.collect()
        })
    }
}

/// Returns the differences between the runs at these indices in settings and in the files that the settings name.
fn different(state: &mut State, rows: &Rows, places: &[usize]) -> Different {
    let language = Language::spoken();
    let inputs = (Shared(rows.clone()), places.to_vec(), language);
    state.different.get(inputs, || {
        let runs = places.iter().map(|at| &*rows[*at]);
        let runs: Vec<&RunRow> = runs.filter(|row| row.header.is_some()).collect();
        let headers = runs.iter().filter_map(|row| row.header.as_ref());
        let configs: Vec<&RunConfig> = headers.map(|header| &header.config).collect();
        let mut found = differences(&configs);
        found.extend(other_texts(&runs));
        found.into()
    })
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let rows = match &cx.session.compare.runs {
        Fetch::Ready(rows) => rows.clone(),
        Fetch::Failed(problem) => {
            let problem = problem.clone();
            card(ui, |ui| widgets::problem(ui, &problem));
            return;
        }
        Fetch::Nothing | Fetch::Busy => Arc::default(),
    };
    if rows.is_empty() {
        widgets::empty(ui, tr!("compare-none"), tr!("compare-none-about"), |ui| {
            if primary_button(ui, tr!("train-set-up-experiment"), true).clicked() {
                cx.act(UiCommand::Show(Page::Experiment));
            }
            if ui.link(tr!("compare-folders")).clicked() {
                cx.act(UiCommand::Folders);
            }
            if ui.link(tr!("compare-deleted")).clicked() {
                cx.act(UiCommand::Deleted);
            }
        });
        return;
    }
    begin(cx, &rows);
    let left = |ui: &mut Ui, cx: &mut Cx<'_>, column| list::list(ui, cx, &rows, column);
    let right = |ui: &mut Ui, cx: &mut Cx<'_>, column| {
        let views = [
            (View::SideBySide, tr!("compare-side-by-side")),
            (View::Table, tr!("compare-table")),
        ];
        let view = &mut cx.pages.compare.view;
        segmented(ui, tr!("compare-view-mode"), &views, view);
        match cx.pages.compare.view {
            View::SideBySide => side_by_side::side_by_side(ui, cx, &rows, column),
            View::Table => table::table(ui, cx, &rows, column),
        }
    };
    match ui.available_width() {
        width if (BESIDE..NARROW).contains(&width) => {
            columns(ui, cx, Fixed::Left(330.0), left, right, |_, _| {});
        }
        _ => two_columns(ui, cx, Fixed::Left(440.0), left, right),
    }
}

/// Selects the newest run and the newest run comparable with it, until the user selects runs.
fn begin(cx: &mut Cx<'_>, rows: &Rows) {
    let state = &mut cx.pages.compare;
    if state.by_person {
        return;
    }
    let mut good = rows.iter().filter(|row| row.is_measured());
    let newest = good.next();
    let header = newest.and_then(|row| row.header.as_ref());
    // The second run must be comparable with the newest run.
    let alike = |row: &&Arc<RunRow>| {
        let pair = header.zip(row.header.as_ref());
        pair.is_some_and(|(one, other)| unlike(one, other).is_empty())
    };
    let newest: Vec<&Arc<RunRow>> = newest.into_iter().chain(good.find(alike)).collect();
    if !newest.iter().all(|row| state.selection.has(&row.folder)) {
        let newest = newest.into_iter().map(|row| row.folder.clone());
        state.selection.set(newest);
    }
}
