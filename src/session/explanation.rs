//! An explanation of the training in words: which of Learning, Accumulation and Ensemble are active, and how they
//! affect the results.

use super::advice::better_backbone;
use super::findings;
use super::formatting::{format_number, format_percent};
use super::run_view::{RunView, Stage};
use super::window_terms::in_window_terms;
use crate::method::lae::{self, Switches};
use crate::method::{ConfiguredMethod, passes_for_task, steps_for_task};
use crate::problem::join_some;
use crate::run::config::RunConfig;
use crate::run::event::Phase;
use crate::store::{ClassGroup as Group, added_task_figures};
use crate::texts::Language;
use crate::tr;

/// Below this number of images, counts are given instead of percentages.
const MIN_PERCENT_IMAGES: usize = 20;

/// A paragraph with a heading and one or two sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// The heading.
    pub heading: String,
    /// The sentences.
    pub text: String,
}

fn paragraph(heading: &str, text: impl Into<String>) -> Paragraph {
    Paragraph { heading: heading.into(), text: text.into() }
}

/// Returns the paragraphs that explain the current state of a run.
pub fn explain_run(run: &RunView) -> Vec<Paragraph> {
    let first = match (&run.stage, &run.phase) {
        (Stage::Failed, _) => failed_paragraph(run),
        (Stage::Stopped, _) => {
            let text = match run.header {
                // Checks and trials have no header either.
                None => tr!("session-stopped-early").to_string(),
                Some(_) => tr!("session-stopped", done = run.reports.len(), n = run.tasks()),
            };
            paragraph(tr!("session-stopped-heading"), text)
        }
        (Stage::Finished, _) => {
            let parts = [
                missed_classes_paragraph(run),
                added_task_paragraph(run),
                Some(finished_paragraph(run)),
                backbone_paragraph(run),
            ];
            return parts.into_iter().flatten().collect();
        }
        (Stage::Paused, _) => paragraph(tr!("session-paused-heading"), tr!("session-paused")),
        (Stage::Running, Some(Phase::Preparing(step))) => {
            paragraph(tr!("session-preparing-heading"), sentence(&step.translated()))
        }
        (Stage::Running, None) => paragraph(tr!("session-waiting-heading"), tr!("session-waiting")),
        (Stage::Running, Some(Phase::Evaluating { task })) => {
            let has_several_experts = run.history.experts().count() > 1;
            let id = match has_several_experts {
                true => "session-testing-experts",
                false => "session-testing",
            };
            let text = tr!(id, on = run.measured_on(), n = task + 1);
            paragraph(tr!("session-testing-heading"), text)
        }
        (Stage::Running, Some(Phase::Measuring { task })) => {
            let names = join_some(run.class_names(*task), 4);
            let text = tr!("session-measuring", names);
            paragraph(tr!("session-measuring-heading"), text)
        }
        (Stage::Running, Some(Phase::Training { .. } | Phase::Paused)) => {
            return training_paragraphs(run);
        }
    };
    let mut paragraphs = vec![first];
    if run.stage.is_live() {
        paragraphs.extend(training_paragraphs(run));
    }
    paragraphs
}

