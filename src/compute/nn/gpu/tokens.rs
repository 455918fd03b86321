//! Operations on the channels of tokens, with a thread for each value or for a few neighbours: the depthwise convolution
//! of ConvNeXt, rotary positions, SwiGLU, the order of tokens in windows, and prefixes of keys and values. The framework would use a launch for each copy and arithmetic operation.

use std::fmt::Write;
use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::glue::{Run, apply, constant, to_input};
use super::kernel::{Bound, Cache, Kernel, declare, empty, grid, indices, numbers};
use crate::nn::rows::Order;

const THREADS: u32 = 256;

/// Neighbours in a row of the grid that a thread of the convolution computes.
const STRIP: usize = 8;

/// A kernel, with all parameters of its text. Each thread has an index `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TokenKernel {
    /// `x`, `taps` (49 × channels) and `bias` → `y`, batch × rows × columns × channels. Backward, the taps are read in
    /// reverse order and there is no bias.
    Depthwise {
        rows: u32,
        columns: u32,
        channels: u32,
        backward: bool,
    },
    /// `x` (rows × 2·hidden) → `y` (rows × hidden).
    SwiGlu { hidden: u32 },
    /// `x` and `g` (rows × hidden) → `dx`.
    SwiGluGradient { hidden: u32 },
    /// `x` (tokens × 3·width), `cosines` and `sines` (rotated tokens × pairs) → `y`.
    Rotate {
        tokens: u32,
        rotated: u32,
        width: u32,
        pairs: u32,
        half: bool,
        backward: bool,
    },
    /// `x` (batch × before × width) → `y` (batch × after × width), whose rows are those of `x` with these `indices`.
    Gather { before: u32, after: u32, width: u32 },
    /// `qkv`, `first` and `second` (prefix tokens × width each) → `keys`, batch × keys × 2·width.
    Join(PrefixJoin),
    /// `dkeys` → the keys and values in `dqkv`.
    Split(PrefixJoin),
    /// `dkeys` → `first` and `second`, summed over the batch if the prefix is shared.
    PrefixGradient(PrefixJoin),
}

/// The sizes of packed projections and a prefix of keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrefixJoin {
    /// Tokens of an image.
    pub tokens: usize,
    /// Keys and values of the prefix.
    pub count: usize,
    /// Channels of a token.
    pub width: usize,
    /// Whether all images have the same prefix.
    pub shared: bool,
}

impl PrefixJoin {
    /// Returns keys and values of the prefix and of the tokens: batch × (count + tokens) × 2·width.
    pub fn join(
        self,
        qkv: &CubeTensor,
        [first, second]: [CubeTensor; 2],
        batch: usize,
    ) -> CubeTensor {
        let shape = [batch, self.count + self.tokens, 2 * self.width];
        let keys = empty(qkv, &shape);
        let buffers = [qkv, &first, &second].map(Bound::Read);
        let buffers = [&buffers[..], &[Bound::Write(&keys)]].concat();
        TokenKernel::Join(self).launch(shape.iter().product(), &buffers, qkv);
        keys
    }

    /// Writes the gradients of the tokens' keys and values to `dqkv` and returns those of the prefix.
    pub fn split(self, dkeys: &CubeTensor, dqkv: &CubeTensor, batch: usize) -> [CubeTensor; 2] {
        let buffers = [Bound::Read(dkeys), Bound::Update(dqkv)];
        let threads = batch * self.tokens * 2 * self.width;
        TokenKernel::Split(self).launch(threads, &buffers, dkeys);
        let shape = [if self.shared { 1 } else { batch }, self.count, self.width];
        let [first, second] = [(); 2].map(|()| empty(dkeys, &shape));
        let kernel = TokenKernel::PrefixGradient(self);
        let outputs = [&first, &second].map(Bound::Write);
        let buffers = [&[Bound::Read(dkeys)], &outputs[..]].concat();
        kernel.launch_with([shape.iter().product(), batch], &buffers, dkeys);
        [first, second]
    }

