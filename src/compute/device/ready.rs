//! From what the user wants to a device that is open: chosen, tested and opened, or the CPU where that fails.

use burn::tensor::{DType, Device};

use super::{DeviceInfo, SelfTestResult, choose, open, trust};
use crate::nn;
use crate::problem::{Problem, Result};

/// A device that is ready for work.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Which one.
    pub info: DeviceInfo,
    /// The plain device.
    pub device: Device,
    /// Why it is the CPU although a GPU was chosen.
    pub remark: Option<Problem>,
    /// Whether weights may be kept in half precision: its driver has the type, and computed
    /// rightly with it in the self-test. Never on the CPU, whose kernels are f32.
    pub half: bool,
}

/// A device that was chosen and passed its self-test, but is not opened yet. Finding it may take a
/// minute and touches no device in this process, so any thread may do it.
#[derive(Clone, Debug)]
pub struct Trusted {
    /// Which one.
    pub info: DeviceInfo,
    /// Why it is the CPU although a GPU was chosen.
    pub remark: Option<Problem>,
    /// Result of the self-test.
    pub verdict: SelfTestResult,
}

/// Chooses a device and tests it if it was not tested before. A GPU that fails is reported in
/// `remark` and the CPU takes its place.
///
/// # Errors
/// Returns a Problem if nothing fits `wanted`.
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
    /// None in practice: the CPU is always there.
    pub fn cpu_instead(problem: Problem) -> Result<Self> {
        let remark = problem.inside("problem-cpu-instead");
        let info = choose("cpu")?;
        Ok(Self {
            verdict: trust(&info)?,
            info,
            remark: Some(remark),
        })
    }

    /// Opens it, or the CPU where its driver refuses.
    ///
    /// # Errors
    /// Returns a Problem if not even the CPU can be had.
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

/// Chooses, tests and opens a device, the CPU where that fails.
///
/// # Errors
/// Returns a Problem if nothing fits `wanted`.
pub fn ready(wanted: &str) -> Result<Ready> {
    trusted(wanted)?.open()
}
