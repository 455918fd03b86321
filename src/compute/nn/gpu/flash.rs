//! Softmax attention that does not store the scores: a thread computes the result for one query while its workgroup reads
//! all keys and values in tiles (Dao et al., FlashAttention, 2022). One launch computes the result, and two or three
//! its gradients. With long sequences, products with tensor cores are faster.
//!
//! With s = scale · q·k + bias, the forward pass keeps l = log Σ exp(s) of each query. The backward pass computes p =
//! exp(s − l) again: with dp = g·v and δ = g·y, the gradients are dq = scale · Σ p (dp − δ) k, dk = scale · Σ p (dp − δ) q
//! and dv = Σ p g.

use std::fmt::Write;

use burn_cubecl::tensor::CubeTensor;
use cubecl::prelude::KernelMetadata;

use super::kernel::{Bound, Cache, Kernel, cached_numbers, declare_typed, empty, grid};
use super::launches;

/// The largest number of channels of a head: a thread holds several vectors of this length in registers.
const MAX_HEAD: usize = 96;

/// The largest number of channels of a head for which one launch computes the gradients of keys and values.
const MAX_HEAD_OF_BOTH: usize = 48;

/// Bytes of shared memory of a workgroup.
const SHARED_BYTES: usize = 16 << 10;

/// The sizes of an attention, and where its operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flash {
    /// Number of queries of an image.
    pub queries: usize,
    /// Number of keys of an image.
    pub keys: usize,
    /// Number of heads.
    pub heads: usize,
    /// Channels of a head, a multiple of four.
    pub head: usize,
    /// Whether keys and values are in a buffer of their own (batch × keys × 2·width) instead of the packed projections.
    pub is_prefixed: bool,
    /// Number of groups of the bias (groups × heads × queries × keys), if there is one.
    pub groups: Option<u32>,
}

/// What a launch computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Result,
    QueryGradient,
    /// The gradients of keys, of values, or of both.
    KeyGradient {
        keys: bool,
        values: bool,
    },
}

/// What the backward pass needs of the forward pass.
#[derive(Clone)]
pub struct FlashResult {
    /// The result: batch × queries × width.
    pub y: CubeTensor,
    /// l of each query: batch × heads × queries.
    sums: CubeTensor,
}

impl Flash {
    /// Returns whether the kernels support these sizes.
    pub fn is_supported(&self) -> bool {
        self.head.is_multiple_of(4) && self.head <= MAX_HEAD
    }

    /// Computes the attention. `keys` contains keys and values; without a prefix it is `qkv`.
    pub fn forward(
        self,
        [qkv, keys]: [&CubeTensor; 2],
        bias: Option<&CubeTensor>,
        batch: usize,
    ) -> FlashResult {
        let y = empty(qkv, &[batch, self.queries, self.heads * self.head]);
        let sums = empty(qkv, &[batch, self.heads, self.queries]);
        let outputs = [Bound::Write(&y), Bound::Write(&sums)];
        self.launch(Part::Result, [qkv, keys], bias, &outputs, batch);
        FlashResult { y, sums }
    }

    /// Computes the gradient of the queries into `out`, and that of keys and values into `out_keys`.
    pub fn backward(
        self,
        [qkv, keys]: [&CubeTensor; 2],
        bias: Option<&CubeTensor>,
        result: &FlashResult,
        g: &CubeTensor,
        [out, out_keys]: [&CubeTensor; 2],
    ) {
        let batch = g.meta.shape()[0];
        let deltas = empty(g, result.sums.meta.shape());
        let others = [g, &result.sums].map(Bound::Read);
        let outputs = [Bound::Read(&result.y), Bound::Write(&deltas), Bound::Update(out)];
        let buffers = [&others[..], &outputs].concat();
        self.launch(Part::QueryGradient, [qkv, keys], bias, &buffers, batch);
        let outputs = [Bound::Read(&deltas), Bound::Update(out_keys)];
        let buffers = [&others[..], &outputs].concat();
        let parts: &[[bool; 2]] = match self.head <= MAX_HEAD_OF_BOTH {
            true => &[[true, true]],
            false => &[[true, false], [false, true]],
        };
        for [of_keys, values] in parts.iter().copied() {
            let part = Part::KeyGradient { keys: of_keys, values };
            self.launch(part, [qkv, keys], bias, &buffers, batch);
        }
    }

