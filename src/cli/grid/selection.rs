//! Selects the requested runs of a grid.

use std::ops::RangeInclusive;

use super::super::output::print_message;
use super::Args;
use crate::counts::format_count;
use crate::experiment::grid::{Cells, GridPlan};
use crate::method::METHODS;
use crate::names::with_suggestion;
use crate::problem::{Problem, Result};
use crate::run::config::{self, SETTINGS};

/// Parses a shard such as `2/8`.
pub(super) fn shard(text: &str) -> std::result::Result<(usize, usize), String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parts.filter(|(index, count): &(usize, usize)| (1..=*count).contains(index)).ok_or_else(|| {
        "give two whole numbers such as 2/8, the first between 1 and the second".into()
    })
}

/// Ranges of run numbers, from 1.
#[derive(Clone, Debug)]
pub(super) struct RunNumbers(Vec<RangeInclusive<usize>>);

/// Parses run numbers such as `3,5-7`.
pub(super) fn numbers(text: &str) -> std::result::Result<RunNumbers, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (1..=last).contains(&first).then_some(first..=last)
    };
    let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
    let wanted = "give whole numbers from 1, such as 3,5-7, as shown by --list";
    ranges.map(RunNumbers).ok_or_else(|| wanted.into())
}

/// Parses texts of the form `KEY=VALUE`.
pub(super) fn parse_pairs(texts: &[String], option: &str) -> Result<Vec<(String, String)>> {
    let pair = |text: &String| {
        let parts = text.split_once('=');
        let parts = parts.map(|(key, value)| (key.trim(), value.trim().to_string()));
        match (parts.filter(|(key, _)| !key.is_empty()), option) {
            // Names of datasets may contain dashes.
            (Some((key, value)), "--data") => Ok((key.to_string(), value)),
            (Some((key, value)), _) => Ok((key.replace('-', "_"), value)),
            (None, _) => {
                let problem = Problem::new(format!("`{text}` has no value")).at(option);
                Err(problem.advise(match option {
                    "--data" => "write it as NAME=PATH, for example imagenet-r=/data/imagenet-r",
                    _ => "write it as KEY=VALUE, for example method=lae",
                }))
            }
        }
    };
    texts.iter().map(pair).collect()
}

/// Checks that `--only` names an existing setting, or `row`.
pub(super) fn check_setting_key(key: &str) -> Result<()> {
    let method_settings = || METHODS.iter().flat_map(|method| method.settings);
    if key == "row"
        || config::setting(key).is_some()
        || method_settings().any(|spec| spec.key == key)
    {
        return Ok(());
    }
    let all = SETTINGS.iter().map(|setting| setting.spec.key);
    let all = all.chain(method_settings().map(|spec| spec.key)).chain(["row"]);
    let problem = Problem::new(format!("there is no setting `{key}`")).at("--only");
    Err(with_suggestion(problem, key, all))
}

/// Reports each name in `--data` that no run of the grid uses. This is not an error, because the same option may be
/// given to every grid.
pub(super) fn report_unused_data(data: &[(String, String)], cells: &Cells) {
    for (name, _) in data {
        // If a name is given twice, only the first path counts.
        let mut paths = data.iter().filter(|(other, _)| other == name).map(|(_, path)| path);
        let is_used = paths.any(|path| cells.cells.iter().any(|cell| cell.config.data == *path));
        if !is_used {
            print_message(format!(
                "note: no run of this grid uses the data `{name}`, so --data {name}=… has no effect"
            ));
        }
    }
}

/// Returns the requested cells in the order in which they run.
pub(super) fn select_cells(
    plan: &GridPlan,
    args: &Args,
    only: &[(String, String)],
) -> Result<Vec<usize>> {
    let mut cells = plan.execution_order();
    if let Some(RunNumbers(ranges)) = &args.cells {
        cells.retain(|cell| ranges.iter().any(|range| range.contains(&(cell + 1))));
        if cells.is_empty() {
            let count = format_count(plan.cells.cells.len());
            let problem = Problem::new("this grid has no run with such a number").at("--cells");
            return Err(problem.advise(format!("give numbers from 1 to {count}")));
        }
    }
    cells.retain(|cell| {
        let is_match = |(key, _): &(String, String)| {
            let mut values = only.iter().filter(|(name, _)| name == key);
            values.any(|(_, value)| plan.matches_filter(*cell, key, value))
        };
        only.iter().all(is_match)
    });
    if cells.is_empty() {
        let conditions: Vec<String> =
            only.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let what = format!("no run of this grid has {}", conditions.join(" and "));
        let remedy = "run `lae-studio grid NAME --list` to see all runs";
        return Err(Problem::new(what).at("--only").advise(remedy));
    }
    let shard = args.shard;
    cells.retain(|cell| shard.is_none_or(|(index, count)| cell % count == index - 1));
    Ok(cells)
}
