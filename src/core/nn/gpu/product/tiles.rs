//! How the work of a product is divided among workgroups and threads.

/// How the work of a product is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiles {
    /// Rows, columns and depth of a workgroup's tile.
    pub group: [u32; 3],
    /// Rows and columns that each thread computes.
    pub thread: [u32; 2],
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

    const fn new(group: [u32; 3], thread: [u32; 2]) -> Self {
        Self {
            group,
            thread,
            splits: 1,
        }
    }

    /// Returns tiles for a product of these sizes, chosen by the resulting number of workgroups: a GPU has about a
    /// hundred processors, and each needs two workgroups or more.
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
        // A workgroup is useful for a part of the contraction of about 256 or more.
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

    /// Returns the tiles with this name, `None` if there are none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tiles| tiles.name() == name)
    }

    /// Threads of a workgroup.
    pub fn threads(&self) -> u32 {
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
}
