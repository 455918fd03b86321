//! `bench`: measures training and prediction speed of methods and backbones, and their memory.
//!
//! Every row is measured in a separate process, so that the peak memory of one row does not affect another. Weights are
//! random, because speed does not depend on them.

mod explain;
mod measure;
mod network;
mod pytorch;
mod table;

use std::process::Command;

use serde::{Deserialize, Serialize};

use super::CommandOutcome;
use super::output::{JsonOutput, print_message, print_problem};
use super::settings::{keyed, no_effect_note, option_name};
use crate::backbone::library::BackboneLibrary as Backbones;
use crate::device;
use crate::experiment::{self, weight_type};
use crate::method::{self, ConfiguredMethod, PassWork, UnusedSetting};
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{Precision, RunConfig};

use pytorch::{PyTorch, PyTorchSpeed};

/// A measured mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// An optimiser step with everything trained.
    Train,
    /// An optimiser step with a frozen PET: only the new head learns.
    TrainFrozen,
    /// A forward pass over training images without gradients.
    Measure,
    /// Prediction.
    Predict,
    /// A whole task: its passes, the closed-form solutions between and after them, and predictions.
    Task,
}

impl Mode {
    /// All modes with their keys; those that measure single steps come first.
    const ALL: [(Self, &'static str); 5] = [
        (Self::Train, "train"),
        (Self::TrainFrozen, "train_frozen"),
        (Self::Measure, "measure"),
        (Self::Predict, "predict"),
        (Self::Task, "task"),
    ];

    fn key(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns the work of the pass to which the step belongs; `None` for predictions and for a whole task.
    fn pass_work(self) -> Option<PassWork> {
        match self {
            Self::Train => Some(PassWork::Learn { frozen: false }),
            Self::TrainFrozen => Some(PassWork::Learn { frozen: true }),
            Self::Measure => Some(PassWork::Measure),
            Self::Predict | Self::Task => None,
        }
    }
}

/// Options of `bench`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Backbones, separated by commas
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "lae-nano,vit_tiny_patch16_224,vit_base_patch16_224,\
                         swin_tiny_patch4_window7_224,convnext_tiny"
    )]
    backbone: Vec<String>,
    /// Batch sizes, separated by commas
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "24",
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch: Vec<u32>,
    /// Methods, separated by commas, or all [default: lae]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    method: Vec<String>,
    /// What to measure, separated by commas [default: all that apply to the method; task only with --method]
    #[arg(long, value_name = "MODE,…", value_delimiter = ',', value_parser = keyed(Mode::ALL))]
    mode: Vec<Mode>,
    /// Name of a PET plugin [default: the method's]
    #[arg(long, value_name = "NAME")]
    pet: Option<String>,
    /// Size of the PET [default: the plugin's]
    #[arg(long, value_name = "N")]
    pet_size: Option<usize>,
    /// Blocks with a PET: the first N (5), or a list (0,2,4) [default: as for training]
    #[arg(long, value_name = "N|N,N,…")]
    blocks: Option<String>,
    /// Seconds to measure each row
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = measure::seconds)]
    seconds: f64,
    /// auto, cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Number formats of the frozen weights, separated by commas
    #[arg(long, value_delimiter = ',', value_parser = super::settings::precisions(), default_value = "auto")]
    precision: Vec<Precision>,
    /// Also measure PyTorch for each row that it supports, with this Python [python3 if none is given]
    #[arg(long, value_name = "PYTHON", num_args = 0..=1, default_missing_value = "python3")]
    pytorch: Option<String>,
    /// Also measure PyTorch with torch.compile
    #[arg(long, requires = "pytorch")]
    compiled: bool,
    /// Show the time and speed of each matrix product on the CPU, or of each kernel of a step on a GPU
    #[arg(long)]
    explain: bool,
    /// Measure in this process instead of one per row
    #[arg(long, hide = true)]
    here: bool,
    #[command(flatten)]
    json: JsonOutput,
}

