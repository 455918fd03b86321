//! Keys and values of a prefix, joined to those of the tokens.

use burn_cubecl::tensor::CubeTensor;

use super::kernel::{Bound, Cache, Kernel, empty, launch_values, value_kernel};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// `qkv`, `first` and `second` (prefix tokens × width each) → `keys`, batch × keys × 2·width.
    Join,
    /// `dkeys` → the keys and values in `dqkv`.
    Split,
    /// `dkeys` → `first` and `second`, summed over the batch if the prefix is shared.
    PrefixGradient,
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
        self.launch(Part::Join, [shape.iter().product(), 0], &buffers, qkv);
        keys
    }

    /// Writes the gradients of the tokens' keys and values to `dqkv`.
    pub fn split(self, dkeys: &CubeTensor, dqkv: &CubeTensor, batch: usize) {
        let buffers = [Bound::Read(dkeys), Bound::Update(dqkv)];
        let threads = batch * self.tokens * 2 * self.width;
        self.launch(Part::Split, [threads, 0], &buffers, dkeys);
    }

    /// Returns the gradients of the prefix.
    pub fn prefix_gradient(self, dkeys: &CubeTensor, batch: usize) -> [CubeTensor; 2] {
        let shape = [if self.shared { 1 } else { batch }, self.count, self.width];
        let [first, second] = [(); 2].map(|()| empty(dkeys, &shape));
        let outputs = [&first, &second].map(Bound::Write);
        let buffers = [&[Bound::Read(dkeys)], &outputs[..]].concat();
        let sizes = [shape.iter().product(), batch];
        self.launch(Part::PrefixGradient, sizes, &buffers, dkeys);
        [first, second]
    }

    /// Launches this number of threads; the kernel reads the other number as `count[1]`.
    fn launch(self, part: Part, sizes: [usize; 2], buffers: &[Bound<'_>], like: &CubeTensor) {
        static KERNELS: Cache<(PrefixJoin, Part)> = Cache::new();
        let kernel = KERNELS.get(&(self, part), || self.kernel(part));
        launch_values(&kernel, sizes, buffers, like);
    }

    fn kernel(self, part: Part) -> Kernel {
        let Self { tokens, count, width, shared } = self;
        let (keys, both, packed) = (count + tokens, 2 * width, 3 * width);
        match part {
            Part::Join => {
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
                let names = ["qkv", "first", "second", "keys"];
                value_kernel("joining a prefix", &names, &["count"], &body)
            }
            Part::Split => {
                let body = format!(
                    "let row = i / {both}u % {tokens}u;
    let image = i / {both}u / {tokens}u;
    let column = i % {both}u;
    let to = (image * {tokens}u + row) * {packed}u + {width}u + column;
    dqkv[to] = dkeys[(image * {keys}u + {count}u + row) * {both}u + column];"
                );
                let names = ["dkeys", "dqkv"];
                value_kernel("splitting off a prefix", &names, &["count"], &body)
            }
            Part::PrefixGradient => {
                let (start, end) = match shared {
                    true => ("0u", "count[1]"),
                    false => ("own", "own + 1u"),
                };
                let body = format!(
                    "let own = i / {width}u / {count}u;
    var sum1 = 0.0;
    var sum2 = 0.0;
    for (var image = {start}; image < {end}; image++) {{
      let at = (image * {keys}u + i / {width}u % {count}u) * {both}u + i % {width}u;
      sum1 += dkeys[at];
      sum2 += dkeys[at + {width}u];
    }}
    first[i] = sum1;
    second[i] = sum2;"
                );
                let names = ["dkeys", "first", "second"];
                value_kernel("prefix gradient", &names, &["count"], &body)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_kernels_are_valid_wgsl() {
        for shared in [false, true] {
            let join = PrefixJoin { tokens: 17, count: 5, width: 24, shared };
            for part in [Part::Join, Part::Split, Part::PrefixGradient] {
                join.kernel(part).validate();
            }
        }
    }
}