fn training_paragraphs(run: &RunView) -> Vec<Paragraph> {
    let Some(header) = &run.header else {
        return Vec::new();
    };
    let Some(Phase::Training { task, epoch, frozen }) = run.phase else {
        return Vec::new();
    };
    let config = &header.config;
    let names = join_some(run.class_names(task), 4);
    let Some(enabled) = switches(config) else {
        let does = ConfiguredMethod::from_config(config).map_or("", |chosen| chosen.spec.summary());
        let method = header.method.title.as_str();
        let text = tr!("session-method-learning", method, does, names);
        return vec![paragraph(tr!("session-training-heading"), text)];
    };
    let pet = config.pet.as_str();
    let heading = match frozen || enabled.learning {
        true => tr!("session-learning-heading"),
        false => tr!("session-training-heading"),
    };
    let text = if frozen {
        let passes = passes_for_task(header, task).unwrap_or_default();
        let remaining = passes.iter().skip(epoch).filter(|pass| pass.is_frozen());
        tr!("session-pet-frozen", pet, n = remaining.count(), names)
    } else if enabled.learning && task > 0 {
        tr!("session-pet-no-longer-frozen", pet, names)
    } else {
        tr!("session-pet-and-head-trained", pet, names)
    };
    let mut paragraphs = vec![paragraph(heading, text)];
    let accumulated = tr!("session-accumulation-heading");
    if task == 0 {
        if enabled.accumulation || enabled.ensemble {
            paragraphs.push(paragraph(accumulated, tr!("session-offline-copy", pet)));
        }
        return paragraphs;
    }
    paragraphs.push(paragraph(accumulated, accumulation_text(run, task)));
    paragraphs.push(paragraph(tr!("session-ensemble-heading"), ensemble_text(run)));
    paragraphs
}

/// Returns which of LAE's parts are on; `None` for other methods.
fn switches(config: &RunConfig) -> Option<Switches> {
    let chosen = ConfiguredMethod::from_config(config).ok()?;
    if chosen.spec.key == lae::BASELINE.key {
        return Some(Switches::NONE);
    }
    (chosen.spec.key == lae::LAE.key).then(|| Switches::from_chosen(&chosen).ok())?
}

fn accumulation_text(run: &RunView, task: usize) -> String {
    let Some(header) = &run.header else {
        return String::new();
    };
    let config = &header.config;
    let pet = config.pet.as_str();
    let enabled = switches(config).unwrap_or(Switches::NONE);
    if !enabled.accumulation {
        return match enabled.ensemble {
            true => tr!("session-accumulation-off", pet),
            false => tr!("session-online-only", pet),
        };
    }
    let steps = steps_for_task(header, task).unwrap_or(0);
    let ema = ConfiguredMethod::from_config(config).and_then(|chosen| chosen.real("ema"));
    let ema = ema.unwrap_or_default();
    let whole = 1.0 - ema.powi(i32::try_from(steps).unwrap_or(i32::MAX));
    let step = format_short((1.0 - ema) * 100.0);
    let whole = format_percent(whole, 0);
    tr!("session-accumulation", pet, step, whole)
}

fn ensemble_text(run: &RunView) -> &'static str {
    let enabled = run.header.as_ref().and_then(|h| switches(&h.config));
    match enabled {
        Some(enabled) if enabled.ensemble => tr!("session-ensemble"),
        Some(enabled) if enabled.accumulation => tr!("session-ensemble-offline"),
        _ => tr!("session-ensemble-online"),
    }
}

fn finished_paragraph(run: &RunView) -> Paragraph {
    if run.header.is_none() {
        // It is not a run but a check, a trial or a search.
        return paragraph(tr!("session-done-heading"), run.title.as_str());
    }
    let Some((accuracy, forgetting)) = run.answer_history().last_accuracy().zip(run.forgetting)
    else {
        return paragraph(tr!("session-done-heading"), tr!("session-done-unmeasured"));
    };
    // The heading is neutral if some classes are not recognised.
    let heading = match run.missed_classes.is_empty() {
        true => tr!("session-done-heading"),
        false => tr!("session-summary"),
    };
    let right = format_percent(accuracy, 1);
    let text = match run.reports.len() {
        // A single task cannot be forgotten.
        1 => tr!("session-done-one-task", right),
        n => {
            let forgotten = format_number(forgetting * 100.0, 1);
            tr!("session-done", n, right, forgotten)
        }
    };
    paragraph(heading, text)
}

/// Describes the classes that are never or rarely recognised; `None` if there are none.
fn missed_classes_paragraph(run: &RunView) -> Option<Paragraph> {
    let class_counts = run.reports.iter().map(|report| run.class_names(report.task).len());
    let (heading, text) = findings::summarise(&run.missed_classes, class_counts.sum())?;
    Some(Paragraph { heading, text })
}

