//! The list of all runs, with a filter and what can be done with each.

use egui::{RichText, Sense, TextEdit, Ui, Vec2};

use crate::session::views::{RunRow, RunState};
use crate::session::words::time_text;
use crate::ui::app::Cx;
use crate::ui::command::UiCommand;
use crate::ui::pages::{RESUME_ON, resume_on};
use crate::ui::theme::{CONTROL, semibold, tokens};
use crate::ui::widgets::{self, Column, button, card_of, faint};

pub(super) fn list(ui: &mut Ui, cx: &mut Cx<'_>, rows: &[RunRow], column: Column) {
    let height = column.rest(ui, 300.0);
    card_of(ui, height, |ui| {
        widgets::ends_in_order(
            ui,
            |ui| {
                widgets::title(ui, "Runs");
                faint(ui, rows.len().to_string());
            },
            |ui| {
                let edit = TextEdit::singleline(&mut cx.pages.compare.filter)
                    .hint_text("Filter")
                    .desired_width(150.0)
                    .min_size(Vec2::new(0.0, CONTROL))
                    .margin(egui::Margin::symmetric(9, 6));
                ui.add(edit).accessible_name("Filter runs");
                if button(ui, "Reload").clicked() {
                    cx.act(UiCommand::ReloadRuns);
                }
            },
        );
        let wanted = cx.pages.compare.filter.to_lowercase();
        let mut shown = 0;
        for row in rows {
            let text = format!("{} {}", row.title(), row.name).to_lowercase();
            if wanted.split_whitespace().all(|word| text.contains(word)) {
                shown += 1;
                ui.push_id(&row.name, |ui| line(ui, cx, row));
            }
        }
        if shown == 0 {
            faint(ui, "No run's name holds these words");
        }
    });
}

fn line(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    let t = tokens(ui);
    ui.separator();
    ui.horizontal(|ui| {
        let slot = cx.pages.compare.ticked.get(&row.folder).copied();
        let mut on = slot.is_some();
        let measured = !row.answers().accuracy.is_empty();
        let tick = ui.add_enabled(measured, egui::Checkbox::without_text(&mut on));
        if tick.accessible_name(format!("Show {}", row.name)).clicked() {
            cx.pages.compare.by_person = true;
            cx.pages.compare.tick(&row.folder);
        }
        if let Some(slot) = slot {
            let (rect, _) = ui.allocate_exact_size(Vec2::new(12.0, 14.0), Sense::hover());
            ui.painter().circle_filled(rect.center(), 5.0, t.runs[slot]);
        }
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.horizontal(|ui| {
                let title = RichText::new(row.title())
                    .font(semibold(13.0))
                    .color(t.strong);
                ui.add(egui::Label::new(title).truncate());
            });
            faint(
                ui,
                format!("{} · {}", time_text(&row.name), state_words(row)),
            )
            .on_hover_text(&row.name);
            if let RunState::Damaged(problem) = &row.state {
                widgets::problem(ui, problem);
            }
            actions(ui, cx, row);
        });
    });
}

fn state_words(row: &RunRow) -> String {
    let last = row.answers().last();
    let accuracy = last.map_or_else(String::new, |a| format!(" · {:.1}\u{a0}%", a * 100.0));
    match &row.state {
        RunState::Finished => format!("finished{accuracy}"),
        RunState::Unfinished(tasks) => {
            let all = row.header.as_ref().map_or(0, |h| h.tasks.len());
            format!("stopped after {tasks} of {all} tasks{accuracy}")
        }
        RunState::Busy => format!("at work{accuracy}"),
        RunState::Damaged(_) => "cannot be read".into(),
    }
}

fn actions(ui: &mut Ui, cx: &mut Cx<'_>, row: &RunRow) {
    ui.horizontal(|ui| {
        let folder = row.folder.clone();
        let readable = row.header.is_some();
        if readable && ui.link("Open").clicked() {
            cx.act(UiCommand::Open(folder.clone()));
        }
        if matches!(row.state, RunState::Unfinished(_)) {
            if ui.link("Resume").clicked() {
                cx.act(UiCommand::Resume(folder.clone(), None));
            }
            let elsewhere = ui.link(RESUME_ON);
            resume_on(&elsewhere, cx, &folder);
        }
        if cx.session.can_teach(row) && ui.link("Teach…").clicked() {
            cx.act(UiCommand::Teach(folder.clone()));
        }
        if readable && !row.answers().accuracy.is_empty() && ui.link("Predict").clicked() {
            cx.act(UiCommand::PredictWith(folder.clone()));
        }
        if let Some(header) = &row.header
            && ui.link("Set up again").clicked()
        {
            cx.act(UiCommand::Repeat(Box::new(header.config.clone())));
        }
        if row.state != RunState::Busy && ui.link("Delete").clicked() {
            cx.act(UiCommand::Trash(folder));
        }
    });
}
