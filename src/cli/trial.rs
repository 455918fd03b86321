//! `try`: finds the method or backbone that suits a dataset, within about a minute, on images held out from training.

use std::path::PathBuf;

use serde::Serialize;

use super::CommandOutcome;
use super::output::{
    JsonOutput, Table, format_duration, format_percent, format_size, print_message,
};
use super::progress::Reporter;
use super::settings::Settings;
use super::signals::stop_on_ctrl_c;
use crate::experiment::ResourceCache;
use crate::experiment::trial::{try_backbones, try_methods};
use crate::method::train_command;
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::trial_result::{Trial, TriedMethod};
use crate::store;

/// Options of `try`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Dataset: digits, letters, a published dataset, or a folder with one subfolder per class; use this argument, as
    /// --data has no effect here
    #[arg(value_name = "DATA")]
    place: String,
    /// Instead of methods, compare these backbones and that of --backbone, using SimpleCIL: names, folders or weight
    /// files
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    backbones: Vec<String>,
    #[command(flatten)]
    settings: Settings,
    /// Look for the lists of corrected labels in this folder of runs
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOutput,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

/// The JSON output.
#[derive(Serialize)]
struct TrialReport<'a> {
    #[serde(flatten)]
    trial: &'a Trial,
    /// The key of the best method, or the name of the best backbone.
    best: Option<&'a str>,
    /// Those whose difference from it is not significant.
    level: Vec<&'a str>,
    /// The commands that train each of them, in the order of the table.
    commands: Vec<String>,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let root = store::runs_root(args.out.as_deref());
    let control = stop_on_ctrl_c()?;
    let cache = ResourceCache::default();
    let settings = args.settings.clone().with_dataset(&args.place);
    let resolved = settings.resolve(&root, &cache, &control)?;
    let config = resolved.report(args.quiet);
    let mut reporter = Reporter::new(args.quiet);
    let compares_backbones = !args.backbones.is_empty();
    let trial = match compares_backbones {
        true => try_backbones(&config, &args.backbones, &cache, &mut reporter, &control),
        false => try_methods(&config, &cache, &mut reporter, &control),
    };
    drop(reporter);
    let Some(trial) = trial? else {
        print_message("stopped before the first candidate finished");
        return Ok(CommandOutcome::Stopped);
    };
    let key = |index: usize| match &trial.methods[index] {
        candidate if compares_backbones => candidate.config.backbone.as_str(),
        candidate => candidate.method.as_str(),
    };
    let report = TrialReport {
        best: trial.best().map(key),
        level: trial.tied_with_best().into_iter().map(key).collect(),
        commands: trial
            .methods
            .iter()
            .map(|candidate| candidate_command(&candidate.config))
            .collect(),
        trial: &trial,
    };
    let title = if compares_backbones { "backbone" } else { "method" };
    args.json.print_results(&report, &text(&trial, title))?;
    Ok(CommandOutcome::from_success(trial.best().is_some()))
}

/// Returns the command that trains these settings.
fn candidate_command(config: &RunConfig) -> String {
    let plugin = Plugins::standard().get(&config.pet).ok();
    train_command(config, plugin.as_deref())
}

/// Returns the table, the number of images it is based on, and the command that trains the best
/// candidate.
fn text(trial: &Trial, title: &str) -> String {
    let memory = trial.methods.iter().any(|candidate| candidate.memory.is_some());
    let mut titles = vec![title, ">accuracy %", ">forgetting", ">seconds"];
    titles.extend(memory.then_some(">memory to train"));
    titles.push("");
    let mut table = Table::new(&titles);
    let best = trial.best();
    let clear = trial.tied_with_best().is_empty();
    for (index, candidate) in trial.methods.iter().enumerate() {
        let mut cells = vec![
            candidate.title.clone(),
            format_percent(candidate.right),
            format_percent(candidate.forgotten),
            format!("{:.1}", candidate.seconds),
        ];
        cells.extend(memory.then(|| format_size(candidate.memory)));
        cells.push(remark_text(candidate, clear && best == Some(index)));
        table.add_row(cells);
    }
    let mut text = format!("{table}\n");
    for sentence in trial.sentences() {
        text.push_str(&format!("{sentence}\n"));
    }
    if let Some(best) = best {
        let command = candidate_command(&trial.methods[best].config);
        text.push_str(&format!("\nTo train it on all images:\n  {command}\n"));
    }
    text.push_str(&format!("({})\n", format_duration(trial.seconds)));
    text
}

fn remark_text(candidate: &TriedMethod, is_best: bool) -> String {
    match (&candidate.problem, is_best) {
        (Some(problem), _) => problem.what.clone(),
        (None, true) => "best".into(),
        (None, false) => String::new(),
    }
}
