//! Classifying a user's images in three steps: images with known classes, a model, and new images. Only the details
//! mention the backbone and the methods.

use egui::{CollapsingHeader, ScrollArea, Ui};

use crate::run::prediction_table::PredictionTableState;
use crate::session::Session;
use crate::session::advice::backbone_for;
use crate::session::classify::ModelStep;
use crate::session::collection::Purpose;
use crate::session::file_dialog::DialogPurpose;
use crate::session::formatting::{format_duration, format_number};
use crate::session::views::{Fetch, RunRow};
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::{Cx, experiment, predict};
use crate::ui::widgets::{
    self, Column, Fixed, button, card, faint, primary_button, progress, sentence, truncated_faint,
    two_columns,
};

/// Draws the three steps, and next to them the new images by class.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    two_columns(ui, cx, Fixed::Left(380.0), steps, results);
}

fn steps(ui: &mut Ui, cx: &mut Cx<'_>, _column: Column) {
    if ui.link(tr!("classify-back")).clicked() {
        cx.pages.start.classify = false;
    }
    card(ui, |ui| images(ui, cx));
    if cx.session.user_dataset().is_some() {
        card(ui, |ui| model(ui, cx));
    }
    if cx.session.model().is_some() {
        card(ui, |ui| new_images(ui, cx));
    }
}

/// Draws the step with the folder of images with known classes.
fn images(ui: &mut Ui, cx: &mut Cx<'_>) {
    widgets::title(ui, tr!("classify-images"));
    let location = cx.session.experiment.draft.data.clone();
    let is_own_data = crate::session::class_schedule::is_user_dataset(&location);
    match &cx.session.experiment.data {
        Fetch::Ready(view) if is_own_data => {
            truncated_faint(ui, &location).on_hover_text(&location);
            experiment::thumbs(ui, cx, view);
        }
        Fetch::Busy if is_own_data => {
            widgets::loading(ui, tr!("data-reading", data = location.as_str()));
        }
        Fetch::Failed(problem) if is_own_data => widgets::problem(ui, problem),
        _ => drop(sentence(ui, tr!("classify-images-about"))),
    }
    ui.horizontal_wrapped(|ui| {
        let label = tr!("classify-choose-classes");
        let response = match is_own_data {
            true => button(ui, label),
            false => primary_button(ui, label, true),
        };
        if response.clicked() {
            cx.change(|session| session.open_file_dialog(DialogPurpose::DataFolder));
        }
        if button(ui, tr!("data-create")).clicked() {
            cx.dispatch(UiCommand::Collect(Purpose::Data));
        }
    });
}

/// Draws the step with the model, or the progress of making it.
fn model(ui: &mut Ui, cx: &mut Cx<'_>) {
    widgets::title(ui, tr!("classify-model"));
    match cx.session.classify.step {
        ModelStep::Idle => {
            match cx.session.model() {
                Some(row) => show_model_accuracy(ui, row),
                None => drop(sentence(ui, tr!("classify-model-about"))),
            }
            make_button(ui, cx);
            offer_larger_backbone(ui, cx);
        }
        ModelStep::Comparing(_) | ModelStep::Planning => {
            let step = cx.session.trial_step(&cx.session.experiment.trial);
            let step = step.unwrap_or_else(|| tr!("experiment-trial-queued").into());
            sentence(ui, tr!("classify-comparing"));
            faint(ui, crate::session::explanation::sentence(&step));
            stop_button(ui, cx);
        }
        ModelStep::Training(job) => {
            let run = cx.session.train.running();
            let run = run.filter(|run| run.job == Some(job));
            sentence(ui, tr!("classify-training"));
            progress(ui, run.map_or(0.0, |run| run.finished_share()), tr!("train-progress"));
            let seconds_left = run.and_then(|run| run.progress.as_ref()?.seconds_left);
            if let Some(seconds) = seconds_left {
                faint(ui, tr!("count-time-left", time = format_duration(seconds)));
            }
            stop_button(ui, cx);
        }
    }
    details(ui, cx);
}

fn stop_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    cx.change_button(ui, tr!("classify-stop"), Session::stop_model);
}

/// Draws how many images the model classifies correctly.
fn show_model_accuracy(ui: &mut Ui, row: &RunRow) {
    let images = row.header.iter().flat_map(|header| &header.test_images);
    if let Some(accuracy) = row.figures.final_accuracy() {
        let (share, n) = (format_number(accuracy, 0), images.sum::<usize>());
        widgets::title(ui, tr!("classify-accuracy", share, n));
    }
    truncated_faint(ui, row.list_label());
}

