//! Lay runs side by side: a list with a filter; the chosen ones as curves, in numbers, and in what
//! their settings differ. Or all that are listed as a table, put together by any setting.

mod actions;
mod became;
mod chosen;
mod costs;
mod line;
mod list;
mod matrices;
mod paired;
mod side_by_side;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use egui::Ui;

use crate::metrics::Expert;
use crate::palette::Shade;
use crate::run::config::RunConfig;
use crate::session::differences::{differences, other_texts};
use crate::session::like::unlike;
use crate::session::views::{Fetch, Rows, RunRow};
use crate::texts::Language;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::NARROW;
use crate::ui::widgets::long_list::LongList;
use crate::ui::widgets::matrix::Picture;
use crate::ui::widgets::{
    self, Fixed, card, columns, link, primary_button, segmented, two_columns,
};

/// The columns of the table, as messages, and the term that each of them is.
const FIGURES: [(&str, &str); 7] = [
    ("compare-last", "last_accuracy"),
    ("compare-average", "average_accuracy"),
    ("compare-forgetting", "forgetting"),
    ("compare-interval", "interval"),
    ("compare-online", "online"),
    ("compare-offline", "offline"),
    ("compare-task-given", "task_given"),
];

/// From this width on the comparison stands beside the list.
const BESIDE: f32 = 940.0;

/// Runs that can be laid side by side.
const MOST: usize = 64;

/// What is shown beside the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// The chosen runs, one by one.
    SideBySide,
    /// All listed runs, put together.
    Table,
}

/// Runs laid side by side: how each is drawn, and its place in the list.
type Laid = Arc<[(Shade, usize)]>;

/// The settings in which runs differ: key, and the value of each run.
type Different = Arc<[(String, Vec<String>)]>;

/// Places of runs among the rows.
type Places = Arc<[usize]>;

/// What the page remembers between frames.
pub struct State {
    filter: String,
    /// Only runs with this tag are listed.
    tag: Option<String>,
    /// What is chosen: laid side by side, and what the line above the list acts on.
    selection: chosen::Selection,
    /// The places of the chosen runs among these, after so many changes.
    chosen: Option<(Places, u64, Places)>,
    /// How each chosen run is drawn, as long as it is chosen.
    shades: HashMap<PathBuf, Shade>,
    /// Where the chosen runs stand in this list after so many changes, in the order they were chosen in.
    laid: Option<(Rows, u64, Laid)>,
    expert: Expert,
    /// In what the runs differ that are shown, by the list of all and their places, in this language.
    different: Option<(Rows, Vec<usize>, Language, Different)>,
    /// The accuracy matrices as pictures, by run that is chosen.
    matrices: HashMap<PathBuf, Picture>,
    /// The runs that the words and tags find.
    found: Option<list::Found>,
    /// What is shown beside the list.
    view: View,
    /// The table.
    table: table::TableState,
    /// The lines of the list.
    lines: LongList<PathBuf>,
    /// Whether the person chose; until then the newest runs are.
    by_person: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            filter: String::new(),
            tag: None,
            selection: chosen::Selection::default(),
            chosen: None,
            shades: HashMap::new(),
            laid: None,
            different: None,
            expert: Expert::ENSEMBLE,
            matrices: HashMap::new(),
            found: None,
            view: View::SideBySide,
            table: table::TableState::default(),
            lines: LongList::default(),
            by_person: false,
        }
    }
}

impl State {
    /// Chooses these runs, and no others.
    pub fn choose(&mut self, folders: Vec<PathBuf>) {
        self.selection.set(folders);
        self.by_person = true;
    }

    /// Lets go of these runs: they are no longer there.
    pub fn let_go(&mut self, folders: &[PathBuf]) {
        self.selection.remove(folders);
    }

    /// The chosen runs that have figures, in the order they were chosen in: how each is drawn, and its place among the
    /// rows.
    fn laid(&mut self, rows: &Rows) -> Laid {
        let changes = self.selection.changes();
        if let Some((of, at, laid)) = &self.laid
            && Arc::ptr_eq(of, rows)
            && *at == changes
        {
            return laid.clone();
        }
        let slot = |(at, row): (usize, &Arc<RunRow>)| {
            let place = self.selection.place(&row.folder)?;
            row.is_measured().then_some((place, at))
        };
        let mut laid: Vec<(usize, usize)> = rows.iter().enumerate().filter_map(slot).collect();
        laid.sort_unstable();
        laid.truncate(MOST);
        let selection = &self.selection;
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
        let laid: Laid = laid.collect();
        self.laid = Some((rows.clone(), changes, laid.clone()));
        laid
    }
}

/// In what the runs at these places differ: settings, and what the settings only name.
fn different(state: &mut State, rows: &Rows, places: &[usize]) -> Different {
    let language = Language::spoken();
    if let Some((of, at, spoken, known)) = &state.different
        && Arc::ptr_eq(of, rows)
        && (at.as_slice(), *spoken) == (places, language)
    {
        return known.clone();
    }
    let runs = places.iter().map(|at| &*rows[*at]);
    let runs: Vec<&RunRow> = runs.filter(|row| row.header.is_some()).collect();
    let headers = runs.iter().filter_map(|row| row.header.as_ref());
    let configs: Vec<&RunConfig> = headers.map(|header| &header.config).collect();
    let mut found = differences(&configs);
    found.extend(other_texts(&runs));
    let found: Different = found.into();
    state.different = Some((rows.clone(), places.to_vec(), language, found.clone()));
    found
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
        widgets::empty(ui, tr!("compare-none"), tr!("compare-none-text"), |ui| {
            if primary_button(ui, tr!("train-set-up"), true).clicked() {
                cx.act(UiCommand::Show(Page::Experiment));
            }
            if link(ui, tr!("compare-folders")).clicked() {
                cx.act(UiCommand::Folders);
            }
            if link(ui, tr!("compare-deleted")).clicked() {
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
        segmented(ui, tr!("compare-view"), &views, &mut cx.pages.compare.view);
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

/// As long as the person has chosen nothing, the newest run is, and the newest other one with the same tasks.
fn begin(cx: &mut Cx<'_>, rows: &Rows) {
    let state = &mut cx.pages.compare;
    if state.by_person {
        return;
    }
    let mut good = rows.iter().filter(|row| row.is_measured());
    let newest = good.next();
    let header = newest.and_then(|row| row.header.as_ref());
    // Beside the newest run stands one that can be held against it.
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
