//! `serve`: runs the engine as a process for other programs.

use std::path::PathBuf;

use super::CommandOutcome;
use crate::problem::Result;
use crate::{device, serve, store};

/// Options of `serve`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Keep runs in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Connect to the background engine of this folder, which keeps running without a client; start one if needed
    #[arg(long)]
    attach: bool,
    /// Run as the background engine
    #[arg(long, hide = true, conflicts_with = "attach")]
    daemon: bool,
    /// Run at low priority, as the engine of a window does
    #[arg(long)]
    low_priority: bool,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    if args.low_priority {
        device::lower_priority();
    }
    let root = store::runs_root(args.out.as_deref());
    #[cfg(unix)]
    match (args.attach, args.daemon) {
        (true, _) => serve::daemon::attach(&root)?,
        (_, true) => serve::daemon::run(&root)?,
        _ => serve::stdio(&root)?,
    }
    #[cfg(not(unix))]
    match args.attach || args.daemon {
        true => {
            return Err(crate::problem::Problem::new(
                "a background engine is not available on Windows",
            )
            .advise("use the window or `lae-studio train` there"));
        }
        false => serve::stdio(&root)?,
    }
    Ok(CommandOutcome::Done)
}
