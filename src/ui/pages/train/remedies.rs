//! One-click remedies for a run with poor results.

use egui::Ui;

use crate::experiment::suggested_settings::choose_backbone;
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::session::advice::{better_backbone, more_steps};
use crate::session::class_schedule::is_user_dataset;
use crate::session::run_view::{RunView, Stage};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{button, faint, sentence};

/// Maximum number of classes for which a link to their images is drawn.
const MAX_LINKS: usize = 4;

/// Draws the remedies for a finished run that does not recognise all classes or would be better with another backbone.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let Some(header) = run.header.as_ref().filter(|_| run.stage == Stage::Finished) else {
        return;
    };
    if !run.missed_classes.is_empty() {
        image_links(ui, cx, run);
        doubtful_labels(ui, cx, header);
        settings(ui, cx, header);
    }
    backbone(ui, cx, run, header);
}

/// Draws links to the misclassified images of classes that are not recognised.
fn image_links(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    ui.horizontal_wrapped(|ui| {
        faint(ui, tr!("train-show-images-of"));
        for class in run.missed_classes.iter().take(MAX_LINKS) {
            if ui.link(&class.name).clicked() {
                let state = &mut cx.pages.train;
                state.task = None;
                state.mistakes.show_mistakes_of_class(class.class);
            }
        }
    });
}

/// Draws links to doubtful labels: images with two labels, and training images that look like another class than their
/// label.
fn doubtful_labels(ui: &mut Ui, cx: &mut Cx<'_>, header: &RunHeader) {
    let data = cx.session.data_of(&header.config);
    if let Some(data) = cx.look_up(data)
        && let Some(summary) = &data.two_labels_note
    {
        sentence(ui, summary.translated());
        if ui.link(tr!("train-show-these-images")).clicked() {
            cx.pages.experiment.show_two_labels = true;
            cx.dispatch(UiCommand::LoadSettings(Box::new(header.config.clone())));
        }
    }
    let response = button(ui, tr!("train-find-doubtful-labels"));
    if response.on_hover_text(tr!("train-find-doubtful-labels-hint")).clicked() {
        let state = &mut cx.pages.train;
        state.task = None;
        state.mistakes.show_doubtful();
        let task = header.original_task_count().saturating_sub(1);
        if cx.session.label_check(&header.folder, task).is_none() {
            let folder = header.folder.clone();
            cx.change(move |session| session.request_label_check(&folder, task));
        }
    }
}

/// Draws buttons that load other settings for the same dataset.
fn settings(ui: &mut Ui, cx: &mut Cx<'_>, header: &RunHeader) {
    ui.horizontal_wrapped(|ui| {
        if let Some(config) = all_at_once(header)
            && button(ui, tr!("train-use-all-at-once"))
                .on_hover_text(tr!("data-class-arrival-explained"))
                .clicked()
        {
            cx.dispatch(UiCommand::LoadSettings(Box::new(config)));
        }
        if let Some(steps) = more_steps(header)
            && button(ui, tr!("train-use-steps-per-task", n = steps)).clicked()
        {
            cx.dispatch(UiCommand::LoadSettings(Box::new(RunConfig {
                min_steps: steps,
                ..header.config.clone()
            })));
        }
        let config = &header.config;
        // If loading the settings asks for permission, the trial would start with the previous settings.
        let is_available = !cx.session.needs_permission(config)
            && cx.session.unapproved_locations(config).is_empty()
            && !cx.session.data_is_missing(config);
        if is_available && button(ui, tr!("train-try-methods")).clicked() {
            cx.dispatch(UiCommand::LoadSettings(Box::new(config.clone())));
            cx.change(|session| {
                session.try_methods();
            });
        }
    });
}

/// Returns the settings with all classes in one task; `None` unless the run learned a user's own folder in several
/// tasks.
fn all_at_once(header: &RunHeader) -> Option<RunConfig> {
    let classes_per_task = header.class_order.len().to_string();
    let in_stages =
        header.original_task_count() > 1 && header.tasks.len() == header.original_task_count();
    (in_stages && is_user_dataset(&header.config.data))
        .then(|| RunConfig { classes_per_task, ..header.config.clone() })
}

/// Draws a button that loads the recommended backbone.
fn backbone(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader) {
    let Some((better, _)) = better_backbone(header, &run.reports) else {
        return;
    };
    let Some(view) = cx.session.inventory.backbone(better.name) else {
        return;
    };
    ui.horizontal_wrapped(|ui| {
        if button(ui, tr!("train-use-setting", name = better.title)).clicked() {
            let mut config = header.config.clone();
            choose_backbone(&mut config, &view.entry);
            cx.dispatch(UiCommand::LoadSettings(Box::new(config)));
        }
        faint(ui, tr!("train-weights-place", place = view.location_summary()));
    });
}
