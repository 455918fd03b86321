//! The page that compares runs: a list with a filter, and next to it either the selected runs (curves, numbers,
//! differing settings) or all listed runs as a table grouped by any setting.

mod actions;
mod list;
mod run_line;
mod selection;
mod side_by_side;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use egui::Ui;

use crate::metrics::Expert;
use crate::palette::RunStyle;
use crate::run::config::RunConfig;
use crate::session::comparable::comparison_obstacles;
use crate::session::differences::{differences, file_differences};
use crate::session::paired::describe_pair;
use crate::session::views::{Fetch, Rows, RunRow};
use crate::texts::Language;
use crate::tr;
use crate::ui::cached::{Cached, Shared};
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::NARROW_WIDTH;
use crate::ui::widgets::long_list::LongList;
use crate::ui::widgets::matrix::MatrixTexture;
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
const SIDE_BY_SIDE_WIDTH: f32 = 940.0;

/// Maximum number of runs compared.
const MAX_RUNS: usize = 64;

/// The content next to the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum View {
    /// The selected runs, individually.
    #[default]
    SideBySide,
    /// All listed runs in a table.
    Table,
}

/// Who selected the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SelectedBy {
    /// Nobody yet, so the newest runs are selected.
    #[default]
    Nobody,
    /// The program, because a comparison of these runs has finished.
    Comparison,
    /// The user.
    User,
}

/// The compared runs: shade and index in the list.
type ComparedRuns = Arc<[(RunStyle, usize)]>;

/// The settings in which runs differ: the key, and the value of each run.
type Differences = Arc<[(String, Vec<String>)]>;

/// All rows, as an input of a cached value.
type SharedRows = Shared<Vec<Arc<RunRow>>>;

/// Indices of runs among all rows.
type RunIndices = Arc<[usize]>;

/// What the sentences about pairs of runs depend on.
type PairsKey = (SharedRows, Vec<usize>, Expert, Language);

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    filter: String,
    /// The tag by which the list is filtered.
    tag: Option<String>,
    /// The selected runs, which are compared and to which actions apply.
    pub selection: selection::Selection,
    /// A cache of the selected runs' indices, valid for this list and this number of changes.
    selected_indices: Cached<(Shared<[usize]>, u64), RunIndices>,
    /// The shade of each selected run.
    shades: HashMap<PathBuf, RunStyle>,
    /// A cache of the compared runs in order of selection, valid for these rows and this number of changes.
    compared: Cached<(SharedRows, u64), ComparedRuns>,
    expert: Expert,
    /// A cache of the differences between the displayed runs, valid for these rows, indices and language.
    differences: Cached<(SharedRows, Vec<usize>, Language), Differences>,
    /// A cache of the sentences about pairs of runs, valid for these rows, indices, expert and language.
    pairs: Cached<PairsKey, Arc<[String]>>,
    /// The textures of the accuracy matrices by run.
    matrices: HashMap<PathBuf, MatrixTexture>,
    /// The result of the last search.
    last_search: Option<list::ListSearch>,
    /// The content next to the list.
    view: View,
    table: table::TableState,
    /// The scroll state of the list.
    list_state: LongList<PathBuf>,
    selected_by: SelectedBy,
}

impl State {
    /// Selects exactly these runs, as the user requested.
    pub fn select(&mut self, folders: Vec<PathBuf>) {
        self.selection.set(folders);
        self.selected_by = SelectedBy::User;
    }

    /// Selects exactly the runs of a finished comparison.
    pub fn select_comparison(&mut self, folders: Vec<PathBuf>) {
        self.selection.set(folders);
        self.selected_by = SelectedBy::Comparison;
    }

    /// Returns the folders of the selected runs that have results, in order of selection.
    pub fn selected(&mut self, rows: &Rows) -> Vec<PathBuf> {
        let compared = self.compared(rows);
        compared.iter().map(|(_, index)| rows[*index].folder.clone()).collect()
    }

    /// Returns shade and row index of the selected runs that have results, in order of selection.
    fn compared(&mut self, rows: &Rows) -> ComparedRuns {
        let selection = &self.selection;
        let inputs = (Shared(rows.clone()), selection.changes());
        self.compared.get(inputs, || {
            let slot = |(index, row): (usize, &Arc<RunRow>)| {
                let order = selection.position(&row.folder)?;
                row.is_measured().then_some((order, index))
            };
            let mut compared: Vec<(usize, usize)> =
                rows.iter().enumerate().filter_map(slot).collect();
            compared.sort_unstable();
            compared.truncate(MAX_RUNS);
            self.shades.retain(|run, _| selection.contains(run));
            self.matrices.retain(|run, _| selection.contains(run));
            let runs = compared.into_iter().map(|(_, index)| {
                let row = &rows[index];
                let header = row.header.as_ref();
                let method = header.map_or("", |header| &header.config.method);
                let used: Vec<RunStyle> = self.shades.values().copied().collect();
                let free = || RunStyle::first_free(method, &used);
                let shade = self.shades.entry(row.folder.clone()).or_insert_with(free);
                (*shade, index)
            });
            runs.collect()
        })
    }
}

