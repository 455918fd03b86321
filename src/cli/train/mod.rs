//! `train`: one run, or one per class order and seed, with a closing table.

mod closing;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::End;
use super::at_place::{self, AtPlace};
use super::output::{complain, size, tell};
use super::progress::Reporter;
use super::settings::{Resolved, Settings};
use crate::backbone::library;
use crate::counts::{count_text, counted};
use crate::experiment::{self, Outcome, Stock, footprint, presets};
use crate::method::Chosen;
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Wish};
use crate::session::split;
use crate::store::{self, summary_of_orders};

pub(super) use closing::{
    RunOutput, finished, not_begun, several_finished, several_stopped, stopped,
};

/// Options of `train`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    settings: Settings,
    /// Train N runs that differ in their class order: the preset's, or the natural one, then seeded ones; closes
    /// with mean ± std; crossed with --seeds
    #[arg(long, value_name = "N", help_heading = "Data",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    orders: Option<u64>,
    /// Train each with N seeds that follow each other, from --seed on; closes with mean ± std
    #[arg(long, value_name = "N", help_heading = "Learning",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    #[command(flatten)]
    at: AtPlace,
    #[command(flatten)]
    pub output: RunOutput,
}

/// Trains.
pub(super) fn run(args: &Args) -> Result<End> {
    let output = &args.output;
    let root = store::runs_root(output.out.as_deref());
    output.json.check()?;
    if args.orders.is_some() && args.settings.order_is_given() {
        complain(
            &Problem::new("an order and a number of orders do not go together")
                .at("--order, --orders")
                .advise("leave one of them out; --orders begins with the natural order"),
        );
        return Ok(End::WrongUsage);
    }
    let control = stop_on_ctrl_c()?;
    let stock = Stock::default();
    let Resolved {
        config,
        suited,
        notes,
    } = args.settings.resolve(&root, &stock, &control)?;
    let suited = suited.filter(|_| !output.quiet);
    notes.iter().chain(&suited).for_each(tell);
    let mut runs = Vec::new();
    let paper = args.settings.paper();
    let configs = presets::repetitions(&config, paper, args.orders, args.seeds);
    let (count, several) = (configs.len(), args.orders.or(args.seeds).is_some());
    if args.at.place.is_some() {
        let device_is_given = args.settings.device_is_given();
        return at_place::train(
            &args.at,
            configs,
            device_is_given,
            several,
            output,
            &root,
            &control,
        );
    }
    // Nobody wants to hear after a night that the second run never could have begun.
    if configs.len() > 1 && experiment::check_all(&configs, &stock, &control)?.is_none() {
        return Ok(not_begun());
    }
    tell_other_split(&configs, args.settings.preset.as_deref(), &stock, &control);
    for config in configs {
        if !output.quiet {
            tell_expected(&config);
        }
        let mut reporter = Reporter::new(output.quiet);
        let outcome = experiment::train(&config, &root, &stock, &mut reporter, &control)
            .inspect_err(|_| reporter.failed());
        drop(reporter);
        if outcome.is_err() && !runs.is_empty() {
            // What is finished is worth having whatever became of the rest.
            output.json.give(&summary_of_orders(&runs), "")?;
        }
        let last = match outcome? {
            Outcome::Finished(header) => {
                runs.push(store::load(&header.folder)?);
                continue;
            }
            Outcome::Stopped(header) => Some(store::load(&header.folder)?),
            Outcome::NotBegun => None,
        };
        return match last {
            last if several => several_stopped(&runs, last.as_ref(), count, output),
            Some(run) => stopped(&run, output),
            None => Ok(not_begun()),
        };
    }
    match runs.as_slice() {
        [run] if !several => finished(run, output),
        _ => several_finished(&runs, output),
    }
}