    /// Returns names of buffers and the body of a kernel.
    fn text(self, kernel: TokenKernel) -> (&'static [&'static str], String) {
        let Self {
            tokens,
            count,
            width,
            shared,
        } = self;
        let (keys, both, packed) = (count + tokens, 2 * width, 3 * width);
        match kernel {
            TokenKernel::Join(_) => {
                let image = if shared { "0u" } else { "image" };
                let body = format!(
                    "let row = i / {both}u % {keys}u;
    let image = i / {both}u / {keys}u;
    let column = i % {both}u;
    if (row >= {count}u) {{
      keys[i] = qkv[(image * {tokens}u + row - {count}u) * {packed}u + {width}u + column];
    }} else {{
      let at = ({image} * {count}u + row) * {width}u + column % {width}u;
      if (column < {width}u) {{ keys[i] = first[at]; }} else {{ keys[i] = second[at]; }}
    }}"
                );
                (&["qkv", "first", "second", "keys"], body)
            }
            TokenKernel::Split(_) => {
                let body = format!(
                    "let row = i / {both}u % {tokens}u;
    let image = i / {both}u / {tokens}u;
    let column = i % {both}u;
    let to = (image * {tokens}u + row) * {packed}u + {width}u + column;
    dqkv[to] = dkeys[(image * {keys}u + {count}u + row) * {both}u + column];"
                );
                (&["dkeys", "dqkv"], body)
            }
            _ => {
                let (from, images) = match shared {
                    true => ("0u", "count[1]"),
                    false => ("own", "own + 1u"),
                };
                let body = format!(
                    "let own = i / {width}u / {count}u;
    var sum1 = 0.0;
    var sum2 = 0.0;
    for (var image = {from}; image < {images}; image++) {{
      let at = (image * {keys}u + i / {width}u % {count}u) * {both}u + i % {width}u;
      sum1 += dkeys[at];
      sum2 += dkeys[at + {width}u];
    }}
    first[i] = sum1;
    second[i] = sum2;"
                );
                (&["dkeys", "first", "second"], body)
            }
        }
    }
}

impl TokenKernel {
    /// Launches this number of threads.
    fn launch(self, threads: usize, buffers: &[Bound<'_>], like: &CubeTensor) {
        self.launch_with([threads, 0], buffers, like);
    }

    /// Launches this number of threads; the kernel reads the other number as `count[1]`.
    fn launch_with(self, [threads, other]: [usize; 2], buffers: &[Bound<'_>], like: &CubeTensor) {
        static KERNELS: Cache<TokenKernel> = Cache::new();
        let kernel = KERNELS.get(&self, || self.kernel());
        let count = numbers(like, [threads as u32, other as u32, 0]);
        let buffers = [buffers, &[Bound::Read(&count)]].concat();
        kernel.launch(grid(threads.div_ceil(THREADS as usize)), &buffers);
    }

    fn kernel(self) -> Kernel {
        let name = match self {
            Self::Depthwise { .. } => "depthwise convolution",
            Self::SwiGlu { .. } => "SwiGLU of values",
            Self::SwiGluGradient { .. } => "SwiGLU gradient",
            Self::Rotate { .. } => "rotary positions",
            Self::Gather { .. } => "order of tokens",
            Self::Join(_) => "joining a prefix",
            Self::Split(_) => "splitting off a prefix",
            Self::PrefixGradient(_) => "prefix gradient",
        };
        Kernel::new(name.into(), &self.text(), THREADS)
    }

    fn text(self) -> String {
        let (names, body): (&[&str], String) = match self {
            Self::Depthwise {
                rows,
                columns,
                channels,
                backward,
            } => (
                match backward {
                    true => &["x", "taps", "y"],
                    false => &["x", "taps", "bias", "y"],
                },
                depthwise_text([rows, columns, channels], backward),
            ),
            Self::SwiGlu { hidden } => (
                &["x", "y"],
                format!(
                    "let at = i / {hidden}u * {} + i % {hidden}u;
    let gate = x[at];
    y[i] = gate / (1.0 + exp(-gate)) * x[at + {hidden}u];",
                    2 * hidden
                ),
            ),
            Self::SwiGluGradient { hidden } => (
                &["x", "g", "dx"],
                format!(
                    "let at = i / {hidden}u * {} + i % {hidden}u;
    let gate = x[at];
    let share = 1.0 / (1.0 + exp(-gate));
    let scaled = gate * share;
    dx[at] = g[i] * x[at + {hidden}u] * (share + scaled * (1.0 - share));
    dx[at + {hidden}u] = g[i] * scaled;",
                    2 * hidden
                ),
            ),
            Self::Rotate {
                tokens,
                rotated,
                width,
                pairs,
                half,
                backward,
            } => {
                // The pair of a channel of a head, whether the channel is its first, and the distance of its partner.
                let (pair, first, distance) = match half {
                    true => ("channel % PAIRS", "channel < PAIRS", pairs),
                    false => ("channel / 2u", "channel % 2u == 0u", 1),
                };
                let [pair, first] = [pair, first].map(|s| s.replace("PAIRS", &format!("{pairs}u")));
                let minus = if backward { "!first" } else { "first" };
                let leading = tokens - rotated;
                (
                    &["x", "cosines", "sines", "y"],
                    format!(
                        "let token = i / {packed}u % {tokens}u;
    let column = i % {packed}u;
    if (token < {leading}u || column >= {both}u) {{
      y[i] = x[i];
    }} else {{
      let channel = column % {head}u;
      let first = {first};
      let at = (token - {leading}u) * {pairs}u + {pair};
      let partner = x[select(i - {distance}u, i + {distance}u, first)];
      y[i] = x[i] * cosines[at] + select(partner, -partner, {minus}) * sines[at];
    }}",
                        packed = 3 * width,
                        both = 2 * width,
                        head = 2 * pairs,
                    ),
                )
            }
            Self::Gather {
                before,
                after,
                width,
            } => (
                &["x", "y"],
                format!(
                    "let source = indices[i / {width}u % {after}u];
    y[i] = 0.0;
    if (source < {before}u) {{
      y[i] = x[(i / {width}u / {after}u * {before}u + source) * {width}u + i % {width}u];
    }}"
                ),
            ),
            Self::Join(join) | Self::Split(join) | Self::PrefixGradient(join) => join.text(self),
        };
        let numbers: &[&str] = match self {
            Self::Gather { .. } => &["indices", "count"],
            _ => &["count"],
        };
        let mut text = declare(names, numbers);
        let _ = write!(
            text,
            "@compute @workgroup_size({THREADS})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  let i = (group.y * groups.x + group.x) * {THREADS}u + t;
  if (i < count[0]) {{
    {body}
  }}
}}
"
        );
        text
    }
}

