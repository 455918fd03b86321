//! Matrix products in f32: `out[z] = f(scale · A[z] · B[z])`, z a batch of matrices.
//!
//! A workgroup computes a tile of the result in registers and brings the operands through shared memory, one step of
//! the contraction at a time, while it reads the next step from global memory. Accumulators are named variables and the
//! step is written out, so nothing is indexed in a loop: drivers keep such arrays in memory, not in registers.
//!
//! A stored matrix is row by row ("plain") or column by column ("turned") with a stride and two batch strides, so that
//! transposes and heads inside packed projections need no copy. Rows and columns outside are read from the last one
//! inside and not written; along the contraction, what is outside counts as zero.

use std::fmt::Write;

use super::kernel::{Cache, Kernel};

/// A matrix, or a batch of them, as it is stored; strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    /// Column by column.
    pub turned: bool,
    /// From one row (column, where turned) to the next.
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
    pub fn plain(columns: usize) -> Self {
        Self {
            turned: false,
            lead: columns as u32,
            outer: 0,
            inner: 0,
            offset: 0,
            padded: false,
        }
    }

    /// The transpose of a matrix that is stored row by row.
    pub fn turned(rows: usize) -> Self {
        Self {
            turned: true,
            ..Self::plain(rows)
        }
    }

    /// The transpose.
    pub fn transposed(self) -> Self {
        Self {
            turned: !self.turned,
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

/// What is done with a sum before it is stored.
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
    /// m × n, never turned.
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
            out: Stored::plain(n),
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

/// How the work of a product is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiles {
    /// Rows, columns and depth of a workgroup's tile.
    pub group: [u32; 3],
    /// Rows and columns of a thread's part of it.
    pub thread: [u32; 2],
    /// Workgroups that share a tile of the result, each a part of the contraction. With more than one of them the
    /// results are partial sums, one matrix behind the other.
    pub splits: u32,
}

impl Tiles {
    const HUGE: Self = Self::new([128, 128, 8], [8, 8]);
    const LARGE: Self = Self::new([128, 64, 16], [8, 4]);
    const MEDIUM: Self = Self::new([64, 64, 16], [4, 4]);
    const SMALL: Self = Self::new([32, 32, 32], [4, 4]);
    /// All that a product may be computed with. Each stays within the default limits of WebGPU.
    pub const ALL: [Self; 6] = [
        Self::HUGE,
        Self::new([64, 128, 8], [8, 8]),
        Self::LARGE,
        Self::MEDIUM,
        Self::new([64, 64, 16], [8, 4]),
        Self::SMALL,
    ];

    const fn new(group: [u32; 3], thread: [u32; 2]) -> Self {
        Self {
            group,
            thread,
            splits: 1,
        }
    }

    /// Returns tiles for a product of these sizes, by the number of workgroups they give: a GPU has about a hundred
    /// processors, and each wants two workgroups or more.
    pub fn for_sizes([m, n, k]: [usize; 3], batch: usize) -> Self {
        const WANTED: usize = 256;
        let groups = |tiles: &Self| {
            let [rows, columns, _] = tiles.group.map(|size| size as usize);
            m.div_ceil(rows) * n.div_ceil(columns) * batch
        };
        let fills = |tiles: &Self| {
            let [rows, columns, _] = tiles.group.map(|size| size as usize);
            m >= rows && n >= columns && groups(tiles) >= WANTED
        };
        let best = [Self::HUGE, Self::LARGE, Self::MEDIUM];
        if let Some(tiles) = best.into_iter().find(fills) {
            return tiles;
        }
        let tiles = match m.min(n) < 64 {
            true => Self::SMALL,
            false => Self::MEDIUM,
        };
        // A part of the contraction is worth a workgroup from about 256 on.
        let splits = (WANTED / groups(&tiles).max(1)).min(k / 256).clamp(1, 32);
        match batch {
            1 => Self {
                splits: splits as u32,
                ..tiles
            },
            _ => tiles,
        }
    }

    /// Returns a name like `128x64x16 of 8x4`.
    pub fn name(&self) -> String {
        let [rows, columns, depth] = self.group;
        let [thread_rows, thread_columns] = self.thread;
        format!("{rows}x{columns}x{depth} of {thread_rows}x{thread_columns}")
    }

    /// Returns the tiles with this name, or `None` where there are none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tiles| tiles.name() == name)
    }

    /// Threads of a workgroup.
    fn threads(&self) -> u32 {
        let [rows, columns, _] = self.group;
        (rows / self.thread[0]) * (columns / self.thread[1])
    }

    /// Workgroups of a launch.
    pub fn groups(&self, m: usize, n: usize, batch: usize) -> [u32; 3] {
        let [rows, columns, _] = self.group;
        [
            (n as u32).div_ceil(columns),
            (m as u32).div_ceil(rows),
            batch as u32 * self.splits,
        ]
    }
}

