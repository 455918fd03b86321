//! The runs of a lesson: the state of each run, and the button that trains the missing runs.

use egui::{Label, RichText, Ui};

use crate::files::names::is_path;
use crate::problem::join_some;
use crate::run::config::RunConfig;
use crate::session::formatting::{format_duration, format_percent, run_time_text};
use crate::session::lessons::{AddedTaskBlock, LessonRun, LessonRunState, Runs};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, button, card, ends, faint, primary_button};

/// Draws a block of runs.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, index: usize, block: &Runs) {
    card(ui, |ui| {
        let lessons = &cx.session.learn.lessons;
        for plan in &block.runs {
            row(ui, &plan.title, lessons.run_repetitions(&plan.name));
        }
        let runs = block.runs.iter().flat_map(|plan| lessons.run_repetitions(&plan.name));
        let has_run = |predicate: fn(&LessonRun) -> bool| runs.clone().any(predicate);
        if has_run(|run| run.state == LessonRunState::Held) {
            resume_button(ui, cx);
        }
        if !has_run(LessonRun::is_missing) {
            return;
        }
        let failed = has_run(|run| matches!(run.state, LessonRunState::Ended(_)));
        let label = match (failed, has_run(|run| !run.is_missing()), &block.button) {
            (true, ..) => tr!("learn-try-again"),
            (_, false, Some(custom)) => custom,
            (_, false, None) => tr!("learn-train"),
            _ => tr!("learn-train-remaining"),
        };
        let configs = block.runs.iter().flat_map(|plan| &plan.configs);
        list_accessed_paths(ui, configs.flat_map(RunConfig::paths));
        if primary_button(ui, label, true).clicked() {
            cx.change(move |session| session.train_lesson_runs(index));
        }
    });
}

/// Draws a block that adds a task to a run.
pub(super) fn teach(ui: &mut Ui, cx: &mut Cx<'_>, teach: &AddedTaskBlock) {
    card(ui, |ui| {
        let runs = cx.session.learn.lessons.run_repetitions(&teach.name);
        row(ui, &teach.title, runs);
        let Some(folder) = cx.session.run_for_added_task(teach) else {
            faint(ui, tr!("learn-train-run-first"));
            return;
        };
        if runs.iter().any(|run| run.state == LessonRunState::Held) {
            resume_button(ui, cx);
        }
        if !runs.iter().all(LessonRun::is_missing) {
            return;
        }
        list_accessed_paths(ui, std::iter::once(teach.source.as_str()));
        let default_label = tr!("learn-teach-source", source = teach.source.as_str());
        ui.horizontal_wrapped(|ui| {
            let label = teach.button.as_deref().unwrap_or(&default_label);
            if primary_button(ui, label, true).clicked() {
                let teach = teach.clone();
                cx.change(move |session| session.add_lesson_task(&teach));
            }
            if button(ui, tr!("learn-teach-own-images")).clicked() {
                cx.dispatch(UiCommand::AddTask(folder));
            }
        });
    });
}

/// Lists the files and folders that the button will access, because the lesson may come from somebody else.
fn list_accessed_paths<'a>(ui: &mut Ui, paths: impl Iterator<Item = &'a str>) {
    let mut paths: Vec<&str> = paths.filter(|path| is_path(path)).collect();
    paths.sort_unstable();
    paths.dedup();
    if !paths.is_empty() {
        let places = join_some(&paths, 6);
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
fn row(ui: &mut Ui, title: &str, runs: &[LessonRun]) {
    let t = tokens(ui);
    let (text, done) = run_state(runs);
    ends(
        ui,
        |ui| {
            let title = RichText::new(title).font(regular(14.0)).color(t.strong);
            ui.add(Label::new(title).truncate());
        },
        |ui| {
            faint(ui, text);
        },
    );
    if let Some(done) = done {
        widgets::progress(ui, done, title);
    }
    for run in runs {
        if let LessonRunState::Ended(Some(problem)) = &run.state {
            widgets::problem(ui, problem);
        }
    }
}

/// Returns the state of a run and its repetitions in words, and the finished share while one is in progress.
fn run_state(runs: &[LessonRun]) -> (String, Option<f64>) {
    let done = |run: &&LessonRun| matches!(run.state, LessonRunState::Done(_));
    let done_count = runs.iter().filter(done).count();
    let mut working = runs.iter().filter_map(|run| match &run.state {
        LessonRunState::Working { finished_share: done, seconds_left } => {
            Some((*done, *seconds_left))
        }
        _ => None,
    });
    if let Some((share, seconds)) = working.next() {
        let overall = (done_count as f64 + share) / runs.len() as f64;
        let percentage = format_percent(share, 0);
        let text = match seconds {
            None => tr!("learn-share-done", share = percentage),
            Some(seconds) => tr!(
                "learn-share-done-time-left",
                share = percentage,
                time = format_duration(seconds)
            ),
        };
        return (text, Some(overall));
    }
    for (state, key) in
        [(LessonRunState::Held, "learn-on-hold"), (LessonRunState::Waiting, "learn-queued")]
    {
        if runs.iter().any(|run| run.state == state) {
            return (tr!(key).into(), None);
        }
    }
    if runs.iter().any(|run| matches!(run.state, LessonRunState::Ended(_))) {
        return (tr!("learn-ended-early").into(), None);
    }
    let reused = runs.iter().find_map(|run| match &run.state {
        LessonRunState::Done(Some(name)) => Some(run_time_text(name)),
        _ => None,
    });
    let text = match (done_count, reused) {
        (0, _) => String::new(),
        (n, _) if n < runs.len() => {
            tr!("learn-finished-of", done = n, all = runs.len())
        }
        (_, Some(time)) => tr!("learn-reused-run", time),
        (_, None) => tr!("learn-finished").into(),
    };
    (text, None)
}
