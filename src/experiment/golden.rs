//! Checks the program against files of exact tensors: features, logits, gradients, some training
//! steps and the ensemble, through the same code that trains and predicts.
//!
//! A file holds a toy backbone, a PET, heads and inputs with what must come out of them; its
//! metadata says the sizes. Error of a tensor: max|a − b| / max|b|; where the reference is all
//! zero, zero is required.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};
use safetensors::tensor::{Dtype, SafeTensors};
use serde_json::Value;

use crate::backbone::Backbone;
use crate::backbone::timm;
use crate::backbone::weights::{Stored, Tensors};
use crate::expert::{Head, Heads};
use crate::method::lae::Gradients;
use crate::method::{Lae, LaeSettings, Method};
use crate::nn::Place;
use crate::pet::library::Library;
use crate::pet::{PetSettings, PetStack};
use crate::problem::{Problem, Result};
use crate::run::config::Switches;
use crate::tensors::{HostTensor, Named};

use super::evaluate::verdicts;

/// Largest errors that pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Features, logits, loss and gradients.
    pub single: f64,
    /// What the training steps lead to.
    pub trajectory: f64,
}

impl Tolerance {
    /// For the CPU device.
    pub const CPU: Self = Self {
        single: 1e-4,
        trajectory: 5e-4,
    };
    /// For frozen weights rounded to half precision (about 2e-4 of each). Adam divides a gradient
    /// by its own size, so a small one that changed sign shows in the trajectory.
    pub const HALF: Self = Self {
        single: 1e-2,
        trajectory: 5e-2,
    };
    /// For graphics cards, whose sums run in another order.
    pub const GPU: Self = Self {
        single: 1e-3,
        trajectory: 5e-3,
    };
}

/// One compared tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The tensor's name in the file.
    pub name: String,
    /// max|a − b| / max|b|, or max|a| where the reference is zero.
    pub error: f64,
    /// Whether that passes.
    pub ok: bool,
}

/// What came of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenReport {
    /// Every tensor that was compared.
    pub comparisons: Vec<Comparison>,
}

impl GoldenReport {
    /// Whether all tensors pass.
    pub fn ok(&self) -> bool {
        self.comparisons.iter().all(|comparison| comparison.ok)
    }

    /// The comparison with the largest error.
    pub fn worst(&self) -> Option<&Comparison> {
        self.comparisons
            .iter()
            .max_by(|a, b| a.error.total_cmp(&b.error))
    }
}

/// Runs one file on a device, the frozen weights kept as `place` says.
///
/// # Errors
/// A Problem when the file cannot be read or is not of this form.
pub fn check(path: &Path, place: &Place, tolerance: Tolerance) -> Result<GoldenReport> {
    let file = GoldenFile::read(path)?;
    let report = Run::new(&file, place).and_then(|run| run.compare(tolerance));
    report.map_err(|problem| {
        let place = match problem.place.as_str() {
            "" => path.display().to_string(),
            inner => format!("{}: {inner}", path.display()),
        };
        problem.at(place)
    })
}

/// A file's tensors (f32; targets as exact small numbers) and settings.
struct GoldenFile {
    tensors: Named,
    settings: HashMap<String, String>,
}

