//! Matrix products in f32: `out[z] = f(scale · A[z] · B[z])`, z a batch of matrices.
//!
//! A workgroup computes a tile of the result in registers. It loads the operands through shared memory, one step of the
//! contraction at a time, and reads the next step from global memory meanwhile. Accumulators are named variables and
//! the step is unrolled, because drivers keep arrays that are indexed in a loop in memory instead of registers.
//!
//! A stored matrix is row-major or column-major with a stride and two batch strides, so that transposes and heads
//! inside packed projections need no copy. Beyond the last row or column, the last one is read and nothing is written;
//! along the contraction, values beyond the end count as zero.

mod fragments;
mod operand;
mod source;
mod tiles;

use super::kernel::{Cache, Kernel};
pub use tiles::{Fragments, Tiles};

/// A matrix, or a batch of them, as it is stored; strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixLayout {
    /// Whether the matrix is stored column by column.
    pub transposed: bool,
    /// Stride from one row (column if transposed) to the next.
    pub lead: u32,
    /// Stride of the outer batch axis.
    pub outer: u32,
    /// Stride of the inner batch axis.
    pub inner: u32,
    /// Position of the first element.
    pub offset: u32,
    /// Whether rows are padded with zeros up to `lead`.
    pub padded: bool,
}

impl MatrixLayout {
    /// Describes a matrix stored row by row without gaps.
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

    /// Describes the transpose of a matrix that is stored row by row.
    pub fn column_major(rows: usize) -> Self {
        Self { transposed: true, ..Self::row_major(rows) }
    }

    /// Returns the transpose.
    pub fn transposed(self) -> Self {
        Self { transposed: !self.transposed, ..self }
    }

    /// Sets the strides of the two batch axes.
    pub fn batched(self, outer: usize, inner: usize) -> Self {
        Self { outer: outer as u32, inner: inner as u32, ..self }
    }

    /// Sets the first element.
    pub fn with_offset(self, offset: usize) -> Self {
        Self { offset: offset as u32, ..self }
    }

    /// Returns whether four adjacent values of a row can be read as one vector.
    fn is_quad(self, columns: u32) -> bool {
        let strides = [columns, self.lead, self.outer, self.inner, self.offset];
        strides.iter().all(|stride| stride.is_multiple_of(4))
    }
}

/// A size that is fixed in the kernel's source, or read from the buffer of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// Fixed in the source.
    Fixed(u32),
    /// Read from `sizes[0]`.
    Rows,
}

impl Size {
    fn text(self) -> String {
        match self {
            Self::Fixed(size) => format!("{size}u"),
            Self::Rows => "rows".into(),
        }
    }

    /// Returns whether the size is known to be a multiple of `tile`.
    fn fits(self, tile: u32) -> bool {
        matches!(self, Self::Fixed(size) if size.is_multiple_of(tile))
    }
}

/// Operations on a sum before it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Epilogue {
    /// Adds a row of n values.
    pub bias: bool,
    /// Function applied to the sum.
    pub activation: Activation,
    /// Adds a matrix that is stored like the result, as the last operation.
    pub residual: bool,
}

/// An element-wise function at the end of a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// No function.
    #[default]
    Identity,
    /// x · Φ(x); also stores x.
    Gelu,
    /// Multiplies by the derivative of x · Φ(x) at the values of a second matrix.
    GeluGradient,
}

/// A product to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Rows of A.
    pub m: Size,
    /// Columns of B.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: Size,
    /// Size of the inner batch axis.
    pub inner: u32,
    /// m × k.
    pub a: MatrixLayout,
    /// k × n.
    pub b: MatrixLayout,
    /// m × n, never transposed.
    pub out: MatrixLayout,
    /// Whether B is f16, with four values in a pair of u32. The length of its rows is then a multiple of four.
    pub b_half: bool,
    /// Factor of the sums, as the bits of an f32.
    pub scale: u32,
    /// Whether cooperative matrices may round A and B to f16. Otherwise they multiply each value as the sum of two.
    pub rounded: bool,
    /// Whether A or B contains gradients, which are often too small for f16.
    pub gradients: [bool; 2],
    /// Operations on the sums.
    pub epilogue: Epilogue,
}

