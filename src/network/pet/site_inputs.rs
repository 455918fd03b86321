//! What the sites of a block hand over to equations, and in which order they do.

use super::shape::Shape;
use super::site::{BlockShape, Site};

impl Site {
    /// The shapes of what it hands over for `images` images; `tokens` are those of an image before the block and
    /// inside, where `input` may have added some.
    pub fn handed(self, shape: &BlockShape, images: usize, tokens: [usize; 2]) -> Vec<Shape> {
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

    /// Sites in the order in which they act on how many tokens there are: `input` before all others.
    pub(super) fn in_order(sites: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sites: Vec<Self> = sites.into_iter().collect();
        sites.sort_by_key(|site| *site != Self::Input);
        sites
    }
}
