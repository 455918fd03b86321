//! The choice of the presented runs: those selected on the page, or chosen in the lists of runs.

use std::path::{Path, PathBuf};

use egui::{ComboBox, Rect, RichText, Ui, UiBuilder};

use super::{PresentedRun, split_columns};
use crate::session::Session;
use crate::session::comparison_run::have_same_tasks;
use crate::session::views::RunRow;
use crate::tr;
use crate::ui::command::Page;
use crate::ui::pages::{Cx, compare};
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::elided_text::shorten_name;

/// Maximum number of characters of a name in a note.
const MAX_NAME_CHARS: usize = 30;

/// Returns the folders of the runs to present from a page: the runs selected on the page, otherwise those on Train.
pub(super) fn selected_runs(
    session: &Session,
    state: &mut compare::State,
    page: Page,
) -> Vec<PathBuf> {
    let rows = session.compare.runs.ready();
    let chosen = match page {
        Page::Compare => rows.map_or_else(Vec::new, |rows| state.selected(rows)),
        Page::Learn => learn_page_runs(session),
        _ => Vec::new(),
    };
    if !chosen.is_empty() {
        return chosen;
    }
    let shown = session.train.displayed_run().and_then(|run| run.header.as_ref());
    let other = session.companion().map(|other| other.header);
    let headers = shown.into_iter().chain(other);
    headers.map(|header| header.folder.clone()).collect()
}

/// Returns the runs of the open tour or lesson that have results. Of repeated runs, only the first is included.
fn learn_page_runs(session: &Session) -> Vec<PathBuf> {
    let learn = &session.learn;
    let folders: Vec<PathBuf> = match (&learn.tour, &learn.lessons.open) {
        (Some(tour), _) => {
            // The runs are fine-tuning and the run of the newest act.
            let mut runs = tour.measured_runs();
            let first = runs.next();
            let first_and_last = first.into_iter().chain(runs.last());
            first_and_last.filter_map(|run| run.folder.clone()).collect()
        }
        (None, Some(unit)) => {
            let first_folder = |name| {
                learn.lessons.run_repetitions(name).iter().find_map(|run| run.folder.clone())
            };
            unit.plans().filter_map(|plan| first_folder(&plan.name)).collect()
        }
        (None, None) => Vec::new(),
    };
    let has_results = |folder: &PathBuf| {
        let run = session.results_of(folder);
        run.is_some_and(|run| !run.history.matrix.is_empty())
    };
    folders.into_iter().filter(has_results).collect()
}

/// Draws the name of each run at the top of its column as a list to choose another run. If a single run is presented, a
/// list of the runs with the same tasks is next to it.
pub(super) fn run_selectors(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    shown: &[PresentedRun<'_>],
    rect: Rect,
    unit: f32,
) {
    let Some(first) = shown.first() else { return };
    let header = first.run.header;
    let is_other = |row: &&RunRow| {
        let other = row.header.as_ref().filter(|_| row.folder != header.folder);
        row.is_measured() && other.is_some_and(|other| have_same_tasks(header, other))
    };
    let mut others = cx.session.rows().filter(is_other);
    // The second run was selected, but is not shown because it has other tasks.
    let excluded = cx.pages.present.runs.get(1).filter(|_| shown.len() == 1);
    let excluded = excluded.and_then(|folder| cx.session.results_of(folder));
    let single = shown.len() == 1 && excluded.is_none() && others.next().is_none();
    let rects = split_columns(rect, if single { 1 } else { 2 }, unit);
    run_selector(ui, cx, Some(first), rects[0], unit);
    let Some(rect) = rects.get(1) else { return };
    let text = match (shown.get(1), excluded) {
        (Some(other), _) => run_title(ui, other, unit),
        (None, Some(other)) => {
            let name = shorten_name(other.header.short_name(), MAX_NAME_CHARS);
            subdued_text(ui, &tr!("present-other-tasks", name), unit)
        }
        (None, None) => subdued_text(ui, tr!("present-no-other-run"), unit),
    };
    let current = shown.get(1).map(|other| other.run.header.folder.as_path());
    let rows = cx.session.rows().filter(is_other);
    let (label, none_label) = (tr!("present-compare-with"), Some(tr!("present-no-other-run")));
    if let Some(other) = run_combo_box(ui, *rect, (text, label), unit, (current, none_label), rows)
    {
        let first = Some(header.folder.clone());
        cx.pages.present.runs = [first, other].into_iter().flatten().collect();
    }
}

/// Draws the list of all runs with results. Choosing a run presents it from the start.
pub(super) fn run_selector(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    current: Option<&PresentedRun<'_>>,
    rect: Rect,
    unit: f32,
) {
    let text = match current {
        Some(shown) => run_title(ui, shown, unit),
        None => subdued_text(ui, tr!("present-choose-run"), unit),
    };
    let current = current.map(|shown| shown.run.header.folder.as_path());
    let rows = cx.session.rows().filter(|row| row.is_measured());
    let label = tr!("present-choose-run");
    if let Some(Some(folder)) = run_combo_box(ui, rect, (text, label), unit, (current, None), rows)
    {
        let runs = &mut cx.pages.present.runs;
        match runs.first_mut() {
            Some(first) => *first = folder,
            None => runs.push(folder),
        }
    }
}

fn run_title(ui: &Ui, shown: &PresentedRun<'_>, unit: f32) -> RichText {
    let sign = shown.run.shade.marker().symbol();
    let text = RichText::new(format!("{sign} {}", shown.name)).font(semibold(unit * 1.1));
    text.color(tokens(ui).run_colour(shown.run.shade))
}

fn subdued_text(ui: &Ui, text: &str, unit: f32) -> RichText {
    let text = RichText::new(text).font(regular(unit));
    text.color(tokens(ui).subdued)
}

/// Draws a list of runs with an item for no run if `none_label` is set. Returns the folder of the run that
/// was clicked, or `Some(None)` for no run.
fn run_combo_box<'a>(
    ui: &mut Ui,
    rect: Rect,
    (text, label): (RichText, &'static str),
    unit: f32,
    (current, none_label): (Option<&Path>, Option<&str>),
    rows: impl Iterator<Item = &'a RunRow>,
) -> Option<Option<PathBuf>> {
    let response = ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
        ui.spacing_mut().icon_width = unit * 0.8;
        let combo = ComboBox::from_id_salt(label)
            .width(rect.width())
            .height(unit * 14.0)
            .truncate()
            .selected_text(text);
        let menu = combo.show_ui(ui, |ui| {
            ui.style_mut().override_font_id = Some(regular(unit * 0.6));
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
            let mut chosen = None;
            if none_label.is_some_and(|item| ui.selectable_label(current.is_none(), item).clicked())
            {
                chosen = Some(None);
            }
            for row in rows {
                let is_current = current == Some(&row.folder);
                if ui.selectable_label(is_current, row.list_label()).clicked() {
                    chosen = Some(Some(row.folder.clone()));
                }
            }
            chosen
        });
        menu.response.accessible_name(label);
        menu.inner.flatten()
    });
    response.inner
}
