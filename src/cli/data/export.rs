//! `data export`: writes a dataset as one file, for Teachable Machine or as an image folder.

use std::path::PathBuf;

use super::StatusLine;
use crate::cli::CommandOutcome;
use crate::cli::output::print_message;
use crate::cli::settings::bit_depth;
use crate::counts::count_with_noun;
use crate::data::export::write_packed;
use crate::data::{Dataset, OpenOptions, ProgressReporter};
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

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let progress = StatusLine::new();
    let step = |activity: Message, done: usize, total: Option<usize>| {
        progress.step(&activity, done, total)
    };
    let watch = ProgressReporter::new(&step);
    let options = OpenOptions { bit_depth: args.bit_depth, ..OpenOptions::default() };
    let exported = Dataset::open_with_progress(&args.data, &options, &watch)
        .and_then(|data| write_packed(&data, &args.to, &watch));
    progress.bar.finish_and_clear();
    let exported = exported?;
    print_message(format_args!(
        "{} of {} written to {}",
        count_with_noun(exported.images, "image"),
        count_with_noun(exported.classes, "class"),
        args.to.display()
    ));
    if !exported.renamed.is_empty() {
        print_message(super::renamed_note(&exported.renamed));
    }
    Ok(CommandOutcome::Done)
}
