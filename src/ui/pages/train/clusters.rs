//! Cards of the grids on clusters: the numbers of waiting, running, finished and failed tasks, and the reasons of
//! failures.

use egui::Ui;

use crate::session::Session;
use crate::session::clusters::{OnCluster, SlurmTask, TaskState, failures};
use crate::session::story;
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
    if let Some(problem) = &clusters.trouble {
        widgets::card(ui, |ui| {
            let text = story::sentence(&problem.what_said());
            let label = coloured(ui, text, |t| t.warning);
            label.on_hover_text(problem.said().to_string());
            ask_again(ui, cx);
        });
    }
}

fn card(ui: &mut Ui, cx: &mut Cx<'_>, grid: &OnCluster) {
    let folder = grid.folder.clone();
    let called = |id| tr!(id, grid = grid.grid.as_str(), place = place(grid));
    widgets::title_row(ui, called("train-cluster-title"), |ui| {
        if grid.is_over() {
            let words = called("train-cluster-hide");
            if icon_button(ui, Icon::Cross, &words, 22.0).clicked() {
                cx.change(move |session| session.forget_on_cluster(&folder));
            }
        } else {
            if button(ui, tr!("train-grid-cancel"))
                .on_hover_text(tr!("train-cluster-cancel-hint"))
                .clicked()
            {
                cx.act(UiCommand::CancelOnCluster(folder));
            }
            ask_again(ui, cx);
        }
    });
    faint(ui, counts(grid));
    let queued = grid.count(TaskState::Waiting) + grid.count(TaskState::Running);
    let share = 1.0 - queued as f64 / grid.tasks.len().max(1) as f64;
    progress(ui, share, &called("train-cluster-progress"));
    for (first, number) in failures(grid.tasks.iter()) {
        failure(ui, first, number);
    }
}

fn ask_again(ui: &mut Ui, cx: &mut Cx<'_>) {
    if button(ui, tr!("train-cluster-refresh"))
        .on_hover_text(tr!("train-cluster-refresh-hint"))
        .clicked()
    {
        cx.change(Session::watch_clusters);
    }
}

fn place(grid: &OnCluster) -> &str {
    match grid.place.as_str() {
        "" => "Slurm",
        name => name,
    }
}

/// Returns the state of the tasks, such as "3 of 8 runs done · 2 running · 3 waiting".
fn counts(grid: &OnCluster) -> String {
    let done = grid.count(TaskState::Done);
    let runs = tr!("count-of-runs", done, n = grid.tasks.len());
    let mut words = vec![tr!("train-cluster-done", runs)];
    let others = [
        (TaskState::Running, "train-cluster-running"),
        (TaskState::Waiting, "train-cluster-waiting"),
        (TaskState::Stopped, "train-cluster-stopped"),
        (TaskState::Cancelled, "train-cluster-cancelled"),
        (TaskState::Failed, "train-cluster-failed"),
    ];
    let others = others.map(|(state, id)| (grid.count(state), id));
    let others = others.into_iter().filter(|(number, _)| *number > 0);
    words.extend(others.map(|(number, id)| tr!(id, n = number)));
    words.join(" · ")
}

/// Draws why tasks failed, with the last line of the first failed task's log.
fn failure(ui: &mut Ui, first: &SlurmTask, number: usize) {
    let reason = first.reason.as_deref().unwrap_or_default();
    let words = tr!("train-cluster-failed-why", n = number, why = reason);
    coloured(ui, words, |t| t.bad);
    if let Some(last) = first.last_lines.last().filter(|last| *last != reason) {
        sentence(ui, last.clone());
    }
    let colour = tokens(ui).subdued;
    let log = widgets::truncated(ui, &first.log, regular(13.0), colour);
    log.on_hover_text(&first.log);
}
