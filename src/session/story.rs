//! An explanation of the training in words: which of Learning, Accumulation and Ensemble are active, and how they
//! affect the results.

use super::advice::better_backbone;
use super::findings;
use super::plain::in_window;
use super::run_view::{RunView, Stage};
use super::words::{number, percent};
use crate::method::lae::{self, Switches};
use crate::method::{Chosen, epochs_of, passes_of};
use crate::problem::listed;
use crate::run::config::RunConfig;
use crate::run::event::Phase;
use crate::store::{ClassGroup as Group, added_task_figures};
use crate::texts::Language;
use crate::tr;

/// Below this number of images, counts are given instead of percentages.
const FEW: usize = 20;

/// A paragraph with a heading and one or two sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// The heading.
    pub head: String,
    /// The sentences.
    pub text: String,
}

fn paragraph(head: &str, text: impl Into<String>) -> Paragraph {
    Paragraph {
        head: head.into(),
        text: text.into(),
    }
}

/// Returns the paragraphs that explain the current state of a run.
pub fn story(run: &RunView) -> Vec<Paragraph> {
    let first = match (&run.stage, &run.phase) {
        (Stage::Failed, _) => ended(run),
        (Stage::Stopped, _) => {
            let text = match run.header {
                None => tr!("story-not-started").to_string(),
                Some(_) => tr!("story-stopped", done = run.reports.len(), n = run.tasks()),
            };
            paragraph(tr!("story-stopped-heading"), text)
        }
        (Stage::Finished, _) => {
            let parts = [
                missed_classes(run),
                added_task(run),
                Some(finished(run)),
                backbone(run),
            ];
            return parts.into_iter().flatten().collect();
        }
        (Stage::Paused, _) => paragraph(tr!("story-paused-heading"), tr!("story-paused")),
        (Stage::Running, Some(Phase::Preparing(what))) => {
            paragraph(tr!("story-preparing-heading"), sentence(&what.said()))
        }
        (Stage::Running, None) => paragraph(tr!("story-waiting-heading"), tr!("story-waiting")),
        (Stage::Running, Some(Phase::Evaluating { task })) => {
            let several = run.history.experts().count() > 1;
            let id = match several {
                true => "story-testing-experts",
                false => "story-testing",
            };
            let text = tr!(id, on = run.measured_on(), n = task + 1);
            paragraph(tr!("story-testing-heading"), text)
        }
        (Stage::Running, Some(Phase::Measuring { task })) => {
            let names = listed(run.class_names(*task), 4);
            let text = tr!("story-measuring", names);
            paragraph(tr!("story-measuring-heading"), text)
        }
        (Stage::Running, Some(Phase::Training { .. } | Phase::Paused)) => return live(run),
    };
    let mut paragraphs = vec![first];
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
        let does = Chosen::of(config).map_or("", |chosen| chosen.spec.summary());
        let method = header.method.title.as_str();
        let text = tr!("story-method-learning", method, does, names);
        return vec![paragraph(tr!("story-training-heading"), text)];
    };
    let pet = config.pet.as_str();
    let head = match frozen || acts.learning {
        true => tr!("story-learning-heading"),
        false => tr!("story-training-heading"),
    };
    let text = if frozen {
        let passes = passes_of(header, task).unwrap_or_default();
        let left = passes.iter().skip(epoch).filter(|pass| pass.frozen());
        tr!("story-pet-frozen", pet, n = left.count(), names)
    } else if acts.learning && task > 0 {
        tr!("story-pet-no-longer-frozen", pet, names)
    } else {
        tr!("story-pet-and-head-trained", pet, names)
    };
    let mut paragraphs = vec![paragraph(head, text)];
    let accumulated = tr!("story-accumulation-heading");
    if task == 0 {
        if acts.accumulation || acts.ensemble {
            paragraphs.push(paragraph(accumulated, tr!("story-offline-copy", pet)));
        }
        return paragraphs;
    }
    paragraphs.push(paragraph(accumulated, accumulation(run, task)));
    paragraphs.push(paragraph(tr!("story-ensemble-heading"), ensemble_text(run)));
    paragraphs
}

