//! `train`: one run, or one per class order and seed, with a closing table.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::End;
use super::output::{Json, Table, complain, duration, percent, size, tell};
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
use crate::session::words::as_they_came;
use crate::session::{advice, split};
use crate::store::mean_and_spread;
use crate::store::{self, Figures, OrdersSummary, StoredRun, Summary, summary, summary_of_orders};

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
    pub output: RunOutput,
}

/// Where a run and its results go.
#[derive(clap::Args)]
pub(super) struct RunOutput {
    /// Keep runs in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
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
    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Signals;

    let told = |error| Problem::new(format!("a signal to end cannot be handled: {error}"));
    let mut signals = Signals::new([SIGTERM]).map_err(told)?;
    let hand = control.clone();
    let wait = move || {
        for _ in signals.forever() {
            hand.set(Wish::Stop);
            tell("told to end: stopping after this batch");
        }
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).map(drop).map_err(told)
}

#[cfg(not(unix))]
fn stop_when_told_to_end(_: &Control) -> Result<()> {
    Ok(())
}

/// Gives the results of a stopped run and says how to go on.
pub(super) fn stopped(run: &StoredRun, output: &RunOutput) -> Result<End> {
    output.json.give(&summary(run), "")?;
    let folder = run.header.folder.display();
    tell(format!(
        "stopped and saved; to continue: lae-studio resume {folder}"
    ));
    Ok(End::Stopped)
}

/// Says that nothing was done.
pub(super) fn not_begun() -> End {
    tell("stopped before the run had begun; nothing was changed");
    End::Stopped
}

/// Gives the results of several class orders and seeds of which the `last` was stopped, if it had begun: mean
/// and spread are those of the finished ones.
fn several_stopped(
    finished: &[StoredRun],
    last: Option<&StoredRun>,
    count: usize,
    output: &RunOutput,
) -> Result<End> {
    let mut orders = summary_of_orders(finished);
    orders.runs.extend(last.map(summary));
    output.json.give(&orders, "")?;
    let done = finished.len();
    let all = counted(count, "run");
    tell(format!("stopped after {done} of {all}"));
    if let Some(run) = last {
        let folder = run.header.folder.display();
        tell(format!(
            "to continue the one at work: lae-studio resume {folder}"
        ));
    }
    tell("to train those that had not begun, give each by --order and --seed");
    Ok(End::Stopped)
}

/// Gives the results of a finished run.
pub(super) fn finished(run: &StoredRun, output: &RunOutput) -> Result<End> {
    let summary = summary(run);
    let mut table = closing_table(run.header.tasks.len());
    for &expert in &summary.experts {
        let figures = summary.figures.of(expert).map(percent);
        table.row([expert.name().to_string()].into_iter().chain(figures));
    }
    let text = format!(
        "{table}{}{}{}{}{}{}{} in {}, {:.0} images/s while training\n",
        task_given(&summary.figures),
        prompt_selection(&summary),
        on_validation(run),
        by_corrected_labels(run),
        left_out(summary.unreadable_images),
        better_backbone(run),
        run.header.run,
        duration(summary.seconds),
        summary.images_per_second,
    );
    output.json.give(&summary, &text)?;
    Ok(End::Done)
}

/// Another backbone, where a figure says that it would help.
fn better_backbone(run: &StoredRun) -> String {
    let advice = advice::better_backbone(&run.header, &run.reports);
    advice.map_or_else(String::new, |text| {
        format!("{text} Try --backbone {}\n", advice::BACKBONE)
    })
}

/// How many images the figures lack; empty for none.
fn left_out(images: usize) -> String {
    match images {
        0 => String::new(),
        1 => "1 image could not be read and was left out\n".into(),
        n => format!("{n} images could not be read and were left out\n"),
    }
}

/// The accuracy of the easier question, named so that nobody takes it for A_N.
fn task_given(figures: &Figures) -> String {
    figures
        .final_accuracy_task_given
        .map_or_else(String::new, |accuracy| {
            format!(
                "with the task of each image given (not class-incremental): {}\n",
                percent(Some(accuracy))
            )
        })
}

/// How often images chose the prompts of their own task; empty where that was not studied.
fn prompt_selection(summary: &Summary) -> String {
    summary
        .prompt_study
        .as_ref()
        .map_or_else(String::new, |study| {
            let each: Vec<String> = study.selection.iter().map(|s| format!("{s:.0}")).collect();
            format!(
                "images that chose the prompts of their task, after each task: {} %\n",
                each.join(", ")
            )
        })
}

/// A line that keeps validation figures from being taken for test figures; empty for these.
fn on_validation(run: &StoredRun) -> String {
    let config = &run.header.config;
    if config.validation_share == 0.0 {
        return String::new();
    }
    format!(
        "measured on validation images ({} % of the training images, left out of training), not on test images\n",
        config.validation_share * 100.0
    )
}

/// What is right by the labels as they came, where some were corrected; empty where none were.
fn by_corrected_labels(run: &StoredRun) -> String {
    let words = as_they_came(&run.header, &run.reports);
    words.map_or_else(String::new, |words| format!("{words}\n"))
}

/// The closing table, still without rows.
fn closing_table(tasks: usize) -> Table {
    let titles = ["A", "Ā", "F"].map(|figure| format!(">{figure}_{tasks}"));
    let [a, mean, forgetting] = titles.each_ref().map(String::as_str);
    Table::new(&["", a, mean, forgetting])
}

/// Gives the results of several class orders and seeds.
fn several_finished(runs: &[StoredRun], output: &RunOutput) -> Result<End> {
    let orders = summary_of_orders(runs);
    let tasks = runs.first().map_or(0, |run| run.header.tasks.len());
    let mut table = closing_table(tasks);
    let experts = runs.first().map(|run| run.header.method.experts.clone());
    for expert in experts.unwrap_or_default() {
        let cell = |i: usize| mean_and_spread(&orders, |f| f.of(expert)[i], " ± ");
        let cells = [0, 1, 2].map(cell);
        table.row([expert.name().to_string()].into_iter().chain(cells));
    }
    let text = format!(
        "{}{table}{}{}{}",
        per_order(&orders),
        task_given(&orders.mean),
        runs.first().map_or_else(String::new, on_validation),
        closing(&orders)
    );
    output.json.give(&orders, &text)?;
    Ok(End::Done)
}

/// One row per class order and seed: what the run answers with.
fn per_order(orders: &OrdersSummary) -> String {
    let classes = orders.runs.first().map_or(0, |run| run.class_order.len());
    let mut table = Table::new(&["class order", ">seed", ">A_N", ">Ā_N", ">F_N", "run"]);
    for run in &orders.runs {
        let figures = run.figures.of_answer().map(percent);
        let config = &run.config;
        let cells = [config.order.clone(), config.seed.to_string()];
        table.row(cells.into_iter().chain(figures).chain([run.run.clone()]));
    }
    let different = |of: fn(&RunConfig) -> String| {
        let all = orders.runs.iter().map(|run| of(&run.config));
        all.collect::<BTreeSet<String>>().len()
    };
    format!(
        "{table}{}, {}, {}, mean ± std:\n",
        counted(classes, "class"),
        counted(different(|config| config.order.clone()), "class order"),
        counted(different(|config| config.seed.to_string()), "seed"),
    )
}

fn closing(orders: &OrdersSummary) -> String {
    let seconds: f64 = orders.runs.iter().map(|run| run.seconds).sum();
    let runs = counted(orders.runs.len(), "run");
    format!("{runs} in {}\n", duration(seconds))
}