    fn launch(
        self,
        part: Part,
        [qkv, keys]: [&CubeTensor; 2],
        bias: Option<&CubeTensor>,
        others: &[Bound<'_>],
        batch: usize,
    ) {
        static KERNELS: Cache<(Flash, Part)> = Cache::new();
        let kernel = KERNELS.get(&(self, part), || self.kernel(part));
        let groups = batch * self.heads * self.blocks(part);
        let count = cached_numbers(qkv, [groups as u32, 0, 0]);
        let separate_keys = self.is_prefixed.then_some(Bound::Read(keys));
        let mut buffers = vec![Bound::Read(qkv)];
        buffers.extend(separate_keys);
        buffers.extend_from_slice(others);
        buffers.extend(bias.map(Bound::Read));
        buffers.push(Bound::Read(&count));
        let products = 2 * batch * self.heads * self.queries * self.keys * self.head;
        launches::count_operations(kernel.name(), (products * part.products()) as f64);
        kernel.launch(grid(groups), &buffers);
    }

    /// Returns the number of rows that the threads of a head compute.
    fn rows(self, part: Part) -> usize {
        match part {
            Part::KeyGradient { .. } => self.keys,
            _ => self.queries,
        }
    }

    /// Returns the number of rows that a workgroup reads in tiles.
    fn tiled_rows(self, part: Part) -> usize {
        match part {
            Part::KeyGradient { .. } => self.queries,
            _ => self.keys,
        }
    }

    /// Returns the number of threads of a workgroup.
    fn threads(self, part: Part) -> usize {
        if self.rows(part) <= 32 { 32 } else { 64 }
    }

    /// Returns the number of workgroups of a head.
    fn blocks(self, part: Part) -> usize {
        self.rows(part).div_ceil(self.threads(part))
    }

    /// Returns the number of rows in a tile: as many as fit into shared memory, with the l and δ of each.
    fn rows_per_tile(self, part: Part) -> usize {
        let max_rows = SHARED_BYTES / (2 * self.head * size_of::<f32>() + 2 * size_of::<f32>());
        max_rows.min(self.tiled_rows(part).next_multiple_of(4)) / 4 * 4
    }

    fn kernel(self, part: Part) -> Kernel {
        let name = match part {
            Part::Result => "attention of a head",
            Part::QueryGradient => "gradient of queries",
            Part::KeyGradient { values: false, .. } => "gradient of keys",
            Part::KeyGradient { keys: false, .. } => "gradient of values",
            Part::KeyGradient { .. } => "gradient of keys and values",
        };
        Kernel::new(name.into(), &self.text(part), self.threads(part) as u32)
    }

    /// Returns the WGSL text. Offsets of vectors are in units of four values.
    fn text(self, part: Part) -> String {
        let threads = self.threads(part);
        let vectors = self.head / 4;
        let tile = self.rows_per_tile(part);
        let mut text = self.declarations(part);
        let _ = write!(
            text,
            "var<workgroup> tile1: array<vec4<f32>, {size}>;
var<workgroup> tile2: array<vec4<f32>, {size}>;
",
            size = tile * vectors
        );
        if matches!(part, Part::KeyGradient { .. }) {
            let _ = write!(
                text,
                "var<workgroup> tile_sums: array<f32, {tile}>;
var<workgroup> tile_deltas: array<f32, {tile}>;
"
            );
        }
        let _ = write!(
            text,
            "@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  let place = group.y * groups.x + group.x;
  let index = min(place, count[0] - 1u);
  let z = index / {blocks}u;
  let head = z % {heads}u;
  let image = z / {heads}u;
  let own = index % {blocks}u * {threads}u + t;
  let live = place < count[0] && own < {rows}u;
  let row = min(own, {rows}u - 1u);
",
            blocks = self.blocks(part),
            heads = self.heads,
            rows = self.rows(part),
        );
        text += &match part {
            Part::Result => self.result_text(),
            Part::QueryGradient => self.query_gradient_text(),
            Part::KeyGradient { keys, values } => self.key_gradient_text([keys, values]),
        };
        text + "}\n"
    }

    /// Returns the declarations of the buffers, in the order of their bindings.
    fn declarations(self, part: Part) -> String {
        let mut buffers = vec![("qkv", "vec4<f32>")];
        if self.is_prefixed {
            buffers.push(("kv", "vec4<f32>"));
        }
        buffers.extend(match part {
            Part::Result => &[("y", "vec4<f32>"), ("sums", "f32")][..],
            Part::QueryGradient => &[
                ("g", "vec4<f32>"),
                ("sums", "f32"),
                ("y", "vec4<f32>"),
                ("deltas", "f32"),
                ("dqkv", "vec4<f32>"),
            ],
            Part::KeyGradient { .. } => {
                &[("g", "vec4<f32>"), ("sums", "f32"), ("deltas", "f32"), ("dkv", "vec4<f32>")]
            }
        });
        if self.groups.is_some() {
            buffers.push(("bias", "f32"));
        }
        buffers.push(("count", "u32"));
        declare_typed(&buffers)
    }

    /// Returns the offset of a row of the head of the queries (0), keys (1) or values (2).
    fn offset(self, operand: usize, row: &str) -> String {
        let vectors = self.head / 4;
        let width = self.heads * vectors;
        let (rows, stride, column) = match self.is_prefixed && operand > 0 {
            true => (self.keys, 2 * width, (operand - 1) * width),
            false => (self.queries, 3 * width, operand * width),
        };
        format!("(image * {rows}u + {row}) * {stride}u + {column}u + head * {vectors}u")
    }

    /// Returns the offset of a row of the head of the result or of its gradient.
    fn result_offset(self, row: &str) -> String {
        let vectors = self.head / 4;
        let (queries, width) = (self.queries, self.heads * vectors);
        format!("(image * {queries}u + {row}) * {width}u + head * {vectors}u")
    }

    /// Returns the offset of a query in the sums.
    fn sum_offset(self, row: &str) -> String {
        format!("z * {}u + {row}", self.queries)
    }

    fn keys_buffer(self) -> &'static str {
        if self.is_prefixed { "kv" } else { "qkv" }
    }

