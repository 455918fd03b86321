//! The part of a product's WGSL source that loads an operand through shared memory.

use std::fmt::Write;

use super::{MatrixLayout, Product, Size, Tiles};

/// Appends a line to the source.
macro_rules! line {
    ($text:expr, $($words:tt)*) => {{
        // Writing to a `String` cannot fail.
        let _ = writeln!($text, $($words)*);
    }};
}

pub(super) use line;

/// Factor of gradients before they are rounded to f16, like the loss scale of mixed-precision training. It is a power
/// of two, so the multiplication itself is exact.
pub const GRADIENT_SCALE: f32 = 1024.0;

/// Factor of the remainder of an f32 value after its upper f16 part, before it is rounded to f16.
pub const LOW_SCALE: f32 = 2048.0;

/// Suffixes of the names of a tile's two f16 arrays.
pub const PLANES: [&str; 2] = ["", "_low"];

/// How an operand is loaded into shared memory. Its tile has the layout of the stored matrix: lines of vectors.
pub struct Operand {
    pub name: &'static str,
    stored: MatrixLayout,
    half: bool,
    /// Number of f16 values that represent a value in the tile; 0 if the tile is f32.
    pub planes: usize,
    /// Whether values are multiplied by [`GRADIENT_SCALE`] before they are rounded.
    scaled: bool,
    /// Whether consecutive lines are consecutive indices of the contraction.
    pub line_is_k: bool,
    /// Number of lines and columns of the stored matrix.
    lines: Size,
    columns: u32,
    /// Number of lines of a tile, and number of vectors of four values in each.
    tile: [u32; 2],
    /// Stride from one line of the tile to the next, in vectors.
    pub pitch: u32,
    /// Number of vectors that each thread loads in each step.
    pub vectors_per_thread: u32,
    threads: u32,
}

impl Operand {
    pub fn a(product: &Product, tiles: &Tiles) -> Self {
        let [rows, _, depth] = tiles.group;
        let operand = Self::new("a", product.a, [product.m, product.k], [rows, depth], tiles, 0);
        operand.with_fragments(product, tiles, 0)
    }

    pub fn b(product: &Product, tiles: &Tiles) -> Self {
        let [_, columns, depth] = tiles.group;
        // B is treated as its transpose, so its lines run along the contraction if it is row-major. Adjacent threads
        // read different lines of a transposed B; one extra vector per line puts these reads into different banks.
        let pad = u32::from(product.b.transposed);
        let operand = Self::new(
            "b",
            product.b.transposed(),
            [Size::Fixed(product.n), product.k],
            [columns, depth],
            tiles,
            pad,
        );
        let operand = Self { half: product.b_half, ..operand };
        operand.with_fragments(product, tiles, 1)
    }

    /// Stores the tile in the layout of cooperative matrices, if they are used. Two extra vectors (16 bytes) per line
    /// put adjacent lines of a fragment into different banks.
    fn with_fragments(self, product: &Product, tiles: &Tiles, index: usize) -> Self {
        match tiles.fragments {
            None => self,
            Some(_) => Self {
                planes: product.planes()[index],
                scaled: product.gradients[index],
                pitch: self.tile[1] + 2,
                ..self
            },
        }
    }

    /// Returns the bytes of shared memory for the tile.
    pub fn shared_bytes(&self) -> u32 {
        match self.planes {
            0 => self.size() * 16,
            planes => self.size() * 8 * planes as u32,
        }
    }

    /// Creates an operand whose columns are contracted; the sizes of matrix and tile are (rows, contraction).
    fn new(
        name: &'static str,
        stored: MatrixLayout,
        [rows, k]: [Size; 2],
        [tile_rows, tile_k]: [u32; 2],
        tiles: &Tiles,
        pad: u32,
    ) -> Self {
        let threads = tiles.threads();
        let line_is_k = stored.transposed;
        let (lines, columns, tile) = match line_is_k {
            true => (k, rows, [tile_k, tile_rows / 4]),
            false => (rows, k, [tile_rows, tile_k / 4]),
        };
        let columns = match (columns, stored.padded) {
            (Size::Fixed(columns), false) => columns,
            // A variable number of rows occurs only along lines, so the columns are fixed.
            _ => stored.lead,
        };
        Self {
            name,
            stored,
            half: false,
            planes: 0,
            scaled: false,
            line_is_k,
            lines,
            columns,
            tile,
            pitch: tile[1] + pad,
            vectors_per_thread: tile[0] * tile[1] / threads,
            threads,
        }
    }

    /// Returns the number of vectors of a tile.
    fn size(&self) -> u32 {
        self.tile[0] * self.pitch
    }

