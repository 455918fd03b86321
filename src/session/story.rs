//! "What is happening" in words: which of Learning, Accumulation and Ensemble acts right now and
//! what it does to the numbers.

use super::advice::better_backbone;
use super::findings;
use super::plain::in_window;
use super::run_view::{RunView, Stage};
use crate::method::lae::{self, Switches};
use crate::method::{Chosen, epochs_of, passes_of};
use crate::problem::listed;
use crate::run::config::RunConfig;
use crate::run::event::Phase;
use crate::store::{ClassGroup as Group, added_task_figures};

/// Of fewer pictures no share is told.
const FEW: usize = 20;

/// A paragraph: a word in front, then a sentence or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// The word in front.
    pub head: String,
    /// The rest.
    pub text: String,
}

fn paragraph(head: &str, text: String) -> Paragraph {
    Paragraph {
        head: head.into(),
        text,
    }
}

/// The paragraphs for a run as it stands.
pub fn story(run: &RunView) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    match (&run.stage, &run.phase) {
        (Stage::Failed, _) => paragraphs.push(ended(run)),
        (Stage::Stopped, _) if run.header.is_none() => {
            paragraphs.push(paragraph("Stopped.", "The run had not begun; nothing was saved.".into()));
        }
        (Stage::Stopped, _) => paragraphs.push(paragraph(
            "Stopped.",
            format!(
                "{} of {} learned and saved. Resume goes on from the last finished epoch.",
                run.reports.len(),
                counted(run.tasks(), "task")
            ),
        )),
        (Stage::Finished, _) => {
            paragraphs.extend(missed_classes(run));
            paragraphs.extend(added_task(run));
            paragraphs.push(finished(run));
            paragraphs.extend(backbone(run));
        }
        (Stage::Paused, _) => paragraphs.push(paragraph(
            "Paused.",
            "Training waits between two batches. Predictions still work.".into(),
        )),
        (Stage::Running, Some(Phase::Preparing(what))) => {
            paragraphs.push(paragraph("Preparing.", sentence(what)));
        }
        (Stage::Running, None) => {
            paragraphs.push(paragraph("Waiting.", "The engine has not begun this run yet.".into()));
        }
        (Stage::Running, Some(Phase::Evaluating { task })) => paragraphs.push(paragraph(
            "Testing.",
            format!(
                "Every {} image of the {} taught so far is answered{}, one image at a time.",
                run.measured_on(),
                counted(task + 1, "task"),
                if run.history.experts().count() > 1 { " by both experts" } else { "" }
            ),
        )),
        (Stage::Running, Some(Phase::Measuring { task })) => paragraphs.push(paragraph(
            "Measuring.",
            format!(
                "The network looks at every training image of {} once; its weights stay as they are.",
                listed(run.class_names(*task), 4)
            ),
        )),
        (Stage::Running, Some(Phase::Training { .. })) => {}
        (Stage::Running, Some(Phase::Paused)) => {}
    }
    if run.stage.is_live() {
        paragraphs.extend(live(run));
    }
    paragraphs
}

fn live(run: &RunView) -> Vec<Paragraph> {
    let Some(header) = &run.header else {
        return Vec::new();
    };
    let Some(Phase::Training {
        task,
        epoch,
        frozen,
    }) = run.phase
    else {
        return Vec::new();
    };
    let config = &header.config;
    let names = listed(run.class_names(task), 4);
    let Some(acts) = switches(config) else {
        let summary = Chosen::of(config).map_or("", |chosen| chosen.spec.summary);
        let text = format!("{}: {summary}. Now it learns {names}.", header.method.title);
        return vec![paragraph("Training.", text)];
    };
    let pet = &config.pet;
    let mut paragraphs = vec![if frozen {
        let passes = passes_of(header, task).unwrap_or_default();
        let left = passes.iter().skip(epoch).filter(|pass| pass.frozen());
        let left = left.count();
        paragraph(
            "Learning.",
            format!(
                "The {pet} is frozen for {} more: only the weights of the new classes {names} move, so old knowledge is safe while they settle.",
                counted(left, "epoch")
            ),
        )
    } else if acts.learning && task > 0 {
        paragraph(
            "Learning.",
            format!(
                "The new classes {names} have settled; now the {pet} moves with them, gently enough to keep what it knows."
            ),
        )
    } else {
        paragraph(
            if acts.learning {
                "Learning."
            } else {
                "Training."
            },
            format!("The {pet} and the weights of the classes {names} are trained together."),
        )
    }];
    if task == 0 {
        if acts.accumulation || acts.ensemble {
            paragraphs.push(paragraph(
                "Accumulation.",
                format!(
                    "The offline {pet} begins as a copy of the online one when the second task starts."
                ),
            ));
        }
        return paragraphs;
    }
    paragraphs.push(paragraph("Accumulation.", accumulation(run, task)));
    paragraphs.push(paragraph("Ensemble.", ensemble_text(run)));
    paragraphs
}

/// Which of LAE's parts act; none for methods that are not built from them.
fn switches(config: &RunConfig) -> Option<Switches> {
    let chosen = Chosen::of(config).ok()?;
    if chosen.spec.key == lae::BASELINE.key {
        return Some(Switches::NONE);
    }
    (chosen.spec.key == lae::LAE.key).then(|| Switches::chosen(&chosen).ok())?
}

