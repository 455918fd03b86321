//! The division of a product's work among workgroups and threads.

/// The cooperative matrices of a GPU: the subgroup multiplies `size` × `size` fragments of f16 and sums them in f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fragments {
    /// Rows, columns and depth of a fragment: 8 or 16.
    pub size: u32,
    /// Threads of a subgroup.
    pub lanes: u32,
}

impl Fragments {
    /// Returns all kinds for which there are tiles.
    pub fn all() -> impl Iterator<Item = Self> {
        let lanes = [32, 64, 16, 8].into_iter();
        lanes.flat_map(|lanes| [16, 8].map(|size| Self { size, lanes }))
    }
}

/// The division of a product's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiles {
    /// Rows, columns and depth of a workgroup's tile.
    pub group: [u32; 3],
    /// Rows and columns that each thread computes, or each subgroup if there are fragments.
    pub unit: [u32; 2],
    /// The cooperative matrices to use; `None` for ordinary f32 arithmetic.
    pub fragments: Option<Fragments>,
    /// Number of workgroups that share a tile of the result, each for a part of the contraction. If there are several,
    /// the results are partial sums, stored as consecutive matrices.
    pub splits: u32,
}

impl Tiles {
    const HUGE: Self = Self::new([128, 128, 8], [8, 8]);
    pub const LARGE: Self = Self::new([128, 64, 16], [8, 4]);
    const MEDIUM: Self = Self::new([64, 64, 16], [4, 4]);
    pub const SMALL: Self = Self::new([32, 32, 32], [4, 4]);
    /// All tiles that a product can use. They stay within the default limits of WebGPU.
    pub const ALL: [Self; 6] = [
        Self::HUGE,
        Self::new([64, 128, 8], [8, 8]),
        Self::LARGE,
        Self::MEDIUM,
        Self::new([64, 64, 16], [8, 4]),
        Self::SMALL,
    ];

    const fn new(group: [u32; 3], unit: [u32; 2]) -> Self {
        Self { group, unit, fragments: None, splits: 1 }
    }

    /// Returns the tiles that use these fragments.
    pub fn cooperative(fragments: Fragments) -> impl Iterator<Item = Self> {
        const LARGE: [Tiles; 5] = [
            Tiles::new([128, 128, 32], [64, 64]),
            Tiles::new([128, 128, 32], [64, 32]),
            Tiles::new([128, 128, 16], [64, 32]),
            Tiles::new([128, 64, 32], [64, 32]),
            Tiles::new([64, 64, 32], [32, 32]),
        ];
        const SMALL: [Tiles; 2] =
            [Tiles::new([64, 64, 32], [32, 32]), Tiles::new([32, 32, 16], [16, 16])];
        let tiles = match fragments.size {
            16 => &LARGE[..],
            _ => &SMALL,
        };
        let tiles = tiles.iter().map(move |tiles| Self { fragments: Some(fragments), ..*tiles });
        tiles.filter(Self::loads_evenly)
    }

    /// Returns whether every thread loads the same number of vectors of each operand in a step.
    fn loads_evenly(&self) -> bool {
        let [rows, columns, depth] = self.group;
        let vectors = [rows * depth / 4, columns * depth / 4];
        vectors.iter().all(|count| count.is_multiple_of(self.threads()))
    }

    /// Number of workgroups that fill a GPU: it has about a hundred processors, and each needs at least two.
    const TARGET_GROUPS: usize = 256;

    /// Returns the number of tiles of a result with m rows and n columns.
    fn count(&self, m: usize, n: usize) -> usize {
        let [rows, columns, _] = self.group.map(|size| size as usize);
        m.div_ceil(rows) * n.div_ceil(columns)
    }

    /// Splits the contraction of a product with sizes m, n and k if it has too few tiles to fill a GPU.
    pub fn split(self, [m, n, k]: [usize; 3]) -> Self {
        // Parts of less than about 256 are not faster.
        let splits = (Self::TARGET_GROUPS / self.count(m, n).max(1)).min(k / 256).clamp(1, 32);
        Self { splits: splits as u32, ..self }
    }

    /// Returns tiles for a product of these sizes that fill a GPU.
    pub fn for_sizes([m, n, k]: [usize; 3], batch: usize) -> Self {
        let is_filled = |tiles: &Self| {
            let [rows, columns, _] = tiles.group.map(|size| size as usize);
            m >= rows && n >= columns && tiles.count(m, n) * batch >= Self::TARGET_GROUPS
        };
        let best = [Self::HUGE, Self::LARGE, Self::MEDIUM];
        if let Some(tiles) = best.into_iter().find(is_filled) {
            return tiles;
        }
        let tiles = match m.min(n) < 64 {
            true => Self::SMALL,
            false => Self::MEDIUM,
        };
        match batch {
            1 => tiles.split([m, n, k]),
            _ => tiles,
        }
    }

    /// Returns a name like `128x64x16 of 8x4`, or `128x64x32 of 64x32 by 16 (32 lanes)` with cooperative matrices.
    pub fn name(&self) -> String {
        let [rows, columns, depth] = self.group;
        let [unit_rows, unit_columns] = self.unit;
        let name = format!("{rows}x{columns}x{depth} of {unit_rows}x{unit_columns}");
        match self.fragments {
            Some(Fragments { size, lanes }) => format!("{name} by {size} ({lanes} lanes)"),
            None => name,
        }
    }

    /// Returns the tiles with this name, `None` if there are none.
    pub fn from_name(name: &str) -> Option<Self> {
        let cooperative = Fragments::all().flat_map(Self::cooperative);
        let mut all = Self::ALL.into_iter().chain(cooperative);
        all.find(|tiles| tiles.name() == name)
    }

    /// Returns the number of threads of a workgroup.
    pub fn threads(&self) -> u32 {
        let [rows, columns, _] = self.group;
        let units = (rows / self.unit[0]) * (columns / self.unit[1]);
        units * self.fragments.map_or(1, |fragments| fragments.lanes)
    }

    /// Returns the numbers of workgroups of a launch.
    pub fn groups(&self, m: usize, n: usize, batch: usize) -> [u32; 3] {
        let [rows, columns, _] = self.group;
        [(n as u32).div_ceil(columns), (m as u32).div_ceil(rows), batch as u32 * self.splits]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_divide_loads_evenly_among_threads() {
        assert!(Tiles::ALL.iter().all(Tiles::loads_evenly));
        for fragments in Fragments::all() {
            assert!(Tiles::cooperative(fragments).count() > 0, "{fragments:?}");
        }
    }

    #[test]
    fn small_outputs_split_the_contraction() {
        let gradient = Tiles::for_sizes([768, 5, 4728], 1);
        assert_eq!((gradient.group, gradient.splits), ([32, 32, 32], 10));
        let wide = Tiles::for_sizes([4728, 3072, 768], 1);
        assert_eq!((wide.group, wide.splits), ([128, 128, 8], 1));
        let layer = Tiles::for_sizes([4728, 768, 768], 1);
        assert_eq!((layer.group, layer.splits), ([128, 64, 16], 1));
        let narrow = Tiles::for_sizes([4728, 64, 197], 1);
        assert_eq!((narrow.group, narrow.splits), ([64, 64, 16], 1));
    }
}