/// One measured row.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    backbone: String,
    method: String,
    /// Empty if no PET is trained.
    pet: String,
    /// 0 if there is none.
    pet_size: usize,
    mode: Mode,
    weights: String,
    batch: u32,
    /// For a whole task: its images in all passes, and the predicted ones.
    images_per_second: f64,
    /// For a whole task, including closed-form solutions after its images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds_per_task: Option<f64>,
    peak_memory_bytes: Option<u64>,
    device: String,
    /// The same in PyTorch, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pytorch: Vec<PyTorchSpeed>,
    /// How the matrix products of a step are computed, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    products: Option<explain::Products>,
    /// The kernels of a step on a GPU, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kernels: Option<explain::Kernels>,
}

/// The JSON output.
#[derive(Serialize, Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

/// What a row measures.
#[derive(Clone, Copy)]
struct BenchCase<'a> {
    args: &'a Args,
    backbone: &'a str,
    batch: u32,
    method: &'a str,
    precision: Precision,
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let pytorch = args.pytorch.as_ref();
    let pytorch = pytorch.map(|python| PyTorch::find(python, &args.device, args.compiled));
    let pytorch = pytorch.transpose()?;
    // Errors of all rows are reported before the first one is measured.
    let cases = args.cases()?;
    if cases.is_empty() {
        let problem = Problem::new("no requested mode applies to these methods").at("--mode");
        return Err(problem.advise("omit --mode to measure all modes that apply"));
    }
    for (case, _) in &cases {
        experiment::check(&case.config()?)?;
    }
    if !args.here {
        notes_on_unused(&cases)?.iter().for_each(print_message);
        args.precision_remarks()?.iter().for_each(print_problem);
    }
    let mut rows = Vec::new();
    let mut end = CommandOutcome::Done;
    let mut record_row = |row: Result<Row>| {
        let mut fail = |problem| {
            print_problem(&problem);
            end = CommandOutcome::Failed;
        };
        match row {
            Ok(mut row) => {
                if let (Some(pytorch), true) = (&pytorch, args.has_default_pet()) {
                    match pytorch.measure(&row, args.seconds) {
                        Ok(speeds) => row.pytorch = speeds,
                        Err(problem) => fail(problem),
                    }
                }
                rows.push(row);
            }
            Err(problem) => fail(problem),
        }
    };
    for (case, mode) in cases {
        record_row(match args.here {
            true => case.measure(mode),
            false => case.measure_in_child(mode),
        });
    }
    let text = table::text(&rows, pytorch.is_some());
    args.json.print_results(&Rows { rows }, &text)?;
    Ok(end)
}

/// Returns the settings that have no effect.
fn unused_settings(config: &RunConfig) -> Result<Vec<UnusedSetting>> {
    let pet = Plugins::standard().get(&config.pet)?;
    Ok(ConfiguredMethod::from_config(config)?.unused_settings(Some(&*pet)))
}

