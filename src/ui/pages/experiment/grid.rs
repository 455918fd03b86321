//! A grid on Experiment: its description, the state of its runs, and the cost of the missing runs.

use egui::{Popup, RichText, ScrollArea, Ui};

use crate::run::grid::{CellStanding, GridLine, GridStanding};
use crate::run::job::SearchBy;
use crate::session::Session;
use crate::session::grids::{GridView, grid_about, grid_title, line_title};
use crate::session::views::Fetch;
use crate::session::words::{bytes_text, duration_text};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, button, card, faint, segmented, sentence};

/// Height of a line of the list.
const LINE: f32 = 20.0;

/// Draws the opened grid as the table of its runs.
pub fn opened(ui: &mut Ui, cx: &mut Cx<'_>, height: f32) {
    let Some(name) = cx.session.experiment.grid.opened.clone() else {
        return;
    };
    card(ui, |ui| {
        let view = cx.session.experiment.grid.view.ready().cloned();
        let title = view
            .as_ref()
            .map_or(name, |v| grid_title(&v.standing.title).to_string());
        widgets::title_row(ui, title, |ui| {
            let close = button(ui, tr!("experiment-grid-close"));
            let hint = tr!("experiment-grid-close-hint");
            if close.on_hover_text(hint).clicked() {
                cx.change(Session::close_grid);
            }
            let fields = view.as_ref().is_some_and(|view| view.fields.is_some());
            let hint = tr!("experiment-grid-edit-hint");
            let change = fields.then(|| button(ui, tr!("experiment-grid-edit")));
            if change.is_some_and(|change| change.on_hover_text(hint).clicked()) {
                cx.change(Session::edit_grid);
            }
        });
        match (&cx.session.experiment.grid.view, view) {
            (_, Some(view)) => {
                if !view.standing.about.is_empty() {
                    sentence(ui, grid_about(&view.standing.title, &view.standing.about));
                }
                lines(ui, &view.standing, height);
            }
            (Fetch::Failed(problem), None) => widgets::problem(ui, problem),
            _ => widgets::waiting(ui, tr!("experiment-grid-searching-runs")),
        }
    });
}

/// Draws the runs of a grid, one per line.
pub fn lines(ui: &mut Ui, standing: &GridStanding, height: f32) {
    ScrollArea::vertical()
        .id_salt("runs of the grid")
        .max_height(height)
        .auto_shrink([false, true])
        .show_rows(ui, LINE, standing.lines.len(), |ui, rows| {
            for line in &standing.lines[rows] {
                one(ui, line);
            }
        });
}

fn one(ui: &mut Ui, line: &GridLine) {
    let t = tokens(ui);
    let (words, colour) = match &line.standing {
        CellStanding::Done(_) => (tr!("experiment-grid-run-done").to_string(), t.text),
        CellStanding::Stopped { saved, tasks } => {
            let task = saved + 1;
            let words = tr!("experiment-grid-run-stopped", task, tasks = *tasks);
            (words, t.warning)
        }
        CellStanding::AtWork => (tr!("experiment-grid-run-running").into(), t.accent),
        CellStanding::Elsewhere => (tr!("experiment-grid-run-elsewhere").into(), t.warning),
        CellStanding::ToDo => (duration_text(line.seconds.max(1.0)), t.subdued),
        CellStanding::Refused(problem) => (problem.what_said(), t.bad),
    };
    widgets::ends(
        ui,
        |ui| {
            ui.set_min_height(LINE - 4.0);
            widgets::cut(ui, line_title(line));
        },
        |ui| {
            let label = egui::Label::new(RichText::new(&words).color(colour)).truncate();
            ui.add(label).on_hover_text(&words);
        },
    );
}

/// Returns a summary such as "3 methods × 2 PETs = 36 runs · 12 of them are there · about 1 h 40 · 8 MB · 1.2 GB
/// memory".
pub fn summary(view: &GridView) -> String {
    let standing = &view.standing;
    let runs = tr!("experiment-run-count", n = standing.lines.len());
    let mut words = vec![match view.factors.as_str() {
        "" => tr!("experiment-runs-and-rows", runs, n = standing.rows),
        factors => format!("{factors} = {runs}"),
    }];
    let done = standing.done();
    if done > 0 {
        words.push(tr!("experiment-runs-already-done", n = done));
    }
    let refused = standing.refused();
    if refused > 0 {
        words.push(tr!("experiment-runs-not-possible", n = refused));
    }
    if standing.to_do() > 0 {
        let time = duration_text(standing.seconds().max(1.0));
        words.push(match standing.measured {
            true => tr!("experiment-about-time", time),
            false => tr!("experiment-about-time-estimate", time),
        });
        words.push(bytes_text(standing.disk));
        let size = bytes_text(standing.memory);
        words.push(tr!("experiment-memory-size", size));
    }
    words.join(" · ")
}

/// Draws the part of a grid's card above the start button, including the first problem.
pub fn ready(ui: &mut Ui, cx: &mut Cx<'_>) {
    match &cx.session.experiment.grid.view {
        Fetch::Ready(view) => {
            sentence(ui, summary(view));
            if view.standing.rows > 1 {
                search(ui, cx.session.experiment.grid.search, cx.commands);
            }
            if view.standing.to_do() > 0 {
                clusters(ui, cx);
            }
            let refused = view
                .standing
                .lines
                .iter()
                .find_map(|line| match &line.standing {
                    CellStanding::Refused(problem) => Some(problem),
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
    let clusters = &cx.session.places.clusters;
    if cx.session.grid_search().is_some() {
        return;
    }
    let menu =
        button(ui, tr!("experiment-slurm-run")).on_hover_text(tr!("experiment-slurm-run-hint"));
    Popup::menu(&menu).show(|ui| {
        if clusters.is_empty() {
            faint(ui, tr!("experiment-slurm-unavailable"));
        }
        for place in clusters {
            let name = match place.name.as_str() {
                "" => tr!("experiment-slurm-this-cluster"),
                name => name,
            };
            if ui.button(name).clicked() {
                let name = place.name.clone();
                cx.change(move |session| session.submit_grid(&name));
            }
        }
    });
}

/// Draws the checkbox that turns the grid into a search.
fn search(ui: &mut Ui, now: Option<SearchBy>, commands: &mut Vec<UiCommand>) {
    let mut by = now;
    ui.horizontal_wrapped(|ui| {
        let mut on = by.is_some();
        let check = widgets::checkbox(ui, &mut on, tr!("experiment-search"));
        if check.on_hover_text(tr!("experiment-search-hint")).changed() {
            by = on.then_some(SearchBy::Halving);
        }
        if let Some(mut chosen) = by {
            let ways = [
                (SearchBy::Halving, tr!("experiment-search-halving")),
                (SearchBy::All, tr!("experiment-search-full")),
            ];
            if segmented(ui, "search", &ways, &mut chosen) {
                by = Some(chosen);
            }
        }
    });
    if by != now {
        commands.push(UiCommand::change(move |session| {
            session.experiment.grid.search = by;
        }));
    }
}

/// Returns the label of the start button, such as "Start 24 runs".
pub fn start_words(cx: &Cx<'_>) -> String {
    if cx.session.grid_search().is_some() {
        return tr!("experiment-start-search").into();
    }
    match cx.session.grid_to_do() {
        None => tr!("experiment-nothing-to-start").into(),
        Some(left) => tr!("experiment-start-runs", n = left),
    }
}