/// Returns the kernel of a product.
pub fn kernel(product: &Product, tiles: &Tiles) -> Kernel {
    static KERNELS: Cache<(Product, Tiles)> = Cache::new();
    KERNELS.get(&(*product, *tiles), || {
        let text = text(product, tiles);
        Kernel::new(name(product, tiles), &text, tiles.threads())
    })
}

/// Describes a product for people: its sizes, how operands are stored, and its tiles.
fn name(product: &Product, tiles: &Tiles) -> String {
    let size = |size: Size| match size {
        Size::Fixed(size) => size.to_string(),
        Size::Rows => "rows".into(),
    };
    let letter = |stored: Stored| if stored.turned { 'T' } else { 'N' };
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

/// A line of text, with its end.
macro_rules! line {
    ($text:expr, $($words:tt)*) => {{
        // Writing to a text cannot fail.
        let _ = writeln!($text, $($words)*);
    }};
}

/// One operand on its way through shared memory. The tile there is laid out as the matrix is: lines of vectors.
struct Operand {
    name: &'static str,
    stored: Stored,
    half: bool,
    /// Whether the contraction goes from line to line.
    line_is_k: bool,
    /// How many lines and columns the stored matrix has.
    lines: Size,
    columns: u32,
    /// Lines of a tile, and vectors of four in each.
    tile: [u32; 2],
    /// Vectors from one line of the tile to the next.
    pitch: u32,
    /// Vectors that a thread brings each step.
    each: u32,
    threads: u32,
}

impl Operand {
    fn a(product: &Product, tiles: &Tiles) -> Self {
        let [rows, _, depth] = tiles.group;
        Self::new(
            "a",
            product.a,
            [product.m, product.k],
            [rows, depth],
            tiles,
            0,
        )
    }

    fn b(product: &Product, tiles: &Tiles) -> Self {
        let [_, columns, depth] = tiles.group;
        // B is treated as its transpose, so that its lines are the contraction where it is plain. Threads side by
        // side read different lines of a turned B: one vector more a line, so that they use different banks.
        let pad = u32::from(product.b.turned);
        let operand = Self::new(
            "b",
            product.b.transposed(),
            [Size::Fixed(product.n), product.k],
            [columns, depth],
            tiles,
            pad,
        );
        Self {
            half: product.b_half,
            ..operand
        }
    }

    /// Of an operand whose rows are not contracted: sizes of matrix and tile are rows and contraction.
    fn new(
        name: &'static str,
        stored: Stored,
        [rows, k]: [Size; 2],
        [tile_rows, tile_k]: [u32; 2],
        tiles: &Tiles,
        pad: u32,
    ) -> Self {
        let threads = tiles.threads();
        let line_is_k = stored.turned;
        let (lines, columns, tile) = match line_is_k {
            true => (k, rows, [tile_k, tile_rows / 4]),
            false => (rows, k, [tile_rows, tile_k / 4]),
        };
        let columns = match (columns, stored.padded) {
            (Size::Fixed(columns), false) => columns,
            // Rows are counted along lines alone.
            _ => stored.lead,
        };
        Self {
            name,
            stored,
            half: false,
            line_is_k,
            lines,
            columns,
            tile,
            pitch: tile[1] + pad,
            each: tile[0] * tile[1] / threads,
            threads,
        }
    }

    /// Vectors of a tile.
    fn size(&self) -> u32 {
        self.tile[0] * self.pitch
    }

    /// The buffer, the shared tile, and a function that reads four values of a line.
    fn declare(&self, text: &mut String, binding: u32) {
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
        line!(
            text,
            "var<workgroup> tile_{name}: array<vec4<f32>, {}>;",
            self.size()
        );
        line!(
            text,
            "fn load_{name}(base: u32, line: u32, column: u32, rows: u32) -> vec4<f32> {{"
        );
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

    /// Line and vector of the tile that thread `t` brings as its `i`-th.
    fn place(&self, i: u32) -> (String, String) {
        let quads = self.tile[1];
        let at = match i {
            0 => "t".to_owned(),
            _ => format!("(t + {}u)", i * self.threads),
        };
        (format!("({at} / {quads}u)"), format!("({at} % {quads}u)"))
    }

    /// Reads the step at `k` into registers.
    fn fetch(&self, text: &mut String, indent: &str, k: &str) {
        let name = self.name;
        for i in 0..self.each {
            let (line, quad) = self.place(i);
            let (line, column) = match self.line_is_k {
                true => (
                    format!("{k} + {line}"),
                    format!("first_{name} + {quad} * 4u"),
                ),
                false => (
                    format!("first_{name} + {line}"),
                    format!("{k} + {quad} * 4u"),
                ),
            };
            line!(
                text,
                "{indent}next_{name}{i} = load_{name}(base_{name}, {line}, {column}, rows);"
            );
        }
    }

    /// Puts what was read into shared memory.
    fn store(&self, text: &mut String, indent: &str) {
        let name = self.name;
        for i in 0..self.each {
            let (line, quad) = self.place(i);
            let pitch = self.pitch;
            line!(
                text,
                "{indent}tile_{name}[{line} * {pitch}u + {quad}] = next_{name}{i};"
            );
        }
    }
}

const XYZW: [char; 4] = ['x', 'y', 'z', 'w'];

impl Epilogue {
    /// The names of the buffers behind A, B and the result, in the order of their bindings.
    fn buffers(self) -> impl Iterator<Item = &'static str> {
        let is_used = [
            ("bias", self.bias),
            ("other", self.activation != Activation::Identity),
            ("residual", self.residual),
        ];
        is_used
            .into_iter()
            .filter_map(|(name, used)| used.then_some(name))
    }
}

/// The whole kernel. Bindings: A, B, result, then those of bias, second matrix and residual that there are, then sizes.
fn text(product: &Product, tiles: &Tiles) -> String {
    let [rows, columns, depth] = tiles.group;
    let [tm, tn] = tiles.thread;
    let across = columns / tn;
    let operands = [Operand::a(product, tiles), Operand::b(product, tiles)];
    let mut text = String::new();
    for (binding, operand) in (0..).zip(&operands) {
        operand.declare(&mut text, binding);
    }
    let quad = !product.b.turned && product.out.is_quad(product.n);
    declare_result(&mut text, product, quad);
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
    line!(text, "  let tx = t % {across}u;\n  let ty = t / {across}u;");
    line!(
        text,
        "  let first_a = group.y * {rows}u;\n  let first_b = group.x * {columns}u;"
    );
    bases(&mut text, product, tiles);
    for i in 0..tm {
        for j in 0..tn / 4 {
            line!(text, "  var c{i}_{j} = vec4<f32>(0.0);");
        }
    }
    for operand in &operands {
        for i in 0..operand.each {
            line!(text, "  var next_{}{i}: vec4<f32>;", operand.name);
        }
    }
    // Steps of the contraction: all of them, or this workgroup's share.
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
    line!(
        text,
        "  for (var step = first_step; step < end_step; step++) {{"
    );
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
    multiply(&mut text, &operands, tiles);
    line!(text, "    workgroupBarrier();\n  }}");
    finish(&mut text, product, tiles, quad);
    line!(text, "}}");
    text
}

/// The result's buffer, those of the epilogue, and a function that finishes and stores values of a row.
fn declare_result(text: &mut String, product: &Product, quad: bool) {
    let (ty, shift) = if quad { ("vec4<f32>", 2) } else { ("f32", 0) };
    let epilogue = product.epilogue;
    let mut binding = 2;
    for name in std::iter::once("out").chain(epilogue.buffers()) {
        line!(
            text,
            "@group(0) @binding({binding}) var<storage, read_write> {name}: array<{ty}>;"
        );
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
    let scale = f32::from_bits(product.scale);
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
        Activation::GeluGradient => line!(
            text,
            "  let x = other[at];\n  v = v * {};",
            each("gelu_gradient", "x")
        ),
    }
    if epilogue.residual {
        line!(text, "  v = v + residual[at];");
    }
    line!(text, "  out[at] = v;\n}}");
}

/// Where this workgroup's matrices begin.
fn bases(text: &mut String, product: &Product, tiles: &Tiles) {
    let inner = product.inner;
    let stored = [("a", product.a), ("b", product.b), ("out", product.out)];
    for (name, stored) in stored {
        let Stored {
            outer,
            inner: stride,
            offset,
            ..
        } = stored;
        match (tiles.splits, outer, stride) {
            (1, 0, 0) => line!(text, "  let base_{name} = {offset}u;"),
            (1, ..) => line!(
                text,
                "  let base_{name} = {offset}u + (group.z / {inner}u) * {outer}u + (group.z % {inner}u) * {stride}u;"
            ),
            _ if name == "out" => line!(
                text,
                "  let base_{name} = group.z * {} * {}u;",
                product.m.text(),
                product.n
            ),
            _ => line!(text, "  let base_{name} = {offset}u;"),
        }
    }
}

/// Multiplies the tiles of one step in shared memory.
fn multiply(text: &mut String, [a, b]: &[Operand; 2], tiles: &Tiles) {
    let [_, columns, depth] = tiles.group;
    let [tm, tn] = tiles.thread;
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
                line!(
                    text,
                    "      let a{i} = tile_a[at_a + {}u];",
                    i * a.pitch + quad
                );
            }
        }
        if !b.line_is_k {
            for j in 0..tn {
                line!(
                    text,
                    "      let b{j} = tile_b[at_b + {}u];",
                    j * across * b.pitch + quad
                );
            }
        }
        for (x, part) in (0..4).zip(XYZW) {
            let k = quad * 4 + x;
            if a.line_is_k {
                for i in 0..tm / 4 {
                    line!(
                        text,
                        "      let a{x}_{i} = tile_a[at_a + {}u];",
                        k * a.pitch + i
                    );
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
                        line!(
                            text,
                            "      let v{x}_{j} = vec4<f32>({});",
                            parts.join(", ")
                        );
                    }
                }
            }
            for i in 0..tm {
                let value = match a.line_is_k {
                    true => format!("a{x}_{}.{}", i / 4, XYZW[(i % 4) as usize]),
                    false => format!("a{i}.{part}"),
                };
                for j in 0..tn / 4 {
                    line!(
                        text,
                        "      c{i}_{j} = fma(vec4<f32>({value}), v{x}_{j}, c{i}_{j});"
                    );
                }
            }
        }
        line!(text, "    }}");
    }
}

