//! Chooses the device of a run and the number format of its weights.

use crate::device::{self, DeviceInfo, Ready, Trusted};
use crate::message;
use crate::nn::{self, WeightType};
use crate::problem::{Problem, Result};
use crate::run::config::{Precision, RunConfig};
use crate::run::event::RunHeader;

/// An open device, and the number format of the weights on it.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The device.
    pub ready: Ready,
    /// Number format of the frozen matrices.
    pub weights: WeightType,
    /// What is not as it was asked for.
    pub remarks: Vec<Problem>,
}

/// What is wanted of a device.
pub struct DeviceRequest<'a> {
    /// The settings of the run.
    pub config: &'a RunConfig,
    /// The family of its backbone.
    pub family: &'a str,
    /// Number format of a resumed run.
    pub resumed: Option<WeightType>,
}

impl DeviceRequest<'_> {
    /// Opens the device, or the CPU if the GPU computes this family wrongly.
    ///
    /// # Errors
    /// A Problem if the device cannot be opened, or does not support bf16 although the settings require it.
    pub fn fit(&self, trusted: Trusted) -> Result<Fitted> {
        let trusted = match trusted.verdict.refused.get(self.family) {
            Some(why) => Trusted::cpu_instead(unusable(&trusted.info, self.family, why))?,
            None => trusted,
        };
        let ready = trusted.open()?;
        let mut remarks: Vec<Problem> = ready.remark.iter().cloned().collect();
        let asked = self.config.precision.named();
        let wanted = match ready.info.is_cpu() {
            true => asked,
            false => self.resumed.or(asked),
        };
        let (weights, remark) = held(wanted.unwrap_or_default(), &ready)?;
        remarks.extend(remark);
        Ok(Fitted {
            ready,
            weights,
            remarks,
        })
    }
}

/// Returns the number format of a run's weights on its GPU; `None` on the CPU.
pub fn expected_on_gpu(config: &RunConfig) -> Option<WeightType> {
    let info = device::choose(&config.device).ok()?;
    (!info.is_cpu()).then(|| config.precision.named().unwrap_or_default())
}

/// Returns the message about a GPU that computes a family wrongly.
fn unusable(info: &DeviceInfo, family: &str, why: &str) -> Problem {
    Problem::new(message!(
        "problem-cannot-compute",
        name = &info.name,
        family = family,
        why = why
    ))
    .at(format!("{} {}", info.api.title(), info.driver))
    .advise(message!("try-update-graphics-driver-then-try-again"))
}

/// Whether a device multiplies numbers of bf16, as a run's training needs them.
///
/// # Errors
/// A Problem where it does not.
pub fn has_bf16(info: &DeviceInfo) -> Result<()> {
    let (why, remedy) = match info.is_cpu() {
        true if nn::multiplies_bf16() => return Ok(()),
        true => (message!("problem-processor-without-bf16"), "try-f32"),
        false => (
            message!("problem-card-without-bf16", name = &info.name),
            "try-f16",
        ),
    };
    Err(Problem::new(why)
        .at("--precision bf16")
        .advise(message!(remedy)))
}

/// What a type of weights comes to on a device, with a remark where that is not what was asked for.
///
/// # Errors
/// See [`has_bf16`].
fn held(wanted: WeightType, ready: &Ready) -> Result<(WeightType, Option<Problem>)> {
    if wanted == WeightType::Bf16 {
        has_bf16(&ready.info)?;
        return Ok((wanted, None));
    }
    if wanted == WeightType::F32 || ready.half {
        return Ok((wanted, None));
    }
    let (why, remedy) = if ready.info.is_cpu() {
        ("problem-f32-on-cpu", "try-a-card-for-half")
    } else {
        ("problem-f32-on-card", "try-another-card-for-half")
    };
    let remark = Problem::new(message!(why))
        .at("--precision")
        .advise(message!(remedy));
    Ok((WeightType::F32, Some(remark)))
}

/// What a precision comes to on a device, with a remark where that is not what was asked for.
///
/// # Errors
/// See [`has_bf16`].
pub fn weight_type(precision: Precision, ready: &Ready) -> Result<(WeightType, Option<Problem>)> {
    held(precision.named().unwrap_or_default(), ready)
}

/// Returns the number format for predictions of a run on a device: the one it was trained with, or f32. Every CPU can
/// predict in bf16, although only some are fast enough to train in it.
pub fn answering_weights(header: &RunHeader, ready: &Ready) -> WeightType {
    match (ready.info.is_cpu(), header.kept_as()) {
        (true, WeightType::Bf16) => WeightType::Bf16,
        (false, WeightType::F16) if ready.half => WeightType::F16,
        _ => WeightType::F32,
    }
}