impl GoldenFile {
    fn read(path: &Path) -> Result<Self> {
        let foreign = |what: String| {
            Problem::new(format!("this is no golden file: {what}"))
                .at_path(path)
                .advise("give a .safetensors file that holds a toy run with its reference values")
        };
        let bytes =
            std::fs::read(path).map_err(|e| Problem::io("read the golden file", path, &e))?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|e| foreign(e.to_string()))?;
        let file = SafeTensors::deserialize(&bytes).map_err(|e| foreign(e.to_string()))?;
        let mut tensors = Named::new();
        for (name, view) in file.iter() {
            let values = match view.dtype() {
                Dtype::F32 => numbers(view.data(), f32::from_le_bytes),
                Dtype::I64 => numbers(view.data(), |bytes| i64::from_le_bytes(bytes) as f32),
                other => return Err(foreign(format!("{name} is made of {other:?}"))),
            };
            let shape = view.shape().to_vec();
            tensors.insert(name.to_string(), HostTensor { shape, values });
        }
        let settings = header.metadata().clone().unwrap_or_default();
        Ok(Self { tensors, settings })
    }

    fn tensor(&self, name: &str) -> Result<&HostTensor> {
        crate::expert::named(&self.tensors, name)
    }

    fn text(&self, key: &str) -> Result<&str> {
        let value = self.settings.get(key).map(String::as_str);
        value.ok_or_else(|| Problem::new(format!("the metadata lacks \"{key}\"")))
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Result<T> {
        let text = self.text(key)?;
        let wrong = || Problem::new(format!("the metadata's \"{key}\" is no number: {text}"));
        text.trim().parse().map_err(|_| wrong())
    }

    fn json(&self, key: &str) -> Result<Value> {
        serde_json::from_str(self.text(key)?)
            .map_err(|e| Problem::new(format!("the metadata's \"{key}\" is no JSON: {e}")))
    }

    /// Class numbers of a target tensor, counted within the last task.
    fn labels(&self, name: &str, old_classes: usize) -> Result<Vec<usize>> {
        let values = self.tensor(name)?.values.iter();
        let local = values.map(|&v| (v as usize).checked_sub(old_classes));
        let labels: Option<Vec<usize>> = local.collect();
        labels.ok_or_else(|| Problem::new(format!("{name} holds a class of an earlier task")))
    }
}

fn numbers<const N: usize>(bytes: &[u8], convert: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes
        .as_chunks::<N>()
        .0
        .iter()
        .map(|chunk| convert(*chunk))
        .collect()
}

/// How a PET's parameters are named in these files: ours, theirs, and whether theirs lies
/// transposed (weights of a Linear are out × in there).
type Names = &'static [(&'static str, &'static str, bool)];

const ADAPTER: Names = &[
    ("down", "layer.0.weight", true),
    ("b_down", "layer.0.bias", false),
    ("up", "layer.2.weight", true),
    ("b_up", "layer.2.bias", false),
    ("s", "layer.3.scale", false),
];
const LORA: Names = &[
    ("a_k", "lora_A.0", true),
    ("b_k", "lora_B.0", true),
    ("s_k", "scale.0.scale", false),
    ("a_v", "lora_A.1", true),
    ("b_v", "lora_B.1", true),
    ("s_v", "scale.1.scale", false),
];
const PREFIX: Names = &[
    ("p_k", "key.tokens", false),
    ("s_k", "key.scaler.scale", false),
    ("p_v", "val.tokens", false),
    ("s_v", "val.scaler.scale", false),
];

/// A file set up to run: the method, and what belongs to the PET's naming.
struct Run<'a> {
    file: &'a GoldenFile,
    device: Device,
    backbone: Arc<dyn Backbone>,
    lae: Lae,
    names: Names,
    /// Parameters that the file holds fixed, by our full name, with their value.
    fixed: Vec<(String, f32)>,
    old_classes: usize,
}

impl<'a> Run<'a> {
    fn new(file: &'a GoldenFile, place: &Place) -> Result<Self> {
        let device = &place.device;
        let backbone = backbone_of(file, place)?;
        let (stack, names) = fresh_pets(file, &*backbone, device)?;
        let args = file.json("pet_args")?;
        let mut fixed = Vec::new();
        let mut pets = stack.clone();
        for (full, tensor, _) in stack.parameters() {
            let (block, name) = full.split_once('.').unwrap_or(("", full));
            let Some((_, theirs, transposed)) = names.iter().find(|(ours, ..)| *ours == name)
            else {
                return Err(Problem::new(format!(
                    "the plugin's parameter {name} has no counterpart"
                )));
            };
            let value = match file.tensors.get(&format!("pet.{block}.{theirs}")) {
                Some(stored) => ours_of(stored, *transposed),
                None => {
                    let value = fixed_value(&args, name);
                    fixed.push((full.to_string(), value));
                    HostTensor {
                        shape: tensor.dims().to_vec(),
                        values: vec![value],
                    }
                }
            };
            pets.set(full, value.to_device(device)?)?;
        }
        let settings = LaeSettings {
            switches: Switches {
                learning: true,
                accumulation: true,
                ensemble: true,
            },
            freeze_epochs: 0,
            ema: file.number("ema_decay")?,
            learning_rate: file.number("lr")?,
            seed: 0,
        };
        let mut lae = Lae::new(backbone.clone(), pets.clone(), settings);
        lae.set_experts(pets.clone(), Some(pets), heads_of(file, device)?);
        let old_classes = file.number("old_classes")?;
        Ok(Self {
            file,
            device: device.clone(),
            backbone,
            lae,
            names,
            fixed,
            old_classes,
        })
    }