/// Describes the effect of the last added task; `None` for a run without one.
fn added_task_paragraph(run: &RunView) -> Option<Paragraph> {
    let header = run.header.as_ref()?;
    let figures = added_task_figures(header, &run.reports)?;
    let group_text = |group: &Group| {
        // For few images, their number is clearer than a percentage.
        let count_text = |share: f64| {
            let correct = (share / 100.0 * group.images as f64).round() as usize;
            match group.images {
                0..MIN_PERCENT_IMAGES => tr!("session-count-of", n = correct, of = group.images),
                _ => {
                    let share = format_percent(share / 100.0, 1);
                    tr!("session-count-of-share", n = correct, of = group.images, share)
                }
            }
        };
        match (group.before, group.after) {
            (Some(before), Some(after)) => {
                tr!(
                    "session-correct-before-and-now",
                    after = count_text(after),
                    before = count_text(before)
                )
            }
            (None, Some(after)) => tr!("session-correct-now", after = count_text(after)),
            _ => tr!("session-no-test-images").to_string(),
        }
    };
    let text = tr!(
        "session-added-task",
        names = join_some(&figures.new.classes, 4),
        new = group_text(&figures.new),
        n = figures.old.classes.len(),
        old = group_text(&figures.old)
    );
    Some(paragraph(tr!("session-added-task-heading"), text))
}

/// Recommends another backbone if a measurement shows that it would help.
fn backbone_paragraph(run: &RunView) -> Option<Paragraph> {
    let (_, text) = better_backbone(run.header.as_ref()?, &run.reports)?;
    Some(paragraph(tr!("session-backbone-heading"), text))
}

fn failed_paragraph(run: &RunView) -> Paragraph {
    let text = run.problem.as_ref().map_or(String::new(), |problem| {
        let problem = in_window_terms(problem);
        let sentences = [sentence(&problem.what), sentence(&problem.remedy)];
        sentences.join(" ").trim_end().to_string()
    });
    paragraph(tr!("session-failed-heading"), text)
}

/// Capitalises the first letter and adds a full stop.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let mut result: String = first.to_uppercase().chain(letters).collect();
    if !result.ends_with(['.', '!', '?', '…']) {
        result.push('.');
    }
    result
}

/// Formats a number with at most four decimals, without trailing zeros.
fn format_short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Language::spoken().format_digits(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::Setting;

    #[test]
    fn sentences_are_capitalised_and_end_with_punctuation() {
        assert_eq!(sentence("no classes found"), "No classes found.");
        assert_eq!(sentence("done!"), "Done!");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn format_short_rounds_tiny_numbers_to_zero() {
        assert_eq!(format_short(0.1), "0.1");
        assert_eq!(format_short(0.00001), "0");
    }

    #[test]
    fn explains_waiting_run() {
        let paragraphs = explain_run(&RunView::default());
        assert_eq!(paragraphs[0].heading, "Waiting.");
    }

    #[test]
    fn accumulation_counts_incomplete_batch() {
        let mut header = crate::session::run_view::tests::header();
        header.train_images = vec![24, 20];
        header.config.settings.insert("ema".into(), Setting::Real(0.5));
        let (pet, epochs) = (header.config.pet.clone(), header.config.epochs);
        let run = RunView { header: Some(header), ..RunView::default() };
        let whole = format_percent(1.0 - 0.5f64.powi(i32::try_from(epochs).unwrap()), 0);
        let expected = tr!("session-accumulation", pet = pet.as_str(), step = "50", whole);
        assert_eq!(accumulation_text(&run, 1), expected);
    }

    #[test]
    fn explains_ended_check_by_its_title() {
        let title = "Check of digits";
        let run = |stage| RunView { title: title.into(), stage, ..RunView::default() };
        let done = explain_run(&run(Stage::Finished));
        assert_eq!(done, [paragraph(tr!("session-done-heading"), title)]);
        let stopped = explain_run(&run(Stage::Stopped));
        assert_eq!(stopped[0].text, tr!("session-stopped-early"));
    }
}
