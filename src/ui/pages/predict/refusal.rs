//! "None of these": whether the picture is stranger to the run than nearly all it was tested on. That is the headline
//! then; a line below it says why, and it can be switched off.

use egui::Ui;

use crate::counts;
use crate::run::event::{Opinion, Prediction};
use crate::run::refusal::{KEPT, Measured, Refusal};
use crate::session::words::percent;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::PredictCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{card, faint, link};

/// Draws the line.
pub fn line(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction) {
    let Some(opinion) = answer.opinions.last() else {
        return;
    };
    if !cx.pages.predict.refuses {
        ui.horizontal(|ui| {
            if link(ui, "Say when it is none of these").clicked() {
                cx.pages.predict.refuses = true;
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
            if link(ui, "Always name a class").clicked() {
                cx.pages.predict.refuses = false;
            }
        });
        if let Some(refusal) = &refusal {
            figures(ui, cx, refusal, answer);
        }
    });
}

/// Whether a picture is answered with "none of these".
pub fn refuses(cx: &Cx<'_>, answer: &Prediction) -> bool {
    let said = answer.opinions.last().filter(|_| cx.pages.predict.refuses);
    said.is_some_and(|opinion| {
        let refusal = cx.session.refusal(&answer.run, answer.task, opinion.expert);
        refusal.is_some_and(|refusal| refusal.refuses(opinion))
    })
}

/// Why it is one of the classes, or none of them.
fn verdict(ui: &mut Ui, refusal: &Refusal, opinion: &Opinion) {
    let (now, limit) = (signed(opinion.strangeness()), signed(refusal.threshold));
    let (what, hint) = match opinion.energy {
        Some(_) => (
            "energy",
            "Minus the log of the summed exponentials of the logits: the lower, the more familiar the image.",
        ),
        None => (
            "doubt",
            "Without logits there is no energy; the doubt is 1 less the score of the answer, a weaker sign.",
        ),
    };
    let compared = match refusal.refuses(opinion) {
        true => format!("None of these, as its {what} {now} is above {limit}"),
        false => format!("One of these, as its {what} {now} is not above {limit}"),
    };
    faint(ui, compared).on_hover_text(format!(
        "{hint} {KEPT} of 100 test pictures of the classes known by then lie at the limit or below."
    ));
}

/// How often it is said of pictures of known classes, and of classes that are not learned yet.
fn figures(ui: &mut Ui, cx: &mut Cx<'_>, refusal: &Refusal, answer: &Prediction) {
    let mut words = vec![of_known(refusal)];
    let inside = cx.session.predict.insides.run(&answer.run, answer.task);
    let counted = inside.is_some_and(|inside| inside.probe.is_some());
    match (&refusal.later, counted) {
        (Some(later), _) => words.push(format!(
            "Of {} of classes it has not learned yet, {} are refused.",
            counts::counted(later.pictures, "test picture"),
            percent(later.share(), 0)
        )),
        (None, true) => words.push(
            "After an earlier task it is counted how many pictures of classes to come are refused."
                .into(),
        ),
        (None, false) if cx.session.predict.insides.is_looking(&answer.run) => words.push(
            "How many of classes it has not learned yet are refused is being counted.".into(),
        ),
        (None, false) => {}
    }
    let insides = &cx.session.predict.insides;
    let offers =
        !counted && insides.problem(&answer.run).is_none() && !insides.is_looking(&answer.run);
    ui.horizontal_wrapped(|ui| {
        faint(ui, words.join(" "));
        if offers {
            count(ui, cx, "Count what it refuses of classes to come");
        }
    });
}

/// How often it is said of pictures of known classes, and how that was measured.
fn of_known(refusal: &Refusal) -> String {
    match (refusal.measured, refusal.known) {
        (Measured::CrossFitted, Some(known)) => format!(
            "Of {} of known classes, {} are refused, too, each held against a limit that others set.",
            counts::counted(known.pictures, "test picture"),
            percent(known.share(), 0)
        ),
        _ => format!(
            "Of the test pictures that set the limit, {} of 100 are refused, too; of others it may be more.",
            100 - KEPT
        ),
    }
}

/// The link that has test pictures looked at.
fn count(ui: &mut Ui, cx: &mut Cx<'_>, words: &str) {
    let hint = match cx.session.is_training() {
        true => "Looks at up to 300 test pictures; the run at work waits a little",
        false => "Looks at up to 300 test pictures",
    };
    if link(ui, words).on_hover_text(hint).clicked() {
        cx.act(UiCommand::OnPredict(PredictCommand::CountRefusals));
    }
}

fn nothing_known(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Prediction) {
    if let Some(problem) = cx.session.predict.insides.problem(&answer.run) {
        faint(
            ui,
            format!(
                "It is not known when to say “none of these”: {}.",
                problem.what
            ),
        );
        return;
    }
    let inside = cx.session.predict.insides.run(&answer.run, answer.task);
    if let Some(inside) = inside {
        let why = inside.problem.as_ref().map_or_else(
            || "there are too few test pictures".to_string(),
            |problem| problem.what.clone(),
        );
        faint(
            ui,
            format!("It is not known when to say “none of these”: {why}."),
        );
        return;
    }
    if cx.session.predict.insides.is_looking(&answer.run) {
        faint(
            ui,
            "Looking at test pictures, to know when to say “none of these”",
        );
        return;
    }
    faint(ui, "When to say “none of these” was not noted by this run.");
    count(ui, cx, "Find out");
}

fn signed(value: f32) -> String {
    format!("{value:.2}").replace('-', "−")
}
