//! Kernels that work row by row: layer norm and softmax. A workgroup computes one row: its threads read the row with a
//! stride and reduce their partial results in shared memory.

use std::fmt::Write;

use burn_cubecl::tensor::CubeTensor;

use super::kernel::{Bound, Cache, Kernel, cached_numbers, declare, empty, grid};

/// The operation of a row kernel, with all parameters of its source. f32 parameters are stored as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Row {
    Norm { width: u32, epsilon: u32 },
    NormGradient { width: u32, epsilon: u32, residual: bool },
    Softmax { width: u32, pitch: u32, bias: Option<GroupBias> },
    SoftmaxGradient { width: u32, pitch: u32, scale: u32 },
}

/// The layout of a bias of scores, groups × heads × tokens × tokens. Image or window `i` uses group `i % groups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupBias {
    /// Number of groups.
    pub groups: u32,
    /// Number of attention heads.
    pub heads: u32,
    /// Number of rows in the scores of a head.
    pub queries: u32,
}

const THREADS: u32 = 64;

/// WGSL functions that return the sum or the maximum of one value per thread; all threads get the result.
const REDUCE: &str = "
var<workgroup> parts: array<f32, 64>;
fn total(t: u32, value: f32) -> f32 {
  parts[t] = value;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half = half >> 1u) {
    if (t < half) { parts[t] = parts[t] + parts[t + half]; }
    workgroupBarrier();
  }
  let result = parts[0];
  workgroupBarrier();
  return result;
}
fn largest(t: u32, value: f32) -> f32 {
  parts[t] = value;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half = half >> 1u) {
    if (t < half) { parts[t] = max(parts[t], parts[t + half]); }
    workgroupBarrier();
  }
  let result = parts[0];
  workgroupBarrier();
  return result;
}
";

/// Computes the layer norm of rows: (x − mean) / √(variance + epsilon) · gamma + beta.
pub fn norm(x: &CubeTensor, gamma: &CubeTensor, beta: &CubeTensor, epsilon: f64) -> CubeTensor {
    let y = empty(x, x.meta.shape());
    let row = Row::Norm { width: width(x), epsilon: (epsilon as f32).to_bits() };
    let buffers = [x, gamma, beta].map(Bound::Read);
    row.launch(x, &[&buffers[..], &[Bound::Write(&y)]].concat());
    y
}

/// Computes the gradient of a layer norm's input: with x̂ = (x − mean) / σ and h = g · gamma, (h − mean(h) − x̂ ·
/// mean(h · x̂)) / σ, plus `residual` if there is one.
pub fn norm_gradient(
    x: &CubeTensor,
    gamma: &CubeTensor,
    g: &CubeTensor,
    epsilon: f64,
    residual: Option<&CubeTensor>,
) -> CubeTensor {
    let dx = empty(x, x.meta.shape());
    let row = Row::NormGradient {
        width: width(x),
        epsilon: (epsilon as f32).to_bits(),
        residual: residual.is_some(),
    };
    let buffers = [x, gamma, g].into_iter().chain(residual).map(Bound::Read);
    let buffers: Vec<_> = buffers.chain([Bound::Write(&dx)]).collect();
    row.launch(x, &buffers);
    dx
}

/// Adds the bias to `scores` and computes the softmax of the first `width` values of each row, in place; the rest of
/// each row becomes zero.
pub fn softmax(scores: &CubeTensor, width: usize, bias: Option<(&CubeTensor, GroupBias)>) {
    let row = Row::Softmax {
        width: width as u32,
        pitch: self::width(scores),
        bias: bias.map(|(_, bias)| bias),
    };
    let bias = bias.map(|(values, _)| Bound::Read(values));
    let buffers: Vec<_> = std::iter::once(Bound::Update(scores)).chain(bias).collect();
    row.launch(scores, &buffers);
}

/// Replaces the gradient `g` of a softmax by that of its input, in place: scale · p · (g − Σ g · p), with the
/// probabilities p.
pub fn softmax_gradient(g: &CubeTensor, p: &CubeTensor, width: usize, scale: f32) {
    let row =
        Row::SoftmaxGradient { width: width as u32, pitch: self::width(g), scale: scale.to_bits() };
    row.launch(g, &[Bound::Update(g), Bound::Read(p)]);
}

fn width(x: &CubeTensor) -> u32 {
    x.meta.shape().last().map_or(0, |width| *width as u32)
}