    /// Returns a statement for each vector of a head, in which `#` is the number of the vector.
    fn for_each_vector(self, statement: &str) -> String {
        let numbers = 0..self.head / 4;
        numbers.map(|c| format!("{}\n", statement.replace('#', &c.to_string()))).collect()
    }

    /// Returns statements that declare a scalar: the product of the vectors `left#` and of those in a tile from `at`.
    fn dot(self, name: &str, left: &str, tile: &str, at: &str) -> String {
        let sum = self.for_each_vector(&format!("{name}4 += {left}# * {tile}[{at} + #u];"));
        format!(
            "var {name}4 = vec4<f32>(0.0);\n{sum}var {name} = {name}4.x + {name}4.y + {name}4.z + {name}4.w;\n"
        )
    }

    /// Returns an expression for the bias of a query and a key, with a leading plus; empty without a bias.
    fn bias(self, query: &str, key: &str) -> String {
        let Some(groups) = self.groups else {
            return String::new();
        };
        let (heads, queries, keys) = (self.heads, self.queries, self.keys);
        format!(
            " + bias[(((image % {groups}u) * {heads}u + head) * {queries}u + {query}) * {keys}u + {key}]"
        )
    }

    fn scale(self) -> String {
        format!("{:?}", (self.head as f32).powf(-0.5))
    }

