//! The parts of a product's WGSL source that use cooperative matrices (tensor cores): a subgroup multiplies fragments of
//! f16 and sums them in f32.
//!
//! If A and B may not be rounded to f16, each value is the sum of two f16 values, x = u + v / 2048. Then
//! A · B ≈ Au · Bu + (Au · Bv + Av · Bu) / 2048, which has about 22 bits.

use std::fmt::Write;

use super::operand::{LOW_SCALE, Operand, PLANES, line};
use super::{Fragments, Product, Tiles};

impl Fragments {
    /// Returns the rows and columns of fragments that a subgroup computes.
    fn counts(self, tiles: &Tiles) -> [u32; 2] {
        tiles.unit.map(|size| size / self.size)
    }

    /// Writes the shared memory through which a subgroup stores its fragments.
    pub fn declare(self, text: &mut String, tiles: &Tiles) {
        let subgroups = tiles.threads() / self.lanes;
        let vectors = subgroups * self.size * self.size / 4;
        line!(text, "var<workgroup> slab: array<vec4<f32>, {vectors}>;");
    }

    /// Writes the position of the subgroup and its sums.
    pub fn begin(self, text: &mut String, product: &Product, tiles: &Tiles) {
        let Self { size, lanes } = self;
        let across = tiles.group[1] / tiles.unit[1];
        line!(
            text,
            "  let subgroup = t / {lanes}u;\n  let lane = t % {lanes}u;\n  let wx = subgroup % {across}u;\n  let wy = subgroup / {across}u;"
        );
        let [down, across] = self.counts(tiles);
        for sum in &["c", "d"][..product.planes()[0]] {
            for i in 0..down {
                for j in 0..across {
                    line!(text, "  var {sum}{i}_{j} = coop_mat{size}x{size}<f32, C>();");
                }
            }
        }
    }

    /// Writes the code that multiplies the tiles of one step in shared memory.
    pub fn multiply(self, text: &mut String, [a, b]: &[Operand; 2], tiles: &Tiles) {
        let size = self.size;
        let [down, across] = self.counts(tiles);
        for (operand, position, unit) in [(a, "wy", tiles.unit[0]), (b, "wx", tiles.unit[1])] {
            let stride = match operand.line_is_k {
                true => unit / 4,
                false => unit * operand.pitch,
            };
            line!(text, "    let at_{} = {position} * {stride}u;", operand.name);
        }
        for k in 0..tiles.group[2] / size {
            line!(text, "    {{");
            for (operand, count, role) in [(a, down, "A"), (b, across, "B")] {
                let Operand { name, pitch, .. } = operand;
                // A tile of A is row-major unless its lines run along the contraction; B the other way round.
                let load = match operand.line_is_k == (role == "A") {
                    true => "coopLoad",
                    false => "coopLoadT",
                };
                for plane in &PLANES[..operand.planes] {
                    for i in 0..count {
                        let at = match operand.line_is_k {
                            true => k * size * pitch + i * size / 4,
                            false => i * size * pitch + k * size / 4,
                        };
                        line!(
                            text,
                            "      let {name}{i}{plane} = {load}<coop_mat{size}x{size}<f16, {role}>>(&tile_{name}{plane}[at_{name} + {at}u], {pitch}u);"
                        );
                    }
                }
            }
            for i in 0..down {
                for j in 0..across {
                    line!(text, "      c{i}_{j} = coopMultiplyAdd(a{i}, b{j}, c{i}_{j});");
                    if b.planes == 2 {
                        line!(text, "      d{i}_{j} = coopMultiplyAdd(a{i}, b{j}_low, d{i}_{j});");
                    }
                    if a.planes == 2 {
                        line!(text, "      d{i}_{j} = coopMultiplyAdd(a{i}_low, b{j}, d{i}_{j});");
                    }
                }
            }
            line!(text, "    }}");
        }
    }

    /// Writes the code that stores a subgroup's results, one fragment at a time.
    pub fn finish(self, text: &mut String, product: &Product, tiles: &Tiles, quad: bool) {
        let Self { size, lanes } = self;
        let [rows, columns, _] = tiles.group;
        let [unit_rows, unit_columns] = tiles.unit;
        let [down, across] = self.counts(tiles);
        let vectors = size * size / 4;
        let mut guards = Vec::new();
        if !product.m.fits(rows) {
            guards.push(format!("m < {}", product.m.text()));
        }
        if !vectors.is_multiple_of(lanes) {
            guards.push(format!("e < {vectors}u"));
        }
        if quad && !product.n.is_multiple_of(columns) {
            guards.push(format!("n < {}u", product.n));
        }
        let guard = match guards.is_empty() {
            true => "true".into(),
            false => guards.join(" && "),
        };
        line!(text, "  let first_slab = subgroup * {vectors}u;\n  let slab_pitch = {}u;", size / 4);
        for i in 0..down {
            for j in 0..across {
                let sum = match product.planes()[0] {
                    1 => format!("c{i}_{j}"),
                    _ => format!("c{i}_{j} + d{i}_{j} * {:?}", 1.0 / LOW_SCALE),
                };
                line!(
                    text,
                    "  {{\n    let sum = {sum};\n    coopStoreT(sum, &slab[first_slab], slab_pitch);\n    workgroupBarrier();"
                );
                for part in 0..vectors.div_ceil(lanes) {
                    line!(text, "    {{\n      let e = lane + {}u;", part * lanes);
                    line!(
                        text,
                        "      let m = first_a + wy * {unit_rows}u + {}u + e / {}u;",
                        i * size,
                        size / 4
                    );
                    line!(
                        text,
                        "      let n = first_b + wx * {unit_columns}u + {}u + e % {}u * 4u;",
                        j * size,
                        size / 4
                    );
                    line!(text, "      if ({guard}) {{\n        let v = slab[first_slab + e];");
                    match quad {
                        true => line!(text, "        finish(base_out, m, n, v);"),
                        false => {
                            for (c, part) in (0..4).zip(["x", "y", "z", "w"]) {
                                line!(
                                    text,
                                    "        if (n + {c}u < {}u) {{ finish(base_out, m, n + {c}u, v.{part}); }}",
                                    product.n
                                );
                            }
                        }
                    }
                    line!(text, "      }}\n    }}");
                }
                line!(text, "    workgroupBarrier();\n  }}");
            }
        }
    }
}
