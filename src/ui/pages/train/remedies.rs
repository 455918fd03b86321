//! What a person can do about a run that came to little, each one click away.

use egui::Ui;

use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::session::advice::{BACKBONE, TITLE, better_backbone, more_steps};
use crate::session::run_view::{RunView, Stage};
use crate::session::views::BackboneView;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::{ExperimentCommand, TrainCommand};
use crate::ui::pages::Cx;
use crate::ui::widgets::{button, faint, link, sentence};

/// So many classes have a link to their pictures.
const LINKS: usize = 4;

/// Draws the ways out; nothing for a run that recognises every class on a backbone that suits them.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let Some(header) = run.header.as_ref().filter(|_| run.stage == Stage::Finished) else {
        return;
    };
    if !run.missed.is_empty() {
        pictures(ui, cx, run);
        labels(ui, cx, header);
        settings(ui, cx, header);
    }
    backbone(ui, cx, run, header);
}

/// The pictures of each class that is not recognised.
fn pictures(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    ui.horizontal_wrapped(|ui| {
        faint(ui, "Look at the pictures of");
        for one in run.missed.iter().take(LINKS) {
            if link(ui, &one.name).clicked() {
                let state = &mut cx.pages.train;
                state.task = None;
                state.worst.see_mistakes_of(one.class);
            }
        }
    });
}

/// Labels that may be wrong: pictures under two of them, and those that look like another class.
fn labels(ui: &mut Ui, cx: &mut Cx<'_>, header: &RunHeader) {
    let data = cx.session.data_of(&header.config);
    if let Some(data) = cx.look_up(data)
        && let Some(told) = &data.two_labels_told
    {
        sentence(ui, told.clone());
        if link(ui, "Show these pictures").clicked() {
            cx.pages.experiment.two_labels = true;
            cx.act(UiCommand::Repeat(Box::new(header.config.clone())));
        }
    }
    let hint = "Each training picture is answered by the others; those that look like another class than their label are shown";
    if button(ui, "Look for doubtful labels")
        .on_hover_text(hint)
        .clicked()
    {
        let state = &mut cx.pages.train;
        state.task = None;
        state.worst.see_doubtful();
        let task = header.own_tasks().saturating_sub(1);
        if cx.session.doubts(&header.folder, task).is_none() {
            let command = TrainCommand::LookForDoubts(header.folder.clone(), task);
            cx.act(UiCommand::OnTrain(command));
        }
    }
}

/// Other settings for the same pictures.
fn settings(ui: &mut Ui, cx: &mut Cx<'_>, header: &RunHeader) {
    ui.horizontal_wrapped(|ui| {
        if let Some(steps) = more_steps(header) {
            let words = format!("Set it up with {steps} steps a task");
            if button(ui, words).clicked() {
                cx.act(UiCommand::Repeat(Box::new(RunConfig {
                    min_steps: steps,
                    ..header.config.clone()
                })));
            }
        }
        let config = &header.config;
        let at_hand =
            !cx.session.asks_before_opening(config) && !cx.session.data_is_missing(config);
        if at_hand && button(ui, "Try which method suits").clicked() {
            cx.act(UiCommand::Repeat(Box::new(config.clone())));
            cx.act(UiCommand::OnExperiment(ExperimentCommand::TryMethods));
        }
    });
}

/// The backbone that the words recommend.
fn backbone(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader) {
    if better_backbone(header, &run.reports).is_none() {
        return;
    }
    let known = |view: &&BackboneView| view.name == BACKBONE;
    let Some(view) = cx.session.inventory.backbones.iter().find(known).cloned() else {
        return;
    };
    ui.horizontal_wrapped(|ui| {
        if button(ui, format!("Set it up with {TITLE}")).clicked() {
            cx.act(UiCommand::Repeat(Box::new(RunConfig {
                backbone: view.name.clone(),
                blocks: view.shape.pet_blocks.to_string(),
                ..header.config.clone()
            })));
        }
        faint(ui, format!("its weights: {}", view.whereabouts()));
    });
}
