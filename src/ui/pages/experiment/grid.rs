//! A grid on Experiment: its description, the state of its runs, and the cost of the missing runs.

use egui::{Popup, RichText, ScrollArea, Ui};

use crate::run::grid::{CellState, GridRun, GridState};
use crate::run::job::SearchBy;
use crate::session::Session;
use crate::session::formatting::{format_bytes, format_duration};
use crate::session::grids::{GridView, grid_about, grid_run_title, grid_title};
use crate::session::views::Fetch;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, button, card, faint, segmented, sentence};

/// Height of a line of the list.
const ROW_HEIGHT: f32 = 20.0;

/// Draws the opened grid as the table of its runs.
pub fn show_opened(ui: &mut Ui, cx: &mut Cx<'_>, height: f32) {
    let Some(name) = cx.session.experiment.grid.opened.clone() else {
        return;
    };
    card(ui, |ui| {
        let view = cx.session.experiment.grid.view.ready().cloned();
        let title = view.as_ref().map_or(name, |v| grid_title(&v.state.title).to_string());
        widgets::title_row(ui, title, |ui| {
            let close = button(ui, tr!("experiment-grid-close"));
            let hint = tr!("experiment-grid-close-hint");
            if close.on_hover_text(hint).clicked() {
                cx.change(Session::close_grid);
            }
            let is_editable = view.as_ref().is_some_and(|view| view.fields.is_some());
            let hint = tr!("experiment-grid-edit-hint");
            let change = is_editable.then(|| button(ui, tr!("experiment-grid-edit")));
            if change.is_some_and(|change| change.on_hover_text(hint).clicked()) {
                cx.change(Session::edit_grid);
            }
        });
        match (&cx.session.experiment.grid.view, view) {
            (_, Some(view)) => {
                if !view.state.about.is_empty() {
                    sentence(ui, grid_about(&view.state.title, &view.state.about));
                }
                lines(ui, &view.state, height);
            }
            (Fetch::Failed(problem), None) => widgets::problem(ui, problem),
            _ => widgets::loading(ui, tr!("experiment-grid-searching-runs")),
        }
    });
}

/// Draws the runs of a grid, one per line.
pub fn lines(ui: &mut Ui, status: &GridState, height: f32) {
    ScrollArea::vertical()
        .id_salt("runs of the grid")
        .max_height(height)
        .auto_shrink([false, true])
        .show_rows(ui, ROW_HEIGHT, status.lines.len(), |ui, rows| {
            for line in &status.lines[rows] {
                show_line(ui, line);
            }
        });
}

fn show_line(ui: &mut Ui, line: &GridRun) {
    let t = tokens(ui);
    let (status, colour) = match &line.standing {
        CellState::Done(_) => (tr!("experiment-grid-run-done").to_string(), t.text),
        CellState::Stopped { saved, tasks } => {
            let task = saved + 1;
            let text = tr!("experiment-grid-run-stopped", task, tasks = *tasks);
            (text, t.warning)
        }
        CellState::AtWork => (tr!("experiment-grid-run-running").into(), t.accent),
        CellState::Elsewhere => (tr!("experiment-grid-run-elsewhere").into(), t.warning),
        CellState::ToDo => (format_duration(line.seconds.max(1.0)), t.subdued),
        CellState::Refused(problem) => (problem.translated_what(), t.bad),
    };
    widgets::ends(
        ui,
        |ui| {
            ui.set_min_height(ROW_HEIGHT - 4.0);
            widgets::truncated_faint(ui, grid_run_title(line));
        },
        |ui| {
            let label = egui::Label::new(RichText::new(&status).color(colour)).truncate();
            ui.add(label).on_hover_text(&status);
        },
    );
}

