//! Matrix products in f32: `out[z] = f(scale · A[z] · B[z])`, z a batch of matrices.
//!
//! A workgroup computes a tile of the result in registers and brings the operands through shared memory, one step of
//! the contraction at a time, while it reads the next step from global memory. Accumulators are named variables and the
//! step is written out, so nothing is indexed in a loop: drivers keep such arrays in memory, not in registers.
//!
//! A stored matrix is row-major or column-major with a stride and two batch strides, so that
//! transposes and heads inside packed projections need no copy. Rows and columns outside are read from the last one
//! inside and not written; along the contraction, what is outside counts as zero.

mod operand;
mod text;
mod tiles;

use super::kernel::{Cache, Kernel};
pub use tiles::Tiles;

/// A matrix, or a batch of them, as it is stored; strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    /// Column by column.
    pub transposed: bool,
    /// From one row (column, where transposed) to the next.
    pub lead: u32,
    /// Stride of the outer batch axis.
    pub outer: u32,
    /// Stride of the inner batch axis.
    pub inner: u32,
    /// The first element.
    pub offset: u32,
    /// Whether rows are filled with zeros up to `lead`.
    pub padded: bool,
}

impl Stored {
    /// Row by row without gaps.
    pub fn row_major(columns: usize) -> Self {
        Self {
            transposed: false,
            lead: columns as u32,
            outer: 0,
            inner: 0,
            offset: 0,
            padded: false,
        }
    }

    /// The transpose of a matrix that is stored row by row.
    pub fn column_major(rows: usize) -> Self {
        Self {
            transposed: true,
            ..Self::row_major(rows)
        }
    }

    /// The transpose.
    pub fn transposed(self) -> Self {
        Self {
            transposed: !self.transposed,
            ..self
        }
    }

    /// With strides of the two batch axes.
    pub fn batched(self, outer: usize, inner: usize) -> Self {
        Self {
            outer: outer as u32,
            inner: inner as u32,
            ..self
        }
    }

    /// From this element on.
    pub fn at(self, offset: usize) -> Self {
        Self {
            offset: offset as u32,
            ..self
        }
    }

    /// Whether four neighbours of a line can be read as one vector.
    fn is_quad(self, columns: u32) -> bool {
        let strides = [columns, self.lead, self.outer, self.inner, self.offset];
        strides.iter().all(|stride| stride.is_multiple_of(4))
    }
}

/// A size that is part of the text, or comes from the buffer of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// Known when the text is written.
    Fixed(u32),
    /// `sizes[0]`.
    Rows,
}

impl Size {
    fn text(self) -> String {
        match self {
            Self::Fixed(size) => format!("{size}u"),
            Self::Rows => "rows".into(),
        }
    }

    /// Whether multiples of `tile` always end at this size.
    fn fits(self, tile: u32) -> bool {
        matches!(self, Self::Fixed(size) if size.is_multiple_of(tile))
    }
}

/// Operations on a sum before it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Epilogue {
    /// A row of n values is added.
    pub bias: bool,
    /// What follows.
    pub activation: Activation,
    /// A matrix stored like the result is added last.
    pub residual: bool,
}

/// An element-wise function at the end of a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// None.
    #[default]
    Identity,
    /// x · Φ(x); x itself is stored beside it.
    Gelu,
    /// Multiplies by the derivative of x · Φ(x) at the values of a second matrix.
    GeluGradient,
}

/// A product to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Rows of A.
    pub m: Size,
    /// Columns of B.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: Size,
    /// How many matrices the inner batch axis has.
    pub inner: u32,
    /// m × k.
    pub a: Stored,
    /// k × n.
    pub b: Stored,
    /// m × n, never transposed.
    pub out: Stored,
    /// Whether B holds f16, four values in a pair of u32. Its rows are then multiples of four long.
    pub b_half: bool,
    /// Bits of the f32 that sums are multiplied by.
    pub scale: u32,
    /// What follows.
    pub epilogue: Epilogue,
}

impl Product {
    /// A product of single matrices without anything before or after it.
    pub fn new([m, k]: [Size; 2], n: usize, [a, b]: [Stored; 2]) -> Self {
        Self {
            m,
            n: n as u32,
            k,
            inner: 1,
            a,
            b,
            out: Stored::row_major(n),
            b_half: false,
            scale: 1f32.to_bits(),
            epilogue: Epilogue::default(),
        }
    }

    /// Whether a size comes from the buffer of rows.
    pub fn has_rows(&self) -> bool {
        [self.m, self.k].contains(&Size::Rows)
    }
}

