//! `bench`: training and prediction speed of backbones, with the memory each takes.
//!
//! Every row is measured in a process of its own, so that one row's memory is not another's peak.
//! Weights are random: speed does not depend on them.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use burn::tensor::{Device, Tensor};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};

use super::End;
use super::output::{Json, Table, complain, size, tell};
use crate::backbone::library::Library as Backbones;
use crate::experiment::weight_type;
use crate::method::lae::Switches;
use crate::method::{Lae, LaeSettings};
use crate::nn::Place;
use crate::pet::library::Library as Plugins;
use crate::pet::{PetSettings, PetStack};
use crate::problem::{Problem, Result};
use crate::run::config::{Precision, RunConfig};
use crate::tensors::HostTensor;
use crate::{device, memory};

/// Classes of each of the two tasks.
const CLASSES: usize = 10;
/// Steps before the clock starts: they compile kernels and fill memory pools.
const WARM_UP: usize = 2;
/// Fewest steps that are measured.
const FEWEST: usize = 3;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// An optimiser step with the PET trained.
    Train,
    /// An optimiser step with the PET frozen: only the new head learns.
    TrainFrozen,
    /// Judging by online and offline expert.
    Predict,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Train, Self::TrainFrozen, Self::Predict];

    fn key(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::TrainFrozen => "train_frozen",
            Self::Predict => "predict",
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
    /// What to measure, separated by commas
    #[arg(long, value_name = "MODE,…", value_delimiter = ',', value_parser = modes(),
          default_value = "train,train_frozen,predict")]
    mode: Vec<Mode>,
    /// Name of a PET plugin
    #[arg(long, value_name = "NAME", default_value = "adapter")]
    pet: String,
    /// The PET's size [default: the plugin's]
    #[arg(long, value_name = "N")]
    pet_size: Option<usize>,
    /// Blocks with a PET: how many from the first, or which [default: as the backbone's entry says]
    #[arg(long, value_name = "N|N,N,…")]
    blocks: Option<String>,
    /// Seconds to measure each row for
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    seconds: f64,
    /// auto, cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// The backbone's weights
    #[arg(long, value_parser = super::settings::precisions(), default_value = "auto")]
    precision: Precision,
    /// Measure in this process instead of one per row
    #[arg(long, hide = true)]
    here: bool,
    #[command(flatten)]
    json: Json,
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::key)).map(|key| {
        let named = Mode::ALL.into_iter().find(|mode| mode.key() == key);
        // The parser lets only these keys through.
        named.unwrap_or(Mode::Train)
    })
}

/// One measured row.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    backbone: String,
    pet: String,
    pet_size: usize,
    mode: Mode,
    weights: String,
    batch: u32,
    images_per_second: f64,
    peak_memory_bytes: Option<u64>,
    device: String,
}

/// The JSON.
#[derive(Serialize, Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

/// Measures.
pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let mut rows = Vec::new();
    let mut end = End::Done;
    for backbone in &args.backbone {
        for &batch in &args.batch {
            for &mode in &args.mode {
                let row = if args.here {
                    measure(args, backbone, batch, mode)
                } else {
                    in_child(args, backbone, batch, mode)
                };
                match row {
                    Ok(row) => rows.push(row),
                    Err(problem) => {
                        complain(&problem);
                        end = End::Failed;
                    }
                }
            }
        }
    }
    let text = text(&rows);
    args.json.give(&Rows { rows }, &text)?;
    Ok(end)
}

/// The size asked for, else the plugin's own.
fn pet_size(args: &Args) -> Result<usize> {
    match args.pet_size {
        Some(size) => Ok(size),
        None => Ok(Plugins::standard()
            .get(&args.pet)?
            .default_size()
            .unwrap_or(0)),
    }
}

