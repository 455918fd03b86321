//! Matrices of f64 and reference implementations of the paper's PETs.

/// Rows × columns, row by row.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
}

impl Matrix {
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Self {
        assert_eq!(rows * columns, values.len());
        Self { rows, columns, values }
    }

    /// Reproducible random values in ±1.
    pub fn random(rows: usize, columns: usize, seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for _ in 0..8 {
            next();
        }
        Self::new(rows, columns, (0..rows * columns).map(|_| next()).collect())
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows);
        let mut values = Vec::new();
        for row in 0..self.rows {
            for column in 0..other.columns {
                let terms = (0..self.columns).map(|i| self.at(row, i) * other.at(i, column));
                values.push(terms.sum());
            }
        }
        Self::new(self.rows, other.columns, values)
    }

    pub fn transposed(&self) -> Self {
        let cells = (0..self.columns).flat_map(|c| (0..self.rows).map(move |r| (r, c)));
        let values = cells.map(|(r, c)| self.at(r, c)).collect();
        Self::new(self.columns, self.rows, values)
    }

    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        let values = self.values.iter().map(|&x| f(x)).collect();
        Self::new(self.rows, self.columns, values)
    }

    pub fn plus(&self, other: &Self) -> Self {
        let row = |index: usize| match other.rows {
            1 => index % self.columns,
            _ => index,
        };
        let values = self.values.iter().enumerate();
        let values = values.map(|(index, x)| x + other.values[row(index)]).collect();
        Self::new(self.rows, self.columns, values)
    }

    pub fn scaled(&self, by: f64) -> Self {
        self.map(|x| x * by)
    }

    /// Columns `from..to`.
    pub fn column_range(&self, from: usize, to: usize) -> Self {
        let cells = (0..self.rows).flat_map(|r| (from..to).map(move |c| (r, c)));
        Self::new(self.rows, to - from, cells.map(|(r, c)| self.at(r, c)).collect())
    }

    /// Rows `from..to`.
    pub fn row_range(&self, from: usize, to: usize) -> Self {
        let values = self.values[from * self.columns..to * self.columns].to_vec();
        Self::new(to - from, self.columns, values)
    }

    /// Appends the rows of `other`.
    pub fn stack_rows(&self, other: &Self) -> Self {
        let values = [self.values.as_slice(), &other.values].concat();
        Self::new(self.rows + other.rows, self.columns, values)
    }

    /// Softmax of every row.
    pub fn softmax(&self) -> Self {
        let values = self.values.chunks(self.columns).flat_map(|row| {
            let exp: Vec<f64> = row.iter().map(|x| x.exp()).collect();
            let sum: f64 = exp.iter().sum();
            exp.into_iter().map(move |x| x / sum)
        });
        Self::new(self.rows, self.columns, values.collect())
    }
}

/// The exact GELU, with an error function accurate to 1e-12 (series of its integral).
pub fn gelu(x: f64) -> f64 {
    let z = x / std::f64::consts::SQRT_2;
    let (mut term, mut sum) = (z, z);
    for n in 1..200 {
        term *= -z * z / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    x * (1.0 + sum * 2.0 / std::f64::consts::PI.sqrt()) / 2.0
}

/// `h + s · (GELU(e·down + b_down)·up + b_up)`.
pub fn adapter(p: &[Matrix], e: &Matrix, h: &Matrix) -> Matrix {
    let [down, b_down, up, b_up, s] = p else { panic!("five parameters") };
    let hidden = e.times(down).plus(b_down).map(gelu);
    h.plus(&hidden.times(up).plus(b_up).scaled(s.values[0]))
}

/// One head of Prefix: queries, keys and values are tokens × head width.
fn prefix_head(
    q: &Matrix,
    k: &Matrix,
    v: &Matrix,
    pk: &Matrix,
    pv: &Matrix,
    calibrated: bool,
) -> Matrix {
    let scale = (q.columns as f64).powf(-0.5);
    let scores = q.times(&pk.stack_rows(k).transposed()).scaled(scale);
    let weights = scores.softmax();
    let rank = pk.rows;
    if !calibrated {
        return weights.times(&pv.stack_rows(v));
    }
    let attended = weights.column_range(rank, rank + k.rows).times(v);
    // Eq. 12: divided by λ, the total weight of the prefix tokens.
    let prefix_weights = weights.column_range(0, rank);
    let mut values = Vec::new();
    for row in 0..prefix_weights.rows {
        let lambda: f64 = (0..rank).map(|i| prefix_weights.at(row, i)).sum();
        values.extend((0..rank).map(|i| prefix_weights.at(row, i) / lambda));
    }
    attended.plus(&Matrix::new(prefix_weights.rows, rank, values).times(pv))
}

/// Prefix over all heads; q, k, v are tokens × width with heads side by side. `calibrated` chooses the
/// calibrated form, in which the prefix weights are normalised separately.
pub fn prefix(
    p: &[Matrix],
    q: &Matrix,
    k: &Matrix,
    v: &Matrix,
    heads: usize,
    calibrated: bool,
) -> Matrix {
    let [pk, pv, sk, sv] = p else { panic!("four parameters") };
    let (pk, pv) = (pk.scaled(sk.values[0]), pv.scaled(sv.values[0]));
    let width = q.columns / heads;
    let parts: Vec<Matrix> = (0..heads)
        .map(|head| {
            let part = |m: &Matrix| m.column_range(head * width, (head + 1) * width);
            prefix_head(&part(q), &part(k), &part(v), &part(&pk), &part(&pv), calibrated)
        })
        .collect();
    let cells = (0..q.rows).flat_map(|r| (0..q.columns).map(move |c| (r, c)));
    let values = cells.map(|(r, c)| parts[c / width].at(r, c % width));
    Matrix::new(q.rows, q.columns, values.collect())
}