    fn compare(mut self, tolerance: Tolerance) -> Result<GoldenReport> {
        let mut board = Board {
            file: self.file,
            limit: tolerance.single,
            comparisons: Vec::new(),
        };
        let input: Tensor<4> = self.file.tensor("input")?.to_device(&self.device)?;
        let features = self.backbone.features(input.clone(), self.lae.online())?;
        board.compare("feature", &HostTensor::read(&features)?)?;
        let logits = self.lae.heads().forward(&features);
        board.compare("logits", &HostTensor::read(&logits)?)?;
        let labels = self.file.labels("target", self.old_classes)?;
        let gradients = self.lae.gradients(input.clone(), &labels, false)?;
        self.compare_gradients(&gradients, &mut board)?;
        board.limit = tolerance.trajectory;
        let losses = self.train()?;
        board.compare("traj.loss", &losses)?;
        self.compare_experts(&mut board)?;
        self.compare_answers(input, &mut board)?;
        Ok(GoldenReport {
            comparisons: board.comparisons,
        })
    }

    fn compare_gradients(&self, gradients: &Gradients, board: &mut Board) -> Result<()> {
        board.compare("loss", &HostTensor::read(&gradients.loss)?)?;
        let last = self.lae.heads().0.len() - 1;
        for (head, part) in self.lae.heads().0.iter().enumerate() {
            let of = |mine: &Tensor<2>, then: &Tensor<2>| {
                HostTensor::read(&if head == last {
                    mine.clone()
                } else {
                    then.zeros_like()
                })
            };
            let weight = theirs_of(&of(&gradients.weight, &part.weight)?, true);
            board.compare(&format!("grad.head.{head}.weight"), &weight)?;
            let bias = of(&gradients.bias, &part.bias)?;
            board.compare(&format!("grad.head.{head}.bias"), &bias)?;
        }
        for (full, gradient) in &gradients.pets {
            if self.fixed.iter().any(|(name, _)| name == full) {
                continue;
            }
            self.compare_parameter("grad.pet", full, gradient, board)?;
        }
        Ok(())
    }

    /// Compares one PET tensor with `<prefix>.<block>.<their name>`.
    fn compare_parameter(
        &self,
        prefix: &str,
        full: &str,
        tensor: &Tensor<2>,
        board: &mut Board,
    ) -> Result<()> {
        let (block, name) = full.split_once('.').unwrap_or(("", full));
        let Some((_, theirs, transposed)) = self.names.iter().find(|(ours, ..)| *ours == name)
        else {
            return Ok(());
        };
        let value = theirs_of(&HostTensor::read(tensor)?, *transposed);
        board.compare(&format!("{prefix}.{block}.{theirs}"), &value)
    }

    /// The file's steps (usually eight); their losses before each update.
    fn train(&mut self) -> Result<HostTensor> {
        let frozen_steps: usize = self.file.number("freeze_steps")?;
        let given = |step: &usize| {
            let name = format!("traj.input.{step}");
            self.file.tensors.contains_key(&name)
        };
        let steps = (0..).take_while(given).count();
        let mut losses = Vec::with_capacity(steps);
        for step in 0..steps {
            let images = self.file.tensor(&format!("traj.input.{step}"))?;
            let images: Tensor<4> = images.to_device(&self.device)?;
            let labels = self
                .file
                .labels(&format!("traj.target.{step}"), self.old_classes)?;
            losses.push(self.lae.learn(images, &labels, step < frozen_steps)?);
            self.hold_fixed()?;
        }
        if losses.is_empty() {
            return Err(Problem::new(
                "the file holds no training steps (traj.input.0)",
            ));
        }
        HostTensor::read(&Tensor::cat(losses, 0))
    }