impl Product {
    /// Describes a product of two single matrices without scale and epilogue.
    pub fn new([m, k]: [Size; 2], n: usize, [a, b]: [MatrixLayout; 2]) -> Self {
        Self {
            m,
            n: n as u32,
            k,
            inner: 1,
            a,
            b,
            out: MatrixLayout::row_major(n),
            b_half: false,
            scale: 1f32.to_bits(),
            rounded: false,
            gradients: [false; 2],
            epilogue: Epilogue::default(),
        }
    }

    /// Returns how many f16 values represent a value of A and of B in cooperative matrices.
    fn planes(&self) -> [usize; 2] {
        match (self.rounded, self.b_half) {
            (true, _) => [1, 1],
            (false, true) => [2, 1],
            (false, false) => [2, 2],
        }
    }

    /// Returns whether a size is read from the buffer of rows.
    pub fn has_rows(&self) -> bool {
        [self.m, self.k].contains(&Size::Rows)
    }
}

/// Returns the bytes of shared memory that the kernel of a product needs.
pub fn shared_bytes(product: &Product, tiles: &Tiles) -> u32 {
    let operands = [operand::Operand::a(product, tiles), operand::Operand::b(product, tiles)];
    let bytes = operands.map(|operand| operand.shared_bytes());
    let slabs = tiles.fragments.map_or(0, |fragments| {
        tiles.threads() / fragments.lanes * fragments.size * fragments.size * 4
    });
    // The number of rows takes one aligned word.
    bytes.iter().sum::<u32>() + slabs + 16
}

/// Returns the kernel of a product.
pub fn kernel(product: &Product, tiles: &Tiles) -> Kernel {
    static KERNELS: Cache<(Product, Tiles)> = Cache::new();
    // Only cooperative matrices round, so the sources of other tiles are the same.
    let product = &match tiles.fragments {
        Some(_) => *product,
        None => Product { rounded: false, gradients: [false; 2], ..*product },
    };
    KERNELS.get(&(*product, *tiles), || {
        let text = source::generate(product, tiles);
        Kernel::new(name(product, tiles), &text, tiles.threads())
    })
}

/// Returns a readable description of a product: its sizes, how operands are stored, and its tiles.
fn name(product: &Product, tiles: &Tiles) -> String {
    let size = |size: Size| match size {
        Size::Fixed(size) => size.to_string(),
        Size::Rows => "rows".into(),
    };
    let letter = |stored: MatrixLayout| if stored.transposed { 'T' } else { 'N' };
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

/// Number of threads of a workgroup that adds up partial results.
pub const SUM_THREADS: usize = 256;

/// Returns the kernel that adds up `splits` partial results of `count` values each, with one thread per value.
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

    /// Returns products with every form of operands, sizes and epilogue.
    fn products() -> Vec<Product> {
        let activations = [Activation::Identity, Activation::Gelu, Activation::GeluGradient];
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
                    let layout = |transposed: bool, lead: usize| match transposed {
                        true => MatrixLayout::column_major(lead),
                        false => MatrixLayout::row_major(lead),
                    };
                    let layouts = [layout(a, 768), layout(b, 200)];
                    products.push(Product {
                        epilogue: Epilogue { bias: !a, activation, residual: b },
                        ..Product::new(sizes, n, layouts)
                    });
                }
            }
        }
        products
    }

    #[test]
    fn product_kernels_are_valid_wgsl() {
        for product in products() {
            for tiles in Tiles::ALL {
                kernel(&product, &tiles).validate();
            }
            for fragments in [16, 8].map(|size| Fragments { size, lanes: 32 }) {
                for rounded in [false, true] {
                    let product = Product { rounded, ..product };
                    for tiles in Tiles::cooperative(fragments) {
                        let bytes = kernel(&product, &tiles).validate_cooperative();
                        let limit = shared_bytes(&product, &tiles);
                        assert!((bytes..=bytes + 16).contains(&limit), "{bytes} {limit}");
                    }
                }
            }
        }
        let split = Tiles { splits: 8, ..Tiles::SMALL };
        let gradient = Product::new(
            [Size::Fixed(768), Size::Rows],
            5,
            [MatrixLayout::column_major(768), MatrixLayout::row_major(5)],
        );
        kernel(&gradient, &split).validate();
        for b in [MatrixLayout::row_major(768), MatrixLayout::column_major(768)] {
            let half = Product {
                b_half: true,
                ..Product::new(
                    [Size::Rows, Size::Fixed(768)],
                    768,
                    [MatrixLayout::row_major(768), b],
                )
            };
            kernel(&half, &Tiles::LARGE).validate();
        }
        sum_kernel(768 * 5, 8).validate();
    }
}
