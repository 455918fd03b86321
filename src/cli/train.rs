//! `train`: one run, or one per class order and seed, with a final table.

use std::path::Path;

use super::End;
use super::output::{complain, size, tell};
use super::progress::{Notes, OneOfSeveral, Reporter};
use super::remote::{AtPlace, JobEnd, RemoteConnection, begun, left};
use super::run_report::{
    RunOutput, finished, not_begun, several_finished, several_stopped, stopped,
};
use super::settings::{Settings, without_effect};
use super::signals::stop_on_ctrl_c;
use crate::experiment::{self, Outcome, ResourceCache, footprint, presets};
use crate::message;
use crate::method::{named_method, run_title};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, ControlRequest, Sink};
use crate::run::job::Job;
use crate::session::split;
use crate::store::{self, summary_of_orders};

/// Options of `train`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    settings: Settings,
    /// Train N runs with different class orders: the preset's or the natural one first, then random ones; end with
    /// mean ± std; with --seeds, every combination
    #[arg(long, value_name = "N", help_heading = "Data",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    orders: Option<u64>,
    /// Train N runs with consecutive seeds, starting at --seed; end with mean ± std; with --orders, every combination
    #[arg(long, value_name = "N", help_heading = "Learning",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    #[command(flatten)]
    at: AtPlace,
    #[command(flatten)]
    pub output: RunOutput,
}

pub(super) fn run(args: &Args) -> Result<End> {
    let output = &args.output;
    let root = store::runs_root(output.out.as_deref());
    output.json.check()?;
    if args.orders.is_some() && args.settings.order_is_given() {
        complain(
            &Problem::new("--order and --orders cannot be used together")
                .at("--order, --orders")
                .advise("omit one of them; --orders starts with the natural order"),
        );
        return Ok(End::WrongUsage);
    }
    let control = stop_on_ctrl_c()?;
    let cache = ResourceCache::default();
    let resolved = args.settings.resolve(&root, &cache, &control)?;
    let config = resolved.report(output.quiet);
    let paper = args.settings.paper();
    let configs = presets::repetitions(&config, paper, args.orders, args.seeds);
    let several = args.orders.or(args.seeds).is_some();
    let spec = named_method(&config.method)?;
    if args.seeds.is_some_and(|seeds| seeds > 1) && !spec.seeded {
        let why = message!("idle-no-random-numbers", title = spec.title);
        tell(without_effect(&why.to_string(), "--seeds"));
    }
    if args.at.place.is_some() {
        let device_is_given = args.settings.device_is_given();
        return train_at_place(
            &args.at,
            configs,
            device_is_given,
            several,
            output,
            &root,
            &control,
        );
    }
    // Checked before, so that a user does not learn the next morning that the second run could never start.
    if configs.len() > 1 && experiment::check_all(&configs, &cache, &control)?.is_none() {
        return Ok(not_begun());
    }
    warn_other_split(&configs, args.settings.preset.as_deref(), &cache, &control);
    train_each(configs, several, output, |config, sink| {
        if !output.quiet {
            print_expected_time(&config, &cache);
        }
        let outcome = experiment::train(&config, &root, &cache, sink, &control)?;
        Ok(match outcome {
            Outcome::Finished(header) => JobEnd::Finished(Some(header.folder)),
            Outcome::Stopped(header) => JobEnd::Stopped(Some(header.folder)),
            Outcome::NotBegun => JobEnd::Stopped(None),
        })
    })
}

/// Trains on another machine, one run after the other.
fn train_at_place(
    at: &AtPlace,
    configs: Vec<RunConfig>,
    device_is_given: bool,
    several: bool,
    output: &RunOutput,
    root: &Path,
    control: &Control,
) -> Result<End> {
    let name = at.place.as_deref().unwrap_or_default();
    let Some(there) = RemoteConnection::reach(name, root, control)? else {
        return Ok(not_begun());
    };
    let end = train_each(configs, several, output, |mut config, sink| {
        if let Some(device) = there.place.device.as_ref().filter(|_| !device_is_given) {
            config.device.clone_from(device);
        }
        let own = there.own(&mut config, control)?;
        let title = run_title(&config, true);
        let job = Job {
            own,
            ..Job::train(config, title)
        };
        there.work(job, at.detach, sink, control)
    })?;
    Ok(match end {
        End::Done if at.detach => left(name),
        end => end,
    })
}

/// Trains runs one after the other with `train`, and prints their results.
///
/// # Errors
/// Returns the first error of `train`; the results of the runs before it are printed.
fn train_each(
    configs: Vec<RunConfig>,
    several: bool,
    output: &RunOutput,
    mut train: impl FnMut(RunConfig, &mut dyn Sink) -> Result<JobEnd>,
) -> Result<End> {
    let (mut runs, count) = (Vec::new(), configs.len());
    let mut notes = Notes::default();
    for config in configs {
        let mut reporter = Reporter::new(output.quiet);
        let mut sink = OneOfSeveral {
            reporter: &mut reporter,
            notes: &mut notes,
        };
        let ended = train(config, &mut sink).inspect_err(|_| reporter.failed());
        drop(reporter);
        if ended.is_err() && !runs.is_empty() {
            output.json.print_results(&summary_of_orders(&runs), "")?;
        }
        let last = match ended? {
            JobEnd::Finished(folder) => {
                runs.push(store::load(&begun(folder)?)?);
                continue;
            }
            JobEnd::Left => continue,
            JobEnd::Stopped(folder) => folder.map(|folder| store::load(&folder)).transpose()?,
        };
        return match last {
            last if several => several_stopped(&runs, last.as_ref(), count, output),
            Some(run) => stopped(&run, output),
            None => Ok(not_begun()),
        };
    }
    notes.close();
    match runs.as_slice() {
        [] => Ok(End::Done),
        [run] if !several => finished(run, output),
        _ => several_finished(&runs, output),
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
    let Some(config) = config.filter(|config| split::is_of_paper(config, preset)) else {
        return;
    };
    let data = cache.data(config, &|| control.request() != ControlRequest::Stop);
    let remark = data.ok();
    let remark = remark.and_then(|data| split::remark(config, preset, &data.as_ref().into()));
    if let Some(words) = remark {
        // Printed even with `--quiet`, because the results are not comparable.
        tell(format!("note: {words}"));
    }
}

/// Prints the estimated memory of the training, if known.
fn print_expected_time(config: &RunConfig, cache: &ResourceCache) {
    if let Some(bytes) = footprint::of_settings(config, cache) {
        let bytes = size(Some(bytes));
        tell(format!(
            "needs about {bytes} of memory, in addition to the decoded images"
        ));
    }
}