    /// Puts the multipliers that the file holds fixed back to their value.
    fn hold_fixed(&mut self) -> Result<()> {
        if self.fixed.is_empty() {
            return Ok(());
        }
        let mut online = self.lae.online().clone();
        let mut offline = self.lae.offline().cloned();
        for (name, value) in &self.fixed {
            let tensor = Tensor::full([1, 1], *value, &self.device);
            online.set(name, tensor.clone())?;
            if let Some(offline) = &mut offline {
                offline.set(name, tensor)?;
            }
        }
        let heads = self.lae.heads().clone();
        self.lae.set_experts(online, offline, heads);
        Ok(())
    }

    fn compare_experts(&self, board: &mut Board) -> Result<()> {
        let free = |full: &str| self.fixed.iter().all(|(name, _)| name != full);
        let experts = [
            ("traj.online", Some(self.lae.online())),
            ("traj.offline", self.lae.offline()),
        ];
        for (prefix, stack) in experts {
            let parameters = stack.iter().flat_map(|stack| stack.parameters());
            for (full, tensor, _) in parameters.filter(|(full, ..)| free(full)) {
                self.compare_parameter(prefix, full, tensor, board)?;
            }
        }
        for (head, part) in self.lae.heads().0.iter().enumerate() {
            let weight = theirs_of(&HostTensor::read(&part.weight)?, true);
            board.compare(&format!("traj.head.{head}.weight"), &weight)?;
            board.compare(
                &format!("traj.head.{head}.bias"),
                &HostTensor::read(&part.bias)?,
            )?;
        }
        Ok(())
    }

    fn compare_answers(&self, input: Tensor<4>, board: &mut Board) -> Result<()> {
        let logits = self.lae.judge(input)?;
        board.compare("traj.logits_online", &HostTensor::read(&logits.online)?)?;
        if let Some(offline) = &logits.offline {
            board.compare("traj.logits_offline", &HostTensor::read(offline)?)?;
        }
        let switches = Switches {
            learning: true,
            accumulation: true,
            ensemble: true,
        };
        let rows = verdicts(&logits, switches)?;
        let classes = logits.online.dims()[1];
        let values = rows
            .iter()
            .flat_map(|row| row.ensemble.probabilities.clone())
            .collect();
        board.compare(
            "traj.ensemble",
            &HostTensor {
                shape: vec![rows.len(), classes],
                values,
            },
        )
    }
}

/// Collects comparisons.
struct Board<'a> {
    file: &'a GoldenFile,
    limit: f64,
    comparisons: Vec<Comparison>,
}

impl Board<'_> {
    fn compare(&mut self, name: &str, got: &HostTensor) -> Result<()> {
        let want = self.file.tensor(name)?;
        if want.values.len() != got.values.len() {
            return Err(Problem::new(format!(
                "{name} has shape {:?}, the program gives {:?}",
                want.shape, got.shape
            )));
        }
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let pairs = got.values.iter().zip(&want.values);
        let difference = largest(&mut pairs.map(|(a, b)| f64::from((a - b).abs())));
        let size = largest(&mut want.values.iter().map(|b| f64::from(b.abs())));
        let error = if size > 0.0 {
            difference / size
        } else {
            difference
        };
        let finite = got.values.iter().all(|value| value.is_finite());
        let ok = finite
            && if size > 0.0 {
                error <= self.limit
            } else {
                difference == 0.0
            };
        let error = if finite { error } else { f64::INFINITY };
        self.comparisons.push(Comparison {
            name: name.to_string(),
            error,
            ok,
        });
        Ok(())
    }
}

