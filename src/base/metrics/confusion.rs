//! Confusion matrices of classes or tasks.
//!
//! With 10,000 classes almost no pair of classes occurs, so only those that do are stored: memory grows with the
//! images, not with the square of the classes. For display, pairs are summed over blocks of neighbouring classes.

use std::ops::Range;

/// A sparse confusion matrix: counts of (true, predicted) pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Number of rows and columns.
    classes: usize,
    /// Triples (true, predicted, count), sorted; each pair occurs once, with a count above 0.
    pairs: Vec<(usize, usize, u32)>,
    /// Cumulative number of predictions by true class: class c has `before[c + 1] - before[c]`.
    before: Vec<u64>,
}

impl Confusion {
    /// Counts pairs of (true, predicted); ignores classes that are not below `classes`.
    pub fn new(classes: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut all: Vec<(usize, usize)> =
            pairs.filter(|(a, b)| *a < classes && *b < classes).collect();
        all.sort_unstable();
        let mut before = vec![0; classes + 1];
        for &(row, _) in &all {
            before[row + 1] += 1;
        }
        for row in 0..classes {
            before[row + 1] += before[row];
        }
        let same = all.chunk_by(|a, b| a == b);
        let pairs = same.map(|equal| (equal[0].0, equal[0].1, equal.len() as u32));
        Self { classes, pairs: pairs.collect(), before }
    }

    /// Returns the number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Returns how often classes of `rows` were predicted as classes of `columns`.
    pub fn count(&self, rows: &Range<usize>, columns: &Range<usize>) -> u64 {
        let from = self.pairs.partition_point(|pair| pair.0 < rows.start);
        let candidates = self.pairs[from..].iter();
        candidates
            .take_while(|pair| pair.0 < rows.end)
            .filter(|pair| columns.contains(&pair.1))
            .map(|pair| u64::from(pair.2))
            .sum()
    }

    /// Returns the number of predictions for images of these classes.
    pub fn total(&self, rows: &Range<usize>) -> u64 {
        let at = |class: usize| self.before.get(class.min(self.classes)).copied();
        at(rows.end).unwrap_or(0) - at(rows.start).unwrap_or(0)
    }

    /// Returns the most frequent pairs of different classes as (true, predicted, count), in descending order.
    pub fn most_confused(&self, max: usize) -> Vec<(usize, usize, u32)> {
        let mut wrong: Vec<_> = self.pairs.iter().filter(|p| p.0 != p.1).copied().collect();
        // The sort is stable, so equal counts remain in the order of their classes.
        wrong.sort_by_key(|pair| std::cmp::Reverse(pair.2));
        wrong.truncate(max);
        wrong
    }

    /// Returns `blocks` × `blocks` sums, row by row, each as a share of its row.
    pub fn shares(&self, blocks: Blocks) -> Vec<f64> {
        let n = blocks.count;
        let mut sums = vec![0u64; n * n];
        for &(row, column, count) in &self.pairs {
            sums[blocks.block_of(row) * n + blocks.block_of(column)] += u64::from(count);
        }
        let share = |(i, sum): (usize, u64)| {
            let all = self.total(&blocks.range(i / n));
            sum as f64 / all.max(1) as f64
        };
        sums.into_iter().enumerate().map(share).collect()
    }
}

/// A division of `items` neighbouring items into `count` blocks whose lengths differ by at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Number of items.
    pub items: usize,
    /// Number of blocks, at most the number of items.
    pub count: usize,
}

impl Blocks {
    /// Divides into one block per item, or into `max_blocks` blocks if there are more items.
    pub fn at_most(max_blocks: usize, items: usize) -> Self {
        let count = items.min(max_blocks.max(1));
        Self { items, count }
    }

    /// Returns the items of a block.
    pub fn range(self, block: usize) -> Range<usize> {
        let start = |block: usize| block * self.items / self.count.max(1);
        start(block)..start(block + 1)
    }

    /// Returns the block of an item.
    pub fn block_of(self, item: usize) -> usize {
        // The last block b with b · items / count ≤ item.
        ((item + 1) * self.count - 1) / self.items.max(1)
    }
}

/// Returns the mean of each block of a lower triangular matrix (row i has the values 0..=i); `None` for a block
/// without finite values.
pub fn block_means(rows: &[Vec<f64>], blocks: Blocks) -> Vec<Option<f64>> {
    let n = blocks.count;
    let mut sums = vec![(0.0, 0u32); n * n];
    for (row, values) in rows.iter().enumerate().take(blocks.items) {
        let measured = values.iter().enumerate().take(blocks.items);
        for (column, value) in measured.filter(|(_, value)| value.is_finite()) {
            let (sum, count) = &mut sums[blocks.block_of(row) * n + blocks.block_of(column)];
            *sum += value;
            *count += 1;
        }
    }
    let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
    sums.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_pairs_and_ranks_most_confused() {
        let pairs = [(0, 0), (0, 1), (2, 1), (0, 1), (1, 1), (7, 0)];
        let confusion = Confusion::new(3, pairs.into_iter());
        assert_eq!(confusion.count(&(0..1), &(1..2)), 2);
        assert_eq!(confusion.count(&(0..3), &(1..2)), 4);
        assert_eq!((confusion.total(&(0..1)), confusion.total(&(0..3))), (3, 5));
        assert_eq!(confusion.most_confused(9), [(0, 1, 2), (2, 1, 1)]);
        let shares = confusion.shares(Blocks::at_most(8, 3));
        assert_eq!(shares[..3], [1.0 / 3.0, 2.0 / 3.0, 0.0]);
        assert_eq!(confusion.shares(Blocks::at_most(1, 3)), [1.0]);
    }

    #[test]
    fn blocks_partition_all_indices() {
        for (items, max_blocks) in [(10, 3), (10_000, 512), (512, 512), (7, 512), (1, 1)] {
            let blocks = Blocks::at_most(max_blocks, items);
            let mut next = 0;
            for block in 0..blocks.count {
                let range = blocks.range(block);
                assert!(range.start == next && !range.is_empty(), "{range:?}");
                assert!(range.clone().all(|item| blocks.block_of(item) == block));
                next = range.end;
            }
            assert_eq!(next, items);
        }
    }

    #[test]
    fn block_means_skip_missing_values() {
        let rows = [vec![1.0], vec![0.5, 0.7], vec![0.2, 0.4, 0.9]];
        let means = block_means(&rows, Blocks::at_most(2, 4));
        // Rows 0 and 1 are the first block; row 3 does not exist yet.
        let close = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-12);
        assert!(close(means[0], 2.2 / 3.0) && means[1].is_none());
        assert!(close(means[2], 0.3) && close(means[3], 0.9), "{means:?}");
    }
}
