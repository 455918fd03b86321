//! The command line: one file per subcommand, with the same functions as the window.
//!
//! Only results are written to stdout; progress, remarks and Problems are written to stderr. Exit codes: 0 success, 1 a
//! Problem, 2 wrong usage, 130 stopped by Ctrl-C with the run saved.

mod bench;
mod check;
mod data;
mod delete;
mod devices;
mod export;
mod features;
mod glossary;
mod golden;
mod grid;
mod inside;
mod lesson;
mod log;
mod methods;
mod name;
mod output;
mod pack;
mod places;
mod plugins;
mod predict;
mod predict_folder;
mod presets;
mod progress;
mod remote;
mod report;
mod resume;
mod run_args;
mod run_report;
mod runs;
mod selftest;
mod serve;
mod settings;
mod signals;
mod teach;
mod train;
mod trial;
mod window;
mod worst;

use std::any::Any;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::logging::{self, Level};
use crate::problem::{Problem, Result};
use crate::tensors::{device_problem, is_device_lost};
use crate::{folders, ui};

/// Class-incremental continual learning with pre-trained models: Learning, Accumulation, Ensemble.
///
/// Without a subcommand, the window opens.
#[derive(Parser)]
#[command(args_override_self = true, name = "lae-studio", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Keep runs in this folder (for the window; subcommands have this option too)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Open the window with this dataset
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    data: Option<Option<PathBuf>>,
    /// Keep settings, runs and downloads in a folder next to the program
    #[arg(long, global = true)]
    portable: bool,
    /// Show frame times at the bottom of the window, and print them when it closes
    #[arg(long)]
    frame_times: bool,
    /// Where the window's engine runs: in a thread or in a separate process [default: process]; with a place from
    /// `lae-studio places`, new runs are trained there
    #[arg(long, value_name = "thread|process|PLACE")]
    engine: Option<String>,
    /// Display server on Linux; auto prefers X to Wayland [default: LAE_DISPLAY, else auto]. With Wayland,
    /// files cannot be dropped on the window; with X, it may look blurred on a scaled desktop
    #[cfg(all(unix, not(target_os = "macos")))]
    #[arg(long, value_name = "DISPLAY", value_parser = window::displays())]
    display: Option<ui::display::DisplayChoice>,
    /// Print the positions of the window's elements to standard error, for scripts
    #[arg(long, hide = true)]
    places: bool,
    /// Log level: off, error, warn, info or debug [default: the window's setting, else info]
    #[arg(long, global = true, value_name = "LEVEL", value_parser = log::levels(), help_heading = "Output")]
    log: Option<Level>,
}

#[derive(Subcommand)]
enum Command {
    /// Train a new run
    Train(Box<train::Args>),
    /// Compare methods, or backbones, on a dataset in about a minute, using only its training images
    #[command(name = "try")]
    Try(Box<trial::Args>),
    /// Run a grid of settings from a file, such as a table of the paper, or list the available grids
    Grid(grid::Args),
    /// Resume a stopped or killed run
    Resume(resume::Args),
    /// Teach a finished run new classes, or undo its last added task
    Teach(teach::Args),
    /// Classify images with a run
    Predict(predict::Args),
    /// Look inside a run: features, energies, attention, movement of its PETs
    Inside(inside::Args),
    /// List the test images a run misclassified, most confident mistakes first
    Worst(worst::Args),
    /// List the lessons, print one, or run it without the window
    Lesson(lesson::Args),
    /// Print the glossary, or only the terms that contain the given words
    Glossary(glossary::Args),
    /// List runs, or export tables and figures of them
    Runs(runs::Args),
    /// Give a run a name, tags and a note, or show them
    Name(name::Args),
    /// Move runs to the trash, or delete them from it permanently
    Delete(delete::Args),
    /// Restore deleted runs, or list them
    Restore(delete::RestoreArgs),
    /// Export a run's model for other programs, such as Python with PyTorch
    Export(export::Args),
    /// Pack a run without its data into one file that others can open and check
    Pack(pack::Args),
    /// Unpack a packed run into the folder of runs
    Unpack(pack::UnpackArgs),
    /// Verify a run or a packed run: its files and predictions, and with --train its training
    Check(check::Args),
    /// List remote machines that train runs, and check their connection
    Places(places::Args),
    /// Run as the engine of another program, which sends commands and gets events over standard input and output
    Serve(serve::Args),
    /// List the devices of this machine
    Devices(devices::Args),
    /// List the methods, or the settings of one
    Methods(methods::Args),
    /// List the PET plugins
    Plugins(plugins::Args),
    /// Show the contents of a dataset
    Data(data::Args),
    /// List the presets: the demos and the paper's experiments
    Presets(presets::Args),
    /// Collect versions, settings and the log in one file, to report a problem
    Report(report::Args),
    /// Check the program against files with reference tensors
    #[command(hide = true)]
    Golden(golden::Args),
    /// Measure training and prediction speed
    Bench(bench::Args),
    /// Write the network's features of images
    #[command(hide = true)]
    Features(features::Args),
    /// List the devices as JSON (used by the program in a child process)
    #[command(hide = true)]
    GpuList,
    /// Test one GPU against the CPU (used by the program in a child process)
    #[command(hide = true)]
    GpuSelftest(selftest::Args),
}

