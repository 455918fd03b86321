//! Lay runs side by side: a list with a filter; the ticked ones as curves, in numbers, and in what
//! their settings differ. Or all that are listed as a table, put together by any setting.

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
use crate::session::like::unlike;
use crate::session::views::{Fetch, Rows, RunRow};
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
    /// The ticked runs, one by one.
    SideBySide,
    /// All listed runs, put together.
    Table,
}

/// Runs laid side by side: how each is drawn, and its place in the list.
type Laid = Arc<[(Shade, usize)]>;

/// What the page remembers between frames.
pub struct State {
    filter: String,
    /// Only runs with this tag are listed.
    tag: Option<String>,
    selection: chosen::Selection,
    /// Ticked runs and the place each keeps among them.
    ticked: HashMap<PathBuf, usize>,
    /// How each ticked run is drawn, as long as it is ticked.
    shades: HashMap<PathBuf, Shade>,
    /// Where the ticked runs stand in this list, in their order.
    laid: Option<(Rows, Laid)>,
    expert: Expert,
    /// The accuracy matrices as pictures, by run.
    matrices: HashMap<PathBuf, Picture>,
    /// The runs that the words and tags find.
    found: Option<list::Found>,
    /// What is shown beside the list.
    view: View,
    /// The table.
    table: table::TableState,
    /// The lines of the list.
    lines: LongList<PathBuf>,
    /// What had no room beside the others, in words.
    no_room: Option<String>,
    /// Whether the person chose what is ticked; until then the newest runs are.
    by_person: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            filter: String::new(),
            tag: None,
            selection: chosen::Selection::default(),
            ticked: HashMap::new(),
            shades: HashMap::new(),
            laid: None,
            expert: Expert::ENSEMBLE,
            matrices: HashMap::new(),
            found: None,
            view: View::SideBySide,
            table: table::TableState::default(),
            lines: LongList::default(),
            no_room: None,
            by_person: false,
        }
    }
}

impl State {
    /// Lays these runs side by side, and no others.
    pub fn lay(&mut self, folders: Vec<PathBuf>) {
        let wanted = folders.len();
        self.no_room = (wanted > MOST).then(|| tr!("compare-no-room", n = wanted, most = MOST));
        self.ticked = folders.into_iter().take(MOST).zip(0..).collect();
        self.laid = None;
        self.by_person = true;
    }

    /// Lays these runs beside no others any more; nothing is chosen.
    pub fn let_go(&mut self, folders: &[PathBuf]) {
        self.ticked.retain(|folder, _| !folders.contains(folder));
        self.laid = None;
        self.selection.clear();
    }

    /// The ticked runs in their order: how each is drawn, and its place among the rows.
    fn laid(&mut self, rows: &Rows) -> Laid {
        if let Some((of, laid)) = &self.laid
            && Arc::ptr_eq(of, rows)
        {
            return laid.clone();
        }
        let slot = |(at, row): (usize, &Arc<RunRow>)| Some((*self.ticked.get(&row.folder)?, at));
        let mut laid: Vec<(usize, usize)> = rows.iter().enumerate().filter_map(slot).collect();
        laid.sort_unstable();
        self.shades.retain(|run, _| self.ticked.contains_key(run));
        let laid = laid.into_iter().map(|(_, at)| {
            let row = &rows[at];
            let method = row
                .header
                .as_ref()
                .map_or("", |header| &header.config.method);
            let taken: Vec<Shade> = self.shades.values().copied().collect();
            let free = || Shade::free(method, &taken);
            let shade = self.shades.entry(row.folder.clone()).or_insert_with(free);
            (*shade, at)
        });
        let laid: Laid = laid.collect();
        self.laid = Some((rows.clone(), laid.clone()));
        laid
    }

    fn tick(&mut self, folder: &PathBuf) {
        self.no_room = None;
        self.laid = None;
        if self.ticked.remove(folder).is_some() {
            return;
        }
        let taken: Vec<usize> = self.ticked.values().copied().collect();
        match (0..MOST).find(|i| !taken.contains(i)) {
            Some(free) => {
                self.ticked.insert(folder.clone(), free);
            }
            None => {
                self.no_room = Some(tr!("compare-full", most = MOST));
            }
        }
    }
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
        _ => two_columns(ui, cx, Fixed::Left(420.0), left, right),
    }
}

/// As long as the person has ticked nothing, the newest run is, and the newest other one with the same tasks.
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
    if !newest
        .iter()
        .all(|row| state.ticked.contains_key(&row.folder))
    {
        state.ticked.clear();
        state.laid = None;
        for row in newest {
            state.tick(&row.folder);
        }
    }
}
