//! `data export`: writes a dataset as one file, for Teachable Machine or as an image folder.

use std::path::PathBuf;

use super::StatusLine;
use crate::cli::End;
use crate::cli::output::tell;
use crate::cli::settings::bit_depth;
use crate::counts::counted;
use crate::data::export::packed;
use crate::data::{Dataset, OpenOptions, Watch};
use crate::problem::Result;
use crate::texts::Message;

/// Options of `data export`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// digits, letters, a published dataset, a folder, or an archive
    #[arg(value_name = "DATA")]
    data: String,
    /// The file to write: .tm for a Teachable Machine project (224 × 224 pixels), .zip for an image folder with the
    /// original images
    #[arg(long, value_name = "FILE.tm|FILE.zip")]
    to: PathBuf,
    /// Significant bits of the values in 16-bit images: 12 for most 12-bit cameras
    #[arg(long, value_name = "N", value_parser = bit_depth(), default_value = "16")]
    bit_depth: usize,
}

pub(super) fn run(args: &Args) -> Result<End> {
    let progress = StatusLine::new();
    let step = |doing: Message, done: usize, of: Option<usize>| progress.step(&doing, done, of);
    let watch = Watch::new(&step);
    let options = OpenOptions {
        bit_depth: args.bit_depth,
        ..OpenOptions::default()
    };
    let done = Dataset::open_watched(&args.data, &options, &watch)
        .and_then(|data| packed(&data, &args.to, &watch));
    progress.bar.finish_and_clear();
    let done = done?;
    tell(format_args!(
        "{} of {} written to {}",
        counted(done.pictures, "image"),
        counted(done.classes, "class"),
        args.to.display()
    ));
    if !done.renamed.is_empty() {
        tell(super::renamed(&done.renamed));
    }
    Ok(End::Done)
}
