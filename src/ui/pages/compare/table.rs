//! The listed runs as a table. Rows are grouped by any setting and show mean ± standard deviation over the others. They
//! can be sorted and compared with one row and with published results; the selected rows are drawn as curves with
//! bands.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use egui::{
    Align, Layout, Popup, PopupCloseBehavior, Response, RichText, Role, ScrollArea, Sense, Ui,
    Vec2, WidgetInfo,
};
use egui_extras::{Column as TableColumn, TableBuilder};

use super::list::found;
use crate::palette::Shade;
use crate::session::plain::title_of;
use crate::session::run_table::{ShownColumn, ShownRow, TableAsk, TableView};
use crate::session::views::Rows;
use crate::store::table::{Align as Side, Choice, ComparisonBase, FigureSpec, TableRequest};
use crate::tr;
use crate::ui::cached::{Cached, Shared};
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, task_labels};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, Column, button, card, card_of, faint, icon_button, sentence};

/// Number of rows that are drawn as curves until the user selects rows.
const FIRST: usize = 6;
/// Height of a row, in points.
const ROW: f32 = 26.0;
/// Width in points of a character, and of the padding of a cell.
const LETTER: f32 = 6.8;
const AROUND: f32 = 20.0;
/// Maximum width of a column in characters. A tooltip shows the whole cell.
const MOST_LETTERS: usize = 28;
/// The settings by which rows are grouped by default.
const BY: [&str; 5] = ["data", "method", "variant", "pet", "pet_size"];
const COLUMNS: [&str; 4] = [
    "final_accuracy",
    "average_accuracy",
    "forgetting",
    "seconds",
];

/// The rows drawn as curves: shade and index in the table.
type CurveRows = Arc<[(Shade, usize)]>;

/// The state of the table that is kept between frames.
pub(super) struct TableState {
    request: TableRequest,
    /// The rows drawn as curves, each identified by its first run; `None` until the user selects rows.
    curves: Option<Vec<PathBuf>>,
    /// A cache of the drawn rows, valid for this table.
    drawn: Cached<Shared<TableView>, CurveRows>,
}

impl Default for TableState {
    fn default() -> Self {
        let request = TableRequest {
            by: BY.map(String::from).to_vec(),
            columns: COLUMNS.map(String::from).to_vec(),
            sort: Some("-final_accuracy".into()),
            against: None,
            published: false,
            unfinished: false,
        };
        Self {
            request,
            curves: None,
            drawn: Cached::default(),
        }
    }
}

impl TableState {
    /// Returns the rows that are drawn as curves, with their shades.
    fn drawn(&mut self, view: &Arc<TableView>) -> CurveRows {
        self.drawn.get(Shared(view.clone()), || {
            let drawn: Vec<usize> = match &self.curves {
                None => (0..view.rows.len().min(FIRST)).collect(),
                Some(ticked) => {
                    let rows = view.rows.iter().enumerate();
                    let rows = rows.filter_map(|(at, row)| Some((row.runs.first()?, at)));
                    let rows: HashMap<&PathBuf, usize> = rows.collect();
                    let drawn = ticked.iter().filter_map(|run| rows.get(run).copied());
                    drawn.collect()
                }
            };
            let methods = drawn.iter().map(|at| view.rows[*at].method.as_str());
            Shade::each(methods).into_iter().zip(drawn).collect()
        })
    }

    fn tick(&mut self, view: &TableView, row: usize) {
        self.drawn = Cached::default();
        let first = |row: &ShownRow| row.runs.first().cloned();
        let ticked = self
            .curves
            .get_or_insert_with(|| view.rows.iter().take(FIRST).filter_map(first).collect());
        let Some(run) = first(&view.rows[row]) else {
            return;
        };
        match ticked.iter().position(|known| *known == run) {
            Some(at) => {
                ticked.remove(at);
            }
            None => ticked.push(run),
        }
    }
}

pub(super) fn table(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let places = found(cx, rows);
    let ask = TableAsk {
        request: cx.pages.compare.table.request.clone(),
        rows: rows.clone(),
        places,
    };
    if !cx.session.compare.table.is_asked(&ask) {
        cx.act(UiCommand::Load(Box::new(|session| session.make_table(ask))));
    }
    match cx.session.compare.table.made.clone() {
        Some(Ok(view)) => {
            curves(ui, cx, &view);
            let height = column.rest(ui, 260.0);
            card_of(ui, height, |ui| {
                head(ui, cx, &view);
                remarks(ui, cx, &view);
                body(ui, cx, &view, height);
            });
        }
        Some(Err(problem)) => card(ui, |ui| {
            widgets::problem(ui, &problem);
            if button(ui, tr!("compare-default-columns")).clicked() {
                cx.pages.compare.table = TableState::default();
            }
        }),
        None => card(ui, |ui| {
            faint(ui, tr!("compare-building-table"));
        }),
    }
}