/// Measures one row in a process of its own.
fn in_child(args: &Args, backbone: &str, batch: u32, mode: Mode) -> Result<Row> {
    tell(format!("{backbone}, batch {batch}, {}", mode.key()));
    let failed = |why: String| {
        Problem::new(format!("{backbone} could not be measured: {why}"))
            .at(format!("batch {batch}, {}", mode.key()))
            .advise("try a smaller --batch")
    };
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    if let Some(blocks) = &args.blocks {
        command.args(["bench", "--blocks", blocks]);
    } else {
        command.arg("bench");
    }
    let output = command
        .args(["--here", "--json", "-"])
        .args(["--backbone", backbone, "--mode", mode.key()])
        .args(["--batch", &batch.to_string()])
        .args([
            "--pet",
            &args.pet,
            "--pet-size",
            &pet_size(args)?.to_string(),
        ])
        .args(["--device", &args.device])
        .args(["--seconds", &args.seconds.to_string()])
        .args(["--precision", args.precision.key()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    let rows: Option<Rows> = serde_json::from_slice(&output.stdout).ok();
    rows.and_then(|rows| rows.rows.into_iter().next())
        .ok_or_else(|| failed(format!("its process ended with {}", output.status)))
}

/// Measures one row here.
fn measure(args: &Args, backbone: &str, batch: u32, mode: Mode) -> Result<Row> {
    let ready = device::ready(&args.device)?;
    if let Some(problem) = &ready.remark {
        complain(problem);
    }
    let images = batch as usize;
    let (weights, remark) = weight_type(args.precision, &ready);
    remark.iter().for_each(complain);
    let (mut lae, input_size) = network(args, backbone, (&ready.device, weights).into())?;
    let pictures = pictures(images, input_size, &ready.device)?;
    let labels: Vec<usize> = (0..images).map(|i| i % CLASSES).collect();
    let mut step = || -> Result<()> {
        // Reading a result waits until the device has done the step.
        let result = match mode {
            Mode::Predict => HostTensor::read(&lae.judge(pictures.clone())?.online)?,
            Mode::Train => HostTensor::read(&lae.step(pictures.clone(), &labels, false)?)?,
            Mode::TrainFrozen => HostTensor::read(&lae.step(pictures.clone(), &labels, true)?)?,
        };
        if result.values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(Problem::new("the network gives values that are not finite"))
    };
    for _ in 0..WARM_UP {
        step()?;
    }
    let least = Duration::from_secs_f64(args.seconds.clamp(0.0, 3600.0));
    let began = Instant::now();
    let mut steps = 0;
    while steps < FEWEST || began.elapsed() < least {
        step()?;
        steps += 1;
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(Row {
        backbone: backbone.to_string(),
        pet: args.pet.clone(),
        pet_size: pet_size(args)?,
        mode,
        weights: weights.title().to_string(),
        batch,
        images_per_second: (steps * images) as f64 / seconds,
        peak_memory_bytes: memory::peak_bytes(),
        device: ready.info.name,
    })
}

/// LAE in its second task, when all its parts act, and the side of its pictures.
fn network(args: &Args, backbone: &str, place: Place) -> Result<(Lae, usize)> {
    let device = &place.device.clone();
    let opened = Backbones::usual().random(backbone, 0, place)?;
    let shapes = opened.backbone.blocks();
    let pet_blocks = opened.entry.pet_blocks;
    let config = RunConfig {
        blocks: (args.blocks.clone()).unwrap_or_else(|| pet_blocks.to_string()),
        ..RunConfig::default()
    };
    let blocks = config.block_list(shapes.len())?;
    let spec = Plugins::standard().get(&args.pet)?;
    let settings = PetSettings::of_size(pet_size(args)?);
    let pets = PetStack::init(&spec, &settings, shapes, &blocks, 0, device)?;
    let settings = LaeSettings {
        switches: Switches::ALL,
        ema: 0.999,
        learning_rate: 1e-3,
        seed: 0,
    };
    let mut lae = Lae::new(opened.backbone.clone(), pets, settings);
    lae.begin(CLASSES);
    lae.begin(CLASSES);
    Ok((lae, opened.entry.architecture.input_size()))
}

/// Pictures of noise as the network takes them.
fn pictures(images: usize, side: usize, device: &Device) -> Result<Tensor<4>> {
    let shape = vec![images, 3, side, side];
    let count: usize = shape.iter().product();
    let values = (0..count).map(|i| (i % 251) as f32 / 125.0 - 1.0).collect();
    HostTensor { shape, values }.to_device(device)
}

fn text(rows: &[Row]) -> String {
    let mut table = Table::new(&[
        "backbone",
        "PET",
        "mode",
        "weights",
        ">batch",
        ">images/s",
        ">peak memory",
        "device",
    ]);
    for row in rows {
        let speed = row.images_per_second;
        table.row([
            row.backbone.clone(),
            format!("{} {}", row.pet, row.pet_size),
            row.mode.key().to_string(),
            row.weights.clone(),
            row.batch.to_string(),
            if speed < 10.0 {
                format!("{speed:.2}")
            } else {
                format!("{speed:.1}")
            },
            size(row.peak_memory_bytes),
            row.device.clone(),
        ]);
    }
    table.to_string()
}
