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

use super::list::matching_runs;
use crate::palette::RunStyle;
use crate::session::run_table::{RunTableRequest, ShownColumn, ShownRow, TableView};
use crate::session::views::Rows;
use crate::session::window_terms::title_of;
use crate::store::table::{Align as Side, ColumnChoice, ComparisonBase, FigureSpec, TableRequest};
use crate::tr;
use crate::ui::cached::{Cached, Shared};
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, task_labels};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{
    self, Column, button, card, card_with_height, faint, icon_button, sentence,
};

/// Number of rows that are drawn as curves until the user selects rows.
const DEFAULT_CURVES: usize = 6;
/// Height of a row, in points.
const ROW_HEIGHT: f32 = 26.0;
/// Width in points of a character, and of the padding of a cell.
const CHAR_WIDTH: f32 = 6.8;
const CELL_PADDING: f32 = 20.0;
/// Maximum width of a column in characters. A tooltip shows the whole cell.
const MAX_CHARS: usize = 28;
/// The settings by which rows are grouped by default.
const GROUP_BY: [&str; 5] = ["data", "method", "variant", "pet", "pet_size"];
const DEFAULT_COLUMNS: [&str; 4] = ["final_accuracy", "average_accuracy", "forgetting", "seconds"];

/// The rows drawn as curves: shade and index in the table.
type CurveRows = Arc<[(RunStyle, usize)]>;

/// The state of the table that is kept between frames.
pub(super) struct TableState {
    request: TableRequest,
    /// The rows drawn as curves, each identified by its first run; `None` until the user selects rows.
    curves: Option<Vec<PathBuf>>,
    /// A cache of the drawn rows, valid for this table.
    curve_rows: Cached<Shared<TableView>, CurveRows>,
}

impl Default for TableState {
    fn default() -> Self {
        let request = TableRequest {
            by: GROUP_BY.map(String::from).to_vec(),
            columns: DEFAULT_COLUMNS.map(String::from).to_vec(),
            sort: Some("-final_accuracy".into()),
            against: None,
            published: false,
            unfinished: false,
        };
        Self { request, curves: None, curve_rows: Cached::default() }
    }
}

impl TableState {
    /// Returns the rows that are drawn as curves, with their shades.
    fn curve_rows(&mut self, view: &Arc<TableView>) -> CurveRows {
        self.curve_rows.get(Shared(view.clone()), || {
            let indices: Vec<usize> = match &self.curves {
                None => (0..view.rows.len().min(DEFAULT_CURVES)).collect(),
                Some(selected) => {
                    let rows = view.rows.iter().enumerate();
                    let rows = rows.filter_map(|(index, row)| Some((row.runs.first()?, index)));
                    let rows: HashMap<&PathBuf, usize> = rows.collect();
                    let indices = selected.iter().filter_map(|run| rows.get(run).copied());
                    indices.collect()
                }
            };
            let methods = indices.iter().map(|index| view.rows[*index].method.as_str());
            RunStyle::for_runs(methods).into_iter().zip(indices).collect()
        })
    }

    fn toggle_curve(&mut self, view: &TableView, row: usize) {
        self.curve_rows = Cached::default();
        let first = |row: &ShownRow| row.runs.first().cloned();
        let selected = self.curves.get_or_insert_with(|| {
            view.rows.iter().take(DEFAULT_CURVES).filter_map(first).collect()
        });
        let Some(run) = first(&view.rows[row]) else {
            return;
        };
        match selected.iter().position(|other| *other == run) {
            Some(index) => {
                selected.remove(index);
            }
            None => selected.push(run),
        }
    }
}

