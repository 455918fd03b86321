//! `pack` and `unpack`: a run without its data as one file, and back.

use std::path::PathBuf;

use super::End;
use super::output::{size, tell};
use crate::problem::{Problem, Result};
use crate::store::{self, PACKED_ENDING};

/// Options of `pack`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run: its folder, its name (or the start of it), or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// The file to write [default: NAME.laerun.zip here]
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

/// Packs.
pub(super) fn run(args: &Args) -> Result<End> {
    let folder = store::find(&store::runs_root(args.out.as_deref()), &args.run)?;
    let file = args.file.clone().unwrap_or_else(|| {
        let name = store::run_name(&folder);
        PathBuf::from(format!("{name}{PACKED_ENDING}"))
    });
    if !store::is_packed(&file) {
        return Err(
            Problem::new("the name of a packed run tells that it is one")
                .at_path(&file)
                .advise(format!("let it end with {PACKED_ENDING}")),
        );
    }
    let packed = store::pack(&folder, &file)?;
    tell(format!(
        "{} holds {} files of the run, {}; it has no pictures and no paths, but names of classes and what was said of the run",
        file.display(),
        packed.files,
        size(Some(packed.bytes)),
    ));
    if packed.left_pictures {
        tell(
            "the pictures of its added tasks stay here: unpacked, it answers, but learns no further task",
        );
    }
    Ok(End::Done)
}

/// Unpacks.
pub(super) fn unpack(args: &UnpackArgs) -> Result<End> {
    let root = store::runs_root(args.out.as_deref());
    let unpacked = store::unpack(&args.file, &root)?;
    tell(format!("the run is in {}", unpacked.folder.display()));
    if let Some(other) = unpacked.repeats {
        tell(format!(
            "it repeats {other}: the same experiment, begun at another time"
        ));
    }
    Ok(End::Done)
}