/// Draws the accuracy of the selected rows over the tasks.
fn curves(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>) {
    let drawn = cx.pages.compare.table.drawn(view);
    let drawn = drawn.iter().map(|(shade, row)| (*shade, &view.rows[*row]));
    let drawn: Vec<(Shade, &ShownRow)> = drawn.collect();
    if drawn.is_empty() {
        return;
    }
    let tasks = drawn.iter().map(|(_, row)| row.curve.len()).max();
    let labels = task_labels(tasks.unwrap_or(0));
    let t = tokens(ui);
    let series = drawn.iter().map(|(shade, row)| {
        let points = row.curve.iter().copied();
        Series::of_run(t, *shade, row.title.clone(), points)
    });
    let series = series.collect();
    card(ui, |ui| {
        widgets::title(ui, tr!("train-accuracy-curves"));
        faint(ui, tr!("compare-mean-and-band"));
        Curves {
            id: "table",
            name: tr!("compare-table-curves-name"),
            height: 240.0,
            tasks: &labels,
            series,
            now: None,
        }
        .show(ui);
    });
}

/// Draws the menus for rows and columns, and the export.
fn head(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>) {
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, tr!("compare-rows", n = view.rows.len()));
        let request = &mut cx.pages.compare.table.request;
        let by = view.choices.iter().filter(|choice| !choice.is_figure);
        let open = button(ui, tr!("compare-group-by"));
        let open = open.on_hover_text(tr!("compare-group-by-hint"));
        choose(&open, by, &mut request.by);
        let open = button(ui, tr!("compare-columns"));
        choose(&open, view.choices.iter(), &mut request.columns);
        widgets::checkbox(ui, &mut request.published, tr!("compare-published"))
            .on_hover_text(tr!("compare-published-hint"));
        widgets::checkbox(ui, &mut request.unfinished, tr!("compare-unfinished"))
            .on_hover_text(tr!("compare-unfinished-hint"));
        if request.against.is_some() && ui.link(tr!("compare-stop-comparing")).clicked() {
            request.against = None;
        }
        let open = button(ui, tr!("train-log-copy"));
        Popup::menu(&open).show(|ui| {
            let text = &view.text;
            for (words, copied) in [
                (tr!("compare-copy-tabs"), text.tabs()),
                (tr!("compare-copy-markdown"), text.markdown()),
                (tr!("compare-copy-latex"), text.latex()),
            ] {
                if ui.button(words).clicked() {
                    cx.act(UiCommand::CopyText(copied));
                }
            }
        });
    });
}

/// Draws a menu to select columns.
fn choose<'a>(
    open: &Response,
    choices: impl Iterator<Item = &'a Choice>,
    chosen: &mut Vec<String>,
) {
    let menu = Popup::menu(open).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| {
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for choice in choices {
                let mut on = chosen.contains(&choice.key);
                let meaning = FigureSpec::named(&choice.key).map_or("", FigureSpec::meaning);
                let check = widgets::checkbox(ui, &mut on, title(choice));
                if check.clicked() {
                    match on {
                        true => chosen.push(choice.key.clone()),
                        false => chosen.retain(|key| *key != choice.key),
                    }
                }
                if !meaning.is_empty() {
                    check.on_hover_text(meaning);
                }
            }
        });
    });
}

/// Returns the title of a column as the window shows it.
fn title(choice: &Choice) -> String {
    match choice.is_figure {
        true => choice.title.clone(),
        false => title_of(&choice.key),
    }
}

/// Draws the settings that all rows share, and remarks about means and published results.
fn remarks(ui: &mut Ui, cx: &mut Cx<'_>, view: &TableView) {
    if !view.common.is_empty() {
        let words = tr!("compare-all-rows-share", each = view.common.join(", "));
        faint(ui, words);
    }
    if !view.mixed.is_empty() {
        ui.horizontal_wrapped(|ui| {
            sentence(ui, tr!("compare-mixed-settings"));
            for key in &view.mixed {
                let is_column = view.choices.iter().any(|choice| choice.key == *key);
                if is_column && ui.link(title_of(key)).clicked() {
                    cx.pages.compare.table.request.by.push(key.clone());
                }
                if !is_column {
                    faint(ui, title_of(key));
                }
            }
        });
    }
    if view.left_out > 0 {
        faint(ui, tr!("compare-unfinished-not-shown", n = view.left_out));
    }
    for title in &view.seedless {
        let words = tr!("compare-seed-without-effect", title = title.as_str());
        faint(ui, words);
    }
    for source in &view.sources {
        faint(ui, source);
    }
}