pub(super) fn table(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let indices = matching_runs(cx, rows);
    let query = RunTableRequest {
        request: cx.pages.compare.table.request.clone(),
        rows: rows.clone(),
        indices,
    };
    if !cx.session.compare.table.is_requested(&query) {
        cx.load(|session| session.build_table(query));
    }
    match cx.session.compare.table.table.clone() {
        Some(Ok(view)) => {
            curves(ui, cx, &view);
            let height = column.remaining_height(ui, 260.0);
            card_with_height(ui, height, |ui| {
                show_header(ui, cx, &view);
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
    let rows = cx.pages.compare.table.curve_rows(view);
    let rows = rows.iter().map(|(shade, row)| (*shade, &view.rows[*row]));
    let rows: Vec<(RunStyle, &ShownRow)> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let tasks = rows.iter().map(|(_, row)| row.curve.len()).max();
    let labels = task_labels(tasks.unwrap_or(0));
    let t = tokens(ui);
    let series = rows.iter().map(|(shade, row)| {
        let points = row.curve.iter().copied();
        Series::from_run(t, *shade, row.title.clone(), points)
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
            current_task: None,
        }
        .show(ui);
    });
}

/// Draws the menus for rows and columns, and the export.
fn show_header(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>) {
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, tr!("compare-rows", n = view.rows.len()));
        let request = &mut cx.pages.compare.table.request;
        let groupings = view.choices.iter().filter(|choice| !choice.is_figure);
        let menu = button(ui, tr!("compare-group-by"));
        let menu = menu.on_hover_text(tr!("compare-group-by-hint"));
        column_menu(&menu, groupings, &mut request.by);
        let menu = button(ui, tr!("compare-columns"));
        column_menu(&menu, view.choices.iter(), &mut request.columns);
        widgets::checkbox(ui, &mut request.published, tr!("compare-published"))
            .on_hover_text(tr!("compare-published-hint"));
        widgets::checkbox(ui, &mut request.unfinished, tr!("compare-unfinished"))
            .on_hover_text(tr!("compare-unfinished-hint"));
        if request.against.is_some() && ui.link(tr!("compare-stop-comparing")).clicked() {
            request.against = None;
        }
        let menu = button(ui, tr!("train-log-copy"));
        Popup::menu(&menu).show(|ui| {
            let text = &view.text;
            for (label, copied) in [
                (tr!("compare-copy-tabs"), text.to_tsv()),
                (tr!("compare-copy-markdown"), text.to_markdown()),
                (tr!("compare-copy-latex"), text.to_latex()),
            ] {
                if ui.button(label).clicked() {
                    cx.dispatch(UiCommand::CopyText(copied));
                }
            }
        });
    });
}