/// Stores a thread's results.
fn finish(text: &mut String, product: &Product, tiles: &Tiles, quad: bool) {
    let [rows, columns, _] = tiles.group;
    let [tm, tn] = tiles.thread;
    let across = columns / tn;
    let guard_row = !product.m.fits(rows);
    let guard_column = !product.n.is_multiple_of(columns);
    for i in 0..tm {
        line!(text, "  {{\n    let m = first_a + ty * {tm}u + {i}u;");
        if guard_row {
            line!(text, "    if (m < {}) {{", product.m.text());
        }
        for j in 0..tn / 4 {
            // Columns of a thread: neighbours in fours, or `across` apart where B is turned.
            let column = |c: u32| match product.b.turned {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_workgroups_split_the_contraction() {
        let gradient = Tiles::for_sizes([768, 5, 4728], 1);
        assert_eq!((gradient.group, gradient.splits), ([32, 32, 32], 10));
        let wide = Tiles::for_sizes([4728, 3072, 768], 1);
        assert_eq!((wide.group, wide.splits), ([128, 128, 8], 1));
        let layer = Tiles::for_sizes([4728, 768, 768], 1);
        assert_eq!((layer.group, layer.splits), ([128, 64, 16], 1));
        let narrow = Tiles::for_sizes([4728, 64, 197], 1);
        assert_eq!((narrow.group, narrow.splits), ([64, 64, 16], 1));
    }

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
                    let lay_out = |turned: bool, lead: usize| match turned {
                        true => Stored::turned(lead),
                        false => Stored::plain(lead),
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
            [Stored::turned(768), Stored::plain(5)],
        );
        kernel(&gradient, &split).validate();
        for b in [Stored::plain(768), Stored::turned(768)] {
            let half = Product {
                b_half: true,
                ..Product::new([Size::Rows, Size::Fixed(768)], 768, [Stored::plain(768), b])
            };
            kernel(&half, &Tiles::LARGE).validate();
        }
        sum_kernel(768 * 5, 8).validate();
    }
}