/// Returns the body of a depthwise 7 × 7 convolution. A thread computes a strip of neighbours of a channel: each row of
/// inputs and taps is read once for all of them.
fn depthwise_text([rows, columns, channels]: [u32; 3], backward: bool) -> String {
    let strips = columns.div_ceil(STRIP as u32);
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
        let _ = writeln!(
            text,
            "        let w{tap} = taps[({index}) * {channels}u + channel];"
        );
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
            k as u32 * channels
        );
    }
    text
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
    let threads = batch * rows * columns.div_ceil(STRIP) * channels;
    let kernel = move |backward| TokenKernel::Depthwise {
        rows: rows as u32,
        columns: columns as u32,
        channels: channels as u32,
        backward,
    };
    (threads > 0).then(|| {
        apply([input], |[x]| {
            let x = into_contiguous(x);
            let y = empty(&x, x.meta.shape());
            let buffers = [&x, &taps, &bias].map(Bound::Read);
            let buffers = [&buffers[..], &[Bound::Write(&y)]].concat();
            kernel(false).launch(threads, &buffers, &x);
            let back: Run<1> = Arc::new(move |g, _| {
                let g = into_contiguous(g);
                let dx = empty(&g, g.meta.shape());
                let buffers = [Bound::Read(&g), Bound::Read(&taps), Bound::Write(&dx)];
                kernel(true).launch(threads, &buffers, &g);
                [Some(dx)]
            });
            (y, back)
        })
    })
}

