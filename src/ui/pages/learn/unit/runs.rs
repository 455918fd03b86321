//! The runs of a lesson: the state of each run, and the button that trains the missing runs.

use egui::{Label, RichText, Ui};

use crate::files::names::is_path;
use crate::problem::listed;
use crate::run::config::RunConfig;
use crate::session::units::{Runs, Teach, UnitRun, UnitRunState};
use crate::session::words::{duration_text, percent, time_text};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, button, card, ends, faint, primary_button};

/// Draws a block of runs.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, place: usize, block: &Runs) {
    card(ui, |ui| {
        let units = &cx.session.learn.units;
        for plan in &block.runs {
            row(ui, &plan.title, units.of(&plan.name));
        }
        let runs = block.runs.iter().flat_map(|plan| units.of(&plan.name));
        let any = |is: fn(&UnitRun) -> bool| runs.clone().any(is);
        if any(|run| run.state == UnitRunState::Held) {
            resume_button(ui, cx);
        }
        if !any(UnitRun::is_missing) {
            return;
        }
        let failed = any(|run| matches!(run.state, UnitRunState::Ended(_)));
        let words = match (failed, any(|run| !run.is_missing()), &block.button) {
            (true, ..) => tr!("learn-try-again"),
            (_, false, Some(own)) => own,
            (_, false, None) => tr!("learn-train"),
            _ => tr!("learn-train-remaining"),
        };
        let configs = block.runs.iter().flat_map(|plan| &plan.configs);
        places(ui, configs.flat_map(RunConfig::paths));
        if primary_button(ui, words, true).clicked() {
            cx.change(move |session| session.run_unit(place));
        }
    });
}

/// Draws a block that adds a task to a run.
pub(super) fn teach(ui: &mut Ui, cx: &mut Cx<'_>, teach: &Teach) {
    card(ui, |ui| {
        let runs = cx.session.learn.units.of(&teach.name);
        row(ui, &teach.title, runs);
        let Some(folder) = cx.session.run_to_teach(teach) else {
            faint(ui, tr!("learn-train-run-first"));
            return;
        };
        if runs.iter().any(|run| run.state == UnitRunState::Held) {
            resume_button(ui, cx);
        }
        if !runs.iter().all(UnitRun::is_missing) {
            return;
        }
        places(ui, std::iter::once(teach.source.as_str()));
        let usual = tr!("learn-teach-source", source = teach.source.as_str());
        ui.horizontal_wrapped(|ui| {
            let words = teach.button.as_deref().unwrap_or(&usual);
            if primary_button(ui, words, true).clicked() {
                let teach = teach.clone();
                cx.change(move |session| session.teach_unit(&teach));
            }
            if button(ui, tr!("learn-teach-own-images")).clicked() {
                cx.act(UiCommand::AddTask(folder));
            }
        });
    });
}

/// Lists the files and folders that the button will access, because the lesson may come from somebody else.
fn places<'a>(ui: &mut Ui, named: impl Iterator<Item = &'a str>) {
    let mut named: Vec<&str> = named.filter(|place| is_path(place)).collect();
    named.sort_unstable();
    named.dedup();
    if !named.is_empty() {
        let places = listed(&named, 6);
        faint(ui, tr!("learn-accesses-places", places));
    }
}

/// Draws the button that releases held runs. After a restart of the program, all queued runs are held.
fn resume_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    if primary_button(ui, tr!("learn-resume-queue"), true).clicked() {
        cx.change(|session| session.hold_queue(false));
    }
}

/// Draws the title and the state of a run and its repetitions.
fn row(ui: &mut Ui, title: &str, runs: &[UnitRun]) {
    let t = tokens(ui);
    let (words, done) = standing(runs);
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
        if let UnitRunState::Ended(Some(problem)) = &run.state {
            widgets::problem(ui, problem);
        }
    }
}

/// Returns the state of a run and its repetitions in words, and the finished share while one is in progress.
fn standing(runs: &[UnitRun]) -> (String, Option<f64>) {
    let done = |run: &&UnitRun| matches!(run.state, UnitRunState::Done(_));
    let there = runs.iter().filter(done).count();
    let mut working = runs.iter().filter_map(|run| match &run.state {
        UnitRunState::Working { done, seconds_left } => Some((*done, *seconds_left)),
        _ => None,
    });
    if let Some((share, left)) = working.next() {
        let whole = (there as f64 + share) / runs.len() as f64;
        let shown = percent(share, 0);
        let words = match left {
            None => tr!("learn-share-done", share = shown),
            Some(left) => tr!(
                "learn-share-done-time-left",
                share = shown,
                time = duration_text(left)
            ),
        };
        return (words, Some(whole));
    }
    for (standing, key) in [
        (UnitRunState::Held, "learn-on-hold"),
        (UnitRunState::Waiting, "learn-queued"),
    ] {
        if runs.iter().any(|run| run.state == standing) {
            return (tr!(key).into(), None);
        }
    }
    if runs
        .iter()
        .any(|run| matches!(run.state, UnitRunState::Ended(_)))
    {
        return (tr!("learn-ended-early").into(), None);
    }
    let again = runs.iter().find_map(|run| match &run.state {
        UnitRunState::Done(Some(name)) => Some(time_text(name)),
        _ => None,
    });
    let words = match (there, again) {
        (0, _) => String::new(),
        (n, _) if n < runs.len() => {
            tr!("learn-finished-of", done = n, all = runs.len())
        }
        (_, Some(time)) => tr!("learn-reused-run", time),
        (_, None) => tr!("learn-finished").into(),
    };
    (words, None)
}