impl Cli {
    /// Parses the arguments; also returns the folder of runs that they give. The window's options are allowed only
    /// without a subcommand, `--portable` always.
    fn parse_args() -> std::result::Result<(Self, Option<PathBuf>), clap::Error> {
        let mut matches = Self::command().try_get_matches()?;
        let active_matches = matches.subcommand().map_or(&matches, |(_, sub_matches)| sub_matches);
        let out = active_matches.try_get_one::<PathBuf>("out").ok().flatten().cloned();
        let cli = Self::from_arg_matches_mut(&mut matches)
            .map_err(|error| error.format(&mut Self::command()))?;
        let window_options = [
            ("--out", cli.out.is_some()),
            ("--data", cli.data.is_some()),
            ("--frame-times", cli.frame_times),
            ("--engine", cli.engine.is_some()),
            #[cfg(all(unix, not(target_os = "macos")))]
            ("--display", cli.display.is_some()),
            ("--places", cli.places),
        ];
        let used_option = window_options.iter().find(|(_, is_set)| *is_set);
        if let (Some((option, _)), Some(_)) = (used_option, &cli.command) {
            let message = format!(
                "'{option}' before a subcommand applies to the window; put it after the subcommand"
            );
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        Ok((cli, out))
    }
}

/// How a subcommand ended, if not with a Problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandOutcome {
    /// It succeeded.
    Done,
    /// It completed with a negative result, which was reported.
    Failed,
    /// The combination of options is not allowed; it was reported.
    WrongUsage,
    /// Stopped by Ctrl-C; the run is saved.
    Stopped,
}

impl CommandOutcome {
    /// Returns the end of a subcommand with this result.
    fn from_success(succeeded: bool) -> Self {
        match succeeded {
            true => Self::Done,
            false => Self::Failed,
        }
    }

    fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::WrongUsage => 2,
            Self::Stopped => 130,
        }
    }
}

/// Parses the arguments and runs the subcommand, or opens the window without one; returns the exit code.
pub fn run() -> ExitCode {
    let started = Instant::now();
    crate::device::end_with_parent();
    let (cli, out) = match Cli::parse_args() {
        Ok(read) => read,
        Err(error) => {
            // A closed output is not an error.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    // A child process queries the drivers itself.
    let child = matches!(&cli.command, Some(Command::GpuList | Command::GpuSelftest(_)));
    if let Ok(program) = std::env::current_exe()
        && !child
    {
        crate::device::set_program(program);
    }
    let for_window = cli.command.is_none();
    let folder_result = folders::init(cli.portable);
    if !child && folder_result.is_ok() {
        log::start(&cli, out.as_deref());
    }
    let result = catch_unwind(|| {
        folder_result?;
        let Some(command) = cli.command else {
            return window::run(cli, started);
        };
        run_command(command)
    });
    let code = match result.unwrap_or_else(|panic| Err(internal_error(panic.as_ref()))) {
        Ok(end) => end.exit_code(),
        Err(problem) => {
            output::print_problem(&problem);
            if for_window {
                ui::show_error_dialog(&problem);
            }
            1
        }
    };
    tracing::info!(code, "the program ends");
    logging::finish();
    ExitCode::from(code)
}

/// Returns the Problem of a panic, which has already printed its own message.
fn internal_error(panic: &(dyn Any + Send)) -> Problem {
    let text = panic.downcast_ref::<String>().map_or("", String::as_str);
    if is_device_lost(&text.to_lowercase()) {
        return device_problem(text, None);
    }
    Problem::new("the program ended because of an internal error; see the message above")
        .advise("resume an interrupted run with `lae-studio resume latest`")
}

fn run_command(command: Command) -> Result<CommandOutcome> {
    match command {
        Command::Train(args) => train::run(&args),
        Command::Try(args) => trial::run(&args),
        Command::Grid(args) => grid::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::Teach(args) => teach::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Inside(args) => inside::run(&args),
        Command::Worst(args) => worst::run(&args),
        Command::Lesson(args) => lesson::run(&args),
        Command::Glossary(args) => glossary::run(&args),
        Command::Runs(args) => runs::run(&args),
        Command::Name(args) => name::run(&args),
        Command::Delete(args) => delete::run(&args),
        Command::Restore(args) => delete::restore(&args),
        Command::Export(args) => export::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Unpack(args) => pack::unpack(&args),
        Command::Check(args) => check::run(&args),
        Command::Places(args) => places::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Plugins(args) => plugins::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Presets(args) => presets::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Golden(args) => golden::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Features(args) => features::run(&args),
        Command::GpuList => selftest::list_devices(),
        Command::GpuSelftest(args) => selftest::run(&args),
    }
}