/// Returns a summary such as "3 methods × 2 PETs = 36 runs · 12 of them are there · about 1 h 40 · 8 MB · 1.2 GB
/// memory".
pub fn summary(view: &GridView) -> String {
    let status = &view.state;
    let runs = tr!("experiment-run-count", n = status.lines.len());
    let mut parts = vec![match view.factors.as_str() {
        "" => tr!("experiment-runs-and-rows", runs, n = status.rows),
        factors => format!("{factors} = {runs}"),
    }];
    let done = status.finished_runs();
    if done > 0 {
        parts.push(tr!("experiment-runs-already-done", n = done));
    }
    let refused = status.refused_runs();
    if refused > 0 {
        parts.push(tr!("experiment-runs-not-possible", n = refused));
    }
    if status.pending_runs() > 0 {
        let time = format_duration(status.remaining_seconds().max(1.0));
        parts.push(match status.measured {
            true => tr!("experiment-about-time", time),
            false => tr!("experiment-about-time-estimate", time),
        });
        parts.push(format_bytes(status.disk));
        let size = format_bytes(status.memory);
        parts.push(tr!("experiment-memory-size", size));
    }
    parts.join(" · ")
}

/// Draws the part of a grid's card above the start button, including the first problem.
pub fn ready(ui: &mut Ui, cx: &mut Cx<'_>) {
    match &cx.session.experiment.grid.view {
        Fetch::Ready(view) => {
            sentence(ui, summary(view));
            if view.state.rows > 1 {
                search(ui, cx.session.experiment.grid.search, cx.commands);
            }
            if view.state.pending_runs() > 0 {
                clusters(ui, cx);
            }
            let refused = view.state.lines.iter().find_map(|line| match &line.standing {
                CellState::Refused(problem) => Some(problem),
                _ => None,
            });
            if let Some(problem) = refused {
                widgets::problem(ui, problem);
            }
        }
        Fetch::Failed(problem) => widgets::problem(ui, problem),
        Fetch::Busy | Fetch::Nothing => {
            faint(ui, tr!("experiment-grid-searching-runs"));
        }
    }
}

/// Draws a menu of the clusters to submit the grid to, or how to add a cluster.
fn clusters(ui: &mut Ui, cx: &mut Cx<'_>) {
    let clusters = &cx.session.machines.clusters;
    if cx.session.grid_search().is_some() {
        return;
    }
    let menu =
        button(ui, tr!("experiment-slurm-run")).on_hover_text(tr!("experiment-slurm-run-hint"));
    Popup::menu(&menu).show(|ui| {
        if clusters.is_empty() {
            faint(ui, tr!("experiment-slurm-unavailable"));
        }
        for cluster in clusters {
            let name = match cluster.name.as_str() {
                "" => tr!("experiment-slurm-this-cluster"),
                name => name,
            };
            if ui.button(name).clicked() {
                let name = cluster.name.clone();
                cx.change(move |session| session.submit_grid(&name));
            }
        }
    });
}

/// Draws the checkbox that turns the grid into a search.
fn search(ui: &mut Ui, current: Option<SearchBy>, commands: &mut Vec<UiCommand>) {
    let mut selected = current;
    ui.horizontal_wrapped(|ui| {
        let mut enabled = selected.is_some();
        let check = widgets::checkbox(ui, &mut enabled, tr!("experiment-search"));
        if check.on_hover_text(tr!("experiment-search-hint")).changed() {
            selected = enabled.then_some(SearchBy::Halving);
        }
        if let Some(mut chosen) = selected {
            let options = [
                (SearchBy::Halving, tr!("experiment-search-halving")),
                (SearchBy::All, tr!("experiment-search-full")),
            ];
            if segmented(ui, "search", &options, &mut chosen) {
                selected = Some(chosen);
            }
        }
    });
    if selected != current {
        commands.push(UiCommand::change(move |session| {
            session.experiment.grid.search = selected;
        }));
    }
}

/// Returns the label of the start button, such as "Start 24 runs".
pub fn start_label(cx: &Cx<'_>) -> String {
    if cx.session.grid_search().is_some() {
        return tr!("experiment-start-search").into();
    }
    match cx.session.remaining_grid_runs() {
        None => tr!("experiment-nothing-to-start").into(),
        Some(remaining) => tr!("experiment-start-runs", n = remaining),
    }
}