impl Row {
    /// Launches a workgroup for each row of `like`.
    fn launch(self, like: &CubeTensor, buffers: &[Bound<'_>]) {
        static KERNELS: Cache<Row> = Cache::new();
        let kernel = KERNELS.get(&self, || self.kernel());
        let count: usize = like.meta.shape().iter().product();
        let rows = count / (width(like) as usize).max(1);
        let sizes = cached_numbers(like, [rows as u32, 0, 0]);
        let buffers = [buffers, &[Bound::Read(&sizes)]].concat();
        kernel.launch(grid(rows), &buffers);
    }

    fn kernel(self) -> Kernel {
        let name = match self {
            Self::Norm { .. } => "layer norm",
            Self::NormGradient { .. } => "layer norm gradient",
            Self::Softmax { .. } => "softmax of rows",
            Self::SoftmaxGradient { .. } => "softmax gradient",
        };
        Kernel::new(name.into(), &self.text(), THREADS)
    }

    fn text(self) -> String {
        let (names, body) = match self {
            Self::Norm { width, epsilon } => (
                vec!["x", "gamma", "beta", "y"],
                format!(
                    "{}{}",
                    moments(width, epsilon),
                    each(
                        width,
                        "y[first + i] = (x[first + i] - mean) * rate * gamma[i] + beta[i];"
                    )
                ),
            ),
            Self::NormGradient { width, epsilon, residual } => {
                norm_gradient_text(width, epsilon, residual)
            }
            Self::Softmax { width, pitch, bias } => softmax_text(width, pitch, bias),
            Self::SoftmaxGradient { width, pitch, scale } => (
                vec!["g", "p"],
                format!(
                    "  let first = row * {pitch}u;\n  var own = 0.0;\n{}  let mean = total(t, own);\n{}{}",
                    each(width, "own += g[first + i] * p[first + i];"),
                    each(
                        width,
                        &format!(
                            "g[first + i] = {:?} * p[first + i] * (g[first + i] - mean);",
                            f32::from_bits(scale)
                        )
                    ),
                    zeros("g", width, pitch)
                ),
            ),
        };
        let mut text = declare(&names, &["sizes"]);
        text.push_str(REDUCE);
        let _ = write!(
            text,
            "@compute @workgroup_size({THREADS})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  let row = group.y * groups.x + group.x;
  let valid = row < sizes[0];
{body}}}
"
        );
        text
    }
}

/// Returns a WGSL loop of a thread over its values of a row.
fn each(width: u32, statement: &str) -> String {
    format!("  for (var i = t; valid && i < {width}u; i += {THREADS}u) {{ {statement} }}\n")
}

/// Returns WGSL code that fills the padding after the values of a row with zeros.
fn zeros(name: &str, width: u32, pitch: u32) -> String {
    match pitch - width {
        0 => String::new(),
        gap => format!("  if (valid && t < {gap}u) {{ {name}[first + {width}u + t] = 0.0; }}\n"),
    }
}

/// Returns WGSL code for the mean of a row of `x`, and for `rate` = 1 / √(variance + epsilon).
fn moments(width: u32, epsilon: u32) -> String {
    format!(
        "  let first = row * {width}u;\n  var own = 0.0;\n{}  let mean = total(t, own) / {width}.0;\n  own = 0.0;\n{}  let rate = inverseSqrt(total(t, own) / {width}.0 + {:?});\n",
        each(width, "own += x[first + i];"),
        each(width, "let d = x[first + i] - mean; own += d * d;"),
        f32::from_bits(epsilon)
    )
}

fn norm_gradient_text(width: u32, epsilon: u32, residual: bool) -> (Vec<&'static str>, String) {
    let mut names = vec!["x", "gamma", "g", "dx"];
    let mut rest = "";
    if residual {
        names.insert(3, "residual");
        rest = " + residual[first + i]";
    }
    let body = format!(
        "{}  var sum = 0.0;\n  var along = 0.0;\n{}  let shift = total(t, sum) / {width}.0;\n  let slope = total(t, along) / {width}.0;\n{}",
        moments(width, epsilon),
        each(
            width,
            "let h = g[first + i] * gamma[i]; sum += h; along += h * (x[first + i] - mean) * rate;"
        ),
        each(
            width,
            &format!(
                "dx[first + i] = (g[first + i] * gamma[i] - shift - (x[first + i] - mean) * rate * slope) * rate{rest};"
            )
        ),
    );
    (names, body)
}

fn softmax_text(width: u32, pitch: u32, bias: Option<GroupBias>) -> (Vec<&'static str>, String) {
    let mut names = vec!["scores"];
    let mut body = format!("  let first = row * {pitch}u;\n");
    if let Some(GroupBias { groups, heads, queries }) = bias {
        names.push("bias");
        let head = heads * queries;
        let _ = write!(
            body,
            "  let group_row = ((row / {head}u) % {groups}u) * {head}u + row % {head}u;\n{}",
            each(width, &format!("scores[first + i] += bias[group_row * {width}u + i];"))
        );
    }
    // Each thread reads only values that it wrote itself, so no barrier is needed.
    let _ = write!(
        body,
        "  var most = -3.4e38;\n{}  let top = largest(t, most);\n  var own = 0.0;\n{}  let rate = 1.0 / total(t, own);\n{}{}",
        each(width, "most = max(most, scores[first + i]);"),
        each(width, "let e = exp(scores[first + i] - top); scores[first + i] = e; own += e;"),
        each(width, "scores[first + i] *= rate;"),
        zeros("scores", width, pitch)
    );
    (names, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_kernels_are_valid_wgsl() {
        let bias = GroupBias { groups: 4, heads: 3, queries: 49 };
        let epsilon = 1e-6f32.to_bits();
        let scale = 0.125f32.to_bits();
        let mut rows = Vec::new();
        for (width, pitch) in [(50, 52), (64, 64), (1, 4), (768, 768)] {
            rows.push(Row::Norm { width, epsilon });
            rows.extend([false, true].map(|residual| Row::NormGradient {
                width,
                epsilon,
                residual,
            }));
            rows.extend([None, Some(bias)].map(|bias| Row::Softmax { width, pitch, bias }));
            rows.push(Row::SoftmaxGradient { width, pitch, scale });
        }
        for row in rows {
            row.kernel().validate();
        }
    }
}