/// Returns which of LAE's parts are on; `None` for other methods.
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
    let pet = config.pet.as_str();
    let acts = switches(config).unwrap_or(Switches::NONE);
    if !acts.accumulation {
        return match acts.ensemble {
            true => tr!("story-accumulation-off", pet),
            false => tr!("story-online-only", pet),
        };
    }
    let images = header.train_images.get(task).copied().unwrap_or(0);
    let epochs = epochs_of(header, task);
    let steps = epochs.saturating_mul(images / config.batch.max(1));
    let ema = Chosen::of(config).and_then(|chosen| chosen.real("ema"));
    let ema = ema.unwrap_or_default();
    let whole = 1.0 - ema.powi(i32::try_from(steps).unwrap_or(i32::MAX));
    let step = short((1.0 - ema) * 100.0);
    let whole = percent(whole, 0);
    tr!("story-accumulation", pet, step, whole)
}

fn ensemble_text(run: &RunView) -> &'static str {
    let acts = run.header.as_ref().and_then(|h| switches(&h.config));
    match acts {
        Some(acts) if acts.ensemble => tr!("story-ensemble"),
        Some(acts) if acts.accumulation => tr!("story-ensemble-offline"),
        _ => tr!("story-ensemble-online"),
    }
}

fn finished(run: &RunView) -> Paragraph {
    let Some((right, forgotten)) = run.answers().last().zip(run.forgotten) else {
        return paragraph(tr!("story-done-heading"), tr!("story-done-unmeasured"));
    };
    // The heading is neutral if some classes are not recognised.
    let head = match run.missed.is_empty() {
        true => tr!("story-done-heading"),
        false => tr!("story-summary"),
    };
    let text = tr!(
        "story-done",
        n = run.reports.len(),
        right = percent(right, 1),
        forgotten = number(forgotten * 100.0, 1)
    );
    paragraph(head, text)
}

/// Describes the classes that are never or rarely recognised; `None` if there are none.
fn missed_classes(run: &RunView) -> Option<Paragraph> {
    let seen = run
        .reports
        .iter()
        .map(|report| run.class_names(report.task).len());
    let (head, text) = findings::told(&run.missed, seen.sum())?;
    Some(Paragraph { head, text })
}

/// Describes the effect of the last added task; `None` for a run without one.
fn added_task(run: &RunView) -> Option<Paragraph> {
    let header = run.header.as_ref()?;
    let figures = added_task_figures(header, &run.reports)?;
    let part = |group: &Group| {
        // For few images, their number is clearer than a percentage.
        let said = |share: f64| {
            let of = (share / 100.0 * group.images as f64).round() as usize;
            match group.images {
                0..FEW => tr!("story-count-of", n = of, of = group.images),
                _ => {
                    let share = percent(share / 100.0, 1);
                    tr!("story-count-of-share", n = of, of = group.images, share)
                }
            }
        };
        match (group.before, group.after) {
            (Some(before), Some(after)) => {
                tr!(
                    "story-correct-before-and-now",
                    after = said(after),
                    before = said(before)
                )
            }
            (None, Some(after)) => tr!("story-correct-now", after = said(after)),
            _ => tr!("story-no-test-images").to_string(),
        }
    };
    let text = tr!(
        "story-added-task",
        names = listed(&figures.new.classes, 4),
        new = part(&figures.new),
        n = figures.old.classes.len(),
        old = part(&figures.old)
    );
    Some(paragraph(tr!("story-added-task-heading"), text))
}

/// Recommends another backbone if a measurement shows that it would help.
fn backbone(run: &RunView) -> Option<Paragraph> {
    let (_, text) = better_backbone(run.header.as_ref()?, &run.reports)?;
    Some(paragraph(tr!("story-backbone-heading"), text))
}

fn ended(run: &RunView) -> Paragraph {
    let text = run.problem.as_ref().map_or(String::new(), |problem| {
        let problem = in_window(problem);
        let sentences = [sentence(&problem.what), sentence(&problem.remedy)];
        sentences.join(" ").trim_end().to_string()
    });
    paragraph(tr!("story-failed-heading"), text)
}

/// Capitalises the first letter and adds a full stop.
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

/// Formats a number with at most four decimals, without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Language::spoken().written(text)
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
    fn small_numbers_are_short() {
        assert_eq!(short(0.1), "0.1");
        assert_eq!(short(0.00001), "0");
    }

    #[test]
    fn a_waiting_run_says_so() {
        let words = story(&RunView::default());
        assert_eq!(words[0].head, "Waiting.");
    }
}