/// Draws a menu to select columns.
fn column_menu<'a>(
    opener: &Response,
    choices: impl Iterator<Item = &'a ColumnChoice>,
    chosen: &mut Vec<String>,
) {
    let menu = Popup::menu(opener).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    menu.show(|ui| {
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for choice in choices {
                let mut checked = chosen.contains(&choice.key);
                let meaning = FigureSpec::from_name(&choice.key).map_or("", FigureSpec::meaning);
                let check = widgets::checkbox(ui, &mut checked, title(choice));
                if check.clicked() {
                    match checked {
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
fn title(choice: &ColumnChoice) -> String {
    match choice.is_figure {
        true => choice.title.clone(),
        false => title_of(&choice.key),
    }
}

/// Draws the settings that all rows share, and remarks about means and published results.
fn remarks(ui: &mut Ui, cx: &mut Cx<'_>, view: &TableView) {
    if !view.common.is_empty() {
        let text = tr!("compare-all-rows-share", each = view.common.join(", "));
        faint(ui, text);
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
    if view.unfinished_runs > 0 {
        faint(ui, tr!("compare-unfinished-not-shown", n = view.unfinished_runs));
    }
    for title in &view.seedless {
        let text = tr!("compare-seed-without-effect", title = title.as_str());
        faint(ui, text);
    }
    for source in &view.sources {
        faint(ui, source);
    }
}

fn body(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>, height: f32) {
    let tick = TableColumn::exact(44.0);
    let width = |column: &ShownColumn| {
        let char_count = column.width.min(MAX_CHARS).max(column.title.chars().count());
        TableColumn::initial(char_count as f32 * CHAR_WIDTH + CELL_PADDING)
            .at_least(30.0)
            .resizable(true)
            .clip(true)
    };
    ScrollArea::horizontal().id_salt("table-of-runs").show(ui, |ui| {
        let mut builder = TableBuilder::new(ui)
            .id_salt("rows")
            .min_scrolled_height(180.0)
            .max_scroll_height((height - 60.0).max(360.0))
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(tick);
        for column in &view.columns {
            builder = builder.column(width(column));
        }
        let table = builder.header(ROW_HEIGHT, |mut header| {
            header.col(|_| {});
            for column in &view.columns {
                header.col(|ui| heading(ui, cx, column));
            }
        });
        table.body(|body| {
            body.rows(ROW_HEIGHT, view.rows.len(), |mut row| {
                let index = row.index();
                row.col(|ui| row_controls(ui, cx, view, index));
                for (cell, column) in view.rows[index].cells.iter().zip(&view.columns) {
                    row.col(|ui| self::cell(ui, cell, column));
                }
            });
        });
    });
}

/// Draws the title of a column. A click sorts the rows by the column.
fn heading(ui: &mut Ui, cx: &mut Cx<'_>, column: &ShownColumn) {
    let t = tokens(ui);
    let sort = &mut cx.pages.compare.table.request.sort;
    let sorted = sort.as_deref().map(|by| (by.trim_start_matches('-'), by.starts_with('-')));
    let direction = sorted.filter(|(by, _)| column.key.as_deref() == Some(*by));
    let sign = match direction {
        Some((_, true)) => " ▼",
        Some((_, false)) => " ▲",
        None => "",
    };
    let text = RichText::new(format!("{}{sign}", column.title)).font(regular(12.0));
    let Some(key) = &column.key else {
        ui.label(text.color(t.subdued));
        return;
    };
    let colour = if direction.is_some() { t.strong } else { t.subdued };
    let label = egui::Label::new(text.color(colour)).sense(Sense::click());
    let label = ui.add(label);
    label.widget_info(|| WidgetInfo::labeled(Role::Button, true, &column.title));
    if label.clicked() {
        // At the first click, numbers are sorted in descending order and words alphabetically.
        let descending = match direction {
            Some((_, descending)) => !descending,
            None => column.align == Side::Right,
        };
        *sort = Some(format!("{}{key}", if descending { "-" } else { "" }));
    }
    let meaning = FigureSpec::from_name(key).map_or(tr!("compare-sort"), FigureSpec::meaning);
    label.on_hover_text(meaning);
}

/// Draws the checkbox of a row and its context menu.
fn row_controls(ui: &mut Ui, cx: &mut Cx<'_>, view: &Arc<TableView>, index: usize) {
    let row = &view.rows[index];
    let curve_rows = cx.pages.compare.table.curve_rows(view);
    let shade = curve_rows.iter().find(|(_, row)| *row == index);
    let shade = shade.map(|(shade, _)| *shade);
    let mut checked = shade.is_some();
    ui.spacing_mut().item_spacing.x = 2.0;
    let mut style = (**ui.style()).clone();
    if let Some(shade) = shade {
        style.visuals.widgets.inactive.fg_stroke.color = tokens(ui).run_colour(shade);
        ui.set_style(style);
    }
    let response = widgets::checkbox(ui, &mut checked, "");
    let name = row.title.as_str();
    let response = response.accessible_name(tr!("compare-plot", name));
    if response.clicked() {
        cx.pages.compare.table.toggle_curve(view, index);
    }
    let more = icon_button(ui, Icon::Dots, &tr!("compare-more-actions", name), 18.0);
    Popup::menu(&more).show(|ui| {
        if ui.button(tr!("compare-rows-with-this")).clicked() {
            let against = row.runs.first().cloned().map(ComparisonBase::RowOf);
            cx.pages.compare.table.request.against = against;
        }
        let label = tr!("compare-runs-side-by-side", n = row.runs.len());
        if ui.button(label).clicked() {
            cx.pages.compare.select(row.runs.clone());
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
