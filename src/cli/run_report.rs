//! Reports of trained runs: the final table, JSON, and how to resume.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, format_duration, format_percent, print_message};
use crate::counts::count_with_noun;
use crate::problem::Result;
use crate::run::config::{RunConfig, quote_for_shell};
use crate::run::event::RunHeader;
use crate::session::formatting::original_label_accuracy;
use crate::session::{advice, findings};
use crate::store::{
    Figures, OrdersSummary, StoredRun, Summary, mean_and_spread, summary, summary_of_orders,
};

/// The destination of a run and its results.
#[derive(clap::Args)]
pub(super) struct RunOutput {
    /// Keep runs in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonOutput,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// Prints the results of a stopped run and the command that resumes it.
pub(super) fn print_stopped(run: &StoredRun, output: &RunOutput) -> Result<CommandOutcome> {
    output.json.print_results(&summary(run), "")?;
    let command = resume_command(&run.header);
    print_message(format!("stopped and saved; to resume: {command}"));
    Ok(CommandOutcome::Stopped)
}

/// Returns the shell command that resumes a run, at the place where it was trained.
pub(super) fn resume_command(header: &RunHeader) -> String {
    let folder = quote_for_shell(&header.folder.display().to_string());
    match header.about.place.as_str() {
        "" => format!("lae-studio resume {folder}"),
        place => format!("lae-studio resume {folder} --place {}", quote_for_shell(place)),
    }
}

/// Reports that nothing was done.
pub(super) fn print_not_started() -> CommandOutcome {
    print_message("stopped before the run started; nothing was changed");
    CommandOutcome::Stopped
}

/// Prints the results of several class orders and seeds. The `last` run was stopped, if it had started; mean and
/// standard deviation are those of the finished runs.
pub(super) fn print_series_stopped(
    finished: &[StoredRun],
    last: Option<&StoredRun>,
    count: usize,
    output: &RunOutput,
) -> Result<CommandOutcome> {
    let mut orders = summary_of_orders(finished);
    orders.runs.extend(last.map(summary));
    output.json.print_results(&orders, "")?;
    let done = finished.len();
    let all = count_with_noun(count, "run");
    print_message(format!("stopped after {done} of {all}"));
    if let Some(run) = last {
        let command = resume_command(&run.header);
        print_message(format!("to resume the current one: {command}"));
    }
    print_message("to train the remaining ones, run each with its --order and --seed");
    Ok(CommandOutcome::Stopped)
}

/// Prints the results of a finished run.
pub(super) fn print_finished(run: &StoredRun, output: &RunOutput) -> Result<CommandOutcome> {
    let summary = summary(run);
    let mut table = new_result_table(run.header.tasks.len());
    for &expert in &summary.experts {
        let figures = summary.figures.expert_figures(expert).map(format_percent);
        table.add_row([expert.key().to_string()].into_iter().chain(figures));
    }
    let notes = [
        known_task_note(&summary.figures),
        prompt_selection_note(&summary),
        validation_note(run),
        original_label_accuracy(&run.header, &run.reports).map(|words| format!("{words}\n")),
        skipped_images_note(summary.unreadable_images),
        missed_classes_note(run),
        better_backbone_note(run),
    ];
    let notes: String = notes.into_iter().flatten().collect();
    let text = format!(
        "{table}{notes}{} in {}, {:.0} images/s while training\n",
        run.header.run,
        format_duration(summary.seconds),
        summary.images_per_second,
    );
    output.json.finish(&summary, &text)
}

/// Returns the classes that are never or rarely recognised, with commands that show why or may help.
fn missed_classes_note(run: &StoredRun) -> Option<String> {
    let header = &run.header;
    let missed = findings::missed_classes(header, &run.reports);
    let (head, text) = findings::summarise(&missed, header.class_order.len())?;
    let hint = advice::more_steps(header);
    let more = hint
        .map_or_else(String::new, |steps| format!("; to train more steps: --min-steps {steps}"));
    let folder = header.folder.display().to_string();
    let [run, data] = [&folder, &header.config.data].map(|word| quote_for_shell(word));
    Some(format!(
        "{head} {text} To see them: lae-studio worst {run}; to find another method: lae-studio try {data}{more}\n"
    ))
}

/// Returns a suggestion of another backbone, if the test of the backbone indicates it.
fn better_backbone_note(run: &StoredRun) -> Option<String> {
    let (better, text) = advice::better_backbone(&run.header, &run.reports)?;
    Some(format!("{text} Try --backbone {}\n", better.name))
}

/// Returns the number of images that could not be read.
fn skipped_images_note(images: usize) -> Option<String> {
    match images {
        0 => None,
        1 => Some("1 image could not be read and was skipped\n".into()),
        n => Some(format!("{n} images could not be read and were skipped\n")),
    }
}

/// Returns the accuracy with the task given, labelled so that it is not mistaken for A_N.
fn known_task_note(figures: &Figures) -> Option<String> {
    let accuracy = format_percent(Some(figures.get("final_accuracy_task_given")?));
    Some(format!("with the task of each image known (not class-incremental): {accuracy}\n"))
}

/// Returns how often images select the prompts of their own task; `None` without a study.
fn prompt_selection_note(summary: &Summary) -> Option<String> {
    let each = summary.prompt_study.as_ref()?.selection.iter();
    let each: Vec<String> = each.map(|share| format!("{share:.0}")).collect();
    Some(format!(
        "images that selected the prompts of their task, after each task: {} %\n",
        each.join(", ")
    ))
}

/// Returns a line that marks validation results; `None` for test results.
fn validation_note(run: &StoredRun) -> Option<String> {
    let share = run.header.config.validation_share;
    (share != 0.0).then(|| {
        format!(
            "measured on validation images ({} % of the training images, not used for training), not on test images\n",
            // Four decimals: 0.07 · 100 is 7.000000000000001.
            (share * 1e6).round() / 1e4
        )
    })
}

/// Returns the final table without rows.
fn new_result_table(tasks: usize) -> Table {
    let [a, mean, forgetting] = ["A", "Ā", "F"].map(|figure| format!(">{figure}_{tasks}"));
    Table::new(&[String::new(), a, mean, forgetting])
}

/// Prints the results of several class orders and seeds.
pub(super) fn print_series_finished(
    runs: &[StoredRun],
    output: &RunOutput,
) -> Result<CommandOutcome> {
    let orders = summary_of_orders(runs);
    let tasks = runs.first().map_or(0, |run| run.header.tasks.len());
    let mut table = new_result_table(tasks);
    let experts = runs.first().map(|run| run.header.method.experts.clone());
    for expert in experts.unwrap_or_default() {
        let cell = |i: usize| mean_and_spread(&orders, |f| f.expert_figures(expert)[i], " ± ");
        let cells = [0, 1, 2].map(cell);
        table.add_row([expert.key().to_string()].into_iter().chain(cells));
    }
    let text = format!(
        "{}{table}{}{}{}",
        per_order_table(&orders),
        known_task_note(&orders.mean).unwrap_or_default(),
        runs.first().and_then(validation_note).unwrap_or_default(),
        closing_line(&orders)
    );
    output.json.finish(&orders, &text)
}

/// Returns a table with one row per class order and seed: the metrics of the run's predictions.
fn per_order_table(orders: &OrdersSummary) -> String {
    let classes = orders.runs.first().map_or(0, |run| run.class_order.len());
    let mut table = Table::new(&["class order", ">seed", ">A_N", ">Ā_N", ">F_N", "run"]);
    for run in &orders.runs {
        let figures = run.figures.answer_figures().map(format_percent);
        let config = &run.config;
        let cells = [config.order.clone(), config.seed.to_string()];
        table.add_row(cells.into_iter().chain(figures).chain([run.run.clone()]));
    }
    let count_distinct = |key: fn(&RunConfig) -> String| {
        let all = orders.runs.iter().map(|run| key(&run.config));
        all.collect::<BTreeSet<String>>().len()
    };
    format!(
        "{table}{}, {}, {}, mean ± std:\n",
        count_with_noun(classes, "class"),
        count_with_noun(count_distinct(|config| config.order.clone()), "class order"),
        count_with_noun(count_distinct(|config| config.seed.to_string()), "seed"),
    )
}

fn closing_line(orders: &OrdersSummary) -> String {
    let seconds: f64 = orders.runs.iter().map(|run| run.seconds).sum();
    let runs = count_with_noun(orders.runs.len(), "run");
    format!("{runs} in {}\n", format_duration(seconds))
}
