//! `presets`: lists the presets of `train --preset`.

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table};
use crate::experiment::presets::{PETS, Preset, presets};
use crate::method::ConfiguredMethod;
use crate::problem::Result;
use crate::run::config::RunConfig;

/// Options of `presets`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    json: JsonOutput,
}

/// A preset in the JSON output.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// Class orders of the paper.
    orders: &'static [&'static str],
    config: &'static RunConfig,
}

/// Returns the number of epochs in the second task with a frozen PET.
fn frozen_epochs(run: &RunConfig) -> String {
    let passes = ConfiguredMethod::from_config(run).and_then(|chosen| chosen.default_passes(1));
    let frozen = passes.unwrap_or_default();
    let frozen = frozen.iter().filter(|pass| pass.is_frozen()).count();
    frozen.to_string()
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    // Only the window starts pairs of runs; on the command line, each run has its own command.
    let single: Vec<&Preset> =
        presets().iter().filter(|preset| preset.comparison.is_none()).collect();
    let mut table =
        Table::new(&["preset", "", "", "data", ">classes per task", ">epochs", ">frozen"]);
    for preset in &single {
        let run = &preset.run;
        table.add_row([
            preset.name.to_string(),
            preset.title.to_string(),
            preset.hint.to_string(),
            run.data.clone(),
            run.classes_per_task.clone(),
            run.epochs.to_string(),
            frozen_epochs(run),
        ]);
    }
    let pets: Vec<String> =
        PETS.iter().map(|(_, pet, size)| format!("--pet {pet} --pet-size {size}")).collect();
    let text = format!(
        "{table}\nThe paper's presets train Adapter5; those for comparison with CODA-Prompt train Prefix10. PETs in the paper's tables:\n  {}\nFor the paper's three class orders, with mean ± std: --orders 3\nFor data in another folder: --data PATH\n",
        pets.join("\n  ")
    );
    let rows: Vec<Row> = single
        .into_iter()
        .map(|preset| Row {
            name: preset.name,
            title: preset.title,
            about: preset.hint,
            orders: preset.paper.map_or(&[], |paper| paper.orders),
            config: &preset.run,
        })
        .collect();
    args.json.finish(&rows, &text)
}
