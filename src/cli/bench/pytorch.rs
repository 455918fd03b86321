//! Measures the same work in PyTorch, if it is installed.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde::{Deserialize, Serialize};

use super::Row;
use crate::device;
use crate::nn::WeightType;
use crate::problem::{Problem, Result};

/// Script that does the work of a row with PyTorch and timm; it documents its own usage.
const SCRIPT: &str = include_str!("../../../tests/speed_torch.py");
/// Exit code of the script for a network, method or mode that it does not support.
const UNSUPPORTED_EXIT_CODE: i32 = 2;

/// Speed of a row in PyTorch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PyTorchSpeed {
    /// float32, tf32 or bfloat16, and whether it was compiled.
    pub dtype: String,
    /// Images per second.
    pub images_per_second: f64,
}

/// A Python installation with PyTorch and timm.
pub struct PyTorch<'a> {
    python: &'a str,
    device: &'static str,
    compiled: bool,
}

impl<'a> PyTorch<'a> {
    /// Checks whether this Python has the packages for the rows of a device.
    pub fn find(python: &'a str, device: &str, compiled: bool) -> Result<Self> {
        let (device, script) = match device::choose(device)?.is_cpu() {
            true => ("cpu", "import torch, timm"),
            false => (
                "cuda",
                "import torch, timm; assert torch.cuda.is_available(), 'no GPU is visible'",
            ),
        };
        let to_problem = |why: String| {
            Problem::new(format!("PyTorch cannot be measured: {why}"))
                .at(format!("--pytorch {python}"))
                .advise("give a Python with both packages: python3 -m pip install torch timm")
        };
        let output = Command::new(python).args(["-c", script]).output();
        let output = output.map_err(|error| to_problem(error.to_string()))?;
        if !output.status.success() {
            return Err(to_problem(last_line(&output)));
        }
        Ok(Self { python, device, compiled })
    }

    /// Measures the work of a row; returns an empty list if the script does not support the row.
    pub fn measure(&self, row: &Row, seconds: f64) -> Result<Vec<PyTorchSpeed>> {
        let is_bf16 = row.weights == WeightType::Bf16.title();
        let dtypes: &[&str] = match (self.device, is_bf16) {
            ("cpu", false) => &["float32"],
            ("cpu", true) => &["float32", "bfloat16"],
            _ => &["float32", "tf32", "bfloat16"],
        };
        let mut all = Vec::new();
        for dtype in dtypes {
            all.extend(self.measure_dtype(row, dtype, false, seconds)?);
            if self.compiled {
                all.extend(self.measure_dtype(row, dtype, true, seconds)?);
            }
        }
        Ok(all)
    }

    fn measure_dtype(
        &self,
        row: &Row,
        dtype: &str,
        compiled: bool,
        seconds: f64,
    ) -> Result<Option<PyTorchSpeed>> {
        let to_problem = |why: String| {
            Problem::new(format!("PyTorch failed: {why}"))
                .at(format!("{}, batch {}, {dtype}", row.backbone, row.batch))
                .advise("try a smaller --batch, or omit --pytorch")
        };
        let io_problem = |error: std::io::Error| to_problem(error.to_string());
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let mut child = Command::new(self.python)
            .args(["-", &row.backbone, row.mode.key(), &row.batch.to_string()])
            .args([&seconds.to_string(), "--method", &row.method, "--json"])
            .args(["--device", self.device, "--dtype", dtype])
            .args(["--threads", &threads.to_string()])
            .args(compiled.then_some("--compile"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(io_problem)?;
        if let Some(mut script) = child.stdin.take() {
            script.write_all(SCRIPT.as_bytes()).map_err(io_problem)?;
        }
        let output = child.wait_with_output().map_err(io_problem)?;
        if output.status.code() == Some(UNSUPPORTED_EXIT_CODE) {
            return Ok(None);
        }
        #[derive(Deserialize)]
        struct PyTorchOutput {
            images_per_second: f64,
        }
        let result: PyTorchOutput =
            serde_json::from_slice(&output.stdout).map_err(|_| to_problem(last_line(&output)))?;
        Ok(Some(PyTorchSpeed {
            dtype: match compiled {
                true => format!("{dtype} compiled"),
                false => dtype.to_owned(),
            },
            images_per_second: result.images_per_second,
        }))
    }
}

/// Returns the last line of a program's error output.
fn last_line(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    last.map_or_else(|| format!("it ended with {}", output.status), str::to_owned)
}
