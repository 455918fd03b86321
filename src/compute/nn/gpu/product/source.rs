//! The WGSL source of a product.

use std::fmt::Write;

use super::operand::{GRADIENT_SCALE, Operand, line};
use super::{Activation, Epilogue, GELU, MatrixLayout, Product, Tiles};

const XYZW: [char; 4] = ['x', 'y', 'z', 'w'];

impl Epilogue {
    /// Returns the names of the buffers after A, B and the result, in the order of their bindings.
    fn buffers(self) -> impl Iterator<Item = &'static str> {
        let is_used = [
            ("bias", self.bias),
            ("other", self.activation != Activation::Identity),
            ("residual", self.residual),
        ];
        is_used.into_iter().filter_map(|(name, used)| used.then_some(name))
    }
}

/// Returns the WGSL source. Bindings: A, B, the result, then bias, second matrix and residual if used, then the sizes.
pub fn generate(product: &Product, tiles: &Tiles) -> String {
    let [rows, columns, depth] = tiles.group;
    let [tm, tn] = tiles.unit;
    let across = columns / tn;
    let operands = [Operand::a(product, tiles), Operand::b(product, tiles)];
    let mut text = String::new();
    if tiles.fragments.is_some() {
        line!(text, "enable f16;\nenable wgpu_cooperative_matrix;");
    }
    for (binding, operand) in (0..).zip(&operands) {
        operand.declare(&mut text, binding);
    }
    // Without fragments, a thread's columns of a transposed B are not adjacent.
    let adjacent = tiles.fragments.is_some() || !product.b.transposed;
    let quad = adjacent && product.out.is_quad(product.n);
    declare_result(&mut text, product, tiles, quad);
    if let Some(fragments) = tiles.fragments {
        fragments.declare(&mut text, tiles);
    }
    line!(
        text,
        "@compute @workgroup_size({})\nfn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {{",
        tiles.threads()
    );
    match product.has_rows() {
        true => line!(
            text,
            "  if (t == 0u) {{ shared_rows = sizes[0]; }}\n  let rows = workgroupUniformLoad(&shared_rows);"
        ),
        false => line!(text, "  let rows = 0u;"),
    }
    line!(text, "  let first_a = group.y * {rows}u;\n  let first_b = group.x * {columns}u;");
    write_bases(&mut text, product, tiles);
    match tiles.fragments {
        Some(fragments) => fragments.begin(&mut text, product, tiles),
        None => {
            line!(text, "  let tx = t % {across}u;\n  let ty = t / {across}u;");
            for i in 0..tm {
                for j in 0..tn / 4 {
                    line!(text, "  var c{i}_{j} = vec4<f32>(0.0);");
                }
            }
        }
    }
    for operand in &operands {
        for i in 0..operand.vectors_per_thread {
            line!(text, "  var next_{}{i}: vec4<f32>;", operand.name);
        }
    }
    // The steps of the contraction: all of them, or this workgroup's part.
    let all = format!("(({} + {}u) / {depth}u)", product.k.text(), depth - 1);
    match tiles.splits {
        1 => line!(text, "  let first_step = 0u;\n  let end_step = {all};"),
        splits => line!(
            text,
            "  let share = ({all} + {}u) / {splits}u;\n  let first_step = min(group.z * share, {all});\n  let end_step = min(first_step + share, {all});",
            splits - 1
        ),
    }
    for operand in &operands {
        operand.fetch(&mut text, "  ", &format!("first_step * {depth}u"));
    }
    line!(text, "  for (var step = first_step; step < end_step; step++) {{");
    for operand in &operands {
        operand.store(&mut text, "    ");
    }
    line!(
        text,
        "    workgroupBarrier();\n    if (step + 1u < end_step) {{\n      let k = (step + 1u) * {depth}u;"
    );
    for operand in &operands {
        operand.fetch(&mut text, "      ", "k");
    }
    line!(text, "    }}");
    match tiles.fragments {
        Some(fragments) => fragments.multiply(&mut text, &operands, tiles),
        None => multiply(&mut text, &operands, tiles),
    }
    line!(text, "    workgroupBarrier();\n  }}");
    match tiles.fragments {
        Some(fragments) => fragments.finish(&mut text, product, tiles, quad),
        None => finish(&mut text, product, tiles, quad),
    }
    line!(text, "}}");
    text
}

/// Writes the buffers of the result and the epilogue, and a function that finishes and stores values of a row.
fn declare_result(text: &mut String, product: &Product, tiles: &Tiles, quad: bool) {
    let (ty, shift) = if quad { ("vec4<f32>", 2) } else { ("f32", 0) };
    let epilogue = product.epilogue;
    let mut binding = 2;
    for name in std::iter::once("out").chain(epilogue.buffers()) {
        line!(text, "@group(0) @binding({binding}) var<storage, read_write> {name}: array<{ty}>;");
        binding += 1;
    }
    if product.has_rows() {
        line!(
            text,
            "@group(0) @binding({binding}) var<storage, read_write> sizes: array<u32>;\nvar<workgroup> shared_rows: u32;"
        );
    }
    if epilogue.activation != Activation::Identity {
        text.push_str(GELU);
    }
    let each = |function: &str, value: &str| match quad {
        true => {
            let parts = XYZW.map(|x| format!("{function}({value}.{x})")).join(", ");
            format!("vec4<f32>({parts})")
        }
        false => format!("{function}({value})"),
    };
    line!(
        text,
        "fn finish(base: u32, m: u32, n: u32, sum: {ty}) {{\n  let at = (base + m * {}u + n) >> {shift}u;",
        product.out.lead
    );
    let mut scale = f32::from_bits(product.scale);
    if tiles.fragments.is_some() {
        let scaled = product.gradients.into_iter().filter(|scaled| *scaled);
        scale /= scaled.map(|_| GRADIENT_SCALE).product::<f32>();
    }
    match scale == 1.0 {
        true => line!(text, "  var v = sum;"),
        false => line!(text, "  var v = sum * {scale:?};"),
    }
    if epilogue.bias {
        line!(text, "  v = v + bias[n >> {shift}u];");
    }
    match epilogue.activation {
        Activation::Identity => {}
        Activation::Gelu => line!(text, "  other[at] = v;\n  v = {};", each("gelu", "v")),
        Activation::GeluGradient => {
            line!(text, "  let x = other[at];\n  v = v * {};", each("gelu_gradient", "x"));
        }
    }
    if epilogue.residual {
        line!(text, "  v = v + residual[at];");
    }
    line!(text, "  out[at] = v;\n}}");
}