/// Draws the button that makes a model, and why this is not possible or has failed.
fn make_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    let problems = &cx.session.experiment.plan.problems;
    let problem = cx.session.classify.problem.as_ref().or(problems.first());
    if let Some(problem) = problem {
        widgets::problem(ui, problem);
    }
    let has_grid = cx.session.has_grid();
    if has_grid {
        sentence(ui, tr!("classify-grid"));
    }
    let can_start = cx.session.can_start() && !has_grid;
    let has_model = cx.session.model().is_some();
    let response = match has_model {
        true => widgets::button_if(ui, can_start, tr!("classify-make-again")),
        false => primary_button(ui, tr!("classify-make"), can_start),
    };
    if response.clicked() {
        cx.change(Session::make_model);
    }
}

/// Draws a button that makes a model with a larger backbone, if the model classifies few images correctly.
fn offer_larger_backbone(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(better) = cx.session.model().and_then(backbone_for) else {
        return;
    };
    let Some(view) = cx.session.inventory.backbone(better.name) else {
        return;
    };
    sentence(ui, tr!("classify-larger"));
    ui.horizontal_wrapped(|ui| {
        let is_enabled = !cx.session.has_grid();
        if widgets::button_if(ui, is_enabled, tr!("classify-use-larger")).clicked() {
            cx.change(move |session| {
                session.choose_backbone(better.name);
                session.make_model();
            });
        }
        faint(ui, view.location_summary());
    });
}

/// Draws the model's settings, the comparison of methods, and links to pages that show more.
fn details(ui: &mut Ui, cx: &mut Cx<'_>) {
    let header = cx.session.model().and_then(|row| row.header.clone());
    let trial = cx.session.trial_result(&cx.session.experiment.trial);
    let trial = trial.cloned();
    CollapsingHeader::new(tr!("classify-details")).id_salt("model-details").show(ui, |ui| {
        if let Some(header) = &header {
            faint(ui, header.title());
            faint(ui, &header.config.backbone);
        }
        if let Some(trial) = &trial {
            experiment::trial_table(ui, cx, trial);
        }
        model_menu(ui, cx);
        ui.horizontal_wrapped(|ui| {
            if ui.link(tr!("classify-show-settings")).clicked() {
                cx.dispatch(UiCommand::Show(Page::Experiment));
            }
            if let Some(header) = header
                && ui.link(tr!("classify-show-run")).clicked()
            {
                cx.dispatch(UiCommand::Open(header.folder));
            }
        });
    });
}

/// Draws the menu of other finished runs that can be used as the model.
fn model_menu(ui: &mut Ui, cx: &mut Cx<'_>) {
    let menu = button(ui, tr!("classify-other-model"));
    egui::Popup::menu(&menu).show(|ui| {
        ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
            let session = cx.session;
            if session.models().next().is_none() {
                faint(ui, tr!("classify-no-finished-model"));
            }
            for row in session.models() {
                if ui.button(row.list_label()).clicked() {
                    let folder = row.folder.clone();
                    cx.change(move |session| session.choose_model(Some(folder)));
                    ui.close();
                }
            }
        });
    });
}

/// Draws the step with the new images, and the progress of the table.
fn new_images(ui: &mut Ui, cx: &mut Cx<'_>) {
    widgets::title(ui, tr!("classify-new"));
    sentence(ui, tr!("classify-new-about"));
    ui.horizontal_wrapped(|ui| {
        if primary_button(ui, tr!("classify-choose-folder"), true).clicked() {
            cx.change(|session| session.open_file_dialog(DialogPurpose::ImageFolder));
        }
        if button(ui, tr!("classify-choose-images")).clicked() {
            cx.change(|session| session.open_file_dialog(DialogPurpose::Image));
        }
    });
    let Some(table) = &cx.session.predict.prediction_table else {
        return;
    };
    match &table.state {
        PredictionTableState::Working(count) => {
            predict::prediction_table::show_progress(ui, *count);
            cx.change_button(ui, tr!("predict-many-stop"), Session::stop_prediction_table);
        }
        PredictionTableState::Done(count) => {
            drop(faint(ui, predict::prediction_table::progress_text(*count)));
        }
        PredictionTableState::Stopped => drop(faint(ui, tr!("predict-many-stopped"))),
        PredictionTableState::Failed(problem) => widgets::problem(ui, problem),
    }
    if let Some(problem) = cx.session.predict.images_by_class.problem() {
        widgets::problem(ui, problem);
    }
}

/// Draws the new images by predicted class.
fn results(ui: &mut Ui, cx: &mut Cx<'_>, _column: Column) {
    match cx.session.predict.images_by_class.ready().cloned() {
        Some(by_class) => predict::by_class::images_by_class(ui, cx, &by_class, false),
        None => card(ui, |ui| {
            faint(ui, tr!("classify-no-results"));
        }),
    }
}
