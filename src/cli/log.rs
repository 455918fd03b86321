//! The log of a subcommand: its place, its level and its first entries.

use std::path::Path;

use clap::builder::TypedValueParser;

use super::settings::keyed;
use super::{Cli, Command};
use crate::logging::{self, Level};
use crate::session::bug_report;
use crate::store;
use crate::ui::settings::Settings;

/// Environment variable with the log level, used without `--log`.
const VARIABLE: &str = "LAE_LOG";

/// Returns the parser of `--log`.
pub(super) fn levels() -> impl TypedValueParser<Value = Level> {
    keyed(Level::ALL.map(|(level, key, _)| (level, key)))
}

/// Starts the log beside the runs in `out`. The window and subcommands that create runs create its folder; others only
/// use an existing one.
pub(super) fn start(cli: &Cli, out: Option<&Path>) {
    let level = cli.log.unwrap_or_else(default_level);
    let makes_runs = matches!(&cli.command, None | Some(Command::Train(_) | Command::Serve(_)));
    logging::init(&store::runs_root(out), makes_runs, level);
    // Arguments may not be valid Unicode.
    let arguments = std::env::args_os().skip(1);
    let (name, options) =
        summarise_arguments(arguments.map(|argument| argument.to_string_lossy().into_owned()));
    tracing::info!("{} was started: {name} {options}", bug_report::program_description());
    for (what, value) in bug_report::machine_details() {
        tracing::info!("{what}: {value}");
    }
}

/// Returns the log level of the environment, otherwise that of the window's settings.
fn default_level() -> Level {
    let name = std::env::var(VARIABLE).ok();
    name.and_then(|name| Level::from_name(&name))
        .unwrap_or_else(|| Settings::load(Settings::file().as_ref()).log)
}

/// Returns the subcommand, and the names of its options without their values.
fn summarise_arguments(mut arguments: impl Iterator<Item = String>) -> (String, String) {
    let first = arguments.next().unwrap_or_default();
    let is_subcommand = !first.is_empty() && first.chars().all(|c| c.is_ascii_lowercase());
    let name = if is_subcommand { first.clone() } else { "window".into() };
    let candidates = [first].into_iter().filter(|_| !is_subcommand).chain(arguments);
    let options = candidates.filter(|word| word.starts_with('-') && !Path::new(word).exists());
    let options = options.map(|word| word.split('=').next().unwrap_or_default().to_string());
    (name, options.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argument_summary_omits_option_values() {
        let summarise = |line: &str| summarise_arguments(line.split(' ').map(str::to_string));
        let (name, options) = summarise("train --data /home/ada/birds --seed=7 --quiet");
        assert_eq!((name.as_str(), options.as_str()), ("train", "--data --seed --quiet"));
        assert_eq!(summarise("--out my/runs").0, "window");
        assert_eq!(summarise_arguments(std::iter::empty()), ("window".into(), String::new()));
    }
}