/// Writes the offsets of this workgroup's matrices.
fn write_bases(text: &mut String, product: &Product, tiles: &Tiles) {
    let inner = product.inner;
    let layouts = [("a", product.a), ("b", product.b), ("out", product.out)];
    for (name, layout) in layouts {
        let MatrixLayout { outer, inner: stride, offset, .. } = layout;
        match (tiles.splits, outer, stride) {
            (1, 0, 0) => line!(text, "  let base_{name} = {offset}u;"),
            (1, ..) => line!(
                text,
                "  let base_{name} = {offset}u + (group.z / {inner}u) * {outer}u + (group.z % {inner}u) * {stride}u;"
            ),
            _ if name == "out" => {
                line!(text, "  let base_{name} = group.z * {} * {}u;", product.m.text(), product.n);
            }
            _ => line!(text, "  let base_{name} = {offset}u;"),
        }
    }
}

/// Writes the code that multiplies the tiles of one step in shared memory.
fn multiply(text: &mut String, [a, b]: &[Operand; 2], tiles: &Tiles) {
    let [_, columns, depth] = tiles.group;
    let [tm, tn] = tiles.unit;
    let across = columns / tn;
    match a.line_is_k {
        true => line!(text, "    let at_a = ty * {}u;", tm / 4),
        false => line!(text, "    let at_a = ty * {}u;", tm * a.pitch),
    }
    match b.line_is_k {
        true => line!(text, "    let at_b = tx;"),
        false => line!(text, "    let at_b = tx * {}u;", b.pitch),
    }
    for quad in 0..depth / 4 {
        line!(text, "    {{");
        if !a.line_is_k {
            for i in 0..tm {
                line!(text, "      let a{i} = tile_a[at_a + {}u];", i * a.pitch + quad);
            }
        }
        if !b.line_is_k {
            for j in 0..tn {
                line!(text, "      let b{j} = tile_b[at_b + {}u];", j * across * b.pitch + quad);
            }
        }
        for (x, part) in (0..4).zip(XYZW) {
            let k = quad * 4 + x;
            if a.line_is_k {
                for i in 0..tm / 4 {
                    line!(text, "      let a{x}_{i} = tile_a[at_a + {}u];", k * a.pitch + i);
                }
            }
            for j in 0..tn / 4 {
                match b.line_is_k {
                    true => line!(
                        text,
                        "      let v{x}_{j} = tile_b[at_b + {}u];",
                        k * b.pitch + j * across
                    ),
                    false => {
                        let parts = [0, 1, 2, 3].map(|c| format!("b{}.{part}", j * 4 + c));
                        line!(text, "      let v{x}_{j} = vec4<f32>({});", parts.join(", "));
                    }
                }
            }
            for i in 0..tm {
                let value = match a.line_is_k {
                    true => format!("a{x}_{}.{}", i / 4, XYZW[(i % 4) as usize]),
                    false => format!("a{i}.{part}"),
                };
                for j in 0..tn / 4 {
                    line!(text, "      c{i}_{j} = fma(vec4<f32>({value}), v{x}_{j}, c{i}_{j});");
                }
            }
        }
        line!(text, "    }}");
    }
}

/// Writes the code that stores a thread's results.
fn finish(text: &mut String, product: &Product, tiles: &Tiles, quad: bool) {
    let [rows, columns, _] = tiles.group;
    let [tm, tn] = tiles.unit;
    let across = columns / tn;
    let guard_row = !product.m.fits(rows);
    let guard_column = !product.n.is_multiple_of(columns);
    for i in 0..tm {
        line!(text, "  {{\n    let m = first_a + ty * {tm}u + {i}u;");
        if guard_row {
            line!(text, "    if (m < {}) {{", product.m.text());
        }
        for j in 0..tn / 4 {
            // Columns of a thread: groups of four adjacent ones, or columns `across` apart if B is transposed.
            let column = |c: u32| match product.b.transposed {
                true => format!("first_b + tx + {}u", (j * 4 + c) * across),
                false => format!("first_b + {}u + tx * 4u", j * across * 4 + c),
            };
            let values: Vec<(String, String)> = match quad {
                true => vec![(column(0), format!("c{i}_{j}"))],
                false => (0..4)
                    .zip(XYZW)
                    .map(|(c, part)| (column(c), format!("c{i}_{j}.{part}")))
                    .collect(),
            };
            for (n, value) in values {
                let store = format!("finish(base_out, m, {n}, {value});");
                match guard_column {
                    true => line!(text, "    if ({n} < {}u) {{ {store} }}", product.n),
                    false => line!(text, "    {store}"),
                }
            }
        }
        if guard_row {
            line!(text, "    }}");
        }
        line!(text, "  }}");
    }
}
