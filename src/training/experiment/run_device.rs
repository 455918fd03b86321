//! Chooses the device of a run and the number format of its weights.

use crate::device::{self, DeviceInfo, ReadyDevice, TestedDevice};
use crate::message;
use crate::nn::{self, WeightType};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;

/// An open device, and the number format of the weights on it.
#[derive(Clone, Debug)]
pub struct RunDevice {
    /// The device.
    pub device: ReadyDevice,
    /// Number format of the frozen matrices.
    pub weights: WeightType,
    /// Deviations from the settings that the user should know.
    pub remarks: Vec<Problem>,
}

impl RunDevice {
    /// Opens the device of these settings, or the CPU if the GPU computes this family wrongly. On a GPU, a resumed run keeps
    /// its number format.
    ///
    /// # Errors
    /// Returns a Problem if the device cannot be opened, or does not support bf16 although the settings require it.
    pub fn open(config: &RunConfig, family: &str, resumed: Option<WeightType>) -> Result<Self> {
        let mut trusted = device::choose_tested(&config.device)?;
        if let Some(why) = trusted.verdict.refused.get(family) {
            trusted =
                TestedDevice::cpu_fallback(unusable_device_problem(&trusted.info, family, why))?;
        }
        let device = trusted.open()?;
        let resumed = resumed.filter(|_| !device.info.is_cpu());
        let wanted = resumed.unwrap_or(config.precision.weight_type());
        let (weights, remark) = weight_type(wanted, &device.info, device.half)?;
        let remarks = device.remark.iter().cloned().chain(remark).collect();
        Ok(Self { device, weights, remarks })
    }
}

/// Returns the number format of a run's weights on its GPU; `None` on the CPU.
pub fn gpu_weight_type(config: &RunConfig) -> Option<WeightType> {
    let info = device::choose(&config.device).ok()?;
    (!info.is_cpu()).then(|| config.precision.weight_type())
}

/// Returns the number format that a run records: that of its weights on a GPU, and on the CPU only one that was not
/// requested.
pub fn recorded_weight_type(
    config: &RunConfig,
    info: &DeviceInfo,
    weights: WeightType,
) -> Option<WeightType> {
    (!info.is_cpu() || weights != config.precision.weight_type()).then_some(weights)
}

/// Returns what [`recorded_weight_type`] will return for a run, as far as is known without opening its device.
pub fn expected_weight_type(config: &RunConfig) -> Option<WeightType> {
    let info = device::choose(&config.device).ok()?;
    let wanted = config.precision.weight_type();
    let chosen = weight_type(wanted, &info, device::may_use_half(&info));
    recorded_weight_type(config, &info, chosen.map_or(wanted, |(weights, _)| weights))
}

/// Returns the message about a GPU that computes a family wrongly.
fn unusable_device_problem(info: &DeviceInfo, family: &str, why: &str) -> Problem {
    Problem::new(message!("problem-cannot-compute", name = &info.name, family, why))
        .at(format!("{} {}", info.api.title(), info.driver))
        .advise(message!("advice-update-driver-then-prepare"))
}

/// Checks whether a device multiplies bf16 numbers fast enough to train in bf16.
///
/// # Errors
/// Returns a Problem if it does not.
pub fn check_bf16(info: &DeviceInfo) -> Result<()> {
    let (why, remedy) = match info.is_cpu() {
        true if nn::multiplies_bf16() => return Ok(()),
        true => (message!("problem-cpu-without-bf16"), "advice-choose-f32"),
        false => {
            (message!("problem-gpu-without-bf16", name = &info.name), "advice-choose-f16-or-cpu")
        }
    };
    Err(Problem::new(why).at("--precision bf16").advise(message!(remedy)))
}

/// Returns the number format for the weights on a device, with a remark if it is not the wanted one. `half` says whether
/// the device computes correctly in half precision.
///
/// # Errors
/// See [`check_bf16`].
pub fn weight_type(
    wanted: WeightType,
    info: &DeviceInfo,
    half: bool,
) -> Result<(WeightType, Option<Problem>)> {
    match wanted {
        WeightType::Bf16 => check_bf16(info)?,
        WeightType::F16 if !half => {
            let (why, remedy) = match info.is_cpu() {
                true => ("problem-f32-on-cpu", "advice-train-on-gpu"),
                false => ("problem-f32-on-gpu", "advice-train-on-other-gpu"),
            };
            let remark = Problem::new(message!(why)).at("--precision").advise(message!(remedy));
            return Ok((WeightType::F32, Some(remark)));
        }
        _ => {}
    }
    Ok((wanted, None))
}

/// Returns the number format for predictions of a run on a device: the one it was trained with, or f32. Every CPU can
/// predict in bf16, although only some train in it fast enough.
pub fn prediction_weight_type(header: &RunHeader, ready: &ReadyDevice) -> WeightType {
    match (ready.info.is_cpu(), header.weight_type()) {
        (true, WeightType::Bf16) => WeightType::Bf16,
        (false, WeightType::F16) if ready.half => WeightType::F16,
        _ => WeightType::F32,
    }
}