fn backbone_of(file: &GoldenFile, place: &Place) -> Result<Arc<dyn Backbone>> {
    let metadata = file.settings.clone().into_iter().collect();
    let architecture = timm::architecture(file.text("kind")?, &timm::arguments(&metadata))?;
    let mut tensors = Tensors::new();
    for (name, tensor) in &file.tensors {
        if let Some(name) = name.strip_prefix("backbone.") {
            let values = tensor.values.clone();
            let stored = Stored::new(tensor.shape.clone(), move || Ok(values.clone()));
            tensors.insert(name, stored);
        }
    }
    architecture.assemble(tensors, place.clone())
}

fn fresh_pets(
    file: &GoldenFile,
    backbone: &dyn Backbone,
    device: &Device,
) -> Result<(PetStack, Names)> {
    let args = file.json("pet_args")?;
    let pet = file.text("pet")?;
    let (plugin, size, names) = match pet {
        "Adapter" => ("adapter", "down_sample", ADAPTER),
        "LoRA" => ("lora", "rank", LORA),
        "Prefix" => ("prefix", "length", PREFIX),
        other => return Err(Problem::new(format!("no PET of the name {other} is known"))),
    };
    let size = args.get(size).and_then(Value::as_u64);
    let size = size.ok_or_else(|| Problem::new("the metadata's \"pet_args\" state no size"))?;
    let spec = Library::with_folders(Vec::new()).get(plugin)?;
    let plain = args.get("compensatory").and_then(Value::as_bool) == Some(false);
    let variant = plain.then(|| "plain".to_string());
    let settings = PetSettings {
        variant,
        ..PetSettings::of_size(size as usize)
    };
    let blocks: Vec<usize> = (0..file.number("attached_blocks")?).collect();
    let stack = PetStack::init(&spec, &settings, backbone.blocks(), &blocks, 0, device)?;
    Ok((stack, names))
}

/// The multiplier that `pet_args` fixes for one of our scale parameters; 1 when it says nothing.
fn fixed_value(args: &Value, name: &str) -> f32 {
    let key = match name {
        "s_k" => "key_scale",
        "s_v" => "val_scale",
        _ => "scale",
    };
    args.get(key).and_then(Value::as_f64).unwrap_or(1.0) as f32
}

fn heads_of(file: &GoldenFile, device: &Device) -> Result<Heads> {
    let tasks: BTreeSet<usize> = file
        .tensors
        .keys()
        .filter_map(|name| name.strip_prefix("head.")?.split_once('.')?.0.parse().ok())
        .collect();
    let heads = tasks.into_iter().map(|task| {
        let weight = ours_of(file.tensor(&format!("head.{task}.weight"))?, true);
        let bias = ours_of(file.tensor(&format!("head.{task}.bias"))?, false);
        Ok(Head {
            weight: weight.to_device(device)?,
            bias: bias.to_device(device)?,
        })
    });
    Ok(Heads(heads.collect::<Result<_>>()?))
}

/// A tensor of the file as one of our rank-2 parameters: vectors lie as one row, 1×1 convolutions
/// are matrices, a single number is 1 × 1.
fn ours_of(stored: &HostTensor, transposed: bool) -> HostTensor {
    let (rows, columns) = match stored.shape.as_slice() {
        [] => (1, 1),
        [length] => (1, *length),
        [rows, columns, ..] => (*rows, *columns),
    };
    let shape = vec![rows, columns];
    let matrix = HostTensor {
        shape,
        values: stored.values.clone(),
    };
    theirs_of(&matrix, transposed)
}

/// The transpose where asked for; transposing is its own inverse, so this serves both ways.
fn theirs_of(matrix: &HostTensor, transposed: bool) -> HostTensor {
    let [rows, columns] = matrix.shape[..] else {
        return matrix.clone();
    };
    if !transposed {
        return matrix.clone();
    }
    let cells = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
    let values = cells
        .map(|(row, column)| matrix.values[row * columns + column])
        .collect();
    HostTensor {
        shape: vec![columns, rows],
        values,
    }
}
