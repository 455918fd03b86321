//! The depthwise convolution of ConvNeXt. A thread computes a few neighbours of a channel.

use std::fmt::Write;
use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;

use super::autodiff::{BackwardFn, apply, constant, to_input};
use super::kernel::{Bound, Cache, Kernel, empty, launch_values, value_kernel};

/// Neighbours in a row of the grid that a thread computes.
const STRIP: usize = 8;

/// A convolution with 7 × 7 taps per channel over a grid of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Depthwise {
    rows: usize,
    columns: usize,
    channels: usize,
    /// Whether the kernel computes the gradient of the input: it reads the taps in reverse order, without a bias.
    backward: bool,
}

impl Depthwise {
    /// Launches the kernel for a batch: `x`, `taps` (49 × channels) and `bias` → `y`, batch × rows × columns × channels.
    fn launch(self, batch: usize, buffers: &[Bound<'_>]) {
        static KERNELS: Cache<Depthwise> = Cache::new();
        let Some(x) = buffers.first() else { return };
        let kernel = KERNELS.get(&self, || self.kernel());
        let threads = batch * self.rows * self.columns.div_ceil(STRIP) * self.channels;
        launch_values(&kernel, [threads, 0], buffers, x.tensor());
    }

    fn kernel(self) -> Kernel {
        let names: &[&str] = match self.backward {
            true => &["x", "taps", "y"],
            false => &["x", "taps", "bias", "y"],
        };
        value_kernel("depthwise convolution", names, &["count"], &self.body())
    }

    /// Returns the body of the kernel. Each row of inputs and taps is read once for all neighbours.
    fn body(self) -> String {
        let Self { rows, columns, channels, backward } = self;
        let strips = columns.div_ceil(STRIP);
        let mut text = format!(
            "let channel = i % {channels}u;
    let strip = i / {channels}u % {strips}u;
    let row = i / {} % {rows}u;
    let image = i / {};
    let left = strip * {STRIP}u;
",
            channels * strips,
            channels * strips * rows,
        );
        let start = match backward {
            true => "0.0",
            false => "bias[channel]",
        };
        for k in 0..STRIP {
            let _ = writeln!(text, "    var sum{k} = {start};");
        }
        let _ = writeln!(
            text,
            "    for (var down = 0u; down < 7u; down++) {{
      let source = row + down;
      if (source >= 3u && source < {}u) {{
        let base = ((image * {rows}u + source - 3u) * {columns}u) * {channels}u + channel;",
            rows + 3
        );
        // Column `left + k - 3` of the input; zero outside the grid.
        for k in 0..STRIP + 6 {
            let _ = writeln!(
                text,
                "        let c{k} = left + {k}u;
        var x{k} = 0.0;
        if (c{k} >= 3u && c{k} < {}u) {{ x{k} = x[base + (c{k} - 3u) * {channels}u]; }}",
                columns + 3
            );
        }
        for tap in 0..7 {
            let index = match backward {
                true => format!("48u - down * 7u - {tap}u"),
                false => format!("down * 7u + {tap}u"),
            };
            let _ = writeln!(text, "        let w{tap} = taps[({index}) * {channels}u + channel];");
            for k in 0..STRIP {
                let _ = writeln!(text, "        sum{k} += w{tap} * x{};", k + tap);
            }
        }
        text += "      }\n    }\n";
        let _ = writeln!(
            text,
            "    let out = ((image * {rows}u + row) * {columns}u + left) * {channels}u + channel;"
        );
        for k in 0..STRIP {
            let _ = writeln!(
                text,
                "    if (left + {k}u < {columns}u) {{ y[out + {}u] = sum{k}; }}",
                k * channels
            );
        }
        text
    }
}

/// Computes a depthwise 7 × 7 convolution over the grid of tokens with constant taps (49 × channels) and bias; see
/// [`crate::nn::Depthwise7`].
pub fn depthwise7(
    x: &Tensor<3>,
    [rows, columns]: [usize; 2],
    taps: &Tensor<2>,
    bias: &Tensor<1>,
) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [taps, bias] = [constant(taps)?, constant(bias)?].map(into_contiguous);
    let [batch, _, channels] = x.dims();
    let convolution = Depthwise { rows, columns, channels, backward: false };
    (x.shape().num_elements() > 0).then(|| {
        apply([input], |[x]| {
            let x = into_contiguous(x);
            let y = empty(&x, x.meta.shape());
            let buffers = [&x, &taps, &bias].map(Bound::Read);
            convolution.launch(batch, &[&buffers[..], &[Bound::Write(&y)]].concat());
            let backward: BackwardFn<1> = Arc::new(move |g, _| {
                let g = into_contiguous(g);
                let dx = empty(&g, g.meta.shape());
                let gradient = Depthwise { backward: true, ..convolution };
                let buffers = [Bound::Read(&g), Bound::Read(&taps), Bound::Write(&dx)];
                gradient.launch(batch, &buffers);
                [Some(dx)]
            });
            (y, backward)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convolution_kernels_are_valid_wgsl() {
        for backward in [false, true] {
            let convolution = Depthwise { rows: 5, columns: 9, channels: 12, backward };
            convolution.kernel().validate();
        }
    }
}
