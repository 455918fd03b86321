//! The dialog that lists deleted runs. A run can be restored, or erased after a confirmation.

use egui::{ScrollArea, Ui};

use super::OverlayContext;
use crate::session::deleted_runs::DeletedRun;
use crate::session::formatting::{format_bytes, run_time_text};
use crate::session::views::Fetch;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, faint, titled_dialog};

/// Draws the dialog if it is open.
pub(super) fn show(open: &mut bool, cx: &mut OverlayContext<'_>) {
    let available = cx.ctx.content_rect().size();
    let title = tr!("shell-deleted-title");
    titled_dialog(cx.ctx, "deleted-runs", (title, 560.0), open, |ui| {
        match &cx.session.compare.deleted {
            Fetch::Ready(runs) => {
                run_list(ui, runs, (available.y - 220.0).clamp(80.0, 380.0), cx.commands);
            }
            Fetch::Failed(problem) => widgets::problem(ui, problem),
            Fetch::Nothing | Fetch::Busy => drop(faint(ui, tr!("shell-deleted-loading"))),
        }
        ui.add_space(4.0);
        button(ui, tr!("shell-close")).clicked()
    });
}

fn run_list(ui: &mut Ui, runs: &[DeletedRun], height: f32, commands: &mut Vec<UiCommand>) {
    if runs.is_empty() {
        faint(ui, tr!("shell-deleted-none"));
        return;
    }
    let bytes = runs.iter().map(|run| run.bytes).sum();
    let all_paths = || runs.iter().map(|run| run.path.clone()).collect();
    ui.horizontal_wrapped(|ui| {
        let (count, size) = (tr!("count-runs", n = runs.len()), format_bytes(bytes));
        faint(ui, format!("{count}, {size}"));
        if runs.len() > 1 {
            if ui.link(tr!("shell-deleted-restore-all")).clicked() {
                let paths = all_paths();
                commands.push(UiCommand::change(|session| session.restore(paths)));
            }
            if ui.link(tr!("shell-deleted-delete-all")).clicked() {
                commands.push(UiCommand::Erase(all_paths(), bytes));
            }
        }
    });
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for run in runs {
            ui.push_id(&run.path, |ui| run_row(ui, run, commands));
        }
    });
}

fn run_row(ui: &mut Ui, run: &DeletedRun, commands: &mut Vec<UiCommand>) {
    let t = tokens(ui);
    ui.separator();
    widgets::truncated(ui, &run.title, semibold(13.0), t.strong);
    ui.horizontal_wrapped(|ui| {
        let (time, size) = (run_time_text(&run.name), format_bytes(run.bytes));
        let label = faint(ui, format!("{time} · {size}"));
        label.on_hover_text(run.path.display().to_string());
        if ui.link(tr!("shell-deleted-restore")).clicked() {
            let path = run.path.clone();
            commands.push(UiCommand::change(|session| session.restore(vec![path])));
        }
        if ui.link(tr!("shell-deleted-delete")).clicked() {
            commands.push(UiCommand::Erase(vec![run.path.clone()], run.bytes));
        }
    });
}