/// Returns the kernel of a product.
pub fn kernel(product: &Product, tiles: &Tiles) -> Kernel {
    static KERNELS: Cache<(Product, Tiles)> = Cache::new();
    KERNELS.get(&(*product, *tiles), || {
        let text = text::text(product, tiles);
        Kernel::new(name(product, tiles), &text, tiles.threads())
    })
}

/// Describes a product for people: its sizes, how operands are stored, and its tiles.
fn name(product: &Product, tiles: &Tiles) -> String {
    let size = |size: Size| match size {
        Size::Fixed(size) => size.to_string(),
        Size::Rows => "rows".into(),
    };
    let letter = |stored: Stored| if stored.transposed { 'T' } else { 'N' };
    let mut name = format!(
        "product {} × {} × {} {}{}",
        size(product.m),
        size(product.k),
        product.n,
        letter(product.a),
        letter(product.b),
    );
    if product.b_half {
        name += " f16";
    }
    match product.epilogue.activation {
        Activation::Identity => {}
        Activation::Gelu => name += " gelu",
        Activation::GeluGradient => name += " gelu'",
    }
    name += &format!(", tiles {}", tiles.name());
    if tiles.splits > 1 {
        name += &format!(" in {} parts", tiles.splits);
    }
    name
}

/// Threads of a workgroup that adds up partial results.
pub const SUM_THREADS: usize = 256;

/// Returns the kernel that adds up `splits` partial results of `count` values each, a thread for each value.
pub fn sum_kernel(count: usize, splits: u32) -> Kernel {
    static KERNELS: Cache<(usize, u32)> = Cache::new();
    KERNELS.get(&(count, splits), || {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> parts: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size({SUM_THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
  if (id.x < {count}u) {{
    var sum = 0.0;
    for (var i = 0u; i < {splits}u; i++) {{ sum += parts[id.x + i * {count}u]; }}
    out[id.x] = sum;
  }}
}}
"
        );
        Kernel::new("sum of parts".into(), &text, SUM_THREADS as u32)
    })
}

/// x · Φ(x) and its derivative, with the error function to 1.5e-7 (Abramowitz and Stegun 7.1.26).
pub const GELU: &str = "
fn normal_cdf(x: f32) -> f32 {
  let z = abs(x) * 0.70710678118654752;
  let t = 1.0 / (z * 0.3275911 + 1.0);
  let poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  let tail = 0.5 * poly * exp(-z * z);
  return select(tail, 1.0 - tail, x >= 0.0);
}
fn gelu(x: f32) -> f32 {
  return x * normal_cdf(x);
}
fn gelu_gradient(x: f32) -> f32 {
  return normal_cdf(x) + x * 0.39894228040143268 * exp(-0.5 * x * x);
}
";

#[cfg(test)]
mod tests {
    use super::*;

    /// Every form of operands, sizes and epilogue.
    fn products() -> Vec<Product> {
        let activations = [
            Activation::Identity,
            Activation::Gelu,
            Activation::GeluGradient,
        ];
        let sizes = [
            [Size::Rows, Size::Fixed(65)],
            [Size::Rows, Size::Fixed(768)],
            [Size::Fixed(36), Size::Rows],
            [Size::Fixed(197), Size::Fixed(64)],
        ];
        let mut products = Vec::new();
        for (sizes, n) in sizes.into_iter().zip([66, 192, 5, 197]) {
            for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                for activation in activations {
                    let lay_out = |transposed: bool, lead: usize| match transposed {
                        true => Stored::column_major(lead),
                        false => Stored::row_major(lead),
                    };
                    let stored = [lay_out(a, 768), lay_out(b, 200)];
                    products.push(Product {
                        epilogue: Epilogue {
                            bias: !a,
                            activation,
                            residual: b,
                        },
                        ..Product::new(sizes, n, stored)
                    });
                }
            }
        }
        products
    }

    #[test]
    fn every_text_is_valid() {
        for product in products() {
            for tiles in Tiles::ALL {
                kernel(&product, &tiles).validate();
            }
        }
        let split = Tiles {
            splits: 8,
            ..Tiles::SMALL
        };
        let gradient = Product::new(
            [Size::Fixed(768), Size::Rows],
            5,
            [Stored::column_major(768), Stored::row_major(5)],
        );
        kernel(&gradient, &split).validate();
        for b in [Stored::row_major(768), Stored::column_major(768)] {
            let half = Product {
                b_half: true,
                ..Product::new(
                    [Size::Rows, Size::Fixed(768)],
                    768,
                    [Stored::row_major(768), b],
                )
            };
            kernel(&half, &Tiles::LARGE).validate();
        }
        sum_kernel(768 * 5, 8).validate();
    }
}