/// Returns the differences between the runs at these indices in settings and in the files that the settings name.
fn cached_differences(state: &mut State, rows: &Rows, indices: &[usize]) -> Differences {
    let language = Language::spoken();
    let inputs = (Shared(rows.clone()), indices.to_vec(), language);
    state.differences.get(inputs, || {
        let runs = indices.iter().map(|index| &*rows[*index]);
        let runs: Vec<&RunRow> = runs.filter(|row| row.header.is_some()).collect();
        let headers = runs.iter().filter_map(|row| row.header.as_ref());
        let configs: Vec<&RunConfig> = headers.map(|header| &header.config).collect();
        let mut result = differences(&configs);
        result.extend(file_differences(&runs));
        result.into()
    })
}

/// Returns a sentence for each tested run at these indices except the first, about the images that only it or only the
/// first classifies correctly.
fn cached_pairs(state: &mut State, rows: &Rows, indices: &[usize]) -> Arc<[String]> {
    let expert = state.expert;
    let inputs = (Shared(rows.clone()), indices.to_vec(), expert, Language::spoken());
    state.pairs.get(inputs, || {
        let tested = indices.iter().map(|index| &*rows[*index]);
        let mut tested = tested.filter(|row| row.is_measured());
        let Some(first) = tested.next() else {
            return Arc::default();
        };
        let nearest = |row: &RunRow| row.history.expert_or_answer(expert);
        let describe =
            |other: &RunRow| describe_pair((first, nearest(first)), (other, nearest(other)));
        tested.map(describe).collect()
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
        widgets::empty_page(ui, tr!("compare-none"), tr!("compare-none-about"), |ui| {
            if primary_button(ui, tr!("train-set-up-experiment"), true).clicked() {
                cx.dispatch(UiCommand::Show(Page::Experiment));
            }
            if ui.link(tr!("compare-folders")).clicked() {
                cx.dispatch(UiCommand::ShowFolders);
            }
            if ui.link(tr!("compare-deleted")).clicked() {
                cx.dispatch(UiCommand::ShowDeleted);
            }
        });
        return;
    }
    select_newest(cx, &rows);
    let left = |ui: &mut Ui, cx: &mut Cx<'_>, column| list::list(ui, cx, &rows, column);
    let right = |ui: &mut Ui, cx: &mut Cx<'_>, column| {
        let views =
            [(View::SideBySide, tr!("compare-side-by-side")), (View::Table, tr!("compare-table"))];
        let view = &mut cx.pages.compare.view;
        segmented(ui, tr!("compare-view-mode"), &views, view);
        match cx.pages.compare.view {
            View::SideBySide => side_by_side::side_by_side(ui, cx, &rows, column),
            View::Table => table::table(ui, cx, &rows, column),
        }
    };
    match ui.available_width() {
        width if (SIDE_BY_SIDE_WIDTH..NARROW_WIDTH).contains(&width) => {
            columns(ui, cx, Fixed::Left(330.0), left, right, |_, _| {});
        }
        _ => two_columns(ui, cx, Fixed::Left(440.0), left, right),
    }
}

/// Selects the newest run and the newest run comparable with it, until other runs are selected.
fn select_newest(cx: &mut Cx<'_>, rows: &Rows) {
    let state = &mut cx.pages.compare;
    if state.selected_by != SelectedBy::Nobody {
        return;
    }
    let mut measured = rows.iter().filter(|row| row.is_measured());
    let newest = measured.next();
    let header = newest.and_then(|row| row.header.as_ref());
    // The second run must be comparable with the newest run.
    let is_comparable = |row: &&Arc<RunRow>| {
        let pair = header.zip(row.header.as_ref());
        pair.is_some_and(|(first, other)| comparison_obstacles(first, other).is_empty())
    };
    let newest: Vec<&Arc<RunRow>> =
        newest.into_iter().chain(measured.find(is_comparable)).collect();
    if !newest.iter().all(|row| state.selection.contains(&row.folder)) {
        let newest = newest.into_iter().map(|row| row.folder.clone());
        state.selection.set(newest);
    }
}
