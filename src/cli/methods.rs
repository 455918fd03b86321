//! `methods`: lists the methods and their settings.

use serde::Serialize;

use super::End;
use super::output::{Json, Table};
use crate::method::{METHODS, MethodSpec, SettingSpec, named_method};
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
    json: Json,
}

/// A method in the JSON output.
#[derive(Serialize)]
struct Row {
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

pub(super) fn run(args: &Args) -> Result<End> {
    let methods = match &args.name {
        Some(name) => {
            vec![named_method(name).map_err(|problem| problem.at(format!("methods {name}")))?]
        }
        None => METHODS.to_vec(),
    };
    let text = match args.name {
        Some(_) => in_full(methods[0]),
        None => listed(&methods),
    };
    let rows: Vec<Row> = methods.into_iter().map(row).collect();
    args.json.finish(&rows, &text)
}

fn row(spec: &'static MethodSpec) -> Row {
    Row {
        name: spec.key,
        title: spec.title,
        about: spec.summary,
        paper: spec.paper,
        experts: spec.experts,
        uses_pet: spec.pet.is_some(),
        settings: spec.settings.iter().map(setting).collect(),
    }
}

fn setting(spec: &SettingSpec) -> SettingRow {
    SettingRow {
        key: spec.key,
        title: spec.title,
        about: spec.meaning,
        default: spec.kind.default(),
        range: spec.kind.range().to_string(),
    }
}

fn listed(methods: &[&MethodSpec]) -> String {
    let mut table = Table::new(&["method", "", "what it does"]);
    for spec in methods {
        table.row([spec.key, spec.title, spec.summary]);
    }
    table.to_string()
}

fn in_full(spec: &MethodSpec) -> String {
    let mut text = format!("{}: {}\n{}\n", spec.title, spec.summary, spec.paper);
    for setting in spec.settings {
        text += &format!(
            "\n  --set {}={}\n      {} ({})\n",
            setting.key,
            setting
                .kind
                .default()
                .map_or_else(String::new, |usual| usual.to_string()),
            setting.meaning,
            setting.kind.range()
        );
    }
    text
}