/// Returns a sentence about each option that has no effect with a method and its PET.
fn notes_on_unused(cases: &[(BenchCase<'_>, Mode)]) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for (case, _) in cases {
        for unused in unused_settings(&case.config()?)? {
            let is_set = match unused.key {
                "pet" => case.args.pet.is_some(),
                "pet_size" => case.args.pet_size.is_some(),
                "blocks" => case.args.blocks.is_some(),
                _ => false,
            };
            let note = no_effect_note(&unused.reason.to_string(), &option_name(unused.key));
            if is_set && !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok(notes)
}

impl Args {
    /// Returns whether only the default PET is requested, the only one that the PyTorch script supports.
    fn has_default_pet(&self) -> bool {
        self.pet.is_none() && self.pet_size.is_none() && self.blocks.is_none()
    }

    /// Returns the rows to measure.
    fn cases(&self) -> Result<Vec<(BenchCase<'_>, Mode)>> {
        let mut cases = Vec::new();
        for backbone in &self.backbone {
            for &batch in &self.batch {
                for method in self.methods() {
                    for &precision in &self.precision {
                        let case = BenchCase { args: self, backbone, batch, method, precision };
                        cases.extend(case.modes()?.into_iter().map(|mode| (case, mode)));
                    }
                }
            }
        }
        Ok(cases)
    }

    /// Returns a remark for each type of weights that the device replaces by f32.
    ///
    /// # Errors
    /// Returns a Problem for a type that the device does not support at all.
    fn precision_remarks(&self) -> Result<Vec<Problem>> {
        let device = device::choose_tested(&self.device)?;
        let mut remarks = Vec::new();
        for precision in &self.precision {
            let weights = precision.weight_type();
            let (_, remark) = weight_type(weights, &device.info, device.verdict.half)?;
            remarks.extend(remark);
        }
        Ok(remarks)
    }

    /// Returns the methods to measure.
    fn methods(&self) -> Vec<&str> {
        match &self.method[..] {
            [] => vec![method::lae::LAE.key],
            [all] if all == "all" => method::METHODS.iter().map(|spec| spec.key).collect(),
            named => named.iter().map(String::as_str).collect(),
        }
    }
}

impl BenchCase<'_> {
    /// Returns the requested modes that apply to the method, which may train nothing.
    fn modes(&self) -> Result<Vec<Mode>> {
        let config = self.config()?;
        let passes = ConfiguredMethod::from_config(&config)?.default_passes(1)?;
        let applies = |mode: &Mode| match mode.pass_work() {
            Some(pass_work) => passes.iter().any(|pass| pass.work == pass_work),
            None => true,
        };
        let is_default = |mode: &Mode| *mode != Mode::Task || !self.args.method.is_empty();
        let all: Vec<Mode> = match self.args.mode.is_empty() {
            true => Mode::ALL.map(|(mode, _)| mode).into_iter().filter(is_default).collect(),
            false => self.args.mode.clone(),
        };
        Ok(all.into_iter().filter(applies).collect())
    }

    /// Returns the settings of a run with these values.
    fn config(&self) -> Result<RunConfig> {
        let spec = method::find_method(self.method)?;
        let about = Backbones::with_default_locations()
            .describe(network::random_backbone_choice(self.backbone))?;
        let mut config = RunConfig {
            backbone: self.backbone.to_string(),
            batch: self.batch as usize,
            ..RunConfig::default()
        };
        method::switch_method(&mut config, spec);
        if let Some(pet) = &self.args.pet {
            config.pet.clone_from(pet);
        }
        let pet = Plugins::standard().get(&config.pet)?;
        method::apply_pet_defaults(&mut config, Some(&about), pet.default_size());
        if let Some(size) = self.args.pet_size {
            config.pet_size = size;
        }
        if let Some(blocks) = &self.args.blocks {
            config.blocks.clone_from(blocks);
        }
        Ok(config)
    }

    /// Measures one row in a separate process.
    fn measure_in_child(&self, mode: Mode) -> Result<Row> {
        let Self { args, backbone, batch, method, precision } = self;
        let weights = match precision {
            Precision::Auto => String::new(),
            named => format!(", {}", named.key()),
        };
        print_message(format!("{backbone}, batch {batch}, {method}, {}{weights}", mode.key()));
        let to_problem = |why: String| {
            Problem::new(format!("{backbone} could not be measured: {why}"))
                .at(format!("batch {batch}, {method}, {}", mode.key()))
                .advise("try a smaller --batch")
        };
        let program = std::env::current_exe().map_err(|error| to_problem(error.to_string()))?;
        let mut command = Command::new(program);
        command
            .args(["bench", "--here", "--json", "-"])
            .args(["--backbone", backbone, "--mode", mode.key()])
            .args(["--batch", &batch.to_string(), "--method", method])
            .args(["--device", &args.device])
            .args(["--seconds", &args.seconds.to_string()])
            .args(["--precision", precision.key()])
            .args(args.explain.then_some("--explain"));
        let size = args.pet_size.map(|size| size.to_string());
        let options = [("--pet", &args.pet), ("--pet-size", &size), ("--blocks", &args.blocks)];
        for (name, value) in options {
            command.args(value.iter().flat_map(|value| [name, value]));
        }
        let child = device::tie_to_parent(&mut command).spawn();
        let result = child.and_then(|mut child| {
            // Kept open until the child has ended.
            let _input = child.stdin.take();
            child.wait_with_output()
        });
        let output = result.map_err(|error| to_problem(error.to_string()))?;
        let rows: Option<Rows> = serde_json::from_slice(&output.stdout).ok();
        rows.and_then(|rows| rows.rows.into_iter().next())
            .ok_or_else(|| to_problem(format!("its process ended with {}", output.status)))
    }
}