fn accumulation(run: &RunView, task: usize) -> String {
    let Some(header) = &run.header else {
        return String::new();
    };
    let config = &header.config;
    let pet = &config.pet;
    let acts = switches(config).unwrap_or(Switches::NONE);
    if !acts.accumulation {
        return if acts.ensemble {
            format!("Off: the offline {pet} stays as it was after the first task.")
        } else {
            format!("Off: there is only the online {pet}.")
        };
    }
    let images = header.train_images.get(task).copied().unwrap_or(0);
    let epochs = epochs_of(header, task);
    let steps = epochs.saturating_mul(images / config.batch.max(1));
    let ema = Chosen::of(config).and_then(|chosen| chosen.real("ema"));
    let ema = ema.unwrap_or_default();
    let share = (1.0 - ema.powi(i32::try_from(steps).unwrap_or(i32::MAX))) * 100.0;
    let step = (1.0 - ema) * 100.0;
    format!(
        "After every step the offline {pet} moves {}\u{a0}% of the way towards the online one. A whole task carries it {share:.0}\u{a0}% of the way.",
        short(step)
    )
}

fn ensemble_text(run: &RunView) -> String {
    let acts = run.header.as_ref().and_then(|h| switches(&h.config));
    match acts {
        Some(acts) if acts.ensemble => {
            "Each picture goes through both experts; the more certain one answers.".into()
        }
        Some(acts) if acts.accumulation => "Off: the offline expert answers alone.".into(),
        _ => "Off: the online expert answers alone.".into(),
    }
}

fn finished(run: &RunView) -> Paragraph {
    let percent = |value: f64| value * 100.0;
    let tasks = counted(run.reports.len(), "task");
    let Some((right, forgotten)) = run.answers().last().zip(run.forgotten) else {
        let text = "The images of its earlier tasks were not at hand, so it cannot be said how many answers are right. Open Predict to watch an image through the tasks.";
        return paragraph("Done.", text.into());
    };
    // A run in which classes are not recognised is not just done.
    let head = match run.missed.is_empty() {
        true => "Done.",
        false => "All in all.",
    };
    paragraph(
        head,
        format!(
            "After {tasks} the answers are right for {:.1}\u{a0}% of the test images of all classes; {:.1} points of what was once known are forgotten. Open Predict to watch an image through the tasks.",
            percent(right),
            percent(forgotten)
        ),
    )
}

/// The classes that are never or rarely recognised; none where all are.
fn missed_classes(run: &RunView) -> Option<Paragraph> {
    let seen = run
        .reports
        .iter()
        .map(|report| run.class_names(report.task).len());
    let (head, text) = findings::told(&run.missed, seen.sum())?;
    Some(Paragraph { head, text })
}

/// What the last added task changed; none for a run without.
fn added_task(run: &RunView) -> Option<Paragraph> {
    let header = run.header.as_ref()?;
    let figures = added_task_figures(header, &run.reports)?;
    let part = |group: &Group| {
        // A share of a few pictures says less than their number.
        let of = |share: f64| (share / 100.0 * group.images as f64).round();
        let said = |share: f64| match group.images {
            0..FEW => format!("{} of {}", of(share), group.images),
            _ => format!("{} of {} ({share:.1}\u{a0}%)", of(share), group.images),
        };
        match (group.before, group.after) {
            (Some(before), Some(after)) => {
                format!("{} are right, {} were before", said(after), said(before))
            }
            (None, Some(after)) => format!("{} are right", said(after)),
            _ => "no test picture was at hand".into(),
        }
    };
    let names = listed(&figures.new.classes, 4);
    let text = format!(
        "Of the test pictures of {names}: {}. Of those of the {} before: {}.",
        part(&figures.new),
        counted(figures.old.classes.len(), "class"),
        part(&figures.old)
    );
    Some(paragraph("Added task.", text))
}

/// Another backbone, where a figure says that it would help.
fn backbone(run: &RunView) -> Option<Paragraph> {
    let text = better_backbone(run.header.as_ref()?, &run.reports)?;
    Some(paragraph("Backbone.", text))
}

fn ended(run: &RunView) -> Paragraph {
    let text = run.problem.as_ref().map_or(String::new(), |problem| {
        let problem = in_window(problem);
        let mut text = sentence(&problem.what);
        if !problem.remedy.is_empty() {
            text.push(' ');
            text.push_str(&sentence(&problem.remedy));
        }
        text
    });
    paragraph("Failed.", text)
}

pub use crate::counts::counted;

/// First letter large, full stop at the end.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let mut out: String = first.to_uppercase().chain(letters).collect();
    if !out.ends_with(['.', '!', '?', '…']) {
        out.push('.');
    }
    out
}

/// A small number without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() {
        "0".into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_large_and_end_with_a_stop() {
        assert_eq!(sentence("no classes found"), "No classes found.");
        assert_eq!(sentence("done!"), "Done!");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn things_are_counted_in_english() {
        assert_eq!(counted(1, "class"), "1 class");
        assert_eq!(counted(26, "class"), "26 classes");
        assert_eq!(counted(1200, "epoch"), "1,200 epochs");
        assert_eq!(short(0.1), "0.1");
        assert_eq!(short(0.00001), "0");
    }

    #[test]
    fn a_waiting_run_says_so() {
        let words = story(&RunView::waiting("x".into()));
        assert_eq!(words[0].head, "Waiting.");
    }
}
