//! Chooses, tests and opens the device that the user requested, or the CPU if that fails.

use burn::tensor::{DType, Device};

use super::{DeviceInfo, SelfTestResult, choose, ensure_tested, open};
use crate::nn;
use crate::problem::{Problem, Result};

/// A device that is ready for use.
#[derive(Clone, Debug)]
pub struct ReadyDevice {
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
pub struct TestedDevice {
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
pub fn choose_tested(wanted: &str) -> Result<TestedDevice> {
    let info = choose(wanted)?;
    match ensure_tested(&info) {
        Ok(verdict) => Ok(TestedDevice { info, remark: None, verdict }),
        Err(problem) => TestedDevice::cpu_fallback(problem),
    }
}

impl TestedDevice {
    /// Returns the CPU, with a remark on the GPU that it replaces.
    ///
    /// # Errors
    /// Never in practice, because the CPU is always available.
    pub fn cpu_fallback(problem: Problem) -> Result<Self> {
        let remark = problem.context("problem-cpu-instead");
        let info = choose("cpu")?;
        Ok(Self { verdict: ensure_tested(&info)?, info, remark: Some(remark) })
    }

    /// Opens the device, or the CPU if its driver fails.
    ///
    /// # Errors
    /// Returns a Problem if the CPU cannot be opened either.
    pub fn open(self) -> Result<ReadyDevice> {
        if !self.info.is_cpu() {
            nn::use_own_gpu_kernels(self.verdict.kernels);
            nn::plans::set_plans(&self.verdict.plans);
        }
        let (tested, device) = match open(&self.info) {
            Ok(device) => (self, device),
            Err(problem) => {
                let cpu = Self::cpu_fallback(problem)?;
                let device = open(&cpu.info)?;
                (cpu, device)
            }
        };
        Ok(ReadyDevice {
            half: tested.verdict.half && device.supports_dtype(DType::F16),
            info: tested.info,
            device,
            remark: tested.remark,
        })
    }
}

/// Chooses, tests and opens a device, or the CPU if that fails.
///
/// # Errors
/// Returns a Problem if no device matches `wanted`.
pub fn prepare(wanted: &str) -> Result<ReadyDevice> {
    choose_tested(wanted)?.open()
}