/// Says before an experiment of the paper that its data is split otherwise here. Data that cannot be opened is told of
/// by training itself.
pub(super) fn tell_other_split(
    configs: &[RunConfig],
    preset: Option<&str>,
    stock: &Stock,
    control: &Control,
) {
    // They differ in class order and seed alone.
    let config = configs.first();
    let Some(config) = config.filter(|config| split::is_of_paper(config, preset)) else {
        return;
    };
    let data = stock.data(config, &|| control.wish() != Wish::Stop);
    let remark = data.ok();
    let remark = remark.and_then(|data| split::remark(config, preset, &data.as_ref().into()));
    if let Some(words) = remark {
        // Worth reading even in a quiet run.
        tell(format!("note: {words}"));
    }
}

/// Says how much memory training will take, where that can be told.
fn tell_expected(config: &RunConfig) {
    if let Some(bytes) = expected_bytes(config) {
        let bytes = size(Some(bytes));
        tell(format!(
            "about {bytes} of memory, besides the decoded pictures"
        ));
    }
}

/// The memory training will take; none where the settings are wrong, which training says itself.
pub(super) fn expected_bytes(config: &RunConfig) -> Option<u64> {
    let about = library::describe(&config.backbone).ok()?;
    if !Chosen::of(config).ok()?.trains_pet().ok()? {
        return Some(footprint::expected(config, &about, None));
    }
    let spec = Plugins::standard().get(&config.pet).ok()?;
    let blocks = config.block_list(about.blocks.len()).ok()?;
    spec.fits(&about.blocks, &blocks).ok()?;
    Some(footprint::expected(config, &about, Some((&spec, &blocks))))
}

/// How often it is told how far a look at many pictures is.
const OFTEN: Duration = Duration::from_secs(5);

/// Takes how many pictures of how many are done: tells it now and then, and breaks once Stop is wished.
pub(super) fn step_of(control: &Control) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    let mut told = Instant::now();
    move |done, of| {
        if control.wish() == Wish::Stop {
            return ControlFlow::Break(());
        }
        if told.elapsed() >= OFTEN {
            told = Instant::now();
            let of = counted(of, "picture");
            tell(format!("{} of {of}", count_text(done)));
        }
        ControlFlow::Continue(())
    }
}

/// A control that Ctrl-C sets to Stop, and a signal to end, too; a second Ctrl-C ends the program at once.
pub(super) fn stop_on_ctrl_c() -> Result<Control> {
    stop_on_signals(true)
}

/// The same; without `says` it is left to another program to say so.
pub(super) fn stop_on_signals(says: bool) -> Result<Control> {
    let control = Control::default();
    let hand = control.clone();
    let stop = move || {
        if hand.wish() == Wish::Stop {
            std::process::exit(130);
        }
        hand.set(Wish::Stop);
        if says {
            tell("stopping after this batch; press Ctrl-C again to end at once");
        }
    };
    stop_when_told_to_end(&control)?;
    ctrlc::set_handler(stop)
        .map_err(|error| Problem::new(format!("Ctrl-C cannot be handled: {error}")))?;
    Ok(control)
}

/// The same where a scheduler or the system ends the program: what it ends it tells so, and kills it a moment later.
#[cfg(unix)]
fn stop_when_told_to_end(control: &Control) -> Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::SIGTERM;

    let told = |error| Problem::new(format!("a signal to end cannot be handled: {error}"));
    // A flag that is looked at: the crate's other ways ask the system about sockets, and a program that needs no net
    // has nothing to do with them.
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, flag.clone()).map_err(told)?;
    let hand = control.clone();
    let wait = move || {
        while !flag.load(Ordering::Relaxed) {
            std::thread::sleep(TOLD);
        }
        hand.set(Wish::Stop);
        tell("told to end: stopping after this batch");
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).map(drop).map_err(told)
}

/// How often it is looked whether the program was told to end.
#[cfg(unix)]
const TOLD: Duration = Duration::from_millis(50);

#[cfg(not(unix))]
fn stop_when_told_to_end(_: &Control) -> Result<()> {
    Ok(())
}
