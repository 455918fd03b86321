//! `pack` and `unpack`: packs a run without its data into one file, and unpacks it.

use std::path::PathBuf;

use super::CommandOutcome;
use super::output::print_message;
use crate::problem::{Problem, Result};
use crate::session::formatting::format_bytes;
use crate::store::{self, PACKED_EXTENSION};

/// Options of `pack`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// File to write [default: NAME.laerun.zip in the current folder]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Look for the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

/// Options of `unpack`.
#[derive(clap::Args)]
pub(super) struct UnpackArgs {
    /// The packed run
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Keep the run in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let folder = store::find_run(&store::runs_root(args.out.as_deref()), &args.run)?;
    let file = args.file.clone().unwrap_or_else(|| {
        let name = store::run_name(&folder);
        PathBuf::from(format!("{name}{PACKED_EXTENSION}"))
    });
    if !store::is_packed(&file) {
        return Err(Problem::new(format!("the file name does not end with {PACKED_EXTENSION}"))
            .at_path(&file)
            .advise(format!("give a name that ends with {PACKED_EXTENSION}")));
    }
    let packed = store::pack(&folder, &file)?;
    print_message(format!(
        "{} contains {} files of the run, {}; it includes class names and the run's name, tags and note, but no images and no paths",
        file.display(),
        packed.files,
        format_bytes(packed.bytes),
    ));
    if packed.omitted_images {
        print_message(
            "the images of added tasks are not included: the unpacked run can classify images, but cannot learn further tasks",
        );
    }
    Ok(CommandOutcome::Done)
}

pub(super) fn unpack(args: &UnpackArgs) -> Result<CommandOutcome> {
    let root = store::runs_root(args.out.as_deref());
    let unpacked = store::unpack(&args.file, &root)?;
    print_message(format!("the run is in {}", unpacked.folder.display()));
    if let Some(other) = unpacked.repeats {
        print_message(format!("it has the same experiment as {other}, started at another time"));
    }
    Ok(CommandOutcome::Done)
}
