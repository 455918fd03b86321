//! The peak speed of a GPU: independent multiply-adds on values in registers.

use std::fmt::Write;

use burn::tensor::{DType, Device};

use super::kernel::{Bound, Kernel};
use super::product::Fragments;
use super::trials::{matrix, shortest_time};
use crate::problem::Result;

/// Number of workgroups of a launch.
const GROUPS: u32 = 2048;
/// Number of threads of a workgroup without cooperative matrices.
const THREADS: u32 = 256;
/// Number of subgroups of a workgroup with cooperative matrices.
const SUBGROUPS: u32 = 4;
/// Number of independent sums of a thread or subgroup.
const SUMS: u32 = 8;
/// Number of multiply-adds for each sum.
const STEPS: u32 = 256;

/// Floating-point operations per second.
#[derive(Clone, Copy, Debug)]
pub struct Peaks {
    /// With f32 values.
    pub f32: f64,
    /// With cooperative matrices of f16 values, summed in f32; `None` if they are not used.
    pub f16: Option<f64>,
}

/// Measures the peak speed of a GPU; with cooperative matrices if `fragments` describes them.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn measure_peaks(device: &Device, fragments: Option<Fragments>) -> Result<Peaks> {
    let out = matrix([1, 4], DType::F32, device)?;
    let speed = |kernel: Kernel, operations: f64| {
        let launch = || kernel.launch([GROUPS, 1, 1], &[Bound::Update(&out)]);
        Ok(operations * f64::from(GROUPS * SUMS * STEPS) / shortest_time(&out, launch)?)
    };
    let matrix_speed = |fragments: Fragments| {
        let operations = 2.0 * f64::from(SUBGROUPS) * f64::from(fragments.size.pow(3));
        speed(fragment_kernel(fragments), operations)
    };
    Ok(Peaks {
        f32: speed(vector_kernel(), 2.0 * 4.0 * f64::from(THREADS))?,
        f16: fragments.map(matrix_speed).transpose()?,
    })
}

/// Returns statements with a line for each sum, in which `#` is its number.
fn for_each_sum(statement: &str) -> String {
    (0..SUMS).map(|sum| format!("{}\n", statement.replace('#', &sum.to_string()))).collect()
}

/// Returns an expression for the total of all sums.
fn total() -> String {
    let sums: Vec<String> = (0..SUMS).map(|sum| format!("c{sum}")).collect();
    sums.join(" + ")
}

/// Returns a kernel whose threads add products of f32 vectors.
fn vector_kernel() -> Kernel {
    // A thread stores its result only if it has a value that does not occur, so that no memory is written.
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size({THREADS})
fn main(@builtin(local_invocation_index) t: u32) {{
  let x = vec4<f32>(out[0]) * 0.25;
  let y = vec4<f32>(out[1]);
{begin}  for (var i = 0u; i < {loops}u; i++) {{
{step}{step}{step}{step}  }}
  let total = {total};
  if (total.x + total.y + total.z + total.w == 12345.0) {{ out[2] = 1.0; }}
}}
",
        begin = for_each_sum("var c# = vec4<f32>(f32(t + #u));"),
        loops = STEPS / 4,
        step = for_each_sum("c# = fma(c#, x, y);"),
        total = total(),
    );
    Kernel::new("peak of f32".into(), &text, THREADS)
}

/// Returns a kernel whose subgroups add products of cooperative matrices.
fn fragment_kernel(Fragments { size, lanes }: Fragments) -> Kernel {
    let (threads, cells) = (SUBGROUPS * lanes, size * size);
    let mut text = format!(
        "enable f16;
enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<vec4<f16>, {}>;
var<workgroup> slab: array<vec4<f32>, {}>;
@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) t: u32) {{
  for (var i = t; i < {}u; i += {threads}u) {{ tile[i] = vec4<f16>(vec4<f32>(out[0])); }}
  workgroupBarrier();
",
        cells / 4,
        SUBGROUPS * cells / 4,
        cells / 4,
    );
    for (name, role) in [("a", "A"), ("b", "B")] {
        let _ = writeln!(
            text,
            "let {name} = coopLoadT<coop_mat{size}x{size}<f16, {role}>>(&tile[0], {}u);",
            size / 4
        );
    }
    let _ = write!(
        text,
        "{begin}  for (var i = 0u; i < {STEPS}u; i++) {{
{step}  }}
  let total = {total};
  let first = t / {lanes}u * {vectors}u;
  let pitch = {pitch}u;
  coopStoreT(total, &slab[first], pitch);
  workgroupBarrier();
  if (slab[t % {vectors}u].x == 12345.0) {{ out[2] = 1.0; }}
}}
",
        begin = for_each_sum(&format!("var c# = coop_mat{size}x{size}<f32, C>();")),
        step = for_each_sum("c# = coopMultiplyAdd(a, b, c#);"),
        total = total(),
        vectors = cells / 4,
        pitch = size / 4,
    );
    Kernel::new("peak of f16".into(), &text, threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_kernels_are_valid_wgsl() {
        vector_kernel().validate();
        for fragments in Fragments::all() {
            fragment_kernel(fragments).validate_cooperative();
        }
    }
}
