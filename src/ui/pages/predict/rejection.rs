//! The answer "none of these" for images that are more unusual for the run than nearly all of its test images. It
//! replaces the predicted class as the headline. A line below explains it; the user can switch it off.

use egui::Ui;

use crate::run::event::{ClassPrediction, Prediction};
use crate::run::rejection::{ACCEPTED_PERCENT, CountedOn, RejectionThreshold};
use crate::session::Session;
use crate::session::formatting::{format_percent, format_signed};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::{card, faint};

/// Draws the line that explains the answer.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction) {
    let Some(prediction) = answer.opinions.last() else {
        return;
    };
    if cx.pages.predict.always_classifies {
        ui.horizontal(|ui| {
            if ui.link(tr!("predict-none-allow")).clicked() {
                cx.pages.predict.always_classifies = false;
            }
        });
        return;
    }
    let run = answer.run.clone();
    let threshold = cx.session.rejection_threshold(&run, answer.task, prediction.expert);
    card(ui, |ui| {
        if cx.session.predict.is_stale {
            ui.multiply_opacity(0.5);
        }
        ui.horizontal_wrapped(|ui| {
            match &threshold {
                Some(threshold) => verdict(ui, threshold, prediction),
                None => missing_limit_note(ui, cx, answer),
            }
            if ui.link(tr!("predict-none-disallow")).clicked() {
                cx.pages.predict.always_classifies = true;
            }
        });
        if let Some(threshold) = &threshold {
            figures(ui, cx, threshold, answer);
        }
    });
}

/// Returns whether the answer for an image is "none of these".
pub fn is_rejected(cx: &Cx<'_>, answer: &Prediction) -> bool {
    let allowed = !cx.pages.predict.always_classifies;
    let last = answer.opinions.last().filter(|_| allowed);
    last.is_some_and(|prediction| {
        let threshold = cx.session.rejection_threshold(&answer.run, answer.task, prediction.expert);
        threshold.is_some_and(|threshold| threshold.rejects(prediction))
    })
}

/// Draws why the image is assigned to a class or to none of them.
fn verdict(ui: &mut Ui, threshold: &RejectionThreshold, prediction: &ClassPrediction) {
    let now = format_signed(prediction.strangeness().into(), 2);
    let limit = format_signed(threshold.threshold.into(), 2);
    let (sign, hint) = match prediction.energy {
        Some(_) => ("energy", tr!("predict-none-energy-about")),
        None => ("score", tr!("predict-none-score-about")),
    };
    let compared = match threshold.rejects(prediction) {
        true => tr!("predict-none-above-limit", sign, now, limit),
        false => tr!("predict-none-below-limit", sign, now, limit),
    };
    let limit = tr!("predict-none-limit-about", kept = ACCEPTED_PERCENT);
    faint(ui, compared).on_hover_text(format!("{hint} {limit}"));
}

/// Draws how often the answer is "none of these" for images of known classes and of classes that are not learned yet.
fn figures(ui: &mut Ui, cx: &mut Cx<'_>, threshold: &RejectionThreshold, answer: &Prediction) {
    let mut sentences = vec![known_rejection_text(threshold)];
    let inside = cx.session.predict.inside.run(&answer.run, answer.task);
    let has_counts = inside.is_some_and(|inside| inside.probe.is_some());
    match (&threshold.later, has_counts) {
        (Some(later), _) => sentences.push(tr!(
            "predict-none-later-rejected",
            n = later.pictures,
            share = format_percent(later.share(), 0)
        )),
        (None, true) => sentences.push(tr!("predict-none-choose-earlier-task").into()),
        (None, false) if cx.session.predict.inside.is_computing(&answer.run) => {
            sentences.push(tr!("predict-none-counting-rejected").into());
        }
        (None, false) => {}
    }
    let results = &cx.session.predict.inside;
    let can_count =
        !has_counts && results.problem(&answer.run).is_none() && !results.is_computing(&answer.run);
    ui.horizontal_wrapped(|ui| {
        faint(ui, sentences.join(" "));
        if can_count {
            count_link(ui, cx, tr!("predict-none-count-rejected"));
        }
    });
}

/// Returns a sentence on how often the answer is "none of these" for images of known classes, and how this was
/// measured.
fn known_rejection_text(threshold: &RejectionThreshold) -> String {
    match (threshold.measured, threshold.known) {
        (CountedOn::CrossFitted, Some(known)) => tr!(
            "predict-none-known-rejected",
            n = known.pictures,
            share = format_percent(known.share(), 0)
        ),
        _ => tr!("predict-none-limit-images-rejected", n = 100 - ACCEPTED_PERCENT),
    }
}

/// Draws the link that starts counting the rejections of test images.
fn count_link(ui: &mut Ui, cx: &mut Cx<'_>, label: &str) {
    let hint = match cx.session.is_training() {
        true => tr!("predict-none-images-used-pause"),
        false => tr!("predict-none-images-used"),
    };
    if ui.link(label).on_hover_text(hint).clicked() {
        cx.change(Session::count_rejections);
    }
}

fn missing_limit_note(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction) {
    let results = &cx.session.predict.inside;
    let result = results.run(&answer.run, answer.task);
    let reason = match (results.problem(&answer.run), result) {
        (Some(problem), _) => Some(problem.translated_what()),
        (None, Some(inside)) => Some(match &inside.problem {
            Some(problem) => problem.translated_what(),
            None => tr!("predict-none-too-few-images").into(),
        }),
        (None, None) => None,
    };
    if let Some(why) = reason {
        faint(ui, tr!("predict-none-limit-unknown", why));
    } else if results.is_computing(&answer.run) {
        faint(ui, tr!("predict-none-measuring-limit"));
    } else {
        faint(ui, tr!("predict-none-limit-not-stored"));
        count_link(ui, cx, tr!("predict-none-find-limit"));
    }
}