/// Computes SwiGLU of gates and values side by side; see [`crate::nn::swiglu`].
pub fn swiglu(x: &Tensor<3>) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [batch, tokens, channels] = x.dims();
    let hidden = channels / 2;
    let threads = batch * tokens * hidden;
    (threads > 0).then(|| {
        apply([input], |[x]| {
            let x = into_contiguous(x);
            let y = empty(&x, &[batch, tokens, hidden]);
            let buffers = [Bound::Read(&x), Bound::Write(&y)];
            let hidden = hidden as u32;
            TokenKernel::SwiGlu { hidden }.launch(threads, &buffers, &x);
            let back: Run<1> = Arc::new(move |g, _| {
                let g = into_contiguous(g);
                let dx = empty(&x, x.meta.shape());
                let buffers = [Bound::Read(&x), Bound::Read(&g), Bound::Write(&dx)];
                TokenKernel::SwiGluGradient { hidden }.launch(threads, &buffers, &x);
                [Some(dx)]
            });
            (y, back)
        })
    })
}

/// Rotates queries and keys of packed projections by angles, given as cosines and sines (rotated tokens × pairs); see
/// [`crate::nn::Rotation`].
pub fn rotate(qkv: &Tensor<3>, tables: &[Tensor<2>; 2], half: bool) -> Option<Tensor<3>> {
    let input = to_input(qkv)?;
    let [rotated, pairs] = tables[0].dims();
    let [cosines, sines] = tables.each_ref().map(constant);
    let [cosines, sines] = [cosines?, sines?].map(into_contiguous);
    let [batch, tokens, packed] = qkv.dims();
    let kernel = move |backward| TokenKernel::Rotate {
        tokens: tokens as u32,
        rotated: rotated as u32,
        width: packed as u32 / 3,
        pairs: pairs as u32,
        half,
        backward,
    };
    let run = move |x: CubeTensor, backward: bool| {
        let x = into_contiguous(x);
        let y = empty(&x, x.meta.shape());
        let buffers = [&x, &cosines, &sines].map(Bound::Read);
        let buffers = [&buffers[..], &[Bound::Write(&y)]].concat();
        kernel(backward).launch(batch * tokens * packed, &buffers, &x);
        y
    };
    (batch * tokens > 0).then(|| {
        apply([input], |[x]| {
            let y = run(x, false);
            let back: Run<1> = Arc::new(move |g, _| [Some(run(g, true))]);
            (y, back)
        })
    })
}

/// Returns the rows of every image (batch × rows × width) in another order.
pub fn in_order(x: &Tensor<3>, order: &Order) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [batch, before, width] = x.dims();
    let after = order.len();
    (batch * after * width > 0).then(|| {
        apply([input], |[x]| {
            let [to, back] = order.indices().map(|values| indices(&x, values));
            let y = gather(&x, &to, [batch, after, width]);
            let back: Run<1> =
                Arc::new(move |g, _| [Some(gather(&g, &back, [batch, before, width]))]);
            (y, back)
        })
    })
}

/// Returns the rows with these indices; zeros for an index that is too large.
fn gather(x: &CubeTensor, indices: &CubeTensor, shape: [usize; 3]) -> CubeTensor {
    let x = into_contiguous(x.clone());
    let y = empty(&x, &shape);
    let [_, after, width] = shape.map(|size| size as u32);
    let before = x.meta.shape()[1] as u32;
    let kernel = TokenKernel::Gather {
        before,
        after,
        width,
    };
    let buffers = [Bound::Read(&x), Bound::Write(&y), Bound::Read(indices)];
    kernel.launch(shape.iter().product(), &buffers, &x);
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_valid() {
        for flag in [false, true] {
            let rotate = |half| TokenKernel::Rotate {
                tokens: 17,
                rotated: 16,
                width: 24,
                pairs: 4,
                half,
                backward: flag,
            };
            let depthwise = TokenKernel::Depthwise {
                rows: 5,
                columns: 9,
                channels: 12,
                backward: flag,
            };
            for kernel in [rotate(false), rotate(true), depthwise] {
                kernel.kernel().validate();
            }
        }
        for shared in [false, true] {
            let join = PrefixJoin {
                tokens: 17,
                count: 5,
                width: 24,
                shared,
            };
            TokenKernel::Join(join).kernel().validate();
            TokenKernel::Split(join).kernel().validate();
            TokenKernel::PrefixGradient(join).kernel().validate();
        }
        TokenKernel::Gather {
            before: 9,
            after: 16,
            width: 12,
        }
        .kernel()
        .validate();
        TokenKernel::SwiGlu { hidden: 10 }.kernel().validate();
        TokenKernel::SwiGluGradient { hidden: 10 }
            .kernel()
            .validate();
    }
}
