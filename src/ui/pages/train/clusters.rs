//! Cards of the grids on clusters: the numbers of waiting, running, finished and failed tasks, and the reasons of
//! failures.

use egui::Ui;

use crate::session::Session;
use crate::session::clusters::{ClusterGrid, SlurmTask, TaskState, group_failures};
use crate::session::explanation;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, button, coloured, faint, icon_button, progress, sentence};

/// Draws a card for each grid on a cluster.
pub fn cards(ui: &mut Ui, cx: &mut Cx<'_>) {
    let session = cx.session;
    let clusters = &session.train.clusters;
    for grid in &clusters.grids {
        widgets::card(ui, |ui| {
            ui.push_id(&grid.folder, |ui| card(ui, cx, grid));
        });
    }
    if let Some(problem) = &clusters.problem {
        widgets::card(ui, |ui| {
            let text = explanation::sentence(&problem.translated_what());
            let label = coloured(ui, text, |t| t.warning);
            label.on_hover_text(problem.translated().to_string());
            refresh_button(ui, cx);
        });
    }
}

fn card(ui: &mut Ui, cx: &mut Cx<'_>, grid: &ClusterGrid) {
    let folder = grid.folder.clone();
    let label = |id| tr!(id, grid = grid.grid.as_str(), place = cluster_name(grid));
    widgets::title_row(ui, label("train-cluster-title"), |ui| {
        if grid.has_ended() {
            let tooltip = label("train-cluster-hide");
            if icon_button(ui, Icon::Cross, &tooltip, 22.0).clicked() {
                cx.change(move |session| session.remove_submission(&folder));
            }
        } else {
            if button(ui, tr!("train-grid-cancel"))
                .on_hover_text(tr!("train-cluster-cancel-hint"))
                .clicked()
            {
                cx.dispatch(UiCommand::CancelOnCluster(folder));
            }
            refresh_button(ui, cx);
        }
    });
    faint(ui, task_summary(grid));
    let queued = grid.count(TaskState::Waiting) + grid.count(TaskState::Running);
    let share = 1.0 - queued as f64 / grid.tasks.len().max(1) as f64;
    progress(ui, share, &label("train-cluster-progress"));
    for (first, number) in group_failures(grid.tasks.iter()) {
        failure(ui, first, number);
    }
}

fn refresh_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    if button(ui, tr!("train-cluster-refresh"))
        .on_hover_text(tr!("train-cluster-refresh-hint"))
        .clicked()
    {
        cx.change(Session::watch_clusters);
    }
}

fn cluster_name(grid: &ClusterGrid) -> &str {
    match grid.place.as_str() {
        "" => "Slurm",
        name => name,
    }
}

/// Returns the state of the tasks, such as "3 of 8 runs done · 2 running · 3 waiting".
fn task_summary(grid: &ClusterGrid) -> String {
    let done = grid.count(TaskState::Done);
    let runs = tr!("count-of-runs", done, n = grid.tasks.len());
    let mut parts = vec![tr!("train-cluster-done", runs)];
    let others = [
        (TaskState::Running, "train-cluster-running"),
        (TaskState::Waiting, "train-cluster-waiting"),
        (TaskState::Stopped, "train-cluster-stopped"),
        (TaskState::Cancelled, "train-cluster-cancelled"),
        (TaskState::Failed, "train-cluster-failed"),
    ];
    let others = others.map(|(state, id)| (grid.count(state), id));
    let others = others.into_iter().filter(|(number, _)| *number > 0);
    parts.extend(others.map(|(number, id)| tr!(id, n = number)));
    parts.join(" · ")
}

/// Draws why tasks failed, with the last line of the first failed task's log.
fn failure(ui: &mut Ui, first: &SlurmTask, number: usize) {
    let reason = first.reason.as_deref().unwrap_or_default();
    let message = tr!("train-cluster-failed-why", n = number, why = reason);
    coloured(ui, message, |t| t.bad);
    if let Some(last) = first.last_lines.last().filter(|last| *last != reason) {
        sentence(ui, last.clone());
    }
    let colour = tokens(ui).subdued;
    let log = widgets::truncated(ui, &first.log, regular(13.0), colour);
    log.on_hover_text(&first.log);
}