fn body(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>, height: f32) {
    let tick = TableColumn::exact(44.0);
    let width = |column: &ShownColumn| {
        let letters = column
            .letters
            .min(MOST_LETTERS)
            .max(column.title.chars().count());
        TableColumn::initial(letters as f32 * LETTER + AROUND)
            .at_least(30.0)
            .resizable(true)
            .clip(true)
    };
    ScrollArea::horizontal()
        .id_salt("table-of-runs")
        .show(ui, |ui| {
            let mut builder = TableBuilder::new(ui)
                .id_salt("rows")
                .min_scrolled_height(180.0)
                .max_scroll_height((height - 60.0).max(360.0))
                .cell_layout(Layout::left_to_right(Align::Center))
                .column(tick);
            for column in &view.columns {
                builder = builder.column(width(column));
            }
            let table = builder.header(ROW, |mut header| {
                header.col(|_| {});
                for column in &view.columns {
                    header.col(|ui| heading(ui, cx, column));
                }
            });
            table.body(|body| {
                body.rows(ROW, view.rows.len(), |mut drawn| {
                    let at = drawn.index();
                    drawn.col(|ui| mark(ui, cx, view, at));
                    for (cell, column) in view.rows[at].cells.iter().zip(&view.columns) {
                        drawn.col(|ui| self::cell(ui, cell, column));
                    }
                });
            });
        });
}

/// Draws the title of a column. A click sorts the rows by the column.
fn heading(ui: &mut Ui, cx: &mut Cx<'_>, column: &ShownColumn) {
    let t = tokens(ui);
    let sort = &mut cx.pages.compare.table.request.sort;
    let sorted = sort
        .as_deref()
        .map(|by| (by.trim_start_matches('-'), by.starts_with('-')));
    let own = sorted.filter(|(by, _)| column.key.as_deref() == Some(*by));
    let sign = match own {
        Some((_, true)) => " ▼",
        Some((_, false)) => " ▲",
        None => "",
    };
    let text = RichText::new(format!("{}{sign}", column.title)).font(regular(12.0));
    let Some(key) = &column.key else {
        ui.label(text.color(t.subdued));
        return;
    };
    let colour = if own.is_some() { t.strong } else { t.subdued };
    let label = egui::Label::new(text.color(colour)).sense(Sense::click());
    let label = ui.add(label);
    label.widget_info(|| WidgetInfo::labeled(Role::Button, true, &column.title));
    if label.clicked() {
        // At the first click, numbers are sorted in descending order and words alphabetically.
        let down = match own {
            Some((_, down)) => !down,
            None => column.align == Side::Right,
        };
        *sort = Some(format!("{}{key}", if down { "-" } else { "" }));
    }
    let meaning = FigureSpec::named(key).map_or(tr!("compare-sort"), FigureSpec::meaning);
    label.on_hover_text(meaning);
}

/// Draws the checkbox of a row and its context menu.
fn mark(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>, at: usize) {
    let row = &view.rows[at];
    let drawn = cx.pages.compare.table.drawn(view);
    let shade = drawn.iter().find(|(_, row)| *row == at);
    let shade = shade.map(|(shade, _)| *shade);
    let mut on = shade.is_some();
    ui.spacing_mut().item_spacing.x = 2.0;
    let mut style = (**ui.style()).clone();
    if let Some(shade) = shade {
        style.visuals.widgets.inactive.fg_stroke.color = tokens(ui).run(shade);
        ui.set_style(style);
    }
    let tick = widgets::checkbox(ui, &mut on, "");
    let name = row.title.as_str();
    let tick = tick.accessible_name(tr!("compare-plot", name));
    if tick.clicked() {
        cx.pages.compare.table.tick(view, at);
    }
    let more = icon_button(ui, Icon::Dots, &tr!("compare-more-actions", name), 18.0);
    Popup::menu(&more).show(|ui| {
        if ui.button(tr!("compare-rows-with-this")).clicked() {
            let against = row.runs.first().cloned().map(ComparisonBase::RowOf);
            cx.pages.compare.table.request.against = against;
        }
        let words = tr!("compare-runs-side-by-side", n = row.runs.len());
        if ui.button(words).clicked() {
            cx.pages.compare.choose(row.runs.clone());
            cx.pages.compare.view = super::View::SideBySide;
        }
    });
}

fn cell(ui: &mut Ui, cell: &str, column: &ShownColumn) {
    let t = tokens(ui);
    let is_figure = column.align == Side::Right;
    let (font, colour) = match is_figure {
        true => (semibold(13.0), t.strong),
        false => (regular(13.0), t.text),
    };
    ui.spacing_mut().item_spacing = Vec2::ZERO;
    widgets::truncated(ui, cell, font, colour);
}
