//! Shows the progress of a job: a bar on a terminal, lines otherwise, nothing with `--quiet`.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::{format_duration, print_message};
use super::run_report::resume_command;
use crate::counts::count_with_noun;
use crate::method::epochs_for_task;
use crate::metrics::Expert;
use crate::run::event::{Event, Phase, RunHeader, RunProgress, Sink, TaskReport};

/// Number of steps of a bar.
pub(super) const STEPS: u64 = 1000;

/// Returns a bar of this form.
pub(super) fn create_bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(STEPS);
    // The template is a constant, so an error would occur in every run.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Shows the events of a run.
pub(super) struct Reporter {
    quiet: bool,
    /// Whether an added task is shown: its run is not described again, and it cannot be resumed after a failure.
    added_task: bool,
    bar: Option<ProgressBar>,
    header: Option<RunHeader>,
    loss: Option<f32>,
}

impl Reporter {
    /// Creates a reporter that shows only remarks if `quiet`, and a bar only if standard error is a terminal.
    pub fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal())
            .then(|| create_bar("{bar:30} {percent:>3} %  {wide_msg}"));
        Self { quiet, added_task: false, bar, header: None, loss: None }
    }

    /// Creates a reporter for an added task.
    pub fn for_added_task(quiet: bool) -> Self {
        let mut reporter = Self::new(quiet);
        reporter.added_task = true;
        reporter
    }

    /// Reports how to resume a run that failed, if it had begun.
    pub fn report_failure(&self) {
        if let Some(header) = &self.header {
            self.print_line(&format!(
                "saved progress is kept; to resume: {}",
                resume_command(header)
            ));
        }
    }

    /// Prints a permanent line.
    fn print_line(&self, text: &str) {
        match &self.bar {
            // Lines must be printed above the bar.
            Some(bar) => bar.suspend(|| print_message(text)),
            None => print_message(text),
        }
    }

    fn print_unless_quiet(&self, text: &str) {
        if !self.quiet {
            self.print_line(text);
        }
    }

    fn show_start(&mut self, header: &RunHeader) {
        let classes = header.class_order.len();
        let about = match self.added_task {
            true => {
                let new = header.added_tasks.last();
                let new = new.map_or(0, |added_task| added_task.classes.len());
                format!(
                    "{} as task {}, after {} of the run; {}",
                    count_with_noun(new, "class"),
                    header.tasks.len(),
                    count_with_noun(classes - new, "class"),
                    header.device,
                )
            }
            false => format!(
                "{} in {}; backbone {}; {} per expert; {}",
                count_with_noun(classes, "class"),
                count_with_noun(header.tasks.len(), "task"),
                header.config.backbone,
                count_with_noun(header.trained_parameters, "trainable parameter"),
                header.device_label(),
            ),
        };
        self.print_unless_quiet(&format!("{}\n{about}", header.folder.display()));
        self.header = Some(header.clone());
    }

    fn show_progress(&mut self, progress: &RunProgress) {
        let (Some(bar), Some(header)) = (&self.bar, &self.header) else {
            return;
        };
        self.loss = progress.losses.last().copied().or(self.loss);
        let mut text = format!("task {}/{}", progress.task + 1, header.tasks.len());
        if header.trains_weights() {
            let epochs = epochs_for_task(header, progress.task);
            text.push_str(&format!(", epoch {}/{epochs}", progress.epoch + 1));
        }
        if progress.frozen {
            text.push_str(", PET frozen");
        }
        if let Some(loss) = self.loss {
            text.push_str(&format!(", loss {loss:.3}"));
        }
        text.push_str(&format!(", {:.0} images/s", progress.images_per_second));
        if let Some(seconds) = progress.seconds_left {
            text.push_str(&format!(", {} left", format_duration(seconds)));
        }
        bar.set_position((progress.done * STEPS as f64) as u64);
        bar.set_message(text);
    }

    fn show_evaluation(&self, report: &TaskReport) {
        let Some(header) = &self.header else { return };
        let accuracies = header.method.experts.iter().map(|&expert| {
            let accuracy = match report.answers.labels.is_empty() {
                true => "–".to_string(),
                false => format!("{:.1} %", report.answers.accuracy(expert) * 100.0),
            };
            match expert {
                Expert::ANSWER => accuracy,
                expert => format!("{} {accuracy}", expert.key()),
            }
        });
        let accuracies: Vec<String> = accuracies.collect();
        let text = format!(
            "task {}/{}: {} ({})",
            report.task + 1,
            header.tasks.len(),
            accuracies.join(", "),
            format_duration(report.seconds),
        );
        self.print_unless_quiet(&text);
    }
}

impl Sink for Reporter {
    fn event(&mut self, event: Event) {
        match event {
            Event::Started(header) => self.show_start(&header),
            Event::Phase { phase, .. } => {
                if let Some(bar) = &self.bar {
                    match phase {
                        Phase::Preparing(what) => bar.set_message(what.english),
                        Phase::Measuring { task } => {
                            bar.set_message(format!("measuring the images of task {}", task + 1));
                        }
                        Phase::Evaluating { task } => {
                            bar.set_message(format!("testing after task {}", task + 1));
                        }
                        Phase::Training { .. } | Phase::Paused => {}
                    }
                }
            }
            Event::Progress { progress, .. } => self.show_progress(&progress),
            Event::TaskEvaluated { report, .. } => self.show_evaluation(&report),
            Event::TakenUp { .. } if self.added_task => {}
            Event::TakenUp { reports, .. } => {
                reports.iter().for_each(|report| self.show_evaluation(report));
            }
            // Remarks are shown even with `--quiet`.
            Event::Remark { problem, .. } => {
                self.print_line(&problem.to_string().replacen("problem:", "note:", 1));
            }
            Event::Assumed(sentences) => {
                for sentence in sentences {
                    self.print_unless_quiet(&format!("note: {sentence}"));
                }
            }
            // The end of the job is its return value; the other events are not requested here.
            _ => {}
        }
    }
}

/// Remarks in the runs of one command, of which each is shown only once.
#[derive(Default)]
pub(super) struct Notes {
    /// How often each remark occurred.
    counts: BTreeMap<String, usize>,
}

impl Notes {
    /// Returns whether an event is not a remark, or a remark that was not shown before.
    pub fn is_new(&mut self, event: &Event) -> bool {
        let note = match event {
            Event::Remark { problem, .. } => problem.to_string(),
            Event::Assumed(sentences) => {
                let sentences: Vec<&str> = sentences.iter().map(|s| s.english.as_str()).collect();
                sentences.join(" ")
            }
            _ => return true,
        };
        let count = self.counts.entry(note).or_default();
        *count += 1;
        *count == 1
    }

    /// Reports how often remarks were repeated.
    pub fn report_repeats(&mut self) {
        let counts = std::mem::take(&mut self.counts).into_iter();
        for (note, count) in counts.filter(|(_, count)| *count > 1) {
            let what = note.lines().next().unwrap_or_default();
            let what = what.trim_start_matches("problem: ");
            let again = count_with_noun(count - 1, "more time");
            print_message(format!("note ({again}): {what}"));
        }
    }
}

/// Shows one of several runs, without remarks of earlier runs.
pub(super) struct DeduplicatingSink<'a> {
    pub reporter: &'a mut Reporter,
    pub notes: &'a mut Notes,
}

impl Sink for DeduplicatingSink<'_> {
    fn event(&mut self, event: Event) {
        if self.notes.is_new(&event) {
            self.reporter.event(event);
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
