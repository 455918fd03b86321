//! `try`: finds the method or backbone that suits a dataset, within about a minute, on images held out from training.

use std::path::PathBuf;

use serde::Serialize;

use super::End;
use super::output::{Json, Table, duration, percent, size, tell};
use super::progress::Reporter;
use super::settings::Settings;
use super::signals::stop_on_ctrl_c;
use crate::experiment::ResourceCache;
use crate::experiment::trial::{try_backbones, try_methods};
use crate::method::command;
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
    json: Json,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

/// The JSON output.
#[derive(Serialize)]
struct Tried<'a> {
    #[serde(flatten)]
    trial: &'a Trial,
    /// The key of the best method, or the name of the best backbone.
    best: Option<&'a str>,
    /// Those whose difference from it is not significant.
    level: Vec<&'a str>,
    /// The commands that train each of them, in the order of the table.
    commands: Vec<String>,
}

pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let root = store::runs_root(args.out.as_deref());
    let control = stop_on_ctrl_c()?;
    let cache = ResourceCache::default();
    let settings = args.settings.clone().on(&args.place);
    let resolved = settings.resolve(&root, &cache, &control)?;
    let config = resolved.report(args.quiet);
    let mut reporter = Reporter::new(args.quiet);
    let of_backbones = !args.backbones.is_empty();
    let trial = match of_backbones {
        true => try_backbones(&config, &args.backbones, &cache, &mut reporter, &control),
        false => try_methods(&config, &cache, &mut reporter, &control),
    };
    drop(reporter);
    let Some(trial) = trial? else {
        tell("stopped before the first candidate finished");
        return Ok(End::Stopped);
    };
    let key = |place: usize| match &trial.methods[place] {
        one if of_backbones => one.config.backbone.as_str(),
        one => one.method.as_str(),
    };
    let tried = Tried {
        best: trial.best().map(key),
        level: trial.level().into_iter().map(key).collect(),
        commands: trial
            .methods
            .iter()
            .map(|one| command_of(&one.config))
            .collect(),
        trial: &trial,
    };
    let title = if of_backbones { "backbone" } else { "method" };
    args.json.print_results(&tried, &text(&trial, title))?;
    Ok(End::from_success(trial.best().is_some()))
}

/// Returns the command that trains these settings.
fn command_of(config: &RunConfig) -> String {
    let plugin = Plugins::standard().get(&config.pet).ok();
    command(config, plugin.as_deref())
}

/// Returns the table, the number of images it is based on, and the command that trains the best
/// candidate.
fn text(trial: &Trial, title: &str) -> String {
    let memory = trial.methods.iter().any(|one| one.memory.is_some());
    let mut titles = vec![title, ">accuracy %", ">forgetting", ">seconds"];
    titles.extend(memory.then_some(">memory to train"));
    titles.push("");
    let mut table = Table::new(&titles);
    let best = trial.best();
    let clear = trial.level().is_empty();
    for (place, one) in trial.methods.iter().enumerate() {
        let mut cells = vec![
            one.title.clone(),
            percent(one.right),
            percent(one.forgotten),
            format!("{:.1}", one.seconds),
        ];
        cells.extend(memory.then(|| size(one.memory)));
        cells.push(remark(one, clear && best == Some(place)));
        table.row(cells);
    }
    let mut text = format!("{table}\n");
    for sentence in trial.sentences() {
        text.push_str(&format!("{sentence}\n"));
    }
    if let Some(best) = best {
        let command = command_of(&trial.methods[best].config);
        text.push_str(&format!("\nTo train it on all images:\n  {command}\n"));
    }
    text.push_str(&format!("({})\n", duration(trial.seconds)));
    text
}

fn remark(one: &TriedMethod, is_best: bool) -> String {
    match (&one.problem, is_best) {
        (Some(problem), _) => problem.what.clone(),
        (None, true) => "best".into(),
        (None, false) => String::new(),
    }
}
