//! The runs of a lesson: how each stands, and the button that trains those that are missing.

use egui::{Label, RichText, Ui};

use crate::files::names::is_path;
use crate::problem::listed;
use crate::run::config::RunConfig;
use crate::session::units::{Runs, Teach, Unit, UnitRun, UnitRunState};
use crate::session::words::{duration_text, percent, time_text};
use crate::texts::Language;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::LearnCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, button, card, ends, faint, primary_button};

/// Draws a block of runs.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit, place: usize, block: &Runs) {
    let language = unit.language;
    let (mut missing, mut there, mut held) = (0, 0, false);
    card(ui, |ui| {
        for plan in &block.runs {
            let runs = cx.session.learn.units.of(&plan.name);
            missing += runs.iter().filter(|run| run.is_missing()).count();
            there += runs.iter().filter(|run| !run.is_missing()).count();
            held |= runs.iter().any(|run| run.standing == UnitRunState::Held);
            row(ui, &plan.title, runs, language);
        }
        if held {
            go_on(ui, cx, language);
        }
        if missing == 0 {
            return;
        }
        let failed = block.runs.iter().any(|plan| {
            let runs = cx.session.learn.units.of(&plan.name).iter();
            runs.clone()
                .any(|run| matches!(run.standing, UnitRunState::Ended(_)))
        });
        let words = match (failed, there, &block.button) {
            (true, ..) => language.say("unit.again"),
            (_, 0, Some(own)) => own,
            (_, 0, None) => language.say("unit.run"),
            _ => language.say("unit.run_rest"),
        };
        let configs = block.runs.iter().flat_map(|plan| &plan.configs);
        places(ui, configs.flat_map(RunConfig::paths), language);
        if primary_button(ui, words, true).clicked() {
            cx.act(UiCommand::OnLearn(LearnCommand::Run(place)));
        }
    });
}

/// Draws a block that teaches a run more.
pub(super) fn teach(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Unit, teach: &Teach) {
    let language = unit.language;
    card(ui, |ui| {
        let runs = cx.session.learn.units.of(&teach.name);
        row(ui, &teach.title, runs, language);
        let Some(folder) = cx.session.pupil_of(teach) else {
            faint(ui, language.say("unit.teach_first"));
            return;
        };
        if runs.iter().any(|run| run.standing == UnitRunState::Held) {
            go_on(ui, cx, language);
        }
        if !runs.iter().all(UnitRun::is_missing) {
            return;
        }
        places(ui, std::iter::once(teach.source.as_str()), language);
        let usual = language.fill("unit.teach", &[("source", &teach.source)]);
        ui.horizontal_wrapped(|ui| {
            let words = teach.button.as_deref().unwrap_or(&usual);
            if primary_button(ui, words, true).clicked() {
                let command = LearnCommand::Teach(Box::new(teach.clone()));
                cx.act(UiCommand::OnLearn(command));
            }
            if button(ui, language.say("unit.teach_own")).clicked() {
                cx.act(UiCommand::Teach(folder));
            }
        });
    });
}

/// Says which files and folders the button looks at: somebody else may have written the lesson.
fn places<'a>(ui: &mut Ui, named: impl Iterator<Item = &'a str>, language: Language) {
    let mut named: Vec<&str> = named.filter(|place| is_path(place)).collect();
    named.sort_unstable();
    named.dedup();
    if !named.is_empty() {
        let places = listed(&named, 6);
        faint(ui, language.fill("unit.places", &[("places", &places)]));
    }
}

/// The way on for runs that wait on hold, as all do that were in the queue when the window was closed.
fn go_on(ui: &mut Ui, cx: &mut Cx<'_>, language: Language) {
    if primary_button(ui, language.say("unit.go_on"), true).clicked() {
        cx.act(UiCommand::HoldQueue(false));
    }
}

/// A run, or one that is repeated, with how it stands.
fn row(ui: &mut Ui, title: &str, runs: &[UnitRun], language: Language) {
    let t = tokens(ui);
    let (words, done) = standing(runs, language);
    ends(
        ui,
        |ui| {
            let title = RichText::new(title).font(regular(14.0)).color(t.strong);
            ui.add(Label::new(title).truncate());
        },
        |ui| {
            faint(ui, words);
        },
    );
    if let Some(done) = done {
        widgets::progress(ui, done, title);
    }
    for run in runs {
        if let UnitRunState::Ended(Some(problem)) = &run.standing {
            widgets::problem(ui, problem);
        }
    }
}

/// What stands behind a run's title, and the share that is done while it is at work.
fn standing(runs: &[UnitRun], language: Language) -> (String, Option<f64>) {
    let done = |run: &&UnitRun| matches!(run.standing, UnitRunState::Done(_));
    let there = runs.iter().filter(done).count();
    let mut working = runs.iter().filter_map(|run| match &run.standing {
        UnitRunState::Working { done, seconds_left } => Some((*done, *seconds_left)),
        _ => None,
    });
    if let Some((share, left)) = working.next() {
        let whole = (there as f64 + share) / runs.len() as f64;
        let shown = percent(share, 0);
        let words = match left {
            None => language.fill("unit.working", &[("share", &shown)]),
            Some(left) => {
                let time = duration_text(left);
                language.fill("unit.working_left", &[("share", &shown), ("time", &time)])
            }
        };
        return (words, Some(whole));
    }
    for (standing, key) in [
        (UnitRunState::Held, "unit.held"),
        (UnitRunState::Waiting, "unit.waits"),
    ] {
        if runs.iter().any(|run| run.standing == standing) {
            return (language.say(key).into(), None);
        }
    }
    if runs
        .iter()
        .any(|run| matches!(run.standing, UnitRunState::Ended(_)))
    {
        return (language.say("unit.ended").into(), None);
    }
    let again = runs.iter().find_map(|run| match &run.standing {
        UnitRunState::Done(Some(name)) => Some(time_text(name)),
        _ => None,
    });
    let words = match (there, again) {
        (0, _) => String::new(),
        (n, _) if n < runs.len() => {
            let (done, all) = (n.to_string(), runs.len().to_string());
            language.fill("unit.done_of", &[("done", &done), ("all", &all)])
        }
        (_, Some(time)) => language.fill("unit.used_again", &[("time", &time)]),
        (_, None) => language.say("unit.done").into(),
    };
    (words, None)
}