    /// Returns a loop over the tiles of two operands, whose rows start at these offsets of the row `from`, with
    /// statements that also fill the tile for the row `start + i`, and the body of the loop, which uses row j, or for the
    /// result four rows from j.
    fn tiles(self, part: Part, operands: [(&str, String); 2], also: &str, body: &str) -> String {
        let (rows, tile, threads) =
            (self.tiled_rows(part), self.rows_per_tile(part), self.threads(part));
        let vectors = self.head / 4;
        let [(buffer1, at1), (buffer2, at2)] = operands;
        let step = match part {
            Part::Result => 4,
            _ => 1,
        };
        format!(
            "  for (var start = 0u; start < {rows}u; start += {tile}u) {{
    let length = min({tile}u, {rows}u - start);
    workgroupBarrier();
    for (var i = t; i < length * {vectors}u; i += {threads}u) {{
      let line = start + i / {vectors}u;
      tile1[i] = {buffer1}[{at1} + i % {vectors}u];
      tile2[i] = {buffer2}[{at2} + i % {vectors}u];
    }}
{also}    workgroupBarrier();
    for (var j = 0u; j < length; j += {step}u) {{
{body}    }}
  }}
"
        )
    }

    /// Four keys share one rescaling of the sums by the new maximum.
    fn result_text(self) -> String {
        let vectors = self.head / 4;
        let keys = self.keys_buffer();
        let mut body = String::new();
        for key in 0..4 {
            let at = format!("min(j + {key}u, length - 1u) * {vectors}u");
            let _ = writeln!(body, "let at{key} = {at};");
            body += &self.dot(&format!("s{key}"), "q", "tile1", &format!("at{key}"));
            let bias = self.bias("row", &format!("min(start + j + {key}u, {}u)", self.keys - 1));
            let _ = writeln!(body, "s{key} = select(-3.4e38, s{key}{bias}, j + {key}u < length);");
        }
        body += "let most = max(top, max(max(s0, s1), max(s2, s3)));
let fade = exp(top - most);
let p0 = exp(s0 - most);
let p1 = exp(s1 - most);
let p2 = exp(s2 - most);
let p3 = exp(s3 - most);
top = most;
sum = sum * fade + ((p0 + p1) + (p2 + p3));
";
        body += &self.for_each_vector(
            "y# = y# * fade + p0 * tile2[at0 + #u] + p1 * tile2[at1 + #u] + p2 * tile2[at2 + #u] + p3 * tile2[at3 + #u];",
        );
        let mut text = format!("let from_q = {};\n", self.offset(0, "row"));
        text += &self.for_each_vector(&format!("let q# = qkv[from_q + #u] * {};", self.scale()));
        text += &self.for_each_vector("var y# = vec4<f32>(0.0);");
        text += "var top = -3.4e38;\nvar sum = 0.0;\n";
        let operands = [1, 2].map(|operand| (keys, self.offset(operand, "line")));
        text += &self.tiles(Part::Result, operands, "", &body);
        let _ = write!(
            text,
            "if (live) {{
let to_y = {};
sums[{}] = top + log(sum);
{}}}
",
            self.result_offset("row"),
            self.sum_offset("row"),
            self.for_each_vector("y[to_y + #u] = y# / sum;"),
        );
        text
    }

    fn query_gradient_text(self) -> String {
        let keys = self.keys_buffer();
        let mut body = format!("let at = j * {}u;\n", self.head / 4);
        body += &self.dot("s", "q", "tile1", "at");
        body += &self.dot("dp", "g", "tile2", "at");
        let bias = self.bias("row", "(start + j)");
        let _ = writeln!(body, "let ds = exp(s{bias} - total) * (dp - delta);");
        body += &self.for_each_vector("d# += ds * tile1[at + #u];");
        let scale = self.scale();
        let mut text = format!(
            "let from_q = {};\nlet from_y = {};\nlet total = sums[{sum}];\n",
            self.offset(0, "row"),
            self.result_offset("row"),
            sum = self.sum_offset("row"),
        );
        text += &self.for_each_vector(&format!(
            "let q# = qkv[from_q + #u] * {scale};
let g# = g[from_y + #u];
var d# = vec4<f32>(0.0);"
        ));
        text += "var delta = 0.0;\n";
        text += &self.for_each_vector("delta += dot(g#, y[from_y + #u]);");
        let operands = [1, 2].map(|operand| (keys, self.offset(operand, "line")));
        text += &self.tiles(Part::QueryGradient, operands, "", &body);
        let _ = write!(
            text,
            "if (live) {{
deltas[{}] = delta;
{}}}
",
            self.sum_offset("row"),
            self.for_each_vector(&format!("dqkv[from_q + #u] = d# * {scale};")),
        );
        text
    }

    fn key_gradient_text(self, [of_keys, of_values]: [bool; 2]) -> String {
        let part = Part::KeyGradient { keys: of_keys, values: of_values };
        let keys = self.keys_buffer();
        let scale = self.scale();
        let mut body = format!("let at = j * {}u;\n", self.head / 4);
        body += &self.dot("s", "k", "tile1", "at");
        let bias = self.bias("(start + j)", "row");
        let _ = writeln!(body, "let p = exp(s{bias} - tile_sums[j]);");
        let mut text = format!(
            "let from_k = {};\nlet from_v = {};\n",
            self.offset(1, "row"),
            self.offset(2, "row")
        );
        text += &self.for_each_vector(&format!("let k# = {keys}[from_k + #u] * {scale};"));
        let mut end = String::new();
        if of_keys {
            text += &self.for_each_vector(&format!(
                "let v# = {keys}[from_v + #u];\nvar dk# = vec4<f32>(0.0);"
            ));
            body += &self.dot("dp", "v", "tile2", "at");
            body += "let ds = p * (dp - tile_deltas[j]);\n";
            body += &self.for_each_vector("dk# += ds * tile1[at + #u];");
            end += &self.for_each_vector(&format!("dkv[from_k + #u] = dk# * {scale};"));
        }
        if of_values {
            text += &self.for_each_vector("var dv# = vec4<f32>(0.0);");
            body += &self.for_each_vector("dv# += p * tile2[at + #u];");
            end += &self.for_each_vector("dkv[from_v + #u] = dv#;");
        }
        let operands = [("qkv", self.offset(0, "line")), ("g", self.result_offset("line"))];
        let also = format!(
            "    for (var i = t; i < length; i += {}u) {{
      tile_sums[i] = sums[{sum}];
      tile_deltas[i] = deltas[{sum}];
    }}
",
            self.threads(part),
            sum = self.sum_offset("start + i"),
        );
        text += &self.tiles(part, operands, &also, &body);
        let _ = write!(text, "if (live) {{\n{end}}}\n");
        text
    }
}

impl Part {
    /// Returns the number of products of a query and a key, or with a value, in a launch.
    fn products(self) -> usize {
        match self {
            Self::Result => 2,
            Self::QueryGradient => 3,
            Self::KeyGradient { keys, values } => 1 + 2 * usize::from(keys) + usize::from(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flash_attention_kernels_are_valid_wgsl() {
        for (head, queries, keys) in [(64, 197, 197), (32, 49, 49), (96, 17, 17), (12, 14, 19)] {
            for groups in [None, Some(4)] {
                let flash =
                    Flash { queries, keys, heads: 3, head, is_prefixed: queries != keys, groups };
                assert!(flash.is_supported());
                let gradients = [[true, true], [true, false], [false, true]];
                let gradients = gradients.map(|[keys, values]| Part::KeyGradient { keys, values });
                for part in [Part::Result, Part::QueryGradient].into_iter().chain(gradients) {
                    flash.kernel(part).validate();
                }
            }
        }
    }
}
