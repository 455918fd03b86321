//! Rotary position embedding (Su et al., 2021): pairs of channels of queries and keys are rotated by angles that depend
//! on the position of their token.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::sums::rows_per_chunk;

/// The rotation angles of all rotated tokens, and the pairing of channels.
#[derive(Clone, Debug)]
pub struct Angles {
    /// Cosines, tokens × pairs of a head.
    pub cos: Vec<f32>,
    /// Sines, in the same layout.
    pub sin: Vec<f32>,
    /// Number of pairs of channels in a head: half its width.
    pub pairs: usize,
    /// Whether channel i of a head is paired with channel i + width / 2; otherwise, neighbours are paired.
    pub rotate_half: bool,
}

impl Angles {
    /// Returns the number of rotated tokens.
    pub fn tokens(&self) -> usize {
        self.cos.len() / self.pairs.max(1)
    }

    /// Returns `qkv` (rows of queries, keys and values, each `width` wide, `tokens` rows per image) with queries and
    /// keys rotated. The last tokens of each image are rotated, as many as there are angles. `inverse` rotates by the
    /// opposite angles, which computes the gradient.
    pub fn rotate(&self, qkv: &[f32], tokens: usize, width: usize, inverse: bool) -> Buffer {
        let sign = if inverse { -1.0 } else { 1.0 };
        let leading = tokens.saturating_sub(self.tokens());
        let rows = rows_per_chunk(3 * width);
        let mut out = Buffer::new(qkv.len());
        out.par_chunks_mut(rows * 3 * width)
            .zip(qkv.par_chunks(rows * 3 * width))
            .enumerate()
            .for_each(|(part, (out, qkv))| {
                let row_pairs = out.chunks_exact_mut(3 * width).zip(qkv.chunks_exact(3 * width));
                for (row, (out, qkv)) in row_pairs.enumerate() {
                    out.copy_from_slice(qkv);
                    let token = (part * rows + row) % tokens;
                    if let Some(token) = token.checked_sub(leading) {
                        self.rotate_row(&mut out[..2 * width], token, sign);
                    }
                }
            });
        out
    }

    /// Rotates all heads of the queries and keys of one token.
    fn rotate_row(&self, row: &mut [f32], token: usize, sign: f32) {
        let range = token * self.pairs..(token + 1) * self.pairs;
        let (cos, sin) = (&self.cos[range.clone()], &self.sin[range]);
        for head in row.chunks_exact_mut(2 * self.pairs) {
            if self.rotate_half {
                let (first, second) = head.split_at_mut(self.pairs);
                for (((a, b), cos), sin) in first.iter_mut().zip(second).zip(cos).zip(sin) {
                    [*a, *b] = rotate_pair([*a, *b], *cos, sign * *sin);
                }
            } else {
                let (pairs, _) = head.as_chunks_mut::<2>();
                for ((pair, cos), sin) in pairs.iter_mut().zip(cos).zip(sin) {
                    *pair = rotate_pair(*pair, *cos, sign * *sin);
                }
            }
        }
    }
}

fn rotate_pair([a, b]: [f32; 2], cos: f32, sin: f32) -> [f32; 2] {
    [a * cos - b * sin, b * cos + a * sin]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_is_inverted_by_its_gradient() {
        let (tokens, width, pairs) = (5, 8, 2);
        let angle = |i: usize| 0.3 + i as f32;
        for half in [false, true] {
            let angles = Angles {
                cos: (0..3 * pairs).map(|i| angle(i).cos()).collect(),
                sin: (0..3 * pairs).map(|i| angle(i).sin()).collect(),
                pairs,
                rotate_half: half,
            };
            let qkv: Vec<f32> = (0..2 * tokens * 3 * width).map(|i| i as f32).collect();
            let out = angles.rotate(&qkv, tokens, width, false);
            let row = |values: &[f32], row: usize| values[row * 24..(row + 1) * 24].to_vec();
            for image in 0..2 {
                assert_eq!(row(&out, image * tokens), row(&qkv, image * tokens));
                let (new, old) = (row(&out, image * tokens + 2), row(&qkv, image * tokens + 2));
                assert_eq!(new[16..], old[16..]);
                let other = if half { 2 } else { 1 };
                let expected = old[0] * angle(0).cos() - old[other] * angle(0).sin();
                assert!((new[0] - expected).abs() < 1e-4);
            }
            let restored = angles.rotate(&out, tokens, width, true);
            assert!(restored.iter().zip(&qkv).all(|(a, b)| (a - b).abs() < 1e-3));
        }
    }
}
