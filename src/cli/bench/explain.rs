//! Shows where the time of a row goes. On the CPU: shape, kernel and speed of each matrix product, relative to the
//! processor's peak. On a GPU: the time of each kernel.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Row;
use crate::cli::output::Table;
use crate::device::{ReadyDevice, cooperative_matrices};
use crate::nn::explain::{self, Kernel};
use crate::nn::gpu_peak::measure_peaks;
use crate::nn::plans::{self, Plans};
use crate::nn::{bf16_kernel, launches, peak, uses_own_gpu_kernels};
use crate::problem::Result;

/// Maximum number of shapes or kernels in a table; the others are summarised in one line.
const MAX_ROWS: usize = 24;

/// The matrix products of a row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Products {
    /// Measured peak speed of one thread in 10⁹ floating-point operations per second.
    peak_gflops: f64,
    /// Measured peak speed with bf16 numbers, if there are such products.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bf16_peak_gflops: Option<f64>,
    /// Share of all threads' time spent in matrix products.
    share_of_time: f64,
    /// In descending order of time.
    ways: Vec<ProductShape>,
}

impl Products {
    fn peak_for(&self, shape: &ProductShape) -> f64 {
        let bf16_peak = self.bf16_peak_gflops;
        let bf16_peak = bf16_peak.filter(|_| shape.kernel == bf16_kernel().title());
        bf16_peak.unwrap_or(self.peak_gflops)
    }
}

/// All products of one shape and kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ProductShape {
    rows: usize,
    inner: usize,
    columns: usize,
    /// Whether the right matrix is transposed.
    #[serde(rename = "turned")]
    transposed: bool,
    kernel: String,
    times: u32,
    /// Total time of these products in seconds.
    seconds: f64,
    /// Speed of one thread.
    gflops: f64,
}

/// The kernels of a step on a GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kernels {
    /// Milliseconds per step, measured without observing its kernels.
    step_ms: f64,
    /// Measured peak speed of the GPU, unless the framework's kernels are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peak_gflops: Option<f64>,
    /// Measured peak speed with cooperative matrices of f16 values, if products use them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    f16_peak_gflops: Option<f64>,
    /// The fastest tiles of each class of products, if they were measured.
    #[serde(default)]
    tiles: Plans,
    /// The kernels in descending order of time.
    kernels: Vec<KernelTime>,
}

/// All launches of a kernel in a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KernelTime {
    kernel: String,
    launches: f64,
    milliseconds: f64,
    /// Speed, if it is a matrix product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gflops: Option<f64>,
}

/// Number of steps whose kernels are measured; more would exhaust the device's timestamps.
const OBSERVED_STEPS: u32 = 2;

/// Measures the kernels of some steps, each of which takes `step_ms` when not observed; `None` if nothing runs on a
/// GPU.
pub(super) fn measure_kernels(
    step_ms: f64,
    ready: &ReadyDevice,
    mut step: impl FnMut() -> Result<()>,
) -> Result<Option<Kernels>> {
    let mut totals: BTreeMap<String, launches::KernelLaunches> = BTreeMap::new();
    for _ in 0..OBSERVED_STEPS {
        let (result, found) = launches::observe(&mut step);
        result?;
        for launch in found {
            let sum = totals.entry(launch.kernel.clone()).or_default();
            sum.kernel = launch.kernel;
            sum.count += launch.count;
            sum.time += launch.time;
            sum.operations += launch.operations;
        }
    }
    let per_step = |value: f64| value / f64::from(OBSERVED_STEPS);
    let kernels = totals.into_values().map(|sum| KernelTime {
        kernel: sum.kernel,
        launches: per_step(sum.count.into()),
        milliseconds: per_step(sum.time.as_secs_f64() * 1e3),
        gflops: (sum.operations > 0.0)
            .then(|| sum.operations / sum.time.as_secs_f64().max(1e-9) / 1e9),
    });
    let mut kernels: Vec<_> = kernels.collect();
    kernels.sort_by(|a, b| b.milliseconds.total_cmp(&a.milliseconds));
    if kernels.is_empty() {
        return Ok(None);
    }
    let tiles = plans::current_plans();
    let fragments = match tiles.has_cooperative() {
        true => cooperative_matrices(&ready.info),
        false => None,
    };
    let peaks = match uses_own_gpu_kernels() {
        true => Some(measure_peaks(&ready.device, fragments)?),
        false => None,
    };
    Ok(Some(Kernels {
        step_ms,
        peak_gflops: peaks.map(|peaks| peaks.f32 / 1e9),
        f16_peak_gflops: peaks.and_then(|peaks| peaks.f16).map(|peak| peak / 1e9),
        tiles,
        kernels,
    }))
}

impl Kernels {
    /// Returns launches and milliseconds of the chosen kernels.
    fn sum(&self, is_selected: impl Fn(&KernelTime) -> bool) -> (f64, f64) {
        let selected = self.kernels.iter().filter(|kernel| is_selected(kernel));
        selected.fold((0.0, 0.0), |(launches, time), kernel| {
            (launches + kernel.launches, time + kernel.milliseconds)
        })
    }

    /// Returns the speed of a product, relative to the peak of the arithmetic that it uses. Products of f32 values with
    /// cooperative matrices need three, so that they reach at most a third.
    fn share_of_peak(&self, kernel: &KernelTime) -> Option<f64> {
        let peak = match kernel.kernel.contains("lanes)") {
            true => self.f16_peak_gflops,
            false => self.peak_gflops,
        };
        Some(kernel.gflops? / peak?)
    }