    /// Writes the buffer, the shared tile, and a function that reads four values of a line.
    pub fn declare(&self, text: &mut String, binding: u32) {
        let Self { name, stored, .. } = self;
        let quad = stored.is_quad(self.columns);
        let element = match (quad, self.half) {
            (true, true) => "vec2<u32>",
            (true, false) => "vec4<f32>",
            (false, _) => "f32",
        };
        line!(
            text,
            "@group(0) @binding({binding}) var<storage, read_write> {name}: array<{element}>;"
        );
        let size = self.size();
        match self.planes {
            0 => line!(text, "var<workgroup> tile_{name}: array<vec4<f32>, {size}>;"),
            planes => {
                for plane in &PLANES[..planes] {
                    line!(text, "var<workgroup> tile_{name}{plane}: array<vec4<f16>, {size}>;");
                }
            }
        }
        line!(text, "fn load_{name}(base: u32, line: u32, column: u32, rows: u32) -> vec4<f32> {{");
        let lines = self.lines.text();
        let columns = self.columns;
        let guard_line = !self.lines.fits(self.tile[0]);
        let guard_column = !columns.is_multiple_of(self.tile[1] * 4);
        let line = match guard_line {
            true => format!("min(line, {lines} - 1u)"),
            false => "line".into(),
        };
        line!(text, "  let start = base + {line} * {}u;", stored.lead);
        if quad {
            let column = match guard_column {
                true => format!("min(column, {}u)", columns - 4),
                false => "column".into(),
            };
            let at = format!("{name}[(start + {column}) >> 2u]");
            match self.half {
                true => line!(
                    text,
                    "  let pair = {at};\n  let v = vec4<f32>(unpack2x16float(pair.x), unpack2x16float(pair.y));"
                ),
                false => line!(text, "  let v = {at};"),
            }
        } else {
            let value = |i: u32| match guard_column {
                true => format!("{name}[start + min(column + {i}u, {}u)]", columns - 1),
                false => format!("{name}[start + column + {i}u]"),
            };
            let values = [0, 1, 2, 3].map(value).join(", ");
            line!(text, "  let v = vec4<f32>({values});");
        }
        let zero = "vec4<f32>(0.0)";
        match self.line_is_k {
            true if guard_line => line!(text, "  return select({zero}, v, line < {lines});"),
            false if guard_column => line!(
                text,
                "  return select({zero}, v, vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>({columns}u));"
            ),
            _ => line!(text, "  return v;"),
        }
        line!(text, "}}");
    }

    /// Returns WGSL expressions for the line and vector of the tile that thread `t` loads as its `i`-th.
    fn tile_position(&self, i: u32) -> (String, String) {
        let quads = self.tile[1];
        let at = match i {
            0 => "t".to_owned(),
            _ => format!("(t + {}u)", i * self.threads),
        };
        (format!("({at} / {quads}u)"), format!("({at} % {quads}u)"))
    }

    /// Writes the code that reads the step at `k` into registers.
    pub fn fetch(&self, text: &mut String, indent: &str, k: &str) {
        let name = self.name;
        for i in 0..self.vectors_per_thread {
            let (line, quad) = self.tile_position(i);
            let (line, column) = match self.line_is_k {
                true => (format!("{k} + {line}"), format!("first_{name} + {quad} * 4u")),
                false => (format!("first_{name} + {line}"), format!("{k} + {quad} * 4u")),
            };
            line!(
                text,
                "{indent}next_{name}{i} = load_{name}(base_{name}, {line}, {column}, rows);"
            );
        }
    }

    /// Writes the code that stores these registers in shared memory.
    pub fn store(&self, text: &mut String, indent: &str) {
        let Self { name, pitch, .. } = self;
        for i in 0..self.vectors_per_thread {
            let (line, quad) = self.tile_position(i);
            let at = format!("{line} * {pitch}u + {quad}");
            let scale = if self.scaled { GRADIENT_SCALE } else { 1.0 };
            match self.planes {
                0 => line!(text, "{indent}tile_{name}[{at}] = next_{name}{i};"),
                1 => line!(
                    text,
                    "{indent}tile_{name}[{at}] = vec4<f16>(next_{name}{i} * {scale:?});"
                ),
                _ => {
                    line!(text, "{indent}{{\n{indent}  let v = next_{name}{i} * {scale:?};");
                    // The upper part is truncated by a bit mask, because a compiler may optimise the difference to a
                    // rounded value to zero. Values that are too small for f16 are only in the lower part.
                    line!(
                        text,
                        "{indent}  let cut = bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) & vec4<u32>(0xffffe000u));"
                    );
                    line!(
                        text,
                        "{indent}  let upper = select(cut, vec4<f32>(0.0), abs(v) < vec4<f32>(6.103515625e-5));"
                    );
                    line!(text, "{indent}  tile_{name}[{at}] = vec4<f16>(upper);");
                    line!(
                        text,
                        "{indent}  tile_{name}_low[{at}] = vec4<f16>((v - upper) * {LOW_SCALE:?});\n{indent}}}"
                    );
                }
            }
        }
    }
}
