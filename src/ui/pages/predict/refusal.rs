//! The answer "none of these" for images that are more unusual for the run than nearly all of its test images. It
//! replaces the predicted class as the headline. A line below explains it; the user can switch it off.

use egui::Ui;

use crate::run::event::{ClassPrediction, Prediction};
use crate::run::refusal::{CountedOn, KEPT, Refusal};
use crate::session::Session;
use crate::session::words::{percent, signed};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::{card, faint};

/// Draws the line that explains the answer.
pub fn line(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction) {
    let Some(opinion) = answer.opinions.last() else {
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
    let refusal = cx.session.refusal(&run, answer.task, opinion.expert);
    card(ui, |ui| {
        if cx.session.predict.stale {
            ui.multiply_opacity(0.5);
        }
        ui.horizontal_wrapped(|ui| {
            match &refusal {
                Some(refusal) => verdict(ui, refusal, opinion),
                None => nothing_known(ui, cx, answer),
            }
            if ui.link(tr!("predict-none-disallow")).clicked() {
                cx.pages.predict.always_classifies = true;
            }
        });
        if let Some(refusal) = &refusal {
            figures(ui, cx, refusal, answer);
        }
    });
}

/// Returns whether the answer for an image is "none of these".
pub fn refuses(cx: &Cx<'_>, answer: &Prediction) -> bool {
    let allowed = !cx.pages.predict.always_classifies;
    let said = answer.opinions.last().filter(|_| allowed);
    said.is_some_and(|opinion| {
        let refusal = cx.session.refusal(&answer.run, answer.task, opinion.expert);
        refusal.is_some_and(|refusal| refusal.refuses(opinion))
    })
}

/// Draws why the image is assigned to a class or to none of them.
fn verdict(ui: &mut Ui, refusal: &Refusal, opinion: &ClassPrediction) {
    let now = signed(opinion.strangeness().into(), 2);
    let limit = signed(refusal.threshold.into(), 2);
    let (sign, hint) = match opinion.energy {
        Some(_) => ("energy", tr!("predict-none-energy-about")),
        None => ("doubt", tr!("predict-none-doubt-about")),
    };
    let compared = match refusal.refuses(opinion) {
        true => tr!("predict-none-above-limit", sign, now, limit),
        false => tr!("predict-none-below-limit", sign, now, limit),
    };
    let limit = tr!("predict-none-limit-about", kept = KEPT);
    faint(ui, compared).on_hover_text(format!("{hint} {limit}"));
}

/// Draws how often the answer is "none of these" for images of known classes and of classes that are not learned yet.
fn figures(ui: &mut Ui, cx: &mut Cx<'_>, refusal: &Refusal, answer: &Prediction) {
    let mut words = vec![of_known(refusal)];
    let inside = cx.session.predict.insides.run(&answer.run, answer.task);
    let counted = inside.is_some_and(|inside| inside.probe.is_some());
    match (&refusal.later, counted) {
        (Some(later), _) => words.push(tr!(
            "predict-none-later-rejected",
            n = later.pictures,
            share = percent(later.share(), 0)
        )),
        (None, true) => words.push(tr!("predict-none-choose-earlier-task").into()),
        (None, false) if cx.session.predict.insides.is_looking(&answer.run) => {
            words.push(tr!("predict-none-counting-rejected").into());
        }
        (None, false) => {}
    }
    let insides = &cx.session.predict.insides;
    let offers =
        !counted && insides.problem(&answer.run).is_none() && !insides.is_looking(&answer.run);
    ui.horizontal_wrapped(|ui| {
        faint(ui, words.join(" "));
        if offers {
            count(ui, cx, tr!("predict-none-count-rejected"));
        }
    });
}

/// Returns a sentence on how often the answer is "none of these" for images of known classes, and how this was
/// measured.
fn of_known(refusal: &Refusal) -> String {
    match (refusal.measured, refusal.known) {
        (CountedOn::CrossFitted, Some(known)) => tr!(
            "predict-none-known-rejected",
            n = known.pictures,
            share = percent(known.share(), 0)
        ),
        _ => tr!("predict-none-limit-images-rejected", n = 100 - KEPT),
    }
}

/// Draws the link that starts counting the rejections of test images.
fn count(ui: &mut Ui, cx: &mut Cx<'_>, words: &str) {
    let hint = match cx.session.is_training() {
        true => tr!("predict-none-images-used-pause"),
        false => tr!("predict-none-images-used"),
    };
    if ui.link(words).on_hover_text(hint).clicked() {
        cx.change(Session::count_refusals);
    }
}

fn nothing_known(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction) {
    let insides = &cx.session.predict.insides;
    let looked = insides.run(&answer.run, answer.task);
    let why = match (insides.problem(&answer.run), looked) {
        (Some(problem), _) => Some(problem.what_said()),
        (None, Some(inside)) => Some(match &inside.problem {
            Some(problem) => problem.what_said(),
            None => tr!("predict-none-too-few-images").into(),
        }),
        (None, None) => None,
    };
    if let Some(why) = why {
        faint(ui, tr!("predict-none-limit-unknown", why));
    } else if insides.is_looking(&answer.run) {
        faint(ui, tr!("predict-none-measuring-limit"));
    } else {
        faint(ui, tr!("predict-none-limit-not-stored"));
        count(ui, cx, tr!("predict-none-find-limit"));
    }
}