    fn text(&self) -> String {
        let mut table = Table::new(&["kernel", ">launches", ">ms", ">GFLOP/s", ">of peak"]);
        for kernel in self.kernels.iter().take(MAX_ROWS) {
            let share = self.share_of_peak(kernel);
            table.add_row([
                kernel.kernel.clone(),
                format!("{:.0}", kernel.launches),
                format!("{:.3}", kernel.milliseconds),
                kernel.gflops.map_or_else(String::new, |speed| format!("{speed:.0}")),
                share.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share)),
            ]);
        }
        let is_product = |kernel: &KernelTime| kernel.gflops.is_some();
        let is_program_kernel = |kernel: &KernelTime| kernel.kernel.contains(' ');
        let groups = [
            ("products", self.sum(is_product)),
            (
                "other kernels of the program",
                self.sum(|kernel| is_program_kernel(kernel) && !is_product(kernel)),
            ),
            ("the framework's kernels", self.sum(|kernel| !is_program_kernel(kernel))),
        ];
        let groups = groups.map(|(name, (launches, time))| {
            format!("{name} {time:.2} ms in {launches:.0} launches")
        });
        let left = match self.kernels.len().saturating_sub(MAX_ROWS) {
            0 => String::new(),
            left => format!("and {left} more kernels that take less time each\n"),
        };
        let operations = self
            .kernels
            .iter()
            .filter_map(|kernel| kernel.gflops.map(|speed| speed * kernel.milliseconds));
        let speed = operations.sum::<f64>() / self.step_ms;
        let peaks = [("f32", self.peak_gflops), ("f16", self.f16_peak_gflops)];
        let peaks = peaks.into_iter().filter_map(|(numbers, peak)| {
            Some(format!(", the GPU's peak with {numbers} {:.0}", peak?))
        });
        let idle = self.step_ms - self.sum(|_| true).1;
        let idle = match idle > 0.0 {
            true => format!(", waiting for launches {idle:.2} ms"),
            false => String::new(),
        };
        let tiles = match (self.tiles.is_empty(), toml::to_string(&self.tiles)) {
            (false, Ok(tiles)) => format!("fastest tiles of each class of products:\n{tiles}"),
            _ => String::new(),
        };
        format!(
            "a step takes {:.2} ms\nGFLOP/s: step {speed:.0}{}\n{}{idle}\n{table}{left}{tiles}",
            self.step_ms,
            peaks.collect::<String>(),
            groups.join(", ")
        )
    }
}

/// Returns the result of `work` and, if `is_requested`, the matrix products that it computed.
pub(super) fn record_products<T>(
    is_requested: bool,
    work: impl FnOnce() -> Result<T>,
) -> Result<(T, Option<Products>)> {
    if !is_requested {
        return Ok((work()?, None));
    }
    let start = Instant::now();
    let (result, products) = explain::record_products(work);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let total_seconds = start.elapsed().as_secs_f64() * threads as f64;
    let mut shapes: Vec<ProductShape> = products
        .into_iter()
        .map(|(product, spent)| {
            let explain::Product { rows, inner, columns, transposed, kernel } = product;
            let seconds = spent.time.as_secs_f64();
            let operations = 2.0 * [rows, inner, columns].map(|n| n as f64).iter().product::<f64>();
            ProductShape {
                rows,
                inner,
                columns,
                transposed,
                kernel: kernel.title().to_string(),
                times: spent.count,
                seconds,
                gflops: operations * f64::from(spent.count) / seconds.max(1e-9) / 1e9,
            }
        })
        .collect();
    shapes.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let is_bf16 = |shape: &ProductShape| shape.kernel == bf16_kernel().title();
    let products = Products {
        peak_gflops: peak(Kernel::Gemm) / 1e9,
        bf16_peak_gflops: (shapes.iter().any(is_bf16)).then(|| peak(bf16_kernel()) / 1e9),
        share_of_time: shapes.iter().map(|shape| shape.seconds).sum::<f64>() / total_seconds,
        ways: shapes,
    };
    Ok((result?, (!products.ways.is_empty()).then_some(products)))
}

/// Returns a row's products or kernels as text.
pub(super) fn row_text(row: &Row) -> Option<String> {
    if let Some(kernels) = &row.kernels {
        let (backbone, batch, mode) = (&row.backbone, row.batch, row.mode.key());
        return Some(format!("{backbone}, batch {batch}, {mode}: {}", kernels.text()));
    }
    let products = row.products.as_ref()?;
    let mut table = Table::new(&[
        ">rows",
        ">inner",
        ">columns",
        "right matrix",
        "kernel",
        ">times",
        ">seconds",
        ">GFLOP/s",
        ">of peak",
    ]);
    for shape in products.ways.iter().take(MAX_ROWS) {
        table.add_row([
            shape.rows.to_string(),
            shape.inner.to_string(),
            shape.columns.to_string(),
            if shape.transposed { "transposed" } else { "as stored" }.to_string(),
            shape.kernel.clone(),
            shape.times.to_string(),
            format!("{:.3}", shape.seconds),
            format!("{:.0}", shape.gflops),
            format!("{:.0} %", 100.0 * shape.gflops / products.peak_for(shape)),
        ]);
    }
    let left = match products.ways.len().saturating_sub(MAX_ROWS) {
        0 => String::new(),
        left => format!("and {left} more shapes that take less time each\n"),
    };
    Some(format!(
        "{}, batch {}, {}: {:.0} % of the time in products; one thread reaches {:.0} GFLOP/s{}\n{table}{left}",
        row.backbone,
        row.batch,
        row.mode.key(),
        100.0 * products.share_of_time,
        products.peak_gflops,
        products.bf16_peak_gflops.map_or_else(String::new, |peak| format!(", {peak:.0} with bf16")),
    ))
}
