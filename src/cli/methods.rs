//! `methods`: lists the methods and their settings.

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table};
use crate::method::{METHODS, MethodSpec, SettingSpec, find_method};
use crate::metrics::Expert;
use crate::problem::Result;
use crate::run::config::Setting;

/// Options of `methods`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show all settings of one method
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    json: JsonOutput,
}

/// A method in the JSON output.
#[derive(Serialize)]
struct MethodRow {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    paper: &'static str,
    experts: &'static [Expert],
    uses_pet: bool,
    settings: Vec<SettingRow>,
}

/// A setting in the JSON output.
#[derive(Serialize)]
struct SettingRow {
    key: &'static str,
    title: &'static str,
    about: &'static str,
    default: Option<Setting>,
    range: String,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let methods = match &args.name {
        Some(name) => {
            vec![find_method(name).map_err(|problem| problem.at(format!("methods {name}")))?]
        }
        None => METHODS.to_vec(),
    };
    let text = match args.name {
        Some(_) => method_details(methods[0]),
        None => method_table(&methods),
    };
    let rows: Vec<MethodRow> = methods.into_iter().map(method_row).collect();
    args.json.finish(&rows, &text)
}

fn method_row(spec: &'static MethodSpec) -> MethodRow {
    MethodRow {
        name: spec.key,
        title: spec.title,
        about: spec.summary,
        paper: spec.paper,
        experts: spec.experts,
        uses_pet: spec.pet.is_some(),
        settings: spec.settings.iter().map(setting_row).collect(),
    }
}

fn setting_row(spec: &SettingSpec) -> SettingRow {
    SettingRow {
        key: spec.key,
        title: spec.title,
        about: spec.meaning,
        default: spec.kind.default(),
        range: spec.kind.range().to_string(),
    }
}

fn method_table(methods: &[&MethodSpec]) -> String {
    let mut table = Table::new(&["method", "", "what it does"]);
    for spec in methods {
        table.add_row([spec.key, spec.title, spec.summary]);
    }
    table.to_string()
}

fn method_details(spec: &MethodSpec) -> String {
    let mut text = format!("{}: {}\n{}\n", spec.title, spec.summary, spec.paper);
    for setting in spec.settings {
        text += &format!(
            "\n  --set {}={}\n      {} ({})\n",
            setting.key,
            setting.kind.default().map_or_else(String::new, |default| default.to_string()),
            setting.meaning,
            setting.kind.range()
        );
    }
    text
}
