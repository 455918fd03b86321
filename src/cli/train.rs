//! `train`: one run, or one per class order and seed, with a final table.

use std::path::Path;

use super::CommandOutcome;
use super::output::{print_message, print_problem};
use super::progress::{DeduplicatingSink, Notes, Reporter};
use super::remote::{JobOutcome, PlaceArgs, RemoteConnection, print_detached, require_run_folder};
use super::run_report::{
    RunOutput, print_finished, print_not_started, print_series_finished, print_series_stopped,
    print_stopped,
};
use super::settings::{Settings, no_effect_note};
use super::signals::stop_on_ctrl_c;
use crate::experiment::{self, Outcome, ResourceCache, footprint, presets};
use crate::message;
use crate::method::{find_method, run_title};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Sink};
use crate::run::job::Job;
use crate::session::formatting::format_bytes;
use crate::session::split;
use crate::store::{self, summary_of_orders};

/// Options of `train`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    settings: Settings,
    /// Train N runs with different class orders (the preset's or the natural one first, then random ones) and print
    /// mean ± std; with --seeds, all combinations
    #[arg(long, value_name = "N", help_heading = "Data",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    orders: Option<u64>,
    /// Train N runs with consecutive seeds, starting at --seed, and print mean ± std; with --orders, all combinations
    #[arg(long, value_name = "N", help_heading = "Learning",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    #[command(flatten)]
    at: PlaceArgs,
    #[command(flatten)]
    pub output: RunOutput,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let output = &args.output;
    let root = store::runs_root(output.out.as_deref());
    output.json.check()?;
    if args.orders.is_some() && args.settings.has_order() {
        print_problem(
            &Problem::new("--order and --orders cannot be used together")
                .at("--order, --orders")
                .advise("omit one of them; --orders starts with the natural order"),
        );
        return Ok(CommandOutcome::WrongUsage);
    }
    let control = stop_on_ctrl_c()?;
    let cache = ResourceCache::default();
    let resolved = args.settings.resolve(&root, &cache, &control)?;
    let config = resolved.report(output.quiet);
    let paper = args.settings.paper();
    let configs = presets::repetitions(&config, paper, args.orders, args.seeds);
    let is_series = args.orders.or(args.seeds).is_some();
    let spec = find_method(&config.method)?;
    if args.seeds.is_some_and(|seeds| seeds > 1) && !spec.seeded {
        let why = message!("unused-no-random-numbers", title = spec.title);
        print_message(no_effect_note(&why.to_string(), "--seeds"));
    }
    if args.at.place.is_some() {
        let has_device = args.settings.has_device();
        return train_at_place(&args.at, configs, has_device, is_series, output, &root, &control);
    }
    // All runs are checked first, so that an invalid setting of a later run is reported before the first one starts.
    if configs.len() > 1 && experiment::check_all(&configs, &cache, &control)?.is_none() {
        return Ok(print_not_started());
    }
    warn_other_split(&configs, args.settings.preset.as_deref(), &cache, &control);
    train_each(configs, is_series, output, |config, sink| {
        if !output.quiet {
            print_expected_memory(&config, &cache);
        }
        let outcome = experiment::train(&config, &root, &cache, sink, &control)?;
        Ok(match outcome {
            Outcome::Finished(header) => JobOutcome::Finished(Some(header.folder)),
            Outcome::Stopped(header) => JobOutcome::Stopped(Some(header.folder)),
            Outcome::NotStarted => JobOutcome::Stopped(None),
        })
    })
}

/// Trains on another machine, one run after the other.
fn train_at_place(
    at: &PlaceArgs,
    configs: Vec<RunConfig>,
    has_device: bool,
    is_series: bool,
    output: &RunOutput,
    root: &Path,
    control: &Control,
) -> Result<CommandOutcome> {
    let name = at.place.as_deref().unwrap_or_default();
    let Some(connection) = RemoteConnection::connect(name, root, control)? else {
        return Ok(print_not_started());
    };
    let end = train_each(configs, is_series, output, |mut config, sink| {
        if let Some(device) = connection.place.device.as_ref().filter(|_| !has_device) {
            config.device.clone_from(device);
        }
        let attachments = connection.upload_run_attachments(&mut config, control)?;
        let title = run_title(&config, true);
        let job = Job { own: attachments, ..Job::train(config, title) };
        connection.run_job(job, at.detach, sink, control)
    })?;
    Ok(match end {
        CommandOutcome::Done if at.detach => print_detached(name),
        end => end,
    })
}

/// Trains runs one after the other with `train`, and prints their results.
///
/// # Errors
/// Returns the first error of `train`; the results of the runs before it are printed.
fn train_each(
    configs: Vec<RunConfig>,
    is_series: bool,
    output: &RunOutput,
    mut train: impl FnMut(RunConfig, &mut dyn Sink) -> Result<JobOutcome>,
) -> Result<CommandOutcome> {
    let (mut runs, count) = (Vec::new(), configs.len());
    let mut notes = Notes::default();
    for config in configs {
        let mut reporter = Reporter::new(output.quiet);
        let mut sink = DeduplicatingSink { reporter: &mut reporter, notes: &mut notes };
        let result = train(config, &mut sink).inspect_err(|_| reporter.report_failure());
        drop(reporter);
        if result.is_err() && !runs.is_empty() {
            output.json.print_results(&summary_of_orders(&runs), "")?;
        }
        let stopped_run = match result? {
            JobOutcome::Finished(folder) => {
                runs.push(store::load_run(&require_run_folder(folder)?)?);
                continue;
            }
            JobOutcome::Detached => continue,
            JobOutcome::Stopped(folder) => {
                folder.map(|folder| store::load_run(&folder)).transpose()?
            }
        };
        return match stopped_run {
            stopped_run if is_series => {
                print_series_stopped(&runs, stopped_run.as_ref(), count, output)
            }
            Some(run) => print_stopped(&run, output),
            None => Ok(print_not_started()),
        };
    }
    notes.report_repeats();
    match runs.as_slice() {
        [] => Ok(CommandOutcome::Done),
        [run] if !is_series => print_finished(run, output),
        _ => print_series_finished(&runs, output),
    }
}

/// Warns before an experiment of the paper if its data is split differently. Data that cannot be opened is reported by
/// the training.
pub(super) fn warn_other_split(
    configs: &[RunConfig],
    preset: Option<&str>,
    cache: &ResourceCache,
    control: &Control,
) {
    // The runs differ only in class order and seed.
    let config = configs.first();
    let Some(config) = config.filter(|config| split::is_paper_experiment(config, preset)) else {
        return;
    };
    let data = cache.data(config, &|| control.should_continue());
    let data = data.ok();
    let remark =
        data.and_then(|data| split::comparability_warning(config, preset, &data.as_ref().into()));
    if let Some(words) = remark {
        // Printed even with `--quiet`, because the results are not comparable.
        print_message(format!("note: {words}"));
    }
}

/// Prints the estimated memory of the training, if known.
fn print_expected_memory(config: &RunConfig, cache: &ResourceCache) {
    if let Some(bytes) = footprint::estimate_for_settings(config, cache) {
        let bytes = format_bytes(bytes);
        print_message(format!("needs about {bytes} of memory, in addition to the decoded images"));
    }
}
