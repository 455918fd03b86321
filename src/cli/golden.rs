//! `golden`: checks the program against files of reference tensors, one line per file.

use std::path::{Path, PathBuf};

use burn::tensor::DType;
use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, print_message, print_problem};
use crate::device;
use crate::experiment;
use crate::golden::{GoldenReport, Tolerance, check};
use crate::nn::WeightType;
use crate::problem::{Problem, Result};
use crate::run::config::Precision;

/// Options of `golden`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Files with reference tensors (.safetensors)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
    /// The backbone's weights
    #[arg(long, value_parser = super::settings::precisions(), default_value = "auto")]
    precision: Precision,
    /// Show every tensor of every file
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    json: JsonOutput,
}

/// The result of one file.
#[derive(Serialize)]
struct GoldenEntry {
    name: String,
    path: String,
    /// `None` if the file could not be run.
    max_relative_error: Option<f64>,
    /// The tensor with the largest error.
    tensor: Option<String>,
    ok: bool,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    // No self-test of the device first: this command is the test and must use the device as it is.
    let info = device::choose(&args.device)?;
    let device = device::open(&info)?;
    let weights = args.precision.weight_type();
    let tolerance = match weights {
        WeightType::F16 => Tolerance::HALF,
        WeightType::Bf16 => Tolerance::BF16,
        WeightType::F32 if info.is_cpu() => Tolerance::CPU,
        WeightType::F32 => Tolerance::GPU,
    };
    if weights == WeightType::F16 && !device.supports_dtype(DType::F16) {
        let what = format!("{} does not support half precision", info.name);
        return Err(Problem::new(what).at("--precision").advise("omit the option"));
    }
    if weights == WeightType::Bf16 {
        experiment::check_bf16(&info)?;
    }
    if weights != WeightType::F32 {
        print_message(format!(
            "limits with weights in {}: an error of {} in one step and of {} after all steps",
            weights.title(),
            tolerance.single,
            tolerance.trajectory
        ));
    }
    let target = (&device, weights).into();
    let mut text = String::new();
    let mut entries = Vec::new();
    for path in &args.files {
        let result = check(path, &target, tolerance);
        if let Err(problem) = &result {
            print_problem(problem);
        }
        let entry = to_entry(path, result.as_ref().ok());
        let error = entry
            .max_relative_error
            .map_or_else(|| "–".to_string(), |error| format!("{error:.2e}"));
        let verdict = if entry.ok { "ok" } else { "MISS" };
        text += &format!("{} {error} {verdict}\n", entry.name);
        if let (true, Ok(report)) = (args.all, &result) {
            for tensor in &report.comparisons {
                let verdict = if tensor.ok { "ok" } else { "MISS" };
                text += &format!("  {} {:.2e} {verdict}\n", tensor.name, tensor.error);
            }
        }
        entries.push(entry);
    }
    args.json.print_results(&entries, &text)?;
    Ok(CommandOutcome::from_success(entries.iter().all(|entry| entry.ok)))
}

fn to_entry(path: &Path, report: Option<&GoldenReport>) -> GoldenEntry {
    let worst = report.and_then(GoldenReport::worst);
    let name = path.file_stem().unwrap_or(path.as_os_str());
    GoldenEntry {
        name: name.to_string_lossy().into_owned(),
        path: path.display().to_string(),
        max_relative_error: worst.map(|tensor| tensor.error),
        tensor: worst.map(|tensor| tensor.name.clone()),
        ok: report.is_some_and(|report| worst.is_some() && report.passes()),
    }
}
