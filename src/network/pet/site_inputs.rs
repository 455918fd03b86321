//! The inputs that the sites of a block pass to equations, and the order of the sites.

use super::shape::Shape;
use super::site::{BlockShape, Site};

impl Site {
    /// Returns the shapes of the inputs of this site for `images` images. `tokens` are the numbers of tokens per
    /// image before the block and inside it, where `input` may have added some.
    pub fn input_shapes(self, shape: &BlockShape, images: usize, tokens: [usize; 2]) -> Vec<Shape> {
        let (input, output) = self.channels(shape);
        let [outside, inside] = tokens;
        match self {
            Self::Attend => {
                let width = shape.width / shape.heads.max(1);
                vec![vec![images, shape.heads, inside, width]; 3]
            }
            Self::Input => vec![vec![images, outside, input]],
            Self::Tokens => tokens.map(|tokens| vec![images, tokens, input]).into(),
            _ => {
                let of = |width| vec![images, inside, width];
                let weight = self.is_linear().then(|| vec![input, output]);
                [of(input), of(output)].into_iter().chain(weight).collect()
            }
        }
    }

    /// Sorts sites: `input` first, because it determines the number of tokens at the others.
    pub(super) fn in_order(sites: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sites: Vec<Self> = sites.into_iter().collect();
        sites.sort_by_key(|site| *site != Self::Input);
        sites
    }
}
