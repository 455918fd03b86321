//! Chooses, tests and opens the device that the user requested, or the CPU if that fails.

use burn::tensor::{DType, Device};

use super::{DeviceInfo, SelfTestResult, choose, open, trust};
use crate::nn;
use crate::problem::{Problem, Result};

/// A device that is ready for use.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The device in the list.
    pub info: DeviceInfo,
    /// The opened device, without autodiff.
    pub device: Device,
    /// Why the CPU is used although a GPU was chosen.
    pub remark: Option<Problem>,
    /// Whether weights may be stored in half precision: the driver supports the type, and the self-test with it
    /// passed. Always false for the CPU, whose kernels are f32.
    pub half: bool,
}

/// A device that was chosen and passed its self-test, but is not open yet. Choosing may take a minute and opens no
/// device in this process, so it can run on any thread.
#[derive(Clone, Debug)]
pub struct Trusted {
    /// The device in the list.
    pub info: DeviceInfo,
    /// Why the CPU is used although a GPU was chosen.
    pub remark: Option<Problem>,
    /// The result of the self-test.
    pub verdict: SelfTestResult,
}

/// Chooses a device, and tests it if it was not tested before. If a GPU fails, the CPU is used, and `remark` contains
/// the reason.
///
/// # Errors
/// Returns a Problem if no device matches `wanted`.
pub fn trusted(wanted: &str) -> Result<Trusted> {
    let info = choose(wanted)?;
    match trust(&info) {
        Ok(verdict) => Ok(Trusted {
            info,
            remark: None,
            verdict,
        }),
        Err(problem) => Trusted::cpu_instead(problem),
    }
}

impl Trusted {
    /// Returns the CPU, with a remark on the GPU that it replaces.
    ///
    /// # Errors
    /// Never in practice, because the CPU is always available.
    pub fn cpu_instead(problem: Problem) -> Result<Self> {
        let remark = problem.inside("problem-cpu-instead");
        let info = choose("cpu")?;
        Ok(Self {
            verdict: trust(&info)?,
            info,
            remark: Some(remark),
        })
    }

    /// Opens the device, or the CPU if its driver fails.
    ///
    /// # Errors
    /// Returns a Problem if the CPU cannot be opened either.
    pub fn open(self) -> Result<Ready> {
        if !self.info.is_cpu() {
            nn::use_own_gpu_kernels(self.verdict.kernels);
            nn::plans::set_plans(&self.verdict.plans);
        }
        let (chosen, device) = match open(&self.info) {
            Ok(device) => (self, device),
            Err(problem) => {
                let cpu = Self::cpu_instead(problem)?;
                let device = open(&cpu.info)?;
                (cpu, device)
            }
        };
        Ok(Ready {
            half: chosen.verdict.half && device.supports_dtype(DType::F16),
            info: chosen.info,
            device,
            remark: chosen.remark,
        })
    }
}

/// Chooses, tests and opens a device, or the CPU if that fails.
///
/// # Errors
/// Returns a Problem if no device matches `wanted`.
pub fn ready(wanted: &str) -> Result<Ready> {
    trusted(wanted)?.open()
}
